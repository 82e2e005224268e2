"""What people do at tables: each command changes a game and tells what happened, bots included."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import update_wrapper
from typing import Any, Concatenate, Literal, ParamSpec

from sqlalchemy import Connection

from bot.review.highlights import GameChart
from bot.services import reckoning
from bot.services.advisor import Hint
from bot.services.away import check_away, check_end, is_idle
from bot.services.chances import Chances, Oracle, asker_of
from bot.services.policies import policy_of
from bot.services.tables import Caller, Person, Player, Table, Tables, seat_row
from bot.store.records import won_in_a_row
from bot.store.rows import (
    DamagedGameError,
    GameResult,
    GameRunningError,
    SeatRow,
    StaleVersionError,
    StoreError,
)
from bot.table import badges, commands
from bot.table.commands import kept
from bot.table.events import Accepted, Banked, Corrected, Picked, Revealed, Rolled, Setup, TookOver
from bot.table.fold import Step, apply
from bot.table.state import Game, laid_out, pick_pair
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay
from bot.tasks.workers import TaskError
from solver.errors import FarkleError, IllegalActionError, InvalidRequestError, StrategyFileError
from solver.loaded.kits import Kit, kits_of_picks, many_of, matchup_of, matchup_of_all
from solver.named.drafts import pairs_of, rule_of_thumb
from solver.play.policies import Optimal
from solver.turn.dice import Roll, all_set_asides
from solver.wording import say, say_later, say_number

LOOK_AGAIN = 0.25
"""Seconds between two looks whether the bots of another program have moved."""

OTHERS_SECONDS = 10.0
"""Seconds that another program that plays the turns of bots may take for the next move."""


@dataclass(frozen=True, slots=True)
class News:
    """What happened at a table."""

    before: Game | None
    """None where the game was just set up."""
    steps: tuple[Step, ...]
    """What happened."""
    table: Table
    chances: Chances | None = None
    """The chances after a turn, at the start and at the end."""
    by: str | None = None
    """Who did it, where that is not the player to move or no player any more."""
    reviewable: bool = False
    """Whether the game is over and can be reviewed."""
    chart: GameChart | None = None
    """The chances turn by turn, of a game that was played to its end."""
    earlier: tuple[Table, ...] = ()
    """Games here that ended for this one, or by themselves before it."""
    at_start: Chances | None = None
    """The chances when the turn under way began."""
    after: tuple[Any, ...] = ()
    """What the end of the game means elsewhere, as replies."""
    unsolved: bool = False
    """Whether a game begins that is not solved, so that hints are missing or not exact."""
    solve: Needed | None = None
    """What is solved for those who sit at a table, while they wait for others."""
    again: bool = False
    """Whether all has been told before, when it happened."""
    won: int = 0
    """How many games the winner of one that is over has won in a row here."""


_More = ParamSpec("_More")


def _command(
    move: Callable[Concatenate["Games", Caller, Table, _More], Awaitable[Table]],
) -> Callable[Concatenate["Games", Caller, str | None, _More], AsyncIterator[News]]:
    """A command of a game, which is named or plain: `move` makes of its table the one after it."""

    async def command(
        self: "Games",
        caller: Caller,
        game_id: str | None,
        /,
        *args: _More.args,
        **options: _More.kwargs,
    ) -> AsyncIterator[News]:
        if game_id is None:
            await self.tables.check_meant(caller)
        # bots whose turn was broken off, by the end of the program or by whoever left, come first;
        # one that cannot move, as its strategy file is gone, keeps nobody from leaving the game
        meant = await self.tables.find(caller, game_id)
        if meant.game.bot_to_move:
            with contextlib.suppress(StrategyFileError, TaskError, InvalidRequestError):
                async for news in self.bots(meant):
                    yield news
            meant = await self.tables.find(caller, game_id)
        async with self._changing(caller, meant) as table:
            news = await self._commit(table, await move(self, caller, table, *args, **options))
        yield news
        async for more_news in self.bots(news.table):
            yield more_news

    update_wrapper(command, move)
    return command


def bot_pick(game: Game) -> Picked:
    """The pair that a bot takes, by a rule of thumb."""
    place, _ = max(laid_out(game), key=lambda entry: rule_of_thumb(entry[1]))
    return Picked(place=place)


async def bot_move(tables: Tables, oracle: Oracle, table: Table) -> Table:
    """The table after one roll of a bot and what it does with it.

    Or what it does with what a player left to it. A bot knows of the dice only what lies there.
    """
    game = table.game
    if game.is_drafting:
        return table.then(bot_pick(game))
    if game.may_use and (dice := await oracle.of_bot(table, reckoning.badge_use)) is not None:
        return table.then(await tables.used(game, game.mover, dice))
    if game.is_farkle:
        return table.then(Accepted())
    return await _roll_or_choose(tables, oracle, table)


async def _roll_or_choose(tables: Tables, oracle: Oracle, table: Table) -> Table:
    """The table after a bot that uses no badge has rolled or has chosen."""
    game = table.game
    if game.turn.roll is None:
        if game.may_bank and await oracle.of_bot(table, reckoning.banked):
            return table.then(Banked())
        if game.offered is not None and await oracle.of_bot(table, reckoning.taken_over):
            table = table.then(TookOver())
        table = table.then(*await tables.rolled(table.game, game.mover))
        if table.game.may_use:
            return table  # whether to use its badge on the roll comes next
    if table.game.turn.roll is None:
        return table
    choice = await oracle.of_bot(table, reckoning.decided)
    after = table.then(*kept(table.game, choice.set_aside))
    goes_on = after.game.last is table.game.last
    return after.then(Banked()) if choice.bank and goes_on and not after.game.may_use else after


class Games:
    """The commands of a table. Raises FarkleError, whose sentence is for the one who erred."""

    def __init__(self, tables: Tables, oracle: Oracle, pace: float = 0.0) -> None:
        self.tables = tables
        self.oracle = oracle
        self._pace = pace
        self.after_game: list[Callable[[Table], Awaitable[Any]]] = []
        """Each makes a reply of what the end of a game means elsewhere, if it means anything."""
        self._bots_at: set[str] = set()
        """Games whose bots are at it here."""

    async def prepare(
        self, caller: Caller, players: Sequence[Player], setup: Setup
    ) -> AsyncIterator[Delay]:
        """Have the dice that players bring, if they do, solved against each other before they play.

        How long there is to wait.
        """
        rules, kits, joker_alone = setup.rules, setup.kits, setup.joker_alone
        if not kits:
            return
        _check_seats(players, tracked=setup.tracked)
        await self._check_levels(players, setup)
        commands.check_seats(len(players), len(kits))
        matchup = await at_once(matchup_of_all, rules, kits, joker_alone=joker_alone)
        many = many_of(rules, kits, joker_alone=joker_alone) if len(kits) > 2 else None
        if many and not await at_once(self.oracle.is_quick, many):
            many = None
        async for delay in self.oracle.ready(caller.asker, many or matchup):
            yield delay

    async def check_begin(
        self, caller: Caller, players: Sequence[Player], *, tracked: bool = False
    ) -> None:
        """Refuse a game that cannot begin here, before its rules are solved for it.

        Raises FarkleError as `play` does for what does not depend on the rules.
        """
        self.oracle.tasks.pressure.check(Degree.STRAINED)
        _check_seats(players, tracked=tracked)
        commands.check_seats(len(players), commands.MOST_PLAYERS)
        settings = await self.tables.store.settings(caller.place)
        tables = await self.tables.open_at(caller.place)
        if len(tables) >= settings.games and all(len(table.game.seats) > 1 for table in tables):
            raise self._no_room(caller, tables, GameRunningError.of(settings.games))

    async def play(
        self,
        caller: Caller,
        players: Sequence[Player],
        setup: Setup,
        *,
        most_open: int = 0,
        also: Callable[[Connection, str], object] | None = None,
    ) -> AsyncIterator[News]:
        """Set up a game; a table at which somebody still sits alone makes room for it.

        most_open : games that may be open here, where that is more than its setting
        also : what is written with it, see `Store.create_game`
        """
        rules, pool = setup.rules, setup.pool
        self.oracle.tasks.pressure.check(Degree.STRAINED)
        # found here once, what rolls lead to under new rules holds up no move
        await at_once(all_set_asides, rules)
        _check_seats(players, tracked=setup.tracked)
        await self._check_levels(players, setup)
        if pool:
            # any of its dice that differ take as long
            sample = kits_of_picks(pool, range(2 * pairs_of(rules.dice)), rules.dice)
            await self.oracle.check_solvable(caller.asker, matchup_of(rules, sample))
        settings = await self.tables.store.settings(caller.place)
        earlier = await self._ended_by_itself(caller.place)
        table = None
        while table is None:
            try:
                room = max(settings.games, most_open)
                table = await self.tables.begin(caller, players, setup, room, also)
            except GameRunningError as error:
                earlier.append(await self._make_room(caller, error))
        unsolved, number = False, max(2, len(players))
        if len(setup.kits) > 2:
            unsolved = not await at_once(self.oracle.needs, table.game, rival=False)
        is_plain = number == 2 and setup.hints and not setup.brings_dice
        if is_plain or (rules.rounds and number > 2):
            unsolved = not await at_once(self.oracle.advisor.solved_for, rules, number)
        chances = await self.oracle.chances(table)
        yield News(None, (), table, chances, earlier=tuple(earlier), unsolved=unsolved)
        async for news in self.bots(table):
            yield news

    async def prepare_join(
        self, caller: Caller, game_id: str | None, level: str | None, kit: Kit
    ) -> AsyncIterator[Delay]:
        """Have dice that somebody brings solved against those that are there already."""
        table = await self.tables.find(caller, game_id)
        joined = table.then(*commands.join(table.game, level, kit))
        needed = await at_once(self.oracle.needs, joined.game, rival=False)
        async for delay in self.oracle.ready(caller.asker, needed):
            yield delay

    async def join(
        self, caller: Caller, game_id: str | None, level: str | None = None, kit: Kit | None = None
    ) -> AsyncIterator[News]:
        """Sit down at a table before the first roll, or have a bot sit down.

        kit : what the player brings in place of what the game was begun with, see `prepare_join`
        """
        async with self._changing(caller, await self.tables.find(caller, game_id)) as table:
            sat = any(seat.person == caller.person.id for seat in table.stored.seats)
            if level is None and sat:
                replaced = table.seat_of(caller.person) is None
                raise IllegalActionError(
                    say("a bot plays on for you in this game")
                    if replaced
                    else say("you are already at this table")
                )
            if level is not None and not sat and not caller.manages:
                raise IllegalActionError.say("only players of this game can add a bot")
            await self._check_levels([level] if level else [], table.game)
            events = commands.join(table.game, level, kit)
            number = len(table.game.seats)
            levels = [*(seat.level for seat in table.game.seats), level]
            seat = seat_row(number, level or caller.person, levels)
            news = await self._commit(table, table.then(*events, seat=seat))
        yield news
        async for bot_news in self.bots(news.table):
            yield bot_news

    async def leave(
        self, caller: Caller, game_id: str | None, who: Person | str | None = None
    ) -> AsyncIterator[News]:
        """Get up before the first roll, give up later; or have somebody do so who leaves."""
        game = (await self.tables.find(caller, game_id)).game
        leave = self.get_up if game.may_be_left else self.resign
        async for news in leave(caller, game.id, who):
            yield news

    async def get_up(
        self, caller: Caller, game_id: str | None, who: Person | str | None = None
    ) -> AsyncIterator[News]:
        """Leave a table before the first roll; it ends where then no person would begin."""
        async with self._changing(caller, await self.tables.find(caller, game_id)) as table:
            seat = table.seat_for(caller, who)
            after = table.then(*commands.leave(table.game, seat))
            news = await self._commit(table, after, by=table.names[seat])
        yield news

    async def pick(
        self, caller: Caller, game_id: str | None, place: int
    ) -> AsyncIterator[Delay | News]:
        """Take a pair of the dice that are laid out; after the last one the game begins."""
        meant = await self.tables.find(caller, game_id)
        after = meant.then(*pick_pair(meant.game, meant.acting_seat(caller), place))
        async for delay in self.oracle.ready(caller.asker, after.game.matchup):
            yield delay
        async with self._changing(caller, meant) as table:
            seat = table.acting_seat(caller)
            news = await self._commit(table, table.then(*pick_pair(table.game, seat, place)))
        yield news
        async for bot_news in self.bots(news.table):
            yield bot_news

    @_command
    async def seed(self, caller: Caller, table: Table, text: str) -> Table:
        """Give one's own share to the dice."""
        return table.then(*commands.seed(table.game, table.own_seat(caller), text))

    @_command
    async def roll(self, caller: Caller, table: Table, dice: Roll | None = None) -> Table:
        """Roll; in a tracked game `dice` are what fell."""
        return table.then(*await self._rolled(table.game, table.acting_seat(caller), dice))

    @_command
    async def keep(
        self, caller: Caller, table: Table, kept: Roll, then: Literal["roll", "bank", "use"] | None
    ) -> Table:
        """Set dice aside, and roll, bank or use a badge at once if `then` says so."""
        seat = table.acting_seat(caller)
        before = table.game.last
        table = table.then(*commands.keep(table.game, seat, kept))
        if table.game.last is not before:
            return table  # it was the last throw of the turn
        if then == "bank":
            return table.then(*commands.bank(table.game, seat))
        if then == "roll" and table.game.tracked:
            raise InvalidRequestError.say(
                "with real dice, /keep the dice you set aside first, then /roll with what you"
                " rolled"
            )
        if then == "roll":
            return table.then(*await self._rolled(table.game, seat, None))
        if then == "use":
            return table.then(await self.tables.used(table.game, seat, ()))
        return table

    @_command
    async def take_over(self, caller: Caller, table: Table) -> Table:
        """Begin the turn with what the player before left, and roll it where dice are not real."""
        seat = table.acting_seat(caller)
        table = table.then(*commands.take_over(table.game, seat))
        if table.game.tracked:
            return table
        return table.then(*await self._rolled(table.game, seat, None))

    @_command
    async def bank(self, caller: Caller, table: Table) -> Table:
        """Bank the turn total."""
        return table.then(*commands.bank(table.game, table.acting_seat(caller)))

    @_command
    async def use(self, caller: Caller, table: Table, dice: Roll, fallen: Roll = ()) -> Table:
        """Use a badge that is used up.

        dice : of the roll, what it is used on; fallen : in a tracked game what falls by it
        """
        game, seat = table.game, table.acting_seat(caller)
        if not game.tracked:
            return table.then(await self.tables.used(game, seat, dice))
        if badges.check_use(game, seat, dice) and not fallen:
            raise InvalidRequestError.say(
                "say what fell too, as in /use 5 5 3, or /use 4 4 now 5 1 where dice of the roll"
                " are rolled again"
            )
        return table.then(*badges.use(game, seat, dice, fallen))

    @_command
    async def accept(self, caller: Caller, table: Table) -> Table:
        """Take the farkle on the table, and keep the badge."""
        return table.then(*badges.accept(table.game, table.acting_seat(caller)))

    @_command
    async def score(
        self,
        caller: Caller,
        table: Table,
        who: Person | str | None,
        points: int,
        ending: Literal["bank", "farkle", "lose", "win", "out"],
    ) -> Table:
        """Tell a whole turn with real dice, of the one named or, if that is plain, who is to move.

        It is plain where the caller is to move, or plays no more and only keeps the score.
        """
        table.check_may_track(caller)
        mover, over = table.game.mover, table.game.over
        is_waiting = table.plays(caller) and table.seat_of(caller.person) != mover
        if who is None and is_waiting and not over:
            refusal = say_later(
                "it is {name}'s turn: /score {name} {points} counts for {name}, /fix next:{you}"
                " makes it your turn"
            )
            if ending != "bank":
                refusal = say_later(
                    "it is {name}'s turn: /score {name} {ending} counts for {name}, /fix next:{you}"
                    " makes it your turn"
                )
            raise IllegalActionError.say(
                refusal,
                name=table.names[mover],
                points=str(points),
                ending=f"{ending} {points}" if points else ending,
                you=caller.person.name,
            )
        seat = mover if who is None else table.seat_named(who)
        if seat != mover and not over:
            raise IllegalActionError.say(
                "it is {name}'s turn, not {other}'s; /fix next:NAME changes that",
                name=table.names[table.game.mover],
                other=table.names[seat],
            )
        return table.then(*commands.score(table.game, seat, points, ending))

    @_command
    async def fix(
        self, caller: Caller, table: Table, /, who: Person | str, **changes: Any
    ) -> Table:
        """Put right what was told wrongly; `changes` are those of `Corrected`."""
        table.check_may_track(caller)
        correction = Corrected(seat=table.seat_named(who), **changes)
        return table.then(*commands.correct(table.game, correction))

    async def undo(self, caller: Caller, game_id: str | None) -> AsyncIterator[News]:
        """Take the last move back."""
        if reopened := await self._reopened(caller, game_id):
            yield reopened
            return
        async for news in self._undo(caller, (await self.tables.find(caller, game_id)).game.id):
            yield news

    @_command
    async def _undo(self, caller: Caller, table: Table) -> Table:
        game = table.game
        if game.tracked:
            table.check_may_track(caller)
        between_turns = game.turn.is_first and game.turn.roll is None
        if between_turns and not (game.hints or game.tracked):
            raise IllegalActionError.say(
                "that turn cannot be taken back: the host has forbidden hints here, and the odds"
                " after it have been shown"
            )
        return table.then(*commands.undo(game, table.seat_of(caller.person)))

    async def _reopened(self, caller: Caller, game_id: str | None) -> News | None:
        """The last game with real dice here, if it is over and its end is to be taken back."""
        open_tables = await self.tables.open_at(caller.place)
        if any(game_id in {None, open_table.game.id} for open_table in open_tables):
            return None
        last = next(iter(await self.tables.store.recent_games(caller.place, 1)), None)
        if last is None or last.open or game_id not in {None, last.id}:
            return None
        async with self.tables.lock(last.id):
            table = await self.tables.load(last.id)
            if not table.game.tracked or table.game.before is None:
                return None
            table.check_may_track(caller)
            undone = table.then(*commands.undo(table.game, None))
            written = await self.tables.append(table, undone, reopens=True)
        chances = await self.oracle.chances(written)
        # what the last turn changed was told when it ended
        chances = chances and replace(chances, last=None)
        return News(table.game, written.steps_since(table.game.version), written, chances)

    async def resign(
        self, caller: Caller, game_id: str | None, who: Person | str | None = None
    ) -> AsyncIterator[News]:
        """Give up, or have somebody give up for whom the caller may say so.

        Dice of their own that others are left with are solved first, if that is quick. Nobody is
        held up by it for longer, nor by what goes wrong.
        """
        table = await self.tables.find(caller, game_id)
        with contextlib.suppress(FarkleError, TimeoutError):
            left = table.then(*commands.resign(table.game, table.seat_for(caller, who))).game
            needed = await at_once(self.oracle.needs, left, rival=False)
            async with asyncio.timeout(self.oracle.needed_seconds):
                async for _ in self.oracle.ready(caller.asker, needed):
                    pass
        async for news in self._resign(caller, table.game.id, who):
            yield news

    @_command
    async def _resign(self, caller: Caller, table: Table, who: Person | str | None) -> Table:
        return table.then(*commands.resign(table.game, table.seat_for(caller, who)))

    async def end(self, caller: Caller, game_id: str | None) -> AsyncIterator[News]:
        """End the game without a result."""
        async with self._changing(caller, await self.tables.find(caller, game_id)) as table:
            check_end(caller, table, self.tables.now())
            news = await self._commit(table, table.then(*commands.end(table.game)))
        yield news

    async def end_idle(self, game_id: str, hours: int) -> None:
        """End a game by itself if nobody has moved for so many hours."""
        async with self.tables.lock(game_id):
            table = await self.tables.current(game_id)
            if not table.game.over and self.tables.now() - table.moved_at >= timedelta(hours=hours):
                await self._commit(table, table.then(*commands.end(table.game, hours)))

    async def away(
        self,
        caller: Caller,
        game_id: str | None,
        level: str | None,
        who: Person | str | None = None,
    ) -> AsyncIterator[News]:
        """Pass the turn of a player who is away, or have a bot of some level play on.

        who : the player who is meant, if that is said: only the one to move can be
        """
        async with self._changing(caller, await self.tables.find(caller, game_id)) as table:
            game = table.game
            if who is not None and (other := table.seat_named(who)) != game.mover:
                raise IllegalActionError.say(
                    "it is {name}'s turn, not {other}'s: only a player whose turn it is can be"
                    " skipped or replaced; /leave {other} takes {other} out of the game",
                    name=table.names[game.mover],
                    other=table.names[other],
                )
            check_away(caller, table, self.tables.now())
            if level is None:
                after = table.then(*commands.skip(game))
            else:
                await self._check_levels([level], game)
                old = table.stored.seats[game.mover]
                seat = SeatRow(game.mover, old.person, f"{level} bot for {old.name}", level)
                after = table.then(*commands.substitute(game, game.mover, level), seat=seat)
            news = await self._commit(table, after, by=caller.person.name)
        yield news
        async for bot_news in self.bots(news.table):
            yield bot_news

    async def leave_all(self, caller: Caller) -> AsyncIterator[News]:
        """Give up in every game anywhere that the caller still plays."""
        for stored in await self.tables.store.all_open_games(caller.person.id):
            with contextlib.suppress(DamagedGameError):
                if news := await self.give_up(stored.id, caller.person):
                    yield news

    async def give_up(self, game_id: str, person: Person) -> News | None:
        """Give up for somebody, if they still play in a game."""
        async with self.tables.lock(game_id):
            table = await self.tables.current(game_id)
            seat = table.seat_of(person)
            game = table.game
            if seat is None or game.over or not game.seats[seat].playing:
                return None
            alone = len(game.seats) < 2
            events = commands.end(game) if alone else commands.resign(game, seat)
            return await self._commit(table, table.then(*events))

    async def hint(self, caller: Caller, game_id: str | None) -> AsyncIterator[Delay | Hint]:
        """What is best for the player to move, who alone may ask."""
        table = await self.tables.find(caller, game_id)
        table.check_hint(caller)
        game = replace(table.game, before=None)
        needed = await at_once(self.oracle.needs, game)
        async for delay in self.oracle.ready(caller.asker, needed):
            yield delay
        advisor = self.oracle.advisor
        yield await self.oracle.answered_in(game, caller.asker, advisor.hint, game)

    async def shown(self, table: Table, since: int = 0) -> News:
        """A table as it is; its chances in the middle of a turn only where hints are allowed.

        since : the version that somebody saw last; what has happened since is told again
        """
        game, steps = table.game, table.lately(since)
        in_turn = not game.turn.is_first or game.turn.roll is not None
        has_chances = game.over or game.hints or not in_turn
        chances = await self.oracle.chances(table) if has_chances else None
        chart, at_start = await self.oracle.chart(table), await self.oracle.at_start(table)
        reviewable = self.oracle.is_reviewable(game)
        return News(
            steps[0].before if steps else game,
            steps,
            table,
            chances,
            reviewable=reviewable,
            chart=chart,
            at_start=at_start,
            again=True,
            won=await self._won_in_a_row(table) if steps else 0,
        )

    async def bots(self, table: Table) -> AsyncIterator[News]:
        """Play the turns of bots until a person is to move.

        Nothing is done where that goes on here already. Another program that does it is known by
        its moves: while there are some, this one waits.
        """
        game_id, others_moved = table.game.id, -math.inf
        while _bots_move(table.game) and game_id not in self._bots_at:
            if time.monotonic() - others_moved > OTHERS_SECONDS:
                self._bots_at.add(game_id)
                try:
                    async for news in self._bots(table):
                        yield news
                finally:
                    self._bots_at.discard(game_id)
            else:
                await asyncio.sleep(LOOK_AGAIN)
            before, table = table, await self.tables.current(game_id)
            if table.game.version != before.game.version:
                others_moved = time.monotonic()

    async def _bots(self, table: Table) -> AsyncIterator[News]:
        """Play the turns of bots until somebody else makes a move meanwhile."""
        game_id = table.game.id
        while _bots_move(table.game):
            await asyncio.sleep(self._pace)
            game = table.game
            if game.is_drafting:
                game = apply(game, bot_pick(game))
            by_best = game.bot_to_move == Optimal.name
            needed = await at_once(self.oracle.needs, game, rival=by_best)
            async for _ in self.oracle.ready(asker_of(table), needed):
                pass  # with the last pair, else only where what was solved was removed
            async with self.tables.lock(game_id):
                table = await self.tables.current(game_id)
                if not table.game.bot_to_move:
                    return
                after = await bot_move(self.tables, self.oracle, table)
                try:
                    news = await self._commit(table, after)
                except StaleVersionError:  # by a person or another program
                    return
            yield news
            # others may have moved while the news was told
            table = await self.tables.current(game_id)

    async def _ended_by_itself(self, place: str) -> list[Table]:
        """The last game of a place if nothing has been said there since it ended by itself."""
        if not await self.tables.open_at(place):
            with contextlib.suppress(FarkleError):  # what was is no reason not to play
                last = await self.tables.ended_by_itself(place)
                return [last] if last else []
        return []

    async def _make_room(self, caller: Caller, refusal: GameRunningError) -> Table:
        """Put away a table of one person alone. Raises GameRunningError if there is none."""
        open_tables = await self.tables.open_at(caller.place)
        for open_table in reversed(open_tables):
            async with self.tables.lock(open_table.game.id):
                table = await self.tables.current(open_table.game.id)
                if len(table.game.seats) < 2 and not table.game.over:
                    with contextlib.suppress(StaleVersionError):  # somebody sat down elsewhere
                        news = await self._commit(table, table.then(*commands.end(table.game)))
                        return news.table
        raise self._no_room(caller, open_tables, refusal)

    def _no_room(
        self, caller: Caller, tables: Sequence[Table], refusal: GameRunningError
    ) -> GameRunningError:
        """The error that names the games found, one in which nobody moves before others."""
        self.tables.note_not_begun(caller)
        if idle := [table for table in tables if is_idle(table, self.tables.now())]:
            return GameRunningError.say(
                "game {game} ({names}) is still open here, and nobody has moved in it for a while:"
                " finish it, or put it away by /end game:{game}",
                game=idle[-1].game.id,
                names=", ".join(idle[-1].names),
            )
        if not tables:
            return refusal
        games = [f"{table.game.id} ({', '.join(table.names)})" for table in tables]
        return GameRunningError(
            say_number(
                "[game {games} is|{number} games are] running here already[: finish it, or end it"
                " with|, which is the most allowed: {games};] /end game:{game}[| ends one]",
                len(tables),
                games=", ".join(games),
                game=tables[-1].game.id,
            )
        )

    @asynccontextmanager
    async def _changing(self, caller: Caller, meant: Table) -> AsyncIterator[Table]:
        """The table that a command changes as it is now, held until it is done."""
        async with self.tables.lock(meant.game.id):
            table = await self.tables.latest(meant)
            if caller.at and caller.at.game.version != table.game.version:
                raise StaleVersionError.say("the game has moved on: look at how it stands now")
            yield table

    async def _commit(self, table: Table, after: Table, *, by: str | None = None) -> News:
        """Write down what a command made, with the secret and the results where a game ends."""
        results: Sequence[GameResult] = ()
        if after.game.over:
            secret, results = await asyncio.gather(
                self.tables.store.secret(table.game.id), at_once(self.oracle.results, after)
            )
            if secret:
                after = after.then(Revealed(secret=secret.hex()))
        begun = time.monotonic()
        written = await self.tables.append(table, after, results=results)
        self.oracle.tasks.pressure.note(time.monotonic() - begun)
        steps = written.steps_since(table.game.version)
        chances, chart, won = None, None, 0
        after_it: Sequence[Any] = ()
        if after.game.over:
            # side by side: on a busy loop each of them by itself would wait for its turns
            (chances, chart, won), after_it = await asyncio.gather(
                asyncio.gather(
                    self.oracle.chances(written),
                    self.oracle.chart(written),
                    self._won_in_a_row(written),
                ),
                asyncio.gather(*(make(written) for make in self.after_game)),
            )
        elif _stands_otherwise(table.game, after.game, steps):
            chances = await self.oracle.chances(written)
        if chances and (not written.game.hints or not _ends_turn(table.game, written.game)):
            # why they moved would be a hint while the move can be taken back
            chances = replace(chances, last=None)
        at_start = chances or await self.oracle.at_start(written)
        return News(
            table.game,
            steps,
            written,
            chances,
            by,
            self.oracle.is_reviewable(written.game),
            chart,
            at_start=at_start,
            after=tuple(filter(None, after_it)),
            won=won,
        )

    async def _won_in_a_row(self, table: Table) -> int:
        """How many games the winner has won one after the other in this place, with this one."""
        shares = table.game.shares or ()
        winner = table.stored.seats[shares.index(1.0)] if 1.0 in shares else None
        if winner is None or winner.person is None or winner.level is not None:
            return 0
        # how the game went is told, whatever became of those before it
        with contextlib.suppress(StoreError):
            return await won_in_a_row(self.tables.store, winner.person, table.stored.place)
        return 0

    async def _rolled(self, game: Game, seat: int, dice: Roll | None) -> list[Rolled]:
        if game.tracked:
            if dice is None:
                commands.check_roll(game, seat)
                raise InvalidRequestError.say("say what you rolled, as in /roll 6 5 3 3 3 2")
            return commands.roll(game, seat, dice)
        if dice is not None:
            raise InvalidRequestError.say("the program rolls the dice: just type /roll")
        return await self.tables.rolled(game, seat)

    async def _check_levels(self, players: Sequence[Player], setup: Setup) -> None:
        for player in players:
            if isinstance(player, Person):
                continue
            if not setup.brings_dice or player != Optimal.name:  # which their dice are solved for
                await at_once(policy_of, self.oracle.advisor, player, setup.rules)


def _check_seats(players: Sequence[Player], *, tracked: bool) -> None:
    """Refuse who cannot sit at a table together. Raises InvalidRequestError."""
    people = [player.id for player in players if isinstance(player, Person)]
    if len(set(people)) < len(people):
        raise InvalidRequestError.say("each player can take only one seat")
    if tracked and len(people) < len(players):
        raise InvalidRequestError.say(commands.NO_BOTS)


def _bots_move(game: Game) -> bool:
    """Whether a bot is to move in a game that has begun."""
    return game.bot_to_move is not None and len(game.seats) > 1


def _stands_otherwise(before: Game, after: Game, steps: Sequence[Step]) -> bool:
    """Whether a turn has ended, or something was put right, so that the chances are told anew.

    Where hints are forbidden none are told in the middle of a turn.
    """
    if after.mover != before.mover or after.last is not before.last:
        return True
    seats = [[(seat.standing, seat.playing) for seat in game.seats] for game in (before, after)]
    is_changed = seats[0] != seats[1] or any(isinstance(step.event, Corrected) for step in steps)
    in_turn = not after.turn.is_first or after.turn.roll is not None
    return is_changed and (after.hints or not in_turn)


def _ends_turn(before: Game, after: Game) -> bool:
    """Whether a turn has ended that was not taken back."""
    return (
        after.version > before.version
        and after.last is not None
        and (after.last is not before.last)
        and sum(seat.turns for seat in after.seats) > sum(seat.turns for seat in before.seats)
    )
