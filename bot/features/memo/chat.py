"""The command that makes a table to memorise."""

import shlex
from dataclasses import replace

from bot.chat import fields
from bot.chat.commands import Line, Reply, Stream, question
from bot.chat.features import Core, Feature
from bot.chat.presses import NotesPress, pressable
from bot.chat.waiting import solved_first
from bot.features.memo.service import MemoAnswer, PutOff, known_memo, memo_answer, seconds_of_memo
from bot.features.memo.view import memo_card, memo_data, memo_notes, memo_picture, memo_text
from bot.services.chances import Oracle
from bot.services.tables import Caller
from bot.tasks.answering import at_once
from bot.tasks.tasks import Delay
from bot.views.card import Card
from solver.errors import FarkleError
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.wording import say_later


def feature(core: Core) -> Feature:
    """/memo."""
    oracle, rules, kernels = core.oracle, core.rules, core.settings.kernels
    advisor, tasks = oracle.advisor, oracle.tasks

    @question(
        "/memo rules:NAME",
        say_later("a table to learn by heart: what to keep, when to bank or risk everything"),
        fields.number("unit", say_later("round what dice are worth to steps of so many points"), 1),
        fields.rules(),
        examples=("/memo rules:kcd",),
        notes=memo_notes,
    )
    async def memo(line: Line, caller: Caller) -> Stream:
        meant, unit = await rules.resolve(caller.place, line.option("rules")), line.number("unit")
        known = await at_once(known_memo, advisor, meant, unit)
        is_open = known.study is None and not known.refused
        if is_open:
            yield solved_first(oracle, rules, caller, meant, 2)
        strategy = await at_once(advisor.solved, meant)
        refusal: FarkleError | None = None
        if is_open and strategy is not None:
            seconds = await at_once(seconds_of_memo, meant)
            what = say_later("table to memorise")
            put_off = replace(known, put_off=PutOff(seconds, _reference(line, caller, meant)))
            if seconds > tasks.limits.seconds:
                yield await _reply(oracle, caller, put_off)
                return
            try:
                async with tasks.task(caller.asker, what, each=seconds) as task:
                    yield Delay(what, 0, seconds)
                    async for answer in task.told(memo_answer, advisor, kernels, meant, unit):
                        if isinstance(answer, Delay):
                            yield answer
                        else:
                            known = answer
            except FarkleError as error:  # the table itself can be shown all the same
                known, refusal = put_off, error
        yield await _reply(oracle, caller, known)
        if refusal:
            raise refusal

    return Feature([memo])


def _reference(line: Line, caller: Caller, meant: Ruleset) -> str:
    """How the command line is told which rules are meant."""
    typed, unit = line.option("rules") or "", line.option("unit")
    words = [meant.name, "--place", caller.place]
    if typed.endswith(".toml"):
        words = [typed]
    elif meant.name in preset_names() and load_rules(meant.name) == meant:
        words = [meant.name]
    return shlex.join(words + (["--unit", unit] if unit else []))


async def _reply(oracle: Oracle, caller: Caller, answer: MemoAnswer) -> Reply:
    """An answer with its picture, unless there is no time for pictures."""
    picture = await oracle.tasks.drawn(caller.asker, memo_picture, answer)
    drawn = replace(answer, picture=picture)
    return Reply(drawn, memo_text, memo_data, _card, is_drawn=True)


def _card(answer: MemoAnswer) -> Card | None:
    card = memo_card(answer)
    return card and pressable(card, NotesPress)
