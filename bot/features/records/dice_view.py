"""A record of dice as text and as data."""

from collections.abc import Sequence
from typing import Any

from bot.features.records.dice_statistics import DiceRecords
from bot.review.dice_record import FEWEST_DICE, DiceRecord, FaceCounts, Fairness, LoadedCount
from bot.views.layout import columns, percent, room, wrap
from solver.wording import figure, say, say_later, say_number

BAR_WIDTH = 30
"""Columns of the longest bar, where there is room."""
_BESIDE = 22
"""Columns of what is beside a bar."""
_FALLS = {
    Fairness.TOO_FEW: say_later("too few to say"),
    Fairness.FAIR: say_later("as it should"),
    Fairness.UNUSUAL: say_later("unusual"),
    Fairness.VERY_UNUSUAL: say_later("very unusual"),
}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def dice_records_text(records: DiceRecords) -> str:
    """The dice of the rules, and then those that players brought."""
    if not records.loaded:
        return dice_record_text(records.fair)
    parts = [dice_record_text(records.fair)] if records.fair.dice else []
    return "\n\n".join([*parts, _loaded_text(records.loaded)])


def dice_records_data(records: DiceRecords) -> dict[str, Any]:
    """Both for programs."""
    loaded = [
        {"die": one.die.typed, **_counts_data(one), "expected": _by_face(one.expected)}
        for one in records.loaded
    ]
    return dice_record_data(records.fair) | ({"loaded": loaded} if loaded else {})


def _loaded_text(loaded: Sequence[LoadedCount]) -> str:
    """A line for each die: the share of each face, and that by its weights in brackets."""
    head = say(
        "Loaded dice: how many were rolled, the share of each face 1 to 6 in %, and in brackets"
        " the share to expect from the weights:"
    )
    rows = []
    for one in loaded:
        shares = [
            f"{figure(100 * n / one.dice, '.0f')} ({figure(100 * mean / one.dice, '.0f')})"
            for n, mean in zip(one.counts, one.expected, strict=True)
        ]
        rows.append((one.die.typed, figure(one.dice), *shares, say(_FALLS[one.fairness])))
    return "\n".join([wrap(head), *columns(rows, right=set(range(1, 8)))])


def dice_record_text(record: DiceRecord) -> str:
    """A bar for each face, then in words whether fair dice would roll so."""
    if not record.dice:
        return say("No dice have been rolled yet.")
    most, wide = max(record.counts), min(BAR_WIDTH, max(1, room() - _BESIDE))
    rows = [
        (
            str(face),
            _bar(count / most, wide).ljust(wide),
            figure(count),
            percent(count / record.dice),
        )
        for face, count in enumerate(record.counts, 1)
    ]
    head = say_number(
        "{dice} in {number:,} roll, each face is expected {times:,.1f} times:",
        "{dice} in {number:,} rolls, each face is expected {times:,.1f} times:",
        record.rolls,
        dice=say_number("{number:,} die", "{number:,} dice", record.dice),
        times=record.expected[0],
    )
    lines = [head, *columns(rows, right={2, 3}, spare=(1,)), fairness_text(record)]
    if record.fairness is not Fairness.TOO_FEW:
        lines.append(
            say(
                "Chi-square {statistic:.2f}, 5 degrees of freedom, p = {chance:.2g}.",
                statistic=record.chi_square,
                chance=record.p_value,
            )
        )
    if record.six_dice_rolls:
        lines.append(_farkles_text(record))
    return "\n".join(map(wrap, lines))


def fairness_text(record: DiceRecord) -> str:
    """One sentence for people who know no statistics."""
    if record.fairness is Fairness.TOO_FEW:
        return say("Too few to say anything: it takes at least {number} dice.", number=FEWEST_DICE)
    if record.fairness is Fairness.FAIR:
        return say("Fair dice give counts like these.")
    if record.p_value < 1e-6:
        return say(
            "Very unusual: fair dice come out this uneven less than once in a million times."
        )
    told = say_later("Unusual: fair dice come out this uneven once in {times:,.0f} times.")
    if record.fairness is Fairness.VERY_UNUSUAL:
        told = say_later("Very unusual: fair dice come out this uneven once in {times:,.0f} times.")
    return say(told, times=1 / record.p_value)


def dice_record_data(record: DiceRecord) -> dict[str, Any]:
    """A record for programs; p-values are not rounded."""
    return {
        "rolls": record.rolls,
        **_counts_data(record),
        "expected_count": record.expected[0],
        "chi_square": record.chi_square,
        "degrees_of_freedom": record.degrees_of_freedom,
        "six_dice": {
            "rolls": record.six_dice_rolls,
            "farkles": record.six_dice_farkles,
            "expected_farkles": record.expected_farkles,
            "farkle_chance": record.farkle_chance,
            "p_value": record.farkles_p_value,
        },
    }


def _counts_data(counts: FaceCounts) -> dict[str, Any]:
    return {
        "dice": counts.dice,
        "counts": _by_face(counts.counts),
        "p_value": counts.p_value,
        "fairness": counts.fairness.value,
    }


def _by_face(numbers: Sequence[float]) -> dict[str, float]:
    return {str(face): number for face, number in enumerate(numbers, 1)}


def _farkles_text(record: DiceRecord) -> str:
    """Farkles with six dice against what is expected, and how often fair dice go so far."""
    rolls = say_number("{number:,} roll", "{number:,} rolls", record.six_dice_rolls)
    number, expected = record.six_dice_farkles, record.expected_farkles
    farkles = say_number("{number:,} farkle", "{number:,} farkles", number)
    counted = {"rolls": rolls, "farkles": farkles, "expected": expected}
    told = say(
        "Six dice at once: {rolls}, {farkles} by the rules that were played, {expected:,.1f}"
        " expected.",
        **counted,
    )
    if record.farkle_chance:
        told = say(
            "Six dice at once: {rolls}, {farkles} by the rules that were played, {expected:,.1f}"
            " expected, 1 in {times:,.1f}.",
            times=1 / record.farkle_chance,
            **counted,
        )
    share = percent(record.farkles_p_value)
    if number < expected:
        often = say("Fair dice give this few or fewer {share} of the time.", share=share)
    else:
        often = say("Fair dice give this many or more {share} of the time.", share=share)
    return f"{told} {often}"


def _bar(share: float, width: int) -> str:
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
