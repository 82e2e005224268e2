"""Games in the browser: by links and forms alone, with friends, watched, and never by strangers."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.fronts.web.play import chosen
from bot.languages import language_codes
from bot.table import commands
from bot.table.fair_dice import Proof
from bot.table.fold import fold
from solver.rules.ruleset import Ruleset
from tests.bot.fronts.web.test_pages import check_sound
from tests.bot.fronts.web.visiting import Seen, Site, Visit, open_site

_MOST_MOVES = 400


async def begin(visit: Visit, **form: str) -> Seen:
    """A new game of tiny or other rules."""
    lobby = await visit.get("/play")
    given = {"level": "optimal", "name": "Ann", **lobby.form("/play"), **form}
    return await visit.post("/play", given)


async def press(visit: Visit, seen: Seen, *labels: str) -> Seen:
    """The table after the first button of these that can be pressed."""
    buttons = seen.buttons()
    found = (value for label in labels for said, value in buttons.items() if label in said)
    chosen = next(found)
    form = seen.form("/game/")
    return await visit.post(re.sub(r"\?.*", "", seen.url), {**form, "press": chosen})


def picks(seen: Seen) -> list[str]:
    """Links that choose dice, those of most first: one die may score among others alone."""
    found = [one for one in seen.links if "mask=" in one and "ask=" not in one.split("mask=")[0]]
    return sorted(found, key=lambda one: -int(re.findall(r"mask=(\d+)", one)[0]).bit_count())


async def play_on(visit: Visit, seen: Seen, code: str) -> Seen:
    """The end of a game of somebody who banks as soon as may be."""
    words = {"en": ("Bank", "Roll"), "de": ("ichern", "werfen")}[code]
    for _ in range(_MOST_MOVES):
        check_sound(seen, code)
        if "/review" in seen.text:
            return seen
        if not any(word in said for word in words for said in seen.buttons()):
            seen = await visit.get(picks(seen)[0])
        seen = await press(visit, seen, *words)
        assert seen.status == 200, seen.words
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("code", language_codes())
async def test_a_game_to_its_end_and_its_review(site: Site, code: str) -> None:
    async with site.visitor(code) as visit:
        seen = await begin(visit, level="cautious", rules="kcd", goal="500", name="Änn")
        assert "Änn" in seen.words
        over = await play_on(visit, seen, code)
        assert "★" in over.words
        [game] = re.findall(r"/game/(\w+)", over.url)
        review = await visit.get(f"/game/{game}/review")
        check_sound(review, code)
        assert "100" in review.words
        assert " text " not in review.words
        rows = [len(one) for one in review.html.iter("tr")]
        assert len(rows) > 5
        assert set(rows) == {3}
        proof = Proof.model_validate_json(json.dumps(await visit.json(f"/game/{game}/proof.json")))
        assert proof.game == game
        drawn = await visit.get(f"/game/{game}/chart.svg?look=dark")
        assert drawn.status in {200, 404}  # a game of one turn has no chart
        assert game in (await visit.get("/play")).text
        again = await press(visit, over, {"en": "Rematch", "de": "Revanche"}[code])
        assert again.url != over.url
        assert "Änn" in again.words


@pytest.fixture
async def both(site: Site) -> AsyncIterator[tuple[Visit, Visit]]:
    """Two people, each with a browser."""
    async with AsyncExitStack() as stack:
        yield (
            await stack.enter_async_context(site.visitor()),
            await stack.enter_async_context(site.visitor()),
        )


async def test_a_friend_joins_by_the_link_and_others_watch(
    site: Site, both: tuple[Visit, Visit]
) -> None:
    ann, bob = both
    seen = await begin(ann, level="", rules="facebook")
    [link] = [one.get("value") for one in seen.html.iter("input") if one.get("id") == "f-link"]
    assert link == re.sub(r"\?.*", "", seen.url)
    offered = await bob.get(link)
    assert list(offered.buttons()) == ["Join"]
    joined = await press(bob, await bob.get(link), "Join")
    assert "Guest" in joined.words
    # it is for her to start, and he sees no button of hers
    assert not {"Roll 6 dice", "Start"} & joined.buttons().keys()
    rolled = await press(ann, await ann.get(link), "Start", "Roll 6 dice")
    async with site.visitor("de") as carl:
        watched = await carl.get(link)
        assert watched.buttons() == {}
        assert picks(watched) == []
        assert "http-equiv" in watched.text
        check_sound(watched, "de")
    # a press of hers is refused where he sends it
    seen = await ann.get(picks(rolled)[0])
    [value, *_] = [v for k, v in seen.buttons().items() if k.startswith(("Roll", "Bank"))]
    form = (await bob.get(f"{link}?sure=resign")).form("/game/")
    refused = await bob.post(link, {**form, "press": value})
    assert refused.status == 400
    assert "turn, not yours" in refused.words
    version = await bob.json(f"{link}/version")
    assert version["version"] > 2


async def test_a_second_press_of_the_same_button_does_nothing_more(visit: Visit) -> None:
    seen = await begin(visit)
    [value] = [v for k, v in seen.buttons().items() if k.startswith("Roll")]
    form = {**seen.form("/game/"), "press": value}
    first = await visit.post(seen.url, form)
    second = await visit.post(seen.url, form)
    [name] = set(re.findall(r"Guest \d+", first.words))
    # after a farkle the bot has rolled as well
    assert first.words.count(f"{name} rolls") == second.words.count(f"{name} rolls") == 1


async def test_hints_and_why_are_asked_by_link(visit: Visit) -> None:
    seen = await press(visit, await begin(visit), "Roll")
    [hint] = [one for one in seen.links if "ask=hint" in one]
    told = await visit.get(hint)
    # after a farkle, one in forty, the bot has played and nothing is rolled yet
    assert re.search(r"Keep [\d ]+ and|Roll or bank", told.words)
    [details] = [one for one in seen.links if "ask=details" in one]
    assert "SHA-256" in (await visit.get(details)).words


async def test_to_resign_is_asked_back(visit: Visit) -> None:
    seen = await press(visit, await begin(visit), "Roll")
    [link] = [one for one in seen.links if "sure=resign" in one]
    asked = await visit.get(link)
    assert "Give the game up?" in asked.words
    assert "Optimal bot wins" in (await press(visit, asked, "Yes")).words


async def test_forged_forms_are_refused(site: Site, both: tuple[Visit, Visit]) -> None:
    ann, eve = both
    seen = await begin(ann)
    [value] = [v for k, v in seen.buttons().items() if k.startswith("Roll")]
    good = {**seen.form("/game/"), "press": value}
    others = (await eve.get("/play")).form("/play")["token"]
    for form, headers in (
        ({**good, "token": others}, {}),
        ({**good, "token": ""}, {}),
        ({"press": value}, {}),
        (good, {"Content-Type": "multipart/form-data"}),
        (good, {"Content-Type": "application/x-www-form-urlencoded; charset=odd"}),
        (good, {"Origin": "https://evil.example"}),
        (good, {"Sec-Fetch-Site": "cross-site"}),
    ):
        refused = await ann.post(seen.url, form, **headers)
        assert refused.status == 403
        assert "out of date" in refused.words
    # nothing has happened
    assert "rolls" not in (await ann.get(seen.url)).words
    # a cookie that this program has not signed is no one's
    [cookie] = [one.value for one in ann.session.cookie_jar]
    async with site.visitor() as other:
        for forged in (cookie[:-1] + ("0" if cookie[-1] != "0" else "1"), "\xe4.b.c", "a.b.\xe4"):
            shown = await other.get(seen.url, Cookie=f"farkle={forged}")
            assert shown.status == 200
            assert shown.buttons().keys() <= {"Join"}


async def test_a_form_whose_origin_is_kept_back_is_taken_from_here_alone(visit: Visit) -> None:
    """Chromium says "null" where a page wants no referrer to be told."""
    form = {**(await visit.get("/play")).form("/play"), "level": "cautious", "rules": "kcd"}
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        headers = {"Origin": "null", "Sec-Fetch-Site": site}
        assert (await visit.post("/play", form, **headers)).status == status


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=zap"]
)
async def test_what_is_no_form_is_refused_as_one(visit: Visit, kind: str) -> None:
    refused = await visit.post("/play", {"token": "x"}, **{"Content-Type": kind})
    assert refused.status == 403
    assert "out of date" in refused.words


@pytest.mark.slow
async def test_nothing_odd_that_is_sent_does_harm(visit: Visit) -> None:
    seen = await begin(visit)
    form, path = seen.form("/game/"), re.sub(r"\?.*", "", seen.url)
    [game] = re.findall(r"/game/(\w+)", path)
    for value in (
        "",
        "x",
        f"t:{game}:1:0:en:die1",
        f"t:{game}:1:0:en:zap",
        f"y:end:en:{game}:0",
        "t:ffff:1:0:en:roll",
        f"t:{game}:9:9:en:bot",
        "r:1:1:on",
        "\x00",
        "t" * 500,
    ):
        found = await visit.post(path, {**form, "press": value})
        assert found.status in {200, 400}, value
        check_sound(found, "en")
    assert (await visit.post(path, {**form, "press": "x" * 20_000})).status == 413
    for query in (
        "mask=99999&v=1",
        "mask=-1&v=1",
        "mask=\u0663&v=1",
        "since=999999999999",
        "since=-5",
        "ask=zap",
        "sure=zap",
        "v=x",
    ):
        assert (await visit.get(f"{path}?{query}")).status == 200, query
    assert (await visit.get("/game/ffffffff")).status == 404
    assert (await visit.get("/game/../../etc/passwd")).status == 404
    assert (await visit.get("/static/..%2fapp.py")).status == 404


def test_any_of_many_dice_can_be_chosen() -> None:
    rules = Ruleset(name="ten", dice=10, goal=2000)
    begun = commands.begin_game("g", rules, [None, None])
    game = fold(begun, commands.roll(fold(begun, []), 0, (1,) * 10))
    for mask in (1, 1 << 9, (1 << 10) - 1):
        assert chosen({"mask": str(mask), "v": str(game.version)}, game) == mask
    assert not chosen({"mask": "1", "v": "0"}, game)
    assert not chosen({"mask": "9" * 5000, "v": str(game.version)}, game)


async def test_games_of_other_fronts_are_not_shown(site: Site, visit: Visit) -> None:
    news = (await site.chat.first("/play level:cautious")).subject
    assert (await visit.get(f"/game/{news.table.game.id}")).status == 404


@pytest.mark.slow
async def test_rules_are_solved_before_a_game_of_them(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    opened = open_site(tmp_path, tmp_path / "strategies", needed=30)
    async with opened as site, site.visitor() as visit:
        seen = await begin(visit, rules="kcd", goal="500")
        for _ in range(200):
            if "/game/" in seen.url:
                break
            check_sound(seen, "en")
            assert "http-equiv" in seen.text
            seen = await visit.get(seen.url)
        assert "kcd-500 rules" in seen.words


@pytest.mark.slow
async def test_a_second_game_does_not_join_one_that_waits(tmp_path: Path, kernels: Path) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    opened = open_site(tmp_path, tmp_path / "strategies", needed=30)
    async with opened as site, site.visitor() as visit:
        first = await begin(visit, rules="kcd", goal="700")
        second = await begin(visit, rules="kcd", goal="500")
        for _ in range(400):
            if "/game/" in first.url and "/game/" in second.url:
                break
            first, second = await visit.get(first.url), await visit.get(second.url)
        assert "kcd-700 rules" in first.words
        assert "kcd-500 rules" in second.words


async def test_links_to_be_sent_are_those_of_the_proxy(data: Path, tmp_path: Path) -> None:
    address = "https://farkle.example"
    opened = open_site(tmp_path, data / "strategies", address=address)
    async with opened as site, site.visitor() as visit:
        form = {**(await visit.get("/play")).form("/play"), "rules": "kcd"}
        seen = await visit.post("/play", form, Origin=address)
        assert f"{address}/game/" in seen.text
        api = await visit.json("/api/v1/openapi.json")
        assert api["servers"] == [{"url": f"{address}/api/v1"}]


async def test_who_is_known_plays_on_after_a_restart(data: Path, tmp_path: Path) -> None:
    (tmp_path / "kernels").symlink_to(data / "kernels")
    async with open_site(tmp_path, data / "strategies") as site, site.visitor() as visit:
        seen = await begin(visit)
        [cookie] = [f"{one.key}={one.value}" for one in visit.session.cookie_jar]
    [game] = re.findall(r"/game/(\w+)", seen.url)
    async with open_site(tmp_path, data / "strategies") as site, site.visitor() as visit:
        again = await visit.get(f"/game/{game}", Cookie=cookie)
        assert any(one.startswith("Roll") for one in again.buttons())


async def test_questions_are_answered_alike_with_and_without_an_open_game(
    visit: Visit, site: Site
) -> None:
    begun = await begin(visit, level="cautious", rules="kcd", goal="500")
    assert "/game/" in begun.url
    async with site.visitor() as stranger:
        for address in (
            "/?dice=653332",
            "/explore?me=4000&them=5000",
            "/odds",
            "/api/v1/advise?dice=653332",
            "/api/v1/odds?turn=350&dice=2",
        ):
            mine, theirs = await visit.get(address), await stranger.get(address)
            assert mine.status == 200, mine.text
            assert "facebook" in mine.text
            # only the forms differ, by what shows whose they are
            assert re.sub("[0-9a-f]{32}", "", mine.text) == re.sub("[0-9a-f]{32}", "", theirs.text)
