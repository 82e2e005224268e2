"""Matches between bots in plain words."""

from collections.abc import Iterator
from typing import Any

from bot.services.matches import MatchGame
from bot.table.events import Event
from bot.table.state import apply, begin
from bot.views.game import events_text
from bot.views.text import wrap


def match_text(levels: tuple[str, str], game: MatchGame) -> str:
    """One game of a match: who won, the odds before it, and the match so far."""
    names = seat_names(levels, game.began)
    scores = ", ".join(
        f"{name} {seat.score:,}" for name, seat in zip(names, game.game.seats, strict=True)
    )
    winners = [name for name, share in zip(names, game.game.shares or (), strict=True) if share > 0]
    text = f"Game {game.number}: {' and '.join(winners)} won, {scores}."
    if game.odds is not None:
        text += (
            f" Before it the odds of optimal play were {game.odds[game.began] * 100:.1f} % for"
            f" {names[0]}, who began."
        )
    one, other = (f"{share:g}" for share in game.score)
    both = sorted_names(levels)
    return wrap(f"{text} {both[0]} {one}, {both[1]} {other}{_decided(both, game)}.")


def match_data(levels: tuple[str, str], game: MatchGame) -> dict[str, Any]:
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


def moves_text(levels: tuple[str, str], match_game: MatchGame) -> Iterator[str]:
    """Every turn of a game."""
    names = seat_names(levels, match_game.began)
    before = game = begin(match_game.begun)
    turn: list[Event] = []
    for event in match_game.events:
        turn.append(event)
        after = apply(game, event)
        if after.last is not game.last:
            yield wrap("\n".join(events_text(names, before, turn)))
            before, turn = after, []
        game = after


def sorted_names(levels: tuple[str, str]) -> tuple[str, str]:
    """What the bots are called, in the order in which they were named."""
    if levels[0] == levels[1]:
        return f"{levels[0]} bot 1", f"{levels[1]} bot 2"
    return f"{levels[0]} bot", f"{levels[1]} bot"


def seat_names(levels: tuple[str, str], began: int) -> tuple[str, str]:
    """What the bots are called, by seat."""
    names = sorted_names(levels)
    return names if began == 0 else (names[1], names[0])


def _decided(names: tuple[str, str], game: MatchGame) -> str:
    if not game.over:
        return ""
    one, other = game.score
    if one == other:
        return ": the match is a draw"
    return f": {names[one < other]} wins the match"
