"""Strategy files of games of several players: their values on disk, and best play from them.

A file holds the values at the start of a turn, then those of final turns (`ManySolution`). The last
player's chance follows from the others', and what is the same for every seat is stored once, by who
is to move.
"""

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from solver.errors import MissingStrategyError
from solver.game.many import ManySolution, inner_states, size
from solver.game.many_best import SharedStrategy
from solver.rules.ruleset import Ruleset
from solver.solved import Manifest, Shapes, file_name, open_solved, save_solved
from solver.turn.equations import EVEN, TurnPlan

ORDER = ("bank before roll", "more points", "more dice left")
"""What is taken of options that are equal for the mover."""


_AXES_OF_ROUNDS = "leads, those with fewest turns left first; who, but for the last"


class RingManifest(Manifest):
    """What a file says of values by seat, each player's own chance to win."""

    players: int = Field(ge=2)
    axes: str = "role of the mover; standing of each player, the mover first; who, but for the last"
    """The axes of the first array. A standing is a score in point steps, or not on the board yet,
    which comes last."""
    order: tuple[str, ...] = ORDER
    even: float = EVEN
    """The most by which own chances differ that count as equal."""
    largest_change: float = Field(ge=0)
    mixed: int = Field(ge=0)
    """Rings of states in which a player mixes two choices, as none fit each other."""
    restless: int = Field(ge=0)
    """Rings whose values did not settle: they are means over many rounds."""
    tolerance: float = Field(gt=0, le=1)
    sweeps: int = Field(ge=1)
    reported: ClassVar[tuple[str, ...]] = (
        *("goal", "players", "values", "largest_change", "mixed", "restless", "order"),
        *("states_solved", "seconds", "states_per_second"),
    )

    @property
    def lasts(self) -> Shapes:
        """Return the shapes of final turns, none where they do not have the axes of `Lasts`."""
        shapes = self.shapes[1:]
        return shapes if all(len(shape) == k + 3 for k, shape in enumerate(shapes)) else ()

    @property
    def title(self) -> str:
        """Return what was solved, in words."""
        return f"{self.rules.name} rules for {self.players} players"

    @property
    def plans(self) -> tuple[TurnPlan, ...]:
        """Return the turns by seat, where they are not those of the rules."""
        return ()

    @property
    def goal(self) -> int:
        """Return the goal that it is played to."""
        return self.rules.goal


class ManyManifest(RingManifest):
    """What a strategy file of several players says of its values."""

    kind: Literal["several players"] = "several players"
    states: int = Field(ge=1)
    reported: ClassVar = (*RingManifest.reported, "states", "sweeps", "tolerance")

    @property
    def right(self) -> tuple[str, Shapes]:
        """Return the digest and the shapes that it has to have; those of final turns are any."""
        return self.rules.digest, (size(self.rules, self.players).shape, *self.lasts)


def many_path(folder: Path, rules: Ruleset, players: int) -> Path:
    """Return where the strategy of a rule set for so many players stands."""
    return folder / file_name(rules.digest, f"players{players}")


def save_many(solution: ManySolution, folder: Path) -> tuple[ManyManifest, Path]:
    """Write a strategy file; returns its manifest and its path.

    Raises StrategyFileError, and then leaves nothing behind.
    """
    rules, players = solution.rules, solution.players
    said: dict[str, Any] = {"states": inner_states(rules, players)}
    if rules.rounds:
        said["axes"] = _AXES_OF_ROUNDS
    manifest = ManyManifest.of(solution, rules.digest, f"players{players}", **said)
    return save_solved(folder, manifest, *solution.arrays)


def open_many(folder: Path, rules: Ruleset, players: int) -> SharedStrategy:
    """Open best play of so many players, memory-mapped from a file that is whole to the byte.

    Raises MissingStrategyError where there is none, StrategyFileError where it is damaged.
    """
    path = many_path(folder, rules, players)
    if not path.is_file():
        raise MissingStrategyError.say(
            "the {rules} rules are not solved yet for {players} players",
            rules=rules.name,
            players=players,
        )
    opened = open_solved(path, ManyManifest)
    named = opened.manifest.rules.model_copy(update={"name": rules.name})
    return SharedStrategy(named, players, opened.arrays[0], opened.arrays[1:], opened)
