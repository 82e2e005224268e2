import io

from PIL import Image

from bot.table import commands
from bot.table.fold import apply, begin
from bot.views.card import roll_picture
from bot.views.dice_picture import dice_png
from bot.views.layout import plain_markdown
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


def test_plain_text() -> None:
    assert plain_markdown("a sentence that was\n  broken for a terminal") == (
        "a sentence that was broken for a terminal"
    )
    assert plain_markdown("*x* _y_") == "\\*x\\* \\_y\\_"
    assert plain_markdown("a  b\nc  ```d") == "```text\na  b\nc  '''d\n```"
