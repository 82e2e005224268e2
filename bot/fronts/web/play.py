"""Games: tables that are played by links and forms, watched by whoever has their link."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from aiohttp import web

from bot.chat.cards import pressable_table, sure_card
from bot.chat.commands import Commands, Reply
from bot.chat.presses import Confirm, TablePress, read_press
from bot.chat.pressing import QUESTIONS, Pressing, changed
from bot.fronts.web.answers import Answer, Answers, Stream, error_of, line_of
from bot.fronts.web.rendering import Page, onward
from bot.fronts.web.visitors import FRONT, Visitor, Visitors
from bot.services.games import News
from bot.services.place_settings import MOST_OPEN_GAMES
from bot.services.tables import Caller, Table
from bot.store.errors import DamagedGameError
from bot.store.rows import StoredGame
from bot.table.events import Left
from bot.table.fair_dice import Proof
from bot.table.fold import fold
from bot.table.state import Stage
from bot.tasks.answering import at_once
from bot.views.card import Button
from bot.views.chart import chart_png
from bot.views.events import events_text, result_text
from bot.views.table_buttons import SURE, shown_faces, table_buttons
from bot.views.table_card import TableCard, is_open, table_card
from solver.errors import InvalidRequestError
from solver.play.policies import LEVELS
from solver.wording import say, spoken

_REFRESH = 3
"""Seconds after which somebody who waits sees the table anew."""
_RECENT = 10
_LATELY, _MOST_TOLD = 6, 60
"""Events that are told again: where nobody says since when, and at most."""
_BEGUN = "begun"
_TO_WATCH = {"details", "rules", "review"}
_TO_WAIT = {*_TO_WATCH, "leave", "resign", "again"}
"""What who sits at a table can do while others move."""
_BY_LINK = {*QUESTIONS, *SURE, "review", "refresh"}
"""Buttons that change nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player as the page shows them."""

    name: str
    score: int
    farkles: int
    playing: bool
    is_mover: bool
    has_won: bool
    share: float | None
    """Their win probability."""


@dataclass(frozen=True, slots=True)
class Die:
    """A die of the roll on the table."""

    face: int
    is_chosen: bool
    label: str
    address: str
    """Where it is chosen or put back, "" where it cannot be."""
    why: str


class Play:
    """Tables."""

    def __init__(
        self, commands: Commands, pressing: Pressing, answers: Answers, visitors: Visitors
    ) -> None:
        self._commands, self._pressing, self._answers = commands, pressing, answers
        self._visitors, self._games = visitors, pressing.games
        self._tables = pressing.games.tables

    async def lobby(self, page: Page) -> web.StreamResponse:
        """Show what begins a game, and the games of who visits."""
        visitor, store = page.visitor, self._tables.store
        command = self._commands.by_name["play"]
        fields = {one.name: one for one in command.fields or ()}
        return page.render(
            "play.html",
            here="play",
            command=command,
            fields=[fields[name] for name in ("rules", "goal", "hints")],
            levels={name: say(told) for name, told in LEVELS.items()},
            rules=[one.name for one in await self._pressing.rules.list(visitor.id) if one.rules],
            open_games=await self._loaded(await store.all_open_games(visitor.id)),
            recent=await self._loaded(
                [one for one in await store.recent_games(visitor.id, _RECENT) if not one.open]
            ),
        )

    async def _loaded(self, games: Sequence[StoredGame]) -> list[Table]:
        found = []
        for one in games:
            with suppress(DamagedGameError):
                found.append(await self._tables.current(one.id))
        return found

    async def begin(self, page: Page) -> web.StreamResponse:
        """Begin a game."""
        form = await self._form(page)
        visitor = self._visitors.welcome(page.visitor, form.get("name", ""))
        await self._tables.store.set_place_setting(visitor.id, "games", MOST_OPEN_GAMES)
        given = {name: form.get(name, "") for name in ("level", "rules", "goal", "hints")}
        line = line_of(self._commands.by_name["play"], given)
        answer = await self._answers.to(
            (visitor.id, _BEGUN), lambda: self._commands.answer(line, visitor.caller())
        )
        response = self._on_with(self._page(page, visitor), answer)
        self._visitors.keep(response, visitor)
        return response

    async def begun(self, page: Page) -> web.StreamResponse:
        """Show how far a game is that waits for its rules, and then that game."""
        answer = await self._answers.to((page.visitor.id, _BEGUN), _nothing)
        return self._on_with(page, answer)

    def _on_with(self, page: Page, answer: Answer) -> web.Response:
        if not answer.is_done:
            if page.request.method == "POST":
                return onward(page.link("/play/begun"))
            working = answer.last.text if answer.last else say("Working on it ...")
            return page.render("begun.html", here="play", working=working, refresh=2)
        if answer.error:
            return page.refused(answer.error, 400)
        news = next((one.subject for one in answer.replies if isinstance(one.subject, News)), None)
        return onward(page.link(f"/game/{news.table.game.id}" if news else "/play"))

    async def table(self, page: Page) -> web.StreamResponse:
        """Show a table."""
        return await self._shown(page, await self._table(page))

    async def press(self, page: Page) -> web.StreamResponse:
        """Do what a button stands for."""
        form, table = await self._form(page), await self._table(page)
        press = read_press(form.get("press", ""))
        visitor = page.visitor
        if not isinstance(press, TablePress | Confirm) or press.game != table.game.id:
            raise changed()
        if isinstance(press, TablePress):
            press = replace(press, chose=form.get("chose", "") if press.is_list else "")
            if press.action == "join":
                visitor = self._visitors.welcome(visitor, form.get("name", ""))
        stream = self._done(_caller(visitor, table), table, press)
        answer = await self._answers.to((visitor.id, form.get("press")), lambda: stream)
        since = getattr(press, "version", table.game.version)
        response = await self._after(self._page(page, visitor), table, answer, since)
        if visitor != page.visitor:
            self._visitors.keep(response, visitor)
        return response

    def _done(self, caller: Caller, table: Table, press: TablePress | Confirm) -> Stream:
        if isinstance(press, Confirm):
            return self._pressing.confirmed(caller, press)
        if press.action == "again":
            # in the place where the game was begun, which who asks need not manage
            return self._pressing.play_again(caller, table)
        if press.action in _BY_LINK or press.chooses:
            raise changed()
        return self._pressing.done(caller, table, press)

    async def _after(
        self, page: Page, table: Table, answer: Answer, since: int
    ) -> web.StreamResponse:
        """Go on to the table, with what has happened since, or say why nothing did."""
        told = [one.text for one in answer.replies if one.private or error_of(one)]
        if told:
            now = await self._tables.current(table.game.id)
            return await self._shown(page, now, notice=told[-1], status=400)
        others = {one.subject.table.game.id for one in answer.replies if _is_news(one)}
        game = next((one for one in others if one != table.game.id), table.game.id)
        told_since = since if game == table.game.id else None
        return onward(page.link(f"/game/{game}", since=told_since))

    async def review(self, page: Page) -> web.StreamResponse:
        """Show what luck and decisions changed in a game that is over."""
        table = await self._table(page)

        async def made() -> AsyncIterator[Reply]:
            pages = await self._pressing.review_pages(_caller(page.visitor, table), table)
            yield Reply(pages, "\n\n".join)

        key = page.visitor.id, spoken().code, table.game.id, "review"
        answer = await self._answers.to(key, made)
        if answer.error:
            return page.refused(answer.error, 400)
        return page.render(
            "review.html",
            here="play",
            table=table,
            told=answer.last.subject if answer.is_done and answer.last else None,
            refresh=0 if answer.is_done else 2,
        )

    async def chart(self, page: Page) -> web.StreamResponse:
        """Draw the chances turn by turn of a game that is over."""
        news = await self._games.shown(await self._table(page))
        if news.chart is None:
            raise web.HTTPNotFound
        picture = await at_once(chart_png, news.chart)
        return web.Response(body=picture, content_type="image/png")

    async def proof(self, page: Page) -> web.StreamResponse:
        """Give the file by which anybody can check the dice of a game that is over."""
        table = await self._table(page)
        line, caller = f"/proof {table.game.id}", _caller(page.visitor, table)
        answer = await self._answers.to(
            (page.visitor.id, line), lambda: self._commands.answer(line, caller), patience=10
        )
        proof = answer.last.subject if answer.last else None
        if not isinstance(proof, Proof):
            raise InvalidRequestError(answer.error or say("the game is not over yet"))
        return web.Response(text=proof.to_json(), content_type="application/json")

    async def version(self, page: Page) -> web.StreamResponse:
        """Say how far a table is, for who waits."""
        return web.json_response({"version": (await self._table(page)).game.version})

    def _page(self, page: Page, visitor: Visitor) -> Page:
        """The page of a request for a visitor who is known by now."""
        return Page(page.request, visitor, self._visitors.token(visitor))

    async def _form(self, page: Page) -> dict[str, str]:
        """What was sent. Raises HTTPForbidden where it was not sent from a page of ours."""
        form = await page.request.post()
        self._visitors.check_form(page.request, page.visitor, form.get("token", ""))
        return {name: value for name, value in form.items() if isinstance(value, str)}

    async def _table(self, page: Page) -> Table:
        """The game of an address. Raises MissingGameError, and HTTPNotFound for others' games."""
        table = await self._tables.current(page.request.match_info["game"])
        if not table.stored.place.startswith(FRONT):
            raise web.HTTPNotFound
        return table

    async def _shown(
        self, page: Page, table: Table, notice: str = "", status: int = 200
    ) -> web.StreamResponse:
        visitor, game = page.visitor, table.game
        caller, mask, asked = _caller(visitor, table), _mask(page, table), page.given.get("ask")
        if game.bot_to_move and not game.over:
            # a turn that the end of the program broke off
            stream = self._pressing.shown(caller, game.id)
            await self._answers.to((game.id, "bots"), lambda: stream)
            table = await self._tables.current(game.id)
            game = table.game
        news = await self._games.shown(table)
        card = table_card([news], pictures=False)
        if mask:
            buttons = table_buttons(game, mask, opened=is_open(table), reviewable=news.reviewable)
            card = replace(card, buttons=tuple(buttons))
        card = pressable_table(card, game, spoken().code, mask)
        own = table.seat_of(caller.person)
        moves = own == game.mover and not game.over
        replies: list[Reply] = []
        if asked in QUESTIONS and notice == "":
            replies = await self._asked(caller, table, asked, mask)
        sure = page.given.get("sure", "")
        return page.render(
            "game.html",
            status,
            here="play",
            table=table,
            game=game,
            own=own,
            moves=moves,
            waits=game.stage is Stage.LOBBY and len(game.seats) < 2,
            seats=_seats(table, news),
            story=_story(page, table),
            join=next((one.id for one in card.buttons if one.action == "join"), ""),
            foot=card.foot,
            dice=_dice(page, table, card, mask, moves=moves),
            buttons=_buttons(page, table, card, mask, own=own, moves=moves),
            menu=card.menu if moves else None,
            chart=news.chart,
            replies=replies,
            notice=notice,
            sure=sure_card(_press(table, sure, 0), 0) if sure in SURE and own is not None else None,
            address=str(page.request.url.with_query(None)),
            refresh=0 if moves or game.over or replies or notice else _REFRESH,
        )

    async def _asked(self, caller: Caller, table: Table, asked: str, mask: int) -> list[Reply]:
        press = _press(table, asked, mask)
        key = caller.person.id, press.id, spoken().code
        answer = await self._answers.to(
            key, lambda: self._pressing.asked(caller, table, press), patience=20
        )
        return answer.replies[-1:]


async def _nothing() -> AsyncIterator[Reply]:
    return
    yield


def _is_news(reply: Reply) -> bool:
    return isinstance(reply.subject, News)


def _caller(visitor: Visitor, table: Table) -> Caller:
    """Who gives a command at a table, which nobody manages."""
    return replace(visitor.caller(table.stored.place), manages=False)


def _press(table: Table, action: str, mask: int) -> TablePress:
    return TablePress(table.game.id, table.game.version, mask, spoken().code, action)


def _mask(page: Page, table: Table) -> int:
    """The dice that are chosen, as bits, if the address says so of the roll on the table."""
    given: Mapping[str, str] = page.given
    is_now = given.get("v") == str(table.game.version)
    mask = given.get("mask", "")
    dice = len(table.game.turn.roll or ())
    return int(mask) & (1 << dice) - 1 if is_now and mask.isdecimal() and len(mask) < 4 else 0


def _story(page: Page, table: Table) -> list[str]:
    """What has happened since the version that the address names, else of late."""
    given = page.given.get("since", "")
    last = len(table.events)
    first = int(given) - 1 if given.isdecimal() and len(given) < 7 else last - _LATELY
    first = min(max(first, last - _MOST_TOLD, 0), last)
    if any(isinstance(one, Left) for one in table.events[first:]):
        return []  # names of who got up are not known any more
    then = fold(table.begun, table.events[:first])
    told = list(events_text(table.names, then, table.events[first:], briefly=True))
    return [*told, result_text(table)] if table.game.over else told


def _seats(table: Table, news: News) -> list[Seat]:
    game = table.game
    chances = news.at_start or news.chances
    return [
        Seat(
            name,
            seat.score,
            seat.farkles,
            seat.playing,
            number == game.mover and not game.over,
            bool(game.over and game.shares and game.shares[number]),
            chances.win_probabilities[number] if chances and not game.over else None,
        )
        for number, (seat, name) in enumerate(zip(game.seats, table.names, strict=True))
    ]


def _chosen_at(page: Page, table: Table, button: Button, mask: int) -> str:
    """Where a button leads that chooses dice."""
    press = read_press(button.id)
    assert isinstance(press, TablePress)  # noqa: S101 - those of a table have such ids
    path = f"/game/{table.game.id}"
    return page.link(path, v=table.game.version, mask=press.chosen(mask))


def _dice(page: Page, table: Table, card: TableCard, mask: int, *, moves: bool) -> list[Die]:
    """The roll on the table, whose dice are links for who is to move."""
    roll = table.game.turn.roll or ()
    by_action = {one.action: one for one in card.buttons}
    found = []
    for number, face in enumerate(shown_faces(table.game, roll)):
        button = by_action.get(f"die{number}")
        can = moves and button is not None and button.enabled
        address = _chosen_at(page, table, button, mask) if button and can else ""
        label, why = (button.label, button.why) if button else ("", "")
        found.append(Die(face, bool(mask >> number & 1), label, address, why))
    return found


def _buttons(
    page: Page, table: Table, card: TableCard, mask: int, *, own: int | None, moves: bool
) -> dict[str, list[tuple[Button, str]]]:
    """The buttons for who visits: those that choose dice, that do something, and that ask.

    With each is where it leads, "" where it is pressed.
    """
    path, version = f"/game/{table.game.id}", table.game.version
    found: dict[str, list[tuple[Button, str]]] = {"choose": [], "do": [], "ask": []}
    for one in card.buttons:
        press = read_press(one.id)
        is_join = one.action == "join"
        allowed = moves or one.action in (_TO_WATCH if own is None else _TO_WAIT)
        if one.action.startswith("die") or is_join or not allowed:
            continue
        if isinstance(press, TablePress) and press.chooses:
            found["choose"].append((one, _chosen_at(page, table, one, mask)))
        elif one.action == "review":
            found["do"].append((one, page.link(f"{path}/review")))
        elif one.action == "refresh":
            found["ask"].append((one, page.link(path)))
        elif one.action in SURE:
            found["ask"].append((one, page.link(path, sure=one.action)))
        elif one.action in QUESTIONS:
            address = page.link(path, ask=one.action, v=version, mask=mask or None)
            found["ask"].append((one, address))
        else:
            found["do"].append((one, ""))
    return found
