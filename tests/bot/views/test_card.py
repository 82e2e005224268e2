import io
import math

from PIL import Image

from bot.layout import plain_markdown
from bot.table import commands
from bot.table.fold import apply, begin
from bot.views.dice_picture import DIE, GAP, dice_png, dice_square_png
from bot.views.table_buttons import roll_picture
from solver.rules.file import load_rules


def test_dice_are_drawn() -> None:
    plain, chosen = (
        Image.open(io.BytesIO(dice_png((6, 1), which, (True, True)))).convert("RGBA")
        for which in ((False, False), (False, True))
    )
    assert plain.size == chosen.size
    assert plain.getpixel((0, 0)) == (0, 0, 0, 0), "the ground is that of the reader"
    half = plain.width // 2
    sides = [(0, 0, half, plain.height), (half, 0, plain.width, plain.height)]
    same = [plain.crop(side).tobytes() == chosen.crop(side).tobytes() for side in sides]
    assert same == [True, False]
    game = begin(commands.begin_game("1", load_rules("kcd"), [None, None]))
    assert roll_picture(game) is None
    [event] = commands.roll(game, 0, (6, 5, 3, 3, 3, 2))
    picture = roll_picture(apply(game, event), 0b000010)
    assert picture is not None
    assert picture.description == "Rolled 6 5 3 3 3 2, set aside 5"


def test_a_moment_is_a_square_of_chosen_dice() -> None:
    """Each die stands where it is in a row, however many there are."""
    for number in (1, 6, 9, 10, 26):
        dice = tuple(1 + k % 6 for k in range(number))
        found = Image.open(io.BytesIO(dice_square_png(dice))).convert("RGBA")
        assert found.width == found.height
        columns = max(3, math.ceil(number**0.5))
        step = (found.width - GAP) // columns
        empty = found.height - (math.ceil(number / columns) * step - GAP)
        for k, die in enumerate(dice):
            left, top = GAP + k % columns * step, empty // 2 + k // columns * step
            row = Image.open(io.BytesIO(dice_png((die,), (True,)))).convert("RGBA")
            box = (GAP, GAP // 2, GAP + DIE, GAP // 2 + DIE)
            there = found.crop((left, top, left + DIE, top + DIE))
            assert there.tobytes() == row.crop(box).tobytes()


def test_plain_text() -> None:
    assert plain_markdown("*x* _y_") == "\\*x\\* \\_y\\_"
    assert plain_markdown("a  b\nc  ```d") == "```text\na  b\nc  '''d\n```"
