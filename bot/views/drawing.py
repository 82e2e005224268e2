"""What all pictures share: paper and ink, the font, safe text, and how they become a file."""

import io
import json
import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from bot.layout import safe_text, shorten
from solver.errors import InvalidRequestError
from solver.wording import figure as figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

PAPER, INK, FAINT = "#1E2127", "#E9ECF0", "#434852"
LINES = ("#56B4E9", "#FF9A4D", "#2CC79B", "#E89AC7", "#F0E442", "#C8CDD4", "#9AA7FF", "#FF8080")
"""Near the colours of Okabe and Ito, which the colour-blind tell apart."""
MARKERS = "osD^vPX*"

Form = Literal["png", "svg", "pdf"]
FORMS: tuple[Form, ...] = get_args(Form)
"""What a picture can be written as."""

Size = tuple[int, int]
"""Width and height in pixels; of an SVG or PDF what they come to at 100 pixels an inch."""

Box = tuple[float, float, float, float]
"""The left and the lower edge of a part of a picture, its width and height."""

_INCHES = 8.0
"""How wide everything is drawn; letters are in proportion to it, so that phones can show them."""

_LINE = 58
"""Letters across below a title."""


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a picture."""

    paper: str
    ink: str
    faint: str
    lines: tuple[str, ...]
    values: str
    """The colour map of amounts, perceptually uniform, from few to many."""
    differences: str
    """The colour map of amounts below and above 0."""

    def letters(self, size: float, *, bold: bool = False) -> dict[str, Any]:
        """What matplotlib is told of a text in ink, in which no dollar begins a formula."""
        return {"color": self.ink, "font": font(size, bold=bold), "parse_math": False}


DARK = Look(PAPER, INK, FAINT, LINES, "viridis", "managua_r")
"""Also what the chat shows: on light ground it is a dark card."""
LIGHT = Look(
    "#FFFFFF",
    "#1E2127",
    "#C9CED6",
    ("#0072B2", "#C04F00", "#00795A", "#A8437C", "#6B6200", "#4A4F57", "#4353C6", "#B3261E"),
    "viridis",
    "PuOr_r",
)


@dataclass(frozen=True, slots=True)
class Style:
    """How a picture is wanted."""

    look: Look
    form: Form = "png"
    size: Size | None = None
    """None for the usual one of such a picture."""


ON_DARK, ON_LIGHT = Style(DARK), Style(LIGHT)

_wanted: ContextVar[Style | None] = ContextVar("wanted", default=ON_DARK)


def draw_as(wanted: Style | None) -> None:
    """Have pictures of answers in this style from here on, or none, in this task."""
    _wanted.set(wanted)


def wanted_picture() -> Style | None:
    """Return how the picture of an answer is wanted, None where none is."""
    return _wanted.get()


class Page:
    """A picture with a title and smaller lines at its top, and at the bottom what they are from.

    It is always eight inches wide; what is between `ceiling` and `floor`, in shares of its height,
    is drawn afterwards.
    """

    def __init__(
        self, style: Style, size: Size, title: str, lines: Sequence[str], *sources: str
    ) -> None:
        width, height = style.size or size
        self.look, self._form = style.look, style.form
        inches = _INCHES, _INCHES * height / width
        self.figure = blank(inches, width / _INCHES, self.look.paper)
        self.figure.set_label(title)
        self.height = self.figure.get_figheight()
        place = 0.46
        self.write(0.03, 1 - place / self.height, title, 21, bold=True)
        for line in lines:
            for part in textwrap.wrap(line, _LINE):
                place += 0.34
                self.write(0.03, 1 - place / self.height, part, 15)
        self.ceiling = 1 - (place + 0.22) / self.height
        for number, line in enumerate(reversed(sources)):
            self.write(0.03, (0.14 + 0.28 * number) / self.height, line, 13)
        self.floor = (0.22 + 0.28 * len(sources)) / self.height

    def write(self, x: float, y: float, text: str, size: float, *, bold: bool = False) -> None:
        """Text on the paper, from the left, shrunk if it would not fit across."""
        # a letter is about 0.62 of its height wide
        most = (1 - x) * _INCHES * 72 / (0.62 * max(1, len(text)))
        self.figure.text(x, y, text, **self.look.letters(min(size, max(9.0, most)), bold=bold))

    def as_file(self) -> bytes:
        """Return the picture as the content of a file."""
        return as_file(self.figure, self._form)


def blank(inches: tuple[float, float], dpi: float, paper: str) -> "Figure":
    """An empty picture whose canvas knows how large letters become."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - matplotlib: 0.2 s
    from matplotlib.figure import Figure  # noqa: PLC0415 - matplotlib: 0.2 s

    figure = Figure(figsize=inches, dpi=dpi, facecolor=paper)
    FigureCanvasAgg(figure)
    return figure


def as_file(figure: "Figure", form: Form) -> bytes:
    """Return the picture as the content of a file, with the figure's label as its title.

    Pictures share no state, so threads may draw.
    """
    data = io.BytesIO()
    metadata: dict[str, Any] = {"Title": figure.get_label(), **_UNDATED.get(form, {})}
    if form == "svg":
        axes = [[*panel.get_position().bounds, *panel.axis()] for panel in figure.axes]
        metadata["Description"] = json.dumps(axes)
    figure.savefig(data, format=form, dpi=figure.dpi, metadata=metadata)
    return data.getvalue()


_UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def place_in(svg: bytes, across: float, down: float) -> tuple[float, float] | None:
    """Return what the axes at a place of an SVG say there, None where it has none.

    svg : as `as_file` writes it
    across, down : shares of its width and height, from the upper left corner
    """
    hit = re.search(rb"<dc:description>(.*?)</dc:description>", svg)
    for left, low, width, height, *ends in json.loads(hit[1]) if hit else []:
        x, y = (across - left) / width, (1 - down - low) / height
        if 0 <= x <= 1 and 0 <= y <= 1:
            first, last, bottom, top = ends
            return first + x * (last - first), bottom + y * (top - bottom)
    return None


def picture_form(out: Path) -> Form:
    """Return what a file holds by its ending; its folder is there. Raises InvalidRequestError."""
    form = next((form for form in FORMS if out.suffix.lower() == f".{form}"), None)
    if form is None:
        raise InvalidRequestError(
            f"a picture is written to a file that ends in .png, .svg or .pdf, not in {out.suffix!r}"
        )
    if not out.parent.is_dir():
        raise InvalidRequestError(f"{out}: there is no folder {out.parent}")
    return form


def dress(axes: "Axes", look: Look, size: float = 15) -> None:
    """Paper, ink and font of a pair of axes; to be called after the ticks are set."""
    axes.set_facecolor(look.paper)
    for side in axes.spines.values():
        side.set_color(look.faint)
    axes.tick_params(length=4, color=look.faint, pad=5)
    labels = axes.xaxis.label, axes.yaxis.label
    for text in (*axes.get_xticklabels(), *axes.get_yticklabels(), *labels):
        text.set(**look.letters(size))


def outlined(
    axes: "Axes", look: Look, place: tuple[float, float], text: str, size: float, edge: float = 4
) -> None:
    """Text in the middle of a place that can be read on any colour, as it has an edge of paper."""
    axes.text(
        *place,
        text,
        **look.letters(size, bold=True),
        ha="center",
        va="center",
        path_effects=[paper_edge(look, edge)],
        zorder=4,
    )


def paper_edge(look: Look, width: float) -> Any:
    """An edge of paper around letters and lines."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - matplotlib: 0.2 s

    return withStroke(linewidth=width, foreground=look.paper)


def colour_bar(
    bar: "Axes", look: Look, mesh: Any, title: str, ticks: Sequence[float], sign: str | None = None
) -> None:
    """What the colours of a mesh mean, in a pair of axes of its own.

    sign : as `even_figures` takes it, where amounts may be beyond the colours
    """
    ends: Any = "neither" if sign is None else "both"
    figure = bar.figure.get_figure(root=True)
    colours = figure.colorbar(mesh, cax=bar, orientation="horizontal", extend=ends)
    colours.set_ticks(ticks, labels=even_figures(ticks, sign or ""))
    bar.set_title(title, **look.letters(14), pad=5)
    colours.outline.set_edgecolor(look.faint)
    dress(bar, look, 13)


def contrast(one: str, other: str) -> float:
    """Return the ratio of the luminances of two colours, 1 to 21, as WCAG 2 defines it."""
    low, high = sorted(
        sum(
            weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
        )
        for parts in ([part / 255 for part in bytes.fromhex(one[1:])] for one in (one, other))
    )
    return (high + 0.05) / (low + 0.05)


def readable(look: Look, ground: str) -> str:
    """Return the colour of ink or paper that stands out more from a ground."""
    return max((look.ink, look.paper), key=lambda colour: contrast(colour, ground))


def even_figures(amounts: Sequence[float], sign: str = "") -> list[str]:
    """Return amounts in the language that is spoken, all with as many decimals.

    These are three digits of the largest amount, less where fewer tell all of them.

    sign : "+" for a sign before what is above 0
    """
    most = max((abs(amount) for amount in amounts), default=0.0) or 1.0
    digits = max(1, 2 - math.floor(math.log10(most)))
    needed = (f"{amount:.{digits}f}".rstrip("0").partition(".")[2] for amount in amounts)
    decimals = max(map(len, needed), default=0)
    return [figure_text(amount, f"{sign if amount else ''},.{decimals}f") for amount in amounts]


def hatch(axes: "Axes", boxes: Iterable[Box], pattern: str, ink: str, ground: str) -> None:
    """Hatch some boxes."""
    from matplotlib.collections import PatchCollection  # noqa: PLC0415 - matplotlib: 0.2 s
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - matplotlib: 0.2 s

    patches = [Rectangle((left, low), width, height) for left, low, width, height in boxes]
    axes.add_collection(
        PatchCollection(patches, facecolor=ground, edgecolor=ink, hatch=pattern, linewidth=0)
    )


def drawable(text: str, width: int) -> str:
    """Safe text of which the font has every letter; emoji, for instance, are left out."""
    known = _letters()
    kept = "".join(letter for letter in safe_text(text, len(text) * 2) if letter in known)
    return shorten(" ".join(kept.split()), width)


@cache
def _letters() -> frozenset[str]:
    """What the font can draw."""
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415 - matplotlib: 0.2 s

    codes = FT2Font(_font_file(bold=True)).get_charmap()
    return frozenset(map(chr, codes)) - {"\N{ZERO WIDTH SPACE}"}


def font(size: float, *, bold: bool = False) -> "FontProperties":
    """The font of all pictures, in points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - matplotlib: 0.2 s

    return FontProperties(fname=_font_file(bold=bold), size=size)


def _font_file(*, bold: bool) -> str:
    """The font that comes with matplotlib: the same pictures everywhere, no search for fonts."""
    from matplotlib import get_data_path  # noqa: PLC0415 - matplotlib: 0.2 s

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return str(Path(get_data_path(), "fonts", "ttf", name))
