"""Finds the detectors: every package below `backend.forensics.detectors` is one."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from importlib import resources

from backend.forensics.detection.contract import Detector

_PACKAGE = "backend.forensics.detectors"


@lru_cache(maxsize=1)
def list_kinds() -> tuple[str, ...]:
    """The kinds of findings, sorted; no detector is loaded for it. A folder is named after its kind."""
    root = importlib.import_module(_PACKAGE)
    folders = (entry.name for entry in pkgutil.iter_modules(root.__path__) if entry.ispkg)
    return tuple(sorted(name.replace("_", "-") for name in folders if name != "tests"))


@lru_cache(maxsize=1)
def discover_detectors() -> tuple[Detector, ...]:
    """All detectors, by kind."""
    root = importlib.import_module(_PACKAGE)
    found = []
    for entry in pkgutil.iter_modules(root.__path__):
        if not entry.ispkg or entry.name == "tests":
            continue
        module = importlib.import_module(f"{_PACKAGE}.{entry.name}.detector")
        rule = resources.files(f"{_PACKAGE}.{entry.name}").joinpath("rule.md").read_text(encoding="utf-8")
        found.append(Detector(module.KIND, rule, module.detect))
    return tuple(sorted(found, key=lambda d: d.kind))
