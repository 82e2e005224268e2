"""A server of PostgreSQL on this machine, with a new database for each test."""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
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


class Server:
    """A server that runs, for whoever runs the tests alone."""

    def __init__(self, folder: Path, port: int, as_user: dict[str, str]) -> None:
        self._data, self._log, self._port = str(folder / "data"), str(folder / "log"), port
        self._as_user = as_user
        self._numbers = itertools.count()

    def run(self, name: str, *arguments: str) -> None:
        """Run a program of PostgreSQL's."""
        program = _program(name)
        assert program
        command = [program, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **self._as_user)  # type: ignore[call-overload]

    def make(self) -> None:
        """Make its data folder."""
        self.run(
            "initdb", "-D", self._data, "-A", "trust", "-U", "farkle", "-E", "UTF8", "--no-sync"
        )

    def start(self) -> None:
        """Have it run, and wait until it does."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 {_QUICK}"
        self.run("pg_ctl", "-D", self._data, "-l", self._log, "-o", options, "-w", "start")

    def stop(self) -> None:
        """Break it off, as a power cut does."""
        self.run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def new_database(self) -> str:
        """The address of a new database."""
        name = f"games{next(self._numbers)}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self._port), "-U", "farkle", name)
        return f"postgresql+asyncpg://farkle@127.0.0.1:{self._port}/{name}"


@contextmanager
def server() -> Iterator[Server]:
    """A server on this machine, which is gone in the end."""
    folder = Path(tempfile.mkdtemp(prefix="farkle-postgres-"))
    as_user: dict[str, str] = {}
    if os.getuid() == 0:  # which the server refuses
        known = {one.pw_name for one in pwd.getpwall()}
        as_user = {"user": "postgres" if "postgres" in known else "nobody"}
        shutil.chown(folder, as_user["user"])
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]

    try:
        made = Server(folder, port, as_user)
        made.make()
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder)
