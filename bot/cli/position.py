"""The options that describe a position, on every command that takes one."""

from collections.abc import Callable
from typing import Any

import click

from bot.cli.output import Decorated
from bot.services.situation import (
    ME_OR_THEM,
    POSITION_FIELDS,
    TURN_TOTAL,
    FieldKind,
    PositionField,
    Situation,
)


class Scores(click.ParamType["tuple[int, ...]"]):
    """Scores with commas between them, one of them as a number."""

    name = "scores"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The scores of what was typed."""
        if isinstance(value, int):
            return (value,)
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is no score, and no scores such as 2500,3100", param, ctx)


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
        default=getattr(Situation(), field.attribute),
        metavar=field.metavar,
        help=field.help,
        **form[field.kind],
    )


def position_options(command: Decorated) -> Decorated:
    """Add the options that describe the start of a turn."""
    start = [field for field in reversed(POSITION_FIELDS) if field is not TURN_TOTAL]
    # what is added last is shown first: the rules
    for field in sorted(start, key=lambda field: field.kind is FieldKind.RULES):
        command = position_option(field)(command)
    return command
