"""`farkle solve --players`: strategy files for three players and more."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bot.cli.output import show
from bot.settings import Settings
from bot.views.progress import share_progress
from bot.views.solve_many import SolvedMany, solve_many_data, solve_many_sheet, solve_many_text
from solver.game.many import check_many, expected_seconds, inner_states, time_text
from solver.game.many_best import first_shared_position
from solver.many_strategy import many_manifest_path, open_many, save_many, verify_many
from solver.rules.ruleset import Ruleset
from solver.strategy import prepare_folder


def solve_many_rules(
    settings: Settings,
    rules: Sequence[Ruleset],
    players: int,
    folder: Path,
    *,
    check: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Solve rule sets for so many players, write their strategy files and show what they came to.

    Raises InvalidRulesError before anything is solved.
    """
    # only here: a command that does not solve needs none of it
    from solver.batch.local import compiled_code  # noqa: PLC0415

    for one in rules:
        check_many(one, players)
    prepare_folder(folder)
    with compiled_code(settings.kernels) as cache:
        found = [_solved(one, players, folder, cache, check=check) for one in rules]
    data = [solve_many_data(one) for one in found]
    show(
        solve_many_text(found),
        data if len(data) > 1 else data[0],
        as_json=as_json,
        sheet=solve_many_sheet(found) if as_csv else None,
    )
    return 0


def _solved(rules: Ruleset, players: int, folder: Path, cache: Path, *, check: bool) -> SolvedMany:
    from solver.batch.local import check_many_here, solve_many_here  # noqa: PLC0415

    states, seconds = inner_states(rules, players), expected_seconds(rules, players)
    what = f"{rules.name} for {players} players"
    about = f"{states:,} states, about {time_text(seconds)}"
    with share_progress(f"solving {what}, {about}") as on_progress:
        solution = solve_many_here(rules, players, cache=cache, on_progress=on_progress)
    manifest, file = save_many(solution, folder)
    strategy = open_many(folder, rules, players)
    chances = tuple(strategy.chances(first_shared_position(rules, players)).tolist())
    if not check:
        return SolvedMany(manifest, file, chances)
    path = many_manifest_path(folder, rules, players)
    with share_progress(f"checking {what}") as on_progress:
        checked = check_many_here(path, cache=cache, on_progress=on_progress)
    with share_progress(f"solving {what} in the opposite order") as on_progress:
        other = solve_many_here(rules, players, cache=cache, reverse=True, on_progress=on_progress)
    effect = float(np.max(np.abs(other.values - solution.values)))
    return SolvedMany(manifest, file, chances, checked, effect)


def is_of_many(file: Path) -> bool:
    """Whether a strategy file, or its manifest, is named as one of several players."""
    return re.search(r"_players\d+(-[0-9a-f]+\.npy|\.json)$", file.name) is not None


def verify_of_many(file: Path, *, as_json: bool) -> int:
    """Check every byte of such a file. Raises StrategyFileError."""
    manifest = verify_many(file)
    name, players = manifest.rules.name, manifest.players
    show(
        f"{file} is whole: {name} rules for {players} players",
        {"verified": True, "rules": name, "players": players, "file": str(file)},
        as_json=as_json,
    )
    return 0
