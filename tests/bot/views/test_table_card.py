"""The card of a table: what it says, what its colour says, and how wide it is."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PIL import Image

from bot.languages import language
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Table
from bot.store.rows import SeatRow, StoredGame
from bot.table import commands
from bot.table.events import Banked, Event, Joined, Kept, Rolled
from bot.table.state import Game, Stage, apply, begin
from bot.views.layout import text_width
from bot.views.table_card import Mood, TableCard, table_card
from solver.rules.file import load_rules
from solver.wording import said_in

RULES = load_rules("kcd")
NAMES = ("Ann", "Bob", "Carl")


def table_of(game: Game, history: tuple[Event, ...] = (), levels: int = 2) -> Table:
    now = datetime.now(UTC)
    seats = tuple(SeatRow(k, f"discord:{k}", NAMES[k], None) for k in range(len(game.seats)))
    stored = StoredGame(game.id, "discord:1", game.rules.name, True, 1, now, None, seats)
    begun = commands.begin_game(game.id, game.rules, [None] * levels, commitment="ab" * 32)
    return Table(stored, begun, history, game, now)


def told(game: Game, *events: Event, shares: tuple[float, ...] = (0.5, 0.5)) -> TableCard:
    """The card after events, told at once."""
    after = game
    for event in events:
        after = apply(after, event)
    chances = Chances(shares, None)
    return table_card([News(game, events, table_of(after, events), at_start=chances)])


@pytest.fixture
def game() -> Game:
    """Two people before the first roll."""
    return begin(commands.begin_game("ab12", RULES, [None, None], commitment="ab" * 32))


def test_a_calm_opening(game: Game) -> None:
    card = table_card([News(None, (), table_of(game), Chances((0.5, 0.5), 0.01))])
    whole = "\n".join([card.text, card.story, card.foot])
    for part in ("Ann", "Bob", "kcd rules", "Ann is to roll."):
        assert part in whole
    for part in ("commitment", "abab", "standard error", "Estimated"):
        assert part not in whole
    assert [one.action for one in card.buttons] == ["roll", "join", "leave", "rules", "details"]


def test_an_open_table_waits() -> None:
    alone = begin(commands.begin_game("ab12", RULES, [None]))
    card = table_card([News(None, (), table_of(alone, levels=1))])
    assert card.foot == "**Waiting for somebody to sit down.**"
    assert card.menu
    assert {"optimal", "greedy"} <= {level for level, _ in card.menu.options}
    both = apply(alone, Joined())
    card = table_card([News(alone, (Joined(),), table_of(both, (Joined(),), levels=1))])
    assert card.foot == "**Ann starts once all are here.**"
    assert card.buttons[0].label == "Start"
    rolled = apply(both, Rolled(dice=(6, 5, 3, 3, 3, 2)))
    assert table_card([News(both, (), table_of(rolled, levels=1))]).menu is None


def test_what_the_colour_says(game: Game) -> None:
    assert told(game).mood is Mood.LOBBY
    first = Rolled(dice=(6, 5, 3, 3, 3, 2))
    assert told(game, first).mood is Mood.PLAY
    farkle = told(game, first, Kept(dice=(5,)), Rolled(dice=(6, 4, 3, 2, 2)))
    assert farkle.mood is Mood.FARKLE
    hot = told(game, Rolled(dice=(1, 1, 1, 5, 5, 5)), Kept(dice=(1, 1, 1, 5, 5, 5)))
    assert hot.mood is Mood.HOT_DICE
    assert told(replace(game, stage=Stage.FINAL)).mood is Mood.LAST_TURNS
    assert told(replace(game, stage=Stage.OVER)).mood is Mood.OVER


def test_a_word_where_it_is_worth_one(game: Game) -> None:
    six = (1, 1, 1, 5, 5, 5)
    hot = told(game, Rolled(dice=six), Kept(dice=six), Rolled(dice=(1, 2, 3, 3, 4, 6)))
    assert hot.story.count("🔥") == 1
    events: list[Event] = [Rolled(dice=(1, 1, 1, 1, 5, 2)), Kept(dice=(1, 1, 1, 1, 5)), Banked()]
    big = told(game, *events)
    assert "**💰 2,050" in big.story
    assert "💰 2.050" in said_in(language("de"), told, game, *events).story
    dull = told(game, Rolled(dice=(6, 5, 3, 3, 3, 2)))
    assert dull.story == "Ann rolls 6 5 3 3 3 2."


def test_dice_are_as_large_however_many_there_are(game: Game) -> None:
    few = told(game, Rolled(dice=(6, 5, 3, 3, 3, 2)), Kept(dice=(5, 3, 3, 3)), Rolled(dice=(5, 1)))
    widths = {
        Image.open(io.BytesIO(card.attachments[0].content)).size
        for card in (few, told(game, Rolled(dice=(6, 5, 3, 3, 3, 2))))
    }
    assert len(widths) == 1


def test_names_do_not_break_the_sheet() -> None:
    """However wide their letters are, a row has at most as many columns as a phone shows."""
    game = begin(commands.begin_game("ab12", RULES, [None] * 3))
    table = table_of(game)
    odd = ("漢字" * 7, "`\u202e" + "x" * 28, "\u200b")
    seats = tuple(replace(seat, name=odd[seat.number]) for seat in table.stored.seats)
    table = replace(table, stored=replace(table.stored, seats=seats))
    card = table_card([News(None, (), table, Chances((0.99, 0.01, 0.0), None))])
    rows = card.text.splitlines()[2:-1]
    assert len(rows) == 6
    assert "`" not in "".join(rows)
    assert rows[1].endswith(" 99.0 %")
    assert all(text_width(row) <= 27 for row in rows)
