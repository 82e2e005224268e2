"""What places have set and which rules they have saved."""

import asyncio
import time
from dataclasses import fields
from typing import Any

from sqlalchemy import Select, bindparam, delete, select

from bot.store.kinds import Database
from bot.store.rows import PlaceSettings
from bot.store.schema import place_rules, place_settings
from bot.store.transactions import Transactions, put

_SETTINGS = {one.name: type(one.default) for one in fields(PlaceSettings)}

_OF_PLACE = select(place_settings.c.key, place_settings.c.value).where(
    place_settings.c.place == bindparam("place")
)
"""What a place has set; made once, as every command asks for it."""


_RECENT = 15.0
"""Seconds after which it is noticed what another program has set for a place."""
_MOST_KEPT = 10_000
"""Places whose settings are kept in memory."""


class Places(Transactions):
    """The settings and rules of places in one database."""

    def __init__(self, database: Database, *, read_only: bool = False) -> None:
        super().__init__(database, read_only=read_only)
        self._lately: dict[str, tuple[float, PlaceSettings]] = {}
        """By place, until when something is taken for what holds there."""

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        return await self._pairs(_OF_PLACE, place=place)

    async def settings(self, place: str) -> PlaceSettings:
        """What holds in a place for its games and messages; what makes no sense is not set."""
        found = await self.place_settings(place)
        return PlaceSettings(
            **{name: found[name] for name in _SETTINGS if type(found.get(name)) is _SETTINGS[name]}
        )

    async def settings_lately(self, place: str, patience: float) -> PlaceSettings:
        """What holds in a place, or held some seconds ago if another program has set it since.

        A turn is several presses, each of which asks.

        patience : seconds that reading it may take. Raises TimeoutError after them.
        """
        now = time.monotonic()
        until, found = self._lately.get(place, (0.0, None))
        if found is None or until < now:
            async with asyncio.timeout(patience):
                found = await self.settings(place)
            if len(self._lately) >= _MOST_KEPT:
                self._lately.clear()
            self._lately[place] = now + _RECENT, found
        return found

    async def places_that_set(self, key: str) -> dict[str, Any]:
        """What each place has set under a key that has set it at all."""
        rows = place_settings.c
        query = select(rows.place, rows.value).where(rows.key == key)
        return await self._pairs(query)

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        row = {"place": place, "key": key, "value": value}
        await self.write(lambda connection: put(connection, place_settings, row))
        self._lately.pop(place, None)

    async def place_rules(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, by name in alphabetical order."""
        rows = place_rules.c
        query = select(rows.name, rows.text).where(rows.place == place).order_by(rows.name)
        return await self._pairs(query)

    async def save_place_rules(self, place: str, name: str, text: str, by: str | None) -> None:
        """Save rules for a place under a name, instead of any of that name."""
        row = {"place": place, "name": name, "text": text, "author": by}
        await self.write(lambda connection: put(connection, place_rules, row))

    async def delete_place_rules(self, place: str, name: str) -> bool:
        """Delete rules of a place; whether there were any of that name."""
        these = delete(place_rules).where(place_rules.c.place == place, place_rules.c.name == name)
        return bool(await self.write(lambda connection: connection.execute(these).rowcount))

    async def _pairs(self, query: Select[tuple[str, Any]], **values: object) -> dict[str, Any]:
        return {str(name): value for name, value in await self.glance(query, **values)}
