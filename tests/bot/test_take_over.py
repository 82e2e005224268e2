"""Games in which a turn may begin with what the player before left: by commands, presses, bots."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bot.fronts.web.rendering import templates
from bot.review.moments import Kind
from bot.services.situation import Situation, position_of_several
from bot.table import commands
from bot.table.events import Banked, Kept, Rolled, TookOver
from bot.table.fold import apply, begin
from bot.views.table_buttons import table_buttons
from solver.errors import IllegalActionError, InvalidPositionError, InvalidRulesError
from solver.game.best import Strategy
from solver.game.position import Position, check_position
from solver.game.sweeps import solve
from solver.play.advice import odds, position_id, read_id
from solver.play.memo import MemoGoForIt
from solver.play.policies import LEVELS
from solver.rules.ruleset import topics
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import TurnState
from solver.turn.equations import Decision
from tests.bot.played import adding_up, played
from tests.bot.speaking import Chat
from tests.conftest import mostly_slow
from tests.house_rules import small, tables

RULES = small(name="pass", goal=1000, dice=4, take_over="both")
RISKY = small(
    name="risky",
    goal=600,
    take_over="both",
    farkle_penalty={"in_a_row": 1, "points": 50},
    score_floor=0,
)

MIXED = small(
    name="mixed",
    goal=600,
    dice=4,
    take_over="banked",
    held_sets="doubling",
    farkle_penalty={"in_a_row": 1, "points": 50, "when": "first_throw"},
    score_floor=0,
    scoring={"combination": tables("aabb=100,first-throw")},
)


@pytest.fixture
def risky(tmp_path: Path, kernels: Path) -> Strategy:
    save_strategy(solve(RISKY, cache=kernels), tmp_path)
    return open_strategy(tmp_path, RISKY)


@pytest.fixture
def mixed(tmp_path: Path, kernels: Path) -> Strategy:
    save_strategy(solve(MIXED, cache=kernels), tmp_path)
    return open_strategy(tmp_path, MIXED)


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    """Games by the rules of the table, whose first player wins as often as the solver says."""
    dice, games = random.Random(40), 100
    expected = strategy.win_probability(begin_position())
    wins = took = 0.0
    for _ in range(games):
        _, events, game = played(strategy, dice, 0.0)
        assert game.shares
        wins += game.shares[0]
        took += any(isinstance(event, TookOver) for event in events)
    assert abs(wins / games - expected) < 4 * 0.5 / games**0.5
    assert took > games / 4


def begin_position() -> Position:
    return begin(commands.begin_game("g", RULES, [None, None], tracked=True)).position()


def test_a_farkle_after_taking_over_costs_points(risky: Strategy) -> None:
    game = begin(commands.begin_game("g", RISKY, [None, None], tracked=True))
    for event in (Rolled(dice=(1, 2, 3)), Kept(dice=(1,)), Banked()):
        game = apply(game, event)
    for event in (Rolled(dice=(1, 5, 2)), Kept(dice=(1, 5)), Banked()):
        game = apply(game, event)
    assert game.offered == TurnState(150, 1)
    here = game.position()
    farkled = apply(apply(game, TookOver()), Rolled(dice=(3,)))
    assert [seat.score for seat in farkled.seats] == [50, 150]
    # one die: a 1 or a 5 is banked or rolled on with all dice, a farkle leaves 50 to 150
    table, chances = risky.turn(here), [0.0, 0.0]
    for k, points in enumerate((100, 50)):
        after = TurnState(150 + points, 3)
        chances[k] = max(table.bank_value(after) or 0.0, table.roll_value(after))
    left = 1 - risky.win_probability(farkled.position())
    assert odds(risky, here).take_over == pytest.approx((sum(chances) + 4 * left) / 6, abs=1e-12)


def test_a_turn_that_was_taken_over_has_no_first_throw(tmp_path: Path, kernels: Path) -> None:
    """Its farkle is none on the first throw of a turn, which alone costs points here."""
    penalty = {"in_a_row": 1, "points": 50, "when": "first_throw"}
    rules = small(name="first", goal=600, take_over="banked", farkle_penalty=penalty, score_floor=0)
    save_strategy(solve(rules, cache=kernels), tmp_path)
    strategy = open_strategy(tmp_path, rules)
    game = begin(commands.begin_game("g", rules, [None, None], tracked=True))
    for event in (Rolled(dice=(1, 2, 3)), Kept(dice=(1,)), Banked()):
        game = apply(game, event)
    for event in (Rolled(dice=(1, 5, 2)), Kept(dice=(1, 5)), Banked()):
        game = apply(game, event)
    farkled = apply(apply(game, TookOver()), Rolled(dice=(3,)))
    assert [seat.score for seat in farkled.seats] == [100, 150]
    afresh = apply(game, Rolled(dice=(2, 3, 4)))
    assert [seat.score for seat in afresh.seats] == [50, 150]
    table, chances = strategy.turn(game.position()), [0.0, 0.0]
    for k, points in enumerate((100, 50)):
        after = TurnState(150 + points, 3)
        chances[k] = max(table.bank_value(after) or 0.0, table.roll_value(after))
    left = 1 - strategy.win_probability(farkled.position())
    found = odds(strategy, game.position())
    assert found.take_over == pytest.approx((sum(chances) + 4 * left) / 6, abs=1e-12)
    assert table.ends.lost[0] == pytest.approx(left, abs=1e-12)


def test_that_a_turn_taken_over_has_no_first_throw_is_said_where_it_matters() -> None:
    told = "A turn that was taken over has no first throw."
    assert [told in one.sentence for one in topics(MIXED, ["take_over"])] == [True]
    assert [told in one.sentence for one in topics(RISKY, ["take_over"])] == [False]


def test_a_straight_that_is_not_filled_leaves_the_dice_thrown_for_it() -> None:
    rules = small(
        name="fill",
        goal=3000,
        dice=6,
        take_over="both",
        fill_straight=2,
        scoring={"straight_1_6": 500},
    )
    game = begin(commands.begin_game("g", rules, [None, None], tracked=True))
    for event in (Rolled(dice=(1, 1, 1, 2, 3, 4)), Kept(dice=(1, 1, 1)), Banked()):
        game = apply(game, event)
    for event in (Rolled(dice=(1, 1, 1, 5, 5, 5)), Kept(dice=(1, 1, 1, 5, 5, 5))):
        game = apply(game, event)
    # with 1,500 all dice show four faces, which are kept; the throw for the others farkles
    for event in (Rolled(dice=(1, 2, 3, 4, 4, 4)), Kept(dice=(1, 2, 3, 4)), Rolled(dice=(5, 5))):
        game = apply(game, event)
    assert game.offered == TurnState(1500, 2)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["strategy", "risky", "mixed"])
def test_a_review_adds_up(which: str, request: pytest.FixtureRequest) -> None:
    strategy: Strategy = request.getfixturevalue(which)
    dice = random.Random(41)
    took = 0
    for _ in range(30):
        begun, events, game = played(strategy, dice, 0.3)
        reader = adding_up(strategy, begun, events, game)
        assert all(one.kind is not Kind.ADJUSTMENT for one in reader.moments)
        for one in reader.moments:
            if one.judgement and one.judgement.chosen.action is Decision.TAKE_OVER:
                took += 1
                # to begin afresh was the other choice
                assert {choice.action for choice in one.judgement.choices} == {
                    Decision.ROLL,
                    Decision.TAKE_OVER,
                }
                assert one.judgement.loss >= 0
    assert took > 20


def test_what_is_left_and_when() -> None:
    game = begin(commands.begin_game("g", RULES, [None, None], tracked=True))
    with pytest.raises(IllegalActionError, match="nothing to take over"):
        commands.take_over(game, 0)
    for event in (Rolled(dice=(1, 2, 3, 4)), Kept(dice=(1,)), Banked()):
        game = apply(game, event)
    assert game.offered == TurnState(100, 3)
    assert [one.action for one in table_buttons(game)][:2] == ["fell", "take"]
    taken = apply(game, *commands.take_over(game, 1))
    assert (taken.turn.turn_total, taken.turn.dice) == (100, 3)
    assert not taken.may_bank
    with pytest.raises(IllegalActionError, match="banked with dice of a further roll: roll first"):
        commands.bank(taken, 1)
    with pytest.raises(IllegalActionError, match="banked with dice of a further roll: roll first"):
        commands.check_hints(taken)
    commands.check_hints(apply(taken, Rolled(dice=(1, 5, 4))))  # what to keep of it is decided
    # a farkle loses all of it, and leaves it to the next one again
    lost = apply(taken, Rolled(dice=(2, 3, 4)))
    assert (lost.seats[1].score, lost.offered) == (0, TurnState(100, 3))
    banked = taken
    for event in (Rolled(dice=(1, 5, 4)), Kept(dice=(5, 1)), Banked()):
        banked = apply(banked, event)
    assert (banked.seats[0].score, banked.seats[1].score) == (100, 250)
    assert banked.offered == TurnState(250, 1)
    # who begins afresh leaves it lying
    assert apply(banked, Rolled(dice=(1, 1, 2, 3))).left is None
    assert apply(banked, Rolled(dice=(2, 3, 4, 6))).offered is None
    assert apply(apply(game, TookOver()), commands.undo(taken, None)[0]).offered == game.offered
    with pytest.raises(IllegalActionError, match="roll by roll"):
        commands.score(game, 1, 300, "bank")
    with pytest.raises(IllegalActionError, match="is for two"):
        commands.begin_game("g", RULES, [None] * 3)


def test_who_may_take_over_and_how_many_dice() -> None:
    rules = small(
        name="late", goal=1000, dice=4, take_over="both", take_over_from=200, take_over_dice=2
    )
    game = begin(commands.begin_game("g", rules, [None, None], tracked=True))
    ones = (Rolled(dice=(1, 1, 3, 4)), Kept(dice=(1, 1)), Banked())
    for event in ones:
        game = apply(game, event)
    assert (game.left, game.offered) == (TurnState(200, 2), None)
    with pytest.raises(IllegalActionError, match="players with 200 points or more"):
        commands.take_over(game, 1)
    for event in ones:
        game = apply(game, event)
    assert game.offered == TurnState(200, 2)
    for event in (Rolled(dice=(1, 2, 3, 4)), Kept(dice=(1,)), Banked()):
        game = apply(game, event)
    assert game.left is None
    position = replace(game.position(), offered=TurnState(100, 3))
    with pytest.raises(InvalidPositionError, match="no more than 2 dice"):
        check_position(rules, position)
    early = replace(position.change(banked=100), offered=TurnState(100, 2))
    banked = replace(position.change(opponent=50), offered=TurnState(100, 2))
    with pytest.raises(InvalidPositionError, match="with a score of 50, did not bank as many"):
        check_position(rules.model_copy(update={"take_over": "banked"}), banked)
    with pytest.raises(InvalidPositionError, match="a score of 200 or more"):
        check_position(rules, early)


def test_nothing_is_told_of_several_where_two_alone_can_play() -> None:
    """An estimate would be of a game in which nothing is left to each other."""
    beating = small(name="beat", goal=1000, beat_previous_turn=True)
    for rules, why in ((RULES, "games of two alone"), (beating, "for two players only")):
        situation = Situation(opponent=(500, 200), rules=rules)
        with pytest.raises(InvalidRulesError, match=why):
            position_of_several(rules, situation, None)


def test_positions_with_something_left_have_an_id() -> None:
    game = begin(commands.begin_game("g", RULES, [None, None], tracked=True))
    for event in (Rolled(dice=(1, 2, 3, 4)), Kept(dice=(1,)), Banked()):
        game = apply(game, event)
    here = game.position()
    text = position_id(RULES, here)
    assert text
    assert read_id(text).position(RULES) == (here, None)
    assert position_id(RULES, here.change(turn_total=0)) == text


async def test_odds_say_what_is_left_and_what_leaving_costs(
    solved_chat: Chat, solved: Path
) -> None:
    rules = f"rules:{solved}/pass.toml"
    told = await solved_chat.say(f"ann: /odds me:300 them:500 left:350 left-dice:3 {rules}")
    assert "take over 350 and 3 dice" in told
    assert "begin afresh" in told
    subject = (
        await solved_chat.answer(f"/odds me:300 them:500 left:350 left-dice:3 {rules}")
    ).subject
    page = templates().get_template("parts.html").make_module().odds(subject)  # type: ignore[attr-defined]
    assert "take over 350 and 3 dice" in page
    assert "begin afresh" in page
    refused = await solved_chat.say(f"ann: /odds me:300 them:300 left:350 {rules}")
    assert "give both" in refused
    refused = await solved_chat.say("ann: /odds me:300 them:500 left:350 left-dice:3 rules:kcd")
    assert "under kcd rules every turn begins with all dice" in refused
    told = await solved_chat.say(f"ann: /odds turn:350 dice:3 me:300 them:300 {rules}")
    assert "A bank leaves them 3 dice" in told
    told = await solved_chat.say(f"ann: /odds turn:700 dice:3 me:300 them:300 {rules}")
    assert "wins the game" in told
    assert "A bank leaves them" not in told


# one that risks everything near the end has no table under such rules
@pytest.mark.parametrize(
    "level", mostly_slow((one, one) for one in LEVELS if one != MemoGoForIt.name)
)
async def test_a_game_against_a_bot_by_commands(
    solved_chat: Chat, solved: Path, level: str
) -> None:
    async def game() -> str:
        said = [await solved_chat.say(f"ann: /play level:{level} rules:{solved}/pass.toml")]
        for _ in range(200):
            [*_, shown] = await solved_chat.all("ann: /show")
            game = shown.subject.table.game
            if game.turn.roll is not None:
                kept = " ".join(map(str, game.set_asides()[0].dice))
                line = f"/keep {kept}"
            elif game.may_bank:
                line = "/bank"
            else:
                line = "/take" if game.offered else "/roll"
            said.append(await solved_chat.say(f"ann: {line}"))
            if " wins: " in said[-1]:
                break
        assert " wins: " in said[-1]
        return "\n".join(said)

    # there are games in which nothing is left to her
    told = ""
    for _ in range(20):
        if "ann takes over" not in told:
            told = await game()
    assert "ann takes over" in told
    reviewed = await solved_chat.say("ann: /review")
    assert "ann" in reviewed
