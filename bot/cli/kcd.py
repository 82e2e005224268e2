"""`farkle kcd`: the loaded dice of Kingdom Come."""

import click

from bot.cli.output import csv_option, json_option, show
from bot.cli.places import place_option, rules_reader
from bot.services.kingdom import (
    ChoiceQuestion,
    KcdQuestion,
    check_choice,
    chosen,
    kcd_answer,
)
from bot.services.loaded import KCD, ORDINARY, LoadedDice, folders_of, with_goal
from bot.services.situation import ME_OR_THEM
from bot.settings import Settings
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
from solver.named.badges import read_badges
from solver.named.catalogue import known_badges, known_dice
from solver.named.sets import find_die, read_dice, read_set


@click.group(invoke_without_command=True)
@click.option("--my-dice", metavar="SET", help="Your dice, such as lucky*3,odd,ordinary*2.")
@click.option(
    "--their-dice", metavar="SET", default=ORDINARY, show_default=True, help="The opponent's."
)
@click.option("--my-badge", metavar="BADGE", help="Your badge, such as emperor, carpenter:150.")
@click.option("--their-badge", metavar="BADGE", help="The opponent's.")
@click.option("--own", metavar="DICE", help="Dice you own: which six to take of them.")
@click.option(
    "--solve",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="With --own: how many of the best sets by points to play out.",
)
@click.option("--goal", type=int, metavar="N", help="Points to reach; those of the rules if not.")
@click.option(
    "--began",
    type=click.Choice(list(ME_OR_THEM), case_sensitive=False),
    default="me",
    show_default=True,
    help="Who throws first.",
)
@click.option("--joker-alone", is_flag=True, help="Jokers may score by themselves.")
@click.option("--rules", default=KCD, show_default=True, help="A rule set or a TOML file.")
@place_option
@json_option
@csv_option
@click.pass_context
def kcd(
    context: click.Context,
    my_dice: str | None,
    their_dice: str,
    my_badge: str | None,
    their_badge: str | None,
    own: str | None,
    solve: int,
    goal: int | None,
    began: str,
    rules: str,
    place: str | None,
    *,
    joker_alone: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Say who wins with which loaded dice, and which to take.

    A set is six dice by name, or by weights: lucky*3,odd,1:2:1:1:1:3*2. See farkle kcd dice.
    """
    if context.invoked_subcommand is not None:
        return
    settings: Settings = context.obj
    if (my_dice is None) == (own is None):
        raise InvalidRequestError(
            "give your dice with --my-dice, or with --own those to choose from, such as"
            " --my-dice lucky*3,odd,ordinary*2; farkle kcd dice lists the dice"
        )
    ruleset = with_goal(rules_reader(settings, place)(rules), goal)
    theirs = read_set(their_dice, ruleset.dice)
    begins, badges = ME_OR_THEM[began.lower()], read_badges(my_badge, their_badge)
    if own is not None:
        wanted = ChoiceQuestion(
            ruleset, tuple(read_dice(own)), theirs, begins, joker_alone, badges, solve
        )
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
    mine = read_set(my_dice or "", ruleset.dice)
    question = KcdQuestion(LoadedDice(ruleset, mine, theirs, joker_alone, badges), begins)
    with share_progress(f"{mine.text} against {theirs.text}") as told:
        answer = kcd_answer(folders_of(settings), question, told)
    show(
        kcd_text(answer),
        kcd_data(answer),
        as_json=as_json,
        sheet=kcd_sheet(answer) if as_csv else None,
    )


@kcd.command("dice")
@click.argument("name", nargs=-1)
@json_option
@csv_option
def dice(name: tuple[str, ...], *, as_json: bool, as_csv: bool) -> None:
    """List the dice of the games, or tell all of one."""
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
