import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Command, Commands, Line, Reply, as_reply, failure, spread
from bot.chat.features import of_answers
from bot.chat.help import GROUPS
from bot.chat.presses import CommandPress, read_press
from bot.languages import language
from bot.services.tables import Caller, Person
from solver.errors import FarkleError, InvalidRequestError
from solver.wording import said_in
from tests.bot.speaking import Chat, open_chat


@pytest.mark.parametrize(
    "line",
    [
        "/advise 6 5 3 3 3 2",
        "/advise 653332",
        "/ADVISE 6,5,3,3,3,2",
        "/advise\t653332",
        "6 5 3 3 3 2",
        "⚅⚄⚂⚂⚂⚁ rules:Facebook",
        "advise ⚅⚄⚂⚂⚂⚁",
        "  /advise   rules:facebook 6 5 3 3 3 2 me:0",
        "/advise 6 5 3 3 3 2 turn:0 me: 0 them=0 farkles:0 their_farkles:0",
    ],
)
async def test_advice_in_the_ways_people_type(chat: Chat, line: str) -> None:
    reply = await chat.answer(line)
    assert [option["set_aside"] for option in reply.data["options"]] == [
        (5,),
        (5, 3, 3, 3),
        (3, 3, 3),
    ]
    assert ["51.10 %" in reply.text, "50.97 %" in reply.text, "50.67 %" in reply.text] == [True] * 3
    assert not reply.ends


async def test_context_reaches_the_advice(chat: Chat) -> None:
    reply = await chat.answer(
        "/advise 5 2 turn:350 me:4,200 them:−500 farkles:1 their-farkles:2 rules:facebook"
    )
    assert reply.data["position"] == {
        "banked": 4200,
        "opponent": -500,
        "turn_total": 350,
        "farkles": 1,
        "opponent_farkles": 2,
        "dice": 2,
        "hot_dice": 0,
        "on_board": True,
        "opponent_on_board": True,
        "began": True,
    }


async def test_a_farkle_tells_what_is_left(chat: Chat) -> None:
    reply = await chat.answer("/advise 2 2 3 3 4 6")
    assert reply.data["farkle"]
    assert "Farkle: nothing scores. Your win probability is now 46.36 %" in reply.text


async def test_odds_before_a_roll(chat: Chat) -> None:
    reply = await chat.answer("/odds turn:350 dice:2 me:4200 them:5000")
    assert reply.data["action"] == "bank"
    assert reply.data["bank"] > reply.data["roll"]
    assert "bank" in reply.text.splitlines()[1]
    assert "best" in reply.text.splitlines()[1]
    start = await chat.answer("/odds")
    assert start.data["win_probability"] == pytest.approx(0.534870, abs=6e-7)
    assert "nothing to bank yet" in start.text
    early = await chat.answer("/odds turn:200 dice:4")
    assert "below the minimum of" in early.text


@pytest.mark.parametrize("line", ["/help all", "/kcd badges"])
async def test_a_long_answer_goes_on_behind_a_button(chat: Chat, line: str) -> None:
    caller = Caller("here", Person("ann", "ann"), manages=True)
    questions: Any = None  # of positions, which are not asked about
    do = of_answers(questions, chat.commands).presses[CommandPress]
    card = (await anext(chat.commands.answer(line, caller))).card()
    shown = [card.text]
    while card.buttons:
        press = read_press(card.buttons[-1].id)
        assert isinstance(press, CommandPress)
        came = await do(caller, press)
        card = as_reply(await anext(spread(came.told))).card()
        shown.append(card.text)
    assert card.files == ()
    assert len(shown) > 1
    # a line for each command or badge, whole and once
    told = re.findall(r"^\*\*(.+?)\*\*", "\n".join(shown), re.M)
    assert len(told) == len({*told}) > 15
    none = CommandPress(f"{line[1:]} 9")
    with pytest.raises(InvalidRequestError, match="out of date"):
        [_ async for _ in (await do(caller, none)).told]


async def test_rules_help_and_quit(chat: Chat) -> None:
    assert "facebook" in (await chat.answer("/rules")).text
    assert "goal is 4,000" in (await chat.answer("/rules kcd")).text
    help_text = (await chat.answer("/help all")).text
    assert all(f"/{name}" in help_text for name in chat.commands.by_name)
    assert len((await chat.answer("/help")).text.splitlines()) < 15
    shown = [(await chat.answer(f"/help {group}")).text for group in GROUPS]
    assert sum(text.count("\n  /") for text in shown) == len(chat.commands.by_name)
    assert "  level:" in (await chat.answer("/help /play")).text
    assert (await chat.answer("/quit")).ends


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("what should I keep 6 5 3 3 3 2", "/advise 6 5 3 3 3 2"),
        ("What do I keep with 6, 5, 3, 3, 3 and 2?", "/advise 6 5 3 3 3 2"),
        ("653332?", "/advise 6 5 3 3 3 2"),
        ("6-5-3-3-3-2, which ones should I keep", "/advise 6 5 3 3 3 2"),
        ("keep the 5 or the triple 6 5 3 3 3 2", "/advise 6 5 3 3 3 2"),
        ("was soll ich behalten 6 5 3 3 3 2", "/advise 6 5 3 3 3 2"),
        ("I rolled 653332 me 4200, them: 5,000!", "/advise 6 5 3 3 3 2 me:4200 them:5000"),
        ("got ⚀ ⚃ ⚄ rules:kcd turn 300", "/advise 1 4 5 rules:kcd turn:300"),
        ("keep 5 3 3 3", "/keep 5 3 3 3"),
        ("hilfe", "/help"),
        ("?", "/help"),
        ("help play", "/help play"),
        ("hilfe advise", "/help advise"),
        ("exit", "/quit"),
    ],
)
async def test_plain_words_are_understood(chat: Chat, line: str, command: str) -> None:
    assert await chat.say(line) == await chat.say(command)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/advise", "No dice given"),
        ("/advise 1 2 3 4 5 6 1", "7 dice are too many"),
        ("/advise 7 1", '"7" is not a die face'),
        ("/advise hello", '"h" is not a die face'),
        ("/advise 1 2 3", "A turn starts with all 6 dice, not 3"),
        ("/advise 123456 me:lots", 'me: takes a whole number, such as me:350, not "lots"'),
        ("/advise 123456 me:120", "Your score cannot be 120"),
        ("/advise 123456 them:10000", "The opponent's score cannot be 10,000"),
        ("/advise 123456 mee:100", '/advise takes no option "mee"; did you mean me?'),
        ("/advise 123456 me:100 me:200", 'The option "me" is given twice'),
        ("/advise 123456 rules:facebok", 'Unknown rule set "facebok"; did you mean facebook?'),
        ("/odds 3 dice:6", '/odds does not take "3"; write /odds dice:N'),
        ("/odds turn:100020 dice:6", "it is a multiple of 50 from 0 to 1,000,000"),
        ("/odds dice:7", "The number of dice cannot be 7"),
        ("/advize 1", 'Unknown command "/advize"; did you mean /advise?'),
        ("what now", '"what now" is not understood; type dice such as 6 5 3 3 3 2'),
        ("I have 4275 and rolled 6 5 3 3", "is not understood; type dice"),
        ("waht", 'Unknown command "waht"; /help lists them'),
        ("/", 'Unknown command "/"; /help lists them'),
        ("/advise 123456 me:42,00", "takes a whole number"),
        ("/advise 65 turn:", 'The option "turn:" needs a value after it'),
        ("/odds dice:x", "such as dice:2"),
        ("/odds hot-dice:x", "such as hot-dice:1"),
        ("/odds hot-dice:-1", "The number of hot dice cannot be -1: it is 0 to"),
        ("/odds on-board:perhaps", 'on-board: takes yes or no, not "perhaps"'),
        ("/odds their-on-board:2", 'their-on-board: takes yes or no, not "2"'),
        ("/odds began:you", 'began: takes me or them, not "you"'),
        ("/rules " + "a" * 300, "Unknown rule set"),
        ("/rules a\0b.toml", "cannot be read (No such file or directory)"),
        ("/quit now", '/quit does not take "now"'),
        ("/rules nobody", 'Unknown rule set "nobody"'),
        ("/rules me:1", '/rules takes options only after "new"'),
        ('/stats "Greedy bot"', '"Greedy bot" is a bot: /leaderboard bots:yes counts its games'),
        ("/stats max-points", '"max-points" is a bot: '),
        ('/stats "greedy bot 2"', '"greedy bot 2" is a bot: '),
        ("/stats greedybob", 'Nobody called "greedybob" has played here'),
        ("/forget", "Type /forget me to delete what is stored about you"),
        ("/tournament new all", '/tournament new takes round-robin or knock-out, not "all"'),
    ],
)
async def test_bad_lines_get_one_sentence(chat: Chat, line: str, sentence: str) -> None:
    reply = await chat.answer(line)
    assert sentence in reply.text
    assert "\n" not in reply.text
    assert reply.data == {"error": reply.text}
    assert reply.private
    assert not reply.ends


async def test_what_is_too_long_is_cut_between_words(chat: Chat) -> None:
    told = await chat.say("/rules new bad goal:1000 foo:3")
    assert re.search(r'^Unknown option "foo"; known are base, .*[a-z], …$', told)
    assert len(told) <= 600


async def test_rules_that_are_not_solved_say_how(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as chat:
        reply = await chat.answer("/advise 123456 rules:kcd")
    assert "The rules kcd are not solved yet: /rules solve kcd" in reply.text
    assert "farkle solve" not in reply.text


ANN, BOB = Person("here:ann", "ann"), Person("here:bob", "bob")


async def test_what_is_typed_and_what_a_front_knows_mean_the_same(chat: Chat) -> None:
    for name, line, typed in [
        ("odds", Line((), {"dice": 2, "turn": 350, "me": -500}), "dice:2 turn:350 me:-500"),
        ("track", Line((BOB,), {"rules": "kcd", "goal": 4000}), "@bob rules:kcd goal:4000"),
        ("score", Line((550,), {}), "550"),
        ("score", Line((BOB, "farkle"), {}), "bob farkle"),
        ("score", Line((ANN,), {}), "ann"),
        ("roll", Line(("1 1 1 5 6 6",), {}), "111566"),
        ("keep", Line(("1 1 1", "bank"), {}), "1 1 1 bank"),
        ("fix", Line((ANN, 600), {}), "ann 600"),
        ("fix", Line((), {"next": ANN}), "next:ann"),
        ("fix", Line((BOB,), {}), "bob"),
        ("stats", Line((ANN, BOB), {}), "@ann bob"),
        ("settings", Line((), {"games": 21}), "games:21"),
    ]:
        caller, told = Caller("here", ANN, manages=True), []
        try:
            answer = chat.commands.by_name[name].answer(line, caller)
            told += [as_reply(one).text async for one in spread(answer)]
        except FarkleError as error:
            told.append(failure(error).text)
        if name == "stats":  # nobody by that name has played here
            assert told == ["ann and bob have not finished a game together yet."]
        else:
            assert told == [reply.text for reply in await chat.all(f"ann: /{name} {typed}")]


async def test_a_reply_is_put_into_words_where_it_is_read(chat: Chat) -> None:
    reply = await chat.answer("/advise 6 5 3 3 3 2")
    assert "51.10 %" in reply.text
    assert "51,10 %" in said_in(language("de"), lambda: reply.text)


async def test_an_estimate_shows_no_more_decimals_than_it_has(chat: Chat) -> None:
    """Chances within 0.7 have one decimal, exact ones two; the risk of a farkle is exact."""
    within = {
        "/advise 5 1 6 6 4 3 them:100,200": [],
        "/advise 6 4 3 2 turn:300 them:100,200": [],
        "/odds turn:300 dice:4 them:100,200": ["15.74 %"],
        "/track @bob @carl": [],
        "/score 300": [],
    }
    for line, exact in within.items():
        text = (await chat.answer(line)).text
        assert re.findall(r"\d+\.\d %", text), text
        assert re.findall(r"\d+\.\d\d %", text) == exact
    exactly = (await chat.answer("/odds turn:300 dice:4 them:100")).text
    assert len(re.findall(r"\d+\.\d\d %", exactly)) == 3


async def test_commands_of_others_come_between_those_of_one_person() -> None:
    begun: list[str] = []
    told: list[str] = []
    all_told = asyncio.Event()

    async def answer(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        begun.append(caller.person.name)
        await asyncio.sleep(0)
        yield Reply(line, str)
        await asyncio.Event().wait()  # as a match that shows its moves

    async def resume(caller: Caller) -> AsyncIterator[Reply]:
        yield Reply(caller, str)

    async def rule_names(_: str) -> list[str]:
        return []

    async def give(name: str) -> None:
        async for reply in commands.answer("/advise", Caller("here", Person(name, name))):
            told.append(reply.text)
            if len(told) == 6:
                all_told.set()

    commands = Commands([Command("/advise", "", answer, ())], resume, rule_names, lambda _: [])
    given = [asyncio.create_task(give(name)) for name in (*["mallory"] * 5, "ann")]
    await all_told.wait()
    assert begun == ["mallory", "ann", *["mallory"] * 4]
    for one in given:
        one.cancel()
    await asyncio.wait(given)
