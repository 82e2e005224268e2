from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import InvalidRollError
from solver.turn.dice import make_roll, parse_dice, parts, rolls

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
        ("1 2 3 4 5 6 1", "7 dice are too many"),
        ("7", '"7" is not a die face'),
        ("0", '"0" is not a die face'),
        ("five", '"f" is not a die face'),
        ("1 2 x", '"x" is not a die face'),
    ],
)
def test_what_is_no_roll_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRollError, match=sentence) as caught:
        parse_dice(text)
    assert "a roll is 1 to 6 dice, such as 6 5 3 3 3 2" in str(caught.value)


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


@pytest.mark.parametrize("number", range(1, 7))
def test_ways_count_every_ordered_roll(number: int) -> None:
    counted: dict[tuple[int, ...], int] = {}
    for roll in product(range(1, 7), repeat=number):
        counted[make_roll(roll)] = counted.get(make_roll(roll), 0) + 1
    assert dict(rolls(number)) == counted
