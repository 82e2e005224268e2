"""Answers as cards: marked text, pictures and buttons as data, for chats that have messages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import Any

from bot.services.advisor import Hint
from bot.services.chances import Chances
from bot.services.comparing import ComparedRules
from bot.services.games import News
from bot.services.memo import MemoAnswer
from bot.services.tables import Table
from bot.table import commands
from bot.table.commands import MOST_PLAYERS
from bot.table.events import Kept, Rolled
from bot.table.fair_dice import Proof
from bot.table.state import Game, Stage, apply
from bot.typed import cleaned
from bot.views.advice import advice_text, odds_text, position_text
from bot.views.compare import compare_text
from bot.views.dice_picture import dice_png
from bot.views.game import NOT_EXACT, happened_lines, hint_head, news_lines, table_head
from bot.views.layout import (
    defused,
    dice_count,
    dice_text,
    escape_markdown,
    pad,
    percent,
    plain_markdown,
    safe_text,
    shorten,
    shorten_text,
    text_width,
)
from bot.views.memo import Heading, memo_page, memo_text
from bot.views.why import why_text
from solver.errors import IllegalActionError
from solver.play.advice import Advice, Odds
from solver.turn.dice import Roll, make_roll
from solver.turn.equations import Decision
from solver.turn.scoring import Fate, set_asides
from solver.wording import figure, say, say_later, say_number

_MOST_LINES = 1_200
"""Characters of what happened, the rest of a table is less than what is left."""
_MOST_PLAIN = 1_700
"""Characters of a text before it is made safe, which adds some."""
_NAME = 14
_BAR = 8
_FACES = "⚀⚁⚂⚃⚄⚅"
_PER_ROW = 3
_MOST_OPTIONS = 8
"""Of the set-asides of a roll, those that are named."""

SURE = {
    "resign": (say_later("Give the game up?"), say_later("Yes, resign")),
    "end": (say_later("End the game without a result?"), say_later("Yes, end it")),
}
"""What is asked back before it is done: the question, and the button that says yes."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a file below a message, and what it shows in words."""

    name: str
    content: bytes
    description: str


class Style(Enum):
    """How a button stands out."""

    PLAIN = auto()
    MAIN = auto()
    BANK = auto()
    DANGER = auto()


@dataclass(frozen=True, slots=True)
class Button:
    """A button below a table."""

    action: str
    label: str
    row: int = 0
    style: Style = Style.PLAIN
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Card:
    """A message."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()

    def __post_init__(self) -> None:
        """Whatever is said, Discord acts on nothing in it."""
        object.__setattr__(self, "text", shorten_text(defused(self.text)))


def answer_card(subject: Any) -> Card | None:
    """An answer that looks different here than on the console, None for any other."""
    card: Card | None
    match subject:
        case Advice():
            card = Card(shorten_text(_marked_advice(subject)))
        case Odds():
            card = Card(_marked_odds(subject))
        case Hint():
            card = Card(shorten_text(_marked_hint(subject)))
        case ComparedRules():
            card = _compared_card(subject)
        case MemoAnswer(picture=bytes(picture)):
            card = _memo_card(subject, picture)
        case Proof():
            said = say(
                "The proof of the dice of game {game}; with this program anybody can check it.",
                game=subject.game,
            )
            name = f"proof-{subject.game}.json"
            card = Card(said, (Attachment(name, subject.to_json().encode(), "JSON"),))
        case _:
            card = None
    return card


def _compared_card(compared: ComparedRules) -> Card:
    """Rule sets side by side, with their picture if there is one."""
    whole = text_card(compare_text(compared.found))
    if compared.picture is None:
        return whole
    drawn = Attachment("rules.png", compared.picture, say("The rule sets side by side"))
    return replace(whole, attachments=(drawn, *whole.attachments))


def _memo_card(answer: MemoAnswer, picture: bytes) -> Card:
    """A table to memorise as the picture of its page."""
    title = next(part.text for part in memo_page(answer) if isinstance(part, Heading))
    text = f"**{escape_markdown(title)}**"
    if answer.study:
        overall = percent(answer.study.memo_go_for_it.overall)
        worth = say("Who plays by it wins {overall} against optimal play.", overall=overall)
        text += f"\n{escape_markdown(worth)}"
    return Card(text, (Attachment("memo.png", picture, cleaned(memo_text(answer))[:1000]),))


def text_card(text: str) -> Card:
    """Text of the console as a message; what does not fit is in a file."""
    if len(text) <= _MOST_PLAIN:
        return Card(plain_markdown(text))
    whole = Attachment("answer.txt", text.encode(), say("The whole answer"))
    return Card(plain_markdown(shorten_text(text, _MOST_PLAIN)), (whole,))


def table_card(told: Sequence[News], chart: bytes | None = None, *, pictures: bool = True) -> Card:
    """A table: the score sheet, what happened, the chances, the dice as a picture, its buttons.

    told : the news that the message tells, the last of which has the table
    chart : the picture of its chart, which takes long to draw
    pictures : whether the dice are drawn
    """
    *earlier, news = told
    table = news.table
    lines = [line for one in earlier for line in happened_lines(one)] + news_lines(news)
    happened = [escape_markdown(line) for line in lines]
    while len(happened) > 1 and sum(map(len, happened)) > _MOST_LINES:
        del happened[0]
    parts = [f"**{escape_markdown(table_head(table))}**", _sheet(table, news.chances), *happened]
    drawn = [*_dice(news)] if pictures else []
    if chart:
        names = ", ".join(table.names)
        said = cleaned(say("Win probabilities turn by turn: {names}", names=names))
        drawn.append(Attachment("game.png", chart, said[:1000]))
    text = shorten_text("\n".join(parts))
    return Card(text, tuple(drawn), tuple(table_buttons(table.game)))


def roll_picture(game: Game, mask: int = 0) -> Attachment | None:
    """The dice on the table; bit k of the mask says whether die k is set aside."""
    roll = game.turn.roll
    if roll is None:
        return None
    chosen = tuple(bool(mask >> k & 1) for k in range(len(roll)))
    kept = [face for face, is_chosen in zip(roll, chosen, strict=True) if is_chosen]
    said = say("Rolled {dice}", dice=dice_text(roll))
    if kept:
        aside = dice_text(tuple(kept))
        said = say("Rolled {dice}, set aside {kept}", dice=dice_text(roll), kept=aside)
    return Attachment("dice.png", dice_png(roll, chosen, _scoring_dice(game)), said)


def kept_dice(game: Game, mask: int) -> Roll:
    """The dice of the roll that the mask says are set aside."""
    roll = game.turn.roll or ()
    return make_roll([face for k, face in enumerate(roll) if mask >> k & 1])


def table_buttons(game: Game, mask: int = 0) -> list[Button]:
    """The buttons of a table; what is not allowed now is disabled.

    mask : the dice that are chosen, bit by bit
    """
    if game.over:
        buttons = _after_the_end(game)
    elif game.stage is Stage.LOBBY and len(game.seats) < 2:
        buttons = [Button("join", say("Join"), style=Style.MAIN), Button("end", say("End"))]
    elif game.bot_to_move:
        buttons = [Button("refresh", say("Go on")), _resign(0)]
    elif game.tracked:
        buttons = [Button("farkle", say("Farkle")), _hint(game, 0), _undo_button(game, 0)]
    elif game.turn.roll is not None:
        buttons = _choice(game, mask)
    else:
        buttons = _before_a_roll(game)
    if not all(one.enabled for one in buttons):
        buttons.append(Button("why", say("Why not?"), max(one.row for one in buttons)))
    return buttons


def why_not(game: Game, mask: int) -> list[str]:
    """Why the buttons that are disabled are, with these dice chosen."""
    seat, kept = game.mover, kept_dice(game, mask)
    may_bank = partial(commands.bank, game, seat)
    check_hints = partial(commands.check_hints, game)
    if game.tracked or game.turn.roll is None:
        return _refusals(*([] if game.tracked else [may_bank]), _undo(game), check_hints)
    told = []
    scoring = _scoring_dice(game)
    if idle := [face for face, scores in zip(game.turn.roll, scoring, strict=True) if not scores]:
        told.append(
            say_number(
                "{dice} scores nothing in this roll under {rules} rules",
                "{dice} score nothing in this roll under {rules} rules",
                len(idle),
                dice=dice_text(make_roll(idle)),
                rules=game.rules.name,
            )
        )
    bank = partial(commands.keep_and, game, seat, kept, "bank") if kept else may_bank
    return told + _refusals(bank, check_hints)


def _marked_advice(advice: Advice) -> str:
    """The set-asides of a roll, best first, or what has become of the turn."""
    if advice.fate is not Fate.SCORES:
        return plain_markdown(advice_text(advice))
    where = say(
        "{position}, {rules} rules",
        position=position_text(advice.rules, advice.position),
        rules=escape_markdown(advice.rules.name),
    )
    lines = [f"**{dice_text(advice.roll)}**: {where}"]
    for number, option in enumerate(advice.options[:_MOST_OPTIONS]):
        then = {
            Decision.ROLL: say_later("keep **{kept}** ({points:,}), roll {dice}"),
            Decision.BANK: say_later("keep **{kept}** ({points:,}), bank {total:,}"),
            Decision.WIN: say_later("keep **{kept}** ({points:,}), bank {total:,} and win"),
        }[option.action]
        told = say(
            then,
            kept=dice_text(option.set_aside),
            points=option.points,
            dice=dice_count(option.dice_left),
            total=option.turn_total,
        )
        cost = (advice.win_probability - option.win_probability) * 100
        tail = say("**best**") if number == 0 else f"−{figure(cost, '.2f')}"
        lines.append(f"{number + 1}\\. {told}: {percent(option.win_probability)}, {tail}")
    if (more := len(advice.options) - _MOST_OPTIONS) > 0:
        lines.append(say("and {number} more", number=more))
    if told := why_text(advice):
        lines.append(plain_markdown(told))
    return "\n".join(lines)


def _marked_odds(odds: Odds) -> str:
    """Roll or bank in columns, and why under them."""
    table, told = odds_text(replace(odds, why=None)), why_text(odds)
    return "\n".join(map(plain_markdown, filter(None, [table, told])))


def _marked_hint(hint: Hint) -> str:
    """What is best for the player to move, and why."""
    lines = [f"**{hint_head(hint)}**"]
    if hint.advice:
        kept = dice_text(hint.advice.options[0].set_aside)
        lines += [_marked_advice(hint.advice), say("After keeping {dice}:", dice=kept)]
    lines.append(plain_markdown(odds_text(hint.odds)))
    if not hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)


def _sheet(table: Table, chances: Chances | None) -> str:
    """Scores and chances, narrow enough for a phone."""
    names = [shorten(safe_text(name, 60), _NAME) for name in table.names]
    width = max(map(text_width, names))
    rows = []
    for number, (seat, name) in enumerate(zip(table.game.seats, names, strict=True)):
        moves = "▸" if number == table.game.mover and not table.game.over else " "
        row = f"{moves} {pad(name, width)} {figure(seat.score):>6}"
        if chances:
            share = chances.win_probabilities[number]
            row += f" {figure(share * 100, '.1f'):>5} % {_bar(share)}"
        if not seat.playing:
            row += " " + say("resigned")
        elif seat.farkles:
            row += f" {'×' * seat.farkles}"
        rows.append(row.rstrip())
    return "```text\n" + "\n".join(rows) + "\n```"


def _bar(share: float) -> str:
    full = round(share * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _dice(news: News) -> list[Attachment]:
    """The roll on the table, else the one that ended the turn."""
    if found := roll_picture(news.table.game):
        return [found]
    if news.table.game.over:
        return []
    last = [event.dice for event in news.events if isinstance(event, Rolled)]
    if not last:
        return []
    said = say("The last roll: {dice}", dice=dice_text(last[-1]))
    return [Attachment("dice.png", dice_png(last[-1], scoring=(False,) * len(last[-1])), said)]


def _scoring_dice(game: Game) -> tuple[bool, ...]:
    """Of each die of the roll whether there is a set-aside with it."""
    roll = game.turn.roll or ()
    faces = {face for one in set_asides(game.rules, roll) for face in one.dice}
    return tuple(face in faces for face in roll)


def _after_the_end(game: Game) -> list[Button]:
    """What can be done when a game has been played to its end."""
    if game.shares is None:
        return []
    again = Button("again", say("Play again"))
    return [Button("review", say("Review")), again] if len(game.seats) == 2 else [again]


def _before_a_roll(game: Game) -> list[Button]:
    """What can be done when no roll is on the table."""
    roll = say("Roll {dice}", dice=dice_count(game.turn.dice))
    buttons = [Button("roll", roll, style=Style.MAIN), _bank(game, 0)]
    buttons += [_hint(game, 1), _undo_button(game, 1), _resign(1)]
    if game.stage is Stage.LOBBY and not game.turn.turn_total and len(game.seats) < MOST_PLAYERS:
        buttons.append(Button("join", say("Join"), 1))
    return buttons


def _choice(game: Game, mask: int) -> list[Button]:
    """The dice of a roll, and what can be done with those that are chosen."""
    roll = game.turn.roll or ()
    worth = {one.dice: one.points for one in set_asides(game.rules, roll)}
    buttons = []
    for number, (face, scores) in enumerate(zip(roll, _scoring_dice(game), strict=True)):
        alone = worth.get((face,))
        label = f"{_FACES[face - 1]} {face}" + (f" · {figure(alone)}" if alone else "")
        style = Style.MAIN if mask >> number & 1 else Style.PLAIN
        buttons.append(Button(f"die{number}", label, number // _PER_ROW, style, enabled=scores))
    kept = kept_dice(game, mask)
    row = -(-len(roll) // _PER_ROW)
    if kept not in worth:
        told = say("Choose dice to keep")
        if kept:
            told = say("{dice} cannot be kept alone", dice=dice_text(kept))
        buttons.append(Button("roll", told, row, enabled=False))
        buttons.append(Button("bank", say("Bank"), row, enabled=False))
    else:
        after = apply(game, Kept(dice=kept))
        keep = say(
            "Keep {points:,}, roll {dice}",
            points=after.turn.turn_total - game.turn.turn_total,
            dice=dice_count(after.turn.dice),
        )
        buttons += [Button("roll", keep, row, Style.MAIN), _bank(after, row)]
    return [*buttons, _hint(game, row + 1), _resign(row + 1)]


def _bank(game: Game, row: int) -> Button:
    total = game.turn.turn_total
    label = say("Bank {points:,}", points=total) if total else say("Bank")
    return Button("bank", label, row, Style.BANK, enabled=game.may_bank)


def _hint(game: Game, row: int) -> Button:
    return Button("hint", say("Hint"), row, enabled=game.hints)


def _undo_button(game: Game, row: int) -> Button:
    return Button("undo", say("Undo"), row, enabled=not _refusals(_undo(game)))


def _resign(row: int) -> Button:
    return Button("resign", say("Resign"), row, Style.DANGER)


def _undo(game: Game) -> Callable[[], object]:
    """Takes the last move back, by whose move it was: who else may not is told at the press."""
    return partial(commands.undo, game, game.before.mover if game.before else None)


def _refusals(*checks: Callable[[], object]) -> list[str]:
    """What is not allowed of these, each as a sentence."""
    found = []
    for check in checks:
        try:
            check()
        except IllegalActionError as error:
            found.append(str(error))
    return found
