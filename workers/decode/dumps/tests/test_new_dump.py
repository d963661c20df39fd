"""A dump format that is begun from its skeleton is found by its module, and its own test holds."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.new_skeleton import new_dump
from workers.decode import dumps
from workers.decode.dumps.formats import dump_formats

NAME = "skeleton-of-a-test"


@pytest.fixture
def fresh_formats() -> Iterator[None]:
    """The list of formats is kept: what a test adds goes after it."""
    dump_formats.cache_clear()
    yield
    dump_formats.cache_clear()
    sys.modules.pop(f"{dumps.__name__}.skeleton_of_a_test", None)


@pytest.mark.usefixtures("fresh_formats")
def test_a_new_dump_format_reads_its_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, sample, test = new_dump(tmp_path, NAME)
    monkeypatch.setattr(dumps, "__path__", [*dumps.__path__, str(module.parent)])
    assert NAME in {each.KIND for each in dump_formats()}
    assert sample.is_file()
    spec = importlib.util.spec_from_file_location("test_skeleton_of_a_test", test)
    assert spec is not None
    assert spec.loader is not None
    own_test = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own_test)
    checks = [check for name, check in vars(own_test).items() if name.startswith("test_")]
    assert len(checks) == 4
    for check in checks:
        check()
