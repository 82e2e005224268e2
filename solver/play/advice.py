"""A position and a roll in, ranked options out: exact win probabilities of every choice.

With the best of them comes why it is best to bank, or to roll: the one thing that would turn the
decision around.

A reason is never guessed. One thing of the position is changed, the turn is solved again, and if
the decision is another one then, that thing is what decides. In this order:

1. Where banking is not allowed there is no choice. Where the bank wins, that is why. EVEN: both
   choices win equally often; in a last turn what there is to beat says why. BEYOND: a bank goes
   beyond a goal that has to be met exactly. In a last turn what there is to beat decides, and where
   the bank reaches the goal the turn that it leaves the opponent; in the last round so does that
   turn, if 2 does not.
2. FARKLES: banked, and rolled if farkles in a row did not count after this turn.
   CAUGHT: banked, and rolled if the other player, who is caught up, did not fall back.
3. LEFT: the other choice is best if the next player could take over nothing that this turn leaves.
4. POINTS: a turn for the most points, from which the goal is as far as from a score of 0, decides
   the same. That is the plain balance of points.
5. NEED: rolled though points say bank, and banked if the opponent had no points.
6. GOAL: banked though points say roll; they say bank where points beyond the goal do not count, and
   with both scores at 0 it is best to roll.
7. LEAD or THEIR_SCORE: banked though points say roll, and rolled if both scores were equal; the
   first for the player who is ahead.
8. GOAL: with both scores at 0 the other choice is best.
9. TOGETHER: none of these by itself turns the decision around.

Where the game has rounds in place of a goal, 5 to 8 are one: LEAD or BEHIND, where the decision is
another one at equal scores. Scores below 0 stay where they are in 5, 6 and 8.

A position and a roll are also written in a few characters, by which they are asked about again
anywhere: `CZT1-7YZ9-SYP`. These are Crockford's base 32 (https://www.crockford.com/base32.html),
which has no letters that look like digits. The first three are of the digest of the rules but their
goal, the last one is of a checksum of the others, and those between are one number in a mixed
radix: the goal, where it is not that of a preset with such rules, what was rolled or how many dice
are to roll, what else the rules make matter, the scores, and the turn total.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache, partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from solver.errors import InvalidRequestError
from solver.game.best import BestPlay
from solver.game.endgame import turn_from
from solver.game.position import (
    Position,
    first_position,
    highest_score,
    points_to_beat,
    rules_at,
)
from solver.game.standings import Ints, after_turns, many
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import FACES, MAX_POINTS, RULESETS, Ruleset
from solver.turn.dice import Fate, Remaining, Roll, TurnState, dice_set, make_roll
from solver.turn.equations import (
    EVEN,
    LEAST_GAIN,
    Decision,
    Floats,
    TurnPlan,
    TurnTable,
    solve_turn,
)
from solver.turn.points import TurnEnds, points_table, turn_outcome

if TYPE_CHECKING:
    from solver.loaded.power_turn import PowerTurn
    from solver.turn.powers import PowerKind


_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_USUAL_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
_READ = {digit: value for value, digit in enumerate(_DIGITS)} | {"O": 0, "I": 1, "L": 1}
_NEVER = 1e-15
"""The chance up to which an ending is what rounding leaves of a turn that goes on for ever."""
_BEFORE = r"(?i)\W*(?:position|stellung)\b:?(?=\W)"
_BLANKS = r"[\s\-\u2010-\u2015\u2212]+"
"""Blanks, hyphens, dashes and the minus sign."""
_BESIDE = " \t\n.,;:!?…`*()\"'"
_RULES = 3
"""Characters that tell the rules apart."""
_MOST = 40
"""Characters that are read at all."""
_GROUP = 4
"""Characters between hyphens."""
_LOWEST = 10_000
"""Scores may be so far below 0, or as far as the goal is above it."""


class Reason(StrEnum):
    """What decides between bank and roll, see above."""

    NO_CHOICE = "no choice"
    WINS = "the bank wins"
    EVEN = "equal"
    BEYOND = "beyond the goal"
    LAST_TURN = "last turn"
    THEIR_LAST_TURN = "their last turn"
    FARKLES = "farkles in a row"
    CAUGHT = "they are caught up"
    LEFT = "what is left to them"
    POINTS = "points"
    NEED = "need of points"
    GOAL = "the goal"
    LEAD = "lead"
    BEHIND = "behind"
    THEIR_SCORE = "their score"
    TOGETHER = "nothing by itself"


@dataclass(frozen=True, slots=True)
class Why:
    """Bank or roll in one state of a turn, what each is worth, and what decides."""

    reason: Reason
    action: Decision
    turn_total: int
    dice: Remaining
    """The dice that are to be rolled."""
    bank: float | None
    """Win probability of banking; None where that is not allowed."""
    roll: float
    """Win probability of rolling."""
    farkle_probability: float
    """The chance that the next roll is a farkle."""
    points_of_rolling: float
    """What a turn for the most points, far from the goal, adds to the score on average if it is
    rolled here; a bank adds the turn total."""


@dataclass(frozen=True, slots=True)
class BadgeUse:
    """What a badge that is used up allows at some moment."""

    kind: "PowerKind"
    win_probability: float
    """The win probability of this use."""
    without: float
    """The win probability of the best choice without it at that moment; it may be used later."""
    dice: Roll = ()
    """The dice that are set aside for twice their points, turned, or rolled again."""
    turn_total: int | None = None
    """The turn total that the use leads to, if that is certain."""

    @property
    def is_better(self) -> bool:
        """Whether it is better than anything else."""
        return self.win_probability > self.without + LEAST_GAIN


@dataclass(frozen=True, slots=True)
class Option:
    """One set-aside of a roll, and what follows it."""

    set_aside: Roll
    points: int
    turn_total: int
    dice_left: Remaining
    """Dice to roll next if the turn goes on; all of them with hot dice."""
    to_confirm: int
    """What is then left to be confirmed before the turn may be banked, see `Ruleset.needs`."""
    held_set: Roll
    """The set that is then held, where the rules know of sets."""
    action: Decision
    win_probability: float
    chances: tuple[float, ...]
    """Win probabilities of all players, in the order of turns."""
    with_badge: bool = False
    """Whether a badge is best used before the bank or roll that follows."""
    freed: Roll = ()
    """Dice of the roll that count with those set aside and are rolled again."""
    ends: TurnEnds | None = None
    """How the turn then ends, where that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """The answer to a question about one position, for its mover."""

    rules: Ruleset
    position: Position
    win_probability: float
    """The mover's chance to win with the best choice, without a badge that is used on the roll."""
    chances: tuple[float, ...]
    """Win probabilities of all players then, in the order of turns."""
    reachable: bool = True
    """Whether rolls lead to the position; its values say what it would be worth all the same."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""
    why: Why | None = None
    """What decides between bank and roll with the best choice, where that was asked for."""
    brought: Any = None
    """What players bring, as who asks names it; None where all throw the dice of the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice(_Answer):
    """Every choice after a roll, best first; none for a farkle.

    Values are those without a use of a badge on the roll itself.
    """

    roll: Roll
    fate: Fate
    farkle: bool
    keeps_turn_total: bool
    """Whether the roll is a farkle that banks the turn total."""
    options: tuple[Option, ...]
    uses: tuple[BadgeUse, ...] = ()
    """What a badge allows on the roll, the best first."""
    is_again: bool = False
    """Whether the roll is a farkle after which the dice are thrown again."""

    def after(self, option: Option) -> TurnState:
        """Return where the turn stands after a choice."""
        hot_dice = self.position.hot_dice + (option.set_aside == self.roll)
        throws = self.position.turn.throws + (rules_at(self.rules, self.position).throws > 0)
        so_far = option.turn_total, option.dice_left, hot_dice, option.to_confirm, throws
        return TurnState(*so_far, option.held_set)

    @property
    def best_use(self) -> BadgeUse | None:
        """Return the use of a badge on the roll that is better than anything else, if one is."""
        return self.uses[0] if self.uses and self.uses[0].is_better else None

    @property
    def best(self) -> float:
        """Return the win probability of the mover with the best that there is."""
        return max([self.win_probability, *(use.win_probability for use in self.uses)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds(_Answer):
    """The decision before a roll; rolling and banking are without a badge that is used up."""

    action: Decision
    roll: float
    """Win probability of rolling."""
    bank: float | None
    """Win probability of banking; None where the turn total may not be banked."""
    farkle_probability: float
    """Chance that the next roll is a farkle."""
    instant_win_probability: float
    """Chance that the next roll wins the game at once."""
    lose_everything_probability: float
    """Chance that the next roll loses everything."""
    roll_chances: tuple[float, ...]
    bank_chances: tuple[float, ...] | None
    use: BadgeUse | None = None
    """What a badge allows before the roll, or after a farkle of it."""
    take_over: float | None = None
    """Win probability of rolling on with what the player before left; None where nothing is."""
    leaving: float | None = None
    """The win probability that a bank loses as the next player may take over what it leaves."""

    @property
    def use_now(self) -> BadgeUse | None:
        """Return what a badge allows before the roll; after a farkle it is no decision of now."""
        return self.use if self.use and self.use.kind != "resurrection" else None


Answer = TypeVar("Answer", Advice, Odds)


def advise(strategy: BestPlay, position: Position, roll: Roll, misses: int = 0) -> Advice:
    """Rank the set-asides of `roll`, made with the dice of the position, for the mover.

    misses : how often these dice have farkled before, where they are thrown again

    Options that are equal for the mover come in the order of solver.turn.equations. Raises
    InvalidPositionError and InvalidRollError for what cannot be, and StrategyFileError.
    """
    rules, me, turn = strategy.rules, position.mover, position.turn
    hand = strategy.hand_at(position)
    table = strategy.turn(position)
    layers: PowerTurn | None = strategy.power_turn(position)
    hand.check_roll(turn.dice, roll)
    fallen = hand.fate(roll, turn)
    tries = rules.tries(len(roll), first=turn.is_first)
    is_again = fallen is Fate.FARKLE and misses + 1 != tries

    def by_seat(values: Floats) -> tuple[float, ...]:
        return tuple(strategy.by_seat(position, values).tolist())

    options = []
    for kept in hand.set_asides(roll, turn) if fallen is Fate.SCORES else ():
        after = hand.after(turn, kept)
        chances = by_seat(table.values_at(after))
        options.append(
            Option(
                set_aside=kept.dice,
                points=after.turn_total - turn.turn_total,
                turn_total=after.turn_total,
                dice_left=after.dice,
                to_confirm=after.to_confirm,
                held_set=after.held_set,
                action=table.decision(after),
                win_probability=chances[me],
                chances=chances,
                with_badge=layers is not None and layers.uses_now(after),
                freed=kept.freed,
            )
        )
    best = max((option.win_probability for option in options), default=0.0)
    options.sort(key=partial(_rank, best))
    if options:
        chances = options[0].chances
    else:
        chances = by_seat(_unscored(table, turn, fallen, misses, tries))
    # hot dice aside, which a farkle keeps though they may not be banked
    keeps = rules.farkle_keeps_turn_total and table.may_bank(turn.turn_total) and not is_again
    keeps = keeps and not rules.goes_beyond(position.banked + turn.turn_total)
    advice = Advice(
        rules=rules,
        position=position,
        roll=roll,
        fate=fallen,
        farkle=fallen is Fate.FARKLE,
        keeps_turn_total=fallen is Fate.FARKLE and keeps,
        win_probability=chances[me],
        chances=chances,
        options=tuple(options),
        reachable=strategy.is_reachable(position),
        within=strategy.within,
        is_again=is_again,
    )
    if layers is None:
        return advice
    from solver.play.badge_uses import uses_on_roll  # noqa: PLC0415 - 16 ms, of own dice

    return replace(advice, uses=uses_on_roll(layers, advice))


def _unscored(table: TurnTable, turn: TurnState, fallen: Fate, misses: int, tries: int) -> Floats:
    """What a roll that scores nothing is worth, as a turn's values.

    misses : how often these dice have farkled before, of so many tries, 0 of which are any number
    """
    won: Floats = np.eye(table.values.shape[-1])[0]
    match fallen:
        case Fate.FARKLE if misses + 1 != tries:  # they are thrown again
            return table.after_misses(turn, misses + 1, tries)
        case Fate.FARKLE:
            return table.farkle_values(turn)
        case Fate.LOSES:
            return table.ends.lost
        case Fate.WINS:
            return won
    return np.asarray(1 - won)


def best_after(
    strategy: BestPlay, table: TurnTable, position: Position, roll: Roll, misses: int = 0
) -> Floats:
    """Return what a roll is worth with the best choice for the mover of two, as a turn's values.

    table : the turn of the position, which is that before the roll
    misses : how often these dice have farkled before

    That is the win probability of `advise`, without what else there was to choose, and without
    badges that are used on rolls.
    """
    turn, hand = position.turn, strategy.hand_at(position)
    fallen = hand.fate(roll, turn)
    if fallen is not Fate.SCORES:
        tries = strategy.rules.tries(len(roll), first=turn.is_first)
        return _unscored(table, turn, fallen, misses, tries)
    choices = (table.values_at(hand.after(turn, kept)) for kept in hand.set_asides(roll, turn))
    return max(choices, key=lambda values: float(values[0]))


def _rank(best: float, option: Option) -> tuple[float, ...]:
    """Return what options are sorted by, given what the best is worth to the mover."""
    own = option.win_probability
    if len(option.chances) == 2:
        return -own, -option.points
    return -(best if own >= best - EVEN else own), -option.points, -option.dice_left


def odds(strategy: BestPlay, position: Position) -> Odds:
    """Weigh rolling against banking, both without a badge that is used up.

    Raises InvalidPositionError and StrategyFileError.
    """
    turn, me = position.turn, position.mover
    table = strategy.turn(position)
    column = table.plan.column(turn)
    rolled, banked = strategy.without_badge(position)
    chances, roll = (
        tuple(strategy.by_seat(position, values).tolist())
        for values in (table.values_at(turn), rolled)
    )
    bank = None if banked is None else tuple(strategy.by_seat(position, banked).tolist())
    layers: PowerTurn | None = strategy.power_turn(position)
    weighed = Odds(
        rules=strategy.rules,
        position=position,
        action=table.decision(turn),
        win_probability=chances[me],
        roll=roll[me],
        bank=None if bank is None else bank[me],
        farkle_probability=float(table.plan.farkle_chances[column]),
        instant_win_probability=float(table.plan.win_chances[column]),
        lose_everything_probability=float(table.plan.lose_chances[column]),
        chances=chances,
        roll_chances=roll,
        bank_chances=bank,
        reachable=strategy.is_reachable(position),
        within=strategy.within,
    )
    if strategy.rules.takes_over:
        return _with_what_is_left(strategy, weighed)
    if layers is None:
        return weighed
    from solver.play.badge_uses import use_before_roll  # noqa: PLC0415 - 16 ms, of own dice

    return replace(weighed, use=use_before_roll(layers, weighed))


def _with_what_is_left(strategy: BestPlay, weighed: Odds) -> Odds:
    """Return odds with what the player before left, and with what a bank leaves to the next one."""
    position = weighed.position
    if (offered := position.offered) is not None:
        taken = float(strategy.turn(position).roll_values(offered)[0])
        is_better = taken > weighed.roll
        return replace(
            weighed,
            take_over=taken,
            action=Decision.TAKE_OVER if is_better else weighed.action,
            win_probability=max(taken, weighed.roll),
            chances=tuple(strategy.chances(position).tolist()),
        )
    rules, other = strategy.rules, position.other
    may_take = rules.may_take_over(other.score, on_board=other.on_board)
    leaves = rules.take_over in {"banked", "both"} and position.dice <= rules.take_over_dice
    if not (may_take and leaves) or weighed.bank in {None, 1}:
        return weighed
    alone = strategy.turn_left_alone(position).bank_value(position.turn)
    return replace(weighed, leaving=max(0.0, (alone or 0.0) - (weighed.bank or 0.0)))


def best_use(strategy: BestPlay, position: Position, roll: Roll | None) -> Roll | None:
    """Return the dice of the roll, if one lies there, on which a badge is best used now.

    () where it is used on none, None where it is kept. Raises what `advise` raises.
    """
    if roll is None:
        layers: PowerTurn | None = strategy.power_turn(position)
        return () if layers is not None and layers.uses_now(position.turn) else None
    use = advise(strategy, position, roll).best_use
    if use is None:
        return None
    return () if use.kind == "resurrection" else use.dice


def with_why(strategy: BestPlay, answer: Answer) -> Answer:
    """Return advice or odds with what decides between bank and roll.

    Those of a farkle, and of more than two players, are returned as they are.
    """
    if strategy.players > 2:
        return answer
    position = answer.position
    if isinstance(answer, Advice):
        if not answer.options:
            return answer
        position = replace(position, turn=answer.after(answer.options[0]))
    return replace(answer, why=why(strategy, position))


def with_endings(strategy: BestPlay, advice: Advice) -> Advice:
    """Return advice with the chances of how the turn ends after each choice.

    It is returned unchanged if a badge may be used in the turn. Raises StrategyFileError.
    """
    position = advice.position
    if strategy.power_turn(position) is not None:
        return advice
    table, rules = strategy.turn(position).of_mover, advice.rules
    known: dict[TurnState, TurnEnds] = {}

    def brought(totals: Ints, *, farkles: bool = False) -> Ints:
        """What banks bring; beyond a goal that has to be met exactly that is not as many points."""
        if not rules.is_exact:
            return totals
        before = many(position.own, len(totals))
        after = after_turns(rules, before, totals, farkles=False, loses=False)
        nothing = farkles & (before.score + totals > rules.goal)
        return np.where(nothing, 0, after.score - before.score)

    def ends(option: Option) -> TurnEnds:
        if option.action is not Decision.ROLL:
            [points] = brought(np.array([option.turn_total])).tolist()
            return TurnEnds(0.0, ((points, 1.0),), 0.0, 0.0)
        state = advice.after(option)
        if state not in known:
            outcome = turn_outcome(rules, table, state)
            totals = np.arange(len(outcome.banked)) * rules.point_step
            # a farkle that keeps the turn total banks it
            kept = np.arange(len(outcome.farkled))[1:] * rules.point_step
            points = np.concatenate([brought(totals), brought(kept, farkles=True)])
            each, which = np.unique(points, return_inverse=True)
            chances = np.bincount(which, np.concatenate([outcome.banked, outcome.farkled[1:]]))
            falls = np.flatnonzero(chances > _NEVER)
            banked = tuple(zip(each[falls].tolist(), chances[falls].tolist(), strict=True))
            known[state] = TurnEnds(float(outcome.farkled[0]), banked, outcome.wins, outcome.loses)
        return known[state]

    return replace(
        advice, options=tuple(replace(option, ends=ends(option)) for option in advice.options)
    )


def why(strategy: BestPlay, position: Position) -> Why:
    """What decides between bank and roll before a roll; the position must be possible.

    Raises StrategyFileError as `Strategy.turn` does.
    """
    turn, table = position.turn, strategy.turn_of_checked(position)
    score = _counted(strategy.rules, position)
    far = _far_turn(
        strategy.rules, strategy.plan(position.mover), score, on_board=position.on_board
    )
    return Why(
        reason=_plain_reason(strategy.rules, position, table)
        or _turning(strategy, position, table, far),
        action=table.decision(turn),
        turn_total=position.turn_total,
        dice=position.dice,
        bank=table.bank_value(turn),
        roll=table.roll_value(turn),
        farkle_probability=float(table.plan.farkle_chances[table.plan.column(position.turn)]),
        points_of_rolling=far.roll_value(turn) * (score + strategy.rules.winning_score) - score,
    )


def _plain_reason(rules: Ruleset, position: Position, table: TurnTable) -> Reason | None:
    """The reason where it can be read off the position."""
    must_bank = table.plan.must_bank[table.plan.column(position.turn)]
    bank = table.bank_value(position.turn)
    if must_bank or bank is None:
        return Reason.NO_CHOICE
    if table.decision(position.turn) is Decision.WIN:
        return Reason.WINS
    after = position.banked + position.turn_total
    is_beyond = rules.goes_beyond(after)
    beat = None if is_beyond else points_to_beat(rules, position.against_leader)
    is_even = abs(bank - table.roll_value(position.turn)) <= EVEN
    ties = position.turn_total == beat
    if beat is not None and (position.turn_total < beat or (ties and not is_even)):
        return Reason.LAST_TURN
    if is_even:
        return Reason.EVEN
    if is_beyond:
        return Reason.BEYOND
    # with more than there is to beat it is still to be decided where the game is defended
    they_follow = beat is not None or after >= rules.winning_score
    return Reason.THEIR_LAST_TURN if they_follow else None


def _turning(strategy: BestPlay, position: Position, table: TurnTable, far: TurnTable) -> Reason:
    """What turns the decision around, else the plain balance of points."""
    rules, rolls = strategy.rules, _rolls(table, position)
    counts = not rolls and rules.farkle_penalty is not None and position.turns_left != 1
    if counts and _rolls_without_count(strategy, position, table):
        return Reason.FARKLES
    if not rolls and rules.caught_up and _rolls(_without_fall(strategy, position, table), position):
        return Reason.CAUGHT
    if rules.takes_over and _rolls(strategy.turn_left_alone(position), position) != rolls:
        return Reason.LEFT
    if 1 < position.turns_left <= len(position.players):
        return Reason.THEIR_LAST_TURN
    if _rolls(far, position) == rolls:
        return Reason.POINTS
    own, opponent = position.banked, position.opponent
    away = min(own, 0), min(opponent, 0)
    tests = [(Reason.GOAL, away)]
    if rules.rounds:
        # of the scores only the lead matters
        tests = [(Reason.LEAD if own > opponent else Reason.BEHIND, (own, own))]
    elif rolls:
        tests.insert(0, (Reason.NEED, (own, away[1])))
    else:
        tests.insert(0, (Reason.LEAD if own > opponent else Reason.THEIR_SCORE, (own, own)))
        points = points_table(rules, strategy.plan(position.mover), own, on_board=position.on_board)
        if not _rolls(points, position):
            tests.insert(0, (Reason.GOAL, away))
    turned = (reason for reason, scores in tests if _rolls_at(strategy, position, *scores) != rolls)
    return next(turned, Reason.TOGETHER)


def _rolls(table: TurnTable, position: Position) -> bool:
    return table.decision(position.turn) is Decision.ROLL


def _rolls_at(strategy: BestPlay, position: Position, own: int, opponent: int) -> bool:
    """Whether a state of a turn is rolled at other scores. Points of others mean on the board."""
    players = [
        replace(standing, score=opponent, on_board=standing.on_board or opponent > 0)
        for standing in position.players
    ]
    players[position.mover] = replace(position.own, score=own)
    other = replace(position, players=tuple(players))
    return _rolls(strategy.turn_of_checked(other), other)


def _handed_on(strategy: BestPlay, position: Position) -> float:
    """What the mover is left with once the next player begins a turn, all else being the same."""
    following = position.in_order[1]
    turn, left = TurnState(0, strategy.whole(following)), position.rounds_after
    after = replace(position, mover=following, turn=turn, rounds_left=left)
    return float(strategy.by_seat(after, strategy.start_values(after))[position.mover])


def _without_fall(strategy: BestPlay, position: Position, table: TurnTable) -> TurnTable:
    """The turn if a bank of its turn total left the other player's score as it is."""
    banks = table.ends.banks.copy()
    score = position.banked + position.turn_total
    after = position.change(farkles=0, banked=score, on_board=True)
    banks[position.turn_total // strategy.rules.point_step] = _handed_on(strategy, after)
    return solve_turn(table.plan, table.ends._replace(banks=banks))


def _rolls_without_count(strategy: BestPlay, position: Position, table: TurnTable) -> bool:
    """Whether a bank would be a roll if a farkle left the score and no farkles in a row."""
    rules = strategy.rules
    bank = table.ends.bank
    farkle = np.full(len(bank), _handed_on(strategy, position.change(farkles=0)))
    if rules.farkle_keeps_turn_total:
        scores = position.banked + np.arange(len(bank)) * rules.point_step
        lost = np.isnan(bank) | (rules.is_exact & (scores > rules.goal))
        farkle = np.where(lost, farkle, bank)
    # rolling gains no more than a farkle does, so that most turns need not be solved for it
    most = table.roll_value(position.turn) + float(np.max(farkle.T - table.ends.farkle.T))
    if most < (table.bank_value(position.turn) or 0.0):
        return False
    ends = table.ends._replace(farkles=farkle[:, np.newaxis])
    return _rolls(solve_turn(table.plan, ends), position)


def _counted(rules: Ruleset, position: Position) -> int:
    """The score as far as it matters in points: where a roll may take it."""
    return max(position.banked, 0) if "loses_score" in rules.decisive else 0


@lru_cache(maxsize=64)
def _far_turn(rules: Ruleset, plan: TurnPlan, score: int, *, on_board: bool) -> TurnTable:
    """The table of a turn for most points that lacks all points to the goal.

    Values are expected scores after it, as a share of score and goal together; of
    solver.turn.points otherwise.
    """
    step = rules.point_step
    least = rules.least_bank(on_board=on_board) // step
    missing, banked = rules.winning_score // step, score // step
    rows = max(missing, least) + plan.reach
    bank = (banked + np.minimum(np.arange(rows), missing)) / (banked + missing)
    farkle = np.full(rows, banked / (banked + missing))
    return turn_from(rules, plan, least, bank, farkle)


class PositionId(NamedTuple):
    """What the characters hold before the rules are known."""

    text: str
    rules: int
    number: int
    """All but the goal."""
    goal: int | None
    """None for that of a preset."""

    def is_of(self, rules: Ruleset) -> bool:
        """Whether the rules are those of the position, but for their goal."""
        return _key(rules.digest_but_goal) == self.rules

    def goal_of(self, rules: Ruleset) -> int:
        """The goal under such rules."""
        return self.goal or _usual_goal(rules.digest_but_goal, rules.name) or rules.goal

    def position(self, rules: Ruleset) -> tuple[Position, Roll | None]:
        """The position under its rules, whose goal is the right one, and what was rolled.

        The position is not checked; rules that only look like those of the position give nonsense.
        """
        rest, digits = self.number, dict[str, int]()
        for name, (radix, _) in _digits(rules, first_position(rules)).items():
            rest, digits[name] = divmod(rest, radix)
        rolls, step, low = _every_roll(rules.dice), rules.point_step, _lowest(rules)
        what = digits["rolled"]
        roll = rolls[what] if what < len(rolls) else None
        position = Position.of_two(
            banked=low + digits["own"] * step,
            opponent=low + digits["opponent"] * step,
            turn_total=rest * step,
            farkles=digits["farkles"],
            opponent_farkles=digits["opponent_farkles"],
            dice=len(roll) if roll else what - len(rolls) + 1,
            hot_dice=digits["hot_dice"],
            to_confirm=rules.needs[digits["to_confirm"]],
            throws=digits["throws"],
            held_set=rules.sets[digits["held_set"]],
            on_board=not digits["off_board"],
            opponent_on_board=not digits["opponent_off_board"],
            began=not digits["second"],
            rounds_left=digits["rounds_left"],
            to_beat=digits["to_beat"] * step,
        )
        if digits["offers"]:
            # the turn begins with all dice, so that what is left stands in place of them
            position = replace(
                position,
                turn=TurnState(0, dice_set(rules).whole),
                offered=replace(position.turn, hot_dice=0),
            )
        return position, roll


def position_id(rules: Ruleset, position: Position, roll: Roll | None = None) -> str | None:
    """The characters of a position, after a roll or before it.

    None where a score is too far below 0 to be written.
    """
    if min(position.banked, position.opponent) < _lowest(rules):
        return None
    number = _told_turn(position, roll).turn_total // rules.point_step
    for radix, digit in reversed(_digits(rules, position, roll).values()):
        number = number * radix + digit
    if _usual_goal(rules.digest_but_goal, rules.name) == rules.goal:
        number = 2 * number
    else:
        number = 2 * (number * (MAX_POINTS + 1) + rules.goal) + 1
    said = _in_base_32(_key(rules.digest_but_goal), _RULES) + _in_base_32(number)
    said += _DIGITS[_check(said)]
    return "-".join(said[first : first + _GROUP] for first in range(0, len(said), _GROUP))


def read_id(text: str) -> PositionId:
    """What the characters say; blanks, hyphens and dashes, and capitals mean nothing.

    Nor do the word before them where they are told, and what ends a sentence: people copy that as
    well. Raises InvalidRequestError for what is none, or has a slip in it.
    """
    plain = re.sub(_BLANKS, "", re.sub(_BEFORE, "", text).strip(_BESIDE)).upper()
    values = [_READ.get(digit, -1) for digit in plain]
    if not _RULES + 2 <= len(values) <= _MOST or min(values) < 0:
        raise InvalidRequestError.say(
            '"{text}" is not a position ID: such an ID is shown under the advice and looks like'
            " {example}",
            text=text,
            example=_example(),
        )
    said = "".join(_DIGITS[value] for value in values)
    if _check(said[:-1]) != values[-1]:
        raise InvalidRequestError.say(
            '"{text}" is not a position ID: one of its characters is mistyped',
            text=text,
        )
    number, has_goal = divmod(_value(said[_RULES:-1]), 2)
    goal = None
    if has_goal:
        number, goal = divmod(number, MAX_POINTS + 1)
    return PositionId(text, _value(said[:_RULES]), number, goal)


def _told_turn(position: Position, roll: Roll | None) -> TurnState:
    """The turn of a position, or what may be taken over before the first roll in place of it."""
    return position.turn if roll or position.offered is None else position.offered


def _digits(
    rules: Ruleset, position: Position, roll: Roll | None = None
) -> dict[str, tuple[int, int]]:
    """How many values each digit has but the last, which is the turn total, and which one it is."""
    step, low, rolls = rules.point_step, _lowest(rules), _every_roll(rules.dice)
    turn, boards, limit = _told_turn(position, roll), 1 + rules.has_opening, rules.farkle_limit
    rolled = rolls.index(make_roll(roll)) if roll else len(rolls) + turn.dice - 1
    scores = (highest_score(rules) - low) // step + 1
    return {
        "rolled": (len(rolls) + rules.dice, rolled),
        "second": (1 + rules.has_roles, rules.has_roles and not position.began),
        "off_board": (boards, rules.has_opening and not position.on_board),
        "opponent_off_board": (boards, rules.has_opening and not position.opponent_on_board),
        "farkles": (limit, position.farkles),
        "opponent_farkles": (limit, position.opponent_farkles),
        "hot_dice": (rules.hot_dice_counted, min(turn.hot_dice, rules.hot_dice_counted - 1)),
        "to_confirm": (len(rules.needs), rules.needs.index(turn.to_confirm)),
        "held_set": (len(rules.sets), rules.sets.index(turn.held_set)),
        "throws": (rules.throws + 1, turn.throws),
        "offers": (1 + rules.takes_over, position.offered is not None and not roll),
        "rounds_left": (rules.rounds + 1, position.rounds_left),
        "to_beat": (scores if rules.beat_previous_turn else 1, position.to_beat // step),
        "own": (scores, (position.banked - low) // step),
        "opponent": (scores, (position.opponent - low) // step),
    }


def _lowest(rules: Ruleset) -> int:
    """The lowest score that is written: a multiple of the point step."""
    if not rules.penalty_points or rules.floor_is_played:
        return 0
    if rules.rounds:
        return rules.score_floor
    return -(max(_LOWEST, rules.goal) // rules.point_step * rules.point_step)


@cache
def _every_roll(dice: int) -> list[Roll]:
    """Every roll of so many dice or fewer."""
    return [
        make_roll(roll)
        for number in range(1, dice + 1)
        for roll in combinations_with_replacement(FACES, number)
    ]


@lru_cache(maxsize=RULESETS)
def _usual_goal(digest_but_goal: str, name: str) -> int | None:
    """The goal of the preset that has such rules, if there is one: first the one of that name."""
    presets = map(load_rules, sorted(preset_names(), key=name.__ne__))
    return next((rules.goal for rules in presets if rules.digest_but_goal == digest_but_goal), None)


def _key(digest: str) -> int:
    modulus: int = 32**_RULES
    return int(digest[:16], 16) % modulus


def _check(said: str) -> int:
    """The remainder of the characters as a polynomial over GF(32), by x.

    Any one character that is changed gives another, and so do any two neighbours that change
    places. GF(32) is that of x^5 + x^2 + 1.
    """
    check = 1
    for digit in said:
        check ^= _READ[digit]
        check = (check << 1) ^ (0b100101 if check & 16 else 0)
    return check


def _value(said: str) -> int:
    return int(said.translate(str.maketrans(_DIGITS, _USUAL_DIGITS)), 32)


def _in_base_32(value: int, least: int = 1) -> str:
    said = np.base_repr(value, 32).rjust(least, "0")
    return said.translate(str.maketrans(_USUAL_DIGITS, _DIGITS))


def _example() -> str:
    rules = load_rules("facebook")
    return position_id(rules, Position.of_two(), (2, 3, 3, 3, 5, 6)) or ""
