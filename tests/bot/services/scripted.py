"""A solve that does what a script says, in a worker; few imports, as each worker loads them."""

from typing import Any

from solver.errors import SolveError
from solver.game.standings import Progress


def follow_script(script: str, *asked: Any) -> None:
    """Do what a script says instead of a solve."""
    exec(script, {"tell": asked[-1], "Progress": Progress, "SolveError": SolveError})  # noqa: S102
