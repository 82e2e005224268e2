"""Several players of whom each plays the best two-player strategy against the leader of the others.

A way to tell what positions are worth where the game of all is not solved. A turn then depends on
the own score and that of the strongest other player alone, so that how it ends is a table (a chance
for every bank, and of a farkle) that the solve for two players gives. With the way to play held
fixed the equations of solver.game.many_rings are linear, and the chances of all players are exact
for such play: totals from high to low, each ring in closed form,

    V_a = (K_a + q_a K_b + q_a q_b K_c) / (1 - q_a q_b q_c)

K the part of a turn that ends in a bank, q the chance of a farkle, all by seat. For rules in which
the goal wins at once and nothing counts but scores.
"""

from itertools import product

import numpy as np

from solver.best_play import Strategy
from solver.errors import InvalidRulesError
from solver.game.position import Position
from solver.game.standings import score_count
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Floats
from solver.turn.points import turn_outcome


def check_plain(rules: Ruleset) -> None:
    """Refuse rules in which more counts than scores, or the goal does not win at once.

    Raises InvalidRulesError.
    """
    if (
        rules.ending != "at_once"
        or rules.farkle_penalty
        or rules.has_opening
        or rules.farkle_keeps_turn_total
        or rules.lose_everything
    ):
        raise InvalidRulesError.say(
            "{rules}: play against the leader is evaluated only where the goal wins at once and"
            " nothing counts but scores",
            rules=rules.name,
        )


def turn_endings(strategy: Strategy) -> Floats:
    """How turns of best play of two end, at [own score, opponent's score, how], in point steps.

    How: by a bank of so many point steps; one that reaches the goal, or a roll that wins, is the
    entry that does so just; a farkle is entry 0. Raises InvalidRulesError as `check_plain` does.
    """
    rules = strategy.rules
    check_plain(rules)
    scores, step = score_count(rules), rules.point_step
    found = np.zeros((scores, scores, scores + 1))
    whole = dice_set(rules).whole
    for own, other in product(range(scores), repeat=2):
        table = strategy.turn(Position(banked=own * step, opponent=other * step, dice=whole))
        outcome = turn_outcome(rules, table)
        missing = scores - own
        here = found[own, other]
        below = min(missing, len(outcome.banked))
        here[:below] = outcome.banked[:below]
        here[missing] = outcome.banked[below:].sum() + outcome.wins
        here[0] = outcome.farkled.sum()
    return found


def evaluate(rules: Ruleset, endings: Floats, players: int = 3) -> Floats:
    """Chances of all players when each plays so, at [the mover's score, ..., the last one's, who].

    Scores in point steps, who counts from the mover. Raises InvalidRulesError.
    """
    check_plain(rules)
    scores = score_count(rules)
    values = np.zeros((*(scores,) * players, players))
    states = sorted(product(range(scores), repeat=players), key=sum, reverse=True)
    for state in states:
        if state != max(state[k:] + state[:k] for k in range(players)):
            continue
        ring = [state[k:] + state[:k] for k in range(players)]
        constants, farkles = [], []
        for k, one in enumerate(ring):
            chances = endings[one[0], max(one[1:])]
            missing = scores - one[0]
            # who moves next sees the mover last
            after = values[one[1:]][one[0] + 1 :]
            mean = np.roll(chances[1:missing] @ after, 1)
            mean[0] += chances[missing]
            constants.append(np.roll(mean, k))
            farkles.append(chances[0])
        total, weight = np.zeros(players), 1.0
        for constant, farkle in zip(constants, farkles, strict=True):
            total += weight * constant
            weight *= farkle
        found = total / (1 - weight)
        for k in range(players - 1, -1, -1):
            found = constants[k] + farkles[k] * found
            values[ring[k]] = np.roll(found, -k)
    return values
