"""Replies as plain data for JSON; probabilities are not rounded."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.advice import Advice, Odds, TurnCells
from solver.rules import Ruleset
from solver.solution import state_count
from solver.strategy import Manifest


def answer_data(answer: Advice | Odds | TurnCells) -> dict[str, Any]:
    """An answer with its own field names."""
    return {**asdict(answer), "rules": answer.rules.name}


def rules_data(rules: Ruleset) -> dict[str, Any]:
    """A rule set with its digest."""
    return {"digest": rules.digest, "states": state_count(rules), **rules.model_dump(mode="json")}


def rules_list_data(known: Sequence[tuple[Ruleset, bool]]) -> list[dict[str, Any]]:
    """Rule sets, each with whether it is solved."""
    return [
        {
            "rules": rules.name,
            "title": rules.title,
            "goal": rules.goal,
            "digest": rules.digest,
            "solved": solved,
        }
        for rules, solved in known
    ]


def solve_data(manifest: Manifest, file: Path, residual: float | None = None) -> dict[str, Any]:
    """What a solve reports, with the residual over all states if it was checked."""
    checked = {} if residual is None else {"residual": residual}
    return {
        "rules": manifest.rules.name,
        "digest": manifest.digest,
        "floor": manifest.floor,
        "states": manifest.states,
        "values": math.prod(manifest.shape),
        "sweeps": manifest.sweeps,
        "tolerance": manifest.tolerance,
        "largest_relative_change": manifest.largest_relative_change,
        **checked,
        "seconds": manifest.seconds,
        "states_per_second": manifest.states_per_second,
        "file": str(file),
        "bytes": manifest.bytes,
    }
