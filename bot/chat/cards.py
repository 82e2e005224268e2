"""Replies as cards whose buttons know the presses that they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bot.chat.presses import AskPress, Confirm, Press, ReviewPage, TablePress
from bot.services.advisor import Hint
from bot.table.state import Game
from bot.views.advice import opened_by
from bot.views.answer_card import advice_card
from bot.views.card import Button, Card, Style
from bot.views.table_buttons import SURE
from bot.views.table_card import TableCard
from solver.play.advice import Advice, Odds
from solver.wording import say

AnyCard = TypeVar("AnyCard", bound=Card)


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
