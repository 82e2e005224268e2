"""The titles of the rule sets that ship with the program, for those who read other languages."""

from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

TITLES = (
    say_later("Arnold: no minimum, a straight is worth 2,500"),
    say_later("CardGames: first past 10,000 wins at once"),
    say_later("Classic: only ones, fives and triples score"),
    say_later("Dice 10,000: open with 1,000, bank from 300"),
    say_later("Facebook: bank from 300, three farkles cost 500"),
    say_later("Farkle Games: three farkles in a row cost 1,000"),
    say_later("Kingdom Come: Deliverance, to 4,000"),
    say_later("Patch, boxed: open with 500, two triplets 2,500"),
    say_later("Zilch: six dice without any score are worth 500"),
)
"""As their files have them."""


def title_text(rules: Ruleset) -> str:
    """The title of a rule set in the language that is spoken; one that people gave as it is."""
    return say(rules.title) if rules.title in TITLES else rules.title
