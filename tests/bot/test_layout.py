import re
from collections.abc import Iterable, Sequence
from contextvars import copy_context

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.layout import (
    MOST_IN_MESSAGE,
    PHONE,
    WIDTH,
    beneath,
    columns,
    fit_to,
    on_phone,
    percent,
    plain_markdown,
    text_width,
    wrap,
)
from bot.views.advice import cost_text
from bot.views.progress import ExpectedSweeps
from solver.game.standings import Progress
from solver.wording import and_text


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0.511005, "51.10 %"),
        (0, "0.00 %"),
        (1, "100.00 %"),
        (1e-9, "< 0.01 %"),
        (1 - 1e-9, "> 99.99 %"),
        (1 - 1e-16, "100.00 %"),  # as sums of chances come to it
        (1e-16, "0.00 %"),
        (0.99994, "99.99 %"),
    ],
)
def test_percent_keeps_certainty_for_what_is_certain(probability: float, shown: str) -> None:
    assert percent(probability) == shown


def test_what_values_are_not_told_apart_by_costs_nothing() -> None:
    assert [cost_text(cost) for cost in (0.0, 1e-16)] == ["best", "best"]
    assert [cost_text(cost) for cost in (1e-9, 0.05)] == ["-0.00", "-5.00"]


def test_only_the_last_of_several_is_joined_by_and() -> None:
    names = ["ann", "bob", "cem"]
    assert [and_text(names[:number]) for number in (1, 2, 3)] == [
        "ann",
        "ann and bob",
        "ann, bob and cem",
    ]


def test_columns_align() -> None:
    assert columns([("a", "1"), ("long", "200"), ("x",)], right={1}) == [
        "  a       1",
        "  long  200",
        "  x",
    ]


def in_room(width: int, rows: Sequence[Sequence[str]], **how: Iterable[int]) -> list[str]:
    """A table where there are so many columns."""
    context = copy_context()
    context.run(fit_to, width)
    return context.run(columns, rows, **how)


ADVICE = [
    ("keep 5", "50 points", "5 dice", "roll", "51.10 %", "best"),
    ("keep 5 3 3 3", "350 points", "2 dice", "bank", "50.97 %", "-0.13"),
]


def test_what_matters_least_goes_first_where_there_is_little_room() -> None:
    widths = [in_room(width, ADVICE, right={1, 4}, spare=(1, 2)) for width in (80, 50, 40, 25)]
    assert [lines[0] for lines in widths] == [
        "  keep 5         50 points  5 dice  roll  51.10 %  best",
        "  keep 5        5 dice  roll  51.10 %  best",
        "  keep 5        roll  51.10 %  best",
        "  keep 5",
    ]
    assert widths[-1][1] == "      roll 51.10 % best"


def test_text_in_the_last_column_goes_on_below_itself() -> None:
    rows = [("/roll", "roll all dice that are left of the turn"), ("/bank", "bank")]
    assert in_room(30, rows) == [
        "  /roll  roll all dice that",
        "         are left of the turn",
        "  /bank  bank",
    ]


def test_a_mark_stays_before_its_row() -> None:
    rows = [(">", "christopher", "1,000", "51.6 %", "rolled 6 5 4 3"), ("", "bob", "0", "48.4 %")]
    assert in_room(36, rows, right={2, 3}) == [
        "  >  christopher",
        "         1,000 51.6 % rolled 6 5 4 3",
        "     bob",
        "             0 48.4 %",
    ]


def test_two_rows_of_numbers_become_two_columns() -> None:
    rows = [("6 dice", "5 dice", "4 dice"), ("16,400", "3,050", "1,050")]
    assert in_room(20, rows, right=range(3)) == [
        "  6 dice  16,400",
        "  5 dice   3,050",
        "  4 dice   1,050",
    ]


def test_columns_that_do_not_fit_make_a_table_below() -> None:
    rows = [("", "one", "two", "three"), ("1", "11111", "22222", "33333"), ("2", "1", "2", "3")]
    assert in_room(17, rows, right=range(4)) == [
        "       one    two",
        "  1  11111  22222",
        "  2      1      2",
        "     three",
        "  1  33333",
        "  2      3",
    ]


CELL = st.text(st.sampled_from("ab1 %ä"), max_size=30).map(lambda text: " ".join(text.split()))


@example(
    64, [["", "1" * 5, "", "1" * 5], ["111", "", "1" * 7, "", "1" * 4, "1" * 10, "1" * 17]], set()
)
@given(
    st.integers(24, 120),
    st.lists(st.lists(CELL, min_size=1, max_size=7), min_size=1, max_size=4),
    st.sets(st.integers(0, 6)),
)
def test_every_cell_is_whole_in_a_line_that_fits(
    width: int, rows: list[list[str]], right: set[int]
) -> None:
    lines = in_room(width, rows, right=right)
    for row in rows:
        words = [word for cell in row for word in cell.split()]
        assert all(any(word in line for line in lines) for word in words)
        assert all(any(cell in line for line in lines) for cell in row[:-1])
    if max(text_width(cell) for row in rows for cell in row) + 10 < width / 2:
        assert max(map(text_width, lines)) <= width


def test_long_lines_break_at_spaces() -> None:
    assert wrap("one two three 50.00 %\n  four five", 18) == "one two three\n  50.00 %\n  four five"


def test_expected_sweeps_follow_the_residual() -> None:
    expected = ExpectedSweeps(1e-9, 14.0)
    assert expected.after(Progress(1, 0.0, None)) == 14
    for sweep, residual in ((2, 1e6), (3, 0.4), (4, 1e-2), (5, 1e-3)):
        expected.after(Progress(sweep, 0.5, residual))
    assert expected.after(Progress(5, 0.9, 1e-3)) == pytest.approx(4 + 6)
    for sweep in range(6, 12):
        expected.after(Progress(sweep, 0.0, 10.0 ** -(sweep - 2)))
    assert expected.after(Progress(11, 0.5, 1e-9)) >= 11


def test_expected_sweeps_do_without_those_that_nobody_told() -> None:
    expected = ExpectedSweeps(1e-9, 14.0)
    assert expected.after(Progress(4, 0.5, 1e-3)) >= 4
    assert expected.after(Progress(7, 0.5, 1e-6)) == pytest.approx(6 + 3)


def test_a_game_that_is_solved_at_once_has_a_residual_of_nothing() -> None:
    sweeps = ExpectedSweeps(1e-9, 14.0)
    for sweep, residual in enumerate([1e-3, 1e-5, 1e-7, 0.0, 0.0, 1e-12], 2):
        assert sweep <= sweeps.after(Progress(sweep, 0.0, residual)) < 100


WORDS = st.text("abcdeé7", min_size=1, max_size=9)
SENTENCES = st.lists(WORDS, min_size=1, max_size=40).map(" ".join)
CELLS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], set[int]]:
    number = draw(st.integers(2, 5))
    rows = st.lists(CELLS, min_size=number, max_size=number)
    aligned = st.sets(st.integers(1, number - 1))
    return draw(st.lists(rows, min_size=1, max_size=5)), draw(aligned)


@given(st.lists(SENTENCES | tables(), min_size=1, max_size=5))
def test_a_message_says_all_of_the_text_on_a_phone(
    parts: list[str | tuple[list[list[str]], set[int]]],
) -> None:
    """Every word is there, in a table that is spread at least once; nothing is too wide."""
    blocks, words = [], set()
    with on_phone():
        for part in parts:
            if isinstance(part, str):
                blocks.append(wrap(part))
                words |= {*part.split()}
            else:
                rows, right = part
                blocks += columns(rows, right=right)
                words |= {word for row in rows for cell in row for word in cell.split()}
    message = plain_markdown("\n".join(blocks))
    if len(message) > MOST_IN_MESSAGE - 20:
        return
    plain = re.sub(r"```text|```|\*\*|\\|-# |^- | · ", " ", message, flags=re.MULTILINE)
    assert {*plain.split()} == words
    assert message.count("```") % 2 == 0
    for block in re.findall(r"```text\n(.*?)\n```", message, flags=re.DOTALL):
        assert max(map(text_width, block.splitlines())) <= PHONE


def in_message(*rows: Sequence[str], right: Iterable[int] = ()) -> list[str]:
    """A table as the lines of a message."""
    with on_phone():
        return plain_markdown("\n".join(columns(rows, right))).splitlines()


def test_text_that_is_too_wide_beside_a_word_is_a_list() -> None:
    """It is no table, which a phone would break in the middle of words."""
    rows = ("/roll", "roll all dice that are left of the *turn*"), ("/bank", "bank")
    assert in_message(*rows) == [
        r"**/roll** roll all dice that are left of the \*turn\*",
        "**/bank** bank",
    ]


def test_heads_are_beside_their_cells_in_a_message() -> None:
    cells = [f"{number}.00 %" for number in range(7)]
    with on_phone():
        told = plain_markdown("\n".join(beneath("abcdefg", cells))).splitlines()
    assert told[1:-1] == [f"{head}  {cell}" for head, cell in zip("abcdefg", cells, strict=True)]


def test_columns_that_are_too_wide_go_below_the_head_of_their_row() -> None:
    rows = ("", "ann", "greedy bot"), ("lost by decisions, %", "-26.78", "*17*")
    assert in_message(*rows, right={1, 2}) == [
        "```text",
        "       ann  greedy bot",
        "lost by decisions, %",
        "    -26.78        *17*",
        "```",
    ]


def test_few_rows_that_fit_as_columns_are_turned() -> None:
    rows = ("", *"abcdef"), ("kcd", *["10.00 %"] * 6), ("classic", *["20.00 %"] * 6)
    assert in_message(*rows, right=range(1, 7)) == [
        "```text",
        "       kcd  classic",
        *(f"{name}  10.00 %  20.00 %" for name in "abcdef"),
        "```",
    ]


def test_on_a_page_a_table_has_the_room_of_a_page() -> None:
    rows = ("", *["a long name"] * 4), ("kcd", *["10.00 %"] * 4), ("classic", *["20.00 %"] * 4)
    with on_phone(WIDTH):
        told = plain_markdown("\n".join(columns(rows, right=range(1, 5)))).splitlines()
    assert [len(line) for line in told] == [7, 59, 59, 59, 3]


def test_of_a_table_in_parts_each_has_the_rows_that_say_something_there() -> None:
    heads = ("worth", "6 dice", "5 dice", "4 dice", "3 dice")
    rows = ("500", "3,500", "", "", ""), ("0", "9,000", "3,400", "1,000", "450"), ("-",)
    assert in_message(heads, *rows, right=range(1, 5)) == [
        "```text",
        "worth  6 dice  5 dice  4 dice",
        "500     3,500",
        "0       9,000   3,400   1,000",
        "-",
        "worth  3 dice",
        "0         450",
        "-",
        "```",
    ]


def test_two_rows_that_are_too_wide_are_turned() -> None:
    rows = [[f"{dice} dice" for dice in (6, 5, 4, 3, 2)], ["3.09 %", "9 %", "8 %", "7 %", "6 %"]]
    assert in_message(*rows, right=range(5)) == [
        "```text",
        "6 dice  3.09 %",
        "5 dice     9 %",
        "4 dice     8 %",
        "3 dice     7 %",
        "2 dice     6 %",
        "```",
    ]


def test_a_table_that_a_phone_has_room_for_is_one_with_as_little_as_possible_around_it() -> None:
    rows = ("1 1 1 1 1 1", "4,000", "1,200 in parts"), ("1", "100", "-")
    assert in_message(*rows, right={1, 2}) == [
        "```text",
        "1 1 1 1 1 1 4,000 1,200 in parts",
        "1             100              -",
        "```",
    ]


def test_lists_are_lists() -> None:
    text = "A turn\n  It is so.\n  It is not.\n\nPoints\n  fives  50"
    assert plain_markdown(text).splitlines()[:3] == ["A turn", "- It is so.", "- It is not."]
