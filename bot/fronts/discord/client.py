"""The connection with Discord: login, commands, shutdown; what goes wrong is one line each."""

import asyncio
import contextlib
import hashlib
import json
import logging
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord import app_commands
from filelock import AsyncFileLock
from yarl import URL

from bot import log
from bot.chat.commands import Reply
from bot.fronts.discord import asking
from bot.fronts.discord.answers import files_of
from bot.fronts.discord.frames import card_view, own_message
from bot.fronts.discord.front import DiscordFront
from bot.fronts.discord.settings import DiscordSettings, Shards
from bot.fronts.discord.signed import Door
from bot.fronts.discord.slash import CommandTranslator
from bot.languages import best_language
from bot.store.rows import StoreError
from bot.store.store import Store
from bot.tasks.answering import until_ended
from solver.errors import FarkleError, InvalidRequestError
from solver.folders import OWNER_ONLY
from solver.wording import said_in

logger = logging.getLogger(__name__)

_UNAUTHORIZED = 4004
FINISH_SECONDS = 6.0
"""How long answers under way may take when the program ends: Docker kills it after ten seconds."""
_COMMANDS_KEY = "commands"
PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    attach_files=True,
    read_message_history=True,
    create_public_threads=True,
)
"""What the bot needs to find a table, to edit it later, and to begin its thread."""


class DiscordError(FarkleError):
    """Discord cannot be reached or refuses the bot."""


class BadTokenError(DiscordError):
    """Discord does not know the token."""


class FarkleTree(app_commands.CommandTree["FarkleClient"]):
    """The slash commands; every failure is told to the one who asked, in one sentence."""

    async def interaction_check(self, interaction: discord.Interaction["FarkleClient"], /) -> bool:
        """Leave alone what Discord would not take an answer to any more."""
        return self.client.front.listen(interaction)

    async def on_error(
        self,
        interaction: discord.Interaction["FarkleClient"],
        error: app_commands.AppCommandError,
        /,
    ) -> None:
        """Tell what went wrong; the place for details is the log."""
        cause: Exception = getattr(error, "original", error)
        if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            logger.info("a command that is no more: %s", error)
            cause = InvalidRequestError.say(
                "this command is out of date: type / to see the commands there are now"
            )
        await asking.tell_failure(interaction, cause)

    async def _call(self, interaction: discord.Interaction["FarkleClient"]) -> None:
        """Call a command. What fails before it is called is what Discord sent of it.

        No public name of discord.py hears of that, and who asked would never be answered.
        """
        try:
            await super()._call(interaction)
        except app_commands.AppCommandError:
            raise
        except Exception as error:  # nobody else would look at it
            logger.warning("a command makes no sense: %s: %s", type(error).__name__, error)
            unknown = app_commands.CommandNotFound(str(asking.sent(interaction, "name")), [])
            await self.on_error(interaction, unknown)


class FarkleClient(discord.AutoShardedClient):
    """The bot in Discord."""

    def __init__(
        self,
        front: DiscordFront,
        store: Store,
        data: Path,
        shards: Shards | None = None,
        door: Door | None = None,
    ) -> None:
        """The bot with a connection of its own, or without one.

        shards : those of the connection that are this program's; None for all
        door : where interactions come in, if not by a connection
        """
        own: dict[str, Any] = {}
        if shards:
            own = {"shard_ids": list(shards.numbers), "shard_count": shards.of}
        super().__init__(
            **own,
            # slash commands and buttons come without any
            intents=discord.Intents.none(),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
        )
        self.front = front
        self.store = store
        self._translator = CommandTranslator()
        self._data = data
        self._shards = shards
        self.door = door
        self._holding = contextlib.AsyncExitStack()
        self._lost: set[int] = set()
        """The shards whose connection is lost."""
        self.tree = FarkleTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        front.add_commands(self.tree)
        self.event(front.on_interaction)
        # no public name is called before it: an exception in there would end the connection, and
        # with it the program
        parsers = self._connection.parsers
        self._hear = parsers["INTERACTION_CREATE"] = asking.guarded(parsers["INTERACTION_CREATE"])

    async def setup_hook(self) -> None:
        """Bring commands up to date, once no other program is connected as this one will be."""
        if self.door is None:
            # who has all of them has the first one at least, whatever their number is
            parts = self._shards.numbers if self._shards else range(1)
            names = [f"discord-{self.application_id}-{shard}" for shard in parts]
            held = self.store.database.held(names, _tell_waiting, self._displaced)
            await self._holding.enter_async_context(held)
        await self.tree.set_translator(self._translator)
        await self._sync()

    def _displaced(self) -> None:
        """End the connection where another program has it by now."""
        logger.error("another program is connected to Discord with this token now: this one ends")
        self._closing = asyncio.create_task(self.close())

    async def answer_requests(self, token: str, key: str | None) -> None:
        """Log in and take interactions in at the door, until this is cancelled.

        key : by which requests are signed; as Discord says if not given
        """
        await self.login(token)
        assert self.door is not None  # noqa: S101 - nobody else calls it
        self.door.open(key or (await self.application_info()).verify_key, self._hear)
        await self.on_ready()
        await asyncio.Event().wait()

    async def wait_until_ready(self) -> None:
        """Wait until people can reach it."""
        if self.door is None:
            await super().wait_until_ready()
        else:
            await self.door.opened.wait()

    async def close(self) -> None:
        """End the connection, and let another program have it."""
        try:
            await super().close()
        finally:  # also where that is broken off
            await self.http.close()
            await self._holding.aclose()

    async def on_ready(self) -> None:
        """Say that all works."""
        number = len(self.guilds)
        where = f"in {number} server{'' if number == 1 else 's'}"
        logger.info("ready as %s %s", self.user, "asked by requests" if self.door else where)
        link = discord.utils.oauth_url(
            self.application_id or 0,
            permissions=PERMISSIONS,
            scopes=("bot", "applications.commands"),
        )
        logger.info("to invite it: %s", link)

    def is_there(self) -> bool:
        """Whether all shards are connected, or the door is open."""
        if self.door is not None:
            return self.door.is_open and not self.is_closed()
        return self.is_ready() and not self.is_closed() and not self._lost

    async def on_shard_disconnect(self, shard: int) -> None:
        """Note that nothing comes from a shard."""
        self._lost.add(shard)

    async def on_shard_ready(self, shard: int) -> None:
        """Note that a shard is there, maybe again."""
        self._lost.discard(shard)

    on_shard_resumed = on_shard_ready

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log what failed; the bot goes on."""
        if error := sys.exception():
            log.failed(event_method, error)

    async def _sync(self) -> None:
        """Send the commands if they are others than last time; one process does it."""
        payload = [
            await command.get_translated_payload(self.tree, self._translator)
            for command in self.tree.get_commands()
        ]
        digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        place = f"discord-application:{self.application_id}"
        async with AsyncFileLock(self._data / "discord-commands.lock", mode=OWNER_ONLY):
            known = str((await self.store.place_settings(place)).get(_COMMANDS_KEY))
            if known.startswith(f"{digest} "):
                self.front.numbers = json.loads(known.removeprefix(digest))
                return
            self.front.numbers = {command.name: command.id for command in await self.tree.sync()}
            kept = f"{digest} {json.dumps(self.front.numbers)}"
            await self.store.set_place_setting(place, _COMMANDS_KEY, kept)
        logger.info("sent %d commands to Discord", len(payload))


def _tell_waiting() -> None:
    logger.warning(
        "another program is connected to Discord with this token, and this one waits until it ends"
    )


async def run_discord(client: FarkleClient, settings: DiscordSettings, token: str) -> None:
    """Answer in Discord until SIGINT or SIGTERM. Raises BadTokenError and DiscordError."""
    if settings.farkle_discord_api:
        discord.http.Route.BASE = settings.farkle_discord_api
    if settings.farkle_discord_gateway:
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.farkle_discord_gateway)
    for handler in logging.getLogger().handlers:
        handler.addFilter(asking.in_one_line)
    key = settings.discord_public_key
    with _explained():
        stopping = asyncio.create_task(until_ended())
        runs = client.answer_requests(token, key) if client.door else client.start(token)
        running = asyncio.create_task(runs)
        posting = asyncio.create_task(keep_posting(client))
        try:
            await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            posting.cancel()
            if client.door:
                client.door.close()
            if running.done():
                await running
            logger.info("ending: answers under way are finished first")
            await client.front.finish(FINISH_SECONDS)
        finally:
            closing = asyncio.create_task(client.close())
            # where Discord says nothing any more, discord.py would wait for half a minute
            await asyncio.wait({closing}, timeout=_SECONDS_TO_END)
            # it may still be connecting, which nobody waits for any more
            await end(closing, running, posting)


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks until they have ended, and leave what they raise.

    Once is not enough: where what asyncio.wait_for waits for fails at that moment, it hides the
    cancellation, and discord.py would go on to connect for ever.
    """
    left = {*tasks}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_SECONDS_TO_END)
    await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Whatever keeps the bot from Discord becomes one sentence."""
    try:
        yield
    except discord.LoginFailure:
        raise BadTokenError(
            "Discord does not know this token: copy it anew from the application's page, Bot"
        ) from None
    except discord.PrivilegedIntentsRequired:
        raise DiscordError("Discord asks for intents that this bot does not use") from None
    except discord.HTTPException as error:
        raise DiscordError(f"Discord refused the bot: {error.status} {error.text[:200]}") from None
    except (aiohttp.ClientError, ConnectionError, TimeoutError, discord.GatewayNotFound) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DiscordError(f"Discord cannot be reached: {reason}") from None
    except discord.ConnectionClosed as error:
        if error.code == _UNAUTHORIZED:
            raise BadTokenError("Discord does not take this token any more") from None
        raise DiscordError(f"Discord closed the connection: code {error.code}") from None


_SECONDS_TO_END = 1.0
"""Seconds after which closing is broken off, and tasks that were cancelled are cancelled again."""

EVERY = 20.0
"""Seconds between two looks for what is due."""
_FRONT = "discord"
_APART = timedelta(minutes=5)
"""How far Discord's clock may be behind that of this machine."""


async def keep_posting(client: FarkleClient) -> None:
    """Post what is due, again and again, once Discord is there; what was begun is ended."""
    await client.wait_until_ready()
    while True:
        for feature in client.front.pressing.features:
            try:
                if feature.posts:
                    await client.front.to_its_end(feature.posts(_FRONT, partial(_post, client)))
            except StoreError as error:
                logger.warning("did not look for posts that are due: %s", error)
            except Exception as error:  # whatever one post is, there is a next one
                log.failed("a post", error)
        await asyncio.sleep(EVERY)


async def _post(
    client: FarkleClient, place: str, reply: Reply, key: str, since: datetime | None
) -> bool:
    """Post in a channel; true where that is done with, or never will be.

    since : when it may have been posted already, if it may
    """
    number = place.partition(":")[2]
    settings = await client.store.settings(place)
    language = best_language(settings.language or reply.began_in or "")
    card = said_in(language, reply.card)
    view: Any = card_view(card)  # each kind of view has an overload of its own
    channel = client.get_partial_messageable(int(number))
    ids = {button.id for button in card.buttons}
    try:
        if since and await own_message(channel, client.user, ids.__contains__, since - _APART):
            return True
        await channel.send(
            card.text,
            view=view,
            files=files_of(card.attachments),
            # for some minutes Discord takes it for the same message if it is sent again
            nonce=f"{number[-18:]}{key}",
        )
    except (discord.Forbidden, discord.NotFound) as error:
        logger.info("nothing can be posted in %s: %s", place, error)
    except asking.UNREACHABLE as error:
        asking.check_lost(error)
        return False
    return True
