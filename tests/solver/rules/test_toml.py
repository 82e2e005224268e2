import random
import tomllib
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.rules.file import PRESETS_FOLDERS
from solver.rules.toml import MAX_BYTES, NotTomlError, key_lines, line_of, parse

TEXT = """a = 1

# [no.table]
[b]
x = [
  1, # ]
  2,
]
y.z = { q = 1 }
[c.d]
e = '''
x = 1
[f]
'''
"g.h" = 3
[[m]]
n = 1
[[m]]
o = 2
"""


def test_every_key_has_the_line_where_it_starts() -> None:
    assert key_lines(TEXT) == {
        ("a",): 1,
        ("b",): 4,
        ("b", "x"): 5,
        ("b", "y"): 9,
        ("b", "y", "z"): 9,
        ("b", "y", "z", "q"): 9,
        ("c",): 10,
        ("c", "d"): 10,
        ("c", "d", "e"): 11,
        ("c", "d", "g.h"): 15,
        ("m",): 16,
        ("m", "0"): 16,
        ("m", "0", "n"): 17,
        ("m", "1"): 18,
        ("m", "1", "o"): 19,
    }


def test_line_ends_of_any_kind() -> None:
    assert key_lines(TEXT.replace("\n", "\r\n")) == key_lines(TEXT)
    assert key_lines("a = 1") == {("a",): 1}


def test_a_key_that_is_not_there_has_the_line_of_its_table() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("b", "missing")) == 4
    assert line_of(lines, ("missing",)) == 1


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('a = 1\n# "\nb = "c\nd = "e"\n', 3, "the quote that begins here is not closed"),
        ("a = 'b\n", 1, "the quote that begins here is not closed"),
        ('a = 1\nb = """c\n\n', 2, "the quote that begins here is not closed"),
        ("a = [1,\n2\n\n", 1, "the bracket that is opened here is not closed"),
        ("a = [1,\n2\nb = 3\nc = [1]", 1, "the bracket that is opened here is not closed"),
        ("a = 1\n[scoring\nb = 3\n", 2, "the bracket that is opened here is not closed"),
        ("a = { b = 1,\nc = 2 }", 1, "braces have to be closed on the line that opens them"),
        ("a = 1\n]\n", 2, "the bracket that is closed here was not opened"),
        ("a = [1}\n", 1, "the bracket that is closed here was not opened"),
        ("a = 1\nb = 2\na = 3", 3, "a is given twice, first in line 1"),
        ("a.b = 1\n[a]\n", 2, "a is given twice, first in line 1"),
        ("a = 1\na.b = 2\n", 2, "a is given twice, first in line 1"),
        ("[a]\nb = 1\n[c]\n[a]\nd = 1\n", 4, "a is given twice, first in line 1"),
        ("[a]\nb = 1\nb = 2\n[c]\n", 3, "a.b is given twice, first in line 2"),
        ("a = { b = 1, b = 2 }", 1, "a key in these braces is given twice"),
        ("\ngoal 10000\n", 2, "this is neither a [table] nor a key with its value"),
        ("goal: 10000\n", 1, "this is neither a [table] nor a key with its value"),
        ("goal = 1\n= 2\n", 2, "this is neither a [table] nor a key with its value"),
        ('{"goal": 1}', 1, "this is neither a [table] nor a key with its value"),
        ("a =\nb = 1\n", 1, "after = the value is missing"),
        ("a = # 1\n", 1, "after = the value is missing"),
        ("a = 10,000 # much\n", 1, "10,000 is not one value; a number is written as 10000"),
        ("a = 010\n", 1, "010 is not one value"),
        ("a = 1 b = 2\n", 1, "1 b = 2 is not one value"),
        ("a = “b”\n", 1, "“b” is not a value; after = comes"),
        ("a = at_once\n", 1, "at_once is not a value; after = comes"),
        ("a = 1\n[b] c = 1\n", 2, "a table is written as [scoring], with nothing else on its line"),
        ("[a b]\n", 1, "a table is written as [scoring]"),
        ("[]\n", 1, "a table is written as [scoring]"),
        ('a = "b\\q"\n', 1, "a backslash between double quotes begins a code"),
        ('a = "\\uD800"\n', 1, "a backslash between double quotes begins a code"),
        (
            'a = 1\nb = "\0"\n',
            2,
            "there is a character here that text cannot have (U+0000); delete it",
        ),
        ("a = 1\rb = 2\r", 1, "the lines end as on old Macs"),
        ("a = 2020-13-01T00:00:00\n", 1, "2020-13-01T00:00:00 "),
        ("a = 1\nb = 1" + "0" * 5000, 2, "a number is too long"),
        (
            "a = 1\nb" + ".b" * 20_000 + " = 1\n",
            2,
            "this is nested more deeply than rules ever are",
        ),
        ("[a" + ".b" * 20_000 + "]\n", 1, "this is nested more deeply than rules ever are"),
        ("a = " + "[" * 20_000, 1, "this is nested more deeply than rules ever are"),
        ("a = " + "{ b = " * 8_000, 1, "this is nested more deeply than rules ever are"),
        ("a = 1\n" * 20_000, 1, "is too long for a rule set"),
    ],
)
def test_what_is_wrong_is_said_of_its_line(text: str, line: int, sentence: str) -> None:
    for ends in (text, text.replace("\n", "\r\n")):
        with pytest.raises(NotTomlError) as caught:
            parse(ends)
        assert str(caught.value).startswith(sentence)
        assert caught.value.line == line


PRESETS = [path.read_text() for folder in PRESETS_FOLDERS for path in folder.glob("*.toml")]
SIGNS = "[]{}\"'.=,#\n\r\t \\_-19aä\0"


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A rule file in which something was deleted, put in, or given twice."""
    text = draw(st.sampled_from([TEXT, *PRESETS]))
    for _ in range(draw(st.integers(0, 3))):
        start, end = sorted(draw(st.integers(0, len(text))) for _ in range(2))
        end = min(end, start + draw(st.sampled_from([0, 1, 1, 3, 30])))
        middle = draw(st.one_of(st.text(SIGNS, max_size=4), st.just(text[start:end] * 2)))
        text = text[:start] + middle + text[end:]
    return text


@given(damaged())
def test_what_is_toml_is_taken_as_the_library_has_it(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except ValueError:
        with pytest.raises(NotTomlError) as caught:
            parse(text)
        assert 1 <= caught.value.line <= text.count("\n") + 1
        assert str(caught.value).isprintable()
        assert "this is not valid TOML (" not in str(caught.value), "a message without plain words"
    else:
        assert parse(text) == data
        assert {place[:1] for place in key_lines(text)} == {(key,) for key in data}


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "1,", "[", "]", "{", "}", '"', "'", '"""', "''", "=", "a=1\n", "[[a]]\n", "\n",
     "[1,", "[a.", "a={b=", "a=[\n", '\\"', "#", "a='''\n]\n", 'a="""x"\n', "[]"],
)  # fmt: skip
def test_nothing_is_looked_at_often(piece: str) -> None:
    """However bad a text is, the parser gets no more than a few times its length."""
    chance, loads, given_it = random.Random(1), tomllib.loads, list[int]()

    def counted(text: str) -> dict[str, object]:
        given_it.append(len(text))
        return loads(text)

    odd = piece + chance.choice(["a", '"', "]", "\n", " = 1\n"])
    for text in (piece, 'a = """\n' + piece, "a = [\n" + piece, odd):
        whole = (text + piece * MAX_BYTES)[:MAX_BYTES]
        given_it.clear()
        with mock.patch("tomllib.loads", counted):
            try:
                parse(whole)
                key_lines(whole)
            except NotTomlError:
                pass
        assert sum(given_it) <= 3 * MAX_BYTES
