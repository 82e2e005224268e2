"""Rule sets that differ in one option, from words."""

import pytest

from bot.services.comparing import as_they_are, variations
from solver.errors import FarkleError
from solver.rules.file import load_rules
from tests.conftest import variant

KCD = load_rules("kcd")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("goal=1000..4000", ["1000", "1500", "2000", "2500", "3000", "3500", "4000"]),
        ("goal=1000..10000", [str(goal) for goal in range(1000, 10001, 1000)]),
        ("goal=1000..2000:500", ["1000", "1500", "2000"]),
        ("goal:1000..1900:500", ["1000", "1500"]),
        ("goal = 2000,1000", ["2000", "1000"]),
        ("goal=1000..1200", ["1000", "1050", "1100", "1150", "1200"]),
        ("hot_dice=optional,forced", ["optional", "forced"]),
        ("Hot-Dice=no_bank", ["no_bank"]),
        ("hot-dice-bonus=500,1000|none", ["500,1000", "none"]),
        ("dice=4..6", ["4", "5", "6"]),
        ("farkle_penalty=3x1000,none", ["3x1000", "none"]),
    ],
)
def test_values_one_after_the_other(text: str, values: list[str]) -> None:
    assert [one.value for one in variations([KCD], text)] == values


def test_only_the_option_is_changed() -> None:
    one, other = variations([KCD, load_rules("classic")], "goal=2000")
    assert one.rules.digest == variant("kcd", goal=2000).digest
    assert other.rules.digest == variant("classic", goal=2000).digest
    assert (one.base, one.option, one.value) == ("kcd", "goal", "2000")
    assert [(one.option, one.rules) for one in as_they_are([KCD])] == [(None, KCD)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("goal", 'as in goal=1000..10000 or hot-dice=optional,forced, not "goal"'),
        ("=1000", "an option and its values"),
        ("goal=", "an option and its values"),
        ("gaol=1000", 'unknown option "gaol"; did you mean goal?'),
        ("goal=5000..1000", "a range goes up"),
        ("goal=1000..5000:0", "a range goes up"),
        ("goal=50..10000:50", "at most 50 values are compared, not 200"),
        ("goal=1..999999999:1", "at most 50 values are compared, not 999,999,999"),
        ("hot-dice=1..3", 'hot-dice: takes optional, no_bank or forced, not "1"'),
        ("goal=1000..1030:10", "goal: 1010 is not a multiple of 50"),
        ("goal=1000,many", 'goal: takes a whole number, not "many"'),
    ],
)
def test_what_cannot_be_varied_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(FarkleError) as caught:
        variations([KCD], text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
