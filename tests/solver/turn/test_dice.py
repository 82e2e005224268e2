import random
from collections import Counter
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import InvalidDiceError, InvalidRollError
from solver.rules.file import load_rules
from solver.turn.dice import (
    JOKER,
    DiceSet,
    Die,
    Remaining,
    Roll,
    dice_set,
    make_dice_set,
    make_roll,
    parse_dice,
    parts,
)

faces = st.lists(st.integers(1, 6), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "text",
    ["6 5 3 3 3 2", "653332", "6,5,3,3,3,2", " 2 3,33 5;6 ", "⚅⚄⚂⚂⚂⚁", "6️⃣5️⃣3️⃣3️⃣3️⃣2️⃣", "６５３３３２"],
)
def test_dice_are_read_as_people_type_them(text: str) -> None:
    assert parse_dice(text) == (6, 5, 3, 3, 3, 2)


@given(faces, st.sampled_from(["", " ", ",", ", "]))
def test_every_roll_is_read(dice: list[int], separator: str) -> None:
    assert parse_dice(separator.join(map(str, dice))) == make_roll(dice)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no dice given"),
        (" , ", "no dice given"),
        ("1 2 3 4 5 6 1 2 3 4 5", "11 dice are too many"),
        ("7", '"7" is not a die face'),
        ("0", '"0" is not a die face'),
        ("five", '"f" is not a die face'),
        ("1 2 x", '"x" is not a die face'),
    ],
)
def test_what_is_no_roll_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRollError, match=sentence) as caught:
        parse_dice(text)
    assert "a roll is 1 to 10 dice, such as 6 5 3 3 3 2 2 2 1 1" in str(caught.value)


@given(st.text(max_size=12))
def test_any_text_is_a_roll_or_refused(text: str) -> None:
    try:
        roll = parse_dice(text)
    except InvalidRollError:
        return
    assert 1 <= len(roll) <= 6
    assert set(roll) <= set(range(1, 7))


@given(faces.map(make_roll))
def test_parts_are_all_that_can_be_taken_from_a_roll(roll: tuple[int, ...]) -> None:
    taken = {part for size in range(len(roll) + 1) for part in combinations(roll, size)}
    assert parts(roll) == taken


some_dice = [
    Die(),
    Die((3, 1, 1, 1, 1, 0)),
    Die((0, 0, 2, 1, 5, 1)),
    Die((2, 1, 1, 1, 1, 1), frozenset({1})),
]
some_sets = st.lists(
    st.sampled_from(some_dice),
    min_size=1,
    max_size=4,
).map(make_dice_set)


def all_rolls(thrown: DiceSet, dice: Remaining) -> Counter[Roll]:
    """The weight of every roll, die by die and face by face."""
    found: Counter[Roll] = Counter()
    faces = [
        [(6 * k + face, weight) for face, weight in enumerate(thrown.types[k].weights, 1)]
        for k, number in enumerate(thrown.remaining[dice])
        for _ in range(number)
    ]
    for fallen in product(*faces):
        found[make_roll(die for die, _ in fallen)] += prod(weight for _, weight in fallen)
    return found


@given(some_sets, st.data())
def test_every_roll_of_any_dice_has_its_weight(thrown: DiceSet, data: st.DataObject) -> None:
    dice = data.draw(st.integers(1, thrown.whole))
    found = dict(thrown.rolls(dice))
    assert found == all_rolls(thrown, dice)
    assert sum(found.values()) == thrown.ways(dice)


@given(some_sets, st.data())
def test_what_remains_is_what_was_not_set_aside(thrown: DiceSet, data: st.DataObject) -> None:
    assert thrown.remaining[thrown.whole] == thrown.counts
    assert sum(thrown.remaining[0]) == 0
    assert len(set(thrown.remaining)) == prod(number + 1 for number in thrown.counts)
    dice = data.draw(st.integers(1, thrown.whole))
    roll = data.draw(st.sampled_from([roll for roll, _ in thrown.rolls(dice)]))
    part = data.draw(st.sampled_from(sorted(parts(roll))))
    left = [len([die for die in roll if (die - 1) // 6 == k]) for k in range(len(thrown.types))]
    for die in part:
        left[(die - 1) // 6] -= 1
    assert thrown.remaining[thrown.without(dice, part)] == tuple(left)
    shown = [(thrown.types[(die - 1) // 6], (die - 1) % 6 + 1) for die in part]
    assert thrown.faces(part) == make_roll(
        JOKER if face in die.jokers else face for die, face in shown
    )


@given(st.lists(st.sampled_from(some_dice), min_size=1, max_size=6), st.randoms())
def test_the_order_of_dice_and_a_common_factor_of_weights_mean_nothing(
    dice: list[Die], chance: random.Random
) -> None:
    others = [Die(tuple(3 * weight for weight in die.weights), die.jokers) for die in dice]
    chance.shuffle(others)
    assert make_dice_set(others) == make_dice_set(dice)


def test_dice_that_fall_alike_are_one_type() -> None:
    jokers = [Die((1, 2, 1, 1, 1, 0), frozenset(faces)) for faces in [(1, 2), (1, 2, 6)]]
    thrown = make_dice_set([*jokers, Die((3, 0, 1, 1, 1, 0), frozenset({1})), Die()])
    assert thrown.counts == (3, 1)
    assert thrown.types == (Die((3, 0, 1, 1, 1, 0), frozenset({1})), Die())


@pytest.mark.parametrize(
    "weights", [(0,) * 6, (1,) * 5, (1,) * 7, (1, 1, 1, 1, 1, -1), (1, 1, 1, 1, 1, 1_000_001)]
)
def test_weights_that_no_die_has_are_refused(weights: tuple[int, ...]) -> None:
    with pytest.raises(InvalidDiceError, match="whole numbers from 0 to 1,000,000"):
        Die(weights)


def test_what_is_no_set_of_dice_is_refused() -> None:
    with pytest.raises(InvalidDiceError, match="among its faces 1 to 6, not \\[7\\]"):
        Die(jokers=frozenset({7}))
    with pytest.raises(InvalidDiceError, match="1 to 10 dice, not 11"):
        make_dice_set([Die()] * 11)
    with pytest.raises(InvalidDiceError, match="1 to 10 dice, not 0"):
        make_dice_set([])


def test_of_equal_dice_their_number_remains() -> None:
    thrown = dice_set(load_rules("facebook"))
    assert thrown.remaining == tuple((number,) for number in range(7))
    assert thrown.whole == 6
    for number in range(1, 7):
        assert thrown.ways(number) == 6**number
        assert dict(thrown.rolls(number)) == Counter(
            make_roll(faces) for faces in product(range(1, 7), repeat=number)
        )
