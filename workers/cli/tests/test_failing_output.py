"""A form of the report that cannot be made costs that form alone."""

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from workers.cli.exit_codes import EXIT_BUG, EXIT_USAGE
from workers.cli.main import main

SAMPLE = Path(__file__).parents[2] / "decode" / "dumps" / "tests" / "samples" / "conntrack-S.txt"
RENDERERS = {
    "markdown": "backend.services.render_markdown.render_markdown",
    "sarif": "backend.services.render_sarif.render_report_sarif",
    "junit": "backend.services.render_junit.render_report_junit",
}


class BrokenError(Exception):
    """What a form does that should not."""


def broken(*_: object, **__: object) -> NoReturn:
    raise BrokenError


@pytest.mark.parametrize("form", RENDERERS)
def test_the_other_forms_and_the_verdict_are_written(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RENDERERS[form], broken)
    given = [word for name in (*RENDERERS, "json") for word in (f"--{name}", str(tmp_path / name))]
    assert main(["analyze", str(SAMPLE), *given]) == EXIT_BUG
    assert {path.name for path in tmp_path.iterdir()} == {*RENDERERS, "json"} - {form}
    said = capsys.readouterr()
    assert f"--{form} failed (BrokenError); the rest is complete." in said.err
    assert "Detection rules checked" in said.out


@pytest.mark.parametrize(
    ("options", "named"), [([], "standard output"), (["--json", "/dev/full"], "/dev/full")]
)
def test_a_full_disk_is_named_and_is_no_bug(options: list[str], named: str) -> None:
    command = [sys.executable, "-m", "workers.cli.main", "analyze", str(SAMPLE), *options]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            command, stdout=full if not options else None, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == EXIT_USAGE
    assert ended.stderr == f"stallscope: the report cannot be written to {named}: No space left on device.\n"
