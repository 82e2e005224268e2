"""A question passes no more files than `python -m tests.walks` has told for it before."""

import threading
from pathlib import Path

from tests import walks

BY_ITSELF = "bot/tasks/pressure.py"
"""It looks at the load now and then, whatever is asked."""


async def test_a_question_passes_few_files(data: Path, tmp_path: Path) -> None:
    walk = walks.Walk()
    # nothing of it is in a thread, and those that begin would be slower in all later tests
    threading.setprofile(None)
    await walks.question(walk, tmp_path, data / "strategies")
    assert "solver/turn/equations.py" in walk.files
    assert len({*walk.files} - {BY_ITSELF}) <= 16
