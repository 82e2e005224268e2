"""Loaded dice against loaded dice: what each set brings, who wins, and which dice to take.

`kcd_answer` and `chosen` load numba, and so are called only in a worker or on the command line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solver.batch.local import compiled_code, with_sound_code
from solver.errors import InvalidDiceError
from solver.loaded.matchup import Matchup, check_loaded
from solver.loaded.strategy import MatchupStrategy
from solver.loaded.visits import visits
from solver.named.choosing import number_of_sets, sets_from, with_ordinary
from solver.named.sets import NamedDie, NamedSet
from solver.rules.ruleset import Ruleset
from solver.turn.equations import TurnTable
from solver.turn.points import bank_decisions, points_table, turn_outcome
from solver.turn.remaining import roll_lists, shape_of
from solver.turn.scoring import TurnState

if TYPE_CHECKING:
    from solver.loaded.matchup import MatchupSolution

MOST_SETS = 20_000
"""That are ranked; a hundred in a few seconds."""

_THRESHOLDS = 8
"""Remaining dice for which is told when to bank."""

Told = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class KcdQuestion:
    """Two players with their dice; the goal is that of the rules."""

    rules: Ruleset
    mine: NamedSet
    theirs: NamedSet
    begins: bool = True
    """Whether I throw first."""
    joker_alone: bool = False
    """Whether jokers may score without a die that is none."""

    @property
    def matchup(self) -> Matchup:
        """What is solved; I am side 0. Raises InvalidDiceError and InvalidRulesError."""
        dice = self.mine.dice_set, self.theirs.dice_set
        return Matchup(self.rules, dice, self.joker_alone)


@dataclass(frozen=True, slots=True)
class SetFigures:
    """What a turn with a set brings, if it is played for most points."""

    dice: NamedSet
    points: float
    """With no goal."""
    points_to_goal: float
    """From a score of 0, where points beyond the goal count for nothing."""
    farkle_probability: float
    """That the turn to the goal ends in a farkle."""
    first_farkle_probability: float
    """That the first roll of a turn is one."""


@dataclass(frozen=True, slots=True)
class LoadedBank:
    """When to bank with some dice left to roll."""

    dice: NamedSet
    turn_total: int | None
    """From which on to bank; None for never before the goal."""
    share: float
    """How often a turn comes to a decision with these dice."""


@dataclass(frozen=True, slots=True)
class KcdAnswer:
    """Two sets against each other."""

    question: KcdQuestion
    mine: SetFigures
    theirs: SetFigures
    win_beginning: float
    """My win probability where I throw first, and both play as is best."""
    win_second: float
    error_bound: float
    bank_from: tuple[LoadedBank, ...]
    """In my first turn, with what is left most often."""

    @property
    def win(self) -> float:
        """My win probability in the game that was asked for."""
        return self.win_beginning if self.question.begins else self.win_second


@dataclass(frozen=True, slots=True)
class Choice:
    """One set that could be taken."""

    dice: NamedSet
    points: float
    """Of a turn for most points with no goal."""
    win: float | None
    """Against the opponent's dice; None where it was not worked out."""


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """Which six of one's dice to take."""

    rules: Ruleset
    owned: tuple[NamedDie, ...]
    theirs: NamedSet
    begins: bool = True
    joker_alone: bool = False
    solved: int = 3
    """How many of the best by points are worked out against the opponent."""

    @property
    def pool(self) -> list[NamedDie]:
        """The dice that may be taken: the own ones, and ordinary ones as they are needed."""
        return with_ordinary(self.owned, self.rules.dice)


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """Sets, the best first: those with a win probability, then the others by points."""

    question: ChoiceQuestion
    choices: tuple[Choice, ...]


def kcd_answer(
    kernels: Path, question: KcdQuestion, on_progress: Told = lambda _: None
) -> KcdAnswer:
    """Two sets against each other, exactly.

    kernels : the folder of compiled code

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    matchup = question.matchup
    with compiled_code(kernels) as cache:
        mine, theirs = with_sound_code(
            cache, partial(_figures, question.rules, question.joker_alone, question)
        )
        solution = with_sound_code(cache, partial(_solved, matchup, cache, on_progress))
    strategy = MatchupStrategy(matchup, solution.values)
    turn = strategy.turn(0, strategy.start(0))
    return KcdAnswer(
        question=question,
        mine=mine,
        theirs=theirs,
        win_beginning=solution.first_wins(0),
        win_second=1 - solution.first_wins(1),
        error_bound=solution.error_bound,
        bank_from=_bank_from(question.mine, turn),
    )


def set_figures(
    kernels: Path, rules: Ruleset, dice: Sequence[NamedSet], *, joker_alone: bool = False
) -> list[SetFigures]:
    """What a turn with each set brings. Raises InvalidDiceError and InvalidRulesError."""
    with compiled_code(kernels) as cache:
        return with_sound_code(cache, partial(_figures_of, rules, joker_alone, dice))


def chosen(
    kernels: Path, question: ChoiceQuestion, on_progress: Told = lambda _: None
) -> ChoiceAnswer:
    """All sets that may be taken, by points, and the best of them against the opponent.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    check_choice(question)
    sets = sets_from(question.pool, question.rules.dice)
    solved = min(question.solved, len(sets))
    # about as long as this many sets are ranked
    parts = 1 + 3 * solved
    with compiled_code(kernels) as cache:
        choices = with_sound_code(
            cache, partial(_ranked, question, sets, lambda share: on_progress(share / parts))
        )
        for place in range(solved):
            matchup = Matchup(
                question.rules,
                (choices[place].dice.dice_set, question.theirs.dice_set),
                question.joker_alone,
            )
            before = 1 + 3 * place

            def told(share: float, before: int = before) -> None:
                on_progress((before + 3 * share) / parts)

            solution = with_sound_code(cache, partial(_solved, matchup, cache, told))
            win = solution.first_wins(0) if question.begins else 1 - solution.first_wins(1)
            choices[place] = Choice(choices[place].dice, choices[place].points, win)
    choices.sort(key=lambda one: -2.0 if one.win is None else -3.0 - one.win)
    return ChoiceAnswer(question, tuple(choices))


def check_choice(question: ChoiceQuestion) -> int:
    """How many sets there are to choose from.

    Raises InvalidDiceError where they are too many, or dice do not fit the rules, and
    InvalidRulesError.
    """
    check_loaded(question.rules, question.theirs.dice_set)
    found = number_of_sets(question.pool, question.rules.dice)
    if found > MOST_SETS:
        raise InvalidDiceError.say(
            "{number:,} sets can be taken from these dice, and at most {most:,} are compared: name"
            " fewer dice",
            number=found,
            most=MOST_SETS,
        )
    return found


def _figures(
    rules: Ruleset, joker_alone: bool, question: KcdQuestion
) -> tuple[SetFigures, SetFigures]:
    mine, theirs = _figures_of(rules, joker_alone, (question.mine, question.theirs))
    return mine, theirs


def _figures_of(rules: Ruleset, joker_alone: bool, dice: Sequence[NamedSet]) -> list[SetFigures]:
    from solver.loaded.points import points_of_sets  # noqa: PLC0415

    sets = [named.dice_set for named in dice]
    found = []
    endless = points_of_sets(rules, sets, joker_alone=joker_alone)
    for named, thrown, points in zip(dice, sets, endless, strict=True):
        lists = roll_lists(rules, shape_of(thrown), joker_alone=joker_alone)
        table = points_table(rules, lists.plan(thrown))
        found.append(
            SetFigures(
                named,
                points.points,
                table.value(TurnState(0, thrown.whole)) * rules.winning_score,
                float(turn_outcome(rules, table).farkled.sum()),
                float(table.plan.farkle_chances[-1]),
            )
        )
    return found


def _ranked(question: ChoiceQuestion, sets: list[NamedSet], told: Told) -> list[Choice]:
    from solver.loaded.points import points_of_sets  # noqa: PLC0415

    found = points_of_sets(
        question.rules,
        [named.dice_set for named in sets],
        joker_alone=question.joker_alone,
        on_progress=told,
    )
    pairs = zip(sets, found, strict=True)
    return sorted(
        (Choice(named, points.points, None) for named, points in pairs),
        key=lambda one: -one.points,
    )


def _solved(matchup: Matchup, cache: Path, told: Told) -> "MatchupSolution":
    from solver.loaded.game import solve_matchup  # noqa: PLC0415

    return solve_matchup(matchup, cache=cache, on_progress=told)


def _bank_from(mine: NamedSet, turn: TurnTable) -> tuple[LoadedBank, ...]:
    """When to bank, of the remaining dice that a turn comes to most often."""
    visited, banks = visits(turn), bank_decisions(turn)[0]
    often = visited.sum(axis=0)
    often[-1] = 0.0  # hot dice, and the beginning
    found = []
    for column in np.argsort(-often, kind="stable")[:_THRESHOLDS]:
        if not often[column]:
            break
        seen = np.flatnonzero(visited[:, column])
        rolled = seen[~banks[seen, column]]
        banked = seen[seen > (rolled[-1] if len(rolled) else -1)]
        total = int(banked[0]) * turn.plan.step if len(banked) else None
        left = mine.left(int(column) + 1)
        found.append(LoadedBank(left, total, float(often[column] / often.sum())))
    return tuple(found)
