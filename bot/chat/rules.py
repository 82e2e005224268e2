"""Commands on rule sets: those that ship with the program, and the house rules of a place."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import Any

from bot.chat import fields
from bot.chat.commands import Line, Reply, Stream, Word, asked
from bot.chat.presses import NotesPress, pressable
from bot.chat.waiting import replies
from bot.services.comparing import as_they_are, variations
from bot.services.house_rules import HouseRules
from bot.services.tables import Caller
from bot.tasks.answering import at_once
from bot.tasks.solving import SolveState
from bot.views import house_rules as views
from bot.views import library
from bot.views.compare import compare_card, compare_chart, compare_data, compare_notes, compare_text
from bot.views.rules_text import rules_data
from solver.errors import InvalidRequestError
from solver.play.compare import CARELESS
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later


class RulesCommands:
    """/rules with all that can follow it."""

    def __init__(self, rules: HouseRules) -> None:
        self._rules = rules

    @asked(
        "/rules [RULES]",
        say_later("rule sets; also find, like, diff, new, use, solve"),
        is_asked=False,
        more_words=True,
        any_option=True,
        examples=(
            "/rules new sunday base:classic goal:5000 three-pairs:750",
            "/rules diff kcd classic",
            "/rules find three pairs 750",
            "/rules like kcd",
        ),
    )
    async def _answer(self, line: Line, caller: Caller) -> Stream:
        first, *others = map(str, line.arguments or ("",))
        word, name = first.lower(), " ".join(others)
        if word not in {"new", "find", "like"} and line.options:
            raise InvalidRequestError.say('/rules takes options only after "new", "find" or "like"')
        if word in {"use", "solve", "delete"} and not name:
            raise InvalidRequestError.say(
                "/rules {word} needs a name, as in /rules {word} sunday", word=word
            )
        if word in {"new", "solve"}:
            new = self._new(caller, name, line.options)
            yield new if word == "new" else self._solve(caller, name)
        elif word in {"use", "cancel", "delete"}:
            if not caller.manages:
                raise InvalidRequestError.say(
                    "only those who manage this place can use /rules {word}", word=word
                )
            yield await {"use": self._use, "cancel": self._cancel, "delete": self._delete}[word](
                caller.place, name
            )
        elif word == "diff":
            yield await self._diff(caller.place, others)
        elif word in {"find", "like"}:
            by = self._find if word == "find" else self._like
            yield await by(caller.place, name, {k: str(v) for k, v in line.options.items()})
        elif not line.words:
            entries = await self._rules.list(caller.place)
            yield Reply(entries, views.house_rules_text, views.house_rules_data)
        else:
            named = name if word == "show" else line.words
            rules = await self._rules.resolve(caller.place, named)
            yield Reply(rules, partial(views.shown_text, **await self._how_far(rules)), rules_data)

    async def _how_far(self, rules: Ruleset) -> dict[str, Any]:
        """Whether rules are solved, or are being solved."""
        solved = await at_once(self._rules.is_solved, rules)
        return {"is_solved": solved, "solving": self._rules.solving(rules)}

    async def _diff(self, place: str, words: Sequence[str]) -> Reply:
        """What differs between two rule sets, whose names may be of several words."""
        rules = await self._rules.several(place, words)
        if len(rules) != 2:
            raise InvalidRequestError.say(
                "/rules diff takes two names, as in /rules diff facebook sunday"
            )
        names = rules[0].name, rules[1].name
        text = partial(library.diff_text, *rules, names, library.key_as_typed)
        return Reply(rules, lambda _: text(), lambda both: library.diff_data(*both))

    async def _find(self, place: str, words: str, options: Mapping[str, str]) -> Reply:
        """The rule sets that say some words, or something of options."""
        asked = " ".join([words, *(f"{key} {value}" for key, value in options.items())])
        hits = await at_once(library.find_rules, await self._known(place), asked)
        return Reply(hits, library.found_text, library.found_data)

    async def _known(self, place: str) -> list[Ruleset]:
        """The rules of a place and those of the program."""
        return [entry.rules for entry in await self._rules.list(place) if entry.rules]

    async def _like(self, place: str, name: str, options: Mapping[str, str]) -> Reply:
        """What is most like rules of a name, or like those that options describe."""
        if name and options:
            raise InvalidRequestError.say(
                "/rules like takes a name, as in /rules like kcd, or options, as in"
                " /rules like base:kcd three-pairs:750"
            )
        if options:
            rules = await self._rules.described(place, say("these rules"), options)
        else:
            rules = await self._rules.resolve(place, name or None)
        nearest = await at_once(library.like_rules, rules, await self._known(place))
        return Reply(nearest, library.like_text, library.like_data)

    @asked(
        "/compare RULES",
        say_later("how rule sets play, side by side"),
        fields.word("rules1", say_later("a rule set"), most=40, required=True, completes="rules"),
        *(
            fields.word(f"rules{k}", say_later("another one"), most=40, completes="rules")
            for k in range(2, 6)
        ),
        fields.Field("vary", say_later("values of one option, as in goal=1000..4000:500")),
        fields.Field(
            "careless",
            say_later("cautious or greedy: how a careless player plays"),
            choices=CARELESS,
        ),
        examples=("/compare kcd classic", "/compare kcd vary:goal=1000..4000:500"),
        notes=compare_notes,
        is_question=True,
    )
    async def _compare(self, line: Line, caller: Caller) -> Stream:
        words = list(map(str, line.arguments))
        if not words:
            raise InvalidRequestError.say("/compare takes rule sets, as in /compare kcd classic")
        usual, other = CARELESS
        careless = other if line.choice("careless", {usual: True, other: False}) is False else usual
        named = await self._rules.several(caller.place, words)
        vary = line.option("vary")
        asked = await at_once(variations, named, vary) if vary else as_they_are(named)
        answers = self._rules.compared(caller.asker, asked, careless, compare_chart)
        yield replies(
            answers,
            lambda compared: compare_text(compared.found),
            lambda compared: compare_data(compared.found),
            make_card=lambda compared: pressable(compare_card(compared), NotesPress),
            is_drawn=True,
        )

    async def _new(self, caller: Caller, name: str, options: Mapping[str, Word]) -> Stream:
        if not name:
            yield Reply({"help": views.new_rules_help()}, itemgetter("help"), private=True)
            return
        # the values of these options have a grammar of their own
        values = {key: str(value) for key, value in options.items()}
        rules = await self._rules.create(caller.place, caller.person.id, name, values)
        yield Reply(rules, views.created_text, rules_data)
        yield self._solve(caller, name)

    async def _solve(self, caller: Caller, name: str) -> AsyncIterator[Reply]:
        async with contextlib.aclosing(
            self._rules.solve(caller.place, name, caller.person.id)
        ) as updates:
            async for progress in updates:
                state = progress.state
                yield Reply(
                    progress,
                    views.solve_progress_text,
                    asdict,
                    repeats=state is SolveState.CANCELLED,
                    passes=state is SolveState.RUNNING,
                )

    async def _use(self, place: str, name: str) -> Reply:
        rules = await self._rules.use(place, name)
        return Reply(rules, partial(views.used_text, **await self._how_far(rules)), rules_data)

    async def _cancel(self, place: str, _: str) -> Reply:
        cancelled = await self._rules.cancel(place)
        return Reply(cancelled, views.cancelled_text, lambda name: {"cancelled": name})

    async def _delete(self, place: str, name: str) -> Reply:
        deleted = await self._rules.delete(place, name)
        return Reply(
            deleted, views.deleted_text, lambda rules: {"deleted": rules.name, "rules": rules.now}
        )
