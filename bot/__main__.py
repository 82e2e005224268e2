"""The entry point of the `farkle` command: every failure is one sentence and an exit status."""

# what Python has loaded for itself: until main runs, an interrupt ends in a traceback
import contextlib
import io
import os
import shutil
import sys
import textwrap

INTERRUPTED = 130


def main() -> None:
    """Run the command line, and end the process with its status."""
    try:
        sentence, status = _run()
    except KeyboardInterrupt:
        sentence, status = "interrupted", INTERRUPTED
    except BrokenPipeError:
        # whoever read the output has seen enough
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(1)
    _end(sentence, status)


def _run() -> tuple[str, int]:
    """Load the command line and run it; returns a sentence on what went wrong and the status."""
    import signal  # noqa: PLC0415

    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        # some of what is loaded would drop an exception that comes meanwhile, or change it
        signal.signal(signal.SIGINT, lambda *_: _end("interrupted", INTERRUPTED))
    from bot.cli.main import run  # noqa: PLC0415

    signal.signal(signal.SIGINT, usual)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    return run()


def _end(sentence: str, status: int) -> None:
    if sentence:
        told = f"farkle: {sentence}"
        if sys.stderr.isatty():
            # whoever reads it elsewhere, such as a program, gets one line
            wrapper = textwrap.TextWrapper(
                shutil.get_terminal_size().columns - 1,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            told = "\n".join(map(wrapper.fill, told.split("\n")))
        print(told, file=sys.stderr)  # noqa: T201
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
