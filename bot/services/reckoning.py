"""What takes long to compute of games: functions of a module, so that workers can be sent them.

An Advisor is sent as its folder: a worker has one of its own, whose strategies stay open there.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from bot.review.highlights import ChartPoint, GameChart
from bot.review.moments import effective_steps
from bot.review.review import Review, lessons_of, review
from bot.services.advisor import Advisor
from bot.services.policies import policy_of
from bot.store.rows import SeatReview
from bot.table import commands
from bot.table.events import Banked, Begun, Event, Rolled, TookOver, TurnEnding
from bot.table.fold import apply, begin, fold
from bot.table.state import Game, Stage
from solver.game.best import BestPlay
from solver.game.standings import OnShare
from solver.play.advice import advise, best_use, odds
from solver.play.policies import Optimal
from solver.play.policy import Move, Policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll
from solver.turn.equations import Decision

_SYSTEM = secrets.SystemRandom()

Estimated = tuple[tuple[float, ...], float | None]
"""Chances to win by seat, and what 95 in 100 of them are within; None where they are exact."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn of a game that bots have played."""

    seat: int
    how: TurnEnding
    points: int
    """What it added to the score, or took from it."""
    score: int
    """The player's score after it."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that bots have played, at its end, and its turns in their order."""

    game: Game
    turns: tuple[PlayedTurn, ...]


def estimated(advisor: Advisor, game: Game) -> Estimated:
    """Everybody's chance in a game under way. Raises FarkleError where nothing can be told."""
    worth = advisor.worth(game.rules, game.playing)
    return worth.shares(game), None if game.over else worth.within


def charted(
    advisor: Advisor, names: tuple[str, ...], begun: Begun, events: Sequence[Event]
) -> GameChart:
    """The chances after every turn of a game. Raises FarkleError where they cannot be told."""
    points: list[ChartPoint] = []
    start, effective = effective_steps(begun, events)
    games = [start, *(step.after for _, step in effective)]
    worth = advisor.worth_in(games[-1], len(names))
    before: Game | None = None
    for game in games:
        ended = before is None or game.last is not before.last or game.over > before.over
        before = game
        in_lobby = game.stage is Stage.LOBBY
        if not (ended or in_lobby):
            continue
        if in_lobby:
            points.clear()
        scores = tuple(seat.score for seat in game.seats)
        points.append(ChartPoint(str(len(points)), worth.shares(game), scores))
    return GameChart(names, tuple(points))


def reviewed(advisor: Advisor, begun: Begun, events: Sequence[Event]) -> Review:
    """Every decision of a game, by estimates where it is not solved. Raises FarkleError."""
    game = fold(begun, events)
    return review(advisor.worth_in(game, *game.numbers_playing), begun, events)


def lessons_in(advisor: Advisor, begun: Begun, events: Sequence[Event]) -> list[SeatReview]:
    """What a game that is solved teaches its players. Raises FarkleError."""
    return lessons_of(reviewed(advisor, begun, events))


def decided(advisor: Advisor, game: Game) -> Move:
    """What the bot that is to move does with the roll that lies there. Raises StrategyFileError."""
    level = game.bot_to_move or ""
    if level == Optimal.name:
        return _best(advisor.play_in(game), game)
    return _chosen(game, policy_of(advisor, level, game.rules))


def banked(advisor: Advisor, game: Game) -> bool:
    """Whether the bot that is to move banks before it rolls. Raises StrategyFileError."""
    level = game.bot_to_move or ""
    if level == Optimal.name:
        play = advisor.play_in(game)
        return odds(play, game.position_in(play)).action is not Decision.ROLL
    return policy_of(advisor, level, game.rules).banks(game.side, game.position())


def taken_over(advisor: Advisor, game: Game) -> bool:
    """Whether the bot that is to move rolls on with what the player before left.

    Raises StrategyFileError.
    """
    return _takes_over(advisor, game, policy_of(advisor, game.bot_to_move or "", game.rules))


def _takes_over(advisor: Advisor, game: Game, policy: Policy) -> bool:
    """Whether a policy takes over, in a game in which there is something."""
    if isinstance(policy, Optimal):
        play = advisor.play_in(game)
        return odds(play, game.position_in(play)).action is Decision.TAKE_OVER
    return policy.takes_over(game.side, game.position())


def badge_use(advisor: Advisor, game: Game) -> Roll | None:
    """The dice on which the bot that is to move uses its badge now, () for none; None to keep it.

    Only the level optimal uses badges. Raises StrategyFileError.
    """
    if game.bot_to_move != Optimal.name:
        return None
    play = advisor.play_in(game)
    return best_use(play, game.position_in(play), game.turn.roll)


def _chosen(game: Game, policy: Policy) -> Move:
    """What a policy does with the roll that lies there."""
    return policy.choose(game.side, game.position(), game.turn.roll or ())


def _best(play: BestPlay, game: Game) -> Move:
    """What is best with the roll that lies there."""
    best = advise(play, game.position_in(play), game.turn.roll or ()).options[0]
    return Move(best.set_aside, best.action is not Decision.ROLL)


def played(
    advisor: Advisor, rules: Ruleset, levels: tuple[str, ...], number: int, dice: Random = _SYSTEM
) -> Played:
    """A whole game between bots, the first of which begins, with the system's randomness.

    Or with that of `dice`. Raises StrategyFileError.
    """
    policies = [policy_of(advisor, level, rules) for level in levels]
    begun = commands.begin_game(f"match-{number}", rules, list(levels))
    game, turns = begin(begun), list[PlayedTurn]()
    while not game.over:
        last = game.last
        if game.offered and _takes_over(advisor, game, policies[game.mover]):
            game = apply(game, TookOver())
        fallen = tuple(dice.randint(1, 6) for _ in range(game.turn.dice))
        game = apply(game, Rolled(dice=fallen))
        if game.turn.roll is not None:
            policy = policies[game.mover]
            is_best = isinstance(policy, Optimal)
            choice = _best(advisor.play_in(game), game) if is_best else _chosen(game, policy)
            for event in commands.kept(game, choice.set_aside):
                game = apply(game, event)
            if choice.bank and game.last is last:
                game = apply(game, Banked())
        if game.last is not last and game.last:
            end = game.last
            gain, score = end.points - end.lost, game.seats[end.seat].score
            turns.append(PlayedTurn(end.seat, end.how, gain, score))
    return Played(replace(game, before=None), tuple(turns))


def series(
    advisor: Advisor,
    rules: Ruleset,
    levels: tuple[str, str],
    games: int,
    seed: int,
    on_progress: OnShare = lambda _: None,
) -> Iterator[tuple[float, Played]]:
    """Games between two bots, begun by turns: the share that the first of them won, and the game.

    They are played turn by turn, under any rules. Raises StrategyFileError.
    """
    dice = Random(seed)  # noqa: S311 - so that they can be played again
    for number in range(games):
        begins = number % 2
        record = played(advisor, rules, levels[::-1] if begins else levels, number, dice)
        on_progress((number + 1) / games)
        yield (record.game.shares or (0.5, 0.5))[begins], record
