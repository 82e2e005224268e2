"""What rule sets are like to play, as a picture: a panel for each number."""

from collections.abc import Sequence

from bot.services.comparing import Compared
from bot.views.compare import label
from bot.views.comparison_picture import sweep_chart
from bot.views.drawing import DARK, Form
from solver.play.tallies import CLOSE


def compare_chart(compared: Compared, form: Form = "png") -> bytes:
    """Curves along an option of numbers, else bars, as the content of a file."""
    first, one = compared[0]
    along = _along(compared)
    bases = {variation.base for variation, _ in compared}
    subject = first.base if len(bases) == 1 else "rule sets"
    varied = f"{subject} rules by {first.option}" if first.option else "Rule sets side by side"
    found = [one for _, one in compared]
    return sweep_chart(
        first.option or "",
        along,
        {
            "first player wins, %": [100 * one.first_player for one in found],
            "points of a turn, best play": [one.tally.points.value for one in found],
            "turns that are farkles, %, best play": [
                100 * one.tally.farkles.value for one in found
            ],
            "turns of a game": [one.tally.turns.value for one in found],
            f"close decisions, %: within {100 * CLOSE:g} points": [
                100 * one.tally.close.value for one in found
            ],
            f"what the level {one.careless} loses, percentage points": [
                100 * one.careless_loses for one in found
            ],
        },
        title=varied,
        lines=[f"Best play by both, {one.tally.games:,} games counted for each"],
        look=DARK,
        form=form,
    )


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
