"""Bots of a match are called what they are called at a table, in every language."""

from bot.features.records.view import bot_names
from bot.languages import language
from solver.wording import ENGLISH, said_in


def test_bots_have_names_in_every_language() -> None:
    levels = ("greedy", "optimal", "greedy")
    english = said_in(ENGLISH, bot_names, levels)
    assert english == ("Greedy bot 1", "Optimal bot", "Greedy bot 2")
    german = said_in(language("de"), bot_names, levels)
    assert german == ("Gier-Bot 1", "Optimal-Bot", "Gier-Bot 2")
