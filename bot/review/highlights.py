"""What makes a turn one to talk about, found in what happened at a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise, takewhile

from bot.review.chart import GameChart
from bot.table.events import Banked, Event, Kept, Rolled, Scored, TurnEnding, Undone
from bot.table.fold import apply
from bot.table.state import Game, Stage

BIG_TURN = 2_000
"""Points from which on a turn is a big one."""
MANY_DICE = 5
"""Dice of which it takes bad luck to roll nothing that scores."""
GOOD_RUN, BAD_RUN = 5, 3
"""Turns in a row that score, each time they are as many more, and farkles in a row."""
LOST = 0.1
"""Win probability below which a game looked lost."""


class Feat(Enum):
    """What happened; what is rarer comes first."""

    COMEBACK = auto()
    BIG_TURN = auto()
    MANY_DICE = auto()
    BAD_RUN = auto()
    GOOD_RUN = auto()
    HOT_DICE = auto()


@dataclass(frozen=True, slots=True)
class Highlight:
    """A feat of a player."""

    feat: Feat
    seat: int
    number: float
    """The points of a big turn, of many dice or turns in a row how many, the n-th hot dice of a
    turn, or the least win probability that the winner had."""


def highlight(
    before: Game,
    events: Sequence[Event],
    after: Game,
    history: Sequence[Event],
    chart: GameChart | None = None,
) -> Highlight | None:
    """What is most worth a word of what just happened, None where nothing is.

    before : the game before `events`, which led to `after`
    history : all events of the game, the last of which are `events`
    chart : of a game that is over, its chances turn by turn
    """
    if any(isinstance(event, Undone) for event in events):
        return None
    found = _found(before, events, after, history, chart)
    return min(found, key=lambda one: one.feat.value, default=None)


def _found(
    before: Game,
    events: Sequence[Event],
    after: Game,
    history: Sequence[Event],
    chart: GameChart | None,
) -> Iterator[Highlight]:
    game = before
    for event in events:
        following = apply(game, event)
        ended = following.last is not game.last and following.last
        if isinstance(event, Kept) and following.has_hot_dice:
            # of loaded dice it is not counted how often
            yield Highlight(Feat.HOT_DICE, game.mover, following.turn.hot_dice or 1)
        if ended and ended.points >= BIG_TURN:
            yield Highlight(Feat.BIG_TURN, ended.seat, ended.points)
        is_farkle = ended and ended.how is TurnEnding.FARKLE
        if is_farkle and isinstance(event, Rolled) and len(event.dice) >= MANY_DICE:
            yield Highlight(Feat.MANY_DICE, game.mover, len(event.dice))
        game = following
    if after.last is not before.last and after.last and after.stage is Stage.PLAY:
        yield from _run(after, history, after.last.seat)
    if chart and after.shares and 1.0 in after.shares:
        winner = after.shares.index(1.0)
        least = min(turn.win_probabilities[winner] for turn in chart.turns)
        if least < LOST:
            yield Highlight(Feat.COMEBACK, winner, least)


def _run(game: Game, history: Sequence[Event], seat: int) -> Iterator[Highlight]:
    """The turns of a player in a row that ended in the same way, if they are many."""
    others = sum(one.playing for one in game.seats)
    own = list(_ends(history))[::others]
    number = len(list(takewhile(lambda scored: scored == own[0], own)))
    if own and own[0] and number % GOOD_RUN == 0:
        yield Highlight(Feat.GOOD_RUN, seat, number)
    if own and not own[0] and number >= BAD_RUN:
        yield Highlight(Feat.BAD_RUN, seat, number)


def _ends(history: Sequence[Event]) -> Iterator[bool]:
    """Whether each turn scored, the last one first, as far as all players moved by turns."""
    moves = takewhile(lambda one: isinstance(one, Rolled | Kept | Banked | Scored), history[::-1])
    for following, event in pairwise([None, *moves]):
        match event:
            case Banked():
                yield True
            case Scored():
                yield event.ending is TurnEnding.BANK
            case Rolled() if not isinstance(following, Kept):
                yield False
