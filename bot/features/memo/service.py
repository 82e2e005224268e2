"""A table to memorise, with all that is told of it.

`memo_answer` may load numba, and so is called only in a worker or on the command line.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.services.advisor import Advisor
from solver.batch.local import compiled_code, with_sound_code
from solver.errors import InvalidRulesError, MissingStrategyError
from solver.game.position import Position, first_position
from solver.game.standings import OnShare, check_afresh
from solver.game.workload import workload
from solver.play.memo import Memo
from solver.play.memo_study import MemoStudy, load_memo, study_memo, study_path
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, Remaining, Roll, after_set_aside, dice_set, fate, set_asides
from solver.turn.equations import EqualDice
from solver.turn.memo import MemoTable, memo_table

_SECONDS, _LEAST_SECONDS = 9.0, 20.0
"""The seconds that a study takes for each second of a solve, and the fewest that it takes."""
_MOST_CHOICES = 4
"""The most choices of a roll that is an example, and the fewest."""
_LEAST_CHOICES = 3


@dataclass(frozen=True, slots=True)
class MemoChoice:
    """One set-aside of an example."""

    set_aside: Roll
    turn_total: int
    dice_left: Remaining
    gain: int
    bank: bool
    """Whether the turn would be banked after it."""


@dataclass(frozen=True, slots=True)
class MemoExample:
    """A first roll of a turn, and what may be set aside; what the table chooses comes first."""

    roll: Roll
    choices: tuple[MemoChoice, ...]


@dataclass(frozen=True, slots=True)
class PutOff:
    """A study that there is no time for."""

    seconds: float
    """Seconds that the study takes, roughly."""
    reference: str
    """What `farkle memo` is given to work it out."""


@dataclass(frozen=True, slots=True)
class MemoAnswer:
    """A table to memorise, and what is known of it."""

    table: MemoTable
    example: MemoExample | None
    """None where every roll leaves too little to choose from."""
    study: MemoStudy | None
    """None where the rules are not solved yet, or where `put_off`."""
    put_off: "PutOff | None" = None
    """Where the rules are solved, and there is no time for the study."""
    refused: InvalidRulesError | None = None
    """Why there is no study of such rules."""
    picture: bytes | None = None
    """The page as a PNG; None where it was not drawn."""


def known_memo(advisor: Advisor, rules: Ruleset, unit: int | None = None) -> MemoAnswer:
    """The table of the rules, with what was found out of it before.

    Raises InvalidRequestError and InvalidRulesError as `memo_table` does.
    """
    table = memo_table(rules, unit)
    example, refused = _example(table), None
    try:
        check_afresh(rules)
    except InvalidRulesError as error:
        refused = error
    return MemoAnswer(table, example, load_memo(advisor.folder, rules, table.unit), refused=refused)


def memo_answer(
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    unit: int | None = None,
    on_progress: OnShare = lambda _: None,
) -> MemoAnswer:
    """The table with all that is told of it, which is worked out if need be, and kept.

    kernels : the folder of compiled code

    Raises FarkleError, but where the rules are not solved.
    """
    known = known_memo(advisor, rules, unit)
    if known.study or known.refused:
        return known
    try:
        strategy = advisor.strategy(rules)
    except MissingStrategyError:
        return known
    with compiled_code(kernels) as cache:
        study = with_sound_code(
            cache,
            partial(study_memo, strategy, known.table.unit, cache=cache, on_progress=on_progress),
        )
    study.save(study_path(advisor.folder, rules, study.unit))
    return MemoAnswer(known.table, known.example, study)


def seconds_of_memo(rules: Ruleset) -> float:
    """About how long it takes to work out what is told of a table. Raises InvalidRulesError."""
    return max(_LEAST_SECONDS, _SECONDS * workload(rules, corrected=False).seconds)


def _example(table: MemoTable) -> MemoExample | None:
    """The first roll with something to think about that falls most often.

    There is something where the table does not take the most points.
    """
    rules, thrown = table.rules, dice_set(table.rules)
    examples: list[tuple[int, MemoExample]] = []
    for roll, ways in thrown.rolls(thrown.whole):
        if fate(rules, roll, first=True) is not Fate.SCORES:
            continue
        if not _LEAST_CHOICES <= len(set_asides(rules, roll, first=True)) <= _MOST_CHOICES:
            continue
        example = _worked_out(table, roll)
        most = max(choice.turn_total for choice in example.choices)
        if example.choices[0].turn_total < most:
            examples.append((ways, example))
    return max(examples, key=lambda pair: (pair[0], pair[1].roll))[1] if examples else None


def _worked_out(table: MemoTable, roll: Roll) -> MemoExample:
    rules = table.rules
    start: Position = first_position(rules)
    chosen = Memo(table.unit).choose(EqualDice(rules), start, roll)
    choices = []
    for kept in set_asides(rules, roll, first=True):
        after = after_set_aside(rules, start.turn, kept)
        gain = table.gain(after.turn_total, after.dice)
        may_bank = rules.may_bank(after.turn_total, 0) and rules.may_leave(after.dice)
        banks = may_bank and not after.to_confirm and gain <= 0
        choices.append(MemoChoice(kept.dice, after.turn_total, after.dice, gain, banks))
    choices.sort(
        key=lambda choice: (choice.set_aside != chosen.set_aside, -choice.turn_total - choice.gain)
    )
    return MemoExample(roll, tuple(choices))
