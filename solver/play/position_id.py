"""A position in a few characters, by which it is opened anywhere: `CZT1-7YZ9-SYP`.

The characters are Crockford's base 32 (https://www.crockford.com/base32.html), which has no letters
that look like digits. The first three are of the digest of the rules but their goal, the last one
is of a checksum of the others, and those between are one number in a mixed radix: the goal, where
it is not that of a preset with such rules, what was rolled or how many dice are to roll, what else
the rules make matter, the scores, and the turn total.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations_with_replacement

from solver.errors import InvalidRequestError
from solver.game.position import Position, highest_score
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import FACES, MAX_POINTS, RULESETS, Ruleset
from solver.turn.dice import Roll, TurnState, dice_set, make_roll

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ = {digit: value for value, digit in enumerate(_DIGITS)} | {"O": 0, "I": 1, "L": 1}
_BEFORE = re.compile(r"\W*(?:position|stellung)\b:?(?=\W)", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\-\u2010-\u2015\u2212]+")
"""Blanks, hyphens, dashes and the minus sign."""
_BESIDE = " \t\n.,;:!?…`*()\"'"
_RULES = 3
"""Characters that tell the rules apart."""
_MOST = 40
"""Characters that are read at all."""
_GROUP = 4
"""Characters between hyphens."""
_LOWEST = 10_000
"""Scores may be so far below 0, or as far as the goal is above it."""


@dataclass(frozen=True, slots=True)
class PositionId:
    """What the characters hold before the rules are known."""

    text: str
    rules: int
    number: int
    """All but the goal."""
    goal: int | None
    """None for that of a preset."""

    def is_of(self, rules: Ruleset) -> bool:
        """Whether the rules are those of the position, but for their goal."""
        return _key(rules.digest_but_goal) == self.rules

    def goal_of(self, rules: Ruleset) -> int:
        """The goal under such rules."""
        return self.goal or _usual_goal(rules.digest_but_goal, rules.name) or rules.goal

    def position(self, rules: Ruleset) -> tuple[Position, Roll | None]:
        """The position under its rules, whose goal is the right one, and what was rolled.

        The position is not checked; rules that only look like those of the position give nonsense.
        """
        rest, digits = self.number, []
        for radix in _radices(rules):
            rest, digit = divmod(rest, radix)
            digits.append(digit)
        what, second, off_board, other_off_board, farkles, other_farkles, hot_dice, *more = digits
        offers, rounds_left, to_beat, own, other = more
        rolls, step, low = _rolls(rules.dice), rules.point_step, _lowest(rules)
        throws, rest_of_turn = divmod(hot_dice, rules.hot_dice_counted * len(rules.needs))
        to_confirm, hot_dice = divmod(rest_of_turn, rules.hot_dice_counted)
        throws, held = divmod(throws, len(rules.sets))
        roll = rolls[what] if what < len(rolls) else None
        position = Position.of_two(
            banked=low + own * step,
            opponent=low + other * step,
            turn_total=rest * step,
            farkles=farkles,
            opponent_farkles=other_farkles,
            dice=len(roll) if roll else what - len(rolls) + 1,
            hot_dice=hot_dice,
            to_confirm=rules.needs[to_confirm % len(rules.needs)],
            throws=throws,
            held_set=rules.sets[held],
            on_board=not off_board,
            opponent_on_board=not other_off_board,
            began=not second,
            rounds_left=rounds_left,
            to_beat=to_beat * step,
        )
        if offers:
            # the turn begins with all dice, so that what is left stands in place of them
            position = replace(
                position,
                turn=TurnState(0, dice_set(rules).whole),
                offered=replace(position.turn, hot_dice=0),
            )
        return position, roll


def position_id(rules: Ruleset, position: Position, roll: Roll | None = None) -> str | None:
    """The characters of a position, after a roll or before it.

    None where a score is too far below 0 to be written.
    """
    low, step = _lowest(rules), rules.point_step
    if min(position.banked, position.opponent) < low:
        return None
    rolls, counted = _rolls(rules.dice), rules.hot_dice_counted
    offers = position.offered is not None and roll is None
    turn = position.offered if offers and position.offered else position.turn
    beside = rules.sets.index(turn.held_set) + len(rules.sets) * turn.throws
    digits = (
        rolls.index(make_roll(roll)) if roll else len(rolls) + turn.dice - 1,
        rules.has_roles and not position.began,
        rules.has_opening and not position.on_board,
        rules.has_opening and not position.opponent_on_board,
        position.farkles,
        position.opponent_farkles,
        min(turn.hot_dice, counted - 1)
        + counted * (rules.needs.index(turn.to_confirm) + len(rules.needs) * beside),
        offers,
        position.rounds_left,
        position.to_beat // step,
        (position.banked - low) // step,
        (position.opponent - low) // step,
    )
    number = turn.turn_total // step
    for digit, radix in zip(reversed(digits), reversed(tuple(_radices(rules))), strict=True):
        number = number * radix + digit
    if _usual_goal(rules.digest_but_goal, rules.name) == rules.goal:
        number = 2 * number
    else:
        number = 2 * (number * (MAX_POINTS + 1) + rules.goal) + 1
    said = _in_base_32(_key(rules.digest_but_goal), _RULES) + _in_base_32(number)
    said += _DIGITS[_check(said)]
    return "-".join(said[first : first + _GROUP] for first in range(0, len(said), _GROUP))


def read_id(text: str) -> PositionId:
    """What the characters say; blanks, hyphens and dashes, and capitals mean nothing.

    Nor do the word before them where they are told, and what ends a sentence: people copy that as
    well. Raises InvalidRequestError for what is none, or has a slip in it.
    """
    plain = _BLANKS.sub("", _BEFORE.sub("", text).strip(_BESIDE)).upper()
    values = [_READ.get(digit, -1) for digit in plain]
    if not _RULES + 2 <= len(values) <= _MOST or min(values) < 0:
        raise InvalidRequestError.say(
            '"{text}" is not a position ID: such an ID is shown under the advice and looks like'
            " {example}",
            text=text,
            example=_example(),
        )
    said = "".join(_DIGITS[value] for value in values)
    if _check(said[:-1]) != values[-1]:
        raise InvalidRequestError.say(
            '"{text}" is not a position ID: one of its characters is mistyped',
            text=text,
        )
    number, has_goal = divmod(_value(said[_RULES:-1]), 2)
    goal = None
    if has_goal:
        number, goal = divmod(number, MAX_POINTS + 1)
    return PositionId(text, _value(said[:_RULES]), number, goal)


def _radices(rules: Ruleset) -> Iterator[int]:
    """How many values each digit has but the last, which is the turn total."""
    boards = 1 + rules.has_opening
    scores = (highest_score(rules) - _lowest(rules)) // rules.point_step + 1
    yield len(_rolls(rules.dice)) + rules.dice
    yield from (2 if rules.has_roles else 1, boards, boards)
    memories = rules.hot_dice_counted * len(rules.needs) * len(rules.sets) * (rules.throws + 1)
    yield from (rules.farkle_limit, rules.farkle_limit, memories)
    beaten = scores if rules.beat_previous_turn else 1
    yield from (2 if rules.takes_over else 1, rules.rounds + 1, beaten, scores, scores)


def _lowest(rules: Ruleset) -> int:
    """The lowest score that is written: a multiple of the point step."""
    if not rules.penalty_points or rules.floor_is_played:
        return 0
    if rules.rounds:
        return rules.score_floor
    return -(max(_LOWEST, rules.goal) // rules.point_step * rules.point_step)


@cache
def _rolls(dice: int) -> list[Roll]:
    """Every roll of so many dice or fewer."""
    return [
        make_roll(roll)
        for number in range(1, dice + 1)
        for roll in combinations_with_replacement(FACES, number)
    ]


@lru_cache(maxsize=RULESETS)
def _usual_goal(digest_but_goal: str, name: str) -> int | None:
    """The goal of the preset that has such rules, if there is one: first the one of that name."""
    presets = map(load_rules, sorted(preset_names(), key=name.__ne__))
    return next((one.goal for one in presets if one.digest_but_goal == digest_but_goal), None)


def _key(digest: str) -> int:
    modulus: int = 32**_RULES
    return int(digest[:16], 16) % modulus


def _check(said: str) -> int:
    """The remainder of the characters as a polynomial over GF(32), by x.

    Any one character that is changed gives another, and so do any two neighbours that change
    places. GF(32) is that of x^5 + x^2 + 1.
    """
    check = 1
    for digit in said:
        check ^= _READ[digit]
        check = (check << 1) ^ (0b100101 if check & 16 else 0)
    return check


def _value(said: str) -> int:
    value = 0
    for digit in said:
        value = 32 * value + _READ[digit]
    return value


def _in_base_32(value: int, least: int = 1) -> str:
    said = ""
    while value or len(said) < least:
        value, digit = divmod(value, 32)
        said = _DIGITS[digit] + said
    return said


def _example() -> str:
    rules = load_rules("facebook")
    return position_id(rules, Position.of_two(), (2, 3, 3, 3, 5, 6)) or ""
