import hashlib
import json
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.table import fair_dice
from bot.table.fair_dice import Proof, Verdict, commitment, fair_roll, prove, verify_proof
from solver.errors import InvalidRequestError

VECTORS = json.loads((Path(__file__).parent / "fair_dice_vectors.json").read_text(encoding="utf-8"))
SECRET = hashlib.sha256(b"a fixed secret").digest()
SEEDS = [(0, "Ann's seed"), (1, "Bob's seed")]


def twin_block(
    secret: bytes, game: str, seeds: list[tuple[int, str]], number: int, block: int
) -> int:
    """A block as a number: HMAC from its definition, H(key ^ opad, H(key ^ ipad, message))."""
    texts = ["farkle-advisor/roll/1", game, f"{len(seeds)}"]
    for seat in sorted(seat for seat, _ in seeds):
        texts += [f"{seat}", dict(seeds)[seat]]
    message = b""
    for text in [*texts, f"{number}", f"{block}"]:
        message += str(len(text.encode())).encode() + b":" + text.encode() + b","
    key = int.from_bytes(secret + bytes(32))
    inner = (key ^ int.from_bytes(b"\x36" * 64)).to_bytes(64) + message
    outer = (key ^ int.from_bytes(b"\x5c" * 64)).to_bytes(64) + hashlib.sha256(inner).digest()
    return int(hashlib.sha256(outer).hexdigest(), 16)


def twin_faces(block: int, dice: int) -> list[int]:
    """Faces from the 32 digits of a number to the base 256."""
    faces = []
    for place in reversed(range(32)):
        digit = block // 256**place % 256
        if digit // 252 == 0:
            faces.append(1 + digit - digit // 6 * 6)
    return faces[:dice]


def seeds_of(vector: dict[str, Any]) -> list[tuple[int, str]]:
    return [(seed["seat"], seed["text"]) for seed in vector["seeds"]]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["title"])
def test_vectors_of_openssl(vector: dict[str, Any]) -> None:
    """The vectors were made with openssl and awk, see docs/fair-dice.md."""
    secret, game, seeds = bytes.fromhex(vector["secret"]), vector["game"], seeds_of(vector)
    assert commitment(secret) == vector["commitment"]
    for rolled in vector["rolls"]:
        number, dice = rolled["number"], len(rolled["dice"])
        block = twin_block(secret, game, seeds, number, 0)
        assert f"{block:064x}" == rolled["block_0"]
        assert twin_faces(block, dice) == rolled["dice"]
        assert fair_roll(secret, game, seeds, number, dice) == tuple(rolled["dice"])
        assert fair_roll(secret, game, seeds[::-1], number, dice) == tuple(rolled["dice"])
    second = twin_block(secret, game, seeds, 1, 1)
    blocks = fair_dice._blocks(secret, game, seeds, 1)
    next(blocks)
    assert next(blocks).hex() == f"{second:064x}" == vector["block_1_of_roll_1"]


def test_vectors_hold_a_byte_that_is_passed_over() -> None:
    firsts = [bytes.fromhex(rolled["block_0"])[:6] for v in VECTORS for rolled in v["rolls"]]
    assert any(max(first) >= 252 for first in firsts)


def test_many_rolls_agree_with_the_twin() -> None:
    for number, dice in product(range(1, 200), (1, 6)):
        block = twin_block(SECRET, "g", SEEDS, number, 0)
        assert fair_roll(SECRET, "g", SEEDS, number, dice) == tuple(twin_faces(block, dice))


def test_bytes_that_are_passed_over_go_on_in_the_next_block() -> None:
    blocks = [bytes([252, 0, 253, 254, 255, 251]), bytes([255, 6, 1]), bytes([2, 3, 4])]
    assert fair_dice._faces(blocks, 6) == (1, 6, 1, 2, 3, 4)
    assert fair_dice._faces(blocks, 2) == (1, 6)


def test_every_face_has_as_many_bytes() -> None:
    faces = fair_dice._faces([bytes(range(256))], 256)
    assert Counter(faces) == dict.fromkeys(range(1, 7), 42)


def test_faces_and_pairs_of_faces_are_uniform() -> None:
    """Fixed secret. Bounds: chance 0.001 of a larger chi-square, 5 and 35 degrees of freedom."""
    rolls = [fair_roll(SECRET, "uniform", SEEDS, number, 6) for number in range(1, 20_001)]
    by_place = [Counter(faces) for faces in zip(*rolls, strict=True)]
    for counts in by_place:
        assert chi_square([counts[face] for face in range(1, 7)]) < 20.515
    pairs = Counter(pair for faces in rolls for pair in pairwise(faces))
    assert chi_square([pairs[pair] for pair in product(range(1, 7), range(1, 7))]) < 66.619
    neighbours = Counter((one[0], two[0]) for one, two in pairwise(rolls))
    assert chi_square([neighbours[pair] for pair in product(range(1, 7), range(1, 7))]) < 66.619


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def test_everything_that_enters_matters() -> None:
    def many(secret: bytes, game: str, seeds: list[tuple[int, str]], first: int = 1) -> Any:
        return tuple(fair_roll(secret, game, seeds, first + k, 6) for k in range(10))

    variants = [
        many(SECRET, "g", SEEDS),
        many(bytes(32), "g", SEEDS),
        many(SECRET, "h", SEEDS),
        many(SECRET, "g", SEEDS, 2),
        many(SECRET, "g", SEEDS[:1]),
        many(SECRET, "g", [(0, "Bob's seed"), (1, "Ann's seed")]),
        # what would be the same if fields were only joined
        many(SECRET, "g", [(0, "a1b")]),
        many(SECRET, "g", [(0, "a"), (1, "b")]),
        many(SECRET, "g", [(0, "a,1:1,1:b")]),
    ]
    assert len(set(variants)) == len(variants)


def test_fewer_dice_are_the_first_of_more() -> None:
    assert [fair_roll(SECRET, "g", SEEDS, 1, dice) for dice in range(1, 7)] == [
        fair_roll(SECRET, "g", SEEDS, 1, 6)[:dice] for dice in range(1, 7)
    ]


@pytest.mark.parametrize(
    ("secret", "game", "seeds", "number", "dice", "said"),
    [
        (b"short", "g", [], 1, 6, "32 bytes, this one 5"),
        (SECRET, "g", [], 0, 6, "no roll 0"),
        (SECRET, "g", [], 1, 0, "0 dice"),
        (SECRET, "g", [], 1, 11, "11 dice"),
        (SECRET, "g", [(0, "a"), (0, "b")], 1, 6, "seat of its own"),
        (SECRET, "g", [(-1, "a")], 1, 6, "seats are 0"),
        (SECRET, "g", [(0, "\ud800")], 1, 6, "not text"),
    ],
)
def test_refusals(
    secret: bytes, game: str, seeds: list[tuple[int, str]], number: int, dice: int, said: str
) -> None:
    with pytest.raises(InvalidRequestError, match=said):
        fair_roll(secret, game, seeds, number, dice)


def proof_of(number: int = 6) -> Proof:
    rolls = [fair_roll(SECRET, "g", SEEDS, n, 6 - n % 3) for n in range(1, number + 1)]
    return prove("g", SECRET, SEEDS, [(None, (), dice) for dice in rolls])


def test_a_proof_survives_json_and_holds() -> None:
    proof = proof_of()
    again = Proof.model_validate_json(proof.to_json())
    assert again == proof
    assert verify_proof(again) == Verdict(6, ())
    assert set(json.loads(proof.to_json())) == {
        "scheme", "game", "commitment", "secret", "seeds", "rolls",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"commitment": "0" * 64}, [f"The commitment of the secret is {commitment(SECRET)}, not"]),
        ({"game": "h"}, ["Roll 1 is", "Roll 2 is", "Roll 3 is"]),
        ({"seeds": [{"seat": 0, "text": "Ann's seed"}]}, ["Roll 1 is", "Roll 2 is", "Roll 3 is"]),
        ({"seeds": [{"seat": 0, "text": "a"}] * 2}, ["A seat has more than one seed"]),
        ({"secret": "0" * 64}, ["The commitment of", "Roll 1 is", "Roll 2 is", "Roll 3 is"]),
    ],
)
def test_a_changed_proof_does_not_hold(change: dict[str, Any], said: list[str]) -> None:
    changed = Proof.model_validate_json(json.dumps({**json.loads(proof_of(3).to_json()), **change}))
    verdict = verify_proof(changed)
    assert not verdict.holds
    assert len(verdict.problems) == len(said)
    for problem, start in zip(verdict.problems, said, strict=True):
        assert problem.startswith(start)
        assert problem.endswith(".")


def test_one_changed_die_is_named() -> None:
    data = json.loads(proof_of(3).to_json())
    true = data["rolls"][1]["dice"]
    data["rolls"][1]["dice"] = [true[0] % 6 + 1, *true[1:]]
    told = " ".join(map(str, true))
    problems = verify_proof(Proof.model_validate_json(json.dumps(data))).problems
    assert problems == (f"Roll 2 is {told}, not {true[0] % 6 + 1}{told[1:]}.",)


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([0, 2, 3], ("Roll 2 is missing.",)),
        ([3, 5], ("Rolls 1 to 3 are missing.", "Roll 5 is missing.")),
        ([0, 1, 1], ("Roll 2 is listed after roll 2.",)),
        ([1, 0], ("Roll 1 is missing.", "Roll 1 is listed after roll 2.")),
        ([0, 1], ()),
        ([], ()),
    ],
)
def test_rolls_left_out_or_listed_again(kept: list[int], said: tuple[str, ...]) -> None:
    data = json.loads(proof_of().to_json())
    data["rolls"] = [data["rolls"][index] for index in kept]
    assert verify_proof(Proof.model_validate_json(json.dumps(data))).problems == said


@pytest.mark.parametrize(
    "change",
    [
        {"secret": "00"},
        {"secret": "G" * 64},
        {"commitment": "0" * 64 + "\n"},
        {"seeds": [{"seat": -1, "text": "a"}]},
        {"seeds": [{"seat": "0", "text": "a"}]},
        {"rolls": [{"number": 0, "dice": [1]}]},
        {"rolls": [{"number": 1, "dice": []}]},
        {"rolls": [{"number": 1, "dice": [1] * 11}]},
        {"rolls": [{"number": 1, "dice": [7]}]},
        {"scheme": "another"},
        {"more": 1},
    ],
)
def test_what_is_no_proof(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Proof.model_validate_json(json.dumps({**json.loads(proof_of(1).to_json()), **change}))
