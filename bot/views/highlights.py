"""A line with character for what is worth one, for those who read along."""

from collections.abc import Sequence

from bot.review.highlights import Feat, Highlight, highlight, moment_dice
from bot.services.games import News
from bot.services.tables import Table
from bot.table.dice_names import kept_text
from bot.table.events import Event
from bot.table.state import Game
from bot.views.card import Attachment
from bot.views.dice_picture import dice_square_png
from bot.views.layout import rough_percent
from bot.views.table_buttons import shown_faces
from solver.wording import say, say_later

_LINES = {
    Feat.COMEBACK: (
        say_later("🦅 {name} was down to {chance} and wins all the same."),
        say_later("🦅 At {chance} nobody would have bet on {name}. Well."),
    ),
    Feat.WON_GAMES: (
        say_later("🏆 {number} games in a row. Who is going to stop {name}?"),
        say_later("🏆 {name} has won {number} games in a row, and it starts to look like a habit."),
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
_SWEPT = say_later("🔥 Hot dice! {name} sweeps up all of them.")
"""What is said where the turn is over."""
_AGAIN = say_later("🔥 Hot dice once more, number {number} of this turn. Do not stop {name} now.")


def highlight_of(news: News) -> Highlight | None:
    """What is most worth a word of what just happened, None where nothing is."""
    if news.before is None or not news.events:
        return None
    table = news.table
    return highlight(news.before, news.events, table.game, table.events, news.chart, news.won)


def moment_picture(news: News, found: Highlight | None) -> Attachment | None:
    """The dice of a highlight of the news, where they are what it is about."""
    if found is None or news.before is None:
        return None
    # whose dice they are moves no more where the turn is over
    return _picture(news.before, news.table.events, found.feat)


def hot_dice_picture(table: Table) -> Attachment | None:
    """The hot dice of the turn under way, once their news is over."""
    return _picture(table.game, table.events, Feat.HOT_DICE)


def _picture(game: Game, history: Sequence[Event], feat: Feat) -> Attachment | None:
    """The dice of a moment of the player who moves in `game`."""
    dice = moment_dice(history, feat, game.rules.dice)
    if not dice:
        return None
    said = say("Set aside: {dice}", dice=kept_text(game, dice))
    return Attachment("moment.png", dice_square_png(shown_faces(game, dice)), said)


def highlight_line(news: News, found: Highlight, now: Game) -> str:
    """A sentence on a highlight of the news, told of the game as it is now."""
    table = news.table
    lines = _LINES[found.feat]
    line = lines[table.game.version % len(lines)]
    if found.feat is Feat.HOT_DICE and found.number > 1:
        line = _AGAIN
    before = news.before
    goes_on = before and not now.over and (now.mover, now.last) == (before.mover, before.last)
    if found.feat is Feat.HOT_DICE and not goes_on:
        line = _SWEPT
    return say(
        line,
        name=table.names[found.seat],
        chance=rough_percent(found.number),
        points=found.number,
        number=found.number,
    )
