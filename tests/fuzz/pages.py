"""Requests to the pages, as browsers and whoever else send them, by a real HTTP client.

An input is a list of steps as JSON, else the path of one. A step has a `path`, in which GAME stands
for the game that was begun last, and perhaps a `query`, a `form` and a `cookie`. A form gets the
token of its visitor unless it has one; a number as its `press` is that of a button on the page
before.
"""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from aiohttp import ClientSession, CookieJar
from aiohttp.http_exceptions import BadHttpMessage
from yarl import URL

from bot.fronts.web.app import Front, served
from bot.fronts.web.settings import WebSettings
from bot.settings import Settings
from tests.bot.fronts.web.visiting import RATE, Seen, seen_in
from tests.fuzz.targets import FindError, Give, Log, open_program

Json = dict[str, Any]

_MOST = 8
"""Steps of an input."""
_OURS = re.compile(r'<script src="/static/farkle\.js" defer></script>')
_GAME = re.compile(r"/game/([0-9a-f]{1,16})")


@contextmanager
def open_pages(folder: Path) -> Iterator[Give]:
    """The pages at a port of their own, each input by somebody who has not been there before."""
    # what is no request at all is refused by the library, which logs it
    log, numbers = Log(BadHttpMessage), count(1)
    logging.getLogger().addHandler(log)
    with asyncio.Runner() as runner:
        program = open_program(folder)
        parts = runner.run(program.__aenter__())
        settings = Settings(data=folder)
        chosen = WebSettings(port=0, rate=RATE)
        site = served(Front(parts.commands, parts.pressing, settings, chosen))
        base = runner.run(site.__aenter__())

        async def send(steps: list[Any]) -> None:
            language = ("en", "de")[next(numbers) % 2]
            headers = {"Accept-Language": language}
            async with ClientSession(cookie_jar=CookieJar(unsafe=True), headers=headers) as session:
                visit, last = _Visit(session, base), None
                for step in steps[:_MOST]:
                    last = await visit.take(step if isinstance(step, dict) else {}, last)
                    check(last)
            if log.found:
                raise log.found.pop()

        def give(data: bytes) -> None:
            try:
                steps = json.loads(data)
            except (ValueError, RecursionError):
                steps = [{"path": data.decode(errors="replace")}]
            if isinstance(steps, list):
                runner.run(send(steps))

        try:
            yield give
        finally:
            logging.getLogger().removeHandler(log)
            runner.run(site.__aexit__(None, None, None))
            runner.run(program.__aexit__(None, None, None))


def check(seen: Seen) -> None:
    """Refuse what no page may be: a failure, or HTML that is not ours or not valid."""
    if seen.status >= 500:
        raise FindError(f"{seen.status} of {seen.url}: {seen.text[-300:]}")
    if not seen.headers.get("Content-Type", "").startswith("text/html"):
        return
    for one in seen.html.iter():
        handles = [name for name in one.keys() if name.startswith("on") or name == "style"]  # noqa: SIM118
        leads = [one.get(name, "").strip().lower() for name in ("href", "src", "action")]
        if handles or any(re.match(r"(javascript|vbscript|data:text)", lead) for lead in leads):
            raise FindError(f"{one.tag} {one.attrib} in {seen.url}")
    if "<script" in _OURS.sub("", seen.text) or "<iframe" in seen.text:
        raise FindError(f"a script of others in {seen.url}")


class _Visit:
    """Somebody who takes steps."""

    def __init__(self, session: ClientSession, base: str) -> None:
        self._session, self._base, self._game = session, base, "1"

    async def take(self, step: Json, last: Seen | None) -> Seen:
        path = str(step.get("path") or "/").replace("GAME", self._game)
        path = "/" + quote(path.lstrip("/"), safe="/?=&%+:,*", errors="replace")
        query = _texts(step.get("query"))
        where = URL(self._base.rstrip("/") + path, encoded=True)
        where = where.update_query(query) if query else where
        headers = {}
        if "cookie" in step:
            headers = {"Cookie": "farkle=" + quote(str(step["cookie"]), errors="replace")}
        form = step.get("form")
        if not isinstance(form, dict):
            async with self._session.get(where, headers=headers) as answer:
                return await self._seen(answer)
        press = form.get("press")
        if isinstance(press, int) and last and "<main" in last.text:
            buttons = [*last.buttons().values()] or [""]
            form = {**form, "press": buttons[press % len(buttons)]}
        async with self._session.get(f"{self._base}play") as page:
            token = (await seen_in(page)).form("/play")["token"]
        sent = {"token": token, **_texts(form)}
        async with self._session.post(where, data=sent, headers=headers) as answer:
            return await self._seen(answer)

    async def _seen(self, answer: Any) -> Seen:
        seen = await seen_in(answer)
        if found := _GAME.search(seen.url):
            self._game = found[1]
        return seen


def _texts(found: object) -> dict[str, str]:
    """Names and values that HTTP can carry."""
    given = found if isinstance(found, dict) else {}
    pairs = ((str(name), str(value)) for name, value in given.items())
    return {_fit(name): _fit(value) for name, value in pairs}


def _fit(text: str) -> str:
    return text.encode(errors="replace").decode()


def examples() -> Iterator[bytes]:
    """Whole ways through the pages, and odd requests."""
    game: list[Json] = [
        {
            "path": "/play",
            "form": {"level": "cautious", "rules": "kcd", "goal": "600", "name": "<i>"},
        },
        *({"path": "/game/GAME", "form": {"press": number}} for number in (0, 1, 0)),
        {"path": "/game/GAME", "query": {"mask": "1", "v": "3", "ask": "hint", "since": "1"}},
        {"path": "/game/GAME/review"},
        {"path": "/game/GAME/proof.json"},
    ]
    rules: list[Json] = [
        {"path": "/rules/new", "form": {"name": "<b>x", "base": "kcd", "goal": "600"}},
        {"path": "/rules/new", "form": {"name": "mine", "base": "kcd", "three-pairs": "<script>"}},
        {"path": "/rules", "query": {"find": '"><script>'}},
        {"path": "/rules/mine"},
    ]
    practice: list[Json] = [
        {"path": "/daily", "form": {}},
        {"path": "/daily"},
        {"path": "/press", "form": {"press": 0}},
        {"path": "/privacy", "query": {"lang": "de"}},
        {"path": "/forget", "form": {}},
    ]
    asked: list[Json] = [
        {
            "path": "/",
            "query": {"dice": "653332", "me": "<script>", "rules": "kcd", "endings": "yes"},
        },
        {"path": "/explore", "query": {"turn": "350", "dice": "2", "rules": "kcd"}},
        {"path": "/kingdom", "query": {"my-dice": "lucky*5,odd", "choose": "my-badge"}},
        {"path": "/api/v1/advise", "query": {"dice": "653332", "rules": "kcd", "lang": "xx"}},
        {"path": "/odds.csv", "query": {"turn": "350", "dice": "2", "rules": "kcd"}},
        {"path": "/explain.svg", "query": {"turn": "350", "dice": "2", "rules": "kcd"}},
        {"path": "/at/turn", "query": {"rules": "kcd", "100,100": ""}},
        {"path": "/p/CZT1-7YZ9-SYP", "cookie": "a.b.\u00e9"},
    ]
    for way in (game, rules, practice, asked):
        yield json.dumps(way).encode()
