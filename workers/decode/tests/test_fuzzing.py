"""The loop as plain Python says what the compiled one says; a fuzzer finds nothing that breaks either."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workers.decode.tests.fuzz.seeds import seeds
from workers.decode.tests.fuzz.targets import TARGETS

SEARCH_S = 30
every_target = pytest.mark.parametrize("target", TARGETS)


def _run(module: str, *words: str) -> str:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-m", f"workers.decode.tests.{module}", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@every_target
def test_plain_and_compiled_say_the_same(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STALLSCOPE_EXTRA_CAPTURES", raising=False)  # those come with the search
    inputs = list(seeds(target))
    for number, seed in enumerate(inputs):
        (tmp_path / f"{number:04d}").write_bytes(seed)
    plain = [
        line.split(" ", 1)[1] for line in _run("fuzz.replay", "--plain", target, str(tmp_path)).splitlines()
    ]
    assert plain == [TARGETS[target](seed, True) for seed in inputs]


@pytest.mark.long
@every_target
def test_a_search_finds_nothing(target: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed (requirements-fuzz.txt)")
    _run("fuzz", target, str(tmp_path), "--seconds", str(SEARCH_S))
    assert list(tmp_path.glob("failed-*")) == []
    found = _run("fuzz.replay", target, str(tmp_path))
    assert found == _run("fuzz.replay", "--plain", target, str(tmp_path))
