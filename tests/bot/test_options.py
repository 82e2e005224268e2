"""Every option of every command, with values given by mistake: an answer or one sentence."""

import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest

from bot.cli.main import farkle, run
from bot.services.rule_options import RULE_OPTIONS
from solver.game.standings import Solution
from tests.bot.speaking import Chat
from tests.conftest import EVERY, mostly_slow

HUGE = "1" + "0" * 18
VALUES = [
    HUGE,
    "-1",
    "0",
    "1e3",
    "1.5",
    "",
    "NaN",
    "\u0663",
    "\u00b2",
    "\uff10",
    "inf",
    "1_0",
    "9" * 30,
]
"""Huge, negative and fractional numbers, none at all, and digits of other scripts."""

LIKE = {"\u0663", "1_0"}
"""Numbers to Python, as others are, and so all that is asked for is worked out again."""

NAMED = mostly_slow(
    [(repr(value), value) for value in VALUES if EVERY or value not in LIKE], every=5
)

# ---- The chat --------------------------------------------------------------------------------

CHAT = {
    "advise": "/advise 5 1 2 3 4 6",
    "odds": "/odds turn:350 dice:2",
    "kcd": "/kcd goal:600 my-dice:odd*6",
    "explain": "/explain turn:350 dice:2",
    "explore": "/explore turn:350 dice:2",
    "play": "/play @bob",
    "track": "/track @bob",
    "pick": "/pick odd",
    "seed": "/seed text",
    "keep": "/keep 5",
    "score": "/score 500",
    "fix": "/fix ann 500",
    "replace": "/replace ann",
    "tournament": "/tournament new knock-out",
    "match": "/match greedy cautious",
    "duel": "/duel greedy cautious",
    "best-response": "/best-response greedy",
    "compare": "/compare kcd",
    "rules": "/rules new sunday base:kcd",
}
"""What a command takes beside its options, where it takes more."""


def lines_of(chat: Chat) -> Iterator[tuple[str, str]]:
    """Each command of the chat with each of its options, but for the names of rules."""
    for name, command in chat.commands.by_name.items():
        options = [*command.options, *(RULE_OPTIONS if command.any_option else ())]
        for option in options:
            if option != "rules":
                line = CHAT.get(name, f"/{name}")
                yield re.sub(rf" {option}:\S+", "", line), option


@pytest.mark.mostly_slow
@pytest.mark.parametrize("value", NAMED)
async def test_in_the_chat(chat: Chat, value: str) -> None:
    await chat.all("ann: /track @bob rules:facebook")
    asked = 0
    for line, option in lines_of(chat):
        reply = await chat.first(f"ann: {line} {option}:{value}")
        asked += 1
        assert reply.text.strip(), line
        if isinstance(reply.data, dict) and (error := reply.data.get("error")):
            assert "failed" not in error, (line, option, error)
            assert "\n" not in error.strip()
            assert error.endswith((".", "?")), (line, option, error)
        else:
            assert value != HUGE, f"{line} {option} takes {value}"
    assert asked > 150


# ---- The command line ------------------------------------------------------------------------

TYPED = {
    "advise": "5 1 --rules tiny.toml --turn 100",
    "odds": "--rules tiny.toml --turn 100 --dice 2",
    "turn": "--rules tiny.toml",
    "best-response": "greedy --rules tiny.toml",
    "compare": "tiny.toml --games 100",
    "duel": "greedy cautious --rules tiny.toml",
    "kcd": "--goal 600 --my-dice odd*6",
    "komi": "tiny.toml",
    "memo": "tiny.toml",
    "points": "tiny.toml",
    "plot border": "--rules tiny.toml --json",
    "plot turn": "--rules tiny.toml --json",
    "plot win": "--rules tiny.toml --json",
    "plot compare": "tiny.toml --json",
    "solve": "tiny.toml",
    "study floor": "tiny.toml",
    "study levels": "tiny.toml --games 10",
}
"""What a command takes beside the option."""


def commands_of(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """The commands of a group and of the groups in it, by their words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        if isinstance(command, click.Group):
            yield from commands_of(command, *path, name)
        yield " ".join((*path, name)), command


def options_of(command: click.Command) -> Iterator[str]:
    """The options of a command that take a number or text of their own kind."""
    for option in command.params:
        is_value = isinstance(option, click.Option) and not option.is_flag
        # a port that can be had is served until somebody ends that
        is_named = option.name in {"rules", "place", "scheduler", "restore", "port"}
        if is_value and not is_named and not isinstance(option.type, click.Path):
            yield option.opts[0]


@pytest.mark.mostly_slow
@pytest.mark.parametrize("value", NAMED)
def test_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, folder: Path, kernels: Path, tiny: Solution, value: str
) -> None:
    assert tiny.rules.name == "tiny"
    (folder / "kernels").symlink_to(kernels)
    monkeypatch.setenv("FARKLE_DATA", str(folder))
    monkeypatch.setenv("FARKLE_NEEDED_SECONDS", "0")
    monkeypatch.chdir(folder)
    asked = 0
    for name, command in commands_of(farkle):
        for option in options_of(command):
            asked += 1
            if option == "--seed" and value == HUGE:
                continue  # any seed is taken, and then games are played for seconds
            words = [*name.split(), *TYPED.get(name, "").split(), option, value]
            monkeypatch.setattr(sys, "argv", ["farkle", *words])
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                sentence, status = run()
            assert status in {0, 2}, (words, sentence)
            assert bool(sentence) == (status == 2), words
            assert "\n" not in sentence, words
            assert status == 2 or value, f"{words}: nothing is taken for something"
    assert asked > 60
