"""--place: rules that were made in the chat, on the command line."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli.main import run as run_program
from bot.store.store import Store
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from tests.conftest import variant

SUNDAY = variant("kcd", name="sunday game", goal=500, dice=3)

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The program as a person runs it: its status, what it says, and its complaint."""
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["farkle", *words])
        sentence, status = run_program()
        return status, capfd.readouterr().out, sentence

    return run


async def saved(folder: Path, place: str, rules: Ruleset) -> None:
    store = await Store.open(f"sqlite:///{folder / 'farkle.db'}")
    await store.save_place_rules(place, rules.name, rules_toml(rules, ""), "ann")
    await store.close()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"farkle.log", "kernels"}


@pytest.fixture
async def console(tmp_path: Path) -> Path:
    await saved(tmp_path, "console", SUNDAY)
    await saved(tmp_path, "discord:7", variant("kcd", name="other"))
    return tmp_path


def test_rules_of_a_place_are_shown_listed_compared_and_checked(run: Run, console: Path) -> None:
    before = (console / "farkle.db").read_bytes()
    here = "--place", "console"
    assert run("rules", "show", "Sunday Game", *here)[1].startswith("Kingdom Come")
    found = json.loads(run("rules", "show", "sunday game", *here, "--json")[1])
    assert found["digest"] == SUNDAY.digest
    listed = run("rules", "list", *here)[1]
    assert "sunday game  not solved yet" in listed
    assert "facebook" in listed
    assert "other" not in listed
    differs = run("rules", "diff", "sunday game", "kcd", *here)[1]
    assert "sunday game: The game is played with 3 dice." in differs
    checked = run("rules", "check", "sunday game", *here)
    assert checked[0] == 0
    assert SUNDAY.digest[:12] in checked[1]
    status, told, _ = run("rules", "check", "sunday", *here)
    assert status == 2
    assert 'sunday:1: unknown rule set "sunday"; did you mean sunday game?' in told
    assert (console / "farkle.db").read_bytes() == before


@pytest.mark.slow
def test_rules_of_a_place_are_solved_and_asked_about(run: Run, console: Path) -> None:
    here = "--place", "console"
    status, _, sentence = run("advise", "1 5 5", "--rules", "sunday game", *here)
    assert (status, console.joinpath("strategies").exists()) == (2, False)
    assert sentence.startswith(
        "the rules sunday game are not solved yet;"
        " run: farkle solve 'sunday game' --place console (about "
    )
    assert run("solve", "sunday game", *here)[0] == 0
    assert "sunday game rules" in run("advise", "1 5 5", "--rules", "sunday game", *here)[1]
    assert "sunday game rules" in run("turn", "--rules", "sunday game", *here)[1]
    assert "sunday game  solved" in run("rules", "list", *here)[1]


async def test_without_a_name_a_place_means_the_rules_that_it_plays_by(
    tmp_path: Path, console: Path, data: Path, run: Run
) -> None:
    store = await Store.open(f"sqlite:///{console / 'farkle.db'}")
    await store.set_place_setting("discord:7", "rules", "kcd")
    await store.close()
    (tmp_path / "strategies").symlink_to(data / "strategies")
    found = await _apart(run, "advise", "1 5 5 2 2 3", "--place", "discord:7")
    assert "kcd rules" in found[1]
    named = await _apart(
        run, "advise", "1 5 5 2 2 3", "--place", "discord:7", "--rules", "facebook"
    )
    assert "facebook rules" in named[1]


async def _apart(run: Run, *words: str) -> tuple[int, str, str]:
    """In a thread, where the program may begin a loop of its own."""
    return await asyncio.to_thread(run, *words)


@pytest.mark.usefixtures("console")
def test_what_is_not_known_is_told_in_one_sentence(run: Run) -> None:
    status, out, sentence = run("rules", "show", "sunday game", "--place", "nowhere")
    assert (status, out) == (2, "")
    assert sentence == (
        'no rules were made in the place "nowhere"; there are some in console, discord:7'
    )
    for words in (["solve"], ["rules", "show"], ["turn", "--rules"], ["advise", "1", "--rules"]):
        status, _, sentence = run(*words, "sunday", "--place", "console")
        assert status in {1, 2}
        assert 'unknown rule set "sunday"; did you mean sunday game?' in sentence
    assert 'unknown rule set "sunday game"' in run("rules", "show", "sunday game")[2]


def test_no_database_is_made_by_looking(run: Run, tmp_path: Path) -> None:
    for words in (["rules", "list"], ["rules", "show", "kcd"], ["solve", "kcd"]):
        status, _, sentence = run(*words, "--place", "console")
        assert status == 2
        assert sentence == f"there is no database {tmp_path / 'farkle.db'}"
    assert run("rules", "show", "kcd")[0] == 0
    assert files(tmp_path) == set()


def test_a_database_of_another_version_is_left_alone(run: Run, console: Path) -> None:
    with closing(sqlite3.connect(console / "farkle.db")) as connection, connection:
        connection.execute("UPDATE schema_version SET number = 999")
    status, _, sentence = run("rules", "list", "--place", "console")
    assert status == 2
    assert "was made by a newer version of this program" in sentence


@pytest.mark.usefixtures("console")
def test_a_preset_goes_before_rules_of_that_name(run: Run) -> None:
    found = json.loads(run("rules", "show", "kcd", "--place", "console", "--json")[1])
    assert found["digest"] == load_rules("kcd").digest
