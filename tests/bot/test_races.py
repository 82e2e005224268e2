"""Several people, tasks and programs at one table at once: every command counts once or not."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Reply
from bot.fronts.lines import spoken_by
from bot.store.records import forget
from bot.store.rows import StaleVersionError, StoredEvent
from bot.store.store import Store
from bot.table.events import Begun, make_event
from bot.table.fair_dice import Proof, verify_proof
from bot.table.fold import fold
from bot.table.state import Game
from solver.game.standings import Solution
from solver.rules.file import load_rules
from solver.strategy import save_strategy
from solver.turn.dice import set_asides
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file


@pytest.fixture
def folder(tmp_path: Path, tiny: Solution) -> Path:
    """A data folder with the rules tiny.toml, which are solved."""
    save_strategy(tiny, tmp_path / "strategies")
    rules_file(tmp_path / "tiny.toml")
    return tmp_path


@pytest.fixture
async def tiny_chat(folder: Path) -> AsyncIterator[Chat]:
    async with open_chat(folder) as opened:
        yield opened


@pytest.fixture
async def other_chat(folder: Path) -> AsyncIterator[Chat]:
    """A second program on the same database."""
    async with open_chat(folder) as opened:
        yield opened


async def stored(folder: Path) -> tuple[Game, tuple[StoredEvent, ...]]:
    """The last game as the file has it."""
    path = folder / "farkle.db"
    store = Store.look_into(f"sqlite:///{path}")
    try:
        [game, *_] = await store.recent_games("console", 1)
        record = await store.record(game.id)
        kept, events = record.game, record.events
    finally:
        await store.close()
    first, *others = [make_event(event.kind, event.data) for event in events]
    assert isinstance(first, Begun)
    assert kept.version == len(events)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    return fold(first, others), events


async def at_once(chats: Iterable[Chat], lines: Iterable[str]) -> list[list[Reply]]:
    """The replies to lines said at the same time."""
    return await asyncio.gather(*(chat.all(line) for chat, line in zip(chats, lines, strict=True)))


def applied(replies: list[list[Reply]]) -> tuple[list[Any], list[str]]:
    """Events of the lines that did something, and what was said to the others."""
    flat = [reply.data for some in replies for reply in some]
    done = [event for data in flat for event in data.get("events", [])]
    refused = [data["error"] for data in flat if "error" in data]
    for sentence in refused:
        assert "the program failed" not in sentence
    return done, refused


def dice(roll: Iterable[int]) -> str:
    return " ".join(map(str, roll))


async def until_roll(chat: Chat, begin: str, folder: Path) -> Game:
    """Begin games until the first roll is no farkle."""
    while True:
        await chat.say(begin)
        await chat.say("ann: /roll")
        game, _ = await stored(folder)
        if game.mover == 0 and game.turn.roll and not game.over:
            return game
        await chat.say("ann: /end")


def play(folder: Path, against: str = "@bob") -> str:
    return f"ann: /play {against} rules:{folder / 'tiny.toml'}"


@pytest.mark.parametrize("times", [2, 20])
async def test_a_roll_said_many_times_at_once_falls_once(
    folder: Path, tiny_chat: Chat, times: int
) -> None:
    game = await until_roll(tiny_chat, play(folder), folder)
    assert game.turn.roll
    before = game.version
    # the roll lies there: nobody can roll, whoever tries
    lines = [f"{name}: /roll" for name in ("ann", "bob")] * (times // 2)
    events, refused = applied(await at_once([tiny_chat] * times, lines))
    assert events == []
    assert len(refused) == times
    kept = dice(set_asides(game.rules, game.turn.roll)[0].dice)
    await tiny_chat.say(f"ann: /keep {kept}")
    events, refused = applied(await at_once([tiny_chat] * times, ["ann: /roll"] * times))
    now, written = await stored(folder)
    assert len(events) + before + 1 == now.version == len(written)
    # after a roll that scores no other is legal; after a farkle it is bob's turn
    assert len(events) == 1
    assert len(refused) == times - 1


@pytest.mark.mostly_slow
@pytest.mark.parametrize("times", [2, 20])
@pytest.mark.parametrize("then", ["roll", "bank", ""])
async def test_dice_kept_many_times_at_once_are_kept_once(
    folder: Path, tiny_chat: Chat, times: int, then: str
) -> None:
    while True:
        game = await until_roll(tiny_chat, play(folder), folder)
        assert game.turn.roll
        best = set_asides(game.rules, game.turn.roll)[0]
        if best.points >= game.rules.minimum_bank and len(best.dice) < len(game.turn.roll):
            break
        await tiny_chat.say("ann: /end")
    lines = [f"ann: /keep {dice(best.dice)} {then}"] * times
    events, refused = applied(await at_once([tiny_chat] * times, lines))
    now, _ = await stored(folder)
    expected = 2 if then else 1
    # what fell may be the dice that are kept again
    again = len(events) > expected
    if again:
        assert then == "roll"
    else:
        assert len(refused) == times - 1
    assert now.version == game.version + len(events)
    if then == "bank":
        assert now.seats[0].score == best.points
        assert now.mover == 1


@pytest.mark.mostly_slow(2)
@pytest.mark.parametrize("times", [2, 20])
async def test_a_bank_said_many_times_at_once_counts_once(
    folder: Path, tiny_chat: Chat, times: int
) -> None:
    game = await until_roll(tiny_chat, play(folder), folder)
    while True:
        assert game.turn.roll
        kept = dice(set_asides(game.rules, game.turn.roll)[-1].dice)
        await tiny_chat.say(f"ann: /keep {kept}")
        game, _ = await stored(folder)
        # a bank that wins would also reveal the secret
        if game.may_bank and game.turn.turn_total < game.rules.goal:
            break
        await tiny_chat.say("ann: /end")
        game = await until_roll(tiny_chat, play(folder), folder)
    names = ["ann", "bob"] * (times // 2)
    lines = [f"{name}: /bank" for name in names]
    events, refused = applied(await at_once([tiny_chat] * times, lines))
    now, _ = await stored(folder)
    assert len(events) == 1
    assert len(refused) == times - 1
    assert now.version == game.version + 1
    assert [seat.score for seat in now.seats] == [game.turn.turn_total, 0]


async def test_of_games_begun_at_once_in_one_place_one_begins(
    folder: Path, tiny_chat: Chat, other_chat: Chat
) -> None:
    chats = [tiny_chat, other_chat] * 10
    replies = await at_once(chats, [play(folder)] * 20)
    data = [reply.data for some in replies for reply in some]
    assert Counter("error" in one for one in data) == {False: 1, True: 19}
    [game] = [one["game"] for one in data if "game" in one]
    refused = {one["error"] for one in data if "error" in one}
    assert len(refused) == 1
    assert refused.pop().startswith(f"Game {game} (ann, bob) is running here already: finish it")
    listed = (await other_chat.answer("/games")).data
    assert [one["game"] for one in listed] == [one["game"] for one in data if "game" in one]


async def test_people_who_sit_down_at_once_get_seats_of_their_own(
    folder: Path, tiny_chat: Chat, other_chat: Chat
) -> None:
    await tiny_chat.say(f"ann: /play rules:{folder / 'tiny.toml'}")
    people = ["bob", "cem", "dan", "eve", "fay", "gus", "hal", "ida", "jim"]
    for chats in ([tiny_chat] * 3, [tiny_chat, other_chat, tiny_chat]):
        lines = [f"{people.pop(0)}: /join" for _ in chats]
        _, refused = applied(await at_once(chats, lines))
        for sentence in refused:
            assert "has moved on" in sentence
    table = (await tiny_chat.answer("/show")).data
    names = [player["name"] for player in table["players"]]
    assert len(names) == len(set(names)) >= 6
    seen = (await other_chat.answer("/show")).data["players"]
    assert [player["name"] for player in seen] == names


@pytest.mark.slow
async def test_two_programs_at_one_table(folder: Path, tiny_chat: Chat, other_chat: Chat) -> None:
    """Each sees what the other wrote; at once, one of them is told that the game has gone on."""
    chats, turns = [tiny_chat, other_chat], 0
    await tiny_chat.say(play(folder))
    while turns < 12:
        table = (await chats[turns % 2].answer("/show")).data
        if "error" in table:
            break
        name = table["to_move"]
        assert (await chats[1 - turns % 2].answer("/show")).data == table
        line = f"{name}: /roll"
        if table["roll"]:
            best = set_asides(load_rules(str(folder / "tiny.toml")), tuple(table["roll"]))[0]
            line = f"{name}: /keep {dice(best.dice)} {'roll' if turns % 3 else 'bank'}"
        before, _ = await stored(folder)
        events, _ = applied(await at_once(chats, [line, line]))
        now, _ = await stored(folder)
        assert now.version == before.version + len(events)
        turns += 1
    assert turns > 3


async def test_a_stale_view_is_refused_and_the_next_command_sees_the_table(
    folder: Path, tiny_chat: Chat, other_chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await until_roll(tiny_chat, play(folder), folder)
    assert game.turn.roll
    kept = dice(set_asides(game.rules, game.turn.roll)[-1].dice)
    await other_chat.say("/show")
    append = Store.append
    told: list[Reply | None] = []

    async def late(self: Store, *values: Any, **named: Any) -> int:
        if not told:  # somebody is quicker, at the other program
            told.append(None)
            told.append(await tiny_chat.answer(f"ann: /keep {kept}"))
        return await append(self, *values, **named)

    monkeypatch.setattr(Store, "append", late)
    refused = await other_chat.answer(f"ann: /keep {kept} roll")
    assert "has moved on" in refused.data["error"]
    now, _ = await stored(folder)
    assert now.version == game.version + 1
    assert (await other_chat.answer("/show")).data["version"] == now.version
    assert "error" not in (await other_chat.answer("ann: /roll")).data


@pytest.mark.slow
async def test_of_two_programs_one_works_out_what_a_bot_does(
    folder: Path, tiny_chat: Chat, other_chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks has bots go on; nobody goes on with moves that another one makes.

    Programs that look at the same moment both begin a move: the one that is refused then waits.
    So each look can cost the other program one move, and no move after it is refused.
    """
    append, stale, moves, looks = Store.append, 0, 0, 0

    async def noted(self: Store, *values: Any, **named: Any) -> int:
        nonlocal stale, moves
        try:
            version = await append(self, *values, **named)
        except StaleVersionError:
            stale += 1
            raise
        moves += 1
        return version

    monkeypatch.setattr(Store, "append", noted)
    bots = " ".join(["cautious"] * 5)
    while moves <= 10:
        await tiny_chat.say(play(folder, bots))
        for _ in range(5):
            game, _ = await stored(folder)
            if game.over:
                break
            line = "ann: /bank" if game.may_bank else "ann: /roll"
            if game.turn.roll:
                line = f"ann: /keep {dice(set_asides(game.rules, game.turn.roll)[0].dice)}"
            await at_once([tiny_chat, other_chat, other_chat], [line, "/show", "bob: /show"])
            looks += 1
            game, _ = await stored(folder)
            assert game.over or game.mover == 0
        await tiny_chat.say("ann: /end")
        assert stale <= looks


async def test_who_was_forgotten_in_one_program_is_named_by_no_other(
    tiny_chat: Chat, other_chat: Chat, folder: Path
) -> None:
    await tiny_chat.say(play(folder, "@bob @carl"))
    games, bob = tiny_chat.games, spoken_by("bob: /show")[0]
    async for _ in games.leave_all(bob):
        assert "bob" in await other_chat.say("/show")
    # no event tells of it
    await forget(games.tables.store, bob.person.id)
    assert "bob" not in await other_chat.say("/show")


@pytest.mark.slow
async def test_looking_on_never_spoils_a_move(folder: Path, tiny_chat: Chat) -> None:
    """One program alone refuses nothing as being stale, whoever looks at the table."""
    for _ in range(3):
        await tiny_chat.say(play(folder))
        for _ in range(15):
            table = (await tiny_chat.answer("/games")).data
            if not table:
                break
            [table] = table
            line = f"{table['to_move']}: /roll"
            if table["roll"]:
                best = set_asides(load_rules(str(folder / "tiny.toml")), tuple(table["roll"]))[0]
                line = f"{table['to_move']}: /keep {dice(best.dice)} roll"
            lines = ["cem: /show", line, "dan: /show", line, "/games", "/show", line]
            replies = await at_once([tiny_chat] * len(lines), lines)
            for reply in (reply for some in replies for reply in some):
                assert "gone on" not in str(reply.data)
        await tiny_chat.say("ann: /end")


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps", [10, *(pytest.param(number, marks=pytest.mark.slow) for number in (0, 30))]
)
async def test_a_bots_turn_that_is_broken_off_goes_on(
    folder: Path, tiny_chat: Chat, steps: int
) -> None:
    """The task that answers is cancelled after so many turns of the event loop."""
    await tiny_chat.say(play(folder, "level:greedy"))
    heard: list[Reply] = []

    async def listen(line: str) -> None:
        caller_line = tiny_chat.all(line)
        heard.extend(await caller_line)

    for _ in range(3):
        game, _ = await stored(folder)
        if game.over:
            break
        line = "ann: /roll"
        if game.turn.roll:
            best = set_asides(game.rules, game.turn.roll)[0]
            line = f"ann: /keep {dice(best.dice)} roll"
        task = asyncio.create_task(listen(line))
        for _ in range(steps):
            await asyncio.sleep(0.0005)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # what was broken off may be on its way to the file still: it is there before what follows
        await tiny_chat.games.tables.store.write(lambda _: None)
        seen, events = await stored(folder)
        assert len(events) >= game.version
        if seen.over:
            break
        replies = await tiny_chat.all("ann: /show")
        assert "error" not in replies[0].data
        assert replies[0].data["version"] >= seen.version
        now, _ = await stored(folder)
        assert replies[-1].data["version"] == now.version
        assert now.over or now.mover == 0
    await _finish(folder, tiny_chat)


@pytest.mark.slow
async def test_a_listener_who_leaves_in_a_bots_turn_does_not_stop_the_bot(
    folder: Path, tiny_chat: Chat
) -> None:
    left = 0
    for _ in range(20):
        await tiny_chat.say(play(folder, "level:greedy"))
        for _ in range(10):
            game, _ = await stored(folder)
            if game.over:
                break
            line = "/roll"
            if game.turn.roll:
                line = f"/keep {dice(set_asides(game.rules, game.turn.roll)[0].dice)} roll"
            caller, _ = spoken_by("ann: /roll")
            async with aclosing(tiny_chat.commands.answer(line, caller)) as replies:
                async for _ in replies:
                    break
            await asyncio.sleep(0)
            seen, _ = await stored(folder)
            left += bool(seen.bot_to_move)
            if not seen.over:
                await tiny_chat.say("ann: /show")
                now, _ = await stored(folder)
                assert now.over or now.mover == 0
        await tiny_chat.say("ann: /end")
        if left > 2:
            return
    raise AssertionError("no bot's turn was ever left")


async def _finish(folder: Path, chat: Chat) -> None:
    """Play a game to its end, and check its dice."""
    for _ in range(300):
        game, _ = await stored(folder)
        if game.over:
            break
        line = "ann: /roll"
        if game.turn.roll:
            line = f"ann: /keep {dice(set_asides(game.rules, game.turn.roll)[0].dice)}"
        elif game.may_bank:
            line = "ann: /bank"
        assert "error" not in (await chat.all(line))[0].data
    game, events = await stored(folder)
    assert game.over
    assert events[-1].kind == "revealed"
    proof = Proof.model_validate_json((await chat.answer("/proof")).text)
    assert proof.commitment == game.commitment
    assert len(proof.rolls) == game.rolls
    assert verify_proof(proof).problems == ()
