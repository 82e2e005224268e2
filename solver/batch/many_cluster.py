"""A game of several players solved by a Dask cluster, one layer of totals at a time.

The rings of a layer do not depend on each other (solver.game.many_layers), so that each worker that
is free solves the next part of it. A worker keeps all values in its memory; with a part it is
handed the layers that were finished since the one before. All values are here as well: a worker
that dies is only missed, a new one is handed what is known, and values are the same to the last
bit as those of one machine of the same kind.
"""

import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from solver.batch.cluster import (
    ATTEMPTS,
    OTHER_VERSION,
    PATIENCE_SECONDS,
    LostError,
    Workers,
    first_line,
    use_worker,
)
from solver.batch.local import many_solve_here
from solver.errors import ClusterError, FarkleError
from solver.game.many import MOST_STATES_THERE, Lasts, ManySolution, check_many, size
from solver.game.many_layers import Layers, solve_layers
from solver.game.many_rings import TOLERANCE, Part, Settled
from solver.game.standings import Progress
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.scoring import turn_plan

if TYPE_CHECKING:
    from distributed import Client, Future

    from solver.game.many_sweeps import ManySolve

_BYTES = 8_000_000
"""Values that are sent at a time, if they are more than a layer."""

_LOOK_SECONDS = 0.5
"""How often is looked whether workers came or went."""

_MOST_SOLVES = 2
"""That a worker keeps in its memory; the oldest goes first, as one may have been left behind."""


@dataclass(frozen=True, slots=True)
class _Game:
    """What a worker needs to know of a solve."""

    token: str
    rules: str
    """As JSON, so that a worker with another version reads it with its own checks."""
    digest: str
    players: int
    reverse: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """What a worker made of a part."""

    values: Floats
    settled: Settled
    states_solved: int
    lasts: Lasts | None
    """The values of final turns, if they were asked for."""


_BEHIND = "behind"
"""What a worker answers that does not have the layers that it was handed before."""

_Answer = _Solved | FarkleError | str | None


def solve_many_there(
    client: "Client",
    workers: Workers,
    rules: Ruleset,
    players: int,
    *,
    reverse: bool = False,
    on_progress: Callable[[float], None] = lambda _: None,
) -> ManySolution:
    """Solve a game of several players on the workers of a client, see `solve_many`.

    Raises ClusterError where the cluster is lost or fails, and what `solve_many` does.
    """
    started = time.perf_counter()
    check_many(rules, players, most=MOST_STATES_THERE)
    solve = _ClusterSolve(client, workers, rules, players, reverse=reverse)

    def tell(progress: Progress) -> None:
        on_progress(progress.done)

    try:
        sweeps = solve_layers(
            rules,
            solve.layers,
            solve.values,
            solve.settle,
            again=bool(np.any(turn_plan(rules, all_options=True).lose_chances)),
            on_progress=tell,
        )
    except LostError as lost:
        raise ClusterError(f"{rules.name}: {lost}") from None
    finally:
        solve.close()
    return ManySolution(
        rules=rules,
        players=players,
        values=solve.values.reshape(solve.layers.size.shape),
        lasts=solve.lasts,
        tolerance=TOLERANCE,
        sweeps=sweeps,
        largest_change=solve.settled.change,
        mixed=solve.settled.mixed,
        restless=solve.settled.restless,
        states_solved=solve.states_solved,
        seconds=time.perf_counter() - started,
    )


class _ClusterSolve:
    """A solve under way: all values, and what each worker knows of them."""

    def __init__(
        self, client: "Client", workers: Workers, rules: Ruleset, players: int, *, reverse: bool
    ) -> None:
        self._client = client
        self._workers = workers
        self._rules = rules
        self._game = _Game(
            uuid.uuid4().hex, rules.model_dump_json(), rules.digest, players, reverse
        )
        self.layers = Layers(size(rules, players))
        self.values: Floats = np.full(
            (self.layers.size.states, players - 1), 1 / players, dtype=np.float64
        )
        self.lasts: Lasts = ()
        self.settled = Settled()
        self.states_solved = 0
        self._finished: list[int] = []
        """Layers that were solved, sweep after sweep."""
        self._known: Counter[str] = Counter()
        """How many of these each worker was handed."""
        self._under_way: dict[str, tuple[Future[_Answer], int | None]] = {}
        """By worker: what it does, and the number of the part that it solves, if any."""
        self._woken = threading.Event()

    def settle(self, layer: int, sweep: int) -> None:
        """Renew the values of a layer. Raises ClusterError, and errors of workers."""
        if layer == 0:
            self.settled = Settled()
        parts = self.layers.parts(layer)
        waiting, failures = deque(range(len(parts))), Counter[int | None]()
        missing = set(waiting)
        while missing:
            self._hand_out(parts, sweep, waiting)
            for worker in self._done():
                future, number = self._under_way.pop(worker)
                answer = self._answer(future)
                if isinstance(answer, _Solved) and number is not None:
                    self.values[self.layers.all_states(parts[number])] = answer.values
                    self.settled.add(answer.settled)
                    self.states_solved += answer.states_solved
                    self.lasts = answer.lasts or self.lasts
                    missing.discard(number)
                elif answer is not None:
                    # it forgot what it was handed, or died: from the beginning
                    self._known[worker] = 0
                    if number is not None:
                        waiting.appendleft(number)
                    failures[number] += answer != _BEHIND
                    if failures[number] >= ATTEMPTS:
                        raise ClusterError(f"{self._rules.name}: {answer}")
        self._finished.append(layer)

    def close(self) -> None:
        """Leave nothing on the workers."""
        if self._client.status == "running":
            self._client.cancel([future for future, _ in self._under_way.values()])
            with suppress(Exception):  # one that is gone has nothing to forget
                self._client.run(forget_on_worker, self._game.token)

    def _hand_out(self, parts: list[Part], sweep: int, waiting: deque[int]) -> None:
        """Give each worker that is free something to do."""
        for worker in self._workers.addresses():
            if worker in self._under_way or not waiting:
                continue
            news, number = self._news(worker), None
            if self._known[worker] == len(self._finished):
                number = waiting.popleft()
            begun = self._known[worker] - len(news)
            future = self._client.submit(
                solve_part_on_worker,
                self._game,
                begun,
                news,
                None if number is None else parts[number],
                guess=sweep == 1,
                wants_lasts=not self.lasts,
                workers=[worker],
                allow_other_workers=False,
                pure=False,
            )
            future.add_done_callback(lambda _: self._woken.set())
            self._under_way[worker] = future, number

    def _news(self, worker: str) -> list[tuple[int, Floats]]:
        """The next layers that a worker does not know, with their values as they are now."""
        news: list[tuple[int, Floats]] = []
        sent = 0
        while self._known[worker] < len(self._finished) and sent < _BYTES:
            layer = self._finished[self._known[worker]]
            values = self.values[_all_roles(self.layers, layer)]
            news.append((layer, values))
            sent += values.nbytes
            self._known[worker] += 1
        return news

    def _done(self) -> list[str]:
        """Workers that have an answer or are gone, perhaps after a moment."""
        self._woken.wait(_LOOK_SECONDS)
        self._woken.clear()
        alive = set(self._workers.addresses())
        return [
            worker
            for worker, (future, _) in self._under_way.items()
            if future.done() or worker not in alive
        ]

    def _answer(self, future: "Future[_Answer]") -> _Answer:
        """What came of a task; in words if nothing did. Raises errors that a worker returned."""
        from distributed import CancelledError  # noqa: PLC0415

        if not future.done():
            future.cancel()
            return "its worker died"
        try:
            answer = future.result(timeout=PATIENCE_SECONDS)
        except ImportError as error:
            return (
                f"a worker cannot solve it ({first_line(error)});"
                " install farkle-advisor on every machine of the cluster"
            )
        except (CancelledError, Exception) as error:
            return f"failed on the cluster ({type(error).__name__}: {first_line(error)})"
        if isinstance(answer, FarkleError):
            raise answer
        return answer


def _all_roles(layers: Layers, layer: int) -> np.ndarray:
    """The states of a layer, of all roles."""
    states, found = layers.states(layer), layers.size
    whole = found.standings**found.players
    return np.concatenate([states + role * whole for role in range(found.roles)])


_SOLVES: "dict[str, tuple[ManySolve, int]]" = {}
"""On a worker: the solve under way, by its token, with the number of layers it was handed."""


def solve_part_on_worker(
    game: _Game,
    begun: int,
    news: list[tuple[int, Floats]],
    part: Part | None,
    *,
    guess: bool,
    wants_lasts: bool,
) -> _Answer:
    """Take values of layers, and solve a part of the next one; runs on a worker.

    begun : how many layers it was handed before
    guess : whether values are to be guessed first

    An error of ours is returned: raised, it would be tried again in vain.
    """
    with use_worker() as (cache, threads):
        if game.token not in _SOLVES and begun == 0:
            try:
                _begin(game, cache, threads)
            except FarkleError as error:
                return error
        solve, handed = _SOLVES.get(game.token, (None, -1))
        if solve is None or handed != begun:
            _SOLVES.pop(game.token, None)
            return _BEHIND
        for layer, values in news:
            solve.by_player[_all_roles(solve.layers, layer)] = values
        _SOLVES[game.token] = solve, begun + len(news)
        if part is None:
            return None
        solve.rings.settled, solve.states_solved = Settled(), 0
        solve.settle(part, guess=guess)
        return _Solved(
            solve.by_player[solve.layers.all_states(part)],
            solve.rings.settled,
            solve.states_solved,
            solve.lasts if wants_lasts else None,
        )


def _begin(game: _Game, cache: Path, threads: int) -> None:
    """Make room for the values of a solve. Raises ClusterError, and what the solve does."""
    try:
        rules = Ruleset.model_validate_json(game.rules)
    except ValidationError:
        raise ClusterError(f"a rule set: {OTHER_VERSION}") from None
    if rules.digest != game.digest:
        raise ClusterError(f"{rules.name}: {OTHER_VERSION}")
    while len(_SOLVES) >= _MOST_SOLVES:
        del _SOLVES[next(iter(_SOLVES))]
    solve = many_solve_here(rules, game.players, cache=cache, threads=threads, reverse=game.reverse)
    _SOLVES[game.token] = solve, 0


def forget_on_worker(token: str) -> None:
    """Free the memory of a solve; runs on a worker."""
    _SOLVES.pop(token, None)
