"""A Discord on this machine: gateway and HTTP API on real sockets, for an unmodified bot process.

It keeps what Discord keeps (commands, messages, tokens of interactions), refuses what Discord
refuses, and plays the people: `slash`, `press` and `complete` are what they do.
"""

import asyncio
import itertools
import json
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import WSMsgType, web

from tests.bot.fronts.discord.components import (
    IN_PARTS,
    SELECT,
    buttons_of,
    component_problems,
    texts_of,
    told_back,
    walk,
)
from tests.bot.fronts.discord.specification import request_problems, response_problems
from tests.bot.odd_text import acted_on_in

APPLICATION, BOT = "1000", "1000"
_TEXT_ONLY = {"position", "topic", "nsfw", "permissions"}
"""What a thread does not have of a channel."""
TOKEN = "MTAwMA.loopback.token-of-the-bot"  # noqa: S105 - of no Discord
EPHEMERAL = 64
ANSWER_SECONDS = 3.0
PATIENCE = 240.0
"""Seconds: what workers make comes late, as they step back behind all else on a busy machine."""
_EPOCH = 1_420_070_400_000
_GUILD = "400"
"""A server that has the bot, of the first shard."""

Json = dict[str, Any]


def user(number: str, name: str) -> Json:
    """A user as Discord tells them."""
    return {
        "id": number,
        "username": name.lower(),
        "global_name": name,
        "discriminator": "0",
        "avatar": None,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }


@dataclass
class Message:
    """A message as it is now, with all states it had before."""

    id: str
    channel: str
    data: Json
    files: dict[str, bytes] = field(default_factory=dict)
    edits: int = 0
    allowed: Json = field(default_factory=dict)
    """Mentions that were allowed when it was said or changed last."""

    @property
    def text(self) -> str:
        """What it says."""
        return "\n".join([self.data["content"], *texts_of(self.data["components"])]).strip("\n")

    @property
    def ephemeral(self) -> bool:
        """Whether only one person sees it."""
        return bool(self.data["flags"] & EPHEMERAL)

    @property
    def buttons(self) -> list[Json]:
        """The buttons in their order."""
        return buttons_of(self.data["components"])

    @property
    def labels(self) -> list[str]:
        """What the buttons say."""
        return [button["label"] for button in self.buttons]

    def button(self, start: str) -> Json:
        """The button whose label begins so."""
        found = [one for one in self.buttons if one["label"].startswith(start)]
        assert found, f"no button {start!r} among {self.labels}"
        return found[0]

    def entry(self, start: str) -> str:
        """What is chosen from its list by the start of a label, if it is there."""
        lists = (one for one in walk(self.data["components"]) if one["type"] == SELECT)
        every = (entry for one in lists for entry in one["options"])
        return next((one["value"] for one in every if one["label"].startswith(start)), "")

    def action(self, name: str) -> Json | None:
        """The button of this action, if it is there and can be pressed."""
        found = [one for one in self.buttons if one["custom_id"].split(":")[-1] == name]
        return found[0] if found and not found[0].get("disabled") else None


@dataclass
class Interaction:
    """What somebody did, and what was answered."""

    id: str
    token: str
    began: float
    message: Message | None
    """The message whose button was pressed."""
    by: Json
    channel: str
    shown_after: float | None = None
    """Seconds until something was said or changed."""
    kind: int | None = None
    original: Message | None = None
    private: list[Message] = field(default_factory=list)
    choices: list[str] | None = None
    form: Json | None = None
    """What is to be typed into, where that was the answer."""
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    expired: bool = False


class Loopback:
    """The server."""

    verify_key = "0" * 64
    """By which requests that bring interactions are signed."""
    slow = 0.0
    """Seconds by which interactions reach the bot late."""
    locale = "en-US"
    """The locale of every server."""

    def __init__(self, shards: int = 1, *, checks: bool = True) -> None:
        """`checks`: whether requests are held against Discord's specification."""
        self.shards = shards
        self._checks = checks
        self.problems: list[str] = []
        """What the bot did that Discord would not take."""
        self.commands: list[Json] = []
        self.syncs = 0
        self.messages: dict[str, Message] = {}
        self.requests: list[tuple[str, str]] = []
        self.asked_back: list[int] = []
        """Kinds of the answers to interactions of which the message was to be sent back."""
        self.identified: list[Json] = []
        self.resumed = 0
        self.failures: list[tuple[str, int, Json, dict[str, str]]] = []
        """Answers to give instead: a part of the path, the status, the body, headers."""
        self.twist: Callable[[Json], Json] = lambda sent: sent
        """What is made of every interaction before it is sent."""
        self.deliver: Callable[[Json], Awaitable[None]] | None = None
        """What brings an interaction to the bot in place of the gateway."""
        self.seen: Callable[[Message], object] = lambda _: None
        """Is told each message as people see it."""
        self.known_token = TOKEN
        self.kinds: dict[str, int] = {}
        """Channels that are none of a server or between two people: 3 a group, 11 a thread."""
        self.threads: dict[str, str] = {}
        """Channels of threads that the bot has begun."""
        self.names: dict[str, str] = {}
        """What they are called."""
        self.unthreaded: set[str] = set()
        """Channels in which the bot may begin no threads."""
        self.nonces: dict[tuple[str, str], Message] = {}
        """What was said in a channel under a number of its own, which is said once."""
        self.closed: set[str] = set()
        """Channels that the bot has no access to: somebody installed it for themselves alone."""
        self._interactions: dict[str, Interaction] = {}
        self._sockets: dict[int, web.WebSocketResponse] = {}
        self._twins: list[web.WebSocketResponse] = []
        """Further connections for a shard that is connected: each is told of interactions, too."""
        self._missed: dict[int, list[str]] = defaultdict(list)
        self._sequences: dict[int, int] = defaultdict(int)
        self._ready = asyncio.Event()
        self._forgets_sessions = False
        self.away = False
        """Whether the gateway takes no connection."""
        self._ids = itertools.count(1)
        self.address = ""

    # ---- What people do ----

    async def ready(self, seconds: float = PATIENCE) -> None:
        """Wait until every shard is connected."""
        await asyncio.wait_for(self._ready.wait(), seconds)

    async def slash(
        self,
        by: Json,
        command_name: str,
        channel: str = "500",
        *,
        guild: str | None = _GUILD,
        **options: Any,
    ) -> Interaction:
        """Give a slash command; a subcommand as "rules show"."""
        group, _, sub = command_name.partition(" ")
        [command] = [one for one in self.commands if one["name"] == group and one["type"] == 1]
        takes = command.get("options", [])
        if sub:
            [takes] = [one.get("options", []) for one in takes if one["name"] == sub]
        given, resolved = self._options(takes, options)
        if sub:
            given = [{"type": 1, "name": sub, "options": given}]
        data = {
            "id": command["id"],
            "name": group,
            "type": 1,
            "options": given,
            "resolved": resolved,
        }
        return await self._interact(2, data, by, channel, guild)

    async def on_message(self, by: Json, name: str, text: str, channel: str = "500") -> Interaction:
        """Choose a command of the menu of somebody's message."""
        [command] = [one for one in self.commands if one["name"] == name and one["type"] == 3]
        message = self._message(channel, {"content": text}, by)
        data = {
            "id": command["id"],
            "name": name,
            "type": 3,
            "target_id": message.id,
            "resolved": {"messages": {message.id: message.data}},
        }
        return await self._interact(2, data, by, channel, _GUILD)

    async def press(
        self,
        by: Json,
        message: Message,
        label: str = "",
        *,
        custom_id: str = "",
        guild: str | None = _GUILD,
    ) -> Interaction:
        """Press a button, by the start of its label, or one that was there before by its id.

        What is in the list below is chosen from it.
        """
        if not custom_id and (entry := message.entry(label)):
            return await self.select(by, message, entry, guild=guild)
        if not custom_id:
            button = message.button(label)
            assert not button.get("disabled"), f"{label} is disabled"
            custom_id = button["custom_id"]
        data = {"custom_id": custom_id, "component_type": 2}
        return await self._interact(3, data, by, message.channel, guild, message)

    async def select(
        self,
        by: Json,
        message: Message,
        value: str,
        *,
        custom_id: str = "",
        guild: str | None = _GUILD,
    ) -> Interaction:
        """Choose an entry of the list below a message, or of one that was there by its id."""
        if not custom_id:
            [menu] = [one for one in walk(message.data["components"]) if one["type"] == SELECT]
            assert value in {one["value"] for one in menu["options"]}, value
            custom_id = menu["custom_id"]
        data = {"custom_id": custom_id, "component_type": SELECT, "values": [value]}
        return await self._interact(3, data, by, message.channel, guild, message)

    async def submit(
        self, by: Json, form: Interaction, typed: str, *, guild: str | None = _GUILD
    ) -> Interaction:
        """Type a line into the form that answered a press."""
        assert form.form is not None
        [line] = form.form["components"]
        field = line["component"] | {"value": typed}
        sent = {"type": 18, "id": 1, "component": {"id": 2, "type": 4, **field}}
        data = {"custom_id": form.form["custom_id"], "components": [sent], "resolved": {}}
        return await self._interact(5, data, by, form.channel, guild, form.message)

    async def complete(
        self, by: Json, name: str, option: str, text: str, channel: str = "500"
    ) -> list[str]:
        """Type into an option and see what is suggested."""
        [command] = [one for one in self.commands if one["name"] == name and one["type"] == 1]
        focused = {"type": 3, "name": option, "value": text, "focused": True}
        data = {"id": command["id"], "name": name, "type": 1, "options": [focused]}
        interaction = await self._interact(4, data, by, channel, _GUILD)
        await asyncio.wait_for(interaction.answered.wait(), PATIENCE)
        assert interaction.choices is not None
        return interaction.choices

    def public(self, channel: str = "500") -> list[Message]:
        """The bot's messages that all can see."""
        return [
            one
            for one in self.messages.values()
            if one.channel == channel and not one.ephemeral and one.data["author"]["id"] == BOT
        ]

    def expire(self, interaction: Interaction) -> None:
        """Let the token of an interaction die, as after 15 minutes."""
        interaction.expired = True

    async def drop(self, *, resumable: bool = True) -> None:
        """Break all connections."""
        self._ready.clear()
        self._forgets_sessions = not resumable
        sockets, self._sockets = list(self._sockets.values()), {}
        for socket in sockets:
            await socket.close(code=4000)

    # ---- The server ----

    @asynccontextmanager
    async def serve(self) -> AsyncIterator["Loopback"]:
        """Serve on a port of this machine."""
        app = web.Application(client_max_size=30 * 2**20)
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._api)
        runner = web.AppRunner(app, shutdown_timeout=0.5)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server: Any = site._server
        self.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            await runner.cleanup()

    @property
    def api(self) -> str:
        """For FARKLE_DISCORD_API."""
        return f"http://{self.address}/api/v10"

    @property
    def gateway(self) -> str:
        """For FARKLE_DISCORD_GATEWAY."""
        return f"ws://{self.address}/gateway"

    def _id(self) -> str:
        return str((int(time.time() * 1000) - _EPOCH << 22) + next(self._ids) % 4096)

    def _options(self, takes: list[Json], values: Json) -> tuple[list[Json], Json]:
        """Options as the client sends them, refused where Discord's client would not let one."""
        given = []
        resolved: Json = {"users": {}, "members": {}}
        known = {one["name"]: one for one in takes}
        for name, told in values.items():
            option = known[name.replace("_", "-")]
            kind, value = option["type"], told
            if kind == 6:
                value = told["id"]
                resolved["users"][value] = told
                resolved["members"][value] = self._member(told, in_full=False)
            elif kind == 4:
                assert option.get("min_value", value) <= value <= option.get("max_value", value)
            elif choices := option.get("choices"):
                assert value in {one["value"] for one in choices}, (name, value)
            given.append({"type": kind, "name": option["name"], "value": value})
        missing = {one["name"] for one in takes if one.get("required")}
        assert not missing - {one["name"] for one in given}
        return given, resolved

    def _member(self, who: Json, *, in_full: bool = True) -> Json:
        member: Json = {
            "roles": [],
            "nick": None,
            "avatar": None,
            "banner": None,
            "joined_at": "2026-01-01T00:00:00+00:00",
            "premium_since": None,
            "communication_disabled_until": None,
            "pending": False,
            "flags": 0,
            "permissions": str(who.get("permissions", 1 << 11 | 1 << 10)),
        }
        return member | {"user": _plain(who), "deaf": False, "mute": False} if in_full else member

    async def _interact(
        self,
        kind: int,
        data: Json,
        by: Json,
        channel: str,
        guild: str | None,
        message: Message | None = None,
    ) -> Interaction:
        number = self._id()
        token = f"token-{number}"
        interaction = Interaction(number, token, time.monotonic(), message, by, channel)
        self._interactions[token] = interaction
        sent: Json = {
            "id": number,
            "application_id": APPLICATION,
            "type": kind,
            "token": token,
            "version": 1,
            "data": data,
            "channel_id": channel,
            "channel": self._place(channel, guild),
            "locale": by.get("locale", "en-US"),
            "app_permissions": "2147601408",
            "entitlements": [],
            "authorizing_integration_owners": (
                {"1": by["id"]} if channel in self.closed else {"0": guild or "0"}
            ),
            "context": 0 if guild else 2 if channel in self.kinds else 1,
            "attachment_size_limit": 10 * 2**20,
        }
        if guild:
            sent |= {
                "guild_id": guild,
                "guild": {"id": guild, "locale": self.locale, "features": []},
                "guild_locale": self.locale,
                "member": self._member(by),
            }
        else:
            sent["user"] = _plain(by)
        if message is not None:
            sent["message"] = message.data
        shard = (int(guild) >> 22) % self.shards if guild else 0
        if guild and self.shards > 1:
            shard = int(guild) % self.shards
        if self.slow:
            await asyncio.sleep(self.slow)
        if self.deliver:
            await self.deliver(self.twist(sent))
        else:
            await self._dispatch(shard, "INTERACTION_CREATE", self.twist(sent))
        return interaction

    def _place(self, channel: str, guild: str | None) -> Json:
        if channel in self.threads:
            own = {"parent_id": self.threads[channel], "owner_id": BOT}
            return _channel(channel, guild, 11) | own
        return _channel(channel, guild, self.kinds.get(channel))

    async def _dispatch(self, shard: int, event: str, data: Json) -> None:
        self._sequences[shard] += 1
        text = json.dumps({"op": 0, "t": event, "s": self._sequences[shard], "d": data})
        for twin in self._twins:
            if event == "INTERACTION_CREATE" and not twin.closed:
                await twin.send_str(text)
        socket = self._sockets.get(shard)
        if socket is not None and not socket.closed:
            with suppress(ConnectionError):  # it breaks off now
                await socket.send_str(text)
                return
        self._missed[shard].append(text)

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        if self.away:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        hello = {"op": 10, "d": {"heartbeat_interval": 41250}, "s": None, "t": None}
        await socket.send_str(json.dumps(hello))
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await self._heard(socket, json.loads(message.data))
        for shard in [number for number, one in self._sockets.items() if one is socket]:
            del self._sockets[shard]
            self._ready.clear()
        return socket

    async def _heard(self, socket: web.WebSocketResponse, payload: Json) -> None:
        match payload["op"]:
            case 1:
                await socket.send_str(json.dumps({"op": 11, "d": None, "s": None, "t": None}))
            case 2:
                data = payload["d"]
                if data["token"] != self.known_token:
                    await socket.close(code=4004)
                    return
                self.identified.append(data)
                shard, count = data.get("shard", [0, 1])
                self._missed.pop(shard, None)  # a new session is told nothing of before
                if count != self.shards:
                    self.problems.append(f"{count} shards instead of {self.shards}")
                before = self._sockets.get(shard)
                if before is not None and not before.closed:
                    self._twins.append(before)
                self._sockets[shard] = socket
                ready = {
                    "v": 10,
                    "user": user(BOT, "Farkle") | {"bot": True},
                    # as without its intent: nothing more is said of it
                    "guilds": [{"id": _GUILD, "unavailable": True}][: shard == 0],
                    "session_id": f"session-{shard}",
                    "resume_gateway_url": self.gateway,
                    "shard": [shard, count],
                    "application": {"id": APPLICATION, "flags": 0},
                }
                await self._dispatch(shard, "READY", ready)
                self._see_ready()
            case 6 if self._forgets_sessions:
                self._forgets_sessions = False
                await socket.send_str(json.dumps({"op": 9, "d": False, "s": None, "t": None}))
            case 6:
                shard = int(payload["d"]["session_id"].removeprefix("session-"))
                self.resumed += 1
                self._sockets[shard] = socket
                for text in self._missed.pop(shard, []):
                    await socket.send_str(text)
                await self._dispatch(shard, "RESUMED", {})
                self._see_ready()
            case 3 | 4 | 8:
                pass
            case other:
                self.problems.append(f"gateway operation {other}")

    def _see_ready(self) -> None:
        if len(self._sockets) == self.shards:
            self._ready.set()

    async def _api(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        method = request.method
        self.requests.append((method, path))
        for failure in list(self.failures):
            part, status, answer, headers = failure
            if part in f"{method} {path}":
                self.failures.remove(failure)
                return _json(answer, status, headers)
        if request.headers.get("Authorization") not in {f"Bot {self.known_token}", None}:
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        body, files = await self._body(request)
        if self._checks:
            self.problems += [
                f"{method} {path}: {problem}" for problem in request_problems(method, path, body)
            ]
        status, answer = self._answer(method, path.strip("/").split("/"), body, files, request)
        if self._checks:
            self.problems += [
                f"the loopback itself, {method} {path}: {problem}"
                for problem in response_problems(method, path, status, answer)
            ]
        if answer is None:
            return web.Response(status=status)
        return _json(answer, status)

    async def _body(self, request: web.Request) -> tuple[Any, dict[str, bytes]]:
        if request.content_type == "multipart/form-data":
            form = await request.post()
            files: dict[str, bytes] = {}
            for value in form.values():
                if isinstance(value, web.FileField):
                    files[value.filename] = value.file.read()
            return json.loads(str(form["payload_json"])), files
        if request.can_read_body:
            return await request.json(), {}
        return None, {}

    def _answer(  # noqa: PLR0911 - one for each thing that can be asked
        self,
        method: str,
        parts: list[str],
        body: Any,
        files: dict[str, bytes],
        request: web.Request,
    ) -> tuple[int, Any]:
        match method, parts:
            case "GET", ["users", "@me"]:
                if request.headers.get("Authorization") != f"Bot {self.known_token}":
                    return 401, {"message": "401: Unauthorized", "code": 0}
                return 200, _account()
            case "GET", ["oauth2" | "applications", *_]:
                return 200, _application() | {"verify_key": self.verify_key}
            case "GET", ["gateway", "bot"]:
                limit = {
                    "total": 1000,
                    "remaining": 999,
                    "reset_after": 86_400_000,
                    "max_concurrency": self.shards,
                }
                return 200, {
                    "url": self.gateway,
                    "shards": self.shards,
                    "session_start_limit": limit,
                }
            case "PUT", ["applications", _, "commands"]:
                return 200, self._sync(body)
            case "POST", ["interactions", _, token, "callback"]:
                status, answer = self._callback(token, body, files)
                asks_back = request.query.get("with_response") in {"1", "true"}
                self.asked_back += [body["type"]] if asks_back else []
                return (status, answer) if asks_back or status != 200 else (204, None)
            case "POST", ["webhooks", _, token]:
                return self._follow_up(token, body, files)
            case "PATCH", ["webhooks", _, token, "messages", which]:
                return self._edit_by_token(token, which, body, files)
            case "DELETE", ["webhooks", _, token, "messages", which]:
                return self._delete_by_token(token, which)
            case _, ["channels", channel, "messages", *_] if channel in self.closed:
                return 403, {"message": "Missing Access", "code": 50001}
            case "PATCH", ["channels", _, "messages", which]:
                if which not in self.messages or self.messages[which].ephemeral:
                    return 404, {"message": "Unknown Message", "code": 10008}
                return 200, self._edit(self.messages[which], body, files)
            case "POST", ["channels", channel, "messages", which, "threads"]:
                return self._thread(channel, which, body)
            case "POST", ["channels", channel, "messages"] if (
                channel in self.messages and channel not in self.threads
            ):
                return 404, {"message": "Unknown Channel", "code": 10003}
            case "POST", ["channels", channel, "messages"]:
                number = channel, body.get("nonce") or self._id()
                if not (body.get("enforce_nonce") and number in self.nonces):
                    self.nonces[number] = self._message(channel, body, None, files)
                return 200, self.nonces[number].data
            case "GET", ["channels", channel, "messages"]:
                return 200, self._history(channel, request.query)
        self.problems.append(f"unexpected {method} {parts}")
        return 404, {"message": "404: Not Found", "code": 0}

    def _history(self, channel: str, query: Mapping[str, str]) -> list[Json]:
        """What was said in a channel, the last first."""
        first, last = int(query.get("after", 0)), int(query.get("before", 1 << 63))
        said = [
            one.data
            for one in self.messages.values()
            if one.channel == channel and not one.ephemeral and first < int(one.id) < last
        ]
        most = int(query.get("limit", 50))
        return (said[:most] if first else said[-most:])[::-1]

    def _thread(self, channel: str, which: str, body: Json) -> tuple[int, Any]:
        if channel in self.unthreaded:
            return 403, {"message": "Missing Permissions", "code": 50013}
        if which not in self.messages or which in self.threads:
            return 400, {"message": "A thread has already been created", "code": 160004}
        self.threads[which] = channel
        self.names[which] = body["name"]
        known = _channel(which, _GUILD, 11)
        own = {"guild_id": _GUILD, "name": body["name"], "parent_id": channel, "owner_id": BOT}
        thread = {key: one for key, one in (known | own).items() if key not in _TEXT_ONLY}
        return 201, thread | {"flags": 0}

    def _sync(self, body: list[Json]) -> list[Json]:
        self.syncs += 1
        if len([one for one in body if one.get("type", 1) == 1]) > 100:
            self.problems.append("more than 100 commands")
        for one in body:
            if one.get("type", 1) == 1:
                self._check_command(one)
        names = [(one.get("type", 1), one["name"]) for one in body]
        if len(set(names)) < len(names):
            self.problems.append("two commands of one name")
        self.commands = [
            {
                "id": str(2000 + number),
                "application_id": APPLICATION,
                "version": "1",
                "default_member_permissions": None,
                "dm_permission": True,
                "type": 1,
                "description": "",
                "nsfw": False,
            }
            | {key: value for key, value in one.items() if value is not None}
            for number, one in enumerate(body)
        ]
        return self.commands

    def _check_command(self, one: Json) -> None:
        if one["name"] != one["name"].lower():
            self.problems.append(f"upper-case command {one['name']}")
        if not one.get("description"):
            self.problems.append(f"{one['name']} has no description")
        seen_optional = False
        for option in one.get("options", []):
            if option["type"] in {1, 2}:
                self._check_command(option)
                continue
            if option.get("required") and seen_optional:
                self.problems.append(f"{one['name']}: a required option after one that is not")
            seen_optional = seen_optional or not option.get("required")
            if not option.get("description"):
                self.problems.append(f"{one['name']} {option['name']} has no description")

    def _callback(self, token: str, body: Json, files: dict[str, bytes]) -> tuple[int, Any]:
        interaction = self._interactions.get(token)
        if interaction is None or time.monotonic() - interaction.began > ANSWER_SECONDS:
            return 404, {"message": "Unknown interaction", "code": 10062}
        if interaction.kind is not None:
            return 400, {"message": "Interaction has already been acknowledged.", "code": 40060}
        interaction.kind = kind = body["type"]
        data = body.get("data") or {}
        message: Message | None = None
        if kind == 4:
            message = self._said(interaction, data, files)
        elif kind == 5:
            flags = data.get("flags", 0) | 128
            loading = {"content": "", "flags": flags}
            interaction.original = self._message(interaction.channel, loading, None, check=False)
            message = interaction.original
        elif kind == 7 and interaction.message is not None:
            self._edit(interaction.message, data, files)
            message = interaction.original = interaction.message
            self._see_shown(interaction)
        elif kind == 9:
            interaction.form = data
            self._see_shown(interaction)
        elif kind == 6:
            message = interaction.original = interaction.message
        elif kind == 8:
            interaction.choices = [one["value"] for one in data["choices"]]
        interaction.answered.set()
        callback: Json = {"interaction": {"id": interaction.id, "type": 2}}
        callback["interaction"]["response_message_ephemeral"] = bool(message and message.ephemeral)
        callback["interaction"]["response_message_loading"] = kind == 5
        if message is not None:
            callback["interaction"]["response_message_id"] = message.id
            callback["interaction"]["channel_id"] = message.channel
        if kind in {4, 7} and message is not None:
            callback["resource"] = {"type": kind, "message": message.data}
        return 200, callback

    def _said(self, interaction: Interaction, data: Json, files: dict[str, bytes]) -> Message:
        message = self._message(interaction.channel, data, None, files)
        if interaction.original is None and not message.ephemeral:
            interaction.original = message
        if message.ephemeral:
            interaction.private.append(message)
        self._see_shown(interaction)
        return message

    def _see_shown(self, interaction: Interaction) -> None:
        if interaction.shown_after is None:
            interaction.shown_after = time.monotonic() - interaction.began
        interaction.shown.set()

    def _by_token(self, token: str) -> Interaction | None:
        found = self._interactions.get(token)
        return None if found is None or found.expired else found

    def _follow_up(self, token: str, body: Json, files: dict[str, bytes]) -> tuple[int, Any]:
        interaction = self._by_token(token)
        if interaction is None:
            return 401, {"message": "Invalid Webhook Token", "code": 50027}
        if interaction.kind is None:
            return 404, {"message": "Unknown Webhook", "code": 10015}
        loading = interaction.original
        if interaction.kind == 5 and loading and loading.data["flags"] & 128:
            # as Discord says: it takes the place of what was announced, whoever it is for
            if loading.id in self.messages:
                loading.data["flags"] &= ~128
                self._see_shown(interaction)
                return 200, self._edit(loading, body, files)
            interaction.original = None
        return 200, self._said(interaction, body, files).data

    def _edit_by_token(
        self, token: str, which: str, body: Json, files: dict[str, bytes]
    ) -> tuple[int, Any]:
        interaction = self._by_token(token)
        if interaction is None:
            return 401, {"message": "Invalid Webhook Token", "code": 50027}
        message = interaction.original if which == "@original" else self.messages.get(which)
        if message is None or message.id not in self.messages:
            return 404, {"message": "Unknown Message", "code": 10008}
        message.data["flags"] &= ~128
        answer = self._edit(message, body, files)
        self._see_shown(interaction)
        return 200, answer

    def _delete_by_token(self, token: str, which: str) -> tuple[int, Any]:
        interaction = self._by_token(token)
        if interaction is None:
            return 401, {"message": "Invalid Webhook Token", "code": 50027}
        message = interaction.original if which == "@original" else self.messages.get(which)
        if message is None or message.id not in self.messages:
            return 404, {"message": "Unknown Message", "code": 10008}
        del self.messages[message.id]
        return 204, None

    def _message(
        self,
        channel: str,
        body: Json,
        by: Json | None,
        files: dict[str, bytes] | None = None,
        *,
        check: bool = True,
    ) -> Message:
        number = self._id()
        data: Json = {
            "id": number,
            "type": 0,
            "content": "",
            "channel_id": channel,
            "author": _plain(by) if by else _account_user(),
            "attachments": [],
            "embeds": [],
            "mentions": [],
            "mention_roles": [],
            "mention_everyone": False,
            "pinned": False,
            "tts": False,
            "timestamp": datetime.now(UTC).isoformat(),
            "edited_timestamp": None,
            "flags": body.get("flags") or 0,
            "components": [],
        }
        message = Message(number, channel, data)
        self.messages[number] = message
        self._change(message, body, files or {}, check=check and by is None)
        return message

    def _edit(self, message: Message, body: Json, files: dict[str, bytes]) -> Json:
        message.edits += 1
        message.data["edited_timestamp"] = datetime.now(UTC).isoformat()
        self._change(message, body, files, check=True)
        return message.data

    def _change(
        self, message: Message, body: Json, files: dict[str, bytes], *, check: bool
    ) -> None:
        data = message.data
        if allowed := body.get("allowed_mentions"):
            message.allowed = allowed
        if "content" in body:
            data["content"] = body["content"] or ""
        data["flags"] |= (body.get("flags") or 0) & IN_PARTS
        if "components" in body:
            sent = body["components"] or []
            data["components"] = told_back(sent, files, self.address)
        if "attachments" in body:
            message.files = dict(files)
            data["attachments"] = [
                {
                    "id": self._id(),
                    "filename": name,
                    "description": one.get("description", ""),
                    "size": len(content),
                    "url": f"http://{self.address}/files/{name}",
                    "proxy_url": f"http://{self.address}/files/{name}",
                    "content_type": "image/png",
                }
                for one, (name, content) in zip(body["attachments"], files.items(), strict=True)
            ]
        self.seen(message)
        if check:
            self._check_message(message, body)

    def _check_message(self, message: Message, body: Json) -> None:
        """What Discord refuses though its description does not say so."""
        data = message.data
        problems = []
        if not (data["content"] or data["attachments"] or data["embeds"] or data["components"]):
            problems.append("an empty message")
        if len(data["content"]) > 2000:
            problems.append(f"{len(data['content'])} characters")
        if "components" in body:
            names = {one["filename"] for one in data["attachments"]}
            problems += component_problems(data, body["components"] or [], names)
        if said := "\n".join([body.get("content") or "", *texts_of(body.get("components") or [])]):
            mentions = body.get("allowed_mentions")
            if mentions is None or mentions.get("parse") != []:
                problems.append(f"mentions are not held back: {mentions}")
            # but for whom is mentioned on purpose
            called = [f"<@{number}>" for number in (mentions or {}).get("users") or []]
            called += [f"</{one['name']}:{one['id']}>" for one in self.commands]
            said = re.sub("|".join(map(re.escape, called)) or "$^", "", said)
            problems += [f"Discord acts on {one!r}" for one in acted_on_in(said)]
        self.problems += [f"message {data['content'][:60]!r}: {one}" for one in problems]


def _plain(who: Json) -> Json:
    """A user without what only a member of a server has."""
    return {key: value for key, value in who.items() if key not in {"permissions", "locale"}}


def _channel(number: str, guild: str | None, kind: int | None) -> Json:
    if guild is None:
        between: Json = {"id": number, "type": kind or 1, "flags": 0, "last_message_id": None}
        return between | {"recipients": []}
    if kind == 11:
        thread = {"archived": False, "auto_archive_duration": 60, "locked": False}
        return _channel(number, guild, 0) | {
            "type": 11,
            "parent_id": "500",
            "owner_id": "11",
            "message_count": 0,
            "member_count": 1,
            "total_message_sent": 0,
            "thread_metadata": thread | {"archive_timestamp": "2026-01-01T00:00:00+00:00"},
        }
    return {
        "id": number,
        "type": 0,
        "guild_id": guild,
        "name": "table",
        "position": 0,
        "parent_id": None,
        "topic": None,
        "nsfw": False,
        "flags": 0,
        "last_message_id": None,
        "rate_limit_per_user": 0,
        "permissions": "2147601408",
    }


def _account_user() -> Json:
    return user(BOT, "Farkle") | {"bot": True}


def _account() -> Json:
    return _account_user() | {
        "mfa_enabled": False,
        "locale": "en-US",
        "verified": True,
        "email": None,
        "premium_type": 0,
    }


def _application() -> Json:
    return {
        "id": APPLICATION,
        "name": "Farkle",
        "icon": None,
        "description": "",
        "verify_key": "0" * 64,
        "flags": 0,
        "flags_new": "0",
        "eligible_oauth2_scopes": [],
        "bot_public": True,
        "bot_require_code_grant": False,
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": user("1", "Owner"),
        "team": None,
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "integration_types_config": {},
        "type": None,
        "event_webhooks_status": 1,
    }


def _json(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py takes only this content type, without a character set
    return web.Response(
        body=json.dumps(data).encode(),
        status=status,
        headers={"Content-Type": "application/json", **(headers or {})},
    )
