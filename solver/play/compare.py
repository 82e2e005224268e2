"""What a rule set is like to play, in a few numbers, so that rule sets can be compared.

Who begins and what a turn for the most points is worth are exact. So are, of games that are not too
large, the turns of a game and what a careless player wins against best play (solver.play.duel), the
turns only where ties are not played on. All else is counted in games of optimal play by both, see
solver.play.tally, and told with a standard error. Numba is loaded only where that is done. Games of
rounds, and in which a turn depends on the one before it, are not counted here but played turn by
turn, see bot.services.comparing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from solver.game.position import first_position
from solver.game.standings import value_shape
from solver.play.duel import duel
from solver.play.policies import Optimal, make_policy
from solver.rules.ruleset import Ruleset
from solver.strategy import open_strategy
from solver.turn.points import expected_points, points_outcome

CLOSE = 0.005
"""Decisions are close whose choices differ by less win probability than this."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, and the standard error of it where it is none that was computed exactly."""

    value: float
    standard_error: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What games of optimal play by both are like."""

    games: int
    turns: Estimate
    """The turns of a game, those of both players."""
    points: Estimate
    """That a turn banks, 0 for one that banks nothing; penalties aside."""
    farkles: Estimate
    """Share of the turns that end in a farkle."""
    decisions: Estimate
    """The decisions in a game, those of both players: states in which one may bank or roll."""
    close: Estimate
    """Share of them in which the choices differ by less than CLOSE."""


UNKNOWN = Estimate(math.nan)
"""What is not known."""

CARELESS = ("cautious", "greedy")
"""Levels that a careless player may play at."""

GAMES = 10_000
"""That are played for each rule set if nobody says how many."""


_MOST_CHANCES = 30_000_000
"""The most chances of banks that a duel has to hold; larger games would take too long here."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one rule set is like to play."""

    rules: Ruleset
    first_player: float
    """Win probability of who begins; exact."""
    points: float
    """Expected points of a turn for the most points at the start of the game; exact."""
    farkles: float
    """Chance that such a turn ends in a farkle; exact."""
    tally: Tally
    """The tally of games of optimal play; turns have no standard error where they are exact."""
    careless: str
    """The level of a careless player."""
    careless_wins: Estimate
    """Win probability of that player against optimal play, as first as often as second."""

    @property
    def careless_loses(self) -> float:
        """By how much that is less than an even chance."""
        return 0.5 - self.careless_wins.value


def compare(
    rules: Ruleset,
    strategies: Path,
    cache: Path,
    *,
    games: int = GAMES,
    seed: int = 1,
    careless: str = CARELESS[0],
    on_progress: Callable[[float], None] = lambda _: None,
) -> Comparison:
    """Compute what a solved rule set is like to play.

    strategies : the folder with its strategy file
    cache : the folder of compiled code
    games : of optimal play, and as many of the careless player; two at least
    on_progress : told the share of it that is done

    Where rules are not plain, what has to be counted is UNKNOWN. Raises StrategyFileError where the
    rules are not solved, and InvalidRequestError for an unknown level.
    """
    from solver.play.match_players import match_player  # noqa: PLC0415 - numba: 0.4 s
    from solver.play.matches import play_match  # noqa: PLC0415 - numba: 0.4 s
    from solver.play.tally import expected_turns, tally  # noqa: PLC0415 - numba: 0.4 s

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
        first, second = (match_player(solved, one, cache) for one in (policy, Optimal(strategy)))
        wins = Estimate(*play_match(solved, (first, second), games, (seed + 1, seed + 2)).rates[-1])
    return replace(exact, tally=counted, careless_wins=wins)


def _is_small(rules: Ruleset) -> bool:
    """Whether a duel takes a few seconds at most."""
    longest = (rules.winning_score - rules.score_floor) // rules.point_step
    return math.prod(value_shape(rules)) * longest / 2 <= _MOST_CHANCES
