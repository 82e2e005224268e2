"""Badges that are used up, the slow and obvious way: every die and face, every use and standing.

Written from what each badge is said to do. Scores are whole points, also those that a badge makes
no multiple of what the rules score. A turn is at so many points with some dice left and some uses
left; what a player does then is tried in all ways.
"""

from collections.abc import Sequence
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
        self.lasts: dict[tuple[int, int, bool], float] = {}
        """What last turns are worth, by uses left, points behind and whether on the board."""
        self.fallen: dict[Dice, dict[Faces, float]] = {}
        """Every roll of some dice with its chance, once it was asked for."""
        self.decisions: dict[Faces, naive.Result | None] = {}
        """What rolls lead to without a choice, once it was asked for."""
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
        if left not in self.fallen:
            found = self.fallen[left] = {}
            for fallen in product(*(list(self.dice[k].falls()) for k in left)):
                shown = tuple(face for face, _ in fallen)
                found[shown] = found.get(shown, 0.0) + float(np.prod([c for _, c in fallen]))
        return self.fallen[left]


def best(ways: list[Array]) -> Array:
    """What the best of some ways is worth in each standing."""
    found: Array = ways[0]
    for way in ways[1:]:
        found = np.maximum(found, way)
    return found


At = tuple[int, Dice, int]
"""Where a turn has come to: points, the dice that are left, and how often all were set aside."""


class Turns:
    """The turns of a player in all standings, with so many uses left of both at their start."""

    def __init__(
        self,
        holder: Holder,
        other: Holder,
        values: Values,
        uses: int,
        theirs: int,
        *,
        goes_first: bool = True,
    ):
        """`values` are the other's; that of equal uses may be renewed, see `start`.

        goes_first : whether the other one has a last turn once this one reaches the goal
        """
        self.other, self.goes_first = other, goes_first
        self.holder, self.badge, self.table = holder, holder.badge, holder.table
        self.rules = holder.table.rules
        self.own, self.others = holder.standings(uses), other.standings(theirs)
        self.uses, self.theirs, self.values = uses, theirs, values
        least = naive.least_bank(self.rules, on_board=False)
        self.far = max(least, self.holder.goal - self.rules.score_floor)
        self.far += self.holder.goal * (self.rules.goal_must_be == "exact")
        if (
            self.rules.ending != "at_once"
        ):  # a turn hardly ever comes so far, nor then the other one
            self.far += 40 * (1 + self.rules.farkle_keeps_turn_total) * self.holder.step
        """Points from which on it does not matter how many they are."""
        self.far_off: dict[tuple[object, ...], Array] = {}
        """What was found last from there on, to begin with."""
        self.done: dict[tuple[object, ...], Array] = {}
        """What is not changed by the values of equal uses."""
        self.now: dict[tuple[object, ...], Array] = {}

    def start(self) -> Array:
        """What the start of the turn is worth at [own standing, other's standing]."""
        self.now = {}
        free, at = self.uses > 0, (0, self.holder.whole, 0)
        found = self.state(at, self.uses, free)
        if free and self.badge.kind == "warlord" and self.badge.at_start:
            found = np.maximum(found, self.state(at, self.uses - 1, False))
        return found

    def won(self, other: Standing, score: int) -> float:
        """What it is worth to reach the goal with that score, before so much by the other one."""
        if self.rules.ending == "at_once" or not self.goes_first:
            return 1.0
        # what counts is how far one is behind
        key, lasts = (self.theirs, score - other[0], other[2]), self.other.lasts
        if key not in lasts:
            lasts[key] = float(LastTurn(self.other, self.theirs, other, score).start()[0, 0])
        return 1 - lasts[key]

    def left(self, after: list[Standing | None], gained: list[int], uses: int) -> Array:
        """What it is worth to end the turn so, from each own standing; -1 for None."""
        found, mine = np.full((len(self.own), len(self.others)), -1.0), self.holder.standings(uses)
        for row, (own, then) in enumerate(zip(self.own, after, strict=True)):
            if then is None:
                continue
            wins, before = then[0] >= self.holder.goal, self.holder.counted(own)
            place = 0 if wins else mine.index(then)
            for column, other in enumerate(self.others):
                theirs = self.holder.counted(other)
                counted = self.holder.counted(then)
                there = naive.other_after(self.rules, before, counted, theirs, gained[row])
                there = other if there == theirs else there
                if wins:
                    found[row, column] = self.won(theirs, counted[0])
                elif there[0] >= self.holder.goal:
                    found[row, column] = 0.0
                else:
                    values = self.values[self.theirs, uses]
                    found[row, column] = 1 - values[self.others.index(there), place]
        return found

    def allowed(self, own: Standing, total: int, gained: int) -> bool:
        """Whether a turn total may be banked, or kept, that counts for so many points."""
        counted = self.holder.counted((own[0] + gained, 0, True))
        reached = counted[0] - total
        if own[0] + gained >= self.holder.goal and self.rules.goal_must_be != "exact":
            reached = naive.goal_score(self.rules)
        return naive.may_bank(self.rules, total, reached, on_board=own[2])

    def farkle(self, total: int, uses: int) -> Array:
        """What it is worth to end the turn without points, or with those that a farkle keeps."""
        kept = self.done if uses < self.uses else self.now
        keeps = self.rules.farkle_keeps_turn_total
        key = ("farkle", total * keeps, uses)
        if key not in kept:
            gained = [
                total
                * (
                    keeps
                    and self.allowed(one, total, total)
                    and not naive.goes_beyond(self.rules, one[0] + total)
                )
                for one in self.own
            ]
            after = list[Standing | None]()
            for own, points in zip(self.own, gained, strict=True):
                then = (own[0] + points, own[1], own[2] or points > 0)
                reaches = then[0] >= self.holder.goal
                after.append(then if reaches else naive.after_farkle(self.rules, then, 0))
            kept[key] = self.left(after, gained, uses)
        return kept[key]

    def lost(self, uses: int) -> Array:
        """What a roll is worth that loses the score."""
        after: list[Standing | None] = [naive.after_losing_everything(one) for one in self.own]
        return self.left(after, [0] * len(after), uses)

    def bank(self, total: int, uses: int) -> Array:
        """What it is worth to add so many points to the score; -1 where it is not allowed."""
        used = uses < self.uses and self.badge.kind == "warlord"
        gained = self.holder.more(total) if used else total
        after = [
            naive.after_bank(self.rules, one, gained) if self.allowed(one, total, gained) else None
            for one in self.own
        ]
        return self.left(after, [gained] * len(after), uses)

    def may_leave(self, at: At) -> bool:
        """Whether a turn may end with the dice that are left."""
        _, left, _ = at
        if left == self.holder.whole:
            return self.rules.hot_dice == "optional"
        return len(left) <= self.rules.bank_dice_left

    def after(self, at: At, worth: int, dice: Dice, times: int = 1) -> At:
        """Where the turn comes to when dice are set aside."""
        total, left, hot = at
        total, rest = total + times * worth, tuple(k for k in left if k not in dice)
        if rest:
            return total, rest, hot
        bonus = self.rules.hot_dice_bonus or (0,)
        total += bonus[min(hot, len(bonus) - 1)]
        return total, self.holder.whole, min(hot + 1, len(bonus) - 1)

    def state(self, at: At, uses: int, free: bool) -> Array:
        """With so many points and dice left; `free` where another use may fall in this turn."""
        at = min(at[0], self.far), *at[1:]
        kept = self.done if uses < self.uses else self.now
        key = ("state", *at, uses, free)
        if key not in kept and at[0] == self.far:
            self.roll_on(kept, uses, free)
        elif key not in kept:
            kept[key] = self._state(at, uses, free)
        return kept[key]

    def roll_on(self, kept: dict[tuple[object, ...], Array], uses: int, free: bool) -> None:
        """Find what all states are worth from where points change nothing, again and again."""
        hots = range(max(1, len(self.rules.hot_dice_bonus)))
        every = [(self.far, left, hot) for left in self.holder.remaining for hot in hots]
        for at in every:
            banks = self.bank(self.far, uses) if self.may_leave(at) else np.ones(1)
            shape = len(self.own), len(self.others)
            begin = np.broadcast_to(banks.clip(0), shape)
            kept["state", *at, uses, free] = self.far_off.get((at, uses, free), begin)
        settles = self.rules.goal_must_be == "exact"
        change = float(settles or any(not self.may_leave(at) for at in every))
        while change > 1e-13:
            for key in [one for one in kept if one[:2] == ("roll", self.far)]:
                if key[-2:] == (uses, free):
                    del kept[key]
            found = {at: self._state(at, uses, free) for at in every}
            change = 0.0
            for at, value in found.items():
                key = "state", *at, uses, free
                change = max(change, float(np.max(np.abs(value - kept[key]))))
                kept[key] = self.far_off[at, uses, free] = value

    def _state(self, at: At, uses: int, free: bool) -> Array:
        ways = [self.roll(at, uses, free)]
        if self.may_leave(at):
            ways.append(self.bank(at[0], uses))
            if uses and free and self.badge.kind == "warlord" and not self.badge.at_start:
                ways.append(self.bank(at[0], uses - 1))
        if uses and free and self.badge.kind == "might":
            ways.append(self.roll_with_die(at, uses - 1))
        return best(ways)

    def roll(self, at: At, uses: int, free: bool) -> Array:
        """The dice that are left are rolled."""
        kept = self.done if uses < self.uses else self.now
        key = ("roll", *at, uses, free)
        if key not in kept:
            worth = np.zeros((len(self.own), len(self.others)))
            for shown, chance in self.holder.falls(at[1]).items():
                worth += chance * self.lies(at, shown, uses, free)
            kept[key] = worth
        return kept[key]

    def decided(self, shown: Faces) -> naive.Result | None:
        """What a roll leads to by the rules that leaves no choice: "win", "lose" or a farkle."""
        found = self.holder.decisions
        if shown not in found:
            faces = tuple(sorted(int(k) for k in shown if k != "J"))
            found[shown] = naive.decided(self.rules, faces) if self.rules.decisive else None
        return found[shown]

    def offers(self, dice: Dice, shown: Faces) -> Sequence[tuple[int, Dice]]:
        """The set-asides of a roll, none of one that loses the turn."""
        return set_asides(self.table, dice, shown) if self.decided(shown) is None else ()

    def ended(self, total: int, shown: Faces, uses: int) -> Array:
        """What a roll is worth that is decided, or of which nothing scores."""
        what = self.decided(shown)
        if what == "win":
            return np.ones((len(self.own), len(self.others)))
        return self.lost(uses) if what == "lose" else self.farkle(total, uses)

    def lies(self, at: At, shown: Faces, uses: int, free: bool) -> Array:
        """A roll lies on the table."""
        badge, again, (total, left, _) = self.badge, not self.badge.once, at
        kept = self.offers(left, shown)
        ways = [] if kept else [self.ended(total, shown, uses)]
        if self.decided(shown) in ("win", "lose"):
            return ways[0]
        for worth, dice in kept:
            ways.append(self.state(self.after(at, worth, dice), uses, free))
            if uses and free and badge.kind == "doppelganger":
                ways.append(self.state(self.after(at, worth, dice, 2), uses - 1, again))
        if uses and free and badge.kind == "resurrection" and not kept:
            ways.append(self.roll(at, uses - 1, again))
        if uses and free and (kept or badge.after_farkle):
            if badge.kind == "transmutation":
                for k in range(len(left)):
                    face = str(badge.amount) if badge.amount else "J"
                    turned = (*shown[:k], face, *shown[k + 1 :])
                    if self.offers(left, turned) or self.decided(turned) == "win":
                        ways.append(self.settled(at, turned, uses - 1))
            if badge.kind == "reroll":
                sizes = [2] if badge.alike else range(1, badge.amount + 1)
                for size in sizes:
                    ways += [
                        self.again(at, shown, places, uses - 1)
                        for places in combinations(range(len(left)), size)
                        if not badge.alike or shown[places[0]] == shown[places[1]]
                    ]
        return best(ways)

    def settled(self, at: At, shown: Faces, uses: int) -> Array:
        """A roll lies on the table that the badge has changed: it is not changed again."""
        key = ("settled", *at, shown, uses, not self.badge.once)
        if key not in self.done:
            self.done[key] = self._settled(at, at[1], shown, uses)
        return self.done[key]

    def _settled(self, at: At, dice: Dice, shown: Faces, uses: int) -> Array:
        ways = [
            self.state(self.after(at, worth, kept), uses, not self.badge.once)
            for worth, kept in self.offers(dice, shown)
        ]
        return best(ways) if ways else self.ended(at[0], shown, uses)

    def again(self, at: At, shown: Faces, places: Dice, uses: int) -> Array:
        """Some dice of a roll are rolled again."""
        others = tuple("?" if k in places else face for k, face in enumerate(shown))
        key = ("again", *at, others, uses, not self.badge.once)
        if key not in self.done:
            found = np.zeros((len(self.own), len(self.others)))
            for fallen, chance in self.holder.falls(tuple(at[1][k] for k in places)).items():
                new = list(shown)
                for place, face in zip(places, fallen, strict=True):
                    new[place] = face
                found += chance * self.settled(at, tuple(new), uses)
            self.done[key] = found
        return self.done[key]

    def roll_with_die(self, at: At, uses: int) -> Array:
        """The dice that are left are rolled with one more, which is gone afterwards."""
        key = ("with die", *at, uses, not self.badge.once)
        if key not in self.done:
            found = np.zeros((len(self.own), len(self.others)))
            dice = (*at[1], len(self.holder.dice))
            for shown, chance in self.holder.falls(at[1]).items():
                for face, of_die in self.badge.die.falls():
                    found += chance * of_die * self._settled(at, dice, (*shown, face), uses)
            self.done[key] = found
        return self.done[key]


class LastTurn(Turns):
    """The last turn of a player whose opponent has so many points."""

    def __init__(self, holder: Holder, uses: int, standing: Standing, lead: int) -> None:
        super().__init__(holder, holder, {}, uses, 0)
        self.own, self.others, self.lead = [standing], [standing], lead
        least = naive.least_bank(self.rules, on_board=False)
        self.far = max(least, lead - standing[0] + self.holder.step)

    def left(self, after: list[Standing | None], gained: list[int], uses: int) -> Array:  # noqa: ARG002
        """What it is worth to end the turn so: more points win."""
        [then] = after
        if then is None:
            return np.full((1, 1), -1.0)
        score, _, _ = self.holder.counted((self.own[0][0] + gained[0], 0, True))
        tie = 0.5 if self.rules.ties == "shared" else 0.0
        return np.full((1, 1), 1.0 if score > self.lead else tie * (score == self.lead))

    def allowed(self, own: Standing, total: int, gained: int) -> bool:  # noqa: ARG002
        """Whether a turn total may be banked, or kept: only what wins matters."""
        most = naive.goal_score(self.rules)
        return naive.may_bank(self.rules, total, most, on_board=own[2])

    def bank(self, total: int, uses: int) -> Array:
        """What it is worth to add so many points to the score; -1 where it is not allowed."""
        used = uses < self.uses and self.badge.kind == "warlord"
        gained = self.holder.more(total) if used else total
        [own] = self.own
        return self.left([own if self.allowed(own, total, gained) else None], [gained], uses)


def value_iteration(holders: tuple[Holder, Holder], first: int | None = None) -> list[Values]:
    """V of a small game: for each player to act, by the uses that it and the other have left.

    first : who began, where that matters
    """
    every: list[Values] = [{}, {}]
    pairs = list(product(*(range(holder.badge.uses + 1) for holder in holders)))
    for uses in pairs:
        turns = []
        for side in (0, 1):
            key = uses[side], uses[1 - side]
            own, others = holders[side].standings(key[0]), holders[1 - side].standings(key[1])
            every[side][key] = np.full((len(own), len(others)), 0.5)
            pair, goes_first = (holders[side], holders[1 - side]), first in {None, side}
            turns.append(Turns(*pair, every[1 - side], *key, goes_first=goes_first))
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
