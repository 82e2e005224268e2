"""The checker finds what it looks for, and a short trial by faults leaves nothing to be found."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.table.events import Banked, Begun, Event, Kept, Rolled
from solver.rules.file import load_rules
from tests.bot.postgres import KINDS, WHY_NOT
from tests.nemesis.__main__ import Trial, report, try_out
from tests.nemesis.checker import Move, moves_of, states_of, unmatched, was_so
from tests.nemesis.people import Attempt, Shown

KINDS_OF_EVENTS = ["begun", "rolled"]
KINDS_OF_EVENTS += ["kept", "rolled", "kept", "banked", "rolled", "kept", "banked"]
MOVES = [Move(1, "rolled"), Move(2, "rolled"), Move(4, "banked"), Move(6, "rolled")]
MOVES += [Move(7, "banked")]
MADE = [Attempt(one.version, one.kind, by_command=False, is_told=True) for one in MOVES]


def record(kinds: list[str]) -> Any:
    return SimpleNamespace(events=[SimpleNamespace(kind=one) for one in kinds])


def test_moves_are_those_of_commands() -> None:
    assert moves_of(record(KINDS_OF_EVENTS)) == MOVES


def test_what_was_shown_and_is_stored_is_well() -> None:
    assert unmatched(MOVES, MADE) == ([], [])
    # nobody was told of the last one, and it was tried twice; another one was not done at all
    unsure = replace(MADE[-1], is_told=False)
    assert unmatched(MOVES, [*MADE[:-1], unsure, unsure]) == ([], [])
    assert unmatched(MOVES, [*MADE, replace(MADE[0], version=9, is_told=False)]) == ([], [])
    # a command is done at the version that it was given at, or later
    typed = replace(MADE[3], version=4, by_command=True)
    assert unmatched(MOVES, [*MADE[:3], typed, MADE[4]]) == ([], [])


@pytest.mark.parametrize("number", range(len(MOVES)))
def test_what_was_shown_and_is_not_stored_is_lost(number: int) -> None:
    rest = [one for one in MOVES if one != MOVES[number]]
    assert unmatched(rest, MADE) == ([MADE[number]], [])
    typed = replace(MADE[number], by_command=True)
    assert unmatched(rest, [typed if one is MADE[number] else one for one in MADE])[0] == [typed]


@pytest.mark.parametrize("number", range(len(MOVES)))
def test_what_is_stored_and_nobody_made_is_doubled(number: int) -> None:
    made = [one for one in MADE if one is not MADE[number]]
    assert unmatched(MOVES, made) == ([], [MOVES[number]])


def test_one_command_is_good_for_one_move() -> None:
    typed = [replace(MADE[0], by_command=True)]
    assert unmatched([MOVES[0], Move(2, "rolled")], typed) == ([], [Move(2, "rolled")])


def test_what_was_never_so_is_found() -> None:
    begun = Begun(game="a", rules=load_rules("kcd"), levels=(None, None))
    events: list[Event] = [Rolled(dice=(1, 2, 2, 3, 4, 6)), Kept(dice=(1,)), Banked()]
    states = states_of(begun, events)
    for shown in (
        Shown(1, (0, 0), ()),
        Shown(2, (0, 0), ((0, 6), (5, 1))),
        Shown(4, (100, 0), ()),
    ):
        assert was_so(shown, states)
        assert not was_so(replace(shown, scores=(0, 100)), states)
        assert not was_so(replace(shown, version=5), states)
        assert not was_so(replace(shown, dice=((1, 6),)), states)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_an_evening_by_faults(
    kind: str, tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if kind == "postgresql" and WHY_NOT:
        pytest.skip(WHY_NOT)
    (tmp_path / "strategies").symlink_to(data / "strategies")
    trial = Trial(kind, seconds=5, games=10, think=0.1, every=0.5, away=1, calm=1)
    outcome = await try_out(trial, tmp_path)
    assert report(trial, outcome, trial.seconds), capsys.readouterr().out
    # how many is a matter of the machine
    assert outcome.verdict.moves > 0
    assert outcome.faults.total() > 0
