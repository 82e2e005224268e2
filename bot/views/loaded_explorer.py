"""A position of two sets of dice, and the ways on from it, as people read them and as data."""

from typing import Any

from bot.services.explorer import Field
from bot.services.loaded import LoadedDice
from bot.services.loaded_explorer import LoadedExploration
from bot.views.advice import position_data
from bot.views.explorer import bank_from_data, bank_from_text, step_label
from bot.views.game import NOT_EXACT
from bot.views.layout import columns, wrap
from bot.views.loaded import loaded_data, loaded_odds_text
from solver.game.position import Position
from solver.wording import say


def loaded_exploration_text(found: LoadedExploration) -> str:
    """What there is to know of the position, and what a command says of each step from it."""
    parts = [loaded_odds_text(found.found), bank_from_text(found.bank_from, found.dice.mine)]
    steps = [step for step in found.steps if step.position and step.field is not Field.SIDES]
    rows = [
        (step_label(step), _position_options(found.dice, step.position))
        for step in steps
        if step.position
    ]
    base = _base(found.dice)
    parts += [
        wrap(say("Steps from here, each typed after {command}:", command=base)),
        *columns(rows),
    ]
    parts += [
        wrap(f"{step_label(step)}: {_line(found.dice_after(step), step.position)}")
        for step in found.steps
        if step.position and step.field is Field.SIDES
    ]
    parts += [] if found.exact else [wrap(say(NOT_EXACT))]
    return "\n".join(parts)


def loaded_exploration_data(found: LoadedExploration) -> dict[str, Any]:
    """The same as plain data."""
    steps = []
    for step in found.steps:
        if step.position is not None:
            dice = found.dice_after(step)
            left = dice.mine.left(step.position.dice).text
            steps.append(
                {
                    "action": step.action,
                    "position": {**position_data(found.dice.rules, step.position), "dice": left},
                    "command": _line(dice, step.position),
                }
            )
    return {
        **loaded_data(found.found),
        "bank_from": bank_from_data(found.bank_from, found.dice.mine),
        "steps": steps,
    }


def _line(dice: LoadedDice, position: Position) -> str:
    """The command that shows a position."""
    return f"{_base(dice)} {_position_options(dice, position)}"


def _base(dice: LoadedDice) -> str:
    """The command with all that no step changes."""
    parts = [f"my-dice:{dice.mine.text}", f"their-dice:{dice.theirs.text}"]
    for name, badge in zip(("my-badge", "their-badge"), dice.badges, strict=True):
        parts += [f"{name}:{badge.text}"] if badge else []
    parts += ["joker-alone:yes"] if dice.joker_alone else []
    return " ".join(["/explore", *parts, f"rules:{dice.rules.name}", f"goal:{dice.rules.goal}"])


def _position_options(dice: LoadedDice, position: Position) -> str:
    parts = [f"me:{position.banked}", f"them:{position.opponent}"]
    if position.turn_total:
        parts += [f"turn:{position.turn_total}", f"dice:{dice.mine.left(position.dice).text}"]
    return " ".join(parts)
