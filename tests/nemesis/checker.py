"""What people pressed and saw, held against the events that are stored."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.services.store_check import check_store, replayed
from bot.store.rows import GameRecord
from bot.store.store import Store
from bot.table.events import Begun, Event, Rolled
from bot.table.fold import apply, begin
from solver.turn.dice import Roll
from tests.nemesis.people import Attempt, History, Shown

State = tuple[tuple[int, ...], Roll]
"""The scores, and the last roll."""


class Move(NamedTuple):
    """A roll or a bank that is stored."""

    version: int
    kind: str


@dataclass
class Verdict:
    """What came of it."""

    moves: int = 0
    """Rolls and banks that are stored."""
    games: int = 0
    lost: list[str] = field(default_factory=list)
    """Moves that somebody was shown and that are not stored."""
    doubled: list[str] = field(default_factory=list)
    """Moves that are stored and that nobody made."""
    stale: list[str] = field(default_factory=list)
    """What was shown and was never so."""
    damaged: list[str] = field(default_factory=list)
    """What `farkle store check` finds."""

    @property
    def faults(self) -> list[str]:
        """Everything that is wrong."""
        return [*self.lost, *self.doubled, *self.stale, *self.damaged]


async def check(url: str, history: History) -> Verdict:
    """Hold what people know against a database that nobody uses any more."""
    store, verdict = Store.look_into(url), Verdict()
    try:
        report = await check_store(store, lambda _: None)
        verdict.damaged = [f"{one.where}: {one.what}" for one in report.problems]
        for game in sorted({*history.attempts, *history.shown}):
            if await store.game(game) is None:
                verdict.lost.append(f"game {game}: it was shown, and is not stored")
            else:
                _check_game(verdict, await store.record(game), history)
    finally:
        await store.close()
    return verdict


def _check_game(verdict: Verdict, record: GameRecord, history: History) -> None:
    game = record.game.id
    moves, (begun, others, _) = moves_of(record), replayed(record)
    verdict.games += 1
    verdict.moves += len(moves)
    lost, doubled = unmatched(moves, history.attempts[game])
    states, so = states_of(begun, others), history.shown[game]
    verdict.lost += [f"game {game}: {one}" for one in lost]
    verdict.doubled += [f"game {game}: {one} was made by nobody" for one in doubled]
    verdict.stale += [f"game {game}: {one}" for one in so if not was_so(one, states)]


def states_of(begun: Begun, others: Iterable[Event]) -> list[State]:
    """The scores and the last roll at each version, of which the first is 1."""
    game, dice = begin(begun), Roll(())
    states = [((), Roll(())), (tuple(seat.score for seat in game.seats), dice)]
    for event in others:
        game = apply(game, event)
        dice = event.dice if isinstance(event, Rolled) else dice
        states.append((tuple(seat.score for seat in game.seats), dice))
    return states


def was_so(shown: Shown, states: list[State]) -> bool:
    """Whether a table was at a version as somebody saw it."""
    if shown.version >= len(states):
        return False
    scores, dice = states[shown.version]
    laid = sorted(dice, reverse=True)  # as a card has them
    there = all(number < len(laid) and laid[number] == face for number, face in shown.dice)
    return shown.scores == scores and there


def moves_of(record: GameRecord) -> list[Move]:
    """The moves that are stored, each with the version that its command began at."""
    kinds = ["", *(one.kind for one in record.events)]
    return [
        Move(version - 1 - (kinds[version - 1] == "kept"), kind)
        for version, kind in enumerate(kinds)
        if kind in {"rolled", "banked"}
    ]


def unmatched(moves: list[Move], attempts: list[Attempt]) -> tuple[list[Attempt], list[Move]]:
    """Attempts that were shown to be done and are not stored, and moves that nobody made.

    A button means one version of its table. A command has none: it may be done at a later one.
    """
    starts, made = {one.version for one in moves}, {(one.version, one.kind) for one in attempts}
    late = [one for one in attempts if one.by_command and (one.version, one.kind) not in moves]
    doubled = []
    for move in moves:
        if move not in made:
            given = [one for one in late if one.kind == move.kind and one.version <= move.version]
            if given:
                late.remove(given[0])
            else:
                doubled.append(move)
    told = (one for one in attempts if one.is_told)
    lost = [one for one in told if (one in late if one.by_command else one.version not in starts)]
    return lost, doubled
