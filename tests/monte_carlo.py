"""Play solved games from the rules and hold the wins against what the solver says.

    .venv/bin/python -m tests.monte_carlo [RULES]... [--games N] [--seed N]

Every preset if none is named, 100,000 games each. Exits with status 1 where the simulated wins
of the first player are more than 4 standard errors from the solved ones.
"""

import math
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from solver.game.position import Position
from solver.game.standings import Solution, first_standing, standing_index
from solver.game.sweeps import solve
from solver.play.match_players import optimal_player
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from tests.simulation import Decisions, Tables, simulate
from tests.usual import USUAL

MOST_ERRORS = 4.0


def standard_errors(solution: Solution, cache: Path, games: int, seed: int) -> float:
    """How far the wins of simulated games are from the solution, in standard errors."""
    wins, _ = simulate(solution.rules, optimal_tables(solution, cache), games, seed)
    expected = first_player_wins(solution)
    return (wins / games - expected) / math.sqrt(expected * (1 - expected) / games)


def optimal_tables(solution: Solution, cache: Path) -> Tables:
    """Optimal decisions of a solved game."""
    player = optimal_player(solution.rules, solution.values, cache)

    def tables(positions: Sequence[Position]) -> Iterable[Decisions]:
        turns = player(positions)
        return zip(turns.worth, turns.bank, strict=True)

    return tables


def first_player_wins(solution: Solution) -> float:
    """Win probability at the start of the game."""
    rules: Ruleset = solution.rules
    start = standing_index(rules, first_standing(rules))
    return float(solution.values[0, start, start])


@click.command()
@click.argument("rules", nargs=-1)
@click.option("--games", default=100_000, show_default=True)
@click.option("--seed", default=2026, show_default=True)
def main(rules: tuple[str, ...], games: int, seed: int) -> None:
    """Simulate solved games."""
    cache = Path(tempfile.gettempdir()) / "farkle-monte-carlo"
    far = 0
    for name in rules or USUAL:
        started = time.perf_counter()
        solution = solve(load_rules(name), cache=cache)
        errors = standard_errors(solution, cache, games, seed)
        far += abs(errors) > MOST_ERRORS
        click.echo(
            f"{name:14} solved {first_player_wins(solution):.6f}, {games:,} games"
            f" {errors:+.2f} standard errors off, {time.perf_counter() - started:.0f} s"
        )
    sys.exit(1 if far else 0)


if __name__ == "__main__":
    main()
