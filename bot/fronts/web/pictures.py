"""Pictures of answers, drawn as SVG on light and on dark ground."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from bot.chat.commands import Command, Commands
from bot.chat.pressing import Pressing
from bot.fronts.web.answers import Answers, asked, error_of, line_of
from bot.fronts.web.rendering import Page, link
from bot.services.advisor import Advisor
from bot.views.drawing import DARK, LIGHT, Look, draw_as
from bot.views.score_pictures import BORDER_SIZE, WIN_SIZE, border_picture, win_picture
from bot.views.turn_picture import TURN_SIZE
from solver.game.position import first_position
from solver.play.maps import border_map, coarse_step, scores_between, win_map
from solver.rules.ruleset import Ruleset
from solver.wording import say, spoken

DAY = {"Cache-Control": "public, max-age=86400"}
LOOKS = {"light": LIGHT, "dark": DARK}
_CELLS = {"win": 200, "border": 12}
"""Scores along an axis of a map."""

_MOST_MAPS = 40
_DRAWN = {"explain", "explore"}
"""Questions whose answers have a map of the turn."""
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


class Pictures:
    """Pictures at addresses of their own."""

    def __init__(self, commands: Commands, pressing: Pressing, answers: Answers) -> None:
        self._commands, self._answers = commands, answers
        self._rules, self._oracle = pressing.rules, pressing.games.oracle
        self._maps: dict[Hashable, bytes] = {}
        """That were drawn last, as each takes a second."""

    async def of_answer(self, page: Page) -> web.StreamResponse:
        """Draw the picture that belongs to the answer of a question."""
        command = self._commands.by_name.get(page.request.match_info["command"])
        look = look_of(page)
        if command is None or command.name not in _DRAWN:
            raise web.HTTPNotFound
        draw_as((LOOKS[look], "svg"))
        line = line_of(command, asked(command, page.given))
        key = page.visitor.id, spoken().code, look, line
        make = partial(self._commands.answer, line, page.visitor.caller())
        last = (await self._answers.to(key, make, patience=20)).last
        card = last.make_card(last.subject) if last and not error_of(last) else None
        if card is None or not card.attachments:
            raise web.HTTPNotFound
        return _svg(page, card.attachments[0].content)

    async def map(self, page: Page) -> web.StreamResponse:
        """Draw a map over both scores of a rule set."""
        kind, look, caller = page.request.match_info["kind"], look_of(page), page.visitor.caller()
        rules = await self._rules.resolve(caller.place, page.given.get("rules"))
        key = rules.digest, rules.name, kind, look, spoken().code
        drawn = self._maps.get(key)
        if drawn is None:
            work = _drawn_map, self._oracle.advisor, rules, kind, LOOKS[look]
            drawn = await self._oracle.tasks.aside(caller.asker, *work)
            self._maps[key] = drawn
            if len(self._maps) > _MOST_MAPS:
                del self._maps[next(iter(self._maps))]
        return _svg(page, drawn)


def pictures_of(page: Page, command: Command, given: dict[str, str]) -> list[Picture]:
    """The pictures that belong to an answer."""
    if command.name not in _DRAWN:
        return []
    asked_for = {**given, "lang": page.asked_language}
    shown = [
        ("/explain.svg", asked_for, TURN_SIZE, say("A map of the turn: when to roll, bank")),
    ]
    if not _DICE_OF_ONES_OWN & given.keys():
        rules = {"rules": given.get("rules", ""), "lang": page.asked_language}
        shown += [
            ("/map/win.svg", rules, WIN_SIZE, say("Your chance to win, by both scores")),
            ("/map/border.svg", rules, BORDER_SIZE, say("When to bank, by both scores")),
        ]
    return [
        Picture(link(path, query, look="light"), link(path, query, look="dark"), *size, said)
        for path, query, size, said in shown
    ]


def _drawn_map(advisor: Advisor, rules: Ruleset, kind: str, look: Look) -> bytes:
    """A map over both scores as an SVG. Raises StrategyFileError where rules are not solved."""
    strategy, start = advisor.strategy(rules), first_position(rules)
    scores = scores_between(rules, coarse_step(rules, _CELLS[kind]))
    if kind == "win":
        return win_picture(win_map(strategy, start, scores), look, form="svg")
    return border_picture(border_map(strategy, start, scores), look, form="svg")


def look_of(page: Page) -> str:
    """The look that a picture is asked for in. Raises HTTPNotFound for none that there is."""
    look = page.given.get("look", "light")
    if look not in LOOKS:
        raise web.HTTPNotFound
    return look


def _svg(page: Page, content: bytes) -> web.Response:
    # who is known may have rules of their own, and change what a name stands for
    kept = {} if page.visitor.is_known else DAY
    return web.Response(body=content, content_type="image/svg+xml", headers=kept)
