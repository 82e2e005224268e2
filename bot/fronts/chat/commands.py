"""The commands of the chat, as typed in one line of text: parsed here, answered by the services."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from operator import itemgetter
from typing import Any

from bot.fronts.chat.lines import Command, Line, Reply, failure, take_apart
from bot.services.advisor import Advisor
from bot.services.games import News
from bot.services.house_rules import HouseRules
from bot.services.situation import POSITION_FIELDS, FieldKind, Situation
from bot.services.tables import Caller, Table, Tables
from bot.views.advice import advice_text, answer_data, odds_text
from bot.views.game import NOT_EXACT, news_data, news_text
from bot.views.layout import columns, wrap
from solver.errors import InvalidRequestError
from solver.play.advice import Advice, Odds
from solver.wording import say, say_later

_DICE = re.compile(r"[1-6\u2680-\u2685]")

MOST_CHARACTERS = 1_000

CONTEXT = {
    one.name: one.meaning
    for one in sorted(
        POSITION_FIELDS, key=lambda one: one.kind is FieldKind.RULES
    )  # rules come last
}
"""The options that describe a position."""


class Commands:
    """Every command of the chat by name, without its slash."""

    def __init__(
        self,
        groups: Mapping[str, Sequence[Command]],
        resume: Callable[[Caller], AsyncIterator[News]],
    ) -> None:
        """Commands under the titles of their groups, and what goes on by itself in a place.

        The titles are marked by `say_later`.
        """
        self._resume = resume
        self.groups = {
            **groups,
            say_later("The chat"): [
                Command("/help [COMMAND]", say_later("this list, or more on one"), self._help, {}),
                Command("/quit", say_later("leave"), self._quit, {}, takes_words=False),
            ],
        }
        self.by_name = {one.name: one for group in self.groups.values() for one in group}

    async def answer(self, line: str, caller: Caller) -> AsyncIterator[Reply]:
        """Answer one line; what is wrong with it is a reply too."""
        try:
            name, taken_apart = self._parse(line)
            async for reply in self.run(name, taken_apart, caller):
                yield reply
        except Exception as error:  # the chat goes on, whatever one line did
            yield failure(error)

    async def run(self, name: str, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        """Answer a command that is taken apart already. Raises FarkleError."""
        async for told in self.by_name[name].answer(line, caller):
            yield Reply(told, news_text, news_data) if isinstance(told, News) else told

    async def resume(self, caller: Caller) -> AsyncIterator[Reply]:
        """What goes on by itself in a place."""
        async for news in self._resume(caller):
            yield Reply(news, news_text, news_data)

    def _parse(self, line: str) -> tuple[str, Line]:
        if len(line) > MOST_CHARACTERS:
            raise InvalidRequestError(
                say(
                    "a line has at most {most:,} characters, not {length:,}",
                    most=MOST_CHARACTERS,
                    length=len(line),
                )
            )
        line = "".join(c if c.isprintable() else " " for c in line)
        if _DICE.match(line.strip()):
            line = f"/advise {line}"
        if not line.split():
            raise InvalidRequestError(say("type a command such as /help"))
        first, *others = line.split(maxsplit=1)
        name = first.removeprefix("/").lower()
        if name not in self.by_name:
            raise InvalidRequestError(
                say(
                    'unknown command "{command}"{known}',
                    command=first,
                    known=self._did_you_mean(name),
                )
            )
        return name, take_apart(self.by_name[name], others[0] if others else "")

    def _did_you_mean(self, name: str) -> str:
        """The command that was probably meant, else where to find them."""
        close = get_close_matches(name, self.by_name, n=1)
        if close:
            return say("; did you mean /{command}?", command=close[0])
        return say("; /help lists them")

    async def _help(self, line: Line, _: Caller) -> AsyncIterator[Reply]:
        if line.words:
            name = line.words.removeprefix("/").lower()
            if name not in self.by_name:
                raise InvalidRequestError(
                    say(
                        'there is no command "{command}"{known}',
                        command=line.words,
                        known=self._did_you_mean(name),
                    )
                )
            command = self.by_name[name]
            lines = [f"{command.usage}: {say(command.summary)}"]
            lines += columns((f"{key}:", say(meaning)) for key, meaning in command.options.items())
            if example := _example(name):
                lines.append(say("For example: {example}", example=example))
        else:
            rows = [(one.usage, say(one.summary)) for one in self.by_name.values()]
            more = say("/help COMMAND says more, as in /help advise; dice alone ask for advice")
            lines = [say("Commands:"), *columns(rows), more]
        text = wrap("\n".join(lines))
        yield Reply({"help": text}, itemgetter("help"), private=True)

    async def _quit(self, _: Line, __: Caller) -> AsyncIterator[Reply]:
        yield Reply({"quit": True}, lambda _: say("Bye."), ends=True)


def _example(name: str) -> str | None:
    """A line with a command as it may be typed."""
    return {
        "advise": "/advise 5 5 2 turn:350 me:4200 them:5000 farkles:1",
        "odds": "/odds turn:350 dice:2 me:4200 them:5000",
        "play": "/play @bob bot level:greedy rules:kcd goal:2000",
        "track": say("/track @bob @carl, and then /score 550 or /score farkle"),
        "keep": "/keep 5 3 3 3 bank",
        "score": "/score ann 550",
        "fix": "/fix ann 4200 farkles:1",
        "match": "/match optimal cautious games:5 rules:kcd",
        "rules": "/rules new sunday base:classic goal:5000 three-pairs:750",
    }.get(name)


def advice_commands(advisor: Advisor, rules: HouseRules, tables: Tables) -> list[Command]:
    """The commands that ask for advice on a position: as typed, else that of the game here."""

    async def answer(
        line: Line,
        caller: Caller,
        ask_here: Callable[[Table], Advice | Odds],
        ask: Callable[[Situation], Advice | Odds],
        make_text: Callable[[Any], str],
    ) -> AsyncIterator[Reply]:
        here = await tables.asked_at(caller)
        if here and not line.options:
            found = await asyncio.to_thread(ask_here, here)
            text = partial(_for_mover, here, caller, make_text)
            yield Reply(found, text, answer_data, private=True)
            return
        # under the rules that are meant: named, of the game here, of the place
        named = line.option("rules")
        if named is None and here is not None:
            asked = line.situation(here.game.rules)
        else:
            asked = line.situation(await rules.resolve(caller.place, named))
        yield Reply(await asyncio.to_thread(ask, asked), make_text, answer_data)

    def advise(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        def here(table: Table) -> Advice:
            return advisor.advise_in(table.game, line.words, table.names[table.game.mover])

        return answer(line, caller, here, partial(advisor.advise, line.words), advice_text)

    def odds(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        def ask(situation: Situation) -> Odds:
            return advisor.odds(line.number("dice"), situation)

        return answer(line, caller, lambda here: advisor.odds_in(here.game), ask, odds_text)

    dice = {"dice": say_later("dice to roll"), **CONTEXT}
    return [
        Command("/advise DICE", say_later("what to keep of a roll"), advise, CONTEXT),
        Command("/odds dice:N", say_later("roll on or bank, before a roll"), odds, dice, False),
    ]


def _for_mover(
    table: Table, caller: Caller, make_text: Callable[[Any], str], found: Advice | Odds
) -> str:
    """An answer that says "you" to the player to move, whoever asked."""
    text = make_text(found)
    if table.seat_of(caller.person) != table.game.mover:
        head = say("As {name} sees it:", name=table.names[table.game.mover])
        text = f"{head}\n{text}"
    return text if len(table.game.seats) == 2 else f"{text}\n{say(NOT_EXACT)}"
