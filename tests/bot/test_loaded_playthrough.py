"""Whole matches with loaded dice and badges, as people read them, kept in tests/playthroughs.

To write them anew see test_playthroughs.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.languages import language
from bot.services import tables
from solver.wording import speak
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import Chat, open_chat
from tests.bot.test_playthroughs import FOLDER, Transcript, assert_kept


@dataclass(frozen=True)
class Match:
    """A match of ann against the optimal bot, and what is said on top of its moves."""

    begin: str
    extras: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Lines before the so many-th move of ann, counted from 1."""
    worst: int = 0
    """The move at which ann does what costs most."""


MATCHES = {
    "loaded": Match(
        "ann: /play bot my-dice:lucky*3,devil,ordinary*2 my-badge:carpenter:150"
        " their-dice:weighted*2,odd,ordinary*3 their-badge:headstart:250 goal:1500",
        {
            1: [
                "ann: /seed wheat",
                "ann: /hint",
                "carl: /join",
                "ann: /roll 5 lucky",
                "ann: /bank",
            ],
            2: ["ann: /hint", "ann: /keep 7", "ann: /keep 4 4 4 4", "ann: /advise"],
            3: ["ann: /show", "ann: /odds", "ann: /explain"],
            4: ["ann: /undo"],
        },
        worst=8,
    ),
    "badges": Match(
        "ann: /play bot my-dice:lucky*3,devil,ordinary*2 my-badge:silver-resurrection"
        " their-dice:weighted*2,odd,ordinary*3 their-badge:silver-might goal:1500",
        {
            1: ["ann: /seed rye", "ann: /hint", "ann: /use", "ann: /use no", "bob: /use"],
            2: ["ann: /use 5", "ann: /show", "ann: /odds"],
        },
        worst=3,
    ),
}
AFTER = ["ann: /review", "ann: /stats"]


async def move_of(chat: Chat, *, worst: bool) -> str:
    """What ann says to a roll: what is best, or what costs most."""
    hint = (await chat.answer("ann: /hint")).data
    uses, options = hint["badge_uses"], hint["options"]
    if uses and not options:
        return "ann: /use no" if uses[0]["win_probability"] < uses[0]["without"] else "ann: /use"
    option = options[-1 if worst else 0]
    then = "roll" if option["action"] == "roll" else "bank"
    return f"ann: /keep {option['set_aside']} {then}"


@pytest.fixture(scope="module")
def matchups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is solved, which is the same in all languages."""
    return tmp_path_factory.mktemp("matchups")


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize("name", MATCHES)
async def test_match(
    name: str,
    code: str,
    kernels: Path,
    matchups: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = MATCHES[name]
    monkeypatch.setattr(tables, "secrets", fixed_secrets(f"{name} dice"))
    speak(language(code))
    (tmp_path / "kernels").symlink_to(kernels)
    (tmp_path / "matchups").symlink_to(matchups)
    async with open_chat(tmp_path) as chat:
        transcript = Transcript(chat, tmp_path / "strategies")
        await transcript.say(match.begin)
        for move in range(1, 200):
            for line in match.extras.get(move, ()):
                await transcript.say(line)
            if transcript.table["to_move"] is None:
                break
            line = "ann: /roll"
            if transcript.table["roll"] is not None:
                line = await move_of(chat, worst=move == match.worst)
            await transcript.say(line)
        assert transcript.table["stage"] == "over"
        for line in AFTER:
            await transcript.say(line)
    found = "\n".join(transcript.lines) + "\n"
    assert_kept(FOLDER / name / f"{code}.txt", found)
