"""Buttons as Discord's; what they do is in their custom ids, so they outlive restarts."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, Self

import discord
import numpy as np
from discord import ButtonStyle
from discord.ui import Button, DynamicItem, View

from bot.services.explorer import Exploration
from bot.views import card
from solver.game.position import Position
from solver.game.standings import Standing
from solver.turn.scoring import TurnState
from solver.wording import ENGLISH, say

STYLES = {
    card.Style.PLAIN: ButtonStyle.secondary,
    card.Style.MAIN: ButtonStyle.primary,
    card.Style.BANK: ButtonStyle.success,
}
_ALL_DICE = 0b1111111
_LISTS = {"bot"}
"""Actions of a table that are chosen from a list."""
_CHOOSES = re.compile(r"die(?P<die>[0-6])|pick(?P<dice>\d{1,3})", re.ASCII)
"""Actions that choose dice: one by its number in the roll, several as bits."""
_LONGEST_ID = 100
_DIGEST, _NAME = 12, 24
"""Letters of the digest and, at most, of the name of rules in the id of a button."""
_TABLE = re.compile(
    r"t:(?P<game>[0-9a-f]{1,16}):(?P<version>\d{1,6}):(?P<mask>\d{1,3})"
    r"(?::(?P<language>[A-Za-z-]{2,12}))?:(?P<action>[a-z0-9]{1,12})"
)


class _Pressed:
    """What all buttons share."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Leave alone what Discord would not take an answer to any more."""
        return bool(interaction.client.front.listen(interaction))

    @classmethod
    def pattern(cls) -> re.Pattern[str]:
        """What its ids are like; the groups are what it is made of."""
        found: re.Pattern[str] = getattr(cls, "__discord_ui_compiled_template__")  # noqa: B009
        return found

    @classmethod
    def read(cls, custom_id: str) -> Self | None:
        """The button with this id; None if it is none of these."""
        if match := cls.pattern().fullmatch(custom_id):
            made: Callable[..., Self] = cls
            return made(**match.groupdict(ENGLISH.code))
        return None


class Unkept:
    """Of a view: its presses come by their ids, so that discord.py need not listen for it."""

    def is_finished(self) -> bool:
        """Always: what is not is kept, and made anew from its message at each press."""
        return True


class Buttons(Unkept, View):
    """Buttons below a message."""

    def __init__(self) -> None:
        super().__init__(timeout=None)


class TableButton(_Pressed):
    """A button of a table at a version, with the dice that are set aside so far as bits.

    It knows the language of the table, so that whoever presses it does not change that. It is no
    item of discord.py: tables are shown by what is sent of them (frames.py).
    """

    def __init__(
        self, game: str, version: int | str, mask: int | str, action: str, language: str
    ) -> None:
        self.game = game
        self.version, self.mask = int(version), int(mask) & _ALL_DICE
        self.action = action
        self.language = language
        self.chose = ""
        """What was chosen, where it is a list."""
        self.message = 0
        """The message that it is below: each has dice chosen of its own."""

    @classmethod
    def pattern(cls) -> re.Pattern[str]:
        """What `table_id` makes, or made before tables knew their language."""
        return _TABLE

    @property
    def chooses(self) -> bool:
        """Whether it chooses dice."""
        return _CHOOSES.fullmatch(self.action) is not None

    def chosen(self, mask: int) -> int:
        """The dice that are chosen once it is pressed, where those of the mask were."""
        found = _CHOOSES.fullmatch(self.action)
        if found is None:
            return mask
        if found["dice"]:
            return int(found["dice"]) & _ALL_DICE
        # a die says which way it turns, and nothing of the others
        bit = 1 << int(found["die"])
        return mask & ~bit if self.mask & bit else mask | bit

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.press(interaction, self)


def table_id(game: str, version: int | str, mask: int, action: str, language: str) -> str:
    """What tells a TableButton again when it is pressed."""
    return f"t:{game}:{version}:{mask}:{language}:{action}"


def _button(one: card.Button) -> Button[View]:
    """A button of a card, which has no id yet."""
    return Button(
        label=one.label[: card.LONGEST_LABEL],
        row=one.row,
        style=STYLES[one.style],
        disabled=not one.enabled,
    )


class Confirm(
    _Pressed,
    DynamicItem[Button[View]],
    template=rf"y:(?P<action>{'|'.join(card.SURE)})(?::(?P<language>[A-Za-z-]{{2,12}}))?"
    r":(?P<game>[0-9a-f]{1,16})(?::(?P<message>\d{1,20}))?",
):
    """The answer yes to "are you sure?"."""

    def __init__(self, action: str, game: str, language: str, message: str = "") -> None:
        """`language`: that of the table; `message`: the one that shows it, by number, if known."""
        self.action = action
        self.game = game
        self.language = language
        self.message = int(message) if message.isdecimal() else None
        _, yes = card.SURE[action]
        button: Button[View] = Button(
            label=say(yes),
            style=ButtonStyle.danger,
            custom_id=f"y:{action}:{language}:{game}" + (f":{message}" if self.message else ""),
        )
        super().__init__(button)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.confirmed(interaction, self)


class ReviewPage(
    _Pressed,
    DynamicItem[Button[View]],
    template=r"r:(?P<game>[0-9a-f]{1,16}):(?P<page>\d{1,3}):(?P<to>back|on)",
):
    """Turns the pages of a review."""

    def __init__(self, game: str, page: int | str, to: str, *, disabled: bool = False) -> None:
        self.game = game
        self.page = int(page)
        label = {"back": say("◀ Previous"), "on": say("Next ▶")}[to]
        button: Button[View] = Button(
            label=label, custom_id=f"r:{game}:{page}:{to}", disabled=disabled
        )
        super().__init__(button)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.turn_page(interaction, self)


def review_view(game: str, page: int, pages: int) -> Buttons:
    """Buttons to the page before and the page after."""
    view = Buttons()
    view.add_item(ReviewPage(game, max(page - 1, 0), "back", disabled=page == 0))
    view.add_item(ReviewPage(game, page + 1, "on", disabled=page >= pages - 1))
    return view


class ExploreButton(
    _Pressed,
    DynamicItem[Button[View]],
    template=r"x:(?P<digest>[0-9a-f]{12}):(?P<language>[A-Za-z-]{2,12})"
    r":(?P<position>-?\d{1,7}(?:\.-?\d{1,7}){7}|-?[0-9a-z]{1,5}(?:\.-?[0-9a-z]{1,5}){8,13})"
    r":(?P<name>[^:]{1,24}):(?P<action>[a-z0-9]{1,12})",
):
    """Leads to a position of a solved game, all of which its id carries; anybody may press it."""

    def __init__(
        self,
        digest: str,
        language: str,
        position: str,
        name: str,
        action: str,
        button: Button[View] | None = None,
    ) -> None:
        """`digest` and `name`: of the rules, the beginnings; `position` as `packed` makes it."""
        self.digest, self.name = digest, name
        self.language = language
        self.position = unpacked(position)
        button = button or Button()
        button.custom_id = f"x:{digest}:{language}:{position}:{name}:{action}"
        super().__init__(button)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.walk(interaction, self)


def explore_view(found: Exploration, buttons: Iterable[card.Button], language: str) -> Buttons:
    """The buttons of a position, each of which leads to another one."""
    view = Buttons()
    leads = {step.action: step.position or found.position for step in found.steps}
    digest = found.rules.digest[:_DIGEST]
    for one in buttons:
        position = packed(leads[one.action])
        room = _LONGEST_ID - len(f"x:{digest}:{language}:{position}::{one.action}")
        name = found.rules.name[: min(_NAME, room)]
        view.add_item(ExploreButton(digest, language, position, name, one.action, _button(one)))
    return view


def packed(position: Position) -> str:
    """A position in few letters: of two players in decimal figures, of several to the base 36."""
    order = [position.players[k] for k in position.in_order]
    boards = sum(one.on_board << k for k, one in enumerate(order))
    numbers = (
        *(one.score for one in order),
        position.turn_total,
        position.dice,
        position.farkles,
        position.opponent_farkles,
        position.hot_dice,
        boards + (len(order) - 1 - position.mover << len(order)),
    )
    base = 10 if len(order) == 2 else 36
    return ".".join(np.base_repr(number, base).lower() for number in numbers)


def unpacked(text: str) -> Position:
    """The position of which `packed` made so many numbers; whether it can be is not looked at."""
    parts = text.split(".")
    count = len(parts) - 6
    numbers = [int(part, 10 if count == 2 else 36) for part in parts]
    total, dice, farkles, opponent_farkles, hot_dice, boards = numbers[count:]
    order = [Standing(score, 0, bool(boards >> k & 1)) for k, score in enumerate(numbers[:count])]
    mover = (count - 1 - (boards >> count)) % count
    players = tuple(order[(k - mover) % count] for k in range(count))
    position = Position(players, mover, TurnState(total, dice, hot_dice))
    return position.change(farkles=farkles, opponent_farkles=opponent_farkles)


class DailyButton(
    _Pressed,
    DynamicItem[Button[View]],
    template=r"d:(?P<day>\d{4}-\d\d-\d\d):(?P<choice>[1-9])",
):
    """An answer to the daily position of a day in the channel; anybody may press it, once."""

    def __init__(self, day: str, choice: int | str, button: Button[View] | None = None) -> None:
        """`choice` counts from 1."""
        self.day, self.choice = day, int(choice)
        button = button or Button()
        button.custom_id = f"d:{day}:{choice}"
        super().__init__(button)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.answered_daily(interaction, self)


def daily_view(day: date, buttons: Iterable[card.Button]) -> Buttons:
    """The choices of a daily position."""
    view = Buttons()
    for one in buttons:
        view.add_item(DailyButton(day.isoformat(), one.action, _button(one)))
    return view


class DrillButton(
    _Pressed,
    DynamicItem[Button[View]],
    template=r"f:(?P<position>[0-9A-Z-]{5,60}):(?P<choice>[1-9]|next)",
):
    """An answer to a position that somebody practises on, or the wish for the next one."""

    def __init__(self, position: str, choice: str, button: Button[View] | None = None) -> None:
        """`position`: by its ID; `choice` counts from 1, or is "next"."""
        self.position, self.choice = position, choice
        button = button or Button()
        button.custom_id = f"f:{position}:{choice}"
        super().__init__(button)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.drilled(interaction, self)


def drill_view(position: str, buttons: Iterable[card.Button]) -> Buttons:
    """The choices of a position that somebody practises on, or what follows its answer."""
    view = Buttons()
    for one in buttons:
        view.add_item(DrillButton(position, one.action, _button(one)))
    return view


class TournamentButton(
    _Pressed,
    DynamicItem[Button[View]],
    template=r"w:(?P<tournament>[0-9a-f]{1,16}):(?P<language>[A-Za-z-]{2,12})"
    r":(?P<action>join|leave|start|show|\d{1,2}-\d{1,2})",
):
    """Does something in a tournament; two numbers are the pairing that is to play."""

    def __init__(
        self, tournament: str, language: str, action: str, button: Button[View] | None = None
    ) -> None:
        """`language`: that of the message."""
        self.tournament, self.language, self.action = tournament, language, action
        button = button or Button()
        button.custom_id = f"w:{tournament}:{language}:{action}"
        super().__init__(button)

    @property
    def sides(self) -> tuple[int, int] | None:
        """The two who are to play, by number."""
        first, dash, second = self.action.partition("-")
        return (int(first), int(second)) if dash else None

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.in_tournament(interaction, self)


def tournament_view(
    tournament: str, buttons: Iterable[card.Button], language: str
) -> Buttons | None:
    """The buttons of a tournament, None where it has none any more."""
    view = Buttons()
    for one in buttons:
        view.add_item(TournamentButton(tournament, language, one.action, _button(one)))
    return view if view.children else None


BUTTONS = (
    TableButton,
    Confirm,
    ReviewPage,
    ExploreButton,
    DailyButton,
    DrillButton,
    TournamentButton,
)


def pressed_button(
    interaction: discord.Interaction[Any],
) -> (
    TableButton
    | Confirm
    | ReviewPage
    | ExploreButton
    | DailyButton
    | DrillButton
    | TournamentButton
    | None
):
    """The button that was pressed, by its id alone; None if there is none such."""
    pressed, kind = str(sent(interaction, "custom_id")), sent(interaction, "component_type")
    is_list = kind == discord.ComponentType.string_select.value
    if not is_list and kind != discord.ComponentType.button.value:
        return None
    for one in BUTTONS:
        if button := one.read(pressed):
            if is_list != (isinstance(button, TableButton) and button.action in _LISTS):
                return None
            chosen = sent(interaction, "values")
            if isinstance(button, TableButton) and isinstance(chosen, list) and chosen:
                button.chose = str(chosen[0])
            if isinstance(button, TableButton) and interaction.message is not None:
                button.message = interaction.message.id
            return button
    return None


def sent(interaction: discord.Interaction[Any], name: str) -> object:
    """A part of what was sent with an interaction, None where it is missing."""
    data: Any = interaction.data
    return data.get(name) if data else None
