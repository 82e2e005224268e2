"""Errors of estimates against exact chances: `python -m tests.benchmarks.estimates`.

At random scores, and farkles in a row, at the start of a turn. With two players the rough strategy
is measured, with more the estimate made of exact values of two players and the one made of rough
ones. The error of a position is the largest of any player's chance, in percentage points. The
games of several players are solved first, which takes a minute or two.
"""

import argparse
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from solver.batch.local import solve_here
from solver.batch.subjects import GameOfSeveral, GameOfTwo
from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Standing
from solver.play.estimate import EstimatedStrategy
from solver.play.rough import rough_strategy
from solver.rules.file import load_rules, make_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState, dice_set
from solver.turn.equations import Floats
from tests.many_games import strategy_of

TWO = [("kcd", 1500), ("kcd", 4000), ("classic", 10_000), ("facebook", 10_000), ("arnold", 10_000)]
THREE = [("kcd", 1000), ("kcd", 1500), ("kcd", 2500), ("kcd", 4000), ("arnold", 3000)]
FOUR = [("kcd", 700), ("kcd", 1000)]

Chances = Callable[[Position], Floats]


def changed(preset: str, goal: int, changes: Sequence[str]) -> Ruleset:
    """The preset with another goal and options, each a line of a rules file; "" is none."""
    others = tomllib.loads("\n".join(changes))
    options = load_rules(preset).model_dump() | {"goal": goal}
    options |= {key: None if value == "" else value for key, value in others.items()}
    if not options["farkle_penalty"]:
        options["score_floor"] = 0
    return make_rules(options, preset)


def positions(rules: Ruleset, players: int, number: int) -> list[Position]:
    """Random starts of turns."""
    draw = np.random.default_rng(1)
    steps, turn = rules.winning_score // rules.point_step, TurnState(0, dice_set(rules).whole)
    found = []
    for _ in range(number):
        standings = []
        for _ in range(players):
            score = int(draw.integers(0, steps)) * rules.point_step
            farkles = int(draw.integers(0, rules.farkle_limit))
            standings.append(Standing(score, farkles, not rules.has_opening or score > 0))
        mover = int(draw.integers(0, players)) if rules.has_roles else 0
        found.append(Position(tuple(standings), mover, turn))
    return found


def show(what: str, rules: Ruleset, at: list[Position], right: Floats, tell: Chances) -> None:
    """One line: what is compared, and how large the errors are."""
    tell(at[0])
    begun = time.perf_counter()
    found = np.array([tell(one) for one in at])
    each = (time.perf_counter() - begun) / len(at)
    errors = 100 * np.abs(found - right).max(axis=1)
    print(  # noqa: T201
        f"{rules.name:<9} {rules.goal:>6,}  {what:<28} {len(at):>5,} positions"
        f"  mean {errors.mean():5.2f}  95 in 100 {np.percentile(errors, 95):5.2f}"
        f"  worst {errors.max():5.2f}  {1000 * each:5.1f} ms each",
        flush=True,
    )


def compare(rules: Ruleset, players: int, number: int, cache: Path) -> None:
    """Solve a game, and show the errors of its estimates."""
    at = positions(rules, players, number)
    pairs = Strategy(rules, solve_here(GameOfTwo(rules), cache=cache).values, rules.name)
    exact: Chances = EstimatedStrategy(pairs, 2).chances
    if players > 2:
        exact = strategy_of(solve_here(GameOfSeveral(rules, players), cache=cache)).chances
    right = np.array([exact(one) for one in at])
    begun = time.perf_counter()
    rough = rough_strategy(rules)
    took = time.perf_counter() - begun
    if players > 2:
        tell = EstimatedStrategy(pairs, players).chances
        show(f"{players} players, two solved", rules, at, right, tell)
    what = f"{players} players, none solved" if players > 2 else f"two, rough in {took:.1f} s"
    show(what, rules, at, right, EstimatedStrategy(rough, players).chances)


def main() -> None:
    """Go through rules and goals, or those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", help="a preset, instead of all that are gone through")
    parser.add_argument("--goal", type=int)
    parser.add_argument(
        "--option", action="append", default=[], help="""such as 'ending = "final_turn"'"""
    )
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--kernels", type=Path, help="a folder that keeps compiled code")
    chosen = parser.parse_args()
    games = [(rules, goal, 2) for rules, goal in TWO]
    games += [(rules, goal, 3) for rules, goal in THREE]
    games += [(rules, goal, 4) for rules, goal in FOUR]
    if chosen.rules:
        games = [(chosen.rules, chosen.goal or load_rules(chosen.rules).goal, chosen.players)]
    with tempfile.TemporaryDirectory() as folder:
        for preset, goal, players in games:
            number = chosen.positions
            rules = changed(preset, goal, chosen.option)
            compare(rules, players, number, chosen.kernels or Path(folder))


if __name__ == "__main__":
    main()
