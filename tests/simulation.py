"""Whole games rolled die by die, told as the rules tell them; only the decisions are given."""

import random
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

import numpy as np
import numpy.typing as npt

from solver.game.position import Position
from solver.rules.ruleset import Ruleset
from tests import naive

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Decisions = tuple[Floats, Bools]
"""The decisions of a turn: W(t, n, h) at [naive.level(rules, h), t, naive.column(rules, n, h)], and
where to bank alike.

t is the turn total in point steps, n the number of dice to roll, h the number of hot dice so far;
the last h and the last t stand for all further ones. A roll goes to the set-aside with the greatest
W, of equal ones to that with the most points.
"""
Tables = Callable[[Sequence[Position]], Iterable[Decisions]]
"""Decisions for turns that start at some positions, for one after the other.

Positions are those of the game, but for

- a final turn: `opponent` is at or past the goal, farkles are 0;
- the first turn of a play-off: `banked` and `opponent` are `winning_score`, `began` is True;
- the second turn of a play-off: `banked` is `winning_score`, `opponent` more by the points of the
  first turn, which may be 0; `began` is False, whatever the ending.
"""
Turns = Generator[Position, Decisions, "Turn"]


@dataclass(frozen=True)
class Turn:
    """How a turn ended."""

    end: Literal["bank", "farkle", "win", "lose", "out"]
    points: int = 0
    """What a bank brought, or a farkle that keeps the turn total."""
    counts: bool = True
    """Whether a farkle counts for the penalty."""


@dataclass
class Player:
    """A player between turns."""

    number: int
    on_board: bool
    score: int = 0
    farkles: int = 0


class Game:
    """One game, whose turns ask for their decisions one after the other."""

    def __init__(self, rules: Ruleset, dice: random.Random) -> None:
        self._rules = rules
        self._dice = dice

    def play(self) -> Generator[Position, Decisions, float]:
        """The game from its first roll; returns what of the win the player has who begins."""
        on_board = not self._rules.has_opening
        players = Player(0, on_board), Player(1, on_board)
        for number in cycle((0, 1)):
            player, other = players[number], players[1 - number]
            turn = yield from self._turn(self._position(player, other))
            if turn.end in {"win", "out"}:
                return _share(player if turn.end == "win" else other)
            self._write_down(player, turn, other)
            if self._reaches_goal(other.score):
                return _share(other)
            if turn.points and self._reaches_goal(player.score):
                if self._rules.ending in {"final_turn", "defended"} or (
                    self._rules.ending == "equal_turns" and player is players[0]
                ):
                    return (yield from self._final_turn(other, player))
                return _share(player)
        raise AssertionError

    def _final_turn(self, player: Player, leader: Player) -> Generator[Position, Decisions, float]:
        """One turn to beat the score of the player who has reached the goal."""
        player.farkles = leader.farkles = 0
        turn = yield from self._turn(self._position(player, leader))
        self._write_down(player, turn, leader)
        if turn.end != "win" and player.score > leader.score and self._rules.ending == "defended":
            return (yield from self._final_turn(leader, player))
        if turn.end == "win" or player.score > leader.score:
            return _share(player)
        if turn.end == "out" or player.score < leader.score or self._rules.ties == "earlier":
            return _share(leader)
        if self._rules.ties == "shared":
            return 0.5
        return (yield from self._play_off(leader, player))

    def _play_off(self, first: Player, second: Player) -> Generator[Position, Decisions, float]:
        """A turn each until one gets more points in it than the other."""
        goal = self._rules.winning_score
        while True:
            points: list[int] = []
            for player, other in ((first, second), (second, first)):
                turn = yield from self._turn(
                    Position.of_two(
                        banked=goal,
                        opponent=goal + sum(points),
                        dice=self._rules.dice,
                        began=player is first,
                    )
                )
                if turn.end == "win":
                    return _share(player)
                if turn.end in {"lose", "out"}:
                    return _share(other)
                points.append(turn.points)
            if points[0] != points[1]:
                return _share(first if points[0] > points[1] else second)

    def _position(self, player: Player, other: Player) -> Position:
        return Position.of_two(
            banked=player.score,
            opponent=other.score,
            farkles=player.farkles,
            opponent_farkles=other.farkles,
            dice=self._rules.dice,
            on_board=player.on_board,
            opponent_on_board=other.on_board,
            began=player.number == 0 or self._rules.ending != "equal_turns",
        )

    def _turn(self, start: Position) -> Turns:
        """One turn, roll by roll."""
        is_last = start.opponent >= self._rules.winning_score
        rules = naive.in_last_turns(self._rules) if is_last else self._rules
        worth, bank = yield start
        levels, rows, _ = worth.shape
        total, hot_dice, dice, missed = 0, 0, rules.dice, 0
        while True:
            roll = sorted(self._dice.choices(range(1, 7), k=(dice - 1) % rules.dice + 1))
            choices = naive.result(rules, tuple(roll), dice)
            if naive.is_over(rules, dice):
                choices = naive.FARKLE
            if isinstance(choices, str):
                return Turn(choices)
            missed = 0 if choices else missed + 1
            if missed and not naive.is_over(rules, dice) and missed != naive.tries(rules, dice):
                continue
            if not choices:
                keeps = rules.farkle_keeps_turn_total and self._is_enough(start, total)
                keeps = keeps and not naive.goes_beyond(rules, start.banked + total)
                return Turn("farkle", total if keeps else 0, naive.counts(rules, dice))
            best = -1.0, 0
            after = total, hot_dice, dice
            for points, left in choices:
                new, _, hot = naive.advance(rules, total, hot_dice, (points, left))
                row = min(new // rules.point_step, rows - 1)
                level, column = naive.level(rules, hot), naive.column(rules, left, hot)
                place = min(level, levels - 1), row, column
                if (found := (worth[place], new)) > best:
                    best, after, here = found, (new, hot, left), place
            total, hot_dice, dice = after
            if bank[here]:
                if not (self._is_enough(start, total) and naive.may_leave(rules, dice)):
                    raise ValueError("the tables bank where the rules do not allow it")
                return Turn("bank", total)

    def _is_enough(self, start: Position, total: int) -> bool:
        """Whether the minimums, where they bind, are reached."""
        score, last = start.banked + total, start.opponent >= self._rules.winning_score
        beyond = naive.goes_beyond(self._rules, score)
        if beyond and self._rules.beyond_goal == "no_bank":
            return False
        reaches = self._reaches_goal(score) or beyond or last
        if not reaches and any(naive.matches(score, some) for some in self._rules.no_bank_at):
            return False
        opening = 0 if start.on_board else self._rules.opening_minimum
        wins = self._reaches_goal(score) or beyond
        least = max(opening, self._rules.minimum_bank)
        return total > 0 and (total >= least or (wins and not self._rules.minimum_binds_win))

    def _reaches_goal(self, score: int) -> bool:
        if score == self._rules.goal:
            return self._rules.goal_must_be != "exceeded"
        return score > self._rules.goal and self._rules.goal_must_be != "exact"

    def _write_down(self, player: Player, turn: Turn, other: Player | None = None) -> None:
        """The player's score, farkles in a row and place on the board after a turn.

        And where the other of two stands, if the turn changes that.
        """
        rules = self._rules
        started = player.score, 0, True
        if turn.end == "lose":
            player.score = min(player.score, 0)
        if turn.points:
            before = player.score, player.farkles, player.on_board
            player.score, _, player.on_board = naive.after_bank(rules, before, turn.points)
        if (
            turn.end != "farkle"
            or not turn.counts
            or (turn.points and self._reaches_goal(player.score))
        ):
            player.farkles = 0
        elif rules.farkle_penalty:
            player.farkles += 1
            if player.farkles == rules.farkle_penalty.in_a_row:
                player.farkles = 0
                if rules.farkle_penalty.then == "goes_on":
                    player.farkles = rules.farkle_penalty.in_a_row - 1
                if rules.farkle_penalty.points == "everything":
                    player.score = min(player.score, 0)
                else:
                    less = player.score - rules.farkle_penalty.points
                    player.score = max(less, rules.score_floor)
        if other and turn.points and not self._reaches_goal(other.score):
            ended, theirs = (player.score, 0, True), (other.score, 0, other.on_board)
            theirs = naive.other_after(rules, started, ended, theirs, turn.points)
            other.score, _, other.on_board = theirs


def _share(winner: Player) -> float:
    """The share of the player who began."""
    return float(winner.number == 0)


def simulate(
    rules: Ruleset, tables: Tables, games: int, seed: int, *, chunk: int = 4096
) -> tuple[float, int]:
    """Play games in which both players decide by `tables`.

    Returns the games won by the player who begins, a shared one counting half, and all games.
    `tables` is asked for up to `chunk` positions at a time, for the next turn of every game. Raises
    ValueError where the tables bank against the rules.
    """
    dice = random.Random(seed)
    wins = 0.0
    waiting: dict[Position, list[Generator[Position, Decisions, float]]] = defaultdict(list)
    for _ in range(games):
        game = Game(rules, dice).play()
        waiting[next(game)].append(game)
    while waiting:
        positions = list(waiting)
        going_on = defaultdict(list)
        for begin in range(0, len(positions), chunk):
            part = positions[begin : begin + chunk]
            for position, decisions in zip(part, tables(part), strict=True):
                for game in waiting[position]:
                    try:
                        going_on[game.send(decisions)].append(game)
                    except StopIteration as over:
                        wins += over.value
        waiting = going_on
    return wins, games
