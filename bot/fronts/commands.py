"""The commands of the chat, as typed in one line of text: parsed here, answered by the services."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from difflib import get_close_matches

from bot.fronts.lines import Command, Line, Reply, take_apart
from bot.services.advisor import DEFAULT_RULES, Advisor, Situation
from bot.services.house_rules import HouseRules
from bot.services.questions import Questions
from bot.services.tables import Caller, Table
from bot.views.data import answer_data
from bot.views.game import NOT_EXACT
from bot.views.safe_text import safe_text
from bot.views.text import advice_text, columns, odds_text, wrap
from solver.errors import FarkleError, InvalidRequestError

logger = logging.getLogger(__name__)

_DICE = re.compile(r"[1-6\u2680-\u2685]")

MOST_CHARACTERS = 1_000
_MOST_ERROR = 600

_EXAMPLES = {
    "advise": "/advise 5 5 2 turn:350 me:4200 them:5000 farkles:1",
    "odds": "/odds turn:350 dice:2 me:4200 them:5000",
    "play": "/play @bob bot level:greedy rules:kcd goal:2000",
    "track": "/track @bob @carl, and then /score 550 or /score farkle",
    "keep": "/keep 5 3 3 3 bank",
    "score": "/score ann 550",
    "fix": "/fix ann 4200 farkles:1",
    "match": "/match optimal cautious games:5 rules:kcd",
    "rules": "/rules new sunday base:classic goal:5000 three-pairs:750",
}

CONTEXT = {
    "turn": "points set aside in this turn so far",
    "me": "your score",
    "them": "the opponent's score",
    "farkles": "your farkles in a row before this turn",
    "their-farkles": "the opponent's farkles in a row",
    "hot-dice": "hot dice so far in this turn, where their bonus changes",
    "on-board": "yes or no: whether you have banked before",
    "their-on-board": "yes or no: whether the opponent has",
    "began": "me or them: who began, or begins a play-off",
    "rules": f"a rule set, {DEFAULT_RULES} unless you say another",
}
"""The options that describe a position."""


class Commands:
    """Every command of the chat by name, without its slash."""

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, Command]],
        resume: Callable[[Caller], AsyncIterator[Reply]],
    ) -> None:
        """Commands under the titles of their groups, and what goes on by itself in a place."""
        self.resume = resume
        self.groups = {
            **groups,
            "The chat": {
                "help": Command("/help [COMMAND]", "this list, or more on one", self._help, {}),
                "quit": Command("/quit", "leave", self._quit, {}, takes_words=False),
            },
        }
        self.by_name = {
            name: command for group in self.groups.values() for name, command in group.items()
        }

    async def answer(self, line: str, caller: Caller) -> AsyncIterator[Reply]:
        """Answer one line; what is wrong with it is a reply too."""
        async for reply in self._answered(lambda: self._parse(line), caller):
            yield reply

    async def run(
        self, name: str, words: str, options: Mapping[str, str], caller: Caller
    ) -> AsyncIterator[Reply]:
        """Answer a command that is taken apart already, as `answer` does."""
        line = Line(words, dict(options))
        async for reply in self._answered(lambda: (self.by_name[name], line), caller):
            yield reply

    async def _answered(
        self, parse: Callable[[], tuple[Command, Line]], caller: Caller
    ) -> AsyncIterator[Reply]:
        try:
            command, line = parse()
            async for reply in command.answer(line, caller):
                yield reply
        except FarkleError as error:
            # errors repeat what was typed
            sentence = safe_text(str(error), _MOST_ERROR)
            yield Reply(sentence, {"error": sentence}, private=True, error=error)
        except Exception as error:  # the chat goes on, whatever one line did
            logger.debug("failed to answer", exc_info=True)
            sentence = f"the program failed on that, which is not your fault ({error!r})"
            yield Reply(sentence, {"error": sentence}, private=True)

    def _parse(self, line: str) -> tuple[Command, Line]:
        if len(line) > MOST_CHARACTERS:
            raise InvalidRequestError(
                f"a line has at most {MOST_CHARACTERS:,} characters, not {len(line):,}"
            )
        line = "".join(c if c.isprintable() else " " for c in line)
        if _DICE.match(line.strip()):
            line = f"/advise {line}"
        if not line.split():
            raise InvalidRequestError("type a command such as /help")
        first, *others = line.split(maxsplit=1)
        name = first.removeprefix("/").lower()
        if name not in self.by_name:
            raise InvalidRequestError(f'unknown command "{first}"{self._did_you_mean(name)}')
        command = self.by_name[name]
        return command, take_apart(name, command, others[0] if others else "")

    def _did_you_mean(self, name: str) -> str:
        """The command that was probably meant, else where to find them."""
        close = get_close_matches(name, self.by_name, n=1)
        return f"; did you mean /{close[0]}?" if close else "; /help lists them"

    async def _help(self, line: Line, _: Caller) -> AsyncIterator[Reply]:
        if line.words:
            name = line.words.removeprefix("/").lower()
            if name not in self.by_name:
                raise InvalidRequestError(
                    f'there is no command "{line.words}"{self._did_you_mean(name)}'
                )
            command = self.by_name[name]
            lines = [f"{command.usage}: {command.summary}"]
            lines += columns((f"{name}:", meaning) for name, meaning in command.options.items())
            lines += [f"For example: {example}" for example in [_EXAMPLES.get(name)] if example]
        else:
            rows = [(one.usage, one.summary) for one in self.by_name.values()]
            lines = ["Commands:", *columns(rows), "/help COMMAND says more, as in /help advise"]
        text = wrap("\n".join(lines))
        yield Reply(text, {"help": text}, private=True)

    async def _quit(self, _: Line, __: Caller) -> AsyncIterator[Reply]:
        yield Reply("Bye.", {"quit": True}, ends=True)


def advice_commands(
    advisor: Advisor, rules: HouseRules, questions: Questions
) -> dict[str, Command]:
    """The commands that ask for advice on a position: as typed, else that of the game here."""

    async def situation(line: Line, caller: Caller, here: Table | None) -> Situation:
        """What is typed, under the rules that are meant: named, of the game here, of the place."""
        named = line.options.get("rules")
        if named is None and here is not None:
            return line.situation(here.game.rules)
        return line.situation(await rules.resolve(caller.place, named))

    async def advise(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        here = await questions.asked_at(caller)
        if here and not line.options:
            found = await questions.advice(here, line.words)
            text = _for_mover(here, caller, advice_text(found))
            yield Reply(text, answer_data(found), private=True, subject=found)
            return
        asked = await situation(line, caller, here)
        advice = await asyncio.to_thread(advisor.advise, line.words, asked)
        yield Reply(advice_text(advice), answer_data(advice), subject=advice)

    async def odds(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        here = await questions.asked_at(caller)
        if here and not line.options:
            found = await questions.odds(here)
            text = _for_mover(here, caller, odds_text(found))
            yield Reply(text, answer_data(found), private=True, subject=found)
            return
        asked = await situation(line, caller, here)
        answer = await asyncio.to_thread(advisor.odds, line.number("dice"), asked)
        yield Reply(odds_text(answer), answer_data(answer), subject=answer)

    return {
        "advise": Command(
            "/advise DICE", "what to keep of a roll; /advise may be left out", advise, CONTEXT
        ),
        "odds": Command(
            "/odds dice:N",
            "roll on or bank, before a roll",
            odds,
            {"dice": "dice to roll", **CONTEXT},
            takes_words=False,
        ),
    }


def _for_mover(table: Table, caller: Caller, text: str) -> str:
    """An answer that says "you" to the player to move, whoever asked."""
    if table.seat_of(caller.person) != table.game.mover:
        text = f"As {table.names[table.game.mover]} sees it:\n{text}"
    return text if len(table.game.seats) == 2 else f"{text}\n{NOT_EXACT}"
