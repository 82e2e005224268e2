"""What solves of games of several players came to, as text and as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.views.layout import columns, percent
from bot.views.sheet import Sheet, sheet
from solver.game.many import ManyCheck
from solver.many_strategy import ManyManifest

_COLUMNS = (
    *("rules", "players", "states", "values", "sweeps", "largest_change", "mixed", "restless"),
    *("seconds", "win_probabilities", "residual", "mixed_states", "order_effect", "file", "bytes"),
)


@dataclass(frozen=True, slots=True)
class SolvedMany:
    """A game of several players that was solved, and what was found out about it."""

    manifest: ManyManifest
    file: Path
    chances: tuple[float, ...]
    """Of all players at the start, in the order of their turns."""
    checked: ManyCheck | None = None
    order_effect: float | None = None
    """By how much any value changes where options that are equal for the mover are taken in the
    opposite order; None where that was not solved."""


def solve_many_text(found: Sequence[SolvedMany]) -> str:
    """A few lines for one; of several a table, with what each seat wins more than an equal part."""
    if len(found) == 1:
        return "\n".join(_lines(found[0]))
    most = max(len(one.chances) for one in found)
    seats = range(1, most + 1)
    head = "rules", "goal", *(f"wins {k}" for k in seats), *(f"more {k}" for k in seats), "mixed"
    rows = [head]
    for one in found:
        more = [chance - 1 / len(one.chances) for chance in one.chances]
        rows.append(
            (
                one.manifest.rules.name,
                f"{one.manifest.rules.goal:,}",
                *map(_three_digits, one.chances),
                *(f"{number * 100:+.3f}" for number in more),
                f"{one.manifest.mixed:,}",
            )
        )
    lines = columns(rows, right=set(range(1, len(head))))
    folder = found[0].file.parent
    return "\n".join(
        [
            *lines,
            "`wins` is by seat in the order of turns, `more` what that is above an equal part, in",
            "percentage points, `mixed` the sets of scores at which a player mixes two choices.",
            f"Files are in {folder}.",
        ]
    )


def _three_digits(chance: float) -> str:
    return f"{chance * 100:.3f} %"


def _lines(one: SolvedMany) -> list[str]:
    manifest = one.manifest
    rate = manifest.states_per_second / 1e6
    chances = ", ".join(percent(chance) for chance in one.chances)
    lines = [
        f"{manifest.rules.name} for {manifest.players} players: {manifest.states:,} states solved"
        f" in {manifest.seconds:.1f} s, {rate:,.1f} million states a second",
        f"At the start they win with {chances}, in the order of their turns.",
        f"Values changed by {manifest.largest_change:.1e} at most when they were solved last.",
    ]
    lines += mixed_lines(manifest.mixed, manifest.restless)
    if one.checked:
        lines.append(checked_text(one.checked))
    if one.order_effect is not None:
        by = f" by more than {one.order_effect:.1e}" if one.order_effect else ""
        lines.append(
            "Options that are equal for the mover are taken in this order:"
            f" {', '.join(manifest.order)}. The opposite order changes no win probability{by}."
        )
    return [*lines, f"{one.file}: {one.file.stat().st_size:,} bytes"]


def mixed_lines(mixed: int, restless: int) -> list[str]:
    """At how many sets of scores a player mixes choices, and at how many nothing settles."""
    lines = []
    if mixed:
        lines.append(
            f"At {mixed:,} {_scores(mixed)} no choices fit each other: there a"
            " player is indifferent between two and mixes them."
        )
    if restless:
        lines.append(
            f"At {restless:,} {_scores(restless)} values did not settle: they"
            " are means over many rounds."
        )
    return lines


def checked_text(checked: ManyCheck) -> str:
    """How the values fit."""
    text = f"In every state the equations hold to {checked.residual:.1e}"
    if checked.mixed_states:
        return f"{text}, but for {checked.mixed_states:,} in which a player mixes."
    return f"{text}."


def _scores(number: int) -> str:
    return "set of scores" if number == 1 else "sets of scores"


def solve_many_data(one: SolvedMany) -> dict[str, Any]:
    """The same as plain data."""
    manifest = one.manifest
    return {
        "rules": manifest.rules.name,
        "digest": manifest.digest,
        "players": manifest.players,
        "states": manifest.states,
        "values": manifest.length,
        "sweeps": manifest.sweeps,
        "tolerance": manifest.tolerance,
        "largest_change": manifest.largest_change,
        "mixed": manifest.mixed,
        "restless": manifest.restless,
        "seconds": manifest.seconds,
        "states_per_second": manifest.states_per_second,
        "win_probabilities": list(one.chances),
        "residual": one.checked.residual if one.checked else None,
        "mixed_states": one.checked.mixed_states if one.checked else None,
        "order": list(manifest.order),
        "order_effect": one.order_effect,
        "file": str(one.file),
        "bytes": one.file.stat().st_size,
    }


def solve_many_sheet(found: Sequence[SolvedMany]) -> Sheet:
    """A row for each."""
    rows = []
    for one in found:
        data = solve_many_data(one)
        data["win_probabilities"] = " ".join(str(chance) for chance in one.chances)
        rows.append({column: data[column] for column in _COLUMNS})
    return sheet(_COLUMNS, rows)
