"""Matches between bots: a table and one sentence, and the turns of a game side by side."""

from collections.abc import Iterator
from typing import Any

from bot.features.records.matches import Match, MatchGame
from bot.services.reckoning import PlayedTurn
from bot.services.tables import bot_name
from bot.views.layout import columns, rough_percent, wrap
from solver.wording import figure, say, say_number


def match_text(match: Match) -> str:
    """Who won a match, and how the bots did in it."""
    games, names = match.games, bot_names(match.levels)
    lines = [_outcome(match, names)]
    head = "", say("won"), say("points a game"), say("biggest turn")
    rows = [head]
    for bot, name in enumerate(names):
        mean = sum(game.points[bot] for game in games) / len(games)
        biggest = max(game.biggest[bot] for game in games)
        won = figure(match.score[bot], "g")
        rows.append((name, won, figure(mean, ",.0f"), figure(biggest)))
    lines += columns(rows, right={1, 2, 3})
    odds = games[0].odds
    if odds is not None:
        lines.append(
            say(
                "With best play, the player who begins wins {chance} of the time.",
                chance=rough_percent(odds[games[0].began]),
            )
        )
    return wrap("\n".join(lines))


def match_data(match: Match) -> dict[str, Any]:
    """A match as plain data, game by game."""
    return {
        "levels": list(match.levels),
        "score": list(match.score),
        "games": [
            {
                "game": game.number,
                "began": game.began,
                "odds": list(game.odds) if game.odds else None,
                "points": list(game.points),
                "biggest_turns": list(game.biggest),
                "shares": list(game.shares),
            }
            for game in match.games
        ],
    }


def turns_text(levels: tuple[str, ...], game: MatchGame) -> str:
    """Every turn of a game, those of a round side by side: what it brought, and the score then."""
    names = [level + number for level, number in zip(levels, _numbers(levels), strict=True)]
    order = [*range(game.began, len(names)), *range(game.began)]
    rows = [("", *(cell for bot in order for cell in ("", names[bot])))]
    for number, turns in _rounds(game):
        cells = [("", "")] * len(names)
        for turn in turns:
            gain = figure(turn.points, "+,") if turn.points else "–"
            cells[turn.seat] = gain, figure(turn.score)
        rows.append((f"{number}.", *(cell for both in cells for cell in both)))
    head = say("Game {number}, turn by turn:", number=game.number)
    return "\n".join([head, *columns(rows, right=range(len(rows[0])))])


def turns_data(levels: tuple[str, ...], game: MatchGame) -> dict[str, Any]:
    """The turns of a game as plain data, with the bots by their number."""
    bots = len(levels)
    return {
        "game": game.number,
        "began": game.began,
        "turns": [
            {
                "bot": (game.began + turn.seat) % bots,
                "ending": turn.how.value,
                "points": turn.points,
                "score": turn.score,
            }
            for turn in game.turns
        ],
    }


def bot_names(levels: tuple[str, ...]) -> tuple[str, ...]:
    """What the bots are called, in the order in which they were named."""
    return tuple(bot_name(one) + more for one, more in zip(levels, _numbers(levels), strict=True))


def _numbers(levels: tuple[str, ...]) -> list[str]:
    """What tells bots of equal levels apart."""
    return [
        f" {levels[: k + 1].count(level)}" if levels.count(level) > 1 else ""
        for k, level in enumerate(levels)
    ]


def _outcome(match: Match, names: tuple[str, ...]) -> str:
    most, games = max(match.score), len(match.games)
    if match.score.count(most) > 1:
        return say_number(
            "The match is a draw, after {number} game.",
            "The match is a draw, after {number} games.",
            games,
        )
    return say_number(
        "{name} wins the match: {won} of {number} game.",
        "{name} wins the match: {won} of {number} games.",
        games,
        name=names[match.score.index(most)],
        won=figure(most, "g"),
    )


def _rounds(game: MatchGame) -> Iterator[tuple[int, list[PlayedTurn]]]:
    """The turns of each round, which begins with the bot that moves first of those left."""
    found: list[list[PlayedTurn]] = []
    for turn in game.turns:
        if not found or turn.seat <= found[-1][-1].seat:
            found.append([])
        found[-1].append(turn)
    yield from enumerate(found, start=1)
