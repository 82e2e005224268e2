"""Commands that look back: reviews, records, dice, proofs, and matches between bots."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter

from bot.chat import fields
from bot.chat.commands import YES_OR_NO, Line, Reply, Stream, Word, answered_by, asked
from bot.chat.features import Core, Feature
from bot.chat.games import level_named, table_of
from bot.chat.waiting import replies, solved_for_game, stopped_text
from bot.features.records import view
from bot.features.records.service import MOST_GAMES, Match, fallen, play_match, read_season
from bot.services.games import News
from bot.services.place_settings import check_games
from bot.services.tables import Caller, Person, Table, bot_name
from bot.store import records
from bot.store.rows import DamagedGameError, MissingGameError
from bot.table.badges import thrown_places, throws
from bot.table.commands import MOST_PLAYERS
from bot.table.fair_dice import Proof, prove
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay
from bot.views.card import Attachment, Card
from bot.views.game import commitment_data, commitment_text
from bot.views.levels import level_list_data, level_list_text
from bot.views.review import review_data, review_text
from solver.errors import InvalidRequestError
from solver.play.policies import LEVELS, Optimal
from solver.play.strengths import load_strengths
from solver.rules.ruleset import FACES
from solver.turn.dice import Roll
from solver.wording import say, say_later

_LOOKED_BACK = 200
"""Games of a place among which the last one to end is found."""


_GAME = fields.Field("game", fields.GAME.meaning)
_SHOW = {say_later("moves"): True, say_later("summary"): False}
_IS_HERE = {say_later("here"): True, say_later("everywhere"): False}
_WHERE = fields.Field("where", say_later("everywhere: not only here"), choices=tuple(_IS_HERE))


def feature(core: Core) -> Feature:
    """What people ask about games that were played, and matches of bots."""
    return Feature(answered_by(RecordCommands(core)))


class RecordCommands:
    """What people ask about games that were played."""

    def __init__(self, core: Core) -> None:
        self._games, self._tables, self._oracle = core.games, core.tables, core.oracle
        self._rules, self._data = core.rules, core.settings.data
        self._back = core.back

    @asked(
        "/review",
        say_later("every decision of the last game"),
        _GAME,
        more_words=True,
        group="practise",
    )
    async def _review(self, line: Line, caller: Caller) -> Stream:
        table = await self._finished(line, caller)
        text = partial(review_text, names=table.names)
        data = partial(review_data, names=table.stored_names)
        yield replies(self._oracle.review(table, caller.asker), text, data)

    @asked(
        "/stats [NAME]",
        say_later("a player's record; two names: head to head"),
        fields.person("who", say_later("whose record; yours if left out"), else_me=True),
        fields.person("against", say_later("a player to compare with")),
        _WHERE,
        group="practise",
    )
    async def _stats(self, line: Line, caller: Caller) -> Stream:
        place = _place(line, caller)
        if len(line.arguments) > 2:
            raise InvalidRequestError.say(
                "/stats takes a name, or two to compare, as in /stats ann bob"
            )
        people = [await self._person(place, word) for word in line.arguments] or [caller.person]
        store = self._tables.store
        if len(people) == 2:
            one, other = people
            if one.id == other.id:
                raise InvalidRequestError.say("/stats compares two different people")
            both = await records.head_to_head(store, one.id, other.id, place)
            names = one.name, other.name
            text = partial(view.head_to_head_text, names)
            yield Reply(both, text, partial(view.head_to_head_data, names))
            return
        [person] = people
        text, data = partial(view.record_text, person.name), partial(view.record_data, person.name)
        yield replies(self._back.record(caller, person.id, place), text, data)

    @asked(
        "/leaderboard",
        say_later("who wins most"),
        fields.Field(
            "season", say_later("now, last or a quarter such as 2026-Q4; all if left out")
        ),
        fields.yes_no("bots", say_later("yes: bots as well; no: only games without bots")),
        _WHERE,
        examples=("/leaderboard season:now bots:no",),
        group="practise",
    )
    async def _leaderboard(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        bots = line.choice("bots", YES_OR_NO)
        typed = line.option("season")
        season = read_season(typed, self._tables.now()) if typed else None
        place = _place(line, caller)
        within = (season.begins, season.ends) if season else None
        store = self._tables.store
        standings = await records.leaderboard(store, place, bots=bots, within=within)
        everywhere = place is None
        text = partial(view.leaderboard_text, season=season, bots=bots, everywhere=everywhere)
        yield Reply(standings, text, view.leaderboard_data)

    @asked("/dice", say_later("how the dice have fallen here"), _WHERE, group="practise")
    async def _dice(self, line: Line, caller: Caller) -> Stream:
        asked = self._tables.store.database.url, _place(line, caller)
        task = self._oracle.tasks.told(caller.asker, say_later("dice statistics"), fallen, *asked)
        yield replies(task, view.dice_record_text, view.dice_record_data)

    @asked(
        "/proof [GAME]",
        say_later("how to check the dice of a game"),
        _GAME,
        more_words=True,
        group="play",
    )
    async def _proof(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        wanted = table_of(line) or line.words
        for open_table in await self._tables.open_at(caller.place):
            if open_table.game.id == wanted and open_table.game.commitment:
                yield Reply(open_table, commitment_text, commitment_data)
                return
        table = await self._finished(line, caller)
        secret = await self._tables.store.secret(table.game.id)
        if secret is None:
            raise InvalidRequestError.say(
                "that game was played with real dice, for which there is no proof"
            )
        yield Reply(proof_of(table, secret), Proof.to_json, attrgetter("data"), _proof_card)

    @asked(
        "/match LEVEL LEVEL",
        say_later("bot against bot, best of games:N"),
        fields.word(
            "first", say_later("the level of one bot"), required=True, choices=tuple(LEVELS)
        ),
        fields.word(
            "second", say_later("the level of the other"), required=True, choices=tuple(LEVELS)
        ),
        fields.word("third", say_later("the level of a third one"), choices=tuple(LEVELS)),
        fields.word("fourth", say_later("the level of a fourth one"), choices=tuple(LEVELS)),
        fields.number("games", say_later("best of how many games; 1 if left out"), 1, 99),
        fields.Field(
            "show",
            say_later("moves: every turn, game by game; summary: the results"),
            choices=tuple(_SHOW)[::-1],
        ),
        fields.rules(),
        examples=("/match optimal cautious games:5 rules:kcd",),
        group="play",
    )
    async def _match(self, line: Line, caller: Caller) -> Stream:
        levels = tuple(level_named(str(word)) for word in line.arguments)
        if not 2 <= len(levels) <= MOST_PLAYERS:
            raise InvalidRequestError.say(
                "/match takes two levels or more, as in /match optimal cautious"
            )
        with_moves = line.choice("show", _SHOW)
        rules = await self._rules.resolve(caller.place, line.option("rules"))
        games = line.number("games")
        number = 1 if games is None else games
        check_games(number, MOST_GAMES)
        if Optimal.name in levels:
            yield solved_for_game(self._oracle, self._rules, caller, rules, len(levels))
        async for outcome in play_match(self._oracle, caller.asker, levels, rules, number):
            if isinstance(outcome, Delay):
                yield outcome
            elif isinstance(outcome, Match):
                yield Reply(outcome, view.match_text, view.match_data)
            elif with_moves:
                text, data = partial(view.turns_text, levels), partial(view.turns_data, levels)
                yield Reply(outcome, text, data)

    @asked("/cancel", say_later("stop everything that is being computed for you"))
    async def _cancel(self, _: Line, caller: Caller) -> AsyncIterator[Reply]:
        stopped = await self._oracle.tasks.cancel(caller.person.id)
        yield Reply(stopped, stopped_text, lambda stopped: {"cancelled": stopped}, private=True)

    @asked(
        "/levels",
        say_later("the levels of bots, and how strong they are"),
        fields.rules(),
        group="play",
        is_question=True,
    )
    async def _levels(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        rules = await self._rules.resolve(caller.place, line.option("rules"))
        strengths = await at_once(load_strengths, self._data, rules)
        yield Reply(strengths, partial(level_list_text, rules), level_list_data)

    @asked(
        "/forget me",
        say_later("leave open games and delete what is stored about you"),
        fields.word(
            "who",
            say_later("me: delete what is stored about you"),
            required=True,
            choices=(say_later("me"),),
        ),
    )
    async def _forget(self, line: Line, caller: Caller) -> AsyncIterator[Reply | News]:
        if line.words.lower() != "me":
            raise InvalidRequestError.say(
                "type /forget me to delete what is stored about you; what is stored about others"
                " only they can delete"
            )
        async for news in self._games.leave_all(caller):
            if news.table.stored.place == caller.place:
                # who leaves did not ask how the game went
                yield replace(news, chart=None)
        changed = await records.forget(self._tables.store, caller.person.id)
        self._tables.drop()
        yield Reply(changed, view.forgotten_text, lambda number: {"games": number}, private=True)

    async def _finished(self, line: Line, caller: Caller) -> Table:
        """The game named, else the one that ended last here."""
        wanted = table_of(line) or line.words or None
        if wanted is None:
            games = await self._tables.store.recent_games(caller.place, _LOOKED_BACK)
            over = [(game.ended_at, game.id) for game in games if game.ended_at]
            if not over:
                raise InvalidRequestError.say("no game here is over yet")
            _, wanted = max(over, key=itemgetter(0))
        try:
            table = await self._tables.load(wanted)
        except MissingGameError:
            table = None
        except DamagedGameError:
            await self._tables.open_at(caller.place)  # which says so, if nobody has yet
            raise
        if table is None or table.stored.place != caller.place:
            raise InvalidRequestError.say('no game "{game}" was played here', game=wanted)
        if not table.game.over:
            raise InvalidRequestError.say(
                "that game is still going on: its proof comes when it is over"
            )
        return table

    async def _person(self, place: str | None, word: Word) -> Person:
        """Somebody who has played, as the front knows them or by their name."""
        if isinstance(word, Person):
            return word
        name = str(word).removeprefix("@")
        person = await records.find_person(self._tables.store, place, name)
        if person is None and _is_bot(name):
            raise InvalidRequestError.say(
                '"{name}" is a bot: /leaderboard bots:yes counts its games, and /levels says how'
                " strong it is",
                name=name,
            )
        if person is None:
            raise InvalidRequestError.say('nobody called "{name}" has played here', name=name)
        return Person(person, name)


def _is_bot(name: str) -> bool:
    """Whether a bot is called so at a table, where several of a level have numbers."""
    called = name.casefold().rstrip(" 0123456789")
    return any(called in {level, f"{level} bot", bot_name(level).casefold()} for level in LEVELS)


def _proof_card(proof: Proof) -> Card:
    text = say(
        "The proof of the dice of game {game}; with this program anybody can check it.",
        game=proof.game,
    )
    return Card(text, (Attachment(f"proof-{proof.game}.json", proof.to_json().encode(), "JSON"),))


def _place(line: Line, caller: Caller) -> str | None:
    return None if line.choice("where", _IS_HERE) is False else caller.place


def proof_of(table: Table, secret: bytes) -> Proof:
    """How every roll of a game follows from its secret."""
    game, rolls = table.game, throws(table.begun, table.events)
    sides = [game.side_of(number) for number, _ in enumerate(game.kits)]
    if not sides:
        return prove(game.id, secret, game.seeds, [(None, (), dice) for *_, dice in rolls])
    sets = []
    for side in sides:
        counts = [*side.dice.counts, 1][: len(side.types)]
        dice = zip(side.types, counts, strict=True)
        sets.append([die.weights for die, count in dice for _ in range(count)])
    proven = [
        (before.mover, thrown_places(before, types), _faces(dice)) for before, types, dice in rolls
    ]
    return prove(game.id, secret, game.seeds, proven, sets)


def _faces(dice: Roll) -> list[int]:
    return [(die - 1) % len(FACES) + 1 for die in dice]
