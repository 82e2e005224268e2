"""Advice and odds as people read them: what is best, why, and how a turn ends after a choice."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bot.layout import columns, cost_in_words, dice_count, percent, wrap
from solver.game.many_best import last_turns
from solver.game.position import (
    Position,
    impossible_turn,
    in_play_off,
    points_to_beat,
    possible_hot_dice,
    rules_at,
)
from solver.game.standings import after_turn, other_after
from solver.play.advice import Advice, Odds, Option, Reason, Why, position_id
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, TurnState, dice_text
from solver.turn.equations import EVEN, Decision
from solver.turn.memory import confirm_text, held_text
from solver.turn.points import TurnEnds
from solver.wording import and_text, figure, say, say_later, say_number

if TYPE_CHECKING:
    from bot.services.loaded import LoadedDice


ACTIONS = {
    Decision.ROLL: say_later("roll"),
    Decision.BANK: say_later("bank"),
    Decision.WIN: say_later("win"),
    Decision.TAKE_OVER: say_later("take over"),
    Decision.LOST: say_later("lost"),
}
"""What a decision is called, as `say` takes it."""


MOST_USES = 5
"""Uses of a badge on a roll that are listed."""

_TIES = {
    "earlier": say_later("a tie, which they win: they reached the goal first"),
    "shared": say_later("a tie, half a win for each"),
    "played_on": say_later("a tie, then a play-off"),
}
"""What a tie in the last turn means."""


def advice_text(advice: Advice) -> str:
    """The options, best first, with what each costs against the best."""
    within, dice = advice.within, advice.brought
    lines = [wrap(advice_head(advice)), *brought_lines(dice)]
    if advice.fate is not Fate.SCORES:
        lines.append(wrap(fate_text(advice)))
    rows = [
        (
            option.win_probability,
            (
                say("keep {dice}", dice=set_aside_text(advice, option)),
                say("{points:,} points", points=option.points)
                if option.points
                else say("for a straight"),
                say("turn {points:,}", points=option.turn_total),
                say("hot dice") if option.set_aside == advice.roll else left_text(advice, option),
                _action_text(option),
            ),
        )
        for option in advice.options
    ]
    rows += [(value, (choice, "", "", "", "")) for value, choice in badge_choices(advice)]
    rows.sort(key=lambda row: -row[0])
    table = [
        (*row, percent(value, within), cost_text(advice.best - value, within))
        for value, row in rows
    ]
    lines += columns(table, right={1, 2, 5}, spare=(2, 1, 3))
    lines += endings_lines(advice)
    return _lines(*lines, reason_text(advice), *about(advice), *doubt_lines(dice))


def badge_choices(advice: Advice) -> list[tuple[float, str]]:
    """Return what the badge allows on a roll, and where nothing scores to keep it, with values."""
    if not advice.uses:
        return []
    from bot.views.named_dice import use_text  # noqa: PLC0415 - 56 ms, of own dice

    keeps = [] if advice.options else [(advice.win_probability, say("keep your badge"))]
    return keeps + [
        (use.win_probability, use_text(advice.brought, use, advice.roll))
        for use in advice.uses[:MOST_USES]
    ]


def advice_head(advice: Advice) -> str:
    """The roll, the position and the rules."""
    dice: LoadedDice | None = advice.brought
    parts = {
        "dice": roll_text(advice),
        "position": position_text(advice.rules, advice.position, named=bool(dice)),
        "rules": advice.rules.name,
    }
    if dice:
        return say("{dice}: {position}, {rules} rules to {goal:,}", goal=dice.rules.goal, **parts)
    return say("{dice}: {position}, {rules} rules", **parts)


def endings_lines(advice: Advice) -> list[str]:
    """How the turn ends after each option, where that was asked for."""
    endings = [(option, option.ends) for option in advice.options if option.ends]
    if not endings:
        return []
    rules = advice.rules
    rows = [(set_aside_text(advice, option), ends_text(rules, ends)) for option, ends in endings]
    return [say("How the turn ends:"), *columns(rows)]


def ends_text(rules: Ruleset, ends: TurnEnds) -> str:
    """The chance of a farkle that loses the turn total, and what the turn brings on average."""
    chance, points = percent(ends.farkle), round(ends.points)  # and never -0
    sentence = say_later("farkle {chance}, {points:,.0f} points on average")
    if rules.farkle_keeps_turn_total:
        sentence = say_later("farkle that loses it all {chance}, {points:,.0f} points on average")
    return say(sentence, chance=chance, points=points)


def roll_text(advice: Advice) -> str:
    """The roll as it may be typed again; of named dice it may be of any of the set."""
    dice: LoadedDice | None = advice.brought
    if dice is None:
        return dice_text(advice.roll)
    return dice.kit.roll_text(advice.roll, dice.mine.dice_set.whole)


def set_aside_text(advice: Advice, option: Option) -> str:
    """The dice that an option keeps, by name where that matters."""
    dice: LoadedDice | None = advice.brought
    if dice is None and option.freed:
        kept, freed = dice_text(option.set_aside), dice_text(option.freed)
        return say("{dice}, rolling {others} again", dice=kept, others=freed)
    if dice is None:
        return dice_text(option.set_aside)
    return dice.kit.set_aside_text(advice.roll, option.set_aside)


def left_text(advice: Advice, option: Option) -> str:
    """The dice that an option leaves to roll: how many, or which where they have names."""
    dice: LoadedDice | None = advice.brought
    return dice.mine.left(option.dice_left).text if dice else dice_count(option.dice_left)


def _action_text(option: Option) -> str:
    action = say(ACTIONS[option.action])
    return say("{action} with the badge", action=action) if option.with_badge else action


def brought_lines(dice: "LoadedDice | None") -> list[str]:
    """What players bring, where they do."""
    if dice is None:
        return []
    from bot.views.named_dice import badge_lines  # noqa: PLC0415 - 56 ms, of own dice

    return [sets_text(dice), *badge_lines(dice.badges)]


def sets_text(dice: "LoadedDice") -> str:
    """The dice of all players."""
    message = say_later("Your dice {mine}, theirs {theirs}.")
    if not dice.of_two:
        message = say_later("Your dice {mine}, those of the others {theirs}.")
    theirs = " / ".join(other.text for other in dice.others)
    return wrap(say(message, mine=dice.mine.text, theirs=theirs))


def doubt_lines(dice: "LoadedDice | None") -> list[str]:
    """What is taken for granted of the dice that players bring."""
    if dice is None:
        return []
    from bot.views.named_dice import doubts  # noqa: PLC0415 - 56 ms, of own dice

    thrown = [die for dice_set in dice.sets for die in dice_set.dice]
    return [wrap(sentence) for sentence in doubts(thrown, joker_alone=dice.joker_alone)]


def reason_text(answer: Advice | Odds) -> str:
    """Why the best choice is best; of several players what the others have, and how sure it is."""
    if len(answer.chances) == 2:
        return why_text(answer)
    chances = [percent(answer.chances[k], answer.within) for k in answer.position.in_order[1:]]
    text = say("The others would then win {chances} of the time.", chances=and_text(chances))
    if answer.within is not None:
        text += " " + say(
            "These chances are estimates, good to about ±{points}: choices closer than that may"
            " be equally good.",
            points=cost_in_words(answer.within, answer.within),
        )
    return wrap(text)


_REASONS = {
    (Reason.WINS, False): say_later("Why bank: it wins the game."),
    **dict.fromkeys(
        [(Reason.EVEN, False), (Reason.EVEN, True)],
        say_later("Banking and rolling on win equally often."),
    ),
    (Reason.BEYOND, False): say_later(
        "Why bank: that goes beyond the goal of exactly {goal:,}, but rolling on wins less often."
    ),
    (Reason.BEYOND, True): say_later(
        "Why roll: a bank would go beyond the goal of exactly {goal:,}, and rolling on wins more"
        " often."
    ),
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
"""The sentences on a choice, by the reason and whether it is best to roll."""

_AS_MUCH = {
    False: say_later(
        "Why bank: both bring {bank:,} points on average, but banking wins more often."
    ),
    True: say_later(
        "Why roll: both bring {bank:,} points on average, but rolling wins more often."
    ),
}
"""The sentences on a choice that nothing decides by itself, where points are told alike."""

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
"""The sentences of a last turn, by what a bank would come to and whether it is best to roll."""


def why_text(answer: Advice | Odds) -> str:
    """What decides between bank and roll, "" where there is nothing to decide.

    After the sentence on advice comes what the other choice is worth, which odds show anyway.
    """
    why = answer.why
    if why is None or (isinstance(answer, Odds) and why.reason is Reason.NO_CHOICE):
        return ""
    if why.reason is Reason.NO_CHOICE:
        return wrap(_no_choice_text(answer, why))
    sentence = _reason_text(answer.rules, answer.position, why)
    if isinstance(answer, Odds):
        return wrap(sentence)
    return wrap(f"{sentence} {_other_text(why)}")


def _reason_text(rules: Ruleset, position: Position, why: Why) -> str:
    rolls = why.action is Decision.ROLL
    parts = {
        "bank": why.turn_total,
        "dice": dice_count(why.dice),
        "roll": why.points_of_rolling,
        "chance": percent(1 - (why.bank or 0.0)),
        "theirs": position.opponent,
        "goal": rules.goal,
        "lead": position.banked - position.opponent,
        "behind": position.opponent - position.banked,
        "missing": rules.winning_score - position.banked - why.turn_total,
    }
    if why.reason is Reason.FARKLES:
        return _farkles_text(rules, position)
    if why.reason is Reason.LAST_TURN:
        to_beat = points_to_beat(rules, position) or 0
        stands = _TIE if why.turn_total == to_beat else _BELOW
        return say(_LAST[stands, rolls], to_beat=to_beat, **parts)
    if why.reason is Reason.TOGETHER and round(why.points_of_rolling) == why.turn_total:
        return say(_AS_MUCH[rolls], **parts)
    return say(_REASONS[why.reason, rolls], **parts)


def _farkles_text(rules: Ruleset, position: Position) -> str:
    """What a farkle would cost, or bring the player nearer to."""
    number, limit, cost = position.farkles + 1, rules.farkle_limit, say("your whole score")
    if rules.penalty_points:
        cost = say("{points:,} points", points=rules.penalty_points)
    sentence = say_later(
        "Why bank: a farkle now would be your number {number} in a row, and number {limit}"
        " costs {cost}; without that penalty you would roll."
    )
    if rules.spares_farkles:
        sentence = say_later(
            "Why bank: a farkle of all dice may cost {cost}; without that penalty you would roll."
        )
    elif number == 1 < limit:
        sentence = say_later(
            "Why bank: a farkle now would be your first, and number {limit} in a row costs {cost};"
            " without that penalty you would roll."
        )
    elif number == limit:
        sentence = say_later(
            "Why bank: your next farkle costs {cost}; without that penalty you would roll."
        )
    return say(sentence, number=number, limit=limit, cost=cost)


def _other_text(why: Why) -> str:
    """What the other choice is worth, and the chance of a farkle."""
    sentence = say_later("Rolling {dice} instead wins {value}; the farkle chance is {chance}.")
    if banks := why.action is Decision.ROLL:
        sentence = say_later(
            "Banking instead wins {value}; the farkle chance with {dice} is {chance}."
        )
    value = percent((why.bank or 0.0) if banks else why.roll)
    dice, chance = dice_count(why.dice), percent(why.farkle_probability)
    return say(sentence, value=value, dice=dice, chance=chance)


def _no_choice_text(answer: Advice | Odds, why: Why) -> str:
    before = answer.position
    turn = answer.after(answer.options[0]) if isinstance(answer, Advice) else before.turn
    position = replace(before, turn=replace(turn, turn_total=why.turn_total))
    sentence = say_later("Why roll: {reason}; the farkle chance with {dice} is {chance}.")
    if 0 < rules_at(answer.rules, before).throws == turn.throws:
        sentence = say_later("Why that is lost: it was the last throw of the turn, and {reason}.")
        if why.bank is not None:
            sentence = say_later("Why bank: that was the last throw of the turn.")
    dice, chance = dice_count(why.dice), percent(why.farkle_probability)
    return say(sentence, reason=no_bank_text(answer.rules, position), dice=dice, chance=chance)


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
    least = rules.least_bank_at(position.banked, on_board=on_board)
    sentence = say_later("{points:,} is below the minimum of {least:,}")
    if points <= position.to_beat:
        sentence = say_later("{points:,} does not beat the {others:,} of the turn before")
    elif points >= least:
        return _why_not_with_enough(rules, position)
    elif not on_board and least == rules.opening_minimum > rules.minimum_bank:
        sentence = say_later("{points:,} is below {least:,}, the minimum for a first bank")
    return say(sentence, points=points, least=least, others=position.to_beat)


def odds_text(odds: Odds, *, alone: bool = True) -> str:
    """Roll or bank, what each is worth, and why; if not `alone` without what advice has said."""
    dice: LoadedDice | None = odds.brought
    if dice is None and alone:
        return _lines(odds_table(odds), reason_text(odds), *about(odds))
    # with the same dice of all, of several players both say the same
    reason = reason_text(odds) if dice or len(odds.chances) == 2 else ""
    notes = about(odds) if alone or (dice is None and len(odds.chances) == 2) else []
    doubt = doubt_lines(dice) if alone else []
    return _lines(odds_table(odds, alone=alone), reason, *notes, *doubt)


def odds_table(odds: Odds, *, alone: bool = True) -> str:
    """Roll or bank, and what each is worth; if not `alone` without what players bring."""
    rules, position, within, dice = odds.rules, odds.position, odds.within, odds.brought
    parts = {"position": position_text(rules, position, named=bool(dice)), "rules": rules.name}
    if dice:
        head = say(
            "{position}, {dice} to roll, {rules} rules to {goal:,}",
            dice=dice.mine.left(position.dice).text,
            goal=dice.rules.goal,
            **parts,
        )
    else:
        head = say_number(
            "{position}, {number} [die|dice] to roll, {rules} rules", position.dice, **parts
        )
    # what the badge allows comes first: of the rows the bank may be barred without it
    lines = [wrap(head), *(brought_lines(dice) if alone else []), *use_lines(odds)]
    rows = []
    for choice in odds_choices(odds):
        chance = "-" if choice.value is None else percent(choice.value, within)
        rows.append(list(filter(None, [choice.name, chance, choice.about, choice.cost])))
    spare = (2,) if len(rows[0]) > 3 else ()
    return _lines(*lines, *columns(rows, right={1}, spare=spare), leaving_text(odds))


class OddsChoice(NamedTuple):
    """What may be done before a roll, and what comes of it."""

    action: Decision
    name: str
    about: str
    value: float | None
    """How often it wins; None where it is not allowed."""
    cost: str = ""
    """What it costs against the best; empty where there is nothing else to do."""


def odds_choices(odds: Odds) -> list[OddsChoice]:
    """What may be done before a roll, best first: roll or bank, begin afresh or take over."""
    rules, position = odds.rules, odds.position
    value = odds.take_over
    if value is not None and (offered := position.offered):
        parts = {"points": offered.turn_total, "dice": dice_count(offered.dice)}
        roll = OddsChoice(Decision.ROLL, say("begin afresh"), "", odds.roll)
        name = say("take over {points:,} and {dice}", **parts)
        other = OddsChoice(Decision.TAKE_OVER, name, "", value)
    else:
        roll = OddsChoice(Decision.ROLL, say(ACTIONS[Decision.ROLL]), _risks_text(odds), odds.roll)
        other = OddsChoice(Decision.BANK, say(ACTIONS[Decision.BANK]), "", odds.bank)
        value = odds.bank
        if value is None:
            return [roll, other._replace(about=no_bank_text(rules, position))]
        other = other._replace(about=bank_text(rules, position))
    # what a badge makes of either is told apart
    rolls = value < odds.roll if odds.use else odds.action is Decision.ROLL
    first, second = (roll, other) if rolls else (other, roll)
    cost = cost_text(abs(value - odds.roll), odds.within)
    return [first._replace(cost=cost_text(0)), second._replace(cost=cost)]


def leaving_text(odds: Odds) -> str:
    """What a bank costs as the next player may go on with what it leaves."""
    if odds.leaving is None or odds.bank is None:
        return ""
    dice = dice_count(odds.position.dice)
    if odds.leaving <= EVEN:
        return wrap(say("A bank leaves them {dice}, which they had better not take.", dice=dice))
    sentence = say_later("A bank leaves them {dice} to go on with, which costs you {cost}.")
    return wrap(say(sentence, dice=dice, cost=cost_in_words(odds.leaving)))


def use_lines(odds: Odds) -> list[str]:
    """What the badge allows before a roll, against not using it."""
    if (use := odds.use) is None:
        return []
    from bot.views.named_dice import use_text  # noqa: PLC0415 - 56 ms, of own dice

    said = {
        "what": use_text(odds.brought, use),
        "value": percent(use.win_probability),
        "other": percent(use.without),
    }
    if use.win_probability > use.without:
        return [wrap(say("Use your badge: {what} {value}, without it {other}.", **said))]
    return [wrap(say("Keep your badge: {what} {value}, without it {other}.", **said))]


def answer_text(answer: Advice | Odds) -> str:
    """Advice or odds."""
    return advice_text(answer) if isinstance(answer, Advice) else odds_text(answer)


def opened_by(answer: Advice | Odds) -> str | None:
    """What opens a position of two players again."""
    if len(answer.chances) > 2 or answer.brought:
        return None
    roll = answer.roll if isinstance(answer, Advice) else None
    return position_id(answer.rules, answer.position, roll)


def about(answer: Advice | Odds) -> list[str]:
    """What goes for the position itself: that no rolls lead to it, and by what it is opened."""
    return [reachable_text(answer), id_text(answer)]


def reachable_text(answer: Advice | Odds) -> str:
    """A note that no rolls lead to a position; "" where some do."""
    if answer.reachable:
        return ""
    if answer.brought:
        sentence = say_later("these dice cannot be left at a turn total of {turn_total:,}")
        reason = say(sentence, turn_total=answer.position.turn_total)
    else:
        reason = impossible_turn(answer.rules, answer.position.turn)
    return wrap(say("Note: {reason}; this is what it would be worth.", reason=reason))


def id_text(answer: Advice | Odds) -> str:
    """The line with the ID that opens the position again, "" where it has none."""
    code = opened_by(answer)
    return say("Position {id}", id=code) if code else ""


def _lines(*lines: str) -> str:
    """What is not empty, a line each."""
    return "\n".join(filter(None, lines))


def position_text(rules: Ruleset, position: Position, *, named: bool = False) -> str:
    """Scores, turn total, farkles in a row and what else the rules make matter, in a few words.

    named : whether the dice to roll are known by name
    """
    return ", ".join(_of_position(rules, position, named=named))


def _of_position(rules: Ruleset, position: Position, *, named: bool) -> Iterator[str]:
    """The parts of a position in words."""
    scores = say_later("you {score:,}, them {other:,}")
    if len(position.players) > 2:
        scores = say_later("you {score:,}, them {others}")
    other, others = position.opponent, _others_scores(position)
    yield say(scores, score=position.banked, other=other, others=others)
    yield from _boards(rules, position)
    yield from _stage(rules, position)
    if rules.rounds:
        yield say_number("[the last round|{number} rounds left]", position.rounds_left)
    # a final turn tells what it has to beat
    if rules.beat_previous_turn and position.opponent < rules.winning_score:
        yield turn_to_beat_text(position.to_beat)
    yield from _of_turn(rules, position, named=named)
    if position.farkles:
        yield farkles_in_a_row(position.farkles, rules)
    if position.opponent_farkles:
        theirs = farkles_in_a_row(position.opponent_farkles, rules)
        yield say("they have {farkles}", farkles=theirs)


def _of_turn(rules: Ruleset, position: Position, *, named: bool) -> Iterator[str]:
    """How far the turn of a position has come."""
    turn = position.turn
    if turn.turn_total:
        yield turn_total_text(turn.turn_total)
    if hot := "" if named else _hot_dice(rules, turn):
        yield hot
    if turn.to_confirm and rules.confirm_points:
        yield say("{points:,} to confirm", points=turn.to_confirm)
    elif turn.to_confirm:
        yield say("to be confirmed")
    if turn.held_set:
        yield held_text(rules, turn)
    if offered := position.offered:
        points, dice = offered.turn_total, dice_count(offered.dice)
        yield say("{points:,} and {dice} left by them", points=points, dice=dice)
    if rules.throws and turn.turn_total:
        made, most = turn.throws or 1, rules.throws
        yield say("throw {number} of {most} is made", number=made, most=most)


def turn_to_beat_text(points: int) -> str:
    """What a turn has to beat, where rules say that it has to."""
    return say("{points:,} to beat", points=points) if points else say("nothing to beat")


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
    if not rules.has_opening or not (rules.farkle_penalty or "loses_score" in rules.decisive):
        return []
    on_board, theirs = position.on_board, position.opponent_on_board
    own_tells, their_tells = position.banked > 0, position.opponent > 0
    several = len(position.players) > 2
    if not (several or own_tells or their_tells or on_board or theirs):
        return [say("neither on the board")]
    parts = []
    if not own_tells:
        parts.append(say("on the board") if on_board else say("not on the board"))
    if not their_tells and not several:
        parts.append(say("them on the board") if theirs else say("them not on the board"))
    return parts


def _stage(rules: Ruleset, position: Position) -> list[str]:
    """A final turn, a play-off or, where it matters, who began."""
    beat = points_to_beat(rules, position.against_leader)
    if in_play_off(rules, position):
        if beat is None:
            return [say("play-off, you begin")]
        any_wins = beat == 0 and len(position.waiting) < 2
        return [say("play-off, any points win") if any_wins else to_beat_text(beat, play_off=True)]
    if beat is not None:
        return [to_beat_text(beat, play_off=False)]
    if rules.has_roles and position.began:
        return [say("you began")]
    if rules.has_roles and len(position.players) > 2:
        return [say_number("[one|{number}] of the others had a turn in this round", position.mover)]
    return [say("they began")] if rules.has_roles else []


def _hot_dice(rules: Ruleset, turn: TurnState) -> str:
    """Hot dice so far, where their bonus changes and the turn total does not tell."""
    possible = possible_hot_dice(rules, turn)
    level = min(turn.hot_dice, len(possible) - 1)
    if len(possible) == 1 or (possible[level] and possible.sum() == 1):
        return ""
    if level == len(possible) - 1 > 0:
        return say("hot dice so far: {number} or more", number=level)
    return say("hot dice so far: {number}", number=level)


def fate_text(advice: Advice) -> str:
    """What a roll means that leaves no choice."""
    position, fate = advice.position, advice.fate
    # after the other player has reached the goal there is no turn to make up for it
    is_last = position.opponent >= advice.rules.winning_score
    if fate is Fate.WINS:
        return say("This roll wins the game.")
    if fate is Fate.OUT or (fate is Fate.LOSES and is_last and not advice.is_again):
        return say("This roll loses the game.")
    met = say_later("Farkle: nothing scores.")
    if advice.is_again:
        met = say_later("Farkle: the dice are thrown again.")
    elif fate is Fate.LOSES:
        met = say_later("This roll loses all your points.")
    elif advice.keeps_turn_total:
        met = say_later("Farkle: nothing scores, but your {points:,} points are banked.")
    elif "loses_turn" in advice.rules.decisive:
        met = say_later("Farkle: the turn is lost.")
    chance = percent(advice.best, advice.within)
    left = say("Your win probability is now {chance}.", chance=chance)
    return f"{say(met, points=position.turn_total)} {left}"


def _risks_text(odds: Odds) -> str:
    """Chances of the rolls that end the turn."""
    risks = [say("farkle chance {chance}", chance=percent(odds.farkle_probability))]
    if odds.instant_win_probability:
        risks.append(say("wins {chance}", chance=percent(odds.instant_win_probability)))
    if odds.lose_everything_probability:
        risks.append(say("loses all {chance}", chance=percent(odds.lose_everything_probability)))
    return ", ".join(risks)


def bank_text(rules: Ruleset, position: Position) -> str:
    """What banking the turn total leads to."""
    seen, several = position.against_leader, len(position.players) > 2
    if (beat := points_to_beat(rules, seen)) is not None:
        return _last_bank_text(rules, position, position.turn_total - beat)
    if in_play_off(rules, seen):
        return say("then they have one turn to beat it")
    total = position.banked + position.turn_total
    last_of_round = position.mover == len(position.players) - 1
    beyond, others = rules.goes_beyond(total), _others_scores(position)
    after = after_turn(rules, position.own, position.turn_total)
    theirs = other_after(rules, position.own, after, position.other, position.turn_total).score
    if beyond:
        total = after.score
    elif total >= rules.winning_score and rules.goal_ends_game(last_of_round=last_of_round):
        return say("wins the game")
    sentence = say_later("{score:,} to {others}")
    if theirs < position.opponent:
        sentence = say_later("{score:,} to {theirs:,}, they fall back")
    elif theirs > position.opponent:
        sentence = say_later("{score:,} to {theirs:,}, they get the points")
    scores = say(sentence, score=total, others=others, theirs=theirs)
    if beyond or total < rules.winning_score:
        return say("goes beyond the goal: {scores}", scores=scores) if beyond else scores
    then = say_later("{scores}, then they get one final turn")
    if several:
        then = say_later("{scores}, then the others get one final turn")
    return say(then, scores=scores)


def _last_bank_text(rules: Ruleset, position: Position, ahead: int) -> str:
    """What a bank does in a last turn that puts its player so far ahead."""
    if ahead < 0:
        return say("loses the game")
    several = len(position.players) > 2
    # in rounds only the last player has a last turn
    others_follow = several and not rules.rounds and len(last_turns(rules, position)) > 1
    if ahead == 0 and (rules.ties == "earlier" or not others_follow):
        return _tie_text(rules, several=several)
    if others_follow:
        return say("takes the lead") if ahead else say("draws level")
    if rules.is_defended:
        return say("{points:,} ahead, then they get one final turn", points=ahead)
    return say("wins the game")


def _tie_text(rules: Ruleset, *, several: bool) -> str:
    """What a tie in the last turn means."""
    if several and rules.ties == "shared":
        return say("a tie, the win is shared")
    if rules.is_defended and rules.ties == "earlier":
        return say("a tie, which they win: they had that score first")
    return say(_TIES[rules.ties])


def position_scores_text(rules: Ruleset, position: Position) -> str:
    """The scores and what else mattered, where several players are told of by name."""
    seen = position.against_leader
    where = [say("{score:,} to {others}", score=seen.banked, others=_others_scores(position))]
    if in_play_off(rules, seen):
        where += _stage(rules, seen)
    elif (beat := points_to_beat(rules, seen)) is not None:
        where.append(to_beat_text(beat, play_off=False))
    if seen.turn_total:
        where.append(turn_total_text(seen.turn_total))
    return ", ".join(where)


def _others_scores(position: Position) -> str:
    """The scores of those who move after the player to act, in the order of their turns."""
    return and_text([figure(position.players[k].score) for k in position.in_order[1:]])


def farkles_in_a_row(number: int, rules: Ruleset | None = None) -> str:
    """A number of farkles in words, of which rules that count no further may have seen more."""
    if rules is not None and number == rules.farkles_after_penalty:
        return say_number("at least {number} [farkle|farkles] in a row", number)
    return say_number("{number} [farkle|farkles] in a row", number)


def cost_text(difference: float, within: float | None = None) -> str:
    """Return what a choice costs against the best, with as many decimals as `percent`.

    What costs less than values are told apart by costs nothing.
    """
    if difference <= EVEN:
        return say("best")
    return f"-{figure(difference * 100, '.2f' if within is None else '.1f')}"
