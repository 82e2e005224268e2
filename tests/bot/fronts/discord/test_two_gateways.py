"""Two bots with one token: one waits, and where both are connected nothing is done twice."""

import json
import signal
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from bot.features import FEATURES
from tests.bot.fronts.discord.loopback import Json, Loopback, user
from tests.bot.fronts.discord.play import shown
from tests.bot.fronts.discord.process import running
from tests.bot.waiting import until
from tests.conftest import only_with_every

ANN, BOB = user("11", "Ann"), user("12", "Bob")
READY, WAITS = "ready as ", "another program is connected to Discord with this token"


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
async def test_a_second_bot_waits_until_the_first_one_ends(
    folder: Path, discord: Loopback, how: signal.Signals
) -> None:
    async with running(folder, discord) as first:
        await until(lambda: READY in first.log)
        async with running(folder, discord, ready=False) as second:
            await until(lambda: WAITS in second.log)
            message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
            assert len(discord.identified) == 1
            await first.end(how)
            await until(lambda: READY in second.log)
            await shown(await discord.press(ANN, message, "Roll"))
            # one that waits can be ended, too
            async with running(folder, discord, ready=False) as third:
                await until(lambda: WAITS in third.log)
                assert await third.end() == 0, third.log


@pytest.mark.slow
async def test_other_shards_do_not_wait(folder: Path) -> None:
    async with Loopback(shards=2).serve() as discord:
        for part in "0-0/2", "1-1/2":
            async with running(folder, discord, ready=False, FARKLE_DISCORD_SHARDS=part) as bot:
                await until(lambda: discord.identified or bot.process.returncode is not None)
                assert discord.identified.pop()["shard"] == [int(part[0]), 2], bot.log
        async with (
            running(folder, discord, ready=False, FARKLE_DISCORD_SHARDS="0-0/2") as one,
            running(folder, discord, FARKLE_DISCORD_SHARDS="1-1/2") as other,
        ):
            await until(lambda: READY in one.log and READY in other.log)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["0-1/2", *(pytest.param(one, marks=pytest.mark.slow) for one in ("", "0-0/4"))]
)
async def test_shards_that_overlap_wait(folder: Path, part: str) -> None:
    """Also where the number of all is another, or not said: all of them begin with the first."""
    async with (
        Loopback(shards=2).serve() as discord,
        running(folder, discord, ready=False, FARKLE_DISCORD_SHARDS="0-0/2") as first,
    ):
        await until(lambda: discord.identified)
        async with running(folder, discord, ready=False, FARKLE_DISCORD_SHARDS=part) as second:
            await until(lambda: WAITS in second.log)
            assert len(discord.identified) == 1
            assert await second.end() == 0
        assert await first.end() == 0


def rows(folder: Path, query: str, *values: str) -> list[Any]:
    with closing(sqlite3.connect(folder / "farkle.db")) as connection:
        return connection.execute(query, values).fetchall()


def happened(folder: Path, kind: str, place: str) -> list[Any]:
    query = "SELECT data FROM events JOIN games ON id = game_id WHERE kind = ? AND place LIKE ?"
    return [json.loads(data) for (data,) in rows(folder, query, kind, f"discord:{place}")]


GAMES = 80


@pytest.mark.slow
async def test_nothing_is_done_twice(folder: Path, discord: Loopback) -> None:
    """Both are told of everything, as the lock that keeps one waiting is by the file's name."""
    (folder / "other.db").symlink_to(folder / "farkle.db")
    kept = 0
    async with running(folder, discord, FARKLE_PACE="0") as one:
        await until(lambda: READY in one.log)
        more = {"FARKLE_DATABASE_URL": f"sqlite:///{folder / 'other.db'}"}
        async with running(folder, discord, FARKLE_PACE="0", **more) as other:  # type: ignore[arg-type]
            await until(lambda: READY in other.log)
            for number in range(GAMES):
                place = str(1000 + number)
                play = await discord.slash(ANN, "play", channel=place, player2=BOB, rules="kcd")
                await shown(play)
                await shown(await discord.slash(ANN, "roll", channel=place))
                # whoever is refused may be told so before the other one has done it
                await until(lambda: happened(folder, "rolled", place))  # noqa: B023
                [dice] = happened(folder, "rolled", place)
                if good := {1, 5} & set(dice["dice"]):
                    keep = {"dice": str(max(good)), "then": "roll"}
                    await shown(await discord.slash(ANN, "keep", channel=place, **keep))
                    await until(lambda: happened(folder, "kept", place))  # noqa: B023
                    kept += 1
            assert await one.end() == await other.end() == 0
    games = [f"discord:{1000 + number}" for number in range(GAMES)]
    assert rows(folder, "SELECT place FROM games ORDER BY place") == [(one,) for one in games]
    assert len(happened(folder, "kept", "%")) == kept > 0
    logs = one.log + other.log
    assert "Traceback" not in logs
    assert "left to another program" in logs


MANAGES = {"permissions": 1 << 4}
OF_FEATURES = [
    (one, name, options)
    for feature, one, name, options in (
        ("tournaments", ANN, "tournament", {"what": "new"}),
        ("tournaments", BOB, "tournament", {"what": "join"}),
        ("tournaments", ANN, "tournament", {"what": "start"}),
        ("tournaments", ANN, "tournament", {"what": "play"}),
        ("practice", ANN, "daily", {"what": "answer", "number": 1}),
    )
    if feature in FEATURES
]
WRITING: list[tuple[Json, str, dict[str, Any]]] = [
    (ANN | MANAGES, "settings", {"games": 5}),
    (ANN | MANAGES, "rules use", {"name": "kcd"}),
    (ANN, "track", {"player2": BOB}),
    (ANN, "score", {"points": 500}),
    (ANN, "score", {"who": BOB, "ending": "farkle"}),
    (ANN, "undo", {}),
    (ANN, "fix", {"who": BOB, "score": 300}),
    (ANN, "roll", {"dice": "1 2 2 3 4 6"}),
    (ANN, "keep", {"dice": "1", "then": "bank"}),
    (ANN, "resign", {"who": ANN, "sure": "yes"}),
    (ANN, "play", {"player2": BOB}),
    (BOB, "seed", {"text": "blue"}),
    (BOB, "resign", {"sure": "yes"}),
    (ANN, "play", {}),
    (BOB, "join", {}),
    (BOB, "leave", {}),
    (ANN, "end", {}),
    *OF_FEATURES,
    (BOB, "forget", {"who": "me"}),
]
"""Commands that write, with real dice where there are any, so that they do the same each time."""
PLACES = (
    "SELECT place, kind FROM events e JOIN games ON id = game_id ORDER BY 1, began_at, e.version",
    "SELECT place, count(*) FROM seats JOIN games ON id = game_id GROUP BY place ORDER BY place",
    "SELECT place, count(*) FROM results JOIN games ON id = game_id GROUP BY place ORDER BY place",
    "SELECT place, key, value FROM place_settings WHERE place LIKE 'discord:%' ORDER BY 1, 2",
    "SELECT place, count(*) FROM daily_answers GROUP BY place ORDER BY place",
    "SELECT place, number FROM entrants JOIN tournaments ON id = tournament_id ORDER BY 1, 2",
    "SELECT place, number FROM tournament_games JOIN games ON id = game_id ORDER BY 1, 2",
)


async def give_all(discord: Loopback, folder: Path, times: int) -> list[list[Any]]:
    """What is stored once each command was given so many times, each time in another channel."""
    for number in range(times):
        for by, name, options in WRITING:
            given = await discord.slash(by, name, channel=str(1000 + number), **options)
            await until(lambda: rows(folder, "SELECT id FROM done WHERE id = ?", given.id))  # noqa: B023
    return [rows(folder, query) for query in PLACES]


@pytest.mark.parametrize(
    "times", [pytest.param(1, marks=pytest.mark.slow), pytest.param(200, marks=only_with_every)]
)
async def test_every_command_is_done_once(folder: Path, times: int, tmp_path: Path) -> None:
    """What two programs that hear of all store is what one does."""
    stored = []
    for number in (1, 2):
        here = tmp_path / f"{number}"
        here.mkdir()
        (here / "strategies").symlink_to(folder / "strategies")
        (here / "other.db").symlink_to(here / "farkle.db")
        async with Loopback().serve() as discord, AsyncExitStack() as stack:
            for file in ["farkle.db", "other.db"][:number]:
                url = {"FARKLE_DATABASE_URL": f"sqlite:///{here / file}"}
                bot = await stack.enter_async_context(running(here, discord, ready=True, **url))  # type: ignore[arg-type]
                await until(lambda: READY in bot.log)  # noqa: B023
            stored.append(await give_all(discord, here, times))
            assert "Traceback" not in bot.log
    assert stored[0] == stored[1]
    assert len(stored[0][0]) > 20 * times
