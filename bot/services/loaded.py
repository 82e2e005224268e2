"""What players bring to a game, and match-ups of it that are solved when asked for, and kept.

All of it may load numba, and so is called only in a worker or on the command line.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.services.situation import Situation, position_of
from bot.settings import Settings
from bot.table.badges import TAKES_DICE, check_use
from bot.table.state import Game
from solver.batch.local import compiled_code, with_sound_code
from solver.errors import (
    IllegalActionError,
    InvalidRequestError,
    InvalidRollError,
    StrategyFileError,
)
from solver.game.best import BestPlay
from solver.game.many import ManySolution
from solver.game.position import ALL_LEFT, Held, Position, check_several
from solver.game.standings import Progress, Standing, score_count
from solver.game.workload import workload
from solver.loaded.files import keep_within, open_matchup, save_matchup, strategy_of
from solver.loaded.kits import Kit, badges_of, head_starts_of, matchup_of
from solver.loaded.matchup import Matchup, MatchupSolution, check_no_badges
from solver.loaded.power_turn import PowerTurn
from solver.loaded.strategy import OwnDice
from solver.named.badges import Badges, played_badges, read_badges
from solver.named.rolls import read_roll, read_set_aside
from solver.named.sets import NamedSet, read_dice, read_set
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge, Remaining, Roll, TurnState
from solver.turn.equations import Floats
from solver.turn.points import turn_outcome
from solver.turn.powers import PowerKind, in_steps, uses_of
from solver.turn.remaining import shape_of
from solver.turn.rerolls import operations
from solver.wording import say_number

Told = Callable[[float], None]

ORDINARY = "ordinary*6"
"""What a player throws who is not said to have other dice."""

NEXT_PLAYER = "/"
"""Between the dice of one player and those of the next."""

_SECONDS = 1.5e-10
"""That a solve takes for each option of a turn and each turn total of a state that it solves."""
_LEAST_SECONDS = 0.5
_TURN_SECONDS = 4e-9
"""That a turn takes in which a badge may be used, for each of its options and each score."""
_LIGHT = 0.3
"""Seconds that a turn may take for which people wait at once."""


@dataclass(frozen=True, slots=True)
class MatchupFolders:
    """Where match-ups and compiled code are kept."""

    matchups: Path
    kernels: Path
    most_bytes: int
    """That match-ups may take; those go first that were not used for longest."""


def folders_of(settings: Settings) -> MatchupFolders:
    """Where the settings put them."""
    return MatchupFolders(settings.matchups, settings.kernels, settings.matchup_memory * 2**20)


@dataclass(frozen=True, slots=True)
class LoadedDice:
    """What players bring, in the order of turns from the one on who acts and is me.

    The goal is that of the rules; badges are for two.
    """

    rules: Ruleset
    kits: tuple[Kit, ...]
    joker_alone: bool = False
    """Whether jokers may score without a die that is none."""

    @property
    def kit(self) -> Kit:
        """What I bring."""
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
        """The dice of all others."""
        return self.sets[1:]

    @property
    def badges(self) -> Badges:
        """My badge and that of the player after me."""
        return self.kits[0].badge, self.kits[1].badge

    @property
    def played(self) -> Badges:
        """The badges that do anything, see `played_badges`."""
        return played_badges(*self.badges)

    @property
    def held(self) -> Held:
        """What is left of my badge and of theirs."""
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
    def exchanged(self) -> "LoadedDice":
        """Return the dice as the next player sees them."""
        return replace(self, kits=(*self.kits[1:], self.kits[0]))

    def combinations(self, side: int) -> Badge:
        """What the badge of a side adds to the combinations."""
        badge = self.played[side]
        return badge.combinations(self.rules) if badge else ()

    @property
    def matchup(self) -> Matchup:
        """What is solved; mine are seat 0. Raises what `matchup_of` raises."""
        return matchup_of(self.rules, self.kits, joker_alone=self.joker_alone)

    def win(self, play: OwnDice, *, begins: bool, held: Held | None = None) -> float:
        """My win probability in a game of two from its beginning on, with best play by both.

        held : what is left of badges, where that is not what they say
        """
        scores, left = self.head_starts, held or self.held
        if begins:
            return play.win_probability(play.start(0, *scores, left))
        return 1 - play.win_probability(play.start(1, *scores[::-1], left))

    def rolled(self, text: str) -> tuple[Roll, Remaining]:
        """Return a roll as typed, and the dice that fell. Raises InvalidRollError."""
        roll = read_roll(self.mine, text)
        return roll, self.mine.dice_set.thrown_in(roll)

    def left(self, text: str | None, turn_total: int) -> Remaining:
        """Return the dice that are left to roll, as `read_left` takes them; None for the whole set.

        Raises InvalidDiceError, and InvalidRequestError where they are not told in a turn.
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
        """Return a position of all before a roll of some of my dice, all of them if None.

        Scores not told are none. Raises InvalidRequestError for more scores than there are players,
        and of several InvalidPositionError for scores that cannot be, before anything is solved.
        """
        left = left or self.mine.dice_set.whole
        if not self.of_two:
            return self._position_of_several(situation, left)
        situation.check_two()
        if self.rules.has_roles and situation.began is False:
            raise InvalidRequestError.say(
                "{rules}: with loaded dice whoever asks is taken to have begun; where the other"
                " player did, ask in the game itself",
                rules=self.rules.name,
            )
        counted = replace(
            situation,
            banked=self._score(0, situation.banked),
            opponent=self._score(1, situation.opponent),
            hot_dice=(situation.hot_dice or 0) if self.matchup.counts_hot_dice else 0,
            began=True,
        )
        return replace(position_of(self.rules, counted, left), held=self.held)

    def _position_of_several(self, situation: Situation, left: Remaining) -> Position:
        scores = situation.scores + (0,) * (len(self.kits) - len(situation.scores))
        position = Position(tuple(map(Standing, scores)), 0, TurnState(situation.turn_total, left))
        check_several(self.rules, position)
        return position

    def _score(self, side: int, score: int) -> int:
        """Return a score as it counts.

        A fraction of a step that a badge left over never matters again.
        """
        badge = self.played[side]
        used = badge and badge.power and badge.power.is_of_bank and not badge.uses_left
        return in_steps(self.rules, score) if used else score


def read_kits(
    rules: Ruleset,
    my_dice: str | None,
    their_dice: str | None,
    my_badge: str | None,
    their_badge: str | None,
    *,
    situation: Situation | None = None,
) -> tuple[Kit, ...]:
    """What players bring, as typed, ordinary dice where nothing is: two, or all of a situation.

    Where one set is named for several others, all of them throw it. Raises InvalidDiceError, and
    InvalidRequestError for badges of more than two, where other numbers of sets and of scores are
    told, and without a situation for the sets of several.
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
    if number == 1 and not situation.opponent:  # nobody has any points
        number = len(others)
    if len(others) != number:
        raise InvalidRequestError.say(
            "their-dice: names the dice of {found} players, and them: the scores of {number}",
            found=len(others),
            number=number,
        )
    return tuple(Kit(read_set(text, rules.dice)) for text in (my_dice or ORDINARY, *others))


def solved(
    folders: MatchupFolders, matchup: Matchup, on_progress: Told = lambda _: None
) -> OwnDice:
    """Return the strategy of a match-up, which is solved if need be, and kept if there is room.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    with suppress(StrategyFileError):  # not there, or damaged: solved anew
        return open_matchup(folders.matchups, matchup)
    with compiled_code(folders.kernels) as cache:
        solution = with_sound_code(cache, partial(_solution, matchup, cache, on_progress))
    # what is larger than all may be would push out all others, and then itself
    if sum(array.nbytes for array in solution.arrays) < folders.most_bytes:
        with suppress(StrategyFileError):  # a folder that nobody can write to costs time next time
            save_matchup(matchup, solution, folders.matchups)
            keep_within(folders.matchups, folders.most_bytes)
    return strategy_of(matchup, *solution.arrays)


def solved_arrays(
    folders: MatchupFolders, matchup: Matchup, on_progress: Told = lambda _: None
) -> tuple[Floats, ...]:
    """The arrays of a match-up, which is solved if need be, as its strategy takes them.

    Raises what `solved` raises.
    """
    return solved(folders, matchup, on_progress).arrays


def seconds_of(folders: MatchupFolders, matchup: Matchup) -> float:
    """About how long it takes to answer what needs a match-up."""
    return _LEAST_SECONDS if is_solved(folders, matchup) else seconds_of_solve(matchup)


def seconds_of_solve(matchup: Matchup) -> float:
    """About how long a solve takes.

    Raises InvalidRulesError for rules under which there are too many positions.
    """
    if matchup.players > 2:
        return matchup.seconds
    others = [1 + uses_of(power) for power in reversed(matchup.powers)]
    options = sum(other * _options(matchup, side) for side, other in enumerate(others))
    turn_totals = workload(matchup.rules).cells / matchup.rules.dice
    return float(_LEAST_SECONDS + _SECONDS * options * turn_totals)


@lru_cache(maxsize=256)
def is_light(matchup: Matchup) -> bool:
    """Whether a turn of it is solved in no time, as all are without badges that are used up."""
    if matchup.players > 2 or not any(matchup.powers):
        return True
    most = max(_options(matchup, side) for side in (0, 1))
    return _TURN_SECONDS * most * score_count(matchup.rules) < _LIGHT


def _options(matchup: Matchup, side: int) -> float:
    """About the options that a side has in its turns, those of all its uses left together."""
    thrown, power = matchup.dice[side], matchup.powers[side]
    # they grow so with the remaining dice that a turn tells apart
    plain: float = 25 * thrown.whole**1.95
    if power is None:
        return plain
    more = {PowerKind.DOPPELGANGER: 2.0, PowerKind.TRANSMUTATION: 3.0}.get(power.kind, 1.0) * plain
    once = 6 * plain if power.kind is PowerKind.MIGHT else 0.0
    if power.kind is PowerKind.REROLL:
        more = 1.2 * (plain + operations(shape_of(thrown), power))
    found = plain
    for uses in range(1, power.uses + 1):
        # with their bounds layers below are solved three times, and the last one about five times
        below = 0 if power.is_of_bank else min(uses, 1) if power.once else uses
        found += more + 0.6 * below * (more + once)
    return found


def is_solved(folders: MatchupFolders, matchup: Matchup) -> bool:
    """Whether there is a sound file of a match-up."""
    try:
        open_matchup(folders.matchups, matchup)
    except StrategyFileError:
        return False
    return True


def read_left(named: NamedSet, text: str) -> Remaining:
    """The dice of a set that are left to roll, by name, or their number where that tells them.

    Raises InvalidDiceError and InvalidRequestError.
    """
    thrown = named.dice_set
    if text.strip().isdecimal() and len(text.strip()) < 3:
        number = int(text)
        found = [left for left in thrown.remaining[1:] if sum(left) == number]
        if len(found) == 1:
            return thrown.place(found[0])
        if found:
            raise InvalidRequestError.say(
                "which {number} dice of {set} are left to roll? Name them, as in dice:{example}",
                number=number,
                set=named.text,
                example=named.left(thrown.place(found[-1])).text,
            )
        dice = None
    else:
        dice = read_dice(text)
    counts = [0] * len(thrown.types)
    for one in dice or ():
        if one.die not in thrown.types:
            dice = None
            break
        counts[named.type_of(one)] += 1
    if not dice or any(n > most for n, most in zip(counts, thrown.counts, strict=True)):
        raise InvalidRequestError.say(
            'dice: "{text}" are not among the dice of {set}', text=text, set=named.text
        )
    return thrown.place(tuple(counts))


def _solution(matchup: Matchup, cache: Path, on_progress: Told) -> MatchupSolution | ManySolution:
    if matchup.players > 2:
        from solver.game.many_sweeps import solve_many  # noqa: PLC0415 - numba: 0.4 s

        def tell(progress: Progress) -> None:
            on_progress(progress.done)

        how: dict[str, Any] = {"plans": matchup.plans, "cache": cache}
        return solve_many(matchup.rules, matchup.players, on_progress=tell, **how)
    from solver.loaded.game import solve_matchup  # noqa: PLC0415 - numba: 0.4 s

    return solve_matchup(matchup, cache=cache, on_progress=on_progress)


_NOW = re.compile(r"\b(?:now|jetzt)\b", re.IGNORECASE)
"""What stands between the dice that are rolled again and what they show then."""


def _left_to(game: Game, seat: int) -> Kit:
    """What a seat has brought, the badge with the uses that are left."""
    kit = game.kits[seat]
    badge = kit.badge
    if badge is None or len(game.kits) > 2 or badges_of(game.kits)[seat] is None or not badge.power:
        return kit
    uses = game.seats[seat].uses if seat < len(game.seats) else badge.uses_left
    return replace(kit, badge=replace(badge, left=None if uses == badge.badge.uses else uses))


def brought_to(game: Game, play: BestPlay) -> LoadedDice:
    """Return what those bring to a game whose best play is asked, the player to move first.

    These are all who play, else the player to move and the strongest of the others.
    """
    seats = [game.mover, game.rival_of(game.mover)]
    if play.players > 2:
        order = ((game.mover + k) % len(game.seats) for k in range(len(game.seats)))
        seats = [seat for seat in order if game.seats[seat].playing]
    kits = tuple(_left_to(game, seat) for seat in seats)
    return LoadedDice(game.rules, kits, game.joker_alone)


def read_fallen(game: Game, typed: str, mover: str) -> Roll:
    """A roll of the dice that are to be rolled now, as typed. Raises FarkleError."""
    return _fell(game.kits[game.mover].dice, typed, game.turn.dice, mover)


def read_kept(game: Game, typed: str) -> Roll:
    """Dice of the roll on the table, as typed; none where there is no roll.

    Raises InvalidRollError.
    """
    roll = game.turn.roll
    return () if roll is None else read_set_aside(game.kits[game.mover].shown(roll), roll, typed)


def read_use(game: Game, typed: str, mover: str) -> tuple[Roll, Roll]:
    """The dice on which a badge is used, and in a tracked game what fell by it, as typed.

    None where nothing is to be read. Raises InvalidRollError and IllegalActionError.
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
        return dice, _fell(kit.dice, after[0], left, mover) if types else ()
    if not game.tracked:
        raise IllegalActionError.say("this badge is used without dice: /use alone does it")
    if power.kind is not PowerKind.MIGHT:
        return (), read_fallen(game, typed, mover)
    wider = kit.with_added
    left = wider.dice_set.place((*thrown.remaining[game.turn.dice], 1))
    return (), _fell(wider, typed, left, mover)


def _fell(named: NamedSet, typed: str, dice: Remaining, mover: str) -> Roll:
    """A roll of some dice of a set, as typed. Raises InvalidRollError."""
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
"""Remaining dice for which it is told when to use a badge."""


@dataclass(frozen=True, slots=True)
class UseAt:
    """Turn totals at which to use a badge."""

    dice: NamedSet | None
    """With these dice left; None where they do not matter."""
    first: int
    """In points."""
    last: int
    """At those between, or at most of them."""


@dataclass(frozen=True, slots=True)
class BadgePlan:
    """When to use a badge in my first turn, as far as a few words tell."""

    kind: PowerKind
    worth: float
    """What all its uses add to my win probability in the game that was asked for."""
    at: tuple[UseAt, ...] = ()
    """When a badge is best used that is used at a bank, a farkle or before a roll."""
    share: float | None = None
    """The chance that a badge that is used on a roll is best used on the first one."""
    before: bool | None = None
    """Whether a badge that has to be said before the first roll is best said."""


def badge_plan(dice: LoadedDice, strategy: OwnDice, *, begins: bool) -> BadgePlan | None:
    """When to use my badge; None where I have none to use."""
    badge = dice.played[0]
    if badge is None or badge.power is None or not badge.uses_left:
        return None
    used_up = Held((0, other.uses_left if (other := dice.played[1]) else 0))
    with_it = dice.win(strategy, begins=begins)
    worth = with_it - dice.win(strategy, begins=begins, held=used_up)
    turn = strategy.power_turn(strategy.start(0, *dice.head_starts, dice.held))
    if turn is None:
        return None
    kind = badge.power.kind
    if turn.said is not None:
        return BadgePlan(kind, worth, before=turn.said > turn.top.roll[0, 0, -1])
    if turn.use_on_rolls:
        return BadgePlan(kind, worth, share=turn.share_of_first_rolls())
    rows = (dice.rules.winning_score - dice.head_starts[0]) // dice.rules.point_step
    return BadgePlan(kind, worth, at=_when(dice, turn, rows))


def _when(dice: LoadedDice, turn: PowerTurn, rows: int) -> tuple[UseAt, ...]:
    """When to use a badge that acts on banks, farkles or before rolls; totals below `rows`."""
    top, step = turn.top, dice.rules.point_step
    if turn.more is not None:
        # a bank that reaches the goal needs no badge
        raised = turn.more[:rows] > np.nan_to_num(top.ends.bank[:rows], nan=2.0)
        return _stretch(None, np.flatnonzero(raised), step)
    table = turn.table
    visited = turn_outcome(dice.rules, table).visits[0, :rows]
    often = visited.sum(axis=0)
    found: tuple[UseAt, ...] = ()
    for column in np.argsort(-often, kind="stable")[:MOST_DICE]:
        seen = visited[:, column] > 0
        if turn.instead is not None:
            better = turn.instead[:rows, column] > top.ends.farkle[0]
        else:
            bank = np.nan_to_num(top.ends.bank[:rows], nan=-1.0)
            plain = np.maximum(top.roll[0, :rows, column], bank)
            better = plain < (-1 if turn.added is None else turn.added[:rows, column])
        left = dice.mine.left(int(column) + 1)
        found += _stretch(left, np.flatnonzero(better & seen), step)
    return found


def _stretch(left: NamedSet | None, rows: npt.NDArray[np.intp], step: int) -> tuple[UseAt, ...]:
    if not len(rows):
        return ()
    return (UseAt(left, int(rows[0]) * step, int(rows[-1]) * step),)
