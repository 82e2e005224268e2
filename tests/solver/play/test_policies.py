"""Policies: always legal, and each plays as it says."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FarkleError
from solver.game.best import Strategy
from solver.game.position import Position, check_position, reachable
from solver.game.standings import Solution
from solver.play.advice import advise
from solver.play.policies import LEVELS, greedy_threshold, make_policy
from solver.play.policy import Move, Policy
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, Hand, Roll, dice_set, fate, make_roll, set_asides
from solver.turn.equations import EqualDice
from tests.conftest import mostly_slow
from tests.usual import USUAL

WITHOUT_STRATEGY = [name for name in LEVELS if name not in {"optimal", "memo-go-for-it"}]


Asked = tuple[Hand, Position, Roll]


@st.composite
def views(draw: st.DrawFn, rules: Ruleset) -> Asked:
    """A possible position in which a roll scores, also of final turns and play-offs."""
    step, goal = rules.point_step, rules.winning_score
    below = st.integers(rules.score_floor // step, goal // step - 1).map(lambda k: k * step)
    banked, opponent, began = draw(below), draw(below), True
    if rules.ending != "at_once" and draw(st.booleans()):
        opponent = goal + step * draw(st.integers(0, 10))
        began = not rules.has_roles
        if rules.ties == "played_on" and draw(st.booleans()):
            banked, began = draw(st.sampled_from([(opponent, True), (goal, False)]))
    states = np.argwhere(reachable(rules)[:, : 4000 // step])
    level, row, dice = states[draw(st.integers(0, len(states) - 1))].tolist()
    board = banked > 0 or not rules.has_opening
    position = Position.of_two(
        banked=banked,
        opponent=opponent,
        turn_total=row * step,
        farkles=draw(st.integers(0, rules.farkle_limit - 1)),
        dice=dice + 1,
        hot_dice=level,
        on_board=board or draw(st.booleans()),
        began=began,
    )
    check_position(rules, position)
    scoring = [
        roll for roll, _ in dice_set(rules).rolls(dice + 1) if fate(rules, roll) is Fate.SCORES
    ]
    return EqualDice(rules), position, draw(st.sampled_from(scoring))


def check_legal(asked: Asked, choice: Move) -> None:
    hand, position, roll = asked
    rules = hand.rules
    kept = {one.dice: one.points for one in set_asides(rules, roll)}
    assert choice.set_aside in kept
    if choice.bank:
        hot = len(choice.set_aside) == len(roll)
        total = position.turn_total + kept[choice.set_aside]
        bonuses = rules.hot_dice_bonus or (0,)
        total += bonuses[min(position.hot_dice, len(bonuses) - 1)] if hot else 0
        assert rules.hot_dice == "optional" or not hot
        on_board = position.on_board or position.banked >= rules.winning_score
        assert rules.may_bank(total, position.banked, on_board=on_board)


@pytest.mark.parametrize("preset", mostly_slow(zip(USUAL, USUAL, strict=True)))
@settings(max_examples=40)
@given(data=st.data())
def test_every_level_is_legal(preset: str, data: st.DataObject) -> None:
    asked = data.draw(views(load_rules(preset)))
    for name in WITHOUT_STRATEGY:
        check_legal(asked, make_policy(name).choose(*asked))


FORCED = {
    "hot_dice": "no_bank",
    "hot_dice_bonus": (100, 50),
    "opening_minimum": 200,
    "minimum_binds_win": False,
    "ending": "equal_turns",
    "ties": "played_on",
    "farkle_keeps_turn_total": True,
}


@settings(max_examples=80)
@given(data=st.data())
def test_every_level_is_legal_under_odd_rules(data: st.DataObject) -> None:
    rules = Ruleset.model_validate({"name": "odd", "goal": 1000, "dice": 4, **FORCED})
    asked = data.draw(views(rules))
    for name in WITHOUT_STRATEGY:
        check_legal(asked, make_policy(name).choose(*asked))


@settings(max_examples=60)
@given(data=st.data())
def test_optimal_does_what_is_advised(tiny: Solution, data: st.DataObject) -> None:
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    asked = data.draw(views(tiny.rules))
    choice = make_policy("optimal", strategy).choose(*asked)
    check_legal(asked, choice)
    best = advise(strategy, *asked[1:]).options[0]
    assert choice == Move(best.set_aside, best.action != "roll")


def choose(name: str, preset: str, dice: str, **position: Any) -> tuple[str, bool]:
    roll = make_roll(map(int, dice))
    here = Position.of_two(**({"dice": len(roll)} | position))
    choice = make_policy(name).choose(EqualDice(load_rules(preset)), here, roll)
    return "".join(map(str, choice.set_aside)), choice.bank


def test_max_points_banks_what_wins_and_only_that_in_a_final_turn() -> None:
    assert choose("max-points", "facebook", "111115") == ("511111", False)
    assert choose("max-points", "facebook", "111115", banked=9000)[1]
    assert not choose("max-points", "arnold", "1", banked=9000, opponent=10300, turn_total=1150)[1]
    assert choose("max-points", "arnold", "1", banked=9000, opponent=10300, turn_total=1250)[1]


def test_max_points_leaves_points_for_dice() -> None:
    assert choose("max-points", "facebook", "553246") == ("5", False)
    assert choose("greedy", "facebook", "553246") == ("55", False)


def test_greedy_banks_at_its_threshold() -> None:
    facebook, kcd = load_rules("facebook"), load_rules("kcd")
    assert (greedy_threshold(facebook), greedy_threshold(kcd)) == (400, 300)
    assert choose("greedy", "facebook", "15", turn_total=200) == ("51", False)
    assert choose("greedy", "facebook", "15", turn_total=250) == ("51", True)
    assert choose("greedy", "facebook", "15", turn_total=200, banked=9650) == ("51", True)


def test_cautious_banks_as_soon_as_it_may() -> None:
    assert choose("cautious", "kcd", "522446") == ("5", True)
    assert choose("cautious", "facebook", "15", turn_total=100) == ("51", False)
    assert choose("cautious", "facebook", "15", turn_total=150) == ("51", True)


@pytest.mark.parametrize("name", WITHOUT_STRATEGY)
def test_nobody_banks_a_turn_that_loses_the_game(name: str) -> None:
    for total in range(50, 2000, 50):
        bank = choose(name, "arnold", "1", banked=9000, opponent=10000, turn_total=total)[1]
        assert bank == (total + 100 > 1000)


def test_levels_by_name() -> None:
    assert list(LEVELS) == [
        "optimal",
        "max-points",
        "memo",
        "memo-go-for-it",
        "greedy",
        "cautious",
    ]
    made: list[Policy] = [make_policy(name) for name in WITHOUT_STRATEGY]
    assert [policy.name for policy in made] == WITHOUT_STRATEGY
    with pytest.raises(FarkleError, match="needs solved rules"):
        make_policy("optimal")
    with pytest.raises(FarkleError, match="which is not worked out"):
        make_policy("memo-go-for-it")
    with pytest.raises(FarkleError, match="did you mean greedy"):
        make_policy("gredy")
    with pytest.raises(FarkleError, match="dice score"):
        choose("greedy", "facebook", "2346")


def test_no_compiler_is_loaded() -> None:
    code = (
        "import sys, solver.play.policies, solver.play.estimate; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
