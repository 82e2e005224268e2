"""Positions that are opened by their characters, and decisions as they are kept."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from bot.services.rule_options import with_goal
from bot.store.rows import StoredDaily, StoredDrill
from solver.errors import FarkleError, InvalidRequestError
from solver.game.position import Position, check_position
from solver.play.daily import Choice, Question
from solver.play.position_id import PositionId, read_id
from solver.rules.file import make_rules
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll

_KEY = 20
"""Characters of what a decision without an ID is kept by."""


def opened(read: PositionId, known: Iterable[Ruleset]) -> tuple[Ruleset, Position, Roll | None]:
    """The rules of a position, which are among the known ones, the position and what was rolled.

    Raises InvalidRequestError where no known rules fit, and InvalidPositionError.
    """
    like = [rules for rules in known if read.is_of(rules)]
    if not like:
        raise InvalidRequestError.say(
            "the rules of the position {id} are not known here; make them with /rules new first",
            id=read.text,
        )
    # rules that have the very goal keep their name
    like.sort(key=lambda rules: rules.goal != read.goal_of(rules))
    for rules in like:
        try:
            meant = with_goal(rules, read.goal_of(rules))
            position, roll = read.position(meant)
            check_position(meant, position)
        except FarkleError as error:
            wrong = error
        else:
            return meant, position, roll
    raise wrong


def kept(question: Question) -> dict[str, Any]:
    """A decision as it is kept: by its ID or, where it has none, in full; and its choices."""
    found: dict[str, Any] = {"choices": list(map(asdict, question.choices))}
    if text := question.id:
        return {"position": text, "whole": None, **found}
    left_out = {"rules", "choices"}
    whole = _questions().dump_python(question, mode="json", exclude=left_out)
    plain = json.dumps([question.rules.digest, whole], sort_keys=True)
    text = hashlib.sha256(plain.encode()).hexdigest()[:_KEY].upper()
    return {"position": text, "whole": whole, **found}


def read_kept(stored: StoredDaily | StoredDrill, called: str) -> Question:
    """A decision that was kept; `called` so in what is said of its rules.

    Raises FarkleError where this program cannot read it.
    """
    rules = make_rules(stored.rules, called)
    choices = tuple(
        Choice(**{**one, "set_aside": tuple(one["set_aside"])}) for one in stored.choices
    )
    if whole := getattr(stored, "whole", None):
        return _questions().validate_python({**whole, "rules": rules, "choices": choices})
    position, roll = read_id(stored.position).position(rules)
    return Question(rules, position, roll or (), choices)


@cache
def _questions() -> TypeAdapter[Question]:
    return TypeAdapter(Question)
