"""`farkle forget`: what `/forget me` does, for somebody who asks the host."""

import asyncio

import click

from bot.services.advisor import Advisor
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.shell.output import json_option, show


@click.command()
@click.argument("person", metavar="PERSON")
@json_option
@click.pass_obj
def forget(settings: Settings, /, person: str, *, as_json: bool) -> None:
    """Take a person out of the database, as /forget me does.

    PERSON is an ID such as discord:80351110224678912, or console:ann.
    """
    games = asyncio.run(_forget(settings, person))
    kept = "1 game is" if games == 1 else f"{games} games are"
    told = f"{person} is forgotten: {kept} kept without the name."
    if not games:
        told = f"Nobody with the ID {person} sat in a game; nothing is stored under it now."
    show(told, {"person": person, "games": games}, as_json=as_json)


async def _forget(settings: Settings, person: str) -> int:
    """The number of games that the person sat in. Raises StoreError."""
    # the database takes a while to import
    from bot.store import records  # noqa: PLC0415
    from bot.wiring import open_parts  # noqa: PLC0415

    async with open_parts(settings, Advisor(settings.strategies)) as parts:
        async for _ in parts.games.leave_all(Caller("", Person(person, ""))):
            pass
        return await records.forget(parts.store, person)
