from typing import Any

import pytest

from solver.rules.complaints import complaints
from solver.rules.options import Place


def in_chat(place: Place, *words: str) -> str:
    return ":".join([place[-1].replace("_", "-"), *words])


@pytest.mark.parametrize(
    ("data", "place", "toml", "chat"),
    [
        (
            {"score_floor": -500},
            ("score_floor",),
            "score_floor: -500 has no meaning without a farkle_penalty in points",
            "score-floor: -500 has no meaning without a farkle-penalty in points",
        ),
        (
            {"scoring": {"three_pairs": -5}},
            ("scoring", "three_pairs"),
            "scoring.three_pairs: should be at least 0, not -5",
            "three-pairs: should be at least 0, not -5",
        ),
        (
            {"scoring": {"three_pairs": "hot_dice: three_pairs"}},
            ("scoring", "three_pairs"),
            'scoring.three_pairs: should be a whole number, not "hot_dice: three_pairs"',
            'three-pairs: should be a whole number, not "hot_dice: three_pairs"',
        ),
        (
            {"no_bank_at": ["4925"]},
            ("no_bank_at",),
            'no_bank_at: "4925" is no score below the goal, as points come in steps of 50',
            'no-bank-at: "4925" is no score below the goal, as points come in steps of 50',
        ),
        (
            {"farkle_penalty": {"in_a_row": 3, "points": "all"}},
            ("farkle_penalty", "points"),
            'farkle_penalty.points: should be a whole number from 1 to 1000000 or "everything"',
            'points: should be a whole number from 1 to 1000000 or "everything", not "all"',
        ),
        (
            {"caught_up": "everything", "take_over": "banked"},
            ("take_over",),
            "take_over: turns that begin with what was left are solved in games that end at the"
            " goal or a last turn after it, where farkles alone take from scores; leave out this or"
            " caught_up",
            "take-over: turns that begin with what was left are solved in games that end at the"
            " goal or a last turn after it, where farkles alone take from scores; leave out this or"
            " caught-up",
        ),
        (
            {"caught_up": "all"},
            ("caught_up",),
            'caught_up: should be a whole number up to 1000000 or "everything", not "all"',
            'caught-up: should be a whole number up to 1000000 or "everything", not "all"',
        ),
        (
            {"beyond_goal": "back"},
            ("beyond_goal",),
            'beyond_goal = "back" has no meaning unless the goal has to be met exactly; it goes'
            ' with goal_must_be = "exact"',
            "beyond-goal:back has no meaning unless the goal has to be met exactly; it goes with"
            " goal-must-be:exact",
        ),
        (
            {"goal_must_be": "exact", "ending": "final_turn"},
            ("ending",),
            'ending = "final_turn" does not go with goal_must_be = "exact", as nobody could',
            "ending:final_turn does not go with goal-must-be:exact, as nobody could",
        ),
        (
            {"loaded_dice": [[1, 1, 1, 1, 1, 2]]},
            ("loaded_dice",),
            "loaded_dice: which dice players bring is no part of the rules",
            "loaded-dice: which dice players bring is no part of the rules",
        ),
    ],
)
def test_keys_are_named_where_a_complaint_is_said(
    data: dict[str, Any], place: Place, toml: str, chat: str
) -> None:
    (one,) = complaints({"name": "x", "goal": 10_000, **data})
    assert one.place == place
    assert one.sentence().startswith(toml)
    assert one.sentence(in_chat).startswith(chat)
