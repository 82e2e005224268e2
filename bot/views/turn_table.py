"""The table of a whole turn as people read it, as plain data and for spreadsheets."""

from dataclasses import asdict, fields

from bot.views.advice import position_text
from bot.views.layout import columns, percent, wrap
from bot.views.rules_text import farkle_chances
from bot.views.sheet import Sheet, sheet
from bot.views.thresholds import bank_from_lines
from solver.game.position import in_play_off, points_to_beat
from solver.play.advice import Cell, TurnCells
from solver.turn.equations import Decision


def turn_sheet(turn: TurnCells) -> Sheet:
    """All cells."""
    return sheet([one.name for one in fields(Cell)], map(asdict, turn.cells))


def turn_text(turn: TurnCells) -> str:
    """When to bank, and what there is to know of the turn, in a few lines."""
    summary = bank_from_lines(turn.bank_from, _wins_from(turn))
    marked = any("W" in line for line in summary)
    lines = [
        wrap(f"{position_text(turn.rules, turn.position)}, {turn.rules.name} rules"),
        f"Win probability {percent(turn.win_probability)} at the start of the turn.",
        f"Bank from these turn totals on, by dice left to roll{' (W: it wins)' if marked else ''}:",
        *summary,
        "Chance of a farkle:",
        *farkle_chances(turn.rules),
    ]
    if len(turn.rules.hot_dice_bonus) > 1 and not turn.position.hot_dice:
        lines.append("The turn before its first hot dice; --hot-dice 1 shows it after them.")
    return "\n".join(lines)


def turn_table_text(turn: TurnCells) -> str:
    """The whole turn: turn totals down, dice to roll across, win probability in percent."""
    dice = sorted({cell.dice for cell in turn.cells}, reverse=True)
    marks = {Decision.ROLL: " ", Decision.BANK: "B", Decision.WIN: "W"}
    wins = any(cell.action is Decision.WIN and cell.reachable for cell in turn.cells)
    cells = {(cell.turn_total, cell.dice): cell for cell in turn.cells}
    totals = sorted({cell.turn_total for cell in turn.cells})
    shown = [total for total in totals if total <= _last_worth_showing(turn)]
    rows = [("", *(f"{number} " for number in dice))]
    for total in shown:
        row = [cells[total, number] for number in dice]
        if any(cell.reachable for cell in row):
            worth = (
                f"{cell.win_probability * 100:.3f}{marks[cell.action]}" if cell.reachable else "· "
                for cell in row
            )
            rows.append((f"{total:,}", *worth))
    lines = [
        turn_text(turn),
        "Win probability in % by turn total and dice:",
        f"B: bank, {'W: bank and win, ' if wins else ''}else roll; ·: cannot occur",
        *columns(rows, right=range(len(dice) + 1)),
    ]
    if shown != totals:
        lines.append("From there on: bank.")
    return "\n".join(lines)


def _wins_from(turn: TurnCells) -> int | None:
    """The least turn total that wins when it is banked; None where none is certain to."""
    rules, position = turn.rules, turn.position
    beat = points_to_beat(rules, position)
    if beat is not None:
        return beat + rules.point_step
    if in_play_off(rules, position):
        return None
    wins = rules.goal_ends_game(last_of_round=not position.began)
    return rules.winning_score - position.banked if wins else None


def _last_worth_showing(turn: TurnCells) -> int:
    """The last turn total that does not reach the goal or from which something may be rolled."""
    missing = turn.rules.winning_score - turn.position.banked
    rolled = [cell.turn_total for cell in turn.cells if cell.action is Decision.ROLL]
    return max([missing - turn.rules.point_step, *rolled])
