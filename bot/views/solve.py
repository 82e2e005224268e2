"""What solves came to, of one rule set and of many, as text and as plain data."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

from bot.views.layout import columns, percent
from bot.views.sheet import Sheet, sheet
from solver.batch.jobs import Result
from solver.game.standings import LEAST
from solver.strategy import StrategyManifest

_HEAD = ("rules", "status", "states", "sweeps", "seconds", "first wins", "file")

_COLUMNS = (
    *("rules", "status", "states", "values", "sweeps", "tolerance", "largest_relative_change"),
    *("error_bound", "residual", "seconds", "win_probability", "file", "bytes", "error"),
)


def catalogue_text(
    results: Sequence[Result], folder: Path, residuals: Mapping[Path, float] | None = None
) -> str:
    """A table of the rule sets, then a sentence for each that failed."""
    rows = [_HEAD, *map(_row, results)]
    lines = columns(rows, right={2, 3, 4, 5})
    if any(result.file for result in results):
        lines.append(f"Files are in {folder}; `first wins` is at 0:0.")
    if solved := [result.manifest for result in results if result.manifest]:
        lines.append(_error_text(max(solved, key=lambda manifest: manifest.error_bound)))
    if residuals:
        lines.append(
            f"In every state of these games the equations hold to {max(residuals.values()):.1e} of"
            " its value."
        )
    failed = [result for result in results if result.error]
    if failed:
        lines.append(f"{len(failed)} of {len(results)} rule sets failed:")
        lines += [f"  {result.error}" for result in failed if not result.same_as]
        lines += [
            f"  {result.given}: has the rules of {result.same_as}"
            for result in failed
            if result.same_as
        ]
    return "\n".join(lines)


def _error_text(manifest: StrategyManifest) -> str:
    """How exact win probabilities are; a bound is rounded up."""
    bound = manifest.error_bound
    whole, least = (_up(number) for number in (bound, bound * LEAST))
    text = (
        f"No win probability is off by more than {whole} of itself, and none below {LEAST:g} by"
        f" more than {least}."
    )
    if bound > manifest.tolerance:
        text += (
            f" That is more than the tolerance {manifest.tolerance:g}: in a game of so many turns"
            " rounding lets no more be proved."
        )
    return text


def _up(number: float) -> str:
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(number)):.1e}"


def _row(result: Result) -> tuple[str, ...]:
    manifest, file, chance = result.manifest, result.file, result.win_probability
    if not manifest or not file:
        return result.name, status_text(result), *"-----"
    return (
        result.name,
        status_text(result),
        f"{manifest.states:,}",
        str(manifest.sweeps),
        f"{manifest.seconds:.1f}",
        "-" if chance is None else percent(chance),
        file.name,
    )


def status_text(result: Result) -> str:
    """What became of one rule set, in a word or two."""
    if result.same_as and not result.error:
        return f"same as {result.same_as}"
    return result.status.value


def catalogue_data(
    results: Sequence[Result], residuals: Mapping[Path, float] | None = None
) -> list[dict[str, Any]]:
    """The rule sets with what a solve of each reports, where there is a strategy file."""
    return [
        {
            "given": result.given,
            "status": result.status.value,
            "same_as": result.same_as,
            "error": str(result.error) if result.error else None,
            "win_probability": result.win_probability,
            **_solved(result, residuals or {}),
            "rules": result.name,
        }
        for result in results
    ]


def catalogue_sheet(
    results: Sequence[Result], residuals: Mapping[Path, float] | None = None
) -> Sheet:
    """A row for each rule set."""
    rows = catalogue_data(results, residuals)
    return sheet(_COLUMNS, (dict.fromkeys(_COLUMNS) | row for row in rows))


def _solved(result: Result, residuals: Mapping[Path, float]) -> dict[str, Any]:
    if not result.manifest or not result.file:
        return {}
    return solve_data(result.manifest, result.file, residuals.get(result.file))


def solve_data(
    manifest: StrategyManifest, file: Path, residual: float | None = None
) -> dict[str, Any]:
    """What a solve reports, with the residual over all states if it was checked."""
    checked = {} if residual is None else {"residual": residual}
    return {
        "rules": manifest.rules.name,
        "digest": manifest.digest,
        "floor": manifest.floor,
        "states": manifest.states,
        "values": manifest.length,
        "sweeps": manifest.sweeps,
        "tolerance": manifest.tolerance,
        "largest_relative_change": manifest.largest_relative_change,
        "error_bound": manifest.error_bound,
        **checked,
        "seconds": manifest.seconds,
        "states_per_second": manifest.states_per_second,
        "file": str(file),
        "bytes": file.stat().st_size,
    }


def solve_text(manifest: StrategyManifest, file: Path, residual: float | None = None) -> str:
    """What a solve came to."""
    rate = manifest.states_per_second / 1e6
    lines = [
        f"{manifest.rules.name}: {manifest.states:,} states solved in {manifest.seconds:.1f} s,"
        f" {manifest.sweeps} sweeps, {rate:,.1f} million states a second",
        _error_text(manifest),
    ]
    if residual is not None:
        lines.append(f"In every state the equations hold to {residual:.1e} of its value.")
    if manifest.rules.penalty_points:
        lines.append(
            f"Scores below {manifest.floor:,} count as {manifest.floor:,}; `farkle study floor`"
            " says what that changes."
        )
    return "\n".join([*lines, f"{file}: {file.stat().st_size:,} bytes"])
