"""How replies become pages: templates, and what they say, in the language of the one who reads."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.chat.commands import Command, Commands, Reply
from bot.chat.fields import Field
from bot.fronts.web.answers import error_of, label_of
from bot.fronts.web.visitors import Visitor
from bot.languages import find_code, language, language_codes
from bot.services.advisor import Hint
from bot.services.games import News
from bot.services.rule_options import RULE_OPTIONS
from bot.services.tables import bot_name
from bot.typed import cleaned
from bot.views.advice import (
    ACTIONS,
    bank_text,
    cost_text,
    left_text,
    position_text,
    reachable_text,
    reason_text,
    set_aside_text,
)
from bot.views.card import Attachment, Card
from bot.views.endings import ends_bars, ends_text
from bot.views.game import after_keeping, hint_head, table_head
from bot.views.layout import (
    blocks,
    cells,
    dice_count,
    dice_text,
    percent,
    rough_percent,
    whole_sentence,
)
from bot.views.rules_text import rules_text, title_text
from bot.views.why import no_bank_text
from solver.play.advice import Advice, Odds
from solver.wording import ENGLISH, figure, say, say_number, spoken

FOLDER = Path(__file__).parent
CODES = tuple(language_codes())
"""The tags of the languages."""

_MOST_ACROSS = 3
"""Cells of two rows that stay side by side."""
_MOST_KEPT = 60
"""Characters of a value with which a field is kept."""
_SPOTS = {
    1: "12 12",
    2: "6 18 18 6",
    3: "6 18 12 12 18 6",
    4: "6 6 6 18 18 6 18 18",
    5: "6 6 6 18 12 12 18 6 18 18",
    6: "6 5 6 12 6 19 18 5 18 12 18 19",
}
"""Where the spots of each face are, across and down."""

_CARDS = MarkdownIt("js-default", {"breaks": True, "linkify": False}).disable(["link", "image"])
"""Reads the marks of messages; nothing in them is HTML, a link or a picture."""

MENU = (
    ("/", "ask"),
    ("/explore", "explore"),
    ("/play", "play"),
    ("/practise", "practise"),
    ("/rules", "rules"),
    ("/numbers", "numbers"),
)


def kind_of(reply: Reply) -> str:
    """Return the template that shows a reply."""
    if error_of(reply):
        return "error"
    match reply.subject:
        case Hint():
            return "hint"
        case Advice():
            return "advice"
        case Odds():
            return "odds"
        case News():
            return "news"
    return "walk" if isinstance(getattr(reply.subject, "odds", None), Odds) else "text"


def card_html(text: str) -> Markup:
    """Return the text of a message with its marks as HTML; small print is in a line of its own."""
    lines = [line.removeprefix("-# ") for line in text.splitlines()]
    return Markup(_CARDS.render("\n".join(lines)))  # noqa: S704 - HTML in it is escaped


def card_of(reply: Reply) -> Card | None:
    """Return a reply as a message if that has buttons or pictures, which text cannot have."""
    card = reply.make_card(reply.subject)
    return card if card and (card.buttons or card.attachments) else None


@cache
def die(face: int) -> Markup:
    """Return a die as an SVG; 0 is a joker."""
    numbers = _SPOTS.get(face, "").split()
    spots = "".join(
        f'<circle cx="{x}" cy="{y}" r="2.3"/>'
        for x, y in zip(numbers[::2], numbers[1::2], strict=True)
    )
    letter = "" if spots else '<text x="12" y="17" text-anchor="middle">J</text>'
    return Markup(  # noqa: S704 - all of it is ours
        '<svg class="die" viewBox="0 0 24 24" aria-hidden="true" focusable="false">'
        f'<rect x="1" y="1" width="22" height="22" rx="5"/>{spots}{letter}</svg>'
    )


def field_of(command: Command, one: Field, value: str, rules: Sequence[str]) -> Markup:
    """Return a field of a form with its label."""
    choices = tuple(rules) if one.completes == "rules" else ()
    made = _field if len(value) <= _MOST_KEPT else _field.__wrapped__
    return made(one, label_of(command, one), value, choices, spoken().code)


@lru_cache(maxsize=5_000)
def _field(one: Field, label: str, value: str, rules: tuple[str, ...], _code: str) -> Markup:
    """A field in the language that is spoken, kept as a form has twenty of them."""
    parts: Any = templates().get_template("parts.html").module
    found: Markup = parts.field(one, label, value, rules)
    return found


def picture_address(picture: Attachment) -> str:
    """Return an address that holds a small picture itself."""
    return f"data:image/png;base64,{b64encode(picture.content).decode()}"


def link(path: str, given: Mapping[str, Any] | None = None, /, **more: Any) -> str:
    """Return an address with what is given in its query."""
    query = {k: v for k, v in {**(given or {}), **more}.items() if v not in {None, ""}}
    return f"{path}?{urlencode(query)}" if query else path


def rows_of(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of rows that stand below each other, a head with its first cell empty.

    Two long rows become two columns, which a phone has room for.
    """
    rows = [cells(line) for line in lines]
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) > _MOST_ACROSS:
        return [list(pair) for pair in zip(*rows, strict=True)]
    first, *others = (len(line) - len(line.lstrip()) for line in lines)
    if len(rows[0]) > 1 and others and first > min(others) and len(rows[0]) < len(rows[1]):
        rows[0] = ["", *rows[0]]
    return rows


def number_like(cell: str) -> bool:
    """Return whether a cell of a table holds a number, which stands at its end."""
    return re.fullmatch(r"[-+<>\N{MINUS SIGN}]?\s?[\d.,]+\s?%?", cell) is not None or cell == "-"


@cache
def templates() -> Environment:
    """Return the templates, with what they call."""
    found = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    views = (
        *(bank_text, cost_text, left_text, position_text, reachable_text, reason_text),
        *(
            set_aside_text,
            after_keeping,
            hint_head,
            table_head,
            blocks,
            cells,
            dice_count,
            dice_text,
            percent,
        ),
        *(whole_sentence, no_bank_text, figure, say, say_number),
        *(
            bot_name,
            die,
            field_of,
            ends_bars,
            ends_text,
            rough_percent,
            rules_text,
            table_head,
            title_text,
        ),
        *(kind_of, card_html, card_of, picture_address, number_like, rows_of),
    )
    found.globals |= {one.__name__: one for one in views}
    found.globals |= {"ACTIONS": ACTIONS, "MENU": MENU, "RULE_OPTIONS": RULE_OPTIONS}
    return found


class Page:
    """A request, who sends it, and the page that answers it."""

    def __init__(self, request: web.Request, visitor: Visitor, token: str) -> None:
        self.request, self.visitor, self.token = request, visitor, token
        self.given = {k: cleaned(v) for k, v in request.query.items() if k != "lang"}

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
        path, given = self.request.path, self.given
        return [(code, native(code), link(path, given, lang=code)) for code in others]

    def render(self, template: str, status: int = 200, /, **what: Any) -> web.Response:
        """Return a page made by a template."""
        text = templates().get_template(template).render(page=self, code=spoken().code, **what)
        return web.Response(text=text, status=status, content_type="text/html")

    def refused(self, sentence: str, status: int) -> web.Response:
        """Return a page that says what went wrong."""
        return self.render("refused.html", status, sentence=whole_sentence(sentence))


def onward(address: str) -> web.Response:
    """Return what sends a browser on to a page after it has sent a form."""
    return web.Response(status=303, headers={"Location": address})


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


def command_link(page: Page, commands: Commands, line: str) -> str:
    """Return the address of a question that stands in a text as it is typed."""
    name, _, rest = line.removeprefix("/").partition(" ")
    given = dict(one.split(":", 1) for one in rest.split() if ":" in one)
    return page.link(f"/{name}", given) if name in commands.by_name else ""
