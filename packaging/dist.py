"""Makes all of a release in dist/: `make dist`.

The wheel and the sources, what is in it as an SBOM (CycloneDX) and as a list of licences, and
checksums of these files.
"""

# ruff: noqa: S603, T201 - it starts hatchling, and says what it made
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

CHECKOUT = Path(__file__).resolve().parents[1]


def needed(name: str, extras: frozenset[str], seen: dict[str, Distribution]) -> None:
    """Note a package that is installed here with all that it needs, by names in small letters."""
    key = name.lower().replace("_", "-")
    known = key in seen
    seen[key] = distribution(name)
    if known and not extras:
        return
    for line in seen[key].requires or ():
        wanted = Requirement(line)
        marker = wanted.marker
        if marker is None or any(marker.evaluate({"extra": one}) for one in extras or {""}):
            needed(wanted.name, frozenset(wanted.extras), seen)


def licence(package: Distribution) -> str:
    """The licence that a package says it has."""
    told = package.metadata
    classified = [
        one.rpartition(" :: ")[2]
        for one in told.get_all("Classifier") or ()
        if one.startswith("License ::")
    ]
    plain = (told.get("License") or "").strip().split("\n")[0]
    return told.get("License-Expression") or ", ".join(classified) or plain or "not said"


def component(package: Distribution) -> dict[str, object]:
    """A package as CycloneDX has it."""
    name, version = package.name, package.version
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name.lower().replace('_', '-')}@{version}",
        "licenses": [{"license": {"name": licence(package)}}],
    }


def sums(folder: Path) -> Iterator[str]:
    """A line for each file, as sha256sum writes and checks it."""
    for file in sorted(folder.iterdir()):
        yield f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"


def main(folder: Path) -> None:
    """Make the files in a new folder."""
    if folder.exists():
        shutil.rmtree(folder)
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(build, check=True, cwd=CHECKOUT)
    found: dict[str, Distribution] = {}
    needed("farkle-advisor", frozenset({"", "postgres"}), found)
    ours = found.pop("farkle-advisor")
    [wheel] = folder.glob("*.whl")
    version = wheel.name.split("-")[1]
    packages = [found[name] for name in sorted(found)]
    sbom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(ours) | {"type": "application", "version": version}},
        "components": [component(one) for one in packages],
    }
    (folder / "sbom.cdx.json").write_text(json.dumps(sbom, indent=2) + "\n", "utf-8")
    lines = [f"{one.name} {one.version}: {licence(one)}\n" for one in packages]
    (folder / "licences.txt").write_text("".join(lines), "utf-8")
    (folder / "SHA256SUMS").write_text("".join(sums(folder)), "utf-8")
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>10,} bytes  {file}")


if __name__ == "__main__":
    main(CHECKOUT / "dist")
