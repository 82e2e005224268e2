"""/rules diff and /compare."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.chat.presses import NotesPress, read_press
from solver.game.standings import Solution
from solver.rules.file import load_rules
from solver.strategy import save_strategy
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file, variant

NEW = "/rules new my sunday base:kcd goal:2000 dice:5"


async def test_rule_sets_are_told_apart(chat: Chat) -> None:
    text = await chat.say("/rules diff kcd classic")
    assert text.startswith("kcd and classic differ.\n\ngoal:\n  kcd: The goal is 4,000 points.")
    assert "hot-dice:" not in text
    assert (await chat.answer("/rules diff kcd classic")).data["options"] == [
        {"option": "goal", "a": 4000, "b": 10000}
    ]
    assert await chat.say("/rules diff kcd KCD") == "kcd and kcd play the same."


async def test_names_of_several_words_are_found(chat: Chat) -> None:
    await chat.first(NEW)
    for line in ("/rules diff my sunday kcd", "/rules diff My Sunday kcd"):
        assert (await chat.say(line)).startswith("my sunday and kcd differ.\n\ndice:\n")
    data = (await chat.answer("/rules diff kcd my sunday")).data
    assert [data["a"]["rules"], data["b"]["rules"]] == ["kcd", "my sunday"]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/rules diff", "/rules diff takes two names, as in /rules diff facebook sunday"),
        ("/rules diff kcd", "/rules diff takes two names"),
        ("/rules diff kcd classic patch", "/rules diff takes two names"),
        ("/rules diff kcd clasic", 'Unknown rule set "clasic"; did you mean classic?'),
        ("/compare", "/compare takes rule sets, as in /compare kcd classic"),
        ("/compare nobody", 'Unknown rule set "nobody"'),
        ("/compare kcd vary:goal", "Vary takes an option and its values"),
        ("/compare kcd vary:goal=9..1", "A range goes up"),
        ("/compare kcd careless:asleep", 'careless: takes cautious or greedy, not "asleep"'),
        (
            "/compare kcd vary:goal=1000..2000:50",
            "At most 20 rule sets are compared at a time here",
        ),
        ("/compare dice-10000 vary:goal=10000..20000:1000", "comparison: this would take about"),
    ],
)
async def test_what_cannot_be_told_apart_gets_one_sentence(
    chat: Chat, line: str, sentence: str
) -> None:
    reply = await chat.answer(line)
    assert sentence in reply.text
    assert reply.data == {"error": reply.text}


async def test_rule_sets_are_found_by_what_they_say(chat: Chat) -> None:
    reply = await chat.answer("/rules find three pairs 750")
    assert [one["rules"] for one in reply.data][:2] == ["bupkis", "facebook"]
    assert reply.text.splitlines()[1] == (
        "  facebook      Facebook: bank from 300, three farkles cost 500"
    )
    assert (await chat.answer("/rules find three-pairs:750")).data == reply.data
    assert await chat.say("/rules find welfare") == 'No rule set says "welfare".'
    await chat.first(NEW)
    found = (await chat.answer("/rules find my sunday")).data
    assert [one["rules"] for one in found] == ["my sunday"]


@pytest.mark.slow
async def test_rule_sets_that_are_like_others_are_told(chat: Chat) -> None:
    reply = await chat.answer("/rules like base:kcd goal:2000")
    assert reply.text.startswith(
        "Most like these rules:\n\nkcd: Kingdom Come: Deliverance, to 4,000"
    )
    assert reply.data[0]["options"] == [{"option": "goal", "a": 2000, "b": 4000}]
    await chat.first(NEW)
    assert (await chat.answer("/rules like kcd")).data[0]["rules"] == "my sunday"
    assert (await chat.say("/rules like")).startswith("Most like facebook:\n")
    assert "did you mean kcd?" in await chat.say("/rules like kdc")
    assert "/rules like takes a name" in await chat.say("/rules like kcd goal:2000")


@pytest.fixture
async def small(tiny: Solution, kernels: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    """A chat beside which is a file of rules that are solved."""
    save_strategy(tiny, tmp_path / "strategies")
    (tmp_path / "kernels").symlink_to(kernels)
    rules_file(tmp_path / "tiny.toml")
    async with open_chat(tmp_path) as opened:
        yield opened


@pytest.mark.slow
async def test_rule_sets_are_compared(small: Chat, tmp_path: Path) -> None:
    before = sorted((tmp_path / "strategies").iterdir())
    *waits, reply = await small.all(f"/compare {tmp_path}/tiny.toml vary:goal=450,500")
    assert all("seconds" in one.data for one in waits)
    first, second = reply.data
    assert [one["value"] for one in reply.data] == ["450", "500"]
    rules = variant("facebook", dice=3, goal=500, score_floor=-500, minimum_bank=100)
    assert second["digest"] == rules.digest
    assert 0.5 < second["first_player"] < first["first_player"] < 0.8
    assert first["optimal"]["turns"]["value"] < second["optimal"]["turns"]["value"]
    lines = reply.text.splitlines()
    assert lines[0] == "Best play by both, in 2,000 games each:"
    assert [line.split()[0] for line in lines[1:4]] == ["goal", "450", "500"]
    # rules of a sweep leave nothing behind
    assert sorted((tmp_path / "strategies").iterdir()) == before
    card = reply.card()
    assert [one.content[:4] for one in card.attachments] == [b"\x89PNG"]
    assert "first: " not in card.text
    [button] = card.buttons
    assert read_press(button.id) == NotesPress("compare")


@pytest.mark.slow
async def test_rule_sets_are_compared_in_a_worker_and_kept(
    tiny: Solution, kernels: Path, tmp_path: Path
) -> None:
    (tmp_path / "kernels").symlink_to(kernels)
    path = rules_file(tmp_path / "tiny.toml")
    async with open_chat(tmp_path, workers=1) as chat:
        found = (await chat.all(f"/compare {path}"))[-1].data
    assert found[0]["digest"] == tiny.rules.digest
    assert list((tmp_path / "strategies").glob("*.solved"))
    assert load_rules(str(path)).digest == tiny.rules.digest
