"""A plugin that compiles, several files at a time, what is compiled as it is loaded.

It comes before `tests/conftest.py`, which loads all of it in one process.
"""

import os
import subprocess
import sys
from pathlib import Path

from bot.settings import CHECKOUT
from solver.batch.local import sources_of_code


def pytest_load_initial_conftests() -> None:
    """Compile the kernels of the solver that were written since they were compiled last."""
    folder, sources = Path(CHECKOUT, "solver"), sources_of_code()
    stamp = folder / "__pycache__" / f"kernels.{sources}"
    if not stamp.exists():
        for code in (*folder.rglob("*.nb[ci]"), *stamp.parent.glob("kernels.*")):
            code.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
    files = [file for file in folder.rglob("*kernels.py") if not _is_compiled(file)]
    names = [
        ".".join(file.with_suffix("").relative_to(CHECKOUT).parts)
        for file in sorted(files, key=lambda file: file.stat().st_size)
    ]
    processors = os.cpu_count() or 1
    shares = [names[first::processors] for first in range(min(processors, len(names)))]
    loads = [[sys.executable, "-c", f"import {', '.join(share)}"] for share in shares]
    for process in [subprocess.Popen(load, cwd=CHECKOUT) for load in loads]:
        assert process.wait() == 0


def _is_compiled(file: Path) -> bool:
    """Whether there is code of a module."""
    return any((file.parent / "__pycache__").glob(f"{file.stem}.*.nbi"))
