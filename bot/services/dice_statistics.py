"""How the dice of many games have fallen, counted where it holds up nobody."""

import asyncio
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from bot.review.dice_record import DiceRecord, dice_record
from bot.store.rows import RolledGame
from bot.store.store import Store
from solver.errors import FarkleError
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set, make_roll
from solver.turn.scoring import Fate, fate

_DICE = 6
"""Rolls of so many dice are told apart into farkles and others."""

_Known = tuple[tuple[int, ...], tuple[bool, float] | None]


def fallen(database: Path, place: str | None) -> DiceRecord:
    """How the dice have fallen in a place, or everywhere. Raises StoreError."""
    games = asyncio.run(_rolls(database, place))
    return dice_record(one for game in games for one in _known(game))


@lru_cache(maxsize=256)
def farkle_chance(rules: Ruleset) -> float:
    """Chance that a roll of all dice is a farkle: it neither scores nor wins nor loses all."""
    thrown = dice_set(rules)
    farkles = (
        ways for roll, ways in thrown.rolls(thrown.whole) if fate(rules, roll) is Fate.FARKLE
    )
    return sum(farkles) / thrown.ways(thrown.whole)


def _known(game: RolledGame) -> Iterator[_Known]:
    """The rolls of a game; of six dice what they were by its rules, as `dice_record` takes it."""
    rules = _rules(json.dumps(game.rules, sort_keys=True))
    for dice in map(tuple, game.rolls):
        if rules and len(dice) == rules.dice == _DICE:
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


async def _rolls(database: Path, place: str | None) -> list[RolledGame]:
    store = Store(database)
    try:
        return await store.rolls(place)
    finally:
        await store.close()
