"""Messages as a phone of 384 px shows them, drawn to be looked at.

The font is DejaVu at a size at which a line holds about as many letters as Discord's; what it has
no letter for, such as emoji, is a round spot. Whatever is wider than its place is noted in `cut`.
"""

import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib import get_data_path
from matplotlib.ft2font import FT2Font
from PIL import Image, ImageDraw, ImageFont

from tests.bot.fronts.discord.components import (
    BUTTON,
    CONTAINER,
    FILE,
    GALLERY,
    ROW,
    SECTION,
    SELECT,
    TEXT,
)
from tests.bot.fronts.discord.loopback import Json, Message

WIDTH = 384
_SCALE = 2
"""Pixels of the picture for one of the phone."""
_LEFT, _RIGHT = 68, 16
"""Beside what is said: a picture of who speaks, and the edge."""
CARD = WIDTH - _LEFT - _RIGHT - 28
"""Room between the edges of the card of a table."""
_TEXT_SIZE, _SMALL, _LINE = 14, 11.5, 20
_HEAD = 20
_THUMBNAIL, _BUTTON, _GAP = 80, 34, 8
_MOST_TALL = 350
"""Pixels that a picture is high at most."""


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of Discord."""

    paper: str
    ink: str
    dim: str
    card: str
    code: str
    edge: str
    plain: str
    plain_ink: str


LOOKS = {
    "dark": Look(
        "#1A1A1E", "#E3E4E8", "#94959C", "#242429", "#17171A", "#36363C", "#3A3A41", "#F4F4F5"
    ),
    "light": Look(
        "#FFFFFF", "#2F3035", "#6A6B73", "#F7F7F8", "#F0F0F2", "#DCDCE0", "#E4E4E8", "#2F3035"
    ),
}
_STYLES = {1: "#5865F2", 3: "#248046", 4: "#DA373C"}
_WORDS = re.compile(r"\s*\S+|\s+$")
_MENTION = re.compile(r"<@(\d+)>")
_COMMAND = re.compile(r"</([a-z -]+):\d+>")
_PARTS = re.compile(r"\\(.)|(\*\*)|(`)|([^\\*`]+|.)", re.DOTALL)


@dataclass
class Phone:
    """A column of what is said; `draw` makes a picture of it."""

    look: Look
    names: dict[str, str] = field(default_factory=dict)
    """What people are called, by their id."""
    cut: list[str] = field(default_factory=list)
    """What does not fit in its place."""

    def draw(self, message: Message, caption: str = "") -> Image.Image:
        """A message with what led to it above."""
        picture = Image.new("RGB", (WIDTH * _SCALE, 4000 * _SCALE), self.look.paper)
        self._pen = ImageDraw.Draw(picture)
        self._picture = picture
        y = 10.0
        if caption:
            y = self._text(f"-# {caption}", _LEFT, y, WIDTH - _LEFT - _RIGHT)
        self._pen.ellipse(self._box(16, y, 56, y + 40), fill="#3BA55D")
        self._run("Farkle", _LEFT, y, bold=True)
        y = self._parts(message, y + _LINE + 2)
        if message.ephemeral:
            y = self._text("-# Only you can see this", _LEFT, y + 2, WIDTH - _LEFT - _RIGHT)
        return picture.crop((0, 0, WIDTH * _SCALE, int((y + 10) * _SCALE)))

    def _parts(self, message: Message, y: float) -> float:
        data, wide = message.data, WIDTH - _LEFT - _RIGHT
        if data["content"]:
            y = self._text(data["content"], _LEFT, y, wide)
        components = data["components"]
        if not any(one["type"] in {CONTAINER, TEXT} for one in components):
            for name, content in message.files.items():
                y = self._file(name, content, _LEFT, y + 4, wide)
        for one in components:
            y = self._component(one, message, _LEFT, y + 4, wide)
        return y

    def _component(self, one: Json, message: Message, x: float, y: float, wide: float) -> float:
        match one["type"]:
            case kind if kind == CONTAINER:
                return self._container(one, message, x, y, wide)
            case kind if kind == TEXT:
                return self._text(one["content"], x, y, wide)
            case kind if kind == SECTION:
                room = wide - _THUMBNAIL - 12
                low = y
                for part in one["components"]:
                    low = self._component(part, message, x, low, room)
                name = one["accessory"]["media"]["url"].rpartition("/")[2]
                place = x + wide - _THUMBNAIL, y
                self._image(message.files[name], *place, _THUMBNAIL, _THUMBNAIL)
                return max(low, y + _THUMBNAIL)
            case kind if kind == GALLERY:
                each = wide if len(one["items"]) == 1 else (wide - 4) / 2
                low = y
                for number, item in enumerate(one["items"]):
                    name = item["media"]["url"].rpartition("/")[2]
                    left = x + number % 2 * (each + 4)
                    top = y if number % 2 else low
                    y = top
                    low = max(low, self._image(message.files[name], left, top, each, _MOST_TALL))
                return low
            case kind if kind == FILE:
                name = one["name"]
                return self._file(name, message.files[name], x, y, wide)
            case kind if kind == ROW:
                return self._row(one["components"], x, y, wide)
        raise AssertionError(one["type"])

    def _container(self, one: Json, message: Message, x: float, y: float, wide: float) -> float:
        low = y
        for is_drawn in (False, True):
            if is_drawn:
                # what was drawn to see how high it is, is drawn again on the card
                box = self._box(x, y, x + wide, low)
                self._pen.rounded_rectangle(box, 16, fill=self.look.card, outline=self.look.edge)
                accent = f"#{one['accent_color'] or 0:06x}"
                self._pen.rectangle(self._box(x, y + 6, x + 4, low - 6), fill=accent)
            low = y + 8
            for part in one["components"]:
                low = self._component(part, message, x + 16, low, wide - 28) + 6
            low += 6
        return low

    def _row(self, components: list[Json], x: float, y: float, wide: float) -> float:
        if components[0]["type"] == SELECT:
            box = self._box(x, y, x + wide, y + 40)
            self._pen.rounded_rectangle(box, 12, fill=self.look.code, outline=self.look.edge)
            self._run(components[0]["placeholder"], x + 10, y + 10)
            self._run("▾", x + wide - 22, y + 10)
            return y + 40
        left = x
        for one, needs, breaks in _in_lines(components, wide):
            assert one["type"] == BUTTON
            label = one["label"]
            if breaks:
                left, y = x, y + _BUTTON + _GAP
            fill = _STYLES.get(one["style"], self.look.plain)
            ink = "#FFFFFF" if one["style"] in _STYLES else self.look.plain_ink
            if one.get("disabled"):
                fill, ink = (_mixed(colour, self.look.card) for colour in (fill, ink))
            self._pen.rounded_rectangle(
                self._box(left, y, left + needs, y + _BUTTON), 16, fill=fill
            )
            while _wide(label, bold=True) > needs - 16:
                self.cut.append(f"button {one['label']}")
                label = label.removesuffix("…")[:-1] + "…"
            middle = left + (needs - _wide(label, bold=True)) / 2
            self._run(label, middle, y + 8, bold=True, ink=ink)
            left += needs + _GAP
        return y + _BUTTON + 2

    def _file(self, name: str, content: bytes, x: float, y: float, wide: float) -> float:
        if name.endswith(".png"):
            return self._image(content, x, y, wide, _MOST_TALL)
        self._pen.rounded_rectangle(
            self._box(x, y, x + wide, y + 44), 12, fill=self.look.card, outline=self.look.edge
        )
        self._run(f"{name}, {len(content):,} bytes", x + 10, y + 12)
        return y + 44

    def _image(self, content: bytes, x: float, y: float, wide: float, tall: float) -> float:
        found = Image.open(io.BytesIO(content)).convert("RGBA")
        share = min(wide / found.width, tall / found.height, 1.0)
        size = round(found.width * share * _SCALE), round(found.height * share * _SCALE)
        small = found.resize(size, Image.Resampling.LANCZOS)
        self._picture.paste(small, (round(x * _SCALE), round(y * _SCALE)), small)
        return y + size[1] / _SCALE

    def _text(self, text: str, x: float, y: float, wide: float) -> float:
        """Marked text, broken where it is too wide; returns where it ends."""
        for number, part in enumerate(text.split("```")):
            if number % 2:
                y = self._code(part, x, y + 2, wide) + 4
                continue
            lines = part.removeprefix("\n").removesuffix("\n").split("\n")
            for line in lines if part.strip("\n") else ():
                y = self._line(line, x, y, wide)
        return y

    def _line(self, line: str, x: float, y: float, wide: float) -> float:
        is_small, is_head = line.startswith("-# "), line.startswith(("## ", "### "))
        size, high = (_SMALL, 16.0) if is_small else (_TEXT_SIZE, float(_LINE))
        if is_head:
            size, high = (_HEAD, 28.0) if line.startswith("## ") else (16, 24.0)
        ink = self.look.dim if is_small else self.look.ink
        left = x
        for word, is_bold in _words(self._named(line.removeprefix("-# ").lstrip("#").lstrip())):
            told, bold = word, is_bold or is_head
            if left > x and left + _wide(told, size, bold=bold) > x + wide:
                left, y, told = x, y + high, word.lstrip()
            while _wide(told, size, bold=bold) > wide:
                # one without a space, such as a hash, is broken anywhere
                most = max(k for k in range(1, len(told)) if _wide(told[:k], size) <= wide)
                self._run(told[:most], left, y, size, bold=bold, ink=ink)
                y, told = y + high, told[most:]
            self._run(told, left, y, size, bold=bold, ink=ink)
            left += _wide(told, size, bold=bold)
        return y + high

    def _named(self, line: str) -> str:
        line = _COMMAND.sub(r"/\1", line)
        return _MENTION.sub(lambda found: f"**@{self.names.get(found[1], '?')}**", line)

    def _code(self, text: str, x: float, y: float, wide: float) -> float:
        rows = text.removeprefix("text").strip("\n").split("\n")
        low = y + 8 + 17 * len(rows) + 6
        self._pen.rounded_rectangle(
            self._box(x, y, x + wide, low), 8, fill=self.look.code, outline=self.look.edge
        )
        for number, row in enumerate(rows):
            if _wide(row, mono=True) > wide - 12:
                self.cut.append(f"row {row}")
            self._run(row, x + 6, y + 6 + 17 * number, mono=True)
        return low

    def _run(
        self,
        text: str,
        x: float,
        y: float,
        size: float = _TEXT_SIZE,
        *,
        bold: bool = False,
        mono: bool = False,
        ink: str = "",
    ) -> None:
        """Letters of one kind, from their top left."""
        ink = ink or self.look.ink
        font = _font(_file_of(bold=bold, mono=mono), size)
        for known, part in _known(text, _file_of(bold=bold, mono=mono)):
            if known:
                self._pen.text((x * _SCALE, (y + 2) * _SCALE), part, font=font, fill=ink)
                x += _wide(part, size, bold=bold, mono=mono)
                continue
            for _ in part:
                self._pen.ellipse(self._box(x + 1, y + 3, x + size, y + 2 + size), fill="#F0B232")
                x += size + 2

    @staticmethod
    def _box(left: float, top: float, right: float, bottom: float) -> tuple[float, ...]:
        return left * _SCALE, top * _SCALE, right * _SCALE, bottom * _SCALE


def write_page(folder: Path) -> None:
    """Write a page with all that is drawn below a folder, on dark ground and on light.

    With FARKLE_PHONE_BEFORE=FOLDER, in which another checkout drew the same, what looks otherwise
    now is there alone, to the right of what it was.
    """
    before = os.environ.get("FARKLE_PHONE_BEFORE")
    folders = [Path(before), folder] if before else [folder]
    rows = []
    for dark in sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*-dark.png")):
        names = dark, dark.replace("-dark.png", "-light.png")
        files = [place / name for name in names for place in folders]
        drawn = [one.read_bytes() if one.is_file() else b"" for one in files]
        if before and drawn[::2] == drawn[1::2]:
            continue
        shown = (
            f'<img src="{os.path.relpath(one, folder)}" width="{WIDTH}" alt="nothing like it">'
            for one in files
        )
        rows.append(f"<h2>{dark}</h2>{' '.join(shown)}")
    (folder / "index.html").write_text("<!doctype html><meta charset=utf-8>" + "\n".join(rows))


def lines_of_buttons(rows: list[list[Json]]) -> int:
    """How many lines the rows of buttons on the card of a table take."""
    breaks = (one[2] for row in rows for one in _in_lines(row, CARD))
    return len(rows) + sum(breaks)


def _in_lines(components: list[Json], wide: float) -> Iterator[tuple[Json, float, bool]]:
    """Each button of a row, how wide it is, and whether it begins another line."""
    left = 0.0
    for one in components:
        needs = min(max(_wide(one["label"], bold=True) + 26, 52), wide)
        breaks = left > 0 and left + needs > wide
        yield one, needs, breaks
        left = (0.0 if breaks else left) + needs + _GAP


def _words(line: str) -> Iterator[tuple[str, bool]]:
    """The words of a line with the spaces before them, and whether they are bold."""
    bold = False
    runs: list[tuple[str, bool]] = []
    for escaped, stars, code, text in _PARTS.findall(line):
        if stars:
            bold = not bold
        elif not code:
            runs.append((escaped or text, bold))
    joined: list[tuple[str, bool]] = []
    for text, is_bold in runs:
        if joined and joined[-1][1] == is_bold:
            joined[-1] = joined[-1][0] + text, is_bold
        else:
            joined.append((text, is_bold))
    for text, is_bold in joined:
        for word in _WORDS.findall(text):
            yield word, is_bold


def _known(text: str, file: str) -> Iterator[tuple[bool, str]]:
    """Runs of letters that a font has, and of those that it has not."""
    run, is_known = "", True
    for letter in text:
        if letter == "\N{VARIATION SELECTOR-16}":
            continue
        if (letter in _letters(file)) != is_known:
            if run:
                yield is_known, run
            run, is_known = "", not is_known
        run += letter
    if run:
        yield is_known, run


@cache
def _wide(text: str, size: float = _TEXT_SIZE, *, bold: bool = False, mono: bool = False) -> float:
    file = _file_of(bold=bold, mono=mono)
    font = _font(file, size)
    return sum(
        font.getlength(part) / _SCALE if known else (size + 2) * len(part)
        for known, part in _known(text, file)
    )


def _file_of(*, bold: bool, mono: bool) -> str:
    name = "DejaVuSansMono" if mono else "DejaVuSans"
    return str(Path(get_data_path(), "fonts", "ttf", f"{name}{'-Bold' * bold}.ttf"))


@cache
def _font(file: str, size: float) -> Any:
    return ImageFont.truetype(file, size * _SCALE)


@cache
def _letters(file: str) -> frozenset[str]:
    return frozenset(map(chr, FT2Font(file).get_charmap()))


def _mixed(colour: str, ground: str) -> str:
    """Half of each, as what cannot be pressed is shown."""
    pairs = [(int(colour[k : k + 2], 16) + int(ground[k : k + 2], 16)) // 2 for k in (1, 3, 5)]
    return "#" + "".join(f"{value:02x}" for value in pairs)
