"""Pictures: a whole turn as a heat map by dice, and maps over both scores, with their numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bot.views import drawing
from bot.views.advice import position_text
from bot.views.thresholds import star_lines, starred_text
from solver.game.standings import Bools
from solver.play.maps import BorderMap, ScoreMap, TurnMap, WinMap
from solver.turn.equations import Floats
from solver.wording import figure, say, say_later, say_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Shown = Literal["value", "difference"]
"""What the colours of a turn are: the value of the better choice, or of rolling less banking."""

TURN_SIZE: drawing.Size = (800, 1000)
SOURCE = say_later("Exact win probabilities of best play by both, by farkle-advisor")
_OF_ALL = say_later("Exact win probabilities of best play by all, by farkle-advisor")
_ESTIMATED = say_later("Estimated win probabilities, by farkle-advisor")

_FEW_ROWS = 40
"""The most turn totals that are all shown."""
_HEADROOM = 1.25
_TICKS = 9
_LABEL_SIZE, _LABEL_LINE = 11, 0.17
"""The size of the dice below a column, in points, and in inches for each further line."""


def turn_picture(
    turn: TurnMap,
    show: Shown = "difference",
    style: drawing.Style = drawing.ON_DARK,
    top: int | None = None,
    names: Sequence[str] = (),
) -> bytes:
    """A turn as a picture, in the language that is spoken.

    top : the highest turn total to show, in points; as far as there is a choice if not given
    names : the dice of each column, a comma between them, where they are no numbers
    """
    rows = shown_rows(turn, top)
    title = {
        "difference": say("Roll or bank: the whole turn"),
        "value": say("The whole turn: chances to win"),
    }[show]
    blank = say("crossed: cannot occur")
    if show == "difference" and (turn.reachable & np.isnan(turn.bank))[:rows].any():
        blank = say("hatched: may not be banked; crossed: cannot occur")
    lines = _title_lines(turn, rows, names)
    page = drawing.Page(style, TURN_SIZE, title, lines, blank, say(_source(turn)))
    look, height = page.look, page.height
    labels = [name.replace(",", "\n") for name in names] or _numbers(turn)
    further = max(label.count("\n") for label in labels)
    low = page.floor + (1.62 + further * _LABEL_LINE) / height
    axes = page.figure.add_axes((0.16, low, 0.81, page.ceiling - low - 0.46 / height))
    mesh = _draw_cells(axes, look, turn, show, rows)
    draw_border(axes, look, bank_sides(turn)[:rows])
    _draw_words(axes, look, turn, rows)
    _draw_now(axes, look, turn, rows)
    _label(page, axes, turn, rows, labels)
    bar = page.figure.add_axes((0.16, page.floor + 0.47 / height, 0.81, 0.2 / height))
    _draw_bar(bar, look, mesh, show)
    return page.as_file()


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
    fewer = [threshold for threshold in turn.bank_from if threshold.dice < turn.columns[-1]]
    highest = max(turn.position.turn_total, *(threshold.turn_total or 0 for threshold in fewer), 0)
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
    return [*lines, *star_lines(turn.bank_from)]


def _draw_cells(axes: "Axes", look: drawing.Look, turn: TurnMap, show: Shown, rows: int) -> Any:
    """The colours; cells that cannot occur are crossed, where one must roll they are hatched."""
    columns = turn.banks.shape[1]
    edges = np.arange(columns + 1) + 0.5, np.arange(rows + 1) - 0.5
    possible = turn.reachable[:rows]
    amounts: Floats = turn.value[:rows] * 100
    if show == "difference":
        amounts = (turn.roll - turn.bank)[:rows] * 100
    drawn = np.ma.masked_where(~possible | np.isnan(amounts), amounts)
    if show == "value":
        most, colours = None, look.values
    else:
        # what is far from the border need not be told apart
        most = float(np.quantile(np.abs(drawn.compressed()), 0.9)) if drawn.count() else 1.0
        most, colours = most or 1.0, look.differences
    least = most and -most
    mesh = axes.pcolormesh(*edges, drawn, cmap=colours, vmin=least, vmax=most, rasterized=True)
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
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - matplotlib: 0.2 s

    lines = border_lines(banks)
    for colour, width in ((look.paper, 7.0), (look.ink, 3.5)):
        axes.add_collection(
            LineCollection(lines, colors=colour, linewidths=width, capstyle="projecting", zorder=3)
        )


def _draw_words(axes: "Axes", look: drawing.Look, turn: TurnMap, rows: int) -> None:
    """What to do on each side of the border, where there is most room."""
    banks = turn.banks[:rows]
    for word, where in ((say("roll"), ~banks), (say("bank"), banks)):
        if run := _longest_run(where & turn.reachable[:rows]):
            column, middle = run
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
    page: drawing.Page, axes: "Axes", turn: TurnMap, rows: int, labels: Sequence[str]
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
    drawing.dress(axes, page.look, 16)
    if named:
        column = 72 * page.figure.get_figwidth() * axes.get_position().width / columns
        longest = max(len(word) for label in labels for word in label.split("\n"))
        # a letter is about 0.6 of its height wide
        size = min(_LABEL_SIZE, column / (0.6 * (longest + 0.5)))
        for label in axes.get_xticklabels():
            label.set_fontproperties(drawing.font(size))
    page.write(0.02, axes.get_position().y1 + 0.13 / page.height, say("bank from"), 13)
    for threshold in turn.bank_from:
        axes.annotate(
            "–" if threshold.turn_total is None else starred_text(threshold),
            (turn.columns.index(threshold.dice) + 1, 1),
            (0, 9),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            **page.look.letters(16, bold=True),
            ha="center",
            va="bottom",
        )


def _ticks(rows: int) -> Sequence[int]:
    """Rows to be named: every first, second, fourth, fifth, tenth and so on."""
    for every in (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 400, 500, 1000, 2000, 5000):
        if rows <= every * _TICKS:
            break
    return range(0, rows, every)


def _draw_bar(bar: "Axes", look: drawing.Look, mesh: Any, show: Shown) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - matplotlib: 0.2 s

    low, high = mesh.get_clim()
    ticks = [tick for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]
    title = {
        "difference": say("chance to win: rolling minus banking, in percentage points"),
        "value": say("chance to win by the better choice, in %"),
    }[show]
    drawing.colour_bar(bar, look, mesh, title, ticks, "+" if show == "difference" else None)


WIN_SIZE: drawing.Size = (800, 1000)
BORDER_SIZE: drawing.Size = (800, 1300)

_CONTOURS = (5, 10, 25, 40, 50, 60, 75, 90, 95)
"""Win probabilities in percent that have a line."""
_MOST_BANDS = 7
"""Colours of a border: so few can be told apart."""


def win_picture(grid: WinMap, style: drawing.Style = drawing.ON_LIGHT) -> bytes:
    """Win probabilities over both scores as a picture."""
    title, where = say("Your chance to win, by both scores"), _where(grid)
    page = drawing.Page(style, WIN_SIZE, title, [where, say("as your turn begins")], say(SOURCE))
    look, height = page.look, page.height
    low = page.floor + 1.62 / height
    axes = page.figure.add_axes((0.16, low, 0.8, page.ceiling - low))
    percents = grid.win_probability.T * 100
    mesh = axes.pcolormesh(
        *_edges(grid), percents, cmap=look.values, vmin=0, vmax=100, rasterized=True
    )
    levels = [level for level in _CONTOURS if percents.min() < level < percents.max()]
    if levels and min(percents.shape) > 1:
        lines = axes.contour(
            grid.scores,
            grid.scores,
            percents,
            levels=levels,
            colors=look.ink,
            linewidths=[4.0 if level == 50 else 2.2 for level in levels],
        )
        lines.set_path_effects([drawing.paper_edge(look, 5)])
        for text in axes.clabel(lines, fmt="%g %%", inline=True, inline_spacing=8):
            text.set(**look.letters(15, bold=True))
            text.set_path_effects([drawing.paper_edge(look, 5)])
    _name_scores(axes, look, grid)
    bar = page.figure.add_axes((0.16, page.floor + 0.47 / height, 0.8, 0.2 / height))
    drawing.colour_bar(bar, look, mesh, say("your chance to win, in %"), [0, 25, 50, 75, 100])
    return page.as_file()


def border_picture(border: BorderMap, style: drawing.Style = drawing.ON_LIGHT) -> bytes:
    """A panel for each number of dice: from which turn total on to bank, over both scores."""
    lines = [
        _where(border),
        say("numbers and colours: bank from this turn total on"),
        say("hatched: bank only what reaches the goal"),
        say("dotted: at some higher turn total, roll again"),
    ]
    title = say("From which turn total on to bank")
    page = drawing.Page(style, BORDER_SIZE, title, lines, say(SOURCE))
    look, height = page.look, page.height
    dice = len(border.bank_from)
    across = 2 if dice > 1 else 1
    down = -(-dice // across)
    left, gap = 0.125, 0.09
    width = (0.985 - left - gap * (across - 1)) / across
    bottom = page.floor + 0.42 / height
    row_height = (0.1 / height + page.ceiling - bottom) / down
    for column in range(dice):
        row, place = divmod(column, across)
        edge = left + place * (width + gap)
        low = bottom + (down - 1 - row) * row_height + 0.1 / height
        axes = page.figure.add_axes((edge, low, width, row_height - 0.66 / height))
        _draw_panel(axes, look, border, column)
        _name_scores(axes, look, border, 12)
        if column + across < dice:
            axes.set_xlabel("")
        if place:
            axes.set_ylabel("")
        title = say_number("{number} [die|dice] to roll", column + 1)
        axes.set_title(title, **look.letters(16, bold=True), pad=5)
    return page.as_file()


def win_table(grid: WinMap) -> dict[str, Any]:
    """The win probability of every pair of scores as plain data."""
    chances = grid.win_probability
    rows = [
        {"banked": int(own), "opponent": int(other), "win_probability": float(chances[x, y])}
        for x, own in enumerate(grid.scores)
        for y, other in enumerate(grid.scores)
    ]
    return {**_about(grid), "rows": rows}


def border_table(border: BorderMap) -> dict[str, Any]:
    """The turn totals from which on to bank, by dice and scores, as plain data."""
    rows = [
        {
            "dice": dice + 1,
            "banked": int(own),
            "opponent": int(other),
            "bank_from": None if np.isnan(least := border.bank_from[dice, x, y]) else int(least),
            "reaches_goal": bool(least >= border.wins_from[x]),
            "inverted": bool(border.inverted[dice, x, y]),
        }
        for dice in range(len(border.bank_from))
        for x, own in enumerate(border.scores)
        for y, other in enumerate(border.scores)
    ]
    return {**_about(border), "rows": rows}


def _about(grid: ScoreMap) -> dict[str, Any]:
    """The rules, and what is the same at all scores."""
    names = "farkles", "opponent_farkles", "began", "hot_dice"
    start = {name: getattr(grid.position, name) for name in names}
    return {"rules": grid.rules.name, "goal": grid.rules.goal, **start}


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


def _draw_panel(axes: "Axes", look: drawing.Look, border: BorderMap, column: int) -> None:
    from matplotlib.colors import BoundaryNorm  # noqa: PLC0415 - matplotlib: 0.2 s

    amounts = border.bank_from[column].T
    wins = amounts >= border.wins_from[np.newaxis, :]
    if np.isnan(amounts).all():
        always, where = say("always roll"), axes.transAxes
        axes.text(0.5, 0.5, always, **look.letters(16), ha="center", transform=where)
        return
    edges = bands(np.where(wins, np.nan, amounts), border.rules.point_step)
    shown = np.ma.masked_where(np.isnan(amounts) | wins, amounts)
    norm = BoundaryNorm(edges, 256)
    mesh = axes.pcolormesh(*_edges(border), shown, cmap=look.values, norm=norm, rasterized=True)
    drawing.hatch(axes, _cells(border, wins), "//", look.ink, look.faint)
    inverted = border.inverted[column].T & ~wins
    grounds = mesh.to_rgba(np.nan_to_num(amounts), bytes=True)[..., :3]
    inks = [[drawing.readable(look, f"#{bytes(rgb).hex()}") for rgb in row] for row in grounds]
    for ink in (look.ink, look.paper):
        drawing.hatch(axes, _cells(border, inverted & (np.array(inks) == ink)), "..", ink, "none")
    _write_numbers(axes, look, border, np.where(wins, np.nan, amounts))


def _cells(grid: ScoreMap, chosen: Bools) -> list[drawing.Box]:
    across, up = _edges(grid)
    return [
        (across[x], up[y], across[x + 1] - across[x], up[y + 1] - up[y])
        for y, x in np.argwhere(chosen)
    ]


def _write_numbers(axes: "Axes", look: drawing.Look, grid: ScoreMap, amounts: Floats) -> None:
    """The turn totals at some of the scores, so that nobody needs the colours."""
    places = [
        # not NumPy's round, which takes halves to even numbers and so moves them apart
        np.unique((np.linspace(0, count - 1, 2 * parts + 1)[1::2] + 0.5).astype(int))
        for count, parts in ((amounts.shape[1], 3), (amounts.shape[0], 4))
    ]
    for x in places[0]:
        for y in places[1]:
            if np.isnan(amounts[y, x]):
                continue
            place = float(grid.scores[x]), float(grid.scores[y])
            drawing.outlined(axes, look, place, figure(int(amounts[y, x])), 13, 3.5)


def _edges(grid: ScoreMap) -> tuple[Floats, Floats]:
    """The edges of cells around scores, across and up."""
    scores = grid.scores
    step = float(scores[1] - scores[0]) if len(scores) > 1 else 1.0
    edges = np.append(scores - step / 2, scores[-1] + step / 2)
    return edges, edges


def _name_scores(axes: "Axes", look: drawing.Look, grid: ScoreMap, size: float = 15) -> None:
    """The axes: the score of who is to move to the right, the opponent's upwards."""
    axes.locator_params(nbins=4 if size < 15 else 6, steps=[1, 2, 2.5, 5, 10])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda score, _: figure(score, ",g"))
    (left, right), (low, high) = (edges[[0, -1]] for edges in _edges(grid))
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_xlabel(say("your score"), labelpad=3)
    axes.set_ylabel(say("their score"), labelpad=6)
    drawing.dress(axes, look, size)


def _where(grid: ScoreMap) -> str:
    """The rules, and what else is the same everywhere in the picture."""
    name = drawing.drawable(grid.rules.name, 40)
    parts = [say("{rules} rules to {goal:,}", rules=name, goal=grid.rules.goal)]
    if grid.rules.farkle_limit > 1:
        farkles = {"mine": grid.position.farkles, "theirs": grid.position.opponent_farkles}
        counted = say_later("farkles in a row: you {mine}, they {theirs}")
        none = say_later("no farkles in a row")
        parts.append(say(counted if any(farkles.values()) else none, **farkles))
    if grid.rules.has_roles:
        parts.append(say("you began") if grid.position.began else say("they began"))
    return ", ".join(parts)
