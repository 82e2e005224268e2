"""The state of a game: the fold of its events, by the rules and nothing else.

With more than two players the endings mean the following. After the first bank that reaches the
goal all others have one final turn, or only those who have not had their turn of the round
(`equal_turns`). Then the highest score wins. Of equal ones the first to have it wins, each wins an
equal share, or those who are level play turns against each other, until one of them got more points
in it than the others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from bot.table.events import (
    Accepted,
    Banked,
    Begun,
    Corrected,
    Ended,
    Event,
    Joined,
    Kept,
    Left,
    Picked,
    Replaced,
    Resigned,
    Revealed,
    Rolled,
    Scored,
    Seeded,
    Skipped,
    TurnEnding,
    Undone,
    Used,
)
from solver.game.many_best import SharedPosition
from solver.game.position import Position
from solver.game.standings import Standing, after_turn, first_standing
from solver.loaded.kits import Kit, Side, badges_of, kits_of_picks, matchup_of_all, pair_of, without
from solver.loaded.matchup import Matchup, check_loaded
from solver.loaded.strategy import Held
from solver.named.drafts import check_pool, order_of_picks, pairs_of
from solver.named.sets import NamedDie
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Remaining, Roll, dice_set, make_roll
from solver.turn.powers import Power, PowerKind, in_steps
from solver.turn.scoring import Fate, SetAside, TurnState, after_set_aside, fate, set_asides


class Stage(StrEnum):
    """How far a game is."""

    LOBBY = "lobby"
    """Nobody has rolled yet."""
    PLAY = "play"
    FINAL = "final"
    """Somebody has reached the goal, and others have a last turn."""
    PLAY_OFF = "play-off"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Seat:
    """What one player has; points in points, and counts of the game so far."""

    level: str | None
    """Of the bot that plays; None for a person."""
    score: int = 0
    farkles: int = 0
    """In a row."""
    on_board: bool = True
    playing: bool = True
    turns: int = 0
    farkled: int = 0
    """Turns that ended in a farkle."""
    biggest_turn: int = 0
    uses: int = 0
    """Of the badge, that are left."""

    @property
    def standing(self) -> Standing:
        """Where the player stands between turns."""
        return Standing(self.score, self.farkles, self.on_board)


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn under way."""

    dice: Remaining
    """Dice to roll next, or the dice of the roll."""
    turn_total: int = 0
    hot_dice: int = 0
    roll: Roll | None = None
    """The roll from which dice are to be set aside."""
    used: int = 0
    """How often the badge was used in the turn."""
    is_changed: bool = False
    """Whether the badge has changed the roll, which it does once at most."""

    @property
    def state(self) -> TurnState:
        """How far the turn has come, the roll aside."""
        return TurnState(self.turn_total, self.dice, self.hot_dice)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How the last turn ended."""

    seat: int
    how: TurnEnding
    points: int
    """What the turn added to the score."""
    lost: int = 0
    """What it took from it."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game after some events."""

    id: str
    rules: Ruleset
    seats: tuple[Seat, ...]
    turn: Turn
    host: int | None
    tracked: bool
    hints: bool
    away_seconds: int | None
    commitment: str | None
    version: int = 1
    """Number of events."""
    stage: Stage = Stage.LOBBY
    mover: int = 0
    seeds: tuple[tuple[int, str], ...] = ()
    rolls: int = 0
    """Number of rolls so far."""
    reached: tuple[int, ...] = ()
    """Seats that have reached the goal, in the order in which they came to their score."""
    waiting: tuple[int, ...] = ()
    """Seats that have their last turn, or one of a play-off, still before them; the mover first."""
    played_off: tuple[tuple[int, int], ...] = ()
    """Seats and points of the turns of this round of a play-off."""
    last: TurnEnd | None = None
    shares: tuple[float, ...] | None = None
    """Of the win, by seat, once there is a result."""
    secret: str | None = None
    before: "Game | None" = None
    """The game that taking back the last event leads to."""
    kits: tuple[Kit, ...] = ()
    """What each player brings, seat by seat, also who is still to sit down; none where all throw
    the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these dice may score without a die that is none."""
    matchup: Matchup | None = None
    """What two players bring as it is solved; side k is seat k. More are not solved."""
    pool: tuple[NamedDie, ...] = ()
    """Two of each of which are laid out, for two players to take their dice of in turn."""
    picks: tuple[int, ...] = ()
    """Places in the pool of the pairs that were taken, in their order."""
    closed: bool = False
    """Whether it is a game of a tournament: nobody else can sit down, and nobody get up."""

    @property
    def over(self) -> bool:
        """Whether nobody can move any more."""
        return self.stage is Stage.OVER

    @property
    def bot_to_move(self) -> str | None:
        """Level of the bot whose turn it is."""
        return None if self.over else self.seats[self.mover].level

    @property
    def is_drafting(self) -> bool:
        """Whether players still take their dice; the one whose turn it is is the one to move."""
        return bool(self.pool) and not self.kits and not self.over

    @property
    def side(self) -> Side | None:
        """The side of the player to move, where players bring their dice."""
        return self.side_of(self.mover)

    @property
    def matchup_now(self) -> Matchup | None:
        """The match-up of the side of the player to move."""
        return self.side.matchup if self.side else None

    def side_of(self, seat: int) -> Side | None:
        """The side of a player, where players bring their dice.

        Of more than two that against the strongest of the others, as if they were alone.
        """
        if self.matchup:
            return Side(self.matchup, seat)
        if not self.kits:
            return None
        one, other = self.kits[seat], self.kits[self.rival_of(seat)]
        return Side(pair_of(self.rules, one, other, joker_alone=self.joker_alone), 0)

    def rival_of(self, seat: int) -> int:
        """The strongest of the others who play; before they sit down whoever comes next."""
        others = [k for k, one in enumerate(self.seats) if k != seat and one.playing]
        if not others:
            return (seat + 1) % max(2, len(self.kits))
        return max(others, key=lambda k: self.seats[k].score)

    @property
    def dice(self) -> DiceSet:
        """What the player to move throws."""
        return self.side.dice if self.side else dice_set(self.rules)

    @property
    def first_turn(self) -> Turn:
        """The turn of the player to move as it begins."""
        return Turn(self.dice.whole)

    @property
    def number_of_dice(self) -> int:
        """How many are to be rolled next, or were rolled."""
        if self.turn.roll is not None:
            return len(self.turn.roll)
        return sum(self.dice.remaining[self.turn.dice])

    @property
    def has_hot_dice(self) -> bool:
        """Whether all dice are to be rolled, as at the start of a turn."""
        return self.turn.dice == self.dice.whole

    def set_asides(self, roll: Roll | None = None) -> tuple[SetAside, ...]:
        """Every legal set-aside of a roll of the player to move, of the one on the table if None.

        Most points first.
        """
        found = (self.turn.roll or ()) if roll is None else roll
        return self.side.set_asides(found) if self.side else set_asides(self.rules, found)

    @property
    def is_farkle(self) -> bool:
        """Whether a farkle lies on the table that the badge of the player to move may mend."""
        return self.turn.roll is not None and not self.set_asides()

    @property
    def power(self) -> Power | None:
        """What the badge of the player to move still allows in this turn, now or later."""
        power = self.side.power if self.side else None
        if self.over or power is None or not self.seats[self.mover].uses:
            return None
        return None if self._is_spent else power

    @property
    def may_use(self) -> bool:  # noqa: PLR0911 - one for each kind
        """Whether the player to move may use the badge now."""
        side, power, turn = self.side, self.power, self.turn
        if side is None or power is None:
            return False
        if turn.roll is None:
            match power.kind:
                case PowerKind.WARLORD:
                    return not turn.turn_total if power.at_start else self.may_bank_more
                case PowerKind.MIGHT:
                    return True
            return False
        match power.kind:
            case PowerKind.RESURRECTION:
                return self.is_farkle and not turn.is_changed
            case PowerKind.DOPPELGANGER:
                return not self.is_farkle
            case PowerKind.TRANSMUTATION | PowerKind.REROLL:
                changes = side.can_reroll if power.kind is PowerKind.REROLL else side.can_turn
                open_to_it = power.after_farkle or not self.is_farkle
                return not turn.is_changed and open_to_it and changes(turn.roll)
        return False

    @property
    def may_bank_more(self) -> bool:
        """Whether the turn total may be banked with a badge that raises it."""
        turn, seat, rules = self.turn, self.seats[self.mover], self.rules
        power = self.power
        if power is None or not power.is_of_bank or turn.roll is not None or not turn.turn_total:
            return False
        wins = self.counted(seat.score + power.more(turn.turn_total)) >= rules.winning_score
        return self.may_bank or (wins and not rules.minimum_binds_win)

    @property
    def bank_points(self) -> int:
        """What the turn total counts for when it is banked without another use of the badge."""
        total, power = self.turn.turn_total, self.side.power if self.side else None
        said = power is not None and power.at_start and self.turn.used
        return power.more(total) if power and said else total

    @property
    def held(self) -> Held:
        """What is left of the badges, for the decision of the player to move."""
        if self.matchup is None or not any(self.matchup.powers):
            return Held()
        one, other = (seat.uses for seat in (*self.seats, Seat(None), Seat(None))[:2])
        return Held((one, other), self._is_spent, self.turn.is_changed)

    @property
    def _is_spent(self) -> bool:
        """Whether the badge was used in this turn, and may not again before the next one."""
        power = self.side.power if self.side else None
        return bool(self.turn.used and power and (power.once or power.at_start))

    @property
    def at_turn_start(self) -> "Game":
        """The game as the turn under way began."""
        mover = self.seats[self.mover]
        game = _with_seat(self, self.mover, uses=mover.uses + self.turn.used)
        return replace(game, turn=game.first_turn)

    def counted(self, score: int) -> int:
        """A score as it counts: a badge may leave a fraction of a step, which never matters."""
        return in_steps(self.rules, score) if self.matchup and score > 0 else score

    @property
    def may_bank(self) -> bool:
        """Whether the turn total may be banked now."""
        turn, seat = self.turn, self.seats[self.mover]
        if self.over or turn.roll is not None or not turn.turn_total:
            return False
        if self.has_hot_dice and self.rules.hot_dice != "optional":
            return False
        if self.bank_points > turn.turn_total and not self.rules.minimum_binds_win:
            # a use that was said may raise less than the minimum to the goal
            wins = self.counted(seat.score + self.bank_points) >= self.rules.winning_score
            return wins or turn.turn_total >= self.least_bank(seat)
        return turn.turn_total >= self.least_bank(seat)

    def least_bank(self, seat: Seat) -> int:
        """Least turn total that a seat may bank, hot dice aside."""
        on_board = seat.on_board or self.stage is Stage.PLAY_OFF
        return self.rules.least_bank_at(seat.score, on_board=on_board)

    @property
    def numbers_playing(self) -> range:
        """As how many the players have been, those of one left alone aside."""
        return range(max(2, self.playing), len(self.seats) + 1)

    @property
    def playing(self) -> int:
        """How many have not resigned."""
        return sum(seat.playing for seat in self.seats)

    @property
    def all_play_off(self) -> bool:
        """Whether it is a play-off in which everybody can still win who plays."""
        left = {*self.waiting, *(seat for seat, _ in self.played_off)}
        return self.stage is Stage.PLAY_OFF and len(left) == self.playing

    def shared_position(self) -> SharedPosition:
        """What the decision of the player to move depends on, with all who play.

        Of a play-off only where `all_play_off`.
        """
        seats = [k for k, seat in enumerate(self.seats) if seat.playing]
        standings = {k: self.seats[k].standing for k in seats}
        if self.stage is Stage.PLAY_OFF:
            goal, points = self.rules.winning_score, dict(self.played_off)
            standings = {k: Standing(goal + points.get(k, 0), 0, True) for k in seats}
        return SharedPosition(
            tuple(standings.values()),
            seats.index(self.mover),
            self.turn.state,
            tuple(map(seats.index, self.waiting)),
        )

    def position(self) -> Position:
        """What the decision of the player to move depends on.

        With more than two players, as if the strongest of the others were the only one.
        """
        rules, me, turn = self.rules, self.seats[self.mover], self.turn
        other = self.seats[self.rival_of(self.mover)]
        here = Position(turn_total=turn.turn_total, dice=turn.dice, hot_dice=turn.hot_dice)
        if self.stage is Stage.PLAY_OFF:
            most = max((points for _, points in self.played_off), default=None)
            return replace(
                here,
                banked=rules.winning_score,
                opponent=rules.winning_score + (most or 0),
                began=most is None,
            )
        final = other.score >= rules.winning_score
        last_of_round = not any(seat.playing for seat in self.seats[self.mover + 1 :])
        return replace(
            here,
            banked=max(self.counted(me.score), rules.score_floor),
            opponent=max(self.counted(other.score), rules.score_floor),
            farkles=0 if final else me.farkles,
            opponent_farkles=0 if final else other.farkles,
            on_board=me.on_board,
            opponent_on_board=other.on_board,
            began=not (rules.has_roles and (last_of_round or final)),
        )


def fold(first: Begun, others: Iterable[Event]) -> Game:
    """The game that events make."""
    game = begin(first)
    for event in others:
        game = apply(game, event)
    return game


def begin(event: Begun) -> Game:
    """The game that has just been set up.

    Raises FarkleError for what players cannot bring, as `matchup_of` does, or cannot take.
    """
    rules, kits = event.rules, event.kits
    if event.pool:
        check_loaded(rules, dice_set(rules))
        check_pool(event.pool, rules.dice)
    matchup = matchup_of_all(rules, kits, joker_alone=event.joker_alone) if kits else None
    seats = (_new_seat(rules, level, kits, k) for k, level in enumerate(event.levels))
    return Game(
        id=event.game,
        rules=rules,
        seats=tuple(seats),
        turn=Turn(kits[0].dice.dice_set.whole if kits else dice_set(rules).whole),
        host=event.host,
        tracked=event.tracked,
        hints=event.hints,
        away_seconds=event.away_seconds,
        commitment=event.commitment,
        kits=kits,
        joker_alone=event.joker_alone,
        matchup=matchup,
        pool=event.pool,
        closed=event.closed,
    )


def apply(game: Game, event: Event) -> Game:
    """The game after one more event, which the commands have found to be legal."""
    if isinstance(event, Undone):
        return replace(game.before or game, version=game.version + 1)
    after = replace(_applied(game, event), version=game.version + 1)
    # who has sat down stays
    stays = isinstance(event, Joined | Left | Revealed)
    is_decision = isinstance(event, Kept | Banked | Accepted) or (
        isinstance(event, Used) and not event.fallen
    )
    if is_decision or (game.tracked and not stays):
        return replace(after, before=game)
    return replace(after, before=None)


def _applied(game: Game, event: Event) -> Game:  # noqa: C901, PLR0911, PLR0912 - kinds of events
    match event:
        case Joined():
            game = _with_kit(game, event.kit)
            seat = _new_seat(game.rules, event.level, game.kits, len(game.seats))
            return replace(game, seats=(*game.seats, seat))
        case Left():
            return _without(game, event.seat)
        case Picked():
            return _picked(game, event.place)
        case Seeded():
            return replace(game, seeds=(*game.seeds, (event.seat, event.text)))
        case Rolled():
            stage = Stage.PLAY if game.stage is Stage.LOBBY else game.stage
            rolled = replace(game, stage=stage, rolls=game.rolls + 1)
            return _after_roll(rolled, event.dice)
        case Kept():
            return replace(game, turn=turn_after(game, event.dice))
        case Banked():
            return _end_turn(game, TurnEnding.BANK, game.bank_points)
        case Used():
            return _used(game, event)
        case Accepted():
            return _end_turn(game, TurnEnding.FARKLE, 0)
        case Scored():
            stage = Stage.PLAY if game.stage is Stage.LOBBY else game.stage
            return _end_turn(replace(game, stage=stage), event.ending, event.points)
        case Skipped():
            return _end_turn(game, TurnEnding.SKIP, 0)
        case Corrected():
            return _corrected(game, event)
        case Resigned():
            return _resigned(game, event.seat)
        case Replaced():
            return _with_seat(game, event.seat, level=event.level)
        case Ended():
            return replace(game, stage=Stage.OVER)
        case Revealed():
            return replace(game, secret=event.secret)
    raise AssertionError(event)


def turn_after(game: Game, kept: Roll, times: int = 1) -> Turn:
    """The turn once dice of its roll, a legal set-aside, were set aside for so many times."""
    dice, turn = make_roll(kept), game.turn
    chosen = next(one for one in game.set_asides() if one.dice == dice)
    if game.side:
        after = game.side.after(turn.state, chosen, times)
    else:
        after = after_set_aside(game.rules, turn.state, chosen)
    return Turn(after.dice, after.turn_total, after.hot_dice, used=turn.used)


def _used(game: Game, event: Used) -> Game:  # noqa: PLR0911 - one for each kind
    """The game after a use of the badge of the player to move."""
    side, turn = game.side, game.turn
    if side is None or side.power is None:
        raise AssertionError(event)
    power, roll = side.power, turn.roll or ()
    turn = replace(turn, used=turn.used + 1)
    game = replace(
        _with_seat(game, game.mover, uses=game.seats[game.mover].uses - 1),
        turn=turn,
        stage=Stage.PLAY if game.stage is Stage.LOBBY else game.stage,
        rolls=game.rolls + bool(event.fallen),
    )
    match power.kind:
        case PowerKind.WARLORD if not power.at_start:
            return _end_turn(game, TurnEnding.BANK, power.more(turn.turn_total))
        case PowerKind.RESURRECTION:
            return _after_roll(replace(game, turn=replace(turn, roll=None)), event.fallen)
        case PowerKind.MIGHT:
            return _after_roll(replace(game, turn=replace(turn, is_changed=True)), event.fallen)
        case PowerKind.DOPPELGANGER:
            return replace(game, turn=turn_after(game, event.dice, times=2))
        case PowerKind.TRANSMUTATION:
            roll = side.turned(roll, event.dice[0])
            return replace(game, turn=replace(turn, roll=roll, is_changed=True))
        case PowerKind.REROLL:
            roll = (*without(roll, event.dice), *event.fallen)
            return _after_roll(replace(game, turn=replace(turn, is_changed=True)), roll)
    return game


def _turn_of(game: Game, seat: int) -> Game:
    """The game where a seat begins a turn."""
    game = replace(game, mover=seat)
    return replace(game, turn=game.first_turn)


def _new_seat(rules: Ruleset, level: str | None, kits: tuple[Kit, ...], number: int) -> Seat:
    badge = badges_of(kits)[number] if len(kits) == 2 else None
    score, uses = (badge.head_start, badge.uses_left) if badge else (0, 0)
    return Seat(level, score, on_board=first_standing(rules).on_board, uses=uses)


def _seated_anew(game: Game) -> Game:
    """The game before its first roll, once players bring other things."""
    levels = (seat.level for seat in game.seats)
    seats = (_new_seat(game.rules, level, game.kits, k) for k, level in enumerate(levels))
    return replace(game, seats=tuple(seats))


def _picked(game: Game, place: int) -> Game:
    """The game once one more pair was taken: the last one begins it."""
    picks = (*game.picks, place)
    order = order_of_picks(pairs_of(game.rules.dice))
    game = replace(game, picks=picks)
    if len(picks) < len(order):
        return replace(game, mover=order[len(picks)])
    kits = kits_of_picks(game.pool, picks, game.rules.dice)
    return _turn_of(_bringing(game, kits), 0)


def _with_kit(game: Game, kit: Kit | None) -> Game:
    """The game to which the next one to sit down brings this."""
    if kit is None or not game.kits:
        return game
    number = len(game.seats)
    return _seated_anew(_bringing(game, (*game.kits[:number], kit, *game.kits[number + 1 :])))


def _bringing(game: Game, kits: tuple[Kit, ...]) -> Game:
    matchup = matchup_of_all(game.rules, kits, joker_alone=game.joker_alone)
    return replace(game, kits=kits, matchup=matchup)


def _without(game: Game, number: int) -> Game:
    """The game without a seat; nobody has rolled yet."""

    def moved(seat: int) -> int:
        return seat - (seat > number)

    host = None if game.host in {None, number} else moved(game.host or 0)
    seeds = tuple((moved(seat), text) for seat, text in game.seeds if seat != number)
    seats = (*game.seats[:number], *game.seats[number + 1 :])
    game = replace(game, seats=seats, host=host, seeds=seeds)
    if game.kits:
        # what who gets up has brought is there for who comes
        kits = (*game.kits[:number], *game.kits[number + 1 :], game.kits[number])
        game = _seated_anew(_bringing(game, kits))
    return _turn_of(game, moved(game.mover) % len(seats))


def _with_seat(game: Game, number: int, **changes: Any) -> Game:
    seats = list(game.seats)
    seats[number] = replace(seats[number], **changes)
    return replace(game, seats=tuple(seats))


def _after_roll(game: Game, fallen: Roll) -> Game:
    turn, seat, roll = game.turn, game.seats[game.mover], make_roll(fallen)
    found = fate(game.rules, roll) if game.side is None else _loaded_fate(game, roll)
    match found:
        case Fate.SCORES:
            return replace(game, turn=replace(turn, roll=roll))
        case Fate.WINS:
            return _end_turn(game, TurnEnding.WIN, 0)
        case Fate.LOSES:
            return _end_turn(game, TurnEnding.LOSE, 0)
        case Fate.FARKLE:
            lies = replace(game, turn=replace(turn, roll=roll))
            if lies.may_use:
                return lies
            keeps = game.rules.farkle_keeps_turn_total and turn.turn_total >= game.least_bank(seat)
            return _end_turn(game, TurnEnding.FARKLE, turn.turn_total if keeps else 0)


def _loaded_fate(game: Game, roll: Roll) -> Fate:
    return Fate.SCORES if game.set_asides(roll) else Fate.FARKLE


def _end_turn(game: Game, how: TurnEnding, points: int) -> Game:
    """The mover's turn is over; `points` are banked."""
    number, rules = game.mover, game.rules
    before = game.seats[number]
    counted = replace(
        before,
        turns=before.turns + (how is not TurnEnding.SKIP),
        farkled=before.farkled + (how is TurnEnding.FARKLE),
        biggest_turn=max(before.biggest_turn, points),
    )
    played_off = game.stage is Stage.PLAY_OFF
    after = counted if played_off else _scored(rules, counted, how, points)
    seats = (*game.seats[:number], after, *game.seats[number + 1 :])
    lost = before.score + (0 if played_off else points) - after.score
    end = TurnEnd(number, how, points, lost)
    game = _turn_of(replace(game, seats=seats, last=end), number)
    if how is TurnEnding.WIN:
        return _won_by(game, [number])
    if played_off:
        if how is not TurnEnding.LOSE:
            game = replace(game, played_off=(*game.played_off, (number, points)))
        return _next_waiting(game, game.waiting[1:])
    reaches = points > 0 and game.counted(after.score) >= rules.winning_score
    if reaches:
        if rules.goal_ends_game(last_of_round=False):
            return _won_by(game, [number])
        game = replace(game, reached=(*game.reached, number))
    if game.stage is Stage.FINAL:
        return _next_waiting(game, game.waiting[1:])
    if reaches:
        following = _following(game, number)
        if rules.ending == "equal_turns":
            following = [seat for seat in following if seat > number]
        return _next_waiting(replace(game, stage=Stage.FINAL), tuple(following))
    return _turn_of(game, _following(game, number)[0])


def _scored(rules: Ruleset, seat: Seat, how: TurnEnding, points: int) -> Seat:
    """A seat after its turn."""
    if how is TurnEnding.SKIP:
        return seat
    farkles, loses = how is TurnEnding.FARKLE, how is TurnEnding.LOSE
    after = after_turn(rules, seat.standing, points, farkles=farkles, loses=loses)
    return replace(seat, score=after.score, farkles=after.farkles, on_board=after.on_board)


def _following(game: Game, number: int) -> list[int]:
    """The other seats that play, in the order of their turns; the seat itself if it is alone."""
    count = len(game.seats)
    order = [(number + k) % count for k in range(1, count)]
    return [seat for seat in order if game.seats[seat].playing] or [number]


def _next_waiting(game: Game, waiting: tuple[int, ...]) -> Game:
    """Go on with the next last turn, or see who has won."""
    left = [*waiting, *(seat for seat, _ in game.played_off)]
    if game.stage is Stage.PLAY_OFF and len(left) == 1:
        return _won_by(game, left)
    if waiting:
        return replace(game, waiting=waiting, mover=waiting[0])
    if game.stage is Stage.PLAY_OFF:
        points = dict(game.played_off)
        most = max(points.values())
        level = [seat for seat in points if points[seat] == most]
        return _won_by(game, level) if len(level) == 1 else _play_off(game, level)
    playing = [number for number, seat in enumerate(game.seats) if seat.playing]
    most = max(game.seats[seat].score for seat in playing)
    level = [seat for seat in playing if game.seats[seat].score == most]
    if len(level) > 1 and game.rules.ties == "played_on":
        return _play_off(game, level)
    if game.rules.ties == "earlier":
        level = [min(level, key=[*game.reached, *playing].index)]
    return _won_by(game, level)


def _play_off(game: Game, level: list[int]) -> Game:
    """One more turn for each of those who are level, first for the one whose turn it is."""
    order = [seat for seat in [*_following(game, game.mover), game.mover] if seat in level]
    return replace(game, stage=Stage.PLAY_OFF, waiting=tuple(order), played_off=(), mover=order[0])


def _won_by(game: Game, winners: list[int]) -> Game:
    shares = tuple(1 / len(winners) if k in winners else 0.0 for k in range(len(game.seats)))
    return replace(game, stage=Stage.OVER, waiting=(), shares=shares)


def _corrected(game: Game, event: Corrected) -> Game:
    seat = game.seats[event.seat]
    score = seat.score if event.score is None else event.score
    changed = _with_seat(
        game,
        event.seat,
        score=score,
        farkles=seat.farkles if event.farkles is None else event.farkles,
        uses=seat.uses if event.uses is None else event.uses,
        # everybody starts off the board with 0
        on_board=score > 0 or (seat.on_board and not (event.score == 0 and game.rules.has_opening)),
    )
    if event.moves:
        return _turn_of(changed, event.seat)
    return changed


def _resigned(game: Game, number: int) -> Game:
    """A seat is out; who is left alone has won."""
    moves = game.mover == number
    game = _with_seat(game, number, playing=False)
    playing = [k for k, seat in enumerate(game.seats) if seat.playing]
    if len(playing) == 1:
        return _won_by(game, playing)
    game = replace(game, reached=tuple(seat for seat in game.reached if seat != number))
    if moves:
        game = _turn_of(game, number)
    if game.stage is Stage.FINAL and not game.reached:
        # the goal is open again
        mover = _following(game, number)[0] if moves else game.mover
        return replace(game, stage=Stage.PLAY, waiting=(), mover=mover)
    if game.stage in {Stage.FINAL, Stage.PLAY_OFF}:
        played = tuple((seat, points) for seat, points in game.played_off if seat != number)
        waiting = tuple(seat for seat in game.waiting if seat != number)
        return _next_waiting(replace(game, played_off=played), waiting)
    return replace(game, mover=_following(game, number)[0]) if moves else game
