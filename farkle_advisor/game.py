"""A game that is solved, and what is best in it."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from operator import index
from os import PathLike
from pathlib import Path
from typing import Literal, SupportsIndex, TypedDict, TypeGuard, Unpack

import numpy as np

from bot.layout import columns, dice_count, percent
from bot.services.advisor import Advisor
from bot.services.loaded import LoadedDice, read_left
from bot.services.situation import Situation
from bot.settings import Settings, read_settings
from bot.views.advice import advice_text, odds_text
from bot.views.thresholds import threshold_text
from farkle_advisor.answers import Advice, Odds, Option, Turn
from farkle_advisor.rules import Rules, load_rules
from solver.errors import (
    FarkleError,
    InvalidDiceError,
    InvalidPositionError,
    InvalidRequestError,
    InvalidRollError,
    StrategyFileError,
)
from solver.game.many import check_many
from solver.game.position import Position
from solver.loaded.kits import Kit
from solver.loaded.matchup import check_no_badges
from solver.named.badges import NamedBadge, read_badges
from solver.named.sets import read_set
from solver.play.advice import Advice as SolverAdvice
from solver.play.maps import turn_map
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import Remaining, dice_text
from solver.turn.dice import Roll as Dice
from solver.wording import short

Scores = SupportsIndex | Iterable[SupportsIndex]
"""The score of the only opponent, or those of all others in the order of their turns."""
Roll = str | SupportsIndex | Iterable[SupportsIndex]
"""Faces that fell: "653332" or [6, 5, 3, 3, 3, 2]; loaded dice by name: "5 lucky, 1 odd"."""


class Standing(TypedDict, total=False):
    """What else some rules need to know of a position; left out it follows from the scores."""

    farkles: int
    """Your farkles in a row before this turn."""
    their_farkles: int
    on_board: bool | None
    """Whether you have banked before."""
    their_on_board: bool | None
    to_confirm: bool | None
    """Whether what was set aside last has to be confirmed."""
    throws: int | None
    """Throws of this turn so far, where the rules limit them."""
    held_set: int | None
    """What is held, die by die, such as 222, where further dice may match it or count with it."""
    rounds: int | None
    """Rounds left with the one under way, where the rules count them."""
    to_beat: int
    """Points that the turn before banked, where this one has to beat it."""
    began: Literal["me", "them"] | None
    """Who began, where all have as many turns."""


def solve(
    rules: Rules = "facebook",
    *,
    players: int = 2,
    dice: str | Sequence[str] | None = None,
    badges: tuple[str | None, str | None] | None = None,
    joker_alone: bool = False,
    progress: bool = True,
    data: str | PathLike[str] | None = None,
) -> "Game":
    """Return a game that is solved: opened where it is kept already, else solved now and kept.

    rules : as `load_rules` takes them: a name, the path of a TOML file, keys or rules
    players : how many play, each for the own chance to win
    dice : the loaded dice of Kingdom Come or any others: yours, or those of all in the order of
        turns, such as ["lucky*3,odd,ordinary*2", "ordinary*6"]; the others throw ordinary ones
    badges : yours and the opponent's, with `dice`; None for none
    joker_alone : whether jokers may score by themselves
    progress : whether a bar on standard error shows how far a solve is, if that is a terminal
    data : the folder where solved games are kept; FARKLE_DATA or the user's data folder if None

    >>> solve("kcd")
    <Game: kcd rules to 4,000 for 2 players; who begins wins 55.71 %>

    A file that is damaged is solved anew, and an interrupt leaves nothing behind that is half done.
    Raises InvalidRulesError for rules that are wrong or too large to be solved, InvalidDiceError,
    InvalidRequestError, SolveError for lack of memory, and StrategyFileError where nothing can be
    kept.
    """
    found, settings, shown = load_rules(rules), settings_for(data), is_shown(progress=progress)
    players = whole("players", players)
    if dice is not None or badges is not None:
        own = _own_dice(found, players, dice, badges, joker_alone=joker_alone)
        return Game(found, _solved_dice(settings, own, shown=shown), own)
    if players < 2:
        check_many(found, players)  # which says how many may play
    solve_first(settings, found, players, shown=shown)
    return Game(found, advisor_of(settings), players=players)


class Game:
    """A solved game: what is best in each of its positions, and who wins how often.

    The player to act is `me`; `them` is the opponent's score, or those of all others in the order
    of their turns. What is left out is the start of the game. Further keywords are for rules that
    need them, see `Standing`: farkles, their_farkles, on_board, their_on_board,
    to_confirm, throws, held_set, rounds, to_beat, began.

    A position that cannot be is refused with an InvalidPositionError.
    """

    def __init__(
        self,
        rules: Ruleset,
        advisor: Advisor,
        own: LoadedDice | None = None,
        *,
        players: int = 2,
    ) -> None:
        """`solve` makes it."""
        self.rules = rules
        self._advisor, self._own = advisor, own
        self.players = len(own.sets) if own else players
        """How many play."""

    def __repr__(self) -> str:
        brought = list(self.dice or ())
        badges = self._own.badges if self._own else ()
        for seat, badge in enumerate(badges):
            brought[seat] += f" and {badge.text}" if badge else ""
        kits = f" with {' against '.join(brought)}" if brought else ""
        rounds = self.rules.rounds
        ends = f"of {rounds} rounds" if rounds else f"to {self.rules.goal:,}"
        return (
            f"<Game: {self.rules.name} rules {ends} for {self.players} players"
            f"{kits}; who begins wins {percent(self.first_player_wins)}>"
        )

    @property
    def dice(self) -> tuple[str, ...] | None:
        """The dice of all in the order of turns; None where all throw those of the rules."""
        if self._own is None:
            return None
        return tuple(one.text for one in self._own.sets)

    @cached_property
    def first_player_wins(self) -> float:
        """Win probability of the player who begins, with best play by all.

        >>> round(solve("facebook").first_player_wins, 5)
        0.53487
        """
        if self._own and self._own.of_two:
            me, them = self._own.head_starts
            return self.value(me, them)
        return self.value()

    def value(self, me: SupportsIndex = 0, them: Scores = 0, **standing: Unpack[Standing]) -> float:
        """Return the win probability of the player who is about to start a turn.

        >>> game = solve("facebook")
        >>> round(game.value(me=5000, them=4000), 4)
        0.7067
        """
        if self._own is None and self.players == 2:
            asked = self._advisor.asked(None, self._situation(me, them, **standing))
            return asked.play.win_probability(asked.position)
        return self.odds(me, them, **standing).win_probability

    def advise(
        self,
        roll: Roll,
        me: SupportsIndex = 0,
        them: Scores = 0,
        *,
        turn: SupportsIndex = 0,
        hot_dice: int | None = None,
        **standing: Unpack[Standing],
    ) -> Advice:
        """Return every way to go on after a roll, the best first.

        roll : the faces as typed or as numbers; loaded dice by name: "5 lucky, 1 odd, 3 3 ordinary"
        turn : points set aside in this turn before the roll
        hot_dice : hot dice so far, where their bonus changes

        >>> game = solve("facebook")
        >>> for option in game.advise([5, 2], me=4200, them=5000, turn=350):
        ...     print(option.keep, option.turn, option.action, round(option.win_probability, 4))
        5 400 bank 0.3836

        Raises InvalidRollError, InvalidDiceError and InvalidPositionError.
        """
        situation = self._situation(me, them, turn, hot_dice, **standing)
        return self._advice(self._advisor.advise(_typed(roll), situation))

    def odds(
        self,
        me: SupportsIndex = 0,
        them: Scores = 0,
        *,
        turn: SupportsIndex = 0,
        dice: int | str | None = None,
        hot_dice: int | None = None,
        **standing: Unpack[Standing],
    ) -> Odds:
        """Return whether to roll or to bank, before a roll.

        turn : points set aside in this turn
        dice : how many are left to roll, loaded ones by name: "lucky*2,odd"; all of them at the
            start of a turn

        >>> game = solve("facebook")
        >>> odds = game.odds(me=4200, them=5000, turn=350, dice=2)
        >>> odds.action, round(odds.roll, 4), round(odds.farkle_probability, 4)
        ('bank', 0.3685, 0.4444)

        Raises InvalidPositionError, InvalidDiceError, and InvalidRequestError where the dice left
        to roll are not told.
        """
        situation = self._situation(me, them, turn, hot_dice, **standing)
        if dice is None and situation.turn_total:
            raise InvalidRequestError(
                "say which dice are left to roll at a turn total of"
                f" {situation.turn_total:,}, such as dice={self._dice_text(1)}"
            )
        if self._own is None and dice is not None:
            dice = _number(dice)
        found = self._advisor.odds(dice, situation)
        return Odds(
            action=found.action.value,
            win_probability=found.win_probability,
            roll=found.roll,
            bank=found.bank,
            farkle_probability=found.farkle_probability,
            chances=_chances(found.chances, found.win_probability, found.position),
            reachable=found.reachable,
            text=odds_text(found),
        )

    def turn(
        self,
        me: SupportsIndex = 0,
        them: Scores = 0,
        *,
        hot_dice: int = 0,
        **standing: Unpack[Standing],
    ) -> Turn:
        """Return a whole turn as arrays, for NumPy and pandas.

        hot_dice : the part of the turn after so many hot dice, where their bonus changes

        >>> turn = solve("facebook").turn(me=4200, them=5000)
        >>> turn.roll.shape == (len(turn.totals), len(turn.dice))
        True
        >>> turn.bank_from["2"]
        300
        """
        situation = self._situation(me, them, 0, hot_dice, **standing)
        asked = self._advisor.asked_of_turn(None, situation)
        found = turn_map(asked.play, asked.position, asked.play.whole(asked.position.mover))
        bank_from = {self._dice_text(one.dice): one.turn_total for one in found.bank_from}
        rows = [
            (dice_count(int(name)) if name.isdecimal() else name, threshold_text(one))
            for name, one in zip(bank_from, found.bank_from, strict=True)
        ]
        head = f"{self.rules.name} rules: bank from these turn totals on, by dice left to roll"
        return Turn(
            totals=found.totals,
            dice=tuple(map(self._dice_text, found.columns)),
            roll=found.roll,
            bank=found.bank,
            reachable=found.reachable,
            bank_from=bank_from,
            text="\n".join([head, *columns(rows, right={1})]),
        )

    def bank_from(
        self,
        dice: int | str,
        me: SupportsIndex = 0,
        them: Scores = 0,
        **standing: Unpack[Standing],
    ) -> int | None:
        """Return the least turn total at which to bank with some dice left; None for never.

        Near the goal it may be best to roll again at higher ones: `turn(...).banks` has all.

        >>> solve("facebook").bank_from(dice=2)
        300

        Raises InvalidRequestError for dice that a turn does not come to.
        """
        found = self.turn(me, them, **standing).bank_from
        name = str(dice)
        if self._own is not None:
            name = self._own.mine.left(read_left(self._own.mine, name)).text
        if name not in found:
            raise InvalidRequestError(
                f"no turn comes to {name} dice to roll: known are {', '.join(found)}"
            )
        return found[name]

    def _situation(
        self,
        me: SupportsIndex,
        them: Scores,
        turn: SupportsIndex = 0,
        hot_dice: int | None = None,
        *,
        farkles: int = 0,
        their_farkles: int = 0,
        on_board: bool | None = None,
        their_on_board: bool | None = None,
        to_confirm: bool | None = None,
        throws: int | None = None,
        held_set: int | None = None,
        rounds: int | None = None,
        to_beat: int = 0,
        began: Literal["me", "them"] | None = None,
    ) -> Situation:
        """The position that is meant. Raises InvalidRequestError."""
        if _is_several(them):
            others = [whole("them", score) for score in them]
        else:
            others = [whole("them", them)] * (1 if them else self.players - 1)
        if len(others) != self.players - 1:
            raise InvalidRequestError(
                f"them: the number of other players is {self.players - 1}, and scores are given of"
                f" {len(others)}"
            )
        if began is not None and began not in ("me", "them"):
            raise refused("began", "'me' or 'them'", began)
        check_known("on_board", on_board)
        check_known("their_on_board", their_on_board)
        check_known("to_confirm", to_confirm)
        mine, theirs = whole("farkles", farkles), whole("their_farkles", their_farkles)
        if self.players > 2 and (mine or theirs):
            raise InvalidPositionError(
                "farkles in a row are counted in games of two alone: leave them out"
            )
        return Situation(
            banked=whole("me", me),
            opponent=tuple(others),
            turn_total=whole("turn", turn),
            hot_dice=None if hot_dice is None else whole("hot_dice", hot_dice),
            farkles=mine,
            opponent_farkles=theirs,
            on_board=on_board,
            opponent_on_board=their_on_board,
            to_confirm=to_confirm,
            throws=None if throws is None else whole("throws", throws),
            held_set=None if held_set is None else whole("held_set", held_set),
            rounds=None if rounds is None else whole("rounds", rounds),
            to_beat=whole("to_beat", to_beat),
            began=None if began is None else began == "me",
            rules=self.rules,
            dice=self._own,
        )

    def _dice_text(self, dice: Remaining) -> str:
        return str(dice) if self._own is None else self._own.mine.left(dice).text

    def _advice(self, found: SolverAdvice) -> Advice:
        """Advice as a program reads it."""
        win_probability = found.best
        options = tuple(
            Option(
                keep=self._kept_text(found.roll, one.set_aside),
                faces=self._faces(found.roll, one.set_aside),
                points=one.points,
                turn=one.turn_total,
                dice=self._number(one.dice_left),
                left=self._dice_text(one.dice_left),
                action=one.action.value,
                win_probability=one.win_probability,
                cost=win_probability - one.win_probability,
                chances=_chances(one.chances, one.win_probability, found.position),
            )
            for one in found.options
        )
        chances = _chances(found.chances, win_probability, found.position)
        return Advice(options, win_probability, chances, found.reachable, advice_text(found))

    def _kept_text(self, roll: Dice, kept: Dice) -> str:
        return self._own.kit.set_aside_text(roll, kept) if self._own else dice_text(kept)

    def _faces(self, roll: Dice, kept: Dice) -> Dice:
        return self._own.kit.shown(roll).dice_set.faces(kept) if self._own else kept

    def _number(self, dice: Remaining) -> int:
        return sum(self._own.mine.dice_set.remaining[dice]) if self._own else dice


def settings_for(data: str | PathLike[str] | None) -> Settings:
    """The settings of the environment, with another folder for what is kept if one is given.

    Raises InvalidRequestError.
    """
    settings = read_settings(Settings)
    if data is None:
        return settings
    with suppress(TypeError, RuntimeError):  # no path, or the home of nobody
        folder = Path(data).expanduser()
        if "\0" not in str(folder):
            return settings.model_copy(update={"data": folder})
    raise refused("data", "a folder", data)


def advisor_of(settings: Settings) -> Advisor:
    """What answers from the files of solved games."""
    return Advisor(settings.strategies)


def is_shown(*, progress: bool) -> bool:
    """Whether progress is shown: where it is asked for and standard error is a terminal."""
    return progress and sys.stderr is not None and sys.stderr.isatty()


def solve_first(settings: Settings, rules: Ruleset, players: int, *, shown: bool) -> None:
    """Solve rules for so many players if they are not, and keep that. Raises FarkleError."""
    with suppress(StrategyFileError):
        advisor_of(settings).strategy_for(rules, players)
        return
    from bot.shell.first_solve import solve_with_share  # noqa: PLC0415 - 0.1 s, of solves
    from bot.tasks.solving import seconds_of_solve  # noqa: PLC0415 - 46 ms, of solves

    seconds = seconds_of_solve(rules, players)
    solve_with_share(settings, rules, players, seconds, quietly=not shown)


def _own_dice(
    rules: Ruleset,
    players: int,
    dice: str | Sequence[str] | None,
    badges: tuple[str | None, str | None] | None,
    *,
    joker_alone: bool,
) -> LoadedDice:
    """What players bring. Raises InvalidDiceError and InvalidRequestError."""
    ordinary = f"ordinary*{rules.dice}"
    given = [dice] if isinstance(dice, str) else () if dice is None else dice
    if not isinstance(given, Sequence) or not all(isinstance(one, str) for one in given):
        raise refused("dice", f'sets such as "{ordinary}", yours first', dice, InvalidDiceError)
    pair = (None, None) if badges is None else badges
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise refused("badges", 'two, such as ("tin-doppelganger", None)', badges)
    named = list(given)
    players = max(players, len(named)) if players == 2 else players
    if len(named) > players:
        raise InvalidRequestError(f"dice: {len(named)} sets are too many for {players} players")
    named += [ordinary] * (players - len(named))
    sets = [read_set(one, rules.dice) for one in named]
    held: Sequence[NamedBadge | None] = (None,) * players
    if players == 2:
        held = read_badges(*pair)
    else:
        check_no_badges(*pair)
    return LoadedDice(rules, tuple(map(Kit, sets, held)), joker_alone)


def _solved_dice(settings: Settings, own: LoadedDice, *, shown: bool) -> Advisor:
    """Return what answers on dice, which are solved if need be, and kept. Raises FarkleError."""
    from bot.shell.first_solve import solve_dice  # noqa: PLC0415 - 0.1 s, of solves

    advisor = advisor_of(settings)
    solve_dice(settings, advisor, own, quietly=not shown)
    return advisor


def whole(name: str, value: object, error: type[FarkleError] = InvalidRequestError) -> int:
    """Return the whole number that is given by a name, also one of NumPy. Raises `error`."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # an array of several is none
            return index(value)
    raise refused(name, "a whole number", value, error)


def check_known(name: str, value: object) -> None:
    """Raises InvalidRequestError unless a value says yes, no or nothing."""
    if not isinstance(value, bool | np.bool_ | None):
        raise refused(name, "True, False or None", value)


def refused(
    name: str, accepted: str, value: object, error: type[FarkleError] = InvalidRequestError
) -> FarkleError:
    """The error that says what is accepted in place of a value."""
    return error(f"{name}: takes {accepted}, not {short(repr(value))}")


def _is_several(given: object) -> TypeGuard[Iterable[object]]:
    """Whether something is several numbers, such as a list or an array, and no text."""
    is_scalar = isinstance(given, str) or getattr(given, "ndim", None) == 0
    return isinstance(given, Iterable) and not is_scalar


def _typed(roll: Roll) -> str:
    """A roll as people type it. Raises InvalidRollError."""
    if isinstance(roll, str):
        return roll
    if _is_several(roll):
        faces = [whole("roll", face, InvalidRollError) for face in roll]
    else:
        number = whole("roll", roll, InvalidRollError)
        faces = [int(digit) for digit in str(number)] if number > 0 else [number]
    for face in faces:
        if face not in FACES:
            raise InvalidRollError(f"{face} is not a die face: faces are 1 to {len(FACES)}")
    return " ".join(map(str, faces))


def _number(dice: int | str) -> int:
    """A number of dice. Raises InvalidRequestError."""
    if isinstance(dice, str):
        with suppress(ValueError):
            return int(dice)
        raise refused("dice", "a number, as all dice are alike here", dice)
    return whole("dice", dice)


def _chances(
    chances: tuple[float, ...], win_probability: float, position: Position
) -> tuple[float, ...]:
    """Win probabilities of all players, the one to act first."""
    if len(chances) > 2:
        return tuple(chances[seat] for seat in position.in_order)
    return win_probability, 1 - win_probability
