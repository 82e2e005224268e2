"""What is said of a solve is so."""

from pathlib import Path

import pytest

from bot.views.progress import solve_text
from solver.game.standings import Solution
from solver.strategy import save_strategy


@pytest.mark.parametrize(
    ("bound", "whole", "least"),
    [
        (3.11e-10, "3.2e-10", "3.2e-12"),
        (9.96e-10, "1.0e-09", "1.0e-11"),
        (0.244, "2.5e-01", "2.5e-03"),
    ],
)
def test_a_bound_of_the_error_is_rounded_up(
    tiny: Solution, tmp_path: Path, bound: float, whole: str, least: str
) -> None:
    manifest, file = save_strategy(tiny, tmp_path)
    text = solve_text(manifest.model_copy(update={"error_bound": bound}), file)
    expected = f"off by more than {whole} of itself, and none below 0.01 by more than {least}."
    assert expected in text
    assert ("more than the tolerance 1e-09" in text) == (bound > 1e-9)
