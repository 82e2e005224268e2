"""What happened at a table, in plain words for everybody who reads along."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from bot.services.chances import Chances
from bot.services.games import News
from bot.services.questions import Hint
from bot.services.tables import Table
from bot.table.events import (
    Banked,
    Corrected,
    Ended,
    Event,
    Joined,
    Kept,
    Replaced,
    Resigned,
    Revealed,
    Rolled,
    Scored,
    Seeded,
    Skipped,
    Undone,
    event_data,
)
from bot.table.state import Game, Stage, TurnEnd, apply
from bot.views.text import (
    advice_text,
    columns,
    dice_count,
    dice_text,
    farkle_count,
    odds_text,
    wrap,
)
from solver.dice import make_roll
from solver.scoring import Fate, fate, set_asides
from solver.turn import Decision

_WORTH_TELLING = 0.0005
"""Least change of a win probability that is told."""
_HEAD, _ESTIMATED = "Win probability", "Estimated win probability"
_HOW_ESTIMATED = (
    "Estimated from simulated games in which all play for points; exact odds need two players and"
    " solved rules"
)


def happened_lines(news: News) -> list[str]:
    """What happened, without the chances."""
    table, before = news.table, news.before
    if before is None:
        return [*_opening(table)]
    return [*_happened(table, before, news.events, news.by, reviewable=news.reviewable)]


NOT_EXACT = "With more than two players this is best against the strongest of them alone."


def news_text(news: News) -> str:
    """What happened, sentence by sentence, and how the chances are now."""
    return wrap("\n".join(news_lines(news)))


def news_lines(news: News) -> list[str]:
    """The same without line breaks in the sentences."""
    table, before = news.table, news.before
    lines = happened_lines(news)
    if news.chances and (news.chances.last or not table.game.over):
        lines.append(chances_text(table.names, news.chances))
        if before is None and news.chances.standard_error is not None:
            lines.append(f"{_HOW_ESTIMATED}.")
    if not table.game.over and (news.chances or before is None):
        lines.append(_to_move(table))
    return lines


def news_data(news: News) -> dict[str, Any]:
    """The events and the table after them."""
    return {
        "events": [{"kind": event.kind, **event_data(event)} for event in news.events]
        if news.before is not None
        else [],
        **table_data(news.table, news.chances),
    }


def table_text(table: Table, chances: Chances | None) -> str:
    """The score sheet."""
    game = table.game
    rows = []
    for number, (seat, name) in enumerate(zip(game.seats, table.names, strict=True)):
        chance = f"{chances.win_probabilities[number] * 100:.1f} %" if chances else ""
        mover = ">" if number == game.mover and not game.over else " "
        rows.append((mover, name, f"{seat.score:,}", chance, ", ".join(_notes(game, number))))
    lines = [table_head(table), *columns(rows, right={2, 3})]
    if game.over:
        lines.append(_result(table))
    if chances and chances.standard_error is not None:
        lines.append(f"{_HOW_ESTIMATED} (standard error {chances.standard_error * 100:.1f})")
    return wrap("\n".join(lines))


def table_head(table: Table) -> str:
    """Which game it is, and how far it has come."""
    game = table.game
    head = f"Game {game.id}, {game.rules.name} rules, {_goal(game)}"
    if game.tracked:
        head += ", real dice"
    return head + {Stage.FINAL: ", last turns", Stage.PLAY_OFF: ", play-off"}.get(game.stage, "")


def table_data(table: Table, chances: Chances | None) -> dict[str, Any]:
    """The table as plain data."""
    game = table.game
    return {
        "game": game.id,
        "version": game.version,
        "rules": game.rules.name,
        "stage": game.stage,
        "to_move": None if game.over else table.names[game.mover],
        "turn_total": game.turn.turn_total,
        "dice": game.turn.dice,
        "roll": list(game.turn.roll) if game.turn.roll else None,
        "may_bank": game.may_bank,
        "players": [
            {
                "name": name,
                "level": seat.level,
                "score": seat.score,
                "farkles": seat.farkles,
                "playing": seat.playing,
                "win_probability": chances.win_probabilities[number] if chances else None,
                "share": game.shares[number] if game.shares else None,
            }
            for number, (seat, name) in enumerate(zip(game.seats, table.names, strict=True))
        ],
        "standard_error": chances.standard_error if chances else None,
    }


def chances_text(names: Sequence[str], chances: Chances) -> str:
    """One line with each player's chance, by how much the last turn moved it, and why."""
    parts = [
        f"{name} {share * 100:.1f} %"
        for name, share in zip(names, chances.win_probabilities, strict=True)
    ]
    text = f"{_HEAD if chances.standard_error is None else _ESTIMATED}: {', '.join(parts)}"
    if (last := chances.last) is not None:
        moved = (last.after[last.seat] - last.before[last.seat]) * 100
        why = [f"luck {last.luck * 100:+.1f}", f"choices {last.choice * 100:+.1f}"]
        if abs(last.rest) >= _WORTH_TELLING:
            told_whole = not (last.luck or last.choice)
            rest = f"{last.rest * 100:+.1f}"
            why = [f"turn {rest}"] if told_whole else [*why, f"other {rest}"]
        text += f" ({names[last.seat]} {moved:+.1f} points: {', '.join(why)})"
    if chances.standard_error is not None:
        text += f" (standard error {chances.standard_error * 100:.1f})"
    return text


def hint_text(hint: Hint) -> str:
    """What is best and why."""
    lines = [hint_head(hint)]
    if hint.advice and hint.odds:
        lines.append(advice_text(hint.advice))
        lines.append(f"After keeping {dice_text(hint.advice.options[0].set_aside)}:")
    if hint.odds:
        lines.append(odds_text(hint.odds))
    if not hint.exact:
        lines.append(NOT_EXACT)
    return wrap("\n".join(lines))


def hint_head(hint: Hint) -> str:
    """What to do, in a few words."""
    if hint.advice:
        best = hint.advice.options[0]
        then = {Decision.ROLL: "roll on", Decision.BANK: "bank", Decision.WIN: "bank and win"}
        return f"Keep {dice_text(best.set_aside)} and {then[best.action]}."
    what = {Decision.ROLL: "Roll.", Decision.BANK: "Bank.", Decision.WIN: "Bank and win."}
    return what[hint.odds.action] if hint.odds else ""


def games_text(tables: Sequence[Table]) -> str:
    """The open games of a place, one line each."""
    if not tables:
        return "No game is open here. /play @NAME or /play level:optimal begins one."
    rows = [
        (
            table.game.id,
            f"{table.game.rules.name} rules",
            ", ".join(
                f"{name} {seat.score:,}"
                for name, seat in zip(table.names, table.game.seats, strict=True)
            ),
        )
        for table in tables
    ]
    return wrap("\n".join(["Open games:", *columns(rows)]))


def _opening(table: Table) -> Iterator[str]:
    game = table.game
    names = ", ".join(table.names)
    kind = "with real dice" if game.tracked else f"game {game.id}"
    yield f"A new game, {kind}: {names}; {game.rules.name} rules, {_goal(game)}."
    if game.commitment:
        yield f"Dice: SHA-256 commitment {game.commitment}; /seed TEXT adds your share to them."
    if len(game.seats) < 2:
        bots = "" if game.tracked else ", a bot with /join level:optimal"
        yield f"Others sit down with /join{bots}."
    elif not game.tracked:
        yield "Others can /join until the first roll."


def _goal(game: Game) -> str:
    rules = game.rules
    return f"{'over' if rules.goal_must_be == 'exceeded' else 'to'} {rules.goal:,}"


def _happened(
    table: Table, game: Game, events: Sequence[Event], by: str | None, *, reviewable: bool
) -> Iterator[str]:
    yield from events_text(table.names, game, events, by)
    game = table.game
    if game.over:
        if game.shares is not None:
            yield _result(table)
        if game.secret:
            yield (
                f"The secret of the dice was {game.secret}; /proof shows what `farkle verify`"
                " checks."
            )
        if reviewable:
            yield "/review looks back at every decision."


def events_text(
    names: Sequence[str], game: Game, events: Sequence[Event], by: str | None = None
) -> Iterator[str]:
    """A sentence for each event; a roll whose dice were kept at once is told with that.

    `by` is who passed the turn of another.
    """
    skipped = False
    for event, following in zip_longest(events, events[1:]):
        after = apply(game, event)
        if skipped:
            skipped = False
        elif isinstance(event, Rolled) and isinstance(following, Kept):
            kept = apply(after, following)
            points = kept.turn.turn_total - game.turn.turn_total
            total = f", turn total {kept.turn.turn_total:,}" if game.turn.turn_total else ""
            yield (
                f"{names[game.mover]} rolls {dice_text(event.dice)}, keeps"
                f" {dice_text(make_roll(following.dice))} for {points:,}{total}."
            )
            skipped = True
        else:
            yield from _event_text(names, game, after, event, by)
        game = after


def _event_text(  # noqa: C901, PLR0912 - one for each kind of event
    names: Sequence[str], game: Game, after: Game, event: Event, by: str | None
) -> Iterator[str]:
    mover = names[game.mover]
    match event:
        case Joined():
            yield f"{names[len(game.seats)]} sits down."
        case Seeded():
            yield f"{names[event.seat]} adds a seed to the dice."
        case Rolled():
            yield from _roll_text(mover, game, after, event)
        case Kept():
            turn = after.turn
            points = turn.turn_total - game.turn.turn_total
            hot = ", hot dice" if turn.dice == game.rules.dice else ""
            yield (
                f"{mover} keeps {dice_text(make_roll(event.dice))} for {points:,}: turn total"
                f" {turn.turn_total:,}, {dice_count(turn.dice)} to roll{hot}."
            )
        case Banked():
            yield f"{mover} banks {game.turn.turn_total:,}{_score_text(game, after)}"
        case Scored() if after.last:
            yield _turn_end_text(mover, game, after, after.last)
        case Skipped():
            yield f"{by or 'Somebody'} passes the turn of {mover}, who is away."
        case Replaced():
            yield f"{names[event.seat]} plays on."
        case Corrected():
            seat = after.seats[event.seat]
            farkles = f", {farkle_count(seat.farkles)} in a row" if seat.farkles else ""
            said = f"{names[event.seat]} has {seat.score:,}{farkles}"
            yield f"Put right: {f'it is the turn of {names[event.seat]}' if event.moves else said}."
        case Undone():
            what = _undone(names, game, after)
            yield f"Taken back: {what}. {names[after.mover]}: {_turn_text(after)}."
        case Resigned():
            yield f"{names[event.seat]} resigns."
        case Ended():
            yield "The game was ended without a result."
        case Revealed():
            return


def _undone(names: Sequence[str], game: Game, after: Game) -> str:
    """What was taken back."""
    if game.last is not None and game.last is not after.last:
        return f"the turn of {names[game.last.seat]}"
    if game.seats != after.seats or game.mover != after.mover:
        return "the correction"
    if after.turn.roll is not None:
        return f"what {names[after.mover]} kept"
    return f"the last move of {names[after.mover]}"


def _roll_text(mover: str, game: Game, after: Game, event: Rolled) -> Iterator[str]:
    fallen = dice_text(event.dice)
    if after.turn.roll is not None:
        yield f"{mover} rolls {fallen}: {_choices(after)}."
        return
    met = fate(game.rules, make_roll(event.dice))
    said = {Fate.FARKLE: "a farkle", Fate.WINS: "which wins the game", Fate.LOSES: "all is lost"}
    text = f"{mover} rolls {fallen}: {said[met]}"
    if met is Fate.FARKLE and after.last and after.last.points:
        text += f", but {after.last.points:,} are banked"
    elif met is Fate.FARKLE and game.turn.turn_total:
        text += f", {game.turn.turn_total:,} are gone"
    yield text + _score_text(game, after)


def _turn_end_text(mover: str, game: Game, after: Game, end: TurnEnd) -> str:
    said = {
        "bank": f"{mover} banks {end.points:,}",
        "farkle": f"{mover} farkles" + (f" and banks {end.points:,}" if end.points else ""),
        "lose": f"{mover} loses everything",
        "win": f"{mover} wins at once",
    }[end.how]
    return said + _score_text(game, after)


def _score_text(game: Game, after: Game) -> str:
    """What the turn that has ended leaves its player with."""
    if after.last is None:
        return "."
    seat = after.seats[after.last.seat]
    if game.stage is Stage.PLAY_OFF:
        return " in the play-off."
    text = f", which makes {seat.score:,}"
    if after.last.how == "farkle" and not after.last.points:
        text = f"; the score stays {seat.score:,}"
    if after.last.lost:
        text = f"; {after.last.lost:,} points are taken away, which leaves {seat.score:,}"
    if seat.farkles > 1 or (seat.farkles and after.rules.farkle_penalty):
        text += f", {farkle_count(seat.farkles)} in a row"
    if after.stage is Stage.FINAL and after.reached == (after.last.seat,):
        left = len(after.waiting)
        text += f"; {left} {'others have' if left > 1 else 'other has'} one last turn"
    return text + "."


def _choices(game: Game) -> str:
    """What may be kept of the roll."""
    roll = game.turn.roll or ()
    found = set_asides(game.rules, roll)
    named = [f"{dice_text(one.dice)} ({one.points:,})" for one in found[:6]]
    return ", ".join(named) + (" and others" if len(found) > 6 else "")


def _notes(game: Game, number: int) -> Iterator[str]:
    """What there is to say of a seat beside its score."""
    seat = game.seats[number]
    if not seat.playing:
        yield "resigned"
    if seat.farkles:
        yield f"{farkle_count(seat.farkles)} in a row"
    if game.rules.has_opening and not seat.on_board:
        yield "not on the board"
    if number == game.mover and not game.over:
        yield _turn_text(game)


def _turn_text(game: Game) -> str:
    turn = game.turn
    if turn.roll is not None:
        total = f", turn total {turn.turn_total:,}" if turn.turn_total else ""
        return f"rolled {dice_text(turn.roll)}{total}"
    if turn.turn_total:
        bank = " or bank" if game.may_bank else ""
        return f"turn total {turn.turn_total:,}, {dice_count(turn.dice)} to roll{bank}"
    return "to roll"


def _to_move(table: Table) -> str:
    game = table.game
    name = table.names[game.mover]
    text = f"{name} is to roll."
    if game.tracked:
        text = f"{name} is to move: /score POINTS, /score farkle, or /roll with the dice."
    if game.stage is Stage.FINAL:
        text = f"Last turn for {name}. {text}"
    if game.stage is Stage.PLAY_OFF:
        most = max((points for _, points in game.played_off), default=None)
        beat = "" if most is None else f", {most:,} points to beat"
        text = f"Play-off{beat}. {text}"
    return text


def _result(table: Table) -> str:
    game = table.game
    if game.shares is None:
        return "No result."
    winners = [name for name, share in zip(table.names, game.shares, strict=True) if share > 0]
    scores = ", ".join(
        f"{name} {seat.score:,}" for name, seat in zip(table.names, game.seats, strict=True)
    )
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{' and '.join(winners)} {verb}: {scores}."
