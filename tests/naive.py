"""Slow, obvious twins, written from the rules of the game and not from the code they check."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, count, product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.rules.ruleset import Ruleset
from solver.turn.dice import TurnState
from solver.turn.equations import turn_plan

Array = npt.NDArray[np.float64]
Dice = tuple[int, ...]
"""Faces in ascending order."""
Choices = frozenset[tuple[int, int]]
"""What set-asides lead to: points and dice to roll next; all the dice after hot dice only."""
Result = Choices | Literal["win", "lose", "out"]
"""What a roll leads to: no choices are a farkle."""
Standing = tuple[int, int, bool]
"""Score, farkles in a row, and whether on the board."""
FARKLE: Choices = frozenset()
PART: Dice = (0,)
"""What turns remember of a part of a straight that is held: it does not matter which."""
NOT_ALLOWED = -1.0
"""A bank that is not allowed: worse than any probability."""


# ---- Rolls -----------------------------------------------------------------------------------


def of_a_kind(rules: Ruleset, face: int, number: int) -> int:
    """Points of exactly `number` dice of one face taken together as one combination."""
    scoring = rules.scoring
    explicit = {
        1: scoring.single,
        3: scoring.three_of_a_kind,
        4: scoring.four_of_a_kind,
        5: scoring.five_of_a_kind,
        6: scoring.six_of_a_kind,
    }.get(number)
    if explicit is not None:
        return explicit[face - 1]
    if number < 3 or scoring.more_of_a_kind == "none":
        return 0
    worth = triple = scoring.three_of_a_kind[face - 1]
    for _ in range(number - 3):
        worth += worth if scoring.more_of_a_kind == "doubling" else triple
    return worth


def shows(dice: Dice, pattern: str, faces: dict[str, int]) -> Iterator[dict[str, int]]:
    """The faces that letters may stand for, if dice are just those of a pattern, each way."""
    if not pattern:
        if not dice:
            yield faces
        return
    sign, others = pattern[0], pattern[1:]
    for face in set(dice):
        left = list(dice)
        left.remove(face)
        if sign.isdigit():
            fits = face == int(sign)
        elif sign in faces:
            fits = face == faces[sign]
        else:
            fits = face not in faces.values()
        if fits:
            found = faces if sign.isdigit() else {**faces, sign: face}
            yield from shows(tuple(left), others, found)


@cache
def plain(rules: Ruleset) -> Ruleset:
    """The rules without jokers, and without what depends on other combinations or frees dice."""
    some = [one for one in rules.scoring.combination if not (one.times or one.uses)]
    scoring = rules.scoring.model_copy(update={"combination": tuple(some), "jokers": ()})
    return rules.model_copy(update={"scoring": scoring})


def by_tables(rules: Ruleset, dice: Dice, beside: int, *, to_confirm: bool) -> Iterator[int]:
    """Points of dice by each table that says a combination which they are.

    beside : how many of them are not set aside
    to_confirm : of those tables that have to be confirmed, or of the others
    """
    for table in rules.scoring.combination:
        if (table.then == "roll_on") != to_confirm:
            continue
        if (table.uses or len(table.dice)) != len(dice) - beside:
            continue
        digits = {int(sign) for sign in table.dice if sign.isdigit()}
        for faces in shows(dice, table.dice, {}):
            if digits & set(faces.values()):
                continue
            if table.times:
                yield table.times * (points(plain(rules), dice) or 0)
            elif table.points == "sum":
                yield sum(dice)
            elif isinstance(table.points, int):
                yield table.points
            elif table.points:
                first = next(filter(str.isalpha, table.dice))
                yield table.points[faces[first] - 1]


@cache
def in_throw(rules: Ruleset, number: int, *, first: bool) -> Ruleset:
    """The rules with those tables alone that count in a throw of so many dice."""
    counts = {"any", *(["all_dice"] if number == rules.dice else []), *["first_throw"] * first}
    tables = rules.scoring.combination
    misses = rules.scoring.nothing_when == "first_throw" and not first
    if all(one.when == "any" for one in tables) and not misses:
        return rules
    kept = [one.model_copy(update={"when": "any"}) for one in tables if one.when in counts]
    nothing = 0 if misses else rules.scoring.nothing
    update = {"combination": tuple(kept), "nothing": nothing, "nothing_when": "all_dice"}
    scoring = rules.scoring.model_copy(update=update)
    return rules.model_copy(update={"scoring": scoring})


@cache
def readings(rules: Ruleset, dice: Dice) -> set[Dice]:
    """The faces that dice of one combination may count as, each way."""
    jokers = {int(face) for face in rules.scoring.jokers}
    every = product(*(range(1, 7) if face in jokers else [face] for face in dice))
    return {
        tuple(sorted(read))
        for read in every
        if rules.scoring.joker_alone or any(map(int.__eq__, read, dice))
    }


@cache
def combination(rules: Ruleset, dice: Dice) -> int:
    """Points of dice that are one combination; 0 where they are none."""
    return combination_and_doubt(rules, dice)[0]


@cache
def combination_and_doubt(rules: Ruleset, dice: Dice, beside: int = 0) -> tuple[int, int]:
    """Most points of dice that are one combination, and -1 where that has to be confirmed.

    beside : how many of them are not set aside
    """
    found = [(0, 0)]
    for read in readings(rules, dice):
        found += [(one, 0) for one in by_tables(rules, read, beside, to_confirm=False)]
        found += [(one, -1) for one in by_tables(rules, read, beside, to_confirm=True)]
        found += [] if beside else [(combination_without_doubt(rules, read), 0)]
    return max(found)


def combination_without_doubt(rules: Ruleset, dice: Dice) -> int:
    """Points of dice that are one combination which needs not be confirmed."""
    scoring = rules.scoring
    counts = sorted(Counter(dice).values())
    found = [0, *by_tables(rules, dice, 0, to_confirm=False)]
    if len(counts) == 1:
        found.append(of_a_kind(rules, dice[0], len(dice)))
    if dice == (1, 2, 3, 4, 5, 6):
        found.append(scoring.straight_1_6)
    if dice == (1, 2, 3, 4, 5):
        found.append(scoring.straight_1_5)
    if dice == (2, 3, 4, 5, 6):
        found.append(scoring.straight_2_6)
    if counts == [3, 3]:
        found.append(scoring.two_triplets)
    if counts == [2, 4]:
        found.append(scoring.four_and_two)
    if (
        counts == [2, 2, 2]
        or (counts == [2, 4] and "four_and_two" in scoring.three_pairs_include)
        or (counts == [6] and "six_of_a_kind" in scoring.three_pairs_include)
    ):
        found.append(scoring.three_pairs)
    return max(found)


@cache
def parts(dice: Dice) -> frozenset[Dice]:
    """Every way to pick one or more of the dice."""
    return frozenset(
        picked for number in range(1, len(dice) + 1) for picked in combinations(dice, number)
    )


@cache
def without(dice: Dice, taken: Dice) -> Dice:
    return tuple(sorted((Counter(dice) - Counter(taken)).elements()))


@cache
def points_and_doubts(rules: Ruleset, dice: Dice, beside: Dice = ()) -> tuple[int, int] | None:
    """Most points of dice that all have to score, in combinations; None where they cannot.

    And of all ways to get these how many combinations have to be confirmed at least, below 0.

    beside : the other dice of the roll, which may count with them and are not set aside
    """
    if not dice:
        return 0, 0
    helps = any(table.uses for table in rules.scoring.combination)
    found = []
    for part, more in product(parts(dice), [(), *(parts(beside) if helps else ())]):
        if part[0] != dice[0]:
            continue
        worth, doubt = combination_and_doubt(rules, tuple(sorted(part + more)), len(more))
        if worth:
            after = points_and_doubts(rules, without(dice, part), without(beside, more))
            if after is not None:
                found.append((worth + after[0], doubt + after[1]))
    return max(found, default=None)


@cache
def ways(rules: Ruleset, dice: Dice, beside: Dice) -> frozenset[tuple[int, bool, bool]]:
    """Every way to count dice that all have to score, with `beside` as for `points_and_doubts`.

    What they are worth so, whether a combination of it has to be confirmed, and whether a die of
    the others shows a face that confirms.
    """
    if not dice:
        return frozenset({(0, False, False)})
    found = set()
    for part, more in product(parts(dice), [(), *parts(beside)]):
        if part[0] != dice[0]:
            continue
        plain, doubtful = list[int](), 0
        for read in readings(rules, tuple(sorted(part + more))):
            plain += [] if more else [combination_without_doubt(rules, read)]
            plain += by_tables(rules, read, len(more), to_confirm=False)
            doubtful = max(doubtful, *by_tables(rules, read, len(more), to_confirm=True), 0)
        shows = any(str(face) in rules.confirm_faces for face in part)
        after = ways(rules, without(dice, part), without(beside, more))
        for worth, doubt in ((max(plain, default=0), False), (doubtful, True)):
            if worth:
                found |= {
                    (worth + rest, doubt or doubts, confirmed or (shows and not doubt))
                    for rest, doubts, confirmed in after
                }
    return frozenset(found)


def points(rules: Ruleset, dice: Dice, beside: Dice = ()) -> int | None:
    """Most points of dice that all have to score; None where they cannot."""
    found = points_and_doubts(rules, dice, beside)
    return None if found is None else found[0]


@cache
def beside_set(rules: Ruleset, held: Dice, dice: Dice, beside: Dice = ()) -> tuple[int, int] | None:
    """As `points_and_doubts`, where some of the dice may match a set that is held.

    rules : those of a throw of dice that are left, where a set is held
    """
    every = [points_and_doubts(rules, dice, beside)]
    three = points(rules, held[:3]) if held else 0
    for number in range(1, sum(face in held for face in dice) + 1):
        rest = points_and_doubts(rules, without(dice, held[:1] * number), beside)
        matches = [three or 0] * number
        if rules.held_sets == "doubling":
            matches = [(three or 0) * 2 ** (len(held) + one - 3) for one in range(number)]
        every.append(rest and (rest[0] + sum(matches), rest[1]))
    return max((one for one in every if one), default=None)


def held_after(rules: Ruleset, held: Dice, kept: Dice, roll: Dice) -> Dice:
    """The set that is held after dice of a roll were set aside."""
    if len(kept) == len(roll):
        return ()
    if rules.combine_throws:
        return tuple(sorted(held + kept))
    if kept in straight_parts(rules) and len(roll) == rules.dice:
        return kept
    if rules.held_sets == "none":
        return ()
    for face in range(1, 7):
        alike = tuple(one for one in kept if one == face)
        if (held or len(alike) < 3) and face not in held:
            continue
        alike = alike + held if rules.held_sets == "doubling" else (face,) * 3
        if alike in sets(rules):
            return alike
    return held


@cache
def sets(rules: Ruleset) -> list[Dice]:
    """The sets that may be held as far as it matters, none first."""
    found: list[Dice] = [()]
    if rules.combine_throws:
        for number in range(1, rules.dice):
            some = combinations_with_replacement(range(1, 7), number)
            found += [held for held in some if points(rules, held) is not None]
        return found
    sizes = {"none": [], "linear": [3], "doubling": [*range(3, rules.dice)]}[rules.held_sets]
    for face, number in product(range(1, 7), sizes):
        if points(in_throw(rules, 3, first=False), (face,) * 3):
            found.append((face,) * number)
    return found


@cache
def straight_parts(rules: Ruleset) -> list[Dice]:
    """The parts of a straight that may be kept to be filled."""
    here = in_throw(rules, 6, first=True)
    return [
        part
        for missing in range(1, rules.fill_straight + 1)
        for part in combinations(range(1, 7), 6 - missing)
        if all(
            points(here, part, beside) is None
            for beside in combinations_with_replacement(range(1, 7), missing)
        )
    ]


def is_part(rules: Any, held: Dice) -> bool:
    """Whether what is held is a part of a straight."""
    return isinstance(rules, Ruleset) and (held == PART or held in straight_parts(rules))


@cache
def set_asides(
    rules: Ruleset, roll: Dice, *, first: bool = False, held: Dice = ()
) -> frozenset[tuple[Dice, int]]:
    """The legal set-asides of a roll with their points; `first` for the first of a turn.

    held : a set of dice before, which some may match, or a part of a straight
    """
    if is_part(rules, held):
        fills = tuple(sorted(held + roll)) == (1, 2, 3, 4, 5, 6)
        straight = points(in_throw(rules, 6, first=False), (1, 2, 3, 4, 5, 6)) or 0
        return frozenset({(roll, straight)} if fills else ())
    if held and rules.combine_throws:
        rules = in_throw(rules, len(roll), first=False)
        alone, every = points(rules, held) or 0, dict[Dice, int]()
        for dice in parts(roll):
            together = points(rules, tuple(sorted(held + dice)))
            if together is not None and together > alone:
                every[dice] = together - alone
        return allowed(rules, roll, every)
    kept = tuple(sorted(set(roll)))
    may_fill = len(roll) == rules.dice and kept in straight_parts(rules)
    part = {(kept, 0)} if may_fill else set()
    rules = in_throw(rules, len(roll), first=first)
    found = {
        dice: worth[0]
        for dice in parts(roll)
        if (worth := beside_set(rules, held, dice, without(roll, dice))) is not None
    }
    if not found and len(roll) == rules.dice and rules.scoring.nothing:
        part = set() if rules.hot_dice == "forced" else part
        return frozenset({(roll, rules.scoring.nothing), *part})
    if rules.hot_dice == "forced" and roll in found:
        part = set()
    return allowed(rules, roll, found) | part


def allowed(rules: Ruleset, roll: Dice, found: dict[Dice, int]) -> frozenset[tuple[Dice, int]]:
    """Those of the set-asides of a roll that the rules leave."""
    if rules.hot_dice == "forced" and roll in found:
        return frozenset({(roll, found[roll])})
    if rules.set_aside_all:
        found = {
            dice: worth
            for dice, worth in found.items()
            if not any(Counter(dice) < Counter(larger) for larger in found)
        }
    return frozenset(found.items())


def contains(roll: Dice, pattern: str) -> bool:
    if pattern[0] == "x":
        return max(Counter(roll).values()) >= len(pattern)
    return Counter(int(face) for face in pattern) <= Counter(roll)


def has_table(rules: Ruleset, roll: Dice, then: str) -> bool:
    """Whether some dice of a roll are those of a table that says what follows."""
    return any(
        not {int(sign) for sign in table.dice if sign.isdigit()} & set(faces.values())
        for table in rules.scoring.combination
        if table.then == then
        for dice in parts(roll)
        for faces in shows(dice, table.dice, {})
    )


def decided(rules: Ruleset, roll: Dice) -> Result | None:
    """What a roll leads to that leaves no choice; None where it depends on what scores."""
    wins = any(contains(roll, pattern) for pattern in rules.instant_win)
    if wins or has_table(rules, roll, "wins_game"):
        return "win"
    if has_table(rules, roll, "loses_game"):
        return "out"
    loses = any(contains(roll, pattern) for pattern in rules.lose_everything)
    if loses or has_table(rules, roll, "loses_score"):
        return "lose"
    if has_table(rules, roll, "loses_turn"):
        return FARKLE
    return None


@cache
def memories(rules: Ruleset) -> list[tuple[int, int, Dice]]:
    """What turns remember: throws so far, as far as they matter, and what is to be confirmed.

    And the set that is held. The first is that of the start. Numbers of dice to roll stand for it,
    too: those of the second begin behind the last of the first, and so on.
    """
    tables = rules.scoring.combination if isinstance(rules, Ruleset) else ()
    at_first = any(table.when == "first_throw" for table in tables)
    if isinstance(rules, Ruleset) and rules.scoring.nothing_when == "first_throw":
        at_first = at_first or rules.scoring.nothing > 0
    at_first = at_first or (isinstance(rules, Ruleset) and rules.first_throw_tries != 1)
    penalty = rules.farkle_penalty if isinstance(rules, Ruleset) else None
    at_first = at_first or (penalty is not None and penalty.when == "first_throw")
    most = (rules.throws if isinstance(rules, Ruleset) else 0) or int(at_first)
    doubts = [0]
    if any(table.then == "roll_on" for table in tables) or confirms_hot_dice(rules):
        doubts = [*range(0, rules.confirm_points + 1, rules.point_step)]
        doubts = doubts if rules.confirm_points else [0, 1]
    every = sets(rules) if isinstance(rules, Ruleset) else [()]
    every += [PART] * bool(isinstance(rules, Ruleset) and straight_parts(rules))
    found = list(product(range(most + 1), doubts, every))
    return [one for one in found if one[0] or not (one[1] or one[2]) or not most]


def confirms_hot_dice(rules: Ruleset) -> bool:
    """Whether hot dice have to be confirmed."""
    says = isinstance(rules, Ruleset) and (rules.confirm_faces or rules.confirm_points)
    return bool(says) and rules.hot_dice in {"no_bank", "forced"}


def memory(rules: Ruleset, number: int) -> tuple[int, int, Dice]:
    """What a number of dice to roll stands for, besides the dice."""
    return memories(rules)[(number - 1) // rules.dice]


def is_first(rules: Ruleset, number: int) -> bool:
    """Whether the throw to come is the first of its turn, where that matters."""
    return memory(rules, number)[0] == 0 < memories(rules)[-1][0]


def tries(rules: Ruleset, number: int) -> int:
    """How many times the dice that a number stands for are thrown if they farkle; 0 for ever."""
    if rules.first_throw_tries != 1 and is_first(rules, number):
        return rules.first_throw_tries
    return rules.last_die_tries if 1 == (number - 1) % rules.dice + 1 < rules.dice else 1


def counts(rules: Ruleset, number: int) -> bool:
    """Whether a farkle of the dice that a number stands for counts for the penalty."""
    when = rules.farkle_penalty.when if rules.farkle_penalty else "any"
    if when == "all_dice":
        return number % rules.dice == 0
    return when == "any" or is_first(rules, number)


@cache
def result(rules: Ruleset, roll: Dice, number: int = 0) -> Result:
    """What a roll leads to; `number` stands for the dice to roll if not for their number alone."""
    number = number or len(roll)
    first, (throws, doubt, held) = is_first(rules, number), memory(rules, number)
    here = in_throw(rules, len(roll), first=first)
    if held == PART:
        every = straight_parts(rules)
        held = next((part for part in every if len(part) + len(roll) == 6), ())
        if not held:
            return FARKLE
    elif (found := decided(here, roll)) is not None:
        return found
    most = memories(rules)[-1][0]
    leads = []
    for dice, worth in set_asides(rules, roll, first=first, held=held):
        to_come = to_confirm(here, doubt, (dice, worth), roll, held)
        after = held_after(rules, held, dice, roll)
        then = min(throws + 1, most), to_come, PART if is_part(rules, after) else after
        left = len(roll) - len(dice) or rules.dice
        leads.append((worth, left + rules.dice * memories(rules).index(then)))
    return frozenset(leads)


def is_over(rules: Ruleset, number: int) -> bool:
    """Whether the last throw of a turn was made."""
    return isinstance(rules, Ruleset) and 0 < rules.throws == memory(rules, number)[0]


def to_confirm(rules: Ruleset, before: int, kept: tuple[Dice, int], roll: Dice, held: Dice) -> int:
    """What is to be confirmed after a set-aside of a roll: points, or 1 where these do not count.

    before : what was to be confirmed
    held : a set of dice before, which some may match
    """
    dice, worth = kept
    if is_part(rules, held):
        dice = roll = (1, 2, 3, 4, 5, 6)
        held = ()
    elif is_part(rules, dice) and len(roll) == rules.dice and not worth:
        return before
    if in_doubt(rules, dice, roll, held) or (len(dice) == len(roll) and confirms_hot_dice(rules)):
        return rules.confirm_points or 1
    if any(str(face) in rules.confirm_faces for face in dice):
        return 0
    if rules.confirm_points:
        return max(0, before - worth)
    return before if rules.confirm_faces else 0


def in_doubt(rules: Ruleset, dice: Dice, roll: Dice, held: Dice) -> bool:
    """Whether a set-aside of a roll has to be confirmed."""
    if rules.confirm_faces:
        every = ways(rules, dice, without(roll, dice))
        most = max((worth for worth, _, _ in every), default=0)
        return bool(every) and all(
            doubt and not confirmed for worth, doubt, confirmed in every if worth == most
        )
    found = beside_set(rules, held, dice, without(roll, dice))
    return bool(found and found[1])


def numbers(rules: Ruleset) -> range:
    """Numbers of dice that a turn tells apart, and those that stand for a further memory."""
    return range(1, rules.dice * len(memories(rules)) + 1)


@cache
def rolls_of(dice: int) -> Counter[Dice]:
    """How often each roll of so many dice is there among all there are."""
    return Counter(tuple(sorted(roll)) for roll in product(range(1, 7), repeat=dice))


@cache
def outcomes(rules: Ruleset, number: int) -> dict[Result, float]:
    """What a roll of `number` dice may lead to, with the chances."""
    if not isinstance(rules, Ruleset):  # of somebody with own dice, see tests/naive_loaded.py
        own: dict[Result, float] = rules.results[number]
        return own
    chances: Counter[Result] = Counter()
    if is_over(rules, number) or not can_be_left(rules, number):
        return {FARKLE: 1.0}
    dice, (throws, doubt, held) = (number - 1) % rules.dice + 1, memory(rules, number)
    if doubt and not (rules.confirm_faces or rules.confirm_points):
        # a doubt changes nothing of it
        return outcomes(rules, dice + rules.dice * memories(rules).index((throws, 0, held)))
    for roll, how_often in rolls_of(dice).items():
        chances[result(rules, roll, number)] += how_often
    once = {found: count / 6**dice for found, count in chances.items()}
    if tries(rules, number) == 0:
        once.pop(FARKLE, None)
        return {found: chance / sum(once.values()) for found, chance in once.items()}
    every: dict[Result, float] = {}
    so_far = 1.0
    for left in range(tries(rules, number) - 1, -1, -1):
        for found, chance in once.items():
            if found != FARKLE or not left:
                every[found] = every.get(found, 0.0) + so_far * chance
        so_far *= once.get(FARKLE, 0.0)
    return every


# ---- Turns -----------------------------------------------------------------------------------


def levels(rules: Ruleset) -> int:
    """How many numbers of hot dice a turn tells apart: bonuses and points change with them."""
    times = len(rules.hot_dice_times)
    return max(1, len(rules.hot_dice_bonus), times + 1 if times else 1)


def can_be_left(rules: Ruleset, number: int) -> bool:
    """Whether the dice that a number stands for can be to roll, where throws combine."""
    if not (isinstance(rules, Ruleset) and rules.combine_throws):
        return True
    return (number - 1) % rules.dice + 1 == rules.dice - len(memory(rules, number)[2])


def column(rules: Ruleset, number: int, hot: int = 0) -> int:
    """Where the solver's arrays have dice to roll next: those of the first memory come last.

    Where points change with hot dice, each number of these has columns of its own, which come
    before those of fewer, without the memories before a first throw. Where throws combine one
    column is that of several memories, as the solver says; it is to be right for each of them.
    """
    which, left = divmod(number - 1, rules.dice)
    if isinstance(rules, Ruleset) and rules.combine_throws:
        throws, doubt, held = memory(rules, number)
        if not can_be_left(rules, number):
            throws, doubt, held, left = memories(rules)[-1][0], 0, (), 0
        total = int(throws > 0 or hot > 0 or held != ()) * rules.point_step
        held = tuple(reversed(held))
        turn = TurnState(total, left + 1, hot, doubt, throws, held_set=held)
        return turn_plan(rules).column(turn)
    some = memories(rules)
    later = some[sum(memory[0] < min(1, some[-1][0]) for memory in some) :]
    hots = len(rules.hot_dice_times) and levels(rules) - 1
    each = [*some, *(later * hots)]
    here = min(hot, hots)
    place = len(some) + (here - 1) * len(later) + later.index(some[which]) if here else which
    return (len(each) - 1 - place) * rules.dice + left


def level(rules: Ruleset, hot: int) -> int:
    """The level in which the solver's arrays have that many hot dice."""
    return 0 if rules.hot_dice_times else min(hot, levels(rules) - 1)


def number_of(
    rules: Ruleset, dice: int, total: int, *, doubt: int = 0, throws: int = 0, held: Dice = ()
) -> int:
    """What stands for dice to roll at a turn total, with a doubt or without, and with a set."""
    throws = min(max(throws, int(total > 0 or held != ())), memories(rules)[-1][0])
    held = PART if is_part(rules, held) else held
    return dice + rules.dice * memories(rules).index((throws, doubt, held))


def advance(rules: Ruleset, total: int, hot: int, choice: tuple[int, int]) -> tuple[int, int, int]:
    """Turn total, dice to roll and number of hot dice after a set-aside."""
    worth, left = choice
    if hot and rules.hot_dice_times:
        worth *= rules.hot_dice_times[min(hot, len(rules.hot_dice_times)) - 1]
    if left % rules.dice:
        return total + worth, left, hot
    bonus = rules.hot_dice_bonus or (0,)
    return total + worth + bonus[min(hot, len(bonus) - 1)], left, min(hot + 1, levels(rules) - 1)


@dataclass(frozen=True)
class Rolls:
    """What rolls lead to, as arrays over all choices of all rolls of any dice that score."""

    choice: npt.NDArray[np.intp]
    """Point steps added, dice to roll next and number of hot dice next, shape (choices, 3)."""
    first: npt.NDArray[np.intp]
    """Where the choices of each roll begin, and the end."""
    chance: Array
    """The chance of each roll."""
    rolls: npt.NDArray[np.intp]
    """Where the rolls of a number of dice after a number of hot dice begin and end, [n, h, 2]."""
    special: Array
    """The chances to win, to lose everything and to farkle with a number of dice, [n, 3]."""


@cache
def all_rolls(rules: Ruleset) -> Rolls:
    choice: list[tuple[int, int, int]] = []
    first = [0]
    chance: list[float] = []
    rolls = np.zeros((len(numbers(rules)) + 1, levels(rules), 2), dtype=np.intp)
    special = np.zeros((len(numbers(rules)) + 1, 3))
    for number, hot in product(numbers(rules), range(levels(rules))):
        found = outcomes(rules, number)
        special[number] = found.get("win", 0.0), found.get("lose", 0.0), found.get(FARKLE, 0.0)
        rolls[number, hot, 0] = len(chance)
        for what, how_often in found.items():
            if what and not isinstance(what, str):
                after = [advance(rules, 0, hot, one) for one in what]
                choice += [(one[0] // rules.point_step, *one[1:]) for one in after]
                first.append(len(choice))
                chance.append(how_often)
        rolls[number, hot, 1] = len(chance)
    return Rolls(
        np.array(choice, dtype=np.intp).reshape(-1, 3),
        np.array(first, dtype=np.intp),
        np.array(chance),
        rolls,
        special,
    )


def may_leave(rules: Ruleset, number: int) -> bool:
    """Whether a turn may be banked with so many dice to roll next; all of them are hot dice."""
    if memory(rules, number)[1] or memory(rules, number)[2] == PART:
        return False
    if is_over(rules, number):
        return True
    number = (number - 1) % rules.dice + 1
    if number == rules.dice:
        return rules.hot_dice == "optional"
    # of somebody with own dice numbers stand for dice
    left = number if isinstance(rules, Ruleset) else rules.left[number]
    return left <= rules.bank_dice_left


def turn(
    rules: Ruleset, bank: Array, farkle: Array, lose: Array, spared: Array | None = None
) -> Array:
    """W[i, n, h, ...] of turns with the same dice that may differ in what it is worth to end them.

    i is the turn total in point steps, n the number of dice to roll (0 is unused), h the number of
    hot dice. bank[i, ...] and farkle[i, ...] are worth a bank and a farkle, lose[...] a roll that
    loses everything. Turn totals past the last are worth the same as the last. A farkle that does
    not count for the penalty is worth spared[...], or as much as others.
    """
    every = len(numbers(rules)) + 1
    bank, farkle = (one[:, None].repeat(every, axis=1) for one in (bank, farkle))
    if spared is not None:
        farkle[:, [one for one in numbers(rules) if not counts(rules, one)]] = spared
    return turn_by_dice(rules, bank, farkle, lose)[0]


def turn_by_dice(rules: Ruleset, bank: Array, farkle: Array, lose: Array) -> tuple[Array, Array]:
    """W as of `turn`, and what rolling is worth, where ends are worth bank[i, n, ...] and so on."""
    rows, _, *shape = bank.shape
    every = all_rolls(rules)
    found = np.zeros((rows, len(numbers(rules)) + 1, levels(rules), *shape))
    rolled = np.zeros_like(found)
    fill(
        found.reshape(*found.shape[:3], -1),
        rolled.reshape(*found.shape[:3], -1),
        bank.reshape(*bank.shape[:2], -1),
        farkle.reshape(*bank.shape[:2], -1),
        lose.ravel(),
        np.array([may_leave(rules, number) for number in range(len(numbers(rules)) + 1)]),
        np.array([False, *(is_over(rules, number) for number in numbers(rules))]),
        every.choice,
        every.first,
        every.chance,
        every.rolls,
        every.special,
    )
    return found, rolled


@njit(cache=True)
def fill(
    found: Array,
    rolled: Array,
    bank: Array,
    farkle: Array,
    lose: Array,
    may_leave: npt.NDArray[np.bool_],
    is_over: npt.NDArray[np.bool_],
    choice: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    chance: Array,
    rolls: npt.NDArray[np.intp],
    special: Array,
) -> None:
    """Fill W from the last row to the first; `turn` and `Rolls` say what everything is."""
    rows, numbers, hots, size = found.shape
    last = rows - 1
    best = np.empty(size)
    for row in range(last, -1, -1):
        while True:
            change = 0.0
            for number in range(numbers - 1, 0, -1):
                for hot in range(hots):
                    win, lost, missed = special[number]
                    worth = win + lost * lose + missed * farkle[row, number]
                    begin, end = rolls[number, hot]
                    for roll in range(begin, end):
                        best[:] = 0.0
                        for total, left, new in choice[first[roll] : first[roll + 1]]:
                            after = found[min(row + total, last), left, new]
                            for one in range(size):
                                best[one] = max(best[one], after[one])
                        worth += chance[roll] * best
                    rolled[row, number, hot] = worth
                    if row > 0 and may_leave[number]:
                        least = np.full(size, -1.0) if is_over[number] else worth
                        worth = np.where(
                            bank[row, number] == -1.0, worth, np.maximum(least, bank[row, number])
                        )
                    change = max(change, np.max(np.abs(worth - found[row, number, hot])))
                    found[row, number, hot] = worth
            if row < last or change < 1e-15:  # only the last row leads to itself
                break


def start_of_turn(
    rules: Ruleset, bank: Array, farkle: Array, lose: Array, spared: Array | None = None
) -> Array:
    """W at the start of the turns, in the shape of `lose`."""
    found: Array = turn(rules, bank, farkle, lose, spared)[0, rules.dice, 0]
    return found


def turn_values(
    rules: Ruleset, bank: list[float | None], farkle: float
) -> Iterator[tuple[int, int, float]]:
    """W(t, n) of one turn by plain recursion; None where banking is not allowed; 1 beyond."""

    @cache
    def value(t: int, n: int) -> float:
        if t >= len(bank):
            return 1.0
        roll = sum(
            chance
            * max(
                (value(t + worth // rules.point_step, left) for worth, left in choices),
                default=farkle,
            )
            for choices, chance in outcomes(rules, n).items()
            if not isinstance(choices, str)
        )
        return max(roll, bank[t] or 0.0)

    for t in range(len(bank) - 1, -1, -1):
        for n in range(1, rules.dice + 1):
            yield t, n, value(t, n)


def goal_score(rules: Ruleset) -> int:
    """The least score that wins: the goal itself, or the next score above it."""
    return rules.goal + (rules.point_step if rules.goal_must_be == "exceeded" else 0)


def goes_beyond(rules: Ruleset, score: int) -> bool:
    """Whether a score is more than a goal that has to be met exactly."""
    return rules.goal_must_be == "exact" and score > rules.goal


def after_bank(rules: Ruleset, standing: Standing, total: int) -> Standing:
    """The standing after a bank."""
    score, _, on_board = standing
    if not goes_beyond(rules, score + total):
        return score + total, 0, True
    too_many = score + total - rules.goal
    if rules.beyond_goal == "back":
        return max(0, rules.goal - too_many), 0, True
    if rules.beyond_goal == "around":
        return min(too_many, rules.goal - rules.point_step), 0, True
    return score, 0, on_board


def other_after(
    rules: Ruleset, before: Standing, after: Standing, other: Standing, points: int
) -> Standing:
    """The standing of the other player once one has banked points, or kept them."""
    score, farkles, on_board = other
    if rules.beyond_goal == "given" and goes_beyond(rules, before[0] + points):
        more = score + points
        return other if goes_beyond(rules, more) else (more, farkles, True)
    costs = rules.caught_up
    if not points or not costs or score <= 0 or after[0] != score or before[0] == score:
        return other
    return 0 if costs == "everything" else max(0, score - costs), farkles, on_board


def kept_of(rules: Ruleset, standing: Standing, total: int) -> int:
    """What a farkle keeps of a turn total."""
    score, _, on_board = standing
    keeps = rules.farkle_keeps_turn_total and not goes_beyond(rules, score + total)
    return total if keeps and may_bank(rules, total, score, on_board=on_board) else 0


def matches(score: int, some: str) -> bool:
    """Whether a score is meant by "4900", "4050-4950" or "*50"; none of 0 or less is."""
    if score <= 0:
        return False
    if some[0] == "*":
        return str(score).zfill(len(some)).endswith(some[1:])
    ends = [int(one) for one in some.split("-")]
    return ends[0] <= score <= ends[-1]


def may_bank(rules: Ruleset, total: int, score: int, *, on_board: bool = True) -> bool:
    """Whether a turn total may be banked by a player with that score, hot dice aside."""
    if total <= 0:
        return False
    if goes_beyond(rules, score + total) and rules.beyond_goal == "no_bank":
        return False
    reaches_goal = score + total >= goal_score(rules)
    if reaches_goal and not rules.minimum_binds_win:
        return True
    if not reaches_goal and any(matches(score + total, some) for some in rules.no_bank_at):
        return False
    return total >= rules.minimum_bank and (on_board or total >= rules.opening_minimum)


def has_opening(rules: Ruleset) -> bool:
    """Whether it matters who is on the board."""
    return least_bank(rules, on_board=False) > least_bank(rules)


def least_bank(rules: Ruleset, *, on_board: bool = True) -> int:
    """The least turn total that may be banked far from the goal."""
    totals = count(rules.point_step, rules.point_step)
    least = rules.minimum_bank if on_board else max(rules.minimum_bank, rules.opening_minimum)
    return next(total for total in totals if total >= least)


# ---- Final turns and play-offs ---------------------------------------------------------------


def horizon(rules: Ruleset, error: float = 1e-12, most: int = 3000) -> int:
    """A number of point steps that turn totals may be cut off at.

    Turns that all banks past it end alike are cut there exactly. Where a lead of more points is
    better, the error is the chance to come so far at all, times the chance that the other player
    then gets so many points too. Raises ValueError where `most` steps are not enough.
    """
    step = rules.point_step
    span = (goal_score(rules) - rules.score_floor) // step
    enough = max(span, least_bank(rules, on_board=False) // step)
    if rules.ending == "at_once":
        return enough + (rules.goal // step if rules.goal_must_be == "exact" else 0)
    # reach[i][number, hot]: greatest chance that a turn gets i more point steps
    start = rules.dice, 0
    reach: list[dict[tuple[int, int], float]] = []
    for missing in range(most):
        reach.append({})
        for number, hot in product(reversed(numbers(rules)), range(levels(rules))):
            chance_of_all = 0.0
            for what, chance in outcomes(rules, number).items():
                if what and not isinstance(what, str):
                    after = (advance(rules, 0, hot, choice) for choice in what)
                    chance_of_all += chance * max(
                        reach[missing - total // step][left, new] if total < missing * step else 1.0
                        for total, left, new in after
                    )
            reach[missing][number, hot] = chance_of_all if missing else 1.0
        if missing >= enough and reach[missing][start] * reach[missing - span][start] < error:
            return missing
    raise ValueError("a turn may go on almost for ever")


@dataclass(frozen=True)
class FinalTurns:
    """Win probabilities of what comes after a bank that reached the goal."""

    chase: dict[bool, Array]
    """By whether on the board: chance to win with one turn left and i point steps behind."""
    play_off: float
    """Chance to win of the player who goes first in a play-off."""


def after_tie(rules: Ruleset, play_off: float) -> float:
    """What equal scores are worth to the player who was behind and has just drawn level."""
    return {"earlier": 0.0, "shared": 0.5, "played_on": 1 - play_off}[rules.ties]


def points_of_farkle(rules: Ruleset, total: int, *, on_board: bool) -> int:
    """What a farkle leaves of a turn total where only winning banks count."""
    kept = rules.farkle_keeps_turn_total and may_bank(
        rules, total, goal_score(rules), on_board=on_board
    )
    return total if kept else 0


def chase(
    rules: Ruleset, rows: int, tie: float, *, on_board: bool, answer: Array | None = None
) -> Array:
    """Chance to win for a player with one turn who is i point steps behind, shape (rows,).

    answer : what the other player has who is then i point steps behind, if that one has a turn
    """
    step = rules.point_step
    behind = np.arange(rows) * step
    last = max(rows, least_bank(rules, on_board=False) // step)
    if answer is not None:
        last += rows

    def worth(total: int) -> Array:
        beaten = np.zeros(rows)
        if answer is not None:
            beaten = answer[np.clip((total - behind) // step, 0, rows - 1)]
        return np.where(total > behind, 1.0 - beaten, np.where(total == behind, tie, 0.0))

    totals = range(0, (last + 1) * step, step)
    # a bank that is not enough has lost, so the minimum matters only for those that reach the goal
    allowed = [may_bank(rules, t, goal_score(rules), on_board=on_board) for t in totals]
    never = np.full(rows, NOT_ALLOWED)
    bank = [worth(t) if may else never for t, may in zip(totals, allowed, strict=True)]
    farkle = [worth(points_of_farkle(rules, t, on_board=on_board)) for t in totals]
    return start_of_turn(rules, np.array(bank), np.array(farkle), np.zeros(rows))


def in_last_turns(rules: Ruleset) -> Ruleset:
    """The rules of final turns and play-offs."""
    if not isinstance(rules, Ruleset) or not rules.final_throws:
        return rules
    return rules.model_copy(update={"throws": rules.final_throws, "final_throws": 0})


def final_turns(rules: Ruleset, rows: int, leader: Ruleset | None = None) -> FinalTurns:
    """Chances of final turns for leads of up to `rows` point steps, and of play-offs.

    leader : the rules as who leads plays them, and goes first in a play-off, where that one has
        other dice
    """
    rules, leader, step = in_last_turns(rules), in_last_turns(leader or rules), rules.point_step
    totals = range(0, rows * step, step)
    allowed = [may_bank(rules, t, goal_score(rules)) for t in totals]
    left = [points_of_farkle(rules, t, on_board=True) // step for t in totals]

    def first_turn(play_off: Array) -> Array:
        """A play-off's first turn, if the next play-off is worth that much."""
        second = chase(rules, rows, after_tie(rules, play_off[0]), on_board=True)
        bank = np.where(allowed, 1 - second, NOT_ALLOWED)
        return start_of_turn(leader, bank[:, None], 1 - second[left, None], np.zeros(1))

    play_off = 0.5
    if rules.ties == "played_on":
        play_off = float(fixed_point(first_turn, np.array([play_off]), 1e-14)[0])
    tie = after_tie(rules, play_off)
    answer = None
    if rules.ending == "defended":

        def returned(both: Array) -> Array:
            """What a final turn is worth to who chases and to who leads, from the other's."""
            players = rules, leader
            pairs = zip(players, both[::-1], strict=True)
            return np.array([chase(one, rows, tie, on_board=True, answer=it) for one, it in pairs])

        answer = fixed_point(returned, np.zeros((2, rows)), 1e-14)[1]
    return FinalTurns(
        {
            on_board: chase(rules, rows, tie, on_board=on_board, answer=answer)
            for on_board in (True, False)
        },
        play_off,
    )


# ---- Games -----------------------------------------------------------------------------------


def fixed_point(function: Callable[[Array], Array], start: Array, tolerance: float) -> Array:
    """Probabilities that a function maps to themselves.

    Anderson's mixing of the last few steps finds them sooner than the function alone; that they
    are mapped to themselves is checked in any case.
    """
    here = start
    places: list[Array] = []
    moves: list[Array] = []
    for _ in range(100_000):
        move = function(here) - here
        size = float(np.max(np.abs(move)))
        if size < tolerance:
            return here + move
        if moves and size > 2 * float(np.max(np.abs(moves[-1]))):
            places, moves = [], []  # the mixing went astray: go on from here alone
        places, moves = [*places[-5:], here], [*moves[-5:], move]
        here = here + move
        if len(moves) > 1:
            turns = np.diff([one.ravel() for one in moves], axis=0)
            paths = np.diff([one.ravel() for one in places], axis=0)
            weights = np.linalg.lstsq(turns.T, move.ravel(), rcond=1e-12)[0]
            here = np.clip(here - (weights @ (turns + paths)).reshape(here.shape), 0.0, 1.0)
    raise ArithmeticError("no fixed point found")


def exact_fixed_point(function: Callable[[Array], Array], start: Array, tolerance: float) -> Array:
    """A fixed point by Newton's method, for a slow function of few probabilities.

    With choices held fixed the function is linear, so that its slopes give the fixed point at once.
    """
    here = fixed_point(function, start, max(tolerance, 1e-7))
    nudge = 1e-6
    for _ in range(20):
        image = function(here)
        slopes = []
        for number in range(here.size):
            aside = here.copy()
            aside.ravel()[number] += nudge
            slopes.append((function(aside) - image).ravel() / nudge)
        way = np.linalg.solve(np.eye(here.size) - np.transpose(slopes), (image - here).ravel())
        here = here + way.reshape(here.shape)
        if np.max(np.abs(way)) < tolerance:
            return here
    raise ArithmeticError("no fixed point found")


def standings(rules: Ruleset) -> list[Standing]:
    """Every standing of a player before a turn."""
    scores = range(rules.score_floor, goal_score(rules), rules.point_step)
    return [
        (score, farkles, on_board)
        for on_board in ([False, True] if has_opening(rules) else [True])
        for farkles in range(rules.farkle_limit)
        for score in scores
        if on_board or score <= 0
    ]


def after_farkle(rules: Ruleset, standing: Standing, total: int) -> Standing:
    """The standing after a farkle with that turn total; at or past the goal where it is kept."""
    score, farkles, on_board = standing
    if kept_of(rules, standing, total):
        score, on_board = score + total, True
        if score >= goal_score(rules):
            return score, 0, on_board
    penalty = rules.farkle_penalty
    if penalty is None:
        return score, 0, on_board
    if farkles + 1 < penalty.in_a_row:
        return score, farkles + 1, on_board
    # more in a row than one fewer than cost points are told apart by nothing
    counted = penalty.in_a_row - 1 if penalty.then == "goes_on" else 0
    if penalty.points == "everything":
        return min(score, 0), counted, on_board
    return max(score - penalty.points, rules.score_floor), counted, on_board


def after_losing_everything(standing: Standing) -> Standing:
    score, _, on_board = standing
    return min(score, 0), 0, on_board


def value_iteration(
    rules: Ruleset,
    tolerance: float = 1e-13,
    find: Callable[[Callable[[Array], Array], Array, float], Array] = fixed_point,
) -> dict[tuple[bool, Standing, Standing], float]:
    """V of a small game: win probabilities of the player to start a turn.

    The keys say whether that player began (always True where this does not matter), and the
    standings of that player and of the other.
    """
    if rules.take_over != "nothing":
        return values_taken_over(rules)[0]
    if rules.beat_previous_turn:
        every = values_to_beat(rules)
        return {key[:3]: value for key, value in every.items() if not key[3]}
    found = values_of_players((rules,), tolerance, find)
    return {key[1:]: value for key, value in found.items()}


def values_of_players(  # noqa: PLR0915 - every end of a turn
    players: tuple[Ruleset, ...],
    tolerance: float = 1e-13,
    find: Callable[[Callable[[Array], Array], Array, float], Array] = fixed_point,
) -> dict[tuple[int, bool, Standing, Standing], float]:
    """V of a small game by player to act, and then as `value_iteration`.

    players : the rules as each of two players plays them, or as both do. All pairs of standings
        are one array (own, other).
    """
    rules = players[0]
    step, winning = rules.point_step, goal_score(rules)
    everyone = standings(rules)
    place = {standing: number for number, standing in enumerate(everyone)}
    rows = max(horizon(player) for player in players) + 1
    totals = range(0, rows * step, step)
    roles = list(product(range(len(players)), [True, False] if rules.has_roles else [True]))
    pairs = len(everyone), len(everyone)

    goal: dict[tuple[int, bool], Callable[[int], Array]] = {}
    """What it is worth to each role to end a turn with a score at or past the goal."""

    def last_word(who: int) -> Callable[[int], Array]:
        other = players[(who + 1) % len(players)]
        final = final_turns(other, rows + (winning - rules.score_floor) // step, players[who])
        on_board = np.array([standing[2] for standing in everyone])
        scores = np.array([standing[0] for standing in everyone])

        def worth(score: int) -> Array:
            behind = (score - scores) // step
            win: Array = np.where(on_board, final.chase[True][behind], final.chase[False][behind])
            return 1 - win

        return worth

    def won(_: int) -> Array:
        return np.ones(len(everyone))

    for who, began in roles:
        gives_final_turn = rules.ending in {"final_turn", "defended"} or (rules.has_roles and began)
        goal[who, began] = last_word(who) if gives_final_turn else won

    def go_on(
        role: tuple[int, bool], after: list[Standing | None], points: list[int] | None = None
    ) -> Callable[[Array], Array]:
        """What it is worth to end a turn with each standing (None: not allowed), given V.

        points : what was banked, or kept, from each standing
        """
        who, began = role
        opponent = (who + 1) % len(players), not began if rules.has_roles else began
        constant = np.full(pairs, NOT_ALLOWED)
        given = np.zeros(pairs, dtype=np.bool_)
        inside, to, theirs = [], [], []
        for number, standing in enumerate(after):
            if standing is not None and standing[0] >= winning:
                constant[number] = goal[role](standing[0])
            elif standing is not None:
                inside.append(number)
                to.append(place[standing])
                ended = everyone[number], standing
                gained = points[number] if points else 0
                those = [other_after(rules, *ended, one, gained) for one in everyone]
                given[number] = [one[0] >= winning for one in those]
                theirs.append([place.get(one, 0) for one in those])

        def worth(values: Array) -> Array:
            if not inside:
                return constant
            others = values[roles.index(opponent)]
            found = constant.copy()
            found[inside] = 1 - others[np.array(theirs), np.array(to)[:, np.newaxis]]
            found[given] = 0.0
            return found

        return worth

    def bank(standing: Standing, total: int) -> Standing | None:
        score, _, on_board = standing
        allowed = may_bank(rules, total, score, on_board=on_board)
        return after_bank(rules, standing, total) if allowed else None

    ends = {
        role: (
            [
                go_on(role, [bank(one, total) for one in everyone], [total] * len(everyone))
                for total in totals
            ],
            [
                go_on(
                    role,
                    [after_farkle(rules, one, total) for one in everyone],
                    [kept_of(rules, one, total) for one in everyone],
                )
                for total in totals
            ],
            go_on(role, [after_losing_everything(one) for one in everyone]),
            # a farkle that does not count
            go_on(role, [(score, 0, on_board) for score, _, on_board in everyone]),
        )
        for role in roles
    }

    def one_turn(values: Array) -> Array:
        """V from the V after one more turn."""
        found = []
        for role in roles:
            banks, farkles, lose, spared = ends[role]
            bank_values, farkle_values = (
                np.array([end(values) for end in some]) for some in (banks, farkles)
            )
            ended = bank_values, farkle_values, lose(values), spared(values)
            found.append(start_of_turn(players[role[0]], *ended))
        return np.array(found)

    values = find(one_turn, np.full((len(roles), *pairs), 0.5), tolerance)
    return {
        (*role, own, other): float(values[number, place[own], place[other]])
        for number, role in enumerate(roles)
        for own in everyone
        for other in everyone
    }


# ---- A number of rounds ----------------------------------------------------------------------


def values_of_rounds(rules: Ruleset, far: int) -> dict[tuple[Any, ...], Array]:
    """V of a game of rounds, by turns left, farkles and boards of both, at leads of the mover.

    far : point steps from which on leads are taken for this one; leads are from -far to far
    """
    step, leads = rules.point_step, np.arange(-far, far + 1)
    boards = [True, False] if has_opening(rules) else [True]
    kinds = list(product(range(rules.farkle_limit), boards))
    totals = [row * step for row in range(2 * far + least_bank(rules, on_board=False) // step + 1)]

    def ended(ties: Array) -> dict[tuple[Any, ...], Array]:
        won = (leads > 0) * 1.0
        pairs = product(kinds, kinds)
        return {pair: np.where(leads == 0, tie, won) for pair, tie in zip(pairs, ties, strict=True)}

    def turn_before(after: dict[tuple[Any, ...], Array]) -> dict[tuple[Any, ...], Array]:
        found: dict[tuple[Any, ...], Array] = {}
        for own, other in product(kinds, kinds):

            def left(standing: Standing, other: tuple[int, bool] = other) -> Array:
                score, farkles, on_board = standing
                theirs = np.clip(-leads - score // step, -far, far) + far
                return np.asarray(1 - after[other, (farkles, on_board)][theirs])

            start = 0, *own
            never = np.full(len(leads), NOT_ALLOWED)
            bank = [
                left(after_bank(rules, start, total))
                if may_bank(rules, total, 0, on_board=own[1])
                else never
                for total in totals
            ]
            farkle = [left(after_farkle(rules, start, total)) for total in totals]
            ends = np.array(bank), np.array(farkle), np.zeros(len(leads))
            found[own, other] = start_of_turn(rules, *ends)
        return found

    ties = np.full(len(kinds) ** 2, 0.5)
    if rules.ties == "played_on":

        def played_on(worth: Array) -> Array:
            again = turn_before(turn_before(ended(worth)))
            return np.array([values[far] for values in again.values()])

        ties = fixed_point(played_on, ties, 1e-14)
    found: dict[tuple[Any, ...], Array] = {}
    after = ended(ties)
    for turns in range(1, 2 * rules.rounds + 1):
        after = turn_before(after)
        found |= {(turns, *pair): values for pair, values in after.items()}
    return found


# ---- Taking over what the player before left -------------------------------------------------


def values_taken_over(  # noqa: PLR0915 - every end of a turn
    rules: Ruleset, tolerance: float = 1e-14
) -> tuple[dict[tuple[bool, Standing, Standing], float], dict[tuple[Any, ...], float]]:
    """V of a small game as of `value_iteration`, and R of every state that may be taken over.

    R has the turn total and the number of dice behind the keys of V: the chance to win of a player
    who rolls these dice, having taken over these points.
    """
    step, winning, everyone = rules.point_step, goal_score(rules), standings(rules)
    rows, dice = horizon(rules) + 1, range(1, rules.dice + 1)
    states = list(product([True, False][: 1 + rules.has_roles], everyone, everyone))
    place = {state: number for number, state in enumerate(states)}
    banked, lost = (rules.take_over in {one, "both"} for one in ("banked", "lost"))
    ends = len(numbers(rules)) + 1
    tie = after_tie(rules, 0.5)

    @cache
    def last(margin: int, on_board: bool) -> Array:
        """What rolling is worth in a final turn `margin` points behind."""
        bank = np.full((rows + margin // step + 1, ends, 1), NOT_ALLOWED)
        for row in range(len(bank)):
            if may_bank(rules, row * step, goal_score(rules), on_board=on_board):
                more = row * step - margin
                bank[row] = 1.0 if more > 0 else tie if more == 0 else 0.0
        rolled = turn_by_dice(rules, bank, np.zeros_like(bank), np.zeros(1))[1]
        return np.asarray(rolled[:, :, 0, 0])

    def may_take(standing: Standing, number: int) -> bool:
        score, _, on_board = standing
        late = score >= rules.take_over_from
        return on_board and late and number <= rules.take_over_dice

    # what the next player may have is one array: V, R, and from `won` on what is always the same
    won = len(states) * (1 + rows * ends)
    never = won + 1
    fixed = [0.0, 1 - NOT_ALLOWED]

    def next_has(state: tuple[Any, ...], total: int, number: int, *, may: bool) -> tuple[int, int]:
        """Where two things stand of which the next player, with such a rest, has the better."""
        begun = place[state]
        if not (may and may_take(state[1], number) and total > 0):
            return begun, begun
        row = begun * rows + total // step
        return begun, len(states) + row * ends + number_of(rules, number, total)

    def end(
        state: tuple[Any, ...], row: int, number: int
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where it stands what the next player has after a bank, and after a farkle."""
        began, own, other = state
        score, _, on_board = own
        after, total = not began if rules.has_roles else began, row * step
        left = (number - 1) % rules.dice + 1
        costs = after_farkle(rules, own, total) if counts(rules, number) else (score, 0, on_board)
        farkle = next_has((after, other, costs), total, left, may=lost)
        if not may_bank(rules, total, score, on_board=on_board):
            return (never, never), farkle
        if score + total < winning:
            banks = next_has((after, other, (score + total, 0, True)), total, left, may=banked)
            return banks, farkle
        if rules.ending == "at_once" or (rules.has_roles and not began):
            return (won, won), farkle
        rolls = last(score + total - other[0], other[2])
        may = banked and may_take(other, left)
        taken = rolls[row, number_of(rules, left, total)] if may else 0.0
        fixed.append(max(float(rolls[0, rules.dice]), taken))
        return (won + len(fixed) - 1,) * 2, farkle

    banks, farkles = np.full((2, rows, ends, len(states), 2), never)
    for row, number in product(range(rows), numbers(rules)):
        for k, state in enumerate(states):
            banks[row, number, k], farkles[row, number, k] = end(state, row, number)

    def once(v: Array, r: Array) -> tuple[Array, Array]:
        has = np.concatenate([v, r.ravel(), fixed])
        bank, farkle = (1 - has[ended].max(axis=-1) for ended in (banks, farkles))
        rolled = turn_by_dice(rules, bank, farkle, np.zeros(len(states)))[1]
        return rolled[0, rules.dice, 0], np.moveaxis(rolled[:, :, 0], 2, 0)

    # where turn totals are cut off, those near the end are too far from exact to be told
    told = rows if rules.ending == "at_once" else max(rows // 5, winning // step + 1)
    v, r = np.full(len(states), 0.5), np.full((len(states), rows, ends), 0.5)
    for _ in range(10_000):
        begun, taken = once(v, r)
        change = max(np.max(np.abs(begun - v)), np.max(np.abs(taken - r)))
        v, r = begun, taken
        if change < tolerance:
            break
    return (
        {state: float(v[k]) for k, state in enumerate(states)},
        {
            (*state, row * step, number): float(r[k, row, number_of(rules, number, row)])
            for k, state in enumerate(states)
            for row, number in product(range(1, told), dice)
        },
    )


# ---- Turns that have to beat the one before --------------------------------------------------


def values_to_beat(
    rules: Ruleset, tolerance: float = 1e-14
) -> dict[tuple[bool, Standing, Standing, int], float]:
    """V of a small game by who began, both standings as of `value_iteration`, and what to beat."""
    step, winning, everyone = rules.point_step, goal_score(rules), standings(rules)
    states = [
        (began, own, other, points)
        for began in ([True, False] if rules.has_roles else [True])
        for own, other in product(everyone, everyone)
        # who has just farkled, or never banked, has left nothing to beat
        for points in range(
            0, (other[0] - rules.score_floor) * (not other[1] and other[2]) + 1, step
        )
    ]
    place = {state: number for number, state in enumerate(states)}
    rows = horizon(rules) + winning // step + 1
    won, never = len(states), len(states) + 1

    finals: dict[tuple[int, int, bool], int] = {}

    def after(state: tuple[bool, Standing, Standing, int], total: int) -> int:
        began, own, other, points = state
        allowed = may_bank(rules, total, own[0], on_board=own[2])
        if not allowed or total <= points:
            return never
        standing, last = after_bank(rules, own, total), rules.has_roles and not began
        if standing[0] < winning:
            return place[began != rules.has_roles, other, standing, total]
        if rules.ending == "at_once" or last:
            return won
        behind = standing[0] - other[0], total, other[2]
        return never + 1 + finals.setdefault(behind, len(finals))

    banks = np.array([[after(one, row * step) for one in states] for row in range(rows)])
    farkles = np.array(
        [
            place[began != rules.has_roles, b, after_farkle(rules, a, 0), 0]
            for began, a, b, _ in states
        ]
    )

    def final_turns() -> Array:
        """The chance to win with one turn left, which has to beat two things."""
        bank = np.full((2 * rows, len(finals)), NOT_ALLOWED)
        for (behind, points, on_board), k in finals.items():
            for row in range(points // step + 1, 2 * rows):
                if may_bank(rules, row * step, winning, on_board=on_board):
                    tie = after_tie(rules, 0.5) if row * step == behind else 0.0
                    bank[row, k] = 1.0 if row * step > behind else tie
        lost = np.zeros(len(finals))
        return start_of_turn(in_last_turns(rules), bank, np.zeros(bank.shape), lost)

    last = final_turns() if finals else np.zeros(0)

    def one_turn(values: Array) -> Array:
        bank = np.concatenate([1 - values, [1.0, NOT_ALLOWED], 1 - last])[banks]
        farkle = np.tile(1 - values[farkles], (rows, 1))
        return start_of_turn(rules, bank, farkle, np.zeros(len(states)))

    found = fixed_point(one_turn, np.full(len(states), 0.5), tolerance)
    return {state: float(found[number]) for state, number in place.items()}
