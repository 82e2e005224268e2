"""What a die, a rule or a goal changes: by rule set, along an option, and by the score."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from bot.views import drawing
from bot.views.turn_picture import SOURCE
from solver.turn.equations import Floats
from solver.wording import figure, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES_SIZE: drawing.Size = (800, 900)
_DASHES = ("-", "--", "-.", ":")
_NAME = 16


Curve = tuple[str, Floats, Floats]
"""An amount of one rule set along an axis that all share: its name, and both coordinates."""


def sweep_chart(
    x_label: str,
    x_values: Sequence[float] | Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    title: str,
    lines: Sequence[str] = (),
    source: str = "",
    style: drawing.Style = drawing.ON_LIGHT,
) -> bytes:
    """Amounts of several kinds, a panel below the other for each, as each has its own unit.

    Along numbers they are curves, by names bars from 0 with the amounts beside them.

    x_label : what was varied
    x_values : its values, in their order: all numbers or all names
    series : by what it is, unit and all, the amount at each value; None where it is not known
    style : of which the size is as high as the panels need if not given
    """
    numbers = [number for number in x_values if not isinstance(number, str)]
    names = [name for name in x_values if isinstance(name, str)]
    size = sweep_size(x_values, series, lines)
    page = drawing.Page(style, size, title, lines, source or say(SOURCE))
    look, height = page.look, page.height
    bottom = page.floor + (0.62 if numbers else 0.12) / height
    panel = (page.ceiling - bottom) / max(1, len(series))
    left = 0.14 if numbers else 0.3
    for place, (heading, amounts) in enumerate(series.items()):
        low = bottom + (len(series) - 1 - place) * panel
        room = (left, low + 0.2 / height, 0.94 - left, panel - 0.62 / height)
        axes = page.figure.add_axes(room)
        known = np.array([np.nan if y is None else y for y in amounts], dtype=np.float64)
        above = axes.get_position().y1 + 0.12 / height
        page.write(0.03, above, heading, 15, bold=True)
        is_last = place == len(series) - 1
        if numbers:
            _draw_line(axes, look, numbers, known, place)
            axes.tick_params(labelbottom=is_last)
            axes.set_xlabel(x_label if is_last else "", labelpad=3)
        else:
            _draw_bars(axes, look, names, known, place)
            axes.set_xlabel("")
        drawing.dress(axes, look, 14)
    return page.as_file()


def sweep_size(
    x_values: Sequence[float] | Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    lines: Sequence[str] = (),
) -> drawing.Size:
    """The size of the picture of a sweep, as high as its panels need."""
    names = sum(isinstance(x_value, str) for x_value in x_values)
    each = 0.95 + 0.42 * names if names else 2.6
    inches = (1.1 if names else 1.6) + 0.36 * len(lines) + each * len(series)
    return 800, round(100 * inches)


def curves_picture(
    title: str,
    lines: Sequence[str],
    labels: tuple[str, str],
    curves: Sequence[Curve],
    style: drawing.Style = drawing.ON_LIGHT,
) -> bytes:
    """A curve for each rule set, each with a dash and a mark of its own.

    labels : of the axes
    """
    page = drawing.Page(style, CURVES_SIZE, title, lines, say(SOURCE))
    look, rows = page.look, -(-len(curves) // 2)
    low = page.floor + (0.85 + 0.34 * rows) / page.height
    axes = page.figure.add_axes((0.14, low, 0.82, page.ceiling - low))
    styles = zip(cycle(look.lines), cycle(drawing.MARKERS), cycle(_DASHES), strict=False)
    for (name, x, y), (colour, marker, dash) in zip(curves, styles, strict=False):
        axes.plot(
            x,
            y,
            dash,
            color=colour,
            linewidth=3,
            marker=marker,
            markersize=10,
            markevery=max(1, len(x) // 8),
            label=drawing.drawable(name, 2 * _NAME),
        )
    axes.set_xlabel(labels[0], labelpad=3)
    axes.set_ylabel(labels[1], labelpad=6)
    axes.grid(color=look.faint, linewidth=0.8)
    axes.set_axisbelow(True)
    drawing.dress(axes, look, 15)
    legend = page.figure.legend(
        loc="lower center",
        bbox_to_anchor=(0.55, page.floor),
        ncols=2,
        frameon=False,
        prop=drawing.font(15),
        labelcolor=look.ink,
        handlelength=3.5,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return page.as_file()


def _draw_line(
    axes: "Axes", look: drawing.Look, values: Sequence[float], amounts: Floats, place: int
) -> None:
    """A curve with a mark at each value."""
    colour = look.lines[place % len(look.lines)]
    marker = drawing.MARKERS[place % len(drawing.MARKERS)]
    axes.plot(values, amounts, color=colour, linewidth=3, marker=marker, markersize=9)
    axes.xaxis.set_major_formatter(lambda value, _: figure(value, ",.6g"))
    axes.grid(color=look.faint, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.04, y=0.15)
    low, high = axes.get_ylim()
    ticks = [float(tick) for tick in axes.get_yticks() if low <= tick <= high]
    axes.set_yticks(ticks, drawing.even_figures(ticks))


def _draw_bars(
    axes: "Axes", look: drawing.Look, names: Sequence[str], amounts: Floats, place: int
) -> None:
    """A bar for each name from the top down, with its amount."""
    places = np.arange(len(names))[::-1]
    colour = look.lines[place % len(look.lines)]
    axes.barh(places, np.nan_to_num(amounts), color=colour, height=0.62)
    axes.axvline(0, color=look.ink, linewidth=1.5)
    known = [float(amount) for amount in amounts[~np.isnan(amounts)]]
    written = iter(drawing.even_figures(known))
    for where, amount in zip(places, amounts, strict=True):
        label = say("not known") if np.isnan(amount) else next(written)
        axes.text(
            0.0 if np.isnan(amount) else float(amount),
            float(where),
            f" {label} ",
            **look.letters(14, bold=True),
            ha="right" if amount < 0 else "left",
            va="center",
        )
    axes.set_yticks(places, [drawing.drawable(name, _NAME) or "?" for name in names])
    axes.set_ylim(-0.6, len(names) - 0.4)
    # room for the amounts beside the bars
    least, most = min(0.0, np.nanmin(amounts, initial=0.0)), np.nanmax(amounts, initial=0.0)
    span = (most - least) or 1.0
    axes.set_xlim(least - (0.25 * span if least else 0), most + 0.25 * span)
    axes.xaxis.set_visible(False)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
