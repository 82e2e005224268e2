"""A decision that is asked, as people read it: the choices before the answer and after it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from babel.dates import format_date

from bot.services.loaded import LoadedDice
from bot.views.advice import cost_text, position_data, position_text, sets_text
from bot.views.badges import badge_lines
from bot.views.card import LONGEST_LABEL, Attachment, Button, Card
from bot.views.dice_picture import dice_png
from bot.views.layout import columns, dice_count, dice_text, escape_markdown, percent, wrap
from solver.play.daily import Choice, Question
from solver.wording import figure, say, spoken

_ROWS = 5
"""Rows of buttons, which a phone shows best one below the other."""


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A question with what is said around it."""

    question: Question
    title: str
    typed: str
    """How it is answered, or was, where answers are typed."""
    pressed: str
    """How it is answered, or was, where answers are pressed."""
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The question, its choices by number, and how to answer."""
        head = [*self.before, self.title, question_head(self.question)]
        lines = [*map(wrap, head), *_numbered_lines(self.question), self.typed]
        return "\n".join([*lines, *map(wrap, self.after)])

    @property
    def card(self) -> Card:
        """The question for a phone, with a button for each choice; its number is the action."""
        question = self.question
        head = [*map(escape_markdown, self.before), f"**{escape_markdown(self.title)}**"]
        lines = [escape_markdown(question_head(question)), *choice_lines(question), self.pressed]
        text = "\n".join([*head, *lines, *self.after])
        return Card(text, (_dice_attachment(question),), tuple(_choice_buttons(question)))


@dataclass(frozen=True, slots=True)
class SolvedPage:
    """The choices of a question, best first, with what is said around them."""

    question: Question
    before: Sequence[str]
    after: Sequence[str] = ()
    buttons: tuple[Button, ...] = ()

    @property
    def text(self) -> str:
        """For a fixed-width font."""
        lines = [*map(wrap, self.before), *_ranked_lines(self.question), *map(wrap, self.after)]
        return "\n".join(filter(None, [*lines, id_line(self.question)]))

    @property
    def card(self) -> Card:
        """For a phone."""
        lines = [*map(escape_markdown, self.before), *_marked_lines(self.question)]
        lines += [*map(escape_markdown, self.after), id_line(self.question)]
        return Card("\n".join(filter(None, lines)), (), self.buttons)


def choice_text(question: Question, choice: Choice) -> str:
    """What is kept, and whether to bank or to roll then."""
    kept = kept_text(question, choice)
    if choice.bank:
        return say("keep {dice} and bank {total:,}", dice=kept, total=choice.turn_total)
    return say("keep {dice} and roll {left}", dice=kept, left=_left_text(question, choice))


def question_head(question: Question) -> str:
    """The roll, the scores, and what the game is about."""
    parts = {
        "dice": roll_text(question),
        "position": position_text(question.rules, question.position, named=bool(question.kits)),
        "rules": question.rules.name,
    }
    head = say("{dice}: {position}, {rules} rules, to {goal:,}", goal=question.rules.goal, **parts)
    if question.rules.rounds:
        head = say("{dice}: {position}, {rules} rules", **parts)
    if not question.kits:
        return head
    dice = _loaded(question)
    return "\n".join([head, sets_text(dice), *badge_lines(dice.badges)])


def roll_text(question: Question) -> str:
    """What was rolled, by name where players bring their dice."""
    roll, kit = question.roll, question.kit
    return kit.roll_text(roll, question.position.dice) if kit else dice_text(roll)


def kept_text(question: Question, choice: Choice) -> str:
    """What a choice keeps, by name where players bring their dice."""
    kept, kit = choice.set_aside, question.kit
    return kit.set_aside_text(question.roll, kept) if kit else dice_text(kept)


def _left_text(question: Question, choice: Choice) -> str:
    return dice_count(sum(question.thrown.remaining[choice.dice_left]))


def _loaded(question: Question) -> LoadedDice:
    """What all bring, the player to move first."""
    kits = tuple(question.kits[k] for k in question.position.in_order)
    return LoadedDice(question.rules, kits, question.joker_alone)


def _numbered_lines(question: Question) -> list[str]:
    """The choices by number, in columns, without what they are worth."""
    rows = [
        (f"{number}.", choice_text(question, one)) for number, one in enumerate(question.choices, 1)
    ]
    return columns(rows, right={0})


def _choice_buttons(question: Question) -> list[Button]:
    """A button for each choice, which has its number for action, and for label if it must."""
    number = len(question.choices)
    rows = min(number, _ROWS)
    labels = [str(k) for k in range(1, number + 1)]
    if not choice_lines(question):
        labels = [_label(question, one) for one in question.choices]
    return [Button(str(k + 1), label, k * rows // number) for k, label in enumerate(labels)]


def choice_lines(question: Question) -> list[str]:
    """The choices by number where buttons are too small for them, else none."""
    if all(len(_label(question, one)) <= LONGEST_LABEL for one in question.choices):
        return []
    told = (choice_text(question, one) for one in question.choices)
    return [f"{number}\\. {escape_markdown(text)}" for number, text in enumerate(told, 1)]


def _label(question: Question, choice: Choice) -> str:
    """A choice in as few letters as a button of a phone shows."""
    kept = kept_text(question, choice)
    if choice.bank:
        return say("Keep {dice} and bank {total:,}", dice=kept, total=choice.turn_total)
    return say("Keep {dice} and roll {left}", dice=kept, left=_left_text(question, choice))


def _dice_attachment(question: Question) -> Attachment:
    faces = question.thrown.faces(question.roll)
    described = say("Rolled {dice}", dice=roll_text(question))
    return Attachment("dice.png", dice_png(faces), described)


def found_text(question: Question, choice: int) -> str:
    """Whether no choice is better, else what it costs."""
    chosen = choice_text(question, question.choices[choice])
    if question.cost(choice) <= 0:
        return say("Right: {choice} is best.", choice=chosen)
    cost = cost_figure(question, choice)
    return say("Not the best: {choice} costs {cost} %.", choice=chosen, cost=cost)


def _ranked_lines(question: Question) -> list[str]:
    """Every choice, best first, in columns."""
    rows = [
        (
            choice_text(question, question.choices[k]),
            percent(question.choices[k].win_probability, question.within),
            _cost_of(question, k),
        )
        for k in _order(question)
    ]
    return columns(rows, right={1, 2})


def _marked_lines(question: Question) -> list[str]:
    """Every choice, best first, for a message."""
    return [
        f"{place}\\. {choice_text(question, question.choices[k])}:"
        f" {percent(question.choices[k].win_probability, question.within)}, {_cost_of(question, k)}"
        for place, k in enumerate(_order(question), start=1)
    ]


def found_lines(question: Question, choice: int, *, is_first: bool) -> list[str]:
    """Whether an answer is the best one, and whether it counts."""
    again = [] if is_first else [say("You have answered already, and your first answer counts.")]
    return [*again, found_text(question, choice)]


def day_text(day: date) -> str:
    """A day in words."""
    return format_date(day, "long", locale=spoken().code)


def id_line(question: Question) -> str:
    """By what the position is passed on; "" where it has no ID."""
    return say("Position {id}", id=question.id) if question.id else ""


def cost_figure(question: Question, choice: int) -> str:
    """What a choice costs, in percentage points."""
    form = ".2f" if question.within is None else ".1f"
    return figure(question.cost(choice) * 100, form)


def question_data(question: Question) -> dict[str, Any]:
    """A question as plain data, without what is worked out of its choices."""
    given = choices_data(question)
    for one in given:
        del one["win_probability"]
    found: dict[str, Any] = {
        "rules": question.rules.name,
        "position": position_data(question.rules, question.position),
        "roll": roll_text(question) if question.kits else question.roll,
        "choices": given,
    }
    if not (kit := question.kit):
        return found
    position, dice = found["position"], _loaded(question)
    where = position if len(question.kits) == 2 else position["turn"]
    where["dice"] = kit.dice.left(question.position.dice).text
    theirs = [one.text for one in dice.others]
    return {**found, "my_dice": dice.mine.text, "their_dice": theirs[0] if dice.of_two else theirs}


def choices_data(question: Question) -> list[dict[str, Any]]:
    """The choices as plain data; dice by name where players bring them."""
    found = list(map(asdict, question.choices))
    if kit := question.kit:
        for said, one in zip(found, question.choices, strict=True):
            said["set_aside"] = kit.set_aside_text(question.roll, one.set_aside)
            said["dice_left"] = kit.dice.left(one.dice_left).text
    return found


def solved_data(question: Question) -> dict[str, Any]:
    """A question with what is worked out of it; answers are counted from 1."""
    return {
        **question_data(question),
        "choices": choices_data(question),
        "best": question.best + 1,
        "id": question.id,
    }


def _order(question: Question) -> list[int]:
    return sorted(range(len(question.choices)), key=question.cost)


def _cost_of(question: Question, choice: int) -> str:
    return cost_text(question.cost(choice), question.within)
