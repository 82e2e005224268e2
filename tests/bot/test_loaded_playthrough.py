"""A whole match with loaded dice and badges, as people read it, kept in tests/playthroughs/loaded.

To write it anew see test_playthroughs.py.
"""

from pathlib import Path

import pytest

from bot.languages import language
from bot.services import tables
from solver.wording import speak
from tests.bot.chat import open_chat
from tests.bot.test_playthroughs import FOLDER, WRITES, Transcript, fixed_secrets

BEGIN = (
    "ann: /play bot my-dice:lucky*3,devil,ordinary*2 my-badge:carpenter:150"
    " their-dice:weighted*2,odd,ordinary*3 their-badge:headstart:250 goal:1500"
)
EXTRAS = {
    1: ["ann: /seed wheat", "ann: /hint", "carl: /join", "ann: /roll 5 lucky", "ann: /bank"],
    2: ["ann: /hint", "ann: /keep 7", "ann: /keep 4 4 4 4", "ann: /advise"],
    3: ["ann: /show", "ann: /odds", "ann: /explain"],
    4: ["ann: /undo"],
}
"""Lines before the so many-th move of ann, counted from 1."""
AFTER = ["ann: /review", "ann: /stats"]
WORST = {8}
"""Moves at which ann does what costs most."""


@pytest.mark.parametrize("code", ["en", "de"])
async def test_match(
    code: str, kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "secrets", fixed_secrets("loaded dice"))
    speak(language(code))
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path) as chat:
        transcript = Transcript(chat, tmp_path / "strategies")
        await transcript.say(BEGIN)
        for move in range(1, 200):
            for line in EXTRAS.get(move, ()):
                await transcript.say(line)
            if transcript.table["to_move"] is None:
                break
            if transcript.table["roll"] is None:
                await transcript.say("ann: /roll")
                continue
            options = (await chat.answer("ann: /hint")).data["options"]
            option = options[-1 if move in WORST else 0]
            then = "roll" if option["action"] == "roll" else "bank"
            await transcript.say(f"ann: /keep {option['set_aside']} {then}")
        assert transcript.table["stage"] == "over"
        for line in AFTER:
            await transcript.say(line)
    found = "\n".join(transcript.lines) + "\n"
    file = FOLDER / "loaded" / f"{code}.txt"
    if WRITES:
        file.parent.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()
