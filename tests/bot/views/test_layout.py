import pytest

from bot.views.layout import columns, percent, wrap
from bot.views.progress import ExpectedSweeps
from solver.game.standings import Progress


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0.511005, "51.10 %"),
        (0, "0.00 %"),
        (1, "100.00 %"),
        (1e-9, "< 0.01 %"),
        (1 - 1e-9, "> 99.99 %"),
        (0.99994, "99.99 %"),
    ],
)
def test_percent_keeps_certainty_for_what_is_certain(probability: float, shown: str) -> None:
    assert percent(probability) == shown


def test_columns_align() -> None:
    assert columns([("a", "1"), ("long", "200"), ("x",)], right={1}) == [
        "  a       1",
        "  long  200",
        "  x",
    ]


def test_long_lines_break_at_spaces() -> None:
    assert wrap("one two three 50.00 %\n  four five", 18) == "one two three\n  50.00 %\n  four five"


def test_expected_sweeps_follow_the_residual() -> None:
    expected = ExpectedSweeps(1e-9, has_penalty=True)
    assert expected.after(Progress(1, 0.0, None)) == 14
    for sweep, residual in ((2, 1e6), (3, 0.4), (4, 1e-2), (5, 1e-3)):
        expected.after(Progress(sweep, 0.5, residual))
    assert expected.after(Progress(5, 0.9, 1e-3)) == pytest.approx(4 + 6)
    for sweep in range(6, 12):
        expected.after(Progress(sweep, 0.0, 10.0 ** -(sweep - 2)))
    assert expected.after(Progress(11, 0.5, 1e-9)) >= 11


def test_expected_sweeps_do_without_those_that_nobody_told() -> None:
    expected = ExpectedSweeps(1e-9, has_penalty=True)
    assert expected.after(Progress(4, 0.5, 1e-3)) >= 4
    assert expected.after(Progress(7, 0.5, 1e-6)) == pytest.approx(6 + 3)


def test_a_game_that_is_solved_at_once_has_a_residual_of_nothing() -> None:
    sweeps = ExpectedSweeps(1e-9, has_penalty=True)
    for sweep, residual in enumerate([1e-3, 1e-5, 1e-7, 0.0, 0.0, 1e-12], 2):
        assert sweep <= sweeps.after(Progress(sweep, 0.0, residual)) < 100
