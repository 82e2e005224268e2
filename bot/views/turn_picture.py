"""A whole turn as a heat map: turn total by dice, and the border between rolling and banking."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bot.views import drawing
from bot.views.advice import position_text
from solver.game.standings import Bools
from solver.play.maps import TurnMap
from solver.turn.equations import Floats
from solver.turn.thresholds import BankFrom
from solver.wording import figure, say, say_later

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Shown = Literal["value", "difference"]
"""What the colours of a turn are: the value of the better choice, or of rolling less banking."""

TURN_SIZE: drawing.Size = (800, 1000)
SOURCE = say_later("Exact win probabilities of best play by both, by farkle-advisor")
_OF_ALL = say_later("Exact win probabilities of best play by all, by farkle-advisor")
_ESTIMATED = say_later("Estimated win probabilities, by farkle-advisor")

_FEW_ROWS = 40
"""So many turn totals are all shown."""
_HEADROOM = 1.25
_TICKS = 9
_LABEL_SIZE, _LABEL_LINE = 11, 0.17
"""The size of the dice below a column, in points, and in inches for each further line."""


def turn_picture(
    turn: TurnMap,
    show: Shown = "difference",
    look: drawing.Look = drawing.DARK,
    size: drawing.Size = TURN_SIZE,
    form: drawing.Form = "png",
    top: int | None = None,
    names: Sequence[str] = (),
) -> bytes:
    """A turn as a picture, in the language that is spoken.

    top : the highest turn total to show, in points; as far as there is a choice if not given
    names : the dice of each column, a comma between them, where they are no numbers
    """
    rows = shown_rows(turn, top)
    picture = drawing.new_figure(look, size)
    height = picture.get_figheight()
    title = {
        "difference": say("Roll or bank: the whole turn"),
        "value": say("The whole turn: chances to win"),
    }[show]
    ceiling = drawing.write_title(picture, look, title, _title_lines(turn, rows, names))
    blank = say("crossed: cannot occur")
    if show == "difference" and (turn.reachable & np.isnan(turn.bank))[:rows].any():
        blank = say("hatched: may not be banked; crossed: cannot occur")
    floor = drawing.write_source(picture, look, blank, say(_source(turn)))
    labels = [name.replace(",", "\n") for name in names] or _numbers(turn)
    lines = max(label.count("\n") for label in labels)
    low = floor + (1.62 + lines * _LABEL_LINE) / height
    room = (0.16, low, 0.81, ceiling - low - 0.46 / height)
    axes = picture.add_axes(room)
    mesh = _draw_cells(axes, look, turn, show, rows)
    draw_border(axes, look, bank_sides(turn)[:rows])
    _draw_words(axes, look, turn, rows)
    _draw_now(axes, look, turn, rows)
    _label(picture, axes, look, turn, rows, labels)
    bar = picture.add_axes((0.16, floor + 0.47 / height, 0.81, 0.2 / height))
    _draw_bar(bar, look, mesh, show)
    return drawing.as_file(picture, form)


def _source(turn: TurnMap) -> str:
    """What the chances are, marked by `say_later`."""
    if turn.within is not None:
        return _ESTIMATED
    return SOURCE if len(turn.position.players) == 2 else _OF_ALL


def shown_rows(turn: TurnMap, top: int | None = None) -> int:
    """How many turn totals are shown, from 0 up: as far as fewer than all the dice are rolled.

    None above the last that can occur.
    """
    occur = np.flatnonzero(turn.reachable.any(axis=1))
    every, step = max(2, int(occur.max(initial=0)) + 1), turn.rules.point_step
    if top is not None:
        return max(2, min(every, top // step + 1))
    if every <= _FEW_ROWS:
        return every
    fewer = [one for one in turn.bank_from if one.dice < turn.columns[-1]]
    highest = max(turn.position.turn_total, *(one.turn_total or 0 for one in fewer), 0)
    return min(every, max(_FEW_ROWS, int(highest * _HEADROOM) // step + 2))


def _numbers(turn: TurnMap) -> list[str]:
    """The columns as they are called where the dice are equal."""
    return [str(dice) for dice in turn.columns]


def _title_lines(turn: TurnMap, rows: int, names: Sequence[str]) -> list[str]:
    """The rules and the position, and what is marked in the picture."""
    start = turn.position.change(turn_total=0, dice=turn.rules.dice)
    where = say(
        "{rules} rules: {position}",
        rules=drawing.drawable(turn.rules.name, 40),
        position=position_text(turn.rules, start),
    )
    lines = [where]
    if 0 < turn.position.turn_total // turn.rules.point_step < rows:
        dice = turn.position.dice
        now = say(
            "○ now: turn total {points:,}, dice to roll: {dice}",
            points=turn.position.turn_total,
            dice=drawing.drawable(names[turn.columns.index(dice)], 40) if names else dice,
        )
        lines.append(now)
    if any(one.roll_again for one in turn.bank_from):
        lines.append(say("* better to roll again at some higher turn total"))
    return lines


def _draw_cells(axes: "Axes", look: drawing.Look, turn: TurnMap, show: Shown, rows: int) -> Any:
    """The colours; cells that cannot occur are crossed, where one must roll they are hatched."""
    from matplotlib.colors import Normalize  # noqa: PLC0415

    columns = turn.banks.shape[1]
    edges = np.arange(columns + 1) + 0.5, np.arange(rows + 1) - 0.5
    possible = turn.reachable[:rows]
    amounts: Floats = turn.value[:rows] * 100
    if show == "difference":
        amounts = (turn.roll - turn.bank)[:rows] * 100
    drawn = np.ma.masked_where(~possible | np.isnan(amounts), amounts)
    if show == "value":
        scale, colours = Normalize(), look.values
    else:
        # what is far from the border need not be told apart
        most = float(np.quantile(np.abs(drawn.compressed()), 0.9)) if drawn.count() else 1.0
        scale, colours = Normalize(-(most or 1.0), most or 1.0), look.differences
    mesh = axes.pcolormesh(*edges, drawn, cmap=colours, norm=scale, rasterized=True)
    if show == "difference":
        _hatch(axes, look, possible & np.isnan(amounts), "//")
    _hatch(axes, look, ~possible, "xxx")
    return mesh


def _hatch(axes: "Axes", look: drawing.Look, cells: Bools, pattern: str) -> None:
    squares = [(n + 0.5, t - 0.5, 1, 1) for t, n in np.argwhere(cells)]
    drawing.hatch(axes, squares, pattern, look.faint, look.paper)


def bank_sides(turn: TurnMap) -> "np.ma.MaskedArray[Any, np.dtype[np.bool_]]":
    """On which side of the border each cell lies: whether to bank, of the cells of the map.

    A cell that cannot occur lies with the next below it that can, or where one rolls if there is
    none; so the border runs right below the turn totals from which on to bank. It is masked where
    none can occur above it either.
    """
    possible = turn.reachable
    rows = np.arange(len(possible))[:, np.newaxis]
    below = np.maximum.accumulate(np.where(possible, rows, -1), axis=0)
    banks = (below >= 0) & np.take_along_axis(turn.banks, np.maximum(below, 0), axis=0)
    above = np.logical_or.accumulate(possible[::-1], axis=0)[::-1]
    return np.ma.masked_where(~above, banks)


def border_lines(banks: Bools) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The edges between cells in which to bank and in which to roll, one unit each.

    Cell (t, n) lies around (n + 1, t), as wide and high as 1. Around masked cells are none.
    """
    lines: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for t, n in np.argwhere(np.ma.filled(banks[1:] != banks[:-1], False)):
        lines.append(((n + 0.5, t + 0.5), (n + 1.5, t + 0.5)))
    for t, n in np.argwhere(np.ma.filled(banks[:, 1:] != banks[:, :-1], False)):
        lines.append(((n + 1.5, t - 0.5), (n + 1.5, t + 0.5)))
    return lines


def draw_border(axes: "Axes", look: drawing.Look, banks: Bools) -> None:
    """The border as a line of ink with an edge of paper."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415

    lines = border_lines(banks)
    for colour, width in ((look.paper, 7.0), (look.ink, 3.5)):
        axes.add_collection(
            LineCollection(lines, colors=colour, linewidths=width, capstyle="projecting", zorder=3)
        )


def _draw_words(axes: "Axes", look: drawing.Look, turn: TurnMap, rows: int) -> None:
    """What to do on each side of the border, where there is most room."""
    banks = turn.banks[:rows]
    for word, where in ((say("roll"), ~banks), (say("bank"), banks)):
        if found := _longest_run(where & turn.reachable[:rows]):
            column, middle = found
            # a column of six is about six letters wide
            size = 17 * min(1.0, 33 / banks.shape[1] / len(word))
            drawing.outlined(axes, look, (column + 1, middle), word.upper(), size)


def _longest_run(cells: Bools) -> tuple[int, float] | None:
    """The column and the middle of the longest run of cells; None for a run that is short."""
    best: tuple[int, int, float] = (0, 0, 0.0)
    for column in range(cells.shape[1]):
        edges = np.flatnonzero(np.diff(cells[:, column].astype(np.int8), prepend=0, append=0))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            best = max(best, (int(end - start), column, float(start + end - 1) / 2))
    length, column, middle = best
    return (column, middle) if length > len(cells) / 12 else None


def _draw_now(axes: "Axes", look: drawing.Look, turn: TurnMap, rows: int) -> None:
    """A ring around the moment that was asked about, once the turn is under way."""
    row = turn.position.turn_total // turn.rules.point_step
    if not 0 < row < rows:
        return
    for colour, width in ((look.paper, 7.0), (look.ink, 3.0)):
        axes.plot(
            [turn.columns.index(turn.position.dice) + 1],
            [row],
            marker="o",
            markersize=19,
            markerfacecolor="none",
            markeredgecolor=colour,
            markeredgewidth=width,
            zorder=5,
        )


def _label(
    picture: "Figure",
    axes: "Axes",
    look: drawing.Look,
    turn: TurnMap,
    rows: int,
    labels: Sequence[str],
) -> None:
    """The axes, and above each column from which turn total on to bank."""
    columns = turn.banks.shape[1]
    axes.set_xlim(0.5, columns + 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    axes.set_xticks(range(1, columns + 1), labels)
    ticks = _ticks(rows)
    axes.set_yticks(ticks, [figure(int(turn.totals[row])) for row in ticks])
    named = labels != _numbers(turn)
    axes.set_xlabel(say("which dice to roll") if named else say("dice to roll"), labelpad=3)
    axes.set_ylabel(say("turn total"), labelpad=6)
    drawing.dress(axes, look, 16)
    if named:
        column = 72 * picture.get_figwidth() * axes.get_position().width / columns
        longest = max(len(word) for label in labels for word in label.split("\n"))
        # a letter is about 0.6 of its height wide
        size = min(_LABEL_SIZE, column / (0.6 * (longest + 0.5)))
        for label in axes.get_xticklabels():
            label.set_fontproperties(drawing.font(size))
    above = axes.get_position().y1 + 0.13 / picture.get_figheight()
    drawing.draw_text(picture, look, 0.02, above, say("bank from"), 13)
    for one in turn.bank_from:
        axes.annotate(
            threshold_label(one),
            (turn.columns.index(one.dice) + 1, 1),
            (0, 9),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color=look.ink,
            font=drawing.font(16, bold=True),
            ha="center",
            va="bottom",
            parse_math=False,
        )


def threshold_label(one: BankFrom) -> str:
    """From where to bank, in the space of a column; a star says that it is not the whole truth."""
    if one.turn_total is None:
        return "–"
    return figure(one.turn_total) + ("*" if one.roll_again else "")


def _ticks(rows: int) -> Sequence[int]:
    """Rows to be named: every first, second, fourth, fifth, tenth and so on."""
    for every in (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 400, 500, 1000, 2000, 5000):
        if rows <= every * _TICKS:
            break
    return range(0, rows, every)


def _draw_bar(bar: "Axes", look: drawing.Look, mesh: Any, show: Shown) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    low, high = mesh.get_clim()
    ticks = [one for one in MaxNLocator(5).tick_values(low, high) if low <= one <= high]
    told = {
        "difference": say("chance to win: rolling minus banking, in percentage points"),
        "value": say("chance to win by the better choice, in %"),
    }[show]
    drawing.colour_bar(bar, look, mesh, told, ticks, "+" if show == "difference" else None)
