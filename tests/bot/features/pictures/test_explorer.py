"""The walk through all positions: each step leads to one, and all can be come to."""

import random
from dataclasses import replace

import pytest

from bot.chat.presses import LONGEST_ID, read_press
from bot.features.pictures.chat import Walk, exploration, packed, unpacked
from bot.features.pictures.service import Exploration, Field, explore, large_step
from bot.features.pictures.view import exploration_card, exploration_text
from bot.languages import language
from bot.layout import MOST_IN_MESSAGE
from bot.services.advisor import Asked
from bot.services.situation import as_typed
from solver.errors import InvalidPositionError
from solver.game.best import BestPlay
from solver.game.position import (
    MAX_TURN_TOTAL,
    Position,
    check_position,
    first_position,
    reachable,
)
from solver.game.standings import Standing
from solver.play.advice import odds
from solver.play.estimate import EstimatedStrategy
from solver.play.maps import turn_map
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.wording import said_in
from tests.conftest import check_reachable, mostly_slow
from tests.house_rules import ONE_BY_ONE, small
from tests.solver.play.test_maps import guessed, some_positions

HOUSE = mostly_slow(ONE_BY_ONE, first=1)


@pytest.mark.mostly_slow(4)
@pytest.mark.mostly_skipped
@pytest.mark.parametrize("rules", HOUSE)
def test_steps_lead_to_positions_that_can_be(rules: Ruleset) -> None:
    """A walk at random never leaves them, and each button keeps to Discord's limits."""
    strategy, chance = guessed(rules), random.Random(1)
    position = some_positions(rules, 1)[0]
    for _ in range(12):
        found = explore(Asked(strategy, position))
        check_reachable(rules, position)
        assert found.odds == odds(strategy, position)
        actions = [step.action for step in found.steps]
        assert len(set(actions)) == len(actions)
        for step in found.steps:
            if step.position is not None:
                check_reachable(rules, step.position)
                assert step.position != position
        check_buttons(found)
        position = chance.choice([one.position for one in found.steps if one.position])


@pytest.mark.parametrize(
    "name",
    ["nothing special", "bonus three times", "opening", "equal_turns shared", "farkle 3 costs"],
)
def test_steps_of_several_are_typed_again(name: str) -> None:
    """A walk at random of three, of whom an estimate knows; each step means itself if typed."""
    rules, chance = dict(ONE_BY_ONE)[name], random.Random(2)
    play = EstimatedStrategy(guessed(rules), 3)
    position = as_typed(rules, first_position(rules, 3))
    for _ in range(4):
        found = explore(Asked(play, position))
        assert found.odds == odds(play, position)
        assert found.bank_from == turn_map(play, position).bank_from
        check_buttons(found)
        ways = [step.position for step in found.steps if step.position]
        for there in ways:
            play.check(there)
            assert as_typed(rules, there) == there != position
        position = chance.choice(ways)


def test_who_moves_next_of_several_has_a_turn() -> None:
    rules = dict(ONE_BY_ONE)["nothing special"]
    play = EstimatedStrategy(guessed(rules), 3)
    start = first_position(rules, 3)
    step = rules.point_step
    standings = tuple(replace(start.own, score=k * step) for k in (1, 2, 3))
    after = by_action(play, replace(start, players=standings), "sides")
    assert after == replace(start, players=(*standings[1:], standings[0]))
    assert exploration_card(explore(Asked(play, start))).buttons[-1].label == "Next player"


def test_steps_of_several_say_how_many_had_their_turn() -> None:
    """Where all have as many turns, and who moves did not begin."""
    rules = dict(ONE_BY_ONE)["equal_turns shared"]
    play = EstimatedStrategy(guessed(rules), 3)
    found = explore(Asked(play, replace(first_position(rules, 3), mover=1)))
    # all but "Next player" stay with who moves
    assert [step.position.mover for step in found.steps if step.position].count(2) == 1
    assert {step.position.mover for step in found.steps if step.position} == {1, 2}
    lines = [line for line in exploration_text(found).splitlines() if "/explore" in line]
    assert sum("before:1" in line for line in lines) == len(lines) - 1
    assert sum("before:2" in line for line in lines) == 1
    assert explore(Asked(play, first_position(rules, 3))).steps


@pytest.mark.parametrize("name", ["nothing special", "bonus three times"])
def test_from_a_turn_that_no_rolls_lead_to_one_walks_back(name: str) -> None:
    rules = dict(ONE_BY_ONE)[name]
    strategy, start = guessed(rules), first_position(rules)
    last = (len(reachable(rules)[0]) + 5) * rules.point_step
    for total in (rules.point_step, last, MAX_TURN_TOTAL):
        for dice in range(1, rules.dice + 1):
            found = explore(Asked(strategy, start.change(turn_total=total, dice=dice)))
            for step in found.steps:
                if step.position:
                    check_position(rules, step.position)
            back = [one for one in found.steps if one.field is Field.TURN and one.amount < 0]
            for step in back:
                assert step.position
                check_reachable(rules, step.position)


def check_buttons(found: Exploration) -> None:
    """One row of steps and a list of what else there is to change, in ids that Discord takes."""
    leads = {step.action: step.position for step in found.steps}
    seen: set[str] = set()
    for changes in {step.field for step in found.steps if step.amount}:
        card = said_in(language("de"), exploration(found, changes=changes).card)
        assert len(card.text) <= MOST_IN_MESSAGE
        assert len(card.buttons) <= 5
        assert len({button.id for button in card.buttons}) == len(card.buttons)
        for button in card.buttons:
            assert len(button.id) <= LONGEST_ID
            press = read_press(button.id)
            assert isinstance(press, Walk), button.id
            assert not press.is_list
            lead = leads[press.action]
            assert button.enabled == (lead is not None)
            assert lead is None or unpacked(found.odds.rules, press.packed) == lead
            seen.add(press.action)
        if card.menu is None:
            continue
        listed = read_press(card.menu.id)
        assert isinstance(listed, Walk)
        assert listed.is_list
        for value, _, _ in card.menu.options:
            chosen = listed.chosen_entry(value)
            assert unpacked(found.odds.rules, chosen.packed) == found.odds.position
            assert chosen.changes in {Field(value), Field.OWN}
            seen.add(value)
    assert {action for action, lead in leads.items() if lead} <= seen


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("nothing special", set[Field]()),
        ("bonus three times", {Field.HOT_DICE}),
        ("farkle 3 costs", {Field.FARKLES, Field.THEIR_FARKLES}),
        ("opening", set[Field]()),
        ("opening and penalty", {Field.FARKLES, Field.THEIR_FARKLES, Field.ON_BOARD,
                                 Field.THEY_ON_BOARD}),
        ("equal_turns shared", {Field.BEGAN}),
    ],
)  # fmt: skip
def test_only_what_matters_can_be_changed(name: str, fields: set[Field]) -> None:
    rules = dict(ONE_BY_ONE)[name]
    found = explore(Asked(guessed(rules), first_position(rules)))
    always = {Field.OWN, Field.OPPONENT, Field.TURN, Field.DICE, Field.SIDES}
    assert {step.field for step in found.steps} == always | fields


@pytest.mark.parametrize("name", ["penalty and floor", "bonus three times", "equal_turns shared"])
def test_every_state_of_a_turn_can_be_walked_to(name: str) -> None:
    """By small steps alone, from the start: all turn totals up to the goal, dice and levels."""
    rules = dict(ONE_BY_ONE)[name]
    strategy = guessed(rules)
    goal = rules.winning_score
    turning = {Field.TURN, Field.DICE, Field.HOT_DICE}
    seen, new = set[Position](), {first_position(rules)}
    while new:
        seen |= new
        steps = [step for one in new for step in explore(Asked(strategy, one)).steps]
        found = {one.position for one in steps if one.field in turning and not one.is_large}
        new = {one for one in found if one and one.turn_total <= goal} - seen
    every = set()
    start = first_position(rules)
    for total in range(0, goal + 1, rules.point_step):
        for dice in range(1, rules.dice + 1):
            for hot_dice in range(max(1, len(rules.hot_dice_bonus))):
                state = start.change(turn_total=total, dice=dice, hot_dice=hot_dice)
                try:
                    check_reachable(rules, state)
                except InvalidPositionError:
                    continue
                every.add(state)
    assert every - seen == set()
    assert len(every) > 15


def test_scores_are_walked_to_the_end() -> None:
    rules = small(farkle_penalty={"in_a_row": 2, "points": 100})
    strategy = guessed(rules)
    found = first_position(rules)
    scores = [found.banked]
    while step := by_action(strategy, found, "meup"):
        found = step
        scores.append(found.banked)
    assert scores == list(range(0, rules.goal, rules.point_step))
    assert by_action(strategy, found, "meup2") is None
    while step := by_action(strategy, found, "medown2"):
        found = step
    assert found.banked == rules.score_floor
    near = first_position(rules).change(banked=rules.goal - 2 * rules.point_step)
    last = by_action(strategy, near, "meup2")
    assert last is not None
    assert last.banked == rules.goal - rules.point_step, "as far as there are any"


def by_action(strategy: BestPlay, position: Position, action: str) -> Position | None:
    [step] = [one for one in explore(Asked(strategy, position)).steps if one.action == action]
    return step.position


@pytest.mark.parametrize("name", preset_names())
def test_large_steps(name: str) -> None:
    rules = load_rules(name)
    assert large_step(rules) % rules.point_step == 0
    assert rules.scale / 50 <= large_step(rules) <= rules.scale / 5 or rules.scale < 1000


@pytest.mark.slow
def test_changing_sides_twice_is_where_it_was() -> None:
    for _, rules in ONE_BY_ONE[::5]:
        for position in some_positions(rules, 3):
            strategy = guessed(rules)
            other = by_action(strategy, position, "sides")
            if other is not None:
                assert other.banked == position.opponent
                assert other.farkles == position.opponent_farkles
                assert by_action(strategy, other, "sides") == position


def test_positions_are_packed_whole() -> None:
    for _, rules in ONE_BY_ONE[::8]:
        for position in some_positions(rules, 5):
            assert unpacked(rules, packed(rules, position)) == position
    furthest = Position.of_two(-1000000, -1000000, 1000000, 4, 4, 6, 12, opponent_on_board=False)
    name = "n" * 24
    press = Walk("0" * 12, "pt-BR", packed(rules, furthest), name, "theirsdown")
    assert len(press.id) <= LONGEST_ID
    eight = tuple(Standing(-1000000 + k, 0, k % 3 > 0) for k in range(8))
    several = Position(eight, 5, TurnState(1000000, 6, 1000)).change(farkles=4)
    assert unpacked(rules, packed(rules, several)) == several
    press = Walk("0" * 12, "pt-BR", packed(rules, several), "n", "farklesdown")
    assert len(press.id) <= LONGEST_ID
    assert read_press(press.id) == press


def test_long_names_of_rules_are_cut_in_buttons_alone() -> None:
    rules = small(name="a name of house rules as long as can be 12")
    found = explore(Asked(guessed(rules), first_position(rules)))
    check_buttons(found)
    assert rules.name in exploration_text(found)
