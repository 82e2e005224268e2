"""The command of drills: the own worst decisions again, and new positions."""

from collections.abc import AsyncIterator
from dataclasses import replace

from bot.fronts.chat.commands import Command, Line, Reply, whole_number
from bot.fronts.chat.waiting import delay_reply
from bot.services.drill import Drill, DrillVerdict
from bot.services.tables import Caller
from bot.tasks.tasks import Delay
from bot.views.drill import drill_data, drill_text, drill_verdict_data, drill_verdict_text
from solver.wording import say, say_later


def drill_commands(drill: Drill) -> list[Command]:
    """/drill."""

    async def answer(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        words = line.words.lower().split()
        position = line.option("position")
        if not words and position is None:
            async for reply in drill_asked(drill, caller):
                yield reply
            return
        if words and words[0] in {"answer", say("answer").lower()}:
            del words[0]
        number = whole_number(" ".join(words), lambda _: _usage())
        yield drill_reply(await drill.answer(caller, number, position))

    return [
        Command(
            "/drill [answer N]",
            say_later("your worst decisions again, and positions like them"),
            answer,
            {"position": say_later("the position that is answered, where it is not the last one")},
            examples=("/drill", "/drill answer 2"),
        )
    ]


async def drill_asked(drill: Drill, caller: Caller) -> AsyncIterator[Reply]:
    """What is asked now, for who is to answer it alone, once that is known."""
    async for told in drill.asked(caller):
        if isinstance(told, Delay):
            yield replace(delay_reply(told), private=True)
        else:
            yield Reply(told, drill_text, drill_data, private=True)


def drill_reply(found: DrillVerdict) -> Reply:
    """What an answer comes to, for who gave it alone."""
    return Reply(found, drill_verdict_text, drill_verdict_data, private=True)


def _usage() -> str:
    return say("/drill asks for a decision, and /drill answer 2 answers it")
