"""What is a visitor's own: practice, and rules that they make."""

import asyncio
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.languages import language, language_codes
from bot.services.rule_options import RULE_OPTIONS
from bot.views.library import find_rules
from solver.rules.file import load_rules, preset_names
from solver.wording import said_in, say
from tests.bot.fronts.web.test_pages import check_sound
from tests.bot.fronts.web.visiting import Seen, Site, Visit, open_site

SMALL = {"base": "facebook", "dice": "3", "goal": "500", "minimum-bank": "100"}
"""Rules that are solved in no time."""


async def practise(visit: Visit, path: str) -> Seen:
    """A page that knows who visits."""
    known = await visit.get(path)
    assert not list(visit.session.cookie_jar)
    seen = await visit.post(path, known.form(path))
    while 'http-equiv="refresh"' in seen.text:  # it is still worked on
        seen = await visit.get(path)
    return seen


@pytest.mark.parametrize("code", language_codes())
async def test_the_daily_position_is_asked_and_answered(site: Site, code: str) -> None:
    async with site.visitor(code) as visit:
        asked = await practise(visit, "/daily")
        check_sound(asked, code)
        buttons = asked.buttons()
        assert len(buttons) >= 2
        form = asked.form("/press")
        told = await visit.post("/press", {**form, "press": next(iter(buttons.values()))})
        check_sound(told, code)
        assert re.search(r"\d[.,]\d\d %", told.words)
        # the dice are drawn, and the position is passed on as anywhere else
        [dice] = re.findall('<span class="dice"[^>]*>', asked.text)
        assert dice in told.text
        [link] = {one for one in told.links if "/p/" in one}
        opened = await visit.get(link)
        assert dice in opened.text
        # who loads the page again sees the same
        assert (await visit.get(told.url)).words == told.words
        # it has been answered, and is not asked again
        again = await visit.post("/press", {**form, "press": next(iter(buttons.values()))})
        assert again.status in {200, 400}
        assert "<b>" not in told.text


async def test_nothing_is_kept_of_who_has_no_cookie(site: Site, visit: Visit) -> None:
    asked = await practise(visit, "/daily")
    value = next(iter(asked.buttons().values()))
    async with site.visitor() as other:
        form = (await other.get("/daily")).form("/daily")
        refused = await other.post("/press", {**form, "press": value})
    assert refused.status == 400
    board = await visit.get("/daily?what=board")
    check_sound(board, "en")
    assert "Nobody has answered" in board.words
    await visit.post("/press", {**asked.form("/press"), "press": value})
    assert (
        "1 of 1" in (again := await visit.get("/daily?what=board")).words or "0 of 1" in again.words
    )
    # what somebody asks by an address answers nothing
    assert "NUMBER" not in (await visit.get("/daily?what=answer&number=1")).words


async def test_statistics_are_one_s_own(visit: Visit) -> None:
    shown = await practise(visit, "/stats")
    assert shown.status in {200, 400}
    check_sound(shown, "en")


@pytest.mark.slow
async def test_who_wants_to_be_forgotten_is(site: Site, visit: Visit) -> None:
    lobby = await visit.get("/play")
    form = {**lobby.form("/play"), "level": "cautious", "rules": "kcd", "name": "Zoe-who-leaves"}
    game = await visit.post("/play", form)
    assert "Zoe-who-leaves" in game.words
    rules = (await visit.get("/rules/new")).form("/rules/new")
    made = await visit.post("/rules/new", {**rules, **SMALL, "name": "Zoe rules"})
    assert made.status == 200
    await visit.get("/daily")
    [cookie] = [one.value for one in visit.session.cookie_jar]
    assert (await visit.post("/forget", {})).status == 403
    told = await visit.post("/forget", (await visit.get("/privacy")).form("/forget"))
    check_sound(told, "en")
    assert told.status == 200
    assert not list(visit.session.cookie_jar)
    async with site.visitor() as other:
        assert "Zoe-who-leaves" not in (await other.get(game.url)).text
    kept = b"".join(file.read_bytes() for file in site.data.glob("farkle.db*"))
    assert b"Zoe" not in kept
    assert cookie.partition(".")[0].encode() not in kept


@pytest.mark.slow
async def test_rules_are_made_while_others_are_solved(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_site(tmp_path, tmp_path / "strategies") as site, site.visitor() as visit:
        await practise(visit, "/stats")  # by which they are known
        form = (await visit.get("/rules/new")).form("/rules/new")
        made = ({**form, **SMALL, "name": name} for name in ("ours", "theirs"))
        await asyncio.gather(*(visit.post("/rules/new", one) for one in made))
        for name in ("ours", "theirs"):
            assert (await visit.get(f"/rules/{name}")).status == 200


async def test_presses_of_others_sites_are_refused(visit: Visit) -> None:
    asked = await practise(visit, "/daily")
    value = next(iter(asked.buttons().values()))
    assert (await visit.post("/press", {"press": value})).status == 403
    assert (await visit.post("/daily", {})).status == 403
    for odd in ("", "t:1:1:0:en:roll", "zz:1", value + ":1"):
        found = await visit.post("/press", {**asked.form("/press"), "press": odd})
        assert found.status == 400


@pytest.mark.slow
async def test_the_library_explains_every_rule_set(visit: Visit) -> None:
    library = await visit.get("/rules")
    check_sound(library, "en")
    names = [one for one in library.links if re.search("/rules/(?!new)", one)]
    assert len(names) == len(preset_names())
    for link in names:
        shown = await visit.get(link)
        check_sound(shown, "en")
        assert "What dice are worth" in shown.words
    assert (await visit.get("/rules/nonsense")).status == 400
    assert (await visit.get("/rules/..%2f..%2fpyproject.toml")).status in {400, 404}


@pytest.mark.slow
async def test_house_rules_are_made_solved_and_asked_by(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    opened = open_site(tmp_path, tmp_path / "strategies", needed=30)
    async with opened as site, site.visitor() as visit:
        form = (await visit.get("/rules/new?base=facebook")).form("/rules/new")
        seen = await visit.post("/rules/new", {**form, **SMALL, "name": "my sunday"})
        for _ in range(200):
            check_sound(seen, "en")
            if "solving" not in seen.url:
                break
            seen = await visit.get("/rules/my%20sunday/solving")
        assert "The goal is 500 points" in seen.words
        asked = await visit.get("/?dice=653&rules=my+sunday")
        assert "my sunday rules" in asked.words
        # others do not know them
        async with site.visitor() as other:
            assert (await other.get("/rules/my%20sunday")).status == 400
        [link] = [one for one in (await visit.get("/rules/my%20sunday")).links if "sure=" in one]
        form = (sure := await visit.get(link)).form("/rules/my")
        assert "Delete these rules?" in sure.words
        gone = await visit.post("/rules/my%20sunday", {**form, "do": "delete"})
        assert "my sunday" not in gone.words


@pytest.mark.parametrize(
    ("given", "blamed"),
    [
        ({"goal": "many"}, "goal"),
        ({"three-pairs": "-1"}, "three-pairs"),
        ({"combination": "zzz"}, "combination"),
        ({"dice": "11"}, "dice"),
    ],
)
async def test_what_is_wrong_is_said_at_the_field(
    visit: Visit, given: dict[str, str], blamed: str
) -> None:
    empty = await visit.get("/rules/new")
    assert not re.search(r"\w:\w", empty.words)  # as options are typed in a chat
    form = empty.form("/rules/new")
    seen = await visit.post("/rules/new", {**form, **given, "base": "classic", "name": "bad"})
    check_sound(seen, "en")
    assert seen.status == 400
    [field] = [one for one in seen.html.iter() if one.get("aria-invalid")]
    assert field.get("name") == blamed
    assert field.get("value") == given[blamed]


@pytest.mark.parametrize(
    ("name", "said"),
    [(" ", "the name of the rules is missing: it takes 1 to 40"), ("a:b", '"a:b"')],
)
async def test_a_name_that_will_not_do_is_told(visit: Visit, name: str, said: str) -> None:
    form = (await visit.get("/rules/new")).form("/rules/new")
    seen = await visit.post("/rules/new", {**form, "base": "classic", "name": name})
    assert seen.status == 400
    assert said.casefold() in seen.words.casefold()


@pytest.mark.parametrize("code", language_codes())
async def test_what_rules_may_be_is_said_in_words_and_sent_as_it_is_typed(
    site: Site, code: str
) -> None:
    async with site.visitor(code) as visit:
        form = (await visit.get("/rules/new")).html
    shown = {one.get("name"): list(one.iter("option")) for one in form.iter("select")}
    for name, option in RULE_OPTIONS.items():
        if not option.meanings:
            continue
        typed = [one.get("value", "") for one in shown[name][1:]]
        said = [one.text or "" for one in shown[name][1:]]
        assert {*option.kind.words} <= {*typed}
        assert not {*option.kind.words} & {*said}
        assert "_" not in "".join(said)
        assert all(
            option.fits(option.kind.value(one, lambda text: text.split(","))) for one in typed
        )


def test_all_questions_of_rules_are_in_the_language_of_whoever_is_asked() -> None:
    def asked() -> list[str]:
        options = RULE_OPTIONS.values()
        meanings = [say(one) for option in options for one in option.meanings.values()]
        return [option.question for option in options] + meanings

    for english, german in zip(asked(), said_in(language("de"), asked), strict=True):
        assert english != german or not re.search("[A-Za-z]", english), english


async def test_rules_without_a_name_or_with_an_odd_one_are_refused(visit: Visit) -> None:
    form = (await visit.get("/rules/new")).form("/rules/new")
    for name in ("", "new", "<b>", "a" * 60, "x base:kcd"):
        seen = await visit.post("/rules/new", {**form, "base": "classic", "name": name})
        assert seen.status == 400, name
        check_sound(seen, "en")
    assert (await visit.post("/rules/new", {**form, "token": "x"})).status == 403


async def test_rules_are_found_by_what_they_say(visit: Visit) -> None:
    found = await visit.get("/rules?find=three+pairs+750")
    names = [urlsplit(one).path for one in found.links if "/rules/" in one]
    known = find_rules([load_rules(name) for name in preset_names()], "three pairs 750").rules
    assert [one.removeprefix("/rules/") for one in names] == ["new", *(one.name for one in known)]
    nothing = await visit.get("/rules?find=xyzzy")
    assert "No rule set says" in nothing.words
    assert [one for one in nothing.links if "/rules/" in one] == [f"{visit.base}rules/new"]
