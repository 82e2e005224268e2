"""Advice and odds with loaded dice as people read them, and as plain data."""

from dataclasses import replace
from typing import Any

from bot.services.loaded import LoadedAdvice, LoadedDice, LoadedOdds
from bot.views.advice import (
    ACTIONS,
    bank_text,
    bare_data,
    cost_text,
    no_bank_text,
    position_text,
    turn_total_text,
)
from bot.views.kingdom import badge_lines, badges_data
from bot.views.layout import columns, percent, wrap
from bot.views.named_dice import doubts
from bot.views.sheet import Sheet, sheet
from solver.game.position import Position
from solver.named.rolls import roll_text, set_aside_text
from solver.play.advice import Advice
from solver.turn.equations import Decision
from solver.wording import say


def loaded_advice_text(answer: LoadedAdvice) -> str:
    """The options, best first, each with the dice to keep by name where that matters."""
    dice, advice = answer.dice, answer.advice
    mine = dice.mine
    lines = [
        wrap(
            say(
                "{roll}: {position}, {rules} rules to {goal:,}",
                roll=roll_text(mine, advice.roll, advice.position.dice),
                position=_position(dice, advice.position),
                rules=dice.rules.name,
                goal=dice.rules.goal,
            )
        ),
        _dice(dice),
        *badge_lines(dice.badges),
    ]
    if advice.farkle:
        lines.append(
            say("Farkle, nothing scores.")
            + " "
            + say("Win probability left: {chance}", chance=percent(advice.win_probability))
        )
    rows = [
        (
            say("keep {dice}", dice=set_aside_text(mine, advice.roll, one.set_aside)),
            say("{points:,} points", points=one.points),
            say("turn {points:,}", points=one.turn_total),
            say("hot dice") if one.set_aside == advice.roll else mine.left(one.dice_left).text,
            say(ACTIONS[one.action]),
            percent(one.win_probability),
            cost_text(advice.win_probability - one.win_probability),
        )
        for one in advice.options
    ]
    return "\n".join([*lines, *columns(rows, right={1, 2, 5}), *_doubts(dice)])


def loaded_odds_text(answer: LoadedOdds) -> str:
    """Roll or bank, and what each is worth."""
    dice, odds = answer.dice, answer.odds
    lines = [
        wrap(
            say(
                "{position}, {dice} to roll, {rules} rules to {goal:,}",
                position=_position(dice, odds.position),
                dice=dice.mine.left(odds.position.dice).text,
                rules=dice.rules.name,
                goal=dice.rules.goal,
            )
        ),
        _dice(dice),
        *badge_lines(dice.badges),
    ]
    risk = say("farkle chance {chance}", chance=percent(odds.farkle_probability))
    roll = (say(ACTIONS[Decision.ROLL]), percent(odds.roll), risk)
    whole = replace(odds.position, dice=dice.rules.dice)
    if odds.bank is None:
        bank = (say(ACTIONS[Decision.BANK]), "-", no_bank_text(dice.rules, whole))
        rows: list[tuple[str, ...]] = [roll, bank]
    else:
        bank = (say(ACTIONS[Decision.BANK]), percent(odds.bank), bank_text(dice.rules, whole))
        cost = cost_text(abs(odds.bank - odds.roll))
        rolls = odds.action is Decision.ROLL
        first, second = (roll, bank) if rolls else (bank, roll)
        rows = [(*first, cost_text(0)), (*second, cost)]
    return "\n".join([*lines, *columns(rows, right={1}), *_doubts(dice)])


def loaded_data(answer: LoadedAdvice | LoadedOdds) -> dict[str, Any]:
    """The same with its own field names; dice by name."""
    dice = answer.dice
    mine = dice.mine
    found = answer.advice if isinstance(answer, LoadedAdvice) else answer.odds
    data = bare_data(found)
    data["position"]["dice"] = mine.left(found.position.dice).text
    if isinstance(found, Advice):
        data["roll"] = roll_text(mine, found.roll, found.position.dice)
        for said, one in zip(data["options"], found.options, strict=True):
            said["set_aside"] = set_aside_text(mine, found.roll, one.set_aside)
            said["dice_left"] = mine.left(one.dice_left).text
    return {
        **data,
        "goal": dice.rules.goal,
        "my_dice": mine.text,
        "their_dice": dice.theirs.text,
        "joker_alone": dice.joker_alone,
        "badges": badges_data(dice.badges),
    }


def loaded_advice_sheet(answer: LoadedAdvice) -> Sheet:
    """The options, best first."""
    names = ("set_aside", "points", "turn_total", "dice_left", "action", "win_probability")
    return sheet(names, loaded_data(answer)["options"])


def _position(dice: LoadedDice, position: Position) -> str:
    """Scores and turn total."""
    whole = replace(position, turn_total=0, dice=dice.rules.dice)
    parts = [position_text(dice.rules, whole)]
    parts += [turn_total_text(position.turn_total)] if position.turn_total else []
    return ", ".join(parts)


def _dice(dice: LoadedDice) -> str:
    return wrap(
        say("Your dice {mine}, theirs {theirs}.", mine=dice.mine.text, theirs=dice.theirs.text)
    )


def _doubts(dice: LoadedDice) -> list[str]:
    return [wrap(sentence) for sentence in doubts([*dice.mine.dice, *dice.theirs.dice])]
