"""Advice, odds and hints as messages."""

from bot.services.advisor import Hint
from bot.views.advice import (
    about,
    advice_text,
    cost_text,
    odds_table,
    odds_text,
    position_text,
    reachable_text,
    reason_text,
)
from bot.views.card import Card
from bot.views.game import NOT_EXACT, after_keeping, hint_head
from bot.views.layout import (
    dice_count,
    dice_text,
    escape_markdown,
    percent,
    plain_markdown,
    shorten_text,
)
from solver.play.advice import Advice, Odds
from solver.turn.equations import Decision
from solver.turn.scoring import Fate
from solver.wording import say, say_later

_MOST_OPTIONS = 8
"""Set-asides of a roll that are named at most."""


def advice_card(found: Advice | Odds | Hint) -> Card | None:
    """Advice, odds or a hint as a message; None where dice of one's own are told as text."""
    if found.brought:
        return None
    match found:
        case Advice():
            return Card(shorten_text(_marked_advice(found)))
        case Odds():
            return Card(_marked_odds(found))
        case Hint():
            return Card(shorten_text(_marked_hint(found)))


def _marked_advice(advice: Advice) -> str:
    """The set-asides of a roll, best first, or what has become of the turn."""
    if advice.fate is not Fate.SCORES:
        return plain_markdown(advice_text(advice))
    where = say(
        "{position}, {rules} rules",
        position=position_text(advice.rules, advice.position),
        rules=escape_markdown(advice.rules.name),
    )
    lines, within = [f"**{dice_text(advice.roll)}**: {where}"], advice.within
    for number, option in enumerate(advice.options[:_MOST_OPTIONS]):
        then = {
            Decision.ROLL: say_later("keep **{kept}** ({points:,}), roll {dice}"),
            Decision.BANK: say_later("keep **{kept}** ({points:,}), bank {total:,}"),
            Decision.WIN: say_later("keep **{kept}** ({points:,}), bank {total:,} and win"),
        }[option.action]
        told = say(
            then,
            kept=dice_text(option.set_aside),
            points=option.points,
            dice=dice_count(option.dice_left),
            total=option.turn_total,
        )
        cost = advice.win_probability - option.win_probability
        tail = say("**best**") if number == 0 else cost_text(cost, within)
        lines.append(f"{number + 1}\\. {told}: {percent(option.win_probability, within)}, {tail}")
    if (more := len(advice.options) - _MOST_OPTIONS) > 0:
        lines.append(say("and {number} more", number=more))
    notes = reason_text(advice), reachable_text(advice)
    lines += map(plain_markdown, filter(None, notes))
    return "\n".join(lines)


def _marked_odds(odds: Odds) -> str:
    """Roll or bank in columns, and why under them."""
    told = odds_table(odds), reason_text(odds), *about(odds)
    return "\n".join(map(plain_markdown, filter(None, told)))


def _marked_hint(hint: Hint) -> str:
    """What is best for the player to move, and why."""
    lines = [f"**{hint_head(hint)}**"]
    if hint.advice:
        lines += [_marked_advice(hint.advice), after_keeping(hint.advice)]
    if hint.odds:
        lines.append(plain_markdown(odds_text(hint.odds, alone=not hint.advice)))
    if not hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)
