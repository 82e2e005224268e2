"""What players do: each command checks that it is legal and returns the events that it makes.

Chance, time and names stay outside: dice come in, and seats are numbers. A command that is not
legal raises IllegalActionError, whose sentence says why and what is legal.
"""

from collections.abc import Sequence
from typing import Any, Literal

from bot.table.events import (
    Banked,
    Begun,
    Corrected,
    Ended,
    Joined,
    Kept,
    Replaced,
    Resigned,
    Rolled,
    Scored,
    Seeded,
    Skipped,
    Undone,
)
from bot.table.state import Game, Stage, apply
from solver.dice import Roll, make_roll
from solver.errors import IllegalActionError
from solver.position import reachable_at
from solver.rules import Ruleset
from solver.scoring import set_asides

MOST_PLAYERS = 8
MOST_SEED = 64
"""Characters of a player's own seed."""


def begin_game(game: str, rules: Ruleset, levels: Sequence[str | None], **settings: Any) -> Begun:
    """Set up a game for seats with these levels, None for people; settings are those of Begun."""
    _check_number(len(levels))
    return Begun(game=game, rules=rules, levels=tuple(levels), **settings)


def join(game: Game, level: str | None = None) -> list[Joined]:
    """Take a seat more."""
    if level is not None and game.tracked:
        raise IllegalActionError("bots cannot roll real dice: /play begins a game for them")
    if game.stage is not Stage.LOBBY or game.turn.turn_total:
        raise IllegalActionError("the game has begun: players can join until the first roll")
    _check_number(len(game.seats) + 1)
    return [Joined(level=level)]


def seed(game: Game, seat: int, text: str) -> list[Seeded]:
    """Add a player's own share to the rolls."""
    if game.commitment is None:
        raise IllegalActionError("the dice of this game are real ones, no seed changes them")
    if game.stage is not Stage.LOBBY:
        raise IllegalActionError("the game has begun: seeds count from the first roll on")
    if not 0 < len(text) <= MOST_SEED or not text.isprintable():
        raise IllegalActionError(f"a seed is 1 to {MOST_SEED} characters of one line")
    if any(number == seat for number, _ in game.seeds):
        raise IllegalActionError("you have given your seed already")
    return [Seeded(seat=seat, text=text)]


def check_roll(game: Game, seat: int) -> int:
    """How many dice the player may roll now."""
    _check_turn(game, seat)
    if len(game.seats) < 2:
        raise IllegalActionError("a game needs two players: somebody has to join first")
    if game.turn.roll is not None:
        raise IllegalActionError(f"set dice aside first: {_examples(game)}")
    return game.turn.dice


def roll(game: Game, seat: int, dice: Roll) -> list[Rolled]:
    """Roll; `dice` are what fell."""
    number = check_roll(game, seat)
    if len(dice) != number:
        raise IllegalActionError(
            f"{number} dice are to be rolled now, not {len(dice)}"
            if number > 1
            else f"one die is to be rolled now, not {len(dice)}"
        )
    return [Rolled(dice=dice)]


def keep(game: Game, seat: int, dice: Roll) -> list[Kept]:
    """Set dice of the roll aside."""
    _check_turn(game, seat)
    if game.turn.roll is None:
        raise IllegalActionError("there is no roll to keep dice of: roll first")
    wanted = make_roll(dice)
    if any(wanted.count(face) > game.turn.roll.count(face) for face in wanted):
        raise IllegalActionError(
            f"{_dice(wanted)} is not among the dice of the roll {_dice(game.turn.roll)}"
        )
    if not any(one.dice == wanted for one in set_asides(game.rules, game.turn.roll)):
        raise IllegalActionError(
            f"{_dice(wanted)} cannot be kept under {game.rules.name} rules: {_examples(game)}"
        )
    return [Kept(dice=wanted)]


def bank(game: Game, seat: int) -> list[Banked]:
    """Bank the turn total."""
    _check_turn(game, seat)
    if game.turn.roll is not None:
        raise IllegalActionError(f"set dice aside first: {_examples(game)}")
    if not game.may_bank:
        raise IllegalActionError(_why_not_bank(game))
    return [Banked()]


def keep_and(
    game: Game, seat: int, dice: Roll, then: Literal["roll", "bank"]
) -> tuple[list[Kept | Banked], Game]:
    """Keep and bank, or keep before a roll: the events without the roll, and the game after."""
    [kept] = keep(game, seat, dice)
    after = apply(game, kept)
    if then == "roll":
        return [kept], after
    [banked] = bank(after, seat)
    return [kept, banked], apply(after, banked)


def score(
    game: Game, seat: int, points: int, ending: Literal["bank", "farkle", "lose", "win"]
) -> list[Scored]:
    """A whole turn with real dice."""
    _check_tracked(game)
    _check_turn(game, seat)
    if len(game.seats) < 2:
        raise IllegalActionError("a game needs two players: somebody has to join first")
    if game.turn.roll is not None or game.turn.turn_total:
        raise IllegalActionError("this turn is being told roll by roll: finish it, or /undo")
    rules = game.rules
    if ending == "win" and not rules.instant_win:
        raise IllegalActionError(f"no roll wins at once under {rules.name} rules")
    if ending == "lose" and not rules.lose_everything:
        raise IllegalActionError(f"no roll loses everything under {rules.name} rules")
    if points and ending in {"win", "lose"}:
        raise IllegalActionError("a roll that wins or loses everything scores no points")
    if points and ending == "farkle" and not rules.farkle_keeps_turn_total:
        raise IllegalActionError(f"a farkle scores nothing under {rules.name} rules")
    if points or ending == "bank":
        _check_points(game, seat, points)
    return [Scored(points=points, ending=ending)]


def correct(
    game: Game,
    seat: int,
    *,
    score: int | None = None,
    farkles: int | None = None,
    moves: bool = False,
) -> list[Corrected]:
    """Put right what was told wrongly."""
    _check_tracked(game)
    _check_goes_on(game)
    rules = game.rules
    if game.stage not in {Stage.LOBBY, Stage.PLAY}:
        raise IllegalActionError("somebody has reached the goal: take that back with /undo first")
    if score is not None and not rules.score_floor <= score < rules.winning_score:
        raise IllegalActionError(
            f"a score in play is {rules.score_floor:,} to"
            f" {rules.winning_score - rules.point_step:,} under {rules.name} rules, not {score:,}"
        )
    if score is not None and score % rules.point_step:
        raise IllegalActionError(
            f"scores are multiples of {rules.point_step} under {rules.name} rules, not {score:,}"
        )
    if farkles is not None and not 0 <= farkles < rules.farkle_limit:
        if rules.farkle_limit == 1:
            raise IllegalActionError(f"farkles in a row do not count under {rules.name} rules")
        raise IllegalActionError(
            f"farkles in a row are 0 to {rules.farkle_limit - 1} under {rules.name} rules, not"
            f" {farkles}"
        )
    if moves and not game.seats[seat].playing:
        raise IllegalActionError("that player has resigned")
    return [Corrected(seat=seat, score=score, farkles=farkles, moves=moves)]


def undo(game: Game, seat: int | None) -> list[Undone]:
    """Take the last command back, where nothing was revealed since.

    In a tracked game anybody may, else only `seat`, whose command it was.
    """
    if game.before is None:
        raise IllegalActionError(
            "there is nothing to take back: keeping and banking can be until the next roll"
        )
    if not game.tracked and seat != game.before.mover:
        raise IllegalActionError("only who made the last move can take it back")
    return [Undone()]


def resign(game: Game, seat: int) -> list[Resigned | Ended]:
    """Give up; before the first roll a game with one player left just ends."""
    _check_goes_on(game)
    if not game.seats[seat].playing:
        raise IllegalActionError("you have resigned already")
    if len(game.seats) < 2:
        raise IllegalActionError("nobody else plays yet: /end ends the game")
    if game.stage is Stage.LOBBY and sum(one.playing for one in game.seats) == 2:
        return [Ended()]
    return [Resigned(seat=seat)]


def skip(game: Game) -> list[Skipped]:
    """Pass the turn of a player who is away."""
    _check_goes_on(game)
    if game.stage is Stage.LOBBY:
        raise IllegalActionError("the game has not begun: roll, or /end it")
    return [Skipped()]


def substitute(game: Game, seat: int, level: str) -> list[Replaced]:
    """Let a bot play on for a player who is away."""
    _check_goes_on(game)
    if not game.seats[seat].playing:
        raise IllegalActionError("that player has resigned")
    if game.tracked:
        raise IllegalActionError("a bot cannot roll real dice")
    return [Replaced(seat=seat, level=level)]


def end(game: Game) -> list[Ended]:
    """End the game without a result."""
    _check_goes_on(game)
    return [Ended()]


def _check_number(players: int) -> None:
    if players > MOST_PLAYERS:
        raise IllegalActionError(f"{players} players are too many: at most {MOST_PLAYERS}")


def _check_goes_on(game: Game) -> None:
    if game.over:
        raise IllegalActionError("the game is over: /play begins another")


def _check_turn(game: Game, seat: int) -> None:
    _check_goes_on(game)
    if seat != game.mover:
        raise IllegalActionError("it is not your turn")


def _check_tracked(game: Game) -> None:
    if not game.tracked:
        raise IllegalActionError("only a game with real dice takes scores: /track begins one")


def _check_points(game: Game, seat: int, points: int) -> None:
    rules = game.rules
    if points <= 0 or points % rules.point_step or not reachable_at(rules, points).any():
        raise IllegalActionError(
            f"no turn can come to {points:,} points under {rules.name} rules; for a turn without"
            " points say farkle"
        )
    if not game.bankable(points, game.seats[seat]):
        raise IllegalActionError(_least(game, points))


def _why_not_bank(game: Game) -> str:
    turn = game.turn
    if not turn.turn_total:
        return "there is nothing to bank yet: roll first"
    if game.bankable(turn.turn_total, game.seats[game.mover]):
        return f"all dice scored, and under {game.rules.name} rules they must be rolled again"
    return _least(game, turn.turn_total)


def _least(game: Game, points: int) -> str:
    seat = game.seats[game.mover]
    least = game.rules.least_bank_at(
        seat.score, on_board=seat.on_board or game.stage is Stage.PLAY_OFF
    )
    first = " to get on the board" if not seat.on_board and least > game.rules.minimum_bank else ""
    return f"{points:,} points cannot be banked yet: it takes at least {least:,}{first}"


def _examples(game: Game) -> str:
    """Some of what may be kept, most points first."""
    roll = game.turn.roll or ()
    choices = set_asides(game.rules, roll)
    named = [f"{_dice(one.dice)} ({one.points:,})" for one in choices[:4]]
    more = " and others" if len(choices) > 4 else ""
    return f"of {_dice(roll)} may be kept {', '.join(named)}{more}"


def _dice(dice: Roll) -> str:
    return " ".join(map(str, dice))
