"""What a finished game teaches its players: how they played it, and decisions to practise on."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.review.moments import Judgement
from bot.review.review import NUMBER_OF_WORST, PlayerReview, Review
from solver.play.daily import CLEAR, Choice, Question, in_order
from solver.play.drills import Spot, fewer_choices, spot_of
from solver.turn.equations import Decision


@dataclass(frozen=True, slots=True)
class Lesson:
    """A decision that cost so much that the best choice is no matter of taste."""

    turn: int
    """Number of the turn of its seat, from 1."""
    question: Question
    """Of many choices only with the best ones, and the chosen one."""
    chosen: int

    @property
    def cost(self) -> float:
        """Win probability that was given away."""
        return self.question.cost(self.chosen)


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
    """Decisions and loss by spot."""
    lessons: tuple[Lesson, ...]
    """The worst first, as many as a review names."""


def lessons_of(found: Review) -> tuple[SeatLessons, ...]:
    """What a game teaches, by seat; its chances have to be exact."""
    return tuple(_of_seat(found, player) for player in found.players)


def _of_seat(found: Review, player: PlayerReview) -> SeatLessons:
    spots: dict[Spot, tuple[int, float]] = {}
    lessons: list[Lesson] = []
    for moment in found.moments:
        judged = moment.judgement
        if moment.seat != player.seat or judged is None or judged.forced:
            continue
        thrown = judged.kits[judged.position.mover].dice.dice_set if judged.kits else None
        spot = spot_of(found.rules, judged.position, thrown)
        number, loss = spots.get(spot, (0, 0.0))
        spots[spot] = number + 1, loss + judged.loss
        if judged.roll and judged.loss >= CLEAR and not _is_about_badge(judged):
            lessons.append(_lesson(found, moment.turn, judged))
    lessons.sort(key=lambda one: -one.cost)
    return SeatLessons(
        player.seat,
        player.decisions,
        player.total_loss,
        player.luck_adjusted_result,
        spots,
        tuple(lessons[:NUMBER_OF_WORST]),
    )


def _is_about_badge(judged: Judgement) -> bool:
    """Whether a badge may be used, so that there is more to choose than what to keep."""
    return any(one.use or one.takes_farkle for one in judged.choices)


def _lesson(found: Review, turn: int, judged: Judgement) -> Lesson:
    """A decision to practise on."""
    before = judged.position.turn_total
    choices = {
        one: Choice(
            one.set_aside,
            one.turn_total - before,
            one.action is not Decision.ROLL,
            one.turn_total,
            one.dice_left,
            one.win_probability,
        )
        for one in judged.choices
    }
    chosen = choices[judged.chosen]
    shown = fewer_choices(in_order(choices.values()), chosen)
    asked = found.rules, judged.position, judged.roll, shown, None
    question = Question(*asked, judged.kits, found.joker_alone)
    return Lesson(turn, question, shown.index(chosen))
