"""How the dice of many games have fallen, counted where it holds up nobody."""

import asyncio
from pathlib import Path

from bot.review.dice_record import DiceRecord, dice_record
from bot.store.store import Store
from solver.rules.file import load_rules
from solver.turn.dice import make_roll
from solver.turn.scoring import Fate, fate


def fallen(database: Path, place: str | None) -> DiceRecord:
    """How the dice have fallen in a place, or everywhere. Raises StoreError."""
    rules = load_rules("facebook")

    def is_farkle(dice: list[int]) -> bool | None:
        return fate(rules, make_roll(dice)) is Fate.FARKLE if len(dice) == 6 else None

    rolls = asyncio.run(_rolls(database, place))
    return dice_record((tuple(dice), is_farkle(dice)) for dice in rolls)


async def _rolls(database: Path, place: str | None) -> list[list[int]]:
    store = Store(database)
    try:
        return await store.rolls(place)
    finally:
        await store.close()
