"""Ways to play against each other, exactly.

Functions of a module, so that workers can be sent them: they load numba, and so are called only
there or on the command line.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from bot.services.advisor import Advisor
from solver.batch.local import compiled_code, with_sound_code
from solver.game.standings import Progress
from solver.game.workload import workload
from solver.play.best_response import BestResponse, best_response
from solver.play.duel import Duel, duel
from solver.play.policies import Optimal
from solver.rules.ruleset import Ruleset

Told = Callable[[float | Progress], None]

_DUEL, _BEST_RESPONSE = 0.6, 2.0
"""The share of the work of a solve that a duel with optimal play takes, and a best response."""
_OF_POINTS = 0.4
"""The share of that work for a duel without optimal play."""


def dueled(
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    one: str,
    other: str,
    on_progress: Told = lambda _: None,
) -> Duel:
    """The exact win probability of one policy against another one, by their names.

    kernels : the folder of compiled code

    Raises InvalidRequestError, InvalidRulesError, StrategyFileError, SolveError and
    ConvergenceError.
    """
    players = [advisor.policy(name, rules) for name in (one, other)]
    with compiled_code(kernels) as cache:
        make = partial(duel, rules, *players, cache=cache, on_progress=on_progress)
        return with_sound_code(cache, make)


def responded(
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    name: str,
    on_progress: Told = lambda _: None,
) -> BestResponse:
    """The best response to a policy by its name. Raises as `dueled` does."""
    policy, strategy = advisor.policy(name, rules), advisor.strategy(rules)
    with compiled_code(kernels) as cache:
        make = partial(best_response, rules, policy, strategy, cache=cache, on_progress=on_progress)
        found, _ = with_sound_code(cache, make)
        return found


def seconds_of_duel(rules: Ruleset, one: str, other: str) -> float:
    """About how long it takes to evaluate a duel. Raises InvalidRulesError."""
    share = _DUEL if Optimal.name in {one, other} else _OF_POINTS
    return share * workload(rules).seconds


def seconds_of_best_response(rules: Ruleset) -> float:
    """About how long it takes to find a best response. Raises InvalidRulesError."""
    return _BEST_RESPONSE * workload(rules).seconds
