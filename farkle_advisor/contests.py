"""Questions on rules as a whole: ways to play against each other, and a turn for most points."""

from os import PathLike

from bot.features.duels.service import duel_of
from bot.features.duels.view import duel_text
from bot.features.points.service import PointsQuestion, points_answer
from bot.features.points.view import points_text
from bot.views.progress import contest_progress
from farkle_advisor.answers import Duel, Points
from farkle_advisor.game import (
    advisor_of,
    check_known,
    is_shown,
    refused,
    settings_for,
    solve_first,
    whole,
)
from farkle_advisor.rules import Rules, load_rules
from solver.play.policies import Optimal


def duel(
    one: str,
    other: str,
    *,
    rules: Rules = "facebook",
    progress: bool = True,
    data: str | PathLike[str] | None = None,
) -> Duel:
    """Return how often one way to play wins against another one, exactly.

    one, other : optimal, max-points, greedy, cautious, memo, threshold:300 and so on, as
        `farkle duel --help` lists them
    rules : as `load_rules` takes them; they are solved first where one plays optimally
    progress, data : as in `solve`

    >>> round(duel("cautious", "threshold:300", rules="kcd", progress=False).overall, 3)
    0.348

    Raises InvalidRequestError for an unknown way to play, and what `solve` does.
    """
    found, settings, shown = load_rules(rules), settings_for(data), is_shown(progress=progress)
    names = str(one).lower(), str(other).lower()
    if Optimal.name in names:
        solve_first(settings, found, 2, shown=shown)
    with contest_progress(f"{one} against {other}", quietly=not shown) as told:
        answer = duel_of(advisor_of(settings), settings.kernels, found, *names, told)
    return Duel(answer.one, answer.other, answer.as_first, answer.as_second, text=duel_text(answer))


def points(
    rules: Rules = "facebook",
    *,
    farkle_cost: float = 0.0,
    on_board: bool = True,
    score: int | None = None,
    hot_dice: int = 0,
) -> Points:
    """Return what a turn for the most points brings, and when to bank in it; nothing is solved.

    rules : as `load_rules` takes them
    farkle_cost : points that a farkle costs on top of the turn total
    on_board : whether the opening minimum is behind the player
    score : your score, where a roll that loses everything takes it
    hot_dice : hot dice so far, where their bonus changes

    >>> turn = points("zilch")
    >>> round(turn.points, 2), turn.bank_from[1]
    (623.02, 350)

    Raises InvalidRequestError and InvalidPositionError for what cannot be asked, and
    InvalidRulesError where the points of a turn have no limit.
    """
    try:
        cost = float(farkle_cost)
    except (TypeError, ValueError, OverflowError):
        raise refused("farkle_cost", "points", farkle_cost) from None
    check_known("on_board", on_board)
    mine = None if score is None else whole("score", score)
    question = PointsQuestion(cost, bool(on_board), mine, whole("hot_dice", hot_dice))
    answer = points_answer(load_rules(rules), question)
    return Points(
        points=answer.points,
        farkle_probability=answer.farkle_probability,
        bank_from={one.dice: one.turn_total for one in answer.bank_from},
        text=points_text(answer),
    )
