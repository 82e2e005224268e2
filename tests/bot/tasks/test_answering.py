"""What is answered in threads."""

import asyncio
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
