"""Advice, odds and positions as plain data, for programs and tables."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from bot.views.advice import opened_by, roll_text
from bot.views.sheet import Sheet, sheet
from solver.game.position import Position, in_play_off
from solver.play.advice import Advice, Odds, Option
from solver.rules.ruleset import Ruleset

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
        rows = zip(answer.options, data["options"], strict=True)
        data["options"] = tuple(_less(said, left_out) | _ends_data(option) for option, said in rows)
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
        data |= {"roll": roll_text(answer), "win_probability": answer.best}
    else:
        used = {"badge_use": use_data(dice, answer.use)} if answer.use else {}
    del data["uses" if isinstance(answer, Advice) else "use"]
    data |= {"goal": dice.rules.goal, "my_dice": dice.mine.text, "joker_alone": dice.joker_alone}
    if not dice.of_two:
        return {"their_dice": [other.text for other in dice.others]}
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
        players = [_less(player, {"banked"}) for player in data["players"]]
        return data | {"players": players, "turn": _less(data["turn"], unsaid)}
    left, offered = position.offered, {}
    if left:  # by the names by which it is given
        offered = {"left": left.turn_total, "left_dice": left.dice}
    names = "banked", "opponent", "turn_total", "farkles", "opponent_farkles", "dice", "hot_dice"
    return {
        **{name: getattr(position, name) for name in names},
        **_less({"to_confirm": position.turn.to_confirm, "throws": position.turn.throws}, unsaid),
        **_less({"held_set": position.turn.held_set}, unsaid),
        **_less({"rounds_left": position.rounds_left, "to_beat": position.to_beat}, unsaid),
        **offered,
        "on_board": position.on_board,
        "opponent_on_board": position.opponent_on_board,
        "began": position.began or not (rules.has_roles or in_play_off(rules, position)),
    }


def advice_sheet(advice: Advice) -> Sheet:
    """The options, best first; how the turn ends after each as far as a row tells it."""
    left_out = set() if len(advice.chances) > 2 and not advice.brought else _OF_SEVERAL
    left_out = left_out | _unsaid(advice.rules) | _OF_BADGES | {"ends"}
    names = [field.name for field in fields(Option) if field.name not in left_out]
    options = bare_data(advice)["options"]
    rows = [{name: option[name] for name in names} | _flat_ends(option) for option in options]
    ends = list(rows[0])[len(names) :] if rows else []
    return sheet([*names, *ends], rows)


def _flat_ends(option: Mapping[str, Any]) -> dict[str, float]:
    """How the turn ends after an option, but for the chance of each number of points."""
    ends = option.get("ends", {})
    return {f"ends_{name}": ends[name] for name in ends if name != "banked"}
