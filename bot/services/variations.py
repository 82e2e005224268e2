"""Rule sets that differ in one option, from words such as `goal=1000..10000:500`."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.services.rule_options import RULE_OPTIONS, rules_from_options
from solver.errors import InvalidRequestError
from solver.game.solvable import check_solvable
from solver.play.compare import Comparison
from solver.rules.ruleset import Ruleset
from solver.wording import short

MOST_VALUES = 50
_STEPS = 10
"""About how many values a range has whose step is not given."""

_NUMBER = r"-?\d{1,9}"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::(\d{{1,9}}))?")


@dataclass(frozen=True, slots=True)
class Variation:
    """A rule set with one option changed, or as it is."""

    rules: Ruleset
    base: str
    """The name of the rules as they were."""
    option: str | None = None
    """What is changed, as it is typed; None if nothing."""
    value: str = ""


Compared = tuple[tuple[Variation, Comparison], ...]
"""Rule sets side by side, each as it is or with an option changed."""


def as_they_are(rules: Sequence[Ruleset]) -> list[Variation]:
    """Rule sets without a change, each once."""
    return [Variation(one, one.name) for one in dict.fromkeys(rules)]


def variations(bases: Sequence[Ruleset], text: str) -> list[Variation]:
    """Rule sets with an option that takes one value after the other.

    text : OPTION=VALUES. Values are a range of whole numbers `A..B`, maybe with `:STEP`, or have
        commas between them; bars, if a value itself has commas

    Raises InvalidRequestError, and InvalidRulesError where a value does not fit the rules.
    """
    option, found, given = text.partition("=")
    if not found:
        option, found, given = text.partition(":")
    option = option.strip().lower().replace("_", "-")
    if not (option and given.strip()):
        raise InvalidRequestError.say(
            "vary takes an option and its values, as in goal=1000..10000 or"
            ' hot-dice=optional,forced, not "{text}"',
            text=short(text),
        )
    made = []
    for base in dict.fromkeys(bases):
        for value in _values(option, given.strip(), base):
            name = re.sub(r"[^\w .+-]", " ", f"{base.name[:30]} {option} {value}")[:60].strip()
            rules = rules_from_options(name, base, {option: value})
            check_solvable(rules)
            made.append(Variation(rules, base.name, option, value))
    return made


def _values(option: str, given: str, base: Ruleset) -> list[str]:
    """The values one by one. Raises InvalidRequestError."""
    if bounds := _RANGE.fullmatch(given.replace(" ", "")):
        first, last = int(bounds[1]), int(bounds[2])
        in_steps = option in RULE_OPTIONS and RULE_OPTIONS[option].in_steps
        points = base.point_step if in_steps else 1
        step = int(bounds[3]) if bounds[3] else _step(last - first, points)
        if first > last or step < 1:
            raise InvalidRequestError.say(
                "a range goes up, as in 1000..10000 or 1000..10000:500, unlike {range}",
                range=given,
            )
        number = (last - first) // step + 1
        found = [] if number > MOST_VALUES else list(map(str, range(first, last + 1, step)))
    else:
        found = [part.strip() for part in given.split("|" if "|" in given else ",")]
        number = len(found)
    if number > MOST_VALUES:
        raise InvalidRequestError.say(
            "at most {most} values are compared, not {number:,}; give a larger step, as in"
            " 1000..10000:500",
            most=MOST_VALUES,
            number=number,
        )
    return list(dict.fromkeys(found))


def _step(length: int, points: int) -> int:
    """A round step by which a range has about ten values, a multiple of `points`."""
    least = max(1, length / _STEPS)
    power = 10 ** math.floor(math.log10(least))
    step = next(int(power * k) for k in (1, 2, 5, 10) if power * k >= least)
    return math.ceil(step / points) * points
