"""Answers as text with marks, as chats show them that have bold and fixed-width text."""

import re

from bot.services.advisor import Hint
from bot.views.advice import advice_text, odds_text, position_text
from bot.views.game import NOT_EXACT, hint_head
from bot.views.layout import dice_count, dice_text, percent
from solver.play.advice import Advice, Odds
from solver.turn.equations import Decision
from solver.turn.scoring import Fate
from solver.wording import figure, say, say_later

MOST_CHARACTERS = 2000
"""Of a message, as Discord has them."""
_OPTIONS = 8
_MARKS = re.compile(r"[_\\~|*`]|^>(?:>>)?\s|\[.+\]\(.+\)|^#{1,3}|^\s*-", re.MULTILINE)
_MENTIONS = re.compile(r"@(?=everyone|here|[!&]?[0-9]{17,20})")


def escape_markdown(text: str) -> str:
    """Text that is shown as it is, names with marks, links and mentions in them too."""
    return _MENTIONS.sub("@\N{ZERO WIDTH SPACE}", _MARKS.sub(r"\\\g<0>", text))


def shorten_text(text: str, most: int = MOST_CHARACTERS) -> str:
    """The first lines of a text that fit."""
    if len(text) <= most:
        return text
    kept = text[: most - 2]
    return kept[: kept.rfind("\n")] + "\n…" if "\n" in kept else kept + "…"


def plain_markdown(text: str) -> str:
    """Text of the console as a message: sentences as they are, columns in a fixed-width font."""
    if any("  " in line.strip() for line in text.splitlines()):
        inner = text.replace("```", "'''")
        return f"```text\n{shorten_text(inner, MOST_CHARACTERS - 12)}\n```"
    # what was broken for a narrow terminal is one sentence again
    sentences: list[str] = []
    for line in text.splitlines():
        if line.startswith("  ") and sentences:
            sentences[-1] += " " + line.strip()
        else:
            sentences.append(line)
    return shorten_text("\n".join(escape_markdown(sentence) for sentence in sentences))


def advice_markdown(advice: Advice) -> str:
    """The set-asides of a roll, best first, or what has become of the turn."""
    if advice.fate is not Fate.SCORES:
        return plain_markdown(advice_text(advice))
    where = say(
        "{position}, {rules} rules",
        position=position_text(advice.rules, advice.position),
        rules=escape_markdown(advice.rules.name),
    )
    lines = [f"**{dice_text(advice.roll)}**: {where}"]
    for number, option in enumerate(advice.options[:_OPTIONS]):
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
        cost = (advice.win_probability - option.win_probability) * 100
        tail = say("**best**") if number == 0 else f"−{figure(cost, '.2f')}"
        lines.append(f"{number + 1}\\. {told}: {percent(option.win_probability)}, {tail}")
    if (more := len(advice.options) - _OPTIONS) > 0:
        lines.append(say("and {number} more", number=more))
    return "\n".join(lines)


def odds_markdown(odds: Odds) -> str:
    """Whether to roll on or to bank."""
    return plain_markdown(odds_text(odds))


def hint_markdown(hint: Hint) -> str:
    """What is best for the player to move, and why."""
    lines = [f"**{hint_head(hint)}**"]
    if hint.advice:
        lines.append(advice_markdown(hint.advice))
    if hint.odds:
        if hint.advice:
            kept = dice_text(hint.advice.options[0].set_aside)
            lines.append(say("After keeping {dice}:", dice=kept))
        lines.append(odds_markdown(hint.odds))
    if not hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)
