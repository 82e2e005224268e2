"""Why it is best to bank, or to roll, in one sentence, and how a turn ends after a choice."""

from collections import defaultdict
from dataclasses import dataclass, replace

from bot.views.layout import dice_count, percent, wrap
from solver.game.position import Position, points_to_beat, rules_at
from solver.play.advice import Advice, Odds, Reason, Why
from solver.play.maps import ones_twos_fives
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.turn.memory import confirm_text
from solver.turn.points import TurnEnds
from solver.wording import figure, say, say_later

_REASONS = {
    (Reason.WINS, False): say_later("Why bank: it wins the game."),
    (Reason.THEIR_LAST_TURN, False): say_later(
        "Why bank: they get one last turn, and win {chance} of the time."
    ),
    (Reason.THEIR_LAST_TURN, True): say_later(
        "Why roll: if you bank, they get one last turn and win {chance} of the time."
    ),
    (Reason.CAUGHT, False): say_later(
        "Why bank: that catches them up, and they fall back; if they did not, you would roll."
    ),
    (Reason.LEFT, False): say_later(
        "Why bank: a farkle would leave them more; if nothing could be taken over, you would roll."
    ),
    (Reason.LEFT, True): say_later(
        "Why roll: a bank would leave them {bank:,} points and {dice} to go on with; if nothing"
        " could be taken over, you would bank."
    ),
    (Reason.POINTS, False): say_later(
        "Why bank: banking gives you {bank:,} points, rolling on {roll:,.0f} on average."
    ),
    (Reason.POINTS, True): say_later(
        "Why roll: rolling on gives you {roll:,.0f} points on average, banking {bank:,}."
    ),
    (Reason.NEED, True): say_later(
        "Why roll: they have {theirs:,} of {goal:,}, so you need more points now; if they had"
        " none, you would bank."
    ),
    (Reason.LEAD, False): say_later(
        "Why bank: you lead by {lead:,}, so there is no need for the risk; if the scores were"
        " equal, you would roll."
    ),
    (Reason.LEAD, True): say_later(
        "Why roll: banking brings more points ({bank:,}, rolling on {roll:,.0f} on average), but"
        " with your lead of {lead:,} rolling wins more often; if the scores were equal, you would"
        " bank."
    ),
    (Reason.BEHIND, False): say_later(
        "Why bank: rolling on brings more points ({roll:,.0f} on average, banking {bank:,}), but"
        " as you are {behind:,} behind banking wins more often; if the scores were equal, you"
        " would roll."
    ),
    (Reason.BEHIND, True): say_later(
        "Why roll: you are {behind:,} behind, so you need more points now; if the scores were"
        " equal, you would bank."
    ),
    (Reason.THEIR_SCORE, False): say_later(
        "Why bank: they have {theirs:,} of {goal:,}; if they had no more points than you, you"
        " would roll."
    ),
    (Reason.GOAL, False): say_later(
        "Why bank: after that you need only {missing:,} more points to the goal; farther away"
        " you would roll."
    ),
    (Reason.GOAL, True): say_later(
        "Why roll: the goal is near, a bank would leave you {missing:,} points short of it;"
        " farther away you would bank."
    ),
    (Reason.TOGETHER, False): say_later(
        "Why bank: rolling on brings more points ({roll:,.0f} on average, banking {bank:,}),"
        " but banking wins more often."
    ),
    (Reason.TOGETHER, True): say_later(
        "Why roll: banking brings more points ({bank:,}, rolling on {roll:,.0f} on average),"
        " but rolling wins more often."
    ),
}
"""By the reason and whether it is best to roll."""

_BELOW, _TIE = range(2)
_LAST = {
    (_BELOW, False): say_later("Why bank: the game is lost either way."),
    (_BELOW, True): say_later(
        "Why roll: this is your last turn, and {bank:,} points do not beat {to_beat:,}."
    ),
    (_TIE, False): say_later(
        "Why bank: this is your last turn, and a tie is better than the risk of rolling on."
    ),
    (_TIE, True): say_later(
        "Why roll: this is your last turn, and {bank:,} points would only be a tie."
    ),
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
        return wrap(_no_choice_text(answer, found))
    sentence = _reason_text(answer.rules, answer.position, found)
    if isinstance(answer, Odds):
        return wrap(sentence)
    return wrap(f"{sentence} {_other_text(found)}")


def _reason_text(rules: Ruleset, position: Position, found: Why) -> str:
    rolls = found.action is Decision.ROLL
    parts = {
        "bank": found.turn_total,
        "dice": dice_count(found.dice),
        "roll": found.points_of_rolling,
        "chance": percent(1 - (found.bank or 0.0)),
        "theirs": position.opponent,
        "goal": rules.goal,
        "lead": position.banked - position.opponent,
        "behind": position.opponent - position.banked,
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
        cost = say("your whole score")
    if rules.spares_farkles:
        return say(
            "Why bank: a farkle of all dice may cost {cost}; without that penalty you would roll.",
            cost=cost,
        )
    if number == limit:
        return say(
            "Why bank: your next farkle costs {cost}; without that penalty you would roll.",
            cost=cost,
        )
    return say(
        "Why bank: a farkle now would be your number {number} in a row, and number {limit}"
        " costs {cost}; without that penalty you would roll.",
        number=number,
        limit=limit,
        cost=cost,
    )


def _other_text(found: Why) -> str:
    """What the other choice is worth, and the chance of a farkle."""
    dice, chance = dice_count(found.dice), percent(found.farkle_probability)
    if found.action is Decision.ROLL:
        return say(
            "Banking instead wins {value}; the farkle chance with {dice} is {chance}.",
            value=percent(found.bank or 0.0),
            dice=dice,
            chance=chance,
        )
    return say(
        "Rolling {dice} instead wins {value}; the farkle chance is {chance}.",
        value=percent(found.roll),
        dice=dice,
        chance=chance,
    )


def _no_choice_text(answer: Advice | Odds, found: Why) -> str:
    before = answer.position
    turn = answer.after(answer.options[0]) if isinstance(answer, Advice) else before.turn
    position = replace(before, turn=replace(turn, turn_total=found.turn_total))
    if 0 < rules_at(answer.rules, before).throws == turn.throws:
        if found.bank is not None:
            return say("Why bank: that was the last throw of the turn.")
        return say(
            "Why that is lost: it was the last throw of the turn, and {reason}.",
            reason=no_bank_text(answer.rules, position),
        )
    return say(
        "Why roll: {reason}; the farkle chance with {dice} is {chance}.",
        reason=no_bank_text(answer.rules, position),
        dice=dice_count(found.dice),
        chance=percent(found.farkle_probability),
    )


def _why_not_with_enough(rules: Ruleset, position: Position) -> str:
    """Why a turn total may not be banked that is enough for it."""
    score = position.banked + position.turn_total
    if rules.goes_beyond(score):
        return say("{score:,} points would be more than the goal", score=score)
    if position.opponent < rules.winning_score and rules.is_barred(score):
        return say("no bank may leave a score of {score:,}", score=score)
    if position.turn.to_confirm:
        return confirm_text(rules, position.turn)
    if rules.bank_dice_left < rules.dice - 1:
        return say("with the dice that are left you may not bank")
    return say("hot dice must be rolled again")


def no_bank_text(rules: Ruleset, position: Position) -> str:
    """Why the turn total may not be banked."""
    points, on_board = position.turn_total, position.on_board
    if not points:
        return say("nothing to bank yet")
    if position.opponent >= rules.winning_score:
        least = rules.least_bank(on_board=on_board, wins=True)
    else:
        least = rules.least_bank_at(position.banked, on_board=on_board)
    if points <= position.to_beat:
        return say(
            "{points:,} does not beat the {others:,} of the turn before",
            points=points,
            others=position.to_beat,
        )
    if points >= least:
        return _why_not_with_enough(rules, position)
    if not on_board and least == rules.opening_minimum > rules.minimum_bank:
        return say(
            "{points:,} is below {least:,}, the minimum for a first bank",
            points=points,
            least=least,
        )
    return say("{points:,} is below the minimum of {least:,}", points=points, least=least)


_MOST_BARS = 8
_RARE = 0.005
"""A chance below which points have no bar of their own."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram."""

    label: str
    chance: float
    is_farkle: bool = False


def ends_text(ends: TurnEnds) -> str:
    """The chance of a farkle, and what the turn brings on average."""
    return say(
        "farkle {chance}, {points:,.0f} points on average",
        chance=percent(ends.farkle),
        points=ends.points,
    )


def ends_bars(ends: TurnEnds) -> list[Bar]:
    """How a turn ends as a few bars: a farkle, then points banked, in steps of round numbers."""
    bars = [Bar(say("farkle"), ends.farkle, is_farkle=True)] if ends.farkle else []
    if ends.out:
        bars.append(Bar(say("loses the game"), ends.out, is_farkle=True))
    if ends.loses:
        bars.append(Bar(say("loses everything"), ends.loses, is_farkle=True))
    likely = [points for points, chance in ends.banked if chance > _RARE]
    if likely:
        step = _step(likely[0], likely[-1])
        grouped: defaultdict[int, float] = defaultdict(float)
        for points, chance in ends.banked:
            grouped[min(points, likely[-1]) // step] += chance
        last = max(grouped)
        for low, chance in sorted(grouped.items()):
            first = max(low * step, likely[0]) if low == likely[0] // step else low * step
            bars.append(Bar(_range(first, (low + 1) * step - 1, is_last=low == last), chance))
    return bars + ([Bar(say("wins the game"), ends.wins)] if ends.wins else [])


def _step(least: int, most: int) -> int:
    """Points in a bar: 1, 2 or 5 times a power of ten, so that there are not too many bars."""
    return next(step for step in ones_twos_fives() if most // step - least // step < _MOST_BARS)


def _range(first: int, last: int, *, is_last: bool) -> str:
    return say("from {points:,}", points=first) if is_last else f"{figure(first)}–{figure(last)}"
