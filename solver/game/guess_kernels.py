"""Numba kernels that guess start-of-turn values from those of other totals.

Parameters as in solver.game.kernels.
"""

import numpy as np
from numba import njit, types

from solver.game.kernels import GAME_TYPE, TABLE_TYPE, own_scores
from solver.game.layout import PAD


@njit(nogil=True, error_model="numpy")
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-15))


@njit(types.void(TABLE_TYPE, types.intp, types.intp, GAME_TYPE), cache=True, error_model="numpy")
def guess_total(table, s, k, game):
    """Guess the states of total s with an opponent without farkles, of which nothing is known.

    Their logits continue those of higher totals: bilinear where both players are far enough from
    the goal, else linear along one score. Totals from s + k on are known, those over s guessed.
    Only for players on the board; what is guessed for others is 0.5.
    """
    scores = game.scores
    low, high = max(0, s - scores + 1), min(scores - 1, s)
    for r in range(game.roles):
        for f in range(game.farkle_limit):
            known = table[r, f, 0]
            for own in range(low, high + 1):
                opponent = s - own
                if own + k < scores and opponent + k < scores:
                    logit = (
                        _logit(known[s + k, PAD + own + k])
                        + _logit(known[s + k, PAD + own])
                        - _logit(known[s + 2 * k, PAD + own + k])
                    )
                elif own + 2 * k < scores:
                    near, far = known[s + k, PAD + own + k], known[s + 2 * k, PAD + own + 2 * k]
                    logit = 2.0 * _logit(near) - _logit(far)
                elif opponent + 2 * k < scores:
                    near, far = known[s + k, PAD + own], known[s + 2 * k, PAD + own]
                    logit = 2.0 * _logit(near) - _logit(far)
                else:
                    continue
                table[r, f, 0, s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))


@njit(
    types.void(TABLE_TYPE, types.intp, types.intp, types.intp, GAME_TYPE),
    cache=True,
    error_model="numpy",
)
def guess_between(table, s, above, below, game):
    """Guess the states of total s from those of total s - below and of three totals above.

    These are s + above and as far apart as it is from s - below. Logits are a cubic polynomial of
    the score of the player who is behind, in which they are smoother than in the other one; of that
    one's where the score would be below the floor. The other score is no higher than it can be.
    """
    modes, apart = game.farkle_limit * game.boards, above + below
    moves = np.array([-below, above, above + apart, above + 2 * apart])
    shares = np.ones(len(moves))
    for k in range(len(moves)):
        for other in range(len(moves)):
            if other != k:
                shares[k] *= moves[other] / (moves[other] - moves[k])
    for r in range(game.roles):
        for u in range(modes):
            for w in range(modes):
                known = table[r, u, w]
                low, high = own_scores(s, u, w, game)
                for own in range(low, high + 1):
                    moves_own = (2 * own < s) == (min(own, s - own) >= below)
                    logit = 0.0
                    for k in range(len(moves)):
                        total = s + moves[k]
                        least, most = own_scores(total, u, w, game)
                        there = own + moves[k] if moves_own else own
                        there = min(max(there, least), most)
                        logit += shares[k] * _logit(known[total, PAD + there])
                    known[s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))
