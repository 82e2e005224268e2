"""The turn at hand, explained: its whole map with the moment marked, and what is best there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.services.advisor import Advisor, Hint
from bot.services.situation import Situation
from solver.named.sets import NamedSet
from solver.play.maps import TurnMap, turn_map
from solver.turn.dice import Remaining

if TYPE_CHECKING:
    from bot.table.state import Game


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What the turn of a position looks like from above."""

    turn: TurnMap
    hint: Hint
    """What is best: of the roll on the table, if there is one, and before the next roll."""
    has_badge: bool = False
    """Whether the player to move may still use a badge, which the map then counts with."""
    seen_by: str | None = None
    """The player to move, where somebody else asks."""
    picture: bytes | None = None
    """A PNG; None where there was no time to draw it."""

    @property
    def named(self) -> NamedSet | None:
        """Return the dice of the player to move, where players bring theirs."""
        return self.hint.brought.mine if self.hint.brought else None


def explained(advisor: Advisor, left: Remaining | None, situation: Situation) -> Explanation:
    """The turn of a position before a roll. Raises FarkleError."""
    asked = advisor.asked(left, situation)
    hint = Hint(None, asked.odds(), exact=True)
    has_badge = asked.brought is not None and asked.brought.may_use
    return Explanation(turn_map(asked.play, asked.position), hint, has_badge)


def explained_in(advisor: Advisor, game: "Game") -> Explanation:
    """The turn under way in a game. Raises FarkleError."""
    asked, hint = advisor.asked_in(game), advisor.hint(game)
    # where dice lie on the table, what is marked is where the best set-aside of them leads
    position = hint.odds.position if hint.odds else asked.position
    return Explanation(turn_map(asked.play, position), hint, game.power is not None)
