"""What can be done with badges that are used up, against the commands that let it pass."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from bot.review.moments import Kind, choices, read_events
from bot.table import badges, commands
from bot.table.events import Begun, Corrected, Event
from bot.table.fold import apply, begin
from bot.table.state import Game
from solver.errors import FarkleError
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll
from solver.turn.equations import Decision
from solver.turn.powers import PowerKind
from tests.bot.table.test_badges import BADGES, DICE, uses, worth_of
from tests.conftest import EVERY
from tests.loaded_dice import kcd

KITS = [*BADGES, "tin-might@once", "gold-warlord", "carpenter:150", "tin-headstart:100"]
RULES: list[dict[str, Any]] = [
    {"goal": 600},
    {"goal": 500, "minimum_bank": 150},
    {"goal": 600, "minimum_bank": 300, "minimum_binds_win": False},
    {"goal": 500, "goal_must_be": "exceeded"},
    {"goal": 600, "set_aside_all": True},
]
Way = tuple[Roll, Decision, PowerKind | None]


def random_start(chance: random.Random) -> Begun:
    """A game of two with any badges, with real dice or without."""
    one = chance.choice(KITS)
    tier = one.partition("-")[0]
    other = chance.choice([None, *(badge for badge in KITS if badge.startswith(f"{tier}-"))])
    kits = tuple(
        Kit(read_set(dice, 3), read_badge(badge) if badge else None)
        for dice, badge in zip(chance.choice(DICE), (one, other), strict=True)
    )
    settings: dict[str, Any] = {"levels": (None, None), "tracked": chance.random() < 0.6}
    rules: Ruleset = kcd(dice=3, **chance.choice(RULES))
    return Begun(game="test", rules=rules, kits=kits, **settings)


def fall(game: Game, types: Sequence[int], chance: random.Random) -> Roll:
    assert game.side
    dice = [game.side.types[k] for k in types]
    faces = tuple(chance.choices(range(1, 7), die.weights)[0] for die in dice)
    return badges.faces_of([*types], faces)


def random_command(game: Game, chance: random.Random) -> Sequence[Event]:
    """What anybody may say at any time, or a move. Raises FarkleError for what is not legal."""
    seat, score = chance.randrange(2), 50 * chance.randrange(10)
    if chance.random() < 0.01:
        return commands.resign(game, seat)
    beside: list[Callable[[], Sequence[Event]]] = [
        lambda: commands.correct(game, Corrected(seat=seat, score=score)),
        lambda: commands.correct(game, Corrected(seat=seat, uses=chance.randrange(3))),
        lambda: commands.correct(game, Corrected(seat=seat, moves=True)),
        lambda: commands.score(game, game.mover, score, "bank"),
        lambda: commands.skip(game) if game.tracked else [],
        lambda: commands.undo(game, game.before.mover if game.before else None),
    ]
    return random_move(game, chance) if chance.random() < 0.8 else chance.choice(beside)()


def random_move(game: Game, chance: random.Random) -> Sequence[Event]:
    mover, side = game.mover, game.side
    assert side
    if (ways := uses(game)) and chance.random() < 0.4:
        dice, types = chance.choice(ways)
        return badges.use(game, mover, dice, fall(game, types, chance))
    if game.is_farkle:
        return badges.accept(game, mover)
    if game.turn.roll is not None:
        return commands.keep(game, mover, chance.choice(game.set_asides()).dice)
    if game.may_bank and chance.random() < 0.4:
        return commands.bank(game, mover)
    return commands.roll(game, mover, fall(game, side.thrown(game.turn.dice), chance))


def ways_before_a_roll(game: Game, kept: Roll) -> Iterator[Way]:
    yield kept, Decision.ROLL, None
    if game.may_bank:
        yield kept, Decision.BANK, None
    for _ in uses(game):
        assert game.power
        banks = game.power.is_of_bank and not game.power.at_start
        yield kept, Decision.BANK if banks else Decision.ROLL, game.power.kind


def ways(game: Game) -> Iterator[Way]:
    """All that the commands allow up to the next roll or the end of the turn."""
    if game.turn.roll is None:
        yield from ways_before_a_roll(game, ())
        return
    for one in game.set_asides():
        after = apply(game, *commands.keep(game, game.mover, one.dice))
        yield from ways_before_a_roll(after, one.dice)
    if game.is_farkle:
        yield (), Decision.BANK, None
    for dice, _ in uses(game):
        assert game.power
        kind = game.power.kind
        if kind is PowerKind.DOPPELGANGER:
            after = apply(game, *badges.use(game, game.mover, dice))
            for _, action, use in ways_before_a_roll(after, dice):
                assert use is None, "the badge acts on rolls alone"
                yield dice, action, kind
        else:
            yield dice, Decision.ROLL, kind


@pytest.mark.slow
def test_whatever_is_legal_is_among_the_choices_and_can_be_looked_back_on() -> None:
    used = set[PowerKind]()
    for seed in range(1_500 if EVERY else 120):
        chance = random.Random(seed)
        first = random_start(chance)
        game, events = begin(first), list[Event]()
        worth = worth_of(game, seed)
        for _ in range(60):
            try:
                told = random_command(game, chance)
            except FarkleError:
                continue
            for event in told:
                game = apply(game, event)
                events.append(event)
            if game.over:
                break
            if chance.random() < 0.1:
                found = [(one.set_aside, one.action, one.use) for one in choices(worth, game)]
                assert {*found} == {*ways(game)}, (first, events)
        if game.over and game.shares is None:
            continue
        moments = read_events(worth, first, events).moments
        judged = [one.judgement for one in moments if one.kind is Kind.DECISION]
        assert all(one and one.loss > -1e-9 for one in judged)
        used |= {one.chosen.use for one in judged if one and one.chosen.use}
    assert used == {*PowerKind}
