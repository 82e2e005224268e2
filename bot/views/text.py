"""Replies as plain text, aligned for a fixed-width font."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from bot.advice import Advice, Odds, TurnCells
from solver.dice import Roll
from solver.position import Position
from solver.rules import Ruleset
from solver.scoring import farkle_probability
from solver.strategy import Manifest
from solver.turn import Decision


def percent(probability: float) -> str:
    """A probability with two decimals; the ends only for what is certain."""
    if 0 < probability < 0.00005:
        return "< 0.01 %"
    if 0.99995 <= probability < 1:
        return "> 99.99 %"
    return f"{probability * 100:.2f} %"


def advice_text(advice: Advice) -> str:
    """The options, best first, with what each costs against the best."""
    roll, best = dice_text(advice.roll), advice.win_probability
    head = f"{roll}: {position_text(advice.position)}, {advice.rules} rules"
    if advice.farkle:
        return f"{head}\nFarkle, nothing scores. Win probability left: {percent(best)}"
    rows = []
    for option in advice.options:
        cost = best - option.win_probability
        rows.append(
            (
                f"keep {dice_text(option.set_aside)}",
                f"{option.points:,} points",
                f"turn {option.turn_total:,}",
                _dice(option.dice_left) if option.set_aside != advice.roll else "hot dice",
                option.action,
                percent(option.win_probability),
                _cost(cost),
            )
        )
    return "\n".join([head, *columns(rows, right={1, 2, 5})])


def odds_text(odds: Odds) -> str:
    """Roll or bank, and what each is worth."""
    position = odds.position
    head = f"{position_text(position)}, {_dice(position.dice)} to roll, {odds.rules} rules"
    roll = ("roll", percent(odds.roll), f"farkle chance {percent(odds.farkle_probability)}")
    if odds.bank is None:
        why = "nothing to bank yet" if not position.turn_total else "not enough to bank"
        return "\n".join([head, *columns([roll, ("bank", "-", why)], right={1})])
    total = position.banked + position.turn_total
    after = f"{total:,} to {position.opponent:,}"
    bank = ("bank", percent(odds.bank), "wins the game" if odds.action == "win" else after)
    cost = _cost(abs(odds.bank - odds.roll))
    rows = [(*roll, cost), (*bank, "best")]
    if odds.action == Decision.ROLL:
        rows = [(*roll, "best"), (*bank, cost)]
    else:
        rows.reverse()
    return "\n".join([head, *columns(rows, right={1})])


def turn_text(turn: TurnCells) -> str:
    """The whole turn: turn totals down, dice to roll across, win probability in percent."""
    dice = sorted({cell.dice for cell in turn.cells}, reverse=True)
    marks = {Decision.ROLL: " ", Decision.BANK: "B", Decision.WIN: "W"}
    lines = [
        f"{position_text(turn.position)}, {turn.rules} rules: win probability"
        f" {percent(turn.win_probability)} at the start of the turn",
        "Win probability in % by turn total and dice to roll; B: bank, else roll; ·: cannot occur",
        f"{'':>7}" + "".join(f"{number:>8} " for number in dice),
    ]
    cells = {(cell.turn_total, cell.dice): cell for cell in turn.cells}
    for total in sorted({cell.turn_total for cell in turn.cells}):
        row = [cells[total, number] for number in dice]
        lines.append(
            f"{total:>7,}"
            + "".join(
                f"{cell.win_probability * 100:>8.3f}{marks[cell.action]}"
                if cell.reachable
                else f"{'·':>8} "
                for cell in row
            ).rstrip()
        )
    return "\n".join(line.rstrip() for line in lines)


def solve_text(manifest: Manifest, file: Path) -> str:
    """What a solve came to."""
    rate = manifest.states_per_second / 1e6
    return (
        f"{manifest.rules.name}: {manifest.states:,} states solved in {manifest.seconds:.1f} s,"
        f" {manifest.sweeps} sweeps, {rate:,.1f} million states a second\n"
        f"The last sweep changed no value by more than {manifest.largest_relative_change:.1e} of"
        f" itself.\n{file}: {manifest.bytes:,} bytes"
    )


def rules_list_text(known: Sequence[tuple[Ruleset, bool]]) -> str:
    """One line for each rule set."""
    rows = [
        (rules.name, "solved" if solved else "not solved yet", rules.title)
        for rules, solved in known
    ]
    return "\n".join(columns(rows))


def rules_text(rules: Ruleset) -> str:
    """A rule set as a person would explain it."""
    scoring = rules.scoring
    lines = [rules.title or rules.name]
    end = f"The first to reach {rules.goal:,} wins at once."
    lines += [f"Two players, {_dice(rules.dice)}. {end}", "", "Scores:"]
    rows = [
        (" ".join(map(str, dice)), f"{points:,}")
        for dice, points in rules.combinations.items()
        if len(dice) < 4 or len(set(dice)) > 3
    ]
    more = {
        "none": "",
        "linear": "four, five, six of a kind: two, three, four times the points of three",
        "doubling": "four, five, six of a kind: twice, 4 times, 8 times the points of three",
    }[scoring.more_of_a_kind]
    if scoring.three_pairs and rules.dice == 6:
        rows.append(("three different pairs", f"{scoring.three_pairs:,}"))
    lines += columns(rows, right={1})
    if more and rules.dice > 3:
        lines.append(f"  {more}")
    lines.append("")
    if rules.minimum_bank:
        lines.append(
            f"A turn total may be banked from {rules.minimum_bank:,} up, also to win the game."
        )
    if rules.farkle_penalty:
        penalty = rules.farkle_penalty
        number = {1: "Every farkle", 2: "The second farkle in a row"}.get(
            penalty.in_a_row, f"Farkle number {penalty.in_a_row} in a row"
        )
        lines.append(
            f"{number} costs {penalty.points:,} points, and the count starts again."
            f" The solver takes a score below {rules.score_floor:,} for {rules.score_floor:,}."
        )
    lines.append("When all dice have scored, all may be rolled again (hot dice).")
    chances = ", ".join(
        f"{number}: {percent(float(farkle_probability(rules, number)))}"
        for number in range(rules.dice, 0, -1)
    )
    lines.append(f"Chance of a farkle by dice rolled: {chances}.")
    if rules.source:
        lines += ["", f"Source: {rules.source}"]
    return wrap("\n".join(lines))


def wrap(text: str, width: int = 79) -> str:
    """Break lines that are too long at spaces, but not before a percent sign.

    What goes on is set two spaces further in.
    """
    wrapped = []
    for line in text.replace(" %", "\N{NO-BREAK SPACE}%").split("\n"):
        inner = line[: len(line) - len(line.lstrip())] + "  "
        lines = textwrap.wrap(
            line, width, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
        )
        wrapped += lines if len(line) > width else [line]
    return "\n".join(wrapped).replace("\N{NO-BREAK SPACE}%", " %")


def position_text(position: Position) -> str:
    """Scores, turn total and farkles in a row, in a few words."""
    parts = [f"you {position.banked:,}, them {position.opponent:,}"]
    if position.turn_total:
        parts.append(f"turn total {position.turn_total:,}")
    if position.farkles:
        parts.append(f"{_farkles(position.farkles)} in a row")
    if position.opponent_farkles:
        parts.append(f"their {_farkles(position.opponent_farkles)} in a row")
    return ", ".join(parts)


def dice_text(dice: Roll) -> str:
    """Faces with a space between them."""
    return " ".join(map(str, dice))


def columns(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Align rows of cells, two spaces in and two between; the columns in `right` at their end."""
    table = [list(row) for row in rows]
    last = max((len(row) for row in table), default=0)
    widths = [max(len(row[k]) for row in table if k < len(row)) for k in range(last)]
    aligned = set(right)
    return [
        "  "
        + "  ".join(
            cell.rjust(widths[k]) if k in aligned else cell.ljust(widths[k])
            for k, cell in enumerate(row)
        ).rstrip()
        for row in table
    ]


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"


def _farkles(number: int) -> str:
    return "1 farkle" if number == 1 else f"{number} farkles"


def _cost(difference: float) -> str:
    """What a choice costs against the best, in percentage points."""
    if difference == 0:
        return "best"
    return f"-{difference * 100:.2f}" if difference >= 0.00005 else "-< 0.01"
