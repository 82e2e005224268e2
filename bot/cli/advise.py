"""`farkle advise` and `farkle turn`: what is best after a roll, and in a whole turn."""

from typing import Any

import click

from bot.cli.output import csv_option, json_option, show
from bot.cli.places import advisor_of, place_option, situation_of
from bot.cli.position import position_option, position_options
from bot.services.situation import TURN_TOTAL
from bot.settings import Settings
from bot.views.advice import advice_sheet, advice_text, answer_data
from bot.views.turn_table import turn_sheet, turn_table_text


@click.command()
@click.argument("dice", nargs=-1)
@position_options
@position_option(TURN_TOTAL)
@place_option
@json_option
@csv_option
@click.pass_obj
def advise(
    settings: Settings,
    /,
    dice: tuple[str, ...],
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **situation: Any,
) -> None:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332.
    """
    advisor = advisor_of(settings)
    advice = advisor.advise(" ".join(dice), situation_of(settings, advisor, place, situation))
    sheet = advice_sheet(advice) if as_csv else None
    show(advice_text(advice), answer_data(advice), as_json=as_json, sheet=sheet)


@click.command()
@position_options
@place_option
@json_option
@csv_option
@click.pass_obj
def turn(
    settings: Settings,
    /,
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **situation: Any,
) -> None:
    """Show when to bank, and the table of a whole turn."""
    advisor = advisor_of(settings)
    cells = advisor.turn(situation_of(settings, advisor, place, situation))
    sheet = turn_sheet(cells) if as_csv else None
    show(turn_table_text(cells), answer_data(cells), as_json=as_json, sheet=sheet)
