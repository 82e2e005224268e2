"""Solves one rule set in a process of its own: `python -P -m bot.solving.worker`, not for people.

It loads numba, and so stands outside of everything that answers a chat message. One line of JSON on
standard input says what to solve: `rules`, the number of `players`, the folders `strategies` and
`kernels`, and the `language` of errors, English if it is not there. Lines of JSON on standard
output say how it goes: {"begun"}, then all of a `Progress`, and at the end {"solved"} or {"error"}.
The end of standard input, or an interrupt, ends the solve.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from bot.starting import INTERRUPTED, loading

_NICE = 10
"""Lower priority, so that answers in the chat stay quick."""
_PATIENCE = 3.0
"""Seconds to end in after nobody listens any more."""
_INTERVAL = 0.2
"""Seconds between two lines of progress."""


def main() -> NoReturn:
    """Solve what standard input says."""
    status = INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        # whoever started this may have been deaf to interrupts, which is inherited
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if hasattr(os, "nice"):
            os.nice(_NICE)
        request = json.loads(sys.stdin.buffer.readline())
        threading.Thread(target=_end_with_input, daemon=True).start()
        status = _solve(request)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(status)  # at once, whatever the threads of a solve cut short are at


def _end_with_input() -> None:
    """Interrupt the solve when whoever asked for it is gone."""
    with contextlib.suppress(OSError):
        while os.read(sys.stdin.fileno(), 1024):
            pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_PATIENCE)
    os._exit(INTERRUPTED)


def _solve(request: dict[str, Any]) -> int:
    # only here: an interrupt while numba loads ends the process cleanly, too
    with loading():
        from bot.languages import best_language  # noqa: PLC0415
        from solver.batch.jobs import Job, Watch, solve_one  # noqa: PLC0415
        from solver.batch.local import LocalSolver, compiled_code  # noqa: PLC0415
        from solver.batch.subjects import game_of  # noqa: PLC0415
        from solver.errors import FarkleError  # noqa: PLC0415
        from solver.game.standings import Progress  # noqa: PLC0415
        from solver.rules.ruleset import Ruleset  # noqa: PLC0415
        from solver.wording import ENGLISH, speak  # noqa: PLC0415

    class Lines(Watch):
        """Prints the progress."""

        last = -_INTERVAL

        def begin(self, job: Job) -> None:  # noqa: ARG002
            _say(begun=True)

        def progress(self, job: Job, progress: Progress) -> None:  # noqa: ARG002
            now = time.monotonic()
            if now - self.last >= _INTERVAL:
                self.last = now
                _say(**asdict(progress))

    speak(best_language(request.get("language", ENGLISH.code)))
    rules = Ruleset.model_validate(request["rules"])
    game, folder = game_of(rules, request.get("players", 2)), Path(request["strategies"])
    with compiled_code(Path(request["kernels"])) as cache:
        try:
            solve_one(game, folder, LocalSolver(cache), Lines())
        except FarkleError as error:
            _say(error=str(error))
            return 1
    _say(solved=True)
    return 0


def _say(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
