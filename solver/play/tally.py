"""Games of optimal play that are counted: turns, points, farkles, and how close decisions are.

Loads numba. The games are those of solver.play.matches. At every decision, a state of a turn in
which the player may bank or roll, both choices are weighed: the value of banking is in the tables,
that of rolling is summed over all rolls.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError
from solver.game.endgame import endgame
from solver.game.layout import make_work, mode
from solver.game.outcomes import outcomes_of_values
from solver.game.position import first_position
from solver.game.standings import Ints, OnShare, first_standing, role, value_shape
from solver.play.compare import CARELESS, GAMES, UNKNOWN, Comparison, Estimate, Tally
from solver.play.contests import duel
from solver.play.match_players import match_player, optimal_player
from solver.play.matches import Games, play_match, set_seed
from solver.play.policies import Optimal, make_policy
from solver.play.turn_kernels import sweep_turns
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy
from solver.turn.points import expected_points, points_outcome

_MOST_SWEEPS, _SETTLED = 10_000, 1e-10
"""The most sweeps over expected turns, and the change at which they have settled."""

_MOST_CHANCES = 30_000_000
"""The most chances of banks that a duel has to hold; larger games would take too long here."""

_CHUNK = 4096
"""Games that are played side by side."""


def tally(
    rules: Ruleset,
    values: npt.NDArray[np.float64],
    code: Path,
    games: int,
    seed: int,
    on_progress: OnShare = lambda _: None,
) -> Tally:
    """Play games of optimal play and count.

    values : of the solved game, in the layout of a Solution
    code : the folder of compiled code
    games : two at least
    """
    player = optimal_player(rules, values, code)
    set_seed(seed % 2**32)
    counts: list[Ints] = []
    for begin in range(0, games, _CHUNK):
        on_progress(begin / games)
        played = Games(rules, min(_CHUNK, games - begin), counts=True)
        while played.phase.size:
            played.turn(player)
        counts.append(played.counts)
    turns, points, farkles, decisions, close = np.concatenate(counts, axis=1)
    ones = np.ones(games)
    return Tally(
        games=games,
        turns=_ratio(turns, ones),
        points=_ratio(points, turns),
        farkles=_ratio(farkles, turns),
        decisions=_ratio(decisions, ones),
        close=_ratio(close, decisions),
    )


def _ratio(counts: npt.NDArray[Any], of: npt.NDArray[Any]) -> Estimate:
    """A sum over games as a share of another one, and by the delta method its standard error."""
    whole = float(of.sum())
    if whole == 0:
        return Estimate(0.0, 0.0)
    share = float(counts.sum()) / whole
    games = len(of)
    scatter = float(np.sum((counts - share * of) ** 2))
    return Estimate(share, math.sqrt(scatter * games / (games - 1)) / whole)


def expected_turns(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> float:
    """Turns of a game of optimal play, those of both players; exact.

    With optimal play a turn ends in given ways, so that the expected turns from each state on are 1
    and those after each ending times its chance; sweeps from high totals to low solve that.

    Raises SolveError where that is too much to hold, and ConvergenceError where it does not settle.
    Not for ties that are played on, nor for games that are defended.
    """
    ends = endgame(rules)
    outcomes = outcomes_of_values(rules, ends, np.asarray(values), cache=code)
    game, _, _, scratch, *_ = make_work(rules, ends, 1)
    turns = np.zeros(outcomes.which.shape)
    ends_game = [rules.goal_ends_game(last_of_round=r == 1) for r in range(game.roles)]
    leaves = np.where(ends_game, 0.0, 1.0)
    for _ in range(_MOST_SWEEPS):
        if sweep_turns(turns, outcomes, leaves, game, scratch.barred[0]) < _SETTLED:
            break
    else:
        raise ConvergenceError.say("{rules}: games are too long to count", rules=rules.name)
    own = first_standing(rules)
    mode_of, score = mode(rules, own), (own.score - rules.score_floor) // rules.point_step
    return float(turns[role(rules, began=True), mode_of, mode_of, score, score])


def compare(
    rules: Ruleset,
    strategies: Path,
    cache: Path,
    *,
    games: int = GAMES,
    seed: int = 1,
    careless: str = CARELESS[0],
    on_progress: OnShare = lambda _: None,
) -> Comparison:
    """Compute what a solved rule set is like to play.

    strategies : the folder with its strategy file
    cache : the folder of compiled code
    games : of optimal play, and as many of the careless player; two at least

    Where rules are not plain, what has to be counted is UNKNOWN. Raises StrategyFileError where the
    rules are not solved, and InvalidRequestError for an unknown level.
    """
    policy = make_policy(careless)
    strategy = open_strategy(strategies, rules)
    solved, values = strategy.rules, strategy.values
    on_board = not rules.has_opening
    exact = Comparison(
        rules=rules,
        first_player=strategy.win_probability(first_position(solved)),
        points=expected_points(rules, 0, on_board=on_board),
        farkles=float(points_outcome(rules, 0, on_board=on_board).farkled.sum()),
        tally=Tally(games, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
        careless=careless,
        careless_wins=UNKNOWN,
    )
    if not rules.is_plain:
        return exact
    counted = tally(solved, values, cache, games, seed, lambda done: on_progress(0.6 * done))
    on_progress(0.6)
    is_small = _is_small(solved)
    if is_small and rules.ties != "played_on" and not rules.is_defended:
        turns = Estimate(expected_turns(solved, values, cache))
        counted = replace(counted, turns=turns)
    if is_small:
        wins = Estimate(duel(solved, policy, Optimal(strategy), cache=cache).overall)
    else:
        first, second = (match_player(solved, who, cache) for who in (policy, Optimal(strategy)))
        wins = Estimate(*play_match(solved, (first, second), games, (seed + 1, seed + 2)).rates[-1])
    return replace(exact, tally=counted, careless_wins=wins)


def _is_small(rules: Ruleset) -> bool:
    """Whether a duel takes a few seconds at most."""
    longest = (rules.winning_score - rules.score_floor) // rules.point_step
    return math.prod(value_shape(rules)) * longest / 2 <= _MOST_CHANCES
