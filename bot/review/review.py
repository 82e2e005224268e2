"""The review of a game: how well each player played it, and how lucky it was."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import exp, fsum
from typing import Any

from pydantic import TypeAdapter

from bot.review.moments import Judgement, Kind, Mark, Moment, Reader, TurnChange, read_events
from bot.review.worth import Shares, Worth
from bot.store.rows import SeatReview
from bot.table.events import Begun, Event, TurnEnding
from solver.loaded.kits import Kit, kit_of
from solver.play.advice import read_id
from solver.play.daily import CLEAR, Choice, Question, in_order
from solver.play.drills import fewer_choices, spot_of
from solver.rules.file import make_rules
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.wording import say_later

_KEY = 20
"""Characters of what a decision without an ID is kept by."""


def kept(question: Question) -> dict[str, Any]:
    """A decision as it is kept: by its ID or, where it has none, in full; and its choices."""
    data: dict[str, Any] = {"choices": list(map(asdict, question.choices))}
    if text := question.id:
        return {"position": text, "whole": None, **data}
    left_out = {"rules", "choices"}
    whole = _questions().dump_python(question, mode="json", exclude=left_out)
    plain = json.dumps([question.rules.digest, whole], sort_keys=True)
    text = hashlib.sha256(plain.encode()).hexdigest()[:_KEY].upper()
    return {"position": text, "whole": whole, **data}


def read_kept(rules_data: dict[str, Any], kept: Mapping[str, Any], called: str) -> Question:
    """A decision that was kept, under the rules that it is of.

    called : the name of the rules in the sentence of an error

    Raises FarkleError if this program cannot read the decision or its rules.
    """
    rules = make_rules(rules_data, called)
    choices = tuple(
        Choice(**{**choice, "set_aside": tuple(choice["set_aside"])}) for choice in kept["choices"]
    )
    if whole := kept.get("whole"):
        return _questions().validate_python({**whole, "rules": rules, "choices": choices})
    position, roll = read_id(kept["position"]).position(rules)
    return Question(rules, position, roll or (), choices)


@cache
def _questions() -> TypeAdapter[Question]:
    return TypeAdapter(Question)


BANDS: tuple[tuple[float, str], ...] = (
    (1e-6, say_later("perfect")),
    (0.001, say_later("expert")),
    (0.0025, say_later("strong")),
    (0.005, say_later("club")),
    (0.012, say_later("casual")),
    (1.0, say_later("beginner")),
)
"""The most win probability that a decision may cost on average, to be called so.

Measured in eight games each under Facebook, classic, KCD and Arnold's rules: players who see each
value with a normal error of 0.5, 1, 2 and 5 percentage points lose about 0.001, 0.0025, 0.005 and
0.01; who always keeps the most points and banks from 300 on, 0.009 to 0.023; who chooses blindly,
0.02 to 0.055."""

NUMBER_OF_WORST = 3


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """One player's game."""

    seat: int
    score: int
    result: float | None
    """Share of the win, None for a game without a result."""
    decisions: int
    """The number of decisions that were not forced."""
    forced: int
    inaccuracies: int
    mistakes: int
    blunders: int
    total_loss: float
    """Win probability that decisions gave away."""
    mean_loss: float
    """Per decision; 0 if there was none."""
    accuracy: float | None
    """0 to 100, see `accuracy`; None if there was no decision."""
    band: str | None
    """See BANDS; None if there was no decision."""
    luck: float
    """Sum over the rolls of this player."""
    told: float
    """What turns of which only the score is known changed."""
    given_up: float
    """What resigning and skipped turns changed."""
    others_luck: float
    """What the rolls of the others changed for this player."""
    others_choices: float
    """What their decisions did."""
    rest: float
    """What everything else did; with it all of these and `-total_loss` add up to `now - start`."""
    others_told: float
    """The part of `rest` that turns of others did of which only the score is known."""
    others_given_up: float
    """The part of `rest` that resigning and skipped turns of others did."""
    luck_adjusted_result: float | None
    """The result without the luck of all players, see `review`; it may lie outside 0 to 1.

    None for a game without a result, and where the luck of a turn is not known."""
    worst: tuple[Moment, ...]
    """The decisions that cost most, the worst first; none that cost nothing."""


@dataclass(frozen=True, slots=True)
class Review:
    """A game, looked back on."""

    rules: Ruleset
    start: Shares
    """Win probabilities at the start, by seat."""
    now: Shares | None
    """Win probabilities at the end of the events; None for a game ended without a result."""
    result: Shares | None
    """Shares of the win; None for a game without a result."""
    within: float | None
    """What 95 in 100 win probabilities are off by at most; None where they are exact."""
    moments: tuple[Moment, ...]
    turns: tuple[TurnChange, ...]
    """What each finished turn changed."""
    players: tuple[PlayerReview, ...]
    kits: tuple[Kit, ...] = ()
    """What all brought; none where they threw the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these scored without a die that is none."""

    @property
    def is_told(self) -> bool:
        """Whether there were turns of which only the score is known."""
        return any(moment.kind is Kind.TURN for moment in self.moments)

    @property
    def swings(self) -> tuple[TurnChange, ...]:
        """The turns that changed most for who had them, the biggest change first."""
        played = [turn for turn in self.turns if turn.how is not TurnEnding.RESIGNED]
        return tuple(sorted(played, key=lambda turn: -abs(turn.gain))[:NUMBER_OF_WORST])

    @property
    def worst(self) -> tuple[Moment, ...]:
        """The decisions of all that cost most."""
        return _worst([moment for player in self.players for moment in player.worst])


def accuracy(losses: Sequence[float]) -> float | None:
    """Mean accuracy of decisions that gave away so much win probability, 0 to 100; None of none.

    That of one decision is 103.1668 exp(-0.04354 d) - 3.1668, and not below 0, for a loss of d
    percentage points: the curve of lichess.org (https://lichess.org/page/accuracy), moved by
    0.0001 so that it is 100 at d = 0.
    """
    if not losses:
        return None
    accuracies = [max(0.0, 103.1668 * exp(-4.354 * loss) - 3.1668) for loss in losses]
    return min(100.0, fsum(accuracies) / len(accuracies))


def review(worth: Worth, first: Begun, events: Sequence[Event]) -> Review:
    """Look back on a game; events that were taken back do not count.

    The luck-adjusted result of a player is the result less what all rolls changed for this player,
    the own ones and the others': what the result would be expected to be of these choices, as
    chance has no share in it. There is none where only the score of some turn was told, as its luck
    cannot be told from its choices. Luck is that of D. Zare, A Measure of Luck
    (https://bkgm.com/articles/Zare/AMeasureOfLuck.html), and GNU Backgammon has the luck-adjusted
    result under this name.

    Raises InvalidRequestError unless there are two players and more, and StrategyFileError.
    """
    reader = read_events(worth, first, events)
    game, now = reader.game, None
    if game.shares is not None or not game.over:
        now = worth.shares(game)
    result = None if game.shares is None else now
    return Review(
        rules=first.rules,
        start=reader.start,
        now=now,
        result=result,
        within=worth.within,
        moments=tuple(reader.moments),
        turns=tuple(reader.changes),
        players=tuple(_player(reader, seat, result) for seat in range(len(game.seats))),
        kits=game.kits,
        joker_alone=game.joker_alone,
    )


def _player(reader: Reader, seat: int, result: Shares | None) -> PlayerReview:
    own = [moment for moment in reader.moments if moment.seat == seat]
    others = [moment for moment in reader.moments if moment.seat != seat]

    def changed(moments: Sequence[Moment], *kinds: Kind) -> float:
        return fsum(moment.gain_of(seat) for moment in moments if moment.kind in kinds)

    luck, others_luck = fsum(reader.luck[seat]), changed(others, Kind.ROLL)
    noted, given_up = (Kind.TURN,), (Kind.RESIGNED, Kind.SKIPPED)
    rest = changed(own, Kind.ADJUSTMENT) + changed(others, Kind.ADJUSTMENT, *noted, *given_up)
    judged = [moment.judgement for moment in own if moment.judgement is not None]
    counted = [judgement for judgement in judged if not judgement.forced]
    losses = reader.losses[seat]
    marks = [judgement.mark for judgement in counted]
    mean = fsum(losses) / len(losses) if losses else 0.0
    adjusted = None
    if result is not None and all(moment.kind is not Kind.TURN for moment in reader.moments):
        adjusted = result[seat] - luck - others_luck
    return PlayerReview(
        seat=seat,
        score=reader.game.seats[seat].score,
        result=None if result is None else result[seat],
        decisions=len(counted),
        forced=len(judged) - len(counted),
        inaccuracies=marks.count(Mark.INACCURACY),
        mistakes=marks.count(Mark.MISTAKE),
        blunders=marks.count(Mark.BLUNDER),
        total_loss=fsum(losses),
        mean_loss=mean,
        accuracy=accuracy(losses),
        band=band(mean) if losses else None,
        luck=luck,
        told=changed(own, *noted),
        given_up=changed(own, *given_up),
        others_luck=others_luck,
        others_choices=changed(others, Kind.DECISION),
        rest=rest,
        others_told=changed(others, *noted),
        others_given_up=changed(others, *given_up),
        luck_adjusted_result=adjusted,
        worst=_worst([moment for moment in own if moment.kind is Kind.DECISION]),
    )


def band(mean_loss: float) -> str:
    """How well somebody plays whose decisions cost so much on average, in a word."""
    return next((word for most, word in BANDS if mean_loss <= most), BANDS[-1][1])


def _worst(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The decisions that cost most, the worst first."""
    costly = [moment for moment in moments if moment.gain < 0]
    return tuple(sorted(costly, key=lambda moment: moment.gain)[:NUMBER_OF_WORST])


def lessons_of(review: Review) -> list[SeatReview]:
    """What is kept of every seat of a game whose chances are exact."""
    return [_of_seat(review, player) for player in review.players]


def _of_seat(review: Review, player: PlayerReview) -> SeatReview:
    spots: dict[str, tuple[int, float]] = {}
    lessons: list[tuple[Moment, Judgement]] = []
    for moment in review.moments:
        judged = moment.judgement
        if moment.seat != player.seat or judged is None or judged.forced:
            continue
        thrown = kit_of(judged.kits, judged.position.mover, review.rules).dice.dice_set
        spot = spot_of(review.rules, judged.position, thrown).value
        number, loss = spots.get(spot, (0, 0.0))
        spots[spot] = number + 1, loss + judged.loss
        # where a badge may be used there is more to choose than what to keep
        is_about_badge = any(choice.use or choice.takes_farkle for choice in judged.choices)
        # a decision that costs less is a matter of taste
        if judged.roll and judged.loss >= CLEAR and not is_about_badge:
            lessons.append((moment, judged))
    lessons.sort(key=lambda lesson: -lesson[1].loss)
    return SeatReview(
        player.seat,
        player.decisions,
        player.total_loss,
        player.luck_adjusted_result,
        spots,
        [_lesson(review, *lesson) for lesson in lessons[:NUMBER_OF_WORST]],
    )


def _lesson(review: Review, moment: Moment, judged: Judgement) -> dict[str, Any]:
    """A decision to practise on; of many choices only with the best ones, and the chosen one."""
    before = judged.position.turn_total
    choices = {
        choice: Choice(
            choice.set_aside,
            choice.turn_total - before,
            choice.action is not Decision.ROLL,
            choice.turn_total,
            choice.dice_left,
            choice.win_probability,
        )
        for choice in judged.choices
    }
    chosen = choices[judged.chosen]
    shown = fewer_choices(in_order(choices.values()), chosen)
    asked = review.rules, judged.position, judged.roll, shown, None
    question = Question(*asked, judged.kits, review.joker_alone)
    return {"turn": moment.turn, **kept(question), "chosen": shown.index(chosen)}
