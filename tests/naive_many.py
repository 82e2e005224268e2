"""The slow, obvious twin of the solve for several players: all states, in plain Python.

Written from the rules of the game and not from the code it checks. A value is the chance of every
player, the mover first and then in the order of turns. Who moves takes the option with the greatest
own chance; of options that are equal to 1e-11 a bank before a roll, then the one with more points,
then the one that leaves more dice.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product

from solver.rules.ruleset import Ruleset
from tests import naive

Value = tuple[float, ...]
Player = tuple[int, bool]
"""Score, and whether on the board."""
State = tuple[int, tuple[Player, ...]]
"""Who moves, counted from who began (0 where nobody can tell), and all players, the mover first."""
Fall = tuple[float, str, list[tuple[int, int, int]]]
"""Something that may fall: its chance, "win", "lose", "farkle" or "scores", and the set-asides.

A set-aside is the points added, the dice to roll and the hot dice after it, in their order."""
EVEN = 1e-11


def better(value: Value, than: Value) -> bool:
    return value[0] > than[0] + EVEN


def mix(parts: list[tuple[float, Value]]) -> Value:
    everyone = range(len(parts[0][1]))
    return tuple([sum([chance * value[k] for chance, value in parts]) for k in everyone])


@cache
def rolls(rules: Ruleset, number: int, hot: int) -> list[Fall]:
    found: list[Fall] = []
    for what, chance in naive.outcomes(rules, number).items():
        if isinstance(what, str):
            found.append((chance, what, []))
        elif not what:
            found.append((chance, "farkle", []))
        else:
            options = [naive.advance(rules, 0, hot, one) for one in sorted(what, reverse=True)]
            found.append((chance, "scores", options))
    return found


@cache
def throws(rules: Ruleset) -> list[tuple[tuple[int, int], list[Fall], bool, bool]]:
    """By dice and hot dice: what may fall, in point steps, whether to bank, and whether it ends."""
    return [
        (
            (number, hot),
            [
                (
                    chance,
                    what,
                    [(points // rules.point_step, left, hots) for points, left, hots in options],
                )
                for chance, what, options in rolls(rules, number, hot)
            ],
            naive.may_leave(rules, number),
            naive.is_over(rules, number),
        )
        for number, hot in product(reversed(naive.numbers(rules)), range(naive.levels(rules)))
    ]


def turn(
    rules: Ruleset,
    rows: int,
    bank: Callable[[int], Value | None],
    farkle: Callable[[int], Value],
    lose: Value,
) -> Value:
    """The start of a turn; bank and farkle by the turn total, and the same from row `rows` on."""
    return whole_turn(rules, rows, bank, farkle, lose)[0][rules.dice, 0]


def whole_turn(
    rules: Ruleset,
    rows: int,
    bank: Callable[[int], Value | None],
    farkle: Callable[[int], Value],
    lose: Value,
) -> list[dict[tuple[int, int], Value]]:
    """All states of a turn, by row, and then by dice and hot dice."""
    step, win, states = rules.point_step, (1.0, *[0.0] * (len(lose) - 1)), throws(rules)
    found: list[dict[tuple[int, int], Value]] = [{} for _ in range(rows + 1)]
    found[rows] = dict.fromkeys((place for place, *_ in states), lose)
    for row in range(rows, -1, -1):
        banked, missed = bank(row * step) if row else None, farkle(row * step)
        ends = {"win": win, "lose": lose, "farkle": missed}
        while True:
            change = 0.0
            for place, falls, may, is_over in states:
                parts = []
                for chance, what, options in falls:
                    value = ends.get(what)
                    for steps, left, new in options:
                        after = found[row + steps if row + steps < rows else rows][left, new]
                        # as `better` has it, which takes longer to call
                        if value is None or after[0] > value[0] + EVEN:
                            value = after
                    assert value is not None
                    parts.append((chance, value))
                value = mix(parts)
                if may and banked is not None and (is_over or not better(value, banked)):
                    value = banked
                if row == rows:  # only the last row leads to itself
                    before = found[row][place]
                    change = max(change, *(abs(a - b) for a, b in zip(value, before, strict=True)))
                found[row][place] = value
            if change < 1e-15:
                break
    return found


Standing = tuple[int, int, bool]
"""Score, farkles in a row, and whether on the board."""


def rounds_values(rules: Ruleset, far: int) -> Callable[[int, Sequence[Standing]], Value]:
    """The value of a game of rounds, by the turns left and all players, the mover first.

    far : point steps; whoever is farther behind the best counts as that far behind
    """
    step = rules.point_step

    def value(turns: int, players: Sequence[Standing]) -> Value:
        best = max(score for score, _, _ in players)
        behind = [max(score - best, -far * step) for score, _, _ in players]
        return start(
            turns, tuple((s, *more) for s, (_, *more) in zip(behind, players, strict=True))
        )

    @cache
    def start(turns: int, players: tuple[Standing, ...]) -> Value:
        scores = [score for score, _, _ in players]
        if not turns:
            return tuple((score == 0) / scores.count(0) for score in scores)
        (own, farkles, on_board), *others = players
        before = 0, farkles, on_board

        def left(after: Standing) -> Value:
            *rest, mine = value(turns - 1, (*others, (own + after[0], *after[1:])))
            return mine, *rest

        def bank(total: int) -> Value | None:
            if not naive.may_bank(rules, total, 0, on_board=on_board):
                return None
            return left(naive.after_bank(rules, before, total))

        def farkle(total: int) -> Value:
            return left(naive.after_farkle(rules, before, total))

        rows = (max(scores[1:]) - own + rules.penalty_points) // step + far + 1
        least = naive.least_bank(rules, on_board=False) // step
        return turn(rules, max(rows, least), bank, farkle, left(before))

    return value


class Game:
    """A game of so many players."""

    def __init__(self, rules: Ruleset, players: int, throwers: Sequence[Ruleset] = ()) -> None:
        """Take the rules; as each seat plays them where they throw dice of their own."""
        self.rules, self.players = rules, players
        self.throwers = throwers or [rules] * players
        self.tells_seats = rules.has_roles or bool(throwers)
        self.rows = max(naive.horizon(thrower) for thrower in self.throwers)
        self.goal = naive.goal_score(rules)
        self.values: dict[State, Value] = {}
        self.play_offs: dict[int, Value] = {}
        self.last = cache(self._last)
        if rules.ties == "played_on":
            self.settle_play_offs()

    def _last(self, level: int, lead: int, chasers: tuple[Player, ...], seat: int) -> Value:
        """The chances of each of `level` leaders with `lead` points, and then of who has a turn.

        All in the order of their turns; `seat` is that of the first of the chasers.
        """
        if not chasers:
            return self.play_offs[level] if self.rules.ties == "played_on" else (1 / level,) * level
        rules, (score, on_board), others = self.rules, chasers[0], chasers[1:]
        # for the mover first: mover, each leader, the others
        following = (seat + 1) % self.players
        stay = 0.0, *self.last(level, lead, others, following)

        def bank(total: int) -> Value | None:
            if not naive.may_bank(rules, total, self.goal, on_board=on_board):
                return None
            if score + total > lead:
                mine, *rest = self.last(1, score + total, others, following)
                return mine, *[0.0] * level, *rest
            if score + total == lead and rules.ties != "earlier":
                found = self.last(level + 1, lead, others, following)
                return found[level], *found[:level], *found[level + 1 :]
            return stay

        def farkle(total: int) -> Value:
            return (bank(total) if rules.farkle_keeps_turn_total else None) or stay

        rows = (lead - score) // rules.point_step + self.rows if others else 0
        rows = max(rows, (lead - score) // rules.point_step + 1, self.least_rows())
        mine, *rest = turn(self.throwers[seat], rows, bank, farkle, stay)
        return *rest[:level], mine, *rest[level:]

    def settle_play_offs(self) -> None:
        """Play-offs of two and more, each turn by turn, until they settle."""
        self.play_offs = {1: (1.0,)}
        for number in range(2, self.players + 1):
            value = (1 / number,) * number
            for _ in range(200):
                self.play_offs[number] = value
                value = self.play_off((), number, {})
                before = self.play_offs[number]
                if max(abs(a - b) for a, b in zip(value, before, strict=True)) < 1e-13:
                    break

    def play_off(
        self, points: tuple[int | None, ...], number: int, known: dict[object, Value]
    ) -> Value:
        """The chances of so many in a round of a play-off in which some have had their turn.

        points : which they got, None for who lost everything
        """
        rules, me = self.rules, len(points)
        left = [k for k in range(number) if k >= me or points[k] is not None]
        if len(left) == 1 or me == number:
            most = max((points[k] or 0 for k in left if k < me), default=0)
            level = left if len(left) == 1 else [k for k in left if points[k] == most]
            shares = self.play_offs[len(level)]
            return tuple(shares[level.index(k)] if k in level else 0.0 for k in range(number))
        # who is behind somebody else is as one who lost everything, unless nobody is left then
        best = max((one for one in points if one is not None), default=0)
        points = tuple(one if one == best else None for one in points)
        if points in known:
            return known[points]

        def then(what: int | None) -> Value:
            found = self.play_off((*points, what), number, known)
            return found[me], *found[:me], *found[me + 1 :]

        def bank(total: int) -> Value | None:
            return then(total) if naive.may_bank(rules, total, self.goal, on_board=True) else None

        def farkle(total: int) -> Value:
            kept = bank(total) if rules.farkle_keeps_turn_total and total else None
            return kept or then(0)

        rows = best // rules.point_step + (self.rows if me < number - 1 else 1)
        mine, *rest = turn(rules, max(rows, self.least_rows()), bank, farkle, then(None))
        known[points] = *rest[:me], mine, *rest[me:]
        return known[points]

    def least_rows(self) -> int:
        return naive.least_bank(self.rules, on_board=False) // self.rules.point_step

    def states(self) -> Iterator[State]:
        """All of them, from high totals to low."""
        scores = range(0, self.goal, self.rules.point_step)
        players: list[Player] = [(score, True) for score in scores]
        players += [(0, False)] if naive.has_opening(self.rules) else []
        everyone = sorted(
            product(players, repeat=self.players), key=lambda one: -sum(score for score, _ in one)
        )
        for one in everyone:
            for mover in range(self.players if self.tells_seats else 1):
                yield mover, one

    def handed_on(self, state: State, own: Player) -> Value:
        """The chances, the mover's first, when the next player is to move."""
        mover, players = state
        following = (mover + 1) % self.players if self.tells_seats else 0
        *others, mine = self.values[following, (*players[1:], own)]
        return mine, *others

    def start(self, state: State) -> Value:
        return self.states_of_turn(state)[0][self.throwers[state[0]].dice, 0]

    def states_of_turn(self, state: State) -> list[dict[tuple[int, int], Value]]:
        rules, (mover, players) = self.rules, state
        score, on_board = players[0]
        if rules.ending == "equal_turns":
            chasers = players[1 : self.players - mover]
        else:
            chasers = players[1:] if rules.ending == "final_turn" else ()
        idle = [0.0] * (self.players - 1 - len(chasers))

        def bank(total: int) -> Value | None:
            if not naive.may_bank(rules, total, score, on_board=on_board):
                return None
            if score + total >= self.goal:
                return *self.last(1, score + total, chasers, (mover + 1) % self.players), *idle
            return self.handed_on(state, (score + total, True))

        def farkle(total: int) -> Value:
            kept = bank(total) if rules.farkle_keeps_turn_total and total else None
            return kept or self.handed_on(state, players[0])

        lose = self.handed_on(state, (min(score, 0), on_board))
        return whole_turn(self.throwers[mover], self.rows, bank, farkle, lose)

    def solve(self, tolerance: float = 1e-14, most: int = 400) -> dict[State, Value] | None:
        """Values that fit each other; None where they do not settle."""
        everything = list(self.states())
        self.values = dict.fromkeys(everything, (1 / self.players,) * self.players)
        rings: dict[frozenset[State], list[State]] = {}
        for state in everything:
            ring = [state]
            while (state := self.following(state)) != ring[0]:
                ring.append(state)
            rings.setdefault(frozenset(ring), ring)
        for _ in range(most):
            largest = 0.0
            for ring in rings.values():
                for _ in range(most):
                    change = max([self.renew(state) for state in reversed(ring)])
                    largest = max(largest, change)
                    if change < tolerance:
                        break
                else:
                    return None
            if not self.rules.lose_everything or largest < tolerance:
                return self.values
        return None

    def following(self, state: State) -> State:
        """The state after a farkle."""
        mover, players = state
        return (mover + 1) % self.players if self.tells_seats else 0, (*players[1:], players[0])

    def renew(self, state: State) -> float:
        before, after = self.values[state], self.start(state)
        self.values[state] = after
        return max(abs(a - b) for a, b in zip(after, before, strict=True))
