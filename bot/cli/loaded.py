"""Loaded dice on the command line: what the options mean, and advice and odds with them."""

from typing import Any

from bot.cli.output import show
from bot.cli.places import rules_reader
from bot.services.loaded import (
    KCD,
    NEXT_PLAYER,
    ORDINARY,
    LoadedDice,
    check_no_badges,
    folders_of,
    loaded_advice,
    loaded_odds,
    read_opponents_set,
    sets_of_others,
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
from solver.named.badges import read_badges
from solver.named.sets import read_set


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
) -> LoadedDice:
    """What the options of `dice_options` mean, under kcd rules unless others are named.

    Raises FarkleError.
    """
    chosen = with_goal(rules_reader(settings, place)(rules or KCD), goal, named=False)
    mine = read_set(my_dice or ORDINARY, chosen.dice)
    theirs = read_opponents_set(their_dice, chosen)
    return LoadedDice(chosen, mine, theirs, joker_alone, read_badges(my_badge, their_badge))


def dice_of_all(
    settings: Settings, rules: str | None, place: str | None, situation: Situation, **sets: Any
) -> LoadedDice:
    """The same of as many players as there are sets or scores. Raises FarkleError."""
    theirs = sets["their_dice"]
    if situation.players == 2 and NEXT_PLAYER not in (theirs or ""):
        return loaded_dice(settings, rules, place, **sets)
    chosen = with_goal(rules_reader(settings, place)(rules or KCD), sets["goal"], named=False)
    check_no_badges(sets["my_badge"], sets["their_badge"])
    mine = read_set(sets["my_dice"] or ORDINARY, chosen.dice)
    others = sets_of_others(theirs, chosen, situation)
    return LoadedDice(chosen, mine, others[0], sets["joker_alone"], further=tuple(others[1:]))


def _title(dice: LoadedDice) -> str:
    if not dice.further:
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
        answer = loaded_advice(folders_of(settings), dice, roll, situation, told)
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
        answer = loaded_odds(folders_of(settings), dice, left, situation, told)
    show(odds_text(answer), answer_data(answer), as_json=as_json)
