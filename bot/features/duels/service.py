"""Ways to play against each other, exactly where that is worked out.

Functions of a module, so that workers can be sent them: they load numba, and so are called only
there or on the command line.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean

from bot.services.advisor import Advisor
from bot.services.reckoning import series
from solver.batch.local import compiled_code, with_sound_code
from solver.game.standings import Progress
from solver.game.workload import workload
from solver.play.best_response import BestResponse, best_response
from solver.play.duel import Duel, Played
from solver.play.policies import Optimal
from solver.rules.ruleset import Ruleset

Told = Callable[[float | Progress], None]

_DUEL, _BEST_RESPONSE = 0.6, 2.0
"""The share of the work of a solve that a duel with optimal play takes, and a best response."""
GAMES = 200
"""That are played in a chat where nothing exact is worked out."""
_GAME = 0.3
"""About the seconds that such a game takes."""
_OF_POINTS = 0.4
"""The share of that work for a duel without optimal play."""


def dueled(
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    one: str,
    other: str,
    on_progress: Told = lambda _: None,
    games: int = GAMES,
    seed: int = 1,
) -> Duel:
    """The exact win probability of one policy against another one, by their names.

    Where rules are not plain, so many games are played instead, turn by turn.

    kernels : the folder of compiled code

    Raises InvalidRequestError, InvalidRulesError, StrategyFileError, SolveError and
    ConvergenceError.
    """
    if not rules.is_plain:
        wins = [won for won, _ in series(advisor, rules, (one, other), games, seed, on_progress)]
        played = Played(games, seed, fmean(wins[::2]), fmean(wins[1::2]))
        return Duel(rules, one, other, played.began, played.replied, 0.0, 0, played)
    players = [advisor.policy(name, rules) for name in (one, other)]
    with compiled_code(kernels) as cache:

        def work() -> Duel:
            from solver.play.contests import duel  # noqa: PLC0415 - numba: 0.4 s

            return duel(rules, *players, cache=cache, on_progress=on_progress)

        return with_sound_code(cache, work)


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
    if not rules.is_plain:
        return _GAME * GAMES
    share = _DUEL if Optimal.name in {one, other} else _OF_POINTS
    return share * workload(rules).seconds


def seconds_of_best_response(rules: Ruleset) -> float:
    """About how long it takes to find a best response. Raises InvalidRulesError."""
    return _BEST_RESPONSE * workload(rules).seconds
