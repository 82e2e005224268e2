"""`farkle rules`: list, explain, check, compare and write rule sets, asked for in questions."""

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from bot.layout import columns, wrap
from bot.shell.output import EXIT_BAD_INPUT, Shown, answer_options, csv_option, json_option, show
from bot.shell.places import Here, here_option
from bot.tasks.solving import seconds_of_solve
from bot.tasks.tasks import duration
from bot.views import library
from bot.views.rules_text import rules_data, rules_list_data, rules_list_text, rules_text
from bot.views.sheet import Sheet, sheet
from solver.errors import FarkleError, InvalidRequestError, InvalidRulesError
from solver.game.solvable import unsolvable
from solver.game.standings import state_count
from solver.rules.complaints import complaints
from solver.rules.file import Finding, check_file, load_rules, make_rules
from solver.rules.options import YES_NO, Kind, Place, RuleOption
from solver.rules.ruleset import (
    OF_FARKLES,
    OF_GOAL,
    OF_TURN,
    OPTIONS,
    PENALTY_OPTIONS,
    TABLES,
    Ruleset,
    Scoring,
    unchecked,
)
from solver.rules.writer import write_rules
from solver.wording import say, short


@dataclass(frozen=True, slots=True)
class Terminal:
    """Asks and tells on the terminal, or a pipe."""

    to_stderr: bool = False

    def ask(self, question: str, default: str | None) -> str:
        """The answer to a question, the default for an empty one."""
        shown = wrap(f"{question} [{default}]" if default else question)
        reply: str = click.prompt(
            shown, default=default, type=str, err=self.to_stderr, show_default=False
        )
        return reply.strip()

    def tell(self, text: str) -> None:
        """Say something."""
        click.echo(wrap(text), err=self.to_stderr)

    def confirm(self, question: str, *, default: bool) -> bool:
        """Ask until the answer is yes or no."""
        while True:
            reply = self.ask(f"{question} (y/n)", "y" if default else "n").lower()
            if reply in {"y", "yes", "n", "no"}:
                return reply.startswith("y")
            self.tell(f'  answer y or n, not "{short(reply)}"')


def new_rules(terminal: Terminal, file: str | None) -> tuple[Path, Ruleset]:
    """Ask for a rule set and write it; returns where, and the rules. Raises FarkleError.

    Nothing is written before the last answer.
    """
    try:
        path = _path(terminal, file) if file else None
        while file and path is None:
            path = _path(terminal, terminal.ask("Write to which other file", None))
        terminal.tell("Enter takes the answer in brackets; Ctrl-C leaves without a file.")
        rules = Interview(terminal, path).rules()
        while path is None:
            path = _path(terminal, terminal.ask("Write them to which file", f"{rules.name}.toml"))
        write_rules(path, rules)
    except click.Abort as error:
        terminal.tell("")
        # click hides whether it was Ctrl-C or the end of a pipe
        if isinstance(error.__context__, EOFError):
            raise InvalidRequestError(
                "the answers ended before the questions; nothing was written"
            ) from None
        raise
    return path, rules


def _path(terminal: Terminal, file: str) -> Path | None:
    """A file that can be written, None with a sentence for one that cannot or must not."""
    path = Path(file)
    try:
        if path.is_dir():
            terminal.tell(f"  {short(file)} is a folder; name a file")
        elif path.exists() and not path.is_file():
            terminal.tell(f"  {short(file)} is not a file")
        elif not path.parent.is_dir():
            terminal.tell(f"  there is no folder {short(str(path.parent))}")
        elif not os.access(path.parent, os.W_OK):
            terminal.tell(f"  the folder {short(str(path.parent))} cannot be written to")
        elif not path.exists() or terminal.confirm(
            f"{short(file)} is there already; overwrite it?", default=False
        ):
            return path
    except (OSError, ValueError) as error:
        terminal.tell(f"  {short(file)} cannot be the name of a file ({error})")
    return None


@dataclass
class Interview:
    """The answers so far, and the rule set that gives the defaults."""

    terminal: Terminal
    path: Path | None = None
    base: Ruleset = field(init=False)
    data: dict[str, Any] = field(default_factory=dict)

    def rules(self) -> Ruleset:
        """Ask everything."""
        self.base = self._base()
        stem = re.sub(r"[^\w .+-]", "-", self.path.stem)[:60] if self.path else "my-rules"
        self._ask(OPTIONS["name"], default=stem)
        self._ask(OPTIONS["title"], default="")
        self._ask(OPTIONS["dice"])
        self._scoring()
        self._ask_all(OF_GOAL)
        self._ask_all(OF_TURN)
        self._ask_all(OF_FARKLES)
        while error := unsolvable(rules := make_rules(self.data, "rules")):
            self.terminal.tell(f"  {error}")
            self._ask_all(OF_GOAL)
            self._ask_all(OF_TURN)
        return rules

    def _base(self) -> Ruleset:
        self.terminal.tell("Known rules: those that farkle rules lists")
        while True:
            try:
                return load_rules(
                    self.terminal.ask("Start from which of them, or from which file", "classic")
                )
            except FarkleError as error:
                self.terminal.tell(f"  {error}")

    def _scoring(self) -> None:
        """What dice are worth: as in the rules to start from, or one by one."""
        kept = f"Should dice be worth the same as in {self.base.name}?"
        while True:
            scoring = self.base.scoring
            counting = [scoring.combination[k] for k in scoring.counting(self.data["dice"])]
            self.data["scoring"] = scoring.model_dump() | {"combination": counting}
            if not self.terminal.confirm(kept, default=True):
                self.data["scoring"] = {}
                self.terminal.tell(
                    "Points: six numbers for the faces 1 to 6, or one for all of them; 0 for no"
                    " score."
                )
                self._ask_all(Scoring.model_fields)
            if not (sentence := self._objection(("scoring",), self.data["scoring"])):
                return
            self.terminal.tell(f"  {sentence}")

    def _ask_all(self, keys: Iterable[str]) -> None:
        """Ask for options one after the other, those that mean something by then."""
        for key in keys:
            self.data.pop(key, None)
        for key in keys:
            option = OPTIONS[key]
            if option.applies(unchecked(self.data)):
                if key in TABLES:
                    self._ask_table()
                else:
                    self._ask(option)

    def _ask_table(self) -> None:
        """Ask for the penalty for farkles, the only table that there may be or not."""
        first, *others = PENALTY_OPTIONS.values()
        if self._ask(first, may_be_none=True):
            for option in others:
                if option.applies(unchecked(self.data)):
                    self._ask(option)

    def _ask(
        self, option: RuleOption, default: str | None = None, *, may_be_none: bool = False
    ) -> Any:
        """Ask for the value of an option until it is one that goes with the answers before."""
        kind = option.kind
        if kind is YES_NO or (option.meanings and kind.is_list):
            return self._put(self.data, option.place, self._confirmed(option))
        for choice, meaning in option.meanings.items():
            self.terminal.tell(f"  {choice:<13}{say(meaning)}")
        if default is None:
            default = self._default(option)
        while True:
            value = kind.value(self.terminal.ask(option.question, default), partial(_items, kind))
            if may_be_none and value in {0, None}:
                return None
            if not (sentence := self._objection(option.place, value)):
                return self._put(self.data, option.place, value)
            self.terminal.tell(f"  {sentence}")

    def _confirmed(self, option: RuleOption) -> Any:
        """Whether an option holds; of one that takes words, those that do."""
        value = option.of(self.base)
        if not option.meanings:
            return self.terminal.confirm(option.question, default=value)
        return [
            word
            for word, meaning in option.meanings.items()
            if self.terminal.confirm(say(option.ask, word=say(meaning)), default=word in value)
        ]

    def _default(self, option: RuleOption) -> str | None:
        """The value of the rules to start from, if it goes with the answers; else the simplest."""
        for value in (option.of(self.base), option.default):
            if not self._objection(option.place, value):
                return _shown(value)
        return option.typical

    def _objection(self, place: Place, value: Any) -> str:
        """What is wrong with a value after the answers so far, if anything."""
        data = {key: dict(old) if isinstance(old, dict) else old for key, old in self.data.items()}
        self._put(data, place, value)
        about = (finding for finding in complaints(data) if finding.place[: len(place)] == place)
        return next((finding.sentence() for finding in about), "")

    @staticmethod
    def _put(data: dict[str, Any], place: Place, value: Any) -> Any:
        for key in place[:-1]:
            data = data.setdefault(key, {})
        data[place[-1]] = value
        return value


def _items(kind: Kind, reply: str) -> list[str]:
    """What a list is made of: with spaces between them, or else commas."""
    words = [word.strip(",;") for word in reply.strip("[]() ").split()]
    if len(words) == 1 and type(kind.read(words[0])) is not int:
        words = re.split("[,;]", words[0])
    return [bare for word in words if (bare := word.strip("\"'"))]


def _shown(value: Any) -> str:
    """A default as it might be typed."""
    if isinstance(value, list | tuple):
        same = len(value) == 6 and len(set(value)) == 1
        return str(value[0]) if same else " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


class RulesGroup(click.Group):
    """`farkle rules` lists, `farkle rules NAME` shows."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for a rule set."""
        known = args[0] in self.commands or args[0].startswith("-")
        return super().resolve_command(ctx, args if known else ["show", *args])


@click.group(cls=RulesGroup, invoke_without_command=True)
@json_option
@csv_option
@click.pass_context
def rules(context: click.Context, /, *, as_json: bool, as_csv: bool) -> None:
    """List, explain, check, compare and write rule sets."""
    if context.invoked_subcommand is None:
        context.invoke(rules_list, as_json=as_json, as_csv=as_csv)


@rules.command("list")
@here_option
@answer_options
def rules_list(here: Here) -> Shown:
    """List the rule sets that ship with the project, and those made in a place."""
    if here.place is not None:
        from bot.views.house_rules import house_rules_data, house_rules_text  # noqa: PLC0415 - 0.3 s, of places

        return Shown(house_rules_text(here.entries), house_rules_data(here.entries))
    known = here.advisor.known_rules()
    return Shown(rules_list_text(known), rules_list_data(known))


@rules.command("show")
@click.argument("rules", metavar="RULES")
@here_option
@json_option
def rules_show(here: Here, rules: str, *, as_json: bool) -> None:
    """Explain RULES, the name of a rule set or a TOML file."""
    ruleset = here.rules(rules)
    show(rules_text(ruleset), rules_data(ruleset), as_json=as_json)


@rules.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@here_option
@json_option
@csv_option
def rules_check(here: Here, files: tuple[str, ...], *, as_json: bool, as_csv: bool) -> None:
    """Check TOML files of rules; say everything that is wrong, by line.

    With --place also rules that were made there, by their names. The exit status is 2 if anything
    is wrong.
    """
    checked = [(file, *_check(here, file)) for file in files]
    data = check_data(checked)
    show(check_text(data), data, as_json=as_json, sheet=_check_sheet(data) if as_csv else None)
    if any(findings for _, _, findings in checked):
        click.get_current_context().exit(EXIT_BAD_INPUT)


def _check(here: Here, file: str) -> tuple[Ruleset | None, list[Finding]]:
    """The rules of a file, or made in a place, or else all that is wrong with them."""
    if here.place is None or Path(file).is_file():
        return check_file(Path(file), unsolvable)
    try:
        ruleset = here.rules(file)
    except InvalidRulesError as error:
        return None, [Finding(1, "", str(error))]
    if wrong := unsolvable(ruleset):
        return None, [Finding(1, wrong.key or "goal", str(wrong))]
    return ruleset, []


_MOST = 20
"""Complaints about a file that people read at a time."""


def check_data(
    checked: Iterable[tuple[str, Ruleset | None, list[Finding]]],
) -> list[dict[str, Any]]:
    """Each file with what is wrong, or with its rules' name, digest, states and time to solve."""
    return [
        {
            "file": file,
            "valid": rules is not None,
            "complaints": [finding._asdict() for finding in findings],
            "rules": rules.name if rules else None,
            "digest": rules.digest if rules else None,
            "states": state_count(rules) if rules else None,
            "seconds": seconds_of_solve(rules) if rules else None,
        }
        for file, rules, findings in checked
    ]


def check_text(data: Iterable[dict[str, Any]]) -> str:
    """One line for each complaint, the first ones of many, and one for each valid file."""
    lines = []
    for report in data:
        name, findings = short(report["file"], 500), report["complaints"]
        lines += [f"{name}:{each['line']}: {each['sentence']}" for each in findings[:_MOST]]
        if (rest := len(findings) - _MOST) > 0:
            lines.append(f"{name}: and {rest:,} more")
        if report["valid"]:
            lines.append(
                f"{name}: valid: {report['rules']}, digest {report['digest'][:12]},"
                f" {report['states']:,} states, about {duration(report['seconds'])} to solve"
            )
    return "\n".join(lines)


def _check_sheet(data: Iterable[dict[str, Any]]) -> Sheet:
    """A row for each complaint, and one without any for each valid file."""
    nothing = dict.fromkeys(("line", "key", "sentence"))
    rows = [
        {"file": report["file"], **complaint}
        for report in data
        for complaint in report["complaints"] or [nothing]
    ]
    return sheet(("file", *nothing), rows)


@rules.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@here_option
@answer_options
def rules_diff(here: Here, a: str, b: str) -> Shown:
    """Say what differs between the rule sets A and B, names or TOML files."""
    one, other = map(here.rules, (a, b))
    names = (one.name, other.name) if one.name != other.name else (a, b)
    return Shown(
        library.diff_text(one, other, names),
        library.diff_data(one, other),
        library.diff_sheet(one, other),
    )


@rules.command("find")
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@here_option
@answer_options
def rules_find(here: Here, words: tuple[str, ...]) -> Shown:
    """Find rule sets by what they say, as in: find three pairs 750."""
    answer = library.find_rules(here.known, " ".join(words))
    return Shown(library.found_text(answer), library.found_data(answer))


@rules.command("like")
@click.argument("rules", metavar="RULES")
@here_option
@json_option
def rules_like(here: Here, rules: str, *, as_json: bool) -> None:
    """Say which rule sets are most like RULES, a name or a TOML file, and what differs."""
    nearest = library.like_rules(here.rules(rules), here.known)
    show(library.like_text(nearest), library.like_data(nearest), as_json=as_json)


@rules.command("new")
@click.argument("file", required=False)
@json_option
def rules_new(file: str | None, *, as_json: bool) -> None:
    """Ask for your house rules and write them to FILE."""
    path, ruleset = new_rules(Terminal(to_stderr=as_json), file)
    name = shlex.quote(str(path))
    # on lines of their own: what is to be typed again is not wrapped
    then = columns([(f"farkle rules {name}", "explains it"), (f"farkle solve {name}", "solves it")])
    show(
        "\n".join([f"Written to {path}.", *then]),
        {"file": str(path), **rules_data(ruleset)},
        as_json=as_json,
    )
