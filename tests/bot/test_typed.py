"""What people type is never shown as anything but what one sees."""

import asyncio
import json
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from wcwidth import wcwidth

from bot.chat.commands import Line
from bot.fronts.discord.asking import person_of
from bot.fronts.discord.front import DiscordFront
from bot.fronts.lines import spoken_by
from bot.layout import cleaned, escape_markdown, plain_markdown, safe_text
from bot.services.advisor import Advisor
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.store.store import Store
from bot.table.events import Setup
from bot.table.fair_dice import Proof, verify_proof
from bot.wiring import open_parts
from solver.errors import FarkleError
from solver.rules.file import load_rules
from tests.bot.fronts.discord.heard import Heard
from tests.bot.odd_text import ACTED_ON, HIDDEN, ODD, acted_on_in, hidden_in
from tests.bot.speaking import Chat

SHARED = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(st.text() | ODD)
@example("z" + "\u0335\u200d" * 12)
@example("\u1fef")
@example("\ud7b0")
def test_what_is_cleaned_is_seen(text: str) -> None:
    found = cleaned(text)
    assert cleaned(found) == found
    assert hidden_in(found) == []
    # another list of what takes no room, of the terminals' widths
    assert all(wcwidth(one) > 0 or one == "\n" or _joins(one) for one in found)


def _joins(letter: str) -> bool:
    """Whether it is seen with the letter before: marks, and the later parts of Korean syllables."""
    korean = unicodedata.name(letter, "").startswith(("HANGUL JUNGSEONG", "HANGUL JONGSEONG"))
    return korean or unicodedata.category(letter)[0] == "M"


@given(st.text(st.characters(categories=("Lu", "Ll", "Nd", "Po", "Sm"), max_codepoint=0x2FF)))
def test_what_one_sees_stays(text: str) -> None:
    assert cleaned(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", ["Zoë", "José", "Ὀδυσσεύς", "שלום", "नमस्ते", "日本語", "🎲 x"])
def test_names_of_all_scripts_stay(text: str) -> None:
    assert safe_text(text, 30) == text


@given(ODD, st.integers(1, 40))
def test_a_name_is_short_and_on_one_line(text: str, width: int) -> None:
    found = safe_text(text, width)
    assert "\n" not in found
    assert sum(max(wcwidth(one), 0) for one in found) <= width


@given(ODD)
@example("[a](b) [c](d)")
@example("x  y ```<t:0:R>```")
def test_discord_makes_nothing_of_it(text: str) -> None:
    assert acted_on_in(escape_markdown(text)) == []


LINES = [
    "{odd}", "/advise {odd}", "/odds {odd}", "/play @{odd}", "/play {odd}", "/track {odd}",
    "/{odd}", "{odd}: /show", "{odd}: /join", "/seed {odd}", "/score {odd} 300", "/fix {odd} 300",
    "/stats {odd}", "/help {odd}", "/review {odd}", "/proof {odd}", "/rules {odd}",
    "/rules show {odd}", "/rules use {odd}", "/rules delete {odd}", "/rules new {odd} {odd}:1",
    "/rules new a goal:{odd}", "/match {odd} {odd}", "/settings language:{odd}", "/forget {odd}",
    "/show game:{odd}", "/levels rules:{odd}", "/show", "/games", "/leaderboard", "/rules",
]  # fmt: skip


@pytest.mark.slow
@SHARED
@given(st.lists(st.tuples(st.sampled_from(LINES), ODD), min_size=8, max_size=8))
async def test_the_console_says_nothing_hidden(chat: Chat, typed: list[tuple[str, str]]) -> None:
    for line, odd in typed:
        for reply in await chat.all(line.replace("{odd}", odd)):
            assert hidden_in(reply.text) == []
            assert len(reply.text) < 4_000
            assert json.dumps(reply.data).isascii()
    await chat.all("/end")


@given(ODD)
def test_who_speaks_at_the_console_has_a_name(text: str) -> None:
    caller, _ = spoken_by(f"{text}: /show")
    assert caller.person.name == safe_text(caller.person.name, 30) != ""


@pytest.mark.slow
@SHARED
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["play", "track", "show", "stats", "rules", "help", "games", "leaderboard",
                 "score", "review", "match", "settings", "advise", "levels", "end", "seed"]
            ),
            ODD,
            ODD,
        ),
        min_size=6,
        max_size=6,
    )
)  # fmt: skip
async def test_discord_is_told_nothing_that_acts(
    front: DiscordFront, typed: list[tuple[str, str, str]]
) -> None:
    for name, odd, other in typed:
        interaction: Any = Heard(odd)
        words: tuple[Any, ...] = (other,)
        options: dict[str, Any] = {}
        if name in {"play", "track", "stats"}:
            words = (Person("discord:12", person_of(Heard(other).user).name),)
            options = {} if name == "stats" else {"rules": other} if "5" in odd else {}
        elif name == "settings":
            words, options = (), {"language": other}
        elif name in {"show", "levels", "end"} and "5" in odd:
            words, options = (), {"game" if name != "levels" else "rules": other}
        await front.run(interaction, name, Line(words, options))
        assert interaction.said
        for text in interaction.said:
            assert acted_on_in(text) == [], (name, odd, other)
            assert len(text) <= 2_000


@pytest.fixture
async def front(data: Path, tmp_path: Path) -> Any:
    """The front of Discord, without one."""
    advisor = Advisor(data / "strategies")
    async with open_parts(Settings(data=tmp_path), advisor) as parts:
        yield DiscordFront(parts.commands, parts.pressing)


@pytest.mark.parametrize("text", [*ACTED_ON, *HIDDEN])
def test_a_name_in_discord_is_never_empty(text: str) -> None:
    user: Any = SimpleNamespace(id=5, display_name=text)
    found = person_of(user)
    assert found.name
    assert hidden_in(found.name) == []


async def test_names_from_before_are_cleaned_where_they_are_shown(
    chat: Chat, tmp_path: Path
) -> None:
    """The database of an older program may have any."""
    await chat.say("/play @bob rules:kcd")
    store = await Store.open(Settings(data=tmp_path).database_url)
    change = "UPDATE seats SET name = ? WHERE number = 1"
    names = ("b\u202eob\x1b[2J\u200b",)
    await store.write(lambda connection: connection.exec_driver_sql(change, names).rowcount)
    await store.close()
    await asyncio.sleep(0)
    chat_names = await chat.say("/show")
    assert hidden_in(chat_names) == []
    assert hidden_in(plain_markdown("b\u202eob\x1b[2J")) == []


@pytest.mark.parametrize(
    "seed",
    ["[1, 2]", "[ 1, 2 ]", "<t:0:R> @everyone", "é\u3164\u0301\u0301\u0301", '"dice": [1, 2]'],
)
async def test_a_seed_is_exact_in_its_proof(front: DiscordFront, seed: str) -> None:
    """It counts to the last byte, whatever is shown of it."""
    games = front._games
    ann, bob = Person("discord:11", "Ann"), Person("discord:12", "Bob")
    caller = Caller("discord:500", ann, manages=True)
    [begun] = [one async for one in games.play(caller, [ann, bob], Setup(rules=load_rules("kcd")))]
    game = begun.table.game.id
    interaction: Any = Heard("Ann")
    await front.run(interaction, "seed", Line(tuple(seed.split(" ")), {}))
    assert [text for one in interaction.said for text in acted_on_in(one)] == []
    async for _ in games.roll(caller, game):
        pass
    async for _ in games.resign(caller, game):
        pass
    [reply] = [one async for one in front._commands.by_name["proof"].answer(Line((), {}), caller)]
    text = reply.text  # type: ignore[union-attr]
    assert text.isascii()
    proof = Proof.model_validate_json(text)
    assert [one.text for one in proof.seeds] == [seed]
    assert verify_proof(proof).holds
    assert len(proof.rolls) == 1


@pytest.mark.parametrize(
    "seed",
    ["x  y", "a\u200db", "e\u0301", "\u202eabc", "👨\u200d👩", "\u3000x", "z" + "\u0335" * 20],
)
async def test_a_seed_typed_at_the_console_is_exact(chat: Chat, seed: str) -> None:
    """It is kept to the letter, and shown in the proof alone, in escapes."""
    await chat.say("ann: /play @bob rules:kcd")
    told = await chat.say(f"ann: /seed  {seed} ")
    assert told.startswith("ann adds randomness to the dice.")
    assert hidden_in(told) == []
    for line in ("ann: /roll", "bob: /resign sure:yes"):
        await chat.say(line)
    text = await chat.say("ann: /proof")
    proof = Proof.model_validate_json(text)
    assert [one.text for one in proof.seeds] == [seed]
    assert verify_proof(proof).holds


@pytest.mark.parametrize("seed", ["a\nb", "a\tb", "\x1b[2J", "\ud800", "\u2028", "\x85", ""])
async def test_what_is_no_line_is_no_seed(chat: Chat, seed: str) -> None:
    await chat.say("ann: /play @bob rules:kcd")
    caller = spoken_by("ann: /seed")[0]
    replies = chat.commands.by_name["seed"].answer(Line((seed,), {}), caller)
    with pytest.raises(FarkleError, match="a seed is 1 to 64 characters of one line"):
        await anext(replies)
