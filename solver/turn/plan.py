"""The choices of a turn by enumeration: what all rolls offer, and where each set-aside leads.

See `solver.turn.equations.TurnPlan`, which is made of them.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.rules.ruleset import Ruleset
from solver.turn.dice import (
    Fate,
    Remaining,
    SetAside,
    all_set_asides,
    dice_set,
    fate_by,
    left_to_confirm,
    thrown_again,
)
from solver.turn.memory import Memory, held_after, held_places, memories


def plan_arrays(rules: Ruleset, *, all_options: bool) -> dict[str, Any] | None:
    """The fields of the plan of a turn; None where no roll is left that scores.

    all_options : whether also those are listed that are never best
    """
    step, thrown = rules.point_step, dice_set(rules)
    layers, width = memories(rules), thrown.whole
    columns = len(layers) * width
    after_first = min(1, layers[-1].throws)
    # where a turn remembers its hot dice, what leads to them has their bonus
    bonuses = () if rules.hot_dice_times else rules.hot_dice_bonus
    chances: Counter[tuple[int, tuple[int, ...]]] = Counter()
    fates: Counter[tuple[Fate, int]] = Counter()
    tries = [1] * columns
    for column in range(columns):
        memory, dice = layers[-1 - column // width], column % width + 1
        first = memory.throws < after_first
        held = memory.held_with(rules, dice)
        impossible = (first and dice < width) or not memory.is_left(rules, dice)
        if impossible or memory.throws == rules.throws > 0:
            # no turn begins with fewer dice, dice that are held leave but a few, and after the last
            # throw what is not banked is lost
            fates[Fate.FARKLE, column] = thrown.ways(dice)
            continue
        tries[column] = rules.tries(dice, first=first)
        here = rules.of_throw(dice, first=first, held=held)
        choices = all_set_asides(rules, first=first, held=held)
        for roll, ways in thrown.rolls(dice):
            fate = fate_by(here, roll, choices[roll])
            fates[fate, column] += ways
            if fate is Fate.SCORES:
                offsets = _offsets(rules, memory, dice, choices[roll], all_options=all_options)
                chances[column, offsets] += ways
    if not chances:
        return None
    targets = sorted({offset for _, offsets in chances for offset in offsets})
    index = {offset: position for position, offset in enumerate(targets)}
    every = [thrown.ways(column % width + 1) for column in range(columns)]
    farkles = [
        thrown_again(Fraction(fates[Fate.FARKLE, column], every[column]), number)
        for column, number in enumerate(tries)
    ]

    def chance_of(ways: int, column: int) -> float:
        # rounded once
        return float(farkles[column][1] * ways / every[column])

    weights = np.zeros((columns, len(chances)))
    options: list[int] = []
    starts: list[int] = []
    for position, ((column, offsets), ways) in enumerate(chances.items()):
        weights[column, position] = chance_of(ways, column)
        starts.append(len(options))
        options += [index[offset] for offset in offsets]

    def chances_of(fate: Fate) -> npt.NDArray[np.float64]:
        return np.array([chance_of(fates[fate, column], column) for column in range(columns)])

    return {
        "targets": np.array(targets, dtype=np.intp),
        "options": np.array(options, dtype=np.intp),
        "starts": np.array(starts, dtype=np.intp),
        "chances": weights,
        "farkle_chances": np.array([float(farkle) for farkle, _ in farkles]),
        "win_chances": chances_of(Fate.WINS),
        "lose_chances": chances_of(Fate.LOSES),
        "out_chances": chances_of(Fate.OUT),
        "counts": np.array(
            [
                rules.counts_farkle(first=memory.throws < after_first, all_dice=dice == width)
                for memory in reversed(layers)
                for dice in range(1, width + 1)
            ]
        ),
        "bonuses": tuple(bonus // step for bonus in bonuses) or (0,),
        "may_bank": np.array(
            [
                not (memory.to_confirm or memory.fills)
                and memory.throws >= after_first
                and (memory.throws == rules.throws > 0 or rules.may_leave(dice))
                for memory in reversed(layers)
                for dice in range(1, width + 1)
            ]
        ),
        "step": step,
        "most_throws": rules.throws,
        "memories": layers,
        "throws_again": max(tries) > 1 or 0 in tries,
        "held_places": held_places(rules),
    }


def _offsets(
    rules: Ruleset,
    memory: Memory,
    dice: Remaining,
    choices: tuple[SetAside, ...],
    *,
    all_options: bool,
) -> tuple[int, ...]:
    """Where the set-asides of a roll lead to, see TurnPlan."""
    thrown, layers = dice_set(rules), memories(rules)
    width, times = thrown.whole, rules.times_after(memory.hot_dice)
    bonus = rules.bonus_after(memory.hot_dice) if rules.hot_dice_times else 0
    keeps_all = all_options or rules.ending != "at_once"
    places, before = held_places(rules), memory.held_with(rules, dice)
    reached: dict[tuple[int, int], int] = {}
    # most points come first
    for kept in choices:
        left = thrown.without(dice, kept.dice)
        column = (left or width) - 1
        points = (times * kept.points + (0 if left else bonus)) // rules.point_step
        if len(layers) > 1:
            still = left_to_confirm(rules, memory.to_confirm, kept, left)
            place = places[held_after(rules, before, kept.dice, left)]
            after = memory.after(layers[-1], to_confirm=still, is_hot=not left, held=place)
            column += (len(layers) - 1 - layers.index(after)) * width
            points += place[1] - memory.fills
        reached.setdefault((column, points if keeps_all else 0), points)
    return tuple(sorted(n * len(layers) * width + column for (column, _), n in reached.items()))


def allowed_banks(
    rules: Ruleset, score: int, rows: int, *, on_board: bool = True
) -> npt.NDArray[np.bool_]:
    """Which turn totals a player with `score` may bank, in point steps from 0, shape (rows,)."""
    allowed = np.arange(rows) >= rules.least_bank_at(score, on_board=on_board) // rules.point_step
    barred = (np.array(sorted(rules.barred), dtype=np.intp) - score) // rules.point_step
    allowed[barred[(barred >= 0) & (barred < rows)]] = False
    if rules.is_barred(rules.winning_score + rules.point_step):
        allowed[max(0, (rules.goal - score) // rules.point_step + 1) :] = False
    return allowed
