"""The options that bring loaded dice into a question."""

from collections.abc import Mapping
from typing import Any

import click

from bot.cli.output import Decorated
from solver.errors import InvalidRequestError

_OPTIONS = (
    click.option("--my-dice", metavar="SET", help="Your dice, such as lucky*3,odd,ordinary*2."),
    click.option("--their-dice", metavar="SET", show_default="ordinary*6", help="The opponent's."),
    click.option("--my-badge", metavar="BADGE", help="Your badge, such as emperor, gold-might."),
    click.option("--their-badge", metavar="BADGE", help="The opponent's."),
    click.option("--joker-alone", is_flag=True, help="Jokers may score by themselves."),
    click.option(
        "--goal", type=int, metavar="N", help="Points to reach; those of the rules if not given."
    ),
)

DICE_OPTIONS = ("my_dice", "their_dice", "my_badge", "their_badge", "joker_alone", "goal")
"""The names of what they give."""


def dice_options(command: Decorated) -> Decorated:
    """Add the dice and badges of both players, and the goal."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def has_sets(given: Mapping[str, Any]) -> bool:
    """Whether a question is about loaded dice.

    Raises InvalidRequestError where only what goes with them is given.
    """
    if given["my_dice"] or given["their_dice"]:
        return True
    for name in DICE_OPTIONS:
        if given[name]:
            raise InvalidRequestError(
                f"--{name.replace('_', '-')} goes with --my-dice or --their-dice, such as"
                " --my-dice lucky*3,odd,ordinary*2"
            )
    return False
