"""Loaded dice on the command line: what the options mean, and advice and odds with them."""

from bot.cli.output import show
from bot.cli.places import rules_reader
from bot.services.loaded import (
    KCD,
    LoadedDice,
    advice_on_dice,
    folders_of,
    odds_of_dice,
    read_kits,
    with_solved,
)
from bot.services.rule_options import with_goal
from bot.services.situation import Situation
from bot.settings import Settings
from bot.views.advice import (
    advice_sheet,
    advice_text,
    answer_data,
    odds_text,
)
from bot.views.progress import share_progress
from solver.game.many import time_text


def loaded_dice(
    settings: Settings,
    rules: str | None,
    place: str | None,
    *,
    my_dice: str | None,
    their_dice: str | None,
    my_badge: str | None,
    their_badge: str | None,
    joker_alone: bool,
    goal: int | None,
    situation: Situation | None = None,
) -> LoadedDice:
    """What the options of `dice_options` mean, under kcd rules unless others are named.

    Of two, or of as many players as there are sets or scores in a situation. Raises FarkleError.
    """
    chosen = with_goal(rules_reader(settings, place)(rules or KCD), goal, named=False)
    typed = my_dice, their_dice, my_badge, their_badge
    return LoadedDice(chosen, read_kits(chosen, *typed, situation=situation), joker_alone)


def _title(dice: LoadedDice) -> str:
    if dice.of_two:
        return f"{dice.mine.text} against {dice.theirs.text}"
    others = ", ".join(one.text for one in dice.others)
    seconds = time_text(dice.matchup.seconds)
    return f"{dice.mine.text} against {others}: about {seconds} if that is not solved yet"


def advise_loaded(
    settings: Settings,
    dice: LoadedDice,
    situation: Situation,
    roll: str,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what to keep of a roll of loaded dice. Raises FarkleError."""
    with share_progress(_title(dice)) as told:
        answer = with_solved(advice_on_dice, folders_of(settings), dice, roll, situation, told)
    sheet = advice_sheet(answer) if as_csv else None
    show(advice_text(answer), answer_data(answer), as_json=as_json, sheet=sheet)


def odds_loaded(
    settings: Settings,
    dice: LoadedDice,
    situation: Situation,
    left: str | None,
    *,
    as_json: bool,
) -> None:
    """Print whether to roll the dice that are left. Raises FarkleError."""
    with share_progress(_title(dice)) as told:
        answer = with_solved(odds_of_dice, folders_of(settings), dice, left, situation, told)
    show(odds_text(answer), answer_data(answer), as_json=as_json)
