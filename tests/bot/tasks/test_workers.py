"""Processes that compute: what comes back, and that they are gone when nobody waits for them."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.languages import language
from bot.tasks.workers import TaskError, TaskFailedError, Workers
from solver.errors import InvalidRulesError
from solver.rules.file import load_rules
from solver.wording import speak
from tests.bot.waiting import is_gone, rest, until


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    opened = Workers(memory=1024)
    yield opened
    await opened.close()


def niceness() -> int:
    return os.nice(0)


async def test_what_a_function_makes(workers: Workers) -> None:
    process = await workers.run(os.getpid)
    assert process != os.getpid()
    assert await workers.run(load_rules, "kcd") == load_rules("kcd")
    assert await workers.run(os.getpid) == process, "it is kept"
    assert await workers.run(niceness) > os.nice(0)
    # what is printed there is no answer, and large answers are whole
    await workers.run(print, "hello")
    assert len(await workers.run(bytes, 5_000_000)) == 5_000_000
    await workers.close()
    assert is_gone(process)


async def test_what_it_raises(workers: Workers) -> None:
    speak(language("de"))
    with pytest.raises(InvalidRulesError, match="unbekanntes Regelwerk"):
        await workers.run(load_rules, "zilhc")
    with pytest.raises(TaskFailedError, match=r"^ZeroDivisionError\('") as caught:
        await workers.run(divmod, 1, 0)
    assert "Traceback" in "".join(caught.value.__notes__)
    with pytest.raises(TaskError, match=r"mehr Speicher als die 1\.024 MiB"):
        await workers.run(bytearray, 2**31)
    assert await workers.run(os.getpid)


async def test_a_worker_that_is_killed_is_replaced(workers: Workers, tmp_path: Path) -> None:
    process = await workers.run(os.getpid)
    sleeping = asyncio.create_task(workers.run(rest, tmp_path / "begun"))
    await until((tmp_path / "begun").exists)
    os.kill(process, signal.SIGKILL)
    with pytest.raises(TaskError, match=r"was killed \(signal 9\), perhaps because memory ran out"):
        await sleeping
    with pytest.raises(TaskError, match=r"stopped unexpectedly \(status 3\); try again"):
        await workers.run(os._exit, 3)
    idle = await workers.run(os.getpid)
    os.kill(idle, signal.SIGKILL)
    await until(lambda: is_gone(idle))
    await asyncio.sleep(0.5)  # the loop hears of it
    assert await workers.run(os.getpid) not in {process, idle}


async def test_who_is_cancelled_ends_the_process(workers: Workers, tmp_path: Path) -> None:
    process = await workers.run(os.getpid)
    sleeping = asyncio.create_task(workers.run(rest, tmp_path / "begun"))
    await until((tmp_path / "begun").exists)
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    assert is_gone(process)


@pytest.mark.slow
def test_the_end_of_the_program_ends_its_workers() -> None:
    script = (
        "import asyncio, os, time\n"
        "from bot.tasks.workers import Workers\n"
        "async def main():\n"
        "    workers = Workers()\n"
        "    print(await workers.run(os.getpid), flush=True)\n"
        "    await workers.run(time.sleep, 600)\n"
        "asyncio.run(main())\n"
    )
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert program.stdout
    process = int(program.stdout.readline())
    program.kill()
    program.communicate()
    for _ in range(1000):
        if is_gone(process):
            return
        time.sleep(0.01)
    raise AssertionError("the worker lives on")


async def test_nothing_is_imported_from_the_current_folder(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bot.py", "solver.py", "pickle.py", "queue.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the current folder')\n")
    monkeypatch.chdir(tmp_path)
    assert await workers.run(os.getcwd) == str(tmp_path)
