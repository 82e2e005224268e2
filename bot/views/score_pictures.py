"""Pictures over both scores, and their numbers: win probabilities, and where the border runs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bot.views import drawing
from bot.views.sheet import NumberTable, Sheet
from bot.views.turn_picture import SOURCE
from solver.game.standings import Bools
from solver.play.maps import BorderMap, ScoreMap, WinMap
from solver.turn.equations import Floats
from solver.wording import figure, say, say_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIN_SIZE: drawing.Size = (800, 1000)
BORDER_SIZE: drawing.Size = (800, 1300)

_CONTOURS = (5, 10, 25, 40, 50, 60, 75, 90, 95)
"""Win probabilities in percent that have a line."""
_MOST_BANDS = 7
"""Colours of a border: so few can be told apart."""


def win_picture(
    found: WinMap,
    look: drawing.Look = drawing.LIGHT,
    size: drawing.Size = WIN_SIZE,
    form: drawing.Form = "png",
) -> bytes:
    """Win probabilities over both scores as a picture."""
    from matplotlib.colors import Normalize  # noqa: PLC0415

    picture = drawing.new_figure(look, size)
    height = picture.get_figheight()
    title = say("Your chance to win, by both scores")
    ceiling = drawing.write_title(picture, look, title, [_where(found), say("as your turn begins")])
    floor = drawing.write_source(picture, look, say(SOURCE))
    low = floor + 1.62 / height
    axes = picture.add_axes((0.16, low, 0.8, ceiling - low))
    percents = found.win_probability.T * 100
    mesh = axes.pcolormesh(
        *_edges(found),
        percents,
        cmap=look.values,
        norm=Normalize(0, 100),
        rasterized=True,
    )
    levels = [one for one in _CONTOURS if percents.min() < one < percents.max()]
    if levels and min(percents.shape) > 1:
        lines = axes.contour(
            found.own,
            found.opponent,
            percents,
            levels=levels,
            colors=look.ink,
            linewidths=[4.0 if one == 50 else 2.2 for one in levels],
        )
        lines.set_path_effects([drawing.paper_edge(look, 5)])
        for text in axes.clabel(lines, fmt="%g %%", inline=True, inline_spacing=8):
            text.set(font=drawing.font(15, bold=True), color=look.ink, parse_math=False)
            text.set_path_effects([drawing.paper_edge(look, 5)])
    _name_scores(axes, look, found)
    bar = picture.add_axes((0.16, floor + 0.47 / height, 0.8, 0.2 / height))
    drawing.colour_bar(bar, look, mesh, say("your chance to win, in %"), [0, 25, 50, 75, 100])
    return drawing.as_file(picture, form)


def border_picture(
    found: BorderMap,
    look: drawing.Look = drawing.LIGHT,
    size: drawing.Size = BORDER_SIZE,
    form: drawing.Form = "png",
) -> bytes:
    """For each number of dice from which turn total on to bank, over both scores."""
    picture = drawing.new_figure(look, size)
    height = picture.get_figheight()
    lines = [
        _where(found),
        say("numbers and colours: bank from this turn total on"),
        say("hatched: bank only what reaches the goal"),
        say("dotted: at some higher turn total, roll again"),
    ]
    title = say("From which turn total on to bank")
    ceiling = 0.1 / height + drawing.write_title(picture, look, title, lines)
    floor = drawing.write_source(picture, look, say(SOURCE))
    dice = len(found.bank_from)
    across = 2 if dice > 1 else 1
    down = -(-dice // across)
    left, gap = 0.125, 0.09
    width = (0.985 - left - gap * (across - 1)) / across
    bottom = floor + 0.42 / height
    row_height = (ceiling - bottom) / down
    for column in range(dice):
        row, place = divmod(column, across)
        room = (
            left + place * (width + gap),
            bottom + (down - 1 - row) * row_height + 0.1 / height,
            width,
            row_height - 0.66 / height,
        )
        axes = picture.add_axes(room)
        _draw_panel(axes, look, found, column)
        _name_scores(axes, look, found, 12)
        if column + across < dice:
            axes.set_xlabel("")
        if place:
            axes.set_ylabel("")
        title = say_number("{number} die to roll", "{number} dice to roll", column + 1)
        axes.set_title(title, color=look.ink, font=drawing.font(16, bold=True), pad=5)
    return drawing.as_file(picture, form)


def win_table(found: WinMap) -> NumberTable:
    """The win probability of every pair of scores."""
    rows = [
        (int(own), int(other), float(found.win_probability[x, y]))
        for x, own in enumerate(found.own)
        for y, other in enumerate(found.opponent)
    ]
    columns = ("banked", "opponent", "win_probability")
    return NumberTable(_about(found), Sheet(columns, tuple(rows)))


def border_table(found: BorderMap) -> NumberTable:
    """From which turn total on to bank, by dice and scores."""
    columns = ("dice", "banked", "opponent", "bank_from", "reaches_goal", "inverted")
    rows = [
        (
            dice + 1,
            int(own),
            int(other),
            None if np.isnan(least := found.bank_from[dice, x, y]) else int(least),
            bool(least >= found.wins_from[x]),
            bool(found.inverted[dice, x, y]),
        )
        for dice in range(len(found.bank_from))
        for x, own in enumerate(found.own)
        for y, other in enumerate(found.opponent)
    ]
    return NumberTable(_about(found), Sheet(columns, tuple(rows)))


def _about(found: ScoreMap) -> dict[str, Any]:
    """The rules, and what is the same at all scores."""
    start = found.position
    return {
        "rules": found.rules.name,
        "goal": found.rules.goal,
        "farkles": start.farkles,
        "opponent_farkles": start.opponent_farkles,
        "began": start.began,
        "hot_dice": start.hot_dice,
    }


def bands(amounts: Floats, step: int) -> list[float]:
    """Edges of at most seven bands of turn totals, about equally many in each."""
    known = np.unique(amounts[~np.isnan(amounts)])
    if not len(known):
        return [0.0, float(step)]
    if len(known) <= _MOST_BANDS:
        return [*known.tolist(), float(known[-1] + step)]
    every = amounts[~np.isnan(amounts)]
    cuts = np.quantile(every, np.linspace(0, 1, _MOST_BANDS + 1)[1:-1], method="nearest")
    return sorted({float(known[0]), *cuts.tolist(), float(known[-1] + step)})


def _draw_panel(axes: "Axes", look: drawing.Look, found: BorderMap, column: int) -> None:
    from matplotlib import colormaps  # noqa: PLC0415
    from matplotlib.colors import BoundaryNorm, to_hex  # noqa: PLC0415

    amounts = found.bank_from[column].T
    wins = amounts >= found.wins_from[np.newaxis, :]
    if np.isnan(amounts).all():
        axes.text(
            0.5,
            0.5,
            say("always roll"),
            color=look.ink,
            font=drawing.font(16),
            ha="center",
            transform=axes.transAxes,
        )
        return
    edges = bands(np.where(wins, np.nan, amounts), found.rules.point_step)
    colours = colormaps[look.values].resampled(256)
    norm = BoundaryNorm(edges, 256)
    shown = np.ma.masked_where(np.isnan(amounts) | wins, amounts)
    axes.pcolormesh(*_edges(found), shown, cmap=colours, norm=norm, rasterized=True)
    drawing.hatch(axes, _cells(found, wins), "//", look.ink, look.faint)
    inverted = found.inverted[column].T & ~wins
    grounds = colours(norm(np.nan_to_num(amounts)))
    inks = np.array([[drawing.readable(look, to_hex(ground)) for ground in row] for row in grounds])
    for ink in (look.ink, look.paper):
        drawing.hatch(axes, _cells(found, inverted & (inks == ink)), "..", ink, "none")
    _write_numbers(axes, look, found, np.where(wins, np.nan, amounts))


def _cells(found: ScoreMap, chosen: Bools) -> list[drawing.Box]:
    across, up = _edges(found)
    return [
        (across[x], up[y], across[x + 1] - across[x], up[y + 1] - up[y])
        for y, x in np.argwhere(chosen)
    ]


def _write_numbers(axes: "Axes", look: drawing.Look, found: ScoreMap, amounts: Floats) -> None:
    """The turn totals at some of the scores, so that nobody needs the colours."""
    places = [
        np.unique(np.linspace(0, count - 1, 2 * parts + 1)[1::2].round().astype(int))
        for count, parts in ((amounts.shape[1], 3), (amounts.shape[0], 4))
    ]
    for x in places[0]:
        for y in places[1]:
            if np.isnan(amounts[y, x]):
                continue
            place = float(found.own[x]), float(found.opponent[y])
            drawing.outlined(axes, look, place, figure(int(amounts[y, x])), 13, 3.5)


def _edges(found: ScoreMap) -> tuple[Floats, Floats]:
    """The edges of cells around scores."""
    return _around(found.own), _around(found.opponent)


def _around(scores: Any) -> Floats:
    step = float(scores[1] - scores[0]) if len(scores) > 1 else 1.0
    return np.append(scores - step / 2, scores[-1] + step / 2)


def _name_scores(axes: "Axes", look: drawing.Look, found: ScoreMap, size: float = 15) -> None:
    """The axes: the score of who is to move to the right, the opponent's upwards."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: PLC0415

    written = FuncFormatter(lambda score, _: figure(score, ",g"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4 if size < 15 else 6, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(written)
    (left, right), (low, high) = (edges[[0, -1]] for edges in _edges(found))
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_xlabel(say("your score"), labelpad=3)
    axes.set_ylabel(say("their score"), labelpad=6)
    drawing.dress(axes, look, size)


def _where(found: ScoreMap) -> str:
    """The rules, and what else is the same everywhere in the picture."""
    name = drawing.drawable(found.rules.name, 40)
    parts = [say("{rules} rules to {goal:,}", rules=name, goal=found.rules.goal)]
    if found.rules.farkle_limit > 1:
        start = found.position
        farkles = {"mine": start.farkles, "theirs": start.opponent_farkles}
        parts.append(say("{mine} to {theirs} farkles in a row", **farkles))
    if found.rules.has_roles:
        parts.append(say("you began") if found.position.began else say("they began"))
    return ", ".join(parts)
