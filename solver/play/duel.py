"""How often one way to play wins against another one: exact, and loads numba only to compute it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from solver.game.solvable import check_solvable
from solver.game.standings import Progress, first_standing, role, standing_index
from solver.play.policies import Optimal, Policy
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats


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

    @property
    def overall(self) -> float:
        """The mean of both: each begins as often."""
        return (self.as_first + self.as_second) / 2


def duel(
    rules: Ruleset,
    one: Policy,
    other: Policy,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: Callable[[float | Progress], None] = lambda _: None,
) -> Duel:
    """The exact win probability of a policy against another one, or against itself.

    cache : the folder of compiled code
    on_progress : told the share of all turns that is evaluated, then how the sweeps go

    Raises InvalidRulesError for rules that cannot be solved, SolveError where that is too much to
    hold, ConvergenceError where a game need not end, and StrategyFileError.
    """
    # only here: numba takes longer to load than any answer
    from solver.play.contests import settled  # noqa: PLC0415

    check_solvable(rules)
    solved = [one for one in (one, other) if isinstance(one, Optimal)]
    found = settled(
        rules,
        one,
        other,
        cache=cache,
        threads=threads,
        values=solved[0].strategy.values if solved else None,
        on_progress=on_progress,
    )
    first, second = starts(rules, found.one, found.other)
    return Duel(rules, one.name, other.name, first, second, found.change, found.sweeps)


def starts(rules: Ruleset, one: Floats, other: Floats) -> tuple[float, float]:
    """Chance of the first of two players to win a game that it begins, and one that it does not.

    one, other : start-of-turn values of each, in the layout of a Solution
    """
    place, first = standing_index(rules, first_standing(rules)), role(rules, began=True)
    return float(one[first, place, place]), 1 - float(other[first, place, place])
