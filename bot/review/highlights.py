"""What makes a turn one to talk about, and the course of a game, turn by turn, as data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain, pairwise, takewhile

from bot.table.events import Banked, Event, Kept, Resigned, Rolled, Scored, TurnEnding, Undone, Used
from bot.table.fold import Step
from bot.table.state import Game, Stage
from solver.turn.dice import Roll


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """How a game stood after one turn; label such as "12"."""

    label: str
    win_probabilities: tuple[float, ...]
    """The chance of each player, 0 to 1."""
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameChart:
    """A game from its start to its end, or to where it is; a point has a chance for each player."""

    names: tuple[str, ...]
    turns: tuple[ChartPoint, ...]


BIG_TURN = 2_000
"""The least points of a big turn."""
MANY_DICE = 5
"""How many dice a farkle is worth a word from."""
GOOD_RUN, BAD_RUN = 5, 3
"""How many turns in a row that score are worth a word, each time as many, and how many farkles."""
WON_GAMES = 3
"""How many games won in a row are worth a word."""
LOST = 0.1
"""Win probability below which a game looked lost."""


class Feat(Enum):
    """What happened; what is rarer comes first."""

    COMEBACK = auto()
    WON_GAMES = auto()
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
    """The points of a big turn, of many dice or turns or games in a row how many, the n-th hot dice
    of a turn, or the least win probability that the winner had."""


def highlight(
    steps: Sequence[Step],
    history: Sequence[Event],
    chart: GameChart | None = None,
    won: int = 0,
) -> Highlight | None:
    """What is most worth a word of what just happened, None where nothing is.

    steps : what just happened, one event or more
    history : all events of the game, the last of which are those of `steps`
    chart : of a game that is over, its chances turn by turn
    won : how many games its winner has won in a row with it
    """
    if any(isinstance(step.event, Undone) for step in steps):
        return None
    before, after = steps[0].before, steps[-1].after
    feats = [*_of_moves(steps), *_of_end(after, chart, won)]
    if after.last is not before.last and after.last and after.stage is Stage.PLAY:
        feats += _run(after, history, after.last.seat)
    return min(feats, key=lambda highlight: highlight.feat.value, default=None)


def moment_dice(history: Sequence[Event], feat: Feat, dice: int) -> Roll:
    """The dice that a highlight was made of, in the order in which they were set aside.

    history : all events of the game, the last of which are those of the highlight
    feat : hot dice or a big turn; of others there are none
    dice : of a player

    Nothing where something was taken back in the turn, or a badge was used.
    """
    if feat not in {Feat.HOT_DICE, Feat.BIG_TURN}:
        return ()
    kept = _set_aside(history)
    if feat is Feat.BIG_TURN:
        return tuple(chain(*kept))
    kept_dice: Roll = ()
    while kept and len(kept_dice) < dice:
        kept_dice = (*kept.pop(), *kept_dice)
    return kept_dice if len(kept_dice) == dice else ()


def _set_aside(history: Sequence[Event]) -> list[Roll]:
    """What was set aside in the last turn in which something was, roll by roll; else nothing."""
    last = next((k for k, event in enumerate(reversed(history)) if isinstance(event, Kept)), None)
    if last is None:
        return []
    moves = history[len(history) - 1 - last :: -1]
    kept: list[Roll] = []
    for event, before in zip(moves[::2], moves[1::2], strict=False):
        if not (isinstance(event, Kept) and isinstance(before, Rolled)):
            # how the turn before this one ended, or something that dice alone do not tell
            return [] if isinstance(event, Kept | Resigned | Undone | Used) else kept[::-1]
        kept.append(event.dice)
    return kept[::-1]


def _of_moves(steps: Sequence[Step]) -> Iterator[Highlight]:
    """What the moves themselves are worth."""
    for game, event, following in steps:
        ended = following.last is not game.last and following.last
        if isinstance(event, Kept) and following.has_hot_dice:
            # of loaded dice it is not counted how often
            yield Highlight(Feat.HOT_DICE, game.mover, following.turn.hot_dice or 1)
        if ended and ended.points >= BIG_TURN:
            yield Highlight(Feat.BIG_TURN, ended.seat, ended.points)
        is_farkle = ended and ended.how is TurnEnding.FARKLE
        if is_farkle and isinstance(event, Rolled) and len(event.dice) >= MANY_DICE:
            yield Highlight(Feat.MANY_DICE, game.mover, len(event.dice))


def _of_end(after: Game, chart: GameChart | None, won: int) -> Iterator[Highlight]:
    """What the win of one player is worth."""
    if not (after.shares and 1.0 in after.shares):
        return
    winner = after.shares.index(1.0)
    if won >= WON_GAMES:
        yield Highlight(Feat.WON_GAMES, winner, won)
    if chart:
        least = min(turn.win_probabilities[winner] for turn in chart.turns)
        if least < LOST:
            yield Highlight(Feat.COMEBACK, winner, least)


def _run(game: Game, history: Sequence[Event], seat: int) -> Iterator[Highlight]:
    """The turns of a player in a row that ended in the same way, if they are many.

    Nothing where dice are thrown again: which throws ended a turn does not show in the events.
    """
    if game.rules.throws_again and any(isinstance(event, Rolled) for event in history):
        return
    others = sum(player.playing for player in game.seats)
    own = list(_ends(history))[::others]
    number = len(list(takewhile(lambda scored: scored == own[0], own)))
    if own and own[0] and number % GOOD_RUN == 0:
        yield Highlight(Feat.GOOD_RUN, seat, number)
    if own and not own[0] and number >= BAD_RUN:
        yield Highlight(Feat.BAD_RUN, seat, number)


def _ends(history: Sequence[Event]) -> Iterator[bool]:
    """Whether each turn scored, the last one first, as far as all players moved by turns."""
    moves = takewhile(
        lambda event: isinstance(event, Rolled | Kept | Banked | Scored), history[::-1]
    )
    for following, event in pairwise([None, *moves]):
        match event:
            case Banked():
                yield True
            case Scored():
                yield event.ending is TurnEnding.BANK
            case Rolled() if not isinstance(following, Kept):
                yield False
