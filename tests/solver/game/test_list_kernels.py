"""Turns that go through lists."""

from solver.game.list_kernels import turn_by_seat, turn_of_sets


def test_functions_whose_code_is_kept_have_names_of_their_own() -> None:
    """Code of one name that different processes have compiled is taken for one another."""
    turns = [turn_by_seat(1), turn_by_seat(2), turn_of_sets]
    names = {turn.py_func.__qualname__ for turn in turns}
    assert len(names) == len(turns)
