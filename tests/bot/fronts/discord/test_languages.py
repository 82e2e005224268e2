"""Everybody reads their own language; tables speak that of their place."""

from pathlib import Path

from bot.store.store import Store
from tests.bot.fronts.discord.loopback import Json, Loopback, user
from tests.bot.fronts.discord.play import choose, is_choice, press, shown
from tests.bot.fronts.discord.process import Bot

ANN = user("11", "Ann")
KARL = user("14", "Karl") | {"locale": "de"}


def described(command: Json) -> list[Json]:
    """A command with all its options and subcommands."""
    inner = [one for option in command.get("options", []) for one in described(option)]
    return [command, *inner]


async def test_commands_are_described_in_german(bot: Bot, discord: Loopback) -> None:
    commands = {one["name"]: one for one in discord.commands}
    advise = commands["advise"]
    assert advise["description"].startswith("What to keep")
    assert advise["description_localizations"]["de"].startswith("Was du")
    [menu] = [one for one in discord.commands if one["type"] == 3]
    assert menu["name_localizations"]["de"] != menu["name"]
    typed = [one for one in discord.commands if one["type"] == 1]
    for one in (part for command in typed for part in described(command)):
        german = one["description_localizations"].get("de", "")
        assert german != one["description"], one["name"]
        assert 0 < len(german) <= 100
    [hints] = [one for one in commands["play"]["options"] if one["name"] == "hints"]
    assert [one["name_localizations"]["de"] for one in hints["choices"]] == ["ja", "nein"]
    assert bot.process.returncode is None


async def test_everybody_reads_their_own_language(bot: Bot, discord: Loopback) -> None:
    told = await shown(await discord.slash(KARL, "advise", dice="6 5 3 3 3 2"))
    assert "51,10 %" in told.text
    assert "Regeln facebook" in told.text
    told = await shown(await discord.slash(ANN, "advise", dice="6 5 3 3 3 2"))
    assert "51.10 %" in told.text
    refused = await shown(await discord.slash(KARL, "advise", dice="7 7"))
    assert refused.ephemeral
    assert "„7“ ist keine Augenzahl" in refused.text
    assert bot.process.returncode is None


async def test_a_table_speaks_the_language_of_its_server(bot: Bot, discord: Loopback) -> None:
    discord.locale = "de"
    message = await shown(await discord.slash(ANN, "play", player2=KARL, rules="kcd"))
    assert message.labels[0] == "6 Würfel werfen"
    await press(discord, ANN, message, "roll")
    assert "Ann würfelt" in message.text
    if is_choice(message):
        hint = await shown(await discord.press(ANN, message, "Tipp"))
        assert "Keep" in hint.text, "what is for Ann alone is in her language"
    refused = await shown(await discord.slash(KARL, "bank", guild="400"))
    assert "it is" not in refused.text
    assert bot.process.returncode is None


async def test_a_table_keeps_the_language_it_began_in(bot: Bot, discord: Loopback) -> None:
    message = await shown(await discord.slash(KARL, "play", player2=ANN, rules="kcd"))
    for _ in range(3):
        by = ANN if "▸ Ann" in message.text else KARL
        what = await choose(discord, by, message) if is_choice(message) else "roll"
        await press(discord, by, message, what)
        assert "Spiel " in message.text
        assert message.entry("Aufgeben") or "Aufgeben" in message.labels
    assert bot.process.returncode is None


async def test_a_host_chooses_a_language(bot: Bot, discord: Loopback) -> None:
    host = ANN | {"permissions": 1 << 4}
    told = await shown(await discord.slash(host, "settings", language="de"))
    assert "deutsch" in told.text.lower()
    told = await shown(await discord.slash(ANN, "advise", dice="6 5 3 3 3 2"))
    assert "51,10 %" in told.text
    await shown(await discord.slash(host, "settings", language="auto"))
    told = await shown(await discord.slash(ANN, "advise", dice="6 5 3 3 3 2"))
    assert "51.10 %" in told.text
    assert bot.process.returncode is None


async def test_what_another_program_sets_holds_at_once(
    bot: Bot, folder: Path, discord: Loopback
) -> None:
    other = await Store.open(f"sqlite:///{folder / 'farkle.db'}")
    for language, chance in (("de", "51,10 %"), ("en", "51.10 %"), ("de", "51,10 %")):
        await other.set_place_setting("discord:500", "language", language)
        told = await shown(await discord.slash(ANN, "advise", dice="6 5 3 3 3 2"))
        assert chance in told.text
    await other.close()
    assert bot.process.returncode is None
