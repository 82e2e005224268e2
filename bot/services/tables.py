"""The tables that are played at: games in memory, kept in the store event by event."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection

from bot.services.store_check import replayed
from bot.store.rows import (
    DamagedGameError,
    GameResult,
    GameRunningError,
    MissingGameError,
    SeatRow,
    StoredGame,
)
from bot.store.store import Store
from bot.table import badges, commands, fair_dice
from bot.table.events import (
    Begun,
    Corrected,
    Ended,
    Event,
    Joined,
    Left,
    Replaced,
    Resigned,
    Rolled,
    Seeded,
    Setup,
    Used,
    event_data,
)
from bot.table.fold import Step, apply, begin, fold, steps
from bot.table.state import Game, Stage
from bot.tasks.tasks import Asker
from solver.errors import IllegalActionError, InvalidRequestError
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll
from solver.wording import say, say_later, say_number

_BOTS = {
    "optimal": say_later("Optimal bot"),
    "max-points": say_later("Max-points bot"),
    "memo": say_later("Memo bot"),
    "memo-go-for-it": say_later("Memo-go-for-it bot"),
    "greedy": say_later("Greedy bot"),
    "cautious": say_later("Cautious bot"),
}
"""What bots are called, by their level."""
_BESIDE_THE_TURN = Joined, Left, Seeded, Resigned, Replaced, Corrected
"""Events after which whoever is to move still is, unless they say something else."""
_MOST_STEPS = 20
"""How many of the last events are kept with the games around them: those of a turn, mostly."""
_MOST_LIVE = 5_000
"""Open games that are kept in memory, of about 30 kB each; others are read when they go on."""

T = TypeVar("T")


class Recent(dict[str, T]):
    """What is kept of games by their ids, but for what was kept longest ago.

    Another program may end them, and then nobody here lets go of them.
    """

    def __setitem__(self, game: str, kept: T) -> None:
        self.pop(game, None)
        super().__setitem__(game, kept)
        if len(self) > _MOST_LIVE:
            self.pop(next(iter(self)), None)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who plays, as the front knows them."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who gives a command, and where."""

    place: str
    person: Person
    manages: bool = False
    """Whether the person may manage the place."""
    at: "Table | None" = None
    """The game that the command was given for, as it was read; None for whatever is open now."""
    is_passing: bool = False
    """Whether nobody knows the person again: then the place has no games."""
    asks_apart: bool = False
    """Whether a question is never on the game here: its address is to say the same to everybody."""

    @property
    def asker(self) -> Asker:
        """The one for whom something is computed, and where."""
        return Asker(self.person.id, self.place)


Player = Person | str
"""Who is to sit down: a person, or a bot by its level."""


@dataclass(frozen=True, slots=True)
class Table:
    """A game with all its events, and who sits there."""

    stored: StoredGame
    begun: Begun
    events: tuple[Event, ...]
    """The events after `begun`."""
    game: Game
    moved_at: datetime
    steps: tuple[Step, ...] = ()
    """The last of the events with the games around them, as far as they were made here."""

    @property
    def idle_hours(self) -> int | None:
        """Hours for which nobody had moved when the game ended by itself, if it did."""
        ends = [event.idle_hours for event in self.events[-2:] if isinstance(event, Ended)]
        return ends[0] if self.game.over and ends else None

    def steps_since(self, version: int) -> tuple[Step, ...]:
        """What has happened since a version that the game had."""
        number = len(self.events) + 1 - version
        if number <= len(self.steps):
            return self.steps[len(self.steps) - number :]
        then = fold(self.begun, self.events[: version - 1])
        return tuple(steps(then, self.events[version - 1 :]))

    def since(self, version: int) -> tuple[Game, list[Event]] | None:
        """The game at a version, and what has happened at its turn since then.

        That is nothing where people only came and went. None for a version that is still to come.
        """
        if not 1 <= version <= self.game.version:
            return None
        done = self.steps_since(version)
        events = [
            event
            for before, event, after in done
            if after.mover != before.mover
            or getattr(event, "moves", False)
            or not isinstance(event, _BESIDE_THE_TURN)
        ]
        return done[0].before if done else self.game, events

    def lately(self, version: int) -> tuple[Step, ...]:
        """All that has happened since a version, up to the end of a turn.

        Turns of bots after it belong to it, as they follow by themselves. It is nothing where more
        has happened, or somebody got up, whose name is not known any more.
        """
        if not 1 <= version <= self.game.version:
            return ()
        done = self.steps_since(version)
        ends = sum(
            after.last is not before.last and not before.bot_to_move for before, _, after in done
        )
        has_left = any(isinstance(step.event, Left) for step in done)
        return () if ends > 1 or has_left else done

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat; bots are called as the language that is spoken has it."""
        return tuple(map(_name, self.stored.seats))

    @property
    def stored_names(self) -> tuple[str, ...]:
        """The names as they are stored, for programs."""
        return tuple(seat.name for seat in self.stored.seats)

    def seat_of(self, person: Person) -> int | None:
        """The seat of a person who plays here; of one who was replaced none."""
        for seat in self.stored.seats:
            if seat.person == person.id and self.game.seats[seat.number].level is None:
                return seat.number
        return None

    def seat_named(self, who: Person | str) -> int:
        """The seat of a person, or of the only player whose name begins so.

        Raises InvalidRequestError.
        """
        name = who if isinstance(who, str) else who.name
        if isinstance(who, Person) and (seat := self.seat_of(who)) is not None:
            return seat
        wanted = name.removeprefix("@").casefold()
        called = list(zip(self.names, self.stored_names, strict=True))
        seats = [k for k, both in enumerate(called) if wanted in map(str.casefold, both)]
        if seats:
            # of several who were forgotten the one who still plays
            return min(seats, key=lambda number: not self.game.seats[number].playing)
        if wanted and isinstance(who, str):
            like = [
                k
                for k, both in enumerate(called)
                if any(alias.casefold().startswith(wanted) for alias in both)
            ]
            seats = [k for k in like if self.game.seats[k].playing] or like
        if len(seats) == 1:
            return seats[0]
        if seats:
            raise InvalidRequestError.say(
                '"{name}" could be {players}: type a little more of the name',
                name=name,
                players=", ".join(self.names[k] for k in seats),
            )
        raise InvalidRequestError.say(
            '"{name}" does not play here, only {players}', name=name, players=self.players
        )

    def plays(self, caller: Caller) -> bool:
        """Whether the caller has a seat and has not resigned."""
        seat = self.seat_of(caller.person)
        return seat is not None and self.game.seats[seat].playing

    def has_say(self, caller: Caller) -> bool:
        """Whether the caller may tell what happens: who plays, who manages the place.

        Where who set up a game with real dice plays not in it, that is everybody in its place.
        """
        kept_by_all = self.begun.tracked and self.begun.host is None
        return self.plays(caller) or caller.manages or kept_by_all

    def own_seat(self, caller: Caller) -> int:
        """The seat of the caller. Raises IllegalActionError."""
        seat = self.seat_of(caller.person)
        if seat is None:
            raise IllegalActionError.say(
                "you do not play in this game, only {players}", players=self.players
            )
        return seat

    def seat_for(self, caller: Caller, who: Person | str | None) -> int:
        """The seat whose part a caller may end: the own one, or that of the player named.

        With real dice whoever keeps the score says who leaves, else who manages the place; before
        the first roll every player may have a bot leave. Raises FarkleError.
        """
        if who is None:
            return self.own_seat(caller)
        seat = self.seat_named(who)
        own = self.seat_of(caller.person)
        is_spare = self.game.stage is Stage.LOBBY and self.game.seats[seat].level is not None
        if seat == own or (is_spare and own is not None):
            return seat
        if self.game.tracked:
            self.check_may_track(caller)
        elif not caller.manages:
            raise IllegalActionError.say(
                "only {name}, or someone who manages this place, can resign for {name}; if {name}"
                " is away, /skip {name} skips the turn and /replace {name} lets a bot play on",
                name=self.names[seat],
            )
        commands.check_playing(self.game, seat)
        return seat

    def acting_seat(self, caller: Caller) -> int:
        """The seat that acts: the caller's, in a tracked game the player's to move.

        Raises IllegalActionError where it is not the caller's turn.
        """
        game = self.game
        if game.tracked:
            self.check_may_track(caller)
            return game.mover
        seat = self.own_seat(caller)
        if not game.seats[seat].playing:
            raise IllegalActionError.say("you have resigned from this game")
        if seat != game.mover and game.stage is Stage.LOBBY and len(self.begun.levels) == 1:
            raise IllegalActionError.say(
                "wait for {name}, who opened the table and starts the game",
                name=self.names[game.mover],
            )
        if seat != game.mover and not game.over:
            raise IllegalActionError.say(
                "it is {name}'s turn, not yours", name=self.names[game.mover]
            )
        return seat

    def check_may_track(self, caller: Caller) -> None:
        """Raises IllegalActionError unless the caller may tell what real dice did."""
        commands.check_tracked(self.game)
        if not self.has_say(caller):
            raise IllegalActionError.say(
                "only those who play keep the score: {players}", players=self.players
            )

    def check_hint(self, caller: Caller) -> None:
        """Raises IllegalActionError unless the caller may be told what is best for the mover."""
        commands.check_hints(self.game)
        if self.game.tracked:
            self.check_may_track(caller)
        elif self.own_seat(caller) != self.game.mover:
            raise IllegalActionError.say("it is not your turn: hints are for the player to move")
        if len(self.game.seats) < 2:
            raise IllegalActionError.say("nobody else plays yet: others join with /join")

    @property
    def players(self) -> str:
        """The names of all in one line."""
        return ", ".join(self.names)

    def then(self, *events: Event, seat: SeatRow | None = None) -> "Table":
        """The table once events have happened.

        seat : with its new or other player
        """
        done, seats = tuple(steps(self.game, events)), list(self.stored.seats)
        for event in events:
            if isinstance(event, Left):
                del seats[event.seat]
                seats = [replace(other, number=number) for number, other in enumerate(seats)]
        if seat is not None:
            seats[seat.number : seat.number + 1] = [seat]
        stored = replace(self.stored, seats=tuple(seats))
        return replace(
            self,
            stored=stored,
            events=(*self.events, *events),
            game=done[-1].after if done else self.game,
            steps=(*self.steps, *done)[-_MOST_STEPS:],
        )


class Tables:
    """Games by id; whoever changes one holds its lock."""

    def __init__(
        self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.store = store
        self.now = now
        self._live = Recent[Table]()
        """Open games as they were read or changed last; what was looked at last comes last."""
        self._not_begun: dict[str, set[str]] = {}
        """Who wanted to begin a game and could not, by place: what they say next may be meant for
        it until they name or look at another one."""
        self._secrets = Recent[bytes]()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        """The lock of a game or a place."""
        return self._locks.setdefault(key, asyncio.Lock())

    async def begin(
        self,
        caller: Caller,
        players: Sequence[Player],
        setup: Setup,
        most_open: int,
        also: Callable[[Connection, str], object] | None = None,
    ) -> Table:
        """Set up a game. Raises IllegalActionError, or GameRunningError where there is one.

        also : what is written with it, see `Store.create_game`
        """
        secret = None if setup.tracked else secrets.token_bytes(32)
        game_id = secrets.token_hex(4)
        levels = [None if isinstance(player, Person) else player for player in players]
        setup = replace(
            setup,
            host=next((k for k, player in enumerate(players) if player == caller.person), None),
            commitment=fair_dice.commitment(secret) if secret else None,
        )
        begun = commands.begin_game(game_id, levels=levels, **setup.terms)
        seats = tuple(seat_row(number, player, levels) for number, player in enumerate(players))
        at, happened = self.now(), [(begun.kind, event_data(begun))]
        stored = StoredGame(game_id, caller.place, setup.rules.name, True, 1, at, None, seats)
        try:
            await self.store.create_game(stored, happened, secret, most_open, also)
        except GameRunningError:
            await self.open_at(caller.place)  # it may be one that nobody can go on with
            raise
        self._not_begun.pop(caller.place, None)
        table = Table(stored, begun, (), begin(begun), at)
        self._live[table.game.id] = table
        if secret:
            self._secrets[game_id] = secret
        return table

    def note_not_begun(self, caller: Caller) -> None:
        """Remember that the caller could not begin a game."""
        self._not_begun.setdefault(caller.place, set()).add(caller.person.id)

    def note_seen(self, caller: Caller) -> None:
        """Remember that the caller knows which games are open."""
        self._not_begun.get(caller.place, set()).discard(caller.person.id)

    async def check_meant(self, caller: Caller) -> None:
        """Raises InvalidRequestError where a move may be meant for a game that was not begun."""
        if caller.person.id in self._not_begun.get(caller.place, ()):
            table = await self.find(caller)
            raise InvalidRequestError.say(
                "your new game did not begin, so this would count in game {game} ({players}); if"
                " you mean that one, type /show first",
                game=table.game.id,
                players=table.players,
            )

    async def find(self, caller: Caller, game_id: str | None = None) -> Table:
        """The open game that a caller means. Raises InvalidRequestError where it is not plain."""
        if game_id is not None:
            with suppress(MissingGameError, DamagedGameError):
                at = caller.at if caller.at and caller.at.game.id == game_id else None
                table = await (self.latest(at) if at else self.current(game_id))
                if table.stored.place == caller.place and not table.game.over:
                    self.note_seen(caller)
                    return table
            await self.open_at(caller.place)  # which tells of one that was set aside
            raise InvalidRequestError.say(
                'there is no open game "{game}" here; /games lists the open ones', game=game_id
            )
        games = await self.open_at(caller.place)
        if not games:
            last = await self.ended_by_itself(caller.place)
            raise InvalidRequestError(_none_open(last))
        if len(games) > 1:
            games = [table for table in games if table.seat_of(caller.person) is not None] or games
        if len(games) > 1:
            names = ", ".join(f"game:{table.game.id}" for table in games)
            raise InvalidRequestError.say(
                "several games are open here; say which one with game: {games}", games=names
            )
        return games[0]

    def players_at(self, place: str) -> list[str]:
        """The names of who plays in the open games of a place that are in memory."""
        known = [table for table in self._live.values() if table.stored.place == place]
        return list(dict.fromkeys(name for table in known for name in table.names))

    async def open_at(self, place: str) -> list[Table]:
        """The open games of a place as they are stored now, the newest first.

        Raises DamagedGameError, once, where one was set aside.
        """
        tables, is_damaged = [], False
        games, is_untold = await self.store.open_games(place)
        for stored in games:
            try:
                tables.append(await self._of(stored))
            except DamagedGameError:
                is_damaged = True
        if (is_damaged or is_untold) and (game_id := await self.store.untold(place)):
            replayed(await self.store.record(game_id, even_set_aside=True))
            raise DamagedGameError(game_id, say("it was found to be damaged before"))
        return [table for table in tables if not table.game.over]

    async def ended_by_itself(self, place: str) -> Table | None:
        """The last game that was begun in a place, if it ended as nobody moved any more."""
        for stored in await self.store.recent_games(place, 1):
            if not stored.open:
                table = await self.load(stored.id)
                return table if table.idle_hours else None
        return None

    async def asked_at(
        self, caller: Caller, *, has_position: bool
    ) -> tuple[Table | None, Sequence[Table]]:
        """The game that a question without numbers is about: the one here, or the caller's own.

        has_position : whether the question tells a position or rules, so that it need not be on
            that game

        Returns all open games of the place, too, for `check_hints`.

        Raises IllegalActionError where it is on a game of the caller in which hints are forbidden.
        """
        open_games = [] if caller.is_passing else await self.open_at(caller.place)
        own = [table for table in open_games if table.plays(caller)]
        tables = own or [table for table in open_games if table.game.hints]
        plays = [
            table for table in tables if len(table.game.seats) > 1 and not table.game.is_drafting
        ]
        is_alone = len(tables) == len(plays) == 1
        here = plays[0] if is_alone and not caller.asks_apart else None
        if here and not (here.game.hints or has_position):
            raise _no_hints(here)
        return here, open_games

    async def current(self, game_id: str) -> Table:
        """A game as it is stored now; read whole only where it is another than in memory.

        Raises MissingGameError and DamagedGameError.
        """
        stored = await self.store.game(game_id)
        return await (self._of(stored) if stored else self.load(game_id))

    async def latest(self, table: Table) -> Table:
        """A game that a command has read, as it is by now if this program has changed it since.

        What others wrote meanwhile is found out when something is appended.
        """
        return self.known(table.game.id) or await self.current(table.game.id)

    def known(self, game_id: str) -> Table | None:
        """An open game as this program knows it; None where it does not."""
        return self._live.get(game_id)

    async def _of(self, stored: StoredGame) -> Table:
        """A game that is stored so, from memory where it is the same there."""
        known = self._live.get(stored.id)
        if known is None or known.stored != stored:
            known = await self.load(stored.id)
        newer = self._live.get(stored.id, known)
        if newer.game.version > known.game.version:
            return newer
        if known.game.over:
            self._forget(known)
        else:
            self._live[stored.id] = known
        return known

    async def load(self, game_id: str) -> Table:
        """A game from the store, open or over.

        Raises MissingGameError, and DamagedGameError for one that is set aside from now on.
        """
        try:
            record = await self.store.record(game_id)
            begun, events, game = replayed(record)
        except DamagedGameError as error:
            await self.store.set_aside(error)
            raise
        return Table(record.game, begun, events, game, record.events[-1].at)

    async def rolled(self, game: Game, seat: int) -> list[Rolled]:
        """What falls next, once it is known that the player may roll; all that is thrown again."""
        commands.check_roll(game, seat)
        secret, rolls = await self._secret(game), list[Rolled]()
        while not rolls or game.turn.misses:
            rolls += commands.roll(game, seat, commands.fallen(game, secret))
            game = apply(game, rolls[-1])
        return rolls

    async def used(self, game: Game, seat: int, dice: Roll) -> Used:
        """A use of a badge with what falls by it, once it is known that the player may."""
        types = badges.check_use(game, seat, dice)
        fallen = commands.fallen_of(game, await self._secret(game), types) if types else ()
        [event] = badges.use(game, seat, dice, fallen)
        return event

    async def _secret(self, game: Game) -> bytes:
        if game.id not in self._secrets:
            secret = await self.store.secret(game.id)
            if secret is None:
                raise InvalidRequestError.say(
                    "this game has real dice: say what you rolled, as in /roll 6 5 3 3 3 2"
                )
            self._secrets[game.id] = secret
        return self._secrets[game.id]

    async def append(
        self,
        table: Table,
        after: Table,
        *,
        results: Sequence[GameResult] = (),
        reopens: bool = False,
    ) -> Table:
        """Write down what happened between `table` and `after`, all or nothing.

        Returns the table as it is kept then. Raises StaleVersionError where something else
        happened in between.
        """
        events, at = after.events[len(table.events) :], self.now()
        try:
            version = await self.store.append(
                table.game.id,
                table.game.version,
                [(event.kind, event_data(event)) for event in events],
                at,
                sat=table.stored.seats,
                sit=after.stored.seats,
                ended=after.game.over,
                results=results,
                reopens=reopens,
            )
        except BaseException:
            # what is in memory may be out of date, or ahead of a command that was broken off
            self._forget(table)
            raise
        ended_at = at if after.game.over else None
        stored = replace(after.stored, version=version, ended_at=ended_at)
        after = replace(after, stored=stored, moved_at=at)
        if after.game.over:
            self._forget(table)
        else:
            self._live[table.game.id] = after
        return after

    def drop(self) -> None:
        """Forget all that is in memory; the store has it."""
        self._live.clear()

    def _forget(self, table: Table) -> None:
        self._live.pop(table.game.id, None)
        self._secrets.pop(table.game.id, None)
        self._not_begun.pop(table.stored.place, None)


def check_hints(
    open_games: Sequence[Table],
    caller: Caller,
    rules: Ruleset,
    scores: Sequence[int],
    roll: Roll | None = None,
) -> None:
    """Raises IllegalActionError for a position that may be one of a game without hints.

    That is one that the caller plays, see `Game.may_be_at`; all else may be asked about.
    """
    for table in open_games:
        is_silent = not table.game.hints and len(table.game.seats) > 1 and table.plays(caller)
        if is_silent and table.game.may_be_at(rules, scores, roll):
            raise _no_hints(table)


def _no_hints(table: Table) -> IllegalActionError:
    return IllegalActionError.say(
        "the host has forbidden hints in game {game}, which you are playing, and this could be a"
        " position of it: ask about other scores or rules, or leave it by {command} game:{game}",
        game=table.game.id,
        command="/resign sure:yes" if table.game.closed else "/end",
    )


def _none_open(last: Table | None) -> str:
    """Say that no game is open in a place, and why the last one is not if it ended by itself."""
    if last is None:
        return say("no game is open here: /play or /track begins one")
    sentence = say_number(
        "no game is open here: game {game} was ended because nobody had moved for {number}"
        " [hour|hours]; /play or /track begins another",
        last.idle_hours or 0,
        game=last.game.id,
    )
    return sentence + say(", /undo goes on with it") if last.game.tracked else sentence


def bot_name(level: str) -> str:
    """What a bot of a level is called in the language that is spoken."""
    return say(_BOTS[level]) if level in _BOTS else f"{level} bot"


def _name(seat: SeatRow) -> str:
    """What a player is called: bots and those who play on for people as `seat_row` has them."""
    usual = f"{seat.level} bot"
    if seat.level is None or not seat.name.startswith(usual):
        return seat.name
    called = bot_name(seat.level)
    _, played_for, name = seat.name.partition(f"{usual} for ")
    if played_for:
        return say("{bot} for {name}", bot=called, name=name)
    return called + seat.name.removeprefix(usual)


def seat_row(number: int, player: Player, levels: Sequence[str | None]) -> SeatRow:
    """The seat of a player; a bot is called by its level, with a number if others have that too."""
    if isinstance(player, Person):
        return SeatRow(number, player.id, player.name, None)
    same = [k for k, level in enumerate(levels) if level == player]
    name = f"{player} bot" if len(same) < 2 else f"{player} bot {same.index(number) + 1}"
    return SeatRow(number, None, name, player)
