"""What a table looks like to who visits it."""

from dataclasses import dataclass

from bot.chat.presses import TablePress, read_press
from bot.chat.pressing import QUESTIONS
from bot.fronts.web.page import Page
from bot.services.games import News
from bot.services.tables import Table
from bot.table.events import Left
from bot.table.fold import fold
from bot.views.card import Button
from bot.views.events import events_text
from bot.views.table_buttons import SURE, shown_faces
from bot.views.table_card import TableCard

_LATELY, _MOST_TOLD = 6, 60
"""Events that are told again: where nobody says since when, and at most."""
_TO_WATCH = {"details", "rules", "review"}
_TO_WAIT = {*_TO_WATCH, "leave", "resign", "again"}
"""What who sits at a table can do while others move."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player as the page shows them."""

    name: str
    score: int
    farkles: int
    playing: bool
    is_mover: bool
    has_won: bool
    share: float | None
    """Their win probability."""


@dataclass(frozen=True, slots=True)
class Die:
    """A die of the roll on the table."""

    face: int
    name: str
    """What the die is called, "" where all are equal."""
    is_chosen: bool
    address: str
    """Where it is chosen or put back, "" where it cannot be."""
    why: str


def story_of(page: Page, table: Table) -> list[str]:
    """Return what has happened since the version that the address names, else of late."""
    given = page.given.get("since", "")
    last = len(table.events)
    first = int(given) - 1 if given.isdecimal() and len(given) < 7 else last - _LATELY
    first = min(max(first, last - _MOST_TOLD, 0), last)
    if any(isinstance(one, Left) for one in table.events[first:]):
        return []  # names of who got up are not known any more
    then = fold(table.begun, table.events[:first])
    return list(events_text(table.names, then, table.events[first:], briefly=True))


def seats_of(table: Table, news: News) -> list[Seat]:
    """Return the players with their scores and chances."""
    game = table.game
    chances = news.at_start or news.chances
    return [
        Seat(
            name,
            seat.score,
            seat.farkles,
            seat.playing,
            number == game.mover and not game.over,
            bool(game.over and game.shares and game.shares[number]),
            chances.win_probabilities[number] if chances and not game.over else None,
        )
        for number, (seat, name) in enumerate(zip(game.seats, table.names, strict=True))
    ]


def _chosen_at(page: Page, table: Table, button: Button, mask: int) -> str:
    """Where a button leads that chooses dice."""
    press = read_press(button.id)
    assert isinstance(press, TablePress)  # noqa: S101 - those of a table have such ids
    path = f"/game/{table.game.id}"
    return page.link(path, v=table.game.version, mask=press.chosen(mask))


def dice_of(page: Page, table: Table, card: TableCard, mask: int, *, moves: bool) -> list[Die]:
    """Return the roll on the table, whose dice are links for who is to move."""
    roll = table.game.turn.roll or ()
    by_action = {one.action: one for one in card.buttons}
    found = []
    kits = table.game.kits
    shown = kits[table.game.mover].shown(roll) if kits and roll else None
    for number, (die, face) in enumerate(zip(roll, shown_faces(table.game, roll), strict=True)):
        button = by_action.get(f"die{number}")
        can = moves and button is not None and button.enabled
        address = _chosen_at(page, table, button, mask) if button and can else ""
        name = shown.first_name(shown.dice_set.type_of(die)).typed if shown else ""
        why = button.why if button else ""
        found.append(Die(face, name, bool(mask >> number & 1), address, why))
    return found


def buttons_of(
    page: Page, table: Table, card: TableCard, mask: int, *, own: int | None, moves: bool
) -> dict[str, list[tuple[Button, str]]]:
    """Return the buttons for who visits: those that choose dice, that do something, and that ask.

    With each is where it leads, "" where it is pressed.
    """
    path, version = f"/game/{table.game.id}", table.game.version
    found: dict[str, list[tuple[Button, str]]] = {"choose": [], "do": [], "ask": []}
    for one in card.buttons:
        press = read_press(one.id)
        is_join = one.action == "join"
        allowed = moves or one.action in (_TO_WATCH if own is None else _TO_WAIT)
        if one.action.startswith("die") or is_join or not allowed:
            continue
        if isinstance(press, TablePress) and press.chooses:
            found["choose"].append((one, _chosen_at(page, table, one, mask)))
        elif one.action == "review":
            found["do"].append((one, page.link(f"{path}/review")))
        elif one.action == "refresh":
            found["ask"].append((one, page.link(path)))
        elif one.action in SURE:
            found["ask"].append((one, page.link(path, sure=one.action)))
        elif one.action in QUESTIONS:
            address = page.link(path, ask=one.action, v=version, mask=mask or None)
            found["ask"].append((one, address))
        else:
            found["do"].append((one, ""))
    return found
