"""Tables of many turns at once, for the simulation of whole games by optimal play."""

from collections.abc import Sequence
from pathlib import Path

from solver.game.position import Position
from solver.game.standings import Solution
from solver.play.match_players import optimal_player
from tests.simulation import Bools, Floats, Tables


def optimal_tables(solution: Solution, cache: Path) -> Tables:
    """The tables that tests.simulation plays by, of a solved game."""
    player = optimal_player(solution.rules, solution.values, cache)

    def tables(positions: Sequence[Position]) -> tuple[Floats, Bools]:
        _, win, bank = player(positions)
        return win, bank

    return tables
