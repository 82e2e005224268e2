"""Sentences for people, in the language of the one who reads them.

A sentence is written in English, with named parts in braces: `say("{name} banks {points:,}.",
name="ann", points=1050)`. The English is also the key of its translations; `make messages` collects
the sentences from the code. What is spoken belongs to the task or thread of whoever is answered.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, copy_context
from functools import cache, lru_cache
from numbers import Real
from string import Formatter
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Language:
    """English: sentences as they stand in the code."""

    code = "en"
    """The tag of the language, as in RFC 5646."""
    name = "English"
    separators: Mapping[int, str] = {}
    """What "," and "." in a number become, as `str.translate` takes it."""

    def one(self, message: str) -> str:
        """The translation of a sentence."""
        return message

    def counted(self, single: str, many: str, number: int) -> str:
        """The translation of a sentence for a number of things."""
        return single if number == 1 else many


class Reworded(Language):
    """A language that says some sentences in another way, as people read them elsewhere."""

    def __init__(
        self,
        chat: Language,
        instead: Mapping[str, str] | None = None,
        reword: Callable[[str], str] = str,
    ) -> None:
        """A language like `chat`.

        instead : what is translated in place of some sentences, or of the singular of some
        reword : changes a sentence that is translated
        """
        self._chat, self._instead = chat, instead or {}
        self.code, self.name, self.separators = chat.code, chat.name, chat.separators
        self._reworded = lru_cache(maxsize=4096)(reword)

    def one(self, message: str) -> str:
        """The translation of a sentence."""
        return self._reworded(self._chat.one(self._instead.get(message, message)))

    def counted(self, single: str, many: str, number: int) -> str:
        """The translation of a sentence for a number of things."""
        if single in self._instead:
            return self.one(single)
        return self._reworded(self._chat.counted(single, many, number))


ENGLISH = Language()
_spoken: ContextVar[Language] = ContextVar("spoken", default=ENGLISH)


def speak(language: Language) -> None:
    """Say everything in this language from here on, in this task or thread."""
    _spoken.set(language)


def spoken() -> Language:
    """The language that is spoken."""
    return _spoken.get()


def said_in(language: Language, make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function makes while it speaks another language."""
    context = copy_context()
    context.run(speak, language)
    return context.run(make, *args, **kwargs)


def say(message: str, /, **parts: Any) -> str:
    """The sentence in the language that is spoken, with its parts."""
    return _formatted(spoken().one(message), parts)


_BY_NUMBER = re.compile(r"\[([^][|]*)\|([^][|]*)\]")
"""What differs with a number: as of one thing, and as of none or several."""


@cache
def by_number(message: str) -> tuple[str, str]:
    """A sentence such as "{number} [die|dice]" as of one thing, and as of several."""
    return _BY_NUMBER.sub(r"\1", message), _BY_NUMBER.sub(r"\2", message)


def say_number(message: str, number: int, /, **parts: Any) -> str:
    """The sentence for a number of things, which it has as its part `number`.

    What differs with the number stands in brackets, as in "{number} [die|dice] to roll".
    """
    single, many = by_number(message)
    message = spoken().one(single) if single == many else spoken().counted(single, many, number)
    return _formatted(message, {"number": number, **parts})


def say_later(message: str, /) -> str:
    """Mark a sentence for `make messages` that is said by its name later, as constants are."""
    return message


def and_text(names: Sequence[str]) -> str:
    """Names, of which there is one at least, with "and" before the last."""
    *others, last = names
    return say("{others} and {last}", others=", ".join(others), last=last) if others else last


def figure(number: float, form: str = ",") -> str:
    """A number by itself, as the language writes it; `form` as in format()."""
    return format(number, form).translate(spoken().separators)


def short(text: str, most: int = 60) -> str:
    """One line of at most `most` characters."""
    line = "".join(character if character.isprintable() else "?" for character in text)
    return line if len(line) <= most else line[: most - 1] + "…"


def _formatted(message: str, parts: Mapping[str, Any]) -> str:
    if spoken().separators:
        said = _FORMATTER.vformat(message, (), parts)
    else:
        said = message.format_map(parts)  # in C, as no number is written in another way
    return said.replace("….", "…")  # a name that is cut ends the sentence as it is


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Real):
            return figure(value, format_spec)  # type: ignore[arg-type]
        return format(value, format_spec)


_FORMATTER = _Formatter()
