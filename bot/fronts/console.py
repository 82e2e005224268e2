"""The local chat: a prompt in a terminal, or lines from a pipe."""

import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from bot.fronts.commands import Commands
from bot.views.text import wrap
from solver.rules_file import preset_names

GREETING = "farkle-advisor: type a command such as /advise 6 5 3 3 3 2, or /help, or /quit"


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
            words = {f"/{name}": one.summary for name, one in self._commands.by_name.items()}
        elif command := self._commands.by_name.get(first.removeprefix("/")):
            words = {f"{option}:": meaning for option, meaning in command.options.items()}
            prefix = "rules:" if "rules" in command.options else ""
            if word.startswith(prefix) and (prefix or command.takes_words):
                words = {f"{prefix}{name}": "" for name in preset_names()}
        else:
            return
        for candidate, meaning in words.items():
            if candidate.startswith(word) and (candidate == word or f" {candidate}" not in text):
                yield Completion(candidate, start_position=-len(word), display_meta=meaning)


async def chat(commands: Commands, history: Path, *, as_json: bool) -> None:
    """Answer lines until /quit or the end of input, with a prompt if there is a terminal."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        await _prompt(commands, history, as_json=as_json)
    else:
        await _pipe(commands, as_json=as_json)


async def _prompt(commands: Commands, history: Path, *, as_json: bool) -> None:
    session: PromptSession[str] = PromptSession(
        history=_history(history),
        auto_suggest=AutoSuggestFromHistory(),
        completer=CommandCompleter(commands),
        complete_while_typing=False,
    )
    print(GREETING)  # noqa: T201
    while True:
        try:
            line = await session.prompt_async("> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        width = shutil.get_terminal_size().columns - 1
        if await _answered_last(commands, line, as_json=as_json, width=width):
            return


async def _pipe(commands: Commands, *, as_json: bool) -> None:
    for line in sys.stdin:
        if await _answered_last(commands, line, as_json=as_json):
            return


async def _answered_last(
    commands: Commands, line: str, *, as_json: bool, width: int | None = None
) -> bool:
    """Print the answer to a line that is not blank; true where it ends the chat."""
    if not line.strip():
        return False
    reply = await commands.answer(line)
    text = wrap(reply.text, width) if width else reply.text
    print(json.dumps(reply.data) if as_json else text, flush=True)  # noqa: T201
    return reply.ends


def _history(path: Path) -> History:
    """History in a file where one can be kept, else in memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
