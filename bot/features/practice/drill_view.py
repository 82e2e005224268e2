"""Drills as people read them: what is asked, and what comes of an answer."""

from datetime import timedelta
from math import ceil
from typing import Any

from bot.features.practice.drill import Drilled, DrillQuestion, DrillVerdict
from bot.features.practice.question_view import (
    AskedPage,
    SolvedPage,
    choice_text,
    cost_figure,
    day_text,
    found_lines,
    question_data,
    solved_data,
)
from bot.views.advice import reason_text
from bot.views.card import Button
from bot.views.levels import SPOTS
from solver.play.daily import CLEAR
from solver.wording import figure, say, say_number

NEXT = "next"
"""Action of the button that asks for the next position."""


def drill_page(asked: DrillQuestion) -> AskedPage:
    """What is asked, where it comes from, and what there is besides."""
    return AskedPage(
        asked.drill.question,
        _title(asked),
        say("What wins most often? Answer with /drill answer NUMBER."),
        say("What wins most often?"),
        _before(asked),
        _after(asked),
    )


def drill_data(asked: DrillQuestion) -> dict[str, Any]:
    """What is asked as plain data, without what is worked out of its choices."""
    return {
        **question_data(asked.drill.question),
        **_source_data(asked.drill),
        "id": asked.drill.id,
        "weak_spot": asked.weak,
        "games": asked.games,
        "games_left": asked.left,
        "decisions": asked.lessons,
        "waiting": asked.waiting,
    }


def verdict_page(verdict: DrillVerdict) -> SolvedPage:
    """What an answer costs, why the best is best, when it comes again, and the way on."""
    why = reason_text(verdict.advice) if verdict.advice else ""
    after = [" ".join(why.split()), *_then(verdict)]
    following = Button(NEXT, say("Next ▶"), 0)
    return SolvedPage(verdict.drill.question, _verdict(verdict), after, (following,))


def drill_verdict_data(verdict: DrillVerdict) -> dict[str, Any]:
    """What an answer comes to as plain data."""
    why = verdict.advice.why if verdict.advice else None
    return {
        **solved_data(verdict.drill.question),
        **_source_data(verdict.drill),
        "answer": verdict.choice + 1,
        "is_first": verdict.is_first,
        "cost": verdict.drill.question.cost(verdict.choice),
        "why": why.reason if why else None,
        "due": verdict.due.isoformat() if verdict.due else None,
    }


def _source_data(drill: Drilled) -> dict[str, Any]:
    played = drill.played_on
    return {
        "spot": drill.spot,
        "turn": drill.turn,
        "played_on": played.date().isoformat() if played else None,
        "again": drill.again,
    }


def _before(asked: DrillQuestion) -> list[str]:
    """That there is no own decision to ask for, and why."""
    if asked.drill.turn is not None or asked.lessons or asked.drill.again:
        return []
    if not asked.games:
        return [
            say("Once you have finished a game under solved rules, your own decisions appear here.")
        ]
    if not asked.decisions:
        return [
            say_number(
                "You had no decision to practise in {number:,} game.",
                "You had no decision to practise in {number:,} games.",
                asked.games,
            )
        ]
    least = figure(CLEAR * 100, ".1f")
    return [
        say_number(
            "In {number:,} game none of your decisions cost {least} % or more.",
            "In {number:,} games none of your decisions cost {least} % or more.",
            asked.games,
            least=least,
        )
    ]


def _title(asked: DrillQuestion) -> str:
    drill = asked.drill
    if drill.turn is None and drill.again:
        return say("Once more: a position you got wrong")
    if drill.turn is None and drill.spot is asked.weak:
        return say(
            "A new position {spot}, where you make most mistakes", spot=say(SPOTS[drill.spot])
        )
    if drill.turn is None:
        return say("A new position")
    if drill.played_on is None:
        return say("Your own decision, turn {turn}", turn=drill.turn)
    day = day_text(drill.played_on)
    if drill.again:
        return say("Once more: your decision of {day}, turn {turn}", day=day, turn=drill.turn)
    return say("Your decision of {day}, turn {turn}", day=day, turn=drill.turn)


def _after(asked: DrillQuestion) -> list[str]:
    """What waits besides."""
    lines = []
    if asked.waiting:
        lines.append(
            say_number(
                "{number:,} more position waits.",
                "{number:,} more positions wait.",
                asked.waiting,
            )
        )
    if asked.left:
        lines.append(
            say_number(
                "{number:,} game of yours is still to be reviewed: the next /drill does it.",
                "{number:,} games of yours are still to be reviewed: the next /drill goes on.",
                asked.left,
            )
        )
    return lines


def _verdict(verdict: DrillVerdict) -> list[str]:
    drill = verdict.drill
    lines = found_lines(drill.question, verdict.choice, is_first=verdict.is_first)
    if drill.chosen is not None and drill.chosen == verdict.choice:
        lines.append(say("You chose the same in the game."))
    elif drill.chosen is not None:
        lines.append(
            say(
                "In the game you chose to {choice}, which cost {cost} %.",
                choice=choice_text(drill.question, drill.question.choices[drill.chosen]),
                cost=cost_figure(drill.question, drill.chosen),
            )
        )
    return lines


def _then(verdict: DrillVerdict) -> list[str]:
    left = (verdict.due or verdict.now) - verdict.now
    if left <= timedelta(0):
        return []
    if left < timedelta(days=1):
        return [
            say_number(
                "You get this position again in {number} minute.",
                "You get this position again in {number} minutes.",
                ceil(left / timedelta(minutes=1)),
            )
        ]
    return [
        say_number(
            "You get this position again in {number} day.",
            "You get this position again in {number} days.",
            ceil(left / timedelta(days=1)),
        )
    ]
