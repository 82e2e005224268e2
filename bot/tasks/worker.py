"""Computes what it is sent, one thing after the other: `python -m bot.tasks.worker MEMORY NICE`.

Not for people: the requests on standard input and the answers on standard output are pickles, each
after its length. MEMORY is in MiB, 0 for no limit; NICE is
how much lower its priority becomes. An interrupt ends it, and so does the end of
standard input, whatever it is at.
"""

import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

from bot.languages import best_language
from bot.starting import INTERRUPTED
from bot.tasks.workers import HEADER, TaskError
from solver.errors import FarkleError
from solver.wording import speak

_PATIENCE = 3.0
"""Seconds to end in after nobody listens any more."""


def main() -> NoReturn:
    """Answer until there are no more requests."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        _answer_all(*map(int, sys.argv[1:]))
    os._exit(INTERRUPTED)  # at once, whatever the threads of what was cut short are at


def _answer_all(memory: int, nice: int) -> NoReturn:
    # whoever started this may have been deaf to interrupts, which is inherited
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "nice"):
        os.nice(nice)
    if memory:
        _limit_memory(memory)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()

    def write(answer: bytes) -> None:
        answers.write(len(answer).to_bytes(HEADER, "little") + answer)
        answers.flush()

    while True:
        write(_answer(requests.get(), memory, write))


def _read(standard_input: BinaryIO, requests: "queue.SimpleQueue[bytes]") -> NoReturn:
    """Hand on the requests; end the process when whoever sends them is gone."""
    with suppress(OSError):
        while len(header := standard_input.read(HEADER)) == HEADER:
            requests.put(standard_input.read(int.from_bytes(header, "little")))
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_PATIENCE)
    os._exit(INTERRUPTED)


def _answer(request: bytes, memory: int, write: Callable[[bytes], None]) -> bytes:
    """What a function makes, or what it raises; `write` tells on the way what it tells."""
    try:
        make, args, language, tells = pickle.loads(request)  # noqa: S301 - sent by the program
        speak(best_language(language))
        if tells:
            args = (*args, lambda report: write(pickle.dumps(("told", report))))
        return pickle.dumps(("made", make(*args)))
    except FarkleError as error:
        return pickle.dumps(("raised", error))
    except MemoryError:
        too_much = TaskError.say(
            "that needs more than the {memory:,} MiB of memory allowed here", memory=memory
        )
        return pickle.dumps(("raised", too_much))
    except Exception as error:
        return pickle.dumps(("raised", (repr(error), traceback.format_exc())))


def _limit_memory(memory: int) -> None:
    """Limit the addresses that this process can use, where the system knows such a limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not in Windows

        most: Any = memory * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
