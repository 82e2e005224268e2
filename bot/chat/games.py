"""The commands of a table in a channel: parsed here, answered by the games service."""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from bot.chat import fields
from bot.chat.advice import DRAFTS, OWN, brings_dice, dice_of_players, own_kit
from bot.chat.commands import (
    YES_OR_NO,
    Command,
    Line,
    Reply,
    Stream,
    Word,
    asked,
    failure,
    whole_number,
)
from bot.chat.waiting import hinted, ready_for, ready_for_one_more, solved_for_game
from bot.languages import best_language, language_codes
from bot.layout import LONGEST_NAME, safe_text
from bot.services.games import Games, News
from bot.services.house_rules import HouseRules
from bot.services.loaded import read_fallen, read_kept, read_use
from bot.services.place_settings import AUTO, OFF, change_settings
from bot.services.situation import KCD, MOST_POINTS
from bot.services.tables import Caller, Person, Player, Table
from bot.store.rows import DamagedGameError, PlaceSettings
from bot.table.commands import MOST_PLAYERS, MOST_SEED, kept_examples, least_score, resign
from bot.table.events import Setup
from bot.table.state import place_of
from bot.tasks.answering import at_once
from bot.views.game import games_text, table_data, table_text
from solver.errors import InvalidRequestError, InvalidRollError, did_you_mean
from solver.play.policies import LEVELS, Optimal
from solver.turn.dice import Roll, parse_dice
from solver.turn.powers import MAX_USES
from solver.wording import figure, said_in, say, say_later, say_number, spoken

_NAME = re.compile(r"@?([^\W\d_][\w.-]{0,29})")
_ENDINGS: tuple[Literal["bank", "farkle", "lose", "win", "out"], ...] = (
    *("farkle", "lose", "win", "out"),
)
RESERVED = {"someone", "farkle", "lose", "win", "out", "roll", "bank", "me", "everyone", "here"}
"""Words that cannot be names, as commands and messages use them."""
_THEN: dict[str, Literal["roll", "bank", "use"]] = {"roll": "roll", "bank": "bank", "use": "use"}
_NO = {"no", "nein"}
"""What is said instead of using a badge."""
_SIGNS = "+-\N{MINUS SIGN}"
_POINTS = re.compile(rf"[{_SIGNS}]?[\d,.']*\d")
_LEAST_SECONDS, _MOST_SECONDS = 10, 7 * 24 * 3600

_OTHERS = tuple(
    fields.person(f"player{k}", say_later("a player")) for k in range(2, MOST_PLAYERS + 1)
)
_OF_NEW = (
    fields.rules(),
    fields.goal(),
    fields.yes_no("hints", say_later("no: forbid hints")),
    fields.number(
        "away",
        say_later("seconds without a move until a player may be skipped or replaced"),
        _LEAST_SECONDS,
        _MOST_SECONDS,
    ),
    *fields.SETS,
)
_ABSENT = fields.person("who", say_later("which player; the one to move if left out"))
_LEAVER = fields.person("who", say_later("which player leaves; you if left out"))
_SURE = fields.yes_no("sure", say_later("yes: do it without asking back"))


def _plain(
    move: Callable[[Games, Caller, str | None], AsyncIterator[News]], usage: str, summary: str
) -> Command:
    """A command that is answered by a move which needs no more than a table."""

    def answer(own: "GameCommands", line: Line, caller: Caller) -> AsyncIterator[News]:
        return move(own.games, caller, table_of(line))

    return asked(usage, summary, fields.GAME)(answer)


class GameCommands:
    """What people type at a table."""

    def __init__(self, games: Games, rules: HouseRules) -> None:
        self.games = games
        self._rules = rules

    async def resume(self, caller: Caller) -> Stream:
        """Go on with the turns of bots at which the program was ended."""
        try:
            tables = await self.games.tables.open_at(caller.place)
        except DamagedGameError as error:
            yield failure(error)
            tables = await self.games.tables.open_at(caller.place)
        for table in tables:
            yield self.games.bots(table)

    @asked(
        "/play [@NAME ...]",
        say_later("a game with people, or a bot: level:optimal"),
        _OTHERS[0],
        fields.level(say_later("the level of the bot to play against")),
        *_OF_NEW,
        fields.Field(
            "draft",
            say_later("choose or deal: pairs of loaded dice, taken or dealt"),
            choices=DRAFTS,
        ),
        *_OTHERS[1:],
        examples=("/play @bob bot level:greedy rules:kcd goal:2000",),
    )
    async def _play(self, line: Line, caller: Caller) -> Stream:
        level, setup = _level(line), await self._setup(line, caller)

        def players(usual: str) -> list[Player]:
            all_players = _players(line.arguments, caller, level or usual)
            if level and all(isinstance(player, Person) for player in all_players):
                all_players.append(level)
            return all_players

        usual = Optimal.name  # dice that players bring are always solved
        if not brings_dice(line):
            yield self._solved_first(caller, players(usual), setup)
            usual = await at_once(self.games.oracle.best_level, setup.rules)
        yield self._begun(line, caller, players(usual), setup)

    @asked(
        "/track [@NAME ...]",
        say_later("keep the score of a game with real dice"),
        _OTHERS[0],
        fields.yes_no("me", say_later("no: you keep the score and do not play")),
        *_OF_NEW,
        *_OTHERS[1:],
        examples=("/track @bob @carl", "/score 550", "/score bob farkle"),
    )
    async def _track(self, line: Line, caller: Caller) -> Stream:
        players = _players(line.arguments, caller, "optimal")
        if line.choice("me", YES_OR_NO) is False:
            players = players[1:]
            if not players:
                raise InvalidRequestError.say("say who plays, as in /track @bob @carl me:no")
        setup = await self._setup(line, caller, tracked=True)
        if not brings_dice(line):
            yield self._solved_first(caller, players, setup)
        yield self._begun(line, caller, players, setup)

    async def _setup(self, line: Line, caller: Caller, *, tracked: bool = False) -> Setup:
        """What a game is set up with, but for the dice that players bring.

        The rules are those named or the place's own; with another goal if given. Where players
        bring their dice, they are those of Kingdom Come if none are named.
        """
        brings = brings_dice(line)
        usual = KCD if brings else await self._rules.default(caller.place)
        rules = await self._rules.resolve(caller.place, line.option("rules") or usual)
        return Setup(
            # questions on loaded dice tell the goal beside the name
            rules=line.to_goal(rules, named=not brings),
            tracked=tracked,
            hints=line.choice("hints", YES_OR_NO) is not False,
            away_seconds=_away(line),
            joker_alone=line.choice("joker-alone", YES_OR_NO) is True,
        )

    async def _solved_first(self, caller: Caller, players: list[Player], setup: Setup) -> Stream:
        """Have rules solved before a game of them begins, once it is known that it can."""
        await self.games.check_begin(caller, players, tracked=setup.tracked)
        yield solved_for_game(self.games.oracle, self._rules, caller, setup.rules, len(players))

    async def _begun(
        self, line: Line, caller: Caller, players: list[Player], setup: Setup
    ) -> Stream:
        kits, pool = dice_of_players(line, setup.rules, len(players), tracked=setup.tracked)
        setup = replace(setup, kits=kits, pool=pool)
        yield self.games.prepare(caller, players, setup)
        yield self.games.play(caller, players, setup)

    @asked(
        "/join",
        say_later("join before the first roll; level: adds a bot"),
        *(fields.level(), *OWN, fields.GAME),
    )
    async def _join(self, line: Line, caller: Caller) -> Stream:
        level, kit = _level(line), None
        game = (await self.games.tables.find(caller, table_of(line))).game
        if any(field.name in line.options for field in OWN):
            kit = own_kit(line, game)
            yield self.games.prepare_join(caller, table_of(line), level, kit)
        else:
            yield ready_for_one_more(self.games.oracle, self._rules, caller, game)
        yield self.games.join(caller, table_of(line), level, kit)

    @asked(
        "/pick DIE",
        say_later("take a pair of the dice that are laid out"),
        fields.word("die", say_later("its name, such as lucky"), required=True),
        fields.GAME,
        examples=("/play @bob draft:choose",),
    )
    async def _pick(self, line: Line, caller: Caller) -> Stream:
        table = await self.games.tables.find(caller, table_of(line))
        if table.game.is_drafting:
            table.acting_seat(caller)  # who may not take any is told that first
        yield self.games.pick(caller, table_of(line), place_of(table.game, line.words))

    @asked(
        "/seed TEXT",
        say_later("add your own randomness to the dice"),
        fields.word("text", say_later("any text"), most=MOST_SEED, required=True),
        fields.GAME,
        is_exact=True,
    )
    def _seed(self, line: Line, caller: Caller) -> AsyncIterator[News]:
        return self.games.seed(caller, table_of(line), line.words)

    @asked(
        "/roll",
        say_later("roll; with real dice tell what fell"),
        fields.word("dice", say_later("the dice you rolled, if they are real"), most=60),
        fields.GAME,
        examples=("/roll 6 5 3 3 3 2",),
    )
    async def _roll(self, line: Line, caller: Caller) -> Stream:
        dice: Roll | None = None
        if line.words:
            table = await self.games.tables.find(caller, table_of(line))
            # where nobody asks for dice they are refused whatever they are
            dice = typed_dice(line.words, table, caller) if table.game.tracked else ()
        yield self.games.roll(caller, table_of(line), dice)

    @asked(
        "/keep DICE [bank]",
        say_later("set dice aside; then roll or bank at once"),
        fields.ROLL,
        fields.word(
            "then", say_later("what to do then"), choices=(say_later("roll"), say_later("bank"))
        ),
        fields.GAME,
        examples=("/keep 5 3 3 3 bank",),
    )
    async def _keep(self, line: Line, caller: Caller) -> Stream:
        typed = [str(word) for word in line.arguments]
        if then := _THEN.get(typed[-1].lower()) if typed else None:
            typed.pop()
        table = await self.games.tables.find(caller, table_of(line))
        kept = typed_dice(" ".join(typed), table, caller, kept=True)
        yield self.games.keep(caller, table_of(line), kept, then)

    _take = _plain(Games.take_over, "/take", say_later("roll on with what the player before left"))
    _bank = _plain(Games.bank, "/bank", say_later("bank the turn total"))

    @asked(
        "/use [DICE]",
        say_later("use your badge; no: keep it and take the farkle"),
        fields.word("dice", say_later("dice of the roll; or no"), most=60),
        fields.GAME,
        examples=("/use 5 5 3",),
    )
    async def _use(self, line: Line, caller: Caller) -> Stream:
        if line.words.casefold() in _NO:
            yield self.games.accept(caller, table_of(line))
        else:
            table = await self.games.tables.find(caller, table_of(line))
            name = table.names[table.game.mover]
            try:
                dice, fallen = read_use(table.game, line.words, name)
            except InvalidRollError:
                table.acting_seat(caller)  # who may not move at all is told that first
                raise
            yield self.games.use(caller, table_of(line), dice, fallen)

    _undo = _plain(Games.undo, "/undo", say_later("take the last move back, before the next roll"))

    @asked(
        "/score [NAME] POINTS",
        say_later("a turn with real dice; also farkle, lose, win, out"),
        fields.person("who", say_later("whose turn it was; only needed if it was not yours")),
        fields.number("points", say_later("points of the turn"), is_word=True),
        fields.word(
            "ending",
            say_later("if it ended without a bank"),
            choices=(
                *(say_later("farkle"), say_later("lose")),
                *(say_later("win"), say_later("out")),
            ),
        ),
        fields.GAME,
        examples=("/score ann 550",),
    )
    def _score(self, line: Line, caller: Caller) -> AsyncIterator[News]:
        # "farkle 300" where a farkle keeps the turn total
        endings = [end for word in line.arguments for end in _ENDINGS if _lower(word) == end]
        words = [word for word in line.arguments if _lower(word) not in _ENDINGS]
        who, typed = _name_and_number(words, line, no_turn)
        points = None if typed is None else whole_number(typed, no_turn)
        if points is None and not endings:
            raise InvalidRequestError(no_turn(line.words))
        ending = endings[0] if endings else "bank"
        return self.games.score(caller, table_of(line), who, points or 0, ending)

    @asked(
        "/fix NAME [SCORE]",
        say_later("put a score right; next:NAME says whose turn it is"),
        fields.person("who", say_later("whose score; yours if left out"), else_me=True),
        fields.number("score", say_later("the right number"), -MOST_POINTS, is_word=True),
        fields.number("farkles", say_later("farkles in a row"), most=10),
        fields.number("uses", say_later("uses of the badge that are left"), most=MAX_USES),
        fields.Field("next", say_later("whose turn it is"), fields.Kind.PERSON),
        fields.GAME,
        examples=("/fix ann 4200 farkles:1",),
    )
    async def _fix(self, line: Line, caller: Caller) -> Stream:
        named, typed = _name_and_number(line.arguments, line, _no_fix)
        following = line.options.get("next")
        who = named or (None if following is None else _who(following))
        farkles, uses = _whole(line, "farkles"), _whole(line, "uses")
        nothing = all(part is None for part in (typed, farkles, uses, following))
        if who is None or nothing:
            raise InvalidRequestError(_no_fix(line.words))
        if following and line.arguments:
            raise InvalidRequestError.say("/fix next:NAME says whose turn it is and nothing else")
        score = None if typed is None else whole_number(typed, _no_fix)
        if score is not None and str(typed)[0] in _SIGNS:
            table = await self.games.tables.find(caller, table_of(line))
            table.check_may_track(caller)
            _check_whole(table, who, score, str(typed)[0])
        yield self.games.fix(
            caller,
            table_of(line),
            who,
            score=score,
            farkles=farkles,
            uses=uses,
            moves=following is not None,
        )

    @asked("/hint", say_later("what is best, for the player to move"), fields.GAME)
    async def _hint(self, line: Line, caller: Caller) -> Stream:
        table = await self.games.tables.find(caller, table_of(line))
        table.check_hint(caller)
        yield ready_for(self.games.oracle, self._rules, caller, table.game)
        yield hinted(self.games.hint(caller, table_of(line)), table.game)

    @asked("/show", say_later("the table"), fields.GAME)
    async def _show(self, line: Line, caller: Caller) -> Stream:
        table = await self.games.tables.find(caller, table_of(line))
        self.games.tables.note_seen(caller)
        shown = await self.games.shown(table)
        yield Reply(shown, table_text, lambda news: table_data(news.table, news.chances))
        yield self.games.bots(table)

    @asked("/games", say_later("the open games"))
    async def _list(self, _: Line, caller: Caller) -> AsyncIterator[Reply]:
        games = await self.games.tables.open_at(caller.place)
        self.games.tables.note_seen(caller)
        yield Reply(games, games_text, lambda tables: [table_data(table, None) for table in tables])

    @asked(
        "/skip [NAME]",
        say_later("skip the turn of a player who is away"),
        *(_ABSENT, fields.GAME),
        takes_name=True,
    )
    def _skip(self, line: Line, caller: Caller) -> AsyncIterator[News]:
        return self.games.away(caller, table_of(line), None, _player(line, "/skip bob"))

    @asked(
        "/replace [NAME]",
        say_later("let a bot play on for a player who is away"),
        *(_ABSENT, fields.level(), fields.GAME),
        takes_name=True,
    )
    def _replace(self, line: Line, caller: Caller) -> AsyncIterator[News]:
        level, who = _level(line) or "max-points", _player(line, "/replace bob")
        return self.games.away(caller, table_of(line), level, who)

    @asked(
        "/settings",
        say_later("settings here, such as games:N open games at once"),
        fields.number("games", say_later("how many may be open at once, 1 to 20"), 1, 20),
        fields.yes_no("mentions", say_later("yes: mention the player to move, on Discord")),
        fields.yes_no("posts", say_later("yes: post the odds after each turn, on Discord")),
        fields.yes_no("threads", say_later("yes: a thread for every game, on Discord")),
        fields.Field(
            "daily",
            say_later("the hour (UTC) of the daily position on Discord, or off"),
            choices=(*map(str, range(24)), OFF),
        ),
        fields.Field(
            "language",
            say_later("the language of answers here on Discord; auto: each person's own"),
            choices=(*language_codes(), AUTO),
        ),
    )
    async def _settings(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        settings = await change_settings(
            self.games.tables.store,
            caller,
            games=line.number("games"),
            language=line.option("language"),
            daily=line.option("daily"),
            **{name: line.choice(name, YES_OR_NO) for name in ("mentions", "posts", "threads")},
        )
        chosen = best_language(settings.language) if settings.language else spoken()
        yield Reply(settings, lambda state: said_in(chosen, settings_text, state), settings_data)

    @asked(
        "/leave [NAME]",
        say_later("get up from the table, or give up once the game has begun"),
        *(_LEAVER, _SURE, fields.GAME),
        takes_name=True,
        examples=("/leave bob",),
    )
    def _leave(self, line: Line, caller: Caller) -> Stream:
        return self._end_part(line, caller, "/leave", self.games.leave)

    @asked("/resign [NAME]", say_later("give up"), *(_LEAVER, _SURE, fields.GAME), takes_name=True)
    def _resign(self, line: Line, caller: Caller) -> Stream:
        return self._end_part(line, caller, "/resign", self.games.resign)

    _end = _plain(Games.end, "/end", say_later("end the game without a result"))

    async def _end_part(
        self, line: Line, caller: Caller, command: str, end: Callable[..., AsyncIterator[News]]
    ) -> Stream:
        """End somebody's part in a game.

        Raises FarkleError, also where nothing could bring it back and nobody said to be sure.
        """
        who = _player(line, f"{command} bob")
        table = await self.games.tables.find(caller, table_of(line))
        seat, game = table.seat_for(caller, who), table.game
        is_sure = line.choice("sure", YES_OR_NO) is True
        if not (is_sure or game.tracked or game.may_be_left):
            resign(game, seat)  # who cannot is told so, and not asked
            raise InvalidRequestError.say(
                "this gives up game {game} for {name}, for good: {command} sure:yes does it",
                name=table.names[seat],
                game=game.id,
                command=f"{command} {line.words}".strip(),
            )
        yield end(caller, game.id, who)


def typed_dice(typed: str, table: Table, caller: Caller, *, kept: bool = False) -> Roll:
    """Dice as typed, as many as the rules of a table have at most. Raises FarkleError.

    kept : whether they are dice of the roll on the table
    """
    game = table.game
    try:
        if game.kits and kept:
            return read_kept(game, typed)
        if game.kits:
            return read_fallen(game, typed, table.names[game.mover])
        return parse_dice(typed, most=game.rules.dice)
    except InvalidRollError:
        # who may not move at all is told that first
        table.acting_seat(caller)
        if not (kept and game.turn.roll) or game.kits or game.is_farkle:
            raise
        what = (
            say('"{dice}" cannot be kept', dice=typed) if typed else say("say which dice to keep")
        )
        raise InvalidRollError.say(
            "{what}: {examples}, and then roll or bank", what=what, examples=kept_examples(game)
        ) from None


def settings_data(settings: PlaceSettings) -> dict[str, Any]:
    """What holds in a place, as plain data."""
    return {**asdict(settings), "daily": settings.daily if settings.daily >= 0 else None}


def settings_text(settings: PlaceSettings) -> str:
    """What holds in a place, in the language that is set for it."""
    lines = [say_number("At most {number} [game|games] can be open here at once.", settings.games)]
    if settings.mentions:
        lines.append(say("The player to move is mentioned."))
    if settings.posts:
        lines.append(say("The odds are posted after each turn."))
    if settings.threads:
        lines.append(say("Every game gets a thread, on Discord."))
    if settings.daily >= 0:
        hour = f"{settings.daily:02}"
        lines.append(say("The daily position is posted at {hour}:00 UTC, on Discord.", hour=hour))
    spoken_here = say_later("On Discord everybody is answered in their own language.")
    if settings.language:
        spoken_here = say_later(
            "Answers on Discord are in {language} here; a console speaks the language that"
            " FARKLE_LANGUAGE says as it starts."
        )
    return "\n".join([*lines, say(spoken_here, language=spoken().name)])


def table_of(line: Line) -> str | None:
    """The game that a line names."""
    return line.option("game")


def _level(line: Line) -> str | None:
    level = line.option("level")
    return None if level is None else level_named(level)


def level_named(name: str) -> str:
    """A level of play by its name. Raises InvalidRequestError."""
    level = name.removeprefix("@").lower()
    if level not in LEVELS:
        known = did_you_mean(level, list(LEVELS))
        raise InvalidRequestError.say('there is no level "{level}"{known}', level=name, known=known)
    return level


def _away(line: Line) -> int | None:
    seconds = line.number("away")
    if seconds is not None and not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        raise InvalidRequestError.say(
            "away: takes {least} to {most} seconds, not {number}",
            least=_LEAST_SECONDS,
            most=_MOST_SECONDS,
            number=seconds,
        )
    return seconds


def no_turn(text: str) -> str:
    """The sentence that what was typed is no turn with real dice, and what is one."""
    if not text:
        return say("give the points of the turn, farkle, lose or win, as in /score ann 550")
    return say(
        'give the points of the turn, farkle, lose or win, as in /score ann 550, not "{text}"',
        text=text,
    )


def _no_fix(text: str) -> str:
    if not text:
        return say("/fix takes a name and a score, as in /fix ann 4200")
    return say('/fix takes a name and a score, as in /fix ann 4200, not "{text}"', text=text)


def _player(line: Line, example: str) -> Person | str | None:
    """The player that a line names, None for nobody. Raises InvalidRequestError for more."""
    if len(line.arguments) > 1:
        raise InvalidRequestError.say(
            'this takes the name of one player, as in {example}, not "{words}"',
            example=example,
            words=line.words,
        )
    return _who(line.arguments[0]) if line.arguments else None


def _name_and_number(
    words: Sequence[Word], line: Line, refusal: Callable[[str], str]
) -> tuple[Person | str | None, Word | None]:
    """A name and a number as typed, in any order; None for what is left out.

    Raises InvalidRequestError with the refusal where there is more or something else.
    """
    numbers = [word for word in words if _POINTS.fullmatch(_lower(word))]
    names = [_who(word) for word in words if word not in numbers]
    if len(numbers) > 1 or len(names) > 1:
        raise InvalidRequestError(refusal(line.words))
    return names[0] if names else None, numbers[0] if numbers else None


def _whole(line: Line, option: str) -> int | None:
    """An option that is set and not added to. Raises InvalidRequestError."""
    text = line.option(option) or ""
    if text.startswith("+"):
        raise InvalidRequestError.say(
            '{option}: takes the new number, not a change; write it without a sign, not "{text}"',
            option=option,
            text=text,
        )
    return line.number(option)


def _check_whole(table: Table, who: Person | str, number: int, sign: str) -> None:
    """Refuse a score with a sign that looks like a change of the old one.

    Raises InvalidRequestError.
    """
    seat = table.seat_named(who)
    score, least = table.game.seats[seat].score, least_score(table.game.rules)
    may_be = least <= number < 0
    if (may_be and score <= 0) or score + number < least:
        return
    parts = {
        "name": table.names[seat],
        "score": score,
        "change": f"{sign}{figure(abs(number))}",
        "total": score + number,
    }
    refusal = say(
        "/fix sets the whole score and adds nothing: {name} has {score:,}, so for {change} write"
        " /fix {name} {total}",
        **parts,
    )
    if may_be:
        refusal += say("; if the score really is {change}, write /fix {name} 0 first", **parts)
    raise InvalidRequestError(refusal)


def _lower(word: Word) -> str:
    """A word or number as it is compared, a person as nothing."""
    return "" if isinstance(word, Person) else str(word).lower()


def _who(word: Word) -> Person | str:
    """A player as the front knows them, or their name."""
    return word if isinstance(word, Person) else str(word)


def _players(arguments: Sequence[Word], caller: Caller, level: str) -> list[Player]:
    """The caller, and who is named: bots by level or as "bot", which has the level given."""
    players: list[Player] = [caller.person]
    players += [argument for argument in arguments if isinstance(argument, Person)]
    typed = ",".join(str(argument) for argument in arguments if not isinstance(argument, Person))
    for word in filter(None, map(str.strip, typed.split(","))):
        hit = _NAME.fullmatch(word)
        if not hit:
            raise InvalidRequestError.say(
                '"{word}" is not a name: names are up to 30 letters and digits, as in @ann',
                word=word,
            )
        name = safe_text(hit[1], LONGEST_NAME)
        if not name or name.lower() in RESERVED:
            raise InvalidRequestError.say(
                '"{name}" already means something here: choose another name', name=name
            )
        if name.lower() in LEVELS:
            players.append(name.lower())
        elif name.lower() == "bot":
            players.append(level)
        else:
            players.append(Person(f"{caller.place}:{name.casefold()}", name))
    return players
