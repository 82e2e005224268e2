"""What places have set and which rules they have saved, kept in memory until it changes."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from bot.store.checksums import is_sound, seal
from bot.store.rows import PlaceSettings
from bot.store.schema import place_rules, place_settings
from bot.store.transactions import Transactions

logger = logging.getLogger(__name__)

_MOST_KEPT = 10_000
"""Places whose settings, or rules, are kept in memory."""

_SETTINGS = {one.name: type(one.default) for one in fields(PlaceSettings)}
_SETTINGS_OF = select(place_settings.c.key, place_settings.c.value, is_sound(place_settings)).where(
    place_settings.c.place == bindparam("of")
)
_RULES_OF = (
    select(place_rules.c.name, place_rules.c.text, is_sound(place_rules))
    .where(place_rules.c.place == bindparam("of"))
    .order_by(place_rules.c.name)
)
_DAMAGED_TEXT = "\0"
"""What is read of damaged rules: no rules at all."""


class Places(Transactions):
    """The settings and rules of places in one database."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        super().__init__(path, read_only=read_only)
        self._settings: dict[str, dict[str, Any]] = {}
        """What places have set: every press asks for it."""
        self._rules: dict[str, dict[str, str]] = {}
        """The rules that places have saved."""
        self._foreign_writes = 0
        """Up to which both are right."""
        self._changes = 0
        """How many there were here: what was read meanwhile may be out of date."""

    async def place_settings(self, place: str) -> dict[str, Any]:
        """All that a place has set, by key."""
        return await self._kept(self._settings, place, _SETTINGS_OF, None)

    async def settings(self, place: str, patience: float | None = None) -> PlaceSettings:
        """What holds in a place for its games and messages.

        patience : seconds that reading it may take. Raises TimeoutError after them.
        """
        found = await self._kept(self._settings, place, _SETTINGS_OF, None, patience)
        return PlaceSettings(
            **{name: found[name] for name in _SETTINGS if type(found.get(name)) is _SETTINGS[name]}
        )

    async def places_that_set(self, key: str) -> dict[str, Any]:
        """What each place has set under a key that has set it at all."""
        rows = place_settings.c
        query = select(rows.place, rows.value).where(rows.key == key, is_sound(place_settings))
        return dict(await self.read(lambda connection: connection.execute(query).all()))

    async def set_place_setting(self, place: str, key: str, value: Any) -> None:
        """Set something, given as JSON, for a place; never who did it."""
        with self._changing(place):
            await self._put(place_settings, {"place": place, "key": key, "value": value})

    async def place_rules(self, place: str) -> dict[str, str]:
        """The rules that a place has saved, by name in alphabetical order.

        Damaged ones are no rules at all.
        """
        return await self._kept(self._rules, place, _RULES_OF, _DAMAGED_TEXT)

    async def save_place_rules(self, place: str, name: str, text: str, by: str | None) -> None:
        """Save rules for a place under a name, instead of any of that name."""
        with self._changing(place):
            await self._put(place_rules, {"place": place, "name": name, "text": text, "author": by})

    async def delete_place_rules(self, place: str, name: str) -> bool:
        """Delete rules of a place; whether there were any of that name."""
        these = delete(place_rules).where(place_rules.c.place == place, place_rules.c.name == name)
        with self._changing(place):
            return bool(await self.write(lambda connection: connection.execute(these).rowcount))

    async def _kept(
        self,
        kept: dict[str, dict[str, Any]],
        place: str,
        query: Select[Any],
        damaged: Any,
        patience: float | None = None,
    ) -> dict[str, Any]:
        """What a place has by the columns of the query, read once until it changes.

        The third column says whether a row is sound, and `damaged` is the value where it is not.
        """
        before = self._state()
        if place not in kept:
            async with asyncio.timeout(patience):
                rows = await self.read(
                    lambda connection: connection.execute(query, {"of": place}).all()
                )
            found = {str(row[0]): row[1] if row[2] else damaged for row in rows}
            if not all(row[2] for row in rows):
                logger.error("what %s has set or saved is damaged in part", place)
            if before != self._state():
                return found
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[place] = found
        return kept[place]

    def _state(self) -> tuple[int, int]:
        """What was read holds while this stays; what is kept and does not hold is dropped."""
        writes = self.foreign_writes()
        if writes != self._foreign_writes:
            self._foreign_writes = writes
            self._settings.clear()
            self._rules.clear()
        return writes, self._changes

    @contextmanager
    def _changing(self, place: str) -> Iterator[None]:
        """What a place has set and saved is read again, whoever breaks the change off."""
        try:
            yield
        finally:
            self._changes += 1
            self._settings.pop(place, None)
            self._rules.pop(place, None)

    async def _put(self, table: Table, row: dict[str, Any]) -> None:
        """Insert a row, or replace what its key has."""
        keys = table.primary_key.columns.keys()
        rest = {name: value for name, value in row.items() if name not in keys}
        statement = insert(table).values(row).on_conflict_do_update(index_elements=keys, set_=rest)
        this = [table.c[name] == row[name] for name in keys]

        def put(connection: Connection) -> None:
            connection.execute(statement)
            connection.execute(seal(table).where(*this))

        await self.write(put)
