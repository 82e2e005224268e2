"""Decisions to practise on as people read them: what is asked, what answers come to, the board."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any

from babel.dates import format_date

from bot.features.practice.daily import Asked, BoardLine, Solution, Verdict
from bot.features.practice.drill import Drilled, DrillQuestion, DrillVerdict
from bot.layout import (
    columns,
    cost_in_words,
    dice_count,
    escape_markdown,
    percent,
    points_in_words,
    safe_text,
    wrap,
)
from bot.services.loaded import LoadedDice
from bot.views.advice import cost_text, position_text, reason_text, sets_text
from bot.views.answer_data import position_data
from bot.views.card import LONGEST_LABEL, Attachment, Button, Card
from bot.views.dice_picture import dice_png
from bot.views.levels import SPOTS
from bot.views.named_dice import badge_lines
from solver.play.daily import CLEAR, Choice, Question
from solver.turn.dice import dice_text
from solver.wording import figure, say, say_later, say_number, spoken

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
    above: Sequence[str] = ()
    """What stands above a card."""

    @property
    def text(self) -> str:
        """The question, its choices by number, and how to answer."""
        head = [*self.before, self.title, question_head(self.question)]
        rows = [(f"{number}.", text) for number, text in _numbered(self.question)]
        lines = [*map(wrap, head), *columns(rows, right={0}), self.typed]
        return "\n".join([*lines, *map(wrap, self.after)])

    @property
    def card(self) -> Card:
        """The question for a phone, with a button for each choice; its number is the action."""
        question = self.question
        head = [*self.above, *map(escape_markdown, self.before)]
        head.append(f"**{escape_markdown(self.title)}**")
        head.append(escape_markdown(question_head(question)))
        # where buttons are too small for the choices they have their numbers
        numbered = () if _labels(question) else _numbered(question)
        choices = [f"{number}\\. {escape_markdown(text)}" for number, text in numbered]
        text = "\n".join([*head, *choices, self.pressed, *self.after])
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
        """The page for a fixed-width font."""
        table = columns(_ranked(self.question), right={1, 2})
        lines = [*map(wrap, self.before), *table, *map(wrap, self.after)]
        return "\n".join(filter(None, [*lines, id_line(self.question)]))

    @property
    def card(self) -> Card:
        """The page for a phone."""
        lines = [*map(escape_markdown, self.before)]
        lines += [
            f"{place}\\. {choice}: {chance}, {cost}"
            for place, (choice, chance, cost) in enumerate(_ranked(self.question), start=1)
        ]
        lines += [*map(escape_markdown, self.after), id_line(self.question)]
        return Card(
            "\n".join(filter(None, lines)), (_dice_attachment(self.question),), self.buttons
        )


_TOLD = say_later("keep {dice} and roll {left}"), say_later("keep {dice} and bank {total:,}")
_LABEL = say_later("Keep {dice} and roll {left}"), say_later("Keep {dice} and bank {total:,}")
"""A choice in as few letters as a button of a phone shows, by whether it banks."""


def choice_text(question: Question, choice: Choice, ways: Sequence[str] = _TOLD) -> str:
    """What is kept, and whether to bank or to roll then."""
    left = dice_count(sum(question.thrown.remaining[choice.dice_left]))
    kept, total = kept_text(question, choice), choice.turn_total
    return say(ways[choice.bank], dice=kept, left=left, total=total)


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
    return question.kit.roll_text(question.roll, question.position.dice)


def kept_text(question: Question, choice: Choice) -> str:
    """What a choice keeps, by name where players bring their dice."""
    return question.kit.set_aside_text(question.roll, choice.set_aside)


def _loaded(question: Question) -> LoadedDice:
    """What all bring, the player to move first."""
    kits = tuple(question.kits[k] for k in question.position.in_order)
    return LoadedDice(question.rules, kits, question.joker_alone)


def _numbered(question: Question) -> Iterator[tuple[int, str]]:
    """The choices by number, without what they are worth."""
    return enumerate((choice_text(question, choice) for choice in question.choices), 1)


def _choice_buttons(question: Question) -> list[Button]:
    """A button for each choice, which has its number for action, and for label if it must."""
    number = len(question.choices)
    rows, labels = min(number, _ROWS), _labels(question)
    labels = labels or [str(k) for k in range(1, number + 1)]
    return [Button(str(k + 1), label, k * rows // number) for k, label in enumerate(labels)]


def _labels(question: Question) -> list[str]:
    """The choices as buttons have them; none where buttons are too small for them."""
    labels = [choice_text(question, choice, _LABEL) for choice in question.choices]
    return labels if max(map(len, labels)) <= LONGEST_LABEL else []


def _dice_attachment(question: Question) -> Attachment:
    faces = question.thrown.faces(question.roll)
    described = say("Rolled {dice}", dice=roll_text(question))
    return Attachment("dice.png", dice_png(faces), described, faces)


def found_text(question: Question, choice: int) -> str:
    """Whether no choice is better, else what it costs."""
    chosen = choice_text(question, question.choices[choice])
    if question.cost(choice) <= 0:
        return say("Right: {choice} is best.", choice=chosen)
    cost = cost_in_words(question.cost(choice), question.within)
    return say("Not the best: {choice} costs {cost}.", choice=chosen, cost=cost)


def _ranked(question: Question) -> list[tuple[str, str, str]]:
    """Every choice, best first, how often it wins and what it costs."""
    return [
        (
            choice_text(question, question.choices[k]),
            percent(question.choices[k].win_probability, question.within),
            cost_text(question.cost(k), question.within),
        )
        for k in sorted(range(len(question.choices)), key=question.cost)
    ]


def found_lines(question: Question, choice: int, *, is_first: bool) -> list[str]:
    """Whether an answer is the best one, and whether it counts."""
    again = [] if is_first else [say("You have answered already, and your first answer counts.")]
    return [*again, found_text(question, choice)]


def day_text(day: date) -> str:
    """A day in words."""
    return format_date(day, "long", locale=spoken().code)


def id_line(question: Question) -> str:
    """The line with the ID by which the position is passed on; "" where it has none."""
    return say("Position {id}", id=question.id) if question.id else ""


def question_data(question: Question) -> dict[str, Any]:
    """A question as plain data, without what is worked out of its choices."""
    given = choices_data(question)
    for choice in given:
        del choice["win_probability"]
    data: dict[str, Any] = {
        "rules": question.rules.name,
        "position": position_data(question.rules, question.position),
        "roll": question.kit.data(roll_text(question), question.roll),
        "choices": given,
    }
    if not question.kits:
        return data
    position, dice = data["position"], _loaded(question)
    where = position if len(question.kits) == 2 else position["turn"]
    where["dice"] = question.kit.dice.left(question.position.dice).text
    theirs = [other.text for other in dice.others]
    return {**data, "my_dice": dice.mine.text, "their_dice": theirs[0] if dice.of_two else theirs}


def choices_data(question: Question) -> list[dict[str, Any]]:
    """The choices as plain data; dice by name where players bring them."""
    data, kit = list(map(asdict, question.choices)), question.kit
    for said, choice in zip(data, question.choices, strict=True):
        said["set_aside"] = kit.data(kept_text(question, choice), choice.set_aside)
        said["dice_left"] = kit.data(kit.dice.left(choice.dice_left).text, choice.dice_left)
    return data


def solved_data(question: Question) -> dict[str, Any]:
    """A question with what is worked out of it; answers are counted from 1."""
    choices = {"choices": choices_data(question), "best": question.best + 1}
    return {**question_data(question), **choices, "id": question.id}


_MOST_NAMES = 10
_NAME = 20


def asked_page(asked: Asked) -> AskedPage:
    """The question, and what the reader has answered; of a post also how the last one went."""
    daily = asked.daily
    title = say("Daily position of {day}", day=day_text(daily.day))
    if asked.answer is not None:
        choice = choice_text(daily, daily.choices[asked.answer])
        answer = say("Your answer: {choice}.", choice=choice)
        return AskedPage(daily, title, answer, answer)
    typed = say("What wins most often? Answer with /daily answer NUMBER; your first answer counts.")
    pressed = say(
        "What wins most often? You have one answer, and only you see whether it was right."
    )
    above = []
    if over := asked.solution:
        above = [*map(escape_markdown, _solution(over)), id_line(over.daily), ""]
    return AskedPage(daily, title, typed, pressed, above=above)


def answer_page(answer: Verdict | Solution) -> SolvedPage:
    """What an answer comes to, or what was best where it came too late."""
    daily = answer.daily
    if isinstance(answer, Solution):
        over = say("That position is over: /daily shows today's.")
        return SolvedPage(daily, [over, *_solution(answer)])
    lines = found_lines(daily, answer.choice, is_first=answer.is_first)
    if answer.streak > 1:
        lines.append(say("You were right on {days} days in a row.", days=answer.streak))
    return SolvedPage(daily, lines)


def board_text(board: Sequence[BoardLine]) -> str:
    """Who found how many, on how many days in a row, and what answers cost."""
    if not board:
        return say("Nobody has answered a daily position here yet.")
    rows = []
    for place, line in enumerate(board[:20], start=1):
        right = say("{found:,} of {answered:,}", found=line.found, answered=line.answered)
        days, cost = say_number("{number} [day|days]", line.streak), line.average_cost * 100
        rows.append((f"{place}.", safe_text(line.name, _NAME), right, days, figure(cost, ".2f")))
    head = say(
        "Daily positions: right answers, days in a row, and what an answer cost on average, in"
        " percentage points:"
    )
    return "\n".join([wrap(head), *columns(rows, right={0, 2, 3, 4})])


def asked_data(asked: Asked) -> dict[str, Any]:
    """The question as plain data, without what is worked out of its choices."""
    daily = asked.daily
    answer = None if asked.answer is None else asked.answer + 1
    return {"day": daily.day.isoformat(), **question_data(daily), "answer": answer}


def answer_data(answer: Verdict | Solution) -> dict[str, Any]:
    """What an answer comes to as plain data."""
    solved = {**asked_data(Asked(answer.daily)), **solved_data(answer.daily)}
    if isinstance(answer, Solution):
        streaks = [{"name": name, "days": days} for name, days in answer.streaks]
        return {**solved, "answers": answer.answers, "found": answer.found, "streaks": streaks}
    given = _given_data(answer.daily, answer.choice, is_first=answer.is_first)
    return {**solved, **given, "streak": answer.streak}


def _given_data(question: Question, choice: int, *, is_first: bool) -> dict[str, Any]:
    """An answer, which is counted from 1, and what it costs."""
    return {"answer": choice + 1, "is_first": is_first, "cost": question.cost(choice)}


def _solution(solution: Solution) -> list[str]:
    """What was best, how many found it, and who as on days before."""
    daily = solution.daily
    best = daily.choices[daily.best]
    head = say(
        "Solution of {day}, {dice}: {choice} wins {chance}.",
        day=day_text(daily.day),
        dice=dice_text(daily.roll),
        choice=choice_text(daily, best),
        chance=percent(best.win_probability),
    )
    if answers := solution.answers:
        right = say_later("{found:,} of {answers:,} got it right.")
        head += " " + say(right, found=solution.found, answers=answers)
    lines = [head]
    if solution.streaks:
        streaks = solution.streaks[:_MOST_NAMES]
        names = ", ".join(f"{safe_text(name, _NAME)} {figure(days)}" for name, days in streaks)
        lines.append(say("Days in a row: {names}", names=names))
    return lines


NEXT = "next"
"""Action of the button that asks for the next position."""


def drill_page(asked: DrillQuestion) -> AskedPage:
    """What is asked, where it comes from, and what there is besides."""
    typed = say("What wins most often? Answer with /drill answer NUMBER.")
    around = [*_before(asked)], [*_after(asked)]
    pressed = say("What wins most often?")
    return AskedPage(asked.drill.question, _title(asked), typed, pressed, *around)


def drill_data(asked: DrillQuestion) -> dict[str, Any]:
    """What is asked as plain data, without what is worked out of its choices."""
    games = {"games": asked.games, "games_left": asked.left, "decisions": asked.lessons}
    about = {"id": asked.drill.id, "weak_spot": asked.weak, **games, "waiting": asked.waiting}
    return {**question_data(asked.drill.question), **_source_data(asked.drill), **about}


def verdict_page(verdict: DrillVerdict) -> SolvedPage:
    """What an answer costs, why the best is best, when it comes again, and the way on."""
    why = reason_text(verdict.advice) if verdict.advice else ""
    after = [" ".join(why.split()), *_then(verdict)]
    following = Button(NEXT, say("Next ▶"), 0)
    return SolvedPage(verdict.drill.question, [*_verdict(verdict)], after, (following,))


def drill_verdict_data(verdict: DrillVerdict) -> dict[str, Any]:
    """What an answer comes to as plain data."""
    why, question = verdict.advice and verdict.advice.why, verdict.drill.question
    return {
        **solved_data(question),
        **_source_data(verdict.drill),
        **_given_data(question, verdict.choice, is_first=verdict.is_first),
        "why": why.reason if why else None,
        "due": verdict.due.isoformat() if verdict.due else None,
    }


def _source_data(drill: Drilled) -> dict[str, Any]:
    played_on = drill.played_on and drill.played_on.date().isoformat()
    turn = {"turn": drill.turn, "played_on": played_on}
    return {"spot": drill.spot, **turn, "again": drill.again}


def _before(asked: DrillQuestion) -> Iterator[str]:
    """A sentence that says why there is no own decision to ask for, if there is none."""
    if asked.drill.turn is not None or asked.lessons or asked.drill.again:
        return
    if not asked.games:
        yield say(
            "Once you have finished a game under solved rules, your own decisions appear here."
        )
    elif not asked.decisions:
        yield say_number("You had no decision to practise in {number:,} [game|games].", asked.games)
    else:
        yield say_number(
            "In {number:,} [game|games] none of your decisions cost {least} or more.",
            asked.games,
            least=points_in_words(figure(CLEAR * 100, ".1f")),
        )


def _title(asked: DrillQuestion) -> str:
    drill = asked.drill
    if drill.turn is None and drill.again:
        return say("Once more: a position you got wrong")
    if drill.turn is None and drill.spot is asked.weak:
        weak = say_later("A new position {spot}, where you make most mistakes")
        return say(weak, spot=say(SPOTS[drill.spot]))
    if drill.turn is None:
        return say("A new position")
    if drill.played_on is None:
        return say("Your own decision, turn {turn}", turn=drill.turn)
    day = day_text(drill.played_on)
    if drill.again:
        return say("Once more: your decision of {day}, turn {turn}", day=day, turn=drill.turn)
    return say("Your decision of {day}, turn {turn}", day=day, turn=drill.turn)


def _after(asked: DrillQuestion) -> Iterator[str]:
    """What waits besides."""
    if asked.waiting:
        yield say_number("{number:,} more [position waits|positions wait].", asked.waiting)
    if asked.left:
        yield say_number(
            "{number:,} [game of yours is|games of yours are] still to be reviewed: the next"
            " /drill [does it|goes on].",
            asked.left,
        )


def _verdict(verdict: DrillVerdict) -> Iterator[str]:
    drill, question = verdict.drill, verdict.drill.question
    yield from found_lines(question, verdict.choice, is_first=verdict.is_first)
    if drill.chosen == verdict.choice:
        yield say("You chose the same in the game.")
    elif drill.chosen is not None:
        chosen = choice_text(question, question.choices[drill.chosen])
        sentence = say_later("In the game you chose to {choice}, which cost {cost}.")
        cost = cost_in_words(question.cost(drill.chosen), question.within)
        yield say(sentence, choice=chosen, cost=cost)


def _then(verdict: DrillVerdict) -> Iterator[str]:
    left = (verdict.due or verdict.now) - verdict.now
    minutes, days = (ceil(left / unit) for unit in (timedelta(minutes=1), timedelta(days=1)))
    if left >= timedelta(days=1):
        yield say_number("You get this position again in {number} [day|days].", days)
    elif minutes > 0:
        yield say_number("You get this position again in {number} [minute|minutes].", minutes)
