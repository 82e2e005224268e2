"""`farkle store`: what is in the database of games, and whether it is as it was written."""

import asyncio
from dataclasses import asdict

import click

from bot.settings import Settings
from bot.shell.output import json_option, show
from bot.views.progress import share_progress

EXIT_DAMAGED = 1


@click.group()
def store() -> None:
    """Look after the database of games."""


@store.command()
@click.option(
    "--restore",
    "game",
    metavar="GAME",
    help="Put a repaired game back, if it can be played again from its rows.",
)
@json_option
@click.pass_context
def check(context: click.Context, game: str | None, *, as_json: bool) -> None:
    """Look for damage in the whole database.

    SQLite checks its file, the hashes of all events are computed again, and every game is played
    again from its events, and held against its seats, its results and the secret of its dice.
    Nothing is changed, and the chat may run meanwhile. Each fault has a line; the exit status is 1
    if there are any.

    A game that the chat found damaged is set aside, and nothing of it is deleted. Once its rows are
    put right, as from a copy, --restore takes it back.
    """
    settings: Settings = context.obj
    if game is not None:
        asyncio.run(_restore(settings, game))
        show(f"Game {game} goes on as it is now.", {"restored": game}, as_json=as_json)
    elif not asyncio.run(_check(settings, as_json=as_json)):
        context.exit(EXIT_DAMAGED)


@store.command()
@json_option
@click.pass_context
def upgrade(context: click.Context, *, as_json: bool) -> None:
    """Bring a database of an earlier version over.

    Nothing may have it open meanwhile. It is kept as it was beside the new one.
    """
    # the database takes a while to import
    from bot.store.database import database_path  # noqa: PLC0415
    from bot.store.upgrade import bring_over  # noqa: PLC0415

    settings: Settings = context.obj
    path = database_path(settings.database_url)
    kept, games = bring_over(path)
    told = f"{games:,} game{'' if games == 1 else 's'} brought over to {path}; before: {kept}"
    show(told, {"database": str(path), "games": games, "before": str(kept)}, as_json=as_json)


async def _check(settings: Settings, *, as_json: bool) -> bool:
    """Show all that is wrong; whether nothing is. Raises StoreError."""
    # the database takes a while to import
    from bot.features import keepers  # noqa: PLC0415
    from bot.services.store_check import check_store  # noqa: PLC0415
    from bot.store.store import Store  # noqa: PLC0415

    opened = Store.look_into(settings.database_url, keepers())
    try:
        with share_progress("checking the games") as progress:
            report = await check_store(opened, progress)
    finally:
        await opened.close()
    problems = report.problems
    lines = [f"{one.where}: {one.what}" for one in problems]
    whole = f"{report.games:,} game{'' if report.games == 1 else 's'} in {opened.path}"
    wrong = f"{len(problems):,} thing{' is' if len(problems) == 1 else 's are'} wrong"
    lines.append(f"{whole}: {wrong if problems else 'all is well'}")
    show("\n".join(lines), {"database": str(opened.path), **asdict(report)}, as_json=as_json)
    return not problems


async def _restore(settings: Settings, game: str) -> None:
    """Raises MissingGameError, DamagedGameError, StoreError."""
    from bot.services.soundness import replayed  # noqa: PLC0415
    from bot.store.store import Store  # noqa: PLC0415

    await Store.look_into(settings.database_url).close()  # which makes none
    opened = await Store.open(settings.database_url)
    try:
        await opened.restore(game, lambda record: replayed(record, dice=True))
    finally:
        await opened.close()
