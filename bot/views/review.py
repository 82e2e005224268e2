"""The review of a game as plain text, aligned for a fixed-width font, and as data."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from bot.layout import (
    MOST_IN_MESSAGE,
    PHONE,
    columns,
    cost_in_words,
    dice_count,
    escape_markdown,
    inside,
    percent,
    plain_markdown,
    room,
    shorten,
    wrap,
)
from bot.review.moments import Alternative, Judgement, Kind, Mark, Moment, TurnChange
from bot.review.review import NUMBER_OF_WORST, PlayerReview, Review
from bot.review.worth import Shares
from bot.table.events import TurnEnding
from bot.views.advice import farkles_in_a_row, position_scores_text, to_beat_text, turn_total_text
from bot.views.card import Card
from bot.views.dice_picture import kept_picture
from bot.views.named_dice import USES, turned_to
from solver.game.position import in_play_off, points_to_beat
from solver.loaded.kits import Kit, kit_of
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.turn.powers import PowerKind
from solver.wording import and_text, figure, say, say_later, say_number

_LONGEST_NAME, _SHORT_NAME = 24, 6
"""The most letters of a name in a table, and in one of more than two players on a phone."""
_LEAST_CHANGE = 0.00005
"""The least change of a win probability that is not shown as 0."""
_LEAST_LOSS = 0.0005
"""The least loss of a decision that is explained."""
_WITH_POINTS = 4
"""The most players for whom the table of turns has room for points beside changes."""
_CAME_TO = {
    TurnEnding.FARKLE: say_later("farkle"),
    TurnEnding.LOSE: say_later("all lost"),
    TurnEnding.WIN: say_later("wins at once"),
    TurnEnding.OUT: say_later("loses the game"),
    TurnEnding.SKIP: say_later("passed"),
}
_COSTS = {
    None: say_later("Cost {points}: {chance} instead of {best}."),
    Mark.INACCURACY: say_later("Cost {points}, an inaccuracy: {chance} instead of {best}."),
    Mark.MISTAKE: say_later("Cost {points}, a mistake: {chance} instead of {best}."),
    Mark.BLUNDER: say_later("Cost {points}, a blunder: {chance} instead of {best}."),
}
_OF_OTHERS: dict[str, Callable[[PlayerReview], float]] = {
    say_later("luck of others, %"): attrgetter("others_luck"),
    say_later("choices of others, %"): attrgetter("others_choices"),
    say_later("turns of others, %"): attrgetter("others_told"),
    say_later("given up by others, %"): attrgetter("others_given_up"),
    say_later("everything else, %"): lambda player: (
        player.rest - player.others_told - player.others_given_up
    ),
}


def review_text(review: Review, names: Sequence[str]) -> str:
    """The whole review: the course of the game, how well all played, and the costliest decisions.

    Of these it names as many as fit into a message, and at least one.
    """
    for most in range(NUMBER_OF_WORST, 0, -1):
        text = "\n\n".join(_parts(review, names, most))
        if len(text) <= MOST_IN_MESSAGE:
            break
    return text


_MOST_IN_LINE = 4
"""The most players that one line of accuracies and luck names."""


def review_cards(review: Review, names: Sequence[str]) -> list[Card]:
    """A review as messages: the game, its turns if they were noted, and the costliest decisions."""
    parts = [_head(review, names), _without_luck(review, names), *_table(review, names)]
    costly = _costly(review, NUMBER_OF_WORST)
    if not costly:
        parts.append(_worst(review, names, 0))
    pages = ["\n".join(filter(None, parts))]
    if review.is_told:
        pages += [_turns(review, names), _swings(review, names)]
    cards = [Card(plain_markdown(page)) for page in pages]
    for number, (moment, judgement) in enumerate(costly, 1):
        head = say("Costly decision {number} of {all}", number=number, all=len(costly))
        cards.append(_costly_card(review, moment, judgement, names, head))
    return cards


def _costly_card(
    review: Review, moment: Moment, judgement: Judgement, names: Sequence[str], head: str
) -> Card:
    """The message of a costly decision, with a picture of its roll and of the best dice to keep."""
    did, better, cost = map(escape_markdown, _explained(review, moment, judgement, names))
    text = f"**{escape_markdown(head)}**\n{did}\n**{better}**\n{cost}"
    if not judgement.roll:
        return Card(text)
    kit, best = _kit(review, moment), judgement.best
    return Card(text, (kept_picture(kit, judgement.roll, best.set_aside),))


def _parts(review: Review, names: Sequence[str], most: int) -> list[str]:
    """The paragraphs of a review; the last one names the `most` costliest decisions."""
    parts = [_head(review, names), "\n".join(_table(review, names))]
    if luckless := _without_luck(review, names):
        parts.append(luckless)
    if review.is_told:
        parts += [_turns(review, names), _swings(review, names)]
    if any(player.decisions for player in review.players) or not review.is_told:
        parts.append(_worst(review, names, most))
    return parts


def review_data(review: Review, names: Sequence[str]) -> dict[str, Any]:
    """A review as plain data, by the names of its fields; probabilities are not rounded."""
    data = asdict(review) | {"rules": review.rules.name}
    for moment, fields in zip(review.moments, data["moments"], strict=True):
        if len(moment.before) == 2:  # as the first of them sees it
            fields.update(before=moment.before[0], after=moment.after[0])
        if moment.judgement:
            fields["judgement"] = _judgement_data(review, moment, moment.judgement)
    index = {id(moment): k for k, moment in enumerate(review.moments)}
    for player, fields, name in zip(review.players, data["players"], names, strict=True):
        # these decisions stand among the moments already
        fields.update(name=name, worst=[index[id(moment)] for moment in player.worst])
    del data["kits"], data["joker_alone"]
    return data


def _judgement_data(review: Review, moment: Moment, judgement: Judgement) -> dict[str, Any]:
    """The judgement of a decision as plain data; loaded dice are written as they are typed."""
    data = asdict(judgement) | {"options": judgement.options, "loss": judgement.loss}
    del data["choices"], data["kits"]
    kit = _kit(review, moment)
    if not (kit.badge and kit.badge.power):
        del data["chosen"]["use"], data["best"]["use"]
    data["roll"] = kit.data(_roll_text(kit, judgement), judgement.roll)
    if review.kits:
        data["position"]["dice"] = kit.dice.left(judgement.position.dice).text
    for name, choice in (("chosen", judgement.chosen), ("best", judgement.best)):
        kept, left = choice.set_aside, choice.dice_left
        data[name]["set_aside"] = kit.data(kit.set_aside_text(judgement.roll, kept), kept)
        data[name]["dice_left"] = kit.data(kit.dice.left(left).text, left)
    return data


def _head(review: Review, names: Sequence[str]) -> str:
    all_players = zip(names, review.players, strict=True)
    sentences = [
        say_later("{rules} rules, {scores}: {result}"),
        say_later("At the start the chances were {odds}."),
    ]
    if review.within is not None:
        estimated = say_later(
            "These chances are estimates, as {rules} rules are not solved for {players}"
            " players: 95 of 100 are at most {points:.1f} percentage points off, so a decision"
            " that cost less may have been right."
        )
        sentences.append(estimated)
    parts = {
        "rules": review.rules.name,
        "scores": ", ".join(f"{name} {figure(player.score)}" for name, player in all_players),
        "result": _result(review, names),
        "odds": _odds(review.start, names, review.within),
        "points": (review.within or 0.0) * 100,
        "players": len(names),
    }
    return wrap("\n".join(say(sentence, **parts) for sentence in sentences))


def _result(review: Review, names: Sequence[str]) -> str:
    if review.result is not None:
        winners = [k for k, share in enumerate(review.result) if share > 0]
        if len(winners) > 1 and len(names) == 2:
            return say("a tie, half a win for each.")
        if len(winners) > 1:
            return say("{names} shared the win.", names=and_text([names[k] for k in winners]))
        last = review.moments[-1] if review.moments else None
        if last is not None and last.kind == "resigned" and last.seat not in winners:
            loser = names[last.seat]
            return say("{winner} won, as {loser} resigned.", winner=names[winners[0]], loser=loser)
        return say("{winner} won.", winner=names[winners[0]])
    if review.now is not None:
        return say("not over yet, {odds}.", odds=_odds(review.now, names, review.within))
    return say("ended without a result.")


def _odds(shares: Shares, names: Sequence[str], within: float | None) -> str:
    if len(names) > 2:
        return ", ".join(
            say("{chance} for {name}", chance=percent(share, within), name=name)
            for name, share in zip(names, shares, strict=True)
        )
    both = say_later("{chance} for {name} to {other_chance} for {other_name}")
    chance, other = (percent(share, within) for share in shares)
    return say(both, chance=chance, name=names[0], other_chance=other, other_name=names[1])


def _table(review: Review, names: Sequence[str]) -> list[str]:
    points = partial(_points, within=review.within)
    rows: list[tuple[str, ...]] = []

    def tell(label: str, cell: Callable[[PlayerReview], str]) -> None:
        rows.append((label, *map(cell, review.players)))

    if any(player.decisions for player in review.players):
        tell(say("accuracy"), _accuracy)
        tell(say("level of play"), lambda player: say(player.band) if player.band else "-")
        tell(say("decisions"), lambda player: str(player.decisions))
        tell(say("inaccuracies"), lambda player: str(player.inaccuracies))
        tell(say("mistakes"), lambda player: str(player.mistakes))
        tell(say("blunders"), lambda player: str(player.blunders))
        tell(say("lost by decisions, %"), lambda player: points(-player.total_loss))
    if any(moment.kind is Kind.ROLL for moment in review.moments):
        tell(say("luck, %"), lambda player: points(player.luck))
    if review.is_told:
        tell(say("turns without rolls, %"), lambda player: points(player.told))
    if any(player.given_up for player in review.players):
        tell(say("given up, %"), lambda player: points(player.given_up))
    if len(names) > 2:
        rows += [(label, *map(points, changes)) for label, changes in _of_others(review)]
    narrow = room() <= PHONE and len(names) > 2
    if narrow and len(names) > _WITH_POINTS:
        return [
            f"{name}: {', '.join(f'{row[0]} {row[seat]}' for row in rows)}"
            for seat, name in enumerate(names, 1)
        ]
    # words are wider than figures
    cells = [row for row in rows if not (narrow and row[0] == say("level of play"))]
    head = [shorten(name, _SHORT_NAME) if narrow else _short(name) for name in names]
    return columns([("", *head), *cells], right=set(range(1, len(names) + 1)))


def _of_others(review: Review) -> Iterator[tuple[str, list[float]]]:
    """What others changed for each player where more than two play, and everything together."""
    for label, change in _OF_OTHERS.items():
        changes = list(map(change, review.players))
        if max(map(abs, changes)) >= _LEAST_CHANGE:
            yield say(label), changes
    if (now := review.now) is not None:
        ends = zip(review.start, now, strict=True)
        yield say("start to end, %"), [last - first for first, last in ends]


def _turns(review: Review, names: Sequence[str]) -> str:
    """A table with the result and the change of win probability of each turn, a column a player."""
    cells: dict[tuple[int, int], str] = {}
    for turn in review.turns:
        if turn.how is not TurnEnding.RESIGNED:
            change = _points(turn.gain, review.within)
            few = len(names) <= _WITH_POINTS
            cells[turn.turn, turn.seat] = f"{_turn_result(turn)} ({change})" if few else change
    last = max((number for number, _ in cells), default=0)
    rows = [["", *map(_short, names)]] + [
        [str(number), *(cells.get((number, seat), "-") for seat in range(len(names)))]
        for number in range(1, last + 1)
    ]
    undecided = say(
        "For turns told without rolls, nobody can say how much was luck and how much was choice."
    )
    head = say("How much each turn changed the chance to win, in percentage points:")
    table = columns(rows, right=range(len(rows[0])))
    return "\n".join([wrap(undecided), "", wrap(head), *table])


def _swings(review: Review, names: Sequence[str]) -> str:
    lines = [say("The turns that changed most:")]
    for number, turn in enumerate(review.swings, 1):
        line = say(
            "{name}, turn {turn}, {what}: from {before} to {after}.",
            name=names[turn.seat],
            turn=turn.turn,
            what=_turn_result(turn, say_later("{points:,} points")),
            before=percent(turn.after[turn.seat] - turn.gain, review.within),
            after=percent(turn.after[turn.seat], review.within),
        )
        lines.append(wrap(f"{number}. {line}"))
    return "\n".join(lines)


def _turn_result(turn: TurnChange, points: str = "{points:,}") -> str:
    """The points of a turn, by a sentence that may be given, or the way it ended without any."""
    if turn.points or turn.how not in _CAME_TO:
        return say(points, points=turn.points)
    return say(_CAME_TO[turn.how])


def _accuracy(player: PlayerReview) -> str:
    return "-" if player.accuracy is None else accuracy_text(player.accuracy)


def accuracy_text(accuracy: float) -> str:
    """An accuracy from 0 to 100, rounded down, so that only perfect play has 100."""
    return figure(int(accuracy * 10) / 10, ".1f")


def _points(change: float, within: float | None) -> str:
    """A change of win probability in percentage points, with as many decimals as `percent`."""
    form, least = (".2f", _LEAST_CHANGE) if within is None else (".1f", 10 * _LEAST_CHANGE)
    return figure(0, form) if abs(change) < least else figure(change * 100, f"+{form}")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def luck_text(review: Review, names: Sequence[str]) -> str:
    """One line with the accuracy and the luck of all players; empty if there were no decisions."""
    played = [player for player in review.players if player.decisions][:_MOST_IN_LINE]
    if not played or review.is_told:
        return ""
    accuracy, luck = (
        " · ".join(f"{names[player.seat]} {cell(player)}" for player in played)
        for cell in (_accuracy, lambda player: f"{_points(player.luck, review.within)} %")
    )
    return say("Accuracy: {accuracy}. Luck: {luck}.", accuracy=accuracy, luck=luck)


def _without_luck(review: Review, names: Sequence[str]) -> str:
    adjusted = [player.luck_adjusted_result for player in review.players]
    possible = [min(1.0, max(0.0, result)) for result in adjusted if result is not None]
    if len(possible) < len(names):
        return ""
    shares = tuple(share / sum(possible) for share in possible)
    odds = _odds(shares, names, review.within)
    text = say("Without the luck of the dice it would have been {odds}.", odds=odds)
    winner = max(range(len(names)), key=lambda seat: review.players[seat].result or 0.0)
    if review.result is not None and max(review.result) == 1 and shares[winner] < max(shares):
        decided = say("The dice decided for {name}.", name=names[winner])
        text += f" {decided}"
    return wrap(text)


def _worst(review: Review, names: Sequence[str], most: int) -> str:
    costly = _costly(review, most)
    if not any(player.decisions for player in review.players):
        return say("There was no decision to review.")
    if not costly:
        least = cost_in_words(_LEAST_LOSS, review.within)
        return say("No decision cost {points} or more of the chance to win.", points=least)
    lines = [say("The decisions that cost the most chance to win:")]
    for number, (moment, judgement) in enumerate(costly, 1):
        explanation = " ".join(_explained(review, moment, judgement, names))
        lines.append(wrap(f"{number}. {explanation}"))
    return "\n".join(lines)


def _costly(review: Review, most: int) -> list[tuple[Moment, Judgement]]:
    """The `most` costliest decisions, or fewer, without those that cost next to nothing."""
    return [
        (moment, moment.judgement)
        for moment in review.worst[:most]
        if moment.judgement is not None and moment.judgement.loss >= _LEAST_LOSS
    ]


def _kit(review: Review, moment: Moment) -> Kit:
    """The dice and the badge of the player of a moment."""
    return kit_of(review.kits, moment.seat, review.rules)


def _explained(
    review: Review, moment: Moment, judgement: Judgement, names: Sequence[str]
) -> tuple[str, str, str]:
    """Three sentences: what the player did, what was better, and the win probability it cost."""
    kit = _kit(review, moment)
    chosen, best = judgement.chosen, judgement.best
    parts = {
        "name": names[moment.seat],
        "turn": moment.turn,
        "position": _where(review.rules, judgement),
        "roll": inside(_roll_text(kit, judgement)),
        "what": _in_words(kit, judgement, chosen, with_dice=bool(chosen.set_aside), done=True),
    }
    did = say("{name}, turn {turn}, {position}: {what}.", **parts)
    if judgement.roll and (chosen.use or chosen.takes_farkle):
        did = say("{name}, turn {turn}, {position}, rolled {roll}: {what}.", **parts)
    other_dice = best.set_aside != chosen.set_aside
    better = say("Better: {what}.", what=_in_words(kit, judgement, best, with_dice=other_dice))
    cost = say(
        _COSTS[judgement.mark],
        points=cost_in_words(judgement.loss, review.within),
        chance=percent(chosen.win_probability, review.within),
        best=percent(best.win_probability, review.within),
    )
    return did, better, cost


def _in_words(
    kit: Kit, judgement: Judgement, choice: Alternative, *, with_dice: bool, done: bool = False
) -> str:
    """A choice in words, such as "keep 1 5 and bank 150"; in the past tense if `done`."""
    if choice.use or choice.takes_farkle:
        return _badge_use(kit, judgement, choice)
    parts = {
        "roll": inside(_roll_text(kit, judgement)),
        "dice": inside(kit.set_aside_text(judgement.roll, choice.set_aside)),
        "points": choice.turn_total,
        "chance": percent(choice.farkle_probability),
    }
    left = sum(kit.dice.dice_set.remaining[choice.dice_left])
    if choice.action is Decision.TAKE_OVER or judgement.position.offered:
        return _at_the_start(choice, left, done=done)
    if choice.action is Decision.BANK:
        action = say("banked {points:,}", **parts) if done else say("bank {points:,}", **parts)
    else:
        rolls = say_later(
            "roll {number} [die|dice] at a turn total of {points:,} (farkle chance {chance})"
        )
        if done:
            rolls = say_later(
                "rolled on with {number} [die|dice] at a turn total of {points:,} (farkle chance"
                " {chance})"
            )
        action = say_number(rolls, left, **parts)
    if not with_dice:
        return action
    if done:
        return say("rolled {roll}, kept {dice} and {action}", action=action, **parts)
    return say("keep {dice} and {action}", action=action, **parts)


def _at_the_start(choice: Alternative, left: int, *, done: bool) -> str:
    """The choice before the first roll, in words: to take over a turn total, or to begin afresh."""
    if choice.action is Decision.ROLL:
        return say("began afresh") if done else say("begin afresh")
    sentence = say_later("take over {points:,} points and {dice} (farkle chance {chance})")
    if done:
        sentence = say_later("took over {points:,} points and {dice} (farkle chance {chance})")
    chance = percent(choice.farkle_probability)
    return say(sentence, points=choice.turn_total, dice=dice_count(left), chance=chance)


def _badge_use(kit: Kit, judgement: Judgement, choice: Alternative) -> str:
    """A choice about a badge in words: to use it, or to take the farkle instead."""
    if choice.use is None:
        return say("take the farkle")
    power = kit.badge.power if kit.badge else None
    dice = inside(kit.set_aside_text(judgement.roll, choice.set_aside))
    use = say(USES[choice.use], dice=dice, face=turned_to(power))
    if choice.use is PowerKind.WARLORD and choice.action is Decision.ROLL:
        use = say("say the badge before rolling")
    if choice.use is PowerKind.DOPPELGANGER:
        then = {
            Decision.ROLL: say_later("{what}, and roll at a turn total of {points:,}"),
            Decision.BANK: say_later("{what}, and bank {points:,}"),
        }[choice.action]
        return say(then, what=use, points=choice.turn_total)
    if choice.set_aside and choice.use in {PowerKind.WARLORD, PowerKind.MIGHT}:
        return say("keep {dice}, then {what}", dice=dice, what=use)
    return use


def _where(rules: Ruleset, judgement: Judgement) -> str:
    """The scores before a decision and what else it depended on, such as a turn to beat."""
    position = judgement.position
    if len(position.players) > 2:
        return position_scores_text(rules, position)
    beat, is_play_off = points_to_beat(rules, position), in_play_off(rules, position)
    scores = say("{score:,} to {other:,}", score=position.banked, other=position.opponent)
    where = [] if is_play_off else [scores]
    if beat is not None:
        where.append(to_beat_text(beat, play_off=is_play_off))
    elif is_play_off:
        where.append(say("play-off"))
    if position.turn_total:
        where.append(turn_total_text(position.turn_total))
    if position.farkles:
        where.append(farkles_in_a_row(position.farkles, rules))
    return ", ".join(where)


def _roll_text(kit: Kit, judgement: Judgement) -> str:
    return kit.roll_text(judgement.roll, judgement.position.turn.dice)
