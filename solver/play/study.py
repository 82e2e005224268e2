"""What was found out of a rule set, kept as a file of JSON, as it takes a while."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from solver.files import open_regular, write_whole
from solver.rules.ruleset import Ruleset


class Figures(BaseModel):
    """Numbers of a study."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Study(Figures):
    """What was found out, with the rules that it holds for."""

    rules: str
    digest: str

    @classmethod
    def load(cls, path: Path, rules: Ruleset) -> Self | None:
        """Return what a file holds of the rules; None where no sound file does."""
        try:
            with open_regular(path) as file:
                found = cls.model_validate_json(file.read())
        except (OSError, ValidationError):
            return None
        return found if found.digest == rules.digest else None

    def save(self, path: Path) -> None:
        """Write a file, whole or not at all. Raises StrategyFileError."""
        write_whole(path, self.model_dump_json(indent=2) + "\n")
