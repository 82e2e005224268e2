"""`farkle advise` and `farkle turn`: what is best after a roll, and in a whole turn."""

from typing import Any

import click
from click.core import ParameterSource

from bot.cli.dice_options import DICE_OPTIONS, dice_options, has_sets
from bot.cli.output import csv_option, json_option, show
from bot.cli.places import advisor_of, known_rules, place_option, situation_of
from bot.cli.position import position_option, position_options
from bot.services.position_ids import opened
from bot.services.situation import TURN_TOTAL, Situation
from bot.settings import Settings
from bot.views.advice import advice_sheet, advice_text, answer_data, answer_text, bare_data
from bot.views.turn_table import turn_sheet, turn_table_text
from solver.errors import InvalidRequestError
from solver.play.advice import Advice
from solver.play.position_id import read_id


@click.command()
@click.argument("dice", nargs=-1)
@position_options
@position_option(TURN_TOTAL)
@dice_options
@place_option
@json_option
@csv_option
@click.pass_context
def advise(
    context: click.Context,
    /,
    dice: tuple[str, ...],
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **given: Any,
) -> None:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332. Loaded dice are named where it
    matters: 5 lucky, 1 odd, 3 3 ordinary.
    """
    settings: Settings = context.obj
    sets = {name: given.pop(name) for name in DICE_OPTIONS}
    if has_sets(sets):
        from bot.cli.loaded import advise_loaded, loaded_dice  # noqa: PLC0415 - takes a while

        is_default = context.get_parameter_source("rules") is ParameterSource.DEFAULT
        loaded = loaded_dice(settings, None if is_default else given["rules"], place, **sets)
        situation = Situation.given(**{**given, "rules": loaded.rules})
        advise_loaded(settings, loaded, " ".join(dice), situation, as_json=as_json, as_csv=as_csv)
        return
    advisor = advisor_of(settings)
    situation = situation_of(settings, advisor, place, given)
    advice = advisor.advise(" ".join(dice), situation)
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
    show(turn_table_text(cells), bare_data(cells), as_json=as_json, sheet=sheet)


@click.command()
@click.argument("text", metavar="ID", nargs=-1, required=True)
@place_option
@json_option
@csv_option
@click.pass_obj
def position(
    settings: Settings,
    /,
    text: tuple[str, ...],
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Say what is best in a position that somebody passes on.

    ID is as under an advice, such as CZT1-7YZ9-SYP.
    """
    found = opened(read_id(" ".join(text)), known_rules(settings, place))
    answer = advisor_of(settings).answer(*found)
    rows = None
    if as_csv:
        if not isinstance(answer, Advice):
            raise InvalidRequestError("--csv is a table of what to keep of a roll; this has none")
        rows = advice_sheet(answer)
    show(answer_text(answer), answer_data(answer), as_json=as_json, sheet=rows)
