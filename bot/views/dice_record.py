"""A record of dice as text and as data."""

from typing import Any

from bot.services.dice_record import FEWEST_DICE, DiceRecord, Fairness
from bot.views.text import columns, percent, wrap

BAR_WIDTH = 30
_EIGHTHS = " ▏▎▍▌▋▊▉"


def dice_record_text(record: DiceRecord) -> str:
    """A bar for each face, then in words whether fair dice would roll so."""
    if not record.dice:
        return "No dice have been rolled yet."
    most = max(record.counts)
    rows = [
        (
            str(face),
            _bar(count / most).ljust(BAR_WIDTH),
            f"{count:,}",
            percent(count / record.dice),
        )
        for face, count in enumerate(record.counts, 1)
    ]
    head = f"{_plural(record.dice, 'die', 'dice')} in {_plural(record.rolls, 'roll', 'rolls')}"
    expected = f"each face is expected {record.expected_count:,.1f} times"
    lines = [f"{head}, {expected}:", *columns(rows, right={2, 3}), fairness_text(record)]
    if record.fairness is not Fairness.TOO_FEW:
        lines.append(
            f"Chi-square {record.chi_square:.2f}, 5 degrees of freedom, p = {record.p_value:.2g}."
        )
    if record.six_dice_rolls:
        lines.append(_farkles_text(record))
    return "\n".join(map(wrap, lines))


def fairness_text(record: DiceRecord) -> str:
    """One sentence for people who know no statistics."""
    uneven = f"counts as uneven as these happen to fair dice {_once_in(record.p_value)}"
    return {
        Fairness.TOO_FEW: f"Too few to say anything; it takes at least {FEWEST_DICE} dice.",
        Fairness.FAIR: "These counts are as fair dice would give them.",
        Fairness.UNUSUAL: f"Unusual: {uneven}.",
        Fairness.VERY_UNUSUAL: f"Very unusual: {uneven}.",
    }[record.fairness]


def dice_record_data(record: DiceRecord) -> dict[str, Any]:
    """A record for programs; p-values are not rounded."""
    return {
        "rolls": record.rolls,
        "dice": record.dice,
        "counts": {str(face): count for face, count in enumerate(record.counts, 1)},
        "expected_count": record.expected_count,
        "chi_square": record.chi_square,
        "degrees_of_freedom": 5,
        "p_value": record.p_value,
        "fairness": record.fairness.value,
        "six_dice": {
            "rolls": record.six_dice_rolls,
            "farkles": record.six_dice_farkles,
            "expected_farkles": record.expected_farkles,
            "farkle_chance": record.farkle_chance,
            "p_value": record.farkles_p_value,
        },
    }


def _farkles_text(record: DiceRecord) -> str:
    """Farkles with six dice against what is expected, and how often fair dice go so far."""
    farkles, expected = record.six_dice_farkles, record.expected_farkles
    chance = f", 1 in {1 / record.farkle_chance:,.1f}" if record.farkle_chance else ""
    told = (
        f"Six dice at once: {_plural(record.six_dice_rolls, 'roll', 'rolls')},"
        f" {_plural(farkles, 'farkle', 'farkles')}, {expected:,.1f} expected{chance}."
    )
    direction = "few or fewer" if farkles < expected else "many or more"
    often = percent(record.farkles_p_value)
    return f"{told} Fair dice give so {direction} in {often} of such records."


def _once_in(chance: float) -> str:
    if chance < 1e-6:
        return "less than once in a million times"
    return f"once in {1 / chance:,.0f} times"


def _bar(share: float) -> str:
    eighths = round(share * BAR_WIDTH * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _plural(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
