from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from solver.named.sets import (
    NamedDie,
    make_set,
    number_of_sets,
    read_dice,
    sets_from,
    with_ordinary,
)
from tests.solver.named.made_up import dice


@settings(max_examples=30)
@given(st.lists(dice, min_size=3, max_size=9), st.integers(1, 3))
def test_every_set_is_found_once(owned: list[NamedDie], number: int) -> None:
    expected = {make_set(some).dice_set for some in combinations(owned, number)}
    found = sets_from(owned, number)
    assert {one.dice_set for one in found} == expected
    assert len(found) == len(expected) == number_of_sets(owned, number)


def test_ordinary_dice_fill_up_a_set_and_own_names_go_first() -> None:
    pool = with_ordinary(read_dice("lucky*2,hugo"), 6)
    found = [one.text for one in sets_from(pool, 6)]
    assert "ordinary*3,lucky*2,hugo" in found
    assert len(found) == 3, "two lucky dice, one or none"
    assert number_of_sets(with_ordinary(read_dice("ordinary*9"), 6), 6) == 1
