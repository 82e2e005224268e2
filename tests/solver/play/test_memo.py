"""People who play by a table or a rule of thumb: what they win, and whether more can be had."""

import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.play.contests import duel, settled
from solver.play.go_for_it import search_go_for_it
from solver.play.matches import play_duel
from solver.play.memo import GoForIt, Memo, MemoGoForIt, RuleOfThumb, Thumb
from solver.play.memo_study import MemoStudy, load_memo, study_memo, study_path
from solver.play.policies import Cautious, Optimal
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, dice_set, fate
from solver.turn.equations import EqualDice, Floats
from tests import naive
from tests.conftest import only_with_every, rarely, variant
from tests.house_rules import small
from tests.solver.play.test_duel import SMALL, assert_agree, shared

FIGURES = tomllib.loads((Path(__file__).parents[2] / "reference/figures.toml").read_text())
PUBLISHED = FIGURES["classic"]["go_for_it"]


def published() -> GoForIt:
    """M. Busche and T. W. Neller, Optimal Play of the Farkle Dice Game (2017), table 4."""
    each = [PUBLISHED.get(str(dice), {}) for dice in range(1, 7)]
    return GoForIt(tuple(one.get("B") for one in each), tuple(one.get("D") for one in each))


def solved(rules: Ruleset, cache: Path) -> Strategy:
    return Strategy(rules, solve(rules, cache=cache).values, rules.name)


@pytest.mark.mostly_skipped(4)
@pytest.mark.parametrize("name", rarely(shared(2), "caught up, everything, opening, defended"))
@pytest.mark.slow
def test_the_slow_twin_agrees(name: str, kernels: Path) -> None:
    rules = dict(SMALL)[name]
    if not rules.throws and len(rules.sets) == 1:  # else no one table says what to bank
        goes = GoForIt((100,) * rules.dice, (200, None, 300, 0)[: rules.dice])
        assert_agree(rules, (Memo(), MemoGoForIt(goes)), kernels)
    thumb = Thumb("bank first", (1, min(2, rules.dice)), (100, 200))
    assert_agree(rules, (RuleOfThumb(thumb), Cautious()), kernels)


THUMBS = [
    Thumb("most points", (1, 3, 5), (250, 400, 1000)),
    Thumb("fewest dice", (2, 3, 4), (200, 300, 650)),
    Thumb("bank first", (1, 3, 6), (250, 350, 1600)),
    Thumb("points for dice", (2, 4), (250, 400), 150, 3),
]


@pytest.mark.parametrize("thumb", THUMBS, ids=lambda thumb: thumb.keep)
@settings(max_examples=60)
@given(data=st.data())
def test_a_rule_of_thumb_is_played_as_it_is_told(thumb: Thumb, data: st.DataObject) -> None:
    rules = load_rules("facebook")
    dice = data.draw(st.integers(1, 6))
    rolls = [r for r, _ in dice_set(rules).rolls(dice) if fate(rules, r) is Fate.SCORES]
    roll = data.draw(st.sampled_from(rolls))
    total = data.draw(st.integers(0, 40).map(lambda k: 50 * k))
    position = Position.of_two(banked=3000, opponent=5000, turn_total=total, dice=dice)

    found = []
    for kept, points in naive.set_asides(rules, tuple(sorted(roll))):
        new, left = total + points, dice - len(kept)
        left = left or 6
        least = [b for most, b in zip(thumb.most_dice, thumb.bank, strict=True) if left <= most]
        banks = least != [] and new >= max(least[0], rules.minimum_bank)
        rank: tuple[float, ...]
        match thumb.keep:
            case "most points":
                rank = (new,)
            case "fewest dice":
                rank = left, new
            case "bank first":
                rank = (left == 6, left if left == 6 or not banks else 6, new)
            case _:
                counted = new + thumb.per_die * max(0, left - thumb.beyond)
                rank = (counted, banks, new if banks else left)
        found.append((rank, new, left, banks))
    _, new, left, banks = max(found)
    move = RuleOfThumb(thumb).choose(EqualDice(rules), position, roll)
    points = dict(naive.set_asides(rules, tuple(sorted(roll))))[tuple(sorted(move.set_aside))]
    assert (total + points, dice - len(move.set_aside) or 6, move.bank) == (new, left, banks)


@pytest.mark.slow
def test_no_thresholds_win_more_than_those_found(kernels: Path) -> None:
    """All of them tried, in a short game."""
    scoring = {"single": (100, 0, 0, 0, 100, 0), "three_of_a_kind": 0}
    rules = small(dice=2, goal=600, scoring=scoring)
    best = Optimal(solved(rules, kernels))

    def evaluate(player: MemoGoForIt) -> tuple[float, Floats]:
        found = settled(rules, player, best, cache=kernels)
        return found.overall, found.other

    last = settled(rules, Memo(), best, cache=kernels).last
    found, _ = evaluate(MemoGoForIt(search_go_for_it(rules, 100, evaluate, last)))
    without, _ = evaluate(MemoGoForIt(GoForIt((None, None), (None, None))))
    assert found > without + 1e-4
    scores = [0, 300, 400, 500, None]
    for one, two, three, four in product(scores, repeat=4):
        if one in {0, 500} or two in {0, 500}:
            continue
        other, _ = evaluate(MemoGoForIt(GoForIt((one, two), (three, four))))
        assert other <= found + 1e-9


@pytest.fixture(scope="module")
def studied(tiny: Solution, kernels: Path) -> tuple[MemoStudy, list[float]]:
    """What is found out of a tiny game, and how far that was, time and again."""
    shares: list[float] = []
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    return study_memo(strategy, cache=kernels, on_progress=shares.append), shares


@pytest.mark.slow
def test_no_rule_of_thumb_next_to_the_one_found_wins_more(
    tiny: Solution, kernels: Path, studied: tuple[MemoStudy, list[float]]
) -> None:
    rules = tiny.rules
    best = Optimal(Strategy(rules, tiny.values, "tiny"))

    def wins(player: RuleOfThumb) -> float:
        return duel(rules, player, best, cache=kernels).overall

    found = studied[0].thumb
    most = wins(RuleOfThumb(found))
    for k, change in product(range(len(found.bank)), (-50, 50)):
        bank = list(found.bank)
        bank[k] = max(100, bank[k] + change)
        other = Thumb(found.keep, found.most_dice, tuple(bank), found.per_die, found.beyond)
        assert wins(RuleOfThumb(other)) <= most + 1e-8
    greedy = Thumb("most points", (1, 2, 3), (400, 400, 400))
    assert wins(RuleOfThumb(greedy)) < most


@pytest.mark.slow
def test_what_is_found_out_is_kept(
    tiny: Solution, kernels: Path, tmp_path: Path, studied: tuple[MemoStudy, list[float]]
) -> None:
    rules = tiny.rules
    strategy = Strategy(rules, tiny.values, "tiny")
    found, shares = studied
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    best = Optimal(strategy)
    for player, worth in (
        (Memo(), found.memo),
        (MemoGoForIt(found.go_for_it), found.memo_go_for_it),
        (RuleOfThumb(found.thumb), found.rule_of_thumb),
    ):
        expected = duel(rules, player, best, cache=kernels)
        assert abs(worth.as_first - expected.as_first) < 1e-9
        assert abs(worth.as_second - expected.as_second) < 1e-9
    assert found.memo.points <= found.most_points + 1e-9
    assert load_memo(tmp_path, rules, found.unit) is None
    found.save(study_path(tmp_path / "new", rules, found.unit))
    assert load_memo(tmp_path / "new", rules, found.unit) == found
    assert load_memo(tmp_path / "new", rules, 2 * found.unit) is None
    path = study_path(tmp_path / "new", rules, found.unit)
    path.write_text(path.read_text().replace(rules.digest, "0" * 64))
    assert load_memo(tmp_path / "new", rules, found.unit) is None


@only_with_every
@pytest.mark.slow
def test_the_published_thresholds_are_found(solutions: dict[str, Solution], kernels: Path) -> None:
    """They are the best that the search finds too, and the table is the published strategy."""
    rules = load_rules("classic")
    strategy = Strategy(rules, solutions["classic"].values, "classic")
    found = study_memo(strategy, cache=kernels)
    theirs = duel(rules, MemoGoForIt(published()), Optimal(strategy), cache=kernels)
    assert found.memo_go_for_it.overall >= theirs.overall - 1e-13
    assert found.go_for_it == published()
    assert round(found.memo.points, 5) == FIGURES["classic"]["max_points_per_turn"]
    assert round(found.memo.farkles, 6) == FIGURES["classic"]["max_points_farkle_probability"]
    assert round(found.memo.as_first, 6) == 0.513812
    assert found.rule_of_thumb.points > 444
    assert found.rule_of_thumb.overall > 0.47


@pytest.mark.slow
def test_simulation_agrees(kernels: Path) -> None:
    rules = variant("kcd", goal=2000)
    best = Optimal(solved(rules, kernels))
    goes = GoForIt((1500, 1500, 1300, 800, None, None), (1400, 1500, 1300, 750, 150, None))
    thumb = Thumb("points for dice", (2, 3), (300, 500), 200, 3)
    for player in (Memo(), MemoGoForIt(goes), RuleOfThumb(thumb)):
        expected = duel(rules, player, best, cache=kernels)
        assert play_duel(rules, player, best, kernels, 8_000, 5).agrees(expected)
        assert not np.isclose(expected.overall, 0.5, atol=0.005)


def test_last_turns_are_rolled_until_the_other_is_beaten() -> None:
    rules = variant("classic", ending="final_turn")
    position = Position.of_two(banked=9000, opponent=10_500, turn_total=1300, dice=1)
    for player in (Memo(), RuleOfThumb(THUMBS[0]), MemoGoForIt(GoForIt((0,) * 6, (0,) * 6))):
        for total, banks in ((1300, False), (1450, False), (1500, True)):
            here = Position.of_two(banked=9000, opponent=10_500, turn_total=total, dice=1)
            move = player.choose(EqualDice(rules), here, (1,))
            assert move.set_aside == (1,)
            assert move.bank == banks or total + 100 > 1500
        assert not player.banks(EqualDice(rules), position)


def test_who_goes_for_it_banks_nothing_that_does_not_win() -> None:
    rules = load_rules("classic")
    player = MemoGoForIt(published())

    def banks(dice: int, own: int, other: int, turn_total: int) -> bool:
        return player.banks(
            EqualDice(rules),
            Position.of_two(banked=own, opponent=other, turn_total=turn_total, dice=dice),
        )

    assert banks(2, 9500, 9500, 450)
    assert not banks(2, 9550, 0, 400)
    assert not banks(2, 0, 9550, 450)
    assert banks(2, 9550, 9550, 450)
    assert not banks(5, 0, 7900, 3000)
    assert banks(5, 9950, 7850, 3000)
