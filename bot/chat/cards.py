"""Replies as cards whose buttons know the presses that they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeVar

from bot.chat.commands import Reply
from bot.chat.presses import (
    Confirm,
    DailyChoice,
    DrillChoice,
    Press,
    ReviewPage,
    TablePress,
    TournamentPress,
    walk_press,
)
from bot.services.daily import Asked, Solution, Verdict
from bot.services.drill import DrillQuestion, DrillVerdict
from bot.services.explorer import Exploration
from bot.services.pictures import Explanation
from bot.services.tournaments import TournamentNews
from bot.table.state import Game
from bot.views.card import SURE, Button, Card, Style, answer_card, text_card
from bot.views.daily import answer_page, asked_page
from bot.views.drill import drill_page, verdict_page
from bot.views.explain import explanation_card
from bot.views.explorer import exploration_card
from bot.views.layout import plain_markdown
from bot.views.table_card import TableCard
from bot.views.tournament_card import tournament_card
from solver.wording import Language, said_in, say

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


def reply_card(  # noqa: PLR0911 - one for each subject
    reply: Reply, language: Language
) -> Card:
    """Any reply but the news of a table; a walk in the language that its readers share."""
    subject = reply.subject
    match subject:
        case Exploration() if not subject.odds.brought:
            card = said_in(language, exploration_card, subject)
            return pressable(card, lambda action: walk_press(subject, action, language.code))
        case Explanation():
            return explanation_card(subject)
        case Asked():
            return daily_pressable(asked_page(subject).card, subject.daily.day)
        case DrillQuestion():
            card = drill_page(subject).card
            return pressable(card, lambda action: DrillChoice(subject.drill.id, action))
        case DrillVerdict():
            card = verdict_page(subject).card
            return pressable(card, lambda action: DrillChoice(subject.drill.id, action))
        case Verdict() | Solution():
            return answer_page(subject).card
        case TournamentNews():
            return news_card(subject, language)
    return answer_card(subject) or text_card(reply.text)


def daily_pressable(card: Card, day: date) -> Card:
    """The card of a daily position, whose buttons are its choices."""
    return pressable(card, lambda action: DailyChoice(day, int(action)))


def news_card(news: TournamentNews, language: Language) -> Card:
    """A tournament, for all to read, in one language."""
    card, found = said_in(language, tournament_card, news), news.tournament
    if found is None:
        return card
    return pressable(card, lambda action: TournamentPress(found.id, language.code, action))


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
