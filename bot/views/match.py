"""Matches between bots in plain words."""

from collections.abc import Iterator, Sequence
from typing import Any

from bot.services.matches import MatchGame
from bot.table.events import Begun, Event
from bot.table.state import apply, begin
from bot.views.events import events_text, standings_text
from bot.views.layout import and_text, rough_percent, wrap
from solver.wording import figure, say, say_later


def match_text(levels: tuple[str, ...], game: MatchGame) -> str:
    """One game of a match: who won, the odds before it, and the match so far."""
    names = seat_names(levels, game.began)
    scores = standings_text(names, game.game)
    winners = [name for name, share in zip(names, game.game.shares or (), strict=True) if share > 0]
    told = say_later("Game {number}: {winners} won, {scores}.")
    if len(winners) == 1:
        told = say_later("Game {number}: {winner} won, {scores}.")
    both = and_text(winners)
    text = say(told, number=game.number, winner=both, winners=both, scores=scores)
    if game.odds is not None:
        before = say(
            "Before it the odds of optimal play were {chance} for {name}, who began.",
            chance=rough_percent(game.odds[game.began]),
            name=names[0],
        )
        text += f" {before}"
    return wrap(f"{text} {_score(sorted_names(levels), game)}")


def match_data(levels: tuple[str, ...], game: MatchGame) -> dict[str, Any]:
    """One game of a match as plain data."""
    return {
        "game": game.number,
        "levels": list(levels),
        "began": game.began,
        "odds": list(game.odds) if game.odds else None,
        "scores": [seat.score for seat in game.game.seats],
        "shares": list(game.game.shares or ()),
        "score": list(game.score),
        "over": game.over,
    }


def moves_text(
    levels: tuple[str, ...], began: int, begun: Begun, events: Sequence[Event]
) -> Iterator[str]:
    """Every turn of a game that the bot of number `began` has begun."""
    names = seat_names(levels, began)
    before = game = begin(begun)
    turn: list[Event] = []
    for event in events:
        turn.append(event)
        after = apply(game, event)
        if after.last is not game.last:
            yield wrap("\n".join(events_text(names, before, turn)))
            before, turn = after, []
        game = after


def sorted_names(levels: tuple[str, ...]) -> tuple[str, ...]:
    """What the bots are called, in the order in which they were named; equal ones by number."""
    numbers = [levels[: k + 1].count(level) for k, level in enumerate(levels)]
    return tuple(
        f"{level} bot {number}" if levels.count(level) > 1 else f"{level} bot"
        for level, number in zip(levels, numbers, strict=True)
    )


def seat_names(levels: tuple[str, ...], began: int) -> tuple[str, ...]:
    """What the bots are called, by seat."""
    names = sorted_names(levels)
    return names[began:] + names[:began]


def _score(names: tuple[str, ...], game: MatchGame) -> str:
    """How the match stands, or has ended."""
    both = zip(names, game.score, strict=True)
    score = ", ".join(f"{name} {figure(won, 'g')}" for name, won in both)
    if not game.over:
        return f"{score}."
    most = max(game.score)
    if game.score.count(most) > 1:
        return say("{score}: the match is a draw.", score=score)
    return say("{score}: {name} wins the match.", score=score, name=names[game.score.index(most)])
