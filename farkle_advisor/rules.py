"""Rules as a program gives them: by name, as a file, as a mapping of their keys, or ready made."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from solver.errors import InvalidRulesError
from solver.rules import file
from solver.rules.complaints import left_open
from solver.rules.ruleset import MAX_NAME, Ruleset
from solver.wording import short

RuleKeys = Mapping[str, Any]
"""The keys of a rule file, such as {"goal": 5000, "scoring": {"three_pairs": 750}}."""
Rules = str | PathLike[str] | RuleKeys | Ruleset
"""The name of a rule set that comes with the program, the path of a TOML file, keys, or rules."""


def load_rules(rules: Rules, **changes: Any) -> Ruleset:
    """Return the rules that are meant, with some of their keys changed.

    rules : the name of a rule set that comes with the program, see `preset_names`; the path of a
        TOML file; or the keys of such a file as a mapping
    changes : keys that are to be others, such as goal=5000. Of a table such as `scoring` only those
        change that are given; None takes a key back to what it is where nobody says anything.
        Unless they say another name, the rules are called after what they were made of

    >>> load_rules("facebook").goal
    10000
    >>> load_rules("facebook", goal=5000, scoring={"three_pairs": 750}).name
    'facebook-changed'

    Raises InvalidRulesError, whose sentence names the key that is wrong and what is accepted.

    >>> load_rules("facebook", goal=5025)
    Traceback (most recent call last):
    solver.errors.InvalidRulesError: facebook: goal: 5025 is not a multiple of 50, the step in \
which points come under these rules
    """
    found = _found(rules)
    if not changes:
        return found
    keys = found.model_dump(exclude_unset=True)
    if "farkle_penalty" in changes:
        keys.pop("score_floor", None)  # which follows from it
    for key, value in changes.items():
        is_part = isinstance(value, Mapping) and isinstance(keys.get(key), Mapping)
        keys[key] = {**keys[key], **value} if is_part else value
    if changes.get("name") is None:
        goal = changes.get("goal") if len(changes) == 1 else None
        end = f"-{goal}" if isinstance(goal, SupportsIndex) else "-changed"
        keys["name"] = f"{found.name[: MAX_NAME - len(end)]}{end}"
    return _made(keys, found.name)


def preset_names() -> list[str]:
    """Return the names of the rule sets that come with the program.

    >>> preset_names()[:3]
    ['aetolia', 'amund-10001', 'arnold']
    """
    return file.preset_names()


def _found(rules: Rules) -> Ruleset:
    if isinstance(rules, Ruleset):
        return rules
    if isinstance(rules, Mapping):
        return _made({"name": "own", **rules}, short(str(rules.get("name", "own"))))
    if isinstance(rules, PathLike):
        return file.read_rules(Path(rules))
    if isinstance(rules, str):
        return file.load_rules(rules)
    raise InvalidRulesError(
        "rules are a name such as facebook, the path of a TOML file or a mapping of keys, not"
        f" {type(rules).__name__}"
    )


def _made(keys: RuleKeys, origin: str) -> Ruleset:
    """The rules that keys say, those that are None left out. Raises InvalidRulesError."""
    tables = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
    said = {key: _said(table) for key, table in tables.items()}
    rules = file.make_rules(_said(keys) | said, origin)
    for complaint in left_open(rules):
        raise InvalidRulesError(f"{origin}: {complaint.sentence()}")
    return rules


def _said(keys: RuleKeys) -> dict[str, Any]:
    """The keys that are not None, with numbers of NumPy as Python's."""
    return {key: _plain(value) for key, value in keys.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
