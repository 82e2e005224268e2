"""Advice, odds and turn tables for any solved rule set."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from bot.services.situation import (
    Situation,
    left_to_roll,
    position_asked,
    read_faces,
    rolled,
    rules_of,
)
from solver.errors import (
    FarkleError,
    IllegalActionError,
    InvalidRequestError,
    InvalidRulesError,
    MissingStrategyError,
    StrategyFileError,
)
from solver.game.best import BestPlay, Strategy
from solver.game.many_best import SharedStrategy
from solver.game.position import Position, check_hot_dice
from solver.many_strategy import open_many
from solver.play.advice import Advice, BadgeUse, Odds, advise, odds, with_endings, with_why
from solver.rules.file import load_rules, preset_names
from solver.rules.ruleset import Ruleset
from solver.strategy import is_solved, open_strategy, solved_rules
from solver.turn.dice import Remaining, Roll
from solver.turn.equations import Floats
from solver.wording import say_number

if TYPE_CHECKING:
    from bot.review.worth import Worth
    from bot.services.loaded import LoadedDice, MatchupFolders
    from bot.table.state import Game
    from solver.loaded.matchup import Matchup
    from solver.loaded.strategy import OwnDice
    from solver.play.estimate import EstimatedStrategy

A = TypeVar("A", Advice, Odds)

_QUICK_ROWS = 1_000
"""Turn totals of a turn that is solved at once."""
_MATCHUPS = 16
"""Matchups that are kept open, of some MB each with the turns that are kept."""


class Hint(NamedTuple):
    """What is best for the player to move."""

    advice: Advice | None
    """Advice on the roll on the table, if there is one."""
    odds: Odds | None
    """The odds before the next roll; None where a badge is best used on the roll, a farkle is all
    that there is, or it was the last throw of the turn."""
    exact: bool
    """Whether all who play are looked at; else the strongest opponent is taken for the only one."""

    @property
    def brought(self) -> Any:
        """Return what players bring; None where all throw the dice of the rules."""
        answer = self.advice or self.odds
        return answer.brought if answer else None

    @property
    def use(self) -> BadgeUse | None:
        """Return the use of a badge that is best now."""
        if self.advice:
            return self.advice.best_use
        use = self.odds.use_now if self.odds else None
        return use if use and use.is_better else None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A position that somebody asks about, and best play of its game."""

    play: BestPlay
    position: Position
    brought: "LoadedDice | None" = None
    """What players bring; None where all throw the dice of the rules."""
    exact: bool = True
    """Whether all who play are looked at; else the strongest opponent is taken for the only one."""

    def advise(self, roll: Roll, misses: int = 0) -> Advice:
        """Rank the set-asides of a roll as `advise` does, with what players bring."""
        return replace(advise(self.play, self.position, roll, misses), brought=self.brought)

    def odds(self) -> Odds:
        """Weigh rolling against banking. Raises StrategyFileError."""
        return replace(odds(self.play, self.position), brought=self.brought)

    def reasoned(self, answer: A) -> A:
        """Return an answer with what decides, which is told where all throw the same dice."""
        return answer if self.brought else with_why(self.play, answer)


class Advisor:
    """Answers from strategy files, which stay open once they were asked for."""

    def __init__(
        self, strategies: Path, program: str | None = None, matchups: "MatchupFolders | None" = None
    ) -> None:
        """Answers from the files in the folder `strategies`.

        program : how this program is called on a command line; None in a chat, where nobody is
            told what to type there
        matchups : where dice that are solved against each other are kept
        """
        self.folder = strategies
        """Where the strategy files are."""
        self._program = program
        self.matchups = matchups
        self._open: dict[tuple[Ruleset, int], Strategy | SharedStrategy] = {}
        """The strategies that are open, by rules and the number of players."""
        self._pairs: dict[Matchup, Any] = {}
        """What was asked for last comes last."""
        self._estimates: dict[tuple[Ruleset, int], EstimatedStrategy] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process it is that process's own."""
        return _advisor, (self.folder, self._program, self.matchups)

    def advise(self, dice: str, situation: Situation, *, endings: bool = False) -> Advice:
        """Rank the set-asides of the roll `dice`, as typed, as `advise_on` does."""
        return self.advise_on(*rolled(situation, dice), situation, endings=endings)

    def advise_on(
        self, roll: Roll, left: Remaining, situation: Situation, *, endings: bool = False
    ) -> Advice:
        """Rank the set-asides of a roll of the dice that were left. Raises FarkleError.

        endings : whether it is told how the turn ends after each
        """
        asked = self.asked(left, situation)
        advice = asked.reasoned(asked.advise(roll))
        return with_endings(asked.play, advice) if endings else advice

    def odds(self, dice: int | str | None, situation: Situation) -> Odds:
        """Weigh rolling dice, as `left_to_roll` takes them, against banking. Raises FarkleError."""
        return self.odds_of(left_to_roll(situation, dice), situation)

    def prepare(self) -> None:
        """Open the default rules, so that the first answer is quick, too."""
        with suppress(FarkleError):  # said again when somebody asks
            self.odds(None, Situation())

    def odds_of(self, left: Remaining | None, situation: Situation) -> Odds:
        """Weigh rolling what is left, all dice if None, against banking. Raises FarkleError."""
        asked = self.asked(left, situation)
        return asked.reasoned(asked.odds())

    def answer(self, rules: Ruleset, position: Position, roll: Roll | None) -> Advice | Odds:
        """What to do in a position, before a roll if there is none. Raises StrategyFileError."""
        asked = Asked(self.strategy(rules), position)
        if roll is None:
            return asked.reasoned(asked.odds())
        return asked.reasoned(asked.advise(roll))

    def asked(self, left: Remaining | None, situation: Situation) -> Asked:
        """The position before a roll of what is left, all dice if None, and who knows its values.

        It is solved, or of several players estimated. Raises FarkleError.
        """
        position, brought = position_asked(situation, left), situation.dice
        if brought:
            play = self.pair(brought.matchup)
            play.check(position)
            return Asked(play, position, brought)
        named = situation.rules if isinstance(situation.rules, str) else None
        rules = rules_of(situation)
        if len(situation.opponent) > 1:
            return Asked(self._shared_for(rules, situation.players, named), position)
        return Asked(self.strategy(rules, named), position)

    def asked_of_turn(self, dice: int | None, situation: Situation) -> Asked:
        """A position whose turn is asked for as a whole, or its part after so many hot dice.

        Raises FarkleError.
        """
        if dice is not None or situation.turn_total:
            return self.asked(left_to_roll(situation, dice), situation)
        asked = self.asked(None, situation._replace(hot_dice=0))
        hot_dice = situation.hot_dice or 0
        check_hot_dice(hot_dice)
        return replace(asked, position=asked.position.change(hot_dice=hot_dice))

    def asked_in(self, game: "Game") -> Asked:
        """The position of a game before its roll, made or not. Raises StrategyFileError."""
        play, brought = self.play_in(game), None
        if game.kits:
            from bot.services.loaded import brought_to  # noqa: PLC0415 - 57 ms, of own dice

            brought = brought_to(game, play)
        # in a play-off all who play may be asked about, or those who can still win
        all_matter = play.players in {game.playing, len(game.contenders)}
        return Asked(play, game.position_in(play), brought, all_matter)

    def advise_in(self, game: "Game", dice: str, mover: str, *, endings: bool = False) -> Advice:
        """Advice on a roll as typed, else on the one on the table. Raises FarkleError.

        mover : the name of the player to move
        endings : whether it is told how the turn ends after each choice
        """
        if not dice and game.turn.roll is None:
            raise InvalidRequestError.say("nothing is rolled yet: give the dice, or ask for /odds")
        roll = _read_fallen(game, dice, mover) if dice else game.turn.roll or ()
        asked = self.asked_in(game)
        held = asked.position.held
        if held.changed and roll != game.turn.roll:
            position = replace(asked.position, held=replace(held, changed=False))
            asked = replace(asked, position=position)
        advice = asked.reasoned(asked.advise(roll, game.turn.misses))
        return with_endings(asked.play, advice) if endings else advice

    def odds_in(self, game: "Game") -> Odds:
        """Roll or bank in the position of a game. Raises FarkleError."""
        if game.turn.roll is not None:
            raise InvalidRequestError.say("a roll is on the table: /advise says what to keep of it")
        if game.why_roll:
            raise IllegalActionError(game.why_roll)
        asked = self.asked_in(game)
        return asked.reasoned(asked.odds())

    def hint(self, game: "Game") -> Hint:
        """What is best in a game of two or more players. Raises StrategyFileError."""
        from bot.table.fold import turn_after  # noqa: PLC0415 - 37 ms, of games

        asked = self.asked_in(game)
        if game.turn.roll is None:
            return Hint(None, asked.odds(), asked.exact)
        advice, next_odds = asked.advise(game.turn.roll), None
        if advice.options and not advice.best_use:
            then = replace(game, turn=turn_after(game, advice.options[0].set_aside))
            if not then.is_out_of_throws:  # which ends the turn by itself
                next_odds = self.asked_in(then).odds()
        return Hint(advice, next_odds, asked.exact)

    def play_in(self, game: "Game") -> BestPlay:
        """Return the best play that stands for a game.

        It is that of all who still play where that is solved or can be estimated, else that of the
        mover and the strongest of the others. Raises StrategyFileError.
        """
        if game.kits:
            many = game.many_matchup
            return self.pair(many if many and self.knows(many) else game.side.matchup)
        play: BestPlay | None = None
        if game.playing > 2:
            goes_on = game.stage != "play-off"
            if goes_on and not game.rules.rounds:
                return self._shared_for(game.rules, game.playing)
            if goes_on or game.all_play_off:
                play = self.solved_for(game.rules, game.playing)
        return play or self.strategy(game.rules)

    def play_of(self, rules: Ruleset, players: int, matchup: "Matchup | None" = None) -> BestPlay:
        """Return best play of so many players, or of what they bring; an estimate of several.

        Raises StrategyFileError where that is not solved, and cannot be estimated.
        """
        if matchup is not None:
            return self.pair(matchup)
        return self.strategy(rules) if players == 2 else self._shared_for(rules, players)

    def strategy(self, rules: Ruleset, reference: str | None = None) -> Strategy:
        """The strategy of the rules. Raises StrategyFileError where they are not solved."""
        return cast("Strategy", self.strategy_for(rules, 2, reference))

    def is_at_hand(self, rules: Ruleset) -> bool:
        """Whether a turn of two is answered in a few milliseconds, with nothing to open first."""
        known = cast("Strategy | None", self._open.get((rules, 2)))
        return known is not None and is_quick(rules) and known.is_at_hand

    def strategy_for(
        self, rules: Ruleset, players: int, reference: str | None = None
    ) -> Strategy | SharedStrategy:
        """The strategy of so many players. Raises StrategyFileError where that is not solved."""
        reopen: Callable[[], Strategy | SharedStrategy]
        reopen = partial(open_strategy, self.folder, rules)
        if players > 2:
            reopen = partial(open_many, self.folder, rules, players)
        key = rules, players
        try:
            if known := self._open.get(key):
                known.refresh()
                return known
        except StrategyFileError:
            self._open.pop(key, None)  # another file of the rules may be good
        try:
            return self._open.setdefault(key, reopen())
        except MissingStrategyError as error:
            raise self._missing(error, rules, reference, players) from None

    def solved_for(self, rules: Ruleset, players: int) -> Strategy | SharedStrategy | None:
        """The strategy for so many players if that is solved, else None."""
        try:
            return self.strategy_for(rules, players)
        except StrategyFileError:
            return None

    def worth(self, rules: Ruleset, *players: int) -> "Worth":
        """What games of the rules are worth to so many players, or one time more, then fewer.

        By estimates where not all of that is solved, else, and if no number is given, exactly.
        """
        from bot.review.worth import Worth  # noqa: PLC0415 - 37 ms, of games

        if all(self.solved_for(rules, number) for number in players):
            return Worth(lambda _, number: self.strategy_for(rules, number))
        within = self.estimate(rules, max(players)).within
        return Worth(
            lambda _, number: self.solved_for(rules, number) or self.estimate(rules, number), within
        )

    def _shared_for(self, rules: Ruleset, players: int, reference: str | None = None) -> BestPlay:
        """The strategy of several, or an estimate. Raises StrategyFileError for neither in time."""
        try:
            return self.strategy_for(rules, players, reference)
        except StrategyFileError:
            if rules.rounds:  # of which there is no estimate
                raise
        if not self.may_estimate(rules):
            self.strategy(rules, reference)  # says what to do
        return self.estimate(rules, players)

    def _missing(
        self, error: MissingStrategyError, rules: Ruleset, reference: str | None, players: int
    ) -> MissingStrategyError:
        """The error that rules are not solved, and what to do, or that nothing can be done."""
        from bot.tasks.solving import about, unsolved_text  # noqa: PLC0415 - 46 ms, of solves

        if players == 2 and not self._program:
            return MissingStrategyError(unsolved_text(rules, reference))
        try:
            time = about(rules, players)
        except InvalidRulesError as impossible:
            return MissingStrategyError(str(impossible))
        if self._program:
            option = f" --players {players}" if players > 2 else ""
            return MissingStrategyError.say(
                "{problem}; run: {program} solve {rules} ({time})",
                problem=error,
                program=self._program,
                rules=(reference or rules.name) + option,
                time=time,
            )
        return error

    def rules_of(self, digest: str, name: str) -> Ruleset:
        """The rules that answers are known of, by the beginning of their digest, called by a name.

        Raises MissingStrategyError where nothing is known of them.
        """
        for rules, _ in (*self._open, *self._estimates):
            if rules.digest.startswith(digest):
                return rules.model_copy(update={"name": name})
        return solved_rules(self.folder, digest, name)

    def solved(self, rules: Ruleset) -> Strategy | None:
        """The strategy of the rules if they are solved."""
        return cast("Strategy | None", self.solved_for(rules, 2))

    def pair(self, matchup: "Matchup") -> "OwnDice":
        """The strategy of two sets of dice or more. Raises StrategyFileError if not solved."""
        strategy = self._pairs.get(matchup)
        if strategy is None:
            from solver.loaded.files import open_matchup  # noqa: PLC0415 - 21 ms, of own dice

            if self.matchups is None:
                raise MissingStrategyError.say("these dice are not solved against each other yet")
            strategy = open_matchup(self.matchups.matchups, matchup)
        self._keep_pair(strategy)
        return strategy

    def keep_pair(self, matchup: "Matchup", *arrays: Floats) -> None:
        """Remember what was just solved, by the values of its strategy."""
        from solver.loaded.files import strategy_of  # noqa: PLC0415 - 21 ms, of own dice

        self._keep_pair(strategy_of(matchup, *arrays))

    def _keep_pair(self, strategy: "OwnDice") -> None:
        self._pairs.pop(strategy.matchup, None)
        self._pairs[strategy.matchup] = strategy
        for longest in list(self._pairs)[:-_MATCHUPS]:
            self._pairs.pop(longest, None)

    def is_solved_in(self, game: "Game", players: int) -> bool:
        """Whether a game is solved for so many: its rules, or the dice that players bring."""
        if game.is_drafting:
            return False
        if len(game.kits) > 2:
            # who were left at first is not known where two have resigned
            many = game.many_matchup_of(players)
            return many is not None and self.knows(many)
        if game.matchup is None:
            return self.solved_for(game.rules, players) is not None
        return self.knows(game.matchup)

    def knows(self, matchup: "Matchup") -> bool:
        """Whether sets of dice are solved against each other."""
        with suppress(StrategyFileError):
            self.pair(matchup)
            return True
        return False

    def worth_in(self, game: "Game", *players: int) -> "Worth":
        """What a game is worth, see `worth`; always exactly where players bring their dice.

        Raises InvalidRequestError where more bring theirs and that is not solved.
        """
        from bot.review.worth import Worth  # noqa: PLC0415 - 37 ms, of games

        if len(game.kits) > 2:
            if not all(self.is_solved_in(game, number) for number in players):
                raise _not_solved_with_dice()
            return Worth(self._pair_in)
        if (matchup := game.matchup) is None:
            return self.worth(game.rules, *players)
        return Worth(lambda *_: self.pair(matchup))

    def _pair_in(self, game: "Game", _: int) -> BestPlay:
        """Return the strategy of several with their own dice who still play in a game."""
        if (matchup := game.many_matchup) is None:
            raise _not_solved_with_dice()
        return self.pair(matchup)

    def may_estimate(self, rules: Ruleset) -> bool:
        """Whether an estimate under the rules is there in time, which takes longest at first."""
        from bot.tasks.solving import estimates_in_time  # noqa: PLC0415 - 46 ms, of solves

        return estimates_in_time(rules, solved=self.solved(rules) is not None)

    def estimate(self, rules: Ruleset, players: int) -> "EstimatedStrategy":
        """What stands in for the strategy of so many players where that is not solved.

        It is made of the strategy of two players, a rough one where that is not solved either,
        which takes seconds the first time. Raises FarkleError where there is none.
        """
        from solver.play import estimate, rough  # noqa: PLC0415 - 9 ms, of several players

        pairs = self.solved(rules) or rough.rough_strategy(rules)
        known = self._estimates.get((rules, players))
        if known is None or known.of_two is not pairs:
            known = estimate.EstimatedStrategy(pairs, players)
            self._estimates[rules, players] = known
        return known

    def known_rules(self) -> list[tuple[Ruleset, bool]]:
        """Every preset, and whether its strategy file is there. Raises InvalidRulesError."""
        presets = [load_rules(name) for name in preset_names()]
        return [(rules, is_solved(self.folder, rules)) for rules in presets]


def is_quick(rules: Ruleset) -> bool:
    """Whether a turn of the rules is solved in milliseconds."""
    return rules.turn_rows <= _QUICK_ROWS


def _not_solved_with_dice() -> InvalidRequestError:
    """The error for a game of several players with dice of their own, which is not solved."""
    return InvalidRequestError.say(
        "this game of more than two players with their own dice is not solved, so its win"
        " probabilities are not known"
    )


def _read_fallen(game: "Game", typed: str, mover: str) -> Roll:
    """Return a roll of the dice that are to be rolled now, as typed. Raises FarkleError."""
    if game.kits:
        from bot.services.loaded import read_fallen  # noqa: PLC0415 - 57 ms, of own dice

        return read_fallen(game, typed, mover)
    roll = read_faces(typed, game.rules)
    if len(roll) != game.turn.dice:
        raise InvalidRequestError(
            say_number(
                "now {name} rolls {number} [die|dice], not {told}; give all numbers, such as me:0,"
                " to ask about another game",
                game.turn.dice,
                name=mover,
                told=len(roll),
            )
        )
    return roll


@cache
def _advisor(strategies: Path, program: str | None, matchups: "MatchupFolders | None") -> Advisor:
    return Advisor(strategies, program, matchups)
