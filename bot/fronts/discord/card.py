"""What answers look like as Discord messages: a table with its dice, advice, and plain text."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

import discord
from discord.utils import escape_markdown as _escape_markdown
from discord.utils import escape_mentions

from bot.fronts.chat.lines import Reply
from bot.review.chart import GameChart
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.questions import Hint
from bot.services.tables import Table
from bot.table.events import Rolled
from bot.table.fair_dice import Proof
from bot.table.state import Game
from bot.views.advice import advice_text, odds_text, position_text
from bot.views.chart import chart_png
from bot.views.dice_picture import dice_png
from bot.views.game import NOT_EXACT, happened_lines, hint_head, news_lines, table_head
from bot.views.layout import dice_count, dice_text, pad, percent, safe_text, shorten, text_width
from solver.play.advice import Advice, Odds
from solver.turn.equations import Decision
from solver.turn.scoring import Fate, set_asides
from solver.wording import figure, say, say_later

MOST_CHARACTERS = 2000
"""Of a message on Discord."""
_MOST_LINES = 1_200
"""Characters of what happened, the rest of a table is less than what is left."""
_MOST_PLAIN = 1_700
"""Characters of a text before it is made safe, which adds some."""
_NAME = 14
_BAR = 8
_OPTIONS = 8


def escape_markdown(text: str) -> str:
    """Text that Discord shows as it is, names with marks and links in them too."""
    return escape_mentions(_escape_markdown(text, ignore_links=False))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a file below a message, and what it shows in words."""

    name: str
    content: bytes
    description: str

    def file(self) -> discord.File:
        """As discord.py takes it, once."""
        return discord.File(io.BytesIO(self.content), self.name, description=self.description)


@dataclass(frozen=True, slots=True)
class Card:
    """A message without its buttons."""

    text: str
    attachments: tuple[Attachment, ...] = ()


def reply_card(reply: Reply) -> Card:
    """Any reply but the news of a table."""
    match reply.subject:
        case Advice() as advice:
            return Card(_cut(_advice_text(advice)))
        case Odds() as odds:
            return Card(_cut(_odds_text(odds)))
        case Hint() as hint:
            return Card(_cut(_hint_text(hint)))
        case Proof() as proof:
            said = say(
                "The proof of the dice of game {game}; `farkle verify` checks it.", game=proof.game
            )
            name = f"proof-{proof.game}.json"
            return Card(said, (Attachment(name, proof.to_json().encode(), "JSON"),))
        case _:
            return _text_card(reply.text)


def table_card(told: Sequence[News], chart: GameChart | None = None) -> Card:
    """A table: the score sheet, what happened, the chances, and the dice as a picture.

    told : the news that the message tells, the last of which has the table
    """
    *earlier, news = told
    table = news.table
    lines = [line for one in earlier for line in happened_lines(one)] + news_lines(news)
    happened = [escape_markdown(line) for line in lines]
    while len(happened) > 1 and sum(map(len, happened)) > _MOST_LINES:
        del happened[0]
    parts = [f"**{escape_markdown(table_head(table))}**", _sheet(table, news.chances), *happened]
    pictures = [*_dice(news)]
    if chart and len(chart.turns) > 1:
        said = say("Win probabilities turn by turn: {names}", names=", ".join(table.names))
        pictures.append(Attachment("game.png", chart_png(chart, dark=True), said[:1000]))
    return Card(_cut("\n".join(parts)), tuple(pictures))


def roll_picture(game: Game, mask: int = 0) -> Attachment | None:
    """The dice on the table; bit k of the mask says whether die k is set aside."""
    roll = game.turn.roll
    if roll is None:
        return None
    chosen = tuple(bool(mask >> k & 1) for k in range(len(roll)))
    kept = [face for face, is_chosen in zip(roll, chosen, strict=True) if is_chosen]
    said = say("Rolled {dice}", dice=dice_text(roll))
    if kept:
        aside = dice_text(tuple(kept))
        said = say("Rolled {dice}, set aside {kept}", dice=dice_text(roll), kept=aside)
    return Attachment("dice.png", dice_png(roll, chosen, scoring_dice(game)), said)


def scoring_dice(game: Game) -> tuple[bool, ...]:
    """Of each die of the roll whether there is a set-aside with it."""
    roll = game.turn.roll or ()
    faces = {face for one in set_asides(game.rules, roll) for face in one.dice}
    return tuple(face in faces for face in roll)


def plain_text(text: str) -> str:
    """Text of the chat as a message: sentences as they are, columns in a fixed-width font."""
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
    return _cut("\n".join(escape_markdown(sentence) for sentence in sentences))


def _text_card(text: str) -> Card:
    """Text as a message; what does not fit is in a file."""
    if len(text) <= _MOST_PLAIN:
        return Card(plain_text(text))
    whole = Attachment("answer.txt", text.encode(), say("The whole answer"))
    return Card(plain_text(shorten_text(text, _MOST_PLAIN)), (whole,))


def shorten_text(text: str, most: int) -> str:
    """The first lines of a text that fit."""
    if len(text) <= most:
        return text
    kept = text[: most - 2]
    return kept[: kept.rfind("\n")] + "\n…" if "\n" in kept else kept + "…"


def _cut(text: str) -> str:
    return shorten_text(text, MOST_CHARACTERS)


def _sheet(table: Table, chances: Chances | None) -> str:
    """Scores and chances, narrow enough for a phone."""
    names = [shorten(safe_text(name, 60), _NAME) for name in table.names]
    width = max(map(text_width, names))
    rows = []
    for number, (seat, name) in enumerate(zip(table.game.seats, names, strict=True)):
        moves = "▸" if number == table.game.mover and not table.game.over else " "
        row = f"{moves} {pad(name, width)} {figure(seat.score):>6}"
        if chances:
            share = chances.win_probabilities[number]
            row += f" {figure(share * 100, '.1f'):>5} % {_bar(share)}"
        if not seat.playing:
            row += " " + say("resigned")
        elif seat.farkles:
            row += f" {'×' * seat.farkles}"
        rows.append(row.rstrip())
    return "```text\n" + "\n".join(rows) + "\n```"


def _bar(share: float) -> str:
    full = round(share * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _dice(news: News) -> list[Attachment]:
    """The roll on the table, else the one that ended the turn."""
    if found := roll_picture(news.table.game):
        return [found]
    if news.table.game.over:
        return []
    last = [event.dice for event in news.events if isinstance(event, Rolled)]
    if not last:
        return []
    said = say("The last roll: {dice}", dice=dice_text(last[-1]))
    return [Attachment("dice.png", dice_png(last[-1], scoring=(False,) * len(last[-1])), said)]


def _advice_text(advice: Advice) -> str:
    if advice.fate is not Fate.SCORES:
        return plain_text(advice_text(advice))
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


def _odds_text(odds: Odds) -> str:
    return plain_text(odds_text(odds))


def _hint_text(hint: Hint) -> str:
    lines = [f"**{hint_head(hint)}**"]
    if hint.advice:
        lines.append(_advice_text(hint.advice))
    if hint.odds:
        if hint.advice:
            kept = dice_text(hint.advice.options[0].set_aside)
            lines.append(say("After keeping {dice}:", dice=kept))
        lines.append(_odds_text(hint.odds))
    if not hint.exact:
        lines.append(say(NOT_EXACT))
    return "\n".join(lines)
