"""The questions of `farkle rules new`: what is asked, and what is said to a wrong answer."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from bot.views.layout import wrap
from solver.errors import FarkleError, InvalidRequestError
from solver.game.solvable import unsolvable
from solver.rules.complaints import Place, complaints, short
from solver.rules.file import load_rules, make_rules, preset_names
from solver.rules.ruleset import Ruleset, Scoring
from solver.rules.writer import write_rules

_CHOICES = {
    "goal_must_be": {
        "reached": "exactly the goal is enough",
        "exceeded": "it takes more than the goal",
    },
    "more_of_a_kind": {
        "none": "scores nothing as such",
        "linear": "each further die adds the points of three",
        "doubling": "each further die doubles the points",
    },
    "ending": {
        "at_once": "the first to reach the goal wins at once",
        "final_turn": "the other player has one final turn",
        "equal_turns": "both players get the same number of turns",
    },
    "ties": {
        "earlier": "the player who reached the goal first wins",
        "shared": "each player wins half the game",
        "played_on": "one more turn each until one gets more points",
    },
    "hot_dice": {
        "optional": "all may be rolled again",
        "no_bank": "all must be rolled again",
        "forced": "all must be rolled again, and must be set aside if all score",
    },
}
"""What may be answered, and what each means."""


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
        self._ask(("name",), "Name of your rules", str, default=stem)
        self._ask(("title",), "What is special about them, in one line (optional)", str, default="")
        self._ask(("dice",), "Number of dice, 1 to 6", _number)
        self._scoring()
        self._goal_and_minimums()
        self._turn()
        self._farkles()
        while sentence := unsolvable(rules := make_rules(self.data, "rules")):
            self.terminal.tell(f"  {sentence}")
            self._goal_and_minimums()
            self._turn()
        return rules

    def _base(self) -> Ruleset:
        names = ", ".join(preset_names())
        self.terminal.tell(f"Known rules: {names}")
        while True:
            try:
                return load_rules(
                    self.terminal.ask("Start from which of them, or from which file", "classic")
                )
            except FarkleError as error:
                self.terminal.tell(f"  {error}")

    def _ask(
        self,
        place: Place,
        question: str,
        read: Callable[[str], Any],
        default: str | None = None,
    ) -> Any:
        """Ask for the value of a key until it is one that goes with the answers before."""
        for choice, meaning in _CHOICES.get(place[-1], {}).items():
            self.terminal.tell(f"  {choice:<13}{meaning}")
        if default is None:
            default = self._default(place)
        while True:
            value = read(self.terminal.ask(question, default))
            if not (sentence := self._objection(place, value)):
                self._put(self.data, place, value)
                return value
            self.terminal.tell(f"  {sentence}")

    def _confirm(self, key: str, question: str) -> None:
        """Ask whether a key is true; the default is that of the rules to start from."""
        self.data[key] = self.terminal.confirm(question, default=getattr(self.base, key))

    def _default(self, place: Place) -> str | None:
        """The value of the rules to start from, if it goes with the answers; else the simplest."""
        value: Any = self.base
        for key in place:
            value = getattr(value, key, None)
        if not self._objection(place, value):
            return _shown(value)
        model = Scoring if place[0] == "scoring" else Ruleset
        simplest = model.model_fields[place[-1]].get_default()
        return None if self._objection(place, simplest) else _shown(simplest)

    def _objection(self, place: Place, value: Any) -> str:
        """What is wrong with a value after the answers so far, if anything."""
        data = {key: dict(old) if isinstance(old, dict) else old for key, old in self.data.items()}
        self._put(data, place, value)
        return next((one.sentence() for one in complaints(data) if one.place == place), "")

    @staticmethod
    def _put(data: dict[str, Any], place: Place, value: Any) -> None:
        for key in place[:-1]:
            data = data.setdefault(key, {})
        data[place[-1]] = value

    def _scoring(self) -> None:
        """What dice are worth: as in the rules to start from, or one by one."""
        kept = f"Should dice be worth the same as in {self.base.name}?"
        while True:
            self.data["scoring"] = self.base.scoring.model_dump()
            if not self.terminal.confirm(kept, default=True):
                self.data["scoring"] = {}
                self._points()
            if not (sentence := self._objection(("scoring",), self.data["scoring"])):
                return
            self.terminal.tell(f"  {sentence}")

    def _points(self) -> None:
        dice = self.data["dice"]
        self.terminal.tell(
            "Points: six numbers for the faces 1 to 6, or one for all of them; 0 for no score."
        )
        self._ask(("scoring", "single"), "One die", _numbers)
        if dice >= 3:
            self._ask(("scoring", "three_of_a_kind"), "Three of a kind", _numbers)
        if dice >= 4:
            question = "Four of a kind and more" if dice > 4 else "Four of a kind"
            self._ask(("scoring", "more_of_a_kind"), question, str)
        for number, word in ((4, "four"), (5, "five"), (6, "six")):
            if dice >= number:
                question = f"Other points for {word} of a kind, or none"
                self._ask(("scoring", f"{word}_of_a_kind"), question, _numbers)
        if dice >= 5:
            self._ask(("scoring", "straight_1_5"), "1 2 3 4 5", _points)
            self._ask(("scoring", "straight_2_6"), "2 3 4 5 6", _points)
        if dice == 6:
            self._six_dice()
        self._ask(("scoring", "nothing"), "All the dice, and nothing scores", _points)

    def _six_dice(self) -> None:
        self._ask(("scoring", "straight_1_6"), "1 2 3 4 5 6", _points)
        included = self.base.scoring.three_pairs_include
        found = []
        if self._ask(("scoring", "three_pairs"), "Three pairs", _points):
            for kind, words in (
                ("four_and_two", "four of a kind and a pair"),
                ("six_of_a_kind", "six of a kind"),
            ):
                question = f"Does {words} count as three pairs?"
                if self.terminal.confirm(question, default=kind in included):
                    found.append(kind)
        self.data["scoring"]["three_pairs_include"] = found
        if "four_and_two" not in found:
            self._ask(("scoring", "four_and_two"), "Four of a kind and a pair", _points)
        self._ask(("scoring", "two_triplets"), "Two triplets", _points)

    def _goal_and_minimums(self) -> None:
        for key in ("minimum_bank", "opening_minimum", "minimum_binds_win"):
            self.data.pop(key, None)
        self._ask(("goal",), "Goal, in points", _number)
        self._ask(("goal_must_be",), "The goal must be", str)
        ending = self._ask(("ending",), "How the game ends", str)
        self.data.pop("ties", None)
        if ending != "at_once":
            self._ask(("ties",), "Equal scores after the last turn", str)
        least = self._ask(("minimum_bank",), "Least turn total that may be banked", _number)
        first = self._ask(("opening_minimum",), "Least first bank of a player", _number)
        if least or first:
            self._confirm(
                "minimum_binds_win", "Does that apply to a bank that reaches the goal, too?"
            )

    def _turn(self) -> None:
        self._confirm("set_aside_all", "Must every die that scores be set aside?")
        self._ask(("hot_dice",), "When all dice are set aside", str)
        question = "Bonus for the first, second, ... time that all are set aside, or none"
        self._ask(("hot_dice_bonus",), question, _list_of_numbers)
        question = 'Rolls that win at once, such as xxxxxx for six of a kind, or "none"'
        self._ask(("instant_win",), question, _patterns)
        question = 'Rolls that lose everything, such as 2222 for four 2s, or "none"'
        self._ask(("lose_everything",), question, _patterns)

    def _farkles(self) -> None:
        self._confirm("farkle_keeps_turn_total", "Does a farkle keep the turn total?")
        penalty = self.base.farkle_penalty
        place, question = ("farkle_penalty", "in_a_row"), "How many farkles in a row cost points"
        default = str(penalty.in_a_row) if penalty else "none"
        while True:
            in_a_row = _number(self.terminal.ask(f"{question}, or none", default))
            if in_a_row in {0, None}:
                return
            if not (sentence := self._objection(place, in_a_row)):
                break
            self.terminal.tell(f"  {sentence}")
        self.data["farkle_penalty"] = {"in_a_row": in_a_row}
        points = str(penalty.points) if penalty else "500"
        question = 'How many points they cost, or "everything"'
        self._ask(("farkle_penalty", "points"), question, _number, default=points)


def _number(reply: str) -> Any:
    """A whole number, None for "none", and anything else as it is: the rules object to it."""
    plain = re.sub(r"(?<=\d)[,_'](?=\d{3}\b)", "", reply)
    if re.fullmatch(r"[+-]?\d{1,30}", plain):
        return int(plain)
    return None if reply.lower() == "none" else reply


def _points(reply: str) -> Any:
    """The same of points, of which none are 0."""
    return 0 if reply.lower() == "none" else _number(reply)


def _list_of_numbers(reply: str) -> Any:
    """Numbers with spaces between them, or else commas."""
    reply = reply.strip("[]() ")
    words = [word.strip(",;") for word in reply.split()]
    if len(words) == 1 and not isinstance(_number(reply), int):
        words = re.split("[,;]", reply)
    numbers = [_number(word) for word in words if word]
    return [] if numbers == [None] else numbers


def _numbers(reply: str) -> Any:
    """Six numbers, one for all faces, or None."""
    numbers = _list_of_numbers(reply)
    return numbers if len(numbers) > 1 else next(iter(numbers), None)


def _patterns(reply: str) -> list[str]:
    return [] if reply.lower() == "none" else re.findall(r"[^\s,;\"'\[\]]+", reply.lower())


def _shown(value: Any) -> str:
    """A default as it might be typed."""
    if isinstance(value, list | tuple):
        same = len(value) == 6 and len(set(value)) == 1
        return str(value[0]) if same else " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
