"""A turn explained, and a walk through all positions of a solved game.

What is explained is the whole map of a turn with the moment marked; where one walks that is a
position, and those a step away.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

import numpy as np

from bot.services.advisor import Advisor, Asked, Hint
from bot.services.loaded import LoadedDice
from bot.services.situation import Situation, as_typed, as_typed_here
from bot.table.state import Game
from solver.errors import FarkleError
from solver.game.best import BestPlay
from solver.game.position import Position, impossible_turn, most_likely, rules_at
from solver.game.standings import Bools
from solver.named.sets import NamedSet
from solver.play.advice import Odds
from solver.play.maps import TurnMap, turn_map
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining, TurnState
from solver.turn.memo import ones_twos_fives
from solver.turn.memory import memories
from solver.turn.points import BankFrom


class Field(StrEnum):
    """What a step changes."""

    OWN = "me"
    OPPONENT = "them"
    TURN = "turn"
    DICE = "dice"
    HOT_DICE = "hot"
    FARKLES = "farkles"
    THEIR_FARKLES = "theirs"
    ON_BOARD = "board"
    THEY_ON_BOARD = "board2"
    BEGAN = "began"
    SIDES = "sides"
    """The turn of the next player begins at these scores."""

    @property
    def is_counted(self) -> bool:
        """Whether it is more or less, and not one thing or the other."""
        return self not in {Field.ON_BOARD, Field.THEY_ON_BOARD, Field.BEGAN, Field.SIDES}


@dataclass(frozen=True, slots=True)
class Step:
    """A position a step away."""

    field: Field
    amount: int
    """The change, in points or in number; 0 for what is turned over."""
    is_large: bool
    position: Position | None
    """None where there is no such position."""

    @property
    def action(self) -> str:
        """The action by which a button is known."""
        if not self.amount:
            return self.field.value
        return f"{self.field.value}{'up' if self.amount > 0 else 'down'}{'2' * self.is_large}"


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """A position of a solved game, and the way on from it."""

    odds: Odds
    bank_from: tuple[BankFrom, ...]
    """When to bank in its turn, with the dice that are left most often."""
    steps: tuple[Step, ...]
    exact: bool = True
    """Whether all who play are looked at; else the strongest opponent is taken for the only one."""

    @property
    def named(self) -> NamedSet | None:
        """Return the dice of the player to act, where players bring theirs."""
        dice: LoadedDice | None = self.odds.brought
        return dice.mine if dice else None

    def dice_after(self, step: Step) -> LoadedDice | None:
        """Return the dice of all after a step, the player to act first."""
        dice: LoadedDice | None = self.odds.brought
        return dice.exchanged if dice and step.field is Field.SIDES else dice


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Where a walk may go."""

    play: BestPlay
    possible: Bools
    """Whether a turn can come to a state, shape (levels, turn totals, columns)."""
    begin: Position

    @property
    def rules(self) -> Ruleset:
        """Return the rules of the turn from which steps lead on."""
        return rules_at(self.play.rules, self.begin)

    @property
    def is_typed_by_scores(self) -> bool:
        """Whether who moves when follows from the scores that are typed."""
        return self.play.players > 2 and self.play.matchup is None

    def scored(self, position: Position) -> Iterator[Position]:
        """Yield the position as it can be where a score has changed, by who began."""
        if self.play.matchup is not None:
            yield position
        elif self.is_typed_by_scores:
            with suppress(FarkleError):
                yield as_typed(self.rules, position)
        else:
            for began in (position.began, not position.began) if self.rules.has_roles else (True,):
                yield position.change(began=began)

    def found(self, position: Position) -> Position | None:
        """Return the position if a step leads to it that can be typed.

        From a turn that no rolls lead to one walks on among such turns.
        """
        # with dice of one's own whoever is typed to act began
        own = self.play.matchup is not None
        if own and self.rules.has_roles and position.mover:
            return None
        try:
            if self.is_typed_by_scores and as_typed(self.rules, position) != position:
                return None
            self.play.check(position)
        except FarkleError:
            return None
        leads_to = self.play.is_reachable
        return position if leads_to(position) or not leads_to(self.begin) else None


def explored(find: Callable[..., Asked], *where: object) -> Exploration:
    """The position that a function of an advisor finds. Raises FarkleError."""
    return explore(find(*where))


def explored_at(advisor: Advisor, rules: Ruleset, position: Position) -> Exploration:
    """A position of as many players as it has. Raises FarkleError."""
    play = advisor.play_of(rules, len(position.players))
    play.check(position)
    return explore(Asked(play, position))


def explore(asked: Asked) -> Exploration:
    """A position that has a value, and the way on from it."""
    play, position = asked.play, asked.position
    odds = asked.odds()  # refuses what has no value
    banks, steps = turn_map(play, position).bank_from, tuple(_steps(play, position))
    return Exploration(odds, banks, steps, asked.exact)


def _steps(play: BestPlay, position: Position) -> Iterator[Step]:
    """All steps that the rules know, in the order in which they are shown."""
    missing = (play.rules.winning_score - position.banked) // play.rules.point_step
    rows = max(play.possible(position.mover).shape[1], missing + 1)
    ground = Ground(play, play.possible_rows(position, rows), position)
    if ground.is_typed_by_scores:
        begin = as_typed_here(play.rules, position)
        if begin is None:
            return
        ground = replace(ground, begin=begin)
    for field, amount, is_large, candidates in _ways(ground):
        neighbour = next(filter(None, map(ground.found, candidates)), None)
        if neighbour and play.matchup is not None:
            neighbour = _mover_first(neighbour)
        yield Step(field, amount, is_large, neighbour)


def large_step(rules: Ruleset) -> int:
    """Points of a large step: 1, 2 or 5 times a power of ten of small ones, about a tenth of all.

    At least two small ones.
    """
    tenth = max(rules.scale / 10 / rules.point_step, 1)
    *_, steps = takewhile(lambda number: number <= tenth, ones_twos_fives())
    return max(2, steps) * rules.point_step


def _ways(ground: Ground) -> Iterator[tuple[Field, int, bool, Iterable[Position]]]:
    """All steps that the rules know, in the order in which they are shown.

    Each is what it changes, by how much, whether that is much, and the positions to which it may
    lead, of which the first that is found counts.
    """
    rules, limit = ground.rules, ground.rules.farkle_limit
    small, large = rules.point_step, large_step(rules)
    amounts = ((-large, True), (-small, False), (small, False), (large, True))
    for field in (Field.OWN, Field.OPPONENT):
        for amount, is_large in amounts:
            yield field, amount, is_large, _scored(ground, field, amount)
    for amount, is_large in amounts:
        yield Field.TURN, amount, is_large, _on_in_turn(ground, amount, is_large=is_large)
    counted = {
        Field.DICE: True,
        Field.HOT_DICE: rules.hot_dice_counted > 1,
        Field.FARKLES: limit > 1,
        Field.THEIR_FARKLES: limit > 1 and ground.play.players == 2,
    }
    for field, matters in counted.items():
        for amount in (-1, 1) if matters else ():
            yield field, amount, False, _counted(ground, field, amount)
    for field, turned in _turned_over(ground):
        yield field, 0, False, [turned]
    after = _next_turn(ground.play, ground.begin)
    yield Field.SIDES, 0, False, [after] if after != ground.begin else []


def _turned_over(ground: Ground) -> Iterator[tuple[Field, Position]]:
    """What may be one way or the other under the rules, turned over; of two what both have."""
    rules, position = ground.rules, ground.begin
    are_two = len(position.players) == 2
    if rules.has_opening and _scores_fall(rules):
        yield Field.ON_BOARD, position.change(on_board=not position.on_board)
        if are_two:
            other = not position.opponent_on_board
            yield Field.THEY_ON_BOARD, position.change(opponent_on_board=other)
    if rules.has_roles and are_two and ground.play.matchup is None:
        yield Field.BEGAN, position.change(began=not position.began)


def _scores_fall(rules: Ruleset) -> bool:
    """Whether a score can fall, so that it does not tell who has banked before."""
    return bool(rules.farkle_penalty or "loses_score" in rules.decisive)


def _scored(ground: Ground, field: Field, amount: int) -> Iterator[Position]:
    """The position with another score: by the whole amount, then by less and less."""
    rules, position = ground.rules, ground.begin
    is_own = field is Field.OWN
    score = position.banked if is_own else position.opponent
    was_on_board = position.on_board if is_own else position.opponent_on_board
    small = rules.point_step if amount > 0 else -rules.point_step
    for target in range(score + amount, score, -small):
        on_board = not rules.has_opening or target > 0 or (was_on_board and _scores_fall(rules))
        if is_own:
            moved = position.change(banked=target, on_board=on_board)
        else:
            moved = position.change(opponent=target, opponent_on_board=on_board)
        yield from ground.scored(moved)


def _on_in_turn(ground: Ground, amount: int, *, is_large: bool) -> Iterator[Position]:
    """The position at the next turn total that can occur, with dice as near as there are."""
    rules, position, rolled = ground.rules, ground.begin, _rolled(ground)
    possible = np.asarray(np.any(rolled, axis=(0, 2)))
    last, steps = len(possible) - 1, amount // rules.point_step
    # beyond the last row turns may go on
    row = min(position.turn_total // rules.point_step, last + 1)
    if rules.ending == "at_once":
        last = min(last, max(row, (rules.winning_score - position.banked) // rules.point_step))
    if steps < 0:
        rows = range(max(0, row + steps), row) if is_large else range(row - 1, -1, -1)
    else:
        rows = range(min(last, row + steps), row, -1) if is_large else range(row + 1, last + 1)
    target = next((row for row in rows if possible[row]), None)
    if target is not None:
        yield _nearest(ground, target, rolled[:, target])


def _rolled(ground: Ground) -> Bools:
    """Which states of a turn there can be in which dice are rolled: after its last throw none."""
    layers, most = memories(ground.rules.of_turn), ground.rules.throws
    rolled = [not 0 < most == layer.throws for layer in reversed(layers)]
    return np.asarray(ground.possible & np.repeat(rolled, ground.possible.shape[2] // len(layers)))


def _nearest(ground: Ground, row: int, possible: Bools) -> Position:
    """The position at the turn total of a row, with hot dice and dice as near as can be.

    possible : the states there, shape (levels, columns)
    """
    rules, now = ground.rules, ground.begin.turn
    layers, total = memories(rules.of_turn), row * ground.rules.point_step
    width, most = possible.shape[1] // len(layers), rules.hot_dice_counted - 1

    def state(level: int, column: int) -> TurnState:
        layer, dice = layers[-1 - column // width], column % width + 1
        held, hot_dice = layer.held_with(rules, dice), level + layer.hot_dice
        return TurnState(total, dice, hot_dice, layer.to_confirm, layer.throws, held)

    nearest = min(
        (state(*place) for place in np.argwhere(possible).tolist()),
        key=lambda near: (
            near.to_confirm,
            near.held_set != now.held_set,
            abs(near.throws - now.throws),
            abs(near.hot_dice - min(now.hot_dice, most)),
            abs(near.dice - now.dice),
        ),
    )
    turn = replace(nearest, throws=nearest.throws if rules.throws else 0)
    return _with_dice_held(rules, replace(ground.begin, turn=turn))


def _with_dice_held(rules: Ruleset, position: Position) -> Position:
    """The position with dice that can be held there, where throws combine and others are said."""
    if not rules.combine_throws:
        return position
    turn = position.turn
    if len(turn.held_set) == rules.dice - turn.dice and not impossible_turn(rules, turn):
        return position
    return replace(position, turn=most_likely(rules, turn, turn.to_confirm, turn.throws))


def _counted(ground: Ground, field: Field, amount: int) -> Iterator[Position]:
    """The position with the next numbers of what is counted one by one, as far as there are any."""
    position, name = ground.begin, _COUNTED[field]
    least, most = 0, ground.rules.farkle_limit
    if field is Field.DICE:
        # of the remaining dice that there are at its turn total
        least, most = 1, ground.possible.shape[2] // len(memories(ground.rules.of_turn))
    elif field is Field.HOT_DICE:
        most = ground.rules.hot_dice_counted - 1
    number = min(getattr(position, name), most) + amount
    while least <= number <= most:
        yield _with_dice_held(ground.rules, position.change(**{name: number}))
        number += amount


def _next_turn(play: BestPlay, position: Position) -> Position:
    """The position in which the next player begins a turn at these scores."""
    players, mover = position.players, position.mover
    if play.rules.has_roles or play.matchup is not None:
        mover = (mover + 1) % len(players)
    else:
        players = *players[1:], players[0]
    start = TurnState(0, play.whole(mover))
    left = position.rounds_after
    return replace(position, players=players, mover=mover, turn=start, waiting=(), rounds_left=left)


def _mover_first(position: Position) -> Position:
    """The position of players with their own dice as it is typed: who moves comes first."""
    mover, held = position.mover, position.held
    uses = held.uses and (held.uses[mover], held.uses[1 - mover])
    players = tuple(position.players[k] for k in position.in_order)
    return replace(position, players=players, mover=0, held=replace(held, uses=uses))


_COUNTED = {
    Field.DICE: "dice",
    Field.HOT_DICE: "hot_dice",
    Field.FARKLES: "farkles",
    Field.THEIR_FARKLES: "opponent_farkles",
}
"""What is counted one by one, as a position calls it."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What the turn of a position looks like from above."""

    turn: TurnMap
    hint: Hint
    """What is best: of the roll on the table, if there is one, and before the next roll."""
    has_badge: bool = False
    """Whether the player to move may still use a badge, which the map then counts with."""
    seen_by: str | None = None
    """The player to move, where somebody else asks."""
    picture: bytes | None = None
    """A PNG; None where there was no time to draw it."""

    @property
    def named(self) -> NamedSet | None:
        """Return the dice of the player to move, where players bring theirs."""
        return self.hint.brought.mine if self.hint.brought else None


def explained(advisor: Advisor, left: Remaining | None, situation: Situation) -> Explanation:
    """The turn of a position before a roll. Raises FarkleError."""
    asked = advisor.asked(left, situation)
    hint = Hint(None, asked.odds(), exact=True)
    has_badge = asked.brought is not None and asked.brought.may_use
    return Explanation(turn_map(asked.play, asked.position), hint, has_badge)


def explained_in(advisor: Advisor, game: Game) -> Explanation:
    """The turn under way in a game. Raises FarkleError."""
    asked, hint = advisor.asked_in(game), advisor.hint(game)
    # where dice lie on the table, what is marked is where the best set-aside of them leads
    position = hint.odds.position if hint.odds else asked.position
    return Explanation(turn_map(asked.play, position), hint, game.power is not None)
