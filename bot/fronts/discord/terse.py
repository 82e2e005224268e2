"""Interactions are answered, and read, without what nobody looks at.

Discord sends the message of a press with every button in it, and sends it back when it is changed.
To make objects of that twice would take a fifth of the time of a press.
"""

from typing import Any

import aiohttp
from discord import InteractionResponseType
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter

_OF_THE_PRESSED = {
    InteractionResponseType.deferred_message_update.value,
    InteractionResponseType.message_update.value,
}
"""Kinds of answers to a press that change the message of its button, which is known."""


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
