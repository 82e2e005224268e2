"""A tournament as people read it: who must play whom now, the table or the bracket, the end.

On a phone as on the console it is one column; names in columns are cut to what fits there.
"""

from collections.abc import Iterator, Sequence
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


def tournament_data(news: TournamentNews) -> dict[str, Any]:
    """A tournament as plain data, without the ids of people."""
    return {
        "happened": news.happened.name.lower(),
        "given_up": [game.table.game.id for game in news.given_up],
        **(state_data(news.tournament) or {}),
    }


def state_data(tournament: Tournament | None) -> dict[str, Any] | None:
    """A tournament as plain data."""
    if tournament is None:
        return None

    def name(side: Side) -> str | None:
        return tournament.entrant(side).name if isinstance(side, int) else None

    return {
        "tournament": tournament.id,
        "form": tournament.form.value,
        "rules": tournament.rules.get("name"),
        "hints": tournament.hints,
        "started": tournament.started,
        "over": tournament.over,
        "players": [{"name": player.name, "left": player.left} for player in tournament.entrants],
        "pairings": [
            {
                "round": pairing.round,
                "players": list(map(name, pairing.sides)),
                "state": pairing.state.name.lower(),
                "game": pairing.game.id if pairing.game else None,
                "shares": list(pairing.shares) if pairing.shares else None,
            }
            for pairing in tournament.pairings
        ],
        "due": [list(map(name, pairing.sides)) for pairing in tournament.due],
        "waiting": [player.name for player in tournament.waiting],
        "table": [
            {"place": row.place, "name": row.entrant.name, "games": row.games, "won": row.points}
            for row in tournament.table
        ],
        "winners": [winner.name for winner in tournament.winners],
    }


def _happened(news: TournamentNews) -> Iterator[str]:
    """What was done, if that is worth a sentence, and how games ended by that."""
    for game in news.given_up:
        table = game.table
        yield from events_text(table.names, game.steps)
        yield result_text(table)
    message = {
        Happened.JOINED: say_later("{name} takes part."),
        Happened.LEFT: say_later("{name} no longer takes part."),
        Happened.STARTED: say_later("The tournament begins."),
    }.get(news.happened)
    if news.tournament is None:
        yield say("The tournament is closed.")
    elif message:
        yield say(message, name=news.name)


def _blocks(
    tournament: Tournament | None, width: int = _WIDE, *, commands: bool = True
) -> Iterator[Block]:
    """All there is to say of a tournament.

    width : columns of a name in a table
    commands : whether it is said what to type; else buttons are the games that are to be played
    """
    if tournament is None:
        return
    if tournament.over:
        yield from _ending(tournament)
    else:
        yield _head(tournament)
    if not tournament.started and not tournament.over:
        yield from _before(tournament, commands=commands)
        return
    if tournament.due and commands:
        yield say("Games to play now:")
        yield [(_under_way(pair) + _versus(tournament, pair, width),) for pair in tournament.due]
    if tournament.waiting:
        yield say("Waiting: {names}.", names=", ".join(entry.name for entry in tournament.waiting))
    if tournament.form is Form.KNOCK_OUT and not tournament.over:
        yield from _bracket(tournament, width, is_whole=not commands)
    elif any(row.games for row in tournament.table):
        yield say("Games won:")
        yield [_row(row, width) for row in tournament.table]
    biggest = tournament.biggest_turn if tournament.over else None
    if biggest:
        who, points = biggest
        yield say("Biggest turn: {name}, {points:,} points.", name=who.name, points=points)
    if commands and tournament.due:
        yield say("/tournament play begins your game.")


def _head(tournament: Tournament) -> str:
    """Which tournament it is, and how far it has come."""
    try:
        rules = rules_of(tournament)
        name, goal, rounds = rules.name, rules.goal, rules.rounds
    except FarkleError:  # of a newer version
        name, goal, rounds = "?", 0, 0
    message = say_later("Tournament, {form}, {rules} rules, {goal:,} points.")
    if rounds:
        message = say_later("Tournament, {form}, {rules} rules, games of {rounds} rounds.")
    head = say(message, form=say(_FORMS[tournament.form]), rules=name, goal=goal, rounds=rounds)
    if not tournament.started:
        return head
    counted = [pair for pair in tournament.pairings if pair.state not in {State.BYE, State.VOID}]
    done = sum(pair.state is State.PLAYED for pair in counted)
    so_far = say("Played: {done} of {number}.", done=done, number=len(counted))
    return f"{head} {so_far}"


def _before(tournament: Tournament, *, commands: bool) -> Iterator[str]:
    """Who is there before the start, and what there is to do."""
    names = ", ".join(player.name for player in tournament.present)
    yield say_number("{number} [player|players]: {names}.", len(tournament.present), names=names)
    then = say_later("{host} begins it when everybody is here.")
    if commands:
        then = say_later(
            "Others join with /tournament join; {host} begins it with /tournament start."
        )
    yield say(then, host=tournament.entrant(0).name)


def _ending(tournament: Tournament) -> Iterator[str]:
    if not tournament.complete:
        yield say("The tournament was ended before all games were played.")
        return
    winners = [winner.name for winner in tournament.winners]
    if not winners:
        yield say("The tournament is over, and nobody is left.")
    elif len(winners) > 1:
        yield say("🏆 {names} share the win of the tournament.", names=and_text(winners))
    else:
        yield say("🏆 {name} wins the tournament.", name=winners[0])


def _under_way(pairing: Pairing) -> str:
    """What comes before a pairing whose game is under way."""
    return f"{_PLAYING} " if pairing.state is State.PLAYING else ""


def _row(row: Row, width: int) -> tuple[str, ...]:
    name = _short(row.entrant.name, width)
    if row.entrant.left:
        return f"{row.place}.", name, say("left")
    won = figure(row.points, ",.0f" if row.points == int(row.points) else ",.1f")
    return f"{row.place}.", name, say("{won} of {games:,}", won=won, games=row.games)


def _bracket(state: Tournament, width: int, *, is_whole: bool) -> Iterator[Block]:
    """Every round of a knock-out as far as it is known, and who won.

    is_whole : whether it says, too, which games are under way
    """
    last, earlier = state.rounds, say_later("Round {number}:")
    named = {last: say_later("Final:"), last - 1: say_later("Semi-finals:")}
    for number in range(1, last + 1):
        pairings = [pair for pair in state.pairings if pair.round == number]
        known = [pair for pair in pairings if any(isinstance(side, int) for side in pair.sides)]
        if known:
            yield say(named.get(number, earlier), number=number)
            yield [
                ((_under_way(pair) if is_whole else "") + _versus(state, pair, width, mark=True),)
                for pair in known
            ]


def _versus(tournament: Tournament, pairing: Pairing, width: int, *, mark: bool = False) -> str:
    """The two of a pairing.

    mark : whether who won is marked, and who has left what was not played
    """

    def told(side: Side) -> str:
        if side is Nobody.BYE:
            return say("bye")
        if not isinstance(side, int):
            return "?"
        entrant = tournament.entrant(side)
        name = _short(entrant.name, width)
        if mark and entrant.left and pairing.state is not State.PLAYED:
            return say("{name} (left)", name=name)
        won = mark and pairing.winner == side and Nobody.BYE not in pairing.sides
        return f"{name} {_WON}" if won else name

    return " – ".join(map(told, pairing.sides))


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
    state = news.tournament
    lines = _lines([*_happened(news), *_blocks(state, _NAME, commands=False)])
    return Card(plain_markdown("\n".join(lines)), buttons=tuple(_buttons(state)) if state else ())


def _buttons(tournament: Tournament) -> Iterator[Button]:
    """What can be done now: join and start, then the games that are to be played."""
    if tournament.over:
        return
    if not tournament.started:
        yield Button("join", say("Join"), style=Style.MAIN)
        yield Button("leave", say("Leave"))
        yield Button("start", say("Start"), style=Style.BANK, enabled=len(tournament.present) > 1)
        return
    number = 0
    for number, pairing in enumerate(tournament.due, start=1):
        first, second = pairing.sides
        style = Style.PLAIN if pairing.state is State.PLAYING else Style.MAIN
        label = _under_way(pairing) + _versus(tournament, pairing, _BUTTON_NAME)
        yield Button(f"{first}-{second}", label, (number - 1) // _PER_ROW, style)
    yield Button("show", say("Refresh"), -(-number // _PER_ROW))
