"""Lines that are typed: who speaks them, what is answered, and how that is printed."""

import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

from bot.chat.commands import Commands, Reply, failure
from bot.layout import LONGEST_NAME, WIDTH, fit_to, room, safe_text, wrap
from bot.review.highlights import GameChart
from bot.services.games import News
from bot.services.tables import Caller, Person
from bot.shell.output import emphasised
from bot.table.fair_dice import Proof
from bot.tasks.answering import at_once
from bot.views.chart import NARROWEST, chart_picture, chart_text
from solver.errors import system_reason
from solver.folders import make_private, write_whole
from solver.wording import say

PLACE = "console"
YOU = "player"

_BETWEEN_PASSING = 5.0
"""Seconds between two lines of which the second takes the place of the first in a message."""
_SPOKEN = re.compile(r"\s*@?([^\W\d_][\w.-]{0,29})\s*:(?:\s+|(?=/))(.*)", re.DOTALL)


class Lines:
    """Answers lines, and prints that."""

    def __init__(
        self,
        commands: Commands,
        folder: Path,
        *,
        as_json: bool,
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        """Pictures and proofs are kept in folders of their own in `folder`.

        prepare : what makes the first answer quick
        """
        self.commands = commands
        self.place = PLACE
        self._as_json = as_json
        self._pictures = folder / "pictures"
        self._proofs = folder / "proofs"
        self._prepare = prepare

    async def answer(self, line: str, width: int = WIDTH) -> bool:
        """Print the answer to a line that is not blank; true where it ends the chat."""
        caller, line = spoken_by(line)
        replies = self.commands.answer(line, caller)
        return bool(line.strip()) and await self._tell(replies, caller, width)

    async def begin(self, width: int) -> bool:
        """Print what goes on by itself, and get ready for what is typed meanwhile."""
        ends = await self.resume(width)
        await at_once(self._prepare)
        return ends

    async def resume(self, width: int = WIDTH) -> bool:
        """Print what goes on by itself."""
        caller, _ = spoken_by("")
        return await self._tell(self.commands.resume(caller), caller, width)

    async def _tell(self, replies: AsyncIterator[Reply], caller: Caller, width: int) -> bool:
        """Print replies as they come; true where one ends the chat."""
        fit_to(width)
        ends, passed = False, -math.inf
        async for reply in replies:
            now = time.monotonic()
            is_due = not reply.passes or now - passed >= _BETWEEN_PASSING
            # below each other they would say it twice
            if is_due and (self._as_json or not reply.repeats):
                await self._show(reply, caller)
                passed = now if reply.passes else passed
            ends = ends or reply.ends
        return ends

    async def _show(self, reply: Reply, caller: Caller) -> None:
        """Print a reply, and where its picture is as soon as that is drawn.

        The chat goes on, whatever one answer is; it ends where nobody reads what is printed.
        """
        try:
            shown = self._shown(reply, caller)
        except Exception as error:
            reply = failure(error)
            shown = self._shown(reply, caller)
        print(shown, flush=True)  # noqa: T201
        if self._as_json or not (drawing := _drawing(reply)):
            return
        try:
            shown = await at_once(_drawn, *drawing, self._pictures)
        except Exception as error:
            shown = self._shown(failure(error), caller)
        print(shown, flush=True)  # noqa: T201

    def _shown(self, reply: Reply, caller: Caller) -> str:
        if self._as_json:
            return json.dumps(reply.data)
        if isinstance(reply.subject, Proof):
            return wrap(_proof_kept(reply.subject, self._proofs))
        return _text(reply, caller)


def _text(reply: Reply, caller: Caller) -> str:
    text = reply.text
    if reply.private and caller.person.name != YOU:
        # lines that are broken already stay as they are
        start = "\n" if "\n" in text else ""
        text = say("(to {name} alone) {text}", name=caller.person.name, text=start + text)
        text = text.replace(" \n", "\n", 1) if start else text
    text = emphasised(wrap(text, room()))
    chart = reply.subject.chart if isinstance(reply.subject, News) else None
    if chart and len(chart.turns) > 1 and room() >= NARROWEST:
        text = f"{text}\n{chart_text(chart, min(room(), WIDTH))}"
    return text


def _drawing(reply: Reply) -> tuple[str, Callable[[], bytes]] | None:
    """What the picture of a reply is called and how it is made, None where it has none."""
    if reply.is_drawn:
        drawn = (picture for picture in reply.card().attachments if picture.name.endswith(".png"))
        first = next(drawn, None)
        return (Path(first.name).stem, lambda: first.content) if first else None
    match reply.subject:
        case News(chart=GameChart(turns=[_, _, *_]) as chart):
            return "game", partial(chart_picture, chart)
        case _:
            return None


def _drawn(name: str, draw: Callable[[], bytes], folder: Path) -> str:
    """Write a picture beside those before; returns where it is, or why it is nowhere."""
    picture, file = draw(), folder / f"{name}-1.png"
    try:
        make_private(folder)
        for number in count(1):
            file = folder / f"{name}-{number}.png"
            with suppress(FileExistsError):
                file.touch(exist_ok=False)
                break
        try:
            write_whole(file, picture)
        except OSError:
            file.unlink()
            raise
    except OSError as error:
        reason = system_reason(error)
        return say("The picture cannot be written to {file} ({reason}).", file=file, reason=reason)
    return say("The picture is in {file}.", file=file)


def _proof_kept(proof: Proof, folder: Path) -> str:
    """Write a proof; says where it is, or why it is nowhere."""
    file = folder / f"proof-{proof.game}.json"
    try:
        make_private(folder)
        write_whole(file, proof.to_json().encode())
    except OSError as error:
        reason = system_reason(error)
        return say("The proof cannot be written to {file} ({reason}).", file=file, reason=reason)
    return say(
        "The proof of the dice of game {game} is in {file}; with this program anybody can check"
        " it.",
        game=proof.game,
        file=file,
    )


def spoken_by(line: str) -> tuple[Caller, str]:
    """Who speaks a line, and what: "ann: /roll" is ann's, any other line is the player's.

    One console is one place, and whoever sits at it may manage it.
    """
    line = line.rstrip("\r\n")
    spoken = _SPOKEN.fullmatch(line.rstrip())
    name, said = (safe_text(spoken[1], LONGEST_NAME) or YOU, spoken[2]) if spoken else (YOU, line)
    return Caller(PLACE, Person(f"{PLACE}:{name.casefold()}", name), manages=True), said
