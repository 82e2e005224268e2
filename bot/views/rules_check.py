"""What the check of rule files found, as lines and as data."""

from collections.abc import Iterable
from typing import Any

from bot.views.sheet import Cell, Sheet
from solver.game.standings import state_count
from solver.rules.file import Finding
from solver.rules.ruleset import Ruleset
from solver.wording import short

Checked = tuple[str, Ruleset | None, list[Finding]]
"""A file as it was given, its rules if they are valid, and else what is wrong."""

_MOST = 20
"""Complaints about a file that people read at a time."""


def check_text(checked: Iterable[Checked]) -> str:
    """One line for each complaint, the first ones of many, and one for each valid file."""
    lines = []
    for file, rules, findings in checked:
        name = short(file, 500)
        lines += [f"{name}:{one.line}: {one.sentence}" for one in findings[:_MOST]]
        if (more := len(findings) - _MOST) > 0:
            lines.append(f"{name}: and {more:,} more")
        if rules:
            lines.append(
                f"{name}: valid: {rules.name}, digest {rules.digest[:12]},"
                f" {state_count(rules):,} states"
            )
    return "\n".join(lines)


def check_data(checked: Iterable[Checked]) -> list[dict[str, Any]]:
    """Each file with what is wrong, or with its rules' name, digest and number of states."""
    return [
        {
            "file": file,
            "valid": rules is not None,
            "complaints": [
                {"line": finding.line, "key": finding.key, "sentence": finding.sentence}
                for finding in findings
            ],
            "rules": rules.name if rules else None,
            "digest": rules.digest if rules else None,
            "states": state_count(rules) if rules else None,
        }
        for file, rules, findings in checked
    ]


def check_sheet(checked: Iterable[Checked]) -> Sheet:
    """A row for each complaint, and one without any for each valid file."""
    rows: list[tuple[Cell, ...]] = []
    for file, rules, findings in checked:
        if rules is not None:
            rows.append((file, None, None, None))
        rows += [(file, one.line, one.key, one.sentence) for one in findings]
    return Sheet(("file", "line", "key", "sentence"), tuple(rows))
