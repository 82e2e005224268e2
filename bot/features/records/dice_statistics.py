"""How the dice of many games have fallen, counted where it holds up nobody."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from pydantic import ValidationError

from bot.review.dice_record import DiceRecord, LoadedCount, dice_record, loaded_record
from bot.store.rows import RolledGame
from bot.store.store import Store
from bot.table.events import Begun, Event
from bot.table.replay import replay
from solver.errors import FarkleError
from solver.rules.ruleset import Ruleset
from solver.turn.dice import make_roll
from solver.turn.scoring import Fate, fate, turn_plan

_DICE = 6
"""Rolls of so many dice are told apart into farkles and others."""

_Known = tuple[tuple[int, ...], tuple[bool, float] | None]


@dataclass(frozen=True, slots=True)
class DiceRecords:
    """How dice have fallen."""

    fair: DiceRecord
    """Those that are to fall evenly."""
    loaded: tuple[LoadedCount, ...] = ()
    """Those that players brought."""


def fallen(database: str, place: str | None) -> DiceRecords:
    """How the dice have fallen in a place, or everywhere. Raises StoreError."""
    games = asyncio.run(_rolls(database, place))
    fair = dice_record(one for game in games for one in _known(game))
    return DiceRecords(fair, loaded_record(one for game in games for one in _replayed(game)))


def _replayed(game: RolledGame) -> Iterator[tuple[Begun, Sequence[Event]]]:
    """A game to which players brought their dice; nothing of one that cannot have happened."""
    if game.events:
        with suppress(FarkleError):
            first, others, _ = replay(game.events)
            yield first, others


def farkle_chance(rules: Ruleset) -> float:
    """Chance that a roll of six dice is a farkle: it neither scores nor wins nor loses all."""
    return float(turn_plan(rules).farkle_chances[_DICE - 1])


def _known(game: RolledGame) -> Iterator[_Known]:
    """The rolls of a game; of six dice what they were by its rules, as `dice_record` takes it."""
    rules = _rules(json.dumps(game.rules, sort_keys=True))
    for dice in map(tuple, game.rolls):
        # nobody knows whether a roll of all dice was the first of its turn
        if rules and len(dice) == rules.dice == _DICE and not rules.has_first_throw:
            yield dice, (fate(rules, make_roll(dice)) is Fate.FARKLE, farkle_chance(rules))
        else:
            yield dice, None


@lru_cache(maxsize=256)
def _rules(text: str) -> Ruleset | None:
    """Rules from JSON; None for those of which this version knows nothing."""
    try:
        return Ruleset.model_validate_json(text)
    except (ValidationError, FarkleError):
        return None


async def _rolls(database_url: str, place: str | None) -> list[RolledGame]:
    store = Store.look_into(database_url)
    try:
        return await store.rolls(place)
    finally:
        await store.close()
