"""How replies become pages: templates, and what they say, in the language of the one who reads."""

import re
import tomllib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from bot.chat.commands import Reply
from bot.chat.fields import Field, label
from bot.fronts.web.answers import REFRESH, Answer, error_of
from bot.fronts.web.visitors import Visitor, Visitors
from bot.languages import find_code, language, language_codes
from bot.layout import blocks, cells, cleaned, dice_count, percent, rough_percent, whole_sentence
from bot.services.advisor import Hint
from bot.services.games import News
from bot.services.rule_options import RULE_OPTIONS
from bot.services.tables import bot_name
from bot.views import advice
from bot.views.card import Attachment, Card
from bot.views.events import result_text, table_head, winners_text
from bot.views.game import after_keeping, hint_head
from bot.views.named_dice import faces_text
from bot.views.rules_text import rules_text, title_text
from solver.errors import InvalidRequestError
from solver.play.advice import Advice, Odds, read_id
from solver.turn.dice import Die, Roll, dice_text
from solver.turn.memo import ones_twos_fives
from solver.turn.points import TurnEnds
from solver.wording import ENGLISH, Language, Reworded, figure, say, say_number, spoken

FOLDER = Path(__file__).parent
CODES = tuple(language_codes())
"""The tags of the languages."""
_ON_PAGES: dict[str, str] = tomllib.loads((FOLDER / "clicks.toml").read_text("utf-8"))
"""What pages say, by what the chat says; of a sentence for a number of things by its singular."""

_MOST_BARS = 8
_RARE = 0.005
"""A chance below which points have no bar of their own."""
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

_ID = re.compile(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{1,4})+\b")
"""What may be a position ID."""

_KINDS = {Hint: "hint", Advice: "advice", Odds: "odds", News: "news"}

MENU = (
    ("/", "ask"),
    ("/explore", "explore"),
    ("/play", "play"),
    ("/practise", "practise"),
    ("/kingdom", "kingdom"),
    ("/rules", "rules"),
    ("/numbers", "numbers"),
)


@cache
def on_pages(code: str, *, has_forms: bool = True) -> Language:
    """A language of the chat, by its tag, whose sentences name what to click, and no commands.

    has_forms : whether a field is called as forms have it, and not as addresses have
    """
    said = {chat: page for chat, page in _ON_PAGES.items() if has_forms or "{field}" not in page}
    return Reworded(language(code), said)


def kind_of(reply: Reply) -> str:
    """Return the template that shows a reply."""
    subject = reply.subject
    if error_of(reply):
        return "error"
    if getattr(subject, "brought", None):
        return "text"  # dice by name, and what their badges may do
    if isinstance(getattr(subject, "odds", None), Odds) and not isinstance(subject, Hint):
        return "walk"
    return _KINDS.get(type(subject), "text")


def card_html(page: Any, text: str) -> Markup:
    """Return the text of a message with its marks as HTML; small print is in a line of its own.

    Position IDs in it are links, as the other links of a page are.
    """

    def linked(named: re.Match[str]) -> str:
        try:
            read_id(named[0])
        except InvalidRequestError:
            return named[0]
        return f'<a href="{escape(page.link(f"/p/{named[0]}"))}">{named[0]}</a>'

    lines = [line.removeprefix("-# ") for line in text.splitlines()]
    html = _CARDS.render("\n".join(lines))
    return Markup(_ID.sub(linked, html))  # noqa: S704 - HTML in it is escaped


def card_of(reply: Reply) -> Card | None:
    """Return a reply as a message if that has buttons or pictures, which text cannot have."""
    card = reply.make_card(reply.subject)
    return card if card and not card.rest and (card.buttons or card.attachments) else None


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


@lru_cache(maxsize=5_000)
def dice_html(roll: Roll) -> Markup:
    """Return dice of a roll side by side, which a screen reader says as one."""
    parts = dice_text(roll), Markup().join(map(die, roll))
    return Markup('<span class="dice" role="img" aria-label="{}">{}</span>').format(*parts)


@cache
def bars_of(die: Die) -> list[tuple[bool, str]]:
    """Return the chances of the faces of a die as outlines of bars, jokers by themselves."""
    most = max(die.weights)
    bars = {False: "", True: ""}
    for place, weight in enumerate(die.weights):
        height = round(20 * weight / most, 1)
        bars[place + 1 in die.jokers] += f"M{3 + 5 * place} 23h4v-{height}h-4z" if weight else ""
    return [(is_joker, bar) for is_joker, bar in bars.items() if bar]


def fields_of(fields: Sequence[Field], given: Mapping[str, str], rules: Sequence[str]) -> Markup:
    """Return fields of a form with their labels."""
    values = tuple(given.get(field.name, "") for field in fields)
    made = _fields if sum(map(len, values)) <= _MOST_KEPT else _fields.__wrapped__
    return made(tuple(fields), values, tuple(rules), spoken().code)


@lru_cache(maxsize=5_000)
def _fields(
    fields: tuple[Field, ...], values: tuple[str, ...], rules: tuple[str, ...], _code: str
) -> Markup:
    """Fields in the language that is spoken, kept as a form has twenty of them."""
    parts: Any = templates().get_template("parts.html").module
    made = zip(fields, values, strict=True)
    return Markup().join(parts.field(*filled, rules) for filled in made)


def picture_address(picture: Attachment) -> str:
    """Return an address that holds a small picture itself."""
    return f"data:image/png;base64,{b64encode(picture.content).decode()}"


def link(path: str, given: Mapping[str, Any] | None = None, /, **further: Any) -> str:
    """Return an address with what is given in its query."""
    query = {k: v for k, v in {**(given or {}), **further}.items() if v not in {None, ""}}
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
    if bars := {k for row in rows for k, cell in enumerate(row) if is_bar(cell)}:
        # a bar of no length leaves a gap, which is no cell
        at, most = min(bars), max(map(len, rows))
        rows = [row if len(row) == most else [*row[:at], "", *row[at:]] for row in rows]
    return rows


def number_like(cell: str) -> bool:
    """Return whether a cell of a table holds a number, which stands at its end."""
    return re.fullmatch(r"[-+<>\N{MINUS SIGN}]?\s?[\d.,]+\s?%?", cell) is not None or cell == "-"


def is_bar(cell: str) -> bool:
    """Return whether a cell of a table is a bar of blocks, which is wider than a phone as text."""
    return bool(cell) and not cell.strip("▏▎▍▌▋▊▉█")


def longest_bar(rows: Iterable[Iterable[str]]) -> int:
    """Return how many blocks the longest bar of a table has."""
    return max(len(cell) for row in rows for cell in row if is_bar(cell))


class _Templates(Environment):
    """Templates that all know the same, so that none has to look in two places for it."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


@cache
def templates() -> Environment:
    """Return the templates, with what they call and nothing else."""
    environment = _Templates(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    called: list[Callable[..., Any]] = [
        *(bars_of, bot_name, card_html, card_of, dice_html, die, ends_bars, fields_of, kind_of),
        *(
            is_bar,
            label,
            longest_bar,
            number_like,
            picture_address,
            rows_of,
            figure,
            say,
            say_number,
        ),
        *(blocks, dice_count, percent, rough_percent, whole_sentence),
        *(advice.cost_text, advice.ends_text, advice.left_text, advice.odds_choices),
        *(advice.position_text, advice.reachable_text, advice.reason_text),
        *(advice.set_aside_text, after_keeping, hint_head, result_text, table_head, winners_text),
        *(faces_text, rules_text, title_text),
    ]
    environment.globals |= {function.__name__: function for function in called}
    environment.globals |= {"ACTIONS": advice.ACTIONS, "MENU": MENU, "RULE_OPTIONS": RULE_OPTIONS}
    return environment


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

    def link(self, path: str, given: Mapping[str, Any] | None = None, /, **further: Any) -> str:
        """Return an address within these pages, in the language that was asked for."""
        return link(path, given, **further, lang=self.asked_language)

    @property
    def languages(self) -> list[tuple[str, str, str]]:
        """Return the other languages: the tag, the name and the address of this page in each."""
        others = (code for code in CODES if code != spoken().code)
        path, given = self.request.rel_url.raw_path, self.given
        return [(code, language(code).name, link(path, given, lang=code)) for code in others]

    def render(self, template: str, status: int = 200, /, **what: Any) -> web.Response:
        """Return a page made by a template."""
        text = templates().get_template(template).render(page=self, code=spoken().code, **what)
        text = text.replace(" %", "\N{NO-BREAK SPACE}%")
        return web.Response(text=text, status=status, content_type="text/html")

    def answered(self, template: str, answer: Answer, /, **what: Any) -> web.Response:
        """Return a page that shows an answer, or how far it is, and then looks again."""
        refresh = 0 if answer.is_done else REFRESH
        return self.render(template, answer.status, answer=answer, refresh=refresh, **what)

    def told(
        self, title: str, answer: Answer, here: str, /, *onward: tuple[str, str], preview: str = ""
    ) -> web.Response:
        """Return a page that shows nothing but an answer, and where to go on.

        onward : words with the paths that they lead to
        preview : the address of a picture of it
        """
        shown = {"here": here, "onward": onward, "preview": preview}
        return self.answered("told.html", answer, title=title, **shown)

    def onward(
        self, path: str, given: Mapping[str, Any] | None = None, /, **further: Any
    ) -> web.Response:
        """Return what sends a browser on to another page after it has sent a form."""
        response = web.Response(status=303, headers={"Location": self.link(path, given, **further)})
        if self.visitor.is_known:
            self._visitors.keep(response, self.visitor)
        return response

    def refused(self, sentence: str, status: int) -> web.Response:
        """Return a page that says what went wrong."""
        return self.render("refused.html", status, sentence=whole_sentence(sentence))


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
    for _, tag in sorted(wanted, key=lambda tagged: tagged[0]):
        if code := find_code(tag):
            return code
    return ENGLISH.code


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram."""

    label: str
    chance: float
    is_farkle: bool = False


def ends_bars(ends: TurnEnds) -> list[Bar]:
    """How a turn ends as a few bars: a farkle, then points banked, in steps of round numbers."""
    bars = [Bar(say("farkle"), ends.farkle, is_farkle=True)] if ends.farkle else []
    if ends.out:
        bars.append(Bar(say("loses the game"), ends.out, is_farkle=True))
    if ends.loses:
        bars.append(Bar(say("loses everything"), ends.loses, is_farkle=True))
    likely = [points for points, chance in ends.banked if chance > _RARE]
    if likely:
        step = _step(likely[0], likely[-1])
        grouped: defaultdict[int, float] = defaultdict(float)
        for points, chance in ends.banked:
            grouped[min(points, likely[-1]) // step] += chance
        last = max(grouped)
        for low, chance in sorted(grouped.items()):
            first = max(low * step, likely[0]) if low == likely[0] // step else low * step
            bars.append(Bar(_range(first, (low + 1) * step - 1, is_last=low == last), chance))
    return bars + ([Bar(say("wins the game"), ends.wins)] if ends.wins else [])


def _step(least: int, most: int) -> int:
    """Points in a bar: 1, 2 or 5 times a power of ten, so that there are not too many bars."""
    return next(step for step in ones_twos_fives() if most // step - least // step < _MOST_BARS)


def _range(first: int, last: int, *, is_last: bool) -> str:
    return say("from {points:,}", points=first) if is_last else f"{figure(first)}–{figure(last)}"
