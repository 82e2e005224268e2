"""Win probabilities of several players where the game of all is not solved: an estimate.

It knows how the game goes between every two of the players, and says what that comes to:

- the chances of every two are those of the game of two at their scores (a `Strategy`), and
  solver.play.race makes chances of all of them;
- in a game of two the other one has a turn and then it is one's own again. Here others move in
  between, and each may be done before. So the odds of a player against one who moves later are
  raised: for each between them by the power 0.65 of 1 / (1 - r), r the chance to get to the goal in
  one turn, and by a little for all turns later. Where the goal gives others a final turn they are
  raised by a little for each who is not between them;
- where turns are equal, who has the last one of a round wins by reaching the goal, at chance r;
  else the odds are what that leaves;
- that is what a turn leads to. The turn under way is solved: the mover maximises the own chance, as
  with best play (solver.game.many_best). So is the next player's turn, after a farkle and after a
  few banks; after other banks, what that changes in the logarithms of the odds is drawn as lines.

Nothing is drawn by lot, so that a position always has the same answer. Final turns are played one
after the other to beat whoever leads; a play-off of several is shared.

How far it is off, against exact values of three players: `python -m tests.benchmarks.estimates`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from solver.game.best import BestPlay, Strategy, last_turn_at, turn_endings
from solver.game.endgame import FinalTurns, endgame, last_turn
from solver.game.many import check_players
from solver.game.many_best import SharedStrategy
from solver.game.position import Position
from solver.game.standings import (
    Bools,
    Ints,
    Standing,
    Standings,
    after_turns,
    check_goal,
    many,
    others_after,
    score_count,
)
from solver.play.race import log_odds, race
from solver.play.rough import RoughValues
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import TurnState, dice_set
from solver.turn.equations import Endings, Floats, TurnTable, solve_turn, turn_plan
from solver.turn.points import mean_turn, turn_outcome

WITHIN = 0.007
"""What 95 in 100 chances are off by at most, at the start of a turn, whether two players are solved
or not. For the worst of the games in docs/mathematics-several.md, and a little more."""

_BETWEEN = 0.65
"""How much a player counts who may be done at once, between two others. Best for exact values of
three players with kcd scoring and goals of 1,500 and 4,000; at 0.5 and 1 errors are larger by
half."""

_BETWEEN_LATER = 0.08
"""How much one counts who may be done between them later. Best for the same, and what two turns
solved say is what the formula says for five and eight players too."""

_NOT_BETWEEN = 0.09
"""How much one counts who does not move between two others, where the goal gives all a final turn.
This and the next two are best for exact values of three players by arnold rules with goals of 1,000
to 5,000, and with kcd scoring and a final turn."""

_LEADERS_TURNS = 1.4
"""The turns by which a race is longer for each that the leader still needs, if reaching the goal
gives others a final turn."""

_LAST_TURN = 3.0
"""The turns by which a race is shorter that ends in a final turn, which may upset everything."""

_BANKS = (0.45, 0.9, 1.6, 2.7)
"""The banks after which the next turn is solved, in expected points of a turn."""


class EstimatedStrategy(SharedStrategy):
    """Play of several players who know the game of every two of them; for `advise` too."""

    def __init__(self, pairs: Strategy, players: int) -> None:
        """`pairs` is the strategy of two players. Raises InvalidRulesError."""
        check_players(pairs.rules, players)
        check_goal(pairs.rules)
        BestPlay.__init__(self, pairs.rules, players)
        self._pairs = pairs
        self._of = pairs.current()
        if players > 2 or isinstance(self._of, RoughValues):
            self.within = WITHIN
        self._turn = lru_cache(maxsize=64)(self._solve_turn)
        self._start = lru_cache(maxsize=1024)(self._solve_start)

    @property
    def of_two(self) -> Strategy:
        """Return what is known of two players."""
        return self._pairs

    @property
    def beyond(self) -> int:
        """Return up to which turn totals beyond the goal turns go on, in point steps."""
        return endgame(self.rules).beyond

    def turn(self, position: Position) -> TurnTable:
        """The turn that a position belongs to, with estimates for values.

        Raises InvalidPositionError, and StrategyFileError as a Strategy does.
        """
        self.check(position)
        floor = self.rules.score_floor
        players = tuple(
            replace(player, score=max(player.score, floor)) for player in position.players
        )
        return super().turn(replace(position, players=players))

    def refresh(self) -> None:
        """Forget what was made of values that are not those of now. Raises StrategyFileError."""
        now = self._pairs.current()
        if now is not self._of:
            self._of = now
            self._turn.cache_clear()
            self._start.cache_clear()

    def _solve_turn(self, start: Position) -> TurnTable:
        rules = self.rules
        reached = any(standing.score >= rules.winning_score for standing in start.players)
        if reached and self.rules.is_defended:
            return last_turn_at(rules, start)
        if reached:
            ends, rules = self._last_endings(start), self.rules.in_last_turns
        else:
            ends = self._endings(start)
        return solve_turn(turn_plan(rules, all_options=True), ends)

    def _endings(self, start: Position, *, further: bool = True) -> Endings:
        """What ending a turn leads to, while nobody has reached the goal.

        further : whether the next turn is looked at as well
        """
        rules, step, players, seat = self.rules, self.rules.point_step, self.players, start.mover
        others = tuple(start.players[k] for k in start.in_order[1:])
        followers = others[: players - 1 - (seat if rules.has_roles else 0)]

        def left(points: Ints, *, farkles: bool = False, loses: bool = False) -> Floats:
            before = many(start.own, len(points))
            after = after_turns(rules, before, points, farkles=farkles, loses=loses)
            theirs = [
                others_after(rules, before, after, many(standing), points, farkles=farkles)
                for standing in others
            ]
            if not rules.gives:
                return self._handed_to_next(theirs, after, seat, further=further)
            # two play, and the other may have won
            score = theirs[0].score
            inside = [replace(theirs[0], score=np.minimum(score, rules.goal - step))]
            chances = self._handed_to_next(inside, after, seat, further=further)
            chances[score >= rules.goal] = 0.0, 1.0
            return chances

        def final(points: Ints) -> Floats:
            scores = (start.banked + points) // step
            chances = _chased(rules, followers).take(scores, 0, mode="clip")
            return np.pad(chances, ((0, 0), (0, players - chances.shape[1])))

        least = rules.least_bank(on_board=start.on_board, wins=True)
        return turn_endings(rules, turn_plan(rules), start, least, self.beyond, left, final)

    def _handed_to_next(
        self, others: Sequence[Standings], own: Standings, seat: int, *, further: bool
    ) -> Floats:
        """Values when the next player's turn begins, as the one before sees them.

        own : where that one may stand, by the points of the turn; shape of the values (standings,
            players)
        """
        following = (seat + 1) % self.players
        chances = self._by_pairs(others, own, following)
        # at the start of a round of equal turns the formula is nearer than a turn later
        if further and self.players > 2 and not self._ends_round(seat):
            which = self._looked_at(len(chances))
            those = [standings.one(0) for standings in others]
            solved = [self._start((*those, own.one(k)), following) for k in which.tolist()]
            moved = log_odds(np.array(solved)) - log_odds(chances[which])
            numbers = np.arange(len(chances))
            moves = [np.interp(numbers, which, move) for move in moved.T]
            chances = 1 / (1 + np.exp(-log_odds(chances) - np.array(moves).T))
            chances /= chances.sum(axis=1, keepdims=True)
        return np.roll(chances, 1, axis=1)

    def _looked_at(self, number: int) -> Ints:
        """The banks after which the next turn is solved, in point steps, all below `number`."""
        mean = mean_turn(self.rules) / self.rules.point_step
        inside = [round(mean * turns) for turns in _BANKS]
        return np.array(sorted({0, *(steps for steps in inside if steps < number - 1), number - 1}))

    def _solve_start(self, order: tuple[Standing, ...], seat: int) -> Floats:
        """Chances of all at the start of a turn that ends as the formula says, the mover first."""
        rules, last = self.rules, self.players - seat
        turn = TurnState(0, dice_set(rules).whole)
        start = Position((*order[last:], *order[:last]), seat, turn)
        ends = self._endings(start, further=False)
        own = Endings.alone(ends.bank, ends.farkle, float(ends.lost[0]))
        own = own._replace(weighs=ends.weighs)
        outcome = turn_outcome(rules, solve_turn(turn_plan(rules), own))
        chances = outcome.banked @ np.nan_to_num(ends.banks) + outcome.farkled @ ends.farkles
        chances += outcome.loses * ends.lost + outcome.spared * (ends.lost - ends.farkles[0])
        chances[0] += outcome.wins
        return np.asarray(chances)

    def _by_pairs(self, others: Sequence[Standings], last: Standings, seat: int) -> Floats:
        """Chances of all at the start of a turn by those of every two, the mover first.

        last : where the last one in the order of turns may stand, side by side
        seat : where the mover sits
        """
        rules, count, lanes = self.rules, self.players, len(last.score)
        seats = [(seat + k) % count for k in range(count)]
        standings = [*others, last]
        scores = np.array([np.broadcast_to(standing.score, lanes) for standing in standings])
        to_go = (rules.winning_score - scores) / mean_turn(rules)
        turns = to_go.mean(axis=0)
        slow = np.cumsum([_kept_waiting(rules, standing) for standing in standings[:-1]], axis=0)
        # who has the last turn of a round wins at once, or the others are as they were
        done = _done_at_once(rules, standings[0]) if self._ends_round(seat) else 0.0
        odds = np.zeros((lanes, count, count))
        for i, standing in enumerate(others):
            for j in range(i + 1, count):
                began = seats[i] < seats[j]
                pair = self._pairs.win_probabilities(standing, standings[j], began=began)
                if i == 0:
                    pair = (pair - done) / (1 - done)
                odds[:, i, j] = log_odds(pair) + slow[j - 1] - slow[i]
                if rules.ending == "final_turn":
                    odds[:, i, j] += (count - 1 - (j - i)) * _NOT_BETWEEN / (1 + turns)
                odds[:, j, i] = -odds[:, i, j]
        if rules.ending != "at_once":
            turns = _LEADERS_TURNS * to_go.min(axis=0) - _LAST_TURN
        chances = (1 - done) * race(odds, turns)
        chances[:, 0] += done
        return chances

    def _ends_round(self, seat: int) -> bool:
        """Whether reaching the goal wins, of who had as many turns as all others then."""
        return self.rules.ending == "equal_turns" and seat == self.players - 1

    def _chase(
        self, level: int, lead: int, start: Position, chasers: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Chances of each of the leaders, and of those who have a final turn, at its start."""
        standings = tuple(start.players[k] for k in chasers)
        known, row = _chased(self.rules, standings), lead // self.rules.point_step
        chances: Floats = known[min(row, len(known) - 1)]
        return chances[:1].repeat(level) / level, chances[1:]


def _kept_waiting(rules: Ruleset, standings: Standings) -> Floats:
    """What players add to the logarithm of the odds of two between whom they move."""
    if rules.ending != "at_once":
        return np.zeros(standings.score.shape)  # nobody is done before the others had a turn
    turns = (rules.winning_score - standings.score) / mean_turn(rules)
    return _BETWEEN_LATER / (1 + turns) - _BETWEEN * np.log1p(-_done_at_once(rules, standings))


def _done_at_once(rules: Ruleset, standings: Standings) -> Floats:
    """Chances to reach the goal in one turn, at most 0.999."""
    missing = (rules.winning_score - standings.score) // rules.point_step
    where: Bools = standings.on_board
    # scores below the lowest count as that one
    return np.where(where, *(reached.take(missing, mode="clip") for reached in _reaches(rules)))


@lru_cache(maxsize=RULESETS)
def _reaches(rules: Ruleset) -> tuple[Floats, Floats]:
    """Chances to get so many point steps in a turn, on the board and off it, at most 0.999."""
    most = score_count(rules)
    plan = turn_plan(rules)
    reached = [FinalTurns(rules, plan, 0.0, on_board=board).worth(most) for board in (True, False)]
    # to get as many is to get more than one fewer
    on, off = (np.minimum(np.concatenate([[1.0], part[:most]]), 0.999) for part in reached)
    return on, off


@lru_cache(maxsize=64)
def _chased(rules: Ruleset, chasers: tuple[Standing, ...]) -> Floats:
    """Chances of a leader and of those who have a final turn after, at [the leader's score, who].

    Scores in point steps, up to one that nobody beats. Each tries to beat whoever leads then, and
    does by so many points as a turn with the target of a mean turn does.
    """
    last, step = endgame(rules).last, rules.point_step
    goal, over = rules.winning_score // step, _beaten_by(rules)
    top = goal + last.shape[1] + len(over) * len(chasers)
    chances = np.ones((top + 1, 1))
    scores = np.arange(top + 1)
    for chaser in reversed(chasers):
        margins = np.clip(scores - chaser.score // step, 0, last.shape[1] - 1)
        board = int(chaser.on_board or not rules.has_opening)
        beats = last[board, margins][:, np.newaxis]
        ahead = sum(
            chance * chances[np.minimum(scores + excess, top)] for excess, chance in enumerate(over)
        )
        chances = np.concatenate(
            [
                (1 - beats) * chances[:, :1],
                beats * ahead[:, :1],
                (1 - beats) * chances[:, 1:] + beats * ahead[:, 1:],
            ],
            axis=1,
        )
    return chances


@lru_cache(maxsize=RULESETS)
def _beaten_by(rules: Ruleset) -> Floats:
    """Chances of the point steps by which a final turn beats its target, where it does."""
    margin = max(1, int(mean_turn(rules)) // rules.point_step)
    outcome = turn_outcome(rules, last_turn(rules, margin * rules.point_step, on_board=True))
    over = (outcome.banked + outcome.farkled)[margin:]
    if not over.any():
        over[0] = 1.0  # only rolls that win at once beat it
    return np.asarray(over / over.sum())
