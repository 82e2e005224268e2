"""Drills in Discord: private from the first word, one message that each press changes."""

import asyncio
from typing import Any

import pytest

from bot.features.practice.drill import Drilled, DrillQuestion, DrillVerdict
from bot.features.practice.view import drill_page, verdict_page
from bot.languages import language as language_of
from bot.languages import language_codes
from bot.layout import MOST_IN_MESSAGE
from bot.views.card import Card
from solver.game.best import Strategy
from solver.play.advice import advise, position_id, with_why
from solver.play.daily import Question, chance_of
from solver.play.drills import Spot, drawn
from solver.wording import said_in
from tests.bot.features.practice.test_drill import NOON
from tests.bot.fronts.discord.loopback import Loopback, Message, user
from tests.bot.fronts.discord.play import shown

ANN, BOB = user("11", "Ann"), user("12", "Bob_*x*") | {"locale": "de"}
BADLY_PLAYED: list[tuple[str, dict[str, Any]]] = [
    ("track", {"player2": BOB, "rules": "kcd"}),
    ("roll", {"dice": "1 1 1 5 2 3"}),
    ("keep", {"dice": "5", "then": "bank"}),
    ("score", {"who": BOB, "points": 1500}),
    ("roll", {"dice": "2 2 2 5 4 6"}),
    ("keep", {"dice": "5", "then": "bank"}),
    ("resign", {"sure": "yes"}),
]


async def becomes(message: Message, start: str) -> None:
    """Wait until a message begins so."""
    for _ in range(3000):
        if message.text.startswith(start):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(message.text)


@pytest.mark.slow
@pytest.mark.usefixtures("bot")
async def test_the_own_decisions_are_asked_in_one_private_message(discord: Loopback) -> None:
    for name, given in BADLY_PLAYED:
        table = await shown(await discord.slash(ANN, name, **given))
    public = len(discord.public())
    asked = await shown(await discord.slash(ANN, "drill"))
    assert asked.ephemeral
    assert asked.text.startswith("**Your decision of ")
    assert asked.labels[1] == "Keep 5 1 1 1 and bank 1,050"
    assert len({one["custom_id"] for one in asked.buttons}) == 6

    await discord.press(ANN, asked, "Keep 5 1 1 1 and bank")
    await becomes(asked, "Right: keep 5 1 1 1 and bank 1,050 is best.\nIn the game you chose to")
    assert "Why bank: banking gives you" in asked.text
    assert asked.labels == ["Next ▶"]
    await discord.press(ANN, asked, "Next")
    await becomes(asked, "**Your decision of ")
    assert ", turn 2**\n6 5 4 2 2 2: you 50, them 1,500" in asked.text
    pressed = asked.button("Keep 5 and bank")["custom_id"]
    await discord.press(ANN, asked, custom_id=pressed)
    await becomes(
        asked, "Not the best: keep 5 and bank 50 costs 5.63 percentage points.\nYou chose"
    )
    assert "You get this position again in 10 minutes." in asked.text
    await discord.press(ANN, asked, custom_id=pressed)
    await becomes(asked, "You have answered already")
    assert len(discord.public()) == public
    assert table in discord.public()


@pytest.mark.slow
@pytest.mark.usefixtures("bot")
async def test_after_a_position_of_three_players_comes_another(discord: Loopback) -> None:
    asked = await shown(await discord.slash(ANN, "drill", players=3, rules="kcd"))
    assert " and " in asked.text.partition(", them ")[2].partition(", kcd rules")[0]
    await discord.press(ANN, asked, asked.labels[0])
    await becomes(asked, "")
    for _ in range(3000):
        if asked.labels == ["Next ▶"]:
            break
        await asyncio.sleep(0.02)
    assert "The others would then win" in asked.text
    await discord.press(ANN, asked, "Next")
    await becomes(asked, "Once you have finished")
    assert " and " in asked.text.partition(", them ")[2].partition(", kcd rules")[0]


@pytest.mark.usefixtures("bot")
async def test_a_press_on_what_was_never_asked_is_refused(discord: Loopback) -> None:
    asked = await shown(await discord.slash(BOB, "drill"))
    assert asked.text.startswith("Sobald du ein Spiel")
    for odd in ("f:CZT1-7YZ9-SYP:1", "f:11111:9", asked.buttons[0]["custom_id"][:-1] + "9"):
        refused = await shown(await discord.press(BOB, asked, custom_id=odd))
        assert refused.ephemeral
        assert refused is not asked
    other = await shown(await discord.press(ANN, asked, custom_id=asked.buttons[0]["custom_id"]))
    assert "/drill asks one" in other.text
    assert asked.edits == 0
    typed = await shown(await discord.slash(BOB, "drill", what="answer", number=1))
    assert typed.ephemeral


def cards(asked: DrillQuestion, verdict: DrillVerdict) -> tuple[Card, Card]:
    return drill_page(asked).card, verdict_page(verdict).card


def test_the_longest_messages_fit(strategies: dict[str, Strategy]) -> None:
    for name in ("kcd", "facebook", "classic"):
        strategy = strategies[name]
        found = drawn(strategy, None, chance_of(name))
        question = Question(found.rules, found.position, found.roll, (found.choices * 6)[:6])
        text = position_id(question.rules, question.position, question.roll) or ""
        drill = Drilled(question, text, True, 99, NOON, 1)
        why = with_why(strategy, advise(strategy, question.position, question.roll))
        asked = DrillQuestion(drill, Spot.FARKLES, 1000, 1000, 1000, 1000, 1000)
        verdict = DrillVerdict(drill, 0, False, NOON.replace(year=2027), NOON, why)
        for code in language_codes():
            for card in said_in(language_of(code), cards, asked, verdict):
                assert len(card.text) < MOST_IN_MESSAGE
                assert len({one.row for one in card.buttons}) <= 5
