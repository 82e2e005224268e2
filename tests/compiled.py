"""A plugin that compiles, several files at a time, what is compiled as it is loaded.

It comes before `tests/conftest.py`, which loads all of it in one process.
"""

import os
import subprocess
import sys
from pathlib import Path

from bot.settings import CHECKOUT


def pytest_load_initial_conftests() -> None:
    """Compile the kernels of the solver that were written since they were compiled last."""
    files = Path(CHECKOUT, "solver").rglob("*kernels.py")
    names = [
        ".".join(file.with_suffix("").relative_to(CHECKOUT).parts)
        for file in sorted(files, key=lambda file: file.stat().st_size)
        if not _is_compiled(file)
    ]
    processors = os.cpu_count() or 1
    shares = [names[first::processors] for first in range(min(processors, len(names)))]
    loads = [[sys.executable, "-c", f"import {', '.join(share)}"] for share in shares]
    for process in [subprocess.Popen(load, cwd=CHECKOUT) for load in loads]:
        assert process.wait() == 0


def _is_compiled(file: Path) -> bool:
    """Whether there is code that was compiled since a module was written."""
    kept = (file.parent / "__pycache__").glob(f"{file.stem}.*.nbi")
    return any(code.stat().st_mtime >= file.stat().st_mtime for code in kept)
