"""What a release and a container are made of, as far as that is told without an engine."""

import hashlib
import json
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml

from bot.settings import CHECKOUT, Settings

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
    assert f":{bot['environment']['FARKLE_HTTP']}/readyz" in bot["healthcheck"]["test"][-1]
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
