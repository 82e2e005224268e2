"""Dice that every player can check after the game: commit and reveal.

Before a game the host draws a secret of 32 random bytes and shows its commitment. Then every
player may give a seed, any text. Secret, seeds and game decide all rolls. After the game the host
shows the secret, and anybody computes the commitment and the rolls again.

The scheme, version 1, to the letter:

1. Commitment: SHA-256 over the ASCII text ``farkle-advisor/commitment/1:`` followed by the 32
   bytes of the secret, written as 64 hexadecimal digits in lower case.
2. A field is the decimal number of its bytes, ``:``, its bytes, ``,`` (a netstring, as in
   ``3:Ann,``). Text is UTF-8 as it was given; numbers are decimal, without sign or leading zeros.
3. A message is these fields, one after another: ``farkle-advisor/roll/1``, the game, the number
   of seeds, then for each seed by ascending seat its seat and its text, then the number of the
   roll, the first being 1, and the number of the block, the first being 0.
4. A block is the HMAC-SHA256 (RFC 2104) of the message with the secret as its key, 32 bytes.
5. The bytes of blocks 0, 1, 2 ... are read from left to right. A byte of 252 or more is passed
   over; any other is one die, its remainder by 6 plus 1. A roll of n dice is the first n of
   these, in order.

Dice that are loaded are rolled by version 2. The commitment is the same, and:

6. The first field of a message is ``farkle-advisor/roll/2``. After the number of the roll stand
   the number of dice, then for each die, in order, the weights of its faces 1 to 6, and then the
   number of the block. So whoever changes a weight changes the roll.
7. The bytes of the blocks are read four at a time as a number u, the first byte the most
   significant. With S the sum of a die's weights and L the largest multiple of S up to 2 to the
   power of 32, a u of L or more is passed over. Any other decides the die: with r the remainder
   of u by S it shows the least face f so that the weights of the faces 1 to f come to more than r.
   The next die takes the next number.

What it guarantees: nobody without the secret can tell a roll before it happens, and the host
cannot change the secret after showing the commitment. As seeds come after the commitment, the
host cannot have chosen a secret that is good for somebody, as long as one seed could not be
guessed.

What it does not: the host knows the secret, so knows all rolls as soon as the seeds are in; a
host who plays, or who helps a player, may use that, or choose the last seed to suit. Dice are
fair only as far as such a host is trusted. A proof cannot show that rolls at its end were left
out, and it is worth something only to those who compare its commitment and seeds with the ones
they saw in the game.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, islice, pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from solver.errors import InvalidRequestError
from solver.turn.dice import MAX_WEIGHT

SECRET_BYTES = 32
MOST_DICE = 10
MOST_LOADED = 7
"""A badge may add a die to those of a player."""
_FACES = 6
_FAIR_BYTES = 252
"""The largest multiple of 6 among the 256 values of a byte: below it all faces are as likely."""
_WORD = 4
"""Bytes that decide a loaded die."""
_WORDS = 256**_WORD

Seeds = Sequence[tuple[int, str]]
"""Seats with the texts that their players gave, in any order."""
Weights = tuple[int, ...]
"""How heavily the faces 1 to 6 of a die weigh."""


def commitment(secret: bytes) -> str:
    """What is shown of a secret before the game, 64 hexadecimal digits.

    Raises InvalidRequestError unless the secret has 32 bytes.
    """
    return hashlib.sha256(b"farkle-advisor/commitment/1:" + _checked(secret)).hexdigest()


def fair_roll(secret: bytes, game_id: str, seeds: Seeds, number: int, dice: int) -> tuple[int, ...]:
    """Roll 1 to 10 dice: the faces of roll `number`, the first being 1, in the order rolled.

    Fewer dice of the same number are the first of more. Raises InvalidRequestError for a secret,
    seeds or numbers that the scheme does not know.
    """
    _check_roll(secret, seeds, number, dice)
    return _faces(_blocks(secret, game_id, seeds, number), dice)


def loaded_roll(
    secret: bytes, game_id: str, seeds: Seeds, number: int, dice: Sequence[Weights]
) -> tuple[int, ...]:
    """Roll 1 to 7 dice of these weights: their faces, in order, by version 2 of the scheme.

    Raises InvalidRequestError as `fair_roll` does, and for weights that no die has.
    """
    _check_roll(secret, seeds, number, len(dice), MOST_LOADED)
    for weights in dice:
        whole = all(type(weight) is int and 0 <= weight <= MAX_WEIGHT for weight in weights)
        if len(weights) != _FACES or not whole or not any(weights):
            raise InvalidRequestError(
                f"{list(weights)} are no weights of a die: six whole numbers from 0 to"
                f" {MAX_WEIGHT:,}, not all of them 0"
            )
    blocks = _blocks(secret, game_id, seeds, number, dice)
    words = (
        int.from_bytes(block[k : k + _WORD], "big")
        for block in blocks
        for k in range(0, len(block), _WORD)
    )
    return tuple(_loaded_face(words, weights) for weights in dice)


def _check_roll(secret: bytes, seeds: Seeds, number: int, dice: int, most: int = MOST_DICE) -> None:
    _checked(secret)
    if number < 1:
        raise InvalidRequestError(f"there is no roll {number}; the first is roll 1")
    if not 1 <= dice <= most:
        raise InvalidRequestError(f"{dice} dice cannot be rolled; 1 to {most} can")
    _check_seats(seeds)


def _loaded_face(words: Iterator[int], weights: Weights) -> int:
    """The face that the first number decides which is not passed over."""
    total = sum(weights)
    left = next(word for word in words if word < _WORDS // total * total) % total
    return next(face for face, upto in enumerate(accumulate(weights), 1) if left < upto)


def _blocks(
    secret: bytes, game_id: str, seeds: Seeds, number: int, loaded: Sequence[Weights] = ()
) -> Iterator[bytes]:
    """The blocks of a roll, of these loaded dice if there are some, without end."""
    fields = [f"farkle-advisor/roll/{2 if loaded else 1}", game_id, str(len(seeds))]
    for seat, text in sorted(seeds):
        fields += [str(seat), text]
    fields.append(str(number))
    if loaded:
        fields += [str(len(loaded)), *(str(weight) for die in loaded for weight in die)]
    start = b"".join(map(_field, fields))
    for block in count():
        yield hmac.digest(secret, start + _field(str(block)), "sha256")


def _faces(blocks: Iterable[bytes], dice: int) -> tuple[int, ...]:
    """The first faces that blocks of bytes stand for."""
    faces = (byte % 6 + 1 for block in blocks for byte in block if byte < _FAIR_BYTES)
    return tuple(islice(faces, dice))


def _field(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InvalidRequestError(
            "a seed or a game is not text; every character of Unicode may be in it"
        ) from None
    return b"%d:%b," % (len(data), data)


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise InvalidRequestError(f"a secret has {SECRET_BYTES} bytes, this one {len(secret)}")
    return secret


def _check_seats(seeds: Seeds) -> None:
    seats = [seat for seat, _ in seeds]
    if len(set(seats)) < len(seats) or any(seat < 0 for seat in seats):
        raise InvalidRequestError("every seed needs a seat of its own; seats are 0, 1, 2 ...")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Hexadecimal = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""32 bytes."""
Face = Annotated[int, Field(ge=1, le=6)]
_Weight = Annotated[int, Field(ge=0, le=MAX_WEIGHT)]
ProvenDie = Annotated[tuple[_Weight, ...], Field(min_length=_FACES, max_length=_FACES)]
"""A die by its weights."""


class Seed(_Data):
    """The text that the player in a seat gave."""

    seat: int = Field(ge=0, le=1_000)
    text: str


class ProvenRoll(_Data):
    """The faces of one roll, in the order rolled."""

    number: int = Field(ge=1, le=1_000_000)
    seat: int | None = Field(default=None, ge=0, le=1_000)
    """Whose dice they are, where dice are loaded."""
    thrown: tuple[Annotated[int, Field(ge=0, lt=MOST_LOADED)], ...] = ()
    """Which of the seat's dice they are, the first being 0, where dice are loaded."""
    dice: tuple[Face, ...] = Field(min_length=1, max_length=MOST_DICE)


class Proof(_Data):
    """All that is needed to compute the rolls of a finished game again."""

    scheme: Literal["farkle-advisor/1", "farkle-advisor/2"] = "farkle-advisor/1"
    game: str
    commitment: Hexadecimal
    secret: Hexadecimal
    seeds: tuple[Seed, ...]
    sets: tuple[tuple[ProvenDie, ...], ...] = ()
    """The dice of each seat, where they are loaded; last the one that its badge adds, if any."""
    rolls: tuple[ProvenRoll, ...]

    @model_validator(mode="after")
    def _check_sets(self) -> Self:
        """Raises ValueError unless loaded dice are told, by version 2, and of each roll which."""
        if (self.scheme == "farkle-advisor/2") != bool(self.sets):
            raise ValueError("loaded dice have sets, and the scheme farkle-advisor/2")
        if not all(any(weights) for dice in self.sets for weights in dice):
            raise ValueError("a die has weights that are all 0")
        for rolled in self.rolls:
            if not self.sets:
                if rolled.seat is not None or rolled.thrown:
                    raise ValueError(f"roll {rolled.number} is of a seat, and there are no sets")
                continue
            seat = -1 if rolled.seat is None else rolled.seat
            number = len(self.sets[seat]) if 0 <= seat < len(self.sets) else 0
            ascends = all(before < after for before, after in pairwise(rolled.thrown))
            is_whole = len(rolled.thrown) == len(rolled.dice) and rolled.thrown[-1] < number
            if not (ascends and is_whole):
                raise ValueError(f"roll {rolled.number} is not of dice that its seat has")
        return self

    @property
    def data(self) -> dict[str, Any]:
        """Return it as plain data; what only loaded dice have is left out where there are none."""
        return {"scheme": self.scheme, **self.model_dump(mode="json", exclude_defaults=True)}

    def to_json(self) -> str:
        """JSON text in ASCII, so that seeds are exact in it whatever shows it.

        `Proof.model_validate_json` reads it again.
        """
        text = json.dumps(self.data, indent=2)
        # the dice of a roll side by side; in seeds there are no line breaks
        return re.sub(r"\[\n[\s\d,]+\]", lambda dice: re.sub(r"\s+", "", dice[0]), text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking a proof came to."""

    rolls: int
    """How many rolls were checked."""
    problems: tuple[str, ...]
    """One sentence for each thing that is wrong."""

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def prove(
    game_id: str,
    secret: bytes,
    seeds: Seeds,
    rolls: Sequence[tuple[int | None, Sequence[int], Sequence[int]]],
    sets: Sequence[Sequence[Weights]] = (),
) -> Proof:
    """The proof of a game with these rolls, the first being roll 1; it is not checked.

    rolls : of loaded dice the seat and which of its dice it threw, ascending, else None and none;
        and the faces
    sets : the dice of each seat, where they are loaded
    """
    return Proof(
        scheme="farkle-advisor/2" if sets else "farkle-advisor/1",
        game=game_id,
        commitment=commitment(secret),
        secret=secret.hex(),
        seeds=tuple(Seed(seat=seat, text=text) for seat, text in sorted(seeds)),
        sets=tuple(map(tuple, sets)),
        rolls=tuple(
            ProvenRoll(number=number, seat=seat, thrown=tuple(thrown), dice=tuple(faces))
            for number, (seat, thrown, faces) in enumerate(rolls, 1)
        ),
    )


def verify_proof(proof: Proof) -> Verdict:
    """Compute the commitment and every roll of a proof again."""
    secret = bytes.fromhex(proof.secret)
    problems = []
    if proof.commitment != (real := commitment(secret)):
        problems.append(f"The commitment of the secret is {real}, not {proof.commitment}.")
    seeds = [(seed.seat, seed.text) for seed in proof.seeds]
    try:
        _check_seats(seeds)
    except InvalidRequestError:
        problems.append("A seat has more than one seed, so no roll can be checked.")
        return Verdict(0, tuple(problems))
    problems += _order_problems([rolled.number for rolled in proof.rolls])
    for rolled in proof.rolls:
        if rolled.seat is None:
            faces = fair_roll(secret, proof.game, seeds, rolled.number, len(rolled.dice))
        else:
            dice = [proof.sets[rolled.seat][die] for die in rolled.thrown]
            faces = loaded_roll(secret, proof.game, seeds, rolled.number, dice)
        if faces != rolled.dice:
            problems.append(
                f"Roll {rolled.number} is {_spaced(faces)}, not {_spaced(rolled.dice)}."
            )
    return Verdict(len(proof.rolls), tuple(problems))


def _order_problems(numbers: Sequence[int]) -> list[str]:
    """Rolls that are missing, listed twice or out of order."""
    problems = []
    before = 0
    for number in numbers:
        if number <= before:
            problems.append(f"Roll {number} is listed after roll {before}.")
            continue
        if number == before + 2:
            problems.append(f"Roll {before + 1} is missing.")
        elif number > before + 2:
            problems.append(f"Rolls {before + 1} to {number - 1} are missing.")
        before = number
    return problems


def _spaced(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))
