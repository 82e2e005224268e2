"""A line with character for what is worth one, for those who read along."""

from bot.review.highlights import Feat, highlight
from bot.services.games import News
from bot.views.layout import rough_percent
from solver.wording import say, say_later

_LINES = {
    Feat.COMEBACK: (
        say_later("🦅 {name} was down to {chance} and wins all the same."),
        say_later("🦅 At {chance} nobody would have bet on {name}. Well."),
    ),
    Feat.BIG_TURN: (
        say_later("💰 {points:,} in one turn. {name} has not come to be polite."),
        say_later("💰 {points:,} points, and the table falls silent. Well rolled, {name}."),
    ),
    Feat.MANY_DICE: (
        say_later("💀 {number} dice, and not one that scores. The dice owe {name} a turn."),
        say_later("💀 Nothing, with {number} dice. {name} would like a word with the dice."),
    ),
    Feat.BAD_RUN: (
        say_later("🧊 {number} farkles in a row. Could somebody blow on the dice for {name}?"),
        say_later("🧊 {number} farkles in a row: it can only get better, {name}."),
    ),
    Feat.GOOD_RUN: (
        say_later("📈 {number} turns in a row that score: {name} makes it look easy."),
        say_later("📈 {name} has scored {number} turns in a row. Has anybody checked those dice?"),
    ),
    Feat.HOT_DICE: (
        say_later("🔥 Hot dice! {name} sweeps up all of them and may go on."),
        say_later("🔥 Every die scored: {name} gets them all back."),
    ),
}
"""What is said by turns, so that nobody reads the same line all evening."""
_AGAIN = say_later("🔥 Hot dice once more, number {number} of this turn. Do not stop {name} now.")


def highlight_line(news: News) -> str | None:
    """What is most worth a word of what just happened, None where nothing is."""
    if news.before is None or not news.events:
        return None
    table = news.table
    found = highlight(news.before, news.events, table.game, table.events, news.chart)
    if found is None:
        return None
    lines = _LINES[found.feat]
    line = lines[table.game.version % len(lines)]
    if found.feat is Feat.HOT_DICE and found.number > 1:
        line = _AGAIN
    return say(
        line,
        name=table.names[found.seat],
        chance=rough_percent(found.number),
        points=found.number,
        number=found.number,
    )
