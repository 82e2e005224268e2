"""House rules of a place: made in one line, solved in a process of their own, used by name."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select, union

from bot.services.comparing import (
    MOST_COMPARED,
    ComparedRules,
    Draw,
    Variation,
    compared_here,
    seconds_to_compare,
)
from bot.services.rule_options import checked_name, rules_from_options
from bot.services.situation import RULES_SETTING, KnownRules, read_saved, same_name
from bot.store.database import check_version
from bot.store.schema import place_rules, place_settings
from bot.store.store import Store
from bot.tasks.answering import at_once
from bot.tasks.solving import Needed, SolveProgress, SolveState, check_size, solve_apart
from bot.tasks.tasks import SHORT_SOLVE, Asker, Delay, Kind, Task, TaskCancelledError, Tasks
from solver.batch.jobs import Job, Watch
from solver.batch.local import seconds_to_compile
from solver.batch.subjects import Subject, game_of
from solver.errors import (
    FarkleError,
    InvalidRequestError,
    InvalidRulesError,
    SolveError,
    StrategyFileError,
    did_you_mean,
)
from solver.game.standings import Progress
from solver.play.compare import Comparison
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.solved import alone_at
from solver.strategy import is_solved
from solver.wording import say, say_later, short

logger = logging.getLogger(__name__)

DEFAULT_BASE = "classic"
"""The rules that new ones start from."""

MAX_OPTION = 200
"""Characters in the value of an option."""

_LONG = 5.0
"""Seconds from which on is said how long a comparison takes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much house rules may ask for."""

    rules: int = 20
    """Rule sets that a place may have."""
    seconds: float = 300.0
    """Time that a solve may take, estimated or not, without the wait for its turn."""
    needed: float = 0.0
    """Estimated time of a solve for which a question or a game waits."""
    interval: float = 1.0
    """Least seconds between two updates of a solve."""


@dataclass(frozen=True, slots=True)
class RulesEntry:
    """A rule set that can be used in a place."""

    name: str
    rules: Ruleset | None
    """None for text of an older version that is no rule set any more."""
    is_own: bool
    """Whether it was made in the place; else it ships with the program."""
    is_solved: bool
    is_solving: bool
    """Whether a solve of it is under way."""
    is_default: bool


@dataclass(frozen=True, slots=True)
class DeletedRules:
    """Rules that are gone."""

    name: str
    now: str | None
    """The rules of the place now, where they were those."""


@dataclass(slots=True, eq=False)
class _Run(Watch):
    """A solve under way."""

    game: Subject
    latest: SolveProgress
    task: "asyncio.Task[SolveProgress] | None" = None
    seconds: float = 0.0
    """About how long it takes."""
    kind: Kind = Kind.SHORT_SOLVING
    asked: Task | None = None
    """Once it waits for its turn, or has it."""
    began: float = field(default_factory=time.monotonic)

    def so_far(self, **what: Any) -> SolveProgress:
        return replace(self.latest, seconds=time.monotonic() - self.began, **what)

    def progress(self, job: Job, progress: Progress) -> None:  # noqa: ARG002
        """Note how far it is."""
        self.latest = self.so_far(far=progress)


class HouseRules(KnownRules):
    """The rule sets that places have made, and the solves of them, for one event loop."""

    def __init__(
        self,
        store: Store,
        strategies: Path,
        kernels: Path,
        limits: Limits | None = None,
        tasks: Tasks | None = None,
        *,
        allow_files: bool = False,
    ) -> None:
        """Strategy files go to `strategies`, compiled code to `kernels`; solves are among `tasks`.

        Only with `allow_files`, for a person at the machine itself, may rules be those of a file.
        """
        super().__init__(store)
        self._strategies = strategies.resolve()
        self._kernels = kernels.resolve()
        self._limits = limits or Limits()
        self._allow_files = allow_files
        self.solved_files = self._strategies if allow_files else None
        """Where strategies stand, of which some are of files; None where no files are read."""
        self._files: dict[str, str] = {}
        """Files that were asked for, by the names of their rules."""
        self._runs: dict[str, _Run] = {}
        self._at_work: list[_Run] = []
        self._tasks = tasks or Tasks(workers=0)
        self._saving = asyncio.Lock()

    async def create(
        self, place: str, person: str, name: str, options: Mapping[str, str]
    ) -> Ruleset:
        """Check the rules that options describe and save them under a name.

        Options are as in bot.services.rule_options, and `base`. Raises InvalidRequestError,
        InvalidRulesError or StoreError.
        """
        name = checked_name(name)
        rules = await self.described(place, name, options)
        await self._tasks.aside(Asker(person, place), check_size, rules, self._limits.seconds)
        async with self._saving:
            own = await self._store.place_rules(place)
            if taken := same_name(name, own):
                raise InvalidRequestError.say(
                    "rules called {rules} exist here already; delete them with /rules delete"
                    " {rules}, or choose another name",
                    rules=taken,
                )
            if len(own) >= self._limits.rules:
                raise InvalidRequestError.say(
                    "there are {number} house rules here already, and at most {most} are allowed;"
                    " delete one first with /rules delete NAME",
                    number=len(own),
                    most=self._limits.rules,
                )
            await self._store.save_place_rules(place, name, rules_toml(rules, ""), person)
        return rules

    async def described(self, place: str, name: str, options: Mapping[str, str]) -> Ruleset:
        """The rules that options describe, as `create` takes them, under a name.

        Raises InvalidRequestError, InvalidRulesError or StoreError.
        """
        for key, value in options.items():
            if len(value) > MAX_OPTION:
                raise InvalidRequestError.say(
                    "{option}: takes at most {most} characters, not {number}",
                    option=short(key),
                    most=MAX_OPTION,
                    number=len(value),
                )
        rest = {key: value for key, value in options.items() if key.lower() != "base"}
        base = next((options[key] for key in options.keys() - rest.keys()), DEFAULT_BASE)
        start = await self.resolve(place, base, "base: ")
        return rules_from_options(name, start, rest)

    async def suggested(self, place: str, typed: str) -> list[str]:
        """The names of rules that may be meant by what is typed so far, the likeliest first.

        Those of the place come first, then those that are solved. Raises StoreError.
        """

        def order(entry: RulesEntry) -> tuple[bool, ...]:
            begins = entry.name.casefold().startswith(typed.casefold())
            return not begins, not entry.is_default, not entry.is_own, not entry.is_solved

        entries = sorted(await self.list(place), key=order)
        return [entry.name for entry in entries if typed.casefold() in entry.name.casefold()]

    async def compared(
        self, asker: Asker, asked: Sequence[Variation], careless: str, draw: Draw
    ) -> AsyncIterator[Delay | ComparedRules]:
        """What rule sets are like to play; those that are not solved are solved on the way.

        Named ones are kept then, those of a sweep are not. Raises InvalidRequestError, also where
        that is too much to ask for, InvalidRulesError and TaskError.
        """
        if len(asked) > MOST_COMPARED:
            raise InvalidRequestError.say(
                "at most {most} rule sets are compared at a time here, not {number}",
                most=MOST_COMPARED,
                number=len(asked),
            )
        each = await at_once(seconds_to_compare, self._strategies, asked) / len(asked)
        compared: list[tuple[Variation, Comparison]] = []
        async with self._tasks.task(asker, say_later("comparison"), len(asked), each) as task:
            if task.left > _LONG:
                yield Delay(task.what, 0, task.left)
            for entry in asked:
                made = self._strategies, self._kernels, careless, entry.option is None
                async for answer in task.told(compared_here, entry.rules, *made):
                    if not isinstance(answer, Delay):
                        compared.append((entry, answer))
                    elif not compared:
                        yield answer
        picture = None
        if len(compared) > 1:
            picture = await self._tasks.drawn(asker, draw, tuple(compared))
        yield ComparedRules(tuple(compared), picture)

    async def list(self, place: str) -> list[RulesEntry]:
        """The place's own rules, then those that ship with the program. Raises StoreError."""
        own = await self.own(place)
        default = await self.default(place)
        solving = {run.game.digest for run in self._at_work}

        def entry(name: str, rules: Ruleset | None, *, is_own: bool) -> RulesEntry:
            solved = rules is not None and self.is_solved(rules)
            is_solving = rules is not None and rules.digest in solving
            return RulesEntry(name, rules, is_own, solved, is_solving, name == default)

        def entries() -> list[RulesEntry]:
            own_entries = []
            for name, text in own.items():
                rules = None
                with suppress(InvalidRulesError):
                    rules = read_saved(name, text)
                own_entries.append(entry(name, rules, is_own=True))
            return own_entries + [entry(*preset, is_own=False) for preset in self.presets.items()]

        return await at_once(entries)

    async def delete(self, place: str, name: str) -> DeletedRules:
        """Delete rules that were made in the place.

        Their strategy file stays, as other rules that play alike may answer from it. Raises
        InvalidRequestError or StoreError.
        """
        wanted = " ".join(name.split())
        own = await self._store.place_rules(place)
        known = same_name(wanted, own)
        if not known:
            if preset := self.preset_name(wanted):
                raise InvalidRequestError.say(
                    "the rules {rules} come with the program; only rules made here can be deleted",
                    rules=preset,
                )
            guess = did_you_mean(short(wanted.lower()), list(own)) if own else ""
            raise InvalidRequestError(
                say('there are no house rules "{name}" here: /rules lists them', name=short(wanted))
                + guess
            )
        run = self._runs.get(place)
        if run and run.latest.name == known:
            raise InvalidRequestError.say(
                "the rules {rules} are being solved: /rules cancel stops that", rules=known
            )
        used = await self.default(place) == known
        if used:
            await self._store.set_place_setting(place, RULES_SETTING, None)
        await self._store.delete_place_rules(place, known)
        return DeletedRules(known, await self.default(place) if used else None)

    async def use(self, place: str, name: str) -> Ruleset:
        """Make rules those of the place. Raises InvalidRulesError or StoreError."""
        reference, rules = await self.find(place, name)
        await self._store.set_place_setting(place, RULES_SETTING, reference)
        return rules

    def is_solved(self, rules: Ruleset) -> bool:
        """Whether there is a sound strategy file for the rules."""
        return is_solved(self._strategies, rules)

    def solving(self, rules: Ruleset) -> float | None:
        """About how many seconds the rules' solve takes, with its wait; None if none is running."""
        for run in self._at_work:
            if run.game.digest == rules.digest:
                delay = run.asked.delay() if run.asked else None
                return run.seconds + (delay.seconds if delay else 0.0)
        return None

    async def solve(self, place: str, name: str, person: str = "") -> AsyncGenerator[SolveProgress]:
        """Solve rules in a process of their own; the last update says what came of it.

        People take turns. Updates are an interval apart, whatever the consumer does meanwhile.
        Close the iterator (contextlib.aclosing) or cancel who reads it, and the process ends.
        Before the first update, raises InvalidRulesError, StoreError, or InvalidRequestError while
        the place has another solve under way.
        """
        rules = await self.resolve(place, name)
        if other := self._runs.get(place):
            raise InvalidRequestError.say(
                "the rules {rules} are being solved here: wait, or stop it with /rules cancel",
                rules=other.latest.name,
            )
        run = _Run(game_of(rules), SolveProgress(rules.name, SolveState.RUNNING))
        self._runs[place] = run
        run.task = task = asyncio.create_task(self._work(run, Asker(person, place)))
        try:
            shown = None
            while True:
                # what needs no worker is done at once
                patience = self._limits.interval if shown else 0.1
                done, _ = await asyncio.wait({task}, timeout=patience)
                if done:
                    break
                if run.asked is None:
                    continue
                waits = SolveState.WAITING
                if run.latest.state is not waits and (delay := run.asked.delay()):
                    run.latest = replace(run.latest, state=waits, expected=delay.seconds)
                if shown != run.latest:
                    shown = run.latest
                    yield run.so_far() if shown.state is SolveState.RUNNING else shown
            try:
                outcome = task.result()
            except (asyncio.CancelledError, TaskCancelledError):
                outcome = run.so_far(state=SolveState.CANCELLED)
            except FarkleError as error:
                outcome = run.so_far(state=SolveState.FAILED, sentence=str(error))
            yield outcome
        finally:
            task.cancel()
            try:
                await asyncio.wait({task})
            finally:
                del self._runs[place]

    async def needed(self, asker: Asker, rules: Ruleset, players: int) -> AsyncIterator[Needed]:
        """Solve rules for so many players before an answer, where that takes a few seconds.

        Says so first, and then why not where it failed. Nothing is said where it would take long or
        cannot be done: the answer is then what it is without. Raises TaskCancelledError.
        """
        if players < 2 or not self._limits.needed:
            return
        run = _Run(game_of(rules, players), SolveProgress(rules.name, SolveState.RUNNING))
        try:
            await self._estimate(run, asker, self._limits.needed)
        except FarkleError as error:
            logger.debug("%s for %s players: %s", rules.name, players, error)
            return
        needed = Needed(rules, players, run.seconds)
        yield needed
        try:
            failed = (await self._in_turn(run, asker)).sentence
        except TaskCancelledError:
            raise
        except FarkleError as error:
            failed = str(error)
        if failed:
            yield replace(needed, failed=failed)

    async def cancel(self, place: str) -> str:
        """End the solve of a place, its process and all; returns the name of the rules.

        Raises InvalidRequestError if there is none.
        """
        run = self._runs.get(place)
        if not run or not run.task or run.task.done():
            raise InvalidRequestError.say("nothing is being solved here")
        run.task.cancel()
        await asyncio.wait({run.task})
        return run.latest.name

    async def _work(self, run: _Run, asker: Asker) -> SolveProgress:
        """Wait for the turn of a solve and do it, unless that is needless. Raises FarkleError."""
        chance = await at_once(self._chance, run)
        if chance is not None:
            return replace(run.latest, state=SolveState.DONE, win_probability=chance)
        await self._estimate(run, asker, self._limits.seconds)
        run.latest = replace(run.latest, expected=run.seconds)
        return await self._in_turn(run, asker)

    async def _estimate(self, run: _Run, asker: Asker, most: float) -> None:
        """Note how long a solve takes, which may be so many seconds, what it compiles aside.

        Raises InvalidRulesError where it takes longer, or the rules cannot be solved.
        """
        asked = run.game.rules, most, run.game.players
        run.seconds = await self._tasks.aside(asker, check_size, *asked)
        run.kind = Kind.SHORT_SOLVING if run.seconds <= SHORT_SOLVE else Kind.SOLVING
        run.seconds += await at_once(seconds_to_compile, run.game, self._kernels)

    async def _in_turn(self, run: _Run, asker: Asker) -> SolveProgress:
        """Solves rules as a task among others. Raises FarkleError."""
        self._at_work.append(run)
        try:
            asked = self._tasks.task(asker, say_later("solve"), 1, run.seconds, run.kind)
            async with asked as task:
                return await task.stoppable(self._solve(run, task))
        finally:
            self._at_work.remove(run)

    async def _solve(self, run: _Run, task: Task) -> SolveProgress:
        """Wait for the turn of a solve and do it. Raises FarkleError."""
        run.asked = task
        file = self._strategies / f".{run.game.digest}.lock"
        while True:
            async with task.turn():
                with alone_at(file) as ours:
                    run.began = time.monotonic()
                    # another place, or another program, may have had the same rules
                    chance = await at_once(self._chance, run)
                    if ours or chance is not None:
                        return await self._solved(run, chance)
            task.parts, task.each = 1, run.seconds
            run.latest = replace(run.latest, state=SolveState.ELSEWHERE)
            await asyncio.sleep(self._limits.interval)

    async def _solved(self, run: _Run, chance: float | None) -> SolveProgress:
        """Solve rules unless their win probability is known already. Raises FarkleError."""
        if chance is None:
            run.latest = run.so_far(state=SolveState.RUNNING, expected=run.seconds)
            try:
                async with asyncio.timeout(self._limits.seconds):
                    await solve_apart(run.game, self._strategies, self._kernels, run)
            except TimeoutError:
                too_slow = say(
                    "{rules}: solving took longer than the {seconds:,g} seconds allowed here; a"
                    " lower goal, points in larger steps or a shorter count of farkles in a row"
                    " makes it faster",
                    rules=run.game.rules.name,
                    seconds=self._limits.seconds,
                )
                return run.so_far(state=SolveState.TIMED_OUT, sentence=too_slow)
            chance = await at_once(self._chance, run)
        if chance is None:
            raise SolveError.say(
                "{rules}: the strategy file is gone, or damaged; solve the rules again",
                rules=run.game.rules.name,
            )
        return run.so_far(state=SolveState.DONE, win_probability=chance)

    async def _in_file(self, wanted: str, name: str) -> tuple[str, Ruleset] | None:
        """The path and the rules of a file, where files may be asked for and it is one."""
        if not (self._allow_files and _is_file(file := self._files.get(wanted, name))):
            return None
        path, rules = await at_once(_of_file, file)
        self._files[rules.name] = path
        return path, rules

    def _chance(self, run: _Run) -> float | None:
        """Win probability of the first player, if the rules are solved."""
        try:
            return run.game.chances(self._strategies)[0]
        except StrategyFileError:
            return None


def _is_file(reference: str) -> bool:
    try:
        return reference.endswith(".toml") or Path(reference).is_file()
    except (OSError, ValueError):
        return False


def _of_file(reference: str) -> tuple[str, Ruleset]:
    """The path by which a file is found from everywhere, and its rules."""
    return str(Path(reference).resolve()), load_rules(reference)


@asynccontextmanager
async def rules_of(
    database_url: str, strategies: Path, kernels: Path, place: str
) -> AsyncIterator[HouseRules]:
    """The rule sets of a place, while the context lasts.

    Raises StoreError where there is no database, or it cannot be read, and InvalidRequestError for
    a place that has set nothing and made no rules.
    """
    async with Store.look_into(database_url) as opened:
        known = await _places(opened)
        if place not in known:
            clause = f"there are some in {', '.join(known)}" if known else "nor anywhere else"
            raise InvalidRequestError(f'no rules were made in the place "{short(place)}"; {clause}')
        yield HouseRules(opened, strategies, kernels, allow_files=True)


async def _places(opened: Store) -> list[str]:
    """Where rules were made, or something else was set. Raises StoreError for another version."""
    both = union(select(place_rules.c.place), select(place_settings.c.place))

    def places(connection: Connection) -> list[str]:
        check_version(connection, opened.database.name)
        return sorted(connection.scalars(both))

    return await opened.read(places)
