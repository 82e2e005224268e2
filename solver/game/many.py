"""Games of three players and more: who stands where, how large they are, and what solves them.

Everybody plays for the own chance to win, and a value is the chance of every player. At the start
of a turn all is said by where the players stand in the order of their turns, the mover first, and
where turns count by who the mover is. Farkles in a row would multiply that by the cube of their
number and need many sweeps; rules with a penalty for them are refused.

A state is the standings of all players, each by its index (`standing_index`), as the digits of a
number, the mover's first.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidRulesError
from solver.game.endgame import endgame, endgames
from solver.game.rounds import count_leads
from solver.game.solvable import check_solvable
from solver.game.standings import score_count, state_count
from solver.rules.ruleset import Ruleset
from solver.turn.dice import dice_set
from solver.turn.equations import Floats, TurnPlan, turn_plan
from solver.wording import say, say_later

MOST_PLAYERS = 8

MOST_PLAYED_ON = 3
"""The most players with play-offs."""

MOST_IN_ROUNDS = 3
"""The most players where turns are counted."""

MOST_STATES = 40_000_000
"""Start-of-turn states that one solve may hold: with three players 16 bytes each in the file, and
about 60 while solving."""

MOST_STATES_THERE = 10 * MOST_STATES
"""The most states of a solve by a cluster, whose workers need as much memory each."""

_SECONDS_PER_OPTION = 35e-12
"""Seconds of a core for each option that is weighed at a turn total by a state of many that are
solved side by side, and each value that comes with it."""

_ROUNDS = 3.1
"""How often a state is solved."""


class Size(NamedTuple):
    """How large a game of several players is."""

    players: int
    scores: int
    """Scores below the goal."""
    standings: int
    """Where one player may stand."""
    roles: int
    """The number of players where it matters who began, else 1."""
    margins: int
    """Margins of a final turn that are told apart, in point steps; 1 where there is none."""
    ranked: bool = False
    """Whether ties are played on: it matters who of those that are level had the earlier turn."""
    beyond: int = 0
    """Turn totals beyond the goal, where it is not the end."""
    leads: int = 0
    """Where the rules have a number of rounds, all of `solver.game.rounds.count_leads`."""

    @property
    def states(self) -> int:
        """Start-of-turn states."""
        return self.leads or int(self.roles * self.standings**self.players)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values: (role, the standings of all, all players but the last).

        With a number of rounds (leads, all players but the last), see `solver.game.rounds.layer`.
        """
        if self.leads:
            return self.leads, self.players - 1
        return self.roles, *(self.standings,) * self.players, self.players - 1

    def last_shape(self, chasers: int, level: int) -> tuple[int, ...]:
        """The shape of the values of final turns, see `Lasts`.

        chasers : players who have a final turn before them
        level : most leaders who may be level
        """
        width = self.margins * (1 if self.standings == self.scores else 2)
        return level, *(width,) * chasers, self.players if self.ranked else chasers + 1


Lasts = tuple[Floats, ...]
"""Chances at the start of a final turn, the k-th array for k players who have one before them.

At [seat of the first of these, leaders less one, margin of each, who]: where all throw the same
there is one seat. A margin is the leader's score less one's own in point
steps, with `Size.margins` on top for who is not on the board; margins past the last are worth the
same as the last. Who is each of the leaders, then those k players in the order of their turns. More
than one can lead where a tie is shared or played on; in the latter case every leader has a value
of its own, with room for as many as there can be, and a margin of 0 is that of a play-off."""


@dataclass(frozen=True, slots=True, eq=False)
class ManySolution:
    """Start-of-turn values of a game of several players, and what it took to find them."""

    rules: Ruleset
    players: int
    values: Floats
    """Values at [role, the mover's standing, ..., the last player's standing, who]: the chances of
    the mover and of those who follow, but for the last one, whose chance is what is left."""
    lasts: Lasts
    tolerance: float
    sweeps: int
    largest_change: float
    """The largest change of any value when it was solved last."""
    mixed: int
    """Rings of states in which no choices fit each other, so that a player mixes two of them."""
    restless: int
    """Rings of states for which no such mixture was found either, whose values are means over
    many rounds that differ from them by `largest_change` at most."""
    states_solved: int
    """States (t, n, ...), each as often as it was solved."""
    seconds: float

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return all values, as a file holds them."""
        return self.values, *self.lasts


@dataclass(frozen=True, slots=True)
class Checked:
    """How the values of a solved game fit their equations, in every state."""

    residual: float
    """The most that a value is off, see `solver.game.audit.residual`; of several players in no
    state in which one of them mixes two choices."""
    mixed_states: int | None = None
    """States that are further off, of games of several: of rings in which a player mixes."""
    order_effect: float | None = None
    """The most that a value changes if options that are equal for the mover are taken in the
    opposite order; None if that was not solved."""


def size(rules: Ruleset, players: int, plans: Sequence[TurnPlan] = ()) -> Size:
    """How large the game is.

    plans : the turn of each seat, if they do not all throw the dice of the rules

    Raises InvalidRulesError as `check_many` does for endless turns.
    """
    game = starts(rules, players, alike=len(plans) < 2)
    if rules.ending == "at_once":
        return game
    plans = plans or [turn_plan(rules, all_options=True)]
    reach = max(plan.reach for plan in plans)
    pairs: list[tuple[TurnPlan, ...]] = [*permutations(plans, 2)] or [(plans[0],)]
    beyond = max(endgames(rules, pair)[0].beyond for pair in pairs)
    least = rules.least_bank(on_board=False) // rules.point_step
    return game._replace(margins=game.scores + least + 2 * beyond + reach, beyond=beyond)


def starts(rules: Ruleset, players: int, *, alike: bool = True) -> Size:
    """How large a game is as far as starts of turns go, which takes no time to find.

    alike : whether all throw the same dice
    """
    check_players(rules, players)
    scores = score_count(rules)
    return Size(
        players,
        scores,
        scores + int(rules.has_opening),
        1 if alike and not rules.has_roles else players,
        margins=1,
        ranked=rules.ties == "played_on",
        leads=count_leads(rules, players) if rules.rounds else 0,
    )


def check_many(rules: Ruleset, players: int, *, most: int = MOST_STATES) -> None:
    """Refuse what cannot be solved for so many players. Raises InvalidRulesError.

    most : start-of-turn states that can be solved
    """
    if not 2 <= players <= MOST_PLAYERS:
        raise InvalidRulesError.say(
            "the number of players is 2 to {most}, not {players}",
            most=MOST_PLAYERS,
            players=players,
        )
    check_solvable(rules)
    check_options(rules, players)
    states = starts(rules, players).states
    if states > most:
        raise InvalidRulesError.say(
            "{rules}: with {players} players there are {states:,} positions at the start of a"
            " turn, which would take about {time} to solve; the most is {most:,} on one machine"
            " and {there:,} on a cluster",
            rules=rules.name,
            players=players,
            states=states,
            time=time_text(_seconds(rules, players, states)),
            most=MOST_STATES,
            there=MOST_STATES_THERE,
        )


def check_options(rules: Ruleset, players: int, *, alike: bool = True) -> None:
    """Refuse options that are not solved for so many players. Raises InvalidRulesError.

    alike : whether all throw the same dice
    """
    check_players(rules, players)
    if rules.rounds:
        return
    why = ""
    if rules.final_throws:
        why = say_later(
            "{rules}: final turns of one throw are solved for two players only; of more players"
            " chances are estimates"
        )
    elif rules.ties == "played_on" and not alike:
        why = say_later(
            "{rules}: play-offs of more than two players are solved only where all have the same"
            " dice; use rules where ties are shared or won by the earlier player"
        )
    elif rules.ties == "played_on" and players > MOST_PLAYED_ON:
        why = say_later(
            "{rules}: play-offs are solved for at most {most} players, not {players}; for more,"
            " use rules where ties are shared or won by the earlier player"
        )
    elif rules.is_exact:
        why = say_later(
            "{rules}: a goal that has to be met exactly is solved for two players only, as a bank"
            " beyond it does not lead to a higher total; of more players chances are estimates"
        )
    elif rules.farkle_penalty is not None:
        why = say_later(
            "{rules}: a penalty for farkles is solved for two players only, as it leads back to"
            " lower totals; of more players chances are estimates"
        )
    if why:
        parts = {"rules": rules.name, "players": players, "most": MOST_PLAYED_ON}
        raise InvalidRulesError.say(why, **parts)


def check_players(rules: Ruleset, players: int) -> None:
    """Refuse more players than the rules are for. Raises InvalidRulesError."""
    if players > MOST_IN_ROUNDS and rules.rounds:
        why = say_later(
            "{rules}: games of a number of rounds are for two or three, not for {players}: the"
            " scores of more lie apart in too many ways to be solved"
        )
    elif players < 3 or not rules.is_for_two:
        return
    elif "loses_game" in rules.decisive:
        why = say_later(
            "{rules}: nobody says who wins where one of {players} players loses the game by a roll;"
            " only two can play under these rules"
        )
    elif rules.beat_previous_turn:
        why = say_later(
            "{rules}: that turns have to beat one another is solved for two players only, not for"
            " {players}: what there is to beat counts beside the scores of all"
        )
    elif rules.takes_over:
        why = say_later(
            "{rules}: what a player left can be taken over in games of two alone, not of {players}:"
            " what is left to one is taken from the others as well"
        )
    elif rules.changes_other:
        why = say_later(
            "{rules}: a turn may change the other player's score, so only two can play, not"
            " {players}"
        )
    elif rules.rounds:
        why = say_later(
            "{rules}: with a number of rounds ties are played on, and rolls win the game, where two"
            " play, not {players}"
        )
    else:
        why = say_later(
            "{rules}: nobody says who has a final turn in return where one of {players} players is"
            " beaten; only two can play under these rules"
        )
    raise InvalidRulesError.say(why, rules=rules.name, players=players)


def expected_seconds(rules: Ruleset, players: int) -> float:
    """How long a solve takes on this machine while it is idle, right to a factor of about two."""
    return 15 + _seconds(rules, players, size(rules, players).states)


def _seconds(rules: Ruleset, players: int, states: int) -> float:
    plan = turn_plan(rules, all_options=True)
    if rules.rounds:
        states, turn_totals = state_count(rules, players=players), 1 / plan.columns / plan.levels
    else:
        turn_totals = (score_count(rules) + 1) / 2
    if rules.ending != "at_once":
        turn_totals += endgame(rules).beyond
    weighed = (len(plan.options) + len(plan.starts)) * (players - 1)
    cells = turn_totals * plan.levels * weighed
    often = 1 if rules.rounds else _ROUNDS
    return states * cells * often * _SECONDS_PER_OPTION / (os.cpu_count() or 1)


def time_text(seconds: float) -> str:
    """A time in words."""
    for unit, text in (
        (365 * 86400, say_later("{number:,.0f} years")),
        (86400, say_later("{number:,.0f} days")),
        (3600, say_later("{number:,.0f} hours")),
        (60, say_later("{number:,.0f} minutes")),
    ):
        if seconds >= 2 * unit:
            return say(text, number=seconds / unit)
    return say("{number:,.0f} seconds", number=seconds)


def all_totals(game: Size) -> npt.NDArray[np.int32]:
    """The sum of all scores in every state of one role, in point steps."""
    scores = np.arange(game.standings, dtype=np.int32)
    scores[game.scores :] = 0
    totals = np.zeros(1, dtype=np.int32)
    for _ in range(game.players):
        totals = (totals[:, np.newaxis] + scores).ravel()
    return totals


def inner_states(rules: Ruleset, players: int) -> int:
    """Number of states (t, n, ...) in which the game is not yet decided."""
    if rules.rounds:
        return state_count(rules, players=players)
    game = size(rules, players)
    step = rules.point_step
    own = np.arange(game.scores)
    turn_totals = int(np.maximum(game.scores - own, rules.least_bank() // step).sum())
    if rules.has_opening:
        turn_totals += max(game.scores, rules.least_bank(on_board=False) // step)
    cells = dice_set(rules).whole * rules.hot_dice_counted
    return int(game.roles * game.standings ** (players - 1) * turn_totals * cells)
