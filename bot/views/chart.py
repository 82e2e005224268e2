"""The course of a game, win probabilities turn by turn: as plain text and as a picture."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from bot.layout import pad, safe_text, text_width
from bot.review.highlights import ChartPoint, GameChart
from bot.views.drawing import MARKERS, ON_DARK, Look, Style, as_file, blank, drawable, font
from solver.wording import figure, say, say_later, say_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

NARROWEST, WIDEST = 48, 79
_MOST_TURNS = 36
_MOST_PLAYERS = 8
_LABEL_WIDTH, _NAME_WIDTH = 8, 16


def chart_text(chart: GameChart, width: int = 60) -> str:
    """Bars in plain text for a fixed-width font: at most 40 lines of at most `width` columns.

    A width below 48 counts as 48, one above 79 as 79. Two players share one bar, full blocks for
    the first, light ones for the second; of more, each has a column. A long game is condensed; its
    first and last turn are always there.
    """
    if not chart.turns:
        return say("No turns have been played yet.")
    width = max(NARROWEST, min(width, WIDEST))
    last, kept = len(chart.turns) - 1, [*range(len(chart.turns))]
    if last >= _MOST_TURNS:  # evenly spread, with the first and the last
        kept = [index * last // (_MOST_TURNS - 1) for index in range(_MOST_TURNS)]
    turns = [chart.turns[index] for index in kept]
    labels = _aligned([safe_text(turn.label, _LABEL_WIDTH) for turn in turns])
    draw = _shared_bars if len(chart.names) == 2 else _player_columns
    lines = draw(chart, turns, labels, width)
    if left_out := len(chart.turns) - len(kept):
        others = say_later("{number} of {all} turns [is|are] not shown.")
        lines.append(say_number(others, left_out, all=len(chart.turns)))
    return "\n".join(line.rstrip() for line in lines)


def _aligned(texts: Sequence[str]) -> list[str]:
    """Texts at the right of one column."""
    widest = max(map(text_width, texts))
    return [pad(text, widest, right=True) for text in texts]


def _names(chart: GameChart, width: int) -> list[str]:
    return [
        safe_text(name, width) or _nameless(seat)[:width] for seat, name in enumerate(chart.names)
    ]


def _nameless(seat: int) -> str:
    return say("Player {number}", number=seat + 1)


def _whole_percent(probability: float) -> str:
    """A probability in percent without decimals; 0 and 100 only for what is certain."""
    if 0 < probability < 0.005:
        return "<1 %"
    if 0.995 <= probability < 1:
        return ">99 %"
    return f"{probability * 100:.0f} %"


def _shared_bars(
    chart: GameChart, turns: Sequence[ChartPoint], labels: Sequence[str], width: int
) -> list[str]:
    """A line for each turn: the first player's share as a bar and in percent, and the scores."""
    first, second = _names(chart, _NAME_WIDTH)
    percents = _aligned([_whole_percent(turn.win_probabilities[0]) for turn in turns])
    scores = [_aligned([figure(turn.scores[seat]) for turn in turns]) for seat in range(2)]
    rest = list(zip(labels, percents, *scores, strict=True))
    half = max(5, (width - sum(map(text_width, rest[0])) - 8) // 2)
    bars = [_share_bar(turn.win_probabilities[0], half) for turn in turns]
    indent = " " * (text_width(labels[0]) + 2)
    return [
        f"{indent}█ {first}  ░ {second}",
        *(
            f"{label}  {bar}  {percent}  {one}:{other}"
            for bar, (label, percent, one, other) in zip(bars, rest, strict=True)
        ),
    ]


def _share_bar(share: float, half: int) -> str:
    """A bar of two halves with a line between them."""
    filled = max(_filled(share, 2 * half), 1 if share else 0)
    bar = "█" * filled + "░" * (2 * half - filled)
    return f"{bar[:half]}│{bar[half:]}"


def _filled(share: float, cells: int) -> int:
    """Cells of a bar to fill; all of them only for what is certain."""
    filled = round(share * cells)
    return cells - 1 if filled == cells and share < 1 else filled


def _player_columns(
    chart: GameChart, turns: Sequence[ChartPoint], labels: Sequence[str], width: int
) -> list[str]:
    """A line for each turn: every player's percentage, with a small bar where there is room."""
    last = chart.turns[-1].win_probabilities
    indent = text_width(labels[0])
    # seven columns hold a percentage and its distance to the next
    room = min(_MOST_PLAYERS, (width - indent) // 7)
    likeliest = sorted(range(len(chart.names)), key=lambda seat: -last[seat])
    shown = sorted(likeliest[:room])
    column = min(26, (width - indent) // len(shown))
    bar = column - 9 if column >= 13 else 0
    names = _names(chart, column - 2)
    lines = [" " * indent + "".join("  " + pad(names[seat], column - 2) for seat in shown)]
    for label, turn in zip(labels, turns, strict=True):
        cells = (turn.win_probabilities[seat] for seat in shown)
        lines.append(label + "".join(pad(f"  {_cell(share, bar)}", column) for share in cells))
    if len(shown) < len(names):
        others = say_later("{number} [player|players] with less of a chance [is|are] not shown.")
        lines.append(say_number(others, len(names) - len(shown)))
    return lines


def _cell(share: float, bar: int) -> str:
    percent = _whole_percent(share).rjust(5)
    if not bar:
        return percent
    filled = _filled(share, bar)
    return f"{percent} {'█' * filled}{'░' * (bar - filled)}"


_SIZE, _DPI = (6.0, 3.375), 400 / 3
"""Letters are in proportion to the inches: as large as a phone needs them."""
_LABEL_PIXELS = 216
_LEFT, _WIDTH = 0.115, 0.57
"""Shares of the width: what is left of the picture, and the picture."""
_LABEL_FROM = 1.05
"""Where labels begin, as a share of the width of the picture."""
_TICKS = 9
_ROOMY = 5
"""Up to so many players have two lines each beside the picture."""


def chart_picture(chart: GameChart, style: Style = ON_DARK) -> bytes:
    """Return a picture of 800 by 450 pixels, with a line for each player.

    style : in a chat, which shows one picture to all, it is a dark card

    Pictures share no state, so that several may be drawn at a time in threads.
    """
    look = style.look
    picture = blank(_SIZE, _DPI, look.paper)
    canvas: Any = picture.canvas  # its methods have no types
    axes = picture.add_axes((_LEFT, 0.165, _WIDTH, 0.7))
    _draw_frame(picture, axes, chart, look)
    if chart.turns:
        _draw_lines(axes, chart, look)
        _label_ends(axes, canvas.get_renderer(), chart, look)
    return as_file(picture, style.form)


def _draw_frame(picture: "Figure", axes: "Axes", chart: GameChart, look: Look) -> None:
    title = say("Chance to win after each turn")
    picture.set_label(title)
    picture.text(_LEFT, 0.915, title, **look.letters(14, bold=True))
    axes.set_facecolor(look.paper)
    for side in axes.spines.values():
        side.set_visible(False)
    last = max(1, len(chart.turns) - 1)
    axes.set_xlim(0, last)
    axes.set_ylim(0, 1)
    heights = (0, 0.25, 0.5, 0.75, 1)
    axes.set_yticks(heights, [f"{h:.0%}".replace("%", " %") for h in heights])
    ticks = _ticks(len(chart.turns))
    axes.set_xticks(ticks, [drawable(chart.turns[tick].label, _LABEL_WIDTH) for tick in ticks])
    axes.tick_params(length=0, pad=5)
    for text in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        text.set(**look.letters(12))
    axes.set_xlabel(say("turn"), **look.letters(12), labelpad=2)
    axes.grid(axis="y", color=look.faint, linewidth=0.8)
    axes.set_axisbelow(True)
    if not chart.turns:
        axes.set_xlabel("")
        nothing = say("No turns have been played yet")
        axes.text(0.5, 0.5, nothing, **look.letters(14), ha="center")


def _draw_lines(axes: "Axes", chart: GameChart, look: Look) -> None:
    """A line for each player, with a mark of its own at its end."""
    if len(chart.names) == 2:
        axes.axhline(0.5, color=look.ink, linewidth=1.2, linestyle=(0, (4, 3)))
    # the first lines on top, each with an edge that keeps crossings apart
    for seat in reversed(range(len(chart.names))):
        share = [turn.win_probabilities[seat] for turn in chart.turns]
        if len(share) == 1:
            share *= 2  # a level line
        colour, marker = _style(look, seat)
        axes.plot(share, color=look.paper, linewidth=5, solid_joinstyle="round", clip_on=False)
        axes.plot(share, color=colour, linewidth=2.6, solid_joinstyle="round", clip_on=False)
        axes.plot(
            [len(share) - 1],
            share[-1:],
            marker=marker,
            markersize=9,
            color=colour,
            markeredgecolor=look.paper,
            clip_on=False,
            zorder=5,
        )


def _label_ends(axes: "Axes", renderer: Any, chart: GameChart, look: Look) -> None:
    """Each player's name, percentage and score, beside the end of the line and joined to it."""
    last = chart.turns[-1]
    roomy = len(chart.names) <= _ROOMY
    strong, plain = font(14 if roomy else 11, bold=True), font(10.5)
    heights = _spread(last.win_probabilities, 0.19 if roomy else min(0.075, 1 / len(chart.names)))
    for seat, (share, height) in enumerate(zip(last.win_probabilities, heights, strict=True)):
        colour, _ = _style(look, seat)
        percents = _whole_percent(share)
        room = _LABEL_PIXELS if roomy else _LABEL_PIXELS - 75
        name = _fitting(chart.names[seat], seat, room, renderer, strong)
        if roomy:
            facts = say("{chance}, {points:,} points", chance=percents, points=last.scores[seat])
            notes = [(name, strong, 7.5), (facts, plain, -8)]
        else:
            notes = [(f"{name}  {percents}", strong, 0)]
        axes.plot(
            [1, _LABEL_FROM],
            [share, height],
            transform=axes.get_yaxis_transform(),
            color=colour,
            linewidth=1.2,
            clip_on=False,
        )
        for text, its_font, rise in notes:
            axes.annotate(
                text,
                (_LABEL_FROM, height),
                (3, rise),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                color=colour,
                font=its_font,
                va="center",
                parse_math=False,
            )


def _spread(wanted: Sequence[float], distance: float) -> list[float]:
    """Heights nearest to the wanted ones, in their order, at least `distance` apart.

    A quarter of that is left to 0 and to 1. Of equal ones the first is the highest.
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], -index))
    # those that would be too near each other lie around the middle of what they want
    groups: list[list[float]] = []
    for place, index in enumerate(order):
        groups.append([wanted[index] - place * distance])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    lows = [fmean(group) for group in groups for _ in group]
    least, most = distance / 4, 1 - distance / 4 - (len(wanted) - 1) * distance
    spread = [0.0] * len(wanted)
    for place, (index, low) in enumerate(zip(order, lows, strict=True)):
        spread[index] = min(max(low, least), most) + place * distance
    return spread


def _ticks(number: int) -> list[int]:
    """Indices of the turns to be named: evenly spread from the first, and the last one."""
    if not number:
        return []
    step = math.ceil(number / _TICKS)
    ticks = list(range(0, number, step))
    if number - 1 - ticks[-1] > step / 2:
        return [*ticks, number - 1]
    return [*ticks[:-1], number - 1]


def _style(look: Look, seat: int) -> tuple[str, str]:
    return look.lines[seat % len(look.lines)], MARKERS[seat % len(MARKERS)]


def _fitting(name: str, seat: int, room: float, renderer: Any, font: "FontProperties") -> str:
    for width in range(_NAME_WIDTH, 1, -1):
        text = drawable(name, width) or _nameless(seat)
        pixels, _, _ = renderer.get_text_width_height_descent(text, font, ismath=False)
        if pixels <= room:
            break
    return text
