"""Rule sets by what they say: those that say some words, how two differ, and what is like one."""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from bot.languages import language, language_codes
from bot.layout import WIDTH, columns, dice_count, wrap
from bot.services.rule_options import SINGLE
from bot.views.rules_text import as_shown, combination_points, no_score_text, title_text
from bot.views.sheet import Cell, Sheet
from solver.errors import InvalidRequestError
from solver.rules.options import as_typed
from solver.rules.patterns import COUNTS, any_of, in_words
from solver.rules.ruleset import END_TOLD, FACES, OPTIONS, TURN_TOLD, Ruleset, Topic, topics
from solver.turn.dice import all_points, make_roll
from solver.wording import ENGLISH, figure, said_in, say, say_later, short


@dataclass(frozen=True, slots=True)
class Worth:
    """Points of one combination under one rule set."""

    own: int
    """Taken as one combination; 0 if it is none."""
    best: int
    """Taken as one or as several."""

    def __str__(self) -> str:
        if self.best > self.own:
            return say("{points:,} in parts", points=self.best)
        return figure(self.own) if self.own else "-"


def diff_data(a: Ruleset, b: Ruleset) -> dict[str, Any]:
    """What differs, with options as their keys and dice as what they are worth."""
    options, scoring = differing_options(a, b), said_in(ENGLISH, list, differing_scores(a, b))
    return {
        "a": {"rules": a.name, "digest": a.digest},
        "b": {"rules": b.name, "digest": b.digest},
        "same_play": same_play(a, b),
        "options": [
            {"option": one.option, "a": one.value, "b": other.value} for one, other in options
        ],
        "scoring": [{"dice": name, "a": one.best, "b": other.best} for name, one, other in scoring],
    }


def diff_sheet(a: Ruleset, b: Ruleset) -> Sheet:
    """A row for each option that differs, then one for each combination; values as in JSON."""
    data = diff_data(a, b)
    rows = (*data["options"], *data["scoring"])
    return Sheet(("what", "a", "b"), tuple(tuple(map(_cell, row.values())) for row in rows))


def _cell(value: object) -> Cell:
    """The value of an option in one cell."""
    return value if isinstance(value, str | int | None) else json.dumps(value)


def key_as_typed(key: str) -> str:
    """The key of an option as it is typed in a chat, in any language."""
    return f"{as_typed(key)}:"


def diff_text(
    a: Ruleset,
    b: Ruleset,
    names: tuple[str, str],
    heading: Callable[[str], str] = lambda key: key.replace("_", " "),
) -> str:
    """What differs, in words.

    names : what to call the rule sets
    heading : what to call an option, given its key
    """
    one, other = (short(name, 40) for name in names)
    options, scoring = differing_options(a, b), list(differing_scores(a, b))
    lines = []
    if same_play(a, b):
        lines.append(say("{one} and {two} play the same.", one=one, two=other))
        if a.digest != b.digest:
            lines.append(say("They are written differently, though, so each is solved by itself."))
    else:
        lines.append(say("{one} and {two} differ.", one=one, two=other))
    nothing = say("does not apply.")
    for ours, theirs in options:
        lines += ["", heading(ours.option)]
        lines += [f"  {one}: {ours.sentence or nothing}"]
        lines += [f"  {other}: {theirs.sentence or nothing}"]
    if scoring:
        rows = [(name, str(ours), str(theirs)) for name, ours, theirs in scoring]
        lines += ["", say("what dice are worth")]
        lines += columns([("", one, other), *rows], right={1, 2})
    return wrap("\n".join(lines))


def same_play(a: Ruleset, b: Ruleset) -> bool:
    """Whether nothing that decides play differs."""
    return a.digest == b.digest or not (_decisive(a, b) or any(differing_scores(a, b)))


def _decisive(a: Ruleset, b: Ruleset) -> list[tuple[Topic, Topic]]:
    """The options in which they differ, but for a floor of scores that no play comes to."""
    return [
        (one, other)
        for one, other in differing_options(a, b)
        if one.option != "score_floor" or a.floor_is_played or b.floor_is_played
    ]


def differing_options(a: Ruleset, b: Ruleset) -> list[tuple[Topic, Topic]]:
    """What options come to where they differ, under the one and the other."""
    ours, theirs = (topics(rules, ("dice", *TURN_TOLD, *END_TOLD)) for rules in (a, b))
    pairs = zip(ours, theirs, strict=True)
    return [(one, other) for one, other in pairs if one.value != other.value]


def differing_scores(a: Ruleset, b: Ruleset) -> Iterator[tuple[str, Worth, Worth]]:
    """The combinations that are worth something else, in the language that is spoken."""
    # those of some throws alone are told with the options
    a, b = a.at("any"), b.at("any")
    if a.dice == b.dice and a.combinations == b.combinations:
        return
    plain = as_shown(a), as_shown(b)
    for number in range(1, max(a.dice, b.dice) + 1):
        for face in FACES:
            one, other = (_of_a_kind(rules, face, number) for rules in plain)
            if one.own != other.own and one.best != other.best:
                yield in_words(str(face) * number), one, other
    ours, theirs = (
        combination_points(rules) | {no_score_text(rules): rules.scoring.nothing}
        for rules in (a, b)
    )
    for name in dict.fromkeys([*ours, *theirs]):
        one, other = (Worth(points.get(name, 0), points.get(name, 0)) for points in (ours, theirs))
        if one != other:
            yield name, one, other


def _of_a_kind(rules: Ruleset, face: int, number: int) -> Worth:
    if number > rules.dice:
        return Worth(0, 0)
    dice = (face,) * number
    return Worth(rules.combinations.get(dice, 0), all_points(rules).get(make_roll(dice), 0))


_MOST_FOUND = 15
_NEAREST, _MOST_TOLD = 3, 8

_SAID = {
    **dict.fromkeys(("1 2 3 4 5", "2 3 4 5 6"), say_later("small straight")),
    "1 2 3 4 5 6": say_later("straight"),
}
"""What people call some combinations."""
_FULL_HOUSE = say_later("full house")
_NO = {"no", "kein", "keine", "keinen", "ohne"}
"""Words before what a rule set is to lack."""


@dataclass(frozen=True, slots=True)
class Found:
    """The rule sets that say what somebody looks for, the best first."""

    rules: tuple[Ruleset, ...]
    unknown: tuple[str, ...]
    """Words that no rule set says."""
    is_whole: bool
    """Whether they say all of it in one sentence each, or lack what they are to lack."""


@dataclass(frozen=True, slots=True)
class Near:
    """A rule set beside another one that it is like."""

    ours: Ruleset
    rules: Ruleset
    distance: float
    """The number of options and combinations that only one of them has, and shares of those that
    both have: half of a word, of numbers the part of the larger that the smaller lacks. It is 0
    where they play the same."""


def find_rules(known: Collection[Ruleset], asked: str) -> Found:
    """The rule sets of which one sentence says all of some words, and none what follows a "no".

    If there is none, those that say all of it or most. Sentences are those of their explanation in
    every language, their titles and sources; the beginning of a word is enough.

    Raises InvalidRequestError where no rule set says any of it.
    """
    words = list(dict.fromkeys(_words(asked)))
    if not words:
        raise InvalidRequestError.say("say what to look for, such as three pairs 750")
    said = {
        rules: [{word for word in words if _says(sentence, word)} for sentence in _sentences(rules)]
        for rules in known
    }
    anywhere = {rules: set[str]().union(*sentences) for rules, sentences in said.items()}
    sayers = {word: sum(word in vocabulary for vocabulary in anywhere.values()) for word in words}
    weight = {word: math.log((len(said) + 1) / sayers[word]) for word in words if sayers[word]}
    if not weight:
        raise InvalidRequestError.say('no rule set says "{words}"', words=short(" ".join(words)))

    wanted, unwanted = _phrases(asked)
    left_out = {rules for rules in said if any(_has(rules, phrase) for phrase in unwanted)}
    if not left_out:  # a "no" that leaves nothing out is a word as any other
        wanted = set(words)
    wanted &= weight.keys()

    def weigh(vocabulary: Iterable[str]) -> float:
        """How rare words are together."""
        return sum(weight[word] for word in vocabulary)

    merit = {rules: 2 * max(map(weigh, said[rules])) + weigh(anywhere[rules]) for rules in said}
    fits = [rules for rules in said if any(wanted <= sentence for sentence in said[rules])]
    whole = [rules for rules in fits if rules not in left_out]
    best = whole or [rules for rules in said if weight.keys() <= anywhere[rules]]
    if not best:
        most = max(map(weigh, anywhere.values()))
        best = [rules for rules, vocabulary in anywhere.items() if weigh(vocabulary) > most / 2]
    ranked = sorted(best, key=merit.__getitem__, reverse=True)
    unknown = tuple(word for word in words if word not in weight)
    return Found(tuple(ranked), unknown, is_whole=bool(whole))


def found_text(answer: Found) -> str:
    """A line for each rule set that was found, and what was not."""
    rows = columns([(rules.name, title_text(rules)) for rules in answer.rules[:_MOST_FOUND]])
    lines = [short(row, WIDTH) for row in rows]
    if not answer.is_whole:
        lines.insert(0, say("These fit in part:"))
    if (rest := len(answer.rules) - _MOST_FOUND) > 0:
        lines.append(say("and {number} more", number=rest))
    if answer.unknown:
        lines.insert(0, wrap(say("No rule set says {words}.", words=", ".join(answer.unknown))))
    return "\n".join(lines)


def found_data(answer: Found) -> list[dict[str, Any]]:
    """The rule sets that were found, the best first."""
    return [
        {"rules": hit.name, "title": hit.title, "goal": hit.stated_goal, "digest": hit.digest}
        for hit in answer.rules
    ]


def like_rules(rules: Ruleset, known: Collection[Ruleset]) -> list[Near]:
    """The rule sets that are most like one, the nearest first, without itself."""
    others = [Near(rules, other, _distance(rules, other)) for other in known if other != rules]
    return sorted(others, key=lambda near: near.distance)[:_NEAREST]


def like_text(nearest: Sequence[Near]) -> str:
    """What differs from each of the nearest rule sets, in words."""
    lines = [say("Most like {name}:", name=near.ours.name) for near in nearest[:1]]
    for near in nearest:
        title, differences = title_text(near.rules), list(_differences(near))
        if (rest := len(differences) - _MOST_TOLD) > 0:
            differences[_MOST_TOLD:] = [say("and {number} more", number=rest)]
        lines += ["", wrap(f"{near.rules.name}: {title}" if title else near.rules.name)]
        lines += [wrap(f"  {line}", hang=4) for line in differences]
    return "\n".join(lines)


def like_data(nearest: Sequence[Near]) -> list[dict[str, Any]]:
    """What differs from each of the nearest rule sets, as `diff_data` has it."""
    return [
        {"rules": near.rules.name, "title": near.rules.title, "distance": near.distance}
        | {
            key: diff_data(near.ours, near.rules)[key]
            for key in ("same_play", "options", "scoring")
        }
        for near in nearest
    ]


def _distance(ours: Ruleset, other: Ruleset) -> float:
    if same_play(ours, other):
        return 0.0
    options = (_apart(one.value, two.value) for one, two in _options(ours, other))
    scores = (
        fmean(_apart(one.best, two.best) for _, one, two in rows)
        for rows in _scores(ours, other).values()
    )
    return sum(options) + sum(scores)


def _apart(one: object, other: object) -> float:
    """How far two values of one option, which differ, are from each other, at most 1."""
    if not (one and other):
        return 1.0
    if isinstance(one, int) and isinstance(other, int):
        return 1 - min(one, other) / max(one, other)
    return 0.5


def _options(ours: Ruleset, other: Ruleset) -> list[tuple[Topic, Topic]]:
    """The options in which they differ, but for those that follow from others."""
    return [(one, two) for one, two in _decisive(ours, other) if one.sentence and two.sentence]


def _scores(ours: Ruleset, other: Ruleset) -> dict[str, list[tuple[str, Worth, Worth]]]:
    """What is worth something else, together where that is so many dice of one face."""
    groups: dict[str, list[tuple[str, Worth, Worth]]] = {}
    for row in differing_scores(ours, other):
        faces = row[0].split()
        alike = len({*faces}) == 1 and faces[0].isdecimal()
        groups.setdefault(in_words("a" * len(faces)) if alike else row[0], []).append(row)
    return groups


def _differences(near: Near) -> Iterator[str]:
    """What the other rule set has instead, and what dice are worth there."""
    if not near.distance:
        yield say("plays the same.")
        return
    for _, theirs in _options(near.ours, near.rules):
        yield f"{key_as_typed(theirs.option)} {theirs.sentence}"
    for what, rows in _scores(near.ours, near.rules).items():
        names, own, others = zip(*rows, strict=True)
        name = what if len(rows) > 1 else names[0]
        worths = {"theirs": _worths(others), "ours": _worths(own)}
        yield say("{what}: {theirs}, not {ours}", what=name, **worths)


def _worths(worths: Sequence[Worth]) -> str:
    """Points of several combinations, once where they are equal."""
    shown = [figure(worth.best) if worth.best else "-" for worth in worths]
    if not any(worth.best for worth in worths):
        return say("nothing")
    return shown[0] if len({*shown}) == 1 else " ".join(shown)


def _words(text: str) -> list[str]:
    """The words and numbers of a text, without what groups the digits of a number."""
    plain = re.sub(r"(?<=\d)[.,'’](?=\d{3}(?!\d))", "", text.casefold())
    return re.findall(r"\w+", plain)


def _phrases(asked: str) -> tuple[set[str], list[set[str]]]:
    """The words of a text before the first "no", and those that follow each of them."""
    phrases = [set[str]()]
    for word in _words(asked):
        if word in _NO:
            phrases.append(set())
        else:
            phrases[-1].add(word)
    return phrases[0], [phrase for phrase in phrases[1:] if phrase]


def _says(sentence: frozenset[str], word: str) -> bool:
    """Whether a sentence has a number, or a word that begins as one does."""
    if word.isdecimal():
        return word in sentence
    stem = word.removesuffix("s") if len(word) > 3 else word
    return any(other.startswith(stem) for other in sentence)


def _has(rules: Ruleset, words: Collection[str]) -> bool:
    """Whether a sentence of a rule set says all of some words, and does not deny them."""
    return any(
        all(_says(sentence, word) for word in words)
        for sentence in _sentences(rules)
        if not sentence & _NO
    )


@lru_cache(maxsize=500)
def _sentences(rules: Ruleset) -> tuple[frozenset[str], ...]:
    """The words of each sentence that a rule set says in any language."""
    by_language = [said_in(language(code), list, _told(rules)) for code in language_codes()]
    return tuple(frozenset(_words(sentence)) for said in by_language for sentence in said)


def _told(rules: Ruleset) -> Iterator[str]:
    """What a rule set says, in the language that is spoken."""
    yield f"{rules.name} {title_text(rules)}"
    yield rules.source
    yield f"{say(COUNTS[rules.dice - 1])} {dice_count(rules.dice)}"
    for face, points in zip(FACES, rules.scoring.single, strict=True):
        if points:
            yield f"{say(SINGLE[face - 1])} {points}"
    for number in range(3, rules.dice + 1):
        yield from _alike(rules, number)
    for name, points in combination_points(rules).items():
        if points:
            yield f"{name} {say(_SAID.get(name, ''))} {points}"
    if rules.dice >= 5 and any(pattern.dice == "aaabb" for pattern in rules.scoring.combination):
        yield say(_FULL_HOUSE)
    if rules.scoring.nothing:
        yield f"{no_score_text(rules)} {rules.scoring.nothing}"
    if meaning := OPTIONS["more_of_a_kind"].meanings[rules.scoring.more_of_a_kind]:
        yield say(meaning)
    yield from (
        # behind a comma stands what it may be, or is instead of
        f"{as_typed(topic.option)} {say(OPTIONS[topic.option].help).split(',')[0]} {topic.sentence}"
        for topic in topics(rules, (*TURN_TOLD, *END_TOLD))
        if topic.is_special
    )


def _alike(rules: Ruleset, number: int) -> Iterator[str]:
    """What so many dice of one face are worth: of any, or of each."""
    worth = [rules.combinations.get((face,) * number, 0) for face in FACES]
    name = in_words("a" * number)
    if len({*worth}) == 1:
        if worth[0]:
            yield f"{name} {worth[0]}"
        return
    for face, points in zip(FACES, worth, strict=True):
        if points:
            yield f"{name} {any_of([str(face) * number], number)} {points}"
