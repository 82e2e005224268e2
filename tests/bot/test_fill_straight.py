"""Straights that a further throw may fill: chances, games by commands and presses, reviews."""

import random
from pathlib import Path

import pytest

from bot.languages import language
from bot.services.rule_options import rules_from_options
from bot.table import commands
from bot.table.events import Kept
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.rules_text import rules_text
from bot.views.table_buttons import why_not
from solver.errors import FarkleError, IllegalActionError, InvalidPositionError
from solver.game.best import Strategy
from solver.game.position import Position, check_position
from solver.loaded.matchup import check_loaded
from solver.play.advice import advise, odds, position_id, read_id
from solver.rules.file import load_rules
from solver.turn.dice import TurnState, dice_set
from solver.turn.endless import endless_turn
from solver.wording import said_in
from tests.bot.played import adding_up, played, worth_of_its_rolls
from tests.bot.speaking import Chat
from tests.house_rules import small

RULES = small(dice=6, goal=2000, fill_straight=2, scoring={"straight_1_6": 1500})


@pytest.mark.parametrize(
    ("held", "dice", "total", "chance"),
    [
        ((), 6, 0, None),
        ((6, 4, 3, 2, 1), 1, 0, 5 / 6),
        ((6, 5, 4, 3), 2, 800, 34 / 36),
    ],
)
def test_a_throw_is_worth_what_its_rolls_are(
    strategy: Strategy, held: tuple[int, ...], dice: int, total: int, chance: float | None
) -> None:
    position = Position.of_two(100, 250, turn_total=total, dice=dice, held_set=held)
    asked = odds(strategy, position)
    assert asked.bank is None
    assert chance is None or asked.farkle_probability == pytest.approx(chance, abs=1e-15)
    assert worth_of_its_rolls(strategy, position) == pytest.approx(asked.roll, abs=1e-12)


def test_who_needs_a_straight_tries_for_it(strategy: Strategy) -> None:
    def best(banked: int, *roll: int) -> tuple[int, ...]:
        return advise(strategy, Position.of_two(banked, 1950), roll).options[0].set_aside

    # the other one is about to win
    assert best(1900, 6, 6, 4, 3, 2, 1) == (1,)
    assert best(500, 6, 6, 4, 3, 2, 1) == (6, 4, 3, 2, 1)
    # where nothing scores it costs nothing
    assert best(1900, 6, 6, 4, 3, 3, 2) == (6, 4, 3, 2)
    farkle = advise(strategy, Position.of_two(500, 1950), (6, 6, 4, 4, 3, 3))
    tried = advise(strategy, Position.of_two(500, 1950), (6, 6, 4, 3, 3, 2))
    assert (farkle.farkle, tried.farkle) == (True, False)
    assert tried.win_probability > farkle.win_probability + 1 / 36


def tracked() -> Game:
    return begin(commands.begin_game("g", RULES, [None, None], tracked=True))


def rolled(game: Game, *roll: int) -> Game:
    return apply(game, *commands.roll(game, 0, roll))


def test_dice_are_kept_for_no_points_and_thrown_once() -> None:
    assert rolled(tracked(), 2, 2, 3, 3, 4, 4).mover == 1
    game = apply(rolled(tracked(), 1, 2, 3, 4, 6, 6), Kept(dice=(6, 4, 3, 2, 1)))
    assert (game.turn.turn_total, game.number_of_dice, game.may_bank) == (0, 1, False)
    with pytest.raises(IllegalActionError, match="12346 is held for a straight"):
        commands.bank(game, 0)
    assert any("held for a straight" in why for why in why_not(game, 0))
    assert rolled(game, 1).mover == 1
    hot = apply(rolled(game, 5), Kept(dice=(5,)))
    assert (hot.turn.turn_total, hot.turn.dice, hot.turn.hot_dice) == (1500, 6, 1)
    assert (hot.turn.held_set, hot.may_bank) == ((), True)
    # so it goes after hot dice, too, and with two dice as well
    again = apply(rolled(hot, 2, 2, 3, 3, 4, 6), Kept(dice=(6, 4, 3, 2)))
    assert (again.turn.turn_total, again.number_of_dice, again.may_bank) == (1500, 2, False)
    assert [one.dice for one in rolled(again, 1, 5).set_asides()] == [(5, 1)]
    lost = rolled(again, 1, 1)
    assert (lost.mover, lost.seats[0].score, lost.seats[0].farkled) == (1, 0, 1)


@pytest.mark.slow
def test_dice_by_dice_a_turn_brings_what_is_said() -> None:
    """The rules said once more, thrown some thousand times; decisions as the table has them."""
    scoring = {"three_of_a_kind": 0, "straight_1_6": 3000}
    turn = endless_turn(small(dice=6, fill_straight=5, scoring=scoring))
    dice, points, filled = random.Random(7), list[int](), 0

    def worth(state: TurnState) -> float:
        gain = turn.gain(state)
        return state.turn_total + (gain if state.held_set else max(0.0, gain))

    for _ in range(4_000):
        state = TurnState(0, 6)
        while state.held_set or turn.gain(state) > 0:
            roll = [dice.randint(1, 6) for _ in range(state.dice)]
            faces, total, found = {*roll}, state.turn_total, list[TurnState]()
            if len({*roll, *state.held_set}) == 6:
                found.append(TurnState(total + 3000, 6))
                filled += bool(state.held_set)
            for ones in range(0 if state.held_set else roll.count(1) + 1):
                for fives in range(ones == 0, roll.count(5) + 1):
                    left = state.dice - ones - fives or 6
                    found.append(TurnState(total + 100 * ones + 50 * fives, left))
            if state.dice == 6 > len(faces) and faces - {1, 5}:
                held = tuple(sorted(faces, reverse=True))
                found.append(TurnState(total, 6 - len(faces), held_set=held))
            state = max(found, key=worth, default=TurnState(0, 0))
            if not state.dice:
                break
        points.append(state.turn_total)
    assert filled
    mean = sum(points) / len(points)
    spread = (sum((one - mean) ** 2 for one in points) / len(points)) ** 0.5
    assert abs(mean - turn.points) < 4 * spread / len(points) ** 0.5


def test_a_review_adds_up(strategy: Strategy) -> None:
    dice, tried = random.Random(43), 0
    for _ in range(4):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)
        game = begin(begun)
        for event in events:
            game = apply(game, event)
            tried += RULES.is_part(game.turn.held_set)
    assert tried


def test_positions_keep_what_is_held() -> None:
    for held in filter(RULES.is_part, RULES.sets):
        for total in (0, 850):
            dice = 6 - len(held)
            position = Position.of_two(100, 0, turn_total=total, dice=dice, held_set=held)
            check_position(RULES, position)
            written = position_id(RULES, position)
            assert written
            assert read_id(written).position(RULES) == (position, None)
    for held, dice in (((6, 4, 3, 2, 1), 2), ((6, 4, 3), 3), ((6, 6, 4, 3), 2)):
        with pytest.raises(InvalidPositionError, match="cannot be"):
            check_position(RULES, Position.of_two(turn_total=850, dice=dice, held_set=held))


async def test_it_is_typed_and_told(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/small.toml"
    told = await solved_chat.say(f"ann: /advise 1 2 3 4 6 6 me:500 them:1950 {rules}")
    assert "for a straight" in told
    told = await solved_chat.say(f"ann: /odds turn:0 dice:1 held-set:12346 {rules}")
    assert "12346 is held for a straight" in told
    assert "farkle chance 83.33 %" in told
    assert "5" in await solved_chat.say(f"ann: /advise 5 held-set:12346 {rules}")
    assert "Farkle" in await solved_chat.say(f"ann: /advise 1 held-set:12346 {rules}")
    assert "cannot be 1234 before" in await solved_chat.say(
        f"ann: /odds dice:1 held-set:1234 {rules}"
    )
    assert "no one table says it" in await solved_chat.say(f"ann: /memo {rules}")
    assert "points" in await solved_chat.say(f"ann: /points {rules}")


async def test_a_game_shows_it(solved_chat: Chat, solved: Path) -> None:
    told = [await solved_chat.say(f"ann: /track rules:{solved}/small.toml bea")]
    told += [
        await solved_chat.say(f"ann: {line}") for line in ("/roll 1 2 3 4 6 6", "/keep 1 2 3 4 6")
    ]
    told += [
        await solved_chat.say(f"ann: {line}") for line in ("/bank", "/hint", "/roll 5", "/keep 5")
    ]
    shown = "\n".join(told)
    assert "12346 is held for a straight" in shown
    assert "hot dice" in told[-1]
    assert "1,500" in await solved_chat.say("ann: /bank")


def test_what_it_does_not_go_with_is_refused() -> None:
    classic = load_rules("classic")
    said = {"fill-straight": "1", "straight-1-6": "1500"}
    made = rules_from_options("straights", classic, said)
    assert "it fills the straight, or it is a farkle" in " ".join(rules_text(made).split())
    for options, wrong in (
        ({"straight-1-6": "0"}, "goes with six dice and a straight"),
        ({"dice": "5", "straight-1-5": "500"}, "goes with six dice and a straight"),
        ({"throws": "3"}, "under this throws"),
    ):
        with pytest.raises(FarkleError, match=wrong):
            rules_from_options("straights", classic, said | options)
    with pytest.raises(FarkleError, match="fill_straight"):
        check_loaded(RULES, dice_set(RULES))


def test_rules_are_explained_in_both_languages() -> None:
    assert "Where up to 2 faces are missing" in " ".join(rules_text(RULES).split())
    told = said_in(language("de"), rules_text, RULES)
    assert "Straße" in " ".join(told.split())
