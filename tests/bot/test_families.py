"""A few turns with real dice under each kind of rules that tie turns together, as people read them.

They are kept in tests/playthroughs/families. To write them anew see test_playthroughs.py.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.languages import language
from bot.services import tables
from bot.services.rule_options import rules_from_options
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.strategy import save_strategy
from solver.wording import speak
from tests.bot.known_dice import fixed_secrets
from tests.bot.speaking import open_chat
from tests.bot.test_playthroughs import FOLDER, Transcript, assert_kept

FAMILIES: dict[str, tuple[str, Sequence[str]]] = {
    "taking-over": (
        "goal:1000 take-over:both",
        [
            "ann: /take",
            "ann: /roll 1 2 3 4",
            "ann: /keep 1",
            "ann: /odds",
            "ann: /bank",
            "bob: /hint",
            "bob: /take",
            "bob: /bank",
            "bob: /undo",
            "bob: /take",
            "bob: /roll 1 5 3",
            "bob: /hint",
            "bob: /keep 1 5 bank",
            "ann: /odds",
            "ann: /roll 2 3 4 6",
            "bob: /take",
            "bob: /roll 5 5 5 1",
            "bob: /keep 5 5 5",
            "bob: /roll 3",
            "ann: /hint",
            "ann: /take",
            "ann: /roll 1",
            "ann: /keep 1 bank",
            "bob: /show",
        ],
    ),
    "exact-goals": (
        "goal:600 goal-must-be:exact beyond-goal:back",
        [
            "ann: /score 500",
            "bob: /score 550",
            "ann: /roll 1 1 5 4",
            "ann: /hint",
            "ann: /keep 1 1 5 bank",
            "ann: /show",
            "bob: /roll 5 2 3 4",
            "bob: /hint",
            "bob: /keep 5",
            "bob: /odds",
            "bob: /bank",
        ],
    ),
    "rounds": (
        "rounds:2 ties:shared",
        [
            "ann: /score 300",
            "bob: /roll 2 3 4 6",
            "ann: /roll 1 2 3 4",
            "ann: /hint",
            "ann: /keep 1 bank",
            "bob: /odds",
            "bob: /roll 4 4 4 1",
            "bob: /hint",
            "bob: /keep 4 4 4 bank",
        ],
    ),
    "beat-the-turn-before": (
        "goal:1000 beat-previous-turn:yes minimum-bank:100",
        [
            "ann: /score 200",
            "bob: /roll 1 5 3 4",
            "bob: /hint",
            "bob: /keep 1 5 bank",
            "bob: /keep 1 5",
            "bob: /roll 2 5",
            "bob: /keep 5",
            "bob: /odds",
            "bob: /bank",
            "bob: /roll 3",
            "ann: /odds",
            "ann: /score 250",
            "bob: /score 250",
            "bob: /score 300",
            "ann: /show",
        ],
    ),
    "defending-the-win": (
        "goal:500 ending:defended",
        [
            "ann: /score 550",
            "bob: /hint",
            "bob: /roll 1 1 1 2",
            "bob: /hint",
            "bob: /keep 1 1 1 bank",
            "ann: /odds",
            "ann: /roll 5 5 5 2",
            "ann: /keep 5 5 5",
            "ann: /bank",
            "ann: /roll 1",
            "ann: /keep 1 bank",
            "bob: /odds",
            "bob: /roll 2 2 3 4",
        ],
    ),
    "falls": (
        "goal:600 caught-up:everything no-bank-at:500",
        [
            "ann: /score 400",
            "bob: /score 200",
            "ann: /roll 1 2 3 4",
            "ann: /keep 1",
            "ann: /odds",
            "ann: /bank",
            "ann: /roll 2 3 4",
            "bob: /roll 1 1 3 4",
            "bob: /hint",
            "bob: /keep 1 1 bank",
            "ann: /show",
            "ann: /odds",
        ],
    ),
}
"""What the rules say beside four dice, and what people say at the table."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
async def test_a_family_of_rules(
    name: str, tmp_path: Path, kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more, lines = FAMILIES[name]
    said = f"dice:4 {more}"
    options = dict(one.split(":") for one in said.split())
    rules = rules_from_options(name, load_rules("classic"), options)
    save_strategy(solve(rules, cache=kernels), tmp_path / "strategies")
    for code in ("en", "de"):
        folder = tmp_path / code
        folder.mkdir()
        (folder / "kernels").symlink_to(kernels)
        (folder / "strategies").symlink_to(tmp_path / "strategies")
        monkeypatch.setattr(tables, "secrets", fixed_secrets(name))
        speak(language(code))
        async with open_chat(folder) as chat:
            transcript = Transcript(chat, folder / "strategies")
            begin = [f"new {name} base:classic {said}", name]
            for line in [f"ann: /rules {one}" for one in begin]:
                await transcript.say(line)
            await transcript.say(f"ann: /track @bob rules:{name}")
            for line in lines:
                await transcript.say(line)
            if transcript.table["stage"] == "over":
                await transcript.say("ann: /review")
        assert_kept(FOLDER / "families" / f"{name}-{code}.txt", "\n".join(transcript.lines) + "\n")
