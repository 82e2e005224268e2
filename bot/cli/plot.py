"""`farkle plot`: pictures of solved games, and the numbers behind them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np

from bot.services.situation import (
    DEFAULT_RULES,
    POSITION_FIELDS,
    TURN_TOTAL,
    Situation,
    position_of,
)
from bot.shell.needed import ready_to_answer, strategy_of
from bot.shell.output import Decorated, csv_option, json_option, show, write_file
from bot.shell.places import Here, here_option
from bot.shell.position import position_option, position_options
from bot.views.comparison_picture import CURVES_SIZE, Curve, curves_picture, sweep_chart, sweep_size
from bot.views.drawing import DARK, LIGHT, Size, Style, picture_form
from bot.views.progress import share_progress
from bot.views.sheet import sheet_of
from bot.views.thresholds import number_table
from bot.views.turn_picture import (
    BORDER_SIZE,
    TURN_SIZE,
    WIN_SIZE,
    Shown,
    border_picture,
    border_table,
    turn_picture,
    win_picture,
    win_table,
)
from solver.errors import InvalidRequestError
from solver.game.best import Strategy
from solver.game.position import Position, check_hot_dice, check_position, first_position
from solver.game.standings import Ints
from solver.play.maps import border_map, coarse_step, scores_between, turn_map, win_map
from solver.rules.ruleset import Ruleset
from solver.turn.points import expected_points, points_outcome


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture before it is drawn: its numbers, and what draws it in a style."""

    numbers: dict[str, Any]
    """The numbers as plain data, with `rows` among them."""
    draw: Callable[..., bytes]
    size: Size
    """The size in pixels, where nobody says another."""


_BORDER_CELLS, _WIN_CELLS = 20, 400
"""Scores along an axis, at most: each pair of a border's is a turn to solve."""
_LEAST_SIDE, _MOST_SIDE = 200, 6000
_START = {"banked", "opponent", "turn_total", "on_board", "opponent_on_board"}
"""What a picture over all scores has on its axes, or can tell from them."""
_MOST_RULES = 8


def _size(_: click.Context, __: click.Parameter, text: str | None) -> Size | None:
    """Width and height in pixels, such as 800x1000. Raises InvalidRequestError."""
    if text is None:
        return None
    sides = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text)
    width, height = (int(sides[1]), int(sides[2])) if sides else (0, 0)
    if not (min(width, height) >= _LEAST_SIDE and max(width, height) <= _MOST_SIDE):
        raise InvalidRequestError(
            f"--size: width and height are {_LEAST_SIDE} to {_MOST_SIDE} pixels, such as 800x1000,"
            f" not {text}"
        )
    if max(width, height) > 3 * min(width, height):
        raise InvalidRequestError(f"--size: one side is at most three times the other, not {text}")
    return width, height


def _picture_options(command: Decorated) -> Decorated:
    """Add what every kind of picture takes; what the command returns is drawn and printed."""

    @click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Where to write it; .png, .svg or .pdf says what it becomes.",
    )
    @click.option("--size", callback=_size, metavar="WxH", help="In pixels, such as 800x1000.")
    @click.option("--dark", is_flag=True, help="Light ink on dark paper.")
    @here_option
    @json_option
    @csv_option
    @wraps(command)
    def drawn(
        *args: Any,
        out: Path | None,
        size: Size | None,
        dark: bool,
        as_json: bool,
        as_csv: bool,
        **others: Any,
    ) -> None:
        # what can be told before anything is computed
        if out is None and not as_json and not as_csv:
            raise InvalidRequestError(
                "say where to write the picture, as in --out picture.png, or print its numbers"
                " with --json or --csv"
            )
        form = picture_form(out) if out else "png"
        picture: Picture = command(*args, **others)
        if out:
            width, height = size = size or picture.size
            style = Style(DARK if dark else LIGHT, form, size)
            write_file(out, picture.draw(style=style))
            if not as_json and not as_csv:
                click.echo(f"Written to {out}: {width} x {height} pixels.")
        if as_csv or as_json:
            sheet = sheet_of(picture.numbers["rows"]) if as_csv else None
            show("", picture.numbers, as_json=True, sheet=sheet)

    return drawn


def _score_options(command: Decorated) -> Decorated:
    """Add what is the same at all scores of a picture, and which scores there are."""
    command = click.option(
        "--least", type=int, default=0, show_default=True, metavar="N", help="Least score shown."
    )(command)
    command = click.option(
        "--step", type=int, metavar="N", help="Points between two scores; a coarser one is quicker."
    )(command)
    for field in reversed(POSITION_FIELDS):
        if field.attribute not in _START:
            command = position_option(field)(command)
    return command


@click.group()
def plot() -> None:
    """Draw pictures of solved games, or print their numbers."""


@plot.command("turn")
@position_options
@position_option(TURN_TOTAL)
@click.option("--dice", type=int, metavar="N", help="Dice to roll now, to mark the moment.")
@click.option(
    "--show",
    "shown",
    type=click.Choice(get_args(Shown)),
    default="difference",
    show_default=True,
    help="The value of the better choice, or rolling minus banking.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="T", help="Highest turn total shown.")
@_picture_options
def plot_turn(
    here: Here, /, dice: int | None, shown: Shown, top: int | None, **situation: Any
) -> Picture:
    """A whole turn: where to roll, where to bank.

    Turn totals go up, dice to roll across; a line runs between rolling and banking.
    """
    asked, reference = here.situation(situation)
    asked.check_two()
    ready_to_answer(here, asked._replace(hot_dice=None), reference, dice)
    moment = here.advisor.asked_of_turn(dice, asked)
    turn = turn_map(moment.play, moment.position)
    draw = partial(turn_picture, turn, shown, top=top)
    return Picture(number_table(turn), draw, TURN_SIZE)


@plot.command("border")
@_score_options
@_picture_options
def plot_border(here: Here, /, step: int | None, least: int, **situation: Any) -> Picture:
    """The turn totals from which to bank, by the scores.

    A panel for each number of dice, over both scores at the start of a turn.
    """
    strategy, start = _start(here, situation)
    scores = _scores(strategy.rules, step, least, _BORDER_CELLS)
    with share_progress(f"solving {len(scores) ** 2:,} turns of {strategy.rules.name}") as done:
        border = border_map(strategy, start, scores, done)
    return Picture(border_table(border), partial(border_picture, border), BORDER_SIZE)


@plot.command("win")
@_score_options
@_picture_options
def plot_win(here: Here, /, step: int | None, least: int, **situation: Any) -> Picture:
    """Win probability by the scores."""
    strategy, start = _start(here, situation)
    scores = _scores(strategy.rules, step, least, _WIN_CELLS)
    chances = win_map(strategy, start, scores)
    return Picture(win_table(chances), partial(win_picture, chances), WIN_SIZE)


@plot.command("compare")
@click.argument("rules", nargs=-1)
@click.option(
    "--over",
    type=click.Choice(["rules", "scores"]),
    default="rules",
    show_default=True,
    help="Bars by rule set at the start of the game, or curves over equal scores.",
)
@_picture_options
def plot_compare(here: Here, /, rules: tuple[str, ...], over: str) -> Picture:
    """What rules change, side by side.

    RULES are names of solved rule sets or their TOML files.
    """
    if not 1 <= len(rules) <= _MOST_RULES:
        raise InvalidRequestError(
            f"say which RULES to compare, 1 to {_MOST_RULES} names or TOML files, not {len(rules)}"
        )
    strategies = [strategy_of(here, reference) for reference in rules]
    return _compare_starts(strategies) if over == "rules" else _compare_scores(strategies)


def _compare_starts(strategies: list[Strategy]) -> Picture:
    """Bars: the advantage of beginning, and what a turn for most points comes to."""
    names = [strategy.rules.name for strategy in strategies]
    first = [strategy.win_probability(first_position(strategy.rules)) for strategy in strategies]
    turns = [_first_turn(strategy.rules) for strategy in strategies]
    columns = "rules", "first_player", "points", "farkle_probability"
    cells = zip(names, first, *zip(*turns, strict=True), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    series = {
        "first player's chance to win above 50 %, in percentage points": [
            100 * chance - 50 for chance in first
        ],
        "average points of a first turn, played for most points": [points for points, _ in turns],
        "chance that such a turn ends in a farkle, in %": [100 * farkles for _, farkles in turns],
    }
    draw = partial(sweep_chart, "", names, series, title="What the rules change")
    return Picture({"rows": rows}, draw, sweep_size(names, series))


def _compare_scores(strategies: list[Strategy]) -> Picture:
    """Curves: what it is worth to be about to start a turn at equal scores."""
    curves: list[Curve] = []
    rows: list[dict[str, Any]] = []
    for strategy in strategies:
        rules = strategy.rules
        scores = _scores(rules, None, 0, _WIN_CELLS)
        chances = np.diagonal(win_map(strategy, first_position(rules), scores).win_probability)
        curves.append((rules.name, scores / rules.goal * 100, chances * 100))
        rows += [
            {"rules": rules.name, "score": score, "win_probability": chance}
            for score, chance in zip(scores.tolist(), chances.tolist(), strict=True)
        ]
    draw = partial(
        curves_picture,
        "Your chance to win at equal scores",
        ["as your turn begins"],
        ("score of both, in % of the goal", "your chance to win, in %"),
        curves,
    )
    return Picture({"rows": rows}, draw, CURVES_SIZE)


def _scores(rules: Ruleset, step: int | None, least: int, most: int) -> Ints:
    """The scores shown; so far apart that there are at most so many if nobody says how far."""
    return scores_between(rules, step or coarse_step(rules, most), least)


def _first_turn(rules: Ruleset) -> tuple[float, float]:
    """Expected points and farkle probability of a first turn for most points."""
    on_board = not rules.has_opening
    outcome = points_outcome(rules, 0, on_board=on_board)
    return expected_points(rules, 0, on_board=on_board), float(outcome.farkled.sum())


def _start(here: Here, situation: dict[str, Any]) -> tuple[Strategy, Position]:
    """The strategy, and what holds at all scores of a picture. Raises FarkleError."""
    strategy = strategy_of(here, situation["rules"] or DEFAULT_RULES)
    rules = strategy.rules
    asked = Situation(**{**situation, "rules": rules, "hot_dice": 0})
    start = position_of(rules, asked, None)
    check_position(rules, start)
    hot_dice = situation["hot_dice"] or 0
    check_hot_dice(hot_dice)
    return strategy, start.change(hot_dice=hot_dice)
