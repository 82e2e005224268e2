"""The events of a game as moments: the exact change of win probability by each roll and choice.

A strategy gives the win probabilities in every state of a game (bot.review.worth). What a roll
changes is luck, what a choice gives away against the best one is its loss, and both add up: over a
whole game what the luck of all players, their losses and a few terms of other kinds changed for a
seat is its result less its win probability at the start. Which dice to keep and whether to roll on
or to bank is one decision.

A score below the score floor of the strategy counts as the floor. A bank down there leads to less
than the strategy takes it to; the difference is a term of its own, an adjustment. Scores so low
are rare in play, and mean that the game is as good as lost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import fsum

from bot.review.worth import Shares, TurnWorth, Worth
from bot.table import events
from bot.table.events import Begun, Event, TurnEnding
from bot.table.fold import Step, apply, begin, steps, turn_with
from bot.table.state import Game
from solver.game.position import Position
from solver.game.standings import by_seat
from solver.loaded.kits import Kit
from solver.turn.dice import Remaining, Roll, TurnState, make_roll
from solver.turn.equations import Decision
from solver.turn.powers import PowerKind


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that a player can take after a roll, or before one."""

    set_aside: Roll
    """The dice to set aside, or those that a badge which changes rolls is used on. Empty where only
    bank or roll was open, as after a correction."""
    action: Decision
    """What to do after the set-aside: BANK or ROLL, or TAKE_OVER at the start of a turn."""
    turn_total: int
    """The turn total with the dice that are set aside."""
    dice_left: Remaining
    """Dice to roll next if the turn goes on."""
    farkle_probability: float
    """Chance that rolling them is a farkle."""
    win_probability: float
    """The player's chance to win, with best play from then on."""
    shares: Shares
    """The win probabilities of all seats."""
    use: PowerKind | None = None
    """The kind of badge that is used with it; None for no badge."""

    @property
    def takes_farkle(self) -> bool:
        """Whether it accepts a farkle that a badge could undo."""
        return not self.set_aside and not self.turn_total and self.action is Decision.BANK


def choices(worth: Worth, game: Game) -> list[Alternative]:
    """All alternatives of the player to move: after the roll, or before one if there is none."""
    turn, mover, roll = worth.turn(game), game.mover, game.turn.roll
    if roll is None:
        return [*_before_a_roll(worth, turn, game, ())]
    alternatives: list[Alternative] = []
    for option in game.set_asides():
        then = replace(game, turn=turn_with(game, option))
        alternatives += _before_a_roll(worth, turn, then, option.dice)
    if game.held.uses is not None and game.is_farkle:
        taken = worth.shares(apply(game, events.Accepted()))
        left = _choice(turn, mover, game.turn.state, (), Decision.BANK, taken)
        alternatives.append(replace(left, turn_total=0))
    if not game.may_use or game.power is None:
        return alternatives
    if game.power.kind is PowerKind.DOPPELGANGER:
        for option in game.set_asides():
            then = apply(game, events.Used(dice=option.dice))
            for choice in _before_a_roll(worth, worth.turn(then), then, option.dice):
                alternatives.append(replace(choice, use=PowerKind.DOPPELGANGER))
        return alternatives
    for kind, dice, shares in turn.uses(roll):
        used_on = () if kind is PowerKind.RESURRECTION else dice
        alternatives.append(
            _choice(turn, mover, game.turn.state, used_on, Decision.ROLL, shares, kind)
        )
    return alternatives


def _before_a_roll(worth: Worth, turn: TurnWorth, game: Game, kept: Roll) -> Iterator[Alternative]:
    """The alternatives before a roll: bank, roll, or either with the badge; `turn` is of `game`."""
    state, mover = game.turn.state, game.mover
    if offered := game.offered:
        rolled, _ = turn.roll_and_bank(offered)
        yield _choice(turn, mover, offered, (), Decision.TAKE_OVER, rolled)
    if game.is_out_of_throws:
        yield _choice(turn, mover, state, kept, Decision.BANK, turn.value(state))
        return
    rolled, bank = turn.roll_and_bank(state)
    if game.may_bank and bank:
        yield _choice(turn, mover, state, kept, Decision.BANK, bank)
    yield _choice(turn, mover, state, kept, Decision.ROLL, rolled)
    if game.may_use and game.power:
        action = Decision.ROLL
        if game.power.is_of_bank and not game.power.at_start:
            action = Decision.BANK
        for kind, _, shares in worth.turn(game).uses(None):
            yield _choice(turn, mover, state, kept, action, shares, kind)


def _choice(
    turn: TurnWorth,
    mover: int,
    state: TurnState,
    kept: Roll,
    action: Decision,
    shares: Shares,
    use: PowerKind | None = None,
) -> Alternative:
    """The alternative that sets dice aside, or uses a badge, and leads to a state of the turn."""
    return Alternative(
        set_aside=kept,
        action=action,
        turn_total=state.turn_total,
        dice_left=state.dice,
        farkle_probability=turn.farkle_chance(state),
        win_probability=shares[mover],
        shares=shares,
        use=use,
    )


_NEGLIGIBLE = 1e-9


class Kind(StrEnum):
    """The cause of a change of win probability."""

    ROLL = "roll"
    """A roll, whose change is luck."""
    DECISION = "decision"
    TURN = "turn"
    """A turn of which only the score is known: luck and choices cannot be told apart."""
    RESIGNED = "resigned"
    SKIPPED = "skipped"
    ADJUSTMENT = "adjustment"
    """A correction, or a score below the score floor."""


_OTHER_KINDS = {
    events.Scored: Kind.TURN,
    events.Skipped: Kind.SKIPPED,
    events.Resigned: Kind.RESIGNED,
    events.Corrected: Kind.ADJUSTMENT,
}


class Mark(StrEnum):
    """How bad a decision was."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


_LEAST_LOSSES = {Mark.BLUNDER: 0.15, Mark.MISTAKE: 0.10, Mark.INACCURACY: 0.05}
"""Least losses of win probability for a mark: those of lichess.org, which are 0.3, 0.2 and 0.1 on
its scale from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A decision: the alternatives, the chosen one and the best one."""

    position: Position
    roll: Roll
    choices: tuple[Alternative, ...]
    """All alternatives."""
    chosen: Alternative
    best: Alternative
    """The best alternative; the chosen one if none was better."""
    mark: Mark | None
    kits: tuple[Kit, ...] = ()
    """The kits of the players of the position; () where all throw the dice of the rules."""

    @property
    def options(self) -> int:
        """The number of alternatives; 1 for a decision that was forced."""
        return len(self.choices)

    @property
    def loss(self) -> float:
        """The win probability that the choice gave away."""
        return self.best.win_probability - self.chosen.win_probability

    @property
    def forced(self) -> bool:
        """Whether there was only one alternative."""
        return self.options == 1


@dataclass(frozen=True, slots=True)
class Moment:
    """One change of the win probability."""

    seat: int
    """The seat whose roll or decision it was."""
    event: int
    """The index of the event among those after Begun; of a decision that of its roll or bank."""
    turn: int
    """Number of the turn of this seat, from 1."""
    kind: Kind
    before: tuple[float, ...]
    """Win probabilities by seat, as `after`."""
    after: tuple[float, ...]
    gain: float
    """The change of the seat's win probability: luck, or a loss with a minus."""
    judgement: Judgement | None = None
    """The judgement of a decision; None for any other moment."""

    def gain_of(self, seat: int) -> float:
        """The change of the win probability of any seat."""
        return self.gain if seat == self.seat else self.after[seat] - self.before[seat]


@dataclass(frozen=True, slots=True)
class TurnChange:
    """The changes by a finished turn; after - before of its seat is luck + choice + rest."""

    seat: int
    turn: int
    """Number of the turn of this seat, from 1."""
    event: int
    """Index of the event that ended it, of those after Begun."""
    how: TurnEnding
    points: int
    """The points that it added to the score."""
    before: tuple[float, ...]
    """Win probabilities, by seat."""
    after: tuple[float, ...]
    luck: float
    """The change of the seat's win probability by chance."""
    choice: float
    """The win probability that its decisions lost, with a minus."""
    rest: float
    """The change by anything else: a turn of which only the score is known, a skipped one, a
    resignation, or a correction in the middle of the turn."""
    gain: float
    """The change for the seat by the turn itself, without corrections and resignations in it."""


@dataclass(frozen=True, slots=True)
class _Decision:
    """A decision under way: the game before it, and the dice that were kept since."""

    game: Game
    kept: Roll = ()
    use: PowerKind | None = None
    """The use of a badge that came with what was kept."""

    def judge(self, worth: Worth, action: Decision) -> Judgement:
        """Compare the action that was taken with the best alternative."""
        game, turn = self.game, worth.turn(self.game)
        order = dict(zip(turn.position.in_order, turn.seats, strict=False))
        kits = tuple(game.kits[order[k]] for k in sorted(order)) if game.kits else ()
        every = tuple(choices(worth, game))
        done = self.kept, action, self.use
        chosen = next(
            choice for choice in every if (choice.set_aside, choice.action, choice.use) == done
        )
        # the chosen one goes first, so that it is the best of equal ones
        best = max([chosen, *every], key=lambda choice: choice.win_probability)
        loss = best.win_probability - chosen.win_probability
        mark = next((mark for mark, least in _LEAST_LOSSES.items() if loss >= least), None)
        asked = turn.position, game.turn.roll or (), every
        return Judgement(*asked, chosen, best, mark, kits)


@dataclass(slots=True)
class Reader:
    """Reads the effective events of a game one by one."""

    worth: Worth
    game: Game
    start: Shares = field(init=False)
    value: Shares = field(init=False)
    """Win probabilities by seat after the last event that was read."""
    moments: list[Moment] = field(default_factory=list)
    changes: list[TurnChange] = field(default_factory=list)
    """How win probabilities changed, turn by turn, in finished turns."""
    index: int = 0
    """Index of the event that is read."""
    open: _Decision | None = None
    turns: list[int] = field(init=False)
    """The number of the turn under way or to come, by seat."""
    turn_start: Shares = field(init=False)
    """Win probabilities by seat when the turn began."""
    first: int = 0
    """The index of the first moment of the turn under way."""
    losses: list[list[float]] = field(init=False)
    """The win probability that each decision gave away which was not forced, by seat."""
    luck: list[list[float]] = field(init=False)
    """The win probability that each roll gained, by seat."""

    def __post_init__(self) -> None:
        self.start = self.worth.shares(self.game)
        self.value = self.turn_start = _rounded_alike(self.start)
        self.turns = [1 for _ in self.game.seats]
        self.losses = [[] for _ in self.game.seats]
        self.luck = [[] for _ in self.game.seats]

    @property
    def shares(self) -> Shares:
        """Win probabilities by seat as the game is now."""
        is_kept = self.open is not None and self.open.game is not self.game
        return self.worth.shares(self.game) if is_kept else self.value

    def forget(self) -> None:
        """Drop the moments and changes of finished turns, but for the last change and all sums."""
        del self.moments[: self.first], self.changes[:-1]
        self.first = 0

    def read(self, index: int, step: Step) -> None:  # noqa: C901 - kinds of events
        """Read one event, the index-th after Begun."""
        before, event, after = step
        mover = before.mover
        self.index, self.game = index, after
        match event:
            case events.Kept():
                self.open = replace(self.open or _Decision(before), kept=make_roll(event.dice))
                return
            case events.Banked() | events.Accepted():
                self._decided(before, Decision.BANK)
            case events.TookOver():
                self._decided(before, Decision.TAKE_OVER)
            case events.Used():
                if not self._used(before, event):
                    return
            case events.Rolled():
                self._rolled(before, make_roll(event.dice))
                if after.turn.roll is not None:
                    return  # the turn goes on, from what the roll is worth
            case events.Scored() | events.Skipped() | events.Resigned() | events.Corrected():
                self._otherwise(mover, event)
            case _:
                return
        self._settle(mover)
        if after.last is not None and after.last is not before.last:
            self._end_turn(mover, after.last.how, after.last.points)
        elif isinstance(event, events.Resigned) and (after.over or event.seat == mover):
            self._end_turn(mover, TurnEnding.RESIGNED)
        elif after.mover != mover:
            self._begin_turn()

    def _settle(self, seat: int) -> None:
        """Go on from the value of the game as it is now, which the score floor may have changed."""
        now = self.worth.shares(self.game)
        changes = (abs(after - before) for after, before in zip(now, self.value, strict=True))
        if max(changes) > _NEGLIGIBLE:
            self._change(seat, Kind.ADJUSTMENT)
        self.value = _rounded_alike(now)

    def _decided(self, before: Game, action: Decision) -> None:
        decision = self.open or _Decision(before)
        self.open = None
        judgement = decision.judge(self.worth, action)
        if not judgement.forced:
            self.losses[before.mover].append(judgement.loss)
        shares = judgement.chosen.shares
        self._add(before.mover, Kind.DECISION, -judgement.loss, shares, judgement)

    def _used(self, before: Game, event: events.Used) -> bool:
        """Read the use of a badge; returns whether the use was the decision."""
        power = before.side.power
        if power is None:
            return False
        decision = self.open or _Decision(before)
        dice = make_roll(event.dice) or decision.kept
        self.open = replace(decision, kept=dice, use=power.kind)
        if power.kind is PowerKind.DOPPELGANGER:
            return False
        banks = power.is_of_bank and not power.at_start
        self._decided(before, Decision.BANK if banks else Decision.ROLL)
        now = self.worth.shares(self.game)
        if event.fallen:
            self._add(before.mover, Kind.ROLL, now[before.mover] - self.value[before.mover], now)
        if self.game.turn.roll is not None:
            self.open = _Decision(self.game)
        return True

    def _rolled(self, before: Game, roll: Roll) -> None:
        mover = before.mover
        decides = before.turn.turn_total and not (before.turn.is_taken or before.turn.misses)
        if decides or before.offered or before.may_use:
            self._decided(before, Decision.ROLL)
        value = self.value[mover]
        if self.game.turn.roll is None:
            after = self.worth.turn(before).after_roll(roll, before.turn.misses)
        else:
            self.open = _Decision(self.game)
            after = self.worth.shares(self.game)
        self._add(mover, Kind.ROLL, after[mover] - value, after)

    def _otherwise(self, mover: int, event: Event) -> None:
        """Read an event that is neither a roll nor a decision."""
        self.open = None
        nothing_yet = len(self.moments) == self.first
        seat = event.seat if isinstance(event, events.Resigned | events.Corrected) else mover
        self._change(seat, _OTHER_KINDS[type(event)])
        if isinstance(event, events.Corrected) and nothing_yet:
            self._begin_turn()

    def _change(self, seat: int, kind: Kind) -> None:
        now = self.worth.shares(self.game)
        self._add(seat, kind, now[seat] - self.value[seat], now)

    def _add(
        self, seat: int, kind: Kind, gain: float, value: Shares, judgement: Judgement | None = None
    ) -> None:
        """Add a moment after which the seats have these win probabilities."""
        before, self.value = self.value, _rounded_alike(value)
        turn = self.turns[seat]
        if kind is Kind.ROLL:
            self.luck[seat].append(gain)
        self.moments.append(
            Moment(seat, self.index, turn, kind, before, self.value, gain, judgement)
        )

    def _end_turn(self, seat: int, how: TurnEnding, points: int = 0) -> None:
        gains = dict.fromkeys(Kind, 0.0)
        apart = Kind.ADJUSTMENT, Kind.RESIGNED
        for moment in self.moments[self.first :]:
            gains[moment.kind] += moment.gain_of(seat)
        gain = fsum(change for kind, change in gains.items() if kind not in apart)
        luck, choice = gains.pop(Kind.ROLL), gains.pop(Kind.DECISION)
        self.changes.append(
            TurnChange(
                seat=seat,
                turn=self.turns[seat],
                event=self.index,
                how=how,
                points=points,
                before=self.turn_start,
                after=self.value,
                luck=luck,
                choice=choice,
                rest=fsum(gains.values()),
                gain=gain,
            )
        )
        self.turns[seat] += 1
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.turn_start, self.first = self.value, len(self.moments)


def read_events(worth: Worth, first: Begun, events: Sequence[Event]) -> Reader:
    """Read a game; events that were taken back do not count.

    Raises InvalidRequestError unless there are two players and more, and StrategyFileError.
    """
    game, effective = effective_steps(first, events)
    reader = Reader(worth, game)
    for index, step in effective:
        reader.read(index, step)
    return reader


def starts_anew(event: Event) -> bool:
    """Whether others play after an event than before it, or with other dice.

    It comes before the first roll, and whoever plays then was there from the start.
    """
    return isinstance(event, events.Joined | events.Left | events.Picked)


def effective_steps(first: Begun, happened: Sequence[Event]) -> tuple[Game, list[tuple[int, Step]]]:
    """Return a game once all have their seats and their dice, and what happened since.

    That leaves out what was taken back; each event has its index among those after Begun.
    """
    game = begin(first)
    effective: list[tuple[int, Step]] = []
    for index, step in enumerate(steps(game, happened)):
        if starts_anew(step.event):
            game, effective = step.after, []
        elif not isinstance(step.event, events.Undone):
            effective.append((index, step))
        elif not effective:  # a pair of dice is given back
            game = step.after
        elif step.before.before is not None:  # else there was nothing to take back
            # a last throw ends its turn by itself: both events go
            while effective.pop()[1].before is not step.before.before:
                pass
    return game, effective


def _rounded_alike(shares: Shares) -> Shares:
    """Win probabilities by seat; those of two rounded the same whoever is to move."""
    return by_seat(shares[0], 0) if len(shares) == 2 else shares
