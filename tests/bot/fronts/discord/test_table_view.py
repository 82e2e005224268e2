"""The card of any table is one that Discord takes: any players, rules, dice and names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.components import _component_factory
from discord.ui import LayoutView
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bot.chat.presses import TablePress, pressable_table, read_press
from bot.fronts.discord.frames import card_view, shown_texts, shows_moment
from bot.languages import language
from bot.layout import LONGEST_NAME, safe_text
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Person, Table, seat_row
from bot.store.rows import StoredGame
from bot.table import commands
from bot.table.events import Begun, Event, Picked
from bot.table.fold import apply, begin, steps
from bot.table.state import Game, Stage, kept_text, laid_out
from bot.views.card import LONGEST_LABEL, Attachment, Button
from bot.views.table_buttons import kept_dice, shown_faces, table_buttons
from bot.views.table_card import TableCard, choice_card, table_card
from solver.loaded.kits import Kit
from solver.named.sets import read_set
from solver.play.policies import LEVELS
from solver.rules.file import load_rules
from solver.wording import said_in
from tests.bot.fronts.discord.components import (
    BUTTON,
    IN_PARTS,
    SELECT,
    Json,
    component_problems,
    told_back,
    walk,
)
from tests.bot.odd_text import ODD
from tests.conftest import variant

RULES = [
    load_rules("facebook"),
    load_rules("zilch"),
    variant("kcd", name="ninety-nine letters are too many", goal=1000, ending="equal_turns"),
    variant("kcd", name="short", goal=500, dice=2),
]
SETS = ["lucky*3,odd,devil*2", "ordinary*6", "grozav*2,aranka,tengri,weighted,holy"]
LANGUAGES = ["en", "de"]
NAMES = st.sampled_from(["Ann", "Bob", "W" * LONGEST_NAME, "漢字" * 15, "*_~`|" * 6]) | ODD
CHART = b"\x89PNG of a chart"


@st.composite
def begun_games(draw: st.DrawFn) -> Begun:
    """A game before its first move."""
    how = draw(st.sampled_from(["plain", "plain", "plain", "real", "kits", "draft"]))
    many = 2 if how in {"kits", "draft"} else draw(st.integers(1, commands.MOST_PLAYERS))
    level: st.SearchStrategy[str | None] = (
        st.sampled_from([None, None, None, *LEVELS]) if how == "plain" else st.none()
    )
    more: dict[str, Any] = {"hints": draw(st.booleans()), "tracked": how == "real"}
    rules = draw(st.sampled_from(RULES))
    if how == "kits":
        more["kits"] = tuple(Kit(read_set(draw(st.sampled_from(SETS)))) for _ in range(many))
        rules = load_rules("kcd")
    if how == "draft":
        more["pool"] = read_set("lucky,odd,devil,weighted,holy,ordinary").dice
        rules = load_rules("kcd")
    if how != "real":
        more["commitment"] = "ab" * 32
    levels = [draw(level) if number else None for number in range(many)]
    return commands.begin_game("0123456789abcdef", rules, levels, **more)


def moves(draw: st.DrawFn, game: Game, number: int) -> list[Event]:
    """What may happen next, as the commands make it."""
    seat = game.mover
    if game.stage is Stage.LOBBY and len(game.seats) < 2:
        return list(commands.join(game))
    if game.is_drafting:
        place, _ = draw(st.sampled_from(laid_out(game)))
        return [Picked(place=place)]
    if game.turn.roll is None:
        if draw(st.integers(0, 19)) == 0 and game.stage is not Stage.LOBBY:
            playing = [number for number, one in enumerate(game.seats) if one.playing]
            return list(commands.resign(game, draw(st.sampled_from(playing))))
        if game.may_bank and draw(st.booleans()):
            return list(commands.bank(game, seat))
        secret = number.to_bytes(32, "big")
        return list(commands.roll(game, seat, commands.fallen(game, secret)))
    chosen = draw(st.sampled_from(game.set_asides()))
    return list(commands.keep(game, seat, chosen.dice))


@dataclass(frozen=True, repr=False)
class Evening:
    """The news of a table that its message tells."""

    told: list[News]

    def __repr__(self) -> str:
        """Short, as whole games are long."""
        game = self.told[-1].table.game
        return f"{len(game.seats)} players, {game.rules.name}, {game.stage}, {game.turn}"


@st.composite
def evenings(draw: st.DrawFn) -> Evening:
    """A game at a table, of which the last news are shown."""
    begun = draw(begun_games())
    game = begin(begun)
    history: list[Event] = []

    def news(before: Game | None, made: list[Event]) -> News:
        names = [draw(NAMES) for _ in game.seats]
        share = 1 / len(game.seats)
        chances = draw(st.sampled_from([None, Chances((share,) * len(game.seats), 0.01)]))
        return news_of(begun, before, history, game, made, names, chances)

    told = [news(None, [])]
    for number in range(draw(st.integers(0, 40))):
        if game.over:
            break
        made = moves(draw, game, draw(st.integers(0, 1000)) + number)
        before = game
        for event in made:
            game = apply(game, event)
        history += made
        told.append(news(before, made))
    return Evening(told[-draw(st.integers(1, 8)) :])


def news_of(
    begun: Begun,
    before: Game | None,
    history: Sequence[Event],
    game: Game,
    made: Sequence[Event],
    names: Sequence[str],
    chances: Chances | None,
) -> News:
    """What was made of a game, at a table of people and bots; people have names."""
    now = datetime.now(UTC)
    levels = [seat.level for seat in game.seats]
    rows = []
    for number, level in enumerate(levels):
        name = safe_text(names[number], LONGEST_NAME) or "user"
        player: Person | str = Person(f"discord:{number}", name) if level is None else level
        rows.append(seat_row(number, player, levels))
    stored = StoredGame(game.id, "discord:1", game.rules.name, True, 1, now, None, tuple(rows))
    table = Table(stored, begun, tuple(history), game, now)
    done = tuple(steps(before, made)) if before else ()
    return News(before, done, table, chances, at_start=chances)


def parts_of(view: discord.ui.LayoutView) -> list[Json]:
    """A message of parts as it is sent."""
    found: list[Json] = view.to_components()  # type: ignore[no-untyped-call]
    return found


def problems(view: discord.ui.LayoutView, names: set[str]) -> Iterator[str]:
    """What Discord would refuse of a message of parts."""
    sent = parts_of(view)
    data: Json = {"flags": IN_PARTS, "content": "", "embeds": []}
    yield from component_problems(data, sent, names)
    for one in walk(sent):
        if one["type"] == SELECT:
            options = one["options"]
            if not 1 <= len(options) <= 25 or len({o["value"] for o in options}) < len(options):
                yield f"options {options}"
            texts = [(o["label"], 100) for o in options]
            texts += [(o["value"], 100) for o in options]
            texts += [(o["description"], 100) for o in options if "description" in o]
            texts.append((one["placeholder"], 150))
            yield from (text for text, most in texts if not 0 < len(text) <= most)
        for item in one.get("items", []):
            if not 0 < len(item.get("description") or "") <= 1024:
                yield f"description {item}"


@pytest.mark.slow
@settings(
    max_examples=40,
    # a table is too much to look for a smaller one
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data(), st.sampled_from(LANGUAGES), st.integers(0, 63), st.booleans())
def test_any_table_is_one_that_discord_takes(
    data: st.DataObject, code: str, mask: int, is_late: bool
) -> None:
    told = data.draw(evenings()).told
    game = told[-1].table.game
    chart = CHART if game.over else None
    card = said_in(language(code), table_card, told, chart, pictures=not is_late)
    small = Attachment("moment.png", CHART, "W" * 2_000)
    cards = [(card, 0), (replace(card, moment=small), 0)]
    if game.turn.roll is not None:
        mask &= (1 << len(game.turn.roll)) - 1
        texts = {"text": card.text, "story": card.story, "foot": card.foot}
        changed = said_in(language(code), choice_card, game, mask, texts, pictures=not is_late)
        assert {name: getattr(changed, name) for name in texts} == texts
        cards.append((changed, mask))
        assert len(kept_dice(game, mask)) == mask.bit_count()
    for shown, chosen in cards:
        names = {one.name for one in shown.files}
        view = said_in(language(code), card_view, pressable_table(shown, game, code, chosen))
        assert isinstance(view, LayoutView)
        assert list(problems(view, names)) == []
        sent = [one for one in walk(parts_of(view)) if one["type"] == BUTTON]
        # nothing of what a button says is cut off
        assert [one["label"] for one in sent] == [one.label for one in sorted_rows(shown.buttons)]
        for one, meant in zip(sent, sorted_rows(shown.buttons), strict=True):
            found = read_press(one["custom_id"])
            assert isinstance(found, TablePress)
            assert (found.action, found.game) == (meant.action, game.id)
            assert (found.version, found.mask) == (game.version, chosen)


def sorted_rows(buttons: tuple[Button, ...]) -> list[Button]:
    """Buttons in the order in which they are shown."""
    return sorted(buttons, key=lambda one: one.row)


@pytest.mark.parametrize("moment", [None, Attachment("moment.png", CHART, "Set aside: 5")])
def test_a_message_tells_back_what_its_card_said(moment: Attachment | None) -> None:
    """Which is what is shown on as dice are chosen."""
    said: dict[str, Any] = {
        "text": "-# Game",
        "story": "Ann keeps 5 for 50.",
        "foot": "**Ann is to roll.**",
    }
    game = begin(commands.begin_game("ab12", RULES[0], [None, None]))
    card = TableCard(**said, moment=moment, buttons=tuple(table_buttons(game)))
    view = card_view(pressable_table(card, game, "en"))
    assert isinstance(view, LayoutView)
    sent = told_back(parts_of(view), {}, "discord")
    made: Any = _component_factory
    message: Any = SimpleNamespace(components=list(map(made, sent)))
    assert shown_texts(message) == said
    assert shows_moment(message) == (moment is not None)
    assert (shown_texts(None), shows_moment(None)) == ({}, False)


@pytest.mark.slow
def test_names_of_dice_make_room_for_the_rest_of_a_label() -> None:
    """Loaded dice with long names, all of which are chosen though some score nothing."""
    kit = Kit(read_set("holy-trinity,unbalanced,wisdom-tooth,weighted,st-antiochus,king"))
    begun = commands.begin_game("ab12", load_rules("kcd"), [None, None], kits=(kit, kit))
    types = [kit.dice.first_name(k).typed for k in range(6)]
    assert sum(map(len, types)) > 40
    game = begin(begun)
    for secret in range(40):
        [rolled] = commands.roll(game, 0, commands.fallen(game, secret.to_bytes(32, "big")))
        after = apply(game, rolled)
        if after.turn.roll is None:
            continue
        for mask in (0, 0b111111):
            for one in table_buttons(after, mask):
                assert 0 < len(one.label) <= LONGEST_LABEL
                if found := re.fullmatch(r"pick(\d+)", one.action):
                    picked = kept_dice(after, int(found[1]))
                    faces = " ".join(map(str, shown_faces(after, picked)))
                    named = kept_text(after, picked)
                    assert one.label.partition(" · ")[0] in {named, faces, "All"}
