"""The options that describe a position, and what players bring to it."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import click

from bot.services.situation import (
    ME_OR_THEM,
    POSITION_FIELDS,
    TURN_TOTAL,
    FieldKind,
    PositionField,
    Situation,
)
from bot.shell.output import Decorated


class Scores(click.ParamType["tuple[int, ...]"]):
    """Scores with commas between them, one of them as a number."""

    name = "scores"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The scores of what was typed."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a score, nor several such as 2500,3100", param, ctx)


class _ShownShort(click.Option):
    """An option of several names, of which people see the last: that of the chat."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The name and what the option means."""
        return click.Option.get_help_record(self._shown, ctx)

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """The name where a value is refused."""
        return click.Option.get_error_hint(self._shown, ctx)

    @property
    def _shown(self) -> "_ShownShort":
        shown = copy(self)
        shown.opts, shown.secondary_opts = self.opts[-1:], self.secondary_opts[-1:]
        return shown


def position_option(field: PositionField) -> Callable[[Decorated], Decorated]:
    """The option by which a field of a position is given."""
    form: dict[FieldKind, dict[str, Any]] = {
        FieldKind.NUMBER: {"type": int},
        FieldKind.SCORES: {"type": Scores()},
        FieldKind.YES_NO: {},
        FieldKind.PLAYER: {
            "type": click.Choice(list(ME_OR_THEM), case_sensitive=False),
            "callback": lambda _, __, who: ME_OR_THEM.get(who),
        },
        FieldKind.RULES: {"show_default": True},
    }
    return click.option(
        field.attribute,
        *field.flags,
        cls=_ShownShort,
        default=getattr(Situation(), field.attribute),
        metavar=field.metavar,
        help=field.help_text,
        **form[field.kind],
    )


def position_options(command: Decorated) -> Decorated:
    """Add the options that describe the start of a turn."""
    start = [field for field in reversed(POSITION_FIELDS) if field is not TURN_TOTAL]
    # what is added last is shown first: the rules
    for field in sorted(start, key=lambda field: field.kind is FieldKind.RULES):
        command = position_option(field)(command)
    return command


goal_option = click.option(
    "--goal", type=int, metavar="N", help="Points to reach, if not those of the rules."
)
"""Adds --goal."""

_BROUGHT = (
    click.option("--my-dice", metavar="SET", help="Your dice, such as lucky*3,odd,ordinary*2."),
    click.option("--their-dice", metavar="SET", help="Theirs, ordinary*6 if left out; SET/SET."),
    click.option("--my-badge", metavar="BADGE", help="Your badge, such as emperor, gold-might."),
    click.option("--their-badge", metavar="BADGE", help="The opponent's."),
    click.option("--joker-alone", is_flag=True, help="Jokers may score by themselves."),
)

BROUGHT = ("my_dice", "their_dice", "my_badge", "their_badge", "joker_alone")
"""The names of what they give."""


def dice_options(command: Decorated) -> Decorated:
    """Add the dice and badges of both players, and the goal."""
    for option in reversed((*_BROUGHT, goal_option)):
        command = option(command)
    return command


class AsInTheChat(click.Command):
    """A command that understands its options as they are typed in the chat, too.

    So `5 2 turn 350` and `5 2 turn:350` are `5 2 --turn 350`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed, with the options of the chat as those of a shell."""
        return super().parse_args(ctx, [*self._with_dashes(args)])

    def _with_dashes(self, typed: Sequence[str]) -> Iterator[str]:
        values = {
            flag
            for param in self.params
            if isinstance(param, click.Option) and not (param.is_flag or param.count)
            for flag in param.opts
        }
        takes_value = False
        for argument in typed:
            # one with a dash, and what follows it, is as the shell has it
            words = [argument] if takes_value or argument.startswith("-") else argument.split()
            for word in words or [argument]:
                name, colon, value = word.partition(":" if ":" in word else "=")
                flag = f"--{name.lower()}"
                if takes_value or word.startswith("-") or flag not in values:
                    yield word
                    takes_value = not takes_value and word in values
                else:
                    yield flag
                    takes_value = not value
                    if colon and value:
                        yield value
