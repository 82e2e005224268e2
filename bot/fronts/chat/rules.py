"""Commands on rule sets: those that ship with the program, and the house rules of a place."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict

from bot.fronts.chat.lines import Command, Line, Reply
from bot.services.house_rules import HouseRules
from bot.services.tables import Caller
from bot.views.house_rules import (
    created_text,
    deleted_text,
    entry_text,
    house_rules_text,
    new_rules_help,
    solve_progress_text,
    used_text,
)
from bot.views.rules_text import rules_data, rules_list_data
from solver.errors import InvalidRequestError
from solver.wording import say, say_later


class RulesCommands:
    """/rules with all that can follow it."""

    def __init__(self, rules: HouseRules) -> None:
        self._rules = rules

    def by_name(self) -> dict[str, Command]:
        """The commands by their names without the slash."""
        return {
            "rules": Command(
                "/rules [NAME]",
                say_later("rule sets; also new, use, solve, cancel, delete"),
                self._answer,
                {},
                any_option=True,
            )
        }

    async def _answer(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        first, _, name = line.words.partition(" ")
        word = first.lower()
        if word != "new" and line.options:
            raise InvalidRequestError(say('/rules takes options only after "new"'))
        if word in {"use", "solve", "delete"} and not name:
            raise InvalidRequestError(
                say("/rules {word} needs a name, as in /rules {word} sunday", word=word)
            )
        if word in {"new", "solve"}:
            answer = self._new if word == "new" else self._solve
            async for reply in answer(caller, name, line.options):
                yield reply
        elif word in {"use", "cancel", "delete"}:
            if not caller.manages:
                raise InvalidRequestError(
                    say("only who manages this place can /rules {word}", word=word)
                )
            yield await {"use": self._use, "cancel": self._cancel, "delete": self._delete}[word](
                caller.place, name
            )
        elif not line.words:
            entries = await self._rules.list(caller.place)
            known = [(one.rules, one.is_solved) for one in entries if one.rules]
            yield Reply(house_rules_text(entries), rules_list_data(known))
        else:
            entry = await self._rules.show(caller.place, name if word == "show" else line.words)
            yield Reply(entry_text(entry), rules_data(entry.rules) if entry.rules else {})

    async def _new(
        self, caller: Caller, name: str, options: Mapping[str, str]
    ) -> AsyncIterator[Reply]:
        if not name:
            yield Reply(new_rules_help(), {"help": new_rules_help()}, private=True)
            return
        rules = await self._rules.create(caller.place, caller.person.id, name, options)
        yield Reply(created_text(rules), rules_data(rules))
        async for reply in self._solve(caller, name, {}):
            yield reply

    async def _solve(self, caller: Caller, name: str, _: Mapping[str, str]) -> AsyncIterator[Reply]:
        async with contextlib.aclosing(self._rules.solve(caller.place, name)) as updates:
            async for progress in updates:
                yield Reply(solve_progress_text(progress), asdict(progress))

    async def _use(self, place: str, name: str) -> Reply:
        rules = await self._rules.use(place, name)
        solved = self._rules.is_solved(rules)
        return Reply(used_text(rules, is_solved=solved), rules_data(rules))

    async def _cancel(self, place: str, _: str) -> Reply:
        cancelled = await self._rules.cancel(place)
        text = say("The solve of {name} is cancelled.", name=cancelled)
        return Reply(text, {"cancelled": cancelled})

    async def _delete(self, place: str, name: str) -> Reply:
        deleted = await self._rules.delete(place, name)
        return Reply(deleted_text(deleted), {"deleted": deleted})
