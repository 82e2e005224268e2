"""What a release and a container are made of, as far as that is told without an engine."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.settings import CHECKOUT, Settings
from tests.conftest import only_with_every

COMPOSE: Any = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text("utf-8"))
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text("utf-8")


@pytest.mark.parametrize("name", ["solver", "bot", "discord"])
def test_a_container_may_do_little(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["user"] == "${FARKLE_USER:-1000:1000}"
    assert service["volumes"] == ["data:/data"]


def test_the_bot_is_started_again_and_watched() -> None:
    bot = COMPOSE["services"]["discord"]
    assert bot["restart"] == COMPOSE["services"]["postgres"]["restart"] == "unless-stopped"
    assert bot["secrets"] == list(COMPOSE["secrets"])
    known = {f"FARKLE_{name}".upper() for name in Settings.model_fields} | {"DISCORD_TOKEN_FILE"}
    assert set(bot["environment"]) <= known
    assert bot["environment"]["FARKLE_HTTP"] == "${FARKLE_HTTP:-8080}"
    assert ":8080/readyz" in bot["healthcheck"]["test"][-1]
    assert COMPOSE["services"]["postgres"]["profiles"] == ["postgres"]


def test_the_image_is_built_of_what_is_there_and_has_no_root() -> None:
    copied = [line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ")]
    for sources in copied:
        if not sources[0].startswith("--from"):
            assert all((CHECKOUT / source).exists() for source in sources)
    needed = {"pyproject.toml", "README.md", "LICENSE", "bot", "solver", "farkle_advisor"}
    assert needed <= {one for sources in copied for one in sources}
    last = DOCKERFILE[DOCKERFILE.rindex("FROM ") :]
    assert last.index("USER 1000") < last.index("ENTRYPOINT")


@only_with_every
def test_the_steps_of_the_image_make_a_program_that_runs(tmp_path: Path) -> None:
    """In a clean folder; what only a container engine does, the base and the user, is not tried."""
    build, _, run = DOCKERFILE.rpartition("\nFROM ")
    sources, program = tmp_path / "src", tmp_path / "opt" / "farkle"
    sources.mkdir()
    for line in build.splitlines():
        step, _, rest = line.partition(" ")
        if step == "COPY":
            *names, target = rest.split()
            for name in names:
                here, there = CHECKOUT / name, sources / (target if len(names) == 1 else name)
                copy: Any = shutil.copytree if here.is_dir() else shutil.copy
                copy(here, there)
        elif step == "RUN":
            command = rest.replace("/opt/farkle", str(program))
            command = re.sub("^pip ", f"{sys.executable} -m pip ", command)
            subprocess.run(command, shell=True, check=True, cwd=sources)  # noqa: S602 - our own
    variables = re.findall(r"([A-Z_]+)=(\S+)", run[run.index("ENV ") :].split("\n")[0])
    environment = {
        name: value.replace("/opt/farkle", str(program)).replace("$PATH", os.environ["PATH"])
        for name, value in variables
    } | {"FARKLE_DATA": str(tmp_path / "data")}

    def said(command: str, typed: str = "") -> str:
        words = [str(program / "bin" / "farkle"), *command.split()]
        how: Any = {"env": environment, "cwd": tmp_path, "input": typed, "text": True}
        return str(subprocess.run(words, check=True, stdout=subprocess.PIPE, **how).stdout)

    said(COMPOSE["services"]["solver"]["command"])
    told = said(COMPOSE["services"]["bot"]["command"], "/advise 6 5 3 3 3 2\n")
    assert "51.10 %  best" in told
    environment["DISCORD_TOKEN"] = "a.b.c"  # noqa: S105 - it is none
    assert "All is well" in said("discord --check")


@pytest.mark.slow
def test_a_release_is_whole() -> None:
    command = [sys.executable, "packaging/dist.py"]
    subprocess.run(command, check=True, cwd=CHECKOUT, stdout=subprocess.DEVNULL)
    folder = CHECKOUT / "dist"
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {one.name for one in folder.iterdir()}
    stem = f"farkle_advisor-{project['version']}"
    assert {f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"} <= names
    for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        names.remove(name)
    assert names == {"SHA256SUMS"}
    sbom = json.loads((folder / "sbom.cdx.json").read_text("utf-8"))
    assert sbom["metadata"]["component"]["version"] == project["version"]
    listed = {one["name"].lower() for one in sbom["components"]}
    assert {"numpy", "discord.py", "sqlalchemy", "asyncpg", "greenlet"} <= listed
    assert not {"pytest", "ruff", "dask"} & listed
    licences = (folder / "licences.txt").read_text("utf-8")
    assert len(licences.splitlines()) == len(listed)
    assert "not said" not in licences
