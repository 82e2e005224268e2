"""Version 2 of the fair dice: loaded dice, by the weights of each."""

import hashlib
import hmac
import json
from typing import Any

import pytest
from pydantic import ValidationError

from bot.table import commands, fair_dice
from bot.table.events import Begun, Corrected, Resigned, event_data, make_event
from bot.table.fair_dice import Proof, loaded_roll, prove, verify_proof
from bot.table.fold import apply, begin
from solver.errors import FarkleError, InvalidRequestError
from solver.loaded.kits import Kit
from solver.named.badges import read_badge
from solver.named.sets import read_set
from solver.rules.file import load_rules

SECRET = hashlib.sha256(b"a fixed secret").digest()
SEEDS = [(0, "Ann's seed"), (1, "Bob's seed")]
KCD = load_rules("kcd")
LUCKY, ODD, PLAIN = (6, 1, 2, 3, 4, 6), (4, 1, 4, 1, 4, 1), (1, 1, 1, 1, 1, 1)
KITS = (Kit(read_set("lucky*3,odd,devil*2"), read_badge("carpenter:150")), Kit(read_set("pie*6")))


def twin(number: int, dice: list[tuple[int, ...]], seeds: list[tuple[int, str]]) -> list[int]:
    """A roll from the text of the scheme: numbers out of the blocks in hexadecimal digits."""
    fields = ["farkle-advisor/roll/2", "game", str(len(seeds))]
    for seat, text in seeds:
        fields += [str(seat), text]
    fields += [str(number), str(len(dice))]
    for weights in dice:
        fields += map(str, weights)
    digits, block = "", 0
    faces = []
    for weights in dice:
        bag = [face for face, weight in enumerate(weights, 1) for _ in range(weight)]
        while True:
            if not digits:
                told = "".join(f"{len(one.encode())}:{one}," for one in [*fields, str(block)])
                digits = hmac.new(SECRET, told.encode(), hashlib.sha256).hexdigest()
                block += 1
            word, digits = int(digits[:8], 16), digits[8:]
            if word < 2**32 - 2**32 % len(bag):
                break
        faces.append(bag[word % len(bag)])
    return faces


def test_rolls_agree_with_the_twin() -> None:
    dice: list[tuple[int, ...]] = [
        LUCKY,
        LUCKY,
        ODD,
        PLAIN,
        (0, 0, 7, 0, 0, 1),
        (1, 10, 1, 1, 1, 1),
    ]
    for number in range(1, 200):
        some = dice[number % 6 :] + dice[: number % 5]
        for seeds in ([], SEEDS):
            fallen = loaded_roll(SECRET, "game", seeds, number, some[:6])
            assert list(fallen) == twin(number, some[:6], seeds)


def test_a_number_that_would_favour_faces_is_passed_over() -> None:
    """2 to the power of 32 is 22 times a whole number, and 4 more."""
    words = iter([2**32 - 1, 2**32 - 4, 7, 2**32 - 5])
    assert fair_dice._loaded_face(words, LUCKY) == 3
    assert fair_dice._loaded_face(words, LUCKY) == 6


@pytest.mark.parametrize("weights", [LUCKY, ODD, PLAIN, (6, 1, 3, 3, 0, 0), (1, 5, 5, 5, 5, 1)])
def test_rolls_of_a_seat_follow_the_weights(weights: tuple[int, ...]) -> None:
    """Chi-square with 5 degrees of freedom at most: over 20.5 in 1 of 1,000 tests; it is seeded."""
    counts = [0] * 6
    for number in range(1, 2_001):
        for face in loaded_roll(SECRET, "game", SEEDS, number, [weights] * 6):
            counts[face - 1] += 1
    expected = [12_000 * weight / sum(weights) for weight in weights]
    assert all(count == 0 for count, weight in zip(counts, weights, strict=True) if not weight)
    terms = ((n - mean) ** 2 / mean for n, mean in zip(counts, expected, strict=True) if mean)
    assert sum(terms) < 20.5


def test_dice_of_one_roll_do_not_depend_on_each_other() -> None:
    """Pairs of two odd dice, 36 cells: over 66.6 in 1 of 1,000 tests."""
    counts: dict[tuple[int, ...], int] = {}
    for number in range(1, 10_001):
        pair = loaded_roll(SECRET, "pairs", (), number, [ODD, ODD])
        counts[pair] = counts.get(pair, 0) + 1
    faces = range(1, 7)
    cells = {(a, b): 10_000 * ODD[a - 1] * ODD[b - 1] / 225 for a in faces for b in faces}
    assert sum((counts.get(pair, 0) - mean) ** 2 / mean for pair, mean in cells.items()) < 66.6


@pytest.mark.parametrize(
    "dice",
    [[], [PLAIN] * 8, [(0,) * 6], [(1, 1)], [(1, 1, 1, 1, 1, -1)], [(1, 1, 1, 1, 1, 10**7)]],
)
def test_dice_that_there_are_not(dice: list[tuple[int, ...]]) -> None:
    with pytest.raises(InvalidRequestError, match="cannot be rolled|no weights"):
        loaded_roll(SECRET, "game", (), 1, dice)


def proof() -> Proof:
    """Two players, one of whom threw all dice and then three of them."""
    sets = [[LUCKY] * 3 + [PLAIN] * 2 + [ODD], [PLAIN] * 6]
    rolls = []
    for number, (seat, thrown) in enumerate([(0, range(6)), (0, (0, 3, 5)), (1, range(6))], 1):
        dice = [sets[seat][k] for k in thrown]
        rolls.append((seat, thrown, loaded_roll(SECRET, "game", SEEDS, number, dice)))
    return prove("game", SECRET, SEEDS, rolls, sets)


def test_a_proof_holds_and_survives_json() -> None:
    verdict = verify_proof(Proof.model_validate_json(proof().to_json()))
    assert (verdict.holds, verdict.rolls) == (True, 3)


@pytest.mark.parametrize("die", range(6))
@pytest.mark.parametrize("face", range(6))
def test_a_changed_weight_breaks_a_proof(die: int, face: int) -> None:
    """By one, in any die of the set: the weights are part of what is hashed."""
    data = json.loads(proof().to_json())
    data["sets"][0][die][face] += 1
    verdict = verify_proof(Proof.model_validate_json(json.dumps(data)))
    assert not verdict.holds
    assert verdict.problems[0].startswith("Roll 1 is ")


@pytest.mark.parametrize(
    "change",
    [
        {"rolls": [{"number": 1, "seat": 0, "thrown": [0, 0], "dice": [1, 1]}]},
        {"rolls": [{"number": 1, "seat": 2, "thrown": [0], "dice": [1]}]},
        {"rolls": [{"number": 1, "seat": None, "thrown": [0], "dice": [1]}]},
        {"rolls": [{"number": 1, "seat": 0, "thrown": [1], "dice": [1, 1]}]},
        {"sets": []},
        {"scheme": "farkle-advisor/1"},
        {"sets": [[[0] * 6] * 6] * 2},
        {"sets": [[[1] * 5] * 6] * 2},
    ],
)
def test_what_is_no_proof(change: dict[str, Any]) -> None:
    data = json.loads(proof().to_json()) | change
    with pytest.raises(ValidationError):
        Proof.model_validate_json(json.dumps(data))


def begun(players: int = 2, **changes: Any) -> Begun:
    told: dict[str, Any] = {"kits": KITS, "commitment": fair_dice.commitment(SECRET)} | changes
    return commands.begin_game("game", KCD, [None] * players, **told)


def test_what_seats_bring_comes_back_from_the_store_as_it_was() -> None:
    stored = json.loads(json.dumps(event_data(begun(joker_alone=True))))
    assert make_event("begun", stored) == begun(joker_alone=True)
    plain = event_data(begun(kits=()))
    assert not {"kits", "joker_alone"} & set(plain), "games without are stored as ever"


def test_each_seat_rolls_its_own_dice() -> None:
    """Pie dice have no 5 or 6, and jokers are told; a turn begins with the whole set."""
    game = begin(begun())
    assert game.seats[0].score == 0
    seen: list[set[int]] = [set(), set()]
    for _ in range(300):
        seat = game.mover
        if not game.turn.turn_total:
            assert game.number_of_dice == 6
            assert game.has_hot_dice
        dice = commands.fallen(game, SECRET)
        seen[seat] |= {(die - 1) % 6 + 1 for die in dice}
        game = apply(game, *commands.roll(game, seat, dice))
        if game.turn.roll is not None and game.mover == seat:
            best = game.set_asides()[0]
            left = len(game.turn.roll) - len(best.dice)
            game = apply(game, *commands.keep(game, seat, best.dice))
            assert game.number_of_dice == (left or 6)
        if game.over:
            break
    assert seen[1] <= {1, 2, 3, 4}
    assert 6 in seen[0]


def test_rolls_that_the_dice_cannot_show_are_refused() -> None:
    game = begin(begun(tracked=True, commitment=None))
    for dice in ((1,) * 6, (1, 2, 3, 7, 13, 14), (1, 2, 3, 7, 8, 40)):
        with pytest.raises(FarkleError, match="cannot show that"):
            commands.roll(game, 0, dice)
    assert commands.roll(game, 0, (1, 2, 3, 7, 8, 13))


def test_head_starts() -> None:
    ahead = Kit(KITS[0].dice, read_badge("headstart:500"))
    assert [seat.score for seat in begin(begun(kits=(KITS[0], ahead))).seats] == [0, 500]
    defence = Kit(KITS[0].dice, read_badge("tin-defence"))
    assert begin(begun(kits=(defence, ahead))).seats[1].score == 0
    with pytest.raises(FarkleError, match="below the goal of .*, not 4,000"):
        begin(begun(kits=(Kit(KITS[0].dice, read_badge("headstart:4000")), KITS[1])))


def test_three_bring_dice_and_who_gets_up_leaves_them() -> None:
    kits = tuple(Kit(read_set(text)) for text in ("lucky*6", "odd*6", "pie*6"))
    game = begin(begun(3, kits=kits))
    assert game.matchup is None
    assert [side and side.dice for side in map(game.side_of, range(3))] == [
        kit.dice.dice_set for kit in kits
    ]
    [left] = commands.leave(game, 1)
    two = apply(game, left)
    assert two.kits == (kits[0], kits[2], kits[1])
    [joined] = commands.join(two, kit=KITS[1])
    assert apply(two, joined).kits == (kits[0], kits[2], KITS[1])
    with pytest.raises(FarkleError, match="dice for 3 players"):
        commands.join(game)
    with pytest.raises(FarkleError, match="badges work only with two players"):
        begin(begun(3, kits=(*KITS, KITS[0])))
    ahead = apply(game, Corrected(seat=2, score=200, farkles=None, moves=False))
    assert [ahead.rival_of(seat) for seat in range(3)] == [2, 2, 0]
    gone = apply(ahead, Resigned(seat=2))
    assert [gone.rival_of(seat) for seat in range(2)] == [1, 0]


def test_a_game_with_dice_of_two_is_for_two() -> None:
    with pytest.raises(FarkleError, match="is for two"):
        commands.begin_game("game", KCD, [None] * 3, kits=KITS)
    with pytest.raises(FarkleError, match="is for two"):
        commands.join(begin(begun()))
