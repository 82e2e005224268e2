"""Dice that match a set held: chances, games by commands and presses, reviews."""

import random
from collections import Counter
from pathlib import Path

import pytest

from bot.languages import language
from bot.services.rule_options import rules_from_options
from bot.table import commands
from bot.table.events import Kept
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.rules_text import rules_text
from solver.errors import FarkleError, InvalidPositionError
from solver.game.best import Strategy
from solver.game.position import Position, check_position
from solver.loaded.matchup import check_loaded
from solver.play.advice import odds, position_id, read_id
from solver.rules.file import load_rules
from solver.turn.dice import TurnState, dice_set
from solver.turn.endless import endless_turn
from solver.turn.memory import held_after
from solver.wording import said_in
from tests.bot.played import (
    adding_up,
    on_average,
    picks,
    played,
    wins_as_often_as_it_says,
    worth_of_its_rolls,
)
from tests.bot.speaking import Chat
from tests.house_rules import small

RULES = small(dice=5, goal=1000, held_sets="doubling")


@pytest.mark.parametrize(
    ("held", "dice", "total", "chance"),
    [
        ((), 2, 200, 16 / 36),
        ((2, 2, 2), 2, 200, 9 / 36),  # neither 1, nor 5, nor 2
        ((1, 1, 1), 2, 1000, 16 / 36),
        ((2, 2, 2, 2), 1, 400, 3 / 6),
        ((6, 6, 6), 1, 700, 3 / 6),
    ],
)
def test_a_throw_is_worth_what_its_rolls_are(
    strategy: Strategy, held: tuple[int, ...], dice: int, total: int, chance: float
) -> None:
    position = Position.of_two(100, 250, turn_total=total, dice=dice, held_set=held)
    asked = odds(strategy, position)
    assert asked.farkle_probability == pytest.approx(chance, abs=1e-15)
    assert worth_of_its_rolls(strategy, position) == pytest.approx(asked.roll, abs=1e-12)


def tracked() -> Game:
    return begin(commands.begin_game("g", RULES, [None, None], tracked=True))


def after(game: Game, *throws: tuple[tuple[int, ...], tuple[int, ...]]) -> Game:
    """The game after throws of which dice are set aside."""
    for roll, kept in throws:
        game = apply(apply(game, *commands.roll(game, 0, roll)), Kept(dice=kept))
    return game


def test_matches_double_the_set_until_hot_dice() -> None:
    game = after(tracked(), ((2, 2, 2, 3, 1), (2, 2, 2)))
    assert (game.turn.turn_total, game.turn.held_set) == (200, (2, 2, 2))
    # a fourth 2 brings as much as three, a fifth twice that
    fourth = after(game, ((2, 6), (2,)))
    assert (fourth.turn.turn_total, fourth.turn.held_set) == (400, (2, 2, 2, 2))
    fifth = after(fourth, ((2,), (2,)))
    assert (fifth.turn.turn_total, fifth.turn.held_set, fifth.turn.dice) == (800, (), 5)
    assert after(game, ((2, 2), (2, 2))).turn.turn_total == 800
    # nothing is held after hot dice
    assert after(fifth, ((1, 2, 3, 4, 6), (1,))).turn.held_set == ()
    assert apply(fifth, *commands.roll(fifth, 0, (2, 3, 4, 6, 6))).mover == 1
    # a 1 beside it counts as ever, and the set stays
    other = after(game, ((1, 6), (1,)))
    assert (other.turn.turn_total, other.turn.held_set) == (300, (2, 2, 2))
    assert apply(other, *commands.roll(other, 0, (6,))).mover == 1
    # most points count: three 1s are worth 1,000, and so is a fourth
    ones = after(tracked(), ((1, 1, 1, 5, 5), (1, 1, 1)))
    assert {one.dice: one.points for one in ones.set_asides((5, 1))} == {
        (5, 1): 1050,
        (1,): 1000,
        (5,): 50,
    }
    linear = small(dice=5, held_sets="linear")
    assert held_after(linear, (2, 2, 2), (2,), 1) == (2, 2, 2)
    assert held_after(linear, (2, 2, 2), (2, 2), 0) == ()


@pytest.mark.slow
def test_dice_by_dice_a_turn_brings_what_is_said() -> None:
    """The rules said once more, thrown some thousand times; banks as the table has them."""
    dice, turn, games, points = random.Random(7), endless_turn(RULES), 3_000, list[int]()
    worth = {1: 100, 5: 50}
    for _ in range(games):
        total, left, face, number = 0, 5, 0, 0
        while True:
            roll = Counter(dice.randint(1, 6) for _ in range(left))
            best = None
            for kept in picks(roll):
                got, now, many = 0, face, number
                for one, count in kept.items():
                    ways = [count * worth[one]] if one in worth else []
                    if count >= 3:
                        triple = 1000 if one == 1 else 100 * one
                        ways.append(triple + (count - 3) * worth.get(one, -(10**6)))
                    if one == face:
                        triple = 1000 if one == 1 else 100 * one
                        ways.append(sum(triple * 2 ** (number + k - 3) for k in range(count)))
                        many = number + count
                    elif count >= 3:
                        now, many = one, count
                    got += max(ways, default=-(10**6))
                rest = left - sum(kept.values())
                if got > 0:
                    held = (now,) * many if rest else ()
                    state = TurnState(total + got, rest or 5, held_set=held)
                    value = state.turn_total + max(0.0, turn.gain(state))
                    best = max(best or (0.0, state), (value, state), key=lambda one: one[0])
            if best is None:
                total = 0
                break
            state = best[1]
            total, left, held = state.turn_total, state.dice, state.held_set
            face, number = (held[0], len(held)) if held else (0, 0)
            if turn.gain(state) <= 0:
                break
        points.append(total)
    on_average(points, turn.points)


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    wins_as_often_as_it_says(strategy, 42, 150)


def test_a_review_adds_up(strategy: Strategy) -> None:
    dice, matched = random.Random(43), 0
    for _ in range(4):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)
        held = begin(begun)
        for event in events:
            face = held.turn.held_set[:1]
            matched += bool(face) and isinstance(event, Kept) and face[0] in event.dice
            held = apply(held, event)
    assert matched


def test_positions_keep_the_set() -> None:
    for held in RULES.sets:
        position = Position.of_two(100, 0, turn_total=700, dice=1, held_set=held)
        for roll in ((2,), None):
            written = position_id(RULES, position, roll)
            assert written
            assert read_id(written).position(RULES) == (position, roll)
    for held, dice in (((2, 2), 1), ((2, 2, 2), 3), ((2, 3, 3), 1), ((2,) * 5, 1)):
        position = Position.of_two(turn_total=700, dice=dice, held_set=held)
        with pytest.raises(InvalidPositionError, match="the set that is held cannot be"):
            check_position(RULES, position)


async def test_sets_are_typed_and_told(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/small.toml"
    told = await solved_chat.say(f"ann: /advise 2 6 turn:200 held-set:222 {rules}")
    assert "the set 222 is held" in told
    assert "farkle chance 25.00 %" in await solved_chat.say(
        f"ann: /odds turn:200 dice:2 held-set:222 {rules}"
    )
    # 200 points with two dice left are three 2s, or 1 5 5
    assert "farkle chance 44.44 %" in await solved_chat.say(f"ann: /odds turn:200 dice:2 {rules}")
    wrong = await solved_chat.say(f"ann: /odds turn:600 dice:2 held-set:22 {rules}")
    assert "set that is held cannot be 22 before" in wrong
    wrong = await solved_chat.say(f"ann: /odds turn:300 dice:2 held-set:222 {rules}")
    assert "o such set is held" in wrong
    assert "no one table says it" in await solved_chat.say(f"ann: /memo {rules}")
    assert "where no set is held" in await solved_chat.say(f"ann: /points {rules}")


@pytest.mark.slow
async def test_the_program_plays_with_sets_and_shows_them(solved_chat: Chat, solved: Path) -> None:
    told = [await solved_chat.say(f"ann: /track rules:{solved}/small.toml bea")]
    told += [
        await solved_chat.say(f"ann: {line}")
        for line in ("/roll 2 2 2 3 4", "/keep 2 2 2", "/hint")
    ]
    told += [await solved_chat.say(f"ann: {line}") for line in ("/roll 2 4", "/keep 2", "/bank")]
    assert "the set 222 is held" in "\n".join(told).lower()
    assert "400" in told[-1]


def test_what_sets_do_not_go_with_is_refused() -> None:
    classic = load_rules("classic")
    made = rules_from_options("sets", classic, {"held-sets": "linear"})
    assert "as much as three of that face" in " ".join(rules_text(made).split())
    for options, wrong in (
        ({"dice": "7", "more-of-a-kind": "linear"}, "of more there could be two"),
        ({"dice": "3"}, "leave no die that could match them"),
    ):
        with pytest.raises(FarkleError, match=wrong):
            rules_from_options("sets", classic, {"held-sets": "linear"} | options)
    with pytest.raises(FarkleError, match="held_sets"):
        check_loaded(RULES, dice_set(RULES))


def test_rules_are_explained_in_both_languages() -> None:
    assert "scores and doubles it." in " ".join(rules_text(RULES).split())
    told = said_in(language("de"), rules_text, RULES)
    assert "hält diesen Satz" in " ".join(told.split())
