"""Replies, and answers to questions, as cards whose buttons know the presses they stand for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bot.chat.presses import AskPress, Confirm, Press, ReviewPage, TablePress, pressable
from bot.layout import escape_markdown, percent, plain_markdown, shorten_text
from bot.services.advisor import Hint
from bot.services.loaded import LoadedDice
from bot.views import advice as views
from bot.views.card import Button, Card, Style
from bot.views.dice_picture import kept_picture
from bot.views.game import NOT_EXACT, hint_head
from bot.views.table_buttons import SURE
from solver.loaded.kits import plain_kit
from solver.play.advice import Advice, Odds, Option
from solver.turn.dice import Fate
from solver.turn.equations import Decision
from solver.wording import say, say_later

_MOST_ROWS = 3
"""Set-asides of a roll that are told before anybody asks for all of them."""
_MOST_OPTIONS = 24
"""Set-asides of a roll that are told at most."""


def answer_card(
    subject: Advice | Odds | Hint, *, whole: bool = False, ask: Callable[[str], Press] | None = None
) -> Card:
    """Advice, odds or a hint with a button that asks for all of it.

    whole : whether all set-asides are told, and not the best with that button
    ask : makes the press of the button where the position has no ID
    """
    if isinstance(subject, Hint):
        hint = subject
    elif isinstance(subject, Advice):
        hint = Hint(subject, None, exact=True)
    else:
        hint = Hint(None, subject, exact=True)
    answer = hint.advice or hint.odds
    if answer and (opens := views.opened_by(answer)):
        ask = partial(AskPress, opens)
    head, notes = hint_head(hint), [] if hint.exact else [say(NOT_EXACT)]
    if hint.advice:
        card = _advice_card(hint.advice, head, notes, whole=whole or ask is None)
    else:
        card = Card("\n".join([*_marked_odds(hint.odds, head), *notes]) if hint.odds else head)
    return pressable(card, ask) if ask else card


def sure_card(press: TablePress, message: int) -> Card:
    """What is asked back before a press is done, which a message shows, by number, 0 if none."""
    question, yes = SURE[press.action]
    sure = Confirm(press.action, press.language, press.game, message)
    return Card(say(question), buttons=(Button("yes", say(yes), style=Style.GRAVE, id=sure.id),))


def review_card(game: str, pages: Sequence[Card], page: int) -> Card:
    """A page of a review, with buttons to the one before and the one after."""
    on = page + 1 < len(pages)
    back = Button("back", say("◀ Previous"), enabled=page > 0)
    return pressable(
        replace(pages[page], buttons=(back, Button("on", say("Next ▶"), enabled=on))),
        lambda to: ReviewPage(game, max(page - 1, 0) if to == "back" else page + 1, to),
    )


def _advice_card(advice: Advice, head: str, notes: list[str], *, whole: bool) -> Card:
    """What is best below its headline, and the roll as a picture."""
    dice: LoadedDice | None = advice.brought
    if advice.fate is not Fate.SCORES and not advice.uses:
        return Card(plain_markdown(views.advice_text(advice)))
    rows = [(option.win_probability, _choice_text(advice, option)) for option in advice.options]
    for value, choice in views.badge_choices(advice):
        rows.append((value, f"**{escape_markdown(choice)}**"))
    rows.sort(key=lambda row: -row[0])
    most = _MOST_OPTIONS if whole else _MOST_ROWS
    lines = [f"### {escape_markdown(head)}", f"-# {escape_markdown(views.advice_head(advice))}"]
    lines += [f"-# {escape_markdown(line)}" for line in views.brought_lines(dice)]
    if advice.fate is not Fate.SCORES:
        lines.append(plain_markdown(views.fate_text(advice)))
    for number, (value, choice) in enumerate(rows[:most]):
        tail = (
            say("**best**") if number == 0 else views.cost_text(advice.best - value, advice.within)
        )
        lines.append(f"{number + 1}\\. {choice}: {percent(value, advice.within)}, {tail}")
    if ends := views.endings_lines(advice):
        lines.append(plain_markdown("\n".join(ends)))
    told_later = (views.reason_text(advice), views.reachable_text(advice), *notes)
    lines += map(plain_markdown, filter(None, told_later))
    lines += [f"-# {escape_markdown(note)}" for note in views.doubt_lines(dice)]
    lines += [f"-# {note}" for note in [views.id_text(advice)] if note]
    buttons: tuple[Button, ...] = ()
    if (every := len(rows)) > most and not whole:
        buttons = (Button("all", say("All {number} choices", number=every)),)
    kit = dice.kit if dice else plain_kit(advice.rules.dice)
    keeps = advice.options[0].set_aside if advice.options and not advice.best_use else ()
    drawn = kept_picture(kit, advice.roll, keeps)
    return Card(shorten_text("\n".join(lines)), (drawn,), buttons)


def _choice_text(advice: Advice, option: Option) -> str:
    """What an option keeps and what is done then."""
    then = {
        Decision.ROLL: say_later("keep **{kept}** ({points:,}), roll {dice}"),
        Decision.BANK: say_later("keep **{kept}** ({points:,}), bank {total:,}"),
        Decision.WIN: say_later("keep **{kept}** ({points:,}), bank {total:,} and win"),
        Decision.LOST: say_later("keep **{kept}** ({points:,}), too little to bank"),
    }[option.action]
    action = say(
        then,
        kept=escape_markdown(views.set_aside_text(advice, option)),
        points=option.points,
        dice=escape_markdown(views.left_text(advice, option)),
        total=option.turn_total,
    )
    return say("{action} with the badge", action=action) if option.with_badge else action


def _marked_odds(odds: Odds, head: str) -> list[str]:
    """Roll or bank in columns, and why under them."""
    texts = [views.odds_table(odds), views.reason_text(odds), views.reachable_text(odds)]
    notes = [*map(escape_markdown, views.doubt_lines(odds.brought)), views.id_text(odds)]
    lines = [f"### {escape_markdown(head)}", *map(plain_markdown, filter(None, texts))]
    return [*lines, *(f"-# {note}" for note in notes if note)]
