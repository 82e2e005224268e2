"""Holds docstrings to sentences that say what a thing is: `python -m tests.wording`.

Prints each docstring that begins with words that only point at another text, and fails if any does.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.settings import CHECKOUT

FOLDERS = ("farkle_advisor", "bot", "solver", "tests")

POINTING = re.compile(
    r"(The same\b|Of |To |As it says|As above|See above|What is told|Each whether)"
)
"""Beginnings that leave open what the thing is; `ast` gives them without their blanks."""


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """All texts that stand by themselves: of modules, classes, functions and fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def faults(source: str) -> Iterator[tuple[int, str]]:
    """The docstrings of a source that say too little: line and first line of the text."""
    for one in docstrings(ast.parse(source)):
        text = str(one.value).strip()
        if POINTING.match(text):
            yield one.lineno, text.splitlines()[0]


def main() -> int:
    """Print what is to be said in other words; 1 if there is any."""
    number = 0
    for folder in FOLDERS:
        for path in sorted(Path(CHECKOUT, folder).rglob("*.py")):
            for line, text in faults(path.read_text(encoding="utf-8")):
                number += 1
                print(f"{path.relative_to(CHECKOUT)}:{line}: say what it is: {text}")  # noqa: T201
    return min(number, 1)


if __name__ == "__main__":
    sys.exit(main())
