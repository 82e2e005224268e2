"""Tasks: what people ask for that takes long, with limits on how much of it and for how long."""

import asyncio
import logging
import math
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, TypeVar

from bot.layout import wrap
from bot.tasks.answering import awaited
from bot.tasks.pressure import Degree, Pressure, too_busy
from bot.tasks.workers import TaskError, Workers
from solver.errors import FarkleError, InvalidRequestError
from solver.wording import say, say_number

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for something, and where."""

    person: str
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class Waiting(Generic[T]):
    """Something that waits for its turn."""

    asker: Asker
    what: T
    order: tuple[int, int, int]
    """The least comes first: by the first round in which the person has nothing else, within it by
    how many things of the same place come before, so that places take turns, then as all came."""


class Turns(Generic[T]):
    """What waits, by the people who asked for it.

    Whoever asks for one thing waits for at most one thing of each other person, however much they
    have asked for before; for two at most where they have had their turn of the round.
    """

    def __init__(self) -> None:
        self._waiting: list[Waiting[T]] = []
        self._round = self._count = 0
        self._served: set[str] = set()
        """Who has had their turn of the round."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Waiting[T]]:
        return iter(self._waiting)

    def add(self, asker: Asker, what: T) -> Waiting[T]:
        """Have something wait."""
        taken = [other.order[0] for other in self._waiting if other.asker.person == asker.person]
        if asker.person in self._served:
            taken.append(self._round)
        its_round = max(taken, default=self._round - 1) + 1
        here = [other.order[0] for other in self._waiting if other.asker.place == asker.place]
        self._count += 1
        waiting = Waiting(asker, what, (its_round, here.count(its_round), self._count))
        self._waiting.append(waiting)
        return waiting

    def remove(self, waiting: Waiting[T]) -> None:
        """Something waits no more, if it did."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)

    def take(self) -> T:
        """What comes first; there has to be something."""
        first = min(self._waiting, key=lambda waiting: waiting.order)
        self._waiting.remove(first)
        if first.order[0] > self._round:
            self._round = first.order[0]
            self._served.clear()
        self._served.add(first.asker.person)
        return first.what

    def before(self, one: Waiting[T]) -> list[T]:
        """What comes before something that waits, unless others ask for more."""
        return [other.what for other in self._waiting if other.order < one.order]


logger = logging.getLogger(__name__)


ASIDE_SECONDS = 30.0
"""Seconds that part of what a command does may take in a worker."""
_MOST_LEFT_SECONDS = 10.0
"""Seconds that it may take where nobody waits for it to its end: others wait for its worker."""
_MOST_ASIDE = 30
"""Parts of one person's commands that may wait at a time."""
_PATIENCE = 1.0
"""Seconds after which somebody who waits is told so."""
SHORT_SOLVE = 30.0
"""Seconds up to which a solve does not wait for longer ones."""


class TaskCancelledError(TaskError):
    """A task was stopped by the one who asked for it."""


class ElsewhereError(Exception):
    """Another program is to compute what takes long."""


class Kind(Enum):
    """What tasks wait for."""

    COMPUTING = auto()
    """A worker."""
    SOLVING = auto()
    SHORT_SOLVING = auto()


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """How much people may ask for."""

    person: int = 4
    """Tasks that one person may have at a time, those that run and those that wait."""
    place: int = 12
    """Tasks that a place may have."""
    seconds: float = 120.0
    """The seconds of computing that a task may take."""
    patience: float | None = None
    """Seconds that a move waits for what may be left out of it; None for ever."""


@dataclass(frozen=True, slots=True)
class Delay:
    """How long a task takes, or what it waits for."""

    what: str
    """What the task is, as `say` takes it."""
    before: int
    """Things of others and of one's own that come first; 0 where it has its turn."""
    seconds: float
    """About how long they take, or the task itself."""


@dataclass(slots=True, eq=False)
class Task:
    """What somebody asked for: parts that are computed one after the other, each in its turn."""

    tasks: "Tasks"
    asker: Asker
    what: str
    """What it is in a word, as `say` takes it."""
    parts: int
    """Left to compute."""
    each: float
    """About how many seconds a part takes."""
    kind: Kind
    most: float
    """Seconds of computing that it may take."""
    spent: float = 0.0
    """Seconds of computing."""
    done: int = 0
    stopped: bool = False
    under_way: "set[asyncio.Task[Any]]" = field(default_factory=set)

    @property
    def left(self) -> float:
        """About how many seconds of computing are left."""
        return max(1, self.parts) * self.each

    async def told(self, make: Callable[..., T], *args: Any) -> AsyncIterator[Delay | T]:
        """Yields what a function of a module makes, in a worker, and before it any long wait.

        Raises what the function raises, and TaskError.
        """
        running = asyncio.ensure_future(self.stoppable(self.tasks.made(self, make, *args)))
        try:
            await asyncio.wait({running}, timeout=_PATIENCE)
            if delay := self.delay():
                yield delay
            yield await running
        finally:
            running.cancel()
            await asyncio.wait({running})

    def delay(self) -> Delay | None:
        """What there is to wait for; None if nothing."""
        return self.tasks.lines[self.kind].delay(self)

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Waits for the turn of the task, and has it."""
        return self.tasks.lines[self.kind].turn(self)

    async def stoppable(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something that ends where the task is stopped. Raises TaskCancelledError."""
        inner = asyncio.ensure_future(work)
        self.under_way.add(inner)
        if self.stopped:
            inner.cancel()
        try:
            return await inner
        except asyncio.CancelledError:
            here = asyncio.current_task()
            if self.stopped and not (here and here.cancelling()):
                raise TaskCancelledError.say("{task}: cancelled", task=say(self.what)) from None
            raise
        finally:
            self.under_way.discard(inner)


class _Line:
    """The line of those who wait for the same thing, of which there are so many."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.running: dict[Task, float] = {}
        """What runs, since when."""
        self.turns: Turns[tuple[Task, asyncio.Future[None]]] = Turns()

    @asynccontextmanager
    async def turn(self, task: Task) -> AsyncIterator[None]:
        """Wait for the turn of a task, and have it."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self.turns.add(task.asker, (task, mine))
        self._serve()
        begun = 0.0
        try:
            await mine
            begun = time.monotonic()
            yield
        finally:
            self.turns.remove(waiting)
            if mine.done() and not mine.cancelled():
                del self.running[task]
            if begun:
                task.spent += time.monotonic() - begun
                task.parts -= 1
                task.done += 1
                task.each = task.spent / task.done
            self._serve()

    def delay(self, task: Task) -> Delay | None:
        """What a task waits for; None if it does not."""
        mine = next((waiting for waiting in self.turns if waiting.what[0] is task), None)
        if mine is None:
            return None
        now = time.monotonic()
        left = [max(0.0, other.each - (now - begun)) for other, begun in self.running.items()]
        left += [other.each for other, _ in self.turns.before(mine)]
        return Delay(task.what, len(left), sum(left) / self.slots)

    def _serve(self) -> None:
        while self.turns and len(self.running) < self.slots:
            task, future = self.turns.take()
            if not future.done():
                self.running[task] = time.monotonic()
                future.set_result(None)


class Tasks:
    """All tasks, and who computes them. For one event loop."""

    def __init__(
        self,
        limits: TaskLimits | None = None,
        workers: int | None = None,
        memory: int = 2048,
        pressure: Pressure | None = None,
    ) -> None:
        """How much there may be.

        workers : processes; None for one less than there are processors and 0 for none at all, so
            that threads compute, which nothing can stop
        memory : MiB that each may use
        """
        if workers is None:
            workers = max(1, (os.cpu_count() or 1) - 1)
        self.is_elsewhere = False
        """Whether all that takes long raises ElsewhereError, as another program computes it."""
        self.limits = limits or TaskLimits()
        self.pressure = pressure or Pressure()
        self._workers = Workers(memory) if workers else None
        self.lines = {
            Kind.COMPUTING: _Line(max(1, workers)),
            Kind.SOLVING: _Line(1),
            Kind.SHORT_SOLVING: _Line(1),
        }
        self._asked: list[Task] = []
        self._left: set[asyncio.Future[Any]] = set()
        """What goes on though nobody waits for it."""

    async def close(self) -> None:
        """End all that is computed."""
        left = list(self._left)
        for future in left:
            future.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self._workers:
            await self._workers.close()

    async def told(
        self, asker: Asker, what: str, make: Callable[..., T], *args: Any, each: float = 0.5
    ) -> AsyncIterator[Delay | T]:
        """What a function makes as a task of its own, and before it how long there is to wait."""
        async with self.task(asker, what, each=each) as task:
            async for answer in task.told(make, *args):
                yield answer

    @asynccontextmanager
    async def task(
        self,
        asker: Asker,
        what: str,
        parts: int = 1,
        each: float = 0.5,
        kind: Kind = Kind.COMPUTING,
    ) -> AsyncIterator[Task]:
        """Something that a person asks for, while the context lasts.

        Raises InvalidRequestError, in one sentence, where that is too much.
        """
        task = Task(self, asker, what, parts, each, kind, self.limits.seconds)
        self._check(asker, task)
        self._asked.append(task)
        try:
            yield task
        finally:
            self._asked.remove(task)

    async def aside(self, asker: Asker, make: Callable[..., T], *args: Any) -> T:
        """What a function makes, in a worker: part of what a command does, and no task to count.

        Raises what it raises, TaskError, and InvalidRequestError for who asks for very much.
        """
        return await self.made(self._part(asker), make, *args)

    async def drawn(self, asker: Asker, draw: Callable[..., bytes], *args: Any) -> bytes | None:
        """A picture; None where there is no time for any, or it failed: the text says the same."""
        if self.pressure.degree >= Degree.STRAINED:
            return None
        with suppress(FarkleError):
            return await self.aside(asker, draw, *args)
        return None

    async def soon(self, asker: Asker, make: Callable[..., T], *args: Any) -> T | None:
        """Returns what may be left out: None after the patience that moves have for it.

        Once begun it goes on to its end: where much is asked for, workers that were killed for it
        would leave those who come next to wait for new ones, in vain.
        """
        task = self._part(asker)
        task.most = min(task.most, _MOST_LEFT_SECONDS)
        work = asyncio.ensure_future(self.made(task, make, *args))
        work.add_done_callback(self._over)
        try:
            done, _ = await asyncio.wait({work}, timeout=self.limits.patience)
            return work.result() if done else None
        finally:
            if self._workers and task in self.lines[task.kind].running:
                self._left.add(work)
            else:
                work.cancel()

    def _part(self, asker: Asker) -> Task:
        """Part of what a command does. Raises InvalidRequestError for who asks for very much."""
        self._check_here()
        waiting = self.lines[Kind.COMPUTING].turns
        if sum(other.asker.person == asker.person for other in waiting) >= _MOST_ASIDE:
            raise too_busy()
        most = min(ASIDE_SECONDS, self.limits.seconds)
        return Task(self, asker, "", 1, 0.1, Kind.COMPUTING, most)

    def _over(self, work: "asyncio.Future[Any]") -> None:
        """Tell what went wrong where nobody waits for it any more."""
        error = None if work.cancelled() else work.exception()
        if work in self._left:
            self._left.remove(work)
            if error and not isinstance(error, FarkleError):
                logger.error("what was left out failed", exc_info=error)

    async def cancel(self, person: str) -> list[str]:
        """Stop all tasks of a person; returns what they were."""
        stopped = [task for task in self._asked if task.asker.person == person]
        under_way = [work for task in stopped for work in task.under_way]
        for task in stopped:
            task.stopped = True
        for future in under_way:
            future.cancel()
        if under_way:
            await asyncio.wait(under_way)
        return [task.what for task in stopped]

    async def made(self, task: Task, make: Callable[..., T], *args: Any) -> T:
        """What a function makes for a task, in its turn. Raises what it raises, and TaskError."""
        async with task.turn():
            if self._workers is None:
                return await asyncio.to_thread(awaited, make, *args)
            left = max(0.0, task.most - task.spent)
            try:
                async with asyncio.timeout(left):
                    return await self._workers.run(make, *args)
            except TimeoutError:
                if not task.what:
                    raise TaskError.say(
                        "that took longer than the {seconds:,g} seconds that part of an answer may"
                        " take; the machine may be busy, so try again later",
                        seconds=task.most,
                    ) from None
                raise TaskError.say(
                    "{task}: that took longer than the {seconds:,g} seconds of computing allowed"
                    " here; whoever runs this program can allow more (FARKLE_TASK_SECONDS)",
                    task=say(task.what),
                    seconds=task.most,
                ) from None

    def _check(self, asker: Asker, task: Task) -> None:
        """Raises InvalidRequestError where the asker may not have this task, or not now."""
        self._check_here()
        self.pressure.check()
        if task.kind is Kind.COMPUTING and task.left > self.limits.seconds:
            raise InvalidRequestError.say(
                "{task}: this would take about {time}, but the limit here is {most}",
                task=say(task.what),
                time=duration(task.left),
                most=duration(self.limits.seconds),
            )
        own = [other for other in self._asked if other.asker.person == asker.person]
        if len(own) >= self.limits.person:
            raise InvalidRequestError(
                say_number(
                    "you have {number} [task|tasks] running ({tasks}), the most one person may"
                    " have; [it|the first] is done in about {time}, and /cancel stops [it|them]",
                    len(own),
                    **self._told(own),
                )
            )
        here = [other for other in self._asked if other.asker.place == asker.place]
        if len(here) >= self.limits.place:
            raise InvalidRequestError(
                say_number(
                    "{number} [task is|tasks are] running here ({tasks}), the most allowed;"
                    " [it|the first] is done in about {time}",
                    len(here),
                    **self._told(here),
                )
            )

    def _check_here(self) -> None:
        if self.is_elsewhere:
            raise ElsewhereError

    def _told(self, tasks: list[Task]) -> dict[str, str]:
        """What tasks are, and when the first of them is done."""
        seconds = min(map(self._about, tasks))
        return {"tasks": counted(task.what for task in tasks), "time": duration(seconds)}

    def _about(self, task: Task) -> float:
        """About in how many seconds a task is done, if nobody asks for more."""
        line = self.lines[task.kind]
        alike = [peer for peer in self._asked if peer.kind is task.kind]
        people = len({peer.asker.person for peer in alike})
        own = sum(peer.asker.person == task.asker.person for peer in alike) if task.parts > 1 else 1
        gone = time.monotonic() - line.running[task] if task in line.running else 0.0
        share = max(1.0, people * own / line.slots)
        return max(0.0, task.left - min(gone, task.each)) * share


def counted(tasks: Iterable[str]) -> str:
    """What tasks are, alike ones once with their number."""
    words = Counter(map(say, tasks))
    return ", ".join(f"{number} × {what}" if number > 1 else what for what, number in words.items())


def duration(seconds: float) -> str:
    """A time as people say it, rounded up: 8 s, 40 s, 3 min."""
    if seconds <= 10:
        return say("{seconds} s", seconds=max(1, math.ceil(seconds)))
    if seconds <= 90:
        return say("{seconds} s", seconds=math.ceil(seconds / 5) * 5)
    return say("{minutes:,} min", minutes=math.ceil(seconds / 60))


def delay_text(delay: Delay) -> str:
    """How long a task takes, or what it waits for."""
    task, time = say(delay.what), duration(delay.seconds)
    task = task[:1].upper() + task[1:]
    if not delay.before:
        return say("{task}: this takes about {time}.", task=task, time=time)
    return wrap(
        say_number(
            "{task}: waiting for {number} other [task|tasks], about {time}.",
            delay.before,
            task=task,
            time=time,
        )
    )
