"""Rule sets as a person would explain them, in a list, and what is wrong with files of them."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from bot.layout import beneath, columns, dice_count, percent, wrap
from bot.services.rule_options import SINGLE
from solver.game.standings import state_count
from solver.rules.file import preset_titles
from solver.rules.patterns import COUNTS, FREED, Dice, dice_of, in_words, using
from solver.rules.ruleset import END_TOLD, FACES, TURN_TOLD, Ruleset, topics
from solver.rules.scoring import Times, worth_of
from solver.turn.dice import all_points, farkle_probability, make_roll
from solver.turn.memory import typed_set
from solver.wording import and_text, figure, say, say_later, say_number, short

SOURCES = (
    say_later('The scoring known as "Arnold" among descriptions of Farkle'),
    say_later("Farkle at cardgames.io"),
    say_later('The family game Dice 10,000; scoring as in Wikipedia, "Dice 10000"'),
    say_later("Farkle as described at farkle-games"),
    say_later("The dice game of Kingdom Come: Deliverance (Warhorse Studios, 2018)"),
    say_later("Farkle by Patch Products; scoring as in E. Farmer, Analysis of Farkle"),
    say_later(
        "Zilch at playr.co.uk; M. Busche, Maximizing Expected Scores in the Game of Zilch (2010)"
    ),
)
"""Sources of rule sets, to be translated; titles of papers stay as they are."""


def rules_text(rules: Ruleset) -> str:
    """Everything that a player has to know of a rule set."""
    for_two = say_later("Two players, {dice}.")
    several = say_later("Two players or more, {dice}.")
    several = say_later("Two players or three, {dice}.") if rules.rounds else several
    players = say(for_two if rules.is_for_two else several, dice=dice_count(rules.dice))
    lines = [_one_line(title_text(rules)) or rules.name, "", players, ""]
    lines += [say("What dice are worth"), *_worth(rules), ""]
    for head, keys in ((say("A turn"), TURN_TOLD), (say("The end"), END_TOLD)):
        section = topics(rules, keys)
        lines += [head, *(f"  {topic.sentence}" for topic in section if topic.is_special), ""]
    lines += [say("Chance of a farkle"), *farkle_chances(rules)]
    if len(rules.sets) > 1:
        message = say_later(
            "Where dice are held it depends on which ones, and /odds says it, as in"
            " held-set:{held}."
        )
        lines.append(say(message, held=typed_set(rules.sets[1])))
    if source := _one_line(say(rules.source) if rules.source in SOURCES else rules.source):
        lines += ["", say("Source: {source}", source=source)]
    return wrap("\n".join(lines))


def title_text(rules: Ruleset) -> str:
    """The title of a rule set in the language that is spoken; one that people gave as it is."""
    return say(rules.title) if rules.title in preset_titles() else rules.title


def no_score_text(rules: Ruleset) -> str:
    """The roll of all the dice in which nothing scores."""
    word = say(COUNTS[rules.dice - 1])
    return say_number("[a die|{dice} dice] without any score", rules.dice, dice=word)


def _one_line(text: str) -> str:
    return short(" ".join(text.split()), 500)


def _worth(rules: Ruleset) -> list[str]:
    """The tables of what dice are worth."""
    nothing, rules = rules.at("any").scoring.nothing, as_shown(rules.at("any"))
    worth = rules.combinations
    numbers = [n for n in range(1, rules.dice + 1) if any((face,) * n in worth for face in FACES)]
    cells = [[_points(worth.get((face,) * n, 0)) for face in FACES] for n in numbers]
    rows = [
        (say(SINGLE[face - 1]), *row)
        for face, row in zip_longest(FACES, zip(*cells, strict=True))
        if row and set(row) != {"-"}
    ]
    lines = []
    if rows:
        head = ("", *(say(COUNTS[number - 1]) for number in numbers))
        table = [head, *rows]
        if len(numbers) > len(FACES):
            table = list(zip(*table, strict=True))
        lines += columns(table, right=range(1, 7))
    named = [
        (name, _points(points)) for name, points in combination_points(rules).items() if points
    ]
    if nothing:
        named.append((no_score_text(rules), _points(nothing)))
    if named:
        lines += ["", *columns(named, right={1})] if rows else columns(named, right={1})
    if _has_two_prices(rules):
        dearer = say("Where the same dice have two prices, the dearer counts.")
        lines += ["", f"  {dearer}"]
    if examples := _better_in_parts(rules):
        best = say(
            "Dice set aside count as the combinations that are worth most: {examples}.",
            examples=and_text(examples),
        )
        lines += ["", f"  {best}"]
    return lines


def as_shown(rules: Ruleset) -> Ruleset:
    """The rules without jokers, and points where nothing scores, which are told by themselves."""
    scoring = rules.scoring.as_shown.model_copy(update={"nothing": 0})
    return rules.model_copy(update={"scoring": scoring})


def combination_points(rules: Ruleset) -> dict[str, int]:
    """Points of patterns of different faces in words; 0 where one does not score."""
    by_name: dict[str, int] = {}
    parts = rules.scoring.in_parts(rules.dice)
    for _, pattern, points, uses in rules.scoring.patterns():
        is_named = len({*pattern}) > 1 or uses < len(pattern)
        if is_named and len(pattern) <= rules.dice:
            name = in_words(pattern)
            if uses < len(pattern):
                name = say_number("{pattern}, using up [one die|{number} dice]", uses, pattern=name)
            if points == "sum":
                name = say("{pattern}: the sum of the faces, at most", pattern=name)
            if isinstance(points, Times):
                name = say(
                    "{pattern}: {times} times its parts, at most", pattern=name, times=points.number
                )
            most = max(worth_of(dice, points, parts) for dice in dice_of(pattern))
            by_name[name] = max(most, by_name.get(name, 0))
    return by_name


def _has_two_prices(rules: Ruleset) -> bool:
    """Whether a combination gives dice a price that have another one."""
    if not rules.scoring.combination:
        return False
    parts = rules.scoring.in_parts(rules.dice)
    return any(
        0 < worth_of(shown, points, parts) < rules.combinations[dice]
        for _, pattern, points, uses in rules.scoring.patterns()
        if len(pattern) <= rules.dice
        for shown in dice_of(pattern)
        for dice in using(shown, uses)
        if dice in rules.combinations
    )


def _better_in_parts(rules: Ruleset) -> list[str]:
    """Some combinations that are worth more taken apart: others follow the same way."""
    worth = all_points(rules)
    alike_first = sorted(rules.combinations.items(), key=lambda pair: (len({*pair[0]}) > 1, pair))
    sentence = say_later("{dice} is worth {points:,}")
    examples = [
        say(sentence, dice=" ".join(map(str, dice)), points=worth[make_roll(dice)])
        for dice, points in alike_first
        if dice[-1] < FREED and worth[make_roll(dice)] > points
    ]
    return examples[:2]


def farkle_chances(rules: Ruleset, held: Dice = ()) -> list[str]:
    """A line of numbers of dice above one of the chances that none of them scores.

    held : what is held beside them, which may leave one number of dice alone, as nothing may
    """
    most = rules.dice - len(held)
    is_one = rules.combine_throws or rules.is_part(held)
    numbers = range(most, most - 1 if is_one else 0, -1)
    chances = [percent(float(farkle_probability(rules, number, held=held))) for number in numbers]
    heads = [dice_count(number) for number in numbers]
    if rules.has_first_throw and not held:
        heads.insert(0, say("first throw"))
        chances.insert(0, percent(float(farkle_probability(rules, rules.dice, first=True))))
    return beneath(heads, chances)


def _points(points: int) -> str:
    return figure(points) if points else "-"


def rules_data(rules: Ruleset) -> dict[str, Any]:
    """A rule set with its digest."""
    data = rules.model_dump(mode="json", exclude={"goal"} if rules.rounds else None)
    return {"digest": rules.digest, "states": state_count(rules), **data}


def rules_list_data(known: Sequence[tuple[Ruleset, bool]]) -> list[dict[str, Any]]:
    """Rule sets, each with whether it is solved."""
    return [
        {"rules": rules.name, "title": rules.title, "goal": rules.stated_goal}
        | {"digest": rules.digest, "solved": solved}
        for rules, solved in known
    ]


def rules_list_text(known: Sequence[tuple[Ruleset, bool]]) -> str:
    """One line for each rule set."""
    rows = [(rules.name, "solved" if solved else "", rules.title) for rules, solved in known]
    return "\n".join(columns(rows))
