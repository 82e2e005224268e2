"""Each event carries a hash over itself and the one before, so that none is changed unnoticed."""

import json
from hashlib import blake2b

START = b""
"""What the first event of a game has instead of a hash before it."""

_BYTES = 16


def link(before: bytes, game_id: str, version: int, at: str, kind: str, data: str) -> bytes:
    """The hash of an event after one of the hash `before`; moment and data as they are kept."""
    text = json.dumps([game_id, version, at, kind, data])
    return blake2b(before + text.encode(), digest_size=_BYTES).digest()
