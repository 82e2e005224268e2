"""Whole games played with random dice from the rules; only the decisions are given to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.game.position import Position
from solver.rules.ruleset import Ruleset
from tests import naive

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Tables = Callable[[Sequence[Position]], tuple[Floats, Bools]]
"""Decisions for turns that start at some positions.

The first array holds W(t, n, h) as [position, h, t, n - 1]: t is the turn total in point steps, n
the number of dice to roll, h the number of hot dice so far; the last h and the last t stand for
all further ones. A roll goes to the set-aside with the greatest W. The second array says where to
bank, in the same shape. Positions are those of the game, but for

- a final turn: `opponent` is at or past the goal, farkles are 0;
- the first turn of a play-off: `banked` and `opponent` are `winning_score`, `began` is True;
- the second turn of a play-off: `banked` is `winning_score`, `opponent` more by the points of the
  first turn, which may be 0; `began` is False, whatever the ending.
"""

BANK, FARKLE, LOSE, WIN, ILLEGAL = range(5)
NORMAL, FINAL, FIRST, SECOND = range(4)


@dataclass(frozen=True)
class DiceTables:
    """What rolls lead to. Rolls are numbered; all turn totals are in point steps."""

    number: npt.NDArray[np.int32]
    """The number of a roll whose dice, less 1, are the digits to base 6: [dice, digits]."""
    end: npt.NDArray[np.int8]
    """FARKLE, LOSE or WIN where a roll ends the turn, else BANK."""
    first: Ints
    """Where the choices of each roll begin, and the end."""
    points: Ints
    """Of each choice, in point steps, without a bonus."""
    left: Ints
    """Dice to roll after each choice."""
    bonus: Ints


@cache
def dice_tables(rules: Ruleset) -> DiceTables:
    number = np.zeros((rules.dice + 1, 6**rules.dice), dtype=np.int32)
    known: dict[naive.Dice, int] = {}
    end, first = [], [0]
    points, left = [], []
    for dice in range(1, rules.dice + 1):
        for digits, faces in enumerate(product(range(1, 7), repeat=dice)):
            roll = tuple(sorted(faces))
            if roll not in known:
                known[roll] = len(known)
                found = naive.result(rules, roll)
                if found == "win":
                    end.append(WIN)
                elif found == "lose":
                    end.append(LOSE)
                else:
                    end.append(BANK if found else FARKLE)
                    for worth, remaining in sorted(found):
                        points.append(worth // rules.point_step)
                        left.append(remaining)
                first.append(len(points))
            number[dice, digits] = known[roll]
    return DiceTables(
        number,
        np.array(end, dtype=np.int8),
        np.array(first, dtype=np.int64),
        np.array(points, dtype=np.int64),
        np.array(left, dtype=np.int64),
        np.array(rules.hot_dice_bonus or (0,), dtype=np.int64) // rules.point_step,
    )


@njit(cache=True)
def set_seed(seed: int) -> None:
    """Seed the dice, which are those of compiled code and not of NumPy."""
    np.random.seed(seed)


@njit(cache=True)
def play_turns(
    position: Ints,
    win: Floats,
    bank: Bools,
    least: Ints,
    hot_dice_may_bank: bool,
    number: npt.NDArray[np.int32],
    end: npt.NDArray[np.int8],
    first: Ints,
    points: Ints,
    left: Ints,
    bonus: Ints,
    kinds: npt.NDArray[np.int8],
    totals: Ints,
) -> None:
    """Play one turn from each position; fill in how it ends and its turn total before that.

    least[position] is the least turn total that may be banked.
    """
    levels, rows, dice = win.shape[1:]
    for game, here in enumerate(position):
        total, hot, to_roll, kind = 0, 0, dice, -1
        while kind < 0:
            roll = number[to_roll, int(np.random.random() * 6**to_roll)]
            if end[roll] != BANK:
                kind = end[roll]
                break
            best = -1.0
            next_total, next_hot, next_dice = 0, 0, 0
            for choice in range(first[roll], first[roll + 1]):
                new_total, new_hot = total + points[choice], hot
                if left[choice] == dice:
                    new_total += bonus[min(hot, len(bonus) - 1)]
                    new_hot += 1
                level, row = min(new_hot, levels - 1), min(new_total, rows - 1)
                worth = win[here, level, row, left[choice] - 1]
                if worth > best:
                    best = worth
                    next_total, next_hot, next_dice = new_total, new_hot, left[choice]
            total, hot, to_roll = next_total, next_hot, next_dice
            if bank[here, min(hot, levels - 1), min(total, rows - 1), to_roll - 1]:
                legal = total >= least[here] and (to_roll < dice or hot_dice_may_bank)
                kind = BANK if legal else ILLEGAL
        kinds[game] = kind
        totals[game] = total


class _Table:
    """The games that are still played, all arrays by game. Scores are in point steps."""

    def __init__(self, rules: Ruleset, games: int) -> None:
        self.rules = rules
        self.scores = np.zeros((2, games), dtype=np.int64)
        self.farkles = np.zeros((2, games), dtype=np.int64)
        self.on_board = np.full((2, games), not rules.has_opening)
        self.phase = np.full(games, NORMAL)
        self.lead = np.zeros(games, dtype=np.int64)
        """What the first player of a play-off got in the turn before."""
        self.least: dict[tuple[int, bool], int] = {}
        self.mover = 0
        self.wins = 0.0
        """Of player 0 in the games that are over."""

    def situations(self) -> Ints:
        """What positions are made of, shape (7, games)."""
        me, other = self.mover, 1 - self.mover
        goal = self.rules.winning_score // self.rules.point_step
        normal, played_off = self.phase == NORMAL, self.phase >= FIRST
        return np.array(
            [
                np.where(played_off, goal, self.scores[me]),
                np.where(played_off, goal + self.lead, self.scores[other]),
                np.where(normal, self.farkles[me], 0),
                np.where(normal, self.farkles[other], 0),
                self.on_board[me] | played_off,
                self.on_board[other] | ~normal,
                self.phase,
            ]
        )

    def position(self, situation: list[int]) -> Position:
        step = self.rules.point_step
        own, other, farkles, other_farkles, on_board, other_on_board, phase = situation
        began = self.mover == 0 or not self.rules.has_roles
        return Position(
            banked=own * step,
            opponent=other * step,
            farkles=farkles,
            opponent_farkles=other_farkles,
            dice=self.rules.dice,
            on_board=bool(on_board),
            opponent_on_board=bool(other_on_board),
            began=phase == FIRST if phase >= FIRST else began,
        )

    def least_bank(self, position: Position) -> int:
        """The least turn total that may be banked, in points; any that is greater may be, too."""
        key = position.banked, position.on_board
        if key not in self.least:
            total = self.rules.point_step
            while not self.rules.may_bank(total, key[0], on_board=key[1]):
                total += self.rules.point_step
            self.least[key] = total
        return self.least[key]

    def play(self, tables: Tables, chunk: int) -> tuple[npt.NDArray[np.int8], Ints, Bools]:
        """One turn of every game: how it ends, the turn total, and whether that may be banked."""
        rules, step = self.rules, self.rules.point_step
        dice = dice_tables(rules)
        situations = self.situations()
        low = situations.min(axis=1)
        sizes = situations.max(axis=1) - low + 1
        keys = np.ravel_multi_index(tuple(situations - low[:, None]), tuple(sizes))
        order = np.argsort(keys)
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        ends = np.append(starts[1:], len(order))
        distinct = situations[:, order[starts]].T
        kinds = np.empty(len(order), dtype=np.int8)
        totals = np.empty(len(order), dtype=np.int64)
        allowed = np.empty(len(order), dtype=np.bool_)
        for begin in range(0, len(starts), chunk):
            positions = [self.position(one) for one in distinct[begin : begin + chunk].tolist()]
            least = np.array([self.least_bank(one) // step for one in positions])
            counts = ends[begin : begin + chunk] - starts[begin : begin + chunk]
            which = np.repeat(np.arange(len(positions)), counts)
            games = order[starts[begin] : starts[begin] + len(which)]
            kind, total = np.empty(len(which), dtype=np.int8), np.empty(len(which), dtype=np.int64)
            play_turns(
                which,
                *tables(positions),
                least,
                rules.hot_dice == "optional",
                dice.number,
                dice.end,
                dice.first,
                dice.points,
                dice.left,
                dice.bonus,
                kind,
                total,
            )
            if np.any(kind == ILLEGAL):
                raise ValueError("the tables bank where the rules do not allow it")
            kinds[games], totals[games], allowed[games] = kind, total, total >= least[which]
        return kinds, totals, allowed

    def round(self, tables: Tables, chunk: int) -> None:
        """One turn of every game, and what follows from it."""
        rules, me = self.rules, self.mover
        kinds, totals, allowed = self.play(tables, chunk)
        kept = allowed & (kinds == FARKLE) & rules.farkle_keeps_turn_total
        got = np.where((kinds == BANK) | kept, totals, 0)
        won = kinds == WIN
        lost = np.zeros_like(won)
        tied = np.zeros_like(won)
        phase = self.phase.copy()

        normal = self.phase == NORMAL
        reached = self.after_normal_turns(normal, kinds, got)
        if rules.ending == "at_once" or (rules.ending == "equal_turns" and me == 1):
            won |= reached
        else:
            phase[reached] = FINAL

        final = self.phase == FINAL
        behind = self.scores[1 - me] - self.scores[me]
        last = final | (self.phase == SECOND)
        target = np.where(final, behind, self.lead)
        won |= last & (kinds != LOSE) & (got > target)
        level = last & (kinds != LOSE) & (kinds != WIN) & (got == target)
        if rules.ties == "played_on":
            phase[level] = FIRST
        elif rules.ties == "shared":
            tied |= level
        else:
            lost |= level
        lost |= last & ~won & ~level

        opening = self.phase == FIRST
        lost |= opening & (kinds == LOSE)
        phase[opening] = SECOND
        self.lead = np.where(opening, got, 0)

        self.phase = phase
        self.wins += float(np.count_nonzero(won if me == 0 else lost))
        self.wins += 0.5 * float(np.count_nonzero(tied))
        self.keep(~(won | lost | tied))
        self.mover = 1 - me

    def after_normal_turns(self, normal: Bools, kinds: npt.NDArray[np.int8], got: Ints) -> Bools:
        """Write down the turns of games without a final turn; say who has reached the goal."""
        rules, me, step = self.rules, self.mover, self.rules.point_step
        score, farkles = self.scores[me].copy(), self.farkles[me].copy()
        score += got
        on_board = self.on_board[me] | (got > 0)
        reached: Bools = normal & (got > 0) & (score * step >= rules.winning_score)
        farkles[kinds != FARKLE] = 0
        farkled = (kinds == FARKLE) & ~reached
        farkles[farkled] += 1
        costs = farkled & (farkles == rules.farkle_limit)
        farkles[costs] = 0
        if rules.farkle_penalty and rules.farkle_penalty.points == "everything":
            score[costs] = np.minimum(score[costs], 0)
        else:
            less = score[costs] - rules.penalty_points // step
            score[costs] = np.maximum(less, rules.score_floor // step)
        score[kinds == LOSE] = np.minimum(score[kinds == LOSE], 0)
        self.scores[me] = np.where(normal, score, self.scores[me])
        self.farkles[me] = np.where(normal, farkles, self.farkles[me])
        self.on_board[me] = np.where(normal, on_board, self.on_board[me])
        return reached

    def keep(self, games: Bools) -> None:
        """Go on with these games only."""
        self.scores = self.scores[:, games]
        self.farkles = self.farkles[:, games]
        self.on_board = self.on_board[:, games]
        self.phase = self.phase[games]
        self.lead = self.lead[games]


def simulate(
    rules: Ruleset, tables: Tables, games: int, seed: int, *, chunk: int = 4096
) -> tuple[float, int]:
    """Play games in which both players decide by `tables`.

    Returns the games won by the player who begins, a shared one counting half, and all games.
    `tables` is asked for up to `chunk` positions at a time. Raises ValueError where the tables
    bank against the rules.
    """
    set_seed(seed)
    table = _Table(rules, games)
    while table.phase.size:
        table.round(tables, chunk)
    return table.wins, games
