"""Commands in sentences, as Discord takes them: what goes with one has a name."""

import re

import pytest
from babel.messages.pofile import read_po

from bot.fronts.discord.slash import RULES_COMMANDS, AsAsked
from bot.languages import CATALOGUES, language
from solver.wording import ENGLISH
from tests.bot.slash_options import slash_options

TYPED = {
    "say what you rolled, as in /roll 6 5 3 3 3 2": "/roll dice:6 5 3 3 3 2",
    "No game is open here. /play @NAME or /play level:optimal begins one.": (
        "/play player2:@NAME or /play level:optimal"
    ),
    "this game belongs to a tournament: bots cannot take over, but /skip skips a turn": "/skip s",
    "/rules use {name} makes it the rules here.": "/rules use name:{name} makes",
    "the program rolls the dice: just type /roll": "/roll",
}
"""How sentences of the chat have commands in Discord."""
COMMAND = re.compile(r"(?<![\w/])/(rules [a-z]+|[a-z-]+)(?: (?!/[a-z])([^\s.,;)]+))?")
"""A command in a sentence, and the word after it."""


def test_a_sentence_names_what_goes_with_a_command() -> None:
    english = AsAsked(ENGLISH, slash_options())
    for typed, told in TYPED.items():
        assert told in english.one(typed)
    assert english.counted("/kcd dice", "{number} times", 1) == "/kcd list:dice"


@pytest.mark.parametrize("code", ["en", "de"])
def test_no_sentence_has_a_command_as_only_a_console_takes_it(code: str) -> None:
    """What follows a command is one of its options by name, or how the sentence goes on."""
    options = {name: {one.name for one in given} for name, given in slash_options().items()}
    for name, (_, given) in RULES_COMMANDS.items():
        options[f"rules {name}"] = {one.name for one in given}
    options["rules like"].add("base")  # in Discord it always has a name, and is never refused so
    spoken, named = AsAsked(language(code), slash_options()), 0
    with (CATALOGUES / "de.po").open("rb") as file:
        sentences = [one.id if isinstance(one.id, str) else one.id[0] for one in read_po(file)]
    for sentence in map(spoken.one, sentences):
        for name, more in COMMAND.findall(sentence):
            if name in options and more:
                key, colon, _ = more.partition(":")
                named += bool(colon)
                is_plain = re.fullmatch(r"[^A-Z0-9{@/]\S*", more) is not None
                assert key in options[name] if colon else is_plain, sentence
    assert named > 60
