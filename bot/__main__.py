"""The entry point of the `farkle` command: every failure is one sentence and an exit status."""

import contextlib
import io
import os
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line."""
    try:
        # in here, so that Ctrl-C while the program loads ends it cleanly too
        from bot.cli.main import run  # noqa: PLC0415

        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        sentence, status = run()
    except KeyboardInterrupt:
        sentence, status = "interrupted", INTERRUPTED
    except BrokenPipeError:
        # whoever read the output has seen enough
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(1)
    if sentence:
        print(f"farkle: {sentence}", file=sys.stderr)  # noqa: T201
    if status == INTERRUPTED:
        # sys.exit would die of the signal where it came while Python ran code from a string, as
        # imports of dataclasses do
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
