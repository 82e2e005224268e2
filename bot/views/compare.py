"""What rule sets are like to play, side by side: as a table, as data and as a sheet."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from bot.layout import columns, percent, rough_percent, wrap
from bot.services.comparing import Compared, ComparedRules, Variation
from bot.views.card import Attachment, Button, Card, text_card
from bot.views.comparison_picture import sweep_chart
from bot.views.drawing import ON_DARK, Style
from bot.views.sheet import Sheet, flat, sheet
from solver.play.compare import CARELESS, CLOSE, Comparison, Estimate
from solver.wording import figure, say, say_later

_COLUMNS = {
    "rules": "rules",
    "option": "option",
    "value": "value",
    "first_player": "first_player",
    "points": "most_points.points",
    "farkles": "most_points.farkles",
    "optimal_points": "optimal.points.value",
    "optimal_points_error": "optimal.points.standard_error",
    "optimal_farkles": "optimal.farkles.value",
    "optimal_farkles_error": "optimal.farkles.standard_error",
    "turns": "optimal.turns.value",
    "turns_error": "optimal.turns.standard_error",
    "decisions": "optimal.decisions.value",
    "decisions_error": "optimal.decisions.standard_error",
    "close": "optimal.close.value",
    "close_error": "optimal.close.standard_error",
    "careless": "careless.level",
    "careless_loses": "careless.loses",
    "careless_error": "careless.wins.standard_error",
    "games": "optimal.games",
}
"""Where the columns of the sheet are in the data."""

_COUNTED = "points", "farkles", "turns", "decisions", "close"
"""What of games is counted, or known."""


def label(variation: Variation) -> str:
    """What to call a rule set among those that are compared."""
    if variation.option is None:
        return variation.base
    return f"{variation.base} {variation.option}:{variation.value}"


def compare_table(compared: Compared) -> list[str]:
    """A row for each rule set."""
    careless = compared[0][1].careless
    varied = compared[0][0].option
    points, farkles = say("points"), say("farkles")
    head = [varied or "", say("first"), points, f"{points}*", farkles, f"{farkles}*"]
    head += [say("turns"), say("close"), careless]
    bases = {variation.base for variation, _ in compared}
    rows = [
        (
            label(variation) if len(bases) > 1 else variation.value or variation.base,
            percent(comparison.first_player),
            figure(comparison.points, ",.0f"),
            _known(comparison.tally.points.value, lambda points: figure(points, ",.0f")),
            rough_percent(comparison.farkles),
            _known(comparison.tally.farkles.value, rough_percent),
            _known(comparison.tally.turns.value, lambda turns: figure(turns, ".1f")),
            _known(comparison.tally.close.value, rough_percent),
            _known(-100 * comparison.careless_loses, lambda lost: figure(lost, "+.1f")),
        )
        for variation, comparison in compared
    ]
    games = max(comparison.tally.games for _, comparison in compared)
    counted = say("Best play by both, in {games:,} games each:", games=games)
    return [counted, *columns([head, *rows], right=range(1, len(head)))]


def _known(value: float, wording: Callable[[float], str]) -> str:
    """A number as it is told; a dash for one that is not worked out."""
    return "-" if math.isnan(value) else wording(value)


def compare_text(compared: Compared) -> str:
    """A row for each rule set, and what the columns say."""
    rows, careless = [row for _, row in compared], compared[0][1].careless
    lines = [
        _first_columns(),
        say(
            "points*, farkles* and close (decisions where banking and rolling differ by less than"
            " {close} %) are counted in these games; the standard errors are at most {points}"
            " points, {farkles} % and {share} %.",
            close=figure(100 * CLOSE, "g"),
            points=_most([row.tally.points for row in rows], 1, ".1f"),
            farkles=_most([row.tally.farkles for row in rows], 100, ".1f"),
            share=_most([row.tally.close for row in rows], 100, ".1f"),
        ),
        _turns_text(rows),
        _careless_text(careless, rows),
    ]
    if special := next((row for row in rows if not row.rules.is_plain), None):
        note = say(
            "-: this is not counted where games have rounds, or a turn depends on the one before"
            " it; they were played turn by turn, {games:,} of each.",
            games=special.tally.games,
        )
        lines.append(note)
    return "\n".join([*compare_table(compared), *map(wrap, lines)])


def compare_notes() -> str:
    """What the columns say, whatever is compared."""
    lines = [
        _first_columns(),
        say(
            "close: decisions where banking and rolling differ by less than {close} %. These,"
            " points* and farkles* are counted in games; the picture has their standard errors.",
            close=figure(100 * CLOSE, "g"),
        ),
        say(
            "turns: per game of best play; exact, but counted for large games and where ties are"
            " played on."
        ),
        f"{_careless(', '.join(CARELESS))}.",
    ]
    return "\n".join(lines)


def _first_columns() -> str:
    return say(
        "first: how often the first player wins (exact). points and farkles: per turn when"
        " playing for the most points (exact); with *: per turn of best play."
    )


def _turns_text(comparisons: Sequence[Comparison]) -> str:
    if all(comparison.tally.turns.standard_error is None for comparison in comparisons):
        return say("turns: per game of best play (exact).")
    error = _most([comparison.tally.turns for comparison in comparisons], 1, ".2f")
    return say(
        "turns: per game of best play (exact; for large games and where ties are played on they"
        " are counted, with a standard error of at most {error}).",
        error=error,
    )


def _careless_text(level: str, comparisons: Sequence[Comparison]) -> str:
    """What the last column says."""
    meaning = _careless(level)
    if all(comparison.careless_wins.standard_error is None for comparison in comparisons):
        return say("{told}, exact.", told=meaning)
    error = _most([comparison.careless_wins for comparison in comparisons], 100, ".1f")
    return say("{told}, standard error {error} at most.", told=meaning, error=error)


def _careless(level: str) -> str:
    return say(
        "{level}: how much less than half of its games that level wins against best play, in %",
        level=level,
    )


def _most(estimates: Sequence[Estimate], scale: float, form: str) -> str:
    """The largest standard error."""
    return figure(scale * max(estimate.standard_error or 0.0 for estimate in estimates), form)


def compare_data(compared: Compared) -> list[dict[str, Any]]:
    """A comparison as data: exact numbers as they are, others with their standard errors."""
    return [
        {
            "rules": variation.base,
            "option": variation.option,
            "value": variation.value or None,
            "digest": row.rules.digest,
            "first_player": row.first_player,
            "most_points": {"points": row.points, "farkles": row.farkles},
            "optimal": {"games": row.tally.games}
            | {name: _plain(getattr(row.tally, name)) for name in _COUNTED},
            "careless": {"level": row.careless, "wins": _plain(row.careless_wins)}
            | {"loses": None if math.isnan(row.careless_loses) else row.careless_loses},
        }
        for variation, row in compared
    ]


def _plain(estimate: Estimate) -> dict[str, float | None]:
    """An estimate as data; None for what is not worked out."""
    return asdict(estimate) | ({"value": None} if math.isnan(estimate.value) else {})


def compare_sheet(compared: Compared) -> Sheet:
    """A comparison as a table; standard errors of what is exact are empty."""
    by_path = sheet(tuple(_COLUMNS.values()), map(flat, compare_data(compared)))
    return by_path._replace(columns=tuple(_COLUMNS))


def compare_chart(compared: Compared, style: Style = ON_DARK) -> bytes:
    """Curves along an option of numbers, else bars, as the content of a file.

    What is counted and not exact has its largest standard error beside its name.
    """
    first, play = compared[0]
    along = _along(compared)
    heading = say_later("Rule sets side by side")
    if first.option:
        heading = say_later("Rule sets by {option}")
        if len({variation.base for variation, _ in compared}) == 1:
            heading = say_later("{rules} rules by {option}")
    title = say(heading, rules=first.base, option=first.option)
    tallies = [row.tally for _, row in compared]
    lost = [Estimate(row.careless_loses, row.careless_wins.standard_error) for _, row in compared]
    close = say("decisions within {close:g} percentage points, in %", close=100 * CLOSE)
    loses = say("what the level {level} loses, in percentage points", level=play.careless)
    farkles = say("turns that end in a farkle, in %")
    series = {
        say("first player wins, in %"): [100 * row.first_player for _, row in compared],
        **_counted(say("points of a turn"), [tally.points for tally in tallies]),
        **_counted(farkles, [tally.farkles for tally in tallies], 100),
        **_counted(say("turns of a game"), [tally.turns for tally in tallies]),
        **_counted(close, [tally.close for tally in tallies], 100),
        **_counted(loses, lost, 100),
    }
    return sweep_chart(
        first.option or "",
        along,
        series,
        title=title,
        lines=[say("Best play by both, {games:,} games counted for each", games=play.tally.games)],
        source=say("By farkle-advisor; ±: the largest standard error of what is counted"),
        style=style,
    )


def _counted(what: str, figures: Sequence[Estimate], unit: int = 1) -> dict[str, list[float]]:
    """Amounts by what they are, with their standard error if they have one."""
    most = unit * max(estimate.standard_error or 0.0 for estimate in figures)
    name = f"{what} (± {figure(most, '.2g')})" if most else what
    return {name: [unit * estimate.value for estimate in figures]}


def _along(compared: Compared) -> Sequence[float] | Sequence[str]:
    """The values of one option of one rule set if they are numbers, else names."""
    bases = {variation.base for variation, _ in compared}
    values = [variation.value for variation, _ in compared]
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        numbers = []
    if len(bases) == 1 and len(numbers) > 1:
        return numbers
    if len(bases) == 1 and any(values):
        return values
    return [label(variation) for variation, _ in compared]


def compare_card(compared: ComparedRules) -> Card:
    """Rule sets side by side; with their picture a button tells what the columns say."""
    if compared.picture is None:
        return text_card(partial(compare_text, compared.found))
    drawn = Attachment("rules.png", compared.picture, say("The rule sets side by side"))
    table = text_card(lambda: "\n".join(compare_table(compared.found)))
    notes = Button("compare", say("What the columns mean"))
    return replace(table, attachments=(drawn, *table.attachments), buttons=(notes,))
