import math
from itertools import product
from random import Random
from typing import Any

import pytest

from bot.features.records.service import farkle_chance
from bot.features.records.view import dice_record_data, dice_record_text
from bot.review.dice_record import (
    DiceRecord,
    Fairness,
    LoadedCount,
    chi_square_tail,
    dice_record,
    loaded_record,
)
from bot.table import commands
from bot.table.badges import faces_of, use
from bot.table.events import Begun, Event
from bot.table.fold import apply, begin
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_die, read_set
from solver.rules.file import load_rules
from tests.loaded_dice import kcd


@pytest.mark.parametrize(
    ("statistic", "p_value"),
    [
        # a published table, 5 degrees of freedom: NIST/SEMATECH e-Handbook, section 1.3.6.7.4
        (0.554, 0.99), (0.831, 0.975), (1.145, 0.95), (1.610, 0.90),
        (9.236, 0.10), (11.070, 0.05), (12.833, 0.025), (15.086, 0.01), (20.515, 0.001),
    ],
)  # fmt: skip
def test_p_values_of_a_published_table(statistic: float, p_value: float) -> None:
    assert chi_square_tail(statistic, 5) == pytest.approx(p_value, rel=1e-3)


def test_p_values_are_the_integral_of_the_density() -> None:
    """By the trapezium rule on x^1.5 e^(-x/2) / (2^2.5 Gamma(2.5))."""

    def density(x: float) -> float:
        return math.pow(x, 1.5) * math.exp(-x / 2) / (2**2.5 * math.gamma(2.5))

    for statistic in (0.0, 0.5, 4.0, 30.0):
        steps = [statistic + k * 0.005 for k in range(30_000)]
        tail = 0.005 * (math.fsum(map(density, steps)) - density(statistic) / 2)
        assert chi_square_tail(statistic, 5) == pytest.approx(tail, rel=1e-4)


def test_the_published_farkle_chance() -> None:
    """5 in 216 where single 1s and 5s, three of a kind, a straight and three pairs score."""
    assert farkle_chance(load_rules("facebook")) == pytest.approx(5 / 216)


def test_counts() -> None:
    record = dice_record(
        [
            ((2, 2, 3, 4, 6, 6), (True, 0.02)),
            ((1, 2, 3, 4, 5, 6), (False, 0.03)),
            ((1, 2, 3, 4, 5, 5), None),
            ((2, 3), (True, 0.5)),
        ]
    )
    assert record == DiceRecord(4, (2, 5, 4, 3, 3, 3), 2, 1, ((0.02, 1), (0.03, 1)))
    assert record.farkle_chance == pytest.approx(0.025)
    assert (record.dice, record.expected) == (20, (20 / 6,) * 6)
    assert record.expected_farkles == pytest.approx(0.05)
    # (4 + 25 + 16 + 9 + 9 + 9) * 6 / 20 - 20
    assert record.chi_square == pytest.approx(1.6)


def of_counts(*counts: int) -> DiceRecord:
    return dice_record(((face,), None) for face, n in enumerate(counts, 1) for _ in range(n))


@pytest.mark.parametrize(
    ("record", "fairness", "said"),
    [
        (of_counts(29, 0, 0, 0, 0, 0), Fairness.TOO_FEW, "Too few to say anything"),
        (of_counts(5, 5, 5, 5, 5, 5), Fairness.FAIR, "Fair dice give counts like these"),
        (
            of_counts(20, 5, 10, 12, 8, 5),
            Fairness.UNUSUAL,
            "fair dice come out this uneven once in 134 times.",
        ),
        (
            of_counts(25, 5, 8, 9, 8, 5),
            Fairness.VERY_UNUSUAL,
            "Very unusual: fair dice come out this uneven",
        ),
        (of_counts(500, 0, 0, 0, 0, 0), Fairness.VERY_UNUSUAL, "less than once in a million"),
    ],
)
def test_verdicts(record: DiceRecord, fairness: Fairness, said: str) -> None:
    assert record.fairness is fairness
    assert said in " ".join(dice_record_text(record).split())
    assert dice_record_data(record)["fairness"] == fairness.value


def test_fair_dice_are_called_unusual_as_often_as_promised() -> None:
    random = Random(5)
    records = [
        dice_record([(random.choices(range(1, 7), k=60), None)]).p_value for _ in range(2_000)
    ]
    assert 0.035 < sum(p < 0.05 for p in records) / 2_000 < 0.065
    assert 0.45 < sum(p < 0.5 for p in records) / 2_000 < 0.55


@pytest.mark.parametrize(("farkles", "chance"), [(0, 0.3), (1, 0.3), (2, 0.3), (4, 0.3), (2, 0.5)])
def test_chance_of_so_many_farkles(farkles: int, chance: float) -> None:
    """Against every outcome of four rolls, one by one."""
    record = DiceRecord(4, (4, 4, 4, 4, 4, 4), 4, farkles, ((chance, 4),))
    total = 0.0
    for outcome in product((0, 1), repeat=4):
        hits = sum(outcome)
        if hits <= farkles if farkles < 4 * chance else hits >= farkles:
            total += chance**hits * (1 - chance) ** (4 - hits)
    assert record.farkles_p_value == pytest.approx(total)


@pytest.mark.parametrize("farkles", range(6))
def test_chance_of_so_many_farkles_under_several_rules(farkles: int) -> None:
    """Against every outcome of the rolls of two rule sets, one by one."""
    chances = (0.1, 0.1, 0.35, 0.35, 0.35)
    record = DiceRecord(5, (5,) * 6, 5, farkles, ((0.1, 2), (0.35, 3)))
    total = 0.0
    for outcome in product((0, 1), repeat=5):
        if sum(outcome) <= farkles if farkles < sum(chances) else sum(outcome) >= farkles:
            both = zip(chances, outcome, strict=True)
            total += math.prod(chance if hit else 1 - chance for chance, hit in both)
    assert record.farkles_p_value == pytest.approx(total)
    assert record.expected_farkles == pytest.approx(1.25)


def test_text_and_data() -> None:
    dice = [(1, 2, 3, 4, 5, 6)] * 99 + [(2, 2, 3, 4, 6, 6)]
    record = dice_record((faces, (index == 99, 5 / 216)) for index, faces in enumerate(dice))
    text = dice_record_text(record)
    assert text == (
        "600 dice in 100 rolls, each face is expected 100.0 times:\n"
        "  1  █████████████████████████████▍   99  16.50 %\n"
        "  2  ██████████████████████████████  101  16.83 %\n"
        "  3  █████████████████████████████▊  100  16.67 %\n"
        "  4  █████████████████████████████▊  100  16.67 %\n"
        "  5  █████████████████████████████▍   99  16.50 %\n"
        "  6  ██████████████████████████████  101  16.83 %\n"
        "Fair dice give counts like these.\n"
        "Chi-square 0.04, 5 degrees of freedom, p = 1.\n"
        "Six dice at once: 100 rolls, 1 farkle by the rules that were played, 2.3\n"
        "  expected, 1 in 43.2. Fair dice give this few or fewer 32.39 % of the time."
    )
    data = dice_record_data(record)
    assert data["counts"] == {"1": 99, "2": 101, "3": 100, "4": 100, "5": 99, "6": 101}
    assert data["six_dice"]["farkles"] == 1
    assert data["six_dice"]["p_value"] == pytest.approx(
        (1 - 5 / 216) ** 100 + 100 * 5 / 216 * (1 - 5 / 216) ** 99
    )


def test_no_dice() -> None:
    record = dice_record([])
    assert dice_record_text(record) == "No dice have been rolled yet."
    assert dice_record_data(record)["p_value"] == 1
    assert record.fairness is Fairness.TOO_FEW


# ---- Dice that players bring -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "statistic", "chance"),
    [(1, 3.841, 0.05), (2, 5.991, 0.05), (3, 7.815, 0.05), (4, 13.277, 0.01), (5, 20.515, 0.001)],
)
def test_tails_are_those_of_tables(degrees: int, statistic: float, chance: float) -> None:
    """Abramowitz and Stegun, table 26.8."""
    assert chi_square_tail(statistic, degrees) == pytest.approx(chance, rel=2e-3)
    assert chi_square_tail(0, degrees) == 1
    assert chi_square_tail(statistic, 5) == pytest.approx(_of_five_degrees(statistic))


def _of_five_degrees(statistic: float) -> float:
    """26.4.4 there, written out."""
    root = math.sqrt(statistic)
    tail = math.sqrt(2 / math.pi) * math.exp(-statistic / 2) * (root + root**3 / 3)
    return min(1.0, math.erfc(root / math.sqrt(2)) + tail)


def test_dice_that_follow_their_weights_are_told_from_others() -> None:
    chance, lucky = Random(1), read_die("lucky")
    faces = chance.choices(range(1, 7), weights=lucky.die.weights, k=1_000)
    counts = tuple(faces.count(face) for face in range(1, 7))
    assert LoadedCount(lucky, counts).fairness is Fairness.FAIR
    assert LoadedCount(read_die("ordinary"), counts).fairness is Fairness.VERY_UNUSUAL
    assert LoadedCount(lucky, (2, 0, 1, 1, 1, 2)).fairness is Fairness.TOO_FEW


def test_every_die_is_counted_for_its_owner() -> None:
    """Those that a badge has rolled again or added, too."""
    kits = (
        Kit(read_set("odd,lucky,pie", 3), read_badge("silver-might")),
        Kit(read_set("odd*3", 3), read_badge("silver-fortune")),
    )
    settings: dict[str, Any] = {"rules": kcd(dice=3, goal=600), "levels": (None, None)}
    first = Begun(game="test", kits=kits, tracked=True, **settings)
    game, events = begin(first), list[Event]()
    assert game.side
    added = faces_of([0, 1, 2, 3], (1, 3, 2, 5))
    for event in use(game, 0, (), added):
        events.append(event)
        game = apply(game, event)
    kept = commands.keep(game, 0, (6 * 3 + 5,))
    found = {one.die.typed: one.counts for one in loaded_record([(first, [*events, *kept])])}
    names = [kits[0].with_added.first_name(k).typed for k in range(4)]
    assert sorted(names) == ["extra", "lucky", "odd", "pie"]
    shown = dict(zip(names, (1, 3, 2, 5), strict=True))
    assert found == {n: tuple(int(f == shown[n]) for f in range(1, 7)) for n in names}
