"""What commands answer in Discord, laid out as a phone shows it: nothing is cut off.

With FARKLE_PHONE_PICTURES=FOLDER every message is drawn into a folder, to be looked at.
"""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.views.layout import PHONE, text_width
from tests.bot.fronts.discord.loopback import Loopback, Message, user
from tests.bot.fronts.discord.phone import LOOKS, Phone
from tests.bot.fronts.discord.test_evening import PICTURES, Evening
from tests.bot.waiting import until

WAITS = re.compile(r"\b\d+ (s|min)\.$", re.M)
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("help", {}),
    ("help", {"command": "all"}),
    ("help", {"command": "play"}),
    ("advise", {"dice": "6 5 3 3 3 2"}),
    ("advise", {"dice": "5 5 1", "them": "2500,3100", "turn": 300}),
    ("odds", {"turn": 350, "dice": 2}),
    ("rules list", {}),
    ("rules show", {"name": "kcd"}),
    ("rules show", {"name": "facebook"}),
    ("rules diff", {"one": "kcd", "other": "classic"}),
    ("best-response", {"policy": "greedy"}),
    ("compare", {"rules1": "kcd", "rules2": "classic"}),
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
    ("tournament", {"what": "new", "form": "knock-out"}),
    ("daily", {}),
    ("drill", {}),
]


def is_answered(message: Message) -> bool:
    """Whether a message says more than how long its answer takes."""
    return WAITS.search(message.text) is None


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.usefixtures("parts")
async def test_answers_fit_on_a_phone(code: str, discord: Loopback) -> None:
    ann = user("11", "Ann") | {"locale": code}
    evening = Evening(discord, Phone(LOOKS["dark"], {"11": "Ann"}))
    for name, options in ASKED:
        shown = await evening.slash(ann, name, **options)
        if WAITS.search(shown.text):
            await until(partial(is_answered, shown))
            evening.saw("later", shown)
    assert "</play:" in evening.lines[1], "commands can be tapped"
    compared = next(one for one in discord.messages.values() if "n:compare" in str(one.data))
    note = await evening.press(ann, compared, "compare")
    assert note.ephemeral
    assert "farkles*" in note.text.replace("\\", "") if code == "en" else "Farkles" in note.text
    if PICTURES:
        evening.write(Path(PICTURES, code))
    assert evening.phone.cut == []
    tables = re.findall(r"```text\n(.*?)\n```", "\n".join(evening.lines), flags=re.DOTALL)
    assert max(text_width(line) for table in tables for line in table.splitlines()) <= PHONE
