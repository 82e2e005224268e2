"""Why it is best to bank, or to roll, in one sentence, and what the other choice is worth."""

from bot.views.layout import dice_count, percent, wrap
from solver.game.position import Position, points_to_beat
from solver.play.advice import Advice, Odds
from solver.play.reasons import Reason, Why
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.wording import say, say_later

_REASONS = {
    (Reason.WINS, False): say_later("Why bank: it wins the game."),
    (Reason.THEIR_LAST_TURN, False): say_later(
        "Why bank: it leaves them one turn, and a chance of {chance}."
    ),
    (Reason.THEIR_LAST_TURN, True): say_later(
        "Why roll: a bank would leave them one turn, and a chance of {chance}."
    ),
    (Reason.POINTS, False): say_later(
        "Why bank: the plain balance of points, {bank:,} in hand against {roll:,.0f} on average"
        " by rolling on."
    ),
    (Reason.POINTS, True): say_later(
        "Why roll: the plain balance of points, {roll:,.0f} on average by rolling on against"
        " {bank:,} in hand."
    ),
    (Reason.NEED, True): say_later(
        "Why roll: you need the points, as they have {theirs:,} of {goal:,}; against an opponent"
        " without points you would bank."
    ),
    (Reason.LEAD, False): say_later(
        "Why bank: you lead by {lead:,} and need not dare more; at equal scores you would roll."
    ),
    (Reason.THEIR_SCORE, False): say_later(
        "Why bank: they have {theirs:,} of {goal:,}; if they had only as many points as you, you"
        " would roll."
    ),
    (Reason.GOAL, False): say_later(
        "Why bank: the goal is near, {missing:,} points are missing after it; far from the goal"
        " you would roll."
    ),
    (Reason.GOAL, True): say_later(
        "Why roll: the goal is near, {missing:,} points are missing after a bank; far from the"
        " goal you would bank."
    ),
    (Reason.TOGETHER, False): say_later(
        "Why bank: no single thing decides; in points alone you would roll, {roll:,.0f} on"
        " average against {bank:,} in hand."
    ),
    (Reason.TOGETHER, True): say_later(
        "Why roll: no single thing decides; in points alone you would bank, {bank:,} in hand"
        " against {roll:,.0f} on average."
    ),
}
"""By the reason and whether it is best to roll."""

_BELOW, _TIE = range(2)
_LAST = {
    (_BELOW, False): say_later("Why bank: neither choice wins any more."),
    (_BELOW, True): say_later(
        "Why roll: it is the last turn, and {bank:,} points do not beat {to_beat:,}."
    ),
    (_TIE, False): say_later(
        "Why bank: it is the last turn, and a tie is worth more than the risk of rolling."
    ),
    (_TIE, True): say_later("Why roll: it is the last turn, and {bank:,} points are only a tie."),
}
"""In the last turn, by what banking would come to and whether it is best to roll."""


def why_text(answer: Advice | Odds) -> str:
    """What decides between bank and roll, "" where there is nothing to decide.

    After the sentence on advice comes what the other choice is worth, which odds show anyway.
    """
    found = answer.why
    if found is None or (isinstance(answer, Odds) and found.reason is Reason.NO_CHOICE):
        return ""
    if found.reason is Reason.NO_CHOICE:
        return wrap(_no_choice_text(found))
    sentence = _reason_text(answer.rules, answer.position, found)
    if isinstance(answer, Odds):
        return wrap(sentence)
    return wrap(f"{sentence} {_other_text(found)}")


def _reason_text(rules: Ruleset, position: Position, found: Why) -> str:
    rolls = found.action is Decision.ROLL
    parts = {
        "bank": found.turn_total,
        "roll": found.points_of_rolling,
        "chance": percent(1 - (found.bank or 0.0)),
        "theirs": position.opponent,
        "goal": rules.goal,
        "lead": position.banked - position.opponent,
        "missing": rules.winning_score - position.banked - found.turn_total,
    }
    if found.reason is Reason.FARKLES:
        return _farkles_text(rules, position)
    if found.reason is Reason.LAST_TURN:
        to_beat = points_to_beat(rules, position) or 0
        stands = _TIE if found.turn_total == to_beat else _BELOW
        return say(_LAST[stands, rolls], to_beat=to_beat, **parts)
    return say(_REASONS[found.reason, rolls], **parts)


def _farkles_text(rules: Ruleset, position: Position) -> str:
    """What a farkle would cost, or bring the player nearer to."""
    number, limit = position.farkles + 1, rules.farkle_limit
    if rules.penalty_points:
        cost = say("{points:,} points", points=rules.penalty_points)
    else:
        cost = say("the whole score")
    if number == limit:
        return say(
            "Why bank: the next farkle costs {cost}; without that you would roll.", cost=cost
        )
    return say(
        "Why bank: a farkle would be number {number} in a row, and number {limit} costs {cost}; if"
        " they did not count you would roll.",
        number=number,
        limit=limit,
        cost=cost,
    )


def _other_text(found: Why) -> str:
    """What the other choice is worth, and the chance of a farkle."""
    dice, chance = dice_count(found.dice), percent(found.farkle_probability)
    if found.action is Decision.ROLL:
        return say(
            "A bank there: {value}; farkle chance of {dice}: {chance}.",
            value=percent(found.bank or 0.0),
            dice=dice,
            chance=chance,
        )
    return say(
        "A roll of {dice} there: {value}; its farkle chance: {chance}.",
        value=percent(found.roll),
        dice=dice,
        chance=chance,
    )


def _no_choice_text(found: Why) -> str:
    return say(
        "Why roll: that may not be banked; farkle chance of {dice}: {chance}.",
        dice=dice_count(found.dice),
        chance=percent(found.farkle_probability),
    )
