"""A tournament as people read it: who must play whom now, the table or the bracket, the end.

On a phone as on the console it is one column; names in columns are cut to what fits there.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bot.features.tournaments.bracket import Form, Nobody, Pairing, Row, Side, State, Tournament
from bot.features.tournaments.service import Happened, TournamentNews, rules_of
from bot.layout import columns, plain_markdown, safe_text, wrap
from bot.views.card import Button, Card, Style
from bot.views.events import events_text, result_text
from solver.errors import FarkleError
from solver.wording import and_text, figure, say, say_later, say_number

_FORMS = {Form.ROUND_ROBIN: say_later("round robin"), Form.KNOCK_OUT: say_later("knock-out")}
_WIDE = 20
"""Columns of a name in a table."""
_WON, _PLAYING = "✓", "▸"

_NAME, _BUTTON_NAME = 10, 15
"""Columns of a name in a table, so that two fit on a phone, and on a button."""
_PER_ROW = 2

Block = str | list[tuple[str, ...]]
"""A sentence, or the rows of a table."""


def tournament_text(news: TournamentNews) -> str:
    """What was done, and the tournament after it."""
    return wrap("\n".join(_lines([*_happened(news), *_blocks(news.tournament)])))


def tournament_lines(tournament: Tournament) -> list[str]:
    """A tournament after one of its games, without line breaks in the sentences."""
    return _lines(list(_blocks(tournament)))


def tournament_data(news: TournamentNews) -> dict[str, Any]:
    """A tournament as plain data, without the ids of people."""
    return {
        "happened": news.happened.name.lower(),
        "given_up": [one.table.game.id for one in news.given_up],
        **(state_data(news.tournament) or {}),
    }


def state_data(tournament: Tournament | None) -> dict[str, Any] | None:
    """A tournament as plain data."""
    if tournament is None:
        return None
    name = partial(_side_name, tournament)
    return {
        "tournament": tournament.id,
        "form": tournament.form.value,
        "rules": tournament.rules.get("name"),
        "hints": tournament.hints,
        "started": tournament.started,
        "over": tournament.over,
        "players": [{"name": one.name, "left": one.left} for one in tournament.entrants],
        "pairings": [_pairing_data(tournament, one) for one in tournament.pairings],
        "due": [list(map(name, one.sides)) for one in tournament.due],
        "waiting": [one.name for one in tournament.waiting],
        "table": [
            {"place": one.place, "name": one.entrant.name, "games": one.games, "won": one.points}
            for one in tournament.table
        ],
        "winners": [one.name for one in tournament.winners],
    }


def _pairing_data(tournament: Tournament, one: Pairing) -> dict[str, Any]:
    return {
        "round": one.round,
        "players": [_side_name(tournament, side) for side in one.sides],
        "state": one.state.name.lower(),
        "game": one.game.id if one.game else None,
        "shares": list(one.shares) if one.shares else None,
    }


def _side_name(tournament: Tournament, side: Side) -> str | None:
    return tournament.entrant(side).name if isinstance(side, int) else None


def _happened(news: TournamentNews) -> Iterator[str]:
    """What was done, if that is worth a sentence, and how games ended by that."""
    for game in news.given_up:
        table = game.table
        if game.before is not None:
            yield from events_text(table.names, game.before, game.events)
        yield result_text(table)
    told = {
        Happened.JOINED: say_later("{name} takes part."),
        Happened.LEFT: say_later("{name} no longer takes part."),
        Happened.STARTED: say_later("The tournament begins."),
    }.get(news.happened)
    if news.tournament is None:
        yield say("The tournament is closed.")
    elif told:
        yield say(told, name=news.name)


def _blocks(
    found: Tournament | None, width: int = _WIDE, *, commands: bool = True
) -> Iterator[Block]:
    """All there is to say of a tournament.

    width : columns of a name in a table
    commands : whether it is said what to type; else buttons are the games that are to be played
    """
    if found is None:
        return
    if found.over:
        yield from _ending(found)
    else:
        yield _head(found)
    if not found.started and not found.over:
        yield from _before(found, commands=commands)
        return
    if found.due and commands:
        yield say("Games to play now:")
        yield [(_under_way(one) + _versus(found, one, width),) for one in found.due]
    if found.waiting:
        yield say("Waiting: {names}.", names=", ".join(one.name for one in found.waiting))
    if found.form is Form.KNOCK_OUT and not found.over:
        yield from _bracket(found, width, is_whole=not commands)
    elif any(row.games for row in found.table):
        yield say("Games won:")
        yield [_row(one, width) for one in found.table]
    biggest = found.biggest_turn if found.over else None
    if biggest:
        who, points = biggest
        yield say("Biggest turn: {name}, {points:,} points.", name=who.name, points=points)
    if commands and found.due:
        yield say("/tournament play begins your game.")


def _head(found: Tournament) -> str:
    """Which tournament it is, and how far it has come."""
    try:
        rules = rules_of(found)
        name, goal, rounds = rules.name, rules.goal, rules.rounds
    except FarkleError:  # of a newer version
        name, goal, rounds = "?", 0, 0
    told = say_later("Tournament, {form}, {rules} rules, {goal:,} points.")
    if rounds:
        told = say_later("Tournament, {form}, {rules} rules, games of {rounds} rounds.")
    head = say(told, form=say(_FORMS[found.form]), rules=name, goal=goal, rounds=rounds)
    if not found.started:
        return head
    counted = [one for one in found.pairings if one.state not in {State.BYE, State.VOID}]
    done = sum(one.state is State.PLAYED for one in counted)
    so_far = say("Played: {done} of {number}.", done=done, number=len(counted))
    return f"{head} {so_far}"


def _before(found: Tournament, *, commands: bool) -> Iterator[str]:
    """Who is there before the start, and what there is to do."""
    names = ", ".join(one.name for one in found.present)
    yield say_number("{number} [player|players]: {names}.", len(found.present), names=names)
    then = say_later("{host} begins it when everybody is here.")
    if commands:
        then = say_later(
            "Others join with /tournament join; {host} begins it with /tournament start."
        )
    yield say(then, host=found.entrant(0).name)


def _ending(found: Tournament) -> Iterator[str]:
    if not found.complete:
        yield say("The tournament was ended before all games were played.")
        return
    winners = [one.name for one in found.winners]
    if not winners:
        yield say("The tournament is over, and nobody is left.")
    elif len(winners) > 1:
        yield say("🏆 {names} share the win of the tournament.", names=and_text(winners))
    else:
        yield say("🏆 {name} wins the tournament.", name=winners[0])


def _under_way(one: Pairing) -> str:
    """What comes before a pairing whose game is under way."""
    return f"{_PLAYING} " if one.state is State.PLAYING else ""


def _row(row: Row, width: int) -> tuple[str, ...]:
    name = _short(row.entrant.name, width)
    if row.entrant.left:
        return f"{row.place}.", name, say("left")
    won = figure(row.points, ",.0f" if row.points == int(row.points) else ",.1f")
    return f"{row.place}.", name, say("{won} of {games:,}", won=won, games=row.games)


def _bracket(found: Tournament, width: int, *, is_whole: bool) -> Iterator[Block]:
    """Every round of a knock-out as far as it is known, and who won.

    is_whole : whether it says, too, which games are under way
    """
    for number in range(1, found.rounds + 1):
        pairings = [one for one in found.pairings if one.round == number]
        known = [one for one in pairings if any(isinstance(side, int) for side in one.sides)]
        if known:
            yield _round_name(number, found.rounds)
            yield [
                ((_under_way(one) if is_whole else "") + _versus(found, one, width, mark=True),)
                for one in known
            ]


def _round_name(number: int, rounds: int) -> str:
    last = {rounds: say_later("Final:"), rounds - 1: say_later("Semi-finals:")}
    return say(last.get(number, say_later("Round {number}:")), number=number)


def _versus(found: Tournament, one: Pairing, width: int, *, mark: bool = False) -> str:
    """The two of a pairing.

    mark : whether who won is marked
    """

    def told(side: Side) -> str:
        if side is Nobody.BYE:
            return say("bye")
        if not isinstance(side, int):
            return "?"
        name = _short(found.entrant(side).name, width)
        won = mark and one.winner == side and Nobody.BYE not in one.sides
        return f"{name} {_WON}" if won else name

    return " – ".join(map(told, one.sides))


def _short(name: str, width: int) -> str:
    return safe_text(name, width) or "?"


def _lines(blocks: Sequence[Block]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            lines.append(block)
        else:  # places in front of names, or pairings alone
            lines += columns(block, right={0} if len(block[0]) > 1 else ())
    return lines


def tournament_card(news: TournamentNews) -> Card:
    """A tournament as a message with buttons."""
    found = news.tournament
    lines = _lines([*_happened(news), *_blocks(found, _NAME, commands=False)])
    return Card(plain_markdown("\n".join(lines)), buttons=tuple(_buttons(found)) if found else ())


def _buttons(found: Tournament) -> Iterator[Button]:
    """What can be done now: join and start, then the games that are to be played."""
    if found.over:
        return
    if not found.started:
        yield Button("join", say("Join"), style=Style.MAIN)
        yield Button("leave", say("Leave"))
        yield Button("start", say("Start"), style=Style.BANK, enabled=len(found.present) > 1)
        return
    number = 0
    for number, one in enumerate(found.due, start=1):
        first, second = one.sides
        style = Style.PLAIN if one.state is State.PLAYING else Style.MAIN
        label = _under_way(one) + _versus(found, one, _BUTTON_NAME)
        yield Button(f"{first}-{second}", label, (number - 1) // _PER_ROW, style)
    yield Button("show", say("Refresh"), -(-number // _PER_ROW))
