"""House rules as validated, frozen data: what each option means in play is said here."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement
from math import gcd
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from solver.errors import one_of
from solver.rules.fitting import contradictions
from solver.rules.options import (
    MAX_POINTS,
    NO_GOAL,
    NUMBER,
    POINTS,
    TEXT,
    Complaint,
    Data,
    Faces,
    Kind,
    Numbers,
    Patterns,
    Points,
    RuleOption,
    Scores,
    Times,
    Told,
    YesNo,
    described,
    in_scores,
    options_of,
    read_number,
)
from solver.rules.patterns import (
    FACES,
    FREED,
    MAX_DICE,
    Dice,
    any_of,
    canonical,
    dice_of,
    faces_of,
    in_words,
    most_points,
    shown_in,
    spelled,
    tidy,
)
from solver.rules.scoring import SCORING_OPTIONS, WHENS, Combination, Scoring, Then, When
from solver.wording import and_text, say, say_later, say_number

__all__ = ["FACES", "MAX_POINTS", "Scoring"]  # with all that is defined here

MAX_NAME = 60
RULESETS = 64
"""Rule sets of which what is worked out is kept in memory; of more it is worked out again."""
LEAST_DICE_HELD = 4
"""Dice of games in which a set leaves some that may match it."""
_STRAIGHT: Dice = tuple(FACES)
DEFAULT_FLOOR = -5
MOST_ROUNDS = 50
_FAR_STEPS = 5_000
"""Point steps that nobody has in a game of rounds."""


class ContradictionsError(ValueError):
    """Everything in a rule set that cannot be solved or does not fit together."""

    def __init__(self, complaints: list[Complaint]) -> None:
        super().__init__(complaints[0].message)
        self.complaints = complaints


_NAME = replace(
    TEXT,
    should_be=say_later(
        "{key}: should be 1 to 60 letters, digits, spaces and . + - _, not {value}"
    ),
)
_POINTS_OR_ALL = replace(
    POINTS,
    accepts=say_later("a whole number, everything, or none"),
    parts={"points": MAX_POINTS},
    should_be=say_later(
        '{key}: should be a whole number up to {points} or "everything", not {value}'
    ),
)
_PENALTY_POINTS = replace(
    NUMBER,
    parts={"points": MAX_POINTS},
    should_be=say_later(
        '{key}: should be a whole number from 1 to {points} or "everything", not {value}'
    ),
)


class FarklePenalty(Data):
    """The last of `in_a_row` farkles in a row costs `points`.

    "everything" takes a score above 0 down to 0. `then` says what the next farkle in a row does:
    with "starts_again" the count starts again at 0, with "goes_on" every further one costs as much.
    With `when` = "first_throw" only farkles on the first throw of a turn count, with "all_dice"
    only those of all dice, at first and after hot dice; after any other the count starts again at
    0, as after a bank.
    """

    in_a_row: Annotated[int, Field(strict=True, ge=1, le=5)] = described(
        ..., ask=say_later("How many farkles in a row cost points, or none"), typical="none"
    )
    points: Annotated[
        Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)] | Literal["everything"],
        _PENALTY_POINTS,
    ] = described(
        ...,
        note='a number or "everything"',
        ask=say_later('How many points they cost, or "everything"'),
        typical="500",
    )
    then: Literal["starts_again", "goes_on"] = described(
        "starts_again",
        help=say_later("starts_again or goes_on"),
        ask=say_later("After that the count of farkles in a row"),
        meanings={
            "starts_again": say_later("starts again at 0"),
            "goes_on": say_later("goes on, and every further one costs as much"),
        },
        when=lambda rules: rules.farkle_penalty and rules.farkle_penalty.in_a_row != 1,
        needs=("farkle_penalty",),
        idle=say_later(
            "{key:{value}} has no meaning where every farkle costs points; leave it out"
        ),
    )
    when: When = described(
        "any",
        help=say_later("any, all_dice or first_throw"),
        ask=say_later("Which farkles count for that"),
        meanings={
            "any": say_later("every farkle"),
            "all_dice": say_later("only those of all dice, at first and after hot dice"),
            "first_throw": say_later("only those on the first throw of a turn"),
        },
    )


def _penalty(text: str) -> Any:
    """The penalty that "3x1000" or "3xeverything,goes-on" stands for, None for "none"."""
    number, *words = re.split(",(?=[a-z])", text.lower())
    if not (parts := re.fullmatch(r"([1-5])[x×*](.+)", number)):
        return None if text.lower() == "none" else text
    data = {"in_a_row": int(parts[1]), "points": read_number(parts[2])}
    keys = {word: key for key, option in PENALTY_OPTIONS.items() for word in option.kind.words}
    said = [word.replace("-", "_") for word in words]
    return data | {keys.get(word, word): word for word in said}


_PENALTY = Kind(
    _penalty,
    say_later(
        "1 to 5 farkles in a row and what they cost, such as 3x1000 or 3xeverything, perhaps with"
        " ,goes-on or ,first-throw or ,all-dice; or none"
    ),
)
_IN_A_ROW = (
    *(say_later("Every farkle"), say_later("The second farkle in a row")),
    *(say_later("The third farkle in a row"), say_later("The fourth farkle in a row")),
    say_later("The fifth farkle in a row"),
)
_EVERY: dict[When, str] = {
    "any": _IN_A_ROW[0],
    "all_dice": say_later("Every farkle of all dice"),
    "first_throw": say_later("Every farkle on the first throw of a turn"),
}
_COUNTS: dict[When, str] = {
    "all_dice": say_later(
        "Only farkles of all dice count for that; any other starts the count again."
    ),
    "first_throw": say_later(
        "Only farkles on the first throw of a turn count for that; any other starts the count"
        " again."
    ),
}
_AT_TIMES: dict[When, str] = {
    "all_dice": say_later("In throws of all dice alone these count, too: {combinations}."),
    "first_throw": say_later(
        "In the first throw of a turn alone these count, too: {combinations}."
    ),
}
_NOTHING_TAKEN = say_later(
    "{key}: {value} has no meaning where nothing is taken over; it goes with"
    " {take_over:banked,lost,both}"
)
Tries = Annotated[int, Field(strict=True, ge=0, le=9)]
"""How many times dice are thrown that farkle; 0 for any number."""
_NOTHING_TO_CONFIRM = say_later(
    "{key}: there is nothing to be confirmed; it goes with a combination to be confirmed, or with"
    " hot dice that must be rolled"
)


def _has_to_be_confirmed(rules: Any) -> bool:
    """Whether something may have to be confirmed under rules."""
    doubtful = any(table.then == "roll_on" for table in rules.scoring.combination)
    return doubtful or rules.hot_dice != "optional"


_TIMES = (
    *(say_later("first time"), say_later("second time"), say_later("third time")),
    *(say_later("fourth time"), say_later("fifth time"), say_later("sixth time")),
    *(say_later("seventh time"), say_later("eighth time"), say_later("ninth time")),
    *(say_later("tenth time"), say_later("eleventh time"), say_later("twelfth time")),
)


class Ruleset(Data, defer_build=False):
    """The rules of one two-player game of Farkle.

    `name`, `title` and `source` describe; everything else decides play. Points are in the
    game's own units throughout the project. What an option comes to in play is told above its
    field.
    """

    name: Annotated[
        str, Field(min_length=1, max_length=MAX_NAME, pattern=r"^[\w .+-]+$"), _NAME
    ] = described(..., ask=say_later("Name of your rules"))
    title: str = described("", ask=say_later("What is special about them, in one line (optional)"))
    source: str = described("")

    def _tell_goal(self) -> Told:
        sentence = say_later("The goal is {goal:,} points.")
        if self.goal_must_be == "exceeded":
            sentence = say_later("The goal is more than {goal:,} points.")
        elif self.is_exact:
            sentence = say_later("The goal is exactly {goal:,} points.")
        return self.winning_score, say(sentence, goal=self.goal), True

    goal: Annotated[int, Field(strict=True, ge=1, le=MAX_POINTS)] = described(
        ...,
        "5000",
        say_later("the goal; goal-must-be:exceeded for more than it"),
        slash=say_later("points to reach"),
        ask=say_later("Goal, in points"),
        in_steps=True,
        when=lambda rules: not rules.rounds,
    )
    """The points to reach; a file has to say it, or `rounds`."""

    rounds: Annotated[int, Field(strict=True, ge=0, le=MOST_ROUNDS)] = described(
        0,
        "10",
        say_later("so many turns each, in place of a goal"),
        note="turns of each player, in place of a goal; 0 for none",
        ask=say_later("Rounds after which the most points win, or 0 to play to a goal"),
        told={
            0: say_later("The game goes on until somebody has reached the goal."),
            ...: say_later("Everybody has [one turn|{number} turns]; then the most points win."),
        },
    )
    """The game ends when both players, or all three, have had so many turns, 1 to 50, and the most
    points win. 0 is a game to a goal, of which otherwise there is none.

    A turn that is skipped counts. Equal scores are shared, or of two players played on: both have
    one more turn, again and again until somebody has more, with all rules as before. A roll that
    wins or loses the game does so at once."""

    goal_must_be: Literal["reached", "exceeded", "exact"] = described(
        "reached",
        "exceeded",
        note="or reached, or exact",
        ask=say_later("The goal must be"),
        meanings={
            "reached": say_later("exactly the goal is enough"),
            "exceeded": say_later("it takes more than the goal"),
            "exact": say_later("it takes exactly the goal"),
        },
    )
    """"reached", "exceeded" where exactly the goal is not enough, or "exact" where nothing else is.

    An exact goal wins at once."""

    beyond_goal: Literal["lost", "back", "around", "given", "no_bank"] = described(
        "lost",
        "lost",
        say_later("exact goals: lost, back, around, given, no_bank"),
        ask=say_later("A bank beyond the goal"),
        meanings={
            "lost": say_later("brings nothing"),
            "back": say_later("goes back from the goal by what is too much"),
            "around": say_later("begins the score anew with what is too much"),
            "given": say_later("gives its points to the other player"),
            "no_bank": say_later("is not allowed"),
        },
        when=lambda rules: rules.goal_must_be == "exact",
        needs=("goal_must_be",),
        idle=say_later(
            "{key:{value}} has no meaning unless the goal has to be met exactly; it goes with"
            " {goal_must_be:exact}"
        ),
        told={
            None: "",
            "lost": say_later(
                "A bank that would go beyond the goal brings nothing: the score stays as it was."
            ),
            "back": say_later(
                "A bank beyond the goal sends the score back: by as many points below the goal as"
                " it would have gone beyond, but not below 0."
            ),
            "around": say_later(
                "A bank beyond the goal begins the score anew, with the points by which it went"
                " beyond."
            ),
            "given": say_later(
                "A bank beyond the goal brings its player nothing and gives all its points to the"
                " other player, unless that one would be beyond the goal, too; exactly the goal"
                " wins."
            ),
            "no_bank": say_later(
                "A turn total that goes beyond the goal cannot be banked: it can only be rolled"
                " on, until the turn is lost."
            ),
        },
    )
    """A bank that would go beyond an exact goal: "lost", brings nothing; "back", goes back from the
    goal by the points that are too many, not below 0; "around", makes the score as many points as
    were too many, and less than the goal; "given", brings nothing either, and all its points go to
    the other player, if that one has no more than the goal then; "no_bank", is not allowed.

    Such a bank ends the turn, and the count of farkles in a row starts again at 0. Whoever banks
    points that are lost or given is as much on the board as before. Who is given points is on the
    board, has as many farkles in a row as before, and wins with exactly the goal; two alone can
    play so. A farkle keeps no turn total that goes beyond the goal."""

    dice: Annotated[int, Field(strict=True, ge=1, le=MAX_DICE)] = described(
        6,
        "6",
        say_later("number of dice, 1 to 10"),
        ask=say_later("Number of dice, 1 to 10"),
        told={
            ...: say_later("The game is played with [one die|{number} dice]."),
        },
    )
    """How many dice are rolled, 1 to 10."""

    @property
    def _told_minimums(self) -> tuple[int, int]:
        """The minimum and the opening minimum, 0 where they are no more than any turn brings."""
        least = self.point_step
        minimum = self.minimum_bank if self.minimum_bank > least else 0
        return minimum, self.opening_minimum if self.opening_minimum > max(minimum, least) else 0

    def _tell_minimum_bank(self) -> Told:
        minimum, opening = self._told_minimums
        if opening and minimum:
            message = say_later(
                "Once on the board, a player may bank a turn total of {points:,} or more."
            )
        elif opening:
            message = say_later("Once on the board, a player may bank any turn total.")
        elif minimum:
            message = say_later("A turn total of {points:,} or more may be banked.")
        else:
            message = say_later("Any turn total may be banked.")
        return minimum, say(message, points=minimum), bool(minimum or opening)

    minimum_bank: Points = described(
        0,
        "350",
        say_later("least turn total to bank"),
        slash=say_later("least points to bank"),
        note="least turn total that may be banked",
        ask=say_later("Least turn total that may be banked"),
        in_steps=True,
        up_to_goal=True,
    )
    """Least turn total that may be banked."""

    def _tell_opening_minimum(self) -> Told:
        _, opening = self._told_minimums
        message = say_later("A player's first bank is like any other.")
        if opening:
            message = say_later(
                "A player's first bank must be at least {points:,}, and puts the player on the"
                " board for good."
            )
        return opening, say(message, points=opening), bool(opening)

    opening_minimum: Points = described(
        0,
        "1000",
        say_later("least first bank"),
        slash=say_later("least points of the first bank"),
        note="least turn total of a player's first bank",
        ask=say_later("Least first bank of a player"),
        in_steps=True,
        up_to_goal=True,
    )
    """Least turn total of the first bank of a player, who is on the board from then on."""

    def _tell_minimum_binds_win(self) -> Told:
        minimum, opening = self._told_minimums
        if not (minimum or opening):
            return None, "", False
        message = say("The minimum also applies to a bank that reaches the goal.")
        if not self.minimum_binds_win:
            message = say("A bank that reaches the goal needs no minimum.")
        elif minimum and opening:
            message = say("The minimums also apply to a bank that reaches the goal.")
        return self.minimum_binds_win, message, True

    minimum_binds_win: YesNo = described(
        True,
        "no",
        say_later("a bank that reaches the goal needs neither"),
        note="a bank that reaches the goal needs no minimum",
        ask=say_later("Do the minimums apply to a bank that reaches the goal, too?"),
        when=lambda rules: rules.minimum_bank or rules.opening_minimum,
    )
    """Whether the minimums hold for a bank that reaches the goal, too."""

    beat_previous_turn: YesNo = described(
        False,
        "yes",
        say_later("bank only more than the turn before banked"),
        note="bank only more than the turn before banked",
        ask=say_later("Must a turn beat what the player before has just banked?"),
        told={
            False: say_later("A turn does not have to beat the one before."),
            True: say_later(
                "Only a turn total of more points than the player before has just banked may be"
                " banked, to reach the goal and in a final turn, too. After a turn without points"
                " there is nothing to beat."
            ),
        },
    )
    """Whether a bank takes more points than the player before banked in the last turn.

    That goes for a bank that reaches the goal, too, even where no minimum does, and for a final
    turn, which has to beat the bank that reached the goal as well as the score: points that only
    draw level can be banked, and are a tie, where they are more than that bank. After a turn that
    banked nothing, and in the first turn of a game, there is nothing to beat but the minimums."""

    set_aside_all: YesNo = described(
        False,
        "yes",
        say_later("every die that scores must be set aside"),
        note="every die that scores",
        ask=say_later("Must every die that scores be set aside?"),
        told={
            False: say_later("Any of the dice that score may be set aside."),
            True: say_later(
                "Every die that scores must be set aside; none that could score may be rolled"
                " again."
            ),
        },
    )
    """Whether every die that scores must be set aside.

    Only set-asides that cannot be extended are legal then, those to which no further dice of the
    roll could be added."""

    hot_dice: Literal["optional", "no_bank", "forced"] = described(
        "optional",
        "no_bank",
        say_later("optional, no_bank or forced"),
        ask=say_later("When all dice are set aside"),
        meanings={
            "optional": say_later("all may be rolled again"),
            "no_bank": say_later("all must be rolled again"),
            "forced": say_later("all must be rolled again, and must be set aside if all score"),
        },
        told={
            "optional": say_later(
                "When [the die is|all dice are] set aside (hot dice), [it|all] may be rolled again."
            ),
            "no_bank": say_later(
                "When [the die is|all dice are] set aside (hot dice), [it|all] must be rolled"
                " again; you cannot bank."
            ),
            "forced": say_later(
                "When [the die is|all dice are] set aside (hot dice), [it|all] must be rolled"
                " again; you cannot bank, and if all dice of a roll score, all must be set aside."
            ),
        },
    )
    """When all dice are set aside: "optional", all may be rolled again; "no_bank", they must be;
    "forced", they must be, and a roll that scores with all its dice must be set aside whole."""

    held_sets: Literal["none", "linear", "doubling"] = described(
        "none",
        "doubling",
        say_later("what a later match to three of a kind adds"),
        slash=say_later("what a match to a set that is held adds"),
        note="linear or doubling where a die that matches a set held scores",
        ask=say_later("A die that matches three of a kind set aside in an earlier throw"),
        meanings={
            "none": say_later("counts like any other"),
            "linear": say_later("adds the points of three"),
            "doubling": say_later("doubles the set"),
        },
        when=lambda rules: rules.dice >= LEAST_DICE_HELD,
        needs=("dice",),
        idle=say_later(
            "{key:{value}} has no meaning under {dice} below 4, where three of a kind leave no die"
            " that could match them"
        ),
        told={
            "none": say_later("What is set aside of one throw counts in no later one."),
            "linear": say_later(
                "Who has set aside three or more of a kind in one throw holds this set until hot"
                " dice: each further die of its face that is thrown scores as much as three of that"
                " face."
            ),
            "doubling": say_later(
                "Who has set aside three or more of a kind in one throw holds this set until hot"
                " dice: each further die of its face that is thrown scores and doubles it. A fourth"
                " one brings as much as three of that face, and every further one twice as much as"
                " the one before."
            ),
        },
    )
    """What a die scores that matches a set held, three of a kind or more of an earlier throw of the
    turn: "none", what any die does; "linear", as much as three dice of its face; "doubling", as
    much as three if it is the fourth die of the set, and for each further one twice as much as
    before.

    A set is three or more dice of one face that are set aside of one throw, in whatever combination
    they count there, and that leave dice to roll. It is held until all dice are set aside or the
    turn ends, and every die of its face that is set aside later belongs to it. As long as it is
    held each die that shows its face scores by itself, so that a throw with one is no farkle,
    unless it is one whatever scores. Where dice could count otherwise, too, the most points count:
    a 1 that matches three 1s brings what the match does if that is more than a single 1. What three
    dice of a face are worth is the most that they bring together in a throw of dice that are left;
    where that is nothing, no set is held. How much the set itself brought, as four of a kind or as
    part of a full house, does not matter."""

    combine_throws: YesNo = described(
        False,
        "yes",
        say_later("dice held count with those of later throws"),
        note="whether dice of several throws count together",
        ask=say_later("Do dice that are set aside count together with those of earlier throws?"),
        told={
            False: say_later("Dice of several throws do not count together."),
            True: say_later(
                "All dice set aside since the turn began or the last hot dice count together: what"
                " is set aside of a further throw brings what all of them are worth then, less what"
                " those before were worth. Two 1s after a 1 make three of a kind."
            ),
        },
        when=lambda rules: rules.dice > 1,
        needs=("dice",),
        idle=say_later("{key:{value}} has no meaning under {dice} below 2"),
    )
    """Whether dice that are set aside count together with those that are held: all dice that were
    set aside before in the turn and since the last hot dice, if there were any.

    Dice that are held and set aside are worth the most points that they bring together, counted in
    combinations as if they were set aside of one throw, each die in one of them. Where nothing is
    held, any dice of a throw may be set aside that are worth something so, every die in some
    combination, and the turn total grows by that. Where dice are held, any dice of a further throw
    may be set aside that are worth something so together with all dice held, every die of either in
    some combination, and more than the dice held are by themselves; the turn total grows by the
    difference. Thus it is what it was before the first of them was set aside, plus what all dice
    that are held now are worth together. A throw of which no dice may be set aside is a farkle.
    Who holds a 1 and throws two more may set both aside for what three 1s bring beyond one, and a 2
    after three 2s makes four of a kind, where these bring more than three.

    When all dice are set aside they are hot dice, and none is held any more. Points that hot dice
    multiply, as `hot_dice_times` says, are multiplied for each set-aside as ever. Rolls that win or
    lose whatever they score do so by the dice of the throw alone. A combination of all dice with
    `when` counts in such a throw alone, and not for dice that were gathered: with "all_dice" a
    straight has to fall at once."""

    fill_straight: Annotated[int, Field(strict=True, ge=0, le=5)] = described(
        0,
        "1",
        say_later("most dice thrown once to fill a straight"),
        note="most dice that may be thrown once to fill a straight; 0 for none",
        ask=say_later("Most dice that may be thrown once to fill a straight, or 0 for none"),
        when=lambda rules: rules.dice == len(FACES) and rules.scoring.straight_1_6,
        told={
            0: say_later("No straight can be filled by a further throw."),
            ...: say_later(
                "Where [one face is|up to {number} faces are] missing from a straight in a throw of"
                " all dice, you may keep one die of each face for no points[|, even if nothing"
                " scores,] and throw the [other once: it fills|others once: they fill] the"
                " straight, or it is a farkle."
            ),
        },
    )
    """Most dice that may be thrown once to fill a straight of all six faces, 1 to 5; 0 for none.

    Of a throw of all six dice in which no more faces than that are missing, a player may keep one
    die of each face that shows, in place of a set-aside and even where nothing scores, so that it
    is no farkle. That brings no points, and the turn cannot be banked then: the other dice are
    thrown. Where they show just the missing faces, they bring the points of the straight and are
    hot dice; any other throw of them is a farkle, whatever scores, wins or loses otherwise. No dice
    are kept so that could all score, by themselves or with some that are rolled again, as those of
    a smaller straight do, nor of a roll that `hot_dice = "forced"` has set aside whole."""

    def _tell_confirm_faces(self) -> Told:
        if not self.confirm_faces:
            return [], "", False
        message = say_later(
            "A die that shows {faces} confirms, set aside beside such dice or of a further roll."
        )
        if not self.to_confirm:
            message = say_later(
                "Hot dice have to be confirmed before you can bank, by a die of a further roll that"
                " shows {faces}."
            )
        return list(self.confirm_faces), say(message, faces=self.confirming), True

    confirm_faces: Faces = described(
        (),
        "1,5",
        say_later("what a die has to show that confirms, or none"),
        note="what a die has to show that confirms",
        ask=say_later("What a die has to show that confirms, such as 1,5, or none for any"),
        when=_has_to_be_confirmed,
        needs=("scoring", "hot_dice"),
        idle=_NOTHING_TO_CONFIRM,
    )
    """Faces that confirm, such as ["1", "5"]: what has to be confirmed is so by a die that shows
    one of them; if none is given, by dice of any face that are set aside of a further roll.

    Such a die is set aside of the same roll, where it does not count as part of a combination to
    be confirmed, or of a further one. Of several ways to count dice for as many points one counts
    that needs nothing further, if there is one. What else is set aside of further rolls confirms
    nothing: the turn goes on, and no bank comes before. With this or `confirm_points`, hot dice
    that must be rolled ("no_bank", "forced") have to be confirmed as well, whatever they show, by a
    further roll."""

    def _tell_confirm_points(self) -> Told:
        points, sentences = self.confirm_points, []
        if points:
            message = say_later("{points:,} points of further rolls confirm, of one or several.")
            if not self.to_confirm:
                message = say_later(
                    "Hot dice have to be confirmed before you can bank, by {points:,} points of"
                    " further rolls, of one or several."
                )
            if self.confirm_faces:
                message = say_later("{points:,} points of further rolls confirm as well.")
            sentences.append(say(message, points=points))
        if self.hot_to_confirm and self.to_confirm:
            sentences.append(say("Hot dice have to be confirmed, too, by a further roll."))
        value = {"points": points, "hot_dice": self.hot_to_confirm}
        is_said = points > 0 or self.hot_to_confirm
        return value if is_said else None, " ".join(sentences), bool(sentences)

    confirm_points: Points = described(
        0,
        "500",
        say_later("points of further rolls that confirm"),
        note="points of further rolls that confirm",
        ask=say_later("Points of further rolls that confirm, or none"),
        in_steps=True,
        when=_has_to_be_confirmed,
        needs=("scoring", "hot_dice"),
        idle=_NOTHING_TO_CONFIRM,
    )
    """Points of further rolls, one or several, that confirm what has to be confirmed; 0 where any
    do, or where `confirm_faces` alone say what does.

    All points count that are set aside after it, without a bonus for hot dice. A set-aside which
    itself has to be confirmed, or is hot dice that have to be, begins the count anew and is not
    part of it. With `confirm_faces` either is enough, the points or a die."""

    def _tell_hot_dice_bonus(self) -> Told:
        bonus = _without_repeats(self.hot_dice_bonus)
        if not any(bonus):
            return [], say("Hot dice add no points."), False
        if len(bonus) == 1:
            message = say_later("Hot dice add {points:,} points to the turn total, every time.")
            return bonus, say(message, points=bonus[0]), True
        *others, (last, which) = zip(bonus, map(say, _TIMES[: len(bonus)]), strict=True)
        times = [say("{points:,} the {which}", points=points, which=nth) for points, nth in others]
        always = say("{points:,} from the {which} on", points=last, which=which)
        message = say(
            "Hot dice add points to the turn total: {others} in a turn, and {last}.",
            others=", ".join(times),
            last=always,
        )
        return bonus, message, True

    def _tell_bank_dice_left(self) -> Told:
        most = min(self.bank_dice_left, self.dice - 1)
        is_special = most < self.dice - 1
        message = say("A turn may be banked however many dice are left.")
        if is_special and self.hot_dice == "optional":
            message = say_number(
                "You can bank only when at most [one die is|{number} dice are] left, or none is"
                " (hot dice).",
                most,
            )
        elif is_special:
            message = say_number(
                "You can bank only when at most [one die is|{number} dice are] left.", most
            )
        return most if is_special else None, message, is_special

    bank_dice_left: Annotated[int, Field(strict=True, ge=1, le=MAX_DICE)] = described(
        MAX_DICE,
        "2",
        say_later("bank only when no more dice than that are left"),
        note="most dice that may be left at a bank",
        ask=say_later("Most dice that may be left at a bank; 10 for any number"),
    )
    """Most dice that may be left at a bank, 1 to 10: with more of them left to roll a turn must go
    on, also where it has reached the goal.

    Hot dice leave none, so that `hot_dice` alone says whether they may be banked. It does not
    matter for what a farkle keeps."""

    def _tell_no_bank_at(self) -> Told:
        if not self.barred:
            return [], say("A bank may leave any score."), False
        parts = []
        for scores in self.no_bank_at:
            first, _, last = scores.partition("-")
            if last:
                part = say("from {first:,} to {last:,}", first=int(first), last=int(last))
            elif scores.startswith("*"):
                part = say("ending in {digits}", digits=scores[1:])
            else:
                part = say("of {score:,}", score=int(scores))
            parts.append(part)
        message = say_later(
            "You cannot bank what would leave you with a score {scores}, short of the goal."
        )
        return sorted(self.barred), say(message, scores=one_of(parts)), True

    no_bank_at: Scores = described(
        (),
        "4050-4950",
        say_later("scores that no bank may leave; 4900, *50, none"),
        note='scores that no bank may leave: "4900", "4050-4950", "*50" for all ending in 50',
        ask=say_later("Scores that no bank may leave, such as 4900, 4050-4950 or *50, or none"),
    )
    """Scores at which a bank may not leave its player: "4900" is one score, "4050-4950" all from
    one to another, "*50" all whose last digits are these.

    A turn total that would lead there cannot be banked, and a farkle does not keep it. Scores from
    the goal on are free, so are those of 0 and less, and all once somebody has reached the goal."""

    caught_up: Annotated[
        Annotated[int, Field(strict=True, ge=0, le=MAX_POINTS)] | Literal["everything"],
        _POINTS_OR_ALL,
    ] = described(
        0,
        "everything",
        say_later("points, everything, none: for who is caught up"),
        note='points that it costs who is caught up by a bank, or "everything"',
        ask=say_later('Points that it costs who is caught up, or "everything", or none'),
        told={
            0: say_later("Nobody falls back for being caught up."),
            "everything": say_later(
                "A bank that brings its player to exactly the other player's score sends the other"
                " back to 0."
            ),
            ...: say_later(
                "A bank that brings its player to exactly the other player's score sends the other"
                " back by {points:,} points, but not below 0."
            ),
        },
    )
    """What it costs a player whose very score the other one's bank comes to: points, or
    "everything"; 0 where it costs nothing.

    A player with a score above 0 is caught up where the other one's bank, or what a farkle of the
    other one keeps, leaves both with the same score and changes that of who banks; a penalty for
    that farkle comes before. Who is caught up falls back by these points, but not below 0, or with
    "everything" to 0, and has as many farkles in a row as before and is on the board as before.
    Scores that reach the goal are not caught up, and nobody is once somebody has reached it. Two
    alone can play so."""

    throws: Annotated[int, Field(strict=True, ge=0, le=5)] = described(
        0,
        "3",
        say_later("most throws of a turn"),
        note="most throws of a turn; 0 for any number",
        ask=say_later("Most throws of a turn, or 0 for any number"),
        told={
            0: say_later("A turn may have any number of throws."),
            ...: say_later(
                "A turn [is one throw: what is set aside of it|has at most {number} throws: after"
                " the last one the turn total] is banked if it is enough for a bank, whatever dice"
                " are left, and else lost, as by a farkle."
            ),
        },
    )
    """Most throws of a turn, 1 to 5; 0 for any number.

    The last of them ends the turn. What the turn total is then is banked where it is enough for a
    bank, whatever dice are left to roll, hot dice too. What is not enough, or has to be confirmed,
    ends the turn as a farkle does."""

    first_throw_tries: Tries = described(
        1,
        "0",
        say_later("times it is thrown if a farkle; 0: any number"),
        note="times that the first throw of a turn is made until it is no farkle; 0 for any number",
        ask=say_later(
            "Times that the first throw of a turn is made until it is no farkle, 0 for any number"
        ),
        told={
            1: say_later("A farkle on the first throw of a turn is one like any other."),
            0: say_later(
                "The first throw of a turn is no farkle: all dice are thrown until some score."
            ),
            ...: say_later(
                "A farkle on the first throw of a turn is thrown again: it counts only when all"
                " dice were thrown {number} times."
            ),
        },
    )
    """How many times at most the first throw of a turn is made, 1 to 9, or 0 for any number: where
    it is a farkle all dice are thrown again, and only a farkle of the last of so many counts.

    There is no choice in between. All of them are the first throw of the turn, and one throw where
    throws are limited. A roll that wins, that loses everything or that loses the game is no
    farkle."""

    last_die_tries: Tries = described(
        1,
        "3",
        say_later("times it is thrown if a farkle; 0: any number"),
        note="times that the last die is thrown until it is no farkle; 0 for any number",
        ask=say_later("Times that the last die is thrown until it scores, 0 for any number"),
        when=lambda rules: rules.dice > 1,
        needs=("dice",),
        idle=say_later(
            "{key}: {value} has no meaning under {dice} = 1, where no die is the last of several"
        ),
        told={
            1: say_later("The last die is thrown once, as other dice are."),
            0: say_later("The last die is thrown until it scores, and you cannot bank in between."),
            ...: say_later(
                "The last die is thrown up to {number} times until it scores, and you cannot bank"
                " in between."
            ),
        },
    )
    """How many times at most a single die is thrown that is left of several, 1 to 9, or 0 for any
    number: where it is a farkle it is thrown again, and only a farkle of the last of so many
    counts.

    There is no choice in between, so that nobody can bank. All of them are one throw where throws
    are limited. A roll that wins, that loses everything or that loses the game is no farkle."""

    hot_dice_bonus: Numbers = described(
        (),
        "500,1000",
        say_later("bonus for the 1st, 2nd, ... hot dice of a turn"),
        note="bonus for the 1st, 2nd, ... hot dice of a turn",
        ask=say_later("Bonus for the first, second, ... time that all are set aside, or none"),
    )
    """Points on top for the first, second, ... hot dice of a turn, such as [500, 1000]; the last
    number holds for all further ones."""

    def _tell_hot_dice_times(self) -> Told:
        _, *times = _without_repeats((1, *self.hot_dice_times))
        if not times:
            return [], say("What is set aside counts as much after hot dice as before."), False
        *others, (last, which) = zip(times, map(say, _TIMES[: len(times)]), strict=True)
        counted = [say("{times} times after the {which}", times=n, which=nth) for n, nth in others]
        message = say_later("After hot dice what is set aside counts {times} times in that turn.")
        if others:
            message = say_later(
                "After hot dice what is set aside counts several times in that turn: {others}, and"
                " {times} times from the {which} on."
            )
        sentence = say(message, times=last, which=which, others=", ".join(counted))
        return times, sentence, True

    hot_dice_times: Times = described(
        (),
        "2,3",
        say_later("times that points count after hot dice"),
        note="how many times points count after the 1st, 2nd, ... hot dice of a turn",
        ask=say_later("How many times points count after the first, second, ... hot dice, or none"),
    )
    """How many times points count after the first, second, ... hot dice of a turn, such as [2, 3];
    the last number holds after all further ones.

    What is set aside counts so many times for the turn total from the next throw on, until the turn
    ends; what has led to the hot dice counts as before. The points of a roll in which nothing
    scores count as those of any set-aside. A bonus for hot dice always counts once."""

    def _tell_farkle_keeps_turn_total(self) -> Told:
        keeps = self.farkle_keeps_turn_total
        if not self.has_farkle:
            return keeps, say("Every roll scores: there is no farkle."), True
        roll = say("A roll in which nothing scores")
        if self.at("any").scoring.nothing:
            roll = say("A roll of fewer than {dice} dice in which nothing scores", dice=self.dice)
        message = say_later("{roll} is a farkle: it ends the turn and loses the turn total.")
        if keeps:
            message = say_later(
                "{roll} is a farkle: it ends the turn, but the turn total is banked if it could"
                " have been banked before the roll."
            )
        sentences = [say(message, roll=roll)]
        if keeps and self.hot_dice != "optional":
            sentences.append(
                say(
                    "That goes for a turn total after hot dice too, although you cannot bank it"
                    " yourself."
                )
            )
        if keeps and self.farkle_penalty:
            sentences.append(say("It still counts as a farkle."))
        return keeps, " ".join(sentences), True

    farkle_keeps_turn_total: YesNo = described(
        False,
        "yes",
        say_later("a farkle banks what may be banked"),
        note="where it is enough for a bank, after hot dice too",
        ask=say_later("Does a farkle keep the turn total?"),
    )
    """Whether a farkle adds the turn total to the score, where it is enough for a bank.

    That is at least the minimum, unless the bank is free of that; a lower one is lost. It does not
    matter which dice were rolled: after hot dice that must be rolled ("no_bank", "forced") a farkle
    keeps the turn total too, though it might not have been banked there. It still counts as a
    farkle, and a penalty comes after, unless what is kept has reached the goal. Other rolls that
    end a turn keep nothing."""

    def _tell_farkle_penalty(self) -> Told:
        penalty = self.farkle_penalty
        if not penalty:
            return None, say("Farkles in a row cost nothing."), False
        costs = say("takes a score above 0 down to 0")
        if isinstance(penalty.points, int):
            costs = say("costs {points:,} points", points=penalty.points)
        message = say_later("{farkle} {costs}.")
        if penalty.then == "goes_on":
            message = say_later("{farkle} {costs}, and so does every further one in a row.")
        elif penalty.in_a_row > 1:
            message = say_later("{farkle} {costs}, and the count starts again.")
        farkle = _EVERY[penalty.when]
        if penalty.in_a_row > 1:
            farkle = _IN_A_ROW[penalty.in_a_row - 1]
        sentence = say(message, farkle=say(farkle), costs=costs)
        if penalty.in_a_row > 1 and penalty.when in _COUNTS:
            sentence += " " + say(_COUNTS[penalty.when])
        if self.farkle_keeps_turn_total:
            sentence += " " + say("That happens after the bank, unless the bank reached the goal.")
        return penalty.model_dump(exclude_defaults=True), sentence, True

    farkle_penalty: Annotated[FarklePenalty | None, _PENALTY] = described(
        None,
        "3x1000",
        say_later("3 farkles in a row; 3xeverything,goes-on; none"),
    )
    """A table with `in_a_row`, 1 to 5, and `points`, a number or "everything": the last of so many
    farkles in a row costs that, and the count starts again, or with `then` = "goes_on" every
    further one in a row costs as much; with `when` = "all_dice" or "first_throw" only farkles of
    all dice count, or those on the first throw of a turn."""

    def _tell_instant_win(self) -> Told:
        patterns = canonical(self.at("any").decisive.get("wins_game", ()))
        if not patterns:
            return [], say("No roll wins the game at once."), False
        message = say_later("A roll with {patterns} wins the game at once.")
        return patterns, say(message, patterns=any_of(patterns, self.dice)), True

    instant_win: Patterns = described(
        (),
        "xxxxxx,222",
        say_later("rolls that win: six of a kind, three 2s; or none"),
        note="rolls that win",
        ask=say_later('Rolls that win at once, such as xxxxxx for six of a kind, or "none"'),
    )
    """Rolls that win the game at once: ["xxxxxx"] is six of a kind, ["222"] three 2s among the
    dice."""

    def _tell_lose_everything(self) -> Told:
        patterns = canonical(self.at("any").decisive.get("loses_score", ()))
        if not patterns:
            return [], say("No roll loses everything."), False
        besides = ""
        if self.farkle_penalty and self.farkle_penalty.in_a_row > 1:
            besides += say("; the count of farkles in a row starts again")
        if self.has_opening:
            besides += say("; players on the board stay there")
        if "wins_game" in self.decisive:
            besides += say("; but a roll that wins at once does not lose")
        if "loses_game" in self.decisive:
            besides += say("; a roll that loses the game does only that")
        message = say_later(
            "A roll with {patterns} loses everything: it ends the turn, loses the turn total and"
            " takes a score above 0 down to 0{more}."
        )
        return patterns, say(message, patterns=any_of(patterns, self.dice), more=besides), True

    lose_everything: Patterns = described(
        (),
        "2222",
        say_later("rolls that lose the whole score, or none"),
        note="rolls that lose everything",
        ask=say_later('Rolls that lose everything, such as 2222 for four 2s, or "none"'),
    )
    """Rolls that end the turn and take a score above 0 down to 0; patterns as those that win.

    The count of farkles in a row starts again at 0, and who is on the board stays there. A roll
    that wins at once does not lose."""

    def _tell_jokers(self) -> Told:
        faces, alone = sorted({*map(str, self.scoring.jokers)}), self.scoring.joker_alone
        value = {"faces": faces, "alone": alone}
        if not faces:
            return value, say("Every die counts as what it shows."), False
        message = say_later(
            "A die that shows {faces} is a joker: it may count as any other face in a combination"
            " of which at least one die counts as what it shows."
        )
        if alone:
            message = say_later(
                "A die that shows {faces} is a joker: it may count as any other face, also by"
                " itself."
            )
        sentences = [say(message, faces=one_of(faces))]
        if self.decisive or self.confirm_faces:
            sentences.append(
                say("No joker stands for a face that has to be shown to win, lose or confirm.")
            )
        return value, " ".join(sentences), True

    def _tell_combination(self) -> Told:
        always = self.at("any")
        patterns = canonical(always.decisive.get("loses_turn", ()))
        ruin = canonical(always.decisive.get("loses_game", ()))
        confirmed = sorted(
            {tidy(table.dice) for table in always.scoring.combination if table.then == "roll_on"}
        )
        uses = sorted(
            f"{tidy(table.dice)}:{table.uses}" for table in self.scoring.combination if table.uses
        )
        tables = self.scoring.combination
        at_times: dict[When, dict[str, str]] = {
            when: {str(table): table.in_words for table in tables if table.when == when}
            for when in WHENS[1:]
        }
        if self.scoring.nothing_at_first:
            points = self.scoring.nothing
            said = say("a roll in which nothing scores ({points:,})", points=points)
            at_times["first_throw"][f"nothing={points}"] = said
        at_times = {when: named for when, named in at_times.items() if named}
        value: dict[str, list[str]] = {
            "loses_turn": patterns,
            "to_confirm": confirmed,
            "uses": uses,
            "loses_game": ruin,
        }
        value |= {when: [*named] for when, named in at_times.items()}
        doubt = say_later(
            "Dice that count as {combinations} have to be confirmed: you cannot bank them before"
            " dice of a further roll were set aside."
        )
        if self.confirm_faces or self.confirm_points:
            doubt = say_later(
                "Dice that count as {combinations} have to be confirmed before you can bank them."
            )
        said = one_of(map(in_words, confirmed)) if confirmed else ""
        sentences = [say(doubt, combinations=said)] if confirmed else []
        if uses:
            sentences.append(
                say(
                    "Where a combination uses up fewer dice than it takes, only these are set"
                    " aside: the others are rolled again, and count in no other combination."
                )
            )
        if ruin:
            saved = say("; but a roll that wins at once does not lose")
            sentences.append(
                say(
                    "A roll with {patterns} loses the game{more}.",
                    patterns=any_of(ruin, self.dice),
                    more=saved if "wins_game" in self.decisive else "",
                )
            )
        sentences += [
            say(_AT_TIMES[when], combinations="; ".join(named.values()))
            for when, named in at_times.items()
        ]
        if not patterns:
            nothing = [say("Only a roll in which nothing scores is a farkle.")]
            return value, " ".join(sentences or nothing), bool(sentences)
        message = say_later(
            "A roll with {patterns} is a farkle, too, whatever else it shows{more}."
        )
        others = {
            "wins_game": say("it wins at once"),
            "loses_game": say("it loses the game"),
            "loses_score": say("it loses everything"),
        }
        reasons = [others[then] for then in self.decisive if then != "loses_turn"]
        unless = say(", unless {reasons}", reasons=one_of(reasons)) if reasons else ""
        sentences.append(say(message, patterns=any_of(patterns, self.dice), more=unless))
        return value, " ".join(sentences), True

    ending: Literal["at_once", "final_turn", "equal_turns", "defended"] = described(
        "at_once",
        "final_turn",
        say_later("at_once, final_turn, equal_turns or defended"),
        ask=say_later("How the game ends"),
        meanings={
            "at_once": say_later("the first to reach the goal wins at once"),
            "final_turn": say_later("the other player has one final turn"),
            "equal_turns": say_later("both players get the same number of turns"),
            "defended": say_later("whoever is beaten then has one more turn"),
        },
        told={
            "at_once": say_later("A bank that reaches the goal wins at once."),
            "final_turn": say_later(
                "After a bank that reaches the goal, the other player has one final turn to beat"
                " that score."
            ),
            "equal_turns": say_later(
                "Both players get the same number of turns: if the player who began reaches the"
                " goal, the other has one final turn to beat that score; if the other reaches it"
                " first, that wins at once."
            ),
            "defended": say_later(
                "After a bank that reaches the goal, the other player has one final turn to beat"
                " that score. Whoever is beaten has one final turn more to beat the new score, and"
                " so on, until a turn does not beat it."
            ),
        },
    )
    """A bank that reaches the goal: "at_once", wins; "final_turn", gives the other player one final
    turn to beat that score; "equal_turns", does so only where its player began, so that both have
    as many turns; "defended", gives the other player a final turn, and whoever is beaten in one has
    a final turn in return.

    A final turn beats a score by a higher one. The first that does not ends the game, whether it
    comes to less or to an equal score. Two alone can play a game that is defended."""

    def _tell_final_throws(self) -> Told:
        if self.ending == "at_once" or not self.final_throws:
            return 0, say("A final turn has as many throws as any other."), False
        message = say_later(
            "A final turn is one throw: what is set aside of it is banked if it is enough for a"
            " bank, whatever dice are left, and else lost."
        )
        if self.ties == "played_on":
            message = say_later(
                "A final turn, and one of those after equal scores, is one throw: what is set aside"
                " of it is banked if it is enough for a bank, whatever dice are left, and else"
                " lost."
            )
        return self.final_throws, say(message), True

    final_throws: Annotated[int, Field(strict=True, ge=0, le=1)] = described(
        0,
        "1",
        say_later("1 where a final turn is one throw"),
        note="1 where a final turn is one throw",
        ask=say_later("Throws of a final turn: 1, or 0 for as many as in any other"),
        when=lambda rules: rules.ending != "at_once",
        needs=("ending",),
        idle=say_later(
            "{key}: {value} has no meaning when the first to reach the goal wins at once; it goes"
            " with {ending:final_turn,equal_turns,defended}"
        ),
    )
    """1 where a final turn is one throw, and a turn that plays off a tie is, too; 0 where they are
    turns as any other.

    Such a throw ends the turn as the last one of a turn of limited `throws` does, which other turns
    may have more of."""

    def _tell_take_over(self) -> Told:
        message = {
            "nothing": say_later("Every turn begins with all dice and no points."),
            "banked": say_later(
                "Whoever is on the board may begin a turn with the dice that the player before left"
                " at a bank, and with the points that were banked, which that player keeps."
            ),
            "lost": say_later(
                "Whoever is on the board may begin a turn with the dice that were a farkle of the"
                " player before, and with the turn total that was lost."
            ),
            "both": say_later(
                "Whoever is on the board may begin a turn with what the player before left: with"
                " the points that were banked, which that player keeps, and the dice that were"
                " left, or with the turn total that a farkle lost, and its dice."
            ),
        }[self.take_over]
        sentences = [say(message)]
        costs = not self.counts_farkle(first=False, all_dice=True)
        if self.takes_over and (self.has_first_throw or costs):
            sentences.append(say("A turn that was taken over has no first throw."))
        return self.take_over, " ".join(sentences), True

    take_over: Literal["nothing", "banked", "lost", "both"] = described(
        "nothing",
        "banked",
        say_later("what is left to the next: banked, lost or both"),
        ask=say_later("What may be taken over from the player before"),
        meanings={
            "nothing": say_later("every turn begins with all dice"),
            "banked": say_later("the turn total that was banked, with the dice that were left"),
            "lost": say_later("the turn total that a farkle lost, with the dice of that roll"),
            "both": say_later("either of them"),
        },
    )
    """What whoever comes next may roll on with: "banked", the turn total that the player before
    banked and the dice left then; "lost", the turn total that a farkle lost and the dice that were
    rolled in it; "both", either; else every turn begins afresh.

    Who takes over begins the turn with that turn total and has to roll these dice at once; from
    then on it is a turn like any other, and what it banks, all of it, goes on top of the own score.
    Whoever banked before keeps the points all the same. After hot dice all dice are left. A farkle
    of a turn's first roll of all dice has lost nothing, and leaves nothing. Only players on the
    board may take over. Hot dice are counted anew, nothing is held and nothing left to be
    confirmed, and no throw of that turn is its first one. In a final turn, too, there may be
    something to take over."""

    take_over_from: Points = described(
        0,
        "3000",
        say_later("least score to take over"),
        note="least score of whoever takes over",
        ask=say_later("Least score of whoever takes over"),
        when=lambda rules: rules.take_over != "nothing",
        needs=("take_over",),
        idle=_NOTHING_TAKEN,
        in_steps=True,
        up_to_goal=True,
        told={
            None: "",
            0: say_later("Any score of a player on the board is enough to take over."),
            ...: say_later("Only whoever has {points:,} points or more may take over."),
        },
    )
    """Least score with which a player may take over, before the turn; 0 for any of whoever is on
    the board."""

    def _tell_take_over_dice(self) -> Told:
        if not self.takes_over:
            return None, "", False
        most = min(self.take_over_dice, self.dice)
        if most == self.dice:
            return most, say("However many dice are left, they may be taken over."), False
        message = say_number(
            "No more than [one die|{number} dice] can be taken over: where more are left, the next"
            " turn begins afresh.",
            most,
        )
        return most, message, True

    take_over_dice: Annotated[int, Field(strict=True, ge=1, le=MAX_DICE)] = described(
        MAX_DICE,
        "2",
        say_later("most dice that may be taken over"),
        note="most dice that may be taken over",
        ask=say_later("Most dice that may be taken over; 10 for any number"),
        when=lambda rules: rules.take_over != "nothing",
        needs=("take_over",),
        idle=_NOTHING_TAKEN,
    )
    """Most dice that may be taken over, 1 to 10: where more of them are left the next turn begins
    afresh.

    With one die less than there are, nobody takes over what was left with hot dice."""

    def _tell_ties(self) -> Told:
        if self.rounds:
            message = say_later("If several have the most then, they share the win.")
            if self.ties == "played_on":
                message = say_later(
                    "If the scores are equal then, both have one more turn, again and again until"
                    " one of them has more."
                )
            return self.ties, say(message), True
        if self.ending == "at_once":
            return None, "", False
        earlier = say_later(
            "If the scores are equal after that, the player who reached the goal first wins."
        )
        if self.is_defended:
            earlier = say_later(
                "If the scores are equal after that, the player who had that score first wins."
            )
        message = {
            "earlier": earlier,
            "shared": say_later(
                "If the scores are equal after that, each player wins half the game."
            ),
            "played_on": say_later(
                "If the scores are equal after that, both play one more turn each, beginning with"
                " the player whose turn it is, until one of them scores more than the other."
            ),
        }[self.ties]
        parts = []
        if self.ties == "played_on":
            if self.farkle_penalty:
                parts.append(say("farkles cost nothing"))
            if self.minimum_bank > self.point_step or self.has_opening:
                binds = self.minimum_binds_win
                free = say("the minimum applies unless the bank wins")
                parts.append(say("the minimum applies") if binds else free)
            if "loses_score" in self.decisive:
                parts.append(say("a roll that loses everything loses the game"))
        if not parts:
            return self.ties, say(message), True
        clauses = say("In these turns, {clauses}.", clauses=and_text(parts))
        return self.ties, f"{say(message)} {clauses}", True

    ties: Literal["earlier", "shared", "played_on"] = described(
        "earlier",
        "earlier",
        say_later("earlier, shared or played_on"),
        ask=say_later("Equal scores after the last turn"),
        meanings={
            "earlier": say_later("the player who reached the goal first wins"),
            "shared": say_later("each player wins half the game"),
            "played_on": say_later("one more turn each until one gets more points"),
        },
        when=lambda rules: rules.ending != "at_once" or rules.rounds,
        needs=("ending", "rounds"),
        idle=say_later(
            "{key:{value}} has no meaning when the first to reach the goal wins at once; it goes"
            " with {ending:final_turn,equal_turns,defended}, or with {rounds}"
        ),
    )
    """Equal scores after a final turn: "earlier", the player who reached the goal first wins, or
    had that score first where the game is defended; "shared", each wins half; "played_on", both
    play one more turn each, first the one whose turn it is, until one gets more points in it than
    the other.

    In these turns farkles in a row cost nothing, a minimum holds unless a winning bank is free of
    it, and a roll that loses everything loses the game. Ties of a game that is defended are not
    played on."""

    def _tell_score_floor(self) -> Told:
        floor = self.score_floor
        if not floor:
            return 0, say("No score falls below 0."), self.penalty_points > 0
        message = say_later("For the chances, a score below {floor:,} counts as {floor:,}.")
        return floor, say(message, floor=floor), True

    score_floor: Annotated[int, Field(strict=True, ge=-MAX_POINTS, le=0)] = described(
        0,
        "0",
        say_later("no score falls below 0"),
        when=lambda rules: rules.penalty_points,
        needs=("farkle_penalty",),
        idle=say_later(
            "{key}: {value} has no meaning without a {farkle_penalty} in points, as no score"
            " falls below 0"
        ),
        in_steps=True,
    )
    """0 says that no score falls below 0. Any other number only keeps the game finite: lower scores
    count as this one. If left out: five penalties below 0.

    0 is a rule of play. With any other penalties go on for ever, and the solver takes a lower score
    for the floor."""

    scoring: Scoring = Scoring.model_construct()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self._options.values()))

    @property
    def _options(self) -> dict[str, Any]:
        """All that was given, and nothing of what was worked out from it."""
        return {name: self.__dict__[name] for name in Ruleset.model_fields}

    def __copy__(self) -> Self:
        # whoever copies may change options; what was worked out would stay as it was
        copied = super().__copy__()
        object.__setattr__(copied, "__dict__", self._options)
        return copied

    def __getstate__(self) -> dict[Any, Any]:
        # the hash is another one in another process
        return super().__getstate__() | {"__dict__": self._options}

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any) -> Any:
        """Refuse what is no part of rules, and choose a floor where none is given."""
        if not isinstance(data, dict):
            return data
        if refused := list(told_elsewhere(data)):
            raise ContradictionsError(refused)
        data = {key: value for key, value in data.items() if key not in ELSEWHERE}
        rounds = data.get("rounds")
        if type(rounds) is int and 0 < rounds <= MOST_ROUNDS:
            data = {"goal": NO_GOAL, "ties": "shared"} | data
        else:
            rounds = 0
        penalty = data.get("farkle_penalty")
        points = penalty.get("points") if isinstance(penalty, dict) else None
        if "score_floor" not in data and type(points) is int and 0 < points <= MAX_POINTS:
            # in a game of rounds lower than penalties take a score
            penalties = rounds + MOST_ROUNDS if rounds else -DEFAULT_FLOOR
            data["score_floor"] = -min(penalties, MAX_POINTS // points) * points
        return data

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if wrong := [*contradictions(self, OPTIONS | PENALTY_OPTIONS)]:
            raise ContradictionsError(wrong)
        return self

    def farkles(self, dice: int, *, first: bool) -> Iterator[bool]:
        """Whether a roll of so many dice is a farkle, roll by roll."""
        here = self.of_throw(dice, first=first)
        scores = [Counter(faces_of(combination)) for combination in here.combinations]
        for roll in combinations_with_replacement(FACES, dice):
            then = here.decided(roll)
            nothing = not any(combination <= Counter(roll) for combination in scores)
            yield then == "loses_turn" or (then == "scores" and nothing)

    @property
    def throws_again(self) -> bool:
        """Whether dice that farkle are thrown again in some throws."""
        return self.first_throw_tries != 1 or self.last_die_tries != 1

    def tries(self, dice: int, *, first: bool) -> int:
        """How many times dice are thrown that farkle; 0 for any number.

        first : whether it is the first throw of a turn
        """
        if first:
            return self.first_throw_tries
        return self.last_die_tries if dice == 1 else 1

    @cached_property
    def _throws(self) -> dict[When, "Ruleset"]:
        """The rules as they count in throws of a kind; nothing where these are the rules."""
        if self.scoring.is_always_alike:
            return {}
        return {
            when: Ruleset.model_construct(**self._options | {"scoring": self.scoring.at(when)})
            for when in WHENS
        }

    @property
    def kinds(self) -> tuple["Ruleset", ...]:
        """The rules as they count in each kind of throws."""
        return tuple(self._throws.values()) or (self,)

    def at(self, when: When) -> "Ruleset":
        """The rules as they count in throws of a kind."""
        return self._throws.get(when, self)

    def of_throw(self, dice: int, *, first: bool, held: Dice = ()) -> "Ruleset":
        """The rules as they count in a throw of so many dice, the first of a turn or a later.

        held : the set that is held, one of `sets`
        """
        if held and not self.combine_throws:
            return self._beside_sets[held]
        return self.at("first_throw" if first else "all_dice" if dice == self.dice else "any")

    @cached_property
    def _beside_sets(self) -> dict[Dice, "Ruleset"]:
        """The rules as they count in throws beside each set that may be held.

        Each number of dice that match it is a combination then. Beside a part of a straight only
        the missing faces are one.
        """
        plain, beside = self.at("any"), self._beside_parts()
        for face in FACES if self.held_sets != "none" else ():
            alike = {dice: p for dice, p in plain.combinations.items() if {*dice} == {face}}
            three = most_points(alike, (face,), 3).get((face,) * 3, 0)
            sizes = range(3, self.dice if self.held_sets == "doubling" else 4) if three else ()
            for size in sizes:
                matches = (
                    Combination.model_construct(
                        dice=str(face) * number, points=self._matched(three, size, number)
                    )
                    for number in range(1, self.dice - size + 1)
                )
                tables = (*plain.scoring.combination, *matches)
                scoring = plain.scoring.model_copy(update={"combination": tables})
                options = self._options | {"scoring": scoring, "held_sets": "none"}
                beside[(face,) * size] = Ruleset.model_construct(**options)
        return beside

    def _beside_parts(self) -> dict[Dice, "Ruleset"]:
        """The rules as they count in throws beside each part of a straight that may be filled."""
        if not (self.fill_straight and self.straight):
            return {}
        # what scores with any others, by the faces that are set aside
        scores = {
            tuple(face for face in dice if face < FREED)
            for dice in most_points(self.combinations, FACES, len(FACES))
        }
        then: Then = "roll_on" if _STRAIGHT in self.to_confirm else "scores"
        nothing = 0, 0, 0, 0, 0, 0
        options = self._options | {"fill_straight": 0, "held_sets": "none"}
        options |= {"instant_win": (), "lose_everything": ()}
        beside = {}
        for missing in range(1, self.fill_straight + 1):
            for faces in combinations(FACES, missing):
                held = tuple(face for face in reversed(FACES) if face not in faces)
                if held in scores:
                    continue
                fills = "".join(map(str, faces))
                straight = Combination.model_construct(dice=fills, points=self.straight, then=then)
                scoring = Scoring.model_construct(
                    single=nothing, three_of_a_kind=nothing, combination=(straight,)
                )
                beside[held] = Ruleset.model_construct(**options | {"scoring": scoring})
        return beside

    @cached_property
    def straight(self) -> int:
        """Points of a throw of all six faces; 0 where it is not worth as much in every throw."""
        worth = {
            self.of_throw(len(FACES), first=first).combinations.get(_STRAIGHT, 0)
            for first in (True, False)
        }
        is_one = self.dice == len(FACES) and len(worth) == 1 and self.decided(_STRAIGHT) == "scores"
        return worth.pop() if is_one else 0

    def _matched(self, three: int, size: int, number: int) -> int:
        """Points of so many dice that match a set of a size, given what three of them are worth."""
        if self.held_sets == "linear":
            return three * number
        return three * (((1 << number) - 1) << (size - 3))

    @cached_property
    def worth_together(self) -> dict[Dice, int]:
        """Most points of all dice that may be held together or be hot dice, where throws combine.

        Their faces are in descending order.
        """
        return most_points(self.at("any").combinations, FACES, self.dice)

    def beside(self, held: Dice) -> dict[Dice, int]:
        """Points of dice of a further throw beside some that are held, where throws combine."""
        worth, together = self.worth_together[held], dict[Dice, int]()
        for number in range(1, self.dice - len(held) + 1):
            for kept in combinations_with_replacement(reversed(FACES), number):
                every = tuple(sorted(held + kept, reverse=True))
                if (points := self.worth_together.get(every, 0)) > worth:
                    together[kept] = points - worth
        return together

    @cached_property
    def sets(self) -> tuple[Dice, ...]:
        """What may be held, none first: sets as far as they are told apart, parts of straights.

        Or any dice that are worth something together.
        """
        if self.combine_throws:
            return ((), *(dice for dice in self.worth_together if len(dice) < self.dice))
        return ((), *self._beside_sets)

    def is_part(self, held: Dice) -> bool:
        """Whether dice that are held are those of a straight that is to be filled, and no set."""
        return not self.combine_throws and 0 < len(held) == len({*held})

    @property
    def in_last_turns(self) -> "Ruleset":
        """The rules as they are in final turns and play-offs, where these have other throws."""
        return self._of_last_turns or self

    @cached_property
    def _of_last_turns(self) -> "Ruleset | None":
        """None where they are these rules, which are not to be compared as a part of themselves."""
        if not self.final_throws:
            return None
        changes = {"throws": self.final_throws, "final_throws": 0}
        return Ruleset.model_construct(**self._options | changes)

    @property
    def has_first_throw(self) -> bool:
        """Whether something counts in the first throw of a turn alone, or its farkles do not."""
        at_first = any(table.when == "first_throw" for table in self.scoring.combination)
        return at_first or self.scoring.nothing_at_first or self.first_throw_tries != 1

    @cached_property
    def combinations(self) -> dict[tuple[int, ...], int]:
        """Most points of every scoring combination, by its dice; those it frees stand last."""
        points_of: dict[Dice, int] = {}
        for kind in self.kinds:
            for dice, points in kind.scoring.combinations(self.dice).items():
                points_of[dice] = max(points, points_of.get(dice, 0))
        return points_of

    @cached_property
    def decisive(self) -> dict[Then, tuple[str, ...]]:
        """Patterns of rolls that leave no choice, by what they do; the first that holds counts."""
        patterns_of: dict[Then, tuple[str, ...]] = {
            "wins_game": self.instant_win,
            "loses_game": (),
            "loses_score": self.lose_everything,
            "loses_turn": (),
        }
        for table in self.scoring.combination:
            if table.then in patterns_of:
                pattern = tidy(table.dice)
                word = pattern if len({*pattern}) > 1 else pattern.replace("a", "x")
                patterns_of[table.then] = (*patterns_of[table.then], word)
        return {then: patterns for then, patterns in patterns_of.items() if patterns}

    def decided(self, faces: Dice) -> Then:
        """What a roll of some faces does, whatever it scores."""
        return next(
            (then for then, shown in self.decisive.items() if shown_in(shown, faces)), "scores"
        )

    @cached_property
    def to_confirm(self) -> frozenset[Dice]:
        """Combinations after which a further roll has to score before the turn may be banked."""
        doubtful = (kind.scoring.to_confirm(self.dice) for kind in self.kinds)
        return frozenset().union(*doubtful)

    @property
    def confirming(self) -> str:
        """The faces that confirm, in words; empty where none are said."""
        return one_of(map(str, self.confirm_faces)) if self.confirm_faces else ""

    @property
    def hot_to_confirm(self) -> bool:
        """Whether hot dice have to be confirmed as combinations have, by more than a roll."""
        return self.hot_dice != "optional" and bool(self.confirm_faces or self.confirm_points)

    @cached_property
    def needs(self) -> tuple[int, ...]:
        """What a turn may still lack to be confirmed, nothing first, in points if they count."""
        if not (self.to_confirm or self.hot_to_confirm):
            return (False,)
        if not self.confirm_points:
            return False, True
        return tuple(range(0, self.confirm_points + 1, self.point_step))

    @cached_property
    def has_freed(self) -> bool:
        """Whether there are combinations that do not use up all their dice."""
        return any(dice[-1] > FREED for dice in self.combinations)

    @cached_property
    def of_turn(self) -> "Ruleset":
        """The rules without what does not matter to the rolls and set-asides of a turn.

        Equal for rules that differ in such things alone: what is worked out serves all of them.
        """
        options = {
            name: value for name, value in self._options.items() if name not in BESIDE_THE_TURN
        }
        # of the rest only this matters to which set-asides are kept
        ending = "at_once" if self.more_is_better else "final_turn"
        return Ruleset.model_construct(
            **options | {"name": "-", "goal": self.point_step, "ending": ending}
        )

    @cached_property
    def point_step(self) -> int:
        """The greatest step of which all points, bonuses and what a penalty takes are multiples."""
        points = (kind.combinations.values() for kind in self.kinds)
        taken = self.penalty_points, self.caught_up if isinstance(self.caught_up, int) else 0
        return gcd(*taken, *self.hot_dice_bonus, *chain.from_iterable(points))

    @property
    def penalty_points(self) -> int:
        """What the last farkle in a row costs; 0 if nothing, or everything."""
        points = self.farkle_penalty.points if self.farkle_penalty else 0
        return points if isinstance(points, int) else 0

    @property
    def farkle_limit(self) -> int:
        """Number of farkle counts that a position tells apart: 0 .. farkle_limit - 1."""
        return self.farkle_penalty.in_a_row if self.farkle_penalty else 1

    @property
    def spares_farkles(self) -> bool:
        """Whether there are farkles that do not count for the penalty."""
        return self.farkle_penalty is not None and self.farkle_penalty.when != "any"

    def counts_farkle(self, *, first: bool, all_dice: bool) -> bool:
        """Whether a farkle counts for the penalty, by its place in the turn."""
        when = self.farkle_penalty.when if self.farkle_penalty else "any"
        return when == "any" or first or (when == "all_dice" and all_dice)

    @property
    def farkles_after_penalty(self) -> int:
        """Number of farkles in a row after one that costs points; more count as one fewer."""
        goes_on = self.farkle_penalty is not None and self.farkle_penalty.then == "goes_on"
        return self.farkle_limit - 1 if goes_on else 0

    @property
    def winning_score(self) -> int:
        """Least score that reaches the goal; more than anybody has where there is none."""
        if self.rounds:
            return _FAR_STEPS * self.point_step
        return self.goal + (self.point_step if self.goal_must_be == "exceeded" else 0)

    @cached_property
    def barred(self) -> frozenset[int]:
        """The scores below the goal that no bank may leave."""
        # in some kinds of throws nothing may score, so that there is no step
        step = self.point_step or self.winning_score
        scores = range(step, self.winning_score, step)
        return frozenset(
            score for score in scores if any(in_scores(score, barred) for barred in self.no_bank_at)
        )

    @property
    def stated_goal(self) -> int | None:
        """The goal; None where a number of rounds ends the game."""
        return None if self.rounds else self.goal

    @property
    def scale(self) -> int:
        """Points as players have them near the end: the goal, or about as many steps a round."""
        return min(self.goal, 10 * self.rounds * self.point_step) if self.rounds else self.goal

    @property
    def is_exact(self) -> bool:
        """Whether the goal has to be met exactly."""
        return self.goal_must_be == "exact"

    @property
    def more_is_better(self) -> bool:
        """Whether more points are never worse than fewer with the same dice."""
        plain = not self.no_bank_at and not self.is_exact and not self.changes_other
        return self.ending == "at_once" and plain

    @property
    def banks_may_fall(self) -> bool:
        """Whether a bank may leave its player with less than there was."""
        return self.is_exact and self.beyond_goal in {"back", "around"}

    @property
    def changes_other(self) -> bool:
        """Whether the end of a turn may change the other player's score."""
        return self.caught_up != 0 or self.gives

    @property
    def gives(self) -> bool:
        """Whether the points of a bank beyond the goal go to the other player."""
        return self.is_exact and self.beyond_goal == "given"

    @property
    def is_for_two(self) -> bool:
        """Whether two alone can play by the rules."""
        of_two = self.looks_back or self.is_defended or self.changes_other
        in_rounds = self.rounds > 0 and (self.ties == "played_on" or "wins_game" in self.decisive)
        return of_two or in_rounds or "loses_game" in self.decisive

    def goes_beyond(self, score: int) -> bool:
        """Whether a score is more than a goal that has to be met exactly."""
        return self.is_exact and score > self.goal

    @property
    def has_farkle(self) -> bool:
        """Whether some roll is a farkle: one of the fewest dice, or one that loses the turn."""
        fewest = 1 if self.last_die_tries or self.dice == 1 else 2
        few = any(self.farkles(fewest, first=False))
        loses = (dice for lost in self.decisive.get("loses_turn", ()) for dice in dice_of(lost))
        return few or any(self.decided(dice) == "loses_turn" for dice in loses)

    @property
    def has_opening(self) -> bool:
        """Whether it matters who is on the board."""
        return self.least_bank(on_board=False) > self.least_bank()

    @property
    def boards(self) -> int:
        """How many cases there are of who is on the board: 1 where it does not matter."""
        return 2 if self.has_opening else 1

    @property
    def takes_over(self) -> bool:
        """Whether a turn may begin with what the player before left."""
        return self.take_over != "nothing"

    @property
    def looks_back(self) -> bool:
        """Whether a turn depends on what the one before left or banked, beside the standings."""
        return self.takes_over or self.beat_previous_turn

    @property
    def leaves_and_falls(self) -> bool:
        """Whether farkles leave what they lost, and cost points: then more of it may be needed."""
        return self.take_over in {"lost", "both"} and self.farkle_penalty is not None

    @property
    def is_plain(self) -> bool:
        """Whether the game is to a goal, and a turn leaves nothing to the next but standings."""
        return not (self.rounds or self.looks_back)

    def may_take_over(self, score: int, *, on_board: bool = True) -> bool:
        """Whether a player who begins a turn with a score may take over, if anything is left."""
        return self.takes_over and on_board and score >= self.take_over_from

    @property
    def has_roles(self) -> bool:
        """Whether it matters who began."""
        return self.ending == "equal_turns" or self.rounds > 0

    @property
    def is_defended(self) -> bool:
        """Whether who is beaten in a final turn has one in return."""
        return self.ending == "defended"

    def goal_ends_game(self, *, last_of_round: bool) -> bool:
        """Whether a bank that reaches the goal wins at once; else others have a final turn.

        last_of_round : whether its player is the last of those who have as many turns
        """
        return self.ending == "at_once" or (self.ending == "equal_turns" and last_of_round)

    def least_bank(self, *, on_board: bool = True, wins: bool = False) -> int:
        """Least turn total that may be banked, where the bank reaches the goal or does not."""
        if wins and not self.minimum_binds_win:
            return self.point_step
        opening = 0 if on_board else self.opening_minimum
        return max(self.point_step, self.minimum_bank, opening)

    def least_bank_at(self, score: int, *, on_board: bool = True) -> int:
        """Least turn total that a player with `score` banked may bank."""
        wins = max(self.least_bank(on_board=on_board, wins=True), self.winning_score - score)
        return min(self.least_bank(on_board=on_board), wins)

    def may_bank(self, turn_total: int, score: int, *, on_board: bool = True) -> bool:
        """Whether a player with `score` banked may bank `turn_total`, hot dice aside."""
        enough = turn_total >= self.least_bank_at(score, on_board=on_board)
        return enough and not self.is_barred(score + turn_total)

    def is_barred(self, score: int) -> bool:
        """Whether no bank may lead to a score, while nobody has reached the goal."""
        beyond = self.beyond_goal == "no_bank" and self.goes_beyond(score)
        return beyond or score in self.barred

    def may_leave(self, dice: int) -> bool:
        """Whether a turn may be banked with so many dice left, of which all are hot dice."""
        if dice == self.dice:
            return self.hot_dice == "optional"
        return dice <= self.bank_dice_left

    @property
    def idle_limits(self) -> dict[str, int]:
        """The most dice that can be left, by the options that allow so many and limit nothing."""
        limits = {"bank_dice_left": self.dice - 1, "take_over_dice": self.dice}
        return {key: most for key, most in limits.items() if getattr(self, key) >= most}

    @property
    def hot_dice_counted(self) -> int:
        """How many numbers of hot dice a turn tells apart; the last stands for all further ones."""
        times = len(self.hot_dice_times)
        return max(1, len(self.hot_dice_bonus), times + (times > 0))

    @property
    def turn_rows(self) -> int:
        """How many turn totals are solved for one turn, for each number of hot dice told apart."""
        steps = (self.winning_score - self.score_floor) // self.point_step
        return steps * self.hot_dice_counted

    def bonus_after(self, hot_dice: int) -> int:
        """Points that the next hot dice add after so many of a turn."""
        return nth_or_last(self.hot_dice_bonus, hot_dice) if self.hot_dice_bonus else 0

    def times_after(self, hot_dice: int) -> int:
        """How many times points count after so many hot dice of a turn."""
        return nth_or_last((1, *self.hot_dice_times), hot_dice)

    @property
    def floor_is_played(self) -> bool:
        """Whether the score floor is a rule of play: that a penalty takes no score below 0.

        Any other floor only decides how far down the game is solved.
        """
        return self.penalty_points > 0 and self.score_floor == 0

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play; equal for rules that only are worded differently."""
        return _sha256(self._canonical)

    @cached_property
    def digest_but_goal(self) -> str:
        """The digest of the rules where the goal is left open."""
        return _sha256(self._canonical | {"goal": None})

    @property
    def _canonical(self) -> dict[str, Any]:
        """What decides play."""
        canonical: dict[str, Any] = {
            "combinations": {spelled(dice): points for dice, points in self.combinations.items()},
            **self.model_dump(
                exclude={"name", "title", "source", "score_floor", "scoring"},
                exclude_defaults=True,
            ),
            **{
                then if then == "loses_game" else DECIDED_BY[then]: patterns
                for then, patterns in self.decisive.items()
            },
        }
        if self.floor_is_played:
            canonical["score_floor"] = 0
        if self.to_confirm:
            canonical["to_confirm"] = sorted(map(spelled, self.to_confirm))
        canonical |= {when: kind._canonical for when, kind in self._throws.items()}
        for key in self.idle_limits:
            canonical.pop(key, None)
        if self.barred:
            canonical["no_bank_at"] = sorted(self.barred)
        return canonical


def _without_repeats(numbers: Sequence[int]) -> list[int]:
    """Numbers, of which the last stands for all further ones, without any at the end like it."""
    needed = list(numbers)
    while len(needed) > 1 and needed[-1] == needed[-2]:
        needed.pop()
    return needed


def nth_or_last(numbers: Sequence[int], place: int) -> int:
    """The number at a place; the last one stands for all further ones."""
    return numbers[min(place, len(numbers) - 1)]


DECIDED_BY: dict[Then, str] = {
    "wins_game": "instant_win",
    "loses_game": "combination",
    "loses_score": "lose_everything",
    "loses_turn": "combination",
}
"""Keys of rolls that leave no choice, in the order in which they count."""

OPTIONS = options_of(Ruleset) | SCORING_OPTIONS
"""What there is to say of every option of a rule set, by its key."""

PENALTY_OPTIONS = options_of(FarklePenalty, "farkle_penalty")
"""What there is to say of the keys of a farkle penalty."""


TABLES: dict[str, type[BaseModel]] = {"scoring": Scoring, "farkle_penalty": FarklePenalty}
"""The keys of a rule set that are tables."""

OF_GOAL = (
    *("rounds", "goal", "goal_must_be", "beyond_goal", "ending", "ties", "final_throws"),
    *("minimum_bank", "opening_minimum", "minimum_binds_win", "beat_previous_turn"),
    *("take_over", "take_over_from", "take_over_dice"),
)
OF_TURN = (
    *("set_aside_all", "held_sets", "combine_throws", "fill_straight", "hot_dice"),
    *("confirm_faces", "confirm_points"),
    *("hot_dice_bonus", "hot_dice_times", "bank_dice_left", "throws", "no_bank_at", "caught_up"),
    *("instant_win", "lose_everything"),
)
OF_FARKLES = (
    *("first_throw_tries", "last_die_tries", "farkle_keeps_turn_total", "farkle_penalty"),
)
"""Options in the order in which they are asked for, after what dice are worth."""

TURN_TOLD = (
    *("take_over", "take_over_from", "take_over_dice"),
    *("jokers", "set_aside_all", "held_sets", "combine_throws", "fill_straight", "hot_dice"),
    *("hot_dice_bonus", "hot_dice_times"),
    *("bank_dice_left", "throws", "opening_minimum", "minimum_bank", "minimum_binds_win"),
    *("beat_previous_turn", "no_bank_at", "farkle_keeps_turn_total", "first_throw_tries"),
    *("last_die_tries", "caught_up", "farkle_penalty", "score_floor"),
    *("instant_win", "lose_everything", "combination", "confirm_faces", "confirm_points"),
)
END_TOLD = ("rounds", "goal", "beyond_goal", "ending", "final_throws", "ties")
"""Options in the order in which they are explained."""


BESIDE_THE_TURN = (
    *("title", "source", "goal_must_be", "minimum_bank", "opening_minimum", "minimum_binds_win"),
    *("farkle_keeps_turn_total", "ties", "score_floor", "no_bank_at", "beyond_goal", "take_over"),
    *("take_over_from", "take_over_dice", "rounds", "final_throws", "beat_previous_turn"),
)
"""Options that matter neither to rolls nor to set-asides."""


class Topic(NamedTuple):
    """One option of a rule set: what it comes to in play, see `solver.rules.options.Told`."""

    option: str
    """The key of the option in a file of rules."""
    value: object
    sentence: str
    is_special: bool


def topics(rules: Ruleset, keys: Iterable[str]) -> list[Topic]:
    """What options come to under a rule set."""
    return [Topic(key, *_told(rules, OPTIONS[key])) for key in keys]


def _told(rules: Ruleset, option: RuleOption) -> Told:
    """What an option comes to: as its method says, or else as its values do by themselves."""
    of_goal = rules.rounds and option.key in {"goal", "ending", "score_floor"}
    if of_goal or (option.key == "held_sets" and rules.combine_throws):
        return None, "", False
    if not option.told:
        topic: Told = getattr(rules, f"_tell_{option.key}")()
        return topic
    value = option.of(rules)
    if None in option.told and not option.applies(rules):
        return None, "", False
    message = option.told.get(value) or option.told[...]
    number = value if isinstance(value, int) else rules.dice
    is_special = value != "none" and (bool(option.kind.words) or value != option.default)
    return value, say_number(message, number, points=value), is_special


def unchecked(data: Mapping[str, Any]) -> Ruleset:
    """The rule set of data of which some may be missing or wrong, to look at what is there."""
    tables = {
        key: model.model_construct(**data[key])
        for key, model in TABLES.items()
        if isinstance(data.get(key), Mapping)
    }
    if isinstance(scoring := tables.get("scoring"), Scoring):
        said = [table for table in scoring.combination or () if isinstance(table, Mapping)]
        combination = tuple(Combination.model_construct(**table) for table in said)
        tables["scoring"] = scoring.model_copy(update={"combination": combination})
    return Ruleset.model_construct(**{**data, **tables})


def _sha256(canonical: dict[str, Any]) -> str:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


ELSEWHERE: dict[str, tuple[tuple[object, ...], str]] = {
    "players": (
        (2,),
        say_later(
            "{key}: how many play is no part of the rules: say it when you play, ask or solve;"
            " leave the key out"
        ),
    ),
    "loaded_dice": (
        ((), []),
        say_later(
            "{key}: which dice players bring is no part of the rules: say it when you play, ask"
            " or solve; leave the key out"
        ),
    ),
}
"""Keys that are looked for in rules: the values that change nothing, and what is said of others."""


def told_elsewhere(data: Mapping[str, Any]) -> Iterator[Complaint]:
    """What is wrong with keys in `data` that are no part of rules."""
    for key, (idle, sentence) in ELSEWHERE.items():
        if key in data and data[key] not in idle:
            yield Complaint((key,), sentence)
