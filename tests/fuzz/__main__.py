"""`python -m tests.fuzz TARGET --seconds N`, see the package."""

import hashlib
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import click

TARGETS = ("chat", "rules", "events", "proofs", "discord", "pages")

_PATIENCE = 20
"""Seconds after which an answer hangs; code that is watched is several times as slow."""
_MOST_FINDS = 25
_LONGEST = 4_000
"""Bytes of an input."""
_TOGETHER = 2_000
"""Inputs after which a target is opened anew."""
_FOUND = 1
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - databases without a disk


@click.command()
@click.argument("target", type=click.Choice([*TARGETS, "all"]))
@click.option("--seconds", default=60, show_default=True, help="For each target.")
@click.option("--folder", default=Path("build/fuzz"), type=click.Path(path_type=Path))
@click.option("--again", type=click.Path(path_type=Path, exists=True), help="Try one input.")
@click.option("--watched", is_flag=True, hidden=True)
def fuzz(target: str, seconds: int, folder: Path, again: Path | None, *, watched: bool) -> None:
    """Look for inputs that the program fails on; the exit status is 1 if there are any."""
    if again:
        _try(target, again)
    elif watched:
        _watch(target, seconds, folder / target)
    else:
        found = [_apart(one, seconds, folder) for one in (TARGETS if target == "all" else [target])]
        sys.exit(_FOUND if any(found) else 0)


def _apart(target: str, seconds: int, folder: Path) -> bool:
    """Fuzz in a process of its own, which libFuzzer ends; returns whether anything was found."""
    finds = folder / target / "finds"
    shutil.rmtree(finds, ignore_errors=True)
    finds.mkdir(parents=True)
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.fuzz", target, "--watched"]
    log = folder / target / "log"
    with log.open("wb") as file:
        done = subprocess.run(
            [*command, "--seconds", str(seconds), "--folder", str(folder)],
            stdout=file,
            stderr=file,
            check=False,
        )
    inputs = [path for path in sorted(finds.iterdir()) if path.suffix != ".txt"]
    took = time.monotonic() - began
    click.echo(f"{target}: {len(inputs)} finds in {took:.0f} s, exit {done.returncode}; see {log}")
    for path in inputs:
        said = path.with_suffix(".txt")
        # libFuzzer itself writes inputs that hang
        last = said.read_text().splitlines()[-1] if said.exists() else "no answer in time"
        click.echo(f"  {path}: {last}")
    return bool(inputs or done.returncode)


def _try(target: str, path: Path) -> None:
    """Give one input to a target, in the open."""
    from tests.fuzz.targets import open_target  # noqa: PLC0415

    with TemporaryDirectory(dir=_MEMORY) as place, open_target(target, Path(place)) as give:
        give(path.read_bytes())


def _watch(target: str, seconds: int, folder: Path) -> None:
    """Fuzz in this process; atheris ends it."""
    import atheris  # noqa: PLC0415 - an extra, and only here

    with atheris.instrument_imports(include=["bot", "solver"]):
        from tests.fuzz.targets import open_target, seeds, words  # noqa: PLC0415

    corpus, examples = folder / "corpus", folder / "examples"
    for one in (corpus, examples):
        one.mkdir(parents=True, exist_ok=True)
    for example in seeds(target):
        (examples / hashlib.sha256(example).hexdigest()[:12]).write_bytes(example)
    lines = (
        '"' + "".join(f"\\x{byte:02x}" for byte in one.encode()) + '"\n' for one in words(target)
    )
    (folder / "words").write_text("".join(lines))
    with ExitStack() as stack:

        def opened() -> Callable[[bytes], None]:
            stack.close()
            place = stack.enter_context(TemporaryDirectory(dir=_MEMORY))
            return stack.enter_context(open_target(target, Path(place)))

        atheris.Setup(
            [
                sys.argv[0],
                f"-max_total_time={seconds}",
                f"-timeout={_PATIENCE}",
                f"-max_len={_LONGEST}",
                "-rss_limit_mb=8192",
                f"-dict={folder / 'words'}",
                f"-artifact_prefix={folder / 'finds'}/",
                str(corpus),
                str(examples),
            ],
            _noting(_renewing(opened), folder / "finds"),
        )
        atheris.Fuzz()


def _renewing(opened: Callable[[], Callable[[bytes], None]]) -> Callable[[bytes], None]:
    """Open a target anew from time to time: what it keeps grows with every input."""
    numbers, give = count(), opened()

    def one_input(data: bytes) -> None:
        nonlocal give
        if next(numbers) % _TOGETHER == _TOGETHER - 1:
            give = opened()
        give(data)

    return one_input


def _noting(give: Callable[[bytes], None], finds: Path) -> Callable[[bytes], None]:
    """Note what fails, once for each place where it does, and go on."""
    places = set()

    def one_input(data: bytes) -> None:
        try:
            give(data)
        except Exception as error:
            if (place := _place(error)) in places:
                return
            places.add(place)
            path = finds / hashlib.sha256(data).hexdigest()[:12]
            path.write_bytes(data)
            path.with_suffix(".txt").write_text("".join(traceback.format_exception(error)))
            if len(places) >= _MOST_FINDS:
                raise

    return one_input


def _place(error: BaseException) -> tuple[object, ...]:
    """Where in the program an exception came from."""
    while error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "/bot/" in one.filename or "/solver/" in one.filename]
    return (type(error), *((one.filename, one.lineno) for one in own[-2:]))


if __name__ == "__main__":
    fuzz()
