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
from bot.views.badges import badge_lines, use_data, use_text
from bot.views.kingdom import badges_data
from bot.views.layout import columns, percent, wrap
from bot.views.named_dice import doubts
from bot.views.sheet import Sheet, sheet
from solver.game.position import Position
from solver.play.advice import Advice
from solver.play.badge_uses import BadgeUse
from solver.turn.equations import Decision
from solver.wording import say

_MOST_USES = 5
"""Uses of a badge on a roll that are listed."""


def loaded_text(answer: LoadedAdvice | LoadedOdds) -> str:
    """Advice or odds."""
    if isinstance(answer, LoadedAdvice):
        return loaded_advice_text(answer)
    return loaded_odds_text(answer)


def loaded_advice_text(answer: LoadedAdvice) -> str:
    """The options, best first, each with the dice to keep by name where that matters."""
    dice, advice = answer.dice, answer.advice
    mine = dice.mine
    lines = [
        wrap(
            say(
                "{roll}: {position}, {rules} rules to {goal:,}",
                roll=_roll(dice, advice),
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
    best = answer.win_probability
    rows = [
        (
            one.win_probability,
            (
                say("keep {dice}", dice=dice.kit.set_aside_text(advice.roll, one.set_aside)),
                say("{points:,} points", points=one.points),
                say("turn {points:,}", points=one.turn_total),
                say("hot dice") if one.set_aside == advice.roll else mine.left(one.dice_left).text,
                say("{action} with the badge", action=say(ACTIONS[one.action]))
                if uses
                else say(ACTIONS[one.action]),
            ),
        )
        for one, uses in zip(advice.options, answer.then, strict=True)
    ]
    rows += [
        (one.win_probability, (use_text(dice, one, advice.roll), "", "", "", ""))
        for one in answer.uses[:_MOST_USES]
    ]
    rows.sort(key=lambda row: -row[0])
    table = [(*row, percent(value), cost_text(best - value)) for value, row in rows]
    return "\n".join([*lines, *columns(table, right={1, 2, 5}), *_doubts(dice)])


def loaded_odds_text(answer: LoadedOdds, *, alone: bool = True) -> str:
    """Roll or bank, and what each is worth; if not `alone` without what advice has said above."""
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
        *([_dice(dice), *badge_lines(dice.badges)] if alone else []),
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
        rolls = odds.bank < odds.roll
        first, second = (roll, bank) if rolls else (bank, roll)
        rows = [(*first, cost_text(0)), (*second, cost)]
    lines += columns(rows, right={1})
    if answer.use:
        lines.append(wrap(_use(dice, answer.use)))
    return "\n".join([*lines, *(_doubts(dice) if alone else [])])


def _use(dice: LoadedDice, use: BadgeUse) -> str:
    """What the badge allows before a roll, against not using it."""
    said = {
        "what": use_text(dice, use),
        "value": percent(use.win_probability),
        "other": percent(use.without),
    }
    if use.win_probability > use.without:
        return say("Use your badge: {what} {value}, without it {other}.", **said)
    return say("Keep your badge: {what} {value}, without it {other}.", **said)


def loaded_data(answer: LoadedAdvice | LoadedOdds) -> dict[str, Any]:
    """The same with its own field names; dice by name."""
    dice = answer.dice
    mine = dice.mine
    found = answer.advice if isinstance(answer, LoadedAdvice) else answer.odds
    data = bare_data(found)
    data["position"]["dice"] = mine.left(found.position.dice).text
    if isinstance(answer, LoadedAdvice):
        found = answer.advice
        data["roll"] = _roll(dice, found)
        for said, one, uses in zip(data["options"], found.options, answer.then, strict=True):
            said["set_aside"] = dice.kit.set_aside_text(found.roll, one.set_aside)
            said["dice_left"] = mine.left(one.dice_left).text
            said["with_badge"] = uses
        data["win_probability"] = answer.win_probability
        data["badge_uses"] = [use_data(dice, use, found.roll) for use in answer.uses]
    elif answer.use:
        data["badge_use"] = use_data(dice, answer.use)
    return {
        **data,
        "goal": dice.rules.goal,
        "my_dice": mine.text,
        "their_dice": dice.theirs.text,
        "joker_alone": dice.joker_alone,
        "badges": badges_data(dice.badges),
    }


def _roll(dice: LoadedDice, advice: Advice) -> str:
    """The roll as it may be typed again: it may be of any dice of the set."""
    return dice.kit.roll_text(advice.roll, dice.mine.dice_set.whole)


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
