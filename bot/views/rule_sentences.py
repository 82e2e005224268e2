"""House rules option by option in plain sentences, as a person would explain them."""

from dataclasses import dataclass

from solver.rules import FACES, Ruleset
from solver.scoring import farkle_probability

COUNTS = ("no", "one", "two", "three", "four", "five", "six")
ORDINALS = (
    *("no", "first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)


@dataclass(frozen=True, slots=True)
class Topic:
    """One option of a rule set: what it comes to in play, and a sentence that says so."""

    option: str
    """Its key in a file of rules."""
    value: object
    """Equal for rules that play the same as far as this option goes; fit for JSON."""
    sentence: str
    """Empty where the option means nothing."""
    is_special: bool = True
    """Whether an explanation of the rules has to say it: the simplest game does without."""


def turn_topics(rules: Ruleset) -> list[Topic]:
    """What may and must be done in a turn."""
    return [
        _set_aside(rules),
        _hot_dice(rules),
        _hot_dice_bonus(rules),
        *_minimums(rules),
        _farkle(rules),
        *_penalty(rules),
        _instant_win(rules),
        _lose_everything(rules),
    ]


def end_topics(rules: Ruleset) -> list[Topic]:
    """How the game ends."""
    more = "more than " if rules.goal_must_be == "exceeded" else ""
    goal = f"The goal is {more}{rules.goal:,} points."
    ending = {
        "at_once": "A bank that reaches the goal wins at once.",
        "final_turn": "A bank that reaches the goal gives the other player one final turn to beat"
        " that score.",
        "equal_turns": "Both players have as many turns: when the player who began reaches the"
        " goal, the other has one final turn to beat that score; when the other reaches it first,"
        " that wins at once.",
    }[rules.ending]
    return [
        Topic("goal", rules.winning_score, goal),
        Topic("ending", rules.ending, ending),
        _ties(rules),
    ]


def _set_aside(rules: Ruleset) -> Topic:
    every = "Every die that scores must be set aside: none may be left that could score as well."
    free = "Of the dice that score, any may be set aside."
    is_special = rules.set_aside_all
    return Topic("set_aside_all", is_special, every if is_special else free, is_special)


def _hot_dice(rules: Ruleset) -> Topic:
    when = "When all dice are set aside (hot dice), all"
    if rules.dice == 1:
        when = "When the die is set aside (hot dice), it"
    then = {
        "optional": "may be rolled again.",
        "no_bank": "must be rolled again, without a bank.",
        "forced": "must be rolled again, without a bank; and a roll that scores with all its dice"
        " must be set aside whole.",
    }[rules.hot_dice]
    return Topic("hot_dice", rules.hot_dice, f"{when} {then}")


def _hot_dice_bonus(rules: Ruleset) -> Topic:
    bonus = list(rules.hot_dice_bonus)
    while len(bonus) > 1 and bonus[-1] == bonus[-2]:
        bonus.pop()
    if not any(bonus):
        return Topic("hot_dice_bonus", [], "Hot dice add no points.", is_special=False)
    if len(bonus) == 1:
        sentence = f"Hot dice add {bonus[0]:,} points to the turn total, every time."
    else:
        *others, last = [
            f"{points:,} the {ORDINALS[time]} time" for time, points in enumerate(bonus, 1)
        ]
        last = last.replace(" the ", " from the ")
        sentence = (
            f"Hot dice add points to the turn total: {', '.join(others)} in a turn, and {last} on."
        )
    return Topic("hot_dice_bonus", bonus, sentence)


def _minimums(rules: Ruleset) -> list[Topic]:
    """Those that are more than the least that a turn can bring."""
    least = rules.point_step
    minimum = rules.minimum_bank if rules.minimum_bank > least else 0
    opening = rules.opening_minimum if rules.opening_minimum > max(minimum, least) else 0
    topics = []
    if opening:
        sentence = (
            f"The first bank of a player must be at least {opening:,}, and puts the player on the"
            " board for good."
        )
    else:
        sentence = "The first bank of a player is like any other."
    topics.append(Topic("opening_minimum", opening, sentence, bool(opening)))
    what = "any turn total may be banked"
    if minimum:
        what = f"a turn total may be banked from {minimum:,} up"
    sentence = f"Once on the board, {what}." if opening else f"{what[0].upper()}{what[1:]}."
    topics.append(Topic("minimum_bank", minimum, sentence, bool(minimum or opening)))
    some = bool(minimum or opening)
    noun, verb = ("minimums", "hold") if minimum and opening else ("minimum", "holds")
    sentence = f"The {noun} {verb} for a bank that reaches the goal, too."
    if not rules.minimum_binds_win:
        sentence = "A bank that reaches the goal needs no minimum."
    binds = rules.minimum_binds_win if some else None
    topics.append(Topic("minimum_binds_win", binds, sentence if some else "", some))
    return topics


def _farkle(rules: Ruleset) -> Topic:
    roll = f"A roll of fewer than {rules.dice} dice" if rules.scoring.nothing else "A roll"
    sentence = f"{roll} in which nothing scores is a farkle: it ends the turn and"
    if not any(farkle_probability(rules, number) for number in range(1, rules.dice + 1)):
        sentence = "Every roll scores: there is no farkle."
    elif rules.farkle_keeps_turn_total:
        sentence += " banks the turn total where that might have been banked."
        if rules.farkle_penalty:
            sentence += " It still counts as a farkle."
    else:
        sentence += " loses the turn total."
    return Topic("farkle_keeps_turn_total", rules.farkle_keeps_turn_total, sentence)


def _penalty(rules: Ruleset) -> list[Topic]:
    penalty = rules.farkle_penalty
    if not penalty:
        return [
            Topic("farkle_penalty", None, "Farkles in a row cost nothing.", is_special=False),
            Topic("score_floor", 0, "No score falls below 0.", is_special=False),
        ]
    everything = penalty.points == "everything"
    what = "takes a score above 0 down to 0" if everything else f"costs {penalty.points:,} points"
    if penalty.in_a_row == 1:
        sentence = f"Every farkle {what}."
    else:
        number = ORDINALS[penalty.in_a_row]
        sentence = f"The {number} farkle in a row {what}, and the count starts again."
    if rules.farkle_keeps_turn_total:
        sentence += " That comes after the bank, unless the bank has reached the goal."
    floor = rules.score_floor
    below = "No score falls below 0."
    if floor:
        below = f"The solver takes a score below {floor:,} for {floor:,}."
    return [
        Topic("farkle_penalty", penalty.model_dump(), sentence),
        Topic("score_floor", floor, below, not everything),
    ]


def _instant_win(rules: Ruleset) -> Topic:
    sentence = "No roll wins the game at once."
    if rules.instant_win:
        sentence = f"A roll {_patterns(rules, rules.instant_win)} wins the game at once."
    patterns = _canonical(rules.instant_win)
    return Topic("instant_win", patterns, sentence, bool(patterns))


def _lose_everything(rules: Ruleset) -> Topic:
    patterns = _canonical(rules.lose_everything)
    if not patterns:
        return Topic("lose_everything", [], "No roll loses everything.", is_special=False)
    sentence = (
        f"A roll {_patterns(rules, rules.lose_everything)} loses everything: it ends the turn,"
        " loses the turn total and takes a score above 0 down to 0"
    )
    if rules.farkle_penalty and rules.farkle_penalty.in_a_row > 1:
        sentence += "; the count of farkles in a row starts again"
    if rules.has_opening:
        sentence += "; who is on the board stays there"
    if rules.instant_win:
        sentence += "; but a roll that wins at once does not lose"
    return Topic("lose_everything", patterns, f"{sentence}.")


def _ties(rules: Ruleset) -> Topic:
    if rules.ending == "at_once":
        return Topic("ties", None, "", is_special=False)
    sentence = {
        "earlier": "the player who reached the goal first wins.",
        "shared": "each player wins half the game.",
        "played_on": "both play one more turn each, first the player whose turn it is, until one"
        " gets more points in it than the other.",
    }[rules.ties]
    sentence = f"If the scores are equal after that, {sentence}"
    parts = []
    if rules.ties == "played_on":
        if rules.farkle_penalty:
            parts.append("farkles cost nothing")
        if rules.minimum_bank > rules.point_step or rules.has_opening:
            free = "" if rules.minimum_binds_win else " unless the bank wins"
            parts.append(f"a minimum holds{free}")
        if rules.lose_everything:
            parts.append("a roll that loses everything loses the game")
    if parts:
        sentence += f" In these turns {_listed(parts, 'and')}."
    return Topic("ties", rules.ties, sentence)


def _canonical(patterns: tuple[str, ...]) -> list[str]:
    return sorted({"".join(sorted(pattern)) for pattern in patterns})


def _patterns(rules: Ruleset, patterns: tuple[str, ...]) -> str:
    """Patterns of a roll in words: "with four or more 2s or six of a kind"."""
    words = [_pattern(one, whole=len(one) == rules.dice) for one in _canonical(patterns)]
    return f"with {_listed(words, 'or')}"


def _listed(parts: list[str], last: str) -> str:
    *others, end = parts
    return f"{', '.join(others)} {last} {end}" if others else end


def _pattern(pattern: str, *, whole: bool) -> str:
    number = COUNTS[len(pattern)] + ("" if whole else " or more")
    if "x" in pattern:
        return f"{number} of a kind"
    if len(pattern) == 1:
        return f"a {pattern}"
    if len(set(pattern)) == 1:
        return f"{number} {pattern[0]}s"
    return " ".join(pattern)


def of_a_kind_points(rules: Ruleset, number: int) -> list[int]:
    """Points of `number` dice of one kind taken as one combination, for the faces 1 to 6."""
    scoring = rules.scoring
    least = 0
    if number == 6 and "six_of_a_kind" in scoring.three_pairs_include:
        least = scoring.three_pairs
    return [max(least, scoring.of_a_kind(face, number)) for face in FACES]


def combination_points(rules: Ruleset) -> dict[str, int]:
    """Points of the combinations of different faces, by their names; 0 if one is none."""
    scoring = rules.scoring
    pairs = scoring.three_pairs if "four_and_two" in scoring.three_pairs_include else 0
    named = {
        "1 2 3 4 5 6": (6, scoring.straight_1_6),
        "1 2 3 4 5": (5, scoring.straight_1_5),
        "2 3 4 5 6": (5, scoring.straight_2_6),
        "three pairs": (6, scoring.three_pairs),
        "four of a kind and a pair": (6, max(scoring.four_and_two, pairs)),
        "two triplets": (6, scoring.two_triplets),
    }
    found = {name: points for name, (dice, points) in named.items() if dice <= rules.dice}
    all_dice = "a die" if rules.dice == 1 else f"{COUNTS[rules.dice]} dice"
    return {**found, f"{all_dice} without any score": scoring.nothing}


def parts_points(rules: Ruleset, face: int, number: int) -> int:
    """Most points of `number` dice of a `face`, as one combination or several; 0 if none."""
    own = [0, *(of_a_kind_points(rules, n)[face - 1] for n in range(1, number + 1))]
    best = [0]
    for dice in range(1, number + 1):
        splits = [(own[n], dice - n) for n in range(1, dice + 1) if own[n]]
        ways = [points + best[rest] for points, rest in splits if best[rest] or not rest]
        best.append(max(ways, default=0))
    return best[number]
