"""Games by rules made by a command: of eight options, with taking over, with throws that combine.

They are played at the console and by buttons in Discord, and kept in tests/playthroughs/mixed. To
write them anew after a change that is meant:

    FARKLE_WRITE_PLAYTHROUGHS=1 python -m pytest -m '' tests/bot/fronts/discord/test_mixed_rules.py
"""

from pathlib import Path

import pytest

from bot.fronts.discord import answers
from bot.languages import language
from bot.services import tables
from bot.services.rule_options import rules_from_options
from bot.wiring import Parts
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.strategy import save_strategy
from solver.wording import speak
from tests.bot.fronts.discord.loopback import Loopback, user
from tests.bot.fronts.discord.phone import LOOKS, Phone
from tests.bot.fronts.discord.play import shown
from tests.bot.fronts.discord.test_evening import (
    PICTURES,
    Evening,
    evening_secrets,
    play_on,
    settling,
)
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import open_chat
from tests.bot.test_playthroughs import FOLDER, Transcript, assert_kept

MORE = (
    "combination:aabb=300,55=100,uses-1,aaaa=1000,roll-on,22=loses-turn confirm-faces:1,5"
    " hot-dice-times:2 bank-dice-left:2 last-die-tries:2 ending:final_turn final-throws:1"
)
GOAL = 1000
RULES = rules_from_options(
    "mixed",
    load_rules("classic"),
    dict(one.split(":") for one in f"dice:4 goal:{GOAL} {MORE}".split()),
)

PASSED = "take-over:both ending:final_turn ties:shared"
"""Rules by which turns go on with what the one before left, and what is told of them."""

TOGETHER = "combine-throws:yes more-of-a-kind:doubling three-of-a-kind:400"
"""Rules by which dice of several throws count together."""


@pytest.fixture
def folder(solved: Path, data: Path, tmp_path: Path) -> Path:
    """A data folder in which the rules are solved, and the presets of the tests."""
    strategies = tmp_path / "strategies"
    strategies.mkdir()
    for some in (data, solved):
        for path in (some / "strategies").glob("[!.]*"):
            (strategies / path.name).symlink_to(path)
    (tmp_path / "kernels").symlink_to(data / "kernels")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
async def test_at_the_console(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("mixed"))
    speak(language(code))
    async with open_chat(folder) as chat:
        transcript = Transcript(chat, folder / "strategies")
        for line in (f"new mixed base:classic dice:4 goal:{GOAL} {MORE}", "mixed"):
            await transcript.say(f"ann: /rules {line}")
        await transcript.say("ann: /play level:optimal rules:mixed")
        while transcript.table["to_move"]:
            if transcript.table["roll"] is None:
                await transcript.say("ann: /roll")
                continue
            await transcript.say("ann: /hint")
            best = (await chat.answer("ann: /hint")).data["options"][0]
            dice = " ".join(map(str, best["set_aside"]))
            then = "roll" if best["action"] == "roll" else "bank"
            await transcript.say(f"ann: /keep {dice} {then}")
        assert transcript.table["stage"] == "over"
        await transcript.say("ann: /review")
    assert_kept(FOLDER / "mixed" / f"{code}.txt", "\n".join(transcript.lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize(
    ("name", "more"), [("mixed", MORE), ("passed", PASSED), ("together", TOGETHER)]
)
async def test_in_discord(
    name: str,
    more: str,
    code: str,
    parts: Parts,
    discord: Loopback,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = f"dice:4 {more}"
    if name != "mixed":
        options = dict(one.split(":") for one in f"{typed} goal:{GOAL}".split())
        rules = rules_from_options(name, load_rules("classic"), options)
        save_strategy(solve(rules, cache=folder / "kernels"), folder / "strategies")
    monkeypatch.setattr(tables, "secrets", evening_secrets())
    monkeypatch.setattr(answers, "BETWEEN_EDITS", 0.0)
    people = [
        user(number, who) | {"locale": code, "permissions": 1 << 5}
        for number, who in (("11", "Ann"), ("12", "Bob"))
    ]
    evening = Evening(
        discord, Phone(LOOKS["dark"], {one["id"]: one["global_name"] for one in people})
    )
    ann, bob = people
    await shown(
        await discord.slash(ann, "rules new", name=name, base="classic", goal=GOAL, more=typed)
    )
    await evening.slash(ann, "rules show", name=name)
    table = await evening.slash(ann, "play", player2=bob, rules=name)
    settled = await settling(parts, table)
    await play_on(evening, table, people, settled)
    await evening.press(bob, table, "review")
    if PICTURES:
        evening.write(Path(PICTURES, f"{name}-{code}"))
    assert evening.phone.cut == []
    found = "\n".join(evening.lines) + "\n"
    kept = f"discord-{code}.txt" if name == "mixed" else f"{name}-{code}.txt"
    assert_kept(FOLDER / "mixed" / kept, found)
