"""What happened at a table, in plain words for everybody who reads along."""

from collections.abc import Iterator, Sequence
from typing import Any

from bot.services.advisor import Hint
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Table
from bot.table.commands import MOST_PLAYERS
from bot.table.events import event_data
from bot.table.state import Game, Stage
from bot.views.advice import advice_text, answer_data, farkles_in_a_row, odds_text
from bot.views.events import events_text, idle_text, standings_text, turn_so_far_text
from bot.views.layout import and_text, columns, dice_text, rough_percent, wrap
from solver.turn.equations import Decision
from solver.wording import figure, say, say_later, say_number

_WORTH_TELLING = 0.0005
"""Least change of a win probability that is told."""
_HOW_ESTIMATED = say_later(
    "Estimated from simulated games in which all play for points; exact odds need two players and"
    " solved rules"
)
NOT_EXACT = say_later(
    "With more than two players this is best against the strongest of them alone."
)
_STAGES = {Stage.FINAL: say_later("last turns"), Stage.PLAY_OFF: say_later("play-off")}
_KEEP = {
    Decision.ROLL: say_later("Keep {dice} and roll on."),
    Decision.BANK: say_later("Keep {dice} and bank."),
    Decision.WIN: say_later("Keep {dice} and bank and win."),
}
_DO = {
    Decision.ROLL: say_later("Roll."),
    Decision.BANK: say_later("Bank."),
    Decision.WIN: say_later("Bank and win."),
}


def happened_lines(news: News) -> list[str]:
    """What happened, without the chances."""
    table, before = news.table, news.before
    if before is None:
        return [*map(_earlier, news.earlier), *_opening(table)]
    return [*_happened(news, before)]


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
            lines.append(f"{say(_HOW_ESTIMATED)}.")
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


def table_text(news: News) -> str:
    """The score sheet."""
    table, chances = news.table, news.chances
    game = table.game
    rows = []
    for number, (seat, name) in enumerate(zip(game.seats, table.names, strict=True)):
        chance = rough_percent(chances.win_probabilities[number]) if chances else ""
        mover = ">" if number == game.mover and not game.over else " "
        rows.append((mover, name, figure(seat.score), chance, ", ".join(_notes(game, number))))
    lines = [table_head(table), *columns(rows, right={2, 3})]
    if game.over:
        lines.append(_result(table))
    if chances and chances.standard_error is not None:
        lines.append(f"{say(_HOW_ESTIMATED)} {_error_text(chances.standard_error)}")
    return wrap("\n".join(lines))


def table_head(table: Table) -> str:
    """Which game it is, and how far it has come."""
    game = table.game
    rules, goal = game.rules.name, _goal(game)
    parts = [say("Game {game}, {rules} rules, {goal}", game=game.id, rules=rules, goal=goal)]
    if game.tracked:
        parts.append(say("real dice"))
    if game.stage in _STAGES:
        parts.append(say(_STAGES[game.stage]))
    return ", ".join(parts)


def table_data(table: Table, chances: Chances | None) -> dict[str, Any]:
    """The table as plain data."""
    game = table.game
    return {
        "game": game.id,
        "version": game.version,
        "rules": game.rules.name,
        "stage": game.stage,
        "to_move": None if game.over else table.stored_names[game.mover],
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
            for number, (seat, name) in enumerate(zip(game.seats, table.stored_names, strict=True))
        ],
        "standard_error": chances.standard_error if chances else None,
    }


def chances_text(names: Sequence[str], chances: Chances) -> str:
    """One line with each player's chance, by how much the last turn moved it, and why."""
    told = ", ".join(
        f"{name} {rough_percent(share)}"
        for name, share in zip(names, chances.win_probabilities, strict=True)
    )
    error = chances.standard_error
    if error is None:
        text = say("Win probability: {chances}", chances=told)
    else:
        text = say("Estimated win probability: {chances}", chances=told)
    if (last := chances.last) is not None:
        why = [
            say("luck {points:+.1f}", points=last.luck * 100),
            say("choices {points:+.1f}", points=last.choice * 100),
        ]
        if abs(last.rest) >= _WORTH_TELLING:
            rest = last.rest * 100
            if last.luck or last.choice:
                why.append(say("other {points:+.1f}", points=rest))
            else:
                why = [say("turn {points:+.1f}", points=rest)]
        moved = say(
            "{name} {points:+.1f} points: {reasons}",
            name=names[last.seat],
            points=(last.after[last.seat] - last.before[last.seat]) * 100,
            reasons=", ".join(why),
        )
        text += f" ({moved})"
    return text if error is None else f"{text} {_error_text(error)}"


def hint_text(hint: Hint) -> str:
    """What is best and why."""
    lines = [hint_head(hint)]
    if hint.advice:
        lines.append(advice_text(hint.advice))
        kept = dice_text(hint.advice.options[0].set_aside)
        lines.append(say("After keeping {dice}:", dice=kept))
    lines.append(odds_text(hint.odds))
    if not hint.exact:
        lines.append(say(NOT_EXACT))
    return wrap("\n".join(lines))


def hint_data(hint: Hint) -> dict[str, Any]:
    """The advice on the roll, else the odds before it."""
    return answer_data(hint.advice or hint.odds)


def hint_head(hint: Hint) -> str:
    """What to do, in a few words."""
    if hint.advice:
        best = hint.advice.options[0]
        return say(_KEEP[best.action], dice=dice_text(best.set_aside))
    return say(_DO[hint.odds.action])


def games_text(tables: Sequence[Table]) -> str:
    """The open games of a place, one line each."""
    if not tables:
        return say("No game is open here. /play @NAME or /play level:optimal begins one.")
    rows = [
        (
            table.game.id,
            say("{rules} rules", rules=table.game.rules.name),
            standings_text(table.names, table.game),
        )
        for table in tables
    ]
    return wrap("\n".join([say("Open games:"), *columns(rows)]))


def _earlier(table: Table) -> str:
    """What became of a game that was here before."""
    if table.idle_hours:
        return say_number(
            "Game {game} ended by itself: nobody had moved for {number} hour.",
            "Game {game} ended by itself: nobody had moved for {number} hours.",
            table.idle_hours,
            game=table.game.id,
        )
    return say(
        "Game {game}, at which {name} sat alone, is put away.",
        game=table.game.id,
        name=table.names[0],
    )


def _opening(table: Table) -> Iterator[str]:
    game = table.game
    names = ", ".join(table.names)
    rules, goal = game.rules.name, _goal(game)
    told = say_later("A new game, game {game}: {names}; {rules} rules, {goal}.")
    if game.tracked:
        told = say_later("A new game, with real dice: {names}; {rules} rules, {goal}.")
    yield say(told, game=game.id, names=names, rules=rules, goal=goal)
    if game.commitment:
        yield say(
            "Dice: SHA-256 commitment {commitment}; /seed TEXT adds your share to them.",
            commitment=game.commitment,
        )
    if len(game.seats) < 2:
        if game.tracked:
            yield say("Others sit down with /join.")
        else:
            yield say("Others sit down with /join, a bot with /join level:optimal.")
    elif not game.tracked and len(game.seats) < MOST_PLAYERS:
        yield say("Others can /join until the first roll.")


def _goal(game: Game) -> str:
    rules = game.rules
    if rules.goal_must_be == "exceeded":
        return say("over {goal:,}", goal=rules.goal)
    return say("to {goal:,}", goal=rules.goal)


def _happened(news: News, before: Game) -> Iterator[str]:
    table, game = news.table, news.table.game
    yield from events_text(table.names, before, news.events, news.by)
    if game.over:
        if game.shares is not None or not news.events:
            yield _result(table)
        if game.secret:
            yield say(
                "The secret of the dice was {secret}; /proof shows how each roll follows from it.",
                secret=game.secret,
            )
        if news.reviewable:
            yield say("/review looks back at every decision.")


def _notes(game: Game, number: int) -> Iterator[str]:
    """What there is to say of a seat beside its score."""
    seat = game.seats[number]
    if not seat.playing:
        yield say("resigned")
    if seat.farkles:
        yield farkles_in_a_row(seat.farkles)
    if game.rules.has_opening and not seat.on_board:
        yield say("not on the board")
    if number == game.mover and not game.over:
        yield turn_so_far_text(game)


def _to_move(table: Table) -> str:
    game = table.game
    name = table.names[game.mover]
    text = say("{name} is to roll.", name=name)
    if game.tracked:
        text = say(
            "{name} is to move: /score POINTS, /score farkle, or /roll with the dice.", name=name
        )
    if game.stage is Stage.FINAL:
        last = say("Last turn for {name}.", name=name)
        return f"{last} {text}"
    if game.stage is not Stage.PLAY_OFF:
        return text
    most = max((points for _, points in game.played_off), default=None)
    stage = say("Play-off.")
    if most is not None:
        stage = say("Play-off, {points:,} points to beat.", points=most)
    return f"{stage} {text}"


def _result(table: Table) -> str:
    shares = table.game.shares
    if shares is None:
        return idle_text(table.idle_hours) if table.idle_hours else say("No result.")
    winners = [name for name, share in zip(table.names, shares, strict=True) if share > 0]
    scores = standings_text(table.names, table.game)
    if len(winners) == 1:
        return say("{name} wins: {scores}.", name=winners[0], scores=scores)
    return say("{names} share the win: {scores}.", names=and_text(winners), scores=scores)


def _error_text(error: float) -> str:
    return say("(standard error {points:.1f})", points=error * 100)
