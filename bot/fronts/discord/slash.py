"""The commands of the chat as Discord's slash commands, with typed options.

What a command does and what its options mean is said where the commands are made; here is only
how Discord asks for them.
"""

import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location
from discord.app_commands import TranslationContextTypes, locale_str

from bot import log
from bot.chat.commands import Command, Line, Word
from bot.chat.fields import Field, Kind, goal, number, word
from bot.fronts.discord.asking import person_of, place_of
from bot.languages import best_language
from bot.layout import safe_text
from bot.services.rule_options import RULE_OPTIONS
from solver.errors import FarkleError
from solver.wording import ENGLISH, Language, Reworded, said_in, say, say_later

logger = logging.getLogger(__name__)

_MOST_DESCRIPTION = 100
_MOST_CHOICE, _MOST_CHOICES = 100, 25
_MOST_OPTIONS = 25

Run = Callable[[discord.Interaction[Any], str, Line, list[discord.abc.User]], Awaitable[None]]
"""Answers an interaction by a command: its name, what goes with it, and the users it names."""
Complete = Callable[[str, str], Awaitable[list[str]]]
"""What may be meant in a place by what is typed so far."""


_NAME = word("name", say_later("the name of the rules"), most=40, required=True, completes="rules")

RULES_COMMANDS: Mapping[str, tuple[str, tuple[Field, ...]]] = {
    "list": (say_later("the rule sets that are known here"), ()),
    "show": (say_later("what a rule set says"), (_NAME,)),
    "new": (
        say_later("house rules of this channel"),
        (
            word("name", say_later("a name for them"), most=40, required=True),
            Field("base", say_later("the rule set to start from"), completes="rules"),
            goal(RULE_OPTIONS["goal"].slash),
            *(
                number(name, option.slash)
                for name, option in RULE_OPTIONS.items()
                if option.slash and name != "goal"
            ),
            Field("more", say_later("other options, such as three-pairs:750 straight-1-6:1500")),
        ),
    ),
    "diff": (
        say_later("what differs between two rule sets"),
        (
            word("one", say_later("a rule set"), most=40, required=True, completes="rules"),
            word("other", say_later("another one"), most=40, required=True, completes="rules"),
        ),
    ),
    "find": (
        say_later("rule sets by what they say"),
        (word("words", say_later("such as three pairs 750"), most=100, required=True),),
    ),
    "like": (say_later("the rule sets that are most like one, and what differs"), (_NAME,)),
    "use": (say_later("play by these rules here"), (_NAME,)),
    "solve": (say_later("solve a rule set, for exact odds"), (_NAME,)),
    "cancel": (say_later("stop the solve that is running here"), ()),
    "delete": (say_later("delete house rules of this channel"), (_NAME,)),
}
"""What can follow /rules: what it is for, and its options."""


def slash_command(
    command: Command, run: Run, complete: Mapping[str, Complete]
) -> app_commands.Command[Any, ..., None]:
    """The slash command of a command of the chat, with its fields as options."""
    name, options = command.name, command.fields
    if len(options) > _MOST_OPTIONS:
        others = Field("more", say_later("other options, such as held-set:222"))
        options = (*(option for option in options if not option.is_rare), others)
    return _made(name, command.summary, options, "", name, run, complete)


def rules_group(run: Run, complete: Mapping[str, Complete]) -> app_commands.Group:
    """/rules with all that can follow it."""
    group = app_commands.Group(
        name="rules",
        description=_described(say_later("rule sets, and house rules of this channel")),
    )
    for name, (summary, options) in RULES_COMMANDS.items():
        first = "" if name == "list" else name
        group.add_command(_made(name, summary, options, first, "rules", run, complete))
    return group


def _made(
    name: str,
    summary: str,
    options: tuple[Field, ...],
    first: str,
    command: str,
    run: Run,
    complete: Mapping[str, Complete],
) -> app_commands.Command[Any, ..., None]:
    async def callback(interaction: discord.Interaction, **values: Any) -> None:
        given = {
            option: values[_python_name(option)]
            for option in options
            if values.get(_python_name(option)) is not None
        }
        if not all(isinstance(value, _kinds(option)) for option, value in given.items()):
            raise app_commands.CommandSignatureMismatch(made)
        users = [value for value in given.values() if isinstance(value, discord.abc.User)]
        last = max((k for k, o in enumerate(options) if o.is_word and o in given), default=-1)
        words: list[Word] = [first] if first else []
        for option in options[: last + 1]:
            if option in given:
                words += _words(given[option]) if option.is_word else []
            elif option.else_me:
                words.append(person_of(interaction.user))
        named = {option.name: _value(v) for option, v in given.items() if not option.is_word}
        await run(interaction, command, Line(tuple(words), named), users)

    callback.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                "interaction",
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                annotation=discord.Interaction,
            ),
            *(
                inspect.Parameter(
                    _python_name(option),
                    inspect.Parameter.KEYWORD_ONLY,
                    annotation=_annotation(option),
                    default=inspect.Parameter.empty if option.required else None,
                )
                for option in options
            ),
        ]
    )
    described = {_python_name(o): _described(o.meaning) for o in options}
    renamed = {_python_name(o): o.name for o in options if _python_name(o) != o.name}
    chosen = {
        _python_name(o): [
            app_commands.Choice(name=locale_str(choice), value=choice) for choice in o.choices
        ]
        for o in options
        if o.choices
    }
    decorated: Any = app_commands.describe(**described)(callback)
    decorated = app_commands.choices(**chosen)(app_commands.rename(**renamed)(decorated))
    made: app_commands.Command[Any, ..., None] = app_commands.Command(
        name=name, description=_described(summary), callback=decorated
    )
    for option in options:
        if option.completes:
            made.autocomplete(_python_name(option))(_completer(complete[option.completes]))
    return made


def _completer(complete: Complete) -> Any:
    async def autocomplete(
        interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        try:
            place = place_of(interaction)
            words = await complete(place, str(current).strip().lower())
        except FarkleError as error:
            logger.info("nothing to suggest: %s", error)
            return []
        except Exception as error:  # who types is shown nothing, and no failure
            log.failed("a suggestion", error)
            return []
        shown = (safe_text(text, _MOST_CHOICE) for text in words[:_MOST_CHOICES])
        return [app_commands.Choice(name=text, value=text) for text in shown if text]

    return autocomplete


def _annotation(option: Field) -> Any:
    """What discord.py reads of an option."""
    match option.kind:
        case Kind.PERSON:
            return discord.User
        case Kind.NUMBER:
            return app_commands.Range[int, option.least, option.most]
        case Kind.TEXT:
            return app_commands.Range[str, option.least, option.most] if option.most else str


def _kinds(option: Field) -> tuple[type, ...]:
    """What a value can be, whatever was sent."""
    return (discord.abc.User,) if option.kind is Kind.PERSON else (str, int)


def _words(value: Word | discord.abc.User) -> list[Word]:
    """What an option adds to the words of a command: text is several, as where it is typed."""
    return [*value.split(" ")] if isinstance(value, str) else [_value(value)]


def _value(value: Word | discord.abc.User) -> Word:
    return person_of(value) if isinstance(value, discord.abc.User) else value


def _python_name(option: Field) -> str:
    return option.name.replace("-", "_")


def _described(meaning: str) -> locale_str:
    """A meaning as Discord takes it; its translations are made from the whole."""
    return locale_str(_short(meaning), meaning=meaning)


def _short(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if len(text) <= _MOST_DESCRIPTION else text[: _MOST_DESCRIPTION - 1] + "…"


class CommandTranslator(app_commands.Translator):
    """Descriptions and choices in the languages of the chat; names are as they are typed."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes
    ) -> str | None:
        """What Discord shows to those whose locale this is, None for English."""
        language = best_language(locale.value)
        if language is ENGLISH:
            return None
        match context.location:
            case Location.command_name if isinstance(context.data, app_commands.ContextMenu):
                return said_in(language, say, string.message)
            case Location.choice_name:
                return said_in(language, say, string.message)
            case Location.command_name | Location.group_name | Location.parameter_name:
                return None
            case _:
                return _short(said_in(language, say, string.extras["meaning"]))


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


class AsAsked(Reworded):
    """A language in whose sentences what goes with a command is named, as /roll dice:6 5 3."""

    def __init__(self, chat: Language, commands: Mapping[str, Sequence[Field]]) -> None:
        """`commands`: what can be given with each, by its name."""
        super().__init__(chat, reword=lambda sentence: _COMMAND.sub(self._named, sentence))
        self._commands = commands

    def _named(self, named: re.Match[str]) -> str:
        """A command with the names of what goes with it, as far as its words are that."""
        group, _, sub = named[1].partition(" ")
        fields = RULES_COMMANDS.get(sub, ("", ()))[1] if sub else self._commands.get(group, ())
        return f"/{named[1]}" + "".join(self._words(named[2], fields))

    def _words(self, typed: str, fields: Sequence[Field]) -> Iterator[str]:
        left, goes_on = list(fields), False
        for said in typed.split():
            field = next((candidate for candidate in left if self._takes(candidate, said)), None)
            if goes_on and _NUMBER.fullmatch(said):  # a die after another
                yield f" {said}"
            elif field:
                left = left[left.index(field) + 1 :]
                goes_on = field.kind is Kind.TEXT and not field.choices
                # what is chosen from a list is called there as it is translated
                yield f" {field.name}:{self._chat.one(said) if field.choices else said}"
            else:  # the sentence goes on
                left, goes_on = [], False
                yield f" {said}"

    def _takes(self, field: Field, word: str) -> bool:
        """Whether a word of a sentence is what a field takes."""
        part = _PART.fullmatch(word)
        if (part and part[1] == field.name) or not field.is_word:
            return part is not None and part[1] == field.name
        if field.choices:
            return word in field.choices
        return part is not None or _EXAMPLES[field.kind].fullmatch(word) is not None
