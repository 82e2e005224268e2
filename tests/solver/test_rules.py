import re
from pathlib import Path

import pytest

from solver.errors import InvalidRulesError
from solver.rules import load_rules, preset_names, read_rules
from tests.conftest import variant

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
    assert {"facebook", "classic", "kcd"} <= set(preset_names())
    for name in preset_names():
        rules = load_rules(name)
        assert rules.name == name
        assert rules.title
        assert rules.source


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


def test_point_step_follows_from_the_points() -> None:
    assert load_rules("facebook").point_step == 50
    scoring = {"single": (10, 0, 0, 0, 5, 0), "three_of_a_kind": (100, 20, 30, 40, 50, 60)}
    assert variant("classic", goal=1000, scoring=scoring).point_step == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("goal = 10000\ngaol = 5", 'unknown key "gaol"; did you mean goal?'),
        ("goal = 10000\n[scoring]\nthre_pairs = 1", "did you mean three_pairs?"),
        ("goal = 10000\nfoo_bar = 1", "known are name, title"),
        ("minimum_bank = 300", 'the key "goal" is missing'),
        ("goal = 10010", "goal: 10010 is not a multiple of 50"),
        ("goal = 'many'", "goal: "),
        ("goal = 10000\ndice = 7", "dice: should be at most 6, not 7"),
        ("gaol = 5", 'unknown key "gaol"; did you mean goal?'),
        ("goal = true", "goal: should be a whole number, not True"),
        ("goal = -5", "goal: should be at least 1, not -5"),
        ("goal = 500\nminimum_bank = 1000", "minimum_bank: 1000 is more than the goal of 500"),
        ("goal = 500\nscoring = 5", "scoring: should be a table, not 5"),
        ("goal = 500\n[scoring]\nsingle = [1, 2, 3, 4, 5, 6, 7]", "single: takes 6 numbers"),
        (
            "goal = 500\n[scoring]\nsingle = [-1, 0, 0, 0, 0, 0]",
            "the points for a 1 should be at l",
        ),
        ("goal = 500\n'a\\nb' = 1", "unknown key"),
        ("goal = " + "9" * 5000, "is not valid TOML"),
        ("goal = " + "[" * 5000, "is not valid TOML"),
        ("goal = 10000\nscore_floor = -500", "no meaning without a farkle_penalty"),
        ("goal = 10000\n[scoring]\nsingle = [1, 2]", "scoring.single"),
        ("goal = 10000\n[scoring]\nmore_of_a_kind = 'x'", "scoring.more_of_a_kind"),
        ("goal = ", "is not valid TOML"),
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
    with pytest.raises(InvalidRulesError, match="known are classic, facebook, kcd"):
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
    with pytest.raises(InvalidRulesError, match="is not valid TOML"):
        read_rules(binary)
