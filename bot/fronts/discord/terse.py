"""Interactions are answered, and read, without what nobody looks at.

Discord sends the message of a press with every button in it, and sends it back when it is changed.
discord.py would make objects of all of that, both times.
"""

from collections.abc import Iterable
from typing import Any

import aiohttp
from discord import ComponentType, InteractionResponseType
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter

_OF_THE_PRESSED = {
    InteractionResponseType.deferred_message_update.value,
    InteractionResponseType.message_update.value,
}
"""Kinds of answers to a press that change the message of its button, which is known."""
_UNREAD = {ComponentType.action_row.value, ComponentType.media_gallery.value}
"""Parts that nobody reads: a button that was pressed is known by its id, pictures are made anew."""


class TerseAdapter(AsyncWebhookAdapter):
    """Sends answers to interactions; a message that is known is not asked back."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    async def request(self, route: Route, session: aiohttp.ClientSession, **how: Any) -> Any:
        """What Discord answers to a request."""
        asks_back = "with_response" in (how.get("params") or {})
        if not (asks_back and _kind(**how) in _OF_THE_PRESSED):
            return await super().request(route, session, **how)
        await super().request(route, session, **{**how, "params": None})
        return {"interaction": {"id": route.webhook_id}}


def _kind(
    payload: dict[str, Any] | None = None, multipart: list[dict[str, Any]] | None = None, **_: Any
) -> int:
    """The kind of an answer to an interaction, which files are sent with or not."""
    if multipart:
        # as text, with its kind first
        _, _, rest = multipart[0]["value"].partition(":")
        return int(rest.partition(",")[0])
    return int((payload or {})["type"])


def without_unread(data: Any) -> Any:
    """An interaction as Discord sends it, but for the parts of its message that nobody reads."""
    if not (message := data.get("message")):
        return data
    return data | {"message": message | {"components": _read(message.get("components"))}}


def _read(parts: Iterable[dict[str, Any]] | None) -> list[dict[str, Any]]:
    found = []
    for one in parts or ():
        if one["type"] not in _UNREAD:
            inner = one.get("components")
            found.append(one | {"components": _read(inner)} if inner else one)
    return found
