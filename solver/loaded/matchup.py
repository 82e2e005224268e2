"""Players with dice of their own: what is played, and what of it can be solved.

Two of them are solved by solver.loaded.game. Of more everybody plays for the own chance to win, as
in solver.game.many; the seat of a mover then says which dice are thrown, so that a state tells who
moves as well as all scores.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import cast

import numpy as np

from solver.errors import InvalidDiceError, InvalidRequestError, InvalidRulesError
from solver.game.many import (
    MOST_PLAYERS,
    MOST_STATES,
    Size,
    check_options,
    starts,
    time_text,
)
from solver.game.many import size as size_of
from solver.game.standings import score_count
from solver.game.workload import workload
from solver.rules.ruleset import DECIDED_BY, FACES, MAX_POINTS, Ruleset
from solver.turn.dice import Badge, DiceSet, Die, dice_set, make_dice_set
from solver.turn.equations import Floats, TurnPlan
from solver.turn.power_cells import TurnCells, turn_cells
from solver.turn.powers import Power, PowerKind, power_data, uses_of
from solver.turn.remaining import RollLists, roll_lists, shape_of
from solver.turn.rerolls import operations
from solver.wording import say

_SECONDS = 0.45e-9
"""Seconds of a core for each option that is weighed at a turn total by a state of more than two
players, and each value that comes with it."""
_SECONDS_OF_TWO = 1.5e-10
"""Seconds that a solve of two takes for each option of a turn and each turn total of each state."""
_LEAST_SECONDS = 0.5
_ROUNDS = 3
"""How often a state is solved."""
_MATCHUPS = 8
"""Games whose turns are kept in memory."""


MOST_LOADED = 6
"""Dice of which some may be others than those of the rules: of ten a turn would have a thousand
things to remember, and each roll as many set-asides."""

_OF_TURNS = (
    "hot_dice",
    "hot_dice_bonus",
    "bank_dice_left",
    "farkle_keeps_turn_total",
    "decisive",
)
"""Options that change what a turn may lead to."""


@dataclass(frozen=True, slots=True)
class Matchup:
    """A game of 2 to 8 players, each with a set of dice; seats are in the order of turns.

    Raises InvalidRequestError for another number of them and for badges of more than two,
    InvalidDiceError for sets that do not have as many dice as the rules say, and InvalidRulesError
    for rules that cannot be solved with loaded dice, or not for so many.
    """

    rules: Ruleset
    dice: tuple[DiceSet, ...]
    joker_alone: bool = False
    """Whether a joker may score without a die that is none."""
    badges: tuple[Badge, ...] = ()
    """The combinations that a badge adds or changes, by seat; without any, nobody has such one."""
    powers: tuple[Power | None, ...] = ()
    """What a badge allows some times in a game, by seat; without any, nobody has such one."""

    def __post_init__(self) -> None:
        if not 2 <= self.players <= MOST_PLAYERS:
            raise InvalidRequestError.say(
                "the number of players is 2 to {most}, not {players}",
                most=MOST_PLAYERS,
                players=self.players,
            )
        object.__setattr__(self, "badges", self.badges or ((),) * self.players)
        object.__setattr__(self, "powers", self.powers or (None,) * self.players)
        for thrown, badge in zip(self.dice, self.badges, strict=True):
            check_loaded(self.rules, thrown)
            _check_badge(self.rules, badge)
        if any(power and power.has_jokers for power in self.powers):
            _check_jokers(self.rules, say("a badge without jokers"))
        if any(self.powers):
            _check_powers(self.rules, self.powers)
        if self.players > 2:
            self._check_several()

    def _check_several(self) -> None:
        """Refuse badges and what is too large. Raises InvalidRequestError, InvalidRulesError."""
        check_no_badges(*self.badges, *self.powers)
        check_options(self.rules, self.players, alike=self.is_alike)
        if (states := self.size.states) > MOST_STATES:
            raise InvalidRulesError.say(
                "{rules}: for {players} players with their own dice there are {states:,} positions"
                " at the start of a turn, which would take about {time} to solve; the most is"
                " {most:,}",
                rules=self.rules.name,
                states=states,
                players=self.players,
                time=time_text(self.seconds),
                most=MOST_STATES,
            )

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.dice)

    @property
    def is_fair(self) -> bool:
        """Whether all throw the dice that the rules have anyway, so that they say it all."""
        has_badges = any(self.badges) or any(self.powers)
        return self.dice == (dice_set(self.rules),) * self.players and not has_badges

    @property
    def is_alike(self) -> bool:
        """Whether all throw the same dice."""
        return len(set(self.dice)) == 1

    @property
    def size(self) -> Size:
        """How large the game is as far as starts of turns go.

        The role of a mover is its seat, unless all throw the same and nobody can tell who began.
        """
        return starts(self.rules, self.players, alike=self.is_alike)

    @property
    def whole_size(self) -> Size:
        """How large the game is, final turns as well. Raises what `plans` does."""
        if self.rules.ending == "at_once":
            return self.size
        return size_of(self.rules, self.players, self.plans)

    @property
    def bytes(self) -> int:
        """How long the values of several players are, but for those of final turns."""
        return self.size.states * (self.players - 1) * 8

    @property
    def seconds(self) -> float:
        """How long a solve takes on this machine while it is idle, right to a factor of two.

        Raises InvalidRulesError for rules under which there are too many positions.
        """
        if self.players == 2:
            others = [1 + uses_of(power) for power in reversed(self.powers)]
            weighed = sum(other * self.options(side) for side, other in enumerate(others))
            turn_totals = workload(self.rules, corrected=False).cells / self.rules.dice
            return float(_LEAST_SECONDS + _SECONDS_OF_TWO * weighed * turn_totals)
        size = self.size
        # options grow so with the remaining dice that a turn tells apart
        options = sum(35 * thrown.whole**1.9 for thrown in self.dice)
        # final turns are about as long as with the dice of the rules, and solved once
        ordinary = size_of(self.rules, self.players)
        cells = size.states * ((size.scores + 1) / 2 + ordinary.beyond)
        if self.rules.ending != "at_once":
            turns = prod(ordinary.last_shape(self.players - 1, 1)[:-1])
            cells += turns * (ordinary.margins / 2 + ordinary.beyond) / _ROUNDS
        levels = max(1, len(self.rules.hot_dice_bonus))
        weighed = cells / self.players * levels * options * (self.players - 1)
        return float(_LEAST_SECONDS + weighed * _SECONDS / (os.cpu_count() or 1))

    def options(self, side: int) -> float:
        """About the number of options in the turns of one of two, summed over all its uses left."""
        thrown, power = self.dice[side], self.powers[side]
        # a fit: options by the number of remaining dice that a turn tells apart
        plain: float = 25 * thrown.whole**1.95
        if power is None:
            return plain
        factors = {PowerKind.DOPPELGANGER: 2.0, PowerKind.TRANSMUTATION: 3.0}
        layer = factors.get(power.kind, 1.0) * plain
        seventh_die = 6 * plain if power.kind is PowerKind.MIGHT else 0.0
        if power.kind is PowerKind.REROLL:
            layer = 1.2 * (plain + operations(shape_of(thrown), power))
        options = plain
        for uses in range(1, power.uses + 1):
            # with their bounds layers below are solved three times, and the last one about five
            below = 0 if power.is_of_bank else min(uses, 1) if power.once else uses
            options += layer + 0.6 * below * (layer + seventh_die)
        return options

    @property
    def turned(self) -> int:
        """Return by how many seats it is turned to stand for all that are the same in a ring."""
        if self.players > 2 and self.rules.has_roles:
            return 0  # who sits first begins
        badges, powers = map(sorted, self.badges), map(power_data, self.powers)
        kits = list(zip(map(plain, self.dice), badges, powers, strict=True))
        return min(range(self.players), key=lambda by: kits[by:] + kits[:by])

    def from_seat(self, by: int) -> "Matchup":
        """Return this game told from another seat on."""
        return Matchup(
            self.rules,
            self.dice[by:] + self.dice[:by],
            self.joker_alone,
            self.badges[by:] + self.badges[:by],
            self.powers[by:] + self.powers[:by],
        )

    @property
    @lru_cache(maxsize=_MATCHUPS)  # noqa: B019 - of equal ones once, and of few
    def plans(self) -> tuple[TurnPlan, ...]:
        """The turn of each seat, or one that all have.

        Raises InvalidDiceError where nobody could ever win.
        """
        plans = tuple(self.plan(seat) for seat in range(1 if self.is_alike else self.players))
        check_winnable(*(plan.farkle_chances + plan.lose_chances for plan in plans))
        return plans

    def lists(self, seat: int) -> RollLists:
        """What the rolls of a seat offer: what is never best as well where that depends."""
        return roll_lists(
            self.rules,
            shape_of(self.dice[seat]),
            joker_alone=self.joker_alone,
            badge=self.badges[seat],
            all_options=self.players > 2 or not self.rules.more_is_better,
        )

    @lru_cache(maxsize=2 * _MATCHUPS)  # noqa: B019
    def plan(self, seat: int) -> TurnPlan:
        """The turn of a seat, but for a badge that is used up."""
        return self.lists(seat).plan(self.dice[seat])

    @lru_cache(maxsize=2 * _MATCHUPS)  # noqa: B019
    def plan_with_badge(self, seat: int) -> TurnPlan:
        """The turn of a seat, with the cells of turns in which it may use a badge."""
        plan = self.plan(seat)
        return replace(plan, cells=self.turn_cells(seat)) if self.powers[seat] else plan

    @lru_cache(maxsize=_MATCHUPS)  # noqa: B019
    def turn_cells(self, seat: int) -> TurnCells:
        """The cells of turns in which a seat may use its badge, which it has."""
        least = self.rules.least_bank(on_board=False) // self.rules.point_step
        return turn_cells(
            self.rules,
            self.lists(seat),
            self.plan(seat),
            self.dice[seat],
            cast("Power", self.powers[seat]),
            max(score_count(self.rules), least),
            joker_alone=self.joker_alone,
            badge=self.badges[seat],
        )

    @property
    def counts_hot_dice(self) -> bool:
        """Whether it matters how often all dice were set aside in a turn."""
        return self.rules.hot_dice != "optional" or len(self.rules.hot_dice_bonus) > 1

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play: the rules and all kits, from whichever seat on."""
        jokers = any(thrown.has_jokers for thrown in self.dice)
        jokers |= any(power and power.has_jokers for power in self.powers)
        ordered = self.from_seat(self.turned)
        said: dict[str, object] = {
            "rules": self.rules.digest,
            "dice": [plain(thrown) for thrown in ordered.dice],
            "joker_alone": self.joker_alone and jokers,
        }
        if any(self.badges):
            said["badges"] = [sorted(badge) for badge in ordered.badges]
        if any(self.powers):
            said["powers"] = [power_data(power) for power in ordered.powers]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _check_badge(rules: Ruleset, badge: Badge) -> None:
    """Refuse what is no combination. Raises InvalidRulesError."""
    if badge and (keys := _unlike_shown(rules)):
        raise InvalidRulesError.say(
            "{rules}: a badge that changes what dice score does not go with {key} yet; use rules"
            " without it, or another badge",
            rules=rules.name,
            key=keys[0],
        )
    for dice, points in badge:
        sound = 1 <= len(dice) <= rules.dice and set(dice) <= set(FACES)
        if not sound or not 0 < points <= MAX_POINTS or points % rules.point_step:
            raise InvalidRulesError.say(
                "{rules}: a badge makes 1 to {dice} faces worth a multiple of {step} points, not"
                " {faces} worth {points}",
                rules=rules.name,
                dice=rules.dice,
                step=rules.point_step,
                faces=" ".join(map(str, dice)),
                points=points,
            )


def uses_shape(matchup: Matchup) -> tuple[int, ...]:
    """Shape of the axes of uses left that values have before all others, () without powers."""
    if not any(matchup.powers):
        return ()
    return tuple(1 + uses_of(power) for power in matchup.powers)


def exchanged_values(matchup: Matchup, values: Floats) -> Floats:
    """The values of two players, told from the other one's seat on."""
    if not any(matchup.powers):
        return np.roll(values, len(values) // 2, axis=0)
    return values.swapaxes(0, 1)[:, :, ::-1]


def check_winnable(*in_vain: Floats) -> None:
    """Raises InvalidDiceError where nobody could ever win.

    in_vain : the chances of each player, if there are any, that a roll neither scores nor wins, by
        the dice to roll
    """
    if in_vain and all(np.max(chances[-1]) > 1 - 1e-12 for chances in in_vain):
        raise InvalidDiceError.say("with these dice no roll ever scores, so nobody could win")


Plain = tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
"""A set as plain data: for each type the number of dice, the weights and the faces that are jokers.
"""


def plain(thrown: DiceSet) -> Plain:
    """A set as plain data."""
    return tuple(
        (number, die.weights, tuple(sorted(die.jokers)))
        for die, number in zip(thrown.types, thrown.counts, strict=True)
    )


def from_plain(data: Plain) -> DiceSet:
    """The set that plain data are. Raises InvalidDiceError."""
    return make_dice_set(
        Die(weights, frozenset(jokers)) for number, weights, jokers in data for _ in range(number)
    )


def check_loaded(rules: Ruleset, thrown: DiceSet) -> None:
    """Refuse sets of another number of dice, and jokers where nobody says what they count for.

    Raises InvalidDiceError or InvalidRulesError.
    """
    if (number := sum(thrown.counts)) != rules.dice:
        raise InvalidDiceError.say(
            "the {rules} rules are played with {right} dice, and the set has {number}",
            rules=rules.name,
            right=rules.dice,
            number=number,
        )
    if rules.dice > MOST_LOADED:
        raise InvalidRulesError.say(
            "{rules}: with more than {most} dice all throw ordinary ones",
            rules=rules.name,
            most=MOST_LOADED,
        )
    not_yet = {
        "take_over": rules.takes_over,
        "beat_previous_turn": rules.beat_previous_turn,
        "rounds": rules.rounds,
        "scoring.combination.then": rules.to_confirm or "loses_game" in rules.decisive,
        "scoring.combination.uses": rules.has_freed,
        "scoring.combination.when": any(combo.when != "any" for combo in rules.scoring.combination),
        "scoring.nothing_when": rules.scoring.nothing_at_first,
        "throws": rules.throws,
        "final_throws": rules.final_throws,
        "farkle_penalty.when": not rules.counts_farkle(first=False, all_dice=True),
        "hot_dice_times": rules.hot_dice_times,
        "first_throw_tries": rules.first_throw_tries != 1,
        "last_die_tries": rules.last_die_tries != 1,
        "fill_straight": rules.fill_straight,
        "combine_throws": rules.combine_throws,
        "held_sets": len(rules.sets) > 1,
        "confirm_faces": rules.confirm_faces,
        "confirm_points": rules.confirm_points,
    }
    if keys := [key for key, is_said in not_yet.items() if is_said]:
        raise InvalidRulesError.say(
            "{rules}: with loaded dice {key} is not solved, as nothing is known there but scores,"
            " the turn total and the dice to roll; use rules without it",
            rules=rules.name,
            key=keys[0],
        )
    if thrown.has_jokers:
        _check_jokers(rules, say("dice without jokers"))


def _check_jokers(rules: Ruleset, instead: str) -> None:
    """Refuse rules that do not say what a joker counts for. Raises InvalidRulesError.

    instead : what could be used in place of what has the jokers
    """
    if keys := [*_unlike_shown(rules), *_options(rules, "decisive")]:
        raise InvalidRulesError.say(
            "{rules}: nobody says what a joker counts for in {key}; use {instead}",
            rules=rules.name,
            key=keys[0],
            instead=instead,
        )


def _unlike_shown(rules: Ruleset) -> list[str]:
    """The keys by which dice score that are no combination of what they show."""
    return [f"scoring.{key}" for key in ("nothing", "jokers") if getattr(rules.scoring, key)]


def check_no_badges(*badges: object) -> None:
    """Refuse badges, as where more than two play. Raises InvalidRequestError."""
    if any(badges):
        raise InvalidRequestError.say(
            "badges work only with two players: leave them out if more play"
        )


def _check_powers(rules: Ruleset, powers: Iterable[Power | None]) -> None:
    """Refuse rules that badges which are used up cannot have. Raises InvalidRulesError."""
    key, badge = "", say("a badge that is used up")
    kinds = {power.kind for power in powers if power}
    has_last_turns = rules.ending != "at_once"
    if has_last_turns and (rules.is_defended or rules.ties == "played_on"):
        key = f'ending = "{rules.ending}"' if rules.is_defended else 'ties = "played_on"'
        why = say("turns would follow one another for which both players save their uses")
    elif PowerKind.WARLORD in kinds and rules.is_exact:
        key, badge = 'goal_must_be = "exact"', say("Warlord")
        why = say("the points that it adds may leave a score that never comes to the goal")
    elif PowerKind.WARLORD in kinds and has_last_turns and rules.farkle_keeps_turn_total:
        key, badge = "farkle_keeps_turn_total", say("Warlord")
        why = say("in last turns it raises what is banked, and not what a farkle keeps")
    elif rules.hot_dice_bonus and PowerKind.MIGHT in kinds:
        key, badge = "hot_dice_bonus", say("Might")
        why = say("with one die more all dice may be left that are not hot dice")
    if key:
        raise InvalidRulesError.say(
            "{rules}: with {badge} {key} is not solved, as {why}; use rules without it, or another"
            " badge",
            rules=rules.name,
            badge=badge,
            key=key,
            why=why,
        )


def check_plain(rules: Ruleset) -> None:
    """Refuse rules that tables of several cannot have yet. Raises InvalidRulesError."""
    keys = _options(rules, *_OF_TURNS, "ending", "no_bank_at", "caught_up", "farkle_penalty")
    keys += ["goal_must_be"] * rules.is_exact + ["opening_minimum"] * rules.has_opening
    if keys:
        raise InvalidRulesError.say(
            "{rules}: with loaded dice {key} does not work yet at a table of more than two; use"
            " rules without it",
            rules=rules.name,
            key=keys[0],
        )


def check_points(rules: Ruleset) -> None:
    """Refuse rules under which sets are not ranked by their points. Raises InvalidRulesError."""
    if keys := options_of_turns(rules):
        raise InvalidRulesError.say(
            "{rules}: sets of dice cannot be ranked by their points yet where there is {key}; use"
            " rules without it",
            rules=rules.name,
            key=keys[0],
        )


def options_of_turns(rules: Ruleset) -> list[str]:
    """Which options rules have under which points of a turn without a goal are not worked out."""
    return _options(rules, *_OF_TURNS)


def _options(rules: Ruleset, *names: str) -> list[str]:
    """Which of some options rules have."""
    plain = Ruleset(name=rules.name, goal=rules.goal)
    options = [name for name in names if getattr(rules, name) != getattr(plain, name)]
    if "decisive" in options:
        place = options.index("decisive")
        options[place : place + 1] = [DECIDED_BY[then] for then in rules.decisive]
    return options
