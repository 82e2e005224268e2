"""Games in which a turn has to beat the one before: by commands, with bots, reviewed."""

import random
from pathlib import Path
from typing import Literal

import pytest

from bot.features.pictures.chat import packed, unpacked
from bot.languages import language
from bot.table import commands
from bot.table.events import Banked, Corrected, Kept, Rolled
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.advice import position_text
from bot.views.answer_data import position_data
from bot.views.rules_text import rules_text
from bot.views.table_buttons import table_buttons
from solver.errors import IllegalActionError, InvalidPositionError
from solver.game.best import Strategy
from solver.game.position import Position, check_position, points_to_beat
from solver.game.sweeps import solve
from solver.play.advice import odds, position_id, read_id, with_why
from solver.play.daily import between_turns, chance_of
from solver.play.policies import LEVELS, MaxPoints
from solver.strategy import open_strategy, save_strategy
from solver.turn.equations import EqualDice
from solver.wording import said_in
from tests.bot.played import adding_up, played, wins_as_often_as_it_says
from tests.bot.speaking import Chat
from tests.conftest import mostly_slow
from tests.house_rules import THIRD, small

RULES = small(name="beat", goal=1000, beat_previous_turn=True, ending="final_turn", ties="shared")
COSTLY = small(
    name="costly", goal=400, beat_previous_turn=True, farkle_penalty=THIRD, score_floor=-200
)


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    wins_as_often_as_it_says(strategy, 40, 100)


@pytest.mark.slow
def test_a_review_adds_up(strategy: Strategy) -> None:
    dice = random.Random(41)
    for _ in range(20):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)


@pytest.mark.slow
def test_games_in_which_farkles_cost_points_go_as_their_values_say(
    kernels: Path, tmp_path: Path
) -> None:
    save_strategy(solve(COSTLY, cache=kernels), tmp_path)
    costly = open_strategy(tmp_path, COSTLY)
    wins_as_often_as_it_says(costly, 42, 100)
    dice = random.Random(43)
    for _ in range(5):
        adding_up(costly, *played(costly, dice, 0.3))


def test_farkles_in_a_row_are_counted_beside_what_has_to_be_beaten() -> None:
    game = begin(commands.begin_game("g", COSTLY, [None, None], tracked=True))
    for points in (100, 0, 150, 0, 0):
        ending: Literal["bank", "farkle"] = "bank" if points else "farkle"
        game = apply(game, *commands.score(game, game.mover, points, ending))
        position = game.position()
        assert position.to_beat == points
        check_position(COSTLY, position)
        text = position_id(COSTLY, position)
        assert text
        assert read_id(text).position(COSTLY) == (position, None)
        assert unpacked(COSTLY, packed(COSTLY, position)) == position
    assert (position.farkles, position.opponent_farkles) == (2, 1)
    # the third farkle in a row costs points, and leaves nothing to beat
    game = apply(game, *commands.score(game, 1, 0, "farkle"))
    assert [seat.score for seat in game.seats] == [250, -100]
    assert game.position().to_beat == 0
    # from below 0 more can have been banked than there is
    game = apply(game, *commands.score(game, 0, 0, "farkle"))
    game = apply(game, *commands.score(game, 1, 150, "bank"))
    assert (game.position().opponent, game.position().to_beat) == (50, 150)
    check_position(COSTLY, game.position())
    impossible = game.position().change(opponent_farkles=1)
    with pytest.raises(InvalidPositionError, match="the turn before was a farkle"):
        check_position(COSTLY, impossible)
    assert (
        apply(game, *commands.correct(game, Corrected(seat=1, farkles=1))).position().to_beat == 0
    )
    assert apply(game, *commands.correct(game, Corrected(seat=1, score=0))).position().to_beat == 0
    assert (
        apply(game, *commands.correct(game, Corrected(seat=1, score=200))).position().to_beat == 150
    )


def test_whoever_is_put_back_off_the_board_has_left_nothing_to_beat() -> None:
    rules = COSTLY.model_copy(update={"opening_minimum": 100})
    game = begin(commands.begin_game("g", rules, [None, None], tracked=True))
    for _ in range(6):
        game = apply(game, *commands.score(game, game.mover, 0, "farkle"))
    game = apply(game, *commands.score(game, 0, 100, "bank"))
    assert (game.seats[0].score, game.position().to_beat) == (0, 100)
    corrected = apply(game, *commands.correct(game, Corrected(seat=0, score=0))).position()
    assert (corrected.opponent_on_board, corrected.to_beat) == (False, 0)
    check_position(rules, corrected)


def test_what_is_banked_has_to_be_beaten_until_a_turn_brings_nothing() -> None:
    game = begin(commands.begin_game("g", RULES, [None, None], tracked=True))

    def scored(points: int) -> None:
        nonlocal game
        ending: Literal["bank", "farkle"] = "bank" if points else "farkle"
        game = apply(game, *commands.score(game, game.mover, points, ending))

    scored(200)
    assert game.position().to_beat == 200
    with pytest.raises(IllegalActionError, match="do not beat the 200"):
        commands.score(game, 1, 200, "bank")
    scored(250)
    assert game.position().to_beat == 250
    scored(0)
    assert game.position().to_beat == 0
    scored(50)
    assert game.position().to_beat == 50
    # a turn that is skipped brings nothing, and a score that is put right may be less than that
    assert apply(game, *commands.skip(game)).position().to_beat == 0
    assert apply(game, *commands.correct(game, Corrected(seat=1, score=0))).position().to_beat == 0
    for event in (Rolled(dice=(5, 2, 3)), Kept(dice=(5,))):
        game = apply(game, event)
    with pytest.raises(IllegalActionError, match="do not beat the 50"):
        commands.bank(game, 0)
    assert "bank" not in [one.action for one in table_buttons(game) if one.enabled]
    for event in (Rolled(dice=(1, 2)), Kept(dice=(1,))):
        game = apply(game, event)
    assert commands.bank(game, 0) == [Banked()]
    with pytest.raises(IllegalActionError, match="is for two"):
        commands.begin_game("g", RULES, [None] * 3)


def test_a_final_turn_has_to_beat_the_bank_that_reached_the_goal() -> None:
    def scored(*points: int) -> Game:
        game = begin(commands.begin_game("g", RULES, [None, None], tracked=True))
        for one in points:
            ending: Literal["bank", "farkle"] = "bank" if one else "farkle"
            game = apply(game, *commands.score(game, game.mover, one, ending))
        return game

    behind = scored(600, 700, 750)
    assert behind.position().to_beat == points_to_beat(RULES, behind.position()) == 750
    with pytest.raises(IllegalActionError, match="do not beat the 750"):
        commands.score(behind, 1, 700, "bank")
    assert scored(600, 700, 750, 800).shares == (0.0, 1.0)
    assert scored(600, 700, 750, 0).shares == (1.0, 0.0)
    ahead = scored(600, 0, 450)
    assert points_to_beat(RULES, ahead.position()) == 1050
    assert scored(600, 0, 450, 500).shares == (1.0, 0.0)
    assert scored(600, 0, 450, 1050).shares == (0.5, 0.5)
    assert "final turn with 1,050 to beat" in position_text(RULES, ahead.position())


def test_positions_have_an_id_and_buttons(strategy: Strategy) -> None:
    for other, to_beat in ((500, 0), (500, 150), (500, 500), (1100, 150), (1100, 600)):
        position = Position.of_two(300, other, dice=3, to_beat=to_beat)
        text = position_id(RULES, position)
        assert text
        assert read_id(text).position(RULES) == (position, None)
        assert unpacked(RULES, packed(RULES, position)) == position
        strategy.check(position)
    drawn = [between_turns(strategy, chance_of(f"{k}")).to_beat for k in range(20)]
    assert 0 in drawn
    assert max(drawn) > 0


def test_reasons_and_bots_know_what_has_to_be_beaten(strategy: Strategy) -> None:
    start = Position.of_two(300, 500, dice=3, to_beat=300)
    for total, dice in ((150, 2), (300, 1), (350, 1), (400, 2)):
        state = start.change(turn_total=total, dice=dice)
        answer = with_why(strategy, odds(strategy, state))
        assert answer.why
        assert (answer.bank is None) == (total <= 300)
        found = MaxPoints().decisions(EqualDice(RULES), state)
        assert bool(found.bank[found.place(RULES, state.turn)]) <= (total > 300)


async def test_advice_and_odds_say_what_has_to_be_beaten(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/beat.toml"
    told = await solved_chat.say(f"ann: /odds turn:200 dice:1 me:300 them:500 to-beat:250 {rules}")
    assert "250 to beat" in told
    assert "200 does not beat the 250 of the turn before" in " ".join(told.split())
    told = await solved_chat.say(f"ann: /advise 1 5 5 me:300 them:600 {rules}")
    assert "nothing to beat" in told
    refused = await solved_chat.say(f"ann: /odds me:300 them:500 to-beat:550 {rules}")
    assert "cannot be there to beat" in refused
    refused = await solved_chat.say("ann: /odds me:300 them:500 to-beat:200 rules:kcd")
    assert "no turn has to beat the one before" in refused
    explored = await solved_chat.say(f"ann: /explore me:300 them:500 to-beat:250 {rules}")
    assert "250 to beat" in explored
    assert position_data(RULES, Position.of_two(300, 500, to_beat=250))["to_beat"] == 250


@pytest.mark.parametrize("level", mostly_slow(((one, one) for one in LEVELS), every=len(LEVELS)))
async def test_a_game_against_a_bot_by_commands(
    solved_chat: Chat, solved: Path, level: str
) -> None:
    said = await solved_chat.say(f"ann: /play level:{level} rules:{solved}/beat.toml")
    if level == "memo-go-for-it":
        assert "not worked out" in said
        return
    told = [said]
    for _ in range(200):
        [*_, shown] = await solved_chat.all("ann: /show")
        if isinstance(shown.subject, dict):
            break  # the game is over
        game = shown.subject.table.game
        if game.turn.roll is not None:
            line = "/keep " + " ".join(map(str, game.set_asides()[0].dice))
        else:
            line = "/bank" if game.may_bank else "/roll"
        told.append(await solved_chat.say(f"ann: {line}"))
    else:
        raise AssertionError("the game did not end")
    assert "to beat" in "\n".join(told)
    reviewed = await solved_chat.say("ann: /review")
    assert "ann" in reviewed


def test_rules_are_explained_in_both_languages() -> None:
    assert "more points than the player before has just banked" in " ".join(
        rules_text(RULES).split()
    )
    told = " ".join(said_in(language("de"), rules_text, RULES).split())
    assert "als der Spieler davor gerade gesichert hat" in told
    assert "Two players, 3 dice" in rules_text(RULES)
