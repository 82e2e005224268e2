"""Advice, odds and turn tables as people read them, and as plain data."""

from dataclasses import asdict, fields
from typing import Any

from bot.views.layout import columns, dice_count, dice_text, percent, wrap
from bot.views.sheet import Sheet, sheet
from bot.views.why import why_text
from solver.game.position import Position, in_play_off, points_to_beat, reachable_at
from solver.play.advice import Advice, Odds, Option, TurnCells
from solver.play.position_id import position_id
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.turn.scoring import Fate
from solver.wording import figure, say, say_later, say_number


def answer_data(answer: Advice | Odds) -> dict[str, Any]:
    """An answer with its own field names, and by what its position is opened again."""
    return {**bare_data(answer), "id": _id(answer)}


def bare_data(answer: Advice | Odds | TurnCells) -> dict[str, Any]:
    """An answer with its own field names."""
    return {**asdict(answer), "rules": answer.rules.name}


def advice_sheet(advice: Advice) -> Sheet:
    """The options, best first."""
    return sheet([one.name for one in fields(Option)], map(asdict, advice.options))


ACTIONS = {
    Decision.ROLL: say_later("roll"),
    Decision.BANK: say_later("bank"),
    Decision.WIN: say_later("win"),
}
"""What a decision is called, as `say` takes it."""


_TIES = {
    "earlier": say_later("ties, and they win, as they reached the goal first"),
    "shared": say_later("ties, half a win for each"),
    "played_on": say_later("ties, and a play-off follows"),
}
"""What a tie in the last turn means."""


def advice_text(advice: Advice) -> str:
    """The options, best first, with what each costs against the best."""
    best = advice.win_probability
    head = wrap(
        say(
            "{dice}: {position}, {rules} rules",
            dice=dice_text(advice.roll),
            position=position_text(advice.rules, advice.position),
            rules=advice.rules.name,
        )
    )
    if advice.fate is not Fate.SCORES:
        return _lines(head, _fate_text(advice), _id_text(advice))
    rows = []
    for option in advice.options:
        cost = best - option.win_probability
        rows.append(
            (
                say("keep {dice}", dice=dice_text(option.set_aside)),
                say("{points:,} points", points=option.points),
                say("turn {points:,}", points=option.turn_total),
                say("hot dice")
                if option.set_aside == advice.roll
                else dice_count(option.dice_left),
                say(ACTIONS[option.action]),
                percent(option.win_probability),
                cost_text(cost),
            )
        )
    return _lines(head, *columns(rows, right={1, 2, 5}), why_text(advice), _id_text(advice))


def odds_text(odds: Odds) -> str:
    """Roll or bank, and what each is worth."""
    rules, position = odds.rules, odds.position
    head = wrap(
        say_number(
            "{position}, {number} die to roll, {rules} rules",
            "{position}, {number} dice to roll, {rules} rules",
            position.dice,
            position=position_text(rules, position),
            rules=rules.name,
        )
    )
    roll = (say(ACTIONS[Decision.ROLL]), percent(odds.roll), _risks_text(odds))
    bank_name = say(ACTIONS[Decision.BANK])
    if odds.bank is None:
        why = no_bank_text(rules, position)
        return _lines(head, *columns([roll, (bank_name, "-", why)], right={1}), _id_text(odds))
    bank = (bank_name, percent(odds.bank), bank_text(rules, position))
    best, cost = cost_text(0), cost_text(abs(odds.bank - odds.roll))
    rows = [(*roll, cost), (*bank, best)]
    if odds.action == Decision.ROLL:
        rows = [(*roll, best), (*bank, cost)]
    else:
        rows.reverse()
    return _lines(head, *columns(rows, right={1}), why_text(odds), _id_text(odds))


def answer_text(answer: Advice | Odds) -> str:
    """Advice or odds."""
    return advice_text(answer) if isinstance(answer, Advice) else odds_text(answer)


def _id(answer: Advice | Odds) -> str | None:
    roll = answer.roll if isinstance(answer, Advice) else None
    return position_id(answer.rules, answer.position, roll)


def _id_text(answer: Advice | Odds) -> str:
    """By what the position is opened again."""
    found = _id(answer)
    return say("Position {id}", id=found) if found else ""


def _lines(*lines: str) -> str:
    """What is not empty, a line each."""
    return "\n".join(filter(None, lines))


def position_text(rules: Ruleset, position: Position) -> str:
    """Scores, turn total, farkles in a row and what else the rules make matter, in a few words."""
    parts = [
        say("you {score:,}, them {other:,}", score=position.banked, other=position.opponent),
        *_boards(rules, position),
        *_stage(rules, position),
    ]
    if position.turn_total:
        parts.append(turn_total_text(position.turn_total))
    if hot := _hot_dice(rules, position):
        parts.append(hot)
    if position.farkles:
        parts.append(farkles_in_a_row(position.farkles))
    if position.opponent_farkles:
        parts.append(
            say_number(
                "their {number} farkle in a row",
                "their {number} farkles in a row",
                position.opponent_farkles,
            )
        )
    return ", ".join(parts)


def scores_text(own: int, other: int) -> str:
    """One score and the other one."""
    return say("{score:,} to {other:,}", score=own, other=other)


def to_beat_text(points: int, *, play_off: bool) -> str:
    """A turn that must beat some points: the last one, or one of a play-off."""
    if play_off:
        return say("play-off with {points:,} to beat", points=points)
    return say("final turn with {points:,} to beat", points=points)


def turn_total_text(points: int) -> str:
    """The turn total of a turn under way."""
    return say("turn total {points:,}", points=points)


def _boards(rules: Ruleset, position: Position) -> list[str]:
    """Who is on the board, where the scores do not tell."""
    # a score that never falls tells it: who has no points has not banked before
    if not rules.has_opening or not (rules.farkle_penalty or rules.lose_everything):
        return []
    on_board, theirs = position.on_board, position.opponent_on_board
    own_tells, their_tells = position.banked > 0, position.opponent > 0
    if not (own_tells or their_tells or on_board or theirs):
        return [say("neither on the board")]
    told = []
    if not own_tells:
        told.append(say("on the board") if on_board else say("not on the board"))
    if not their_tells:
        told.append(say("them on the board") if theirs else say("them not on the board"))
    return told


def _stage(rules: Ruleset, position: Position) -> list[str]:
    """A final turn, a play-off or, where it matters, who began."""
    beat = points_to_beat(rules, position)
    if in_play_off(rules, position):
        if beat is None:
            return [say("play-off, you begin")]
        return [to_beat_text(beat, play_off=True) if beat else say("play-off, any points win")]
    if beat is not None:
        return [to_beat_text(beat, play_off=False)]
    if rules.has_roles:
        return [say("you began") if position.began else say("they began")]
    return []


def _hot_dice(rules: Ruleset, position: Position) -> str:
    """Hot dice so far, where their bonus changes and the turn total does not tell."""
    possible = reachable_at(rules, position.turn_total)[:, position.dice - 1]
    level = min(position.hot_dice, len(possible) - 1)
    if possible[level] and possible.sum() == 1:
        return ""
    if level == len(possible) - 1 > 0:
        return say("after {number} or more hot dice", number=level)
    return say("after {number} hot dice", number=level)


def _fate_text(advice: Advice) -> str:
    """What a roll means that leaves no choice."""
    left = say("Win probability left: {chance}", chance=percent(advice.win_probability))
    if advice.fate is Fate.WINS:
        return say("This roll wins the game.")
    if advice.fate is Fate.LOSES:
        # after the other player has reached the goal there is no turn to make up for it
        if advice.position.opponent >= advice.rules.winning_score:
            return say("This roll loses the game.")
        met = say("This roll loses everything.")
    elif advice.keeps_turn_total:
        met = say(
            "Farkle, nothing scores; {points:,} points are banked.",
            points=advice.position.turn_total,
        )
    else:
        met = say("Farkle, nothing scores.")
    return f"{met} {left}"


def _risks_text(odds: Odds) -> str:
    """Chances of the rolls that end the turn."""
    risks = [say("farkle chance {chance}", chance=percent(odds.farkle_probability))]
    if odds.instant_win_probability:
        risks.append(say("wins {chance}", chance=percent(odds.instant_win_probability)))
    if odds.lose_everything_probability:
        risks.append(say("loses all {chance}", chance=percent(odds.lose_everything_probability)))
    return ", ".join(risks)


def no_bank_text(rules: Ruleset, position: Position) -> str:
    """Why the turn total may not be banked."""
    if not position.turn_total:
        return say("nothing to bank yet")
    least = _least_bank(rules, position)
    if position.turn_total >= least:
        return say("hot dice must be rolled")
    if not position.on_board and least == rules.opening_minimum > rules.minimum_bank:
        return say("not enough to bank, {least:,} to get on the board", least=least)
    return say("not enough to bank, at least {least:,}", least=least)


def _least_bank(rules: Ruleset, position: Position) -> int:
    """Least turn total that may be banked in a position."""
    if position.opponent >= rules.winning_score:
        return rules.least_bank(on_board=position.on_board, wins=True)
    return rules.least_bank_at(position.banked, on_board=position.on_board)


def bank_text(rules: Ruleset, position: Position) -> str:
    """What banking the turn total leads to."""
    beat = points_to_beat(rules, position)
    if beat is not None:
        ahead = position.turn_total - beat
        if ahead == 0:
            return say(_TIES[rules.ties])
        return say("wins the game") if ahead > 0 else say("loses the game")
    if in_play_off(rules, position):
        return say("gives them one turn to beat it")
    total = position.banked + position.turn_total
    if total < rules.winning_score:
        return scores_text(total, position.opponent)
    if not rules.goal_ends_game(last_of_round=not position.began):
        return say(
            "{score:,} to {other:,}, gives them one final turn",
            score=total,
            other=position.opponent,
        )
    return say("wins the game")


def farkles_in_a_row(number: int) -> str:
    """A number of farkles in words."""
    return say_number("{number} farkle in a row", "{number} farkles in a row", number)


def cost_text(difference: float) -> str:
    """What a choice costs against the best, in percentage points."""
    if difference == 0:
        return say("best")
    if difference < 0.00005:
        return f"-< {figure(0.01, '.2f')}"
    return f"-{figure(difference * 100, '.2f')}"
