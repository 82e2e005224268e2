"""Features: the commands, presses and posts that each adds to the chat, and what it may use."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.chat.advice import PositionQuestions
from bot.chat.commands import Command, Commands, Line, Reply, Stream, as_reply, spread
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
    """The services that every feature may use."""

    settings: Settings
    tables: Tables
    games: Games
    oracle: Oracle
    rules: HouseRules
    questions: PositionQuestions
    back: LookingBack


@dataclass(frozen=True, slots=True)
class Pressed:
    """The answer to a press of a button."""

    told: Stream
    anew: bool = False
    """Whether the answer is a message of its own, instead of changing the one with the button."""
    private: bool = False
    """Whether only the person who pressed sees that message."""
    renewed: Callable[[], Awaitable[Reply]] | None = None
    """Makes the new content of the message with the button, if a new message does not leave it."""


Send = Callable[[str, Reply, str, datetime | None], Awaitable[bool]]
"""Posts a reply: `await send(place, reply, key, since)` is True once it needs no further try.

The reply is in the language of the place, or else in that in which the reply was made. Of one key
only one reply is posted, however often it is tried: if a try since the moment `since` may have
succeeded, the place is searched for a message with these buttons first."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature adds to the chat."""

    commands: Sequence[Command] = ()
    presses: Mapping[type[Press], Callable[[Caller, Any], Awaitable[Pressed]]] = field(
        default_factory=dict
    )
    """The function that answers each kind of press of its buttons."""
    after_game: Callable[[Table], Awaitable[Reply | None]] | None = None
    """Makes the reply of the feature to the end of a game at a table; None for no reply."""
    posts: Callable[[str, Send], Coroutine[Any, Any, None]] | None = None
    """Posts what is due in the places of the front of a name; called again and again."""


def of_answers(questions: PositionQuestions, commands: Commands) -> Feature:
    """The feature of the buttons below answers and below the help."""

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
        replies = commands.by_name[name].answer(Line(tuple(words[:1]), {}), caller)
        if words:
            reply = as_reply(await anext(spread(replies)))
            replies = only(_page_of(reply, f"{name} {words[0]}", int(words[1])))
        return Pressed(replies, anew=True, private=press.action != "play")

    return Feature(
        presses={AskPress: asked, QuestionPress: asked, CommandPress: given, NotesPress: noted}
    )


def _page_of(reply: Reply, line: str, page: int) -> Reply:
    """A further page of a reply. Raises InvalidRequestError if it does not have so many."""
    if not 0 < page <= len(reply.card().rest):
        raise _out_of_date()

    def make_card(_: object) -> Card:
        return pressable(further_page(reply.card(), line, page), CommandPress)

    return replace(reply, make_card=make_card, private=True)


def _out_of_date() -> InvalidRequestError:
    return InvalidRequestError.say("this button is out of date: give the command again")
