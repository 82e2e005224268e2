"""Hold random mixtures of all rule options against the slow twin, in every state.

    .venv/bin/python -m tests.mixtures [--agreed N] [--first N] [--log FILE]

Draws one small rule set for each number from the first on, until so many agree, and notes each in
the log; what is noted there is not done again. Exits with status 1 where one does not agree.
A rule set that is refused, or takes more than a minute of a processor, does not count.
"""

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from solver.errors import FarkleError
from solver.game.leads import spans
from solver.game.solvable import check_solvable
from solver.rules.ruleset import OPTIONS, Ruleset
from tests import house_rules
from tests.solver.game import test_beat_sweeps, test_house_rules, test_rounds, test_take_over

MOST_SECONDS = 60
"""What a mixture may take of a processor; most of it is the twin."""


def _of_rounds(rules: Ruleset, folder: Path, kernels: Path) -> None:
    far = max(test_rounds.FAR, int(max(spans(rules))) + 20)
    test_rounds.assert_agrees(rules, folder, kernels, far)


def _of_a_goal(rules: Ruleset, _: Path, kernels: Path) -> None:
    test_house_rules.assert_agrees(rules, kernels)


GOAL = house_rules.house_rules(), _of_a_goal
KINDS: list[tuple[SearchStrategy[Ruleset], Callable[[Ruleset, Path, Path], None]]] = [
    GOAL,
    (house_rules.of_many_dice(), _of_a_goal),
    GOAL,
    (house_rules.taking_over(), test_take_over.assert_agrees),
    GOAL,
    (house_rules.of_rounds(), _of_rounds),
    GOAL,
    (house_rules.beating(), test_beat_sweeps.assert_agrees),
]
"""What is drawn, in turns, and how it is held against the twin."""


def drawn(number: int) -> Ruleset:
    """The rule set of a number, the same one every time."""
    found: list[Ruleset] = []

    @seed(number)
    @settings(
        max_examples=3,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(rules=KINDS[number % len(KINDS)][0])
    def draw(rules: Ruleset) -> None:
        found.append(rules)

    draw()
    return found[-1]  # the first is always the simplest


class TooLongError(Exception):
    """A mixture has taken its time."""


def verdict(number: int, kernels: Path) -> dict[str, Any]:
    """What comes of a mixture, and its options."""
    found: dict[str, Any] = {"number": number}
    before = time.process_time()

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS, 1)  # again, as the compiler may drop it
    try:
        rules = drawn(number)
        some = {key: option.of(rules) for key, option in OPTIONS.items()}
        options = {key: str(value) for key, value in some.items() if value != OPTIONS[key].default}
        found |= {"digest": rules.digest, "options": options}
        check_solvable(rules)
        with tempfile.TemporaryDirectory() as folder:
            KINDS[number % len(KINDS)][1](rules, Path(folder), kernels)
        found["result"] = "agreed"
    except TooLongError:
        found["result"] = "too long"
    except FarkleError as error:
        found |= {"result": "refused", "said": str(error)}
    except Exception:  # whatever it is, it is noted
        found |= {"result": "wrong", "said": traceback.format_exc()}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found | {"seconds": round(time.process_time() - before, 1)}


@click.command()
@click.option("--agreed", default=200, show_default=True, help="How many are to agree.")
@click.option("--first", default=1, show_default=True, help="The number of the first.")
@click.option("--log", type=click.Path(path_type=Path, dir_okay=False), help="A line for each.")
def main(agreed: int, first: int, log: Path | None) -> None:
    """Hold random mixtures of all rule options against the slow twin."""
    os.environ["NUMBA_CACHE_DIR"] = ""
    kernels = Path(tempfile.gettempdir()) / "farkle-mixtures"
    kernels.mkdir(mode=0o700, exist_ok=True)
    lines = log.read_text().splitlines() if log and log.exists() else []
    known = {one["number"]: one for one in map(json.loads, lines)}
    digests, results = set[str](), Counter[str]()
    number = first
    while results["agreed"] < agreed:
        found = known.get(number) or verdict(number, kernels)
        if log and number not in known:
            with log.open("a") as file:
                file.write(json.dumps(found) + "\n")
        result, digest = found["result"], found.get("digest", "")
        results["again" if digest and digest in digests else result] += 1
        digests.add(digest)
        if result == "wrong":
            click.echo(f"{number}: {found['said']}")
        number += 1
    click.echo(", ".join(f"{count} {result}" for result, count in results.items()))
    sys.exit(1 if results["wrong"] else 0)


if __name__ == "__main__":
    main()
