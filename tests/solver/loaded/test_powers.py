"""Games in which badges are used up, against value iteration die by die."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.errors import InvalidRulesError
from solver.game.bounds import _rounding_of_cells, error_bound, roundings
from solver.game.endgame import endgames
from solver.game.kernel_source import LISTED
from solver.game.kernels import raise_banks
from solver.game.lanes import LANES
from solver.game.layout import lists_of_cells, make_work
from solver.game.position import Held, Position
from solver.game.standings import Progress, Solution, Standing, all_standings, standing_index
from solver.game.sweeps import solve
from solver.loaded.files import MatchupManifest, open_matchup, save_matchup
from solver.loaded.game import solve_matchup
from solver.loaded.matchup import Matchup, exchanged_values
from solver.loaded.strategy import MatchupStrategy
from solver.rules.ruleset import FACES, Ruleset
from solver.solved import read_manifest
from solver.turn.dice import Die, TurnState, make_dice_set
from solver.turn.powers import Power, PowerKind, in_steps
from tests import naive_loaded, naive_powers
from tests.conftest import EVERY, mostly_slow
from tests.loaded_dice import kcd, random_badge, random_dice, set_of
from tests.powers import KINDS, badge_of, random_power, without_jokers

Powers = tuple[Power | None, Power | None]

CATALOGUE = [
    *(Power(PowerKind.WARLORD, amount=share) for share in (25, 50, 100)),
    *(Power(PowerKind.RESURRECTION, uses) for uses in (1, 2, 3)),
    *(Power(PowerKind.MIGHT, uses) for uses in (1, 2, 3)),
    *(Power(PowerKind.DOPPELGANGER, uses) for uses in (1, 2, 3)),
    *(Power(PowerKind.TRANSMUTATION, amount=face) for face in (3, 5, 1)),
    *(Power(PowerKind.REROLL, amount=dice) for dice in (1, 2, 3)),
    Power(PowerKind.REROLL, amount=2, alike=True),
]
"""Every badge of the game that is used up, with what is taken where sources leave it open."""


def check_against_twin(
    seed: int, powers: Powers, number: int, goal: int, kernels: Path, **options: Any
) -> None:
    chance = random.Random(seed)
    drawn: dict[str, Any] = {
        "minimum_bank": chance.choice([0, 0, 100]),
        "minimum_binds_win": chance.random() < 0.5,
        "goal_must_be": chance.choice(["reached", "exceeded"]),
        "set_aside_all": chance.random() < 0.2,
    }
    rules = kcd(**{"dice": number, "goal": goal} | drawn | options)
    alone = chance.random() < 0.3
    dice = [random_dice(chance, number), random_dice(chance, number)]
    if rules.decisive:  # with which nobody says what a joker counts for
        dice = [[replace(die, jokers=frozenset()) for die in some] for some in dice]
        powers = without_jokers(powers[0]), without_jokers(powers[1])
    badges = random_badge(chance, number), random_badge(chance, number)
    matchup = Matchup(rules, (set_of(dice[0]), set_of(dice[1])), alone, badges, powers)
    solution = solve_matchup(matchup, cache=kernels)
    one, other = (
        naive_powers.Holder(naive_loaded.Table(rules, alone, badge), some, badge_of(power))
        for badge, some, power in zip(badges, dice, powers, strict=True)
    )
    roles = 2 if rules.has_roles else 1
    twin = [
        naive_powers.value_iteration((one, other), first)
        for first in ([0, 1] if roles == 2 else [None])
    ]
    sides = product(range(2), range(roles), product(*map(range, solution.values.shape[:2])))
    for side, role, (a, b) in sides:
        expected = twin[(side + role) % len(twin)]
        uses = (a, b) if side == 0 else (b, a)
        mine, theirs = (one, other) if side == 0 else (other, one)
        places = [
            places_of(rules, one.standings(left))
            for one, left in zip((mine, theirs), uses, strict=True)
        ]
        found = solution.values[a, b, side * roles + role][np.ix_(*places)]
        np.testing.assert_allclose(found, expected[side][uses], atol=1e-9)
    assert solution.error_bound < 1e-9
    check_turns(matchup, solution)


def places_of(rules: Ruleset, standings: Sequence[naive_powers.Standing]) -> list[int]:
    """Where standings with any points are along an axis of values."""
    return [
        standing_index(rules, Standing(in_steps(rules, score), farkles, on_board))
        for score, farkles, on_board in standings
    ]


def check_turns(matchup: Matchup, solution: Solution) -> None:
    """Turns in NumPy start with the values of the kernels."""
    strategy = MatchupStrategy(matchup, solution.values)
    a, b, _, number, _ = solution.values.shape
    every = all_standings(matchup.rules)
    for own, opponent in product(range(0, number, 2), repeat=2):
        for side, uses in product((0, 1), product(range(a), range(b))):
            players = every.one(own), every.one(opponent)
            turn = TurnState(0, strategy.whole(side))
            start = Position(players[:: 1 - 2 * side], side, turn, held=Held(uses))
            found = strategy.turn(start).win_probability[0, 0, -1]
            place = side * (solution.values.shape[2] - 1)  # whoever is first began
            expected = solution.values[(*uses, place, own, opponent)]
            assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("kind", mostly_slow(zip(KINDS, KINDS, strict=True), 4, 1))
def test_small_games_are_those_of_the_twin(kind: PowerKind, kernels: Path) -> None:
    chance = random.Random(kind)
    powers = random_power(chance, kind, 2), random_power(chance, chance.choice(KINDS), 1)
    check_against_twin(len(kind), powers, 2, 200, kernels)


@pytest.mark.mostly_skipped
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60 if EVERY else 6))
def test_random_pairs_are_those_of_the_twin(seed: int, kernels: Path) -> None:
    chance = random.Random(f"pair {seed}")
    kinds = KINDS[seed % len(KINDS)], chance.choice(KINDS)
    first, second = (random_power(chance, kind, chance.choice([1, 2])) for kind in kinds)
    powers = (first, second) if chance.random() < 0.7 else (None, first)
    number, goal = chance.choice([(2, 300), (2, 400), (3, 250)])
    check_against_twin(seed, powers, number, goal, kernels)


OPTIONS: dict[str, dict[str, Any]] = {
    "opening": {"opening_minimum": 100},
    "penalty": {"score_floor": -50, "farkle_penalty": {"in_a_row": 2, "points": 50}},
    "everything": {"farkle_penalty": {"in_a_row": 1, "points": "everything"}},
    "no bank": {"no_bank_at": ("100",)},
    "caught up": {"caught_up": 100},
    "penalty and caught up": {
        "farkle_penalty": {"in_a_row": 2, "points": 100},
        "caught_up": "everything",
        "opening_minimum": 100,
    },
    "farkle keeps": {"farkle_keeps_turn_total": True},
    "farkle keeps, penalty": {
        "farkle_keeps_turn_total": True,
        "farkle_penalty": {"in_a_row": 2, "points": 100},
        "opening_minimum": 100,
    },
    "hot dice must roll": {"hot_dice": "no_bank"},
    "bank with one left": {"bank_dice_left": 1},
    "bank with one left, farkle keeps": {"bank_dice_left": 1, "farkle_keeps_turn_total": True},
    "win or lose": {"instant_win": ("66",), "lose_everything": ("22",)},
    "lose the turn": {"scoring": {"combination": ({"dice": "15", "then": "loses_turn"},)}},
    "win, hot dice must roll": {"instant_win": ("55",), "hot_dice": "no_bank"},
    "exact": {"goal_must_be": "exact", "beyond_goal": "back"},
    "exact, given": {"goal_must_be": "exact", "beyond_goal": "given", "minimum_bank": 0},
    "exact, no bank": {
        "goal_must_be": "exact",
        "beyond_goal": "no_bank",
        "minimum_bank": 0,
        "farkle_keeps_turn_total": True,
        "hot_dice": "no_bank",
    },
    "final turn": {"ending": "final_turn"},
    "final turn, ties shared": {"ending": "final_turn", "ties": "shared", "opening_minimum": 100},
    "equal turns": {"ending": "equal_turns", "ties": "shared"},
    "ties played on": {"ending": "final_turn", "ties": "played_on"},
    "equal turns, farkle keeps": {"ending": "equal_turns", "farkle_keeps_turn_total": True},
    "final turn, a roll wins": {"ending": "final_turn", "instant_win": ("66",)},
    "bonus": {"hot_dice_bonus": (50, 100)},
    "bonus, hot dice must roll": {"hot_dice_bonus": (50,), "hot_dice": "forced"},
    "much at once": {
        "hot_dice": "no_bank",
        "hot_dice_bonus": (0, 50),
        "farkle_keeps_turn_total": True,
        "lose_everything": ("33",),
        "farkle_penalty": {"in_a_row": 2, "points": 50},
        "score_floor": -50,
    },
}
"""Options that go with badges in their own way."""
REFUSED = [
    (name, kind)
    for name, options in OPTIONS.items()
    for kind in KINDS
    if options.get("ties") == "played_on"
    or (kind is PowerKind.WARLORD and {"ending", "farkle_keeps_turn_total"} <= set(options))
    or (kind is PowerKind.WARLORD and options.get("goal_must_be") == "exact")
    or (kind is PowerKind.MIGHT and "hot_dice_bonus" in options)
]
"""What still is."""


@pytest.mark.mostly_skipped(5)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "kind"), [one for one in product(OPTIONS, KINDS) if one not in REFUSED]
)
def test_options_are_those_of_the_twin(options: str, kind: PowerKind, kernels: Path) -> None:
    options_case(options, kind, kernels)


def options_case(options: str, kind: PowerKind, kernels: Path, seed: int = 0) -> None:
    chance = random.Random(f"{options} {kind}" + str(seed or ""))
    one = random_power(chance, kind, 2)
    if kind is PowerKind.WARLORD:
        one = replace(one, amount=chance.choice([25, 50]))  # which leaves over what is no step
    other = chance.choice([None, Power(PowerKind.RESURRECTION, 1)])
    powers = (one, other) if chance.random() < 0.5 else (other, one)
    check_against_twin(len(kind) + 100 * seed, powers, 2, 200, kernels, **OPTIONS[options])


@pytest.mark.parametrize(("options", "kind"), REFUSED)
def test_what_cannot_go_together_is_refused(options: str, kind: PowerKind) -> None:
    rules, power = kcd(**OPTIONS[options]), random_power(random.Random(0), kind, 1)
    dice = make_dice_set([Die()] * 6)
    with pytest.raises(
        InvalidRulesError, match="with (a badge that is used up|Warlord|Might) .* is not solved, as"
    ):
        Matchup(rules, (dice, dice), powers=(None, without_jokers(power)))


@pytest.mark.slow
@pytest.mark.parametrize("power", CATALOGUE)
def test_every_badge_is_that_of_the_twin(power: Power, kernels: Path) -> None:
    check_against_twin(power.uses + power.amount, (power, None), 2, 250, kernels)


PLAIN = Matchup(
    kcd(dice=3, goal=400),
    (
        make_dice_set([Die(), Die(), Die((2, 1, 1, 1, 1, 1), frozenset({1}))]),
        make_dice_set([Die((8, 2, 8, 2, 8, 2))] * 3),
    ),
)
"""Three dice each to 400, without badges."""


def solved_with(powers: Powers, kernels: Path) -> Solution:
    return solve_matchup(replace(PLAIN, powers=powers), cache=kernels)


def strategy_with(powers: Powers, kernels: Path) -> MatchupStrategy:
    return MatchupStrategy(replace(PLAIN, powers=powers), solved_with(powers, kernels).values)


@pytest.mark.parametrize("power", CATALOGUE)
def test_a_badge_never_makes_its_owner_win_less(power: Power, kernels: Path) -> None:
    """And used up it is no badge."""
    plain, values = (
        solved_with(powers, kernels).values for powers in ((None, None), (power, None))
    )
    np.testing.assert_allclose(values[0, 0], plain, atol=1e-12)
    gains = np.diff(values[:, 0], axis=0)
    assert np.all(gains[:, 0] >= -1e-12)
    assert np.all(gains[:, 1] <= 1e-12)
    assert gains[:, 0, 0, 0].min() > 1e-6


def test_what_more_is_allowed_is_never_worse(kernels: Path) -> None:
    pairs = [
        (Power(PowerKind.RESURRECTION, 2, once=True), Power(PowerKind.RESURRECTION, 2)),
        (Power(PowerKind.WARLORD, amount=50, at_start=True), Power(PowerKind.WARLORD, amount=50)),
        (
            Power(PowerKind.TRANSMUTATION, amount=1),
            Power(PowerKind.TRANSMUTATION, amount=1, after_farkle=True),
        ),
        (Power(PowerKind.REROLL, amount=1), Power(PowerKind.REROLL, amount=2)),
        (Power(PowerKind.REROLL, amount=2, alike=True), Power(PowerKind.REROLL, amount=2)),
    ]
    for less, more in pairs:
        one, other = (solved_with((power, None), kernels).values for power in (less, more))
        assert np.all(other[:, :, 0] >= one[:, :, 0] - 1e-12)
        assert other[-1, 0, 0, 0, 0] > one[-1, 0, 0, 0, 0] + 1e-6


def test_exchanging_the_sides_exchanges_the_answers(kernels: Path, tmp_path: Path) -> None:
    """In memory and on disk, where both are one file."""
    powers = Power(PowerKind.RESURRECTION, 2), Power(PowerKind.WARLORD, amount=25)
    matchup, found = replace(PLAIN, powers=powers), solved_with(powers, kernels)
    other = solve_matchup(matchup.from_seat(1), cache=kernels)
    expected = exchanged_values(matchup, found.values)
    np.testing.assert_allclose(other.values, expected, atol=1e-11)
    assert matchup.from_seat(1).digest == matchup.digest
    _, path = save_matchup(matchup, found, tmp_path)
    manifest = read_manifest(path, MatchupManifest)
    assert manifest.matchup in (matchup, matchup.from_seat(1))
    assert manifest.axes[0] == "uses left of side 0"
    assert np.array_equal(open_matchup(tmp_path, matchup).arrays[0], found.values)
    opened = open_matchup(tmp_path, matchup.from_seat(1))
    assert np.array_equal(opened.arrays[0], expected)
    assert opened.matchup == matchup.from_seat(1)
    assert opened.win_probability(opened.start(0, held=Held((1, 2)))) == found.values[2, 1, 1, 0, 0]


def test_equal_players_are_each_others_mirror_image(kernels: Path) -> None:
    rules, dice = kcd(dice=2, goal=300), make_dice_set([Die()] * 2)
    power = Power(PowerKind.MIGHT, 2)
    matchup = Matchup(rules, (dice, dice), powers=(power, power))
    found = solve_matchup(matchup, cache=kernels)
    mirror = exchanged_values(matchup, found.values)
    np.testing.assert_allclose(found.values, mirror, atol=1e-11)
    almost = Die((1000, 1000, 1000, 1000, 1000, 1001))
    near = solve_matchup(
        Matchup(rules, (dice, make_dice_set([almost] * 2)), powers=(power, power)), cache=kernels
    )
    np.testing.assert_allclose(found.values, near.values, atol=1e-3)


def test_no_bank_is_raised_to_more_than_there_are() -> None:
    """In lanes that are no states, as their own scores are below any."""
    rules, two = kcd(dice=2, goal=200), make_dice_set([Die()] * 2)
    powers = Power(PowerKind.WARLORD, amount=200), None
    plans = [Matchup(rules, (two, two), powers=powers).plan_with_badge(seat) for seat in (0, 1)]
    work = make_work(rules, endgames(rules, plans)[0], 1, sides=2, plans=plans)
    fewer = np.ones_like(work.scratch.bank[0])
    bank, rows = np.zeros_like(fewer), len(fewer)
    uncompiled: Any = raise_banks  # compiled it would not tell
    uncompiled.py_func(bank, fewer, 0, 0, 1, rows, work.lists, work.game)
    assert bank[1, 0] == 1
    assert not bank[:, 1:].any()


@pytest.mark.parametrize("amount", [1, 2])
def test_roundings_of_a_turn_are_those_of_each_of_its_sums(amount: int) -> None:
    """Also of those that lie in the same place one after the other."""
    dice = make_dice_set([Die((0, 1, 1, 1, 0, 1)), Die((1, 0, 0, 0, 1, 0)), Die()])
    powers = Power(PowerKind.REROLL, amount=amount), None
    cells = Matchup(kcd(dice=3, goal=200), (dice, dice), powers=powers).turn_cells(0)
    lists = lists_of_cells(cells, cells.rows)
    each = (roundings(lists) + cells.outcomes).tolist()
    own, places = (lists.cells // LANES).tolist(), (lists.places // LANES).tolist()
    split = lists.split
    layers = range(split), range(split, len(each))
    columns = [{own[n]: n for n in layer} for layer in layers]
    sums = [0.0] * len(each)
    for _ in range(200):
        found, here = [1 + one for one in each], dict[int, float]()
        for layer, numbers in enumerate(layers):
            for n in numbers:
                for k in range(lists.first_list[n], lists.first_list[n + 1]):
                    ways = []
                    for place in places[lists.starts[k] : lists.starts[k + 1]]:
                        below, cell = divmod(place - cells.room, cells.layer)
                        if place < cells.room:
                            ways.append(here[place])
                        else:
                            at = cells.room + cell % cells.width
                            ways.append(sums[columns[layer - below][at]])
                    found[n] += lists.chances[k] * max(ways)
                here[own[n]] = found[n]
        sums = found
    assert 1 <= _rounding_of_cells(cells) * 2.0**53 / max(sums) < 1.02


@pytest.mark.parametrize("options", ["penalty", "caught up"])
def test_no_proof_of_what_is_not_so(options: str, kernels: Path) -> None:
    rules = kcd(dice=2, goal=200, **OPTIONS[options])
    two = make_dice_set([Die(), Die((3, 1, 1, 1, 1, 2))])
    powers = Power(PowerKind.REROLL, amount=1), Power(PowerKind.WARLORD, amount=50)
    matchup = Matchup(rules, (two, make_dice_set([Die()] * 2)), powers=powers)
    plans = [matchup.plan_with_badge(seat) for seat in (0, 1)]
    right = solve(rules, plans=plans, cache=kernels).values
    assert error_bound(rules, right, 1e-9, LISTED, plans=plans) is not None
    chance = random.Random(options)
    places = [place for place in np.ndindex(right.shape) if right[place]]
    for place in chance.sample(places, 20):
        wrong = right.copy()
        wrong[place] += 2e-9 if wrong[place] < 0.5 else -2e-9
        assert error_bound(rules, wrong, 1e-9, LISTED, plans=plans) is None


def test_players_whose_dice_never_score(kernels: Path) -> None:
    rules, never = kcd(dice=2, goal=200, **OPTIONS["penalty"]), Die((0, 1, 0, 1, 0, 0))
    dice = make_dice_set([never] * 2), make_dice_set([Die()] * 2)
    powers = Power(PowerKind.RESURRECTION, 2), Power(PowerKind.MIGHT, 1)
    matchup = Matchup(rules, dice, powers=powers)
    found = solve_matchup(matchup, cache=kernels)
    assert (found.values[:, :, 0] == 0).all()
    assert (found.values[:, :, 1] == 1).all()
    check_turns(matchup, found)


def test_the_number_of_threads_changes_nothing(kernels: Path) -> None:
    matchup = replace(PLAIN, powers=(Power(PowerKind.REROLL, amount=1), None))
    far: list[Progress] = []
    one = solve_matchup(matchup, cache=kernels, threads=1, on_progress=far.append)
    assert np.array_equal(one.values, solve_matchup(matchup, cache=kernels).values)
    shares = [progress.done for progress in far]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_far_beyond_the_goal_dice_are_rolled_again_as_at_the_goal(kernels: Path) -> None:
    strategy = strategy_with((Power(PowerKind.REROLL, amount=1), None), kernels)
    turn = strategy.power_turn(strategy.start(0, held=Held((1, 0))))
    assert turn is not None
    dice, goal = PLAIN.dice[0], PLAIN.rules.goal
    kinds = enumerate(dice.remaining[dice.whole])
    roll = tuple(len(FACES) * kind + 2 for kind, number in kinds for _ in range(number))
    at_goal, beyond = (
        turn.rolled_again(TurnState(total, dice.whole), roll) for total in (goal, 9 * goal)
    )
    assert at_goal
    assert at_goal == beyond


@pytest.mark.parametrize("uses", [1, 2])
def test_beyond_the_goal_a_roll_may_still_be_a_farkle(uses: int, kernels: Path) -> None:
    strategy = strategy_with((Power(PowerKind.RESURRECTION, uses), None), kernels)
    turn = strategy.power_turn(strategy.start(0, 100))
    assert turn is not None
    chances, after = strategy.plan(0).farkle_chances, np.zeros(strategy.plan(0).columns)
    for layer in turn.layers:
        after = 1 - chances * (1 - np.maximum(after, layer.ends.farkle[0]))
        rows = layer.roll[0][(400 - 100) // 50 :]
        np.testing.assert_allclose(rows, np.broadcast_to(after, rows.shape), atol=1e-12)
        assert after.max() < 1


def test_digests_cover_all_of_a_power() -> None:
    might = Power(PowerKind.MIGHT, 2)
    reroll = Power(PowerKind.REROLL, amount=2)
    every: list[Powers] = [
        (None, None),
        (might, None),
        (None, might),
        (might, might),
        (replace(might, uses=3), None),
        (replace(might, once=True), None),
        (replace(might, die=Die((2, 1, 1, 1, 1, 1))), None),
        (reroll, None),
        (replace(reroll, amount=1), None),
        (replace(reroll, alike=True), None),
        (replace(reroll, after_farkle=True), None),
        (Power(PowerKind.WARLORD, amount=50), None),
        (Power(PowerKind.WARLORD, amount=50, at_start=True), None),
    ]
    matchups = [replace(PLAIN, powers=powers) for powers in every]
    assert len({one.digest for one in matchups}) == len(matchups)
    assert all(one.digest == one.from_seat(1).digest for one in matchups)
    # dice that fall alike are one
    twice = replace(might, die=Die((2, 2, 2, 2, 2, 2)))
    assert replace(PLAIN, powers=(twice, None)).digest == matchups[1].digest


@pytest.mark.parametrize("other", [Power(PowerKind.MIGHT, 3), None])
def test_too_many_states_are_refused(other: Power | None, kernels: Path) -> None:
    """Also where one player alone has a badge: the table has the modes of both for either."""
    rules, dice = kcd(goal=60_000), make_dice_set([Die()] * 6)
    powers = Power(PowerKind.MIGHT, 3), other
    with pytest.raises(InvalidRulesError, match=r"room is needed for 46,080,000 states"):
        solve_matchup(Matchup(rules, (dice, dice), powers=powers), cache=kernels)
