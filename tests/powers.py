"""Badges that are used up to test with, for the solver and for the twin."""

import random
from dataclasses import replace
from typing import TypeVar

from solver.turn.dice import Die
from solver.turn.powers import Power, PowerKind
from tests import naive_loaded, naive_powers
from tests.loaded_dice import random_die

KINDS = list(PowerKind)
P = TypeVar("P", Power, Power | None)


def random_power(chance: random.Random, kind: PowerKind, uses: int) -> Power:
    """A power of a kind, with whatever the sources leave open."""
    amounts = {
        PowerKind.WARLORD: [25, 50, 100],
        PowerKind.TRANSMUTATION: [0, 1, 3, 5],
        PowerKind.REROLL: [1, 2, 3],
    }
    act_on_rolls = {PowerKind.TRANSMUTATION, PowerKind.REROLL}
    die = random_die(chance)
    return Power(
        kind,
        uses=1 if kind is PowerKind.WARLORD else uses,
        amount=chance.choice(amounts.get(kind, [0])),
        alike=kind is PowerKind.REROLL and chance.random() < 0.3,
        after_farkle=kind in act_on_rolls and chance.random() < 0.5,
        at_start=kind is PowerKind.WARLORD and chance.random() < 0.4,
        once=uses > 1 and chance.random() < 0.4,
        die=Die(die.weights, die.jokers),
    )


def without_jokers(power: P) -> P:
    """A power, if any, as one by which there are no jokers."""
    if power is None or not power.has_jokers:
        return power
    turns = power.kind is PowerKind.TRANSMUTATION
    return replace(power, amount=5 if turns else power.amount, die=Die(power.die.weights))


def badge_of(power: Power | None) -> naive_powers.Badge:
    """The badge for the twin."""
    if power is None:
        return naive_powers.NOTHING
    die = naive_loaded.Weights(power.die.weights, power.die.jokers)
    return naive_powers.Badge(
        str(power.kind),
        power.uses,
        power.amount,
        power.alike,
        power.after_farkle,
        power.at_start,
        power.once,
        die,
    )
