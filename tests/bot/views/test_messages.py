"""What every message has to be, whatever people type: short, narrow, plain, harmless."""

import asyncio
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.chat.commands import Reply
from bot.fronts.lines import spoken_by
from bot.layout import text_width
from bot.services import tables
from bot.views.card import text_card
from solver.rules.file import load_rules, preset_names
from solver.turn.dice import make_roll, set_asides
from tests.bot.fronts.discord.test_evening import evening_secrets
from tests.bot.speaking import Chat, open_chat
from tests.usual import USUAL

pytestmark = pytest.mark.slow
"""All of them are about the same talk, which takes seconds."""
LONGEST = 2000
"""Characters of a message on Discord."""
WIDEST = 79
MENTION = re.compile(r"@everyone|@here|<[@#&!]")
REPRS = re.compile(
    r"\b(None|Ellipsis|Traceback|NaN|nan|inf|Decimal|SetAside|Position|Ruleset|Seat|Stage|Fate)\b"
    r"|dict\(|tuple\(|<[a-z]+\.|Error\(|<class|\bat 0x|\[\]|\(\)|np\.|object at"
    # a comma before the end of a list, two sentences run together, numbers without commas
    r"|,\s*[.;]|\.\.\s*$|;;|  {2}\.|%s|\{[a-z_]+\}"
)
PEOPLE = ["ann", "Bob", "everyone", "here", "Zoë", "a" * 30, "x_y.z-1"]
EVIL = [
    "@everyone",
    "@here",
    "<@123>",
    "<@&1>",
    "<#5>",
    "`code`",
    "**bold**",
    "None",
    "x" * 300,
    "{0}",
    "%s",
    "\u202eabc",
    "\x1b[31m",
    "😀" * 20,
    "a:b",
    "game:@everyone",
    "level:@here",
    "rules:<@1>",
    "rules:../../etc/passwd",
    "goal:@everyone",
    "goal:-1",
    "goal:99999999999999999999",
    "away:<@1>",
    "hints:@here",
    "next:@everyone",
    "farkles:x",
    "games:1e5",
    "where:@here",
    "show:<@1>",
    "-5",
    "0",
    "7",
    "1111111",
    "",
]
LEVELS = ["greedy", "cautious", "max-points", "optimal"]


@dataclass(frozen=True)
class Message:
    """A reply, the line that it answers, and the version of the open game before and after."""

    line: str
    reply: Reply
    before: Any
    after: Any

    @property
    def is_error(self) -> bool:
        return isinstance(self.reply.data, dict) and "error" in self.reply.data


class Talk:
    """People who mostly play, and sometimes type anything."""

    def __init__(self, chat: Chat, seed: int) -> None:
        self.chat = chat
        self.rng = random.Random(seed)
        self.messages: list[Message] = []
        self.tracked = False
        """Whether the newest game is with real dice."""
        self.tables: Any = []
        """The open games."""

    async def say(self, line: str) -> None:
        before = self.tables
        replies = await self.chat.all(line)
        self.tables = (await self.chat.answer("ann: /games")).data
        for reply in replies:
            self.messages.append(Message(line, reply, before, self.tables))
            if "New game" in reply.text:
                self.tracked = "with real dice" in reply.text

    async def go_on(self) -> None:
        rng, tables = self.rng, self.tables
        if not tables or rng.random() < 0.12:
            await self.say(self.anything())
        elif rng.random() < 0.01:
            await self.say(f"{tables[0]['to_move']}: /resign sure:yes")
        else:
            await self.say(self.move(tables[0]))

    def anything(self) -> str:
        rng = self.rng
        name = rng.choice(list(self.chat.commands.by_name))
        if name in {"quit", "rules"} or (name == "forget" and rng.random() < 0.8):
            name = "show"
        words = [rng.choice(EVIL + PEOPLE) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3]))]
        if rng.random() < 0.4:
            name = rng.choice(["play", "track"])
            names = rng.sample(PEOPLE + LEVELS, rng.randint(0, 3))
            preset = rng.choice(USUAL)
            words = [*(f"@{one}" for one in names), f"rules:{preset}"]
            words += [f"goal:{rng.choice([1000, 2000])}", f"hints:{rng.choice(['yes', 'no'])}"]
        if rng.random() < 0.05:
            name = rng.choice(["x", "@everyone", "<@1>", "roll@here"])
        who = rng.choice(PEOPLE)
        return f"{who}: /{name} {' '.join(words)}"

    def move(self, table: dict[str, Any]) -> str:  # noqa: PLR0911
        rng, name = self.rng, table["to_move"]
        if len(table["players"]) < 2:
            return f"{rng.choice(PEOPLE)}: /join"
        if table["roll"]:
            rules = load_rules(re.sub(r"-(1000|2000)$", "", table["rules"]))
            best = set_asides(rules, make_roll(table["roll"]))
            kept = rng.choice(best[:3]).dice
            return f"{name}: /keep {''.join(map(str, kept))} {rng.choice(['roll', 'bank', ''])}"
        if table["may_bank"] and rng.random() < 0.6:
            return f"{name}: /bank"
        if rng.random() < 0.05:
            return f"{rng.choice(PEOPLE)}: /{rng.choice(['show', 'undo', 'hint', 'skip', 'end'])}"
        if not self.tracked:
            return f"{name}: /roll"
        if not table["turn_total"] and rng.random() < 0.5:
            return f"{name}: /score {rng.choice(['farkle', 300, 500, 1000, 50])}"
        return f"{name}: /roll {' '.join(str(rng.randint(1, 6)) for _ in range(table['dice']))}"


GIVING_UP = ["/end", "/play @Bob rules:kcd", "/roll", "/resign sure:yes"]
LOOKING_BACK = ["/stats", "/stats ann Bob", "/leaderboard", "/dice", "/games", "/help", "/rules"]


async def talk(folder: Path, seed: int, lines: int) -> list[Message]:
    async with open_chat(folder) as chat:
        talking = Talk(chat, seed)
        for _ in range(lines):
            await talking.go_on()
        for line in GIVING_UP + LOOKING_BACK:
            await talking.say(f"ann: {line}")
        for name in chat.commands.by_name:
            await talking.say(f"ann: /help {name}")
        for name in preset_names()[::8]:
            await talking.say(f"ann: /rules {name}")
        await talking.say("ann: /match greedy cautious games:3 show:moves rules:zilch")
        return talking.messages


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    """Everything that was said in a chat, whose dice fall the same every time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "secrets", evening_secrets())
        return asyncio.run(talk(tmp_path_factory.mktemp("talk"), 0, 150))


def failing(messages: list[Message], wrong: Any) -> list[tuple[str, str]]:
    return [(one.line, one.reply.text) for one in messages if wrong(one)]


HELP = re.compile(r": /help\b")


def in_words(messages: list[Message]) -> Iterator[Message]:
    """All but proofs, which are for a program, and the whole help, which has a test of its own."""
    for one in messages:
        if one.is_error or not ("/proof" in one.line or HELP.search(one.line)):
            yield one


def test_much_was_said(messages: list[Message]) -> None:
    texts = "\n".join(one.reply.text for one in messages)
    for word in ("banks", "a farkle", "wins", "joins", "real dice", "bot rolls", "resigns"):
        assert word in texts, word
    assert sum(one.is_error for one in messages) > 20
    assert sum(not one.is_error for one in messages) > 80


def test_messages_fit(messages: list[Message]) -> None:
    assert not failing(list(in_words(messages)), lambda one: len(one.reply.text) > LONGEST)


def test_the_help_fits(messages: list[Message]) -> None:
    """On Discord, /help without a command is another one: a list of links."""
    shown = [one for one in messages if HELP.search(one.line)]
    assert shown
    assert not failing(shown, too_wide)
    on_one = [one for one in shown if not one.line.rstrip().endswith("/help")]
    assert not failing(on_one, lambda one: len(one.reply.text) > LONGEST)


def too_wide(one: Message) -> bool:
    """Errors are never: one sentence is one line, and the front wraps it."""
    return not one.is_error and max(map(text_width, one.reply.text.split("\n"))) > WIDEST


def test_lines_are_narrow(messages: list[Message]) -> None:
    assert not failing(list(in_words(messages)), too_wide)


def test_no_message_is_empty_or_has_blanks_at_ends(messages: list[Message]) -> None:
    assert not failing(messages, lambda one: one.reply.text != one.reply.text.strip())
    assert not failing(messages, lambda one: not one.reply.text)
    assert not failing(
        messages, lambda one: any(line != line.rstrip() for line in one.reply.text.split("\n"))
    )


def test_public_messages_mention_nobody(messages: list[Message]) -> None:
    assert not failing(
        messages, lambda one: not one.reply.private and MENTION.search(one.reply.text)
    )


def test_private_messages_mention_nobody(messages: list[Message]) -> None:
    # where anybody is mentioned they are cards
    assert not failing(
        messages,
        lambda one: one.reply.private and MENTION.search(text_card(lambda: one.reply.text).text),
    )


def test_no_message_has_control_characters(messages: list[Message]) -> None:
    assert not failing(
        messages, lambda one: re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", one.reply.text)
    )


def test_the_program_never_fails(messages: list[Message]) -> None:
    assert not failing(messages, lambda one: "the program failed" in one.reply.text)


def test_no_message_shows_the_insides(messages: list[Message]) -> None:
    typed = re.compile("|".join(map(re.escape, ["None", "{0}", "%s"])))
    # a proof is for a program
    words = [one for one in messages if "commitment" not in one.reply.data]
    assert not failing(words, lambda one: REPRS.search(typed.sub("-", one.reply.text)))


def test_errors_are_one_private_sentence_and_change_nothing(messages: list[Message]) -> None:
    errors = [one for one in messages if one.is_error]
    assert not failing(errors, lambda one: not one.reply.private)
    assert not failing(errors, lambda one: "\n" in one.reply.text)
    assert not failing(errors, lambda one: not one.reply.text.endswith((".", "?")))
    assert not failing(errors, lambda one: re.search(r"[a-z]{2}\. [A-Z]", one.reply.text))
    assert not failing(errors, lambda one: one.reply.data != {"error": one.reply.text})
    assert not failing(errors, lambda one: one.before != one.after)


def test_only_moves_change_the_table(messages: list[Message]) -> None:
    looks = re.compile(r": /(games|hint|stats|leaderboard|dice|proof|review|help|rules|odds)\b")
    assert not failing(messages, lambda one: looks.search(one.line) and one.before != one.after)


def test_people_are_known_by_the_console(messages: list[Message]) -> None:
    """The lines above are really theirs."""
    assert {spoken_by(one.line)[0].person.name for one in messages} >= {*PEOPLE}
