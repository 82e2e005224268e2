"""Games as people play them in the chat: who may do what and when, and what is left afterwards."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Reply
from bot.fronts.lines import spoken_by
from bot.languages import language
from bot.services.tables import Caller, Person, Tables
from bot.store.rows import SeatRow
from bot.table import commands, fair_dice
from bot.table.events import Replaced, Rolled, Setup
from bot.table.fair_dice import Proof
from bot.table.state import Game
from bot.views.table_card import table_card
from solver.errors import MissingStrategyError
from solver.rules.file import load_rules
from solver.wording import speak
from tests.bot.clock import Clock
from tests.bot.speaking import Chat, open_chat


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Chat]:
    """A chat in which nothing is solved."""
    async with open_chat(tmp_path) as opened:
        yield opened


def fall(monkeypatch: pytest.MonkeyPatch, *rolls: str) -> None:
    """The dice that are to fall, roll by roll."""
    left = [tuple(map(int, roll)) for roll in rolls]

    async def rolled(_: Tables, game: Game, seat: int) -> list[Rolled]:
        commands.check_roll(game, seat)
        return commands.roll(game, seat, left.pop(0))

    monkeypatch.setattr(Tables, "rolled", rolled)


async def said(chat: Chat, lines: Iterable[str]) -> list[Reply]:
    return [reply for line in lines for reply in await chat.all(line)]


async def shown(chat: Chat) -> dict[str, Any]:
    found: dict[str, Any] = (await chat.answer("ann: /show")).data
    return found


async def refused(chat: Chat, line: str, sentence: str) -> None:
    """One private sentence, and the table as before."""
    before = (await chat.answer("ann: /games")).data
    reply = await chat.answer(line)
    assert sentence in reply.text
    assert reply.private
    assert reply.data == {"error": reply.text}
    assert "\n" not in reply.text
    assert (await chat.answer("ann: /games")).data == before


def scores(table: dict[str, Any]) -> dict[str, int]:
    return {player["name"]: player["score"] for player in table["players"]}


# ---- Sitting down ----------------------------------------------------------------------------


async def test_people_sit_down_until_the_first_roll(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "122346")
    await table.say("ann: /play rules:classic")
    await refused(table, "ann: /roll", "A game needs two players: somebody has to join first")
    await refused(table, "ann: /join", "You are already at this table")
    await table.say("bob: /join")
    await table.say("carl: /join level:greedy")
    await table.say("dora: /join level:greedy")
    found = await shown(table)
    assert list(scores(found)) == ["ann", "bob", "greedy bot", "greedy bot 2"]
    await table.say("ann: /roll")
    await refused(table, "carl: /join", "The game has begun")
    await refused(table, "carl: /join level:cautious", "The game has begun")


async def test_at_most_eight_sit_down(table: Chat) -> None:
    names = " ".join(f"@p{number}" for number in range(2, 9))
    await table.say(f"p1: /play {names} rules:classic")
    await refused(table, "p9: /join", "9 players are too many: 8 is the most")
    await table.say("p1: /end")
    reply = await table.answer(f"p1: /play {names} @p9 rules:classic")
    assert "9 players are too many" in reply.text


async def test_one_seat_each_and_one_game_at_a_time(table: Chat) -> None:
    await refused(table, "ann: /play @Ann", "Each player can take only one seat")
    await refused(table, "ann: /play @bob @BOB", "Each player can take only one seat")
    await table.say("ann: /play @bob rules:classic")
    for line in ("carl: /play @dora", "ann: /track @bob", "bob: /play level:greedy"):
        reply = await table.answer(line)
        assert reply.private
        assert "error" in reply.data
    await table.say("ann: /end")
    assert (await table.answer("carl: /play @dora rules:classic")).data["version"] == 1


async def test_the_goal_may_be_another(table: Chat) -> None:
    assert "to 500." in await table.say("ann: /play @bob rules:classic goal:500")
    await table.say("ann: /end")
    await refused(table, "ann: /play @bob rules:classic goal:525", "The goal cannot be 525")
    await refused(table, "ann: /play @bob rules:classic goal:0", "The goal cannot be 0")


# ---- Turns -----------------------------------------------------------------------------------


async def test_turns_go_round_and_others_are_refused(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "153346", "222346", "346", "555246")
    await table.say("ann: /play @bob @carl rules:classic")
    await refused(table, "bob: /roll", "It is ann's turn, not yours")
    await refused(table, "dora: /roll", "You do not play in this game, only ann, bob, carl")
    await refused(table, "ann: /bank", "There is nothing to bank yet")
    await refused(table, "ann: /keep 1", "There is no roll to keep dice from")
    await refused(table, "ann: /roll 123456", "The program rolls the dice")
    await table.say("ann: /roll")
    await refused(table, "ann: /roll", "Set dice aside first")
    await refused(table, "bob: /keep 1", "It is ann's turn, not yours")
    await refused(table, "ann: /keep 3", "3 cannot be kept under classic rules")
    await refused(table, "ann: /keep 11", "1 1 is not among the dice of the roll")
    await refused(table, "ann: /keep bank", "")
    await table.say("ann: /keep 51 bank")
    assert scores(await shown(table)) == {"ann": 150, "bob": 0, "carl": 0}
    await table.say("bob: /roll")
    await table.say("bob: /keep 222 roll")  # 3 4 6: nothing scores
    found = await shown(table)
    assert (found["to_move"], found["turn_total"], found["dice"]) == ("carl", 0, 6)
    await table.say("carl: /roll")
    await table.say("carl: /keep 555 bank")
    found = await shown(table)
    assert scores(found) == {"ann": 150, "bob": 0, "carl": 500}
    assert found["to_move"] == "ann"


async def test_keep_and_bank_in_one_line_is_all_or_nothing(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "153346", "1246")
    await table.say("ann: /play @bob rules:facebook goal:3000")
    await table.say("ann: /roll")
    await refused(table, "ann: /keep 51 bank", "150 points cannot be banked yet: it takes at least")
    assert (await shown(table))["roll"] is not None
    await table.say("ann: /KEEP 5,1 ROLL")
    assert (await shown(table))["turn_total"] == 150


async def test_undo_goes_back_to_the_last_roll_and_no_further(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "155346", "222346")
    await table.say("ann: /play @bob rules:classic")
    await refused(table, "ann: /undo", "There is nothing to take back")
    await table.say("ann: /roll")
    await refused(table, "ann: /undo", "There is nothing to take back")
    await table.say("ann: /keep 5 bank")
    await refused(table, "bob: /undo", "Only the player who made the last move can take it back")
    await table.say("ann: /undo")
    found = await shown(table)
    assert (found["to_move"], found["turn_total"], found["dice"]) == ("ann", 50, 5)
    assert scores(found)["ann"] == 0
    await table.say("ann: /undo")
    assert (await shown(table))["roll"] is not None
    await refused(table, "ann: /undo", "There is nothing to take back")
    await table.say("ann: /keep 551 bank")
    assert scores(await shown(table))["ann"] == 200
    await table.say("bob: /roll")
    await refused(table, "ann: /undo", "There is nothing to take back")


async def test_a_game_to_its_end(table: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    fall(monkeypatch, "111234", "555246", "223346", "112346")
    await table.say("ann: /play @bob rules:arnold goal:1000")
    await said(table, ["ann: /roll"])
    text = await table.say("ann: /keep 111 bank")
    assert "one last turn" in text
    assert "Last turn for bob" in text
    await table.say("bob: /roll")
    reply = await table.answer("bob: /keep 555 bank")
    assert "ann wins: ann 1,000, bob 500." in reply.text
    assert [player["share"] for player in reply.data["players"]] == [1, 0]
    assert [player["win_probability"] for player in reply.data["players"]] == [1, 0]
    assert reply.data["to_move"] is None
    await refused(table, "ann: /roll", "No game is open here")
    await refused(table, "bob: /undo", "No game is open here")


async def test_bots_play_at_once(table: Chat) -> None:
    replies = await table.all("ann: /play @greedy @cautious rules:classic")
    assert replies[-1].data["to_move"] == "ann"
    while (await shown(table))["to_move"] == "ann":
        replies = await table.all("ann: /roll")
        if replies[-1].data["roll"]:
            best = replies[-1].data["roll"]
            dice = next(die for die in (*best, 0) if die in {1, 5} or best.count(die) >= 3)
            number = best.count(dice) if dice not in {1, 5} else 1
            kept = "".join([str(dice)] * min(number, 3))
            replies = await table.all(f"ann: /keep {kept} bank")
            break
        break
    assert replies[-1].data["to_move"] == "ann"
    assert len(replies) > 2
    await refused(table, "ann: /undo", "")


# ---- Real dice -------------------------------------------------------------------------------


async def test_scores_of_real_dice(table: Chat) -> None:
    await table.say("ann: /track @bob rules:classic")
    await table.say("bob: /score ann 500")
    await table.say("bob: /score bob 350")
    await refused(table, "bob: /score bob 350", "It is ann's turn, not bob's")
    await refused(table, "bob: /score carl 350", '"carl" does not play here')
    await refused(table, "ann: /score", "Give the points of the turn")
    await refused(table, "ann: /score many", "Give the points of the turn")
    await refused(table, "ann: /score 0", "No turn can come to 0 points")
    await refused(table, "ann: /score -50", "No turn can come to -50 points")
    await refused(table, "ann: /score 9999999", "No turn can come to 9,999,999 points")
    await refused(table, "ann: /roll", "Say what you rolled")
    await refused(table, "ann: /roll 12345", "6 dice have to be rolled now, not 5")
    await refused(table, "ann: /replace", "")
    await refused(table, "ann: /seed mine", "This game has real dice")
    await refused(table, "ann: /score win", "No roll wins at once")
    await table.say("ann: /score farkle")
    assert scores(await shown(table)) == {"ann": 500, "bob": 350}
    await table.say("ann: /undo")
    await table.say("bob: /undo")
    assert scores(await shown(table)) == {"ann": 500, "bob": 0}
    await table.say("ann: /roll 1 1 2 3 4 6")  # for bob, whose turn it is again
    await refused(table, "ann: /score bob 300", "This turn is being entered roll by roll")
    await table.say("ann: /keep 11 bank")
    assert scores(await shown(table)) == {"ann": 500, "bob": 200}


async def test_who_keeps_the_score_need_not_play(table: Chat) -> None:
    """Then everybody here may do so, as nobody knows who holds the pencil."""
    await refused(table, "eve: /track me:no", "Say who plays, as in /track @bob @carl me:no.")
    begun = await table.say("eve: /track @ann @bob rules:classic me:no")
    assert "New game with real dice: ann, bob" in begun
    stranger = replace(spoken_by("eve: /score 500")[0], manages=False)
    assert "ann banks 500" in await by(table, stranger, "/score 500")
    assert "bob farkles" in await by(table, stranger, "/score farkle")
    assert scores(await shown(table)) == {"ann": 500, "bob": 0}
    assert "ann" in await by(table, stranger, "/undo")
    assert "You do not play in this game" in await by(table, stranger, "/resign")
    assert "ended without a result" in await by(table, stranger, "/end")
    # one that is played is kept by its players
    await table.say("ann: /track @bob rules:classic")
    assert "Only those who play" in await by(table, stranger, "/score 500")


async def by(table: Chat, caller: Caller, line: str) -> str:
    return "\n".join([reply.text async for reply in table.commands.answer(line, caller)])


async def test_points_without_a_name_are_of_who_tells_them(table: Chat) -> None:
    """Who plays and is not to move may have meant either: nothing is written."""
    await table.say("ann: /track @bob rules:facebook")
    told = "It is ann's turn: /score ann {} counts for ann, /fix next:bob makes it your turn"
    await refused(table, "bob: /score 500", told.format("500"))
    await refused(table, "bob: /score farkle", told.format("farkle"))
    assert scores(await shown(table)) == {"ann": 0, "bob": 0}
    # either way that it names is taken
    await table.say("bob: /score ann 500")
    await table.say("bob: /score 300")
    await table.say("bob: /fix next:bob")
    await table.say("bob: /score 300")
    assert scores(await shown(table)) == {"ann": 500, "bob": 600}
    # who keeps the score for others and does not play means who is to move
    await table.say("carl: /score 350")
    await table.say("carl: /score farkle")
    assert scores(await shown(table)) == {"ann": 850, "bob": 600}
    speak(language("de"))
    german = "Am Zug ist ann: /score ann 50 zählt für ann, mit /fix next:bob bist du am Zug"
    await refused(table, "bob: /score 50", german)


async def test_who_has_resigned_may_still_keep_the_score(table: Chat) -> None:
    await table.say("ann: /track @bob @carl rules:facebook")
    await table.say("ann: /resign sure:yes")
    await table.say("ann: /score 500")
    assert scores(await shown(table)) == {"ann": 0, "bob": 500, "carl": 0}


async def test_points_that_no_turn_can_come_to(table: Chat) -> None:
    await table.say("ann: /track @bob rules:classic")
    await refused(table, "ann: /score 125", "No turn can come to 125 points")


async def test_who_has_sat_down_stays(table: Chat) -> None:
    await table.say("ann: /track rules:classic")
    await table.say("bob: /join")
    await refused(table, "ann: /undo", "There is nothing to take back")
    assert list(scores(await shown(table))) == ["ann", "bob"]


async def test_a_correction_says_what_it_changed_and_how_things_are(table: Chat) -> None:
    """What was there before, the odds and whose turn it is, also where it is taken back."""
    for line in ("ann: /track @bob rules:facebook", "ann: /score 500", "bob: /score 1000"):
        await table.say(line)
    for line, told in [
        ("ann: /fix bob 100", "Corrected: bob 1,000 -> 100.\n"),
        ("ann: /undo", "Taken back: the correction, bob 100 -> 1,000. "),
        ("ann: /fix 100 bob", "Corrected: bob 1,000 -> 100.\n"),
        ("ann: /fix bob farkles:2", "Corrected: bob 100, farkles in a row 0 -> 2.\n"),
        ("ann: /fix bob 100", "Corrected: bob 100, 2 farkles in a row.\n"),
        ("ann: /fix next:bob", "Corrected: it is bob's turn.\n"),
        ("ann: /undo", "Taken back: that it was bob's turn. "),
    ]:
        [reply] = await table.all(line)
        assert reply.text.startswith(told)
        assert "in probability: ann " in reply.text
        assert reply.text.splitlines()[-1].startswith(f"{reply.data['to_move']} is to move: ")
    await table.say("ann: /roll 1 5 2 2 3 4")
    told = await table.say("ann: /fix bob 1000")
    assert "in probability: ann " in told
    assert told.endswith("\nann: rolled 5 4 3 2 2 1.")


async def test_a_score_is_set_and_not_added_to(table: Chat) -> None:
    await table.say("ann: /track @bob rules:facebook")
    await table.say("ann: /fix bob 1000")
    sentence = "/fix sets the whole score and adds nothing: bob has 1,000, so for {} write"
    for change, after in (("+100", 1100), ("-100", 900), ("\N{MINUS SIGN}100", 900)):
        for line in (f"ann: /fix bob {change}", f"ann: /fix {change} bob"):
            await refused(table, line, f"{sentence.format(change)} /fix bob {after}")
    await refused(table, "ann: /fix bob farkles:+1", "farkles: takes the new number")
    assert scores(await shown(table)) == {"ann": 0, "bob": 1000}
    await refused(table, "ann: /fix ann -9000000", "A score in play is -1,000,000 to 9,950")
    # where scores may be below 0 a sign is no change of 0; penalties go on below the floor
    assert "in probability: ann " in await table.say("ann: /fix ann -3000")
    assert scores(await shown(table)) == {"ann": -3000, "bob": 1000}


@pytest.mark.slow
async def test_names_and_points_in_any_order_and_names_by_how_they_begin(table: Chat) -> None:
    await table.say("ann: /track @bob @bea @Zoe rules:facebook me:no")
    await table.say("ann: /score 550 bob")
    await table.say("ann: /score be 300")
    await table.say("ann: /score farkle z")
    await table.say("ann: /score 400 @BO")
    await table.say("ann: /fix 600 be")
    assert scores(await shown(table)) == {"bob": 950, "bea": 600, "Zoe": 0}
    await refused(
        table, "ann: /score b 550", '"b" could be bob, bea: type a little more of the name'
    )
    await refused(
        table, "ann: /fix next:b", '"b" could be bob, bea: type a little more of the name'
    )
    await refused(table, "ann: /score ob 550", '"ob" does not play here')
    await refused(table, "ann: /score bea 550 300", "Give the points of the turn")
    await refused(table, "ann: /fix bea bob", "/fix takes a name and a score")
    await table.say("ann: /fix next:bob")
    await table.say("bea: /resign sure:yes")
    await table.say("ann: /score 300 b")
    assert scores(await shown(table)) == {"bob": 1250, "bea": 600, "Zoe": 0}, "who still plays"


LEAVES = [
    "/leave dave",
    "/leave @dav",
    "dave leaves",
    "Dave ist weg.",
    "dave has left the game",
    "dave muss los!",
    "@dave is gone",
    "dave resigned",
    "dave out",
    "/resign dave",
]


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize(
    "line", ["I leave", "I'm out.", "i give up", "ich gebe auf", "Ich bin raus!", "/leave"]
)
async def test_one_says_that_one_leaves(table: Chat, line: str) -> None:
    """Who speaks is out, not the host, and comes back by /undo."""
    for said in ("ann: /track @bob @dave", "ann: /score 500", "ann: /score bob 1000"):
        await table.say(said)
    assert (await table.say(f"dave: {line}")).startswith("dave resigns; /undo takes that back.\n")
    assert [one["playing"] for one in (await shown(table))["players"]] == [True, True, False]


@pytest.mark.mostly_slow(10)
@pytest.mark.parametrize("line", LEAVES)
async def test_who_keeps_the_score_says_who_leaves(table: Chat, line: str) -> None:
    """The one who leaves is out of the game, and nobody else; it can be taken back."""
    for said in ("ann: /track @bob @dave", "ann: /score 500", "ann: /score bob 1000"):
        await table.say(said)
    before = await shown(table)
    told = await table.say(f"ann: {line}")
    assert told.startswith("dave resigns; /undo takes that back.\n")
    found = await shown(table)
    assert [one["playing"] for one in found["players"]] == [True, True, False]
    assert found["to_move"] == "ann"
    await refused(table, f"ann: {line}", "That player has resigned")
    assert (await table.say("bob: /undo")).startswith("Taken back: dave's resignation. dave: ")
    assert (await shown(table))["players"] == before["players"]
    # before the first turn who leaves just gets up
    await table.say("ann: /end")
    await table.say("ann: /track @bob @dave")
    if "resign" not in line:
        assert "dave leaves." in await table.say(f"ann: {line}")
        assert list(scores(await shown(table))) == ["ann", "bob"]


async def test_one_leaves_a_game_with_real_dice_and_comes_back(table: Chat) -> None:
    for said in ("ann: /track @bob", "ann: /score 500", "bob: /leave"):
        await table.say(said)
    await refused(table, "ann: /show", "No game is open here")
    told = await table.say("bob: /undo")
    assert told.startswith(
        "Taken back: bob's resignation. bob: to roll.\nEstimated win probability:"
    )
    assert "points: " not in told
    assert "turn " not in told, "what the last turn changed was told before"
    await table.say("bob: /score 300")
    assert scores(await shown(table)) == {"ann": 500, "bob": 300}


@pytest.mark.parametrize("command", ["/resign", "/leave"])
async def test_who_gives_up_for_good_is_asked_twice(table: Chat, command: str) -> None:
    """The dice of the program cannot be taken back, so nobody leaves such a game by mistake."""
    for said in ("ann: /play @bob @carl", "ann: /roll"):
        await table.say(said)
    before = await shown(table)
    for more in ("", " sure:no"):
        await refused(
            table,
            f"bob: {command}{more}",
            f"This gives up game {before['game']} for bob, for good: {command} sure:yes does it",
        )
    assert await shown(table) == before
    assert "bob resigns" in await table.say(f"bob: {command} sure:yes")


@pytest.mark.slow
async def test_a_turn_with_real_dice_is_passed_by_who_keeps_the_score(table: Chat) -> None:
    """Nobody waits for that, as it can be taken back."""
    await table.say("ann: /track @bob @dave")
    await refused(table, "bob: /skip ann", "The game has not begun: /fix next:NAME says who begins")
    await table.say("ann: /score 500")
    await refused(table, "ann: /skip dave", "It is bob's turn, not dave's")
    assert "ann skips bob's turn, as bob is away." in await table.say("ann: /skip bo")
    assert (await shown(table))["to_move"] == "dave"
    for line in ("/replace dave", "/replace dave level:greedy", "/replace level greedy"):
        await refused(table, f"ann: {line}", "A bot cannot roll real dice; /leave NAME takes")
    for line in ("/leave dave now", "/resign dave bob", "/skip dave bob"):
        await refused(table, f"ann: {line}", "This takes the name of one player, as in /")
    await refused(table, "ann: eve leaves", '"eve" does not play here')


@pytest.mark.slow
async def test_who_leaves_where_the_program_rolls(table: Chat) -> None:
    """Only who manages the place says so for somebody else; the others have /skip and /replace."""
    await table.say("ann: /play @bob @dave rules:zilch")
    await table.say("ann: /roll")  # six dice are never a farkle there
    guest = Caller("console", Person("console:ann", "ann"))
    told = await by(table, guest, "/leave dave")
    assert told.startswith("Only dave, or someone who manages this place, can resign for dave;")
    await refused(table, "ann: /replace dave level:greedy", "It is ann's turn, not dave's")
    await refused(table, "bob: /skip an", "Wait a little: ann still has 5 min to move")
    await refused(table, "ann: dave gives up", "for good: /leave dave sure:yes does it")
    assert "dave resigns." in await table.say("ann: /leave dave sure:yes")
    assert "ann resigns." in await by(table, guest, "/leave ann sure:yes")


NO_HINTS = "The host has forbidden hints in game "


@pytest.mark.slow
async def test_only_questions_on_a_game_without_hints_are_refused(chat: Chat) -> None:
    """Nobody gets at its position by typing it again; all else is answered."""
    for line in (
        "ann: /track @bob rules:facebook hints:no",
        "ann: /score 2500",
        "bob: /score 1000",
    ):
        await chat.say(line)
    game = (await shown(chat))["game"]
    same = (
        *("/advise 6 5 3 3 3 2", "6 5 3 3 3 2", "/advise", "/odds", "/explain", "/explore"),
        *("/advise 653332 me:2500 them:1000", "/advise 653332 me:1000 them:2500"),
        *("/advise 653332 me:2450 them:1050 goal:10100", "/advise 6 5 3 3 3 2 350 2500 1000"),
        *("/odds turn:350 dice:2 me:2500 them:1000", "/explain me:2500 them:1000"),
        *("/explore me:2500 them:1000", "/advise 653332 rules:facebook me:2500 them:1000"),
    )
    for line in same:
        told = f"{NO_HINTS}{game}, which you are playing"
        await refused(chat, f"ann: {line}", told)
        assert f"leave it by /end game:{game}" in await chat.say(f"bob: {line}")
    others = (
        *("/advise 653332 rules:kcd", "/advise 653332 me:4200 them:5000", "/advise 653332 me:0"),
        *("/odds turn:350 dice:2 me:4200 them:5000", "/explain me:4200 them:5000", "/explore me:0"),
        *("/position CZT1-7YZ9-SYP", "/explain rules:kcd", "/advise 653332 goal:5000 me:2500"),
        "/advise 653332 me:2500 them:1000 rules:classic",
    )
    for line in others:
        assert NO_HINTS not in await chat.say(f"ann: {line}")
    # a position by its ID is that of the game as well
    asked = await chat.say("eve: /advise 653332 me:2500 them:1000")
    found = asked.rsplit("Position ", 1)[1].split()[0]
    assert NO_HINTS in await chat.say(f"ann: {found}")
    # a roll that lies there is no question of its own, whatever the scores
    await chat.say("ann: /roll 6 5 3 3 3 2")
    assert NO_HINTS in await chat.say("ann: /advise 2 3 3 3 5 6 me:8000")
    assert NO_HINTS not in await chat.say("ann: /advise 2 3 3 3 5 6 me:8000 rules:classic")
    assert NO_HINTS not in await chat.say("ann: /advise 2 3 3 3 4 6 me:8000")


@pytest.mark.slow
async def test_of_several_players_the_strongest_other_tells_the_position(table: Chat) -> None:
    for line in ("/track @bob @carl rules:facebook hints:no", "/score 2500", "/score bob 1500"):
        await table.say(f"ann: {line}")
    for line in ("me:0", "me:2500", "me:1500 them:300", "me:0 them:2500,0 goal:5000"):
        assert NO_HINTS not in await table.say(f"ann: /advise 653332 {line}")
    for line in ("me:0 them:2500", "me:2500 them:1500,0", "me:2500 them:1500", "me:1550 them:2450"):
        assert NO_HINTS in await table.say(f"ann: /advise 653332 {line}")


async def test_who_plays_no_more_may_ask_again(table: Chat) -> None:
    await table.say("ann: /track @bob @carl rules:facebook hints:no")
    await table.say("ann: /score 500")
    assert NO_HINTS in await table.say("ann: /advise 653332 me:500")
    await table.say("ann: /resign sure:yes")
    assert NO_HINTS not in await table.say("ann: /advise 653332 me:500")
    # and who waits alone at a table has no position yet
    await table.say("ann: /end")
    await table.say("ann: /track rules:facebook hints:no")
    assert NO_HINTS not in await table.say("ann: /advise 653332")


async def test_what_follows_a_game_that_was_not_begun_counts_in_no_other(table: Chat) -> None:
    """Lines that are pasted for a new game change none that was forgotten."""
    game = (await table.answer("ann: /track @bob rules:facebook")).data["game"]
    for line in ("/track @eve", "/track @eve", "/play level:greedy rules:kcd"):
        told = f"Game {game} (ann, bob) is running here already"
        assert told in (await table.answer(f"ann: {line}")).text
        for said in ("/score 550", "/score ann 550", "/roll", "/roll 1 2 3 4 5 6", "/fix ann 50"):
            told = f"so this would count in game {game} (ann, bob)"
            assert told in (await table.answer(f"ann: {said}")).text
    # others know what they do, and so does who names the game or looks at it
    await table.say("bob: /score ann 550")
    await table.say(f"ann: /score bob 300 game:{game}")
    await table.say("ann: /score 300")
    await table.say("ann: /track @eve")
    await table.say("ann: /show")
    await table.say("ann: /score bob 300")
    assert scores(await shown(table)) == {"ann": 850, "bob": 600}
    await table.say("ann: /track @eve")
    await table.say(f"ann: /end game:{game}")
    await table.say("ann: /track @eve rules:facebook")
    await table.say("ann: /score 550")
    assert scores(await shown(table)) == {"ann": 550, "eve": 0}


async def test_a_review_is_offered_where_there_is_one(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the sentence nor the button comes where nothing was played, and /review says so."""
    fall(monkeypatch, "653332", "653332")
    for moves in (["ann: /roll"], ["ann: /roll", "ann: /keep 5 3 3 3 bank"]):
        game = (await chat.answer("ann: /play @bob rules:kcd")).data["game"]
        for line in moves:
            assert "error" not in (await chat.answer(line)).data
        [reply] = await chat.all("bob: /resign sure:yes")
        told = (await chat.all("ann: /review"))[-1].text
        nothing = f"Nothing was played in game {game}, so there is nothing to review."
        is_played = len(moves) > 1
        assert ("/review shows" in reply.text, told != nothing) == (is_played, is_played)
        buttons = [one.action for one in table_card([reply.subject]).buttons]
        assert buttons == [*(["review"] if is_played else []), "again", "details"]


async def test_fixing_what_was_told_wrongly(table: Chat) -> None:
    await table.say("ann: /track @bob rules:facebook goal:3000")
    await table.say("ann: /score 500")
    await table.say("ann: /fix ann 1,450")
    await table.say("ann: /fix ann farkles:2")
    await table.say("ann: /fix next:ann")
    found = await shown(table)
    assert scores(found) == {"ann": 1450, "bob": 0}
    assert found["players"][0]["farkles"] == 2
    assert found["to_move"] == "ann"
    await table.say("bob: /score ann farkle")
    assert scores(await shown(table))["ann"] == 950
    await table.say("bob: /undo")
    await table.say("bob: /undo")
    assert (await shown(table))["to_move"] == "bob"
    for line, sentence in [
        (
            "ann: /fix ann 3000",
            "A score in play is -1,000,000 to 2,950 under facebook-3000 rules",
        ),
        ("ann: /fix ann 125", "Scores are multiples of 50"),
        ("ann: /fix carl 100", '"carl" does not play here'),
        ("ann: /fix ann farkles:3", "Farkles in a row are 0 to 2"),
        ("ann: /fix ann", "/fix takes a name and a score"),
        ("ann: /fix 100", "/fix takes a name and a score"),
        ("ann: /fix ann lots", "/fix takes a name and a score"),
        ("ann: /fix next:carl", '"carl" does not play here'),
        ("ann: /fix ann 100 next:bob", "/fix next:NAME says whose turn it is"),
    ]:
        await refused(table, line, sentence)
    await table.say("ann: /end")
    await table.say("ann: /play @bob rules:facebook")
    await refused(table, "ann: /fix ann 500", "Only a game with real dice takes scores")
    await refused(table, "ann: /score 500", "Only a game with real dice takes scores")


# ---- Hints -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/play level:greedy rules:zilch", "zilch are not solved yet: /rules solve zilch does it"),
        ("/track @bob rules:zilch goal:2000", "/rules new NAME base:zilch goal:2000 does it in"),
        ("/play level:greedy rules:zilch hints:no", ""),
        ("/play @bob @carl rules:zilch", ""),
        ("/play level:greedy rules:facebook", ""),
    ],
)
async def test_a_game_without_hints_says_what_solves_it(
    chat: Chat, line: str, sentence: str
) -> None:
    begun = " ".join((await chat.say(line)).split())
    assert ("For two players there are no hints" in begun) == bool(sentence)
    assert sentence in begun
    assert begun.count(" estimates") <= 1
    assert "solved for 2 players" not in begun or not sentence


async def test_hints_are_for_the_player_to_move_alone(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "653332")
    await chat.say("ann: /play @bob")
    await refused(chat, "bob: /hint", "It is not your turn: hints are for the player to move")
    await refused(chat, "carl: /hint", "You do not play in this game")
    hint = await chat.answer("ann: /hint")
    assert hint.private
    assert hint.text.startswith("Roll.")
    await chat.say("ann: /roll")
    hint = await chat.answer("ann: /hint")
    assert hint.private
    assert "Keep 5 and roll on." in hint.text  # as README tells of this roll
    assert "51.10 %" in hint.text
    assert (await chat.answer("ann: /advise")).private


async def test_the_host_may_forbid_hints(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    fall(monkeypatch, "653332")
    await chat.say("ann: /play @bob hints:no")
    await chat.say("ann: /roll")
    await refused(chat, "ann: /hint", "The host has forbidden hints in this game")
    await refused(chat, "ann: /advise", "The host has forbidden hints in game ")
    await refused(chat, "ann: /advise 653332 me:0", "The host has forbidden hints in game ")


# ---- Who is away, gives up, or ends ----------------------------------------------------------


async def test_who_is_away_is_skipped(table: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    table.games.tables.now = clock = Clock()
    fall(monkeypatch, "123446", "123446")
    await table.say("ann: /play @bob @carl rules:classic away:60")
    await refused(table, "bob: /skip", "Wait a little: ann still has 60 s to move")
    clock.wait(seconds=61)
    await refused(table, "bob: /skip", "The game has not begun")
    await table.say("ann: /roll")
    await table.say("ann: /keep 1")
    clock.wait(seconds=59)
    await refused(table, "bob: /skip", "Wait a little: ann still has 1 s to move")
    await refused(table, "ann: /skip", "It is your own turn")
    clock.wait(seconds=2)
    assert "bob skips ann's turn, as ann is away." in await table.say("bob: /skip")
    found = await shown(table)
    assert (found["to_move"], found["turn_total"]) == ("bob", 0)
    await refused(table, "ann: /skip", "Wait a little: bob still has 60 s to move")


async def test_who_is_away_is_replaced_by_a_bot(table: Chat) -> None:
    table.games.tables.now = clock = Clock()
    await table.say("ann: /play @bob rules:classic")
    await refused(table, "bob: /replace", "Wait a little: ann still has 5 min to move")
    clock.wait(seconds=301)
    replies = await table.all("bob: /replace level:cautious")
    assert replies[-1].data["to_move"] == "bob"
    assert list(scores(replies[-1].data)) == ["cautious bot for ann", "bob"]
    await refused(table, "ann: /resign sure:yes", "You do not play in this game")
    await refused(table, "bob: /replace level:best", 'There is no level "best"')


async def guest(chat: Chat, name: str, line: str) -> Reply:
    """Somebody who may not manage the place."""
    caller = Caller("console", Person(f"console:{name}", name), manages=False)
    [reply] = [reply async for reply in chat.commands.answer(line, caller)]
    return reply


async def test_strangers_end_nothing(table: Chat) -> None:
    await table.say("ann: /play @bob rules:classic")
    for line in ("/end", "/skip", "/replace", "/resign"):
        reply = await guest(table, "zoe", line)
        assert reply.private, line
        assert "error" in reply.data, line
    assert (await shown(table))["stage"] == "lobby"
    reply = await guest(table, "bob", "/end")
    assert reply.data["stage"] == "over"
    await table.say("ann: /track @bob rules:classic")
    assert "error" in (await guest(table, "zoe", "/score 500")).data
    assert "error" in (await guest(table, "zoe", "/fix ann 500")).data
    assert scores(await shown(table)) == {"ann": 0, "bob": 0}


async def test_resigning(table: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    await table.say("ann: /play @bob @carl rules:classic")
    fall(monkeypatch, "111234")
    await table.say("ann: /roll")
    await table.say("ann: /resign sure:yes")
    assert (await shown(table))["to_move"] == "bob"
    await refused(table, "ann: /resign sure:yes", "You have resigned already")
    reply = await table.answer("bob: /resign sure:yes")
    assert "carl wins" in reply.text
    assert [player["share"] for player in reply.data["players"]] == [0, 0, 1]


# ---- Between two starts of the program -------------------------------------------------------


async def test_a_game_goes_on_after_a_restart_in_the_middle_of_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        fall(patched, "155346")
        async with open_chat(tmp_path) as first:
            await first.say("ann: /play @bob rules:classic")
            await first.say("bob: /seed mine")
            await first.say("ann: /roll")
            await first.say("ann: /keep 51")
            before = await shown(first)
    async with open_chat(tmp_path) as second:
        after = await shown(second)
        for table in (before, after):
            del table["within"]
            for player in table["players"]:
                del player["win_probability"]
        assert after == before
        await second.say("ann: /undo")
        await second.say("ann: /keep 551 bank")
        assert scores(await shown(second)) == {"ann": 200, "bob": 0}
        assert (await second.answer("bob: /roll")).data["version"] == before["version"] + 4


async def test_rules_are_the_same_after_a_restart(tmp_path: Path) -> None:
    rules = tmp_path / "kind.toml"
    rules.write_text("goal = 5000\nscore_floor = 0\n[farkle_penalty]\nin_a_row = 1\npoints = 500\n")
    async with open_chat(tmp_path) as first:
        await first.say(f"ann: /track @bob rules:{rules}")
    async with open_chat(tmp_path) as second:
        await second.say("ann: /score farkle")
        assert scores(await shown(second)) == {"ann": 0, "bob": 0}


async def test_a_bot_to_move_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as first:
        first.games.tables.now = clock = Clock()
        await first.say("ann: /play @bob rules:classic")
        games = first.games
        clock.wait(seconds=301)
        # the program ends between the change of the seat and the bot's first roll
        caller = Caller("console", Person("console:bob", "bob"), manages=True)
        await anext(games.away(caller, None, "greedy"))
    async with open_chat(tmp_path) as second:
        replies = await second.all("bob: /show")
        assert replies[-1].data["to_move"] == "bob"
        assert len(replies) > 1


async def test_only_so_many_games_are_kept_in_memory(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.tables._MOST_LIVE", 2)
    games, rules = table.games, load_rules("kcd")
    places = [f"place-{number}" for number in range(4)]
    people = [Person("ann", "ann"), Person("ben", "ben")]
    for place in places:
        [_] = [
            one async for one in games.play(Caller(place, people[0]), people, Setup(rules=rules))
        ]
    for seeds, person in enumerate(people, start=1):
        for place in places:
            [news] = [one async for one in games.seed(Caller(place, person), None, person.name)]
            assert (news.table.stored.place, len(news.table.events)) == (place, seeds)
            assert len(games.tables._live) == 2
            assert await games.oracle.chances(news.table)
    assert {one.stored.place for one in games.tables._live.values()} == set(places[2:])
    assert len(games.oracle._between) == len(games.oracle._estimates) == 2


# ---- Looking back ----------------------------------------------------------------------------


async def won_by_ann(chat: Chat) -> None:
    await said(chat, ["ann: /track @bob rules:classic goal:1000", "ann: /score 1000"])


async def test_records_and_being_forgotten(table: Chat) -> None:
    await won_by_ann(table)
    await won_by_ann(table)
    await said(table, ["bob: /track @ann rules:classic goal:1000", "bob: /score 1000"])
    found = (await table.answer("carl: /stats ann")).data
    assert (found["games"], found["wins"], found["longest_streak"]) == (3, 2, 2)
    assert found["biggest_turn"] == 1000
    both = (await table.answer("carl: /stats ann bob")).data
    assert (both["games"], both["wins"]) == (3, [2, 1])
    assert [one["name"] for one in (await table.answer("carl: /leaderboard")).data] == [
        "ann",
        "bob",
    ]
    await refused(table, "bob: /forget ann", "what is stored about others only they can")
    reply = await table.answer("ann: /forget me")
    assert reply.private
    assert reply.data == {"games": 3}
    await refused(table, "carl: /stats ann", 'Nobody called "ann" has played here')
    assert "ann" not in await table.say("carl: /leaderboard")
    assert (await table.answer("bob: /stats")).data["games"] == 3
    assert "has not finished a game yet" in await table.say("ann: /stats")


async def test_who_is_forgotten_leaves_the_games_under_way(table: Chat) -> None:
    await table.say("ann: /play @bob @carl rules:classic")
    await table.say("ann: /roll")
    await table.say("ann: /forget me")
    assert "ann" not in await table.say("bob: /show")
    assert (await shown(table))["to_move"] == "bob"
    await refused(table, "ann: /roll", "You do not play in this game")


async def test_a_proof_holds(table: Chat) -> None:
    begun = await table.say("ann: /play @bob rules:classic")
    assert "/proof" in begun
    shown_before = await table.answer(
        f"bob: /proof{begun.partition('/proof')[2].partition('.')[0]}"
    )
    await table.say("ann: /seed mine")
    await table.say("bob: /seed @everyone")
    await table.say("ann: /roll")
    game = (await table.answer("bob: /end")).data["game"]
    text = await table.say("ann: /proof")
    proof = Proof.model_validate_json(text)
    assert fair_dice.verify_proof(proof).holds
    assert proof.commitment in shown_before.text.replace("\n  ", " ")
    assert shown_before.data == {"game": game, "commitment": proof.commitment}
    assert proof.commitment not in begun
    assert await table.say(f"carl: /proof {game}") == text
    spoilt = text.replace('"number": 1,', '"number": 2,')
    assert not fair_dice.verify_proof(Proof.model_validate_json(spoilt)).holds


async def test_the_language_of_a_console_is_set_elsewhere(table: Chat) -> None:
    told = await table.say("ann: /settings language:de")
    assert "eine Konsole spricht die Sprache, die beim Start" in told
    assert "FARKLE_LANGUAGE" in told


async def test_the_game_that_ended_last_is_looked_at(table: Chat) -> None:
    await table.say("ann: /settings games:2")
    [first, *_] = await table.all("ann: /play @bob rules:kcd")
    [second, *_] = await table.all("carl: /play @dan rules:kcd")
    for reply in (second, first):
        people = [player["name"] for player in reply.data["players"]]
        game = reply.data["game"]
        await table.say(f"{people[0]}: /roll game:{game}")
        await table.say(f"{people[0]}: /resign sure:yes game:{game}")
    proof = await table.answer("eve: /proof")
    assert proof.data["game"] == first.data["game"]
    other = await table.answer(f"eve: /proof game:{second.data['game']}")
    assert other.data["game"] == second.data["game"]


async def test_secrets_are_kept_while_a_game_goes_on(table: Chat) -> None:
    await refused(table, "ann: /proof", "No game here is over yet")
    game = (await table.answer("ann: /play @bob rules:classic")).data["game"]
    promised = await table.answer(f"ann: /proof {game}")
    assert set(promised.data) == {"game", "commitment"}
    await table.say("ann: /end")
    proof = await table.answer(f"ann: /proof {game}")
    assert proof.data["commitment"] == promised.data["commitment"]
    assert proof.data["secret"] not in promised.text


async def test_a_review_names_what_was_thrown_away(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    fall(monkeypatch, "111234", "223346")
    await chat.say("ann: /play @bob rules:kcd")
    await chat.say("ann: /roll")
    await chat.say("ann: /keep 1 bank")
    await chat.say("bob: /roll")
    await chat.say("ann: /resign sure:yes")
    reply = await chat.answer("bob: /review")
    assert not reply.private
    ann, bob = reply.data["players"]
    assert (ann["name"], bob["name"]) == ("ann", "bob")
    assert ann["decisions"] == 1
    assert bob["decisions"] == 0
    assert ann["blunders"] == 1
    assert ann["total_loss"] > 0.05
    assert reply.data["rules"] == "kcd"


async def test_matches_of_bots(chat: Chat) -> None:
    reply = await chat.answer("ann: /match optimal cautious games:5 rules:kcd")
    games, score = reply.data["games"], reply.data["score"]
    assert [game["began"] for game in games] == [0, 1, 0, 1, 0][: len(games)]
    assert sum(score) == len(games)
    assert max(score) == 3, "it ends once it is decided"
    assert games[0]["odds"][0] == pytest.approx(0.5571, abs=1e-3)
    assert games[1]["odds"][1] == pytest.approx(0.5571, abs=1e-3)
    first, head, *rows, odds = reply.text.split("\n")
    winner = ("Optimal bot", "Cautious bot")[score.index(3)]
    assert first == f"{winner} wins the match: 3 of {len(games)} games."
    assert head.split() == ["won", "points", "a", "game", "biggest", "turn"]
    for bot, row in enumerate(rows):
        mean = sum(game["points"][bot] for game in games) / len(games)
        biggest = max(game["biggest_turns"][bot] for game in games)
        assert row.split()[2:] == [f"{score[bot]:g}", f"{mean:,.0f}", f"{biggest:,}"]
    assert odds == "With best play, the player who begins wins 55.7 % of the time."


async def test_the_turns_of_a_match(chat: Chat) -> None:
    """Game by game as a table: what every turn brought adds up to the result."""
    *games, match = await chat.all("ann: /match greedy cautious rules:kcd show:moves games:3")
    assert len(games) == len(match.data["games"])
    for number, (game, result) in enumerate(zip(games, match.data["games"], strict=True)):
        turns = game.data["turns"]
        assert [turn["bot"] for turn in turns] == [(number + k) % 2 for k in range(len(turns))]
        for bot in range(2):
            own = [turn for turn in turns if turn["bot"] == bot]
            # none for who is second, if the first turn of all wins at once
            score = own[-1]["score"] if own else 0
            assert sum(turn["points"] for turn in own) == score == result["points"][bot]
            assert all((turn["ending"] == "bank") == (turn["points"] > 0) for turn in own)
        lines = game.text.split("\n")
        assert lines[0] == f"Game {number + 1}, turn by turn:"
        assert lines[1].split() == ["greedy", "cautious"][:: 1 - 2 * (number % 2)]
        assert len(lines) == 2 + -(-len(turns) // 2)
        assert lines[2].split()[-1] == f"{turns[:2][-1]['score']:,}"


async def test_matches_that_cannot_be(chat: Chat) -> None:
    for line, sentence in [
        ("ann: /match optimal", "/match takes two levels"),
        ("ann: /match optimal best", 'There is no level "best"'),
        ("ann: /match optimal greedy games:0", "games: takes 1 to 99, not 0"),
        ("ann: /match optimal greedy games:100", "games: takes 1 to 99, not 100"),
        ("ann: /match optimal greedy show:all", "show: takes moves or summary"),
        ("ann: /match optimal greedy rules:patch", "The rules patch are not solved yet"),
    ]:
        await refused(chat, line, sentence)


# ---- Games that nobody must get stuck in -----------------------------------------------------


def a_stranger(name: str) -> Caller:
    """Somebody who does not manage the place."""
    return replace(spoken_by(f"{name}: /show")[0], manages=False)


async def tried(chat: Chat, line: str) -> str:
    """What a line of somebody who does not manage the place is answered with."""
    name, said = line.split(": ", 1)
    found = chat.commands.answer(said, a_stranger(name))
    return "\n".join([reply.text async for reply in found])


async def test_strangers_change_nothing(table: Chat) -> None:
    await table.say("ann: /track @bob @carl rules:classic")
    await table.say("ann: /score 500")
    for line in ("eve: /undo", "eve: /score 300", "eve: /fix ann 100", "eve: /end"):
        assert "Only those who play" in await tried(table, line)
    await table.say("ann: /resign sure:yes")
    for line in ("ann: /score 300", "ann: /end", "ann: /undo"):
        assert "Only those who play" in await tried(table, line)
    assert "Only players of this game" in await tried(table, "eve: /join level:greedy")
    assert "manage this place" in await tried(table, "eve: /rules use kcd")
    assert scores(await shown(table)) == {"ann": 500, "bob": 0, "carl": 0}


async def test_bots_go_on_where_a_player_left(table: Chat) -> None:
    await table.say("ann: /play cautious @bob rules:classic")
    await table.say("ann: /roll")
    await table.say("ann: /forget me")
    assert "bob rolls" in await table.say("bob: /roll")


async def test_an_older_view_leaves_later_turns_as_they_are(chat: Chat) -> None:
    oracle, tables = chat.games.oracle, chat.games.tables
    await chat.say("ann: /track @bob rules:classic")
    await chat.say("ann: /score 500")
    [old] = await tables.open_at("console")
    await chat.say("bob: /score 300")
    await oracle.chances(old)
    text = await chat.say("ann: /score 1000")
    assert re.search(r"\(ann [+-]", text)


async def test_only_the_own_game_is_opened_again(table: Chat) -> None:
    await table.say("ann: /settings games:3")
    await table.say("ann: /track @bob rules:classic")
    await table.say("ann: /score 500")
    await table.say("carl: /track @dan rules:classic")
    await table.say("carl: /score 500")
    await table.say("carl: /resign sure:yes")
    assert "ann's turn" in await table.say("ann: /undo")


async def test_blank_lines_and_long_ones_get_a_sentence(table: Chat) -> None:
    await refused(table, "ann: /show", "No game is open here")
    for line in ("\u200b", ""):
        [reply] = [one async for one in table.commands.answer(line, a_stranger("ann"))]
        assert "Type a command" in reply.text
    await refused(table, f"ann: /seed {'x' * 100_000}", "at most 1,000 characters")
    await refused(table, "ann: /play @bob goal:1000000", "at most 50,000")


# ---- What was wrong once ---------------------------------------------------------------------


async def test_a_bot_that_cannot_move_keeps_nobody_in_the_game(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise MissingStrategyError("The strategy is gone")

    await table.say("ann: /play level:greedy rules:classic")
    fall(monkeypatch, *["111234"] * 3)
    await table.say("ann: /roll")
    monkeypatch.setattr("bot.services.reckoning.policy_of", missing)
    assert "The strategy is gone" in await table.say("ann: /keep 1 1 1 bank")
    assert "The game was ended" in await table.say("ann: /end")


@pytest.mark.slow
async def test_being_forgotten_is_told_to_those_who_go_on(table: Chat) -> None:
    await table.say("ann: /play @bob @carl rules:classic")
    await table.say("ann: /roll")
    told = await table.all("bob: /forget me")
    assert [reply.private for reply in told] == [False, True]
    assert "bob resigns." in told[0].text
    await table.say("carl: /end")
    # a game of nobody else
    await table.say("dan: /play rules:classic")
    assert "ended without a result" in (await table.all("dan: /forget me"))[0].text


@pytest.mark.slow
async def test_a_bot_plays_on_for_its_own_record(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table.say("ann: /play @bob rules:classic away:10")
    table.games.tables.now = lambda: datetime.now(UTC) + timedelta(minutes=1)
    assert "plays on" in await table.say("bob: /replace level:cautious")
    await refused(table, "ann: /join", "A bot plays on for you in this game")
    fall(monkeypatch, *["111234"] * 3)
    await table.say("bob: /resign sure:yes")
    await refused(table, "bob: /stats ann", 'Nobody called "ann" has played here')
    assert (await table.answer("ann: /stats")).data["games"] == 0
    assert [one["name"] for one in (await table.answer("ann: /leaderboard")).data] == ["bob"]


async def test_nobody_wins_before_the_first_roll(table: Chat) -> None:
    await table.say("ann: /play @bob @carl rules:classic")
    await table.say("bob: /resign sure:yes")
    assert "ended without a result" in await table.say("carl: /resign sure:yes")


async def test_a_score_that_ends_a_game_by_mistake_is_taken_back(table: Chat) -> None:
    await table.say("ann: /track @bob rules:classic goal:1000 hints:no")
    assert "ann wins" in await table.say("ann: /score 1000")
    assert "Taken back: ann's turn" in await table.say("ann: /undo")
    await table.say("ann: /score 500")
    assert "Taken back: ann's turn" in await table.say("ann: /undo")


async def test_scores_are_typed_as_they_are_shown(table: Chat) -> None:
    await table.say("ann: /track @bob rules:classic hints:no")
    for told in ("1,050", "1.050", "1'050", "1050"):
        assert "banks 1,050" in await table.say(f"/score {told}")


@pytest.mark.slow
async def test_a_score_put_right_to_0_is_off_the_board(table: Chat) -> None:
    await table.say("ann: /track @bob rules:patch goal:1500")
    await table.say("ann: /score 1000")
    await table.say("ann: /fix ann 0")
    await table.say("ann: /fix next:ann")
    await refused(table, "ann: /score 100", "points cannot be banked yet")


async def test_undoing_a_correction_in_the_middle_of_a_turn_is_told_so(table: Chat) -> None:
    for line in ("/track @bob rules:classic", "/score 500", "/roll 1 1 3 4 6 6", "/fix ann 3000"):
        await table.say(f"ann: {line}")
    assert "Taken back: the correction" in await table.say("ann: /undo")


async def test_the_chart_begins_when_all_sit_down(table: Chat) -> None:
    await table.say("ann: /track rules:classic goal:1000")
    await table.say("bob: /join")
    await table.say("ann: /score 300")
    [*_, last] = await table.all("bob: /score 1000")
    assert last.subject.chart is not None
    assert [point.scores for point in last.subject.chart.turns] == [(0, 0), (300, 0), (300, 1000)]


async def test_a_bot_moves_once_somebody_has_joined(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table.say("ann: /play rules:classic away:10")
    await table.say("ann: /join level:cautious")
    await table.say("ann: /end")
    await table.say("ann: /play rules:classic")
    stored = table.games.tables
    [open_one] = await stored.open_at("console")
    event = Replaced(seat=0, level="cautious")
    seat = SeatRow(0, "console:ann", "cautious bot for ann", "cautious")
    await stored.append(open_one, open_one.then(event, seat=seat))
    fall(monkeypatch, "111234")
    assert "Cautious bot for ann rolls" in await table.say("bob: /join")


async def test_two_presses_on_undo_take_one_game_back(table: Chat) -> None:
    await table.say("ann: /track @bob rules:classic goal:1000")
    await table.say("ann: /score 1000")
    both = await asyncio.gather(table.say("ann: /undo"), table.say("ann: /undo"))
    assert sum("Taken back" in one for one in both) == 1
    assert not any("version" in one for one in both)


@pytest.mark.slow
async def test_a_player_without_a_turn_left_has_no_chance(table: Chat) -> None:
    """After a resignation in the last turns who had theirs is known, not guessed."""
    await table.say("ann: /track @bob @carl @dan rules:arnold goal:1000 hints:yes")
    for turn in ("ann 500", "bob 500", "carl 1500", "dan farkle", "ann 1000"):
        reply = await table.say(f"ann: /score {turn}")
    assert "bob is to move" in reply
    await table.say("carl: /resign sure:yes")
    state = await shown(table)
    chances = [player["win_probability"] for player in state["players"]]
    assert chances[2:] == [0, 0]
    assert chances[0] + chances[1] == pytest.approx(1)


async def test_a_chart_shows_the_chances_that_were_told(
    table: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Estimates differ a little each time: nobody sees two for one position."""
    fall(monkeypatch, "555234", "223346", "555234", "555234")
    told = []
    for line in (
        "ann: /play @bob @carl rules:kcd goal:1000",
        "ann: /roll",
        "ann: /keep 555 bank",
        "bob: /roll",
        "carl: /roll",
        "carl: /keep 555 bank",
        "ann: /roll",
        "ann: /keep 555 bank",
    ):
        [*_, last] = await table.all(line)
        if last.subject.chances:
            assert last.subject.chances.within or last.subject.table.game.over
            told.append(last.subject.chances.win_probabilities)
    assert [point.win_probabilities for point in last.subject.chart.turns] == told
    assert len(told) == 5
