"""The commands that tell what rules are like: a turn for the most points, and the fair start."""

from functools import partial

from bot.chat import fields
from bot.chat.commands import YES_OR_NO, Line, Reply, Stream, question
from bot.chat.features import Core, Feature
from bot.chat.waiting import replies, solved_first
from bot.features.points.service import PointsQuestion, fair_start, points_answer
from bot.features.points.view import komi_data, komi_text, points_data, points_text
from bot.services.situation import MOST_POINTS
from bot.services.tables import Caller
from solver.game.position import MAX_HOT_DICE
from solver.wording import say_later


def feature(core: Core) -> Feature:
    """/points and /komi."""
    oracle, rules = core.oracle, core.rules

    @question(
        "/points rules:NAME",
        say_later("the most points in a turn: when to bank, and the average"),
        fields.number("cost", say_later("points that a farkle costs on top of the turn total")),
        fields.yes_no("on-board", say_later("yes or no: whether you have banked before")),
        fields.number(
            "me",
            say_later("your score, under rules where a roll can lose it all"),
            -MOST_POINTS,
        ),
        fields.number(
            "hot-dice",
            say_later("hot dice so far in this turn, if their bonus changes"),
            most=MAX_HOT_DICE,
        ),
        fields.rules(),
        examples=("/points rules:zilch", "/points rules:zilch cost:500"),
    )
    async def points(line: Line, caller: Caller) -> Stream:
        cost, hot_dice = line.number("cost") or 0, line.number("hot-dice") or 0
        on_board = line.choice("on-board", YES_OR_NO) is not False
        question = PointsQuestion(cost, on_board, line.number("me"), hot_dice)
        meant = await rules.resolve(caller.place, line.option("rules"))
        task = oracle.tasks.told(caller.asker, say_later("points"), points_answer, meant, question)
        yield replies(task, points_text, points_data)

    @question(
        "/komi rules:NAME",
        say_later("the head start that makes a game fair"),
        fields.rules(),
        examples=("/komi rules:kcd",),
    )
    async def komi(line: Line, caller: Caller) -> Stream:
        meant = await rules.resolve(caller.place, line.option("rules"))
        yield solved_first(oracle, rules, caller, meant, 2)
        answer = await oracle.answered(caller.asker, meant, fair_start, oracle.advisor, meant)
        yield Reply(answer, partial(komi_text, meant), komi_data)

    return Feature([points, komi])
