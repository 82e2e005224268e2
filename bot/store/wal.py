"""The write-ahead log beside a database, as SQLite left it: how much of it was once complete.

SQLite passes over a log that is damaged or gone without a word, and the games go back to what they
were. Its format is that of https://sqlite.org/fileformat2.html#walformat.
"""

import struct
from pathlib import Path

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")


def complete_frames(log: Path) -> int:
    """Return how many frames a log has up to its last commit; 0 where there is none.

    Those of an earlier round, which are in the file itself, do not count.
    """
    try:
        with log.open("rb") as file:
            head = file.read(_HEADER.size)
            if len(head) < _HEADER.size:
                return 0
            page, salts = _HEADER.unpack(head)[2], _HEADER.unpack(head)[4:6]
            found, number = 0, 0
            while len(frame := file.read(_FRAME.size)) == _FRAME.size:
                _, size_after_commit, *rest = _FRAME.unpack(frame)
                if number == 0 and not _is_sound(head):
                    salts = rest[0], rest[1]
                number += 1
                if tuple(rest[:2]) == salts and size_after_commit:
                    found = number
                file.seek(page, 1)
            return found
    except OSError:
        return 0


def _is_sound(head: bytes) -> bool:
    """Whether the head of a log is as it was written."""
    order = ">" if head[3] & 1 else "<"
    first = second = 0
    words = struct.unpack(f"{order}6I", head[:24])
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return (first, second) == _HEADER.unpack(head)[6:]
