"""Loaded dice in Kingdom Come: Deliverance: what a set brings, who wins, which dice to take or buy.

`kcd_answer`, `choice_answer` and `purchase_answer` load numba, and so are called only in a worker
or on the command line.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np

from bot.services.loaded import (
    BadgePlan,
    LoadedDice,
    MatchupFolders,
    badge_plan,
    solved,
)
from solver.batch.local import compiled_code, with_sound_code
from solver.errors import InvalidDiceError, InvalidRequestError
from solver.game.standings import OnShare
from solver.loaded.matchup import Matchup, check_loaded, check_points, options_of_turns
from solver.named.catalogue import Version, known_dice
from solver.named.sets import (
    NamedDie,
    NamedSet,
    make_set,
    named_die,
    number_of_sets,
    sets_from,
    with_ordinary,
)
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Badge, DiceSet, Die, TurnState
from solver.turn.equations import TurnTable
from solver.turn.points import BankFrom, bank_decisions, bank_from, points_table, turn_outcome
from solver.turn.remaining import roll_lists, shape_of

MOST_SETS = 20_000
"""The most sets that are ranked for one answer; a hundred take a few seconds."""

_THRESHOLDS = 8
"""The most combinations of remaining dice of which an answer says when to bank."""

_SECONDS_A_SET = 0.05
"""Seconds that it takes to rank a set of dice."""
_RANKING, _SOLVE = 1, 3
"""The times of a whole ranking and of a solve, roughly; used for the progress alone."""


@dataclass(frozen=True, slots=True)
class KcdQuestion:
    """The question who wins a game between two sets of dice."""

    dice: LoadedDice
    begins: bool = True
    """Whether I throw first."""

    @property
    def matchups(self) -> list[Matchup]:
        """What is solved: the game, and the one without what my badge makes of combinations."""
        games = [self.dice] + [self.dice.without_badge] * bool(self.dice.combinations(0))
        return [dice.matchup for dice in games]


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The points and farkles of a turn with a set that is played for most expected points."""

    dice: NamedSet
    points: float | None
    """The expected points of a turn in a game with no goal; None where that is not worked out."""
    points_to_goal: float
    """The expected points of a turn at a score of 0; points beyond the goal do not count."""
    farkle_probability: float
    """The chance that the turn at a score of 0 ends in a farkle."""
    first_farkle_probability: float
    """The chance that the first roll of a turn is a farkle."""


@dataclass(frozen=True, slots=True)
class LoadedBank:
    """When to bank with certain dice left to roll."""

    dice: NamedSet
    threshold: BankFrom
    """The turn totals at which to bank; none where all of them reach the goal."""
    share: float
    """The share of the decisions of a turn that are made with these dice."""


@dataclass(frozen=True, slots=True)
class KcdAnswer:
    """Who wins between two sets of dice, what each brings, and when to bank."""

    question: KcdQuestion
    mine: SetFigures
    theirs: SetFigures
    win_beginning: float
    """My win probability if I throw first, and both play optimally."""
    win_second: float
    """My win probability if my opponent throws first, and both play optimally."""
    bank_from: tuple[LoadedBank, ...]
    """When to bank in my first turn, with the dice that are left most often."""
    badge: BadgePlan | None = None
    """What my badge is worth, and when to use it if it is one with a number of uses."""

    @property
    def win(self) -> float:
        """My win probability in the game that was asked for."""
        return self.win_beginning if self.question.begins else self.win_second


@dataclass(frozen=True, slots=True)
class RatedSet:
    """One set that could be taken."""

    dice: NamedSet
    points: float
    """The expected points of a turn that is played for most points, with no goal."""
    win: float | None
    """The win probability against the opponent's dice; None where it was not worked out."""


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """The question which six of my dice to take."""

    dice: LoadedDice
    """The game; the dice that it names as mine are not looked at."""
    owned: tuple[NamedDie, ...]
    begins: bool = True
    solves: int = 3
    """The number of sets, the best by points, whose games against the opponent are solved."""

    def against(self, mine: NamedSet) -> LoadedDice:
        """The game in which I take a set."""
        my_kit, other = self.dice.kits
        return replace(self.dice, kits=(replace(my_kit, dice=mine), other))

    @property
    def pool(self) -> list[NamedDie]:
        """The dice that may be taken: those that I own, and as many ordinary ones as are needed."""
        return with_ordinary(self.owned, self.dice.rules.dice)

    def check(self) -> int:
        """The number of sets that are compared.

        Raises InvalidDiceError if they are too many, or dice do not fit the rules, and
        InvalidRulesError.
        """
        check_points(self.dice.rules)
        check_loaded(self.dice.rules, self.dice.theirs.dice_set)
        return _checked(number_of_sets(self.pool, self.dice.rules.dice))


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """Sets that can be taken, the best first: by win probability, then the others by points."""

    question: ChoiceQuestion
    choices: tuple[RatedSet, ...]


def kcd_answer(
    folders: MatchupFolders, question: KcdQuestion, on_progress: OnShare = lambda _: None
) -> KcdAnswer:
    """Who wins between two sets, exactly, what each brings, and when to bank.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    dice, matchups = question.dice, question.matchups  # which refuse what cannot be solved
    figures = [set_figures(folders, dice, side) for side in (0, 1)]
    parts = _parts(on_progress, [_SOLVE] * len(matchups))
    strategies = [solved(folders, matchup, next(parts)) for matchup in matchups]
    strategy = strategies[0]
    turn = strategy.turn(strategy.start(0, *dice.head_starts, dice.held))
    return KcdAnswer(
        question=question,
        mine=figures[0],
        theirs=figures[1],
        win_beginning=dice.win(strategy, begins=True),
        win_second=dice.win(strategy, begins=False),
        bank_from=_bank_from(dice, turn, dice.rules.winning_score - dice.head_starts[0]),
        badge=badge_plan(dice, strategy, strategies[-1], begins=question.begins),
    )


def set_figures(folders: MatchupFolders, dice: LoadedDice, side: int) -> SetFigures:
    """The points and farkles of a turn with my set, or with the opponent's for a `side` of 1.

    Raises InvalidDiceError and InvalidRulesError.
    """
    rules, named = dice.rules, (dice.mine, dice.theirs)[side]
    thrown, badge = named.dice_set, dice.combinations(side)
    points = None
    if not options_of_turns(rules):
        [points] = _points(folders, rules, [thrown], dice.joker_alone, badge, lambda _: None)
    lists = roll_lists(rules, shape_of(thrown), joker_alone=dice.joker_alone, badge=badge)
    table = points_table(rules, lists.plan(thrown))
    return SetFigures(
        dice=named,
        points=points,
        points_to_goal=table.value(TurnState(0, thrown.whole)) * rules.winning_score,
        farkle_probability=float(turn_outcome(rules, table).farkled.sum()),
        first_farkle_probability=float(table.plan.farkle_chances[-1]),
    )


def choice_answer(
    folders: MatchupFolders, question: ChoiceQuestion, on_progress: OnShare = lambda _: None
) -> ChoiceAnswer:
    """Every set that may be taken, with its points, and the best ones with their win probability.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    question.check()
    sets = sets_from(question.pool, question.dice.rules.dice)
    number = min(question.solves, len(sets))
    parts = _parts(on_progress, [_RANKING] + [_SOLVE] * number)
    choices = []
    for place, (points, named) in enumerate(ranking(folders, question, sets, next(parts))):
        win = win_with(folders, question, named, next(parts)) if place < number else None
        choices.append(RatedSet(named, points, win))
    choices.sort(key=lambda rated: 1.0 if rated.win is None else -rated.win)
    return ChoiceAnswer(question, tuple(choices))


def _parts(on_progress: OnShare, times: Sequence[int]) -> Iterator[OnShare]:
    """Functions that pass on the progress of each part of some work, as a share of all of it."""

    def pass_on(before: int, time: int, share: float) -> None:
        on_progress((before + time * share) / sum(times))

    for place, time in enumerate(times):
        yield partial(pass_on, sum(times[:place]), time)


def ranking(
    folders: MatchupFolders, question: ChoiceQuestion, sets: list[NamedSet], progress: OnShare
) -> list[tuple[float, NamedSet]]:
    """Sets with their expected points of a turn with no goal, the best first."""
    badge = question.against(sets[0]).combinations(0)
    thrown = [named.dice_set for named in sets]
    dice = question.dice
    points = _points(folders, dice.rules, thrown, dice.joker_alone, badge, progress)
    return sorted(zip(points, sets, strict=True), key=lambda pair: -pair[0])


def win_with(
    folders: MatchupFolders, question: ChoiceQuestion, mine: NamedSet, progress: OnShare
) -> float:
    """My win probability with a set against the opponent's. Raises what `choice_answer` does."""
    dice = question.against(mine)
    return dice.win(solved(folders, dice.matchup, progress), begins=question.begins)


def seconds_of_choice(question: ChoiceQuestion) -> float:
    """About how long a choice takes, or a purchase. Raises what its `check` does."""
    number = question.check()
    typical = question.against(make_set(question.pool[: question.dice.rules.dice]))
    solves = min(question.solves, number) * typical.matchup.seconds
    return solves + _SECONDS_A_SET * number


def _checked(sets: int) -> int:
    """The number of sets, unchanged. Raises InvalidDiceError for more than can be ranked."""
    if sets > MOST_SETS:
        raise InvalidDiceError.say(
            "{number:,} sets can be taken from these dice, and at most {most:,} are compared: name"
            " fewer dice",
            number=sets,
            most=MOST_SETS,
        )
    return sets


def _points(
    folders: MatchupFolders,
    rules: Ruleset,
    sets: list[DiceSet],
    joker_alone: bool,
    badge: Badge,
    on_progress: OnShare,
) -> list[float]:
    """The expected points of a turn with each set in a game with no goal."""

    def work() -> list[float]:
        from solver.loaded.points import points_of_sets  # noqa: PLC0415 - numba: 0.4 s

        turns = points_of_sets(
            rules, sets, joker_alone=joker_alone, badge=badge, on_progress=on_progress
        )
        return [turn.points for turn in turns]

    with compiled_code(folders.kernels) as cache:
        return with_sound_code(cache, work)


def _bank_from(dice: LoadedDice, turn: TurnTable, goal: int) -> tuple[LoadedBank, ...]:
    """When to bank, with each of the remaining dice that a turn comes to most often."""
    visits, banks = turn_outcome(dice.rules, turn).visits[0], bank_decisions(turn)[0]
    by_dice = {
        threshold.dice: threshold for threshold in bank_from(banks, visits > 0, turn.plan.step)
    }
    frequency = visits.sum(axis=0)
    frequency[-1] = 0.0  # hot dice, and the beginning
    thresholds = []
    for column in np.argsort(-frequency, kind="stable")[:_THRESHOLDS]:
        if not frequency[column]:
            break
        threshold = by_dice[int(column) + 1]
        if (threshold.turn_total or 0) >= goal:
            threshold = BankFrom(threshold.dice, None)
        left = dice.mine.left(threshold.dice)
        share = float(frequency[column] / frequency.sum())
        thresholds.append(LoadedBank(left, threshold, share))
    return tuple(thresholds)


ANY_PRICE = "any"
_NO_PRICE = 1
"""The price in groschen that the game's tables give dice that are not sold at all."""


@dataclass(frozen=True, slots=True)
class PurchaseQuestion(ChoiceQuestion):
    """The question which die to buy besides those that I own."""

    most_price: int | None = None
    """The most groschen that a die may cost; None for any price."""

    def check(self) -> int:
        """The number of sets that are compared, with each die that may be bought.

        Raises InvalidRequestError as well, as `dice_for_sale` does.
        """
        now, number = ChoiceQuestion.check(self), self.dice.rules.dice
        bought = [number_of_sets([*self.pool, die], number) for _, die in dice_for_sale(self)]
        return _checked(sum(bought) - (len(bought) - 1) * now)


@dataclass(frozen=True, slots=True)
class Purchase:
    """One die that could be bought, and the best set with it."""

    die: NamedDie
    price: int
    """The price of the die in groschen."""
    best: RatedSet


@dataclass(frozen=True, slots=True)
class PurchaseAnswer:
    """Dice to buy, the best first: by win probability, then the others by points."""

    question: PurchaseQuestion
    now: RatedSet
    """The best set by points of the dice that I own."""
    purchases: tuple[Purchase, ...]


def read_price(text: str) -> int | None:
    """The most that a die may cost, None for any price. Raises InvalidRequestError."""
    plain = text.strip().casefold()
    if plain in {ANY_PRICE, "yes", "ja"}:
        return None
    if not plain.isdecimal() or len(plain) > 6:
        raise InvalidRequestError.say(
            'buy: "{text}" is not a price; give the most groschen you can pay, or any', text=text
        )
    return int(plain)


def dice_for_sale(question: PurchaseQuestion) -> list[tuple[int, NamedDie]]:
    """Prices and dice that may be bought, the cheapest first; of dice with equal weights only one.

    Raises InvalidRequestError where every die costs more than the question allows.
    """
    offers: dict[Die, tuple[int, NamedDie]] = {}
    for known in known_dice():
        if (price := known.price or 0) > _NO_PRICE and Version.PATCHED in known.versions:
            named = named_die(known)
            offer = price, named
            offers[named.die] = min(offers.get(named.die, offer), offer, key=itemgetter(0))
    offers.pop(Die(), None)  # everybody has ordinary dice
    owned = Counter(named.die for named in question.pool)
    most, number = question.most_price, question.dice.rules.dice
    dice = [(price, named) for price, named in offers.values() if owned[named.die] < number]
    dice.sort(key=itemgetter(0))
    affordable = [offer for offer in dice if most is None or offer[0] <= most]
    if not affordable:
        raise InvalidRequestError.say(
            "no die costs {price:,} groschen or less; the cheapest one costs {least:,}",
            price=most,
            least=dice[0][0],
        )
    return affordable


def purchase_answer(
    folders: MatchupFolders, question: PurchaseQuestion, on_progress: OnShare = lambda _: None
) -> PurchaseAnswer:
    """The best set by points with each die for sale; the best of them with a win probability.

    Raises InvalidDiceError, InvalidRequestError, InvalidRulesError and ConvergenceError.
    """
    question.check()
    number, offers = question.dice.rules.dice, dice_for_sale(question)
    before = _by_dice(question.pool, number)
    after = [_by_dice([*question.pool, die], number) for _, die in offers]
    sets = {thrown: named for choices in (*after, before) for thrown, named in choices.items()}
    solves = min(question.solves, len(offers))
    parts = _parts(on_progress, [_RANKING] + [_SOLVE] * (solves + bool(solves)))
    points = {
        named.dice_set: set_points
        for set_points, named in ranking(folders, question, list(sets.values()), next(parts))
    }
    best_before = max(before, key=points.__getitem__)
    best_after = [
        max((thrown for thrown in choices if thrown not in before), key=points.__getitem__)
        for choices in after
    ]

    def rate(thrown: DiceSet, *, solve: bool) -> RatedSet:
        win = win_with(folders, question, sets[thrown], next(parts)) if solve else None
        return RatedSet(sets[thrown], points[thrown], win)

    now = rate(best_before, solve=bool(solves))
    order = sorted(zip(best_after, offers, strict=True), key=lambda pair: -points[pair[0]])
    purchases = [
        Purchase(die, price, rate(thrown, solve=place < solves))
        for place, (thrown, (price, die)) in enumerate(order)
    ]
    purchases.sort(key=lambda bought: 1.0 if bought.best.win is None else -bought.best.win)
    return PurchaseAnswer(question, now, tuple(purchases))


def _by_dice(pool: list[NamedDie], number: int) -> dict[DiceSet, NamedSet]:
    """All sets of `number` dice of a pool, by what they throw."""
    return {named.dice_set: named for named in sets_from(pool, number)}
