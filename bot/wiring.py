"""The parts of the chat, put together for any front."""

import asyncio
import gc
import logging
import math
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from bot.chat.advice import PositionQuestions
from bot.chat.commands import Commands, answered_by
from bot.chat.features import Core, Feature, of_answers
from bot.chat.games import GameCommands
from bot.chat.pressing import Pressing
from bot.chat.rules import RulesCommands
from bot.features import in_chat, keepers
from bot.services.advisor import Advisor
from bot.services.chances import Oracle
from bot.services.games import Games
from bot.services.house_rules import HouseRules, Limits
from bot.services.levels import LookingBack
from bot.services.loaded import folders_of
from bot.services.tables import Tables
from bot.settings import Settings
from bot.store.rows import StaleVersionError, StoreError
from bot.store.store import Store, database_of
from bot.tasks.answering import beside
from bot.tasks.pressure import Pressure
from bot.tasks.tasks import TaskLimits, Tasks
from solver.errors import FarkleError

logger = logging.getLogger(__name__)

LOOK_EVERY = 3600.0
"""Seconds between two looks for games at which nobody plays any more."""
_HEARD = timedelta(hours=1)
"""How long after something was done a program may still hear that it is to be done."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a front needs."""

    commands: Commands
    pressing: Pressing
    games: Games
    rules: HouseRules
    store: Store
    tasks: Tasks


@asynccontextmanager
async def open_parts(
    settings: Settings,
    advisor: Advisor,
    *,
    pace: float = 0.0,
    allow_files: bool = False,
    patience: float | None = None,
    late: float = math.inf,
) -> AsyncIterator[Parts]:
    """The commands and what is behind them, with the database open.

    pace : seconds that a bot takes for each of its moves
    allow_files : whether rules may be the path of a file
    patience : seconds after which a move is told without an estimate or a chart; None for ever
    late : seconds that moves wait on average where less is done of what matters less

    Raises StoreError.
    """
    check_folder(settings)
    pressure = Pressure(late)
    limits = TaskLimits(
        settings.person_tasks, settings.place_tasks, settings.task_seconds, patience
    )
    tasks = Tasks(limits, settings.workers, settings.worker_memory, pressure)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await Store.open(settings.database_url, keepers()))
        stack.push_async_callback(tasks.close)
        bounds = Limits(seconds=settings.solve_seconds, needed=settings.needed_seconds)
        folders = settings.strategies, settings.kernels
        rules = HouseRules(store, *folders, bounds, tasks, allow_files=allow_files)
        tables, advisor = Tables(store), Advisor(advisor.folder, matchups=folders_of(settings))
        oracle = Oracle(advisor, tasks, settings.needed_seconds)
        games = Games(tables, oracle, pace)
        await end_abandoned(games, settings.abandoned_hours)
        back = LookingBack(tables, oracle)
        questions = PositionQuestions(oracle, rules, tables)
        core = Core(settings, tables, games, oracle, rules, questions, back)
        features = in_chat(core)
        games.after_game += [feature.after_game for feature in features if feature.after_game]
        # collections hold up every answer: with 150 games by buttons for up to 0.18 s, and 0.04 s
        # where they leave out what is loaded, which stays
        gc.collect()
        gc.freeze()
        # with these 0.03 s, and less often: in 40 s of processor never all that games keep, which
        # otherwise was gone through every 2 s and grows with them
        gc.set_threshold(2_000, 20, 100)
        # what comes back from the database's threads waits this long for one that computes: beside
        # such a thread a write takes 1 to 10 ms, with Python's 5 ms it took 21 to 35
        sys.setswitchinterval(0.0005)
        commands = commands_of(core, features)
        pressing = Pressing(games, rules, [*features, of_answers(questions, commands)])
        async with beside(pressure.watch(), keep_ending(games, settings.abandoned_hours)):
            yield Parts(commands, pressing, games, rules, store, tasks)


def commands_of(core: Core, features: Sequence[Feature]) -> Commands:
    """Every command of the chat: those of positions, tables and rules, then those of features."""
    played = GameCommands(core.games, core.rules)
    return Commands(
        [
            *answered_by(core.questions),
            *answered_by(played),
            *answered_by(RulesCommands(core.rules)),
            *(command for feature in features for command in feature.commands),
        ],
        played.resume,
        core.rules.names,
        core.tables.players_at,
    )


def check_folder(settings: Settings) -> None:
    """Raises StoreError where the database is to be in a folder that is not there.

    Only the folder of all data is made: another name is rather a mistake.
    """
    file = database_of(settings.database_url).file
    folder = file.parent if file else settings.data
    if file and "database_url" in settings.model_fields_set and not folder.is_dir():
        raise StoreError.say(
            "There is no folder {folder} for the database: make it, or name another folder",
            folder=folder,
        )


async def end_abandoned(games: Games, hours: int) -> None:
    """End all games, wherever they are, in which nobody has moved for so many hours.

    Raises StoreError.
    """
    since = games.tables.now() - timedelta(hours=hours)
    for game_id in await games.tables.store.idle_games(since):
        try:
            await games.end_idle(game_id, hours)
        except StaleVersionError:  # another program was faster
            continue
        except FarkleError as error:  # the others end all the same
            logger.warning("game %s, in which nobody moves, was not ended: %s", game_id, error)


async def keep_ending(games: Games, hours: int) -> None:
    """Look for abandoned games again and again."""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        try:
            await end_abandoned(games, hours)
            await games.tables.store.forget_done(games.tables.now() - _HEARD)
        except StoreError as error:
            logger.warning("did not look for abandoned games: %s", error)
