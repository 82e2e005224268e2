"""Badges that are used up, the slow and obvious way: every die and face, every use and standing.

Written from what each badge is said to do. Scores are whole points, also those that a badge makes
no multiple of what the rules score. A turn is at so many points with some dice left and some uses
left; what a player does then is tried in all ways.
"""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from tests import naive
from tests.naive_loaded import Array, Dice, Faces, Player, Table, Weights, set_asides


@dataclass(frozen=True)
class Badge:
    """What a player holds."""

    kind: str
    uses: int = 1
    amount: int = 0
    alike: bool = False
    after_farkle: bool = False
    at_start: bool = False
    once: bool = False
    die: Weights = Weights()  # noqa: RUF009 - it is frozen


NOTHING = Badge("nothing", uses=0)

Standing = tuple[int, int, bool]
"""Score, farkles in a row, and whether on the board."""

Values = dict[tuple[int, int], Array]
"""Values of the player to act by the uses that both have left: [own standing, other's one]."""


class Holder(Player):
    """A player's dice and badge."""

    def __init__(self, table: Table, dice: list[Weights], badge: Badge = NOTHING) -> None:
        self.table, self.dice, self.badge = table, dice, badge
        self.whole = tuple(range(len(dice)))
        everything = range(1, len(dice) + 1)
        self.remaining = [left for n in everything for left in combinations(self.whole, n)]
        self.goal, self.step = naive.goal_score(table.rules), table.rules.point_step
        if table.rules.goal_must_be == "exceeded":
            self.goal = table.rules.goal + 1

    def standings(self, uses: int) -> list[Standing]:
        """Where the player may stand with so many uses left."""
        raised = self.badge.kind == "warlord" and uses < self.badge.uses
        every = range(0, self.goal, self.step)
        over = {self.more(total) % self.step for total in every} if raised else {0}
        return [
            (score + more, farkles, on_board)
            for score, farkles, on_board in naive.standings(self.table.rules)
            for more in sorted(over)
            if score + more < self.goal and (on_board or score + more <= 0)
        ]

    def counted(self, standing: Standing) -> Standing:
        """A standing whose score is what it counts for where somebody looks at it: whole steps."""
        score, farkles, on_board = standing
        over = score % self.step
        up = over > 0 and self.table.rules.goal_must_be == "exceeded"
        return score - over + up * self.step, farkles, on_board

    def more(self, total: int) -> int:
        """What a turn total counts for with the badge, rounded down to whole points."""
        return total + total * self.badge.amount // 100

    def falls(self, left: Dice) -> dict[Faces, float]:
        """Every roll of some dice with its chance."""
        found: dict[Faces, float] = {}
        for fallen in product(*(list(self.dice[k].falls()) for k in left)):
            shown = tuple(face for face, _ in fallen)
            found[shown] = found.get(shown, 0.0) + float(np.prod([c for _, c in fallen]))
        return found


class Turns:
    """The turns of a player in all standings, with so many uses left of both at their start."""

    def __init__(self, holder: Holder, other: Holder, values: Values, uses: int, theirs: int):
        """`values` are the other's; that of equal uses may be renewed, see `start`."""
        self.holder, self.badge, self.table = holder, holder.badge, holder.table
        self.own, self.others = holder.standings(uses), other.standings(theirs)
        self.uses, self.theirs, self.values = uses, theirs, values
        self.done: dict[tuple[object, ...], Array] = {}
        """What is not changed by the values of equal uses."""
        self.now: dict[tuple[object, ...], Array] = {}

    def start(self) -> Array:
        """What the start of the turn is worth at [own standing, other's standing]."""
        self.now = {}
        free = self.uses > 0
        found = self.state(0, self.holder.whole, self.uses, free)
        if free and self.badge.kind == "warlord" and self.badge.at_start:
            found = np.maximum(found, self.state(0, self.holder.whole, self.uses - 1, False))
        return found

    def farkle(self, uses: int) -> Array:
        """What it is worth to end the turn without points."""
        after = [naive.after_farkle(self.table.rules, one, 0) for one in self.own]
        places = [self.holder.standings(uses).index(one) for one in after]
        return np.array([1 - self.values[self.theirs, uses][:, place] for place in places])

    def bank(self, total: int, uses: int) -> Array:
        """What it is worth to add so many points to the score; -1 where it is not allowed."""
        rules, mine = self.table.rules, self.holder.standings(uses)
        used = uses < self.uses and self.badge.kind == "warlord"
        gained = self.holder.more(total) if used else total
        found = np.full((len(self.own), len(self.others)), -1.0)
        for row, (score, farkles, on_board) in enumerate(self.own):
            after = score + gained, 0, True
            wins = score + gained >= self.holder.goal
            counted = self.holder.counted(after)
            reached = naive.goal_score(rules) if wins else counted[0] - total
            if not naive.may_bank(rules, total, reached, on_board=on_board):
                continue
            before = self.holder.counted((score, farkles, on_board))
            for column, other in enumerate(self.others):
                theirs = self.holder.counted(other)
                there = naive.other_after(rules, before, counted, theirs, gained)
                there = other if there == theirs else there
                place = self.others.index(there), 0 if wins else mine.index(after)
                found[row, column] = 1.0 if wins else 1 - self.values[self.theirs, uses][place]
        return found

    def state(self, total: int, left: Dice, uses: int, free: bool) -> Array:
        """With so many points and dice left; `free` where another use may fall in this turn."""
        kept = self.done if uses < self.uses else self.now
        key = ("state", total, left, uses, free)
        if key not in kept:
            kept[key] = self._state(total, left, uses, free)
        return kept[key]

    def _state(self, total: int, left: Dice, uses: int, free: bool) -> Array:
        rules = self.table.rules
        least = naive.least_bank(rules, on_board=False)
        if total >= max(least, self.holder.goal - rules.score_floor):
            return np.ones((len(self.own), len(self.others)))
        ways = [self.bank(total, uses), self.roll(total, left, uses, free)]
        if uses and free and self.badge.kind == "warlord" and not self.badge.at_start:
            ways.append(self.bank(total, uses - 1))
        if uses and free and self.badge.kind == "might":
            ways.append(self.roll_with_die(total, left, uses - 1))
        found: Array = np.max(ways, axis=0)
        return found

    def roll(self, total: int, left: Dice, uses: int, free: bool) -> Array:
        """The dice that are left are rolled."""
        kept = self.done if uses < self.uses else self.now
        key = ("roll", total, left, uses, free)
        if key not in kept:
            falls = self.holder.falls(left).items()
            worth = np.zeros((len(self.own), len(self.others)))
            for shown, chance in falls:
                worth += chance * self.lies(total, left, shown, uses, free)
            kept[key] = worth
        return kept[key]

    def lies(self, total: int, left: Dice, shown: Faces, uses: int, free: bool) -> Array:
        """A roll lies on the table."""
        badge, again = self.badge, not self.badge.once
        kept = list(set_asides(self.table, left, shown))
        ways = [self.farkle(uses)] if not kept else []
        for worth, dice in kept:
            rest = tuple(k for k in left if k not in dice) or self.holder.whole
            ways.append(self.state(total + worth, rest, uses, free))
            if uses and free and badge.kind == "doppelganger":
                ways.append(self.state(total + 2 * worth, rest, uses - 1, again))
        if uses and free and badge.kind == "resurrection" and not kept:
            ways.append(self.roll(total, left, uses - 1, again))
        if uses and free and (kept or badge.after_farkle):
            if badge.kind == "transmutation":
                for k in range(len(left)):
                    face = str(badge.amount) if badge.amount else "J"
                    turned = (*shown[:k], face, *shown[k + 1 :])
                    ways.append(self.settled(total, left, turned, uses - 1))
            if badge.kind == "reroll":
                sizes = [2] if badge.alike else range(1, badge.amount + 1)
                for size in sizes:
                    ways += [
                        self.again(total, left, shown, places, uses - 1)
                        for places in combinations(range(len(left)), size)
                        if not badge.alike or shown[places[0]] == shown[places[1]]
                    ]
        found: Array = np.max(ways, axis=0)
        return found

    def settled(self, total: int, left: Dice, shown: Faces, uses: int) -> Array:
        """A roll lies on the table that the badge has changed: it is not changed again."""
        key = ("settled", total, left, shown, uses)
        if key not in self.done:
            ways = [
                self.state(
                    total + worth,
                    tuple(k for k in left if k not in dice) or self.holder.whole,
                    uses,
                    not self.badge.once,
                )
                for worth, dice in set_asides(self.table, left, shown)
            ]
            self.done[key] = np.max(ways, axis=0) if ways else self.farkle(uses)
        return self.done[key]

    def again(self, total: int, left: Dice, shown: Faces, places: Dice, uses: int) -> Array:
        """Some dice of a roll are rolled again."""
        others = tuple("?" if k in places else face for k, face in enumerate(shown))
        key = ("again", total, left, others, uses)
        if key not in self.done:
            found = np.zeros((len(self.own), len(self.others)))
            for fallen, chance in self.holder.falls(tuple(left[k] for k in places)).items():
                new = list(shown)
                for place, face in zip(places, fallen, strict=True):
                    new[place] = face
                found += chance * self.settled(total, left, tuple(new), uses)
            self.done[key] = found
        return self.done[key]

    def roll_with_die(self, total: int, left: Dice, uses: int) -> Array:
        """The dice that are left are rolled with one more, which is gone afterwards."""
        key = ("with die", total, left, uses)
        if key not in self.done:
            found = np.zeros((len(self.own), len(self.others)))
            more = len(self.holder.dice)
            for shown, chance in self.holder.falls(left).items():
                for face, of_die in self.badge.die.falls():
                    ways = [
                        self.state(
                            total + worth,
                            tuple(k for k in left if k not in dice) or self.holder.whole,
                            uses,
                            not self.badge.once,
                        )
                        for worth, dice in set_asides(self.table, (*left, more), (*shown, face))
                    ]
                    best = np.max(ways, axis=0) if ways else self.farkle(uses)
                    found += chance * of_die * best
            self.done[key] = found
        return self.done[key]


def value_iteration(holders: tuple[Holder, Holder]) -> list[Values]:
    """V of a small game: for each player to act, by the uses that it and the other have left."""
    every: list[Values] = [{}, {}]
    pairs = list(product(*(range(holder.badge.uses + 1) for holder in holders)))
    for uses in pairs:
        turns = []
        for side in (0, 1):
            key = uses[side], uses[1 - side]
            own, others = holders[side].standings(key[0]), holders[1 - side].standings(key[1])
            every[side][key] = np.full((len(own), len(others)), 0.5)
            turns.append(Turns(holders[side], holders[1 - side], every[1 - side], *key))
        for _ in range(10_000):
            change = 0.0
            for side in (0, 1):
                key = uses[side], uses[1 - side]
                new = turns[side].start()
                change = max(change, float(np.max(np.abs(new - every[side][key]))))
                every[side][key] = new
            if change < 1e-13:
                break
        else:
            raise ArithmeticError("no fixed point found")
    return every
