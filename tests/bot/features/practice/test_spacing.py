"""Intervals: those of FSRS 6, worked out here from its published formulas."""

from datetime import UTC, datetime, timedelta
from math import exp
from typing import Any

import pytest

from bot.features.practice.drill import spaced

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
W = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
"""Its parameters, from
https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm (FSRS-6)."""
SOON = timedelta(minutes=10)


def first(cost: float) -> tuple[dict[str, Any], datetime]:
    return spaced(None, cost, NOON)


def test_a_first_answer() -> None:
    """At a retention of 90 % the interval is the stability, which is W[2] days for "good"."""
    memory, due = first(0.0)
    assert memory["stability"] == W[2]
    assert memory["difficulty"] == pytest.approx(W[4] - exp(2 * W[5]) + 1)
    assert due == NOON + timedelta(days=round(W[2]))
    assert first(0.1)[1] == NOON + SOON
    assert first(0.1)[0]["stability"] == W[0]
    assert first(0.001)[0]["stability"] == W[1]  # nearly the best: "hard"


def test_found_again_when_it_was_due() -> None:
    memory, due = first(0.0)
    after, later = spaced(memory, 0.0, due)
    days, stability, difficulty = (due - NOON).days, W[2], memory["difficulty"]
    factor = 0.9 ** (-1 / W[20]) - 1
    recalled = (1 + factor * days / stability) ** -W[20]
    gain = exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (exp(W[10] * (1 - recalled)) - 1)
    assert after["stability"] == pytest.approx(stability * (1 + gain))
    assert later == due + timedelta(days=round(stability * (1 + gain)))


def test_found_again_and_again_it_comes_ever_later_but_within_a_year() -> None:
    memory, due = first(0.0)
    gaps = []
    for _ in range(12):
        memory, later = spaced(memory, 0.0, due)
        gaps.append((later - due).days)
        due = later
    assert gaps == sorted(gaps)
    assert gaps[-1] == 365


def test_missed_again_it_comes_soon_and_then_earlier_than_before() -> None:
    memory, due = first(0.0)
    known, later = spaced(memory, 0.0, due)
    missed, soon = spaced(known, 0.02, later)
    assert soon == later + SOON
    assert missed["stability"] < known["stability"]
    _, then = spaced(missed, 0.0, soon)
    assert then - soon < later - due


def test_a_clock_that_was_put_back_is_no_fault() -> None:
    memory, _ = first(0.0)
    _, due = spaced(memory, 0.0, NOON - timedelta(days=3))
    assert due > NOON - timedelta(days=3)
