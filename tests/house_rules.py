"""Small house rules to test with: random ones that mix all options, and every option alone."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from pydantic import ValidationError

from solver.rules.options import YES_NO, RuleOption
from solver.rules.ruleset import OPTIONS, Ruleset
from solver.rules.scoring import SCORING_OPTIONS
from tests import naive


def small(**changes: Any) -> Ruleset:
    """A game of three dice to 400, with ones, fives and triples, where nothing else is said."""
    base = {"name": "small", "dice": 3, "goal": 400}
    return Ruleset.model_validate(base | changes)


# ---- Rules that can be played to an end ------------------------------------------------------


def chance_to_bank(rules: Ruleset) -> float:
    """The best chance to bank, or to win at once, in a turn of a player not on the board."""
    step = rules.point_step
    least = rules.least_bank(on_board=False) // step
    enough = np.arange(least + 1) == least
    kept = enough if rules.farkle_keeps_turn_total else np.zeros(least + 1)
    found = naive.turn(rules, enough[:, None] * 1.0, kept[:, None] * 1.0, np.zeros(1))
    return float(found[0, rules.dice, 0, 0])


def may_go_on_for_ever(rules: Ruleset) -> bool:
    """Whether a player can roll on and on in one turn without any risk that it ends."""
    safe = set(naive.numbers(rules))
    while True:
        still = {
            number
            for number in safe
            if all(
                not isinstance(what, str) and any(left in safe for _, left in what)
                for what in naive.outcomes(rules, number)
            )
        }
        if still == safe:
            break
        safe = still
    found, new = set[int](), {rules.dice}  # numbers of dice that a turn can come to
    while new:
        found |= new
        new = {
            left
            for number in found
            for what in naive.outcomes(rules, number)
            if not isinstance(what, str)
            for _, left in what
        } - found
    return bool(safe & found)


def any_roll_scores(rules: Ruleset) -> bool:
    """Whether any roll leaves points to set aside."""
    return any(
        what and not isinstance(what, str)
        for number in naive.numbers(rules)
        for what in naive.outcomes(rules, number)
    )


def can_be_played(rules: Ruleset) -> bool:
    """Whether rolls score, games come to an end, and turns do where going on past the goal may pay.

    Rules under which no roll scores, as each one wins at once or loses, are refused by the solver.
    """
    if not any_roll_scores(rules) or chance_to_bank(rules) < 0.05:
        return False
    if rules.goal_must_be == "exact":
        return not may_go_on_for_ever(rules) and can_always_be_met(rules)
    return rules.ending == "at_once" or not may_go_on_for_ever(rules)


def can_always_be_met(rules: Ruleset) -> bool:
    """Whether a turn may meet an exact goal from whatever is missing, so that nobody is stuck."""
    missing = np.arange(1, rules.goal // rules.point_step + 1)
    totals = np.arange(missing[-1] + 2)[:, None]
    least = naive.least_bank(rules, on_board=False) // rules.point_step
    bank = np.where((totals == missing) & (totals >= least), 1.0, naive.NOT_ALLOWED)
    found = naive.start_of_turn(rules, bank, np.zeros(bank.shape), np.zeros(len(missing)))
    return bool(found.min() > 0.01)


def effort(rules: Ruleset) -> int:
    """About how many steps one sweep of the twin takes."""
    choices = len(naive.all_rolls(rules).choice)
    try:
        rows = naive.horizon(rules, most=400)
    except ValueError:
        rows = 10**6
    return int(len(naive.standings(rules)) ** 2 * rows * choices)


# ---- Random rules ----------------------------------------------------------------------------


def rarely(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual choice about two times in three."""
    return st.one_of(st.just(usual), st.just(usual), st.sampled_from(others))


def some_points(*choices: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.sampled_from(choices)] * 6)


def others(option: RuleOption) -> list[Any]:
    """What else an option may be than its default."""
    if option.kind is YES_NO:
        return [not option.default]
    words = option.kind.words or (option.example,)
    read = (option.kind.value(word, lambda text: text.split(",")) for word in words)
    return [value for value in read if value != option.default]


@st.composite
def combinations(draw: st.DrawFn, dice: int) -> tuple[dict[str, Any], ...]:
    """Up to three tables of any patterns."""
    found: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        pattern = draw(st.text("aaabbc1256", min_size=1, max_size=dice))
        prices: list[st.SearchStrategy[Any]] = [st.sampled_from([50, 100, 250, 400])]
        if not pattern.isdigit():
            prices.append(some_points(0, 50, 100, 300))
        if dice < 3:
            prices.append(st.just("sum"))
        found.append({"dice": pattern, "points": draw(st.one_of(prices))})
        if draw(rarely(False, True)):
            found[-1] = {"dice": pattern, "times": draw(st.integers(2, 3))}
        if draw(rarely(False, True)):
            found[-1]["then"] = "roll_on"
        if len(pattern) > 1 and draw(st.booleans()):
            found[-1]["uses"] = draw(st.integers(1, len(pattern) - 1))
    for then in draw(
        rarely((), ["loses_turn"], ["loses_turn", "loses_score"], ["wins_game"], ["loses_game"])
    ):
        pattern = draw(st.text("aab26", min_size=2, max_size=max(2, dice)))
        found.append({"dice": pattern, "then": then})
    for one in found:
        when = draw(rarely("any", "first_throw", "all_dice"))
        one["when"] = "any" if when == "all_dice" and len(one["dice"]) == dice else when
    return tuple(found)


def that_count(scoring: dict[str, Any], dice: int) -> tuple[dict[str, Any], ...]:
    """The combinations of a scoring but for those that other dice are dearer than."""
    found: tuple[dict[str, Any], ...] = ()
    for one in scoring["combination"]:
        with suppress(ValidationError):
            data = scoring | {"combination": (*found, one)}
            Ruleset(name="some", goal=10**6, dice=dice, scoring=data, score_floor=0)
            found += (one,)
    return found


@st.composite
def scorings(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    usual = (100, 0, 0, 0, 50, 0)
    found: dict[str, Any] = {
        "single": draw(
            st.one_of(st.just(usual), st.just(usual), some_points(0, 0, 0, 50, 100, 150))
        )
    }
    triples = st.one_of(st.just((300, 200, 300, 400, 500, 600)), some_points(0, 100, 150, 200, 300))
    found["three_of_a_kind"] = draw(triples) if dice >= 3 else 0
    if dice >= 3:
        found["more_of_a_kind"] = draw(st.sampled_from(["none", "linear", "doubling"]))
    if dice >= 4:
        found["four_of_a_kind"] = draw(st.sampled_from([None, 0, 250, 400]))
    found["nothing"] = draw(rarely(0, 50, 100, 250)) if dice >= 2 else 0
    found["jokers"] = draw(rarely((), ("6",), ("1",), ("2", "5")))
    found["joker_alone"] = bool(found["jokers"]) and draw(st.booleans())
    found["combination"] = draw(st.one_of(st.just(()), combinations(dice)))
    for key, option in SCORING_OPTIONS.items():
        if key not in found and max(option.dice, len(option.pattern)) <= dice:
            found[key] = draw(rarely(option.default, *others(option)))
    return found | {"combination": that_count(found, dice)}


@st.composite
def patterns(draw: st.DrawFn, dice: int) -> tuple[str, ...]:
    alike = st.integers(2, max(dice, 2)).map(lambda number: "x" * number)
    faces = st.text("123456", min_size=max(1, dice - 1), max_size=dice)
    one = st.one_of(alike, faces) if dice > 1 else faces
    return tuple(draw(st.lists(one, min_size=1, max_size=2)))


@st.composite
def penalties(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "in_a_row": draw(st.integers(2, 5)),
        "points": draw(st.sampled_from([50, 100, 150, 200, "everything"])),
        "then": draw(rarely("starts_again", "goes_on")),
        "when": draw(rarely("any", "first_throw", "all_dice")),
    }


@st.composite
def house_rules(draw: st.DrawFn) -> Ruleset:
    """A small rule set of any options that can be played and solved quickly."""
    dice = draw(st.sampled_from([1, 2, 2, 3, 3, 3, 4]))
    penalty = draw(st.one_of(st.none(), penalties()))
    ending = draw(st.sampled_from(["at_once", "final_turn", "equal_turns", "defended"]))
    ties = ["earlier", "shared", "played_on"] if ending != "at_once" else ["earlier"]
    ties = ties[:2] if ending == "defended" else ties
    bonus = st.lists(st.sampled_from([0, 50, 100, 200]), min_size=1, max_size=3).map(tuple)
    no_pattern = st.just(())
    data: dict[str, Any] = {
        "name": "random",
        "dice": dice,
        "goal": draw(st.integers(4, 12)) * 50,
        "goal_must_be": draw(rarely("reached", "exceeded", "exact")),
        "minimum_bank": draw(rarely(0, 100, 150, 200)),
        "opening_minimum": draw(rarely(0, 100, 150, 200, 250)),
        "minimum_binds_win": draw(st.booleans()),
        "set_aside_all": draw(rarely(False, True)),
        "hot_dice": draw(st.sampled_from(["optional", "no_bank", "forced"])),
        "no_bank_at": draw(rarely((), ("*50",), ("100-250",), ("150", "300"))),
        "caught_up": draw(rarely(0, 50, 100, 250, "everything")),
        "hot_dice_bonus": draw(st.one_of(no_pattern, no_pattern, bonus)),
        "hot_dice_times": draw(rarely((), (2,), (2, 3), (1, 3, 2))),
        "farkle_keeps_turn_total": draw(rarely(False, True)),
        "farkle_penalty": penalty,
        "instant_win": draw(st.one_of(no_pattern, no_pattern, patterns(dice))),
        "lose_everything": draw(st.one_of(no_pattern, no_pattern, patterns(dice))),
        "ending": ending,
        "ties": draw(st.sampled_from(ties)),
        "score_floor": 0,
        "scoring": draw(scorings(dice)),
        "take_over": "nothing",  # see `taking_over`
        "take_over_from": 0,
        "take_over_dice": 10,
        "rounds": 0,  # see ROUNDS
        "first_throw_tries": draw(rarely(1, 0, 2, 3)),
        "last_die_tries": draw(rarely(1, 0, 2, 3)) if dice > 1 else 1,
        "beat_previous_turn": False,  # see test_beat_sweeps
        "fill_straight": 0,  # which needs six dice, see _straights
    }
    doubtful = any(one.get("then") == "roll_on" for one in data["scoring"]["combination"])
    is_some = doubtful or data["hot_dice"] != "optional"
    data["confirm_faces"] = draw(rarely((), ("1", "5"), ("2",))) if is_some else ()
    data["confirm_points"] = draw(rarely(0, 50, 150)) if is_some else 0
    if data["goal_must_be"] == "exact":
        data |= {"ending": "at_once", "ties": "earlier"}
        data["beyond_goal"] = draw(st.sampled_from(["lost", "back", "around", "given", "no_bank"]))
    if penalty and penalty["points"] != "everything":
        data["score_floor"] = -draw(st.integers(0, 2)) * penalty["points"]
    for key, option in OPTIONS.items():
        if len(option.place) == 1 and option.example and key not in data:
            data[key] = draw(rarely(option.default, *others(option)))
    if data["throws"]:
        data["throws"] = draw(st.integers(1, 3))
    # what does not go together is drawn often enough to be left out here
    confirms = data["confirm_faces"] or data["confirm_points"]
    if dice < 4 or confirms or data["scoring"].get("jokers"):
        data["held_sets"] = "none"
    some = data["scoring"]["combination"]
    apart = any(one.get("then") == "roll_on" or one.get("uses") for one in some)
    apart = apart or any(
        one["when"] != "any" and "then" not in one and len(one["dice"]) < dice for one in some
    )
    if dice < 2 or confirms or apart or not data["last_die_tries"]:
        data["combine_throws"] = False
    if data["combine_throws"]:
        data["held_sets"] = "none"
    try:
        rules = Ruleset.model_validate(data)
    except ValidationError:
        reject()
    if not can_be_played(rules) or effort(rules) > 6_000_000:
        reject()
    # turns that hardly ever farkle go on for a roll that wins for longer than is solved
    if rules.is_defended and rules.last_die_tries != 1 and "wins_game" in rules.decisive:
        reject()
    return rules


def changed(rules: Ruleset, changes: dict[str, Any], unsaid: Collection[str] = ()) -> Ruleset:
    """Drawn rules with other options, and some unsaid; drawn anew where they do not go together."""
    said = {key: value for key, value in rules.model_dump().items() if key not in unsaid}
    try:
        found = Ruleset.model_validate(said | changes)
    except ValidationError:
        reject()
    if not can_be_played(found):
        reject()
    return found


@st.composite
def of_rounds(draw: st.DrawFn) -> Ruleset:
    """A small rule set in which whoever leads after some rounds has won."""
    drawn = draw(house_rules())
    unsaid = {"goal", "goal_must_be", "beyond_goal", "minimum_binds_win", "ending", "final_throws"}
    unsaid |= {"score_floor", "no_bank_at", "caught_up", "lose_everything"}
    if drawn.farkle_penalty and drawn.farkle_penalty.points == "everything":
        unsaid.add("farkle_penalty")
    changes = {"rounds": draw(st.integers(1, 3)), "ties": draw(rarely("shared", "played_on"))}
    return changed(drawn, changes, unsaid)


@st.composite
def beating(draw: st.DrawFn) -> Ruleset:
    """A small rule set in which a turn has to beat the one before."""
    drawn = draw(house_rules())
    unsaid = {"farkle_keeps_turn_total", "lose_everything", "no_bank_at", "caught_up"}
    if drawn.goal_must_be == "exact":
        unsaid |= {"goal_must_be", "beyond_goal"}
    changes: dict[str, Any] = {"beat_previous_turn": True}
    if drawn.ending == "defended":
        changes["ending"] = "final_turn"
    if drawn.ties == "played_on":
        changes["ties"] = "shared"
    rules = changed(drawn, changes, unsaid)
    if len(naive.standings(rules)) > 14 or naive.horizon(rules, most=400) > 100:
        reject()
    return rules


@st.composite
def of_many_dice(draw: st.DrawFn) -> Ruleset:
    """A small rule set of five to seven dice, of which six may fill a straight."""
    drawn = draw(house_rules())
    changes: dict[str, Any] = {"dice": draw(st.sampled_from([5, 6, 6, 6, 7]))}
    changes["goal"] = draw(st.integers(2, 5)) * 50
    apart = drawn.confirm_faces or drawn.confirm_points or drawn.scoring.jokers
    if not apart and not drawn.combine_throws:
        changes["held_sets"] = draw(rarely("none", "linear", "doubling"))
    if changes["dice"] == 6:
        changes["fill_straight"] = draw(st.integers(0, 5))
        changes["scoring"] = drawn.scoring.model_dump() | {"straight_1_6": 250}
    rules = changed(drawn, changes)
    if effort(rules) > 6_000_000:
        reject()
    return rules


@st.composite
def taking_over(draw: st.DrawFn) -> Ruleset:
    """A small rule set in which turns may begin with what the player before left."""
    drawn = draw(house_rules())
    alike: dict[str, Any] = {
        "farkle_penalty": None,
        "score_floor": 0,
        "farkle_keeps_turn_total": False,
        "lose_everything": (),
        "goal_must_be": "reached",
        "beyond_goal": "lost",
        "no_bank_at": (),
        "caught_up": 0,
        "hot_dice_times": (),
        "combine_throws": False,
    }
    what = draw(st.sampled_from(["banked", "lost", "both"]))
    if what == "banked" or (drawn.farkle_penalty and drawn.farkle_penalty.when == "any"):
        alike |= {"farkle_penalty": drawn.farkle_penalty, "score_floor": drawn.score_floor}
    goal = drawn.point_step * draw(st.integers(2, 5))
    try:
        data = drawn.model_dump() | alike | {"take_over": what, "goal": goal}
        below = (0, 1, 2)[: goal // drawn.point_step]  # at the goal nothing is taken over any more
        data["take_over_from"] = drawn.point_step * draw(rarely(*below))
        data["take_over_dice"] = draw(rarely(10, 1, drawn.dice - 1 or 1))
        rules = Ruleset.model_validate(data)
    except ValidationError:
        reject()
    try:
        if not can_be_played(rules) or naive.horizon(rules, most=400) > 60:
            reject()
    except ValueError:  # a turn may go on almost for ever
        reject()
    return rules


# ---- Every option alone ----------------------------------------------------------------------


THIRD: dict[str, Any] = {"in_a_row": 3, "points": 100}
ONWARD: dict[str, Any] = {"in_a_row": 2, "points": 100, "then": "goes_on"}
ALL_DICE: dict[str, Any] = {"in_a_row": 1, "points": 100, "when": "all_dice"}
KEEPS: dict[str, Any] = {"farkle_keeps_turn_total": True}
FINAL: dict[str, Any] = {"ending": "final_turn"}
TRIPLES: dict[str, Any] = {"three_of_a_kind": (200, 100, 150, 200, 250, 300)}


def tables(said: str) -> Any:
    """Combinations as they are typed."""
    return SCORING_OPTIONS["combination"].kind.value(said, str.split)


_AT_TIMES: dict[str, dict[str, Any]] = {
    "222=400,first-throw": {},
    "aa=100,all-dice,66=loses-turn,first-throw": {"farkle_penalty": THIRD},
    "aa=150,roll-on,first-throw": {"hot_dice_bonus": (50, 100)},
    "11=wins-game,first-throw,66=loses-score,all-dice": {"hot_dice": "forced"},
    "a6=50,first-throw": {"dice": 2, "hot_dice": "no_bank", "farkle_keeps_turn_total": True},
    "234=400,all-dice": {"dice": 4, "ending": "final_turn", "ties": "played_on"},
    "2=50,first-throw,3=loses-score,first-throw": {"dice": 1, "goal": 300},
}
"""Combinations that count in some throws alone, and what else is as in no other rules."""


def _minimums_and_dice() -> dict[str, Ruleset]:
    return {
        "nothing special": small(),
        **{f"{dice} dice": small(dice=dice) for dice in (1, 2, 4)},
        "7 dice": small(dice=7, goal=300, scoring=TRIPLES | {"more_of_a_kind": "linear"}),
        "exceeded": small(goal_must_be="exceeded"),
        "minimum": small(minimum_bank=150),
        "opening": small(opening_minimum=200),
        "opening and minimum": small(opening_minimum=200, minimum_bank=100),
        "opening below the minimum": small(opening_minimum=100, minimum_bank=150),
        "minimum not for the win": small(minimum_bank=200, minimum_binds_win=False),
        "opening not for the win": small(opening_minimum=400, minimum_binds_win=False, goal=600),
        "set aside all": small(set_aside_all=True, dice=4),
        "set aside all, hot dice forced": small(set_aside_all=True, hot_dice="forced"),
        "no bank of hot dice": small(hot_dice="no_bank"),
        "hot dice forced": small(hot_dice="forced"),
        "bank with one die left": small(bank_dice_left=1),
        "bank with one die left, no hot dice": small(bank_dice_left=1, hot_dice="no_bank", dice=4),
        "bank with one die left, bonus": small(bank_dice_left=1, dice=4, hot_dice_bonus=(50, 0)),
        "bank with two dice left": small(bank_dice_left=2, dice=4, minimum_bank=100),
        "no bank at a score": small(no_bank_at=("350",)),
        "no bank in the end": small(no_bank_at=("250-350",), **FINAL, ties="played_on"),
        "no bank at fifties": small(no_bank_at=("*50", 100), farkle_penalty=THIRD, **KEEPS),
        "pairs to confirm": small(scoring={"combination": tables("aa=150,roll-on")}),
        "triples to confirm": small(
            dice=4,
            scoring={"three_of_a_kind": 0, "combination": tables("aaa=200,roll-on,11=200")},
            hot_dice_bonus=(50,),
        ),
        "pairs to confirm, no hot dice": small(
            scoring={"combination": tables("aa=150,roll-on")}, hot_dice="no_bank", minimum_bank=150
        ),
        "a 1 or 5 confirms": small(
            scoring={"combination": tables("aa=150,roll-on,234=200")}, confirm_faces=("1", "5")
        ),
        "a 2 confirms triples and hot dice": small(
            dice=4,
            scoring={
                "three_of_a_kind": 0,
                "combination": tables("aaa=200,roll-on,22=100,55=100,uses-1"),
            },
            confirm_faces=("2",),
            hot_dice="no_bank",
            hot_dice_bonus=(50,),
        ),
        "100 points confirm": small(
            scoring={"combination": tables("aa=150,roll-on")}, confirm_points=100
        ),
        "300 points or a 1 confirm": small(
            scoring={"combination": tables("aa=150,roll-on,36=50")},
            confirm_points=300,
            confirm_faces=("1",),
            **FINAL,
        ),
        "150 points confirm hot dice": small(hot_dice="forced", dice=2, confirm_points=150),
        "a 5 confirms within three throws": small(
            throws=3,
            scoring={"combination": tables("aa=150,roll-on,55=200,first-throw")},
            confirm_faces=("5",),
            **KEEPS,
        ),
        "two 5s as a 1": small(scoring={"combination": tables("55=100,uses-1")}),
        "two 5s as a 1, all that score": small(
            dice=4,
            set_aside_all=True,
            scoring={"single": (100, 0, 0, 0, 0, 0), "combination": tables("55=100,uses-1")},
        ),
        "two 5s as a 1, hot dice forced": small(
            scoring={"combination": tables("55=100,uses-1,aaa=300,uses-2")},
            hot_dice="forced",
            dice=4,
        ),
        "pairs to confirm, bonus twice": small(
            scoring={"combination": tables("aa=150,roll-on")}, hot_dice_bonus=(50, 150)
        ),
        **{
            f"{said} in some throws": small(scoring={"combination": tables(said)}, **more)
            for said, more in _AT_TIMES.items()
        },
        "two 5s as a 1 at first": small(
            dice=4, scoring={"combination": tables("55=100,uses-1,first-throw,15=x2,all-dice")}
        ),
        "a first throw loses the game": small(
            scoring={"combination": tables("22=loses-game,first-throw")}, throws=2
        ),
        "7 dice, a first throw": small(
            dice=7, goal=200, scoring=TRIPLES | {"combination": tables("234=150,first-throw")}
        ),
        "no bank at a score, a farkle keeps": small(no_bank_at=("350",), dice=2, **KEEPS),
        "one throw": small(throws=1),
        "two throws": small(throws=2, minimum_bank=150, dice=2),
        "two throws, seven dice": small(
            throws=2, dice=7, goal=250, scoring=TRIPLES | {"more_of_a_kind": "linear"}
        ),
        "three throws": small(throws=3, hot_dice="no_bank", hot_dice_bonus=(50, 100)),
        "three throws, bank with one die left": small(
            throws=3, dice=4, bank_dice_left=1, farkle_penalty=THIRD, **KEEPS
        ),
        "two throws, pairs to confirm": small(
            throws=2, scoring={"combination": tables("aa=150,roll-on,55=200,first-throw")}
        ),
        "first throw twice": small(first_throw_tries=2, farkle_penalty=THIRD),
        "first throw until it scores": small(
            first_throw_tries=0,
            dice=2,
            goal=300,
            scoring={"combination": tables("22=loses-turn,66=200,first-throw,44=loses-score")},
            throws=2,
        ),
        "one die, until it scores": small(dice=1, first_throw_tries=0, goal=250, minimum_bank=100),
        "last die three times": small(last_die_tries=3, opening_minimum=150, hot_dice="no_bank"),
        "last die until it scores": small(
            last_die_tries=0,
            first_throw_tries=3,
            ending="final_turn",
            ties="played_on",
            goal=200,
            scoring={"combination": tables("3=loses-score,6=loses-turn,aa=150,roll-on")},
            **KEEPS,
        ),
        "bonus": small(hot_dice_bonus=(100,)),
        "bonus three times": small(hot_dice_bonus=(50, 150, 100)),
        "bonus once": small(hot_dice_bonus=(200, 0), hot_dice="no_bank"),
        "points twice after hot dice": small(hot_dice_times=(2,)),
        "points 2, 1, 4 times, bonus": small(
            dice=2, hot_dice_times=(2, 1, 4), hot_dice_bonus=(50, 0), hot_dice="no_bank"
        ),
        "points 2, 3 times, all others": small(
            hot_dice_times=(2, 3),
            scoring={"nothing": 50, "combination": tables("aa=150,roll-on,22=200,first-throw")},
            **KEEPS,
        ),
        "points 3 times, two throws": small(
            dice=2, hot_dice_times=(3, 5), throws=2, hot_dice="forced"
        ),
        "points 2, 3 times, an exact goal": small(
            dice=2, hot_dice_times=(2, 3), goal_must_be="exact", goal=300
        ),
        "points twice, in the end": small(
            dice=2, hot_dice_times=(2,), ending="equal_turns", ties="played_on"
        ),
    }


def _farkles_and_patterns() -> dict[str, Ruleset]:
    found = {
        "farkle keeps": small(**KEEPS),
        "farkle keeps from a minimum": small(minimum_bank=150, **KEEPS),
        "farkle keeps hot dice": small(hot_dice="no_bank", dice=2, **KEEPS),
        "farkle keeps and costs": small(farkle_penalty=THIRD, **KEEPS),
        "farkle keeps from an opening": small(opening_minimum=200, farkle_penalty=THIRD, **KEEPS),
        "penalty and floor": small(farkle_penalty=THIRD, score_floor=-300),
        "penalty not below 0": small(farkle_penalty=THIRD, score_floor=0),
        "penalty goes on": small(farkle_penalty=ONWARD, goal=300, score_floor=-200),
        "farkles of all dice cost": small(
            farkle_penalty=ALL_DICE, goal=300, score_floor=-200, hot_dice="no_bank"
        ),
        "farkles of all dice cost everything": small(
            farkle_penalty=ALL_DICE | {"in_a_row": 2, "points": "everything"},
            opening_minimum=100,
            **FINAL,
            ties="played_on",
        ),
        "farkles on first throws cost": small(
            farkle_penalty=ONWARD | {"when": "first_throw"},
            goal=250,
            score_floor=-200,
            scoring={"combination": tables("aa=150,roll-on,66=loses-turn")},
        ),
        "farkle keeps, bank with one die left": small(bank_dice_left=1, **KEEPS),
        "opening and penalty": small(opening_minimum=200, farkle_penalty=THIRD, score_floor=-200),
        "instant win first": small(instant_win=("222",), lose_everything=("22", "xxx")),
        "lose everything and counts": small(lose_everything=("xx",), farkle_penalty=THIRD),
    }
    toxic = ("22=loses-turn", "aaa=loses-turn,6=loses-score", "aa1=loses-turn,11=wins-game")
    found |= {
        f"rolls that decide {said}": small(scoring={"combination": tables(said)}, **more)
        for said, more in zip(toxic, ({}, KEEPS, {"farkle_penalty": THIRD}), strict=True)
    }
    found |= {
        "a roll loses the game": small(scoring={"combination": tables("22=loses-game")}),
        "rolls win or lose the game": small(
            scoring={"combination": tables("aaa=wins-game,22=loses-game,66=loses-score")},
            hot_dice="no_bank",
            farkle_penalty=THIRD,
        ),
        "final turn, a roll loses the game": small(
            scoring={"combination": tables("226=loses-game")}, ties="played_on", **FINAL
        ),
    }
    for number in range(1, 6):
        points = {"in_a_row": number, "points": 100}
        everything = {"in_a_row": number, "points": "everything"}
        found[f"farkle {number} costs"] = small(farkle_penalty=points, goal=250, score_floor=-200)
        found[f"farkle {number} costs everything"] = small(farkle_penalty=everything, goal=300)
    for pattern in ("3", "66", "246", "xx", "xxx"):
        found[f"instant win {pattern}"] = small(instant_win=(pattern,))
        found[f"lose everything {pattern}"] = small(lose_everything=(pattern,))
    return found


def _held_sets() -> dict[str, Ruleset]:
    found = {
        "linear, two throws": small(
            dice=4, goal=400, held_sets="linear", throws=2, hot_dice_times=(2,), **KEEPS
        ),
        "linear, all set aside": small(
            dice=4,
            goal=600,
            held_sets="linear",
            set_aside_all=True,
            hot_dice="forced",
            scoring={
                "three_of_a_kind": 0,
                "combination": tables("22=100,uses-1,aaa=150,roll-on,aabb=250"),
            },
        ),
        "doubling": small(dice=5, goal=250, held_sets="doubling", scoring=TRIPLES),
        "doubling, first throw": small(
            dice=4,
            goal=250,
            held_sets="doubling",
            last_die_tries=2,
            instant_win=("xxxx",),
            scoring={
                "three_of_a_kind": (50, 100, 0, 0, 150, 0),
                "combination": tables("222=250,first-throw,444=200,all-dice,33=loses-turn"),
            },
            **FINAL,
        ),
    }
    return {f"held sets, {name}": rules for name, rules in found.items()}


def _combined() -> dict[str, Ruleset]:
    found = {
        "three dice": small(goal=600, combine_throws=True),
        "two throws, keeps, times": small(
            dice=4, goal=400, combine_throws=True, throws=2, hot_dice_times=(2,), **KEEPS
        ),
        "all set aside, jokers": small(
            combine_throws=True,
            set_aside_all=True,
            hot_dice="forced",
            scoring={"jokers": ["6"], "combination": tables("aab=150,12=250,33=loses-turn")},
        ),
        "dear parts": small(
            dice=4,
            goal=500,
            combine_throws=True,
            last_die_tries=2,
            hot_dice_bonus=(50, 0),
            scoring={
                "three_of_a_kind": (50, 100, 0, 0, 150, 0),
                "combination": tables("aabb=200,1234=400,44=50"),
            },
            **FINAL,
        ),
        "five dice, first throw": small(
            dice=5,
            goal=250,
            combine_throws=True,
            first_throw_tries=2,
            farkle_penalty={"in_a_row": 2, "points": 100, "when": "all_dice"},
            hot_dice="no_bank",
            opening_minimum=150,
        ),
        "seven dice": small(
            dice=7,
            goal=200,
            combine_throws=True,
            throws=3,
            scoring=TRIPLES | {"more_of_a_kind": "doubling"},
        ),
        "some at once": small(
            dice=4,
            combine_throws=True,
            scoring={
                "combination": tables(
                    "1234=400,all-dice,aabb=300,first-throw,22=loses-turn,first-throw"
                )
            },
        ),
    }
    return {f"throws combine, {name}": rules for name, rules in found.items()}


def _straights() -> dict[str, Ruleset]:
    def of(most: int, said: str = "", scoring: Any = TRIPLES, **options: Any) -> Ruleset:
        scoring = {"straight_1_6": 250, **scoring, "combination": tables(said) if said else ()}
        return small(dice=6, goal=250, fill_straight=most, scoring=scoring, **options)

    found = {
        "one face": of(1, hot_dice_bonus=(50, 0)),
        "two, all set aside, at the first throw": of(
            2,
            "66=loses-turn,aab=150,first-throw",
            set_aside_all=True,
            first_throw_tries=2,
            farkle_penalty={"in_a_row": 1, "points": 100, "when": "first_throw"},
        ),
        "all but one, rolls that decide": of(
            5, "33=loses-score,222=wins-game,12345=100", hot_dice="no_bank", opening_minimum=150
        ),
        "two, forced, nothing": of(
            2, "123456=200,roll-on", scoring={"nothing": 150, "straight_1_6": 0}, hot_dice="forced"
        ),
        "three, a set held": of(3, held_sets="linear", ties="shared", bank_dice_left=3, **FINAL),
    }
    return {f"a straight to fill, {name}": rules for name, rules in found.items()}


def _caught_up() -> dict[str, Ruleset]:
    found = {
        "everything": small(caught_up="everything"),
        "100, keeps, penalty": small(caught_up=100, farkle_penalty=THIRD, goal=300, **KEEPS),
        "50, two roles": small(caught_up=50, ending="equal_turns", ties="shared", goal=250),
        "150, below 0": small(
            caught_up=150,
            farkle_penalty={"in_a_row": 1, "points": 100},
            score_floor=-100,
            dice=2,
            goal=300,
        ),
        "everything, opening, defended": small(
            caught_up="everything", opening_minimum=150, ending="defended", goal=200
        ),
        "everything, exact, back": small(
            caught_up="everything", goal_must_be="exact", beyond_goal="back", goal=300
        ),
        "100, exact, around": small(
            caught_up=100, goal_must_be="exact", beyond_goal="around", goal=250, **KEEPS
        ),
        "everything, not at a score": small(caught_up="everything", no_bank_at=("150", "300")),
        "everything, two throws, not at some": small(
            caught_up="everything", no_bank_at=("100-250",), throws=2, dice=2
        ),
    }
    return {f"caught up, {name}": rules for name, rules in found.items()}


def _exact_goals() -> dict[str, Ruleset]:
    exact: dict[str, Any] = {"goal_must_be": "exact", "goal": 300}
    found = {
        "exactly the goal": small(**exact),
        "back, penalty": small(beyond_goal="back", farkle_penalty=THIRD, score_floor=-100, **exact),
        "lost, opening, instant win": small(opening_minimum=200, instant_win=("xxx",), **exact),
        "lost, farkle keeps, penalty": small(farkle_penalty=THIRD, **KEEPS, **exact),
        "around, farkle keeps": small(beyond_goal="around", **KEEPS, **exact),
        "back, no bank of hot dice": small(
            beyond_goal="back", hot_dice="no_bank", lose_everything=("66",), dice=2, **exact
        ),
        "back, one die left": small(
            beyond_goal="back",
            bank_dice_left=1,
            hot_dice_bonus=(50, 0),
            scoring={"combination": tables("46=50")},
            **exact,
        ),
        "given": small(beyond_goal="given", **exact),
        "given, two throws": small(beyond_goal="given", throws=2, dice=2, **exact),
        "back, one throw": small(beyond_goal="back", throws=1, minimum_bank=100, **exact),
        "no bank beyond, three throws": small(beyond_goal="no_bank", throws=3, dice=2, **exact),
        "given, opening, penalty, keeps": small(
            beyond_goal="given",
            opening_minimum=150,
            farkle_penalty=THIRD,
            score_floor=-100,
            **KEEPS,
            **exact,
        ),
        "given, caught up, all set aside": small(
            beyond_goal="given", caught_up=100, set_aside_all=True, dice=2, **exact
        ),
        "no bank beyond": small(beyond_goal="no_bank", no_bank_at=("250",), **exact),
        "back, first throw": small(
            beyond_goal="back", scoring={"combination": tables("23=100,first-throw")}, **exact
        ),
    }
    return {f"exact, {name}": rules for name, rules in found.items()}


def _endings() -> dict[str, Ruleset]:
    found = {
        "final turn, hot dice forced": small(hot_dice="forced", ties="played_on", **FINAL),
        "final turn, no bank": small(hot_dice="no_bank", ties="shared", dice=2, **FINAL),
        "final turn, bonus": small(hot_dice_bonus=(100, 0), **FINAL),
        "final turn, bank with one die left": small(bank_dice_left=1, ties="played_on", **FINAL),
        "final turn, pairs to confirm": small(
            scoring={"combination": tables("aa=150,roll-on")}, ties="shared", goal=200, **FINAL
        ),
        "final turn, two dice": small(
            dice=2, opening_minimum=150, ties="played_on", goal=200, **FINAL
        ),
        "final turn, exceeded": small(goal_must_be="exceeded", **FINAL),
        "defended": small(ending="defended", goal=200, opening_minimum=150, ties="shared"),
        "defended, a farkle keeps": small(
            ending="defended", goal=200, minimum_bank=100, hot_dice="no_bank", **KEEPS
        ),
        "defended, instant win, penalty": small(
            ending="defended", dice=2, goal=200, instant_win=("66",), farkle_penalty=THIRD
        ),
        "defended, a face wins": small(
            ending="defended",
            dice=2,
            goal=200,
            instant_win=("4",),
            hot_dice="forced",
            scoring={"single": [0, 0, 50, 100, 50, 150], "three_of_a_kind": [0] * 6},
        ),
        "final turn, two throws": small(throws=2, goal=200, ties="played_on", **FINAL),
        "equal turns, two throws": small(
            ending="equal_turns", throws=2, dice=2, goal=200, ties="shared", **KEEPS
        ),
        "defended, two throws": small(
            ending="defended", throws=2, dice=2, goal=200, hot_dice="no_bank"
        ),
        "final turn, one throw": small(
            final_throws=1, goal=200, opening_minimum=150, ties="played_on", **FINAL
        ),
        "three throws, in the end one": small(
            final_throws=1, throws=3, dice=2, goal=200, ties="played_on", minimum_bank=100, **FINAL
        ),
        "two throws, in the end one, defended": small(
            final_throws=1, throws=2, dice=2, goal=200, ending="defended", instant_win=("66",)
        ),
        "final turn, one throw, instant win": small(
            final_throws=1, goal=200, instant_win=("xx",), **FINAL
        ),
        "equal turns, nothing but a roll that wins ends a turn": small(
            ending="equal_turns",
            dice=2,
            goal=200,
            set_aside_all=True,
            last_die_tries=0,
            scoring={"combination": tables("a=50,all-dice,aa=wins-game")},
        ),
        "defended, a last die that scores, a roll wins": small(
            ending="defended",
            dice=2,
            goal=200,
            first_throw_tries=0,
            last_die_tries=0,
            instant_win=("xx",),
            **KEEPS,
        ),
        "defended, one throw": small(
            ending="defended", final_throws=1, dice=2, goal=200, ties="shared", hot_dice="no_bank"
        ),
        "one throw in the end": small(
            ending="equal_turns", final_throws=1, dice=2, goal=200, **KEEPS
        ),
        "play-off, opening": small(
            ending="equal_turns",
            ties="played_on",
            goal=200,
            opening_minimum=200,
            hot_dice="no_bank",
        ),
        "final turn, penalty": small(farkle_penalty=THIRD, goal=250, **FINAL),
        "final turn, instant win": small(instant_win=("xx",), ties="played_on", **FINAL),
    }
    for ending, ties in product(("final_turn", "equal_turns"), ("earlier", "shared", "played_on")):
        found[f"{ending} {ties}"] = small(ending=ending, ties=ties)
        found[f"{ending} {ties} with minimums"] = small(
            ending=ending,
            ties=ties,
            minimum_bank=100,
            opening_minimum=150,
            minimum_binds_win=ties == "shared",
            farkle_keeps_turn_total=ties != "earlier",
            lose_everything=("xx",),
        )
    return found


def _scorings() -> dict[str, Ruleset]:
    def score(dice: int, **scoring: Any) -> Ruleset:
        return small(dice=dice, goal=500 if dice < 6 else 300, scoring=TRIPLES | scoring)

    pairs = {
        f"three pairs and {also}": score(6, three_pairs=300, three_pairs_include=also)
        for also in (("four_and_two",), ("six_of_a_kind",), ("four_and_two", "six_of_a_kind"))
    }
    more = {
        f"more of a kind {choice}": score(5, more_of_a_kind=choice)
        for choice in ("none", "linear", "doubling")
    }
    zilch = {"nothing": 100, **TRIPLES}

    def score_by(dice: int, said: str, **scoring: Any) -> Ruleset:
        return score(dice, combination=tables(said), **scoring)

    said = {
        "a full house": score_by(5, "aaabb=250"),
        "two pairs, dearer of some": score_by(4, "aabb=100,1144=300"),
        "a pair by its face": score_by(3, "aa=0,50,100,150,200,250"),
        "a die beside two of a face": score_by(3, "a22=100,0,300,150,200,250"),
        "sums": small(
            dice=2,
            goal=40,
            scoring={
                "single": (1, 2, 0, 0, 5, 0),
                "combination": [{"dice": "ab", "points": "sum"}],
            },
        ),
        "twice the parts": score_by(4, "1155=x2,aabb=100,aaa=x3"),
        "any four faces": score_by(4, "abcd=150,2345=300", single=0),
        "pyramid": score_by(6, "122333=400,abbccc=200"),
    }
    said |= {
        "a joker": score_by(3, "124=400,46=150", jokers=("6",)),
        "jokers, to confirm and freed": score_by(
            3, "aa=150,roll-on,3a=100,uses-1,155=x2", jokers=("2", "5")
        ),
        "a joker alone, a roll of nothing": score(2, jokers=("3",), joker_alone=True, nothing=100),
        "a joker and rolls that decide": small(
            instant_win=("222",),
            scoring={"jokers": ("2",), "joker_alone": True, "combination": tables("66=loses-turn")},
        ),
    }
    return {
        "points per face": score(2, single=(100, 50, 0, 0, 50, 0)),
        "no singles": score(4, single=0),
        **more,
        "four of a kind": score(4, four_of_a_kind=350, more_of_a_kind="linear"),
        "four of a kind is nothing": score(5, four_of_a_kind=0, more_of_a_kind="linear"),
        "five of a kind": score(5, five_of_a_kind=(400, 50, 300, 300, 350, 450)),
        "six of a kind": score(6, six_of_a_kind=300, more_of_a_kind="doubling"),
        "straight 1-5": score(5, straight_1_5=200),
        "straight 2-6": score(5, straight_2_6=250),
        "straights": score(6, straight_1_6=250, straight_1_5=100, straight_2_6=150),
        "three pairs": score(6, three_pairs=300),
        **pairs,
        "four and two": score(6, four_and_two=250),
        "four and two or three pairs": score(
            6, four_and_two=250, three_pairs=200, three_pairs_include=("four_and_two",)
        ),
        "two triplets": score(6, two_triplets=300, three_of_a_kind=50),
        "a roll of nothing, 2 dice": score(2, nothing=100),
        "a roll of nothing, 4 dice": score(4, nothing=150),
        "a roll of nothing, 6 dice": score(6, nothing=250),
        "a roll of nothing before a final turn": small(scoring=zilch, **FINAL),
        "a roll of nothing at first": small(
            dice=4, scoring=zilch | {"nothing_when": "first_throw"}, hot_dice_bonus=(50, 0)
        ),
        "a roll of nothing and forced hot dice": small(scoring=zilch, hot_dice="forced"),
        **said,
    }


def _new_ones(known: Iterable[Ruleset]) -> dict[str, Ruleset]:
    """A game for every option that has its default in all known ones, with its other values."""
    found = {}
    for key, option in OPTIONS.items():
        if not option.example or any(option.of(rules) != option.default for rules in known):
            continue
        if key.startswith(("take_over", "confirm_")) or key in {"rounds", "beat_previous_turn"}:
            continue  # see TAKING_OVER, ROUNDS, test_beat_sweeps, and what is confirmed above
        dice = max(3, option.dice, len(option.pattern))
        for value in others(option):
            changes = (
                {key: value} if len(option.place) == 1 else {"scoring": TRIPLES | {key: value}}
            )
            found[f"{key} {value}"] = small(dice=dice, **changes)
    return found


def _taking_over() -> dict[str, Ruleset]:
    def taking(what: str = "banked", **changes: Any) -> Ruleset:
        return small(take_over=what, **{"goal": 300, **changes})

    return {
        "banked": taking(),
        "lost": taking("lost"),
        "both, a 1 confirms": taking(
            "both", dice=2, goal=150, confirm_faces=("1",), hot_dice="no_bank"
        ),
        "both, 100 points confirm": taking(
            "both", dice=2, goal=150, confirm_points=100, hot_dice="forced"
        ),
        "both": taking("both"),
        "banked, final turn": taking(goal=200, **FINAL),
        "both, equal turns": taking("both", goal=200, ending="equal_turns", ties="shared"),
        "both, opening": taking("both", opening_minimum=150),
        "banked, minimum not for the win": taking(minimum_bank=150, minimum_binds_win=False),
        "both, bonus": taking("both", hot_dice_bonus=(50, 100), hot_dice="no_bank"),
        "banked, from a score, no hot dice": taking(
            take_over_from=150, take_over_dice=2, opening_minimum=100
        ),
        "both, from a score, few dice": taking(
            "both", take_over_from=100, take_over_dice=1, goal=200, **FINAL
        ),
        "banked, farkles cost points": taking(
            farkle_penalty={"in_a_row": 1, "points": 100}, score_floor=0, dice=2
        ),
        "lost, farkles cost points": taking(
            "lost", farkle_penalty={"in_a_row": 1, "points": 50}, score_floor=-100, dice=2, goal=150
        ),
        "both, at the floor": taking(
            "both", farkle_penalty={"in_a_row": 1, "points": 100}, score_floor=0, dice=2, goal=200
        ),
        "both, two farkles in a row": taking(
            "both",
            farkle_penalty={"in_a_row": 2, "points": 100},
            score_floor=-100,
            goal=150,
            dice=2,
            opening_minimum=100,
            take_over_dice=1,
            **FINAL,
        ),
        "lost, further farkles in a row": taking(
            "lost", farkle_penalty=ONWARD, score_floor=0, goal=200, dice=2, hot_dice="no_bank"
        ),
        "banked, two farkles in a row": taking(
            farkle_penalty={"in_a_row": 2, "points": 50},
            score_floor=-50,
            goal=150,
            dice=2,
            opening_minimum=100,
            ending="equal_turns",
        ),
        "banked, farkles cost everything": taking(
            farkle_penalty={"in_a_row": 1, "points": "everything"}, take_over_from=100, dice=2
        ),
        "lost, few dice left": taking("lost", bank_dice_left=1),
        "both, to confirm": taking("both", scoring={"combination": tables("aa=150,roll-on")}),
        "lost, lost turns": taking("lost", scoring={"combination": tables("22=loses-turn")}),
        "both, instant win": taking("both", instant_win=("xxx",)),
        # a rolled win is worth more than any bank, so that turns go on far beyond the goal
        "both, instant win, equal turns": taking(
            "both",
            dice=2,
            goal=100,
            instant_win=("xx",),
            scoring={"single": (100, 50, 0, 0, 50, 0)},
            ending="equal_turns",
        ),
        "both, uses": taking("both", scoring={"combination": tables("55=100,uses-1")}),
        "lost, a multiple": taking("lost", scoring={"combination": tables("15=x2")}),
        "banked, seven dice": taking(goal=100, dice=7, scoring=TRIPLES),
        "banked, a first throw that farkles costs points": taking(
            farkle_penalty={"in_a_row": 1, "points": 50, "when": "first_throw"},
            score_floor=0,
            dice=2,
            take_over_from=100,
            **FINAL,
        ),
        "banked, farkles of all dice": taking(
            farkle_penalty={"in_a_row": 2, "points": 50, "when": "all_dice"},
            score_floor=-50,
            goal=150,
            dice=2,
        ),
        "both, first throws": taking(
            "both", first_throw_tries=2, scoring={"combination": tables("22=150,first-throw")}
        ),
        "lost, all dice": taking("lost", scoring={"combination": tables("aa=100,all-dice")}),
        "both, doubling sets": taking(
            "both", goal=200, dice=4, held_sets="doubling", scoring=TRIPLES, take_over_from=100
        ),
        "both, a straight to fill": taking(
            "both", goal=100, dice=6, fill_straight=2, scoring={"straight_1_6": 100}
        ),
    }


TAKING_OVER = _taking_over()
"""Small games in which turns may begin with what the player before left, by name."""


def _rounds() -> dict[str, Ruleset]:
    def of(rounds: int = 2, **changes: Any) -> Ruleset:
        return Ruleset.model_validate({"name": "rounds", "dice": 3, "rounds": rounds} | changes)

    return {
        "three": of(3),
        "a penalty, an opening": of(farkle_penalty=THIRD | {"in_a_row": 2}, opening_minimum=200),
        "played on": of(ties="played_on"),
        "played on, a penalty": of(1, ties="played_on", farkle_penalty=THIRD | {"in_a_row": 2}),
        "kept": of(farkle_penalty=THIRD | {"in_a_row": 2}, minimum_bank=150, **KEEPS),
        "bonus, hot dice rolled": of(hot_dice_bonus=(50, 100), hot_dice="no_bank"),
        "hot dice count twice": of(1, hot_dice_bonus=(50,), hot_dice_times=(2,)),
        "to confirm": of(scoring={"combination": tables("aa=150,roll-on")}),
        "few dice left, all set aside": of(bank_dice_left=1, set_aside_all=True),
        "two throws": of(throws=2),
        "first throw": of(scoring={"combination": tables("222=400,first-throw")}),
        "rolls that decide": of(
            instant_win=("xxx",), scoring={"combination": tables("66=loses-turn,2=loses-game")}
        ),
    }


ROUNDS = _rounds()
"""Small games of a number of rounds, by name."""

_NAMED = _minimums_and_dice() | _farkles_and_patterns() | _endings() | _scorings()
_NAMED |= _exact_goals() | _caught_up() | _held_sets() | _straights() | _combined()

ONE_BY_ONE: list[tuple[str, Ruleset]] = list((_NAMED | _new_ones(_NAMED.values())).items())
"""Every option, and every choice of it, alone in a small game: a name and the rules."""
