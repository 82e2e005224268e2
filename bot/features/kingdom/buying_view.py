"""The next die worth buying as people read it, as plain data and as a table."""

from typing import Any

from bot.features.kingdom.buying import Purchase, PurchaseAnswer
from bot.features.kingdom.service import Choice
from bot.features.kingdom.view import (
    MOST_CHOICES,
    begins_text,
    doubt_lines,
    points_data,
    points_figure,
    question_data,
    set_data,
    sets_note,
)
from bot.views.badges import badge_lines
from bot.views.layout import columns, percent, wrap
from bot.views.sheet import Sheet, sheet
from solver.wording import figure, say


def purchase_text(answer: PurchaseAnswer) -> str:
    """The dice that add most, with the six to take and what they win more than without."""
    owned, found = answer.question.owned, answer.purchases
    lines = [
        wrap(
            say(
                "{number:,} dice to buy; {rules} rules to {goal:,} against {theirs},",
                number=len(found),
                rules=owned.dice.rules.name,
                goal=owned.dice.rules.goal,
                theirs=owned.dice.theirs.text,
            )
            + " "
            + begins_text(begins=owned.begins)
        ),
        *badge_lines(owned.dice.badges),
    ]
    rows = [("", say("groschen"), say("the six to take"), say("points"), say("win"), "")]
    rows.append((say("now"), "", *_row(answer.now), ""))
    for one in found[:MOST_CHOICES]:
        more = gain(answer, one)
        rows.append(
            (
                one.die.typed,
                figure(one.price),
                *_row(one.best),
                "" if more is None else figure(100 * more, "+.2f"),
            )
        )
    lines += columns(rows, right={1, 3, 4, 5}, spare=(2, 3))
    if len(found) > MOST_CHOICES:
        lines.append(say("and {number:,} more", number=len(found) - MOST_CHOICES))
    prices = say("Prices are from the game's own tables, which do not say which shop sells a die.")
    lines.append(wrap(f"{prices} {sets_note()}"))
    lines += doubt_lines(found[0].best.dice, owned.dice.theirs, joker_alone=owned.dice.joker_alone)
    return "\n".join(lines)


def gain(answer: PurchaseAnswer, one: Purchase) -> float | None:
    """What a die adds to the win probability; None where it was not played out."""
    if one.best.win is None or answer.now.win is None:
        return None
    return one.best.win - answer.now.win


def purchase_data(answer: PurchaseAnswer) -> dict[str, Any]:
    """All dice as plain data."""
    return {
        **question_data(answer.question.owned),
        "most_price": answer.question.most_price,
        "now": set_data(answer.now),
        "dice": [_data(answer, one) for one in answer.purchases],
    }


def purchase_sheet(answer: PurchaseAnswer) -> Sheet:
    """A row for each die."""
    names = ("die", "price", "best", "points", "win_probability", "gain")
    return sheet(names, (_data(answer, one) for one in answer.purchases))


def _data(answer: PurchaseAnswer, one: Purchase) -> dict[str, Any]:
    return {
        "die": one.die.typed,
        "price": one.price,
        "best": one.best.dice.text,
        "points": points_data(one.best.points),
        "win_probability": one.best.win,
        "gain": gain(answer, one),
    }


def _row(best: Choice) -> tuple[str, str, str]:
    win = "" if best.win is None else percent(best.win)
    return best.dice.text, points_figure(best.points), win
