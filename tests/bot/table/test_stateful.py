"""Games of any commands in any order, against a second, mutable referee written from the rules."""

import random
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bot.table import commands
from bot.table.events import Begun, Corrected, Event, Revealed, event_data, make_event
from bot.table.fold import apply, begin, fold
from bot.table.state import Game, Stage
from solver.errors import IllegalActionError
from solver.game.position import check_position
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.conftest import EVERY, mostly_slow, variant
from tests.house_rules import ONE_BY_ONE, small

NAMED = dict(ONE_BY_ONE)
QUICK = [
    *[rules for name, rules in ONE_BY_ONE if name.startswith(("final_turn", "equal_turns"))],
    NAMED["nothing special"],
    NAMED["exceeded"],
    NAMED["caught up, everything"],
    NAMED["caught up, 150, below 0"],
    NAMED["opening and minimum"],
    NAMED["minimum not for the win"],
    NAMED["opening not for the win"],
    NAMED["no bank of hot dice"],
    NAMED["set aside all, hot dice forced"],
    NAMED["bank with one die left"],
    NAMED["pairs to confirm"],
    NAMED["two throws, pairs to confirm"],
    NAMED["three throws, in the end one"],
    NAMED["a 2 confirms triples and hot dice"],
    NAMED["300 points or a 1 confirm"],
    NAMED["three throws, bank with one die left"],
    NAMED["last die until it scores"],
    NAMED["held sets, linear, all set aside"],
    NAMED["a straight to fill, all but one, rolls that decide"],
    NAMED["bonus three times"],
    NAMED["farkle keeps from an opening"],
    NAMED["farkle keeps hot dice"],
    NAMED["penalty not below 0"],
    NAMED["farkle 2 costs everything"],
    NAMED["instant win first"],
    NAMED["lose everything and counts"],
    NAMED["final turn, penalty"],
    NAMED["final turn, exceeded"],
    NAMED["play-off, opening"],
    NAMED["a roll of nothing before a final turn"],
    small(goal=100, ending="final_turn", ties="played_on"),
    small(goal=100, ending="equal_turns", ties="played_on", lose_everything=("xx",)),
    variant("facebook", goal=600),
]
ALL = [*QUICK, *[rules for _, rules in ONE_BY_ONE if rules.dice <= 4]]
FACES = st.integers(1, 6)


# ---- The referee -----------------------------------------------------------------------------


@dataclass
class Player:
    on_board: bool
    score: int = 0
    farkles: int = 0
    playing: bool = True
    is_bot: bool = False


@dataclass
class Referee:
    """What a person with pencil and paper would keep."""

    rules: Ruleset
    players: list[Player]
    tracked: bool
    begun: bool = False
    mover: int = 0
    total: int = 0
    dice: int = 0
    hot: int = 0
    doubt: int = 0
    """What has to be confirmed, as the twin has it."""
    throws: int = 0
    held: naive.Dice = ()
    """The set that dice to roll may match, as the twin has it."""
    missed: int = 0
    """How often the dice to roll have farkled that are thrown again."""
    roll: tuple[int, ...] | None = None
    seeded: set[int] = field(default_factory=set)
    final: list[int] | None = None
    """Who still has a last turn, once somebody has reached the goal."""
    reached: list[int] = field(default_factory=list)
    play_off: list[int] | None = None
    """Who still has a turn in this round of the play-off."""
    results: dict[int, int] = field(default_factory=dict)
    over: bool = False
    winners: list[int] | None = None
    history: list["Referee"] = field(default_factory=list)

    # -- what is legal

    @property
    def in_play_off(self) -> bool:
        return self.play_off is not None

    def enough(self, points: int) -> bool:
        """Whether the mover may bank so many points, hot dice aside."""
        rules, me = self.rules, self.players[self.mover]
        if points <= 0:
            return False
        score = me.score + points
        wins = score > rules.goal if rules.goal_must_be == "exceeded" else score >= rules.goal
        if self.beyond(points) and rules.beyond_goal == "no_bank":
            return False
        free = wins or self.final is not None or self.in_play_off
        if not free and any(naive.matches(score, some) for some in rules.no_bank_at):
            return False
        if wins and not rules.minimum_binds_win:
            return True
        opens = not me.on_board and not self.in_play_off
        return points >= max(rules.minimum_bank, rules.opening_minimum if opens else 0)

    def beyond(self, points: int) -> bool:
        """Whether so many points are more than the mover needs to the dot."""
        return naive.goes_beyond(self.rules, self.players[self.mover].score + points)

    def may_roll(self, seat: int) -> bool:
        return not self.over and seat == self.mover and len(self.players) > 1 and self.roll is None

    def may_keep(self, seat: int, dice: tuple[int, ...]) -> bool:
        if self.over or seat != self.mover or self.roll is None:
            return False
        return tuple(sorted(dice)) in self.legal(self.roll)

    def legal(self, roll: tuple[int, ...]) -> dict[tuple[int, ...], int]:
        """The dice that may be set aside of a roll, with their points."""
        first = not (self.total or self.held)
        return dict(naive.set_asides(self.rules, roll, first=first, held=self.held))

    def may_bank(self, seat: int) -> bool:
        if self.over or seat != self.mover or self.roll is not None or not self.total:
            return False
        is_over = 0 < self.rules.throws == self.throws
        if naive.is_part(self.rules, self.held):
            return False
        if self.doubt or self.missed or not (is_over or naive.may_leave(self.rules, self.dice)):
            return False
        return self.enough(self.total)

    def may_undo(self, seat: int) -> bool:
        if not self.history or self.players[self.history[-1].mover].is_bot:
            return False
        return self.tracked or self.history[-1].mover == seat

    # -- what happens

    def remember(self, *, forget: bool = False) -> None:
        """Before a change: what undo goes back to."""
        if forget:
            self.history = []
            return
        before = self.copy()
        self.history = [*before.history, before]

    def undo(self) -> None:
        before = self.history[-1]
        self.__dict__.update(before.copy().__dict__)

    def copy(self) -> "Referee":
        """A referee that shares nothing with this one but the rules and the history."""
        history, self.history = self.history, []
        found = deepcopy(self, {id(self.rules): self.rules})
        self.history = found.history = history
        return found

    def new_turn(self) -> None:
        self.total, self.dice, self.hot, self.roll = 0, self.rules.dice, 0, None
        self.doubt, self.throws, self.held, self.missed = 0, 0, (), 0

    def rolled(self, dice: tuple[int, ...]) -> None:
        self.begun = True
        roll = tuple(sorted(dice))
        number = naive.number_of(
            self.rules, self.dice, self.total, doubt=self.doubt, held=self.held
        )
        what = naive.result(self.rules, roll, number)
        if naive.is_part(self.rules, self.held):
            # the number tells how many faces are missing, not which
            fills = naive.set_asides(self.rules, roll, held=self.held)
            what = frozenset((worth, self.rules.dice) for _, worth in fills)
        if what == "win":
            self.ends("win", 0)
        elif what == "lose":
            self.ends("lose", 0)
        elif what == "out":
            self.ends("out", 0)
        elif what == naive.FARKLE and self.missed + 1 != naive.tries(self.rules, number):
            self.missed += 1
        elif what == naive.FARKLE:
            keeps = self.rules.farkle_keeps_turn_total and self.enough(self.total)
            keeps = keeps and not self.beyond(self.total)
            counts = naive.counts(self.rules, number)
            self.ends("farkle" if counts else "spared", self.total if keeps else 0)
        else:
            self.roll, self.missed = roll, 0

    def kept(self, dice: tuple[int, ...]) -> None:
        assert self.roll is not None
        worth = self.legal(self.roll)[tuple(sorted(dice))]
        here = naive.in_throw(self.rules, len(self.roll), first=not (self.total or self.held))
        left = len(self.roll) - len(dice) or self.rules.dice
        choice = (worth, left)
        hot = self.hot
        self.total, self.dice, _ = naive.advance(
            self.rules, self.total, min(hot, naive.levels(self.rules) - 1), choice
        )
        self.hot = hot + (len(dice) == len(self.roll))
        kept = tuple(sorted(dice)), worth
        roll = tuple(sorted(self.roll))
        self.doubt = naive.to_confirm(here, self.doubt, kept, roll, self.held)
        self.held = naive.held_after(self.rules, self.held, kept[0], roll)
        self.roll = None
        self.throws += 1
        is_last = self.final is not None or self.in_play_off
        if self.throws == ((is_last and self.rules.final_throws) or self.rules.throws):
            may, total = self.may_bank(self.mover), self.total
            keeps = self.rules.farkle_keeps_turn_total and self.enough(total)
            keeps = may or (keeps and not self.beyond(total))
            self.ends("bank" if may else "farkle", total if keeps else 0)

    def ends(self, how: str, points: int) -> None:
        rules, seat, me = self.rules, self.mover, self.players[self.mover]
        self.new_turn()
        if how == "win":
            me.farkles = 0
            self.won([seat])
        elif how == "out":
            me.farkles = 0
            self.won([other for other in range(len(self.players)) if other != seat])
        elif self.play_off is not None:
            self.play_off.remove(seat)
            if how != "lose":
                self.results[seat] = points
            self.go_on_with_play_off()
        else:
            before = me.score, 0, True
            reaches = self.count(me, how, points)
            if self.rules.changes_other and not self.reached and not reaches:
                self.change_other(seat, before, points)
                if self.players[1 - seat].score >= naive.goal_score(self.rules):
                    self.won([1 - seat])
                    return
            if reaches and rules.ending == "at_once":
                self.won([seat])
                return
            if reaches:
                self.reached.append(seat)
            if self.final is not None:
                self.final.remove(seat)
                [other, *_] = self.after(seat)
                if rules.ending == "defended" and me.score > self.players[other].score:
                    self.final, self.reached = [other], [seat]
                self.go_on_with_final()
            elif reaches:
                others = self.after(seat)
                if rules.ending == "equal_turns":
                    others = [other for other in others if other > seat]
                self.final = others
                self.go_on_with_final()
            else:
                self.mover = self.after(seat)[0]

    def change_other(self, seat: int, before: naive.Standing, points: int) -> None:
        """Write down what the turn of a seat does to the other one of two."""
        me, other = self.players[seat], self.players[1 - seat]
        theirs = other.score, other.farkles, other.on_board
        theirs = naive.other_after(self.rules, before, (me.score, 0, True), theirs, points)
        other.score, _, other.on_board = theirs

    def count(self, me: Player, how: str, points: int) -> bool:
        """Write a turn down; whether it reached the goal."""
        rules = self.rules
        if how == "skip":
            return False
        if how == "lose":
            me.score, me.farkles = min(me.score, 0), 0
            return False
        if points:
            before = me.score, me.farkles, me.on_board
            me.score, _, me.on_board = naive.after_bank(rules, before, points)
        beyond = 1 if rules.goal_must_be == "exceeded" else 0
        reaches = points > 0 and me.score >= rules.goal + beyond
        if how in {"bank", "spared"} or reaches:
            me.farkles = 0
            return reaches
        me.farkles += 1
        penalty = rules.farkle_penalty
        if penalty is None:
            me.farkles = 0
        elif me.farkles == penalty.in_a_row:
            me.farkles = penalty.in_a_row - 1 if penalty.then == "goes_on" else 0
            if penalty.points == "everything":
                me.score = min(me.score, 0)
            else:
                me.score -= penalty.points
                if rules.score_floor == 0:
                    me.score = max(me.score, 0)
        return False

    def after(self, seat: int) -> list[int]:
        """The others by turns, beginning at the left of a seat."""
        count = len(self.players)
        around = [(seat + step) % count for step in range(1, count)]
        return [other for other in around if self.players[other].playing]

    def go_on_with_final(self) -> None:
        if self.final:
            self.mover = self.final[0]
            return
        playing = [k for k, player in enumerate(self.players) if player.playing]
        best = max(self.players[k].score for k in playing)
        level = [k for k in playing if self.players[k].score == best]
        if len(level) == 1 or self.rules.ties == "shared":
            self.won(level)
        elif self.rules.ties == "earlier":
            self.won([next(k for k in self.reached if k in level)])
        else:
            self.begin_play_off(level)

    def begin_play_off(self, level: list[int]) -> None:
        """Those who are level play again, first who would be next after the last mover."""
        order = [k for k in [*self.after(self.mover), self.mover] if k in level]
        self.play_off, self.results, self.mover = order, {}, order[0]

    def go_on_with_play_off(self) -> None:
        assert self.play_off is not None
        left = [*self.play_off, *self.results]
        if len(left) == 1:
            self.won(left)
        elif self.play_off:
            self.mover = self.play_off[0]
        else:
            best = max(self.results.values())
            level = [k for k, points in self.results.items() if points == best]
            if len(level) == 1:
                self.won(level)
            else:
                self.begin_play_off(level)

    def resigned(self, seat: int) -> None:
        self.players[seat].playing = False
        playing = [k for k, player in enumerate(self.players) if player.playing]
        if len(playing) == 1:
            self.won(playing)
            return
        moves = seat == self.mover
        if moves:
            self.new_turn()
        if seat in self.reached:
            self.reached.remove(seat)
        if self.play_off is not None:
            self.results.pop(seat, None)
            if seat in self.play_off:
                self.play_off.remove(seat)
            self.go_on_with_play_off()
        elif self.final is not None and self.reached:
            if seat in self.final:
                self.final.remove(seat)
            self.go_on_with_final()
        else:
            self.final = None
            if moves:
                self.mover = self.after(seat)[0]

    def left(self, seat: int) -> None:
        """Nobody has rolled yet."""
        others = [one for k, one in enumerate(self.players) if k != seat and one.playing]
        has_resigned = sum(not one.playing for one in self.players) > 0
        if not others or others[0].is_bot or (len(others) == 1 and has_resigned):
            self.over = True
            return
        follows = self.after(seat)[0] if self.mover == seat else self.mover
        mover = self.players[follows]
        seeded = [k in self.seeded for k in range(len(self.players)) if k != seat]
        del self.players[seat]
        self.mover = next(k for k, one in enumerate(self.players) if one is mover)
        self.seeded = {k for k, has_one in enumerate(seeded) if has_one}

    def won(self, winners: list[int]) -> None:
        self.over, self.winners = True, sorted(winners)


# ---- The machine -----------------------------------------------------------------------------


class TableMachine(RuleBasedStateMachine):
    """Commands of anybody at any time: legal ones do the same here and there, others nothing."""

    rulesets = QUICK
    least_players = 1
    most_players = 8

    @initialize(data=st.data(), tracked=st.sampled_from([False, False, True]))
    def set_up(self, data: st.DataObject, tracked: bool) -> None:
        self.data = data
        self.ruleset = data.draw(st.sampled_from(self.rulesets))
        players = data.draw(
            st.integers(min(self.least_players, self.most_players), self.most_players)
            | st.just(2)
            | st.just(min(3, self.most_players))
        )
        self.sit_down(players, tracked=tracked)

    def sit_down(self, players: int, *, tracked: bool) -> None:
        if self.ruleset.is_for_two:
            players = min(players, 2)
        commitment = None if tracked else "ab" * 32
        self.begun: Begun = commands.begin_game(
            "g", self.ruleset, [None] * players, tracked=tracked, commitment=commitment
        )
        self.events: list[Event] = []
        self.game: Game = begin(self.begun)
        self.referee = Referee(
            self.ruleset,
            [self.new_player() for _ in range(players)],
            tracked,
            dice=self.ruleset.dice,
        )

    def new_player(self) -> Player:
        # who has no opening to make is on the board from the start
        opens = self.ruleset.opening_minimum > self.ruleset.minimum_bank
        single_step = self.ruleset.point_step
        return Player(on_board=not (opens and self.ruleset.opening_minimum > single_step))

    def anybody(self) -> int:
        """Mostly the player to move."""
        seats = st.integers(0, len(self.referee.players) - 1)
        return self.data.draw(
            st.just(self.referee.mover) | st.just(self.referee.mover) | seats, label="seat"
        )

    def attempt(self, legal: bool, command: Any, *args: Any) -> list[Event] | None:
        """The events of a command that the referee allows; None where both refuse it."""
        if legal:
            made: list[Event] = list(command(self.game, *args))
            return made
        before = replace(self.game)
        with pytest.raises(IllegalActionError) as error:
            command(self.game, *args)
        assert self.game == before
        sentence = str(error.value)
        assert sentence
        assert "\n" not in sentence
        return None

    def happened(self, made: list[Event]) -> None:
        self.events += made
        for event in made:
            self.game = apply(self.game, event)
        if self.game.over and not self.referee.tracked:
            revealed = Revealed(secret="cd" * 32)
            self.events.append(revealed)
            self.game = apply(self.game, revealed)
            self.referee.history = []

    # -- before the game

    @precondition(lambda self: not self.referee.begun)
    @rule()
    def join(self) -> None:
        self.try_to_join()

    @precondition(lambda self: self.referee.begun)
    @rule(really=st.integers(0, 9))
    def join_late(self, really: int) -> None:
        if really == 0:
            self.try_to_join()

    def try_to_join(self) -> None:
        referee = self.referee
        # even a game that was ended before the first roll is over
        most = 2 if self.ruleset.is_for_two else 8
        legal = not referee.begun and not referee.over and len(referee.players) < most
        made = self.attempt(legal, commands.join, None)
        if made is not None:
            referee.remember(forget=True)
            referee.players.append(self.new_player())
            self.happened(made)

    @rule(text=st.sampled_from(["mine", "", "x" * 64, "x" * 65, "two\nlines", "@everyone"]))
    def seed(self, text: str) -> None:
        referee, seat = self.referee, self.anybody()
        fits = 0 < len(text) <= 64 and "\n" not in text
        legal = not (referee.tracked or referee.begun or referee.over or seat in referee.seeded)
        made = self.attempt(legal and fits, commands.seed, seat, text)
        if made is not None:
            referee.remember(forget=True)
            referee.seeded.add(seat)
            self.happened(made)

    # -- turns

    @rule(wrong=st.integers(0, 12))
    def roll(self, wrong: int) -> None:
        self.try_to_roll(wrong)

    @rule(wrong=st.integers(0, 12))
    def roll_again(self, wrong: int) -> None:
        self.try_to_roll(wrong)

    def try_to_roll(self, wrong: int) -> None:
        referee, seat = self.referee, self.anybody()
        number = referee.dice + (1 if wrong == 0 else -1 if wrong == 1 else 0)
        dice = tuple(self.data.draw(st.lists(FACES, min_size=number, max_size=number)))
        legal = referee.may_roll(seat)
        if legal:
            assert commands.check_roll(self.game, seat) == referee.dice
        made = self.attempt(legal and number == referee.dice, commands.roll, seat, dice)
        if made is not None:
            referee.remember(forget=not referee.tracked)
            referee.rolled(dice)
            self.happened(made)

    def some_dice(self) -> tuple[int, ...]:
        """Mostly what may be kept."""
        roll = self.referee.roll
        anything = st.lists(FACES, min_size=1, max_size=6).map(tuple)
        if roll is None:
            return self.data.draw(anything)
        legal = sorted(self.referee.legal(roll))
        part = st.sampled_from(sorted(naive.parts(roll)))
        mixed = st.sampled_from(legal).flatmap(st.permutations).map(tuple)
        dice: tuple[int, ...] = self.data.draw(mixed | mixed | part | anything, label="dice")
        return dice

    @precondition(lambda self: self.referee.roll is not None)
    @rule()
    def keep(self) -> None:
        self.try_to_keep()

    @rule(really=st.integers(0, 5))
    def keep_at_any_time(self, really: int) -> None:
        if really == 0 or self.referee.roll is not None:
            self.try_to_keep()

    def try_to_keep(self) -> None:
        referee, seat, dice = self.referee, self.anybody(), self.some_dice()
        made = self.attempt(referee.may_keep(seat, dice), commands.keep, seat, dice)
        if made is not None:
            referee.remember()
            referee.kept(dice)
            self.happened(made)

    @rule(then=st.sampled_from(["roll", "bank", "bank"]))
    def keep_and(self, then: Any) -> None:
        referee, seat, dice = self.referee, self.anybody(), self.some_dice()
        legal = referee.may_keep(seat, dice)
        if legal and then == "bank":
            after = referee.copy()
            after.kept(dice)
            legal = not after.total or after.may_bank(seat)  # the last throw banks by itself

        def kept_and(game: Game, seat: int, dice: Any) -> list[Any]:
            made = commands.keep(game, seat, dice)
            ends = then != "bank" or len(made) > 1
            return made if ends else [*made, *commands.bank(apply(game, *made), seat)]

        made = self.attempt(legal, kept_and, seat, dice)
        if made is not None:
            referee.remember()
            referee.kept(dice)
            if then == "bank" and referee.total:
                referee.remember()
                referee.ends("bank", referee.total)
            self.happened(made)

    @rule()
    def bank(self) -> None:
        referee, seat = self.referee, self.anybody()
        if not referee.over:
            assert self.game.may_bank == referee.may_bank(referee.mover)
        made = self.attempt(referee.may_bank(seat), commands.bank, seat)
        if made is not None:
            referee.remember()
            referee.ends("bank", referee.total)
            self.happened(made)

    @rule()
    def undo(self) -> None:
        referee, seat = self.referee, self.anybody()
        made = self.attempt(referee.may_undo(seat), commands.undo, seat)
        if made is not None:
            referee.undo()
            self.happened(made)

    @precondition(lambda self: len(self.referee.players) > 1 and not self.referee.over)
    @rule(seed=st.integers(0, 2**32 - 1), moves=st.integers(10, 80))
    def play_on(self, seed: int, moves: int) -> None:
        """Some moves as games go, so that they come to an end now and then."""
        rng = random.Random(seed)
        for _ in range(moves):
            if self.referee.over:
                return
            self.move(rng)
            self.both_agree()
            self.position_can_occur()

    def move(self, rng: random.Random) -> None:
        referee, seat = self.referee, self.referee.mover
        if referee.roll is not None:
            dice = rng.choice(sorted(referee.legal(referee.roll)))
            made = self.attempt(True, commands.keep, seat, dice)
            referee.remember()
            referee.kept(dice)
        elif referee.may_bank(seat) and rng.random() < 0.7:
            made = self.attempt(True, commands.bank, seat)
            referee.remember()
            referee.ends("bank", referee.total)
        else:
            dice = tuple(rng.choices(range(1, 7), k=referee.dice))
            made = self.attempt(True, commands.roll, seat, dice)
            referee.remember(forget=not referee.tracked)
            referee.rolled(dice)
        assert made is not None
        self.happened(made)

    # -- real dice

    @precondition(lambda self: self.referee.tracked)
    @rule()
    def score(self) -> None:
        self.try_to_score()

    @precondition(lambda self: self.referee.tracked)
    @rule()
    def score_again(self) -> None:
        self.try_to_score()

    @precondition(lambda self: not self.referee.tracked)
    @rule(really=st.integers(0, 9))
    def score_of_other_dice(self, really: int) -> None:
        if really == 0:
            self.try_to_score()

    def try_to_score(self) -> None:
        referee, rules, seat = self.referee, self.ruleset, self.anybody()
        points = self.data.draw(
            st.integers(0, 9).map(lambda steps: steps * rules.point_step)
            | st.sampled_from([-50, 1, rules.goal, 123_456_789]),
            label="points",
        )
        endings = st.sampled_from(["bank", "bank", "bank", "farkle", "lose", "win", "out"])
        ending: str = self.data.draw(endings, label="ending")
        if ending == "farkle" and self.data.draw(st.booleans(), label="of no points"):
            points = 0
        legal = (
            referee.tracked
            and not referee.over
            and seat == referee.mover
            and len(referee.players) > 1
            and referee.roll is None
            and not referee.total
            and not referee.missed
        )
        if ending == "win":
            legal = legal and "wins_game" in rules.decisive and not points
        elif ending == "out":
            legal = legal and "loses_game" in rules.decisive and not points
        elif ending == "lose":
            legal = legal and "loses_score" in rules.decisive and not points
        elif ending == "farkle":
            legal = legal and (not points or rules.farkle_keeps_turn_total)
            legal = legal and not rules.spares_farkles
        if (points or ending == "bank") and ending in {"bank", "farkle"}:
            is_last = referee.final is not None or referee.in_play_off
            of_turn = rules.in_last_turns if is_last else rules
            legal = legal and points in totals(of_turn) and referee.enough(points)
        made = self.attempt(legal, commands.score, seat, points, ending)
        if made is not None:
            referee.remember()
            referee.begun = True
            referee.ends(ending, points)
            self.happened(made)

    @rule(
        steps=st.none() | st.integers(-3, 9),
        odd=st.integers(0, 9),
        farkles=st.none() | st.integers(-1, 3),
        moves=st.booleans(),
        really=st.integers(0, 3),
    )
    def correct(
        self, steps: int | None, odd: int, farkles: int | None, moves: bool, really: int
    ) -> None:
        if really and not self.referee.tracked:
            return
        referee, rules = self.referee, self.ruleset
        seat = self.data.draw(st.integers(0, len(referee.players) - 1))
        score = None if steps is None else steps * rules.point_step + (odd == 0)
        penalty = rules.farkle_penalty
        falls = penalty is not None and penalty.points != "everything" and rules.score_floor < 0
        legal = (
            referee.tracked
            and not referee.over
            and referee.final is None
            and not referee.in_play_off
            and (score is None or score % rules.point_step == 0)
            and (score is None or score < rules.goal + (rules.goal_must_be == "exceeded"))
            and (score is None or falls or score >= 0)
            and (farkles is None or 0 <= farkles < (penalty.in_a_row if penalty else 1))
            and (not moves or referee.players[seat].playing)
        )
        correction = Corrected(seat=seat, score=score, farkles=farkles, moves=moves)
        made = self.attempt(legal, commands.correct, correction)
        if made is not None:
            referee.remember()
            player = referee.players[seat]
            if score is not None:
                player.score = score
                # with 0 everybody starts
                started = self.new_player().on_board
                player.on_board = started if score == 0 else player.on_board or score > 0
            if farkles is not None:
                player.farkles = farkles
            if moves:
                referee.mover = seat
                referee.new_turn()
            self.happened(made)

    # -- leaving

    @rule(really=st.integers(0, 5))
    def resign(self, really: int) -> None:
        if not really:
            seats = st.integers(0, len(self.referee.players) - 1)
            self.try_to_resign(self.data.draw(seats))

    def try_to_resign(self, seat: int) -> None:
        referee = self.referee
        alone = len(referee.players) < 2
        legal = not referee.over and referee.players[seat].playing and not alone
        made = self.attempt(legal, commands.resign, seat)
        if made is not None:
            referee.remember(forget=not referee.tracked)
            if not referee.begun and sum(one.playing for one in referee.players) == 2:
                referee.over = True  # nobody has lost a game that was not begun
            else:
                referee.resigned(seat)
            self.happened(made)

    @precondition(lambda self: not self.referee.begun)
    @rule(really=st.integers(0, 3))
    def leave(self, really: int) -> None:
        if not really:
            referee, seat = self.referee, self.anybody()
            made = self.attempt(not referee.over, commands.leave, seat)
            if made is not None:
                # to get up cannot be undone, the end of the game can
                ended = made[0].kind == "ended"
                referee.remember(forget=not (referee.tracked and ended))
                referee.left(seat)
                self.happened(made)

    @rule(really=st.integers(0, 2))
    def skip(self, really: int) -> None:
        if really:
            return
        referee = self.referee
        made = self.attempt(referee.begun and not referee.over, commands.skip)
        if made is not None:
            referee.remember(forget=not referee.tracked)
            referee.ends("skip", 0)
            self.happened(made)

    @rule(really=st.integers(0, 2))
    def substitute(self, really: int) -> None:
        if really:
            return
        referee = self.referee
        seat = self.data.draw(st.integers(0, len(referee.players) - 1))
        legal = not referee.over and referee.players[seat].playing and not referee.tracked
        made = self.attempt(legal, commands.substitute, seat, "cautious")
        if made is not None:
            referee.remember(forget=True)
            referee.players[seat].is_bot = True
            self.happened(made)
            assert self.game.seats[seat].level == "cautious"

    @rule(really=st.integers(0, 30))
    def end(self, really: int) -> None:
        if really and not self.referee.over:
            return
        made = self.attempt(not self.referee.over, commands.end)
        if made is not None:
            self.referee.remember(forget=not self.referee.tracked)
            self.referee.over = True
            self.happened(made)

    # -- what always holds

    @invariant()
    def both_agree(self) -> None:
        if not hasattr(self, "game"):
            return
        game, referee = self.game, self.referee
        assert [
            (seat.score, seat.farkles if self.ruleset.farkle_penalty else 0, seat.on_board)
            for seat in game.seats
        ] == [(one.score, one.farkles, one.on_board) for one in referee.players]
        assert [seat.playing for seat in game.seats] == [one.playing for one in referee.players]
        assert game.over == referee.over
        if not referee.over:
            turn = game.turn
            assert game.mover == referee.mover
            assert game.seats[game.mover].playing
            assert (turn.turn_total, turn.dice, turn.hot_dice, turn.to_confirm) == (
                referee.total,
                referee.dice,
                referee.hot,
                referee.doubt,
            )
            assert turn.roll == (referee.roll and referee.roll[::-1])
            assert game.stage is self.stage()
        shares = None
        if referee.winners is not None:
            shares = tuple(
                1 / len(referee.winners) if k in referee.winners else 0.0
                for k in range(len(referee.players))
            )
        assert game.shares == shares
        assert (game.before is not None) == bool(referee.history)

    def stage(self) -> Stage:
        if self.referee.in_play_off:
            return Stage.PLAY_OFF
        if self.referee.final is not None:
            return Stage.FINAL
        return Stage.PLAY if self.referee.begun else Stage.LOBBY

    @invariant()
    def version_counts_events(self) -> None:
        if hasattr(self, "game"):
            assert self.game.version == 1 + len(self.events)

    @invariant()
    def position_can_occur(self) -> None:
        if not hasattr(self, "game") or self.game.over or len(self.game.seats) < 2:
            return
        position = self.game.position()
        if len(self.game.seats) == 2:
            check_position(self.ruleset, position)

    def teardown(self) -> None:
        if not hasattr(self, "game"):
            return
        # game by game, as each has in it what taking back leads to, deeper than Python compares
        folded: Game | None = fold(self.begun, self.events)
        game: Game | None = self.game
        while folded and game:
            assert replace(folded, before=None) == replace(game, before=None)
            folded, game = folded.before, game.before
        assert folded is game is None
        stored = [make_event(event.kind, event_data(event)) for event in self.events]
        assert stored == self.events


class TwoPlayers(TableMachine):
    least_players = 2
    most_players = 2


TOTALS: dict[Ruleset, set[int]] = {}


def totals(rules: Ruleset) -> set[int]:
    """What a turn can come to, as far as the numbers that the machine tells."""
    if rules not in TOTALS:
        most = max(9 * rules.point_step, rules.goal)
        found, new = set[tuple[int, int, int, int]](), {(0, rules.dice, 0, 0)}
        while new:
            found |= new
            new = {
                (*naive.advance(rules, total, hot, choice), throws + bool(rules.throws))
                for total, number, hot, throws in new
                if throws < (rules.throws or 1)
                for what in naive.outcomes(rules, number)
                if not isinstance(what, str)
                for choice in what
            }
            new = {one for one in new if one[0] <= most} - found
        TOTALS[rules] = {total for total, *_ in found if total}
    return TOTALS[rules]


def run(machine: type[TableMachine], examples: int, steps: int, **changes: Any) -> None:
    run_state_machine_as_test(
        type("Machine", (machine,), changes),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


@pytest.mark.parametrize(
    "name",
    list(NAMED),
)
def test_rules_come_back_from_the_store_as_they_were(name: str) -> None:
    rules = NAMED[name]
    begun = commands.begin_game("g", rules, [None, None])
    again = make_event(begun.kind, event_data(begun))
    assert isinstance(again, Begun)
    assert again.rules == rules
    assert again.rules.digest == rules.digest


@pytest.mark.mostly_slow
@pytest.mark.parametrize("machine", [TwoPlayers, TableMachine])
def test_any_commands_in_any_order(machine: type[TableMachine]) -> None:
    run(machine, examples=25, steps=50)


def whole_games(rules: Ruleset, games: int) -> None:
    rng = random.Random(rules.digest)
    for number in range(games):
        machine = TableMachine()
        machine.ruleset = rules
        machine.sit_down(2 + number % 4, tracked=False)
        while not machine.referee.over:
            machine.move(rng)
            if rng.random() < 0.01 and not machine.referee.over:
                machine.try_to_resign(rng.randrange(len(machine.referee.players)))
            machine.both_agree()
            machine.position_can_occur()
        machine.teardown()


@pytest.mark.mostly_slow(5)
@pytest.mark.parametrize("rules", mostly_slow((str(n), rules) for n, rules in enumerate(QUICK)))
def test_whole_games(rules: Ruleset) -> None:
    whole_games(rules, 6)


@pytest.mark.mostly_skipped(6)
@pytest.mark.slow
@pytest.mark.parametrize("rules", ALL, ids=lambda rules: f"{rules.ending} {rules.ties}")
def test_many_whole_games(rules: Ruleset) -> None:
    whole_games(rules, 25 if EVERY else 10)


@pytest.mark.slow
@pytest.mark.parametrize("machine", [TwoPlayers, TableMachine])
def test_thousands_of_commands(machine: type[TableMachine]) -> None:
    run(machine, examples=100 if EVERY else 50, steps=120, rulesets=ALL)
