"""A rule set as a short TOML file that people like to read and edit."""

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from solver.folders import write_whole
from solver.rules.options import RuleOption
from solver.rules.ruleset import OPTIONS, PENALTY_OPTIONS, Ruleset

_HEAD = (
    "House rules of Farkle. What is not said is as in the simplest game.",
    "To check: farkle rules check FILE; to explain: farkle rules FILE",
)


def rules_toml(rules: Ruleset, name: str) -> str:
    """The rules as TOML, without what goes without saying.

    `name` is the name that the file gives them by itself.
    """
    document = tomlkit.document()
    for line in _HEAD:
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    data = rules.model_dump(exclude_defaults=True)
    if data["name"] == name:
        del data["name"]
    if rules.rounds:
        del data["goal"]
    # the floor that rules have unless they say one goes without saying; 0 may be another one
    data.pop("score_floor", None)
    if rules != Ruleset.model_validate(rules.model_dump(exclude={"score_floor"})):
        data["score_floor"] = rules.score_floor
    scoring = {
        # what scores in nearly every game is good to see
        "single": rules.scoring.single,
        "three_of_a_kind": rules.scoring.three_of_a_kind,
        **data.pop("scoring", {}),
    }
    tables = {"farkle_penalty": data.pop("farkle_penalty", {}), "scoring": scoring}
    for key in [key for key in Ruleset.model_fields if key in data]:
        document.add(key, _item(OPTIONS[key], data[key]))
    for key, values in tables.items():
        if values:
            document.add(tomlkit.nl())
            document.add(key, _table(values))
    return tomlkit.dumps(document)


def write_rules(path: Path, rules: Ruleset) -> None:
    """Write the rules, whole or not at all, over what was there. Raises OSError."""
    write_whole(path, rules_toml(rules, path.resolve().stem).encode())


def _table(values: dict[str, Any]) -> Table:
    table = tomlkit.table()
    for key, option in (OPTIONS | PENALTY_OPTIONS).items():
        if key in values:
            table.add(key, _item(option, values[key]))
    return table


def _item(option: RuleOption, value: Any) -> Any:
    is_same = option.kind.size and len(set(value)) == 1
    item = tomlkit.item(value[0] if is_same else list(value) if isinstance(value, tuple) else value)
    if option.note:
        item.comment(option.note)
        item.trivia.comment_ws = "  "
    return item
