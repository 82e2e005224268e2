"""Whole games of several players rolled die by die, as the rules tell them."""

import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle

import numpy as np

from solver.game.many import ManySolution
from solver.game.many_best import SharedStrategy
from solver.game.position import Position
from solver.game.standings import Standing
from solver.play.policy import Policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import EqualDice
from tests import simulation
from tests.simulation import Decisions

_KEPT = 500_000
"""Turns whose decisions are kept, of about 10 kB each: most that two million games come across."""


def strategy_of(solution: ManySolution) -> SharedStrategy:
    """Best play by what was solved, without a file."""
    return SharedStrategy(solution.rules, solution.players, solution.values, solution.lasts)


@dataclass(frozen=True)
class Seen(Position):
    """The start of a turn: as the mover sees it, whose opponent is the leader of the others."""

    standings: tuple[tuple[int, bool], ...] = ()
    """Score, and whether on the board, by seat; seat 0 began."""
    seat: int = 0
    """The seat of the mover."""
    final: tuple[int, ...] = ()
    """Seats that have a final turn left, the mover first."""


Player = Callable[[Seen], Decisions]
"""Decides a whole turn, see tests.simulation."""


class Game(simulation.Game):
    """One game of several."""

    def __init__(self, rules: Ruleset, seats: int, dice: random.Random) -> None:
        super().__init__(rules, dice)
        self._seats = seats

    def play_all(self) -> Generator[Seen, Decisions, list[float]]:
        """The game from its first roll; returns what of the win everybody has."""
        rules, seats = self._rules, self._seats
        players = [simulation.Player(k, not rules.has_opening) for k in range(seats)]
        for number in cycle(range(seats)):
            turn = yield from self._turn_of(players, number)
            self._write_down(players[number], turn)
            if turn.end == "win":
                return self._shares([number])
            if turn.points and self._reaches_goal(players[number].score):
                later = [(number + k) % seats for k in range(1, seats)]
                if rules.ending == "at_once":
                    later = []
                elif rules.ending == "equal_turns":
                    later = list(range(number + 1, seats))
                return (yield from self._final_turns(players, number, later))
        raise AssertionError

    def _final_turns(
        self, players: list[simulation.Player], first: int, later: list[int]
    ) -> Generator[Seen, Decisions, list[float]]:
        """One turn for each who may still beat the first at the goal."""
        leaders = [first]
        for place, number in enumerate(later):
            turn = yield from self._turn_of(players, number, tuple(later[place:]))
            self._write_down(players[number], turn)
            if turn.end == "win":
                return self._shares([number])
            lead, score = players[leaders[0]].score, players[number].score
            if score > lead:
                leaders = [number]
            elif score == lead and self._rules.ties == "shared":
                leaders.append(number)
        return self._shares(leaders)

    def _turn_of(
        self, players: list[simulation.Player], number: int, waiting: tuple[int, ...] = ()
    ) -> Generator[Seen, Decisions, simulation.Turn]:
        own = players[number]
        leader = max((one for one in players if one is not own), key=lambda one: one.score)
        seen = Seen(
            players=(
                Standing(own.score, 0, own.on_board),
                Standing(leader.score, 0, leader.on_board),
            ),
            turn=TurnState(0, self._rules.dice),
            standings=tuple((one.score, one.on_board) for one in players),
            seat=number,
            final=waiting,
        )
        rolls = self._turn(seen)
        decisions = yield seen
        next(rolls)
        try:
            rolls.send(decisions)
        except StopIteration as over:
            turn: simulation.Turn = over.value
            return turn
        raise AssertionError

    def _shares(self, winners: list[int]) -> list[float]:
        return [(k in winners) / len(winners) for k in range(self._seats)]


def wins(rules: Ruleset, players: Sequence[Player], games: int, seed: int) -> np.ndarray:
    """Games won by seat, of shared ones a part, where these play by seat."""
    dice, found = random.Random(seed), np.zeros(len(players))
    for _ in range(games):
        game = Game(rules, len(players), dice).play_all()
        seen = next(game)
        try:
            while True:
                seen = game.send(players[seen.seat](seen))
        except StopIteration as over:
            found += over.value
    return found


def exact(strategy: SharedStrategy, by: float = 0.0) -> Player:
    """Best play by a solved game of several players, which banks what costs up to `by`."""
    turn_of_all = TurnState(0, strategy.rules.dice)

    @lru_cache(maxsize=_KEPT)
    def decide(seen: Seen) -> Decisions:
        standings = tuple(Standing(score, 0, board) for score, board in seen.standings)
        place = Position(standings, seen.seat, turn_of_all, seen.final)
        turn = strategy.turn(place)
        # equal for the mover, to which rounding is nothing: most points are kept
        worth = np.round(turn.values[..., 0], 11)
        bank = turn.ends.bank[:, np.newaxis]
        stop = turn.roll <= bank + 1e-11 + by
        stop &= turn.plan.may_bank
        return worth, stop

    return decide


def policy(rules: Ruleset, plays: Policy) -> Player:
    """The play of a policy for two, which takes the leader for the only opponent."""

    @lru_cache(maxsize=_KEPT)
    def decide(seen: Seen) -> Decisions:
        found = plays.decisions(EqualDice(rules), seen)
        return found.worth, found.bank

    return decide
