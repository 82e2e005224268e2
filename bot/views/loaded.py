"""Advice and odds with loaded dice as people read them, and as plain data."""

from typing import Any

from bot.services.loaded import LoadedAdvice, LoadedDice, LoadedOdds
from bot.views.advice import (
    ACTIONS,
    bank_text,
    bare_data,
    cost_text,
    position_text,
    reachable_text,
    reason_text,
    turn_total_text,
)
from bot.views.badges import badge_lines, use_data, use_text
from bot.views.kingdom import badges_data
from bot.views.layout import columns, percent, wrap
from bot.views.named_dice import doubts
from bot.views.sheet import Sheet, sheet
from bot.views.why import no_bank_text
from solver.game.position import Position
from solver.play.advice import Advice, Odds
from solver.play.badge_uses import BadgeUse
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.wording import say, say_later

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
                position=own_dice_position(dice.rules, advice.position),
                rules=dice.rules.name,
                goal=dice.rules.goal,
            )
        ),
        sets_text(dice),
        *badge_lines(dice.badges),
    ]
    if advice.farkle:
        lines.append(
            say("Farkle: nothing scores.")
            + " "
            + say("Your win probability is now {chance}.", chance=percent(advice.win_probability))
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
    lines += columns(table, right={1, 2, 5}, spare=(2, 1, 3))
    return "\n".join([*lines, *_others(advice), *_reachable(advice), *_doubts(dice)])


def loaded_odds_text(answer: LoadedOdds, *, alone: bool = True) -> str:
    """Roll or bank, and what each is worth; if not `alone` without what advice has said above."""
    dice, odds = answer.dice, answer.odds
    lines = [
        wrap(
            say(
                "{position}, {dice} to roll, {rules} rules to {goal:,}",
                position=own_dice_position(dice.rules, odds.position),
                dice=dice.mine.left(odds.position.turn.dice).text,
                rules=dice.rules.name,
                goal=dice.rules.goal,
            )
        ),
        *([sets_text(dice), *badge_lines(dice.badges)] if alone else []),
    ]
    risk = say("farkle chance {chance}", chance=percent(odds.farkle_probability))
    roll = (say(ACTIONS[Decision.ROLL]), percent(odds.roll), risk)
    whole = _with_all_dice(dice, odds.position)
    if odds.bank is None:
        bank = (say(ACTIONS[Decision.BANK]), "-", no_bank_text(dice.rules, whole))
        rows: list[tuple[str, ...]] = [roll, bank]
    else:
        bank = (say(ACTIONS[Decision.BANK]), percent(odds.bank), bank_text(dice.rules, whole))
        cost = cost_text(abs(odds.bank - odds.roll))
        rolls = odds.bank < odds.roll
        first, second = (roll, bank) if rolls else (bank, roll)
        rows = [(*first, cost_text(0)), (*second, cost)]
    lines += columns(rows, right={1}, spare=() if odds.bank is None else (2,))
    lines += [*_others(odds), *(_reachable(odds) if alone else [])]
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
    data, position = bare_data(found), found.position
    where = data["position"] if len(position.players) == 2 else data["position"]["turn"]
    where["dice"] = mine.left(position.turn.dice).text
    if isinstance(answer, LoadedAdvice):
        found = answer.advice
        data["roll"] = _roll(dice, found)
        for said, one, uses in zip(data["options"], found.options, answer.then, strict=True):
            said["set_aside"] = dice.kit.set_aside_text(found.roll, one.set_aside)
            said["dice_left"] = mine.left(one.dice_left).text
            said["with_badge"] = uses
        data["win_probability"] = answer.win_probability
    said = {"goal": dice.rules.goal, "my_dice": mine.text, "joker_alone": dice.joker_alone}
    if dice.further:
        return {**data, **said, "their_dice": [one.text for one in dice.others]}
    if isinstance(answer, LoadedAdvice):
        data["badge_uses"] = [use_data(dice, use, answer.advice.roll) for use in answer.uses]
    elif answer.use:
        data["badge_use"] = use_data(dice, answer.use)
    badges = badges_data(dice.badges)
    return {**data, **said, "their_dice": dice.theirs.text, "badges": badges}


def _others(found: Advice | Odds) -> list[str]:
    """What the others have then, where they are several."""
    return [reason_text(found)] if len(found.chances) > 2 else []


def _reachable(found: Advice | Odds) -> list[str]:
    """A note where no rolls lead to the position."""
    total = found.position.turn.turn_total
    reason = say("these dice cannot be left at a turn total of {turn_total:,}", turn_total=total)
    return list(filter(None, [reachable_text(found, reason)]))


def _with_all_dice(dice: LoadedDice, position: Position) -> Position:
    """A position as if all dice were to be rolled, which are known by their number then."""
    return position.change(dice=dice.rules.dice)


def _roll(dice: LoadedDice, advice: Advice) -> str:
    """The roll as it may be typed again: it may be of any dice of the set."""
    return dice.kit.roll_text(advice.roll, dice.mine.dice_set.whole)


def loaded_advice_sheet(answer: LoadedAdvice) -> Sheet:
    """The options, best first."""
    names = ("set_aside", "points", "turn_total", "dice_left", "action", "win_probability")
    return sheet(names, loaded_data(answer)["options"])


def own_dice_position(rules: Ruleset, position: Position) -> str:
    """Scores and turn total."""
    whole = position.change(dice=rules.dice)
    total = whole.turn.turn_total
    parts = [position_text(rules, whole.change(turn_total=0))]
    parts += [turn_total_text(total)] if total else []
    return ", ".join(parts)


def sets_text(dice: LoadedDice) -> str:
    """What all throw."""
    told = say_later("Your dice {mine}, theirs {theirs}.")
    if dice.further:
        told = say_later("Your dice {mine}, those of the others {theirs}.")
    theirs = " / ".join(one.text for one in dice.others)
    return wrap(say(told, mine=dice.mine.text, theirs=theirs))


def _doubts(dice: LoadedDice) -> list[str]:
    thrown = [die for one in dice.sets for die in one.dice]
    return [wrap(sentence) for sentence in doubts(thrown, joker_alone=dice.joker_alone)]
