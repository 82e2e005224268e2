"""A process that opens a store when told to, then appends and says so until it is killed."""

# ruff: noqa: T201 - what it prints is read by the tests
import asyncio
import sys
from datetime import UTC, datetime

from bot.store.rows import MissingGameError, StoredGame
from bot.store.store import Store

GAME = "game"
AT_ONCE = 3
"""Events in each append."""


async def main(url: str) -> None:
    """Print "ready", wait for a line, open, print versions as they are acknowledged."""
    print("ready", flush=True)
    sys.stdin.readline()
    store = await Store.open(url)
    print("open", flush=True)
    try:
        version = (await store.record(GAME)).game.version
    except MissingGameError:
        game = StoredGame(GAME, "here", "kcd", True, 0, datetime.now(UTC), None, ())
        await store.create_game(game, [], None, 1)
        version = 0
    while True:
        new = [("n", {"n": version + i}) for i in range(1, AT_ONCE + 1)]
        version = await store.append(GAME, version, new, datetime.now(UTC))
        print(version, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
