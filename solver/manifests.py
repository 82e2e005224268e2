"""Which files are the manifests of a rule set's strategies, and whether they are whole.

All that loads no NumPy: the chat looks before its prompt.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from solver.errors import StrategyFileError
from solver.files import DIGEST_LENGTH, open_regular, sha256
from solver.rules.ruleset import Ruleset
from solver.sealed import MOST_BYTES, unsealed

FORMAT: Final = "farkle-strategy-3"
"""Of manifests of this version."""


def manifest_path(folder: Path, rules: Ruleset) -> Path:
    """Where the manifest of a rule set with its score floor stands."""
    return folder / f"{rules.digest[:DIGEST_LENGTH]}_floor{rules.score_floor}.json"


def manifests(folder: Path, rules: Ruleset) -> list[Path]:
    """The manifests of a rule set with any score floor, sound or not."""
    name = re.compile(rf"{rules.digest[:DIGEST_LENGTH]}_floor(0|-\d+)\.json")
    return [path for path in folder.glob("*.json") if name.fullmatch(path.name)]


def is_whole(folder: Path, rules: Ruleset) -> bool:
    """Whether a strategy of a rule set is of this version and, to the byte, as it was written."""
    for path in manifests(folder, rules):
        with suppress(OSError, StrategyFileError, ValueError):
            with open_regular(path) as file:
                said = unsealed(file.read(MOST_BYTES + 1))
            with open_regular(path.with_name(str(said.get("values")))) as file:
                found, _, _ = sha256(file)
            right = {"format": FORMAT, "digest": rules.digest, "sha256": found}
            if right.items() <= said.items():
                return True
    return False
