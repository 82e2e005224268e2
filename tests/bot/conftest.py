"""What tests of the whole program need."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from zlib import crc32

import pytest

from bot.features import keepers
from bot.services import tables
from solver.game.best import Strategy
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.rules.file import load_rules
from solver.rules.ruleset import Ruleset
from solver.rules.writer import rules_toml
from solver.strategy import open_strategy, save_strategy
from tests.bot.known_dice import known_secrets
from tests.bot.speaking import Chat, open_chat
from tests.conftest import rules_file

keepers()  # the tables of features are known once these are loaded


@pytest.fixture(autouse=True)
def _this_process_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line called in a test does not end the process of the tests."""
    monkeypatch.setattr("bot.starting.leave", sys.exit)


@pytest.fixture(autouse=True)
def _dice_of_a_test_are_known(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games begun in a test roll what they rolled in it before: nothing hangs on luck."""
    name = request.node.nodeid
    # tests of a module may share a database, where two games cannot have one id
    monkeypatch.setattr(tables, "secrets", known_secrets(name, first_id=crc32(name.encode())))


@pytest.fixture
def folder(tmp_path: Path, data: Path, tiny: Solution) -> Path:
    """A data folder with the rules tiny.toml, which are solved, and the presets that are."""
    strategies = tmp_path / "strategies"
    strategies.mkdir()
    for path in (data / "strategies").glob("[!.]*"):
        (strategies / path.name).symlink_to(path)
    save_strategy(tiny, strategies)
    rules_file(tmp_path / "tiny.toml")
    return tmp_path


@pytest.fixture(scope="module")
def solved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, kernels: Path
) -> Path:
    """A data folder with the solved RULES of a module of tests."""
    rules: Ruleset = request.module.RULES
    folder = tmp_path_factory.mktemp("solved")
    (folder / f"{rules.name}.toml").write_text(rules_toml(rules, ""))
    save_strategy(solve(rules, cache=kernels), folder / "strategies")
    return folder


@pytest.fixture
async def solved_chat(solved: Path, tmp_path: Path) -> AsyncIterator[Chat]:
    """A chat with the strategies of a module of tests, and no games yet."""
    async with open_chat(tmp_path, solved / "strategies") as opened:
        yield opened


@pytest.fixture
def strategy(request: pytest.FixtureRequest, solved: Path) -> Strategy:
    """The strategy of the RULES of a module of tests."""
    return open_strategy(solved / "strategies", request.module.RULES)


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the games that `tests.bot.damage.make_world` makes once."""
    return tmp_path_factory.mktemp("sound")


@pytest.fixture
def rules(folder: Path) -> Ruleset:
    """Those of tiny.toml in the data folder."""
    return load_rules(str(folder / "tiny.toml"))


@pytest.fixture
async def solving_chat(tmp_path: Path, kernels: Path) -> AsyncIterator[Chat]:
    """A chat without strategies, but with the tests' compiled code."""
    (tmp_path / "kernels").symlink_to(kernels)
    async with open_chat(tmp_path) as opened:
        yield opened
