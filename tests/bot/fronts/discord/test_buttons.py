"""What Discord is given, without one: buttons, typed options, and dice found in messages."""

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from discord.utils import escape_markdown as discord_escape_markdown
from discord.utils import escape_mentions

from bot.fronts.discord.buttons import TableButton, table_view
from bot.fronts.discord.front import dice_in
from bot.fronts.discord.slash import OPTIONS, RULES_COMMANDS
from bot.services.games import News
from bot.services.tables import Table
from bot.store.rows import SeatRow, StoredGame
from bot.table import commands
from bot.table.events import Event
from bot.table.state import Game, apply, begin
from bot.views.card import (
    kept_dice,
    table_buttons,
    table_card,
    why_not,
)
from bot.views.layout import MOST_IN_MESSAGE, escape_markdown
from solver.errors import FarkleError
from solver.rules.file import load_rules, preset_names
from solver.turn.scoring import set_asides
from tests.bot.chat import open_chat

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
    assert set(known) == {*OPTIONS, "rules", "quit"}
    for name, options in OPTIONS.items():
        assert {one.name for one in options if not one.is_word} == set(known[name].options), name
    assert {"list", "show", "diff", "new", "use", "solve", "cancel", "delete"} == set(
        RULES_COMMANDS
    )


def table_of(game: Game, names: list[str]) -> Table:
    now = datetime.now(UTC)
    seats = tuple(SeatRow(k, f"discord:{k}", name, None) for k, name in enumerate(names))
    stored = StoredGame(game.id, "discord:1", game.rules.name, True, 1, now, None, seats)
    begun = commands.begin_game(game.id, game.rules, [None] * len(names))
    return Table(stored, begun, (), game, now)


@pytest.mark.parametrize("preset", preset_names())
def test_buttons_offer_what_is_legal(preset: str) -> None:
    """In random games every button that can be pressed does what it says, within the limits."""
    chance, rules = random.Random(preset), load_rules(preset)
    names = NAMES[: chance.randint(2, 4)]
    game = begin(commands.begin_game("12ab34cd", rules, [None] * len(names)))
    for _ in range(150):
        mask = chance.randrange(64)
        table = table_of(game, names)
        rows = table_view(game, table_buttons(game, mask), "en", mask).to_components()
        buttons = [one for row in rows for one in row["components"]]
        assert len(rows) <= 5
        assert all(len(row["components"]) <= 5 for row in rows)
        ids = [one["custom_id"] for one in buttons]
        assert len(set(ids)) == len(ids)
        assert all(0 < len(one["label"]) <= 80 for one in buttons)
        template = TableButton.__discord_ui_compiled_template__
        assert all(len(one) <= 100 and template.fullmatch(one) for one in ids)
        card = table_card([News(game, (), table)])
        assert len(card.text) <= MOST_IN_MESSAGE
        can = {one["custom_id"].split(":")[-1] for one in buttons if not one.get("disabled")}
        assert {one for one in can if not one.startswith("die")} <= {
            "roll", "bank", "hint", "undo", "join", "resign", "review", "again", "refresh", "why",
        }  # fmt: skip
        assert ("why" in can) == (len(can) < len(buttons))
        assert "why" not in can or why_not(game, mask)
        if game.over:
            assert "review" in can
            return
        events: list[Event] = []
        if game.turn.roll is not None:
            legal = kept_dice(game, mask) in [one.dice for one in set_asides(rules, game.turn.roll)]
            assert ("roll" in can) == legal
            assert {f"die{k}" for k in range(6)} & can
            try:
                events = [*commands.keep_and(game, game.mover, kept_dice(game, mask), "bank")[0]]
            except FarkleError:
                assert "bank" not in can
            else:
                assert "bank" in can
            kept = chance.choice(set_asides(rules, game.turn.roll)).dice
            then: Literal["bank", "roll"] = "bank" if chance.random() < 0.5 else "roll"
            try:
                events = [*commands.keep_and(game, game.mover, kept, then)[0]]
            except FarkleError:
                events = [*commands.keep(game, game.mover, kept)]
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
