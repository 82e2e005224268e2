"""Best play of a seat, whether both players throw the same dice or each brings their own."""

from solver.game.position import Position
from solver.loaded.strategy import MatchupStrategy
from solver.play.advice import Advice, advise
from solver.play.loaded import advise_side
from solver.strategy import Strategy
from solver.turn.dice import Roll
from solver.turn.equations import TurnTable

Solved = Strategy | MatchupStrategy
"""A game for two that is solved; the seats of a match-up are its sides."""


def seat_chance(solved: Solved, seat: int, position: Position) -> float:
    """Win probability of a seat that is about to start a turn; the position must be possible."""
    if isinstance(solved, Strategy):
        return solved.win_probability(position)
    return solved.win_probability(seat, position.banked, position.opponent)


def seat_turn(solved: Solved, seat: int, position: Position) -> TurnTable:
    """The table of the turn that a possible position of a seat belongs to."""
    return solved.turn(position) if isinstance(solved, Strategy) else solved.turn(seat, position)


def seat_advice(solved: Solved, seat: int, position: Position, roll: Roll) -> Advice:
    """Rank the set-asides of a roll of a seat; the position must be possible."""
    if isinstance(solved, Strategy):
        return advise(solved, position, roll)
    return advise_side(solved, seat, position, roll)
