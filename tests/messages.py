"""Finds the sentences that are translated, for `make messages`.

They are in the code and in templates, as Babel finds them there, in the files of rules, and in what
pages say. A sentence for a number of things becomes two, as translators expect it.
"""

import tomllib
from collections.abc import Iterator
from typing import Any, BinaryIO

from babel.messages.extract import extract_python
from jinja2.ext import babel_extract

from solver.wording import by_number

Found = tuple[int, str, Any, list[str]]
"""The line, the function that says it, what is said, and comments."""


def of_code(*given: Any, **options: Any) -> Iterator[Found]:
    """The sentences of a file of Python, as Babel asks for them."""
    return map(_by_number, extract_python(*given, **options))


def of_page(*given: Any, **options: Any) -> Iterator[Found]:
    """The sentences of a template."""
    return map(_by_number, babel_extract(*given, **options))


def of_clicks(file: BinaryIO, *_: Any, **__: Any) -> Iterator[Found]:
    """What pages say in place of the chat."""
    for said in filter(None, tomllib.load(file).values()):
        yield 1, "say", said, []


def of_rules(file: BinaryIO, *_: Any, **__: Any) -> Iterator[Found]:
    """The title of a rule set."""
    if title := tomllib.load(file).get("title"):
        yield 1, "say", title, []


def _by_number(found: Any) -> Found:
    line, function, said, comments = found
    text = said[0] if isinstance(said, tuple) else said
    if function in {"say_number", "say_later"} and text:
        one, many = by_number(text)
        function, said = ("say", one) if one == many else ("say_number", (one, many))
    return line, function, said, comments
