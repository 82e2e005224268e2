"""The wheel holds all that the program needs, says what it is, and works outside the checkout."""

import os
import subprocess
import sys
import sysconfig
import venv
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from bot.settings import CHECKOUT
from solver.rules.file import preset_names

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel, which finds other packages here."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, symlinks=True)
    places = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=places))
    with ZipFile(wheel) as archive:
        archive.extractall(site)
    here = {sysconfig.get_path("purelib"), *(one for one in sys.path if "site-packages" in one)}
    (site / "others.pth").write_text("\n".join(sorted(here)))
    return Path(sysconfig.get_path("scripts", "venv", vars=places)) / "python"


def run(python: Path, folder: Path, data: Path, *words: str, typed: str = "") -> str:
    environment = {**os.environ, "FARKLE_DATA": str(data)}
    environment.pop("PYTHONPATH", None)
    how: Any = {"cwd": folder, "env": environment, "input": typed, "text": True}
    done = subprocess.run([python, *words], capture_output=True, check=False, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_is_in_it(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if "." not in top} == {"farkle_advisor", "bot", "solver"}
    assert {"farkle_advisor/py.typed", "solver/py.typed", "bot/catalogues/de.po"} <= set(names)
    assert {"solver/named/dice.toml", "solver/named/badges.toml"} <= set(names)
    assert [name for name in preset_names() if f"solver/presets/{name}.toml" not in names] == []
    code = [*CHECKOUT.glob("farkle_advisor/**/*.py"), *CHECKOUT.glob("[bs]o*/**/*.py")]
    assert {str(path.relative_to(CHECKOUT).as_posix()) for path in code} <= set(names)


def test_what_it_says_of_itself(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        [name] = [one for one in archive.namelist() if one.endswith("dist-info/METADATA")]
        told: Message = Parser().parsestr(archive.read(name).decode())
    assert told["Name"] == "farkle-advisor"
    assert "Typing :: Typed" in told.get_all("Classifier", [])
    assert {"Literature", "Applications of Discord"} <= {
        url.partition(",")[0] for url in told.get_all("Project-URL", [])
    }
    assert "farkle" in told["Keywords"].split(",")


def test_a_script_runs_outside_the_checkout_and_is_typed(
    python: Path, data: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text((Path(__file__).parent / "script.py").read_text())
    assert run(python, tmp_path, data, "script.py").startswith("5 roll roll ")
    where = run(python, tmp_path, data, "-c", "import farkle_advisor as one; print(one.__file__)")
    assert not Path(where.strip()).is_relative_to(CHECKOUT)
    checked = ["-m", "mypy", "--strict", "--python-executable", str(python), "script.py"]
    assert run(Path(sys.executable), tmp_path, data, *checked).startswith("Success")
    # what it gives has types of its own, and is not Any
    script.write_text(script.read_text().replace("best: Option | None =", "best: int ="))
    with pytest.raises(AssertionError, match="Incompatible types in assignment"):
        run(Path(sys.executable), tmp_path, data, *checked)


def test_a_chat_answers_outside_the_checkout(python: Path, data: Path, tmp_path: Path) -> None:
    told = run(python, tmp_path, data, "-m", "bot", "chat", typed="/advise 6 5 3 3 3 2\n/quit\n")
    assert "keep 5         50 points   turn 50  5 dice  roll  51.10 %  best" in told
