"""Games that are followed, against reading them from the start."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.review.moments import read_events
from bot.review.worth import Worth
from bot.services.chances import GameReaders
from bot.services.tables import Table
from bot.store.rows import StoredGame
from bot.table import commands
from bot.table.events import Banked, Event, Kept, Rolled
from bot.table.fold import fold
from solver.game.best import Strategy

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ONES, FIVES = Rolled(dice=(1, 1, 2, 3, 3, 4)), Rolled(dice=(5, 5, 2, 3, 3, 4))
KEPT_ONES, KEPT_FIVES = Kept(dice=(1, 1)), Kept(dice=(5, 5))


def table_of(strategy: Strategy, *events: Event) -> Table:
    begun = commands.begin_game("g", strategy.rules, [None, None])
    stored = StoredGame("g", "here", strategy.rules.name, True, 1, NOW, None, ())
    return Table(stored, begun, events, fold(begun, events), NOW)


@pytest.mark.parametrize(
    "other",
    [
        (ONES, KEPT_ONES, Banked(), ONES, KEPT_ONES, Banked()),
        (ONES, KEPT_ONES, Banked(), FIVES, KEPT_FIVES, Banked()),
        (ONES, KEPT_ONES),
        (FIVES, KEPT_FIVES, Banked()),
        (FIVES,),
    ],
)
def test_what_was_read_counts_only_where_the_game_began_so(
    strategies: dict[str, Strategy], other: tuple[Event, ...]
) -> None:
    """A game that is set back has another history at the versions that were read already."""
    strategy = strategies["kcd"]
    worth = Worth(lambda _, players: {2: strategy}[players])
    first = table_of(strategy, ONES, KEPT_ONES, Banked(), FIVES)
    for before in (first, replace(first, events=first.events[:-1])):
        readers = GameReaders()
        readers.followed(worth, before)
        after = table_of(strategy, *other)
        alone = read_events(worth, after.begun, after.events)
        last = alone.changes[-1] if alone.changes else None
        assert readers.followed(worth, after)[1] == last
        assert readers.whole(worth, after).luck == alone.luck
        assert readers.followed(worth, after)[1] == last


def test_only_so_many_games_are_followed(
    strategies: dict[str, Strategy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that another program ends are not heard of any more."""
    monkeypatch.setattr("bot.services.tables._MOST_LIVE", 2)
    worth, readers = Worth(lambda _, players: {2: strategies["kcd"]}[players]), GameReaders()
    table = table_of(strategies["kcd"], ONES, KEPT_ONES)
    for number in range(4):
        readers.followed(worth, replace(table, game=replace(table.game, id=f"g{number}")))
    assert list(readers._known) == ["g2", "g3"]
