"""Records of people in plain words."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.features.records.season import Season
from bot.review.review import BANDS
from bot.services.levels import PlayerLevel, PlayerRecord
from bot.services.tables import bot_name
from bot.store.records import HeadToHead, Ranking
from bot.views.layout import columns, rough_percent, wrap
from bot.views.levels import SPOTS
from bot.views.review import accuracy_text
from solver.wording import figure, say, say_later, say_number


def record_text(name: str, record: PlayerRecord) -> str:
    """One person's record, and how well they play."""
    stats, level = record.stats, record.level
    if not stats.games and level is None:
        return say("{name} has not finished a game yet.", name=name)
    rows = [
        (say("games"), figure(stats.games)),
        (say("won"), f"{_wins(stats.wins)} ({rough_percent(stats.win_rate or 0)})"),
        (say("longest streak"), f"{stats.longest_streak}"),
        (say("biggest turn"), figure(stats.biggest_turn)),
        (
            say("farkles"),
            say_number(
                "{farkles:,} in {number:,} turn",
                "{farkles:,} in {number:,} turns",
                stats.turns,
                farkles=stats.farkles,
            ),
        ),
    ]
    if stats.accuracy is not None:
        rows.append((say("accuracy"), accuracy_text(stats.accuracy)))
    if level is not None:
        rows += _level_rows(level)
    return "\n".join([f"{name}:", *columns(rows), *map(wrap, _level_notes(record))])


def _level_rows(level: PlayerLevel) -> list[tuple[str, str]]:
    error = figure(level.mean_loss * 100, ".2f")
    if level.within is not None:
        error += f" ± {figure(level.within * 100, '.2f')}"
    rows = [(say("level of play"), say(level.band)), (say("cost of a decision"), error)]
    if level.with_result:
        told = say(
            "{wins:.1f} of {games:,}, won {won}",
            wins=level.won_without_luck,
            games=level.with_result,
            won=_wins(level.won),
        )
        rows.append((say("without luck"), told))
    if level.weak is not None:
        rows.append((say("most mistakes"), say(SPOTS[level.weak])))
    return rows


def _level_notes(record: PlayerRecord) -> list[str]:
    """What a level is made of, and where one ends and the next begins."""
    level, notes = record.level, list[str]()
    if level is not None:
        notes.append(
            say_number(
                "{decisions:,} decisions in {number:,} solved game. The level says what a decision"
                " costs on average, in % of a win: {levels}.",
                "{decisions:,} decisions in {number:,} solved games. The level says what a"
                " decision costs on average, in % of a win: {levels}.",
                level.games,
                decisions=level.decisions,
                levels=_thresholds(),
            )
        )
    if record.left:
        notes.append(
            say_number(
                "{number:,} more game is still to be reviewed: the next /stats does it.",
                "{number:,} more games are still to be reviewed: the next /stats goes on.",
                record.left,
            )
        )
    return notes


def _thresholds() -> str:
    """Every level with the most that a decision may cost, the lowest without."""
    told = [f"{say(word)} {figure(most * 100, '.2f')}" for most, word in BANDS[:-1]]
    return ", ".join([*told, say(BANDS[-1][1])])


def record_data(name: str, record: PlayerRecord) -> dict[str, Any]:
    """One person's record as plain data."""
    stats, level = record.stats, record.level
    return {
        "name": name,
        **asdict(stats),
        "win_rate": stats.win_rate,
        "level": None if level is None else asdict(level) | {"band": level.band},
        "not_reviewed": record.left,
    }


def head_to_head_text(names: tuple[str, str], both: HeadToHead) -> str:
    """How two people did against each other."""
    if not both.games:
        return say(
            "{one} and {other} have not finished a game together yet.", one=names[0], other=names[1]
        )
    return say_number(
        "{one} against {other}: {won} to {lost} in {number:,} game.",
        "{one} against {other}: {won} to {lost} in {number:,} games.",
        both.games,
        one=names[0],
        other=names[1],
        won=_wins(both.wins[0]),
        lost=_wins(both.wins[1]),
    )


def head_to_head_data(names: tuple[str, str], both: HeadToHead) -> dict[str, Any]:
    """How two people did against each other as plain data."""
    return {"names": list(names), "games": both.games, "wins": list(both.wins)}


def forgotten_text(games: int) -> str:
    """That nothing of a person is left but these games."""
    forgotten = say_number(
        "Your data is deleted: {number} game stays, without your name.",
        "Your data is deleted: {number} games stay, without your name.",
        games,
    )
    seeds = say("Texts you gave with /seed stay, because the proof of the dice needs them.")
    return f"{forgotten} {seeds}"


def leaderboard_text(
    standings: Sequence[Ranking],
    *,
    season: Season | None = None,
    bots: bool | None = None,
    everywhere: bool = False,
) -> str:
    """Who wins most, in a table.

    season : the one that is told of, None for all time
    bots : False where only games without bots count
    everywhere : whether games of all places count
    """
    if not standings:
        return _nobody(season, everywhere=everywhere, without_bots=bots is False)
    head = say("Games won:")
    if season:
        head = say("Games won in the season {season}:", season=season.name)
    lines = [head]
    if bots is False:
        lines.append(say("Only games without bots count."))
    rows = [
        (
            f"{place}.",
            bot_name(one.name) if one.is_bot else one.name,
            rough_percent(one.win_rate),
            say("{won} of {games:,}", won=_wins(one.wins), games=one.games),
        )
        for place, one in enumerate(standings[:20], start=1)
    ]
    return "\n".join([*lines, *columns(rows, right={0, 2})])


def _nobody(season: Season | None, *, everywhere: bool, without_bots: bool) -> str:
    """That there is nobody to tell of."""
    if season:
        told = (
            say_later("Nobody has finished a game without bots in the season {season}.")
            if without_bots
            else say_later("Nobody has finished a game in the season {season}.")
        )
        return say(told, season=season.name)
    if everywhere:
        if without_bots:
            return say("Nobody has finished a game without bots yet.")
        return say("Nobody has finished a game yet.")
    if without_bots:
        return say("Nobody has finished a game without bots here yet.")
    return say("Nobody has finished a game here yet.")


def leaderboard_data(standings: Sequence[Ranking]) -> list[dict[str, Any]]:
    """Who wins most as plain data, without the ids of people."""
    return [
        {
            "name": one.name,
            "games": one.games,
            "wins": one.wins,
            **({"is_bot": True} if one.is_bot else {}),
        }
        for one in standings
    ]


def _wins(share: float) -> str:
    return figure(share, ",.0f" if share == int(share) else ",.1f")
