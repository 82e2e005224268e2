"""Games of a number of rounds: by commands and presses, with bots, reviewed and explained."""

import random
from pathlib import Path

import pytest

from bot.languages import language
from bot.table import commands
from bot.table.events import Corrected, Scored, TurnEnding
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.advice import why_text
from bot.views.rules_text import rules_text
from bot.views.table_buttons import table_buttons
from solver.errors import IllegalActionError
from solver.game.best import Strategy
from solver.game.many_sweeps import solve_many
from solver.game.position import Position, first_position
from solver.game.sweeps import solve
from solver.many_strategy import open_many, save_many
from solver.play.advice import Reason, odds, position_id, read_id, with_why
from solver.play.policies import LEVELS
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.strategy import save_strategy
from solver.wording import said_in
from tests.bot.played import adding_up, played
from tests.bot.speaking import Chat, open_chat
from tests.bot.views.test_rules_text import flat
from tests.conftest import mostly_slow

BRIEF = Ruleset.model_validate({"name": "brief", "dice": 2, "throws": 2, "rounds": 2})
RULES = Ruleset.model_validate({"name": "three", "dice": 3, "rounds": 3})


def tracked(rules: Ruleset = RULES) -> Game:
    return begin(commands.begin_game("g", rules, [None, None], tracked=True))


@pytest.mark.slow
def test_best_play_wins_as_often_as_its_values_say(strategy: Strategy) -> None:
    dice, games = random.Random(40), 400
    expected = strategy.win_probability(first_position(RULES))
    wins = 0.0
    for _ in range(games):
        game = played(strategy, dice, 0.0)[2]
        assert game.shares
        assert [seat.turns for seat in game.seats] == [3, 3]
        wins += game.shares[0]
    assert abs(wins / games - expected) < 4 * 0.5 / games**0.5


@pytest.mark.slow
def test_a_review_adds_up(strategy: Strategy) -> None:
    dice = random.Random(41)
    for _ in range(20):
        begun, events, game = played(strategy, dice, 0.3)
        adding_up(strategy, begun, events, game)


def scored_turn(points: int) -> Scored:
    return Scored(points=points, ending=TurnEnding.BANK if points else TurnEnding.FARKLE)


def test_rounds_are_counted_and_end_the_game() -> None:
    game = tracked()
    assert (game.rounds_left, game.position().turns_left) == (3, 6)

    def scored(points: int) -> None:
        nonlocal game
        game = apply(game, scored_turn(points))

    scored(200)
    assert (game.mover, game.rounds_left, game.position().turns_left) == (1, 3, 5)
    # whose turn it is changes in the round
    assert (
        apply(game, *commands.correct(game, Corrected(seat=0, moves=True))).position().turns_left
        == 6
    )
    with pytest.raises(IllegalActionError, match="named first"):
        commands.correct(tracked(), Corrected(seat=1, moves=True))
    game = apply(game, *commands.skip(game))
    assert (game.mover, game.rounds_left) == (0, 2)
    for points in (0, 0, 0):
        scored(points)
    assert (game.rounds_left, game.position().turns_left) == (1, 1)
    assert [one.action for one in table_buttons(game)]
    once = game
    scored(200)
    assert game.over
    assert game.shares == (0.5, 0.5)
    game = once
    scored(250)
    assert game.shares == (0.0, 1.0)
    with pytest.raises(IllegalActionError, match="of a number of rounds is for two or three"):
        commands.begin_game("g", RULES, [None] * 4)


def three_play() -> Game:
    return begin(commands.begin_game("g", RULES, [None] * 3, tracked=True))


def test_three_have_as_many_turns_whoever_resigns() -> None:
    game = three_play()
    for number, points in enumerate((200, 0, 50, 150, 100, 200, 300, 0)):
        position = game.position_of_all()
        assert (game.mover, game.rounds_left) == (number % 3, 3 - number // 3)
        assert (position.turns_left, position.mover) == (9 - number, number % 3)
        game = apply(game, scored_turn(points))
    once = apply(game, scored_turn(0))
    assert once.shares == (1.0, 0.0, 0.0)
    assert apply(game, scored_turn(400)).shares == (0.5, 0.0, 0.5)
    # who resigns in the last turn of a round ends it, and the game if it was the last one
    assert apply(game, *commands.resign(game, 2)).shares == (1.0, 0.0, 0.0)
    game = apply(three_play(), scored_turn(200))
    game = apply(game, *commands.resign(game, 1))
    assert (game.mover, game.rounds_left, game.position().turns_left) == (2, 3, 5)
    game = apply(apply(game, scored_turn(0)), scored_turn(100))
    assert (game.mover, game.rounds_left, game.position().turns_left) == (2, 2, 3)
    game = apply(game, *commands.correct(game, Corrected(seat=0, moves=True)))
    assert (game.mover, game.rounds_left, game.position().turns_left) == (0, 2, 4)
    game = apply(three_play(), *commands.resign(three_play(), 0))
    for number in range(6):
        assert (game.mover, game.rounds_left) == (1 + number % 2, 3 - number // 2)
        game = apply(game, scored_turn(50 * number))
    assert game.shares == (0.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def of_three(tmp_path_factory: pytest.TempPathFactory, kernels: Path) -> Path:
    """A folder with a short game that is solved for two and for three."""
    folder = tmp_path_factory.mktemp("of_three")
    (folder / "brief.toml").write_text(rules_toml(BRIEF, ""))
    save_strategy(solve(BRIEF, cache=kernels), folder / "strategies")
    save_many(solve_many(BRIEF, 3, cache=kernels), folder / "strategies")
    return folder


@pytest.mark.slow
def test_reviews_of_three_add_up(of_three: Path) -> None:
    dice, games, wins = random.Random(43), 300, 0.0
    strategy = open_many(of_three / "strategies", BRIEF, 3)
    for number in range(games):
        begun, events, game = played(strategy, dice, 0.3 * (number < 10))
        assert game.shares
        assert [seat.turns for seat in game.seats] == [2, 2, 2]
        wins += game.shares[2]
        if number < 10:
            adding_up(strategy, begun, events, game)
    chance = strategy.chances(first_position(BRIEF, 3))[2]
    assert abs(wins / games - chance) < 4 * 0.5 / games**0.5


@pytest.mark.slow
async def test_three_play_by_commands(of_three: Path, tmp_path: Path) -> None:
    rules = f"rules:{of_three}/brief.toml"
    async with open_chat(tmp_path, of_three / "strategies") as chat:
        told = [await chat.say(f"ann: /play bot bot level:optimal {rules}")]
        for _ in range(60):
            [*_, shown] = await chat.all("ann: /show")
            if isinstance(shown.subject, dict):
                break  # the game is over
            game = shown.subject.table.game
            hint = await chat.say("ann: /hint")
            assert "%" in hint
            if game.turn.roll is not None:
                line = "/keep " + " ".join(map(str, game.set_asides()[0].dice))
            else:
                line = "/bank" if game.may_bank else "/roll"
            told.append(await chat.say(f"ann: {line}"))
        assert "Round 2 of 2" in "\n".join(told)
        assert "ann" in await chat.say("ann: /review")
        advised = await chat.say(f"ann: /advise 1 5 me:100 them:200,150 rounds:1 before:1 {rules}")
        assert "one of the others had a turn in this round, the last round" in flat(advised)
        assert "others would then win" in flat(advised)
        refused = await chat.say(f"ann: /odds me:100 them:200,150 rounds:1 before:3 {rules}")
        assert "Of the others 2 can have had their turn in this round at most" in refused
        refused = await chat.say(f"ann: /odds them:200,150,100 rounds:1 {rules}")
        assert "for two or three" in refused
        explored = await chat.say(f"ann: /explore me:100 them:200,150 rounds:1 before:2 {rules}")
        assert "the last round" in flat(explored)


def test_ties_are_played_on() -> None:
    game = tracked(RULES.model_copy(update={"rounds": 1, "ties": "played_on"}))
    for points in (200, 200, 0):
        assert not game.over
        game = apply(game, scored_turn(points))
    assert (game.rounds_left, game.position().turns_left) == (1, 1)
    game = apply(game, Scored(points=50, ending=TurnEnding.BANK))
    assert game.shares == (0.0, 1.0)


def test_positions_have_an_id(strategy: Strategy) -> None:
    for rounds_left, began in ((3, True), (2, False), (1, False)):
        position = Position.of_two(300, 500, dice=3, began=began, rounds_left=rounds_left)
        text = position_id(RULES, position)
        assert text
        assert read_id(text).position(RULES) == (position, None)
        strategy.check(position)


def test_reasons_look_at_the_lead_and_at_the_last_turn(strategy: Strategy) -> None:
    found = set()
    for lead in range(-600, 650, 150):
        for rounds_left in (1, 2, 3):
            start = Position.of_two(600 + lead, 600, dice=3, began=False, rounds_left=rounds_left)
            for total, dice in ((100, 2), (200, 2), (200, 1), (250, 2), (300, 3), (450, 3)):
                state = start.change(turn_total=total, dice=dice)
                answer = with_why(strategy, odds(strategy, state))
                assert answer.why
                found.add(answer.why.reason)
    assert {Reason.LAST_TURN, Reason.BEHIND, Reason.POINTS} <= found
    assert not found & {Reason.GOAL, Reason.NEED, Reason.THEIR_LAST_TURN}
    last = Position.of_two(600, 700, dice=2, turn_total=100, began=True, rounds_left=1)
    answer = with_why(strategy, odds(strategy, last))
    assert "if you bank, they get one last turn and win" in flat(why_text(answer))


async def test_who_is_next_is_put_right_in_a_round(solved_chat: Chat, solved: Path) -> None:
    await solved_chat.say(f"ann: /track @bob rules:{solved}/three.toml")
    await solved_chat.say("ann: /score 200")
    told = await solved_chat.say("ann: /fix next:ann")
    assert "Corrected: it is ann's turn, once more in this round." in told
    for who in ("ann", "bob"):
        await solved_chat.say(f"{who}: /score 200")
    told = await solved_chat.say("ann: /fix next:bob")
    assert "Corrected: it is bob's turn; ann has none in this round." in told


async def test_advice_and_odds_take_the_rounds_left(solved_chat: Chat, solved: Path) -> None:
    rules = f"rules:{solved}/three.toml"
    told = await solved_chat.say(f"ann: /odds turn:200 dice:1 me:300 them:500 rounds:2 {rules}")
    assert "2 rounds left" in told
    told = await solved_chat.say(f"ann: /advise 1 5 5 me:300 them:600 rounds:1 began:them {rules}")
    assert "final turn with 300 to beat" in told
    assert "the last round" in told
    assert "3 rounds left" in await solved_chat.say(f"ann: /advise 1 5 5 {rules}")
    refused = await solved_chat.say(f"ann: /odds me:300 them:500 {rules}")
    assert "Say how many rounds are left" in refused
    refused = await solved_chat.say(f"ann: /odds me:300 them:500 rounds:4 {rules}")
    assert "they are 1 to 3" in refused
    refused = await solved_chat.say("ann: /odds me:300 them:500 rounds:2 rules:kcd")
    assert "no rounds are counted" in refused.lower()
    explored = await solved_chat.say(f"ann: /explore me:300 them:500 rounds:2 {rules}")
    assert "2 rounds left" in explored


@pytest.mark.parametrize("level", mostly_slow((one, one) for one in LEVELS))
async def test_a_game_against_a_bot_by_commands(
    solved_chat: Chat, solved: Path, level: str
) -> None:
    said = await solved_chat.say(f"ann: /play level:{level} rules:{solved}/three.toml")
    if level == "memo-go-for-it":
        assert "not worked out" in said
        return
    assert "for 3 rounds" in said
    told = [said]
    for _ in range(60):
        [*_, shown] = await solved_chat.all("ann: /show")
        if isinstance(shown.subject, dict):
            break  # the game is over
        game = shown.subject.table.game
        if game.turn.roll is not None:
            line = "/keep " + " ".join(map(str, game.set_asides()[0].dice))
        else:
            line = "/bank" if game.may_bank else "/roll"
        told.append(await solved_chat.say(f"ann: {line}"))
    assert "Round 3 of 3" in "\n".join(told)
    reviewed = await solved_chat.say("ann: /review")
    assert "ann" in reviewed


def test_rules_are_explained_in_both_languages() -> None:
    assert "Everybody has 3 turns; then the most points win." in rules_text(RULES)
    assert "goal" not in rules_text(RULES)
    told = said_in(language("de"), rules_text, RULES)
    assert "Alle haben 3 Züge; dann gewinnen die meisten Punkte." in told
    assert "Two players or three, 3 dice" in rules_text(RULES)


@pytest.mark.slow
async def test_rules_of_rounds_are_made_in_a_chat(solved_chat: Chat) -> None:
    told = await solved_chat.say("ann: /rules new ten base:wikipedia rounds:10")
    assert "ten" in told
    shown = await solved_chat.say("ann: /rules ten")
    assert "Everybody has 10 turns" in shown
    refused = await solved_chat.say("ann: /rules new bad base:wikipedia rounds:10 goal:5000")
    assert "this does not go with rounds" in refused
    told = await solved_chat.say("ann: /rules new long base:ten goal:5000")
    assert "The goal is 5,000 points" in await solved_chat.say("ann: /rules long")
