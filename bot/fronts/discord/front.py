"""What interactions with Discord do: slash commands, buttons, suggestions, dice in messages."""

import asyncio
import contextlib
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands

from bot.chat.cards import review_card, sure_card
from bot.chat.commands import Command, Commands, Line, take_apart, typed_example
from bot.chat.games import table_of
from bot.chat.help import ALL, GROUPS
from bot.chat.presses import Confirm, Press, ReviewPage, TablePress
from bot.chat.pressing import QUESTIONS, Pressing, changed, too_late
from bot.fronts.discord import asking
from bot.fronts.discord.answers import OF_MESSAGES, Answer
from bot.fronts.discord.slash import AsAsked, rules_group, slash_command
from bot.languages import best_language
from bot.layout import check_length, narrowed
from bot.services.away import NotAwayError, check_away
from bot.services.tables import Caller, Table
from bot.store.rows import MissingGameError, PlaceSettings, StoreError
from bot.store.store import Deed, doing
from bot.table.state import Stage
from bot.views.table_buttons import SURE, typed_after
from solver.errors import FarkleError, InvalidRequestError
from solver.wording import Language, say, say_later, speak

logger = logging.getLogger(__name__)

PRIVATE = {"hint", "help", "forget", "daily", "drill"}
"""Commands whose answers are for the one who gave them alone."""
_ANSWER_SECONDS = 2.3
"""Seconds after an interaction within which Discord is told something, as it waits for three."""
_PATIENCE = 0.5
"""Seconds that an answer waits for the settings of its place."""
_DRIFT = 1e-4
"""Seconds a second by which two clocks may go apart."""
TOO_LATE = 2.8
"""Seconds after which an interaction cannot be answered in time any more."""
_LEAVES = {"resign", "leave", "end"}
_FOR_WHO_IS_AWAY = {"skip", "replace"}
_MOST_REMINDERS = 500
_DICE = re.compile(
    r"(?<![\w.,:/-])[1-6](?:[ ,]*[1-6]){0,9}(?!\w|[.,:/-]\w)|[⚀-⚅](?:[ ,]*[⚀-⚅]){0,9}"
)


class DiscordFront:
    """Answers interactions by the commands of the chat."""

    def __init__(
        self,
        commands: Commands,
        pressing: Pressing,
        answered: Callable[[str, float], object] | None = None,
    ) -> None:
        """`answered` is told each command, or what a press does, with its seconds."""
        self._answered = answered
        self._commands = commands
        self.pressing = pressing
        self._games, self._rules = pressing.games, pressing.rules
        self._reminders: dict[str, tuple[int, int]] = {}
        """The seat and the number of the turn that was called for, by game, of the last ones."""
        self.numbers: dict[str, int] = {}
        """The numbers that Discord has given to commands, by their names."""
        self._languages: dict[str, Language] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._is_over = False
        """Whether the program ends, and nothing that is asked can be answered any more."""
        self._least_lag = math.inf
        """The least lag of an interaction so far: how far both clocks are apart."""
        self._heard = time.monotonic()

    def add_commands(self, tree: app_commands.CommandTree[Any]) -> None:
        """Add every command to Discord's."""
        complete = {
            "rules": self._rules.suggested,
            "game": self._complete_games,
            "command": self._complete_commands,
        }
        for name in self._commands.fields:
            tree.add_command(slash_command(self._commands.by_name[name], self.run, complete))
        tree.add_command(rules_group(self.run, complete))
        tree.add_command(
            app_commands.ContextMenu(
                name=say_later("Advise on these dice"), callback=self._advise_on
            )
        )

    def _asked(self, language: Language) -> Language:
        """A language of the chat as it is spoken here."""
        if language.code not in self._languages:
            self._languages[language.code] = AsAsked(language, self._commands.fields)
        return self._languages[language.code]

    def listen(self, interaction: discord.Interaction[Any]) -> bool:
        """Speak the language of who asks; false where no answer would reach Discord any more."""
        if self._is_over:
            logger.info("left an interaction alone, as the program ends")
            return False
        speak(self._asked(best_language(interaction.locale.value)))
        # the clock that nobody sets: how far it and Discord's are apart drifts slowly at most
        now = time.monotonic()
        lag = now - interaction.created_at.timestamp()
        self._least_lag = min(self._least_lag + _DRIFT * (now - self._heard), lag)
        self._heard = now
        late = lag - self._least_lag
        if late > TOO_LATE:
            logger.info("left an interaction alone that came %.1f s late", late)
        interaction.extras[asking.DUE] = now - late + _ANSWER_SECONDS
        return late <= TOO_LATE

    async def finish(self, seconds: float) -> None:
        """Wait for the answers under way and those begun meanwhile, and begin none after that.

        seconds : for how long at most
        """
        end = time.monotonic() + seconds
        for _ in ("under way", "begun meanwhile"):
            if self._running:
                await asyncio.wait(self._running, timeout=max(0.0, end - time.monotonic()))
            self._is_over = True

    async def to_its_end(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in a task that the end of the program waits for."""
        task = asyncio.create_task(work)
        self._wait_for(task)
        await asyncio.shield(task)

    def _wait_for(self, task: asyncio.Task[Any] | None) -> None:
        """Have the end of the program wait for a task."""
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def run(
        self,
        interaction: discord.Interaction[Any],
        name: str,
        line: Line,
        users: Sequence[discord.abc.User] = (),
    ) -> None:
        """Answer a slash command."""
        async with self._telling(interaction, name):
            answer = await self._answer(interaction, private=name in PRIVATE)
            answer.leaves = name in _LEAVES
            if name == "help":
                answer.numbers = self.numbers
            if any(user.bot for user in users):
                await answer.tell_alone(
                    say("a Discord bot cannot play: level:optimal adds a player of mine")
                )
                return
            command = self._commands.by_name[name]
            try:
                check_length(" ".join(map(str, (*line.arguments, *line.options.values()))))
                line = _as_typed(line, command)
                caller = asking.caller_of(interaction)
                if name in _FOR_WHO_IS_AWAY and await self._reminded(answer, caller, line):
                    return
            except FarkleError as error:
                await answer.refuse(error)
                return
            await answer.tell(command.answer(line, caller))

    async def _reminded(self, answer: Answer, caller: Caller, line: Line) -> bool:
        """Whether the player to move is now told that others wait, which each turn is done once."""
        table = await self._games.tables.find(caller, table_of(line))
        game, person = table.game, asking.user_id(table.stored.seats[table.game.mover].person)
        if person is None or game.stage is Stage.LOBBY:
            return False
        try:
            check_away(caller, table, self._games.tables.now())
        except NotAwayError as early:
            turn = game.mover, sum(seat.turns for seat in game.seats)
            if self._reminders.get(game.id) == turn:
                return False
            self._reminders[game.id] = turn
            if len(self._reminders) > _MOST_REMINDERS:
                del self._reminders[next(iter(self._reminders))]
            await answer.remind(person, table, early.seconds)
            return True
        return False

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer presses, on buttons of all times, by their ids; commands are the tree's."""
        if interaction.type in OF_MESSAGES and self.listen(interaction):
            await self.pressed(interaction, asking.press_of(interaction))

    async def pressed(self, interaction: discord.Interaction[Any], press: Press | None) -> None:
        """Answer a press; None on what is no button of ours, or not any more."""
        if press is None:
            logger.info(
                "a press on %.100s, which is no button", asking.sent(interaction, "custom_id")
            )
        what = press.what if press else "button of before"
        of_version = isinstance(press, TablePress) and press.action != "again"
        telling = self._telling(interaction, what, of_version=of_version)
        # closed as soon as the presses after it below its message may be answered
        async with telling, AsyncExitStack() as turn:
            if isinstance(press, TablePress) and press.in_turn:
                patience = asking.seconds_left(interaction)
                await turn.enter_async_context(self.pressing.choices.turn(press, patience))
            language, caller = getattr(press, "language", ""), asking.caller_of(interaction)
            how = {"all_private": press is None, "anew": isinstance(press, Confirm)}
            answer = await self._answer(interaction, language, **how)
            try:
                match press:
                    case TablePress():
                        await self._on_table(interaction, answer, caller, press, turn)
                    case ReviewPage():
                        table = await self.pressing.table(caller, press.game)
                        await self._review(answer, caller, table, press.page)
                    case Confirm():
                        answer.show_in(press.message)
                        await answer.tell(self.pressing.confirmed(caller, press))
                    case None:
                        raise changed()
                    case _:
                        await self._in_feature(interaction, answer, caller, press)
            except MissingGameError as error:
                await answer.bury(error)
            except FarkleError as error:
                await answer.refuse(error)

    async def _on_table(
        self,
        interaction: discord.Interaction[Any],
        answer: Answer,
        caller: Caller,
        press: TablePress,
        turn: AsyncExitStack,
    ) -> None:
        pressing = self.pressing
        table = await pressing.table(caller, press.game, press.version)
        if (late := too_late(caller, table, press)) is not None:
            await answer.tell(pressing.told_late(caller, press, late))
        elif press.asks:
            await answer.ask(press, *typed_after(table.game, press.action))
        elif press.action == "refresh":
            await answer.tell(pressing.shown(caller, press.game))
        elif press.action == "review":
            await self._review(answer, caller, table, 0)
        elif press.action == "again":
            again = await self._answer(interaction, press.language, anew=True)
            await again.tell(pressing.play_again(caller, table))
        elif press.action in QUESTIONS:
            await answer.tell(pressing.asked(caller, table, press))
        elif press.chooses:
            # raises where somebody else is to move; nothing is kept by it yet
            table.acting_seat(caller)
            mask, is_as_shown = pressing.choices.choose(press), table.game.version == press.version
            news = None if is_as_shown else await self._games.shown(table)
            await answer.choose(table, mask, news)
        elif press.action in SURE:
            pressing.check_asks(caller, table, press)
            await answer.tell_privately(sure_card(press, answer.shown_in))
        else:
            mask = pressing.choices.chosen(press)
            await turn.aclose()
            await answer.tell(pressing.done(caller, table, replace(press, mask=mask)))

    async def _in_feature(
        self, interaction: discord.Interaction[Any], answer: Answer, caller: Caller, press: Press
    ) -> None:
        came = await self.pressing.of_features[type(press)](caller, press)
        where = answer
        if came.anew or came.private:
            language = getattr(press, "language", "")
            how = {"anew": came.anew, "all_private": came.private}
            where = await self._answer(interaction, language, **how)
        await where.tell(came.told)
        if came.renewed:
            await answer.renew(await came.renewed())

    async def _review(self, answer: Answer, caller: Caller, table: Table, page: int) -> None:
        pages = await answer.patiently(self.pressing.review_pages(caller, table))
        shown = review_card(table.game.id, pages, min(page, len(pages) - 1))
        await answer.page(shown, first=page == 0)

    async def _advise_on(
        self, interaction: discord.Interaction[Any], message: discord.Message
    ) -> None:
        """Advice on the dice that a message names."""
        async with self._telling(interaction, "advise"):
            answer = await self._answer(interaction, all_private=True)
            dice = dice_in(message.content)
            if dice is None:
                await answer.tell_alone(
                    say("there are no dice in that message, such as 6 5 3 3 3 2")
                )
                return
            # a roll that somebody shows is a question of its own
            line = Line((dice,), {"me": 0})
            replies = self._commands.by_name["advise"].answer(line, asking.caller_of(interaction))
            await answer.tell(replies)

    async def _complete_games(self, place: str, current: str) -> list[str]:
        tables = await self._games.tables.open_at(place)
        return [table.game.id for table in tables if current in table.game.id]

    async def _complete_commands(self, _: str, current: str) -> list[str]:
        names = {*GROUPS, ALL, *self._commands.fields}
        return sorted(name for name in names if current.removeprefix("/") in name)

    async def _answer(
        self, interaction: discord.Interaction[Any], table: str = "", **how: bool
    ) -> Answer:
        """How the interaction is answered; speaks the language of its place, if that has one.

        table : the language of the table whose button was pressed
        """
        settings = PlaceSettings()
        # a database that fails or is slow is the matter of the command that needs it
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                settings = await self._games.tables.store.settings(asking.place_of(interaction))
        if settings.language:
            speak(self._asked(best_language(settings.language)))
        of_all = self._asked(asking.language_of_all(interaction, settings, table))
        return Answer(interaction, settings, of_all, self._games.oracle, **how)

    @asynccontextmanager
    async def _telling(
        self, interaction: discord.Interaction[Any], what: str, *, of_version: bool = False
    ) -> AsyncIterator[None]:
        """Answer in the task of the interaction, which nobody breaks off; no failure leaves it.

        of_version : whether it is done at one version of a table alone, and so once anyway
        """
        begun = time.monotonic()
        if not of_version:
            doing.set(Deed(str(interaction.id)))
        self._wait_for(asyncio.current_task())
        try:
            yield
        except Exception as error:  # whatever one answer is, the bot goes on
            await asking.tell_failure(interaction, error)
        finally:
            # an interaction and its response know each other: what only a collection frees of
            # them, which holds up every answer, is to be little
            interaction.message = None
        if self._answered:
            self._answered(what, time.monotonic() - begun)


def dice_in(text: str) -> str | None:
    """The dice that a text names: of several runs of faces the longest."""
    runs = [match[0] for match in _DICE.finditer(text)]
    return max(runs, key=lambda run: len(re.sub("[ ,]", "", run)), default=None)


def _as_typed(line: Line, command: Command) -> Line:
    """A command as it would have been read where it is typed: with the options typed into another.

    Raises InvalidRequestError.
    """
    if command.is_exact:
        return line
    words = tuple(narrowed(typed) if isinstance(typed, str) else typed for typed in line.arguments)
    given = {
        k: narrowed(typed) if isinstance(typed, str) else typed for k, typed in line.options.items()
    }
    line = Line(words, given)
    if command.takes_dice and any(letter.isalpha() for letter in line.words):
        return take_apart(command, line.words).adding(given)
    if (further := given.pop("more", None)) is None:
        return line
    parsed = take_apart(command, str(further))
    if parsed.arguments:
        examples = [typed_example(field.name) for field in command.fields if field.is_rare]
        raise InvalidRequestError.say(
            'the option more takes options such as {accepted}, not "{words}"',
            accepted=" ".join(examples) or typed_example("three-pairs"),
            words=parsed.words,
        )
    return Line(words, parsed.options).adding(given)
