"""The daily position: one decision a day under each rule set, the same wherever it is asked.

It is drawn by the day and the digest of the rules alone, from turns as they are played. Chosen is
the first decision that a person can think about, where the best choice is clear and not obvious.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from itertools import accumulate
from random import Random

from solver.errors import FarkleError, InvalidRequestError
from solver.game.best import BestPlay, Strategy
from solver.game.position import Position
from solver.game.standings import Standing
from solver.loaded.kits import Kit, kit_of, solved_of
from solver.loaded.matchup import Matchup
from solver.play.advice import position_id
from solver.play.memo import Memo
from solver.play.policies import Greedy, MaxPoints
from solver.play.policy import Move, Policy
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import DiceSet, Fate, Hand, Remaining, Roll, TurnState, make_roll
from solver.turn.equations import TurnTable

FEWEST, MOST = 3, 6
"""How many choices there are."""
CLEAR = 0.005
"""Win probability by which the best choice is ahead of the second, at least."""
OPEN = 0.05, 0.95
"""Win probability that the best choice has: the game is not decided."""

_SCORES = 160
"""Pairs of scores that are tried."""
_CHOOSY = 100
"""The tries in which a decision of the kind of the day is wanted; after them any will do."""
_TURNS = 12
"""Turns that are played from each of them."""
_LONGEST = 8
"""Rolls of such a turn."""
_CLOSE = 0.93
"""Share of the goal beyond which a score leaves little to think about."""


class Kind(StrEnum):
    """Why a decision is not obvious."""

    LEAVES_POINTS = "leaves points"
    """The best choice leaves points on the table."""
    ROLLS = "rolls"
    """The best choice rolls on where the rules of thumb do something else."""
    BANKS = "banks"
    """The best choice banks where the rules of thumb do something else."""


_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Choice:
    """One set-aside of a roll, and whether to bank or to roll then."""

    set_aside: Roll
    points: int
    bank: bool
    turn_total: int
    """The turn total with the points of the set-aside."""
    dice_left: Remaining
    """The dice left to roll; all of them after hot dice."""
    win_probability: float


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that is asked; the position is as before the roll, which is made with its dice."""

    rules: Ruleset
    position: Position
    roll: Roll
    choices: tuple[Choice, ...]
    """Most points first, and of the same dice to roll before to bank."""
    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""
    kits: tuple[Kit, ...] = ()
    """What players bring, in the order of turns; none where all throw the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these may score without a die that is none."""

    @property
    def id(self) -> str | None:
        """What opens it; None where it has to be told in full, as of several players."""
        if self.kits or len(self.position.players) > 2:
            return None
        return position_id(self.rules, self.position, self.roll)

    @property
    def matchup(self) -> Matchup | None:
        """What players bring as it is solved; None where that are the dice of the rules."""
        return solved_of(self.rules, self.kits, joker_alone=self.joker_alone)

    @property
    def kit(self) -> Kit:
        """What the mover brings."""
        return kit_of(self.kits, self.position.mover, self.rules)

    @property
    def thrown(self) -> DiceSet:
        """The dice of the mover."""
        return self.kit.dice.dice_set

    @property
    def best(self) -> int:
        """Which choice wins most often."""
        choices = self.choices
        return max(range(len(choices)), key=lambda number: choices[number].win_probability)

    def cost(self, choice: int) -> float:
        """Win probability that a choice gives away against the best."""
        return self.choices[self.best].win_probability - self.choices[choice].win_probability


@dataclass(frozen=True, slots=True)
class DailyPosition(Question):
    """The decision of a day, with all choices that are legal."""

    day: date = field(kw_only=True)


def daily_position(strategy: Strategy, day: date) -> DailyPosition:
    """The position of a day under the rules of a strategy.

    Raises InvalidRequestError for rules under which no decision is hard enough.
    """
    rules = strategy.rules
    chance = chance_of(f"{day.isoformat()} {rules.digest}")
    thumbs = rules_of_thumb(rules)
    wanted = _KINDS[int(len(_KINDS) * chance.random())]
    starts = (between_turns(strategy, chance) for _ in range(_SCORES))
    for number, start in enumerate(starts):
        for question in questions(strategy, start, chance):
            kind = kind_of(strategy, question, thumbs)
            if kind is wanted or (kind and number >= _CHOOSY):
                decision = question.position, question.roll, question.choices
                return DailyPosition(rules, *decision, day=day)
    raise InvalidRequestError.say(
        "under {rules} rules there is no daily position: the best choice is obvious, or close,"
        " nearly everywhere",
        rules=rules.name,
    )


def questions(strategy: BestPlay, start: Position, chance: Random) -> Iterator[Question]:
    """Decisions that a person can think about and whose best choice is clear, from some turns.

    start : the position before the turns, in which nothing is rolled yet

    Raises StrategyFileError as `BestPlay.turn` does.
    """
    table, hand, within = strategy.turn(start), strategy.hand_at(start), strategy.within
    for _ in range(_TURNS):
        for position, roll in _turn(hand, table, start, chance):
            # of each set-aside there are two choices at most
            number = len(hand.set_asides(roll, position.turn))
            if not FEWEST <= 2 * number <= 2 * MOST:
                continue
            choices = all_choices(hand, table, position, roll)
            if FEWEST <= len(choices) <= MOST and is_clear(choices, within or 0.0):
                yield Question(strategy.rules, position, roll, choices, within)


def all_choices(hand: Hand, table: TurnTable, position: Position, roll: Roll) -> tuple[Choice, ...]:
    """Every choice after a roll, in the order in which they are shown.

    table : of the turn that the position belongs to
    """
    choices = []
    for kept in hand.set_asides(roll, position.turn):
        after = hand.after(position.turn, kept)
        rolled = None if table.must_bank(after) else table.roll_value(after)
        for bank, value in ((False, rolled), (True, table.bank_value(after))):
            if value is not None:
                choices.append(
                    Choice(kept.dice, kept.points, bank, after.turn_total, after.dice, value)
                )
    return in_order(choices)


def in_order(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Choices in the order in which they are shown."""

    def order(choice: Choice) -> tuple[int, int, Roll, bool]:
        return -choice.points, len(choice.set_aside), choice.set_aside, choice.bank

    return tuple(sorted(choices, key=order))


def is_clear(choices: Sequence[Choice], within: float = 0.0) -> bool:
    """Whether the game is open, and the best choice so far ahead that it is no matter of taste.

    within : what chances may be off by, which is no lead
    """
    first, second = sorted((choice.win_probability for choice in choices), reverse=True)[:2]
    least, most = OPEN
    return first - second >= max(CLEAR, within) and least <= first <= most


def kind_of(strategy: BestPlay, question: Question, thumbs: Sequence[Policy]) -> Kind | None:
    """Why the best choice is not obvious; None where it is.

    thumbs : policies none of which finds a best choice that takes the most points
    """
    best = question.choices[question.best]
    if best.points < max(choice.points for choice in question.choices):
        return Kind.LEAVES_POINTS
    asked = strategy.hand_at(question.position), question.position, question.roll
    if any(thumb.choose(*asked) == Move(best.set_aside, best.bank) for thumb in thumbs):
        return None
    return Kind.BANKS if best.bank else Kind.ROLLS


def rules_of_thumb(rules: Ruleset) -> list[Policy]:
    """The policies that a person could follow without a look at the scores, under these rules."""
    policies: list[Policy] = [Greedy(), MaxPoints()]
    try:
        Memo().without_goal(rules)
    except FarkleError:  # some rules have no table to memorise
        return policies
    return [*policies, Memo()]


def chance_of(seed: str) -> Random:
    """What decides all that is drawn, of which only `random` is the same in every Python."""
    return Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))  # noqa: S311 - no secret


def between_turns(strategy: BestPlay, chance: Random) -> Position:
    """A position at the start of a turn, as games come to: nobody is far ahead.

    Who brings dice and is to act comes first.
    """
    rules, players = strategy.rules, strategy.players
    limit, is_drawn = rules.farkle_limit, rules.has_roles and strategy.matchup is None
    while True:
        middle, apart = chance.random(), 0.5 * (chance.random() - 0.5)
        shares = [middle + apart, middle - apart]
        shares += [middle + 0.5 * (chance.random() - 0.5) for _ in range(players - 2)]
        if max(shares) > _CLOSE:
            continue
        scores = [_score(rules, share) for share in shares]
        farkles = [int(limit * chance.random() ** 2) for _ in shares]
        boards = [not rules.has_opening or score > 0 for score in scores]
        mover = int(players * chance.random()) if is_drawn else 0
        own = list(map(Standing, scores, farkles, boards))
        if rules.beat_previous_turn:
            last = (_score(rules, share * chance.random() ** 2) for share in shares)
            own = [replace(player, banked=points) for player, points in zip(own, last, strict=True)]
        order = (*own[players - mover :], *own[: players - mover])
        rounds_left = rules.rounds - int(min(max(middle, 0.0), 0.999) * rules.rounds)
        start = TurnState(0, strategy.whole(mover))
        position = Position(order, mover, start, rounds_left=rounds_left)
        try:
            strategy.check(position)
        except FarkleError:
            continue
        return position


def _score(rules: Ruleset, share: float) -> int:
    """A score by its share of the goal; nothing where it would be no first bank."""
    whole = rules.scale if rules.rounds else rules.winning_score
    score = int(share * whole) // rules.point_step * rules.point_step
    return score if score >= rules.least_bank(on_board=False) else 0


def _turn(
    hand: Hand, table: TurnTable, start: Position, chance: Random
) -> Iterator[tuple[Position, Roll]]:
    """The rolls of a turn that score, each with the position before it; mostly played well."""
    turn = start.turn
    for _ in range(_LONGEST):
        roll = _fallen(hand.dice, turn.dice, chance)
        if hand.fate(roll, turn) is not Fate.SCORES:
            return
        yield replace(start, turn=turn), roll
        turn = _kept(hand, table, turn, roll, chance)
        bank = table.bank_value(turn)
        if bank is not None and table.roll_value(turn) < bank - 0.02 * chance.random():
            return


def _fallen(thrown: DiceSet, dice: Remaining, chance: Random) -> Roll:
    """What some dice show, each as often as its weights say."""
    faces = []
    for k, (die, number) in enumerate(zip(thrown.types, thrown.remaining[dice], strict=True)):
        shares = list(accumulate(die.weights))
        for _ in range(number):
            place = bisect_right(shares, int(shares[-1] * chance.random()))
            faces.append(len(FACES) * k + FACES[place])
    return make_roll(faces)


def _kept(hand: Hand, table: TurnTable, turn: TurnState, roll: Roll, chance: Random) -> TurnState:
    """Where a set-aside leads: the best one, or now and then any."""
    after = [hand.after(turn, kept) for kept in hand.set_asides(roll, turn)]
    if chance.random() < 0.25:
        return after[int(len(after) * chance.random())]
    return max(after, key=table.value)
