"""House rules option by option in plain sentences, as a person would explain them."""

from dataclasses import dataclass

from bot.views.layout import and_text
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.scoring import farkle_probability
from solver.wording import say, say_later

COUNTS = (
    say_later("one"),
    say_later("two"),
    say_later("three"),
    say_later("four"),
    say_later("five"),
    say_later("six"),
)
"""Numbers of dice in words, from one."""

_TIMES = (
    say_later("{points:,} the first time"),
    say_later("{points:,} the second time"),
    say_later("{points:,} the third time"),
    say_later("{points:,} the fourth time"),
    say_later("{points:,} the fifth time"),
    say_later("{points:,} the sixth time"),
    say_later("{points:,} the seventh time"),
    say_later("{points:,} the eighth time"),
    say_later("{points:,} the ninth time"),
    say_later("{points:,} the tenth time"),
    say_later("{points:,} the eleventh time"),
)
_LAST_TIME = (
    say_later("{points:,} from the second time on"),
    say_later("{points:,} from the third time on"),
    say_later("{points:,} from the fourth time on"),
    say_later("{points:,} from the fifth time on"),
    say_later("{points:,} from the sixth time on"),
    say_later("{points:,} from the seventh time on"),
    say_later("{points:,} from the eighth time on"),
    say_later("{points:,} from the ninth time on"),
    say_later("{points:,} from the tenth time on"),
    say_later("{points:,} from the eleventh time on"),
    say_later("{points:,} from the twelfth time on"),
)
"""After one other time, after two and so on."""

_COSTS_POINTS = (
    say_later("Every farkle costs {points:,} points."),
    say_later("The second farkle in a row costs {points:,} points, and the count starts again."),
    say_later("The third farkle in a row costs {points:,} points, and the count starts again."),
    say_later("The fourth farkle in a row costs {points:,} points, and the count starts again."),
    say_later("The fifth farkle in a row costs {points:,} points, and the count starts again."),
)
_COSTS_EVERYTHING = (
    say_later("Every farkle takes a score above 0 down to 0."),
    say_later(
        "The second farkle in a row takes a score above 0 down to 0, and the count starts again."
    ),
    say_later(
        "The third farkle in a row takes a score above 0 down to 0, and the count starts again."
    ),
    say_later(
        "The fourth farkle in a row takes a score above 0 down to 0, and the count starts again."
    ),
    say_later(
        "The fifth farkle in a row takes a score above 0 down to 0, and the count starts again."
    ),
)
_NOTHING = (
    say_later("a die without any score"),
    say_later("two dice without any score"),
    say_later("three dice without any score"),
    say_later("four dice without any score"),
    say_later("five dice without any score"),
    say_later("six dice without any score"),
)
"""The roll of all the dice, of which there are one to six, in which nothing scores."""


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
    goal = say("The goal is {goal:,} points.", goal=rules.goal)
    if rules.goal_must_be == "exceeded":
        goal = say("The goal is more than {goal:,} points.", goal=rules.goal)
    ending = {
        "at_once": say("A bank that reaches the goal wins at once."),
        "final_turn": say(
            "After a bank that reaches the goal, the other player has one final turn to beat that"
            " score."
        ),
        "equal_turns": say(
            "Both players get the same number of turns: if the player who began reaches the goal,"
            " the other has one final turn to beat that score; if the other reaches it first, that"
            " wins at once."
        ),
    }[rules.ending]
    return [
        Topic("goal", rules.winning_score, goal),
        Topic("ending", rules.ending, ending),
        _ties(rules),
    ]


def _set_aside(rules: Ruleset) -> Topic:
    sentence = say("Any of the dice that score may be set aside.")
    is_special = rules.set_aside_all
    if is_special:
        sentence = say(
            "Every die that scores must be set aside; none that could score may be rolled again."
        )
    return Topic("set_aside_all", is_special, sentence, is_special)


def _hot_dice(rules: Ruleset) -> Topic:
    all_dice = {
        "optional": say("When all dice are set aside (hot dice), all may be rolled again."),
        "no_bank": say(
            "When all dice are set aside (hot dice), all must be rolled again; you cannot bank."
        ),
        "forced": say(
            "When all dice are set aside (hot dice), all must be rolled again; you cannot bank,"
            " and if all dice of a roll score, all must be set aside."
        ),
    }
    one_die = {
        "optional": say("When the die is set aside (hot dice), it may be rolled again."),
        "no_bank": say(
            "When the die is set aside (hot dice), it must be rolled again; you cannot bank."
        ),
        "forced": say(
            "When the die is set aside (hot dice), it must be rolled again; you cannot bank, and"
            " if all dice of a roll score, all must be set aside."
        ),
    }
    sentences = one_die if rules.dice == 1 else all_dice
    return Topic("hot_dice", rules.hot_dice, sentences[rules.hot_dice])


def _hot_dice_bonus(rules: Ruleset) -> Topic:
    bonus = list(rules.hot_dice_bonus)
    while len(bonus) > 1 and bonus[-1] == bonus[-2]:
        bonus.pop()
    if not any(bonus):
        sentence = say("Hot dice add no points.")
        return Topic("hot_dice_bonus", [], sentence, is_special=False)
    *others, last = bonus
    if others:
        sentence = say(
            "Hot dice add points to the turn total: {others} in a turn, and {last}.",
            others=", ".join(say(_TIMES[k], points=points) for k, points in enumerate(others)),
            last=say(_LAST_TIME[len(others) - 1], points=last),
        )
    else:
        sentence = say("Hot dice add {points:,} points to the turn total, every time.", points=last)
    return Topic("hot_dice_bonus", bonus, sentence)


def _minimums(rules: Ruleset) -> list[Topic]:
    """Those that are more than the least that a turn can bring."""
    least = rules.point_step
    minimum = rules.minimum_bank if rules.minimum_bank > least else 0
    opening = rules.opening_minimum if rules.opening_minimum > max(minimum, least) else 0
    topics = []
    sentence = say("A player's first bank is like any other.")
    if opening:
        sentence = say(
            "A player's first bank must be at least {points:,}, and puts the player on the board"
            " for good.",
            points=opening,
        )
    topics.append(Topic("opening_minimum", opening, sentence, bool(opening)))
    if opening and minimum:
        sentence = say(
            "Once on the board, a player may bank a turn total of {points:,} or more.",
            points=minimum,
        )
    elif opening:
        sentence = say("Once on the board, a player may bank any turn total.")
    elif minimum:
        sentence = say("A turn total of {points:,} or more may be banked.", points=minimum)
    else:
        sentence = say("Any turn total may be banked.")
    some = bool(minimum or opening)
    topics.append(Topic("minimum_bank", minimum, sentence, some))
    if not rules.minimum_binds_win:
        sentence = say("A bank that reaches the goal needs no minimum.")
    elif minimum and opening:
        sentence = say("The minimums also apply to a bank that reaches the goal.")
    else:
        sentence = say("The minimum also applies to a bank that reaches the goal.")
    binds = rules.minimum_binds_win if some else None
    topics.append(Topic("minimum_binds_win", binds, sentence if some else "", some))
    return topics


def _farkle(rules: Ruleset) -> Topic:
    if not any(farkle_probability(rules, number) for number in range(1, rules.dice + 1)):
        sentence = say("Every roll scores: there is no farkle.")
    elif rules.farkle_keeps_turn_total:
        sentence = say(
            "A roll in which nothing scores is a farkle: it ends the turn, but the turn total is"
            " banked if it could have been banked before the roll."
        )
        if rules.scoring.nothing:
            sentence = say(
                "A roll of fewer than {dice} dice in which nothing scores is a farkle: it ends the"
                " turn, but the turn total is banked if it could have been banked before the roll.",
                dice=rules.dice,
            )
        if rules.hot_dice != "optional":
            sentence += " " + say(
                "That goes for a turn total after hot dice too, although you cannot bank it"
                " yourself."
            )
        if rules.farkle_penalty:
            sentence += " " + say("It still counts as a farkle.")
    elif rules.scoring.nothing:
        sentence = say(
            "A roll of fewer than {dice} dice in which nothing scores is a farkle: it ends the turn"
            " and loses the turn total.",
            dice=rules.dice,
        )
    else:
        sentence = say(
            "A roll in which nothing scores is a farkle: it ends the turn and loses the turn total."
        )
    return Topic("farkle_keeps_turn_total", rules.farkle_keeps_turn_total, sentence)


def _penalty(rules: Ruleset) -> list[Topic]:
    penalty = rules.farkle_penalty
    never_below = say("No score falls below 0.")
    if not penalty:
        free = say("Farkles in a row cost nothing.")
        return [
            Topic("farkle_penalty", None, free, is_special=False),
            Topic("score_floor", 0, never_below, is_special=False),
        ]
    everything = penalty.points == "everything"
    costs = _COSTS_EVERYTHING if everything else _COSTS_POINTS
    sentence = say(costs[penalty.in_a_row - 1], points=penalty.points)
    if rules.farkle_keeps_turn_total:
        sentence += " " + say("That happens after the bank, unless the bank reached the goal.")
    floor = rules.score_floor
    below = never_below
    if floor:
        below = say("For the chances, a score below {floor:,} counts as {floor:,}.", floor=floor)
    return [
        Topic("farkle_penalty", penalty.model_dump(), sentence),
        Topic("score_floor", floor, below, not everything),
    ]


def _instant_win(rules: Ruleset) -> Topic:
    patterns = _canonical(rules.instant_win)
    sentence = say("No roll wins the game at once.")
    if patterns:
        sentence = say(
            "A roll with {patterns} wins the game at once.",
            patterns=_any_of(rules, patterns),
        )
    return Topic("instant_win", patterns, sentence, bool(patterns))


def _lose_everything(rules: Ruleset) -> Topic:
    patterns = _canonical(rules.lose_everything)
    if not patterns:
        sentence = say("No roll loses everything.")
        return Topic("lose_everything", [], sentence, is_special=False)
    more = ""
    if rules.farkle_penalty and rules.farkle_penalty.in_a_row > 1:
        more += say("; the count of farkles in a row starts again")
    if rules.has_opening:
        more += say("; players on the board stay there")
    if rules.instant_win:
        more += say("; but a roll that wins at once does not lose")
    sentence = say(
        "A roll with {patterns} loses everything: it ends the turn, loses the turn total and takes"
        " a score above 0 down to 0{more}.",
        patterns=_any_of(rules, patterns),
        more=more,
    )
    return Topic("lose_everything", patterns, sentence)


def _ties(rules: Ruleset) -> Topic:
    if rules.ending == "at_once":
        return Topic("ties", None, "", is_special=False)
    sentence = {
        "earlier": say(
            "If the scores are equal after that, the player who reached the goal first wins."
        ),
        "shared": say("If the scores are equal after that, each player wins half the game."),
        "played_on": say(
            "If the scores are equal after that, both play one more turn each, beginning with the"
            " player whose turn it is, until one of them scores more than the other."
        ),
    }[rules.ties]
    parts = []
    if rules.ties == "played_on":
        if rules.farkle_penalty:
            parts.append(say("farkles cost nothing"))
        if rules.minimum_bank > rules.point_step or rules.has_opening:
            binds = rules.minimum_binds_win
            free = say("the minimum applies unless the bank wins")
            parts.append(say("the minimum applies") if binds else free)
        if rules.lose_everything:
            parts.append(say("a roll that loses everything loses the game"))
    if parts:
        sentence += " " + say("In these turns, {clauses}.", clauses=and_text(parts))
    return Topic("ties", rules.ties, sentence)


def _canonical(patterns: tuple[str, ...]) -> list[str]:
    return sorted({"".join(sorted(pattern)) for pattern in patterns})


def _any_of(rules: Ruleset, patterns: list[str]) -> str:
    """Patterns of a roll in words: "four or more 2s or six of a kind"."""
    *others, last = (_pattern(one, whole=len(one) == rules.dice) for one in patterns)
    return say("{others} or {last}", others=", ".join(others), last=last) if others else last


def _pattern(pattern: str, *, whole: bool) -> str:
    number, face = say(COUNTS[len(pattern) - 1]), pattern[0]
    if face == "x":
        if whole:
            return say("{number} of a kind", number=number)
        return say("{number} or more of a kind", number=number)
    if len(pattern) == 1:
        return say("a {face}", face=face)
    if len(set(pattern)) > 1:
        return " ".join(pattern)
    if whole:
        return say("{number} {face}s", number=number, face=face)
    return say("{number} or more {face}s", number=number, face=face)


def of_a_kind_points(rules: Ruleset, number: int) -> list[int]:
    """Points of `number` dice of one kind taken as one combination, for the faces 1 to 6."""
    scoring = rules.scoring
    least = 0
    if number == 6 and "six_of_a_kind" in scoring.three_pairs_include:
        least = scoring.three_pairs
    return [max(least, scoring.of_a_kind(face, number)) for face in FACES]


def combination_points(rules: Ruleset) -> dict[str, int]:
    """Points of combinations of different faces, by names that `say` takes; 0 if one is none."""
    scoring = rules.scoring
    pairs = scoring.three_pairs if "four_and_two" in scoring.three_pairs_include else 0
    named = {
        "1 2 3 4 5 6": (6, scoring.straight_1_6),
        "1 2 3 4 5": (5, scoring.straight_1_5),
        "2 3 4 5 6": (5, scoring.straight_2_6),
        say_later("three pairs"): (6, scoring.three_pairs),
        say_later("four of a kind and a pair"): (6, max(scoring.four_and_two, pairs)),
        say_later("two triplets"): (6, scoring.two_triplets),
    }
    found = {name: points for name, (dice, points) in named.items() if dice <= rules.dice}
    return {**found, _NOTHING[rules.dice - 1]: scoring.nothing}


def parts_points(rules: Ruleset, face: int, number: int) -> int:
    """Most points of `number` dice of a `face`, as one combination or several; 0 if none."""
    own = [0, *(of_a_kind_points(rules, n)[face - 1] for n in range(1, number + 1))]
    best = [0]
    for dice in range(1, number + 1):
        splits = [(own[n], dice - n) for n in range(1, dice + 1) if own[n]]
        ways = [points + best[rest] for points, rest in splits if best[rest] or not rest]
        best.append(max(ways, default=0))
    return best[number]
