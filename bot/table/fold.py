"""The state of a game, from its events and its rules alone.

With more than two players the endings mean the following. After the first bank that reaches the
goal all others have one final turn, or only those who have not had their turn of the round
(`equal_turns`). Then the highest score wins. If several players have it, the rule on ties decides:
the first to reach it wins, they share the win, or they play one more turn each, again and again,
until one of them gets more points in it than the others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from bot.table import events
from bot.table.events import Begun, Event, TurnEnding
from bot.table.state import Game, Seat, Stage, Turn, TurnEnd
from solver.game.standings import after_turn, first_standing, other_after
from solver.loaded.kits import Kit, badges_of, kit_of, kits_of_picks, matchup_of_all
from solver.loaded.matchup import check_loaded
from solver.named.drafts import check_pool, order_of_picks, pairs_of
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, Roll, SetAside, TurnState, dice_set, make_roll, without
from solver.turn.powers import PowerKind


class Step(NamedTuple):
    """An event of a game, and the game before and after it."""

    before: Game
    event: Event
    after: Game


def steps(game: Game, events: Iterable[Event]) -> Iterator[Step]:
    """Apply events to a game, one after the other."""
    for event in events:
        after = apply(game, event)
        yield Step(game, event, after)
        game = after


def fold(first: Begun, others: Iterable[Event]) -> Game:
    """The game after its first event and all later ones."""
    game = begin(first)
    for event in others:
        game = apply(game, event)
    return game


def begin(event: Begun) -> Game:
    """The game that has just been set up.

    Raises FarkleError for dice and badges that the rules do not allow, as `matchup_of_all` does,
    and for a pool of dice that is too small for a draft.
    """
    rules, kits = event.rules, event.kits
    if event.pool:
        check_loaded(rules, dice_set(rules))
        check_pool(event.pool, rules.dice)
    matchup = matchup_of_all(rules, kits, joker_alone=event.joker_alone)
    seats = (_new_seat(rules, level, kits, k) for k, level in enumerate(event.levels))
    turn = Turn(0, kit_of(kits, 0, rules).dice.dice_set.whole)
    return Game(id=event.game, seats=tuple(seats), turn=turn, matchup=matchup, **event.terms)


def apply(game: Game, event: Event) -> Game:
    """The game after one more event, which the commands have found to be legal."""
    if isinstance(event, events.Undone):
        return replace(game.before or game, version=game.version + 1)
    # to undo a move does not make players get up who sat down after it
    stays = isinstance(event, events.Joined | events.Left | events.Revealed)
    is_decision = isinstance(
        event, events.Kept | events.Banked | events.Accepted | events.TookOver
    ) or (isinstance(event, events.Used) and not event.fallen)
    before = game if is_decision or (game.tracked and not stays) else None
    if game.is_out_of_throws:
        before = game.before  # the last throw ends the turn by itself
    return replace(_changed(game, event), version=game.version + 1, before=before)


def _changed(game: Game, event: Event) -> Game:  # noqa: C901, PLR0911, PLR0912 - kinds of events
    match event:
        case events.Joined():
            game = _with_kit(game, event.kit)
            seat = _new_seat(game.rules, event.level, game.kits, len(game.seats))
            return replace(game, seats=(*game.seats, seat))
        case events.Left():
            return _without(game, event.seat)
        case events.Picked():
            return _picked(game, event.place)
        case events.Seeded():
            return replace(game, seeds=(*game.seeds, (event.seat, event.text)))
        case events.Rolled():
            stage = Stage.PLAY if game.stage is Stage.LOBBY else game.stage
            rolled = replace(game, stage=stage, rolls=game.rolls + 1, left=None)
            return _after_roll(rolled, event.dice)
        case events.TookOver() if game.left:
            turn = Turn(game.left.turn_total, game.left.dice, is_taken=True)
            return replace(game, turn=turn, left=None)
        case events.Kept():
            return replace(game, turn=turn_after(game, event.dice))
        case events.Banked():
            return _end_turn(game, TurnEnding.BANK, game.bank_points)
        case events.Used():
            return _used(game, event)
        case events.Accepted():
            return _farkled(game)
        case events.Scored():
            stage = Stage.PLAY if game.stage is Stage.LOBBY else game.stage
            return _end_turn(replace(game, stage=stage), event.ending, event.points)
        case events.Skipped():
            return _end_turn(game, TurnEnding.SKIP, 0)
        case events.Corrected():
            return _corrected(game, event)
        case events.Resigned():
            return _resigned(game, event.seat)
        case events.Replaced():
            return game.with_seat(event.seat, level=event.level)
        case events.Ended():
            return replace(game, stage=Stage.OVER)
        case events.Revealed():
            return replace(game, secret=event.secret)
    raise AssertionError(event)


def turn_after(game: Game, kept: Roll, times: int = 1) -> Turn:
    """The turn after dice of its roll, a legal set-aside, were set aside.

    times : what a badge multiplies their points by
    """
    dice = make_roll(kept)
    chosen = next(option for option in game.set_asides() if option.dice == dice)
    return turn_with(game, chosen, times)


def turn_with(game: Game, chosen: SetAside, times: int = 1) -> Turn:
    """The turn after one of the legal set-asides; `times` as in `turn_after`."""
    after = game.side.after(game.turn.state, chosen, times)
    return Turn(*after.fields, used=game.turn.used)


def _used(game: Game, event: events.Used) -> Game:  # noqa: PLR0911 - one for each kind
    """The game after a use of the badge of the player to move."""
    side, turn = game.side, game.turn
    power, roll = side.power, turn.roll or ()
    if power is None:
        raise AssertionError(event)
    turn = replace(turn, used=turn.used + 1)
    game = replace(
        game.with_seat(game.mover, uses=game.seats[game.mover].uses - 1),
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
            return _after_roll(replace(game, turn=replace(turn, is_changed=True)), roll)
        case PowerKind.REROLL:
            roll = (*without(roll, event.dice), *event.fallen)
            return _after_roll(replace(game, turn=replace(turn, is_changed=True)), roll)
    return game


def _turn_of(game: Game, seat: int) -> Game:
    """The game in which a seat begins a turn."""
    return replace(game, mover=seat, turn=Turn(0, game.side_of(seat).dice.whole))


def _new_seat(rules: Ruleset, level: str | None, kits: tuple[Kit, ...], number: int) -> Seat:
    badge = badges_of(kits)[number] if len(kits) == 2 else None
    score, uses = (badge.head_start, badge.uses_left) if badge else (0, 0)
    return Seat(score, on_board=first_standing(rules).on_board, level=level, uses=uses)


def _with_new_seats(game: Game) -> Game:
    """The game before its first roll, with the head starts and uses that its badges give."""
    levels = (seat.level for seat in game.seats)
    seats = (_new_seat(game.rules, level, game.kits, k) for k, level in enumerate(levels))
    return replace(game, seats=tuple(seats))


def _picked(game: Game, place: int) -> Game:
    """The game after one more pair of dice was drafted; it begins after the last pair."""
    picks = (*game.picks, place)
    order = order_of_picks(pairs_of(game.rules.dice))
    game = replace(game, picks=picks)
    if len(picks) < len(order):
        return replace(game, mover=order[len(picks)])
    kits = kits_of_picks(game.pool, picks, game.rules.dice)
    return _turn_of(_with_kits(game, kits), 0)


def _with_kit(game: Game, kit: Kit | None) -> Game:
    """The game with the kit of the player who sits down next."""
    if kit is None:
        return game
    number = len(game.seats)
    return _with_new_seats(_with_kits(game, (*game.kits[:number], kit, *game.kits[number + 1 :])))


def _with_kits(game: Game, kits: tuple[Kit, ...]) -> Game:
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
        # the kit of the player who gets up waits for whoever takes the seat
        kits = (*game.kits[:number], *game.kits[number + 1 :], game.kits[number])
        game = _with_new_seats(_with_kits(game, kits))
    mover = moved(game.mover) % len(seats)
    return _turn_of(game, mover if seats[mover].playing else _following(game, mover)[0])


def _after_roll(game: Game, fallen: Roll) -> Game:
    turn, roll = game.turn, make_roll(fallen)
    match game.side.fate(roll, turn.state):
        case Fate.SCORES:
            return replace(game, turn=replace(turn, roll=roll, misses=0))
        case Fate.WINS:
            return _end_turn(game, TurnEnding.WIN, 0)
        case Fate.LOSES:
            return _end_turn(game, TurnEnding.LOSE, 0)
        case Fate.OUT:
            return _end_turn(game, TurnEnding.OUT, 0)
        case Fate.FARKLE if turn.misses + 1 != game.tries:
            return replace(game, turn=replace(turn, misses=turn.misses + 1))
        case Fate.FARKLE:
            on_table = replace(game, turn=replace(turn, roll=roll))
            return on_table if on_table.may_use else _farkled(game)


def _farkled(game: Game) -> Game:
    """The game after a farkle in the turn under way."""
    total, seat = game.turn.turn_total, game.seats[game.mover]
    keeps = game.rules.farkle_keeps_turn_total and total >= game.least_bank(seat)
    keeps = keeps and not game.is_barred(seat, total)
    keeps = keeps and not game.rules.goes_beyond(seat.score + total)
    return _end_turn(game, TurnEnding.FARKLE, total if keeps else 0)


def _end_turn(game: Game, how: TurnEnding, points: int) -> Game:
    """The game after the turn of the player to move, who banks `points`."""
    number, rules = game.mover, game.rules
    before = game.seats[number]
    counted = replace(
        before,
        turns=before.turns + (how is not TurnEnding.SKIP),
        farkled=before.farkled + (how is TurnEnding.FARKLE),
        biggest_turn=max(before.biggest_turn, points),
    )
    played_off = game.stage is Stage.PLAY_OFF
    counts = rules.counts_farkle(first=game.turn.is_first, all_dice=game.has_hot_dice)
    farkles = counts and how is TurnEnding.FARKLE
    after = counted if played_off else _scored(rules, counted, how, points, farkles=farkles)
    seats = (*game.seats[:number], after, *game.seats[number + 1 :])
    seats, others = _with_other(game, seats, before, points, farkles=farkles)
    lost = before.score + (0 if played_off else points) - after.score
    end, left = TurnEnd(number, how, points, lost, others), _left(game, how)
    turns = game.turns_over + 1
    game = replace(game, seats=seats, last=end, left=left, turns_over=turns)
    game = _turn_of(game, number)
    if how in {TurnEnding.WIN, TurnEnding.OUT}:
        return _won_by(game, [number] if how is TurnEnding.WIN else _following(game, number))
    if played_off:
        if how is not TurnEnding.LOSE:
            game = replace(game, played_off=(*game.played_off, (number, points)))
        return _next_waiting(game, game.waiting[1:])
    reaches = points > 0 and game.counted(after.score) >= rules.winning_score
    if reaches:
        if rules.goal_ends_game(last_of_round=False):
            return _won_by(game, [number])
        before_it = (seat for seat in game.reached if seat != number)
        game = replace(game, reached=(*before_it, number))
    if game.stage is Stage.FINAL:
        following = _following(game, number)
        beats = all(after.score > seats[seat].score for seat in following)
        in_return = beats and rules.is_defended
        return _next_waiting(game, tuple(following) if in_return else game.waiting[1:])
    if reaches:
        following = _following(game, number)
        if rules.ending == "equal_turns":
            following = [seat for seat in following if seat > number]
        return _next_waiting(replace(game, stage=Stage.FINAL), tuple(following))
    return _after_turn(game, number)


def _after_turn(game: Game, number: int) -> Game:
    """The game after a turn that decided nothing: the next seat moves, or all rounds are over."""
    rules, following = game.rules, _following(game, number)[0]
    # turns of those who have resigned are over as well
    turns = game.turns_over + (following - number - 1) % len(game.seats)
    game = replace(game, turns_over=turns)
    if rules.gives and game.seats[following].score >= rules.winning_score:
        return _won_by(game, [following])
    if 0 < rules.rounds <= game.rounds_over and following <= number:
        level = len({seat.score for seat in game.seats}) == 1
        if not (level and rules.ties == "played_on"):
            return _next_waiting(game, ())
    return _turn_of(game, following)


def _with_other(
    game: Game, seats: tuple[Seat, ...], before: Seat, points: int, *, farkles: bool
) -> tuple[tuple[Seat, ...], int]:
    """The seats after a turn that changes the opponent, and the points it gave the opponent.

    Turns change nobody else in games of more than two, or without a rule that says so.
    """
    if not game.rules.changes_other or len(seats) != 2:
        return seats, 0
    after, other = seats[game.mover], seats[1 - game.mover]
    # what a badge left over of a step brings nobody past another
    one, then, held = (
        replace(seat.standing, score=game.counted(seat.score)) for seat in (before, after, other)
    )
    theirs = other_after(game.rules, one, then, held, points, farkles=farkles)
    if theirs == held:
        return seats, 0
    changed = replace(other, score=theirs.score, on_board=theirs.on_board)
    pair = (after, changed) if game.mover == 0 else (changed, after)
    return pair, theirs.score - other.score


def _left(game: Game, how: TurnEnding) -> TurnState | None:
    """The turn total and dice that the next player may take over; None where there are none."""
    ways = {TurnEnding.BANK: ("banked", "both"), TurnEnding.FARKLE: ("lost", "both")}
    turn, rules = game.turn, game.rules
    may = rules.take_over in ways.get(how, ()) and turn.dice <= rules.take_over_dice
    return TurnState(turn.turn_total, turn.dice) if may and turn.turn_total else None


def _scored(rules: Ruleset, seat: Seat, how: TurnEnding, points: int, *, farkles: bool) -> Seat:
    """A seat after its turn.

    farkles : whether the turn ended in a farkle that counts for the penalty
    """
    if how is TurnEnding.SKIP:
        return replace(seat, banked=0)
    loses = how is TurnEnding.LOSE
    after = after_turn(rules, seat.standing, points, farkles=farkles, loses=loses)
    return replace(
        seat, score=after.score, farkles=after.farkles, on_board=after.on_board, banked=after.banked
    )


def _following(game: Game, number: int) -> list[int]:
    """The other seats that play, in the order of their turns; the seat itself if it is alone."""
    count = len(game.seats)
    order = [(number + k) % count for k in range(1, count)]
    return [seat for seat in order if game.seats[seat].playing] or [number]


def _next_waiting(game: Game, waiting: tuple[int, ...]) -> Game:
    """The game with the next of the seats that have a last turn to move, or with its winner."""
    left = [*waiting, *(seat for seat, _ in game.played_off)]
    if game.stage is Stage.PLAY_OFF and len(left) == 1:
        return _won_by(game, left)
    if waiting:
        game = replace(game, waiting=waiting)
        # who gets up ends no turn of somebody else
        return game if waiting[0] == game.mover else _turn_of(game, waiting[0])
    played = {
        number: game.counted(seat.score) for number, seat in enumerate(game.seats) if seat.playing
    }
    points = dict(game.played_off) if game.stage is Stage.PLAY_OFF else played
    most = max(points.values())
    level = [seat for seat in points if points[seat] == most]
    if len(level) > 1 and game.rules.ties == "played_on":
        return _play_off(game, level)
    if game.rules.ties == "earlier":
        level = [min(level, key=[*game.reached, *played].index)]
    return _won_by(game, level)


def _play_off(game: Game, level: list[int]) -> Game:
    """The game with one more turn for each seat that is level, the one that would move first."""
    order = [seat for seat in [*_following(game, game.mover), game.mover] if seat in level]
    game = replace(game, stage=Stage.PLAY_OFF, waiting=tuple(order), played_off=())
    return _turn_of(game, order[0])


def _won_by(game: Game, winners: list[int]) -> Game:
    shares = tuple(1 / len(winners) if k in winners else 0.0 for k in range(len(game.seats)))
    return replace(game, stage=Stage.OVER, waiting=(), shares=shares)


def _corrected(game: Game, event: events.Corrected) -> Game:
    seat = game.seats[event.seat]
    score = seat.score if event.score is None else event.score
    # everybody starts off the board with 0
    begins_anew = event.score == 0 and game.rules.has_opening
    on_board = score > 0 or (seat.on_board and not begins_anew)
    # what was banked came before that
    is_past = event.farkles or not on_board or score < min(seat.score, seat.banked)
    changed = game.with_seat(
        event.seat,
        score=score,
        farkles=seat.farkles if event.farkles is None else event.farkles,
        uses=seat.uses if event.uses is None else event.uses,
        banked=0 if is_past else seat.banked,
        on_board=on_board,
    )
    if event.moves:
        # in the same round
        turns = game.rounds_over * len(game.seats) + event.seat
        return replace(_turn_of(changed, event.seat), left=None, turns_over=turns)
    return changed


def _resigned(game: Game, number: int) -> Game:
    """The game without a seat that has resigned; the only one left has won."""
    moves = game.mover == number
    game = game.with_seat(number, playing=False)
    playing = [k for k, seat in enumerate(game.seats) if seat.playing]
    if len(playing) == 1:
        return _won_by(game, playing)
    game = replace(game, reached=tuple(seat for seat in game.reached if seat != number))
    if moves:
        game = _turn_of(game, number)
    if game.stage is Stage.FINAL and not game.reached:
        # the goal is open again
        game = replace(game, stage=Stage.PLAY, waiting=())
        return _turn_of(game, _following(game, number)[0]) if moves else game
    if game.stage in {Stage.FINAL, Stage.PLAY_OFF}:
        played = tuple((seat, points) for seat, points in game.played_off if seat != number)
        waiting = tuple(seat for seat in game.waiting if seat != number)
        return _next_waiting(replace(game, played_off=played), waiting)
    return _after_turn(replace(game, turns_over=game.turns_over + 1), number) if moves else game
