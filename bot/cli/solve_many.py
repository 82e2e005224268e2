"""`farkle solve --players`: strategy files for three players and more."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from bot.cli.output import show
from bot.settings import Settings
from bot.views.progress import share_progress
from bot.views.solve_many import SolvedMany, solve_many_data, solve_many_sheet, solve_many_text
from solver.game.many import (
    MOST_STATES,
    MOST_STATES_THERE,
    ManySolution,
    check_many,
    expected_seconds,
    inner_states,
    time_text,
)
from solver.game.position import first_position
from solver.many_strategy import open_many, save_many
from solver.rules.ruleset import Ruleset
from solver.solved import prepare_folder


class _Solve(Protocol):
    """Solves a game of several players, on this machine or on a cluster."""

    def __call__(
        self,
        rules: Ruleset,
        players: int,
        *,
        reverse: bool = False,
        on_progress: Callable[[float], None],
    ) -> ManySolution: ...


def solve_many_rules(
    settings: Settings,
    rules: Sequence[Ruleset],
    players: int,
    folder: Path,
    scheduler: str | None,
    *,
    check: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Solve rule sets for so many players, write their strategy files and show what they came to.

    Raises InvalidRulesError before anything is solved.
    """
    for one in rules:
        check_many(one, players, most=MOST_STATES_THERE if scheduler else MOST_STATES)
    prepare_folder(folder)
    found = []
    with _solver(settings, scheduler) as solve:
        for one in rules:
            what = f"{one.name} for {players} players"
            about = f"{inner_states(one, players):,} states"
            if not scheduler:
                about += f", about {time_text(expected_seconds(one, players))}"
            with share_progress(f"solving {what}, {about}") as on_progress:
                solution = solve(one, players, on_progress=on_progress)
            manifest, file = save_many(solution, folder)
            strategy = open_many(folder, one, players)
            chances = tuple(strategy.chances(first_position(one, players)).tolist())
            solved = SolvedMany(manifest, file, chances)
            found.append(_checked(settings, solved, solution, solve) if check else solved)
    data = [solve_many_data(one) for one in found]
    show(
        solve_many_text(found),
        data if len(data) > 1 else data[0],
        as_json=as_json,
        sheet=solve_many_sheet(found) if as_csv else None,
    )
    return 0


@contextmanager
def _solver(settings: Settings, scheduler: str | None) -> Iterator[_Solve]:
    # only here: a command that does not solve needs neither
    if scheduler is not None:
        from solver.batch.cluster import connected  # noqa: PLC0415

        with connected(scheduler) as solver:
            yield solver.solve_many
    else:
        from solver.batch.local import compiled_code, solve_many_here  # noqa: PLC0415

        with compiled_code(settings.kernels) as cache:
            yield partial(solve_many_here, cache=cache)


def _checked(
    settings: Settings, solved: SolvedMany, solution: ManySolution, solve: _Solve
) -> SolvedMany:
    """With how its values fit, and what the order among equal options changes."""
    from solver.batch.local import check_many_here, compiled_code  # noqa: PLC0415

    rules, players = solution.rules, solution.players
    what = f"{rules.name} for {players} players"
    with (
        compiled_code(settings.kernels) as cache,
        share_progress(f"checking {what}") as on_progress,
    ):
        checked = check_many_here(solved.file, cache=cache, on_progress=on_progress)
    with share_progress(f"solving {what} in the opposite order") as on_progress:
        other = solve(rules, players, reverse=True, on_progress=on_progress)
    effect = float(np.max(np.abs(other.values - solution.values)))
    return replace(solved, checked=checked, order_effect=effect)
