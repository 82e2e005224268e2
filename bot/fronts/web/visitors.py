"""Who visits: somebody with a signed cookie, else whoever is at an address; and what they may."""

import base64
import hashlib
import hmac
import ipaddress
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from bot.fronts.web.settings import WebSettings
from bot.layout import LONGEST_NAME, safe_text
from bot.services.tables import Caller, Person
from bot.store.rows import StoreError
from solver.errors import system_reason
from solver.folders import OWNER_ONLY, make_private
from solver.wording import say

COOKIE = "farkle"
FRONT = "web:"
"""What the ids of places and people of this front begin with."""
_YEAR = 365 * 24 * 3600
_RUSH = 10.0
"""Seconds for which more may be asked than in the long run."""
_MOST_ADDRESSES = 20_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who visits; their place has their games and rules."""

    id: str
    name: str
    is_known: bool
    """Whether a cookie tells who it is; else the address does."""

    def caller(self, place: str | None = None) -> Caller:
        """Return them as who gives a command, in their own place, which they manage, or another."""
        here = place or self.id
        is_passing = not self.is_known and here == self.id
        person = Person(self.id, self.name)
        return Caller(here, person, here == self.id, is_passing=is_passing, asks_apart=True)


class Visitors:
    """Tells visitors apart by what this program has signed."""

    def __init__(self, secret: bytes, settings: WebSettings) -> None:
        self._secret, self._settings = secret, settings
        self._left: dict[str, tuple[float, float]] = {}
        """The requests that are left and when that was so, by address; the last one comes last."""

    def of(self, request: web.Request) -> Visitor:
        """Return who sends a request."""
        parts = request.cookies.get(COOKIE, "").split(".")
        if len(parts) == 3 and _is_equal(parts[2], self._signed("cookie", *parts[:2])):
            with suppress(ValueError):
                name = base64.urlsafe_b64decode(parts[1]).decode()
                return Visitor(FRONT + parts[0], name, is_known=True)
        return Visitor(
            FRONT + self._signed("address", self.address(request))[:16], "", is_known=False
        )

    def welcome(self, visitor: Visitor, name: str) -> Visitor:
        """Return a visitor with a name, who is known from now on."""
        number = visitor.id.removeprefix(FRONT) if visitor.is_known else secrets.token_hex(8)
        name = safe_text(name, LONGEST_NAME) or visitor.name
        name = name or say("Guest {number}", number=secrets.randbelow(900) + 100)
        return Visitor(FRONT + number, name, is_known=True)

    def keep(self, response: web.StreamResponse, visitor: Visitor) -> None:
        """Give a visitor the cookie by which they are known again."""
        name = base64.urlsafe_b64encode(visitor.name.encode()).decode()
        number = visitor.id.removeprefix(FRONT)
        response.set_cookie(
            COOKIE,
            f"{number}.{name}.{self._signed('cookie', number, name)}",
            max_age=_YEAR,
            httponly=True,
            samesite="Lax",
            secure=(self._settings.address or "").startswith("https:"),
        )

    def token(self, visitor: Visitor) -> str:
        """Return what a form carries to show that it comes from a page of this visitor."""
        return self._signed("form", visitor.id)

    async def form(self, request: web.Request, visitor: Visitor) -> dict[str, str]:
        """Return what a form sends.

        Raises HTTPForbidden where another site had somebody send it, and for what is no form.
        """
        try:
            form = await request.post()
        except (ValueError, LookupError):  # bytes that are not the text they say they are
            raise web.HTTPForbidden from None
        site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
        here = {request.host, request.headers.get("Host")}
        if site is not None:  # then an origin may be kept back
            elsewhere = site not in {"same-origin", "none"}
        else:
            elsewhere = origin is not None and urlsplit(origin).netloc not in here
        if elsewhere or not _is_equal(str(form.get("token", "")), self.token(visitor)):
            raise web.HTTPForbidden
        return {name: value for name, value in form.items() if isinstance(value, str)}

    def address(self, request: web.Request) -> str:
        """Return from where a request comes: of IPv6 the network of a household."""
        sender = request.remote or ""
        if self._settings.address or self._settings.socket:
            # some proxies add a line of their own to those that somebody has sent
            sender = (
                request.headers.getall("X-Forwarded-For", [sender])[-1].rpartition(",")[2].strip()
            )
        try:
            # some write a port behind the address, which is another one for each connection
            has_port = sender.count(":") == 1 or sender.startswith("[")
            given = ipaddress.ip_address((has_port and urlsplit(f"//{sender}").hostname) or sender)
            # all of IPv4 is one network of IPv6, where a proxy listens to both as that
            address = getattr(given, "ipv4_mapped", None) or given
        except ValueError:
            return sender[:64]
        network = ipaddress.ip_network((address, 64 if address.version == 6 else 32), strict=False)
        return str(network)

    def check_rate(self, request: web.Request) -> None:
        """Refuse who asks for too much. Raises HTTPTooManyRequests."""
        address, now, rate = self.address(request), time.monotonic(), self._settings.rate
        left, then = self._left.pop(address, (rate * _RUSH, now))
        left = min(rate * _RUSH, left + (now - then) * rate) - 1
        self._left[address] = max(left, -rate), now
        if len(self._left) > _MOST_ADDRESSES:
            del self._left[next(iter(self._left))]
        if left < 0:
            raise web.HTTPTooManyRequests(headers={"Retry-After": "2"})

    def _signed(self, *parts: str) -> str:
        text = "\n".join(parts).encode(errors="surrogateescape")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:32]


def _is_equal(sent: str, signed: str) -> bool:
    """Whether what was sent is what was signed, in a time that tells nothing about it."""
    return hmac.compare_digest(sent.encode(errors="surrogateescape"), signed.encode())


def own_secret(folder: Path) -> bytes:
    """Return the secret that cookies are signed with, made at first in the folder of all data.

    Raises StoreError where it can be neither read nor made.
    """
    file, secret, reason = folder / "web-secret", "", ""
    try:
        make_private(folder)
        with suppress(FileExistsError):
            new = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
            with os.fdopen(new, "w") as writer:
                writer.write(secrets.token_hex(32))
        secret = file.read_text("ascii")
        if len(secret) != 64:
            reason = say("it is not 64 characters long; delete it, and a new one is made")
    except OSError as error:
        reason = system_reason(error)
    except UnicodeDecodeError:
        reason = say("it is not text")
    if reason:
        raise StoreError.say(
            "the secret of the web's cookies in {file} cannot be used: {reason}",
            file=file,
            reason=reason,
        )
    return secret.encode()
