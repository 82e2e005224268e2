"""A roll as a picture, for answers that are about one."""

from bot.views.card import Attachment
from bot.views.dice_picture import dice_png
from solver.loaded.kits import Kit
from solver.turn.dice import Roll
from solver.wording import say


def kept_picture(kit: Kit, roll: Roll, kept: Roll) -> Attachment:
    """The dice of a roll as its player sees them, with those to keep set apart."""
    left, chosen = list(kept), []
    for die in roll:
        chosen.append(die in left)
        if die in left:
            left.remove(die)
    faces = tuple(kit.shown((die,)).dice_set.faces((die,))[0] for die in roll)
    whole = kit.dice.dice_set.whole
    said = say(
        "Rolled {dice}, set aside {kept}",
        dice=kit.roll_text(roll, whole),
        kept=kit.set_aside_text(roll, kept),
    )
    picture = dice_png(faces, tuple(chosen), places=len(kit.dice.dice))
    return Attachment("dice.png", picture, said)
