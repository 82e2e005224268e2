"""Advice, odds and turn tables for any solved rule set."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.services.situation import Situation
from solver.errors import (
    InvalidRequestError,
    InvalidRulesError,
    MissingStrategyError,
    StrategyFileError,
)
from solver.game.position import Position, check_hot_dice, check_position, least_hot_dice
from solver.play.advice import Advice, Odds, TurnCells, advise, odds, turn_cells, with_why
from solver.play.komi import Komi, komi
from solver.play.maps import TurnMap, turn_map
from solver.play.memo import GoForIt
from solver.play.memo_study import MemoStudy, load_memo, save_memo
from solver.play.policies import Memo, MemoGoForIt, Optimal, Policy, make_policy
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy, open_strategy, solved_rules
from solver.turn.dice import Roll, parse_dice
from solver.turn.memo import memo_table, natural_unit
from solver.wording import say_number

if TYPE_CHECKING:
    from bot.table.state import Game


@dataclass(frozen=True, slots=True)
class Hint:
    """What is best for the player to move."""

    advice: Advice | None
    """Of the roll on the table, if there is one."""
    odds: Odds
    """Of the decision before the next roll."""
    exact: bool
    """Whether the game has two players; else the strongest opponent is taken for the only one."""


class Advisor:
    """Answers from strategy files, which stay open once they were asked for."""

    def __init__(self, strategies: Path, program: str | None = None) -> None:
        """Of the folder `strategies`.

        program : how this program is called on a command line; None in a chat, where nobody is
            told what to type there
        """
        self._folder = strategies
        self._program = program
        self._open: dict[Ruleset, Strategy] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process it is that process's own."""
        return _advisor, (self._folder, self._program)

    def advise(self, dice: str, situation: Situation) -> Advice:
        """Rank the set-asides of the roll `dice`, as typed. Raises FarkleError."""
        rules = _rules(situation)
        roll = parse_dice(dice, most=rules.dice)
        strategy, position = self._look_up(rules, situation, len(roll))
        return with_why(strategy, advise(strategy, position, roll))

    def odds(self, dice: int | None, situation: Situation) -> Odds:
        """Weigh rolling `dice` dice, at the start of a turn all of them, against banking.

        Raises FarkleError.
        """
        strategy, position = self.position(dice, situation)
        return with_why(strategy, odds(strategy, position))

    def answer(self, rules: Ruleset, position: Position, roll: Roll | None) -> Advice | Odds:
        """What to do in a position, before a roll if there is none. Raises StrategyFileError."""
        strategy = self.strategy(rules)
        if roll is None:
            return with_why(strategy, odds(strategy, position))
        return with_why(strategy, advise(strategy, position, roll))

    def position(self, dice: int | None, situation: Situation) -> tuple[Strategy, Position]:
        """A position before a roll, at the start of a turn of all dice, and its strategy.

        Raises FarkleError.
        """
        if dice is None and situation.turn_total:
            raise InvalidRequestError.say(
                "say how many dice are left to roll at a turn total of {turn_total:,},"
                " such as dice:2",
                turn_total=situation.turn_total,
            )
        return self._look_up(_rules(situation), situation, dice)

    def turn_map(self, dice: int | None, situation: Situation) -> TurnMap:
        """The whole turn that a position belongs to, as arrays. Raises FarkleError."""
        if dice is not None or situation.turn_total:
            strategy, position = self.position(dice, situation)
            return turn_map(strategy, position)
        start = replace(situation, hot_dice=0)
        strategy, position = self.position(None, start)
        hot_dice = situation.hot_dice or 0
        check_hot_dice(hot_dice)
        return turn_map(strategy, replace(position, hot_dice=hot_dice))

    def turn(self, situation: Situation) -> TurnCells:
        """The whole turn that starts in `situation`, or its part after so many hot dice.

        Raises FarkleError.
        """
        start = replace(situation, turn_total=0, hot_dice=0)
        strategy, position = self._look_up(_rules(situation), start, None)
        hot_dice = situation.hot_dice or 0
        check_hot_dice(hot_dice)
        return turn_cells(strategy, replace(position, hot_dice=hot_dice))

    def advise_in(self, game: "Game", dice: str, mover: str) -> Advice:
        """Advice on a roll as typed, else on the one on the table. Raises FarkleError.

        mover : the name of the player to move
        """
        roll = parse_dice(dice, most=game.rules.dice) if dice else game.turn.roll
        if roll is None:
            raise InvalidRequestError.say("nothing is rolled yet: give the dice, or ask for /odds")
        if len(roll) != game.turn.dice:
            raise InvalidRequestError(
                say_number(
                    "now {name} rolls {number} die, not {told};"
                    " give all numbers, such as me:0, to ask about another game",
                    "now {name} rolls {number} dice, not {told};"
                    " give all numbers, such as me:0, to ask about another game",
                    game.turn.dice,
                    name=mover,
                    told=len(roll),
                )
            )
        strategy = self.strategy(game.rules)
        return with_why(strategy, advise(strategy, game.position(), roll))

    def odds_in(self, game: "Game") -> Odds:
        """Roll or bank in the position of a game. Raises FarkleError."""
        if game.turn.roll is not None:
            raise InvalidRequestError.say(
                "dice lie on the table: /advise says what to keep of them"
            )
        strategy = self.strategy(game.rules)
        return with_why(strategy, odds(strategy, game.position()))

    def hint(self, game: "Game") -> Hint:
        """What is best in a game of two or more players. Raises StrategyFileError."""
        # the command line, which has no tables, does not wait for them
        from bot.table.state import turn_after  # noqa: PLC0415

        strategy, position = self.strategy(game.rules), game.position()
        exact = len(game.seats) == 2
        if game.turn.roll is None:
            return Hint(None, odds(strategy, position), exact)
        advice = advise(strategy, position, game.turn.roll)
        turn = turn_after(game.rules, game.turn, advice.options[0].set_aside)
        following = replace(
            position, turn_total=turn.turn_total, dice=turn.dice, hot_dice=turn.hot_dice
        )
        return Hint(advice, odds(strategy, following), exact)

    def komi(self, rules: Ruleset) -> Komi:
        """The fair start under rules. Raises StrategyFileError where they are not solved."""
        return komi(self.strategy(rules))

    def strategy(self, rules: Ruleset, reference: str | None = None) -> Strategy:
        """The strategy of the rules. Raises StrategyFileError where they are not solved."""
        if known := self._open.get(rules):
            try:
                known.refresh()
            except StrategyFileError:
                self._open.pop(rules, None)  # another file of the rules may be good
        if rules not in self._open:
            try:
                self._open[rules] = open_strategy(self._folder, rules)
            except MissingStrategyError as error:
                raise self._missing(error, reference or rules.name) from None
        return self._open[rules]

    def _missing(self, error: MissingStrategyError, rules: str) -> MissingStrategyError:
        """That rules are not solved, and what to do."""
        if self._program:
            return MissingStrategyError.say(
                "{problem}; run: {program} solve {rules}",
                problem=error,
                program=self._program,
                rules=rules,
            )
        return MissingStrategyError.say(
            "the rules {rules} are not solved yet: /rules solve NAME solves rules that have a"
            " name here, /rules new NAME base:kcd goal:2000 makes and solves others; of"
            " bots only the level optimal needs that",
            rules=rules,
        )

    def strategy_of(self, digest: str, name: str) -> Strategy:
        """The strategy of rules by the beginning of their digest, to be called by a name.

        Raises StrategyFileError where they are not solved.
        """
        for rules in list(self._open):
            if rules.name == name and rules.digest.startswith(digest):
                return self.strategy(rules)
        return self.strategy(solved_rules(self._folder, digest, name))

    def solved(self, rules: Ruleset) -> Strategy | None:
        """The strategy of the rules if they are solved."""
        try:
            return self.strategy(rules)
        except StrategyFileError:
            return None

    def policy(self, level: str, rules: Ruleset) -> Policy:
        """The policy of a bot's level.

        Raises InvalidRequestError for an unknown level, StrategyFileError where the level needs
        a strategy that is not there.
        """
        strategy = self.strategy(rules) if level == Optimal.name else None
        if level in {Memo.name, MemoGoForIt.name}:
            memo_table(rules)  # some rules have none
        thresholds = self.go_for_it(rules) if level == MemoGoForIt.name else None
        return make_policy(level, strategy, thresholds)

    def go_for_it(self, rules: Ruleset) -> GoForIt | None:
        """When to go for it under the rules; None where that was not worked out yet."""
        with suppress(InvalidRulesError):  # there is no table to go with it
            study = self.memo_study(rules)
            return study.go_for_it if study else None
        return None

    def memo_study(self, rules: Ruleset, unit: int | None = None) -> MemoStudy | None:
        """What is known of the table to memorise in a unit, its natural one if None."""
        return load_memo(self._folder, rules, unit or natural_unit(rules))

    def keep_memo(self, rules: Ruleset, study: MemoStudy) -> None:
        """Keep what was found out of a table. Raises StrategyFileError."""
        save_memo(self._folder, rules, study)

    def known_rules(self) -> list[tuple[Ruleset, bool]]:
        """Every preset, and whether its strategy file is there. Raises InvalidRulesError."""
        presets = [load_rules(name) for name in preset_names()]
        return [(rules, is_solved(self._folder, rules)) for rules in presets]

    def _look_up(
        self, rules: Ruleset, situation: Situation, dice: int | None
    ) -> tuple[Strategy, Position]:
        """The strategy of the rules, and the position once it is known to be possible."""
        named = situation.rules
        strategy = self.strategy(rules, named if isinstance(named, str) else None)
        position = Position(
            banked=situation.banked,
            opponent=situation.opponent,
            turn_total=situation.turn_total,
            farkles=situation.farkles,
            opponent_farkles=situation.opponent_farkles,
            dice=rules.dice if dice is None else dice,
            hot_dice=situation.hot_dice or 0,
            on_board=_on_board(rules, situation.on_board, situation.banked),
            opponent_on_board=_on_board(rules, situation.opponent_on_board, situation.opponent),
            began=_began(rules, situation),
        )
        if situation.hot_dice is None:
            least = least_hot_dice(rules, position.turn_total, position.dice)
            position = replace(position, hot_dice=least)
        # the strategy may reach to a lower floor than the rules ask for
        check_position(strategy.rules, position)
        return strategy, position


@cache
def _advisor(strategies: Path, program: str | None) -> Advisor:
    """The one of this process."""
    return Advisor(strategies, program)


def is_solved(strategies: Path, rules: Ruleset) -> bool:
    """Whether there is a sound strategy file for the rules in the folder `strategies`."""
    try:
        open_strategy(strategies, rules)
    except StrategyFileError:
        return False
    return True


def _rules(situation: Situation) -> Ruleset:
    named = situation.rules
    return load_rules(named) if isinstance(named, str) else named


def _on_board(rules: Ruleset, given: bool | None, score: int) -> bool:
    """Whether a player is on the board, as given or as the score tells."""
    if not rules.has_opening:
        return True
    return score > 0 if given is None else given


def _began(rules: Ruleset, situation: Situation) -> bool:
    """Whether the player to act began, as given or as the scores tell."""
    if situation.began is not None:
        return situation.began
    # with equal turns the game goes on only if the first to reach the goal began
    goal = rules.winning_score
    return not (rules.has_roles and situation.banked < goal <= situation.opponent)
