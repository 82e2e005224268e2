"""The commands of the chat as Discord's slash commands, with typed options.

What a command does and what its options mean is said where the commands are made; here is only
how Discord asks for them.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location
from discord.app_commands import TranslationContextTypes, locale_str

from bot import log
from bot.chat.bringing import DRAFTS
from bot.chat.commands import Command, Line, Word
from bot.chat.tournaments import WHAT
from bot.fronts.discord.asking import person_of, place_of
from bot.languages import best_language, language_codes
from bot.services.place_settings import AUTO, OFF
from bot.services.rule_options import MOST_GOAL, RULE_OPTIONS
from bot.services.situation import ME_OR_THEM, POSITION_FIELDS, FieldKind, PositionField
from bot.table.commands import MOST_PLAYERS, MOST_SEED
from bot.table.tournament import Form
from bot.views.layout import safe_text
from solver.errors import FarkleError
from solver.play.compare import CARELESS
from solver.play.daily import MOST as MOST_CHOICES
from solver.play.policies import LEVELS
from solver.turn.powers import MAX_USES
from solver.wording import ENGLISH, said_in, say, say_later

logger = logging.getLogger(__name__)

_MOST_WORDS = 300
_MOST_DESCRIPTION = 100
_MOST_CHOICE, _MOST_CHOICES = 100, 25
_MOST_POINTS = 100_000

Run = Callable[[discord.Interaction[Any], str, Line, list[discord.abc.User]], Awaitable[None]]
"""Answers an interaction by a command: its name, what goes with it, and the users it names."""
Complete = Callable[[str, str], Awaitable[list[str]]]
"""What may be meant in a place by what is typed so far."""


@dataclass(frozen=True, slots=True)
class SlashOption:
    """An option of a slash command."""

    name: str
    type: Any = str
    meaning: str = ""
    """If not given, what the command itself says of its option."""
    required: bool = False
    choices: tuple[str, ...] = ()
    completes: str = ""
    """What to suggest: "rules", "game" or "command"."""
    else_me: bool = False
    """Whether it is the one who asks where it is left out and a later word is given."""
    is_word: bool = False
    """Whether the value is one of the words of the command and not a named option."""

    @property
    def kinds(self) -> Any:
        """What a value can be, whatever was sent, as isinstance takes it."""
        return (discord.abc.User,) if self.type is discord.User else (str, int)


def number(name: str, least: int = 0, most: int = _MOST_POINTS, **more: Any) -> SlashOption:
    """A whole number."""
    return SlashOption(name, app_commands.Range[int, least, most], **more)


def word(name: str, meaning: str, *, most: int = _MOST_WORDS, **more: Any) -> SlashOption:
    """A word of the command."""
    return SlashOption(name, app_commands.Range[str, 1, most], meaning, is_word=True, **more)


def person(name: str, meaning: str, **more: Any) -> SlashOption:
    """A user as a word of the command."""
    return SlashOption(name, discord.User, meaning, is_word=True, **more)


def _position_option(field: PositionField) -> SlashOption:
    """The option by which a field of a position is given."""
    match field.kind:
        case FieldKind.NUMBER:
            return number(field.name, field.least, field.most)
        case FieldKind.SCORES:
            return SlashOption(field.name)
        case FieldKind.YES_NO:
            return SlashOption(field.name, choices=_YES_NO)
        case FieldKind.PLAYER:
            return SlashOption(field.name, choices=tuple(ME_OR_THEM))
        case FieldKind.RULES:
            return _RULES


_YES_NO = (say_later("yes"), say_later("no"))
_LEVELS = tuple(LEVELS)
_GAME = SlashOption("game", completes="game")
_RULES = SlashOption("rules", completes="rules")
_DICE = word("dice", say_later("the faces, such as 6 5 3 3 3 2 or 653332"), most=60, required=True)
_CONTEXT = (
    *(_position_option(field) for field in POSITION_FIELDS),
    number("goal", 1, MOST_GOAL),
)
_OTHERS = tuple(person(f"player{k}", say_later("a player")) for k in range(2, MOST_PLAYERS + 1))
_SETS = (
    SlashOption("my-dice"),
    SlashOption("their-dice"),
    SlashOption("my-badge"),
    SlashOption("their-badge"),
    SlashOption("joker-alone", choices=_YES_NO),
)
_NEW = (
    _RULES,
    number("goal", 1, MOST_GOAL),
    SlashOption("hints", choices=_YES_NO),
    number("away", 10, 7 * 24 * 3600),
)
_LEVEL = SlashOption("level", choices=_LEVELS)
_WHERE = SlashOption("where", choices=(say_later("here"), say_later("everywhere")))
_POLICY_MEANING = say_later("a way to play, such as optimal, max-points or greedy")
_IN_PLACE = say_later("which player; the one to move if left out")
_LEAVES = say_later("which player leaves; you if left out")
_NAME = word("name", say_later("the name of the rules"), most=40, required=True, completes="rules")

OPTIONS: Mapping[str, tuple[SlashOption, ...]] = {
    "advise": (_DICE, *_CONTEXT, *_SETS),
    "odds": (SlashOption("dice"), *_CONTEXT, *_SETS),
    "position": (
        word("id", say_later("the position ID shown under the advice"), most=60, required=True),
    ),
    "kcd": (
        word("list", say_later("a list to show"), choices=(say_later("dice"), say_later("badges"))),
        *_SETS,
        number("goal", 1, MOST_GOAL),
        SlashOption("own"),
        SlashOption("buy"),
        SlashOption("began", choices=tuple(ME_OR_THEM)),
        _RULES,
    ),
    "points": (
        number("cost"),
        SlashOption("on-board", choices=_YES_NO),
        number("me", -_MOST_POINTS),
        number("hot-dice", 0, 100),
        _RULES,
    ),
    "komi": (_RULES,),
    "explain": (SlashOption("dice"), *_CONTEXT, *_SETS),
    "explore": (SlashOption("dice"), *_CONTEXT, *_SETS),
    "memo": (number("unit", 1), _RULES),
    "play": (
        _OTHERS[0],
        _LEVEL,
        *_NEW,
        *_SETS,
        SlashOption("draft", choices=DRAFTS),
        *_OTHERS[1:],
    ),
    "track": (_OTHERS[0], SlashOption("me", choices=_YES_NO), *_NEW, *_SETS, *_OTHERS[1:]),
    "join": (_LEVEL, _SETS[0], _SETS[2], _GAME),
    "pick": (word("die", say_later("its name, such as lucky"), required=True), _GAME),
    "seed": (word("text", say_later("any text"), most=MOST_SEED, required=True), _GAME),
    "roll": (word("dice", say_later("the dice you rolled, if they are real"), most=60), _GAME),
    "keep": (
        _DICE,
        word("then", say_later("what to do then"), choices=(say_later("roll"), say_later("bank"))),
        _GAME,
    ),
    "bank": (_GAME,),
    "use": (word("dice", say_later("dice of the roll; or no"), most=60), _GAME),
    "undo": (_GAME,),
    "score": (
        person("who", say_later("whose turn it was; only needed if it was not yours")),
        number("points", meaning=say_later("points of the turn"), is_word=True),
        word(
            "ending",
            say_later("if it ended without a bank"),
            choices=(say_later("farkle"), say_later("lose"), say_later("win")),
        ),
        _GAME,
    ),
    "fix": (
        person("who", say_later("whose score; yours if left out"), else_me=True),
        number("score", -_MOST_POINTS, meaning=say_later("the right number"), is_word=True),
        number("farkles", 0, 10),
        number("uses", 0, MAX_USES),
        SlashOption("next", discord.User),
        _GAME,
    ),
    "hint": (_GAME,),
    "show": (_GAME,),
    "games": (),
    "skip": (person("who", _IN_PLACE), _GAME),
    "replace": (person("who", _IN_PLACE), _LEVEL, _GAME),
    "settings": (
        number("games", 1, 20),
        SlashOption("mentions", choices=_YES_NO),
        SlashOption("posts", choices=_YES_NO),
        SlashOption("threads", choices=_YES_NO),
        SlashOption("daily", choices=(*map(str, range(24)), OFF)),
        SlashOption("language", choices=(*language_codes(), AUTO)),
    ),
    "daily": (
        word(
            "what",
            say_later("the board instead of the position, or answer with a number"),
            choices=(say_later("board"), say_later("answer")),
        ),
        number(
            "number", 1, MOST_CHOICES, meaning=say_later("the number of your answer"), is_word=True
        ),
    ),
    "drill": (
        word("what", say_later("answer, with a number"), choices=(say_later("answer"),)),
        number(
            "number", 1, MOST_CHOICES, meaning=say_later("the number of your answer"), is_word=True
        ),
        SlashOption("position"),
        number("players", 2, MOST_PLAYERS),
        *_SETS[:2],
        _SETS[-1],
        _RULES,
        number("goal", 1, MOST_GOAL),
    ),
    "tournament": (
        word("what", say_later("what to do; shows the tournament if left out"), choices=WHAT),
        word(
            "form", say_later("for a new tournament: who plays against whom"), choices=tuple(Form)
        ),
        person("player", say_later("the player to play against, or to remove")),
        _RULES,
        number("goal", 1, MOST_GOAL),
        SlashOption("hints", choices=_YES_NO),
    ),
    "leave": (person("who", _LEAVES), SlashOption("sure", choices=_YES_NO), _GAME),
    "resign": (person("who", _LEAVES), SlashOption("sure", choices=_YES_NO), _GAME),
    "end": (_GAME,),
    "review": (SlashOption("game"),),
    "stats": (
        person("who", say_later("whose record; yours if left out"), else_me=True),
        person("against", say_later("a player to compare with")),
        _WHERE,
    ),
    "leaderboard": (SlashOption("season"), SlashOption("bots", choices=_YES_NO), _WHERE),
    "dice": (_WHERE,),
    "proof": (SlashOption("game"),),
    "match": (
        word("first", say_later("the level of one bot"), required=True, choices=_LEVELS),
        word("second", say_later("the level of the other"), required=True, choices=_LEVELS),
        word("third", say_later("the level of a third one"), choices=_LEVELS),
        word("fourth", say_later("the level of a fourth one"), choices=_LEVELS),
        number("games", 1, 99),
        SlashOption("show", choices=(say_later("summary"), say_later("moves"))),
        _RULES,
    ),
    "duel": (
        word("first", _POLICY_MEANING, most=30, required=True),
        word("second", say_later("the other one, such as threshold:300"), most=30, required=True),
        _RULES,
    ),
    "best-response": (word("policy", _POLICY_MEANING, most=30, required=True), _RULES),
    "cancel": (),
    "levels": (_RULES,),
    "forget": (
        word(
            "who",
            say_later("me: delete what is stored about you"),
            required=True,
            choices=(say_later("me"),),
        ),
    ),
    "compare": (
        word("rules1", say_later("a rule set"), most=40, required=True, completes="rules"),
        *(
            word(f"rules{k}", say_later("another one"), most=40, completes="rules")
            for k in range(2, 6)
        ),
        SlashOption("vary"),
        SlashOption("careless", choices=CARELESS),
    ),
    "help": (
        word("command", say_later("a command or a group to explain"), most=40, completes="command"),
    ),
}
"""The options of every command, in the order in which Discord shows them."""

RULES_COMMANDS: Mapping[str, tuple[str, tuple[SlashOption, ...]]] = {
    "list": (say_later("the rule sets that are known here"), ()),
    "show": (say_later("what a rule set says"), (_NAME,)),
    "new": (
        say_later("house rules of this channel"),
        (
            word("name", say_later("a name for them"), most=40, required=True),
            SlashOption("base", meaning=say_later("the rule set to start from"), completes="rules"),
            number("goal", 1, MOST_GOAL, meaning=RULE_OPTIONS["goal"].slash),
            *(
                number(name, meaning=option.slash)
                for name, option in RULE_OPTIONS.items()
                if option.slash and name != "goal"
            ),
            SlashOption(
                "more",
                meaning=say_later("other options, such as three-pairs:750 straight-1-6:1500"),
            ),
        ),
    ),
    "diff": (
        say_later("what differs between two rule sets"),
        (
            word("one", say_later("a rule set"), most=40, required=True, completes="rules"),
            word("other", say_later("another one"), most=40, required=True, completes="rules"),
        ),
    ),
    "use": (say_later("play by these rules here"), (_NAME,)),
    "solve": (say_later("solve a rule set, for exact odds"), (_NAME,)),
    "cancel": (say_later("stop the solve that is running here"), ()),
    "delete": (say_later("delete house rules of this channel"), (_NAME,)),
}
"""What can follow /rules: what it is for, and its options."""


def slash_command(
    command: Command, run: Run, complete: Mapping[str, Complete]
) -> app_commands.Command[Any, ..., None]:
    """The slash command of a command of the chat."""
    name = command.name
    return _made(name, command.summary, OPTIONS[name], command.options, "", name, run, complete)


def rules_group(run: Run, complete: Mapping[str, Complete]) -> app_commands.Group:
    """/rules with all that can follow it."""
    group = app_commands.Group(
        name="rules",
        description=_described(say_later("rule sets, and house rules of this channel")),
    )
    for name, (summary, options) in RULES_COMMANDS.items():
        first = "" if name == "list" else name
        group.add_command(_made(name, summary, options, {}, first, "rules", run, complete))
    return group


def _made(
    name: str,
    summary: str,
    options: tuple[SlashOption, ...],
    meanings: Mapping[str, str],
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
        if not all(isinstance(value, option.kinds) for option, value in given.items()):
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
                    annotation=option.type,
                    default=inspect.Parameter.empty if option.required else None,
                )
                for option in options
            ),
        ]
    )
    described = {_python_name(o): _described(o.meaning or meanings[o.name]) for o in options}
    renamed = {_python_name(o): o.name for o in options if _python_name(o) != o.name}
    chosen = {
        _python_name(o): [app_commands.Choice(name=locale_str(one), value=one) for one in o.choices]
        for o in options
        if o.choices
    }
    decorated: Any = callback
    for decorate, given in (
        (app_commands.describe, described),
        (app_commands.rename, renamed),
        (app_commands.choices, chosen),
    ):
        if given:
            decorated = decorate(**given)(decorated)
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
            found = await complete(place, str(current).strip().lower())
        except FarkleError as error:
            logger.info("nothing to suggest: %s", error)
            return []
        except Exception as error:  # who types is shown nothing, and no failure
            log.failed("a suggestion", error)
            return []
        shown = (safe_text(one, _MOST_CHOICE) for one in found[:_MOST_CHOICES])
        return [app_commands.Choice(name=one, value=one) for one in shown if one]

    return autocomplete


def _words(value: Word | discord.abc.User) -> list[Word]:
    """What an option adds to the words of a command: text is several, as where it is typed."""
    return [*value.split(" ")] if isinstance(value, str) else [_value(value)]


def _value(value: Word | discord.abc.User) -> Word:
    return person_of(value) if isinstance(value, discord.abc.User) else value


def _python_name(option: SlashOption) -> str:
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
