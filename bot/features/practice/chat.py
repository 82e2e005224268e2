"""The commands that ask for a decision: the daily position, and positions to practise on."""

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, replace
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from bot.chat import fields
from bot.chat.advice import kits_of_all
from bot.chat.commands import YES_OR_NO, Command, Line, Reply, as_reply, asked, whole_number
from bot.chat.features import Core, Feature, Pressed, Send
from bot.chat.presses import Press, matching, pressable
from bot.chat.waiting import solved_first
from bot.features.practice import view
from bot.features.practice.daily import Asked, Daily, Solution, Verdict
from bot.features.practice.drill import Drill, DrillQuestion, DrillVerdict, Wish
from bot.services.house_rules import HouseRules
from bot.services.situation import KCD, has_sets
from bot.services.tables import Caller
from bot.table.commands import MOST_PLAYERS
from bot.tasks.solving import Needed
from bot.tasks.tasks import Delay
from bot.views.card import Card
from solver.errors import InvalidRequestError
from solver.play.daily import MOST as MOST_CHOICES
from solver.wording import say, say_later

_NUMBER = fields.number(
    "number", say_later("the number of your answer"), 1, MOST_CHOICES, is_word=True
)


@dataclass(frozen=True)
class DailyChoice(Press):
    """An answer to the daily position of a day in the channel; anybody may press it, once."""

    kind: ClassVar[str] = "d"
    day: date
    choice: Annotated[int, Field(ge=1, le=9)]


@dataclass(frozen=True)
class DrillChoice(Press):
    """An answer to a position that somebody practises on, or the wish for the next one."""

    kind: ClassVar[str] = "f"
    position: Annotated[str, matching("[0-9A-Z-]{5,60}")]
    """The ID of the position, or its key where it has none."""
    choice: Annotated[str, matching("[1-9]|next")]


def feature(core: Core) -> Feature:
    """/daily and /drill, and answers to them by buttons."""
    daily = Daily(core.tables, core.oracle, core.rules)
    drill = Drill(core.tables, core.oracle, core.rules, core.back)

    async def answered(caller: Caller, press: DailyChoice) -> Pressed:
        async def told() -> AsyncIterator[Reply]:
            yield practice_reply(await daily.answer(caller, press.choice, press.day))

        return Pressed(told(), anew=True, private=True)

    async def drilled(caller: Caller, press: DrillChoice) -> Pressed:
        async def told() -> AsyncIterator[Reply]:
            if press.choice == view.NEXT:
                async for question in drill.asked(caller, await drill.like(caller, press.position)):
                    yield practice_reply(question)
            else:
                verdict = await drill.answer(caller, int(press.choice), press.position)
                yield practice_reply(verdict)

        # it takes the place of the question
        return Pressed(replace(reply, private=False) async for reply in told())

    async def posts(front: str, send: Send) -> None:
        async def post(place: str, asked: Asked, since: datetime | None) -> bool:
            language = (await core.tables.store.settings(place)).daily_language
            reply = replace(practice_reply(asked), private=False, began_in=language)
            return await send(place, reply, str(asked.daily.day.toordinal()), since)

        await daily.post_due(front, post)

    commands = practice_commands(core, daily, drill)
    return Feature(commands, {DailyChoice: answered, DrillChoice: drilled}, posts=posts)


def practice_commands(core: Core, daily: Daily, drill: Drill) -> list[Command]:
    """/daily and /drill."""

    @asked(
        "/daily [answer N]",
        say_later("the position of the day: what wins most often? /daily board: who finds it"),
        fields.word(
            "what",
            say_later("the board instead of the position, or answer with a number"),
            choices=(say_later("board"), say_later("answer")),
        ),
        _NUMBER,
        examples=("/daily", "/daily answer 2", "/daily board"),
        group="practise",
    )
    async def answer_daily(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        if not line.words:
            yield practice_reply(await daily.today(caller))
        elif line.words.lower() in {"board", say("board").lower()}:
            # without the ids of people
            board = await daily.board(caller.place)
            yield Reply(board, view.board_text, lambda lines: [*map(asdict, lines)])
        else:
            usage = say(
                "/daily shows the position, /daily answer 2 answers it, /daily board shows who is"
                " right most often"
            )
            yield practice_reply(await daily.answer(caller, _answer(line, usage)))

    @asked(
        "/drill [answer N]",
        say_later("your worst decisions again, and positions like them"),
        fields.word("what", say_later("answer, with a number"), choices=(say_later("answer"),)),
        _NUMBER,
        fields.Field(
            "position", say_later("the position that is answered, where it is not the last one")
        ),
        fields.number(
            "players", say_later("how many play, for new positions of such games"), 2, MOST_PLAYERS
        ),
        *fields.SETS[:2],
        fields.SETS[-1],
        fields.rules(say_later("a rule set, for new positions")),
        fields.goal(),
        examples=("/drill", "/drill answer 2", "/drill players:3"),
        group="practise",
    )
    async def answer_drill(line: Line, caller: Caller) -> AsyncIterator[Reply]:
        position = line.option("position")
        if line.words or position is not None:
            usage = say("/drill asks for a decision, and /drill answer 2 answers it")
            number = _answer(line, usage)
            if meant := next((name for name in line.options if name != "position"), None):
                raise InvalidRequestError.say(
                    "{option}: says what is to be asked, so it goes with /drill alone", option=meant
                )
            yield practice_reply(await drill.answer(caller, number, position))
            return
        wish = await _wish(line, caller, core.rules)
        if wish:
            async for needed in _ready(core, caller, wish):
                yield replace(as_reply(needed), private=True)
        async for question in drill.asked(caller, wish):
            yield practice_reply(question)

    return [answer_daily, answer_drill]


def practice_reply(
    subject: Delay | Asked | DrillQuestion | DrillVerdict | Verdict | Solution,
) -> Reply:
    """A decision, or what its answer comes to, for the one who asked or answered alone."""
    page: Callable[[Any], view.AskedPage | view.SolvedPage]
    data: Callable[[Any], Any]
    press: Callable[[str], Press] | None = None
    match subject:
        case Delay():
            return replace(as_reply(subject), private=True)
        case Asked():
            page, data = view.asked_page, view.asked_data
            press = partial(DailyChoice, subject.daily.day)
        case DrillQuestion():
            page, data = view.drill_page, view.drill_data
            press = partial(DrillChoice, subject.drill.id)
        case DrillVerdict():
            page, data = view.verdict_page, view.drill_verdict_data
            press = partial(DrillChoice, subject.drill.id)
        case _:
            page, data = view.answer_page, view.answer_data

    def make_card(shown: Any) -> Card:
        card = page(shown).card
        return pressable(card, press) if press else card

    return Reply(subject, lambda shown: page(shown).text, data, make_card, private=True)


def _answer(line: Line, usage: str) -> int:
    """The number of an answer, with the word before it or without."""
    words = line.words.lower().split()
    if words and words[0] in {"answer", say("answer").lower()}:
        del words[0]
    return whole_number(" ".join(words), lambda _: usage)


def _ready(core: Core, caller: Caller, wish: Wish) -> AsyncIterator[Delay | Needed]:
    """How long there is to wait until the game of a wish is solved."""
    if wish.kits:
        return core.oracle.ready(caller.asker, wish.matchup)
    return solved_first(core.oracle, core.rules, caller, wish.rules, wish.players)


async def _wish(line: Line, caller: Caller, rules: HouseRules) -> Wish | None:
    """The game that a line names for new positions, if it does. Raises FarkleError."""
    if not line.options:
        return None
    with_sets, players = has_sets(line.options), line.number("players")
    if players is not None and not 2 <= players <= MOST_PLAYERS:
        raise InvalidRequestError.say(
            "players: takes 2 to {most}, not {number}", most=MOST_PLAYERS, number=players
        )
    players = players or 2
    named = line.option("rules") or (KCD if with_sets else None)
    ruleset = await rules.resolve(caller.place, named)
    meant = line.to_goal(ruleset, named=not with_sets)
    if not with_sets:
        return Wish(meant, players)
    kits = kits_of_all(line, meant, players)
    return Wish(meant, len(kits), kits, line.choice("joker-alone", YES_OR_NO) is True)
