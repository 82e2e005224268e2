"""Cards as messages of Discord's: plain ones with buttons, and tables made of parts in a frame."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

import discord
from discord import ButtonStyle, ComponentType, SectionComponent
from discord.ui import LayoutView

from bot.layout import shorten
from bot.views import card
from bot.views.card import LONGEST_LABEL, Attachment, Card, Menu
from bot.views.table_card import TableCard

Part = dict[str, Any]
"""A part of a message as Discord takes it."""

_STYLES = {
    card.Style.PLAIN: ButtonStyle.secondary.value,
    card.Style.MAIN: ButtonStyle.primary.value,
    card.Style.BANK: ButtonStyle.success.value,
    card.Style.GRAVE: ButtonStyle.danger.value,
}
_TEXTS = {101: "text", 102: "story", 103: "foot"}
"""Fields of the card of a table by the number that their text has in its message."""
_MOST_DESCRIPTION = 256
"""Letters of what a picture shows in words."""
_MOST_MEANING = 100
"""Letters below an entry of a list."""
_MOST_LOOKED_AT = 300
"""Messages among which one is looked for."""


class MessageParts(LayoutView):
    """The parts of a message below its text, or in place of it, for discord.py to send.

    Presses come by the ids of buttons, so that discord.py need not listen for what is in a view.
    With an object of its own for each button a press takes a twentieth more.
    """

    def __init__(self, parts: list[Part], *, framed: bool) -> None:
        """`framed` where they are in place of the text."""
        super().__init__(timeout=None)
        self._parts, self._framed = parts, framed
        self.stop()

    def to_components(self) -> list[Part]:
        """Return the parts as they are."""
        return self._parts

    def has_components_v2(self) -> bool:
        """Whether they are in place of the text."""
        return self._framed


def card_view(shown: Card) -> MessageParts | None:
    """What a card needs beside its text: a table all its parts, others their buttons."""
    if isinstance(shown, TableCard):
        return MessageParts([_frame(shown)], framed=True)
    rows = _rows(shown)
    return MessageParts(rows, framed=False) if rows else None


def text_view(text: str, attachments: Sequence[Attachment] = ()) -> MessageParts:
    """A text in a message that was a table before, which Discord makes no plain one again."""
    files = (_part(ComponentType.file, file=_address(file)) for file in attachments)
    return MessageParts([_part(ComponentType.text_display, content=text), *files], framed=True)


def _part(kind: ComponentType, **fields: object) -> Part:
    return {"type": kind.value, **fields}


def _frame(shown: TableCard) -> Part:
    parts: list[Part] = []
    for number, field in _TEXTS.items():
        if field == "foot" and shown.attachments:
            items = [_picture(picture) for picture in shown.attachments]
            parts.append(_part(ComponentType.media_gallery, items=items))
        if said := getattr(shown, field):
            part = _part(ComponentType.text_display, id=number, content=said)
            if field == "story" and shown.moment:
                small = _part(ComponentType.thumbnail, **_picture(shown.moment))
                part = _part(ComponentType.section, components=[part], accessory=small)
            parts.append(part)
    color = shown.mood.value
    return _part(ComponentType.container, accent_color=color, components=[*parts, *_rows(shown)])


def _rows(shown: Card) -> list[Part]:
    """The buttons of a card row by row, and its list."""
    rows: dict[int, list[Part]] = {}
    for button in sorted(shown.buttons, key=attrgetter("row")):
        rows.setdefault(button.row, []).append(_button(button))
    lists = [[_menu(shown.menu)]] if shown.menu else []
    return [_part(ComponentType.action_row, components=row) for row in (*rows.values(), *lists)]


def _button(button: card.Button) -> Part:
    return {
        "type": ComponentType.button.value,
        "style": _STYLES[button.style],
        "label": button.label[:LONGEST_LABEL],
        "disabled": not button.enabled,
        "custom_id": button.id,
    }


def _menu(menu: Menu) -> Part:
    """A list whose choice comes as the press of a button does, with what was chosen."""
    options = [
        {"value": value, "label": called}
        | ({"description": shorten(meaning, _MOST_MEANING)} if meaning else {})
        for value, called, meaning in menu.options
    ]
    fields = {"custom_id": menu.id, "placeholder": menu.label, "options": options}
    return _part(ComponentType.select, **fields)


def _picture(picture: Attachment) -> Part:
    """A picture, and what it shows in words."""
    return {"media": _address(picture), "description": picture.description[:_MOST_DESCRIPTION]}


def _address(file: Attachment) -> Part:
    """Where a message finds what is sent with it."""
    return {"url": f"attachment://{file.name}"}


def shown_texts(message: discord.Message | None) -> dict[str, str]:
    """The texts of the card of a table as the message has them, by the name of the field."""
    if message is None:
        return {}
    parts = _parts_of(message)
    beside = [
        part
        for section in parts
        if isinstance(section, SectionComponent)
        for part in section.children
    ]
    return {
        _TEXTS[part.id]: part.content
        for part in (*parts, *beside)
        if isinstance(part, discord.TextDisplay) and part.id in _TEXTS
    }


def shows_moment(message: discord.Message | None) -> bool:
    """Whether the card of a table has a small picture beside what happened."""
    return any(isinstance(part, SectionComponent) for part in _parts_of(message))


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
    return [
        part for frame in shown if isinstance(frame, discord.Container) for part in frame.children
    ]
