"""The command of the daily position: the question, an answer to it, and the board."""

from collections.abc import AsyncIterator

from bot.fronts.chat.commands import Command, Line, Reply, whole_number
from bot.services.daily import Daily, Solution, Verdict
from bot.services.tables import Caller
from bot.views.daily import (
    asked_data,
    asked_text,
    board_data,
    board_text,
    solution_data,
    solution_text,
    verdict_data,
    verdict_text,
)
from solver.wording import say, say_later


def daily_commands(daily: Daily) -> list[Command]:
    """/daily."""

    async def answer(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        words = line.words.lower().split()
        if not words:
            yield Reply(await daily.today(caller), asked_text, asked_data, private=True)
        elif words in (["board"], [say("board").lower()]):
            yield Reply(await daily.board(caller.place), board_text, board_data)
        else:
            if words[0] in {"answer", say("answer").lower()}:
                del words[0]
            number = whole_number(" ".join(words), lambda _: _usage())
            yield daily_reply(await daily.answer(caller, number))

    return [
        Command(
            "/daily [answer N]",
            say_later("the position of the day: what wins most often? /daily board: who finds it"),
            answer,
            {},
            examples=("/daily", "/daily answer 2", "/daily board"),
        )
    ]


def daily_reply(found: Verdict | Solution) -> Reply:
    """What an answer comes to, for who gave it alone."""
    if isinstance(found, Solution):
        return Reply(found, solution_text, solution_data, private=True)
    return Reply(found, verdict_text, verdict_data, private=True)


def _usage() -> str:
    return say(
        "/daily shows the position, /daily answer 2 answers it, /daily board shows who is"
        " right most often"
    )
