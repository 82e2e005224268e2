"""Positions by their IDs, to be sent to somebody."""

from aiohttp import web

from bot.fronts.web.answers import REFRESH, Answer, line_of
from bot.fronts.web.pages import Pages
from bot.fronts.web.pictures import DAY
from bot.fronts.web.rendering import Page
from bot.views.dice_picture import dice_png
from bot.views.drawing import draw_as
from solver.play.advice import Advice
from solver.turn.dice import Roll


class Positions:
    """Pages of positions."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def shown(self, page: Page) -> web.StreamResponse:
        """Show a position by its ID."""
        draw_as(None)
        answer = await self._of_id(page)
        last = answer.last
        roll = last.subject.roll if last and isinstance(last.subject, Advice) else ()
        preview = page.request.url.with_query(None) if roll else None
        return page.render(
            "position.html",
            400 if answer.error else 200,
            here="ask",
            id=page.request.match_info["id"],
            replies=[last] if last else [],
            preview=f"{preview}.png" if preview else "",
            refresh=0 if answer.is_done else REFRESH,
        )

    async def preview(self, page: Page) -> web.StreamResponse:
        """Show the dice of a position, for whoever shows a link to it."""
        last = (await self._of_id(page)).last
        roll: Roll = last.subject.roll if last and isinstance(last.subject, Advice) else ()
        if not roll:
            raise web.HTTPNotFound
        return web.Response(body=dice_png(roll), content_type="image/png", headers=DAY)

    async def _of_id(self, page: Page) -> Answer:
        command = self._pages.questions["position"]
        return await self._pages.answer(
            page, line_of(command, {"id": page.request.match_info["id"]})
        )
