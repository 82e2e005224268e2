"""What comes from elsewhere is declared, and used by its public names; imports are at the top."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from bot.settings import CHECKOUT

OURS = ("farkle_advisor", "bot", "solver")

DOCUMENTED = {
    "_asdict": "of named tuples",
    "_exit": "of the module os",
    "_fields": "of named tuples",
    "_mapping": "of rows, in SQLAlchemy's manual",
    "_replace": "of named tuples",
}
"""Names that begin with an underscore and are public all the same, with whose they are."""

PRIVATE: dict[str, str] = {
    "_connection": "of discord.py: no public name is called before it reads an interaction",
}
"""Private names of libraries that are used, each with its reason."""

REASON = "# noqa: PLC0415 - "
MOST_LATE = 74
"""Imports inside functions; a new one rather takes the place of another."""


@pytest.fixture(scope="module")
def sources() -> list[tuple[Path, ast.Module]]:
    return [
        (path, ast.parse(path.read_text(encoding="utf-8")))
        for folder in OURS
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
    ]


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported, and names from them as module.name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{one.name}" for one in node.names)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_an_import_inside_a_function_says_what_it_is_worth(
    sources: list[tuple[Path, ast.Module]],
) -> None:
    """On its line, by a reason after the rule that it breaks, such as the time that others save."""
    late = {
        (path, one.lineno)
        for path, tree in sources
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for one in ast.walk(function)
        if isinstance(one, ast.Import | ast.ImportFrom)
    }
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path, _ in late}
    assert {(path, n) for path, n in late if REASON not in lines[path][n - 1]} == set()
    assert len(late) <= MOST_LATE


def test_what_is_imported_is_declared(sources: list[tuple[Path, ast.Module]]) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    more = project["optional-dependencies"]
    wanted = [*project["dependencies"], *more["cluster"], *more["postgres"]]
    declared = {re.split(r"[><=;\[ ]", one)[0].lower().replace("_", "-") for one in wanted}
    from_packages = packages_distributions()
    imported = {name.partition(".")[0] for _, tree in sources for name in imports(tree)}
    foreign = imported - set(OURS) - sys.stdlib_module_names
    undeclared = {
        name
        for name in foreign
        if not declared & {one.lower().replace("_", "-") for one in from_packages[name]}
    }
    assert len(foreign) > 15
    assert undeclared == set()


def test_no_private_name_of_a_library_is_used(sources: list[tuple[Path, ast.Module]]) -> None:
    """Names of one's own are those that the code defines somewhere."""
    defined: set[str] = set()
    used: dict[str, str] = {}
    for path, tree in sources:
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    defined.add(name)
                case ast.ClassDef(name=name):
                    defined.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    defined.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    defined.add(name)
                case ast.Attribute(attr=name) if is_private(name):
                    used.setdefault(name, f"{path.name}:{node.lineno}")
        for name in imports(tree):
            top, *parts = name.split(".")
            if top not in OURS:
                used |= {part: f"{path.name} {name}" for part in [top, *parts] if is_private(part)}
    foreign = {name: place for name, place in used.items() if name not in defined}
    assert set(foreign) <= {*DOCUMENTED, *PRIVATE}, foreign
    assert set(PRIVATE) <= set(foreign)
