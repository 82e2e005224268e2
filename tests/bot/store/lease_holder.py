"""A process that holds a lease, says so, and goes on until it is killed."""

# ruff: noqa: T201 - what it prints is read by the tests
import asyncio
import sys

from bot.store.store import Store

LEASE = "work"


async def main(url: str) -> None:
    """Print whether it has the lease, then hold it."""
    store = await Store.open(url)
    async with store.leases.held(LEASE) as ours:
        print(ours, flush=True)
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
