"""What a task makes, as replies: how long there is to wait, and then that."""

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any, TypeVar

from bot.fronts.chat.commands import Reply
from bot.services.advisor import Hint
from bot.services.games import News
from bot.services.seats import LoadedHint
from bot.tasks.tasks import Delay
from bot.views.game import hint_data, hint_text
from bot.views.tasks import delay_text

T = TypeVar("T")


def delay_reply(delay: Delay) -> Reply:
    """How long there is to wait."""
    return Reply(delay, delay_text, asdict)


async def replies(
    told: AsyncIterator[Delay | T], make_text: Callable[[T], str], make_data: Callable[[T], Any]
) -> AsyncIterator[Reply]:
    """What is told of a task, with what it made in words and as plain data."""
    async for found in told:
        if isinstance(found, Delay):
            yield delay_reply(found)
        else:
            yield Reply(found, make_text, make_data)


def hint_reply(told: Delay | Hint | LoadedHint) -> Reply:
    """A hint, for who asked alone, or how long there is to wait for it."""
    if isinstance(told, Delay):
        return delay_reply(told)
    return Reply(told, hint_text, hint_data, private=True)


def told_reply(told: Delay | News) -> Reply | News:
    """What happened at a table, or how long there is to wait before it does."""
    return delay_reply(told) if isinstance(told, Delay) else told
