"""Best play of players who bring their dice: its values, and every turn between them, in NumPy."""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from solver.game.best import BestPlay, Strategy, last_turn_at
from solver.game.endgame import endgames
from solver.game.many import Size
from solver.game.many_best import SharedStrategy
from solver.game.position import ALL_LEFT, Held, Position, check_turn, check_two, leads_to
from solver.game.standings import Bools, Standing, score_count
from solver.loaded.kits import Side
from solver.loaded.matchup import Matchup
from solver.loaded.power_turn import PowerTurn
from solver.turn.dice import TurnState
from solver.turn.equations import Endings, Floats, TurnPlan, TurnTable
from solver.turn.powers import uses_of


class OwnDice(BestPlay):
    """Best play of a game to which players bring their dice.

    Remaining dice are an index into those of the mover's set.
    """

    matchup: Matchup

    def __init__(self, matchup: Matchup, players: int) -> None:
        BestPlay.__init__(self, matchup.rules, players)
        self.matchup = matchup
        self._sides = tuple(Side(matchup, seat) for seat in range(players))
        self._possible = lru_cache(maxsize=players)(self._find_possible)

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of a solution of the match-up, in memory."""
        raise NotImplementedError

    def hand(self, mover: int) -> Side:
        """Return a player with the dice that are brought."""
        return self._sides[mover]

    def check_turn(self, position: Position) -> None:
        """Refuse a turn that has no value. Raises InvalidPositionError."""
        thrown, possible = self.hand(position.mover).dice, partial(self.possible, position.mover)
        check_turn(self.rules, position.turn, thrown, possible)

    def possible(self, mover: int) -> Bools:
        """Return the states that a turn of a player comes to, (levels, turn totals, columns).

        The last turn total stands for all that follow.
        """
        return self._possible(mover)

    def is_reachable(self, position: Position) -> bool:
        """Whether rolls of the mover lead to the turn of a position that has a value."""
        return leads_to(self._possible(position.mover), self.rules, position.turn)

    def start(
        self, mover: int, banked: int = 0, opponent: int = 0, held: Held = ALL_LEFT
    ) -> Position:
        """Return the position of a player about to start a turn; all others have as many points."""
        own, other = (
            Standing(score, on_board=score > 0 or not self.rules.has_opening)
            for score in (banked, opponent)
        )
        players = [other] * self.players
        players[mover] = own
        turn = TurnState(0, self.whole(mover))
        return Position(tuple(players), mover, turn, held=held)

    def _find_possible(self, mover: int) -> Bools:
        """Return what `possible` does.

        With a badge that makes other points of dice, all but dice that are gone for none.
        """
        power = self.hand(mover).power
        lists = self.matchup.lists(mover)
        if power and power.makes_points:
            states = np.ones((self.plan(mover).levels, 2, lists.columns), dtype=np.bool_)
            states[0, 0, :-1], states[1:, 0] = False, False
            return states
        plan = self.plan(mover)
        return lists.possible_states(plan, self._highest + 2 * plan.reach)

    @property
    def _highest(self) -> int:
        """Return the highest turn total that is told apart, in point steps."""
        return score_count(self.rules)


class MatchupStrategy(OwnDice, Strategy):
    """Optimal play of a match-up by both sides, who are the players 0 and 1."""

    def __init__(self, matchup: Matchup, values: Floats, *, uses: tuple[int, ...] = ()) -> None:
        """Take the values of `solve_matchup`, or those with so many uses left of badges.

        With these no turn uses any.
        """
        self._uses = uses
        OwnDice.__init__(self, matchup, 2)
        Strategy.__init__(self, matchup.rules, values, matchup.rules.name)
        self._power_turn = lru_cache(maxsize=16)(self._solve_power_turn)
        self._with_uses = lru_cache(maxsize=None)(
            lambda uses: MatchupStrategy(matchup, self.values[uses], uses=uses)
        )
        """Play of games in which so many uses are left and turns use none."""

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return the values of `solve_matchup`."""
        return (self.values,)

    def check_players(self, position: Position) -> None:
        """Refuse players who cannot be where they are. Raises InvalidPositionError."""
        check_two(self.rules, position, self._highest * self.rules.point_step)

    def plans_from(self, mover: int) -> tuple[TurnPlan, ...]:
        """Return the turns of a side and of the other one."""
        return self.matchup.plan_with_badge(mover), self.matchup.plan_with_badge(1 - mover)

    def uses_left(self, mover: int) -> int:
        """Return the uses that a player has left of a badge while turns use none."""
        return self._uses[mover] if self._uses else 0

    @property
    def _highest(self) -> int:
        beyond = endgames(self.rules, self.plans_from(0))[0].beyond
        goal = self.rules.winning_score // self.rules.point_step if beyond else 0
        return score_count(self.rules) + goal + beyond

    def start_values(self, position: Position) -> Floats:
        """Return the win probability of a side about to start a turn, shape (1,)."""
        if not (uses := self._left(position.held)):
            return Strategy.start_values(self, position)
        if position.held.spent or position.opponent >= self.rules.winning_score:
            return np.asarray(self.turn(position).values[0, 0, -1])
        return self._with_uses(uses).start_values(position)

    def turn(self, position: Position) -> TurnTable:
        """Return the turn that a possible position of a side belongs to.

        Where badges are used up it is the part in which so much is left of them.
        """
        return self.turn_of_checked(position)

    def turn_of_checked(self, position: Position) -> TurnTable:
        """Return the turn of a possible position, as `turn` does."""
        if (layers := self.power_turn(position)) is not None:
            return layers.table
        if uses := self._left(position.held):
            return self._with_uses(uses).turn_of_checked(position)
        return Strategy.turn_of_checked(self, position)

    def power_turn(self, position: Position) -> PowerTurn | None:
        """Return the layers of a turn in which the mover's badge may be used, or was said to be.

        None of any other turn.
        """
        mover, held = position.mover, position.held
        uses, power = self._left(held), self.matchup.powers[mover]
        if not uses or power is None or not (power.at_start if held.spent else uses[mover]):
            return None
        turn = TurnState(0, self.whole(mover))
        start = replace(position, turn=turn, held=Held(uses, held.spent))
        return self._power_turn(start, uses)

    def without_badge(self, position: Position) -> tuple[Floats, Floats | None]:
        """Return what rolling and banking are worth where no badge is used, as a turn's values."""
        if (layers := self.power_turn(position)) is None:
            return super().without_badge(position)
        roll, bank = layers.without(position.turn)
        return np.array([roll]), None if bank is None else np.array([bank])

    def _left(self, held: Held) -> tuple[int, int] | tuple[()]:
        """Return the uses left of both badges; () where nobody has one that is used up."""
        if self._uses or not any(self.matchup.powers):
            return ()
        one, other = self.matchup.powers
        return held.uses or (uses_of(one), uses_of(other))

    def _solve_power_turn(self, start: Position, uses: tuple[int, int]) -> PowerTurn:
        mover = start.mover

        def ends(left: int) -> Endings:
            pair = (left, uses[1]) if mover == 0 else (uses[0], left)
            strategy = self._with_uses(pair)
            if start.opponent >= self.rules.winning_score:
                return last_turn_at(self.rules, start, self.plans_from(mover)).ends
            return strategy.endings(strategy.current(), start)

        spent = start.held.spent
        return PowerTurn(self.matchup, start, uses[mover], ends, has_said=spent)


class ManyMatchupStrategy(OwnDice, SharedStrategy):
    """Play of several players, each with dice, of whom each maximises the own chance to win."""

    def __init__(self, matchup: Matchup, values: Floats, *lasts: Floats, first: int = 0) -> None:
        """Take the arrays of a `ManySolution`, those of the seat `first` first."""
        OwnDice.__init__(self, matchup, matchup.players)
        SharedStrategy.__init__(self, matchup.rules, matchup.players, values, lasts, first=first)

    def find_size(self) -> Size:
        """Return how large the game is."""
        return self.matchup.whole_size

    @property
    def _highest(self) -> int:
        beyond = self._size.beyond
        return self._size.scores + (self._size.scores + beyond if beyond else 0)

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """Return the arrays of a `ManySolution`, in memory."""
        return tuple(np.roll(array, self._first, axis=0) for array in (self._values, *self._lasts))
