"""Tables for spreadsheets: named columns of plain cells, written as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Cell = str | int | float | bool | None | Sequence[int]
"""None is left empty; dice have a space between them."""


class Sheet(NamedTuple):
    """A table as data."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def csv(self) -> str:
        """The table as in RFC 4180 with plain line ends; numbers in full, with a decimal point."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_written(cell) for cell in row] for row in self.rows)
        return written.getvalue().removesuffix("\n")


def sheet(columns: Sequence[str], rows: Iterable[Mapping[str, Cell]]) -> Sheet:
    """The named columns of some rows, which may hold more."""
    return Sheet(tuple(columns), tuple(tuple(row[name] for name in columns) for row in rows))


def sheet_of(data: Any) -> Sheet:
    """The table in plain data: its longest list of rows, else all of it as one row.

    What is within a row becomes columns such as `ends.farkle`.
    """
    lists = [data, *data.values()] if isinstance(data, dict) else [data]
    tables = [
        table
        for table in lists
        if isinstance(table, list | tuple) and table and all(isinstance(row, dict) for row in table)
    ]
    rows = [flat(row) for row in max(tables, key=len, default=[data])]
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Sheet(columns, tuple(tuple(row.get(name) for name in columns) for row in rows))


def flat(row: Mapping[str, Any], before: str = "") -> dict[str, Cell]:
    """A row whose own parts are columns, too; lists of more than numbers are left out."""
    cells: dict[str, Cell] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            cells |= flat(value, f"{before}{name}.")
        elif not isinstance(value, list | tuple) or all(isinstance(part, int) for part in value):
            cells[before + name] = value
    return cells


def _written(cell: Cell) -> str | float | None:
    """A cell as it stands in a file: what a program reads back."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str | int | float | None):
        return cell
    return " ".join(map(str, cell))
