"""A rule set as a short TOML file that people like to read and edit."""

import os
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from solver.rules.ruleset import PER_FACE, Ruleset, Scoring

_HEAD = (
    "House rules of Farkle. What is not said is as in the simplest game.",
    "To check: farkle rules check FILE; to explain: farkle rules FILE",
)

_COMMENTS = {
    "goal_must_be": "or reached",
    "minimum_bank": "least turn total that may be banked",
    "opening_minimum": "least turn total of a player's first bank",
    "minimum_binds_win": "a bank that reaches the goal needs no minimum",
    "set_aside_all": "every die that scores",
    "hot_dice": "optional, no_bank or forced",
    "hot_dice_bonus": "bonus for the 1st, 2nd, ... hot dice of a turn",
    "farkle_keeps_turn_total": "where it is enough for a bank, after hot dice too",
    "instant_win": "rolls that win",
    "lose_everything": "rolls that lose everything",
    "ending": "at_once, final_turn or equal_turns",
    "ties": "earlier, shared or played_on",
    "points": 'a number or "everything"',
    "single": "the points for the faces 1 to 6",
    "more_of_a_kind": "none, linear or doubling",
    "nothing": "a roll of all dice in which nothing scores",
}
"""A few words behind a key that does not explain itself."""


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
    # the floor that rules have unless they say one goes without saying, too
    if rules == Ruleset.model_validate(rules.model_dump(exclude={"score_floor"})):
        data.pop("score_floor", None)
    scoring = {
        # what scores in nearly every game is good to see
        "single": rules.scoring.single,
        "three_of_a_kind": rules.scoring.three_of_a_kind,
        **data.pop("scoring", {}),
    }
    tables = {"farkle_penalty": data.pop("farkle_penalty", {}), "scoring": scoring}
    for key in [key for key in Ruleset.model_fields if key in data]:
        document.add(key, _item(key, data[key]))
    for key, values in tables.items():
        if values:
            document.add(tomlkit.nl())
            document.add(key, _table(values))
    return tomlkit.dumps(document)


def write_rules(path: Path, rules: Ruleset) -> None:
    """Write the rules, whole or not at all, over what was there. Raises OSError."""
    path = path.resolve()  # what a link leads to, and not the link
    temporary = path.with_name(f".rules-{os.getpid()}.tmp")
    # "x": in a folder of many, never through what somebody else has put there
    file = temporary.open("x", encoding="utf-8")
    try:
        with file:
            file.write(rules_toml(rules, path.stem))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _table(values: dict[str, Any]) -> Table:
    table = tomlkit.table()
    for key in [*Scoring.model_fields, "in_a_row", "points"]:
        if key in values:
            table.add(key, _item(key, values[key]))
    return table


def _item(key: str, value: Any) -> Any:
    if key in PER_FACE and len(set(value)) == 1:
        value = value[0]
    item = tomlkit.item(list(value) if isinstance(value, tuple) else value)
    if comment := _COMMENTS.get(key):
        item.comment(comment)
        item.trivia.comment_ws = "  "
    return item
