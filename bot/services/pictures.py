"""The turn at hand, explained: its whole map with the moment marked, and what is best there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.services.advisor import Advisor, Hint
from bot.services.situation import Situation
from solver.named.sets import NamedSet
from solver.play.advice import odds
from solver.play.maps import TurnMap, turn_map

if TYPE_CHECKING:
    from bot.table.state import Game


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What the turn of a position looks like from above."""

    turn: TurnMap
    hint: Hint
    """What is best: of the roll on the table, if there is one, and before the next roll."""
    named: NamedSet | None = None
    """The dice of the player to move, where players bring theirs."""
    has_badge: bool = False
    """Whether the player to move may still use a badge, which the map then counts with."""
    seen_by: str | None = None
    """The player to move, where somebody else asks."""
    picture: bytes | None = None
    """A PNG; None where there was no time to draw it."""


def explained(advisor: Advisor, dice: int | None, situation: Situation) -> Explanation:
    """The turn of a position before a roll. Raises FarkleError."""
    play, position = advisor.position(dice, situation)
    return Explanation(turn_map(play, position), Hint(None, odds(play, position), exact=True))


def explained_in(advisor: Advisor, game: "Game") -> Explanation:
    """The turn under way in a game. Raises FarkleError."""
    play, hint = advisor.play_in(game), advisor.hint(game)
    # where dice lie on the table, what is marked is where the best set-aside of them leads
    position = hint.odds.position if hint.odds else game.position_in(play)
    return Explanation(
        turn_map(play, position),
        hint,
        game.kits[game.mover].dice if game.kits else None,
        has_badge=game.power is not None,
    )
