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

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do in it."""
        return self.tournament is None or self.tournament.over


LANGUAGE_SETTING = "tournament_language"
"""The setting of a place that keeps the language of tournaments, see `PlaceSettings`."""


class Tournaments:
    """The tournaments of all places. Raises FarkleError, whose sentence is for the one who erred.

    A place has one at a time.
    """

    def __init__(self, games: Games) -> None:
        self._games = games
        self._store = games.tables.store
        self.oracle = games.oracle

    async def shown(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """The tournament here, or the last one that was."""
        return await self._news(await self._here(caller, tournament_id))

    async def after(self, table: Table) -> TournamentNews | None:
        """How the tournament stands of which a game is over, None where it is of none."""
        if not table.game.closed:
            return None
        found = await stored.after(self._store, table.game.id, self._games.tables.now())
        return await self._news(found) if found else None

    async def make(
        self, caller: Caller, form: Form, rules: Ruleset, *, hints: bool = False
    ) -> TournamentNews:
        """Make a tournament that others can join; the caller is its host and takes part."""
        before = await stored.last(self._store, caller.place)
        if before is not None and before.over:
            await stored.end(self._store, before.id, self._games.tables.now())
        new = Tournament(
            secrets.token_hex(4),
            caller.place,
            form,
            rules.model_dump(mode="json"),
            hints,
            (Entrant(0, caller.person.id, caller.person.name),),
            draw=(),
            games=(),
            ended=False,
        )
        if not await stored.make(self._store, new, self._games.tables.now()):
            raise IllegalActionError.say(
                "a tournament is going on here already: /tournament shows it, and its host ends it"
                " with /tournament end"
            )
        # who makes it is rather one of those who read what comes of it
        await self._store.set_place_setting(caller.place, LANGUAGE_SETTING, spoken().code)
        return TournamentNews(new, Happened.MADE)

    async def join(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """Take part, before the start."""
        found = await self._open(caller, tournament_id)
        if found.started:
            raise IllegalActionError.say("the tournament has begun: nobody can join any more")
        known = found.entrant_of(caller.person.id)
        if known is not None and not known.left:
            raise IllegalActionError.say("you take part in this tournament already")
        person = caller.person
        if not await stored.join(self._store, found.id, person.id, person.name, MOST_ENTRANTS):
            raise IllegalActionError.say(
                "nobody can join any more: the tournament is full ({most} players) or has just"
                " begun",
                most=MOST_ENTRANTS,
            )
        return await self._after(found, Happened.JOINED, person.name)

    async def leave(
        self, caller: Caller, tournament_id: str | None = None, who: Person | str | None = None
    ) -> TournamentNews:
        """Leave, at any time; or have somebody else leave, which the host can.

        A game under way is given up before.
        """
        found = await self._open(caller, tournament_id)
        if who is None:
            entrant = found.entrant_of(caller.person.id)
            if entrant is None or entrant.left:
                raise IllegalActionError.say("you do not take part in this tournament")
        else:
            entrant = self._named(found, who)
            if entrant.person != caller.person.id:
                self._check_host(caller, found)
        given_up: list[News] = []
        for _ in range(_TRIES):
            now = self._games.tables.now()
            game = await stored.leave(self._store, found.id, entrant.number, now)
            if game is None:
                after = await self._after(found, Happened.LEFT, entrant.name)
                return replace(after, given_up=tuple(given_up))
            # one that others go on with is looked at again, and a damaged one is set aside
            with suppress(StaleVersionError, DamagedGameError):
                if news := await self._games.give_up(game, _person(entrant)):
                    given_up.append(news)
        raise StaleVersionError.say("the game has moved on: look at how it stands now")

    async def start(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """Draw who plays whom, and begin."""
        found = await self._open(caller, tournament_id)
        self._check_host(caller, found)
        begins = await stored.start(self._store, found.id, _drawn, LEAST_ENTRANTS)
        if not begins and (await self._open(caller, found.id)).started:
            raise IllegalActionError.say("the tournament has begun already")
        if not begins:
            raise IllegalActionError.say(
                "a tournament needs {least} players: others join with /tournament join",
                least=LEAST_ENTRANTS,
            )
        return await self._after(found, Happened.STARTED)

    async def end(self, caller: Caller, tournament_id: str | None = None) -> TournamentNews:
        """End it as it stands; a damaged one only who manages the place can put away."""
        try:
            found = await self._open(caller, tournament_id)
        except StoreError:
            number = await stored.last_id(self._store, caller.place)
            if not caller.manages or number is None:
                raise
            await stored.end(self._store, number, self._games.tables.now())
            return TournamentNews(None, Happened.ENDED)
        self._check_host(caller, found)
        await stored.end(self._store, found.id, self._games.tables.now())
        return await self._after(found, Happened.ENDED)

    async def pairing(
        self,
        caller: Caller,
        tournament_id: str | None = None,
        others: Sequence[Person | str] = (),
    ) -> tuple[Tournament, Pairing]:
        """The pairing that the caller means: the own next one, that against somebody, that of two.

        Raises IllegalActionError unless the caller plays in it, or is the host.
        """
        found = await self._open(caller, tournament_id)
        if not found.started:
            raise IllegalActionError.say(
                "the tournament has not begun: its host begins it with /tournament start"
            )
        own = found.entrant_of(caller.person.id)
        named = [self._named(found, one).number for one in others]
        if len(named) > 2:
            raise InvalidRequestError.say(
                "/tournament play takes one name or two, as in /tournament play bob"
            )
        if len(named) < 2:
            if own is None or own.left:
                raise IllegalActionError.say("you do not take part in this tournament")
            named.insert(0, own.number)
        if len(named) == 1:
            free = [one for one in found.pairings if found.may_begin(one)]
            ways = (one for one in [*found.due, *free] if named[0] in one.sides)
            pairing = next(ways, None)
            if pairing is None:
                raise IllegalActionError.say(
                    "you have no game to play right now: /tournament shows what comes next"
                )
        else:
            pairing = found.between(*named)
        if pairing is None:
            raise IllegalActionError.say(
                "there is no game of {one} and {other} to play now: /tournament shows the games",
                one=found.entrant(named[0]).name,
                other=found.entrant(named[1]).name,
            )
        self.check_begins(caller, found, pairing)
        return found, pairing

    def check_begins(self, caller: Caller, found: Tournament, pairing: Pairing) -> None:
        """Raises IllegalActionError unless the caller may begin the game of a pairing.

        That is who plays in it, and the host; anybody may look at one that is under way.
        """
        own = found.entrant_of(caller.person.id)
        plays = own is not None and not own.left and own.number in pairing.sides
        if plays or pairing.state is State.PLAYING:
            return
        if not self._is_host(caller, found):
            players = (found.entrant(side).name for side in pairing.sides if isinstance(side, int))
            raise IllegalActionError.say(
                "{players} begin their game themselves; only {host}, who made the tournament, or"
                " someone who manages this place can do it for them",
                players=and_text(list(players)),
                host=found.entrant(0).name,
            )

    async def shown_table(self, pairing: Pairing) -> News | None:
        """The table of the game that is under way in a pairing, if one is."""
        if pairing.state is not State.PLAYING or pairing.game is None:
            return None
        return await self._games.shown(await self._games.tables.current(pairing.game.id))

    async def play(
        self, caller: Caller, found: Tournament, pairing: Pairing
    ) -> AsyncIterator[News]:
        """Begin the game of a pairing."""
        self._check_playable(found, pairing)
        one, other = (side for side in pairing.sides if isinstance(side, int))
        players = [_person(found.entrant(side)) for side in (one, other)]
        begun = self._games.play(
            caller,
            players,
            rules_of(found),
            hints=found.hints,
            closed=True,
            most_open=MOST_OPEN_GAMES,
            also=stored.begins(found.id, (one, other)),
        )
        try:
            async for news in begun:
                yield news
        except StaleVersionError as error:
            raise IllegalActionError(str(error)) from None

    async def _here(self, caller: Caller, tournament_id: str | None = None) -> Tournament:
        if tournament_id is None:
            found = await stored.last(self._store, caller.place)
        else:
            found = await stored.by_id(self._store, tournament_id)
        if found is None or found.place != caller.place:
            raise InvalidRequestError.say("there is no tournament here: /tournament new makes one")
        return found

    async def _open(self, caller: Caller, tournament_id: str | None) -> Tournament:
        found = await self._here(caller, tournament_id)
        if found.over:
            raise IllegalActionError.say(
                "the tournament is over: /tournament new makes another one"
            )
        return found

    async def _after(self, found: Tournament, happened: Happened, name: str = "") -> TournamentNews:
        return await self._news(await stored.by_id(self._store, found.id), happened, name)

    async def _news(
        self,
        found: Tournament | None,
        happened: Happened = Happened.NOTHING,
        name: str = "",
    ) -> TournamentNews:
        settings = await self._store.settings(found.place) if found else None
        language = settings.tournament_language if settings else ""
        return TournamentNews(found, happened, name, language=language)

    def _named(self, found: Tournament, who: Person | str) -> Entrant:
        """Who takes part and is meant. Raises InvalidRequestError."""
        if isinstance(who, Person):
            name, known = who.name, found.entrant_of(who.id)
            if known and not known.left:
                return known
        else:
            name = who.removeprefix("@")
            for one in found.present:
                if one.name.casefold() == name.casefold():
                    return one
        raise InvalidRequestError.say(
            '"{name}" does not take part, only {players}',
            name=name,
            players=", ".join(one.name for one in found.present),
        )

    def _is_host(self, caller: Caller, found: Tournament) -> bool:
        return found.entrant(0).person == caller.person.id or caller.manages

    def _check_host(self, caller: Caller, found: Tournament) -> None:
        if not self._is_host(caller, found):
            raise IllegalActionError.say(
                "only {host}, who made the tournament, or someone who manages this place can do"
                " that",
                host=found.entrant(0).name,
            )

    def _check_playable(self, found: Tournament, pairing: Pairing) -> None:
        """Raises IllegalActionError unless the two of a pairing can begin their game."""
        if found.may_begin(pairing):
            return
        names = [found.entrant(side).name for side in pairing.sides if isinstance(side, int)]
        if pairing.state is State.DUE:
            raise IllegalActionError.say(
                "the game of {one} and {other} can begin once the games under way are over",
                one=names[0],
                other=names[1],
            )
        raise IllegalActionError.say("that game has been decided")


def rules_of(found: Tournament) -> Ruleset:
    """The rules of all games of a tournament. Raises FarkleError where they are none any more."""
    return make_rules(found.rules, say("the tournament"))


def _drawn(numbers: Sequence[int]) -> Sequence[int]:
    """In an order that nobody foresees."""
    return random.SystemRandom().sample(numbers, len(numbers))


def _person(entrant: Entrant) -> Person:
    return Person(entrant.person or "", entrant.name)
