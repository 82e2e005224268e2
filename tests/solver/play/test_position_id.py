"""Positions in a few characters: read again as they were, slips are seen, nonsense is refused."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.situation import opened
from solver.errors import FarkleError, InvalidRequestError
from solver.game.position import Position, check_position, highest_score
from solver.game.sweeps import solve
from solver.play.advice import position_id, read_id
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.strategy import save_strategy
from solver.turn.dice import Roll, make_roll
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE

PRESETS = [load_rules(name) for name in preset_names()]
RULES = [*PRESETS, variant("kcd", goal=1500), *(rules for _, rules in ONE_BY_ONE)]
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
START = "CZT1-7YZ9-SYP"


@st.composite
def positions(draw: st.DrawFn) -> tuple[Ruleset, Position, Roll | None]:
    """Any position under any rules, also such as cannot occur, and sometimes a roll."""
    rules = draw(st.sampled_from(RULES))
    step = rules.point_step
    low = -(10_000 // step) if rules.penalty_points and not rules.floor_is_played else 0
    score = st.integers(low, highest_score(rules) // step).map(lambda points: points * step)
    farkles = st.integers(0, rules.farkle_limit - 1)
    roll = draw(st.none() | st.lists(st.integers(1, 6), min_size=1, max_size=rules.dice))
    position = Position.of_two(
        banked=draw(score),
        opponent=draw(score),
        turn_total=draw(st.integers(0, 5000)) * step,
        farkles=draw(farkles),
        opponent_farkles=draw(farkles),
        dice=len(roll) if roll else draw(st.integers(1, rules.dice)),
        hot_dice=draw(st.integers(0, rules.hot_dice_counted - 1)),
        to_confirm=draw(st.sampled_from(rules.needs)),
        throws=draw(st.integers(0, rules.throws)),
        held_set=draw(st.sampled_from(rules.sets)),
        on_board=draw(st.booleans()) if rules.has_opening else True,
        opponent_on_board=draw(st.booleans()) if rules.has_opening else True,
        began=draw(st.booleans()) if rules.has_roles else True,
    )
    return rules, position, make_roll(roll) if roll else None


@given(one=positions())
def test_what_is_read_is_what_was_written(one: tuple[Ruleset, Position, Roll | None]) -> None:
    rules, position, roll = one
    said = position_id(rules, position, roll)
    assert said is not None
    read = read_id(said)
    assert read.is_of(rules)
    assert read.goal_of(rules) == rules.goal
    assert read.position(rules) == (position, roll)
    assert len(said) <= 24


def test_the_first_position_is_short_and_stays_what_it_is() -> None:
    """People have written these down."""
    start = position_id(load_rules("facebook"), Position.of_two(), (6, 5, 3, 3, 3, 2))
    assert start == START
    assert (
        position_id(load_rules("kcd"), Position.of_two(1500, 2000, 350, dice=2)) == "J8F2-N3DZ-MH"
    )


def test_people_write_as_they_like() -> None:
    for text in (START.lower(), START.replace("-", ""), " czti 7yz9 syp "):
        assert read_id(text).number == read_id(START).number


@pytest.mark.parametrize(
    "text",
    [
        f"Position {START}",
        f"position: {START}.",
        f"Stellung {START} ",
        f"{START}.",
        f"{START}!",
        f"**Position `{START}`**",
        START.replace("-", "–"),
        START.replace("-", " — "),
        START.replace("-", "‑"),
    ],
)
def test_people_copy_what_stands_beside_it(text: str) -> None:
    assert read_id(text) == read_id(START)._replace(text=text)


def test_slips_are_seen() -> None:
    plain = START.replace("-", "")
    slips = {
        plain[:place] + other + plain[place + 1 :]
        for place in range(len(plain))
        for other in DIGITS
    } | {
        plain[:place] + plain[place + 1] + plain[place] + plain[place + 2 :]
        for place in range(len(plain) - 1)
    }
    for slip in slips - {plain}:
        with pytest.raises(InvalidRequestError, match="is mistyped"):
            read_id(slip)


@pytest.mark.parametrize(
    "text", ["", "6 5 3", "CZT1-7YZ9-SYPU", "position", "A" * 60, "😈😈😈😈😈😈"]
)
def test_what_is_no_position(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="is not a position ID"):
        read_id(text)


def test_rules_are_found_by_how_they_play() -> None:
    short = variant("kcd", goal=1500)
    said = position_id(short, Position.of_two(100, 200))
    rules, position, roll = opened(read_id(said or ""), PRESETS)
    assert (rules.name, rules.goal, rules.digest) == ("kcd-1500", 1500, short.digest)
    assert (position, roll) == (Position.of_two(100, 200), None)
    own = short.model_copy(update={"name": "tavern"})
    assert opened(read_id(said or ""), [*PRESETS, own])[0].name == "tavern"
    other = position_id(variant("kcd", dice=5), Position.of_two(dice=5))
    with pytest.raises(InvalidRequestError, match="are not known here"):
        opened(read_id(other or ""), PRESETS)


def test_rules_of_files_are_known_once_they_are_solved(tmp_path: Path, kernels: Path) -> None:
    rules = variant("classic", dice=2, goal=300, name="mine")
    save_strategy(solve(rules, cache=kernels), tmp_path)
    said = position_id(rules, Position.of_two(100, 200, dice=2))
    found, position, _ = opened(read_id(said or ""), PRESETS, tmp_path)
    assert (found.name, found.digest, position.banked) == ("mine", rules.digest, 100)


def test_a_score_far_below_nothing_has_no_characters() -> None:
    assert position_id(load_rules("facebook"), Position.of_two(banked=-10_500)) is None
    assert position_id(load_rules("facebook"), Position.of_two(banked=-10_000))


@pytest.mark.slow
@given(said=st.text(DIGITS, min_size=4, max_size=36), rules=st.sampled_from(PRESETS))
def test_nonsense_is_refused_or_can_be_played(said: str, rules: Ruleset) -> None:
    key = (position_id(rules, Position.of_two()) or "").replace("-", "")[:3]
    for check in DIGITS:
        try:
            read = read_id(key + said + check)
        except InvalidRequestError:
            continue
        with suppress(FarkleError):
            found, position, _ = opened(read, PRESETS)
            check_position(found, position)
        return
    pytest.fail("every last character is refused")


def test_a_roll_of_a_turn_is_not_of_what_may_be_taken_over() -> None:
    rules = load_rules("leftovers")
    turn = Position.of_two(turn_total=300, dice=3)
    roll = make_roll([1, 2, 5])
    both = replace(turn, offered=turn.turn)
    assert position_id(rules, both, roll) == position_id(rules, turn, roll)
    assert position_id(rules, both, None) != position_id(rules, turn, None)
