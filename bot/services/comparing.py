"""Comparing rule sets: as they are or with one option changed, as in `goal=1000..10000:500`."""

import math
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev

from bot.services.advisor import Advisor
from bot.services.reckoning import PlayedTurn, series
from bot.services.rule_options import RULE_OPTIONS, rules_from_options
from bot.table.events import TurnEnding
from solver.batch.jobs import solve_one
from solver.batch.local import LocalSolver, compiled_code, prefer_cache
from solver.batch.subjects import GameOfTwo
from solver.errors import InvalidRequestError
from solver.game.solvable import check_solvable
from solver.game.standings import OnShare
from solver.game.workload import workload
from solver.play.compare import Comparison, Estimate
from solver.play.policies import Optimal
from solver.rules.ruleset import Ruleset
from solver.strategy import is_solved
from solver.turn.memo import ones_twos_fives
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
    return [Variation(ruleset, ruleset.name) for ruleset in dict.fromkeys(rules)]


def variations(bases: Sequence[Ruleset], text: str) -> list[Variation]:
    """Rule sets with an option that takes one value after the other.

    text : OPTION=VALUES. Values are a range of whole numbers `A..B`, maybe with `:STEP`, or have
        commas between them; bars, if a value itself has commas

    Raises InvalidRequestError, and InvalidRulesError where a value does not fit the rules.
    """
    option, sign, given = text.partition("=")
    if not sign:
        option, sign, given = text.partition(":")
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
                "a range goes up, as in 1000..10000 or 1000..10000:500, unlike {range}", range=given
            )
        number = (last - first) // step + 1
        values = [] if number > MOST_VALUES else list(map(str, range(first, last + 1, step)))
    else:
        values = [part.strip() for part in given.split("|" if "|" in given else ",")]
        number = len(values)
    if number > MOST_VALUES:
        raise InvalidRequestError.say(
            "at most {most} values are compared, not {number:,}; give a larger step, as in"
            " 1000..10000:500",
            most=MOST_VALUES,
            number=number,
        )
    return list(dict.fromkeys(values))


def _step(length: int, points: int) -> int:
    """A round step by which a range has about ten values, a multiple of `points`."""
    step = next(step for step in ones_twos_fives() if step >= length / _STEPS)
    return math.ceil(step / points) * points


MOST_COMPARED = 20
GAMES = 2_000
"""Games that are counted for each rule set in a chat."""

PLAYED_FEWER = 10
"""How many times fewer games are counted where each is played turn by turn."""
_PLAYED_SECONDS = 0.6
"""About what a game takes then, with one of a careless player."""

_BEGIN_SECONDS = 10.0
"""About what a worker takes to load numba and its code."""
_RULES_SECONDS = 2.0
"""About what games take in which a turn is solved in no time."""
_ROW_SECONDS = 0.02
"""About what a turn total more adds to all games."""


Draw = Callable[[Compared], bytes]
"""A function of a module that draws them, as PNG."""


@dataclass(frozen=True, slots=True)
class ComparedRules:
    """Rule sets side by side."""

    found: Compared
    picture: bytes | None = None
    """A PNG, where there was time to draw one."""


def compared_here(
    rules: Ruleset, strategies: Path, kernels: Path, careless: str, keep: bool
) -> Comparison:
    """One rule set, solved if it is not, in this process: loads numba. Raises FarkleError."""
    with tempfile.TemporaryDirectory() as temporary, compiled_code(kernels) as cache:
        prefer_cache(cache)
        folder = strategies if keep or is_solved(strategies, rules) else Path(temporary)
        if not is_solved(folder, rules):
            solve_one(GameOfTwo(rules), folder, LocalSolver(cache))
        return compared_one(rules, folder, cache, games=GAMES, careless=careless)


def compared_one(
    rules: Ruleset,
    strategies: Path,
    cache: Path,
    *,
    games: int,
    careless: str,
    seed: int = 1,
    on_progress: OnShare = lambda _: None,
) -> Comparison:
    """What a solved rule set is like to play, as `compare` tells it, under any rules.

    Where games have to be played turn by turn, there are a tenth as many. Raises FarkleError.
    """
    from solver.play.tally import compare  # noqa: PLC0415 - numba: 0.4 s

    comparison = compare(
        rules, strategies, cache, games=games, seed=seed, careless=careless, on_progress=on_progress
    )
    if rules.is_plain:
        return comparison
    games, advisor = max(2, games // PLAYED_FEWER), Advisor(strategies)

    def share(begin: float) -> Callable[[float], None]:
        return lambda done: on_progress(begin + done / 2)

    best, other = (Optimal.name, Optimal.name), (careless, Optimal.name)
    turns, ends = list[int](), list[PlayedTurn]()
    for _, game in series(advisor, rules, best, games, seed, share(0.0)):
        turns.append(len(game.turns))
        ends += game.turns
    points = [end.points if end.how is TurnEnding.BANK else 0 for end in ends]
    wins = [won for won, _ in series(advisor, rules, other, games, seed + 1, share(0.5))]
    tally = replace(
        comparison.tally,
        games=games,
        turns=_mean(turns),
        points=_mean(points),
        farkles=_mean([end.how is TurnEnding.FARKLE for end in ends]),
    )
    return replace(comparison, tally=tally, careless_wins=_mean(wins))


def _mean(numbers: Sequence[float]) -> Estimate:
    """The mean of some numbers, and its standard error."""
    return Estimate(fmean(numbers), stdev(numbers) / math.sqrt(len(numbers)))


def seconds_to_compare(strategies: Path, asked: Sequence[Variation]) -> float:
    """About how long all of it takes. Raises InvalidRulesError for what cannot be solved."""
    seconds = _BEGIN_SECONDS
    for entry in asked:
        seconds += _RULES_SECONDS + _ROW_SECONDS * entry.rules.turn_rows
        if not entry.rules.is_plain:
            seconds += _PLAYED_SECONDS * GAMES / PLAYED_FEWER
        if not is_solved(strategies, entry.rules):
            seconds += workload(entry.rules).seconds
    return seconds
