"""What takes long to compute of games: functions of a module, so that workers can be sent them.

An Advisor is sent as its folder: a worker has one of its own, whose strategies stay open there.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.review.chart import ChartPoint, GameChart
from bot.review.moments import effective_events, win_probability
from bot.review.review import Review, review
from bot.services.advisor import Advisor
from bot.table import commands
from bot.table.events import Banked, Begun, Event, Kept, Rolled
from bot.table.state import Game, Stage, apply, begin, fold
from solver.game.endgame import last_turn
from solver.game.standings import by_seat
from solver.play.many_advice import advise_shared
from solver.play.policies import Move, TurnView
from solver.rules.ruleset import Ruleset
from solver.turn.scoring import after_set_aside, set_asides

Estimated = tuple[tuple[float, ...], float | None]
"""Chances to win by seat, and what 95 in 100 of them are within; None where they are exact."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that bots have played, at its end."""

    game: Game
    moves: tuple[str, ...] = ()
    """Every turn in words, if that was asked for."""


def estimated(advisor: Advisor, game: Game) -> Estimated:
    """Everybody's chance in a game under way. Raises FarkleError where nothing can be told."""
    if game.shares is not None:
        return game.shares, None
    if game.stage is Stage.PLAY_OFF:
        return _in_play_off(game)
    strategy, position = advisor.estimate(game.rules, game.playing), game.shared_position()
    if game.turn.roll is None:
        found = strategy.chances(position).tolist()
    else:
        found = list(advise_shared(strategy, position, game.turn.roll).chances)
    playing = iter(found)
    shares = tuple(next(playing) if seat.playing else 0.0 for seat in game.seats)
    return shares, strategy.within


def charted(
    advisor: Advisor, names: tuple[str, ...], begun: Begun, events: Sequence[Event]
) -> GameChart:
    """The chances after every turn of a game. Raises FarkleError where they cannot be told."""
    points: list[ChartPoint] = []
    steps = [(0, None, begin(begun)), *effective_events(begun, events)]
    players = len(names)
    strategy = advisor.solved_in(steps[-1][2]) if players == 2 else None
    chances: tuple[float, ...]
    before: Game | None = None
    for _, _, game in steps:
        ended = before is None or game.last is not before.last or game.over > before.over
        before = game
        sitting_down = game.stage is Stage.LOBBY
        if not (ended or sitting_down) or len(game.seats) < 2:
            continue
        if sitting_down:
            points.clear()
        if strategy:
            chances = win_probability(strategy, game)
        else:
            chances, _ = estimated(advisor, game)
        scores = tuple(seat.score for seat in game.seats)
        points.append(ChartPoint(str(len(points)), chances, scores))
    whole = tuple(point for point in points if len(point.scores) == players)
    return GameChart(names, whole)


def reviewed(advisor: Advisor, begun: Begun, events: Sequence[Event]) -> Review:
    """Every decision of a game. Raises StrategyFileError."""
    return review(advisor.strategy_in(fold(begun, events)), begun, events)


def decided(advisor: Advisor, game: Game) -> Move:
    """What the bot that is to move does with the roll that lies there. Raises StrategyFileError."""
    if game.kits:
        return advisor.policy_in(game).choose(game.position(), game.turn.roll or ())
    policy = advisor.policy(game.seats[game.mover].level or "", game.rules)
    return policy.choose(TurnView(game.rules, game.position(), game.turn.roll or ()))


def banked(advisor: Advisor, game: Game) -> bool:
    """Whether the bot that is to move banks before it rolls. Raises StrategyFileError."""
    if game.kits:
        return advisor.policy_in(game).banks(game.position())
    policy = advisor.policy(game.seats[game.mover].level or "", game.rules)
    return policy.banks(game.rules, game.position())


def played(
    advisor: Advisor,
    rules: Ruleset,
    levels: tuple[str, str],
    number: int,
    tell: Callable[[Begun, Sequence[Event]], Iterable[str]] | None = None,
) -> Played:
    """A whole game between bots, the first of which begins, with the system's randomness.

    tell : puts its turns into words

    Raises StrategyFileError.
    """
    policies = [advisor.policy(level, rules) for level in levels]
    dice = secrets.SystemRandom()
    begun = commands.begin_game(f"match-{number}", rules, list(levels))
    game, events = begin(begun), list[Event]()
    while not game.over:
        fallen = tuple(dice.randint(1, 6) for _ in range(game.turn.dice))
        made: list[Event] = [Rolled(dice=fallen)]
        game = apply(game, made[0])
        if game.turn.roll is not None:
            choice = policies[game.mover].choose(TurnView(rules, game.position(), game.turn.roll))
            made += [Kept(dice=choice.set_aside), *([Banked()] if choice.bank else [])]
            for event in made[1:]:
                game = apply(game, event)
        events += made
    return Played(replace(game, before=None), tuple(tell(begun, events)) if tell else ())


def _in_play_off(game: Game) -> Estimated:
    """Chances in a play-off: exact for two; of more each one is as good until it has played.

    The least that others have to beat takes its chance from those who have less.
    """
    others = [seat for seat in game.waiting if seat != game.mover]
    most = max((points for _, points in game.played_off), default=0)
    best = [seat for seat, points in game.played_off if points == most]
    left = [game.mover, *others, *best]
    shares = dict.fromkeys(left, 1 / len(left))
    if len(left) == 2:
        rules, turn = game.rules, game.turn
        table = last_turn(rules, most if game.played_off else None, on_board=True)
        states = [turn.state]
        if turn.roll is not None:
            kept = set_asides(rules, turn.roll)
            states = [after_set_aside(rules, turn.state, one) for one in kept]
        chance = max(table.value(state) for state in states)
        shares = dict(zip([game.mover, left[1]], by_seat(chance, 0), strict=True))
    found = tuple(shares.get(seat, 0.0) for seat in range(len(game.seats)))
    return found, None if len(left) == 2 else 0.5 / len(left)
