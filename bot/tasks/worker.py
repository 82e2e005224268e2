"""Computes what it is sent, one thing after the other: `python -m bot.tasks.worker MEMORY`.

Not for people: the requests on standard input and the answers on standard output are pickles, each
after its length. MEMORY is in MiB. The end of standard input ends it at once, whatever it is at.
"""

import os
import pickle
import queue
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

from bot.languages import best_language
from bot.tasks.workers import HEADER, TaskError
from solver.errors import FarkleError
from solver.wording import speak

_NICE = 10
"""Lower priority, so that answers in the chat stay quick."""


def main() -> NoReturn:
    """Answer until there are no more requests."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    memory = int(sys.argv[1])
    _limit_memory(memory)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        answer = _answer(requests.get(), memory)
        answers.write(len(answer).to_bytes(HEADER, "little") + answer)
        answers.flush()


def _read(standard_input: BinaryIO, requests: "queue.SimpleQueue[bytes]") -> NoReturn:
    """Hand on the requests; end the process when whoever sends them is gone."""
    with suppress(OSError):
        while len(header := standard_input.read(HEADER)) == HEADER:
            requests.put(standard_input.read(int.from_bytes(header, "little")))
    os._exit(0)


def _answer(request: bytes, memory: int) -> bytes:
    """What a function makes, or what it raises."""
    try:
        make, args, language = pickle.loads(request)  # noqa: S301 - sent by the program
        speak(best_language(language))
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
        import resource  # noqa: PLC0415 - not everywhere

        most: Any = memory * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
