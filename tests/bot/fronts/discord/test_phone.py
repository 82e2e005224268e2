"""What commands answer in Discord, laid out as a phone shows it: nothing is cut off.

With FARKLE_PHONE_PICTURES=FOLDER every message is drawn into a folder, to be looked at.
"""

import itertools
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.chat.presses import pressable_table
from bot.fronts.discord.frames import card_view
from bot.languages import language
from bot.layout import PHONE, text_width
from bot.services import comparing
from bot.services.chances import Chances
from bot.services.games import News
from bot.table import commands
from bot.table.events import Event
from bot.table.fold import apply, begin
from bot.table.state import Game
from bot.views.table_card import table_card
from solver.rules.file import load_rules
from solver.wording import figure, said_in
from tests.bot.fronts.discord.components import told_back
from tests.bot.fronts.discord.loopback import Loopback, Message, user
from tests.bot.fronts.discord.phone import LOOKS, Phone, write_page
from tests.bot.fronts.discord.test_evening import PICTURES, Evening
from tests.bot.fronts.discord.test_forms import typed
from tests.bot.fronts.discord.test_table_view import news_of
from tests.bot.waiting import until
from tests.conftest import mostly_slow, rarely

WAITS = re.compile(r"\b\d+ (s|min)\.$", re.M)
CHOICES = re.compile(r"^\d+\\\. ", re.M)
"""Rows of advice."""
MANY_WORDS = {
    "my_dice": "lucky*3,odd,ordinary*2",
    "their_dice": "ordinary*6",
    "me": 1000,
    "them": "1000",
}
"""More than there is room for in a button."""
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("help", {}),
    ("help", {"command": "all"}),
    ("help", {"command": "play"}),
    ("advise", {"dice": "6 5 3 3 3 2"}),
    ("advise", {"dice": "5 5 1", "them": "2500,3100", "turn": 300}),
    ("advise", {"dice": "6 5 3 lucky, 1 odd, 3 2 ordinary", "my_dice": "lucky*3,odd,ordinary*2"}),
    ("advise", {"dice": "5 1 3 lucky, 1 odd, 1 5 ordinary"} | MANY_WORDS),
    ("odds", {"turn": 350, "dice": 2}),
    ("rules list", {}),
    ("rules show", {"name": "kcd"}),
    ("rules show", {"name": "facebook"}),
    ("rules diff", {"one": "kcd", "other": "classic"}),
    ("best-response", {"policy": "greedy"}),
    ("compare", {"rules1": "ruby-koans", "rules2": "two-dice-pig"}),
    ("duel", {"first": "max-points", "second": "greedy"}),
    ("points", {}),
    ("komi", {}),
    ("levels", {}),
    ("kcd", {"my_dice": "lucky*3,odd,ordinary*2"}),
    ("kcd", {"list": "dice"}),
    ("kcd", {"list": "badges"}),
    ("kcd", {"own": "lucky*2,odd,devil", "goal": 1500}),
    ("explain", {"turn": 350, "dice": 2}),
    ("explore", {"me": 2000, "them": 2500}),
    ("daily", {}),
    ("drill", {}),
]


MOST_LINES = 5
"""Rows of buttons that fit the screen below a turn."""
MOST_SHOWN, MOST_MOVES, ENOUGH = 6, 60, 400
NAMES = ["Ann", "Bob", "Wilhelmina-Charlotte of the Dale", "Eve", "Ida", "漢字漢字", "Max", "Zoë"]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize("number", mostly_slow((str(number), number) for number in range(2, 9)))
def test_tables_fit_on_a_phone(number: int, code: str) -> None:
    """Two to eight play: nothing is cut off before the game, in a turn, after it and at the end."""
    levels = [None if seat % 3 < 2 else "cautious" for seat in range(number)]
    begun = commands.begin_game("0123456789ab", load_rules("kcd"), levels, commitment="ab" * 32)
    game, history, told = begin(begun), list[Event](), list[News]()
    shares = (2 * rank / number / (number + 1) for rank in range(number, 0, -1))
    chances = Chances(tuple(shares), 0.01)

    def show(before: Game | None, made: Sequence[Event]) -> None:
        told.append(news_of(begun, before, history, game, made, NAMES, chances))
        card = said_in(language(code), table_card, told[-3:])
        files = {one.name: one.content for one in card.files}
        view: Any = card_view(pressable_table(card, game, code))
        parts = told_back(view.to_components(), files, "phone")
        message = Message("1", "1", {"content": "", "components": parts, "flags": 0}, files)
        assert not (game.over and "may go on" in card.story)
        sheet = card.text.split("```")[1].splitlines()[1:] if number > 4 else []
        named = [row[2:14] for row in sheet]
        assert len(named) == len({*named})
        assert ("█" in card.text) == (number < 5 and not game.over), "bars for up to four"
        scores = [said_in(language(code), figure, one.score) for one in game.seats]
        assert all(f" {score} " in f"{row} " for row, score in zip(sheet, scores, strict=False))
        rows = {one.row for one in card.buttons}
        assert len(rows) + bool(card.menu) <= MOST_LINES
        for name, look in LOOKS.items():
            phone = Phone(look)
            drawn = phone.draw(message)
            assert phone.cut == []
            if PICTURES:
                folder = Path(PICTURES, f"tables-{code}")
                folder.mkdir(parents=True, exist_ok=True)
                drawn.save(folder / f"{number}-{len(told):02}-{name}.png")

    show(None, [])
    for seed in itertools.count(number):
        if game.over:
            break
        before, made = game, next_moves(game, seed)
        for event in made:
            game = apply(game, event)
        history += made
        if len(told) < MOST_SHOWN or game.over:
            show(before, made)
    if PICTURES:
        write_page(Path(PICTURES))


def next_moves(game: Game, seed: int) -> list[Event]:
    """A move of a player who banks 400; after a while one after the other gives up."""
    if seed > MOST_MOVES:
        return list(
            commands.resign(game, max(k for k, one in enumerate(game.seats) if one.playing))
        )
    if game.turn.roll is not None:
        return list(commands.keep(game, game.mover, game.set_asides()[0].dice))
    if game.may_bank and game.turn.turn_total >= ENOUGH:
        return list(commands.bank(game, game.mover))
    fallen = commands.fallen(game, seed.to_bytes(32, "big"))
    return list(commands.roll(game, game.mover, fallen))


def is_answered(message: Message) -> bool:
    """Whether a message says more than how long its answer takes."""
    return WAITS.search(message.text) is None


@pytest.mark.slow
@pytest.mark.parametrize("code", rarely(["en", "de"], "en"))
@pytest.mark.usefixtures("parts")
async def test_answers_fit_on_a_phone(
    code: str, discord: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "GAMES", 100)  # what is counted in more of them looks the same
    ann = user("11", "Ann") | {"locale": code}
    evening = Evening(discord, Phone(LOOKS["dark"], {"11": "Ann"}))
    for name, options in ASKED:
        answer = await evening.slash(ann, name, **options)
        assert all(one["custom_id"] for one in answer.buttons)
        if name == "advise":
            assert answer.text.startswith("### ")
            assert len(CHOICES.findall(answer.text)) <= 3 or not answer.buttons
            if answer.action("all"):
                every = await evening.press(ann, answer, "all")
                assert every.ephemeral
                assert len(CHOICES.findall(every.text)) > 3
        if WAITS.search(answer.text):
            await until(partial(is_answered, answer))
            evening.saw("later", answer)
    assert "</play:" in evening.lines[1], "commands can be tapped"
    compared = next(one for one in discord.messages.values() if "n:compare" in str(one.data))
    note = await evening.press(ann, compared, "compare")
    assert note.ephemeral
    assert "farkles*" in note.text.replace("\\", "") if code == "en" else "Farkles" in note.text
    if PICTURES:
        evening.write(Path(PICTURES, f"answers-{code}"))
    assert evening.phone.cut == []
    tables = re.findall(r"```text\n(.*?)\n```", "\n".join(evening.lines), flags=re.DOTALL)
    assert max(text_width(line) for table in tables for line in table.splitlines()) <= PHONE


@pytest.mark.slow
@pytest.mark.parametrize("code", rarely(["en", "de"], "en"))
@pytest.mark.usefixtures("parts")
async def test_ways_by_buttons_fit_on_a_phone(code: str, discord: Loopback) -> None:
    """A lobby with bots, pairs of dice, real dice and steps of a walk."""
    people = {name: user(str(11 + k), name) | {"locale": code} for k, name in enumerate(NAMES)}
    ann, bob, *_ = people.values()
    told = {one["id"]: one["global_name"] for one in people.values()}
    evening = Evening(discord, Phone(LOOKS["dark"], told))
    table = await evening.slash(ann, "play")
    await evening.press(bob, table, "join")
    await evening.choose(ann, table, "greedy")
    await evening.choose(bob, table, table.entry("Remove" if code == "en" else "Gier-Bot weg"))
    assert not re.search(r"Remove \w|\w wegschicken", str(table.data)), "it is gone"
    await evening.slash(ann, "end")
    dice = await evening.slash(ann, "play", player2=bob, draft="choose", goal=600)
    for taker in (ann, bob, bob, ann, ann, bob):
        pair = next(one["custom_id"] for one in dice.buttons if ":pair" in one["custom_id"])
        await evening.press(taker, dice, pair.split(":")[-1])
    await evening.press(ann, dice, "roll")
    hint = await evening.press(ann, dice, "hint")
    assert hint.text.startswith("### ")
    assert "dice.png" in hint.files
    if hint.action("all"):
        await evening.press(ann, hint, "all")
    await evening.slash(ann, "end")
    walk = await evening.slash(ann, "explore", me=1000, them="2000,1500", rules="kcd")
    for step in ("them", "themdown2", "sides", "turn"):
        await evening.press(ann, walk, step)
    real = await evening.slash(ann, "track", player2=bob)
    for teller, action, text in ((ann, "points", "550"), (bob, "fell", "1 1 1 5 2 3")):
        evening.saw(f"[{action}] {text}", await typed(discord, teller, real, action, text))
    if PICTURES:
        evening.write(Path(PICTURES, f"ways-{code}"))
    assert evening.phone.cut == []
