"""Studies as text and as data."""

from typing import Any

from bot.views.layout import columns
from solver.game.standings import FloorEffect
from solver.rules.ruleset import Ruleset


def floor_text(rules: Ruleset, effect: FloorEffect) -> str:
    """What a floor changes: a row for each penalty above it, while it changes anything."""
    rows = [("both scores from", "largest deviation", "a wrong decision costs up to")]
    for score, deviation, cost in _rows(rules, effect):
        rows.append((f"{score:,}", f"{deviation:.9f}", f"{cost:.9f}" if cost else "none is wrong"))
    same = effect.same_decisions_from()
    lines = [
        f"{rules.name} rules with scores cut off at {effect.floor:,} against"
        f" {effect.lower_floor:,}, over all states in which neither score is less:",
        *columns(rows, right={0, 1, 2}),
        "Deviation: between both win probabilities, relative to their mean.",
        "Cost: of banking or rolling as the higher floor says, relative to the win probability.",
        f"From {same:,} up all decisions are the same."
        if same is not None
        else "There is no score from which on all decisions are the same.",
    ]
    return "\n".join(lines)


FLOOR_ROW = ("score", "deviation", "cost")
"""The fields of each score."""


def floor_data(rules: Ruleset, effect: FloorEffect) -> dict[str, Any]:
    """What a floor changes as data, for every score."""
    return {
        "rules": rules.name,
        "floor": effect.floor,
        "lower_floor": effect.lower_floor,
        "same_decisions_from": effect.same_decisions_from(),
        "rows": [
            {"score": int(score), "deviation": float(deviation), "cost": float(cost)}
            for score, deviation, cost in zip(
                effect.scores, effect.deviation, effect.cost, strict=True
            )
        ],
    }


def _rows(rules: Ruleset, effect: FloorEffect) -> list[tuple[int, float, float]]:
    """A row for each penalty above the floor, down to a deviation that is none."""
    every = rules.penalty_points // rules.point_step
    rows: list[tuple[int, float, float]] = []
    for index in range(0, len(effect.scores), every):
        deviation, cost = float(effect.deviation[index]), float(effect.cost[index])
        rows.append((int(effect.scores[index]), deviation, cost))
        if deviation < 1e-9:
            break
    return rows
