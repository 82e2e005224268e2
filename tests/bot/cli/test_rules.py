import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from bot.cli.rules import Terminal, new_rules
from solver.rules.file import load_rules, preset_names, read_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from tests.bot.cli.test_main import Farkle
from tests.bot.views.test_rules_text import EVERY_OPTION
from tests.conftest import variant


class Asked(Farkle):
    """The command line with answers from a pipe."""

    def answering(self, answers: list[str], *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{a}\n" for a in answers)))
        return self(*arguments)

    def interviewed(self, answers: dict[str, list[str]], *arguments: str) -> tuple[int, str, str]:
        """Likewise, with answers to the questions that begin so; all others get Enter."""
        left = {begin: [*replies] for begin, replies in answers.items()}

        def prompt(text: str, default: str | None, **_: Any) -> str:
            click.echo(text)
            replies = next((left[begin] for begin in left if text.startswith(begin)), [])
            reply = replies.pop(0) if replies else default
            assert reply is not None, text
            return reply

        self._monkeypatch.setattr("bot.cli.rules.click.prompt", prompt)
        found = self(*arguments)
        assert not any(left.values()), left
        return found


@pytest.fixture
def farkle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Asked:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return Asked(monkeypatch, capsys)


def write(path: str, text: str) -> str:
    Path(path).write_text(text)
    return path


def test_the_list_fits_a_terminal(farkle: Asked) -> None:
    _, out, _ = farkle("rules")
    assert [line.split()[0] for line in out.splitlines()] == preset_names()
    assert max(map(len, out.splitlines())) <= 79


def test_a_name_or_a_file_is_explained(farkle: Asked) -> None:
    _, out, _ = farkle("rules", "kcd")
    assert out.startswith("Kingdom Come: Deliverance, to 4,000\n")
    assert farkle("rules", "show", "kcd")[1] == out
    write("mine.toml", "goal = 500")
    assert farkle("rules", "mine.toml")[1].startswith("mine\n")
    assert farkle.json("rules", "mine.toml")["goal"] == 500


def test_rule_sets_are_found(farkle: Asked) -> None:
    _, out, _ = farkle("rules", "find", "three", "pairs", "750")
    found = [one["rules"] for one in farkle.json("rules", "find", "three pairs 750")]
    assert [line.split()[0] for line in out.splitlines()] == found
    _, table, _ = farkle("rules", "find", "three pairs 750", "--csv")
    assert table.splitlines()[0] == "rules,title,goal,digest"
    assert len(table.splitlines()) == len(found) + 1
    assert farkle("rules", "find", "welfare")[2] == 'farkle: no rule set says "welfare"\n'


@pytest.mark.slow
def test_rule_sets_like_a_file_are_told(farkle: Asked) -> None:
    write("mine.toml", "goal = 4000")
    _, out, _ = farkle("rules", "like", "mine.toml")
    assert out.startswith(
        "Most like mine:\n\nclassic: Classic: only ones, fives and triples score\n"
    )
    assert farkle.json("rules", "like", "mine.toml")[0]["options"][0]["b"] == 10000


def test_a_valid_file_gets_one_line(farkle: Asked) -> None:
    classic = load_rules("classic")
    write("mine.toml", "goal = 10000")
    status, out, err = farkle("rules", "check", "mine.toml")
    assert (status, err) == (0, "")
    said = f"mine.toml: valid: mine, digest {classic.digest[:12]}, 24,120,000 states, about"
    assert re.fullmatch(re.escape(said) + r" \d+ s to solve\n", out)
    told = farkle.json("rules", "check", "mine.toml")
    assert told[0].pop("seconds") > 1
    assert told == [
        {
            "file": "mine.toml",
            "valid": True,
            "complaints": [],
            "rules": "mine",
            "digest": classic.digest,
            "states": 24120000,
        }
    ]


def test_wrong_files_get_a_line_for_each_mistake(farkle: Asked) -> None:
    write("good.toml", "goal = 500")
    write("bad.toml", "\ufeffgoal = 'x'\n\n[scoring]\nsingel = 5\nthree_of_a_kind = [1]\n")
    status, out, err = farkle("rules", "check", "good.toml", "bad.toml", "none.toml", ".")
    assert (status, err) == (2, "")
    lines = out.splitlines()
    assert lines[0].startswith("good.toml: valid: good, ")
    assert lines[1:] == [
        'bad.toml:1: goal: should be a whole number, not "x"',
        'bad.toml:4: unknown key "scoring.singel"; did you mean single?',
        "bad.toml:5: scoring.three_of_a_kind: takes 6 numbers, the points for the faces 1 to 6,"
        " or one number for all, not [1]",
        "none.toml:1: cannot be read (No such file or directory)",
        ".:1: cannot be read (Is a directory)",
    ]
    status, out, _ = farkle("rules", "check", "bad.toml", "--json")
    assert status == 2
    (found,) = json.loads(out)
    assert found["valid"] is False
    assert [(one["line"], one["key"]) for one in found["complaints"]] == [
        (1, "goal"),
        (4, "scoring.singel"),
        (5, "scoring.three_of_a_kind"),
    ]


def test_rule_sets_are_compared(farkle: Asked) -> None:
    write("classic.toml", "goal = 10000\n")
    status, out, _ = farkle("rules", "diff", "classic", "classic.toml")
    assert (status, out) == (0, "classic and classic.toml play the same.\n")
    _, out, _ = farkle("rules", "diff", "classic", "kcd")
    assert out.startswith("classic and kcd differ.\n\ngoal\n  classic: The goal is 10,000 points.")
    assert farkle.json("rules", "diff", "classic", "kcd")["options"] == [
        {"option": "goal", "a": 10000, "b": 4000}
    ]
    status, out, err = farkle("rules", "diff", "classic", "kdc")
    assert (status, out) == (2, "")
    assert "did you mean kcd?" in err


@pytest.mark.mostly_slow(25)
@pytest.mark.parametrize("base", preset_names())
def test_a_preset_is_taken_over_by_enter(farkle: Asked, base: str) -> None:
    status, _, err = farkle.answering([base] + [""] * 40, "rules", "new", "mine.toml")
    assert status == 0, err
    assert read_rules(Path("mine.toml")).digest == load_rules(base).digest
    assert farkle("rules", "check", "mine.toml")[0] == 0


@pytest.mark.mostly_slow(25)
@pytest.mark.parametrize("base", preset_names())
def test_details_are_asked_for_and_have_defaults(farkle: Asked, base: str) -> None:
    answers = [base, "", "", "", "n"] + [""] * 60
    status, out, err = farkle.answering(answers, "rules", "new", "mine.toml")
    assert status == 0, err
    assert ("Two triplets" in out) == (load_rules(base).dice == 6)
    assert read_rules(Path("mine.toml")).digest == load_rules(base).digest


def test_combinations_of_more_dice_are_not_kept(farkle: Asked) -> None:
    """As nobody who takes fewer dice could answer otherwise than to say all points anew."""
    tables = '[[scoring.combination]]\ndice = "{}"\npoints = 500\n'
    Path("six.toml").write_text("goal = 5000\n" + tables.format("aaabbc") + tables.format("1234"))
    answers = ["six.toml", "", "", "5", ""] + [""] * 60
    status, _, err = farkle.answering(answers, "rules", "new", "mine.toml")
    assert status == 0, err
    (kept,) = read_rules(Path("mine.toml")).scoring.combination
    assert (kept.dice, kept.points) == ("1234", 500)


ANSWERS = {
    "Start from": ["facebok", "facebook"],
    "Name": ["a/b", "My rules"],
    "What is special": ["Ours"],
    "Number of dice": ["11", "six", "6"],
    "Should dice be worth": ["perhaps", "n"],
    "One die": ["100 0 0 0 50", "100 0 0 0 50 0"],
    "Four of a kind and more": ["quadruple", "linear"],
    "Other points for four of a kind": ["1,000"],
    "Other points for five of a kind": ["none"],
    "Other points for six of a kind": ["-3", "5000"],
    "1 2 3 4 5 [": ["500"],
    "2 3 4 5 6 [": ["750"],
    "Three pairs": ["1000"],
    "Does four of a kind and a pair count": ["y"],
    "Does six of a kind count": ["n"],
    "Two triplets": ["2500"],
    "All the dice, and nothing scores": ["0"],
    "Other combinations": ["aaabb", "aaa=100", "aaabb=250, 1a=0,0,0,0,0,150"],
    "Goal": ["10,010", "5000"],
    "The goal must be": ["exceeded"],
    "How the game ends": ["final_turn"],
    "Equal scores": ["shared"],
    "Least turn total": ["350"],
    "Least first bank": ["6000", "500"],
    "Do the minimums apply to a bank that reaches the goal": ["n"],
    "Must every die": ["y"],
    "When all dice": ["no_bank"],
    "Bonus": ["500 1000"],
    "Rolls that win": ["xxxxxx, 77", "xxxxxx, 123456"],
    "Rolls that lose everything": ["2222"],
    "Does a farkle keep": ["y"],
    "How many farkles": ["9", "2"],
    "How many points": ["all", "everything"],
}


def test_of_many_complaints_the_first_are_shown(farkle: Asked) -> None:
    wrong = [f'"a{number}"' for number in range(5000)]
    Path("mine.toml").write_text(f"goal = 10000\ninstant_win = [{', '.join(wrong)}]\ngaol = 5\n")
    status, out, _ = farkle("rules", "check", "mine.toml")
    lines = out.splitlines()
    assert status == 2
    assert lines[0].startswith('mine.toml:2: instant_win: "a0" is not a pattern of dice')
    assert len(lines) == 21
    assert lines[-1] == "mine.toml: and 4,981 more"
    _, out, _ = farkle("rules", "check", "mine.toml", "--json")
    assert len(json.loads(out)[0]["complaints"]) == 5001


@pytest.mark.parametrize("command", ["rules show", "rules", "rules diff kcd", "compare", "points"])
def test_what_is_wrong_is_said_by_line_wherever_a_file_is_read(farkle: Asked, command: str) -> None:
    Path("mine.toml").write_text("\n\ngoal = 10000\ndice = 11\ngaol = 5\n")
    status, out, err = farkle(*command.split(), "mine.toml")
    assert (status, out) == (2, "")
    assert "mine.toml: line 4: dice: should be at most 10, not 11; 1 more complaint" in err
    assert err.strip().endswith("farkle rules check mine.toml")


def test_every_answer_is_checked_at_once(farkle: Asked) -> None:
    status, out, err = farkle.interviewed(ANSWERS, "rules", "new", "mine.toml")
    assert status == 0, err
    for sentence in (
        "did you mean facebook?",
        "name: should be 1 to 60 letters",
        "dice: should be at most 10, not 11",
        'dice: should be a whole number, not "six"',
        'answer y or n, not "perhaps"',
        "scoring.single: takes 6 numbers",
        'more_of_a_kind: should be one of "none", "linear", "doubling", not "quadruple"',
        "six_of_a_kind: should be at least 0, not -3",
        'scoring.combination: should be a list of tables with dice and points, not "aaabb"',
        'scoring.combination: the points of "aaa" never count',
        "goal: 10010 is not a multiple of 50",
        "opening_minimum: 6,000 is more than the goal of 5,000",
        '"77" is not a pattern of dice',
        "farkle_penalty.in_a_row: should be at most 5, not 9",
        'or "everything", not "all"',
    ):
        assert sentence in " ".join(out.split())
    assert farkle("rules", "check", "mine.toml")[0] == 0
    rules = read_rules(Path("mine.toml"))
    assert rules == Ruleset(
        name="My rules",
        title="Ours",
        goal=5000,
        goal_must_be="exceeded",
        minimum_bank=350,
        opening_minimum=500,
        minimum_binds_win=False,
        set_aside_all=True,
        hot_dice="no_bank",
        hot_dice_bonus=(500, 1000),
        farkle_keeps_turn_total=True,
        farkle_penalty={"in_a_row": 2, "points": "everything"},
        instant_win=("xxxxxx", "123456"),
        lose_everything=("2222",),
        ending="final_turn",
        ties="shared",
        scoring={
            "more_of_a_kind": "linear",
            "four_of_a_kind": 1000,
            "six_of_a_kind": 5000,
            "straight_1_5": 500,
            "straight_2_6": 750,
            "straight_1_6": 1500,
            "three_pairs": 1000,
            "three_pairs_include": ("four_and_two",),
            "two_triplets": 2500,
            "combination": (
                {"dice": "aaabb", "points": 250},
                {"dice": "1a", "points": (0, 0, 0, 0, 0, 150)},
            ),
        },
    )


def test_what_is_to_be_typed_next_fits_a_terminal(farkle: Asked) -> None:
    file = "the rules that we play by on sundays.toml"
    status, out, _ = farkle.answering(["kcd"] + [""] * 40, "rules", "new", file)
    assert status == 0
    # without a terminal the answers, and their ends of lines, are not among what is shown
    written, *then = out.splitlines()[-3:]
    assert written.endswith(f" Written to {file}.")
    assert then == [
        f"  farkle rules '{file}'  explains it",
        f"  farkle solve '{file}'  solves it",
    ]


@pytest.mark.parametrize(
    "answer",
    ["1,000 200 300 400 500 600", "1000,200,300,400,500,600", "[1000, 200, 300, 400, 500, 600]"],
)
def test_six_numbers_are_typed_in_many_ways(farkle: Asked, answer: str) -> None:
    answers = ["classic", "", "", "", "n", "", answer] + [""] * 40
    assert farkle.answering(answers, "rules", "new", "mine.toml")[0] == 0
    assert read_rules(Path("mine.toml")).digest == load_rules("classic").digest


def test_what_makes_no_sense_is_not_asked(farkle: Asked) -> None:
    answers = ["classic", "", "", "2", "n"] + [""] * 40
    _, out, _ = farkle.answering(answers, "rules", "new", "mine.toml")
    for question in ("Three of a kind", "1 2 3", "pairs", "Equal scores", "goal, too", "they cost"):
        assert question not in out
    # a default that does not go with the answers before is not offered
    answers = ["facebook", "", "", "", "", "", "200"] + [""] * 40
    status, out, _ = farkle.answering(answers, "rules", "new", "small.toml")
    assert status == 0
    assert "may be banked [0]" in out


def test_a_game_too_large_is_asked_about_again(farkle: Asked) -> None:
    answers = ["classic", *[""] * 5, "1000000", *[""] * 18, "4000", *[""] * 40]
    status, out, err = farkle.answering(answers, "rules", "new", "mine.toml")
    assert status == 0, err
    assert "can be solved" in out


def test_a_file_is_only_overwritten_when_told_so(farkle: Asked) -> None:
    write("mine.toml", "precious")
    status, _, _ = farkle.answering(["n", "other.toml"] + [""] * 40, "rules", "new", "mine.toml")
    assert status == 0
    assert Path("mine.toml").read_text() == "precious"
    assert Path("other.toml").exists()
    assert farkle.answering(["y"] + [""] * 40, "rules", "new", "mine.toml")[0] == 0
    assert read_rules(Path("mine.toml")).name == "mine"
    # without a file the name is asked for at the end
    status, out, _ = farkle.answering(["", "ours"] + [""] * 40, "rules", "new")
    assert status == 0
    assert "[ours.toml]" in out
    assert read_rules(Path("ours.toml")).name == "ours"


@pytest.mark.parametrize("file", [".", "/dev/null", "nowhere/mine.toml", "a" * 300])
def test_a_file_that_cannot_be_written_is_said_first(farkle: Asked, file: str) -> None:
    status, out, err = farkle.answering(["mine.toml"] + [""] * 40, "rules", "new", file)
    assert status == 0, err
    assert "Write to which other file" in out
    assert Path("mine.toml").exists()


@pytest.mark.parametrize("answers", [[], ["facebook"], ["facebook", "", "", "", "n", "50"]])
def test_answers_that_end_leave_nothing_behind(
    farkle: Asked, tmp_path: Path, answers: list[str]
) -> None:
    status, _, err = farkle.answering(answers, "rules", "new", "mine.toml")
    assert status == 2
    assert err == "farkle: the answers ended before the questions; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def _interrupt(process: "subprocess.Popen[str]") -> int:
    """Press Ctrl-C as people do, once more if nothing happens; returns the exit status.

    Python sees a signal that comes just before it waits for a line only when the line is there.
    """
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(3)
    raise AssertionError


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "bot", "rules", "new", str(tmp_path / "mine.toml")],
        env={**os.environ, "FARKLE_DATA": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("Enter takes")
        assert process.stdout.readline().startswith("Known rules")
        assert _interrupt(process) == 130
        assert process.stderr.read().strip() == "farkle: interrupted"
    assert list(tmp_path.iterdir()) == []


def test_answers_as_data(farkle: Asked) -> None:
    status, out, _ = farkle.answering([""] * 40, "rules", "new", "mine.toml", "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    assert found["file"] == "mine.toml"
    assert found["digest"] == load_rules("classic").digest


@pytest.mark.parametrize(
    "rules",
    [
        EVERY_OPTION,
        variant("facebook", name="x", score_floor=-3000),
        variant("facebook", name="x", score_floor=0),
        variant("classic", name="x", title='a "b"\n\x1b', dice=1, scoring={"single": 50}),
    ],
)
def test_what_is_written_is_read_again(tmp_path: Path, rules: Ruleset) -> None:
    path = tmp_path / "x.toml"
    path.write_text(rules_toml(rules, "x"))
    assert read_rules(path) == rules


def test_what_is_written_is_short() -> None:
    text = rules_toml(Ruleset(name="mine", goal=4000), "mine")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert [line.split(" = ")[0] for line in lines] == [
        "goal",
        "[scoring]",
        "single",
        "three_of_a_kind",
    ]
    assert "score_floor" not in rules_toml(load_rules("facebook"), "facebook")


def test_no_question_breaks_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On 80 columns, with the longest defaults and the sentences about wrong answers."""
    asked: list[str] = []

    def prompt(text: str, default: str | None, **_: Any) -> str:
        asked.append(text)
        return "n" if "Should dice be worth" in text else str(default)

    monkeypatch.setattr("bot.cli.rules.click.prompt", prompt)
    new_rules(Terminal(), str(tmp_path / "mine.toml"))
    assert len(asked) >= 30
    Terminal().tell(f"  {'should be one of these words ' * 9}")
    lines = [*"\n".join(asked).splitlines(), *capsys.readouterr().out.splitlines()]
    assert max(map(len, lines)) <= 79


def test_none_is_0_points_where_points_are_asked(farkle: Asked) -> None:
    told = {**ANSWERS, "1 2 3 4 5 [": ["none"], "Three pairs": ["None"], "Least turn": ["none"]}
    del told["Does four of a kind and a pair count"], told["Does six of a kind count"]
    del told["Least turn total"]
    status, out, err = farkle.interviewed(told, "rules", "new", "mine.toml")
    assert (status, err) == (0, "")
    assert "Four of a kind and a pair" in out
    rules = read_rules(Path("mine.toml"))
    scoring = rules.scoring
    assert (scoring.straight_1_5, scoring.three_pairs, rules.minimum_bank) == (0, 0, 0)
