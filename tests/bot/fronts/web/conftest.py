"""A site for tests of the web front."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.fronts.web.visiting import Site, Visit, open_site


@pytest.fixture
async def site(data: Path, tmp_path: Path) -> AsyncIterator[Site]:
    """Pages with the presets that are solved for tests, and no games yet."""
    (tmp_path / "kernels").symlink_to(data / "kernels")
    async with open_site(tmp_path, data / "strategies") as opened:
        yield opened


@pytest.fixture
async def visit(site: Site) -> AsyncIterator[Visit]:
    """Somebody who visits."""
    async with site.visitor() as visitor:
        yield visitor
