"""How far apart scores matter in a game of a number of rounds.

Whoever is behind far enough is lost for certain, to within a negligible chance. A turn brings m
points or more with a chance of at most F(m), that of a turn in which nothing else counts. So the
points of n turns, however they are played, are m or more with at most the chance of n numbers drawn
one by one, each of which is m or more with chance F(m).
"""

import sys
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Endings, Floats, solve_turn, turn_plan

NEGLIGIBLE = (1e-12, 1e-9, 1e-6)
"""The chance to catch up by which a lead counts for certain: of two players the first one, of three
the first with which the game has no more than FEW values, else the last."""

FEW = 4_000_000

_FARTHEST = 5_000
"""Point steps of a lead up to which games are solved."""


def spans(rules: Ruleset, players: int = 2) -> npt.NDArray[np.int64]:
    """Leads in point steps from which on a game is decided, by the turns left, (turns + 1,).

    Raises InvalidRulesError where points matter too far.
    """
    return _decided(rules, players)[1]


def negligible(rules: Ruleset, players: int) -> float:
    """Return the chance to catch up by which a lead counts for certain, as of NEGLIGIBLE."""
    return _decided(rules, players)[0]


def longest_turn(rules: Ruleset, players: int) -> int:
    """Return the points, in point steps, that a turn brings with a chance that is negligible.

    Of two players, whose values are proved, any points count.
    """
    if players == 2:
        return sys.maxsize
    return int(np.argmax(_chances(rules)[1] <= negligible(rules, players)))


@lru_cache(maxsize=RULESETS)
def _decided(rules: Ruleset, players: int) -> tuple[float, npt.NDArray[np.int64]]:
    """What chance is negligible, and the spans by it."""
    kinds = (rules.farkle_limit * (1 + rules.has_opening)) ** players
    for chance in NEGLIGIBLE[: 1 if players == 2 else None]:
        leads = _spans(rules, players, chance)
        if kinds * np.sum((2 * leads + 1) ** (players - 1)) <= FEW:
            break
    return chance, leads


def _spans(rules: Ruleset, players: int, least: float) -> npt.NDArray[np.int64]:
    turns = np.arange(rules.rounds + 1)
    is_less = _chances(rules) <= least
    # and what penalties may take from another player
    penalties = -(-turns // rules.farkle_limit) + 1
    leads = np.argmax(is_less, axis=1) + penalties * (rules.penalty_points // rules.point_step)
    if leads[-1] > _FARTHEST or not is_less.any(axis=1).all():
        raise InvalidRulesError.say(
            "{rules}: leads of more than {most:,} steps of {step} can be made up for in {rounds}"
            " rounds, which is too far to be solved",
            rules=rules.name,
            most=_FARTHEST,
            step=rules.point_step,
            rounds=rules.rounds,
        )
    leads[0] = 1
    own_turns = (np.arange(players * rules.rounds + 1) + players - 1) // players
    return np.asarray(leads[own_turns])


@lru_cache(maxsize=RULESETS)
def _chances(rules: Ruleset) -> Floats:
    """The most that the chance of so many points or more can be, by turns, (rounds + 1, points)."""
    plan = turn_plan(rules)
    bank = np.zeros(_FARTHEST + plan.reach)
    bank[_FARTHEST:] = 1.0
    # what a farkle keeps is brought as well, also where it might not have been banked
    farkle = bank.copy() if rules.farkle_keeps_turn_total else np.zeros(len(bank))
    turn = solve_turn(plan, Endings.alone(bank, farkle, 0.0))
    chances = turn.roll[0, _FARTHEST - 1 :: -1].max(axis=-1)
    # a roll that wins at once is hope at any margin
    chances = np.maximum(chances - chances[-1], 0.0)
    turn_chances = -np.diff(np.concatenate([[1.0], chances, [0.0]]))
    turn_chances = turn_chances[: np.count_nonzero(chances > NEGLIGIBLE[0] * 1e-4) + 1]
    points = np.eye(1, _FARTHEST + 1)[0]
    rows = [points]
    for _ in range(rules.rounds):
        added = np.convolve(points, turn_chances)
        points = added[: _FARTHEST + 1]
        points[-1] += np.sum(added[_FARTHEST + 1 :])
        rows.append(points)
    return np.cumsum(np.array(rows)[:, ::-1], axis=1)[:, ::-1]
