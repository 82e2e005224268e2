"""How much work a solve will be, from the rules alone and before any of it is done."""

import math
import os
from dataclasses import dataclass

import numpy as np

from solver.game.standings import (
    DEFAULT_TOLERANCE,
    FEW_SCORES,
    is_corrected,
    score_count,
    state_count,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Endings, TurnPlan, solve_turn, turn_plan

_SECONDS_PER_OPTION = 25e-12
"""Seconds that a core takes for one option, or one list, at one turn total of a state: measured as
5.9 s on two slow cores for the 2.57 thousand million states of Facebook with a floor of -2500, many
of which are solved side by side."""

_SECONDS_PER_TOTAL = 1e-4
"""Seconds that a sweep takes beside the solves for each sum of both scores: to hand its states to
the threads, and to compare their values."""

_SECONDS_TO_COMPILE = 2e-3
"""Seconds that it takes to compile one option or list of rules that were never solved before."""

_SECONDS_TO_BEGIN = 2.0
"""Seconds that every solve takes before the first state."""

_BEYOND = 2.0
"""How far beyond the goal turn totals are solved where reaching it does not end the game, as a
multiple of the most that one set-aside adds: 1.6 to 2.2 under the rules that ship with it."""

BOUND = 2.0
"""Sweeps that the bound of the error takes, if values converge quickly."""

_CORRECTED = 0.5
"""The share of the sweeps that a long game still needs if the solver corrects values: less where
they converge quickly, as under the rules of Facebook, and more where slowly."""

_MOST_SWEEPS, _MOST_SWEEPS_ALL_LOST = 200.0, 25.0
"""The most sweeps that a slow solve takes beyond the first few, as the solver extrapolates; the
second for a penalty of all points, under which errors come back through a score of 0 alone."""


@dataclass(frozen=True, slots=True)
class Workload:
    """The work of a whole solve to the default tolerance, right to a factor of about two.

    Long games whose values converge slowly take three times as much, or more.
    """

    states: int
    """The number of states (t, n, ...) that are solved in one sweep."""
    sweeps: float
    """The number of times that each state is solved."""
    seconds: float
    """Seconds on this machine while it is idle, compiling included."""

    @property
    def cells(self) -> float:
        """The number of states, each counted as often as it is solved."""
        return self.states * self.sweeps


def workload(rules: Ruleset, *, cores: int | None = None, corrected: bool = True) -> Workload:
    """Estimate the work of a solve.

    cores : those that solve; all of this machine if None
    corrected : whether corrections may help, as they do for best play with the dice of the rules

    Raises InvalidRulesError for rules with too many start-of-turn values, or under which no roll
    scores.
    """
    plan = turn_plan(rules)
    states = state_count(rules)
    if rules.ending != "at_once":
        last_turns = 1 if rules.ending == "final_turn" else 0.5
        turn_totals = (score_count(rules) + 1) / 2
        states = round(states * (1 + last_turns * _BEYOND * plan.reach / turn_totals))
    sweeps = _sweeps(rules, plan, corrects=corrected and is_corrected(rules)) + BOUND
    options = len(plan.options) + len(plan.starts)
    cores = cores or (os.cpu_count() or 1)
    # one row for each turn total and level of `plan`, which holds all columns of its width
    rows = states * plan.levels / (plan.width * rules.hot_dice_counted)
    solving = rows * sweeps * options * _SECONDS_PER_OPTION / cores
    totals = 0 if rules.rounds else 2 * score_count(rules) * sweeps * _SECONDS_PER_TOTAL
    compiling = _SECONDS_TO_BEGIN + (0 if plan.by_lists else options * _SECONDS_TO_COMPILE)
    return Workload(states, sweeps, compiling + solving + totals)


def _sweeps(rules: Ruleset, plan: TurnPlan, *, corrects: bool) -> float:
    """The number of sweeps until values are as exact as the default tolerance.

    Without a penalty one sweep solves the game, and pairs of states that depend on each other are
    solved two to four times. With a penalty, errors come back through farkles in a row of either
    player, of whom one is bound to lose; so an error falls in each sweep to the square root of the
    chance of so many farkles.
    """
    if rules.rounds or (rules.beat_previous_turn and not rules.farkle_penalty):
        return 2.0
    if rules.farkle_penalty is None:
        return 3.5
    most = _MOST_SWEEPS if rules.penalty_points else _MOST_SWEEPS_ALL_LOST
    failures = [_failure(rules, plan, on_board=on_board) for on_board in (True, False)]
    farkles = rules.farkle_limit - rules.farkles_after_penalty
    rate = -math.log(max(math.prod(failures), 1e-6)) / 2 * farkles / 2
    sweeps = 3 + min(-math.log(DEFAULT_TOLERANCE) / max(rate, 1e-9), most)
    return sweeps * _CORRECTED if corrects and score_count(rules) >= FEW_SCORES else sweeps


def _failure(rules: Ruleset, plan: TurnPlan, *, on_board: bool) -> float:
    """The chance that a turn ends without a bank although its player banks as soon as allowed."""
    least = rules.least_bank(on_board=on_board) // rules.point_step
    bank = np.ones(least + plan.reach)
    bank[:least] = np.nan
    turn = solve_turn(plan, Endings.alone(bank, np.zeros(len(bank)), 0.0))
    return 1 - float(turn.roll[0, 0, -1])
