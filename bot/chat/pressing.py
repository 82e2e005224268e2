"""What the presses of buttons do, whatever the chat that shows them."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.chat.commands import Reply, Stream, as_reply, failure, whole_number
from bot.chat.features import Feature
from bot.chat.games import level_named, no_turn, typed_dice
from bot.chat.presses import Confirm, TablePress
from bot.chat.waiting import hinted, solved_for_game
from bot.layout import PHONE, on_phone, whole_sentence
from bot.review.review import Review
from bot.services.away import check_end
from bot.services.games import Games, News
from bot.services.house_rules import HouseRules
from bot.services.tables import Caller, Person, Player, Table, bot_name
from bot.store.rows import StaleVersionError
from bot.table import events
from bot.table.commands import resign
from bot.table.events import Setup
from bot.table.state import Stage
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay
from bot.views.card import Card
from bot.views.game import details_lines
from bot.views.review import review_cards
from bot.views.rules_text import rules_text
from bot.views.table_buttons import kept_dice, used_dice, why_not
from solver.errors import FarkleError, IllegalActionError, InvalidRequestError
from solver.wording import say

_SECONDS = 3.0
"""Seconds for which a press may not have seen the one before."""

_PATIENCE = 2.0
"""Seconds that a press waits at most for the one before to be answered; Discord waits for three."""


@dataclass(slots=True)
class _Message:
    """The dice that are chosen in a message at a version of its game, and who answers there."""

    version: int = -1
    mask: int = 0
    pressed: float = 0.0
    answering: asyncio.Lock = field(default_factory=asyncio.Lock)


class Choices:
    """What was chosen in the last seconds; what was before is in the buttons themselves."""

    def __init__(self) -> None:
        self.remembers = True
        """Whether all presses below a message come to this program; if not, each button is trusted
        to know the dice that are chosen."""
        self._last: dict[tuple[str, int], _Message] = {}
        """Messages by game and number, the one that was pressed last at the end."""

    @asynccontextmanager
    async def turn(self, press: TablePress, patience: float = _PATIENCE) -> AsyncIterator[None]:
        """Answer the presses below a message in the order in which they came.

        It has to be entered before anything else is waited for. A press that Discord keeps waiting
        costs no other its answer.

        patience : seconds after which a press does not wait for those before any more
        """
        message = self._message(press)
        async with AsyncExitStack() as turn:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(patience, _PATIENCE)):
                    await turn.enter_async_context(message.answering)
            yield

    def choose(self, press: TablePress) -> int:
        """The mask of the dice that are chosen with this press."""
        mask = press.chosen(self.chosen(press))
        message = self._message(press)
        message.version, message.mask = press.version, mask
        return mask

    def chosen(self, press: TablePress) -> int:
        """The mask of the dice that were chosen before this press, which may not have seen all."""
        last = self._last.get((press.game, press.message))
        if not self.remembers or last is None or last.version != press.version:
            return press.mask
        return last.mask

    def forget(self, game: str) -> None:
        """Know of no dice that are chosen in a game, as it is shown with none."""
        for key, message in self._last.items():
            if key[0] == game:
                message.version = -1

    def _message(self, press: TablePress) -> _Message:
        """The message below which this is pressed now; lets go of those that are too old."""
        now, key = time.monotonic(), (press.game, press.message)
        message = self._last.pop(key, None) or _Message()
        while self._last:
            oldest, first = next(iter(self._last.items()))
            if now - first.pressed < _SECONDS or first.answering.locked():
                break
            del self._last[oldest]
        if now - message.pressed >= _SECONDS and not message.answering.locked():
            message.version = -1
        message.pressed = now
        self._last[key] = message
        return message


QUESTIONS = {"hint", "all", "details", "rules", "why"}
"""Buttons of a table that change nothing."""
_AT_THE_END = {"review", "again", "details"}
"""Buttons of a table that is over."""
_MOVES: dict[str, type] = {
    "roll": events.Rolled,
    "take": events.TookOver,
    "bank": events.Banked,
    "keep": events.Kept,
    "use": events.Used,
    "accept": events.Accepted,
    "farkle": events.Scored,
    "points": events.Scored,
    "fell": events.Rolled,
    "undo": events.Undone,
}
"""What buttons make happen that are of one moment of a turn; those of pairs are, too."""

_PAIR = re.compile(r"pair([0-9]{1,2})")
"""The button of a pair of dice that is laid out."""


class Pressing:
    """What presses do. Raises FarkleError, whose sentence is for the one who pressed."""

    def __init__(self, games: Games, rules: HouseRules, features: Sequence[Feature]) -> None:
        self.games, self.rules, self.features = games, rules, features
        self.of_features = {kind: do for owner in features for kind, do in owner.presses.items()}
        """What presses do that features know of, by their kind."""
        self.choices = Choices()
        self._solves: dict[str, Needed] = {}
        """The solve of its rules that is under way, by game in whose lobby people wait."""

    async def table(self, caller: Caller, game_id: str, version: int | None = None) -> Table:
        """A game of this place.

        version : at which it is shown; a game that this program knows to be at it is not looked
            up, as what is appended to another version is refused

        Raises MissingGameError, or InvalidRequestError.
        """
        table = self.games.tables.known(game_id) if self.choices.remembers else None
        if table is None or table.game.version != version:
            table = await self.games.tables.current(game_id)
        if table.stored.place != caller.place:
            raise InvalidRequestError.say("that game is played in another channel")
        return table

    async def asked(self, caller: Caller, table: Table, press: TablePress) -> Stream:
        """Answer what changes nothing, to the one who asks alone."""
        match press.action:
            case "hint" | "all":
                hint = self.games.hint(caller, press.game)
                yield hinted(hint, table.game, whole=press.action == "all")
            case "details":
                shown = await self.games.shown(table)
                yield Reply(details_lines(shown), "\n".join, private=True)
            case "rules":
                yield Reply(table.game.rules, rules_text, private=True)
            case _:
                reasons = list(map(whole_sentence, why_not(table.game, press.mask)))
                yield Reply(reasons, "\n".join, private=True)

    async def done(self, caller: Caller, table: Table, press: TablePress) -> Stream:
        """Do what a button is for, also where others were faster, unless it cannot be any more."""
        waits = table.game.stage is Stage.LOBBY
        while (late := too_late(caller, table, press)) is None:
            try:
                at = replace(caller, at=table)
                async for part in self._move(at, table, press):
                    yield self._with_solve(part) if isinstance(part, News) else part
                break
            except StaleVersionError:
                table = await self.table(caller, press.game)
            except FarkleError:
                # who got up twice at once is told so, and all others that they got up
                got_up = press.action == "leave" and table.seat_of(caller.person) is None
                if table.game.version != press.version and not got_up:
                    yield self.shown(caller, press.game, press.version)
                raise
        else:
            yield self.told_late(caller, press, late)
        if waits:
            yield self._solved_for_all(caller, press.game)

    async def told_late(self, caller: Caller, press: TablePress, why: str) -> Stream:
        """A table as it is now, and why a press on what it was could not be done."""
        yield self.shown(caller, press.game, press.version)
        if why:
            yield Reply(why, whole_sentence, private=True)

    async def _solved_for_all(self, caller: Caller, game_id: str) -> Stream:
        """Have rules solved for as many as sit at a table, which goes on and says for how long."""
        game = (await self.games.tables.current(game_id)).game
        if len(game.seats) < 2 or game.brings_dice:
            return
        asked = self.games.oracle, self.rules, caller, game.rules, len(game.seats)
        was_needed = None
        try:
            async for needed in solved_for_game(*asked):
                if needed.failed:
                    yield replace(as_reply(needed), private=True)
                    continue
                self._solves[game_id] = was_needed = needed
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
            yield self._in_lobby(game_id)

    async def _in_lobby(self, game_id: str) -> AsyncIterator[News]:
        """A table, if nobody has rolled yet."""
        table = await self.games.tables.current(game_id)
        if table.game.stage is Stage.LOBBY:
            yield self._with_solve(await self.games.shown(table))

    def _with_solve(self, news: News) -> News:
        """What happened at a table, with what is solved for as many as sit there."""
        game, solve = news.table.game, self._solves.get(news.table.game.id)
        here = solve and game.stage is Stage.LOBBY and solve.players <= len(game.seats)
        return replace(news, solve=solve if here else None)

    def _move(  # noqa: C901, PLR0911 - one for each button
        self, caller: Caller, table: Table, press: TablePress
    ) -> AsyncIterator[Delay | News]:
        """The call of the service that a button stands for."""
        games, game_id, kept = self.games, press.game, kept_dice(table.game, press.mask)
        plain: dict[str, Callable[[Caller, str], AsyncIterator[News]]] = {
            "roll": games.roll,
            "take": games.take_over,
            "bank": games.bank,
            "accept": games.accept,
            "undo": games.undo,
            "join": games.join,
            "leave": games.get_up,
        }
        match press.action:
            case "roll" | "bank" as then if kept:
                return games.keep(caller, game_id, kept, then)
            case "keep":
                return games.keep(caller, game_id, kept, None)
            case action if action in plain:
                return plain[action](caller, game_id)
            case "use" if kept and not table.game.may_use:
                return games.keep(caller, game_id, kept, "use")
            case "use":
                return games.use(caller, game_id, used_dice(table.game, press.mask))
            case "fell":
                return games.roll(caller, game_id, typed_dice(press.chose, table, caller))
            case "farkle" | "points" as outcome:
                # the message says whose turn it is, whoever presses
                mover = table.stored.seats[table.game.mover]
                who = Person(mover.person or "", mover.name)
                points = whole_number(press.chose, no_turn) if outcome == "points" else 0
                ending: Literal["bank", "farkle"] = "bank" if outcome == "points" else "farkle"
                return games.score(caller, game_id, who, points, ending)
            case "bot" if press.chose.startswith("-"):
                return games.get_up(caller, game_id, press.chose[1:])
            case "bot":
                return games.join(caller, game_id, level_named(press.chose))
            case action if pair := _PAIR.fullmatch(action):
                return games.pick(caller, game_id, int(pair[1]))
            case _:
                raise changed()

    async def shown(self, caller: Caller, game_id: str, since: int = 0) -> Stream:
        """A table as it is now, with what happened since a version; bots go on by themselves."""
        table = await self.games.tables.current(game_id)
        if not table.game.over:
            table = await self.games.tables.find(replace(caller, at=table), game_id)
        self.choices.forget(game_id)  # it is shown with none
        yield self._with_solve(await self.games.shown(table, since))
        yield self.games.bots(table)

    def check_asks(self, caller: Caller, table: Table, press: TablePress) -> None:
        """Refuse, before anybody is asked whether they are sure, what they may not do."""
        if press.action == "end":
            check_end(caller, table, self.games.tables.now())
        else:
            resign(table.game, table.own_seat(caller))

    async def play_again(self, caller: Caller, table: Table) -> Stream:
        """Begins a game of the same players and rules, if the one who asks was among them."""
        game, seats = table.game, table.stored.seats
        if not game.over:
            raise changed()
        own = table.seat_of(caller.person)
        if own is None or any(seat.person is None and seat.level is None for seat in seats):
            raise IllegalActionError.say(
                "not everybody who played is here: /play begins a new game"
            )
        others = [seat for seat in seats if seat.person != caller.person.id]
        players: list[Player] = [caller.person]
        players += [seat.level or Person(seat.person or "", seat.name) for seat in others]
        kits = game.kits[: max(2, len(seats))]  # without those that waited for who left
        kits = (*kits[own : own + 1], *kits[:own], *kits[own + 1 :])
        setup = Setup(**game.terms | {"kits": kits, "pool": (), "closed": False})
        yield self.games.prepare(caller, players, setup)
        stream = self.games.play(caller, players, setup)
        async with self.games.tables.lock(f"again:{game.id}"):
            # where several games may be open, one press each of two players is one rematch
            for other in await self.games.tables.open_at(caller.place):
                if other.stored.began_at >= table.moved_at and _who_play(other) == _who_play(table):
                    raise IllegalActionError.say(
                        "the rematch has begun already: it is game {game}", game=other.game.id
                    )
            first = await anext(stream)
        yield first
        yield stream

    async def review_pages(self, caller: Caller, table: Table, width: int = PHONE) -> list[Card]:
        """The pages of the review of a game, with tables of so many columns, as on a phone."""
        if not table.game.over:
            raise changed()  # no such button was ever shown
        pages: list[Card] = []
        async for answer in self.games.oracle.review(table, caller.asker):
            if isinstance(answer, Review):
                with on_phone(width):
                    pages = review_cards(answer, table.names)
        return pages

    def confirmed(self, caller: Caller, press: Confirm) -> AsyncIterator[News]:
        """Do what who pressed is sure of."""
        do = {"resign": self.games.resign, "end": self.games.end}[press.action]
        return do(caller, press.game)


def _who_play(table: Table) -> list[str]:
    """The people and bots of a table, whatever their order."""
    return sorted(seat.level or seat.person or "" for seat in table.stored.seats)


def too_late(caller: Caller, table: Table, press: TablePress) -> str | None:
    """Why what a button meant when it was shown cannot be done any more; None where it can.

    Nothing is to be said where the one who presses has done it.
    """
    late, is_move = None, press.action in _MOVES or _PAIR.fullmatch(press.action)
    if press.version != table.game.version and (is_move or press.chooses):
        late = _gone_on(caller, table, press)
    if table.game.over and press.action not in _AT_THE_END and late != "":
        late = say("the game is over: /play begins another")
    elif press.action == "bot":
        # who chooses one twice at once has one
        since = table.events[max(0, press.version - 1) :]
        if any(isinstance(event, events.Joined) and event.level == press.chose for event in since):
            called = bot_name(press.chose)
            late = say("{bot} has just sat down: press again to add another bot", bot=called)
    return late


def _gone_on(caller: Caller, table: Table, press: TablePress) -> str | None:
    """Return why a press is too late that belongs to one moment of a turn, as `too_late` does."""
    then, happened = table.since(press.version) or (None, [])
    if then and not happened and press.action != "undo":
        return None  # people only came and went
    if then and happened:
        action = press.action
        moves = (event for event in happened if not isinstance(event, events.Kept))
        done = next(moves, happened[0])
        whose = then.before if action == "undo" and then.before else then
        own = then.tracked or table.seat_of(caller.person) == whose.mover
        is_it = isinstance(done, _MOVES.get(action, events.Picked))
        if own and is_it and getattr(done, "ending", action) == action:
            return ""
    return say("the game has moved on: look at how it stands now")


def changed() -> InvalidRequestError:
    """The error that a button does nothing any more, or never did."""
    return InvalidRequestError.say("this button is out of date: /show shows the table again")
