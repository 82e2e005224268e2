"""Pictures of answers, drawn as SVG on light and on dark ground."""

import re
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from aiohttp import web

from bot.chat.commands import Command, Commands
from bot.chat.pressing import Pressing
from bot.fronts.web.answers import Answers, asked, error_of, line_of
from bot.fronts.web.rendering import Page, link
from bot.layout import cleaned
from bot.services.advisor import Advisor
from bot.views.drawing import DARK, LIGHT, Look, Style, draw_as, place_in
from bot.views.turn_picture import BORDER_SIZE, TURN_SIZE, WIN_SIZE, border_picture, win_picture
from solver.game.position import first_position
from solver.play.maps import border_map, coarse_step, maps_over_scores, scores_between, win_map
from solver.rules.ruleset import Ruleset
from solver.wording import say, spoken

DAY = {"Cache-Control": "public, max-age=86400"}
LOOKS = {"light": LIGHT, "dark": DARK}
_CELLS = {"win": 200, "border": 12}
"""Scores along an axis of a map."""

_MOST_MAPS = 40
DRAWN = {"explain", "explore"}
"""Questions whose answers have a map of the turn."""
_SIZES = {"turn": TURN_SIZE, "win": WIN_SIZE, "border": BORDER_SIZE}
SHOWN = 328
"""How wide maps are that can be clicked, in pixels of a page: a browser tells no share of it."""
_CLICK = re.compile(r"([0-9]{1,4}),([0-9]{1,4})")
_DICE_OF_ONES_OWN = {"my-dice", "their-dice"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture on light and on dark ground."""

    light: str
    dark: str
    width: int
    height: int
    said: str
    """What it shows in words."""
    leads: str = ""
    """Where a click in it leads, which is told where it was."""

    @classmethod
    def at(cls, path: str, given: Mapping[str, str], size: tuple[int, int], said: str) -> "Picture":
        """Return a picture at an address that takes a look."""
        return cls(link(path, given, look="light"), link(path, given, look="dark"), *size, said)


class Pictures:
    """Pictures at addresses of their own."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._answers = commands, answers
        self._rules, self._oracle = pressing.rules, pressing.games.oracle
        self._maps: dict[Hashable, bytes] = {}
        """Maps that are kept, those drawn last, as each takes a second."""

    async def of_answer(self, page: Page) -> web.StreamResponse:
        """Draw the picture that belongs to the answer of a question."""
        command = self._commands.by_name.get(page.request.match_info["command"])
        if command is None or command.name not in DRAWN:
            raise web.HTTPNotFound
        return _svg(page, await self._of_answer(page, command, page.given, look_of(page)))

    async def _of_answer(
        self, page: Page, command: Command, given: Mapping[str, str], look: Look
    ) -> bytes:
        draw_as(Style(look, "svg"))
        line = line_of(command, asked(command, given))
        last = (await self._answers.to_line(page.visitor.caller(), line, 20, look)).last
        card = last.make_card(last.subject) if last and not error_of(last) else None
        if card is None or not card.attachments:
            raise web.HTTPNotFound
        return card.attachments[0].content

    async def map(self, page: Page) -> web.StreamResponse:
        """Draw a map over both scores of a rule set."""
        kind = page.request.match_info["kind"]
        rules = await self._rules.resolve(page.visitor.id, page.given.get("rules"))
        return _svg(page, await self._map(page, rules, kind, look_of(page)))

    async def _map(self, page: Page, rules: Ruleset, kind: str, look: Look) -> bytes:
        key = rules.digest, rules.name, kind, look, spoken().code
        drawn = self._maps.get(key)
        if drawn is None:
            work = _drawn_map, self._oracle.advisor, rules, kind, look
            drawn = await self._oracle.tasks.aside(page.visitor.caller().asker, *work)
            self._maps[key] = drawn
            if len(self._maps) > _MOST_MAPS:
                del self._maps[next(iter(self._maps))]
        return drawn

    async def clicked(self, page: Page) -> web.StreamResponse:
        """Go on to the position at which a map was clicked.

        A browser writes where that was behind the address, as in `?rules=kcd?120,44`.
        """
        query, _, place = page.request.query_string.rpartition("?")
        given = {name: cleaned(value) for name, value in parse_qsl(query)}
        kind = page.request.match_info["kind"]
        rules = await self._rules.resolve(page.visitor.id, given.get("rules"))
        svg = b""
        if kind == "turn":
            with suppress(web.HTTPNotFound):  # there is no time for pictures
                svg = await self._of_answer(page, self._commands.by_name["explain"], given, LIGHT)
        else:
            svg = await self._map(page, rules, kind, LIGHT)
        click = _CLICK.fullmatch(place)
        width, height = _SIZES[kind]
        down = SHOWN * height / width
        here = click and place_in(svg, int(click[1]) / SHOWN, int(click[2]) / down)
        if here and kind == "turn":
            given |= {"dice": str(max(1, round(here[0]))), "turn": _points(rules, here[1], 1)}
        elif here:
            step = rules.point_step
            given |= {"me": _points(rules, here[0], step), "them": _points(rules, here[1], step)}
        return page.onward("/explore", given)


def _points(rules: Ruleset, place: float, step: int) -> str:
    """Points that can be had, next to a place on an axis on which these are a step away."""
    most = rules.winning_score // rules.point_step - 1
    return str(rules.point_step * min(max(0, round(place / step)), most))


def pictures_of(page: Page, rules: Ruleset, given: dict[str, str]) -> list[Picture]:
    """The pictures that belong to an answer that is drawn."""
    said = {
        "turn": say("A map of the turn: when to roll, bank"),
        "win": say("Your chance to win, by both scores"),
        "border": say("When to bank, by both scores"),
    }
    # dice of one's own have no maps over scores, and the columns of their turns are no numbers
    is_own = bool(_DICE_OF_ONES_OWN & given.keys())
    pictures = []
    for kind in ("turn", *(() if is_own else maps_over_scores(rules))):
        path = "/explain.svg" if kind == "turn" else f"/map/{kind}.svg"
        what = given if kind == "turn" else {"rules": given.get("rules", "")}
        asked_for = {**what, "lang": page.asked_language}
        made = Picture.at(path, asked_for, _SIZES[kind], said[kind])
        leads = "" if is_own else link(f"/at/{kind}", {**given, **asked_for})
        pictures.append(replace(made, leads=leads))
    return pictures


def _drawn_map(advisor: Advisor, rules: Ruleset, kind: str, look: Look) -> bytes:
    """A map over both scores as an SVG. Raises StrategyFileError where rules are not solved."""
    strategy, start = advisor.strategy(rules), first_position(rules)
    scores = scores_between(rules, coarse_step(rules, _CELLS[kind]))
    if kind == "win":
        return win_picture(win_map(strategy, start, scores), Style(look, "svg"))
    return border_picture(border_map(strategy, start, scores), Style(look, "svg"))


def look_of(page: Page) -> Look:
    """The look that a picture is asked for in. Raises HTTPNotFound for none that there is."""
    look = page.given.get("look", "light")
    if look not in LOOKS:
        raise web.HTTPNotFound
    return LOOKS[look]


def _svg(page: Page, content: bytes) -> web.Response:
    # who is known may have rules of their own, and change what a name stands for
    kept = {} if page.visitor.is_known else DAY
    return web.Response(body=content, content_type="image/svg+xml", headers=kept)
