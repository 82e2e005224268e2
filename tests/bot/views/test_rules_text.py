import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.languages import language
from bot.views.library import diff_data, diff_text
from bot.views.rules_text import SOURCES, rules_text, title_text
from solver.errors import InvalidRulesError
from solver.rules.file import load_rules, make_rules, preset_names
from solver.rules.ruleset import OPTIONS, Ruleset, Scoring
from solver.wording import said_in
from tests.conftest import variant

LISTED = Ruleset(
    name="all",
    goal=20000,
    goal_must_be="exceeded",
    minimum_bank=300,
    opening_minimum=1000,
    minimum_binds_win=False,
    set_aside_all=True,
    hot_dice="forced",
    hot_dice_bonus=(500, 1000, 1500),
    farkle_keeps_turn_total=True,
    farkle_penalty={"in_a_row": 2, "points": 1000},
    instant_win=("xxxxxx", "211"),
    lose_everything=("2222",),
    ending="equal_turns",
    ties="played_on",
    scoring={
        "more_of_a_kind": "doubling",
        "four_of_a_kind": (0, 50, 50, 50, 50, 1000),
        "straight_1_6": 2500,
        "straight_1_5": 500,
        "straight_2_6": 750,
        "three_pairs": 1500,
        "three_pairs_include": ("four_and_two", "six_of_a_kind"),
        "four_and_two": 1400,
        "two_triplets": 2550,
        "nothing": 550,
    },
)


def every_option() -> Ruleset:
    """Rules in which nearly every option has another value than the simplest, new ones that of
    their example.
    """
    data = LISTED.model_dump(exclude_unset=True)
    usual = {"dice", "score_floor", "single", "three_of_a_kind", "five_of_a_kind", "six_of_a_kind"}
    # these exclude others, and are tried alone
    usual |= {"beyond_goal", "take_over", "take_over_from", "take_over_dice", "nothing_when"}
    usual |= {"rounds", "hot_dice_times", "throws", "final_throws", "beat_previous_turn"}
    usual |= {"held_sets", "combine_throws", "fill_straight"}
    for key, option in OPTIONS.items():
        if option.example and key not in usual:
            place = data["scoring"] if len(option.place) > 1 else data
            place.setdefault(key, option.kind.value(option.example, lambda text: text.split(",")))
    return Ruleset.model_validate(data)


EVERY_OPTION = every_option()


def flat(text: str) -> str:
    """Text without its line breaks and columns."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_explained_in_79_columns(name: str) -> None:
    text = rules_text(load_rules(name))
    assert max(map(len, text.splitlines())) <= 79
    assert "_" not in text


def test_a_rule_set_is_explained() -> None:
    text = flat(rules_text(load_rules("facebook")))
    assert "A turn Every turn begins with all dice and no points. When all dice" in text
    assert "The end The goal is 10,000 points." in text
    assert "twos - 200 400 600 800" in text
    assert "three pairs 750" in text
    assert "A turn total of 300 or more may be banked. The minimum also applies to a bank" in text
    assert "The third farkle in a row costs 500 points, and the count starts again." in text
    assert "The goal is 10,000 points. A bank that reaches the goal wins at once." in text
    assert "6 dice 5 dice 4 dice 3 dice 2 dice 1 die 2.31 % 7.72 %" in text


@pytest.mark.parametrize(
    ("penalty", "said"),
    [
        (
            {"in_a_row": 3, "points": 500, "then": "goes_on"},
            "The third farkle in a row costs 500 points, and so does every further one in a row.",
        ),
        (
            {"in_a_row": 1, "points": 500, "when": "all_dice"},
            "Every farkle of all dice costs 500 points.",
        ),
        (
            {"in_a_row": 2, "points": "everything", "when": "first_throw"},
            "The second farkle in a row takes a score above 0 down to 0, and the count starts"
            " again. Only farkles on the first throw of a turn count for that; any other starts the"
            " count again.",
        ),
    ],
)
def test_penalties_are_explained(penalty: dict[str, Any], said: str) -> None:
    assert said in flat(rules_text(variant("classic", farkle_penalty=penalty)))


def test_every_option_is_said() -> None:
    text = flat(rules_text(EVERY_OPTION))
    for words in (
        "ones 100 1,000 - 4,000 8,000",
        "twos - 200 50 800 1,600",
        "sixes - 600 1,000 2,400 4,800",
        "1 2 3 4 5 6 2,500",
        "1 2 3 4 5 500",
        "2 3 4 5 6 750",
        "three pairs 1,500",
        "four of a kind and a pair 1,500",
        "two triplets 2,550",
        "six dice without any score 550",
        "Every die that scores must be set aside",
        "all must be rolled again; you cannot bank, and if all dice of a roll score, all must be",
        "500 the first time, 1,000 the second time in a turn, and 1,500 from the third time on",
        "A player's first bank must be at least 1,000",
        "Once on the board, a player may bank a turn total of 300 or more.",
        "A bank that reaches the goal needs no minimum.",
        "A roll of fewer than 6 dice in which nothing scores is a farkle: it ends the turn, but"
        " the turn total is banked if it could have been banked before the roll.",
        "The second farkle in a row costs 1,000 points",
        "For the chances, a score below -5,000 counts as -5,000.",
        "A roll with 1 1 2 or six of a kind wins the game at once.",
        "A roll with four or more 2s loses everything",
        "The goal is more than 20,000 points.",
        "Both players get the same number of turns",
        "until one of them scores more than the other. In these turns, farkles cost nothing, the"
        " minimum applies unless the bank wins and a roll that loses everything loses the game.",
        "Dice set aside count as the combinations that are worth most: 5 5 5 5 is worth 550",
    ):
        assert words in text


COMBINED = variant(
    "classic",
    scoring={
        "combination": [
            {"dice": "aaabb", "points": 250},
            {"dice": "22233", "points": 700},
            {"dice": "a6666", "points": (0, 0, 0, 0, 900, 0)},
            {"dice": "aabb", "points": "sum"},
            {"dice": "55", "points": 150},
        ]
    },
)


def test_combinations_are_explained_in_words() -> None:
    text = flat(rules_text(COMBINED))
    for words in (
        "one two three",
        "fives 50 150 500",
        "three of a kind and a pair 250",
        "2 2 2 3 3 700",
        "5 6 6 6 6 900",
        "two pairs: the sum of the faces, at most 22",
        "Where the same dice have two prices, the dearer counts.",
    ):
        assert words in text
    assert "1 6 6 6 6" not in text
    german = flat(said_in(language("de"), rules_text, COMBINED))
    assert "Dreierpasch und ein Paar 250" in german
    assert "zwei Paare: die Summe der Augen, höchstens 22" in german
    found = diff_data(load_rules("classic"), COMBINED)
    assert {"dice": "three of a kind and a pair", "a": 0, "b": 250} in found["scoring"]
    assert found == said_in(language("de"), diff_data, load_rules("classic"), COMBINED)


def test_keys_and_the_combinations_they_stand_for_play_the_same() -> None:
    short = variant("classic", scoring={"four_and_two": 800})
    long = variant("classic", scoring={"combination": [{"dice": "bbaaaa", "points": 800}]})
    assert diff_text(short, long, ("a", "b")) == "a and b play the same."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"confirm_faces": ("1", "5")}, "by a die of a further roll that shows 1 or 5."),
        ({"confirm_points": 100}, "by 100 points of further rolls, of one or several."),
    ],
)
def test_that_only_hot_dice_are_confirmed_is_explained(changes: dict[str, Any], said: str) -> None:
    text = flat(rules_text(variant("classic", hot_dice="no_bank", **changes)))
    assert "Hot dice have to be confirmed before you can bank, " + said in text
    assert "too" not in text.split("A turn ")[1].split("The end")[0]


def test_what_two_alone_can_play_is_said() -> None:
    assert "Two players, 6 dice." in rules_text(variant("classic", ending="defended"))
    assert "Two players or more, 6 dice." in rules_text(variant("classic", ending="final_turn"))


OTHERWISE: dict[str, dict[str, Any]] = {
    "dice": {"dice": 5, "instant_win": ()},
    "goal": {"goal": 15_000},
    "ending": {"ending": "at_once", "ties": "earlier", "final_throws": 0},
    "score_floor": {"score_floor": -2000},
    "four_and_two": {"four_and_two": 1600},
    "nothing_when": {"nothing_when": "first_throw"},
    "farkle_penalty": {"farkle_penalty": {"in_a_row": 3, "points": 1000}},
    "single": {"single": (100, 0, 0, 0, 0, 0)},
    "three_of_a_kind": {"three_of_a_kind": (1000, 200, 300, 400, 500, 650)},
    "five_of_a_kind": {"five_of_a_kind": 5000},
    "six_of_a_kind": {"six_of_a_kind": 6000},
    "hot_dice": {"hot_dice": "optional", "confirm_faces": (), "confirm_points": 0},
    "beyond_goal": {
        "beyond_goal": "back",
        "throws": 0,
        "goal_must_be": "exact",
        "ending": "at_once",
        "final_throws": 0,
        "ties": "earlier",
    },
    "jokers": {"jokers": (), "joker_alone": False},
}
"""What else to say of an option than its default."""


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize("key", [*Ruleset.model_fields, *Scoring.model_fields])
def test_every_option_makes_a_difference(key: str) -> None:
    """A new option has to be explained."""
    if key in {"name", "title", "source", "scoring"}:
        return
    model = Ruleset if key in Ruleset.model_fields else Scoring
    changes: dict[str, Any] = OTHERWISE.get(key, {key: model.model_fields[key].default})
    every = EVERY_OPTION
    if key.startswith("take_over"):
        every = variant("classic", take_over="banked")
        changes = {key: {"take_over": "lost", "take_over_from": 50, "take_over_dice": 2}[key]}
    elif key == "fill_straight":
        every, changes = variant("facebook"), {key: 1}
    elif key in {"beat_previous_turn", "combine_throws", "held_sets"}:
        every = variant("classic")
        changes = {key: "linear" if key == "held_sets" else True}
    elif key in (one := {"rounds": 4, "hot_dice_times": (2, 3), "throws": 3, "final_throws": 1}):
        every = variant("classic", ending="final_turn" if key == "final_throws" else "at_once")
        changes = {key: one[key]}
    data: dict[str, Any] = every.model_dump()
    if key == "rounds":
        del data["goal"], data["ties"]
    place: dict[str, Any] = data if model is Ruleset else data["scoring"]
    place.update(changes)
    assert rules_text(Ruleset.model_validate(data)) != rules_text(every)


def test_what_does_not_apply_is_not_mentioned() -> None:
    text = rules_text(load_rules("classic"))
    for word in ("minimum", "in a row", "board", "bonus", "equal", "loses everything", "four "):
        assert word not in text
    two = rules_text(variant("facebook", title="", dice=2))
    assert "three" not in two.partition("A turn")[0]
    assert "1 2 3" not in two
    assert "no farkle" in rules_text(Ruleset(name="x", goal=500, scoring={"single": 50}))


@pytest.mark.parametrize("name", preset_names())
def test_rules_of_the_program_are_told_in_german(name: str) -> None:
    """Titles and sources, but for names of papers."""
    rules = load_rules(name)
    german = said_in(language("de"), rules_text, rules)
    assert german.startswith(said_in(language("de"), title_text, rules))
    assert rules.title
    source = german.rpartition("Quelle: ")[2]
    # papers keep their titles
    if rules.source in SOURCES or not re.match(r"M\. Busche|T\. Neller", source):
        assert not {"The", "at", "as", "scoring", "by", "for", "with"} & set(source.split())


def test_nothing_in_a_file_can_spoil_the_terminal() -> None:
    text = rules_text(variant("classic", title="a\n\x1b[31mb", source="\x07"))
    assert text.startswith("a ?[31mb\n")
    assert text.endswith("Source: ?")


def test_differences_are_said_option_by_option() -> None:
    text = flat(diff_text(load_rules("arnold"), load_rules("cardgames"), ("arnold", "cardgames")))
    assert "arnold: The goal is 10,000 points. cardgames: The goal is more than 10,000" in text
    assert "ties arnold: If the scores are equal" in text
    assert "cardgames: does not apply." in text
    assert text.endswith("four of a kind and a pair - 1,500")
    found = diff_data(load_rules("classic"), load_rules("facebook"))
    assert found["same_play"] is False
    assert {"option": "minimum_bank", "a": 0, "b": 300} in found["options"]
    assert {"dice": "1 1 1 1", "a": 1100, "b": 2000} in found["scoring"]
    assert not any(one["dice"] == "1 1 1" for one in found["scoring"])


def test_rules_that_play_the_same_are_told() -> None:
    classic = load_rules("classic")
    assert diff_text(classic, classic, ("a", "b")) == "a and b play the same."
    floor = variant("facebook", score_floor=-3000)
    found = diff_data(load_rules("facebook"), floor)
    assert found["same_play"] is True
    assert found["options"] == [{"option": "score_floor", "a": -2500, "b": -3000}]
    never_below = variant("facebook", score_floor=0)
    assert diff_data(load_rules("facebook"), never_below)["same_play"] is False
    written = variant("classic", opening_minimum=50)
    text = diff_text(classic, written, ("a", "b"))
    assert text.startswith("a and b play the same.\nThey are written differently")


MIXED = st.fixed_dictionaries(
    {},
    optional={
        "dice": st.integers(1, 6),
        "minimum_bank": st.sampled_from([0, 50, 300]),
        "opening_minimum": st.sampled_from([0, 50, 500]),
        "minimum_binds_win": st.booleans(),
        "goal_must_be": st.sampled_from(["reached", "exceeded"]),
        "set_aside_all": st.booleans(),
        "hot_dice": st.sampled_from(["optional", "no_bank", "forced"]),
        "hot_dice_bonus": st.lists(st.sampled_from([0, 500]), max_size=3),
        "farkle_keeps_turn_total": st.booleans(),
        "farkle_penalty": st.builds(
            lambda **penalty: penalty,
            in_a_row=st.integers(1, 5),
            points=st.sampled_from([500, "everything"]),
            then=st.sampled_from(["starts_again", "goes_on"]),
            when=st.sampled_from(["any", "first_throw", "all_dice"]),
        ),
        "instant_win": st.lists(st.sampled_from(["x" * 6, "1", "12"]), max_size=2),
        "lose_everything": st.lists(st.sampled_from(["22", "2"]), max_size=2),
        "ending": st.sampled_from(["at_once", "final_turn", "equal_turns"]),
        "ties": st.sampled_from(["earlier", "shared", "played_on"]),
        "scoring": st.fixed_dictionaries(
            {},
            optional={
                "more_of_a_kind": st.sampled_from(["none", "linear", "doubling"]),
                "four_of_a_kind": st.sampled_from([0, 1000]),
                "straight_1_5": st.sampled_from([0, 500]),
                "three_pairs": st.sampled_from([0, 500]),
                "three_pairs_include": st.lists(st.sampled_from(["four_and_two"]), max_size=1),
                "nothing": st.sampled_from([0, 500]),
            },
        ),
    },
)


@pytest.mark.slow
@settings(max_examples=60)
@given(MIXED, MIXED)
def test_any_rules_can_be_explained_and_compared(
    a: dict[str, object], b: dict[str, object]
) -> None:
    try:
        one, two = (make_rules({"name": "x", "goal": 10000, **data}, "x") for data in (a, b))
    except InvalidRulesError:
        return
    for rules in (one, two):
        assert max(map(len, rules_text(rules).splitlines())) <= 79
    text = diff_text(one, two, ("one", "two"))
    assert max(map(len, text.splitlines())) <= 79
    same = diff_data(one, two)["same_play"]
    assert same == text.startswith("one and two play the same.")
    if one.digest == two.digest:
        assert same
    if same:
        # nothing but the floor, or nothing at all
        assert re.sub(r"score floor\n.*\n.*", "", text).count("\n") <= 2
