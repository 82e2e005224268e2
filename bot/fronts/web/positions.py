"""Positions by their IDs, to be sent to somebody."""

from aiohttp import web

from bot.fronts.web.answers import Answer, line_of
from bot.fronts.web.page import Page
from bot.fronts.web.pages import Pages
from bot.fronts.web.pictures import DAY
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.views.dice_picture import dice_png
from bot.views.drawing import LIGHT, draw_as
from bot.views.turn_picture import turn_picture
from solver.play.advice import Advice, Odds
from solver.play.maps import turn_map
from solver.wording import say


class Positions:
    """Pages of positions."""

    def __init__(self, pages: Pages, oracle: Oracle) -> None:
        self._pages, self._oracle = pages, oracle

    async def shown(self, page: Page) -> web.StreamResponse:
        """Show a position by its ID."""
        draw_as(None)
        answer = await self._of_id(page)
        is_found = answer.is_done and not answer.error
        preview = f"{page.request.url.with_query(None)}.png" if is_found else ""
        title = say("Position {id}", id=page.request.match_info["id"])
        onward = say("Ask about another roll"), "/"
        return page.told(title, answer, "ask", onward, preview=preview)

    async def preview(self, page: Page) -> web.StreamResponse:
        """Draw a position for whoever shows a link to it: its dice, or its turn as a map."""
        last = (await self._of_id(page)).last
        match last.subject if last else None:
            case Advice(roll=roll):
                drawn = dice_png(roll)
            case Odds() as odds:
                asker, advisor = page.visitor.caller().asker, self._oracle.advisor
                drawn = await self._oracle.tasks.aside(asker, _drawn_turn, advisor, odds)
            case _:
                raise web.HTTPNotFound
        return web.Response(body=drawn, content_type="image/png", headers=DAY)

    async def _of_id(self, page: Page) -> Answer:
        command = self._pages.questions["position"]
        return await self._pages.answer(
            page, line_of(command, {"id": page.request.match_info["id"]})
        )


def _drawn_turn(advisor: Advisor, odds: Odds) -> bytes:
    """The turn of a position. Raises StrategyFileError where its rules are not solved."""
    return turn_picture(turn_map(advisor.strategy(odds.rules), odds.position), look=LIGHT)
