"""Levels of people: of one game what its review says, of many the sums of their reviews."""

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from math import sqrt

import numpy as np
import pytest

from bot.features.records.view import record_text
from bot.layout import text_width
from bot.review.review import BANDS
from bot.services.levels import PlayerLevel, PlayerRecord, level_of, weak_spot
from bot.store.records import PersonStats
from bot.store.rows import PlayedGame
from solver.play.drills import Spot
from solver.rules.file import load_rules
from solver.turn.dice import make_roll, set_asides
from tests.bot.speaking import Chat

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def game(decisions: int, loss: float, share: float | None = 1.0, **more: float) -> PlayedGame:
    without_luck = more.get("without_luck")
    return PlayedGame(0, decisions, loss, without_luck, {}, [], "g", NOON, share)


async def one_game(chat: Chat, seed: int) -> None:
    """Two people play as a coin has it."""
    coin, rules = random.Random(seed), load_rules("kcd")
    await chat.say("ann: /play @bob rules:kcd")
    while tables := (await chat.answer("ann: /games")).data:
        [table] = tables
        name = table["to_move"]
        if table["roll"]:
            choices = set_asides(rules, make_roll(table["roll"]))
            kept = "".join(map(str, coin.choice(choices).dice))
            await chat.say(f"{name}: /keep {kept} {coin.choice(['roll', 'bank'])}")
        else:
            await chat.say(f"{name}: {'/bank' if table['may_bank'] else '/roll'}")


@pytest.mark.slow
async def test_of_one_game_it_is_what_the_review_says(chat: Chat) -> None:
    await one_game(chat, 1)
    review = (await chat.all("ann: /review"))[-1]
    for player in review.data["players"]:
        told = (await chat.all(f"/stats {player['name']}"))[-1]
        level = told.data["level"]
        assert level["band"] == player["band"]
        assert level["decisions"] == player["decisions"]
        assert level["mean_loss"] == pytest.approx(player["mean_loss"])
        assert level["won"] == player["result"]
        assert level["won_without_luck"] == pytest.approx(player["luck_adjusted_result"])
        assert f"level of play       {player['band']}" in told.text
        assert told.data["not_reviewed"] == 0


async def test_a_game_that_is_not_solved_has_no_share_in_it(chat: Chat) -> None:
    for line in ("ann: /track @bob rules:facebook goal:49950", "ann: /roll 1 1 5 2 3 4",
                 "ann: /keep 1 1 5 bank", "bob: /resign sure:yes"):  # fmt: skip
        await chat.say(line)
    told = (await chat.all("ann: /stats"))[-1]
    assert (told.data["games"], told.data["level"], told.data["not_reviewed"]) == (1, None, 0)
    assert "level" not in told.text


def test_games_count_by_their_decisions() -> None:
    level = level_of([game(10, 0.05, without_luck=0.7), game(30, 0.03, 0.0, without_luck=0.2)])
    assert level is not None
    assert replace(level, mean_loss=0.002, won_without_luck=0.9) == PlayerLevel(
        2, 40, 0.002, None, 2, 1.0, 0.9, None
    )
    assert (level.mean_loss, level.won_without_luck) == pytest.approx((0.002, 0.9))
    assert level.band == "strong"
    assert level_of([]) is level_of([game(0, 0.0)]) is None


def test_games_without_a_result_count_for_decisions_alone() -> None:
    level = level_of([game(10, 0.05, without_luck=0.7), game(10, 0.05, None)])
    assert level is not None
    assert (level.games, level.decisions, level.with_result, level.won) == (2, 20, 1, 1.0)


def test_how_far_it_may_be_off_is_what_it_is_off_by() -> None:
    """The means of 95 in 100 samples of games are within what is told."""
    rng = np.random.default_rng(1)
    skill, inside, samples = 0.004, 0, 2000
    for _ in range(samples):
        numbers = rng.integers(5, 40, size=30)
        losses = [rng.exponential(skill, size=number).sum() for number in numbers]
        found = level_of(
            [game(int(number), float(loss)) for number, loss in zip(numbers, losses, strict=True)]
        )
        assert found is not None
        assert found.within is not None
        inside += abs(found.mean_loss - skill) <= found.within
    off = 4 * sqrt(0.05 * 0.95 / samples)
    assert 0.95 - off - 0.02 <= inside / samples <= 0.95 + off  # 30 games are a few too few


LEAST = [0.0, *(most for most, _ in BANDS)]


@pytest.mark.parametrize("number", range(len(BANDS)))
def test_every_level_is_told_with_its_threshold(number: int) -> None:
    stats = PersonStats(3, 1.0, 99.96, 1000, 1, 5, 20)
    most, band = BANDS[number]
    mean = (LEAST[number] + most) / 2
    level = PlayerLevel(3, 1000, mean, 0.001, 3, 1.0, 1.25, Spot.MANY_DICE)
    told = record_text("ann", PlayerRecord(stats, level, 2))
    assert f"level of play       {band}\n" in told
    assert re.search("accuracy +99.9\n", told), "as a review says it: only perfect play has 100"
    flat = " ".join(told.split())
    assert "perfect 0.00, expert 0.10, strong 0.25, club 0.50, casual 1.20, beginner." in flat
    assert "2 more games are still to be reviewed" in flat
    assert max(map(text_width, told.split("\n"))) <= 79
    table = told.split("\n1,")[0]
    assert max(map(text_width, table.split("\n"))) <= 46  # a phone


def spots(**found: tuple[int, float]) -> PlayedGame:
    return replace(game(1, 0.0), spots={str(Spot[name]): one for name, one in found.items()})


def test_a_spot_is_weak_where_decisions_cost_most() -> None:
    many = spots(MANY_DICE=(100, 0.4), NEAR_GOAL=(30, 0.3))
    assert weak_spot([many]) is Spot.NEAR_GOAL
    assert weak_spot([many, spots(FEW_DICE=(60, 2.0))]) is Spot.FEW_DICE
    assert weak_spot([many] * 5 + [spots(OPENING=(1, 0.05))]) is Spot.NEAR_GOAL  # once is nothing
    assert weak_spot([]) is weak_spot([spots(MANY_DICE=(3, 0.0))]) is None
