"""Every detector folder and every cause keeps its promises."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

from backend.forensics import detectors
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.run import discover_causes

FOLDERS = sorted(e.name for e in pkgutil.iter_modules(detectors.__path__) if e.ispkg and e.name != "tests")
CAUSES = sorted(e.name for e in pkgutil.iter_modules(causes.__path__) if e.name not in ("unknown", "tests"))
HEADINGS = ("What it finds", "Thresholds", "Look-alikes")


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_rule_has_the_fixed_headings(folder: str) -> None:
    rule = (Path(next(iter(detectors.__path__))) / folder / "rule.md").read_text(encoding="utf-8")
    lines = rule.splitlines()
    assert lines[0].startswith("# ")
    for heading in HEADINGS:
        assert f"## {heading}" in lines
    assert any(line.startswith(("## What it does not count", "## What it does not claim")) for line in lines)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_thresholds_are_documented(folder: str) -> None:
    module = importlib.import_module(f"{detectors.__name__}.{folder}.thresholds")
    assert module.__doc__
    assert inspect.getdoc(module.Thresholds)
    assert isinstance(module.DEFAULT, module.Thresholds)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_kind_is_the_name_of_the_folder(folder: str) -> None:
    kind = importlib.import_module(f"{detectors.__name__}.{folder}.detector").KIND
    assert kind == folder.replace("_", "-")


def test_all_folders_are_discovered() -> None:
    assert [d.kind for d in discover_detectors()] == [f.replace("_", "-") for f in FOLDERS]


@pytest.mark.parametrize("name", CAUSES)
def test_a_cause_has_title_and_references(name: str) -> None:
    module = importlib.import_module(f"{causes.__name__}.{name}")
    assert name.replace("_", "-") == module.CAUSE
    assert module.TITLE
    assert module.REFERENCES
    assert module.__doc__


def test_all_causes_are_discovered() -> None:
    assert [name for name, _ in discover_causes()] == [name.replace("_", "-") for name in CAUSES]
