"""What Discord is given, without one: buttons, typed options, and dice found in messages."""

import random
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from discord.utils import escape_markdown as discord_escape_markdown
from discord.utils import escape_mentions

from bot.chat.presses import pressable_table, read_press
from bot.fronts.discord.frames import card_view
from bot.fronts.discord.front import dice_in
from bot.fronts.discord.slash import RULES_COMMANDS
from bot.languages import language
from bot.layout import LONGEST_NAME, escape_markdown, text_width
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Table
from bot.store.rows import SeatRow, StoredGame
from bot.table import commands
from bot.table.events import Accepted, Event, Kept, Rolled
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.card import LISTED
from bot.views.table_buttons import kept_dice, table_buttons, why_not
from bot.views.table_card import TableCard, choice_card, table_card
from solver.errors import FarkleError
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.file import load_rules
from solver.turn.dice import Roll, set_asides
from solver.wording import said_in
from tests.bot.fronts.discord.components import (
    BUTTON,
    IN_PARTS,
    SELECT,
    Json,
    buttons_of,
    component_problems,
    walk,
)
from tests.bot.fronts.discord.phone import lines_of_buttons
from tests.bot.slash_options import slash_options
from tests.bot.speaking import open_chat
from tests.conftest import mostly_slow
from tests.usual import USUAL

BADGES = ["gold-transmutation@farkle", "silver-doppelganger"]
NAMES = ["Ann", "_Bob_ *x*", "Zoë `y`", "@everyone"]


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("6 5 3 3 3 2", "6 5 3 3 3 2"),
        ("I rolled 653332!", "653332"),
        ("roll: 5, 5, 2. What now?", "5, 5, 2"),
        ("⚅⚄⚂⚂⚂⚁", "⚅⚄⚂⚂⚂⚁"),
        ("at 12:30 I had 1,200 points and 7 dice", None),
        ("version 1.2, game 3f, 2024-11-21", None),
        ("4,200 to 5,000: 1 1 5", "1 1 5"),
        ("", None),
    ],
)
def test_dice_in_messages(text: str, dice: str | None) -> None:
    assert dice_in(text) == dice


async def test_every_option_of_every_command_has_its_type(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as chat:
        known = chat.commands.by_name
    assert set(known) == {*slash_options(), "rules", "quit"}
    for name, options in slash_options().items():
        assert {one.name for one in options if not one.is_word} == set(known[name].options), name
    assert set(RULES_COMMANDS) == {
        *("list", "show", "find", "like", "diff", "new", "use", "solve", "cancel", "delete")
    }


def table_of(game: Game, names: list[str], *, opened: bool = False) -> Table:
    now = datetime.now(UTC)
    seats = tuple(SeatRow(k, f"discord:{k}", name, None) for k, name in enumerate(names))
    stored = StoredGame(game.id, "discord:1", game.rules.name, True, 1, now, None, seats)
    begun = commands.begin_game(game.id, game.rules, [None] * (1 if opened else len(names)))
    return Table(stored, begun, (), game, now)


def sent(card: TableCard, game: Game, mask: int) -> list[Json]:
    """The components of a card, within all that Discord allows."""
    view: Any = card_view(pressable_table(card, game, "pt-BR", mask))
    components: list[Json] = view.to_components()
    names = {one.name for one in card.attachments}
    told = {"flags": IN_PARTS if view.has_components_v2() else 0, "content": "", "embeds": []}
    assert component_problems(told, components, names) == []
    ids = [one["custom_id"] for one in walk(components) if one["type"] in {BUTTON, SELECT}]
    assert all(map(read_press, ids))
    return components


def check_choice(game: Game, mask: int, can: set[str], picks: set[str]) -> None:
    """The buttons of a roll: what may be kept, and of several dice what is worth most."""
    legal = {one.dice: one.points for one in set_asides(game.rules, game.turn.roll or ())}
    assert ("roll" in can) == (kept_dice(game, mask) in legal)
    assert {f"die{k}" for k in range(6)} & can
    picked = [kept_dice(game, int(one.removeprefix("pick"))) for one in picks]
    assert all(len(dice) > 1 and dice in legal for dice in picked)
    several = sorted((legal[one] for one in legal if len(one) > 1), reverse=True)
    assert sorted((legal[one] for one in picked), reverse=True)[:2] == several[:2]


def keep_and_bank(game: Game, dice: Roll) -> list[Event]:
    [kept] = commands.keep(game, game.mover, dice)
    return [kept, *commands.bank(apply(game, kept), game.mover)]


def check_reasons(game: Game) -> None:
    """Whatever is chosen, what is disabled has a reason, which Why not? tells."""
    for mask in range(1 << len(game.turn.roll or ())):
        told = why_not(game, mask)
        assert all(map(str.strip, told))
        for one in table_buttons(game, mask):
            assert one.enabled == (not one.why) or one.action == "why"
            assert not one.why or one.why in told


@pytest.mark.slow
@pytest.mark.parametrize("badge", mostly_slow(zip(BADGES, BADGES, strict=True), 2))
def test_what_is_disabled_has_a_reason_with_badges_too(badge: str) -> None:
    """Dice that a badge may change, farkles on the table, real dice and dealt ones."""
    chance, rules = random.Random(badge), load_rules("kcd")
    for number, tracked in enumerate((False, True)):
        kit = Kit(read_set(["lucky*3,odd,devil*2", "ordinary*6"][number]), read_badge(badge))
        begun = commands.begin_game("ab12", rules, [None] * 2, kits=(kit, kit), tracked=tracked)
        game = begin(begun)
        for _ in range(12):
            check_reasons(game)
            events: list[Event] = [Accepted()]
            if game.turn.roll is None:
                secret = chance.randbytes(32)
                events = [*commands.roll(game, game.mover, commands.fallen(game, secret))]
            elif not game.is_farkle:
                kept = chance.choice(game.set_asides()).dice
                events = [*commands.keep(game, game.mover, kept)]
            for event in events:
                game = apply(game, event)


@pytest.mark.mostly_slow(12)
@pytest.mark.parametrize("preset", mostly_slow(zip(USUAL, USUAL, strict=True)))
@pytest.mark.parametrize(
    "players", [2, 3, 8, *(pytest.param(number, marks=pytest.mark.slow) for number in (4, 5))]
)
def test_buttons_offer_what_is_legal(preset: str, players: int) -> None:
    """In random games every button that can be pressed does what it says, within the limits."""
    chance, rules = random.Random(f"{preset} {players}"), load_rules(preset)
    names = [f"{NAMES[k % 4]}{k}" * chance.randint(1, 6) for k in range(players)]
    game = begin(commands.begin_game("12ab34cd", rules, [None] * players))
    for _ in range(100 // players):
        mask = chance.randrange(64)
        opened = chance.random() < 0.5
        table = table_of(game, [name[:LONGEST_NAME] for name in names], opened=opened)
        shares = [chance.random() for _ in names]
        chances = Chances(tuple(share / sum(shares) for share in shares), None)
        whole = table_card([News(game, (), table, at_start=chances)], b"a chart")
        assert all(text_width(row) <= 27 for row in whole.text.splitlines()[2:-1])
        sent(whole, game, mask)
        components = sent(choice_card(game, mask, {}), game, mask)
        buttons = buttons_of(components)
        can = {one["custom_id"].split(":")[-1] for one in buttons if not one.get("disabled")}
        lists = [one for one in walk(components) if one["type"] == SELECT]
        can |= {entry["value"] for one in lists for entry in one["options"]}
        picks = {one for one in can if one.startswith("pick")}
        assert {one for one in can - picks if not one.startswith("die")} <= {
            "roll", "bank", "hint", "undo", "join", "resign", "review", "again", "refresh", "why",
            "details", "leave", "rules",
        }  # fmt: skip
        barred = [one for one in buttons if one.get("disabled")]
        assert ("why" in can) == any(not one["custom_id"].endswith(":why") for one in barred)
        check_reasons(game)
        if game.over:
            assert ("review" in can) == (players == 2)
            return
        events: list[Event] = []
        if game.turn.roll is not None:
            check_choice(game, mask, can, picks)
            try:
                events = keep_and_bank(game, kept_dice(game, mask))
            except FarkleError:
                assert "bank" not in can
            else:
                assert "bank" in can
            kept = chance.choice(set_asides(rules, game.turn.roll)).dice
            events = [*commands.keep(game, game.mover, kept)]
            with suppress(FarkleError):
                events = keep_and_bank(game, kept) if chance.random() < 0.5 else events
        else:
            assert "roll" in can
            assert ("bank" in can) == game.may_bank
            if game.may_bank and chance.random() < 0.6:
                events = [*commands.bank(game, game.mover)]
            else:
                dice = tuple(chance.randint(1, 6) for _ in range(game.turn.dice))
                events = [*commands.roll(game, game.mover, dice)]
        for event in events:
            game = apply(game, event)


@pytest.mark.parametrize(
    ("code", "dice"),
    [
        *(("en", ""), ("de", ""), ("en", "lucky*2,odd*2,painted*2")),
        ("de", "shrinking*2,greaser*2,painted*2"),
    ],
)
def test_nothing_jumps_while_dice_are_chosen(code: str, dice: str) -> None:
    """Whatever is chosen, the buttons take as many lines of a phone, and Bank is beside Roll."""
    chance, rules = random.Random(code), load_rules("kcd" if dice else "facebook")
    kits = (Kit(read_set(dice)),) * 2 if dice else ()
    first = begin(commands.begin_game("12ab34cd", rules, [None] * 2, kits=kits))
    tried = 0
    for _ in range(40):
        fallen = commands.fallen(first, chance.randbytes(32))
        game = apply(first, Rolled(dice=fallen))
        masks = [mask for mask in range(64) if kept_dice(game, mask)] if game.turn.roll else []
        lines = set()
        for mask in [0, *chance.sample(masks, min(len(masks), 6))]:
            rows: dict[int, list[Json]] = {}
            for one in said_in(language(code), table_buttons, game, mask):
                if one.row != LISTED:
                    rows.setdefault(one.row, []).append({"label": one.label, "action": one.action})
            if not rows or not masks:
                continue
            lines.add(lines_of_buttons(list(rows.values())))
            [row] = [row for row in rows.values() if any(one["action"] == "bank" for one in row)]
            legal = kept_dice(game, mask) in {one.dice for one in game.set_asides()}
            assert not legal or lines_of_buttons([row]) == 1, [one["label"] for one in row]
            tried += legal
        assert len(lines) <= 1, (game.turn.roll, lines)
        assert max(lines, default=0) <= 4, "with the list below them they are one more"
    assert tried > 20


def test_a_roll_of_real_dice_is_kept_by_buttons() -> None:
    """What can be pressed is what /keep and /bank would take, and Farkle is for whole turns."""
    players: list[str | None] = [None, None]
    begun = commands.begin_game("12ab34cd", load_rules("kcd"), players, tracked=True)
    game = begin(begun)

    def can(mask: int = 0) -> set[str]:
        return {one.action for one in table_buttons(game, mask) if one.enabled}

    assert can() == {"farkle", "fell", "points", "hint", "details", "why"}
    game = apply(game, Rolled(dice=(5, 3, 2, 1, 1, 1)))
    assert can() >= {"die0", "pick57", "undo", "why"}
    assert not can() & {"farkle", "keep", "bank", "roll"}
    assert can(0b111001) >= {"keep", "bank"}
    assert [one.label for one in table_buttons(game, 1) if one.action == "keep"] == ["Keep 50"]
    game = apply(game, Kept(dice=(5,)))
    assert can() == {"bank", "fell", "hint", "details", "undo"}


def test_names_are_shown_as_they_are() -> None:
    """As discord.py would have them shown, whatever people call themselves.

    Links and what is in <>, of which it leaves more, are in tests/bot/test_typed.py.
    """
    chance = random.Random(1)
    parts = [*"_*~|`\\>#-()@! \n", "a", "x.y/_z_", "@everyone", "@here"]
    parts += ["> ", ">>> ", "###", "@12345678901234567", "@!12345678901234567890"]
    for _ in range(3000):
        text = "".join(chance.choices(parts, k=chance.randint(0, 9)))
        expected = escape_mentions(discord_escape_markdown(text, ignore_links=False))
        assert escape_markdown(text) == expected
