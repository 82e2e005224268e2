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

_ELSEWHERE = {"card_id": 0, "due": datetime.min.isoformat()}
"""What a card of the scheduler has besides, and what is kept elsewhere or needed by nobody."""


def spaced(
    memory: Mapping[str, Any] | None, cost: float, now: datetime
) -> tuple[dict[str, Any], datetime]:
    """What is remembered after an answer that cost so much, and when it is asked again.

    memory : what was remembered before; None at the first answer
    cost : win probability that was given away
    now : in UTC
    """
    before: Any = {**_ELSEWHERE, **memory} if memory else None
    card = Card.from_dict(before) if before else Card(0, due=now)
    after, _ = _SCHEDULER.review_card(card, _rating(cost), now)
    kept = {name: value for name, value in after.to_dict().items() if name not in _ELSEWHERE}
    return kept, after.due


def _rating(cost: float) -> Rating:
    """How well it was known: what is nearly as good as the best was not quite forgotten."""
    if cost <= 0:
        return Rating.Good
    return Rating.Hard if cost < CLEAR else Rating.Again
