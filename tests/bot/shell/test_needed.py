"""What is asked about rules that are not solved: solved on the spot, or what to run."""

import re
from pathlib import Path

import pytest

from bot.services.advisor import Advisor
from bot.settings import Settings
from bot.shell import first_solve
from bot.tasks.solving import seconds_of_solve
from solver.batch.local import sources_of_code
from solver.errors import FarkleError
from solver.game.many_sweeps import solve_many
from solver.game.sweeps import solve
from solver.many_strategy import save_many
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.strategy import save_strategy
from tests.bot.cli.test_main import Farkle
from tests.house_rules import small

RULES = small(name="needed", goal=250, dice=2)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "needed.toml"
    path.write_text(rules_toml(RULES, ""))
    return str(path)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Farkle:
    monkeypatch.setenv("FARKLE_DATA", str(tmp_path))
    return Farkle(monkeypatch, capsys)


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch, kernels: Path) -> list[tuple[str, int]]:
    """What is solved on the spot, with code that is compiled already."""
    done: list[tuple[str, int]] = []

    def solve_now(settings: Settings, rules: Ruleset, players: int, _: float) -> None:
        done.append((rules.name, players))
        if players == 2:
            save_strategy(solve(rules, cache=kernels), settings.strategies)
        else:
            save_many(solve_many(rules, players, cache=kernels), settings.strategies)

    monkeypatch.setattr(first_solve, "solve_with_share", solve_now)
    return done


def within(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setenv("FARKLE_NEEDED_SECONDS", str(seconds))


def test_what_takes_seconds_is_solved_on_the_spot(
    run: Farkle, file: str, solves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    within(monkeypatch, 60)
    asked = "odds", "--rules", file, "--me", "100", "--them", "150"
    first = run(*asked)
    assert (first[0], first[1].startswith("you 100, them 150, 2 dice")) == (0, True)
    assert run(*asked) == (0, first[1], "")
    run("odds", "--rules", file, "--goal", "200")
    run("advise", "51", "--rules", file, "--them", "0,0")
    run("turn", "--rules", file, "--goal", "300")
    run("komi", file)
    assert solves == [("needed", 2), ("needed-200", 2), ("needed", 3), ("needed-300", 2)]


def test_odds_are_those_of_the_strategy(
    run: Farkle, file: str, tmp_path: Path, kernels: Path
) -> None:
    save_strategy(solve(RULES, cache=kernels), tmp_path / "strategies")
    found = run.json("odds", "--rules", file, "--dice", "1", "--turn", "100", "--them", "150")
    advice = run.json("advise", "1", "--rules", file, "--turn", "50", "--them", "150")
    strategy = Advisor(tmp_path / "strategies").strategy(RULES)
    assert found["rules"] == strategy.rules.name
    assert (found["position"]["turn_total"], found["position"]["dice"]) == (100, 1)
    assert 0 < found["roll"] < 1
    assert 0 < found["bank"] < 1
    assert advice["options"]
    status, _, err = run("odds", "--rules", file, "--turn", "100")
    assert (status, "say how many dice are left" in err) == (2, True)


def test_who_asks_what_cannot_be_is_told_before_a_solve(
    run: Farkle, file: str, solves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    within(monkeypatch, 60)
    for words, problem in (
        (("advise", "51", "--me", "30"), "your score cannot be 30"),
        (("advise", "77"), "7"),
        (("odds", "--turn", "50"), "say how many dice are left"),
        (("odds", "--me", "0", "--them", "0,30"), "cannot be 30"),
        (("turn", "--them", "50,50"), "this works for two players"),
        (("odds", "--goal", "20"), "the goal cannot be 20"),
    ):
        status, out, err = run(*words, "--rules", file)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert problem in err
    assert solves == []


def test_three_are_estimated_where_only_two_can_be_waited_for(
    run: Farkle, file: str, solves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    two, three = (seconds_of_solve(RULES, players) for players in (2, 3))
    assert two < three
    within(monkeypatch, (two + three) / 2)
    status, out, err = run("odds", "--rules", file, "--them", "100,150")
    assert solves == [("needed", 2)]
    assert (status, "These chances are estimates" in " ".join(out.split())) == (0, True)
    assert f"run: farkle solve {file} --players 3 (about " in err


def test_three_are_estimated_where_nobody_can_be_waited_for(
    run: Farkle, file: str, solves: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    within(monkeypatch, 0)
    status, out, err = run("odds", "--rules", file, "--them", "100,150")
    assert solves == []
    assert (status, "These chances are estimates" in " ".join(out.split())) == (0, True)
    assert f"run: farkle solve {file} --players 3 (about " in err


def test_what_takes_long_is_told_with_its_time(run: Farkle) -> None:
    for words, rules in (
        (("odds", "--rules", "kcd", "--goal", "3000"), "kcd --goal 3000"),
        (("position", "J8F1-1HVK-8TGB-J"), "kcd --goal 3000"),
        (("komi", "classic"), "classic"),
        (("duel", "optimal", "greedy", "--rules", "classic"), "classic"),
    ):
        status, out, err = run(*words)
        assert (status, out) == (2, "")
        assert re.search(rf"; run: farkle solve {rules} \(about \d+ s\)\n$", err)


def test_that_code_is_compiled_first_is_told(
    run: Farkle, file: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class EnoughError(FarkleError):
        pass

    def share_progress(_: str, *, seconds: float, quietly: bool, **__: float) -> None:
        assert not quietly
        raise EnoughError(f"{seconds:.0f} s")

    within(monkeypatch, 60)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(first_solve, "share_progress", share_progress)

    def seconds() -> int:
        _, _, err = run("odds", "--rules", file)
        [told] = re.findall(r"(\d+) s\n", err)
        return int(told)

    first = seconds()
    for sources, is_current in (("older", False), (sources_of_code(), True)):
        code = tmp_path / "kernels" / sources / "game" / "sweep_kernels.sweep-1.py311.nbi"
        code.parent.mkdir(parents=True)
        code.touch()
        assert (seconds() < first) == is_current


@pytest.mark.slow
def test_a_solve_on_the_spot_is_told_in_one_line(
    run: Farkle, file: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    within(monkeypatch, 60)
    for number, scores in ((2, "0"), (3, "0,0")):
        status, out, err = run("odds", "--rules", file, "--them", scores)
        assert (status, out[:4]) == (0, "you ")
        assert err.startswith(f"solving needed for {number} players, about ")
        assert err.count("\n") == 1
        assert Advisor(tmp_path / "strategies").solved_for(RULES, number)
    assert load_rules(file).digest == RULES.digest
