from solver.rules.file import key_lines, line_of

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
        ("m", "n"): 17,
        ("m", "o"): 19,
    }


def test_line_ends_of_any_kind() -> None:
    assert key_lines(TEXT.replace("\n", "\r\n")) == key_lines(TEXT)
    assert key_lines("a = 1") == {("a",): 1}


def test_a_key_that_is_not_there_has_the_line_of_its_table() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("b", "missing")) == 4
    assert line_of(lines, ("missing",)) == 1
