import json
from hashlib import sha256
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from bot.cli.verify import verify
from bot.table.fair_dice import Proof, commitment, fair_roll, prove
from solver.errors import InvalidRequestError

SECRET = sha256(b"cli").digest()
SEEDS = [(0, "ann"), (1, "bob")]


def proof_of(rolls: int, seeds: list[tuple[int, str]] = SEEDS, game: str = "7") -> Proof:
    thrown = [fair_roll(SECRET, game, seeds, n, 6) for n in range(1, rolls + 1)]
    return prove(game, SECRET, seeds, [(None, (), dice) for dice in thrown])


def run(data: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(verify, ["-", *options], input=data)


@pytest.mark.parametrize(
    ("rolls", "said"),
    [
        (0, "Game 7 has no rolls; its secret is as committed."),
        (1, "The one roll of game 7 is as committed."),
        (1200, "All 1,200 rolls of game 7 are as committed."),
    ],
)
def test_a_proof_that_holds(rolls: int, said: str) -> None:
    result = run(proof_of(rolls).to_json())
    assert result.exit_code == 0
    assert result.output.split("\n") == [
        said,
        "Compare this commitment with the one shown before the game:",
        commitment(SECRET),
        "A proof says nothing about dice that it leaves out: compare its rolls with the game, too.",
        "",
    ]


def test_without_seeds_the_host_may_have_chosen() -> None:
    assert "No player gave a seed" in run(proof_of(1, []).to_json()).output


def test_a_file_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(proof_of(2).to_json(), encoding="utf-8-sig")
    result = CliRunner().invoke(verify, [str(path)])
    assert (result.exit_code, result.output[:10]) == (0, "All 2 roll")


def test_a_line_for_each_problem() -> None:
    data = json.loads(proof_of(4).to_json())
    data["seeds"][0]["text"] = "another"
    result = run(json.dumps(data))
    assert result.exit_code == 1
    assert [line[:9] for line in result.output.splitlines()] == [
        f"Roll {n} is" for n in range(1, 5)
    ]  # fmt: skip


def test_json() -> None:
    data = json.loads(proof_of(2).to_json())
    assert json.loads(run(json.dumps(data), "--json").output) == {
        "game": "7",
        "commitment": commitment(SECRET),
        "seeds": 2,
        "rolls": 2,
        "as_committed": True,
        "problems": [],
    }
    result = run(json.dumps({**data, "commitment": "0" * 64}), "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert (found["as_committed"], len(found["problems"])) == (False, 1)


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in run(proof_of(1, game="\x1b[31m").to_json()).output
    with pytest.raises(InvalidRequestError) as raised:
        CliRunner().invoke(verify, ["-"], input='{"\\u001b[31m": 1}', catch_exceptions=False)
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "standard input: not JSON"),
        (b"{", "standard input: not JSON"),
        (b"\xff\xfe", "standard input: not UTF-8 text"),
        (b"[]", "standard input: not a proof of dice, input should be an object"),
        (b"{}", "standard input: not a proof of dice, game: field required"),
        (b'{"game": "\\ud800"}', "standard input: not JSON"),
        (b"[" * 100_000, "standard input: not JSON"),
    ],
)
def test_bad_files_get_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        CliRunner().invoke(verify, ["-"], input=data, catch_exceptions=False)
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(click.BadParameter, match="No such file"):
        verify.main([str(tmp_path / "none.json")], standalone_mode=False)


def test_what_never_ends_is_no_proof() -> None:
    with pytest.raises(InvalidRequestError, match="longer than 20,000,000 bytes"):
        CliRunner().invoke(verify, ["/dev/zero"], catch_exceptions=False)
