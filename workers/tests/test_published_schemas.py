"""What the bundled demonstrations give, as JUnit and SARIF, against the published schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.forensics.comparison.compare import Subject, compare_reports
from backend.forensics.report import Report
from backend.services.render_junit import render_comparison_junit, render_report_junit
from backend.services.render_sarif import render_comparison_sarif, render_report_sarif
from backend.services.tests.published_schemas import junit_violations, sarif_violations
from workers.pipeline import analyse, ingest_file

DEMO = Path(__file__).parents[2] / "backend" / "demo"
NAMES = sorted(folder.name for folder in DEMO.iterdir() if (folder / "demo.json").is_file())


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    return {name: report_on(DEMO / name) for name in NAMES}


def report_on(folder: Path) -> Report:
    files = sorted(file for file in folder.iterdir() if file.name != "demo.json")
    ingested = [ingest_file(file, name=file.name, folder=None, keep_packets=False) for file in files]
    return analyse(ingested, label=folder.name, created="2026-01-01T00:00:00Z", tool_version="0", folder=None)


def test_every_demonstration_and_every_pair_of_them(reports: dict[str, Report]) -> None:
    assert len(reports) >= 5
    for candidate in reports.values():
        assert sarif_violations(render_report_sarif(candidate)) == []
        assert junit_violations(render_report_junit(candidate)) == []
        for base in reports.values():
            subjects = (Subject(base), Subject(candidate))
            compared = compare_reports(*subjects, created="2026-01-01T00:00:00Z", tool_version="0")
            assert sarif_violations(render_comparison_sarif(compared)) == []
            assert junit_violations(render_comparison_junit(compared)) == []
