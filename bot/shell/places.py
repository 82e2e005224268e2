"""Where a command is given: its settings, and with --place the rules of a place of the chat."""

import os
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from bot.services.advisor import Advisor
from bot.services.rule_options import with_goal
from bot.services.situation import KCD, Situation, has_sets
from bot.settings import Settings
from bot.shell.output import Decorated
from bot.shell.position import BROUGHT
from solver.errors import InvalidRequestError
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from bot.services.house_rules import HouseRules, RulesEntry

T = TypeVar("T")


@dataclass(frozen=True)
class Here:
    """Where a command is given: its settings, and a place whose rules it may name as well."""

    settings: Settings
    place: str | None = None

    @cached_property
    def advisor(self) -> Advisor:
        """What answers; it calls this program as a user may write it on a command line."""
        path = Path(sys.argv[0])
        program = "farkle"
        if path.name == program and path.exists() and not shutil.which(program):
            program = os.path.relpath(path)
        return Advisor(self.settings.strategies, program)

    def rules(self, reference: str | None) -> Ruleset:
        """The rules of a name or file, in a place by None those that it plays by.

        No database is opened without a place. Raises InvalidRulesError, InvalidRequestError for an
        unknown place, and StoreError.
        """
        if self.place is None:
            return load_rules(reference or "")
        return self._asked(lambda known, place: known.resolve(place, reference))

    @cached_property
    def entries(self) -> "list[RulesEntry]":
        """The rules that were made in the place, and those that ship with the program.

        Raises InvalidRequestError for an unknown place, and StoreError.
        """
        return self._asked(lambda known, place: known.list(place))

    @property
    def known(self) -> list[Ruleset]:
        """The presets, and the rules that were made in the place. Raises what `entries` does."""
        if self.place is None:
            return [load_rules(name) for name in preset_names()]
        return [entry.rules for entry in self.entries if entry.rules]

    def named(self, reference: str, goal: int | None = None) -> str:
        """Rules as they are written on a command line."""
        words = [reference]
        words += [] if goal is None else ["--goal", str(goal)]
        words += [] if self.place is None else ["--place", self.place]
        return shlex.join(words)

    def situation(self, given: Mapping[str, Any]) -> tuple[Situation, str]:
        """The position that the options of the command under way describe, under rules known here.

        Where none are named they are those that the place plays by, of loaded dice kcd; without a
        place as ever. With it comes how its rules are written on a command line.

        given : the options by their names, the goal and what players bring among them

        Raises what `rules` says, and FarkleError for dice that are wrong.
        """
        brings = [name.replace("_", "-") for name in BROUGHT if given.get(name)]
        own = has_sets(brings, "--")
        reference, goal = given["rules"], given.get("goal")
        if click.get_current_context().get_parameter_source("rules") is ParameterSource.DEFAULT:
            reference = KCD if own else None if self.place else reference
        rules = self.rules(reference)
        meant = rules if goal is None else with_goal(rules, goal, named=not own)
        fields = {name: given[name] for name in Situation._fields if name in given}
        situation = Situation(**fields | {"rules": meant})
        if own:
            from bot.services.loaded import LoadedDice, read_kits  # noqa: PLC0415 - 57 ms, of own dice

            *typed, joker_alone = (given[name] for name in BROUGHT)
            kits = read_kits(meant, *typed, situation=situation)
            situation = situation._replace(dice=LoadedDice(meant, kits, joker_alone))
        return situation, self.named(reference or rules.name, goal)

    def _asked(self, question: "Callable[[HouseRules, str], Awaitable[T]]") -> T:
        """What the rules of the place answer, for which its database is opened."""
        import asyncio  # noqa: PLC0415 - 13 ms, of places

        from bot.services.house_rules import rules_of  # noqa: PLC0415 - 0.3 s, of places

        place = self.place or ""
        folders = self.settings.strategies, self.settings.kernels

        async def answered() -> T:
            async with rules_of(self.settings.database_url, *folders, place) as known:
                return await question(known, place)

        return asyncio.run(answered())


def here_option(command: Decorated) -> Decorated:
    """Add --place; the command is called with where that is, before all else."""

    @click.option("--place", metavar="PLACE", help="Also rules made there: console, discord:ID.")
    @click.pass_obj
    @wraps(command)
    def asked(settings: Settings, /, *args: Any, place: str | None, **others: Any) -> Any:
        return command(Here(settings, place), *args, **others)

    return asked


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
