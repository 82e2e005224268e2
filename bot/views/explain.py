"""The turn at hand in a few words: what is best now and by how much, and from where on to bank."""

from dataclasses import asdict
from typing import Any

from bot.services.pictures import Explanation, LoadedExplanation
from bot.views.advice import answer_data, position_text, reachable_text
from bot.views.card import Attachment, Card
from bot.views.explorer import bank_from_text
from bot.views.game import NOT_EXACT, hint_data, hint_text
from bot.views.layout import dice_count, dice_text, percent, plain_markdown, wrap
from bot.views.loaded_explorer import named_border_data, named_border_text
from solver.play.advice import Advice, Odds, Option
from solver.turn.equations import Decision
from solver.wording import figure, say, say_later

_KEEP = {
    Decision.ROLL: say_later("keep {dice} and roll {left}"),
    Decision.BANK: say_later("keep {dice} and bank {total:,}"),
    Decision.WIN: say_later("keep {dice} and bank {total:,}, which wins"),
}


def explanation_text(found: Explanation) -> str:
    """The position, the best choice, and the border of the turn."""
    return f"{wrap(_sentences(found))}\n{bank_from_text(found.turn.bank_from)}"


def explanation_card(found: Explanation) -> Card:
    """The same as a message, with the picture if there is one."""
    parts = _sentences(found), bank_from_text(found.turn.bank_from)
    text = "\n".join(map(plain_markdown, parts))
    if found.picture is None:
        return Card(text)
    return Card(text, (_attached(found.picture),))


def loaded_explanation_text(found: LoadedExplanation) -> str:
    """What is best now, and the border of the turn."""
    lines = [say("As {name} sees it:", name=found.seen_by)] if found.seen_by else []
    return "\n".join([*lines, hint_text(found.hint), _named_border(found)])


def loaded_explanation_card(found: LoadedExplanation) -> Card:
    """The same as a message, with the picture if there is one."""
    text = plain_markdown(loaded_explanation_text(found))
    return Card(text, (_attached(found.picture),) if found.picture else ())


def loaded_explanation_data(found: LoadedExplanation) -> dict[str, Any]:
    """The same as plain data."""
    border = named_border_data(found.columns, found.turn.bank_from)
    return {**hint_data(found.hint), "bank_from": border}


def _named_border(found: LoadedExplanation) -> str:
    """When to bank, a line for the dice of each column."""
    border = named_border_text(found.columns, found.turn.bank_from)
    if not found.has_badge:
        return border
    return wrap(say("This counts your badge wherever using it is better.")) + "\n" + border


def _attached(picture: bytes) -> Attachment:
    shown = say(
        "A map of the turn: turn totals upwards, dice to roll across, and a line between rolling"
        " and banking"
    )
    return Attachment("turn.png", picture, shown)


def explanation_data(found: Explanation) -> dict[str, Any]:
    """The same as plain data."""
    return {
        **answer_data(found.odds),
        "bank_from": [asdict(one) for one in found.turn.bank_from],
        "advice": answer_data(found.advice) if found.advice else None,
        "exact": found.exact,
    }


def _sentences(found: Explanation) -> str:
    """The position and the best choice."""
    rules = found.turn.rules
    position = found.advice.position if found.advice else found.odds.position
    told = {"position": position_text(rules, position), "rules": rules.name}
    if found.advice:
        where = say("{dice}: {position}, {rules} rules", dice=dice_text(found.advice.roll), **told)
    else:
        where = say("{position}, {rules} rules", **told)
    lines = [say("As {name} sees it:", name=found.seen_by)] if found.seen_by else []
    best = _best_set_aside(found.advice) if found.advice else _best_choice(found.odds)
    lines += [where, best, *filter(None, [reachable_text(found.advice or found.odds)])]
    if not found.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)


def _best_choice(odds: Odds) -> str:
    """Roll or bank, and by how much that is better."""
    total, dice = odds.position.turn_total, dice_count(odds.position.dice)
    if odds.bank is None:
        return say(
            "Now roll {dice}: {chance}; banking is not allowed.",
            dice=dice,
            chance=percent(odds.roll),
        )
    less = figure(abs(odds.roll - odds.bank) * 100, ".2f")
    if odds.action is Decision.ROLL:
        return say(
            "Now roll {dice}: {chance}; banking {total:,} costs {less} %.",
            dice=dice,
            chance=percent(odds.roll),
            total=total,
            less=less,
        )
    return say(
        "Now bank {total:,}: {chance}; rolling {dice} costs {less} %.",
        dice=dice,
        chance=percent(odds.bank),
        total=total,
        less=less,
    )


def _best_set_aside(advice: Advice) -> str:
    """The best set-aside of a roll, and by how much it is better than the next."""
    best, *others = advice.options
    told = say("Now {choice}: {chance}.", choice=_kept(best), chance=percent(best.win_probability))
    if not others:
        return told
    less = figure((best.win_probability - others[0].win_probability) * 100, ".2f")
    second = say(
        "The next best, {choice}, costs {less} %.",
        choice=_kept(others[0]),
        less=less,
    )
    return f"{told} {second}"


def _kept(option: Option) -> str:
    return say(
        _KEEP[option.action],
        dice=dice_text(option.set_aside),
        left=dice_count(option.dice_left),
        total=option.turn_total,
    )
