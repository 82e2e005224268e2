"""Pictures of turns and scores: what is drawn, in which size and form."""

import io
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import colormaps
from matplotlib.colors import to_hex
from PIL import Image

from bot.languages import language
from bot.views.comparison_picture import curves_picture, sweep_chart, sweep_size
from bot.views.drawing import (
    DARK,
    FORMS,
    LIGHT,
    ON_LIGHT,
    Form,
    Look,
    Style,
    contrast,
    even_figures,
    readable,
)
from bot.views.turn_picture import (
    bands,
    bank_sides,
    border_lines,
    border_picture,
    shown_rows,
    turn_picture,
    win_picture,
)
from solver.game.best import Strategy
from solver.game.position import Position
from solver.play.maps import TurnMap, border_map, scores_between, turn_map, win_map
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision, turn_plan
from solver.wording import said_in
from tests.bot.pictures import pixels, size_of
from tests.conftest import mostly_slow
from tests.house_rules import ONE_BY_ONE
from tests.solver.play.test_maps import guessed, some_positions

HOUSE = dict(ONE_BY_ONE)


def paper(look: Look) -> list[int]:
    return [int(look.paper[k : k + 2], 16) for k in (1, 3, 5)]


def test_the_border_is_drawn_between_rolling_and_banking() -> None:
    """An edge lies between two cells where the decisions differ, and nowhere else."""
    chance = np.random.default_rng(1)
    for _ in range(20):
        rows, columns = chance.integers(1, 9, 2)
        banks = chance.random((rows, columns)) < 0.5
        lines = border_lines(banks)
        assert len(set(lines)) == len(lines)
        drawn = {((x0 + x1) / 2, (y0 + y1) / 2) for (x0, y0), (x1, y1) in lines}
        wanted = set()
        for t in range(rows):
            for n in range(columns):
                if t + 1 < rows and banks[t, n] != banks[t + 1, n]:
                    wanted.add((n + 1.0, t + 0.5))
                if n + 1 < columns and banks[t, n] != banks[t, n + 1]:
                    wanted.add((n + 1.5, float(t)))
        assert drawn == wanted


def test_the_drawn_border_is_that_of_the_strategy(strategies: dict[str, Strategy]) -> None:
    """Above an edge that goes across, the strategy does what it does not do below."""
    chance = random.Random(1)
    for name in ("facebook", "kcd"):
        strategy = strategies[name]
        for position in some_positions(strategy.rules, 5):
            found = turn_map(strategy, position)
            table = strategy.turn(position)
            lines = border_lines(bank_sides(found)[: shown_rows(found)])
            across = [one for one in lines if one[0][1] == one[1][1]]
            for (left, height), _ in chance.sample(across, min(6, len(across))):
                dice, row = round(left + 0.5), round(height - 0.5)
                occur = np.flatnonzero(found.reachable[:, dice - 1])
                assert row + 1 in occur
                states = [
                    position.change(turn_total=int(one) * 50, dice=dice).turn
                    for one in (*occur[occur <= row][-1:], row + 1)
                ]
                banks = [table.decision(turn) is not Decision.ROLL for turn in states]
                assert banks in ([False, True], [True, False], [True])


@pytest.mark.mostly_slow(6)
@pytest.mark.mostly_skipped
@pytest.mark.parametrize("rules", mostly_slow(HOUSE.items()))
def test_the_drawn_border_fits_what_is_said(rules: Ruleset) -> None:
    """Its lowest edge in a column is right below the turn total from which on to bank."""
    strategy = guessed(rules)
    for start in some_positions(rules, 3):
        for hot_dice in range(turn_plan(rules).levels):
            found = turn_map(strategy, start.change(hot_dice=hot_dice))
            occur = np.asarray(found.reachable.any(axis=1))
            rows = shown_rows(found, 10**6)
            assert not occur[rows:].any()
            assert occur[rows - 1] or rows == 2
            lines = border_lines(bank_sides(found)[:rows])
            across = [one for one in lines if one[0][1] == one[1][1]]
            edges: dict[int, list[float]] = {}
            for (left, height), _ in across:
                edges.setdefault(round(left + 0.5), []).append(height + 0.5)
            said = {one.dice: one.turn_total for one in found.bank_from}
            for place, dice in enumerate(found.columns, 1):
                total, lowest = said.get(dice), min(edges.get(place, []), default=None)
                if total is None or total == 0:
                    assert total == 0 or lowest is None
                else:
                    assert lowest is not None
                    assert found.totals[int(lowest)] == total


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("name", "look"),
    [("bonus three times", DARK), ("final turn, hot dice forced", LIGHT), ("1 dice", DARK)],
)
def test_pictures_of_any_rules_have_their_size_and_paper(name: str, look: Look) -> None:
    rules = HOUSE[name]
    strategy, scores = guessed(rules), scores_between(rules, 2 * rules.point_step)
    turn = turn_map(strategy, some_positions(rules, 1)[0])
    start = Position.of_two(dice=rules.dice)
    wins, borders = win_map(strategy, start, scores), border_map(strategy, start, scores)
    style = Style(look, size=(400, 600))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = [
            turn_picture(turn, "difference", style),
            turn_picture(turn, "value", style),
            win_picture(wins, style),
            border_picture(borders, style),
        ]
    for png in drawn:
        assert size_of(png) == (400, 600)
        image = pixels(png)
        for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
            assert (edge == paper(look)).all()


@pytest.fixture
def turn() -> TurnMap:
    rules = HOUSE["nothing special"]
    return turn_map(guessed(rules), Position.of_two(dice=3))


@pytest.mark.slow
def test_forms(turn: TurnMap) -> None:
    starts = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}
    assert set(starts) == set(FORMS)
    for form in FORMS:
        assert turn_picture(turn, style=Style(DARK, form)).startswith(starts[form])
    svg = turn_picture(turn, style=Style(DARK, "svg", (1600, 2000))).decode()
    assert 'viewBox="0 0 576 720"' in svg, "8 by 10 inches"


@pytest.mark.slow
def test_pictures_drawn_at_a_time_in_threads_are_the_same(turn: TurnMap) -> None:
    styles = [Style(look, size=(400, 500)) for look in (LIGHT, DARK)]
    alone = [turn_picture(turn, style=style) for style in styles]
    with ThreadPoolExecutor(4) as pool:
        drawn = pool.map(lambda style: turn_picture(turn, style=style), styles * 2)
        assert list(drawn) == alone * 2
    assert alone[0] != alone[1]


def test_pictures_speak_the_language_of_who_asks(turn: TurnMap) -> None:
    assert said_in(language("de"), turn_picture, turn) != turn_picture(turn)


def test_rows_up_to_where_there_is_a_choice(strategies: dict[str, Strategy]) -> None:
    found = turn_map(strategies["facebook"], Position.of_two())
    rows = shown_rows(found)
    assert rows < len(found.totals) / 2
    assert not found.banks[:rows, -1].any()
    for one in found.bank_from[1:]:
        assert one.turn_total is not None
        assert one.turn_total < found.totals[rows - 1]
    assert shown_rows(found, 1000) == 21
    assert shown_rows(found, 10**6) == len(found.totals)


def test_bands_hold_all_amounts() -> None:
    chance = np.random.default_rng(2)
    for number in (1, 3, 7, 8, 400):
        amounts = np.array(50 * chance.integers(0, number, (20, 20)), dtype=np.float64)
        amounts[chance.random((20, 20)) < 0.2] = np.nan
        edges = bands(amounts, 50)
        assert edges == sorted(set(edges))
        assert len(edges) <= 8
        known = amounts[~np.isnan(amounts)]
        assert edges[0] <= known.min()
        assert edges[-1] > known.max()
    assert bands(np.full((2, 2), np.nan), 50) == [0.0, 50.0]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("look", [LIGHT, DARK])
@pytest.mark.parametrize(
    "values", [[1000, 2000, 5000], ["kcd", "a long name of rules", "日本"], []]
)
def test_sweeps(values: list[Any], look: Look) -> None:
    series: dict[str, list[float | None]] = {
        "advantage in percentage points": [1.5, -0.25, None][: len(values)],
        "turns of a game": [0.0] * len(values),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        png = sweep_chart(
            "goal", values, series, title="Goals", style=Style(look), lines=["kcd rules"]
        )
        assert size_of(png) == sweep_size(values, series, ["kcd rules"])
        assert pixels(png)[0, 0].tolist() == paper(look)
        assert size_of(
            sweep_chart("goal", values, series, title="", style=Style(LIGHT, size=(500, 700)))
        ) == (500, 700)


@pytest.mark.parametrize(
    ("values", "amounts"), [([1, 2, 3], [40.0, 42.5, 45.0]), ([1000, 2000, 3000], [1.0, 2.0, 3.0])]
)
def test_numbers_along_both_axes_are_those_of_the_language(
    values: list[float], amounts: list[float]
) -> None:
    def drawn() -> bytes:
        return sweep_chart("goal", values, {"points": amounts}, title="", source="-")

    assert said_in(language("de"), drawn) != drawn()


def test_bars_are_as_long_as_the_amounts() -> None:
    image = pixels(sweep_chart("", ["one", "other"], {"points": [100.0, 50.0]}, title="Points"))
    colour = [int(LIGHT.lines[0][k : k + 2], 16) for k in (1, 3, 5)]
    rows = (image == colour).all(axis=2).sum(axis=1)
    lengths = sorted(set(rows[rows > 20].tolist()))
    assert lengths[-1] / lengths[0] == pytest.approx(2, abs=0.03)


def test_curves() -> None:
    line = np.linspace(0, 100, 30)
    curves = [(f"rules {k}", line, line / (k + 1)) for k in range(9)]
    png = curves_picture("Curves", ["of nine"], ("x", "y"), curves, Style(LIGHT, size=(600, 700)))
    assert size_of(png) == (600, 700)


def test_contrast_is_that_of_wcag() -> None:
    """As published: black on white is 21, and #777777 on white just misses 4.5."""
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#FFFFFF", "#777777") == pytest.approx(4.48, abs=0.005)
    assert contrast("#1E2127", "#1E2127") == 1


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_all_that_is_drawn_stands_out_from_its_ground(look: Look) -> None:
    assert contrast(look.ink, look.paper) > 7
    for line in look.lines:
        assert contrast(line, look.paper) > 3
    for name in (look.values, look.differences):
        for ground in colormaps[name](np.linspace(0, 1, 256)):
            assert contrast(readable(look, to_hex(ground)), to_hex(ground)) > 3


@pytest.mark.mostly_slow(6)
@pytest.mark.parametrize("look", [LIGHT, DARK])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_dots_stand_out_from_every_band(look: Look, share: float) -> None:
    """In a map with a dot in every cell, all of one band but one, dots stand out."""
    rules = HOUSE["1 dice"]
    found = border_map(
        guessed(rules), Position.of_two(dice=1), scores_between(rules, rules.point_step)
    )
    amounts = np.full_like(found.bank_from, 100 + 100 * share)
    amounts[0, 0, 0], amounts[0, -1, -1] = 100, 200
    if share == 0.5:
        amounts[0, 0, -1] = 150
    dotted, plain = (
        replace(
            found,
            bank_from=amounts,
            inverted=np.full_like(found.inverted, there),
            wins_from=np.full_like(found.wins_from, 10**6),
        )
        for there in (True, False)
    )
    with_dots, without = (
        pixels(border_picture(one, Style(look, size=(500, 800))))[300:700, 100:480]
        for one in (dotted, plain)
    )
    colours, counts = np.unique(without.reshape(-1, 3), axis=0, return_counts=True)
    ground = to_hex(colours[counts.argmax()] / 255)
    dots = with_dots[(with_dots != without).any(axis=2)]
    inks, often = np.unique(dots, axis=0, return_counts=True)
    stand_out = [contrast(to_hex(ink / 255), ground) > 3 for ink in inks]
    assert len(dots) > 1000
    assert np.average(stand_out, weights=often) > 0.15, "all but the edges of dots"


@pytest.mark.parametrize("count", [10, 20])
def test_numbers_of_the_border_are_evenly_apart(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers at the 2nd, 4th and 8th of ten scores, to which NumPy rounds halves, overlap."""
    rules = HOUSE["nothing special"]
    border = border_map(guessed(rules), Position.of_two(dice=3), scores_between(rules, 50))
    few = replace(
        border,
        scores=50 * np.arange(count),
        wins_from=np.full(count, 10_000),
        bank_from=np.full((3, count, count), 300.0),
        inverted=np.zeros((3, count, count), dtype=bool),
    )
    places: list[float] = []
    monkeypatch.setattr(
        "bot.views.drawing.outlined", lambda _, __, place, *___: places.append(place[0])
    )
    border_picture(few)
    apart = np.diff(np.unique(np.array(places))) / 50
    assert len(apart) == 2
    assert abs(apart[0] - apart[1]) <= 1


@pytest.mark.parametrize("form", FORMS)
def test_a_file_has_the_title_of_its_picture(turn: TurnMap, form: Form) -> None:
    title = "Roll or bank: the whole turn"
    content = turn_picture(turn, style=Style(DARK, form))
    if form == "png":
        assert Image.open(io.BytesIO(content)).info["Title"] == title
    else:
        wanted = {"pdf": f"/Title ({title})", "svg": f"<dc:title>{title}</dc:title>"}
        assert wanted[form].encode() in content


@given(st.lists(st.floats(-99_999, 99_999).filter(lambda x: abs(x) > 0.01), min_size=1))
def test_figures_side_by_side_have_as_many_decimals(amounts: list[float]) -> None:
    written = even_figures(amounts)
    assert len({len(text.partition(".")[2]) for text in written}) == 1
    most = max(map(abs, amounts))
    for text, amount in zip(written, amounts, strict=True):
        assert float(text.replace(",", "")) == pytest.approx(amount, abs=max(0.051, 0.006 * most))
    assert even_figures([1.5, 0.0, -2], "+") == ["+1.5", "0.0", "-2.0"]


@pytest.mark.parametrize("name", ["odd", "gewöhnlich*2", "a very long name of a die*3"])
def test_names_of_dice_below_the_columns_do_not_touch(name: str) -> None:
    """Between two columns there is always paper, whatever the dice are called."""
    rules = HOUSE["nothing special"]
    turn = turn_map(guessed(rules), Position.of_two(dice=rules.dice))
    columns = turn.banks.shape[1]
    image = pixels(turn_picture(turn, style=ON_LIGHT, names=[f"{name},{name}"] * columns))
    labels = image[-220:-180, 130:776]
    assert (labels != paper(LIGHT)).any(axis=2).sum() > 100
    width = labels.shape[1] / columns
    edges = [round(k * width) for k in range(1, columns)]
    assert (labels[:, edges] == paper(LIGHT)).all()
