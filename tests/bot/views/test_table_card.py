"""The card of a table: what it says, what its colour says, and how wide it is."""

import io
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PIL import Image

from bot.chat.presses import TablePress
from bot.languages import language
from bot.layout import text_width
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.loaded import read_fallen
from bot.services.tables import Table
from bot.store.rows import SeatRow, StoredGame
from bot.table import commands
from bot.table.events import Banked, Event, Joined, Kept, Picked, Resigned, Rolled
from bot.table.fold import Step, apply, begin, steps
from bot.table.state import Game, Stage, kept_text
from bot.views.table_buttons import kept_dice, table_buttons
from bot.views.table_card import Mood, TableCard, hot_dice_picture, table_card
from solver.loaded.kits import Kit
from solver.named.sets import read_dice, read_set
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.wording import said_in
from tests.conftest import variant

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
    done, chances = tuple(steps(game, events)), Chances(shares, None)
    after = done[-1].after if done else game
    return table_card([News(game, done, table_of(after, events), at_start=chances)])


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


def test_the_end_marks_who_has_won(game: Game) -> None:
    game = apply(game, Rolled(dice=(6, 5, 3, 3, 3, 2)))
    card = told(game, Resigned(seat=0), shares=(0.0, 1.0))
    assert "★ Bob" in card.text
    assert "★ Ann" not in card.text
    assert "%" not in card.text, "who has won is no chance"


def test_a_roll_of_ten_dice_has_room() -> None:
    rules = Ruleset(name="ten", goal=10_000, dice=10, scoring={"more_of_a_kind": "linear"})
    game = begin(commands.begin_game("ab12", rules, [None, None]))
    card = told(game, Rolled(dice=(1, 1, 1, 5, 5, 5, 2, 2, 2, 1)))
    rows = Counter(button.row for button in card.buttons)
    assert len(rows) <= 4, "and a list below them"
    assert max(rows.values()) <= 5
    assert [one.label for one in card.buttons if one.action.startswith("die")][-1] == "⚀ 1"
    assert card.menu
    assert {"resign", "details"} <= {action for action, _, _ in card.menu.options}
    [(action, label, _), *_] = card.menu.options
    assert (action, label) == ("pick1023", "All · 2,700")
    assert TablePress("ab12", 3, 0b1111111111, "en", action).chooses
    assert Image.open(io.BytesIO(card.files[0].content)).size == (10 * 88 + 11 * 20, 122)


def test_an_open_table_waits() -> None:
    alone = begin(commands.begin_game("ab12", RULES, [None]))
    card = table_card([News(None, (), table_of(alone, levels=1))])
    assert card.foot == "**Waiting for another player to join.**"
    assert card.menu
    assert {"optimal", "greedy"} <= {level for level, _, _ in card.menu.options}
    both = apply(alone, Joined())
    card = table_card(
        [News(alone, (Step(alone, Joined(), both),), table_of(both, (Joined(),), levels=1))]
    )
    assert card.foot == "**Ann starts when everybody is here.**"
    assert card.buttons[0].label == "Start"
    added = Joined(level="greedy")
    table = table_of(apply(alone, added), (added,), levels=1)
    bot = replace(table.stored.seats[1], name="greedy bot", person=None, level="greedy")
    table = replace(table, stored=replace(table.stored, seats=(table.stored.seats[0], bot)))
    menu = table_card([News(alone, (*steps(alone, [added]),), table)]).menu
    assert menu
    assert menu.options[-1][:2] == ("-greedy bot", "Remove Greedy bot")
    rolled = apply(both, Rolled(dice=(6, 5, 3, 3, 3, 2)))
    begun = table_card([News(both, (), table_of(rolled, levels=1))]).menu
    assert begun
    assert {one for one, _, _ in begun.options} == {"details", "resign", "why"}


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
    assert hot.moment is not None
    assert hot.moment.description == "Set aside: 5 5 5 1 1 1"
    assert [one.name for one in hot.files] == ["dice.png", "moment.png"]
    events: list[Event] = [Rolled(dice=(1, 1, 1, 1, 5, 2)), Kept(dice=(1, 1, 1, 1, 5)), Banked()]
    big = told(game, *events)
    assert "**💰 2,050" in big.story
    assert big.moment is not None
    assert big.moment.description == "Set aside: 5 1 1 1 1"
    assert "💰 2.050" in said_in(language("de"), told, game, *events).story
    dull = told(game, Rolled(dice=(6, 5, 3, 3, 3, 2)))
    assert dull.story == "Ann rolls 6 5 3 3 3 2."
    assert dull.moment is None
    brief = told(apply(game, Rolled(dice=six)), Kept(dice=(5,)), Rolled(dice=(6, 4, 3, 2, 1)))
    assert brief.story == "Ann keeps 5 for 50.\nAnn rolls 6 4 3 2 1.", "the rest is in the foot"
    under_way: list[Event] = [Rolled(dice=six), Kept(dice=six), Rolled(dice=(1, 2, 3, 3, 4, 6))]
    after = game
    for event in under_way:
        after = apply(after, event)
    assert hot_dice_picture(table_of(after, tuple(under_way))) == hot.moment, "as dice are chosen"


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


def with_dice(first: str, second: str) -> Game:
    """Two people before the first roll, each with their own dice."""
    kits = Kit(read_set(first)), Kit(read_set(second))
    return begin(commands.begin_game("ab12", RULES, [None, None], kits=kits, commitment="ab" * 32))


def test_loaded_dice_are_shown_by_their_faces() -> None:
    """Also where the roll ended the turn: then they are those of the player before."""
    game = with_dice("lucky*3,odd,devil*2", "ordinary*6")
    fallen = "6 5 1 lucky, 5 odd, 6 J devil"
    card = told(game, Rolled(dice=read_fallen(game, fallen, "Ann")))
    assert card.story == "Ann rolls 6 5 1 lucky, 5 odd, 6 J."
    labels = [one.label for one in card.buttons if one.action.startswith("die")]
    assert len({one.row for one in card.buttons}) == 4, "and a list below them"
    assert sorted(labels) == sorted(
        [
            "⚅ 6 lucky",
            "⚄ 5 lucky",
            "⚀ 1 lucky",
            "⚄ 5 odd",
            "⚅ 6 devil",
            "🃏 J devil",
        ]
    )
    assert card.attachments[0].description == "Rolled 6 5 1 lucky, 5 odd, 6 J"
    farkle = Rolled(dice=read_fallen(game, "6 4 2 lucky, 3 odd, 4 3 devil", "Ann"))
    card = told(game, farkle)
    assert card.mood is Mood.FARKLE
    assert card.attachments[0].description == "The last roll: 6 4 2 lucky, 3 odd, 4 3"


def test_several_loaded_dice_by_one_press() -> None:
    """What a button says is what it chooses, and that may be kept."""
    game = with_dice("lucky*3,odd,devil*2", "ordinary*6")
    game = apply(game, Rolled(dice=read_fallen(game, "6 5 1 lucky, 5 odd, 6 J devil", "Ann")))
    picks = [one for one in table_buttons(game) if one.action.startswith("pick")]
    assert picks[0].label == "All · 800"
    for one in picks:
        kept = kept_dice(game, int(one.action.removeprefix("pick")))
        after = apply(game, Kept(dice=kept))
        said, _, points = one.label.rpartition(" · ")
        assert after.turn.turn_total == int(points)
        assert said in {"All", kept_text(game, kept)}


def test_what_may_be_taken_over_is_said_without_a_command() -> None:
    rules = variant("kcd", take_over="both")
    game = begin(commands.begin_game("ab12", rules, [None, None], commitment="ab" * 32))
    for event in (Rolled(dice=(5, 4, 4, 3, 2, 2)), Kept(dice=(5,)), Banked()):
        game = apply(game, event)
    card = table_card([News(None, (), table_of(game))])
    assert card.foot == "**Bob may take over 50 points and 5 dice, or begin afresh.**"
    assert [one.label for one in card.buttons][:2] == ["Take 50, 5 dice", "Begin afresh"]


@pytest.mark.parametrize("more", ["", ",favourable,misfortune,unbalanced,mathematician"])
def test_pairs_of_a_draft_are_buttons(more: str) -> None:
    """In five lines at most, of which a list is the last where there are many."""
    pool = tuple(read_dice(f"lucky,odd,devil,weighted,holy,ordinary{more}"))
    game = begin(commands.begin_game("ab12", RULES, [None, None], pool=pool, commitment="ab" * 32))
    table = table_of(game)
    card = table_card([News(None, (), table)])
    pairs = [one.label for one in card.buttons if one.action.startswith("pair")]
    pairs += [label for _, label, _ in card.menu.options] if card.menu else []
    assert pairs == [f"2 × {die.typed}" for die in pool]
    assert len({one.row for one in card.buttons}) + bool(card.menu) == (5 if more else 4)
    assert card.foot == "**Ann takes the next pair.**"
    sheet = {
        row.split()[0]: row.split()[1:] for row in card.text.splitlines() if row[:1] not in "`"
    }
    assert sheet["lucky"] == ["27", "5", "9", "14", "18", "27"], "6 1 2 3 4 6 of 22"
    assert sheet["devil"][0] == "J17"
    assert all(text_width(row) <= 27 for row in card.text.splitlines()[1:])
    for place in range(6):
        game = apply(game, Picked(place=place))
    assert [one.action for one in table_buttons(game)] == ["roll", "resign", "rules", "details"]
