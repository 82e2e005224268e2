"""Several players with dice of their own: what is played, and what of it can be solved.

Everybody plays for the own chance to win, as in solver.game.many. A seat says which dice its player
throws, so that a state tells who moves as well as all scores.
"""

import hashlib
import json
import os
from dataclasses import dataclass

from solver.errors import InvalidRequestError, InvalidRulesError
from solver.game.many import MOST_PLAYERS, MOST_STATES, Size, time_text
from solver.game.standings import score_count
from solver.loaded.matchup import check_loaded, plain
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Remaining, Roll
from solver.turn.equations import Floats
from solver.turn.remaining import RollLists, roll_lists, set_asides_of, shape_of
from solver.turn.scoring import SetAside

_SECONDS = 0.45e-9
"""Of a core, for each option that is weighed at a turn total by a state, and each value that comes
with it."""
_LEAST_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class ManyMatchup:
    """A game of 2 to 8 players, each with a set of dice; seats are in the order of turns.

    Raises InvalidRequestError for another number of them, InvalidDiceError for sets that do not
    have as many dice as the rules say, and InvalidRulesError for rules that cannot be solved with
    loaded dice, or not for so many.
    """

    rules: Ruleset
    dice: tuple[DiceSet, ...]
    joker_alone: bool = False
    """Whether a joker may score without a die that is none."""

    def __post_init__(self) -> None:
        if not 2 <= self.players <= MOST_PLAYERS:
            raise InvalidRequestError.say(
                "the number of players is 2 to {most}, not {players}",
                most=MOST_PLAYERS,
                players=self.players,
            )
        for thrown in self.dice:
            check_loaded(self.rules, thrown)
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
    def size(self) -> Size:
        """How large the game is; the role of a mover is its seat, unless all throw the same."""
        scores = score_count(self.rules)
        roles = 1 if len(set(self.dice)) == 1 else self.players
        return Size(self.players, scores, scores, roles, margins=1)

    @property
    def bytes(self) -> int:
        """How long the values are, in memory and in a file."""
        return self.size.states * (self.players - 1) * 8

    @property
    def seconds(self) -> float:
        """How long a solve takes on this machine while it is idle, right to a factor of two."""
        found = self.size
        # options grow so with the remaining dice that a turn tells apart
        options = sum(35 * thrown.whole**1.9 for thrown in self.dice[: found.roles])
        cells = found.states / found.roles * (found.scores + 1) / 2
        weighed = cells * options * (self.players - 1)
        return float(_LEAST_SECONDS + weighed * _SECONDS / (os.cpu_count() or 1))

    def lists(self, seat: int) -> RollLists:
        """What the rolls of a seat offer, with all options."""
        return roll_lists(
            self.rules, shape_of(self.dice[seat]), joker_alone=self.joker_alone, all_options=True
        )

    def set_asides(self, seat: int, roll: Roll) -> tuple[SetAside, ...]:
        """Every legal set-aside of a roll of a seat, most points first."""
        return set_asides_of(self.rules, self.dice[seat], roll, joker_alone=self.joker_alone)

    def left(self, seat: int, dice: Remaining, kept: Roll) -> Remaining:
        """What is to be rolled next once dice of a roll of some dice of a seat were set aside."""
        thrown = self.dice[seat]
        return thrown.without(dice, kept) or thrown.whole

    @property
    def turned(self) -> int:
        """By how many seats it is turned so that it stands for all that are the same in a ring."""
        dice = [plain(thrown) for thrown in self.dice]
        return min(range(self.players), key=lambda by: dice[by:] + dice[:by])

    def from_seat(self, by: int) -> "ManyMatchup":
        """The same, told from another seat on."""
        return ManyMatchup(self.rules, self.dice[by:] + self.dice[:by], self.joker_alone)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play: the rules and all sets, from whichever seat on."""
        jokers = any(thrown.has_jokers for thrown in self.dice)
        said = {
            "rules": self.rules.digest,
            "seats": [plain(thrown) for thrown in self.from_seat(self.turned).dice],
            "joker_alone": self.joker_alone and jokers,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class ManyMatchupSolution:
    """Start-of-turn values of a game of several players, and what it took to find them."""

    matchup: ManyMatchup
    values: Floats
    """As of a ManySolution, with the mover's seat as its role."""
    largest_change: float
    """Of any value when it was solved last."""
    mixed: int
    """Rings of states in which no choices fit each other, so that a player mixes two of them."""
    restless: int
    """Rings of states whose values are means over many rounds, see `ManySolution`."""
    states_solved: int
    """States (t, remaining dice, ...), each as often as it was solved."""
    seconds: float
