"""`farkle points` and `farkle komi`, and tables as CSV."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.features.points.service import LongRunAnswer, LongRunTurn, PointsQuestion, points_answer
from bot.features.points.view import points_text, side_by_side_text
from solver.rules.file import load_rules
from solver.turn.points import BankFrom
from tests.bot.cli.test_main import Farkle
from tests.conftest import rules_file


@pytest.fixture
def farkle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Farkle:
    """The command line where nothing is solved."""
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    return Farkle(monkeypatch, capsys)


@pytest.fixture
def solved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: Path
) -> Farkle:
    """The command line where some presets are solved."""
    monkeypatch.setenv("FARKLE_DATA", str(data))
    return Farkle(monkeypatch, capsys)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.slow
def test_turns_of_several_rule_sets_stand_side_by_side(farkle: Farkle) -> None:
    _, text, _ = farkle("points", "pig", "zilch", "mongobot")
    assert text.splitlines()[2:] == [
        "  rules     points  farkle      6      5      4    3    2    1",
        "  pig          8.1  62.5 %                                  20",
        "  zilch      623.0  19.3 %  never  3,150  1,050  450  300  350",
        "  mongobot   315.1  29.5 %         never    950  400  200  200",
    ]
    alone = table(farkle("points", "zilch", "--csv")[1])
    pig, zilch = table(farkle("points", "pig", "zilch", "--csv")[1])
    assert zilch["rules"] == "zilch"
    assert {row["dice"]: row["turn_total"] for row in alone} == {
        str(dice): zilch[f"bank_from_{dice}"] for dice in range(1, 7)
    }
    assert {zilch["bank_from_6"], pig["bank_from_2"]} == {""}
    code, _, error = farkle("points", "pig", "zilch", "--costs", "0,100")
    assert code == 2
    assert "name only one" in error


@pytest.mark.slow
def test_a_turn_for_most_points_in_words(farkle: Farkle) -> None:
    _, text, _ = farkle("points", "zilch")
    lines = text.splitlines()
    assert lines == [
        "zilch rules: how to score the most points in a turn, as if there were no goal.",
        "  623.017 points on average, farkle 19.33 %",
        "  this many points or more  450  800  1,400  2,800",
        "  once in this many turns     2    4     10    100",
        "Bank at these turn totals or more, by dice left to roll:",
        "  6 dice  5 dice  4 dice  3 dice  2 dice  1 die",
        "   never   3,150   1,050     450     300    350",
        "With these dice always roll on; from a turn total of 3,150 on that adds on",
        "  average: 6 dice 478.237.",
        "The third farkle in a row costs 500 points, and the count starts again. With",
        "  that penalty, the best average over many turns is 620.855 points a turn, with",
        "  a farkle in 18.82 % of them. By farkles in a row before the turn: how often",
        "  that happens, what another farkle costs, how likely it is, and when to bank",
        "  with 6, 5, 4, 3, 2 and 1 dice left:",
        "  farkles    turns    cost     risk      6      5      4    3    2    1",
        "        0  81.54 %   11.19  19.33 %  never  3,150  1,050  450  300  350",
        "        1  15.76 %   73.70  17.10 %  never  3,050  1,000  400  300  300",
        "        2   2.70 %  500.00  13.21 %  never  2,650    550  300  300  300",
    ]


def test_a_star_tells_where_one_rolls_again_above_what_is_said() -> None:
    pig = points_answer(load_rules("pig"), PointsQuestion())
    banks = (BankFrom(1, 20, ((25, 30),)),)
    meaning = "* better to roll again at some higher turn total"
    lines = side_by_side_text([pig, replace(pig, bank_from=banks)]).splitlines()
    assert [line.split()[-1] for line in lines[-3:-1]] == ["20", "20*"]
    assert lines[-1] == meaning
    assert "*" not in side_by_side_text([pig, pig])
    turns = tuple(LongRunTurn(k, 0.5, 100.0, 0.6, (pig.bank_from, banks)[k]) for k in range(2))
    rules = load_rules("zilch")
    long_run = replace(pig, rules=rules, long_run=LongRunAnswer(8.0, 0.6, turns))
    lines = points_text(long_run).splitlines()
    assert [line.split()[-1] for line in lines[-3:-1]] == ["20", "20*"]
    assert lines[-1] == meaning


@pytest.mark.slow
def test_the_same_as_data(farkle: Farkle) -> None:
    found = farkle.json("points", "zilch", "--farkle-cost", "500")
    assert found["rules"] == "zilch"
    assert found["question"]["farkle_cost"] == 500
    assert found["points"] == pytest.approx(547.157, abs=5e-4)
    assert found["farkle_probability"] == pytest.approx(0.132148, abs=5e-7)
    assert found["bank_from"][1] == {"dice": 5, "turn_total": 2650, "roll_again": []}
    assert found["long_run"] is None
    plain = farkle.json("points", "zilch")["long_run"]
    assert plain["points"] == pytest.approx(620.855, abs=5e-4)
    assert plain["turns"][2]["farkle_cost"] == 500


@pytest.mark.slow
def test_gains_and_costs_are_tables_on_demand(farkle: Farkle) -> None:
    _, text, _ = farkle("points", "zilch", "--table")
    lines = [line.split() for line in text.splitlines()]
    assert ["300", "581.746", "·", "·", "34.134", "-20.274B", "16.539"] in lines
    assert lines[-6:][0] == ["6", "dice", "478.237"]
    assert lines[-1] == ["1", "die", "184.412", "-", "0.666667", "t"]
    rows = table(farkle("points", "zilch", "--table", "--csv")[1])
    [cell] = [row for row in rows if (row["turn_total"], row["dice"]) == ("300", "2")]
    assert float(cell["gain"]) == pytest.approx(-20.274, abs=5e-4)
    assert (cell["bank"], cell["possible"]) == ("true", "true")

    _, text, _ = farkle("points", "zilch", "--costs", "0,10,492")
    assert text.splitlines()[-2].split() == ["10", "0.193326", "623.017488"]
    rows = table(farkle("points", "zilch", "--costs", "0,10,492", "--csv")[1])
    assert [row["farkle_cost"] for row in rows] == ["0.0", "10.0", "492.0"]
    assert float(rows[2]["points"]) == pytest.approx(613.230640, abs=5e-7)


def test_what_is_assumed_is_said(farkle: Farkle, tmp_path: Path) -> None:
    path = rules_file(
        tmp_path / "odd.toml",
        dice=4,
        opening_minimum=200,
        instant_win=["xxxx"],
        lose_everything=["222"],
        hot_dice="forced",
        hot_dice_bonus=[100, 200],
    )
    text = " ".join(farkle("points", str(path))[1].split())
    for sentence in (
        "This assumes that you are on the board.",
        "A roll that wins at once counts as banking the turn total.",
        "A roll that loses everything costs only the turn total.",
        "These numbers are for before the first hot dice of the turn.",
    ):
        assert sentence in text
    ask = ("--not-on-board", "--score", "1500", "--hot-dice", "1")
    text = " ".join(farkle("points", str(path), *ask)[1].split())
    for sentence in (
        "This assumes that you are not on the board yet.",
        "A roll that loses everything costs 1,500 points on top of the turn total.",
        "These numbers are for after hot dice number 1 of the turn.",
    ):
        assert sentence in text
    least = [one["turn_total"] for one in farkle.json("points", str(path), *ask)["bank_from"]]
    assert least[0] is None, "hot dice must be rolled"
    assert min(least[1:]) >= 200


def test_what_takes_everything_is_no_average(farkle: Farkle, tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text('goal = 1000\nfarkle_penalty = { in_a_row = 2, points = "everything" }')
    text = " ".join(farkle("points", str(path))[1].split())
    assert "there is no average" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("points nobody", 'unknown rule set "nobody"'),
        ("points --farkle-cost -1", "a farkle costs 0 to 1,000,000 points on top of the turn"),
        ("points --farkle-cost nan", "not nan"),
        ("points --costs 1,2,x", 'such as 0,100,500, not "1,2,x"'),
        ("points --costs 1,inf", "not inf"),
        ("points --score 500", "under facebook rules no roll loses everything"),
        ("points --hot-dice -1", "the number of hot dice cannot be -1"),
        ("points --table --costs 1", "ask for one at a time"),
        ("points --costs 0,100 --farkle-cost 500", "leave out --farkle-cost and --hot-dice"),
        ("points zilch --costs 0 --hot-dice 1", "leave out --farkle-cost and --hot-dice"),
        ("points kcd --not-on-board", "under kcd rules everybody is on the board"),
        ("points kcd --hot-dice 1", "it does not matter how many hot dice"),
        ("points --json --csv", "leave one out"),
        ("komi", "the rules facebook are not solved yet"),
    ],
)
def test_what_cannot_be_asked(farkle: Farkle, arguments: str, sentence: str) -> None:
    status, out, err = farkle(*arguments.split())
    assert (status, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_the_fair_start(solved: Farkle) -> None:
    _, text, _ = solved("komi", "classic")
    assert text.splitlines() == [
        "Under classic rules a head start of 200 points for the second player is",
        "  fairest.",
        "  head start                 first player wins",
        "  none                                0.536953",
        "  150 for the second player           0.512281",
        "  200 for the second player           0.504002  closest to even",
        "  250 for the second player           0.495701",
    ]
    found = solved.json("komi", "classic")
    assert found["best"]["points"] == 200
    assert [one["points"] for one in found["neighbours"]] == [150, 200, 250]
    rows = table(solved("komi", "classic", "--csv")[1])
    assert [row["points"] for row in rows] == [str(k) for k in range(-9950, 10000, 50)]
    chances = [float(row["win_probability"]) for row in rows]
    assert chances == sorted(chances, reverse=True)


def as_text(value: Any) -> str:
    """A value of JSON as it is in CSV."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return " ".join(map(str, value))
        case _:
            return str(value)


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("advise 653332", "options"),
        ("turn --me 9000 --them 9500", "cells"),
        ("komi kcd", "head_starts"),
        ("rules list", None),
        ("rules", None),
    ],
)
def test_tables_as_csv_hold_what_json_holds(solved: Farkle, command: str, key: str | None) -> None:
    found = solved.json(*command.split())
    expected = found if key is None else found[key]
    _, text, _ = solved(*command.split(), "--csv")
    assert table(text) == [{name: as_text(cell) for name, cell in row.items()} for row in expected]


def test_a_table_without_rows_has_its_columns(solved: Farkle) -> None:
    _, text, _ = solved("advise", "2", "2", "3", "3", "4", "6", "--csv")
    assert text == "set_aside,points,turn_total,dice_left,action,win_probability\n"


def test_differences_and_complaints_as_csv(farkle: Farkle, tmp_path: Path) -> None:
    rows = table(farkle("rules", "diff", "facebook", "zilch", "--csv")[1])
    assert {"what": "ending", "a": "at_once", "b": "final_turn"} in rows
    assert {"what": "three pairs", "a": "750", "b": "1500"} in rows
    good = rules_file(tmp_path / "good.toml")
    bad = tmp_path / "bad, really.toml"
    bad.write_text("goal = 100\ndice = 11\n")
    status, text, _ = farkle("rules", "check", str(good), str(bad), "--csv")
    first, *others = table(text)
    assert status == 2
    assert first == {"file": str(good), "line": "", "key": "", "sentence": ""}
    assert {row["file"] for row in others} == {str(bad)}
    assert others[0]["key"] == "dice"
