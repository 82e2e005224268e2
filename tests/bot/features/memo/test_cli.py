"""`farkle memo` and `/memo`: the page, as text, data and pictures."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.main import farkle
from bot.features.memo.service import known_memo, memo_answer
from bot.features.memo.view import memo_picture
from bot.fronts.lines import spoken_by
from bot.services.advisor import Advisor
from bot.services.policies import policy_of
from bot.tasks.tasks import TaskLimits
from solver.game.standings import Solution
from solver.play.policies import make_policy
from solver.rules.file import read_rules
from solver.strategy import save_strategy
from tests.bot.speaking import open_chat
from tests.conftest import rules_file


@pytest.fixture(scope="module")
def folder(tiny: Solution, kernels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the tiny game, of which all is known."""
    tmp_path = tmp_path_factory.mktemp("memo")
    save_strategy(tiny, tmp_path / "data" / "strategies")
    rules = read_rules(rules_file(tmp_path / "tiny.toml"))
    advisor = Advisor(tmp_path / "data" / "strategies")
    found = memo_answer(advisor, kernels, rules)
    assert found.study == known_memo(advisor, rules).study
    assert policy_of(advisor, "memo-go-for-it", rules).name == "memo-go-for-it"
    return tmp_path


def run(folder: Path, *words: str) -> str:
    return told(folder, *words)[0]


def told(folder: Path, *words: str) -> tuple[str, str]:
    """What is printed, and what is told beside it."""
    done = CliRunner(env={"FARKLE_DATA": str(folder / "data")}).invoke(
        farkle, ["memo", *words], catch_exceptions=False
    )
    assert done.exit_code == 0
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_page_of_a_solved_game(folder: Path) -> None:
    rules = str(folder / "tiny.toml")
    text = run(folder, rules, "--out", str(folder / "page.pdf"))
    head = "A table to memorise: tiny rules:\nAcross: dice left to roll."
    assert text.startswith(head)
    assert "Numbers: turn totals.\n  worth  3 dice  2 dice  1 die\n" in text
    for part in ("When to risk everything", "A rule of thumb", "How often it wins", "optimal play"):
        assert part in text
    assert max(map(len, text.splitlines())) < 80
    assert (folder / "page.pdf").read_bytes().startswith(b"%PDF-")
    data = json.loads(run(folder, rules, "--json"))
    assert data["unit"] == 50
    assert data["study"]["memo"]["as_first"] < data["study"]["optimal"]
    rows = list(csv.DictReader(io.StringIO(run(folder, rules, "--csv"))))
    assert [int(row["turn_total"]) for row in rows if row["dice"] == "1"] == [
        one["turn_total"] for one in data["columns"][-1]["breaks"]
    ]


def test_a_page_of_rules_that_are_not_solved(tmp_path: Path) -> None:
    text, error = told(tmp_path, "zilch", "--unit", "100")
    assert "farkle solve zilch" in error
    assert "can be worked out once the rules zilch are solved." in " ".join(text.split())
    assert "1,850" in text  # from there on five dice gain 100 points at most
    assert "Go for it" not in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["kcd", "--unit", "0"], "the unit of a table cannot be 0"),
        (["kcd", "--out", "page.jpg"], "ends in .png, .svg or .pdf, not in '.jpg'"),
        (["kcd", "--out", "no/such/page.png"], "no/such/page.png: there is no folder no/such"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, words: list[str], told: str) -> None:
    done = CliRunner(env={"FARKLE_DATA": str(tmp_path)}).invoke(farkle, ["memo", *words])
    assert told in str(done.exception)


@pytest.mark.slow
async def test_the_page_in_the_chat(folder: Path) -> None:
    async with open_chat(folder / "data") as chat:
        reply = await chat.answer(f"/memo rules:{folder / 'tiny.toml'}")
        assert reply.text.startswith("A table to memorise: tiny rules:")
        assert reply.data["study"]["rules"] == "tiny"
        card = reply.card()
        assert card.text.startswith("**A table to memorise: tiny rules**\n```text\n")
        assert "\nIf you play by it, you win " in card.text
        [picture] = card.attachments
        assert picture.content == memo_picture(reply.subject)
        assert picture.content.startswith(b"\x89PNG")
        assert "it is 1 to 1,000,000" in await chat.say("/memo rules:zilch unit:0")
        played = await chat.say(f"/match memo-go-for-it memo games:1 rules:{folder / 'tiny.toml'}")
        assert "Memo-go-for-it bot" in played


@pytest.mark.slow
async def test_what_takes_too_long_is_worked_out_by_the_command_that_the_page_names(
    tiny: Solution, tmp_path: Path
) -> None:
    save_strategy(tiny, tmp_path / "data" / "strategies")
    async with open_chat(tmp_path / "data") as chat:
        chat.tasks.limits = TaskLimits(seconds=1)
        line = f"/memo rules:{rules_file(tmp_path / 'tiny.toml')} unit:100"
        page = await chat.answer(line)
        assert page.data["study"] is None
        assert page.text.startswith("A table to memorise: tiny rules:")
        found = re.search(r"run (farkle memo (.+)) once where", " ".join(page.text.split()))
        assert found is not None
        worked_out = run(tmp_path, *shlex.split(found[2]))
        [whole] = await chat.all(line)
        assert whole.data["study"]["unit"] == 100
        assert whole.data["study"]["memo_go_for_it"]["as_first"] > 0.4
        assert f"{whole.text}\n" == worked_out
        chat.tasks.limits = TaskLimits(person=1)
        async with chat.tasks.task(spoken_by("")[0].asker, "another", each=1):
            page, refusal = await chat.all(line.replace("100", "50"))
        assert "farkle memo" in page.text
        assert "the most one person may have" in refusal.text


async def test_levels_that_need_more_say_so(tmp_path: Path) -> None:
    async with open_chat(tmp_path) as new:
        told = await new.say("/match memo-go-for-it memo games:1 rules:kcd")
        assert "which is not worked out" in told
    assert make_policy("memo").looks_at == ()
