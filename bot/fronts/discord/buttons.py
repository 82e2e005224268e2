"""The buttons below a table; what they do is in their custom ids, so they outlive restarts."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import discord
from discord.ui import Button, DynamicItem, View

from bot.fronts.discord.card import scoring_dice
from bot.services.tables import Table
from bot.table import commands
from bot.table.commands import MOST_PLAYERS
from bot.table.events import Kept
from bot.table.state import Game, Stage, apply
from bot.views.layout import dice_count, dice_text
from solver.errors import IllegalActionError
from solver.turn.dice import Roll, make_roll
from solver.turn.scoring import SetAside, set_asides
from solver.wording import ENGLISH, figure, say, say_later, say_number, spoken

_FACES = "⚀⚁⚂⚃⚄⚅"
_PER_ROW = 3
_LONGEST_LABEL = 40


class _InTime:
    """What all buttons share."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Leave alone what Discord would not take an answer to any more."""
        return bool(interaction.client.front.listen(interaction))


class TableButton(
    _InTime,
    DynamicItem[Button[View]],
    template=r"t:(?P<game>[0-9a-f]{1,16}):(?P<version>\d{1,6}):(?P<mask>\d{1,2})"
    r"(?::(?P<language>[A-Za-z-]{2,12}))?:(?P<action>[a-z0-9]{1,12})",
):
    """A button of a table at a version, with the dice that are set aside so far as bits.

    It knows the language of the table, so that whoever presses it does not change that.
    """

    def __init__(
        self,
        game: str,
        version: int,
        mask: int,
        action: str,
        language: str,
        button: Button[View] | None = None,
    ) -> None:
        self.game = game
        self.version = version
        self.mask = mask
        self.action = action
        self.language = language
        button = button or Button()
        button.custom_id = f"t:{game}:{version}:{mask}:{language}:{action}"
        super().__init__(button)

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],  # noqa: ARG003
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """The button that was pressed."""
        assert isinstance(item, Button)  # noqa: S101 - Discord sends back what was sent
        version, mask = int(match["version"]), int(match["mask"])
        tag = match["language"] or ENGLISH.code
        return cls(match["game"], version, mask, match["action"], tag, item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.press(interaction, self)


def kept_dice(game: Game, mask: int) -> Roll:
    """The dice of the roll that the mask says are set aside."""
    roll = game.turn.roll or ()
    return make_roll([face for k, face in enumerate(roll) if mask >> k & 1])


def chosen_set_aside(game: Game, mask: int) -> SetAside | None:
    """What these dice are worth, if they may be set aside together."""
    kept = kept_dice(game, mask)
    found = set_asides(game.rules, game.turn.roll or ())
    return next((one for one in found if one.dice == kept), None)


def table_view(table: Table, mask: int = 0) -> View:
    """The buttons of a table; what is not allowed now is disabled."""
    game = table.game
    view = View(timeout=None)

    def add(action: str, label: str, row: int, **how: Any) -> None:
        button: Button[View] = Button(label=label[:_LONGEST_LABEL], row=row, **how)
        view.add_item(TableButton(game.id, game.version, mask, action, spoken().code, button))

    if game.over:
        _add_after(add, game)
    elif game.stage is Stage.LOBBY and len(game.seats) < 2:
        add("join", say("Join"), 0, style=discord.ButtonStyle.primary)
        add("end", say("End"), 0)
    elif game.bot_to_move:
        add("refresh", say("Go on"), 0)
        add("resign", say("Resign"), 0, style=discord.ButtonStyle.danger)
    elif game.tracked:
        add("farkle", say("Farkle"), 0)
        add("hint", say("Hint"), 0, disabled=not game.hints)
        add("undo", say("Undo"), 0, disabled=not _may_undo(game))
    elif game.turn.roll is not None:
        _add_choice(add, game, mask)
    else:
        _add_roll(add, game)
    if any(isinstance(one, TableButton) and one.item.disabled for one in view.children):
        add("why", say("Why not?"), max(item.row or 0 for item in view.children))
    return view


def _add_after(add: Any, game: Game) -> None:
    """What can be done when a game has been played to its end."""
    if game.shares is None:
        return
    if len(game.seats) == 2:
        add("review", say("Review"), 0)
    add("again", say("Play again"), 0)


def _add_roll(add: Any, game: Game) -> None:
    """What can be done when no roll is on the table."""
    roll = say("Roll {dice}", dice=dice_count(game.turn.dice))
    add("roll", roll, 0, style=discord.ButtonStyle.primary)
    _add_bank(add, game, 0)
    add("hint", say("Hint"), 1, disabled=not game.hints)
    add("undo", say("Undo"), 1, disabled=not _may_undo(game))
    add("resign", say("Resign"), 1, style=discord.ButtonStyle.danger)
    if game.stage is Stage.LOBBY and not game.turn.turn_total and len(game.seats) < MOST_PLAYERS:
        add("join", say("Join"), 1)


def _add_choice(add: Any, game: Game, mask: int) -> None:
    """The dice of a roll, and what can be done with those that are chosen."""
    roll = game.turn.roll or ()
    scoring = scoring_dice(game)
    worth = {one.dice: one.points for one in set_asides(game.rules, roll)}
    for number, (face, scores) in enumerate(zip(roll, scoring, strict=True)):
        is_chosen = bool(mask >> number & 1)
        alone = worth.get((face,))
        label = f"{_FACES[face - 1]} {face}" + (f" · {figure(alone)}" if alone else "")
        style = discord.ButtonStyle.primary if is_chosen else discord.ButtonStyle.secondary
        add(f"die{number}", label, number // _PER_ROW, style=style, disabled=not scores)
    chosen = chosen_set_aside(game, mask)
    row = -(-len(roll) // _PER_ROW)
    if chosen is None:
        kept = kept_dice(game, mask)
        told = (
            say("{dice} cannot be kept alone", dice=dice_text(kept))
            if kept
            else say("Choose dice to keep")
        )
        add("roll", told, row, disabled=True)
        add("bank", say("Bank"), row, disabled=True)
    else:
        after = apply(game, Kept(dice=chosen.dice))
        keep = say(
            "Keep {points:,}, roll {dice}",
            points=after.turn.turn_total - game.turn.turn_total,
            dice=dice_count(after.turn.dice),
        )
        add("roll", keep, row, style=discord.ButtonStyle.primary)
        _add_bank(add, after, row)
    add("hint", say("Hint"), row + 1, disabled=not game.hints)
    add("resign", say("Resign"), row + 1, style=discord.ButtonStyle.danger)


def _add_bank(add: Any, game: Game, row: int) -> None:
    total = game.turn.turn_total
    label = say("Bank {points:,}", points=total) if total else say("Bank")
    add("bank", label, row, style=discord.ButtonStyle.success, disabled=not game.may_bank)


def why_not(game: Game, mask: int) -> list[str]:
    """Why the buttons that are disabled are, with these dice chosen."""
    seat, kept = game.mover, kept_dice(game, mask)
    may_bank = partial(commands.bank, game, seat)
    check_hints = partial(commands.check_hints, game)
    if game.tracked or game.turn.roll is None:
        return _refusals(*([] if game.tracked else [may_bank]), _undo(game), check_hints)
    told = []
    scoring = scoring_dice(game)
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


def _undo(game: Game) -> Callable[[], object]:
    """Takes the last move back, by whose move it was: who else may not is told at the press."""
    return partial(commands.undo, game, game.before.mover if game.before else None)


def _may_undo(game: Game) -> bool:
    return not _refusals(_undo(game))


def _refusals(*checks: Callable[[], object]) -> list[str]:
    """What is not allowed of these, each as a sentence."""
    found = []
    for check in checks:
        try:
            check()
        except IllegalActionError as error:
            found.append(str(error))
    return found


SURE = {
    "resign": (say_later("Give the game up?"), say_later("Yes, resign")),
    "end": (say_later("End the game without a result?"), say_later("Yes, end it")),
}
"""What is asked back before it is done: the question, and the button that says yes."""


class Confirm(
    _InTime,
    DynamicItem[Button[View]],
    template=r"y:(?P<action>[a-z]{1,12})(?::(?P<language>[A-Za-z-]{2,12}))?"
    r":(?P<game>[0-9a-f]{1,16})",
):
    """The answer yes to "are you sure?"."""

    def __init__(self, action: str, game: str, language: str) -> None:
        """`language`: that of the table."""
        self.action = action
        self.game = game
        self.language = language
        _, yes = SURE[action]
        button: Button[View] = Button(
            label=say(yes),
            style=discord.ButtonStyle.danger,
            custom_id=f"y:{action}:{language}:{game}",
        )
        super().__init__(button)

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],  # noqa: ARG003
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
        /,
    ) -> Self:
        """The button that was pressed."""
        return cls(match["action"], match["game"], match["language"] or ENGLISH.code)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.confirmed(interaction, self)


class ReviewPage(
    _InTime,
    DynamicItem[Button[View]],
    template=r"r:(?P<game>[0-9a-f]{1,16}):(?P<page>\d{1,3}):(?P<to>[a-z]+)",
):
    """Turns the pages of a review."""

    def __init__(self, game: str, page: int, to: str, *, disabled: bool = False) -> None:
        self.game = game
        self.page = page
        label = {"back": say("◀ Previous"), "on": say("Next ▶")}.get(to, to)
        button: Button[View] = Button(
            label=label, custom_id=f"r:{game}:{page}:{to}", disabled=disabled
        )
        super().__init__(button)

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],  # noqa: ARG003
        item: discord.ui.Item[Any],  # noqa: ARG003
        match: re.Match[str],
        /,
    ) -> Self:
        """The button that was pressed."""
        return cls(match["game"], int(match["page"]), match["to"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press to the front."""
        await interaction.client.front.turn_page(interaction, self)


def review_view(game: str, page: int, pages: int) -> View:
    """Buttons to the page before and the page after."""
    view = View(timeout=None)
    view.add_item(ReviewPage(game, max(page - 1, 0), "back", disabled=page == 0))
    view.add_item(ReviewPage(game, page + 1, "on", disabled=page >= pages - 1))
    return view
