"""Tournaments of people: made, joined, started, played pairing by pairing, ended.

Who made it is its host. Results come from the games themselves: nobody enters any.
"""

import random
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

from bot.features.tournaments import store as stored
from bot.features.tournaments.bracket import (
    MOST_ENTRANTS,
    Entrant,
    Form,
    Pairing,
    State,
    Tournament,
)
from bot.services.games import Games, News
from bot.services.place_settings import MOST_OPEN_GAMES
from bot.services.tables import Caller, Person, Table
from bot.store.rows import DamagedGameError, StaleVersionError, StoreError
from bot.table.events import Setup
from solver.errors import IllegalActionError, InvalidRequestError
from solver.rules.file import make_rules
from solver.rules.ruleset import Ruleset
from solver.wording import and_text, say, spoken

LEAST_ENTRANTS = 2
_TRIES = 5
"""Games that are begun while somebody leaves, and given up one after the other."""


class Happened(Enum):
    """What was done to a tournament."""

    NOTHING = auto()
    MADE = auto()
    JOINED = auto()
    LEFT = auto()
    STARTED = auto()
    ENDED = auto()


@dataclass(frozen=True, slots=True)
class TournamentNews:
    """A tournament, and what was just done."""

    tournament: Tournament | None
    """None where it was damaged and is put away."""
    happened: Happened = Happened.NOTHING
    name: str = ""
    """Who joined or left."""
    given_up: tuple[News, ...] = ()
    """The games under way that were given up for that."""
    language: str = ""
    """The tag of the language of who made it, in which it is told where its place has none."""


class Tournaments:
    """The tournaments of all places. Raises FarkleError, whose sentence is for the one who erred.

    A place has one at a time.
    """

    def __init__(self, games: Games) -> None:
        self._games = games
        self._store = games.tables.store

    async def shown(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """The tournament here, or the last one that was."""
        return await self._news(await self._here(caller, tournament_id))

    async def after(self, table: Table) -> TournamentNews | None:
        """How the tournament stands of which a game is over, None where it is of none."""
        if not table.game.closed:
            return None
        tournament = await stored.after(self._store, table.game.id, self._games.tables.now())
        return await self._news(tournament) if tournament else None

    async def make(
        self, caller: Caller, form: Form, rules: Ruleset, *, hints: bool = False
    ) -> TournamentNews:
        """Make a tournament that others can join; the caller is its host and takes part."""
        host = Entrant(0, caller.person.id, caller.person.name)
        about = secrets.token_hex(4), caller.place, form, rules.model_dump(mode="json"), hints
        new = Tournament(*about, entrants=(host,), draw=(), games=(), ended=False)
        if not await stored.make(self._store, new, self._games.tables.now()):
            raise IllegalActionError.say(
                "a tournament is going on here already: /tournament shows it, and its host ends it"
                " with /tournament end"
            )
        # who makes it is rather one of those who read what comes of it
        await self._store.set_place_setting(caller.place, "tournament_language", spoken().code)
        return TournamentNews(new, Happened.MADE)

    async def join(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """Take part, before the start."""
        tournament = await self._open(caller, tournament_id)
        if tournament.started:
            raise IllegalActionError.say("the tournament has begun: nobody can join any more")
        if tournament.entrant_of(caller.person.id) is not None:
            raise IllegalActionError.say("you take part in this tournament already")
        person = caller.person
        if not await stored.join(self._store, tournament.id, person.id, person.name, MOST_ENTRANTS):
            raise IllegalActionError.say(
                "nobody can join any more: the tournament is full ({most} players) or has just"
                " begun",
                most=MOST_ENTRANTS,
            )
        return await self._after(tournament, Happened.JOINED, person.name)

    async def leave(
        self, caller: Caller, tournament_id: str | None = None, who: Person | str | None = None
    ) -> TournamentNews:
        """Leave, at any time; or have somebody else leave, which the host can.

        A game under way is given up before.
        """
        tournament = await self._open(caller, tournament_id)
        if who is None:
            entrant = tournament.entrant_of(caller.person.id)
            if entrant is None:
                raise IllegalActionError.say("you do not take part in this tournament")
        else:
            entrant = self._named(tournament, who)
            if entrant.person != caller.person.id:
                self._check_host(caller, tournament)
        given_up: list[News] = []
        for _ in range(_TRIES):
            now = self._games.tables.now()
            game = await stored.leave(self._store, tournament.id, entrant.number, now)
            if game is None:
                after = await self._after(tournament, Happened.LEFT, entrant.name)
                return replace(after, given_up=tuple(given_up))
            # one that others go on with is looked at again, and a damaged one is set aside
            with suppress(StaleVersionError, DamagedGameError):
                if news := await self._games.give_up(game, _person(entrant)):
                    given_up.append(news)
        raise StaleVersionError.say("the game has moved on: look at how it stands now")

    async def start(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """Draw who plays whom, and begin."""
        tournament = await self._open(caller, tournament_id)
        self._check_host(caller, tournament)
        begins = await stored.start(self._store, tournament.id, _drawn, LEAST_ENTRANTS)
        if not begins and (await self._open(caller, tournament.id)).started:
            raise IllegalActionError.say("the tournament has begun already")
        if not begins:
            raise IllegalActionError.say(
                "a tournament needs {least} players: others join with /tournament join",
                least=LEAST_ENTRANTS,
            )
        return await self._after(tournament, Happened.STARTED)

    async def end(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """End it as it stands; a damaged one only who manages the place can put away."""
        try:
            tournament = await self._open(caller, tournament_id)
        except StoreError:
            now = self._games.tables.now()
            if not caller.manages or not await stored.put_away(self._store, caller.place, now):
                raise
            return TournamentNews(None, Happened.ENDED)
        self._check_host(caller, tournament)
        await stored.end(self._store, tournament.id, self._games.tables.now())
        return await self._after(tournament, Happened.ENDED)

    async def pairing(
        self, caller: Caller, others: Sequence[Person | str]
    ) -> tuple[Tournament, Pairing]:
        """The pairing that the caller means: the own next one, that against somebody, that of two.

        Raises IllegalActionError unless the caller plays in it, or is the host.
        """
        tournament = await self._open(caller, None)
        if not tournament.started:
            raise IllegalActionError.say(
                "the tournament has not begun: its host begins it with /tournament start"
            )
        own = tournament.entrant_of(caller.person.id)
        named = [self._named(tournament, other).number for other in others]
        if len(named) > 2:
            raise InvalidRequestError.say(
                "/tournament play takes one name or two, as in /tournament play bob"
            )
        if len(named) < 2:
            if own is None:
                raise IllegalActionError.say("you do not take part in this tournament")
            named.insert(0, own.number)
        if len(named) == 1:
            free = [pair for pair in tournament.pairings if tournament.may_begin(pair)]
            ways = (pair for pair in [*tournament.due, *free] if named[0] in pair.sides)
            pairing = next(ways, None)
            if pairing is None:
                raise IllegalActionError.say(
                    "you have no game to play right now: /tournament shows what comes next"
                )
        else:
            pairing = tournament.between(*named)
        if pairing is None:
            raise IllegalActionError.say(
                "there is no game of {one} and {other} to play now: /tournament shows the games",
                one=tournament.entrant(named[0]).name,
                other=tournament.entrant(named[1]).name,
            )
        self.check_begins(caller, tournament, pairing)
        return tournament, pairing

    def check_begins(self, caller: Caller, tournament: Tournament, pairing: Pairing) -> None:
        """Raises IllegalActionError unless the caller may begin the game of a pairing.

        That is who plays in it, and the host; anybody may look at one that is under way.
        """
        own = tournament.entrant_of(caller.person.id)
        plays = own is not None and own.number in pairing.sides
        if plays or pairing.state is State.PLAYING:
            return
        if not self._is_host(caller, tournament):
            players = (
                tournament.entrant(side).name for side in pairing.sides if isinstance(side, int)
            )
            raise IllegalActionError.say(
                "{players} begin their game themselves; only {host}, who made the tournament, or"
                " someone who manages this place can do it for them",
                players=and_text(list(players)),
                host=tournament.entrant(0).name,
            )

    async def shown_table(self, pairing: Pairing) -> News | None:
        """The table of the game that is under way in a pairing, if one is."""
        if pairing.state is not State.PLAYING or pairing.game is None:
            return None
        return await self._games.shown(await self._games.tables.current(pairing.game.id))

    async def play(
        self, caller: Caller, tournament: Tournament, pairing: Pairing
    ) -> AsyncIterator[News]:
        """Begin the game of a pairing."""
        self._check_playable(tournament, pairing)
        one, other = (side for side in pairing.sides if isinstance(side, int))
        players = [_person(tournament.entrant(side)) for side in (one, other)]
        setup = Setup(rules=rules_of(tournament), hints=tournament.hints, closed=True)
        also = stored.begins(tournament.id, (one, other))
        begun = self._games.play(caller, players, setup, most_open=MOST_OPEN_GAMES, also=also)
        try:
            async for news in begun:
                yield news
        except StaleVersionError as error:
            raise IllegalActionError(str(error)) from None

    async def _here(self, caller: Caller, tournament_id: str | None) -> Tournament:
        tournament = await stored.known(self._store, caller.place, tournament_id)
        if tournament is None:
            raise InvalidRequestError.say("there is no tournament here: /tournament new makes one")
        return tournament

    async def _open(self, caller: Caller, tournament_id: str | None) -> Tournament:
        tournament = await self._here(caller, tournament_id)
        if tournament.over:
            raise IllegalActionError.say(
                "the tournament is over: /tournament new makes another one"
            )
        return tournament

    async def _after(self, state: Tournament, happened: Happened, name: str = "") -> TournamentNews:
        known = await stored.known(self._store, state.place, state.id)
        return await self._news(known, happened, name)

    async def _news(
        self, tournament: Tournament | None, happened: Happened = Happened.NOTHING, name: str = ""
    ) -> TournamentNews:
        settings = await self._store.settings(tournament.place) if tournament else None
        language = settings.tournament_language if settings else ""
        return TournamentNews(tournament, happened, name, language=language)

    def _named(self, tournament: Tournament, who: Person | str) -> Entrant:
        """Who takes part and is meant. Raises InvalidRequestError."""
        if isinstance(who, Person):
            name = who.name
            if known := tournament.entrant_of(who.id):
                return known
        else:
            name = who.removeprefix("@")
            for entrant in tournament.present:
                if entrant.name.casefold() == name.casefold():
                    return entrant
        raise InvalidRequestError.say(
            '"{name}" does not take part, only {players}',
            name=name,
            players=", ".join(entrant.name for entrant in tournament.present),
        )

    def _is_host(self, caller: Caller, tournament: Tournament) -> bool:
        return tournament.entrant(0).person == caller.person.id or caller.manages

    def _check_host(self, caller: Caller, tournament: Tournament) -> None:
        if not self._is_host(caller, tournament):
            raise IllegalActionError.say(
                "only {host}, who made the tournament, or someone who manages this place can do"
                " that",
                host=tournament.entrant(0).name,
            )

    def _check_playable(self, tournament: Tournament, pairing: Pairing) -> None:
        """Raises IllegalActionError unless the two of a pairing can begin their game."""
        if tournament.may_begin(pairing):
            return
        names = [tournament.entrant(side).name for side in pairing.sides if isinstance(side, int)]
        if pairing.state is State.DUE:
            raise IllegalActionError.say(
                "the game of {one} and {other} can begin once the games under way are over",
                one=names[0],
                other=names[1],
            )
        raise IllegalActionError.say("that game has been decided")


def rules_of(tournament: Tournament) -> Ruleset:
    """The rules of all games of a tournament. Raises FarkleError where they are none any more."""
    return make_rules(tournament.rules, say("the tournament"))


def _drawn(numbers: Sequence[int]) -> Sequence[int]:
    """The numbers in an order that nobody foresees."""
    return random.SystemRandom().sample(numbers, len(numbers))


def _person(entrant: Entrant) -> Person:
    return Person(entrant.person or "", entrant.name)
