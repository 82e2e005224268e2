"""How far apart scores matter in a game of a number of rounds.

Whoever is behind far enough is lost for certain, to within NEGLIGIBLE. A turn brings m points or
more with a chance of at most F(m), that of a turn in which nothing else counts. So exp(s * points)
has a mean of at most G(s) = 1 + sum of (exp(s m) - exp(s (m - 1))) F(m), and n turns bring M points
or more with a chance of at most G(s)^n exp(-s M).
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Endings, solve_turn
from solver.turn.scoring import turn_plan

NEGLIGIBLE = 1e-12
"""The chance to catch up by which a lead counts for certain."""

_FARTHEST = 5_000
"""Point steps of a lead up to which games are solved."""


@lru_cache(maxsize=RULESETS)
def spans(rules: Ruleset) -> npt.NDArray[np.int64]:
    """Leads in point steps from which on a game is decided, by the turns left, (turns + 1,).

    Raises InvalidRulesError where points matter too far.
    """
    plan, turns = turn_plan(rules), np.arange(rules.rounds + 1)
    margins = np.arange(1, _FARTHEST + 1)
    bank = np.zeros(_FARTHEST + plan.reach)
    bank[_FARTHEST:] = 1.0
    # what a farkle keeps is brought as well, also where it might not have been banked
    farkle = bank.copy() if rules.farkle_keeps_turn_total else np.zeros(len(bank))
    turn = solve_turn(plan, Endings.alone(bank, farkle, 0.0))
    chances = turn.roll[0, _FARTHEST - 1 :: -1].max(axis=-1)
    # a roll that wins at once is hope at any margin
    chances = np.maximum(chances - chances[-1], 0.0)
    found = np.full(rules.rounds + 1, np.inf)
    for slope in np.geomspace(1 / _FARTHEST, 5.0, 100):
        with np.errstate(over="ignore", divide="ignore"):
            terms = np.exp(slope * margins + np.log(chances))
            mean = 1 - np.expm1(-slope) * np.sum(terms)
        if np.isinf(mean):
            break
        found = np.minimum(found, (turns * np.log(mean) - np.log(NEGLIGIBLE)) / slope)
    # and what penalties may take from the other player
    penalties = -(-turns // rules.farkle_limit) + 1
    found = np.ceil(found) + penalties * (rules.penalty_points // rules.point_step)
    if found[-1] > _FARTHEST:
        raise InvalidRulesError.say(
            "{rules}: leads of more than {most:,} steps of {step} can be made up for in {rounds}"
            " rounds, which is too far to be solved",
            rules=rules.name,
            most=_FARTHEST,
            step=rules.point_step,
            rounds=rules.rounds,
        )
    found[0] = 1
    own_turns = (np.arange(2 * rules.rounds + 1) + 1) // 2
    return np.asarray(found.astype(np.int64)[own_turns])
