from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.languages import language
from solver.errors import InvalidRequestError
from solver.named.badges import read_badge, read_badges
from solver.named.catalogue import Tier
from solver.rules.file import load_rules
from solver.wording import said_in


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
        ("carpenter", r"nobody knows .* \(sources guess 150, 200\): say it, as in carpenter:150"),
        ("headstart:0", "nobody knows how many points Headstart is"),
        ("warlord", "Warlord is used up in a game, and that cannot be computed yet"),
        ("emporer", 'there is no badge called "emporer"; did you mean emperor'),
        ("advantage:150", "may be carpenter or executioner or priest"),
        ("silver emperor", "there is no badge Emperor of silver"),
        ("emperor:5", "Emperor is written emperor"),
    ],
)
def test_refusals(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRequestError, match=sentence):
        read_badge(text)


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
    with suppress(InvalidRequestError):
        found = read_badge(text)
    assert found is None or read_badge(found.text) == found
