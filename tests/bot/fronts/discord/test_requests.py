"""Interactions by signed requests: all that goes by the gateway, and nothing that is not signed."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from nacl.signing import SigningKey

from bot.fronts.discord.signed import PATH, Door
from tests.bot.fronts.discord.endpoint import endpoint
from tests.bot.fronts.discord.loopback import Json, Loopback, user
from tests.bot.fronts.discord.play import choose, is_choice, settled, shown
from tests.bot.fronts.discord.play import press as pressed
from tests.bot.waiting import PATIENCE

ANN, BOB = user("11", "Ann"), user("12", "Bob")
NOW = 1_790_000_000.0
PING = b'{"type": 1}'
COMMAND = b'{"type": 2, "id": "7"}'


class Signer:
    """A key and a door that knows it, at a moment."""

    def __init__(self) -> None:
        self.key = SigningKey.generate()
        self.heard: list[Json] = []
        self.now = NOW
        self.door = Door(lambda: self.now)
        self.door.open(self.key.verify_key.encode().hex(), self.heard.append)

    def sign(self, body: bytes, moment: str = str(int(NOW))) -> dict[str, str]:
        signature = self.key.sign(moment.encode() + body).signature.hex()
        return {"X-Signature-Timestamp": moment, "X-Signature-Ed25519": signature}

    async def statuses(self, *sent: tuple[bytes, dict[str, str]]) -> list[tuple[int, str]]:
        app = web.Application()
        app.router.add_post(PATH, self.door.answer)
        async with TestClient(TestServer(app)) as client:
            found = []
            for body, headers in sent:
                answer = await client.post(PATH, data=body, headers=headers)
                found.append((answer.status, await answer.text()))
            return found


async def test_a_ping_is_answered_and_an_interaction_handed_on() -> None:
    one = Signer()
    [ping, taken] = await one.statuses((PING, one.sign(PING)), (COMMAND, one.sign(COMMAND)))
    assert ping == (200, '{"type": 1}')
    assert taken == (202, "")
    assert one.heard == [{"type": 2, "id": "7"}]


def forged(one: Signer) -> dict[str, str]:
    return {**one.sign(COMMAND), "X-Signature-Ed25519": "00" * 64}


FORGED: dict[str, Callable[[Signer], dict[str, str]]] = {
    "no headers": lambda _: {},
    "no signature": lambda one: {"X-Signature-Timestamp": one.sign(COMMAND).popitem()[1]},
    "another signature": forged,
    "no hexadecimal digits": lambda one: forged(one) | {"X-Signature-Ed25519": "zz"},
    "too short": lambda one: forged(one) | {"X-Signature-Ed25519": "00"},
    "another key": lambda _: Signer().sign(COMMAND),
    "another body": lambda one: one.sign(PING),
    "another moment": lambda one: one.sign(COMMAND) | {"X-Signature-Timestamp": f"{NOW + 1:.0f}"},
    "no moment": lambda one: one.sign(COMMAND, "now"),
    "too old": lambda one: one.sign(COMMAND, f"{NOW - 31:.0f}"),
    "of the future": lambda one: one.sign(COMMAND, f"{NOW + 31:.0f}"),
}


@pytest.mark.parametrize("what", FORGED)
async def test_what_is_not_signed_now_is_refused(what: str) -> None:
    one = Signer()
    [(status, _)] = await one.statuses((COMMAND, FORGED[what](one)))
    assert status == 401
    assert one.heard == []


async def test_what_was_taken_in_is_refused_the_second_time() -> None:
    one = Signer()
    again = COMMAND, one.sign(COMMAND)
    assert [status for status, _ in await one.statuses(again, again)] == [202, 401]
    one.now += 29
    assert [status for status, _ in await one.statuses(again)] == [401]
    one.now += 60  # it is forgotten, and too old
    later = COMMAND, one.sign(COMMAND, f"{one.now:.0f}")
    assert [status for status, _ in await one.statuses(again, later)] == [401, 202]


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{}", b"\xff", b"[" * 100_000])
async def test_what_makes_no_sense_is_refused(body: bytes) -> None:
    one = Signer()
    assert (await one.statuses((body, one.sign(body))))[0][0] == 400


async def test_a_door_that_is_closed_says_so() -> None:
    one = Signer()
    one.door.close()
    assert (await one.statuses((COMMAND, one.sign(COMMAND))))[0][0] == 503


@pytest.mark.slow
async def test_all_is_answered_by_requests_and_by_any_of_two_programs(
    folder: Path, discord: Loopback
) -> None:
    async with endpoint(discord, folder, 2, FARKLE_PACE="0") as (asked, bots):
        assert discord.identified == []
        assert discord.syncs == 1
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        await pressed(discord, ANN, message, "roll")
        who = {"Ann": ANN, "Bob": BOB}
        for _ in range(12):  # each press comes to the other program
            mover = next(line.split()[1] for line in message.text.splitlines() if line[:1] == "▸")
            action = await choose(discord, who[mover], message) if is_choice(message) else "roll"
            await pressed(discord, who[mover], message, action)
            await settled(message)
        assert "kcd" in await discord.complete(ANN, "play", "rules", "kc")
        alone = await shown(await discord.slash(ANN, "advise", guild=None, dice="6 5 3 3 3 2"))
        assert "Keep" in alone.text or "keep" in alone.text
        wrong = json.dumps({"type": 2}).encode()
        headers = asked.signed(wrong) | {"X-Signature-Ed25519": "00" * 64}
        assert (await asked.post(asked.ports[0], wrong, headers))[0] == 401
        assert (await asked.post(asked.ports[0], PING, asked.signed(PING)))[0] == 200
        assert asked.failed == asked.passed_on == 0
        for bot in bots:
            assert await bot.end() == 0, bot.log
            assert "Traceback" not in bot.log
            assert "WARNING" not in bot.log


@pytest.mark.slow
async def test_dice_that_another_program_chose_are_those_that_are_kept(
    folder: Path, discord: Loopback
) -> None:
    """A program that remembered its own presses would keep what nobody sees."""
    async with endpoint(discord, folder, 2) as (asked, _):
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        await pressed(discord, ANN, message, "roll")
        while not is_choice(message):
            await settled(message)
            mover = ANN if "▸ Ann" in message.text else BOB
            await pressed(discord, mover, message, "roll")
        mover = ANN if "▸ Ann" in message.text else BOB
        dice = [one for one in message.buttons if ":die" in one["custom_id"]]
        die = next(one for one in dice if not one.get("disabled"))
        action, mask = die["custom_id"].split(":")[-1], int(die["custom_id"].split(":")[3])
        ports = list(asked.ports)
        for number in range(3):  # on, off by the other program, and on by the first
            asked.ports = [ports[number % 2]]
            await pressed(discord, mover, message, action)
        chosen = {int(one["custom_id"].split(":")[3]) for one in message.buttons}
        assert mask == 0
        assert chosen == {1 << int(action.removeprefix("die"))}
        asked.ports = ports


@pytest.mark.slow
async def test_a_program_that_ends_finishes_what_it_took_in(
    folder: Path, discord: Loopback
) -> None:
    async with endpoint(discord, folder, 2) as (asked, bots):
        message = await shown(await discord.slash(ANN, "play", player2=BOB, rules="kcd"))
        stopped = asyncio.create_task(bots[0].end(signal.SIGTERM))
        for number in range(20):
            answer = await shown(await discord.slash(ANN, "show", channel=f"{600 + number}"), 10)
            assert answer.text
        assert await stopped == 0
        await shown(await discord.press(ANN, message, "Roll"))
        assert asked.failed == 0


@pytest.mark.slow
async def test_what_takes_long_is_announced(folder: Path, discord: Loopback) -> None:
    async with endpoint(discord, folder, 1):
        with closing(sqlite3.connect(folder / "farkle.db")) as connection:
            connection.execute("BEGIN IMMEDIATE")  # so that nothing else is written
            play = await discord.slash(ANN, "play", player2=BOB, rules="kcd")
            await asyncio.wait_for(play.answered.wait(), PATIENCE)
            assert play.kind == 5
        assert "▸ Ann" in (await shown(play)).text


def test_a_key_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="."):
        Door().open("zz", print)
