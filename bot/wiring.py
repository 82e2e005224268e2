"""The parts of the chat, put together for any front."""

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.fronts.chat.commands import Commands, advice_commands
from bot.fronts.chat.games import GameCommands
from bot.fronts.chat.records import RecordCommands
from bot.fronts.chat.rules import RulesCommands
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.games import Games
from bot.services.house_rules import HouseRules
from bot.services.questions import Questions
from bot.services.tables import Tables
from bot.settings import Settings
from bot.store.store import Store
from solver.wording import say_later


@dataclass(frozen=True, slots=True)
class Parts:
    """What a front needs."""

    commands: Commands
    games: Games
    questions: Questions
    rules: HouseRules
    store: Store


@asynccontextmanager
async def open_parts(
    settings: Settings, advisor: Advisor, *, pace: float = 0.0, allow_files: bool = False
) -> AsyncIterator[Parts]:
    """The commands and what is behind them, with the database open.

    pace : seconds that a bot takes for each of its moves
    allow_files : whether rules may be the path of a file

    Raises StoreError.
    """
    store = await Store.open(settings.database_url)
    try:
        rules = HouseRules(store, settings.strategies, settings.kernels, allow_files=allow_files)
        tables, oracle = Tables(store), Oracle(advisor)
        await tables.read_all_open()
        games = Games(tables, oracle, pace)
        questions = Questions(tables, oracle)
        played = GameCommands(games, questions, rules)
        # what is loaded stays: collections that go through all of it would hold up every answer
        gc.collect()
        gc.freeze()
        # what comes back from the database's threads waits this long for one that computes
        sys.setswitchinterval(0.0005)
        commands = Commands(
            {
                say_later("Advice"): advice_commands(advisor, rules, questions),
                say_later("Games"): played.by_name(),
                say_later("Looking back"): RecordCommands(games, rules, settings.data).by_name(),
                say_later("Rules"): RulesCommands(rules).by_name(),
            },
            played.resume,
        )
        yield Parts(commands, games, questions, rules, store)
    finally:
        await store.close()
