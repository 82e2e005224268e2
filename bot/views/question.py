"""A decision that is asked, as people read it: the choices before the answer and after it."""

from dataclasses import asdict
from typing import Any

from bot.views.advice import cost_text, position_data, position_text
from bot.views.card import Attachment, Button
from bot.views.dice_picture import dice_png
from bot.views.layout import columns, dice_count, dice_text, percent
from solver.play.daily import Choice, Question
from solver.play.position_id import position_id
from solver.wording import figure, say

_ROWS = 5
"""Rows of buttons, which a phone shows best one below the other."""


def choice_text(choice: Choice) -> str:
    """What is kept, and whether to bank or to roll then."""
    kept = dice_text(choice.set_aside)
    if choice.bank:
        return say("keep {dice} and bank {total:,}", dice=kept, total=choice.turn_total)
    return say("keep {dice} and roll {left}", dice=kept, left=dice_count(choice.dice_left))


def question_head(question: Question) -> str:
    """The roll, the scores, and what the game is about."""
    return say(
        "{dice}: {position}, {rules} rules, to {goal:,}",
        dice=dice_text(question.roll),
        position=position_text(question.rules, question.position),
        rules=question.rules.name,
        goal=question.rules.goal,
    )


def numbered_lines(question: Question) -> list[str]:
    """The choices by number, in columns, without what they are worth."""
    rows = [(f"{number}.", choice_text(one)) for number, one in enumerate(question.choices, 1)]
    return columns(rows, right={0})


def choice_buttons(question: Question) -> list[Button]:
    """A button for each choice, which has its number for action."""
    number = len(question.choices)
    rows = min(number, _ROWS)
    labels = map(_label, question.choices)
    return [Button(str(k + 1), label, k * rows // number) for k, label in enumerate(labels)]


def _label(choice: Choice) -> str:
    """The same as `choice_text`, in no more letters than a button of a phone shows."""
    kept = dice_text(choice.set_aside)
    if choice.bank:
        return say("Keep {dice} and bank {total:,}", dice=kept, total=choice.turn_total)
    return say("Keep {dice} and roll {left}", dice=kept, left=dice_count(choice.dice_left))


def dice_attachment(question: Question) -> Attachment:
    """A picture of the roll."""
    described = say("Rolled {dice}", dice=dice_text(question.roll))
    return Attachment("dice.png", dice_png(question.roll), described)


def found_text(question: Question, choice: int) -> str:
    """Whether no choice is better, else what it costs."""
    chosen = choice_text(question.choices[choice])
    if question.cost(choice) <= 0:
        return say("Right: {choice} is best.", choice=chosen)
    cost = figure(question.cost(choice) * 100, ".2f")
    return say("Not the best: {choice} costs {cost} %.", choice=chosen, cost=cost)


def ranked_lines(question: Question) -> list[str]:
    """Every choice, best first, in columns."""
    rows = [
        (
            choice_text(question.choices[k]),
            percent(question.choices[k].win_probability),
            _cost_of(question, k),
        )
        for k in _order(question)
    ]
    return columns(rows, right={1, 2})


def marked_lines(question: Question) -> list[str]:
    """The same for a message."""
    return [
        f"{place}\\. {choice_text(question.choices[k])}:"
        f" {percent(question.choices[k].win_probability)}, {_cost_of(question, k)}"
        for place, k in enumerate(_order(question), start=1)
    ]


def id_line(question: Question) -> str:
    """By what the position is passed on."""
    return say("Position {id}", id=question_id(question))


def question_data(question: Question) -> dict[str, Any]:
    """A question as plain data, without what is worked out of its choices."""
    given = [
        {key: value for key, value in asdict(one).items() if key != "win_probability"}
        for one in question.choices
    ]
    return {
        "rules": question.rules.name,
        "position": position_data(question.rules, question.position),
        "roll": question.roll,
        "choices": given,
    }


def solved_data(question: Question) -> dict[str, Any]:
    """A question with what is worked out of it; answers are counted from 1."""
    return {
        **question_data(question),
        "choices": list(map(asdict, question.choices)),
        "best": question.best + 1,
        "id": question_id(question),
    }


def question_id(question: Question) -> str | None:
    """The characters that open the position; None where they cannot be written."""
    return position_id(question.rules, question.position, question.roll)


def _order(question: Question) -> list[int]:
    """The choices by number, best first."""
    return sorted(range(len(question.choices)), key=question.cost)


def _cost_of(question: Question, choice: int) -> str:
    return cost_text(question.cost(choice))
