"""The program in processes of their own, started in no time: forks of one that has all loaded."""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from tempfile import TemporaryFile
from typing import Any, NoReturn

from bot.cli.main import COMMANDS
from bot.features import FEATURES
from bot.languages import language, language_codes
from bot.settings import CHECKOUT
from bot.views.dice_picture import dice_png
from solver.named.catalogue import known_dice
from solver.rules.file import load_rules, preset_names

_LOADED = [
    "aiosqlite",
    "bot.cli.main",
    *(place.rpartition(".")[0] for place in COMMANDS.values()),
    *(f"bot.features.{name}.chat" for name in FEATURES),
    "bot.fronts.console",
    "bot.fronts.discord.client",
    "bot.fronts.discord.front",
    "bot.wiring",
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "PIL.PngImagePlugin",
    "prompt_toolkit",
]


class Program:
    """A process, with the methods of subprocess.Popen that tests need."""

    def __init__(self, control: socket.socket, order: Mapping[str, Any], files: list[int]) -> None:
        """Have the nursery start it with these files as its standard input, output and errors."""
        self._told, told = os.pipe()
        socket.send_fds(control, [json.dumps(order).encode()], [told, *files])
        os.close(told)
        self.pid = int(self._line())
        self._status: int | None = None

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            if not (byte := os.read(self._told, 1)):
                raise ChildProcessError("the nursery is gone")
            line += byte
        return line

    @property
    def returncode(self) -> int | None:
        """The exit status, if it has ended; of a signal it is negative."""
        if self._status is None and select.select([self._told], [], [], 0)[0]:
            self.wait()
        return self._status

    def wait(self) -> int:
        """Wait for the exit status."""
        if self._status is None:
            self._status = int(self._line())
            os.close(self._told)
        return self._status

    def send_signal(self, number: int) -> None:
        """Send a signal, if it has not ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: int,
    stdout: int,
    stderr: int = 2,
    before: tuple[str, str, list[Any]] | None = None,
) -> Program:
    """Start `farkle` with these arguments.

    stdin, stdout, stderr : file descriptors, which stay open here
    before : a module, a function of it, and with what it is called before
    """
    order = {"arguments": arguments, "environment": dict(environment), "before": before}
    return Program(_nursery(), order, [stdin, stdout, stderr])


def run(
    arguments: Sequence[str], environment: Mapping[str, str], text: str
) -> subprocess.CompletedProcess[str]:
    """Run `farkle` to its end, with a short text from a pipe as its standard input."""
    lines, there = os.pipe()
    os.write(there, text.encode())
    os.close(there)
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        program = start(
            arguments, environment, stdin=lines, stdout=out.fileno(), stderr=errors.fileno()
        )
        os.close(lines)
        status = program.wait()
        for file in (out, errors):
            file.seek(0)
        return subprocess.CompletedProcess(["farkle"], status, out.read(), errors.read())


@cache
def _nursery() -> socket.socket:
    here, there = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with there:
        command = [sys.executable, "-m", __name__, str(there.fileno())]
        process = subprocess.Popen(
            command, cwd=CHECKOUT, pass_fds=[there.fileno()], start_new_session=True
        )

    def close() -> None:
        here.close()
        process.wait()

    atexit.register(close)
    return here


def _serve(control: socket.socket) -> None:
    """Start a program for each order that comes, until there are no more."""
    for name in _LOADED:
        import_module(name)
    _warm_up()
    gc.collect()
    gc.freeze()  # a collection would write into what all of them share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        text, files, _, _ = socket.recv_fds(control, 1 << 17, 4)
        if not text:
            return
        order = json.loads(text)
        if order["before"] and order["before"][0] not in sys.modules:
            import_module(order["before"][0])  # a module of tests, with all that they import
            gc.freeze()
        if not os.fork():
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _start_and_tell(order, *files)
        for file in files:
            os.close(file)


def _warm_up() -> None:
    """What each of them would work out anew."""
    for code in language_codes():
        language(code)
    for name in preset_names():
        load_rules(name)
    dice_png((1,))
    known_dice()


def _start_and_tell(order: dict[str, Any], told: int, *files: int) -> NoReturn:
    if pid := os.fork():
        for file in files:
            os.close(file)
        os.write(told, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    os.close(told)
    for standard, file in enumerate(files):
        os.dup2(file, standard)
        os.close(file)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["farkle", *order["arguments"]]
    if before := order["before"]:
        module, function, values = before
        prepare: Callable[..., None] = getattr(import_module(module), function)
        prepare(*values)
    from bot.__main__ import main  # noqa: PLC0415

    main()
    raise AssertionError


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as control:
        _serve(control)
