"""Solves in a process of their own, so that the chat never waits for numba; how long they take."""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.layout import whole_sentence, wrap
from bot.tasks.tasks import ASIDE_SECONDS, duration
from bot.tasks.workers import TaskFailedError, WorkerDiedError, Workers
from solver.batch.jobs import Job, Watch, solve_one
from solver.batch.local import LocalSolver, compiled_code
from solver.batch.subjects import Subject, game_of
from solver.errors import InvalidRulesError, SolveError
from solver.game.solvable import check_solvable
from solver.game.standings import Progress
from solver.game.workload import workload
from solver.play.rough import rough_turns
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

logger = logging.getLogger(__name__)

_INTERVAL = 0.2
"""Seconds between two words on the progress."""
GRACE = 3.0
"""Seconds that a worker has to end after an interrupt, before it is killed."""


class SolveState(StrEnum):
    """Where a solve is."""

    WAITING = "waiting"
    """Other solves have to end first."""
    ELSEWHERE = "elsewhere"
    """The rules are being solved, perhaps by another program; their file is waited for."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """How far a solve is."""

    name: str
    state: SolveState
    seconds: float = 0.0
    """Since the worker began."""
    far: Progress | None = None
    """How far it is; None while the worker gets ready."""
    win_probability: float | None = None
    """The first player's chance to win, once the solve is done."""
    sentence: str = ""
    """What went wrong, if it failed or ran out of time."""
    expected: float | None = None
    """About how many seconds the solve takes, or, while it waits, what comes before it."""


async def solve_apart(game: Subject, strategies: Path, kernels: Path, watch: Watch) -> None:
    """Solve a game with the dice of its rules, in a process that ends if this is cancelled.

    strategies, kernels : the folders of strategy files and of compiled code

    Raises SolveError, or TaskError where no process can be started.
    """
    rules, job = game.rules, Job(0, game.name, game)

    def hear(far: Progress | None) -> None:
        watch.progress(job, far) if far else watch.begin(job)

    asked = rules, game.players, *map(Path.absolute, (strategies, kernels))
    workers = Workers(memory=0, grace=GRACE)
    try:
        await workers.run(solve_told, *asked, hear=hear)
        return
    except WorkerDiedError as error:
        status = error.status
    except TaskFailedError as error:
        logger.error("a solve failed", exc_info=error)
        status = 1
    finally:
        await workers.close()
    sentence = say_later(
        "{rules}: the solve stopped unexpectedly (status {status}); solve it again"
    )
    if status < 0:
        sentence = say_later(
            "{rules}: the solve was killed (signal {signal}), perhaps because memory ran out;"
            " solve it again"
        )
    raise SolveError.say(sentence, rules=rules.name, status=status, signal=-status)


def solve_told(
    rules: Ruleset,
    players: int,
    strategies: Path,
    kernels: Path,
    tell: Callable[[Progress | None], None],
) -> None:
    """Solve in this process, and tell that it has begun and how far it is. Raises FarkleError."""
    os.chdir(os.sep)  # numba looks for settings in the current folder, in which anything may be
    with compiled_code(kernels) as cache:
        solve_one(game_of(rules, players), strategies, LocalSolver(cache), _Told(tell))


class _Told(Watch):
    """Tells the progress, not too often."""

    def __init__(self, tell: Callable[[Progress | None], None]) -> None:
        self._tell = tell
        self._last = -_INTERVAL

    def begin(self, job: Job) -> None:  # noqa: ARG002
        self._tell(None)

    def progress(self, job: Job, progress: Progress) -> None:  # noqa: ARG002
        now = time.monotonic()
        if now - self._last >= _INTERVAL:
            self._last = now
            self._tell(progress)


_ROUGH_SECONDS = 3e-6
"""About what a turn total takes in one of the turns of a rough strategy."""
_ROW_SECONDS = 5e-4
"""About what a turn total takes in all turns of an estimate."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A solve that comes before what was asked for."""

    rules: Ruleset
    players: int
    seconds: float
    """About how many it takes."""
    failed: str | None = None
    """Why it came to nothing, in a sentence: what was asked for comes without it."""


def seconds_of_solve(rules: Ruleset, players: int = 2) -> float:
    """About how many seconds a solve takes. Raises InvalidRulesError where it cannot be done."""
    game = game_of(rules, players)
    game.check()
    return game.seconds


def estimates_in_time(rules: Ruleset, *, solved: bool) -> bool:
    """Whether the first estimate is soon there, where two players are solved or are not."""
    rough = 0.0 if solved else _ROUGH_SECONDS * rough_turns(rules) / 2
    return (rough + _ROW_SECONDS) * rules.turn_rows <= ASIDE_SECONDS / 2


def needed_text(needed: Needed) -> str:
    """The line that says that rules are solved before an answer, or why they were not."""
    if needed.failed:
        return wrap(whole_sentence(needed.failed))
    rules, time = needed.rules, duration(needed.seconds)
    return wrap(
        say(
            "Solving {rules} rules for {players} players first: this takes about {time}.",
            rules=rules.name,
            players=needed.players,
            time=time,
        )
    )


def needed_data(needed: Needed) -> dict[str, Any]:
    """A solve that is waited for as plain data."""
    return {**asdict(needed), "rules": needed.rules.name, "goal": needed.rules.stated_goal}


def about(rules: Ruleset, players: int = 2) -> str:
    """How long a solve takes, in words."""
    return say("about {time}", time=duration(seconds_of_solve(rules, players)))


def unsolved_text(rules: Ruleset, reference: str | None = None) -> str:
    """The sentence that rules are not solved for two, and what solves them, or why nothing does.

    reference : what they are called
    """
    try:
        time = about(rules)
    except InvalidRulesError as impossible:
        return str(impossible)
    name = reference or rules.name
    base = name.removesuffix(f"-{rules.goal}")
    message = say_later(
        "the rules {rules} are not solved yet: /rules solve {rules} does it in {time}"
    )
    if base != name:
        message = say_later(
            "the rules {rules} are not solved yet: /rules new NAME base:{base} goal:{goal}"
            " does it in {time}"
        )
    return say(message, rules=name, base=base, goal=str(rules.goal), time=time)


def check_size(rules: Ruleset, seconds: float, players: int = 2) -> float:
    """About how many seconds a solve of the rules takes.

    Raises InvalidRulesError where that is more than so many, or they cannot be solved at all.
    """
    if players > 2:
        if (expected := seconds_of_solve(rules, players)) > seconds:
            raise InvalidRulesError.say(
                "{rules}: solving it for {players} players takes about {time}, but the limit here"
                " is {most}",
                rules=rules.name,
                players=players,
                time=duration(expected),
                most=duration(seconds),
            )
        return expected
    load = workload(rules)
    if load.seconds > seconds:
        raise InvalidRulesError.say(
            "{rules}: solving {states:,} positions takes about {time}, but the limit here is"
            " {most}; {less}, points in larger steps or a shorter count of farkles in a row makes"
            " it faster",
            rules=rules.name,
            states=load.states,
            time=duration(load.seconds),
            most=duration(seconds),
            less=say("fewer rounds") if rules.rounds else say("a lower goal"),
        )
    check_solvable(rules)
    return load.seconds
