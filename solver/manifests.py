"""Which files are the manifests of a rule set's strategies, by their names alone."""

import re
from pathlib import Path

from solver.files import DIGEST_LENGTH
from solver.rules.ruleset import Ruleset


def manifest_path(folder: Path, rules: Ruleset) -> Path:
    """Where the manifest of a rule set with its score floor stands."""
    return folder / f"{rules.digest[:DIGEST_LENGTH]}_floor{rules.score_floor}.json"


def manifests(folder: Path, rules: Ruleset) -> list[Path]:
    """The manifests of a rule set with any score floor, sound or not."""
    name = re.compile(rf"{rules.digest[:DIGEST_LENGTH]}_floor(0|-\d+)\.json")
    return [path for path in folder.glob("*.json") if name.fullmatch(path.name)]
