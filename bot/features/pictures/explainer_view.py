"""The turn at hand in a few words: what is best now and by how much, and from where on to bank."""

from typing import Any

from bot.features.pictures.explainer import Explanation
from bot.views.advice import answer_data, position_text, reachable_text, reason_text
from bot.views.card import Attachment, Card
from bot.views.game import NOT_EXACT, hint_data, hint_text
from bot.views.layout import dice_count, dice_text, percent, plain_markdown, wrap
from bot.views.thresholds import bank_from_data, bank_from_text
from solver.play.advice import Advice, Odds, Option
from solver.turn.equations import Decision
from solver.wording import figure, say, say_later

_KEEP = {
    Decision.ROLL: say_later("keep {dice} and roll {left}"),
    Decision.BANK: say_later("keep {dice} and bank {total:,}"),
    Decision.WIN: say_later("keep {dice} and bank {total:,}, which wins"),
    Decision.LOST: say_later("keep {dice}, which is too little to bank"),
}


def explanation_text(found: Explanation) -> str:
    """Return what is best now, and the border of the turn."""
    head = _head(found) if found.named else wrap(_sentences(found))
    return f"{head}\n{_border(found)}"


def explanation_card(found: Explanation) -> Card:
    """Return the explanation as a message, with the picture if there is one."""
    if found.named:
        text = plain_markdown(explanation_text(found))
    else:
        text = "\n".join(map(plain_markdown, (_sentences(found), _border(found))))
    return Card(text, (_attached(found.picture),) if found.picture else ())


def explanation_data(found: Explanation) -> dict[str, Any]:
    """Return the explanation as plain data."""
    hint, border = found.hint, bank_from_data(found.turn.bank_from, found.named)
    if found.named or hint.odds is None:
        return {**hint_data(hint), "bank_from": border}
    return {
        **answer_data(hint.odds),
        "bank_from": border,
        "advice": answer_data(hint.advice) if hint.advice else None,
        "exact": hint.exact,
    }


def _head(found: Explanation) -> str:
    """What is best now, where players bring their dice."""
    return "\n".join([*_seen_by(found), hint_text(found.hint)])


def _seen_by(found: Explanation) -> list[str]:
    """Who sees it so, where that is not who asks."""
    return [say("As {name} sees it:", name=found.seen_by)] if found.seen_by else []


def _border(found: Explanation) -> str:
    """When to bank."""
    border = bank_from_text(found.turn.bank_from, found.named)
    if not found.has_badge:
        return border
    return wrap(say("This counts your badge wherever using it is better.")) + "\n" + border


def _attached(picture: bytes) -> Attachment:
    shown = say(
        "A map of the turn: turn totals upwards, dice to roll across, and a line between rolling"
        " and banking"
    )
    return Attachment("turn.png", picture, shown)


def _sentences(found: Explanation) -> str:
    """The position and the best choice, where the dice are those of the rules."""
    rules, answer = found.turn.rules, found.hint.advice or found.hint.odds
    if answer is None:
        return ""
    told = {"position": position_text(rules, answer.position), "rules": rules.name}
    if isinstance(answer, Advice):
        where = say("{dice}: {position}, {rules} rules", dice=dice_text(answer.roll), **told)
        best = _best_set_aside(answer)
    else:
        where = say("{position}, {rules} rules", **told)
        best = _best_choice(answer)
    lines = [*_seen_by(found), where, best]
    lines += filter(None, [reason_text(answer), reachable_text(answer)])
    if not found.hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)


def _best_choice(odds: Odds) -> str:
    """Roll or bank, and by how much that is better."""
    total, dice, within = odds.position.turn_total, dice_count(odds.position.dice), odds.within
    if odds.bank is None:
        return say(
            "Now roll {dice}: {chance}; banking is not allowed.",
            dice=dice,
            chance=percent(odds.roll, within),
        )
    less = _cost(abs(odds.roll - odds.bank), within)
    if odds.action is Decision.ROLL:
        return say(
            "Now roll {dice}: {chance}; banking {total:,} costs {less} %.",
            dice=dice,
            chance=percent(odds.roll, within),
            total=total,
            less=less,
        )
    return say(
        "Now bank {total:,}: {chance}; rolling {dice} costs {less} %.",
        dice=dice,
        chance=percent(odds.bank, within),
        total=total,
        less=less,
    )


def _best_set_aside(advice: Advice) -> str:
    """The best set-aside of a roll, and by how much it is better than the next."""
    best, *others = advice.options
    chance = percent(best.win_probability, advice.within)
    told = say("Now {choice}: {chance}.", choice=_kept(best), chance=chance)
    if not others:
        return told
    less = _cost(best.win_probability - others[0].win_probability, advice.within)
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


def _cost(less: float, within: float | None) -> str:
    """What a choice costs, with as many decimals as `percent`."""
    return figure(less * 100, ".2f" if within is None else ".1f")
