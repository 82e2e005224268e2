"""How the program loads what it needs, and how it ends."""

import atexit
import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit status of a program that was interrupted."""

_METADATA = "importlib.metadata"


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """For imports of much: nothing looks for garbage meanwhile, or ever among what is loaded.

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
        with _without_metadata():
            yield
    finally:
        if collects:
            gc.freeze()
            gc.enable()
        if is_ours:
            signal.signal(signal.SIGINT, usual)


@contextlib.contextmanager
def _without_metadata() -> Iterator[None]:
    """For imports of what names the metadata of packages, and does not read it.

    Loading what reads it would be a twentieth of a start: pydantic names it, to look for plugins.
    """
    if _METADATA in sys.modules:
        yield
        return
    stand_in = _Metadata(_METADATA)
    # it stays there for whoever has imported it: imports of the module put that there
    sys.modules[_METADATA] = importlib.metadata = stand_in
    try:
        yield
    finally:
        stand_in.leave()


class _Metadata(ModuleType):
    """Stands for the module; of its functions, the one that is named is loaded when called."""

    def entry_points(self, **which: Any) -> Any:
        """As the module has it."""
        return self.__getattr__("entry_points")(**which)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # which imports ask for
        self.leave()
        return getattr(importlib.import_module(_METADATA), name)

    def leave(self) -> None:
        """Let whoever imports it from now on have the module itself."""
        if sys.modules.get(_METADATA) is self:
            sys.modules.pop(_METADATA, None)


def end(sentence: str, status: int) -> NoReturn:
    """End the program with its status, and a sentence on what went wrong, if anything."""
    # a stream that was closed from the start is None
    if sentence and sys.stderr:
        told = f"farkle: {sentence}"
        if sys.stderr.isatty():
            # a start that goes well needs none of it
            import shutil  # noqa: PLC0415
            import textwrap  # noqa: PLC0415

            # whoever reads it elsewhere, such as a program, gets one line
            wrapper = textwrap.TextWrapper(
                shutil.get_terminal_size().columns - 1,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            told = "\n".join(map(wrapper.fill, told.split("\n")))
        print(told, file=sys.stderr)  # noqa: T201
    leave(status)


def leave(status: int) -> NoReturn:
    """End the process, if it can be without taking apart all that is loaded, which takes a while.

    It can be where nothing else is at work, and when it was interrupted: sys.exit would die of the
    signal where it came while Python ran code from a string, as imports of dataclasses do.
    """
    is_interrupted = status == INTERRUPTED
    if not is_interrupted:
        if threading.active_count() > 1:
            sys.exit(status)
        atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            if not is_interrupted:
                sys.exit(status)  # which tells it
    os._exit(status)
