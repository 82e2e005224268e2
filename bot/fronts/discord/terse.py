"""Interactions are answered, and read, without what nobody looks at.

Discord sends the message of a press with every button in it, and sends it back when it is changed.
discord.py would make objects of all of that, both times.
"""

import asyncio
import json
import secrets
from collections.abc import Iterable
from typing import Any

import aiohttp
from discord import ComponentType, Forbidden, HTTPException, InteractionResponseType, NotFound
from discord.http import Route, json_or_text
from discord.webhook.async_ import AsyncWebhookAdapter

Form = list[dict[str, Any]]
"""The parts of a form, as discord.py hands them to aiohttp."""

_BOUNDARY = secrets.token_hex(16)
"""What is between parts, and in none of them: nobody who writes something there knows it."""
_FORM = f"multipart/form-data; boundary={_BOUNDARY}"
_TOO_MANY, _SERVER_ERROR = 429, 500
_REFUSALS: dict[int, type[HTTPException]] = {403: Forbidden, 404: NotFound}
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
        if not await _is_taken(route, session, **how):
            # discord.py minds whatever comes now
            await super().request(route, session, **{**how, "params": None})
        return {"interaction": {"id": route.webhook_id}}


async def _is_taken(
    route: Route,
    session: aiohttp.ClientSession,
    *,
    payload: dict[str, Any] | None = None,
    multipart: Form | None = None,
    proxy: str | None = None,
    proxy_auth: aiohttp.BasicAuth | None = None,
    **_: Any,
) -> bool:
    """Whether Discord takes what is sent; if not, it may now, after the time that it asked for.

    Files are sent in one piece. Raises what discord.py does of a refusal, and aiohttp where Discord
    cannot be reached.
    """
    if multipart:
        content, kind = form_data(multipart), _FORM
    else:
        content, kind = json.dumps(payload).encode(), "application/json"
    async with session.request(
        route.method,
        route.url,
        data=content,
        headers={"Content-Type": kind},
        proxy=proxy,
        proxy_auth=proxy_auth,
    ) as response:
        if 200 <= response.status < 300:
            return True
        answer = await json_or_text(response)
        seconds = 1.0
        if response.status == _TOO_MANY and "Via" in response.headers and isinstance(answer, dict):
            seconds = float(answer.get("retry_after", seconds))
        elif response.status < _SERVER_ERROR:
            raise _REFUSALS.get(response.status, HTTPException)(response, answer)
    await asyncio.sleep(seconds)
    return False


def form_data(multipart: Form) -> bytes:
    """The parts of a form as they are sent; the names of files are this program's own.

    aiohttp makes objects of each, as such parts may be streams.
    """
    sent = []
    for part in multipart:
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{part["name"]}"'
        if file := part.get("filename"):
            head += f'; filename="{file}"\r\nContent-Type: {part["content_type"]}'
        value = part["value"]
        content = value.encode() if isinstance(value, str) else value.getvalue()
        sent += [head.encode(), b"\r\n\r\n", content, b"\r\n"]
    return b"".join([*sent, f"--{_BOUNDARY}--\r\n".encode()])


def _kind(payload: dict[str, Any] | None = None, multipart: Form | None = None, **_: Any) -> int:
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
