"""What is answered in threads."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bot.tasks.answering import at_once, beside
from bot.tasks.tasks import Asker, Tasks


def of_nothing() -> int:
    """Look for what is not there."""
    nothing: Iterator[int] = iter(())
    return next(nothing)


async def aside(make: Callable[[], Any]) -> Any:
    return await Tasks(workers=0).aside(Asker("ann", "ann"), make)


@pytest.mark.parametrize("run", [at_once, aside])
async def test_what_a_thread_does_not_find_ends_in_an_error(run: Callable[..., Any]) -> None:
    """A StopIteration is what asyncio cannot pass on: who waits would wait for ever."""
    with pytest.raises(RuntimeError) as failed:
        await asyncio.wait_for(run(of_nothing), timeout=60)
    assert isinstance(failed.value.__cause__, StopIteration)


async def test_what_fails_beside_a_program_is_in_its_log(caplog: pytest.LogCaptureFixture) -> None:
    ended = asyncio.Event()

    async def fail() -> None:
        raise ValueError("the watch stands still")

    async def last() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with beside(fail(), last()):
        await asyncio.sleep(0)
    assert ended.is_set()
    assert "the watch stands still" in caplog.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_second_signal_ends_a_program_that_does_not_end(number: signal.Signals) -> None:
    """It may wait long for something, such as a database that says nothing."""
    script = """
import asyncio, time
from bot.tasks.answering import until_ended
async def run():
    asyncio.get_running_loop().call_soon(lambda: print("runs", flush=True))
    await until_ended()
    print("ends", flush=True)
    time.sleep(600)
asyncio.run(run())
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    for told in (b"runs\n", b"ends\n"):
        assert await process.stdout.readline() == told
        process.send_signal(number)
    assert await process.wait() == 128 + number
