"""`farkle advise`, `odds` and `turn`: what is best after a roll, before one, in a whole turn."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bot.cli.dice_options import DICE_OPTIONS, brings_sets, dice_options, goal_option
from bot.cli.needed import solved_first
from bot.cli.output import csv_option, json_option, show
from bot.cli.places import advisor_of, known_rules, named, place_option, situation_of
from bot.cli.position import AsInTheChat, position_option, position_options
from bot.services.positions import check_asked, opened, rules_of
from bot.services.situation import TURN_TOTAL, Situation, dice_and_numbers
from bot.settings import Settings
from bot.views.advice import (
    advice_sheet,
    advice_text,
    answer_data,
    answer_text,
    bare_data,
    odds_text,
)
from bot.views.turn_table import turn_sheet, turn_table_text, turn_text
from solver.errors import InvalidRequestError
from solver.play.advice import Advice
from solver.play.position_id import read_id

if TYPE_CHECKING:
    from bot.services.loaded import LoadedDice

_MORE = "--table prints the chances at every turn total."


@click.command(cls=AsInTheChat)
@click.argument("dice", nargs=-1)
@position_option(TURN_TOTAL)
@position_options
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

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332. Three more numbers mean the turn
    total, your score and the opponent's: 5 2 350 4200 5000. You can also type options as in the
    chat: 5 2 turn 350. Name loaded dice where it matters: 5 lucky, 1 odd, 3 3 ordinary.
    """
    settings: Settings = context.obj
    sets = {name: given.pop(name) for name in DICE_OPTIONS}
    if brings_sets(sets):
        from bot.cli.loaded import advise_loaded  # noqa: PLC0415 - takes a while

        asked = _of_loaded(context, place, sets, given)
        advise_loaded(settings, *asked, " ".join(dice), as_json=as_json, as_csv=as_csv)
        return
    advisor = advisor_of(settings)
    roll, numbers = dice_and_numbers(" ".join(dice))
    given = _with_numbers(context, given, numbers)
    situation, reference = situation_of(settings, place, given, sets["goal"])
    check = partial(check_asked, situation, roll)
    solved_first(settings, advisor, rules_of(situation), reference, situation.players, check)
    advice = advisor.advise(roll, situation)
    sheet = advice_sheet(advice) if as_csv else None
    show(advice_text(advice), answer_data(advice), as_json=as_json, sheet=sheet)


def _with_numbers(
    context: click.Context, given: dict[str, Any], numbers: tuple[int, ...]
) -> dict[str, Any]:
    """The position with numbers after the dice, if there are any.

    Raises InvalidRequestError where one of them is given as an option, too.
    """
    if not numbers:
        return given
    fields = "turn_total", "banked", "opponent"
    if twice := next((one for one in fields if _is_given(context, one)), None):
        flag = twice.replace("_", "-")
        raise InvalidRequestError(f"--{flag} is given twice: it is among the numbers, too")
    turn_total, banked, opponent = numbers
    return given | {"turn_total": turn_total, "banked": banked, "opponent": (opponent,)}


def _of_loaded(
    context: click.Context, place: str | None, sets: dict[str, Any], given: dict[str, Any]
) -> "tuple[LoadedDice, Situation]":
    """The dice that options bring, and the position under their rules. Raises FarkleError."""
    from bot.cli.loaded import loaded_dice  # noqa: PLC0415 - takes a while

    rules = given["rules"] if _is_given(context, "rules") else None
    situation = Situation.given(**given)
    loaded = loaded_dice(context.obj, rules, place, situation=situation, **sets)
    return loaded, replace(situation, rules=loaded.rules)


def _is_given(context: click.Context, option: str) -> bool:
    return context.get_parameter_source(option) is not ParameterSource.DEFAULT


@click.command(cls=AsInTheChat)
@click.option(
    "--dice",
    metavar="N",
    help="Dice to roll, loaded ones by name: lucky*2,odd; all at the start of a turn.",
)
@position_option(TURN_TOTAL)
@position_options
@dice_options
@place_option
@json_option
@click.pass_context
def odds(
    context: click.Context,
    /,
    dice: str | None,
    place: str | None,
    *,
    as_json: bool,
    **given: Any,
) -> None:
    """Weigh rolling on against banking, before a roll."""
    settings: Settings = context.obj
    sets = {name: given.pop(name) for name in DICE_OPTIONS}
    if brings_sets(sets):
        from bot.cli.loaded import odds_loaded  # noqa: PLC0415 - takes a while

        odds_loaded(settings, *_of_loaded(context, place, sets, given), dice, as_json=as_json)
        return
    number = None if dice is None else _number(context, dice)
    advisor = advisor_of(settings)
    situation, reference = situation_of(settings, place, given, sets["goal"])
    check = partial(check_asked, situation, number)
    solved_first(settings, advisor, rules_of(situation), reference, situation.players, check)
    found = advisor.odds(number, situation)
    show(odds_text(found), answer_data(found), as_json=as_json)


def _number(context: click.Context, dice: str) -> int:
    """A number of dice as it was typed. Raises what click does with any other number."""
    option = next(one for one in context.command.params if one.name == "dice")
    found: int = click.INT(dice, option, context)
    return found


@click.command(cls=AsInTheChat)
@position_options
@goal_option
@click.option("--table", is_flag=True, help="Print the whole turn, turn total by turn total.")
@place_option
@json_option
@csv_option
@click.pass_obj
def turn(
    settings: Settings,
    /,
    goal: int | None,
    place: str | None,
    *,
    table: bool,
    as_json: bool,
    as_csv: bool,
    **given: Any,
) -> None:
    """Say when to bank in a turn, or print the whole of it."""
    advisor = advisor_of(settings)
    situation, reference = situation_of(settings, place, given, goal)
    situation.check_two()
    check = partial(check_asked, replace(situation, turn_total=0, hot_dice=0), None)
    solved_first(settings, advisor, rules_of(situation), reference, check=check)
    cells = advisor.turn(situation)
    sheet = turn_sheet(cells) if as_csv else None
    text = turn_table_text(cells) if table else f"{turn_text(cells)}\n{_MORE}"
    show(text, bare_data(cells), as_json=as_json, sheet=sheet)


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
    """Say what is best in a position, by its ID.

    ID is shown under the advice, such as CZT1-7YZ9-SYP.
    """
    known = known_rules(settings, place)
    found = opened(read_id(" ".join(text)), known)
    advisor, rules = advisor_of(settings), found[0]
    # with another goal they are named by that
    goal = None if any(one.name == rules.name for one in known) else rules.goal
    name = rules.name.removesuffix(f"-{goal}")
    solved_first(settings, advisor, rules, named(name, place, goal))
    answer = advisor.answer(*found)
    rows = None
    if as_csv:
        if not isinstance(answer, Advice):
            raise InvalidRequestError("--csv is a table of what to keep of a roll; this has none")
        rows = advice_sheet(answer)
    show(answer_text(answer), answer_data(answer), as_json=as_json, sheet=rows)
