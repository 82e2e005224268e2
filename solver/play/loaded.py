"""Advice with loaded dice: which of the dice to set aside, and whether to go on."""

from solver.game.position import Position
from solver.loaded.strategy import ALL_LEFT, Held, MatchupStrategy
from solver.play.advice import Advice, Odds, Option
from solver.turn.dice import Roll
from solver.turn.scoring import Fate, TurnState


def advise_side(
    strategy: MatchupStrategy,
    side: int,
    position: Position,
    roll: Roll,
    held: Held = ALL_LEFT,
) -> Advice:
    """Rank the set-asides of a roll of a side, made with `position.dice`.

    The position must have a value. A roll and its set-asides name dice: face f of type k of the
    side's set is 6 * k + f. What a badge allows on the roll itself is told by `badge_uses`. Raises
    InvalidRollError.
    """
    matchup = strategy.matchup
    matchup.check_roll(side, position.dice, roll)
    rules = matchup.rules
    table = strategy.turn(side, position, held)
    options = []
    for kept in matchup.set_asides(side, roll):
        left = matchup.left(side, position.dice, kept.dice)
        after = TurnState(position.turn_total + kept.points, left)
        options.append(
            Option(
                set_aside=kept.dice,
                points=kept.points,
                turn_total=after.turn_total,
                dice_left=left,
                action=table.decision(after),
                win_probability=table.value(after),
            )
        )
    options.sort(key=lambda option: (-option.win_probability, -option.points))
    farkle = not options
    worth = table.farkle_value(position.turn_total) if farkle else options[0].win_probability
    return Advice(
        rules=rules,
        position=position,
        roll=roll,
        fate=Fate.FARKLE if farkle else Fate.SCORES,
        farkle=farkle,
        keeps_turn_total=False,
        win_probability=worth,
        options=tuple(options),
        reachable=strategy.is_reachable(side, position.turn),
    )


def odds_of_side(
    strategy: MatchupStrategy,
    side: int,
    position: Position,
    held: Held = ALL_LEFT,
) -> Odds:
    """Weigh rolling against banking for a side, without a badge, where it has a value."""
    table = strategy.turn(side, position, held)
    roll, bank = table.roll_value(position.turn), table.bank_value(position.turn)
    if any(strategy.matchup.powers):
        turn = strategy.power_turn(side, position, held)
        roll, bank = turn.without(position.turn)
    return Odds(
        rules=strategy.rules,
        position=position,
        action=table.decision(position.turn),
        win_probability=table.value(position.turn),
        roll=roll,
        bank=bank,
        farkle_probability=float(table.plan.farkle_chances[position.dice - 1]),
        instant_win_probability=0.0,
        lose_everything_probability=0.0,
        reachable=strategy.is_reachable(side, position.turn),
    )
