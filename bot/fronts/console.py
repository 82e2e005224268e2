"""The local chat: a prompt in a terminal, or lines from a pipe."""

import asyncio
import json
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from bot.fronts.chat.commands import Commands, Reply, failure
from bot.services.games import News
from bot.services.pictures import Explanation, LoadedExplanation
from bot.services.tables import Caller, Person
from bot.table.fair_dice import Proof
from bot.tasks.answering import at_once
from bot.views.chart import chart_text
from bot.views.layout import LONGEST_NAME, safe_text, wrap
from solver.errors import system_reason
from solver.folders import keep_private, make_private
from solver.rules.file import preset_names
from solver.wording import say, say_later

GREETING = say_later(
    "farkle-advisor: type a command such as /advise 6 5 3 3 3 2 or /play level:optimal, or /help,"
    " or /quit"
)
PLACE = "console"
YOU = "player"

_WIDTH = 79
_PATIENCE = 0.5
"""Seconds after which one may type on while an answer is not complete."""

_SPOKEN = re.compile(r"\s*@?([^\W\d_][\w.-]{0,29})\s*:(?:\s+|(?=/))(.*)", re.DOTALL)


_Explained = Explanation | LoadedExplanation


class CommandCompleter(Completer):
    """Completes command names, then the options of the command and the names of rule sets."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """Completions of the word before the cursor."""
        text = document.text_before_cursor
        word = document.get_word_before_cursor(WORD=True)
        first, blank, _ = text.lstrip().partition(" ")
        if not blank:
            words = {f"/{name}": say(one.summary) for name, one in self._commands.by_name.items()}
        elif command := self._commands.by_name.get(first.removeprefix("/")):
            words = {f"{option}:": say(meaning) for option, meaning in command.options.items()}
            prefix = "rules:" if "rules" in command.options else ""
            if word.startswith(prefix) and (prefix or command.takes_words):
                words = {f"{prefix}{name}": "" for name in preset_names()}
        else:
            return
        for candidate, meaning in words.items():
            if candidate.startswith(word) and (candidate == word or f" {candidate}" not in text):
                yield Completion(candidate, start_position=-len(word), display_meta=meaning)


@dataclass(frozen=True, slots=True)
class _How:
    """How answers are printed."""

    as_json: bool
    pictures: Path
    proofs: Path
    """The folders in which they are kept."""


async def run_console(
    commands: Commands,
    history: Path,
    *,
    as_json: bool,
    prepare: Callable[[], object] = lambda: None,
) -> None:
    """Answer lines until /quit or the end of input, with a prompt if there is a terminal.

    Pictures and proofs are kept in folders beside the history.

    prepare : what makes the first answer quick; done in a thread once there is a prompt
    """
    how = _How(as_json, history.with_name("pictures"), history.with_name("proofs"))
    if sys.stdin.isatty() and sys.stdout.isatty():
        await _prompt(commands, history, how, prepare)
    else:
        await _pipe(commands, how)


async def _prompt(
    commands: Commands, history: Path, how: _How, prepare: Callable[[], object]
) -> None:
    session: PromptSession[str] = PromptSession(
        history=_history(history),
        auto_suggest=AutoSuggestFromHistory(),
        completer=CommandCompleter(commands),
        complete_while_typing=False,
    )
    print(wrap(say(GREETING), shutil.get_terminal_size().columns - 1))  # noqa: T201
    answers: set[asyncio.Task[bool]] = set()
    loop = asyncio.get_running_loop()

    async def stop() -> None:
        """Break off what is still being answered, and say so."""
        if await _cancel(answers):
            print(say("Stopped."))  # noqa: T201

    def interrupted(*_: object) -> None:
        """Do so while there is no prompt, where Ctrl-C is a signal and no key."""
        asyncio.run_coroutine_threadsafe(stop(), loop)

    def begin(answer: Coroutine[Any, Any, bool]) -> asyncio.Task[bool]:
        answers.add(task := asyncio.create_task(answer))
        task.add_done_callback(answers.discard)
        return task

    usual = signal.signal(signal.SIGINT, interrupted)
    try:
        # what is said while somebody types appears above the prompt
        with patch_stdout(raw=True):
            begin(_begin(commands, how, prepare))
            while True:
                try:
                    line = await session.prompt_async("> ")
                except KeyboardInterrupt:
                    await stop()
                    continue
                except EOFError:
                    return
                width = shutil.get_terminal_size().columns - 1
                answer = _answer(commands, line, how, width)
                task = begin(answer)
                done, _ = await asyncio.wait({task}, timeout=_PATIENCE)
                if done and not task.cancelled() and task.result():
                    return
    finally:
        signal.signal(signal.SIGINT, usual)
        await _cancel(answers)


async def _cancel(answers: Iterable[asyncio.Task[bool]]) -> bool:
    """Break off what is still being answered, such as a match; whether there was something."""
    running = [task for task in answers if not task.done()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return bool(running)


async def _pipe(commands: Commands, how: _How) -> None:
    await _resume(commands, how)
    for line in sys.stdin:
        # a new round of the event loop: while it waited for the line others may have written
        await asyncio.sleep(0)
        if await _answer(commands, line, how):
            return


async def _answer(commands: Commands, line: str, how: _How, width: int | None = None) -> bool:
    """Print the answer to a line that is not blank; true where it ends the chat."""
    caller, line = spoken_by(line)
    replies = commands.answer(line, caller)
    return bool(line.strip()) and await _tell(replies, caller, how, width)


async def _begin(commands: Commands, how: _How, prepare: Callable[[], object]) -> bool:
    """Print what goes on by itself, and get ready for what is typed meanwhile."""
    ends = await _resume(commands, how)
    await at_once(prepare)
    return ends


async def _resume(commands: Commands, how: _How) -> bool:
    """Print what goes on by itself."""
    caller, _ = spoken_by("")
    return await _tell(commands.resume(caller), caller, how, None)


async def _tell(
    replies: AsyncIterator[Reply], caller: Caller, how: _How, width: int | None
) -> bool:
    """Print replies as they come; true where one ends the chat."""
    ends = False
    async for reply in replies:
        # below each other they would say it twice
        if how.as_json or not reply.repeats:
            _print(reply, caller, how, width)
        ends = ends or reply.ends
    return ends


def _print(reply: Reply, caller: Caller, how: _How, width: int | None) -> None:
    try:
        shown = json.dumps(reply.data) if how.as_json else _text(reply, caller, width)
        if not how.as_json and isinstance(reply.subject, _Explained) and reply.subject.picture:
            shown = f"{shown}\n{_kept(reply.subject.picture, how.pictures)}"
        if not how.as_json and isinstance(reply.subject, Proof):
            shown = wrap(_proof_kept(reply.subject, how.proofs), width or _WIDTH)
    except Exception as error:  # the chat goes on, whatever one answer is
        _print(failure(error), caller, how, width)
    else:
        print(shown, flush=True)  # noqa: T201


def _text(reply: Reply, caller: Caller, width: int | None) -> str:
    """A reply as it is read in the terminal."""
    text = reply.text
    if reply.private and caller.person.name != YOU:
        # lines that are broken already stay as they are
        start = "\n" if "\n" in text else ""
        text = say("(to {name} alone) {text}", name=caller.person.name, text=start + text)
        text = text.replace(" \n", "\n", 1) if start else text
    text = wrap(text, width or _WIDTH)
    chart = reply.subject.chart if isinstance(reply.subject, News) else None
    if chart and len(chart.turns) > 1:
        text = f"{text}\n{chart_text(chart, min(width or _WIDTH, _WIDTH))}"
    return text


def _kept(picture: bytes, folder: Path) -> str:
    """Write a picture in place of the one before; says where it is, or why it is nowhere."""
    file = folder / "turn.png"
    try:
        _write(file, picture)
    except OSError as error:
        return say(
            "The picture cannot be written to {file} ({reason}).",
            file=file,
            reason=system_reason(error),
        )
    return say("The picture is in {file}.", file=file)


def _proof_kept(proof: Proof, folder: Path) -> str:
    """Write a proof; says where it is, or why it is nowhere."""
    file = folder / f"proof-{proof.game}.json"
    try:
        _write(file, proof.to_json().encode())
    except OSError as error:
        return say(
            "The proof cannot be written to {file} ({reason}).",
            file=file,
            reason=system_reason(error),
        )
    return say(
        "The proof of the dice of game {game} is in {file}; with this program anybody can check"
        " it.",
        game=proof.game,
        file=file,
    )


def _write(file: Path, content: bytes) -> None:
    make_private(file.parent)
    file.write_bytes(content)


def spoken_by(line: str) -> tuple[Caller, str]:
    """Who speaks a line, and what: "ann: /roll" is ann's, any other line is the player's.

    One console is one place, and whoever sits at it may manage it.
    """
    line = line.rstrip("\r\n")
    found = _SPOKEN.fullmatch(line.rstrip())
    name, said = (safe_text(found[1], LONGEST_NAME) or YOU, found[2]) if found else (YOU, line)
    return Caller(PLACE, Person(f"{PLACE}:{name.casefold()}", name), manages=True), said


def _history(path: Path) -> History:
    """History in a file where one can be kept, else in memory."""
    try:
        make_private(path.parent)
        keep_private(path)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
