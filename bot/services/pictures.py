"""The turn at hand, explained: its whole map with the moment marked, and what is best there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.services.advisor import Advisor, hint_of
from bot.services.seats import LoadedHint, loaded_hint
from bot.services.situation import Situation
from solver.errors import InvalidRequestError
from solver.named.sets import NamedSet
from solver.play.advice import Advice, Odds, odds
from solver.play.maps import TurnMap, turn_map

if TYPE_CHECKING:
    from bot.table.state import Game


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


@dataclass(frozen=True, slots=True, eq=False)
class LoadedExplanation:
    """The same of a game to which players bring their dice."""

    turn: TurnMap
    """Of some of the remaining dice, see `turn_map`."""
    columns: tuple[NamedSet, ...]
    """The dice of each column of the map."""
    hint: LoadedHint
    has_badge: bool = False
    """Whether the player to move may still use a badge, which the map then counts with."""
    seen_by: str | None = None
    """The player to move, where somebody else asks."""
    picture: bytes | None = None
    """A PNG; None where there was no time to draw it."""


def loaded_explained(advisor: Advisor, game: "Game") -> LoadedExplanation:
    """The turn under way in a game to which players bring their dice. Raises FarkleError."""
    if not game.kits:
        raise InvalidRequestError("players bring no dice to this game")
    strategy = advisor.pair(game.side.matchup)
    hint = loaded_hint(strategy, game)
    position = hint.odds.odds.position if hint.odds else game.position()
    turn = turn_map(strategy, position)
    named = game.kits[game.mover].dice
    has_badge = game.power is not None
    return LoadedExplanation(turn, tuple(map(named.left, turn.columns)), hint, has_badge)


def explained(advisor: Advisor, dice: int | None, situation: Situation) -> Explanation:
    """The turn of a position before a roll. Raises FarkleError."""
    situation.check_two()
    strategy, position = advisor.position(dice, situation)
    return Explanation(turn_map(strategy, position), odds(strategy, position))


def explained_in(advisor: Advisor, game: "Game") -> Explanation:
    """The turn under way in a game. Raises FarkleError."""
    hint = hint_of(advisor.strategy(game.rules), game)
    advice, marked, exact = hint.advice, hint.odds, hint.exact
    # where dice lie on the table, what is marked is where the best set-aside of them leads
    turn = turn_map(advisor.strategy(game.rules), marked.position)
    return Explanation(turn, marked, advice, exact)
