"""Positions as the rules have them, from what people give."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bot.services.rule_options import with_goal
from bot.services.situation import Situation, read_faces
from solver.errors import FarkleError, InvalidPositionError, InvalidRequestError
from solver.game.many import check_players
from solver.game.many_best import last_turns
from solver.game.position import (
    Position,
    check_position,
    is_play_off,
    least_hot_dice,
    most_likely,
)
from solver.game.standings import Standing
from solver.play.position_id import PositionId
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import all_solved_rules
from solver.turn.dice import Remaining, Roll, TurnState, make_roll
from solver.turn.memory import told_apart, typed_set


def rules_of(situation: Situation) -> Ruleset:
    """The rules that are meant. Raises InvalidRulesError."""
    named = situation.rules
    return load_rules(named) if isinstance(named, str) else named


def check_dice_told(dice: int | None, situation: Situation) -> None:
    """Raises InvalidRequestError where the number of dice is left out in the middle of a turn."""
    if dice is None and situation.turn_total:
        raise InvalidRequestError.say(
            "say how many dice are left to roll at a turn total of {turn_total:,}, such as dice:2",
            turn_total=situation.turn_total,
        )


def rolled(situation: Situation, typed: str) -> tuple[Roll, Remaining]:
    """A roll as typed, and the dice that fell. Raises InvalidRollError and InvalidRequestError."""
    if situation.dice:
        return situation.dice.rolled(typed)
    roll = read_faces(typed, rules_of(situation))
    return roll, len(roll)


def left_to_roll(situation: Situation, dice: int | str | None) -> Remaining | None:
    """The dice that are left to roll, where players bring theirs by name; None for all of them.

    Raises InvalidDiceError, and InvalidRequestError where they are not told in a turn.
    """
    if situation.dice:
        text = None if dice is None else str(dice)
        return situation.dice.left(text, situation.turn_total)
    number = None if dice is None else int(dice)
    check_dice_told(number, situation)
    return number


def position_asked(situation: Situation, left: Remaining | None) -> Position:
    """The position that is meant, which of two players may not be possible. Raises FarkleError."""
    if situation.dice:
        return situation.dice.position(situation, left)
    rules = rules_of(situation)
    if situation.others:
        return position_of_several(rules, situation, left)
    return position_of(rules, situation, left)


def check_asked(situation: Situation, left: Remaining | None) -> None:
    """Refuse what cannot be asked, before its rules or dice are solved for that.

    left : dice to roll, as `left_to_roll` gives them

    Scores below the rules' own floor are refused as well. Raises FarkleError.
    """
    check_dice_told(left, situation)
    position = position_asked(situation, left)
    if situation.players == 2 and not situation.dice:
        check_position(rules_of(situation), position)


def opened(
    read: PositionId, known: Iterable[Ruleset], solved: Path | None = None
) -> tuple[Ruleset, Position, Roll | None]:
    """The rules of a position, which are among the known ones, the position and what was rolled.

    solved : a folder of strategy files, whose rules are known as well, as they may be of files

    Raises InvalidRequestError where no known rules fit, and InvalidPositionError.
    """
    like = [rules for rules in known if read.is_of(rules)]
    if not like and solved:
        like = [rules for rules in all_solved_rules(solved) if read.is_of(rules)]
    if not like:
        raise InvalidRequestError.say(
            "the rules of the position {id} are not known here; make them with /rules new first",
            id=read.text,
        )
    # rules that have the very goal keep their name
    like.sort(key=lambda rules: rules.goal != read.goal_of(rules))
    for rules in like:
        try:
            meant = with_goal(rules, read.goal_of(rules))
            position, roll = read.position(meant)
            check_position(meant, position)
        except FarkleError as error:
            wrong = error
        else:
            return meant, position, roll
    raise wrong


def position_of(rules: Ruleset, situation: Situation, dice: int | None) -> Position:
    """The position of two players, which may not be possible; dice None are all of them."""
    number = rules.dice if dice is None else dice
    hot_dice = situation.hot_dice
    if hot_dice is None:
        hot_dice = least_hot_dice(rules, situation.turn_total, number)
    turn = TurnState(situation.turn_total, number, hot_dice)
    need = situation.points_to_confirm
    need = situation.to_confirm if need is None else need
    held = situation.held_set
    if held is not None and held < 0:
        raise InvalidPositionError.say(
            "the set that is held is said by its dice, such as 222, not {set}", set=held
        )
    held_set = None if held is None else told_apart(rules, make_roll(map(int, str(held or ""))))
    turn = most_likely(rules, turn, need, situation.throws, held_set)
    position = Position.of_two(
        banked=situation.banked,
        opponent=situation.opponent,
        turn_total=situation.turn_total,
        farkles=situation.farkles,
        opponent_farkles=situation.opponent_farkles,
        dice=number,
        hot_dice=hot_dice,
        to_confirm=turn.to_confirm,
        throws=turn.throws,
        held_set=turn.held_set,
        on_board=on_board_of(rules, situation.on_board, situation.banked),
        opponent_on_board=on_board_of(rules, situation.opponent_on_board, situation.opponent),
        began=_began(rules, situation),
        rounds_left=_rounds_left(rules, situation),
        to_beat=situation.to_beat,
    )
    return replace(position, offered=_offered(situation))


def _rounds_left(rules: Ruleset, situation: Situation) -> int:
    """How many rounds are left, as given or at the start of a game. Raises InvalidRequestError."""
    if situation.rounds is not None or not rules.rounds:
        return situation.rounds or 0
    if any(situation.scores):
        raise InvalidRequestError.say(
            "say how many rounds are left with this one, such as rounds:3, as {rules} rules count"
            " them",
            rules=rules.name,
        )
    return rules.rounds


def _offered(situation: Situation) -> TurnState | None:
    """What the player before left, if that is told. Raises InvalidRequestError."""
    if bool(situation.left) != (situation.left_dice is not None):
        raise InvalidRequestError.say(
            "what the player before left are points and dice: give both, such as left:450"
            " left-dice:2"
        )
    return TurnState(situation.left, situation.left_dice) if situation.left_dice else None


def position_of_several(rules: Ruleset, situation: Situation, dice: int | None) -> Position:
    """The position of several players, possible against each of them.

    Raises InvalidPositionError, InvalidRequestError and InvalidRulesError.
    """
    check_players(rules, situation.players)
    here, before = position_of(rules, situation, dice), _before(rules, situation)
    scores = situation.opponent, *situation.others
    # who has points is on the board, whatever is said of the others
    boards = [on_board_of(rules, situation.opponent_on_board or None, one) for one in scores]
    later = len(scores) - before
    for k, (score, on_board) in enumerate(zip(scores, boards, strict=True)):
        began = k < later
        seen = here.change(opponent=score, opponent_on_board=on_board, began=began)
        check_position(rules, seen)
    others = [Standing(*one) for one in zip(scores, (0,) * len(scores), boards, strict=True)]
    # in the order of the round, in which the last of them came before the mover
    players = *others[later:], here.own, *others[:later]
    return Position(players, before, here.turn, rounds_left=here.rounds_left)


def as_typed(rules: Ruleset, position: Position) -> Position:
    """Return the position of several that is meant where all is typed of this one that can be.

    Raises what `position_of_several` raises.
    """
    own, *others = (position.players[k] for k in position.in_order)
    goes_on = all(one.score < rules.winning_score for one in position.players)
    situation = Situation.given(
        banked=own.score,
        opponent=[one.score for one in others],
        turn_total=position.turn_total,
        farkles=own.farkles,
        hot_dice=position.hot_dice,
        to_confirm=position.turn.to_confirm,
        throws=position.turn.throws,
        held_set=int(typed_set(position.turn.held_set) or 0),
        on_board=own.on_board,
        opponent_on_board=all_on_board(others),
        before=position.mover if rules.has_roles and goes_on else None,
        rounds=position.rounds_left or None,
        rules=rules,
    )
    return position_of_several(rules, situation, position.dice)


def as_typed_here(rules: Ruleset, position: Position) -> Position | None:
    """Return the position of a game of several as it is typed; None where that means another."""
    plain = replace(position, waiting=())
    if position.waiting and (
        is_play_off(rules, position) or position.waiting != last_turns(rules, plain)
    ):
        return None
    if not rules.has_roles:
        order = tuple(position.players[k] for k in position.in_order)
        plain = replace(plain, players=order, mover=0)
    try:
        typed = as_typed(rules, plain)
    except FarkleError:
        return None
    return typed if typed == plain else None


def all_on_board(others: Iterable[Standing]) -> bool:
    """Whether some of the others have no points, and all of these are on the board."""
    boards = [one.on_board for one in others if one.score <= 0]
    return bool(boards) and all(boards)


def on_board_of(rules: Ruleset, given: bool | None, score: int) -> bool:
    """Whether a player is on the board, as given or as the score tells."""
    if not rules.has_opening:
        return True
    return score > 0 if given is None else given


def _began(rules: Ruleset, situation: Situation) -> bool:
    """Whether the player to act began, as given or as the scores tell."""
    before = _told_before(situation)
    if situation.began is not None:
        return situation.began
    if before is not None:
        return not before
    # with equal turns the game goes on only if the first to reach the goal began
    goal = rules.winning_score
    return not (rules.has_roles and situation.banked < goal <= situation.opponent)


def _told_before(situation: Situation) -> int | None:
    """How many others had their turn in this round, if that is told. Raises InvalidRequestError."""
    others = len(situation.scores) - 1
    if situation.before is not None and not 0 <= situation.before <= others:
        raise InvalidRequestError.say(
            "of the others {most} can have had their turn in this round at most, not {number}",
            most=others,
            number=situation.before,
        )
    return situation.before


def _before(rules: Ruleset, situation: Situation) -> int:
    """How many of several opponents had their turn in this round, as given or as scores tell.

    Where somebody has reached the goal it is taken that the first after the mover who did began.
    Raises InvalidRequestError.
    """
    scores = situation.opponent, *situation.others
    reached = [k for k, score in enumerate(scores) if score >= rules.winning_score]
    if not rules.has_roles:
        return 0
    if (before := _told_before(situation)) is not None:
        return before
    if situation.began is False and not reached:
        raise InvalidRequestError.say(
            "with several players began: takes only me; before:1 says how many of the others had"
            " their turn in this round"
        )
    return len(scores) - reached[0] if reached else 0
