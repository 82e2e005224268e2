"""All of a database as lines, and put into another."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Self

import pytest

from bot.store import backups
from bot.store.backups import export_lines, import_lines
from bot.store.rows import StoreError
from bot.store.store import Keeper, Store
from tests.bot.damage import make_world
from tests.bot.postgres import KINDS
from tests.bot.store.test_backups import rows
from tests.bot.store.test_store import begin


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def exported(store: Store) -> list[str]:
    return await store.read(lambda connection: list(export_lines(connection)))


@pytest.fixture
async def lines(sound: Path) -> list[str]:
    await make_world(sound)
    store = Store.look_into(f"sqlite:///{sound / 'farkle.db'}")
    found = await exported(store)
    await store.close()
    return found


@pytest.mark.slow
async def test_a_new_database_has_it_all(
    lines: list[str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_AT_ONCE", 7)
    number = await store.write(lambda connection: import_lines(connection, lines))
    assert number == len(lines) - 2 > 200
    assert await exported(store) == lines
    with pytest.raises(StoreError, match="has rows in games already: choose a new one"):
        await store.write(lambda connection: import_lines(connection, lines))


def changed(lines: list[str], number: int, **values: object) -> list[str]:
    table, row = json.loads(lines[number])
    line = json.dumps([table, {**row, **values}], separators=(",", ":"))
    return [*lines[:number], f"{line}\n", *lines[number + 1 :]]


SPOILT: list[tuple[Callable[[list[str]], list[str]], str]] = [
    (lambda _: [], "ends after 0 lines"),
    (lambda _: ["Dear diary\n"], "is no file of `farkle store export`"),
    (lambda lines: lines[:-1], "before its last one"),
    (lambda lines: [*lines, *lines], "goes on after its last line"),
    (lambda lines: lines[:200], "ends after 200 lines"),
    (lambda lines: [*lines[:-2], lines[-1]], "is not as it was written"),
    (lambda lines: [*lines[:9], lines[9][:-9], *lines[10:]], "Line 10 of the file"),
    (lambda lines: changed(lines, 3, place="there"), "is not as it was written"),
    (lambda lines: changed(lines, 3, more=1), "Line 4 of the file"),
    *(
        (partial(lambda wrong, lines: changed(lines, 3, version=wrong), wrong), "does not take")
        for wrong in ("many", 10**30, "\ud800")
    ),
    (
        lambda lines: changed(lines, 3, secret="xyz"),  # noqa: S106
        "games that are not as they were written",
    ),
    (lambda lines: [lines[0].replace(":", ":9"), *lines[1:]], "is no file of"),
    (lambda lines: [lines[0].replace('"tables":', '"tables":99'), *lines[1:]], "another version"),
]


@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize(("spoil", "told"), SPOILT)
async def test_of_lines_that_were_changed_nothing_is_taken(
    lines: list[str], store: Store, path: Path, spoil: Callable[[list[str]], list[str]], told: str
) -> None:
    with pytest.raises(StoreError, match=told):
        await store.write(lambda connection: import_lines(connection, spoil(lines)))
    assert not any(rows(path).values())


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_what_another_program_began_meanwhile_stays(
    lines: list[str], path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(Store):
        @classmethod
        async def open(cls, url: str, keepers: Sequence[Keeper] = ()) -> Self:
            other = await Store.open(url)
            await begin(other, "theirs")
            await other.close()
            return await super().open(url, keepers)

    monkeypatch.setattr(backups, "Store", Late)
    with pytest.raises(StoreError, match="has rows in games already"):
        await backups.import_all(url, lines)
    assert [row[0] for row in rows(path)["games"]] == ["theirs"]
