"""Games to which players bring their dice: played, tracked, advised and looked back on."""

import json
from collections.abc import AsyncIterator
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from bot.services import tables
from bot.services.chances import Oracle
from bot.table.fair_dice import Proof, verify_proof
from bot.tasks.tasks import Delay
from solver.play.memo import MemoGoForIt
from solver.play.policies import LEVELS
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import Chat, open_chat
from tests.conftest import only_with_every

DICE = "my-dice:lucky*3,odd,devil*2 my-badge:carpenter:150 their-dice:weighted*2,ordinary*4"
GOAL = "goal:600"
THREE, OTHER = "lucky*3,odd*3", "weighted*2,ordinary*4"


@pytest.fixture
def chat(solving_chat: Chat) -> Chat:
    """A chat in which nothing is solved yet."""
    return solving_chat


async def data_of(chat: Chat, line: str) -> Any:
    """The data of the last reply to a line."""
    return (await chat.all(line))[-1].data


async def played(chat: Chat, begin: str) -> list[dict[str, Any]]:
    """A game in which people do what the hint says is best, or worst; every table on the way."""
    tables = [await data_of(chat, begin)]
    for move in range(200):
        table = tables[-1]
        if (who := table["to_move"]) is None:
            return tables
        if table["roll"] is None:
            line = f"{who}: /roll"
        else:
            options = (await data_of(chat, f"{who}: /hint"))["options"]
            one = options[-1 if move % 3 == 2 else 0]
            then = "roll" if one["action"] == "roll" else "bank"
            line = f"{who}: /keep {one['set_aside']} {then}"
        tables.append(await data_of(chat, line))
    raise AssertionError("the game does not end")


async def test_a_game_between_two_people(chat: Chat, tmp_path: Path) -> None:
    first = await chat.answer(f"ann: /play @bob {DICE} {GOAL}")
    said = " ".join(first.text.split())
    assert "ann has lucky*3,devil*2,odd + carpenter:150; bob has ordinary*4,weighted*2." in said
    assert "Jokers: no source says how they score" in said
    assert "kcd rules, to 600" in said
    assert "/join" not in said
    win = (await data_of(chat, f"ann: /kcd {DICE} {GOAL}"))["win_probability"]
    assert [one["win_probability"] for one in first.data["players"]] == [win, 1 - win]
    await chat.say("ann: /end")
    tables = await played(chat, f"ann: /play @bob {DICE} {GOAL}")
    assert {one["dice"] for one in tables} >= {6}
    assert [one["set"] for one in tables[-1]["players"]] == [
        "lucky*3,devil*2,odd",
        "ordinary*4,weighted*2",
    ]
    assert verify_proof(Proof.model_validate_json(await chat.say("ann: /proof"))).holds
    thrown = await data_of(chat, "ann: /dice")
    assert thrown["dice"] == 0, "they are no fair ones"
    rolls = [one for table in tables for one in table.get("events", ()) if one["kind"] == "rolled"]
    assert sum(one["dice"] for one in thrown["loaded"]) == sum(len(one["dice"]) for one in rolls)
    faces = {one["die"]: one["counts"] for one in thrown["loaded"]}
    assert (
        {"lucky", "odd", "devil"} <= set(faces) <= {"lucky", "odd", "devil", "weighted", "ordinary"}
    )
    assert "in brackets the share to expect from the weights" in " ".join(
        (await chat.say("ann: /dice")).split()
    )
    async with open_chat(tmp_path) as other:
        text = await other.say("ann: /review")
        assert "Without the luck of the dice" in text


@pytest.mark.slow
async def test_luck_and_errors_add_up_to_the_result(chat: Chat) -> None:
    for _ in range(5):
        await played(chat, f"ann: /play @bob {DICE} {GOAL}")
        review = await data_of(chat, "ann: /review")
        gains = [one["gain"] if one["seat"] == 0 else -one["gain"] for one in review["moments"]]
        result = review["result"][0] - review["start"][0]
        assert fsum(gains) == pytest.approx(result, abs=1e-9)
        assert all(one["kind"] in {"roll", "decision"} for one in review["moments"])
        decisions = [one["judgement"] for one in review["moments"] if one["kind"] == "decision"]
        assert all(isinstance(one["roll"], str) and one["loss"] >= 0 for one in decisions)


@pytest.mark.parametrize(
    "options",
    [
        "goal:500 farkle-penalty:2x200",
        *(
            pytest.param(one, marks=only_with_every)
            for one in (
                "goal:500 ending:final-turn ties:played-on",
                "goal:500 ending:equal-turns ties:played-on",
                "goal:500 opening-minimum:300",
                "goal:500 farkle-keeps-turn-total:yes",
            )
        ),
        "goal:500 hot-dice:no-bank hot-dice-bonus:50,100",
        "goal:500 instant-win:xxxx lose-everything:2222",
    ],
)
@pytest.mark.slow
async def test_luck_and_errors_add_up_under_every_option(chat: Chat, options: str) -> None:
    """Which says that turns, their ends and the values between them fit each other."""
    made = await chat.say(f"ann: /rules new own base:kcd {options}")
    assert "own" in made
    for _ in range(3):
        await played(chat, f"ann: /play @bob my-dice:{THREE} their-dice:{OTHER} rules:own")
        review = await data_of(chat, "ann: /review")
        gains = [one["gain"] if one["seat"] == 0 else -one["gain"] for one in review["moments"]]
        result = review["result"][0] - review["start"][0]
        assert fsum(gains) == pytest.approx(result, abs=1e-8)


@pytest.mark.slow
async def test_what_a_game_advises_equals_what_is_advised_on_these_dice(chat: Chat) -> None:
    """In tracked games, where the rolls are known; of both players, in the middle of turns too."""
    await chat.say(f"ann: /track @bob {DICE} {GOAL}")
    rolls = ["5 5 2 lucky, 2 odd, J 3", "6 6 4 2 ordinary, 2 3 weighted", "5 1 2 lucky, 5 odd, 2 2"]
    mine, theirs = "lucky*3,odd,devil*2", "weighted*2,ordinary*4"
    for roll in rolls:
        table = await data_of(chat, "ann: /show")
        me, them = (one["score"] for one in table["players"])
        sets = f"my-dice:{mine} my-badge:carpenter:150 their-dice:{theirs}"
        if table["to_move"] == "bob":
            me, them = them, me
            sets = f"my-dice:{theirs} their-badge:carpenter:150 their-dice:{mine}"
        asked = f"{sets} {GOAL} me:{me} them:{them}"
        before = await data_of(chat, "ann: /odds")
        assert before == await data_of(chat, f"eve: /odds {asked}")
        here = await data_of(chat, f"ann: /advise {roll}")
        assert here == await data_of(chat, f"eve: /advise {roll} {asked}")
        fell = await data_of(chat, f"ann: /roll {roll}")
        if not here["options"]:
            continue
        assert fell["roll"] == here["roll"]
        assert await data_of(chat, "ann: /hint") == here
        assert (await chat.say("ann: /hint")).count("Jokers:") == 1
        best = here["options"][0]
        after = await data_of(chat, f"ann: /keep {best['set_aside']}")
        assert after["turn_total"] == best["turn_total"]
        now = await data_of(chat, "ann: /odds")
        turn = f"turn:{best['turn_total']} dice:{best['dice_left']}"
        assert now == await data_of(chat, f"eve: /odds {asked} {turn}")
        if now["bank"] is None:
            break
        await chat.say("ann: /bank")


@pytest.mark.mostly_slow(9)
@pytest.mark.parametrize("level", sorted(set(LEVELS) - {MemoGoForIt.name}))
async def test_bots_take_any_set(chat: Chat, level: str) -> None:
    tables = await played(chat, f"ann: /play level:{level} {DICE} {GOAL}")
    assert tables[-1]["players"][1]["level"] == level
    kept = [one for table in tables for one in table.get("events", ()) if one["kind"] == "kept"]
    assert kept
    assert verify_proof(Proof.model_validate_json(await chat.say("ann: /proof"))).holds


async def test_a_bot_named_plainly_is_the_best_there_is(chat: Chat) -> None:
    assert "ann, Optimal bot;" in await chat.say(f"ann: /play bot {DICE} {GOAL}")


@pytest.mark.slow
async def test_a_match_followed_die_by_die(chat: Chat) -> None:
    said = await chat.say(f"ann: /track @bob {DICE} {GOAL}")
    assert "New game with real dice: ann, bob; kcd rules" in said
    for line, sentence in [
        ("ann: /roll 5 lucky, 1 odd", "Now ann rolls 6 dice, lucky*3,devil*2,odd, not 2."),
        ("ann: /roll 1 1 2 3 4 6", "Which die shows the 6: lucky, devil or odd?"),
        ("ann: /roll J J 5 5 5 J odd", "Odd has no J"),
        ("ann: /roll 5 4 2 lucky, 3 odd, 2 3", "3 devil, 5 (150); 3 odd, 5 (150); 5 (50)."),
        ("ann: /keep 5 3", "Which die shows the 3: devil or odd? Name it, as in 3 devil."),
        ("ann: /keep 4", "cannot be kept under kcd rules: from 5 4 2 lucky, 3 odd, 3 2 you can"),
        ("ann: /keep 6", "These dice are not all in the roll: 5 4 2 lucky, 3 odd, 3 2."),
        ("ann: /explain", "When to bank, for the dice that are most often left to roll:"),
        ("ann: /explore", "Steps from here, each typed after /explore my-dice:lucky*3,devil*2,odd"),
        ("ann: /show", "rolled 5 4 2 lucky, 3 odd, 3 2"),
        ("ann: /keep 5, 3 odd", "ann keeps (3 odd, 5) for 150: turn total 150, 4 dice to roll."),
        ("ann: /undo", "Taken back: what ann kept."),
        ("ann: /keep 5, 3 devil bank", "ann banks 150 and now has 150."),
        ("bob: /score farkle", "bob farkles; the score stays 0."),
        ("ann: /score 200", "ann banks 200 and now has 350."),
        ("bob: /roll 6 4 3 3 ordinary, 6 2", "bob rolls 6 4 3 3 ordinary, 6 2: a farkle"),
        ("ann: /score 30", "no turn can come to 30 points"),
        ("ann: /score 250", "ann wins: ann 600, bob 0."),
        ("ann: /review", "turns without rolls, %"),
        ("ann: /proof", "that game was played with real dice"),
    ]:
        text = " ".join((await chat.say(line)).split())
        assert sentence.lower() in text.lower(), (line, text)


async def test_a_pair_that_was_removed_is_solved_again(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("no farkle"))
    await chat.say(f"ann: /play @bob {DICE} {GOAL}")
    [path] = (tmp_path / "matchups").glob("*.solved")
    async with open_chat(tmp_path) as other:
        path.unlink()
        assert "Win probability" not in await other.say("ann: /roll")
        assert "farkle chance" in await other.say("ann: /hint")
        assert path.is_file()
        assert "%" in await other.say("ann: /show")


@pytest.mark.slow
async def test_an_explanation_has_the_numbers_of_the_hint(chat: Chat) -> None:
    """In a picture that is drawn of the dice that are left most often, and of those of now."""
    await chat.say(f"ann: /track @bob {DICE} goal:1000")
    for line in ("/show", "/roll 6 5 lucky, 3 odd, 2 2 devil, 2 lucky", "/keep 5"):
        await chat.say(f"ann: {line}")
        found = (await chat.answer("ann: /explain")).subject
        hint = (await chat.answer("ann: /hint")).subject
        position, turn = hint.odds.position, found.turn
        row, column = position.turn_total // 50, turn.columns.index(position.dice)
        assert found.named == hint.odds.brought.mine
        assert turn.columns[-1] == found.named.dice_set.whole
        assert turn.roll[row, column] == hint.odds.roll
        if hint.odds.bank is not None:
            assert turn.bank[row, column] == hint.odds.bank
        assert found.picture.startswith(b"\x89PNG")
        assert turn.reachable[row, column]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/play @bob @carl my-dice:lucky*6 my-badge:emperor", "badges work only with two players"),
        ("/play @bob @carl @dora their-dice:odd*6/lucky*6", "dice for 2 players, but 3 play"),
        (
            "/play @bob @carl my-dice:lucky*6 rules:facebook",
            "does not work yet at a table of more than two",
        ),
        ("/kcd my-dice:lucky*6 their-dice:odd*6/lucky*6", "take those of several"),
        ("/play @bob my-dice:lucky*3", "if the others are ordinary, write lucky*3,ordinary*3"),
        ("/play @bob my-dice:luky*6", "there is no die called"),
        ("/play @bob my-dice:lucky*6 my-badge:gold-warlord:2", "the uses left are 0 to 1, not 2"),
        ("/play @bob my-badge:emperor", "goes with my-dice or their-dice"),
        ("/play level:memo-go-for-it my-dice:lucky*6", "is not worked out for these rules yet"),
        ("/play @bob my-dice:lucky*6 rules:facebook", "this would take about"),
        (
            "/play @bob my-dice:lucky*6 my-badge:headstart:600 goal:600",
            "below the goal of 600, not 600",
        ),
        ("/play @bob my-dice:lucky*6 my-badge:emperor their-badge:carpenter:150", "same tier"),
    ],
)
async def test_refusals(chat: Chat, line: str, sentence: str) -> None:
    text = " ".join((await chat.say(f"ann: {line}")).split())
    assert sentence.lower() in text.lower()
    assert await chat.say("ann: /games") == await chat.say("bob: /games")
    assert "No game is open here" in await chat.say("ann: /games")


async def test_the_second_seat_has_the_dice_that_were_named(chat: Chat) -> None:
    first = await chat.say(f"ann: /play {DICE} {GOAL} hints:no")
    assert "who joins has ordinary*4,weighted*2." in " ".join(first.split())
    assert "Win probability" in await chat.say("bob: /join")
    assert "is for two" in await chat.say("carl: /join")
    assert "the host has forbidden hints" in (await chat.say("ann: /hint")).lower()
    table = await data_of(chat, "ann: /show")
    assert json.dumps(table)
    assert table["players"][0]["badge"] == "carpenter:150"


@pytest.mark.slow
async def test_who_joins_brings_dice_too(chat: Chat, tmp_path: Path) -> None:
    await chat.say(f"ann: /play my-dice:lucky*3,odd,devil*2 my-badge:carpenter:150 {GOAL}")
    for line, sentence in [
        ("bob: /join my-badge:emperor", "both badges have to be of the same tier"),
        ("bob: /join my-dice:lucky*7", "a set is 6 dice, not 7"),
        (
            "bob: /join my-dice:weighted*2,ordinary*4",
            "bob joins and has ordinary*4,weighted*2.",
        ),
        ("carl: /join my-dice:lucky*6", "is for two"),
    ]:
        text = " ".join((await chat.say(line)).split())
        assert sentence.lower() in text.lower()
    joined = await data_of(chat, "ann: /show")
    await chat.say("ann: /end")
    named = await data_of(chat, f"ann: /play @bob {DICE} {GOAL}")
    wins = [[one["win_probability"] for one in table["players"]] for table in (joined, named)]
    assert wins[0] == wins[1]
    await chat.say("ann: /end")
    await chat.say("ann: /play rules:kcd")
    assert "In this game everybody rolls the same dice" in await chat.say(
        "bob: /join my-dice:lucky*6"
    )
    async with open_chat(tmp_path) as other:
        assert "No game" not in await other.say("ann: /games"), "the games before are read again"


@pytest.mark.slow
async def test_playing_on_after_a_join_is_reviewed_with_the_dice_that_were_thrown(
    chat: Chat,
) -> None:
    await chat.say(f"ann: /play my-dice:lucky*3,odd,devil*2 my-badge:carpenter:150 {GOAL}")
    await played(chat, "bob: /join my-dice:weighted*2,ordinary*4")
    review = await data_of(chat, "ann: /review")
    start = (await data_of(chat, f"ann: /kcd {DICE} {GOAL}"))["win_probability"]
    assert review["start"][0] == start
    assert verify_proof(Proof.model_validate_json(await chat.say("ann: /proof"))).holds


async def test_dice_are_taken_in_turn(chat: Chat) -> None:
    begun = await chat.answer(f"ann: /play @bob draft:choose {GOAL}")
    assert "Laid out, two of each:" in begun.text
    table = begun.data
    takers: list[str] = []
    assert len(set(table["pool"])) == 8
    for line, sentence in [
        ("ann: /roll", "the dice are still being taken: /pick takes a pair of"),
        ("ann: /hint", "the dice are still being taken"),
        ("bob: /pick lucky", "it is ann's turn, not yours"),
        ("ann: /pick", "say which pair to take:"),
        ("ann: /pick alfonse", "that pair is not among those that are left:"),
        ("carl: /join", "is for two"),
    ]:
        assert sentence in (await chat.say(line)).lower(), line
    assert "Win probability" not in begun.text
    assert (await data_of(chat, "ann: /end"))["stage"] == "over"
    assert "not all dice were taken" in await chat.say("ann: /review")
    table = await data_of(chat, f"ann: /play @bob draft:choose {GOAL}")
    taken: dict[str, list[str]] = {"ann": [], "bob": []}
    while "pool" in table:
        who, die = table["to_move"], table["pool"][len(takers) % len(table["pool"])]
        takers.append(who)
        taken[who].append(die)
        [reply] = await chat.all(f"{who}: /pick {die}")
        table = reply.data
    assert takers == ["ann", "bob", "bob", "ann", "ann", "bob"]
    for player in table["players"]:
        assert sorted(player["set"].split(",")) == sorted(f"{d}*2" for d in taken[player["name"]])
    assert "Win probability" in reply.text
    assert "no dice are laid out" in (await chat.say("ann: /pick lucky")).lower()
    assert (await data_of(chat, "ann: /roll"))["version"] == table["version"] + 1
    loaded = (await data_of(chat, "ann: /dice"))["loaded"]
    assert sum(one["dice"] for one in loaded) == 6
    assert {one["die"] for one in loaded} == set(taken["ann"])
    assert "No game" not in await chat.say("ann: /games"), "it is not set aside"


async def test_a_bot_takes_dice_too_and_the_game_is_played_to_its_end(chat: Chat) -> None:
    table = await data_of(chat, f"ann: /play level:optimal draft:choose {GOAL}")
    while "pool" in table:
        assert table["to_move"] == "ann"
        table = await data_of(chat, f"ann: /pick {table['pool'][0]}")
    await played(chat, "ann: /show")
    assert verify_proof(Proof.model_validate_json(await chat.say("ann: /proof"))).holds
    assert "decisions" in await chat.say("ann: /review")


async def test_dice_are_dealt(chat: Chat) -> None:
    table = await data_of(chat, f"ann: /play @bob draft:deal {GOAL}")
    sets = [player["set"].split(",") for player in table["players"]]
    assert len({die for one in sets for die in one}) == 6
    assert all(die.endswith("*2") for one in sets for die in one)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/play @bob draft:luck", 'draft: takes deal or choose, not "luck"'),
        ("/play @bob draft:deal my-dice:lucky*6", "hands out the dice to both players"),
        ("/play @bob draft:choose rules:facebook", "this would take about"),
        ("/play @bob @carl draft:choose", "is for two"),
        ("/play @bob @carl draft:deal", "is for two"),
        ("/play level:memo-go-for-it draft:choose", "is not worked out for these rules yet"),
        ("/track @bob draft:deal", 'takes no option "draft"'),
    ],
)
async def test_drafts_that_there_are_not(chat: Chat, line: str, sentence: str) -> None:
    assert sentence in " ".join((await chat.say(f"ann: {line}")).split())
    assert "No game is open here" in await chat.say("ann: /games")


async def test_what_is_wrong_is_said_before_dice_are_solved(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ready(*_: object) -> AsyncIterator[Delay]:
        raise AssertionError("dice are solved")
        yield  # which makes it a stream

    monkeypatch.setattr(Oracle, "ready", ready)
    assert "away: takes" in await chat.say(f"ann: /play @bob {DICE} {GOAL} away:1")
