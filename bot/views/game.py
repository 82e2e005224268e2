"""What happened at a table, in plain words for everybody who reads along."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bot.layout import columns, dice_count, rough_percent, wrap
from bot.services.advisor import Hint
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Table
from bot.table.commands import most_players
from bot.table.events import Corrected, Undone, event_data
from bot.table.state import Game, Stage, laid_out, rolled_text
from bot.tasks.tasks import duration
from bot.views import events
from bot.views.advice import (
    advice_text,
    farkles_in_a_row,
    odds_text,
    set_aside_text,
    turn_to_beat_text,
)
from bot.views.answer_data import answer_data
from bot.views.named_dice import use_text, uses_left_text
from solver.play.advice import Advice
from solver.turn.equations import Decision
from solver.wording import figure, say, say_later

_WORTH_TELLING = 0.0005
"""Least change of a win probability that is told."""
NOT_EXACT = say_later(
    "With more than two players this advice looks only at your strongest opponent."
)
_KEEP = {
    Decision.ROLL: say_later("Keep {dice} and roll on."),
    Decision.BANK: say_later("Keep {dice} and bank."),
    Decision.WIN: say_later("Keep {dice}, bank and win."),
    Decision.LOST: say_later("Keep {dice}: too little to bank."),
}
_DO = {
    Decision.ROLL: say_later("Roll."),
    Decision.BANK: say_later("Bank."),
    Decision.WIN: say_later("Bank and win."),
    Decision.TAKE_OVER: say_later("Take over what they left."),
}


def news_text(news: News) -> str:
    """What happened, sentence by sentence, and how the chances are now."""
    return wrap("\n".join(news_lines(news)))


def news_lines(news: News) -> list[str]:
    """What happened at a table, line by line, and how it is now."""
    table, before, game = news.table, news.before, news.table.game
    lines = list(_opening(news) if before is None else _happened(news))
    if news.chances and (news.chances.last or not table.game.over):
        lines.append(chances_text(table.names, news.chances))
        # of a game of two without hints it has been told with these
        if before is None and news.chances.within is not None and not news.unsolved:
            lines.append(_how_exact(game, news.chances.within))
    last = news.steps[-1].event if news.steps else None
    anew = news.chances or before is None or game.is_drafting or isinstance(last, Corrected)
    # of a turn under way it has just been told
    if not game.over and anew and not (isinstance(last, Undone) and game.turn != game.first_turn):
        lines.append(to_move_text(table))
    for reply in news.after:
        lines += reply.text.splitlines()
    return lines


def details_lines(news: News) -> list[str]:
    """What few want to know of a table: the chances in full, and what its dice come from."""
    table, game, chances = news.table, news.table.game, news.chances
    lines = [events.table_head(table), *events.brought_to(table)]
    if chances and not game.over:
        if not game.hints:
            # why they moved would be a hint while the move can be taken back
            chances = replace(chances, last=None)
        lines.append(chances_text(table.names, chances))
        if chances.within is not None:
            lines.append(_how_exact(game, chances.within))
    if game.commitment:
        message = say_later("Fair dice: SHA-256 commitment {commitment}.")
        over = say(message, commitment=game.commitment)
        lines.append(over if game.over else _commitment(game.commitment))
    if game.secret:
        lines.append(_secret(game.secret))
    return lines


def news_data(news: News) -> dict[str, Any]:
    """The events and the table after them."""
    return {
        "events": [{"kind": event.kind, **event_data(event)} for _, event, _ in news.steps]
        if news.before is not None
        else [],
        **table_data(news.table, news.chances),
        **{key: value for reply in news.after for key, value in reply.data.items()},
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
    lines = [events.table_head(table), *events.brought_to(table), *columns(rows, right={2, 3})]
    if game.over:
        lines.append(events.result_text(table))
    if chances and chances.within is not None:
        lines.append(_how_exact(game, chances.within))
    return wrap("\n".join(lines))


def table_data(table: Table, chances: Chances | None) -> dict[str, Any]:
    """The table as plain data; the roll as it is typed where players bring their dice."""
    game, roll = table.game, table.game.turn.roll
    return {
        "game": game.id,
        "version": game.version,
        "rules": game.rules.name,
        "stage": game.stage,
        "to_move": None if game.over else table.stored_names[game.mover],
        "turn_total": game.turn.turn_total,
        "dice": game.number_of_dice,
        "roll": roll and game.kit.data(rolled_text(game, roll), list(roll)),
        **({"pool": [die.typed for _, die in laid_out(game)]} if game.is_drafting else {}),
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
                **_kit_data(game, number),
            }
            for number, (seat, name) in enumerate(zip(game.seats, table.stored_names, strict=True))
        ],
        "within": chances.within if chances else None,
    }


def _kit_data(game: Game, number: int) -> dict[str, str | int | None]:
    """What a seat brings, if players bring something."""
    if not game.kits:
        return {}
    kit = game.kits[number]
    uses = {"uses": game.seats[number].uses} if game.matchup and any(game.matchup.powers) else {}
    return {"set": kit.dice.text, "badge": kit.badge.text if kit.badge else None, **uses}


def chances_text(names: Sequence[str], chances: Chances) -> str:
    """One line with each player's chance, by how much the last turn moved it, and why."""
    shares = ", ".join(
        f"{name} {rough_percent(share)}"
        for name, share in zip(names, chances.win_probabilities, strict=True)
    )
    within, head = chances.within, say_later("Win probability: {chances}")
    if within is not None:
        head = say_later("Estimated win probability: {chances}")
    text = say(head, chances=shares)
    if (last := chances.last) is not None:
        why = [
            say("luck {points:+.1f}", points=last.luck * 100),
            say("choices {points:+.1f}", points=last.choice * 100),
        ]
        if abs(last.rest) >= _WORTH_TELLING:
            # of a turn without rolls nobody can say more than how much it changed
            other = say("other {points:+.1f}", points=last.rest * 100)
            why = [*why, other] if last.luck or last.choice else []
        change = (last.after[last.seat] - last.before[last.seat]) * 100
        moved = say("{name} {points:+.1f} %", name=names[last.seat], points=change)
        text += f" ({': '.join([moved, ', '.join(why)] if why else [moved])})"
    if within is None:
        return text
    return f"{text} " + say("(±{points:.1f})", points=within * 100)


def reminder_text(player: str, name: str, seconds: int, game: str) -> str:
    """What a player is told whose turn may be passed soon; `name` is who waits."""
    return say(
        "{player}, {name} is waiting for you: in {time} your turn in game {game} may be skipped.",
        player=player,
        name=name,
        time=duration(seconds),
        game=game,
    )


def hint_text(hint: Hint) -> str:
    """What is best and why."""
    lines = [hint_head(hint)]
    if hint.advice:
        lines.append(advice_text(hint.advice))
    if hint.advice and hint.odds:
        lines.append(after_keeping(hint.advice))
    if hint.odds:
        lines.append(odds_text(hint.odds, alone=not hint.advice))
    if not hint.exact:
        lines.append(wrap(say(NOT_EXACT)))
    return "\n".join(lines)


def hint_data(hint: Hint) -> dict[str, Any]:
    """The advice on the roll, else the odds before it."""
    answer = hint.advice or hint.odds
    return answer_data(answer) if answer else {}


def hint_head(hint: Hint) -> str:
    """What to do, in a few words."""
    advice, about = hint.advice, hint.advice or hint.odds
    if about and (use := hint.use):
        what = use_text(about.brought, use, advice.roll if advice else ())
        return say("Use your badge: {what}.", what=what)
    if advice and advice.options:
        best = advice.options[0]
        return say(_KEEP[best.action], dice=set_aside_text(advice, best))
    if advice:
        return say("Take the farkle with /use no, and keep your badge.")
    if (odds := hint.odds) is None:
        return ""
    afresh = odds.take_over is not None and odds.action is Decision.ROLL
    return say("Begin afresh.") if afresh else say(_DO[odds.action])


def after_keeping(advice: Advice) -> str:
    """A line which says that what follows is how it stands once the best dice are kept."""
    return say("After keeping {dice}:", dice=set_aside_text(advice, advice.options[0]))


def games_text(tables: Sequence[Table]) -> str:
    """The open games of a place, one line each."""
    if not tables:
        return say("No game is open here. /play @NAME or /play level:optimal begins one.")
    rows = []
    for table in tables:
        rules = say("{rules} rules", rules=table.game.rules.name)
        rows.append((table.game.id, rules, events.standings_text(table)))
    return wrap("\n".join([say("Open games:"), *columns(rows)]))


def _opening(news: News) -> Iterator[str]:
    game = news.table.game
    message = say_later("New game {game}: {names}; {rules} rules, {goal}.")
    yield from events.opening_texts(news, message)
    if game.commitment:
        yield say("Dice can be checked: /proof {game}.", game=game.id)
    if len(game.seats) < 2:
        if game.tracked:
            yield say("Others join with /join.")
        elif game.kits:
            yield say(
                "Another player joins with /join, or with other dice by /join my-dice:SET; a bot"
                " joins with /join level:optimal."
            )
        else:
            yield say("Others join with /join, a bot with /join level:optimal.")
    elif not game.tracked and len(game.seats) < most_players(game):
        yield say("Others can /join until the first roll.")


def _happened(news: News) -> Iterator[str]:
    yield from events.happened_texts(news)
    if news.table.game.secret:
        yield _secret(news.table.game.secret)
    if news.reviewable:
        if news.table.game.rolls:
            yield say("/review shows what every decision cost.")
        else:
            yield say("/review shows what every turn changed.")


def _commitment(commitment: str) -> str:
    return say(
        "Fair dice: SHA-256 commitment {commitment}; /seed TEXT adds your own randomness.",
        commitment=commitment,
    )


def commitment_text(table: Table) -> str:
    """What is shown of the secret of a game while it goes on."""
    sentence = say(
        "When game {game} is over, /proof {game} shows its secret and how every roll follows from"
        " it.",
        game=table.game.id,
    )
    return wrap(f"{_commitment(table.game.commitment or '')}\n{sentence}")


def commitment_data(table: Table) -> dict[str, Any]:
    """Return the commitment of a game as plain data."""
    return {"game": table.game.id, "commitment": table.game.commitment}


def _secret(secret: str) -> str:
    return say(
        "The secret of the dice was {secret}; /proof shows how each roll follows from it.",
        secret=secret,
    )


def _notes(game: Game, number: int) -> Iterator[str]:
    """What there is to say of a seat beside its score."""
    seat = game.seats[number]
    if not seat.playing:
        yield say("resigned")
    if seat.farkles:
        yield farkles_in_a_row(seat.farkles, game.rules)
    if game.rules.has_opening and not seat.on_board:
        yield say("not on the board")
    if game.matchup and (power := game.matchup.powers[number]):
        yield uses_left_text(power, seat.uses)
    if number == game.mover and not game.over:
        yield events.turn_so_far_text(game)
        if game.to_beat:
            yield turn_to_beat_text(game.to_beat)


def to_move_text(table: Table, *, typed: bool = True) -> str:
    """Who is to move between turns, and what is special about the turn.

    typed : whether commands are typed for that; else buttons say what can be done
    """
    game, name = table.game, table.names[table.game.mover]
    text = _may_do_text(game, name, typed=typed)
    if game.is_drafting:
        return text
    if game.stage is Stage.FINAL:
        last = say("Last turn for {name}.", name=name)
        text = f"{last} {text}"
    if game.rules.rounds or game.to_beat:
        return f"{_of_turn(game)} {text}"
    if game.stage is not Stage.PLAY_OFF:
        return text
    stage = say_later("Play-off, {points:,} points to beat.")
    if not game.played_off:
        stage = say_later("Play-off.")
    most = max((points for _, points in game.played_off), default=0)
    return f"{say(stage, points=most)} {text}"


def _may_do_text(game: Game, name: str, *, typed: bool) -> str:
    """What the one to move may do between turns, as `to_move_text` has it."""
    if game.is_drafting:
        offer = say_later("{name} takes the next pair.")
        if typed and game.picks:
            offer = say_later("{name} takes the next pair: {dice}.")
        elif typed:  # what is laid out has just been told
            offer = say_later("{name} takes the next pair with /pick.")
        return say(offer, name=name, dice=", ".join(die.typed for _, die in laid_out(game)))
    if game.tracked and game.turn != game.first_turn:
        return say("{name}: {turn}.", name=name, turn=events.turn_so_far_text(game))
    if game.tracked and not game.rules.takes_over:
        offer = say_later(
            "{name} is to move: /score POINTS, /score farkle, or /roll with the dice."
        )
        return say(offer, name=name)
    if (left := game.offered) is None:
        return say("{name} is to roll.", name=name)
    offer = say_later("{name} may take over {points:,} points and {dice}, or begin afresh.")
    if typed:
        offer = say_later(
            "{name} may take over {points:,} points and {dice} (/take), or roll all dice."
        )
    return say(offer, name=name, points=left.turn_total, dice=dice_count(left.dice))


def _of_turn(game: Game) -> str:
    """What a turn has to beat, or the round that it belongs to."""
    if game.to_beat:
        return say("{points:,} points to beat.", points=game.to_beat)
    number, rounds = game.rounds_over + 1, game.rules.rounds
    if number > rounds:
        return say("One more round.")
    return say("Round {number} of {most}.", number=number, most=rounds)


def _how_exact(game: Game, within: float) -> str:
    """Why chances are estimates, and how good these are."""
    return say(
        "These chances are estimates, as {rules} rules are not solved for {players} players: 95 of"
        " 100 are at most {points:.1f} percentage points off.",
        rules=game.rules.name,
        players=len(game.seats),
        points=within * 100,
    )
