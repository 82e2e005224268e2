"""When to bank, by number of dice, in a few lines."""

from collections.abc import Sequence

from bot.views.layout import columns, dice_count, wrap
from solver.turn.thresholds import BankFrom
from solver.wording import figure, say, say_number


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
    lines = columns(
        [heads, [threshold_text(one, wins_from) for one in found]], right=range(len(found))
    )
    lines += [
        wrap(
            say_number(
                "With {number} die roll again at turn totals of {totals}.",
                "With {number} dice roll again at turn totals of {totals}.",
                one.dice,
                totals=", ".join(map(_stretch, one.roll_again)),
            )
        )
        for one in found
        if one.roll_again
    ]
    return lines


def _stretch(ends: tuple[int, int]) -> str:
    first, last = ends
    if first == last:
        return figure(first)
    return say("{first:,} to {last:,}", first=first, last=last)
