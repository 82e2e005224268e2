"""Sentences in other languages: all are marked, all are translated, and they fit together."""

import ast
import re
import tomllib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.pofile import read_po

from bot.chat.help import GROUPS
from bot.chat.presses import Confirm, TablePress, read_press
from bot.fronts.discord.slash import RULES_COMMANDS
from bot.languages import CATALOGUES, best_language, find_code, language, language_codes
from bot.settings import CHECKOUT
from solver.play.policies import LEVELS
from solver.rules.file import load_rules, preset_names
from solver.wording import ENGLISH, Language, by_number, figure, said_in, say, say_number, speak
from tests.bot.slash_options import slash_options
from tests.bot.speaking import Chat, open_chat

OTHERS = [code for code in language_codes() if code != ENGLISH.code]
TYPED_IN_FILES = {
    *("banked", "lost", "both"),
    "everything",
    "none",
    "linear",
    "doubling",
    "final_turn",
    "equal_turns",
    "defended",
    "banked",
    "lost",
    "both",
    "2222",
    "xxxxxx",
    "aaabb",
    "1234",
    "sum",
    "exact",
}
"""What files of rules have between straight quotation marks; lists of it stand in brackets."""
FOUND_BY = [
    (one["pattern"], one["method"])
    for one in tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["babel"][
        "mappings"
    ]
]
KEYWORDS = re.findall(r"--keywords=(\S+)", (CHECKOUT / "Makefile").read_text("utf-8"))

Ids = str | tuple[str, ...]


NO_NAMES = {
    *("badge", "character", "dice", "die", "number", "path", "players", "points", "problem"),
    *("folder", "page", "place", "setting", "told", "whose_score"),
}
"""Parts that may begin a refusal: none of them is the name of a person or of rules."""


@pytest.fixture(scope="module")
def messages() -> set[Ids]:
    """Every sentence of the code, as `make messages` finds them."""
    assert KEYWORDS
    found: set[Ids] = set()
    for folder in ("bot", "solver", "data/rules"):
        for _, _, message, _, _ in extract_from_dir(
            CHECKOUT / folder, FOUND_BY, keywords=parse_keywords(KEYWORDS)
        ):
            found.add(message)
    return found


def catalogue(code: str) -> dict[Any, Message]:
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        return {message.id: message for message in read_po(file) if message.id}


def parts(sentence: str) -> set[tuple[str, str]]:
    """The names of the parts of a sentence with their formats."""
    return {(name, form or "") for _, name, form, _ in Formatter().parse(sentence) if name}


def as_tuple(message: Any) -> tuple[str, ...]:
    return (message,) if isinstance(message, str) else tuple(message)


@pytest.mark.parametrize("code", OTHERS)
def test_every_sentence_is_translated(code: str, messages: set[Ids]) -> None:
    assert len(messages) > 700
    translated = catalogue(code)
    assert sorted(map(str, messages - set(translated))) == [], "run `make messages`"
    assert sorted(map(str, set(translated) - messages)) == [], "run `make messages`"
    assert [one.id for one in translated.values() if not all(as_tuple(one.string))] == []
    assert [one.id for one in translated.values() if one.fuzzy] == []


def refusals() -> Iterator[str]:
    """The sentences of the code that errors are raised with."""
    for package in ("bot", "solver"):
        for path in (CHECKOUT / package).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text("utf-8"))):
                match call:
                    case ast.Call(ast.Attribute(ast.Name(cls), "say"), args) | ast.Call(
                        ast.Name(cls), [ast.Call(ast.Name("say" | "say_number"), args)]
                    ) if cls == "cls" or cls.endswith("Error"):
                        if isinstance(args[0], ast.Constant) and isinstance(args[0].value, str):
                            yield from by_number(args[0].value)


@pytest.mark.slow
def test_names_of_people_begin_no_refusal() -> None:
    """It is shown with a capital, and "Bob" may be another than "bob"."""
    found = set(refusals())
    assert len(found) > 300
    for code in OTHERS:
        for message in catalogue(code).values():
            known = zip(as_tuple(message.id), as_tuple(message.string), strict=False)
            found |= {translation for original, translation in known if original in found}
    first = {re.match(r"\{(\w+)[^}]*\}(?!:)", sentence) for sentence in found}
    assert {one[1] for one in first if one} <= NO_NAMES


@pytest.mark.slow
def test_no_sentence_is_marked_where_it_is_not_found() -> None:
    """Up to Python 3.11 nothing that is marked inside an f-string is extracted."""
    marks = {"say", "say_later", "say_number"}
    hidden = [
        ast.unparse(call)
        for package in ("bot", "solver")
        for file in (CHECKOUT / package).rglob("*.py")
        for string in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in marks
        and isinstance(call.args[0], ast.Constant)
    ]
    assert hidden == []


@pytest.mark.parametrize("code", OTHERS)
def test_translations_have_the_same_parts(code: str) -> None:
    for message in catalogue(code).values():
        originals, translations = as_tuple(message.id), as_tuple(message.string)
        for original, translation in zip(originals, translations, strict=True):
            assert parts(translation) == parts(original), message.id
            assert translation[:1].isspace() == original[:1].isspace(), message.id
            assert translation[-1].isspace() == original[-1].isspace(), message.id
            # a sentence that is joined to others ends as they expect it
            assert (translation[-1] in ".:") == (original[-1] in ".:"), message.id
            # what is typed stays as it is typed
            assert sorted(re.findall(r"/[a-z]{3,}", translation)) == sorted(
                re.findall(r"/[a-z]{3,}", original)
            ), message.id


def test_german_has_quotation_marks_of_its_own() -> None:
    for message in catalogue("de").values():
        for translation in as_tuple(message.string):
            outside_of_lists = re.sub(r'\["[^"]*"\]', "", translation)
            assert set(re.findall(r'"([^"]*)"', outside_of_lists)) <= TYPED_IN_FILES, message.id
            assert translation.count("„") == translation.count("“"), message.id


def test_languages_by_locale() -> None:
    assert best_language("de") is best_language("de-AT") is language("de")
    assert best_language("de_DE.UTF-8") is best_language("DE") is language("de")
    for tag in ("en-US", "en-GB", "pt-BR", "zh-CN", "xx", "", "?"):
        assert best_language(tag) is ENGLISH


def test_a_catalogue_may_be_for_a_region(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for code in ("de", "pt-BR", "zh-CN"):
        (tmp_path / f"{code}.po").write_bytes((CATALOGUES / "de.po").read_bytes())
    monkeypatch.setattr("bot.languages.CATALOGUES", tmp_path)
    assert [find_code(tag) for tag in ("pt-BR", "pt_BR.UTF-8", "de-CH")] == ["pt-BR", "pt-BR", "de"]
    assert find_code("zh-CN") == "zh-CN"
    assert find_code("fr") is None
    for code in language_codes():
        table = TablePress("ab12", 3, 5, code, "roll")
        for press in (table, Confirm("end", code, "ab12", 0)):
            assert read_press(press.id) == press


def test_numbers_are_written_as_the_language_does() -> None:
    assert say("{points:,} of {share:.2f} %", points=1050, share=51.1) == "1,050 of 51.10 %"
    german = language("de")
    assert said_in(german, figure, 12345678) == "12.345.678"
    assert said_in(german, figure, -1234.5, "+,.1f") == "-1.234,5"
    assert said_in(german, say_number, "{number} [die|dice]", 1) == "1 Würfel"
    assert figure(1000) == "1,000", "only there it is German"


@pytest.mark.parametrize("code", language_codes())
def test_a_name_that_is_cut_ends_a_sentence(code: str) -> None:
    """No full stop follows what has three points already."""
    assert said_in(language(code), say, "{word}.", word="Ann…") == "Ann…"


def test_parts_are_never_taken_for_sentences() -> None:
    assert say("{name} joins.", name="{points}") == "{points} joins."
    assert said_in(language("de"), say, "{name} joins.", name="{x!r:>99}").startswith("{x!r")


async def test_descriptions_fit_into_discord(chat: Chat) -> None:
    """Each is translated as a whole, and then short enough without being cut."""
    for code in OTHERS:
        for name in slash_options():
            command = chat.commands.by_name[name]
            meanings = [command.summary, *(one.meaning for one in slash_options()[name])]
            meanings += [
                command.options[one.name]
                for one in slash_options()[name]
                if not one.meaning and one.name in command.options
            ]
            for meaning in filter(None, meanings):
                assert len(said_in(language(code), say, meaning)) <= 100, meaning
        for summary, options in RULES_COMMANDS.values():
            for meaning in filter(None, [summary, *(one.meaning for one in options)]):
                assert len(said_in(language(code), say, meaning)) <= 100, meaning


class Marked(Language):
    """A language that shows what is a sentence: each stands in brackets."""

    code = "xx"

    def one(self, message: str) -> str:
        return f"⟦{message}⟧"

    def counted(self, one: str, many: str, number: int) -> str:
        return f"⟦{super().counted(one, many, number)}⟧"


def outside(text: str) -> str:
    """What stands in no brackets, of which the second may be cut off at the end of a line."""
    text = re.sub("⟦[^⟧\n]*…$", "", text, flags=re.MULTILINE)
    depth, left = 0, []
    for letter in text:
        depth += (letter == "⟦") - (letter == "⟧")
        left.append(" " if depth or letter == "⟧" else letter)
    assert depth == 0
    return "".join(left)


LINES = [
    "/help",
    *(f"/help {name}" for name in ("advise", "play", "settings", "rules", "score")),
    "/advise 6 5 3 3 3 2",
    "/advise 2 3 4 6 turn:350 me:4200 them:5000 farkles:1",
    "/advise 7",
    "/advise 6 5 3 turn:13",
    "/odds",
    "/odds turn:350 dice:2 me:4200 them:5000",
    "/odds dice:9",
    "/odds turn:100 dice:5 rules:classic on-board:no",
    "/advise 1 1 4 rules:kcd turn:1000",
    "/explain turn:350 dice:2 me:4200 them:5000",
    "/explain me:2800 them:3500 rules:kcd",
    "/explore rules:arnold",
    "/explore turn:1000 dice:6 me:-100 farkles:1",
    "/levels rules:kcd",
    "/rules",
    "/rules list",
    *(f"/rules {name}" for name in ("kcd", "facebook", "arnold", "zilch", "patch", "dice-10000")),
    "/rules diff kcd facebook",
    "/rules diff classic classic",
    "/compare",
    "/compare kcd vary:goal=9..1",
    "/rules new",
    "/rules new sunday base:classic goal:-5 three-pairs:750",
    "/rules new sunday base:classic gaol:5000",
    "/rules new sunday base:classic minimum-bank:333",
    "/rules use nothing",
    "/rules delete nothing",
    "/settings games:3 mentions:yes posts:yes",
    "/settings games:99",
    "/games",
    "/stats",
    "/leaderboard",
    "/dice",
    "/proof",
    "/review",
    "/show",
    "/roll",
    "/unknown",
    "/play @bob level:nobody",
    "/play @bob goal:13",
    "/match greedy cautious games:2 rules:kcd",
    "/match greedy cautious show:moves games:1 rules:kcd goal:1000",
    "ann: /play @bob rules:classic goal:1000",
    "bob: /roll",
    "ann: /bank",
    "ann: /keep 1 2 3",
    "ann: /undo",
    "ann: /join level:greedy",
    "ann: /roll",
    "ann: /show",
    "ann: /games",
    "ann: /explain",
    "bob: /explain",
    "ann: /hint",
    "carl: /hint",
    "ann: /resign sure:yes",
    "bob: /resign sure:yes",
    "ann: /end",
    "ann: /track @bob rules:facebook",
    "ann: /score 300",
    "ann: /score 333",
    "bob: /score farkle",
    "ann: /score 8000",
    "ann: /fix bob 500",
    "ann: /show",
    "bob: /score 1000",
    "ann: /score 3000",
    "ann: /stats bob",
    "ann: /dice",
    "ann: /review",
    "/leaderboard",
]


@pytest.fixture
async def marked(data: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    speak(Marked())
    async with open_chat(tmp_path, data / "strategies") as opened:
        yield opened
    speak(ENGLISH)


def typed_and_named(chat: Chat) -> Iterator[str]:
    """Words that are the same in every language: names, and what people type."""
    yield from ("ann", "bob", "carl", "console", "player", "bot", "NAME", "for")
    yield from re.findall(r"\w+", " ".join([*LEVELS, *GROUPS]))
    for name in preset_names():
        yield from re.findall(r"\w+", f"{name} {load_rules(name).title}")
    for command in chat.commands.by_name.values():
        yield from re.findall(r"\w+", f"{command.usage} {' '.join(command.options)}")


async def test_nothing_is_said_in_english_alone(marked: Chat) -> None:
    """With every sentence in brackets there are no words left but names and what is typed."""
    known = set(typed_and_named(marked))
    for line in LINES:
        speak(Marked())
        for reply in await marked.all(line):
            # commands as they are typed, with what follows after single spaces
            text = re.sub(r"/\w+(?: \S+)*", "", outside(reply.text))
            # names of games are random: eight digits, of which some are letters
            text = re.sub(r"\b[0-9a-f]{8}\b", "", text)
            words = re.findall(r"(?<![/\w:.-])[A-Za-z]{2,}(?![\w:-]*:)", text)
            assert set(words) <= known, (line, reply.text)
