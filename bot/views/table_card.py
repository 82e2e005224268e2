"""A live table as a card: scores and chances, what happened, the dice, whose turn it is, buttons.

The card is made for a phone: one column, a score sheet of few letters, and nothing that comes and
goes within a turn but what the turn is about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bot.layout import (
    cleaned,
    defused,
    escape_markdown,
    pad,
    rough_percent,
    safe_text,
    shorten,
    shorten_text,
    text_width,
    whole_sentence,
)
from bot.review.highlights import Feat, Highlight, highlight, moment_dice
from bot.review.review import Review
from bot.services.chances import Chances
from bot.services.games import News
from bot.services.tables import Table, bot_name
from bot.table.badges import used_roll
from bot.table.commands import most_players
from bot.table.events import Event, Kept, Rolled, TurnEnding, Used
from bot.table.state import Game, Stage, kept_text, laid_out, rolled_text
from bot.tasks.tasks import duration
from bot.views import events
from bot.views.card import LISTED, Attachment, Button, Card, Menu
from bot.views.dice_picture import dice_png, dice_square_png
from bot.views.game import to_move_text
from bot.views.review import luck_text
from bot.views.table_buttons import roll_picture, shown_faces, table_buttons
from solver.named.rolls import JOKER_LETTER
from solver.play.policies import LEVELS
from solver.rules.ruleset import FACES
from solver.turn.dice import make_roll
from solver.wording import figure, say, say_later

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
    table = news.table
    if news.before is None or not news.steps:
        return None
    is_kept = any(isinstance(step.event, Kept) for step in news.steps)
    if not is_kept and not table.game.over and table.game.last is news.before.last:
        return None  # in the midst of a turn a roll alone is worth none
    return highlight(news.steps, table.events, news.chart, news.won)


def hot_dice_picture(table: Table) -> Attachment | None:
    """The hot dice of the turn under way, once their news is over."""
    return _picture(table.game, table.events, Feat.HOT_DICE)


def _picture(game: Game, history: Sequence[Event], feat: Feat) -> Attachment | None:
    """The dice of a moment of the player who moves in `game`."""
    # where dice are thrown again, it does not show which of them were set aside together
    dice = () if game.rules.throws_again else moment_dice(history, feat, game.rules.dice)
    if not dice:
        return None
    said = say("Set aside: {dice}", dice=kept_text(game, dice))
    return Attachment("moment.png", dice_square_png(shown_faces(game, dice)), said)


def highlight_line(news: News, highlight: Highlight, now: Game) -> str:
    """A sentence on a highlight of the news, told of the game as it is now."""
    table = news.table
    lines = _LINES[highlight.feat]
    line = lines[table.game.version % len(lines)]
    if highlight.feat is Feat.HOT_DICE and highlight.number > 1:
        line = _AGAIN
    before = news.before
    goes_on = before and not now.over and (now.mover, now.last) == (before.mover, before.last)
    if highlight.feat is Feat.HOT_DICE and not goes_on:
        line = _SWEPT
    name, number = table.names[highlight.seat], highlight.number
    return say(line, name=name, chance=rough_percent(number), points=number, number=number)


_MOST_IN_LIST = 25
"""Entries of a list, as Discord has them."""
_MOST_STORY = 1_200
"""The most characters of what happened, which leave room for the rest of a table in a message."""
_WIDTH = 27
"""Columns of the score sheet: a phone breaks longer lines."""
_MOST_TALL = 4
"""The most players who have two lines each of the score sheet."""
_SHORT_NAME = 12
"""Columns of a name where more play: each has one line, and no bar."""


_BAD_ENDS = {TurnEnding.FARKLE, TurnEnding.LOSE, TurnEnding.OUT}


class Mood(Enum):
    """The state of a table as the colour of its card: red, green and blue in one number."""

    LOBBY = 0x5865F2
    PLAY = 0x3BA55D
    FARKLE = 0xED4245
    HOT_DICE = 0xF57731
    LAST_TURNS = 0xF0B232
    OVER = 0x80848E


@dataclass(frozen=True, slots=True)
class TableCard(Card):
    """A card in a frame: its text, the story, pictures, the foot and buttons, from top down."""

    story: str = ""
    """What happened."""
    moment: Attachment | None = None
    """A small picture beside it."""
    foot: str = ""
    """Whose turn it is, and how far it has come."""
    mood: Mood = Mood.PLAY

    def __post_init__(self) -> None:
        """Shorten all texts, and take from them what Discord would act on."""
        for name in ("text", "story", "foot"):
            object.__setattr__(self, name, shorten_text(defused(getattr(self, name))))

    @property
    def files(self) -> tuple[Attachment, ...]:
        """All that goes with the message."""
        return (*self.attachments, self.moment) if self.moment else self.attachments


def table_card(
    all_news: Sequence[News],
    chart: bytes | None = None,
    review: Review | None = None,
    *,
    pictures: bool = True,
) -> TableCard:
    """A table after its news, the last of which has it as it is now.

    all_news : the news that the message tells
    chart : the picture of its chart, which takes long to draw
    review : that of a game that is over, which takes long, too
    pictures : whether the dice are drawn
    """
    news = all_news[-1]
    table, game = news.table, news.table.game
    highlights = [(piece, highlight_of(piece)) for piece in all_news]
    result = escape_markdown(events.result_text(table))
    story = [line for line in _story(highlights) if not (game.shares and line == result)]
    while len(story) > 1 and sum(map(len, story)) > _MOST_STORY:
        del story[0]
    drawn = [*_dice(news)] if pictures else []
    if chart:
        names = ", ".join(table.names)
        said = cleaned(say("Win probabilities turn by turn: {names}", names=names))
        drawn.append(Attachment("game.png", chart, said[:1000]))
    head = [
        f"-# {escape_markdown(events.table_head(table))}",
        _sheet(table, news.at_start or news.chances),
    ]
    if game.is_drafting:
        head.append(_dice_sheet(game))
    if game.shares:
        head.insert(0, f"## {escape_markdown(events.winners_text(table))}")
    if review and (luck := luck_text(review, table.names)):
        head.append(f"-# {escape_markdown(luck)}")
    buttons, menu = _listed(table_buttons(game, opened=is_open(table), reviewable=news.reviewable))
    foot = "" if game.over else f"**{escape_markdown(_to_do(table))}**"
    moments = (
        # whose dice they are moves no more where the turn is over
        _picture(piece.before, piece.table.events, own.feat)
        for piece, own in reversed(highlights)
        if pictures and own and piece.before
    )
    return TableCard(
        "\n".join(head),
        tuple(drawn),
        buttons,
        menu or (_bot_menu(table) if _waits(table) else None),
        "\n".join(story),
        next(filter(None, moments), None),
        foot + _solve(news),
        mood_of(game),
    )


def _listed(every: Sequence[Button]) -> tuple[tuple[Button, ...], Menu | None]:
    """Buttons that are in rows, and a list of the others that can be pressed, if there are any."""
    others = [button for button in every if button.row == LISTED and button.enabled][:_MOST_IN_LIST]
    options = tuple((button.action, button.label, "") for button in others)
    in_rows = tuple(button for button in every if button.row != LISTED)
    return in_rows, Menu("more", say("More"), options) if options else None


def is_open(table: Table) -> bool:
    """Whether its host set the table up for whoever comes."""
    return len(table.begun.levels) == 1


def _waits(table: Table) -> bool:
    """Whether its host says when all are there, and more can come or bots can go."""
    game = table.game
    changes = len(game.seats) < most_players(game) or any(seat.level for seat in game.seats)
    return game.stage is Stage.LOBBY and is_open(table) and changes and not game.tracked


def _bot_menu(table: Table) -> Menu:
    """Which bot is to sit down, or to get up again."""
    game = table.game
    levels = LEVELS if len(game.seats) < most_players(game) else ()
    options = [(level, bot_name(level), say(LEVELS[level])) for level in levels]
    for shown, stored in zip(table.names, table.stored.seats, strict=True):
        if stored.level:
            options.append((f"-{stored.name}", say("Remove {bot}", bot=shown), ""))
    label = say("Add a bot") if levels else say("Remove a bot")
    if levels and len(options) > len(levels):
        label = say("Add or remove a bot")
    return Menu("bot", label, tuple(options))


def choice_card(
    game: Game,
    mask: int,
    texts: Mapping[str, str],
    moment: Attachment | None = None,
    *,
    pictures: bool = True,
) -> TableCard:
    """A card as dice are chosen, bit by bit of the mask, which changes its dice and buttons.

    texts : the texts that the card has, by the names of its fields
    moment : the picture that it has beside them
    """
    drawn = roll_picture(game, mask) if pictures else None
    buttons, menu = _listed(table_buttons(game, mask))
    return TableCard(
        texts.get("text", ""),
        (drawn,) if drawn else (),
        buttons,
        menu,
        texts.get("story", ""),
        moment,
        texts.get("foot", ""),
        mood=mood_of(game),
    )


def mood_of(game: Game) -> Mood:
    """What the colour of a table says."""
    if game.over:
        return Mood.OVER
    if game.stage is Stage.LOBBY:
        return Mood.LOBBY
    if game.turn.hot_dice or (game.turn.turn_total and game.has_hot_dice):
        return Mood.HOT_DICE
    fresh = game.turn == game.first_turn
    if fresh and game.last is not None and game.last.how in _BAD_ENDS:
        return Mood.FARKLE
    return Mood.PLAY if game.stage is Stage.PLAY else Mood.LAST_TURNS


def turn_story(all_news: Sequence[News]) -> list[str]:
    """What happened, line by line, for those who read along below the table."""
    return _story([(news, highlight_of(news)) for news in all_news])


def _story(highlights: Sequence[tuple[News, Highlight | None]]) -> list[str]:
    """What happened, and below each of the news what is worth more than that."""
    lines: list[str] = []
    for news, own in highlights:
        lines += map(escape_markdown, events.story_lines(news))
        if own:
            now = highlights[-1][0].table.game
            lines.append(f"**{escape_markdown(highlight_line(news, own, now))}**")
    return lines


def _to_do(table: Table) -> str:
    """Whose turn it is, and how far it has come."""
    game, name = table.game, table.names[table.game.mover]
    if len(game.seats) < 2:
        return say("Waiting for another player to join.")
    if _waits(table):
        return say("{name} starts when everybody is here.", name=name)
    total = game.turn.turn_total
    if game.turn.roll is not None:
        sentence = say("{name} chooses what to keep.", name=name)
        if total:
            sentence += " " + say("Turn total {points:,}.", points=total)
        sentence = " ".join([sentence, *map(whole_sentence, events.remembered_texts(game))])
    elif total:
        sentence = say("{name}: {turn}.", name=name, turn=events.turn_so_far_text(game))
    elif game.tracked and not game.is_drafting:
        sentence = say("{name} is to move: enter the dice, or the points of the turn.", name=name)
    else:
        return to_move_text(table, typed=False)
    if game.to_beat:
        sentence += " " + say("{points:,} points to beat.", points=game.to_beat)
    return sentence


def _solve(news: News) -> str:
    """When exact odds are there, where they are being worked out."""
    if news.solve is None:
        return ""
    sentence = say(
        "Exact odds for {players} players in about {time}.",
        players=news.solve.players,
        time=duration(news.solve.seconds),
    )
    return f"\n-# {escape_markdown(sentence)}"


def _sheet(table: Table, chances: Chances | None) -> str:
    """Scores and chances, narrow enough for a phone."""
    rows: list[str] = []
    for number in range(len(table.names)):
        # who has won is no chance any more
        share = chances.win_probabilities[number] if chances and not table.game.over else None
        row = _tall if len(table.names) <= _MOST_TALL else _flat
        rows += row(table, number, share)
    return "```text\n" + "\n".join(row.rstrip() for row in rows) + "\n```"


def _dice_sheet(game: Game) -> str:
    """How often each of the dice that are laid out shows each face, in percent."""
    room = _WIDTH - 3 * len(FACES)
    rows = [pad("%", room) + "".join(f"{face:>3}" for face in FACES)]
    for name, die in {die.typed: die.die for _, die in laid_out(game)}.items():
        total = sum(die.weights)
        shares = zip(FACES, die.weights, strict=True)
        shown = (
            f"{JOKER_LETTER * (face in die.jokers)}{100 * weight / total:.0f}"
            for face, weight in shares
        )
        rows.append(pad(shorten(name, room), room) + "".join(f"{cell:>3}" for cell in shown))
    return "```text\n" + "\n".join(rows) + "\n```"


def _tall(table: Table, number: int, share: float | None) -> list[str]:
    """A player in two lines: name and score, and a bar below them."""
    game, seat = table.game, table.game.seats[number]
    marks = " " + "×" * seat.farkles if seat.farkles and seat.playing else ""
    score = figure(seat.score)
    room = _WIDTH - 3 - len(score)
    name = _name(table, number, room - len(marks)) + marks
    rows = [f"{_pointer(game, number)} {pad(name, room)} {score}"]
    if not seat.playing:
        return [*rows, "  " + say("resigned")]
    if share is not None:
        chance = f"{figure(share * 100, '.1f')} %"
        rows.append(f"  {_bar(share, _WIDTH - 10)} {chance:>7}")
    return rows


def _flat(table: Table, number: int, share: float | None) -> list[str]:
    """A player in one line."""
    game, seat = table.game, table.game.seats[number]
    name = pad(_name(table, number, _SHORT_NAME), _SHORT_NAME)
    note = f"{figure(share * 100, '.0f')} %" if share is not None else ""
    if not seat.playing:
        note = say("quit")
    return [f"{_pointer(game, number)} {name} {figure(seat.score):>6} {note:>5}"]


def _pointer(game: Game, number: int) -> str:
    """What points at whose turn it is, and at the end at who has won."""
    if game.over:
        return "★" if game.shares and game.shares[number] else " "
    return "▸" if number == game.mover else " "


def _name(table: Table, number: int, width: int) -> str:
    name = safe_text(table.names[number], 60)
    stem, _, count = name.rpartition(" ")
    if stem and count.isdecimal() and len(count) < 3:  # bots of a level differ in it alone
        return f"{shorten(stem, width - len(count) - 1)} {count}"
    name = shorten(name, width)
    return name if text_width(name) else "?"


def _bar(share: float, width: int) -> str:
    full = round(share * width)
    return "█" * full + "░" * (width - full)


def _dice(news: News) -> list[Attachment]:
    """The roll on the table, else the one that ended the turn."""
    if attachment := roll_picture(news.table.game):
        return [attachment]
    if news.table.game.over:
        return []
    last = None
    for game, event, _ in news.steps:
        if isinstance(event, Rolled):
            last = game, event.dice
        elif isinstance(event, Used) and event.fallen:
            last = game, used_roll(game, event)
    if last is None:
        return []
    rolled, dice = last[0], make_roll(last[1])  # as it lay before its player
    said = say("The last roll: {dice}", dice=rolled_text(rolled, dice))
    faces, places = shown_faces(rolled, dice), rolled.rules.dice
    picture = dice_png(faces, scoring=(False,) * len(dice), places=places)
    return [Attachment("dice.png", picture, said)]
