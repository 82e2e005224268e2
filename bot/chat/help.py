"""What /help says: the commands that are needed most and the groups, a group, a command, or all."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bot.layout import columns, wrap
from bot.views.card import Button, Card, Style, text_card
from solver.wording import say, say_later

if TYPE_CHECKING:
    from bot.chat.commands import Command

GROUPS = {
    "ask": (say_later("what is best, how good it is, and tables to learn"), "advise odds position"),
    "play": (
        say_later("games with people, bots or real dice"),
        "play join roll keep bank take undo hint show track score fix leave resign pick use seed",
    ),
    "practise": (say_later("positions to solve, reviews and records"), ""),
    "rules": (say_later("rule sets, and rules of your own"), "rules compare"),
    "manage": (
        say_later("open games, settings of this place, and what is stored about you"),
        "games skip replace end settings cancel forget help quit",
    ),
}
"""Groups of commands by the word that /help takes: what they are for, and the commands' names."""

ALL = "all"

_FIRST = "advise", "odds", "play", "track", "daily", "rules"
"""The commands that most people need."""


def help_card(commands: Mapping[str, "Command"], name: str) -> Card:
    """Help where options are asked for by name: what can be given there, and a short way in."""
    asked = {key: entry for key, entry in commands.items() if entry.is_asked or key == "rules"}
    card = text_card(partial(help_text, asked, name, typed=False), f"help {name}")
    if name:
        return card
    play = Button("play", say("New game"), style=Style.MAIN)
    daily = Button("daily", say("Today's position"))
    return replace(card, buttons=(play, daily, Button("drill", say("Practise"))))


def help_text(commands: Mapping[str, "Command"], name: str, *, typed: bool = True) -> str:
    """Help on nothing in particular, a group, a command or all of them.

    name : empty, "all", or the name of a group or a command; "/play" is the command alone
    typed : whether commands are typed with their options, and not asked for these by name
    """
    groups = columns((group, say(meaning)) for group, (meaning, _) in GROUPS.items())
    if not (name or typed):
        note = say("More of them with the option command of /help, also by group:")
        lines = [*_rows(commands, _FIRST, typed=False), note, *groups]
    elif not name:
        note = say(
            "/help play shows a group, /help advise a command, /help all everything. Groups:"
        )
        first = _rows(commands, _FIRST)
        alone = say("Type your dice alone, such as 6 5 3 3 3 2, to hear what to keep.")
        lines = [alone, *first, note, *groups]
    elif name == ALL or name in GROUPS:
        lines = []
        for group, (meaning, names) in GROUPS.items():
            if name in {ALL, group}:
                others = [key for key, command in commands.items() if command.group == group]
                listed = [*names.split(), *others]
                lines += [f"{group}: {say(meaning)}", *_rows(commands, listed, typed=typed)]
        if name in commands:
            lines.append(say("/help /{command} says more about /{command}.", command=name))
    else:
        lines = _command_lines(commands[name.removeprefix("/")], typed=typed)
    return wrap("\n".join(lines))


def _rows(
    commands: Mapping[str, "Command"], names: Iterable[str], *, typed: bool = True
) -> list[str]:
    known = (commands[name] for name in names if name in commands)
    return columns(
        (entry.usage if typed else f"/{entry.name}", say(entry.summary)) for entry in known
    )


def _command_lines(command: "Command", *, typed: bool) -> list[str]:
    if not typed and command.is_asked:
        rows = columns((field.name, say(field.meaning)) for field in command.fields)
        return [f"/{command.name}: {say(command.summary)}", *rows]
    lines = [f"{command.usage}: {say(command.summary)}"]
    lines += columns((f"{key}:", say(meaning)) for key, meaning in command.options.items())
    if command.examples:
        lines.append(say("For example: {example}", example="; ".join(command.examples)))
    return lines
