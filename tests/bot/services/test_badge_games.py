"""Games with badges that are used up: played, tracked, advised and looked back on."""

import random
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from bot.table.fair_dice import Proof, verify_proof
from tests.bot.services.test_loaded_games import data_of
from tests.bot.speaking import Chat, open_chat

DICE = "my-dice:lucky*3,devil,ordinary*2 their-dice:ordinary*6"
GOAL = "goal:600"
BADGES = [
    "silver-might their-badge:silver-resurrection",
    "gold-doppelganger their-badge:gold-swapout@farkle",
    "tin-warlord their-badge:tin-fortune@farkle",
    "gold-transmutation@farkle their-badge:gold-warlord@start",
    "silver-resurrection@once their-badge:bird+devil",
]
SLOW = [pytest.param(badges, marks=pytest.mark.slow) for badges in BADGES[1:]]


@pytest.fixture
def chat(solving_chat: Chat) -> Chat:
    """A chat in which nothing is solved yet."""
    return solving_chat


async def line_of(chat: Chat, chance: random.Random, table: dict[str, Any]) -> str:
    """What the player to move says: what is best, or something else that a hint lists."""
    who = table["to_move"]
    hint = await data_of(chat, f"{who}: /hint")
    use, on_roll = hint.get("badge_use"), hint.get("badge_uses", [])
    if table["roll"] is None:
        if use and use["kind"] != "resurrection" and chance.random() < 0.6:
            return f"{who}: /use"
        banks = table["may_bank"] and (hint["action"] != "roll") != (chance.random() < 0.2)
        return f"{who}: /bank" if banks else f"{who}: /roll"
    options = hint["options"]
    if on_roll and (not options or chance.random() < 0.5):
        dice = chance.choice(on_roll[:3])["dice"] or ""
        return f"{who}: /use {dice if on_roll[0]['kind'] != 'resurrection' else ''}"
    if not options:
        return f"{who}: /use no"
    kept = chance.choice(options[:2])["set_aside"]
    return f"{who}: /keep {kept}"


async def played(chat: Chat, begin: str, seed: int) -> list[dict[str, Any]]:
    """A whole game; every table on the way."""
    tables, chance = [await data_of(chat, begin)], random.Random(seed)
    for _ in range(300):
        if tables[-1]["to_move"] is None:
            return tables
        line = await line_of(chat, chance, tables[-1])
        reply = (await chat.all(line))[-1]
        assert isinstance(reply.data, dict), (line, reply.text)
        assert "version" in reply.data, (line, reply.text)
        tables.append(reply.data)
    raise AssertionError("the game does not end")


@pytest.mark.slow
@pytest.mark.parametrize("badges", [BADGES[0], *SLOW])
async def test_games_between_people(chat: Chat, badges: str, tmp_path: Path) -> None:
    """Hints agree with the chances that are told, and luck and errors add up to the result."""
    used: set[int | None] = set()
    for seed in range(30):
        if seed > 2 and len(used) > 1:
            break  # the dice are those of chance: some games end without a use
        begin = f"ann: /play @bob {DICE} my-badge:{badges} {GOAL}"
        tables = await played(chat, begin, seed)
        used |= {one["uses"] for table in tables for one in table["players"]}
        review = await data_of(chat, "ann: /review")
        gains = [one["gain"] if one["seat"] == 0 else -one["gain"] for one in review["moments"]]
        result = review["result"][0] - review["start"][0]
        assert fsum(gains) == pytest.approx(result, abs=1e-9)
        assert {one["kind"] for one in review["moments"]} <= {"roll", "decision"}
        decisions = [one["judgement"] for one in review["moments"] if one["judgement"]]
        assert all(one["loss"] > -1e-9 for one in decisions)
        proof = await chat.say("ann: /proof")
        assert verify_proof(Proof.model_validate_json(proof)).holds
        assert "At the start the chances" in await chat.say("ann: /review")
    assert len(used) > 1
    async with open_chat(tmp_path) as other:  # every event is one that a command makes
        assert "At the start the chances" in await other.say("ann: /review")
