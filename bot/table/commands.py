"""What players do: each command checks that it is legal and returns the events that it makes.

Chance, time and names stay outside: dice come in, and seats are numbers. A command that is not
legal raises IllegalActionError, whose sentence says why and what is legal.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

from bot.table import events, fair_dice
from bot.table.badges import faces_of, farkle_text
from bot.table.events import Begun, Setup, TurnEnding
from bot.table.fold import apply
from bot.table.state import (
    Game,
    Stage,
    barred_text,
    check_drafted,
    check_goes_on,
    check_opponent,
    check_turn,
    kept_text,
    rolled_text,
)
from solver.errors import IllegalActionError
from solver.game.many import MOST_IN_ROUNDS
from solver.game.position import highest_sensible, reachable_at
from solver.loaded.kits import Kit
from solver.rules.options import MAX_POINTS
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll, make_roll
from solver.turn.memory import confirm_text, held_text
from solver.turn.powers import uses_of
from solver.wording import figure, say, say_later, say_number

MOST_PLAYERS = 8
MOST_SEED = 64
"""Characters of a player's own seed."""
_NOT_IN_SEEDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line breaks, and what is no text; all else counts as it was given."""

_DECIDING = {
    "win": ("wins_game", say_later("no roll wins at once under {rules} rules")),
    "lose": ("loses_score", say_later("no roll loses everything under {rules} rules")),
    "out": ("loses_game", say_later("no roll loses the game under {rules} rules")),
}
"""Endings of a turn by one roll: what that does, and why it cannot be where no roll does."""

NO_BOTS = say_later("bots cannot roll real dice: /play begins a game for them")
"""Why no bot can play a tracked game."""


def begin_game(game: str, rules: Ruleset, levels: Sequence[str | None], **settings: Any) -> Begun:
    """Set up a game for seats with these levels, None for people; settings are those of Begun."""
    begun = Begun(game=game, rules=rules, levels=tuple(levels), **settings)
    _check_places(begun, len(levels), places(begun))
    return begun


def join(game: Game, level: str | None = None, kit: Kit | None = None) -> list[events.Joined]:
    """Take a seat more, with dice of one's own if `kit` says so."""
    if level is not None and game.tracked:
        raise IllegalActionError.say(NO_BOTS)
    if game.stage is not Stage.LOBBY or game.turn.turn_total:
        raise IllegalActionError.say("the game has begun: players can join until the first roll")
    if game.closed:
        raise IllegalActionError.say("this game belongs to a tournament: nobody else can join it")
    _check_places(game, len(game.seats) + 1, most_players(game))
    if kit and not game.kits:
        raise IllegalActionError.say(
            "in this game everybody rolls the same dice: /play my-dice:SET begins one with your own"
        )
    return [events.Joined(level=level, kit=kit)]


def leave(game: Game, seat: int) -> list[events.Left | events.Ended]:
    """Get up before the first roll; a table where then no person would begin, or one alone, ends.

    One player may wait for others at a table, but not where the rest of its seats have resigned.
    """
    check_goes_on(game)
    if game.closed:
        raise IllegalActionError.say("this game belongs to a tournament: to stop playing, /resign")
    if game.stage is not Stage.LOBBY or game.picks:
        raise IllegalActionError.say("the game has begun: to stop playing, /resign")
    others = [other for number, other in enumerate(game.seats) if number != seat and other.playing]
    is_alone = len(others) == 1 and len(game.seats) > 2
    if not others or others[0].level is not None or is_alone:
        return [events.Ended()]
    return [events.Left(seat=seat)]


def seed(game: Game, seat: int, text: str) -> list[events.Seeded]:
    """Add a player's own share to the rolls."""
    if game.commitment is None:
        raise IllegalActionError.say("this game has real dice, and a seed cannot change those")
    if game.stage is not Stage.LOBBY:
        raise IllegalActionError.say("the game has begun: seeds count from the first roll on")
    if not 0 < len(text) <= MOST_SEED or _NOT_IN_SEEDS.search(text):
        raise IllegalActionError.say("a seed is 1 to {most} characters of one line", most=MOST_SEED)
    if any(number == seat for number, _ in game.seeds):
        raise IllegalActionError.say("you have given your seed already")
    return [events.Seeded(seat=seat, text=text)]


def check_hints(game: Game) -> None:
    """Raises IllegalActionError where hints are forbidden, and while dice are taken."""
    check_drafted(game)
    _refuse(why_no_hints(game))


def why_no_hints(game: Game) -> str:
    """Why nothing is told of what is best now; "" where it is."""
    return game.why_roll if game.hints else say("the host has forbidden hints in this game")


def check_roll(game: Game, seat: int) -> int:
    """How many dice the player may roll now."""
    check_turn(game, seat)
    check_opponent(game)
    _refuse(_why_keep_first(game))
    if game.is_out_of_throws:
        raise IllegalActionError.say("that was the last throw of the turn: bank")
    return game.number_of_dice


def fallen(game: Game, secret: bytes) -> Roll:
    """What falls next, in its order, by the secret of the game."""
    number = game.rolls + 1
    if not game.kits:
        dice = game.number_of_dice
        return fair_dice.fair_roll(secret, game.id, game.seeds, number, dice=dice)
    return fallen_of(game, secret, list(game.side.thrown(game.turn.dice)))


def fallen_of(game: Game, secret: bytes, types: list[int]) -> Roll:
    """What dice of these types of the player to move show next, in their order; () for none."""
    if not types:
        return ()
    weights = [game.side.types[k].weights for k in types]
    faces = fair_dice.loaded_roll(secret, game.id, game.seeds, game.rolls + 1, weights)
    return faces_of(types, faces)


def roll(game: Game, seat: int, dice: Roll) -> list[events.Rolled]:
    """Roll; `dice` are what fell."""
    number = check_roll(game, seat)
    if len(dice) != number:
        raise IllegalActionError(
            say_number(
                "[one die has|{number} dice have] to be rolled now, not {told}",
                number,
                told=len(dice),
            )
        )
    if not game.side.can_fall(game.side.thrown(game.turn.dice), dice):
        raise IllegalActionError.say("the dice to roll now cannot show that")
    return [events.Rolled(dice=dice)]


def keep(game: Game, seat: int, dice: Roll) -> list[events.Kept | events.Banked | events.Accepted]:
    """Set dice of the roll aside; of the last throw of a turn that ends it."""
    check_turn(game, seat)
    wanted = make_roll(dice)
    _refuse(why_not_keep(game, wanted))
    return kept(game, wanted)


def why_not_keep(game: Game, dice: Roll) -> str:
    """Why dice may not be kept of the roll on the table; "" where they may."""
    if game.turn.roll is None:
        return say("there is no roll to keep dice from: roll first")
    if game.is_farkle:
        return farkle_text(game)
    if any(dice.count(face) > game.turn.roll.count(face) for face in dice):
        if game.kits:
            # where they are typed they were read out of the roll
            return say("these dice are not all in the roll")
        return say(
            "{dice} is not among the dice of the roll {roll}",
            dice=kept_text(game, dice),
            roll=rolled_text(game, game.turn.roll),
        )
    if not any(option.dice == dice for option in game.set_asides()):
        return say(
            "{dice} cannot be kept under {rules} rules: {examples}",
            dice=kept_text(game, dice),
            rules=game.rules.name,
            examples=kept_examples(game),
        )
    return ""


def kept(game: Game, dice: Roll) -> list[events.Kept | events.Banked | events.Accepted]:
    """A legal set-aside, and what follows by itself where it is of the last throw of a turn."""
    done = events.Kept(dice=dice)
    after = apply(game, done)
    if not after.is_out_of_throws:
        return [done]
    return [done, events.Accepted() if after.is_lost else events.Banked()]


def take_over(game: Game, seat: int) -> list[events.TookOver]:
    """Begin the turn with what the player before left."""
    check_turn(game, seat)
    check_opponent(game)
    if not game.rules.takes_over:
        raise IllegalActionError.say(
            "under {rules} rules every turn begins with all dice", rules=game.rules.name
        )
    if game.turn != game.first_turn:
        raise IllegalActionError.say("the turn has begun: what was left is taken over before it")
    mover = game.seats[seat]
    if not mover.on_board:
        raise IllegalActionError.say(
            "only players on the board can take over what the player before left"
        )
    if not game.rules.may_take_over(mover.score):
        raise IllegalActionError.say(
            "only players with {points:,} points or more can take over what the player before left",
            points=game.rules.take_over_from,
        )
    if not game.offered:
        raise IllegalActionError.say("the player before left nothing to take over: roll")
    return [events.TookOver()]


def bank(game: Game, seat: int) -> list[events.Banked]:
    """Bank the turn total."""
    check_turn(game, seat)
    _refuse(why_not_bank(game))
    return [events.Banked()]


def why_not_bank(game: Game) -> str:
    """Why the player to move may not bank the turn total now; "" where they may."""
    refused = _why_keep_first(game) or game.why_roll
    return refused if refused or game.may_bank else _why_too_early(game)


def score(
    game: Game, seat: int, points: int, ending: Literal["bank", "farkle", "lose", "win", "out"]
) -> list[events.Scored]:
    """A whole turn with real dice."""
    check_tracked(game)
    check_turn(game, seat)
    check_opponent(game)
    if game.turn != game.first_turn:
        raise IllegalActionError.say(
            "this turn is being entered roll by roll: finish it, or take it back with /undo"
        )
    rules = game.rules
    if ending == "farkle" and rules.spares_farkles:
        raise IllegalActionError.say(
            "under {rules} rules it matters in which throw a farkle falls: enter the turn roll by"
            " roll, as in /roll 6 5 3 3 3 2",
            rules=rules.name,
        )
    if rules.takes_over:
        raise IllegalActionError.say(
            "under {rules} rules the dice that are left matter: enter the turn roll by roll, as in"
            " /roll 6 5 3 3 3 2",
            rules=rules.name,
        )
    if ending in _DECIDING:
        decides, refusal = _DECIDING[ending]
        if decides not in rules.decisive:
            raise IllegalActionError.say(refusal, rules=rules.name)
    if points and ending in _DECIDING:
        raise IllegalActionError.say("a roll that wins or loses everything scores no points")
    if points and ending == "farkle" and not rules.farkle_keeps_turn_total:
        raise IllegalActionError.say(
            "a farkle scores nothing under {rules} rules", rules=rules.name
        )
    if points or ending == "bank":
        _check_points(game, seat, points)
    return [events.Scored(points=points, ending=TurnEnding(ending))]  # type: ignore[arg-type]


def correct(game: Game, correction: events.Corrected) -> list[events.Corrected]:
    """Put right what was told wrongly."""
    check_tracked(game)
    check_goes_on(game)
    rules, seat, moves = game.rules, correction.seat, correction.moves
    score, farkles, uses = correction.score, correction.farkles, correction.uses
    if game.stage not in {Stage.LOBBY, Stage.PLAY}:
        raise IllegalActionError.say(
            "somebody has reached the goal: take that back with /undo first"
        )
    if score is not None and not least_score(rules) <= score < rules.winning_score:
        raise IllegalActionError.say(
            "a score in play is {least:,} to {most:,} under {rules} rules, not {score:,}",
            least=least_score(rules),
            most=rules.winning_score - rules.point_step,
            rules=rules.name,
            score=score,
        )
    power = game.side_of(seat).power
    if score is not None and score % rules.point_step and not (power and power.is_of_bank):
        raise IllegalActionError.say(
            "scores are multiples of {step} under {rules} rules, not {score:,}",
            step=rules.point_step,
            rules=rules.name,
            score=score,
        )
    if farkles is not None and not 0 <= farkles < rules.farkle_limit:
        if rules.farkle_limit == 1:
            raise IllegalActionError.say(
                "farkles in a row do not count under {rules} rules", rules=rules.name
            )
        raise IllegalActionError.say(
            "farkles in a row are 0 to {most} under {rules} rules, not {farkles}",
            most=rules.farkle_limit - 1,
            rules=rules.name,
            farkles=farkles,
        )
    if uses is not None and not power:
        raise IllegalActionError.say(
            "that player has no badge with a limited number of uses in this game"
        )
    if uses is not None and not 0 <= uses <= uses_of(power):
        raise IllegalActionError.say(
            "the uses left of this badge are 0 to {most}, not {uses}",
            most=uses_of(power),
            uses=uses,
        )
    in_turn = game.turn.used if seat == game.mover and not moves else 0
    if uses is not None and uses + in_turn > uses_of(power):
        raise IllegalActionError.say(
            "the badge has been used in this turn: its uses left are 0 to {most} now, not {uses}",
            most=uses_of(power) - in_turn,
            uses=uses,
        )
    if moves:
        _check_may_move(game, seat)
    return [correction]


def undo(game: Game, seat: int | None) -> list[events.Undone]:
    """Take the last command back, where nothing was revealed since.

    In a tracked game anybody may, else only `seat`, whose command it was.
    """
    _refuse(why_no_undo(game))
    if not game.tracked and game.before and seat != game.before.mover:
        raise IllegalActionError.say("only the player who made the last move can take it back")
    return [events.Undone()]


def why_no_undo(game: Game) -> str:
    """Why nobody can take the last command back; "" where who made it can."""
    if game.before is None:
        return say(
            "there is nothing to take back: after keeping or banking you can do that until"
            " the next roll"
        )
    if game.seats[game.before.mover].level is not None:
        return say("the last move was a bot's, which nobody can take back")
    return ""


def resign(game: Game, seat: int) -> list[events.Resigned | events.Ended]:
    """Give up; before the first roll a game with one player left just ends, if it is not closed."""
    check_goes_on(game)
    if not game.seats[seat].playing:
        raise IllegalActionError.say("you have resigned already")
    if len(game.seats) < 2:
        raise IllegalActionError.say("nobody else plays yet: /end ends the game")
    before = game.stage is Stage.LOBBY and not game.closed
    if before and sum(player.playing for player in game.seats) == 2:
        return [events.Ended()]
    return [events.Resigned(seat=seat)]


def skip(game: Game) -> list[events.Skipped]:
    """Pass the turn of a player who is away."""
    check_goes_on(game)
    if game.stage is Stage.LOBBY and game.closed:
        raise IllegalActionError.say(
            "the game has not begun: if a player does not come, the tournament's host can take"
            " them out"
        )
    if game.stage is Stage.LOBBY and game.tracked:
        raise IllegalActionError.say("the game has not begun: /fix next:NAME says who begins")
    if game.stage is Stage.LOBBY:
        raise IllegalActionError.say("the game has not begun: roll, or /end it")
    return [events.Skipped()]


def substitute(game: Game, seat: int, level: str) -> list[events.Replaced]:
    """Let a bot play on for a player who is away."""
    check_goes_on(game)
    if game.closed:
        raise IllegalActionError.say(
            "this game belongs to a tournament: bots cannot take over, but /skip skips a turn"
        )
    check_playing(game, seat)
    if game.tracked:
        raise IllegalActionError.say(
            "a bot cannot roll real dice; /leave NAME takes somebody out of the game"
        )
    return [events.Replaced(seat=seat, level=level)]


def end(game: Game, idle_hours: int | None = None) -> list[events.Ended]:
    """End the game without a result; by itself where nobody has moved for so many hours."""
    check_goes_on(game)
    return [events.Ended(idle_hours=idle_hours)]


def check_seats(players: int, most: int) -> None:
    """Raises IllegalActionError for more players than there can be."""
    if most < min(players, MOST_PLAYERS):
        raise IllegalActionError(
            say(
                "a game in which players bring their own dice, or take over what others left, is"
                " for two"
            )
            if most == 2
            else say("this game has dice for {most} players", most=most)
        )
    if players > MOST_PLAYERS:
        raise IllegalActionError.say(
            "{players} players are too many: {most} is the most", players=players, most=MOST_PLAYERS
        )


def _check_places(game: Setup, players: int, most: int) -> None:
    """Raises IllegalActionError where so many cannot play a game."""
    rules = game.rules
    reasons = (
        ("loses_game" in rules.decisive, say_later("a roll may lose the game")),
        (rules.is_defended, say_later("whoever is beaten has a final turn in return")),
        (rules.changes_other, say_later("a turn may change the other player's score")),
        (
            rules.beat_previous_turn,
            say_later("a turn has to beat the one before, which is solved for two alone"),
        ),
        (
            rules.rounds and rules.is_for_two,
            say_later(
                "rounds are counted, and a roll wins or ties are played on, which is solved for"
                " two alone"
            ),
        ),
    )
    why = next((why for holds, why in reasons if holds), None)
    if players > 2 and why:
        message = say_later("under {rules} rules {why}, so it is for two")
        raise IllegalActionError.say(message, rules=rules.name, why=say(why))
    if players > MOST_IN_ROUNDS and rules.rounds:
        raise IllegalActionError.say(
            "a game of a number of rounds is for two or three: the scores of more lie apart in too"
            " many ways to be solved"
        )
    check_seats(players, most)


def most_players(game: Game) -> int:
    """How many can play in a game."""
    if game.closed:
        return len(game.seats)
    return places(game)


def places(game: Setup) -> int:
    """How many can sit at a table."""
    most = MOST_IN_ROUNDS if game.rules.rounds else MOST_PLAYERS
    return len(game.kits) or (2 if game.rules.is_for_two or game.pool else most)


def check_tracked(game: Game) -> None:
    """Raises IllegalActionError unless the dice of a game are real ones."""
    if not game.tracked:
        raise IllegalActionError.say("only a game with real dice takes scores: /track begins one")


def check_playing(game: Game, seat: int) -> None:
    """Raises IllegalActionError where a player has resigned."""
    if not game.seats[seat].playing:
        raise IllegalActionError.say("that player has resigned")


def _check_may_move(game: Game, seat: int) -> None:
    """Raises IllegalActionError where it cannot be the turn of a seat."""
    check_playing(game, seat)
    if seat and game.rules.rounds and not game.turns_over:
        raise IllegalActionError.say(
            "rounds are counted from the player who was named first: begin the game anew"
        )


def _refuse(why: str) -> None:
    """Raises IllegalActionError with a sentence, where there is one."""
    if why:
        raise IllegalActionError(why)


def least_score(rules: Ruleset) -> int:
    """The least score that may be told: penalties go on below a floor other than 0."""
    return -MAX_POINTS if rules.score_floor else 0


def _why_keep_first(game: Game) -> str:
    """A sentence that dice of the roll on the table are set aside first; "" without a roll."""
    if game.is_farkle:
        return farkle_text(game)
    if game.turn.roll is not None:
        return say("set dice aside first: {examples}", examples=kept_examples(game))
    return ""


def _check_points(game: Game, seat: int, points: int) -> None:
    rules = game.rules
    # badges add combinations, so that other turn totals can be come to than by the rules alone
    can_be = points % rules.point_step == 0 and (
        game.kits or reachable_at(game.turn_rules, points).any()
    )
    if points <= 0 or not can_be:
        raise IllegalActionError.say(
            "no turn can come to {points:,} points under {rules} rules; for a turn without"
            " points say farkle",
            points=points,
            rules=rules.name,
        )
    if points > (most := highest_sensible(rules)):
        raise IllegalActionError.say(
            "{points:,} points in one turn are more than anybody needs: enter at most"
            " {most:,} under {rules} rules",
            points=points,
            most=most,
            rules=rules.name,
        )
    if points < game.least_bank(game.seats[seat]):
        raise IllegalActionError(_least(game, points))
    if game.is_barred(game.seats[seat], points):
        raise IllegalActionError(barred_text(game, game.seats[seat].score + points))


def _why_too_early(game: Game) -> str:
    turn = game.turn
    early = ""
    if game.rules.is_part(turn.held_set):
        early = say("{reason}: roll", reason=held_text(game.rules, turn.state))
    elif not turn.turn_total:
        early = say("there is nothing to bank yet: roll first")
    if early:
        return early
    if turn.turn_total >= game.least_bank(game.seats[game.mover]):
        mover = game.seats[game.mover]
        if game.is_barred(mover, game.bank_points):
            return barred_text(game, mover.score + game.bank_points)
        if turn.to_confirm:
            return say("{reason}: roll", reason=confirm_text(game.rules, turn.state))
        if turn.dice != game.dice.whole:
            return say(
                "more than {number} dice are left, with which nobody may bank under {rules} rules",
                number=game.rules.bank_dice_left,
                rules=game.rules.name,
            )
        return say(
            "all dice scored, and under {rules} rules they must be rolled again",
            rules=game.rules.name,
        )
    return _least(game, turn.turn_total)


def _least(game: Game, points: int) -> str:
    seat = game.seats[game.mover]
    least = game.least_bank(seat)
    if points <= game.to_beat:
        return say(
            "{points:,} points cannot be banked: they do not beat the {others:,} of the turn"
            " before",
            points=points,
            others=game.to_beat,
        )
    if not seat.on_board and least > game.rules.minimum_bank:
        return say(
            "{points:,} points cannot be banked yet: it takes at least {least:,} to get on the"
            " board",
            points=points,
            least=least,
        )
    return say(
        "{points:,} points cannot be banked yet: it takes at least {least:,}",
        points=points,
        least=least,
    )


def kept_examples(game: Game) -> str:
    """Some of what may be kept, most points first."""
    roll = rolled_text(game, game.turn.roll or ())
    choices = game.set_asides()
    named = game.kit.between.join(
        f"{kept_text(game, option.dice)} ({figure(option.points)})" for option in choices[:4]
    )
    if len(choices) > 4:
        return say("from {roll} you can keep {choices}, among others", roll=roll, choices=named)
    return say("from {roll} you can keep {choices}", roll=roll, choices=named)
