"""Games between policies with random dice, many at once: how strong a level is. Loads numba.

All games of a match go on turn by turn side by side. What the players decide are arrays, see
solver.play.match_players.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.game.position import Position, banks_allowed, rules_at
from solver.game.standings import (
    BANK,
    FARKLE,
    LOSE,
    OUT,
    SPARED,
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
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll, dice_set, make_roll
from solver.turn.equations import Floats
from solver.turn.scoring import (
    Fate,
    TurnState,
    after_set_aside,
    all_set_asides,
    fate,
    turn_plan,
)

P = TypeVar("P")

NORMAL, FINAL, FIRST, SECOND = range(4)
"""What a turn is: an ordinary one, a final turn, or the first or second of a play-off."""

_TABLED = 6
"""Dice of which every order of faces has its place in a table."""

_TOGETHER = 20_000
"""Games of a duel that go on side by side."""

CHUNK = 2048
"""Positions whose decisions are held at a time."""


class DiceTables(NamedTuple):
    """What rolls of equal dice lead to. Rolls are numbered; points are in steps."""

    number: npt.NDArray[np.int32]
    """The number of a roll whose dice, less 1, are the digits to base 6: [throw, digits]; of more
    than _TABLED dice there is nothing in it. A throw is the number of its dice; after these come
    the first of a turn, where that is another one, and those beside sets that are held."""
    end: npt.NDArray[np.int8]
    """FARKLE, LOSE, WIN or OUT where a roll ends the turn, else BANK."""
    counts: Bools
    """Whether a farkle counts for the penalty, by the column of the dice."""
    first: Ints
    """Where the set-asides of each roll begin, and the end; the order is that of set_asides."""
    points: Ints
    """The rows of a turn table that each set-aside leads on, without a bonus, see TurnState.row."""
    times: Ints
    """How many times they count in a throw from each column."""
    left: Ints
    """The column, plus 1, of the dice to roll after each set-aside: [layer before it, choice]."""
    bonus: Ints
    ways: Ints
    """In how many ways the dice of each roll fall so."""
    upto: Ints
    """Ways of the rolls of as many dice up to each roll, itself among them."""
    of_dice: Ints
    """Where the rolls of each throw begin, those of 1 die at index 1, and the end."""
    throws: Ints
    """The throw of each column; 0 where the last one was made, so that the turn is lost."""
    dice: Ints
    """The number of dice of each column."""
    tries: Ints
    """How many times the dice of each column are thrown that farkle; 0 for any number."""


@cache
def dice_tables(rules: Ruleset) -> DiceTables:
    """The rolls of a rule set as arrays."""
    ends = {
        Fate.SCORES: BANK,
        Fate.FARKLE: FARKLE,
        Fate.LOSES: LOSE,
        Fate.WINS: WIN,
        Fate.OUT: OUT,
    }
    plan, numbers = turn_plan(rules), range(1, rules.dice + 1)
    kinds: list[tuple[int, bool, Roll]] = [(n, False, ()) for n in numbers]
    kinds += [(rules.dice, True, ())] * rules.has_first_throw
    kinds += [(n, False, held) for layer in rules.held_layers[1:] for n, held in layer.items()]
    number = np.zeros((len(kinds) + 1, 6 ** min(rules.dice, _TABLED)), dtype=np.int32)
    found = {
        (throw, roll): choices
        for throw, (dice_thrown, first, held) in enumerate(kinds, 1)
        for roll, choices in all_set_asides(rules, first=first, held=held).items()
        if len(roll) == dice_thrown
    }
    known = {roll: place for place, roll in enumerate(found)}
    for throw, (dice_thrown, _, _) in enumerate(kinds, 1):
        if dice_thrown <= _TABLED:
            for digits, faces in enumerate(product(range(1, 7), repeat=dice_thrown)):
                number[throw, digits] = known[throw, make_roll(faces)]
    # a part of a straight is worth a row, which is taken off again once it is filled
    kept = [
        (roll, one, (one.points // rules.point_step or 1) - rules.is_part(kinds[throw - 1][2]))
        for (throw, roll), choices in found.items()
        for one in choices
    ]
    thrown = dice_set(rules)
    ways = [np.array([one for _, one in thrown.rolls(n)]) for n, _, _ in kinds]
    layers = plan.memories[::-1]
    after = [
        [after_set_aside(rules, before[len(roll)], one) for roll, one, _ in kept]
        for layer in layers
        for so_far in [(layer.hot_dice, layer.to_confirm, layer.throws * (rules.throws > 0))]
        for before in [{n: TurnState(0, n, *so_far, layer.held_with(rules, n)) for n in numbers}]
    ]
    fates = [
        fate(rules, roll, first=first, held=held)
        for throw, roll in found
        for _, first, held in [kinds[throw - 1]]
    ]
    columns = [(one, n) for one in layers for n in numbers]
    places = {kind: throw for throw, kind in enumerate(kinds, 1)}
    # after the last throw there is none, and a set leaves but a few dice
    throws = [
        0
        if one.throws == rules.throws > 0 or not one.is_left(rules, n)
        else places.get((n, False, one.held_with(rules, n)), 0)
        for one, n in columns
    ]
    throws[-1] += rules.has_first_throw
    times = [rules.times_after(one.hot_dice) for one in layers]
    return DiceTables(
        number,
        np.array([ends[one] for one in fates], dtype=np.int8),
        plan.counts,
        np.cumsum([0, *map(len, found.values())], dtype=np.int64),
        np.array([steps for _, _, steps in kept], dtype=np.int64),
        np.repeat(np.array(times, dtype=np.int64), rules.dice),
        np.array([[plan.column(one) + 1 for one in layer] for layer in after], dtype=np.int64),
        np.array(rules.hot_dice_bonus or (0,), dtype=np.int64) // rules.point_step,
        np.concatenate(ways),
        np.concatenate(list(map(np.cumsum, ways))),
        np.searchsorted([throw for throw, _ in found], range(len(kinds) + 2)),
        np.array(throws, dtype=np.int64),
        np.array([n for _, n in columns]),
        np.array(
            [
                rules.tries(n, first=throw > 0 and kinds[throw - 1][1])
                for (_, n), throw in zip(columns, throws, strict=True)
            ],
            dtype=np.int64,
        ),
    )


@njit(cache=True)
def set_seed(seed: int) -> None:
    """Seed the dice, which are those of compiled code and not of NumPy."""
    np.random.seed(seed)


@njit(cache=True)
def set_aside(
    worth: Floats, roll: int, state: tuple[int, int, int], dice: DiceTables
) -> tuple[int, int, int]:
    """Turn total, hot dice and dice to roll after the set-aside of a roll that is worth most.

    worth : of the states of the turn, shape (levels, turn totals, dice)
    roll : its number
    state : turn total, hot dice and dice to roll before the roll
    """
    total, hot, to_roll = state
    times = dice.times[to_roll - 1]
    levels, rows, _ = worth.shape
    whole = dice.dice[-1]
    layer = (to_roll - 1) // whole
    best, most = -1.0, -1
    next_total, next_hot, next_dice = 0, 0, 0
    for choice in range(dice.first[roll], dice.first[roll + 1]):
        new_total, new_hot = total + times * dice.points[choice], hot
        left = dice.left[layer, choice]
        if dice.dice[left - 1] == whole:
            new_total += dice.bonus[min(hot, len(dice.bonus) - 1)]
            new_hot += 1
        level, row = min(new_hot, levels - 1), min(new_total, rows - 1)
        value = worth[level, row, left - 1]
        if value > best or (value == best and new_total > most):
            best, most = value, new_total
            next_total, next_hot, next_dice = new_total, new_hot, left
    return next_total, next_hot, next_dice


@njit(cache=True)
def throw(
    worth: Floats, total: int, hot: int, to_roll: int, dice: DiceTables
) -> tuple[int, int, int, int]:
    """How a roll ends the turn, -1 where it does not, and the state after its set-aside."""
    number, kind = dice.dice[to_roll - 1], dice.throws[to_roll - 1]
    if kind == 0:
        return FARKLE, total, hot, to_roll
    tries = dice.tries[to_roll - 1]
    while True:
        fallen = int(np.random.random() * 6**number)
        if number <= _TABLED:
            roll = int(dice.number[kind, fallen])
        else:
            begin, end = dice.of_dice[kind], dice.of_dice[kind + 1]
            roll = begin + np.searchsorted(dice.upto[begin:end], fallen, side="right")
        tries -= 1  # below 0 where there are any number
        if dice.end[roll] != FARKLE or tries == 0:
            break
    if dice.end[roll] == FARKLE and not dice.counts[to_roll - 1]:
        return SPARED, total, hot, to_roll
    if dice.end[roll] != BANK:
        return dice.end[roll], total, hot, to_roll
    return -1, *set_aside(worth, roll, (total, hot, to_roll), dice)


@njit(cache=True)
def _play_turns(
    which: Ints,
    worth: Floats,
    bank: Bools,
    here: Ints,
    allowed: Bools,
    may_leave: Bools,
    dice: DiceTables,
    kinds: npt.NDArray[np.int8],
    totals: Ints,
) -> None:
    """Play one turn of each game; fill in how it ends and its turn total before that.

    which[game] is its decisions, allowed[here[game]] the turn totals that may be banked.
    """
    levels, rows, whole = worth.shape[1:]
    for game, place in enumerate(here):
        total, hot, to_roll, kind = 0, 0, whole, -1
        while kind < 0:
            kind, total, hot, to_roll = throw(worth[which[game]], total, hot, to_roll, dice)
            may = allowed[place, min(total, allowed.shape[1] - 1)]
            legal = kind < 0 and may and may_leave[to_roll - 1]
            if legal and bank[which[game], min(hot, levels - 1), min(total, rows - 1), to_roll - 1]:
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
            turn_plan(rules).may_bank,
            dice_tables(rules),
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
