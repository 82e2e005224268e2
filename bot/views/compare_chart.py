"""What rule sets are like to play, as a picture: a panel for each number."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.services.comparing import ComparedRules
from bot.services.variations import Compared
from bot.views.card import Attachment, Button, Card, text_card
from bot.views.compare import compare_table, compare_text, label
from bot.views.comparison_picture import sweep_chart
from bot.views.drawing import DARK, Form, Look
from solver.play.tallies import CLOSE, Estimate
from solver.wording import figure, say


def compare_chart(compared: Compared, form: Form = "png", look: Look = DARK) -> bytes:
    """Curves along an option of numbers, else bars, as the content of a file.

    What is counted and not exact has its largest standard error beside its name.
    """
    first, one = compared[0]
    along = _along(compared)
    bases = {variation.base for variation, _ in compared}
    title = say("Rule sets side by side")
    if first.option and len(bases) == 1:
        title = say("{rules} rules by {option}", rules=first.base, option=first.option)
    elif first.option:
        title = say("Rule sets by {option}", option=first.option)
    found = [one for _, one in compared]
    return sweep_chart(
        first.option or "",
        along,
        {
            say("first player wins, in %"): [100 * one.first_player for one in found],
            **_counted(say("points of a turn"), [one.tally.points for one in found]),
            **_counted(
                say("turns that end in a farkle, in %"), [one.tally.farkles for one in found], 100
            ),
            **_counted(say("turns of a game"), [one.tally.turns for one in found]),
            **_counted(
                say("decisions within {close:g} percentage points, in %", close=100 * CLOSE),
                [one.tally.close for one in found],
                100,
            ),
            **_counted(
                say("what the level {level} loses, in percentage points", level=one.careless),
                [Estimate(one.careless_loses, one.careless_wins.standard_error) for one in found],
                100,
            ),
        },
        title=title,
        lines=[say("Best play by both, {games:,} games counted for each", games=one.tally.games)],
        source=say("By farkle-advisor; ±: the largest standard error of what is counted"),
        look=look,
        form=form,
    )


def _counted(what: str, figures: Sequence[Estimate], unit: int = 1) -> dict[str, list[float]]:
    """Amounts by what they are, with their standard error if they have one."""
    most = unit * max(one.standard_error or 0.0 for one in figures)
    return {
        f"{what} (± {figure(most, '.2g')})" if most else what: [unit * one.value for one in figures]
    }


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
