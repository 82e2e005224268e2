"""How often one way to play wins against another one: exact, and loads numba only to compute it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from solver.game.solvable import check_solvable
from solver.game.standings import Progress, first_standing, role, standing_index
from solver.play.memo import GoForIt
from solver.play.policies import Optimal, levels_under
from solver.play.policy import Policy
from solver.play.strengths import Strength, Strengths
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.equations import Floats

MOST_GAMES = 10_000_000
"""That are played at a time to count what happens in them."""


@dataclass(frozen=True, slots=True)
class Duel:
    """What one policy wins against another one under some rules; a shared win counts half."""

    rules: Ruleset
    one: str
    """The name of the policy that is told about."""
    other: str
    as_first: float
    """Win probability of `one` when it begins."""
    as_second: float
    """When the other one does."""
    change: float
    """Largest change of the chance to win, of either player in any state, in the last sweep."""
    sweeps: int
    """0 where nothing was worked out, and the chances are rates of games that were played."""
    played: "Played | None" = None
    """Games of these two that were played as well, or instead."""

    @property
    def is_exact(self) -> bool:
        """Whether the chances are worked out."""
        return self.sweeps > 0

    @property
    def overall(self) -> float:
        """The mean of both: each begins as often."""
        return (self.as_first + self.as_second) / 2


@dataclass(frozen=True, slots=True)
class Played:
    """Games that two policies have played, half of them begun by each."""

    games: int
    seed: int
    began: float
    """Share of the games that the first one began and won; a shared win counts half."""
    replied: float

    @property
    def rates(self) -> tuple[tuple[float, float], ...]:
        """Win rates with their standard errors: beginning, second and overall."""
        halves = [(rate, rate * (1 - rate) / (self.games / 2)) for rate in self._halves]
        overall = sum(rate for rate, _ in halves) / 2, sum(square for _, square in halves) / 4
        return tuple((rate, math.sqrt(square)) for rate, square in (*halves, overall))

    def agrees(self, duel: Duel) -> bool:
        """Whether nothing but chance is between these games and exact win probabilities.

        In a million duels about three fail this by chance.
        """
        exact = duel.as_first, duel.as_second
        errors = [math.sqrt(one * (1 - one) / (self.games / 2)) for one in exact]
        return all(
            abs(rate - one) <= 5 * error + 2 / self.games
            for rate, one, error in zip(self._halves, exact, errors, strict=True)
        )

    @property
    def _halves(self) -> tuple[float, float]:
        return self.began, self.replied


def duel(
    rules: Ruleset,
    one: Policy,
    other: Policy,
    *,
    cache: Path,
    on_progress: Callable[[float | Progress], None] = lambda _: None,
) -> Duel:
    """The exact win probability of a policy against another one, or against itself.

    cache : the folder of compiled code
    on_progress : told the share of all turns that is evaluated, then how the sweeps go

    Raises InvalidRulesError for rules that cannot be solved, SolveError where that is too much to
    hold, ConvergenceError where a game need not end, and StrategyFileError.
    """
    from solver.play.contests import settled  # noqa: PLC0415 - numba: 0.4 s

    check_solvable(rules)
    strategies = [player.strategy for player in (one, other) if isinstance(player, Optimal)]
    if len(strategies) == 2 and strategies[0] is strategies[1]:
        other = one  # whose turns are evaluated once
    found = settled(
        rules,
        one,
        other,
        cache=cache,
        values=strategies[0].values if strategies else None,
        on_progress=on_progress,
    )
    first, second = starts(rules, found.one, found.other)
    return Duel(rules, one.name, other.name, first, second, found.change, found.sweeps)


def strengths_of_levels(
    rules: Ruleset,
    strategy: Strategy,
    *,
    cache: Path,
    go_for_it: GoForIt | None = None,
    games: int | None = None,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda _: None,
) -> Strengths:
    """How strong every level of a bot is against best play, exact or counted. Raises as `duel`.

    go_for_it : the thresholds of the level that needs some; it is left out if None
    games : that each level plays with dice of `seed`, half of them begun by each side; an odd
        number becomes the next even one
    """
    from solver.play.contests import outcomes_against, settled  # noqa: PLC0415 - numba: 0.4 s
    from solver.play.match_players import match_player  # noqa: PLC0415 - numba: 0.4 s
    from solver.play.matches import play_match  # noqa: PLC0415 - numba: 0.4 s

    best = Optimal(strategy)
    levels = [
        best if one.name == best.name else one for one in levels_under(rules, strategy, go_for_it)
    ]

    def evaluating(share: float) -> None:
        on_progress(share / 2)

    found: dict[str, Strength] = {}
    if games is None:
        ends = outcomes_against(rules, best, levels, cache=cache, on_progress=evaluating)
    else:
        optimal = match_player(rules, best, cache)
    for number, level in enumerate(levels):
        done = number / len(levels)
        if games is None:
            on_progress(0.5 + done / 2)
            values = settled(
                rules, level, best, cache=cache, values=strategy.values, known={best: ends}
            )
            began, replied = starts(rules, values.one, values.other)
            rate, error = (began + replied) / 2, 0.0
        else:
            on_progress(done)
            player = optimal if level is best else match_player(rules, level, cache)
            first = seed + 2_000_006 * number
            played = play_match(rules, (player, optimal), games, (first, first + 1_000_003))
            began, replied = played.began, played.replied
            rate, error = played.rates[-1]
        found[level.name] = Strength(
            win_rate=rate, standard_error=error, began=began, replied=replied
        )
    return Strengths(
        rules=rules.name,
        digest=rules.digest,
        games=games and games + games % 2,
        seed=seed if games else None,
        levels=found,
    )


def starts(rules: Ruleset, one: Floats, other: Floats) -> tuple[float, float]:
    """Chance of the first of two players to win a game that it begins, and one that it does not.

    one, other : start-of-turn values of each, in the layout of a Solution
    """
    place, first = standing_index(rules, first_standing(rules)), role(rules, began=True)
    return float(one[first, place, place]), 1 - float(other[first, place, place])
