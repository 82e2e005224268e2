"""Tasks: how long they take, and that they are stopped."""

from collections.abc import Sequence

from bot.tasks.tasks import Delay, counted, duration
from bot.views.layout import wrap
from solver.wording import say, say_number


def delay_text(delay: Delay) -> str:
    """How long a task takes, or what it waits for."""
    task, time = say(delay.what), duration(delay.seconds)
    if not delay.before:
        return say("{task}: it takes about {time}.", task=task, time=time)
    return wrap(
        say_number(
            "{task}: {number} task comes first, which takes about {time}.",
            "{task}: {number} tasks come first, which take about {time}.",
            delay.before,
            task=task,
            time=time,
        )
    )


def stopped_text(stopped: Sequence[str]) -> str:
    """That tasks are stopped, if there were any."""
    if not stopped:
        return say("You have no tasks under way.")
    return wrap(say("Cancelled: {tasks}.", tasks=counted(stopped)))
