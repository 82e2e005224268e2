"""--place: the rules that were made in the chat, for commands that take rules."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from bot.services.advisor import Advisor
from bot.services.rule_options import with_goal
from bot.services.situation import KCD, Situation, has_sets
from bot.settings import Settings
from solver.errors import InvalidRequestError
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from bot.services.house_rules import RulesEntry

T = TypeVar("T")


def advisor_of(settings: Settings) -> Advisor:
    """The advisor, which calls this program as a user may write it on a command line."""
    path = Path(sys.argv[0])
    program = "farkle"
    if path.name == program and path.exists() and not shutil.which(program):
        program = os.path.relpath(path)
    return Advisor(settings.strategies, program)


place_option = click.option(
    "--place", metavar="PLACE", help="Also rules made there: console, discord:ID."
)
"""Adds --place."""

all_option = click.option(
    "--all", "every", is_flag=True, help="All rule sets that ship with the program."
)
"""Adds --all, in place of RULES."""


def rules_given(rules: Sequence[str], *, every: bool) -> tuple[str, ...]:
    """Return the rule sets that are meant: RULES, or with --all those that ship with the program.

    Raises InvalidRequestError where there are none, or both.
    """
    if every and rules:
        raise InvalidRequestError("--all takes no RULES: leave one of them out")
    if not every and not rules:
        raise InvalidRequestError(
            "say which RULES: names of rule sets or TOML files, or --all for those that ship with"
            " the program"
        )
    return tuple(preset_names() if every else rules)


def rules_reader(settings: Settings, place: str | None) -> Callable[[str | None], Ruleset]:
    """What finds rules by their name or file; without a place no database is opened.

    With one, None stands for the rules that the place plays by. What it gives raises
    InvalidRulesError, InvalidRequestError for an unknown place, and StoreError.
    """
    if place is None:
        return lambda reference: load_rules(reference or "")
    return lambda reference: _run(_found(settings, place, reference))


def place_rules(settings: Settings, place: str) -> "list[RulesEntry]":
    """The rules that were made in a place, and those that ship with the program.

    Raises InvalidRequestError for an unknown place, and StoreError.
    """
    return _run(_listed(settings, place))


def known_rules(settings: Settings, place: str | None) -> list[Ruleset]:
    """The presets, and with a place the rules that were made there, too.

    Raises what `place_rules` does.
    """
    if place is None:
        return [load_rules(name) for name in preset_names()]
    return [entry.rules for entry in place_rules(settings, place) if entry.rules]


def situation_of(
    settings: Settings,
    place: str | None,
    given: Mapping[str, Any],
    goal: int | None = None,
    brought: Mapping[str, Any] | None = None,
) -> tuple[Situation, str]:
    """The position that the options of the command under way describe, under rules of a place.

    Where none are named they are those that the place plays by, of loaded dice kcd; without a place
    as ever. With it comes how its rules are written on a command line.

    brought : what the options give that players bring

    Raises what `rules_reader` says, and FarkleError for dice that are wrong.
    """
    brings = [name.replace("_", "-") for name, value in (brought or {}).items() if value]
    own = has_sets(brings, "--")
    reference = given["rules"]
    if click.get_current_context().get_parameter_source("rules") is ParameterSource.DEFAULT:
        reference = KCD if own else None if place else reference
    rules = rules_reader(settings, place)(reference)
    meant = with_goal(rules, goal, named=not own)
    situation = Situation.given(**{**given, "rules": meant})
    if own:
        from bot.services.loaded import LoadedDice, read_kits  # noqa: PLC0415 - takes a while

        *typed, joker_alone = (brought or {}).values()
        kits = read_kits(meant, *typed, situation=situation)
        situation = replace(situation, dice=LoadedDice(meant, kits, joker_alone))
    return situation, named(reference or rules.name, place, goal)


def named(reference: str, place: str | None, goal: int | None = None) -> str:
    """Rules as they are written on a command line."""
    words = [reference]
    words += [] if goal is None else ["--goal", str(goal)]
    words += [] if place is None else ["--place", place]
    return shlex.join(words)


def _run(reading: Coroutine[Any, Any, T]) -> T:
    import asyncio  # noqa: PLC0415 - takes a while, and only a place needs it

    return asyncio.run(reading)


async def _listed(settings: Settings, place: str) -> "list[RulesEntry]":
    from bot.services.house_rules import rules_of  # noqa: PLC0415

    folders = settings.strategies, settings.kernels
    async with rules_of(settings.database_url, *folders, place) as found:
        return await found.list(place)


async def _found(settings: Settings, place: str, reference: str | None) -> Ruleset:
    # the database takes a while to import, and only this needs it
    from bot.services.house_rules import rules_of  # noqa: PLC0415

    folders = settings.strategies, settings.kernels
    async with rules_of(settings.database_url, *folders, place) as found:
        return await found.resolve(place, reference)
