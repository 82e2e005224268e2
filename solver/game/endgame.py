"""How games end: final turns, equal turns and play-offs.

A final turn is a turn with a target. What counts is the margin, the opponent's score less one's
own: more points than it win, as many are a tie, fewer are nothing. While the margin is at least
the least turn total that may be banked, only what is missing counts, so that one backward pass
over the greatest margin holds the final turns of all smaller ones.

In the middle of a turn a player may roll on beyond the goal. That stops to pay once the other
player's final turn has next to no chance: a farkle costs F * (bank - farkle), all further points
gain at most last(margin), the chance of the final turn. The value of a farkle leaves the other
player with a turn and the chance to reach the goal in it, which is of the order of last(missing).
So turn totals `beyond` the goal are enough if last(missing + beyond) is far below
F * last(missing), for the least risk F of any roll.

Where a game is defended, whoever is beaten by a margin has a final turn in return, so that a bank
that beats is worth 1 - last(its margin), and last = T(last). The more it is worth to be beaten, the
less a final turn is worth. So last lies between T(0), where nobody is ever beaten, and T(T(0)), and
between any two that follow one another: their distance is a proved bound of the error of both.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from solver.errors import InvalidRulesError
from solver.game.standings import Bools, Ints, all_standings, score_count, value_shape
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Endings, Floats, TurnPlan, TurnTable, solve_turn, turn_plan

_MARGIN_OF_SAFETY = 20
_NEGLIGIBLE = 1e-12

_NO_MARGIN = 1e-16
"""What a final turn at a margin may be worth, above one at the greatest, that is left out."""

_FAR = 10_000
"""Point steps behind at which final turns are told apart at most."""

_SETTLED = 1e-15
"""How much final turns in return, and chances that depend on themselves, may still differ."""

_MOST_STEPS = 100
"""Secant steps at most: rounding may go round."""

_APART = 1e-9
"""How far apart two values have to be so that the slope between them tells much."""

_STEEPEST = 1 - 1e-12
"""The most that a slope below 1 is taken for, which rounding may tell otherwise."""

_MOST_ROUNDS = 1000
"""Final turns in return after which what is still open would go on and on."""

_MOST_THROWS = 10_000
"""Throws of a turn after which it has not ended that would go on and on."""

NEXT_TO_NOTHING = 1e-15
"""Chance of a final turn to get as many points as the longest turn is beyond the goal, where fewer
dice left may be better than more points."""


@dataclass(frozen=True, slots=True, eq=False)
class Endgame:
    """The end of the games of a rule set, for one of the players or for both."""

    lasts: Floats
    """Win probability of the player who starts a final turn, at [uses left of a badge, whether on
    the board, margin in point steps]. All 0 where the goal wins at once."""
    beyond: int
    """Turn totals in point steps beyond the goal up to which a turn of anybody may go on, or from
    which on all are worth as much."""
    tie: float
    """Win probability of the player whose final turn ends in a tie."""
    outdone: Floats
    """What `last` is at a margin where a tie has lost, as there it has to be beaten as well."""

    @property
    def last(self) -> Floats:
        """Return what `lasts` are without a use of a badge, shape (2, margins)."""
        return np.asarray(self.lasts[0])

    def after_bank(self, points: Ints, lead: Ints | int, on_board: Bools | bool) -> Floats:
        """Return what the other player has who still has to beat the turn that reached the goal.

        points : of that turn, of a player who was so far ahead before, both in point steps; whoever
            was not has to beat the points of the turn, which are more than what the scores differ
        on_board : whether the other player is; all three are arrays that broadcast together
        """
        margins = np.minimum(points + np.maximum(lead, 0), self.last.shape[1] - 1)
        board = np.asarray(on_board, dtype=np.intp)
        lasts = self.last[board, margins], self.outdone[board, margins]
        return np.asarray(np.where(lead > 0, *lasts))


def endgame(rules: Ruleset, *, further: int = 0) -> Endgame:
    """The end of the games of a rule set, with turn totals so much `further` beyond the goal.

    Raises InvalidRulesError where turns could go on for ever without risk.
    """
    return endgames(rules, further=further)[0]


def endgames(
    rules: Ruleset, plans: Sequence[TurnPlan] = (), *, further: int = 0
) -> tuple[Endgame, ...]:
    """The end of the games of players with turns of their own, for each; without any for both.

    Raises what `endgame` does.
    """
    return _endgames(rules, tuple(plans) or (turn_plan(rules),), further)


@lru_cache(maxsize=RULESETS)
def endgame_taken_over(rules: Ruleset) -> Endgame:
    """The end of games in which turns may begin with what the player before left.

    Turns may go on for as long as more points can matter at all, as players roll on for fewer dice
    to leave. Raises what `endgame` does.
    """
    ends, further = endgame(rules), 0
    while np.max(ends.last[:, 1 + ends.beyond] - ends.last[:, -1]) > NEXT_TO_NOTHING:
        further += 50
        ends = endgame(rules, further=further)
    return ends


@lru_cache(maxsize=RULESETS)
def taken_finals(rules: Ruleset) -> Floats:
    """What it is worth in a final turn to roll dice that were taken over.

    Shape (point steps from what was taken over to a tie, numbers of dice); 0 where so many dice
    cannot be taken over.
    """
    step, tie = rules.point_step, endgame_taken_over(rules).tie
    most = score_count(rules) + rules.least_bank(on_board=False) // step
    least = rules.least_bank() // step
    plan = turn_plan(rules)
    table = FinalTurns(rules, plan, tie).table(most + least)
    worth: Floats = table.roll[0, least : least + most + 1, plan.usual][::-1].copy()
    worth[:, rules.take_over_dice :] = 0.0
    return worth


def taken_rows(rules: Ruleset) -> Ints:
    """Number of turn totals, from 0 up, at which each state may begin with what was left.

    Shape (roles, standings, opponent's standings), as of values; the last turn total stands for
    all that follow.
    """
    roles, standings, _ = value_shape(rules)
    goal, step = score_count(rules), rules.point_step
    beyond = 0 if rules.ending == "at_once" else endgame_taken_over(rules).beyond
    everyone = all_standings(rules)
    score, is_on = (everyone.score - rules.score_floor) // step, everyone.on_board
    may = is_on & (everyone.score >= rules.take_over_from)
    least, opening = (rules.least_bank(on_board=board) // step for board in (True, False))
    # what is left is handed on while scores fall, down to the floor
    score_then = 0 * score if rules.leaves_and_falls else score
    missing = np.maximum(goal - score_then, np.where(is_on, least, opening))
    counts = np.empty((roles, standings, standings), dtype=np.int64)
    for role in range(roles):
        own, theirs = (
            missing + (0 if rules.goal_ends_game(last_of_round=bool(who)) else beyond)
            for who in (role, (role + 1) % roles)
        )
        rows = np.maximum(own[:, np.newaxis], theirs)
        if rules.take_over == "banked":
            # nobody has banked more points than the score, from the floor up
            rows = np.minimum(own[:, np.newaxis], score)
        counts[role] = np.where(may[:, np.newaxis], rows + 1, 0)
    return counts


@lru_cache(maxsize=RULESETS)
def first_rows(rules: Ruleset) -> Ints:
    """Where the rows of each state begin, and after the last opponent's standing where they end.

    Shape (roles, standings, opponent's standings + 1); see `taken_rows`.
    """
    rows = taken_rows(rules)
    ends = np.cumsum(rows).reshape(rows.shape)
    begins = np.append(0, ends.ravel()[:-1]).reshape(rows.shape)
    return np.concatenate([begins, ends[..., -1:]], axis=-1)


def taken_shape(rules: Ruleset) -> tuple[int, int]:
    """Shape of what it is worth to roll on with what was left: (rows, numbers of dice)."""
    return int(taken_rows(rules).sum()), min(rules.dice, rules.take_over_dice)


@lru_cache(maxsize=RULESETS)
def _endgames(rules: Ruleset, plans: tuple[TurnPlan, ...], further: int) -> tuple[Endgame, ...]:
    reach = max(plan.farthest for plan in plans)
    goals = score_count(rules) + rules.least_bank(on_board=False) // rules.point_step
    if rules.ending == "at_once":
        # points beyond an exact goal are all alike, or matter until they leave or give nothing
        matters = rules.banks_may_fall or rules.gives
        beyond = score_count(rules) if matters else int(rules.is_exact)
        won = np.zeros((1 + max(plan.uses for plan in plans), 2, goals + reach + 1))
        return (Endgame(won, beyond, 0.0, won[0]),) * len(plans)
    finals = (turn_plan(rules.in_last_turns),) if rules.final_throws else plans
    pairs = list(zip(finals, reversed(finals), strict=True))
    # only turns after hot dice come on by more in one throw
    usual = reach // max((1, *rules.hot_dice_times))
    for far in (20, 200):
        margins = 2 * goals + far * usual + further
        ties = [_worth_of_tie(rules, *pair, margins) for pair in pairs]
        beaten = _beaten(rules, finals)
        players = [
            FinalTurns(rules, plan, tie, other)
            for plan, tie, other in zip(finals, ties, beaten, strict=True)
        ]
        lasts = [player.by_uses(margins) for player in players]
        limits = [
            _beyond(rules, leader, last[: len(last) - further], goals)
            for leader, by_uses in zip(reversed(plans), lasts, strict=True)
            for last in by_uses
        ]
        if None not in limits:
            break
    else:
        raise InvalidRulesError.say(
            "{rules}: rolling on is so safe under these rules that a turn may never end; with the"
            ' ending "{ending}" such a game cannot be solved',
            rules=rules.name,
            ending=rules.ending,
        )
    beyond = max(far for far in limits if far is not None) + further
    used = goals + beyond + reach + 1
    if rules.is_defended:
        used = max(used, *(len(other) for other in beaten if other is not None))
    ends = []
    for player, on_board in zip(players, lasts, strict=True):
        off_board, tie = on_board, player.tie
        if rules.has_opening:
            off_board = replace(player, on_board=False).by_uses(margins)
        last = np.stack([off_board[:, :used], on_board[:, :used]], axis=1)
        outdone = last[0]
        if tie and rules.beat_previous_turn:
            boards = (replace(player, tie=0.0, on_board=board) for board in (False, True))
            outdone = np.array([one.worth(margins)[:used] for one in boards])
        ends.append(Endgame(last, beyond, tie, outdone))
    return tuple(ends)


def _beaten(rules: Ruleset, plans: tuple[TurnPlan, ...]) -> Sequence[Floats | None]:
    """What a player's opponent has who is beaten, by the margin; None where that one has lost."""
    return defended(rules, plans)[0][::-1] if rules.is_defended else [None] * len(plans)


@lru_cache(maxsize=RULESETS)
def defended(
    rules: Ruleset, plans: tuple[TurnPlan, ...], slack: float = 0.0
) -> tuple[list[Floats], float]:
    """What final turns of a game that is defended are worth to each player, and what they are off.

    slack : by which bounds are moved apart, which makes what they are off a proved bound

    On the board, by the margin in point steps; what is beyond the last one is worth as much.
    Raises InvalidRulesError where such turns may go on for ever.
    """
    tie = 0.5 if rules.ties == "shared" else 0.0
    off, reach = 2.0, max(plan.reach for plan in plans)
    margins = 4 * score_count(rules) + 20 * reach
    while True:
        finals = [FinalTurns(rules, plan, tie).worth(margins) for plan in plans]
        if margins > _FAR or all(one[-1 - reach] - one[-1] <= _NO_MARGIN for one in finals):
            break
        margins *= 2
    # margins at which it hardly matters any more how far one is behind
    margins = max(int(np.argmax(one - one[-1] <= _NO_MARGIN)) for one in finals)
    finals = [one[: margins + 1] + slack for one in finals]
    for number in range(1, _MOST_ROUNDS):
        last = finals
        away = slack if number % 2 == 0 else -slack
        finals = [
            FinalTurns(rules, plan, tie, other).worth(margins) + away
            for plan, other in zip(plans, last[::-1], strict=True)
        ]
        pairs = [np.max(np.abs(one - other)) for one, other in zip(finals, last, strict=True)]
        before, off = off, float(max(pairs))
        if off <= _SETTLED or off >= before:  # the rest is rounding
            break
    if off > NEXT_TO_NOTHING**0.5:
        raise InvalidRulesError.say(
            "{rules}: both players beat each other's score so surely under these rules that a game"
            " that is defended may never end",
            rules=rules.name,
        )
    return [(one + other) / 2 for one, other in zip(finals, last, strict=True)], off


def _worth_of_tie(rules: Ruleset, chaser: TurnPlan, leader: TurnPlan, margins: int) -> float:
    """What `worth_of_tie` is of players with such turns."""
    return worth_of_tie(
        rules,
        lambda tie: FinalTurns(rules, chaser, tie).worth(margins),
        lambda second: float(play_off_turn(rules, leader, second).roll[0, 0, -1]),
    )


def worth_of_tie(
    rules: Ruleset, second: Callable[[float], Floats], first: Callable[[Floats], float]
) -> float:
    """Win probability of the player whose final turn ends in a tie.

    second : what that one has in a final turn by the margin, given what a tie is worth
    first : what the other one has as the first player of a play-off, given that
    """
    if rules.ties == "played_on":
        # who does not draw level goes first, and what a tie leads to again is the same
        values = fixed_point(lambda x: np.array([first(second(1 - float(x[0])))]), np.full(1, 0.5))
        return 1 - float(values[0])
    return 0.5 if rules.ties == "shared" else 0.0


@lru_cache(maxsize=512)
def last_turn(
    rules: Ruleset,
    to_beat: int | None,
    *,
    on_board: bool,
    least: int = 0,
    further: int = 0,
    plans: tuple[TurnPlan, ...] = (),
) -> TurnTable:
    """The table of a final turn, or of a turn of a play-off.

    to_beat : points of which as many are a tie, more than 0 but in a play-off; None for the first
        turn of a play-off
    least : points that a bank has to have, if more than one that wins
    further : turn totals more, in point steps, that the first turn of a play-off is to hold
    plans : the turns of this player and of the other, where they have their own
    """
    ends = endgames(rules, plans, further=further)
    own, *others = plans or (turn_plan(rules.in_last_turns),)
    if to_beat is None:
        second = FinalTurns(rules, others[0] if others else own, ends[-1].tie)
        return play_off_turn(rules, own, second.worth(ends[0].last.shape[1] - 1))
    step, beaten = rules.point_step, _beaten(rules, plans or (own,))[0]
    turns = FinalTurns(rules, own, ends[0].tie, beaten, on_board=on_board)
    return turns.table(to_beat // step, least // step)


@dataclass(frozen=True, slots=True, eq=False)
class FinalTurns:
    """The final turns of a player, or the second turns of a play-off.

    What is missing to a tie is the margin, in point steps; 0 only in a play-off.
    """

    rules: Ruleset
    plan: TurnPlan
    tie: float
    """Win probability of the player after a tie."""
    beaten: Floats | None = None
    """What the other player has at the start of a final turn in return, by the margin, of which the
    last stands for all beyond; None where who is beaten has lost."""
    on_board: bool = field(default=True, kw_only=True)

    @property
    def least(self) -> int:
        """Return the least bank of who wins, in point steps."""
        return self.rules.least_bank(on_board=self.on_board, wins=True) // self.rules.point_step

    def table(self, margin: int, least: int = 1) -> TurnTable:
        """Return the table of the turn with a margin.

        least : point steps that a bank has to have beside the minimums
        """
        least = max(least, self.least)
        beaten = np.zeros(1) if self.beaten is None else self.beaten
        bank = np.zeros(max(margin + 1, least) + len(beaten) - 1 + self.plan.reach)
        bank[margin] = self.tie
        bank[margin + 1 :] = 1 - beaten.take(np.arange(1, len(bank) - margin), mode="clip")
        farkle = np.full(len(bank), self.tie if margin == 0 else 0.0)
        return turn_from(self.rules, self.plan, least, bank, farkle)

    def worth(self, margins: int) -> Floats:
        """Return the win probability at the start of a turn for the margins 0 .. `margins`."""
        least, last = self.least, np.empty(margins + 1)
        longest = self.table(margins)
        last[::-1] = longest.roll[0, : margins + 1, -1]
        last[0] = self.table(0).roll[0, 0, -1]
        end = len(longest.ends.bank) - 1
        for margin in range(1, min(least, margins) + 1):
            # from the least bank on it is as where the margin is more, and the turn total as well
            rows = np.minimum(margins - margin + np.arange(least + self.plan.reach), end)
            bank, farkle = longest.ends.bank[rows], longest.ends.farkle[rows]
            bank[:least], farkle[:least] = np.nan, 0.0
            ends = Endings.alone(bank, farkle, 0.0)
            table = solve_turn(self.plan, ends, longest.roll[:, rows[least:]])
            last[margin] = min(table.roll[0, 0, -1], 1.0)
        return last

    def by_uses(self, margins: int) -> Floats:
        """Return `worth` by the uses that are left of a badge, shape (uses + 1, margins + 1)."""
        bare, cells = self.worth(margins), self.plan.cells
        if cells is None:
            return bare[np.newaxis]
        if cells.power.is_of_bank:
            # the least turn total that then is more is as one more than the margin
            raised = np.array(cells.raised(margins + 2))
            least = np.searchsorted(raised, np.arange(margins + 1), side="right") - 1
            alone = replace(self, tie=0.0, beaten=None).worth(margins)
            ties = raised[least] == np.arange(margins + 1)
            return np.stack([bare, np.where(ties, bare[least], alone[least])])
        chances = np.tile(bare, (cells.layers, 1))
        most = min(margins, self.least)
        for margin in [*range(1, most + 1), margins]:
            ends = replace(self, beaten=None).table(margin).ends
            turn = cells.turn(len(ends.bank) - self.plan.reach)
            for layer in range(cells.layers):
                values = turn.solve(layer, ends).win_probability[0, :, -1]
                here = values[: margin - most][::-1] if margin == margins else values[:1]
                chances[layer, margin - len(here) + 1 : margin + 1] = here
        return chances[np.minimum(np.arange(cells.uses + 1), cells.layers - 1)]


def play_off_turn(rules: Ruleset, plan: TurnPlan, second: Floats) -> TurnTable:
    """The first turn of a play-off, given the second's win probability by the margin."""
    least = rules.least_bank(wins=True) // rules.point_step
    bank = 1 - second
    farkle = np.full(len(bank), bank[0])
    return turn_from(rules, plan, least, bank, farkle)


def turn_from(
    rules: Ruleset, plan: TurnPlan, least: int, bank: Floats, farkle: Floats
) -> TurnTable:
    """A turn with these values of a bank and of a farkle by the turn total; `least` to bank."""
    if rules.farkle_keeps_turn_total:
        farkle[least:] = bank[least:]
    bank[:least] = np.nan
    return solve_turn(plan, Endings.alone(bank, farkle, farkle[0] if rules.spares_farkles else 0.0))


def fixed_point(g: Callable[[Floats], Floats], x: Floats) -> Floats:
    """Chances x = g(x), each of which depends on itself alone, such as that to win a play-off.

    g is piecewise linear with slopes below 1, the chances to come there again, so that secant steps
    find them.
    """
    last, last_image, image, slope = x, x, g(x), np.zeros(len(x))
    for _ in range(_MOST_STEPS):
        if np.max(np.abs(image - x)) <= _SETTLED:
            break
        apart = x - last
        tells = np.abs(apart) > _APART
        slope[tells] = ((image - last_image)[tells] / apart[tells]).clip(0.0, _STEEPEST)
        last, last_image = x, image
        x = (x + (image - x) / (1 - slope)).clip(0.0, 1.0)
        image = g(x)
    return image


def _beyond(rules: Ruleset, plan: TurnPlan, last: Floats, goals: int) -> int | None:
    """Turn totals beyond the goal that are worth rolling for, see above; None if too many."""
    risks = plan.in_vain
    risk = min(risks[risks > 0], default=0.0) / _MARGIN_OF_SAFETY
    # what is left at any margin is the chance of a roll that wins, for which both may roll on
    hopes = bool(np.any(plan.win_chances))
    by_points = last - last[-1] if hopes else last
    if rules.is_defended:
        # further behind may be better: what beats then leaves the other one less to answer it with
        by_points = np.maximum.accumulate(np.abs(by_points)[::-1])[::-1]
    now = last[1:goals]
    # cells from there on lead to themselves, however often they are rolled for a win
    nearest = 0 if plan.cells else _rolled_for_a_win(plan, float(last[-1]))
    if rules.final_throws and hopes and not rules.is_defended:
        # who rolls on for a win goes as far as any turn, not as one throw
        nearest = max(nearest, endgame(rules.model_copy(update={"final_throws": 0})).beyond)
    for beyond in range(nearest, len(last) - goals - plan.reach - 1):
        later = by_points[1 + beyond : goals + beyond]
        most = float(np.max(np.divide(later, now, where=now > 0, out=np.zeros_like(now))))
        error = by_points[beyond] * (1.0 if hopes else most)
        if most <= risk and (error <= _NEGLIGIBLE or not _carries_on(rules, plan)):
            return beyond
    return None


def _rolled_for_a_win(plan: TurnPlan, hopeless: float) -> int:
    """Point steps that turns hardly ever get past where rolls that win are better than to bank.

    hopeless : chance of a final turn in which no points are enough

    0 where they are not. Whoever banks beyond all points wins unless the other one rolls a win, and
    whoever farkles has at most what is left if both go on for such rolls.
    """
    bank, farkle = 1 - hopeless, (1 - hopeless) / (2 - hopeless)
    # before a first throw, which may have chances of its own, there is nothing to bank
    later = slice(plan.columns - plan.width * (plan.memories[-1].throws > 0))
    vain, wins = plan.in_vain[later], plan.win_chances[later]
    if np.all(wins * (1 - bank) <= vain * (bank - farkle)):
        return 0
    column, throws = (plan.targets % plan.columns)[plan.options], 0
    survives = np.ones(plan.columns)
    while np.max(survives) > _NEGLIGIBLE and throws < _MOST_THROWS:
        survives = plan.chances @ np.maximum.reduceat(survives[column], plan.starts)
        throws += 1
    return plan.reach * throws


def _carries_on(rules: Ruleset, plan: TurnPlan) -> bool:
    """Whether it may be right to roll whatever the turn total.

    Then it must not matter how far that leads.
    """
    safe = np.any(plan.in_vain == 0)
    hopes = np.any(plan.win_chances)
    carries_on = rules.farkle_keeps_turn_total or plan.cells is not None
    return bool(not plan.may_bank.all() or carries_on or safe or hopes)
