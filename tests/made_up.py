"""Values of a game that nobody solved, where they only have to be there."""

import numpy as np
import numpy.typing as npt

from solver.game.standings import blocks, value_shape
from solver.rules.ruleset import Ruleset


def made_up_values(rules: Ruleset) -> npt.NDArray[np.float64]:
    """In the layout of a solution: more points than the other player are worth more."""
    scores = np.concatenate(
        [block.first_score + rules.point_step * np.arange(block.scores) for block in blocks(rules)]
    )
    lead = (scores[:, None] - scores[None, :]) / (2 * rules.winning_score)
    found = np.clip(0.5 + 0.3 * lead, 0.05, 0.95)
    return np.broadcast_to(found, value_shape(rules)).copy()
