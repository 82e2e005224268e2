"""`farkle kcd`: the loaded dice of Kingdom Come."""

from typing import Any

import click

from bot.features.kingdom.service import (
    ChoiceQuestion,
    KcdQuestion,
    PurchaseQuestion,
    check_choice,
    check_purchase,
    chosen,
    kcd_answer,
    purchases,
    read_price,
)
from bot.features.kingdom.view import (
    choice_data,
    choice_sheet,
    choice_text,
    kcd_data,
    kcd_sheet,
    kcd_text,
    purchase_data,
    purchase_sheet,
    purchase_text,
)
from bot.services.loaded import LoadedDice, folders_of, read_kits
from bot.services.rule_options import with_goal
from bot.services.situation import KCD, ME_OR_THEM
from bot.settings import Settings
from bot.shell.output import Shown, answer_options
from bot.shell.places import place_option, rules_reader
from bot.shell.position import BROUGHT, dice_options
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
@answer_options
@click.pass_context
def kcd(
    context: click.Context,
    /,
    goal: int | None,
    own: str | None,
    buy: str | None,
    solve: int,
    began: str,
    rules: str,
    place: str | None,
    **sets: Any,
) -> Shown | None:
    """Say who wins with which loaded dice, and which to take.

    A set is six dice by name, or by weights: lucky*3,odd,1:2:1:1:1:3*2. See farkle kcd dice.
    """
    if context.invoked_subcommand is not None:
        return None
    settings: Settings = context.obj
    choosing = own is not None or buy is not None
    if (sets["my_dice"] is None) != choosing:
        raise InvalidRequestError(
            "give your dice with --my-dice, or with --own those to choose from, such as"
            " --my-dice lucky*3,odd,ordinary*2; farkle kcd dice lists the dice"
        )
    meant = with_goal(rules_reader(settings, place)(rules), goal, named=False)
    *typed, joker_alone = (sets[name] for name in BROUGHT)
    dice = LoadedDice(meant, read_kits(meant, *typed), joker_alone)
    begins = ME_OR_THEM[began.lower()]
    if choosing:
        wanted = ChoiceQuestion(dice, tuple(read_dice(own)) if own else (), begins, solve)
        if buy is not None:
            return _buy(settings, PurchaseQuestion(wanted, read_price(buy)))
        number = check_choice(wanted)
        with share_progress(f"{number:,} sets") as told:
            choices = chosen(folders_of(settings), wanted, told)
        return Shown(choice_text(choices), choice_data(choices), choice_sheet(choices))
    question = KcdQuestion(dice, begins)
    with share_progress(f"{dice.mine.text} against {dice.theirs.text}") as told:
        answer = kcd_answer(folders_of(settings), question, told)
    return Shown(kcd_text(answer), kcd_data(answer), kcd_sheet(answer))


def _buy(settings: Settings, wanted: PurchaseQuestion) -> Shown:
    number = check_purchase(wanted)
    with share_progress(f"{number:,} sets") as told:
        bought = purchases(folders_of(settings), wanted, told)
    return Shown(purchase_text(bought), purchase_data(bought), purchase_sheet(bought))


@kcd.command("dice")
@click.argument("name", nargs=-1)
@answer_options
def dice(name: tuple[str, ...]) -> Shown:
    """List the dice of the games, or show everything about one."""
    known = [find_die(" ".join(name).partition("@")[0])] if name else list(known_dice())
    text = die_text(known[0]) if name else dice_list_text(known)
    return Shown(text, dice_list_data(known), dice_sheet(known))


@kcd.command("badges")
@answer_options
def badges() -> Shown:
    """List the badges of the second game, and how well each is known."""
    known = known_badges()
    return Shown(badges_text(known), badges_data(known), badges_sheet(known))
