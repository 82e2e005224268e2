"""Chances that depend on themselves, such as that to win a play-off."""

import numpy as np
import pytest

from solver.game.endgame import fixed_point
from solver.turn.equations import Floats


@pytest.mark.parametrize("slope", [0.0, 0.5, 0.999, 0.9995, 0.9999, 0.99999, 0.999999])
def test_fixed_points_are_found_however_likely_it_is_to_come_there_again(slope: float) -> None:
    values = fixed_point(lambda x: 0.7 + slope * (x - 0.7), np.full(1, 0.5))
    assert values[0] == pytest.approx(0.7, abs=1e-15 / (1 - slope))


def test_fixed_points_side_by_side_do_not_disturb_each_other() -> None:
    right = np.array([0.2, 0.7, 0.9999, 0.3, 0.5, 0.0])
    slopes = np.array([0.3, 0.99999, 0.9, 0.999999, 0.0, 0.5])
    # steeper above a kink, which lies between where the search begins and where it ends
    above = np.array([0.9, 0.5, 0.99, 0.9, 0.4, 0.6])
    kink = (right + 0.5) / 2

    def image(x: Floats) -> Floats:
        beyond = np.where(right > 0.5, np.minimum(x - kink, 0), np.maximum(x - kink, 0))
        images: Floats = right + slopes * (x - right - beyond) + above * beyond
        return images

    values = fixed_point(image, np.full(len(right), 0.5))
    assert values == pytest.approx(right, abs=1e-9)
