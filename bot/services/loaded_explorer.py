"""A walk through all positions of a game between two players with dice of their own."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bot.services.advisor import Advisor
from bot.services.explorer import Field, Ground, Step, steps_on
from bot.services.loaded import (
    LoadedDice,
    LoadedOdds,
    MatchupFolders,
    Told,
    at_position,
    odds_at,
    solved,
)
from bot.services.seats import dice_of
from bot.services.situation import Situation
from solver.errors import InvalidRequestError
from solver.game.position import Position
from solver.loaded.strategy import OwnDice
from solver.play.maps import turn_map
from solver.turn.thresholds import BankFrom

if TYPE_CHECKING:
    from bot.table.state import Game


@dataclass(frozen=True, slots=True, eq=False)
class LoadedExploration:
    """A position of two sets of dice, and the way on from it."""

    dice: LoadedDice
    """Both sets; the player to act is mine."""
    position: Position
    """Before a roll."""
    found: LoadedOdds
    bank_from: tuple[BankFrom, ...]
    """When to bank with the dice that are left most often."""
    steps: tuple[Step, ...]
    exact: bool = True
    """Whether two play; else the strongest opponent is taken for the only one."""

    def dice_after(self, step: Step) -> LoadedDice:
        """The same after a step."""
        return self.dice.exchanged if step.field is Field.SIDES else self.dice


def loaded_explored(
    folders: MatchupFolders,
    dice: LoadedDice,
    left: str | None,
    situation: Situation,
    on_progress: Told = lambda _: None,
) -> LoadedExploration:
    """The position that somebody describes, as `at_position` takes it. Raises FarkleError."""
    find = partial(solved, folders, on_progress=on_progress)
    strategy, position = at_position(find, dice, left, situation)
    return _explored(strategy, dice, position)


def loaded_explored_in(advisor: Advisor, game: "Game") -> LoadedExploration:
    """The position of a game before its roll, made or not. Raises FarkleError."""
    if not game.kits:
        raise InvalidRequestError("players bring no dice to this game")
    strategy = advisor.pair(game.side.matchup)
    explored = _explored(strategy, dice_of(game), game.position())
    return replace(explored, exact=game.playing == 2)


def _explored(strategy: OwnDice, dice: LoadedDice, position: Position) -> LoadedExploration:
    turn = turn_map(strategy, position)
    rules = strategy.rules
    rows = max(rules.winning_score - position.banked, position.turn_total) // rules.point_step + 1
    possible = strategy.possible_rows(position.mover, rows)
    ground = Ground(strategy, possible, position)
    return LoadedExploration(
        dice,
        position,
        odds_at(strategy, dice, position),
        turn.bank_from,
        (*steps_on(ground, position), _to_other_side(strategy, position)),
    )


def _to_other_side(strategy: OwnDice, position: Position) -> Step:
    """The step to the other player's turn, told from that one's seat."""
    other, uses = 1 - position.mover, position.held.uses
    start = Position.of_two(
        position.opponent,
        position.banked,
        farkles=position.opponent_farkles,
        opponent_farkles=position.farkles,
        dice=strategy.whole(other),
        on_board=position.opponent_on_board,
        opponent_on_board=position.on_board,
    )
    held = replace(position.held, uses=uses and uses[::-1])
    return Step(Field.SIDES, 0, False, replace(start, held=held))
