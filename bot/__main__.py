"""The entry point of the `farkle` command: every failure is one sentence and an exit status."""

# what Python has loaded for itself: until main runs, an interrupt ends in a traceback
import contextlib
import io
import sys


def main() -> None:
    """Run the command line, and end the process with its status."""
    try:
        sentence, status = _run()
    except KeyboardInterrupt:
        sentence, status = "interrupted", 130
    except BrokenPipeError:
        # whoever read the output has seen enough
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(1)
    from bot.starting import end  # noqa: PLC0415 - an interrupt is caught here

    end(sentence, status)


def _run() -> tuple[str, int]:
    """Load the command line and run it; returns a sentence on what went wrong and the status."""
    from bot.starting import loading  # noqa: PLC0415 - an interrupt is caught here

    with loading():
        from bot.cli.main import run  # noqa: PLC0415 - 0.1 s in which nobody interrupts
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    return run()


if __name__ == "__main__":
    main()
