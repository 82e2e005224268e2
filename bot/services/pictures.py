"""The turn at hand, explained: its whole map with the moment marked, and what is best there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.services.advisor import Advisor
from bot.services.situation import Situation
from solver.play.advice import Advice, Odds, odds
from solver.play.maps import TurnMap, turn_map
from solver.wording import say_later

if TYPE_CHECKING:
    from bot.table.state import Game


NOT_WITH_DICE = say_later(
    "pictures and walks know equal dice alone: in a game to which players bring theirs, /hint,"
    " /advise and /odds say what is best"
)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What the turn of a position looks like from above."""

    turn: TurnMap
    odds: Odds
    """Of the decision before a roll: of the next one, where dice lie on the table."""
    advice: Advice | None = None
    """Of the roll on the table, if there is one."""
    exact: bool = True
    """Whether the game has two players; else the strongest opponent is taken for the only one."""
    seen_by: str | None = None
    """The player to move, where somebody else asks."""
    picture: bytes | None = None
    """A PNG; None where there was no time to draw it."""


def explained(advisor: Advisor, dice: int | None, situation: Situation) -> Explanation:
    """The turn of a position before a roll. Raises FarkleError."""
    strategy, position = advisor.position(dice, situation)
    return Explanation(turn_map(strategy, position), odds(strategy, position))


def explained_in(advisor: Advisor, game: "Game") -> Explanation:
    """The turn under way in a game. Raises FarkleError."""
    advice, marked, exact = advisor.against_one(game)
    # where dice lie on the table, what is marked is where the best set-aside of them leads
    turn = turn_map(advisor.strategy(game.rules), marked.position)
    return Explanation(turn, marked, advice, exact)
