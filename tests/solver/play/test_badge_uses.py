"""When to use a badge: against averages over all rolls, and games that are rolled die by die."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from solver.errors import InvalidPositionError
from solver.game.position import Held
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup
from solver.loaded.strategy import MatchupStrategy
from solver.play.advice import advise, best_use, odds
from solver.turn.powers import Power, PowerKind
from tests import naive_loaded
from tests.loaded_dice import GAME_DICE, coded, kcd, random_dice, set_of
from tests.powers import KINDS, random_power, without_jokers


def any_strategy(seed: int, kind: PowerKind, **options: Any) -> MatchupStrategy:
    """A turn of three dice with a badge among values that are made up."""
    chance = random.Random(f"{kind} {seed}")
    powers = random_power(chance, kind, 2), random_power(chance, chance.choice(KINDS), 1)
    refused = {
        PowerKind.MIGHT: "hot_dice_bonus",
        PowerKind.WARLORD: "farkle_keeps_turn_total",
    }
    for power in powers:
        options.pop(refused.get(power.kind, ""), None)  # with which it does not go
    rules = kcd(dice=3, goal=200, set_aside_all=seed % 2 == 1, **options)
    dice = [random_dice(chance, 3) for _ in range(2)]
    if rules.decisive:
        powers = without_jokers(powers[0]), without_jokers(powers[1])
        dice = [[replace(die, jokers=frozenset()) for die in some] for some in dice]
    one, other = map(set_of, dice)
    shape = powers[0].uses + 1, powers[1].uses + 1, 2, 4, 4
    values = np.sort(np.random.default_rng(seed).random(shape), axis=0)
    matchup = Matchup(rules, (one, other), chance.random() < 0.3, powers=powers)
    return MatchupStrategy(matchup, values)


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "farkle keeps": {"farkle_keeps_turn_total": True},
    "win or lose": {"instant_win": ("66",), "lose_everything": ("22",)},
    "one left, bonus": {"bank_dice_left": 1, "hot_dice": "no_bank", "hot_dice_bonus": (50, 100)},
    "final turn": {"ending": "final_turn", "ties": "shared"},
}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_the_average_over_all_rolls_is_the_value_of_rolling(
    seed: int, options: str, kind: PowerKind
) -> None:
    strategy = any_strategy(seed, kind, **OPTIONS[options])
    thrown, power = strategy.matchup.dice[0], strategy.matchup.powers[0]
    assert power is not None
    turns = [(0, thrown.whole), (50, 1)]
    others = [50] if strategy.rules.ending == "at_once" else [50, 250]
    for left, (total, dice), other in product(range(power.uses + 1), turns, others):
        held = Held((left, 1))
        position = strategy.start(0, 50, other, held).change(turn_total=total, dice=dice)
        mean = 0.0
        for roll, ways in thrown.rolls(dice):
            advice = advise(strategy, position, roll)
            found = advice.uses
            values = [one.win_probability for one in found]
            assert values == sorted(values, reverse=True)
            assert all(one.without == advice.win_probability for one in found)
            mean += ways * max([advice.win_probability, *values])
        weighed = odds(strategy, position)
        assert weighed.roll == pytest.approx(mean / thrown.ways(dice), rel=1e-11)
        use = weighed.use
        best = [weighed.roll, *([] if weighed.bank is None else [weighed.bank])]
        if use and kind is not PowerKind.RESURRECTION:
            best.append(use.win_probability)
            now = best_use(strategy, position, None) is not None
            assert now == (use.win_probability > use.without + 1e-12)
        assert weighed.win_probability == pytest.approx(max(best), rel=1e-11)


def test_without_a_use_left_there_is_none() -> None:
    used_up = Held((0, 0))
    for kind in KINDS:
        strategy = any_strategy(0, kind)
        position = strategy.start(0, held=used_up).change(turn_total=50, dice=1)
        weighed = odds(strategy, position)
        assert weighed.use is None
        [(roll, _), *_] = strategy.matchup.dice[0].rolls(position.dice)
        advice = advise(strategy, position, roll)
        assert advice.uses == ()
        assert best_use(strategy, position, None) is None


def test_positions_that_only_a_badge_makes_are_possible() -> None:
    """None of the own dice was set aside for 50 points."""
    for kind in KINDS:
        strategy = any_strategy(1, kind)
        whole = strategy.matchup.dice[0].whole
        power = strategy.matchup.powers[0]
        assert power is not None
        position = strategy.start(0).change(turn_total=50, dice=whole)
        strategy.check(position)
        assert strategy.is_reachable(position) == power.makes_points
        with pytest.raises(InvalidPositionError):
            strategy.check(strategy.start(0).change(dice=1))


@njit(cache=True)
def play(
    games: int,
    seed: int,
    goal: int,
    whole: int,
    falls: Any,
    codes: Any,
    points: Any,
    after: Any,
    ends: Any,
    again: Any,
    worth: Any,
    left: Any,
) -> int:
    """How many of the games the first side wins, who begins and has Resurrection.

    The other has a silver Warlord. Points are whole; tables are by steps of 50.

    ends : [side, uses, uses, own, other, total, remaining]: 0 to roll, 1 to bank, 2 with the badge
    again : the same: 1 to roll again after a farkle; worth : the values; left : uses of both
    The rest is as in test_loaded.
    """
    np.random.seed(seed)
    wins = 0
    number = falls.shape[1]
    shown = np.zeros(number, dtype=np.int64)
    for _ in range(games):
        scores, uses, side = [0, 0], [left[0], left[1]], 0
        while True:
            own, other = scores[side] // 50, scores[1 - side] // 50
            total, dice, end = 0, whole, 0
            while end == 0:
                for k in range(number):
                    if dice >> k & 1:
                        chance, face = np.random.random(), 0
                        while chance >= falls[side, k, face]:
                            face += 1
                        shown[k] = codes[side, k, face]
                best, kept, gained = -1.0, 0, 0
                mask = dice
                while mask:
                    number_of = 0
                    for k in range(number):
                        if mask >> k & 1:
                            number_of += shown[k]
                    if points[number_of] >= 0:
                        rest = dice & ~mask
                        row = min(total + points[number_of], worth.shape[5] - 1)
                        column = after[side, rest if rest else whole]
                        value = worth[side, uses[0], uses[1], own, other, row, column]
                        if value > best:
                            best, kept, gained = value, mask, points[number_of]
                    mask = (mask - 1) & dice
                row = min(total, worth.shape[5] - 1)
                if best < 0:
                    if again[side, uses[0], uses[1], own, other, row, after[side, dice]] == 1:
                        uses[side] -= 1
                        continue
                    break
                total += gained
                dice &= ~kept
                if dice == 0:
                    dice = whole
                row = min(total, worth.shape[5] - 1)
                end = ends[side, uses[0], uses[1], own, other, row, after[side, dice]]
            if end > 0:
                scores[side] += 50 * total
                if end == 2:
                    scores[side] += 25 * total
                    uses[side] -= 1
                if scores[side] >= goal:
                    wins += side == 0
                    break
            side = 1 - side
    return wins


@pytest.mark.slow
def test_games_with_badges_are_won_as_often(kernels: Path) -> None:
    chance = random.Random(5)
    kinds = [naive_loaded.Weights(weights) for weights in chance.sample(GAME_DICE, 3)]
    kinds.append(naive_loaded.Weights((1,) * 6, frozenset({1})))
    dice = [[kinds[0]] * 4 + [kinds[3]] * 2, [kinds[1]] * 3 + [kinds[2]] * 3]
    rules = kcd(goal=1000)
    one, other = set_of(dice[0]), set_of(dice[1])
    powers = Power(PowerKind.RESURRECTION, 2), Power(PowerKind.WARLORD, amount=50)
    matchup = Matchup(rules, (one, other), powers=powers)
    strategy = MatchupStrategy(matchup, solve_matchup(matchup, cache=kernels).values)
    shape = 2, 3, 2, 20, 20, 20 + 1, max(one.whole, other.whole)
    worth, ends = np.ones(shape), np.ones(shape, dtype=np.int8)
    again = np.zeros(shape, dtype=np.int8)
    for side, a, b, own, opponent in product(range(2), range(3), range(2), range(20), range(20)):
        start = strategy.start(side, own * 50, opponent * 50, Held((a, b)))
        turn, rows = strategy.power_turn(start), 20 - own
        assert (turn is None) == ((a, b)[side] == 0)
        top = turn.top if turn else strategy.turn(start)
        here = worth[side, a, b, own, opponent], ends[side, a, b, own, opponent]
        columns = top.plan.columns
        here[0][:rows, :columns] = top.win_probability[0, :rows]
        bank = np.nan_to_num(top.ends.banks[:rows], nan=-1.0)
        more = bank
        if turn and turn.more is not None:
            more = np.nan_to_num(turn.more[:rows, np.newaxis], nan=-1.0)
        end = np.where(more > bank, 2, 1)
        here[1][:rows, :columns] = np.where(np.maximum(bank, more) >= top.roll[0, :rows], end, 0)
        if turn and turn.instead is not None:
            rolls = turn.instead[0, :21] > top.ends.farkle[0]
            again[side, a, b, own, opponent, : len(rolls), :columns] = rolls
    points, falls, codes, after = coded(rules, dice, (one, other))
    games = 100_000
    for uses in product(range(3), range(2)):
        wins = play(
            games, 3, 1000, 63, falls, codes, points, after, ends, again, worth, np.array(uses)
        )
        expected = strategy.win_probability(strategy.start(0, held=Held((uses[0], uses[1]))))
        error = np.sqrt(expected * (1 - expected) / games)
        assert abs(wins / games - expected) < 4 * error
