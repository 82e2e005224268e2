"""The review of a game as plain text, aligned for a fixed-width font, and as data."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from bot.moments import Choice, Judgement, Moment
from bot.review import PlayerReview, Review
from bot.views.text import columns, dice_count, dice_text, farkle_count, percent, wrap
from solver.position import in_play_off, points_to_beat
from solver.rules import Ruleset
from solver.turn import Decision

_LONGEST_NAME = 24
_WORTH_NAMING = 0.0005
"""Least loss of a decision that is explained."""


def review_text(review: Review, names: Sequence[str]) -> str:
    """How the game went, how well both played it, and the decisions that cost most."""
    return "\n\n".join(review_pages(review, names))


def review_pages(review: Review, names: Sequence[str]) -> list[str]:
    """The same in pages: the game, both players, the luck, the worst decisions."""
    parts = [_head(review, names), "\n".join(_table(review, names))]
    if luckless := _without_luck(review, names):
        parts.append(luckless)
    parts.append(_worst(review, names))
    return parts


def review_data(review: Review, names: Sequence[str]) -> dict[str, Any]:
    """A review with its own field names; probabilities are not rounded."""
    data = asdict(review)
    moments = [
        given if one.judgement is None else given | {"judgement": _judgement_data(one.judgement)}
        for one, given in zip(review.moments, data["moments"], strict=True)
    ]
    index = {id(moment): k for k, moment in enumerate(review.moments)}
    players = [
        # these decisions stand among the moments already
        given | {"name": name, "worst": [index[id(moment)] for moment in player.worst]}
        for player, given, name in zip(review.players, data["players"], names, strict=True)
    ]
    return data | {"rules": review.rules.name, "moments": moments, "players": players}


def _judgement_data(judgement: Judgement) -> dict[str, Any]:
    return asdict(judgement) | {"loss": judgement.loss}


def _head(review: Review, names: Sequence[str]) -> str:
    scores = ", ".join(f"{name} {p.score:,}" for name, p in zip(names, review.players, strict=True))
    odds = _odds(review.start, names)
    return wrap(
        f"{review.rules.name} rules, {scores}: {_result(review, names)}\n"
        f"At the start the odds were {odds}."
    )


def _result(review: Review, names: Sequence[str]) -> str:
    if review.result is not None:
        if max(review.result) < 1:
            return "a tie, half a win for each."
        winner = review.result.index(max(review.result))
        loser = review.players[1 - winner]
        end = f", as {names[loser.seat]} resigned" if _resigned(review, loser.seat) else ""
        return f"{names[winner]} won{end}."
    if review.now is not None:
        return f"not over yet, {_odds(review.now, names)}."
    return "ended without a result."


def _resigned(review: Review, seat: int) -> bool:
    last = review.moments[-1] if review.moments else None
    return last is not None and last.kind == "resigned" and last.seat == seat


def _odds(shares: tuple[float, float], names: Sequence[str]) -> str:
    return f"{percent(shares[0])} for {names[0]} to {percent(shares[1])} for {names[1]}"


def _table(review: Review, names: Sequence[str]) -> list[str]:
    both = review.players
    rows: list[tuple[str, str, str]] = [
        ("", _short(names[0]), _short(names[1])),
        ("accuracy", *_both(both, _accuracy)),
        ("level of play", *_both(both, lambda player: player.band or "-")),
        ("decisions", *_both(both, lambda player: str(player.decisions))),
        ("inaccuracies", *_both(both, lambda player: str(player.inaccuracies))),
        ("mistakes", *_both(both, lambda player: str(player.mistakes))),
        ("blunders", *_both(both, lambda player: str(player.blunders))),
        ("lost by decisions, %", *_both(both, lambda player: _points(-player.total_loss))),
        ("luck, %", *_both(both, lambda player: _points(player.luck))),
    ]
    if any(player.told for player in both):
        rows.append(("turns told by score, %", *_both(both, lambda player: _points(player.told))))
    if any(player.given_up for player in both):
        rows.append(("given up, %", *_both(both, lambda player: _points(player.given_up))))
    return columns(rows, right={1, 2})


def _both(players: Sequence[PlayerReview], cell: Callable[[PlayerReview], str]) -> tuple[str, str]:
    return cell(players[0]), cell(players[1])


def _accuracy(player: PlayerReview) -> str:
    if player.accuracy is None:
        return "-"
    # rounded down, so that only perfect play has 100
    return f"{int(player.accuracy * 10) / 10:.1f}"


def _points(change: float) -> str:
    """A change of win probability in percentage points."""
    return "0.00" if abs(change) < 0.00005 else f"{change * 100:+.2f}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _without_luck(review: Review, names: Sequence[str]) -> str:
    adjusted = [player.luck_adjusted_result for player in review.players]
    if adjusted[0] is None or adjusted[1] is None:
        return ""
    shares = min(1.0, max(0.0, adjusted[0])), min(1.0, max(0.0, adjusted[1]))
    text = f"With the luck of the dice taken out it would be {_odds(shares, names)}."
    winner = max((0, 1), key=lambda seat: review.players[seat].result or 0.0)
    if review.result is not None and max(review.result) == 1 and shares[winner] < 0.5:
        text += f" The dice decided for {names[winner]}."
    return wrap(text)


def _worst(review: Review, names: Sequence[str]) -> str:
    found = [
        (moment, moment.judgement)
        for moment in review.worst
        if moment.judgement is not None and moment.judgement.loss >= _WORTH_NAMING
    ]
    if not found:
        return "No decision cost as much as 0.05 percentage points."
    lines = ["What cost most, in percentage points of the win probability:"]
    for number, (moment, judgement) in enumerate(found, 1):
        told = _explained(review.rules, moment, judgement, names[moment.seat])
        lines.append(wrap(f"{number}. {told}"))
    return "\n".join(lines)


def _explained(rules: Ruleset, moment: Moment, judgement: Judgement, name: str) -> str:
    """One decision in plain words."""
    chosen, best = judgement.chosen, judgement.best
    mark = f", {_article(judgement.mark)} {judgement.mark}" if judgement.mark else ""
    rolled = f" after {dice_text(judgement.roll)}" if judgement.roll else ""
    better = _to_do(best)
    if chosen.set_aside != best.set_aside:
        better = f"keep {dice_text(best.set_aside)} and {better}"
    return (
        f"{name}, turn {moment.turn}, {_where(rules, judgement)}:{rolled} {_did(chosen)}."
        f" Better: {better}. Cost {judgement.loss * 100:.2f}{mark}:"
        f" {percent(chosen.win_probability)} instead of {percent(best.win_probability)}."
    )


def _where(rules: Ruleset, judgement: Judgement) -> str:
    """The scores and what else mattered."""
    position = judgement.position
    beat = points_to_beat(rules, position)
    if in_play_off(rules, position):
        where = "play-off" if beat is None else f"play-off with {beat:,} to beat"
    else:
        where = f"{position.banked:,} to {position.opponent:,}"
        if beat is not None:
            where += f", final turn with {beat:,} to beat"
    if position.turn_total:
        where += f", turn total {position.turn_total:,}"
    if position.farkles:
        where += f", {farkle_count(position.farkles)} in a row"
    return where


def _did(choice: Choice) -> str:
    kept = f"kept {dice_text(choice.set_aside)} and " if choice.set_aside else ""
    return kept + _done(choice)


def _done(choice: Choice) -> str:
    if choice.action is Decision.BANK:
        return f"banked {choice.turn_total:,}"
    return f"rolled {dice_count(choice.dice_left)} at {choice.turn_total:,} ({_risk(choice)})"


def _to_do(choice: Choice) -> str:
    if choice.action is Decision.BANK:
        return f"bank {choice.turn_total:,}"
    return f"roll {dice_count(choice.dice_left)} at {choice.turn_total:,} ({_risk(choice)})"


def _risk(choice: Choice) -> str:
    return f"farkle chance {percent(choice.farkle_probability)}"


def _article(mark: str) -> str:
    return "an" if mark.startswith("i") else "a"
