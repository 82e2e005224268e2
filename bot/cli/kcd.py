"""`farkle kcd`: the loaded dice of Kingdom Come."""

from typing import Any

import click

from bot.cli.dice_options import dice_options
from bot.cli.loaded import loaded_dice
from bot.cli.output import csv_option, json_option, show
from bot.cli.places import place_option
from bot.services.buying import PurchaseQuestion, check_purchase, purchases, read_price
from bot.services.kingdom import (
    ChoiceQuestion,
    KcdQuestion,
    check_choice,
    chosen,
    kcd_answer,
)
from bot.services.loaded import KCD, folders_of
from bot.services.situation import ME_OR_THEM
from bot.settings import Settings
from bot.views.buying import purchase_data, purchase_sheet, purchase_text
from bot.views.kingdom import (
    choice_data,
    choice_sheet,
    choice_text,
    kcd_data,
    kcd_sheet,
    kcd_text,
)
from bot.views.named_dice import (
    badges_data,
    badges_sheet,
    badges_text,
    dice_list_data,
    dice_list_text,
    dice_sheet,
    die_text,
)
from bot.views.progress import share_progress
from solver.errors import InvalidRequestError
from solver.named.catalogue import known_badges, known_dice
from solver.named.sets import find_die, read_dice


@click.group(invoke_without_command=True)
@dice_options
@click.option("--own", metavar="DICE", help="Dice you own: find the best six of them.")
@click.option(
    "--buy",
    metavar="PRICE",
    help="Which die to buy next, to add to --own: the most groschen you can pay, or any.",
)
@click.option(
    "--solve",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="With --own: how many of the best sets by points to play out.",
)
@click.option(
    "--began",
    type=click.Choice(list(ME_OR_THEM), case_sensitive=False),
    default="me",
    show_default=True,
    help="Who throws first.",
)
@click.option("--rules", default=KCD, show_default=True, help="A rule set or a TOML file.")
@place_option
@json_option
@csv_option
@click.pass_context
def kcd(
    context: click.Context,
    /,
    own: str | None,
    buy: str | None,
    solve: int,
    began: str,
    rules: str,
    place: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **sets: Any,
) -> None:
    """Say who wins with which loaded dice, and which to take.

    A set is six dice by name, or by weights: lucky*3,odd,1:2:1:1:1:3*2. See farkle kcd dice.
    """
    if context.invoked_subcommand is not None:
        return
    settings: Settings = context.obj
    choosing = own is not None or buy is not None
    if (sets["my_dice"] is None) != choosing:
        raise InvalidRequestError(
            "give your dice with --my-dice, or with --own those to choose from, such as"
            " --my-dice lucky*3,odd,ordinary*2; farkle kcd dice lists the dice"
        )
    dice, begins = loaded_dice(settings, rules, place, **sets), ME_OR_THEM[began.lower()]
    if choosing:
        wanted = ChoiceQuestion(dice, tuple(read_dice(own)) if own else (), begins, solve)
        if buy is not None:
            _buy(
                settings, PurchaseQuestion(wanted, read_price(buy)), as_json=as_json, as_csv=as_csv
            )
            return
        number = check_choice(wanted)
        with share_progress(f"{number:,} sets") as told:
            choices = chosen(folders_of(settings), wanted, told)
        show(
            choice_text(choices),
            choice_data(choices),
            as_json=as_json,
            sheet=choice_sheet(choices) if as_csv else None,
        )
        return
    question = KcdQuestion(dice, begins)
    with share_progress(f"{dice.mine.text} against {dice.theirs.text}") as told:
        answer = kcd_answer(folders_of(settings), question, told)
    show(
        kcd_text(answer),
        kcd_data(answer),
        as_json=as_json,
        sheet=kcd_sheet(answer) if as_csv else None,
    )


def _buy(settings: Settings, wanted: PurchaseQuestion, *, as_json: bool, as_csv: bool) -> None:
    number = check_purchase(wanted)
    with share_progress(f"{number:,} sets") as told:
        bought = purchases(folders_of(settings), wanted, told)
    show(
        purchase_text(bought),
        purchase_data(bought),
        as_json=as_json,
        sheet=purchase_sheet(bought) if as_csv else None,
    )


@kcd.command("dice")
@click.argument("name", nargs=-1)
@json_option
@csv_option
def dice(name: tuple[str, ...], *, as_json: bool, as_csv: bool) -> None:
    """List the dice of the games, or show everything about one."""
    known = [find_die(" ".join(name).partition("@")[0])] if name else list(known_dice())
    text = die_text(known[0]) if name else dice_list_text(known)
    show(text, dice_list_data(known), as_json=as_json, sheet=dice_sheet(known) if as_csv else None)


@kcd.command("badges")
@json_option
@csv_option
def badges(*, as_json: bool, as_csv: bool) -> None:
    """List the badges of the second game, and how well each is known."""
    known = known_badges()
    show(
        badges_text(known),
        badges_data(known),
        as_json=as_json,
        sheet=badges_sheet(known) if as_csv else None,
    )
