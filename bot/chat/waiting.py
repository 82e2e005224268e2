"""What a task makes, as replies: how long there is to wait, and then that."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from bot.chat.cards import answer_card
from bot.chat.commands import Reply, Stream
from bot.chat.presses import TablePress
from bot.layout import wrap
from bot.services.advisor import Hint
from bot.services.chances import Oracle
from bot.services.house_rules import HouseRules
from bot.services.situation import Situation, rules_of
from bot.services.tables import Caller
from bot.table import commands
from bot.table.state import Game
from bot.tasks.answering import at_once
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay, counted
from bot.views.game import hint_data, hint_text
from solver.errors import IllegalActionError
from solver.rules.ruleset import Ruleset
from solver.wording import say, spoken


def stopped_text(stopped: Sequence[str]) -> str:
    """The sentence that tasks are stopped, or that there were none."""
    if not stopped:
        return say("Nothing is being computed for you.")
    return wrap(say("Cancelled: {tasks}.", tasks=counted(stopped)))


T = TypeVar("T")


async def solved_first(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    meant: Ruleset,
    *players: int,
    check: Callable[[], None] | None = None,
) -> AsyncIterator[Needed]:
    """Have rules solved for numbers of players before an answer, where that is quick.

    Where more than two cannot be waited for, two are solved if they can, of whom an estimate is
    made.

    check : refuses what cannot be answered, before any time is spent on it
    """

    async def is_solved(number: int) -> bool:
        return await at_once(oracle.advisor.solved_for, meant, number) is not None

    for number in players:
        for count in dict.fromkeys((number, 2)):
            if await is_solved(number) or await is_solved(count):
                break
            if check:
                await at_once(check)
            async for needed in rules.needed(caller.asker, meant, count):
                yield needed


def solved_for_game(
    oracle: Oracle, rules: HouseRules, caller: Caller, meant: Ruleset, players: int
) -> AsyncIterator[Needed]:
    """Waits for so many players, and for two, who are left in the end where others resign."""
    return solved_first(oracle, rules, caller, meant, *sorted({2, max(2, players)}))


async def ready_for(oracle: Oracle, rules: HouseRules, caller: Caller, game: Game) -> Stream:
    """Waits until what a game needs is solved: its rules, or the dice that players bring to it."""
    if game.brings_dice:
        yield oracle.ready(caller.asker, await at_once(oracle.needs, game))
    else:
        yield solved_first(oracle, rules, caller, game.rules, game.playing)


async def ready_to_answer(
    oracle: Oracle,
    rules: HouseRules,
    caller: Caller,
    situation: Situation,
    check: Callable[[], None],
) -> Stream:
    """What is solved before an answer on a position that is told; `check` as for `solved_first`."""
    if situation.dice:
        await at_once(check)
        yield oracle.ready(caller.asker, situation.dice.matchup)
    else:
        meant, players = rules_of(situation), situation.players
        yield solved_first(oracle, rules, caller, meant, players, check=check)


async def ready_for_one_more(
    oracle: Oracle, rules: HouseRules, caller: Caller, game: Game
) -> Stream:
    """Waits for a game's rules before somebody sits down at it; not at all where nobody can."""
    try:
        commands.join(game)
    except IllegalActionError:
        return
    if not game.brings_dice:
        yield solved_for_game(oracle, rules, caller, game.rules, len(game.seats) + 1)


async def replies(
    answers: AsyncIterator[Delay | T],
    make_text: Callable[[T], str],
    make_data: Callable[[T], Any],
    **how: Any,
) -> AsyncIterator[Delay | Reply]:
    """Replies to a task: how long it takes, then what it made; `how` is what else a reply has."""
    async for answer in answers:
        yield answer if isinstance(answer, Delay) else Reply(answer, make_text, make_data, **how)


def hinted(hints: AsyncIterator[Delay | Hint], game: Game, *, whole: bool = False) -> Stream:
    """A hint in a game, for who asked alone, after how long there is to wait for it."""
    ask = partial(TablePress, game.id, game.version, 0, spoken().code)
    card = partial(answer_card, whole=whole, ask=ask)
    return replies(hints, hint_text, hint_data, make_card=card, private=True)


async def only(reply: Reply) -> AsyncIterator[Reply]:
    """A reply alone."""
    yield reply
