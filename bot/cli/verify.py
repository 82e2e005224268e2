"""`farkle verify`: whether the dice of a finished game are as committed."""

from typing import Any, BinaryIO

import click
from pydantic import ValidationError

from bot.shell.output import json_option, show
from bot.table.fair_dice import Proof, Verdict, verify_proof
from solver.errors import InvalidRequestError

EXIT_NOT_AS_COMMITTED = 1
_MOST_BYTES = 20_000_000
"""Length of a proof: 100,000 rolls take a tenth of it."""


@click.command()
@click.argument("file", type=click.File("rb"), metavar="FILE")
@json_option
@click.pass_context
def verify(context: click.Context, file: BinaryIO, *, as_json: bool) -> None:
    """Check the dice of a finished game against its commitment.

    FILE is the proof that the game gave at its end, - reads it from standard input. The exit status
    is 1 if a roll or the commitment is not what the secret makes it.
    """
    name = str(getattr(file, "name", "-"))
    name = "standard input" if name in {"-", "<stdin>"} else name
    data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise InvalidRequestError(
            f"{name}: longer than {_MOST_BYTES:,} bytes, so it is not a proof"
        )
    proof = read_proof(data, name)
    verdict = verify_proof(proof)
    show(verdict_text(verdict, proof), verdict_data(verdict, proof), as_json=as_json)
    if not verdict.holds:
        context.exit(EXIT_NOT_AS_COMMITTED)


def read_proof(data: bytes, name: str) -> Proof:
    """The proof in a file; raises InvalidRequestError, which names the file."""
    try:
        return Proof.model_validate_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidRequestError(f"{name}: not UTF-8 text; a proof is JSON in UTF-8") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            reason = f"not JSON, {first['ctx']['error']}"
        else:
            where = ".".join(map(str, first["loc"]))
            message = first["msg"][0].lower() + first["msg"][1:]
            reason = f"not a proof of dice, {where + ': ' if where else ''}{message}"
        raise InvalidRequestError(f"{name}: {_printable(reason)}") from None


def verdict_text(verdict: Verdict, proof: Proof) -> str:
    """A line for each problem, or one that says there is none and what to compare by eye."""
    if not verdict.holds:
        return "\n".join(verdict.problems)
    game = _printable(proof.game)
    lines = [
        {
            0: f"Game {game} has no rolls; its secret is as committed.",
            1: f"The one roll of game {game} is as committed.",
        }.get(verdict.rolls, f"All {verdict.rolls:,} rolls of game {game} are as committed."),
        "Compare this commitment with the one shown before the game:",
        proof.commitment,
        "A proof says nothing about dice that it leaves out: compare its rolls with the game, too.",
    ]
    if not proof.seeds:
        lines.append("No player gave a seed, so the host may have chosen the secret.")
    return "\n".join(lines)


def verdict_data(verdict: Verdict, proof: Proof) -> dict[str, Any]:
    """A verdict for programs."""
    return {
        "game": proof.game,
        "commitment": proof.commitment,
        "seeds": len(proof.seeds),
        "rolls": verdict.rolls,
        "as_committed": verdict.holds,
        "problems": list(verdict.problems),
    }


def _printable(text: str) -> str:
    """Text of a stranger's file, fit for a terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
