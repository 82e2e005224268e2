"""Ways to play against each other, exactly where that is worked out.

Functions of a module, so that workers can be sent them: they load numba, and so are called only
there or on the command line.
"""

from functools import partial
from pathlib import Path
from statistics import fmean

from bot.services.advisor import Advisor
from bot.services.policies import policy_of
from bot.services.reckoning import series
from solver.batch.local import compiled_code, with_sound_code
from solver.game.workload import workload
from solver.play.best_response import BestResponse, best_response
from solver.play.duel import Duel, OnContest, Played
from solver.play.policies import Optimal
from solver.rules.ruleset import Ruleset

_DUEL, _BEST_RESPONSE = 0.6, 2.0
"""The share of the work of a solve that a duel with optimal play takes, and a best response."""
_DUEL_OF_POINTS = 0.4
"""The share of the work of a solve that a duel without optimal play takes."""
GAMES = 200
"""The number of games that are played in a chat if nothing exact can be worked out."""
_GAME = 0.3
"""Seconds that such a game takes, roughly."""


def duel_of(
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    one: str,
    other: str,
    on_progress: OnContest = lambda _: None,
    games: int = GAMES,
    seed: int = 1,
) -> Duel:
    """The exact win probability of one policy against another one, or else its share of games won.

    one, other : names of policies
    kernels : the folder of compiled code
    games : the number of games that are played, turn by turn, under rules that are not plain

    Raises InvalidRequestError, InvalidRulesError, StrategyFileError, SolveError and
    ConvergenceError.
    """
    if not rules.is_plain:
        wins = [won for won, _ in series(advisor, rules, (one, other), games, seed, on_progress)]
        played = Played(games, seed, fmean(wins[::2]), fmean(wins[1::2]))
        return Duel(rules, one, other, played.began, played.replied, 0.0, 0, played)
    players = [policy_of(advisor, name, rules) for name in (one, other)]
    with compiled_code(kernels) as cache:

        def work() -> Duel:
            from solver.play.contests import duel  # noqa: PLC0415 - numba: 0.4 s

            return duel(rules, *players, cache=cache, on_progress=on_progress)

        return with_sound_code(cache, work)


def response_to(
    name: str,
    advisor: Advisor,
    kernels: Path,
    rules: Ruleset,
    on_progress: OnContest = lambda _: None,
) -> BestResponse:
    """The best response to the policy of a name. Raises what `duel_of` does."""
    policy, strategy = policy_of(advisor, name, rules), advisor.strategy(rules)
    with compiled_code(kernels) as cache:
        make = partial(best_response, policy, strategy, cache=cache, on_progress=on_progress)
        response, _ = with_sound_code(cache, make)
        return response


def seconds_of_duel(rules: Ruleset, one: str, other: str, games: int = GAMES) -> float:
    """About how long it takes to evaluate a duel; `games` as for it. Raises InvalidRulesError."""
    if not rules.is_plain:
        return _GAME * games
    share = _DUEL if Optimal.name in {one, other} else _DUEL_OF_POINTS
    return share * workload(rules, corrected=False).seconds


def seconds_of_best_response(rules: Ruleset) -> float:
    """About how long it takes to find a best response. Raises InvalidRulesError."""
    return _BEST_RESPONSE * workload(rules, corrected=False).seconds
