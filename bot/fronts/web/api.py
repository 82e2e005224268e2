"""Answers as JSON, and what OpenAPI says of them."""

from typing import Any

from aiohttp import web

from bot.chat.commands import Command
from bot.chat.fields import Field, Kind
from bot.fronts.web.answers import asked, data_of, label_of, line_of
from bot.fronts.web.page import Page
from bot.fronts.web.pages import Pages
from bot.fronts.web.rendering import CODES
from bot.views.drawing import draw_as
from bot.views.layout import whole_sentence
from solver.wording import say

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
        known = {one.name for one in command.fields or ()}
        if unknown := sorted(page.given.keys() - known):
            takes = ", ".join(sorted(known)) or "-"
            told = say(
                "/{command} takes {takes}, not {other}",
                command=command.name,
                takes=takes,
                other=unknown[0],
            )
            return web.json_response({"error": whole_sentence(told)}, status=400)
        line = line_of(command, asked(command, page.given))
        answer = await self._pages.answer(page, line, _PATIENCE)
        if not answer.is_done:
            return web.json_response(
                {"working": answer.last.text if answer.last else ""},
                status=202,
                headers={"Retry-After": "2"},
            )
        return web.json_response(data_of(answer), status=400 if answer.error else 200)

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
        "paths": {f"/{name}": {"get": _operation(one)} for name, one in questions.items()},
        "components": {
            "schemas": {
                "Error": _object({"error": {"type": "string"}}),
                "Working": _object({"working": {"type": "string"}}),
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
    fields = command.fields or ()
    return {
        "operationId": command.name,
        "summary": say(command.summary),
        "parameters": [*(_parameter(command, one) for one in fields), language],
        "responses": {
            "200": _content(say("The answer"), {}),
            "202": _content(
                say("It takes longer: ask again in some seconds"),
                {"$ref": "#/components/schemas/Working"},
            ),
            "400": _content(
                say("What is wrong with the question"), {"$ref": "#/components/schemas/Error"}
            ),
        },
    }


def _parameter(command: Command, one: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if one.choices:
        schema["enum"] = list(one.choices)
    elif one.kind is Kind.NUMBER:
        schema = {"type": "integer", "minimum": one.least, "maximum": one.most}
    elif one.most:
        schema["maxLength"] = one.most
    return {
        "name": one.name,
        "in": "query",
        "required": one.required,
        "description": say(label_of(command, one)),
        "schema": {key: value for key, value in schema.items() if value is not None},
    }


def _content(told: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": told, "content": {"application/json": {"schema": schema}}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
