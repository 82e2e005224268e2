"""What interactions with Discord do: slash commands, buttons, suggestions, dice in messages."""

import asyncio
import contextlib
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import discord
from discord import app_commands

from bot.fronts.chat.commands import Command, Commands, Line, Reply, Word, failure, take_apart
from bot.fronts.chat.games import level_named, table_of
from bot.fronts.chat.help import ALL, GROUPS
from bot.fronts.chat.pictures import walked
from bot.fronts.chat.practice import drill_asked, practice_reply
from bot.fronts.chat.tournaments import begun, tournament_reply
from bot.fronts.chat.waiting import delay_reply, hint_reply, solved_for_game, told_reply
from bot.fronts.discord.answers import Answer, tell_to_wait
from bot.fronts.discord.asking import (
    DUE,
    caller_of,
    language_of_all,
    place_of,
    seconds_left,
    user_id,
)
from bot.fronts.discord.buttons import (
    Buttons,
    Confirm,
    DailyButton,
    DrillButton,
    ExploreButton,
    ReviewPage,
    TableButton,
    TournamentButton,
    review_view,
    sent,
)
from bot.fronts.discord.choices import Choices
from bot.fronts.discord.failures import tell_failure
from bot.fronts.discord.gate import LEAVE, Gate
from bot.fronts.discord.slash import OPTIONS, rules_group, slash_command
from bot.languages import best_language
from bot.review.review import Review
from bot.services.away import NotAwayError, check_away, check_end
from bot.services.daily import Daily
from bot.services.drill import Drill
from bot.services.games import Games, News
from bot.services.house_rules import HouseRules
from bot.services.looking_back import LookingBack
from bot.services.needed import Needed
from bot.services.tables import Caller, Person, Player, Table, bot_name
from bot.services.tournaments import TournamentNews, Tournaments
from bot.store.errors import MissingGameError, StaleVersionError, StoreError
from bot.store.rows import PlaceSettings
from bot.table.commands import resign
from bot.table.events import (
    Accepted,
    Banked,
    Joined,
    Kept,
    Picked,
    Rolled,
    Scored,
    Undone,
    Used,
)
from bot.table.state import Stage
from bot.table.tournament import State
from bot.tasks.tasks import Delay
from bot.typed import check_length, narrowed
from bot.views.card import SURE, Card, kept_dice, used_dice, why_not
from bot.views.drill import NEXT
from bot.views.game import details_lines
from bot.views.layout import plain_markdown, whole_sentence
from bot.views.review import review_pages
from bot.views.rules_text import rules_text
from solver.errors import FarkleError, IllegalActionError, InvalidRequestError
from solver.wording import say, say_later, speak

logger = logging.getLogger(__name__)

PRIVATE = {"hint", "help", "forget", "daily", "drill"}
"""Commands whose answers are for the one who gave them alone."""
_ANSWER_SECONDS = 2.3
"""Seconds after an interaction within which Discord is told something, as it waits for three."""
_PATIENCE = 0.5
"""Seconds that an answer waits for the settings of its place."""
_TO_ANSWER = 0.8
"""Seconds that are left to tell Discord that a press waits, where it has not begun."""
_NOTED = 0.01
"""Seconds from which on what a press waits to begin says how busy it is."""
_DRIFT = 1e-4
"""By how much two clocks may go apart, in seconds a second."""
TOO_LATE = 2.8
"""Seconds after which an interaction cannot be answered in time any more."""
_FOR_WHO_IS_AWAY = {"skip", "replace"}
_MOST_REMINDERS = 500
_AT_THE_END = {"review", "again", "details"}
"""Buttons of a table that is over."""
_QUESTIONS = {"hint", "details", "rules", "why"}
"""Buttons that change nothing."""
_MOVES: dict[str, type] = {
    "roll": Rolled,
    "bank": Banked,
    "keep": Kept,
    "use": Used,
    "accept": Accepted,
    "farkle": Scored,
    "undo": Undone,
}
"""What buttons make happen that are of one moment of a turn; those of pairs are, too."""

_PAIR = re.compile(r"pair(\d{1,2})")
"""The button of a pair of dice that is laid out."""
_DICE = re.compile(
    r"(?<![\w.,:/-])[1-6](?:[ ,]*[1-6]){0,5}(?!\w|[.,:/-]\w)|[⚀-⚅](?:[ ,]*[⚀-⚅]){0,5}"
)


class DiscordFront:
    """Answers interactions by the commands of the chat."""

    def __init__(self, commands: Commands, games: Games, rules: HouseRules) -> None:
        self._commands = commands
        self._games = games
        self._rules = rules
        self.daily = Daily(games.tables, games.oracle, rules)
        back = LookingBack(games.tables, games.oracle)
        self._drill = Drill(games.tables, games.oracle, rules, back)
        self.tournaments = Tournaments(games)
        self._choices = Choices()
        self._solves: dict[str, Needed] = {}
        """By game in whose lobby people wait: of its rules, under way."""
        self._reminders: dict[str, tuple[int, int]] = {}
        """By game, of the last ones: the seat and the number of the turn that was called for."""
        self._running: set[asyncio.Task[Any]] = set()
        self._gate = Gate()
        self._least_lag = math.inf
        """Of the interactions so far: how far the clocks here and at Discord are apart."""
        self._heard = time.monotonic()

    def add_commands(self, tree: app_commands.CommandTree[Any]) -> None:
        """Add every command to Discord's."""
        complete = {
            "rules": self._complete_rules,
            "game": self._complete_games,
            "command": self._complete_commands,
        }
        for name in OPTIONS:
            tree.add_command(slash_command(self._commands.by_name[name], self.run, complete))
        tree.add_command(rules_group(self.run, complete))
        tree.add_command(
            app_commands.ContextMenu(
                name=say_later("Advise on these dice"), callback=self._advise_on
            )
        )

    def listen(self, interaction: discord.Interaction[Any]) -> bool:
        """Speak the language of who asks; false where Discord would take no answer any more."""
        speak(best_language(interaction.locale.value))
        # the clock that nobody sets: how far it and Discord's are apart drifts slowly at most
        now = time.monotonic()
        lag = now - interaction.created_at.timestamp()
        self._least_lag = min(self._least_lag + _DRIFT * (now - self._heard), lag)
        self._heard = now
        late = lag - self._least_lag
        if late > TOO_LATE:
            logger.info("left an interaction alone that came %.1f s late", late)
        interaction.extras[DUE] = now - late + _ANSWER_SECONDS
        return late <= TOO_LATE

    async def finish(self, seconds: float) -> None:
        """Wait for the answers under way."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)

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
        await self._told(interaction, self._run(interaction, name, line, users))

    async def _run(
        self,
        interaction: discord.Interaction[Any],
        name: str,
        line: Line,
        users: Sequence[discord.abc.User],
    ) -> None:
        answer = await self._answer(interaction, private=name in PRIVATE)
        if any(user.bot for user in users):
            await answer.tell_alone(
                say("a Discord bot cannot play: level:optimal adds a player of mine")
            )
            return
        command = self._commands.by_name[name]
        try:
            check_length(" ".join(map(str, (*line.arguments, *line.options.values()))))
            line = _as_typed(line, command)
            caller = caller_of(interaction)
            if name in _FOR_WHO_IS_AWAY and await self._reminded(answer, caller, line):
                return
        except FarkleError as error:
            await answer.refuse(error)
            return
        await answer.tell(command.answer(line, caller))

    async def _reminded(self, answer: Answer, caller: Caller, line: Line) -> bool:
        """Whether the player to move is now told that others wait, which each turn is done once."""
        table = await self._games.tables.find(caller, table_of(line))
        game, person = table.game, user_id(table.stored.seats[table.game.mover].person)
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

    async def press(self, interaction: discord.Interaction[Any], button: TableButton) -> None:
        """Answer a press on a button of a table."""
        await self._told(interaction, self._in_order(interaction, button))

    async def _in_order(self, interaction: discord.Interaction[Any], button: TableButton) -> None:
        patience = seconds_left(interaction) - _TO_ANSWER
        leave, waited = await self._gate.enter(patience, partial(tell_to_wait, interaction))
        interaction.extras[LEAVE] = leave
        if waited > _NOTED:
            self._games.oracle.tasks.pressure.note(waited)
        try:
            await self._press(interaction, button)
        finally:
            leave()

    async def _press(self, interaction: discord.Interaction[Any], button: TableButton) -> None:
        caller = caller_of(interaction)
        answer = await self._answer(interaction, button.language)
        try:
            table = await self._table(caller, button.game)
            if (late := _too_late(caller, table, button)) is not None:
                await answer.tell(self._told_late(caller, table, button, late))
            elif button.action == "refresh":
                await answer.tell(self._shown(caller, button.game))
            elif button.action == "review":
                await self._review(answer, caller, table, 0)
            elif button.action == "again":
                again = await self._answer(interaction, button.language, anew=True)
                await again.tell(self._play_again(caller, table))
            elif button.action in _QUESTIONS:
                await answer.tell(self._asked(caller, table, button))
            elif button.chooses:
                await self._choose(answer, caller, table, button, seconds_left(interaction))
            elif button.action in SURE:
                await self._ask(answer, caller, table, button)
            else:
                button.mask = await self._choices.chosen(button, seconds_left(interaction))
                await answer.tell(self._done(caller, table, button))
        except MissingGameError as error:
            await answer.bury(error)
        except FarkleError as error:
            await answer.refuse(error)

    async def dead(self, interaction: discord.Interaction[Any]) -> None:
        """Answer a press on what is no button of ours, or not any more."""
        if self.listen(interaction):
            logger.info("a press on %.100s, which is no button", sent(interaction, "custom_id"))
            await self._told(interaction, self._refuse(interaction, _changed()))

    async def _refuse(self, interaction: discord.Interaction[Any], error: FarkleError) -> None:
        await (await self._answer(interaction, all_private=True)).refuse(error)

    async def _table(self, caller: Caller, game_id: str) -> Table:
        """A game of this channel. Raises MissingGameError, or InvalidRequestError."""
        table = await self._games.tables.current(game_id)
        if table.stored.place != caller.place:
            raise InvalidRequestError.say("that game is played in another channel")
        return table

    async def _asked(
        self, caller: Caller, table: Table, button: TableButton
    ) -> AsyncIterator[Reply]:
        """Answer what changes nothing, to the one who asks alone."""
        match button.action:
            case "hint":
                async for hint in self._games.hint(caller, button.game):
                    yield hint_reply(hint)
            case "details":
                shown = await self._games.shown(table)
                yield Reply(details_lines(shown), "\n".join, private=True)
            case "rules":
                yield Reply(table.game.rules, rules_text, private=True)
            case _:
                reasons = list(map(whole_sentence, why_not(table.game, button.mask)))
                yield Reply(reasons, "\n".join, private=True)

    async def _done(
        self, caller: Caller, table: Table, button: TableButton
    ) -> AsyncIterator[Reply | News]:
        """Do what a button is for, also where others were faster, unless it cannot be any more."""
        waits = table.game.stage is Stage.LOBBY
        while (late := _too_late(caller, table, button)) is None:
            try:
                at = replace(caller, at_version=table.game.version)
                async for told in self._move(at, table, button):
                    yield self._with_solve(told) if isinstance(told, News) else told_reply(told)
                break
            except StaleVersionError:
                table = await self._table(caller, button.game)
            except FarkleError:
                # who got up twice at once is told so, and all others that they got up
                got_up = button.action == "leave" and table.seat_of(caller.person) is None
                if table.game.version != button.version and not got_up:
                    async for news in self._shown(caller, button.game, button.version):
                        yield news
                raise
        else:
            async for reply in self._told_late(caller, table, button, late):
                yield reply
        if waits:
            async for reply in self._solved_for_all(caller, button.game):
                yield reply

    async def _told_late(
        self, caller: Caller, table: Table, button: TableButton, why: str
    ) -> AsyncIterator[Reply | News]:
        """A table as it is now, and why a press on what it was could not be done."""
        async for news in self._shown(caller, table.game.id, button.version):
            yield news
        if why:
            yield Reply(why, whole_sentence, private=True)

    async def _solved_for_all(self, caller: Caller, game_id: str) -> AsyncIterator[Reply | News]:
        """Have rules solved for as many as sit at a table, which goes on and says for how long."""
        game = (await self._games.tables.current(game_id)).game
        if len(game.seats) < 2 or game.kits or game.pool:
            return
        asked = self._games.oracle, self._rules, caller, game.rules, len(game.seats)
        was_needed = None
        try:
            async for reply in solved_for_game(*asked):
                if reply.subject.failed:
                    yield replace(reply, private=True)
                    continue
                self._solves[game_id] = was_needed = reply.subject
                async for news in self._in_lobby(game_id):
                    yield news
        except FarkleError as error:
            yield failure(error)
        finally:
            # others may have sat down since, for whom more is solved: they show the table after it
            is_last = was_needed is not None and self._solves.get(game_id) is was_needed
            if is_last:
                del self._solves[game_id]
        if is_last:
            async for news in self._in_lobby(game_id):
                yield news

    async def _in_lobby(self, game_id: str) -> AsyncIterator[News]:
        """A table, if nobody has rolled yet."""
        table = await self._games.tables.current(game_id)
        if table.game.stage is Stage.LOBBY:
            yield self._with_solve(await self._games.shown(table))

    def _with_solve(self, news: News) -> News:
        """What happened at a table, with what is solved for as many as sit there."""
        game, solve = news.table.game, self._solves.get(news.table.game.id)
        here = solve and game.stage is Stage.LOBBY and solve.players <= len(game.seats)
        return replace(news, solve=solve if here else None)

    def _move(  # noqa: C901, PLR0911, PLR0912 - one for each button
        self, caller: Caller, table: Table, button: TableButton
    ) -> AsyncIterator[Delay | News]:
        """The call of the service that a button stands for."""
        games, game_id, kept = self._games, button.game, kept_dice(table.game, button.mask)
        match button.action:
            case "roll" | "bank" as then if kept:
                return games.keep(caller, game_id, kept, then)
            case "keep":
                return games.keep(caller, game_id, kept, None)
            case "roll":
                return games.roll(caller, game_id)
            case "bank":
                return games.bank(caller, game_id)
            case "use" if kept and not table.game.may_use:
                return games.keep(caller, game_id, kept, "use")
            case "use":
                return games.use(caller, game_id, used_dice(table.game, button.mask))
            case "accept":
                return games.accept(caller, game_id)
            case "farkle":
                # the message says whose turn it is, whoever presses
                mover = table.stored.seats[table.game.mover]
                return games.score(
                    caller, game_id, Person(mover.person or "", mover.name), 0, "farkle"
                )
            case "undo":
                return games.undo(caller, game_id)
            case "join":
                return games.join(caller, game_id)
            case "leave":
                return games.get_up(caller, game_id)
            case "bot":
                return games.join(caller, game_id, level_named(button.chose))
            case action if found := _PAIR.fullmatch(action):
                return games.pick(caller, game_id, int(found[1]))
            case _:
                raise _changed()

    async def _shown(self, caller: Caller, game_id: str, since: int = 0) -> AsyncIterator[News]:
        """A table as it is now, with what happened since a version; bots go on by themselves."""
        table = await self._games.tables.current(game_id)
        if not table.game.over:
            table = await self._games.tables.find(caller, game_id)
        self._choices.forget(game_id)  # it is shown with none
        yield self._with_solve(await self._games.shown(table, since))
        async for news in self._games.bots(table):
            yield news

    async def _choose(
        self, answer: Answer, caller: Caller, table: Table, button: TableButton, patience: float
    ) -> None:
        """Choose dice, or no longer: nothing is kept by it yet.

        patience : seconds that it may wait for the presses before
        """
        table.acting_seat(caller)  # raises where somebody else is to move
        async with self._choices.choose(button, patience) as mask:
            now = await self._games.tables.current(button.game)
            if (late := _too_late(caller, now, button)) is None:
                is_as_shown = now.game.version == button.version
                news = None if is_as_shown else await self._games.shown(now)
                await answer.choose(now, mask, news)
                return
        # something was done while this press waited for the one before
        await answer.tell(self._told_late(caller, now, button, late))

    async def _ask(self, answer: Answer, caller: Caller, table: Table, button: TableButton) -> None:
        if button.action == "end":
            check_end(caller, table, self._games.tables.now())
        else:
            resign(table.game, table.own_seat(caller))  # who cannot is told so, and not asked
        view = Buttons()
        view.add_item(Confirm(button.action, button.game, button.language, answer.shown_in))
        question, _ = SURE[button.action]
        await answer.tell_privately(Card(say(question)), view)

    async def confirmed(self, interaction: discord.Interaction[Any], button: Confirm) -> None:
        """Do what somebody is sure of; its table is told in its own message, or else anew."""
        await self._told(interaction, self._confirmed(interaction, button))

    async def _confirmed(self, interaction: discord.Interaction[Any], button: Confirm) -> None:
        do = {"resign": self._games.resign, "end": self._games.end}[button.action]
        answer = await self._answer(interaction, button.language, anew=True)
        answer.show_in(button.message)
        await answer.tell(do(caller_of(interaction), button.game))

    async def _play_again(self, caller: Caller, table: Table) -> AsyncIterator[Reply | News]:
        """The same players under the same rules, if the one who asks was among them."""
        game, seats = table.game, table.stored.seats
        if not game.over:
            raise _changed()
        if table.seat_of(caller.person) is None or any(
            seat.person is None and seat.level is None for seat in seats
        ):
            raise IllegalActionError.say(
                "not everybody who played is here: /play begins a new game"
            )
        others = [seat for seat in seats if seat.person != caller.person.id]
        players: list[Player] = [caller.person]
        players += [one.level or Person(one.person or "", one.name) for one in others]
        own = table.seat_of(caller.person) or 0
        kits = (*game.kits[own : own + 1], *game.kits[:own], *game.kits[own + 1 :])
        more = {"tracked": game.tracked, "joker_alone": table.begun.joker_alone}
        if kits:
            async for delay in self._games.prepare(caller, players, game.rules, kits, **more):
                yield delay_reply(delay)
        told = self._games.play(
            caller,
            players,
            game.rules,
            hints=game.hints,
            away_seconds=game.away_seconds,
            kits=kits,
            tracked=game.tracked,
            joker_alone=table.begun.joker_alone,
        )
        async with self._games.tables.lock(f"again:{game.id}"):
            # where several games may be open, one press each of two players is one rematch
            for one in await self._games.tables.open_at(caller.place):
                if one.stored.began_at >= table.moved_at and _who_play(one) == _who_play(table):
                    raise IllegalActionError.say(
                        "the rematch has begun already: it is game {game}", game=one.game.id
                    )
            first = await anext(told)
        yield first
        async for news in told:
            yield news

    async def walk(self, interaction: discord.Interaction[Any], button: ExploreButton) -> None:
        """Show the position that a button of another one leads to."""
        await self._told(interaction, self._walk(interaction, button))

    async def _walk(self, interaction: discord.Interaction[Any], button: ExploreButton) -> None:
        answer = await self._answer(interaction, button.language)
        caller, games = caller_of(interaction), self._games
        led = button.digest, button.name, button.position
        await answer.tell(walked(games.oracle, games.tables, caller, *led))

    async def answered_daily(
        self, interaction: discord.Interaction[Any], button: DailyButton
    ) -> None:
        """Answer a press on a choice of a daily position, to who pressed alone."""
        await self._told(interaction, self._answered_daily(interaction, button))

    async def _answered_daily(
        self, interaction: discord.Interaction[Any], button: DailyButton
    ) -> None:
        answer = await self._answer(interaction, all_private=True, anew=True)
        await answer.tell(self._verdict(caller_of(interaction), button))

    async def _verdict(self, caller: Caller, button: DailyButton) -> AsyncIterator[Reply]:
        try:
            day = date.fromisoformat(button.day)
        except ValueError:
            raise _changed() from None
        yield practice_reply(await self.daily.answer(caller, button.choice, day))

    async def drilled(self, interaction: discord.Interaction[Any], button: DrillButton) -> None:
        """Answer a press below a position that somebody practises on, in the same message."""
        await self._told(interaction, self._drilled(interaction, button))

    async def _drilled(self, interaction: discord.Interaction[Any], button: DrillButton) -> None:
        answer = await self._answer(interaction)
        await answer.tell(_in_place(self._drill_told(caller_of(interaction), button)))

    async def _drill_told(self, caller: Caller, button: DrillButton) -> AsyncIterator[Reply]:
        if button.choice != NEXT:
            number, position = int(button.choice), button.position
            yield practice_reply(await self._drill.answer(caller, number, position))
            return
        wish = await self._drill.like(caller, button.position)
        async for reply in drill_asked(self._drill, caller, wish):
            yield reply

    async def in_tournament(
        self, interaction: discord.Interaction[Any], button: TournamentButton
    ) -> None:
        """Answer a press on a button of a tournament."""
        await self._told(interaction, self._in_tournament(interaction, button))

    async def _in_tournament(
        self, interaction: discord.Interaction[Any], button: TournamentButton
    ) -> None:
        caller, tournament = caller_of(interaction), button.tournament
        answer = await self._answer(interaction, button.language)
        try:
            shown = await self.tournaments.shown(caller, tournament)
            found = shown.tournament
            pairing = found.between(*button.sides) if found and button.sides else None
            if found and pairing and pairing.state in {State.DUE, State.PLAYING}:
                self.tournaments.check_begins(caller, found, pairing)
                anew = await self._answer(interaction, button.language, anew=True)
                await anew.tell(begun(self.tournaments, self._rules, caller, found, pairing))
                await answer.renew(await self.tournaments.shown(caller, tournament))
            else:
                do: dict[str, Callable[[Caller, str], Awaitable[TournamentNews]]] = {
                    "join": self.tournaments.join,
                    "leave": self.tournaments.leave,
                    "start": self.tournaments.start,
                }
                if button.action in do and not shown.is_over:
                    shown = await do[button.action](caller, tournament)
                await answer.tell(_one(tournament_reply(shown)))
        except FarkleError as error:
            await answer.refuse(error)

    async def turn_page(self, interaction: discord.Interaction[Any], button: ReviewPage) -> None:
        """Show another page of a review."""
        await self._told(interaction, self._turn_page(interaction, button))

    async def _turn_page(self, interaction: discord.Interaction[Any], button: ReviewPage) -> None:
        answer = await self._answer(interaction)
        try:
            caller = caller_of(interaction)
            table = await self._table(caller, button.game)
            await self._review(answer, caller, table, button.page)
        except FarkleError as error:
            await answer.refuse(error)

    async def _review(self, answer: Answer, caller: Caller, table: Table, page: int) -> None:
        if not table.game.over:
            raise _changed()  # no such button was ever shown
        pages = await answer.patiently(asyncio.create_task(self._pages(caller, table)))
        page = min(page, len(pages) - 1)
        card = Card(plain_markdown(pages[page]))
        await answer.page(card, review_view(table.game.id, page, len(pages)), first=page == 0)

    async def _pages(self, caller: Caller, table: Table) -> list[str]:
        """The pages of the review of a game."""
        pages: list[str] = []
        async for found in self._games.oracle.review(table, caller.asker):
            if isinstance(found, Review):
                pages = review_pages(found, table.names)
        return pages

    async def _advise_on(
        self, interaction: discord.Interaction[Any], message: discord.Message
    ) -> None:
        """Advice on the dice that a message names."""
        await self._told(interaction, self._advised_on(interaction, message))

    async def _advised_on(
        self, interaction: discord.Interaction[Any], message: discord.Message
    ) -> None:
        answer = await self._answer(interaction, all_private=True)
        found = dice_in(message.content)
        if found is None:
            await answer.tell_alone(say("there are no dice in that message, such as 6 5 3 3 3 2"))
            return
        # a roll that somebody shows is a question of its own
        line = Line((found,), {"me": 0})
        replies = self._commands.by_name["advise"].answer(line, caller_of(interaction))
        await answer.tell(replies)

    async def _complete_rules(self, place: str, current: str) -> list[str]:
        entries = await self._rules.list(place)
        names = [entry.name for entry in entries]
        return [name for name in names if current in name.lower()]

    async def _complete_games(self, place: str, current: str) -> list[str]:
        found = await self._games.tables.open_at(place)
        return [table.game.id for table in found if current in table.game.id]

    async def _complete_commands(self, _: str, current: str) -> list[str]:
        names = {*GROUPS, ALL, *OPTIONS}
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
            store = self._games.tables.store
            settings = await store.settings(place_of(interaction), _PATIENCE)
        if settings.language:
            speak(best_language(settings.language))
        of_all = language_of_all(interaction, settings, table)
        return Answer(interaction, settings, of_all, self._games.oracle.tasks, **how)

    async def _told(
        self, interaction: discord.Interaction[Any], answer: Coroutine[Any, Any, None]
    ) -> None:
        """Answer in the task of the interaction, which nobody breaks off; no failure leaves it."""
        self._wait_for(asyncio.current_task())
        await _caught(interaction, answer)


def _who_play(table: Table) -> list[str]:
    """The people and bots of a table, whatever their order."""
    return sorted(seat.level or seat.person or "" for seat in table.stored.seats)


def _too_late(caller: Caller, table: Table, button: TableButton) -> str | None:
    """Why what a button meant when it was shown cannot be done any more; None where it can.

    Nothing is to be said where the one who presses has done it.
    """
    late, is_move = None, button.action in _MOVES or _PAIR.fullmatch(button.action)
    if button.version != table.game.version and (is_move or button.chooses):
        late = _gone_on(caller, table, button)
    if table.game.over and button.action not in _AT_THE_END and late != "":
        late = say("the game is over: /play begins another")
    elif button.action == "bot":
        # who chooses one twice at once has one
        since = table.events[max(0, button.version - 1) :]
        if any(isinstance(one, Joined) and one.level == button.chose for one in since):
            called = bot_name(button.chose)
            late = say("{bot} has just sat down: press again to add another bot", bot=called)
    return late


def _gone_on(caller: Caller, table: Table, button: TableButton) -> str | None:
    """Return why a press is too late that belongs to one moment of a turn, as `_too_late` does."""
    then, events = table.since(button.version) or (None, [])
    if then and not events and button.action != "undo":
        return None  # people only came and went
    if then and events:
        action = button.action
        done = next((one for one in events if not isinstance(one, Kept)), events[0])
        whose = then.before if action == "undo" and then.before else then
        own = then.tracked or table.seat_of(caller.person) == whose.mover
        is_it = isinstance(done, _MOVES.get(action, Picked))
        if own and is_it and getattr(done, "ending", action) == action:
            return ""
    return say("the game has moved on: look at how it stands now")


async def _one(reply: Reply) -> AsyncIterator[Reply]:
    yield reply


async def _caught(interaction: discord.Interaction[Any], answer: Coroutine[Any, Any, None]) -> None:
    try:
        await answer
    except Exception as error:  # whatever one answer is, the bot goes on
        await tell_failure(interaction, error)
    finally:
        # an interaction and its response know each other: what only a collection frees of them,
        # which holds up every answer, is to be little
        interaction.message = None


async def _in_place(found: AsyncIterator[Reply]) -> AsyncIterator[Reply]:
    """Replies that take the place of the message whose button was pressed, which one alone sees."""
    async for told in found:
        yield replace(told, private=False)


def _changed() -> InvalidRequestError:
    """That a button does nothing any more, or never did."""
    return InvalidRequestError.say("this button is out of date: /show shows the table again")


def dice_in(text: str) -> str | None:
    """The dice that a text names: of several runs of faces the longest."""
    found = [match[0] for match in _DICE.finditer(text)]
    return max(found, key=lambda run: len(re.sub("[ ,]", "", run)), default=None)


def _as_typed(line: Line, command: Command) -> Line:
    """A command as it would have been read where it is typed: with the options typed into another.

    Raises InvalidRequestError.
    """
    if command.is_exact:
        return line
    words = tuple(narrowed(one) if isinstance(one, str) else one for one in line.arguments)
    given = {k: narrowed(one) if isinstance(one, str) else one for k, one in line.options.items()}
    line = Line(words, given)
    if command.takes_dice and any(letter.isalpha() for letter in line.words):
        return _with(take_apart(command, line.words), given)
    if (more := given.pop("more", None)) is None:
        return line
    parsed = take_apart(command, str(more))
    if parsed.arguments:
        accepted = "three-pairs:750"
        raise InvalidRequestError.say(
            'the option more takes options such as {accepted}, not "{words}"',
            accepted=accepted,
            words=parsed.words,
        )
    return _with(Line(words, parsed.options), given)


def _with(line: Line, given: Mapping[str, Word]) -> Line:
    """A line with options given apart from it. Raises InvalidRequestError for one given twice."""
    if twice := next((name for name in given if name in line.options), None):
        raise InvalidRequestError.say('the option "{option}" is given twice', option=twice)
    return Line(line.arguments, {**given, **line.options})
