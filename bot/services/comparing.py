"""Comparing rule sets in a chat: rule set by rule set in worker processes, in turns with others."""

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.services.needed import turn_rows
from bot.services.variations import Compared, Variation
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.tasks.tasks import Delay, Tasks
from bot.tasks.turns import Asker
from solver.batch.jobs import solve_one
from solver.batch.subjects import GameOfTwo
from solver.errors import FarkleError, InvalidRequestError
from solver.game.standings import check_afresh
from solver.game.workload import workload
from solver.play.compare import Comparison, compare
from solver.rules.ruleset import Ruleset
from solver.strategy import is_solved
from solver.wording import say_later

MOST_COMPARED = 20
GAMES = 2_000
"""That are counted for each rule set in a chat."""

_LONG = 5.0
"""Seconds from which on is said how long it takes."""
_BEGIN_SECONDS = 10.0
"""About what a worker takes to load numba and its code."""
_RULES_SECONDS = 2.0
"""About what games take in which a turn is solved in no time."""
_ROW_SECONDS = 0.02
"""About what a turn total more adds to all games."""


Draw = Callable[[Compared], bytes]
"""A function of a module that draws them, as PNG."""


@dataclass(frozen=True, slots=True)
class ComparedRules:
    """Rule sets side by side."""

    found: Compared
    picture: bytes | None = None
    """A PNG, where there was time to draw one."""


async def compare_rules(
    tasks: Tasks,
    asker: Asker,
    asked: Sequence[Variation],
    strategies: Path,
    kernels: Path,
    careless: str,
    draw: Draw,
) -> AsyncIterator[Delay | ComparedRules]:
    """What rule sets are like to play; those that are not solved are solved on the way.

    Named ones are kept then, those of a sweep are not. Raises InvalidRequestError, also where that
    is too much to ask for, InvalidRulesError and TaskError.
    """
    if len(asked) > MOST_COMPARED:
        raise InvalidRequestError.say(
            "at most {most} rule sets are compared at a time here, not {number}",
            most=MOST_COMPARED,
            number=len(asked),
        )
    for one in asked:
        check_afresh(one.rules)
    seconds = await at_once(_seconds, strategies, asked)
    compared: list[tuple[Variation, Comparison]] = []
    each = seconds / len(asked)
    async with tasks.task(asker, say_later("comparison"), len(asked), each) as task:
        if task.left > _LONG:
            yield Delay(task.what, 0, task.left)
        for one in asked:
            made = compared_here, one.rules, strategies, kernels, careless, one.option is None
            async for told in task.told(*made):
                if isinstance(told, Delay):
                    if not compared:
                        yield told
                else:
                    compared.append((one, told))
    picture = None
    if len(compared) > 1 and tasks.pressure.degree < Degree.STRAINED:
        with suppress(FarkleError):  # the text says the same
            picture = await tasks.aside(asker, draw, tuple(compared))
    yield ComparedRules(tuple(compared), picture)


def compared_here(
    rules: Ruleset, strategies: Path, kernels: Path, careless: str, keep: bool
) -> Comparison:
    """One rule set, solved if it is not, in this process: loads numba. Raises FarkleError."""
    from solver.batch.local import LocalSolver, compiled_code, prefer_cache  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as temporary, compiled_code(kernels) as cache:
        prefer_cache(cache)
        folder = strategies if keep or is_solved(strategies, rules) else Path(temporary)
        if not is_solved(folder, rules):
            solve_one(GameOfTwo(rules), folder, LocalSolver(cache))
        return compare(rules, folder, cache, games=GAMES, careless=careless)


def _seconds(strategies: Path, asked: Sequence[Variation]) -> float:
    """About how long all of it takes. Raises InvalidRulesError for what cannot be solved."""
    seconds = _BEGIN_SECONDS
    for one in asked:
        seconds += _RULES_SECONDS + _ROW_SECONDS * turn_rows(one.rules)
        if not is_solved(strategies, one.rules):
            seconds += workload(one.rules).seconds
    return seconds
