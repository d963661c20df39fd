"""A detector, a cause or an endpoint that is begun from its skeleton holds what every other one holds."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import pytest
from fastapi.routing import iter_route_contexts

from backend import services
from backend.api import routes
from backend.api.tests.test_text_classes import without_class
from backend.forensics import cases, detectors
from backend.forensics.diagnosis import causes
from backend.forensics.tests.samples import highest_severity, load_samples
from backend.services.redaction.declared import declared_by
from backend.tests.new_skeleton import APPLICATION, RULES, new_cause, new_detector, new_endpoint

ROOT = Path(__file__).parents[2]
NAME = "skeleton-of-a-test"
MODULE = NAME.replace("-", "_")


def _is_clean(files: list[Path]) -> bool:
    names = [str(path) for path in files if path.suffix == ".py"]
    checks = (["check"], ["format", "--check"])
    ran = [
        subprocess.run(
            [sys.executable, "-m", "ruff", *check, "--config", ROOT / "pyproject.toml", *names], check=False
        )
        for check in checks
    ]
    return not any(each.returncode for each in ran)


def test_a_new_detector_judges_its_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = new_detector(tmp_path, NAME)
    assert _is_clean(written)
    for package, folder in ((detectors, "detectors"), (cases, "cases")):
        more = str(tmp_path / "backend/forensics" / folder)
        monkeypatch.setattr(package, "__path__", [*package.__path__, more])
    module = importlib.import_module(f"{detectors.__name__}.{MODULE}.detector")
    assert module.KIND == NAME
    samples = load_samples(f"{detectors.__name__}.{MODULE}.tests.samples")
    assert {sample.sort for sample in samples} == {"Positive", "Negative", "Look-alike"}
    for sample in samples:
        found = module.detect(sample.build()).findings
        assert (highest_severity(found), sum(f.count for f in found)) == (
            sample.expected.severity,
            sample.expected.count,
        )
        if sample.loosened:
            assert module.detect(sample.build(), sample.loosened).status == "found"


def test_a_new_cause_is_weighed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = new_cause(tmp_path, NAME)
    assert _is_clean(written)
    monkeypatch.setattr(causes, "__path__", [*causes.__path__, str(written[0].parent)])
    module = importlib.import_module(f"{causes.__name__}.{MODULE}")
    assert (module.CAUSE, module.TITLE) == (NAME, "Skeleton of a test")
    asked: dict[str, object] = {}
    exec(compile(written[1].read_text(encoding="utf-8"), "test", "exec"), asked)  # its own test
    for name, check in asked.items():
        if name.startswith("test_") and callable(check):
            check()


def _loaded(path: Path) -> ModuleType:
    """A module by its file, beside the one of the product."""
    spec = importlib.util.spec_from_file_location(f"edited_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_new_endpoint_that_a_link_may_read_takes_five_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (APPLICATION, RULES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    written = new_endpoint(tmp_path, NAME)
    assert len(written) <= 5
    assert _is_clean(written)
    monkeypatch.setattr(services, "__path__", [*services.__path__, str(tmp_path / "backend/services")])
    monkeypatch.setattr(routes, "__path__", [*routes.__path__, str(tmp_path / "backend/api/routes")])
    route = importlib.import_module(f"{routes.__name__}.{MODULE}")
    monkeypatch.setattr(routes, MODULE, route, raising=False)
    endpoint = getattr(route, f"get_{MODULE}")
    assert declared_by(endpoint).shareable is not None
    assert list(without_class(get_type_hints(endpoint)["return"], "", set())) == []
    made = iter_route_contexts(list(_loaded(tmp_path / APPLICATION)._routes()))
    templates = {each.path_format for each in made}
    rules = _loaded(tmp_path / RULES).RULES
    for prefix in ("/api/v1/investigations/{investigation_id}", "/api/v1/shared/{share_id}"):
        assert f"{prefix}/{NAME}" in templates
        assert f"GET {prefix}/{NAME}" in rules


@pytest.mark.parametrize("name", ["Half-Open", "half_open", "../half", "half--open", ""])
def test_a_name_that_is_none_writes_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no name"):
        new_detector(tmp_path, name)
    assert not list(tmp_path.iterdir())


def test_what_exists_is_left_alone(tmp_path: Path) -> None:
    written = new_cause(tmp_path, NAME)
    written[0].write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        new_cause(tmp_path, NAME)
    assert written[0].read_text(encoding="utf-8") == "mine"
