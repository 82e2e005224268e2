"""The fair start in words, as plain data and as a table."""

from dataclasses import asdict
from typing import Any

from bot.views.layout import columns, wrap
from bot.views.sheet import Sheet, sheet
from solver.play.komi import HeadStart, Komi
from solver.rules.ruleset import Ruleset
from solver.wording import figure, say


def komi_text(rules: Ruleset, found: Komi) -> str:
    """The fair head start, with its neighbours and none at all."""
    shown = sorted({*found.neighbours, found.without}, key=lambda one: one.points)
    rows = [(say("head start"), say("first player wins"), "")]
    rows += [
        (
            _who(one),
            figure(one.win_probability, ".6f"),
            say("closest to even") if one == found.best else "",
        )
        for one in shown
    ]
    lines = [_head(rules, found), *columns(rows, right={1})]
    if rules.has_opening:
        lines.append(say("A player with a head start is already on the board."))
    return wrap("\n".join(lines))


def komi_data(found: Komi) -> dict[str, Any]:
    """A table of head starts as plain data, with all of them."""
    return {**asdict(found), "neighbours": [asdict(one) for one in found.neighbours]}


def komi_sheet(found: Komi) -> Sheet:
    """All head starts: less than 0 where the first player gets them."""
    return sheet(("points", "win_probability"), map(asdict, found.head_starts))


def _head(rules: Ruleset, found: Komi) -> str:
    if found.best.points == 0:
        return say("{rules} rules are fairest without a head start.", rules=rules.name)
    if found.best.points > 0:
        return say(
            "Under {rules} rules a head start of {points:,} points for the second player is"
            " fairest.",
            rules=rules.name,
            points=found.best.points,
        )
    return say(
        "Under {rules} rules a head start of {points:,} points for the first player is fairest.",
        rules=rules.name,
        points=-found.best.points,
    )


def _who(one: HeadStart) -> str:
    if one.points > 0:
        return say("{points:,} for the second player", points=one.points)
    if one.points < 0:
        return say("{points:,} for the first player", points=-one.points)
    return say("none")
