"""Every client of a test waits a minute or more: by itself httpx gives up after five seconds, which are soon over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAST_S = 60
ASKS = {
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "request",
    "stream",
    "Client",
    "AsyncClient",
}
ALWAYS = {"urlopen"}
"""Waits for ever without a time-out, which is no fault; with a short one it is impatient."""
PAGE_TIMEOUT = re.compile(r"timeout: *([\d_]+)")
REPEATED_MS = 500
"""Of one try in a `toPass`, which is repeated."""


def python_tests() -> list[Path]:
    folders = (ROOT / name for name in ("backend", "workers", "docker"))
    return sorted(
        file for folder in folders for file in folder.rglob("tests/**/*.py") if "lab" not in file.parts
    )


def impatient(source: str) -> Iterator[int]:
    """Lines of the calls that give up within a minute."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = {each.arg: each.value for each in node.keywords}
        if None in given or isinstance(given.get("transport"), ast.AST):
            continue  # handed on, or to an application in the same process
        of_httpx = isinstance(node.func.value, ast.Name) and node.func.value.id == "httpx"
        asks = of_httpx and node.func.attr in ASKS
        if not asks and node.func.attr not in ALWAYS:
            continue
        timeout = given.get("timeout")
        if (timeout is None and asks) or (
            isinstance(timeout, ast.Constant)
            and isinstance(timeout.value, int | float)
            and timeout.value < LEAST_S
        ):
            yield node.lineno


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("httpx.get(x)", [1]),
        ("httpx.Client(timeout=59)", [1]),
        ("httpx.Client(timeout=60)", []),
        ("httpx.Client(timeout=PATIENCE_S)", []),
        ("urllib.request.urlopen(x, timeout=5)", [1]),
        ("client.get(x)", []),
    ],
)
def test_the_search_itself(call: str, found: list[int]) -> None:
    assert list(impatient(call)) == found


def test_clients_wait() -> None:
    found = {
        str(file.relative_to(ROOT)): lines
        for file in python_tests()
        if (lines := list(impatient(file.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_the_browser_waits() -> None:
    sources = [*(ROOT / "frontend" / "e2e").glob("*.ts"), ROOT / "frontend" / "playwright.config.ts"]
    short = {
        source.name: found
        for source in sources
        if (
            found := [
                number
                for text in PAGE_TIMEOUT.findall(source.read_text(encoding="utf-8"))
                if REPEATED_MS < (number := int(text.replace("_", ""))) < LEAST_S * 1000
            ]
        )
    }
    assert short == {}
