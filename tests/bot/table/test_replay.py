"""Games played again: an event that no command makes is refused, and it is said why."""

import pytest

from bot.table import commands
from bot.table.events import Begun, Event, Left, Resigned, Revealed, event_data
from bot.table.replay import ImpossibleEventError, replay
from solver.rules.file import load_rules


def begun(players: int) -> Begun:
    rules = load_rules("facebook")
    return commands.begin_game("g", rules, [None] * players, tracked=True)


@pytest.mark.parametrize(
    ("players", "event", "reason"),
    [
        (2, begun(2), "the game has begun already"),
        (1, Left(seat=0), "nobody can get up yet"),
        (2, Resigned(seat=0), "nobody can give up yet"),
        (2, Revealed(secret="00" * 32), "this is not the secret of its dice"),
    ],
)
def test_it_is_said_what_is_wrong(players: int, event: Event, reason: str) -> None:
    stored = [(one.kind, event_data(one)) for one in (begun(players), event)]
    with pytest.raises(ImpossibleEventError, match=f"event 2 cannot have happened: {reason}$"):
        replay(stored)
