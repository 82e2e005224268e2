"""Duels and best responses in plain words, as data and as tables."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from bot.layout import PHONE, columns, dice_count, percent, points_in_words, room, wrap
from bot.views.sheet import Cell, Sheet, sheet
from bot.views.thresholds import bank_from_data, star_lines, starred_text
from solver.play.best_response import BestResponse, Example
from solver.play.duel import Duel
from solver.rules.ruleset import Ruleset
from solver.turn.points import BankFrom
from solver.wording import figure, say, say_later

_MOST_ON_PHONE = 2
"""Positions that a phone shows."""
_WHEN = (say_later("beginning"), say_later("second"), say_later("overall"))


def duel_text(duel: Duel) -> str:
    """The chances of one policy against another one, and how games went that were played."""
    played, head = duel.played, [""]
    rows: list[tuple[str, ...]] = []
    if duel.is_exact and played:
        head.append(say("exact"))
    if played:
        counted = say("in {games:,} games", games=played.games)
        rows.append((*head, counted, say("95 % interval")))
    for number, (when, chance) in enumerate(zip(_WHEN, _chances(duel), strict=True)):
        row: tuple[str, ...] = (say(when), *[fine_percent(chance)] * duel.is_exact)
        if played:
            rate, error = played.rates[number]
            low, high = (_finely(rate + side * error) for side in (-1.96, 1.96))
            row = *row, fine_percent(rate), say("{low} to {high} %", low=low, high=high)
        rows.append(row)
    title = say_later("Chance of {one} to win against {other} under {rules} rules:")
    notes = [say(title, one=duel.one, other=duel.other, rules=duel.rules.name)]
    if duel.is_exact:
        notes.append(_exactness(duel.rules, duel.change))
    else:
        instead = say_later(
            "The games were played turn by turn: nothing exact is worked out where a game has"
            " rounds, or a turn depends on the one before it."
        )
        notes.append(say(instead))
    if played and duel.is_exact and not played.agrees(duel):
        wrong = say("The games differ from that by more than chance explains: please report it.")
        notes.append(wrong)
    first, *others = map(wrap, notes)
    return "\n".join([first, *columns(rows, right={1, 2, 3}), *others])


def duel_data(duel: Duel) -> dict[str, Any]:
    """A duel as plain data."""
    chances = dict(zip(_WHEN, _chances(duel), strict=True))
    data: dict[str, Any] = {**_about(duel), **chances}
    data |= {"change": duel.change, "sweeps": duel.sweeps}
    if not duel.is_exact:
        data |= {"exact": False}
    if played := duel.played:
        data["played"] = {"games": played.games, "seed": played.seed} | {
            name: {"rate": rate, "standard_error": error}
            for name, (rate, error) in zip(_WHEN, played.rates, strict=True)
        }
    return data


def _about(duel: Duel) -> dict[str, Any]:
    return {"rules": duel.rules.name, "one": duel.one, "other": duel.other}


def duel_sheet(duel: Duel) -> Sheet:
    """A row for who begins."""
    played = duel.played
    rows: list[dict[str, Cell]] = []
    for number, (when, chance) in enumerate(zip(_WHEN, _chances(duel), strict=True)):
        rate, error = played.rates[number] if played else (None, None)
        row = {"when": when, "chance": chance if duel.is_exact else None}
        rows.append({**_about(duel), **row, "played": rate, "standard_error": error})
    names = ("rules", "one", "other", "when", "chance")
    return sheet(names + (("played", "standard_error") if played else ()), rows)


def response_text(response: BestResponse) -> str:
    """The best response to a policy, and where it differs from optimal play."""
    best, optimal, rules = response.best, response.optimal, response.best.rules
    dice, both = _dice(response), zip(_WHEN, _chances(best), _chances(optimal), strict=True)
    rows = [("", say("best response"), say("optimal play"))]
    if room() <= PHONE:
        rows = [("", say("best"), say("optimal"))]
    rows += [(say(when), fine_percent(one), fine_percent(other)) for when, one, other in both]
    title = say_later("Chance to win against {policy} under {rules} rules:")
    gain = say_later("The best response wins {gain} more than optimal play.")
    lines = [
        wrap(say(title, policy=best.other, rules=rules.name)),
        *columns(rows, right={1, 2}),
        wrap(say(gain, gain=points_in_words(figure(100 * response.gain, "z.3f")))),
        wrap(_exactness(rules, max(best.change, optimal.change))),
        "",
        wrap(say("Each of them banks from these turn totals on, by dice left to roll:")),
        *_examples(response.usual, dice),
    ]
    if response.greatest:
        lines += [
            wrap(say("Where the best response gains most:")),
            *_examples(response.greatest, dice),
        ]
    return "\n".join([*lines, *map(wrap, star_lines(_thresholds(response)))])


def _thresholds(response: BestResponse) -> list[BankFrom]:
    """All that is said on when to bank."""
    examples = (*response.usual, *response.greatest)
    return [each for example in examples for each in example.best_banks + example.optimal_banks]


def _dice(response: BestResponse) -> list[int]:
    """The numbers of dice that are told about, most first; where throws combine all dice alone."""
    return sorted({threshold.dice for threshold in _thresholds(response)}, reverse=True)


def _examples(examples: Sequence[Example], dice: Sequence[int]) -> list[str]:
    """Two lines for each position: what the best response does there, and optimal play."""
    if room() <= PHONE:
        return _narrow_examples(examples[:_MOST_ON_PHONE], dice)
    rows = [(say("me:them"), "", say("wins"), *map(str, dice))]
    for example in examples:
        scores = f"{figure(example.position.banked)}:{figure(example.position.opponent)}"
        for place, name, chance, banks in (
            (scores, say("best"), example.best, example.best_banks),
            ("", say("optimal"), example.optimal, example.optimal_banks),
        ):
            cells = (starred_text(threshold) for threshold in _by_dice(banks, dice))
            rows.append((place, name, percent(chance), *cells))
    return columns(rows, right=range(2, 3 + len(dice)))


def _by_dice(banks: Sequence[BankFrom], dice: Iterable[int]) -> list[BankFrom]:
    """When to bank with each number of dice: never with one that is not told about."""
    known = {threshold.dice: threshold for threshold in banks}
    return [known.get(number, BankFrom(number, None)) for number in dice]


def _narrow_examples(examples: Sequence[Example], dice: Sequence[int]) -> list[str]:
    """A few lines for each position, with what the best response does beside optimal play."""
    rows: list[tuple[str, str, str]] = []
    for example in examples:
        scores = f"{figure(example.position.banked)}:{figure(example.position.opponent)}"
        rows.append((scores, say("best"), say("optimal")))
        rows.append((say("wins"), percent(example.best), percent(example.optimal)))
        both = (_by_dice(banks, dice) for banks in (example.best_banks, example.optimal_banks))
        for best, optimal in zip(*both, strict=True):
            rows.append((dice_count(best.dice), starred_text(best), starred_text(optimal)))
    return columns(rows, right={1, 2})


def response_data(response: BestResponse) -> dict[str, Any]:
    """A best response as plain data."""
    dice = _dice(response)[::-1]

    def example(start: Example) -> dict[str, Any]:
        return {
            "me": start.position.banked,
            "them": start.position.opponent,
            "best": start.best,
            "optimal": start.optimal,
            "best_banks": _totals(start.best_banks, dice),
            "optimal_banks": _totals(start.optimal_banks, dice),
            "best_bank_from": bank_from_data(start.best_banks),
            "optimal_bank_from": bank_from_data(start.optimal_banks),
        }

    return {
        "rules": response.best.rules.name,
        "policy": response.best.other,
        "best": dict(zip(_WHEN, _chances(response.best), strict=True)),
        "optimal": dict(zip(_WHEN, _chances(response.optimal), strict=True)),
        "gain": response.gain,
        "change": max(response.best.change, response.optimal.change),
        "usual": [example(start) for start in response.usual],
        "greatest": [example(start) for start in response.greatest],
    }


def response_sheet(response: BestResponse) -> Sheet:
    """A row for each position and way to play."""
    dice = _dice(response)[::-1]
    names = [f"bank_{number}" for number in dice]
    rows: list[dict[str, Cell]] = []
    for example in (*response.usual, *response.greatest):
        for player, chance, banks in (
            ("best", example.best, example.best_banks),
            ("optimal", example.optimal, example.optimal_banks),
        ):
            start = {"me": example.position.banked, "them": example.position.opponent}
            totals = dict(zip(names, _totals(banks, dice), strict=True))
            rows.append({**start, "player": player, "chance": chance, **totals})
    return sheet(("me", "them", "player", "chance", *names), rows)


def _totals(banks: Sequence[BankFrom], dice: Iterable[int]) -> list[int | None]:
    """The least turn totals at which to bank."""
    return [threshold.turn_total for threshold in _by_dice(banks, dice)]


def fine_percent(probability: float) -> str:
    """A probability with three decimals."""
    return f"{_finely(probability)} %"


def _finely(probability: float) -> str:
    return figure(100 * min(max(probability, 0.0), 1.0), ".3f")


def _chances(duel: Duel) -> tuple[float, float, float]:
    return duel.as_first, duel.as_second, duel.overall


def _exactness(rules: Ruleset, change: float) -> str:
    text = say_later("These chances are exact.")
    if change > sys.float_info.epsilon:  # less is no part of numbers of double precision
        text = say_later("These chances are exact to within {change}.")
    exact = say(text, change=figure(change, ".1e"))
    if not rules.score_floor:
        return exact
    floor = say("A score below {floor:,} counts as {floor:,}.", floor=rules.score_floor)
    return f"{exact} {floor}"
