"""How loaded dice fell, against the weights they have."""

import math
import random
from typing import Any

import pytest

from bot.review.dice_record import Fairness, chi_square_tail
from bot.review.loaded_record import LoadedCount, loaded_record
from bot.table import commands
from bot.table.badges import faces_of, use
from bot.table.events import Begun, Event
from bot.table.fold import apply, begin
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_die, read_set
from tests.loaded_dice import kcd


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
    chance, lucky = random.Random(1), read_die("lucky")
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
