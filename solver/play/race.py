"""The chances of several players, from the chances of every two of them: a formula, not a theory.

A game of many is read as a race: each player has a time at which it will be done, around its own
mean, and the first to be done wins. Who wins against whom alone says how far apart the means are.
What is left is how times scatter. Two answers have a formula: where they scatter so that odds do
not depend on who else is there (Gumbel's distribution; R. D. Luce, Individual Choice Behavior,
1959),

    P_i = 1 / (1 + sum over j of odds of j against i)

and where they are normal (L. L. Thurstone, A Law of Comparative Judgment, 1927),

    P_i = mean over normal z of product over j of Phi(c_ij + z)
    c_ij = sqrt(2) Phi^-1(chance of i against j)

The end of a race is like the first, a long one like the second: with `turns` still to come they are
mixed by turns / (turns + 7). Where a last turn may upset everything it is further still from the
second, and `turns` are negative.
"""

from functools import cache
from statistics import NormalDist

import numpy as np

from solver.turn.equations import Floats

_EVEN_TURNS = 7.0
"""Turns to come at which both ways to scatter count the same. Between 5 and 10 is best for exact
values of three players under kcd and classic rules."""

_LEAST = 1e-12
"""Chances are cut off there: what is certain has no odds."""

_NODES = 20
"""The nodes of the quadrature over the normal distribution."""


def log_odds(chances: Floats) -> Floats:
    """The logarithms of odds, of chances that are cut off at 1e-12 and 1 - 1e-12."""
    inside = np.clip(chances, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(inside / (1 - inside)))


def race(odds: Floats, turns: Floats) -> Floats:
    """Chances of all players, shape (lanes, players); they add up to 1.

    odds : logarithm of the odds of one player against another, shape (lanes, players, players);
        odds[:, j, i] is -odds[:, i, j]
    turns : about how many turns players have still to go, shape (lanes,), above -3.5
    """
    players = odds.shape[-1]
    others = ~np.eye(players, dtype=bool)
    against = odds[:, others].reshape(-1, players, players - 1)
    if players == 2:
        return np.asarray(1 / (1 + np.exp(-against[..., 0])))
    apart = 1 / (1 + np.exp(-against).sum(axis=-1))
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    at, phi, quantiles = _normal()
    means = np.sqrt(2) * np.interp(against, quantiles, at)
    below = np.interp(means[..., np.newaxis, :] + nodes[:, np.newaxis], at, phi)
    normal = below.prod(axis=-1) @ (weights / weights.sum())
    share = (turns / (turns + _EVEN_TURNS))[:, np.newaxis]
    # beyond the first one, where chances are next to none, less than nothing may be left of them
    return _shares(np.maximum(share * _shares(normal) + (1 - share) * _shares(apart), 0.0))


def _shares(chances: Floats) -> Floats:
    return np.asarray(chances / chances.sum(axis=-1, keepdims=True))


@cache
def _normal() -> tuple[Floats, Floats, Floats]:
    """Points, the normal distribution up to each, and the logarithm of its odds there."""
    at = np.linspace(-8, 8, 1601)
    phi = np.array([NormalDist().cdf(x) for x in at])
    # from below, where nothing is rounded away
    low = np.log(phi[: len(at) // 2 + 1]) - np.log1p(-phi[: len(at) // 2 + 1])
    return at, phi, np.concatenate([low, -low[-2::-1]])
