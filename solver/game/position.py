"""A position: what a decision depends on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidPositionError, one_of
from solver.game.endgame import endgame
from solver.game.standings import Bools, Standing, first_standing
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.dice import DiceSet, Remaining, Roll, TurnState, dice_set
from solver.turn.equations import possible_states, turn_plan
from solver.turn.memory import memories, typed_set
from solver.turn.plan import allowed_banks
from solver.wording import say, say_later, say_number

MAX_TURN_TOTAL = 1_000_000
"""The most points in one turn: hot dice may be rolled on and on, beyond whatever wins."""

MAX_HOT_DICE = 1_000
"""The most hot dice in one turn: more of them change nothing under any rules."""

_ROUNDS_ROWS = 1_000
"""Turn totals in point steps that are enumerated where there is no goal."""

_YOUR = say_later("your score"), say_later("your farkles in a row")
_THEIR = say_later("the opponent's score"), say_later("the opponent's farkles in a row")
"""What a standing has that may be wrong, the own one and the opponent's."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is left of the badges in a game of two under way."""

    uses: tuple[int, int] | None = None
    """Left of the first player and of the second; None for all."""
    spent: bool = False
    """Whether the mover has used its badge in this turn, and may not again before the next."""
    changed: bool = False
    """Whether the badge has changed the roll on the table, which it does once at most."""


ALL_LEFT = Held()
"""Nothing of any badge is used."""


@dataclass(frozen=True, slots=True)
class Position:
    """The state of a game of two players or more; scores and turn total in points.

    A score of somebody else that reaches the goal makes it a final turn, where the rules have one.
    Scores of all that do make it a turn of a play-off: everybody has `winning_score`, and the
    points of this round more.

    Where only the strongest of the others matters, or there is one other, the position has names
    for what the mover and that one have: `banked` to `opponent_on_board`.
    """

    players: tuple[Standing, ...] = (Standing(), Standing())
    """The players in the order of their turns; where it matters, the first one began the game."""
    mover: int = 0
    """Whose turn it is, as an index of `players`."""
    turn: TurnState = TurnState(0, 6)  # noqa: RUF009 - it never changes
    """How far the turn has come; its dice are those to roll, or those of a roll just made."""
    waiting: tuple[int, ...] = ()
    """Where somebody reached the goal, those who have their final turn, or their turn of a
    play-off, still before them, the mover first; empty where the scores and the order tell it."""
    held: Held = ALL_LEFT
    """What is left of badges that players brought."""
    offered: TurnState | None = None
    """What the player before left and the mover may take over, before the first roll of a turn."""
    rounds_left: int = 0
    """Rounds left with the one under way, where the rules have a number of them."""

    @classmethod
    def of_two(
        cls,
        banked: int = 0,
        opponent: int = 0,
        turn_total: int = 0,
        farkles: int = 0,
        opponent_farkles: int = 0,
        dice: Remaining = 6,
        hot_dice: int = 0,
        *,
        to_confirm: int = False,
        throws: int = 0,
        held_set: Roll = (),
        on_board: bool = True,
        opponent_on_board: bool = True,
        began: bool = True,
        rounds_left: int = 0,
        to_beat: int = 0,
    ) -> "Position":
        """Return a position of two players as the mover sees it.

        began : whether the mover began the game, or the play-off
        """
        own = Standing(banked, farkles, on_board)
        other = Standing(opponent, opponent_farkles, opponent_on_board, to_beat)
        turn = TurnState(turn_total, dice, hot_dice, to_confirm, throws, held_set)
        players, mover = ((own, other), 0) if began else ((other, own), 1)
        return cls(players, mover, turn, rounds_left=rounds_left)

    def change(self, **changes: Any) -> "Position":
        """Return the position with other values of what `of_two` names; `began` of two only."""
        turn = {name: changes.pop(name) for name in _TURN_FIELDS & changes.keys()}
        began = changes.pop("began", self.began)
        own = {_OWN_FIELDS[name]: changes.pop(name) for name in _OWN_FIELDS.keys() & changes.keys()}
        other = {_OTHER_FIELDS[name]: value for name, value in changes.items()}
        players = list(self.players)
        players[self.mover] = replace(self.own, **own)
        rival = self.rival
        players[rival] = replace(players[rival], **other)
        mover = self.mover
        if began != self.began:
            players.reverse()
            mover = 1 - mover
        return replace(self, players=tuple(players), mover=mover, turn=replace(self.turn, **turn))

    @property
    def in_order(self) -> tuple[int, ...]:
        """Return the indices of all players, the mover first."""
        count = len(self.players)
        return tuple((self.mover + k) % count for k in range(count))

    @property
    def own(self) -> Standing:
        """Return where the mover stood before the turn."""
        return self.players[self.mover]

    @property
    def rival(self) -> int:
        """Return the index of the strongest of the others, of equals the next to move."""
        if len(self.players) == 2:
            return 1 - self.mover
        return max(self.in_order[1:], key=lambda k: self.players[k].score)

    @property
    def other(self) -> Standing:
        """Return where the strongest of the others stands."""
        return self.players[self.rival]

    @property
    def against_leader(self) -> "Position":
        """Return the position of the mover and the strongest of the others, as if of two."""
        if len(self.players) == 2:
            return self
        own, leader = self.own, self.other
        # only in a play-off somebody has as many as who leads, and who leads had a turn
        began = own.score != leader.score or len(self.waiting) in {0, len(self.players)}
        began &= self.turns_left != 1
        players, mover = ((own, leader), 0) if began else ((leader, own), 1)
        return Position(players, mover, self.turn, rounds_left=self.rounds_left)

    @property
    def began(self) -> bool:
        """Whether the mover began; matters where all have as many turns, and in a play-off."""
        return self.mover == 0

    @property
    def turns_left(self) -> int:
        """Return the turns that all have left with this one; 0 where no rounds are counted."""
        return max(0, len(self.players) * self.rounds_left - self.mover)

    @property
    def rounds_after(self) -> int:
        """Return the rounds left when the next turn begins."""
        return (self.turns_left + len(self.players) - 2) // len(self.players)

    @property
    def turn_total(self) -> int:
        """Return the points that the turn has brought so far."""
        return self.turn.turn_total

    @property
    def dice(self) -> Remaining:
        """Return the dice to roll, or those of a roll just made."""
        return self.turn.dice

    @property
    def hot_dice(self) -> int:
        """Return how often all dice were set aside in this turn."""
        return self.turn.hot_dice

    @property
    def banked(self) -> int:
        """Return the mover's score."""
        return self.own.score

    @property
    def farkles(self) -> int:
        """Return the mover's farkles in a row before this turn."""
        return self.own.farkles

    @property
    def on_board(self) -> bool:
        """Whether the mover has banked before; matters where the rules have an opening minimum."""
        return self.own.on_board

    @property
    def opponent(self) -> int:
        """Return the score of the strongest of the others."""
        return self.other.score

    @property
    def opponent_farkles(self) -> int:
        """Return the farkles in a row of the strongest of the others."""
        return self.other.farkles

    @property
    def opponent_on_board(self) -> bool:
        """Whether the strongest of the others has banked before."""
        return self.other.on_board

    @property
    def to_beat(self) -> int:
        """Return the points that a bank has to be more than, where turns have to beat another."""
        return self.other.banked


_TURN_FIELDS = {"turn_total", "dice", "hot_dice", "to_confirm", "throws", "held_set"}
_OWN_FIELDS = {"banked": "score", "farkles": "farkles", "on_board": "on_board"}
_OTHER_FIELDS = {f"opponent_{name}": name for name in ("farkles", "on_board")} | {
    "opponent": "score",
    "to_beat": "banked",
}
"""What `Position.of_two` names, and where a position keeps it."""


def first_position(rules: Ruleset, players: int = 2) -> Position:
    """Return the start of a game of so many players."""
    turn = TurnState(0, dice_set(rules).whole)
    players_first = (first_standing(rules),) * players
    return Position(players_first, 0, turn, rounds_left=rules.rounds)


def start_of_turn(
    rules: Ruleset, own: Standing, other: Standing, *, began: bool = True
) -> Position:
    """Return a position of two players, one of whom is about to start a turn with equal dice.

    began : whether that one began the game, or the play-off
    """
    players, mover = ((own, other), 0) if began else ((other, own), 1)
    return Position(players, mover, TurnState(0, dice_set(rules).whole))


def in_play_off(rules: Ruleset, position: Position) -> bool:
    """Whether both players have reached the goal and play off a tie."""
    return rules.ties == "played_on" and position.banked >= rules.winning_score


def rules_at(rules: Ruleset, position: Position) -> Ruleset:
    """The rules of the turn of a position, which may have other throws as one of the last."""
    return rules.in_last_turns if position.opponent >= rules.winning_score else rules


def points_to_beat(rules: Ruleset, position: Position) -> int | None:
    """Points that the turn must beat, as many are a tie; None where it is not the last turn.

    Of those of the turn before, where they are more, as many may not be banked.
    """
    if rules.rounds:
        # whoever is ahead then has won
        behind = position.opponent - position.banked
        return behind if position.turns_left == 1 and behind >= 0 else None
    if position.opponent < rules.winning_score:
        return None
    begins = len(position.waiting) == len(position.players) if position.waiting else position.began
    if begins and in_play_off(rules, position) and position.banked == position.opponent:
        return None
    return max(position.opponent - position.banked, position.to_beat)


def is_on_board(rules: Ruleset, position: Position) -> bool:
    """Whether the opening minimum is behind the player to act; with the goal reached it is."""
    return position.on_board or position.banked >= rules.winning_score


def least_bank(rules: Ruleset, position: Position) -> int:
    """Least turn total that may be banked in a turn of a position."""
    least = rules.least_bank_at(position.banked, on_board=is_on_board(rules, position))
    return max(least, position.to_beat + rules.point_step) if position.to_beat else least


def banks_allowed(rules: Ruleset, position: Position, rows: int) -> Bools:
    """Which turn totals may be banked in a turn of a position, as of `allowed_banks`."""
    score = position.banked
    if position.opponent >= rules.winning_score:
        # no score is barred any more
        score = max(score, rules.winning_score - rules.point_step)
    allowed = allowed_banks(rules, score, rows, on_board=is_on_board(rules, position))
    allowed[: least_bank(rules, position) // rules.point_step] = False
    return allowed


def highest_score(rules: Ruleset) -> int:
    """Highest score that a position may hold: of an opponent who has reached the goal."""
    if rules.ending == "at_once":
        return rules.winning_score - rules.point_step
    return 2 * rules.winning_score + endgame(rules).beyond * rules.point_step


def check_position(rules: Ruleset, position: Position) -> None:
    """Refuse a position of two players with equal dice that has no value under the rules.

    A turn that no rolls lead to has one: `impossible_turn` says so. Raises InvalidPositionError,
    whose sentence names the number that is wrong and what is accepted.
    """
    check_two(rules, position)
    check_dice(rules, position.dice)
    check_hot_dice(position.hot_dice)
    rules = rules_at(rules, position)
    check_turn(rules, position.turn, dice_set(rules), partial(reachable, rules))


def check_two(rules: Ruleset, position: Position, beyond: int = 0) -> None:
    """Refuse two players who cannot be where they are. Raises InvalidPositionError.

    beyond : points that turns may go on beyond the goal, if further than those of equal dice
    """
    if position.offered is not None:
        _check_offered(rules, position, position.offered)
    _check_rounds(rules, position)
    _check_scores(rules, position, max(highest_score(rules), rules.winning_score + beyond))
    _check_standing(rules, position.own, *_YOUR)
    _check_standing(rules, position.other, *_THEIR)
    _check_to_beat(rules, position)


def _check_to_beat(rules: Ruleset, position: Position) -> None:
    """Refuse what nobody can have banked in the turn before. Raises InvalidPositionError."""
    points, lowest = position.to_beat, rules.score_floor
    if rules.penalty_points and not rules.floor_is_played:
        lowest -= highest_score(rules)
    least = rules.least_bank(wins=position.opponent >= rules.winning_score)
    can_be = range(least, position.opponent - lowest + 1, rules.point_step)
    banked = rules.beat_previous_turn and position.other.on_board and not position.other.farkles
    if not points or (banked and points in can_be):
        return
    why = say("under {rules} rules no turn has to beat the one before", rules=rules.name)
    if rules.beat_previous_turn:
        why = say(
            "the turn before banked nothing, or a multiple of {step} from {least:,} to the"
            " opponent's score",
            step=rules.point_step,
            least=least,
        )
    if rules.beat_previous_turn and position.other.farkles:
        why = say("the turn before was a farkle")
    raise InvalidPositionError.say(
        "{points:,} points cannot be there to beat: {why}", points=points, why=why
    )


def _check_rounds(rules: Ruleset, position: Position) -> None:
    """Refuse a number of rounds left that cannot be. Raises InvalidPositionError."""
    if position.rounds_left and not rules.rounds:
        raise InvalidPositionError.say(
            "no rounds are counted under {rules} rules: the game goes on to the goal",
            rules=rules.name,
        )
    if rules.rounds and not 1 <= position.rounds_left <= rules.rounds:
        raise InvalidPositionError.say(
            "the rounds left cannot be {number}: under {rules} rules they are 1 to {most}, with the"
            " one under way",
            number=position.rounds_left,
            rules=rules.name,
            most=rules.rounds,
        )


def check_several(rules: Ruleset, position: Position) -> None:
    """Refuse several players who cannot be where they are. Raises InvalidPositionError."""
    count, goal = len(position.players), rules.winning_score
    if not 0 <= position.mover < count:
        raise InvalidPositionError.say(
            "the player to act is 0 to {most}, not {player}",
            most=count - 1,
            player=position.mover,
        )
    _check_rounds(rules, position)
    for player in position.players:
        if (player.score < 0 and not rules.penalty_points) or player.score % rules.point_step:
            raise InvalidPositionError.say(
                "a score cannot be {score:,}: it is a multiple of {step}",
                score=player.score,
                step=rules.point_step,
            )
    reached = [k for k, player in enumerate(position.players) if player.score >= goal]
    if is_play_off(rules, position):
        reached = []
    over = rules.ending == "at_once" or position.mover in reached
    if reached and (over or (rules.has_roles and position.mover < min(reached))):
        if len(reached) == count and rules.ties == "played_on" and rules.ending != "at_once":
            raise InvalidPositionError.say(
                "a play-off of more than two cannot be told by scores: ask in a game, /play or"
                " /track begins one"
            )
        if position.mover in reached:
            raise InvalidPositionError.say(
                "the game is over: you have {score:,} points", score=position.own.score
            )
        raise InvalidPositionError.say(
            "the game is over: another player has {score:,} points",
            score=position.players[reached[0]].score,
        )


def is_play_off(rules: Ruleset, position: Position) -> bool:
    """Whether a position is one of a play-off of all of several players."""
    level = all(player.score >= rules.winning_score for player in position.players)
    return level and rules.ties == "played_on" and bool(position.waiting)


def check_dice(rules: Ruleset, number: int) -> None:
    """Refuse a number of dice to roll that there is not. Raises InvalidPositionError."""
    if not 1 <= number <= rules.dice:
        raise InvalidPositionError.say(
            "the number of dice cannot be {number}: it is 1 to {most}",
            number=number,
            most=rules.dice,
        )


def check_hot_dice(number: int) -> None:
    """Refuse a number of hot dice below 0 or beyond reason. Raises InvalidPositionError."""
    if not 0 <= number <= MAX_HOT_DICE:
        raise InvalidPositionError.say(
            "the number of hot dice cannot be {number:,}: it is 0 to {most:,}",
            number=number,
            most=MAX_HOT_DICE,
        )


def _check_offered(rules: Ruleset, position: Position, offered: TurnState) -> None:
    """Refuse what nobody can have left, or may take over. Raises InvalidPositionError."""
    parts = {"points": offered.turn_total, "rules": rules.name, "score": position.opponent}
    most = position.opponent - rules.score_floor
    why = ""
    if not rules.takes_over:
        why = say("under {rules} rules every turn begins with all dice", **parts)
    elif position.turn_total:
        why = say("that is decided before the first roll of a turn")
    elif not position.on_board:
        why = say("only players on the board may take over")
    elif not rules.may_take_over(position.banked):
        why = say("that takes a score of {score:,} or more", score=rules.take_over_from)
    elif offered.dice > rules.take_over_dice:
        why = say("no more than {most} dice may be taken over", most=rules.take_over_dice)
    elif offered.turn_total <= 0 or offered.turn_total % rules.point_step:
        why = say("points come in steps of {step}", step=rules.point_step)
    elif rules.take_over == "banked" and offered.turn_total > most:
        why = say("the player before, with a score of {score:,}, did not bank as many", **parts)
    if why:
        raise InvalidPositionError.say(
            "{points:,} points cannot be taken over: {why}", why=why, **parts
        )
    check_dice(rules, offered.dice)


def _check_scores(rules: Ruleset, position: Position, highest: int) -> None:
    last = rules.winning_score - rules.point_step
    both = rules.ties == "played_on" or (rules.is_defended and position.banked < position.opponent)
    if both and last < position.banked <= position.opponent:
        _check_score(rules, position.banked, highest, _YOUR[0])
        _check_score(rules, position.opponent, highest, _THEIR[0])
        return
    most, reason = last, ""
    if not rules.goal_ends_game(last_of_round=position.began):
        most = highest
        reason = say("; from {goal:,} on you have the final turn", goal=rules.winning_score)
    elif rules.has_roles and position.opponent > last:
        reason = say("; a player who did not begin wins at once by reaching the goal")
    over = ""
    if position.banked > last:
        over = say("; with more the game is over, or only the opponent's final turn is left")
    _check_score(rules, position.banked, last, _YOUR[0], over)
    _check_score(rules, position.opponent, most, _THEIR[0], reason)


def _check_score(rules: Ruleset, score: int, most: int, whose: str, reason: str = "") -> None:
    step, floor = rules.point_step, rules.score_floor
    if floor <= score <= most and score % step == 0:
        return
    parts = {"score": score, "rules": rules.name, "step": step, "floor": floor, "most": most}
    message = say(
        "{whose_score} cannot be {score:,}: under {rules} rules a score in play is a multiple of"
        " {step} from {floor:,} to {most:,}",
        whose_score=say(whose),
        **parts,
    )
    raise InvalidPositionError(message + reason)


def _check_standing(rules: Ruleset, standing: Standing, score: str, farkles: str) -> None:
    limit = rules.farkle_limit
    if not 0 <= standing.farkles < limit:
        message = say_later(
            "{whose_farkles} cannot be {farkles}: {rules} rules do not count them, so it is always"
            " 0"
        )
        if rules.farkle_penalty:
            message = say_later(
                "{whose_farkles} cannot be {farkles}: under {rules} rules they are 0 to {most}"
            )
        parts = {"farkles": standing.farkles, "rules": rules.name, "most": limit - 1}
        raise InvalidPositionError.say(message, whose_farkles=say(farkles), **parts)
    if not standing.on_board and standing.score > 0:
        raise InvalidPositionError.say(
            "{whose_score} cannot be {score:,} before the first bank: a player who is not on the"
            " board has no points",
            whose_score=say(score),
            score=standing.score,
        )


def check_turn(
    rules: Ruleset,
    turn: TurnState,
    thrown: DiceSet,
    possible: Callable[[], npt.NDArray[np.bool_]],
) -> None:
    """Refuse a turn total that has no value, and a turn that starts with anything but all dice.

    thrown : all dice
    possible : finds the states that a turn comes to, shape (levels, turn totals, columns)

    Raises InvalidPositionError.
    """
    step = rules.point_step
    if turn.turn_total % step or not 0 <= turn.turn_total <= MAX_TURN_TOTAL:
        raise InvalidPositionError.say(
            "the turn total cannot be {turn_total:,}: under {rules} rules it is a multiple of"
            " {step} from 0 to {most:,}",
            turn_total=turn.turn_total,
            rules=rules.name,
            step=step,
            most=MAX_TURN_TOTAL // step * step,
        )
    is_whole = turn.dice == thrown.whole
    if turn.to_confirm and not (turn.turn_total and len(rules.needs) > 1):
        raise InvalidPositionError.say(
            "there is nothing to confirm before a first roll, nor where nothing has to be confirmed"
        )
    if turn.to_confirm not in rules.needs:
        raise InvalidPositionError.say(
            "{points:,} points cannot be left to be confirmed under {rules} rules: {allowed}",
            points=turn.to_confirm,
            rules=rules.name,
            allowed=say("a multiple of {step} up to {most:,} can", step=step, most=rules.needs[-1])
            if rules.confirm_points
            else say("points confirm nothing"),
        )
    most = rules.throws - 1 if rules.throws and turn.turn_total else 0
    if not 0 <= turn.throws <= most or (rules.throws == 1 and turn.turn_total):
        raise InvalidPositionError.say(
            "the throws so far cannot be {number} before a further one at a turn total of {total:,}"
            " under {rules} rules: {allowed}",
            number=turn.throws,
            total=turn.turn_total,
            rules=rules.name,
            allowed=say_number("a turn has [one throw|{number} throws at most]", rules.throws)
            if rules.throws
            else say("they are not counted"),
        )
    _check_held(rules, turn)
    if not turn.is_first or (is_whole and not turn.hot_dice):
        return
    states = possible()
    level = min(turn.hot_dice, len(states) - 1)
    if is_whole and not min(turn.hot_dice, rules.hot_dice_counted - 1):
        return
    wrong = say(
        "the number of hot dice cannot be {number} at the start of a turn", number=turn.hot_dice
    )
    if not is_whole:
        number = sum(thrown.remaining[turn.dice])
        wrong = say(
            "a turn starts with all {dice} dice, not {number}", dice=rules.dice, number=number
        )
    rows = np.flatnonzero(states[level, :, turn_plan(rules).column(replace(turn, turn_total=step))])
    if not rows.size:
        raise InvalidPositionError(wrong)
    raise InvalidPositionError.say(
        "{wrong}: for a later roll give the turn total before it, such as {turn_total:,}",
        wrong=wrong,
        turn_total=int(rows[0]) * step,
    )


def _check_held(rules: Ruleset, turn: TurnState) -> None:
    """Refuse a set that nobody can hold. Raises InvalidPositionError."""
    held, most = turn.held_set, rules.dice - len(turn.held_set)
    is_part, combines = rules.is_part(held), rules.combine_throws
    leaves = turn.dice == most if is_part or combines else turn.dice <= most
    fits = leaves and (is_part or turn.turn_total > 0)
    if not held or (held in rules.sets and fits):
        return
    allowed = say("no set is held")
    if is_part and rules.fill_straight:
        allowed = say(
            "one die of each face of a straight from which no more than {number} are missing can"
            " be, and the others are rolled",
            number=rules.fill_straight,
        )
    elif combines and turn.turn_total:
        allowed = say("dice that score together can be, and all others are rolled")
    elif held in rules.sets and turn.turn_total:
        allowed = say("such a set leaves {most} of {dice} dice at most", most=most, dice=rules.dice)
    elif turn.turn_total and rules.held_sets != "none":
        allowed = say(
            "a set is three of a kind or more that leave a die, such as {example}",
            example=typed_set(rules.sets[1][:3]),
        )
    raise InvalidPositionError.say(
        "the set that is held cannot be {set} before a roll of {number} at a turn total of"
        " {total:,} under {rules} rules: {allowed}",
        set=typed_set(held),
        number=turn.dice,
        total=turn.turn_total,
        rules=rules.name,
        allowed=allowed,
    )


def impossible_turn(rules: Ruleset, turn: TurnState) -> str:
    """Why no rolls of equal dice lead to a state of a turn that has a value; "" where some do."""
    possible = reachable_at(rules, turn.turn_total)
    here = possible[min(turn.hot_dice, len(possible) - 1), turn_plan(rules).column(turn)]
    if here and _brings(rules, turn):
        return ""
    possible = _by_number(rules, possible)
    level = min(turn.hot_dice, len(possible) - 1)
    if possible[level, turn.dice - 1]:
        return _wrong_memory(rules, turn)
    parts: dict[str, Any] = {"turn_total": turn.turn_total, "hot_dice": turn.hot_dice}
    if not possible[level].any():
        if len(possible) > 1:
            return say("the turn total cannot be {turn_total:,} after {hot_dice} hot dice", **parts)
        return say("the turn total cannot be {turn_total:,}", **parts)
    parts["left"] = one_of(str(number + 1) for number in np.flatnonzero(possible[level]))
    if len(possible) > 1:
        return say_number(
            "{number} [die|dice] cannot be left at a turn total of {turn_total:,} after {hot_dice}"
            " hot dice, only {left} can",
            turn.dice,
            **parts,
        )
    return say_number(
        "{number} [die|dice] cannot be left at a turn total of {turn_total:,}, only {left} can",
        turn.dice,
        **parts,
    )


def _wrong_memory(rules: Ruleset, turn: TurnState) -> str:
    """The message that rolls lead to dice at a turn total, and not to what else is told."""
    fits = turn_plan(rules).column(most_likely(rules, turn, held_set=turn.held_set))
    if not reachable_at(rules, turn.turn_total)[:, fits].any() and len(rules.sets) > 1:
        if not turn.held_set and rules.combine_throws:
            return say("at that turn total dice are held; say which, as in held-set:11")
        if not turn.held_set:
            return say("at that turn total a set is held; say which, as in held-set:222")
        return say("no such set is held at that turn total with that many dice left")
    if not rules.throws:
        nothing = say("at that turn total nothing is left to be confirmed")
        wrong = say("at that turn total something is left to be confirmed")
        if rules.confirm_points:
            nothing = say("at that turn total so many points cannot be left to be confirmed")
        return nothing if turn.to_confirm else wrong
    return say_number("a turn cannot come there in [one throw|{number} throws]", turn.throws)


def leads_to(possible: npt.NDArray[np.bool_], rules: Ruleset, turn: TurnState) -> bool:
    """Whether a state is among those that a turn comes to, (levels, turn totals, columns).

    The last level and the last turn total stand for all that follow.
    """
    levels, rows, _ = possible.shape
    row = min(turn.turn_total // rules.point_step, rows - 1)
    return bool(possible[min(turn.hot_dice, levels - 1), row, turn_plan(rules).column(turn)])


def least_hot_dice(rules: Ruleset, turn_total: int, dice: int) -> int:
    """Least number of hot dice with which a turn can come to a state; 0 where it cannot."""
    if not 1 <= dice <= rules.dice:
        return 0
    return int(np.argmax(_by_number(rules, reachable_at(rules, turn_total))[:, dice - 1]))


def most_likely(
    rules: Ruleset,
    turn: TurnState,
    to_confirm: int | None = None,
    throws: int | None = None,
    held_set: Roll | None = None,
) -> TurnState:
    """A turn with what is not told of it: the least to confirm and the fewest throws that can be.

    And with no set held, where one need not be.

    to_confirm, throws, held_set : what is told; of the first True stands for anything
    """
    if not turn.turn_total or not 1 <= turn.dice <= rules.dice:
        fields = {"to_confirm": to_confirm or False, "throws": throws or 0}
        return replace(turn, **fields, held_set=held_set or ())
    possible = reachable_at(rules, turn.turn_total)[min(turn.hot_dice, turn_plan(rules).levels - 1)]
    doubts = [
        need for need in rules.needs if to_confirm in {None, need} or (to_confirm is True and need)
    ]
    doubts = doubts or [to_confirm or False]
    numbers = [throws or 0]
    if throws is None and rules.throws:
        numbers = [*range(1, max(2, rules.throws))]
    sets = rules.sets if held_set is None else [held_set]
    states = [
        replace(turn, to_confirm=doubt, throws=number, held_set=held)
        for held, doubt, number in product(sets, doubts, numbers)
    ]
    known = (
        way
        for way in states
        if way.to_confirm in rules.needs
        and way.held_set in rules.sets
        and 0 <= way.throws <= rules.throws
    )
    can_be = (
        turn for turn in known if possible[turn_plan(rules).column(turn)] and _brings(rules, turn)
    )
    return next(can_be, states[0])


def _brings(rules: Ruleset, turn: TurnState) -> bool:
    """Whether dice that are held with others of earlier throws leave the turn total that is told.

    A column of a turn stands for all of which it makes no difference which are held.
    """
    if not (rules.combine_throws and turn.held_set):
        return True
    total = turn.turn_total - rules.times_after(turn.hot_dice) * rules.worth_together[turn.held_set]
    before = replace(turn, turn_total=total, dice=rules.dice, held_set=())
    throws = range(turn.throws) if rules.throws else [0]
    possible = reachable_at(rules, total)[np.newaxis].swapaxes(0, 1)
    return any(leads_to(possible, rules, replace(before, throws=number)) for number in throws)


def _by_number(rules: Ruleset, possible: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """States by hot dice and number of dice, whatever else a turn remembers."""
    layers = memories(rules.of_turn)
    parts = np.reshape(possible, (len(possible), len(layers), -1))
    if not layers[-1].hot_dice:
        return np.asarray(parts.any(axis=1))
    # then all are on one level, and those of as many hot dice side by side
    return np.asarray(
        [
            parts[0, [layer.hot_dice == number for layer in reversed(layers)]].any(axis=0)
            for number in range(rules.hot_dice_counted)
        ]
    )


def possible_hot_dice(rules: Ruleset, turn: TurnState) -> npt.NDArray[np.bool_]:
    """Whether a turn can be as it is after each number of hot dice that is told apart."""
    if not turn.turn_total:
        return np.asarray(np.arange(rules.hot_dice_counted) == 0)
    possible = reachable_at(rules, turn.turn_total)
    states = (replace(turn, hot_dice=number) for number in range(rules.hot_dice_counted))
    return np.array([leads_to(possible[:, np.newaxis], rules, state) for state in states])


def highest_sensible(rules: Ruleset) -> int:
    """Turn total in points to which a turn may come without hot dice rolled for nothing."""
    if not turn_plan(rules).may_bank.all():
        return MAX_TURN_TOTAL
    rows: int = reachable(rules).shape[1]
    return (rows - 1) * rules.point_step


def reachable_at(rules: Ruleset, turn_total: int) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to `turn_total` points, by level and dice, shape (levels, columns).

    Beyond the rows of `reachable`, where hot dice lead that are rolled on and on, what the last of
    them hold is taken for possible.
    """
    plan = turn_plan(rules)
    if turn_total == 0 and not rules.fill_straight:
        # with all dice, as every set-aside brings points: nothing has to be enumerated
        start = np.zeros((plan.levels, plan.columns), dtype=np.bool_)
        start[0, -1] = True
        return start
    rows, row = reachable(rules), turn_total // rules.point_step
    if 0 <= row < rows.shape[1]:
        return rows[:, row]
    if 0 < turn_total <= MAX_TURN_TOTAL:
        return np.asarray(np.any(rows[:, -plan.reach :], axis=1))
    return np.zeros((plan.levels, plan.columns), dtype=np.bool_)


@lru_cache(maxsize=RULESETS)
def reachable(rules: Ruleset) -> npt.NDArray[np.bool_]:
    """Whether a turn can come to a state, shape (levels, turn totals, columns).

    Levels and columns as in TurnPlan. Rows count point steps, as far as the longest turn may go.
    """
    plan = turn_plan(rules)
    rows = (highest_score(rules) - rules.score_floor) // rules.point_step + 1
    rows = min(rows, _ROUNDS_ROWS) if rules.rounds else rows
    rows = max(rows, rules.least_bank(on_board=False) // rules.point_step)
    states = possible_states(rules, rows + plan.reach)
    # in turn tables these stand a row later
    fills = np.repeat([memory.fills for memory in reversed(plan.memories)], plan.width) > 0
    states[:, :-1, fills] = states[:, 1:, fills]
    return states
