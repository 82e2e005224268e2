"""What differs between two rule sets: option by option, and by what dice are worth."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.views.layout import columns, wrap
from bot.views.rules_text import NO_SCORE, but_nothing, combination_points
from bot.views.sheet import Cell, Sheet
from solver.rules.options import as_typed
from solver.rules.patterns import in_words
from solver.rules.ruleset import END_TOLD, FACES, TURN_TOLD, Ruleset, Topic, topics
from solver.turn.dice import make_roll
from solver.turn.scoring import all_points
from solver.wording import ENGLISH, figure, said_in, say, short


@dataclass(frozen=True, slots=True)
class Worth:
    """Points of one combination under one rule set."""

    own: int
    """Taken as one combination; 0 if it is none."""
    best: int
    """Taken as one or as several."""

    def __str__(self) -> str:
        if self.best > self.own:
            return say("{points:,} in parts", points=self.best)
        return figure(self.own) if self.own else "-"


def diff_data(a: Ruleset, b: Ruleset) -> dict[str, Any]:
    """What differs, with options as their keys and dice as what they are worth."""
    options, scoring = differing_options(a, b), said_in(ENGLISH, list, differing_scores(a, b))
    return {
        "a": {"rules": a.name, "digest": a.digest},
        "b": {"rules": b.name, "digest": b.digest},
        "same_play": same_play(a, b),
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


def key_in_words(key: str) -> str:
    """The key of an option as a heading."""
    return key.replace("_", " ")


def key_as_typed(key: str) -> str:
    """The key of an option as it is typed in a chat, in any language."""
    return f"{as_typed(key)}:"


def diff_text(
    a: Ruleset,
    b: Ruleset,
    names: tuple[str, str],
    heading: Callable[[str], str] = key_in_words,
) -> str:
    """What differs, in words.

    names : what to call the rule sets
    heading : what to call an option, given its key
    """
    one, two = (short(name, 40) for name in names)
    options, scoring = differing_options(a, b), list(differing_scores(a, b))
    lines = []
    if same_play(a, b):
        lines.append(say("{one} and {two} play the same.", one=one, two=two))
        if a.digest != b.digest:
            lines.append(say("They are written differently, though, so each is solved by itself."))
    else:
        lines.append(say("{one} and {two} differ.", one=one, two=two))
    nothing = say("does not apply.")
    for ours, theirs in options:
        lines += ["", heading(ours.option)]
        lines += [f"  {one}: {ours.sentence or nothing}"]
        lines += [f"  {two}: {theirs.sentence or nothing}"]
    if scoring:
        rows = [(name, str(ours), str(theirs)) for name, ours, theirs in scoring]
        lines += ["", say("what dice are worth")]
        lines += columns([("", one, two), *rows], right={1, 2})
    return wrap("\n".join(lines))


def same_play(a: Ruleset, b: Ruleset) -> bool:
    """Whether nothing that decides play differs."""
    floors_are_played = a.floor_is_played or b.floor_is_played
    decisive = any(
        one.option != "score_floor" or floors_are_played for one, _ in differing_options(a, b)
    )
    return a.digest == b.digest or not (decisive or any(differing_scores(a, b)))


def differing_options(a: Ruleset, b: Ruleset) -> list[tuple[Topic, Topic]]:
    """What options come to where they differ, under the one and the other."""
    return [
        (one, two)
        for one, two in zip(_topics(a), _topics(b), strict=True)
        if one.value != two.value
    ]


def _topics(rules: Ruleset) -> list[Topic]:
    return topics(rules, ("dice", *TURN_TOLD, *END_TOLD))


def differing_scores(a: Ruleset, b: Ruleset) -> Iterator[tuple[str, Worth, Worth]]:
    """The combinations that are worth something else, in the language that is spoken."""
    # those of some throws alone are told with the options
    a, b = a.at("any"), b.at("any")
    if a.dice == b.dice and a.combinations == b.combinations:
        return
    plain = but_nothing(a), but_nothing(b)
    for number in range(1, max(a.dice, b.dice) + 1):
        for face in FACES:
            one, two = (_of_a_kind(rules, face, number) for rules in plain)
            if one.own != two.own and one.best != two.best:
                yield in_words(str(face) * number), one, two
    ours, theirs = (
        combination_points(rules) | {say(NO_SCORE[rules.dice - 1]): rules.scoring.nothing}
        for rules in (a, b)
    )
    for name in dict.fromkeys([*ours, *theirs]):
        one, two = (Worth(points.get(name, 0), points.get(name, 0)) for points in (ours, theirs))
        if one != two:
            yield name, one, two


def _of_a_kind(rules: Ruleset, face: int, number: int) -> Worth:
    if number > rules.dice:
        return Worth(0, 0)
    dice = (face,) * number
    return Worth(rules.combinations.get(dice, 0), all_points(rules).get(make_roll(dice), 0))
