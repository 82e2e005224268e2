"""Pages that ask: what they say, in which language, and that they are sound."""

import ast
import asyncio
import re
import sqlite3
import tracemalloc
from contextlib import closing
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from aiohttp.test_utils import make_mocked_request
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.meta import find_undeclared_variables
from jinja2.nodes import Call, FromImport, Macro, Name
from multidict import CIMultiDict

from bot.fronts.web.answers import line_of
from bot.fronts.web.app import _HEADERS
from bot.fronts.web.rendering import _ON_PAGES, FOLDER, best_code, fields_of, templates
from bot.fronts.web.settings import WebSettings
from bot.fronts.web.visitors import Visitors
from bot.languages import CATALOGUES, language, language_codes
from bot.views.advice import advice_text
from solver.wording import said_in
from tests.bot.fronts.web.visiting import Seen, Site, Visit, open_site
from tests.bot.odd_text import ACTED_ON, HIDDEN
from tests.conftest import mostly_slow

PAGES = [
    "/",
    "/?dice=653332",
    "/?dice=6533&turn=300&me=4200&them=5000&rules=kcd",
    "/?dice=223346",
    "/?dice=553332&turn=300&endings=yes",
    "/?dice=9",
    "/odds?turn=350&dice=2&me=4200&them=5000",
    "/explore",
    "/explore?turn=350&dice=2&me=4200&them=5000",
    "/explain?turn=350&dice=2&me=4200&them=5000",
    "/p/CZT1-7YZ9-SYP",
    "/numbers",
    "/points?rules=facebook",
    "/komi?rules=facebook",
    "/kcd?my-dice=lucky*3,odd,ordinary*2&goal=600",
    "/kingdom",
    "/kingdom?own=lucky*2,odd&choose=own&goal=600",
    "/kingdom?my-badge=gold-might&choose=their-badge",
    "/?my-dice=lucky*3,odd,ordinary*2&dice=1+lucky,5+odd&goal=600",
    "/duel",
    "/memo?rules=kcd",
    "/play",
    "/practise",
    "/daily",
    "/rules",
    "/rules/zilch",
    "/rules/new?base=kcd",
    "/rules?find=three+pairs+750",
    "/api",
    "/privacy?forgotten=yes",
    "/nowhere",
]
"""A page of each kind, some with an answer and some with a refusal."""


def labelled(page: ET.Element) -> set[str]:
    """The ids of fields that have a label."""
    return {one.get("for", "") for one in page.iter("label")}


def check_sound(seen: Seen, code: str, *, repeats: bool = False) -> None:
    """A page has valid HTML that a screen reader can read, and no script or style of its own.

    It says what to click, and names nothing to be typed; `repeats` what somebody has typed.
    """
    page = seen.html
    assert page.get("lang") == code
    title, description = page.find(".//title"), page.find(".//meta[@name='description']")
    assert title is not None
    assert len(title.text or "") > 10
    assert description is not None
    assert len(description.get("content") or "") > 30
    assert len(page.findall(".//main")) == len(page.findall(".//h1")) == 1
    known = labelled(page)
    fields = [one for name in ("input", "select", "textarea") for one in page.iter(name)]
    asked = [one for one in fields if one.get("type") != "hidden"]
    assert all(one.get("id") in known for one in asked)
    assert all(one.get("alt") for one in page.iter("img"))
    ids = [one.get("id") for one in page.iter() if one.get("id")]
    assert len(ids) == len(set(ids))
    assert not [one for one in page.iter() if "style" in one.keys()]  # noqa: SIM118
    assert not [one for one in page.iter() if any(name.startswith("on") for name in one.keys())]  # noqa: SIM118
    assert all(one.get("src") for one in page.iter("script"))
    assert len(seen.text) < 100_000
    assert repeats or not re.search(r"(?<![\w/.])/[a-z][a-z-]+(?![\w/])", seen.words), seen.url
    for name, value in _HEADERS.items():
        assert seen.headers[name] == value


@pytest.mark.parametrize("code", mostly_slow((one, one) for one in language_codes()))
async def test_every_page_is_sound_and_keeps_nothing(site: Site, code: str) -> None:
    def stored() -> list[str]:
        with closing(sqlite3.connect(site.data / "farkle.db")) as database:
            return list(database.iterdump())

    before = stored()
    asked = {one.name for one in site.chat.commands.by_name.values() if one.is_question}
    assert {path.strip("/").partition("?")[0] for path in PAGES} & asked
    async with site.visitor(code) as visit:
        for path in PAGES:
            seen = await visit.get(path)
            assert seen.status < 500, path
            check_sound(seen, code)
            if path.startswith("/?"):
                await visit.get(path.replace("/?", "/api/v1/advise?"))
        assert not list(visit.session.cookie_jar)
    assert stored() == before


@pytest.mark.slow
async def test_all_links_are_alive(visit: Visit) -> None:
    tried: set[str] = set()
    for path in ("/", "/?dice=653332&lang=de", "/explore?dice=2&turn=350", "/numbers"):
        seen = await visit.get(path)
        for link in seen.links:
            # pictures are slow to draw, and have a test of their own
            if link not in tried and ".svg?" not in link:
                tried.add(link)
                assert (await visit.get(link)).status == 200, link
    assert len(tried) > 40


async def test_advice_is_what_the_chat_says(site: Site, visit: Visit) -> None:
    advice = (await site.chat.answer("/advise 653332 me:4200 them:5000")).subject
    for code in language_codes():
        path = f"/?dice=653332&me=4200&them=5000&lang={code}"
        words = (await visit.get(path)).words
        said = said_in(language(code), advice_text, advice)
        chances = re.findall(r"\d\d[.,]\d\d %", said)
        assert len(chances) >= 3
        assert all(chance in words for chance in chances)
        # the reason is said word by word
        [why] = re.findall(r"(?:Why|Warum)[^.]*\.", " ".join(said.split()))
        assert why in words


async def test_how_the_turn_ends_is_shown_by_bars(visit: Visit) -> None:
    seen = await visit.get("/?dice=653332")
    [link] = [one for one in seen.links if "endings=yes" in one]
    told = await visit.get(link)
    check_sound(told, "en")
    found = await visit.json("/api/v1/advise?dice=653332&endings=yes")
    rolls = [one["ends"] for one in found["options"] if one["action"] == "roll"]
    histograms = [one for one in told.html.iter("ul") if one.get("class") == "histogram"]
    assert len(histograms) == len(rolls) == 2
    for bars, ends in zip(histograms, rolls, strict=True):
        shares = [float(text[:-1]) for one in bars for text in one.itertext() if text[-1:] == "%"]
        assert shares[0] == pytest.approx(ends["farkle"] * 100, abs=0.0051), "as beside the bars"
        assert sum(shares) == pytest.approx(100, abs=0.005 * len(shares))


def test_bars_of_blocks_are_drawn_and_leave_room_for_their_numbers() -> None:
    table = "  1  ████████████████████  8  28.57 %\n  2  █████                 2   7.14 %"
    table += "\n  3                        0   0.00 %"
    drawn = templates().get_template("parts.html").make_module().text(table)  # type: ignore[attr-defined]
    assert "█" not in drawn
    assert re.findall('class="full" width="([^"]*)"', drawn) == ["100.00", "25.00"]
    assert "7.14 %" in drawn
    assert drawn.count("<td") == 12, "a bar of no length has its cell as well"


async def test_roll_or_bank_is_told_best_first_and_with_what_the_other_costs(visit: Visit) -> None:
    found = await visit.json("/api/v1/odds?turn=350&dice=2&me=4200&them=5000")
    told = (await visit.get("/odds?turn=350&dice=2&me=4200&them=5000")).words
    assert found["action"] == "bank"
    assert told.index("4,550 to 5,000") < told.index("farkle chance 44.44")
    assert "-0.71" in told


async def test_dice_are_tapped_by_links_alone(visit: Visit) -> None:
    seen = await visit.get("/?me=500")
    for number in range(1, 7):
        [link] = [one for one in seen.links if one.endswith("dice=" + "3" * number)]
        assert ("51." in seen.words) == (number > 6)
        assert "me=500" in link
        seen = await visit.get(link)
    assert "3 3 3 3 3 3" in seen.text
    assert [one for one in seen.links if one.endswith("3" * 7)] == []


@pytest.mark.slow
async def test_what_is_typed_is_shown_as_it_is(visit: Visit) -> None:
    for text in ("<script>alert(1)</script>", '"><b>x', *ACTED_ON, *HIDDEN):
        async with visit.session.get(visit.base, params={"dice": text, "me": text}) as found:
            seen = Seen(found.status, await found.text(), str(found.url), dict(found.headers))
        assert seen.status in {200, 400}
        check_sound(seen, "en", repeats=True)
        assert "<script>alert" not in seen.text
        assert "<b>" not in seen.text


async def test_a_cookie_that_is_none_of_ours_is_passed_over(visit: Visit) -> None:
    assert (await visit.get("/rules", Cookie="farkle=a.b.\u00e9")).status == 200


async def test_more_dice_than_anybody_rolls_are_no_long_page(visit: Visit) -> None:
    seen = await visit.get(f"/?dice={'1' * 5_000}")
    assert seen.status == 400
    assert len(seen.text) < 200_000


def test_what_pages_say_otherwise_is_said_by_the_chat() -> None:
    catalogue = CATALOGUES / "de.po"
    with catalogue.open("rb") as file:
        known = {one.id if isinstance(one.id, str) else one.id[0] for one in read_po(file)}
    assert [sentence for sentence in _ON_PAGES if sentence not in known] == []
    # and has the same parts, or fewer
    for chat, page in _ON_PAGES.items():
        parts = {*re.findall(r"{\w+", chat), "{field"}
        assert set(re.findall(r"{\w+", page)) <= parts, page


@pytest.mark.parametrize(
    ("code", "name", "called"),
    [
        ("en", "me", "Your score"),
        ("de", "me", "Deine Punkte"),
        ("en", "them", "Their score"),
        ("en", "farkles", "Your farkles in a row before this turn"),
        ("en", "on-board", "Yes or no: whether you have banked before"),
        ("de", "endings", "Ja: wie der Zug nach jeder Wahl endet"),
    ],
)
async def test_what_is_wrong_is_called_as_its_field(
    site: Site, code: str, name: str, called: str
) -> None:
    async with site.visitor(code) as visit:
        seen = await visit.get(f"/?dice=653332&{name}=abc")
        assert (f"{called}: ") in seen.words
        assert f"{name}:" not in seen.words
        said = await visit.json(f"/api/v1/advise?dice=653332&{name}=abc")
        assert said["error"].startswith(f"{name}: ")


def test_templates_see_what_they_use_and_nothing_else() -> None:
    made = templates()
    ours = set(made.globals) - set(DEFAULT_NAMESPACE)
    used, passed = set[str](), {"answers_to"}
    trees = {
        path.name: made.parse(path.read_text("utf-8"))
        for path in (FOLDER / "templates").glob("*.html")
    }
    macros = {file: {one.name for one in tree.find_all(Macro)} for file, tree in trees.items()}
    for file, tree in trees.items():
        named = {one.name for one in tree.find_all(Name) if one.ctx == "load"}
        imported: set[str] = set()
        for found in tree.find_all(FromImport):
            names = {str(name) for name in found.names}
            assert names <= macros["parts.html"], file
            imported |= names
        assert imported <= named, f"{file} imports what it does not use"
        called = {one.node.name for one in tree.find_all(Call) if isinstance(one.node, Name)}
        unknown = called - ours - set(DEFAULT_NAMESPACE) - macros[file] - imported - passed
        assert not unknown, f"{file} calls what is not there"
        made_here = {one.name for one in tree.find_all(Name) if one.ctx == "store"}
        missing = find_undeclared_variables(tree) - ours - imported - made_here - _handed_over()
        assert not missing, f"{file} names what nothing hands to it"
        used |= named
    assert ours <= used, "what no template uses"


@cache
def _handed_over() -> set[str]:
    """What calls of the site name, as those of a template's `render` do, and keys of its data."""
    trees = [ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    keys = [key for node in nodes if isinstance(node, ast.Dict) for key in node.keys]
    named = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return named | {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}


def test_long_values_fill_no_memory(site: Site) -> None:
    command = site.chat.commands.by_name["advise"]
    [one, *_] = command.fields
    fields_of([one], {}, ())
    tracemalloc.start()
    for number in range(300):
        fields_of([one], {one.name: f"{number:7000}"}, ())
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000


@pytest.mark.parametrize(
    ("sent", "address"),
    [
        (["1.2.3.4, 5.6.7.8"], "5.6.7.8/32"),
        (["1.2.3.4", "5.6.7.8"], "5.6.7.8/32"),
        (["1.2.3.4, ::ffff:5.6.7.8"], "5.6.7.8/32"),
        (["1.2.3.4, 5.6.7.8:40123"], "5.6.7.8/32"),
        (["[::ffff:5.6.7.8]:40123"], "5.6.7.8/32"),
        (["2001:db8:1:2:3::4"], "2001:db8:1:2::/64"),
        (["[2001:db8:1:2:3::4]:40123"], "2001:db8:1:2::/64"),
        (["[2001:db8:1:2:3::4]"], "2001:db8:1:2::/64"),
        (["[nowhere"], "[nowhere"),
    ],
)
def test_the_proxy_says_last_from_where_somebody_asks(sent: list[str], address: str) -> None:
    """Another one than the proxy may have sent the header as well."""
    headers = CIMultiDict(("X-Forwarded-For", one) for one in sent)
    visitors = Visitors(b"secret", WebSettings(address="https://farkle.example"))
    request = make_mocked_request("GET", "/", headers=headers)
    assert visitors.address(request) == address


async def test_what_is_no_request_says_nothing_in_the_log(
    visit: Visit, caplog: pytest.LogCaptureFixture
) -> None:
    """Anybody could fill it with tracebacks."""
    url = urlsplit(visit.base)
    for sent in (b"GET /?dice=\xff HTTP/1.1\r\n\r\n", b"\x16\x03\x01\r\n\r\n"):
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.write(sent)
        assert b" 400 " in await reader.readline()
        writer.close()
    assert caplog.text == ""


async def test_too_much_is_refused_with_a_sentence(data: Path, tmp_path: Path) -> None:
    opened = open_site(tmp_path, data / "strategies", rate=0.5)
    async with opened as site, site.visitor() as visit:
        found = [await visit.get("/privacy") for _ in range(8)]
    assert [one.status for one in found] == [200] * 5 + [429] * 3
    assert "wait a few seconds" in found[-1].words
    assert found[-1].headers["Retry-After"] == "2"


ACCEPTED = [
    ("de-AT,de;q=0.9,en;q=0.8", "de"),
    ("en-GB,de;q=0.9", "en"),
    ("", "en"),
    ("fr,de;q=0.3", "de"),
    ("xx;q=nonsense,de", "de"),
    ("*", "en"),
    (";;,,;q=,", "en"),
]


@pytest.mark.parametrize(("header", "code"), ACCEPTED)
def test_the_language_is_the_one_that_is_accepted_best(header: str, code: str) -> None:
    assert best_code(header) == code


@given(st.text(max_size=60))
def test_any_header_of_languages_is_one(header: str) -> None:
    assert best_code(header) in language_codes()


async def test_a_question_is_the_line_that_is_typed(site: Site) -> None:
    command = site.chat.commands.by_name["advise"]
    line = line_of(command, {"dice": "5 5 2", "them": "2500, 3100", "rules": 'my "own" rules'})
    assert line == '/advise 5 5 2 them:"2500, 3100" rules:"my own rules"'
    # nothing in a value begins another option
    line = line_of(command, {"dice": "552", "rules": "a\tgoal:5", "me": "1\uff02 turn:9"})
    assert line == '/advise 552 me:"1 turn:9" rules:"a goal:5"'
