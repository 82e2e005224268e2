"""Best play of several players: the values of a solved game, and the answers that follow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from solver.errors import InvalidPositionError
from solver.game.endgame import endgame
from solver.game.many import Lasts, Size, size
from solver.game.position import (
    Position,
    check_dice,
    check_hot_dice,
    check_turn,
    impossible_turn,
    reachable,
)
from solver.game.standings import (
    Standing,
    Standings,
    after_turns,
    first_standing,
    many,
    standing_index,
    standing_indices,
)
from solver.rules.ruleset import Ruleset
from solver.solved import Opened
from solver.turn.dice import DiceSet, Remaining, Roll, dice_set
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.scoring import (
    Fate,
    SetAside,
    TurnPlan,
    TurnState,
    after_set_aside,
    fate,
    set_asides,
    turn_plan,
)


@dataclass(frozen=True, slots=True)
class SharedPosition:
    """The state of a game of several players; scores in points."""

    players: tuple[Standing, ...]
    """In the order of their turns; the first one began the game."""
    mover: int
    """Whose turn it is, as an index of `players`."""
    turn: TurnState
    waiting: tuple[int, ...] = ()
    """Where somebody reached the goal, those who have their final turn still before them, the mover
    first; if not given, those between the mover and the first who got there."""

    @property
    def in_order(self) -> tuple[int, ...]:
        """All players, the mover first."""
        count = len(self.players)
        return tuple((self.mover + k) % count for k in range(count))

    @property
    def against_leader(self) -> Position:
        """The mover and the strongest of the others, as if there were only these two."""
        own, *others = (self.players[k] for k in self.in_order)
        leader = max(others, key=lambda one: one.score)
        return Position(
            banked=own.score,
            opponent=leader.score,
            turn_total=self.turn.turn_total,
            dice=self.turn.dice,
            hot_dice=self.turn.hot_dice,
            on_board=own.on_board,
            opponent_on_board=leader.on_board,
            # only in a play-off somebody has as many as who leads, and who leads had a turn
            began=own.score != leader.score or len(self.waiting) in {0, len(self.players)},
        )


def first_shared_position(rules: Ruleset, players: int) -> SharedPosition:
    """The start of a game of so many players."""
    turn = TurnState(0, dice_set(rules).whole)
    return SharedPosition((first_standing(rules),) * players, 0, turn)


def check_shared_position(rules: Ruleset, position: SharedPosition) -> None:
    """Refuse players that cannot be where they are, whatever the turn has come to.

    Raises InvalidPositionError.
    """
    count, goal = len(position.players), rules.winning_score
    if not 0 <= position.mover < count:
        raise InvalidPositionError.say(
            "the player to act is 0 to {most}, not {player}",
            most=count - 1,
            player=position.mover,
        )
    for one in position.players:
        if (one.score < 0 and not rules.penalty_points) or one.score % rules.point_step:
            raise InvalidPositionError.say(
                "a score cannot be {score:,}: it is a multiple of {step}",
                score=one.score,
                step=rules.point_step,
            )
    reached = [k for k, one in enumerate(position.players) if one.score >= goal]
    if is_play_off(rules, position):
        reached = []
    over = rules.ending == "at_once" or position.mover in reached
    if reached and (over or (rules.has_roles and position.mover < min(reached))):
        raise InvalidPositionError.say(
            "the game is over: player {player} has {score:,} points",
            player=reached[0],
            score=position.players[reached[0]].score,
        )
    check_dice(rules, position.turn.dice)
    check_hot_dice(position.turn.hot_dice)


def is_play_off(rules: Ruleset, position: SharedPosition) -> bool:
    """Whether a position is one of a play-off of all.

    There everybody's score is `winning_score`, and the points of this round more; `waiting` are
    those who have their turn of it still before them.
    """
    level = all(one.score >= rules.winning_score for one in position.players)
    return level and rules.ties == "played_on" and bool(position.waiting)


class SharedStrategy:
    """Play of several players of whom each maximises the own chance to win."""

    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""

    def __init__(
        self,
        rules: Ruleset,
        players: int,
        values: Floats,
        lasts: Lasts,
        opened: Opened[Any] | None = None,
    ) -> None:
        """From the arrays of a ManySolution.

        opened : the file from which they are mapped
        """
        self.rules, self.players = rules, players
        self._values, self._lasts, self._opened = values, lasts, opened
        self._size: Size = self.find_size()
        self._turn = lru_cache(maxsize=64)(self._solve_turn)

    def find_size(self) -> Size:
        """How large the game is."""
        return size(self.rules, self.players)

    def plan(self, mover: int) -> TurnPlan:  # noqa: ARG002 - all throw the same dice
        """What the rolls of a player offer, with all options."""
        return turn_plan(self.rules, all_options=True)

    def role(self, mover: int) -> int:
        """Of a player: where it does not matter who began all have the same."""
        return mover if self.rules.has_roles else 0

    def check(self, position: SharedPosition) -> None:
        """Refuse a position that cannot occur. Raises InvalidPositionError."""
        check_shared_position(self.rules, position)
        check_turn(self.rules, position.turn, dice_set(self.rules), partial(reachable, self.rules))

    def thrown(self, mover: int) -> DiceSet:  # noqa: ARG002
        """The dice of a player."""
        return dice_set(self.rules)

    def whole(self, mover: int) -> Remaining:
        """All dice of a player."""
        return self.thrown(mover).whole

    def is_reachable(self, position: SharedPosition) -> bool:
        """Whether rolls lead to the turn of a position that has a value."""
        return not impossible_turn(self.rules, position.turn)

    def fate(self, mover: int, roll: Roll) -> Fate:  # noqa: ARG002
        """What a roll of a player does to the turn."""
        return fate(self.rules, roll)

    def set_asides(self, mover: int, roll: Roll) -> tuple[SetAside, ...]:  # noqa: ARG002
        """Every legal set-aside of a roll of a player."""
        return set_asides(self.rules, roll)

    def after(self, mover: int, turn: TurnState, kept: SetAside) -> TurnState:  # noqa: ARG002
        """Where a legal set-aside of a roll of `turn.dice` leads."""
        return after_set_aside(self.rules, turn, kept)

    def chances(self, position: SharedPosition) -> Floats:
        """The win probability of every player in the order of their turns, with best play by all.

        Raises InvalidPositionError and StrategyFileError.
        """
        return self.by_seat(position, self.turn(position).values_at(position.turn))

    def by_seat(self, position: SharedPosition, values: Floats) -> Floats:
        """Values with the mover first, in the order of the players."""
        found = np.empty(self.players)
        found[list(position.in_order)] = values
        return found

    def turn(self, position: SharedPosition) -> TurnTable:
        """The turn that a position belongs to. Raises as `chances` does."""
        if len(position.players) != self.players:
            raise InvalidPositionError.say(
                "this strategy is for {players} players, not {number}",
                players=self.players,
                number=len(position.players),
            )
        self.check(position)
        self.refresh()
        start = TurnState(0, self.whole(position.mover))
        return self._turn(replace(position, turn=start))

    def refresh(self) -> None:
        """Take the values anew if their file is not what it was. Raises StrategyFileError."""
        if self._opened is not None and not self._opened.is_unchanged:
            self._opened = self._opened.as_it_is()
            self._values, *lasts = self._opened.arrays
            self._lasts = tuple(lasts)
            self._turn.cache_clear()

    def _solve_turn(self, start: SharedPosition) -> TurnTable:
        reached = any(one.score >= self.rules.winning_score for one in start.players)
        ends = self._last_endings(start) if reached else self._endings(start)
        return solve_turn(self.plan(start.mover), ends)

    def _handed_on(self, role: int, others: Sequence[int], own: Standings) -> Floats:
        """Values at the start of the next player's turn, as the one before sees them.

        own : where that one may stand; shape of the values (standings, players)
        """
        values = self._values[(role, *others)][standing_indices(self.rules, own)]
        return np.concatenate([1 - values.sum(axis=1, keepdims=True), values], axis=1)

    def _endings(self, start: SharedPosition) -> Endings:
        rules, step = self.rules, self.rules.point_step
        own, *others = [start.players[k] for k in start.in_order]
        indices = [standing_index(rules, one) for one in others]
        role = self.role(start.mover)
        following = (role + 1) % self._size.roles
        chasers = 0 if rules.ending == "at_once" else self.players - 1 - role
        missing = (rules.winning_score - own.score) // step
        least = rules.least_bank_at(own.score, on_board=own.on_board) // step
        solved = max(missing, rules.least_bank(on_board=own.on_board, wins=True) // step)
        solved += endgame(rules).beyond if chasers else 0
        rows = solved + self.plan(start.mover).reach
        bank = np.full((rows, self.players), np.nan)
        if least < missing:
            points = np.arange(least, missing) * step
            after = after_turns(rules, many(own, len(points)), points, farkles=False, loses=False)
            bank[least:missing] = self._handed_on(following, indices, after)
        bank[max(least, missing) :] = 0.0
        for row in range(max(least, missing), rows):
            found = self._chase(1, own.score + row * step, others[:chasers])
            bank[row, : chasers + 1] = np.concatenate(found)
        ends = after_turns(
            rules, many(own, 2), 0, farkles=np.array([True, False]), loses=np.array([False, True])
        )
        farkle, lost = self._handed_on(following, indices, ends)
        return self._with_farkles(bank, farkle, lost)

    def _with_farkles(self, bank: Floats, farkle: Floats, lost: Floats) -> Endings:
        """Endings, with farkles that keep what may be banked if they do."""
        farkles = np.tile(farkle, (len(bank), 1))
        if self.rules.farkle_keeps_turn_total:
            farkles = np.where(np.isnan(bank), farkles, bank)
        return Endings.shared(bank, farkles, lost)

    def _chase(self, level: int, lead: int, chasers: Sequence[Standing]) -> tuple[Floats, Floats]:
        """Chances of each of the leaders, and of those who have a final turn, at its start."""
        margins = []
        for one in chasers:
            margin = min((lead - one.score) // self.rules.point_step, self._size.margins - 1)
            off_board = self.rules.has_opening and not one.on_board
            margins.append(margin + (self._size.margins if off_board else 0))
        found = np.asarray(self._lasts[len(chasers)][(level - 1, *margins)])
        if self._size.ranked:
            return found[:level], found[self.players - len(chasers) :]
        return found[:1].repeat(level), found[1:]

    def _last_endings(self, start: SharedPosition) -> Endings:
        """Of a final turn."""
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
        own, chasers = start.players[start.mover], [start.players[k] for k in waiting[1:]]

        def after(level: int, led: int, leading: Sequence[int]) -> Floats:
            shares, rest = self._chase(level, led, chasers)
            found = np.zeros(count)
            found[list(leading)] = shares
            found[list(waiting[1:])] = rest
            return found[order]

        stay = after(len(leaders), lead, leaders)
        margin = (lead - own.score) // step
        least = rules.least_bank(on_board=own.on_board, wins=True) // step
        rows = max(margin + 1, least) + endgame(rules).beyond + turn_plan(rules).reach
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
        return self._with_farkles(bank, nothing, stay)

    def _first_of_play_off(self, order: Sequence[int]) -> Endings:
        """Of the first turn of a play-off of all, in this order."""
        diagonal = np.arange(self._size.margins)
        second = self._lasts[0][len(order) - 2, : len(order) - 1]
        values = self._lasts[len(order) - 1][(0, *(diagonal,) * (len(order) - 1))]
        return play_off_endings(self.rules, values, second)


def play_off_endings(rules: Ruleset, values: Floats, without: Floats) -> Endings:
    """The endings of the first turn of a play-off.

    values : chances of all in the order of their turns, who begins first, by the points that this
        one got, in point steps
    without : of the others, who begin a play-off where all is lost
    """
    least = rules.least_bank(wins=True) // rules.point_step
    bank, farkles = values.copy(), values[:1].repeat(len(values), axis=0)
    bank[:least] = np.nan
    if rules.farkle_keeps_turn_total:
        farkles = np.where(np.isnan(bank), farkles, bank)
    return Endings.shared(bank, farkles, np.array([0.0, *without]))


def _since_first(rules: Ruleset, start: SharedPosition) -> list[int]:
    """The players from the first on who reached the goal, in the order of their turns."""
    count = len(start.players)
    reached = [one.score >= rules.winning_score for one in start.players]
    ahead = [(start.mover + k) % count for k in range(1, count)]
    first = reached.index(True) if rules.has_roles else next(k for k in ahead if reached[k])
    return [(first + k) % count for k in range(count)]


def last_turns(rules: Ruleset, start: SharedPosition) -> tuple[int, ...]:
    """Who has a final turn left, the mover first, once somebody has reached the goal."""
    if start.waiting:
        return start.waiting
    order = _since_first(rules, start)
    if rules.has_roles:
        return tuple(range(start.mover, len(start.players)))
    return tuple(order[order.index(start.mover) :])
