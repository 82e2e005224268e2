"""Advice, odds and turn tables as people read them, and as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from bot.views.layout import columns, dice_count, percent, wrap
from bot.views.sheet import Sheet, sheet
from bot.views.why import ends_text, no_bank_text, why_text
from solver.game.many_best import last_turns
from solver.game.position import (
    Position,
    impossible_turn,
    in_play_off,
    points_to_beat,
    possible_hot_dice,
)
from solver.game.standings import after_turn, other_after
from solver.play.advice import Advice, Odds, Option
from solver.play.position_id import position_id
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_text
from solver.turn.equations import EVEN, Decision
from solver.turn.memory import held_text
from solver.turn.scoring import Fate, TurnState
from solver.wording import and_text, figure, say, say_later, say_number

if TYPE_CHECKING:
    from bot.services.loaded import LoadedDice


def answer_data(answer: Advice | Odds) -> dict[str, Any]:
    """An answer with its own field names, and by what its position is opened again."""
    return bare_data(answer) if answer.brought else {**bare_data(answer), "id": opened_by(answer)}


def bare_data(answer: Advice | Odds) -> dict[str, Any]:
    """An answer with its own field names; of two players without what follows from the mover's.

    Dice that players brought are told by name.
    """
    position = position_data(answer.rules, answer.position)
    plain = asdict(replace(answer, brought=None))
    data = {**plain, "rules": answer.rules.name, "position": position}
    left_out = {"brought", "ends"}
    if len(answer.position.players) == 2:
        left_out |= _OF_SEVERAL
    if answer.brought:
        data |= _named_data(answer, data)
    else:
        left_out |= _OF_BADGES
    left_out |= _unsaid(answer.rules)
    if isinstance(answer, Advice):
        told = zip(answer.options, data["options"], strict=True)
        data["options"] = tuple(_less(said, left_out) | _ends_data(one) for one, said in told)
    return _less(data, left_out)


_OF_SEVERAL = {"chances", "roll_chances", "bank_chances", "within"}
"""Fields of answers that are told where more than two play."""

_OF_BADGES = {"uses", "use", "with_badge"}
"""Fields of answers that are told where players bring dice and badges."""


def _unsaid(rules: Ruleset) -> set[str]:
    """Fields of turns and options that mean nothing under the rules."""
    means = {
        "throws": bool(rules.throws),
        "held_set": len(rules.sets) > 1,
        "rounds_left": rules.rounds > 0,
        "to_beat": rules.beat_previous_turn,
        "to_confirm": len(rules.needs) > 1,
        "freed": rules.has_freed,
        "take_over": rules.takes_over,
        "leaving": rules.takes_over,
        "is_again": rules.first_throw_tries != 1 or rules.last_die_tries != 1,
    }
    return {name for name, means_anything in means.items() if not means_anything}


def _ends_data(option: Option) -> dict[str, Any]:
    """How the turn ends after an option, with what it banks on average, where that was asked."""
    ends = option.ends
    return {} if ends is None else {"ends": {**asdict(ends), "points": ends.points}}


def _named_data(answer: Advice | Odds, data: dict[str, Any]) -> dict[str, Any]:
    """What plain data of an answer say of dice by name, and of badges."""
    from bot.views.named_dice import use_data  # noqa: PLC0415 - 56 ms, of own dice

    dice: LoadedDice = answer.brought
    turn = data["position"] if len(answer.chances) == 2 else data["position"]["turn"]
    turn["dice"] = dice.mine.left(answer.position.dice).text
    if isinstance(answer, Advice):
        uses = [use_data(dice, use, answer.roll) for use in answer.uses]
        used: dict[str, Any] = {"badge_uses": uses}
        for option, said in zip(answer.options, data["options"], strict=True):
            said["set_aside"] = dice.kit.set_aside_text(answer.roll, option.set_aside)
            said["dice_left"] = dice.mine.left(option.dice_left).text
        data |= {"roll": _roll_text(answer), "win_probability": answer.best}
    else:
        used = {"badge_use": use_data(dice, answer.use)} if answer.use else {}
    del data["uses" if isinstance(answer, Advice) else "use"]
    data |= {"goal": dice.rules.goal, "my_dice": dice.mine.text, "joker_alone": dice.joker_alone}
    if not dice.of_two:
        return {"their_dice": [one.text for one in dice.others]}
    return used | {
        "their_dice": dice.theirs.text,
        "badges": [badge.text if badge else None for badge in dice.badges],
    }


def _less(data: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Plain data without some fields."""
    return {name: value for name, value in data.items() if name not in names}


def position_data(rules: Ruleset, position: Position) -> dict[str, Any]:
    """A position as plain data: of two players as the mover sees it, else of all."""
    unsaid = _unsaid(rules)
    if len(position.players) > 2:
        data = _less(asdict(position), {"held", "offered", "rounds_left"})
        players = [_less(one, {"banked"}) for one in data["players"]]
        return data | {"players": players, "turn": _less(data["turn"], unsaid)}
    names = "banked", "opponent", "turn_total", "farkles", "opponent_farkles", "dice", "hot_dice"
    return {
        **{name: getattr(position, name) for name in names},
        **_less({"to_confirm": position.turn.to_confirm, "throws": position.turn.throws}, unsaid),
        **_less({"held_set": position.turn.held_set}, unsaid),
        **_less({"rounds_left": position.rounds_left, "to_beat": position.to_beat}, unsaid),
        **_offered_data(position),
        "on_board": position.on_board,
        "opponent_on_board": position.opponent_on_board,
        "began": position.began or not (rules.has_roles or in_play_off(rules, position)),
    }


def _offered_data(position: Position) -> dict[str, Any]:
    """What may be taken over, by the names by which it is given."""
    offered = position.offered
    return {"left": offered.turn_total, "left_dice": offered.dice} if offered else {}


def advice_sheet(advice: Advice) -> Sheet:
    """The options, best first; how the turn ends after each as far as a row tells it."""
    left_out = set() if len(advice.chances) > 2 and not advice.brought else _OF_SEVERAL
    left_out = left_out | _unsaid(advice.rules) | _OF_BADGES | {"ends"}
    names = [one.name for one in fields(Option) if one.name not in left_out]
    options = bare_data(advice)["options"]
    rows = [{name: option[name] for name in names} | _flat_ends(option) for option in options]
    ends = list(rows[0])[len(names) :] if rows else []
    return sheet([*names, *ends], rows)


def _flat_ends(option: Mapping[str, Any]) -> dict[str, float]:
    """How the turn ends after an option, but for the chance of each number of points."""
    told = option.get("ends", {})
    return {f"ends_{name}": told[name] for name in told if name != "banked"}


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
    if advice.uses:
        from bot.views.named_dice import use_text  # noqa: PLC0415 - 56 ms, of own dice

        rows += [
            (use.win_probability, (use_text(dice, use, advice.roll), "", "", "", ""))
            for use in advice.uses[:MOST_USES]
        ]
        rows.sort(key=lambda row: -row[0])
    table = [
        (*row, percent(value, within), cost_text(advice.best - value, within))
        for value, row in rows
    ]
    lines += columns(table, right={1, 2, 5}, spare=(2, 1, 3))
    lines += endings_lines(advice)
    return _lines(*lines, reason_text(advice), *about(advice), *doubt_lines(dice))


def advice_head(advice: Advice) -> str:
    """The roll, the position and the rules."""
    dice: LoadedDice | None = advice.brought
    told = {
        "dice": _roll_text(advice),
        "position": position_text(advice.rules, advice.position, named=bool(dice)),
        "rules": advice.rules.name,
    }
    if dice:
        return say("{dice}: {position}, {rules} rules to {goal:,}", goal=dice.rules.goal, **told)
    return say("{dice}: {position}, {rules} rules", **told)


def endings_lines(advice: Advice) -> list[str]:
    """How the turn ends after each option, where that was asked for."""
    told = [(one, one.ends) for one in advice.options if one.ends]
    if not told:
        return []
    rows = [(set_aside_text(advice, one), ends_text(ends)) for one, ends in told]
    return [say("How the turn ends:"), *columns(rows)]


def _roll_text(advice: Advice) -> str:
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
    told = say_later("Your dice {mine}, theirs {theirs}.")
    if not dice.of_two:
        told = say_later("Your dice {mine}, those of the others {theirs}.")
    theirs = " / ".join(one.text for one in dice.others)
    return wrap(say(told, mine=dice.mine.text, theirs=theirs))


def doubt_lines(dice: "LoadedDice | None") -> list[str]:
    """What is taken for granted of the dice that players bring."""
    if dice is None:
        return []
    from bot.views.named_dice import doubts  # noqa: PLC0415 - 56 ms, of own dice

    thrown = [die for one in dice.sets for die in one.dice]
    return [wrap(sentence) for sentence in doubts(thrown, joker_alone=dice.joker_alone)]


def reason_text(answer: Advice | Odds) -> str:
    """Why the best choice is best; of several players what the others have, and how sure it is."""
    if len(answer.chances) == 2:
        return why_text(answer)
    told = [percent(answer.chances[k], answer.within) for k in answer.position.in_order[1:]]
    text = say("The others would then win {chances} of the time.", chances=and_text(told))
    if answer.within is not None:
        text += " " + say(
            "These chances are estimates, good to about ±{points:.1f} %: choices closer than"
            " that may be equally good.",
            points=answer.within * 100,
        )
    return wrap(text)


def odds_text(odds: Odds, *, alone: bool = True) -> str:
    """Roll or bank, what each is worth, and why; if not `alone` without what advice has said."""
    dice: LoadedDice | None = odds.brought
    if dice is None and alone:
        return _lines(odds_table(odds), reason_text(odds), *about(odds))
    # with the same dice of all, of several players both say the same
    reason = reason_text(odds) if dice or len(odds.chances) == 2 else ""
    more = about(odds) if alone or (dice is None and len(odds.chances) == 2) else []
    doubt = doubt_lines(dice) if alone else []
    return _lines(odds_table(odds, alone=alone), reason, *more, *use_lines(odds), *doubt)


def odds_table(odds: Odds, *, alone: bool = True) -> str:
    """Roll or bank, and what each is worth; if not `alone` without what players bring."""
    rules, position, within, dice = odds.rules, odds.position, odds.within, odds.brought
    told = {
        "position": position_text(rules, position, named=bool(dice)),
        "rules": rules.name,
    }
    if dice:
        head = say(
            "{position}, {dice} to roll, {rules} rules to {goal:,}",
            dice=dice.mine.left(position.dice).text,
            goal=dice.rules.goal,
            **told,
        )
    else:
        head = say_number(
            "{position}, {number} [die|dice] to roll, {rules} rules", position.dice, **told
        )
    lines = [wrap(head), *(brought_lines(dice) if alone else [])]
    roll = (say(ACTIONS[Decision.ROLL]), percent(odds.roll, within), _risks_text(odds))
    bank_name = say(ACTIONS[Decision.BANK])
    if odds.take_over is not None and position.offered:
        return _lines(*lines, *_offered_lines(odds, odds.take_over, position.offered))
    if odds.bank is None:
        why = no_bank_text(rules, position)
        return _lines(*lines, *columns([roll, (bank_name, "-", why)], right={1}))
    bank = (bank_name, percent(odds.bank, within), bank_text(rules, position))
    # what a badge makes of either is told apart
    rolls = odds.bank < odds.roll if odds.use else odds.action is Decision.ROLL
    first, second = (roll, bank) if rolls else (bank, roll)
    cost = cost_text(abs(odds.bank - odds.roll), within)
    rows = [(*first, cost_text(0)), (*second, cost)]
    return _lines(*lines, *columns(rows, right={1}, spare=(2,)), leaving_text(odds))


def _offered_lines(odds: Odds, value: float, offered: TurnState) -> list[str]:
    """What beginning afresh and taking over are worth, the better one first."""
    parts = {"points": offered.turn_total, "dice": dice_count(offered.dice)}
    taken = say("take over {points:,} and {dice}", **parts), percent(value)
    afresh = say("begin afresh"), percent(odds.roll)
    rows = [taken, afresh] if odds.action is Decision.TAKE_OVER else [afresh, taken]
    costs = cost_text(0), cost_text(abs(value - odds.roll))
    told = [(*row, cost) for row, cost in zip(rows, costs, strict=True)]
    return columns(told, right={1})


def leaving_text(odds: Odds) -> str:
    """What a bank costs as the next player may go on with what it leaves."""
    if odds.leaving is None or odds.bank is None:
        return ""
    dice = dice_count(odds.position.dice)
    if odds.leaving <= EVEN:
        return wrap(say("A bank leaves them {dice}, which they had better not take.", dice=dice))
    told = say(
        "A bank leaves them {dice} to go on with, which costs you {cost}.",
        dice=dice,
        cost=percent(odds.leaving),
    )
    return wrap(told)


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
        reason = say(
            "these dice cannot be left at a turn total of {turn_total:,}",
            turn_total=answer.position.turn_total,
        )
    else:
        reason = impossible_turn(answer.rules, answer.position.turn)
    return wrap(say("Note: {reason}; this is what it would be worth.", reason=reason))


def id_text(answer: Advice | Odds) -> str:
    """By what the position is opened again."""
    found = opened_by(answer)
    return say("Position {id}", id=found) if found else ""


def _lines(*lines: str) -> str:
    """What is not empty, a line each."""
    return "\n".join(filter(None, lines))


def position_text(rules: Ruleset, position: Position, *, named: bool = False) -> str:
    """Scores, turn total, farkles in a row and what else the rules make matter, in a few words.

    named : whether the dice to roll are known by name
    """
    if len(position.players) > 2:
        scores = say(
            "you {score:,}, them {others}", score=position.banked, others=_others_scores(position)
        )
    else:
        scores = say(
            "you {score:,}, them {other:,}", score=position.banked, other=position.opponent
        )
    # a final turn tells what it has to beat
    beats = rules.beat_previous_turn and position.opponent < rules.winning_score
    parts = [
        scores,
        *_boards(rules, position),
        *_stage(rules, position),
        *(
            [say_number("[the last round|{number} rounds left]", position.rounds_left)]
            if rules.rounds
            else []
        ),
        *([turn_to_beat_text(position.to_beat)] if beats else []),
    ]
    if position.turn_total:
        parts.append(turn_total_text(position.turn_total))
    if hot := "" if named else _hot_dice(rules, position.turn):
        parts.append(hot)
    if (need := position.turn.to_confirm) and rules.confirm_points:
        parts.append(say("{points:,} to confirm", points=need))
    elif need:
        parts.append(say("to be confirmed"))
    parts += [held_text(rules, position.turn)] if position.turn.held_set else []
    if offered := position.offered:
        left = say(
            "{points:,} and {dice} left by them",
            points=offered.turn_total,
            dice=dice_count(offered.dice),
        )
        parts.append(left)
    if rules.throws and position.turn_total:
        parts.append(
            say(
                "throw {number} of {most} is made",
                number=position.turn.throws or 1,
                most=rules.throws,
            )
        )
    if position.farkles:
        parts.append(farkles_in_a_row(position.farkles, rules))
    if position.opponent_farkles:
        theirs = farkles_in_a_row(position.opponent_farkles, rules)
        parts.append(say("they have {farkles}", farkles=theirs))
    return ", ".join(parts)


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
    told = []
    if not own_tells:
        told.append(say("on the board") if on_board else say("not on the board"))
    if not their_tells and not several:
        told.append(say("them on the board") if theirs else say("them not on the board"))
    return told


def _stage(rules: Ruleset, position: Position) -> list[str]:
    """A final turn, a play-off or, where it matters, who began."""
    beat = points_to_beat(rules, position.against_leader)
    if in_play_off(rules, position):
        if beat is None:
            return [say("play-off, you begin")]
        return [to_beat_text(beat, play_off=True) if beat else say("play-off, any points win")]
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
    left = say(
        "Your win probability is now {chance}.",
        chance=percent(advice.win_probability, advice.within),
    )
    position = advice.position
    if advice.fate is Fate.WINS:
        return say("This roll wins the game.")
    if advice.fate is Fate.OUT:
        return say("This roll loses the game.")
    if advice.is_again:
        return say("Farkle: the dice are thrown again.") + f" {left}"
    if advice.fate is Fate.LOSES:
        # after the other player has reached the goal there is no turn to make up for it
        if position.opponent >= advice.rules.winning_score:
            return say("This roll loses the game.")
        met = say("This roll loses all your points.")
    elif advice.keeps_turn_total:
        met = say(
            "Farkle: nothing scores, but your {points:,} points are banked.",
            points=position.turn_total,
        )
    elif "loses_turn" in advice.rules.decisive:
        met = say("Farkle: the turn is lost.")
    else:
        met = say("Farkle: nothing scores.")
    return f"{met} {left}"


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
        if several and position.turn_total > beat and len(last_turns(rules, position)) > 1:
            return say("takes the lead")
        return _last_bank_text(rules, position.turn_total - beat)
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
    scores = say("{score:,} to {others}", score=total, others=others)
    if theirs < position.opponent:
        scores = say("{score:,} to {theirs:,}, they fall back", score=total, theirs=theirs)
    elif theirs > position.opponent:
        scores = say("{score:,} to {theirs:,}, they get the points", score=total, theirs=theirs)
    if beyond or total < rules.winning_score:
        return say("goes beyond the goal: {scores}", scores=scores) if beyond else scores
    then = say_later("{scores}, then they get one final turn")
    if several:
        then = say_later("{scores}, then the others get one final turn")
    return say(then, scores=scores)


def _last_bank_text(rules: Ruleset, ahead: int) -> str:
    """What a bank does in a last turn that puts its player so far ahead."""
    if rules.is_defended and ahead == 0 and rules.ties == "earlier":
        return say("a tie, which they win: they had that score first")
    if rules.is_defended and ahead > 0:
        return say("{points:,} ahead, then they get one final turn", points=ahead)
    if ahead == 0:
        return say(_TIES[rules.ties])
    return say("wins the game") if ahead > 0 else say("loses the game")


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
    return f"-{percent(difference, within).removesuffix(' %')}"
