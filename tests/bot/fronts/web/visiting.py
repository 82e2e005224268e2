"""A visitor of the pages: a real HTTP client at a real server, and a strict reader of HTML."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

import html5lib
from aiohttp import ClientSession, CookieJar

from bot.fronts.web.app import Front, served
from bot.fronts.web.settings import WebSettings
from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.wiring import open_parts
from tests.bot.new_database import lay_database
from tests.bot.speaking import Chat

RATE = 100_000.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A page as a visitor sees it."""

    status: int
    text: str
    url: str
    headers: dict[str, str]

    @property
    def html(self) -> ET.Element:
        """Return its elements. Raises ParseError of html5lib where it is no valid HTML."""
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        tree: ET.Element = parser.parse(self.text)
        return tree

    @property
    def words(self) -> str:
        """Return its text, as it is read."""
        main = self.html.find(".//main")
        assert main is not None
        return " ".join("".join(main.itertext()).split())

    @property
    def links(self) -> list[str]:
        """Return where it leads to and what it shows, on this site."""
        names = "href", "src", "srcset"
        found = [element.get(name, "#") for element in self.html.iter() for name in names]
        whole = [urljoin(self.url, one) for one in found if not one.startswith(("#", "data:"))]
        return [one for one in whole if urlsplit(one).netloc == urlsplit(self.url).netloc]

    def form(self, action: str) -> dict[str, str]:
        """Return what a form sends as it stands, but for its buttons."""
        for form in self.html.iter("form"):
            if re.search(action, form.get("action", "")):
                return {
                    one.get("name", ""): one.get("value", "")
                    for one in form.iter("input")
                    if one.get("name")
                }
        raise AssertionError(f"no form {action} in {self.text}")

    def buttons(self) -> dict[str, str]:
        """Return the presses that are offered, by what their buttons say."""
        return {
            " ".join("".join(one.itertext()).split()): one.get("value", "")
            for one in self.html.iter("button")
            if one.get("name") == "press" and one.get("disabled") is None
        }


class Visit:
    """Somebody with a browser of their own."""

    def __init__(self, session: ClientSession, base: str) -> None:
        self.session, self.base = session, base

    async def get(self, path: str, **headers: str) -> Seen:
        """Return what an address shows."""
        async with self.session.get(urljoin(self.base, path), headers=headers) as found:
            return await seen_in(found)

    async def post(self, path: str, form: dict[str, Any], **headers: str) -> Seen:
        """Return what is shown after a form was sent."""
        async with self.session.post(urljoin(self.base, path), data=form, headers=headers) as found:
            return await seen_in(found)

    async def json(self, path: str) -> Any:
        """Return plain data."""
        async with self.session.get(urljoin(self.base, path)) as found:
            return await found.json()


async def seen_in(found: Any) -> Seen:
    """Return what a response shows."""
    text = (await found.read()).decode(errors="replace")
    return Seen(found.status, text, str(found.url), dict(found.headers))


class Site:
    """Pages that are served, and the chat behind them."""

    def __init__(self, base: str, chat: Chat, data: Path) -> None:
        self.base, self.chat, self.data = base, chat, data

    @asynccontextmanager
    async def visitor(self, language: str = "en") -> AsyncIterator[Visit]:
        """Yield somebody who visits, with no cookie yet."""
        headers = {"Accept-Language": language}
        # as if a proxy before it spoke by https, for which cookies of such a site are
        jar = CookieJar(unsafe=True, treat_as_secure_origin=self.base)
        async with ClientSession(cookie_jar=jar, headers=headers) as session:
            yield Visit(session, self.base)


@asynccontextmanager
async def open_site(
    data: Path,
    strategies: Path,
    rate: float = RATE,
    needed: float = 0.0,
    *,
    allow_files: bool = False,
    address: str | None = None,
) -> AsyncIterator[Site]:
    """Pages that keep their games in a folder, at any free port."""
    lay_database(data / "farkle.db")
    # what takes long is put off: it would go on after its page was left, and its test would wait
    settings = Settings(data=data, workers=0, needed_seconds=needed, task_seconds=15)
    async with open_parts(settings, Advisor(strategies), allow_files=allow_files) as parts:
        chosen = WebSettings(port=0, rate=rate, address=address)
        async with served(Front(parts.commands, parts.pressing, settings, chosen)) as base:
            yield Site(base, Chat(parts), data)
