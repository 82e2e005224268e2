"""What can be solved: a game of two, a game of several, or one of dice of one's own.

A subject knows how large it is, which file it has in a folder and whether that is there, and how it
is solved and checked. Only `solve` and `check` load numba.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from solver.errors import InvalidRulesError, MissingStrategyError, StrategyFileError
from solver.folders import one_at_a_time
from solver.game.many import (
    MOST_STATES,
    MOST_STATES_THERE,
    Checked,
    check_many,
    expected_seconds,
    inner_states,
    time_text,
)
from solver.game.position import first_position
from solver.game.solvable import check_solvable
from solver.game.standings import DEFAULT_TOLERANCE, OnProgress, Solution, state_count
from solver.game.workload import workload
from solver.loaded.files import (
    ManyMatchupManifest,
    MatchupManifest,
    keep_within,
    matchup_path,
    open_matchup,
    save_matchup,
)
from solver.loaded.matchup import Matchup
from solver.many_strategy import ManyManifest, many_path, open_many, save_many
from solver.rules.ruleset import Ruleset
from solver.solved import Manifest, open_solved
from solver.strategy import (
    StrategyManifest,
    open_strategy,
    save_strategy,
    strategy_files,
    verify_strategy,
)
from solver.turn.equations import TurnPlan

KINDS: tuple[type[Manifest], ...] = (
    StrategyManifest,
    ManyManifest,
    MatchupManifest,
    ManyMatchupManifest,
)
"""All that there are files of."""


@dataclass(frozen=True, slots=True)
class GameOfTwo:
    """A rule set for two players."""

    rules: Ruleset
    tolerance: float = DEFAULT_TOLERANCE
    players: ClassVar = 2
    seats: ClassVar[tuple[str, ...]] = ()
    about: ClassVar = ""
    """Nothing, as its sweeps are told instead."""
    reversed: ClassVar = None

    @property
    def name(self) -> str:
        """Return what the rules are called."""
        return self.rules.name

    @property
    def title(self) -> str:
        """Return its name with its size, for people who wait."""
        return f"{self.name}: {state_count(self.rules):,} states"

    @property
    def sweeps(self) -> float:
        """Return how many sweeps a solve takes, as far as is known before."""
        return 2.0 if self.rules.farkle_penalty is None else 14.0

    @property
    def digest(self) -> str:
        """Return that of the rules: of subjects with one digest the lowest floor has all values."""
        return self.rules.digest

    @property
    def seconds(self) -> float:
        """Return about how long a solve takes."""
        return workload(self.rules).seconds

    def check(self) -> None:
        """Refuse what cannot be solved. Raises InvalidRulesError."""
        check_solvable(self.rules)

    def solve(self, cache: Path, threads: int | None, on_progress: OnProgress) -> Solution:
        """Solve it, see `solver.game.sweeps.solve`. Raises FarkleError."""
        # where its code is to be compiled, those who start meanwhile wait for the first one
        with one_at_a_time(cache):
            from solver.game import sweeps  # noqa: PLC0415 - numba: 0.4 s

        how: dict[str, Any] = {"tolerance": self.tolerance, "threads": threads}
        return sweeps.solve(self.rules, cache=cache, on_progress=on_progress, **how)

    def save(self, solution: Solution, folder: Path) -> tuple[Manifest, Path]:
        """Write its file, named by the rules and their floor. Raises StrategyFileError."""
        return save_strategy(solution, folder)

    def solved(self, folder: Path) -> Manifest | None:
        """Return what a file says that is exact enough, low enough and whole, if any."""
        floor = self.rules.score_floor
        with suppress(MissingStrategyError):
            # not the first alone: the one that answers may have a lower floor and be rougher
            for path in strategy_files(folder, self.rules):
                with suppress(StrategyFileError):
                    manifest = verify_strategy(path)
                    if manifest.tolerance <= self.tolerance and manifest.floor <= floor:
                        return manifest
        return None

    def chances(self, folder: Path) -> tuple[float, ...]:
        """Return the chances of the first player and of the other. Raises StrategyFileError."""
        first = open_strategy(folder, self.rules).win_probability(first_position(self.rules))
        return first, 1 - first

    def checked(self, file: Path, cache: Path, on_progress: OnProgress) -> Checked:
        """Put the values back, also inside turns; the residual is relative to the value."""
        from solver.game import audit  # noqa: PLC0415 - numba: 0.4 s

        solved = open_solved(file, StrategyManifest)
        how: dict[str, Any] = {"cache": cache, "on_progress": on_progress}
        return Checked(audit.residual(solved.manifest.rules, *solved.arrays, **how))


@dataclass(frozen=True, slots=True)
class GameOfSeveral:
    """A rule set for so many players, each of whom plays for the own chance to win."""

    rules: Ruleset
    players: int
    on_cluster: bool = False
    """Whether a cluster solves it: it may be larger, and nobody knows how long it takes."""
    reverse: bool = False
    """Whether options that are equal for the mover are taken in the opposite order."""
    seats: tuple[str, ...] = ()
    """The dice by seat, as people wrote them; none where they are those of the rules."""
    sweeps: ClassVar = 1.0

    @property
    def name(self) -> str:
        """Return what the rules are called, for so many players."""
        name = f"{self.rules.name} for {self.players} players"
        return f"{name} in the opposite order" if self.reverse else name

    @property
    def title(self) -> str:
        """Return its name with its size, for people who wait."""
        return self.name if self.reverse else f"{self.name}, {self.about}"

    @property
    def about(self) -> str:
        """Return how large it is, and how long a solve on this machine takes."""
        states = f"{self.states:,} states"
        return states if self.on_cluster else f"{states}, about {time_text(self.seconds)}"

    @property
    def states(self) -> int:
        """Return how many states there are."""
        return inner_states(self.rules, self.players)

    @property
    def plans(self) -> Sequence[TurnPlan]:
        """Return the turns by seat, where they are not those of the rules."""
        return ()

    @property
    def digest(self) -> str:
        """Return that of the rules with the number of players."""
        return f"{self.rules.digest}:{self.players}"

    @property
    def reversed(self) -> "GameOfSeveral | None":
        """Return it with options that are equal taken in the opposite order."""
        return replace(self, reverse=not self.reverse)

    @property
    def seconds(self) -> float:
        """Return about how long a solve takes."""
        return expected_seconds(self.rules, self.players)

    def check(self) -> None:
        """Refuse what cannot be solved. Raises InvalidRulesError."""
        most = MOST_STATES_THERE if self.on_cluster else MOST_STATES
        check_many(self.rules, self.players, most=most)
        if self.on_cluster and self.rules.rounds:
            raise InvalidRulesError.say(
                "{rules}: a game of a number of rounds is solved for three on one machine: leave"
                " out --scheduler",
                rules=self.rules.name,
            )

    def solve(self, cache: Path, threads: int | None, on_progress: OnProgress) -> Any:
        """Solve it, see `solver.game.many_sweeps.solve_many`. Raises FarkleError."""
        with one_at_a_time(cache):
            from solver.game.many_sweeps import solve_many  # noqa: PLC0415 - numba: 0.4 s

        how: dict[str, Any] = {"plans": self.plans, "reverse": self.reverse, "threads": threads}
        return solve_many(self.rules, self.players, cache=cache, on_progress=on_progress, **how)

    def path(self, folder: Path) -> Path:
        """Return where its file stands."""
        return many_path(folder, self.rules, self.players)

    def save(self, solution: Any, folder: Path) -> tuple[Manifest, Path]:
        """Write its file. Raises StrategyFileError, and then leaves nothing behind."""
        return save_many(solution, folder)

    def solved(self, folder: Path) -> Manifest | None:
        """Return what its file says, if that is whole."""
        with suppress(StrategyFileError):
            return open_solved(self.path(folder), *KINDS, anew=True).manifest
        return None

    def chances(self, folder: Path) -> tuple[float, ...]:
        """Return the chances in the order of turns. Raises StrategyFileError."""
        start = first_position(self.rules, self.players)
        return tuple(open_many(folder, self.rules, self.players).chances(start).tolist())

    def checked(self, file: Path, cache: Path, on_progress: OnProgress) -> Checked:
        """Put the values back, at the start of every turn."""
        from solver.game.many_sweeps import check  # noqa: PLC0415 - numba: 0.4 s

        solved = open_solved(file, ManyManifest, ManyMatchupManifest)
        how: dict[str, Any] = {"plans": solved.manifest.plans, "cache": cache}
        (values, *_), tell = solved.arrays, on_progress
        return check(self.rules, self.players, values, on_progress=tell, **how)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOfDice(GameOfSeveral):
    """A game of players with dice of their own, those of a match-up; of two nothing is checked."""

    matchup: Matchup
    most_bytes: int | None = None
    """What files of such games may take in their folder: those go first that were not used for
    longest."""

    @property
    def title(self) -> str:
        """Return its name with its size, for people who wait."""
        return f"{self.rules.name} for {self.players} sets of dice, {self.about}"

    @property
    def states(self) -> int:
        """Return how many states at the start of a turn there are."""
        return self.matchup.size.states

    @property
    def plans(self) -> Sequence[TurnPlan]:
        """Return the turns by seat."""
        return self.matchup.plans

    @property
    def digest(self) -> str:
        """Return that of the rules and all sets, whoever begins."""
        return self.matchup.digest

    @property
    def reversed(self) -> None:
        """Return nothing: the order among equal options is not told of dice of one's own."""

    @property
    def seconds(self) -> float:
        """Return about how long a solve takes."""
        return self.matchup.seconds

    def check(self) -> None:
        """Refuse nothing: what cannot be solved is no match-up."""

    def solve(self, cache: Path, threads: int | None, on_progress: OnProgress) -> Any:
        """Solve it, of two as of `solver.loaded.game.solve_matchup`. Raises FarkleError."""
        if self.players > 2:
            return GameOfSeveral.solve(self, cache, threads, on_progress)
        with one_at_a_time(cache):
            from solver.loaded.game import solve_matchup  # noqa: PLC0415 - numba: 0.4 s

        how: dict[str, Any] = {"threads": threads, "on_progress": on_progress}
        return solve_matchup(self.matchup, cache=cache, **how)

    def path(self, folder: Path) -> Path:
        """Return where its file stands."""
        return matchup_path(folder, self.matchup)

    def save(self, solution: Any, folder: Path) -> tuple[Manifest, Path]:
        """Write its file, and remove others where they take too much."""
        saved = save_matchup(self.matchup, solution, folder)
        if self.most_bytes is not None:
            keep_within(folder, self.most_bytes)
        return saved

    def chances(self, folder: Path) -> tuple[float, ...]:
        """Return the chances in the order of turns."""
        strategy = open_matchup(folder, self.matchup)
        return tuple(strategy.chances(strategy.start(0)).tolist())


Subject = GameOfTwo | GameOfSeveral
"""What can be solved; what `solve` makes is what `save` takes."""


def game_of(rules: Ruleset, players: int = 2, *, on_cluster: bool = False) -> Subject:
    """Return a game of so many players, who throw the dice of the rules."""
    return GameOfTwo(rules) if players == 2 else GameOfSeveral(rules, players, on_cluster)
