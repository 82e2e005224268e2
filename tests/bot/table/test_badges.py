"""Badges that are used up at a table: what every state is worth, against all that can follow it."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from bot.review.worth import Worth
from bot.table import badges, commands
from bot.table.events import Accepted, Begun, Corrected
from bot.table.fold import apply, begin
from bot.table.state import Game
from solver.errors import FarkleError, IllegalActionError
from solver.game.standings import value_shape
from solver.loaded.kits import Kit
from solver.loaded.matchup import uses_shape
from solver.loaded.strategy import MatchupStrategy
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.turn.dice import parts
from tests.conftest import mostly_slow
from tests.loaded_dice import kcd

BADGES = [
    "tin-warlord",
    "gold-warlord@start",
    "silver-resurrection",
    "gold-resurrection@once",
    "silver-might+1:0:0:0:2:1@joker1",
    "silver-doppelganger",
    "silver-doppelganger@once",
    "gold-transmutation",
    "tin-transmutation@farkle",
    "silver-joker@farkle",
    "silver-fortune",
    "silver-fortune@farkle",
    "gold-swapout@farkle",
    "silver-swapout",
]
DICE = [("devil,lucky,pie", "ordinary*3"), ("tengri*2,odd", "devil,devil,weighted")]


def game_of(mine: str, theirs: str, badge: str, other: str | None = None, **options: Any) -> Game:
    kits = Kit(read_set(mine, 3), read_badge(badge)), Kit(read_set(theirs, 3))
    if other:
        kits = kits[0], Kit(kits[1].dice, read_badge(other))
    rules = kcd(dice=3, goal=600, **options)
    begun: dict[str, Any] = {"rules": rules, "levels": (None, None), "tracked": True}
    return begin(Begun(game="test", kits=kits, **begun))


def worth_of(game: Game, seed: int) -> Worth:
    """A worth of made-up values, where more points are worth more: all else follows from them."""
    assert game.matchup
    shape = *uses_shape(game.matchup), *value_shape(game.rules, sides=2)
    values = np.sort(np.sort(np.random.default_rng(seed).random(shape), axis=-2), axis=-1)
    strategy = MatchupStrategy(game.matchup, values[..., ::-1])
    return Worth(lambda *_: strategy)


def mine_of(worth: Worth, game: Game) -> float:
    return worth.shares(game)[0]


def falls(game: Game, types: list[int]) -> list[tuple[tuple[int, ...], float]]:
    """All that dice of these types show, die by die, with the chances."""
    assert game.side
    found = []
    dice = [game.side.types[k] for k in types]
    for faces in product(range(1, 7), repeat=len(types)):
        pairs = list(zip(dice, faces, strict=True))
        if chance := prod(die.weights[f - 1] / sum(die.weights) for die, f in pairs):
            found.append((badges.faces_of(types, faces), chance))
    return found


def uses(game: Game) -> list[tuple[tuple[int, ...], list[int]]]:
    """Every use that a command lets pass: its dice, and the types of the dice that fall."""
    found = []
    for dice in [(), *sorted(parts(game.turn.roll or ()))]:
        try:
            found.append((dice, badges.check_use(game, game.mover, dice)))
        except FarkleError:
            continue
    return list({dice: (dice, types) for dice, types in found}.values())


def best_of(game: Game, value: Callable[[Game], float]) -> float:
    """The most that any command leads to, on average over what falls."""
    ways = []
    for dice, types in uses(game):
        mean = 0.0
        for fallen, chance in falls(game, types):
            mean += chance * value(apply(game, *badges.use(game, game.mover, dice, fallen)))
        ways.append(mean)
    if game.is_farkle:
        ways.append(value(apply(game, Accepted())))
    elif game.turn.roll is not None:
        kept = (commands.keep(game, game.mover, one.dice) for one in game.set_asides())
        ways += [value(apply(game, *events)) for events in kept]
    else:
        mean = 0.0
        assert game.side
        for dice, chance in falls(game, list(game.side.thrown(game.turn.dice))):
            mean += chance * value(apply(game, *commands.roll(game, game.mover, dice)))
        ways.append(mean)
        if game.may_bank:
            ways.append(value(apply(game, *commands.bank(game, game.mover))))
    return max(ways)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("badge", mostly_slow(zip(BADGES, BADGES, strict=True)))
def test_what_a_state_is_worth_is_the_most_that_follows(badge: str) -> None:
    chance = random.Random(badge)
    used = 0
    for number, (mine, theirs) in enumerate(DICE):
        game = game_of(mine, theirs, badge, f"{badge.split('-', maxsplit=1)[0]}-might")
        worth = worth_of(game, number)
        value = partial(mine_of, worth)
        checked = 0
        while checked < 4:
            if game.over or game.mover:
                game = begin_again(game)
            ways = uses(game)
            if ways or game.turn.used or chance.random() < 0.1:
                now = value(game)
                if game.turn == game.first_turn:  # at which the values are made up
                    now = worth.turn(game).value(game.turn.state)[0]
                assert now == pytest.approx(best_of(game, value), abs=1e-9)
                checked += 1
            if ways and chance.random() < 0.5:
                dice, types = chance.choice(ways)
                fallen = chance.choice(falls(game, types))[0] if types else ()
                game = apply(game, *badges.use(game, 0, dice, fallen))
                used += 1
            elif game.is_farkle:
                game = apply(game, Accepted())
            elif game.turn.roll is not None:
                game = apply(game, *commands.keep(game, 0, chance.choice(game.set_asides()).dice))
            else:
                assert game.side
                types = list(game.side.thrown(game.turn.dice))
                fallen = chance.choice(falls(game, types))[0]
                game = apply(game, *commands.roll(game, 0, fallen))
    assert used or "warlord" in badge


@pytest.mark.parametrize(
    "options",
    [
        {"no_bank_at": ("100", "250-300"), "minimum_bank": 100, "minimum_binds_win": False},
        {"caught_up": 100},
        {"caught_up": "everything", "opening_minimum": 150},
        {"farkle_penalty": {"in_a_row": 2, "points": 150}, "score_floor": -100},
    ],
)
@pytest.mark.parametrize("badge", ["tin-warlord", "gold-warlord", "tin-warlord@start"])
def test_a_raised_bank_is_worth_what_follows(badge: str, options: dict[str, Any]) -> None:
    """Also where it leaves over a fraction of a step, and where only the raised one is barred."""
    fresh = game_of("ordinary*3", "lucky*3", badge, badge, **options)
    left_over = 262 if fresh.rules.score_floor == 0 else -38
    game = fresh.with_seat(1, uses=0, score=left_over, on_board=True)
    worth = worth_of(game, len(badge))
    value = partial(mine_of, worth)
    said, barred, raised = "start" in badge, 0, 0
    for score, total in product((0, 50, 350), range(50, 350, 50)):
        game = game.with_seat(0, score=score, on_board=score > 0 or not fresh.rules.has_opening)
        start = apply(game, *badges.use(game, 0)) if said else game
        here = replace(start, turn=replace(start.turn, turn_total=total, dice=1))
        assert value(here) == pytest.approx(best_of(here, value), abs=1e-9)
        raised += bool(uses(here))
        barred += bool(uses(here)) and not here.may_bank
    assert bool(raised) != said
    assert bool(barred) == (not said and "no_bank_at" in options)


def test_what_was_used_in_the_turn_is_not_given_back_by_a_correction() -> None:
    """/undo takes a use back; a new turn has all of them."""
    game = game_of(*DICE[0], "silver-might")
    full = game.seats[0].uses
    fallen, _ = falls(game, uses(game)[0][1])[0]
    used = apply(game, *badges.use(game, 0, (), fallen))
    assert (full, used.turn.used, used.mover) == (2, 1, 0)
    with pytest.raises(IllegalActionError, match="its uses left are 0 to 1 now, not 2"):
        commands.correct(used, Corrected(seat=0, uses=full))
    less = apply(used, *commands.correct(used, Corrected(seat=0, uses=0)))
    assert less.at_turn_start.seats[0].uses == 1
    anew = apply(used, *commands.correct(used, Corrected(seat=0, uses=full, moves=True)))
    assert anew.at_turn_start.seats[0].uses == full


def test_why_points_are_not_raised() -> None:
    dice = "ordinary*3", "lucky*3"
    fresh = game_of(*dice, "tin-warlord", no_bank_at=("500",), minimum_bank=300)
    for total, sentence in [
        (0, "there is nothing to bank yet"),
        (250, "these points may not be banked yet"),
        (400, "no bank may leave a score of 500"),
    ]:
        turn = replace(fresh.turn, turn_total=total, dice=1)
        with pytest.raises(IllegalActionError, match=sentence):
            badges.use(replace(fresh, turn=turn), 0)


def begin_again(game: Game) -> Game:
    return game_of(
        *(kit.dice.text for kit in game.kits), *(k.badge.text for k in game.kits if k.badge)
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "sentence"),
    [
        (None, None, "you have no badge in this game: /play"),
        (None, "silver-might", "you have no badge in this game"),
        ("emperor", None, "Emperor acts by itself and is not used up"),
        ("gold-might", "gold-defence", "Might does nothing in this game: Defence cancels it"),
        ("tin-might", "tin-defence@use", "Might is used up"),
        ("silver-resurrection", None, "Resurrection is used after a farkle, and this is not one"),
        ("silver-fortune", None, "Fortune is used on a roll: roll first"),
    ],
)
def test_a_badge_that_is_not_held_or_cannot_act_is_refused(
    mine: str | None, theirs: str | None, sentence: str
) -> None:
    rules, dice = kcd(dice=3, goal=600), read_set("ordinary*3", 3)
    held = [read_badge(badge) if badge else None for badge in (mine, theirs)]
    begun: dict[str, Any] = {"rules": rules, "levels": (None, None), "tracked": True}
    kits = Kit(dice, held[0]), Kit(dice, held[1])
    game = begin(Begun(game="test", kits=kits, **begun))
    with pytest.raises(IllegalActionError, match=sentence):
        badges.use(game, 0)
    with pytest.raises(IllegalActionError, match="not your turn"):
        badges.use(game, 1)
