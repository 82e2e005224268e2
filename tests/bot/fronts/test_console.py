import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from bot.chat.commands import Reply
from bot.fronts.console import CommandCompleter, answer_pipe
from bot.fronts.lines import PLACE, Lines
from bot.shell.output import EXIT_BAD_INPUT
from bot.table.fair_dice import Proof, verify_proof
from solver.game.standings import Solution
from solver.strategy import save_strategy, strategy_path
from tests.bot import programs
from tests.bot.speaking import open_chat
from tests.bot.waiting import PATIENCE
from tests.conftest import rules_file

CHAT = [sys.executable, "-m", "bot", "chat"]


def environment(data: Path) -> dict[str, str]:
    return {**os.environ, "FARKLE_DATA": str(data), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}


def pipe(data: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    return programs.run(["chat", *options], environment(data), text)


def test_lines_come_from_a_pipe(data: Path) -> None:
    done = pipe(data, "/advise 6 5 3 3 3 2\n\n/nonsense\n/odds\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "keep 5         50 points" in done.stdout
    assert 'Unknown command "/nonsense"' in done.stdout
    assert "53.49 %" in done.stdout


def test_a_seed_comes_from_a_pipe(data: Path) -> None:
    lines = "/play level:greedy rules:kcd\n/seed again and again\n/end\n"
    assert "player adds randomness to the dice." in pipe(data, lines).stdout


def test_quit_ends_the_pipe_and_a_last_line_needs_no_newline(data: Path) -> None:
    assert pipe(data, "/quit\n/odds").stdout == "Bye.\n"
    assert "51.10 %" in pipe(data, "/advise 653332").stdout


def test_each_reply_is_a_line_of_json(data: Path) -> None:
    done = pipe(data, "/advise 653332\n/nonsense\n/rules\n/help\n", "--json")
    advice, error, rules, text = map(json.loads, done.stdout.splitlines())
    assert advice["options"][0]["set_aside"] == [5]
    assert "error" in error
    assert {"rules", "digest", "solved"} <= set(rules[0])
    assert "/advise DICE" in text["help"]


@pytest.mark.slow
def test_it_speaks_german(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARKLE_LANGUAGE", "de_DE.UTF-8")
    done = pipe(data, "/advise 6 5 3 3 3 2\n/advise 7 7\n/odds on-board:nein rules:classic\n")
    assert "5 behalten" in done.stdout
    assert "51,10 %" in done.stdout
    assert "„7“ ist keine Augenzahl" in done.stdout
    assert "Regeln classic" in done.stdout
    data_of = [pipe(data, "/advise 6 5 3 3 3 2", "--json").stdout]
    monkeypatch.setenv("FARKLE_LANGUAGE", "xx")
    done = pipe(data, "/quit")
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        'FARKLE_LANGUAGE cannot be used: it takes one of en, de, not "xx"'
    )
    monkeypatch.delenv("FARKLE_LANGUAGE")
    assert data_of == [pipe(data, "/advise 6 5 3 3 3 2", "--json").stdout]


@pytest.mark.slow
def test_bytes_that_are_no_text_do_no_harm(data: Path) -> None:
    done = subprocess.run(
        CHAT,
        input=b"/advise \xff\xfe\n/advise 653332\n",
        env={**environment(data), "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"is not a die face" in done.stdout
    assert b"51.10 %" in done.stdout


PROMPT = re.escape("\x1b[?2004h")  # the terminal is told to mark what is pasted
GREY = re.escape("\x1b[0;38;5;241m")
NO_PROMPT = re.escape("\x1b[?2004l")


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, command: list[str], data: Path, *, its_own: bool = False) -> None:
        """its_own : whether the program can make it its own, in which Ctrl-C is a signal"""
        self._controller, terminal = pty.openpty()
        self._seen = ""
        self.all = ""
        """What was shown."""
        self.process = subprocess.Popen(
            command,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment(data),
            start_new_session=its_own,
        )
        os.close(terminal)

    def expect(self, pattern: str) -> None:
        """Read on until something was shown."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self._seen)):
            assert time.monotonic() < end, self._seen
            if select.select([self._controller], [], [], 0.1)[0]:
                new = os.read(self._controller, 65536).decode(errors="replace")
                self._seen += new
                self.all += new
        self._seen = self._seen[found.end() :]

    def expect_signals(self) -> None:
        """Wait until Ctrl-C is a signal, and no key."""
        end = time.monotonic() + PATIENCE
        while not termios.tcgetattr(self._controller)[3] & termios.ISIG:
            assert time.monotonic() < end
            time.sleep(0.01)

    def press(self, keys: bytes) -> None:
        os.write(self._controller, keys)

    def leave(self) -> int:
        """The status with which the program ends after Ctrl-D."""
        self.press(b"\x04")
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._controller)


@pytest.mark.slow
def test_lines_that_are_pasted_are_answered_one_after_the_other(data: Path) -> None:
    with closing(Terminal(CHAT, data)) as terminal:
        terminal.expect(PROMPT)
        terminal.press(b"\x1b[200~/advise 653332\n/help undo\nquit\x1b[201~\r")
        terminal.expect("50.67 %")
        terminal.expect("take the last move back")
        assert terminal.process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_a_terminal_gets_a_prompt_with_history(data: Path) -> None:
    with closing(Terminal(CHAT, data)) as terminal:
        terminal.expect(PROMPT)
        terminal.press(b"/advise 653332\r")
        terminal.expect("50.67 %")
        terminal.expect(PROMPT)
        terminal.press(b"12\x03")  # Ctrl-C drops the line
        terminal.expect(PROMPT)
        terminal.press(b"/adv")
        terminal.expect(rf"{GREY}ise 653332")  # as it was typed before
        terminal.press(b"\t")
        terminal.expect(r"\x1b\[0mise")
        terminal.press(b" 1\r")
        terminal.expect("A turn starts with all 6 dice")
        terminal.expect(PROMPT)
        terminal.press(b"/match optimal optimal games:99 rules:kcd\r")
        terminal.expect(NO_PROMPT)  # what is typed is shown behind a prompt, too
        terminal.expect(PROMPT)
        terminal.press(b"\x03")  # Ctrl-C breaks off what is still answered
        terminal.expect(r"Stopped\.")
        terminal.expect(PROMPT)
        assert terminal.leave() == 0
    assert "/advise 653332" in (data / "history").read_text()
    assert (data / "history").stat().st_mode & 0o777 == 0o600


ROW = r"keep 5 +50 points  5 dice  roll  51\.10 %  best"
"""The best row of an answer, without the turn total, which has no room in 60 columns."""
IN_BOLD = rf"\x1b\[32m\x1b\[1m{ROW}\x1b\[0m"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "shown"),
    [({}, IN_BOLD), pytest.param({"NO_COLOR": "1"}, rf"\n  {ROW}", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("command", [CHAT, [*CHAT[:3], "advise", "6", "5", "3", "3", "3", "2"]])
def test_rows_fit_the_terminal_and_the_best_is_bold(
    command: list[str],
    setting: dict[str, str],
    shown: str,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"NO_COLOR": "", "COLUMNS": "60", **setting}.items():
        monkeypatch.setenv(name, value)
    with closing(Terminal(command, data)) as terminal:
        if command is CHAT:
            terminal.press(b"/advise 6 5 3 3 3 2\r")
        terminal.expect(shown)
        terminal.expect("Position CZT1")


@pytest.mark.slow
async def test_no_line_is_wider_than_a_terminal(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = (
        "/advise 6 6 6 5 5 5 turn:300", "/odds turn:350 dice:2", "/points", "/rules kcd",
        "/rules", "/levels", "/kcd dice", "/advise 6 5 3 them:2500,3100 rules:kcd",
    )  # fmt: skip
    async with open_chat(tmp_path, data / "strategies") as opened:
        lines = Lines(opened.commands, tmp_path, as_json=False)
        for width in (40, 60, 80):
            for question in questions:
                await lines.answer(question, width - 1)
                told = capsys.readouterr().out.splitlines()
                assert max(map(len, told)) < width, question


async def test_how_far_a_solve_is_takes_few_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_chat(tmp_path) as opened:

        async def solving(*_: object) -> AsyncIterator[Reply]:
            yield Reply("waiting", str)
            for sweep in range(200):
                yield Reply(f"sweep {sweep}", str, passes=True)
            yield Reply("done", str)

        monkeypatch.setattr(opened.commands, "answer", solving)
        monkeypatch.setattr("bot.fronts.lines._BETWEEN_PASSING", 1e9)
        await Lines(opened.commands, tmp_path, as_json=False).answer("/rules solve kcd")
    assert capsys.readouterr().out.splitlines() == ["waiting", "sweep 0", "done"]


@pytest.mark.slow
def test_what_is_typed_before_all_is_loaded_is_answered(data: Path) -> None:
    with closing(Terminal(CHAT, data)) as terminal:
        terminal.press(b"/advise 653332\r/odds")
        terminal.expect(PROMPT)
        terminal.expect("50.67 %")
        terminal.expect(PROMPT)
        terminal.press(b"\r")
        terminal.expect("53.49 %")
        terminal.press(b"/quit\r")
        terminal.expect("Bye")
        assert terminal.process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_a_database_that_cannot_be_opened_is_told_below_the_prompt(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FARKLE_DATABASE_URL", f"sqlite:///{data}/nowhere/games.db")
    with closing(Terminal(CHAT, data)) as terminal:
        terminal.expect(PROMPT)
        terminal.expect(NO_PROMPT)
        terminal.expect("There is no folder")
        assert terminal.process.wait(PATIENCE) == EXIT_BAD_INPUT
        assert "Traceback" not in terminal.all


FIRST_ANSWERS = f"""
import fcntl, sys, termios
from bot.__main__ import main
from bot.fronts import console
from bot.fronts.lines import PLACE, Lines

async def begun(*args):
    print("begun")
    return await answer(*args)

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
console._PATIENCE = {PATIENCE}
answer, Lines.answer = Lines.answer, begun
sys.argv[1:] = ["chat"]
main()
"""
"""A chat that says when an answer begins, and prompts again only when it ends."""


@pytest.mark.slow
def test_an_interrupt_before_there_is_a_prompt_again_breaks_off_the_answer(data: Path) -> None:
    with closing(Terminal([sys.executable, "-c", FIRST_ANSWERS], data, its_own=True)) as terminal:
        terminal.expect(PROMPT)
        for _ in range(2):
            terminal.press(b"/match optimal optimal games:99 rules:kcd\r")
            terminal.expect(NO_PROMPT)
            terminal.expect("begun")
            terminal.expect_signals()
            terminal.press(b"\x03")
            terminal.expect(r"Stopped\.")
            terminal.expect(PROMPT)
        terminal.press(b"/advise 653332\r")
        terminal.expect("50.67 %")
        terminal.expect(PROMPT)
        assert terminal.leave() == 0
    assert "Traceback" not in terminal.all


SMALL = """
import sys
import bot.cli.chat
from bot.__main__ import main
bot.cli.chat.DEFAULT_RULES = "tiny.toml"
sys.argv[1:] = ["chat"]
main()
"""
"""A chat whose default rules are those of tiny.toml."""


@pytest.mark.slow
def test_damaged_default_rules_are_solved_anew(
    tmp_path: Path, tiny: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules_file(tmp_path / "tiny.toml")
    monkeypatch.chdir(tmp_path)
    save_strategy(tiny, tmp_path / "strategies")
    strategy_path(tmp_path / "strategies", tiny.rules).write_text("{}")
    with closing(Terminal([sys.executable, "-c", SMALL], tmp_path)) as terminal:
        terminal.press(b"/advise 5 5 1 rules:tiny.toml\r")
        terminal.expect("solving tiny")
        terminal.expect(PROMPT)
        terminal.expect("best")
        terminal.expect(PROMPT)
        assert terminal.leave() == 0
    assert "Traceback" not in terminal.all


@pytest.mark.slow
def test_a_chat_without_input_ends(data: Path) -> None:
    """Where even the standard input is closed from the start."""
    script = f"import os; os.close(0); os.execv({sys.executable!r}, {CHAT!r})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(data),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


async def test_completions(data: Path, tmp_path: Path) -> None:
    async def completions(text: str) -> list[str]:
        found = completer.get_completions_async(Document(text), CompleteEvent())
        return [completion.text async for completion in found]

    async with open_chat(tmp_path, data / "strategies") as chat:
        completer = CommandCompleter(chat.commands, PLACE)
        assert await completions("/score a") == []
        await chat.say("ann: /track @bob @anna")
        assert await completions("/score a") == ["ann", "anna"]
        assert await completions("/fix bob next:b") == ["next:bob"]
        assert await completions("/track @b") == ["@bob"]
        assert await completions("/resign ") == ["ann", "bob", "anna", "sure:", "game:"]
        assert await completions("/match op") == ["optimal"]
        assert await completions("/play level:g") == ["level:greedy"]
        assert await completions("/help pr") == ["practise", "proof"]
        assert await completions("/compare farkle") == ["farkle-games", "farkle-summary"]
        assert await completions("/a") == ["/advise"]
        assert "their-farkles:" in await completions("/advise 123 ")
        assert await completions("/odds di") == ["dice:"]
        assert await completions("/advise 123 rules:fac") == ["rules:facebook"]
        assert await completions("/rules k") == ["kcd", "klanestro"]
        assert await completions("/nothing x") == []
        assert await completions("/advise me:100 m") == ["my-dice:", "my-badge:"]
        assert await completions("/roll m") == []


@pytest.mark.slow
def test_answering_loads_neither_numba_nor_discord(data: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from bot.fronts import console
from tests.bot import programs
from tests.bot.speaking import open_chat
from tests.bot.waiting import PATIENCE

async def main():
    async with open_chat(Path(sys.argv[1])) as chat:
        assert "51.10 %" in await chat.say("/advise 653332")
        assert "wins" in await chat.say("/match greedy cautious")
asyncio.run(main())
assert not {"numba", "discord"} & set(sys.modules)
"""
    command = [sys.executable, "-c", script, str(data)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


async def test_an_answer_that_cannot_be_put_into_words_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bot.chat.games.games_text", lambda _: 1 // 0)
    monkeypatch.setattr("sys.stdin", io.StringIO("/games\n/quit\n"))
    async with open_chat(tmp_path) as opened:
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))
    *failure, bye = capsys.readouterr().out.splitlines()
    failed = " ".join(failure)
    assert failed.startswith("Something went wrong in the program, which is not your fault")
    assert "ZeroDivision" not in failed
    assert bye == "Bye."


async def test_it_ends_where_nobody_reads_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does with `farkle chat | head`."""

    def broken(*_: object, **__: object) -> None:
        raise BrokenPipeError

    run_lines(monkeypatch, "/help", "/quit")
    monkeypatch.setattr("builtins.print", broken)
    async with open_chat(tmp_path) as opened:
        with pytest.raises(BrokenPipeError):
            await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))


def run_lines(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))


async def test_a_proof_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_lines(
        monkeypatch,
        "/play level:greedy rules:kcd",
        "/seed x  y",
        "/roll",
        "/resign sure:yes",
        "/proof",
    )
    async with open_chat(tmp_path) as opened:
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))
        [file] = (tmp_path / "proofs").iterdir()
        told = " ".join(capsys.readouterr().out.split())
        assert f"is in {file}; with this program anybody can check it." in told
        assert file.stat().st_mode & 0o077 == 0 or file.parent.stat().st_mode & 0o077 == 0
        proof = Proof.model_validate_json(file.read_text("utf-8"))
        assert [seed.text for seed in proof.seeds] == ["x  y"]
        assert verify_proof(proof).holds
        run_lines(monkeypatch, "/proof")
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=True))
        assert json.loads(capsys.readouterr().out) == json.loads(file.read_text("utf-8"))
        file.unlink()
        file.mkdir()  # where nothing can be written
        run_lines(monkeypatch, "/proof")
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))
        assert "The proof cannot be written to" in capsys.readouterr().out


async def test_no_refusal_is_wider_than_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_lines(
        monkeypatch,
        "/duel max-points nope rules:kcd",
        "/compare kcd nix",
        "/explore me:4000 them:5000 rules:kcd",
        "/odds turn:375 dice:2",
        "ann: /odds turn:375 dice:2",
        "/advise 653332 mee:5",
    )
    async with open_chat(tmp_path) as opened:
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 79
    assert lines[0].startswith('Unknown policy "nope"; known are optimal,')
    assert sum(line.startswith("  ") for line in lines) >= 5


async def test_lines_for_one_alone_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "a line that is as long as a terminal is wide, so that nothing goes before it\n  x"
    for text, shown in (("yes", "(to ann alone) yes"), (lines, f"(to ann alone)\n{lines}")):

        async def replies(*_: Any, text: str = text) -> AsyncIterator[Reply]:
            yield Reply(text, str, private=True)

        async with open_chat(tmp_path) as opened:
            monkeypatch.setattr(opened.commands, "answer", replies)
            run_lines(monkeypatch, "ann: /drill")
            await answer_pipe(Lines(opened.commands, tmp_path, as_json=False))
        assert capsys.readouterr().out == f"{shown}\n"


async def test_who_cancels_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The end of what was cancelled is told where it replaces what was shown before."""

    async def told(as_json: bool) -> str:
        async def replies(*_: Any) -> AsyncIterator[Reply]:
            yield Reply("solving", str)
            yield Reply("cancelled", str, repeats=True)

        monkeypatch.setattr(opened.commands, "answer", replies)
        run_lines(monkeypatch, "/rules solve kcd")
        await answer_pipe(Lines(opened.commands, tmp_path, as_json=as_json))
        return capsys.readouterr().out

    async with open_chat(tmp_path) as opened:
        assert await told(False) == "solving\n"
        assert await told(True) == '"solving"\n"cancelled"\n'
