"""Rules as a program gives them: by name, as a file, as a mapping of their keys, or ready made."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from solver.errors import InvalidRulesError
from solver.rules import file
from solver.rules.ruleset import Ruleset

RuleKeys = Mapping[str, Any]
"""The keys of a rule file, such as {"goal": 5000, "scoring": {"three_pairs": 750}}."""
Rules = str | PathLike[str] | RuleKeys | Ruleset
"""The name of a rule set that comes with the program, the path of a TOML file, keys, or rules."""


def load_rules(rules: Rules, **changes: Any) -> Ruleset:
    """Return the rules that are meant, with some of their keys changed.

    rules : the name of a rule set that comes with the program, see `preset_names`; the path of a
        TOML file; or the keys of such a file as a mapping
    changes : keys that are to be others, such as goal=5000. Of `scoring` only those change that
        are given; None takes a key back to what it is where nobody says anything. Unless they say
        another name, the rules are called after what they were made of

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
    keys = found.model_dump(exclude_defaults=True)
    if "farkle_penalty" in changes:
        keys.pop("score_floor", None)  # which follows from it
    if isinstance(scoring := changes.get("scoring"), Mapping):
        changes["scoring"] = {**keys.get("scoring", {}), **scoring}
    named = {"name": f"{found.name}-{changes['goal'] if [*changes] == ['goal'] else 'changed'}"}
    keys |= named | changes
    given = {key: value for key, value in keys.items() if value is not None}
    return file.make_rules(given, found.name)


def preset_names() -> list[str]:
    """Return the names of the rule sets that come with the program.

    >>> preset_names()[:3]
    ['arnold', 'cardgames', 'classic']
    """
    return file.preset_names()


def _found(rules: Rules) -> Ruleset:
    if isinstance(rules, Ruleset):
        return rules
    if isinstance(rules, Mapping):
        name = str(rules.get("name", "own"))
        return file.make_rules({"name": name, **rules}, name)
    if isinstance(rules, str | PathLike):
        return file.load_rules(fspath(rules))
    raise InvalidRulesError(
        "rules are a name such as facebook, the path of a TOML file or a mapping of keys, not"
        f" {type(rules).__name__}"
    )
