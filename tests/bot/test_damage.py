"""Damaged databases: nothing wrong is told, and whoever plays another game plays on."""

import os
import random
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from bot.services.store_check import check_store
from bot.store.rows import StoreError
from bot.store.store import Store, chain_anew
from tests.bot.damage import (
    PLACES,
    QUESTIONS,
    TABLES,
    Channels,
    Damage,
    columns,
    damage_file,
    damage_rows,
    make_world,
    opened,
    sql,
)


@pytest.fixture
async def damaged(sound: Path, tmp_path: Path) -> Path:
    """A folder with a copy of a sound database, to be damaged."""
    await make_world(sound)
    return copied(sound, tmp_path)


def copied(sound: Path, scratch: Path) -> Path:
    folder = scratch / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(sound / "farkle.db", folder)
    return folder


# ---- At random -------------------------------------------------------------------------------


async def survives(folder: Path, damage: Damage, seed: int) -> bool:
    """Damage a database and ask everything; whether the chat could begin at all.

    A change of an event is always noticed, and nothing fails.
    """
    table, done = damage(folder / "farkle.db", random.Random(seed))
    try:
        async with opened(folder) as chat:
            for place in PLACES:
                for question in QUESTIONS:
                    await chat.data(place, question)
                await play_on(chat, place, table)
    except StoreError as error:
        if table != "file" or not re.search(
            "is damaged|is incomplete|belongs to another|newer", str(error)
        ):
            raise
        return False
    if table == "events":
        assert (await looked_into(folder)).problems, (seed, done)
    return True


REFUSED = {"seats": "You do not play in this game", "file": "The database .* is damaged"}
"""What is said to who rolls where no event tells who sits there, or a page is hit by the write."""


async def play_on(chat: Channels, place: str, damaged: str = "") -> None:
    """Whoever's table is shown rolls the next dice, also where something else was damaged."""
    table = await chat.data(place, "/show")
    if "version" not in table:
        return
    rolled = await chat.data(place, f"{table['to_move']}: /roll")
    refused = REFUSED.get(damaged)
    if not (refused and re.match(refused, rolled.get("error", ""))):
        assert rolled.get("version") == table["version"] + 1, (table, rolled)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [damage_rows, damage_file])
async def test_damages(damaged: Path, damage: Damage) -> None:
    await survives(damaged, damage, 0)


MANY = int(os.environ.get("FARKLE_DAMAGES", "8"))


@pytest.mark.slow
@pytest.mark.parametrize("damage", [damage_rows, damage_file])
async def test_many_damages(sound: Path, tmp_path: Path, damage: Damage) -> None:
    await make_world(sound)
    begun = [await survives(copied(sound, tmp_path), damage, seed) for seed in range(1, 1 + MANY)]
    assert damage is damage_file or all(begun)
    assert any(begun)


# ---- One by one, with hashes that hold ----------------------------------------------------------

EVENT = "UPDATE events SET {} WHERE game_id = :game AND version = :version"
KINDS = {
    "first event gone": "DELETE FROM events WHERE game_id = :game AND version = 1",
    "event gone": "DELETE FROM events WHERE game_id = :game AND version = :version",
    "last event gone": "DELETE FROM events WHERE game_id = :game AND version = :last",
    "event twice": "INSERT INTO events SELECT game_id, :last + 1, at, kind, data, hash"
    " FROM events WHERE game_id = :game AND version = :version",
    "unknown kind": EVENT.format("kind = 'flown'"),
    "no JSON": EVENT.format("data = '{\"dice\"'"),
    "JSON of another type": EVENT.format("data = '[1]'"),
    "a number": EVENT.format("data = 7"),
    "nested too deep": EVENT.format("data = replace(hex(zeroblob(20000)), '0', '[')"),
    "field missing": EVENT.format("data = '{}'"),
    "field more": EVENT.format("data = json_set(data, '$.more', 1)"),
    "kind in the data": EVENT.format('data = \'{"kind": "banked"}\''),
    "wrong type": EVENT.format('data = \'{"dice": "many"}\''),
    "out of range": EVENT.format("data = '{\"dice\": [7, 1, 1, 1, 1, 1]}'"),
    "too many dice": EVENT.format("data = '{\"dice\": [1, 1, 1, 1, 1, 1, 1]}'"),
    "bank without a roll": EVENT.format("kind = 'banked', data = '{}'"),
    "kept what did not fall": EVENT.format("kind = 'kept', data = '{\"dice\": [1, 1]}'"),
    "begun twice": "UPDATE events SET kind = 'begun', data = (SELECT data FROM events WHERE"
    " game_id = :game AND version = 1) WHERE game_id = :game AND version = :version",
    "no such seat": EVENT.format("kind = 'resigned', data = '{\"seat\": 9}'"),
    "real dice scored": EVENT.format("kind = 'scored', data = '{\"points\": 100}'"),
    "over too early": EVENT.format("kind = 'ended', data = '{}'"),
    "seed too late": EVENT.format('kind = \'seeded\', data = \'{"seat": 0, "text": "a"}\''),
    "moment": EVENT.format("at = 'yesterday'"),
    "moment without a zone": EVENT.format("at = '2026-01-01T00:00:00'"),
    "no rules": "UPDATE events SET data = json_set(data, '$.rules.goal', 'far') WHERE"
    " game_id = :game AND version = 1",
    "another game's": "UPDATE events SET data = json_set(data, '$.game', 'g') WHERE"
    " game_id = :game AND version = 1",
    "seat missing": "DELETE FROM seats WHERE game_id = :game AND number = 1",
    "seat moved": "UPDATE seats SET number = 4 WHERE game_id = :game AND number = 1",
    "seat of a bot": "UPDATE seats SET level = 'greedy' WHERE game_id = :game AND number = 1",
    "version": "UPDATE games SET version = 2 WHERE id = :game",
    "rules' name": "UPDATE games SET rules_name = 'kcd' WHERE id = :game",
    "began at": "UPDATE games SET began_at = '2026-01-01T00:00:00.000000+00:00' WHERE id = :game",
    "secret too short": "UPDATE games SET secret = X'00' WHERE id = :game",
    "secret gone": "UPDATE games SET secret = NULL WHERE id = :game",
    "result too early": "INSERT INTO results SELECT game_id, number, 1, 1, 1, 1, 1, NULL, NULL"
    " FROM seats WHERE game_id = :game",
}


def spoil(path: Path, game: str, statement: str) -> None:
    """Change rows of a game; all hashes hold afterwards."""
    with closing(sql(path)) as connection:
        rolled = "SELECT max(version) FROM events WHERE game_id = ? AND kind = 'rolled'"
        [version] = connection.execute(rolled, [game]).fetchone()
        [last] = connection.execute("SELECT version FROM games WHERE id = ?", [game]).fetchone()
        given = {"game": game, "version": version, "last": last}
        assert connection.execute(statement, given).rowcount
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as chained, chained.begin():
        chain_anew(chained, game)
    engine.dispose()


def open_games(folder: Path) -> list[str]:
    """The open game of each place."""
    with closing(sql(folder / "farkle.db")) as connection:
        found = dict(connection.execute("SELECT place, id FROM games WHERE ended_at IS NULL"))
    return [found[place] for place in PLACES]


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    range(0, len(KINDS), len(PLACES) - 1),
)
async def test_damaged_games_are_set_aside(damaged: Path, first: int) -> None:
    """In all places but the last one, each by another kind of damage."""
    kinds = list(KINDS)[first : first + len(PLACES) - 1]
    found = open_games(damaged)
    spoilt = list(zip(kinds, PLACES, found, strict=False))
    path = damaged / "farkle.db"
    for kind, _, game in spoilt:
        spoil(path, game, KINDS[kind])
    before = rows(path)
    begun = {}
    async with opened(damaged) as chat:
        for kind, place, game in spoilt:
            told = (await chat.say(place, "/show")).text
            assert f"Game {game} is damaged and was set aside (" in told, kind
            assert "No game is open here" in (await chat.say(place, "/show")).text, kind
            assert (await chat.say(place, "/games")).data == []
            begun[place] = (await chat.say(place, "ann: /play @bob rules:classic")).data["game"]
        assert (await chat.data(PLACES[-1], "/show"))["game"] == found[-1]
    # it holds after a restart, and nothing was deleted
    async with opened(damaged) as chat:
        for place, game in begun.items():
            assert (await chat.say(place, "/show")).data["game"] == game
    assert before <= rows(path)
    report = await looked_into(damaged)
    games = {game for _, _, game in spoilt}
    assert {one.where for one in report.problems} >= {f"game {game}" for game in games}
    assert set(report.set_aside) == games


async def test_a_chat_that_begins_says_what_it_set_aside(damaged: Path) -> None:
    [game, *_] = open_games(damaged)
    spoil(damaged / "farkle.db", game, KINDS["field missing"])
    async with opened(damaged) as chat:
        told = [reply.text async for reply in chat.resume(PLACES[0])]
        assert len(told) == 1
        assert f"Game {game} is damaged and was set aside (event" in told[0]
        assert "No game is open here" in (await chat.say(PLACES[0], "/show")).text


async def test_what_one_program_set_aside_no_other_goes_on_with(damaged: Path) -> None:
    [game, *_] = open_games(damaged)
    async with opened(damaged) as one:
        table = await one.data(PLACES[0], "/show")
        spoil(damaged / "farkle.db", game, KINDS["event gone"])
        async with opened(damaged) as other:
            assert "was set aside" in (await other.say(PLACES[0], "/show")).text
            assert "No game is open here" in (await other.say(PLACES[0], "/show")).text
        refused = await one.say(PLACES[0], f"{table['to_move']}: /roll")
        assert "No game is open here" in refused.text


async def test_a_table_is_not_shown_without_its_database(damaged: Path) -> None:
    path, away = damaged / "farkle.db", damaged / "away"
    async with opened(damaged) as chat:
        table = await chat.data(PLACES[0], "/show")
        path.rename(away)
        roll = f"{table['to_move']}: /roll"
        for line in ("/show", roll, "/games", "/leaderboard", "/advise 123456 me:0"):
            assert "is gone: put it back" in (await chat.say(PLACES[0], line)).text, line
        away.rename(path)
        assert await chat.data(PLACES[0], "/show") == table
        assert (await chat.data(PLACES[0], roll))["version"] == table["version"] + 1


async def test_who_leaves_is_not_held_up_by_a_damaged_game(damaged: Path) -> None:
    [game, *_] = open_games(damaged)
    spoil(damaged / "farkle.db", game, KINDS["unknown kind"])
    async with opened(damaged) as chat:
        assert "games" in (await chat.say(PLACES[0], "ann: /forget me")).data
        # the place is told all the same
        assert f"Game {game} is damaged" in (await chat.say(PLACES[0], "/show")).text
    with closing(sql(damaged / "farkle.db")) as connection:
        names = connection.execute("SELECT name FROM seats WHERE game_id = ?", [game])
        assert {name for (name,) in names} == {"someone", "bob"}


@pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        ("UPDATE place_settings SET value = 'x{' WHERE key = 'games'", "/settings", "1 game"),
        ("UPDATE place_settings SET value = '\"many\"' WHERE key = 'games'", "/settings", "1 game"),
        ("UPDATE place_rules SET text = 'goal ='", "/rules show ours", "are damaged"),
        ("UPDATE place_rules SET text = 'goal = 2026-13-40'", "/rules show ours", "are damaged"),
        ("UPDATE place_rules SET text = replace(hex(zeroblob(9000)), '0', '[')", "/rules", "ours"),
    ],
)
async def test_settings_and_rules_of_a_place(
    damaged: Path, statement: str, question: str, answer: str
) -> None:
    [game, *_] = open_games(damaged)
    spoil(damaged / "farkle.db", game, statement)
    async with opened(damaged) as chat:
        reply = await chat.say(PLACES[0], question)
        assert answer in reply.text
        assert "the program failed" not in reply.text
        assert (await chat.say(PLACES[0], "/show")).data["game"] == game
        assert (await chat.say(PLACES[0], "ann: /settings games:3")).data["games"] == 3
        assert "ours" in (await chat.say(PLACES[0], "ann: /rules delete ours")).text
    assert (await looked_into(damaged)).problems


def rows(path: Path) -> set[Any]:
    """All rows but for what says that they are set aside."""
    with closing(sql(path)) as connection:
        return {
            (table, *row)
            for table in TABLES
            for row in connection.execute(f"SELECT {', '.join(columns(table))} FROM {table}")  # noqa: S608
        }


async def looked_into(folder: Path) -> Any:
    store = Store.look_into(f"sqlite:///{folder / 'farkle.db'}")
    try:
        return await check_store(store, lambda _: None)
    finally:
        await store.close()
