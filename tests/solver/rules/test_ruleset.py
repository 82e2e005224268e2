import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import InvalidRulesError
from solver.game.solvable import unsolvable
from solver.rules.file import check_file, load_rules, preset_names, read_rules
from solver.rules.ruleset import (
    END_TOLD,
    OF_FARKLES,
    OF_GOAL,
    OF_TURN,
    OPTIONS,
    TURN_TOLD,
    Ruleset,
)
from solver.rules.scoring import SCORING_OPTIONS
from solver.turn.dice import all_set_asides, farkle_probability
from solver.turn.equations import turn_plan
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE, house_rules
from tests.usual import USUAL

CLASSIC = """
goal = 10000
[scoring]
single = [100, 0, 0, 0, 50, 0]
three_of_a_kind = [1000, 200, 300, 400, 500, 600]
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_presets_are_valid_and_carry_their_source() -> None:
    assert len(preset_names()) >= 40
    assert {*USUAL} < {*preset_names()}
    for name in preset_names():
        rules = load_rules(name)
        assert rules.name == name
        assert rules.title
        assert rules.source


def test_no_preset_is_another_again() -> None:
    """Not even with another goal: a position ID tells the goal where it is not the usual one."""
    known = {load_rules(name).digest_but_goal for name in preset_names()}
    assert len(known) == len(preset_names())


def test_no_roll_is_a_farkle_where_every_die_scores() -> None:
    """As counted over all rolls."""
    rules = [*map(load_rules, preset_names()), *(rules for _, rules in ONE_BY_ONE)]
    rules += [
        variant("classic", scoring={"single": 50}),
        variant("classic", instant_win=list("2346")),
    ]
    for one in rules:
        numbers = range(1, one.dice + 1)
        assert one.has_farkle == any(farkle_probability(one, number) for number in numbers)
    assert [one.has_farkle for one in rules[-2:]] == [False, False]


@pytest.mark.parametrize(
    ("name", "dice", "points"),
    [
        ("arnold", "1111", 1000),
        ("arnold", "222222", 3000),
        ("arnold", "123456", 2500),
        ("arnold", "112233", 1500),
        ("arnold", "222233", None),
        ("cardgames", "222233", 1500),
        ("dice-10000", "44444", 1600),
        ("dice-10000", "224466", 1000),
        ("facebook", "44444", 1200),
        ("farkle-games", "123456", 1000),
        ("farkle-games", "4444", None),
        ("kcd", "23456", 750),
        ("patch", "111", 300),
        ("patch", "222333", 2500),
        ("zilch", "222233", 1500),
        ("zilch", "223346", 500),
    ],
)
def test_presets_are_worth_what_the_table_of_rule_sets_says(
    name: str, dice: str, points: int | None
) -> None:
    assert load_rules(name).combinations.get(tuple(map(int, dice))) == points


def test_presets_end_as_the_table_of_rule_sets_says() -> None:
    assert load_rules("cardgames").winning_score == 10050
    at_once = [name for name in USUAL if load_rules(name).ending == "at_once"]
    assert at_once == ["cardgames", "classic", "facebook", "kcd"]
    costs = {name: load_rules(name).penalty_points for name in USUAL}
    assert costs["farkle-games"] == 1000
    assert {name for name, points in costs.items() if points == 500} == {
        "dice-10000",
        "facebook",
        "zilch",
    }


def test_every_option_is_asked_for_and_explained() -> None:
    asked = {"name", "title", "dice", *OF_GOAL, *OF_TURN, *OF_FARKLES, *SCORING_OPTIONS}
    told = {key for key, one in OPTIONS.items() if one.told or hasattr(Ruleset, f"_tell_{key}")}
    assert asked == {key for key, one in OPTIONS.items() if one.question} | {"farkle_penalty"}
    assert {"dice", *TURN_TOLD, *END_TOLD} == told


def test_scores_that_no_bank_may_leave() -> None:
    def barred(*some: Any, **more: Any) -> list[int]:
        return sorted(variant("classic", no_bank_at=some, **more).barred)

    assert barred("9900", 9800, goal_must_be="exact") == [9800, 9900]
    assert barred("9050-9950") == list(range(9050, 10000, 50))
    assert barred("*50") == list(range(50, 10000, 100))
    assert barred("9950-12000", goal_must_be="exceeded") == [9950, 10000]
    one, same = (variant("classic", no_bank_at=some) for some in (["9950"], ["9950-20000"]))
    assert one.digest == same.digest != variant("classic").digest


def test_rules_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        setattr(load_rules("classic"), "goal", 5)  # noqa: B010


def test_a_file_is_named_after_itself(tmp_path: Path) -> None:
    assert load_rules(write(tmp_path, CLASSIC)).name == "mine"


def test_digest_goes_by_what_decides_play(tmp_path: Path) -> None:
    classic = load_rules("classic")
    assert load_rules(write(tmp_path, CLASSIC)).digest == classic.digest
    assert variant("facebook", score_floor=-3000).digest == load_rules("facebook").digest
    digests = [
        classic.digest,
        variant("classic", goal=5000).digest,
        variant("classic", dice=5).digest,
        variant("classic", minimum_bank=300).digest,
        variant("classic", farkle_penalty={"in_a_row": 3, "points": 500}).digest,
        variant("classic", scoring={"single": (100, 0, 0, 0, 50, 50)}).digest,
        variant("classic", scoring={"more_of_a_kind": "linear"}).digest,
    ]
    assert len(set(digests)) == len(digests)


def test_keys_are_short_forms_of_combinations() -> None:
    """Rules that say in tables what keys stand for are the same to the digest."""
    usual = {"single": 0, "three_of_a_kind": 0}
    tables: dict[str, Any] = {
        "a": (100, 0, 0, 0, 50, 0),
        "aaa": (1000, 200, 300, 400, 500, 600),
        "bbbb": 2000,
        "aaaaa": (500, 1, 2, 3, 4, 5),
        "123456": 1500,
        "21345": 500,
        "aabbcc": 750,
        "bbaaaa": 800,
        "cccddd": 2500,
        "zzzzzz": 900,
    }
    said = [{"dice": dice, "points": points} for dice, points in tables.items()]
    short = variant(
        "classic",
        scoring={
            "four_of_a_kind": 2000,
            "five_of_a_kind": tables["aaaaa"],
            "six_of_a_kind": 900,
            "straight_1_6": 1500,
            "straight_1_5": 500,
            "three_pairs": 750,
            "nothing": 50,
            "four_and_two": 800,
            "two_triplets": 2500,
        },
    )
    long = variant("classic", scoring={**usual, "combination": said, "nothing": 50})
    assert long.digest == short.digest
    assert long.combinations == short.combinations


def test_the_dearest_of_several_prices_counts() -> None:
    prices = [("aabb", 100), ("1122", 300), ("a11", (0, 0, 0, 0, 70, 90)), ("66", 1)]
    said = [{"dice": dice, "points": points} for dice, points in prices]
    found = variant("classic", scoring={"combination": said, "three_of_a_kind": 0}).combinations
    assert [found.get(dice) for dice in ((1, 1, 2, 2), (1, 1, 3, 3), (6, 6))] == [300, 100, 1]
    assert (1, 1, 1) not in found
    assert [found.get((1, 1, face)) for face in (4, 5, 6)] == [None, 70, 90]


def test_point_step_follows_from_the_points() -> None:
    assert load_rules("facebook").point_step == 50
    scoring = {"single": (10, 0, 0, 0, 5, 0), "three_of_a_kind": (100, 20, 30, 40, 50, 60)}
    assert variant("classic", goal=1000, scoring=scoring).point_step == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("goal = 10000\ngaol = 5", 'unknown key "gaol"; did you mean goal?'),
        ("goal = 10000\n[scoring]\nthre_pairs = 1", "did you mean three_pairs"),
        ("goal = 10000\nfoo_bar = 1", "known are name, title"),
        ("minimum_bank = 300", 'the key "goal" is missing'),
        ("goal = 10010", "goal: 10010 is not a multiple of 50"),
        ("goal = 'many'", "goal: "),
        ("goal = 10000\ndice = 11", "dice: should be at most 10, not 11"),
        ("gaol = 5", 'unknown key "gaol"; did you mean goal?'),
        ("goal = true", "goal: should be a whole number, not true"),
        ("goal = -5", "goal: should be at least 1, not -5"),
        ("goal = 500\nminimum_bank = 1000", "minimum_bank: 1,000 is more than the goal of 500"),
        ("goal = 500\nscoring = 5", "scoring: should be a table, not 5"),
        ("goal = 500\n[scoring]\nsingle = [1, 2, 3, 4, 5, 6, 7]", "single: takes 6 numbers"),
        (
            "goal = 500\n[scoring]\nsingle = [-1, 0, 0, 0, 0, 0]",
            "the points for a 1 should be at l",
        ),
        ("goal = 500\n'a\\nb' = 1", "unknown key"),
        ("goal = " + "9" * 5000, "line 1: a number is too long"),
        ("goal = " + "[" * 5000, "line 1: this is nested more deeply"),
        ("goal = 10000\nscore_floor = -500", "no meaning without a farkle_penalty"),
        (
            "goal = 500\nthrows = 1\nending = 'final_turn'\nfinal_throws = 1",
            "final_throws: this has no meaning under throws = 1, where every turn is one throw",
        ),
        (
            "goal = 500\nthrows = 1\nhot_dice_times = [2]",
            "hot_dice_times: this has no meaning under throws = 1, where every turn is one throw",
        ),
        (
            "goal = 500\nhot_dice_times = [1, 1]",
            "hot_dice_times: points that always count once change nothing",
        ),
        (
            "goal = 500\ndice = 7\nheld_sets = 'linear'\nscoring.more_of_a_kind = 'none'",
            "line 3: held_sets: a set is held in games of at most 6 dice, as of more there could",
        ),
        (
            "goal = 500\nfill_straight = 1",
            "worth as much in every throw, as in straight_1_6 = 1500",
        ),
        (
            "goal = 500\nfirst_throw_tries = 0\n[farkle_penalty]\nin_a_row = 1\npoints = 50\n"
            "when = 'first_throw'",
            'line 6: farkle_penalty.when = "first_throw" has no meaning under first_throw_tries',
        ),
        (
            "goal = 500\ninstant_win = ['11']\n[[scoring.combination]]\ndice = '111'\n"
            "then = 'loses_turn'",
            'line 5: scoring.combination.then: this never counts, as what else a roll with "111"',
        ),
        (
            "goal = 500\nthrows = 2\nfarkle_penalty = {in_a_row=1, points=50, when='all_dice'}",
            "farkle_penalty.when: farkles that count are told apart",
        ),
        (
            "goal = 500\nfarkle_penalty = { in_a_row = 1, points = 50, then = 'goes_on' }",
            'farkle_penalty.then = "goes_on" has no meaning where every farkle costs points',
        ),
        ("goal = 10000\n[scoring]\nsingle = [1, 2]", "scoring.single"),
        ("goal = 10000\n[scoring]\nmore_of_a_kind = 'x'", "scoring.more_of_a_kind"),
        ("goal = ", "line 1: after = the value is missing"),
        ("goal = 500\n[scoring]\nsingle = 0", "line 2: scoring: where no single die scores, say"),
        ("goal = 500\nx = 1\ny = 2", 'unknown key "x"; known are'),
        ("goal = 500\nx = 1\ny = 2", "; 1 more complaint: farkle rules check /"),
        (
            "goal = 500\ndice = 2\n[scoring]\nsingle = [0, 0, 0, 0, 0, 0]",
            "no combination",
        ),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InvalidRulesError, match=re.escape(sentence)) as caught:
        load_rules(write(tmp_path, text))
    assert "mine.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_gets_near_matches() -> None:
    with pytest.raises(InvalidRulesError, match="did you mean facebook?"):
        load_rules("Facebok")
    with pytest.raises(InvalidRulesError, match="did you mean ruby-koans?"):
        load_rules("koans")
    with pytest.raises(InvalidRulesError, match='unknown rule set "zzz"; farkle rules lists them'):
        load_rules("zzz")


def test_an_unreadable_file_gets_a_reason(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match="No such file"):
        load_rules(str(tmp_path / "absent.toml"))
    with pytest.raises(InvalidRulesError, match="cannot be read"):
        read_rules(tmp_path)
    bom = tmp_path / "bom.toml"
    bom.write_text(CLASSIC, encoding="utf-8-sig")
    assert read_rules(bom).digest == load_rules("classic").digest
    odd = tmp_path / "jo's (2) rules.toml"
    odd.write_text(CLASSIC)
    assert read_rules(odd).name == "jo-s -2- rules"
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidRulesError, match="is text in UTF-16; save it as UTF-8"):
        read_rules(binary)
    binary.write_bytes(b"goal = 10000\n# gr\xfc\xdfe")
    with pytest.raises(InvalidRulesError, match="line 2 is not text in UTF-8"):
        read_rules(binary)


def findings(folder: Path, text: str) -> list[tuple[int, str]]:
    """Line and sentence of every complaint, which say nothing in pydantic's own words."""
    path = Path(write(folder, text))
    rules, found = check_file(path, unsolvable)
    assert bool(found) == (rules is None)
    for one in found:
        assert "\n" not in one.sentence
        assert "Input" not in one.sentence
        assert "something else" not in one.sentence
    return [(one.line, one.sentence) for one in found]


def test_everything_that_is_wrong_is_said_by_line(tmp_path: Path) -> None:
    text = """
    gaol = 5
    players = 3
    minimum_bank = 310
    ties = "shared"
    farkle_penalty = { in_a_row = 9 }
    [scoring]
    single = [
        100, 0, 0,
        0, "a", 0,
    ]
    goal = 10000
    straight_1_6 = -1
    """
    assert findings(tmp_path, text) == [
        (1, 'the key "goal" is missing'),
        (2, 'unknown key "gaol"; did you mean goal?'),
        (
            3,
            "players: how many play is no part of the rules: say it when you play, ask or solve;"
            " leave the key out",
        ),
        (
            5,
            'ties = "shared" has no meaning when the first to reach the goal wins at once;'
            ' it goes with ending = "final_turn", "equal_turns" or "defended", or with rounds',
        ),
        (6, "farkle_penalty.in_a_row: should be at most 5, not 9"),
        (6, 'the key "farkle_penalty.points" is missing'),
        (8, 'scoring.single: the points for a 5 should be a whole number, not "a"'),
        (12, 'unknown key "scoring.goal"; goal belongs above the first [table]'),
        (13, "scoring.straight_1_6: should be at least 0, not -1"),
    ]


def test_what_never_ends_is_put_down_to_its_line(tmp_path: Path) -> None:
    nothing = "three_of_a_kind = 0\n"
    text = f"goal = 500\ndice = 1\nhot_dice = 'no_bank'\n[scoring]\nsingle = 50\n{nothing}"
    ((line, sentence),) = findings(tmp_path, text)
    assert (line, sentence.endswith("so a turn never ends")) == (3, True)
    text = (
        f"goal = 500\ndice = 1\nthrows = 1\nminimum_bank = 100\n[scoring]\nsingle = 50\n{nothing}"
    )
    ((line, sentence),) = findings(tmp_path, text)
    assert (line, sentence.endswith("so nobody could ever win")) == (4, True)


def test_what_counts_in_the_first_throw_alone_may_be_all(tmp_path: Path) -> None:
    text = """
    goal = 500
    scoring.single = 0
    scoring.three_of_a_kind = 0
    scoring.combination = [{ dice = "123", points = 100, when = "first_throw" }]
    """
    assert findings(tmp_path, text) == []
    assert len(load_rules(str(tmp_path / "mine.toml")).digest) == 64


def test_what_another_roll_overrules_in_some_throws_counts_in_others(tmp_path: Path) -> None:
    text = """
    goal = 500
    scoring.combination = [
        { dice = "11", then = "loses_turn" },
        { dice = "11", then = "wins_game", when = "first_throw" },
    ]
    """
    assert findings(tmp_path, text) == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('jokers = ["6"]', 'unknown key "jokers"; jokers belongs under [scoring]'),
        ("scoring.jokers = '6'", "scoring.jokers: should be a list such as"),
        ("scoring.jokers = ['7']", 'scoring.jokers: should be one of "1", "2", "3", "4", "5", "6"'),
        (
            "scoring.joker_alone = true",
            "joker_alone: no face is a joker; it goes with jokers",
        ),
        (
            'dice = 1\nscoring.jokers = ["6"]',
            "jokers: a joker changes nothing of what dice are",
        ),
        ("loaded_dice = 'x'", "loaded_dice: which dice players bring is no part of the rules"),
        ("straight_1_6 = 5", 'unknown key "straight_1_6"; straight_1_6 belongs under [scoring]'),
        ("points = 5", 'unknown key "points"; points belongs under [farkle_penalty]'),
        ("loaded_dice = 0", "loaded_dice: which dice players bring is no part of the rules"),
        ("loaded_dice = {}", "loaded_dice: which dice players bring is no part of the rules"),
        ("title = 5", "title: should be text, not 5"),
        ("name = 'a/b'", 'name: should be 1 to 60 letters, digits, spaces and . + - _, not "a/b"'),
        ("set_aside_all = 1", "set_aside_all: should be true or false, not 1"),
        (
            "ending = 'x'",
            'should be one of "at_once", "final_turn", "equal_turns", "defended", not "x"',
        ),
        (
            "goal_must_be = [1]",
            'goal_must_be: should be one of "reached", "exceeded", "exact", not [1]',
        ),
        ("hot_dice_bonus = 500", "should be a list of numbers such as [500, 1000], not 500"),
        ("no_bank_at = 4900", 'should be a list such as ["4050-4950"], not 4900'),
        ("no_bank_at = ['4,900']", '"4,900" stands for no scores; "4900" is one'),
        ("hot_dice_bonus = [1, 'x']", 'number 2 should be a whole number, not "x"'),
        ("hot_dice_bonus = [1,1,1,1,1,1,1,1,1,1,1,1,1]", "takes at most 12 numbers, not 13"),
        ("instant_win = 'xxxxxx'", 'should be a list such as ["xxxxxx"], not "xxxxxx"'),
        ("instant_win = ['77']", 'instant_win: "77" is not a pattern of dice'),
        ("instant_win = [{}]", "instant_win: a table is not a pattern of dice"),
        ("dice = 3\nlose_everything = ['2222']", '"2222" needs 4 dice and there are 3'),
        ("farkle_penalty = 5", "farkle_penalty: should be a table, not 5"),
        (
            "farkle_penalty = { in_a_row = 3, points = 'all' }",
            'should be a whole number from 1 to 1000000 or "everything", not "all"',
        ),
        ("farkle_penalty = { in_a_row = 3, points = true }", 'or "everything", not true'),
        ("farkle_penalty = { in_a_row = 3, points = -1 }", 'or "everything", not -1'),
        ("[[scoring]]", "scoring: should be a table, not [a table]"),
        ("scoring.single = true", "takes 6 numbers, the points for the faces 1 to 6, or one"),
        ("scoring.four_of_a_kind = 2000000", "four_of_a_kind: should be at most 1000000, not 2"),
        ("scoring.three_pairs_include = ['six']", 'should be "four_and_two" or "six_of_a_kind"'),
        ("scoring.nothing = 2020-01-01", "should be a whole number, not 2020-01-01"),
        (f"dice = 0x{'f' * 5000}", "dice: should be at most 10, not a huge number"),
        ("scoring.combination = 5", "should be a list of tables with dice and points, not 5"),
        ("scoring.combination = [5]", "scoring.combination: should be a table, not 5"),
        ("scoring.combination = [{dice = 'aabb', points = 0}]", "a whole number from 1 to 1000000"),
        ("goal = 5", "goal is given twice, first in line 1"),
        ("scoring = {}\n[scoring]", "scoring is given twice, first in line 2"),
    ],
)
def test_every_kind_of_mistake_has_plain_words(tmp_path: Path, line: str, sentence: str) -> None:
    (found,) = findings(tmp_path, f"goal = 10000\n{line}")
    assert sentence in found[1]
    assert found[0] == 1 + len(line.splitlines())
    with pytest.raises(InvalidRulesError, match=re.escape(found[1])):
        load_rules(str(tmp_path / "mine.toml"))


@pytest.mark.parametrize(
    ("table", "line", "sentence"),
    [
        ("dice = 'aab7'\npoints = 5", 4, '"aab7" is not a pattern of 1 to 10 dice'),
        ("points = 5\ndice = 'abcdefghijk'", 5, '"abcdefghijk" is not a pattern of 1 to 10 dice'),
        ("dice = 5\npoints = 5", 4, "scoring.combination.dice: 5 is not a pattern"),
        ("dice = 'aabb'", 3, 'the key "scoring.combination.points" is missing'),
        ("dice = 'aabb'\npoints = 1\nprice = 5", 6, 'unknown key "scoring.combination.price"'),
        ("dice = 'aabb'\npoints = 0", 5, "should be a whole number from 1 to 1000000, six"),
        ("dice = 'aabb'\npoints = [1, 2]", 5, 'or "sum", not [1, 2]'),
        ("dice = 'aabb'\npoints = 'all'", 5, 'or "sum", not "all"'),
        ("dice = 'aaaabb'\npoints = 5", 3, '"aaaabb" needs 6 dice and there are 5'),
        ("dice = '12'\npoints = [1, 1, 1, 1, 1, 1]", 3, '"12" has no letter by whose face'),
        ("dice = '22'\npoints = 5\nthen = 'loses_turn'", 6, "dice with points score; leave out"),
        ("dice = 'aaabb'\npoints = 5\ntimes = 2", 6, 'times: "aaabb" has points, too'),
        ("dice = 'aabb'\ntimes = 1", 5, "times: should be at least 2, not 1"),
        ("dice = 'aabc'\ntimes = 2", 3, '"aabc" never counts, as its dice do not all score'),
        ("dice = 'abc1234'\npoints = 5", 3, 'no roll shows "abc1234"'),
        ("dice = '55'\npoints = 90\nuses = 2", 6, "should be less than the 2 dice of"),
        ("dice = '55'\nthen = 'loses_turn'\nuses = 1", 6, "uses: goes with points"),
        ("dice = '55'\npoints = 90\nuses = 0", 6, "uses: should be at least 1, not 0"),
        ("dice = '55'\npoints = 50\nuses = 1", 3, 'the points of "55" never count'),
        ("dice = 'aabbb'\npoints = 5\nwhen = 'all_dice'", 6, "aabbb is always a throw of all"),
        ("dice = '22'\npoints = 5\nwhen = 'later'", 6, 'one of "any", "all_dice", "first_throw"'),
        ("dice = '22'\nthen = 'sings'", 5, 'should be one of "scores", "roll_on", "wins_game", '),
        ("dice = 'bbb'\npoints = 200", 3, 'the points of "bbb" never count, as the same dice are'),
        ("dice = 'baa'\npoints = 100", 3, 'the points of "baa" never count, as the same dice are'),
    ],
)
def test_what_is_wrong_with_a_combination_is_said_by_line(
    tmp_path: Path, table: str, line: int, sentence: str
) -> None:
    header = "[[scoring.combination]]\n"
    text = f"dice = {7 if '1234' in table else 5}\ngoal = 1000\n{header}{table}\n"
    if "baa" in table:
        text += f"{header}dice = 'aab'\npoints = 150\n"
    ((where, said),) = findings(tmp_path, text)
    assert sentence in said
    assert where == line


def test_what_depends_on_a_mistake_is_not_complained_about(tmp_path: Path) -> None:
    # 310 may be right once the points are
    assert len(findings(tmp_path, "goal = 310\n[scoring]\nsingle = 'x'")) == 1
    assert len(findings(tmp_path, "goal = 0\nminimum_bank = 500")) == 1


def test_files_that_are_no_rules_get_one_line(tmp_path: Path) -> None:
    assert check_file(tmp_path, unsolvable)[1][0].sentence == "cannot be read (Is a directory)"
    assert findings(tmp_path, "x" * 60_000)[0][1].startswith("is too long for a rule set")
    assert findings(tmp_path, "") == [(1, 'the key "goal" is missing')]
    digits = "\ngoal = " + "9" * 5000
    assert findings(tmp_path, digits) == [(2, "a number is too long")]


def test_a_game_too_large_to_be_solved_is_found_before_it_is_solved(tmp_path: Path) -> None:
    ((line, sentence),) = findings(tmp_path, "# much\ngoal = 1000000")
    assert line == 2
    assert "can be solved" in sentence


@pytest.mark.parametrize(
    ("points", "floor"), [(500, -2500), (300_000, -900_000), (10**6, -(10**6))]
)
def test_the_floor_follows_from_the_penalty(points: int, floor: int) -> None:
    penalty = {"in_a_row": 3, "points": points}
    assert Ruleset(name="x", goal=10**6, farkle_penalty=penalty).score_floor == floor


def test_a_copy_forgets_what_was_worked_out() -> None:
    rules = load_rules("kcd")
    assert all([hash(rules), rules.digest, rules.point_step])
    copied = rules.model_copy(update={"goal": 5000})
    assert copied == variant("kcd", goal=5000)
    assert hash(copied) == hash(variant("kcd", goal=5000))
    assert copied.digest == variant("kcd", goal=5000).digest != rules.digest


def test_rules_are_found_by_another_process() -> None:
    """Where a hash of text is another one."""
    rules = load_rules("kcd")
    code = "import pickle, sys; from solver.rules.file import load_rules; " + (
        "rules = pickle.load(sys.stdin.buffer); print({rules: 'found'}[load_rules('kcd')])"
    )
    hash(rules)
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(rules),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[3],
        check=True,
    )
    assert found.stdout.decode() == "found\n"


@pytest.mark.slow
@settings(max_examples=30)
@given(st.one_of(house_rules(), st.sampled_from([rules for _, rules in ONE_BY_ONE])))
def test_a_turn_is_the_same_whatever_decides_the_rest(rules: Ruleset) -> None:
    of_turn = rules.of_turn
    again = Ruleset.model_validate(of_turn.model_dump() | {"name": rules.name})
    assert all_set_asides(again) == all_set_asides(rules)
    assert of_turn.of_turn == of_turn
    assert again.point_step == rules.point_step


def test_rules_that_differ_beside_the_turn_share_its_choices() -> None:
    rules = variant("kcd", goal=1000, title="short", minimum_bank=100)
    assert turn_plan(rules) is turn_plan(load_rules("kcd"))
    ended = variant("kcd", ending="final_turn")
    assert turn_plan(ended) is not turn_plan(load_rules("kcd"))
    assert turn_plan(ended) is turn_plan(variant("kcd", ending="equal_turns", ties="shared"))
