import struct
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from bot.layout import safe_text, text_width
from bot.review.highlights import ChartPoint, GameChart
from bot.views.card import Card
from bot.views.chart import (
    _spread,
    chart_picture,
    chart_text,
)
from bot.views.drawing import LINES
from tests.bot.pictures import pixels

AWKWARD = [
    "@everyone",
    "a\nb\tc\x1b[31m",
    "```",
    "日本語日本語日本語日本語",
    "👩‍👩‍👧" * 9,
    "\u202eevil",
    "Z" + "\u0316" * 50,
    "",
    "$x_1$",
]


def game(
    shares: Sequence[Sequence[float]], names: Sequence[str] = (), score: int = 1_000
) -> GameChart:
    return GameChart(
        tuple(names or [f"P{k}" for k in range(len(shares[0]))]),
        tuple(
            ChartPoint(str(turn), tuple(share), tuple(score + k for k in range(len(share))))
            for turn, share in enumerate(shares, 1)
        ),
    )


def swing(turns: int, players: int = 2, names: Sequence[str] = ()) -> GameChart:
    """The lead goes round."""
    weights = [
        [1 + (turn + seat) % players * (turn % 5) for seat in range(players)]
        for turn in range(turns)
    ]
    return game([[w / sum(row) for w in row] for row in weights], names)


def test_two_players() -> None:
    text = chart_text(game([(0.5, 0.5), (0.25, 0.75), (0.999, 0.001), (1, 0)], ["Ann", "Bob"]), 53)
    assert text.split("\n") == [
        "   █ Ann  ░ Bob",
        "1  ██████████████│░░░░░░░░░░░░░░   50 %  1,000:1,001",
        "2  ███████░░░░░░░│░░░░░░░░░░░░░░   25 %  1,000:1,001",
        "3  ██████████████│█████████████░  >99 %  1,000:1,001",
        "4  ██████████████│██████████████  100 %  1,000:1,001",
    ]


def test_bars_lie_on_the_side_of_the_leader() -> None:
    shares = [k / 40 for k in range(41)]
    lines = chart_text(game([(p, 1 - p) for p in shares][:36])).split("\n")[1:]
    filled = [line.count("█") for line in lines]
    half = lines[0].index("│") - lines[0].index("░")
    assert filled == sorted(filled)
    for share, count, line in zip(shares, filled, lines, strict=False):
        assert abs(count - share * 2 * half) <= 1
        assert line.split("│")[0].count("█") == min(count, half)


@pytest.mark.parametrize("turns", [1, 2, 35, 36, 37, 38, 71, 100, 1000])
@pytest.mark.parametrize("players", [2, 3, 7, 20])
@pytest.mark.parametrize("width", [10, 60, 79, 500])
def test_limits(turns: int, players: int, width: int) -> None:
    chart = swing(turns, players, [AWKWARD[k % len(AWKWARD)] for k in range(players)])
    lines = chart_text(chart, width).split("\n")
    assert len(lines) <= 40
    assert max(map(text_width, lines)) <= max(48, min(width, 79))
    starts = [line.split()[0] for line in lines[1:]]
    shown = [int(start) for start in starts[: min(turns, 36)]]
    assert (shown[0], shown[-1]) == (1, turns)
    assert len(set(shown)) == min(turns, 36)
    assert shown == sorted(shown)
    if turns > 36:
        verb = "is" if turns == 37 else "are"
        assert f"{turns - 36} of {turns} turns {verb} not shown." in lines


def test_more_players() -> None:
    chart = game([(0.2, 0.3, 0.5), (0.004, 0.996, 0)], ["Ann", "Bob", "Someone with a long name"])
    assert chart_text(chart, 60).split("\n") == [
        "   Ann                Bob                Someone with a l…",
        "1   20 % ██░░░░░░░░    30 % ███░░░░░░░    50 % █████░░░░░",
        "2   <1 % ░░░░░░░░░░   >99 % █████████░     0 % ░░░░░░░░░░",
    ]


def test_of_many_players_the_likeliest_are_shown() -> None:
    last = [0.01] * 8 + [0.5, 0.42]
    text = chart_text(game([[0.1] * 10, last]), 79)
    assert "P8" in text
    assert "P9" in text
    assert text.endswith("\n2 players with less of a chance are not shown.")


def test_safe_text() -> None:
    assert "@everyone" not in Card(safe_text("@everyone", 20)).text
    assert "<@123" not in Card(safe_text("<@12345>", 20)).text
    assert safe_text("a\nb\r\n\tc\u2028d\x00e", 20) == "a b c d e"
    assert safe_text("\u202eab\u200bc\x1b[31m", 20) == "abc [31m"
    assert safe_text("```x", 20) == "'''x"
    assert safe_text("Annabel Lee", 8) == "Annabel…"
    assert safe_text("日本語日本語", 6) == "日本…"
    assert len(safe_text("Z" + "\u0316" * 50, 20)) == 3


@pytest.mark.parametrize("text", AWKWARD)
@pytest.mark.parametrize("width", range(1, 12))
def test_safe_text_keeps_to_its_width(text: str, width: int) -> None:
    assert text_width(safe_text(text, width)) <= width


PAPER = [0x1E, 0x21, 0x27]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("players", [2, 3, 5, 9])
@pytest.mark.parametrize("turns", [0, 1, 2, 60])
def test_pictures_have_their_size_and_paper(turns: int, players: int) -> None:
    names = [AWKWARD[k % len(AWKWARD)] for k in range(players)]
    chart = swing(turns, players, names) if turns else GameChart(tuple(names), ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        png = chart_picture(chart)
    assert struct.unpack(">II", png[16:24]) == (800, 450)
    assert pixels(png)[0, 0].tolist() == PAPER
    assert len(png) < 200_000


@pytest.mark.parametrize(
    "last", [(1.0, 0.0), (0.0, 1.0), (0.52, 0.48), (0.3, 0.7), (0.1, 0.2, 0.7), (0.4, 0.0, 0.6)]
)
def test_every_label_is_beside_the_end_of_its_line(last: tuple[float, ...]) -> None:
    """What is written in a player's colour is nearer to this line's end than to any other's."""
    even = tuple(1 / len(last) for _ in last)
    image = pixels(chart_picture(game([even, last, last])))
    ends, labels = [], []
    for seat in range(len(last)):
        colour = [int(LINES[seat][k : k + 2], 16) for k in (1, 3, 5)]
        found = np.argwhere((image == colour).all(axis=2))
        inside, beside = (found[part, 0] for part in (found[:, 1] < 540, found[:, 1] > 580))
        ends.append(float(np.median(inside[np.argsort(found[found[:, 1] < 540, 1])[-20:]])))
        labels.append(float((beside.min() + beside.max()) / 2))
    top, bottom = 450 * (1 - 0.865), 450 * (1 - 0.165)
    for seat, share in enumerate(last):
        assert ends[seat] == pytest.approx(bottom - share * (bottom - top), abs=4)
        distances = [abs(label - ends[seat]) for label in labels]
        assert distances[seat] == min(distances)
        assert distances[seat] < 40


def test_nothing_is_drawn_over_the_edge() -> None:
    chart = swing(60, 5, ["W" * 40, "M" * 40, "@" * 40, "a", "b"])
    image = pixels(chart_picture(chart))
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert (edge == PAPER).all()


@pytest.mark.slow
def test_pictures_drawn_at_a_time_in_threads_are_the_same() -> None:
    charts = [swing(10 + k, 2 + k % 3) for k in range(8)]
    alone = [chart_picture(chart) for chart in charts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(chart_picture, charts))
    assert together == alone


@pytest.mark.parametrize(
    "wanted", [[0, 0, 0, 0], [1, 1, 1], [0.5, 0.5], [0.1, 0.9], [0, 0.02, 0.98, 1, 1], [0.4, 0.3]]
)
def test_labels_keep_their_distance_and_order(wanted: list[float]) -> None:
    heights = _spread(wanted, 0.15)
    assert all(0 <= height <= 1 for height in heights)
    ordered = sorted(heights)
    assert all(b - a > 0.1499 for a, b in pairwise(ordered))
    for one in range(len(wanted)):
        for two in range(len(wanted)):
            if wanted[one] < wanted[two]:
                assert heights[one] < heights[two]
