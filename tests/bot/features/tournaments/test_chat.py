"""Tournaments as people read them at the console, kept in tests/playthroughs/tournament.

To write them anew after a change that is meant:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest tests/bot/features/tournaments/test_chat.py
"""

from pathlib import Path

import pytest

from bot.features.tournaments import service as tournaments
from bot.features.tournaments.view import tournament_card
from bot.fronts.discord.slash import AsAsked
from bot.languages import language
from bot.layout import MOST_IN_MESSAGE, text_width
from bot.services import tables
from solver.wording import ENGLISH, said_in, speak
from tests.bot.known_dice import fixed_secrets, known_secrets
from tests.bot.slash_options import slash_options
from tests.bot.speaking import Chat, open_chat
from tests.bot.test_playthroughs import FOLDER, assert_kept

LINES = [
    "/tournament",
    "ann: /tournament new rules:kcd",
    "bob: /tournament new",
    "bob: /tournament start",
    "bob: /tournament join",
    "bob: /tournament join",
    "cem: /tournament join",
    "dot: /tournament join",
    "dot: /tournament withdraw",
    "ann: /tournament play",
    "ann: /tournament start",
    "dot: /tournament join",
    "dot: /tournament play",
    "ann: /tournament play cem",
    "bob: /tournament play",
    "bob: /tournament play ann",
    "dot: /join",
    "ann: /resign sure:yes",
    "cem: /tournament play",
    "bob: /end",
    "bob: /tournament play cem",
    "cem: /tournament play",
    "cem: /resign sure:yes",
    "/tournament play",
    "ann: /tournament play",
    "bob: /resign sure:yes",
    "bob: /tournament play",
    "/tournament",
    "ann: /tournament new knock-out rules:kcd",
    "bob: /tournament join",
    "cem: /tournament join",
    "dot: /tournament join",
    "eve: /tournament join",
    "ann: /tournament start",
    "bob: /tournament play",
    "bob: /resign sure:yes",
    "ann: /tournament remove eve",
    "ann: /tournament remove zoe",
    "ann: /tournament play cem dot",
    "dot: /resign sure:yes",
    "/tournament",
    "/tournament end",
    "ann: /tournament play bob",
    "/tournament dance",
    "/tournament new swiss",
]


@pytest.fixture
def same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids by their number, dice from a known secret, the draw in the order of names backwards."""
    known = fixed_secrets("tournament")
    known.token_hex = known_secrets("tournament").token_hex
    monkeypatch.setattr(tables, "secrets", known)
    monkeypatch.setattr(tournaments, "secrets", known)
    monkeypatch.setattr(tournaments, "_drawn", lambda numbers: numbers[::-1])


@pytest.mark.usefixtures("same_every_time")
@pytest.mark.parametrize("code", ["en", pytest.param("de", marks=pytest.mark.slow)])
async def test_playthrough(code: str, data: Path, tmp_path: Path) -> None:
    speak(language(code))
    told = []
    async with open_chat(tmp_path, data / "strategies") as chat:
        for line in LINES:
            told.append(f"> {line}")
            who = line.partition(":")[0] if ": " in line else "player"
            for reply in await chat.all(line):
                alone = f"(to {who} alone) " if reply.private else ""
                told.append(alone + reply.text)
    found = "\n".join(told) + "\n"
    assert_kept(FOLDER / "tournament" / f"{code}.txt", found)


@pytest.mark.parametrize("form", ["round-robin", "knock-out"])
@pytest.mark.parametrize("code", ["de", pytest.param("en", marks=pytest.mark.slow)])
async def test_sixteen_with_long_names_fit(chat: Chat, form: str, code: str) -> None:
    people = [f"{chr(ord('a') + k)}{'w_' * 14}" for k in range(16)]
    reply = await chat.answer(f"{people[0]}: /tournament new {form} rules:kcd")
    for one in people[1:]:
        reply = await chat.answer(f"{one}: /tournament join")
    full = await chat.answer("z: /tournament join")
    assert "is full (16 players)" in full.text
    for number in range(4):
        if number == 1:
            reply = await chat.answer(f"{people[0]}: /tournament start")
        if number > 1:
            one, other = reply.data["due"][0]
            await chat.all(f"{one}: /tournament play {other}")
            await chat.all(f"{other}: /resign sure:yes")
            reply = await chat.answer("/tournament")
        card = said_in(language(code), tournament_card, reply.subject)
        assert len(card.text) < MOST_IN_MESSAGE
        assert len(card.buttons) <= 9
        assert max(one.row for one in card.buttons) < 5
        assert all(len(one.label) <= 40 for one in card.buttons)
        columns = "\n".join(card.text.split("```")[1::2]).split("\n")
        assert max(map(text_width, columns)) <= 30
        assert len(reply.data["players"]) == 16


def test_sentences_name_what_goes_with_a_command_in_discord() -> None:
    english = AsAsked(ENGLISH, slash_options())
    assert english.one("there is no tournament here: /tournament new makes one").endswith(
        "/tournament what:new makes one"
    )
    assert english.one(
        "Others join with /tournament join; {host} begins it with /tournament start."
    ) == ("Others join with /tournament what:join; {host} begins it with /tournament what:start.")
