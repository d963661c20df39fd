"""Begins a detector, cause, endpoint or dump format from a skeleton that passes every check (``make new-cause``)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

SKELETONS: Final = Path(__file__).parent / "skeletons"
FORENSICS: Final = Path("backend/forensics")
APPLICATION: Final = Path("backend/api/app.py")
RULES: Final = Path("backend/access/rules.py")
NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def new_detector(root: Path, name: str) -> list[Path]:
    """Its folder with rule, thresholds, detector, samples and test, and its case; returns what was written."""
    folder = root / FORENSICS / "detectors" / _folder(name)
    case = root / FORENSICS / "cases" / f"{_folder(name)}.py"
    sources = [path for path in sorted((SKELETONS / "detector").rglob("*.txt")) if path.name != "case.py.txt"]
    targets = [folder / path.relative_to(SKELETONS / "detector").with_suffix("") for path in sources]
    return _write(name, [*zip(sources, targets, strict=True), (SKELETONS / "detector/case.py.txt", case)])


def new_cause(root: Path, name: str) -> list[Path]:
    """Its file and its test; returns what was written."""
    causes = root / FORENSICS / "diagnosis/causes"
    test = causes / "tests" / f"test_{_folder(name)}.py"
    pairs = [(SKELETONS / "cause/cause.py.txt", causes / f"{_folder(name)}.py")]
    return _write(name, [*pairs, (SKELETONS / "cause/test_cause.py.txt", test)])


def new_endpoint(root: Path, name: str) -> list[Path]:
    """Its service, route and test, entered in the application and in the rules of access; returns what was written."""
    folder, skeleton = _folder(name), SKELETONS / "endpoint"
    targets = {
        "service.py.txt": root / f"backend/services/list_{folder}.py",
        "route.py.txt": root / f"backend/api/routes/{folder}.py",
        "test_route.py.txt": root / f"backend/api/tests/test_{folder}.py",
    }
    written = _write(name, [(skeleton / source, target) for source, target in targets.items()])
    entries = {
        root / APPLICATION: (
            ("from backend.api.routes import (\n", f"    {folder},\n"),
            ("for part in (reading, ", f"{folder}, "),
        ),
        root / RULES: (("_RESULTS = (\n", f'    "{name}",\n'),),
    }
    for path, lines in entries.items():
        _enter(path, lines)
    _tidy([*entries])
    return [*written, *entries]


def new_dump(root: Path, name: str) -> list[Path]:
    """The module of a dump format, its sample and its test; returns what was written."""
    folder, skeleton = root / "workers/decode/dumps", SKELETONS / "dump"
    targets = {
        "dump.py.txt": folder / f"{_folder(name)}.py",
        "sample.txt.txt": folder / f"tests/samples/{name}.txt",
        "test_dump.py.txt": folder / f"tests/test_{_folder(name)}.py",
    }
    return _write(name, [(skeleton / source, target) for source, target in targets.items()])


def _enter(path: Path, lines: tuple[tuple[str, str], ...]) -> None:
    """Each text behind its anchor; a ValueError where an anchor is not there once."""
    text = path.read_text(encoding="utf-8")
    for anchor, added in lines:
        if text.count(anchor) != 1:
            raise ValueError(f"{path} does not have {anchor!r} once.")
        text = text.replace(anchor, anchor + added)
    path.write_text(text, encoding="utf-8")


def _folder(name: str) -> str:
    """Of ``half-open``: ``half_open``. A ValueError where that is no name of a kind."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name: small letters, digits and single hyphens, such as half-open.")
    return name.replace("-", "_")


def _write(name: str, files: list[tuple[Path, Path]]) -> list[Path]:
    """FileExistsError where one of them is there already; then none is written."""
    known = [target for _, target in files if target.exists()]
    if known:
        raise FileExistsError(f"{known[0]} exists already.")
    words = {"@KIND@": name, "@FOLDER@": _folder(name), "@WORDS@": name.replace("-", " ").capitalize()}
    words["@CLASS@"] = name.title().replace("-", "")
    for source, target in files:
        text = source.read_text(encoding="utf-8")
        for word, meant in words.items():
            text = text.replace(word, meant)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    written = [target for _, target in files]
    _tidy([path for path in written if path.suffix == ".py"])
    return written


def _tidy(python: list[Path]) -> None:
    for command in (["check", "--select", "I", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", *map(str, python)], check=True)


if __name__ == "__main__":
    begin = {"detector": new_detector, "cause": new_cause, "endpoint": new_endpoint, "dump": new_dump}
    for path in begin[sys.argv[1]](Path(), sys.argv[2]):
        sys.stdout.write(f"{path}\n")
