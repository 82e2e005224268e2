"""Solves and estimates: how long they take, and whether an answer may wait for a solve."""

from dataclasses import dataclass

from bot.tasks.tasks import duration
from solver.batch.subjects import game_of
from solver.errors import InvalidRulesError
from solver.game.solvable import check_solvable
from solver.game.workload import workload
from solver.play.rough import rough_turns
from solver.rules.ruleset import Ruleset
from solver.wording import say

_ROUGH_SECONDS = 3e-6
"""About what a turn total takes in one of the turns of a rough strategy."""
_ROW_SECONDS = 5e-4
"""About what a turn total takes in all turns of an estimate."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A solve that comes before what was asked for."""

    rules: Ruleset
    players: int
    seconds: float
    """About how many it takes."""
    failed: str | None = None
    """Why it came to nothing, in a sentence: what was asked for comes without it."""


def seconds_of_solve(rules: Ruleset, players: int = 2) -> float:
    """About how many seconds a solve takes. Raises InvalidRulesError where it cannot be done."""
    game = game_of(rules, players)
    game.check()
    return game.seconds


def turn_rows(rules: Ruleset) -> int:
    """How many turn totals are solved for one turn, for each number of hot dice told apart."""
    steps = (rules.winning_score - rules.score_floor) // rules.point_step
    return steps * rules.hot_dice_counted


def seconds_of_estimate(rules: Ruleset, *, solved: bool) -> float:
    """About how long the first estimate takes, where two players are solved or are not."""
    rows = turn_rows(rules)
    rough = 0.0 if solved else _ROUGH_SECONDS * rough_turns(rules) * rows / 2
    return rough + _ROW_SECONDS * rows


def about(rules: Ruleset, players: int = 2) -> str:
    """How long a solve takes, in words."""
    return say("about {time}", time=duration(seconds_of_solve(rules, players)))


def check_size(rules: Ruleset, seconds: float, players: int = 2) -> float:
    """About how many seconds a solve of the rules takes.

    Raises InvalidRulesError where that is more than so many, or they cannot be solved at all.
    """
    if players > 2:
        if (expected := seconds_of_solve(rules, players)) > seconds:
            raise InvalidRulesError.say(
                "{rules}: solving it for {players} players takes about {time}, but the limit here"
                " is {most}",
                rules=rules.name,
                players=players,
                time=duration(expected),
                most=duration(seconds),
            )
        return expected
    found = workload(rules)
    if found.seconds > seconds:
        raise InvalidRulesError.say(
            "{rules}: solving {states:,} positions takes about {time}, but the limit here is"
            " {most}; a lower goal, points in larger steps or a shorter count of farkles in a"
            " row makes it faster",
            rules=rules.name,
            states=found.states,
            time=duration(found.seconds),
            most=duration(seconds),
        )
    check_solvable(rules)
    return found.seconds
