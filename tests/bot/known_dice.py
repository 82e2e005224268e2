"""Dice that a test knows: what the tables take from the module `secrets`."""

import hashlib
import itertools
from types import SimpleNamespace


def fixed_secrets(name: str) -> SimpleNamespace:
    """The secret of all games, and their id, are those of a name."""

    def token_bytes(number: int) -> bytes:
        return hashlib.sha256(name.encode()).digest()[:number]

    return SimpleNamespace(
        token_bytes=token_bytes, token_hex=lambda number: token_bytes(number).hex()
    )


def known_secrets(name: str, first: int = 1, first_id: int = 1) -> SimpleNamespace:
    """The secrets of games one after the other are those of a name, and their ids are counted."""
    numbers, ids = itertools.count(first), itertools.count(first_id)

    def token_bytes(number: int) -> bytes:
        return hashlib.sha256(f"{name} {next(numbers)}".encode()).digest()[:number]

    def token_hex(number: int) -> str:
        return f"{next(ids) % 256**number:0{2 * number}x}"

    return SimpleNamespace(token_bytes=token_bytes, token_hex=token_hex)
