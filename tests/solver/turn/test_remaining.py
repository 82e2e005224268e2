"""Lists of rolls of different dice, against every face of every die one by one."""

import random
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Die, Roll, all_points, all_points_with_jokers, make_dice_set
from solver.turn.equations import Endings, TurnPlan, solve_turn, turn_plan
from solver.turn.remaining import RollLists, roll_lists, set_asides_of, shape_of
from tests import naive_loaded
from tests.loaded_dice import EVERY_DIE, kcd, random_badge, random_dice, set_of

Best = frozenset[tuple[int, tuple[int, ...]]]
"""Most points for each of the dice left, as numbers by type."""


def naive_lists(
    thrown: DiceSet, dice: list[naive_loaded.Weights], player: naive_loaded.Player
) -> dict[tuple[int, ...], dict[Best, float]]:
    """The chances of what rolls offer, by the dice rolled; nothing for a farkle."""
    types = [thrown.types.index(Die(die.weights, die.jokers).reduced) for die in dice]

    def numbers(left: tuple[int, ...]) -> tuple[int, ...]:
        found = Counter(types[place] for place in left)
        return tuple(found[k] for k in range(len(thrown.types)))

    every = {}
    for left, outcomes in player.outcomes.items():
        chances: dict[Best, float] = defaultdict(float)
        for choices, chance in outcomes.items():
            best: dict[tuple[int, ...], int] = {}
            for points, to in choices:
                best[numbers(to)] = max(points, best.get(numbers(to), 0))
            chances[frozenset((points, to) for to, points in best.items())] += chance
        every[numbers(left)] = chances
    return every


def lists_of(lists: RollLists, thrown: DiceSet) -> dict[tuple[int, ...], dict[Best, float]]:
    """The chances of the best options by the lists of a shape."""
    chances, (farkles, _, _) = lists.chances(thrown)
    offsets = lists.targets[lists.options]
    parts = np.split(offsets, lists.starts[1:])
    every = {}
    for column in range(lists.columns):
        found: dict[Best, float] = defaultdict(float, {frozenset(): float(farkles[column])})
        for number in range(*lists.first_list[column : column + 2]):
            best = frozenset(
                (
                    offset // lists.columns * lists.rules.point_step,
                    thrown.remaining[offset % lists.columns + 1],
                )
                for offset in parts[number].tolist()
            )
            found[best] += chances[number]
        every[thrown.remaining[column + 1]] = found
    return every


@pytest.mark.parametrize("seed", range(12))
def test_lists_hold_what_rolls_offer_face_by_face(seed: int) -> None:
    chance = random.Random(seed)
    number = chance.choice([2, 3, 3, 4])
    rules = kcd(dice=number, set_aside_all=seed % 4 == 0, goal=1000)
    dice, alone = random_dice(chance, number), seed % 3 == 0
    badge = random_badge(chance, number)
    thrown = set_of(dice)
    expected = naive_lists(
        thrown, dice, naive_loaded.Player(naive_loaded.Table(rules, alone, badge), dice)
    )
    lists = roll_lists(rules, shape_of(thrown), joker_alone=alone, badge=badge)
    found = lists_of(lists, thrown)
    assert found.keys() == expected.keys()
    for left, chances in expected.items():
        possible = {best: share for best, share in found[left].items() if share}
        assert possible == pytest.approx(chances, abs=1e-14)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("jokers", [frozenset[int](), frozenset({1})])
def test_rolls_of_every_die_of_the_game_face_by_face(jokers: frozenset[int]) -> None:
    """Six of each die have the ways to farkle, and the most points, of all 46,656 rolls at once."""
    rules = kcd()
    table = naive_loaded.Table(rules)

    @cache
    def most(shown: naive_loaded.Faces) -> int:
        parts = (part for number in range(1, 7) for part in combinations(shown, number))
        return max(naive_loaded.points(table, part) or 0 for part in parts)

    def of_faces(*faces: int) -> int:
        return most(tuple(sorted("J" if face in jokers else str(face) for face in faces)))

    points = np.array([of_faces(*faces) for faces in product(range(1, 7), repeat=6)])
    dice = [die for die in EVERY_DIE if die.jokers == jokers]
    assert dice
    for die in dice:
        ways = np.array(die.weights)
        for _ in range(5):
            ways = np.multiply.outer(ways, die.weights).ravel()
        farkles, total = int(ways @ (points == 0)), int(ways @ points)
        thrown = set_of([die] * 6)
        lists = roll_lists(rules, shape_of(thrown))
        exact = Fraction(farkles, sum(die.weights) ** 6)
        chances, (found, _, _) = lists.chances(thrown)
        assert found[-1] == pytest.approx(float(exact), rel=1e-12)
        whole = slice(*lists.first_list[-2:])
        best = np.maximum.reduceat(lists.targets[lists.options], lists.starts)[whole]
        mean = float(best // lists.columns @ chances[whole]) * rules.point_step
        assert mean == pytest.approx(total / int(ways.sum()), rel=1e-12)
        if die.weights == (1,) * 6 and not jokers:
            assert (farkles, int(ways.sum())) == (1440, 46656)


@pytest.mark.parametrize("alone", [False, True])
def test_points_of_dice_with_jokers(alone: bool) -> None:
    rules = kcd()
    found = all_points_with_jokers(rules, joker_alone=alone)
    chance = random.Random(5)
    for _ in range(300):
        shown = tuple(sorted(chance.choice("JJ123456") for _ in range(chance.randint(1, 6))))
        roll = tuple(sorted((0 if face == "J" else int(face) for face in shown), reverse=True))
        assert found.get(roll) == naive_loaded.points(naive_loaded.Table(rules, alone), shown)
    natural = {roll: points for roll, points in found.items() if 0 not in roll}
    assert natural == all_points(rules)


@pytest.mark.parametrize("alone", [False, True])
def test_a_face_that_is_a_joker_is_as_dice_with_a_joker_there(alone: bool) -> None:
    """Where the face is worth nothing that it could count as itself for."""
    triples = (1000, 200, 300, 400, 500, 0)
    plain = Ruleset(name="x", goal=4000, scoring={"three_of_a_kind": triples, "straight_1_5": 750})
    scoring = plain.scoring.model_copy(update={"jokers": ("6",), "joker_alone": alone})
    rules = plain.model_copy(update={"scoring": scoring})
    thrown = make_dice_set([Die(jokers=frozenset({6}))] * 6)
    own = roll_lists(plain, shape_of(thrown), joker_alone=alone).plan(thrown)
    found = turn_plan(rules)
    np.testing.assert_array_equal(found.farkle_chances, own.farkle_chances)

    def chances(plan: TurnPlan) -> dict[tuple[int, ...], float]:
        lists = ([int(plan.targets[one]) for one in some] for some in plan.lists())
        return dict(zip(map(tuple, map(sorted, lists)), plan.chances.sum(axis=0), strict=True))

    assert chances(found) == pytest.approx(chances(own), abs=1e-15)


@pytest.mark.parametrize(
    ("roll", "points"),
    [
        ((0,), None),
        ((1, 0), None),
        ((1, 1, 0), 1000),
        ((1, 0, 0), 1000),
        ((5, 4, 3, 2, 0), 750),
        ((4, 3, 2, 1, 0), 500),
        ((6, 0, 0, 0, 0, 0), 4800),
        ((0,) * 6, None),
    ],
)
def test_a_joker_needs_a_die_that_is_none(roll: Roll, points: int | None) -> None:
    assert all_points_with_jokers(kcd()).get(roll) == points


def test_which_die_shows_a_face_is_part_of_a_set_aside() -> None:
    ordinary, heavy = Die(), Die((10, 1, 1, 1, 1, 1))
    thrown = make_dice_set([ordinary] * 2 + [heavy])
    five, other_five = 5, 6 + 5
    rules = kcd(dice=3, goal=1000)
    found = {kept.dice: kept.points for kept in set_asides_of(rules, thrown, (other_five, five, 2))}
    assert found == {(other_five, five): 100, (five,): 50, (other_five,): 50}


def test_of_ordinary_dice_a_turn_is_that_of_the_rules() -> None:
    rules = kcd()
    thrown = make_dice_set([Die()] * 6)
    plan, ordinary = roll_lists(rules, shape_of(thrown)).plan(thrown), turn_plan(rules)
    totals = np.arange(200) * 50.0
    ends = Endings.alone(np.where(totals > 0, totals / 1e4, np.nan), np.full(200, 0.1), 0.0)
    found, expected = solve_turn(plan, ends), solve_turn(ordinary, ends)
    np.testing.assert_allclose(found.roll, expected.roll, rtol=1e-13)
    assert plan.reach == ordinary.reach


@pytest.mark.parametrize("seed", range(4))
def test_states_that_a_turn_can_come_to(seed: int) -> None:
    chance = random.Random(seed)
    thrown = make_dice_set(Die((1, 1, 1, 1, 1, chance.randint(1, 2))) for _ in range(3))
    rules = kcd(dice=3, goal=1000)
    rows = 30
    lists = roll_lists(rules, shape_of(thrown))
    (found,) = lists.possible_states(lists.plan(thrown), rows)
    expected = np.zeros_like(found)
    new = {(0, thrown.whole)}
    while new:
        total, dice = new.pop()
        if total >= rows * 50 or expected[total // 50, dice - 1]:
            continue
        expected[total // 50, dice - 1] = True
        for roll, _ in thrown.rolls(dice):
            for kept in set_asides_of(rules, thrown, roll):
                left = thrown.without(dice, kept.dice) or thrown.whole
                new.add((total + kept.points, left))
    assert np.array_equal(found, expected)
