"""Pages as files: every link leads to one, and nothing is left that needs the program."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import html5lib
import pytest

from bot.chat.commands import Reply
from bot.cli.web import site_command
from bot.fronts.web.answers import Answers
from bot.fronts.web.site import site_pages, write_library, write_site
from bot.settings import Settings
from bot.tasks import workers
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.strategy import save_strategy
from tests.bot.fronts.web.visiting import open_site
from tests.conftest import only_with_every, rules_file


@pytest.mark.slow
async def test_every_link_of_a_site_leads_to_a_file(tiny: Solution, tmp_path: Path) -> None:
    path = rules_file(tmp_path / "tiny.toml")
    save_strategy(tiny, tmp_path / "strategies")
    out = tmp_path / "out" / "site"
    async with open_site(tmp_path, tmp_path / "strategies", allow_files=True) as site:
        number = await write_site(site.base, "de", load_rules(str(path)), str(path), out)
    files = {one.name for one in out.iterdir()}
    assert len(files) == number
    # every number of dice up to three, whatever their order
    assert len([one for one in files if one.startswith("roll-")]) == 6 + 21 + 56
    for file in out.glob("*.html"):
        text = file.read_text("utf-8")
        page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
        assert page.get("lang") == "de"
        names = "href", "src", "srcset"
        links = [one.get(name) for one in page.iter() for name in names if one.get(name)]
        assert {link for link in links if not link.startswith("#")} <= files, file.name
        assert not list(page.iter("form"))
        assert not list(page.iter("script"))
    rolled = (out / "roll-125.html").read_text("utf-8")
    assert "histogram" in rolled
    assert 'href="roll-25.html"' in rolled
    assert "https://" not in rolled


def test_a_site_has_maps_over_scores_where_there_are_such() -> None:
    """Games of a number of rounds have none, and where throws combine no border is said."""

    def maps(rules: Ruleset) -> set[str]:
        return {one for one in site_pages(rules, "ours") if one.startswith(("win", "border"))}

    both = {"win-light.svg", "win-dark.svg", "border-light.svg", "border-dark.svg"}
    assert maps(load_rules("kcd")) == both
    combining = load_rules("kcd").model_copy(update={"combine_throws": True})
    assert maps(combining) == {"win-light.svg", "win-dark.svg"}
    assert not maps(load_rules("aetolia"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "number"), [("pig", 19), pytest.param("kcd", 936, marks=only_with_every)]
)
def test_the_command_writes_a_preset(
    preset: str,
    number: int,
    kernels: Path,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It does so without workers, which are ended on a busy machine before a picture is there."""
    monkeypatch.setattr(workers, "WORKER", ("-c", "raise SystemExit(1)"))
    if preset == "pig":
        save_strategy(solve(load_rules(preset), cache=kernels), tmp_path / "strategies")
    else:
        (tmp_path / "strategies").symlink_to(data / "strategies")
    arguments = [str(tmp_path / "out"), "--rules", preset]
    site_command.main(arguments, standalone_mode=False, obj=Settings(data=tmp_path, workers=1))
    assert f"{number} files" in capsys.readouterr().out
    assert len(list((tmp_path / "out").iterdir())) == number


async def test_who_is_patient_waits_for_an_answer_however_long_it_takes() -> None:
    told = asyncio.Event()

    async def answer() -> AsyncIterator[Reply]:
        await told.wait()
        yield Reply({}, lambda _: "done")

    commands: Any = None  # none are given
    hasty, patient = Answers(commands), Answers(commands, is_patient=True)
    assert not (await hasty.to("question", answer, patience=0)).is_done
    waiting = asyncio.ensure_future(patient.to("question", answer, patience=0))
    assert not (await hasty.to("question", answer, patience=0)).is_done
    assert not waiting.done()
    told.set()
    assert [one.text for one in (await waiting).replies] == ["done"]
    await hasty.close()


async def test_a_library_leads_to_the_sites_of_its_rules(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with open_site(tmp_path, tmp_path / "strategies") as site:
        assert await write_library(site.base, "en", ["kcd", "zilch"], out) == 3
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(
        (out / "index.html").read_text("utf-8")
    )
    links = {one.get("href") for one in page.iter("a")} - {"#main", "index.html"}
    assert links == {"kcd/rules.html", "zilch/rules.html"}
