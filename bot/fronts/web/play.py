"""Games: tables that are played by links and forms, watched by whoever has their link."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from aiohttp import web

from bot.chat.cards import sure_card
from bot.chat.commands import Commands, Reply, Stream
from bot.chat.fields import SETS
from bot.chat.presses import Confirm, TablePress, pressable_table, read_press
from bot.chat.pressing import QUESTIONS, Pressing, changed
from bot.fronts.web.answers import Answer, Answers, error_of, line_of
from bot.fronts.web.pictures import Picture, look_of
from bot.fronts.web.rendering import Page
from bot.fronts.web.visitors import FRONT, Visitor
from bot.layout import WIDTH
from bot.services.games import News
from bot.services.place_settings import MOST_OPEN_GAMES
from bot.services.tables import Caller, Table
from bot.store.rows import DamagedGameError, StoredGame
from bot.table.events import Left
from bot.table.fair_dice import Proof
from bot.table.state import Game, Stage
from bot.tasks.answering import at_once
from bot.views.card import Button
from bot.views.chart import chart_picture
from bot.views.drawing import Style
from bot.views.events import events_text
from bot.views.table_buttons import SURE, shown_faces, table_buttons
from bot.views.table_card import TableCard, is_open, table_card
from solver.errors import InvalidRequestError
from solver.play.policies import LEVELS
from solver.wording import say, spoken

_LATELY, _MOST_TOLD = 6, 60
"""Events that are told again: where nobody says since when, and at most."""
_TO_WATCH = {"details", "rules", "review"}
_TO_WAIT = {*_TO_WATCH, "leave", "resign", "again"}
"""What who sits at a table can do while others move."""


@dataclass(frozen=True, slots=True)
class Die:
    """A die of the roll on the table."""

    face: int
    name: str
    """What the die is called, "" where all are equal."""
    is_chosen: bool
    address: str
    """Where it is chosen or put back, "" where it cannot be."""
    why: str


def story_of(page: Page, table: Table) -> list[str]:
    """Return what has happened since the version that the address names, else of late."""
    given = page.given.get("since", "")
    last = len(table.events)
    first = int(given) - 1 if given.isdecimal() and len(given) < 7 else last - _LATELY
    first = min(max(first, last - _MOST_TOLD, 0), last)
    if any(isinstance(event, Left) for event in table.events[first:]):
        return []  # names of who got up are not known any more
    return list(events_text(table.names, table.steps_since(first + 1), briefly=True))


def _chosen_at(page: Page, table: Table, button: Button, mask: int) -> str:
    """Where a button leads that chooses dice."""
    press = read_press(button.id)
    assert isinstance(press, TablePress)  # noqa: S101 - those of a table have such ids
    path = f"/game/{table.game.id}"
    return page.link(path, v=table.game.version, mask=press.chosen(mask))


def dice_of(page: Page, table: Table, card: TableCard, mask: int, *, moves: bool) -> list[Die]:
    """Return the roll on the table, whose dice are links for who is to move."""
    roll = table.game.turn.roll or ()
    by_action = {shown.action: shown for shown in card.buttons}
    dice = []
    for number, (die, face) in enumerate(zip(roll, shown_faces(table.game, roll), strict=True)):
        button = by_action.get(f"die{number}")
        can = moves and button is not None and button.enabled
        address = _chosen_at(page, table, button, mask) if button and can else ""
        name = table.game.kit.name_of(die, roll)
        why = button.why if button else ""
        dice.append(Die(face, name, bool(mask >> number & 1), address, why))
    return dice


def buttons_of(
    page: Page, table: Table, card: TableCard, mask: int, *, own: int | None, moves: bool
) -> dict[str, list[tuple[Button, str]]]:
    """Return the buttons for who visits: those that choose dice, that do something, and that ask.

    With each is where it leads, "" where it is pressed.
    """
    path, version = f"/game/{table.game.id}", table.game.version
    buttons: dict[str, list[tuple[Button, str]]] = {"choose": [], "do": [], "ask": []}
    for button in card.buttons:
        press = read_press(button.id)
        is_join = button.action == "join"
        allowed = moves or button.action in (_TO_WATCH if own is None else _TO_WAIT)
        if button.action.startswith("die") or is_join or not allowed:
            continue
        if isinstance(press, TablePress) and press.chooses:
            buttons["choose"].append((button, _chosen_at(page, table, button, mask)))
        elif button.action == "review":
            buttons["do"].append((button, page.link(f"{path}/review")))
        elif button.action == "refresh":
            buttons["ask"].append((button, page.link(path)))
        elif button.action in SURE:
            buttons["ask"].append((button, page.link(path, sure=button.action)))
        elif button.action in QUESTIONS:
            address = page.link(path, ask=button.action, v=version, mask=mask or None)
            buttons["ask"].append((button, address))
        else:
            buttons["do"].append((button, ""))
    return buttons


_REFRESH = 3
"""Seconds after which somebody who waits sees the table anew."""
_RECENT = 10
_BEGUN = "begun"
_TERMS = ("level", "rules", "goal", "hints", *(field.name for field in SETS))
"""What is said of a game that begins."""
_BY_LINK = {*QUESTIONS, *SURE, "review", "refresh"}
"""Buttons that change nothing by themselves."""


class Play:
    """Tables."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._pressing, self._answers = commands, pressing, answers
        self._games, self._tables = pressing.games, pressing.games.tables

    async def lobby(self, page: Page) -> web.StreamResponse:
        """Show what begins a game, and the games of who visits."""
        visitor, store = page.visitor, self._tables.store
        command = self._commands.by_name["play"]
        fields = {field.name: field for field in command.fields}
        given = {name: page.given[name] for name in _TERMS if page.given.get(name)}
        return page.render(
            "play.html",
            here="play",
            command=command,
            given=given,
            fields=[fields[name] for name in ("rules", "goal", "hints")],
            loaded=SETS,
            is_loaded=any(field.name in given for field in SETS),
            levels={name: say(meaning) for name, meaning in LEVELS.items()},
            rules=[
                entry.name for entry in await self._pressing.rules.list(visitor.id) if entry.rules
            ],
            open_games=await self._loaded(await store.all_open_games(visitor.id)),
            recent=await self._loaded(
                [game for game in await store.recent_games(visitor.id, _RECENT) if not game.open]
            ),
        )

    async def _loaded(self, games: Sequence[StoredGame]) -> list[Table]:
        tables = []
        for game in games:
            with suppress(DamagedGameError):
                tables.append(await self._tables.current(game.id))
        return tables

    async def begin(self, page: Page) -> web.StreamResponse:
        """Begin a game."""
        form = await page.form()
        caller = page.welcome(form.get("name", "")).caller()
        await self._tables.store.set_place_setting(caller.place, "games", MOST_OPEN_GAMES)
        given = {name: form[name] for name in _TERMS if form.get(name)}
        line = line_of(self._commands.by_name["play"], given)
        key = caller.place, _BEGUN, line
        answer = await self._answers.to(key, lambda: self._commands.answer(line, caller))
        if not answer.is_done:
            return page.onward("/play/begun", given)
        return self._on_with(page, answer)

    async def begun(self, page: Page) -> web.StreamResponse:
        """Show how far a game is that waits for its rules, and then that game."""
        given = {name: page.given[name] for name in _TERMS if page.given.get(name)}
        line = line_of(self._commands.by_name["play"], given)
        answer = await self._answers.under_way((page.visitor.id, _BEGUN, line))
        if not answer.is_done:
            return page.told(say("Your game is about to begin"), answer, "play")
        return self._on_with(page, answer)

    def _on_with(self, page: Page, answer: Answer) -> web.Response:
        """Go on to a game that has begun, or say why it has not."""
        if answer.error:
            return page.refused(answer.error, answer.status)
        news = next(
            (reply.subject for reply in answer.replies if isinstance(reply.subject, News)), None
        )
        return page.onward(f"/game/{news.table.game.id}" if news else "/play")

    async def table(self, page: Page) -> web.StreamResponse:
        """Show a table."""
        return await self._shown(page, await self._table(page))

    async def press(self, page: Page) -> web.StreamResponse:
        """Do what a button stands for."""
        form, table = await page.form(), await self._table(page)
        press = read_press(form.get("press", ""))
        if not isinstance(press, TablePress | Confirm) or press.game != table.game.id:
            raise changed()
        if isinstance(press, TablePress):
            press = replace(press, chose=form.get("chose", "") if press.is_list else "")
            if press.action == "join":
                page.welcome(form.get("name", ""))
        stream = self._done(_caller(page.visitor, table), table, press)
        answer = await self._answers.to((page.visitor.id, form.get("press")), lambda: stream)
        since = getattr(press, "version", table.game.version)
        return await self._after(page, table, answer, since)

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
        sentences = [reply.text for reply in answer.replies if reply.private or error_of(reply)]
        if sentences:
            now, status = await self._tables.current(table.game.id), max(answer.status, 400)
            return await self._shown(page, now, notice=sentences[-1], status=status)
        news = [reply.subject for reply in answer.replies if isinstance(reply.subject, News)]
        others = {happened.table.game.id for happened in news}
        game = next((number for number in others if number != table.game.id), table.game.id)
        return page.onward(f"/game/{game}", since=since if game == table.game.id else None)

    async def review(self, page: Page) -> web.StreamResponse:
        """Show what luck and decisions changed in a game that is over."""
        table = await self._table(page)

        async def made() -> AsyncIterator[Reply]:
            caller = _caller(page.visitor, table)
            pages = await self._pressing.review_pages(caller, table, width=WIDTH)
            yield Reply(pages, lambda cards: "\n\n".join(card.text for card in cards))

        key = page.visitor.id, spoken().code, table.game.id, "review"
        answer = await self._answers.to(key, made)
        if answer.error:
            return page.refused(answer.error, answer.status)
        return page.answered("review.html", answer, here="play", table=table)

    async def chart(self, page: Page) -> web.StreamResponse:
        """Draw the chances turn by turn of a game that is over."""
        news = await self._games.shown(await self._table(page))
        if news.chart is None:
            raise web.HTTPNotFound
        picture = await at_once(chart_picture, news.chart, Style(look_of(page), "svg"))
        return web.Response(body=picture, content_type="image/svg+xml")

    async def proof(self, page: Page) -> web.StreamResponse:
        """Give the file by which anybody can check the dice of a game that is over."""
        table = await self._table(page)
        line, caller = f"/proof {table.game.id}", _caller(page.visitor, table)
        answer = await self._answers.to_line(caller, line, 10)
        proof = answer.last.subject if answer.last else None
        if not isinstance(proof, Proof):
            raise InvalidRequestError(answer.error or say("the game is not over yet"))
        return web.Response(text=proof.to_json(), content_type="application/json")

    async def version(self, page: Page) -> web.StreamResponse:
        """Say how far a table is, for who waits."""
        return web.json_response({"version": (await self._table(page)).game.version})

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
        caller, mask = _caller(visitor, table), chosen(page.given, game)
        asked = page.given.get("ask")
        if game.bot_to_move and not game.over:
            # a turn that the end of the program broke off
            stream = self._pressing.shown(caller, game.id)
            await self._answers.to((game.id, "bots"), lambda: stream)
            table = await self._tables.current(game.id)
            game = table.game
        news = await self._games.shown(table)
        card, chances = table_card([news], pictures=False), news.at_start or news.chances
        # a page has room for all of them; a list is that of bots who may sit down
        buttons = table_buttons(game, mask, opened=is_open(table), reviewable=news.reviewable)
        menu = card.menu if game.stage is Stage.LOBBY else None
        card = replace(card, buttons=tuple(buttons), menu=menu)
        card = pressable_table(card, game, spoken().code, mask)
        own = table.seat_of(caller.person)
        moves = own == game.mover and not game.over
        is_still = moves and game.stage is not Stage.LOBBY
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
            waits=game.stage is Stage.LOBBY and len(game.seats) < 2 and own is not None,
            shares=chances.win_probabilities if chances and not game.over else (),
            story=story_of(page, table),
            join=next((button.id for button in card.buttons if button.action == "join"), ""),
            foot=card.foot,
            dice=dice_of(page, table, card, mask, moves=moves),
            buttons=buttons_of(page, table, card, mask, own=own, moves=moves),
            menu=card.menu if moves else None,
            chart=_drawn(table, news),
            replies=replies,
            notice=notice,
            sure=sure_card(_press(table, sure, 0), 0) if sure in SURE and own is not None else None,
            address=str(page.request.url.with_query(None)),
            # who begins sees others sit down
            refresh=0 if is_still or game.over or replies or notice else _REFRESH,
        )

    async def _asked(self, caller: Caller, table: Table, asked: str, mask: int) -> list[Reply]:
        press = _press(table, asked, mask)
        key = caller.person.id, press.id, spoken().code
        answer = await self._answers.to(
            key, lambda: self._pressing.asked(caller, table, press), patience=20
        )
        return answer.replies[-1:]


def _drawn(table: Table, news: News) -> Picture | None:
    """The picture of the chances turn by turn, where a game has been played for some turns."""
    if news.chart is None or len(news.chart.turns) < 2:
        return None
    said = say("Win probabilities turn by turn: {names}", names=", ".join(table.names))
    return Picture.at(f"/game/{table.game.id}/chart.svg", {"lang": spoken().code}, (800, 450), said)


def _caller(visitor: Visitor, table: Table) -> Caller:
    """Who gives a command at a table, which nobody manages."""
    return replace(visitor.caller(table.stored.place), manages=False)


def _press(table: Table, action: str, mask: int) -> TablePress:
    return TablePress(table.game.id, table.game.version, mask, spoken().code, action)


def chosen(given: Mapping[str, str], game: Game) -> int:
    """Return the dice that are chosen, as bits, if an address says so of the roll on the table."""
    every = (1 << len(game.turn.roll or ())) - 1
    mask = given.get("mask", "")
    is_sound = mask.isdecimal() and len(mask) <= len(str(every))
    return int(mask) & every if is_sound and given.get("v") == str(game.version) else 0
