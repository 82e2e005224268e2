"""What a solve of several players with dice of their own came to, as text and as plain data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.services.loaded import SeatedDice
from bot.views.layout import percent
from bot.views.solve_many import checked_text, mixed_lines
from solver.game.many import ManyCheck
from solver.loaded.matchup import ManyMatchupSolution


@dataclass(frozen=True, slots=True)
class SolvedDice:
    """A game that was solved, and what was found out about it."""

    dice: SeatedDice
    solution: ManyMatchupSolution
    file: Path
    chances: tuple[float, ...]
    """Of all seats at the start, in the order of their turns."""
    checked: ManyCheck | None = None


def solve_loaded_text(one: SolvedDice) -> str:
    """A few lines."""
    solution, rules = one.solution, one.dice.rules
    rate = solution.states_solved / solution.seconds / 1e6
    seats = [
        f"  {percent(chance)} with {dice.text}"
        for chance, dice in zip(one.chances, one.dice.sets, strict=True)
    ]
    return "\n".join(
        [
            f"{rules.name} for {len(one.chances)} players: {solution.values.size:,} values solved"
            f" in {solution.seconds:.1f} s, {rate:,.1f} million states a second",
            "At the start they win, in the order of their turns:",
            *seats,
            f"Values changed by {solution.largest_change:.1e} at most when they were solved last.",
            *mixed_lines(solution.mixed, solution.restless),
            *([checked_text(one.checked)] if one.checked else []),
            f"{one.file}: {one.file.stat().st_size:,} bytes",
        ]
    )


def solve_loaded_data(one: SolvedDice) -> dict[str, Any]:
    """The same as plain data."""
    solution = one.solution
    return {
        "rules": one.dice.rules.name,
        "goal": one.dice.rules.goal,
        "players": len(one.chances),
        "dice": [dice.text for dice in one.dice.sets],
        "joker_alone": one.dice.joker_alone,
        "digest": solution.matchup.digest,
        "values": solution.values.size,
        "largest_change": solution.largest_change,
        "mixed": solution.mixed,
        "restless": solution.restless,
        "states_solved": solution.states_solved,
        "seconds": solution.seconds,
        "win_probabilities": one.chances,
        "residual": one.checked.residual if one.checked else None,
        "mixed_states": one.checked.mixed_states if one.checked else None,
        "file": str(one.file),
    }
