"""What other processes of this program start with."""

import contextlib
import os
import sys
from pathlib import Path


def environment() -> dict[str, str]:
    """That of this process, where nothing is imported from the current folder.

    With Python's option -P a process imports from where this one does, but for the current folder,
    in which anything may be.
    """
    own, here = str(Path(__file__).parents[1]), ""
    with contextlib.suppress(OSError):
        here = str(Path.cwd())
    found = [one for one in sys.path if Path(one).is_absolute() and (one != here or one == own)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(found)}
