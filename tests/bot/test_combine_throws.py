"""Dice of several throws that count together: chances, games by commands and presses, reviews."""

import random
from collections import Counter
from collections.abc import AsyncIterator
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from bot.languages import language
from bot.services.rule_options import rules_from_options
from bot.table import commands
from bot.table.events import Kept
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.events import turn_so_far_text
from bot.views.rules_text import rules_text
from bot.views.table_buttons import table_buttons
from bot.views.thresholds import turn_text
from solver.errors import FarkleError, InvalidPositionError, InvalidRequestError
from solver.game.best import Strategy
from solver.game.position import Position, check_position, impossible_turn, most_likely
from solver.loaded.matchup import check_loaded
from solver.play.advice import odds, position_id, read_id
from solver.play.maps import border_map, turn_map
from solver.rules.file import load_rules
from solver.turn.dice import TurnState, all_set_asides, dice_set
from solver.turn.endless import endless_turn
from solver.turn.memory import held_layers, held_places
from solver.wording import said_in
from tests.bot.played import (
    adding_up,
    on_average,
    picks,
    played,
    wins_as_often_as_it_says,
    worth_of_its_rolls,
)
from tests.bot.speaking import Chat, open_chat
from tests.house_rules import small

RULES = small(dice=5, goal=1000, combine_throws=True, scoring={"more_of_a_kind": "doubling"})
WORTH = {1: 100, 5: 50}


@pytest.fixture
async def chat(solved: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    async with open_chat(tmp_path, solved / "strategies") as opened:
        yield opened


def together(dice: Counter[int]) -> int | None:
    """What dice are worth of which all have to score; None where they do not."""
    points = 0
    for face, count in dice.items():
        if count >= 3:
            points += (1000 if face == 1 else 100 * face) * 2 ** (count - 3)
        elif face in WORTH:
            points += count * WORTH[face]
        elif count:
            return None
    return points


def test_all_may_be_held_that_scores() -> None:
    numbers = range(1, RULES.dice)
    every = [dice for n in numbers for dice in combinations_with_replacement(range(1, 7), n)]
    scores = {dice[::-1] for dice in every if together(Counter(dice))}
    assert {*RULES.sets} == scores | {()}


def test_what_makes_no_difference_stands_in_one_layer() -> None:
    kcd = load_rules("kcd").model_copy(update={"combine_throws": True})
    classic = load_rules("classic").model_copy(update={"combine_throws": True})
    for rules, layers in ((RULES, None), (classic, 4), (kcd, 29)):
        assert layers in {None, len(held_layers(rules))}
        for held in rules.sets:
            layer, _ = held_places(rules)[held]
            other = held_layers(rules)[layer][rules.dice - len(held)]
            if held:
                assert all_set_asides(rules, held=held) == all_set_asides(rules, held=other)


@pytest.mark.parametrize(
    ("held", "total", "chance"),
    [
        ((1,), 100, 204 / 1296),  # of 256 rolls without 1 and 5 three of a kind score in 52
        ((5, 1), 150, 60 / 216),
        ((2, 2, 2), 200, 9 / 36),  # neither 1, nor 5, nor 2
        ((2, 2, 2, 1), 300, 3 / 6),
        ((1, 1, 1, 1), 2000, 4 / 6),
    ],
)
def test_a_throw_is_worth_what_its_rolls_are(
    strategy: Strategy, held: tuple[int, ...], total: int, chance: float
) -> None:
    dice = 5 - len(held)
    position = Position.of_two(100, 250, turn_total=total, dice=dice, held_set=held)
    check_position(RULES, position)
    asked = odds(strategy, position)
    assert asked.farkle_probability == pytest.approx(chance, abs=1e-15)
    assert worth_of_its_rolls(strategy, position) == pytest.approx(asked.roll, abs=1e-12)
    assert turn_map(strategy, position).columns == (dice,)


def tracked() -> Game:
    return begin(commands.begin_game("g", RULES, [None, None], tracked=True))


def after(game: Game, *throws: tuple[tuple[int, ...], tuple[int, ...]]) -> Game:
    """The game after throws of which dice are set aside."""
    for roll, kept in throws:
        game = apply(apply(game, *commands.roll(game, 0, roll)), Kept(dice=kept))
    return game


def test_dice_held_count_with_further_ones_until_hot_dice() -> None:
    game = after(tracked(), ((1, 2, 3, 4, 6), (1,)))
    assert (game.turn.turn_total, game.turn.held_set) == (100, (1,))
    assert {one.dice: one.points for one in game.set_asides((6, 3, 1, 1))} == {
        (1, 1): 900,
        (1,): 100,
    }
    three = after(game, ((1, 1, 3, 6), (1, 1)))
    assert (three.turn.turn_total, three.turn.held_set) == (1000, (1, 1, 1))
    four = after(three, ((1, 4), (1,)))
    assert (four.turn.turn_total, four.turn.held_set) == (2000, (1, 1, 1, 1))
    five = after(four, ((5,), (5,)))
    assert (five.turn.turn_total, five.turn.held_set, five.turn.dice) == (2050, (), 5)
    # nothing is held after hot dice, and two 2s make nothing
    assert apply(five, *commands.roll(five, 0, (2, 2, 3, 3, 4))).mover == 1
    # set aside die by die three 1s are worth as much
    by_die = after(game, ((1, 2, 3, 6), (1,)), ((1, 1, 2), (1,)))
    assert (by_die.turn.turn_total, by_die.turn.held_set) == (1000, (1, 1, 1))
    assert apply(game, *commands.roll(game, 0, (2, 3, 4, 6))).mover == 1


def test_buttons_say_what_dice_bring_beside_those_that_are_held() -> None:
    game = after(tracked(), ((1, 2, 3, 4, 6), (1,)))
    rolled = apply(game, *commands.roll(game, 0, (6, 3, 1, 1)))
    assert turn_so_far_text(rolled) == "rolled 6 3 1 1, turn total 100, 1 held"
    for mask, keep, bank in ((0b1100, "Keep 900", "Bank 1,000"), (0b1000, "Keep 100", "Bank 200")):
        told = {one.action: one.label for one in table_buttons(rolled, mask)}
        assert (told["pick12"], told["keep"], told["bank"]) == ("All · 900", keep, bank)
    three = after(game, ((6, 3, 1, 1), (1, 1)))
    assert turn_so_far_text(three) == "turn total 1,000, 2 dice to roll or bank, 111 held"


@pytest.mark.slow
def test_dice_by_dice_a_turn_brings_what_is_said() -> None:
    """The rules said once more, thrown some thousand times; banks as the table has them."""
    dice, turn, games, points = random.Random(7), endless_turn(RULES), 2_000, list[int]()
    for _ in range(games):
        total, held = 0, Counter[int]()
        while True:
            left = 5 - held.total()
            roll = Counter(dice.randint(1, 6) for _ in range(left))
            before, best = together(held) or 0, None
            for kept in picks(roll):
                worth = together(held + kept)
                if worth is not None and worth > before:
                    rest = left - kept.total()
                    every = tuple(sorted((held + kept).elements(), reverse=True)) if rest else ()
                    state = TurnState(total + worth - before, rest or 5, held_set=every)
                    value = state.turn_total + max(0.0, turn.gain(state))
                    best = max(best or (0.0, state), (value, state), key=lambda one: one[0])
            if best is None:
                total = 0
                break
            state = best[1]
            total, held = state.turn_total, Counter(state.held_set)
            if turn.gain(state) <= 0:
                break
        points.append(total)
    on_average(points, turn.points)


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    wins_as_often_as_it_says(strategy, 42, 150)


def test_a_review_adds_up(strategy: Strategy) -> None:
    dice, raised = random.Random(43), 0
    for _ in range(4):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)
        held = begin(begun)
        for event in events:
            if isinstance(event, Kept):
                alone = together(Counter(event.dice))
                brings = {one.dice: one.points for one in held.set_asides()}
                raised += alone != brings[tuple(sorted(event.dice, reverse=True))]
            held = apply(held, event)
    assert raised


def test_positions_keep_the_dice_held() -> None:
    for held in RULES.sets:
        dice = 5 - len(held)
        position = Position.of_two(100, 0, turn_total=3000, dice=dice, held_set=held)
        for roll in ((2,) * dice, None):
            written = position_id(RULES, position, roll)
            assert written
            assert read_id(written).position(RULES) == (position, roll)
    for held, dice in (((2, 2), 3), ((2, 2, 2), 1), ((3, 2, 1), 2), ((1,) * 5, 5)):
        position = Position.of_two(turn_total=700, dice=dice, held_set=held)
        with pytest.raises(InvalidPositionError, match="the set that is held cannot be"):
            check_position(RULES, position)


def test_what_is_held_is_told_by_the_turn_total() -> None:
    for total, dice, held in ((100, 4, (1,)), (100, 3, (5, 5)), (300, 2, (3, 3, 3)), (0, 5, ())):
        assert most_likely(RULES, TurnState(total, dice)).held_set == held
    assert "dice are held; say which" in impossible_turn(RULES, TurnState(100, 4))
    for total, held in ((500, (1, 1, 1)), (200, (3, 3, 3)), (50, (1,))):
        assert impossible_turn(RULES, TurnState(total, 5 - len(held), held_set=held))
    # hot dice before it bring the rest
    assert not impossible_turn(RULES, TurnState(2250, 4, 1, held_set=(1,)))


async def test_dice_held_are_typed_and_told(chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/small.toml"
    told = await chat.say(f"ann: /advise 1 1 3 6 turn:100 held-set:1 {rules}")
    assert "1 held" in told
    assert "1,000" in told
    for said in ("held-set:1", ""):
        answer = await chat.say(f"ann: /odds turn:100 dice:4 {said} {rules}")
        assert "farkle chance 15.74 %" in answer
    wrong = await chat.say(f"ann: /odds turn:600 dice:3 held-set:22 {rules}")
    assert "dice that score together can be" in wrong
    for command in ("explain", "explore"):
        shown = await chat.say(f"ann: /{command} turn:100 dice:4 held-set:1 {rules}")
        assert "1 held" in shown
    assert "no one table says it" in await chat.say(f"ann: /memo {rules}")
    assert "where no dice are held" in await chat.say(f"ann: /points {rules}")


@pytest.mark.slow
async def test_the_program_plays_and_shows_what_is_held(chat: Chat, solved: Path) -> None:
    told = [await chat.say(f"ann: /track rules:{solved}/small.toml bea")]
    told += [await chat.say(f"ann: {line}") for line in ("/roll 1 2 3 4 6", "/keep 1", "/hint")]
    told += [await chat.say(f"ann: {line}") for line in ("/roll 1 1 3 4", "/keep 1 1", "/bank")]
    assert "1 held" in "\n".join(told).lower()
    assert "1,000" in told[-1]


def test_what_it_does_not_go_with_is_refused(strategy: Strategy) -> None:
    classic = load_rules("classic")
    for options, wrong in (
        ({"take-over": "banked"}, "would be left to the next player as well, which take-over"),
        ({"held-sets": "linear"}, "under this held-sets"),
        ({"last-die-tries": "0"}, "thrown for ever under this last-die-tries"),
        ({"combination": "aab=500,roll-on"}, "which they do not with this combination"),
        ({"combination": "aab=500,first-throw"}, "which they do not with this combination"),
    ):
        with pytest.raises(FarkleError, match=wrong):
            rules_from_options("sets", classic, {"combine-throws": "yes"} | options)
    with pytest.raises(FarkleError, match="combine_throws"):
        check_loaded(RULES, dice_set(RULES))
    with pytest.raises(InvalidRequestError, match="no one border says it"):
        border_map(strategy, Position.of_two(dice=5), np.array([0, 500]))


def test_rules_are_explained_in_both_languages() -> None:
    told = " ".join(rules_text(RULES).split())
    assert "count together" in told
    assert "5 dice 7.72 % Where dice are held it depends on which ones" in told
    told = said_in(language("de"), rules_text, RULES)
    assert "zählen zusammen" in " ".join(told.split())


def test_a_turn_tells_the_farkle_chance_beside_what_is_held(strategy: Strategy) -> None:
    for held, chance in (((), "5 dice 7.72 %"), ((1,), "4 dice 15.74 %")):
        dice = 5 - len(held)
        position = Position.of_two(turn_total=100 * len(held), dice=dice, held_set=held)
        told = " ".join(turn_text(turn_map(strategy, position)).split())
        assert f"Chance of a farkle: {chance}" in told
