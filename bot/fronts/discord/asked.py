"""Sentences of the chat as Discord has commands: their words have names there, too."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.chat.fields import Field, Kind
from bot.fronts.discord.slash import RULES_COMMANDS
from solver.wording import Language

_WORD = r" (?!/[a-z])(?:/?\{[^}]*\}|[^\s,.;:(){}]+)(?=[\s,.;:)]|$)"
_COMMAND = re.compile(rf"(?<![\w/])/(rules [a-z]+|[a-z-]+)((?:{_WORD})+)")
"""A command in a sentence, with words after it that have no colon."""
_PART = re.compile(r"[@/]?\{(\w+)[^}]*\}")
"""What stands for something in a sentence, such as a name or points."""
_NUMBER = re.compile(r"[0-9]+")
_EXAMPLES = {
    Kind.PERSON: re.compile(r"@\w+|NAME|ann|bob|carl"),
    Kind.NUMBER: re.compile(r"[0-9]+|[A-ZÄÖÜ]{2,}"),
    Kind.TEXT: re.compile(r"[0-9]+|[A-ZÄÖÜ]{2,}|no"),
}
"""What examples have for each kind of field."""


class AsAsked(Language):
    """A language in whose sentences what goes with a command is named, as /roll dice:6 5 3."""

    def __init__(self, chat: Language, commands: Mapping[str, Sequence[Field]]) -> None:
        """`commands`: what can be given with each, by its name."""
        self._chat, self._commands = chat, commands
        self.code, self.name, self.separators = chat.code, chat.name, chat.separators
        self._known: dict[str, str] = {}

    def one(self, message: str) -> str:
        """The translation of a sentence."""
        return self._asked(self._chat.one(message))

    def counted(self, one: str, many: str, number: int) -> str:
        """The translation of a sentence for a number of things."""
        return self._asked(self._chat.counted(one, many, number))

    def _asked(self, sentence: str) -> str:
        if "/" not in sentence:
            return sentence
        if sentence not in self._known:
            self._known[sentence] = _COMMAND.sub(self._named, sentence)
        return self._known[sentence]

    def _named(self, found: re.Match[str]) -> str:
        """A command with the names of what goes with it, as far as its words are that."""
        group, _, sub = found[1].partition(" ")
        fields = RULES_COMMANDS.get(sub, ("", ()))[1] if sub else self._commands.get(group, ())
        return f"/{found[1]}" + "".join(self._words(found[2], fields))

    def _words(self, typed: str, fields: Sequence[Field]) -> Iterator[str]:
        left, goes_on = list(fields), False
        for word in typed.split():
            field = next((one for one in left if self._takes(one, word)), None)
            if goes_on and _NUMBER.fullmatch(word):  # a die after another
                yield f" {word}"
            elif field:
                left = left[left.index(field) + 1 :]
                goes_on = field.kind is Kind.TEXT and not field.choices
                # what is chosen from a list is called there as it is translated
                yield f" {field.name}:{self._chat.one(word) if field.choices else word}"
            else:  # the sentence goes on
                left, goes_on = [], False
                yield f" {word}"

    def _takes(self, field: Field, word: str) -> bool:
        """Whether a word of a sentence is what a field takes."""
        part = _PART.fullmatch(word)
        if (part and part[1] == field.name) or not field.is_word:
            return part is not None and part[1] == field.name
        if field.choices:
            return word in field.choices
        return part is not None or _EXAMPLES[field.kind].fullmatch(word) is not None
