"""`farkle duel` and `farkle best-response`, and the same in the chat."""

import csv
import io
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

from bot.cli.main import farkle
from bot.features.duels import cli
from bot.features.duels.service import duel_of, response_to
from bot.features.duels.view import (
    duel_data,
    duel_sheet,
    duel_text,
    response_data,
    response_sheet,
    response_text,
)
from bot.layout import on_phone
from bot.services.advisor import Advisor
from bot.services.reckoning import series
from solver.errors import FarkleError
from solver.game.best import Strategy
from solver.game.position import first_position
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.play.best_response import BestResponse, best_response
from solver.play.duel import Duel, Played
from solver.play.matches import strengths_of_levels
from solver.play.policies import MaxPoints
from solver.rules.file import load_rules, make_rules, read_rules
from solver.strategy import open_strategy, save_strategy
from solver.turn.points import BankFrom
from tests.bot.speaking import open_chat
from tests.conftest import rules_file, variant

DUEL = Duel(load_rules("facebook"), "optimal", "greedy", 0.61234, 0.5, 2.5e-13, 13)


def test_a_duel_in_words() -> None:
    assert duel_text(DUEL).splitlines() == [
        "Chance of optimal to win against greedy under facebook rules:",
        "  beginning  61.234 %",
        "  second     50.000 %",
        "  overall    55.617 %",
        "These chances are exact to within 2.5e-13. A score below -2,500 counts as",
        "  -2,500.",
    ]


def test_a_duel_with_games() -> None:
    played = Played(10_000, 1, 0.6100, 0.5040)
    text = duel_text(replace(DUEL, played=played)).splitlines()
    # 5,000 games each: 0.61 +- 1.96 sqrt(0.61 * 0.39 / 5000), and half the root of both for all
    assert text[1:5] == [
        "                exact  in 10,000 games       95 % interval",
        "  beginning  61.234 %         61.000 %  59.648 to 62.352 %",
        "  second     50.000 %         50.400 %  49.014 to 51.786 %",
        "  overall    55.617 %         55.700 %  54.732 to 56.668 %",
    ]
    assert played.agrees(DUEL)
    wrong = Played(10_000, 1, 0.5700, 0.5040)
    assert not wrong.agrees(DUEL)
    assert "please report it" in duel_text(replace(DUEL, played=wrong))
    assert duel_data(replace(DUEL, played=played))["played"]["beginning"]["rate"] == 0.61
    rows = list(csv.DictReader(io.StringIO(duel_sheet(replace(DUEL, played=played)).csv)))
    assert [row["chance"] for row in rows] == ["0.61234", "0.5", repr(DUEL.overall)]
    assert rows[1]["played"] == "0.504"


@pytest.fixture(scope="module")
def response(tiny: Solution, kernels: Path) -> BestResponse:
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    found, _ = best_response(MaxPoints(), strategy, cache=kernels)
    return found


@pytest.mark.slow
def test_where_a_file_has_a_lower_floor_contests_are_of_its_game(
    tmp_path: Path, kernels: Path
) -> None:
    game = {"dice": 3, "goal": 600, "farkle_penalty": {"in_a_row": 2, "points": 200}}
    asked, solved = (variant("kcd", **game, score_floor=floor) for floor in (-300, -600))
    save_strategy(solve(solved, cache=kernels), tmp_path)
    advisor = Advisor(tmp_path)
    found = response_to("cautious", advisor, kernels, asked)
    start = found.usual[0]
    assert (start.best, start.optimal) == (found.best.as_first, found.optimal.as_first)
    below, own = (duel_of(advisor, kernels, one, "optimal", "cautious") for one in (asked, solved))
    assert below.overall == own.overall == pytest.approx(found.optimal.overall)
    levels = strengths_of_levels(advisor.strategy(asked), cache=kernels).levels
    assert levels["cautious"].win_rate == pytest.approx(1 - own.overall)


@pytest.mark.slow
def test_a_worker_can_send_it_back(response: BestResponse) -> None:
    sent = pickle.loads(pickle.dumps(response))  # noqa: S301 - our own
    assert response_text(sent) == response_text(response)


def test_a_best_response_in_words(response: BestResponse) -> None:
    text = response_text(response)
    assert text.startswith("Chance to win against max-points under tiny rules:\n")
    assert f"wins {100 * response.gain:.3f} percentage points more than optimal play" in text
    assert "  me:them" in text
    assert max(map(len, text.splitlines())) < 80
    rows = list(csv.DictReader(io.StringIO(response_sheet(response).csv)))
    assert len(rows) == 2 * len(response.usual + response.greatest)
    assert (rows[0]["me"], rows[0]["them"], rows[0]["player"]) == ("0", "0", "best")


def test_a_star_tells_where_one_rolls_again_above(response: BestResponse) -> None:
    start = response.usual[0]
    stretch = BankFrom(3, 200, ((300, 350),))
    example = replace(start, best_banks=(stretch, *start.best_banks[1:]))
    starred = replace(response, usual=(example,), greatest=())
    with on_phone():
        narrow = response_text(starred)
    for text in (response_text(starred), narrow):
        assert "  200*" in text
        assert text.endswith("\n* better to roll again at some higher turn total")
    data = response_data(starred)["usual"][0]
    assert data["best_banks"][2] == 200
    assert data["best_bank_from"][0]["roll_again"] == ((300, 350),)


def test_what_is_nothing_but_for_rounding_is_not_told(response: BestResponse) -> None:
    tiny_change = duel_text(replace(DUEL, change=1e-19)).splitlines()[4]
    assert tiny_change.startswith("These chances are exact. ")
    even = replace(response, optimal=replace(response.best, as_first=response.best.as_first + 1e-9))
    assert "wins 0.000 percentage points more" in response_text(even)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels: Path) -> Path:
    """A data folder with the code that is compiled already."""
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    (tmp_path / "kernels").symlink_to(kernels)
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(farkle, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        return 1, str(result.exception)
    return result.exit_code, result.stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", [("duel", "cautious", "greedy"), ("best-response", "greedy")])
def test_how_long_it_takes_is_told_before(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    def stopped(*_: Any) -> None:
        raise FarkleError("stopped")

    for name in ("duel_of", "response_to"):
        monkeypatch.setattr(cli, name, stopped)
    monkeypatch.setattr(cli, "solved_first", lambda *_: None)
    result = CliRunner().invoke(farkle, [*arguments, "--rules", "kcd"])
    assert re.search(r"greedy, about \d+ (s|min) \.\.\.\n", result.stderr)


@pytest.mark.slow
def test_the_command_plays_games_to_check(folder: Path) -> None:
    path = rules_file(folder / "mine.toml")
    arguments = ["duel", "max-points", "threshold:200", "--rules", str(path)]
    status, out = run(*arguments, "--simulate", "4000", "--seed", "3", "--json")
    found: dict[str, Any] = json.loads(out)
    assert not status
    for name in ("beginning", "second", "overall"):
        played = found["played"][name]
        assert abs(found[name] - played["rate"]) < 4.5 * played["standard_error"]
    assert run(*arguments, "--csv")[1].splitlines()[0] == "rules,one,other,when,chance"


@pytest.mark.slow
def test_games_that_are_played_turn_by_turn_agree_with_what_is_exact(
    tiny: Solution, tmp_path: Path
) -> None:
    """By rules of which both can be told, and by rounds, of which the value of the start is."""
    save_strategy(tiny, tmp_path)
    rounds = make_rules({"name": "rounds", "rounds": 2, "dice": 2}, "rounds")
    save_strategy(solve(rounds, cache=tmp_path), tmp_path)
    advisor = Advisor(tmp_path)
    for rules in (tiny.rules, rounds):
        best = open_strategy(tmp_path, rules).win_probability(first_position(rules))
        wins = [won for won, _ in series(advisor, rules, ("optimal", "optimal"), 1_000, 3)]
        played = Played(1_000, 3, fmean(wins[::2]), fmean(wins[1::2]))
        for expected, (rate, error) in zip((best, 1 - best), played.rates, strict=False):
            assert abs(rate - expected) < 4.5 * error
    told = duel_of(advisor, tmp_path, rounds, "cautious", "optimal", games=400)
    assert told.played
    assert not told.is_exact
    assert told.overall < 0.5 + 4 * told.played.rates[2][1]
    assert "in 400 games" in (text := duel_text(told))
    assert "These chances are exact" not in text
    assert duel_data(told)["exact"] is False


@pytest.mark.slow
def test_the_names_of_policies_may_have_capitals(folder: Path) -> None:
    path = str(rules_file(folder / "mine.toml"))
    plain = run("duel", "greedy", "threshold:200", "--rules", path, "--json")
    assert run("duel", "Greedy", "THRESHOLD:200", "--rules", path, "--json") == plain


def test_what_cannot_be_asked(folder: Path) -> None:
    path = str(rules_file(folder / "mine.toml"))
    for name in ("threshold:", "threshold:0", "threshold:x", "threshold:-3", "threshold:9999999"):
        assert "as in threshold:300" in run("duel", name, "greedy", "--rules", path)[1]
    assert "turn-points-bank-wins" in run("duel", "turnpoints-bank-wins", "greedy")[1]
    assert 'unknown policy "nope"' in run("duel", "Nope", "greedy", "--rules", path)[1]
    assert "solve" in run("duel", "optimal", "greedy", "--rules", path)[1]
    assert "solve" in run("best-response", "greedy", "--rules", path)[1]


@pytest.mark.slow
async def test_the_chat_tells_them_as_well(folder: Path, tiny: Solution) -> None:
    path = rules_file(folder / "mine.toml")
    save_strategy(tiny, folder / "strategies")
    assert read_rules(path).digest == tiny.rules.digest
    async with open_chat(folder) as chat:
        text = await chat.say(f"ann: /duel greedy threshold:200 rules:{path}")
        assert "Chance of greedy to win against threshold:200 under mine rules:" in text
        text = await chat.say(f"ann: /best-response Greedy rules:{path}")
        assert "Chance to win against greedy under mine rules:" in text
        assert "takes two policies" in await chat.say("ann: /duel greedy")
        assert "takes a policy" in await chat.say("ann: /best-response")
        assert "Unknown policy" in await chat.say("ann: /best-response gredy")
        assert 'no option "treshold"' in await chat.say("ann: /duel greedy treshold:200")
