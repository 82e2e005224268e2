"""The commands of the chat, as typed in one line of text: parsed here, answered by the services."""

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.services.advisor import DEFAULT_RULES, Advisor, Situation
from bot.views.data import answer_data, rules_data, rules_list_data
from bot.views.rules_text import rules_text
from bot.views.text import advice_text, columns, odds_text, rules_list_text
from solver.errors import FarkleError, InvalidRequestError, did_you_mean
from solver.rules_file import load_rules

logger = logging.getLogger(__name__)

_OPTION = re.compile(r"([A-Za-z][A-Za-z_-]*)\s*[:=]\s*(\S*)")
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}([,.']\d{3})+)")
_DICE = re.compile(r"[1-6\u2680-\u2685]")
_EXAMPLES = {"dice": 2, "farkles": 1, "their-farkles": 1, "hot-dice": 1}
_YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_ME_OR_THEM = {"me": True, "them": False}

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


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command says: text for people, the same as plain data, and whether the chat ends."""

    text: str
    data: Any
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A command line taken apart: the words that are no option, and the options by name."""

    words: str
    options: dict[str, str]

    def number(self, name: str) -> int | None:
        """An option as a whole number, None where it is not given. Raises InvalidRequestError."""
        text = self.options.get(name)
        if text is None:
            return None
        plain = text.replace("\N{MINUS SIGN}", "-")
        if not _NUMBER.fullmatch(plain) or len(plain) > 20:
            example = f"{name}:{_EXAMPLES.get(name, 350)}"
            raise InvalidRequestError(
                f'{name}: takes a whole number, such as {example}, not "{text}"'
            )
        return int(re.sub("[,.']", "", plain))

    def choice(self, name: str, meanings: dict[str, bool]) -> bool | None:
        """An option that is one of two words, None where it is not given.

        Raises InvalidRequestError.
        """
        text = self.options.get(name)
        if text is None:
            return None
        if text.lower() not in meanings:
            first, second = next(iter(meanings)), next(w for w, yes in meanings.items() if not yes)
            raise InvalidRequestError(f'{name}: takes {first} or {second}, not "{text}"')
        return meanings[text.lower()]

    def situation(self) -> Situation:
        """The position that the context options describe. Raises InvalidRequestError."""
        return Situation(
            banked=self.number("me") or 0,
            opponent=self.number("them") or 0,
            turn_total=self.number("turn") or 0,
            farkles=self.number("farkles") or 0,
            opponent_farkles=self.number("their-farkles") or 0,
            hot_dice=self.number("hot-dice"),
            on_board=self.choice("on-board", _YES_OR_NO),
            opponent_on_board=self.choice("their-on-board", _YES_OR_NO),
            began=self.choice("began", _ME_OR_THEM),
            rules=self.options.get("rules", DEFAULT_RULES),
        )


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, the options it takes, and what answers it."""

    usage: str
    summary: str
    options: dict[str, str]
    takes_words: bool
    answer: Callable[[Line], Reply]


class Commands:
    """Every command of the chat by name, without its slash."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor = advisor
        self.by_name = {
            "advise": Command(
                "/advise DICE",
                "what to keep of a roll; /advise may be left out",
                CONTEXT,
                True,
                self._advise,
            ),
            "odds": Command(
                "/odds dice:N",
                "roll on or bank, before a roll",
                {"dice": "dice to roll", **CONTEXT},
                False,
                self._odds,
            ),
            "rules": Command(
                "/rules [NAME]", "the rule sets, or one of them in full", {}, True, self._rules
            ),
            "help": Command("/help", "this list", {}, True, self._help),
            "quit": Command("/quit", "leave", {}, False, self._quit),
        }

    async def answer(self, line: str) -> Reply:
        """Answer one line; what is wrong with it is a reply too."""
        try:
            command, parsed = self._parse(line)
            return await asyncio.to_thread(command.answer, parsed)
        except FarkleError as error:
            return Reply(str(error), {"error": str(error)})
        except Exception as error:  # the chat goes on, whatever one line did
            logger.debug("failed to answer %r", line, exc_info=True)
            sentence = f"the program failed on that line, which is not your fault ({error!r})"
            return Reply(sentence, {"error": sentence})

    def _parse(self, line: str) -> tuple[Command, Line]:
        if _DICE.match(line.strip()):
            line = f"/advise {line}"
        first, *others = line.split(maxsplit=1)
        rest = others[0] if others else ""
        name = first.removeprefix("/").lower()
        if name not in self.by_name:
            known = [f"/{known}" for known in self.by_name]
            raise InvalidRequestError(f'unknown command "{first}"{did_you_mean("/" + name, known)}')
        command = self.by_name[name]
        options: dict[str, str] = {}
        for match in _OPTION.finditer(rest):
            option = match[1].lower().replace("_", "-")
            if option not in command.options:
                takes = did_you_mean(option, list(command.options)) if command.options else ""
                raise InvalidRequestError(f'/{name} takes no option "{match[1]}"{takes}')
            if option in options:
                raise InvalidRequestError(f'the option "{option}" is given twice')
            if not match[2]:
                raise InvalidRequestError(f'the option "{option}:" needs a value after it')
            options[option] = match[2]
        words = _OPTION.sub(" ", rest).strip()
        if words and not command.takes_words:
            raise InvalidRequestError(f'/{name} does not take "{words}"; write {command.usage}')
        return command, Line(words, options)

    def _advise(self, line: Line) -> Reply:
        advice = self._advisor.advise(line.words, line.situation())
        return Reply(advice_text(advice), answer_data(advice))

    def _odds(self, line: Line) -> Reply:
        odds = self._advisor.odds(line.number("dice"), line.situation())
        return Reply(odds_text(odds), answer_data(odds))

    def _rules(self, line: Line) -> Reply:
        if line.words:
            rules = load_rules(line.words)
            return Reply(rules_text(rules), rules_data(rules))
        known = self._advisor.known_rules()
        return Reply(rules_list_text(known), rules_list_data(known))

    def _help(self, _: Line) -> Reply:
        commands = columns((command.usage, command.summary) for command in self.by_name.values())
        options = columns(
            [("dice:", "dice to roll, for /odds")]
            + [(f"{name}:", meaning) for name, meaning in CONTEXT.items()]
        )
        text = "\n".join(
            [
                "Commands:",
                *commands,
                "Options for /advise and /odds; left out: 0, what follows from that, or you:",
                *options,
                "For example: /advise 5 5 2 turn:350 me:4200 them:5000 farkles:1",
            ]
        )
        return Reply(text, {"help": text})

    def _quit(self, _: Line) -> Reply:
        return Reply("Bye.", {"quit": True}, ends=True)
