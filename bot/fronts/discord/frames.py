"""Messages made of parts, as Discord's: the card of a table, with all that can be pressed in it.

They are made for every press, and so at once as what is sent: items of discord.py know what they
are in, and such circles are freed by collections alone, which hold up every answer.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ComponentType, SectionComponent
from discord.ui import LayoutView

from bot.fronts.discord.buttons import STYLES, Unkept, table_id
from bot.table.state import Game
from bot.views.card import LONGEST_LABEL, Attachment, Menu
from bot.views.layout import shorten
from bot.views.table_card import TableCard

Part = dict[str, Any]
"""A part of a message as Discord takes it."""

_TEXTS = {101: "text", 102: "story", 103: "foot"}
"""Fields of the card of a table by the number that their text has in its message."""
_MOST_DESCRIPTION = 256
"""Letters of what a picture shows in words."""
_MOST_MEANING = 100
"""Letters below an entry of a list."""


class Framed(Unkept, LayoutView):
    """A message of parts, which are only sent."""

    def __init__(self, *parts: Part) -> None:
        super().__init__(timeout=None)
        self._parts = list(parts)

    def to_components(self) -> list[Part]:
        """The parts as Discord takes them."""
        return self._parts

    def has_components_v2(self) -> bool:
        """Always: what is no message of parts is another view."""
        return True


def table_view(shown: TableCard, game: Game, language: str, mask: int = 0) -> Framed:
    """The card of a table as Discord's, in the language of the table."""
    mask &= (1 << len(game.turn.roll or ())) - 1
    parts: list[Part] = []
    for number, text in _TEXTS.items():
        if text == "foot" and shown.attachments:
            parts.append(_gallery(shown.attachments))
        if said := getattr(shown, text):
            told = {"type": ComponentType.text_display.value, "id": number, "content": said}
            small = shown.moment if text == "story" else None
            parts.append(_beside(told, small) if small else told)
    rows: dict[int, list[Part]] = {}
    for one in shown.buttons:
        rows.setdefault(one.row, []).append(
            {
                "type": ComponentType.button.value,
                "style": STYLES[one.style].value,
                "label": one.label[:LONGEST_LABEL],
                "disabled": not one.enabled,
                "custom_id": table_id(game.id, game.version, mask, one.action, language),
            }
        )
    if shown.menu:
        rows[max(rows) + 1] = [_menu(shown.menu, game, language)]
    parts += ({"type": ComponentType.action_row.value, "components": row} for row in rows.values())
    return Framed(
        {
            "type": ComponentType.container.value,
            "accent_color": shown.mood.value,
            "components": parts,
        }
    )


def _menu(menu: Menu, game: Game, language: str) -> Part:
    """A list whose choice comes as the press of a button does, with what was chosen."""
    return {
        "type": ComponentType.string_select.value,
        "custom_id": table_id(game.id, game.version, 0, menu.action, language),
        "placeholder": menu.label,
        "options": [
            {"label": called, "value": value, "description": shorten(meaning, _MOST_MEANING)}
            for value, called, meaning in menu.options
        ],
    }


def text_view(text: str, attachments: Sequence[Attachment] = ()) -> Framed:
    """A text in a message that was a table before, which Discord makes no plain one again."""
    files = ({"type": ComponentType.file.value, "file": _sent(one)} for one in attachments)
    return Framed({"type": ComponentType.text_display.value, "content": text}, *files)


def _beside(told: Part, small: Attachment) -> Part:
    """A text with a small picture beside it."""
    picture = {"type": ComponentType.thumbnail.value, **_picture(small)}
    return {"type": ComponentType.section.value, "components": [told], "accessory": picture}


def _gallery(attachments: Iterable[Attachment]) -> Part:
    items = [_picture(one) for one in attachments]
    return {"type": ComponentType.media_gallery.value, "items": items}


def _picture(one: Attachment) -> Part:
    """A picture that is sent with the message, and what it shows."""
    return {"media": _sent(one), "description": one.description[:_MOST_DESCRIPTION]}


def _sent(one: Attachment) -> Part:
    return {"url": f"attachment://{one.name}"}


def shown_texts(message: discord.Message | None) -> dict[str, str]:
    """The texts of the card of a table as the message has them, by the name of the field."""
    if message is None:
        return {}
    parts = _parts_of(message)
    beside = [part for one in parts if isinstance(one, SectionComponent) for part in one.children]
    texts = {
        _TEXTS[part.id]: part.content
        for part in (*parts, *beside)
        if isinstance(part, discord.TextDisplay) and part.id in _TEXTS
    }
    # as it was before tables were cards
    return texts or ({"text": message.content} if message.content else {})


def shows_moment(message: discord.Message | None) -> bool:
    """Whether the card of a table has a small picture beside what happened."""
    return any(isinstance(one, SectionComponent) for one in _parts_of(message))


def _parts_of(message: discord.Message | None) -> list[Any]:
    """What is in the frame of a message."""
    shown = message.components if message else ()
    return [part for one in shown if isinstance(one, discord.Container) for part in one.children]
