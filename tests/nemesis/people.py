"""Who plays, what they pressed, and what they saw."""

import asyncio
import random
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field

from tests.bot.fronts.discord.loopback import Interaction, Json, Loopback, Message, user
from tests.bot.fronts.discord.play import best_dice, is_choice

RULES = "kcd"
PATIENCE = 4.0
"""Seconds after which somebody looks at the table again, as Discord gives up after three."""
_BY_COMMAND = 0.1
"""The share of rolls that are typed as a command where a button would do it."""
_SCORE = re.compile(r"^[▸ ] ([AB]\d+) +([\d,]+)$", re.MULTILINE)
_BUTTON = re.compile(r"t:([0-9a-f]+):(\d+):\d+:[A-Za-z-]+:(\w+)")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A move that somebody made at a version of a table that they saw."""

    version: int
    kind: str
    """`rolled` or `banked`."""
    by_command: bool
    is_told: bool
    """Whether they were shown what came of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a message said of a table."""

    version: int
    scores: tuple[int, ...]
    dice: tuple[tuple[int, int], ...]
    """Dice that can be chosen: number and face."""


@dataclass
class History:
    """What people know of the games."""

    attempts: dict[str, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
    """By game, in their order."""
    shown: dict[str, set[Shown]] = field(default_factory=lambda: defaultdict(set))
    told: list[float] = field(default_factory=list)
    """When moves were shown, as monotonic times."""
    seconds: list[float] = field(default_factory=list)
    """From each press until something was shown, or its patience where nothing was."""

    def see(self, message: Message) -> None:
        """Note what a message says, if it shows a table."""
        state = shown_in(message)
        if state is not None:
            self.shown[state[0]].add(state[1])


def shown_in(message: Message) -> tuple[str, Shown] | None:
    """The game that a message shows, and how; None for what shows none."""
    buttons = [found for one in message.buttons if (found := _BUTTON.match(one["custom_id"]))]
    scores = tuple(int(text.replace(",", "")) for _, text in _SCORE.findall(message.text))
    if not buttons or len(scores) != 2:
        return None
    faces = {one["custom_id"]: one["label"] for one in message.buttons}
    dice = tuple(
        (int(one[3].removeprefix("die")), int(faces[one.string].split()[1]))
        for one in buttons
        if one[3].startswith("die")
    )
    return buttons[0][1], Shown(int(buttons[0][2]), scores, dice)


class Pair:
    """Two people who play one game after the other in a channel."""

    def __init__(self, discord: Loopback, history: History, number: int, seed: int) -> None:
        self._discord, self._history = discord, history
        self._channel = str(10_000 + number)
        names = f"A{number}", f"B{number}"
        self._people = {name: user(f"{k}{number:05}", name) for k, name in enumerate(names, 1)}
        self._chance = random.Random(seed * 1_000 + number)

    async def play(self, think: float, enough: asyncio.Event) -> None:
        """Play until it is enough."""
        message: Message | None = None
        while not enough.is_set():
            await asyncio.sleep(self._chance.expovariate(1 / think))
            if message is None or "Review" in message.labels:
                message = await self._table()
            elif not await self._move(message):
                message = await self._table(again=True)

    async def _table(self, *, again: bool = False) -> Message | None:
        """The table in the channel, or a new one; None where nobody answers now.

        again : whether a game goes on, and may have gone on unseen
        """
        ann, bob = self._people.values()
        if not again:
            asked = await self._discord.slash(ann, "play", self._channel, player2=bob, rules=RULES)
            if (message := await _shown(asked)) and shown_in(message):
                return message
        # it may have begun, and nobody was told
        message = await _shown(await self._discord.slash(ann, "show", self._channel))
        return message if message and shown_in(message) else None

    async def _move(self, message: Message) -> bool:
        """Choose dice, if there are any, and bank or roll; whether it was shown what came of it."""
        lines = (line.split() for line in message.text.splitlines() if line[:1] == "▸")
        mover = next((line[1] for line in lines), "")
        if mover not in self._people:
            return False
        who, has_dice = self._people[mover], is_choice(message)
        for action in best_dice(message) if has_dice else ():
            await self._press(who, message, action)
        what = "bank" if message.action("bank") else "roll"
        state = shown_in(message)
        if state is None or (has_dice and not message.action(what)):
            return False  # the dice were not chosen
        game, seen = state
        by_command = not has_dice and self._chance.random() < _BY_COMMAND
        if by_command:
            asked = await self._discord.slash(who, "roll", self._channel)
            shown = await _shown(asked)
        else:
            shown = message if await self._press(who, message, what) else None
        now = shown_in(shown) if shown else None
        is_told = now is not None and now[0] == game and now[1].version > seen.version
        kind = "banked" if what == "bank" else "rolled"
        self._history.attempts[game].append(Attempt(seen.version, kind, by_command, is_told))
        if is_told:
            self._history.told.append(time.monotonic())
        return is_told and not by_command

    async def _press(self, who: Json, message: Message, action: str) -> bool:
        """Press a button, if it is there; whether something was shown then."""
        if button := message.action(action):
            pressed = await self._discord.press(who, message, custom_id=button["custom_id"])
            shown = await _shown(pressed)
            self._history.seconds.append(pressed.shown_after or PATIENCE)
            return shown is not None
        return False


async def _shown(interaction: Interaction) -> Message | None:
    """What was shown to all, None where nothing was in time."""
    try:
        await asyncio.wait_for(interaction.shown.wait(), PATIENCE)
    except TimeoutError:
        return None
    return interaction.original
