"""Compiles, several files at a time, what is compiled as it is loaded: `python -m tests.compiled`.

It is a plugin of pytest as well, which comes before `tests/conftest.py`: that one loads all of it
in one process.
"""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

from bot.settings import CHECKOUT
from solver.batch.local import sources_of_code

FIRST = "solver.game.kernels"
"""What all others load."""


def pytest_load_initial_conftests() -> None:
    """Compile what is not compiled yet, unless that was done for this process."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        compile_kernels()


def compile_kernels() -> None:
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
        # what takes longest is begun first
        for file in sorted(files, key=lambda file: -file.stat().st_size)
    ]
    if not names:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context) as pool:
        pool.submit(_load, FIRST).result()
        list(pool.map(_load, names))


def _load(name: str) -> None:
    import_module(name)


def _is_compiled(file: Path) -> bool:
    """Whether there is code of a module."""
    return any((file.parent / "__pycache__").glob(f"{file.stem}.*.nbi"))


if __name__ == "__main__":
    compile_kernels()
