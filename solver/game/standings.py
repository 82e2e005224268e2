"""Who stands where between turns, what a turn makes of it, and the values of a solved game."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.game.leads import longest_turn, spans
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import TurnPlan
from solver.wording import say_later

FEW_SCORES = 150
"""Games with fewer scores are short: what makes others faster takes them more than it saves."""

DEFAULT_TOLERANCE = 1e-9
"""Largest error of any value of a solve, relative to it or to LEAST where it is less."""

LEAST = 0.01
"""What errors are relative to where a value is less.

A value near 1 is rounded in its 16th decimal, and what the opponent has left cannot be more exact
than that."""

MAX_VALUES = 20_000_000
"""Start-of-turn values that one solve may hold: 8 bytes each in the file, 90 while solving."""


Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

BANK, FARKLE, LOSE, WIN, OUT, SPARED = range(6)
"""How turns end, where many are played side by side: SPARED by a farkle that does not count."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player between turns: all that counts of one."""

    score: int = 0
    farkles: int = 0
    """Farkles in a row."""
    on_board: bool = True
    banked: int = 0
    """Points of the last turn, where the next one has to beat them; else 0."""

    @property
    def fields(self) -> tuple[int, int, bool, int]:
        """Return what a standing is made of, in this order."""
        return self.score, self.farkles, self.on_board, self.banked


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Many of them side by side, arrays of one shape."""

    score: Ints
    farkles: Ints
    on_board: Bools
    banked: Ints

    @property
    def fields(self) -> tuple[Ints, Ints, Bools, Ints]:
        """Return what all have, field by field."""
        return self.score, self.farkles, self.on_board, self.banked

    def __getitem__(self, which: Any) -> "Standings":
        return Standings(*(field[which] for field in self.fields))

    def one(self, number: int) -> Standing:
        """One of them, where they stand in a row."""
        return Standing(*(field[number].item() for field in self.fields))

    def __setitem__(self, which: Any, others: "Standings") -> None:
        for field, values in zip(self.fields, others.fields, strict=True):
            field[which] = values


def many(standing: Standing, number: int = 1) -> Standings:
    """A standing repeated so many times, shape (number,)."""
    return Standings(*(np.full(number, value) for value in standing.fields))


def first_standing(rules: Ruleset) -> Standing:
    """Every player before the first turn."""
    return Standing(on_board=not rules.has_opening)


def after_turns(
    rules: Ruleset,
    before: Standings,
    points: Ints | int,
    *,
    farkles: Bools | bool,
    loses: Bools | bool,
) -> Standings:
    """Standings after a turn each: the one place that scores the end of a turn.

    points : what was banked, 0 for nothing; a farkle may bank something where the rules say so, but
        nothing beyond a goal that has to be met exactly
    farkles : whether the turn ended in a farkle that counts for the penalty
    loses : whether it ended in a roll that loses everything, or in a farkle that does not count

    A score that a penalty takes below the score floor stays there only where that is a rule of
    play; see `Ruleset.score_floor`.
    """
    score = before.score + points
    if rules.is_exact:
        beyond = score > rules.goal
        if rules.beyond_goal == "back":
            back = np.maximum(0, 2 * rules.goal - score)
        elif rules.beyond_goal == "around":
            back = np.minimum(score, 2 * rules.goal - rules.point_step) - rules.goal
        else:
            back = before.score
        nothing = beyond & np.logical_or(farkles, rules.beyond_goal in {"lost", "given"})
        points = np.where(nothing, 0, points)
        score = np.where(nothing, before.score, np.where(beyond, back, score))
    reached = (points > 0) & (score >= rules.winning_score)
    in_a_row = np.where(np.logical_and(farkles, ~reached), before.farkles + 1, 0)
    is_last = in_a_row == rules.farkle_limit
    if rules.spares_farkles:
        loses = False
    if rules.penalty_points:
        less = score - rules.penalty_points
        cost = np.maximum(less, 0) if rules.floor_is_played else less
        score = np.where(is_last, cost, score)
    elif rules.farkle_penalty:
        loses = np.logical_or(loses, is_last)
    return Standings(
        score=np.where(loses, np.minimum(score, 0), score),
        farkles=np.where(is_last, rules.farkles_after_penalty, in_a_row),
        on_board=before.on_board | (points > 0),
        banked=points * rules.beat_previous_turn + 0 * before.banked,
    )


def after_turn(
    rules: Ruleset, before: Standing, points: int, *, farkles: bool = False, loses: bool = False
) -> Standing:
    """The standing of one player after a turn, see `after_turns`."""
    return after_turns(rules, many(before), points, farkles=farkles, loses=loses).one(0)


def others_after(
    rules: Ruleset,
    before: Standings,
    after: Standings,
    other: Standings,
    points: Ints | int,
    *,
    farkles: Bools | bool,
) -> Standings:
    """Standings of the other of two players after a turn each, arrays that broadcast together.

    Who is given points may have reached the goal.

    before, after : where who had the turn stood and stands then
    points, farkles : as for `after_turns`
    """
    if not rules.changes_other:
        return other
    level = (np.asarray(points) > 0) & (after.score == other.score)
    falls = level & (after.score != before.score) & (after.score < rules.winning_score)
    cost = other.score if rules.caught_up == "everything" else rules.caught_up
    fallen = np.maximum(np.minimum(other.score, 0), other.score - cost)
    score, gets = np.where(falls, fallen, other.score), np.zeros(1, dtype=np.bool_)
    if rules.gives:
        total = other.score + points
        beyond = (before.score + points > rules.goal) & np.logical_not(farkles)
        gets = np.logical_and(beyond, total <= rules.goal)
        score = np.where(gets, total, score)
    fields: tuple[Any, ...] = score, other.farkles, other.on_board | gets, other.banked
    return Standings(*(np.broadcast_to(field, score.shape) for field in fields))


def other_after(
    rules: Ruleset,
    before: Standing,
    after: Standing,
    other: Standing,
    points: int,
    *,
    farkles: bool = False,
) -> Standing:
    """The standing of the other of two players after a turn, see `others_after`."""
    if not rules.changes_other:
        return other
    ended = many(before), many(after), many(other), points
    return others_after(rules, *ended, farkles=farkles).one(0)


def by_seat(value: float, seat: int) -> tuple[float, float]:
    """Win probabilities of two players by seat, given that of one of them."""
    return (value, 1 - value) if seat == 0 else (1 - value, value)


OnShare = Callable[[float], None]
"""Is called now and then with the share of the work that is done, from 0 to 1."""


class Progress(NamedTuple):
    """How far a solve is."""

    sweep: int
    """The sweep under way, from 1."""
    done: float
    """The share of that sweep that is done, 0 to 1."""
    residual: float | None = None
    """Largest relative change in the sweep before, where that is told."""
    bounding: bool = False
    """Whether that sweep is over, and one for a bound of the error is under way."""


OnProgress = Callable[[Progress], None]
"""Is called now and then with how far a solve is."""


@dataclass(frozen=True, slots=True)
class Block:
    """Standings that follow one another along an axis of values, a point step apart."""

    on_board: bool
    farkles: int
    first_score: int
    scores: int


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Start-of-turn win probabilities of a game, and what it took to find them."""

    rules: Ruleset
    values: npt.NDArray[np.float64]
    """V at [who began, standing, opponent's standing], see `value_shape` and `standing_index`."""
    tolerance: float
    sweeps: int
    largest_relative_change: float
    """The largest relative change of any value in the last sweep; where one solves the game, what
    its steps may have left."""
    error_bound: float
    """No value is off by more than this, relative to it or to LEAST where it is less."""
    states_solved: int
    """States (t, n, ...) whose value was computed, again and again in every sweep, and for the
    bound of the error."""
    seconds: float
    rolled: npt.NDArray[np.float64] | None = None
    """R where turns may begin with what the player before left, see `solver.game.take_over`."""

    @property
    def arrays(self) -> tuple[npt.NDArray[np.float64], ...]:
        """Return all values, as a file holds them."""
        return (self.values,) if self.rolled is None else (self.values, self.rolled)


@dataclass(frozen=True, slots=True, eq=False)
class FloorEffect:
    """What a score floor changes, against a lower one, by the lesser of the two scores."""

    floor: int
    lower_floor: int
    scores: npt.NDArray[np.intp]
    """Scores in points, from the floor up."""
    deviation: npt.NDArray[np.float64]
    """Largest deviation of any state in which neither score is less, relative to the mean of both
    values, as in table 8 of M. Busche (2016)."""
    cost: npt.NDArray[np.float64]
    """The most that a decision between bank and roll costs in any of these states, relative to the
    value of the right one; 0 where all decisions are the same."""

    def same_decisions_from(self) -> int | None:
        """Least score from which on all decisions are the same; None if there is none."""
        same = np.flatnonzero(self.cost == 0)
        return int(self.scores[same[0]]) if len(same) else None


def check_goal(rules: Ruleset) -> None:
    """Refuse rules of a number of rounds, for what needs a goal. Raises InvalidRulesError."""
    if rules.rounds:
        raise InvalidRulesError.say(
            "{rules}: this is not worked out for games of a number of rounds", rules=rules.name
        )


def check_afresh(rules: Ruleset) -> None:
    """Refuse rules under which turns depend on the one before, or rounds are counted.

    For what is worked out only of games to a goal, in which a standing is all that a turn leaves.
    Raises InvalidRulesError.
    """
    check_goal(rules)
    if rules.looks_back:
        raise InvalidRulesError.say(
            "{rules}: this is not worked out for rules under which a turn depends on the one before"
            " it",
            rules=rules.name,
        )


def score_count(rules: Ruleset) -> int:
    """Number of scores from the floor up to, not including, the first that reaches the goal."""
    return (rules.winning_score - rules.score_floor) // rules.point_step


def is_corrected(rules: Ruleset) -> bool:
    """Whether what a sweep leaves out can be told well enough to make values settle sooner.

    The few states of players not on the board would be told too little of by others.
    """
    penalty = rules.farkle_penalty is not None
    plain = not rules.farkle_keeps_turn_total and not rules.is_exact and not rules.changes_other
    plain &= not rules.looks_back
    return penalty and plain and not rules.has_opening and not rules.spares_farkles


def blocks(rules: Ruleset) -> list[Block]:
    """The standings of a player in the order in which values hold them.

    Who is not on the board yet has no more than 0. Of a number of rounds, what matters beside the
    score.
    """
    counts, boards = range(rules.farkle_limit), (True, False)[: rules.boards]
    if rules.rounds:
        return [Block(board, count, 0, 1) for board in boards for count in counts]
    below = -rules.score_floor // rules.point_step + 1
    parts = [Block(True, count, rules.score_floor, score_count(rules)) for count in counts]
    if rules.has_opening:
        parts += [Block(False, count, rules.score_floor, below) for count in counts]
    return parts


def all_standings(rules: Ruleset) -> Standings:
    """Return the standings of a player in the order in which values hold them."""
    parts = blocks(rules)
    sizes = [block.scores for block in parts]
    steps = [block.first_score + np.arange(block.scores) * rules.point_step for block in parts]
    return Standings(
        np.concatenate(steps),
        np.repeat([block.farkles for block in parts], sizes),
        np.repeat([block.on_board for block in parts], sizes),
        np.zeros(sum(sizes), dtype=np.int64),
    )


def standing_indices(rules: Ruleset, standings: Standings) -> npt.NDArray[np.int64]:
    """Indices of standings along an axis of values; a score below the floor counts as the floor."""
    score = np.maximum(standings.score, rules.score_floor)
    index = (score - rules.score_floor) // rules.point_step
    index += standings.farkles * score_count(rules)
    if rules.has_opening:
        below = -rules.score_floor // rules.point_step + 1
        counts = rules.farkle_limit - standings.farkles
        off_board = counts * score_count(rules) + standings.farkles * below
        index += np.where(standings.on_board, 0, off_board)
    return index


def opponent_indices(rules: Ruleset, standings: Standings) -> npt.NDArray[np.int64]:
    """Indices of standings along the axis of opponents.

    Where turns have to beat the one before, each score of a player on the board without farkles in
    a row has a place for all that may have been banked last, which leads from the floor at most.
    """
    index = standing_indices(rules, standings)
    if rules.beat_previous_turn:
        scores = np.minimum(index, score_count(rules))
        banked = np.minimum(standings.banked // rules.point_step, scores)
        index = index - scores + scores * (scores + 1) // 2 + banked
    return index


def standing_index(rules: Ruleset, standing: Standing) -> int:
    """Index of one standing along an axis of values."""
    return int(standing_indices(rules, many(standing))[0])


def role(rules: Ruleset, *, began: bool) -> int:
    """Index of the player to act along the first axis of values: 0 for who began."""
    return int(rules.has_roles and not began)


def value_shape(rules: Ruleset, sides: int = 1) -> tuple[int, int, int]:
    """Shape of a game's start-of-turn values: (who began, standings, opponent's standings).

    Of a number of rounds (turns left, modes of both, leads), see `solver.game.rounds`; for the last
    axis where turns have to beat the one before see `opponent_indices`.

    sides : 2 where both players have turns of their own, so that they have all roles each

    Raises InvalidRulesError where they are more than MAX_VALUES.
    """
    if rules.rounds:
        pairs, leads = len(blocks(rules)) ** 2, 2 * int(spans(rules)[-1]) + 1
        shape = 2 * rules.rounds, pairs, leads
    else:
        standings = sum(block.scores for block in blocks(rules))
        shape = sides * (2 if rules.has_roles else 1), standings, standings
        if rules.beat_previous_turn:
            # who has farkled, or is not on the board, has banked nothing; see `opponent_indices`
            scores = score_count(rules)
            shape = shape[0], standings, scores * (scores + 1) // 2 + standings - scores
    if (count := math.prod(shape)) <= MAX_VALUES:
        return shape
    why = say_later(
        "{rules}: there are {number:,} positions at the start of a turn (scores from {floor:,} to"
        " {goal:,} in steps of {step}), and at most {most:,} can be solved"
    )
    if rules.rounds:
        why = say_later(
            "{rules}: there are {number:,} positions at the start of a turn, and at most {most:,}"
            " can be solved; fewer rounds have fewer"
        )
    played = {"floor": rules.score_floor, "goal": rules.goal, "step": rules.point_step}
    raise InvalidRulesError.say(why, rules=rules.name, number=count, most=MAX_VALUES, **played)


def state_count(rules: Ruleset, plans: Sequence[TurnPlan] = (), *, players: int = 2) -> int:
    """Number of states in which the game is not yet decided.

    plans : the turns of both players, where they have their own
    players : more than two only where the rules have a number of rounds

    A state is a start-of-turn state with a turn total that does not reach the goal yet, dice to
    roll and, where the bonus for them changes, hot dice so far.
    """
    cells = dice_set(rules).whole * rules.hot_dice_counted
    if rules.rounds:
        states, longest = 0, longest_turn(rules, players)
        for far in map(int, spans(rules, players)[1:]):
            # by the least turn total that some lead matters to, which is how far others are apart
            solved = np.cumsum(1 + np.minimum(np.arange(2 * far, -1, -1), longest))[::-1]
            apart = np.abs(np.arange(-far, far + 1)) if players > 2 else np.zeros(1, dtype=np.intp)
            states += int(np.sum(solved[apart]))
        return int(states * cells * len(blocks(rules)) ** players)
    roles, standings, _ = value_shape(rules)
    turn_totals = 0
    for block in blocks(rules):
        minimum = rules.least_bank(on_board=block.on_board) // rules.point_step
        missing = (rules.winning_score - block.first_score) // rules.point_step
        held = minimum if rules.minimum_binds_win else 1
        turn_totals += sum(max(missing - score, held) for score in range(block.scores))
    if plans:
        cells = sum(plan.columns * plan.levels for plan in plans)
    if rules.beat_previous_turn:
        # totals that may not be banked are solved for each that has to be beaten
        scores = score_count(rules)
        turn_totals += scores * (scores + 1) * (scores + 2) // 6
    return roles * standings * turn_totals * cells
