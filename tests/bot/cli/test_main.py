import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import _CacheLocator

from bot.__main__ import main
from bot.settings import CHECKOUT
from solver import solved
from solver.game.position import reachable
from solver.game.standings import Solution
from solver.rules.file import load_rules, preset_names
from solver.strategy import strategy_files, strategy_path
from tests.conftest import EVERY, SOLVED, SOLVER, only_with_every

REFERENCE = Path(__file__).parents[2] / "reference"

TINY = """
goal = 500
dice = 3
minimum_bank = 100
score_floor = -500
farkle_penalty = { in_a_row = 3, points = 500 }
[scoring]
more_of_a_kind = "linear"
"""


class Farkle:
    """The command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        # what is not solved is told; tests of solving say so
        monkeypatch.setenv("FARKLE_NEEDED_SECONDS", "0")

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error."""
        self._monkeypatch.setattr(sys, "argv", ["farkle", *arguments])
        with pytest.raises(SystemExit) as exited:
            main()
        out, err = self._capsys.readouterr()
        return int(exited.value.code or 0), out, err

    def json(self, *arguments: str) -> Any:
        """Standard output of a command that succeeds, read as JSON."""
        status, out, err = self(*arguments, "--json")
        assert status == 0, err
        return json.loads(out)


@pytest.fixture
def farkle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: Path
) -> Farkle:
    monkeypatch.setenv("FARKLE_DATA", str(data))
    return Farkle(monkeypatch, capsys)


@pytest.fixture
def tiny_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def test_how_turns_end_is_in_every_form(farkle: Farkle) -> None:
    asked = "advise", "653332"
    options = farkle.json(*asked, "--endings")["options"]
    _, told, _ = farkle(*asked, "--endings", "--csv")
    for option, row in zip(options, csv.DictReader(told.splitlines()), strict=True):
        ends = option["ends"]
        for name in ("farkle", "wins", "loses", "points"):
            assert float(row[f"ends_{name}"]) == ends[name]
        assert sum(points * chance for points, chance in ends["banked"]) == pytest.approx(
            ends["points"]
        )
    assert "ends" not in farkle(*asked, "--csv")[1]


def test_advise_json(farkle: Farkle) -> None:
    found = farkle.json("advise", "6", "5", "3", "3", "3", "2")
    assert set(found) == {
        "rules",
        "position",
        "roll",
        "fate",
        "farkle",
        "keeps_turn_total",
        "win_probability",
        "options",
        "reachable",
        "why",
        "id",
    }
    assert found["id"] == "CZT1-7YZ9-SYP"
    assert farkle.json("position", "czti", "7yz9", "syp") == found
    assert {key: found["why"][key] for key in ("reason", "action", "turn_total", "dice")} == {
        "reason": "no choice",
        "action": "roll",
        "turn_total": 50,
        "dice": 5,
    }
    assert found["why"]["bank"] is None
    assert found["why"]["roll"] == found["win_probability"]
    assert found["rules"] == "facebook"
    assert found["roll"] == [6, 5, 3, 3, 3, 2]
    assert found["fate"] == "scores"
    assert found["farkle"] is False
    assert found["win_probability"] == found["options"][0]["win_probability"]
    assert [
        {key: value for key, value in option.items() if key != "win_probability"}
        for option in found["options"]
    ] == [
        {"set_aside": [5], "points": 50, "turn_total": 50, "dice_left": 5, "action": "roll"},
        {"set_aside": [5, 3, 3, 3], "points": 350, "turn_total": 350, "dice_left": 2,
         "action": "bank"},
        {"set_aside": [3, 3, 3], "points": 300, "turn_total": 300, "dice_left": 3,
         "action": "roll"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "typed",
    [
        "advise 5 2 turn 350 me 4200",
        "advise 52 turn:350 --me 4200",
        "advise 5 2 TURN=350 me: 4200",
        "advise --turn-total 350 5 2 banked 4200",
    ],
)
def test_options_as_they_are_typed_in_the_chat(farkle: Farkle, typed: str) -> None:
    asked = farkle.json("advise", "5", "2", "--turn", "350", "--me", "4200")
    assert farkle.json(*typed.split()) == asked
    words, rest = typed.removeprefix("advise "), ["advise"]
    if "-" not in words:
        assert farkle.json(*rest, words) == asked, "also as one argument"
    odds = farkle.json("odds", "--turn", "350", "--dice", "2", "--rules", "kcd")
    assert farkle.json("odds", "turn", "350", "dice:2", "rules", "kcd") == odds


def test_advise_takes_the_whole_position(farkle: Farkle) -> None:
    found = farkle.json(
        "advise", "52", "--rules", "facebook", "--turn-total", "350", "--banked", "4200",
        "--opponent", "-500", "--farkles", "1", "--opponent-farkles", "2",
    )  # fmt: skip
    assert found["position"] == {
        "banked": 4200,
        "opponent": -500,
        "turn_total": 350,
        "farkles": 1,
        "opponent_farkles": 2,
        "dice": 2,
        "hot_dice": 0,
        "on_board": True,
        "opponent_on_board": True,
        "began": True,
    }


def test_turn_json_and_text(farkle: Farkle) -> None:
    found = farkle.json("turn", "--banked", "9000", "--opponent", "9500")
    assert len(found["cells"]) == 20 * 6
    assert set(found["cells"][0]) == {
        "turn_total",
        "dice",
        "win_probability",
        "action",
        "reachable",
    }
    _, text, _ = farkle("turn", "--banked", "9000", "--opponent", "9500")
    lines = text.splitlines()
    assert lines[0] == "you 9,000, them 9,500, facebook rules"
    assert len(lines) == 10
    assert lines[-1] == "--table prints the chances at every turn total."
    _, text, _ = farkle("turn", "--banked", "9000", "--opponent", "9500", "--table")
    assert text.startswith("\n".join(lines[:-1]))
    lines = text.splitlines()
    assert lines[1:11] == [
        "Win probability 45.44 % at the start of the turn.",
        "Bank from these turn totals on, by dice left to roll (W: it wins):",
        "  6 dice  5 dice  4 dice  3 dice  2 dice   1 die",
        "  1,000W  1,000W  1,000W     700  1,000W  1,000W",
        "With 3 dice roll again at turn totals of 800 to 950.",
        "Chance of a farkle:",
        "  6 dice  5 dice   4 dice   3 dice   2 dice    1 die",
        "  2.31 %  7.72 %  15.74 %  27.78 %  44.44 %  66.67 %",
        "Win probability in % by turn total and dice:",
        "B: bank, else roll; ·: cannot occur",
    ]
    assert re.match(r" +0 +45\.437 +· +· +· +· +·$", lines[12])
    assert re.match(r" +300 +55\.488 +· +· +31\.776 ", lines[18])
    assert len(lines) == 32
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("scores", ["0_0", "6000_8000", "8000_6000"])
def test_a_turn_begins_with_when_to_bank(farkle: Farkle, scores: str) -> None:
    figures = tomllib.loads((REFERENCE / "figures.toml").read_text())["facebook"]
    banked, opponent = scores.split("_")
    ask = ("turn", "--banked", banked, "--opponent", opponent)
    found = farkle.json(*ask)["bank_from"]
    assert [one["dice"] for one in found] == [6, 5, 4, 3, 2, 1]
    # of turn totals that can occur: 350 cannot with 3 dice left, so that 400 is the first from 350
    possible = reachable(load_rules("facebook"))[0]
    for one, published in zip(found, figures[f"bank_thresholds_{scores}"], strict=True):
        totals = 50 * np.flatnonzero(possible[:, one["dice"] - 1])
        assert one["turn_total"] == totals[totals >= published][0]
    again = {one["dice"]: one["roll_again"] for one in found if one["roll_again"]}
    _, text, _ = farkle(*ask)
    if scores == "0_0":
        assert again == {}
        assert "roll again" not in text
    elif scores == "6000_8000":
        inversion = figures["inversion_6000_8000"]
        assert again == {inversion["dice"]: [inversion["roll"]]}
        assert "With 5 dice roll again at turn totals of 3,900 to 3,950." in text
    else:
        inversion = figures["inversion_8000_6000"]
        [[first, last]] = again[inversion["dice"]]
        assert (first, last) == (inversion["roll_above"] + 50, 1950)


def test_rules_list_and_show(farkle: Farkle) -> None:
    listed = farkle.json("rules", "list")
    assert [item["rules"] for item in listed] == preset_names()
    assert {item["rules"] for item in listed if item["solved"]} == set(SOLVED)
    assert farkle.json("rules") == listed
    shown = farkle.json("rules", "show", "facebook")
    assert farkle.json("rules", "facebook") == shown
    assert shown["digest"] == load_rules("facebook").digest
    assert shown["states"] == 423765000


def test_solve_writes_verifies_and_answers(unsolved: Farkle, tiny_file: Path) -> None:
    farkle = unsolved
    report = farkle.json("solve", str(tiny_file))
    assert set(report) == {
        "rules", "digest", "floor", "states", "values", "sweeps", "tolerance",
        "largest_relative_change", "error_bound", "seconds", "states_per_second", "file", "bytes",
    }  # fmt: skip
    assert report["rules"] == "tiny"
    assert report["floor"] == -500
    assert report["values"] == 3 * 3 * 20 * 20
    assert report["error_bound"] <= 1e-9
    assert Path(report["file"]).stat().st_size == report["bytes"]
    assert farkle.json("solve", "--verify", report["file"])["verified"] is True
    assert 0 < farkle.json("advise", "551", "--rules", str(tiny_file))["win_probability"] < 1


def test_floor_tolerance_and_folder(farkle: Farkle, tiny_file: Path, tmp_path: Path) -> None:
    report = farkle.json(
        "solve", str(tiny_file), "--floor", "-700", "--tolerance", "1e-5", "--out",
        str(tmp_path / "out"),
    )  # fmt: skip
    assert report["floor"] == -700
    assert report["tolerance"] == 1e-5
    assert Path(report["file"]).parent == tmp_path / "out"
    status, out, _ = farkle("solve", str(tiny_file), "--out", str(tmp_path / "out"))
    assert status == 0
    assert "states solved in" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("advise", "no dice given"),
        ("advise 1 2 3 4 5 6 1", "7 dice are too many"),
        ("advise 7", '"7" is not a die face'),
        ("advise five", '"f" is not a die face'),
        ("advise 5 2 turn", "Option '--turn' requires an argument"),
        ("advise 5 2 turn many", "'many' is not a valid integer"),
        ("advise 1 2 3 --turn-total 60", "the turn total cannot be 60"),
        ("advise 123456 --banked 130", "your score cannot be 130"),
        ("advise 123456 --opponent 10000", "the opponent's score cannot be 10,000"),
        ("advise 123456 --turn-total 1.5", "'1.5' is not a valid integer"),
        ("advise 123456 --rules facbook", "did you mean facebook?"),
        ("advise 123456 --colour red", "No such option"),
        ("turn --farkles 3", "your farkles in a row cannot be 3"),
        ("solve", "say which RULES: names of rule sets or TOML files, or --all"),
        ("compare", "say which RULES: names of rule sets or TOML files, or --all"),
        ("solve kcd --all", "--all takes no RULES: leave one of them out"),
        ("site out --rules kcd --all", "--all takes no --rules: leave one of them out"),
        ("solve nothing", 'unknown rule set "nothing"'),
        ("solve facebook --floor 50", "score_floor"),
        ("solve facebook --floor -2525", "not a multiple of 50"),
        ("solve classic --floor -500", "no meaning without a farkle_penalty"),
        ("solve facebook --tolerance 0", "the tolerance must be"),
        ("solve facebook --tolerance nan", "the tolerance must be"),
        ("solve facebook --floor -100000", "can be solved"),
        ("solve --verify README.md", "is damaged, or not a file of this version"),
        ("solve --verify foo.npy", "cannot be read"),
        ("solve facebook --out /dev/null/x", "cannot be written"),
        ("solve --verify /nowhere.solved", "No such file"),
        ("solve facebook --verify x.json", "takes no RULES"),
        ("rules show nobody", 'unknown rule set "nobody"'),
        ("rules nobody", 'unknown rule set "nobody"'),
        ("sing", "No such command"),
        ("advise 5 2 --turn 350 --me abc", "nvalid value for '--me'"),
        ("advise 5 2 --turn 350 --them abc", "nvalid value for '--them'"),
        ("turn kcd", "unexpected extra argument (kcd); see farkle turn --help"),
        ("plot border facebook", "unexpected extra argument (facebook); see farkle plot border"),
    ],
)
def test_bad_input_gets_one_sentence(farkle: Farkle, arguments: str, sentence: str) -> None:
    status, out, err = farkle(*arguments.split())
    assert status == 2
    assert out == ""
    assert sentence in err
    assert err.startswith("farkle: ")
    assert len(err.splitlines()) == 1


def test_damaged_files_get_one_sentence(
    farkle: Farkle, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(data / "strategies", tmp_path / "data" / "strategies")
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    file = strategy_files(tmp_path / "data" / "strategies", load_rules("kcd"))[0]
    ask = ("advise", "123456", "--rules", "kcd")
    assert farkle(*ask)[0] == 0

    whole = bytearray(file.read_bytes())
    whole[-5000] ^= 1
    file.write_bytes(whole)
    status, _, err = farkle("solve", "--verify", str(file))
    assert (status, "is damaged" in err) == (2, True)
    for content in (whole[:-4000], b"no json"):
        file.write_bytes(content)
        status, _, err = farkle(*ask)
        assert (status, "is damaged" in err) == (2, True)
    file.unlink()
    status, _, err = farkle(*ask)
    assert (status, "the rules kcd are not solved yet" in err) == (2, True)


def test_a_refusal_is_wrapped_for_a_terminal_alone(
    farkle: Farkle, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = farkle("advise", "123456", "--turn", "375")[2]
    assert len(plain.splitlines()) == 1
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("bot.__main__.sys.stderr.isatty", lambda: True)
    wrapped = farkle("advise", "123456", "--turn", "375")[2]
    assert max(map(len, wrapped.splitlines())) < 60
    assert wrapped.split() == plain.split()


def test_no_folder_is_made_for_a_database_that_was_named(
    farkle: Farkle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "not there"
    monkeypatch.setenv("FARKLE_DATABASE_URL", f"sqlite+aiosqlite:///{folder}/farkle.db")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    status, _, err = farkle("chat")
    assert (status, f"There is no folder {folder} for the database" in err) == (2, True)
    assert not folder.exists()
    folder.mkdir()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert farkle("chat")[0] == 0
    assert (folder / "farkle.db").exists()


def test_short_names_of_the_chat_work_on_the_command_line(farkle: Farkle) -> None:
    short = ("--me", "4200", "--them", "5000", "--turn", "350", "--their-farkles", "1")
    long = ("--banked", "4200", "--opponent", "5000", "--turn-total", "350", "--opponent-farkles")
    assert farkle.json("advise", "52", *short) == farkle.json("advise", "52", *long, "1")


def test_three_numbers_after_the_dice_are_the_turn_and_both_scores(farkle: Farkle) -> None:
    meant = farkle.json("advise", "52", "--turn", "350", "--me", "4200", "--them", "5000")
    for dice in (("5", "2"), ("52",), ("[5,", "2],")):
        assert farkle.json("advise", *dice, "350", "4,200", "5000") == meant
    status, _, err = farkle("advise", "5", "2", "350", "4200", "5000", "--me", "4200")
    assert (status, "--me is given twice" in err) == (2, True)
    status, _, err = farkle("advise", "5", "2", "350", "4200")
    assert (status, "after the dice come three numbers" in err) == (2, True)


def test_advice_for_another_goal(farkle: Farkle) -> None:
    assert farkle.json("advise", "653332", "--goal", "10000") == farkle.json("advise", "653332")
    status, _, err = farkle("advise", "653332", "--goal", "450", "--rules", "kcd")
    assert (status, "farkle solve kcd --goal 450" in err) == (2, True)
    status, _, err = farkle("advise", "653332", "--goal", "525")
    assert (status, "the goal cannot be 525 under facebook rules" in err) == (2, True)


def test_a_file_of_rules_that_is_not_solved_is_named_as_it_was_given(
    farkle: Farkle, tiny_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    _, _, err = farkle("advise", "551", "--rules", str(tiny_file))
    assert f"run: farkle solve {tiny_file} (about " in err


def test_positions_go_down_to_the_floor_of_the_strategy(unsolved: Farkle, tiny_file: Path) -> None:
    farkle = unsolved
    ask = ("advise", "551", "--rules", str(tiny_file), "--banked", "-600")
    assert farkle("solve", str(tiny_file))[0] == 0
    assert farkle(*ask)[0] == 2
    assert farkle("solve", str(tiny_file), "--floor", "-700")[0] == 0
    assert farkle(*ask)[0] == 0


@only_with_every
@pytest.mark.slow
def test_compiled_code_that_is_damaged_is_made_anew(
    tiny: Solution, kernels: Path, tiny_file: Path, tmp_path: Path
) -> None:
    """Where numba keeps code are all files that are beside its source, with something else."""
    assert tiny.rules.dice == 3  # solved, so that all code for such games is compiled
    folder = tmp_path / "kernels"
    shutil.copytree(kernels, folder)
    for compiled in (SOLVER / "game").rglob("*.nb*"):
        source = compiled.parents[1] / f"{compiled.name.partition('.')[0]}.py"
        place = _CacheLocator.get_suitable_cache_subpath(str(source))  # type: ignore[no-untyped-call]
        kept = folder / place / compiled.name
        kept.parent.mkdir(exist_ok=True)
        # of all it takes minutes
        is_damaged = EVERY or compiled.name.startswith("sweep_kernels.guess")
        kept.write_bytes(b"garbage" if is_damaged else compiled.read_bytes())
    for compiled in (folder / "__pycache__").glob("farkle_turn*.nb*"):
        compiled.write_bytes(b"")
    environment = {**os.environ, "FARKLE_DATA": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "bot", "solve", str(tiny_file)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    compiled_anew = [path.read_bytes() for path in folder.rglob("*.nb*") if path.is_file()]
    assert compiled_anew
    assert not {b"", b"garbage"} & set(compiled_anew)


@only_with_every
@pytest.mark.slow
def test_a_solve_needs_no_place_to_keep_compiled_code(tiny_file: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "FARKLE_DATA": "/dev/null/nowhere"}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "bot", "solve", str(tiny_file), "--out", str(tmp_path)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.mostly_slow
@pytest.mark.parametrize("module", ["signal", "pydantic", "bot.cli.main", "numba"])
def test_an_early_interrupt_ends_cleanly(tmp_path: Path, module: str) -> None:
    """As soon as the program has loaded a module, which Python tells."""
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "bot", "solve", "facebook", "--out", tmp_path],
        env={**os.environ, "FARKLE_DATA": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while not (line := process.stderr.readline()).endswith(f" {module}\n"):
            assert line
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().splitlines()
        assert process.wait() == 130, said
        told = [line for line in said if not line.startswith("import time:")]
        assert told[-1] == "farkle: interrupted"
        assert not any("Traceback" in line for line in told)


@pytest.mark.slow
def test_a_command_loads_only_what_it_needs() -> None:
    script = """
import sys
from bot.cli.main import COMMANDS, farkle
assert farkle.commands["advise"].name == "advise"
others = {"sqlalchemy", "rich", "prompt_toolkit", "PIL", "discord", "aiohttp", "matplotlib"}
assert not others & set(sys.modules)
assert sorted(farkle.commands) == sorted(COMMANDS)
assert all(command.name == name for name, command in farkle.commands.items())
assert not {"numba", "distributed", "matplotlib"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "command",
    ["solve", "advise", "turn", "points", "komi", "chat"]
    + [f"rules {command}" for command in ("list", "show", "check", "diff", "new")],
)
def test_every_command_has_json_and_help(farkle: Farkle, command: str) -> None:
    status, out, _ = farkle(*command.split(), "--help")
    assert status == 0
    assert "--json" in out


@pytest.mark.slow
def test_an_interrupted_solve_ends_cleanly(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "solve", "facebook", "--tolerance", "1e-12", "--out", folder],
        env={**os.environ, "FARKLE_DATA": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "solving facebook: 423,765,000 states ...\n"
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read().strip() == "farkle: interrupted"
    assert [path.name for path in folder.iterdir()] == [".lock"]


def first_chat(folder: Path, script: str) -> "subprocess.Popen[str]":
    """The chat where nothing is solved yet, and the default rules are solved by a script."""
    program = f"""
import sys
from functools import partial
sys.argv = ["farkle", "chat"]
from bot.__main__ import main
from bot.tasks import solving
from tests.bot.services.scripted import follow_script
solving.solve_told = partial(follow_script, {script!r})
main()
"""
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "FARKLE_DATA": str(folder), "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_an_interrupt_of_the_first_solve_ends_its_process(tmp_path: Path) -> None:
    number = tmp_path / "number"
    script = f"""
import os, time
with open({str(number)!r}, "w") as file:
    print(os.getpid(), file=file)
tell(None)
time.sleep(60)
"""
    with first_chat(tmp_path, script) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "solving facebook: 423,765,000 states ...\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read().strip() == "farkle: interrupted"
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


@pytest.mark.slow
def test_a_first_solve_that_fails_is_told(tmp_path: Path) -> None:
    with first_chat(tmp_path, "raise SolveError('facebook: the disk is full')") as process:
        assert process.stderr is not None
        assert process.stderr.read() == "farkle: facebook: the disk is full\n"
        assert process.wait(30) == 2


@pytest.mark.slow
def test_a_strategy_of_an_older_version_is_solved_again(
    farkle: Farkle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who updates the program is not stuck: the chat solves, the others say what to do."""
    folder = tmp_path / "strategies"
    folder.mkdir()
    said = {"format": "farkle-solved-0", "rules": {}}
    said["checksum"] = solved._checksum(said)
    strategy_path(folder, load_rules("facebook")).write_text(json.dumps(said) + "\n")
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    monkeypatch.setenv("DISCORD_TOKEN", "a.b.c")
    for arguments, expected in ((("advise", "123466"), 2), (("discord",), 5)):
        status, out, err = farkle(*arguments)
        assert (status, out, err.count("\n")) == (expected, "", 1)
        assert "another version of the program and has to be solved again; run: " in err
        assert "solve facebook" in err
    status, out, _ = farkle("discord", "--check")
    assert status == 2
    assert "the facebook rules are not solved" in out
    assert not re.search(r"facebook +solved", farkle("rules")[1])
    with first_chat(tmp_path, "raise SolveError('facebook: the disk is full')") as process:
        assert process.stderr is not None
        assert process.stderr.read() == "farkle: facebook: the disk is full\n"


def test_a_password_of_the_database_is_not_shown(
    farkle: Farkle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "a.b.c")
    url, told = "postgresql+asyncpg://ann:hunter2@127.0.0.1:", "postgresql+asyncpg://ann:***@127.0"
    usable = "1/farkle", "1/farkle?sslmode=require"
    for end in (*usable, "1/farkle?password=hunter2", "x/farkle"):
        monkeypatch.setenv("FARKLE_DATABASE_URL", url + end)
        status, out, err = farkle("discord", "--check")
        assert status == 2
        assert (f"database:     {told}.0.1:1/farkle\n" in out) == (end in usable), end
        assert ("wrong: FARKLE_DATABASE_URL has to name a database" in out) != (end in usable), end
        assert "hunter2" not in out + err


def test_a_check_looks_for_the_folder_of_the_database(
    farkle: Farkle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FARKLE_DATABASE_URL", f"sqlite:///{tmp_path}/nowhere/farkle.db")
    status, out, _ = farkle("discord", "--check")
    assert status == 2
    assert f"wrong: There is no folder {tmp_path}/nowhere for the database" in out


@pytest.mark.slow
def test_the_chat_solves_missing_default_rules_first(tmp_path: Path, tiny_file: Path) -> None:
    """With a small game in the place of the default one, by a start file of the child's."""
    script = f"""
import sys
sys.argv = ["farkle", "chat"]
import bot.cli.chat
from bot.__main__ import main
bot.cli.chat.DEFAULT_RULES = {str(tiny_file)!r}
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=f"/advise 5 5 1 rules:{tiny_file}\n",
        env={**os.environ, "FARKLE_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "solving tiny: " in done.stderr
    assert done.stdout.startswith("5 5 1: you 0, them 0, tiny rules")
