"""The next die worth buying: what each one with a price would add to the dice that somebody owns.

`purchases` loads numba, and so is called only in a worker or on the command line.
"""

from dataclasses import dataclass

from bot.features.kingdom.service import (
    Choice,
    ChoiceQuestion,
    Parts,
    check_choice,
    check_number,
    played_out,
    ranked,
    seconds_of_sets,
)
from bot.services.loaded import MatchupFolders, Told
from solver.errors import InvalidRequestError
from solver.named.catalogue import Version, known_dice
from solver.named.sets import NamedDie, NamedSet, named_die, number_of_sets, sets_from
from solver.turn.dice import DiceSet, Die

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
    best: Choice


@dataclass(frozen=True, slots=True)
class PurchaseAnswer:
    """Dice, the best first: those with a win probability, then the others by points."""

    question: PurchaseQuestion
    now: Choice
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

    def choice(thrown: DiceSet, *, out: bool) -> Choice:
        mine = sets[thrown]
        win = played_out(folders, owned, mine, told) if out else None
        return Choice(mine, worth[thrown], win)

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
