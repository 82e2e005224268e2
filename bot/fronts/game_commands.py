"""The commands of a table in a channel: parsed here, answered by the games service."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Literal

from bot.fronts.lines import YES_OR_NO, Command, Line, Reply, whole_number
from bot.services.games import Games, News
from bot.services.house_rules import HouseRules
from bot.services.place_settings import change_settings, settings_data
from bot.services.questions import Questions
from bot.services.tables import Caller, Person, Player
from bot.views.data import answer_data
from bot.views.game import (
    games_text,
    hint_text,
    news_data,
    news_text,
    table_data,
    table_text,
)
from solver.complaints import complaints
from solver.errors import InvalidRequestError, InvalidRulesError, did_you_mean
from solver.policies import LEVELS
from solver.rules import Ruleset

GAME = {"game": "which game, where several are open"}
_NEW = {
    "rules": "a rule set",
    "goal": "another goal",
    "hints": "no: forbid hints",
    "away": "seconds without a move after which a player may be skipped or replaced",
}
_NAME = re.compile(r"@?([^\W\d_][\w.-]{0,29})")
_ENDINGS: dict[str, Literal["farkle", "lose", "win"]] = {
    "farkle": "farkle",
    "lose": "lose",
    "win": "win",
}
RESERVED = {"someone", "farkle", "lose", "win", "roll", "bank", "me", "everyone", "here"}
"""Words that cannot be names, as commands and messages use them."""
MOST_GOAL = 50_000
_MOST_SECONDS = 7 * 24 * 3600


class GameCommands:
    """What people type at a table."""

    def __init__(self, games: Games, questions: Questions, rules: HouseRules) -> None:
        self._games = games
        self._questions = questions
        self._rules = rules

    def by_name(self) -> dict[str, Command]:
        """The commands by their names without the slash."""
        return {
            "play": Command(
                "/play [@NAME ...]",
                "a game with people, or a bot: level:optimal",
                self._play,
                {"level": "the level of the bot to play against", **_NEW},
            ),
            "track": Command(
                "/track [@NAME ...]", "keep the score of a game with real dice", self._track, _NEW
            ),
            "join": Command(
                "/join",
                "sit down before the first roll; level: seats a bot",
                self._join,
                {"level": "the level of the bot", **GAME},
                takes_words=False,
            ),
            "seed": Command("/seed TEXT", "add your share to the dice", self._seed, GAME),
            "roll": Command("/roll", "roll; with the dice where they are real", self._roll, GAME),
            "keep": Command(
                "/keep DICE [bank]",
                "set dice aside; then roll or bank at once",
                self._keep,
                GAME,
            ),
            "bank": Command("/bank", "bank the turn total", self._bank, GAME, takes_words=False),
            "undo": Command(
                "/undo", "take the last move back, before the next roll", self._undo, GAME, False
            ),
            "score": Command(
                "/score [NAME] POINTS",
                "a turn with real dice; also farkle, lose, win",
                self._score,
                GAME,
            ),
            "fix": Command(
                "/fix NAME [SCORE]",
                "put a score right; next:NAME the turn",
                self._fix,
                {"farkles": "farkles in a row", "next": "whose turn it is", **GAME},
            ),
            "hint": Command(
                "/hint", "what is best, for the player to move", self._hint, GAME, False
            ),
            "show": Command("/show", "the table", self._show, GAME, takes_words=False),
            "games": Command("/games", "the open games", self._list, {}, takes_words=False),
            "skip": Command(
                "/skip", "pass the turn of a player who is away", self._skip, GAME, False
            ),
            "replace": Command(
                "/replace",
                "have a bot play on for who is away",
                self._replace,
                {"level": "the level of the bot", **GAME},
                takes_words=False,
            ),
            "settings": Command(
                "/settings",
                "of this place: games:N, how many may be open at once",
                self._settings,
                {
                    "games": "how many may be open at once, 1 to 20",
                    "mentions": "yes: mention the player to move, on Discord",
                    "posts": "yes: tell the odds after each turn in a message, on Discord",
                },
                takes_words=False,
            ),
            "resign": Command("/resign", "give up", self._resign, GAME, takes_words=False),
            "end": Command("/end", "end the game without a result", self._end, GAME, False),
        }

    async def resume(self, caller: Caller) -> AsyncIterator[Reply]:
        """Go on with the turns of bots at which the program was ended."""
        for table in await self._games.tables.open_at(caller.place):
            async for news in self._games.bots(table):
                yield await self._news(news)

    async def _play(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        level, rules = _level(line), await self._ruleset(line, caller)
        usual = await asyncio.to_thread(self._games.oracle.best_level, rules)
        players = [Player(person=caller.person), *_players(line.words, caller, level or usual)]
        if level and not any(player.level for player in players):
            players.append(Player(level=level))
        async for news in self._games.play(
            caller,
            players,
            rules,
            hints=line.choice("hints", YES_OR_NO) is not False,
            away_seconds=_away(line),
        ):
            yield await self._news(news)

    async def _track(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        players = [Player(person=caller.person), *_players(line.words, caller, "optimal")]
        async for news in self._games.play(
            caller,
            players,
            await self._ruleset(line, caller),
            tracked=True,
            hints=line.choice("hints", YES_OR_NO) is not False,
            away_seconds=_away(line),
        ):
            yield await self._news(news)

    async def _join(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.join(caller, table_of(line), _level(line)):
            yield await self._news(news)

    async def _seed(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.seed(caller, table_of(line), line.words):
            yield await self._news(news)

    async def _roll(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.roll(caller, table_of(line), line.words or None):
            yield await self._news(news)

    async def _keep(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        dice, _, last = line.words.rpartition(" ")
        then: Literal["roll", "bank"] | None = None
        if last.lower() in {"roll", "bank"}:
            then = "roll" if last.lower() == "roll" else "bank"
        else:
            dice = line.words
        async for news in self._games.keep(caller, table_of(line), dice, then):
            yield await self._news(news)

    async def _bank(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.bank(caller, table_of(line)):
            yield await self._news(news)

    async def _undo(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.undo(caller, table_of(line)):
            yield await self._news(news)

    async def _score(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        accepted = "a turn is told by its points, farkle, lose or win, as in /score ann 550,"
        words = line.words.split()
        # "farkle 300" where a farkle keeps the turn total
        ending = next((_ENDINGS[word.lower()] for word in words if word.lower() in _ENDINGS), None)
        words = [word for word in words if word.lower() not in _ENDINGS]
        points = 0
        if words and words[-1].lstrip("+-").replace(",", "").isdigit():
            points = whole_number(words.pop(), accepted)
        elif ending is None:
            raise InvalidRequestError(f'{accepted} not "{line.words}"')
        if len(words) > 1:
            raise InvalidRequestError(f'{accepted} not "{line.words}"')
        name = words[0] if words else None
        async for news in self._games.score(caller, table_of(line), name, points, ending or "bank"):
            yield await self._news(news)

    async def _fix(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        accepted = "/fix takes a name and a score, as in /fix ann 4200,"
        words = line.words.split()
        score = whole_number(words.pop(), accepted) if len(words) == 2 else None
        following = line.options.get("next")
        name = words[0] if len(words) == 1 else following
        farkles = line.number("farkles")
        nothing = score is None and farkles is None and following is None
        if len(words) > 1 or name is None or nothing:
            raise InvalidRequestError(f'{accepted} not "{line.words}"')
        if following and words:
            raise InvalidRequestError("/fix next:NAME says whose turn it is and nothing else")
        async for news in self._games.fix(
            caller,
            table_of(line),
            name,
            score=score,
            farkles=farkles,
            moves=following is not None,
        ):
            yield await self._news(news)

    async def _hint(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        hint = await self._questions.hint(caller, table_of(line))
        found = hint.advice or hint.odds
        data = answer_data(found) if found else {}
        yield Reply(hint_text(hint), data, private=True, subject=hint)

    async def _show(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        table, chances = await self._questions.shown(caller, table_of(line))
        yield Reply(
            table_text(table, chances),
            table_data(table, chances),
            subject=News(table.game, (), table, chances),
        )
        async for news in self._games.bots(table):
            yield await self._news(news)

    async def _list(self, _: Line, caller: Caller) -> AsyncIterator[Reply]:
        found = await self._games.tables.open_at(caller.place)
        yield Reply(games_text(found), [table_data(table, None) for table in found])

    async def _settings(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        settings = await change_settings(
            self._games.tables.store,
            caller,
            games=line.number("games"),
            mentions=line.choice("mentions", YES_OR_NO),
            posts=line.choice("posts", YES_OR_NO),
        )
        games = "1 game" if settings.games == 1 else f"{settings.games} games"
        lines = [f"At most {games} may be open here at once."]
        lines += ["The player to move is mentioned."] if settings.mentions else []
        lines += ["Odds are told in a message after each turn."] if settings.posts else []
        yield Reply("\n".join(lines), settings_data(settings))

    async def _skip(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.away(caller, table_of(line), None):
            yield await self._news(news)

    async def _replace(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.away(caller, table_of(line), _level(line) or "max-points"):
            yield await self._news(news)

    async def _resign(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.resign(caller, table_of(line)):
            yield await self._news(news)

    async def _end(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async for news in self._games.end(caller, table_of(line)):
            yield await self._news(news)

    async def _ruleset(self, line: Line, caller: Caller) -> Ruleset:
        """The rules to play by: those named or the place's own; with another goal if given."""
        reference = line.options.get("rules") or await self._rules.default(caller.place)
        rules = await self._rules.resolve(caller.place, reference)
        goal = line.number("goal")
        if goal is None or goal == rules.goal:
            return rules
        if goal > MOST_GOAL:
            raise InvalidRulesError(f"the goal can be at most {MOST_GOAL:,}, not {goal:,}")
        changed = rules.model_dump() | {"goal": goal, "name": f"{rules.name} to {goal}"}
        if wrong := complaints(changed):
            raise InvalidRulesError(
                f"the goal cannot be {goal:,} under {rules.name} rules: {wrong[0].sentence}"
            )
        return Ruleset.model_validate(changed)

    async def _news(self, news: News) -> Reply:
        game, chart = news.table.game, None
        if game.over and game.shares is not None and game.last is not None:
            chart = await self._games.oracle.chart(news.table)
        return Reply(news_text(news), news_data(news), chart=chart, subject=news)


def table_of(line: Line) -> str | None:
    """The game that a line names."""
    return line.options.get("game")


def _level(line: Line) -> str | None:
    level = line.options.get("level")
    return None if level is None else level_named(level)


def level_named(name: str) -> str:
    """A level of play by its name. Raises InvalidRequestError."""
    level = name.removeprefix("@").lower()
    if level not in LEVELS:
        raise InvalidRequestError(f'there is no level "{name}"{did_you_mean(level, list(LEVELS))}')
    return level


def _away(line: Line) -> int | None:
    seconds = line.number("away")
    if seconds is not None and not 10 <= seconds <= _MOST_SECONDS:
        raise InvalidRequestError(f"away: takes 10 to {_MOST_SECONDS} seconds, not {seconds}")
    return seconds


def _players(words: str, caller: Caller, level: str) -> list[Player]:
    """Who is named: bots by level or as "bot", which has the level given; people by other names."""
    players = []
    for word in words.replace(",", " ").split():
        if known := caller.people.get(word):
            players.append(Player(person=known))
            continue
        found = _NAME.fullmatch(word)
        if not found:
            raise InvalidRequestError(
                f'"{word}" is no name: names are up to 30 letters and digits, as in @ann'
            )
        name = found[1]
        if name.lower() in RESERVED:
            raise InvalidRequestError(f'"{name}" means something else here: take another name')
        if name.lower() in LEVELS:
            players.append(Player(level=name.lower()))
        elif name.lower() == "bot":
            players.append(Player(level=level))
        else:
            players.append(Player(person=named_person(caller, name)))
    return players


def named_person(caller: Caller, name: str) -> Person:
    """The person of that name on this console."""
    return Person(f"{caller.place}:{name.casefold()}", name)
