"""Contradictions between the options of a rule set, each found as a `Complaint`.

In all functions `rules` is a rule set whose options are valid by themselves, and `options` holds
the `RuleOption` of each option of the rules and of their farkle penalty, by key.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.rules.options import (
    NO_GOAL,
    PATTERNS,
    Complaint,
    Key,
    Place,
    RuleOption,
    in_scores,
)
from solver.rules.patterns import dice_of
from solver.rules.scoring import SCORING_OPTIONS, Combination
from solver.wording import say_later

if TYPE_CHECKING:
    from solver.rules.ruleset import Ruleset

Options = Mapping[str, RuleOption]

MOST_DICE_HELD = 6
"""The most dice of a game in which a set is held: of more dice there could be two sets."""
_MOST_NEEDS = 100
"""The most points that `confirm_points` may ask for, in steps of points."""

NOT_OF_ROUNDS = (
    *("goal", "goal_must_be", "beyond_goal", "ending", "ties", "minimum_binds_win"),
    *("final_throws", "score_floor"),
)
"""Options about the goal of a game, which a game of rounds does not have."""
_IDLE_IN_ONE_THROW = (
    *("final_throws", "last_die_tries", "held_sets", "combine_throws", "hot_dice_times"),
    *("bank_dice_left",),
)
"""Options that mean nothing where every turn is one throw."""

_EXCLUDES: dict[str, Callable[["Ruleset"], Any]] = {
    "ending": lambda rules: rules.is_defended,
    "goal_must_be": lambda rules: rules.is_exact,
    "lose_everything": lambda rules: "loses_score" in rules.decisive,
    "ties": lambda rules: rules.ties == "played_on",
}
"""When an option excludes others; one that is not listed does whenever it is not at its default."""


class _Exclusion(NamedTuple):
    """An option that excludes others, and why."""

    place: Place
    message: str
    """The complaint; the option is its `key`, and the excluded one its `other`."""
    others: tuple[str, ...]
    """The excluded options."""
    special: Mapping[str, Callable[["Ruleset"], bool]] = MappingProxyType({})
    """Further options that are excluded only where the function says so."""


_EXCLUSIONS = (
    _Exclusion(
        ("take_over",),
        say_later(
            "{key}: turns that begin with what was left are solved in games that end at the goal or"
            " a last turn after it, where farkles alone take from scores; leave out this or {other}"
        ),
        ("lose_everything", "ending", "ties", "goal_must_be", "no_bank_at", "caught_up"),
        {"combination": lambda rules: "loses_game" in rules.decisive},
    ),
    _Exclusion(
        ("take_over",),
        say_later(
            "{key}: nobody says what whoever takes over has of {other} then; leave out one of them"
        ),
        ("farkle_keeps_turn_total", "throws", "final_throws", "hot_dice_times"),
    ),
    _Exclusion(
        ("take_over",),
        say_later(
            "{key}: no bound is proved where first throws that score nothing are thrown again"
            " without end; leave out this or {other}"
        ),
        (),
        {"first_throw_tries": lambda rules: rules.first_throw_tries == 0},
    ),
    _Exclusion(
        ("beat_previous_turn",),
        say_later(
            "{key}: turns that have to beat the one before are solved in games that end at the goal"
            " or a last turn after it, where nothing else of a turn is left and farkles alone take"
            " from scores; leave out this or {other}"
        ),
        (
            *("farkle_keeps_turn_total", "lose_everything", "ending", "ties", "goal_must_be"),
            *("no_bank_at", "take_over", "caught_up", "rounds"),
        ),
    ),
    _Exclusion(
        ("farkle_penalty", "when"),
        say_later(
            "{key}: farkles that count are told apart from those that do not, but not from what"
            " {other} makes of them as well; leave out one of them"
        ),
        ("farkle_keeps_turn_total", "lose_everything", "throws", "beat_previous_turn"),
        {"take_over": lambda rules: rules.leaves_and_falls},
    ),
    _Exclusion(
        ("confirm_points",),
        say_later(
            "{key}: nobody says which points confirm under this {other}; leave out one of them"
        ),
        ("hot_dice_times",),
    ),
    _Exclusion(
        ("held_sets",),
        say_later(
            "{key}: nobody says what dice that match a set do under this {other}; leave out one of"
            " them"
        ),
        ("confirm_faces", "confirm_points", "jokers"),
        {"combination": lambda rules: any(table.times for table in rules.scoring.combination)},
    ),
    _Exclusion(
        ("fill_straight",),
        say_later(
            "{key}: nobody says what dice that fill a straight do under this {other}; leave out one"
            " of them"
        ),
        (
            *("confirm_faces", "confirm_points", "jokers", "throws", "final_throws"),
            *("last_die_tries", "hot_dice_times", "farkle_keeps_turn_total"),
        ),
    ),
    _Exclusion(
        ("combine_throws",),
        say_later(
            "{key}: nobody says what dice of several throws do together under this {other}; leave"
            " out one of them"
        ),
        ("held_sets", "fill_straight", "confirm_faces", "confirm_points"),
    ),
    _Exclusion(
        ("combine_throws",),
        say_later(
            "{key}: which dice are held would be left to the next player as well, which {other}"
            " does not know; leave out one of them"
        ),
        ("take_over",),
    ),
    _Exclusion(
        ("combine_throws",),
        say_later(
            "{key}: beside what is held, dice are worth what they are in any throw and leave no"
            " more to roll, which they do not with this {other}; leave out one of them"
        ),
        (),
        {
            "combination": lambda rules: any(
                table.then == "roll_on"
                or table.uses
                or (table.when != "any" and table.then == "scores" and len(table.dice) < rules.dice)
                for table in rules.scoring.combination
            ),
        },
    ),
    _Exclusion(
        ("combine_throws",),
        say_later(
            "{key}: beside some dice no last die may score, which would be thrown for ever under"
            " this {other}; leave out one of them"
        ),
        (),
        {"last_die_tries": lambda rules: rules.last_die_tries == 0},
    ),
)
"""Options that the solver cannot handle together, or whose joint meaning no rules define."""


def contradictions(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """All complaints about options that contradict each other."""
    about_rounds = list(_not_with_rounds(rules, options))
    places = {complaint.place for complaint in about_rounds}
    yield from _patterns_and_dice(rules, options)
    yield from _points_and_steps(rules, options)
    # a second complaint of the same option would suggest what rounds exclude as well
    yield from (idle for idle in _idle_options(rules, options) if idle.place not in places)
    yield from _single_options(rules, options)
    for exclusion in _EXCLUSIONS:
        if _excludes(rules, options, exclusion.place[-1]):
            others = [other for other in exclusion.others if _excludes(rules, options, other)]
            others += [other for other, excludes in exclusion.special.items() if excludes(rules)]
            for other in others:
                needs, parts = (options[other].place[0],), {"other": Key(other)}
                yield Complaint(exclusion.place, exclusion.message, parts, needs=needs)
    yield from about_rounds


def _excludes(rules: "Ruleset", options: Options, key: str) -> bool:
    """Whether an option has a value that excludes others."""
    if key in _EXCLUDES:
        return bool(_EXCLUDES[key](rules))
    return options[key].of(rules) not in {None, options[key].default}


def _patterns_and_dice(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """Complaints about combinations: more dice than there are, and those of their tables."""
    for option in options.values():
        if option.kind is PATTERNS:
            for pattern in option.of(rules):
                if len(pattern) > rules.dice:
                    yield Complaint(
                        (option.key,),
                        say_later('{key}: "{pattern}" needs {number} dice and there are {dice}'),
                        {"pattern": pattern, "number": len(pattern), "dice": rules.dice},
                        needs=("dice",),
                    )
    yield from _tables(rules)


def _tables(rules: "Ruleset") -> Iterator[Complaint]:
    """One complaint about each combination that is written as a table and makes no sense."""
    counting = rules.scoring.counting(rules.dice)
    for number, table in enumerate(rules.scoring.combination):
        place = (*SCORING_OPTIONS["combination"].place, str(number))
        parts = {"pattern": table.dice, "number": len(table.dice), "dice": rules.dice}
        for is_wrong, key, message in _table_checks(rules, table, counts=number in counting):
            if is_wrong:
                yield Complaint((*place, *key), message, parts, needs=("dice",))
                break


def _table_checks(
    rules: "Ruleset", table: Combination, *, counts: bool
) -> Iterator[tuple[bool, tuple[str, ...], str]]:
    """All checks of a table: whether it fails, the key that is to blame, and the message.

    counts : whether any dice are worth more with the combination than without it
    """
    scores = table.then in {"scores", "roll_on"}
    yield (
        len(table.dice) > rules.dice,
        (),
        say_later('{key}: "{pattern}" needs {number} dice and there are {dice}'),
    )
    yield (
        isinstance(table.points, tuple) and table.dice.isdecimal(),
        (),
        say_later(
            '{key}: "{pattern}" has no letter by whose face its points could go; give one number'
        ),
    )
    yield (
        not dice_of(table.dice),
        (),
        say_later(
            '{key}: no roll shows "{pattern}", as different letters and digits are different'
            " faces, of which there are six"
        ),
    )
    yield (
        table.points is not None and table.times is not None,
        ("times",),
        say_later('{key}: "{pattern}" has points, too; leave out one of them'),
    )
    yield (
        scores and table.price is None,
        ("points",),
        say_later('the key "{key}" is missing'),
    )
    yield (
        not scores and table.price is not None,
        ("then",),
        say_later(
            "{key}: dice with points score; leave out the points of {pattern}, or what it does"
        ),
    )
    yield (
        not scores
        and all(
            kind.decided(dice) != table.then for kind in rules.kinds for dice in dice_of(table.dice)
        ),
        ("then",),
        say_later(
            '{key}: this never counts, as what else a roll with "{pattern}" is said to do comes'
            " first"
        ),
    )
    yield (
        table.uses is not None and (not scores or table.uses >= len(table.dice)),
        ("uses",),
        say_later(
            '{key}: goes with points, and should be less than the {number} dice of "{pattern}"'
        ),
    )
    yield (
        table.when == "all_dice" and len(table.dice) == rules.dice and not rules.combine_throws,
        ("when",),
        say_later("{key}: {pattern} is always a throw of all dice; leave it out"),
    )
    yield (
        not counts and table.times is not None,
        (),
        say_later('{key}: "{pattern}" never counts, as its dice do not all score by themselves'),
    )
    yield (
        not counts,
        (),
        say_later(
            '{key}: the points of "{pattern}" never count, as the same dice are worth as'
            " much or more without it"
        ),
    )


def _points_and_steps(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """Complaints about numbers of points, by the step of points and the goal."""
    if not rules.combinations:
        yield Complaint(
            ("scoring",),
            say_later("{key}: no combination of {dice} dice scores any points"),
            {"dice": rules.dice},
            needs=("dice",),
        )
        return
    for key, option in options.items():
        if option.in_steps and (points := option.of(rules)) % rules.point_step:
            yield Complaint(
                (key,),
                say_later(
                    "{key}: {points} is not a multiple of {step}, the step in which points come"
                    " under these rules"
                ),
                {"points": points, "step": rules.point_step},
                needs=("dice", "scoring", "farkle_penalty", "hot_dice_bonus"),
            )
        if key == "ending" and rules.is_exact and rules.ending != "at_once":
            yield Complaint(
                ("ending",),
                say_later(
                    "{key:{value}} does not go with {exact:exact}, as nobody could have more"
                    " than who has met the goal; leave it out"
                ),
                {"value": rules.ending, "exact": Key("goal_must_be")},
                needs=("goal_must_be",),
            )
        if key == "ties" and rules.is_defended and rules.ties == "played_on":
            yield Complaint(
                ("ties",),
                say_later(
                    "{key:{value}} does not go with {ending:defended}, where a tie ends the"
                    " game; use {key:earlier,shared}"
                ),
                {"value": rules.ties, "ending": Key("ending")},
                needs=("ending",),
            )
        if option.up_to_goal and (points := option.of(rules)) > rules.goal:
            yield Complaint(
                (key,),
                say_later("{key}: {points:,} is more than the goal of {goal:,}"),
                {"points": points, "goal": rules.goal},
                needs=("goal",),
            )


def _single_options(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """Complaints that concern one option alone, each with a message of its own."""
    most = _MOST_NEEDS * rules.point_step if rules.combinations else rules.confirm_points
    if rules.confirm_points > most:
        yield Complaint(
            ("confirm_points",),
            say_later(
                "{key}: under these rules at most {most} points can be asked for, {steps} times"
                " the {step} in which points come, not {points}"
            ),
            {"points": rules.confirm_points, "most": most}
            | {"steps": _MOST_NEEDS, "step": rules.point_step},
            needs=("dice", "scoring", "farkle_penalty", "hot_dice_bonus"),
        )
    for key in _IDLE_IN_ONE_THROW if rules.throws == 1 else ():
        if getattr(rules, key) != options[key].default:
            message = say_later(
                "{key}: this has no meaning under {throws} = 1, where every turn is one throw;"
                " leave it out"
            )
            yield Complaint((key,), message, {"throws": Key("throws")}, needs=("throws",))
    if rules.held_sets != "none" and rules.dice > MOST_DICE_HELD:
        message = say_later(
            "{key}: a set is held in games of at most {most} dice, as of more there could be two;"
            " leave it out, or use fewer dice"
        )
        yield Complaint(("held_sets",), message, {"most": MOST_DICE_HELD}, needs=("dice",))
    if rules.fill_straight and rules.combinations and not rules.straight:
        message = say_later(
            "{key}: goes with six dice and a straight of all six faces that is worth as much in"
            " every throw, as in {straight_1_6:1500}"
        )
        parts = {"straight_1_6": Key("straight_1_6")}
        yield Complaint(("fill_straight",), message, parts, needs=("dice", "scoring"))


def _not_with_rounds(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """Complaints about options that do not go with a game of rounds."""
    if not rules.rounds:
        return
    about_goal = {key: getattr(rules, key) != options[key].default for key in NOT_OF_ROUNDS} | {
        "goal": rules.goal != NO_GOAL,
        "ties": False,
        "score_floor": False,
    }
    about_scores = {
        "score_floor": rules.floor_is_played,
        "no_bank_at": bool(rules.no_bank_at),
        "lose_everything": "loses_score" in rules.decisive,
        "caught_up": bool(rules.caught_up),
    }
    reasons = (
        (
            about_goal,
            say_later(
                "{key}: this does not go with {rounds}, where there is no goal; leave out one of"
                " them"
            ),
        ),
        (
            about_scores,
            say_later(
                "{key}: this does not go with {rounds}, where only the lead of a player counts;"
                " leave out one of them"
            ),
        ),
        (
            {"take_over": rules.takes_over},
            say_later(
                "{key}: games of {rounds} are solved by lead and round, without what a player"
                " leaves; leave out one of them"
            ),
        ),
    )
    wrong: list[tuple[Place, str]] = [
        ((key,), message) for keys, message in reasons for key, is_set in keys.items() if is_set
    ]
    if rules.ties == "earlier":
        message = say_later(
            "{key}: nobody reaches a goal first in a game of {rounds}; use {key:shared,played_on}"
        )
        wrong.append((("ties",), message))
    if rules.farkle_penalty:
        message = say_later("{key:{value}} does not go with {rounds}; leave out one of them")
        wrong += [
            (option.place, message)
            for option in options.values()
            if option.place[0] == "farkle_penalty"
            and option.kind.words
            and option.of(rules) != option.default
        ]
        message = say_later('{key}: "{value}" does not go with {rounds}; a number of points does')
        wrong += [(("farkle_penalty", "points"), message)] * (not rules.penalty_points)
    for place, message in wrong:
        value = options[place[-1]].of(rules)
        parts = {"rounds": Key("rounds"), "value": value}
        yield Complaint(place, message, parts, needs=("rounds",))


def _idle_options(rules: "Ruleset", options: Options) -> Iterator[Complaint]:
    """Complaints about options that change nothing, or that make a turn endless."""
    for scores in rules.no_bank_at:
        if rules.combinations and not any(in_scores(score, scores) for score in rules.barred):
            message = say_later(
                '{key}: "{scores}" is no score below the goal, as points come in steps of {step}'
            )
            parts = {"scores": scores, "step": rules.point_step}
            yield Complaint(("no_bank_at",), message, parts, needs=("goal", "scoring"))
    if rules.scoring.jokers and all(
        kind.scoring.combinations(rules.dice) == kind.scoring.as_shown.combinations(rules.dice)
        for kind in rules.kinds
    ):
        message = say_later("{key}: a joker changes nothing of what dice are worth here")
        yield Complaint(SCORING_OPTIONS["jokers"].place, message, needs=("dice",))
    if set(rules.hot_dice_times) == {1}:
        message = say_later("{key}: points that always count once change nothing; leave it out")
        yield Complaint(("hot_dice_times",), message)
    penalty = rules.farkle_penalty
    if penalty and penalty.when == "first_throw" and rules.first_throw_tries == 0:
        message = say_later(
            "{key:{value}} has no meaning under {first_throw_tries} = 0, where no first throw is a"
            " farkle; leave out one of them"
        )
        parts = {"value": penalty.when, "first_throw_tries": Key("first_throw_tries")}
        yield Complaint(("farkle_penalty", "when"), message, parts, needs=("first_throw_tries",))
    for option in options.values():
        value = option.of(rules)
        if option.idle and value not in {None, option.default} and not option.applies(rules):
            parts = {"value": value, **{need: Key(need) for need in option.needs}}
            yield Complaint(option.place, option.idle, parts, needs=option.needs)

    for key, dice in (("first_throw_tries", rules.dice), ("last_die_tries", 1)):
        first = key == "first_throw_tries"
        if getattr(rules, key) == 0 and all(rules.farkles(dice, first=first)):
            message = say_later(
                "{key}: no such throw ever scores, so that the dice would be thrown for ever;"
                " give a number from 1 to 9"
            )
            yield Complaint((key,), message, needs=("dice", "scoring"))
