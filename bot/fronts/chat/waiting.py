"""What a task makes, as replies: how long there is to wait, and then that."""

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any, TypeVar

from bot.fronts.chat.commands import Reply
from bot.tasks.tasks import Delay
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
