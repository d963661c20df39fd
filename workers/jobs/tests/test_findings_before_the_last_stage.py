"""What the judging child tells while it works."""

from __future__ import annotations

from pathlib import Path

from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.report import Report
from workers.decode.left_out import LeftOut
from workers.jobs.judge_in_child import DETECT, DIAGNOSE, DecodedFile, StageReached, Terms, judge_in_child
from workers.pipeline import ingest_file

TERMS = Terms(300, 2 << 30, {})
DEMO = Path(__file__).parents[3] / "backend" / "demo" / "snat-race"


def test_each_finding_is_told_before_the_detectors_after_it_and_before_the_last_stage(tmp_path: Path) -> None:
    files = []
    for path in sorted(DEMO.glob("*.pcapng")):
        ingest_file(path, name=path.name, folder=tmp_path / path.name)
        files.append(DecodedFile(tmp_path / path.name))
    told: list[StageReached] = []

    def notify(news: object) -> None:
        assert isinstance(news, StageReached)
        told.append(news)

    judge_in_child(
        files, LeftOut(), "checkout", "2026-11-21T00:00:00Z", "0", tmp_path / "analysis", TERMS, notify
    )
    report = Report.model_validate_json((tmp_path / "analysis" / "report.json").read_bytes())
    assert [news.stage_number for news in told] == sorted(news.stage_number for news in told)
    assert told[-1].stage_number == DIAGNOSE
    detecting = [news for news in told if news.message.startswith("Detector ")]
    kinds = [detector.kind for detector in discover_detectors()]
    assert [news.message for news in detecting] == [
        f"Detector {number} of {len(kinds)}: {kind}." for number, kind in enumerate(kinds, 1)
    ]
    for news, kind in zip(detecting, kinds, strict=True):
        before = kinds[: kinds.index(kind)]
        assert news.stage_number == DETECT
        assert {found.id for found in news.found} == {f.id for f in report.findings if f.kind in before}
        assert news.findings == len(news.found)
    by_id = {finding.id: finding for finding in report.findings}
    last = next(news for news in told if news.stage_number == DIAGNOSE)
    assert len(last.found) == len(report.findings) == 2
    for found in last.found:
        finding = by_id[found.id]
        assert (found.title, found.count) == (finding.title, finding.count)
    assert {found.role for found in last.found} == {"loss", "collision"}
