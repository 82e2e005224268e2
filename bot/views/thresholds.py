"""When to bank, by the dice that are left to roll: in a few lines, and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import starmap
from typing import TYPE_CHECKING, Any

from bot.views.layout import beneath, columns, dice_count, wrap
from solver.turn.thresholds import BankFrom
from solver.wording import figure, say, say_number

if TYPE_CHECKING:
    from solver.named.sets import NamedSet


def threshold_text(one: BankFrom, wins_from: int | None = None) -> str:
    """The turn total from which on to bank; with a W where that bank wins."""
    if one.turn_total is None:
        return say("never")
    mark = "W" if wins_from is not None and one.turn_total >= wins_from else ""
    return figure(one.turn_total) + mark


def bank_from_lines(found: Sequence[BankFrom], wins_from: int | None = None) -> list[str]:
    """A line of dice above one of turn totals, and a sentence where one rolls again above.

    wins_from : the least turn total that wins, where it matters
    """
    heads = [dice_count(one.dice) for one in found]
    lines = beneath(heads, [threshold_text(one, wins_from) for one in found])
    lines += [
        wrap(
            say_number(
                "With {number} die roll again at turn totals of {totals}.",
                "With {number} dice roll again at turn totals of {totals}.",
                one.dice,
                totals=", ".join(starmap(stretch_text, one.roll_again)),
            )
        )
        for one in found
        if one.roll_again
    ]
    return lines


def bank_from_text(found: Sequence[BankFrom], named: "NamedSet | None" = None) -> str:
    """Return when to bank, a line for each number of dice: narrow enough for a phone.

    named : the dice of the player to act, where players bring theirs
    """
    if named is None:
        head = say("When to bank, by dice to roll:")
        rows = [(dice_count(one.dice), _from_text(one)) for one in found]
        return "\n".join([head, *columns(rows, right={0})])
    head = wrap(say("When to bank, for the dice that are most often left to roll:"))
    rows = [(named.left(one.dice).text, _from_text(one)) for one in found]
    return "\n".join([head, *columns(rows)])


def bank_from_data(
    found: Sequence[BankFrom], named: "NamedSet | None" = None
) -> list[dict[str, Any]]:
    """Return when to bank as plain data; dice of one's own by name."""
    data = [asdict(one) for one in found]
    return [one | {"dice": named.left(one["dice"]).text} for one in data] if named else data


def _from_text(one: BankFrom) -> str:
    """From which turn total on to bank with some number of dice."""
    if one.turn_total is None:
        return say("never")
    if not one.roll_again:
        return say("from {points:,} on", points=one.turn_total)
    return say(
        "from {points:,} on, not at {totals}",
        points=one.turn_total,
        totals=", ".join(starmap(stretch_text, one.roll_again)),
    )


def stretch_text(first: int, last: int) -> str:
    """Turn totals from one to another, or the one."""
    if first == last:
        return figure(first)
    return say("{first:,} to {last:,}", first=first, last=last)
