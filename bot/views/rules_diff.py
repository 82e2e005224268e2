"""What differs between two rule sets: option by option, and by what dice are worth."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.views.layout import columns, wrap
from bot.views.rule_sentences import (
    Topic,
    combination_points,
    end_topics,
    of_a_kind_points,
    parts_points,
    turn_topics,
)
from bot.views.sheet import Cell, Sheet
from solver.rules.complaints import short
from solver.rules.ruleset import FACES, Ruleset


@dataclass(frozen=True, slots=True)
class _Worth:
    """Points of one combination under one rule set."""

    own: int
    """Taken as one combination; 0 if it is none."""
    best: int
    """Taken as one or as several."""

    def __str__(self) -> str:
        if self.best > self.own:
            return f"{self.best:,} in parts"
        return f"{self.own:,}" if self.own else "-"


def diff_data(a: Ruleset, b: Ruleset) -> dict[str, Any]:
    """What differs, with options as their keys and dice as what they are worth."""
    options, scoring = _options(a, b), list(_scoring(a, b))
    return {
        "a": {"rules": a.name, "digest": a.digest},
        "b": {"rules": b.name, "digest": b.digest},
        "same_play": _same_play(a, b),
        "options": [{"option": one.option, "a": one.value, "b": two.value} for one, two in options],
        "scoring": [{"dice": name, "a": one.best, "b": two.best} for name, one, two in scoring],
    }


def diff_sheet(a: Ruleset, b: Ruleset) -> Sheet:
    """A row for each option that differs, then one for each combination; values as in JSON."""
    data = diff_data(a, b)
    rows = [(one["option"], *map(_cell, (one["a"], one["b"]))) for one in data["options"]]
    rows += [(one["dice"], one["a"], one["b"]) for one in data["scoring"]]
    return Sheet(("what", "a", "b"), tuple(rows))


def _cell(value: object) -> Cell:
    """The value of an option in one cell."""
    return value if isinstance(value, str | int | None) else json.dumps(value)


def diff_text(a: Ruleset, b: Ruleset, names: tuple[str, str]) -> str:
    """What differs, in words. `names` are what to call the rule sets."""
    one, two = (short(name, 40) for name in names)
    options, scoring = _options(a, b), list(_scoring(a, b))
    lines = []
    if _same_play(a, b):
        lines.append(f"{one} and {two} play the same.")
        if a.digest != b.digest:
            lines.append("They are written differently, though, and are solved one by one.")
    else:
        lines.append(f"{one} and {two} differ.")
    for ours, theirs in options:
        lines += ["", ours.option.replace("_", " ")]
        lines += [f"  {one}: {ours.sentence or 'does not apply.'}"]
        lines += [f"  {two}: {theirs.sentence or 'does not apply.'}"]
    if scoring:
        rows = [(name, str(ours), str(theirs)) for name, ours, theirs in scoring]
        lines += ["", "what dice are worth"]
        lines += columns([("", one, two), *rows], right={1, 2})
    return wrap("\n".join(lines))


def _same_play(a: Ruleset, b: Ruleset) -> bool:
    floors_are_played = a.floor_is_played or b.floor_is_played
    decisive = any(one.option != "score_floor" or floors_are_played for one, _ in _options(a, b))
    return a.digest == b.digest or not (decisive or any(_scoring(a, b)))


def _options(a: Ruleset, b: Ruleset) -> list[tuple[Topic, Topic]]:
    return [
        (one, two)
        for one, two in zip(_topics(a), _topics(b), strict=True)
        if one.value != two.value
    ]


def _topics(rules: Ruleset) -> list[Topic]:
    dice = "one die" if rules.dice == 1 else f"{rules.dice} dice"
    number = Topic("dice", rules.dice, f"The game is played with {dice}.")
    return [number, *turn_topics(rules), *end_topics(rules)]


def _scoring(a: Ruleset, b: Ruleset) -> Iterator[tuple[str, _Worth, _Worth]]:
    """The combinations that are worth something else."""
    for number in range(1, max(a.dice, b.dice) + 1):
        for face in FACES:
            one, two = _of_a_kind(a, face, number), _of_a_kind(b, face, number)
            if one.own != two.own and one.best != two.best:
                yield " ".join([str(face)] * number), one, two
    ours, theirs = combination_points(a), combination_points(b)
    for name in dict.fromkeys([*ours, *theirs]):
        one, two = (_Worth(points.get(name, 0), points.get(name, 0)) for points in (ours, theirs))
        if one != two:
            yield name, one, two


def _of_a_kind(rules: Ruleset, face: int, number: int) -> _Worth:
    if number > rules.dice:
        return _Worth(0, 0)
    own = of_a_kind_points(rules, number)[face - 1]
    return _Worth(own, parts_points(rules, face, number))
