"""The options that bring loaded dice into a question."""

from collections.abc import Mapping
from typing import Any

import click

from bot.cli.output import Decorated
from bot.services.situation import has_sets

goal_option = click.option(
    "--goal", type=int, metavar="N", help="Points to reach, if not those of the rules."
)
"""Adds --goal."""

_OPTIONS = (
    click.option("--my-dice", metavar="SET", help="Your dice, such as lucky*3,odd,ordinary*2."),
    click.option(
        "--their-dice",
        metavar="SET",
        help="Theirs, ordinary*6 if left out; SET/SET.",
    ),
    click.option("--my-badge", metavar="BADGE", help="Your badge, such as emperor, gold-might."),
    click.option("--their-badge", metavar="BADGE", help="The opponent's."),
    click.option("--joker-alone", is_flag=True, help="Jokers may score by themselves."),
    goal_option,
)

DICE_OPTIONS = ("my_dice", "their_dice", "my_badge", "their_badge", "joker_alone", "goal")
"""The names of what they give."""


def dice_options(command: Decorated) -> Decorated:
    """Add the dice and badges of both players, and the goal."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def brings_sets(given: Mapping[str, Any]) -> bool:
    """Whether a question is about loaded dice.

    Raises InvalidRequestError where something is given that only goes with them.
    """
    return has_sets([name.replace("_", "-") for name, value in given.items() if value], "--")
