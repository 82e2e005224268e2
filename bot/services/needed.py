"""Solves that come before an answer: how long they take, and whether that may be waited for."""

from dataclasses import dataclass

from bot.tasks.tasks import duration
from solver.errors import InvalidRulesError
from solver.game.many import check_many, expected_seconds
from solver.game.solvable import check_solvable
from solver.game.workload import workload
from solver.rules.ruleset import Ruleset
from solver.wording import say


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
    if players > 2:
        check_many(rules, players)
        return expected_seconds(rules, players)
    check_solvable(rules)
    return workload(rules).seconds


def about(rules: Ruleset, players: int = 2) -> str:
    """The same in words."""
    return say("about {time}", time=duration(seconds_of_solve(rules, players)))


def check_size(rules: Ruleset, seconds: float, players: int = 2) -> float:
    """About how many seconds a solve of the rules takes.

    Raises InvalidRulesError where that is more than so many, or they cannot be solved at all.
    """
    if players > 2:
        if (expected := seconds_of_solve(rules, players)) > seconds:
            raise InvalidRulesError.say(
                "{rules}: a solve for {players} players would take about {time}, and may take"
                " {most} here",
                rules=rules.name,
                players=players,
                time=duration(expected),
                most=duration(seconds),
            )
        return expected
    found = workload(rules)
    if found.seconds > seconds:
        raise InvalidRulesError.say(
            "{rules}: {states:,} states, each solved about {sweeps:.0f} times, would take about"
            " {time}, and a solve may take {most} here; a lower goal, points in larger steps or"
            " fewer farkles in a row make a game smaller",
            rules=rules.name,
            states=found.states,
            sweeps=found.sweeps,
            time=duration(found.seconds),
            most=duration(seconds),
        )
    check_solvable(rules)
    return found.seconds
