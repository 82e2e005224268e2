"""A game as it stands: what players have, the turn under way, and what may be done now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from bot.table.events import Picked, Setup, TurnEnding
from solver.errors import IllegalActionError
from solver.game.best import BestPlay
from solver.game.position import Held, Position, highest_score
from solver.game.standings import Standing
from solver.loaded.kits import Kit, Side, kit_of, many_of, pair_of
from solver.loaded.matchup import Matchup
from solver.named.sets import NamedDie, read_die
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Hand, Roll, SetAside, TurnState
from solver.turn.equations import EqualDice
from solver.turn.powers import Power, PowerKind, in_steps
from solver.wording import say


class Stage(StrEnum):
    """How far a game is."""

    LOBBY = "lobby"
    """Nobody has rolled yet."""
    PLAY = "play"
    FINAL = "final"
    """Somebody has reached the goal, and others have a last turn."""
    PLAY_OFF = "play-off"
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat(Standing):
    """What one player has; points in points, and counts of the game so far."""

    level: str | None = None
    """The level of the bot that plays; None for a person."""
    playing: bool = True
    turns: int = 0
    farkled: int = 0
    """Turns that ended in a farkle."""
    biggest_turn: int = 0
    uses: int = 0
    """The uses of the badge that are left."""

    @property
    def standing(self) -> Standing:
        """Where the player stands between turns."""
        return Standing(self.score, self.farkles, self.on_board, self.banked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(TurnState):
    """The turn under way; its dice are those to roll next, or those of the roll."""

    roll: Roll | None = None
    """The roll from which dice are to be set aside."""
    used: int = 0
    """How often the badge was used in the turn."""
    is_changed: bool = False
    """Whether the badge has changed the roll, which it does once at most."""
    is_taken: bool = False
    """Whether it was taken over from the player before, and nothing was rolled since."""
    misses: int = 0
    """How often the dice to roll have farkled since the last ones were set aside."""

    @property
    def state(self) -> TurnState:
        """How far the turn has come, the roll aside."""
        return TurnState(*self.fields)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How the last turn ended."""

    seat: int
    how: TurnEnding
    points: int
    """What the turn added to the score."""
    lost: int = 0
    """What it took from it."""
    others: int = 0
    """What it added to the score of the other of two players; below 0 for one who falls back."""


@dataclass(frozen=True, slots=True)
class Game(Setup):
    """A game after some events."""

    id: str
    seats: tuple[Seat, ...]
    turn: Turn
    version: int = 1
    """Number of events."""
    stage: Stage = Stage.LOBBY
    mover: int = 0
    seeds: tuple[tuple[int, str], ...] = ()
    rolls: int = 0
    """Number of rolls so far."""
    turns_over: int = 0
    """Turns that are over, those that were skipped as well."""
    reached: tuple[int, ...] = ()
    """Seats that have reached the goal, in the order in which they came to their score."""
    waiting: tuple[int, ...] = ()
    """Seats that have their last turn, or one of a play-off, still before them; the mover first."""
    played_off: tuple[tuple[int, int], ...] = ()
    """Seats and points of the turns of this round of a play-off."""
    last: TurnEnd | None = None
    left: TurnState | None = None
    """What the last turn left, until somebody rolls."""
    shares: tuple[float, ...] | None = None
    """Shares of the win by seat, once there is a result."""
    secret: str | None = None
    before: "Game | None" = None
    """The game that taking back the last event leads to."""
    matchup: Matchup | None = None
    """What two players bring as it is solved; side k is seat k. Of more see `many_matchup`."""
    picks: tuple[int, ...] = ()
    """Places in the pool of the pairs that were taken, in their order."""

    @property
    def over(self) -> bool:
        """Whether nobody can move any more."""
        return self.stage is Stage.OVER

    @property
    def rounds_over(self) -> int:
        """The number of rounds in which everybody has had a turn."""
        return self.turns_over // max(2, len(self.seats))

    @property
    def rounds_left(self) -> int:
        """Rounds left with the one under way, where the rules count them; the last is repeated."""
        left = self.rules.rounds - self.rounds_over
        return max(1, left) if self.rules.rounds else 0

    @property
    def was_played(self) -> bool:
        """Whether there was a turn, or a decision in the first one."""
        return self.rolls > 1 or any(seat.turns for seat in self.seats)

    @property
    def bot_to_move(self) -> str | None:
        """Level of the bot whose turn it is."""
        return None if self.over else self.seats[self.mover].level

    @property
    def may_be_left(self) -> bool:
        """Whether who sits here may just get up: it has not begun, nor is it of a tournament."""
        return self.stage is Stage.LOBBY and not self.closed and not self.picks

    @property
    def is_drafting(self) -> bool:
        """Whether players still take their dice; the one whose turn it is is the one to move."""
        return bool(self.pool) and not self.kits and not self.over

    @property
    def turn_rules(self) -> Ruleset:
        """The rules of the turn under way, which may have other throws as one of the last."""
        is_last = self.stage in {Stage.FINAL, Stage.PLAY_OFF}
        return self.rules.in_last_turns if is_last else self.rules

    @property
    def side(self) -> Hand:
        """The player to move with the dice that are thrown."""
        return self.side_of(self.mover)

    @property
    def kit(self) -> Kit:
        """What the player to move brings."""
        return self.kit_of(self.mover)

    def kit_of(self, seat: int) -> Kit:
        """What a seat brings, also one that nobody has taken yet."""
        return kit_of(self.kits, seat, self.rules)

    @property
    def many_matchup(self) -> Matchup | None:
        """What those bring who still play at a table of more than two, as it is solved.

        Before they sit down that of all. None where it is too large.
        """
        return self.many_matchup_of(self.playing)

    def many_matchup_of(self, players: int) -> Matchup | None:
        """The match-up of those who play or of all who sat down; None for other numbers."""
        if len(self.kits) < 3:
            return None
        seated = self.kits[: len(self.seats)]
        playing = tuple(k for k, player in zip(seated, self.seats, strict=True) if player.playing)
        kits = {len(seated): seated, len(playing): playing}.get(players)
        if kits is None or len(kits) < 2:
            kits = self.kits if players < 2 else None
        if kits is None:
            return None
        return many_of(self.rules, kits, joker_alone=self.joker_alone)

    def side_of(self, seat: int) -> Hand:
        """A player with the dice that are thrown.

        Of more than two that against the strongest of the others, as if they were alone.
        """
        if self.matchup:
            return Side(self.matchup, seat)
        if not self.kits:
            return EqualDice(self.turn_rules)
        own, rival = self.kits[seat], self.kits[self.rival_of(seat)]
        return Side(pair_of(self.rules, own, rival, joker_alone=self.joker_alone), 0)

    def rival_of(self, seat: int) -> int:
        """The strongest of the others who play; before they sit down whoever comes next."""
        others = [k for k, player in enumerate(self.seats) if k != seat and player.playing]
        if not others:
            return (seat + 1) % max(2, len(self.kits))
        return max(others, key=lambda k: self.seats[k].score)

    @property
    def dice(self) -> DiceSet:
        """What the player to move throws."""
        return self.side.dice

    @property
    def first_turn(self) -> Turn:
        """The turn of the player to move as it begins."""
        return Turn(0, self.dice.whole)

    @property
    def number_of_dice(self) -> int:
        """How many are to be rolled next, or were rolled."""
        if self.turn.roll is not None:
            return len(self.turn.roll)
        return sum(self.dice.remaining[self.turn.dice])

    @property
    def tries(self) -> int:
        """How many times the dice to be rolled next are thrown that farkle; 0 for any number."""
        return self.rules.tries(self.number_of_dice, first=self.turn.is_first)

    @property
    def has_hot_dice(self) -> bool:
        """Whether all dice are to be rolled, as at the start of a turn."""
        return self.turn.dice == self.dice.whole

    def set_asides(self, roll: Roll | None = None) -> tuple[SetAside, ...]:
        """Every legal set-aside of a roll of the player to move, of the one on the table if None.

        Most points first.
        """
        shown = (self.turn.roll or ()) if roll is None else roll
        return self.side.set_asides(shown, self.turn.state)

    @property
    def is_farkle(self) -> bool:
        """Whether a farkle lies on the table that the badge of the player to move may mend."""
        return self.turn.roll is not None and not self.set_asides()

    @property
    def power(self) -> Power | None:
        """What the badge of the player to move still allows in this turn, now or later."""
        power = self.side.power
        if self.over or power is None or not self.seats[self.mover].uses:
            return None
        return None if self._is_spent else power

    @property
    def may_use(self) -> bool:  # noqa: PLR0911 - one for each kind
        """Whether the player to move may use the badge now."""
        side, power, turn = self.side, self.power, self.turn
        if power is None:
            return False
        if turn.roll is None:
            match power.kind:
                case PowerKind.WARLORD if power.at_start:
                    return not turn.turn_total
                case PowerKind.WARLORD:
                    return self._may_bank(power.more(turn.turn_total))
                case PowerKind.MIGHT:
                    return True
            return False
        match power.kind:
            case PowerKind.RESURRECTION:
                return self.is_farkle and not turn.is_changed
            case PowerKind.DOPPELGANGER:
                return not self.is_farkle
            case PowerKind.TRANSMUTATION | PowerKind.REROLL:
                if turn.is_changed or (self.is_farkle and not power.after_farkle):
                    return False
                rerolls = power.kind is PowerKind.REROLL
                can_turn = not rerolls and side.can_turn(turn.roll, turn.state)
                return can_turn or (rerolls and side.can_reroll(turn.roll))
        return False

    @property
    def bank_points(self) -> int:
        """What the turn total counts for when it is banked without another use of the badge."""
        total, power = self.turn.turn_total, self.side.power
        said = power is not None and power.at_start and self.turn.used
        return power.more(total) if power and said else total

    @property
    def held(self) -> Held:
        """What is left of the badges, for the decision of the player to move."""
        if self.matchup is None or not any(self.matchup.powers):
            return Held()
        first, second = (seat.uses for seat in (*self.seats, Seat(), Seat())[:2])
        return Held((first, second), self._is_spent, self.turn.is_changed)

    @property
    def _is_spent(self) -> bool:
        """Whether the badge was used in this turn, and may not again before the next one."""
        power = self.side.power
        return bool(self.turn.used and power and (power.once or power.at_start))

    @property
    def at_turn_start(self) -> "Game":
        """The game as the turn under way began."""
        mover = self.seats[self.mover]
        game = self.with_seat(self.mover, uses=mover.uses + self.turn.used)
        return replace(game, turn=game.first_turn)

    def with_seat(self, number: int, **changes: Any) -> "Game":
        """The game with changes of what one player has."""
        seats = list(self.seats)
        seats[number] = replace(seats[number], **changes)
        return replace(self, seats=tuple(seats))

    def counted(self, score: int) -> int:
        """A score as it counts: a badge may leave a fraction of a step, which never matters."""
        return in_steps(self.rules, score) if self.matchup else score

    @property
    def offered(self) -> TurnState | None:
        """What the player to move may take over now, or else begin afresh."""
        mover = self.seats[self.mover]
        may = self.rules.may_take_over(mover.score, on_board=mover.on_board)
        return self.left if may and self.turn == self.first_turn and not self.over else None

    @property
    def may_bank(self) -> bool:
        """Whether the turn total may be banked now."""
        return self._may_bank(self.bank_points)

    @property
    def why_roll(self) -> str:
        """Why dice are rolled next without a decision between bank and roll; "" where there is."""
        if self.turn.misses:
            return say("there is nothing to decide: dice that farkle are thrown again here")
        if self.turn.is_taken and self.turn.roll is None:
            return say("what was taken over is banked with dice of a further roll: roll first")
        return ""

    @property
    def is_out_of_throws(self) -> bool:
        """Whether dice were set aside of the last throw that a turn may have."""
        return 0 < self.turn_rules.throws == self.turn.throws and self.turn.roll is None

    @property
    def is_lost(self) -> bool:
        """Whether the last throw was made and what it came to may not be banked."""
        return self.is_out_of_throws and not self.may_bank

    def _may_bank(self, points: int) -> bool:
        """Whether the mover may bank now, and so many points for it."""
        seat, turn = self.seats[self.mover], self.turn
        if self.over or turn.roll is not None or not turn.turn_total:
            return False
        if self.why_roll or turn.to_confirm or self.rules.is_part(turn.held_set):
            return False
        left = sum(self.dice.remaining[turn.dice])
        if not self.is_out_of_throws and not self.rules.may_leave(
            self.rules.dice if turn.dice == self.dice.whole else left
        ):
            return False
        if self.is_barred(seat, points):
            return False
        if points > turn.turn_total and not self.rules.minimum_binds_win:
            # a use may raise less than the minimum to the goal
            wins = self.counted(seat.score + points) >= self.rules.winning_score
            return wins or turn.turn_total >= self.least_bank(seat)
        return turn.turn_total >= self.least_bank(seat)

    def is_barred(self, seat: Seat, points: int) -> bool:
        """Whether so many points would leave a seat at a score that no bank may leave."""
        score = self.counted(seat.score + points)
        in_play = self.stage in {Stage.LOBBY, Stage.PLAY}
        return in_play and self.rules.is_barred(score)

    def least_bank(self, seat: Seat) -> int:
        """Least turn total that a seat may bank, hot dice aside."""
        on_board = seat.on_board or self.stage is Stage.PLAY_OFF
        least = self.rules.least_bank_at(self.counted(seat.score), on_board=on_board)
        return max(least, self.to_beat + self.rules.point_step) if self.to_beat else least

    @property
    def to_beat(self) -> int:
        """What the turn before has banked, if the turn under way has to beat that; else 0."""
        rival = self.rival_of(self.mover)
        return self.seats[rival].banked if rival < len(self.seats) else 0

    @property
    def numbers_playing(self) -> range:
        """The numbers of players that the game has had, but for one player left alone."""
        return range(max(2, self.playing), len(self.seats) + 1)

    @property
    def playing(self) -> int:
        """How many have not resigned."""
        return sum(seat.playing for seat in self.seats)

    def may_be_at(self, rules: Ruleset, scores: Sequence[int], roll: Roll | None = None) -> bool:
        """Whether a question on a position may be one on this game.

        That is where nearly the same rules are meant, and either the roll that lies on the table or
        scores that are as near to those of a player and of the strongest of the others: near is up
        to a twentieth of the goal, so that what is best there tells what is best here.

        scores : of the player to move in the position, then of the others
        """
        if rules.digest_but_goal != self.rules.digest_but_goal:
            return False
        if roll and roll == self.turn.roll:
            return True

        def near(score: int, other: int) -> bool:
            return abs(score - other) * 20 <= self.rules.scale

        here = [seat.score for seat in self.seats if seat.playing]
        own, *others = scores
        return near(rules.goal, self.rules.goal) and any(
            near(own, score) and near(max(others), max(here[:k] + here[k + 1 :]))
            for k, score in enumerate(here)
        )

    @property
    def in_order(self) -> tuple[int, ...]:
        """The seats that play, the mover first."""
        count = len(self.seats)
        order = ((self.mover + k) % count for k in range(count))
        return tuple(seat for seat in order if self.seats[seat].playing)

    @property
    def contenders(self) -> tuple[int, ...]:
        """The seats that can still win, the mover first; in a play-off not all who play."""
        if self.stage is not Stage.PLAY_OFF:
            return self.in_order
        most = max((points for _, points in self.played_off), default=0)
        best = [seat for seat, points in self.played_off if points == most]
        return (self.mover, *(seat for seat in self.waiting if seat != self.mover), *best)

    @property
    def all_play_off(self) -> bool:
        """Whether it is a play-off in which everybody can still win who plays."""
        left = {*self.waiting, *(seat for seat, _ in self.played_off)}
        return self.stage is Stage.PLAY_OFF and len(left) == self.playing

    def position_of_all(self) -> Position:
        """What the decision of the player to move depends on, with all who play.

        Of a play-off only where `all_play_off`.
        """
        seats = [k for k, seat in enumerate(self.seats) if seat.playing]
        standings = {k: self.seats[k].standing for k in seats}
        if self.stage is Stage.PLAY_OFF:
            goal, points = self.rules.winning_score, dict(self.played_off)
            standings = {k: Standing(goal + points.get(k, 0), 0, True) for k in seats}
        return Position(
            tuple(standings.values()),
            seats.index(self.mover),
            self.turn.state,
            tuple(map(seats.index, self.waiting)),
            rounds_left=self.rounds_left,
        )

    def position_in(self, play: BestPlay) -> Position:
        """Return the position that best play is asked about: of all of whom it knows, or of two."""
        is_of_all = play.players > 2 or (len(self.kits) > 2 and play.matchup == self.many_matchup)
        return self.position_of_all() if is_of_all else self.position()

    def position(self) -> Position:
        """What the decision of the player to move depends on.

        With more than two players, as if the strongest of the others were the only one.
        """
        rules, me, turn = self.rules, self.seats[self.mover], self.turn
        rival = self.rival_of(self.mover)
        other = self.seats[rival]
        if self.stage is Stage.PLAY_OFF:
            most = max((points for _, points in self.played_off), default=None)
            goal = rules.winning_score
            position = Position.of_two(goal, goal + (most or 0), began=most is None)
            if self.matchup:
                seat = self.mover
                waiting = (seat, 1 - seat) if most is None else (seat,)
                position = replace(self._by_side(position), waiting=waiting)
            return replace(position, turn=turn.state)
        final = self.counted(other.score) >= rules.winning_score
        if final and rules.is_defended:
            # it is how far they are apart that counts
            excess = max(0, other.score - highest_score(rules))
            me, other = (
                replace(standing, score=standing.score - excess) for standing in (me, other)
            )
        last_of_round = not any(seat.playing for seat in self.seats[self.mover + 1 :])
        if rules.rounds:  # of these two
            last_of_round = rival < self.mover
        position = Position.of_two(
            banked=max(self.counted(me.score), rules.score_floor),
            opponent=max(self.counted(other.score), rules.score_floor),
            farkles=0 if final else me.farkles,
            opponent_farkles=0 if final else other.farkles,
            on_board=me.on_board,
            opponent_on_board=other.on_board,
            began=not (rules.has_roles and (last_of_round or final)),
            rounds_left=self.rounds_left,
            to_beat=self.to_beat,
        )
        position = self._by_side(position)
        return replace(position, turn=turn.state, held=self.held, offered=self.offered)

    def _by_side(self, position: Position) -> Position:
        """The position of two with the mover in the place of its seat, where players bring dice."""
        if not self.matchup:
            return position
        pair, number = (position.own, position.other), self.mover
        return replace(position, players=pair[::-1] if number else pair, mover=number)


def barred_text(game: Game, score: int) -> str:
    """Why no bank may leave a score."""
    if game.rules.goes_beyond(score):
        return say(
            "{score:,} points would be more than the goal, which has to be met exactly", score=score
        )
    return say(
        "under {rules} rules no bank may leave a score of {score:,}",
        rules=game.rules.name,
        score=score,
    )


def rolled_text(game: Game, roll: Roll) -> str:
    """A roll of the dice that the player to move rolls now, or has just rolled."""
    return game.kit.roll_text(roll, game.turn.dice)


def kept_text(game: Game, dice: Roll) -> str:
    """Dice of the roll on the table."""
    return game.kit.set_aside_text(game.turn.roll or dice, dice)


def pick_pair(game: Game, seat: int, place: int) -> list[Picked]:
    """Take a pair of dice that is laid out."""
    _check_drafting(game)
    check_opponent(game)
    _check_mover(game, seat)
    if place not in dict(laid_out(game)):
        raise _not_there(game)
    return [Picked(place=place)]


def place_of(game: Game, typed: str) -> int:
    """Where in the pool a die lies that is named.

    Raises InvalidDiceError, and IllegalActionError for one that is not there.
    """
    _check_drafting(game)
    if not typed.strip():
        raise IllegalActionError.say("say which pair to take: {pairs}", pairs=_left(game))
    die = read_die(typed).die
    for place, laid in laid_out(game):
        if laid.die == die:
            return place
    raise _not_there(game)


def laid_out(game: Game) -> list[tuple[int, NamedDie]]:
    """The pairs that nobody has taken yet, each with its place."""
    return [(place, die) for place, die in enumerate(game.pool) if place not in game.picks]


def check_drafted(game: Game) -> None:
    """Raises IllegalActionError while dice are taken."""
    if game.is_drafting:
        raise IllegalActionError.say(
            "the dice are still being taken: /pick takes a pair of {pairs}", pairs=_left(game)
        )


def check_opponent(game: Game) -> None:
    """Raises IllegalActionError while one player sits alone."""
    if len(game.seats) < 2:
        raise IllegalActionError.say("a game needs two players: somebody has to join first")


def check_goes_on(game: Game) -> None:
    """Raises IllegalActionError once a game is over."""
    if game.over:
        raise IllegalActionError.say("the game is over: /play begins another")


def check_turn(game: Game, seat: int) -> None:
    """Raises IllegalActionError unless a player is to move with dice that are all taken."""
    check_goes_on(game)
    check_drafted(game)
    _check_mover(game, seat)


def _check_mover(game: Game, seat: int) -> None:
    if seat != game.mover:
        raise IllegalActionError.say("it is not your turn")


def _check_drafting(game: Game) -> None:
    if not game.is_drafting:
        raise IllegalActionError.say(
            "no dice are laid out in this game: /play draft:choose begins one where players choose"
        )


def _not_there(game: Game) -> IllegalActionError:
    return IllegalActionError.say(
        "that pair is not among those that are left: {pairs}", pairs=_left(game)
    )


def _left(game: Game) -> str:
    return ", ".join(die.typed for _, die in laid_out(game))
