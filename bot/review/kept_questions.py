"""Decisions as they are kept: by the ID of their position, or whole."""

import hashlib
import json
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from bot.store.rows import StoredDaily, StoredDrill
from solver.play.daily import Choice, Question
from solver.play.position_id import read_id
from solver.rules.file import make_rules

_KEY = 20
"""Characters of what a decision without an ID is kept by."""


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
