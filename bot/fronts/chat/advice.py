"""The commands that ask for advice on a position: as typed, else that of the game here."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bot.fronts.chat.bringing import SETS
from bot.fronts.chat.commands import Command, Line, Reply
from bot.fronts.chat.kingdom import LoadedQuestions
from bot.fronts.chat.waiting import ready_for, solved_first
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.positions import check_asked, opened, rules_of
from bot.services.rule_options import with_goal
from bot.services.situation import (
    POSITION_FIELDS,
    FieldKind,
    Situation,
    dice_and_numbers,
    has_sets,
    read_faces,
)
from bot.services.tables import Caller, Table, Tables
from bot.table.state import Game
from bot.views.advice import advice_text, answer_data, answer_text, odds_text
from bot.views.game import NOT_EXACT
from solver.errors import InvalidRequestError
from solver.play.advice import Advice, Odds
from solver.play.position_id import read_id
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

Answer = Advice | Odds

CONTEXT = {
    one.name: one.meaning
    for one in sorted(
        POSITION_FIELDS, key=lambda one: one.kind is FieldKind.RULES
    )  # rules come last
} | {"goal": say_later("another goal")}
"""The options that describe a position."""


def advice_commands(
    oracle: Oracle, rules: HouseRules, tables: Tables, loaded: LoadedQuestions
) -> list[Command]:
    """The commands that ask for advice on a position: as typed, else that of the game here."""
    advisor = oracle.advisor

    async def answer(
        line: Line,
        caller: Caller,
        ask_here: Callable[[Table, Game], Callable[[], Answer]],
        ask: Callable[[Situation], Answer],
        make_text: Callable[[Any], str],
        dice: int | str | None,
    ) -> AsyncIterator[Reply]:
        here = await tables.asked_at(caller, told=bool(line.options))
        if here and not line.options:
            replies = _told_here(oracle, rules, caller, here, ask_here, make_text)
        else:
            meant = await rules_meant(line, caller, here, rules)
            situation = line.situation(meant)
            roll = read_faces(dice, meant.dice) if isinstance(dice, str) else None
            await tables.check_asked(caller, meant, situation.scores, roll)
            check = partial(check_asked, situation, dice)
            replies = _told(oracle, rules, caller, situation, ask, make_text, check)
        async for reply in replies:
            yield reply

    def advise(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        if has_sets(line.options):
            return loaded.advise(line, caller)
        line = with_numbers(line)

        def here(table: Table, game: Game) -> Callable[[], Answer]:
            return partial(advisor.advise_in, game, line.words, table.names[game.mover])

        asked = partial(advisor.advise, line.words)
        return answer(line, caller, here, asked, advice_text, line.words)

    def odds(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        if has_sets(line.options):
            return loaded.odds(line, caller)

        def here(_: Table, game: Game) -> Callable[[], Answer]:
            return partial(advisor.odds_in, game)

        number = line.number("dice")
        asked = partial(advisor.odds, number)
        return answer(line, caller, here, asked, odds_text, number)

    context = {**CONTEXT, **SETS}
    dice = {"dice": say_later("dice to roll"), **context}
    return [
        Command(
            "/advise DICE",
            say_later("what to keep of a roll"),
            advise,
            context,
            takes_dice=True,
            examples=(
                "/advise 5 5 2 turn:300 me:4200 them:5000 farkles:1",
                "/advise 5 5 2 300 4200 5000",
            ),
        ),
        Command(
            "/odds dice:N",
            say_later("roll on or bank, before a roll"),
            odds,
            dice,
            takes_words=False,
            examples=("/odds turn:350 dice:2 me:4200 them:5000",),
        ),
        _position_command(oracle, rules, tables),
    ]


def _position_command(oracle: Oracle, rules: HouseRules, tables: Tables) -> Command:
    """/position: what is best in a position that is named by its ID."""

    async def position(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        read = read_id(line.words)
        known = [entry.rules for entry in await rules.list(caller.place) if entry.rules]
        meant, position, roll = opened(read, known)
        await tables.check_asked(caller, meant, (position.banked, position.opponent), roll)
        async for reply in solved_first(oracle, rules, caller, meant, 2):
            yield reply
        ask = partial(oracle.advisor.answer, meant)
        found = await oracle.answered(caller.asker, meant, ask, position, roll)
        yield Reply(found, answer_text, answer_data)

    return Command(
        "/position ID",
        say_later("what is best in a position, by its ID"),
        position,
        {},
        examples=("/position CZT1-7YZ9-SYP",),
    )


async def rules_meant(line: Line, caller: Caller, here: Table | None, rules: HouseRules) -> Ruleset:
    """The rules that are meant: named, of the game here, of the place; maybe with another goal.

    Raises FarkleError.
    """
    named = line.option("rules")
    if named is None and here is not None:
        meant = here.game.rules
    else:
        meant = await rules.resolve(caller.place, named)
    return with_goal(meant, line.number("goal"))


def with_numbers(line: Line) -> Line:
    """Dice with three numbers after them, as in "5 2 350 4200 5000", which are turn, me and them.

    Raises InvalidRequestError where one of them is also given by its name, and what
    `dice_and_numbers` does.
    """
    dice, numbers = dice_and_numbers(line.words)
    if not numbers:
        return line
    names = "turn", "me", "them"
    if twice := next((name for name in names if name in line.options), None):
        raise InvalidRequestError.say('the option "{option}" is given twice', option=twice)
    return Line((dice,), {**line.options, **dict(zip(names, numbers, strict=True))})


async def _told_here(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    table: Table,
    ask_here: Callable[[Table, Game], Callable[[], Answer]],
    make_text: Callable[[Any], str],
) -> AsyncIterator[Reply]:
    """An answer on the game here, for who asked alone."""
    game = replace(table.game, before=None)
    async for reply in ready_for(oracle, rules, caller, game):
        yield reply
    found = await oracle.advised_in(game, caller.asker, ask_here(table, game))
    text = partial(_for_mover, table, caller, make_text)
    yield Reply(found, text, answer_data, private=True)


async def _told(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    situation: Situation,
    ask: Callable[[Situation], Answer],
    make_text: Callable[[Any], str],
    check: Callable[[], None],
) -> AsyncIterator[Reply]:
    """An answer on a position that was told."""
    meant = rules_of(situation)
    async for reply in solved_first(oracle, rules, caller, meant, situation.players, check=check):
        yield reply
    found = await oracle.advised(caller.asker, meant, situation.players, ask, situation)
    yield Reply(found, make_text, answer_data)


def _for_mover(table: Table, caller: Caller, make_text: Callable[[Any], str], found: Answer) -> str:
    """An answer that says "you" to the player to move, whoever asked."""
    text = make_text(found)
    if table.seat_of(caller.person) != table.game.mover:
        head = say("As {name} sees it:", name=table.names[table.game.mover])
        text = f"{head}\n{text}"
    exact = table.game.playing == 2 or len(found.chances) > 2
    return text if exact else f"{text}\n{say(NOT_EXACT)}"
