"""When to bank, by the dice left to roll, and the table of a whole turn: as text and as data."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.layout import beneath, columns, dice_count, percent, wrap
from bot.views.advice import position_text
from bot.views.answer_data import position_data
from bot.views.rules_text import farkle_chances
from solver.game.position import in_play_off, points_to_beat
from solver.game.standings import Ints
from solver.play.maps import TurnMap
from solver.turn.equations import Decision
from solver.turn.points import BankFrom
from solver.wording import figure, say, say_later, say_number

if TYPE_CHECKING:
    from solver.named.sets import NamedSet


def threshold_text(threshold: BankFrom, wins_from: int | None = None) -> str:
    """The turn total from which on to bank; with a W where that bank wins."""
    if threshold.turn_total is None:
        return say("never")
    mark = "W" if wins_from is not None and threshold.turn_total >= wins_from else ""
    return figure(threshold.turn_total) + mark


def starred_text(threshold: BankFrom) -> str:
    """The least turn total to bank; a star where it is not the whole truth, see `star_lines`."""
    return threshold_text(threshold) + ("*" if threshold.roll_again else "")


def star_lines(thresholds: Iterable[BankFrom]) -> list[str]:
    """What a star means, where there is one."""
    stars = any(threshold.roll_again for threshold in thresholds)
    return [say("* better to roll again at some higher turn total")] if stars else []


def bank_from_lines(thresholds: Sequence[BankFrom], wins_from: int | None = None) -> list[str]:
    """A line of dice above one of turn totals, and a sentence where one rolls again above.

    wins_from : the least turn total that wins, where it matters
    """
    heads = [dice_count(threshold.dice) for threshold in thresholds]
    lines = beneath(heads, [threshold_text(threshold, wins_from) for threshold in thresholds])
    again = say_later("With {number} [die|dice] roll again at turn totals of {totals}.")
    for threshold in thresholds:
        if threshold.roll_again:
            totals = ", ".join(starmap(stretch_text, threshold.roll_again))
            lines.append(wrap(say_number(again, threshold.dice, totals=totals)))
    return lines


def bank_from_text(
    thresholds: Sequence[BankFrom], step: int, named: "NamedSet | None" = None
) -> str:
    """Return when to bank, a line for each number of dice: narrow enough for a phone.

    step : points between turn totals
    named : the dice of the player to act, where players bring theirs
    """
    head = say_later("When to bank, by dice to roll:")
    if named:
        head = say_later("When to bank, for the dice that are most often left to roll:")
    rows = [
        (named.left(bank.dice).text if named else dice_count(bank.dice), from_text(bank, step))
        for bank in thresholds
    ]
    return "\n".join([wrap(say(head)), *columns(rows, right=() if named else {0})])


def bank_from_data(
    thresholds: Sequence[BankFrom], named: "NamedSet | None" = None
) -> list[dict[str, Any]]:
    """Return when to bank as plain data; dice of one's own by name."""
    data = [asdict(threshold) for threshold in thresholds]
    return [row | {"dice": named.left(row["dice"]).text} for row in data] if named else data


def from_text(threshold: BankFrom, step: int) -> str:
    """The turn totals at which to bank with some number of dice, in words."""
    if threshold.turn_total is None:
        return say("never")
    if not threshold.roll_again:
        return say("from {points:,} on", points=threshold.turn_total)
    message, stretches = say_later("from {points:,} on, not at {totals}"), threshold.roll_again
    if stretches[-1][1] is None:  # the totals at which to bank have an end, too
        message = say_later("only at {totals}")
        before = [first - step for first, _ in stretches]
        behind = [last + step for _, last in stretches if last is not None]
        stretches = tuple(zip([threshold.turn_total, *behind], before, strict=True))
    totals = ", ".join(starmap(stretch_text, stretches))
    return say(message, points=threshold.turn_total, totals=totals)


def stretch_text(first: int, last: int | None) -> str:
    """Turn totals from one to another, or the one; None for all that follow."""
    if last is None:
        return say("{first:,} and more", first=first)
    if first == last:
        return figure(first)
    return say("{first:,} to {last:,}", first=first, last=last)


def turn_data(turn: TurnMap) -> dict[str, Any]:
    """The turn with all cells."""
    worth = {"win_probability": turn.win_probability, "cells": list(_cells(turn))}
    return {**_about(turn), **worth, "bank_from": bank_from_data(turn.bank_from)}


def number_table(turn: TurnMap) -> dict[str, Any]:
    """Every state of a turn that can occur, and its borders, as plain data."""
    value = turn.value
    rows = [
        {
            "turn_total": int(turn.totals[cell[0]]),
            "dice": int(cell[1]) + 1,
            "win_probability": float(value[cell]),
            "roll": float(turn.roll[cell]),
            "bank": None if np.isnan(turn.bank[cell]) else float(turn.bank[cell]),
            "action": turn.action(*cell).value,
        }
        for cell in map(tuple, np.argwhere(turn.reachable))
    ]
    return {**_about(turn), "bank_from": bank_from_data(turn.bank_from), "rows": rows}


def _about(turn: TurnMap) -> dict[str, Any]:
    position = position_data(turn.rules, turn.position)
    return {"rules": turn.rules.name, "position": position}


def _cells(turn: TurnMap) -> Iterator[dict[str, Any]]:
    """What to do at each turn total with each number of dice, and what that is worth."""
    value = turn.value
    for row, total in enumerate(_totals(turn).tolist()):
        for column, dice in enumerate(turn.columns):
            yield {
                "turn_total": total,
                "dice": dice,
                "win_probability": float(value[row, column]),
                "action": turn.action(row, column),
                "reachable": bool(turn.reachable[row, column]),
            }


def turn_text(turn: TurnMap) -> str:
    """When to bank, and what there is to know of the turn, in a few lines."""
    summary = bank_from_lines(turn.bank_from, _wins_from(turn))
    marked = any("W" in line for line in summary)
    lines = [
        wrap(f"{position_text(turn.rules, turn.position)}, {turn.rules.name} rules"),
        f"Win probability {percent(turn.win_probability)} at the start of the turn.",
        f"Bank from these turn totals on, by dice left to roll{' (W: it wins)' if marked else ''}:",
        *summary,
        "Chance of a farkle:",
        *farkle_chances(turn.rules, turn.position.turn.held_set),
    ]
    if turn.rules.hot_dice_counted > 1 and not turn.position.hot_dice:
        lines.append("The turn before its first hot dice; --hot-dice 1 shows it after them.")
    if turn.rules.held_sets != "none" and not turn.position.turn.held_set:
        lines.append("The turn while no set is held.")
    if turn.rules.combine_throws and not turn.position.turn.held_set:
        lines.append("The turn while no dice are held; --held-set 11 shows it with two 1s held.")
    return "\n".join(lines)


def turn_table_text(turn: TurnMap) -> str:
    """The whole turn: turn totals down, dice to roll across, win probability in percent."""
    marks = {Decision.ROLL: " ", Decision.BANK: "B", Decision.WIN: "W"}
    value, totals = turn.value, _totals(turn)
    shown_columns = range(len(turn.columns))[::-1]
    shown = int((totals <= _last_worth_showing(turn)).sum())
    occur = np.argwhere(turn.reachable[: len(totals)]).tolist()
    wins = any(turn.action(*cell) is Decision.WIN for cell in occur)
    rows = [("", *(f"{turn.columns[n]} " for n in shown_columns))]
    for row in np.flatnonzero(turn.reachable[:shown].any(axis=1)).tolist():
        worth = (
            f"{value[row, n] * 100:.3f}{marks[turn.action(row, n)]}"
            if turn.reachable[row, n]
            else "· "
            for n in shown_columns
        )
        rows.append((f"{totals[row]:,}", *worth))
    lines = [
        turn_text(turn),
        "Win probability in % by turn total and dice:",
        f"B: bank, {'W: bank and win, ' if wins else ''}else roll; ·: cannot occur",
        *columns(rows, right=range(len(turn.columns) + 1)),
    ]
    if shown < len(totals):
        lines.append("From there on: bank.")
    return "\n".join(lines)


def _totals(turn: TurnMap) -> Ints:
    """The turn totals of the table, without the last one, which leaves no choice."""
    return turn.totals[:-1]


def _wins_from(turn: TurnMap) -> int | None:
    """The least turn total that wins when it is banked; None where none is certain to."""
    rules, position = turn.rules, turn.position
    beat = points_to_beat(rules, position)
    if beat is not None:
        return None if rules.is_defended else beat + rules.point_step
    if in_play_off(rules, position):
        return None
    wins = rules.goal_ends_game(last_of_round=not position.began)
    wins = wins and not (rules.is_exact or rules.rounds)
    return rules.winning_score - position.banked if wins else None


def _last_worth_showing(turn: TurnMap) -> int:
    """The last turn total that does not reach the goal or from which something may be rolled."""
    missing = 0 if turn.rules.rounds else turn.rules.winning_score - turn.position.banked
    totals = _totals(turn)
    rolled = totals[~turn.banks[: len(totals)].all(axis=1)]
    return max(missing - turn.rules.point_step, int(rolled.max(initial=0)))
