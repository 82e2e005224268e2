"""The policy that wins most against a given one, exact; loads numba only to compute it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solver.game.best import Strategy
from solver.game.position import Position, start_of_turn
from solver.game.solvable import check_solvable
from solver.game.standings import Standing, role, score_count, standing_index
from solver.play.duel import Duel, OnContest
from solver.play.maps import turn_map
from solver.play.policies import Optimal, table_decisions
from solver.play.policy import Decisions, Policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Hand
from solver.turn.equations import Floats
from solver.turn.points import BankFrom

TOLERANCE = 1e-10
"""The most that values may still change in all."""

_EXAMPLES = 4
"""The number of examples at which the best response gains most."""

_APART = 8
"""Such positions are this share of the goal apart in one score at least."""


class Responder(Policy):
    """The best response to a policy; in a last turn and a play-off it plays as is best in itself.

    That is its best response too, but where a tie is played on or the game is defended.
    """

    def __init__(self, name: str, strategy: Strategy) -> None:
        """`strategy` holds what the other player has, who does not play as is best."""
        self.name = name
        self.strategy = strategy

    def decisions(self, hand: Hand, position: Position) -> Decisions:  # noqa: ARG002
        """The decisions of the turn that a position belongs to."""
        return table_decisions(self.strategy.turn_of_checked(position))


@dataclass(frozen=True, slots=True)
class Example:
    """The start of a turn, and what two ways to play do with it."""

    position: Position
    best: float
    """Win probability of the best response against the policy."""
    optimal: float
    """The win probability of optimal play against it."""
    best_banks: tuple[BankFrom, ...]
    """When the best response banks before any hot dice, of most dice first."""
    optimal_banks: tuple[BankFrom, ...]


@dataclass(frozen=True, slots=True)
class BestResponse:
    """What wins most against a policy, and what optimal play wins against it."""

    best: Duel
    optimal: Duel
    usual: tuple[Example, ...]
    """Examples at the start of the game and at other common scores."""
    greatest: tuple[Example, ...]
    """Examples at which the best response gains most over optimal play."""

    @property
    def gain(self) -> float:
        """The win probability that it gains over optimal play, overall."""
        return self.best.overall - self.optimal.overall


def best_response(
    policy: Policy,
    strategy: Strategy,
    *,
    cache: Path,
    on_progress: OnContest = lambda _: None,
) -> tuple[BestResponse, Responder]:
    """The best response to a policy, and who plays it.

    strategy : of the solved game, for what optimal play wins; its rules are played by, whose floor
        may be another one than was asked for
    cache : the folder of compiled code

    Raises as `solver.play.contests.duel` does.
    """
    from solver.play.contests import settled_against  # noqa: PLC0415 - numba: 0.4 s

    rules = strategy.rules
    check_solvable(rules)
    optimal = Optimal(strategy)
    if isinstance(policy, Optimal):
        policy = optimal  # whose turns are evaluated once
    against = settled_against(policy, [optimal], strategy, cache=cache, on_progress=on_progress)
    best, usual = (
        against(player, tolerance=TOLERANCE, on_progress=on_progress) for player in (None, optimal)
    )
    name = f"best response to {policy.name}"
    responder = Responder(name, Strategy(rules, best.other, name, last=best.last))

    def example(position: Position) -> Example:
        place = _place(rules, position)
        return Example(
            position,
            float(best.one[place]),
            float(usual.one[place]),
            turn_map(responder.strategy, position).bank_from,
            turn_map(strategy, position).bank_from,
        )

    response = BestResponse(
        best.duel("best", policy.name),
        usual.duel("optimal", policy.name),
        tuple(map(example, _usual(rules))),
        tuple(map(example, _greatest(rules, best.one, usual.one))),
    )
    return response, responder


def _place(rules: Ruleset, position: Position) -> tuple[int, int, int]:
    return (
        role(rules, began=position.began),
        standing_index(rules, position.own),
        standing_index(rules, position.other),
    )


def _position(rules: Ruleset, own: int, opponent: int) -> Position:
    """The start of a turn at two scores, without farkles in a row."""
    both = (Standing(score, 0, score > 0 or not rules.has_opening) for score in (own, opponent))
    return start_of_turn(rules, *both)


def _usual(rules: Ruleset) -> list[Position]:
    """The start, the middle of the game, and close to the goal: even, ahead and behind."""
    step, goal = rules.point_step, rules.winning_score
    middle, close = (int(goal * share) // step * step for share in (0.5, 0.9))
    pairs = [(0, 0), (middle, middle), (close, close), (close, middle), (middle, close)]
    return [_position(rules, *pair) for pair in dict.fromkeys(pairs)]


def _greatest(rules: Ruleset, best: Floats, optimal: Floats) -> list[Position]:
    """Where the first values are most above the others, at scores that are not near each other."""
    step = rules.point_step
    scores = np.arange(0, rules.winning_score, step)
    rows = np.array([_place(rules, _position(rules, score, 0))[1] for score in scores.tolist()])
    first = role(rules, began=True)
    gain = (best - optimal)[first][np.ix_(rows, rows)]
    apart = max(1, score_count(rules) // _APART)
    positions = []
    for _ in range(_EXAMPLES):
        own, opponent = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if gain[own, opponent] <= TOLERANCE:
            break
        positions.append(_position(rules, int(scores[own]), int(scores[opponent])))
        near = np.ix_(
            np.abs(np.arange(len(scores)) - own) < apart,
            np.abs(np.arange(len(scores)) - opponent) < apart,
        )
        gain[near] = 0.0
    return positions
