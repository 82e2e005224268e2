"""Solves of a few seconds that a command of the shell makes before its answer, as the chat does."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import click

from bot.layout import cleaned
from bot.services.advisor import Advisor
from bot.services.situation import Situation, check_asked, rules_of
from bot.shell.places import Here
from solver.errors import InvalidRulesError, MissingStrategyError
from solver.game.best import Strategy
from solver.rules.ruleset import Ruleset


def ready_to_answer(here: Here, situation: Situation, reference: str, left: int | None) -> None:
    """Solve what an answer about a situation needs: its rules, or the match-up of its dice.

    left : the number of dice to roll, as `check_asked` takes it

    Raises what `solved_first` does.
    """
    check = partial(check_asked, situation, left)
    if situation.dice:
        from bot.shell.first_solve import solve_dice  # noqa: PLC0415 - 0.1 s, of solves

        check()
        solve_dice(here.settings, here.advisor, situation.dice)
    else:
        solved_first(here, rules_of(situation), reference, situation.players, check)


def solved_first(
    here: Here,
    rules: Ruleset,
    reference: str,
    players: int = 2,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Solve rules for a number of players, unless they are solved, if that takes a few seconds.

    If it takes longer for more than two players, the answer is an estimate from games of two, which
    are solved instead, if they are quick, or else are solved roughly; standard error then has the
    command that solves all.

    reference : the rules as they are written on a command line
    check : raises an error for a question without an answer, before anything is solved

    Raises what `check` does, MissingStrategyError, with the command to run, for two players whose
    solve takes longer, and FarkleError if a solve fails or files are damaged.
    """
    settings, advisor = here.settings, here.advisor
    if _is_solved(advisor, rules, players):
        return
    check()
    from bot.shell.first_solve import solve_if_quick  # noqa: PLC0415 - 0.1 s, of solves

    if solve_if_quick(settings, rules, players):
        return
    pairs = players > 2 and (_is_solved(advisor, rules, 2) or solve_if_quick(settings, rules, 2))
    if not pairs and (players == 2 or not advisor.may_estimate(rules)):
        advisor.strategy(rules, reference)  # raises the error that names the command
    if players > 2:
        _tell_command(advisor, rules, reference, players)


def strategy_of(here: Here, reference: str) -> Strategy:
    """The strategy of rules, which are solved if that is quick. Raises FarkleError."""
    rules, written = here.rules(reference), here.named(reference)
    solved_first(here, rules, written)
    return here.advisor.strategy(rules, written)


def _is_solved(advisor: Advisor, rules: Ruleset, players: int) -> bool:
    try:
        advisor.strategy_for(rules, players)
    except MissingStrategyError:
        return False
    return True


def _tell_command(advisor: Advisor, rules: Ruleset, reference: str, players: int) -> None:
    """Print the command that makes the answer exact, if there is any."""
    from bot.tasks.solving import seconds_of_solve  # noqa: PLC0415 - 46 ms, of solves

    with suppress(InvalidRulesError):
        seconds_of_solve(rules, players)
        try:
            advisor.strategy_for(rules, players, reference)
        except MissingStrategyError as error:
            click.echo(cleaned(str(error)), err=True)
