"""Powers of badges, and what rolls offer with them, against enumeration of dice and faces."""

import random
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from solver.errors import InvalidRulesError
from solver.turn.power_cells import power_lists
from solver.turn.powers import Power, PowerKind, in_steps
from solver.turn.remaining import RollLists, roll_lists, shape_of
from solver.turn.rerolls import find_rerolls, operations, place_of_roll
from tests.loaded_dice import kcd, random_dice, set_of

ACTING = [
    Power(PowerKind.DOPPELGANGER),
    Power(PowerKind.TRANSMUTATION, amount=5),
    Power(PowerKind.TRANSMUTATION, amount=1, after_farkle=True),
    Power(PowerKind.MIGHT),
]


@pytest.mark.parametrize(
    ("kind", "uses", "amount"),
    [
        (PowerKind.MIGHT, 4, 0),
        (PowerKind.MIGHT, 0, 0),
        (PowerKind.MIGHT, 1, 5),
        (PowerKind.WARLORD, 2, 50),
        (PowerKind.WARLORD, 1, 0),
        (PowerKind.TRANSMUTATION, 1, 7),
        (PowerKind.REROLL, 1, 4),
    ],
)
def test_what_is_no_power_is_refused(kind: PowerKind, uses: int, amount: int) -> None:
    with pytest.raises(InvalidRulesError, match=f"a badge of the kind {kind} has 1 to"):
        Power(kind, uses, amount)


@pytest.mark.parametrize("must_be", ["reached", "exceeded"])
@pytest.mark.parametrize("share", [25, 50, 100])
def test_a_fraction_of_a_step_that_is_left_over_never_matters(must_be: str, share: int) -> None:
    """Whoever goes on with multiples of the step wins with it when they win without it."""
    rules = kcd(goal=1000, goal_must_be=must_be)
    raised = Power(PowerKind.WARLORD, amount=share).raised(rules, 30)
    for total, before, after in product(range(30), range(0, 1000, 50), range(0, 1000, 50)):
        points = before + total * 50 * (100 + share) // 100 + after
        wins = points >= 1000 if must_be == "reached" else points > 1000
        assert wins == (before + raised[total] * 50 + after >= rules.winning_score)
        assert wins == (in_steps(rules, points) >= rules.winning_score)


def options_of(lists: RollLists, number: int) -> set[tuple[int, int, bool]]:
    """Steps, column and use of all options of a list."""
    ends = np.append(lists.starts, len(lists.options))
    targets = lists.targets[lists.options[ends[number] : ends[number + 1]]]
    cells = [(target // lists.width, target % lists.width) for target in targets.tolist()]
    return {(steps, cell % lists.columns, cell >= lists.columns) for steps, cell in cells}


@pytest.mark.parametrize("power", ACTING)
@pytest.mark.parametrize("seed", range(3))
def test_chances_of_offers_add_up_to_one(power: Power, seed: int) -> None:
    thrown = set_of(random_dice(random.Random(seed), 4))
    shape = shape_of(thrown)
    lists = power_lists(roll_lists(kcd(dice=4), shape), shape, power)
    added = power.die if power.kind is PowerKind.MIGHT else None
    chances, (farkles, *others) = lists.chances(thrown, added)
    assert not np.any(others)
    for column, (first, end) in enumerate(pairwise(lists.first_list)):
        assert chances[first:end].sum() + farkles[column] == pytest.approx(1)


def test_what_is_set_aside_may_count_twice() -> None:
    shape = shape_of(set_of(random_dice(random.Random(7), 3)))
    plain = roll_lists(kcd(dice=3), shape)
    doubled = power_lists(plain, shape, Power(PowerKind.DOPPELGANGER))
    for number in range(len(plain.starts)):
        before = options_of(plain, number)
        expected = before | {(2 * steps, column, True) for steps, column, _ in before}
        assert options_of(doubled, number) == expected


@pytest.mark.parametrize("power", [Power(PowerKind.REROLL, amount=n) for n in (1, 2, 3)])
def test_nodes_are_all_ways_to_roll_dice_again(power: Power) -> None:
    """The value of each choice is the mean over all faces of its dice, one by one."""
    dice = random_dice(random.Random(2), 4)
    thrown = set_of(dice)
    whole = find_rerolls(shape_of(thrown), power)[thrown.whole - 1]
    rolls = [roll for roll, _ in thrown.rolls(thrown.whole)]
    worth = np.empty(len(rolls))
    value = {roll: random.Random(str(roll)).random() for roll in rolls}
    for roll in rolls:
        worth[place_of_roll(thrown, thrown.whole, roll)] = value[roll]
    found = whole.values(thrown, worth)
    expected_choices = [c for n in range(1, power.amount + 1) for c in combinations(range(4), n)]
    assert sorted(whole.choices) == sorted(expected_choices)
    for roll in rolls[::97]:
        shown = sorted(roll)
        place = place_of_roll(thrown, thrown.whole, roll)
        for choice, mean in zip(whole.choices, found[place], strict=True):
            expected = 0.0
            for faces in product(range(1, 7), repeat=len(choice)):
                new, chance = list(shown), 1.0
                for at, face in zip(choice, faces, strict=True):
                    k = (shown[at] - 1) // 6
                    weights = thrown.types[k].weights
                    new[at], chance = 6 * k + face, chance * weights[face - 1] / sum(weights)
                expected += chance * value[tuple(sorted(new, reverse=True))]
            assert mean == pytest.approx(expected)
    every = find_rerolls(shape_of(thrown), power)
    held = sum(one.offered.size + sum(rolls.size for _, rolls in one.blocks) for one in every)
    assert operations(shape_of(thrown), power) == held


def test_two_dice_that_show_the_same_are_rolled_again_together() -> None:
    thrown = set_of(random_dice(random.Random(3), 3))
    power = Power(PowerKind.REROLL, amount=2, alike=True)
    rerolls = find_rerolls(shape_of(thrown), power)[thrown.whole - 1]
    for roll, _ in thrown.rolls(thrown.whole):
        offered = rerolls.offered[place_of_roll(thrown, thrown.whole, roll)]
        dice = sorted(roll)
        for choice, node in zip(rerolls.choices, offered, strict=True):
            one, other = thrown.faces((dice[choice[0]],)), thrown.faces((dice[choice[1]],))
            assert (node >= 0) == (one == other)


def test_fewer_points_are_offered_where_they_may_be_better() -> None:
    """Two 1s are thrown, and one of them is turned to a 5: either may be set aside."""
    shape, power = ((2, 0),), Power(PowerKind.TRANSMUTATION, amount=5)
    for barred, fewest in ((("100",), 1), ((), 2)):
        rules = kcd(dice=2, no_bank_at=barred)
        plain = roll_lists(rules, shape, all_options=not rules.more_is_better)
        offers = power_lists(plain, shape, power)
        ones = options_of(offers, int(offers.first_list[1] + offers.lists[1][0]))
        assert min(steps for steps, column, used in ones if used and column == 0) == fewest
