"""The commands that show the turn at hand as a picture, and walk through all positions."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bot.fronts.chat.advice import CONTEXT, rules_meant
from bot.fronts.chat.bringing import SETS
from bot.fronts.chat.commands import Command, Line, Reply
from bot.fronts.chat.kingdom import LoadedQuestions
from bot.fronts.chat.waiting import ready_for, solved_first
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.explorer import Exploration, explored, explored_at, explored_in
from bot.services.house_rules import HouseRules
from bot.services.pictures import Explanation, explained, explained_in
from bot.services.positions import check_asked
from bot.services.situation import Situation, has_sets
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

T = TypeVar("T")

_OPTIONS = {"dice": say_later("dice to roll"), **CONTEXT}


class PictureCommands:
    """What people look at, without a change at any table."""

    def __init__(
        self, oracle: Oracle, rules: HouseRules, tables: Tables, loaded: LoadedQuestions
    ) -> None:
        self._oracle = oracle
        self._loaded = loaded
        self._rules = rules
        self._tables = tables

    def commands(self) -> list[Command]:
        """The commands, in the order in which they are listed."""
        return [
            Command(
                "/explain dice:N",
                say_later("this turn as a picture: when to roll, when to bank"),
                self._explain,
                _OPTIONS,
                takes_words=False,
                examples=("/explain turn:350 dice:2 me:4200 them:5000",),
            ),
            Command(
                "/explore dice:N",
                say_later("walk through all positions"),
                self._explore,
                {**_OPTIONS, **SETS},
                takes_words=False,
                examples=(
                    "/explore me:2800 them:3500 rules:kcd",
                    "/explore my-dice:lucky*3,odd,ordinary*2 goal:1500 turn:300 dice:lucky*2",
                ),
            ),
        ]

    async def _explain(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        async def reply(found: Explanation, here: Table | None) -> Reply:
            if here and here.seat_of(caller.person) != here.game.mover:
                found = replace(found, seen_by=here.names[here.game.mover])
            found = replace(found, picture=await self._picture(caller, found))
            return Reply(found, explanation_text, explanation_data, private=here is not None)

        async for told in self._told(line, caller, explained, explained_in, reply):
            yield told

    async def _explore(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        if has_sets(line.options):
            async for told in self._loaded.explore(line, caller):
                yield told
            return

        async def reply(found: Exploration, here: Table | None) -> Reply:
            told = ((name, line.option(name)) for name in ("rules", "goal"))
            game = " ".join(f"{name}:{value}" for name, value in told if value is not None)
            return exploration(found, game, private=here is not None)

        async for told in self._told(line, caller, explored, explored_in, reply):
            yield told

    async def _told(
        self,
        line: Line,
        caller: Caller,
        of_position: Callable[[Advisor, int | None, Situation], T],
        of_game: Callable[[Advisor, Game], T],
        reply: Callable[[T, Table | None], Awaitable[Reply]],
    ) -> AsyncIterator[Reply]:
        """What there is to see of a position, or of the game here, solved first where it is quick.

        reply : makes a reply of it, and of the game here if it is of that
        """
        oracle, advisor = self._oracle, self._oracle.advisor
        here = await self._tables.asked_at(caller, told=bool(line.options))
        if here and not line.options:
            game = replace(here.game, before=None)
            async for told in ready_for(oracle, self._rules, caller, game):
                yield told
            yield await reply(
                await oracle.advised_in(game, caller.asker, of_game, advisor, game), here
            )
            return
        meant = await rules_meant(line, caller, here, self._rules)
        asked, dice = line.situation(meant), line.number("dice")
        await self._tables.check_asked(caller, meant, asked.scores)
        check = partial(check_asked, asked, dice)
        async for told in solved_first(
            oracle, self._rules, caller, meant, asked.players, check=check
        ):
            yield told
        work = of_position, advisor, dice, asked
        yield await reply(await oracle.advised(caller.asker, meant, asked.players, *work), None)

    async def _picture(self, caller: Caller, found: Explanation) -> bytes | None:
        """The picture of an explanation, unless there is no time for pictures."""
        tasks, turn = self._oracle.tasks, found.turn
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
    yield exploration(await oracle.advised(caller.asker, rules, len(scores), *work))


def exploration(found: Exploration, game: str = "", *, private: bool = False) -> Reply:
    """A position with the ways on as a reply."""
    text, data = partial(exploration_text, game=game), partial(exploration_data, game=game)
    return Reply(found, text, data, private=private)
