"""Solves of a few seconds that come before an answer, as in the chat."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import click

from bot.layout import cleaned
from bot.services.advisor import Advisor
from bot.services.situation import Situation, check_asked, rules_of
from bot.settings import Settings
from bot.shell.places import Here
from solver.errors import InvalidRulesError, MissingStrategyError
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy


def ready_to_answer(here: Here, situation: Situation, reference: str, left: int | None) -> None:
    """Solve the rules of a position as `solved_first` does, or what its players bring.

    left : dice to roll, as `check_asked` takes them
    """
    check = partial(check_asked, situation, left)
    if situation.dice:
        from bot.shell.first_solve import solve_dice  # noqa: PLC0415 - takes a while

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
    """Solve rules that are not, for so many players, where that takes a few seconds.

    Where more than two cannot be waited for an estimate is made of two, who are solved or, where
    that takes long too, solved roughly; what solves all is told on standard error.

    reference : the rules as they are written on a command line
    check : refuses what cannot be answered, before any time is spent on it

    Raises what `check` does, MissingStrategyError, with what to run, where two play whose solve
    takes longer, and FarkleError where a solve fails or files are damaged.
    """
    settings, advisor = here.settings, here.advisor
    if _is_solved(advisor, rules, players):
        return
    check()
    if _solved(settings, rules, players):
        return
    pairs = players > 2 and (_is_solved(advisor, rules, 2) or _solved(settings, rules, 2))
    if not pairs and (players == 2 or not advisor.may_estimate(rules)):
        advisor.strategy(rules, reference)  # which says what to do
    if players > 2:
        _tell_how(advisor, rules, reference, players)


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


def _tell_how(advisor: Advisor, rules: Ruleset, reference: str, players: int) -> None:
    """What makes the answer exact, where that can be."""
    from bot.tasks.solving import seconds_of_solve  # noqa: PLC0415

    with suppress(InvalidRulesError):
        seconds_of_solve(rules, players)
        try:
            advisor.strategy_for(rules, players, reference)
        except MissingStrategyError as error:
            click.echo(cleaned(str(error)), err=True)


def _solved(settings: Settings, rules: Ruleset, players: int) -> bool:
    """Whether rules could be solved in the time that there is. Raises FarkleError."""
    # only here: who asks about what is solved waits for none of it
    from bot.shell.first_solve import solve_with_share  # noqa: PLC0415
    from bot.tasks.solving import check_size  # noqa: PLC0415

    try:
        seconds = check_size(rules, settings.needed_seconds, players)
    except InvalidRulesError:
        return False
    solve_with_share(settings, rules, players, seconds)
    return True
