"""Where compiled code is kept."""

import ast
from pathlib import Path

import pytest

import solver
from solver.batch.local import COMPILED, prefer_cache, sources_of_code


def test_whatever_kernels_take_from_others_is_part_of_what_their_code_is_named_after() -> None:
    folder = Path(solver.__path__[0])
    kernels = [*folder.rglob("*kernels.py")]
    assert len(kernels) > 5
    for file in kernels:
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            whole = folder.parent / node.module.replace(".", "/")
            for name in node.names:
                module = (whole / name.name if whole.is_dir() else whole).with_suffix(".py")
                if node.module.startswith("solver"):
                    assert any(module.match(pattern) for pattern in COMPILED), (file, module)


def test_only_what_was_compiled_from_other_sources_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, older, code = (tmp_path / name for name in ("turn.py", "older", sources_of_code()))
    turn.touch()
    older.mkdir()
    for is_there in (False, True):
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        prefer_cache(tmp_path)
        assert turn.exists()
        assert older.exists() == is_there
        code.mkdir(exist_ok=True)
        older.mkdir(exist_ok=True)
