"""How a turn ends after a choice, in a line and as the bars of a histogram."""

from collections import defaultdict
from dataclasses import dataclass

from bot.views.layout import percent
from solver.play.endings import TurnEnds
from solver.play.maps import ones_twos_fives
from solver.wording import figure, say

_MOST_BARS = 8
_RARE = 0.005
"""A chance below which points have no bar of their own."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram."""

    label: str
    chance: float
    is_farkle: bool = False


def ends_text(ends: TurnEnds) -> str:
    """The chance of a farkle, and what the turn brings on average."""
    return say(
        "farkle {chance}, {points:,.0f} points on average",
        chance=percent(ends.farkle),
        points=ends.points,
    )


def ends_bars(ends: TurnEnds) -> list[Bar]:
    """How a turn ends as a few bars: a farkle, then points banked, in steps of round numbers."""
    bars = [Bar(say("farkle"), ends.farkle, is_farkle=True)] if ends.farkle else []
    if ends.out:
        bars.append(Bar(say("loses the game"), ends.out, is_farkle=True))
    if ends.loses:
        bars.append(Bar(say("loses everything"), ends.loses, is_farkle=True))
    likely = [points for points, chance in ends.banked if chance > _RARE]
    if likely:
        step = _step(likely[0], likely[-1])
        grouped: defaultdict[int, float] = defaultdict(float)
        for points, chance in ends.banked:
            grouped[min(points, likely[-1]) // step] += chance
        last = max(grouped)
        for low, chance in sorted(grouped.items()):
            first = max(low * step, likely[0]) if low == likely[0] // step else low * step
            bars.append(Bar(_range(first, (low + 1) * step - 1, is_last=low == last), chance))
    return bars + ([Bar(say("wins the game"), ends.wins)] if ends.wins else [])


def _step(least: int, most: int) -> int:
    """Points in a bar: 1, 2 or 5 times a power of ten, so that there are not too many bars."""
    return next(step for step in ones_twos_fives() if most // step - least // step < _MOST_BARS)


def _range(first: int, last: int, *, is_last: bool) -> str:
    return say("from {points:,}", points=first) if is_last else f"{figure(first)}–{figure(last)}"
