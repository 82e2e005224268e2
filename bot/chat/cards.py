"""Replies as cards whose buttons know the presses that they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from bot.chat.presses import Confirm, Press, ReviewPage, TablePress
from bot.table.state import Game
from bot.views.card import Button, Card, Style
from bot.views.layout import plain_markdown
from bot.views.table_buttons import SURE
from bot.views.table_card import TableCard
from solver.wording import say

AnyCard = TypeVar("AnyCard", bound=Card)


def pressable(card: AnyCard, press: Callable[[str], Press]) -> AnyCard:
    """A card with the id of each button; `press`: what one does, by its action."""
    return replace(
        card, buttons=tuple(replace(one, id=press(one.action).id) for one in card.buttons)
    )


def pressable_table(card: TableCard, game: Game, language: str, mask: int = 0) -> TableCard:
    """The card of a table, in its language, with these dice chosen, bit by bit."""
    mask &= (1 << len(game.turn.roll or ())) - 1

    def press(action: str, mask: int = mask) -> TablePress:
        return TablePress(game.id, game.version, mask, language, action)

    menu = replace(card.menu, id=press(card.menu.action, 0).id) if card.menu else None
    return pressable(replace(card, menu=menu), press)


def sure_card(press: TablePress, message: int) -> Card:
    """What is asked back before a press is done, which a message shows, by number, 0 if none."""
    question, yes = SURE[press.action]
    sure = Confirm(press.action, press.language, press.game, message)
    return Card(say(question), buttons=(Button("yes", say(yes), style=Style.GRAVE, id=sure.id),))


def review_card(game: str, pages: Sequence[str], page: int) -> Card:
    """A page of a review, with buttons to the one before and the one after."""
    on = page + 1 < len(pages)
    back = Button("back", say("◀ Previous"), enabled=page > 0)
    card = Card(plain_markdown(pages[page]), (), (back, Button("on", say("Next ▶"), enabled=on)))
    return pressable(
        card,
        lambda to: ReviewPage(game, max(page - 1, 0) if to == "back" else page + 1, to),
    )
