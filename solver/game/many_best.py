"""Best play of several players: the values of a solved game, and the answers that follow."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from solver.game import rounds
from solver.game.best import BestPlay, turn_endings
from solver.game.many import Lasts, Size, size
from solver.game.position import Position, check_several
from solver.game.standings import (
    Ints,
    Standings,
    after_turns,
    many,
    standing_index,
    standing_indices,
)
from solver.rules.ruleset import Ruleset
from solver.solved import Opened
from solver.turn.dice import TurnState
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn


class SharedStrategy(BestPlay):
    """Play of several players of whom each maximises the own chance to win."""

    def __init__(
        self,
        rules: Ruleset,
        players: int,
        values: Floats,
        lasts: Lasts,
        opened: Opened[Any] | None = None,
        *,
        first: int = 0,
    ) -> None:
        """Take the arrays of a ManySolution.

        opened : the file from which they are mapped
        first : the player from whose seat on they are told
        """
        super().__init__(rules, players)
        self._values, self._lasts, self._opened = values, lasts, opened
        self._first = first
        self._size: Size = self.find_size()
        self._turn = lru_cache(maxsize=64)(self._solve_turn)

    def find_size(self) -> Size:
        """Return how large the game is."""
        return size(self.rules, self.players)

    @property
    def beyond(self) -> int:
        """Return up to which turn totals beyond the goal turns go on, in point steps."""
        return self._size.beyond

    def role(self, mover: int) -> int:
        """Return the place of a player along the axis of who began; 0 where it does not matter."""
        return (mover - self._first) % self._size.roles

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        check_several(self.rules, position)

    def turn(self, position: Position) -> TurnTable:
        """Return the turn that a position belongs to. Raises as `chances` does."""
        self.check(position)
        self.refresh()
        return self._turn(replace(position, turn=TurnState(0, self.whole(position.mover))))

    def refresh(self) -> None:
        """Take the values anew if their file is not what it was. Raises StrategyFileError."""
        if self._opened is not None and not self._opened.is_unchanged:
            self._opened = self._opened.as_it_is()
            self._values, *lasts = self._opened.arrays
            self._lasts = tuple(lasts)
            self._turn.cache_clear()

    def _solve_turn(self, start: Position) -> TurnTable:
        reached = any(player.score >= self.rules.winning_score for player in start.players)
        ends = self._last_endings(start) if reached else self._endings(start)
        return solve_turn(self.plan(start.mover), ends)

    def _handed_on(self, start: Position, own: Standings) -> Floats:
        """Values at the start of the next player's turn, as the one before sees them.

        own : where that one may stand; shape of the values (standings, players)
        """
        others = [start.players[k] for k in start.in_order[1:]]
        if self.rules.rounds:
            players, turns = [*map(many, others), own], start.turns_left - 1
            values = rounds.values_at(self.rules, self._values, turns, players)
        else:
            indices = [standing_index(self.rules, other) for other in others]
            role = (self.role(start.mover) + 1) % self._size.roles
            values = self._values[(role, *indices)][standing_indices(self.rules, own)]
        return np.concatenate([1 - values.sum(axis=1, keepdims=True), values], axis=1)

    def _endings(self, start: Position) -> Endings:
        rules, chasers = self.rules, self.players - 1
        chasers -= self.role(start.mover) if rules.has_roles else 0

        def left(points: Ints, *, farkles: bool = False, loses: bool = False) -> Floats:
            before = many(start.own, len(points))
            after = after_turns(rules, before, points, farkles=farkles, loses=loses)
            return self._handed_on(start, after)

        def final(points: Ints) -> Floats:
            values = np.zeros((len(points), self.players))
            for row, score in enumerate((start.banked + points).tolist()):
                chances = self._chase(1, score, start, start.in_order[1 : chasers + 1])
                values[row, : chasers + 1] = np.concatenate(chances)
            return values

        plan = self.plan(start.mover)
        least = rules.least_bank(on_board=start.on_board, wins=not rules.rounds)
        return turn_endings(rules, plan, start, least, self.beyond, left, final)

    def seat(self, player: int) -> int:
        """Return the place of a player along the axis of who has the first final turn."""
        return (player - self._first) % len(self._lasts[0])

    def _chase(
        self, level: int, lead: int, start: Position, chasers: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Chances of each of the leaders, and of those who have a final turn, at its start."""
        margins = []
        for player in (start.players[k] for k in chasers):
            margin = min((lead - player.score) // self.rules.point_step, self._size.margins - 1)
            off_board = self.rules.has_opening and not player.on_board
            margins.append(margin + (self._size.margins if off_board else 0))
        seat = self.seat(chasers[0]) if chasers else 0
        chances = np.asarray(self._lasts[len(chasers)][(seat, level - 1, *margins)])
        if self._size.ranked:
            return chances[:level], chances[self.players - len(chasers) :]
        return chances[:1].repeat(level), chances[1:]

    def _last_endings(self, start: Position) -> Endings:
        """The endings of a final turn."""
        rules, step, count = self.rules, self.rules.point_step, self.players
        waiting = last_turns(rules, start)
        order = list(start.in_order)
        had = [k for k in order if k not in waiting]
        if not had:
            return self._first_of_play_off(order)
        lead = max(start.players[k].score for k in had)
        leaders = [k for k in had if start.players[k].score == lead]
        if rules.ties == "earlier":
            first = leaders.index(next(k for k in _since_first(rules, start) if k in leaders))
            leaders = [leaders[first]]
        own = start.players[start.mover]

        def after(level: int, led: int, leading: Sequence[int]) -> Floats:
            shares, rest = self._chase(level, led, start, waiting[1:])
            chances = np.zeros(count)
            chances[list(leading)] = shares
            chances[list(waiting[1:])] = rest
            return chances[order]

        stay = after(len(leaders), lead, leaders)
        margin = (lead - own.score) // step
        least = rules.least_bank_at(own.score, on_board=own.on_board) // step
        rows = max(margin + 1, least) + self.beyond + self.plan(start.mover).reach
        bank, nothing = np.tile(stay, (rows, 1)), stay
        bank[:least] = np.nan
        if rules.ties != "earlier":
            tie = after(len(leaders) + 1, lead, [*leaders, start.mover])
            if margin >= least:
                bank[margin] = tie
            if margin == 0:
                nothing = tie
        for row in range(max(margin + 1, least), rows):
            bank[row] = after(1, own.score + row * step, [start.mover])
        return _with_farkles(rules, bank, nothing, stay)

    def _first_of_play_off(self, order: Sequence[int]) -> Endings:
        """The endings of the first turn of a play-off of all, in this order."""
        diagonal = np.arange(self._size.margins)
        second = self._lasts[0][0, len(order) - 2, : len(order) - 1]
        values = self._lasts[len(order) - 1][(0, 0, *(diagonal,) * (len(order) - 1))]
        return play_off_endings(self.rules, values, second)


def play_off_endings(rules: Ruleset, values: Floats, without: Floats) -> Endings:
    """The endings of the first turn of a play-off.

    values : chances of all in the order of their turns, who begins first, by the points that this
        one got, in point steps
    without : of the others, who begin a play-off where all is lost
    """
    least = rules.least_bank(wins=True) // rules.point_step
    bank = values.copy()
    bank[:least] = np.nan
    return _with_farkles(rules, bank, values[0], np.array([0.0, *without]))


def _with_farkles(rules: Ruleset, bank: Floats, farkle: Floats, lost: Floats) -> Endings:
    """Endings, with farkles that keep what may be banked if they do."""
    farkles = np.tile(farkle, (len(bank), 1))
    if rules.farkle_keeps_turn_total:
        farkles = np.where(np.isnan(bank), farkles, bank)
    return Endings.shared(bank, farkles, lost)


def _since_first(rules: Ruleset, start: Position) -> list[int]:
    """The players from the first on who reached the goal, in the order of their turns."""
    count = len(start.players)
    reached = [player.score >= rules.winning_score for player in start.players]
    ahead = [(start.mover + k) % count for k in range(1, count)]
    first = reached.index(True) if rules.has_roles else next(k for k in ahead if reached[k])
    return [(first + k) % count for k in range(count)]


def last_turns(rules: Ruleset, start: Position) -> tuple[int, ...]:
    """Who has a final turn left, the mover first, once somebody has reached the goal."""
    if start.waiting:
        return start.waiting
    order = _since_first(rules, start)
    if rules.has_roles:
        return tuple(range(start.mover, len(start.players)))
    return tuple(order[order.index(start.mover) :])
