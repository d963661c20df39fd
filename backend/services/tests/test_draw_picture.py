"""The engine that draws: what it answers, and that a script cannot take more than it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.errors import PartFailed, TooCostly, Unavailable
from backend.services import draw_picture
from backend.services.draw_picture import call_picture


def script(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    file = folder / "pictures.js"
    file.write_text(f"var pictures = {{ call: (name, input) => {{ {body} }} }};", encoding="utf-8")
    monkeypatch.setattr(draw_picture, "script_file", lambda: file)
    monkeypatch.setattr(draw_picture, "CPU_S", 1)


def test_what_goes_in_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, monkeypatch, "return JSON.stringify([name, JSON.parse(input)]);")
    assert call_picture("ladder", {"words": "µs ✖ \u2028"}) == ["ladder", {"words": "µs ✖ \u2028"}]


@pytest.mark.parametrize(
    "body",
    [
        "for (;;) {}",
        "const held = []; for (;;) held.push(new Array(1 << 20).fill(1));",
        "return 'x'.repeat(64 << 20);",
    ],
)
def test_a_script_that_takes_too_much_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    script(tmp_path, monkeypatch, body)
    with pytest.raises(TooCostly, match="shorter window"):
        call_picture("ladder", {})


def test_a_script_that_fails_is_a_failed_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, monkeypatch, "return input.no.such;")
    with pytest.raises(PartFailed):
        call_picture("ladder", {})


def test_the_engine_reaches_nothing_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STALLSCOPE_SECRET", "hidden")
    names = "['std', 'os', 'process', 'require', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker']"
    script(tmp_path, monkeypatch, f"return JSON.stringify({names}.filter((name) => name in globalThis));")
    assert call_picture("ladder", {}) == []


def test_without_a_built_page_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_picture, "script_file", lambda: tmp_path / "none.js")
    with pytest.raises(Unavailable, match="make build"):
        call_picture("ladder", {})
