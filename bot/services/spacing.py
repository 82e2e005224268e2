"""When something is asked again, by the Free Spaced Repetition Scheduler.

Its model of memory and its parameters are those of FSRS 6
(https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from fsrs import Card, Rating, Scheduler

from solver.play.daily import CLEAR

_SOON = timedelta(minutes=10)
_SCHEDULER = Scheduler(
    learning_steps=(_SOON,),
    relearning_steps=(_SOON,),
    maximum_interval=365,
    enable_fuzzing=False,  # so that the same answers have the same intervals
)


def spaced(
    memory: Mapping[str, Any] | None, cost: float, now: datetime
) -> tuple[dict[str, Any], datetime]:
    """What is remembered after an answer that cost so much, and when it is asked again.

    memory : what was remembered before; None at the first answer
    cost : win probability that was given away
    now : in UTC
    """
    card = Card(0, due=now) if memory is None else Card.from_dict({**_EMPTY, **memory})
    after, _ = _SCHEDULER.review_card(card, _rating(cost), now)
    kept = after.to_dict()
    return {name: value for name, value in kept.items() if name not in _EMPTY}, after.due


def _rating(cost: float) -> Rating:
    """How well it was known: what is nearly as good as the best was not quite forgotten."""
    if cost <= 0:
        return Rating.Good
    return Rating.Hard if cost < CLEAR else Rating.Again


_EMPTY: Any = {"card_id": 0, "due": datetime.min.isoformat()}
"""Of a card what is known otherwise."""
