"""What a finished game teaches its players: how they played it, and decisions to practise on."""

from typing import Any

from bot.review.kept_questions import kept
from bot.review.moments import Judgement, Moment
from bot.review.review import NUMBER_OF_WORST, PlayerReview, Review
from bot.store.rows import SeatReview
from solver.play.daily import CLEAR, Choice, Question, in_order
from solver.play.drills import fewer_choices, spot_of
from solver.turn.equations import Decision


def lessons_of(found: Review) -> list[SeatReview]:
    """What is kept of every seat of a game whose chances are exact."""
    return [_of_seat(found, player) for player in found.players]


def _of_seat(found: Review, player: PlayerReview) -> SeatReview:
    spots: dict[str, tuple[int, float]] = {}
    lessons: list[tuple[Moment, Judgement]] = []
    for moment in found.moments:
        judged = moment.judgement
        if moment.seat != player.seat or judged is None or judged.forced:
            continue
        thrown = judged.kits[judged.position.mover].dice.dice_set if judged.kits else None
        spot = spot_of(found.rules, judged.position, thrown).value
        number, loss = spots.get(spot, (0, 0.0))
        spots[spot] = number + 1, loss + judged.loss
        # a decision that costs less is a matter of taste
        if judged.roll and judged.loss >= CLEAR and not _is_about_badge(judged):
            lessons.append((moment, judged))
    lessons.sort(key=lambda one: -one[1].loss)
    return SeatReview(
        player.seat,
        player.decisions,
        player.total_loss,
        player.luck_adjusted_result,
        spots,
        [_lesson(found, *one) for one in lessons[:NUMBER_OF_WORST]],
    )


def _is_about_badge(judged: Judgement) -> bool:
    """Whether a badge may be used, so that there is more to choose than what to keep."""
    return any(one.use or one.takes_farkle for one in judged.choices)


def _lesson(found: Review, moment: Moment, judged: Judgement) -> dict[str, Any]:
    """A decision to practise on; of many choices only with the best ones, and the chosen one."""
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
    return {"turn": moment.turn, **kept(question), "chosen": shown.index(chosen)}
