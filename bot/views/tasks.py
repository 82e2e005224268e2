"""Tasks: how long they take, and that they are stopped."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.services.needed import Needed
from bot.tasks.tasks import Delay, counted, duration
from bot.views.layout import whole_sentence, wrap
from solver.wording import say, say_number


def delay_text(delay: Delay) -> str:
    """How long a task takes, or what it waits for."""
    task, time = say(delay.what), duration(delay.seconds)
    task = task[:1].upper() + task[1:]
    if not delay.before:
        return say("{task}: this takes about {time}.", task=task, time=time)
    return wrap(
        say_number(
            "{task}: waiting for {number} other task, about {time}.",
            "{task}: waiting for {number} other tasks, about {time}.",
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
