"""Questions as they are sent, the lines that they stand for, and answers while they are made."""

import asyncio
import math
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial

from bot.chat.commands import Command, Commands, Reply, Stream, replies_to
from bot.layout import narrowed
from bot.services.tables import Caller
from bot.store.rows import MissingGameError, StoreError
from bot.tasks.pressure import BusyError, too_busy
from bot.tasks.solving import SolveProgress
from bot.tasks.workers import WorkerDiedError
from solver.errors import FarkleError
from solver.wording import say, spoken

PATIENCE = 1.5
"""Seconds after which a page says how far an answer is."""
REFRESH = 2
"""Seconds after which a page asks again for an answer that is under way."""
_FORGOTTEN = 60.0
"""Seconds after which an answer is broken off for which nobody waits."""
_KEPT = 900.0
"""Seconds for which what came of a press can be looked at again."""
_MOST_RUNNING, _MOST_KEPT = 500, 200


def line_of(command: Command, given: Mapping[str, str]) -> str:
    """Return the line that somebody would type who gives these words and options."""
    words: list[str] = []
    options: list[str] = []
    for part in command.fields:
        value = plain(given.get(part.name, ""))
        if value and part.is_word:
            words.append(value)
        elif value:
            options.append(f'{part.name}:"{value}"' if " " in value else f"{part.name}:{value}")
    # what may be of several words comes last, so that nobody has to look for where it ends
    options.sort(key=lambda option: option.startswith("rules:"))
    return " ".join([f"/{command.name}", *words, *options])


def plain(text: str) -> str:
    """Return what was sent for a word or an option, as it can stand in a line."""
    return " ".join(narrowed(text).replace('"', " ").split())


def asked(command: Command, given: Mapping[str, str]) -> dict[str, str]:
    """Return what is given of the fields of a command."""
    known = {field.name for field in command.fields}
    return {name: value.strip() for name, value in given.items() if name in known and value.strip()}


@dataclass(slots=True, eq=False)
class Answer:
    """What is said to a question, so far."""

    replies: list[Reply] = field(default_factory=list)
    task: "asyncio.Task[None] | None" = None
    asked_at: float = 0.0

    @property
    def is_done(self) -> bool:
        """Return whether nothing more comes, as nothing was asked, too."""
        return self.task is None or self.task.done()

    @property
    def last(self) -> Reply | None:
        """Return what was said last, None where nothing was."""
        return self.replies[-1] if self.replies else None

    @property
    def working(self) -> str:
        """Return how far it is, as was said last."""
        return self.last.text if self.last else say("Working on it ...")

    @property
    def share(self) -> float | None:
        """Return the share of a solve that is done, None where that is not known."""
        far = self.last.subject if self.last else None
        return far.far.done if isinstance(far, SolveProgress) and far.far else None

    @property
    def error(self) -> str:
        """Return what went wrong, "" where nothing did."""
        return error_of(self.last) if self.last else ""

    @property
    def status(self) -> int:
        """Return the status of HTTP."""
        return status_of(self.last.error) if self.last and self.last.error else 200


def error_of(reply: Reply) -> str:
    """Return the sentence of a refusal, "" where a reply is none."""
    return reply.text if reply.error else ""


def status_of(error: type[Exception]) -> int:
    """Return the status of HTTP: 400 for a refusal, 500 where the program failed.

    It is 503 where the same may go well later.
    """
    if issubclass(error, MissingGameError):
        return 404
    # what other errors of the store say is a matter of games
    if error is StoreError or issubclass(error, WorkerDiedError | BusyError):
        return 503
    return 400 if issubclass(error, FarkleError) else 500


class Answers:
    """Answers under way: whoever asks again for one gets it, and asks for no second one."""

    def __init__(self, commands: Commands, *, is_patient: bool = False) -> None:
        """`is_patient`: whether all answers are waited for, however long they take."""
        self._commands, self._is_patient = commands, is_patient
        self._running: dict[Hashable, Answer] = {}

    async def to(
        self,
        key: Hashable,
        make: Callable[[], Stream],
        patience: float = PATIENCE,
        *,
        kept: bool = False,
    ) -> Answer:
        """Return an answer, or what there is of it after some seconds.

        kept : whether it is there for who asks again once it is done, for some minutes

        Raises InvalidRequestError where too much is asked for at once.
        """
        self._let_go()
        answer = self._running.get(key)
        if answer is None:
            if sum(not other.is_done for other in self._running.values()) >= _MOST_RUNNING:
                raise too_busy()
            answer = Answer()
            answer.task = asyncio.create_task(_collect(make(), answer))
            self._running[key] = answer
        answer.asked_at = math.inf if self._is_patient else time.monotonic()
        if answer.task:
            await asyncio.wait({answer.task}, timeout=None if self._is_patient else patience)
        if answer.is_done and not kept:
            self._running.pop(key, None)
        return answer

    async def to_line(
        self, caller: Caller, line: str, patience: float = PATIENCE, *marks: Hashable
    ) -> Answer:
        """Return what a line is answered, as `to` does; `more` tells alike ones apart."""
        key = caller.person.id, caller.place, spoken().code, line, *marks
        return await self.to(key, partial(self._commands.answer, line, caller), patience)

    async def under_way(self, key: Hashable, *, kept: bool = False) -> Answer:
        """Return an answer that was asked for, or one that says nothing; `kept` as `to` has it."""
        return await self.to(key, _nothing, kept=kept)

    async def close(self) -> None:
        """Break off what is under way."""
        tasks = [answer.task for answer in self._running.values() if answer.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _let_go(self) -> None:
        now = time.monotonic()
        kept = [key for key, answer in self._running.items() if answer.is_done]
        too_many = set(kept[: len(kept) - _MOST_KEPT]) if len(kept) > _MOST_KEPT else set()
        for key, answer in list(self._running.items()):
            if key in too_many or now - answer.asked_at > (_KEPT if answer.is_done else _FORGOTTEN):
                if answer.task:
                    answer.task.cancel()
                del self._running[key]


async def _nothing() -> Stream:
    return
    yield


async def _collect(stream: Stream, answer: Answer) -> None:
    async for reply in replies_to(stream):
        answer.replies.append(reply)
