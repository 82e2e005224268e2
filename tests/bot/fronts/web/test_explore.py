"""Positions passed on, walked through and clicked at in maps, and answers as files."""

import csv
import io
import re
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest

from tests.bot.fronts.web.visiting import Visit


def svg_size(text: str) -> list[str]:
    """The sides of an SVG that can be read."""
    picture = ET.fromstring(text)  # noqa: S314 - it is our own
    assert picture.tag.endswith("svg")
    return picture.get("viewBox", "").split()[2:]


async def test_a_position_is_sent_to_somebody_by_its_id(visit: Visit) -> None:
    seen = await visit.get("/?dice=653332")
    [link] = {one for one in seen.links if "/p/" in one}
    shown = await visit.get(link)
    assert "51.10 %" in shown.words
    [preview] = re.findall(r'og:image" content="([^"]+)"', shown.text)
    drawn = await visit.get(preview)
    assert drawn.headers["Content-Type"] == "image/png"


async def test_a_link_to_a_position_shows_its_picture(visit: Visit) -> None:
    for path in ("/api/v1/advise?dice=653332", "/api/v1/odds?turn=350&dice=2"):
        found = (await visit.json(path))["id"]
        seen = await visit.get(f"/p/{found}")
        [preview] = re.findall(r'og:image" content="([^"]+)"', seen.text)
        drawn = await visit.get(preview)
        assert drawn.headers["Content-Type"] == "image/png"
    assert "og:image" not in (await visit.get("/p/CZT1-7YZ9-SYQ")).text


async def test_an_answer_is_a_table_for_spreadsheets(visit: Visit) -> None:
    seen = await visit.get("/points?rules=classic")
    [link] = [one for one in seen.links if ".csv" in one]
    table = await visit.get(link)
    assert table.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    data = await visit.json("/api/v1/points?rules=classic")
    told = [(row["dice"], row["turn_total"]) for row in rows]
    assert told == [(str(one["dice"]), str(one["turn_total"])) for one in data["bank_from"]]
    rows = list(csv.DictReader(io.StringIO((await visit.get("/advise.csv?dice=653332")).text)))
    options = (await visit.json("/api/v1/advise?dice=653332"))["options"]
    chances = [float(row["win_probability"]) for row in rows]
    assert chances == [one["win_probability"] for one in options]
    assert (await visit.get("/advise.csv?dice=9")).status == 400
    assert (await visit.get("/play.csv")).status == 404


async def test_a_click_in_a_map_leads_to_that_position(visit: Visit) -> None:
    seen = await visit.get("/explore?me=1000&them=2000&rules=kcd")
    [turn, win, _] = [one for one in seen.links if "/at/" in one]
    # the cell of 3 dice and about the middle of the turn totals
    led = await visit.get(f"{turn}?160,200")
    asked = parse_qs(urlsplit(led.url).query)
    assert asked["dice"] == ["3"]
    assert 200 < int(asked["turn"][0]) < 3000
    assert (asked["me"], asked["them"]) == (["1000"], ["2000"])
    # to the right my score is higher, upwards theirs
    where = [parse_qs(urlsplit((await visit.get(f"{win}?{xy}")).url).query) for xy in _CORNERS]
    mine, theirs = ([int(one[name][0]) for one in where] for name in ("me", "them"))
    assert mine[0] < mine[1] - 1000
    assert theirs[0] > theirs[1] + 1000
    for odd in ("0,0", "9999,9999", "x", "", "1,-1"):
        assert (await visit.get(f"{win}?{odd}")).status == 200


_CORNERS = ("70,110", "300,300")


async def test_scores_are_told_by_sliders(visit: Visit) -> None:
    seen = await visit.get("/explore?me=1000&them=2000&rules=kcd")
    sliders = {
        one.get("name"): one for one in seen.html.iter("input") if one.get("type") == "range"
    }
    assert {name: one.get("value") for name, one in sliders.items()} == {
        "me": "1000",
        "them": "2000",
    }
    assert sliders["me"].get("max") == "3950"
    # of several players there are several scores
    seen = await visit.get("/explore?me=1000&them=2000,500&rules=kcd")
    assert not [one for one in seen.html.iter("input") if one.get("type") == "range"]


async def test_steps_lead_on(visit: Visit) -> None:
    seen = await visit.get("/explore?turn=350&dice=2&me=4200&them=5000")
    [link] = [one for one in seen.links if "turn=350" in one and "me=5200" in one]
    assert "you 5,200, them 5,000, turn total 350" in (await visit.get(link)).words


@pytest.mark.parametrize("look", ["light", "dark"])
async def test_a_turn_is_drawn(visit: Visit, look: str) -> None:
    drawn = await visit.get(f"/explain.svg?turn=350&dice=2&look={look}&lang=de")
    assert drawn.headers["Content-Type"] == "image/svg+xml"
    assert svg_size(drawn.text)
    assert (await visit.get("/explain.svg?look=loud")).status == 404


@pytest.mark.slow
async def test_maps_are_drawn(visit: Visit) -> None:
    for kind in ("win", "border"):
        drawn = await visit.get(f"/map/{kind}.svg?rules=classic&look=dark")
        assert svg_size(drawn.text)


async def test_pictures_of_rules_that_may_change_are_not_kept(visit: Visit) -> None:
    picture = "/explain.svg?turn=350&dice=2"
    assert "max-age" in (await visit.get(picture)).headers["Cache-Control"]
    await visit.post("/stats", (await visit.get("/stats")).form("/stats"))
    assert "max-age" not in (await visit.get(picture)).headers["Cache-Control"]
