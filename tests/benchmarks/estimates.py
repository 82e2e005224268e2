"""Errors of ways to estimate a game of three players: `python -m tests.benchmarks.estimates`.

Against the exact chances of three players who all maximise their own, at random scores at the start
of a turn. The error of a position is the largest of the three chances, in percentage points.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from solver.batch.local import solve_here, solve_many_here
from solver.best_play import Strategy
from solver.game.standings import Standing
from solver.play.against_leader import evaluate, turn_endings
from solver.play.estimate import estimate
from solver.rules.file import load_rules, make_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Floats
from solver.turn.scoring import TurnState


def exact(rules: Ruleset, cache: Path) -> Floats:
    """The chances of all three players, at [the mover's score, ..., who]."""
    values = solve_many_here(rules, 3, cache=cache).values[0]
    rest = 1 - values.sum(axis=-1, keepdims=True)
    return np.concatenate([values, rest], axis=-1)


def show(what: str, errors: Floats) -> None:
    worst = 100 * np.abs(errors).max(axis=-1)
    mean, most, top = worst.mean(), np.percentile(worst, 95), worst.max()
    print(  # noqa: T201
        f"  {what:<42} {len(worst):>6,} positions  mean {mean:5.2f}  95 in 100 {most:5.2f}"
        f"  worst {top:5.2f}",
        flush=True,
    )


def main() -> None:
    """Solve the game for two and for three, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="kcd")
    parser.add_argument("--goal", type=int, default=1500)
    parser.add_argument("--positions", type=int, default=4000)
    parser.add_argument("--estimates", type=int, default=30)
    parser.add_argument("--kernels", type=Path, help="a folder that keeps compiled code")
    chosen = parser.parse_args()
    rules = make_rules(load_rules(chosen.rules).model_dump() | {"goal": chosen.goal}, chosen.rules)
    with tempfile.TemporaryDirectory() as folder:
        cache = chosen.kernels or Path(folder)
        right = exact(rules, cache)
        two = solve_here(rules, cache=cache, tolerance=1e-9)
    strategy = Strategy(rules, two.values, rules.name)
    generator = np.random.default_rng(1)
    scores = generator.integers(0, len(right), size=(chosen.positions, 3))
    print(f"{rules.name}, goal {rules.goal:,}, three players, percentage points")  # noqa: T201
    found = evaluate(rules, turn_endings(strategy))
    at = tuple(scores.T)
    show("best play of two against the leader", found[at] - right[at])
    turn = TurnState(0, dice_set(rules).whole)
    errors = []
    for one in scores[: chosen.estimates]:
        players = [Standing(int(score) * rules.point_step) for score in one]
        played = estimate(rules, players, 0, turn, generator)
        errors.append(np.array(played.win_probabilities) - right[tuple(one)])
    show("every turn for most points, 20,000 games", np.array(errors))


if __name__ == "__main__":
    main()
