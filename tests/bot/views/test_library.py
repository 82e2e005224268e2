"""Rule sets by what they say, and those most like others."""

from collections.abc import Callable

import pytest

from bot.languages import language
from bot.views.library import diff_data, find_rules, found_text, like_data, like_rules, like_text
from solver.errors import InvalidRequestError
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.wording import said_in
from tests.conftest import variant

KNOWN = [load_rules(name) for name in preset_names()]


def names(asked: str) -> list[str]:
    return [rules.name for rules in find_rules(KNOWN, asked).rules]


@pytest.mark.parametrize("asked", ["three pairs 750", "Drei Paare: 750", "three-pairs 750"])
def test_what_is_said_in_one_sentence_comes_first(asked: str) -> None:
    expected = {rules.name for rules in KNOWN if rules.scoring.three_pairs == 750}
    assert len(expected) == 5
    assert {*names(asked)[:5]} == expected


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("five dice", lambda rules: rules.dice == 5),
        ("fünf Würfel", lambda rules: rules.dice == 5),
        ("straight 2,000", lambda rules: rules.scoring.straight_1_6 == 2000),
        ("die Straße 2.000", lambda rules: rules.scoring.straight_1_6 == 2000),
        ("small straight 1000", lambda rules: rules.scoring.straight_1_5 == 1000),
        ("two triplets 2500", lambda rules: rules.scoring.two_triplets == 2500),
        ("four of a kind 1000", lambda rules: rules.combinations.get((5,) * 4) == 1000),
        ("three 1s 1100", lambda rules: rules.scoring.three_of_a_kind[0] == 1100),
        ("goal 3000", lambda rules: rules.goal == 3000),
        ("same number of turns", lambda rules: rules.ending == "equal_turns"),
        ("first bank 750", lambda rules: rules.opening_minimum == 750),
        ("third farkle costs 1000", lambda rules: rules.penalty_points == 1000),
        ("without any score 500", lambda rules: rules.scoring.nothing == 500),
        ("six of a kind wins game at once", lambda rules: "xxxxxx" in rules.instant_win),
        ("full house", lambda rules: rules.name == "full-house"),
    ],
)
def test_words_of_rules_are_found(asked: str, says: Callable[[Ruleset], bool]) -> None:
    expected = {rules.name for rules in KNOWN if says(rules)}
    assert expected
    # a title may say it of something else
    assert expected <= {*names(asked)[: len(expected) + 1]}


def test_titles_and_sources_are_found() -> None:
    assert names("koans") == ["ruby-koans"]
    assert names("zum Ausdrucken") == ["printable-10000"]
    assert "danish" in names("wikipedia")


def test_words_that_nobody_says_are_told() -> None:
    found = find_rules(KNOWN, "welfare three pairs 750")
    assert found.unknown == ("welfare",)
    assert found_text(found).startswith("No rule set says welfare.\n  ")
    assert [rules.name for rules in found.rules] == names("three pairs 750")
    for asked in ("welfare", "?!"):
        with pytest.raises(InvalidRequestError):
            find_rules(KNOWN, asked)


@pytest.mark.parametrize(
    ("asked", "lacks"),
    [
        ("no minimum", lambda rules: not rules.minimum_bank and not rules.opening_minimum),
        ("keine Mindestpunkte", lambda r: not r.minimum_bank and not r.opening_minimum),
        ("no three pairs", lambda rules: not rules.combinations.get((1, 1, 2, 2, 3, 3))),
        ("no penalty", lambda rules: not rules.farkle_penalty),
        (
            "no minimum no straight",
            lambda r: (
                not r.minimum_bank
                and not r.opening_minimum
                and not any(
                    r.combinations.get(tuple(range(k, k + 5 + n)))
                    for k in (1, 2)
                    for n in (0, 1)
                    if k + n < 3
                )
            ),
        ),
        ("goal 10000 no straight", lambda r: r.goal == 10000 and not r.scoring.straight_1_6),
    ],
)
def test_what_follows_a_no_is_lacking(asked: str, lacks: Callable[[Ruleset], bool]) -> None:
    assert {*names(asked)} == {rules.name for rules in KNOWN if lacks(rules)}


def test_what_fits_in_part_is_told_so_where_nothing_fits_whole() -> None:
    found = find_rules(KNOWN, "three pairs 750")
    assert {rules.scoring.three_pairs for rules in found.rules} == {750}
    assert not found_text(found).startswith("These fit in part")
    found = find_rules(KNOWN, "full house goal 3000")
    assert found_text(found).startswith("These fit in part:\n  full-house")


def test_where_nothing_says_all_most_of_it_is_found() -> None:
    assert names("nothing without any score 500 fünf Würfel")[0] == "zilch"


def test_many_are_cut_off() -> None:
    lines = found_text(find_rules(KNOWN, "goal")).splitlines()
    assert len(lines) == 16
    assert lines[-1] == f"and {sum(not one.rounds for one in KNOWN) - 15} more"
    assert max(map(len, lines)) <= 79


def test_the_nearest_differs_in_what_was_changed() -> None:
    mine = variant("facebook", goal=5000)
    first, *others = like_rules(mine, KNOWN)
    assert (first.rules.name, first.distance) == ("facebook", 0.5)
    assert all(near.distance > 0.5 for near in others)
    text = like_text([first])
    assert text.endswith("three farkles cost 500\n  goal: The goal is 10,000 points.")


def test_what_dice_are_worth_there_is_told() -> None:
    text = like_text(like_rules(load_rules("ten-thousand"), [load_rules("partygamecentral")]))
    assert text.endswith("\n  1 2 3 4 5 6: 1,500, not 2,000")
    text = like_text(like_rules(load_rules("patch"), [load_rules("pocketdice")]))
    assert "\n  1 1 1: 1,000, not 300\n  four of a kind and a pair: nothing, not 1,500" in text


def test_rules_that_play_the_same_are_nearest() -> None:
    mine = load_rules("kcd").model_copy(update={"name": "tavern"})
    assert like_rules(mine, KNOWN)[0].distance == 0
    assert "\n  plays the same.\n" in like_text(like_rules(mine, KNOWN))


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
def test_the_nearest_of_every_rule_set_are_told(code: str) -> None:
    for rules in KNOWN[::12]:
        nearest = like_rules(rules, KNOWN)
        distances = [near.distance for near in nearest]
        assert 0 < distances[0] <= distances[1] <= distances[2]
        text = said_in(language(code), like_text, nearest)
        assert max(map(len, text.splitlines())) <= 79
        for near, data in zip(nearest, like_data(nearest), strict=True):
            assert near.rules.name in text
            assert data["scoring"] == diff_data(rules, near.rules)["scoring"]
