"""What a finished game teaches its players: how they played it, and decisions to practise on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.review.moments import Judgement
from bot.review.review import NUMBER_OF_WORST, PlayerReview, Review
from solver.game.position import Position
from solver.play.daily import CLEAR, Choice, all_choices
from solver.play.drills import Spot, fewer_choices, spot_of
from solver.play.position_id import position_id
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy
from solver.turn.equations import Decision


@dataclass(frozen=True, slots=True)
class Lesson:
    """A decision that cost so much that the best choice is no matter of taste."""

    turn: int
    """Number of the turn of its seat, from 1."""
    position: str
    """By its ID, with the roll."""
    choices: tuple[Choice, ...]
    """In the order in which they are shown; of many only the best ones, and the chosen one."""
    chosen: int

    @property
    def cost(self) -> float:
        """Win probability that was given away."""
        best = max(one.win_probability for one in self.choices)
        return best - self.choices[self.chosen].win_probability


@dataclass(frozen=True, slots=True)
class SeatLessons:
    """How a seat played a game."""

    seat: int
    decisions: int
    """Without those that were forced."""
    loss: float
    """Win probability that they gave away."""
    without_luck: float | None
    """The luck-adjusted result; None for a game without one."""
    spots: Mapping[Spot, tuple[int, float]]
    """Decisions and loss by spot, of those of two players."""
    lessons: tuple[Lesson, ...]
    """The worst first, as many as a review names."""


def lessons_of(found: Review, strategy: Callable[[], Strategy]) -> tuple[SeatLessons, ...]:
    """What a game teaches, by seat; its chances have to be exact.

    strategy : gives that of two players under its rules

    Raises StrategyFileError.
    """
    return tuple(_of_seat(found, player, strategy) for player in found.players)


def _of_seat(found: Review, player: PlayerReview, strategy: Callable[[], Strategy]) -> SeatLessons:
    spots: dict[Spot, tuple[int, float]] = {}
    lessons: list[Lesson] = []
    for moment in found.moments:
        judged = moment.judgement
        if moment.seat != player.seat or judged is None or judged.forced or found.kits:
            continue
        position = judged.position
        if len(position.players) > 2:
            continue
        spot = spot_of(found.rules, position)
        number, loss = spots.get(spot, (0, 0.0))
        spots[spot] = number + 1, loss + judged.loss
        if judged.roll and judged.loss >= CLEAR:
            lesson = _lesson(strategy(), found.rules, moment.turn, position, judged)
            lessons += [lesson] if lesson else []
    lessons.sort(key=lambda one: -one.cost)
    return SeatLessons(
        player.seat,
        player.decisions,
        player.total_loss,
        player.luck_adjusted_result,
        spots,
        tuple(lessons[:NUMBER_OF_WORST]),
    )


def _lesson(
    strategy: Strategy, rules: Ruleset, turn: int, position: Position, judged: Judgement
) -> Lesson | None:
    """A decision to practise on, None where it cannot be written by its ID."""
    done = judged.chosen
    text = position_id(rules, position, judged.roll)
    if text is None:
        return None
    choices = all_choices(rules, strategy.turn(position), position, judged.roll)
    is_bank = done.action is not Decision.ROLL
    chosen = next(one for one in choices if (one.set_aside, one.bank) == (done.set_aside, is_bank))
    shown = fewer_choices(choices, chosen)
    return Lesson(turn, text, shown, shown.index(chosen))
