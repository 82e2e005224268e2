"""Games between policies with random dice, many at once: how strong a level is. Loads numba.

All games of a match go on turn by turn side by side. What the players decide are arrays, see
solver.play.match_players.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.game.best import Strategy
from solver.game.layout import Lists, lists_of
from solver.game.outcome_kernels import chosen
from solver.game.position import Position, banks_allowed, rules_at, start_of_turn
from solver.game.standings import (
    BANK,
    FARKLE,
    LOSE,
    OUT,
    SPARED,
    WIN,
    Bools,
    Ints,
    OnShare,
    Standing,
    after_turns,
    check_afresh,
    first_standing,
    many,
    others_after,
    score_count,
)
from solver.play.compare import CLOSE
from solver.play.contests import settled_against
from solver.play.duel import Played
from solver.play.match_players import MatchPlayer, MatchTurns, match_player
from solver.play.memo import GoForIt
from solver.play.policies import Optimal, levels_under
from solver.play.policy import Policy
from solver.play.strengths import Strength, Strengths
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Floats, turn_plan

NORMAL, FINAL, FIRST, SECOND = range(4)
"""What a turn is: an ordinary one, a final turn, or the first or second of a play-off."""

_ENDS = 5
"""Ways in which a roll ends a turn: FARKLE, LOSE, WIN, OUT and SPARED."""

_TOGETHER = 20_000
"""Games of a duel that go on side by side."""

CHUNK = 2048
"""Positions whose decisions are held at a time."""


class Throws(NamedTuple):
    """What rolls of a turn come to, for kernels that draw them."""

    lists: Lists
    """What those lead to that score, whatever may be set aside."""
    bonuses: Ints
    """The bonus for each hot dice of a turn, in point steps."""
    upto: Floats
    """The chances of the _ENDS, and then of each list, added up, column after column."""
    first: Ints
    """Where each column begins in `upto`, and the end."""


@lru_cache(maxsize=RULESETS)
def throws_of(rules: Ruleset) -> Throws:
    """The throws of a rule set as arrays."""
    plan = turn_plan(rules, all_options=True)
    lists, spared = lists_of(plan), plan.farkle_chances - plan.counted_farkles
    outs = np.broadcast_to(plan.out_chances, spared.shape)
    ends = np.stack([plan.counted_farkles, plan.lose_chances, plan.win_chances, outs, spared])
    scores = np.split(lists.chances, lists.first_list[1:-1])
    upto = [np.cumsum([*ended, *others]) for ended, others in zip(ends.T, scores, strict=True)]
    first = np.cumsum([0, *map(len, upto)], dtype=np.int64)
    return Throws(lists, np.array(plan.bonuses, dtype=np.int64), np.concatenate(upto), first)


@njit(cache=True)
def set_seed(seed: int) -> None:
    """Seed the dice, which are those of compiled code and not of NumPy."""
    np.random.seed(seed)


@njit(cache=True)
def throw(
    worth: Floats, level: int, total: int, column: int, throws: Throws
) -> tuple[int, int, int, int]:
    """How a roll ends the turn, -1 where it does not, and the state after its best set-aside.

    worth : of the states of the turn, shape (levels, turn totals, columns)
    level, total, column : the state before the roll
    """
    upto = throws.upto[throws.first[column] : throws.first[column + 1]]
    # chances that are added up may come out a rounding below 1
    place = min(int(np.searchsorted(upto, np.random.random(), side="right")), len(upto) - 1)
    if place < _ENDS:
        return FARKLE + place, level, total, column
    number = throws.lists.first_list[column] + place - _ENDS
    return -1, *chosen(level, total, number, worth, throws.lists, throws.bonuses)


@njit(cache=True)
def _value_of_rolling(
    turns: MatchTurns, turn: int, level: int, total: int, column: int, throws: Throws
) -> float:
    """Win probability of rolling in a state of one of the turns of a solved game."""
    lists, worth = throws.lists, turns.worth[turn]
    levels, rows, _ = worth.shape
    value = lists.wins[column] + lists.loses[column] * turns.lost[turn]
    value += lists.farkles[column] * turns.farkle[turn, min(total, rows - 1)]
    for number in range(lists.first_list[column], lists.first_list[column + 1]):
        to, after, left = chosen(level, total, number, worth, lists, throws.bonuses)
        following = worth[min(to, levels - 1), min(after, rows - 1), left]
        value += lists.chances[number] * following
    return float(value)


@njit(cache=True)
def _play_turns(
    here: Ints,
    turns: MatchTurns,
    allowed: Bools,
    throws: Throws,
    kinds: npt.NDArray[np.int8],
    totals: Ints,
    decisions: Ints,
    close: Ints,
) -> None:
    """Play one turn of each game; fill in how it ends and its turn total before that.

    here[game] is the place of its position in `turns.which`, and of the turn totals that may be
    banked there in `allowed`. In a solved game decisions[game] and close[game] are the numbers of
    its decisions and of close ones; they are not counted if both are empty.
    """
    levels, rows, columns = turns.worth.shape[1:]
    for game, place in enumerate(here):
        turn = turns.which[place]
        level, total, column, kind = 0, 0, columns - 1, -1
        while kind < 0:
            kind, level, total, column = throw(turns.worth[turn], level, total, column, throws)
            may = allowed[place, min(total, allowed.shape[1] - 1)]
            if kind >= 0 or not (may and throws.lists.may_bank[column]):
                continue
            row = min(total, rows - 1)
            if len(decisions) and throws.lists.may_bank[column] == 1:
                rolled = _value_of_rolling(turns, turn, level, total, column, throws)
                decisions[game] += 1
                close[game] += abs(turns.banked[turn, row] - rolled) < CLOSE
            if turns.bank[turn, min(level, levels - 1), row, column]:
                kind = BANK
        kinds[game] = kind
        totals[game] = total


class Games:
    """The games that are still played, all arrays by game. Scores are in points."""

    def __init__(self, rules: Ruleset, games: int, *, counts: bool = False) -> None:
        """`counts` says whether turns are counted, which takes players of a solved game."""
        check_afresh(rules)
        self.rules = rules
        self.players = [many(first_standing(rules), games) for _ in range(2)]
        self.phase = np.full(games, NORMAL)
        self.lead = np.zeros(games, dtype=np.int64)
        """Points that the first player of a play-off got in the turn before."""
        self.mover = 0
        self.wins = 0.0
        """The wins of player 0 in the games that are over."""
        self.counts = np.zeros((5, games if counts else 0), dtype=np.int64)
        """Turns, points banked, farkles, decisions and close ones of all games, over or not."""
        self._which = np.arange(games)
        """The places in `counts` of the games that are still played."""

    def situations(self) -> Ints:
        """What positions are made of, shape (7, games)."""
        own, other = self.players[self.mover], self.players[1 - self.mover]
        goal = self.rules.winning_score
        normal, played_off = self.phase == NORMAL, self.phase >= FIRST
        return np.array(
            [
                np.where(played_off, goal, own.score),
                np.where(played_off, goal + self.lead, other.score),
                np.where(normal, own.farkles, 0),
                np.where(normal, other.farkles, 0),
                own.on_board | played_off,
                other.on_board | ~normal,
                self.phase,
            ]
        )

    def position(self, situation: list[int]) -> Position:
        """The position of a situation; see solver.game.position for those of a play-off."""
        own, other, farkles, other_farkles, on_board, other_on_board, phase = situation
        began = self.mover == 0 or not self.rules.has_roles
        players = (
            Standing(own, farkles, bool(on_board)),
            Standing(other, other_farkles, bool(other_on_board)),
        )
        began = phase == FIRST if phase >= FIRST else began
        return start_of_turn(self.rules, *players, began=began)

    def play(self, player: MatchPlayer) -> tuple[npt.NDArray[np.int8], Ints, Bools]:
        """One turn of every game: how it ends, its total in points, whether that may be banked."""
        kinds = np.empty(len(self.phase), dtype=np.int8)
        totals = np.empty(len(self.phase), dtype=np.int64)
        allowed = np.empty(len(self.phase), dtype=np.bool_)
        normal = self.phase == NORMAL
        for which in (normal, ~normal) if self.rules.final_throws else (normal | True,):
            if which.any():
                games = np.flatnonzero(which)
                kinds[games], totals[games], allowed[games] = self._play(player, games)
        return kinds, totals, allowed

    def _play(self, player: MatchPlayer, places: Ints) -> tuple[npt.NDArray[np.int8], Ints, Bools]:
        """One turn as of `play` of some games, all of which have their last turns or none."""
        rules, step = self.rules, self.rules.point_step
        situations = self.situations()[:, places]
        low = situations.min(axis=1)
        steps = np.array([step, step, 1, 1, 1, 1, 1])
        sizes = (situations.max(axis=1) - low) // steps + 1
        apart = (situations - low[:, None]) // steps[:, None]
        keys = np.ravel_multi_index(tuple(apart), tuple(sizes))
        _, seen, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(len(seen) + 1))
        distinct = situations[:, seen].T
        kinds = np.empty(len(order), dtype=np.int8)
        totals = np.empty(len(order), dtype=np.int64)
        allowed = np.empty(len(order), dtype=np.bool_)
        rows = score_count(rules) + rules.least_bank(on_board=False) // step + 1
        for begin in range(0, len(seen), CHUNK):
            positions = [self.position(row) for row in distinct[begin : begin + CHUNK].tolist()]
            may = np.array([banks_allowed(rules, position, rows) for position in positions])
            games = order[starts[begin] : starts[begin + len(positions)]]
            here = inverse[games] - begin
            kind, total = self.turns(player, positions, places[games], here, may)
            kinds[games], totals[games] = kind, total
            allowed[games] = may[here, np.minimum(total, rows - 1)]
        return kinds, totals * step, allowed

    def turns(
        self, player: MatchPlayer, starts: Sequence[Position], games: Ints, here: Ints, may: Bools
    ) -> tuple[npt.NDArray[np.int8], Ints]:
        """Turns of some games from some positions: how each ends, and its total in point steps.

        games : places among those still played
        here : of each of them the place of its position
        may : which turn totals may be banked in each position, by point steps; the last stands for
            all further ones
        """
        rules, number = rules_at(self.rules, starts[0]), len(games)
        kinds, totals = np.empty(number, dtype=np.int8), np.empty(number, dtype=np.int64)
        decisions, close = np.zeros((2, number if self.counts.size else 0), dtype=np.int64)
        ended = kinds, totals, decisions, close
        _play_turns(here, player(starts), may, throws_of(rules), *ended)
        if self.counts.size:
            keeps = (kinds == FARKLE) & may[here, np.minimum(totals, may.shape[1] - 1)]
            keeps &= rules.farkle_keeps_turn_total
            if rules.is_exact:
                scores = np.array([start.banked for start in starts])[here]
                keeps &= scores + totals * rules.point_step <= rules.goal
            points = np.where((kinds == BANK) | keeps, totals, 0) * rules.point_step
            farkles = (kinds == FARKLE) | (kinds == SPARED)
            counted = np.ones_like(totals), points, farkles, decisions, close
            self.counts[:, self._which[games]] += np.array(counted)
        return kinds, totals

    def turn(self, player: MatchPlayer) -> None:
        """One turn of every game, and what follows from it."""
        rules, me = self.rules, self.mover
        kinds, totals, allowed = self.play(player)
        kept = allowed & (kinds == FARKLE) & rules.farkle_keeps_turn_total
        got = np.where((kinds == BANK) | kept, totals, 0)
        won = kinds == WIN
        lost, tied = kinds == OUT, np.zeros_like(won)
        phase = self.phase.copy()

        normal = self.phase == NORMAL
        reached = self._after_normal_turns(normal, kinds, got)
        if rules.goal_ends_game(last_of_round=me == 1):
            won |= reached
        else:
            phase[reached] = FINAL

        final = self.phase == FINAL
        behind = self.players[1 - me].score - self.players[me].score
        last = final | (self.phase == SECOND)
        target = np.where(final, behind, self.lead)
        counts = last & (kinds != LOSE) & ~lost
        beats = counts & (got > target)
        in_return = beats & final & rules.is_defended
        self.players[me].score[in_return] += got[in_return]
        self.players[me].on_board[in_return] = True
        won |= beats & ~in_return
        lost |= normal & ~won & (self.players[1 - me].score >= rules.winning_score)
        level = counts & (kinds != WIN) & (got == target)
        if rules.ties == "played_on":
            phase[level] = FIRST
        elif rules.ties == "shared":
            tied |= level
        else:
            lost |= level
        lost |= last & ~won & ~level & ~in_return

        opening = self.phase == FIRST
        lost |= opening & (kinds == LOSE)
        phase[opening] = SECOND
        self.lead = np.where(opening, got, 0)

        self.phase = phase
        self.wins += float(np.count_nonzero(won if me == 0 else lost))
        self.wins += 0.5 * float(np.count_nonzero(tied))
        self.keep(~(won | lost | tied))
        self.mover = 1 - me

    def keep(self, goes_on: Bools) -> None:
        """Go on with some of the games."""
        self.players = [standings[goes_on] for standings in self.players]
        self.phase = self.phase[goes_on]
        self.lead = self.lead[goes_on]
        self._which = self._which[goes_on]

    def _after_normal_turns(self, normal: Bools, kinds: npt.NDArray[np.int8], got: Ints) -> Bools:
        """Write down the turns of games without a final turn; say who has reached the goal."""
        rules, own = self.rules, self.players[self.mover]
        other = self.players[1 - self.mover]
        after = after_turns(rules, own, got, farkles=kinds == FARKLE, loses=kinds == LOSE)
        given = others_after(rules, own, after, other, got, farkles=kinds == FARKLE)
        other[normal] = given[normal]
        reached: Bools = normal & (got > 0) & (after.score >= rules.winning_score)
        np.maximum(after.score, rules.score_floor, out=after.score)
        own[normal] = after[normal]
        return reached


def play_games(
    rules: Ruleset, first: MatchPlayer, second: MatchPlayer, games: int, seed: int
) -> float:
    """Play games that `first` begins; how many it wins, a shared one counting half."""
    set_seed(seed % 2**32)
    played = Games(rules, games)
    while played.phase.size:
        played.turn((first, second)[played.mover])
    return played.wins


def play_match(
    rules: Ruleset,
    players: tuple[MatchPlayer, MatchPlayer],
    games: int,
    seeds: tuple[int, int],
    on_progress: OnShare = lambda _: None,
) -> Played:
    """Play games between two players, each of whom begins half of them.

    games : an odd number becomes the next even one
    seeds : of those that the first one begins, and of the others
    """
    half = (games + 1) // 2
    wins = [0.0, 0.0]
    for side, seed in enumerate(seeds):
        first, second = players if side == 0 else players[::-1]
        for begin in range(0, half, _TOGETHER):
            on_progress((side + begin / half) / 2)
            number = min(_TOGETHER, half - begin)
            won = play_games(rules, first, second, number, seed + 7_000_003 * (begin // _TOGETHER))
            wins[side] += won if side == 0 else number - won
    return Played(2 * half, seeds[0], wins[0] / half, wins[1] / half)


def play_duel(
    rules: Ruleset,
    one: Policy,
    other: Policy,
    code: Path,
    games: int,
    seed: int,
    on_progress: OnShare = lambda _: None,
) -> Played:
    """Play games between two policies, each of which begins half of them.

    code : the folder of compiled code
    games : as in `play_match`
    """
    players = match_player(rules, one, code), match_player(rules, other, code)
    return play_match(rules, players, games, (seed, seed + 1_000_003), on_progress)


def strengths_of_levels(
    strategy: Strategy,
    *,
    cache: Path,
    go_for_it: GoForIt | None = None,
    games: int | None = None,
    seed: int = 1,
    on_progress: OnShare = lambda _: None,
) -> Strengths:
    """How strong every level of a bot is against best play by a strategy, exact or counted.

    Raises as `duel` of solver.play.contests.

    go_for_it : the thresholds of the level that needs some; it is left out if None
    games : that each level plays with dice of `seed`, half of them begun by each side; an odd
        number becomes the next even one
    """
    rules, best = strategy.rules, Optimal(strategy)
    levels = [
        best if level.name == best.name else level
        for level in levels_under(rules, strategy, go_for_it)
    ]
    strengths: dict[str, Strength] = {}
    if games is None:
        against = settled_against(
            best, levels, strategy, cache=cache, on_progress=lambda share: on_progress(share / 2)
        )
    else:
        optimal = match_player(rules, best, cache)
    for number, level in enumerate(levels):
        done = number / len(levels)
        if games is None:
            on_progress(0.5 + done / 2)
            values = against(level)
            (began, replied), rate, error = values.starts, values.overall, 0.0
        else:
            on_progress(done)
            player = optimal if level is best else match_player(rules, level, cache)
            first = seed + 2_000_006 * number
            played = play_match(rules, (player, optimal), games, (first, first + 1_000_003))
            began, replied = played.began, played.replied
            rate, error = played.rates[-1]
        strengths[level.name] = Strength(
            win_rate=rate, standard_error=error, began=began, replied=replied
        )
    return Strengths(
        rules=rules.name,
        digest=rules.digest,
        games=games and games + games % 2,
        seed=seed if games else None,
        levels=strengths,
    )
