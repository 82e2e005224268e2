"""The daily position as people read it: the question, the verdict, the solution and the board."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from babel.dates import format_date

from bot.services.daily import Asked, BoardLine, Post, Solution, Verdict
from bot.views.card import Card
from bot.views.layout import columns, dice_text, escape_markdown, percent, safe_text, wrap
from bot.views.question import (
    choice_buttons,
    choice_text,
    dice_attachment,
    found_text,
    id_line,
    marked_lines,
    numbered_lines,
    question_data,
    question_head,
    ranked_lines,
    solved_data,
)
from solver.play.daily import DailyPosition
from solver.wording import figure, say, say_number, spoken

_MOST_NAMES = 10
_NAME = 20


def asked_text(asked: Asked) -> str:
    """The question, its choices by number, and what the reader has answered."""
    daily = asked.daily
    end = say("What wins most often? Answer with /daily answer NUMBER; your first answer counts.")
    if asked.answer is not None:
        end = say("Your answer: {choice}.", choice=choice_text(daily, daily.choices[asked.answer]))
    lines = [_title(daily.day), wrap(question_head(daily)), *numbered_lines(daily), end]
    return "\n".join(lines)


def verdict_text(verdict: Verdict) -> str:
    """Whether an answer is the best, what it costs, and every choice."""
    lines = [*_verdict(verdict), *ranked_lines(verdict.daily), id_line(verdict.daily)]
    return "\n".join([*map(wrap, lines[:-1]), lines[-1]])


def solution_text(solution: Solution) -> str:
    """What was best, where somebody would still answer."""
    over = say("That position is over: /daily shows today's.")
    ranked = ranked_lines(solution.daily)
    return "\n".join([over, *map(wrap, _solution(solution)), *ranked, id_line(solution.daily)])


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


def daily_card(subject: Any) -> Card | None:
    """What came of an answer as a card, None for anything else."""
    match subject:
        case Verdict():
            return _verdict_card(subject)
        case Solution():
            return _solution_card(subject)
        case _:
            return None


def asked_card(asked: Asked) -> Card:
    """The question with a button for each choice, which has its number for action."""
    daily = asked.daily
    lines = [f"**{_title(daily.day)}**", escape_markdown(question_head(daily))]
    if asked.answer is None:
        lines.append(
            say("What wins most often? You have one answer, and only you see whether it was right.")
        )
    else:
        choice = choice_text(daily, daily.choices[asked.answer])
        lines.append(say("Your answer: {choice}.", choice=choice))
    return Card("\n".join(lines), (dice_attachment(daily),), tuple(choice_buttons(daily)))


def post_card(post: Post) -> Card:
    """The message of a day: how the last one went, and then the question."""
    card = asked_card(post.asked)
    if post.solution is None:
        return card
    solution = post.solution
    lines = [*map(escape_markdown, _solution(solution)), id_line(solution.daily)]
    return Card("\n".join([*lines, "", card.text]), card.attachments, card.buttons)


def _verdict_card(verdict: Verdict) -> Card:
    """A verdict for a phone."""
    lines = [*map(escape_markdown, _verdict(verdict)), *marked_lines(verdict.daily)]
    return Card("\n".join([*lines, id_line(verdict.daily)]))


def _solution_card(solution: Solution) -> Card:
    """A solution for a phone, where somebody would still answer."""
    over = say("That position is over: /daily shows today's.")
    told = map(escape_markdown, _solution(solution))
    lines = [over, *told, *marked_lines(solution.daily), id_line(solution.daily)]
    return Card("\n".join(lines))


def asked_data(asked: Asked) -> dict[str, Any]:
    """The question as plain data, without what is worked out of its choices."""
    daily = asked.daily
    answer = None if asked.answer is None else asked.answer + 1
    return {"day": daily.day.isoformat(), **question_data(daily), "answer": answer}


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """What an answer comes to as plain data."""
    return {
        **_solved(verdict.daily),
        "answer": verdict.choice + 1,
        "is_first": verdict.is_first,
        "cost": verdict.daily.cost(verdict.choice),
        "streak": verdict.streak,
    }


def solution_data(solution: Solution) -> dict[str, Any]:
    """What came of a position as plain data."""
    return {
        **_solved(solution.daily),
        "answers": solution.answers,
        "found": solution.found,
        "streaks": [{"name": name, "days": days} for name, days in solution.streaks],
    }


def board_data(board: Sequence[BoardLine]) -> list[dict[str, Any]]:
    """How everybody does as plain data, without the ids of people."""
    return list(map(asdict, board))


def _title(day: date) -> str:
    return say("Daily position of {day}", day=_day(day))


def _day(day: date) -> str:
    return format_date(day, "long", locale=spoken().code)


def _verdict(verdict: Verdict) -> list[str]:
    daily = verdict.daily
    lines = []
    if not verdict.is_first:
        lines.append(say("You have answered already, and your first answer counts."))
    lines.append(found_text(daily, verdict.choice))
    if verdict.streak > 1:
        lines.append(say("You were right on {days} days in a row.", days=verdict.streak))
    return lines


def _cost(average: float) -> str:
    return figure(average * 100, ".2f")


def _solution(solution: Solution) -> list[str]:
    """What was best, how many found it, and who as on days before."""
    daily = solution.daily
    best = daily.choices[daily.best]
    lines = [
        say(
            "Solution of {day}, {dice}: {choice} wins {chance}.",
            day=_day(daily.day),
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


def _solved(daily: DailyPosition) -> dict[str, Any]:
    """A position with what is worked out of it."""
    return {**asked_data(Asked(daily)), **solved_data(daily)}
