"""``python -m backend.tests.security_page`` writes the table of docs/security.md from the marks that tests carry.

A test that holds a promise is marked ``@pytest.mark.promise("One short sentence.")``. The marks are read from the
sources, so that the table is the same whatever a machine can run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "security.md"
BEGIN: Final = "<!-- The table is written by `make security`. -->\n"
AREAS: Final = {
    "backend/access": "Who may do what",
    "backend/api": "Requests, links and answers",
    "backend/services": "Requests, links and answers",
    "backend/storage": "What is stored",
    "workers/decode": "Reading hostile files",
    "workers": "Jobs and child processes",
    "docker": "Delivery",
    "backend": "Delivery",
}
"""Heading of the tests below a folder; the longest folder that fits wins."""

Promises = dict[str, dict[str, list[str]]]
"""Heading → promise → names of its tests."""


def promises() -> Promises:
    """Of all tests of the repository; raises ValueError for a mark without a sentence of its own."""
    found: Promises = defaultdict(lambda: defaultdict(list))
    for folder in ("backend", "workers", "docker"):
        for file in sorted((ROOT / folder).rglob("test_*.py")):
            path = file.relative_to(ROOT)
            for sentence, test in _marked(ast.parse(file.read_text(encoding="utf-8")), path):
                found[_area(path)][sentence].append(test)
    return found


def _area(path: Path) -> str:
    fits = [folder for folder in AREAS if path.is_relative_to(folder)]
    return AREAS[max(fits, key=len)]


def _marked(tree: ast.Module, path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.promise":
                yield _sentence(decorator, path), f"{path}::{node.name}"


def _sentence(mark: ast.Call, path: Path) -> str:
    value = mark.args[0] if mark.args else None
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.strip()):
        raise ValueError(f"{path}:{mark.lineno}: a promise is one sentence, written out.")
    return value.value.strip().rstrip(".").replace("|", "\\|")


def page_text(written: str) -> str:
    """The page with its table made again; what stands before the table is kept."""
    head, found, _ = written.partition(BEGIN)
    if not found:
        raise ValueError(f"{PAGE} lacks the line {BEGIN.strip()}")
    parts = [head, BEGIN]
    for area, held in sorted(promises().items()):
        parts.append(f"\n### {area}\n\n| promise | held by |\n| --- | --- |\n")
        parts += [f"| {sentence}. | {_links(tests)} |\n" for sentence, tests in sorted(held.items())]
    return "".join(parts)


def _links(tests: list[str]) -> str:
    return "<br>".join(f"[{test.rpartition('/')[2]}](../{test.partition('::')[0]})" for test in sorted(tests))


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
