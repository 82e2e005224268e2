"""The `farkle` command; the only place where the parts are wired together."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from bot.fronts.commands import Commands
from bot.services.advisor import DEFAULT_RULES, Advisor, Situation
from bot.settings import Settings
from bot.views.data import answer_data, rules_data, rules_list_data, solve_data
from bot.views.text import advice_text, rules_list_text, rules_text, solve_text, turn_text
from solver.errors import FarkleError, InvalidRequestError
from solver.rules import load_rules
from solver.strategy import prepare_folder, save_strategy, verify_strategy

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line; every failure is one sentence and an exit status."""
    try:
        sys.exit(farkle(prog_name="farkle", standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(EXIT_BAD_INPUT)
    except (FarkleError, click.ClickException) as error:
        sentence = error.format_message() if isinstance(error, click.ClickException) else error
        click.echo(f"farkle: {sentence}", err=True)
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        click.echo(f"farkle: {error.filename or 'writing'}: {error.strerror or error}", err=True)
        sys.exit(EXIT_BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        click.echo("farkle: interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)


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
                help="A preset's name or a TOML file.",
            ),
            click.option("--banked", type=int, default=0, metavar="B", help="Your score."),
            click.option(
                "--opponent", type=int, default=0, metavar="D", help="The opponent's score."
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
    default=1e-9,
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

    RULES is a preset's name or a TOML file.
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
        raise InvalidRequestError("say which RULES to solve: a preset's name or a TOML file")
    if not 1e-12 <= tolerance <= 0.1:
        raise InvalidRequestError(f"the tolerance must be 1e-12 to 0.1, not {tolerance:g}")
    ruleset = load_rules(rules)
    if floor is not None:
        ruleset = ruleset.with_floor(floor)
    folder = out or settings.strategies
    prepare_folder(folder)
    # Only here: the game loads numba, which takes longer than any answer.
    from bot.views.progress import solve_progress  # noqa: PLC0415
    from solver import game  # noqa: PLC0415

    with solve_progress(ruleset, tolerance) as on_progress:
        solution = game.solve(
            ruleset, cache=settings.kernels, tolerance=tolerance, on_progress=on_progress
        )
    manifest, file = save_strategy(solution, folder)
    show(solve_text(manifest, file), solve_data(manifest, file), as_json=as_json)


@farkle.command()
@click.argument("dice", nargs=-1)
@position_options
@click.option(
    "--turn-total",
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
    advice = Advisor(settings.strategies).advise(" ".join(dice), Situation(**situation))
    show(advice_text(advice), answer_data(advice), as_json=as_json)


@farkle.command()
@position_options
@json_option
@click.pass_obj
def turn(settings: Settings, /, *, as_json: bool, **situation: Any) -> None:
    """Show the table of a whole turn: every turn total and number of dice."""
    cells = Advisor(settings.strategies).turn(Situation(**situation))
    show(turn_text(cells), answer_data(cells), as_json=as_json)


@farkle.command()
@json_option
@click.pass_obj
def chat(settings: Settings, *, as_json: bool) -> None:
    """Open the chat, after solving the default rules if need be."""
    from bot.fronts import console  # noqa: PLC0415

    advisor = Advisor(settings.strategies)
    if not advisor.is_solved(load_rules(DEFAULT_RULES)):
        # In a process of its own, so that the chat stays small and never waits for numba.
        command = [sys.executable, "-m", "bot", "solve", DEFAULT_RULES]
        status = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)  # noqa: S603
        if status:
            sys.exit(status)
    asyncio.run(console.chat(Commands(advisor), settings.history, as_json=as_json))


@farkle.group()
def rules() -> None:
    """List and show rule sets."""


@rules.command("list")
@json_option
@click.pass_obj
def rules_list(settings: Settings, *, as_json: bool) -> None:
    """List the rule sets that ship with the project."""
    known = Advisor(settings.strategies).known_rules()
    show(rules_list_text(known), rules_list_data(known), as_json=as_json)


@rules.command("show")
@click.argument("rules", metavar="RULES")
@json_option
def rules_show(rules: str, *, as_json: bool) -> None:
    """Explain RULES, a preset's name or a TOML file."""
    ruleset = load_rules(rules)
    show(rules_text(ruleset), rules_data(ruleset), as_json=as_json)


if __name__ == "__main__":
    main()
