"""Loaded dice and badges by tapping: who wins, what to keep, and games."""

import re

import pytest

from bot.fronts.web.kingdom import added, badge_rows, badge_word, taken_away
from bot.fronts.web.pages import key_of, set_text
from solver.named.badges import read_badge
from solver.named.catalogue import known_badges
from solver.named.sets import make_set, read_dice
from tests.bot.fronts.web.test_pages import check_sound
from tests.bot.fronts.web.test_play import begin, play_on
from tests.bot.fronts.web.visiting import Seen, Site, Visit

SETS = "my-dice=lucky*3,odd,ordinary*2&their-dice=weighted,ordinary*5&goal=600"


async def tapped(visit: Visit, seen: Seen, pattern: str) -> Seen:
    """The page behind the first link that is called so."""
    names = ((one.get("aria-label", ""), one.get("href", "")) for one in seen.html.iter("a"))
    found = next(address for name, address in names if re.search(pattern, name))
    answer = await visit.get(found)
    check_sound(answer, "en")
    return answer


def test_names_in_addresses_are_read_as_what_they_are() -> None:
    for badge in known_badges():
        for points in badge.points or (None,):
            read = read_badge(badge_word(badge, points))
            assert read.badge.kind == badge.kind
            assert read.badge.name == badge.name
            assert read.points == (points or None)
    dice = read_dice("lucky*2, three@release, 1:2:1:1:1:3, tengri@plain")
    assert make_set(read_dice(set_text(dice))) == make_set(dice)
    assert [key_of(one) for one in dice[1:3]] == ["lucky", "three@release"]


def test_a_die_is_taken_away_by_a_tap() -> None:
    taps = taken_away(read_dice("lucky*2,odd"), str)
    assert [tap.text for tap in taps] == ["lucky", "lucky", "odd"]
    assert [tap.address for tap in taps] == ["lucky,odd", "lucky,odd", "lucky*2"]
    assert taps[0].label == "Take away: Lucky Die"


def test_a_die_is_added_by_a_tap() -> None:
    taps = added(read_dice("lucky*2,odd"), 6, str)
    [odd] = [tap for tap in taps if tap.text == "odd"]
    assert odd.address == "lucky*2,odd*2"
    assert odd.label == "Odd die. 1: 27 %, 2: 7 %, 3: 27 %, 4: 7 %, 5: 27 %, 6: 7 %"
    assert all(tap.address for tap in added(read_dice("lucky*5"), 6, str))
    assert {tap.address for tap in added(read_dice("lucky*6"), 6, str)} == {""}


def test_badges_are_tapped_by_what_they_may_be_worth() -> None:
    taps = {tap.label: tap for _, _, tiers in badge_rows(str) for tap in tiers}
    assert len(taps) == sum(len(badge.points) or 1 for badge in known_badges())
    [emperor] = [tap for label, tap in taps.items() if label.startswith("Emperor, gold")]
    assert (emperor.address, emperor.text) == ("gold-emperor", "gold")
    assert any(tap.text.endswith(" points") for tap in taps.values())


async def test_dice_that_are_owned_are_not_taken(visit: Visit) -> None:
    seen = await visit.get("/kingdom?own=lucky*2&my-dice=odd*6&choose=own&goal=600")
    assert "Your dice" in seen.words
    assert "Take away: Odd die" not in seen.text
    assert "Take away: Lucky Die" in seen.text


@pytest.mark.slow
async def test_who_wins_is_said_once_six_dice_are_tapped(site: Site, visit: Visit) -> None:
    seen = await visit.get("/kingdom?goal=600")
    for name in ("Lucky", "Lucky", "Lucky", "Odd", "Ordinary", "Ordinary"):
        assert "You win" not in seen.words
        seen = await tapped(visit, seen, f"^{name}")
    said = await site.chat.say("/kcd my-dice:lucky*3,odd,ordinary*2 goal:600")
    [win] = re.findall(r"You win (\d+\.\d\d %)", said)
    while "http-equiv" in seen.text:
        seen = await visit.get(seen.url)
    assert f"You win {win}" in seen.words
    # there is no room for a seventh, and one is taken away by a tap
    assert not [one for one in seen.html.iter("a") if one.get("aria-label", "").startswith("Lucky")]
    fewer = await tapped(visit, seen, "^Take away: Odd")
    assert "1 more die" in fewer.words
    # every die has its chances in words
    assert "1: 27\N{NO-BREAK SPACE}%" in (await visit.get("/kingdom")).text


async def test_a_badge_is_tapped(visit: Visit) -> None:
    seen = await visit.get(f"/kingdom?{SETS}&choose=my-badge")
    seen = await tapped(visit, seen, "Emperor, gold")
    assert "Your badge: emperor" in seen.words


async def test_a_badge_is_called_as_the_reader_does(visit: Visit) -> None:
    seen = await visit.get("/kingdom?my-badge=tin-warlord&my-dice=odd&lang=de")
    assert "Dein Abzeichen: zinn-kriegsherr" in seen.words


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("my-dice=lucky*2,nonsense", 'There is no die called "nonsense"'),
        ("my-dice=lucky*2&their-dice=nonsense", 'There is no die called "nonsense"'),
        ("own=nonsense&my-dice=odd*6", 'There is no die called "nonsense"'),
        ("my-dice=lucky*7", "A set is 6 dice, not 7"),
        ("my-dice=odd*2&their-dice=lucky*8", "A set is 6 dice, not 8"),
        ("their-badge=nonsense", 'There is no badge called "nonsense"'),
    ],
)
async def test_what_is_not_known_is_said(given: str, said: str, visit: Visit) -> None:
    seen = await visit.get(f"/kingdom?{given}&goal=600")
    assert said in seen.words
    assert seen.status == 400


@pytest.mark.slow
async def test_the_best_six_of_those_one_owns_are_said(visit: Visit) -> None:
    seen = await visit.get("/kingdom?own=lucky*2&choose=own&goal=600")
    seen = await tapped(visit, seen, "^Odd")
    while "http-equiv" in seen.text:
        seen = await visit.get(seen.url)
    assert "ordinary*3,lucky*2,odd" in seen.words


async def test_a_roll_of_them_is_tapped(site: Site, visit: Visit) -> None:
    seen = await visit.get(f"/?{SETS}")
    for tap in ("5 lucky", "1 lucky", "1 odd", "3 ordinary", "3 ordinary", "6 lucky"):
        seen = await tapped(visit, seen, f"^Add a {tap}")
    while "http-equiv" in seen.text:
        seen = await visit.get(seen.url)
    roll = "5 lucky, 1 lucky, 1 odd, 3 3 ordinary, 6 lucky"
    said = await site.chat.say(f"/advise {roll} {SETS.replace('=', ':').replace('&', ' ')}")
    assert re.findall(r"\d+\.\d\d %", said)[0] in seen.words
    # what is typed in other ways is asked as well
    assert (await visit.get(f"/?{SETS}&dice=5+1+6+lucky,+1+odd,+3+3+ordinary")).status == 200
    assert (await visit.get(f"/?{SETS}&dice=9+lucky")).status == 400


async def test_a_game_of_them_is_played(visit: Visit) -> None:
    lobby = await visit.get(f"/play?{SETS}&rules=kcd")
    check_sound(lobby, "en")
    form = dict(re.findall(r'name="((?:my|their)-dice)"[^>]*value="([^"]+)"', lobby.text))
    assert form["my-dice"] == "lucky*3,odd,ordinary*2"
    seen = await begin(visit, level="cautious", rules="kcd", goal="600", **form)
    while "/play/begun" in seen.url:
        seen = await visit.get(seen.url)
    assert "★" in (await play_on(visit, seen, "en")).words
