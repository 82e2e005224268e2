"""What a feature is: what it adds to the chat, and what it is given to stand on."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MethodType
from typing import Any

from bot.chat.advice import PositionQuestions
from bot.chat.commands import Command, Commands, Line, Reply, Stream, as_reply, spread
from bot.chat.fields import Field
from bot.chat.presses import AskPress, CommandPress, NotesPress, Press, QuestionPress, pressable
from bot.chat.waiting import only
from bot.services.chances import Oracle
from bot.services.games import Games
from bot.services.house_rules import HouseRules
from bot.services.levels import LookingBack
from bot.services.tables import Caller, Table, Tables
from bot.settings import Settings
from bot.views.card import Card, further_page
from solver.errors import InvalidRequestError


@dataclass(frozen=True, slots=True)
class Core:
    """What every feature may use."""

    settings: Settings
    tables: Tables
    games: Games
    oracle: Oracle
    rules: HouseRules
    questions: PositionQuestions
    back: LookingBack


@dataclass(frozen=True, slots=True)
class Pressed:
    """What comes of a press."""

    told: Stream
    anew: bool = False
    """Whether it is told in a message of its own, and not in the one whose button was pressed."""
    private: bool = False
    """Whether that is for the one who pressed alone."""
    renewed: Callable[[], Awaitable[Reply]] | None = None
    """Makes what the message whose button was pressed shows afterwards, where that is another."""


def asked(
    usage: str, summary: str, *options: Field, **more: Any
) -> Callable[[Callable[..., Stream]], Command]:
    """Make a command of the function below, which answers it.

    more : what else there is to say of a `Command`, by the names of its fields
    """
    return lambda answer: Command(usage, summary, answer, options, **more)


question = partial(asked, group="ask", is_question=True)
"""As `asked`, for what changes nothing."""


def answered_by(owner: object) -> list[Command]:
    """The commands that the class of something has, in their order, as that answers them."""
    known = (one for one in vars(type(owner)).values() if isinstance(one, Command))
    return [replace(one, answer=MethodType(one.answer, owner)) for one in known]


Send = Callable[[str, Reply, str, datetime | None], Awaitable[bool]]
"""Posts a reply in a place, in the language in which it began if the place has none, and says
whether that is done with. Under the same key it is posted once, however often it is tried; where it
may have been since a moment, a message with its buttons is looked for first."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature adds to the chat."""

    commands: Sequence[Command] = ()
    presses: Mapping[type[Press], Callable[[Caller, Any], Awaitable[Pressed]]] = field(
        default_factory=dict
    )
    """What the presses of its buttons do, by their kind."""
    after_game: Callable[[Table], Awaitable[Reply | None]] | None = None
    """Says what the end of a game at a table means to it."""
    posts: Callable[[str, Send], Coroutine[Any, Any, None]] | None = None
    """Posts what is due in the places of a front, by its name; called again and again."""


def of_answers(questions: PositionQuestions, commands: Commands) -> Feature:
    """What the buttons below answers and help do."""

    async def asked(caller: Caller, press: AskPress | QuestionPress) -> Pressed:
        return Pressed(questions.all_of(caller, press), anew=True, private=True)

    async def noted(_: Caller, press: NotesPress) -> Pressed:
        command = commands.by_name.get(press.action)
        if command is None or command.notes is None:
            raise _out_of_date()
        note = Reply(command.notes, lambda make: make(), private=True)
        return Pressed(only(note), anew=True, private=True)

    async def given(caller: Caller, press: CommandPress) -> Pressed:
        name, *words = press.action.split()
        told = commands.by_name[name].answer(Line(tuple(words[:1]), {}), caller)
        if words:
            first = as_reply(await anext(spread(told)))
            told = only(_page_of(first, f"{name} {words[0]}", int(words[1])))
        return Pressed(told, anew=True, private=press.action != "play")

    return Feature(
        presses={AskPress: asked, QuestionPress: asked, CommandPress: given, NotesPress: noted}
    )


def _page_of(reply: Reply, line: str, page: int) -> Reply:
    """A further page of a reply. Raises InvalidRequestError where there is none any more."""
    if not 0 < page <= len(reply.card().rest):
        raise _out_of_date()

    def make_card(_: object) -> Card:
        return pressable(further_page(reply.card(), line, page), CommandPress)

    return replace(reply, make_card=make_card, private=True)


def _out_of_date() -> InvalidRequestError:
    return InvalidRequestError.say("this button is out of date: give the command again")
