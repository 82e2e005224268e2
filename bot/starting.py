"""How the program loads what it needs, and how it ends."""

import contextlib
import gc
import os
import shutil
import signal
import sys
import textwrap
from collections.abc import Iterator
from typing import NoReturn

INTERRUPTED = 130
"""The exit status of a program that was interrupted."""


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """A context for imports: nothing looks for garbage meanwhile, or ever among what is loaded.

    Interrupts end the program at once, unless somebody else minds them: some of what is loaded
    would drop an exception that comes meanwhile, or change it.
    """
    # threads of NumPy's take longer to start than all that it multiplies here
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic would look for plugins in whatever else is installed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    usual = signal.getsignal(signal.SIGINT)
    is_ours = usual is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, lambda *_: end("interrupted", INTERRUPTED))
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.enable()
        if is_ours:
            signal.signal(signal.SIGINT, usual)


def end(sentence: str, status: int) -> NoReturn:
    """End the program with its status, and a sentence on what went wrong, if anything."""
    # a stream that was closed from the start is None
    if sentence and sys.stderr:
        message = f"farkle: {sentence}"
        if sys.stderr.isatty():
            # whoever reads it elsewhere, such as a program, gets one line
            wrapper = textwrap.TextWrapper(
                shutil.get_terminal_size().columns - 1,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            message = "\n".join(map(wrapper.fill, message.split("\n")))
        print(message, file=sys.stderr)  # noqa: T201
    leave(status)


def leave(status: int) -> NoReturn:
    """End the process with its status.

    One that was interrupted ends at once: sys.exit would die of the signal where it came while
    Python ran code from a string, as imports of dataclasses do.
    """
    if status != INTERRUPTED:
        sys.exit(status)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)
