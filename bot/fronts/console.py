"""The local chat: a prompt in a terminal, or lines from a pipe."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from bot.layout import wrap
from bot.shell.output import terminal_width
from bot.tasks.answering import at_once
from solver.folders import keep_private, make_private
from solver.wording import say, say_later

if TYPE_CHECKING:
    from bot.chat.commands import Command, Commands
    from bot.fronts.lines import Lines

GREETING = say_later(
    "farkle-advisor: type dice such as 6 5 3 3 3 2, or /play level:optimal for a game; /help says"
    " what else, /quit leaves."
)

_PATIENCE = 0.5
"""Seconds after which one may type on while an answer is not complete."""

Load = Callable[[], Callable[[], AbstractAsyncContextManager["Lines"]]]
"""Loads what the chat needs, which takes longer than the prompt; what that returns opens it."""


class _Key(Enum):
    """What ends a prompt without a line."""

    INTERRUPT = auto()
    END = auto()


_VALUES = {"rules": "RULES", "base": "RULES", "level": "LEVEL", "next": "NAME"}
"""Options whose values are words of a kind, as it stands in the usage of commands."""


class CommandCompleter(Completer):
    """Completes commands, then their options, and names of players, rule sets and levels."""

    def __init__(self, commands: "Commands | None" = None, place: str = "") -> None:
        self.commands = commands
        """None as long as they are not loaded, and so nothing is completed."""
        self.place = place
        self._words: Mapping[str, Collection[str]] = {}

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Completions of the word before the cursor, by what is known now."""
        if self.commands:
            self._words = await self.commands.words(self.place)
        for completion in self.get_completions(document, complete_event):
            yield completion

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """Completions of the word before the cursor."""
        if self.commands is None:
            return
        by_name, text = self.commands.by_name, document.text_before_cursor
        word = document.get_word_before_cursor(WORD=True)
        first, blank, _ = text.lstrip().partition(" ")
        if not blank:
            words = {f"/{name}": say(entry.summary) for name, entry in by_name.items()}
        elif command := by_name.get(first.removeprefix("/")):
            words = self._words_of(command, word)
        else:
            return
        for candidate, meaning in words.items():
            if candidate.startswith(word) and (candidate == word or f" {candidate}" not in text):
                yield Completion(candidate, start_position=-len(word), display_meta=meaning)

    def _words_of(self, command: "Command", word: str) -> dict[str, str]:
        """What a word after a command may be, with its meaning."""
        option, colon, _ = word.partition(":")
        if colon and option in command.options:
            values = self._words.get(_VALUES.get(option, ""), ())
            return {f"{option}:{value}": "" for value in values}
        options = {f"{option}:": say(meaning) for option, meaning in command.options.items()}
        kinds = re.findall(r"(?<![:\w])(@?)([A-Z]+)\b", command.usage)
        return {
            f"{at}{name}": "" for at, kind in kinds for name in self._words.get(kind, ())
        } | options


async def run_console(load: Load, history: Path) -> None:
    """Answer lines until /quit or the end of input, with a prompt if there is a terminal.

    Raises what `load` and what it returns do.
    """
    if is_terminal():
        await _Prompt(history).run(load)
    else:
        async with load()() as lines:
            await answer_pipe(lines)


def is_terminal() -> bool:
    """Whether people type, and read it."""
    # what was closed from the start is None
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))


class _Prompt:
    """A prompt, above which answers appear while somebody types."""

    def __init__(self, history: Path) -> None:
        self._completer = CommandCompleter()
        self._session: PromptSession[str] = PromptSession(
            history=_history(history),
            auto_suggest=AutoSuggestFromHistory(),
            completer=self._completer,
            complete_while_typing=False,
        )
        self._answers: set[asyncio.Task[bool]] = set()

    async def run(self, load: Load) -> None:
        """Answer lines until the end. Raises what `load` and what it returns do."""
        print(wrap(say(GREETING), terminal_width()))  # noqa: T201
        loop = asyncio.get_running_loop()

        def interrupted(*_: object) -> None:
            """Break answers off while there is no prompt, where Ctrl-C is a signal and no key."""
            asyncio.run_coroutine_threadsafe(self._stop(), loop)

        usual = signal.signal(signal.SIGINT, interrupted)
        with patch_stdout(raw=True):
            reading = asyncio.create_task(self._read())
            try:
                await self._wait_for_prompt(reading)
                opened = await at_once(load)
                async with opened() as lines:
                    self._completer.commands = lines.commands
                    self._completer.place = lines.place
                    try:
                        await self._converse(lines, reading)
                    finally:
                        await _cancel(self._answers)
            finally:
                signal.signal(signal.SIGINT, usual)
                await _cancel({reading})

    async def _read(self) -> str | _Key:
        """The next line."""
        try:
            return await self._session.prompt_async("> ")
        except KeyboardInterrupt:
            return _Key.INTERRUPT
        except EOFError:
            return _Key.END

    async def _wait_for_prompt(self, reading: asyncio.Task[str | _Key]) -> None:
        """Return once it is drawn: what loads much would hold it up."""
        drawn = asyncio.Event()
        self._session.app.after_render += lambda _: drawn.set()
        waiting = asyncio.create_task(drawn.wait())
        await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _converse(self, lines: "Lines", reading: asyncio.Task[str | _Key]) -> None:
        """Answer what is read, the first line by a prompt that is there."""
        self._begin(lines.begin(terminal_width()))
        line = await reading
        while line is not _Key.END:
            if isinstance(line, str):
                # several lines are pasted at once
                for typed in line.splitlines():
                    task = self._begin(lines.answer(typed, terminal_width()))
                    done, _ = await asyncio.wait({task}, timeout=_PATIENCE)
                    if done and not task.cancelled() and task.result():
                        return
            else:
                await self._stop()
            line = await self._read()

    def _begin(self, answer: Coroutine[Any, Any, bool]) -> asyncio.Task[bool]:
        self._answers.add(task := asyncio.create_task(answer))
        task.add_done_callback(self._answers.discard)
        return task

    async def _stop(self) -> None:
        """Break off what is still being answered, and say so."""
        if await _cancel(self._answers):
            print(say("Stopped."))  # noqa: T201


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> bool:
    """Break off what is still running, such as a match; whether there was something."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return bool(running)


async def answer_pipe(lines: "Lines") -> None:
    """Answer what comes on standard input until /quit or its end."""
    await lines.resume()
    for line in sys.stdin or ():
        # a new round of the event loop: while it waited for the line others may have written
        await asyncio.sleep(0)
        if await lines.answer(line):
            return


def _history(path: Path) -> History:
    """History in a file where one can be kept, else in memory."""
    try:
        make_private(path.parent)
        keep_private(path)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
