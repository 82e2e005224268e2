"""A tournament in Discord, pressed from beginning to end, and over a restart of the bot."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.bot.fronts.discord.loopback import Loopback, Message, user
from tests.bot.fronts.discord.phone import LOOKS, Phone
from tests.bot.fronts.discord.play import shown
from tests.bot.fronts.discord.process import running
from tests.bot.fronts.discord.test_at_once import CALLED, answered
from tests.bot.fronts.discord.test_at_once import PEOPLE as EVERYBODY
from tests.bot.fronts.discord.test_evening import PICTURES, Evening
from tests.bot.fronts.discord.test_phone import NAMES
from tests.bot.waiting import until
from tests.conftest import rarely

ANN, BOB, EVE = user("11", "Ann"), user("12", "Bob_*x*"), user("13", "Eve") | {"locale": "de"}
PEOPLE = {one["global_name"]: one for one in (ANN, BOB, EVE)}


def games_of(message: Message) -> list[str]:
    """The labels of the games to play."""
    return [label for label in message.labels if " – " in label]


async def lose(discord: Loopback, label: str) -> Message:
    """The second of a pairing resigns; what is told of the tournament then."""
    _, loser = label.removeprefix("▸ ").split(" – ")
    wants = await shown(await discord.slash(PEOPLE[loser], "end"))
    assert wants.ephemeral, "nobody takes back a game that they might lose"
    told = len(discord.public())
    await shown(await discord.slash(PEOPLE[loser], "resign", sure="yes"))
    await until(lambda: len(discord.public()) == told + 2)
    return discord.public()[-1]


@pytest.mark.slow
async def test_a_tournament_over_a_restart(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord) as bot:
        asked = {"what": "new", "rules": "kcd"}
        lobby = await shown(await discord.slash(ANN, "tournament", **asked))
        assert lobby.labels == ["Join", "Leave", "Start"]
        assert lobby.button("Start")["disabled"]
        await shown(await discord.press(BOB, lobby, "Join"))
        assert "Bob\\_\\*x\\* takes part." in lobby.text
        twice = await shown(await discord.press(BOB, lobby, "Join"))
        assert twice.ephemeral
        assert twice.text == "You take part in this tournament already."
        await shown(await discord.press(EVE, lobby, "Join"))
        refused = await shown(await discord.press(BOB, lobby, "Start"))
        assert refused.text.startswith("Only Ann, who made the tournament, or someone who")
        await shown(await discord.press(ANN, lobby, "Start"))
        assert "Played: 0 of 3." in lobby.text
        assert discord.public() == [lobby]
        assert await bot.end() == 0, bot.log
    [label] = games_of(lobby)
    pressed = lobby.button(label)["custom_id"]
    begins, _ = label.split(" – ")
    [free] = {*PEOPLE} - {*label.split(" – ")}
    async with running(folder, discord) as bot:
        # the button of before the restart
        table = await shown(await discord.press(PEOPLE[begins], lobby, label))
        assert not {"Join", "Leave"} & {*table.labels}
        await until(lambda: games_of(lobby) == [f"▸ {label}"])
        looked = await shown(await discord.press(PEOPLE[free], lobby, "▸"))
        assert looked.labels == table.labels, "who does not play in it may look"
        message = await lose(discord, label)
        for number in range(1, 3):
            assert f"Played: {number} of 3" in message.text, "whoever gave the game up"
            [label] = games_of(message)
            begun = await discord.press(PEOPLE[label.split(" – ")[0]], message, label)
            assert not (await shown(begun)).ephemeral
            message = await lose(discord, label)
        assert message.labels == []
        assert re.match("🏆 .+ (wins the|share the win of the)", message.text)
        assert len(re.findall(r"\d of 2$", message.text, re.MULTILINE)) == 3
        old = await shown(await discord.press(BOB, lobby, custom_id=pressed))
        assert old is lobby
        assert re.match("🏆 .+ (wins the|share the win of the) tournament", old.text)
        assert await bot.end() == 0, bot.log


@pytest.mark.slow
async def test_a_knock_out_in_german(folder: Path, discord: Loopback) -> None:
    async with running(folder, discord) as bot:
        asked = {"what": "new", "form": "knock-out", "rules": "kcd"}
        lobby = await shown(await discord.slash(EVE, "tournament", **asked))
        assert lobby.text.startswith("Turnier, K.-o.-System, Regeln kcd, 4.000 Punkte.")
        await shown(await discord.press(ANN, lobby, "Mitspielen"))
        await shown(await discord.press(EVE, lobby, "Start"))
        assert "Finale:" in lobby.text
        assert lobby.text.count(" – ") == 1, "what is to be played is said by the buttons"
        await shown(await discord.press(EVE, lobby, games_of(lobby)[0]))
        await until(lambda: "▸ " in lobby.text)
        left = await shown(await discord.slash(ANN, "tournament", what="withdraw"))
        gives_up, ends, *rest = left.text.splitlines()
        assert gives_up == "Ann gibt auf.", "in the game that was under way"
        assert re.fullmatch(r"Eve gewinnt: (Ann|Eve) 0, (Ann|Eve) 0\.", ends)
        assert rest[:2] == ["Ann nimmt nicht mehr teil.", "🏆 Eve gewinnt das Turnier."]
        over = await shown(await discord.slash(ANN, "tournament"))
        assert over.text.startswith("🏆 Eve gewinnt das Turnier."), (
            "in the language that it was made in"
        )
        host = ANN | {"permissions": 1 << 4}
        await shown(await discord.slash(host, "settings", language="en"))
        over = await shown(await discord.slash(EVE, "tournament"))
        assert over.text.startswith("🏆 Eve wins the tournament."), "in that of the channel"
        assert await bot.end() == 0, bot.log


@pytest.mark.usefixtures("parts")
async def test_a_tournament_takes_all_at_once_and_begins_once(discord: Loopback) -> None:
    asked = {"what": "new", "form": "knock-out", "rules": "kcd"}
    message = await shown(await discord.slash(EVERYBODY[0], "tournament", **asked))
    join = message.button("Join")["custom_id"]
    joined = [discord.press(one, message, custom_id=join) for one in EVERYBODY[1:]]
    assert [await answered(one) for one in await asyncio.gather(*joined)] == [[]] * 12
    assert all(name in message.text for name in CALLED)
    start = message.button("Start")["custom_id"]
    started = [discord.press(EVERYBODY[0], message, custom_id=start) for _ in range(2)]
    told = [await answered(one) for one in await asyncio.gather(*started)]
    assert sorted(told) == [[], ["The tournament has begun already."]]
    pair = message.buttons[0]["custom_id"]
    begun = [discord.press(EVERYBODY[0], message, custom_id=pair) for _ in range(2)]
    told = [await answered(one) for one in await asyncio.gather(*begun)]
    games = {game for one in discord.public() for game in re.findall(r"Game (\w+),", one.text)}
    assert len(games) == 1, "the later one is refused, or looks at the game where it has begun"
    assert len(discord.public()) + sum(map(len, told)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("code", rarely(["en", "de"], "en"))
@pytest.mark.usefixtures("parts")
async def test_a_tournament_fits_on_a_phone(code: str, discord: Loopback) -> None:
    people = {name: user(str(11 + k), name) | {"locale": code} for k, name in enumerate(NAMES[:3])}
    told = {one["id"]: one["global_name"] for one in people.values()}
    evening = Evening(discord, Phone(LOOKS["dark"], told))
    host, *others = people.values()
    card = await evening.slash(host, "tournament", what="new", form="knock-out", rules="kcd")
    for one in others:
        await evening.press(one, card, "join")
    await evening.press(host, card, "start")
    while pairs := [one for one in card.buttons if "-" in one["custom_id"].split(":")[-1]]:
        first, second = (one[:5] for one in pairs[0]["label"].split(" – "))
        by, loses = (next(p for p in people if p.startswith(one)) for one in (first, second))
        await evening.press(people[by], card, pairs[0]["custom_id"].split(":")[-1])
        number = len(discord.public()) + 2
        resigned = await discord.slash(people[loses], "resign", sure="yes")
        evening.saw(f"{loses} resigns", await shown(resigned))
        await until(lambda: len(discord.public()) >= number)  # noqa: B023
        card = evening.saw("the tournament", discord.public()[-1])
    if PICTURES:
        evening.write(Path(PICTURES, f"tournament-{code}"))
    assert evening.phone.cut == []
