"""Games between policies with random dice, many at once: how strong a level is. Loads numba.

All games of a match go on turn by turn side by side. What the players decide are arrays, see
solver.play.match_players.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.game.layout import Lists, lists_of
from solver.game.outcome_kernels import chosen
from solver.game.position import Position, banks_allowed, rules_at
from solver.game.standings import (
    BANK,
    FARKLE,
    LOSE,
    OUT,
    WIN,
    Bools,
    Ints,
    after_turns,
    check_afresh,
    first_standing,
    many,
    others_after,
    score_count,
)
from solver.play.duel import Played
from solver.play.match_players import MatchPlayer, match_player
from solver.play.policy import Policy
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Floats, turn_plan

P = TypeVar("P")

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
    """For each column the chances of the _ENDS, and then of each list, added up."""
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
    upto = [np.cumsum([*some, *others]) for some, others in zip(ends.T, scores, strict=True)]
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
def _play_turns(
    which: Ints,
    worth: Floats,
    bank: Bools,
    here: Ints,
    allowed: Bools,
    throws: Throws,
    kinds: npt.NDArray[np.int8],
    totals: Ints,
) -> None:
    """Play one turn of each game; fill in how it ends and its turn total before that.

    which[game] is its decisions, allowed[here[game]] the turn totals that may be banked.
    """
    levels, rows, columns = worth.shape[1:]
    for game, place in enumerate(here):
        level, total, column, kind = 0, 0, columns - 1, -1
        while kind < 0:
            kind, level, total, column = throw(worth[which[game]], level, total, column, throws)
            may = allowed[place, min(total, allowed.shape[1] - 1)]
            legal = kind < 0 and may and throws.lists.may_bank[column]
            if legal and bank[which[game], min(level, levels - 1), min(total, rows - 1), column]:
                kind = BANK
        kinds[game] = kind
        totals[game] = total


class Games(Generic[P]):
    """The games that are still played, all arrays by game. Scores are in points.

    P is what a player is in the turns that a subclass plays.
    """

    def __init__(self, rules: Ruleset, games: int) -> None:
        check_afresh(rules)
        self.rules = rules
        self.players = [many(first_standing(rules), games) for _ in range(2)]
        self.phase = np.full(games, NORMAL)
        self.lead = np.zeros(games, dtype=np.int64)
        """Points that the first player of a play-off got in the turn before."""
        self.mover = 0
        self.wins = 0.0
        """The wins of player 0 in the games that are over."""

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
        return Position.of_two(
            banked=own,
            opponent=other,
            farkles=farkles,
            opponent_farkles=other_farkles,
            dice=dice_set(self.rules).whole,
            on_board=bool(on_board),
            opponent_on_board=bool(other_on_board),
            began=phase == FIRST if phase >= FIRST else began,
        )

    def play(self, player: P) -> tuple[npt.NDArray[np.int8], Ints, Bools]:
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

    def _play(self, player: P, some: Ints) -> tuple[npt.NDArray[np.int8], Ints, Bools]:
        """One turn as of `play` of some games, all of which have their last turns or none."""
        rules, step = self.rules, self.rules.point_step
        situations = self.situations()[:, some]
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
            positions = [self.position(one) for one in distinct[begin : begin + CHUNK].tolist()]
            may = np.array([banks_allowed(rules, one, rows) for one in positions])
            games = order[starts[begin] : starts[begin + len(positions)]]
            here = inverse[games] - begin
            kind, total = self.turns(player, positions, some[games], here, may)
            kinds[games], totals[games] = kind, total
            allowed[games] = may[here, np.minimum(total, rows - 1)]
        return kinds, totals * step, allowed

    def turns(
        self,
        player: P,
        positions: Sequence[Position],
        games: Ints,
        here: Ints,
        allowed: Bools,
    ) -> tuple[npt.NDArray[np.int8], Ints]:
        """Turns of some games from some positions: how each ends, and its total in point steps.

        games : places among those still played
        here : of each of them the place of its position
        allowed : which turn totals may be banked in each position, by point steps; the last stands
            for all further ones
        """
        raise NotImplementedError

    def turn(self, player: P) -> None:
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
        self.players = [one[goes_on] for one in self.players]
        self.phase = self.phase[goes_on]
        self.lead = self.lead[goes_on]

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


class _Matched(Games[MatchPlayer]):
    """Games by the decisions of players."""

    def turns(
        self,
        player: MatchPlayer,
        positions: Sequence[Position],
        games: Ints,
        here: Ints,
        allowed: Bools,
    ) -> tuple[npt.NDArray[np.int8], Ints]:
        """Turns of some games, see `Games.turns`."""
        which, worth, bank = player(positions)
        kind, total = np.empty(len(games), dtype=np.int8), np.empty(len(games), dtype=np.int64)
        rules = rules_at(self.rules, positions[0])
        _play_turns(
            which[here],
            worth,
            bank,
            here,
            allowed,
            throws_of(rules),
            kind,
            total,
        )
        return kind, total


def play_games(
    rules: Ruleset, first: MatchPlayer, second: MatchPlayer, games: int, seed: int
) -> float:
    """Play games that `first` begins; how many it wins, a shared one counting half."""
    set_seed(seed % 2**32)
    played = _Matched(rules, games)
    while played.phase.size:
        played.turn((first, second)[played.mover])
    return played.wins


def play_match(
    rules: Ruleset,
    players: tuple[MatchPlayer, MatchPlayer],
    games: int,
    seeds: tuple[int, int],
    on_progress: Callable[[float], None] = lambda _: None,
) -> Played:
    """Play games between two players, each of whom begins half of them.

    games : an odd number becomes the next even one
    seeds : of those that the first one begins, and of the others
    on_progress : told the share of the games that is done
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
    on_progress: Callable[[float], None] = lambda _: None,
) -> Played:
    """Play games between two policies, each of which begins half of them.

    code : the folder of compiled code
    games, on_progress : as in `play_match`
    """
    players = match_player(rules, one, code), match_player(rules, other, code)
    return play_match(rules, players, games, (seed, seed + 1_000_003), on_progress)
