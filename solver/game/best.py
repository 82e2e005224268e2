"""Best play of a solved game, whoever plays it and with what dice: what answers are made of."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidPositionError, StrategyFileError
from solver.game import rounds
from solver.game.endgame import (
    endgame_taken_over,
    endgames,
    first_rows,
    last_turn,
    taken_finals,
)
from solver.game.position import (
    Position,
    banks_allowed,
    check_dice,
    check_hot_dice,
    check_turn,
    check_two,
    impossible_turn,
    is_on_board,
    least_bank,
    points_to_beat,
    reachable,
    rules_at,
)
from solver.game.standings import (
    Bools,
    Ints,
    Standing,
    Standings,
    after_turns,
    many,
    opponent_indices,
    others_after,
    role,
    standing_index,
    standing_indices,
)
from solver.rules.ruleset import Ruleset
from solver.solved import Opened
from solver.turn.dice import Hand, Remaining, TurnState
from solver.turn.equations import Endings, EqualDice, Floats, TurnPlan, TurnTable, solve_turn

T = TypeVar("T")

_ATTEMPTS = 100
"""How often an answer is begun again because its file was replaced meanwhile."""

_TURNS = 2048
"""Solved turns that are kept, most of 10 to 50 kB: those of so many games under way."""

_EVEN = 1e-12
"""Win probabilities that differ by less are equal for an answer."""

_MOST_ROWS = 20_000
"""Point steps beyond the goal for which a turn is worked out, where points matter so far."""


class BestPlay:
    """Best play of a game by all who play it.

    Players are known by their place in the order of turns, as in `Position.players`. Here all throw
    the dice of the rules; who lets players bring their own says what each throws.
    """

    within: float | None = None
    """What 95 in 100 chances are off by at most, where they are estimates."""

    matchup: Hashable | None = None
    """What players bring; None where all throw the dice of the rules."""

    def __init__(self, rules: Ruleset, players: int) -> None:
        self.rules, self.players = rules, players

    def turn(self, position: Position) -> TurnTable:
        """Return the turn that a position belongs to, with values of the mover alone or of all.

        Raises InvalidPositionError for a position that has no value, and StrategyFileError.
        """
        raise NotImplementedError

    def turn_left_alone(self, position: Position) -> TurnTable:
        """Return the turn as it would be if nobody could take over what it leaves."""
        return self.turn(position)

    def turn_of_checked(self, position: Position) -> TurnTable:
        """Return the turn of a position that follows from one that was checked."""
        return self.turn(position)

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Take the values anew if their file is not what it was. Raises StrategyFileError."""

    def hand(self, mover: int) -> Hand:  # noqa: ARG002 - all throw the same dice
        """Return a player with the dice that are thrown."""
        return EqualDice(self.rules)

    def hand_at(self, position: Position) -> Hand:
        """Return the player to move with the dice that are thrown in the turn of a position."""
        rules = rules_at(self.rules, position)
        return self.hand(position.mover) if rules is self.rules else EqualDice(rules)

    def plan(self, mover: int) -> TurnPlan:
        """Return what the rolls of a player offer, with all options where all have values."""
        hand = self.hand(mover)
        return hand.plan if self.players == 2 else hand.plan_with_all

    def whole(self, mover: int) -> Remaining:
        """Return all dice of a player, as remaining dice."""
        return self.hand(mover).dice.whole

    def possible(self, mover: int) -> Bools:  # noqa: ARG002
        """Return the states that a turn of a player comes to, (levels, turn totals, columns)."""
        return reachable(self.rules)

    def possible_rows(self, position: Position, rows: int) -> Bools:
        """Return the states that the turn of a position comes to, of so many turn totals.

        As of `possible`, where the last turn total stands for all that follow.
        """
        rules = rules_at(self.rules, position)
        states = self.possible(position.mover) if rules is self.rules else reachable(rules)
        return states[:, np.minimum(np.arange(rows), states.shape[1] - 1)]

    def is_reachable(self, position: Position) -> bool:
        """Whether rolls lead to the turn of a position that has a value."""
        return not impossible_turn(rules_at(self.rules, position), position.turn)

    def check(self, position: Position) -> None:
        """Refuse a position that has no value. Raises InvalidPositionError."""
        if len(position.players) != self.players:
            raise InvalidPositionError.say(
                "this strategy is for {players} players, not {number}",
                players=self.players,
                number=len(position.players),
            )
        self.check_players(position)
        self.check_turn(position)

    def check_turn(self, position: Position) -> None:
        """Refuse a turn that has no value. Raises InvalidPositionError."""
        mover = position.mover
        check_dice(self.rules, position.dice)
        check_hot_dice(position.hot_dice)
        thrown, possible = self.hand(mover).dice, partial(self.possible, mover)
        check_turn(rules_at(self.rules, position), position.turn, thrown, possible)

    @property
    def of_two(self) -> "BestPlay":
        """Return what is known of games of two of the players."""
        return self

    def start_values(self, position: Position) -> Floats:
        """Return values at the start of the turn of a position, as those of the turn.

        Raises InvalidPositionError and StrategyFileError.
        """
        return self.begun(position, self.turn(position))

    def win_probability(self, position: Position) -> float:
        """Return the win probability of the player about to start the turn of a position.

        Raises InvalidPositionError and StrategyFileError.
        """
        return float(self.start_values(position)[0])

    def chances(self, position: Position) -> Floats:
        """Return the win probability of every player in the order of turns, with best play by all.

        Raises InvalidPositionError and StrategyFileError.
        """
        table = self.turn(position)
        if position.offered is None:
            return self.by_seat(position, table.values_at(position.turn))
        return self.by_seat(position, self.begun(position, table))

    def begun(self, position: Position, table: TurnTable) -> Floats:
        """Return what the start of a turn is worth, with what may be taken over if that is better.

        table : that of the turn
        """
        afresh = np.asarray(table.rolls[0, 0, -1])
        if position.offered is None:
            return afresh
        return np.asarray(np.maximum(afresh, table.roll_values(position.offered)))

    def by_seat(self, position: Position, values: Floats) -> Floats:
        """Return by player what a turn has: values with the mover first, or the mover's of two."""
        if len(values) < self.players:
            values = np.array([*values, 1 - values[0]])
        by_player = np.empty(self.players)
        by_player[list(position.in_order)] = values
        return by_player

    def power_turn(self, position: Position) -> Any:  # noqa: ARG002
        """Return the layers of a turn in which badges are used up; None where nobody has one.

        They are a `solver.loaded.power_turn.PowerTurn`.
        """
        return None

    def without_badge(self, position: Position) -> tuple[Floats, Floats | None]:
        """Return what rolling and banking are worth where no badge is used, as a turn's values.

        Banking is None where it is not allowed.
        """
        table = self.turn(position)
        return table.roll_values(position.turn), table.bank_values(position.turn)


class Values:
    """Start-of-turn values of a rule set, in memory or mapped from a file that was verified."""

    def __init__(
        self,
        rules: Ruleset,
        array: npt.NDArray[np.float64],
        origin: str,
        opened: Opened[Any] | None = None,
        rolled: npt.NDArray[np.float64] | None = None,
    ) -> None:
        self.rules = rules
        self.array = array
        """Values at [who began, standing, opponent's standing], see `standings.value_shape`.

        All of the first player's before all of the second's where both have turns of their own."""
        self.rolled = rolled
        """What rolling on is worth with what was left, see `solver.game.endgame.first_rows`."""
        self._origin = origin
        self._opened = opened

    @classmethod
    def of(cls, opened: Opened[Any]) -> "Values":
        """Return the values of a strategy file."""
        values, *rolled = opened.arrays
        return cls(opened.manifest.rules, values, str(opened.path), opened, *rolled)

    @property
    def are_unchanged(self) -> bool:
        """Whether the file, if any, is still the one that was mapped."""
        return self._opened is None or self._opened.is_unchanged

    @property
    def is_at_hand(self) -> bool:
        """Whether they hold as they are, and no file has to be verified first."""
        return self._opened is None or self._opened.is_at_hand

    def as_they_are(self) -> "Values":
        """These, or the ones of the file as it is now. Raises StrategyFileError."""
        if self._opened is None or self.is_at_hand:
            return self
        return Values.of(self._opened.as_it_is())

    def at(self, own: Standings, opponent: Standings, *, began: bool, turns: int = 0) -> Floats:
        """Win probabilities of players about to start a turn against as many opponents.

        own : those of one player, or of each
        turns : those left, where the rules have a number of rounds
        """
        if self.rules.rounds:
            chances = rounds.values_at(self.rules, self.array, turns, [own, opponent])[..., 0]
            return self._chances(chances)
        rows = standing_indices(self.rules, own)
        columns = opponent_indices(self.rules, opponent)
        place = role(self.rules, began=began)
        roles = 2 if self.rules.has_roles else 1
        if len(self.array) > roles and not began:  # who is the second player
            place += roles
        return self._chances(self.array[place, rows, columns])

    def _chances(self, numbers: Floats) -> Floats:
        """Values that were read. Raises StrategyFileError where they are none."""
        values = np.asarray(numbers)
        if not np.all((values >= 0) & (values <= 1)):
            raise StrategyFileError.say(
                "{file}: holds values that are not probabilities; solve the rules again",
                file=self._origin,
            )
        return values

    def taken(self, own: Standing, opponent: Standings, points: Ints, *, began: bool) -> Floats:
        """Win probabilities of a player who takes over points and rolls dice at once.

        Shape (opponents, numbers of dice), with points for each opponent; 0 where nothing is
        there to be taken over.
        """
        rules, row = self.rules, standing_index(self.rules, own)
        columns = standing_indices(rules, opponent)
        first = first_rows(rules)[role(rules, began=began), row]
        begin, end = first[columns], first[columns + 1]
        chances = np.zeros((len(columns), rules.dice))
        there = (begin < end) & (points > 0)
        places = np.minimum(begin + points // rules.point_step, end - 1)[there]
        if self.rolled is not None:
            chances[there, : self.rolled.shape[1]] = self._chances(self.rolled[places])
        return chances

    def left_by_dice(
        self, start: Position, points: Ints, *, farkles: bool = False, taken: bool = True
    ) -> Floats:
        """What a player is left with by what is left to the next one, (points, numbers of dice).

        points : turn totals that are banked, or lost by a farkle; 0 for nothing left
        taken : whether the next one may take over what is left
        """
        rules = self.rules
        after = after_turns(
            rules,
            many(start.own, len(points)),
            0 if farkles else points,
            farkles=farkles,
            loses=False,
        )
        how = {"began": not start.began}
        has = self.at(many(start.other), after, **how)[:, np.newaxis].repeat(rules.dice, axis=1)
        if taken and rules.take_over in {"both", "lost" if farkles else "banked"}:
            has = np.maximum(has, self.taken(start.other, after, points, **how))
        return 1 - has

    def left(
        self,
        start: Position,
        points: Ints | int = 0,
        *,
        farkles: bool = False,
        loses: bool = False,
    ) -> Floats:
        """What a player is left with whose turn ends so, for each number of points banked."""
        before = many(start.own, np.size(points))
        after = after_turns(self.rules, before, points, farkles=farkles, loses=loses)
        ended = before, after, many(start.other), points
        theirs = others_after(self.rules, *ended, farkles=farkles)
        wins = theirs.score >= self.rules.winning_score
        if np.any(wins):
            theirs = replace(theirs, score=np.where(wins, start.opponent, theirs.score))
        turns = start.turns_left - 1
        return np.where(wins, 0.0, 1 - self.at(theirs, after, began=not start.began, turns=turns))


class Strategy(BestPlay):
    """Optimal play of one rule set by two players: its values, and every turn between them.

    One that was opened from a file stays true to it. Before each answer the system is asked whether
    the file is still the one that was verified, and after it whether it was all the while. If it
    was replaced or written to, it is opened and verified again, and all turns are forgotten. What
    remains: a file that somebody cuts short in the microseconds between the question and the read
    still ends the process (SIGBUS). The program itself never writes to a file that it has finished.
    """

    def __init__(
        self,
        rules: Ruleset,
        values: Values | npt.NDArray[np.float64],
        origin: str,
        *,
        last: Floats | None = None,
    ) -> None:
        """The play of somebody whose opponent has these values.

        origin : where the values come from, for errors
        last : what the opponent has in a final turn, as in `Endgame.last`; None for best play
        """
        BestPlay.__init__(self, rules, 2)
        self._origin = origin
        self._last = last
        self._opened = values if isinstance(values, Values) else Values(rules, values, origin)
        self._turn = lru_cache(maxsize=_TURNS)(self._solve_turn)
        self._far = lru_cache(maxsize=64)(self._solve_far)
        self._further = 0
        """Rows beyond the goal that far turn totals took so far."""

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The start-of-turn values, in the layout of a Solution, from the file as it is now.

        Raises StrategyFileError.
        """
        self.refresh()
        return self._values

    @property
    def is_at_hand(self) -> bool:
        """Whether the values hold as they are, and no file has to be verified first."""
        return self._opened.is_at_hand

    @property
    def _values(self) -> npt.NDArray[np.float64]:
        return self._opened.array

    def start_values(self, position: Position) -> Floats:
        """Return the win probability of the player about to start a turn, shape (1,).

        Raises InvalidPositionError for a position that cannot be, and StrategyFileError where the
        file has changed and is not good any more.
        """
        if position.opponent >= self.rules.winning_score or position.offered:
            return self.begun(position, self.turn(position))
        self.check(position)
        own, others = many(position.own), many(position.other)
        where: dict[str, Any] = {"began": position.began, "turns": position.turns_left}
        return self._of_one_file(lambda values: values.at(own, others, **where))

    def win_probabilities(self, own: Standings, opponents: Standings, *, began: bool) -> Floats:
        """Win probabilities of one or many against as many, none of whom has reached the goal.

        Raises StrategyFileError as `win_probability` does.
        """
        return self._of_one_file(lambda values: values.at(own, opponents, began=began))

    def turn(self, position: Position) -> TurnTable:
        """The table of the turn that a position belongs to.

        Its last row stands for all further turn totals: also for one beyond the goal, if that of
        the position is. Raises InvalidPositionError for a position that cannot be, and where turns
        go on too far beyond the goal to tell, and StrategyFileError as `win_probability` does.
        """
        self.check(position)
        return self.turn_of_checked(position)

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        check_two(self.rules, position)

    def turn_of_checked(self, position: Position) -> TurnTable:
        """The table as of `turn`, of a position that follows from one that was checked."""
        start = replace(position, turn=TurnState(0, self.whole(position.mover)), offered=None)
        return self._of_one_file(lambda values: self._reaching(values, start, position.turn_total))

    def current(self) -> Values:
        """The values as they are now. Raises StrategyFileError."""
        self.refresh()
        return self._opened

    def refresh(self) -> None:
        """Open the file again if it is not what it was. Raises StrategyFileError."""
        values = self._opened.as_they_are()
        if values is not self._opened:
            self._opened = values
            self._turn.cache_clear()
            self._far.cache_clear()

    def _of_one_file(self, make: Callable[[Values], T]) -> T:
        """What is made of the values as they are now, while their file stays what it is.

        Raises StrategyFileError.
        """
        for _ in range(_ATTEMPTS):
            made = make(values := self.current())
            if values.are_unchanged:
                return made
        raise StrategyFileError.say(
            "{file}: another program keeps writing it while it is read; try again",
            file=self._origin,
        )

    def _reaching(self, values: Values, start: Position, turn_total: int) -> TurnTable:
        """The table of a turn, another one for a turn total beyond the goal if that matters."""
        rules = self.rules
        in_play = start.opponent < rules.winning_score
        if in_play:
            all_equal = rules.goal_ends_game(last_of_round=not start.began)
        else:
            all_equal = points_to_beat(rules, start) is not None
        goal = rules.winning_score - (start.banked if in_play else 0)
        if all_equal or turn_total < goal or rules.takes_over:
            return self._turn(values, start, 0)
        return self._far(values, start)

    def _solve_far(self, values: Values, start: Position) -> TurnTable:
        """The table of a turn, so long that its last row stands for all that follow.

        The more points a bank leaves the other player to beat, the better; but from somewhere on
        next to nobody beats them, and all further rows are the same. What is behind the last row
        was solved to know it, and is left out.
        """
        reach = self.plan(start.mover).reach
        while (further := self._further or 4 * reach) <= _MOST_ROWS:
            table = self._solve_turn(values, start, further)
            bank, roll = table.ends.bank, table.roll
            last = len(bank) - reach - further // 2
            later = last + further // 4
            if bank[-1] - bank[last] < _EVEN and np.allclose(
                roll[:, last], roll[:, later], 0, _EVEN
            ):
                end = last + 1
                ends = table.ends
                ends = ends._replace(banks=ends.banks[:end], farkles=ends.farkles[:end])
                return TurnTable(table.values[:, :end], table.rolls[:, :end], ends, table.plan)
            self._further = 2 * further
        raise InvalidPositionError.say(
            "under {rules} rules turns can go on so far that turn totals beyond the goal are not"
            " worked out",
            rules=self.rules.name,
        )

    def _solve_turn(self, values: Values, start: Position, further: int) -> TurnTable:
        """The table of a turn, with so many more turn totals beyond the goal, in point steps."""
        rules = self.rules
        if start.opponent < rules.winning_score:
            return solve_turn(self.plan(start.mover), self.endings(values, start, further))
        return last_turn_at(rules, start, self.plans_from(start.mover), further)

    def plans_from(self, mover: int) -> tuple[TurnPlan, ...]:  # noqa: ARG002 - all throw the same
        """The turns of a player and of the other, where they have their own."""
        return ()

    def uses_left(self, mover: int) -> int:  # noqa: ARG002 - nobody has a badge
        """The uses that a player has left of a badge while turns use none."""
        return 0

    def endings(self, values: Values, start: Position, further: int = 0) -> Endings:
        """What ending a turn leads to by these values, while nobody has reached the goal."""
        if self.rules.takes_over:
            return self._endings_by_dice(values, start)
        rules, step, plan = self.rules, self.rules.point_step, self.plan(start.mover)
        ends = endgames(rules, self.plans_from(start.mover), further=further)[-1]

        def left(points: Ints, **how: bool) -> Floats:
            return np.asarray(values.left(start, points, **how)[:, np.newaxis])

        def final(points: Ints) -> Floats:
            uses = self.uses_left(1 - start.mover)
            lasts = ends.lasts[uses] if self._last is None else self._last
            won, lead = points // step, (start.banked - start.opponent) // step
            last = lasts[int(start.opponent_on_board), np.minimum(won + lead, lasts.shape[1] - 1)]
            if rules.beat_previous_turn:
                last = ends.after_bank(won, lead, start.opponent_on_board)
            return np.asarray(1 - last[:, np.newaxis])

        least = max(rules.least_bank(on_board=start.on_board), start.to_beat + step)
        return turn_endings(rules, plan, start, least, ends.beyond, left, final)

    def turn_left_alone(self, position: Position) -> TurnTable:
        """The table of a turn after which nothing can be taken over, but after later ones.

        Of a final turn that one itself. Raises StrategyFileError.
        """
        start = replace(position, turn=TurnState(0, self.whole(position.mover)), offered=None)
        if start.opponent >= self.rules.winning_score:
            return self.turn_of_checked(position)
        ends = self._of_one_file(lambda values: self._endings_by_dice(values, start, taken=False))
        return solve_turn(self.plan(start.mover), ends)

    def _endings_by_dice(self, values: Values, start: Position, *, taken: bool = True) -> Endings:
        """What ending a turn leads to where the next one may begin with what is left."""
        rules, step, plan = self.rules, self.rules.point_step, self.plan(start.mover)
        ends = endgame_taken_over(rules)
        missing, theirs = (
            max(rules.winning_score - score, rules.least_bank(on_board=standing.on_board)) // step
            for standing in (start.own, start.other)
            for score in [rules.score_floor if rules.leaves_and_falls else standing.score]
        )
        free = rules.least_bank_at(start.banked, on_board=start.on_board) // step
        to_goal = (rules.winning_score - start.banked) // step
        totals = np.arange(max(missing, theirs) + ends.beyond + plan.reach)
        bank = np.ones((len(totals), rules.dice))
        bank[:to_goal] = values.left_by_dice(start, totals[:to_goal] * step, taken=taken)
        if not rules.goal_ends_game(last_of_round=not start.began):
            apart = (start.banked - start.opponent) // step
            margins = np.minimum(apart + totals[to_goal:], ends.last.shape[1] - 1)
            last = ends.last[int(start.opponent_on_board), margins][:, np.newaxis]
            may = rules.may_take_over(start.opponent, on_board=start.opponent_on_board)
            if may and rules.take_over != "lost" and taken:
                last = np.maximum(last, taken_finals(rules)[max(0, apart)])
            bank[to_goal:] = 1 - last
        bank[:free] = np.nan
        farkle = values.left_by_dice(start, totals * step, farkles=True, taken=taken)
        # nothing is left by a farkle that does not count, as what a farkle lost is not taken over
        lost, layers = values.left(start), plan.columns // rules.dice
        return Endings.by_dice(np.tile(bank, layers), np.tile(farkle, layers), lost)


def last_turn_at(
    rules: Ruleset, start: Position, plans: tuple[TurnPlan, ...] = (), further: int = 0
) -> TurnTable:
    """The table of a final turn, or of a turn of a play-off, from its start.

    plans, further : as of `last_turn`
    """
    return last_turn(
        rules,
        points_to_beat(rules, start),
        on_board=is_on_board(rules, start),
        least=least_bank(rules, start),
        further=further,
        plans=plans,
    )


def turn_endings(
    rules: Ruleset,
    plan: TurnPlan,
    start: Position,
    least: int,
    beyond: int,
    left: Callable[..., Floats],
    final: Callable[[Ints], Floats],
) -> Endings:
    """What ending a turn leads to, while nobody has reached the goal.

    plan : the turn
    start : the position at its start
    least : points up to which turn totals are solved at least
    beyond : turn totals beyond the goal up to which turns go on, where it is not the end
    left : what all have after the turn, the mover first, or the mover alone, by the points of it,
        shape (points, players); and whether it ends in one of `farkles`, or `loses` everything
    final : likewise, of turn totals that reach the goal and leave others a final turn
    """
    step, is_last = rules.point_step, start.mover == len(start.players) - 1
    goal_ends_game = rules.goal_ends_game(last_of_round=is_last)
    missing = (rules.winning_score - start.banked) // step
    if rules.rounds:  # the turn total from which on more change nothing
        lead = start.banked - start.opponent
        missing = rounds.turn_totals(rules, lead, len(start.players))
    further = 0 if goal_ends_game and not rules.is_exact else beyond
    allowed = banks_allowed(rules, start, max(missing, least // step) + further + plan.reach)
    totals = np.arange(len(allowed)) * step
    nothing, end = totals[:1], len(totals)
    lost = left(nothing, loses=True)[0]
    bank = np.tile(np.eye(len(lost))[0], (len(totals), 1))
    bank[:missing] = left(totals[:missing])
    if rules.rounds:
        bank[missing:] = bank[missing - 1]
    elif not goal_ends_game:
        bank[missing:] = final(totals[missing:])
    if rules.is_exact:
        end = missing + 1
        bank[end:] = left(totals[end:])
    farkle = np.tile(left(nothing, farkles=True), (len(totals), 1))
    if rules.farkle_keeps_turn_total:
        kept = np.flatnonzero(allowed[:end])
        farkle[kept] = bank[kept]
        if len(kept := kept[kept < missing]):
            farkle[kept] = left(totals[kept], farkles=True)
    bank[~allowed] = np.nan
    # where a lead decides all but for rolls that win, one more may be better than a bank
    weighs = rules.is_exact or bool(rules.rounds and np.any(plan.win_chances))
    return Endings.shared(bank, farkle, lost)._replace(weighs=weighs)
