"""What happened at a table, event by event, in plain words for everybody who reads along."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat, zip_longest

from bot.layout import dice_count, inside, whole_sentence
from bot.services.games import News
from bot.services.tables import Table
from bot.table import events
from bot.table.badges import farkle_text, used_roll
from bot.table.events import Event, TurnEnding
from bot.table.fold import Step
from bot.table.state import Game, Seat, Stage, TurnEnd, kept_text, laid_out, rolled_text
from bot.tasks.solving import unsolved_text
from bot.views.advice import farkles_in_a_row
from bot.views.named_dice import doubts, taken_lines, use_event_text
from solver.named.drafts import PAIR, pairs_of
from solver.turn.dice import Roll
from solver.turn.memory import confirm_text, held_text
from solver.wording import and_text, figure, say, say_later, say_number

_ENDS = {
    "bank": say_later("{name} banks {points:,}"),
    "farkle": say_later("{name} farkles"),
    "farkle that banks": say_later("{name} farkles, but banks {points:,}"),
    "lose": say_later("{name} loses everything"),
    "out": say_later("{name} loses the game"),
    "win": say_later("{name} wins at once"),
}
"""How a turn ends."""
_ENDS_BY_ROLL = {
    "farkle": say_later("{name} rolls {dice}: a farkle"),
    "farkle that costs": say_later("{name} rolls {dice}: a farkle, {gone:,} points are lost"),
    "farkle that banks": say_later(
        "{name} rolls {dice}: a farkle, but {points:,} points are banked"
    ),
    "lose": say_later("{name} rolls {dice}: everything is lost"),
    "out": say_later("{name} rolls {dice} and loses the game"),
    "win": say_later("{name} rolls {dice} and wins the game"),
}
_HAS = say_later("{turn} and now has {score:,}")
_STAYS = say_later("{turn}; the score stays {score:,}")
_IS_NOW = say_later("{turn}; the score is now {score:,}")
_WITH = say_later("{turn} with {score:,}")
_SCORES = {"bank": _HAS, "farkle": _STAYS, "farkle that costs": _STAYS, "lose": _IS_NOW}
"""What the end of a turn leaves its player with, but where the game ends by it."""
_SHOWN = 6
"""Set-asides that are named."""
_STAGES = {Stage.FINAL: say_later("last turns"), Stage.PLAY_OFF: say_later("play-off")}


def story_lines(news: News) -> list[str]:
    """What happened, where buttons and `details_lines` say what else there is to say."""
    if news.before is not None:
        return [*happened_texts(news, briefly=True)]
    return [*opening_texts(news, say_later("New game: {names}; {rules} rules, {goal}."))]


def opening_texts(news: News, message: str) -> Iterator[str]:
    """How a game begins, and what came of those before; `message` is of one without real dice."""
    table, game = news.table, news.table.game
    yield from map(earlier_text, news.earlier)
    if game.tracked:
        message = say_later("New game with real dice: {names}; {rules} rules, {goal}.")
    names = ", ".join(table.names)
    yield say(message, game=game.id, names=names, rules=game.rules.name, goal=goal_text(game))
    yield from brought_to(table)
    yield from doubts_of(news)


def happened_texts(news: News, *, briefly: bool = False) -> Iterator[str]:
    """What happened, and how the game ended."""
    table, game = news.table, news.table.game
    yield from events_text(table.names, news.steps, news.by, briefly=briefly)
    if game.over and (game.shares is not None or not news.steps):
        yield result_text(table)


def table_head(table: Table) -> str:
    """Which game it is, and how far it has come."""
    game = table.game
    rules, goal = game.rules.name, goal_text(game)
    parts = [say("Game {game}, {rules} rules, {goal}", game=game.id, rules=rules, goal=goal)]
    if game.tracked:
        parts.append(say("real dice"))
    if game.stage in _STAGES:
        parts.append(say(_STAGES[game.stage]))
    return ", ".join(parts)


def goal_text(game: Game) -> str:
    """Return how far a game goes: to so many points, or for so many rounds."""
    rules = game.rules
    if rules.rounds:
        number = game.rounds_over + 1
        if game.turns_over and not game.over and number <= rules.rounds:
            return say("round {number} of {most}", number=number, most=rules.rounds)
        return say_number("for [one round|{number} rounds]", rules.rounds)
    if rules.goal_must_be == "exceeded":
        return say("over {goal:,}", goal=rules.goal)
    if rules.is_exact:
        return say("to exactly {goal:,}", goal=rules.goal)
    return say("to {goal:,}", goal=rules.goal)


def earlier_text(table: Table) -> str:
    """What became of a game that was here before."""
    if table.idle_hours:
        return say_number(
            "Game {game} was ended because nobody had moved for {number} [hour|hours].",
            table.idle_hours,
            game=table.game.id,
        )
    closed = say_later("Game {game}, where {name} was alone, is closed.")
    return say(closed, game=table.game.id, name=table.names[0])


def brought_to(table: Table) -> Iterator[str]:
    """What players bring, or take their dice of."""
    game = table.game
    if game.kits:
        yield _kits_text(table.names, game)
    elif game.pool:
        message = say_later(
            "Laid out, two of each: {dice}. Each player takes {number} pairs, in turn."
        )
        dice = ", ".join(die.typed for _, die in laid_out(game))
        yield say(message, dice=dice, number=pairs_of(game.rules.dice))


def doubts_of(news: News) -> Iterator[str]:
    """What is not sure of the dice that are played with."""
    game = news.table.game
    thrown = [*game.pool, *(die for kit in game.kits for die in kit.dice.dice)]
    yield from doubts(thrown, joker_alone=game.joker_alone)
    yield from dict.fromkeys(taken_lines([kit.badge for kit in game.kits if kit.badge]))
    if news.unsolved and len(game.seats) <= 2 and not game.brings_dice:
        within = news.chances.within if news.chances else None
        text = say_later("For two players there are no hints: {sentence}.")
        if within is not None:
            text = say_later(
                "For two players there are no hints, and chances are estimates, of which 95 in 100"
                " are at most {points:.1f} percentage points off: {sentence}."
            )
        yield say(text, sentence=unsolved_text(game.rules), points=100 * (within or 0))
    elif news.unsolved and game.rules.rounds:
        yield say(
            "This game is not solved for three: there are no win probabilities, and hints look only"
            " at the strongest opponent."
        )
    elif news.unsolved:
        yield say(
            "A game this long for more than two players with their own dice is not solved: there"
            " are no win probabilities, and hints look only at the strongest opponent."
        )


def events_text(
    names: Sequence[str],
    steps: Sequence[Step],
    by: str | None = None,
    *,
    briefly: bool = False,
) -> Iterator[str]:
    """A sentence for each event; a roll whose dice were kept at once is told with that.

    by : who passed the turn of another, or got up
    briefly : whether it is left out what may be kept of a roll, and how far the turn has come,
        which is shown otherwise
    """
    skipped = False
    for (game, event, after), then in zip_longest(steps, steps[1:]):
        if skipped:
            skipped = False
        elif isinstance(event, events.Rolled) and then and isinstance(then.event, events.Kept):
            name = names[game.mover]
            yield _kept_at_once_text(name, after, then.after, event.dice, then.event.dice)
            skipped = True
        elif isinstance(event, events.Rolled) and after.turn.roll is not None and briefly:
            name, dice = names[game.mover], rolled_text(after, event.dice)
            yield say("{name} rolls {dice}.", name=name, dice=dice)
        elif isinstance(event, events.Kept) and briefly:
            yield _kept_briefly_text(names[game.mover], game, after, event.dice)
        elif isinstance(event, events.Undone) and briefly:
            yield _undone_text(names, game, after)
        else:
            yield from _event_text(names, game, after, event, by)


def _kits_text(names: Sequence[str], game: Game) -> str:
    """What players bring, also who is still to sit down."""
    later = say("who joins")
    sets = [
        say("{name} has {set}", name=name, set=kit.text)
        for name, kit in zip(chain(names, repeat(later)), game.kits, strict=False)
    ]
    return f"{'; '.join(sets)}."


def standings_text(table: Table) -> str:
    """Everybody's score."""
    seats = zip(table.names, table.game.seats, strict=True)
    return ", ".join(f"{name} {figure(seat.score)}" for name, seat in seats)


def result_text(table: Table) -> str:
    """Who has won, and with what scores."""
    shares = table.game.shares
    if shares is None:
        return idle_text(table.idle_hours) if table.idle_hours else say("No result.")
    winners, scores = _winners(table), standings_text(table)
    if len(winners) == 1:
        return say("{name} wins: {scores}.", name=winners[0], scores=scores)
    return say("{names} share the win: {scores}.", names=and_text(winners), scores=scores)


def winners_text(table: Table) -> str:
    """Who has won, in a few words."""
    winners = _winners(table)
    if len(winners) == 1:
        return say("🏆 {name} wins!", name=winners[0])
    return say("🏆 {names} share the win!", names=and_text(winners))


def _winners(table: Table) -> list[str]:
    shares = table.game.shares or ()
    return [name for name, share in zip(table.names, shares, strict=True) if share > 0]


def idle_text(hours: int) -> str:
    """Why a game ended by itself."""
    return say_number(
        "The game was ended because nobody had moved for {number} [hour|hours].", hours
    )


def turn_so_far_text(game: Game) -> str:
    """How far the turn under way has come, and what it remembers."""
    return ", ".join([_so_far_text(game), *remembered_texts(game)])


def remembered_texts(game: Game) -> Iterator[str]:
    """What a further throw of the turn under way counts with: dice held, and what is to confirm."""
    state = game.turn.state
    if state.held_set:
        yield held_text(game.rules, state)
    if state.to_confirm:
        yield confirm_text(game.rules, state)


def _so_far_text(game: Game) -> str:
    turn = game.turn
    if game.is_drafting:
        return say("to take dice")
    if turn.roll is not None:
        dice, points = rolled_text(game, turn.roll), turn.turn_total
        if game.is_farkle:
            dice += " " + say("(nothing scores)")
        if points:
            return say("rolled {dice}, turn total {points:,}", dice=dice, points=points)
        return say("rolled {dice}", dice=dice)
    if game.offered:
        points, dice = game.offered.turn_total, dice_count(game.offered.dice)
        return say("to take over {points:,} and {dice}, or roll", points=points, dice=dice)
    if not turn.turn_total:
        return say("to roll")
    so_far = say_later("turn total {points:,}, {number} [die|dice] to roll")
    if game.may_bank:
        so_far = say_later("turn total {points:,}, {number} [die|dice] to roll or bank")
    return say_number(so_far, game.number_of_dice, points=turn.turn_total)


def _event_text(  # noqa: C901, PLR0912, PLR0915 - one for each kind of event
    names: Sequence[str], game: Game, after: Game, event: Event, by: str | None
) -> Iterator[str]:
    mover = names[game.mover]
    match event:
        case events.Joined() if event.kit:
            name, brought = names[len(game.seats)], event.kit.text
            yield say("{name} joins and has {set}.", name=name, set=brought)
        case events.Joined():
            yield say("{name} joins.", name=names[len(game.seats)])
        case events.Left():
            yield say("{name} leaves.", name=by or say("Somebody"))
            if after.kits:
                yield _kits_text(names, after)
        case events.Picked():
            pair = f"{game.pool[event.place].typed}*{PAIR}"
            yield say("{name} takes {dice}.", name=mover, dice=pair)
            if not after.is_drafting:
                yield _kits_text(names, after)
        case events.Seeded():
            yield say("{name} adds randomness to the dice.", name=names[event.seat])
        case events.Rolled() if after.turn.roll is not None:
            yield _roll_text(mover, after, event.dice)
        case events.Rolled() if after.turn.misses:
            dice = rolled_text(game, event.dice)
            yield say("{name} rolls {dice}: a farkle, thrown again.", name=mover, dice=dice)
        case events.Rolled() if after.last:
            yield _turn_end_text(mover, game, after, after.last, event.dice)
        case events.TookOver() if game.left:
            message = say_later("{name} takes over {points:,} points and {dice}.")
            points, dice = game.left.turn_total, dice_count(game.left.dice)
            yield say(message, name=mover, points=points, dice=dice)
        case events.Kept():
            yield _kept_text(mover, game, after, event.dice)
        case events.Banked() | events.Scored() | events.Accepted() if after.last:
            yield _turn_end_text(mover, game, after, after.last)
        case events.Used():
            yield from _used_text(mover, game, after, event)
        case events.Skipped() if by:
            yield say("{by} skips {name}'s turn, as {name} is away.", by=by, name=mover)
        case events.Skipped():
            yield say("{name} is away: the turn is skipped.", name=mover)
        case events.Replaced():
            yield say("{name} plays on.", name=names[event.seat])
        case events.Corrected():
            yield _corrected_text(names, game, after, event)
        case events.Undone():
            name = names[after.mover]
            now = say("{name}: {turn}.", name=name, turn=turn_so_far_text(after))
            yield f"{_undone_text(names, game, after)} {now}"
        case events.Resigned() if after.before:
            yield say("{name} resigns; /undo takes that back.", name=names[event.seat])
        case events.Resigned():
            yield say("{name} resigns.", name=names[event.seat])
        case events.Ended() if event.idle_hours:
            yield idle_text(event.idle_hours)
        case events.Ended():
            yield say("The game was ended without a result.")
        case events.Revealed():
            return
    end, was_ended = after.last, after.turns_over > game.turns_over
    if was_ended and end and end.others:
        message = say_later("{name} is caught up and falls back to {score:,}.")
        if end.others > 0:
            message = say_later("{name} is given these points and has {score:,} now.")
        other = 1 - end.seat
        yield say(message, name=names[other], score=after.seats[other].score)


def _used_text(name: str, game: Game, after: Game, event: events.Used) -> Iterator[str]:
    """A use of a badge, and what has come of it."""
    yield use_event_text(name, game, event)
    turn_ends = after.last is not game.last and after.last
    if event.fallen and turn_ends:
        yield _turn_end_text(name, game, after, turn_ends, used_roll(game, event))
    elif turn_ends:
        yield _turn_end_text(name, game, after, turn_ends)
    elif event.fallen:
        yield _roll_text(name, after, used_roll(game, event))
    elif after.turn.roll is not None:
        yield _roll_text(name, after, after.turn.roll, lies=True)
    elif event.dice:
        yield _kept_text(name, game, after, event.dice)


def _roll_text(name: str, after: Game, fallen: Roll, *, lies: bool = False) -> str:
    """A roll, and what may be kept of it; `lies` where it was not rolled just now."""
    dice = rolled_text(after, fallen)
    if after.is_farkle:
        if after.bot_to_move:
            return say("{name} rolls {dice}: nothing scores.", name=name, dice=dice)
        return say("{name} rolls {dice}; {what}.", name=name, dice=dice, what=farkle_text(after))
    legal = after.set_asides()
    shown = ((kept_text(after, aside.dice), figure(aside.points)) for aside in legal[:_SHOWN])
    choices = after.kit.between.join(f"{kept} ({points})" for kept, points in shown)
    message = say_later("{name} rolls {dice}: {choices}.")
    if len(legal) > _SHOWN:
        message = say_later("{name} rolls {dice}: {choices} and others.")
    if lies:
        message = say_later("The roll is now {dice}: {choices}.")
    return say(message, name=name, dice=dice, choices=choices)


def _kept_at_once_text(name: str, game: Game, kept: Game, fallen: Roll, dice: Roll) -> str:
    before, total = game.turn.turn_total, kept.turn.turn_total
    rolled, own = inside(rolled_text(game, fallen)), inside(kept_text(game, dice))
    parts = {"name": name, "dice": rolled, "kept": own, "points": total - before, "total": total}
    if total == before:
        return say("{name} rolls {dice}, keeps {kept} for a straight.", **parts)
    if before:
        return say(
            "{name} rolls {dice}, keeps {kept} for {points:,}, turn total {total:,}.", **parts
        )
    return say("{name} rolls {dice}, keeps {kept} for {points:,}.", **parts)


def _kept_briefly_text(name: str, game: Game, after: Game, dice: Roll) -> str:
    points = after.turn.turn_total - game.turn.turn_total
    sentence = say_later("{name} keeps {dice} for {points:,}.")
    if not points:
        sentence = say_later("{name} keeps {dice} for a straight.")
    return say(sentence, name=name, dice=inside(kept_text(game, dice)), points=points)


def _kept_text(name: str, game: Game, after: Game, dice: Roll) -> str:
    total, own = after.turn.turn_total, inside(kept_text(game, dice))
    points = total - game.turn.turn_total
    parts = {"name": name, "dice": own, "points": points, "total": total}
    if after.is_out_of_throws:
        return say("{name} keeps {dice} for {points:,}: turn total {total:,}.", **parts)
    sentence = say_later(
        "{name} keeps {dice} for {points:,}: turn total {total:,}, {number} [die|dice] to roll."
    )
    if after.has_hot_dice:
        sentence = say_later(
            "{name} keeps {dice} for {points:,}: turn total {total:,}, {number} [die|dice] to"
            " roll, hot dice."
        )
    kept = say_number(sentence, after.number_of_dice, **parts)
    return " ".join([kept, *map(whole_sentence, remembered_texts(after))])


def _turn_end_text(name: str, game: Game, after: Game, end: TurnEnd, fallen: Roll = ()) -> str:
    """How a turn has ended, by which roll if that is known, and what it leaves its player with."""
    how, gone = str(end.how), game.turn.turn_total
    if end.how is TurnEnding.FARKLE and end.points:
        how = "farkle that banks"
    elif end.how is TurnEnding.FARKLE and fallen and gone:
        how = "farkle that costs"
    ends = _ENDS_BY_ROLL if fallen else _ENDS
    seat = after.seats[end.seat]
    dice = rolled_text(game, fallen)
    turn = say(ends[how], name=name, dice=dice, points=end.points, gone=gone)
    parts = {"name": name, "points": end.points, "turn": turn, "score": seat.score}
    if game.stage is Stage.PLAY_OFF:
        return say("{turn} in the play-off.", **parts)
    sentence = _SCORES.get(how, _WITH)
    if how == "farkle that banks":
        sentence = _IS_NOW if fallen else _HAS
    if end.lost and end.how is TurnEnding.BANK:
        sentence = say_later(
            "{name} banks {points:,} points and goes beyond the goal; the score is now {score:,}"
        )
        if end.lost == end.points:
            sentence = say_later(
                "{name} banks {points:,} points and goes beyond the goal; the score stays {score:,}"
            )
    elif end.lost:
        sentence = say_later("{turn}; the penalty is {lost:,} points, the score is now {score:,}")
    text = say(sentence, lost=end.lost, **parts)
    if not end.lost and (seat.farkles > 1 or (seat.farkles and after.rules.farkle_penalty)):
        text += f", {farkles_in_a_row(seat.farkles, after.rules)}"
    is_first = len(after.reached) == 1 or after.rules.is_defended
    if after.stage is Stage.FINAL and after.reached[-1:] == (end.seat,) and is_first:
        text += say_number(
            "; [the other player has|{number} other players have] one last turn[| each]",
            len(after.waiting),
        )
    return f"{text}."


def _corrected_text(names: Sequence[str], game: Game, after: Game, event: events.Corrected) -> str:
    name = names[event.seat]
    if event.moves:
        message = say_later("Corrected: it is {name}'s turn.")
        if game.rules.rounds and after.turns_over != game.turns_over:
            is_left_out = after.turns_over > game.turns_over
            once_more = say_later("Corrected: it is {name}'s turn, once more in this round.")
            left_out = say_later("Corrected: it is {name}'s turn; {other} has none in this round.")
            message = left_out if is_left_out else once_more
        return say(message, name=name, other=names[game.mover])
    changes = _changes_text(name, game.seats[event.seat], after.seats[event.seat])
    return say("Corrected: {changes}.", changes=changes)


def _changes_text(name: str, old: Seat, new: Seat) -> str:
    """What a correction changed, or took back, of what a player has."""
    changes = [f"{name} {_change(old.score, new.score)}"]
    if old.farkles != new.farkles:
        changes.append(say("farkles in a row {change}", change=_change(old.farkles, new.farkles)))
    elif new.farkles:
        changes.append(farkles_in_a_row(new.farkles))
    if old.uses != new.uses:
        change = _change(old.uses, new.uses)
        changes.append(say("uses of the badge left {change}", change=change))
    return ", ".join(changes)


def _change(old: int, new: int) -> str:
    return figure(new) if old == new else f"{figure(old)} -> {figure(new)}"


def _undone_text(  # noqa: PLR0911 - one for each kind
    names: Sequence[str], game: Game, after: Game
) -> str:
    """What was taken back."""
    seats = list(zip(names, game.seats, after.seats, strict=True))
    if resigned := [name for name, old, new in seats if old.playing != new.playing]:
        return say("Taken back: {name}'s resignation.", name=resigned[0])
    if game.last is not None and game.last is not after.last:
        return say("Taken back: {name}'s turn.", name=names[game.last.seat])
    if game.over and game.shares is None:
        return say("Taken back: the end of the game.")
    if game.turn.used != after.turn.used:
        return say("Taken back: {name}'s use of the badge.", name=names[after.mover])
    if changed := [seat for seat in seats if seat[1] != seat[2]]:
        return say("Taken back: the correction, {changes}.", changes=_changes_text(*changed[0]))
    if game.mover != after.mover:
        return say("Taken back: that it was {name}'s turn.", name=names[game.mover])
    if after.turn.roll is not None:
        return say("Taken back: what {name} kept.", name=names[after.mover])
    return say("Taken back: {name}'s last move.", name=names[after.mover])
