"""The server: addresses, what goes for every answer, and its start and end."""

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http import HttpProcessingError

from bot.chat.commands import Command, Commands, failure
from bot.chat.fields import Field, Kind
from bot.chat.pressing import Pressing
from bot.fronts.web.answers import Answers, asked, line_of, status_of
from bot.fronts.web.kingdom import kingdom_page
from bot.fronts.web.own import Own
from bot.fronts.web.pages import Pages
from bot.fronts.web.pictures import Pictures
from bot.fronts.web.play import Play
from bot.fronts.web.processes import Processes
from bot.fronts.web.rendering import CODES, FOLDER, Page, best_code, on_pages
from bot.fronts.web.settings import WebSettings
from bot.fronts.web.visitors import Visitors, own_secret
from bot.layout import fit_to, whole_sentence
from bot.settings import Settings
from bot.views.drawing import draw_as
from solver.wording import say, speak

BASE = "/api/v1"
_PATIENCE = 20.0
"""Seconds that a program waits; then it may ask again."""


class Api:
    """Answers as JSON."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def answer(self, page: Page, command: Command) -> web.StreamResponse:
        """Answer the question of a command."""
        draw_as(None)
        known, query = {field.name for field in command.fields}, page.request.query
        if twice := next((name for name in page.given if len(query.getall(name)) > 1), None):
            return _refusal(say('the option "{option}" is given twice', option=twice))
        if unknown := sorted(page.given.keys() - known):
            takes = ", ".join(sorted(known)) or "-"
            sentence = say(
                "/{command} takes {takes}, not {other}",
                command=command.name,
                takes=takes,
                other=unknown[0],
            )
            return _refusal(sentence)
        line = line_of(command, asked(command, page.given))
        answer = await self._pages.answer(page, line, _PATIENCE)
        if not answer.is_done:
            return web.json_response(
                {"working": answer.last.text if answer.last else ""},
                status=202,
                headers={"Retry-After": "2"},
            )
        said = answer.last.data if answer.last else None
        return web.json_response(said, status=answer.status)

    async def told(self, page: Page) -> web.StreamResponse:
        """Describe all of it to people."""
        paths = described(self._pages.questions, BASE)["paths"]
        return page.render("api.html", paths=paths, base=BASE)

    async def description(self, page: Page) -> web.StreamResponse:
        """Describe all of it."""
        url = page.request.url
        server = str(url.origin().with_path(BASE))
        return web.json_response(described(self._pages.questions, server))


def described(questions: dict[str, Command], server: str) -> dict[str, Any]:
    """Return the OpenAPI description of questions."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "farkle-advisor",
            "version": "1",
            "description": say("Exact answers about the dice game Farkle, under any house rules."),
        },
        "servers": [{"url": server}],
        "paths": {f"/{name}": {"get": _operation(command)} for name, command in questions.items()},
        "components": {
            "schemas": {
                "Error": _sentences("error"),
                "Fault": _sentences("error", "fault"),
                "Working": _sentences("working"),
            }
        },
    }


def _operation(command: Command) -> dict[str, Any]:
    language = {
        "name": "lang",
        "in": "query",
        "description": say("Language"),
        "schema": {"enum": list(CODES)},
    }
    return {
        "operationId": command.name,
        "summary": say(command.summary),
        "parameters": [*map(_parameter, command.fields), language],
        "responses": {
            "200": _content(say("The answer")),
            "202": _content(say("It takes longer: ask again in some seconds"), "Working"),
            "400": _content(say("Why there is no answer"), "Error"),
            "500": _content(say("The program failed; its host finds why in the log"), "Fault"),
            "503": _content(say("It cannot be answered now: ask again later"), "Error"),
        },
    }


def _parameter(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if field.choices:
        schema["enum"] = list(field.choices)
    elif field.kind is Kind.NUMBER:
        schema = {"type": "integer", "minimum": field.least, "maximum": field.most}
    elif field.most:
        schema["maxLength"] = field.most
    return {
        "name": field.name,
        "in": "query",
        "required": field.required,
        "description": say(field.meaning),
        "schema": {key: value for key, value in schema.items() if value is not None},
    }


def _content(meaning: str, schema: str = "") -> dict[str, Any]:
    shown = {"$ref": f"#/components/schemas/{schema}"} if schema else {}
    return {"description": meaning, "content": {"application/json": {"schema": shown}}}


def _refusal(sentence: str, status: int = 400) -> web.Response:
    """Return what is wrong with a request, as JSON."""
    return web.json_response({"error": whole_sentence(sentence)}, status=status)


def _sentences(*names: str) -> dict[str, Any]:
    """Return the schema of an object that has a text under each name."""
    texts = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": texts, "required": list(names)}


logger = logging.getLogger(__name__)

Handler = Callable[[Page], Awaitable[web.StreamResponse]]

_MOST_BODY = 16 * 1024
_FINISH_SECONDS = 5.0
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # with no referrer at all a browser says of a form that it comes from nowhere
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=()",
}


class Front:
    """Answers requests."""

    def __init__(
        self,
        commands: Commands,
        pressing: Pressing,
        settings: Settings,
        chosen: WebSettings,
        note: Callable[[str, float], object] | None = None,
        processes: Processes | None = None,
        *,
        is_patient: bool = False,
    ) -> None:
        """Answers by the commands and presses of the chat.

        note : is told each page by its address, and the seconds until it was answered
        processes : answer questions, if given
        is_patient : whether an answer is waited for however long it takes

        Raises StoreError.
        """
        self.chosen = chosen
        self._processes = processes
        self._told = note
        self._address = urlsplit(chosen.address or "")
        self.visitors = Visitors(own_secret(settings.data), chosen)
        self.answers = Answers(commands, is_patient=is_patient)
        self.pages = Pages(commands, pressing, self.answers)
        self.pictures = Pictures(commands, pressing, self.answers)
        self.own = Own(commands, pressing, self.answers)
        self.play = Play(commands, pressing, self.answers)

    def page(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return what answers a request by a page."""

        async def handled(request: web.Request) -> web.StreamResponse:
            if self._address.netloc:  # a proxy may ask by another name than people do
                scheme, host = self._address.scheme, self._address.netloc
                request = request.clone(scheme=scheme, host=host)
            fit_to(0)  # a browser breaks lines
            return await handler(Page(request, self.visitors.of(request), self.visitors))

        return handled

    def question(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return what answers a request by a page that only asks, in another process if any is."""
        answered = self.page(handler)

        async def handled(request: web.Request) -> web.StreamResponse:
            if self._processes:
                address = self.visitors.address(request)
                if response := await self._processes.answer(request, address):
                    return response
            return await answered(request)

        return handled

    def app(self) -> web.Application:
        """Return all addresses."""
        app = web.Application(middlewares=[self._answered], client_max_size=_MOST_BODY)
        pages, page, question = self.pages, self.page, self.question
        app.router.add_get("/", question(pages.ask))
        app.router.add_get("/p/{id:[0-9A-Za-z-]{5,60}}", question(pages.position))
        app.router.add_get("/p/{id:[0-9A-Za-z-]{5,60}}.png", question(pages.preview))
        app.router.add_get("/numbers", page(pages.numbers))
        app.router.add_get("/kingdom", question(partial(kingdom_page, pages=pages)))
        app.router.add_post("/forget", page(self.own.forget))
        app.router.add_get("/privacy", page(self.own.privacy))
        app.router.add_get("/map/{kind:win|border}.svg", question(self.pictures.map))
        app.router.add_get("/at/{kind:turn|win|border}", question(self.pictures.clicked))
        app.router.add_get("/{command:[a-z-]+}.svg", question(self.pictures.of_answer))
        app.router.add_get("/{command:[a-z-]+}.csv", question(pages.csv))
        play = self.play
        app.router.add_get("/play", page(play.lobby))
        app.router.add_post("/play", page(play.begin))
        app.router.add_get("/play/begun", page(play.begun))
        game = "/game/{game:[0-9a-f]{1,16}}"
        app.router.add_get(game, page(play.table))
        app.router.add_post(game, page(play.press))
        for name, shown in (
            ("review", play.review),
            ("chart.svg", play.chart),
            ("proof.json", play.proof),
            ("version", play.version),
        ):
            app.router.add_get(f"{game}/{name}", page(shown))
        own = self.own
        app.router.add_get("/practise", page(own.practise))
        app.router.add_post("/press", page(own.press))
        app.router.add_get("/told/{number:[0-9a-f]{8}}", page(own.told))
        for name, command in own.practice.items():
            app.router.add_get(f"/{name}", page(partial(own.asked, command=command)))
            app.router.add_post(f"/{name}", page(partial(own.begin, command=command)))
        app.router.add_get("/rules", page(own.rules))
        app.router.add_get("/rules/new", page(own.rule_form))
        app.router.add_post("/rules/new", page(own.make))
        app.router.add_get("/rules/{name}", page(own.rule_set))
        app.router.add_post("/rules/{name}", page(own.change))
        app.router.add_get("/rules/{name}/solving", page(own.solving))
        api = Api(pages)
        app.router.add_get("/api", page(api.told))
        app.router.add_get(f"{BASE}/openapi.json", question(api.description))
        for command in pages.questions.values():
            said = partial(api.answer, command=command)
            app.router.add_get(f"{BASE}/{command.name}", question(said))
        app.router.add_static("/static", FOLDER / "static")
        for command in pages.questions.values():
            if command.name not in {"advise", "position"}:
                answer = partial(pages.command, command=command)
                app.router.add_get(f"/{command.name}", question(answer))
        app.on_shutdown.append(lambda _: self.answers.close())
        return app

    @web.middleware
    async def _answered(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answer in the language of who asks, whatever goes wrong, with what all answers have."""
        code = request.query.get("lang", "")
        if code not in CODES:
            code = best_code(request.headers.get("Accept-Language", ""))
        speak(on_pages(code, has_forms=not request.path.startswith(BASE)))
        began = time.monotonic()
        try:
            self.visitors.check_rate(request)
            response = await handler(request)
        except web.HTTPException as error:
            response = self._refused(request, error)
        except Exception as error:  # whatever one answer is, the others go on
            sentence = failure(error, "a page").text
            response = self._said(request, sentence, status_of(type(error)))
        if self._told and (resource := request.match_info.route.resource):
            self._told(resource.canonical, time.monotonic() - began)
        response.headers.update(_HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["Vary"] = "Accept-Language, Cookie"
        return response

    def _refused(self, request: web.Request, error: web.HTTPException) -> web.StreamResponse:
        if error.status < 400:
            raise error
        sentence = {
            403: say("this form is out of date: open its page again and send it from there"),
            404: say("there is no such page here"),
            405: say("this page takes no such request"),
            413: say("that is too much for one form"),
            429: say("too much is asked from your address: wait a few seconds"),
        }.get(error.status, error.reason)
        response = self._said(request, sentence, error.status)
        kept = {"Retry-After", "Allow"} & error.headers.keys()
        response.headers.update({name: error.headers[name] for name in kept})
        return response

    def _said(self, request: web.Request, sentence: str, status: int) -> web.Response:
        """Say what went wrong, as JSON where that is asked for."""
        if request.path.startswith(BASE):
            return _refusal(sentence, status)
        return Page(request, self.visitors.of(request), self.visitors).refused(sentence, status)


@asynccontextmanager
async def served(front: Front) -> AsyncIterator[str]:
    """Serve the pages; yields where. Raises OSError for an address in use."""
    chosen = front.chosen
    logging.getLogger("aiohttp.server").addFilter(_is_ours)
    runner = web.AppRunner(front.app(), access_log=None, shutdown_timeout=_FINISH_SECONDS)
    await runner.setup()
    try:
        if chosen.socket:
            await web.UnixSite(runner, chosen.socket).start()
            yield chosen.socket
            return
        site = web.TCPSite(runner, chosen.host, chosen.port)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    finally:
        await runner.cleanup()


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a failure is one of the program: anybody may send what is no request."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)
