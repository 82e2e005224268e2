"""Two players who play in given ways, evaluated slowly and obviously, from the rules alone.

A player is a Policy, whose decisions are looked up roll by roll, or None for one who plays as is
best.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from solver.game.position import Position
from solver.play.policy import Policy
from solver.rules.ruleset import Ruleset
from solver.turn.equations import EqualDice
from tests import naive

Player = Policy | None
End = tuple[str, int]
"""How a turn ends, with its turn total: bank, farkle, win or lose."""


@dataclass(frozen=True)
class State:
    """Before a turn: who is to move, whether that player began, and both standings."""

    mover: int
    began: bool
    own: naive.Standing
    other: naive.Standing


class Choice(NamedTuple):
    """Dice to set aside, wherever in a turn they are rolled."""

    points: int
    """That are added to the turn total."""
    state: tuple[int, int]
    """What is to roll next, and the number of hot dice."""
    rank: int
    """Dice to roll next; 0 for hot dice."""
    place: tuple[int, int]
    """The level and the column in arrays of the solver."""
    may_leave: bool
    is_over: bool


@cache
def rolled(rules: Ruleset, dice: int, hot: int) -> list[tuple[float, str, list[Choice]]]:
    """What rolls may lead to, with the chances: the name of an end, or choices."""
    found: list[tuple[float, str, list[Choice]]] = []
    for what, ways in naive.outcomes(rules, dice).items():
        if isinstance(what, str):
            found.append((ways, what, []))
            continue
        choices = []
        for choice in what:
            points, left, hot_now = naive.advance(rules, 0, hot, choice)
            choices.append(
                Choice(
                    points,
                    (left, hot_now),
                    left if left % rules.dice else 0,
                    (naive.level(rules, hot_now), naive.column(rules, left, hot_now)),
                    naive.may_leave(rules, left),
                    naive.is_over(rules, left),
                )
            )
        found.append((ways, "farkle" if naive.counts(rules, dice) else "spared", choices))
    return found


def turn_ends(rules: Ruleset, player: Policy, start: Position) -> dict[End, float]:
    """The chances of the ends of a turn, roll by roll."""
    ends: defaultdict[End, float] = defaultdict(float)
    under_way = {(0, rules.dice, 0): 1.0}
    decisions = player.decisions(EqualDice(rules), start)
    worth, bank = decisions.worth.tolist(), decisions.bank.tolist()
    levels, rows = len(worth), len(worth[0])
    # once the other player is there only a bank that reaches the goal counts, and none is barred
    last = start.opponent >= rules.winning_score
    score = max(start.banked, rules.winning_score - rules.point_step) if last else start.banked
    may_bank = cache(partial(naive.may_bank, rules, score=score, on_board=start.on_board))
    while under_way:
        after: defaultdict[tuple[int, int, int], float] = defaultdict(float)
        for (total, dice, hot), chance in under_way.items():
            for ways, end, choices in rolled(rules, dice, hot):
                p = chance * ways
                if not choices:
                    ends[end, total] += p
                    continue
                best = None
                for choice in choices:
                    new = total + choice.points
                    level, column = choice.place
                    level, row = min(level, levels - 1), min(new // rules.point_step, rows - 1)
                    # of equal ones that with more points, then that with fewer dice
                    rank = worth[level][row][column], new, choice.rank, choice.state
                    if best is None or rank > best[0]:
                        best = rank, choice, bank[level][row][column]
                assert best is not None
                (_, new, *_), choice, banks = best
                may = choice.may_leave and may_bank(new)
                if may and (banks or choice.is_over):
                    ends["bank", new] += p
                elif p > 1e-13 and not choice.is_over:
                    after[(new, *choice.state)] += p
                else:
                    ends["farkle", new] += p
        under_way = dict(after)
    return dict(ends)


class Twin:
    """The values of a game between two players."""

    def __init__(self, rules: Ruleset, players: tuple[Player, Player]) -> None:
        self.rules = rules
        self.players = players
        self.step = rules.point_step
        self.rows = naive.horizon(rules) + 1
        self.totals = range(0, self.rows * self.step, self.step)
        self._play_off = {}
        if rules.ending != "at_once" and rules.ties == "played_on":
            self._play_off = {first: self._solve_play_off(first) for first in (0, 1)}

    def best_turn(
        self,
        rules: Ruleset,
        bank: Callable[[int], float | None],
        farkle: Callable[[int], float],
        lose: float,
        spared: float,
    ) -> float:
        """What the best turn is worth; None where a bank is not allowed."""
        banks = [bank(total) for total in self.totals]
        worth = np.array([naive.NOT_ALLOWED if one is None else one for one in banks])
        farkles = np.array([farkle(total) for total in self.totals])
        mild = np.array([spared]) if rules.spares_farkles else None
        given = worth[:, None], farkles[:, None], np.array([lose]), mild
        found = naive.start_of_turn(rules, *given)
        return float(found[0])

    # ---- Final turns and play-offs ----

    def turn_value(self, mover: int, start: Position, worth: Callable[[End], float]) -> float:
        """What a turn is worth to who has it, given what its ends are."""
        rules, player = self.rules, self.players[mover]
        if player is not None:
            ends = self._ends(player, start)
            return sum(chance * worth(end) for end, chance in ends.items())
        may = partial(rules.may_bank, score=start.banked, on_board=start.on_board)
        return self.best_turn(
            self.rules_at(start),
            lambda total: worth(("bank", total)) if total and may(total) else None,
            lambda total: worth(("farkle", total)),
            worth(("lose", 0)),
            worth(("spared", 0)),
        )

    def _ends(self, player: Policy, start: Position) -> dict[End, float]:
        if start.opponent < self.rules.winning_score:
            seen = {"banked", "on_board", "dice", *player.looks_at}
            start = Position.of_two(**{name: getattr(start, name) for name in seen})
        return self._ends_of(player, start)

    @cache  # noqa: B019 - a twin lives as long as its test
    def _ends_of(self, player: Policy, start: Position) -> dict[End, float]:
        return turn_ends(self.rules_at(start), player, start)

    def rules_at(self, start: Position) -> Ruleset:
        """The rules of a turn."""
        is_last = start.opponent >= self.rules.winning_score
        return naive.in_last_turns(self.rules) if is_last else self.rules

    def kept(self, total: int, start: Position) -> int:
        """What a farkle leaves of a turn total."""
        rules = self.rules
        may = rules.may_bank(total, start.banked, on_board=start.on_board)
        return total if rules.farkle_keeps_turn_total and total and may else 0

    def last_turn(
        self,
        mover: int,
        start: Position,
        tie: float,
        beaten: Sequence[float] | naive.Array = (0.0,),
    ) -> float:
        """Chance to win with one turn left, that must bring more points than are missing.

        beaten : what the other player has who is so many point steps behind then; the last for all
            that are more
        """
        missing = start.opponent - start.banked

        def worth(end: End) -> float:
            kind, total = end
            if kind in {"win", "lose", "out"}:
                return float(kind == "win")
            got = total if kind == "bank" else self.kept(total, start)
            behind = min((got - missing) // self.step, len(beaten) - 1)
            return 1.0 - beaten[behind] if got > missing else tie if got == missing else 0.0

        return self.turn_value(mover, start, worth)

    def _first_turn(self, first: int, play_off: float) -> float:
        """Chance of `first` to win a play-off, given what the next one is worth to it."""
        rules, goal = self.rules, self.rules.winning_score
        start = Position.of_two(banked=goal, opponent=goal, dice=rules.dice, began=True)

        @cache
        def left(points: int) -> float:
            reply = Position.of_two(
                banked=goal, opponent=goal + points, dice=rules.dice, began=False
            )
            return 1 - self.last_turn(1 - first, reply, 1 - play_off)

        def worth(end: End) -> float:
            kind, total = end
            if kind in {"win", "lose", "out"}:
                return float(kind == "win")
            return left(total if kind == "bank" else self.kept(total, start))

        return self.turn_value(first, start, worth)

    def _solve_play_off(self, first: int) -> float:
        value, before = 0.5, 0.0
        while abs(value - before) > 1e-14:
            value, before = self._first_turn(first, value), value
        return value

    def final_turn(self, mover: int, score: int, own: naive.Standing) -> float:
        """Chance to win of a player whose opponent has reached the goal with a score."""
        if self.players[mover] is None:
            # only what is missing counts
            least = self.rules.winning_score - self.step
            score, own = score - own[0] + least, (least, 0, own[2])
        return self._final_turn(mover, score, own)

    @cache  # noqa: B019 - a twin lives as long as its test
    def _final_turn(self, mover: int, score: int, own: naive.Standing) -> float:
        rules = self.rules
        tie = 0.5 if rules.ties == "shared" else 0.0
        if rules.ties == "played_on":
            tie = 1 - self._play_off[1 - mover]
        start = Position.of_two(
            banked=own[0],
            opponent=score,
            dice=rules.dice,
            on_board=own[2],
            began=not rules.has_roles,
        )
        beaten = self._beaten[1 - mover] if rules.ending == "defended" else (0.0,)
        return self.last_turn(mover, start, tie, beaten)

    @cached_property
    def _beaten(self) -> naive.Array:
        """What final turns are worth to both players, by point steps behind, on the board."""
        rules, tie = self.rules, 0.5 if self.rules.ties == "shared" else 0.0
        near = rules.winning_score - self.step
        starts = [
            Position.of_two(banked=near, opponent=near + behind * self.step, dice=rules.dice)
            for behind in range(1, self.rows)
        ]
        found, before = np.zeros((2, self.rows)), np.ones((2, self.rows))
        while np.max(np.abs(found - before)) > 1e-13:
            before = found
            found = np.array(
                [
                    [0.0, *(self.last_turn(who, one, tie, before[1 - who]) for one in starts)]
                    for who in (0, 1)
                ]
            )
        return found

    # ---- Games ----

    def after(self, state: State, end: End) -> tuple[float, State | None]:
        """What the end of a turn is worth: a number, or 1 less what the state then is."""
        rules = self.rules
        (kind, total), points = end, 0
        if kind in {"win", "out"}:
            return float(kind == "win"), None
        if kind == "bank":
            points = total
            own = naive.after_bank(rules, state.own, total)
        elif kind == "farkle":
            points = naive.kept_of(rules, state.own, total)
            own = naive.after_farkle(rules, state.own, total)
        elif kind == "spared":
            own = state.own[0], 0, state.own[2]
        else:
            own = naive.after_losing_everything(state.own)
        if own[0] >= rules.winning_score:
            if rules.ending in {"final_turn", "defended"} or (rules.has_roles and state.began):
                return 1 - self.final_turn(1 - state.mover, own[0], state.other), None
            return 1.0, None
        began = not state.began if rules.has_roles else True
        other = naive.other_after(rules, state.own, own, state.other, points)
        if other[0] >= rules.winning_score:
            return 0.0, None
        return 0.0, State(1 - state.mover, began, other, own)

    def values(self) -> dict[State, float]:
        """The chance to win of the player to move, in every state."""
        rules = self.rules
        everyone = naive.standings(rules)
        roles = [True, False] if rules.has_roles else [True]
        states = [
            State(mover, began, own, other)
            for mover, began, own, other in product((0, 1), roles, everyone, everyone)
        ]
        place = {state: number for number, state in enumerate(states)}
        constant = np.zeros(len(states))
        rows: list[int] = []
        columns: list[int] = []
        chances: list[float] = []
        best: list[tuple[Any, ...]] = []
        for number, state in enumerate(states):
            start = self.position(state)
            player = self.players[state.mover]

            def leads(end: End, state: State = state) -> tuple[float, int]:
                worth, then = self.after(state, end)
                return worth, -1 if then is None else place[then]

            if player is not None:
                for end, chance in self._ends(player, start).items():
                    worth, to = leads(end)
                    constant[number] += chance * worth
                    if to >= 0:
                        constant[number] += chance
                        rows.append(number)
                        columns.append(to)
                        chances.append(chance)
                continue
            may = partial(rules.may_bank, score=start.banked, on_board=start.on_board)
            banks = [
                leads(("bank", total)) if total and may(total) else (naive.NOT_ALLOWED, -1)
                for total in self.totals
            ]
            farkles = [leads(("farkle", total)) for total in self.totals]
            best.append((number, banks, farkles, leads(("lose", 0)), leads(("spared", 0))))

        which = np.array([one[0] for one in best], dtype=np.intp)
        # shape (what, states)
        ends = [
            np.array([one[k] for one in best]).reshape(len(best), -1 if best else 1, 2)
            for k in (1, 2, 3, 4)
        ]

        def one_turn(values: naive.Array) -> naive.Array:
            found = constant - np.bincount(
                rows, np.array(chances) * values[columns], minlength=len(states)
            )
            if best:
                worth = [
                    (end[..., 0] + np.where(to >= 0, 1 - values[to], 0.0)).T
                    for end in ends
                    for to in [end[..., 1].astype(np.intp)]
                ]
                mild = worth[3][0] if rules.spares_farkles else None
                found[which] = naive.start_of_turn(rules, worth[0], worth[1], worth[2][0], mild)
            return found

        found = naive.fixed_point(one_turn, np.full(len(states), 0.5), 1e-13)
        return {state: float(found[number]) for state, number in place.items()}

    def position(self, state: State) -> Position:
        """The position at the start of a turn."""
        return Position.of_two(
            banked=state.own[0],
            opponent=state.other[0],
            farkles=state.own[1],
            opponent_farkles=state.other[1],
            dice=self.rules.dice,
            on_board=state.own[2],
            opponent_on_board=state.other[2],
            began=state.began,
        )
