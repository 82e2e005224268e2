"""The commands that show the turn at hand as a picture, and walk through all positions."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from bot.fronts.chat.advice import CONTEXT, rules_meant
from bot.fronts.chat.bringing import SETS
from bot.fronts.chat.commands import Command, Line, Reply
from bot.fronts.chat.kingdom import LoadedQuestions
from bot.fronts.chat.waiting import ready_against_rival, solved_first
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.explorer import Exploration, explored, explored_at, explored_in
from bot.services.house_rules import HouseRules
from bot.services.loaded_explorer import loaded_explored_in
from bot.services.pictures import (
    Explanation,
    explained,
    explained_in,
    loaded_explained,
)
from bot.services.positions import check_asked
from bot.services.situation import Situation, has_sets
from bot.services.tables import Caller, Table, Tables
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.pressure import Degree
from bot.views.explain import (
    explanation_data,
    explanation_text,
    loaded_explanation_data,
    loaded_explanation_text,
)
from bot.views.explorer import exploration_data, exploration_text
from bot.views.loaded_explorer import loaded_exploration_data, loaded_exploration_text
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
        here = await self._tables.asked_at(caller, told=bool(line.options))
        if here and here.game.kits and not line.options:
            async for reply in self._explain_loaded(caller, here):
                yield reply
            return
        async for reply in self._solved_first(line, caller):
            yield reply
        found, here = await self._asked(line, caller, explained, explained_in)
        if here and here.seat_of(caller.person) != here.game.mover:
            found = replace(found, seen_by=here.names[here.game.mover])
        found = await self._drawn(caller, found)
        yield Reply(found, explanation_text, explanation_data, private=here is not None)

    async def _explain_loaded(self, caller: Caller, here: Table) -> AsyncIterator[Reply]:
        """The turn under way where players bring their dice."""
        game = replace(here.game, before=None)
        async for reply in ready_against_rival(self._oracle, caller, game):
            yield reply
        asked = self._oracle.advisor, game
        found = await self._oracle.answered_in(game, caller.asker, loaded_explained, *asked)
        if here.seat_of(caller.person) != game.mover:
            found = replace(found, seen_by=here.names[game.mover])
        names = tuple(one.text for one in found.columns)
        picture = await self._picture(caller, partial(turn_picture, found.turn, names=names))
        found = replace(found, picture=picture)
        yield Reply(found, loaded_explanation_text, loaded_explanation_data, private=True)

    async def _explore(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        here = await self._tables.asked_at(caller, told=bool(line.options))
        if has_sets(line.options):
            async for reply in self._loaded.explore(line, caller):
                yield reply
            return
        if here and here.game.kits and not line.options:
            async for reply in self._explore_loaded(caller, here):
                yield reply
            return
        async for reply in self._solved_first(line, caller):
            yield reply
        found, here = await self._asked(line, caller, explored, explored_in)
        yield exploration(found, line.option("rules"), private=here is not None)

    async def _explore_loaded(self, caller: Caller, here: Table) -> AsyncIterator[Reply]:
        """The position of a game to which players bring their dice."""
        game = replace(here.game, before=None)
        async for reply in ready_against_rival(self._oracle, caller, game):
            yield reply
        asked = self._oracle.advisor, game
        found = await self._oracle.answered_in(game, caller.asker, loaded_explored_in, *asked)
        yield Reply(found, loaded_exploration_text, loaded_exploration_data, private=True)

    async def _solved_first(self, line: Line, caller: Caller) -> AsyncIterator[Reply]:
        """That the rules which are meant are solved before the answer, where that is quick."""
        here = await self._tables.asked_at(caller, told=bool(line.options))
        meant = await rules_meant(line, caller, here, self._rules)
        check = None
        if not here or line.options:
            asked, dice = line.situation(meant), line.number("dice")
            await self._tables.check_asked(caller, meant, asked.scores)

            def check() -> None:
                asked.check_two()
                check_asked(replace(asked, hot_dice=None), dice)

        async for reply in solved_first(self._oracle, self._rules, caller, meant, 2, check=check):
            yield reply

    async def _asked(
        self,
        line: Line,
        caller: Caller,
        of_position: Callable[[Advisor, int | None, Situation], T],
        of_game: Callable[[Advisor, Game], T],
    ) -> tuple[T, Table | None]:
        """What there is to see of a position, or of the game here, which comes with it."""
        here = await self._tables.asked_at(caller, told=bool(line.options))
        advisor = self._oracle.advisor
        if here and not line.options:
            game = replace(here.game, before=None)
            asked: tuple[Any, ...] = advisor, game
            return await self._oracle.answered(caller.asker, game.rules, of_game, *asked), here
        meant = await rules_meant(line, caller, here, self._rules)
        asked = advisor, line.number("dice"), line.situation(meant)
        return await self._oracle.answered(caller.asker, meant, of_position, *asked), None

    async def _drawn(self, caller: Caller, found: Explanation) -> Explanation:
        """With its picture, unless there is no time for pictures."""
        picture = await self._picture(caller, partial(turn_picture, found.turn))
        return replace(found, picture=picture)

    async def _picture(self, caller: Caller, draw: Callable[[], bytes]) -> bytes | None:
        tasks = self._oracle.tasks
        if tasks.pressure.degree >= Degree.STRAINED:
            return None
        try:
            return await tasks.aside(caller.asker, draw)
        except FarkleError:
            return None  # the text says the same


async def walked(
    oracle: Oracle, tables: Tables, caller: Caller, digest: str, name: str, position: Position
) -> AsyncIterator[Reply]:
    """A position by the digest of its rules: where a press on a button leads.

    Raises FarkleError.
    """
    strategy = await at_once(oracle.advisor.strategy_of, digest, name)
    await tables.check_asked(caller, strategy.rules, (position.banked, position.opponent))
    asked = oracle.advisor, digest, name, position
    yield exploration(await oracle.answered(caller.asker, strategy.rules, explored_at, *asked))


def exploration(found: Exploration, named: str | None = None, *, private: bool = False) -> Reply:
    """A position with the ways on as a reply."""
    text, data = partial(exploration_text, named=named), partial(exploration_data, named=named)
    return Reply(found, text, data, private=private)
