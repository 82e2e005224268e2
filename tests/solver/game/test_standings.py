"""What the end of a turn makes of a standing, against the slow twin and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.game.standings import (
    Standing,
    after_turn,
    after_turns,
    blocks,
    by_seat,
    many,
    standing_index,
)
from solver.rules.ruleset import Ruleset
from tests.conftest import variant
from tests.house_rules import ONE_BY_ONE

RULES = [
    *(rules for _, rules in ONE_BY_ONE),
    variant("facebook"),
    variant("facebook", farkle_penalty={"in_a_row": 1, "points": 500}, score_floor=0),
    variant("zilch", farkle_penalty={"in_a_row": 2, "points": "everything"}, score_floor=0),
    variant("dice-10000", farkle_keeps_turn_total=True, lose_everything=("222",)),
]


def in_words(rules: Ruleset, before: Standing, points: int, how: str) -> Standing:
    """The standing by the words of Ruleset's docstrings, one after the other."""
    score, farkles = before.score + points, 0
    on_board = before.on_board or points > 0
    if rules.goal_must_be == "exact" and score > rules.goal:
        too_many = score - rules.goal
        if rules.beyond_goal == "back":
            score = max(rules.goal - too_many, 0)
        elif rules.beyond_goal == "around":
            score = min(too_many, rules.goal - rules.point_step)
        else:
            score, on_board = before.score, before.on_board
        return Standing(score, 0, on_board)
    if how == "lose":
        lost = before.score if rules.spares_farkles else min(before.score, 0)
        return Standing(lost, 0, before.on_board)
    if how == "farkle" and not (points and score >= rules.winning_score):
        farkles = before.farkles + 1
        penalty = rules.farkle_penalty
        if penalty is None:
            farkles = 0
        elif farkles == penalty.in_a_row:
            farkles = penalty.in_a_row - 1 if penalty.then == "goes_on" else 0
            if penalty.points == "everything":
                score = min(score, 0)
            else:
                score -= penalty.points
                if rules.score_floor == 0 and score < 0:
                    score = 0
    return Standing(score, farkles, on_board)


@given(st.sampled_from(RULES), st.data())
def test_the_end_of_a_turn(rules: Ruleset, data: st.DataObject) -> None:
    step = rules.point_step
    lowest, highest = rules.score_floor // step, rules.winning_score // step
    turns = []
    for _ in range(3):
        on_board = not rules.has_opening or data.draw(st.booleans())
        most = highest - 1 if on_board else 0
        score = data.draw(st.integers(lowest, most)) * step
        farkles = data.draw(st.integers(0, rules.farkle_limit - 1))
        how = data.draw(st.sampled_from(["bank", "farkle", "lose"]))
        points = data.draw(st.integers(0, highest)) * step
        if how == "lose" or (how == "farkle" and not rules.farkle_keeps_turn_total):
            points = 0
        if how == "farkle" and rules.goal_must_be == "exact":  # which keeps nothing beyond
            points = min(points, rules.goal - score)
        turns.append((Standing(score, farkles, on_board), points, how))
    expected = [in_words(rules, *turn) for turn in turns]
    assert expected == [
        after_turn(rules, before, points, farkles=how == "farkle", loses=how == "lose")
        for before, points, how in turns
    ]
    together = many(turns[0][0], len(turns))
    for k, (before, _, _) in enumerate(turns):
        together[[k]] = many(before)
    found = after_turns(
        rules,
        together,
        np.array([points for _, points, _ in turns]),
        farkles=np.array([how == "farkle" for *_, how in turns]),
        loses=np.array([how == "lose" for *_, how in turns]),
    )
    side_by_side = zip(found.score, found.farkles, found.on_board, strict=True)
    assert [Standing(int(a), int(b), bool(c)) for a, b, c in side_by_side] == expected


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{rules.digest[:4]}")
def test_standings_are_in_the_order_of_their_blocks(rules: Ruleset) -> None:
    found = [
        standing_index(rules, Standing(score, block.farkles, block.on_board))
        for block in blocks(rules)
        for score in range(
            block.first_score,
            block.first_score + block.scores * rules.point_step,
            rules.point_step,
        )
    ]
    assert found == list(range(len(found)))


def test_below_the_floor_is_the_floor() -> None:
    rules = variant("facebook")
    assert standing_index(rules, Standing(-9000, 1)) == standing_index(rules, Standing(-2500, 1))


@given(st.floats(0, 1), st.integers(0, 1))
def test_values_by_seat_add_up(value: float, seat: int) -> None:
    assert by_seat(value, seat)[seat] == value
    assert sum(by_seat(value, seat)) == pytest.approx(1)
