"""Games to which players bring their dice: what is best in them, as in questions on loaded dice."""

from dataclasses import dataclass, replace

from bot.services.loaded import LoadedAdvice, LoadedDice, LoadedOdds
from bot.table.state import Game, turn_after
from solver.errors import InvalidRequestError, InvalidRollError
from solver.loaded.strategy import MatchupStrategy
from solver.named.rolls import read_roll, read_set_aside
from solver.play.loaded import advise_side, odds_of_side
from solver.turn.dice import Roll
from solver.wording import say_number


@dataclass(frozen=True, slots=True)
class LoadedHint:
    """What is best for the player to move."""

    advice: LoadedAdvice | None
    """Of the roll on the table, if there is one."""
    odds: LoadedOdds
    """Of the decision before the next roll."""


def dice_of(game: Game) -> LoadedDice:
    """What both bring, as the player to move sees it."""
    mine, theirs = game.kits[game.mover], game.kits[1 - game.mover]
    alone = bool(game.matchup and game.matchup.joker_alone)
    badges = mine.badge, theirs.badge
    return LoadedDice(game.rules, mine.dice, theirs.dice, alone, badges)


def loaded_hint(strategy: MatchupStrategy, game: Game) -> LoadedHint:
    """What is best for the player to move."""
    if game.turn.roll is None:
        return LoadedHint(None, _odds(strategy, game))
    found = _advice(strategy, game, game.turn.roll)
    turn = turn_after(game, found.advice.options[0].set_aside)
    return LoadedHint(found, _odds(strategy, replace(game, turn=turn)))


def loaded_advice_in(strategy: MatchupStrategy, game: Game, typed: str, mover: str) -> LoadedAdvice:
    """Advice on a roll as typed, else on the one on the table. Raises FarkleError.

    mover : the name of the player to move
    """
    if not typed and game.turn.roll is None:
        raise InvalidRequestError.say("nothing is rolled yet: give the dice, or ask for /odds")
    roll = read_fallen(game, typed, mover) if typed else game.turn.roll or ()
    return _advice(strategy, game, roll)


def loaded_odds_in(strategy: MatchupStrategy, game: Game) -> LoadedOdds:
    """Roll or bank in the position of a game. Raises InvalidRequestError."""
    if game.turn.roll is not None:
        raise InvalidRequestError.say("dice lie on the table: /advise says what to keep of them")
    return _odds(strategy, game)


def read_fallen(game: Game, typed: str, mover: str) -> Roll:
    """A roll of the dice that are to be rolled now, as typed. Raises InvalidRollError."""
    kit = game.kits[game.mover]
    roll = read_roll(kit.dice, typed, game.turn.dice)
    if kit.dice.dice_set.thrown_in(roll) != game.turn.dice:
        raise InvalidRollError(
            say_number(
                "now {name} rolls {number} die, {set}, not {told}",
                "now {name} rolls {number} dice, {set}, not {told}",
                game.number_of_dice,
                name=mover,
                set=kit.dice.left(game.turn.dice).text,
                told=len(roll),
            )
        )
    return roll


def read_kept(game: Game, typed: str) -> Roll:
    """Dice of the roll on the table, as typed; none where there is no roll.

    Raises InvalidRollError.
    """
    roll = game.turn.roll
    return () if roll is None else read_set_aside(game.kits[game.mover].dice, roll, typed)


def _advice(strategy: MatchupStrategy, game: Game, roll: Roll) -> LoadedAdvice:
    found = advise_side(strategy, game.mover, game.position(), roll)
    # badges that are used up are not brought to a table
    return LoadedAdvice(dice_of(game), found, then=(False,) * len(found.options))


def _odds(strategy: MatchupStrategy, game: Game) -> LoadedOdds:
    return LoadedOdds(dice_of(game), odds_of_side(strategy, game.mover, game.position()))
