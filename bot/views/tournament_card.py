"""A tournament as a message with buttons: join and start, then a press for each game to play."""

from collections.abc import Iterator

from bot.services.tournaments import TournamentNews
from bot.table.tournament import State, Tournament
from bot.views.card import Button, Card, Style
from bot.views.layout import columns, escape_markdown
from bot.views.tournament import blocks, happened, under_way, versus
from solver.wording import say

_NAME, _BUTTON_NAME = 10, 15
"""Columns of a name in a table, so that two fit on a phone, and on a button."""
_PER_ROW = 2


def tournament_card(news: TournamentNews) -> Card:
    """A tournament as a message with buttons."""
    found = news.tournament
    parts = []
    for block in [*happened(news), *blocks(found, _NAME, commands=False)]:
        if isinstance(block, str):
            parts.append(escape_markdown(block))
        else:
            table = "\n".join(line.removeprefix("  ") for line in columns(block, right={0}))
            parts.append(f"```text\n{table}\n```")
    return Card("\n".join(parts), buttons=tuple(_buttons(found)) if found else ())


def _buttons(found: Tournament) -> Iterator[Button]:
    """What can be done now: join and start, then the games that are to be played."""
    if found.over:
        return
    if not found.started:
        yield Button("join", say("Join"), style=Style.MAIN)
        yield Button("leave", say("Leave"))
        yield Button("start", say("Start"), style=Style.BANK, enabled=len(found.present) > 1)
        return
    number = 0
    for number, one in enumerate(found.due, start=1):
        first, second = one.sides
        style = Style.PLAIN if one.state is State.PLAYING else Style.MAIN
        label = under_way(one) + versus(found, one, _BUTTON_NAME)
        yield Button(f"{first}-{second}", label, (number - 1) // _PER_ROW, style)
    yield Button("show", say("Refresh"), -(-number // _PER_ROW))
