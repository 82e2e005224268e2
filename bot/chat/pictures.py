"""The commands that show the turn at hand as a picture, and walk through all positions."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial

from bot.chat.advice import CONTEXT, DICE, PositionQuestions
from bot.chat.commands import Command, Line, Reply
from bot.services.chances import Oracle
from bot.services.explorer import Exploration, explored, explored_at, explored_in
from bot.services.pictures import Explanation, explained, explained_in
from bot.services.situation import has_sets
from bot.services.tables import Caller, Table, Tables
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.views.explain import explanation_data, explanation_text
from bot.views.explorer import exploration_data, exploration_text
from bot.views.turn_picture import turn_picture
from solver.errors import FarkleError
from solver.game.position import Position
from solver.wording import say_later


def picture_commands(questions: PositionQuestions) -> list[Command]:
    """What people look at, without a change at any table."""
    oracle = questions.oracle

    def explain(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        def of_game(_: Table, game: Game) -> Callable[[], Explanation]:
            return partial(explained_in, oracle.advisor, game)

        async def reply(found: Explanation, here: Table | None) -> Reply:
            if here and here.seat_of(caller.person) != here.game.mover:
                found = replace(found, seen_by=here.names[here.game.mover])
            found = replace(found, picture=await _picture(oracle, caller, found))
            return Reply(found, explanation_text, explanation_data, private=here is not None)

        of_position = partial(explained, oracle.advisor)
        return questions.answered(line, caller, of_game, of_position, reply)

    def explore(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        def of_game(_: Table, game: Game) -> Callable[[], Exploration]:
            return partial(explored_in, oracle.advisor, game)

        async def reply(found: Exploration, here: Table | None) -> Reply:
            # dice of one's own are told with their rules and goal
            names = () if has_sets(line.options) else ("rules", "goal")
            told = ((name, line.option(name)) for name in names)
            game = " ".join(f"{name}:{value}" for name, value in told if value is not None)
            return exploration(found, game, private=here is not None)

        of_position = partial(explored, oracle.advisor)
        return questions.answered(line, caller, of_game, of_position, reply)

    return [
        Command(
            "/explain dice:N",
            say_later("this turn as a picture: when to roll, when to bank"),
            explain,
            {**DICE, **CONTEXT},
            takes_words=False,
            examples=("/explain turn:350 dice:2 me:4200 them:5000",),
        ),
        Command(
            "/explore dice:N",
            say_later("walk through all positions"),
            explore,
            {**DICE, **CONTEXT},
            takes_words=False,
            examples=(
                "/explore me:2800 them:3500 rules:kcd",
                "/explore my-dice:lucky*3,odd,ordinary*2 goal:1500 turn:300 dice:lucky*2",
            ),
        ),
    ]


async def _picture(oracle: Oracle, caller: Caller, found: Explanation) -> bytes | None:
    """The picture of an explanation, unless there is no time for pictures."""
    tasks, turn = oracle.tasks, found.turn
    if tasks.pressure.degree >= Degree.STRAINED:
        return None
    names = [found.named.left(dice).text for dice in turn.columns] if found.named else []
    try:
        return await tasks.aside(caller.asker, partial(turn_picture, turn, names=names))
    except FarkleError:
        return None  # the text says the same


async def walked(
    oracle: Oracle, tables: Tables, caller: Caller, digest: str, name: str, position: Position
) -> AsyncIterator[Reply]:
    """A position by the digest of its rules: where a press on a button leads.

    Raises FarkleError.
    """
    rules = await at_once(oracle.advisor.rules_of, digest, name)
    scores = tuple(position.players[k].score for k in position.in_order)
    await tables.check_asked(caller, rules, scores)
    work = explored_at, oracle.advisor, rules, position
    yield exploration(await oracle.answered(caller.asker, rules, *work, players=len(scores)))


def exploration(found: Exploration, game: str = "", *, private: bool = False) -> Reply:
    """A position with the ways on as a reply."""
    text, data = partial(exploration_text, game=game), partial(exploration_data, game=game)
    return Reply(found, text, data, private=private)
