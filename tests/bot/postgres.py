"""A server of PostgreSQL on this machine, with a new database for each test."""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

KINDS = ["sqlite", "postgresql"]
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
"""Where Debian has the programs, which are not on the path there."""
_QUICK = "-c fsync=off -c full_page_writes=off -c unix_socket_directories="


def _program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([*map(str, _FOLDERS), os.environ["PATH"]]))


WHY_NOT = "" if _program("initdb") else "initdb is missing: PostgreSQL is not installed"
"""Why there can be no server, empty where there can be."""


@contextmanager
def server() -> Iterator[Callable[[], str]]:
    """Gives the address of a new database each time, for whoever runs the tests alone."""
    folder = Path(tempfile.mkdtemp(prefix="farkle-postgres-"))
    as_user: dict[str, str] = {}
    if os.getuid() == 0:  # which the server refuses
        known = {one.pw_name for one in pwd.getpwall()}
        as_user = {"user": "postgres" if "postgres" in known else "nobody"}
        shutil.chown(folder, as_user["user"])
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]

    def run(name: str, *arguments: str) -> None:
        program = _program(name)
        assert program
        command = [program, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user)  # type: ignore[call-overload]

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-A", "trust", "-U", "farkle", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 {_QUICK}"
        run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start")
        try:
            numbers = itertools.count()

            def new_database() -> str:
                name = f"games{next(numbers)}"
                run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "farkle", name)
                return f"postgresql+asyncpg://farkle@127.0.0.1:{port}/{name}"

            yield new_database
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)
