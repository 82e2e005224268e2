"""`farkle kcd`: the loaded dice of Kingdom Come."""

from typing import Any

import click

from bot.features.kingdom import service, view
from bot.services.loaded import LoadedDice, folders_of, read_kits
from bot.services.rule_options import with_goal
from bot.services.situation import KCD, ME_OR_THEM
from bot.shell.output import Shown, answer_options
from bot.shell.places import Here, here_option
from bot.shell.position import BROUGHT, dice_options
from bot.views import named_dice
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
@here_option
@answer_options
def kcd(
    here: Here,
    /,
    goal: int | None,
    own: str | None,
    buy: str | None,
    solve: int,
    began: str,
    rules: str,
    **sets: Any,
) -> Shown | None:
    """Say who wins with which loaded dice, and which to take.

    A set is six dice by name, or by weights: lucky*3,odd,1:2:1:1:1:3*2. See farkle kcd dice.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return None
    folders = folders_of(here.settings)
    choosing = own is not None or buy is not None
    if (sets["my_dice"] is None) != choosing:
        raise InvalidRequestError(
            "give your dice with --my-dice, or with --own those to choose from, such as"
            " --my-dice lucky*3,odd,ordinary*2; farkle kcd dice lists the dice"
        )
    meant = here.rules(rules)
    meant = meant if goal is None else with_goal(meant, goal, named=False)
    *typed, joker_alone = (sets[name] for name in BROUGHT)
    dice = LoadedDice(meant, read_kits(meant, *typed), joker_alone)
    begins = ME_OR_THEM[began.lower()]
    wanted = dice, tuple(read_dice(own)) if own else (), begins, solve
    if buy is not None:
        purchase = service.PurchaseQuestion(*wanted, service.read_price(buy))
        with share_progress(f"{purchase.check():,} sets") as on_progress:
            bought = service.purchase_answer(folders, purchase, on_progress)
        return Shown(view.purchase_text(bought), view.purchase_data(bought))
    if choosing:
        choice = service.ChoiceQuestion(*wanted)
        with share_progress(f"{choice.check():,} sets") as on_progress:
            choices = service.choice_answer(folders, choice, on_progress)
        return Shown(view.choice_text(choices), view.choice_data(choices))
    question = service.KcdQuestion(dice, begins)
    with share_progress(f"{dice.mine.text} against {dice.theirs.text}") as on_progress:
        answer = service.kcd_answer(folders, question, on_progress)
    return Shown(view.kcd_text(answer), view.kcd_data(answer), view.kcd_sheet(answer))


@kcd.command("dice")
@click.argument("name", nargs=-1)
@answer_options
def dice(name: tuple[str, ...]) -> Shown:
    """List the dice of the games, or show everything about one."""
    known = [find_die(" ".join(name).partition("@")[0])] if name else list(known_dice())
    text = named_dice.die_text(known[0]) if name else named_dice.dice_list_text(known)
    return Shown(text, named_dice.dice_list_data(known), named_dice.dice_sheet(known))


@kcd.command("badges")
@answer_options
def badges() -> Shown:
    """List the badges of the second game, and how well each is known."""
    known = known_badges()
    return Shown(
        named_dice.badges_text(known), named_dice.badges_data(known), named_dice.badges_sheet(known)
    )
