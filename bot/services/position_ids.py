"""Positions that are opened by their characters."""

from collections.abc import Iterable

from bot.services.rule_options import with_goal
from solver.errors import FarkleError, InvalidRequestError
from solver.game.position import Position, check_position
from solver.play.position_id import PositionId
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll


def opened(read: PositionId, known: Iterable[Ruleset]) -> tuple[Ruleset, Position, Roll | None]:
    """The rules of a position, which are among the known ones, the position and what was rolled.

    Raises InvalidRequestError where no known rules fit, and InvalidPositionError.
    """
    like = [rules for rules in known if read.is_of(rules)]
    if not like:
        raise InvalidRequestError.say(
            "the rules of the position {id} are not known here; make them with /rules new first",
            id=read.text,
        )
    # rules that have the very goal keep their name
    like.sort(key=lambda rules: rules.goal != read.goal_of(rules))
    for rules in like:
        try:
            meant = with_goal(rules, read.goal_of(rules))
            position, roll = read.position(meant)
            check_position(meant, position)
        except FarkleError as error:
            wrong = error
        else:
            return meant, position, roll
    raise wrong
