"""`farkle store`, on sound and damaged databases."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli.main import farkle
from bot.store.rows import StoreError
from bot.store.schema import metadata
from tests.bot.damage import PLACES, make_world, opened, sql
from tests.bot.new_database import lay_database

Run = Callable[..., Result]


@pytest.fixture
async def folder(sound: Path, tmp_path: Path) -> Path:
    await make_world(sound)
    shutil.copy(sound / "farkle.db", tmp_path)
    return tmp_path


@pytest.fixture
def check(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("FARKLE_DATA", str(folder))
    return lambda *arguments: CliRunner().invoke(farkle, ["store", "check", *arguments])


def execute(folder: Path, statement: str, *values: Any) -> None:
    with closing(sql(folder / "farkle.db")) as connection:
        assert connection.execute(statement, values).rowcount


@pytest.mark.slow
def test_all_is_well(check: Run, folder: Path) -> None:
    before = (folder / "farkle.db").read_bytes()
    found = check()
    assert found.exit_code == 0, found.output
    assert found.stdout == f"16 games in {folder / 'farkle.db'}: all is well\n"
    assert json.loads(check("--json").stdout) == {
        "database": str(folder / "farkle.db"),
        "games": 16,
        "set_aside": [],
        "problems": [],
    }
    assert (folder / "farkle.db").read_bytes() == before


@pytest.mark.slow
def test_each_thing_that_is_wrong_is_told(check: Run, folder: Path) -> None:
    with closing(sql(folder / "farkle.db")) as connection:
        [(one,), (two,), (three,)] = connection.execute(
            "SELECT id FROM games WHERE secret IS NOT NULL ORDER BY id LIMIT 3"
        ).fetchall()
    execute(folder, "DELETE FROM events WHERE game_id = ? AND version = 3", one)
    execute(folder, "UPDATE events SET kind = 'banked' WHERE game_id = ? AND version = 2", two)
    execute(folder, "UPDATE games SET set_aside = 1 WHERE id = ?", three)
    execute(folder, "UPDATE place_settings SET value = '\"x\"' WHERE place = ?", PLACES[0])
    execute(folder, "UPDATE place_rules SET text = 'goal' WHERE place = ?", PLACES[1])
    execute(folder, "INSERT INTO results VALUES ('nobody', 0, 1, 1, 1, 1, 1, 1, 1)")
    found = check()
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    for line in (
        f"game {one}: event 3 is missing",
        f"game {two}: event 2 is not as it was written",
        f"game {three}: it was set aside, and nothing is wrong with it now:"
        f" farkle store check --restore {three}",
        f"setting games of {PLACES[0]}: it cannot be x",
        f"rules ours of {PLACES[1]}: they are no TOML",
        "table results: a row belongs to a game or seat that is not there",
    ):
        assert line in lines
    assert lines[-1].endswith(": 7 things are wrong")
    told = json.loads(check("--json").stdout)
    assert told["set_aside"] == [three]
    assert len(told["problems"]) == 7


@pytest.mark.slow
async def test_a_game_that_was_put_right_is_taken_back(check: Run, folder: Path) -> None:
    async with opened(folder) as chat:
        table = await chat.data(PLACES[0], "/show")
    game = table["game"]
    with closing(sql(folder / "farkle.db")) as connection:
        query = "SELECT * FROM events WHERE game_id = ? AND version = 4"
        row = connection.execute(query, [game]).fetchone()
    execute(folder, "DELETE FROM events WHERE game_id = ? AND version = 4", game)
    async with opened(folder) as chat:
        assert "(event 4 is missing)" in (await chat.say(PLACES[0], "/show")).text
    refused = await asyncio.to_thread(check, "--restore", game)
    assert f"Game {game} is damaged" in str(refused.exception)
    execute(folder, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", *row)
    assert "nothing is wrong with it now" in (await asyncio.to_thread(check)).stdout
    restored = await asyncio.to_thread(check, "--restore", game)
    assert restored.stdout == f"Game {game} goes on as it is now.\n"
    assert (await asyncio.to_thread(check)).exit_code == 0
    async with opened(folder) as chat:
        assert await chat.data(PLACES[0], "/show") == table


@pytest.mark.slow
async def test_others_may_play_meanwhile(check: Run, folder: Path) -> None:
    async with opened(folder) as chat:
        table = await chat.data(PLACES[0], "/show")
        await chat.data(PLACES[0], f"{table['to_move']}: /roll")
        assert (await asyncio.to_thread(check)).exit_code == 0
        assert "version" in await chat.data(PLACES[1], "/play")
    assert (await asyncio.to_thread(check)).exit_code == 0


def test_what_is_no_database(check: Run, folder: Path) -> None:
    path = folder / "farkle.db"
    path.write_text("Dear diary, " * 1000)
    found = check()
    assert found.exit_code == 1
    assert "is damaged or not a database" in found.stdout
    path.unlink()
    for arguments in ([], ["--restore", "g"]):
        assert f"there is no database {path}" in str(check(*arguments).exception)
    assert not path.exists()


def test_a_damaged_file(check: Run, folder: Path) -> None:
    path = folder / "farkle.db"
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)  # the last page may be free
    path.write_bytes(content)
    found = check()
    assert found.exit_code == 1
    assert "database: " in found.stdout


def test_a_database_of_a_newer_version(check: Run, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "farkle.db")) as connection, connection:
        connection.execute("UPDATE schema_version SET number = 999")
    found = check()
    assert found.exit_code == 1
    assert "was made by a newer version of this program" in found.stdout


def said(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(farkle, ["store", *arguments], **more)


def as_before(folder: Path) -> None:
    """Make a database of an earlier version of the one that is there."""
    with closing(sqlite3.connect(folder / "earlier.db")) as old, old:
        old.execute("ATTACH ? AS now", [str(folder / "farkle.db")])
        old.execute("CREATE TABLE alembic_version AS SELECT '7' AS version_num")
        for name, table in metadata.tables.items():
            columns = ", ".join(f'"{one.name}"' for one in table.columns if one.name != "hash")
            if name != "schema_version":
                old.execute(f"CREATE TABLE {name} AS SELECT {columns}, 0 AS crc FROM now.{name}")  # noqa: S608
    (folder / "earlier.db").replace(folder / "farkle.db")


async def test_a_database_of_an_earlier_version_is_brought_over(check: Run, folder: Path) -> None:
    def rows() -> set[Any]:
        with closing(sql(folder / "farkle.db")) as connection:
            return {
                (name, *row)
                for name in metadata.tables
                for row in connection.execute(f"SELECT * FROM {name}")  # noqa: S608
            }

    before = rows()
    as_before(folder)
    earlier = (folder / "farkle.db").read_bytes()
    with pytest.raises(StoreError, match="made by an earlier version of this program: `farkle"):
        async with opened(folder):
            pass
    assert (folder / "farkle.db").read_bytes() == earlier

    def upgrade() -> Result:
        return CliRunner().invoke(farkle, ["store", "upgrade"])

    done = await asyncio.to_thread(upgrade)
    kept = folder / "farkle.db.before"
    assert done.stdout == f"16 games brought over to {folder / 'farkle.db'}; before: {kept}\n"
    assert kept.exists()
    assert rows() == before
    assert (await asyncio.to_thread(check)).exit_code == 0
    again = await asyncio.to_thread(upgrade)
    assert str(again.exception) == f"The database {folder / 'farkle.db'} is up to date already"
    as_before(folder)
    again = await asyncio.to_thread(upgrade)
    assert "is in the way" in str(again.exception)


def test_damaged_text_is_left_when_a_database_is_brought_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    lay_database(tmp_path / "farkle.db")
    insert = "INSERT INTO place_rules VALUES ('here', ?, CAST(? AS TEXT), NULL)"
    for name, text in (("sound", b"goal = 1"), ("damaged", b"goal = \xff")):
        execute(tmp_path, insert, name, text)
    as_before(tmp_path)
    earlier = (tmp_path / "farkle.db").read_bytes()
    done = said("upgrade")
    assert done.stdout.startswith("0 games brought over"), done.exception
    with closing(sql(tmp_path / "farkle.db")) as connection:
        assert connection.execute("SELECT name FROM place_rules").fetchall() == [("sound",)]
    assert (tmp_path / "farkle.db.before").read_bytes() == earlier


def test_what_lacks_a_table_is_not_brought_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    lay_database(tmp_path / "farkle.db")
    as_before(tmp_path)
    with closing(sql(tmp_path / "farkle.db")) as connection:
        connection.execute("DROP TABLE results")
    assert "is not of the version that can be brought over" in str(said("upgrade").exception)
    assert {one.name for one in tmp_path.iterdir()} == {"farkle.db"}


async def test_a_backup_and_the_way_back(check: Run, folder: Path) -> None:
    path = folder / "farkle.db"
    async with opened(folder) as chat:
        before = await chat.data(PLACES[0], "/show")
        made = await asyncio.to_thread(said, "backup", "--json")
        copy = Path(json.loads(made.stdout)["backup"])
        again = await asyncio.to_thread(said, "backup", str(copy))
        assert f"{copy} is there already" in str(again.exception)
        assert "version" in await chat.data(PLACES[0], f"{before['to_move']}: /roll")
        refused = await asyncio.to_thread(said, "restore", str(copy))
        assert "is in use: end the programs" in str(refused.exception)
    assert copy.parent == folder / "backups"
    done = await asyncio.to_thread(said, "restore", str(copy))
    [kept] = folder.glob("farkle.db.replaced-*")  # noqa: ASYNC240 - tests may wait for files
    assert done.stdout == f"{path} is now as in {copy}\nbefore: {kept}\n"
    assert (await asyncio.to_thread(check)).exit_code == 0
    async with opened(folder) as chat:
        assert await chat.data(PLACES[0], "/show") == before


@pytest.mark.usefixtures("check")
def test_all_goes_from_one_database_to_another(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = folder / "games.jsonl"
    assert "rows exported" in said("export", str(file)).stderr
    assert "is there already" in str(said("export", str(file)).exception)
    streamed = said("export", "-")
    assert streamed.stdout == file.read_text("utf-8")
    assert "has rows in games already" in str(said("import", str(file)).exception)
    empty = tmp_path_factory.mktemp("new")
    new = {"FARKLE_DATABASE_URL": f"sqlite:///{empty / 'other.db'}"}
    assert "is no file of" in str(said("import", "-", input="Dear diary", env=new).exception)
    bad = streamed.stdout.encode().replace(b'"', b"\xff", 1)
    assert "is no file of" in str(said("import", "-", input=bad, env=new).exception)
    assert list(empty.iterdir()) == [], "what is refused makes no database"
    done = said("import", "-", input=streamed.stdout, env=new)
    rows = len(streamed.stdout.splitlines()) - 2
    assert done.stdout == f"{rows:,} rows imported\n"
    found = said("check", env=new)
    assert found.exit_code == 0
    assert "16 games" in found.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE schema_version SET number = 999", "was made by a newer version"),
        ("DROP TABLE done; UPDATE schema_version SET number = 1", "by an earlier version"),
        ("DROP TABLE schema_version", "is incomplete, it lacks schema_version;"),
        ("DROP TABLE games; DROP TABLE events", "is incomplete, it lacks events and games;"),
        ("DROP TABLE results", "is damaged"),
    ],
)
@pytest.mark.usefixtures("check")
def test_what_is_not_of_this_version_is_not_exported(
    folder: Path, tmp_path: Path, change: str, told: str
) -> None:
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        connection.executescript(change)
    assert told in str(said("export", str(tmp_path / "games.jsonl")).exception)
    here, new = f"sqlite:///{folder / 'farkle.db'}", tmp_path / "new.db"
    assert told in str(said("copy", here, f"sqlite:///{new}").exception)
    assert not new.exists()


@pytest.mark.parametrize(
    ("given", "told"), [(("a.db", "sqlite:///b"), "FROM"), (("sqlite:///b", "a.db"), "TO")]
)
def test_what_is_copied_is_named_as_it_is_given(given: tuple[str, str], told: str) -> None:
    assert str(said("copy", *given).exception).startswith(f"{told} has to name a file")


@pytest.mark.parametrize("table", ["notes", "schema_version"])
@pytest.mark.parametrize(
    "command", ["backup", "check", "check --restore g", "export -", "restore farkle.db", "upgrade"]
)
def test_what_belongs_to_another_program_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, table: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("farkle.db")) as other:
        other.execute(f"CREATE TABLE {table} (text)")
    before = Path("farkle.db").read_bytes()
    monkeypatch.setenv("FARKLE_DATA", ".")
    refused = CliRunner().invoke(farkle, ["store", *command.split()])
    assert refused.exit_code == 1, refused.output
    told = refused.output or str(refused.exception)
    assert "farkle.db belongs to another program; choose another one" in told
    assert list(tmp_path.rglob("*.db")) == [tmp_path / "farkle.db"]
    assert Path("farkle.db").read_bytes() == before


def test_to_forget_somebody_makes_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path / "data"))
    refused = CliRunner().invoke(farkle, ["forget", "console:ann"])
    assert str(refused.exception) == f"there is no database {tmp_path / 'data' / 'farkle.db'}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("person", ["", "bob", "80351110224678912", "discord:"])
def test_what_is_no_id_is_nobody_to_forget(person: str) -> None:
    refused = CliRunner().invoke(farkle, ["forget", person])
    assert f'"{person}" is no ID such as discord:80351110224678912' in str(refused.exception)


@pytest.mark.usefixtures("check")
def test_an_empty_file_is_called_so(folder: Path) -> None:
    (folder / "farkle.db").write_bytes(b"")
    assert "farkle.db is empty; tables are made once" in said("check").stdout
    assert "farkle.db is empty; tables are made once" in str(said("export", "-").exception)
    for command in ("upgrade", "backup"):
        assert "farkle.db is empty: it is no database" in str(said(command).exception)


@pytest.mark.usefixtures("check")
def test_a_copy_that_cannot_be_begun_leaves_no_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, new = f"sqlite:///{folder / 'farkle.db'}", tmp_path / "new" / "farkle.db"

    def full(_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("bot.store.database.make_indexes", full)
    assert "the disk is full" in str(said("copy", here, f"sqlite:///{new}").exception)
    assert not list(new.parent.iterdir())


def test_a_program_that_only_copies_knows_the_tables_of_features(tmp_path: Path) -> None:
    lay_database(tmp_path / "from.db")
    files = [f"sqlite:///{tmp_path / name}" for name in ("from.db", "to.db")]
    command = [sys.executable, "-m", "bot", "store", "copy", *files]
    environment = {**os.environ, "FARKLE_DATA": str(tmp_path)}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    with closing(sql(tmp_path / "to.db")) as connection:
        made = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert {name for (name,) in made} == set(metadata.tables)
