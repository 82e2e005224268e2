"""Interactions as requests that Discord has signed, in place of a connection with it."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

logger = logging.getLogger(__name__)

PATH = "/interactions"
_PING = 1
_MOST_SECONDS = 30.0
"""Seconds for which a signature counts, as this machine's clock and Discord's may differ."""
_TYPE = "application/json"


class Door:
    """Takes interactions in.

    Each is answered by a request of its own, as one that comes by a connection is, so that the
    request it came by is answered at once.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """`now` is the time of day, in seconds since 1970."""
        self._now = now
        self._open: tuple[VerifyKey, Callable[[Any], None]] | None = None
        self.opened = asyncio.Event()
        self._seen: dict[bytes, float] = {}
        """The signatures of the last seconds, each with the moment from which on it is too old."""

    @property
    def is_open(self) -> bool:
        """Whether interactions are taken in."""
        return self._open is not None

    def open(self, key: str, hear: Callable[[Any], None]) -> None:
        """Take interactions in that are signed by the owner of a key, in hexadecimal digits.

        Raises ValueError for what is no key.
        """
        self._open = VerifyKey(bytes.fromhex(key)), hear
        self.opened.set()

    def close(self) -> None:
        """Take none in any more: whoever asks is to ask another program."""
        self._open = None

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a request: 401 if Discord did not sign it now, 503 where nothing is taken in."""
        body = await request.read()
        if self._open is None:
            return web.Response(status=503, text="not here, or not any more\n")
        key, hear = self._open
        if not self._is_signed(key, request.headers, body):
            return web.Response(status=401, text="this is not signed by Discord now\n")
        try:
            sent = json.loads(body)
            kind = sent["type"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return web.Response(status=400, text="this is no interaction\n")
        if kind == _PING:
            return web.Response(text=json.dumps({"type": _PING}), content_type=_TYPE)
        hear(sent)
        return web.Response(status=202)

    def _is_signed(self, key: VerifyKey, headers: Mapping[str, str], body: bytes) -> bool:
        """Whether a body is signed by Discord, a moment ago, and comes for the first time."""
        moment = headers.get("X-Signature-Timestamp", "")
        now = self._now()
        try:
            signature = bytes.fromhex(headers.get("X-Signature-Ed25519", ""))
            late = now - int(moment)
            key.verify(moment.encode() + body, signature)
        except (ValueError, TypeError, BadSignatureError):
            return False
        if abs(late) > _MOST_SECONDS:
            logger.warning(
                "a request was signed %.0f s ago and is refused; is the clock of this machine"
                " right?",
                late,
            )
            return False
        while self._seen and next(iter(self._seen.values())) < now:
            del self._seen[next(iter(self._seen))]
        if signature in self._seen:
            return False
        self._seen[signature] = now + 2 * _MOST_SECONDS
        return True
