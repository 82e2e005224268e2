"""What the pages for people say of the program is so."""

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from bot.cli.main import farkle
from bot.fronts.discord.asking import person_of
from bot.layout import MOST_TYPED
from bot.services.house_rules import Limits
from bot.services.place_settings import MOST_OPEN_GAMES
from bot.services.rule_options import MAX_NAME
from bot.settings import CHECKOUT
from bot.store.rows import PlaceSettings
from bot.store.schema import metadata
from bot.table.commands import MOST_PLAYERS, MOST_SEED
from tests.bot.features import lines_of_features
from tests.bot.fronts.discord.heard import Heard
from tests.bot.speaking import open_chat

PRIVACY, TERMS = (CHECKOUT / "docs" / name for name in ("privacy.md", "terms.md"))
ZOE, NAME = "console:zoe-who-leaves", "zoe-who-leaves"


def columns() -> Iterator[str]:
    for table in metadata.sorted_tables:
        yield from (f"{table.name}.{column.name}" for column in table.columns)


def test_every_column_is_on_the_privacy_page_and_no_other() -> None:
    rows = [line for line in PRIVACY.read_text("utf-8").splitlines() if line.startswith("| ")]
    told = re.findall(r"`([a-z_]+\.[a-z_]+)`", "\n".join(rows))
    assert sorted(told) == sorted(columns())


async def everything_of(tmp_path: Path, data: Path) -> None:
    """Zoe plays, gives a seed, makes rules, resigns, is replaced and sets what can be set."""
    async with open_chat(tmp_path, data / "strategies") as chat:
        for line in (
            "/settings games:3 language:de",
            "/play @bob rules:kcd",
            "/seed blue",
            "/roll",
            "/resign",
            "/play @carl rules:kcd",
            "/track @dan rules:kcd",
            "/score 500",
            "/rules new sunday goal:2000",
            *(told[5:] for told in lines_of_features() if told.startswith("ann: ")),
        ):
            await chat.first(f"{NAME}: {line}")


async def said(folder: Path, line: str) -> str:
    async with open_chat(folder) as chat:
        return await chat.say(line)


@pytest.mark.slow
async def test_who_somebody_is_stands_in_the_columns_that_the_page_names(
    tmp_path: Path, data: Path
) -> None:
    await everything_of(tmp_path, data)
    page = PRIVACY.read_text("utf-8").splitlines()
    first = [line for line in page if line.startswith("| ")][1:3]
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", "\n".join(first)))
    found = set()
    with closing(sqlite3.connect(tmp_path / "farkle.db")) as connection:
        for table in metadata.sorted_tables:
            for column in table.columns:
                values = connection.execute(str(select(column)))
                if any(NAME in str(value) for (value,) in values):
                    found.add(f"{table.name}.{column.name}")
    people = {
        f"{table}.{column}"
        for table in ("seats", "entrants", "daily_answers")
        for column in ("person", "name")
    }
    assert found == named == people | {"place_rules.author", "drills.person"}


@pytest.mark.slow
def test_the_host_can_forget_somebody(tmp_path: Path, data: Path) -> None:
    """No byte of the database names them any more, and the games go on without them."""
    asyncio.run(everything_of(tmp_path, data))
    done = CliRunner().invoke(
        farkle, ["forget", ZOE], env={"FARKLE_DATA": str(tmp_path)}, catch_exceptions=False
    )
    assert done.output == f"{ZOE} is forgotten: 3 games are kept without the name.\n"
    for path in tmp_path.glob("farkle.db*"):
        assert NAME.encode() not in path.read_bytes()
    done = CliRunner().invoke(farkle, ["forget", "console:zoe"], env={"FARKLE_DATA": str(tmp_path)})
    assert done.output.startswith("Nobody with the ID console:zoe sat in a game")
    assert asyncio.run(said(tmp_path, "bob: /games")).startswith("No game is open here.")
    assert "zoe" not in asyncio.run(said(tmp_path, "bob: /leaderboard"))


def test_the_limits_are_those_of_the_program() -> None:
    text = " ".join((CHECKOUT / "SECURITY.md").read_text("utf-8").split())
    longest = len(person_of(Heard("x" * 99).user).name)
    assert (
        f"A line has at most {MOST_TYPED:,} characters, a name {longest}, a seed {MOST_SEED}, a"
        f" name of rules {MAX_NAME}; a table seats {MOST_PLAYERS}." in text
    )
    assert PlaceSettings().games == 1
    assert (
        f"one open game, up to {MOST_OPEN_GAMES} where its managers allow that, and"
        f" {Limits().rules} house rules." in text
    )
    assert f"at most {longest} characters" in PRIVACY.read_text("utf-8")


@pytest.mark.parametrize("page", [PRIVACY, TERMS], ids=lambda page: page.name)
def test_what_a_host_fills_in_is_marked(page: Path) -> None:
    text = page.read_text("utf-8")
    blanks = re.findall(r"\[([^\]]+)\](?!\()", text)
    assert len(blanks) >= 4
    assert all(blank == blank.upper() for blank in blanks)
    assert "once everything in square brackets is filled in" in " ".join(text.split())
