"""Presses, commands and suggestions, as Discord sends them to the front.

discord.py reads the interactions and calls the front; its answers go nowhere. What is fuzzed is
what somebody can choose: the id of a button, names and values of options, what a message says, and
whether there is a server and a channel. The rest is as Discord sends it.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import discord
from discord import app_commands
from discord.webhook.async_ import AsyncWebhookAdapter

from bot.fronts.discord import answers
from bot.fronts.discord.client import FarkleClient
from bot.fronts.discord.front import DiscordFront
from bot.fronts.discord.slash import RULES_COMMANDS
from bot.services.tables import Tables
from solver.rules.file import load_rules
from tests.bot.fronts.discord.loopback import user
from tests.bot.slash_options import slash_options
from tests.fuzz.targets import FindError, Give, Log, open_program

Json = dict[str, Any]
_REFUSALS = (
    discord.HTTPException,
    # of commands as they were before an update
    app_commands.CommandNotFound,
    app_commands.CommandSignatureMismatch,
)
_PEOPLE = (user("1", "ann"), user("2", "bob"), user("3", "c`*_@everyone"))
_ME = "77"
_MOST = 8
"""Interactions of one input."""


def _message(channel: str) -> Json:
    """A message as Discord describes it."""
    return {
        "id": "500",
        "type": 0,
        "channel_id": channel,
        "author": user(_ME, "farkle") | {"bot": True},
        "content": "",
        "timestamp": datetime.now(UTC).isoformat(),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "components": [],
        "pinned": False,
        "flags": 0,
    }


async def _answered(*args: Any, **_: Any) -> Any:
    """What Discord answers to any request."""
    route = args[1]
    if "callback" in route.url:
        message = _message("9")
        return {
            "interaction": {"id": "1", "type": 2},
            "resource": {"type": 4, "message": message},
        }
    return None if route.method == "DELETE" else _message("9")


@contextmanager
def open_discord(folder: Path) -> Iterator[Give]:
    """The front behind discord.py, without a connection."""
    log, numbers = Log(*_REFUSALS), count(1)
    logging.getLogger().addHandler(log)
    with (
        asyncio.Runner() as runner,
        mock.patch.object(AsyncWebhookAdapter, "request", _answered),
        mock.patch.object(discord.http.HTTPClient, "request", _answered),
        mock.patch.object(answers, "BETWEEN_EDITS", 0.0),
    ):
        program = open_program(folder)
        parts = runner.run(program.__aenter__())
        front = DiscordFront(parts.commands, parts.pressing)

        async def connect() -> FarkleClient:
            client = FarkleClient(front, parts.store, folder)
            await client._async_setup_hook()
            state: Any = client._connection
            state.user = discord.ClientUser(state=state, data=user(_ME, "farkle"))  # type: ignore[arg-type]
            state.application_id = int(_ME)
            return client

        client = runner.run(connect())
        going_on = asyncio.all_tasks(runner.get_loop())  # as long as the program is open

        async def send(steps: list[Json], place: str) -> None:
            failed: list[BaseException] = []
            asyncio.get_running_loop().set_exception_handler(
                lambda _, context: failed.append(
                    context.get("exception") or FindError(context["message"])
                )
            )
            for step in steps[:_MOST]:
                payload = await _payload(step, place, parts.games.tables)
                client._connection.parsers["INTERACTION_CREATE"](payload)
                while others := set(filter(_is_answering, asyncio.all_tasks() - going_on)):
                    await asyncio.wait(others)
            found = [*log.found, *failed]
            if found:
                raise found[0]

        def give(data: bytes) -> None:
            try:
                steps = json.loads(data)
                json.dumps(steps).encode()
            except (ValueError, RecursionError):
                return
            if isinstance(steps, list) and all(isinstance(one, dict) for one in steps):
                log.found.clear()
                runner.run(send(steps, str(1000 + next(numbers))))

        try:
            yield give
        finally:
            logging.getLogger().removeHandler(log)
            runner.run(program.__aexit__(None, None, None))


def _is_answering(task: asyncio.Task[Any]) -> bool:
    """Whether a task does something; discord.py drops buttons for one alone after 15 minutes."""
    drops_buttons = getattr(task.get_coro(), "__name__", "").endswith("timeout_task_impl")
    return task is not asyncio.current_task() and not drops_buttons


async def _payload(step: Json, channel: str, tables: Tables) -> Json:
    """What Discord sends for a step; "GAME" and "VERSION" are those of a game of the channel."""
    text = _text(step.get("id"))
    for table in await tables.open_at(f"discord:{channel}"):
        text = text.replace("GAME", table.game.id).replace("VERSION", str(table.game.version))
    by = _PEOPLE[_number(step.get("by")) % len(_PEOPLE)]
    kinds = {"press": 3, "command": 2, "menu": 2, "complete": 4}
    kind = kinds.get(_text(step.get("do")), 3)
    data: Json
    match kind, step.get("do"):
        case 3, _:
            data = {"custom_id": text[:100], "component_type": 2, "id": 1}
        case _, "menu":
            message = _message(channel) | {"content": _text(step.get("text"))[:2000]}
            resolved = {"messages": {"500": message}}
            data = {"id": "1", "name": "Advise on these dice", "type": 3, "target_id": "500"}
            data["resolved"] = resolved
        case _:
            given = [_option(one) for one in _list(step.get("options"))]
            if kind == 4:
                # what was typed so far
                given = given or [_option([])]
                given[-1] |= {"type": 3, "value": str(given[-1]["value"]), "focused": True}
            if sub := _text(step.get("sub")):
                given = [{"type": 1, "name": sub, "options": given}]
            users = {one["id"]: one for one in _PEOPLE}
            data = {"id": "1", "name": _text(step.get("name"))[:32], "type": 1, "options": given}
            data["resolved"] = {"users": users}
    sent: Json = {
        "id": str(discord.utils.time_snowflake(datetime.now(UTC))),
        "application_id": _ME,
        "type": kind,
        "token": "token",
        "version": 1,
        "data": data,
        "channel_id": channel,
        "channel": {"id": channel, "type": 1, "recipients": [by], "last_message_id": None},
        "locale": _text(step.get("locale")) or "en-US",
        "app_permissions": "2147601408",
        "entitlements": [],
        "authorizing_integration_owners": {"0": "0"},
        "context": 1,
        "attachment_size_limit": 10 * 2**20,
    }
    if "channel" in step:
        sent["channel"] = None
    if step.get("guild"):
        sent |= {
            "guild_id": "7",
            "guild": {"id": "7", "locale": "de", "features": []},
            "guild_locale": "de",
            "member": {
                "user": by,
                "roles": [],
                "joined_at": datetime.now(UTC).isoformat(),
                "permissions": str(_number(step.get("permissions"))),
                "deaf": False,
                "mute": False,
                "flags": 0,
            },
        }
    else:
        sent["user"] = by
    if kind == 3:
        sent["message"] = _message(channel)
    return sent


def _option(given: Any) -> Json:
    """An option with its value, of the type that the value has."""
    name, value = (*_list(given), "", "")[:2]
    if isinstance(value, bool | float) or not isinstance(value, int | str):
        value = _text(value)
    if isinstance(value, str) and value in {one["id"] for one in _PEOPLE}:
        return {"type": 6, "name": _text(name), "value": value}
    kind = 4 if isinstance(value, int) else 3
    return {"type": kind, "name": _text(name), "value": value}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int:
    return min(abs(value), 2**62) if isinstance(value, int) else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def examples() -> Iterator[bytes]:
    """Games by buttons, and every command with some of its options."""
    begin: Json = {"do": "command", "name": "play", "options": [["player2", "2"], ["goal", 500]]}
    roll: Json = {"do": "press", "id": "t:GAME:VERSION:0:en:roll"}
    presses = ("hint", "die0", "bank", "undo", "why", "refresh", "resign", "end", "review", "again")
    games: list[list[Json]] = [[begin, roll, roll | {"by": 1}]]
    for action in presses:
        press = {"do": "press", "id": f"t:GAME:VERSION:3:de:{action}"}
        games.append([begin, roll, press, press | {"guild": 1, "permissions": 16}])
    games.append([begin, {"do": "press", "id": "y:end:en:GAME"}, {"id": "r:GAME:0:on"}])
    walk = f"x:{load_rules('kcd').digest[:12]}:en:50.-50.300.2.0.1.0.7:kcd:meup"
    games.append([{"do": "press", "id": walk}, {"do": "press", "id": walk.replace("300.2", "0.6")}])
    games.append([{"do": "menu", "text": "I rolled 6 5 3 3 3 2!"}, {"do": "menu", "text": "no"}])
    values: Json = {"player2": "2", "who": "1", "against": "2", "goal": 500, "dice": "6 5 3 3"}
    for name, options in slash_options().items():
        given = [
            [one.name, values.get(one.name, one.choices[0] if one.choices else 1)]
            for one in options[:3]
        ]
        games.append([begin, {"do": "command", "name": name, "options": given}])
        games.append([{"do": "complete", "name": name, "options": given, "guild": 1}])
    for sub in RULES_COMMANDS:
        given = [["name", "mine"], ["base", "kcd"], ["goal", 500], ["more", "three-pairs:750"]]
        games.append(
            [{"do": "command", "name": "rules", "sub": sub, "options": given[: 4 * (sub == "new")]}]
        )
    yield from (json.dumps(game).encode() for game in games)
