"""The figures of a benchmark: printed, kept, and held against their limits."""

import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.history import history, processor

Figures = dict[str, Any]


@dataclass
class Bench:
    """The folder of a run, and the limits that it found broken."""

    folder: Path
    broken: list[str] = field(default_factory=list)

    def at_most(
        self,
        what: str,
        measured: float,
        limit: float,
        unit: str,
        than: tuple[str, float] | None = None,
    ) -> None:
        """Print and keep a figure that should be no more than its limit.

        than : what it is compared with: that and its figure, of the same run and unit
        """
        self._compare(what, measured, limit, unit, "most", than, holds=measured <= limit)

    def at_least(
        self,
        what: str,
        measured: float,
        limit: float,
        unit: str,
        than: tuple[str, float] | None = None,
    ) -> None:
        """Reports a figure that should be no less than its limit."""
        self._compare(what, measured, limit, unit, "least", than, holds=measured >= limit)

    def _compare(
        self,
        what: str,
        measured: float,
        limit: float,
        unit: str,
        side: str,
        than: tuple[str, float] | None,
        *,
        holds: bool,
    ) -> None:
        if not holds:
            self.broken.append(what)
        bound = f"at {side} {_number(limit)}"
        ratio = f"{measured / limit:.2f} of it"
        holding = "holds" if holds else "BROKEN"
        print(f"  {_figure(what, measured, unit)}  {bound:<14} {ratio:<13} {holding}")
        more = _compared(measured, unit, than)
        history().figure(what, measured, unit, limit=limit, is_least=side == "least", **more)


def _figure(what: str, measured: float, unit: str) -> str:
    return f"{what:<26} {_number(measured):>7} {unit:<3}"


def _number(value: float) -> str:
    """With three digits, as a person would write it."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def show(
    what: str,
    measured: float,
    unit: str,
    note: str = "",
    than: tuple[str, float] | None = None,
) -> None:
    """Print and keep a figure without a limit; `than` as for Bench.at_most."""
    print(f"  {_figure(what, measured, unit)}  {note}".rstrip())
    history().figure(what, measured, unit, **_compared(measured, unit, than))


def _compared(measured: float, unit: str, than: tuple[str, float] | None) -> Figures:
    """Print a figure as a ratio to another, and give what is kept of that."""
    if not than:
        return {}
    base, value = than
    note(f"{_number(measured / value)} times {base} ({_number(value)} {unit})")
    return {"ratio": measured / value, "than": base}


def note(text: str) -> None:
    print(f"    {text}")


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)
    history().heading(text)


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def machine() -> str:
    """The machine in two lines."""
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return (
        f"{processor()}, {os.cpu_count()} cores, load average {load}\n"
        f"Python {platform.python_version()}, {versions}, {platform.system()}"
    )
