"""A line of the chat, taken apart: a command, its words and its options."""

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.review.chart import GameChart
from bot.review.review import Review
from bot.services.games import News
from bot.services.questions import Hint
from bot.services.situation import ME_OR_THEM, POSITION_FIELDS, Kind, Situation
from bot.services.tables import Caller
from bot.table.fair_dice import Proof
from solver.errors import FarkleError, InvalidRequestError, did_you_mean
from solver.play.advice import Advice, Odds
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

_OPTION = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)\s*[:=]\s*(\S*)")
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}([,.']\d{3})+)")
_EXAMPLES = {"dice": 2, "farkles": 1, "their-farkles": 1, "hot-dice": 1, "games": 5, "away": 60}
YES_OR_NO = {
    say_later("yes"): True,
    "true": True,
    "1": True,
    say_later("no"): False,
    "false": False,
    "0": False,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command says: text for people, and the same as plain data."""

    text: str
    data: Any
    private: bool = False
    """Whether it is for the one who gave the command alone."""
    ends: bool = False
    """Whether the chat ends."""
    error: FarkleError | None = None
    """What was refused."""
    subject: News | Hint | Advice | Odds | Review | Proof | None = None
    """What it tells, for fronts that show that in a way of their own."""
    chart: GameChart | None = None
    """Of a whole game, to be shown below the text as the front can: in letters or as a picture."""


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
        example = f"{name}:{_EXAMPLES.get(name, 350)}"
        return whole_number(
            text,
            say(
                '{option}: takes a whole number, such as {example}, not "{text}"',
                option=name,
                example=example,
                text=text,
            ),
        )

    def choice(self, name: str, meanings: dict[str, bool]) -> bool | None:
        """An option that is one of two words, None where it is not given.

        Raises InvalidRequestError.
        """
        text = self.options.get(name)
        if text is None:
            return None
        known = {say(word): meaning for word, meaning in meanings.items()} | meanings
        if text.lower() not in known:
            first, second = next(iter(meanings)), next(w for w, yes in meanings.items() if not yes)
            raise InvalidRequestError(neither_word(name, first, second, text))
        return known[text.lower()]

    def situation(self, rules: Ruleset) -> Situation:
        """The position that the context options describe.

        Raises InvalidRequestError.
        """
        read: dict[Kind, Callable[[str], int | bool | None]] = {
            Kind.NUMBER: self.number,
            Kind.YES_NO: partial(self.choice, meanings=YES_OR_NO),
            Kind.PLAYER: partial(self.choice, meanings=ME_OR_THEM),
        }
        given: dict[str, Any] = {
            field.attribute: read[field.kind](field.name)
            for field in POSITION_FIELDS
            if field.kind in read and field.name in self.options
        }
        return Situation(**given, rules=rules)


Answer = Callable[[Line, Caller], AsyncIterator[Reply]]


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, the options it takes, and what answers it."""

    usage: str
    summary: str
    """Marked by `say_later`, as are the meanings of the options."""
    answer: Answer
    options: dict[str, str]
    takes_words: bool = True
    any_option: bool = False
    """Whether it looks at the names of options itself."""


def whole_number(text: str, refusal: str) -> int:
    """A whole number as people write it. Raises InvalidRequestError, which says `refusal`."""
    plain = text.replace("\N{MINUS SIGN}", "-")
    if not _NUMBER.fullmatch(plain) or len(plain) > 20:
        raise InvalidRequestError(refusal)
    return int(re.sub("[,.']", "", plain))


def neither_word(option: str, first: str, second: str, text: str) -> str:
    """That an option takes one of two words and has another."""
    return say(
        '{option}: takes {first} or {second}, not "{text}"',
        option=option,
        first=first,
        second=second,
        text=text,
    )


def take_apart(name: str, command: Command, rest: str) -> Line:
    """The words and options after a command's name. Raises InvalidRequestError."""
    options: dict[str, str] = {}
    for match in _OPTION.finditer(rest):
        option = match[1].lower().replace("_", "-")
        if option not in command.options and not command.any_option:
            takes = did_you_mean(option, list(command.options)) if command.options else ""
            raise InvalidRequestError(
                say(
                    '/{command} takes no option "{option}"{takes}',
                    command=name,
                    option=match[1],
                    takes=takes,
                )
            )
        if option in options:
            raise InvalidRequestError(say('the option "{option}" is given twice', option=option))
        if not match[2]:
            raise InvalidRequestError(
                say('the option "{option}:" needs a value after it', option=option)
            )
        options[option] = match[2]
    words = " ".join(_OPTION.sub(" ", rest).split())
    if words and not command.takes_words:
        raise InvalidRequestError(
            say(
                '/{command} does not take "{words}"; write {usage}',
                command=name,
                words=words,
                usage=command.usage,
            )
        )
    return Line(words, options)
