"""Replies, and answers to questions, as cards whose buttons know the presses they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bot.chat.presses import AskPress, Confirm, Press, ReviewPage, TablePress
from bot.services.advisor import Hint
from bot.table.state import Game
from bot.views.advice import (
    advice_text,
    cost_text,
    endings_lines,
    id_text,
    odds_table,
    opened_by,
    position_text,
    reachable_text,
    reason_text,
    set_aside_text,
)
from bot.views.card import Button, Card, Style
from bot.views.dice_picture import kept_picture
from bot.views.game import NOT_EXACT, best_text
from bot.views.layout import (
    dice_count,
    dice_text,
    escape_markdown,
    percent,
    plain_markdown,
    shorten_text,
)
from bot.views.table_buttons import SURE
from bot.views.table_card import TableCard
from solver.loaded.kits import Kit
from solver.named.sets import read_set
from solver.play.advice import Advice, Odds
from solver.turn.equations import Decision
from solver.turn.scoring import Fate
from solver.wording import say, say_later

AnyCard = TypeVar("AnyCard", bound=Card)

_MOST_ROWS = 3
"""Set-asides of a roll that are told before anybody asks for all of them."""
_MOST_OPTIONS = 24
"""Set-asides of a roll that are told at most."""


def pressable(card: AnyCard, press: Callable[[str], Press]) -> AnyCard:
    """A card with the id of each button; `press`: what one does, by its action."""
    return _with_ids(card, lambda action: press(action).id)


def pressable_table(card: TableCard, game: Game, language: str, mask: int = 0) -> TableCard:
    """The card of a table, in its language, with these dice chosen, bit by bit."""
    mask &= (1 << len(game.turn.roll or ())) - 1
    some = TablePress(game.id, game.version, mask, language, "roll")
    all_but_action = some.id.removesuffix(some.action)
    return _with_ids(card, lambda action: all_but_action + action)


def _with_ids(card: AnyCard, id_of: Callable[[str], str]) -> AnyCard:
    buttons = tuple(one._replace(id=id_of(one.action)) for one in card.buttons)
    menu = replace(card.menu, id=id_of(card.menu.action)) if card.menu else None
    return replace(card, buttons=buttons, menu=menu)


def answer_card(found: Advice | Odds | Hint, *, whole: bool = False) -> Card | None:
    """Advice, odds or a hint with a button that asks for all of it."""
    card = advice_card(found, whole=whole)
    answer = (found.advice or found.odds) if isinstance(found, Hint) else found
    asks = opened_by(answer) if answer else None
    return pressable(card, partial(AskPress, asks)) if card and asks else card


def sure_card(press: TablePress, message: int) -> Card:
    """What is asked back before a press is done, which a message shows, by number, 0 if none."""
    question, yes = SURE[press.action]
    sure = Confirm(press.action, press.language, press.game, message)
    return Card(say(question), buttons=(Button("yes", say(yes), style=Style.GRAVE, id=sure.id),))


def review_card(game: str, pages: Sequence[Card], page: int) -> Card:
    """A page of a review, with buttons to the one before and the one after."""
    on = page + 1 < len(pages)
    back = Button("back", say("◀ Previous"), enabled=page > 0)
    return pressable(
        replace(pages[page], buttons=(back, Button("on", say("Next ▶"), enabled=on))),
        lambda to: ReviewPage(game, max(page - 1, 0) if to == "back" else page + 1, to),
    )


def advice_card(found: Advice | Odds | Hint, *, whole: bool = False) -> Card | None:
    """Advice, odds or a hint as a message; None where dice of one's own are told as text.

    whole : whether all set-asides are told, and not the best with a button for the others
    """
    if found.brought:
        return None
    match found:
        case Advice():
            return _advice_card(found, [], whole=whole)
        case Odds():
            return Card(_marked_odds(found))
        case Hint(advice=Advice() as advice):
            notes = [] if found.exact else [say(NOT_EXACT)]
            return _advice_card(advice, notes, whole=whole)
        case Hint(odds=Odds() as odds):
            notes = [] if found.exact else [say(NOT_EXACT)]
            return Card("\n".join([_marked_odds(odds), *notes]))
    return None


def _advice_card(advice: Advice, notes: list[str], *, whole: bool) -> Card:
    """What is best below its headline, and the roll as a picture."""
    if advice.fate is not Fate.SCORES:
        return Card(plain_markdown(advice_text(advice)))
    most = _MOST_OPTIONS if whole or not opened_by(advice) else _MOST_ROWS
    lines = [f"### {escape_markdown(best_text(advice))}", f"-# {_where(advice)}"]
    for number, option in enumerate(advice.options[:most]):
        then = {
            Decision.ROLL: say_later("keep **{kept}** ({points:,}), roll {dice}"),
            Decision.BANK: say_later("keep **{kept}** ({points:,}), bank {total:,}"),
            Decision.WIN: say_later("keep **{kept}** ({points:,}), bank {total:,} and win"),
            Decision.LOST: say_later("keep **{kept}** ({points:,}), too little to bank"),
        }[option.action]
        told = say(
            then,
            kept=set_aside_text(advice, option),
            points=option.points,
            dice=dice_count(option.dice_left),
            total=option.turn_total,
        )
        cost = advice.win_probability - option.win_probability
        tail = say("**best**") if number == 0 else cost_text(cost, advice.within)
        value = percent(option.win_probability, advice.within)
        lines.append(f"{number + 1}\\. {told}: {value}, {tail}")
    if ends := endings_lines(advice):
        lines.append(plain_markdown("\n".join(ends)))
    told_later = (reason_text(advice), reachable_text(advice), *notes)
    lines += map(plain_markdown, filter(None, told_later))
    lines += [f"-# {note}" for note in [id_text(advice)] if note]
    buttons: tuple[Button, ...] = ()
    if (every := len(advice.options)) > most:
        buttons = (Button("all", say("All {number} choices", number=every)),)
    kit = Kit(read_set(f"ordinary*{advice.rules.dice}", advice.rules.dice))
    drawn = kept_picture(kit, advice.roll, advice.options[0].set_aside)
    return Card(shorten_text("\n".join(lines)), (drawn,), buttons)


def _where(advice: Advice) -> str:
    """The roll and the position."""
    where = say(
        "{position}, {rules} rules",
        position=position_text(advice.rules, advice.position),
        rules=escape_markdown(advice.rules.name),
    )
    return f"{dice_text(advice.roll)}: {where}"


def _marked_odds(odds: Odds) -> str:
    """Roll or bank in columns, and why under them."""
    told = [odds_table(odds), reason_text(odds), reachable_text(odds)]
    lines = [f"### {escape_markdown(best_text(odds))}", *map(plain_markdown, filter(None, told))]
    return "\n".join([*lines, *(f"-# {note}" for note in [id_text(odds)] if note)])
