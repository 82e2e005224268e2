"""Best play of players who bring their dice: its values, and every turn between them, in NumPy."""

from functools import lru_cache, partial

import numpy as np

from solver.game.best import BestPlay
from solver.game.position import ALL_LEFT, Held, Position, check_turn, check_two, leads_to
from solver.game.standings import Bools, Standing, score_count
from solver.loaded.kits import Side
from solver.loaded.matchup import Matchup, uses_shape
from solver.loaded.power_turn import PowerTurn
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn
from solver.turn.scoring import TurnPlan, TurnState


class OwnDice(BestPlay):
    """Best play of a game to which players bring their dice.

    Remaining dice are an index into those of the mover's set.
    """

    matchup: Matchup

    def __init__(self, matchup: Matchup, players: int) -> None:
        BestPlay.__init__(self, matchup.rules, players)
        self.matchup = matchup
        self._sides = tuple(Side(matchup, seat) for seat in range(players))
        self._plan = lru_cache(maxsize=players)(super().plan)
        self._possible = lru_cache(maxsize=players)(self._find_possible)

    @property
    def values_by_seat(self) -> Floats:
        """Return the values of a solution of the match-up, in memory."""
        raise NotImplementedError

    def hand(self, mover: int) -> Side:
        """Return a player with the dice that are brought."""
        return self._sides[mover]

    def plan(self, mover: int) -> TurnPlan:
        """Return what the rolls of a player offer, with all options where all have values."""
        return self._plan(mover)

    def check_turn(self, position: Position) -> None:
        """Refuse a turn that has no value. Raises InvalidPositionError."""
        thrown, possible = self.hand(position.mover).dice, partial(self.possible, position.mover)
        check_turn(self.rules, position.turn, thrown, possible)

    def possible(self, mover: int) -> Bools:
        """Return the states that a turn of a player comes to, (levels, turn totals, columns).

        The last turn total stands for all that follow.
        """
        return self._possible(mover)[np.newaxis]

    def is_reachable(self, position: Position) -> bool:
        """Whether rolls of the mover lead to the turn of a position that has a value."""
        return leads_to(self._possible(position.mover), self.rules, position.turn)

    def start(
        self, mover: int, banked: int = 0, opponent: int = 0, held: Held = ALL_LEFT
    ) -> Position:
        """Return the position of a player about to start a turn; all others have as many points."""
        players = [Standing(opponent)] * self.players
        players[mover] = Standing(banked)
        turn = TurnState(0, self.whole(mover))
        return Position(tuple(players), mover, turn, held=held)

    def _find_possible(self, mover: int) -> Bools:
        """Return the states of a turn by turn total and dice; the last row is for all that follow.

        With a badge that makes other points of dice, all but dice that are gone for none.
        """
        power = self.hand(mover).power
        lists = self.matchup.lists(mover)
        if power and power.makes_points:
            found = np.ones((2, lists.columns), dtype=np.bool_)
            found[0, :-1] = False
            return found
        rows = score_count(self.rules) + 2 * int(lists.targets[-1]) // lists.columns
        return lists.possible_states(rows)


class MatchupStrategy(OwnDice):
    """Optimal play of a match-up by both sides, who are the players 0 and 1."""

    def __init__(self, matchup: Matchup, values: Floats) -> None:
        """Take the values of a `MatchupSolution`."""
        super().__init__(matchup, 2)
        self.values = values
        """Those of the solution, as they are or in a file."""
        self._turn = lru_cache(maxsize=64)(self._solve_turn)
        self._power_turn = lru_cache(maxsize=16)(self._solve_power_turn)

    @property
    def values_by_seat(self) -> Floats:
        """Return the values of a `MatchupSolution`."""
        return self.values

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        check_two(self.rules, position)

    def start_values(self, position: Position) -> Floats:
        """Return the win probability of a side about to start a turn, shape (1,)."""
        if position.held.spent:  # a use was said before the first roll
            return super().start_values(position)
        step = self.rules.point_step
        scores = position.banked // step, position.opponent // step
        return np.atleast_1d(self.values[(*self._left(position.held), position.mover, *scores)])

    def turn(self, position: Position) -> TurnTable:
        """Return the turn that a possible position of a side belongs to.

        Where badges are used up it is the part in which so much is left of them.
        """
        if (layers := self.power_turn(position)) is not None:
            return layers.table
        return self._turn(position.mover, position.banked, position.opponent)

    def power_turn(self, position: Position) -> PowerTurn | None:
        """Return the layers of a turn in which badges are used up; None where nobody has one."""
        if not any(self.matchup.powers):
            return None
        place = position.mover, position.banked, position.opponent
        return self._power_turn(*place, self._left(position.held), position.held.spent)

    def without_badge(self, position: Position) -> tuple[Floats, Floats | None]:
        """Return what rolling and banking are worth where no badge is used, as a turn's values."""
        if (layers := self.power_turn(position)) is None:
            return super().without_badge(position)
        roll, bank = layers.without(position.turn)
        return np.array([roll]), None if bank is None else np.array([bank])

    def _left(self, held: Held) -> tuple[int, ...]:
        shape = uses_shape(self.matchup)
        if held.uses is None:
            return tuple(number - 1 for number in shape)
        return held.uses[: len(shape)]

    def _solve_power_turn(
        self, side: int, banked: int, opponent: int, uses: tuple[int, int], spent: bool
    ) -> PowerTurn:
        one, other = uses
        theirs = self.values[:, other, 1] if side == 0 else self.values[one, :, 0]
        plan = self.plan(side)
        scores = banked, opponent
        return PowerTurn(self.matchup, plan, side, theirs, uses[side], *scores, spent=spent)

    def _solve_turn(self, side: int, banked: int, opponent: int) -> TurnTable:
        rules, step, plan = self.rules, self.rules.point_step, self.plan(side)
        missing = (rules.winning_score - banked) // step
        least = rules.least_bank() // step
        bank = np.ones(max(missing, least) + plan.reach)
        theirs = self.values[1 - side, opponent // step]
        bank[:missing] = 1 - theirs[banked // step :][:missing]
        farkle = np.full(len(bank), 1 - theirs[banked // step])
        bank[: rules.least_bank_at(banked) // step] = np.nan
        return solve_turn(plan, Endings.alone(bank, farkle, lost=0.0))
