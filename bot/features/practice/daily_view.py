"""The daily position as people read it: the question, the verdict, the solution and the board."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.features.practice.daily import Asked, BoardLine, Post, Solution, Verdict
from bot.features.practice.question_view import (
    AskedPage,
    SolvedPage,
    choice_text,
    day_text,
    found_lines,
    id_line,
    question_data,
    solved_data,
)
from bot.views.card import Card
from bot.views.layout import columns, dice_text, escape_markdown, percent, safe_text, wrap
from solver.wording import figure, say, say_number

_MOST_NAMES = 10
_NAME = 20


def asked_page(asked: Asked) -> AskedPage:
    """The question, and what the reader has answered."""
    daily = asked.daily
    title = say("Daily position of {day}", day=day_text(daily.day))
    if asked.answer is not None:
        choice = choice_text(daily, daily.choices[asked.answer])
        answer = say("Your answer: {choice}.", choice=choice)
        return AskedPage(daily, title, answer, answer)
    return AskedPage(
        daily,
        title,
        say("What wins most often? Answer with /daily answer NUMBER; your first answer counts."),
        say("What wins most often? You have one answer, and only you see whether it was right."),
    )


def answer_page(found: Verdict | Solution) -> SolvedPage:
    """What an answer comes to, or what was best where it came too late."""
    daily = found.daily
    if isinstance(found, Solution):
        over = say("That position is over: /daily shows today's.")
        return SolvedPage(daily, [over, *_solution(found)])
    lines = found_lines(daily, found.choice, is_first=found.is_first)
    if found.streak > 1:
        lines.append(say("You were right on {days} days in a row.", days=found.streak))
    return SolvedPage(daily, lines)


def board_text(board: Sequence[BoardLine]) -> str:
    """Who found how many, on how many days in a row, and what answers cost."""
    if not board:
        return say("Nobody has answered a daily position here yet.")
    rows = [
        (
            f"{place}.",
            safe_text(one.name, _NAME),
            say("{found:,} of {answered:,}", found=one.found, answered=one.answered),
            say_number("{number} day", "{number} days", one.streak),
            _cost(one.average_cost),
        )
        for place, one in enumerate(board[:20], start=1)
    ]
    head = say(
        "Daily positions: right answers, days in a row, and what an answer cost on average, in %:"
    )
    return "\n".join([wrap(head), *columns(rows, right={0, 2, 3, 4})])


def post_card(post: Post) -> Card:
    """The message of a day: how the last one went, and then the question."""
    card = asked_page(post.asked).card
    if post.solution is None:
        return card
    solution = post.solution
    lines = [*map(escape_markdown, _solution(solution)), id_line(solution.daily)]
    return Card("\n".join([*lines, "", card.text]), card.attachments, card.buttons)


def asked_data(asked: Asked) -> dict[str, Any]:
    """The question as plain data, without what is worked out of its choices."""
    daily = asked.daily
    answer = None if asked.answer is None else asked.answer + 1
    return {"day": daily.day.isoformat(), **question_data(daily), "answer": answer}


def answer_data(found: Verdict | Solution) -> dict[str, Any]:
    """What an answer comes to as plain data."""
    solved = {**asked_data(Asked(found.daily)), **solved_data(found.daily)}
    if isinstance(found, Solution):
        streaks = [{"name": name, "days": days} for name, days in found.streaks]
        return {**solved, "answers": found.answers, "found": found.found, "streaks": streaks}
    return {
        **solved,
        "answer": found.choice + 1,
        "is_first": found.is_first,
        "cost": found.daily.cost(found.choice),
        "streak": found.streak,
    }


def board_data(board: Sequence[BoardLine]) -> list[dict[str, Any]]:
    """How everybody does as plain data, without the ids of people."""
    return list(map(asdict, board))


def _cost(average: float) -> str:
    return figure(average * 100, ".2f")


def _solution(solution: Solution) -> list[str]:
    """What was best, how many found it, and who as on days before."""
    daily = solution.daily
    best = daily.choices[daily.best]
    lines = [
        say(
            "Solution of {day}, {dice}: {choice} wins {chance}.",
            day=day_text(daily.day),
            dice=dice_text(daily.roll),
            choice=choice_text(daily, best),
            chance=percent(best.win_probability),
        )
    ]
    if solution.answers:
        lines[0] += " " + say(
            "{found:,} of {answers:,} got it right.", found=solution.found, answers=solution.answers
        )
    if solution.streaks:
        told = ", ".join(
            f"{safe_text(name, _NAME)} {figure(days)}"
            for name, days in solution.streaks[:_MOST_NAMES]
        )
        lines.append(say("Days in a row: {names}", names=told))
    return lines
