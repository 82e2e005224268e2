"""How who asks in Discord is answered: in time, in one message, not too often."""

import asyncio
import contextlib
import io
import logging
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextvars import copy_context
from dataclasses import replace
from typing import Any, Literal, TypeVar

import discord
from discord.ui import Label, Modal, TextInput
from discord.utils import MISSING

from bot.chat.commands import Reply, Stream, as_reply, failure, spread
from bot.chat.presses import TablePress, pressable_table, read_press
from bot.fronts.discord import asking
from bot.fronts.discord.frames import (
    MessageParts,
    card_view,
    own_message,
    shown_texts,
    shows_moment,
    text_view,
)
from bot.layout import (
    MOST_IN_MESSAGE,
    escape_markdown,
    plain_markdown,
    safe_text,
    shorten_text,
    whole_sentence,
)
from bot.review.review import Review
from bot.services.chances import Oracle
from bot.services.games import News
from bot.services.tables import Table
from bot.store.rows import DoneElsewhereError, PlaceSettings
from bot.tasks.pressure import Degree
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay
from bot.views.card import Attachment, Card
from bot.views.chart import chart_picture
from bot.views.game import chances_text, reminder_text
from bot.views.table_card import TableCard, choice_card, hot_dice_picture, table_card, turn_story
from solver.errors import FarkleError
from solver.wording import Language, said_in, say, say_later

logger = logging.getLogger(__name__)

T = TypeVar("T")

_DEFER_SECONDS = 1.0
"""Seconds after which Discord is told that an answer takes longer."""
BETWEEN_EDITS = 1.0
"""Seconds between two changes of a message."""
_MOST_TEXT = 1_900
_MINUTES: Literal[60] = 60
"""Minutes without a word after which Discord puts a thread away; the next turn brings it back."""
_MOST_NAME = 90


OF_MESSAGES = {discord.InteractionType.component, discord.InteractionType.modal_submit}
"""What is done below a message, which answers change."""


class Answer:
    """The answer to one interaction."""

    def __init__(
        self,
        interaction: discord.Interaction[Any],
        settings: PlaceSettings,
        language: Language,
        oracle: Oracle,
        *,
        private: bool = False,
        all_private: bool = False,
        anew: bool = False,
    ) -> None:
        """How the interaction is answered.

        settings : what holds in the place
        language : of the tables, which are for all to read
        oracle : where games are looked back on, and how busy it is
        private : what takes long is announced to the one who asked alone
        all_private : everything is for the one who asked
        anew : a press is answered by a message of its own
        """
        self._interaction = interaction
        self._private = private or all_private
        self._all_private = all_private
        self._pressed = interaction.type in OF_MESSAGES and not anew
        self._settings = settings
        self._language = language
        self._oracle, self._tasks = oracle, oracle.tasks
        self._change: Callable[..., Awaitable[discord.Message]] | None = None
        """How what all can see is changed, as long as Discord takes answers to the interaction."""
        self._is_announced = False
        """Whether Discord says that an answer comes, and another one has to take its place."""
        self._is_over = False
        """Whether Discord takes no answer any more."""
        self._table: discord.Message | discord.PartialMessage | None = None
        """What is changed in its channel, where that is no answer to the interaction."""
        self._told: list[News] = []
        self.numbers: Mapping[str, int] = {}
        """The numbers of commands that can be tapped where a text names them, by their names."""
        self.leaves = False
        """Whether a command leaves a game: where that is its end, the table that is there shows it.
        """
        self._cards: list[Card] = []
        self._is_awaited = False
        """Whether the last of these says how long the next one takes."""
        message = interaction.message if self._pressed else None
        self._shown_id = message.id if message else None
        """The message that shows the table."""
        self._is_public = False
        """Whether something was said that all can see."""
        self._is_framed = message is not None and message.flags.components_v2
        """Whether the message has the card of a table, and so can never be a plain one again."""

    @property
    def shown_in(self) -> int:
        """The number of the message whose button was pressed, 0 if it has no card of a table."""
        return self._shown_id or 0 if self._is_framed else 0

    def show_in(self, message: int) -> None:
        """Show a table in its message, if that is known, and close the question that was asked."""
        if message and (channel := self._channel):
            self._table, self._shown_id = channel.get_partial_message(message), message
            self._is_framed = True

    @property
    def _channel(self) -> discord.PartialMessageable | None:
        """Where tables are shown."""
        number = asking.channel_of(self._interaction)
        return self._interaction.client.get_partial_messageable(number) if number else None

    async def _show_in_last(self, game: str) -> None:
        """Show a table in the last message that does, if one is found."""

        def is_of_game(button: str) -> bool:
            press = read_press(button)
            return isinstance(press, TablePress) and press.game == game

        if channel := self._channel:
            me = self._interaction.client.user
            with asking.maybe_lost():
                message = await self.patiently(own_message(channel, me, is_of_game))
                self.show_in(message.id if message else 0)

    async def tell(self, stream: Stream) -> None:
        """Tell all that comes up; what goes wrong is told to the one who asked alone."""
        waiting: asyncio.Queue[Reply | News | None] = asyncio.Queue()

        async def read() -> None:
            try:
                async for part in spread(stream):
                    waiting.put_nowait(part if isinstance(part, News) else as_reply(part))
            except DoneElsewhereError as error:
                logger.info("left to another program: %s", error)
            except Exception as error:  # what was told before is told, whatever comes after
                waiting.put_nowait(failure(error))
            finally:
                waiting.put_nowait(None)

        reader = asyncio.create_task(read())
        try:
            await self._tell(waiting)
        finally:
            if not self._told:  # what was done at a table is done to its end
                reader.cancel()
            await asyncio.wait({reader})
        happened = [news for news in self._told if not news.again]
        if happened and self._is_public:
            if happened[0].before is None:
                await self._begin_thread(happened[-1].table)
            await self._after_turn(happened)
            for reply in happened[-1].after:
                card = self._card_of(reply)
                with asking.maybe_lost():
                    # each kind of view has an overload of its own
                    shown: Any = card_view(card) or MISSING
                    await self._interaction.followup.send(card.text, view=shown)

    async def _tell(self, waiting: "asyncio.Queue[Reply | News | None]") -> None:
        edited = -BETWEEN_EDITS
        parts: list[Reply | News | None] = []
        while None not in parts and not self._is_vain:
            parts = [await self.patiently(waiting.get())]
            if self._is_public and not (parts[0] is None or getattr(parts[0], "private", False)):
                await asyncio.sleep(max(0.0, edited + BETWEEN_EDITS - time.monotonic()))
            while not waiting.empty():
                parts.append(waiting.get_nowait())
            await self._tell_all([part for part in parts if part is not None])
            edited = time.monotonic()

    async def _after_turn(self, happened: list[News]) -> None:
        """Post the odds and call the next player, where the place wants that and a turn is over."""
        first, table = happened[0].before, happened[-1].table
        if first is None or (first.mover == table.game.mover and not table.game.over):
            return
        in_text = isinstance(self._interaction.channel, discord.TextChannel)
        threaded = self._settings.threads and in_text
        story = said_in(self._language, turn_story, happened) if threaded else []
        lines = [*story]
        called: list[discord.abc.Snowflake] = []
        posts = self._settings.posts and self._tasks.pressure.degree < Degree.OVERLOADED
        if posts and (chances := happened[-1].chances):
            odds = said_in(self._language, chances_text, table.names, chances)
            lines.append(escape_markdown(odds))
        if self._settings.mentions and not table.game.over:
            number = asking.user_id(table.stored.seats[table.game.mover].person)
            if number is not None and number != self._interaction.user.id:
                called.append(discord.Object(number))
                lines.append(
                    said_in(
                        self._language,
                        say,
                        say_later("{player}, it is your turn in game {game}."),
                        player=f"<@{number}>",
                        game=table.game.id,
                    )
                )
        mentions = discord.AllowedMentions(users=called)
        if lines and threaded and self._shown_id is not None:
            thread = self._interaction.client.get_partial_messageable(self._shown_id)
            with asking.maybe_lost():
                await thread.send(shorten_text("\n".join(lines)), allowed_mentions=mentions)
                return
            lines = lines[len(story) :]
        if lines:
            with asking.maybe_lost():
                await self._interaction.followup.send("\n".join(lines), allowed_mentions=mentions)

    async def _begin_thread(self, table: Table) -> None:
        """Give a game that was just set up its thread, where the place wants that.

        The thread of a message has the id of that message, so that nothing has to be kept.
        """
        channel, wanted = self._interaction.channel, self._settings.threads
        if not (wanted and self._shown_id and isinstance(channel, discord.TextChannel)):
            return
        name = safe_text(" – ".join(table.names), _MOST_NAME)
        begun = channel.get_partial_message(self._shown_id)
        with asking.maybe_lost():
            try:
                await begun.create_thread(name=name, auto_archive_duration=_MINUTES)
            except discord.Forbidden:
                problem = say(
                    "the game stays in this channel: to give it a thread I need the permission"
                    " Create Public Threads; /settings threads:no turns threads off"
                )
                await self.tell_alone(problem)

    async def renew(self, reply: Reply) -> None:
        """Bring the message up to date whose button was pressed, without an answer to that."""
        card = self._card_of(reply)
        if self._interaction.message is not None:
            with asking.maybe_lost():
                await self._interaction.message.edit(content=card.text, view=card_view(card))

    async def remind(self, person: int, table: Table, seconds: int) -> None:
        """Tell a player that their turn may be passed soon, for all to see."""
        name = escape_markdown(asking.person_of(self._interaction.user).name)
        asked = f"<@{person}>", name, seconds, table.game.id
        reminder = said_in(self._language, reminder_text, *asked)
        mentions = discord.AllowedMentions(users=[discord.Object(person)])
        with asking.maybe_lost():
            await self._interaction.response.send_message(reminder, allowed_mentions=mentions)

    @property
    def _is_vain(self) -> bool:
        """Whether nobody hears what is computed; what was done at a table is another matter."""
        return self._is_over and self._is_public and not (self._table or self._told)

    @property
    def _is_answered(self) -> bool:
        return self._is_over or self._interaction.response.is_done()

    async def patiently(self, work: Coroutine[Any, Any, T]) -> T:
        """What some work comes to, or raises; where it takes longer, Discord is told so."""
        working = asyncio.create_task(work)
        if not self._is_answered:
            patience = min(_DEFER_SECONDS, asking.seconds_left(self._interaction))
            if patience <= 0 or not (await asyncio.wait({working}, timeout=patience))[0]:
                await self._defer()
        return await working

    async def _defer(self) -> None:
        is_below = self._pressed or self._table is not None
        how = {} if is_below else {"ephemeral": self._private, "thinking": True}
        try:
            await self._interaction.response.defer(**how)
        except asking.UNREACHABLE as error:
            asking.check_lost(error)
            self._is_over = True
            return
        self._is_announced = not is_below
        if self._pressed or not (is_below or self._private):
            self._change = self._interaction.edit_original_response

    async def _tell_all(self, parts: list[Reply | News]) -> None:
        """Tell what has come up since the last time, at once; what all can see goes first."""
        private: list[Reply] = []
        shown: Card | News | None = None
        for part in parts:
            waits = isinstance(part, Reply) and isinstance(part.subject, Delay | Needed)
            if waits and self._pressed and not self._is_answered:
                await self._defer()  # the message keeps what it has, and its buttons
            if isinstance(part, Reply) and (
                part.private or self._all_private or (waits and self._pressed)
            ):
                private.append(part)
            elif isinstance(part, Reply) and not isinstance(part.subject, News):
                shown = self._card_of(part)
                if self._is_awaited:
                    self._cards.pop()  # the answer takes the place of how long it took
                self._is_awaited = waits and not getattr(part.subject, "failed", None)
                self._cards.append(shown)
            else:
                shown = part.subject if isinstance(part, Reply) else part
                if self._told and self._told[-1].table.game.id != shown.table.game.id:
                    self._told.clear()
                self._told.append(shown)
        if isinstance(shown, News):
            await self._show_table(shown)
        elif shown is not None:
            await self.show(_last_that_fit(self._cards))
        for reply in private:
            await self.tell_privately(self._card_of(reply))

    def _card_of(self, reply: Reply) -> Card:
        """Any reply but the news of a table."""
        if reply.began_in is None or reply.private or _is_private(self._interaction):
            return reply.card()
        # what all can see stays in their language, whoever presses
        language = self._language
        if reply.began_in:
            language = asking.language_of_all(self._interaction, self._settings, reply.began_in)
        return said_in(language, reply.card)

    async def _show_table(self, news: News) -> None:
        """Show a table after all its news; a chart, which takes long to draw, is put in later."""
        if self.leaves and news.table.game.over and not (self._is_public or self._table):
            await self._show_in_last(news.table.game.id)
        if news.chart is None:
            await self._show_card(news)
            return
        in_their_language = said_in(self._language, copy_context)
        drawing = asyncio.create_task(self._looked_back(news), context=in_their_language)
        try:
            await self._show_card(news)
            if (pictures := await drawing) is not None:
                await self._show_card(news, *pictures)
        finally:
            drawing.cancel()

    async def _show_card(
        self, news: News, chart: bytes | None = None, review: Review | None = None
    ) -> None:
        pictures = not self._tasks.pressure.spares_dice
        happened = list(self._told)
        card = said_in(self._language, table_card, happened, chart, review, pictures=pictures)
        await self.show(pressable_table(card, news.table.game, self._language.code))

    async def _looked_back(self, news: News) -> tuple[bytes | None, Review | None] | None:
        """The picture and the review of a game that is over, if there is time for them."""
        asker, chart = asking.caller_of(self._interaction).asker, news.chart
        is_strained = self._tasks.pressure.degree >= Degree.STRAINED
        if chart is None or is_strained or len(chart.turns) < 2:
            return None
        with contextlib.suppress(FarkleError):
            picture = await self._tasks.soon(asker, chart_picture, chart)
            review = None
            with contextlib.suppress(FarkleError):
                async for part in self._oracle.review(news.table, asker):
                    review = part if isinstance(part, Review) else None
            return picture, review
        return None

    async def show(self, card: Card) -> None:
        """Show something to all: in the message whose button was pressed, else in one message."""
        if await self._changed(card):
            if not self._is_public:
                await self._close()
        else:
            try:
                if not self._is_over:
                    await self._show(card)
            except asking.UNREACHABLE as error:
                asking.check_lost(error)
                self._is_over = True
            if self._is_over:
                await self._show_in_channel(card)
        self._is_framed = self._is_framed or isinstance(card, TableCard)
        self._is_public = True

    async def _changed(self, card: Card) -> bool:
        """Whether what is shown in a channel can be changed there, and so is."""
        if self._table is not None:
            nobody = discord.AllowedMentions.none()
            with asking.maybe_lost():
                # which discord.py says by itself only beside a text that is no part
                await self._table.edit(**self._changes(card), allowed_mentions=nobody)
                return True
            # it is gone, or too old to be changed: another one can tell it
            self._table, self._is_framed = None, self._pressed and self._is_framed
        return False

    async def _close(self) -> None:
        """Say what came of it, once: in place of the question whose button was pressed, if any."""
        response, story = self._interaction.response, "\n".join(turn_story(self._told))
        with asking.maybe_lost():
            if self.leaves and not self._is_answered:
                await response.send_message(story)
                self._change = self._interaction.edit_original_response
            else:
                await self._change_pressed({"content": story, "view": None})
                self._is_announced = False
        # what may have been said is not announced anew
        self._is_over = self._is_over or not response.is_done()

    async def _show(self, card: Card) -> None:
        interaction, response = self._interaction, self._interaction.response
        if self._change is not None:
            self._shown_id = (await self._change(**self._changes(card))).id
        elif not response.is_done():
            self._change = interaction.edit_original_response
            if self._pressed:
                await response.edit_message(**self._changes(card))
            else:
                self._shown_id = (await response.send_message(**self._said(card))).message_id
        else:
            if self._is_announced:
                await interaction.delete_original_response()
                self._is_announced = False
            message = await interaction.followup.send(**self._said(card), wait=True)
            self._shown_id, self._change = message.id, message.edit
        self._is_announced = False

    def _view(self, card: Card) -> MessageParts | None:
        """What a card needs beside its text, or all of it where it is a message in parts."""
        if self._is_framed and not isinstance(card, TableCard):
            return text_view(card.text, card.files)
        return card_view(card)

    def _changes(self, card: Card) -> dict[str, Any]:
        """A card as the changes of a message, of which one that is in parts has no text."""
        changes = {"view": self._view(card), "attachments": files_of(card.files)}
        text = None if isinstance(card, TableCard) else card.text
        return changes if self._is_framed else changes | {"content": text}

    def _said(self, card: Card) -> dict[str, Any]:
        """A card as a new message."""
        message = {"view": self._view(card) or MISSING, "files": files_of(card.files)}
        is_in_parts = self._is_framed or isinstance(card, TableCard)
        return message if is_in_parts else message | {"content": card.text}

    async def choose(self, table: Table, mask: int, news: News | None = None) -> None:
        """Show a table with these dice chosen, in the message whose button was pressed.

        news : the table as it is now, where the message shows what it was
        """
        pictures = not self._tasks.pressure.spares_dice
        game, message = table.game, self._interaction.message
        # what the message told goes on being told
        moment = None
        if pictures and shows_moment(message):
            moment = said_in(self._language, hot_dice_picture, table)
        texts = shown_texts(message)
        if news:
            fresh = said_in(self._language, table_card, [news], pictures=False)
            texts |= {"text": fresh.text, "foot": fresh.foot}
        kept = texts, moment
        card = said_in(self._language, choice_card, game, mask, *kept, pictures=pictures)
        card = pressable_table(card, game, self._language.code, mask)
        try:
            await self._change_pressed(self._changes(card))
        except asking.UNREACHABLE as error:
            asking.check_lost(error)
            if getattr(error, "code", 0) not in asking.OVER:
                sentence = say("this message can no longer be changed: /show shows the table again")
                await self.tell_alone(sentence)

    async def ask(self, press: TablePress, label: str, example: str) -> None:
        """Have something typed for a press, in a form whose answer is that press again."""
        typed: TextInput[Any] = TextInput(placeholder=example, max_length=asking.MOST_IN_FORM)
        form = Modal(title=label, custom_id=press.id, timeout=None)
        form.add_item(Label(text=label, component=typed))
        form.stop()
        with asking.maybe_lost():
            await self._interaction.response.send_modal(form)

    async def bury(self, error: FarkleError) -> None:
        """Take the buttons away from the message whose button was pressed, and say why."""
        changed: dict[str, Any] = {"view": None}
        if self._is_framed:
            text = "\n".join(shown_texts(self._interaction.message).values())
            changed = {"view": text_view(text or whole_sentence(str(error))), "attachments": []}
        with asking.maybe_lost():
            await self._change_pressed(changed)
        await self.refuse(error)

    async def _change_pressed(self, changed: dict[str, Any]) -> None:
        """Change the message whose button was pressed, if Discord takes an answer."""
        if not self._is_answered:
            await self._interaction.response.edit_message(**changed)
        elif not self._is_over:
            await self._interaction.edit_original_response(**changed)

    async def page(self, card: Card, *, first: bool) -> None:
        """Show one of several pages: the first in a message of its own, only to who asks."""
        if first and not _is_private(self._interaction):
            await self.tell_privately(card)
        else:
            await self.show(card)

    async def tell_privately(self, card: Card) -> None:
        """Tell something to the one who asked alone."""
        interaction = self._interaction
        view, files, text = card_view(card), files_of(card.files), _tapped(card.text, self.numbers)
        how: dict[str, Any] = {"ephemeral": True, "view": view or MISSING, "files": files}
        with asking.maybe_lost():
            if not self._is_answered:
                await interaction.response.send_message(text, **how)
            elif self._is_announced and self._private:
                await interaction.edit_original_response(content=text, view=view, attachments=files)
                self._is_announced = False
            else:
                if self._is_announced:
                    # else Discord would put this in its place, for all to see
                    await interaction.delete_original_response()
                    self._change, self._is_announced = None, False
                await interaction.followup.send(text, **how)

    async def refuse(self, error: FarkleError) -> None:
        """Tell what is wrong to the one who asked alone; another program tells what it has done."""
        if isinstance(error, DoneElsewhereError):
            logger.info("left to another program: %s", error)
            return
        await self.tell_alone(failure(error).text)

    async def tell_alone(self, sentence: str) -> None:
        """Tell a sentence to the one who asked alone."""
        await self.tell_privately(Card(plain_markdown(whole_sentence(sentence))))

    async def _show_in_channel(self, card: Card) -> None:
        """Say it without the interaction, which is dead after 15 minutes or 3 seconds."""
        interaction = self._interaction
        if self._pressed and _is_private(interaction):
            return  # what was for one alone is never told to all
        if self._shown_id and interaction.channel_id:
            messages = interaction.client.get_partial_messageable(interaction.channel_id)
            self._table = messages.get_partial_message(self._shown_id)
            if await self._changed(card):
                return
        with asking.maybe_lost():
            if isinstance(interaction.channel, discord.abc.Messageable):
                self._table = await interaction.channel.send(**self._said(card))
                return
        # what was done is kept: the next press or /show tells it
        logger.info("an answer could not be told in its channel")


def _tapped(text: str, numbers: Mapping[str, int]) -> str:
    """A text with its commands as Discord has them tapped; one with subcommands cannot be."""

    def tapped(named: re.Match[str]) -> str:
        number = numbers.get(named[1]) if named[1] != "rules" else None
        return f"</{named[1]}:{number}>" if number else named[0]

    marked = re.sub(r"(?<![\w/])/([a-z-]+)", tapped, text)
    return marked if len(marked) <= MOST_IN_MESSAGE else text


def files_of(attachments: Iterable[Attachment]) -> list[discord.File]:
    """Attachments as discord.py takes them, once."""
    return [
        discord.File(io.BytesIO(file.content), file.name, description=file.description)
        for file in attachments
    ]


def _is_private(interaction: discord.Interaction[Any]) -> bool:
    """Whether the message whose button was pressed is for one person alone."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def _last_that_fit(cards: list[Card]) -> Card:
    """Return as many of the last texts as a message can hold, with what else the last one has."""
    kept: list[str] = []
    for card in reversed(cards):
        if kept and len("\n".join([card.text, *kept])) > _MOST_TEXT:
            break
        kept.insert(0, card.text)
    return replace(cards[-1], text=shorten_text("\n".join(kept)))
