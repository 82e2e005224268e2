"""The commands that ask about a position: as typed, else that of the game here."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from bot.chat import fields
from bot.chat.cards import answer_card
from bot.chat.commands import YES_OR_NO, Line, Reply, Stream, asked
from bot.chat.fields import SETS
from bot.chat.presses import AskPress, Press, QuestionPress
from bot.chat.waiting import ready_for, ready_to_answer, solved_first
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.loaded import NEXT_PLAYER, ORDINARY, LoadedDice, read_kits
from bot.services.situation import (
    KCD,
    ME_OR_THEM,
    POSITION_FIELDS,
    FieldKind,
    Situation,
    check_asked,
    dice_and_numbers,
    has_sets,
    left_to_roll,
    opened,
    rolled,
)
from bot.services.tables import Caller, Table, Tables, check_hints
from bot.table.commands import MOST_PLAYERS, check_seats
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.views.advice import answer_text
from bot.views.answer_data import answer_data
from bot.views.game import NOT_EXACT
from solver.errors import InvalidRequestError
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.drafts import LAID_OUT, dealt, drawn, pairs_of
from solver.named.sets import NamedDie, read_set
from solver.play.advice import Advice, Odds, read_id
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Remaining, Roll
from solver.wording import say, say_later

OWN = SETS[0], SETS[2]
"""What one player brings."""
DRAFTS = say_later("choose"), say_later("deal")
"""How dice are drafted: taken in turn, or dealt."""
_IS_DEALT = {DRAFTS[1]: True, DRAFTS[0]: False}


def brings_dice(line: Line) -> bool:
    """Whether players have dice of their own in a game. Raises InvalidRequestError."""
    return has_sets(line.options) or "draft" in line.options


def kits_of(line: Line, rules: Ruleset, situation: Situation | None = None) -> tuple[Kit, ...]:
    """What a line says that two players bring, or all of a situation. Raises FarkleError."""
    typed = map(line.option, ("my-dice", "their-dice", "my-badge", "their-badge"))
    return read_kits(rules, *typed, situation=situation)


def dice_told(line: Line, rules: Ruleset, situation: Situation | None = None) -> LoadedDice:
    """What a line says that players bring, and of their jokers. Raises FarkleError."""
    joker_alone = line.choice("joker-alone", YES_OR_NO) is True
    return LoadedDice(rules, kits_of(line, rules, situation), joker_alone)


def kits_of_all(line: Line, rules: Ruleset, players: int) -> tuple[Kit, ...]:
    """What all bring who play: so many, or one for each set that is named where these are more.

    Where one set is named for the others, all of them throw it. Raises FarkleError.
    """
    sets = (line.option("their-dice") or ORDINARY).split(NEXT_PLAYER)
    if len(sets) == 1 and players <= 2:
        return kits_of(line, rules)
    if 1 < len(sets) < players - 1:
        raise InvalidRequestError.say(
            "their-dice: names dice for {found} players, but {players} play against you",
            found=len(sets),
            players=players - 1,
        )
    if len(sets) == 1:
        sets *= players - 1
    check_seats(1 + len(sets), MOST_PLAYERS)
    badges = [
        read_badge(text) if (text := line.option(name)) else None
        for name in ("my-badge", "their-badge")
    ]
    mine = Kit(read_set(line.option("my-dice") or ORDINARY, rules.dice), badges[0])
    return (mine, *(Kit(read_set(text, rules.dice), badges[1]) for text in sets))


def own_kit(line: Line, game: Game) -> Kit:
    """What the next one to sit down brings; what is not said is as the game was begun.

    Raises FarkleError.
    """
    usual = game.kit_of(-1)
    dice, badge = line.option("my-dice"), line.option("my-badge")
    return Kit(
        usual.dice if dice is None else read_set(dice, game.rules.dice),
        usual.badge if badge is None else read_badge(badge),
    )


def dice_of_players(
    line: Line, rules: Ruleset, players: int, *, tracked: bool
) -> tuple[tuple[Kit, ...], tuple[NamedDie, ...]]:
    """What players bring, and of what they take their dice in turn. Raises FarkleError."""
    is_dealt = line.choice("draft", _IS_DEALT)
    if is_dealt is None:
        return (kits_of_all(line, rules, players) if has_sets(line.options) else ()), ()
    if tracked or any(field.name in line.options for field in SETS):
        raise InvalidRequestError.say(
            "draft: hands out the dice to both players: name none, and use no real ones"
        )
    chance = random.SystemRandom()
    if is_dealt:
        mine, theirs = dealt(chance, rules.dice)
        return (Kit(mine), Kit(theirs)), ()
    pairs_of(rules.dice)
    return (), drawn(chance, LAID_OUT)


T = TypeVar("T")

_ENDINGS = fields.yes_no("endings", say_later("yes: how the turn ends after each choice"))


class PositionQuestions:
    """Questions about a position that is told, or that of the game here."""

    def __init__(self, oracle: Oracle, rules: HouseRules, tables: Tables) -> None:
        self.oracle = oracle
        self.rules = rules
        self.tables = tables

    async def answered(
        self,
        line: Line,
        caller: Caller,
        of_game: Callable[..., T],
        of_position: Callable[..., T],
        reply: Callable[[T, Table | None], Awaitable[Reply]],
        *,
        is_rolled: bool = False,
        is_long: bool = False,
    ) -> Stream:
        """What there is to say, after what has to be solved for it where that is quick.

        of_game : works it out for the game here
        of_position : works it out for a position that is told, before a roll of what is left
        reply : makes a reply of it, and of the table here if it is of that
        is_rolled : whether the words of the line are a roll, which `of_position` takes first, and
            `of_game` after the game, with the name of the player to move
        is_long : whether it takes more than a few milliseconds, of two as well
        """
        oracle = self.oracle
        here, open_games = await self.tables.asked_at(caller, has_position=bool(line.options))
        if here and not line.options:
            game = replace(here.game, before=None)
            yield ready_for(oracle, self.rules, caller, game)
            named = (line.words, here.names[game.mover]) if is_rolled else ()
            answer = await oracle.answered_in(game, caller.asker, of_game, game, *named)
            yield await reply(answer, here)
            return
        meant = await self.meant(line, caller, here)
        situation = _situation(line, meant)
        roll, left = _dice(line, situation, is_rolled=is_rolled)
        check_hints(open_games, caller, meant, situation.scores, roll)
        asked = (left, situation) if roll is None else (roll, left, situation)
        players, dice = situation.players, situation.dice
        if players == 2 and not (dice or is_long) and oracle.advisor.is_at_hand(meant):
            yield await reply(of_position(*asked), None)
            return
        check = partial(check_asked, situation, left)
        yield ready_to_answer(oracle, self.rules, caller, situation, check)
        matchup, how = dice.matchup if dice else None, (caller.asker, meant, of_position)
        answer = await oracle.answered(*how, *asked, players=players, matchup=matchup)
        yield await reply(answer, None)

    async def meant(self, line: Line, caller: Caller, here: Table | None) -> Ruleset:
        """The rules that are meant: named, of the game here, of the place; maybe to another goal.

        Raises FarkleError.
        """
        named, own = line.option("rules"), has_sets(line.options)
        if own:
            named = named or KCD
        if named is None and here is not None:
            rules = here.game.rules
        else:
            rules = await self.rules.resolve(caller.place, named)
        return line.to_goal(rules, named=not own)

    @asked(
        "/advise DICE",
        say_later("what to keep of a roll"),
        *(fields.ROLL, *fields.POSITION, _ENDINGS),
        takes_dice=True,
        examples=(
            "/advise 5 5 2 turn:300 me:4200 them:5000 farkles:1",
            "/advise 5 5 2 300 4200 5000",
        ),
        is_question=True,
    )
    def _advise(self, line: Line, caller: Caller) -> Stream:
        return self._advised(line, caller)

    def _advised(self, line: Line, caller: Caller, *, whole: bool = False) -> Stream:
        ask = _asks_all(line)
        advisor, line = self.oracle.advisor, with_numbers(line)
        endings = line.choice("endings", YES_OR_NO) is True
        # it says nothing of a position, so that the question may be on the game here
        others = {name: value for name, value in line.options.items() if name != _ENDINGS.name}
        line = replace(line, options=others)

        of_game = partial(advisor.advise_in, endings=endings)
        of_position = partial(advisor.advise_on, endings=endings)

        async def reply(answer: Advice | Odds, here: Table | None) -> Reply:
            shown = await _answer(caller, answer, here)
            card = partial(answer_card, whole=whole, ask=ask)
            return replace(shown, make_card=card, private=shown.private or whole)

        return self.answered(
            line, caller, of_game, of_position, reply, is_rolled=True, is_long=endings
        )

    @asked(
        "/odds dice:N",
        say_later("roll on or bank, before a roll"),
        *(fields.DICE, *fields.POSITION),
        examples=("/odds turn:350 dice:2 me:4200 them:5000",),
        is_question=True,
    )
    def _odds(self, line: Line, caller: Caller) -> Stream:
        advisor, reply = self.oracle.advisor, partial(_answer, caller)
        return self.answered(line, caller, advisor.odds_in, advisor.odds_of, reply)

    @asked(
        "/position ID",
        say_later("what is best in a position, by its ID"),
        fields.word(
            "id", say_later("the position ID shown under the advice"), most=60, required=True
        ),
        examples=("/position CZT1-7YZ9-SYP",),
        is_question=True,
    )
    def _position(self, line: Line, caller: Caller) -> Stream:
        return self._opened(line.words, caller)

    def all_of(self, caller: Caller, press: AskPress | QuestionPress) -> Stream:
        """All there is to say of a position, to the one who asks alone."""
        if isinstance(press, AskPress):
            return self._opened(press.position, caller, whole=True)
        roll, *options = press.line.split(";")
        line = Line((roll,), dict(option.split("=") for option in options))
        return self._advised(line, caller, whole=True)

    async def _opened(self, typed: str, caller: Caller, *, whole: bool = False) -> Stream:
        """The position behind an ID."""
        oracle, read = self.oracle, read_id(typed)
        known = [entry.rules for entry in await self.rules.list(caller.place) if entry.rules]
        meant, position, roll = await at_once(opened, read, known, self.rules.solved_files)
        open_games = await self.tables.open_at(caller.place)
        check_hints(open_games, caller, meant, (position.banked, position.opponent), roll)
        yield solved_first(oracle, self.rules, caller, meant, 2)
        work = oracle.advisor.answer, meant, position, roll
        answer = await oracle.answered(caller.asker, meant, *work)
        yield Reply(answer, answer_text, answer_data, partial(answer_card, whole=whole), whole)


def _asks_all(line: Line) -> Callable[[str], Press] | None:
    """What makes the press for all of the advice that a line asks for; None if it has no room."""
    question = ";".join([line.words, *(f"{name}={line.option(name)}" for name in line.options)])
    try:
        QuestionPress(question, "all")
    except ValueError:
        return None
    return partial(QuestionPress, question)


def _dice(
    line: Line, situation: Situation, *, is_rolled: bool
) -> tuple[Roll | None, Remaining | None]:
    """The roll that is told and the dice of it, or the dice to roll. Raises FarkleError."""
    if is_rolled:
        return rolled(situation, line.words)
    dice = line.option("dice") if situation.dice else line.number("dice")
    return None, left_to_roll(situation, dice)


def _situation(line: Line, rules: Ruleset) -> Situation:
    """The position that a line tells, with the dice that it names. Raises FarkleError."""
    read: dict[FieldKind, Callable[[str], Any]] = {
        FieldKind.NUMBER: line.number,
        FieldKind.SCORES: partial(line.scores, rules=rules),
        FieldKind.YES_NO: partial(line.choice, meanings=YES_OR_NO),
        FieldKind.PLAYER: partial(line.choice, meanings=ME_OR_THEM),
    }
    given: dict[str, Any] = {
        field.attribute: read[field.kind](field.name)
        for field in POSITION_FIELDS
        if field.kind in read and field.name in line.options
    }
    situation = Situation(**given, rules=rules)
    if not has_sets(line.options):
        return situation
    return situation._replace(dice=dice_told(line, rules, situation))


def with_numbers(line: Line) -> Line:
    """Dice with three numbers after them, as in "5 2 350 4200 5000", which are turn, me and them.

    Raises InvalidRequestError where one of them is also given by its name, and what
    `dice_and_numbers` does.
    """
    dice, numbers = dice_and_numbers(line.words)
    if not numbers:
        return line
    given = dict(zip(("turn", "me", "them"), numbers, strict=True))
    return replace(line, arguments=(dice,)).adding(given)


async def _answer(caller: Caller, answer: Advice | Odds, here: Table | None) -> Reply:
    """Advice or odds; on the game here for who asked alone."""
    text = partial(_for_mover, here, caller) if here else answer_text
    return Reply(answer, text, answer_data, answer_card, private=here is not None)


def _for_mover(table: Table, caller: Caller, answer: Advice | Odds) -> str:
    """An answer that says "you" to the player to move, whoever asked."""
    text = answer_text(answer)
    if table.seat_of(caller.person) != table.game.mover:
        head = say("As {name} sees it:", name=table.names[table.game.mover])
        text = f"{head}\n{text}"
    exact = table.game.playing == 2 or len(answer.chances) > 2
    return text if exact else f"{text}\n{say(NOT_EXACT)}"
