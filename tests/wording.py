"""Holds docstrings and locals to words that say what a thing is: `python -m tests.wording`.

Prints each docstring that begins with words that only point at another text, and fails if any does.
In `bot` and `solver` no docstring may begin in the middle of a sentence either, and no local be a
word for anything.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.settings import CHECKOUT

FOLDERS = ("farkle_advisor", "bot", "solver", "tests")

PLAIN = ("bot", "solver")
"""Folders whose files are held to all of it."""

POINTING = re.compile(
    r"(The same\b|Of |To |As it says|As above|See above|What is told|Each whether)"
)
"""Beginnings that leave open what the thing is; `ast` gives them without their blanks."""
FRAGMENT = re.compile(
    r"(After|As|At|Below|Beside|Between|By|For|From|In|It|Its|Likewise|So|That|Those|With|Without)\b"
)
"""Beginnings of what is only half a sentence, or has its subject in another docstring."""

RIDDLES = {"found", "more", "one", "some", "told"}
"""Locals that could be anything; `one` beside an `other` is the first of two."""


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """All texts that stand by themselves: of modules, classes, functions and fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def riddles(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and name of each local of a function that says nothing."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        names = {
            (node.lineno, node.arg if isinstance(node, ast.arg) else node.id)
            for node in ast.walk(function)
            if isinstance(node, ast.arg)
            or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        }
        pairs = {"one"} if "other" in {name for _, name in names} else set()
        yield from ((line, name) for line, name in names if name in RIDDLES - pairs)


def faults(source: str, *, plain: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of a source that say too little, with what is to be said in other words.

    plain : whether it is held to all that this module asks for
    """
    tree = ast.parse(source)
    for docstring in docstrings(tree):
        text = str(docstring.value).strip()
        if POINTING.match(text) or (plain and FRAGMENT.match(text)):
            yield docstring.lineno, text.splitlines()[0]
    if plain:
        yield from sorted(set(riddles(tree)))


def main() -> int:
    """Print what is to be said in other words; 1 if there is any."""
    number = 0
    for folder in FOLDERS:
        for path in sorted(Path(CHECKOUT, folder).rglob("*.py")):
            name = path.relative_to(CHECKOUT).as_posix()
            plain = folder in PLAIN
            for line, text in faults(path.read_text(encoding="utf-8"), plain=plain):
                number += 1
                print(f"{name}:{line}: say what it is: {text}")  # noqa: T201
    return min(number, 1)


if __name__ == "__main__":
    sys.exit(main())
