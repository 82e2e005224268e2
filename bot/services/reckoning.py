"""What takes long to compute of games: functions of a module, so that workers can be sent them.

An Advisor is sent as its folder: a worker has one of its own, whose strategies stay open there.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bot.review.chart import ChartPoint, GameChart
from bot.review.moments import effective_events, win_probability
from bot.review.review import Review, review
from bot.services.advisor import Advisor
from bot.table import commands
from bot.table.events import Banked, Begun, Event, Kept, Rolled
from bot.table.state import Game, Stage, apply, begin, turn_after
from solver.game.endgame import last_turn
from solver.game.standings import by_seat
from solver.play.estimate import estimate
from solver.play.policies import Move, TurnView, make_policy
from solver.rules.ruleset import Ruleset
from solver.turn.scoring import after_set_aside, set_asides

GAMES = 20_000
"""Games simulated for an estimate."""
_GOAL = 10_000
_CHART_GAMES = 2_000
"""Games simulated for one point of a chart."""


Estimated = tuple[tuple[float, ...], float | None]
"""Chances to win by seat, and their standard error, None where they are exact."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that bots have played, at its end."""

    game: Game
    moves: tuple[str, ...] = ()
    """Every turn in words, if that was asked for."""


def estimated(game: Game, games: int, generator: np.random.Generator) -> Estimated:
    """Everybody's chance in a game under way, from so many simulated games.

    Raises ConvergenceError.
    """
    if game.shares is not None:
        return game.shares, None
    if game.stage is Stage.PLAY_OFF:
        return _in_play_off(game)
    rules, turn, goes_on = game.rules, game.turn, False
    if turn.roll is not None:
        # as whoever plays for points would go on
        view = TurnView(rules, game.position(), turn.roll)
        choice = make_policy("max-points").choose(view)
        turn, goes_on = turn_after(rules, turn, choice.set_aside), not choice.bank
    playing = [k for k, seat in enumerate(game.seats) if seat.playing]
    seats = [game.seats[k] for k in playing]
    # longer games take longer to play, and need no more of them
    games = max(1_000, min(games, games * _GOAL // rules.goal))
    found = estimate(
        rules,
        [replace(seat.standing, score=max(seat.score, rules.score_floor)) for seat in seats],
        playing.index(game.mover),
        turn.state,
        generator,
        games=games,
        waiting=[playing.index(seat) for seat in game.waiting],
        roll=goes_on,
    )
    chances = dict(zip(playing, found.win_probabilities, strict=True))
    return tuple(chances.get(k, 0.0) for k in range(len(game.seats))), found.standard_error


def estimated_on(
    game: Game, games: int, generator: np.random.Generator
) -> tuple[Estimated, np.random.Generator]:
    """The same, and the generator as it is then: one that was sent is another one."""
    return estimated(game, games, generator), generator


def charted(
    advisor: Advisor,
    names: tuple[str, ...],
    begun: Begun,
    events: Sequence[Event],
    generator: np.random.Generator,
    told: Mapping[int, tuple[float, ...]],
) -> tuple[GameChart, np.random.Generator]:
    """The chances after every turn of a game, and the generator as it is then.

    told : by version of the game, estimates that were told before: nobody sees two for one position

    Raises StrategyFileError or ConvergenceError.
    """
    points: list[ChartPoint] = []
    steps = [(0, None, begin(begun)), *effective_events(begun, events)]
    rules, players = begun.rules, len(names)
    strategy = advisor.solved(rules) if players == 2 else None
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
        elif not game.over and game.version in told:
            chances = told[game.version]
        else:
            chances, _ = estimated(game, _CHART_GAMES, generator)
        scores = tuple(seat.score for seat in game.seats)
        points.append(ChartPoint(str(len(points)), chances, scores))
    whole = tuple(point for point in points if len(point.scores) == players)
    return GameChart(names, whole), generator


def reviewed(advisor: Advisor, begun: Begun, events: Sequence[Event]) -> Review:
    """Every decision of a game. Raises StrategyFileError."""
    return review(advisor.strategy(begun.rules), begun, events)


def decided(advisor: Advisor, game: Game) -> Move:
    """What the bot that is to move does with the roll that lies there. Raises StrategyFileError."""
    policy = advisor.policy(game.seats[game.mover].level or "", game.rules)
    return policy.choose(TurnView(game.rules, game.position(), game.turn.roll or ()))


def banked(advisor: Advisor, game: Game) -> bool:
    """Whether the bot that is to move banks before it rolls. Raises StrategyFileError."""
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
