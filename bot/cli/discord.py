"""`farkle discord`: the bot in Discord, and a check of what it would use."""

import asyncio
import logging
import sys

import click

from bot.features import keepers
from bot.fronts.discord import client, signed
from bot.fronts.discord.client import BadTokenError, DiscordError
from bot.fronts.discord.front import DiscordFront
from bot.fronts.discord.settings import DiscordSettings
from bot.hosting import hosted, run
from bot.languages import language
from bot.log import JsonFormatter, LogFormatter, open_log
from bot.services.advisor import Advisor
from bot.services.situation import DEFAULT_RULES
from bot.settings import Settings, read_settings
from bot.shell.places import Here
from bot.store.rows import StoreError
from bot.store.store import Store, database_of
from bot.wiring import check_folder, open_parts
from solver.errors import FarkleError, MissingStrategyError
from solver.rules.file import load_rules
from solver.wording import said_in

EXIT_BAD_TOKEN = 3
EXIT_NO_DISCORD = 4
EXIT_NO_STRATEGY = 5
EXIT_BAD_DATABASE = 6

_HTTP = "8080"
_DISCORD = "https://discord.com/api/v10"


@click.command("discord")
@click.option("--check", is_flag=True, help="Only print what it would use, and what is wrong.")
@click.option(
    "--http",
    "by_requests",
    is_flag=True,
    help="Have Discord send requests to FARKLE_HTTP, or port 8080, without a connection.",
)
@click.pass_obj
def discord_command(settings: Settings, *, check: bool, by_requests: bool) -> None:
    """Run the bot in Discord, until it is interrupted.

    It connects to Discord, or with --http answers what Discord posts to /interactions; then as many
    of it may run as one likes, on one database of PostgreSQL behind one address.

    DISCORD_TOKEN holds the token, or DISCORD_TOKEN_FILE names a file with it. Exit status: 2 for
    settings, 3 for a bad token, 4 if Discord cannot be reached, 5 for a missing strategy file, 6
    for a database that cannot be used.
    """
    chosen = read_settings(DiscordSettings)
    if by_requests:
        settings = settings.model_copy(update={"http": settings.http or _HTTP})
    if check:
        sys.exit(_check(settings, chosen))
    token = said_in(language(settings.language), chosen.token)
    try:
        Here(settings).advisor.strategy(load_rules(DEFAULT_RULES))
    except MissingStrategyError as error:
        _end(error, EXIT_NO_STRATEGY)
    form = JsonFormatter if chosen.farkle_log_format == "json" else LogFormatter
    open_log(logging.StreamHandler(sys.stderr), chosen.farkle_log, [token], form)
    if chosen.farkle_log != "debug":
        # what others say of themselves is for those who look for a fault
        quiet = max(logging.WARNING, logging.getLogger().level)
        logging.getLogger("discord").setLevel(quiet)
        for name in ("discord.client", "discord.state"):
            logging.getLogger(name).addFilter(_is_news)
    if by_requests:  # what it warns of then is wanted
        known = "interaction endpoint URL set"
        logging.getLogger("discord.client").addFilter(lambda it: known not in it.getMessage())
    try:
        run(connect(settings, chosen, token, by_requests=by_requests))
    except BadTokenError as error:
        _end(error, EXIT_BAD_TOKEN)
    except DiscordError as error:
        _end(error, EXIT_NO_DISCORD)
    except StoreError as error:
        _end(error, EXIT_BAD_DATABASE)


async def connect(
    settings: Settings, chosen: DiscordSettings, token: str, *, by_requests: bool = False
) -> None:
    """Answer in Discord until SIGINT or SIGTERM, by a connection or by requests."""
    door = signed.Door() if by_requests else None
    async with (
        open_parts(
            settings,
            Advisor(settings.strategies),
            pace=chosen.farkle_pace,
            patience=chosen.farkle_patience,
            late=chosen.farkle_late,
        ) as parts,
        hosted(settings, parts, {signed.PATH: door.answer} if door else {}) as watched,
    ):
        front = DiscordFront(parts.commands, parts.pressing, watched.note)
        shards = chosen.farkle_discord_shards
        bot = client.FarkleClient(front, parts.store, settings.data, shards, door)
        watched.is_ready = bot.is_there
        if door:  # another program may answer the next press
            parts.pressing.choices.remembers = False
        await client.run_discord(bot, chosen, token)


def _end(error: FarkleError, status: int) -> None:
    click.echo(f"farkle: {error}", err=True)
    sys.exit(status)


def _check(settings: Settings, chosen: DiscordSettings) -> int:
    """Print the settings without the secret; the status is 0 if nothing is wrong."""
    problems: list[str] = []
    token = "not given"  # noqa: S105 - a word for people
    try:
        secret = chosen.token()
        token = f"given, {len(secret)} characters"
        if secret.count(".") != 2:
            problems.append("the token does not look like one of Discord's: three parts with dots")
    except FarkleError as error:
        problems.append(str(error))
    known = Advisor(settings.strategies).known_rules()
    solved = [rules.name for rules, is_solved in known if is_solved]
    if DEFAULT_RULES not in solved:
        problems.append(
            f"the {DEFAULT_RULES} rules are not solved: run farkle solve {DEFAULT_RULES}"
        )
    database = "none"
    try:
        database = database_of(settings.database_url).name
        asyncio.run(_open_database(settings))
    except FarkleError as error:
        problems.append(str(error))
    rows = {
        "token": token,
        "API": chosen.farkle_discord_api or _DISCORD,
        "public key": chosen.discord_public_key or "as Discord says",
        "gateway": chosen.farkle_discord_gateway or "as Discord says",
        "data": str(settings.data),
        "database": database,
        "backups": f"{settings.backups}, of {settings.backup_days} days",
        "solved rules": ", ".join(solved) or "none",
        "bots' pace": f"{chosen.farkle_pace:g} s a move",
        "log": f"{chosen.farkle_log}, as {chosen.farkle_log_format}",
        "watched at": settings.http or "nowhere",
    }
    for name, value in rows.items():
        click.echo(f"{name + ':':<14}{value}")
    for problem in problems:
        click.echo(f"wrong: {problem}")
    if not problems:
        click.echo("All is well; Discord itself was not asked.")
    return 2 if problems else 0


async def _open_database(settings: Settings) -> None:
    """Raises StoreError where the database, or the folder where it is to be, cannot be used."""
    check_folder(settings)
    file = database_of(settings.database_url).file
    if file and not await asyncio.to_thread(file.exists):
        return
    await (await Store.open(settings.database_url, keepers())).close()


def _is_news(record: logging.LogRecord) -> bool:
    text = record.getMessage()
    return "voice will NOT be supported" not in text and "intent seems to be disabled" not in text
