"""Dice and badges that players bring to a game, and match-ups of them, solved on demand and kept.

Most functions may load numba, and so are called only in a worker or on the command line.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.services.situation import Situation, position_of
from bot.settings import Settings
from bot.table.badges import TAKES_DICE, check_use
from bot.table.state import Game
from solver.batch.local import compiled_code, solve_here
from solver.batch.subjects import GameOfDice
from solver.errors import (
    IllegalActionError,
    InvalidRequestError,
    InvalidRollError,
    StrategyFileError,
)
from solver.game.best import BestPlay
from solver.game.position import ALL_LEFT, Held, Position, check_several
from solver.game.standings import OnShare, Standing, score_count
from solver.loaded.files import open_matchup, strategy_of
from solver.loaded.kits import Kit, badges_of, head_starts_of, matchup_of
from solver.loaded.matchup import Matchup, check_no_badges
from solver.loaded.power_turn import PowerTurn
from solver.loaded.strategy import OwnDice
from solver.named.badges import Badges, played_badges, read_badges
from solver.named.rolls import read_roll, read_set_aside
from solver.named.sets import NamedSet, read_dice, read_set
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge, Remaining, Roll, TurnState
from solver.turn.equations import Floats
from solver.turn.points import turn_outcome
from solver.turn.powers import PowerKind, in_steps
from solver.wording import say_number

ORDINARY = "ordinary*6"
"""The dice of a player of whom no others are named."""

NEXT_PLAYER = "/"
"""Stands between the dice of one player and those of the next."""

_KEPT_SECONDS = 0.5
"""Seconds that an answer takes whose match-up is solved."""
_TURN_SECONDS = 4e-9
"""Seconds that a turn with a badge takes for each of its options and each score."""
_LIGHT_SECONDS = 0.3
"""Seconds of computing that an answer may take without a task of its own."""


@dataclass(frozen=True, slots=True)
class MatchupFolders:
    """The folders of solved match-ups and of compiled code."""

    matchups: Path
    kernels: Path
    most_bytes: int
    """The bytes that match-ups may take; those go first that were not used for longest."""


def folders_of(settings: Settings) -> MatchupFolders:
    """The folders that the settings name."""
    return MatchupFolders(settings.matchups, settings.kernels, settings.matchup_memory * 2**20)


@dataclass(frozen=True, slots=True)
class LoadedDice:
    """The dice and badges that players bring: first mine, then the others' in the order of turns.

    I am the player who asks or is to move. Badges are for games of two.
    """

    rules: Ruleset
    kits: tuple[Kit, ...]
    joker_alone: bool = False
    """Whether jokers may score in a set-aside of jokers alone."""

    @property
    def kit(self) -> Kit:
        """My dice and badge."""
        return self.kits[0]

    @property
    def mine(self) -> NamedSet:
        """My dice."""
        return self.kits[0].dice

    @property
    def theirs(self) -> NamedSet:
        """The dice of the player after me."""
        return self.kits[1].dice

    @property
    def of_two(self) -> bool:
        """Whether two play."""
        return len(self.kits) == 2

    @property
    def sets(self) -> tuple[NamedSet, ...]:
        """The dice of all players."""
        return tuple(kit.dice for kit in self.kits)

    @property
    def others(self) -> tuple[NamedSet, ...]:
        """The dice of all players but me."""
        return self.sets[1:]

    @property
    def badges(self) -> Badges:
        """My badge and that of the player after me."""
        return self.kits[0].badge, self.kits[1].badge

    @property
    def played(self) -> Badges:
        """The two badges, None for one that the other cancels, see `played_badges`."""
        return played_badges(*self.badges)

    @property
    def held(self) -> Held:
        """The uses that my badge and the opponent's have left."""
        if not any(badge and badge.power for badge in self.played):
            return ALL_LEFT
        mine, theirs = (badge.uses_left if badge else 0 for badge in self.played)
        return Held((mine, theirs))

    @property
    def may_use(self) -> bool:
        """Whether I have a badge that may still be used."""
        return bool(self.held.uses and self.held.uses[0])

    @property
    def head_starts(self) -> tuple[int, int]:
        """Points that badges give at the start. Raises InvalidPositionError."""
        return head_starts_of(self.rules, self.played)

    @property
    def without_badge(self) -> "LoadedDice":
        """The game if I had no badge."""
        return replace(self, kits=(replace(self.kit, badge=None), *self.kits[1:]))

    @property
    def exchanged(self) -> "LoadedDice":
        """The dice as the next player sees them."""
        return replace(self, kits=(*self.kits[1:], self.kits[0]))

    def combinations(self, side: int) -> Badge:
        """The combinations that my badge adds, or the opponent's for a `side` of 1."""
        badge = self.played[side]
        return badge.combinations(self.rules) if badge else ()

    @property
    def matchup(self) -> Matchup:
        """The match-up of all the dice; mine are seat 0. Raises what `matchup_of` raises."""
        return matchup_of(self.rules, self.kits, joker_alone=self.joker_alone)

    def win(self, play: OwnDice, *, begins: bool, held: Held | None = None) -> float:
        """My win probability at the beginning of a game of two, if both play optimally.

        held : the uses that badges have left; those of `held` if None
        """
        scores, uses = self.head_starts, held or self.held
        if begins:
            return play.win_probability(play.start(0, *scores, uses))
        return 1 - play.win_probability(play.start(1, *scores[::-1], uses))

    def rolled(self, text: str) -> tuple[Roll, Remaining]:
        """A typed roll, and the dice of mine that were rolled. Raises InvalidRollError."""
        roll = read_roll(self.mine, text)
        return roll, self.mine.dice_set.thrown_in(roll)

    def left(self, text: str | None, turn_total: int) -> Remaining:
        """The dice that are left to roll.

        text : as `read_left` takes it; None for the whole set, at the beginning of a turn

        Raises InvalidDiceError, and InvalidRequestError for None within a turn.
        """
        if text is not None:
            return read_left(self.mine, text)
        if turn_total:
            raise InvalidRequestError.say(
                "say which dice are left to roll at a turn total of {turn_total:,}, such as"
                " dice:{left}",
                turn_total=turn_total,
                left=self.mine.first_name(0).typed,
            )
        return self.mine.dice_set.whole

    def position(self, situation: Situation, left: Remaining | None) -> Position:
        """The position of all players before a roll of mine.

        left : the dice that are rolled; the whole set if None

        Scores that the situation does not name are 0. Raises InvalidRequestError for more scores
        than there are players, and with several players InvalidPositionError for scores that
        cannot come about, before anything is solved.
        """
        left = left or self.mine.dice_set.whole
        if not self.of_two:
            scores = situation.scores + (0,) * (len(self.kits) - len(situation.scores))
            turn = TurnState(situation.turn_total, left)
            position = Position(tuple(map(Standing, scores)), 0, turn)
            check_several(self.rules, position)
            return position
        situation.check_two()
        if self.rules.has_roles and situation.began is False:
            raise InvalidRequestError.say(
                "{rules}: with loaded dice whoever asks is taken to have begun; where the other"
                " player did, ask in the game itself",
                rules=self.rules.name,
            )
        counted = situation._replace(
            banked=self._score(0, situation.banked),
            opponent=(self._score(1, situation.opponent[0]),),
            hot_dice=(situation.hot_dice or 0) if self.matchup.counts_hot_dice else 0,
            began=True,
        )
        return replace(position_of(self.rules, counted, left), held=self.held)

    def _score(self, side: int, score: int) -> int:
        """A score in whole steps of points, once the badge of a side that broke them is used up.

        The fraction of a step that such a badge leaves never matters again.
        """
        badge = self.played[side]
        is_used_up = badge and badge.power and badge.power.is_of_bank and not badge.uses_left
        return in_steps(self.rules, score) if is_used_up else score


def read_kits(
    rules: Ruleset,
    my_dice: str | None,
    their_dice: str | None,
    my_badge: str | None,
    their_badge: str | None,
    *,
    situation: Situation | None = None,
) -> tuple[Kit, ...]:
    """The kits of all players of a situation, or of two without one, from what was typed.

    A player whose dice are None has ordinary ones. If one set is named for several opponents, all
    of them throw it. Raises InvalidDiceError, and InvalidRequestError for badges of more than two
    players, for a number of sets other than that of the scores, and for several sets without a
    situation.
    """
    others = (their_dice or ORDINARY).split(NEXT_PLAYER)
    if situation is None and len(others) > 1:
        raise InvalidRequestError.say(
            "this works for two players: name the dice of the strongest opponent; /play,"
            " /advise and /odds take those of several, as in their-dice:{sets}",
            sets=their_dice,
        )
    if situation is None or (situation.players == 2 and len(others) == 1):
        sets = [read_set(text, rules.dice) for text in (my_dice or ORDINARY, *others)]
        badges = read_badges(my_badge, their_badge)
        return tuple(map(Kit, sets, badges))
    check_no_badges(my_badge, their_badge)
    number = situation.players - 1
    if len(others) == 1:
        others *= number
    if situation.opponent == (0,):  # nobody has any points
        number = len(others)
    if len(others) != number:
        raise InvalidRequestError.say(
            "their-dice: names the dice of {found} players, and them: the scores of {number}",
            found=len(others),
            number=number,
        )
    return tuple(Kit(read_set(text, rules.dice)) for text in (my_dice or ORDINARY, *others))


def solved(
    folders: MatchupFolders, matchup: Matchup, on_progress: OnShare = lambda _: None
) -> OwnDice:
    """The strategy of a match-up, which is solved if need be, and kept if there is room.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    with suppress(StrategyFileError):  # not there, or damaged: solved anew
        return open_matchup(folders.matchups, matchup)
    most, rules = folders.most_bytes, matchup.rules
    game = GameOfDice(rules, matchup.players, matchup=matchup, most_bytes=most)
    with compiled_code(folders.kernels) as cache:
        solution = solve_here(game, cache=cache, on_progress=lambda far: on_progress(far.done))
    # a file larger than the whole limit would push out all others, and then itself
    if sum(array.nbytes for array in solution.arrays) < most:
        with suppress(StrategyFileError):  # without a file it is solved again the next time
            game.save(solution, folders.matchups)
    return strategy_of(matchup, *solution.arrays)


def solved_arrays(
    folders: MatchupFolders, matchup: Matchup, on_progress: OnShare = lambda _: None
) -> tuple[Floats, ...]:
    """The arrays of a match-up, of which `strategy_of` makes its strategy in another process.

    Raises what `solved` does.
    """
    return solved(folders, matchup, on_progress).arrays


def seconds_of(folders: MatchupFolders, matchup: Matchup) -> float:
    """About how long an answer takes that needs a match-up, solved or not."""
    with suppress(StrategyFileError):
        open_matchup(folders.matchups, matchup)
        return _KEPT_SECONDS
    return matchup.seconds


@lru_cache(maxsize=256)
def is_light(matchup: Matchup) -> bool:
    """Whether a turn is solved at once, as all are without badges with a number of uses."""
    if matchup.players > 2 or not any(matchup.powers):
        return True
    most = max(matchup.options(side) for side in (0, 1))
    return _TURN_SECONDS * most * score_count(matchup.rules) < _LIGHT_SECONDS


def read_left(named: NamedSet, text: str) -> Remaining:
    """The dice of a set that are left to roll.

    text : the names of the dice, or their number where only one combination has it

    Raises InvalidDiceError for dice that are not in the set, and InvalidRequestError for a number
    that several combinations have.
    """
    thrown = named.dice_set
    if text.strip().isdecimal() and len(text.strip()) < 3:
        number = int(text)
        candidates = [left for left in thrown.remaining[1:] if sum(left) == number]
        if len(candidates) == 1:
            return thrown.place(candidates[0])
        if candidates:
            raise InvalidRequestError.say(
                "which {number} dice of {set} are left to roll? Name them, as in dice:{example}",
                number=number,
                set=named.text,
                example=named.left(thrown.place(candidates[-1])).text,
            )
        dice = None
    else:
        dice = read_dice(text)
    counts = [0] * len(thrown.types)
    for die in dice or ():
        if die.die not in thrown.types:
            dice = None
            break
        counts[named.type_of(die)] += 1
    if not dice or any(n > most for n, most in zip(counts, thrown.counts, strict=True)):
        raise InvalidRequestError.say(
            'dice: "{text}" are not among the dice of {set}', text=text, set=named.text
        )
    return thrown.place(tuple(counts))


_NOW = re.compile(r"\b(?:now|jetzt)\b", re.IGNORECASE)
"""The word between the dice that are rolled again and the faces that they show then."""


def _kit_left(game: Game, seat: int) -> Kit:
    """The kit of a seat, its badge with the uses that are left."""
    kit = game.kits[seat]
    badge = kit.badge
    if badge is None or len(game.kits) > 2 or badges_of(game.kits)[seat] is None or not badge.power:
        return kit
    uses = game.seats[seat].uses if seat < len(game.seats) else badge.uses_left
    return replace(kit, badge=replace(badge, left=None if uses == badge.badge.uses else uses))


def brought_to(game: Game, play: BestPlay) -> LoadedDice:
    """The kits of the players for whom `play` is solved, that of the player to move first.

    These are all who still play, or, where it is solved for two, the player to move and the
    strongest of the others.
    """
    of_two = game.mover, game.rival_of(game.mover)
    seats = game.in_order if play.players > 2 else of_two
    kits = tuple(_kit_left(game, seat) for seat in seats)
    return LoadedDice(game.rules, kits, game.joker_alone)


def read_fallen(game: Game, typed: str, mover: str) -> Roll:
    """A typed roll of the dice that are to be rolled now. Raises InvalidRollError.

    mover : the name of the player to move, for the message of the error
    """
    return _read_fallen(game.kits[game.mover].dice, typed, game.turn.dice, mover)


def read_kept(game: Game, typed: str) -> Roll:
    """The typed dice of the roll on the table; () where there is no roll.

    Raises InvalidRollError.
    """
    roll = game.turn.roll
    return () if roll is None else read_set_aside(game.kits[game.mover].shown(roll), roll, typed)


def read_use(game: Game, typed: str, mover: str) -> tuple[Roll, Roll]:
    """The typed dice on which a badge is used, and those that fell by its use in a tracked game.

    Both are () where a badge needs no dice, or may not be used. Raises InvalidRollError and
    IllegalActionError.
    """
    power, kit = game.power, game.kit
    before, *after = _NOW.split(typed, maxsplit=1)
    if power is None or not game.may_use or not typed:
        return (), ()
    thrown = kit.dice.dice_set
    if power.kind in TAKES_DICE:
        dice = read_kept(game, before)
        if not after:
            return dice, ()
        types = check_use(game, game.mover, dice)
        left = thrown.place(tuple(types.count(k) for k in range(len(thrown.types))))
        return dice, _read_fallen(kit.dice, after[0], left, mover) if types else ()
    if not game.tracked:
        raise IllegalActionError.say("this badge is used without dice: /use alone does it")
    if power.kind is not PowerKind.MIGHT:
        return (), read_fallen(game, typed, mover)
    wider = kit.with_added
    left = wider.dice_set.place((*thrown.remaining[game.turn.dice], 1))
    return (), _read_fallen(wider, typed, left, mover)


def _read_fallen(named: NamedSet, typed: str, dice: Remaining, mover: str) -> Roll:
    """A typed roll of exactly these dice of a set. Raises InvalidRollError."""
    roll, thrown = read_roll(named, typed, dice), named.dice_set
    if thrown.thrown_in(roll) != dice:
        raise InvalidRollError(
            say_number(
                "now {name} rolls {number} [die|dice], {set}, not {told}",
                sum(thrown.remaining[dice]),
                name=mover,
                set=named.left(dice).text,
                told=len(roll),
            )
        )
    return roll


MOST_DICE = 8
"""The most combinations of remaining dice of which a plan says when to use a badge."""


@dataclass(frozen=True, slots=True)
class UseAt:
    """The turn totals from `first` to `last`, at which, or at most of which, to use a badge."""

    dice: NamedSet | None
    """The dice that are left to roll; None where they do not matter."""
    first: int
    """The least of these turn totals, in points."""
    last: int
    """The greatest of these turn totals, in points."""


@dataclass(frozen=True, slots=True)
class BadgePlan:
    """When to use a badge in my first turn; of `at`, `share` and `before` what its kind has."""

    kind: PowerKind | None
    """What it allows some times in a game; None for a badge that is not used up."""
    worth: float
    """The win probability that it adds in the game that was asked for."""
    at: tuple[UseAt, ...] = ()
    """When to use a badge that is used at a bank, a farkle or before a roll."""
    share: float | None = None
    """The chance that a badge that is used on a roll is best used on the first roll."""
    before: bool | None = None
    """Whether to announce a badge that has to be announced before the first roll."""


def badge_plan(
    dice: LoadedDice, strategy: OwnDice, without: OwnDice, *, begins: bool
) -> BadgePlan | None:
    """What my badge is worth and when to use it; None without one that does anything any more.

    without : the strategy without the combinations that it adds or changes
    """
    badge = dice.played[0]
    if badge is None or (badge.power and not badge.uses_left):
        return None
    if badge.power is None:
        plain = dice.without_badge.win(without, begins=begins)
        return BadgePlan(None, dice.win(strategy, begins=begins) - plain)
    used_up = Held((0, other.uses_left if (other := dice.played[1]) else 0))
    worth = dice.win(strategy, begins=begins) - dice.win(strategy, begins=begins, held=used_up)
    turn = strategy.power_turn(strategy.start(0, *dice.head_starts, dice.held))
    if turn is None:
        return None
    kind = badge.power.kind
    if turn.said is not None:
        return BadgePlan(kind, worth, before=turn.said > turn.top.roll[0, 0, -1])
    if turn.use_on_rolls:
        return BadgePlan(kind, worth, share=turn.share_of_first_rolls())
    rows = (dice.rules.winning_score - dice.head_starts[0]) // dice.rules.point_step
    return BadgePlan(kind, worth, at=_use_at(dice, turn, rows))


def _use_at(dice: LoadedDice, turn: PowerTurn, rows: int) -> tuple[UseAt, ...]:
    """When to use a badge that acts on banks, farkles or before rolls.

    rows : the turn totals that are looked at, in steps of points: those below
    """
    top, step = turn.top, dice.rules.point_step
    if turn.more is not None:
        # a bank that reaches the goal needs no badge
        raised = turn.more[:rows] > np.nan_to_num(top.ends.bank[:rows], nan=-1.0)
        return _stretch(None, np.flatnonzero(raised), step)
    table = turn.table
    visits = turn_outcome(dice.rules, table).visits[0, :rows]
    uses: tuple[UseAt, ...] = ()
    for column in np.argsort(-visits.sum(axis=0), kind="stable")[:MOST_DICE]:
        is_reached = visits[:, column] > 0
        if turn.instead is not None:
            better = turn.instead[0, :rows, column] > top.ends.farkle[:rows]
        else:
            bank = np.nan_to_num(top.ends.bank[:rows], nan=-1.0)
            plain = np.maximum(top.roll[0, :rows, column], bank)
            better = plain < (-1 if turn.added is None else turn.added[0, :rows, column])
        left = dice.mine.left(int(column) + 1)
        uses += _stretch(left, np.flatnonzero(better & is_reached), step)
    return uses


def _stretch(left: NamedSet | None, rows: npt.NDArray[np.intp], step: int) -> tuple[UseAt, ...]:
    """The turn totals from the first to the last of `rows`; () if there are none."""
    if not len(rows):
        return ()
    return (UseAt(left, int(rows[0]) * step, int(rows[-1]) * step),)
