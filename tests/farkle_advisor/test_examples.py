"""The examples in the package's docstrings and in the pages for programmers say what is so."""

import doctest
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import farkle_advisor
from bot.settings import CHECKOUT

MODULES = ["farkle_advisor"]
MODULES += [f"farkle_advisor.{one.name}" for one in iter_modules(farkle_advisor.__path__)]
PAGES = [CHECKOUT / "docs" / "python.md", CHECKOUT / "README.md"]
SLOW = {"Several players, and loaded dice", "Ways to play, and points"}
"""Sections with solves."""
SLOW_MODULES = {"farkle_advisor.contests"}
"""Modules whose examples compile what no quick test needs."""


@pytest.fixture(autouse=True)
def _solved(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FARKLE_DATA", str(data))


def check(test: doctest.DocTest) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    runner.run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in SLOW_MODULES else ())
        for name in MODULES
    ],
)
def test_docstrings(name: str) -> None:
    module = import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        check(test)


def test_everything_that_is_called_has_an_example() -> None:
    tests = [
        test for name in MODULES for test in doctest.DocTestFinder().find(import_module(name), name)
    ]
    shown = "\n".join(example.source for test in tests for example in test.examples)
    called = [name for name in farkle_advisor.__all__ if name.islower()]
    called += [name for name in vars(farkle_advisor.Game) if name[0] != "_" and name != "dice"]
    assert [name for name in called if not re.search(rf"\b{name}\b", shown)] == []


def sections() -> list[object]:
    """The examples of each section of a page, which begin where those of its first one end."""
    found: list[object] = []
    for page in PAGES:
        parts = re.split(r"^## (.+)\n", page.read_text("utf-8"), flags=re.MULTILINE)[1:]
        titles = dict(zip(parts[::2], parts[1::2], strict=True))
        first = next((title for title, text in titles.items() if ">>> " in text), "")
        for title, text in titles.items():
            if ">>> " in text:
                marks = pytest.mark.slow if title in SLOW else ()
                before = titles[first] if title != first else ""
                found.append(pytest.param(before, text, id=f"{page.stem}: {title}", marks=marks))
    return found


def examples(text: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(re.sub("^```.*$", "", text, flags=re.MULTILINE))


@pytest.mark.parametrize(("before", "text"), sections())
def test_pages(before: str, text: str) -> None:
    code = "".join(example.source for example in examples(before))
    names: dict[str, object] = {}
    exec(compile(code, "before", "exec"), names)  # noqa: S102 - of our own page
    check(doctest.DocTest(examples(text), names, "page", None, 0, None))
