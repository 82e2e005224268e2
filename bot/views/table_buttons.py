"""What a table shows as a message: its dice as a picture, and buttons of what can be done."""

from collections.abc import Callable, Sequence

from bot.layout import dice_count
from bot.table import badges, commands
from bot.table.commands import most_players
from bot.table.events import Kept
from bot.table.fold import apply
from bot.table.state import Game, Stage, kept_text, laid_out, rolled_text
from bot.views.card import LISTED, LONGEST_LABEL, Attachment, Button, Style
from bot.views.dice_picture import dice_png, kept_of
from solver.named.drafts import PAIR
from solver.named.rolls import JOKER_LETTER
from solver.turn.dice import JOKER, Roll, SetAside, TurnState, make_roll
from solver.wording import figure, say, say_later, say_number, short

_FACES = "⚀⚁⚂⚃⚄⚅"
JOKER_SIGN = "🃏"
_PER_ROW = 4
_WIDEST_PICKS = 24
"""Letters of the set-asides of several dice that have a button beside each other; the others are in
a list."""

_EDGE = 3
"""Letters that are as wide as what a button has beside its label."""
_WIDEST_ROW = 28
"""Letters of the names of dice that are beside each other, with their edges."""
_LONGEST_NAME, _SHORTEST_NAME = 9, 7
"""Letters of a die's name on its button: no two names begin with as many as the first says, and
two dice are beside each other that have as many as the second says."""
_MOST_LINES = 5
"""Rows of buttons that fit on a phone, a list among them."""
_MOST_DICE_ROWS = _MOST_LINES - 2
"""Rows of dice among these. Where there are so many, what is best to keep is beside the last dice,
if there is room, and the other set-asides of several are in the list."""
_MOST_PICKS = 20
"""Set-asides that have a button or a place in the list, beside what else is in it."""

SURE = {
    "resign": (say_later("Give the game up?"), say_later("Yes, resign")),
    "end": (say_later("End the game without a result?"), say_later("Yes, end it")),
}
"""What is asked back before it is done: the question, and the button that says yes."""


def roll_picture(game: Game, mask: int = 0) -> Attachment | None:
    """The dice on the table; bit k of the mask says whether die k is set aside."""
    roll = game.turn.roll
    if roll is None:
        return None
    chosen = tuple(bool(mask >> k & 1) for k in range(len(roll)))
    kept = [face for face, is_chosen in zip(roll, chosen, strict=True) if is_chosen]
    said = say("Rolled {dice}", dice=rolled_text(game, roll))
    if kept:
        aside = kept_text(game, tuple(kept))
        said = say("Rolled {dice}, set aside {kept}", dice=rolled_text(game, roll), kept=aside)
    scoring = _scoring_dice(roll, game.set_asides())
    picture = dice_png(shown_faces(game, roll), chosen, scoring, game.rules.dice)
    return Attachment("dice.png", picture, said)


def kept_dice(game: Game, mask: int) -> Roll:
    """The dice of the roll that the mask says are set aside."""
    roll = game.turn.roll or ()
    return make_roll([face for k, face in enumerate(roll) if mask >> k & 1])


def used_dice(game: Game, mask: int) -> Roll:
    """The dice of the roll that the badge is used on, where the mask says what is chosen."""
    takes_dice = game.power is not None and game.power.kind in badges.TAKES_DICE
    return kept_dice(game, mask) if takes_dice else ()


def table_buttons(
    game: Game, mask: int = 0, *, opened: bool = False, reviewable: bool = True
) -> list[Button]:
    """The buttons of a table; what is not allowed now is disabled.

    mask : the dice that are chosen, bit by bit
    opened : whether its host set the table up for whoever comes
    reviewable : whether there is something to look back on once the game is over
    """
    if game.over:
        buttons = _after_the_end(game, reviewable=reviewable)
    elif game.stage is Stage.LOBBY and (
        len(game.seats) < 2 or not (game.tracked or game.is_drafting)
    ):
        buttons = _lobby(game, opened=opened)
    elif game.bot_to_move:
        buttons = [Button("refresh", say("Go on")), _details(0), _resign(0)]
    elif game.is_drafting:
        buttons = _pairs(game)
    elif game.turn.roll is not None:
        buttons = _choice(game, mask)
    elif game.tracked:
        buttons = _before_real_dice(game)
    else:
        buttons = _before_a_roll(game)
    if not all(button.enabled for button in buttons):
        buttons.append(Button("why", say("Why not?"), buttons[-1].row))
    return buttons


def why_not(game: Game, mask: int) -> list[str]:
    """Why the buttons that are disabled are, with these dice chosen."""
    reasons = dict.fromkeys(button.why for button in table_buttons(game, mask) if button.why)
    return list(reasons) or [say("you can press every button now")]


def _button(why: str, action: str, label: str, row: int, style: Style = Style.PLAIN) -> Button:
    """A button that can be pressed unless something is said against it."""
    return Button(action, label, row, style, enabled=not why, why=why)


def shown_faces(game: Game, dice: Roll) -> tuple[int, ...]:
    """What dice of the player to move show, each by itself."""
    shown = game.side.shown(dice)
    return tuple(shown.faces((die,))[0] for die in dice)


def _scoring_dice(roll: Roll, legal: Sequence[SetAside]) -> tuple[bool, ...]:
    """Tells for each die of a roll whether there is a legal set-aside with it."""
    scoring = {die for set_aside in legal for die in set_aside.dice}
    return tuple(die in scoring for die in roll)


def _after_the_end(game: Game, *, reviewable: bool) -> list[Button]:
    """What can be done when a game has been played to its end."""
    if game.shares is None:
        return []
    again = Button("again", say("Rematch"), style=Style.MAIN)
    review = [Button("review", say("Review"))] if reviewable else []
    return [*review, again, _details(0)]


def _lobby(game: Game, *, opened: bool) -> list[Button]:
    """What can be done before the first roll."""
    buttons = []
    if len(game.seats) > 1:
        label = say("Roll {dice}", dice=dice_count(game.number_of_dice))
        buttons.append(Button("roll", say("Start") if opened else label, style=Style.MAIN))
    if len(game.seats) < most_players(game):
        style = Style.PLAIN if buttons else Style.MAIN
        buttons.append(Button("join", say("Join"), style=style))
    if len(game.seats) < 2:
        buttons.append(Button("end", say("End")))
    elif game.picks or game.closed:
        buttons.append(_resign(0))  # who took dice plays with them
    else:
        buttons.append(Button("leave", say("Leave")))
    return [*buttons, Button("rules", say("Rules"), 1), _details(1)]


def _before_a_roll(game: Game) -> list[Button]:
    """What can be done when no roll is on the table."""
    roll = say("Roll {dice}", dice=dice_count(game.number_of_dice))
    buttons = [Button("roll", roll, style=Style.MAIN), _bank(game, 0), *_use(game, 0, 0)]
    if game.offered:
        buttons = [_take(game.offered), Button("roll", say("Begin afresh"))]
    return [*buttons, _hint(game, 1), _details(1), _resign(1), _undo_button(game, 2)]


def _before_real_dice(game: Game) -> list[Button]:
    """What a press can say of a turn with real dice; what falls, or the points, are typed then."""
    buttons = [Button("fell", say("Enter dice"), style=Style.MAIN)]
    if game.offered:
        buttons.append(_take(game.offered))
    elif game.turn != game.first_turn or game.rules.takes_over:
        buttons.append(_bank(game, 0))
    else:
        buttons.append(Button("points", say("Enter points")))
        if not game.rules.spares_farkles:
            buttons.append(Button("farkle", say("Farkle"), 1))
    return [*buttons, _hint(game, 1), _details(1), _undo_button(game, 2)]


def _take(offered: TurnState) -> Button:
    """The button that takes over what the player before left."""
    points, dice = offered.turn_total, dice_count(offered.dice)
    label = say("Take {points:,}, {dice}", points=points, dice=dice)
    return Button("take", label, style=Style.MAIN)


def typed_after(game: Game, action: str) -> tuple[str, str]:
    """What is asked for after a button is pressed for which something is typed, and an example."""
    if action == "points":
        return say("Points of the turn"), "550"
    return say("Dice that fell"), "1 5 lucky, 6 odd" if game.kits else "6 5 3 3 3 2"


def _pairs(game: Game) -> list[Button]:
    """The pairs of dice that nobody has taken yet, in rows that fit on a phone and then a list."""
    pairs = [(f"pair{place}", f"{PAIR} × {die.typed}") for place, die in laid_out(game)]
    rows = _rows_of([label for _, label in pairs])
    last = rows[-1] + 1 if rows[-1] + 1 < _MOST_LINES else _MOST_LINES - 2
    buttons = [
        Button(*pair, row if row < last else LISTED) for pair, row in zip(pairs, rows, strict=True)
    ]
    return [*buttons, Button("end", say("End"), last), _details(last)]


def _rows_of(labels: Sequence[str]) -> list[int]:
    """The row of each label, so that a row is one line of a phone."""
    rows, room = [-1], 0
    for label in labels:
        needs = len(label) + _EDGE
        rows.append(rows[-1] + (needs > room))
        room = (_WIDEST_ROW if needs > room else room) - needs
    return rows[1:]


def _choice(game: Game, mask: int) -> list[Button]:
    """The dice of a roll, and what can be done with those that are chosen."""
    roll, legal = game.turn.roll or (), game.set_asides()
    buttons = []
    # a badge turns dice or rolls them again that score nothing
    changes = _shows_use(game) and game.power is not None and game.power.changes_rolls
    scoring = _scoring_dice(roll, legal)
    idle = tuple(die for die, scores in zip(roll, scoring, strict=True) if not scores)
    useless = ""
    if idle and not changes:
        useless = say_number(
            "{dice} [scores|score] nothing in this roll under {rules} rules",
            len(idle),
            dice=kept_text(game, idle),
            rules=game.rules.name,
        )
    reasons = ["" if scores else useless for scores in scoring]
    labels, rows = _labels_of(game, roll, reasons)
    for number, (label, why) in enumerate(zip(labels, reasons, strict=True)):
        style = Style.MAIN if mask >> number & 1 else Style.PLAIN
        buttons.append(Button(f"die{number}", label, rows[number], style, not why, why))
    row = rows[-1] if game.kits else len(roll) // _PER_ROW
    buttons.append(_hint(game, LISTED if game.kits else row))
    kept = kept_dice(game, mask)
    with_points = _scoring_dice(roll, [set_aside for set_aside in legal if set_aside.points])
    everything = make_roll([die for die, scores in zip(roll, with_points, strict=True) if scores])
    picks = _picks(game, mask, row + 1, legal, everything)
    if row >= _MOST_DICE_ROWS - 1:
        fits = game.kits and picks and _rows_of([*labels, picks[0].label])[-1] == row
        picks = [pick._replace(row=row if fits and pick is picks[0] else LISTED) for pick in picks]
    buttons += [pick for pick in picks if pick.row != LISTED]
    row = max(row, *(pick.row for pick in picks), 0) + 1
    if not legal:
        buttons.append(Button("accept", say("Take the farkle"), row))
    elif all(set_aside.dice != kept for set_aside in legal):
        caption = say("Does not score") if kept else say("Choose dice")
        why = commands.why_not_keep(game, kept) if kept else commands.why_not_bank(game)
        bank_button = _button(why, "bank", say("Bank"), row)
        go_on = bank_button._replace(action="keep" if game.tracked else "roll", label=caption)
        buttons += [go_on, bank_button]
    else:
        after = apply(game, Kept(dice=kept))
        is_last = after.is_out_of_throws
        if game.tracked or is_last:
            points = after.turn.turn_total - game.turn.turn_total
            go_on = Button("keep", say("Keep {points:,}", points=points), row, Style.MAIN)
        else:
            # short, so that Bank stays beside it: what is kept is seen in the dice above
            caption = say_number("Roll {number} [die|dice]", after.number_of_dice)
            go_on = Button("roll", caption, row, Style.MAIN)
        buttons.append(go_on)
        if not is_last:
            buttons += [_bank(after, row), *_use(after, 0, row)]
    buttons += _use(game, mask, row)
    buttons += [pick for pick in picks if pick.row == LISTED]
    last = _undo_button(game, LISTED) if game.tracked else _resign(LISTED)
    return [*buttons, _details(LISTED), last]


def _labels_of(
    game: Game, roll: Roll, reasons: Sequence[str]
) -> tuple[Sequence[str], Sequence[int]]:
    """The label of each die and its row; one that cannot be chosen goes without its name."""
    labels: list[str] = []
    rows: list[int] = []
    for longest in range(_LONGEST_NAME, _SHORTEST_NAME - 1, -1):
        shorter = [
            _die_label(game, die, longest=0 if why else longest)
            for die, why in zip(roll, reasons, strict=True)
        ]
        if len({*shorter}) < len({*labels}):
            break
        labels, rows = shorter, _rows_of(shorter)
        if rows[-1] < _MOST_DICE_ROWS:
            break
    return labels, rows


def _picks(
    game: Game, mask: int, row: int, legal: Sequence[SetAside], everything: Roll
) -> list[Button]:
    """Several dice by one press: all that scores, and the set-asides of most points."""
    roll = game.turn.roll or ()
    several = [set_aside for set_aside in legal if len(set_aside.dice) > 1]
    # before the others, however many points they are worth
    several.sort(key=lambda set_aside: set_aside.dice != everything)
    buttons: list[Button] = []
    room: int = _WIDEST_PICKS
    for set_aside in several[:_MOST_PICKS]:
        points = figure(set_aside.points) if set_aside.points else say("straight?")
        label = _of_dice(game, set_aside.dice, f"{{}} · {points}".format)
        if set_aside.dice == everything:
            label = say("All · {points:,}", points=set_aside.points)
        chosen = sum(1 << k for k, is_kept in enumerate(kept_of(roll, set_aside.dice)) if is_kept)
        style = Style.MAIN if chosen == mask else Style.PLAIN
        is_beside = not buttons or len(label) <= room
        room = room - len(label) if is_beside else 0
        buttons.append(Button(f"pick{chosen}", label, row if is_beside else LISTED, style))
    return buttons


def _of_dice(game: Game, dice: Roll, label: Callable[[str], str]) -> str:
    """What a button says of dice of the roll: with their names where there is room."""
    named = label(kept_text(game, dice))
    if len(named) <= LONGEST_LABEL:
        return named
    return label(
        " ".join(JOKER_LETTER if face == JOKER else str(face) for face in shown_faces(game, dice))
    )


def _die_label(game: Game, die: int, *, longest: int = 0) -> str:
    """The face of a die, with so many letters of its name where the player has others."""
    [face] = shown_faces(game, (die,))
    label = f"{JOKER_SIGN} {JOKER_LETTER}" if face == JOKER else f"{_FACES[face - 1]} {face}"
    if not longest:
        return label
    dice = game.kit.shown((die,))
    if len(dice.dice_set.types) == 1:
        return label
    name = dice.first_name(dice.dice_set.type_of(die)).typed
    return f"{label} {short(name, longest)}"


def _bank(game: Game, row: int) -> Button:
    total = game.bank_points
    label = say("Bank {points:,}", points=total) if total else say("Bank")
    return _button(commands.why_not_bank(game), "bank", label, row, Style.BANK)


def _use(game: Game, mask: int, row: int) -> list[Button]:
    """The use of a badge, of the dice that are chosen where it takes some."""
    if not _shows_use(game):
        return []
    why = badges.why_no_use(game, game.mover, used_dice(game, mask))
    return [_button(why, "use", say("Use the badge"), row)]


def _shows_use(game: Game) -> bool:
    """Whether a badge is used by a press; with real dice what falls then has to be typed."""
    return game.may_use and not game.tracked


def _hint(game: Game, row: int) -> Button:
    return _button(commands.why_no_hints(game), "hint", say("Hint"), row)


def _undo_button(game: Game, row: int) -> Button:
    """Takes the last move back: who may not as it was another's is told at the press."""
    return _button(commands.why_no_undo(game), "undo", say("Undo"), row)


def _details(row: int) -> Button:
    return Button("details", say("Details"), row)


def _resign(row: int) -> Button:
    return Button("resign", say("Resign"), row)
