"""What a task makes, as replies: how long there is to wait, and then that."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from bot.chat.cards import answer_card
from bot.chat.commands import Reply
from bot.chat.presses import TablePress
from bot.layout import whole_sentence, wrap
from bot.services.advisor import Hint
from bot.services.chances import Oracle
from bot.services.games import News
from bot.services.house_rules import HouseRules
from bot.services.situation import Situation, rules_of
from bot.services.tables import Caller
from bot.table import commands
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay, counted, duration
from bot.views.game import hint_data, hint_text
from solver.errors import IllegalActionError
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_number, spoken


def delay_text(delay: Delay) -> str:
    """How long a task takes, or what it waits for."""
    task, time = say(delay.what), duration(delay.seconds)
    task = task[:1].upper() + task[1:]
    if not delay.before:
        return say("{task}: this takes about {time}.", task=task, time=time)
    return wrap(
        say_number(
            "{task}: waiting for {number} other [task|tasks], about {time}.",
            delay.before,
            task=task,
            time=time,
        )
    )


def needed_text(needed: Needed) -> str:
    """That rules are solved before an answer, or why they were not, in one line."""
    if needed.failed:
        return wrap(whole_sentence(needed.failed))
    rules, time = needed.rules, duration(needed.seconds)
    return wrap(
        say(
            "Solving {rules} rules for {players} players first: this takes about {time}.",
            rules=rules.name,
            players=needed.players,
            time=time,
        )
    )


def needed_data(needed: Needed) -> dict[str, Any]:
    """A solve that is waited for as plain data."""
    return {**asdict(needed), "rules": needed.rules.name, "goal": needed.rules.stated_goal}


def stopped_text(stopped: Sequence[str]) -> str:
    """That tasks are stopped, if there were any."""
    if not stopped:
        return say("Nothing is being computed for you.")
    return wrap(say("Cancelled: {tasks}.", tasks=counted(stopped)))


T = TypeVar("T")


def delay_reply(delay: Delay) -> Reply:
    """How long there is to wait."""
    return Reply(delay, delay_text, asdict)


async def solved_first(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    meant: Ruleset,
    *players: int,
    check: Callable[[], None] | None = None,
) -> AsyncIterator[Reply]:
    """That rules are solved for numbers of players before an answer, where that is quick.

    Where more than two cannot be waited for, two are solved if they can, of whom an estimate is
    made.

    check : refuses what cannot be answered, before any time is spent on it
    """

    async def is_solved(number: int) -> bool:
        if number == 2 and oracle.advisor.is_at_hand(meant):
            return True
        return await at_once(oracle.advisor.solved_for, meant, number) is not None

    for number in players:
        for one in dict.fromkeys((number, 2)):
            if await is_solved(number) or await is_solved(one):
                break
            if check:
                await at_once(check)
            async for needed in rules.needed(caller.asker, meant, one):
                yield Reply(needed, needed_text, needed_data)


def solved_for_game(
    oracle: Oracle, rules: HouseRules, caller: Caller, meant: Ruleset, players: int
) -> AsyncIterator[Reply]:
    """Waits for so many players, and for two, who are left in the end where others resign."""
    return solved_first(oracle, rules, caller, meant, *sorted({2, max(2, players)}))


async def ready_for(
    oracle: Oracle, rules: HouseRules, caller: Caller, game: Game
) -> AsyncIterator[Reply]:
    """Waits until what a game needs is solved: its rules, or the dice that players bring to it."""
    if game.brings_dice:
        needed = await at_once(oracle.needs, game)
        async for delay in oracle.ready(caller.asker, needed):
            yield delay_reply(delay)
    else:
        async for reply in solved_first(oracle, rules, caller, game.rules, game.playing):
            yield reply


async def ready_to_answer(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    situation: Situation,
    check: Callable[[], None],
) -> AsyncIterator[Reply]:
    """What is solved before an answer on a position that is told; `check` as for `solved_first`."""
    if situation.dice:
        await at_once(check)
        async for delay in oracle.ready(caller.asker, situation.dice.matchup):
            yield delay_reply(delay)
    else:
        meant, players = rules_of(situation), situation.players
        async for reply in solved_first(oracle, rules, caller, meant, players, check=check):
            yield reply


async def ready_for_one_more(
    oracle: Oracle, rules: HouseRules, caller: Caller, game: Game
) -> AsyncIterator[Reply]:
    """Waits for a game's rules before somebody sits down at it; not at all where nobody can."""
    try:
        commands.join(game)
    except IllegalActionError:
        return
    if not game.brings_dice:
        players = len(game.seats) + 1
        async for reply in solved_for_game(oracle, rules, caller, game.rules, players):
            yield reply


async def replies(
    told: AsyncIterator[Delay | T],
    make_text: Callable[[T], str],
    make_data: Callable[[T], Any],
    **how: Any,
) -> AsyncIterator[Reply]:
    """Replies to a task: how long it takes, then what it made; `how` is what else a reply has."""
    async for found in told:
        if isinstance(found, Delay):
            yield delay_reply(found)
        else:
            yield Reply(found, make_text, make_data, **how)


def hint_reply(told: Delay | Hint, game: Game, *, whole: bool = False) -> Reply:
    """A hint in a game, for who asked alone, or how long there is to wait for it."""
    if isinstance(told, Delay):
        return delay_reply(told)
    ask = partial(TablePress, game.id, game.version, 0, spoken().code)
    card = partial(answer_card, whole=whole, ask=ask)
    return Reply(told, hint_text, hint_data, card, private=True)


def told_reply(told: Delay | News) -> Reply | News:
    """What happened at a table, or how long there is to wait before it does."""
    return delay_reply(told) if isinstance(told, Delay) else told


async def only(reply: Reply) -> AsyncIterator[Reply]:
    """A reply alone."""
    yield reply
