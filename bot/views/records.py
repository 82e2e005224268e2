"""Records of people in plain words."""

from collections.abc import Sequence
from typing import Any

from bot.store.records import HeadToHead, PersonStats, Standing
from bot.views.text import columns


def stats_text(name: str, stats: PersonStats) -> str:
    """One person's record."""
    if not stats.games:
        return f"{name} has finished no game yet."
    rows = [
        ("games", f"{stats.games:,}"),
        ("won", f"{_wins(stats.wins)} ({(stats.win_rate or 0) * 100:.1f} %)"),
        ("longest streak", f"{stats.longest_streak}"),
        ("biggest turn", f"{stats.biggest_turn:,}"),
        ("farkles", f"{stats.farkles:,} in {stats.turns:,} turns"),
    ]
    if stats.accuracy is not None:
        rows.append(("accuracy", f"{stats.accuracy:.1f}"))
    return "\n".join([f"{name}:", *columns(rows)])


def stats_data(name: str, stats: PersonStats) -> dict[str, Any]:
    """One person's record as plain data."""
    return {
        "name": name,
        "games": stats.games,
        "wins": stats.wins,
        "win_rate": stats.win_rate,
        "longest_streak": stats.longest_streak,
        "biggest_turn": stats.biggest_turn,
        "farkles": stats.farkles,
        "turns": stats.turns,
        "accuracy": stats.accuracy,
    }


def head_to_head_text(names: tuple[str, str], both: HeadToHead) -> str:
    """How two people did against each other."""
    if not both.games:
        return f"{names[0]} and {names[1]} have finished no game together yet."
    wins = " to ".join(_wins(share) for share in both.wins)
    games = "1 game" if both.games == 1 else f"{both.games:,} games"
    return f"{names[0]} against {names[1]}: {wins} in {games}."


def leaderboard_text(standings: Sequence[Standing]) -> str:
    """Who wins most, in a table."""
    if not standings:
        return "Nobody has finished a game here yet."
    rows = [
        (
            f"{place}.",
            one.name,
            f"{one.win_rate * 100:.1f} %",
            f"{_wins(one.wins)} of {one.games:,}",
        )
        for place, one in enumerate(standings[:20], start=1)
    ]
    return "\n".join(["Games won:", *columns(rows, right={0, 2})])


def leaderboard_data(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Who wins most as plain data, without the ids of people."""
    return [{"name": one.name, "games": one.games, "wins": one.wins} for one in standings]


def _wins(share: float) -> str:
    return f"{share:,.0f}" if share == int(share) else f"{share:,.1f}"
