"""The `farkle` command; the only place where the parts are wired together."""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bot.fronts.commands import Commands
from bot.services.advisor import DEFAULT_RULES, Advisor, Situation
from bot.settings import Settings
from bot.views.data import answer_data, rules_data, rules_list_data, solve_data
from bot.views.text import advice_text, rules_list_text, rules_text, solve_text, turn_text
from solver.errors import FarkleError, InvalidRequestError
from solver.rules import Ruleset, load_rules
from solver.solution import DEFAULT_TOLERANCE, Solution, value_shape
from solver.strategy import prepare_folder, save_strategy, verify_strategy

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def run() -> tuple[str, int]:
    """Run the command line; returns a sentence on what went wrong, if anything, and the status."""
    try:
        return "", farkle(prog_name="farkle", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return "", EXIT_BAD_INPUT
    except click.ClickException as error:
        return error.format_message(), EXIT_BAD_INPUT
    except FarkleError as error:
        return str(error), EXIT_BAD_INPUT
    except BrokenPipeError:
        raise
    except OSError as error:
        return f"{error.filename or 'writing'}: {error.strerror or error}", EXIT_BAD_INPUT
    except click.Abort:
        return "interrupted", EXIT_INTERRUPTED


Decorated = Callable[..., Any]


def show(text: str, data: object, *, as_json: bool) -> None:
    """Print a result for people or for programs."""
    click.echo(json.dumps(data, indent=2) if as_json else text)


def json_option(command: Decorated) -> Decorated:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def position_options(command: Decorated) -> Decorated:
    """Add the options that describe the start of a turn."""
    for option in reversed(
        [
            click.option(
                "--rules",
                default=DEFAULT_RULES,
                show_default=True,
                metavar="RULES",
                help="The name of a rule set or a TOML file.",
            ),
            click.option("--banked", "--me", type=int, default=0, metavar="B", help="Your score."),
            click.option(
                "--opponent",
                "--them",
                type=int,
                default=0,
                metavar="D",
                help="The opponent's score.",
            ),
            click.option(
                "--farkles",
                type=int,
                default=0,
                metavar="F",
                help="Your farkles in a row before this turn.",
            ),
            click.option(
                "--opponent-farkles",
                "--their-farkles",
                type=int,
                default=0,
                metavar="E",
                help="The opponent's farkles in a row.",
            ),
        ]
    ):
        command = option(command)
    return command


@click.group()
@click.version_option(package_name="farkle-advisor")
@click.pass_context
def farkle(context: click.Context) -> None:
    """Exact win probabilities for two-player Farkle under your house rules."""
    context.obj = Settings()


@farkle.command()
@click.argument("rules", required=False)
@click.option(
    "--floor",
    type=int,
    metavar="N",
    help="Take scores below N for N; the rules' own floor if not given.",
)
@click.option(
    "--tolerance",
    type=float,
    default=DEFAULT_TOLERANCE,
    show_default=True,
    metavar="X",
    help="Largest relative change that ends the solve.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to write the strategy file.",
)
@click.option(
    "--verify",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check every byte of a strategy file instead.",
)
@json_option
@click.pass_obj
def solve(
    settings: Settings,
    rules: str | None,
    floor: int | None,
    tolerance: float,
    out: Path | None,
    verify: Path | None,
    *,
    as_json: bool,
) -> None:
    """Solve a rule set and write its strategy file.

    RULES is the name of a rule set that ships with the program, or a TOML file.
    """
    if verify:
        if rules:
            raise InvalidRequestError("--verify checks a file and takes no RULES")
        manifest = verify_strategy(verify)
        show(
            f"{verify} is whole: {manifest.rules.name} rules, floor {manifest.floor:,}",
            {"verified": True, **solve_data(manifest, verify)},
            as_json=as_json,
        )
        return
    if not rules:
        raise InvalidRequestError("say which RULES to solve: the name of a rule set or a TOML file")
    if not 1e-12 <= tolerance <= 0.1:
        raise InvalidRequestError(f"the tolerance must be 1e-12 to 0.1, not {tolerance:g}")
    ruleset = load_rules(rules)
    if floor is not None:
        ruleset = ruleset.with_floor(floor)
    folder = out or settings.strategies
    value_shape(ruleset)  # refuses a game too large
    prepare_folder(folder)
    solution = _solve(ruleset, tolerance, settings.kernels)
    manifest, file = save_strategy(solution, folder)
    show(solve_text(manifest, file), solve_data(manifest, file), as_json=as_json)


def _solve(rules: Ruleset, tolerance: float, kernels: Path) -> Solution:
    """Solve with compiled code from `kernels`, or from nowhere if that cannot be written.

    Code that is damaged or another version's fails in many ways; it is thrown away and made anew.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = kernels if _is_writable(kernels) else Path(temporary)
        os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))
        try:
            return _solve_once(rules, tolerance, folder)
        except (FarkleError, OSError):
            raise
        except Exception:
            shutil.rmtree(folder, ignore_errors=True)
            return _solve_once(rules, tolerance, folder)


def _solve_once(rules: Ruleset, tolerance: float, folder: Path) -> Solution:
    # only here: the game loads numba, which takes longer than any answer
    from bot.views.progress import solve_progress  # noqa: PLC0415
    from solver import game  # noqa: PLC0415

    with solve_progress(rules, tolerance) as on_progress:
        return game.solve(rules, cache=folder, tolerance=tolerance, on_progress=on_progress)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@farkle.command()
@click.argument("dice", nargs=-1)
@position_options
@click.option(
    "--turn-total",
    "--turn",
    type=int,
    default=0,
    metavar="T",
    help="Points set aside in this turn before the roll.",
)
@json_option
@click.pass_obj
def advise(
    settings: Settings, /, dice: tuple[str, ...], *, as_json: bool, **situation: Any
) -> None:
    """Rank what to keep of a roll, best first.

    DICE are the faces rolled, such as 6 5 3 3 3 2 or 653332.
    """
    advice = _advisor(settings).advise(" ".join(dice), Situation(**situation))
    show(advice_text(advice), answer_data(advice), as_json=as_json)


@farkle.command()
@position_options
@json_option
@click.pass_obj
def turn(settings: Settings, /, *, as_json: bool, **situation: Any) -> None:
    """Show the table of a whole turn."""
    cells = _advisor(settings).turn(Situation(**situation))
    show(turn_text(cells), answer_data(cells), as_json=as_json)


@farkle.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    from bot.fronts import console  # noqa: PLC0415

    advisor = _advisor(settings)
    if not advisor.is_solved(load_rules(DEFAULT_RULES)):
        _solve_apart(DEFAULT_RULES)
    with contextlib.suppress(FarkleError):  # said again when somebody asks
        advisor.odds(None, Situation())  # opens the default rules: the first answer is quick too
    asyncio.run(console.chat(Commands(advisor), settings.history, as_json=as_json))


def _advisor(settings: Settings) -> Advisor:
    """The advisor, which calls this program as a user may write it on a command line."""
    path = Path(sys.argv[0])
    program = "farkle"
    if path.name == program and path.exists() and not shutil.which(program):
        program = os.path.relpath(path)
    return Advisor(settings.strategies, program)


def _solve_apart(rules: str) -> None:
    """Solve in a process of its own, so that the chat stays small and never waits for numba."""
    command = [sys.executable, "-m", "bot", "solve", rules]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr) as child:  # noqa: S603
        while True:
            try:
                status = child.wait()
                break
            except KeyboardInterrupt:
                continue  # the child was interrupted as well and says so
    if status:
        sys.exit(status)


class RulesGroup(click.Group):
    """`farkle rules` lists, `farkle rules NAME` shows."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for a rule set."""
        known = args[0] in self.commands or args[0].startswith("-")
        return super().resolve_command(ctx, args if known else ["show", *args])


@farkle.group(cls=RulesGroup, invoke_without_command=True)
@json_option
@click.pass_context
def rules(context: click.Context, /, *, as_json: bool) -> None:
    """List rule sets, or show one."""
    if context.invoked_subcommand is None:
        context.invoke(rules_list, as_json=as_json)


@rules.command("list")
@json_option
@click.pass_obj
def rules_list(settings: Settings, *, as_json: bool) -> None:
    """List the rule sets that ship with the project."""
    known = _advisor(settings).known_rules()
    show(rules_list_text(known), rules_list_data(known), as_json=as_json)


@rules.command("show")
@click.argument("rules", metavar="RULES")
@json_option
def rules_show(rules: str, *, as_json: bool) -> None:
    """Explain RULES, the name of a rule set or a TOML file."""
    ruleset = load_rules(rules)
    show(rules_text(ruleset), rules_data(ruleset), as_json=as_json)
