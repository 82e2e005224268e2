"""What is said to the chat and what it says: a command with its words and options, and replies."""

import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from bot.services.games import News
from bot.services.situation import ME_OR_THEM, POSITION_FIELDS, FieldKind, Situation
from bot.services.tables import Caller, Person
from bot.views.layout import safe_text
from solver.errors import FarkleError, InvalidRequestError, did_you_mean
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

logger = logging.getLogger(__name__)

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
_MOST_ERROR = 600

Word = str | int | Person
"""A part of a command: as it was typed, or as what it is where the front knows that."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command says: its subject, and how that is made text or data where it is shown."""

    subject: Any
    make_text: Callable[[Any], str]
    make_data: Callable[[Any], Any] = lambda subject: subject
    private: bool = False
    """Whether it is for the one who gave the command alone."""
    ends: bool = False
    """Whether the chat ends."""

    @property
    def text(self) -> str:
        """For people, in the language that is spoken where this is called."""
        return self.make_text(self.subject)

    @property
    def data(self) -> Any:
        """The same as plain data."""
        return self.make_data(self.subject)


def failure(error: Exception) -> Reply:
    """What the one who gave a command is told where it was refused, or the program failed."""
    if isinstance(error, FarkleError):
        # errors repeat what was typed
        sentence = safe_text(str(error), _MOST_ERROR)
    else:
        logger.debug("failed to answer", exc_info=error)
        sentence = say(
            "the program failed on that, which is not your fault ({error})", error=repr(error)
        )
    return Reply({"error": sentence}, itemgetter("error"), private=True)


@dataclass(frozen=True, slots=True)
class Line:
    """A command taken apart: what is no option, in its order, and the options by name."""

    arguments: tuple[Word, ...]
    options: Mapping[str, Word]

    @property
    def words(self) -> str:
        """The arguments as they are typed."""
        return " ".join(one.name if isinstance(one, Person) else str(one) for one in self.arguments)

    def option(self, name: str) -> str | None:
        """An option as it is typed, None where it is not given."""
        value = self.options.get(name)
        return None if value is None else str(value)

    def number(self, name: str) -> int | None:
        """An option as a whole number, None where it is not given. Raises InvalidRequestError."""
        value = self.options.get(name)
        if value is None:
            return None
        return whole_number(
            value,
            lambda text: say(
                '{option}: takes a whole number, such as {example}, not "{text}"',
                option=name,
                example=f"{name}:{_EXAMPLES.get(name, 350)}",
                text=text,
            ),
        )

    def choice(self, name: str, meanings: dict[str, bool]) -> bool | None:
        """An option that is one of two words, None where it is not given.

        Raises InvalidRequestError.
        """
        text = self.option(name)
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
        read: dict[FieldKind, Callable[[str], int | bool | None]] = {
            FieldKind.NUMBER: self.number,
            FieldKind.YES_NO: partial(self.choice, meanings=YES_OR_NO),
            FieldKind.PLAYER: partial(self.choice, meanings=ME_OR_THEM),
        }
        given: dict[str, Any] = {
            field.attribute: read[field.kind](field.name)
            for field in POSITION_FIELDS
            if field.kind in read and field.name in self.options
        }
        return Situation(**given, rules=rules)


Answer = Callable[[Line, Caller], AsyncIterator[Reply | News]]


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

    @property
    def name(self) -> str:
        """Without its slash."""
        return self.usage.split()[0].removeprefix("/")


def whole_number(word: Word, refusal: Callable[[str], str]) -> int:
    """A whole number, maybe as people write it. Raises InvalidRequestError with the refusal."""
    if isinstance(word, int):
        return word
    plain = str(word).replace("\N{MINUS SIGN}", "-")
    if not _NUMBER.fullmatch(plain) or len(plain) > 20:
        raise InvalidRequestError(refusal(str(word)))
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


def take_apart(command: Command, rest: str) -> Line:
    """The words and options after a command's name. Raises InvalidRequestError."""
    options: dict[str, Word] = {}
    for match in _OPTION.finditer(rest):
        option = match[1].lower().replace("_", "-")
        if option not in command.options and not command.any_option:
            takes = did_you_mean(option, list(command.options)) if command.options else ""
            raise InvalidRequestError(
                say(
                    '/{command} takes no option "{option}"{takes}',
                    command=command.name,
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
    arguments = tuple(_OPTION.sub(" ", rest).split())
    if arguments and not command.takes_words:
        raise InvalidRequestError(
            say(
                '/{command} does not take "{words}"; write {usage}',
                command=command.name,
                words=" ".join(arguments),
                usage=command.usage,
            )
        )
    return Line(arguments, options)
