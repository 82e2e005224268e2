"""`farkle store`: what is in the database of games, and whether it is as it was written."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import click

from bot.features import keepers
from bot.services.advisor import Advisor
from bot.services.store_check import check_store, replayed
from bot.services.tables import Caller, Person
from bot.settings import Settings
from bot.shell.output import json_option, show
from bot.store import backups, records
from bot.store.database import check_ours, database_path
from bot.store.rows import StoreError
from bot.store.store import Store, database_of
from bot.views.progress import share_progress
from bot.wiring import open_parts
from solver.errors import InvalidRequestError
from solver.folders import OWNER_ONLY

EXIT_DAMAGED = 1


@click.group()
def store() -> None:
    """Look after the database of games."""
    keepers()  # all tables are known once these are loaded


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
    settings: Settings = context.obj
    path = database_path(settings.database_url)
    kept, games = backups.bring_over(path)
    sentence = f"{games:,} game{'' if games == 1 else 's'} brought over to {path}; before: {kept}"
    show(sentence, {"database": str(path), "games": games, "before": str(kept)}, as_json=as_json)


@store.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@json_option
@click.pass_obj
def backup(settings: Settings, file: Path | None, *, as_json: bool) -> None:
    """Write a whole copy of the database to FILE, while programs may use it.

    Without FILE it goes into the folder of backups. It is a file of SQLite, also where the database
    is one of PostgreSQL. Copying the file of a running program makes no
    whole copy: what was written last is in a log beside it.
    """
    database = database_of(settings.database_url)
    name = f"{database.stem}-{backups.moment()}.db"
    copy = (file or settings.backups / name).absolute()
    _check_is_new(copy)
    backups.back_up_any(database, copy)
    size = copy.stat().st_size
    show(
        f"{copy}: a copy of {database.name}, {size / 1e6:,.1f} MB",
        {"backup": str(copy), "database": database.name, "bytes": size},
        as_json=as_json,
    )


@store.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def restore(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Put the backup FILE in the place of the database.

    Nothing may have the database open meanwhile. It is kept as it was: beside the one that takes
    its place or, of one of PostgreSQL, in the folder of backups. What was posted by itself since
    the backup, such as the position of today, is taken over from it, so that it is not posted
    again.
    """
    database, copy = database_of(settings.database_url), file.absolute()
    kept: Path | None
    if database.file:
        kept, knows = backups.put_back(copy, database.file, keepers())
    else:
        kept, knows = asyncio.run(
            backups.put_rows_back(copy, database, settings.backups, keepers())
        )
    lines = [f"{database.name} is now as in {file}"]
    lines += [f"before: {kept}"] if kept else []
    if not knows:
        lines.append("what it has posted since cannot be read: today's may be posted again")
    data = {
        "database": database.name,
        "backup": str(copy),
        "before": kept and str(kept),
        "knows_posts": knows,
    }
    show("\n".join(lines), data, as_json=as_json)


@store.command("export")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.pass_obj
def export_command(settings: Settings, file: Path) -> None:
    """Write all that is in the database to FILE, one line of JSON for each row.

    With - it goes to standard output. `farkle store import` reads it again, into any database.
    """
    target = nullcontext(sys.stdout) if str(file) == "-" else _writing(file)
    with target as stream:
        number = asyncio.run(backups.export_all(settings.database_url, stream))
    click.echo(f"{number - 2:,} rows exported to {file}", err=True)


@store.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@click.pass_obj
def import_command(settings: Settings, file: Path, *, as_json: bool) -> None:
    """Put all that `farkle store export` wrote to FILE into a new database.

    With - it comes from standard input. Nothing is written unless all of it is as it was exported.
    """
    # what is no text has another hash than what was written
    with click.open_file(str(file), encoding="utf-8", errors="replace") as stream:
        number = asyncio.run(backups.import_all(settings.database_url, stream))
    show(f"{number:,} rows imported", {"rows": number}, as_json=as_json)


@store.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
def copy_command(source: str, target: str, *, as_json: bool) -> None:
    """Copy all that is in the database FROM into a new database TO.

    Both are addresses as FARKLE_DATABASE_URL takes them, such as sqlite:///data/farkle.db and
    postgresql+asyncpg://ann@host/farkle. End the programs that use FROM before: what is played
    meanwhile is not in TO.
    """
    for name, address in ("FROM", source), ("TO", target):
        try:
            database_of(address)
        except StoreError as error:
            raise StoreError(str(error).replace("FARKLE_DATABASE_URL", name)) from None
    number = asyncio.run(backups.copy_all(source, target))
    show(f"{number:,} rows copied", {"rows": number}, as_json=as_json)


def _check_is_new(file: Path) -> None:
    """Raises InvalidRequestError where a file is there already."""
    if file.exists():
        raise InvalidRequestError(f"{file} is there already: choose another name")


@contextmanager
def _writing(file: Path) -> Iterator[TextIO]:
    """A new file for its owner alone, which is no more if something goes wrong."""
    _check_is_new(file)
    file.touch(OWNER_ONLY)
    try:
        with file.open("w", encoding="utf-8") as stream:
            yield stream
    except BaseException:
        file.unlink()
        raise


async def _check(settings: Settings, *, as_json: bool) -> bool:
    """Show all that is wrong; whether nothing is. Raises StoreError."""
    async with Store.look_into(settings.database_url, keepers()) as opened:
        with share_progress("checking the games") as progress:
            report = await check_store(opened, progress)
    problems = report.problems
    lines = [f"{problem.where}: {problem.what}" for problem in problems]
    whole = f"{report.games:,} game{'' if report.games == 1 else 's'} in {opened.database.name}"
    wrong = f"{len(problems):,} thing{' is' if len(problems) == 1 else 's are'} wrong"
    lines.append(f"{whole}: {wrong if problems else 'all is well'}")
    show(
        "\n".join(lines), {"database": str(opened.database.name), **asdict(report)}, as_json=as_json
    )
    return not problems


async def _restore(settings: Settings, game: str) -> None:
    """Raises MissingGameError, DamagedGameError, StoreError."""
    await Store.look_into(settings.database_url).close()  # which makes none
    async with await Store.open(settings.database_url) as opened:
        await opened.restore(game, lambda record: replayed(record, dice=True))


_PERSON = re.compile(r"(discord|console|web):.+")


@click.command()
@click.argument("person", metavar="PERSON")
@json_option
@click.pass_obj
def forget(settings: Settings, /, person: str, *, as_json: bool) -> None:
    """Take a person out of the database, as /forget me does.

    PERSON is an ID such as discord:80351110224678912, or console:ann.
    """
    if not _PERSON.fullmatch(person):
        raise InvalidRequestError(
            f'"{person}" is no ID such as discord:80351110224678912, console:ann or web:6f1c'
        )
    games = asyncio.run(_forget(settings, person))
    kept = "1 game is" if games == 1 else f"{games} games are"
    sentence = f"{person} is forgotten: {kept} kept without the name."
    if not games:
        sentence = f"Nobody with the ID {person} sat in a game; nothing is stored under it now."
    show(sentence, {"person": person, "games": games}, as_json=as_json)


async def _forget(settings: Settings, person: str) -> int:
    """The number of games that the person sat in. Raises StoreError, also without a database."""
    async with Store.look_into(settings.database_url) as opened:  # which makes none
        await opened.read(lambda connection: check_ours(connection, opened.database.name))
    async with open_parts(settings, Advisor(settings.strategies)) as parts:
        async for _ in parts.games.leave_all(Caller("", Person(person, ""))):
            pass
        return await records.forget(parts.store, person)
