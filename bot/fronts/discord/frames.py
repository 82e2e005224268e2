"""Cards as messages of Discord's: plain ones with buttons, and tables made of parts in a frame."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import discord
from discord import ButtonStyle, MediaGalleryItem, SectionComponent, SelectOption
from discord.ui import (
    ActionRow,
    Button,
    Container,
    File,
    LayoutView,
    MediaGallery,
    Section,
    Select,
    TextDisplay,
    Thumbnail,
    View,
)

from bot.views import card
from bot.views.card import LONGEST_LABEL, Attachment, Card, Menu
from bot.views.layout import shorten
from bot.views.table_card import TableCard

AnyView = View | LayoutView

_STYLES = {
    card.Style.PLAIN: ButtonStyle.secondary,
    card.Style.MAIN: ButtonStyle.primary,
    card.Style.BANK: ButtonStyle.success,
    card.Style.GRAVE: ButtonStyle.danger,
}
_TEXTS = {101: "text", 102: "story", 103: "foot"}
"""Fields of the card of a table by the number that their text has in its message."""
_MOST_DESCRIPTION = 256
"""Letters of what a picture shows in words."""
_MOST_MEANING = 100
"""Letters below an entry of a list."""
_MOST_LOOKED_AT = 300
"""Messages among which one is looked for."""


def card_view(shown: Card) -> AnyView | None:
    """What a card needs beside its text: a table all its parts, others their buttons.

    Presses come by the ids of buttons, so that discord.py need not listen for what is in a view.
    """
    if isinstance(shown, TableCard):
        view: AnyView = LayoutView(timeout=None)
        view.add_item(_frame(shown))
    elif shown.buttons or shown.menu:
        view = View(timeout=None)
        for one in shown.buttons:
            view.add_item(_button(one, row=one.row))
        if shown.menu:
            view.add_item(_menu(shown.menu))
    else:
        return None
    view.stop()
    return view


def text_view(text: str, attachments: Sequence[Attachment] = ()) -> LayoutView:
    """A text in a message that was a table before, which Discord makes no plain one again."""
    view = LayoutView(timeout=None)
    view.add_item(TextDisplay(text))
    for one in attachments:
        view.add_item(File(_address(one)))
    view.stop()
    return view


def _frame(shown: TableCard) -> Container[LayoutView]:
    frame: Container[LayoutView] = Container(accent_color=shown.mood.value)
    for number, field in _TEXTS.items():
        if field == "foot" and shown.attachments:
            frame.add_item(_gallery(shown.attachments))
        if said := getattr(shown, field):
            told: TextDisplay[LayoutView] = TextDisplay(said, id=number)
            small = shown.moment if field == "story" else None
            frame.add_item(Section(told, accessory=_small(small)) if small else told)
    for row in sorted({one.row for one in shown.buttons}):
        frame.add_item(ActionRow(*(_button(one) for one in shown.buttons if one.row == row)))
    if shown.menu:
        frame.add_item(ActionRow(_menu(shown.menu)))
    return frame


def _button(one: card.Button, row: int | None = None) -> Button[Any]:
    return Button(
        label=one.label[:LONGEST_LABEL],
        style=_STYLES[one.style],
        disabled=not one.enabled,
        custom_id=one.id,
        row=row,
    )


def _menu(menu: Menu) -> Select[Any]:
    """A list whose choice comes as the press of a button does, with what was chosen."""
    options = [
        SelectOption(label=called, value=value, description=shorten(meaning, _MOST_MEANING) or None)
        for value, called, meaning in menu.options
    ]
    return Select(custom_id=menu.id, placeholder=menu.label, options=options)


def _gallery(attachments: Iterable[Attachment]) -> MediaGallery[Any]:
    return MediaGallery(
        *(
            MediaGalleryItem(_address(one), description=one.description[:_MOST_DESCRIPTION])
            for one in attachments
        )
    )


def _small(one: Attachment) -> Thumbnail[Any]:
    """A small picture beside a text."""
    return Thumbnail(_address(one), description=one.description[:_MOST_DESCRIPTION])


def _address(one: Attachment) -> str:
    """Where a message finds what is sent with it."""
    return f"attachment://{one.name}"


def shown_texts(message: discord.Message | None) -> dict[str, str]:
    """The texts of the card of a table as the message has them, by the name of the field."""
    if message is None:
        return {}
    parts = _parts_of(message)
    beside = [part for one in parts if isinstance(one, SectionComponent) for part in one.children]
    return {
        _TEXTS[part.id]: part.content
        for part in (*parts, *beside)
        if isinstance(part, discord.TextDisplay) and part.id in _TEXTS
    }


def shows_moment(message: discord.Message | None) -> bool:
    """Whether the card of a table has a small picture beside what happened."""
    return any(isinstance(one, SectionComponent) for one in _parts_of(message))


async def own_message(
    channel: discord.abc.Messageable,
    bot: discord.abc.User | None,
    is_it: Callable[[str], bool],
    after: datetime | None = None,
) -> discord.Message | None:
    """The last message of a bot with a button of an id that is meant; None where none is found.

    after : a moment after which the first one is looked for instead

    Raises what Discord, or the way there, does to a question.
    """
    async for message in channel.history(limit=_MOST_LOOKED_AT, after=after):
        if message.author == bot and any(map(is_it, _button_ids(message))):
            return message
    return None


def _button_ids(message: discord.Message) -> Iterator[str]:
    parts: list[Any] = list(message.components)
    while parts:
        part = parts.pop()
        parts += getattr(part, "children", ())
        if number := getattr(part, "custom_id", None):
            yield number


def _parts_of(message: discord.Message | None) -> list[Any]:
    shown = message.components if message else ()
    return [part for one in shown if isinstance(one, discord.Container) for part in one.children]
