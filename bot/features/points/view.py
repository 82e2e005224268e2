"""Turns for the most points and fair head starts: as people read them, as data, as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

from bot.features.points.service import GainCell, LongRunAnswer, PointsAnswer, TailGain
from bot.layout import columns, dice_count, percent, rough_percent, wrap
from bot.views.sheet import Sheet, sheet
from bot.views.thresholds import bank_from_lines, star_lines, starred_text
from solver.play.komi import HeadStart, Komi
from solver.rules.ruleset import Ruleset, topics
from solver.turn.dice import Remaining
from solver.turn.long_run import TradeOff
from solver.wording import and_text, figure, say, say_later

_CANNOT_OCCUR = "· "


def points_text(answer: PointsAnswer) -> str:
    """What a turn brings and risks, when to bank, and the tables that were asked for."""
    question = answer.question
    if question.costs:
        return "\n".join([_head(answer), *_trade_off_lines(answer)])
    if question.cells:
        return "\n".join([_head(answer), *_cell_lines(answer)])
    lines = [_head(answer), _brings(answer), *_one_in_lines(answer)]
    lines.append(say("Bank at these turn totals or more, by dice left to roll:"))
    lines += bank_from_lines(answer.bank_from)
    lines += _always_rolled(answer)
    if answer.long_run:
        lines += _long_run_lines(answer.rules, answer.long_run)
    elif answer.rules.farkle_penalty and not answer.rules.penalty_points:
        whole = say_later(
            "Farkles in a row take your whole score: what that costs depends on the score, so"
            " there is no average over many turns."
        )
        lines.append(say(whole))
    return wrap("\n".join(lines))


def points_data(answer: PointsAnswer) -> dict[str, Any]:
    """Points a turn as plain data, with field names of its own."""
    return {**asdict(answer), "rules": answer.rules.name}


def points_sheet(answer: PointsAnswer) -> Sheet:
    """The table that was asked for: trade-offs, gains by turn total, or when to bank."""
    if answer.question.costs:
        return sheet([field.name for field in fields(TradeOff)], map(asdict, answer.trade_offs))
    if answer.question.cells:
        return sheet([field.name for field in fields(GainCell)], map(asdict, answer.cells))
    return sheet(("dice", "turn_total"), map(asdict, answer.bank_from))


def side_by_side_text(answers: Sequence[PointsAnswer]) -> str:
    """A row for each rule set: points, risk and when to bank; the command line alone."""
    dice = _columns_of_dice(answers)
    rows = [("rules", "points", "farkle", *map(str, dice))]
    for answer in answers:
        bank = {each.dice: starred_text(each) for each in answer.bank_from}
        chance = rough_percent(answer.farkle_probability)
        banks = (bank.get(number, "") for number in dice)
        rows.append((answer.rules.name, figure(answer.points, ",.1f"), chance, *banks))
    head = "A turn for the most points, as if there were no goal, and when to bank by dice left:"
    stars = star_lines(each for answer in answers for each in answer.bank_from)
    return "\n".join([wrap(head), *columns(rows, right=range(1, 3 + len(dice))), *stars])


def side_by_side_sheet(answers: Sequence[PointsAnswer]) -> Sheet:
    """A row for each rule set; a threshold is empty where nobody banks."""
    dice = _columns_of_dice(answers)
    names = ("rules", "points", "farkle_probability", *(f"bank_from_{number}" for number in dice))
    rows = []
    for answer in answers:
        banks = {bank.dice: bank.turn_total for bank in answer.bank_from}
        figures = answer.rules.name, answer.points, answer.farkle_probability
        rows.append((*figures, *(banks.get(number) for number in dice)))
    return Sheet(names, tuple(rows))


def _columns_of_dice(answers: Sequence[PointsAnswer]) -> list[Remaining]:
    """Numbers of dice that are left under any of the rules, falling."""
    return sorted({each.dice for answer in answers for each in answer.bank_from}, reverse=True)


def _head(answer: PointsAnswer) -> str:
    """What the figures are of, with all that was assumed."""
    head = say(
        "{rules} rules: how to score the most points in a turn, as if there were no goal.",
        rules=answer.rules.name,
    )
    return wrap(" ".join([head, *_told_where(answer.rules), *_assumed(answer)]))


def _told_where(rules: Ruleset) -> Iterator[str]:
    """The turns for which it is told when to bank."""
    if rules.throws > 1:
        yield say("When to bank is told after the first of {number} throws.", number=rules.throws)
    if rules.held_sets != "none":
        yield say("When to bank is told where no set is held.")
    if rules.combine_throws:
        yield say(
            "When to bank is told where no dice are held; with others it depends on which ones,"
            " and /odds says it, as in held-set:11."
        )


def _assumed(answer: PointsAnswer) -> Iterator[str]:
    """What holds for all figures."""
    rules, question = answer.rules, answer.question
    if cost := question.farkle_cost:
        yield say("A farkle costs {points:,g} points on top of the turn total.", points=cost)
    if rules.has_opening and question.on_board:
        yield say("This assumes that you are on the board.")
    elif rules.has_opening:
        yield say("This assumes that you are not on the board yet.")
    if "wins_game" in rules.decisive:
        yield say("A roll that wins at once counts as banking the turn total.")
    if "loses_game" in rules.decisive:
        yield say("A roll that loses the game costs only the turn total.")
    if "loses_score" in rules.decisive:
        sentence = say_later("A roll that loses everything costs only the turn total.")
        if question.score is not None:
            sentence = say_later(
                "A roll that loses everything costs {points:,} points on top of the turn total."
            )
        yield say(sentence, points=max(question.score or 0, 0))
    if rules.hot_dice_counted > 1:
        sentence = say_later("These numbers are for before the first hot dice of the turn.")
        if question.hot_dice:
            sentence = say_later(
                "These numbers are for after hot dice number {number} of the turn."
            )
        yield say(sentence, number=question.hot_dice)


def _brings(answer: PointsAnswer) -> str:
    """Points and the chances of other ends."""
    parts = [
        say("{points} points on average", points=_points(answer.points)),
        say("farkle {chance}", chance=_chance(answer.farkle_probability)),
    ]
    if "wins_game" in answer.rules.decisive:
        parts.append(say("wins {chance}", chance=_chance(answer.win_probability)))
    if "loses_score" in answer.rules.decisive:
        parts.append(say("loses all {chance}", chance=_chance(answer.lose_probability)))
    return "  " + ", ".join(parts)


def _one_in_lines(answer: PointsAnswer) -> list[str]:
    """What the better turns bring."""
    pairs = [(number, points) for number, points in answer.one_in if points]
    if not pairs:
        return []
    totals = [say("this many points or more"), *(figure(points) for _, points in pairs)]
    turns = [say("once in this many turns"), *(figure(number) for number, _ in pairs)]
    return columns([totals, turns], right=range(1, len(totals)))


def _always_rolled(answer: PointsAnswer) -> list[str]:
    """What rolling gains where it risks nothing."""
    never = {threshold.dice for threshold in answer.bank_from if threshold.turn_total is None}
    gains = [
        f"{dice_count(tail.dice)} {_points(tail.gain)}"
        for tail in answer.tail
        if tail.dice in never and tail.slope == 0
    ]
    always = say_later(
        "With these dice always roll on; from a turn total of {total:,} on that adds on average:"
        " {gains}."
    )
    return [say(always, total=answer.tail_from, gains="; ".join(gains))] if gains else []


def _long_run_lines(rules: Ruleset, long_run: LongRunAnswer) -> list[str]:
    """Turn after turn, and how to play each."""
    (penalty,) = topics(rules, ["farkle_penalty"])
    head = say(
        "With that penalty, the best average over many turns is {points} points a turn, with a"
        " farkle in {share} of them.",
        points=_points(long_run.points),
        share=_chance(long_run.farkles),
    )
    dice = [str(threshold.dice) for threshold in long_run.turns[0].bank_from]
    how = say(
        "By farkles in a row before the turn: how often that happens, what another farkle costs,"
        " how likely it is, and when to bank with {dice} dice left:",
        dice=and_text([", ".join(dice[:-1]), dice[-1]] if dice[1:] else dice),
    )
    rows = [(say("farkles"), say("turns"), say("cost"), say("risk"), *dice)]
    for turn in long_run.turns:
        share, risk = _chance(turn.share), _chance(turn.farkle_probability)
        cost, banks = figure(turn.farkle_cost, ",.2f"), map(starred_text, turn.bank_from)
        rows.append((str(turn.farkles), share, cost, risk, *banks))
    stars = star_lines(each for turn in long_run.turns for each in turn.bank_from)
    return [f"{penalty.sentence} {head} {how}", *columns(rows, right=range(4 + len(dice))), *stars]


def _trade_off_lines(answer: PointsAnswer) -> list[str]:
    """What a farkle might cost, and what that makes of the best turn; the command line alone."""
    rows = [("cost of a farkle", "farkle probability", "points without that cost")]
    rows += [
        (f"{turn.farkle_cost:,g}", f"{turn.farkle_probability:.6f}", f"{turn.points:,.6f}")
        for turn in answer.trade_offs
    ]
    return columns(rows, right=range(3))


def _cell_lines(answer: PointsAnswer) -> list[str]:
    """Turn totals down, dice across, what rolling gains in the cells; the command line alone."""
    dice = [tail.dice for tail in answer.tail]
    rows: dict[int, list[str]] = {}
    for cell in answer.cells:
        gain = f"{cell.gain:,.3f}" + ("B" if cell.bank else " ")
        rows.setdefault(cell.turn_total, []).append(gain if cell.possible else _CANNOT_OCCUR)
    table = [("", *(f"{number} " for number in dice))]
    table += [(f"{total:,}", *row) for total, row in rows.items() if set(row) != {_CANNOT_OCCUR}]
    return [
        "Expected further points of rolling, by turn total and dice:",
        "B: bank, else roll; ·: cannot occur",
        *columns(table, right=range(len(dice) + 1)),
        f"From a turn total t of {answer.tail_from:,} on:",
        *columns((dice_count(tail.dice), _line(tail)) for tail in answer.tail),
    ]


def _line(tail: TailGain) -> str:
    """The gain of rolling as a function of the turn total."""
    return f"{tail.gain:,.3f}" + (f" - {tail.slope:.6f} t" if tail.slope else "")


def _points(points: float) -> str:
    return figure(points, ",.3f")


def _chance(chance: float) -> str:
    """A sum of chances, which may be rounded a little."""
    return percent(round(chance, 12))


def komi_text(rules: Ruleset, komi: Komi) -> str:
    """The fair head start, with its neighbours and none at all."""
    shown = sorted({*komi.neighbours, komi.without}, key=lambda start: start.points)
    rows = [(say("head start"), say("first player wins"), "")]
    for start in shown:
        closest = say("closest to even") if start == komi.best else ""
        rows.append((_who(start), figure(start.win_probability, ".6f"), closest))
    lines = [_komi_head(rules, komi), *columns(rows, right={1})]
    if rules.has_opening:
        lines.append(say("A player with a head start is already on the board."))
    return wrap("\n".join(lines))


def komi_data(komi: Komi) -> dict[str, Any]:
    """A table of head starts as plain data, with all of them."""
    return {**asdict(komi), "neighbours": [asdict(start) for start in komi.neighbours]}


def _komi_head(rules: Ruleset, komi: Komi) -> str:
    points = komi.best.points
    sentence = say_later("{rules} rules are fairest without a head start.")
    if points > 0:
        sentence = say_later(
            "Under {rules} rules a head start of {points:,} points for the second player is"
            " fairest."
        )
    elif points < 0:
        sentence = say_later(
            "Under {rules} rules a head start of {points:,} points for the first player is fairest."
        )
    return say(sentence, rules=rules.name, points=abs(points))


def _who(start: HeadStart) -> str:
    if start.points > 0:
        return say("{points:,} for the second player", points=start.points)
    if start.points < 0:
        return say("{points:,} for the first player", points=-start.points)
    return say("none")
