"""A line of the chat taken apart, the command that answers it, and what that says: the reply."""

import asyncio
import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
)
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from operator import itemgetter
from textwrap import TextWrapper
from types import MethodType
from typing import Any
from weakref import WeakValueDictionary

from bot import log
from bot.chat.fields import Field, label, word
from bot.chat.help import ALL, GROUPS, help_card, help_text
from bot.chat.presses import CommandPress, pressable
from bot.layout import check_length, cleaned, narrowed, on_phone, safe_text, shorten, whole_sentence
from bot.services.games import News
from bot.services.rule_options import with_goal
from bot.services.tables import Caller, Person
from bot.tasks.solving import Needed, needed_data, needed_text
from bot.tasks.tasks import Delay, TaskCancelledError, delay_text
from bot.views.card import Card, text_card
from bot.views.game import news_data, news_text
from solver.errors import FarkleError, InvalidRequestError, did_you_mean
from solver.play.policies import LEVELS
from solver.rules.ruleset import Ruleset
from solver.wording import say, say_later

OTHER_NAMES = {"hilfe": "help", "?": "help", "exit": "quit", "beenden": "quit", "ende": "quit"}
"""What commands are also called."""

ENDS = ".,;!?"
"""What may follow a command, a number or a choice where it ends a sentence."""
_LEAVES = re.compile(
    r"(@?[^\W\d_][\w.-]{0,29})\s+(?:(?:leaves|(?:has )?left|is leaving|quits?)(?: the game)?"
    r"|(?:is )?gone|(?:is )?out|stops|(?:has|had) to (?:go|leave)|resigns|resigned|gives up|gave up"
    r"|geht|(?:ist )?weg|ist gegangen|ist raus|muss (?:weg|los|gehen)|verlässt das Spiel"
    r"|steigt aus|hört auf|gibt auf)[.!]?",
    re.IGNORECASE,
)
"""How people say that somebody leaves a game."""
_I_LEAVE = re.compile(
    r"(?:I |I'm |I am )(?:leave|quit|resign|give up|out|leaving)(?: the game)?[.!]?"
    r"|ich (?:gehe|bin (?:raus|weg)|steige aus|höre auf|gebe auf|verlasse das Spiel)[.!]?",
    re.IGNORECASE,
)
"""How people say that they leave a game themselves."""
_IN_WORDS = re.compile(r"\b(or|the|of|oder|die|den|von)\b|\?", re.IGNORECASE)

_DIE = "[1-6\u2680-\u2685]"
_ROLL = re.compile(
    rf"(?<![\w,.'/:=-]){_DIE}+(?:(?:\s*[,;-]\s*|\s+(?:and|und)\s+|\s+){_DIE}+)*(?![\w:=]|[.,']\d)"
)
_ASKS = re.compile(
    r"\?|\b(what|which|should|or|the|rolled|threw|got|have"
    r"|was|welche\w*|soll\w*|oder|behalt\w*|gewürfelt|geworfen|habe)\b",
    re.IGNORECASE,
)
_POINTS = r"(\d[\d.,']*0|0)\b"
_IN_A_SENTENCE = {
    option: re.compile(rf"\b{said}", re.IGNORECASE)
    for option, said in (
        (
            "turn",
            rf"(?:with |mit )?{_POINTS}(?: points| Punkten?)? (?:in (?:the|this|my) turn|im Zug)",
        ),
        ("me", rf"(?:I have|I['’]ve|I am at|I['’]m at|ich habe) {_POINTS}(?: points| Punkte)?"),
        ("them", rf"(?:opponent|they|Gegner)(?: has| have| hat)? {_POINTS}(?: points| Punkte)?"),
    )
}
"""How people tell points, none of which are dice as they end in 0, by the option that says so."""
_WHAT_NOW = re.compile(
    r"(?:what|which(?: dice| ones)?) (?:should|do|shall|can) I (?:keep|do|set aside)(?: now)?"
    r"|(?:was|welche(?: Würfel)?) soll(?:te)? ich (?:jetzt )?(?:behalten|tun|machen)",
    re.IGNORECASE,
)
"""How people ask for a hint in their game."""
_SHOULD = re.compile(r"(?:bank|roll|roll again|take)\s*\?[?!.]*", re.IGNORECASE)
"""How people ask whether they should do something, which is no order to do it."""
_WHAT_IS = re.compile(
    r"(end|resign|leave|undo|skip|join|play|replace|fix|forget)\s*\?[?!.]*", re.IGNORECASE
)
"""How people ask what a command does that changes a game."""
_ENOUGH = 3
"""Dice that are a roll, whatever words are around them."""
_NO_DIE = re.compile(r"\d{2}|[07-9]|\d\s*[x×*]|[x×*]\s*\d")


def as_command(line: str, names: Collection[str], options: Collection[str]) -> str:
    """Return the command that a line means in plain words, else the line.

    names : those of all commands
    options : as for `_question_of`
    """
    if _I_LEAVE.fullmatch(line):
        return "/leave"
    if left := _LEAVES.fullmatch(line):
        return f"/leave {left[1]}"
    if _WHAT_NOW.fullmatch(line.rstrip(f" {ENDS}")) or _SHOULD.fullmatch(line):
        return "/hint"
    if what := _WHAT_IS.fullmatch(line):
        return f"/help {what[1].lower()}"
    name, _, rest = line.partition(" ")
    is_command = line.startswith("/") or name.rstrip(ENDS).lower() in names
    # "keep the 5 or the 3 3 3" is none of /keep
    if is_command and not (name.lower() == "keep" and _IN_WORDS.search(rest)):
        return line
    question = _question_of(line, options)
    return line if question is None else f"/advise {question}"


def _question_of(line: str, options: Collection[str]) -> str | None:
    """What follows /advise where a line asks what to keep of a roll; None where it does not.

    options : what may be told of the position behind the dice, as in "them 5000"
    """
    begins_so = line[:1] in "0123456789"  # and is what /advise takes, unless words ask
    points: list[str] = []
    for name, said in _IN_A_SENTENCE.items():
        points += (f"{name}:{hit[1]}" for hit in said.finditer(line))
        line = said.sub("", line)
    roll = max(_ROLL.finditer(line), key=_dice, default=None)
    if points and roll and _dice(roll) == 1:  # as in "2 dice left"
        return None
    is_rolled = roll and _dice(roll) >= _ENOUGH and (points or not begins_so)
    if not roll or not (is_rolled or _ASKS.search(line)):
        return None
    names = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    given = re.compile(rf"\b(?:{names})(?:\s*[:=]\s*\S+|\s+\d[\d.,']*)", re.IGNORECASE)
    behind = line[roll.end() :]
    others = line[: roll.start()] + given.sub("", behind)
    if _NO_DIE.search(others):  # a number of which nobody knows what it is
        return None
    dice = " ".join(re.findall(_DIE, roll[0]))
    return " ".join(
        [dice, *points, *(option[0].rstrip(",.?!") for option in given.finditer(behind))]
    )


def _dice(roll: re.Match[str]) -> int:
    return len(re.findall(_DIE, roll[0]))


_QUOTED = r"\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|'[^']+'(?!\S)"
_WORD = re.compile(rf"(?:{_QUOTED})(?!\S)|\S+")
_DICE = re.compile(r"[\s\[({'\"]*[0-9\u2680-\u2685\u2460-\u2465]")
_POSITION_ID = re.compile(r"(?=.*[A-WYZ])[0-9A-Z]{4}(-[0-9A-Z]{1,4})+[.?]?", re.IGNORECASE)
"""What is written under an advice, alone: its letters tell it from dice such as 6533-32."""
_NAMED_RULES = re.compile(r"\b(rules|base)\s*[:=\s]\s*[^\s\"'“„]+\s+\S", re.IGNORECASE)
"""A name of rules that may be of several words."""
_LISTS = {"my-dice", "their-dice", "own", "dice"}
"""Options that are lists of dice, in which blanks may be as people write them, of commands that
take loaded dice."""
_ITEM = r"(?:\d{1,3}\s+)?(?![a-z][\w-]*\s*[:=])(?:[^\W\d_]|\d+(?:[x*×]|:\d))[^\s,;]*"
_LIST = re.compile(rf"{_ITEM}(?:\s*[,;]\s*{_ITEM})*", re.IGNORECASE)
"""Dice with commas between them, such as `lucky*3, odd` or `3 lucky, odd`, up to an option."""
_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}([,.']\d{3})+)")
_MOST_ALONE = 0.05
"""Seconds for which a command keeps others of the same person from beginning."""
_EXAMPLES = {
    "dice": 2,
    "farkles": 1,
    "their-farkles": 1,
    "hot-dice": 1,
    "throws": 1,
    "before": 1,
    "rounds": 3,
    "games": 5,
    "away": 60,
    "goal": 5000,
    "uses": 1,
    "held-set": 222,
    "three-pairs": 750,
}
YES_OR_NO = {
    say_later("yes"): True,
    "true": True,
    "1": True,
    say_later("no"): False,
    "false": False,
    "0": False,
}
_MOST_READ = 6000
_AT_BLANKS = TextWrapper(600, max_lines=1, placeholder=" …", break_on_hyphens=False)
"""Cuts what is too long to be a sentence between words."""
_MOST_REPEATED = 40
_MOST_DIGITS = 20

Word = str | int | Person
"""A part of a command: as it was typed, or as what it is where the front knows that."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command says: its subject, and how it is made text, data or a message."""

    subject: Any
    make_text: Callable[[Any], str]
    make_data: Callable[[Any], Any] = lambda subject: subject
    make_card: Callable[[Any], Card | None] = lambda _: None
    """How it looks as a message, None where that is its text."""
    private: bool = False
    """Whether it is for the one who gave the command alone."""
    ends: bool = False
    """Whether the chat ends."""
    repeats: bool = False
    """Whether another reply in the same place says so too: it only ends what was shown before."""
    passes: bool = False
    """Whether the next one takes its place where a message is changed, as how far a solve is."""
    began_in: str | None = None
    """Where its readers share it and go on with it by buttons: the tag of the language in which
    that began, which they go on to read; empty where that is the place's."""
    is_drawn: bool = False
    """Whether its picture says more than its text."""
    error: type[Exception] | None = None
    """The kind of the error that it tells of, None where it tells of none."""

    @property
    def text(self) -> str:
        """What it says to people, in the language that is spoken where this is called."""
        return cleaned(self.make_text(self.subject))

    @property
    def data(self) -> Any:
        """What it says as plain data, for programs."""
        return self.make_data(self.subject)

    def card(self) -> Card:
        """Return it as a message, in the language that is spoken where this is called."""
        with on_phone():
            made = self.make_card(self.subject)
        return made or text_card(partial(self.make_text, self.subject))


Told = Reply | News | Delay | Needed
"""What is said: a reply, what happened at a table, or how long there is to wait."""
Stream = AsyncIterator["Told | Stream"]
"""What is said one after the other; a stream in it says all that it has to say in its place."""


def as_reply(part: Told) -> Reply:
    """What is said in its usual words, and replies as they are."""
    match part:
        case News():
            return Reply(part, news_text, news_data)
        case Delay():
            return Reply(part, delay_text, asdict)
        case Needed():
            return Reply(part, needed_text, needed_data)
    return part


async def spread(stream: Stream) -> AsyncIterator[Told]:
    """All that is said in a stream, with that of the streams in it."""
    async for part in stream:
        if isinstance(part, AsyncIterator):
            async for piece in spread(part):
                yield piece
        else:
            yield part


async def replies_to(stream: Stream) -> AsyncGenerator[Reply, None]:
    """Yield replies as they come; what goes wrong is the last of them."""
    try:
        async for part in spread(stream):
            yield as_reply(part)
    except Exception as error:  # whatever one answer is, the chat goes on
        yield failure(error)


def failure(error: Exception, what: str = "an answer") -> Reply:
    """What the one who gave a command is told where it was refused, or the program failed."""
    if isinstance(error, FarkleError):
        log.counted[type(error).__name__] += 1
        # errors repeat what was typed
        text = safe_text(str(error), _MOST_READ)
        refusal = {"error": whole_sentence(_AT_BLANKS.fill(text))}
    else:
        number = log.failed(what, error)
        sentence = say(
            "Something went wrong in the program, which is not your fault; whoever runs it"
            " finds the error in the log under {number}.",
            number=number,
        )
        refusal = {"error": sentence, "fault": number}
    stopped = isinstance(error, TaskCancelledError)  # as who did so was told
    return Reply(refusal, itemgetter("error"), private=True, repeats=stopped, error=type(error))


@dataclass(frozen=True, slots=True)
class Line:
    """A command taken apart: what is no option, in its order, and the options by name."""

    arguments: tuple[Word, ...]
    options: Mapping[str, Word]
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What the options of its command mean, by name."""

    @property
    def words(self) -> str:
        """The arguments as they are typed."""
        return " ".join(map(_as_text, self.arguments))

    def adding(self, given: Mapping[str, Word]) -> "Line":
        """The line with options given apart. Raises InvalidRequestError for one given twice."""
        if twice := next((name for name in given if name in self.options), None):
            raise InvalidRequestError.say('the option "{option}" is given twice', option=twice)
        return replace(self, options={**given, **self.options})

    def option(self, name: str) -> str | None:
        """An option as it is typed, None where it is not given."""
        value = self.options.get(name)
        return None if value is None else _as_text(value)

    def number(self, name: str) -> int | None:
        """An option as a whole number, None where it is not given. Raises InvalidRequestError."""
        value = self.options.get(name)
        if value is None:
            return None
        return whole_number(
            value,
            lambda text: say(
                '{option}: takes a whole number, such as {example}, not "{text}"',
                option=name,
                field=self._called(name),
                example=typed_example(name),
                text=text,
            ),
        )

    def _called(self, option: str) -> str:
        """What a form calls an option."""
        return label(option, self.meanings.get(option, option))

    def to_goal(self, rules: Ruleset, *, named: bool = True) -> Ruleset:
        """The rules to the goal that the line names, if it does, see `with_goal`."""
        goal = self.number("goal")
        return rules if goal is None else with_goal(rules, goal, named=named)

    def scores(self, name: str, rules: Ruleset) -> tuple[int, ...]:
        """An option as scores with commas between them. Raises InvalidRequestError.

        A comma is one of thousands where what it makes can be a score under the rules.
        """
        text = self.option(name) or ""
        parts = text.split(";")
        if len(parts) == 1 and "," in text and not _is_score(text, rules):
            parts = text.split(",")
        refusal = say(
            "{option}: takes a score, or several with commas between them, such as {example}, not"
            ' "{text}"',
            option=name,
            field=self._called(name),
            example=f"{name}:2500,3100",
            text=text,
        )
        return tuple(whole_number(part.strip(), lambda _: refusal) for part in parts)

    def choice(self, name: str, meanings: dict[str, bool]) -> bool | None:
        """An option that is one of two words, None where it is not given.

        Raises InvalidRequestError.
        """
        text = self.option(name)
        if text is None:
            return None
        known = {say(word): meaning for word, meaning in meanings.items()} | meanings
        word = text.lower().rstrip(ENDS)
        if word not in known:
            raise InvalidRequestError.say(
                '{option}: takes {first} or {second}, not "{text}"',
                option=name,
                field=self._called(name),
                first=next(iter(meanings)),
                second=next(word for word, yes in meanings.items() if not yes),
                text=text,
            )
        return known[word]


Handler = Callable[[Line, Caller], Stream]


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, the options it takes, and what answers it."""

    usage: str
    summary: str
    """Marked by `say_later`."""
    answer: Handler
    fields: tuple[Field, ...]
    """The options in their order, the words among them."""
    is_asked: bool = True
    """Whether fronts that ask for each option by itself have it so; those of /rules depend on the
    word that follows it."""
    more_words: bool = False
    """Whether it takes other words than its fields."""
    any_option: bool = False
    """Whether it looks at the names of options itself."""
    takes_dice: bool = False
    """Whether its words are dice and numbers."""
    takes_name: bool = False
    """Whether its words are the name of a player at the table, or none."""
    is_exact: bool = False
    """Whether what is typed counts to the letter, blanks and what nobody sees too."""
    whole: tuple[str, ...] = ()
    """What may come before a colon and is no option, but a word with what follows."""
    examples: tuple[str, ...] = ()
    """Lines that may be typed, one after the other."""
    group: str = ""
    """The group of /help that lists it after those that it names itself."""
    notes: Callable[[], str] | None = None
    """Makes what tells the meaning of its table, where a message leaves that to a button."""
    is_question: bool = False
    """Whether it changes nothing, so that its answer may have an address of its own."""

    @property
    def name(self) -> str:
        """The name of the command without its slash."""
        return self.usage.split()[0].removeprefix("/")

    @property
    def options(self) -> dict[str, str]:
        """The options that are named, with what they mean."""
        return {field.name: field.meaning for field in self.fields if not field.is_word}

    @property
    def takes_words(self) -> bool:
        """Whether anything may be typed that is no named option."""
        return self.more_words or any(field.is_word for field in self.fields)

    @property
    def takes_bare_options(self) -> bool:
        """Whether no word can be taken for the name of an option: "turn 350" is turn:350 then."""
        return self.takes_dice or self.takes_name or not self.takes_words


def asked(
    usage: str, summary: str, *options: Field, **fields: Any
) -> Callable[[Callable[..., Stream]], Command]:
    """A decorator that makes a function the answer of a command.

    fields : further fields of the `Command`
    """
    return lambda answer: Command(usage, summary, answer, options, **fields)


question = partial(asked, group="ask", is_question=True)
"""A decorator, like `asked`, for a command that asks something and changes nothing."""


def answered_by(owner: object) -> list[Command]:
    """The commands of the class of an object, in their order, bound to that object."""
    commands = (value for value in vars(type(owner)).values() if isinstance(value, Command))
    return [replace(command, answer=MethodType(command.answer, owner)) for command in commands]


def typed_example(name: str) -> str:
    """An option of a number as it may be typed."""
    return f"{name}:{_EXAMPLES.get(name, 350)}"


def _is_score(text: str, rules: Ruleset) -> bool:
    """Whether what was typed is a number that can be a score."""
    if not _NUMBER.fullmatch(text) or text.startswith("0"):
        return False
    score = int(re.sub("[,.']", "", text))
    most = rules.winning_score * (1 if rules.ending == "at_once" else 2)
    most = 10 * rules.scale if rules.rounds else most
    return abs(score) < most and score % rules.point_step == 0


def whole_number(word: Word, refusal: Callable[[str], str]) -> int:
    """A whole number, maybe as people write it. Raises InvalidRequestError with the refusal."""
    plain = _as_text(word).replace("\N{MINUS SIGN}", "-").rstrip(ENDS)
    if not _NUMBER.fullmatch(plain):
        raise InvalidRequestError(refusal(_as_text(word)))
    if len(plain) > _MOST_DIGITS:
        raise InvalidRequestError.say(
            '"{number}" is too long: a number has at most {most} digits',
            number=shorten(plain, _MOST_DIGITS),
            most=_MOST_DIGITS,
        )
    return int(re.sub("[,.']", "", plain))


def _as_text(word: Word) -> str:
    return word.name if isinstance(word, Person) else str(word)


def take_apart(command: Command, rest: str, names: Collection[str] = ()) -> Line:
    """The words and options after a command's name. Raises InvalidRequestError.

    names : of rule sets, which may be of several words
    """
    options: dict[str, Word] = {}
    kept: list[str] = []
    end = 0
    value = "|".join([*sorted(map(_spaced, names), key=len, reverse=True), _QUOTED])
    if command.takes_bare_options:
        rest = _with_colons(command, rest, value)
    option_given = re.compile(rf"([a-z][a-z0-9_-]*)\s*[:=]\s*({value}|\S*)", re.I)
    while match := option_given.search(rest, end):
        kept.append(rest[end : match.start()])
        option = match[1].lower().replace("_", "-")
        end = _end_of_value(command, option, rest, match)
        if option in command.whole:
            kept.append(match[0])
            continue
        if option not in command.options and not command.any_option:
            takes = did_you_mean(option, list(command.options)) if command.options else ""
            raise InvalidRequestError.say(
                '/{command} takes no option "{option}"{takes}',
                command=command.name,
                option=match[1],
                takes=takes,
            )
        if option in options:
            raise InvalidRequestError.say('the option "{option}" is given twice', option=option)
        if not match[2]:
            raise _no_value(option)
        options[option] = _without_quotes(rest[match.start(2) : end])
    words = " ".join([*kept, rest[end:]])
    _check_bare_option(command, words, options)
    arguments = tuple(map(_without_quotes, _WORD.findall(words)))
    if command.is_exact:
        arguments = tuple(filter(None, [words.strip(" ")]))
    if arguments and not command.takes_words:
        raise InvalidRequestError.say(
            '/{command} does not take "{words}"; write {usage}',
            command=command.name,
            words=" ".join(arguments),
            usage=command.usage,
        )
    return Line(arguments, options, command.options)


def _without_quotes(text: str) -> str:
    """A text without the quotes around all of it, if there are any."""
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text


def _end_of_value(command: Command, option: str, rest: str, given: re.Match[str]) -> int:
    """Where the value of an option ends: a list of dice goes on behind its blanks."""
    is_list = option in _LISTS and "my-dice" in command.options
    whole = _LIST.match(rest, given.start(2)) if is_list else None
    return max(given.end(), whole.end() if whole else 0)


def _with_colons(command: Command, rest: str, value: str) -> str:
    """Options that were typed without a colon, as "turn 350", with one."""
    if not command.options:
        return rest
    option = _option_names(command)
    explicit = rf"\S+\s*[:=]\s*(?:{value}|\S*)"
    bare = rf"(?<!\S)({option})\s+({value}|[^\s:=]+(?!\S*\s*[:=]))"
    return re.sub(f"{explicit}|{bare}", _with_colon, rest, flags=re.IGNORECASE)


def _option_names(command: Command) -> str:
    """A pattern of the options' names as they are typed."""
    known = sorted(command.options, key=len, reverse=True)
    return "|".join(name.replace("-", "[-_ ]") for name in known)


def _check_bare_option(command: Command, words: str, given: Collection[str]) -> None:
    """Raises InvalidRequestError for an option without a value, or right before it as in me4200."""
    if not (command.options and command.takes_bare_options):
        return
    value = r"(\d\S*)?" if command.takes_dice else "()"
    bare = re.search(rf"(?<!\S)({_option_names(command)}){value}(?!\S)", words, re.IGNORECASE)
    name = re.sub("[_ ]", "-", bare[1].lower()) if bare else None
    if bare and bare[2]:
        raise InvalidRequestError.say(
            'options are written with a colon: {option}, not "{typed}"',
            option=f"{name}:{bare[2]}",
            typed=bare[0],
        )
    if name and name not in given:
        raise _no_value(name)


def _no_value(option: str) -> InvalidRequestError:
    return InvalidRequestError.say('the option "{option}:" needs a value after it', option=option)


def _with_colon(hit: re.Match[str]) -> str:
    return f"{hit[1].replace(' ', '-')}:{hit[2]}" if hit[1] else hit[0]


def _spaced(name: str) -> str:
    """A pattern of a name, whatever blanks are in it."""
    return r"\s+".join(map(re.escape, name.split())) + r"(?!\S)"


def _as_meant(typed: str) -> str:
    """A line without marks of a quote and what nobody sees; full-width letters are plain ones."""
    plain = " ".join(narrowed(typed).splitlines())
    return re.sub(r"^[\s>`]*(/(?=\s*\w)\s*)?|[\s`]*$", lambda mark: "/" if mark[1] else "", plain)


class Commands:
    """Every command of the chat by name, without its slash."""

    def __init__(
        self,
        commands: Iterable[Command],
        resume: Callable[[Caller], Stream],
        rule_names: Callable[[str], Awaitable[Collection[str]]],
        players: Callable[[str], Collection[str]],
    ) -> None:
        """Commands of the program beside /help and /quit, and what goes on by itself in a place.

        `rule_names` tells the names of the rules that a place knows, `players` who plays there.
        """
        self._players = players
        self._rule_names = rule_names
        self._resume = resume
        self._last: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Held by the command of a person, by their id, that has begun last."""
        self.by_name = {
            command.name: replace(command, answer=partial(self._in_turn, command.answer))
            for command in (*commands, *answered_by(self))
        }

    @property
    def fields(self) -> dict[str, tuple[Field, ...]]:
        """The options of each command that is asked for them one by one, by its name."""
        known = self.by_name.items()
        return {name: command.fields for name, command in known if command.is_asked}

    async def words(self, place: str) -> dict[str, Collection[str]]:
        """What may be typed in a place for words in capitals of a usage, such as NAME."""
        rules: Collection[str] = ()
        with suppress(FarkleError):  # said again when something is asked
            rules = [name for name in await self._rule_names(place) if " " not in name]
        commands = [*GROUPS, ALL, *(name for name in self.by_name if name not in GROUPS)]
        kinds = {"NAME": self._players(place), "RULES": rules, "COMMAND": commands}
        return kinds | dict.fromkeys(("LEVEL", "POLICY"), LEVELS)

    def answer(self, line: str, caller: Caller) -> AsyncGenerator[Reply, None]:
        """Answer one line; what is wrong with it is a reply too."""

        async def answered() -> Stream:
            name, taken_apart = await self._parse(line, caller.place)
            yield self.by_name[name].answer(taken_apart, caller)

        return replies_to(answered())

    async def _in_turn(self, answer: Handler, line: Line, caller: Caller) -> AsyncIterator[Told]:
        """Answer a command as soon as the one before of the same person has said something.

        Of many commands that one person gives at once, those of others come in between.
        """
        lock = self._last.setdefault(caller.person.id, asyncio.Lock())
        await lock.acquire()
        with ExitStack() as turn:
            turn.callback(lock.release)
            later = asyncio.get_running_loop().call_later(_MOST_ALONE, turn.close)
            turn.callback(later.cancel)
            async for part in spread(answer(line, caller)):
                turn.close()
                yield part

    def resume(self, caller: Caller) -> AsyncIterator[Reply]:
        """What goes on by itself in a place; what is wrong with it is a reply too."""
        return replies_to(self._resume(caller))

    async def _parse(self, typed: str, place: str) -> tuple[str, Line]:
        check_length(typed)
        line = _as_meant(typed)
        if _POSITION_ID.fullmatch(line):
            line = f"/position {line}"
        line = as_command(line, self.by_name, self.by_name["advise"].options)
        if _DICE.match(line):
            line = f"/advise {line}"
        if not line:
            raise InvalidRequestError.say("type a command such as /help")
        first, *others = line.split(maxsplit=1)
        name = first.removeprefix("/").rstrip(ENDS).lower() or first
        name = OTHER_NAMES.get(name, name)
        if name not in self.by_name:
            raise self._not_understood(line, name)
        command, rest = self.by_name[name], "".join(others)
        if command.is_exact and (hit := re.search(name, typed, re.IGNORECASE)):
            rest = typed[hit.end() :]
        names = await self._rule_names(place) if _NAMED_RULES.search(rest) else ()
        return name, take_apart(command, rest, names)

    def _not_understood(self, line: str, name: str) -> InvalidRequestError:
        known = self._did_you_mean(name)
        if line.startswith("/") or " " not in line:
            return InvalidRequestError.say(
                'unknown command "{command}"{known}', command=line.split(maxsplit=1)[0], known=known
            )
        return InvalidRequestError.say(
            '"{line}" is not understood; type dice such as 6 5 3 3 3 2 me:4200 them:5000, or a'
            " command such as /play level:optimal; /help lists them",
            line=shorten(line, _MOST_REPEATED),
        )

    def _did_you_mean(self, name: str) -> str:
        """The command that was probably meant, else where to find them."""
        close = get_close_matches(name, self.by_name, n=1)
        if close:
            return say("; did you mean /{command}?", command=close[0])
        return say("; /help lists them")

    @asked(
        "/help [COMMAND]",
        say_later("more about a command or group"),
        word("command", say_later("a command or a group to explain"), most=40, completes="command"),
    )
    async def _help(self, line: Line, _: Caller) -> AsyncIterator[Reply]:
        name = line.words.rstrip(ENDS).lower()
        name = OTHER_NAMES.get(name, name)
        if name not in {"", ALL, *GROUPS} and name.removeprefix("/") not in self.by_name:
            raise InvalidRequestError.say(
                'there is no command "{command}"{known}',
                command=line.words,
                known=self._did_you_mean(name.removeprefix("/")),
            )
        text = partial(help_text, self.by_name)

        def make_card(name: str) -> Card:
            return pressable(help_card(self.by_name, name), CommandPress)

        yield Reply(name, text, lambda name: {"help": text(name)}, make_card, private=True)

    @asked("/quit", say_later("leave"), is_asked=False)
    async def _quit(self, _: Line, __: Caller) -> AsyncIterator[Reply]:
        yield Reply({"quit": True}, lambda _: say("Bye."), ends=True)
