"""Loaded dice against loaded dice: what each set brings, who wins, and which dice to take.

`kcd_answer`, `chosen` and `purchases` load numba, and so are called only in a worker or on the
command line.
"""

from dataclasses import dataclass, replace

import numpy as np

from bot.services.loaded import (
    BadgePlan,
    LoadedDice,
    MatchupFolders,
    Told,
    badge_plan,
    seconds_of_solve,
    solved,
)
from solver.batch.local import compiled_code, with_sound_code
from solver.errors import InvalidDiceError, InvalidRequestError
from solver.loaded.matchup import check_loaded, check_points
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
from solver.turn.points import bank_decisions, points_table, turn_outcome
from solver.turn.remaining import roll_lists, shape_of

MOST_SETS = 20_000
"""That are ranked; a hundred in a few seconds."""

_THRESHOLDS = 8
"""Remaining dice for which is told when to bank."""

_SECONDS_A_SET = 0.05
"""The seconds that it takes to rank a set of dice."""
_SOLVE_IN_RANKINGS = 3
"""How many times as long a solve takes as the ranking, about, for the progress that is told."""


@dataclass(frozen=True, slots=True)
class KcdQuestion:
    """A game between two sets."""

    dice: LoadedDice
    begins: bool = True
    """Whether I throw first."""


@dataclass(frozen=True, slots=True)
class SetFigures:
    """What a turn with a set brings, if it is played for most points."""

    dice: NamedSet
    points: float
    """With no goal."""
    points_to_goal: float
    """From a score of 0, where points beyond the goal count for nothing."""
    farkle_probability: float
    """That the turn to the goal ends in a farkle."""
    first_farkle_probability: float
    """That the first roll of a turn is one."""


@dataclass(frozen=True, slots=True)
class LoadedBank:
    """When to bank with some dice left to roll."""

    dice: NamedSet
    turn_total: int | None
    """From which on to bank; None for never before the goal."""
    share: float
    """How often a turn comes to a decision with these dice."""


@dataclass(frozen=True, slots=True)
class KcdAnswer:
    """Two sets against each other."""

    question: KcdQuestion
    mine: SetFigures
    theirs: SetFigures
    win_beginning: float
    """My win probability where I throw first, and both play as is best."""
    win_second: float
    bank_from: tuple[LoadedBank, ...]
    """In my first turn, with what is left most often."""
    badge: BadgePlan | None = None
    """When to use mine, where it is used up."""

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
    """Against the opponent's dice; None where it was not worked out."""


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """Which six of one's dice to take."""

    dice: LoadedDice
    """The game, in which my dice are those that are to be chosen."""
    owned: tuple[NamedDie, ...]
    begins: bool = True
    solved: int = 3
    """How many of the best by points are worked out against the opponent."""

    def against(self, mine: NamedSet) -> LoadedDice:
        """A set against the opponent's."""
        own, other = self.dice.kits
        return replace(self.dice, kits=(replace(own, dice=mine), other))

    @property
    def pool(self) -> list[NamedDie]:
        """The dice that may be taken: the own ones, and ordinary ones as they are needed."""
        return with_ordinary(self.owned, self.dice.rules.dice)


@dataclass(frozen=True, slots=True)
class ChoiceAnswer:
    """Sets, the best first: those with a win probability, then the others by points."""

    question: ChoiceQuestion
    choices: tuple[RatedSet, ...]


def kcd_answer(
    folders: MatchupFolders, question: KcdQuestion, on_progress: Told = lambda _: None
) -> KcdAnswer:
    """Two sets against each other, exactly.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    dice = question.dice
    figures = [set_figures(folders, dice, side) for side in (0, 1)]
    strategy = solved(folders, dice.matchup, on_progress)
    turn = strategy.turn(strategy.start(0, *dice.head_starts, dice.held))
    return KcdAnswer(
        question=question,
        mine=figures[0],
        theirs=figures[1],
        win_beginning=dice.win(strategy, begins=True),
        win_second=dice.win(strategy, begins=False),
        bank_from=_bank_from(dice, turn, dice.rules.winning_score - dice.head_starts[0]),
        badge=badge_plan(dice, strategy, begins=question.begins),
    )


def set_figures(folders: MatchupFolders, dice: LoadedDice, side: int) -> SetFigures:
    """What a turn with the set of a side brings. Raises InvalidDiceError and InvalidRulesError."""
    rules, named = dice.rules, (dice.mine, dice.theirs)[side]
    thrown, badge = named.dice_set, dice.combinations(side)
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


def chosen(
    folders: MatchupFolders, question: ChoiceQuestion, on_progress: Told = lambda _: None
) -> ChoiceAnswer:
    """All sets that may be taken, by points, and the best of them against the opponent.

    Raises InvalidDiceError, InvalidRulesError and ConvergenceError.
    """
    check_choice(question)
    sets = sets_from(question.pool, question.dice.rules.dice)
    number = min(question.solved, len(sets))
    told = Parts(on_progress, number)
    choices = []
    for place, (points, named) in enumerate(ranked(folders, question, sets, told)):
        win = played_out(folders, question, named, told) if place < number else None
        choices.append(RatedSet(named, points, win))
    choices.sort(key=lambda one: 1.0 if one.win is None else -one.win)
    return ChoiceAnswer(question, tuple(choices))


@dataclass(slots=True)
class Parts:
    """The progress of a ranking and of the solves after it, as one share that is told."""

    on_progress: Told
    solves: int
    done: int = 0
    """Parts of it; a solve is several."""

    def __call__(self, share: float) -> None:
        """Tell that so much of the ranking, or of the solve under way, is done."""
        here = share * (_SOLVE_IN_RANKINGS if self.done else 1)
        self.on_progress((self.done + here) / (1 + _SOLVE_IN_RANKINGS * self.solves))

    def next(self) -> None:
        """The ranking, or a solve, is done."""
        self.done += _SOLVE_IN_RANKINGS if self.done else 1


def ranked(
    folders: MatchupFolders, question: ChoiceQuestion, sets: list[NamedSet], told: Parts
) -> list[tuple[float, NamedSet]]:
    """Sets with the points of a turn with no goal, the best first."""
    badge = question.against(sets[0]).combinations(0)
    thrown = [named.dice_set for named in sets]
    points = _points(folders, question.dice.rules, thrown, question.dice.joker_alone, badge, told)
    told.next()
    return sorted(zip(points, sets, strict=True), key=lambda pair: -pair[0])


def played_out(
    folders: MatchupFolders, question: ChoiceQuestion, mine: NamedSet, told: Parts
) -> float:
    """How often a set wins against the opponent's. Raises what `chosen` does."""
    dice = question.against(mine)
    strategy = solved(folders, dice.matchup, told)
    told.next()
    return dice.win(strategy, begins=question.begins)


def seconds_of_choice(question: ChoiceQuestion) -> float:
    """About how long a choice takes. Raises what `check_choice` does."""
    return seconds_of_sets(question, check_choice(question))


def seconds_of_sets(question: ChoiceQuestion, number: int) -> float:
    """About how long it takes to rank so many sets and to play the best of them out."""
    best = question.pool[: question.dice.rules.dice]
    like = question.against(make_set(best))
    solves = min(question.solved, number) * seconds_of_solve(like.matchup)
    return solves + _SECONDS_A_SET * number


def check_choice(question: ChoiceQuestion) -> int:
    """How many sets there are to choose from.

    Raises InvalidDiceError where they are too many, or dice do not fit the rules, and
    InvalidRulesError.
    """
    check_points(question.dice.rules)
    check_loaded(question.dice.rules, question.dice.theirs.dice_set)
    return check_number(number_of_sets(question.pool, question.dice.rules.dice))


def check_number(sets: int) -> int:
    """Returns the number of sets if so many can be ranked. Raises InvalidDiceError."""
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
    on_progress: Told,
) -> list[float]:
    """Points of a turn of each set with no goal."""

    def work() -> list[float]:
        from solver.loaded.points import points_of_sets  # noqa: PLC0415

        found = points_of_sets(
            rules, sets, joker_alone=joker_alone, badge=badge, on_progress=on_progress
        )
        return [one.points for one in found]

    with compiled_code(folders.kernels) as cache:
        return with_sound_code(cache, work)


def _bank_from(dice: LoadedDice, turn: TurnTable, goal: int) -> tuple[LoadedBank, ...]:
    """When to bank, of the remaining dice that a turn comes to most often."""
    visited, banks = turn_outcome(dice.rules, turn).visits[0], bank_decisions(turn)[0]
    often = visited.sum(axis=0)
    often[-1] = 0.0  # hot dice, and the beginning
    found = []
    for column in np.argsort(-often, kind="stable")[:_THRESHOLDS]:
        if not often[column]:
            break
        seen = np.flatnonzero(visited[:, column])
        rolled = seen[~banks[seen, column]]
        banked = seen[seen > (rolled[-1] if len(rolled) else -1)]
        total = int(banked[0]) * turn.plan.step if len(banked) else goal
        left = dice.mine.left(int(column) + 1)
        share = float(often[column] / often.sum())
        found.append(LoadedBank(left, total if total < goal else None, share))
    return tuple(found)


ANY_PRICE = "any"
_NO_PRICE = 1
"""Groschen that the game's tables give what is not sold at all."""


@dataclass(frozen=True, slots=True)
class PurchaseQuestion:
    """Which die to buy."""

    owned: ChoiceQuestion
    """The dice that somebody has, and the game."""
    most_price: int | None = None
    """In groschen; None for any."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """One die that could be bought, and the best set with it."""

    die: NamedDie
    price: int
    """In groschen."""
    best: RatedSet


@dataclass(frozen=True, slots=True)
class PurchaseAnswer:
    """Dice, the best first: those with a win probability, then the others by points."""

    question: PurchaseQuestion
    now: RatedSet
    """The best set without another die, by points."""
    purchases: tuple[Purchase, ...]


def read_price(text: str) -> int | None:
    """The most that a die may cost, None for any price. Raises InvalidRequestError."""
    plain = text.strip().casefold()
    if plain in {ANY_PRICE, "yes", "ja"}:
        return None
    if not plain.isdecimal() or len(plain) > 6:
        raise InvalidRequestError.say(
            'buy: "{text}" is not a price; give the most groschen you can pay, or any',
            text=text,
        )
    return int(plain)


def for_sale(question: PurchaseQuestion) -> list[tuple[int, NamedDie]]:
    """The dice that may be bought, cheapest first, and of those that fall alike the first.

    Raises InvalidRequestError where none costs so little.
    """
    found: dict[Die, tuple[int, NamedDie]] = {}
    for known in known_dice():
        if (price := known.price or 0) > _NO_PRICE and Version.PATCHED in known.versions:
            named = named_die(known)
            offer = price, named
            found[named.die] = min(found.get(named.die, offer), offer, key=_price)
    found.pop(Die(), None)  # ordinary ones are at hand
    dice = sorted(found.values(), key=_price)
    pool, most = question.owned.pool, question.owned.dice.rules.dice
    dice = [
        (price, named) for price, named in dice if sum(one.die == named.die for one in pool) < most
    ]
    affordable = [
        offer
        for offer in dice
        if question.most_price is None or _price(offer) <= question.most_price
    ]
    if not affordable:
        raise InvalidRequestError.say(
            "no die costs {price:,} groschen or less; the cheapest one costs {least:,}",
            price=question.most_price,
            least=_price(dice[0]),
        )
    return affordable


def check_purchase(question: PurchaseQuestion) -> int:
    """How many sets are compared.

    Raises InvalidDiceError where they are too many, or dice do not fit the rules,
    InvalidRequestError and InvalidRulesError.
    """
    owned = question.owned
    now, number = check_choice(owned), owned.dice.rules.dice
    bought = [number_of_sets([*owned.pool, die], number) for _, die in for_sale(question)]
    return check_number(sum(bought) - (len(bought) - 1) * now)


def seconds_of_purchase(question: PurchaseQuestion) -> float:
    """About how long it takes. Raises what `check_purchase` does."""
    return seconds_of_sets(question.owned, check_purchase(question))


def purchases(
    folders: MatchupFolders, question: PurchaseQuestion, on_progress: Told = lambda _: None
) -> PurchaseAnswer:
    """What each die would add: the best set with it by points, and those with most played out.

    Raises InvalidDiceError, InvalidRequestError, InvalidRulesError and ConvergenceError.
    """
    check_purchase(question)
    owned, number = question.owned, question.owned.dice.rules.dice
    before = _by_dice(owned.pool, number)
    offers = for_sale(question)
    added = [_by_dice([*owned.pool, die], number) for _, die in offers]
    sets = {thrown: named for found in (*added, before) for thrown, named in found.items()}
    solves = min(owned.solved, len(offers))
    told = Parts(on_progress, solves + bool(solves))
    worth = {
        named.dice_set: points
        for points, named in ranked(folders, owned, list(sets.values()), told)
    }
    now = max(before, key=worth.__getitem__)
    with_it = [
        max((thrown for thrown in found if thrown not in before), key=worth.__getitem__)
        for found in added
    ]

    def choice(thrown: DiceSet, *, out: bool) -> RatedSet:
        mine = sets[thrown]
        win = played_out(folders, owned, mine, told) if out else None
        return RatedSet(mine, worth[thrown], win)

    unbought = choice(now, out=bool(solves))
    order = sorted(zip(with_it, offers, strict=True), key=lambda pair: -worth[pair[0]])
    found = [
        Purchase(die, price, choice(thrown, out=place < solves))
        for place, (thrown, (price, die)) in enumerate(order)
    ]
    found.sort(key=lambda one: 1.0 if one.best.win is None else -one.best.win)
    return PurchaseAnswer(question, unbought, tuple(found))


def _by_dice(pool: list[NamedDie], number: int) -> dict[DiceSet, NamedSet]:
    return {named.dice_set: named for named in sets_from(pool, number)}


def _price(offer: tuple[int, NamedDie]) -> int:
    return offer[0]
