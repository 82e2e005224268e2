"""A table to memorise as a page to print or to look at on a phone: A5, black on white."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from bot.features.memo.service import MemoAnswer
from bot.features.memo.view import Grid, Heading, Part, grid_lines, memo_page, memo_text
from bot.typed import cleaned
from bot.views import drawing
from bot.views.card import Attachment, Button, Card
from bot.views.layout import escape_markdown, on_phone, percent, plain_markdown, safe_text
from solver.wording import say

_SIZE = 5.83, 8.27
"""A5 in inches."""
_DPI = 200
_MARGIN = 26.0
"""In points, as all that follows."""
_TEXT, _TITLE, _HEADING = 10.5, 14.0, 11.5
_LINE = 1.32
"""Height of a line, in sizes of its letters."""
_BELOW = 5.0
"""Below each part."""
_SHRINK = 0.97
"""By which everything gets smaller until it fits."""
_LEAST = 0.3
_INK, _BAND, _RULE = "#101418", "#EEF1F5", "#8A94A0"


def memo_picture(answer: MemoAnswer, form: drawing.Form = "png") -> bytes:
    """The page as the content of a file. Pictures share no state, so threads may draw."""
    parts, scale = memo_page(answer), 1.0
    while not (page := _Page(parts, scale)).fits and scale > _LEAST:
        scale *= _SHRINK
    page.figure.set_label(next(part.text for part in parts if isinstance(part, Heading)))
    return drawing.as_file(page.figure, form)


class _Page:
    """Parts below each other, each size times the scale."""

    def __init__(self, parts: list[Part], scale: float) -> None:
        # only here: matplotlib takes half a second to import
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415

        self.figure = Figure(figsize=_SIZE, dpi=_DPI, facecolor="white")
        canvas: Any = FigureCanvasAgg(self.figure)  # its methods have no types
        self._renderer, self._scale = canvas.get_renderer(), scale
        self._width, self._whole = 72 * _SIZE[0] - 2 * _MARGIN, 72 * _SIZE[1]
        self._y = _MARGIN
        self._widest = 0.0
        """The width of the widest grid so far."""
        for number, part in enumerate(parts):
            match part:
                case Heading():
                    self._y += 0.0 if number == 0 else _BELOW * self._scale
                    self._paragraph(part.text, _HEADING if number else _TITLE, bold=True)
                case Grid():
                    self._grid(part)
                case _:
                    self._paragraph(part, _TEXT)
            self._y += _BELOW * self._scale

    @property
    def fits(self) -> bool:
        """Whether all parts are within the page."""
        height = self._y + _MARGIN - _BELOW * self._scale
        return height <= self._whole and self._widest <= self._width

    def _paragraph(self, text: str, size: float, *, bold: bool = False) -> None:
        for line in self._lines(safe_text(text, len(text) * 2), size, bold=bold):
            self._write(0.0, line, size, bold=bold)
            self._y += size * _LINE * self._scale

    def _lines(self, text: str, size: float, *, bold: bool) -> Iterator[str]:
        """Text broken into lines at spaces."""
        line = ""
        for word in text.split(" "):
            longer = f"{line} {word}" if line else word
            if line and self._measure(longer, size, bold=bold) > self._width:
                yield line
                longer = word
            line = longer
        yield line

    def _grid(self, grid: Grid) -> None:
        """Columns at their right ends, on bands of two colours; the first row has a line below."""
        number = len(grid.rows[0])
        measure = partial(self._measure, size=_TEXT, bold=True)
        widths = [max(measure(row[k]) for row in grid.rows) for k in range(number)]
        room = max(6.0, min(30.0, (self._width - sum(widths)) / number))
        step = _TEXT * _LINE * self._scale
        whole = sum(widths) + room * number
        self._widest = max(self._widest, whole)
        for index, row in enumerate(grid.rows):
            if index % 2 == 0 and index:
                self._box(self._y, step, whole, _BAND)
            x = room / 2
            for k, cell in enumerate(row):
                right, bold = k > 0, index == 0 or k == 0
                self._write(x + widths[k] * right, cell, _TEXT, bold=bold, right=right)
                x += widths[k] + room
            self._y += step
            if index == 0:
                self._box(self._y - 0.5, 0.7, whole, _RULE)

    def _box(self, top: float, height: float, width: float, colour: str) -> None:
        from matplotlib.patches import Rectangle  # noqa: PLC0415

        across = 72 * _SIZE[0]
        box = Rectangle(
            (_MARGIN / across, 1 - (top + height) / self._whole),
            min(width, self._width) / across,
            height / self._whole,
            transform=self.figure.transFigure,
            facecolor=colour,
            linewidth=0,
            zorder=-1,
        )
        self.figure.add_artist(box)

    def _write(
        self, x: float, text: str, size: float, *, bold: bool = False, right: bool = False
    ) -> None:
        if not text:
            return
        self.figure.text(
            (_MARGIN + x) / (72 * _SIZE[0]),
            1 - (self._y + size * self._scale) / self._whole,
            text,
            color=_INK,
            horizontalalignment="right" if right else "left",
            font=drawing.font(size * self._scale, bold=bold),
            parse_math=False,
        )

    def _measure(self, text: str, size: float, *, bold: bool = False) -> float:
        font = drawing.font(size * self._scale, bold=bold)
        width, _, _ = self._renderer.get_text_width_height_descent(text, font, ismath=False)
        return float(width) * 72 / _DPI


def memo_card(answer: MemoAnswer) -> Card | None:
    """A table to memorise, with a button that tells how to use it, above the picture of its page.

    None where there is no picture.
    """
    if answer.picture is None:
        return None
    parts = memo_page(answer)
    title = next(part.text for part in parts if isinstance(part, Heading))
    told = grid_lines(next(part for part in parts if isinstance(part, Grid)))
    if answer.study:
        overall = percent(answer.study.memo_go_for_it.overall)
        worth = say("If you play by it, you win {overall} against optimal play.", overall=overall)
        told.append(worth)
    with on_phone(0):
        described = cleaned(memo_text(answer))[:1000]
    picture = Attachment("memo.png", answer.picture, described)
    text = f"**{escape_markdown(title)}**\n" + plain_markdown("\n".join(told))
    return Card(text, (picture,), (Button("memo", say("How to use it")),))
