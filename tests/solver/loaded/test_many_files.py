"""Files of games of several players with dice of their own."""

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from solver.errors import MissingStrategyError, StrategyFileError
from solver.game.many import ManySolution
from solver.game.many_sweeps import solve_many
from solver.game.position import Position
from solver.game.standings import Solution, Standing
from solver.loaded.files import (
    ManyMatchupManifest,
    keep_within,
    matchup_path,
    open_matchup,
    save_matchup,
)
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import ManyMatchupStrategy, OwnDice
from solver.solved import open_solved
from solver.turn.dice import Die, TurnState, make_dice_set
from tests.loaded_dice import kcd

HEAVY = make_dice_set([Die((10, 1, 1, 1, 1, 1)), Die()])
ODD = make_dice_set([Die((2, 1, 2, 1, 2, 1)), Die((1, 1, 1, 1, 3, 1), frozenset({2}))])
FAIR = make_dice_set([Die()] * 2)
SEATED = Matchup(kcd(dice=2, goal=300), (HEAVY, ODD, FAIR))


@pytest.fixture(scope="module")
def solved(kernels: Path) -> ManySolution:
    return solve_many(SEATED.rules, 3, plans=SEATED.plans, cache=kernels)


def chances(strategy: OwnDice, mover: int) -> list[float]:
    players = Standing(50), Standing(150), Standing(100)
    turn = TurnState(0, strategy.whole(mover))
    order = tuple(players[(k + strategy.matchup.dice.index(HEAVY)) % 3] for k in range(3))
    return list(strategy.chances(Position(order, mover, turn)))


def test_one_file_serves_every_seat(solved: ManySolution, tmp_path: Path) -> None:
    _, path = save_matchup(SEATED, solved, tmp_path)
    assert [path] == list(tmp_path.glob("*.solved"))
    expected = ManyMatchupStrategy(SEATED, *solved.arrays)
    for by in range(3):
        asked = SEATED.from_seat(by)
        assert matchup_path(tmp_path, asked) == path
        found = open_matchup(tmp_path, asked)
        own = ManyMatchupStrategy(asked, *(np.roll(array, -by, axis=0) for array in solved.arrays))
        for mover in range(3):
            assert chances(found, mover) == chances(own, mover)
    assert chances(open_matchup(tmp_path, SEATED), 1) == chances(expected, 1)


def test_it_says_what_was_solved_and_is_mapped(solved: ManySolution, tmp_path: Path) -> None:
    opened = open_solved(save_matchup(SEATED, solved, tmp_path)[1], ManyMatchupManifest)
    manifest, (values, *_) = opened.manifest, opened.arrays
    assert isinstance(values, np.memmap)
    assert values.flags.aligned
    assert (manifest.players, manifest.digest) == (3, SEATED.digest)
    assert set(manifest.matchup.dice) == {HEAVY, ODD, FAIR}


def test_what_is_not_solved_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingStrategyError, match="not solved against each other yet"):
        open_matchup(tmp_path, SEATED)


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_file_is_refused(seed: int, solved: ManySolution, tmp_path: Path) -> None:
    _, path = save_matchup(SEATED, solved, tmp_path)
    content, chance = bytearray(path.read_bytes()), random.Random(seed)
    if seed % 4 == 0:
        del content[chance.randrange(len(content)) :]
    else:
        # half of them in the manifest
        end = content.index(b"\n") if seed % 2 else len(content)
        content[chance.randrange(end)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_matchup(tmp_path, SEATED)


def test_foreign_files_are_refused(
    solved: ManySolution, matchup: Matchup, solution: Solution, tmp_path: Path
) -> None:
    _, path = save_matchup(SEATED, solved, tmp_path)
    other = Matchup(SEATED.rules, (HEAVY, FAIR, ODD))
    path.rename(matchup_path(tmp_path, other))
    with pytest.raises(StrategyFileError, match="strategy of something else"):
        open_matchup(tmp_path, other)
    # a match-up of two, and one that says so of itself
    _, two = save_matchup(matchup, solution, tmp_path)
    two.replace(path)
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_matchup(tmp_path, SEATED)
    save_matchup(SEATED, solved, tmp_path)[1].replace(two)
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_matchup(tmp_path, matchup)


def test_the_manifest_is_one_line_of_json(solved: ManySolution, tmp_path: Path) -> None:
    _, path = save_matchup(SEATED, solved, tmp_path)
    said = json.loads(path.read_bytes().partition(b"\n")[0])
    assert said["kind"] == "several sets of dice"
    assert len(said["dice"]) == said["players"] == 3


def test_it_counts_among_the_match_ups(
    solved: ManySolution, matchup: Matchup, solution: Solution, tmp_path: Path
) -> None:
    _, of_two = save_matchup(matchup, solution, tmp_path)
    _, path = save_matchup(SEATED, solved, tmp_path)
    os.utime(of_two, (1, 1))
    os.utime(path, (0, 0))
    open_matchup(tmp_path, SEATED)
    assert keep_within(tmp_path, path.stat().st_size) == [of_two]
