"""Best play of a seat, whether both players throw the same dice or each brings their own."""

from solver.game.position import Position
from solver.loaded.strategy import ALL_LEFT, Held, MatchupStrategy
from solver.play.advice import advise
from solver.play.badge_uses import BadgeUse, use_before_roll, uses_on_roll
from solver.play.loaded import advise_side, odds_of_side
from solver.strategy import Strategy
from solver.turn.dice import Roll
from solver.turn.equations import TurnTable
from solver.turn.powers import PowerKind
from solver.turn.scoring import TurnState

Solved = Strategy | MatchupStrategy
"""A game for two that is solved; the seats of a match-up are its sides."""


def seat_chance(solved: Solved, seat: int, position: Position, held: Held = ALL_LEFT) -> float:
    """Win probability of a seat at the start of a turn; the position must be possible."""
    if isinstance(solved, Strategy):
        return solved.win_probability(position)
    return solved.win_probability(seat, position.banked, position.opponent, held)


def seat_turn(solved: Solved, seat: int, position: Position, held: Held = ALL_LEFT) -> TurnTable:
    """The table of the turn that a possible position of a seat belongs to."""
    if isinstance(solved, Strategy):
        return solved.turn(position)
    return solved.turn(seat, position, held)


def seat_roll(
    solved: Solved, seat: int, position: Position, roll: Roll, held: Held = ALL_LEFT
) -> float:
    """Win probability of a seat once a roll lies there; the position must be possible."""
    if isinstance(solved, Strategy):
        return advise(solved, position, roll).win_probability
    advice = advise_side(solved, seat, position, roll, held)
    uses = seat_uses(solved, seat, position, roll, held)
    return max(advice.win_probability, *(use.win_probability for use in uses), 0.0)


def seat_uses(
    solved: Solved, seat: int, position: Position, roll: Roll | None, held: Held
) -> tuple[BadgeUse, ...]:
    """What the badge of a seat allows on a roll, or before the next one where none lies there."""
    if isinstance(solved, Strategy):
        return ()
    if roll is not None:
        advice = advise_side(solved, seat, position, roll, held)
        return uses_on_roll(solved, seat, advice, held)
    odds = odds_of_side(solved, seat, position, held)
    found = use_before_roll(solved, seat, odds, held)
    # that of a farkle is no matter of now
    return (found,) if found and found.kind is not PowerKind.RESURRECTION else ()


def seat_without(
    solved: Solved, seat: int, position: Position, turn: TurnState, held: Held
) -> tuple[float, float | None] | None:
    """What rolling and banking are worth to a seat without its badge; None if none are used up."""
    if isinstance(solved, Strategy) or not any(solved.matchup.powers):
        return None
    return solved.power_turn(seat, position, held).without(turn)
