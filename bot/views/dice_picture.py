"""Dice as a picture, drawn so that it can be read on a dark and on a light ground."""

import io
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

DIE = 88
"""Side of a die in pixels."""
_GAP = 20
_LIFT = 14
"""By how much a chosen die is raised."""
_SCALE = 4
"""Drawn larger and made smaller, for smooth edges."""
_PIP = 0.1
_CORNER = 0.2

_FACE, _EDGE, _PIPS = (250, 250, 247, 255), (78, 84, 96, 255), (32, 34, 40, 255)
_CHOSEN_FACE, _CHOSEN_EDGE = (255, 224, 130, 255), (214, 120, 0, 255)
_DIM = 110
"""How much is seen of a die that scores nothing, of 255."""

_PLACES = {
    1: [(0.5, 0.5)],
    2: [(0.27, 0.27), (0.73, 0.73)],
    3: [(0.27, 0.27), (0.5, 0.5), (0.73, 0.73)],
    4: [(0.27, 0.27), (0.27, 0.73), (0.73, 0.27), (0.73, 0.73)],
    5: [(0.27, 0.27), (0.27, 0.73), (0.5, 0.5), (0.73, 0.27), (0.73, 0.73)],
    6: [(0.27, 0.23), (0.27, 0.5), (0.27, 0.77), (0.73, 0.23), (0.73, 0.5), (0.73, 0.77)],
}


@lru_cache(maxsize=500)
def dice_png(
    dice: tuple[int, ...], chosen: tuple[bool, ...] = (), scoring: tuple[bool, ...] = ()
) -> bytes:
    """A row of dice as a PNG with a transparent ground.

    dice : faces, 1 to 6
    chosen : of each die whether it is set aside; such dice are raised and coloured
    scoring : of each die whether it can score; dice that cannot are pale
    """
    # only here: fronts without pictures do not load what draws them
    from PIL import Image  # noqa: PLC0415

    width = len(dice) * DIE + (len(dice) + 1) * _GAP
    picture = Image.new("RGBA", (width, DIE + _LIFT + _GAP), (0, 0, 0, 0))
    for number, face in enumerate(dice):
        is_chosen = number < len(chosen) and chosen[number]
        pale = number < len(scoring) and not scoring[number]
        top = _GAP // 2 + (0 if is_chosen else _LIFT)
        die = _die(face, chosen=is_chosen, pale=pale)
        picture.alpha_composite(die, (_GAP + number * (DIE + _GAP), top))
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return out.getvalue()


@cache
def _die(face: int, *, chosen: bool, pale: bool) -> "Image.Image":
    from PIL import Image, ImageDraw  # noqa: PLC0415

    side = DIE * _SCALE
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(
        (0, 0, side - 1, side - 1),
        radius=side * _CORNER,
        fill=_CHOSEN_FACE if chosen else _FACE,
        outline=_CHOSEN_EDGE if chosen else _EDGE,
        width=side // (14 if chosen else 22),
    )
    radius = side * _PIP
    for x, y in _PLACES[face]:
        left, top = x * side - radius, y * side - radius
        draw.ellipse((left, top, left + 2 * radius, top + 2 * radius), fill=_PIPS)
    small = image.resize((DIE, DIE), Image.Resampling.LANCZOS)
    if pale:
        small.putalpha(small.getchannel("A").point(lambda alpha: alpha * _DIM // 255))
    return small
