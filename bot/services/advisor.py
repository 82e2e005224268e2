"""Advice, odds and turn tables for any solved rule set."""

from dataclasses import replace
from pathlib import Path

from bot.services.situation import Situation
from solver.errors import InvalidRequestError, MissingStrategyError, StrategyFileError
from solver.game.position import Position, check_hot_dice, check_position, least_hot_dice
from solver.play.advice import Advice, Odds, TurnCells, advise, odds, turn_cells
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.strategy import Strategy, find_manifest, open_strategy, open_values
from solver.turn.dice import parse_dice
from solver.wording import say


class Advisor:
    """Answers from strategy files, which stay open once they were asked for."""

    def __init__(self, strategies: Path, program: str = "farkle") -> None:
        self._folder = strategies
        self._program = program
        self._open: dict[Ruleset, Strategy] = {}

    def advise(self, dice: str, situation: Situation) -> Advice:
        """Rank the set-asides of the roll `dice`, as typed. Raises FarkleError."""
        rules = _rules(situation)
        roll = parse_dice(dice, most=rules.dice)
        strategy, position = self._look_up(rules, situation, len(roll))
        return advise(strategy, position, roll)

    def odds(self, dice: int | None, situation: Situation) -> Odds:
        """Weigh rolling `dice` dice, at the start of a turn all of them, against banking.

        Raises FarkleError.
        """
        if dice is None and situation.turn_total:
            raise InvalidRequestError(
                say(
                    "say how many dice are left to roll at a turn total of {turn_total:,},"
                    " such as dice:2",
                    turn_total=situation.turn_total,
                )
            )
        strategy, position = self._look_up(_rules(situation), situation, dice)
        return odds(strategy, position)

    def turn(self, situation: Situation) -> TurnCells:
        """The whole turn that starts in `situation`, or its part after so many hot dice.

        Raises FarkleError.
        """
        start = replace(situation, turn_total=0, hot_dice=0)
        strategy, position = self._look_up(_rules(situation), start, None)
        hot_dice = situation.hot_dice or 0
        check_hot_dice(hot_dice)
        return turn_cells(strategy, replace(position, hot_dice=hot_dice))

    def strategy(self, rules: Ruleset, reference: str | None = None) -> Strategy:
        """The strategy of the rules. Raises StrategyFileError where they are not solved."""
        if rules not in self._open:
            try:
                self._open[rules] = open_strategy(self._folder, rules)
            except MissingStrategyError as error:
                raise MissingStrategyError(
                    say(
                        "{problem}; run: {program} solve {rules}",
                        problem=error,
                        program=self._program,
                        rules=reference or rules.name,
                    )
                ) from None
        return self._open[rules]

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


def is_solved(strategies: Path, rules: Ruleset) -> bool:
    """Whether there is a sound strategy file for the rules in the folder `strategies`."""
    try:
        open_values(find_manifest(strategies, rules))
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
