"""Whatever the program tells people to type, it takes: in every language, where it makes sense."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

from bot.cli.main import farkle
from bot.fronts.discord.front import dice_in
from bot.fronts.discord.slash import RULES_COMMANDS
from bot.languages import CATALOGUES, language, language_codes
from bot.services.rule_options import OPTION_HELP
from solver.wording import said_in, say, speak
from tests.bot.services.test_house_rules import GOES_WITH
from tests.bot.slash_options import slash_options
from tests.bot.speaking import Chat, open_chat

GAME = ("ann: /play @bob rules:kcd",)
BEGUN = (*GAME, "ann: /roll")
REAL_DICE = ("bob: /track @ann rules:facebook", "bob: /score 500")
ROLLED = ("ann: /track @bob rules:facebook", "ann: /roll 6 5 3 3 3 2")
OVER = ("ann: /play @bob rules:kcd", "ann: /roll", "bob: /resign sure:yes")
WITH_BADGE = "ann: /track @bob my-dice:ordinary*6 goal:600 my-badge:"
FARKLED = (
    f"{WITH_BADGE}tin-resurrection",
    "ann: /roll 5 5 3 3 2 1",
    "ann: /keep 5 5 1",
    "ann: /roll 4 3 2",
)
SUNDAY = ("ann: /rules new sunday base:classic goal:2000",)

SAID: dict[str, tuple[str, ...]] = {
    "/advise": ROLLED,
    "/advise 6 5 3 3 3 2": (),
    "/bank": (*ROLLED, "ann: /keep 5 3 3 3"),
    "/dice": (),
    "/settings threads:no": (),
    "/drill": (),
    "/drill answer 2": ("ann: /drill",),
    "/duel optimal threshold:300 rules:kcd": (),
    "/end": GAME,
    "/fix ann 4200": REAL_DICE,
    "/fix next:ann": REAL_DICE,
    "/forget me": (),
    "/games": (),
    "/help": (),
    "/help advise": (),
    "/join": ("bob: /track",),
    "/join level:optimal": ("ann: /play @bob rules:kcd",),
    "/kcd badges": (),
    "/kcd dice": (),
    "/keep": (),
    "/leaderboard": (),
    "/leaderboard bots:yes": (),
    "/leave bob": REAL_DICE,
    "/match optimal cautious": (),
    "/odds": (),
    "/play": (),
    "/play draft:choose": (),
    "/play level:optimal": (),
    "/proof": OVER,
    "/quit": (),
    "/resign": GAME,
    "/review": ("ann: /track @bob rules:facebook", "ann: /score 500", "bob: /resign sure:yes"),
    "/roll": GAME,
    "/roll 6 5 3 3 3 2": ("ann: /track @bob",),
    "/rules": (),
    "/rules cancel sunday": (),
    "/rules delete sunday": SUNDAY,
    "/rules new": (),
    "/rules solve sunday": SUNDAY,
    "/rules use sunday": SUNDAY,
    "/score ann 550": REAL_DICE,
    "/score farkle": ("ann: /track @bob",),
    "/show": GAME,
    "/stats ann bob": OVER,
    "/track": (),
    "/track @bob @carl me:no": (),
    "/undo": (*ROLLED, "ann: /keep 5 3 3 3"),
    "/use 4 4 now 5 1": (f"{WITH_BADGE}gold-swapout", "ann: /roll 4 4 3 3 2 1"),
    "/use 5 5 3": FARKLED,
    "/use no": FARKLED,
}
"""What sentences tell people to type, and what is said before that."""

AFTER_NAMES = {"/fix", "/score", "/seed", "/rules", "/rules show", "/rules use", "/rules solve"}
"""What has a name or a text after it where it is told, or a part of the sentence."""

HELP: dict[str, tuple[str, ...]] = {
    "keep": ROLLED,
    "roll": REAL_DICE,
    "score": REAL_DICE,
    "fix": REAL_DICE,
    "leave": REAL_DICE,
    "use": FARKLED,
}
"""What is said before the examples of /help, where that matters."""

_COMMAND = re.compile(
    r"(?<![/\w])/[a-z][a-z-]{2,}(?: (?:[a-z0-9][\w:.@-]*|@[a-z]+|\{[a-z]+\}|[A-Z]{3,}))*"
)
_TYPED = re.compile(r"\d|[a-z-]+:\S|@|(?:ann|bob|carl|sunday|optimal|cautious|farkle|me)$")


@pytest.fixture(
    params=[
        pytest.param(code, marks=[] if code == "en" else pytest.mark.slow)
        for code in language_codes()
    ]
)
async def chat_in(
    request: pytest.FixtureRequest, data: Path, kernels: Path, tmp_path: Path
) -> AsyncIterator[Chat]:
    """A chat in one of the languages, with the code that other tests compiled."""
    speak(language(request.param))
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path, data / "strategies") as chat:
        yield chat


async def check(chat: Chat, line: str) -> None:
    """The line is taken."""
    reply = await chat.first(line)
    assert not (isinstance(reply.data, dict) and "error" in reply.data), (line, reply.text)


async def prepare(chat: Chat, lines: tuple[str, ...]) -> None:
    """Put away what is open, and say these lines."""
    await chat.all("/end")
    for line in lines:
        await chat.first(line)


@pytest.mark.slow
async def test_every_line_that_a_sentence_tells_is_taken(chat_in: Chat) -> None:
    for line, before in SAID.items():
        if line in {"/keep", "/rules cancel sunday"}:
            continue  # named in sentences, with more to say
        await prepare(chat_in, before)
        await check(chat_in, f"ann: {line}")


def test_every_line_in_a_sentence_is_known_here() -> None:
    """What looks like an argument belongs to a line that is tried."""
    for code in language_codes():
        if code == "en":
            continue
        with (CATALOGUES / f"{code}.po").open("rb") as file:
            messages = [one for one in read_po(file) if one.id]
        for message in messages:
            for texts in (message.id, message.string):
                for text in (texts,) if isinstance(texts, str) else texts or ():
                    for found in _COMMAND.findall(text):
                        check_known(found)


def check_known(found: str) -> None:
    words = found.rstrip(".:").split()
    known = [
        number
        for number in range(len(words), 0, -1)
        if " ".join(words[:number]) in SAID or " ".join(words[:number]) in AFTER_NAMES
    ]
    assert known or words[0].removeprefix("/") in slash_options() or words[0] == "/rules", found
    rest = words[known[0] if known else 1 :]
    filled = rest and ("{" in rest[0] or rest[0].rpartition(":")[2].isupper())
    if words[0] == "/rules" and rest and rest[0] in {*RULES_COMMANDS, "{word}"}:
        return
    assert not rest or filled or not _TYPED.match(rest[0]), found


@pytest.mark.slow
async def test_the_examples_of_help_are_taken(chat: Chat) -> None:
    seen = 0
    for name, command in chat.commands.by_name.items():
        await prepare(chat, HELP.get(name, ()))
        told = (await chat.first(f"ann: /help /{name}")).text
        for line in command.examples:
            assert line in " ".join(told.split())
            await check(chat, f"ann: {line}")
            seen += 1
    assert seen > 10


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    "line",
    ["/advise 6 5 3 3 3 2 {}:lots", "/odds {}:lots", "/play {}:lots", "/settings {}:lots",
     "/match greedy cautious {}:lots", "/fix ann {}:lots"],
)  # fmt: skip
async def test_the_numbers_that_are_given_as_examples_are_taken(chat_in: Chat, line: str) -> None:
    name = line.split(maxsplit=1)[0].removeprefix("/")
    for option in chat_in.commands.by_name[name].options:
        rare = {"goal", "throws", "points-to-confirm", "rounds", "left", "left-dice", "to-beat"}
        rare |= {"held-set"}
        if option in rare and name in {
            "advise",
            "odds",
        }:
            continue  # such rules have to be solved first, and what is left goes with dice
        fixed = (f"{WITH_BADGE}gold-might",) if option == "uses" else REAL_DICE
        await prepare(chat_in, fixed if name == "fix" else ())
        wrong = line.format(option)
        told = (await chat_in.first(wrong)).text
        if found := re.search(rf"(?:such as|etwa) ({option}:[0-9]+)", told):
            with_it = wrong.replace(f"{option}:lots", found[1])
            # the points of a turn say how many dice are left, and the other way round
            more = {"turn:350": " dice:2", "dice:2": " turn:350"}.get(found[1], "")
            roll = with_it.replace("6 5 3 3 3 2", "5 2") if more else with_it
            await check(chat_in, roll + (more if name == "odds" else ""))


@pytest.mark.slow
async def test_the_options_of_rules_are_taken(chat_in: Chat) -> None:
    told = (await chat_in.first("/rules new")).text
    [whole] = re.findall(r"^ +(/rules new .*)$", told, re.MULTILINE)
    for options in [
        whole.removeprefix("/rules new sunday "),
        "three-pairs:750 straight-1-6:1500",  # the description of Discord's option more:
        *(option for option, _ in OPTION_HELP),
    ]:
        needed = GOES_WITH.get(options.split(":")[0], "") if " " not in options else ""
        await check(chat_in, f"ann: /rules new sunday {needed} {options}")
        await check(chat_in, "ann: /rules delete sunday")


async def test_rules_that_are_not_solved_say_what_to_type(chat_in: Chat) -> None:
    assert "/rules solve zilch" in (await chat_in.first("/play level:optimal rules:zilch")).text
    told = (await chat_in.first("/play level:optimal rules:zilch goal:9000")).text
    found = re.search(r"/rules new NAME (base:\S+ goal:\d+)", " ".join(told.split()))
    assert found
    await check(chat_in, f"ann: /rules new tuesday {found[1]}")


async def test_dice_that_are_given_as_examples_are_taken(chat_in: Chat) -> None:
    for wrong in ("", "7", "1 2 3 4 5 6 1"):
        told = (await chat_in.first(f"/advise {wrong}")).text
        found = re.search(r"[1-6]( [1-6]){5}\.$", told)
        assert found, told
        await check(chat_in, f"/advise {found[0]}")
    meaning = next(one.meaning for one in slash_options()["advise"] if one.name == "dice")
    for code in language_codes():
        examples = re.findall(r"[1-6](?: ?[1-6]){5}", said_in(language(code), say, meaning))
        assert len(examples) == 2
        for dice in examples:
            await check(chat_in, f"/advise {dice}")
            assert dice_in(dice) == dice


def test_the_dice_in_the_help_of_the_command_line_are_taken(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(data))
    shown = " ".join(CliRunner().invoke(farkle, ["advise", "--help"]).output.split())
    found = re.search(r"such as ([1-6 ]+) or ([1-6]+)\.", shown)
    assert found
    for dice in found.groups():
        done = CliRunner().invoke(farkle, ["advise", *dice.split()])
        assert done.exit_code == 0, done.output
