"""A page: a request, who sends it, and how it is answered, in the language of who reads."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from aiohttp import web

from bot.fronts.web.answers import REFRESH, Answer
from bot.fronts.web.rendering import CODES, link, templates
from bot.fronts.web.visitors import Visitor, Visitors
from bot.languages import find_code, language
from bot.typed import cleaned
from bot.views.layout import whole_sentence
from solver.wording import ENGLISH, spoken


class Page:
    """A request, who sends it, and the page that answers it."""

    def __init__(self, request: web.Request, visitor: Visitor, visitors: Visitors) -> None:
        self.request, self.visitor, self._visitors = request, visitor, visitors
        self.given = {k: cleaned(v) for k, v in request.query.items() if k != "lang"}

    @property
    def token(self) -> str:
        """Return what its forms carry."""
        return self._visitors.token(self.visitor)

    async def form(self) -> dict[str, str]:
        """Return the form that is sent. Raises HTTPForbidden where it is not from our pages."""
        return await self._visitors.form(self.request, self.visitor)

    def welcome(self, name: str = "") -> Visitor:
        """Know who sends it from now on, by this name if it is one, and return them."""
        self.visitor = self._visitors.welcome(self.visitor, name)
        return self.visitor

    @property
    def asked_language(self) -> str:
        """Return the language that the address names, "" where it names none."""
        code = self.request.query.get("lang", "")
        return code if code in CODES else ""

    def link(self, path: str, given: Mapping[str, Any] | None = None, /, **more: Any) -> str:
        """Return an address within these pages, in the language that was asked for."""
        return link(path, given, **more, lang=self.asked_language)

    @property
    def languages(self) -> list[tuple[str, str, str]]:
        """Return the other languages: the tag, the name and the address of this page in each."""
        others = (code for code in CODES if code != spoken().code)
        path, given = self.request.rel_url.raw_path, self.given
        return [(code, native(code), link(path, given, lang=code)) for code in others]

    def render(self, template: str, status: int = 200, /, **what: Any) -> web.Response:
        """Return a page made by a template."""
        text = templates().get_template(template).render(page=self, code=spoken().code, **what)
        text = text.replace(" %", "\N{NO-BREAK SPACE}%")
        return web.Response(text=text, status=status, content_type="text/html")

    def answered(self, template: str, answer: Answer, /, **what: Any) -> web.Response:
        """Return a page that shows an answer, or how far it is, and then looks again."""
        refresh = 0 if answer.is_done else REFRESH
        status = 400 if answer.error else 200
        return self.render(template, status, answer=answer, refresh=refresh, **what)

    def told(
        self, title: str, answer: Answer, here: str, /, *onward: tuple[str, str], preview: str = ""
    ) -> web.Response:
        """Return a page that shows nothing but an answer, and where to go on.

        onward : words with the paths that they lead to
        preview : the address of a picture of it
        """
        more = {"here": here, "onward": onward, "preview": preview}
        return self.answered("told.html", answer, title=title, **more)

    def onward(
        self, path: str, given: Mapping[str, Any] | None = None, /, **more: Any
    ) -> web.Response:
        """Return what sends a browser on to another page after it has sent a form."""
        response = web.Response(status=303, headers={"Location": self.link(path, given, **more)})
        if self.visitor.is_known:
            self._visitors.keep(response, self.visitor)
        return response

    def refused(self, sentence: str, status: int) -> web.Response:
        """Return a page that says what went wrong."""
        return self.render("refused.html", status, sentence=whole_sentence(sentence))


def native(code: str) -> str:
    """Return the name of a language as those who speak it call it."""
    return ENGLISH.name if code == ENGLISH.code else language(code).name


@lru_cache(maxsize=500)
def best_code(accepted: str) -> str:
    """Return the tag of the language that fits a header Accept-Language best."""
    wanted: list[tuple[float, str]] = []
    for part in accepted[:200].split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), tag))
        except ValueError:
            continue
    for _, tag in sorted(wanted, key=lambda one: one[0]):
        if found := find_code(tag):
            return found
    return ENGLISH.code
