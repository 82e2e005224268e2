"""Files of match-ups."""

import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.errors import MissingStrategyError, StrategyFileError
from solver.game.standings import Solution, value_shape
from solver.loaded.files import (
    MatchupManifest,
    keep_within,
    matchup_path,
    open_matchup,
    save_matchup,
)
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup, uses_shape
from solver.solved import read_manifest
from solver.turn.dice import Die, make_dice_set
from solver.turn.powers import Power, PowerKind
from tests.loaded_dice import kcd


def test_one_file_serves_both_orders(matchup: Matchup, solution: Solution, tmp_path: Path) -> None:
    _, path = save_matchup(matchup, solution, tmp_path)
    assert [path] == list(tmp_path.glob("*.solved"))
    assert np.array_equal(open_matchup(tmp_path, matchup).arrays[0], solution.values)
    exchanged = open_matchup(tmp_path, matchup.from_seat(1))
    assert np.array_equal(exchanged.arrays[0], solution.values[::-1])
    assert exchanged.matchup == matchup.from_seat(1)
    manifest = read_manifest(path, MatchupManifest)
    assert manifest.matchup in (matchup, matchup.from_seat(1))
    assert manifest.digest == matchup.digest


def test_that_somebody_can_never_score_is_kept(kernels: Path, tmp_path: Path) -> None:
    twos, threes = Die((0, 1, 0, 0, 0, 0)), Die((0, 0, 1, 0, 0, 0))
    never = make_dice_set([twos, twos, threes, threes])
    matchup = Matchup(kcd(dice=4, goal=800), (never, make_dice_set([Die()] * 4)))
    save_matchup(matchup, solve_matchup(matchup, cache=kernels), tmp_path)
    strategy = open_matchup(tmp_path, matchup)
    assert [strategy.win_probability(strategy.start(seat)) for seat in (0, 1)] == [0, 1]


def test_what_is_not_solved_is_missing(matchup: Matchup, tmp_path: Path) -> None:
    with pytest.raises(MissingStrategyError, match="not solved against each other yet"):
        open_matchup(tmp_path, matchup)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_refused(
    seed: int, matchup: Matchup, solution: Solution, tmp_path: Path
) -> None:
    _, path = save_matchup(matchup, solution, tmp_path)
    content = bytearray(path.read_bytes())
    chance = random.Random(seed)
    if seed % 4 == 0:
        del content[chance.randrange(len(content)) :]
    else:
        # half of them in the manifest
        end = content.index(b"\n") if seed % 2 else len(content)
        content[chance.randrange(end)] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    with pytest.raises(StrategyFileError, match="is damaged"):
        open_matchup(tmp_path, matchup)


def test_another_file_under_the_name_is_refused(
    matchup: Matchup, solution: Solution, tmp_path: Path
) -> None:
    _, path = save_matchup(matchup, solution, tmp_path)
    other = Matchup(matchup.rules, (matchup.dice[0], matchup.dice[0]))
    path.rename(matchup_path(tmp_path, other))
    with pytest.raises(StrategyFileError, match="strategy of something else"):
        open_matchup(tmp_path, other)


def test_what_was_not_used_for_longest_goes_first(
    matchup: Matchup, solution: Solution, tmp_path: Path
) -> None:
    _, path = save_matchup(matchup, solution, tmp_path)
    size = path.stat().st_size
    others = [tmp_path / f"{number:016}_dice2.solved" for number in range(3)]
    for number, other in enumerate(others):
        other.write_bytes(path.read_bytes())
        os.utime(other, (number, number))
    os.utime(path, (0, 0))
    open_matchup(tmp_path, matchup)
    assert keep_within(tmp_path, 4 * size) == []
    assert keep_within(tmp_path, 2 * size + 1) == others[:2]
    assert sorted(tmp_path.glob("*.solved")) == sorted([others[2], path])


def test_badges_with_unequal_uses_are_kept_in_both_orders(matchup: Matchup, tmp_path: Path) -> None:
    powers = Power(PowerKind.RESURRECTION, uses=1), Power(PowerKind.RESURRECTION, uses=2)
    for seat in (0, 1):
        mine = replace(matchup, badges=(), powers=powers).from_seat(seat)
        shape = *uses_shape(mine), *value_shape(mine.rules, sides=2)
        values = np.random.default_rng(seat).random(shape)
        save_matchup(mine, Solution(mine.rules, values, 1e-9, 1, 0.0, 1e-9, 1, 1.0), tmp_path)
        assert np.array_equal(open_matchup(tmp_path, mine).arrays[0], values)
