"""How busy it is, by what is late."""

import pytest

from bot.tasks.pressure import Degree, Pressure
from solver.errors import InvalidRequestError


def after(pressure: Pressure, seconds: float, *, delay: float = 0.0, wait: float = 0.0) -> Degree:
    """The degree after so many seconds in which ticks, and moves, are late."""
    passed = 0.0
    while passed < seconds:
        if wait:
            pressure.note(wait)
        pressure.tick(0.1 + delay)
        passed += 0.1 + delay
    return pressure.degree


def test_degrees() -> None:
    pressure = Pressure(0.1)
    assert after(pressure, 10) is Degree.CALM
    # a moment's delay says nothing
    assert after(pressure, 0.4, delay=0.3) is Degree.CALM
    assert after(pressure, 10, delay=0.15) is Degree.BUSY
    assert after(pressure, 10, wait=0.25) is Degree.STRAINED
    assert after(pressure, 10, delay=0.9, wait=0.01) is Degree.OVERLOADED
    assert after(pressure, 6) is Degree.CALM


def test_dice_are_left_out_where_the_loop_is_late_but_not_for_a_slow_database() -> None:
    pressure = Pressure(0.1)
    assert after(pressure, 10, wait=0.09) is Degree.CALM
    assert not pressure.spares_dice
    assert after(pressure, 10, delay=0.011) is Degree.CALM
    assert pressure.spares_dice
    after(pressure, 10)
    assert not pressure.spares_dice
    after(pressure, 10, wait=0.11)
    assert pressure.spares_dice


def test_what_is_refused() -> None:
    pressure = Pressure(0.1)
    after(pressure, 10, wait=0.15)
    with pytest.raises(InvalidRequestError) as caught:
        pressure.check()
    assert str(caught.value) == "too much is going on here right now; try again in a minute"
    pressure.check(Degree.STRAINED)
    after(pressure, 10, wait=1)
    with pytest.raises(InvalidRequestError):
        pressure.check(Degree.STRAINED)


def test_where_nobody_set_a_limit_nothing_is_too_late() -> None:
    assert after(Pressure(), 10, delay=5, wait=50) is Degree.CALM
