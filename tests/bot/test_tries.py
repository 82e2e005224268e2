"""Dice that farkle and are thrown again: chances, games by commands and presses, reviews."""

import random
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from bot.languages import language
from bot.services import tables
from bot.table import commands
from bot.table.events import Kept, Rolled
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.rules_text import rules_text
from bot.views.table_buttons import why_not
from solver.errors import IllegalActionError
from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.sweeps import solve
from solver.play.advice import advise, odds
from solver.turn.dice import dice_set
from solver.wording import said_in
from tests.bot.known_dice import fixed_secrets
from tests.bot.played import adding_up, played, wins_as_often_as_it_says
from tests.bot.speaking import Chat
from tests.house_rules import small

RULES = small(first_throw_tries=0, last_die_tries=3)


@pytest.mark.parametrize(
    ("dice", "total", "tries", "chance"),
    [(3, 0, 0, 0.0), (3, 200, 1, 60 / 216), (2, 100, 1, 16 / 36), (1, 150, 3, (4 / 6) ** 3)],
)
def test_a_throw_is_worth_what_its_rolls_are(
    strategy: Strategy, dice: int, total: int, tries: int, chance: float
) -> None:
    """Before each try rolling is worth the average of what the rolls are worth."""
    position = Position.of_two(100, 250, turn_total=total, dice=dice)
    asked = odds(strategy, position)
    assert asked.farkle_probability == pytest.approx(chance, abs=1e-15)
    thrown, expected = dice_set(RULES), asked.roll
    for misses in range(max(1, tries)):
        found = [
            (ways / thrown.ways(dice), advise(strategy, position, roll, misses))
            for roll, ways in thrown.rolls(dice)
        ]
        rolled = fsum(part * one.win_probability for part, one in found)
        assert rolled == pytest.approx(expected, abs=1e-12)
        farkles = [one for _, one in found if one.farkle]
        assert all(one.is_again == (misses + 1 != tries) for one in farkles)
        expected = farkles[0].win_probability


def tracked() -> Game:
    return begin(commands.begin_game("g", RULES, [None, None], tracked=True))


def test_dice_are_thrown_again_before_anything_else() -> None:
    game = tracked()
    for _ in range(20):
        game = apply(game, *commands.roll(game, 0, (2, 3, 6)))
        assert (game.mover, game.number_of_dice, game.last) == (0, 3, None)
    game = apply(game, *commands.roll(game, 0, (1, 5, 6)))
    game = apply(game, Kept(dice=(1, 5)))
    assert game.may_bank
    for misses in (1, 2):
        game = apply(game, *commands.roll(game, 0, (3,)))
        assert (game.turn.misses, game.may_bank) == (misses, False)
    with pytest.raises(IllegalActionError, match="thrown again"):
        commands.bank(game, 0)
    with pytest.raises(IllegalActionError, match="thrown again"):
        commands.check_hints(game)
    assert any("thrown again" in why for why in why_not(game, 0))
    hot = apply(apply(game, *commands.roll(game, 0, (5,))), Kept(dice=(5,)))
    assert (hot.turn.turn_total, hot.turn.misses, hot.may_bank) == (200, 0, True)
    # after hot dice it is no first throw any more
    assert apply(hot, *commands.roll(hot, 0, (2, 3, 6))).mover == 1
    lost = apply(game, *commands.roll(game, 0, (4,)))
    assert (lost.mover, lost.seats[0].score, lost.seats[0].farkled) == (1, 0, 1)


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    wins_as_often_as_it_says(strategy, 42, 400)


def test_a_review_adds_up(strategy: Strategy) -> None:
    dice, again = random.Random(43), 0
    for _ in range(5):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)
        again += sum(isinstance(a, Rolled) and isinstance(b, Rolled) for a, b in pairwise(events))
    assert again


@pytest.mark.slow
@pytest.mark.parametrize("some", [{"throws": 2}, {"throws": 3, "final_throws": 1}])
def test_games_end_with_the_last_throws_that_a_turn_may_have(
    kernels: Path, some: dict[str, Any]
) -> None:
    """Banks are due after it, even those that begin another's final turn too early."""
    some |= {"ending": "final_turn", "ties": "shared", "no_bank_at": ("100-250",)}
    rules = small(dice=2, goal=300, **some)
    strategy = Strategy(rules, solve(rules, cache=kernels).values, "throws")
    wins_as_often_as_it_says(strategy, 44, 100)
    dice = random.Random(45)
    for _ in range(5):
        adding_up(strategy, *played(strategy, dice, 0.3))


@pytest.mark.slow
async def test_the_program_throws_again_and_shows_it(
    solved_chat: Chat, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # dice of which some farkle at first, which not every game has
    monkeypatch.setattr(tables, "secrets", fixed_secrets("thrown again"))
    said = await solved_chat.say(f"ann: /play level:cautious rules:{solved}/small.toml")
    told = [said]
    for _ in range(60):
        [*_, shown] = await solved_chat.all("ann: /show")
        if isinstance(shown.subject, dict):
            break  # the game is over
        game = shown.subject.table.game
        assert not game.turn.misses
        line = "/bank" if game.may_bank and game.turn.turn_total > 150 else "/roll"
        if game.turn.roll is not None:
            line = "/keep " + " ".join(map(str, game.set_asides()[-1].dice))
        told.append(await solved_chat.say(f"ann: {line}"))
    assert "a farkle, thrown again." in "\n".join(told)
    assert "ann" in await solved_chat.say("ann: /review")


async def test_farkles_are_told_in_advice(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/small.toml"
    assert "Farkle: the dice are thrown again." in await solved_chat.say(
        f"ann: /advise 2 3 6 {rules}"
    )
    assert "farkle chance 29.63 %" in await solved_chat.say(f"ann: /odds turn:150 dice:1 {rules}")


async def test_in_a_game_what_was_thrown_before_counts(
    solved_chat: Chat, solved: Path, strategy: Strategy
) -> None:
    await solved_chat.say(f"ann: /track @bob rules:{solved}/small.toml")
    for line in ("/roll 1 5 6", "/keep 1 5", "/roll 3"):
        await solved_chat.say(f"ann: {line}")
    for line in ("/odds", "/hint", "/bank"):
        assert "nothing to decide: dice that farkle are thrown again" in await solved_chat.say(line)
    told = advise(strategy, Position.of_two(0, 0, turn_total=150, dice=1), (3,), 1)
    again = await solved_chat.say("ann: /advise 3")
    assert f"thrown again. Your win probability is now {told.win_probability:.2%}"[:-1] in again
    await solved_chat.say("ann: /roll 4")
    assert "Farkle: nothing scores." in await solved_chat.say("ann: /advise 3")


@pytest.mark.slow
async def test_rules_with_tries_are_made_in_a_chat(solved_chat: Chat) -> None:
    told = await solved_chat.say("ann: /rules new tries first-throw-tries:2 last-die-tries:0")
    assert "thrown again" in told + await solved_chat.say("ann: /rules tries")
    refused = await solved_chat.say(
        "ann: /rules new bad last-die-tries:0 single:0 three-of-a-kind:100"
    )
    assert "thrown for ever" in refused
    refused = await solved_chat.say("ann: /rules new bad first-throw-tries:0 take-over:banked")
    assert "leave out this or first-throw-tries" in refused


def test_rules_are_explained_in_both_languages() -> None:
    assert "The first throw of a turn is no farkle" in rules_text(RULES)
    told = said_in(language("de"), rules_text, RULES)
    assert "Der letzte Würfel wird bis zu 3-mal geworfen" in " ".join(told.split())
