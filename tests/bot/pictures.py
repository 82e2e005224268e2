"""What is in a PNG file."""

import struct
from io import BytesIO
from typing import Any

import numpy.typing as npt
from matplotlib.image import imread


def pixels(png: bytes) -> npt.NDArray[Any]:
    """Red, green and blue from 0 to 255, by row and column."""
    return (imread(BytesIO(png), format="png")[:, :, :3] * 255).round().astype(int)


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height in pixels."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height
