"""Records of people, matches of bots and how dice have fallen: as people read them and as data."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from bot.features.records.service import Match, MatchGame, Season
from bot.layout import columns, percent, room, rough_percent, wrap
from bot.review.dice_record import FEWEST_DICE, DiceRecord, FaceCounts, Fairness, LoadedCount
from bot.review.review import BANDS
from bot.services.levels import PlayerLevel, PlayerRecord
from bot.services.reckoning import PlayedTurn
from bot.services.tables import bot_name
from bot.store.records import HeadToHead, Ranking
from bot.views.levels import SPOTS
from bot.views.review import accuracy_text
from solver.wording import figure, say, say_later, say_number


def record_text(name: str, record: PlayerRecord) -> str:
    """One person's record, and how well they play."""
    stats, level = record.stats, record.level
    if not stats.games and level is None:
        return say("{name} has not finished a game yet.", name=name)
    farkles = say_later("{farkles:,} in {number:,} [turn|turns]")
    rows = [
        (say("games"), figure(stats.games)),
        (say("won"), f"{_wins(stats.wins)} ({rough_percent(stats.win_rate or 0)})"),
        (say("longest streak"), f"{stats.longest_streak}"),
        (say("biggest turn"), figure(stats.biggest_turn)),
        (say("farkles"), say_number(farkles, stats.turns, farkles=stats.farkles)),
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
        wins = say_later("{wins:.1f} of {games:,}, won {won}")
        parts = {"wins": level.won_without_luck, "games": level.with_result}
        rows.append((say("without luck"), say(wins, won=_wins(level.won), **parts)))
    if level.weak is not None:
        rows.append((say("most mistakes"), say(SPOTS[level.weak])))
    return rows


def _level_notes(record: PlayerRecord) -> Iterator[str]:
    """What a level is made of, and where one ends and the next begins; the lowest has no end."""
    bands = [f"{say(word)} {figure(most * 100, '.2f')}" for most, word in BANDS[:-1]]
    bands.append(say(BANDS[-1][1]))
    if level := record.level:
        yield say_number(
            "{decisions:,} decisions in {number:,} solved [game|games]. The level says what a"
            " decision costs on average, in percentage points of the chance to win: {levels}.",
            level.games,
            decisions=level.decisions,
            levels=", ".join(bands),
        )
    if record.left:
        yield say_number(
            "{number:,} more [game is|games are] still to be reviewed: the next /stats [does"
            " it|goes on].",
            record.left,
        )


def record_data(name: str, record: PlayerRecord) -> dict[str, Any]:
    """One person's record as plain data."""
    stats, level = record.stats, record.level
    played = {**asdict(stats), "win_rate": stats.win_rate}
    level_data = None if level is None else asdict(level) | {"band": level.band}
    return {"name": name, **played, "level": level_data, "not_reviewed": record.left}


def head_to_head_text(names: tuple[str, str], both: HeadToHead) -> str:
    """How two people did against each other."""
    one, other = names
    won, lost = map(_wins, both.wins)
    if not both.games:
        return say("{one} and {other} have not finished a game together yet.", one=one, other=other)
    score = say_later("{one} against {other}: {won} to {lost} in {number:,} [game|games].")
    return say_number(score, both.games, one=one, other=other, won=won, lost=lost)


def head_to_head_data(names: tuple[str, str], both: HeadToHead) -> dict[str, Any]:
    """How two people did against each other as plain data."""
    return {"names": list(names), "games": both.games, "wins": list(both.wins)}


def forgotten_text(games: int) -> str:
    """What is said once nothing of a person is left but these games."""
    forgotten = say_number(
        "Your data is deleted: {number} [game stays|games stay], without your name.", games
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
    head = say_later("Games won in the season {season}:") if season else say_later("Games won:")
    lines = [say(head, season=season and season.name)]
    lines += [say("Only games without bots count.")] if bots is False else []
    rows = []
    for place, ranking in enumerate(standings[:20], start=1):
        name = bot_name(ranking.name) if ranking.is_bot else ranking.name
        won = say("{won} of {games:,}", won=_wins(ranking.wins), games=ranking.games)
        rows.append((f"{place}.", name, rough_percent(ranking.win_rate), won))
    return "\n".join([*lines, *columns(rows, right={0, 2})])


def _nobody(season: Season | None, *, everywhere: bool, without_bots: bool) -> str:
    """The sentence that nobody has finished a game of the kind that is asked for."""
    text = {
        "season": (
            say_later("Nobody has finished a game in the season {season}."),
            say_later("Nobody has finished a game without bots in the season {season}."),
        ),
        "everywhere": (
            say_later("Nobody has finished a game yet."),
            say_later("Nobody has finished a game without bots yet."),
        ),
        "here": (
            say_later("Nobody has finished a game here yet."),
            say_later("Nobody has finished a game without bots here yet."),
        ),
    }["season" if season else "everywhere" if everywhere else "here"]
    return say(text[without_bots], season=season and season.name)


def leaderboard_data(standings: Sequence[Ranking]) -> list[dict[str, Any]]:
    """Who wins most as plain data, without the ids of people."""
    return [
        {"name": ranking.name, "games": ranking.games, "wins": ranking.wins}
        | ({"is_bot": True} if ranking.is_bot else {})
        for ranking in standings
    ]


def _wins(share: float) -> str:
    return figure(share, ",.0f" if share == int(share) else ",.1f")


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
    if (odds := games[0].odds) is not None:
        best = say_later("With best play, the player who begins wins {chance} of the time.")
        lines.append(say(best, chance=rough_percent(odds[games[0].began])))
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
    return tuple(bot_name(bot) + mark for bot, mark in zip(levels, _numbers(levels), strict=True))


def _numbers(levels: tuple[str, ...]) -> list[str]:
    """What tells bots of equal levels apart."""
    return [
        f" {levels[: k + 1].count(level)}" if levels.count(level) > 1 else ""
        for k, level in enumerate(levels)
    ]


def _outcome(match: Match, names: tuple[str, ...]) -> str:
    most, games = max(match.score), len(match.games)
    if match.score.count(most) > 1:
        return say_number("The match is a draw, after {number} [game|games].", games)
    wins = say_later("{name} wins the match: {won} of {number} [game|games].")
    return say_number(wins, games, name=names[match.score.index(most)], won=figure(most, "g"))


def _rounds(game: MatchGame) -> Iterator[tuple[int, list[PlayedTurn]]]:
    """The turns of each round, which begins with the bot that moves first of those left."""
    rounds: list[list[PlayedTurn]] = []
    for turn in game.turns:
        if not rounds or turn.seat <= rounds[-1][-1].seat:
            rounds.append([])
        rounds[-1].append(turn)
    yield from enumerate(rounds, start=1)


BAR_WIDTH = 30
"""Columns of the longest bar, where there is room."""
_BESIDE = 22
"""Columns of what is beside a bar."""
_FALLS = {
    Fairness.TOO_FEW: say_later("too few to say"),
    Fairness.FAIR: say_later("as it should"),
    Fairness.UNUSUAL: say_later("unusual"),
    Fairness.VERY_UNUSUAL: say_later("very unusual"),
}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def _loaded_text(loaded: Sequence[LoadedCount]) -> str:
    """A line for each die: the share of each face, and that by its weights in brackets."""
    head = say(
        "Loaded dice: how many were rolled, the share of each face 1 to 6 in %, and in brackets"
        " the share to expect from the weights:"
    )
    rows = []
    for count in loaded:
        shares = [
            f"{figure(100 * n / count.dice, '.0f')} ({figure(100 * mean / count.dice, '.0f')})"
            for n, mean in zip(count.counts, count.expected, strict=True)
        ]
        rows.append((count.die.typed, figure(count.dice), *shares, say(_FALLS[count.fairness])))
    return "\n".join([wrap(head), *columns(rows, right=set(range(1, 8)))])


def dice_record_text(record: DiceRecord) -> str:
    """The dice of the rules, and then those that players brought."""
    parts = [_fair_text(record)] if record.dice or not record.loaded else []
    parts += [_loaded_text(record.loaded)] if record.loaded else []
    return "\n\n".join(parts)


def _fair_text(record: DiceRecord) -> str:
    """A bar for each face, then in words whether fair dice would roll so."""
    if not record.dice:
        return say("No dice have been rolled yet.")
    most, wide = max(record.counts), min(BAR_WIDTH, max(1, room() - _BESIDE))
    rows = []
    for face, count in enumerate(record.counts, 1):
        bar = _bar(count / most, wide).ljust(wide)
        rows.append((str(face), bar, figure(count), percent(count / record.dice)))
    head = say_number(
        "{dice} in {number:,} [roll|rolls], each face is expected {times:,.1f} times:",
        record.rolls,
        dice=say_number("{number:,} [die|dice]", record.dice),
        times=record.expected[0],
    )
    lines = [head, *columns(rows, right={2, 3}, spare=(1,)), fairness_text(record)]
    if record.fairness is not Fairness.TOO_FEW:
        tested = say_later("Chi-square {statistic:.2f}, 5 degrees of freedom, p = {chance:.2g}.")
        lines.append(say(tested, statistic=record.chi_square, chance=record.p_value))
    if record.six_dice_rolls:
        lines.append(_farkles_text(record))
    return "\n".join(map(wrap, lines))


def fairness_text(record: DiceRecord) -> str:
    """One sentence for people who know no statistics."""
    text = say_later("Unusual: fair dice come out this uneven once in {times:,.0f} times.")
    if record.fairness is Fairness.TOO_FEW:
        text = say_later("Too few to say anything: it takes at least {number} dice.")
    elif record.fairness is Fairness.FAIR:
        text = say_later("Fair dice give counts like these.")
    elif record.p_value < 1e-6:
        text = say_later(
            "Very unusual: fair dice come out this uneven less than once in a million times."
        )
    elif record.fairness is Fairness.VERY_UNUSUAL:
        text = say_later("Very unusual: fair dice come out this uneven once in {times:,.0f} times.")
    return say(text, number=FEWEST_DICE, times=1 / max(record.p_value, 1e-6))


def dice_record_data(record: DiceRecord) -> dict[str, Any]:
    """A record for programs; p-values are not rounded."""
    loaded = [
        {"die": count.die.typed, **_counts_data(count), "expected": _by_face(count.expected)}
        for count in record.loaded
    ]
    return {
        "rolls": record.rolls,
        **_counts_data(record),
        "expected_count": record.expected[0],
        "chi_square": record.chi_square,
        "degrees_of_freedom": record.degrees_of_freedom,
        "six_dice": {
            "rolls": record.six_dice_rolls,
            "farkles": record.six_dice_farkles,
            "expected_farkles": record.expected_farkles,
            "farkle_chance": record.farkle_chance,
            "p_value": record.farkles_p_value,
        },
        **({"loaded": loaded} if loaded else {}),
    }


def _counts_data(counts: FaceCounts) -> dict[str, Any]:
    fell = {"dice": counts.dice, "counts": _by_face(counts.counts)}
    return {**fell, "p_value": counts.p_value, "fairness": counts.fairness.value}


def _by_face(numbers: Sequence[float]) -> dict[str, float]:
    return {str(face): number for face, number in enumerate(numbers, 1)}


def _farkles_text(record: DiceRecord) -> str:
    """Farkles with six dice against what is expected, and how often fair dice go so far."""
    rolls = say_number("{number:,} [roll|rolls]", record.six_dice_rolls)
    number, expected = record.six_dice_farkles, record.expected_farkles
    farkles = say_number("{number:,} [farkle|farkles]", number)
    sentence = say_later(
        "Six dice at once: {rolls}, {farkles} by the rules that were played, {expected:,.1f}"
        " expected."
    )
    if times := record.farkle_chance and 1 / record.farkle_chance:
        sentence = say_later(
            "Six dice at once: {rolls}, {farkles} by the rules that were played, {expected:,.1f}"
            " expected, 1 in {times:,.1f}."
        )
    often = say_later("Fair dice give this many or more {share} of the time.")
    if number < expected:
        often = say_later("Fair dice give this few or fewer {share} of the time.")
    counted = say(sentence, rolls=rolls, farkles=farkles, expected=expected, times=times)
    return f"{counted} {say(often, share=percent(record.farkles_p_value))}"


def _bar(share: float, width: int) -> str:
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
