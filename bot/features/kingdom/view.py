"""Loaded dice against loaded dice as people read it, as plain data and as tables."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from bot.features.kingdom import service
from bot.layout import PHONE, WIDTH, columns, percent, room, wrap
from bot.views.named_dice import badge_lines, doubts, plan_data, plan_lines
from bot.views.sheet import Sheet, sheet
from bot.views.thresholds import from_text, threshold_text
from solver.named.sets import NamedSet
from solver.wording import figure, say, say_later

MOST_CHOICES = 10
"""Sets that are listed."""


def kcd_text(answer: service.KcdAnswer) -> str:
    """Who wins, what both sets bring, and when to bank in the first turn."""
    dice, begins = answer.question.dice, answer.question.begins
    head = say_later("{rules} rules to {goal:,}, they begin.")
    wins = say_later("You win {chance}; if you began, {other}.")
    other, chance = answer.win_beginning, answer.win_second
    if begins:
        head = say_later("{rules} rules to {goal:,}, you begin.")
        wins = say_later("You win {chance}; if they began, {other}.")
        chance, other = other, chance
    lines = [
        wrap(say(head, rules=dice.rules.name, goal=dice.rules.goal)),
        *figures_lines([(say("you"), answer.mine), (say("them"), answer.theirs)]),
        *_points_lines([answer.mine.points, answer.theirs.points]),
        *badge_lines(dice.badges),
        wrap(say(wins, chance=percent(chance), other=percent(other))),
        *plan_lines(answer.badge),
        *_bank_lines(answer),
    ]
    return "\n".join([*lines, *doubt_lines(dice.mine, dice.theirs, joker_alone=dice.joker_alone)])


def _bank_lines(answer: service.KcdAnswer) -> list[str]:
    """When to bank in the first turn."""
    if not answer.bank_from:
        return []
    rules = answer.question.dice.rules
    if any(bank.threshold.roll_again for bank in answer.bank_from):
        head = say(
            "In the first turn, bank at these turn totals, by dice left to roll, the most frequent"
            " first:"
        )
        step = rules.point_step
        table = columns(
            [(bank.dice.text, from_text(bank.threshold, step)) for bank in answer.bank_from]
        )
    else:
        head = say(
            "In the first turn, bank at these turn totals or more, by dice left to roll, the most"
            " frequent first:"
        )
        rows = [(bank.dice.text, threshold_text(bank.threshold)) for bank in answer.bank_from]
        half = (len(rows) + 1) // 2 if room() >= WIDTH else len(rows)
        halves = zip_longest(rows[:half], rows[half:], fillvalue=("", ""))
        table = columns([(*row, *other) for row, other in halves], right={1, 3})
    lines = [wrap(head), *table]
    if rules.hot_dice_counted > 1:
        lines.append(wrap(say("These numbers are for before the first hot dice of the turn.")))
    return lines


def figures_lines(figures: Iterable[tuple[str, service.SetFigures]]) -> list[str]:
    """What turns with some sets bring, a line for each; its head first."""
    rows = [("", say("dice"), say("points"), say("to the goal"), say("farkle"), say("first roll"))]
    for who, turn in figures:
        points = points_figure(turn.points), figure(turn.points_to_goal, ",.2f")
        farkles = percent(turn.farkle_probability), percent(turn.first_farkle_probability)
        rows.append((who, turn.dice.text, *points, *farkles))
    if room() > PHONE:
        return columns(rows, right={2, 3, 4, 5}, spare=(5, 3))
    names, dice, *others = zip(*rows, strict=True)
    sets = [f"{name}: {text}" for name, text in zip(names[1:], dice[1:], strict=True)]
    return [*sets, *columns([names, *others], right=range(1, len(rows)))]


def points_figure(points: float | None) -> str:
    """Points of a turn with no goal: they may have no end, or not be worked out."""
    if points is None:
        return "-"
    return "∞" if points == math.inf else figure(points, ",.2f")


def _points_lines(points: Iterable[float | None]) -> list[str]:
    """What it means where there is no number for the points of a turn."""
    meanings = {
        math.inf: say_later("∞: with these dice you can roll on for ever without any risk."),
        None: say_later("-: points of a turn without a goal are not worked out under such rules."),
    }
    return [wrap(say(meanings[mark])) for mark in dict.fromkeys(points) if mark in meanings]


def points_data(points: float | None) -> float | None:
    """Points as plain data, which has no infinity: None, as where none are worked out."""
    return None if points == math.inf else points


def choice_text(answer: service.ChoiceAnswer) -> str:
    """The best sets, with what each costs against the best."""
    best, sets = answer.choices[0], answer.choices
    rows = []
    for choice in sets[:MOST_CHOICES]:
        row = [choice.dice.text, say("{points} points", points=points_figure(choice.points))]
        if choice.win is not None and best.win is not None:
            cost = figure(100 * (best.win - choice.win), ".2f")
            row += [percent(choice.win), say("best") if choice is best else f"-{cost}"]
        rows.append(row)
    heading = say_later(
        "{number:,} sets of {dice} dice; {rules} rules to {goal:,} against {theirs},"
    )
    lines = [
        *_head(answer.question, heading, len(sets)),
        *columns(rows, right={1, 2, 3}, spare=(1,) if best.win is not None else ()),
        *_points_lines(choice.points for choice in sets[:MOST_CHOICES]),
    ]
    return "\n".join([*lines, *_foot(answer.question, best, len(sets), sets_note())])


def _head(question: service.ChoiceQuestion, heading: str, number: int) -> list[str]:
    """The game for which some number of sets, or of dice to buy, are compared."""
    dice, rules = question.dice, question.dice.rules
    game = {"rules": rules.name, "goal": rules.goal, "theirs": dice.theirs.text}
    head = say(heading, number=number, dice=rules.dice, **game)
    begins = say("you begin.") if question.begins else say("they begin.")
    return [wrap(f"{head} {begins}"), *badge_lines(dice.badges)]


def _foot(
    question: service.ChoiceQuestion, best: service.RatedSet, number: int, note: str
) -> list[str]:
    """What is left out of a list of so many, how far it goes, and what is not sure."""
    dice, left_out = question.dice, number - MOST_CHOICES
    lines = [say("and {number:,} more", number=left_out)] if left_out > 0 else []
    doubts = doubt_lines(best.dice, dice.theirs, joker_alone=dice.joker_alone)
    return [*lines, wrap(note), *doubts]


def sets_note() -> str:
    """How far a comparison of sets goes."""
    return say(
        "Points are the average of a turn without a goal. Only sets with a win probability"
        " were worked out against these dice; a set without one may win more often than its"
        " points suggest. You are assumed to have enough ordinary dice."
    )


def kcd_data(answer: service.KcdAnswer) -> dict[str, Any]:
    """An answer on loaded dice as plain data."""
    question, dice = answer.question, answer.question.dice
    return {
        **question_data(question),
        "win_probability": answer.win,
        "win_probability_beginning": answer.win_beginning,
        "win_probability_second": answer.win_second,
        "mine": figures_data(answer.mine),
        "theirs": figures_data(answer.theirs),
        "bank_from": [
            {**asdict(bank.threshold), "dice": bank.dice.text, "share": bank.share}
            for bank in answer.bank_from
        ],
        "badge": plan_data(answer.badge),
        "unknown": [*_doubts(dice.mine, dice.theirs, joker_alone=dice.joker_alone)],
    }


def figures_data(figures: service.SetFigures) -> dict[str, Any]:
    """What a turn with a set brings."""
    return {
        "dice": figures.dice.text,
        "points": points_data(figures.points),
        "points_to_goal": figures.points_to_goal,
        "farkle_probability": figures.farkle_probability,
        "first_farkle_probability": figures.first_farkle_probability,
        "price": figures.dice.price,
    }


def kcd_sheet(answer: service.KcdAnswer) -> Sheet:
    """A row for each player."""
    mine, theirs = figures_data(answer.mine), figures_data(answer.theirs)
    rows = [
        {"who": "me", "win_probability": answer.win, **mine},
        {"who": "them", "win_probability": 1 - answer.win, **theirs},
    ]
    return sheet(tuple(rows[0]), rows)


def choice_data(answer: service.ChoiceAnswer) -> dict[str, Any]:
    """All sets as plain data."""
    return {
        **question_data(answer.question),
        "choices": [set_data(choice) for choice in answer.choices],
    }


def question_data(question: service.KcdQuestion | service.ChoiceQuestion) -> dict[str, Any]:
    """The game that is asked about."""
    dice = question.dice
    return {
        "rules": dice.rules.name,
        "goal": dice.rules.goal,
        **({"theirs": dice.theirs.text} if isinstance(question, service.ChoiceQuestion) else {}),
        "begins": question.begins,
        "joker_alone": dice.joker_alone,
        "badges": [badge.text if badge else None for badge in dice.badges],
    }


def set_data(choice: service.RatedSet) -> dict[str, Any]:
    """A set that may be taken."""
    worth = {"points": points_data(choice.points), "win_probability": choice.win}
    return {"dice": choice.dice.text, **worth, "price": choice.dice.price}


def doubt_lines(*sets: NamedSet, joker_alone: bool) -> list[str]:
    """What nobody knows of the dice of some sets, see `doubts`, and of the game."""
    luck = say("Henry's own luck in the game is not counted: see docs/kingdom-come.md.")
    return list(map(wrap, [*_doubts(*sets, joker_alone=joker_alone), luck]))


def _doubts(*sets: NamedSet, joker_alone: bool) -> Iterator[str]:
    return doubts([named for dice in sets for named in dice.dice], joker_alone=joker_alone)


def purchase_text(answer: service.PurchaseAnswer) -> str:
    """The dice that add most, with the six to take and what they win more than without."""
    question, offers = answer.question, answer.purchases
    rows = [("", say("groschen"), say("the six to take"), say("points"), say("win"), "")]
    rows.append((say("now"), "", *_row(answer.now), ""))
    for offer in offers[:MOST_CHOICES]:
        rise = gain(answer, offer)
        risen = "" if rise is None else figure(100 * rise, "+.2f")
        rows.append((offer.die.typed, figure(offer.price), *_row(offer.best), risen))
    head = say_later("{number:,} dice to buy; {rules} rules to {goal:,} against {theirs},")
    table = columns(rows, right={1, 3, 4, 5}, spare=(2, 3))
    prices = say("Prices are from the game's own tables, which do not say which shop sells a die.")
    note = f"{prices} {sets_note()}"
    foot = _foot(question, offers[0].best, len(offers), note)
    return "\n".join([*_head(question, head, len(offers)), *table, *foot])


def gain(answer: service.PurchaseAnswer, offer: service.Purchase) -> float | None:
    """What a die adds to the win probability; None where it was not played out."""
    if offer.best.win is None or answer.now.win is None:
        return None
    return offer.best.win - answer.now.win


def purchase_data(answer: service.PurchaseAnswer) -> dict[str, Any]:
    """All dice as plain data."""
    return {
        **question_data(answer.question),
        "most_price": answer.question.most_price,
        "now": set_data(answer.now),
        "dice": [
            {
                "die": offer.die.typed,
                "price": offer.price,
                "best": offer.best.dice.text,
                "points": points_data(offer.best.points),
                "win_probability": offer.best.win,
                "gain": gain(answer, offer),
            }
            for offer in answer.purchases
        ],
    }


def _row(best: service.RatedSet) -> tuple[str, str, str]:
    win = "" if best.win is None else percent(best.win)
    return best.dice.text, points_figure(best.points), win
