"""How the program starts and ends: with all that is to be done, whatever is left out."""

import subprocess
import sys
from pathlib import Path

import pytest

AT_ITS_END = """
import atexit
atexit.register(print, "at its end")
print("said", end=" ")
"""
A_THREAD = """
import threading, time
threading.Thread(target=lambda: (time.sleep(0.2), print("of the thread"))).start()
"""


def ended(script: str, out: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    script += "\nfrom bot.starting import end\nend('what went wrong', 3)"
    return subprocess.run(
        [sys.executable, "-c", script], stdout=out, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.parametrize("more", ["", A_THREAD])
def test_nothing_is_lost_at_the_end(more: str) -> None:
    done = ended(AT_ITS_END + more)
    assert done.returncode == 3
    assert done.stdout == ("said of the thread\nat its end\n" if more else "said at its end\n")
    assert done.stderr == "farkle: what went wrong\n"


@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_is_closed_from_the_start_does_no_harm(closed: int) -> None:
    """Whoever starts it closes what would not be read."""
    script = f"import os; os.close({closed}); os.execv({sys.executable!r}, [{sys.executable!r}, "
    said = "from bot.starting import end; print(1); end('what went wrong', 3)"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}'-c', {said!r}])"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == ("" if closed == 1 else "1\n")
    assert done.stderr == ("" if closed == 2 else "farkle: what went wrong\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such file here")
def test_what_cannot_be_written_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        done = ended(AT_ITS_END, full.fileno())
    assert done.returncode != 0
    assert "No space left on device" in done.stderr


AN_ADVICE = """
import sys
from bot.starting import loading
with loading():
    from bot.cli import advise, main
left_out = {"asyncio", "numba", "discord"}
assert not left_out & sys.modules.keys(), left_out & sys.modules.keys()
"""


@pytest.mark.slow
def test_advice_loads_nothing_that_it_does_not_need() -> None:
    subprocess.run([sys.executable, "-c", AN_ADVICE], check=True)
