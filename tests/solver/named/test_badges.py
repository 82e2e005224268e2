from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.languages import language
from solver.errors import InvalidDiceError, InvalidRequestError
from solver.named.badges import played_badges, read_badge, read_badges
from solver.named.catalogue import Tier, known_badges
from solver.named.sets import read_die
from solver.rules.file import load_rules
from solver.turn.powers import Power, PowerKind
from solver.wording import said_in

UNLIMITED = {"headstart", "formation", "triple", "defence"}
"""Kinds of badges that are not used up."""


@pytest.mark.parametrize(
    ("text", "combinations"),
    [
        ("emperor", {(1, 1, 1): 3000}),
        ("Kaiser", {(1, 1, 1): 3000}),
        ("tyche@all", {(6,) * 3: 1200, (6,) * 4: 2400, (6,) * 5: 4800, (6,) * 6: 9600}),
        ("Carpenter's advantage 150", {(3, 5): 150}),
        ("zimmermann:200", {(3, 5): 200}),
        ("executioner=250", {(4, 5, 6): 250}),
        ("gold priest:300", {(1, 3, 5): 300}),
        ("headstart:500", {}),
    ],
)
@pytest.mark.parametrize("code", ["en", "de"])
def test_badges_as_people_write_them(
    text: str, combinations: dict[tuple[int, ...], int], code: str
) -> None:
    found = read_badge(text)
    assert dict(found.combinations(load_rules("kcd"))) == combinations
    assert found.head_start == (500 if text.startswith("head") else 0)
    assert read_badge(said_in(language(code), lambda: found.text)) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "carpenter",
            r"nobody knows .* \(sources guess 150, 200\): say how many, as in carpenter:150",
        ),
        ("headstart:0", "nobody knows how many points Headstart brings"),
        (
            "warlord",
            "there is more than one .*: write tin-warlord, silver-warlord or gold-warlord",
        ),
        ("silver-resurrection:3", "silver-resurrection: the uses left are 0 to 2, not 3"),
        ("joker", "there is more than one .*: write tin-joker, silver-joker or gold-joker"),
        ("silver-warlord@triple", "with @triple; write warlord or warlord@start"),
        ("gold-fortune@start", "with @start; write fortune or fortune@farkle"),
        ("emperor+lucky", "Emperor does not add a die to a roll"),
        ("gold-might+lukcy", 'no die called "lukcy"; did you mean lucky'),
        ("emporer", 'there is no badge called "emporer"; did you mean emperor'),
        ("advantage:150", "could be carpenter, executioner or priest"),
        ("silver emperor", "there is no badge Emperor of silver"),
        ("gold-emperor:3", "Emperor takes no number: write emperor without :3$"),
    ],
)
def test_refusals(text: str, sentence: str) -> None:
    with pytest.raises((InvalidRequestError, InvalidDiceError), match=sentence):
        read_badge(text)


@pytest.mark.parametrize(
    ("text", "power", "left"),
    [
        ("tin-warlord", Power(PowerKind.WARLORD, amount=25), 1),
        ("gold Kriegsherr@start:0", None, 0),
        ("gold-warlord:0@start", Power(PowerKind.WARLORD, amount=100, at_start=True), 0),
        ("silber-auferstehung", Power(PowerKind.RESURRECTION, 2), 2),
        ("gold resurrection:1@once", Power(PowerKind.RESURRECTION, 3, once=True), 1),
        ("gold-might+lucky", Power(PowerKind.MIGHT, 3, die=read_die("lucky").die), 3),
        ("bird", Power(PowerKind.MIGHT, 2), 2),
        ("silver doppelganger", Power(PowerKind.DOPPELGANGER, 2), 2),
        ("gold-transmutation", Power(PowerKind.TRANSMUTATION, amount=1), 1),
        ("tin-fortune@farkle", Power(PowerKind.REROLL, amount=1, after_farkle=True), 1),
        ("Hochzeit", Power(PowerKind.REROLL, amount=3), 1),
        ("silver-joker", Power(PowerKind.TRANSMUTATION, 2, amount=0), 2),
        ("gold-warlord@triple", Power(PowerKind.WARLORD, amount=200), 1),
        ("silver-swap-out", Power(PowerKind.REROLL, amount=1), 1),
        ("gold swap-out", Power(PowerKind.REROLL, amount=2, alike=True), 1),
    ],
)
@pytest.mark.parametrize("code", ["en", "de"])
def test_badges_that_are_used_up(text: str, power: Power | None, left: int, code: str) -> None:
    if power is None:
        with pytest.raises(InvalidRequestError):
            read_badge(text)
        return
    found = read_badge(text)
    assert (found.power, found.uses_left) == (power, left)
    assert not found.combinations(load_rules("kcd"))
    assert read_badge(said_in(language(code), lambda: found.text)) == found


def test_defence_takes_all_or_one_use() -> None:
    held = ["gold-might", "gold-might:0", "headstart:500", "priest:300"]
    for text in held:
        badge = read_badge(text)
        assert played_badges(badge, read_badge("gold-defence")) == (None, None)
        mine, theirs = played_badges(badge, read_badge("gold-defence@use"))
        assert theirs is None
        assert mine == (read_badge("gold-might:2") if text == "gold-might" else badge)
        assert played_badges(None, badge) == (None, badge)


def test_every_badge_can_be_named() -> None:
    for badge in known_badges():
        points = f":{badge.points[0]}" if badge.points else ""
        found = read_badge(f"{badge.tier} {badge.name}{points}")
        assert found.badge == badge
        assert found.cancels == (badge.kind == "defence")
        assert bool(found.power) == (badge.kind not in UNLIMITED)


def test_badges_of_one_tier_meet() -> None:
    with pytest.raises(InvalidRequestError, match="emperor is gold, carpenter:150 is tin"):
        read_badges("emperor", "carpenter:150")
    one, other = read_badges("emperor", None)
    assert one is not None
    assert (one.tier, other) == (Tier.GOLD, None)
    assert None not in read_badges("emperor", "headstart:1000")


@given(st.text(max_size=30))
def test_any_text_is_a_badge_or_is_refused(text: str) -> None:
    found = None
    with suppress(InvalidRequestError, InvalidDiceError):
        found = read_badge(text)
    assert found is None or read_badge(found.text) == found
