"""The outline is short whatever the report is, and says how much it leaves out."""

from __future__ import annotations

import os
from typing import Any

import httpx
import pytest

from backend.forensics.report import CheckedPart, Report
from backend.forensics.tests.misbehaving import fail
from backend.services import outline_report
from backend.services.outline_report import ReportOutline
from backend.storage.store import Store

MOST_BYTES = 300_000
"""Of any answer that a page asks for."""
CLAIM_FRAMES = 110


def _mark(instance: int | None, second: int, glyph: str = "instant", role: str = "neutral") -> dict[str, Any]:
    return {
        "glyph": glyph,
        "role": role,
        "basis": "seen",
        "start": f"2026-01-01T00:00:{second:02}.000000000Z",
        "instance": instance,
        "lanes": ["a.pcap#0"],
        "evidence": [{"input": "a.pcap", "frames": [second, second + 1]}],
    }


def _finding(number: int, frames: int, rows: int) -> dict[str, Any]:
    return {
        "id": f"loss-{number}",
        "kind": "loss",
        "severity": "warning",
        "confidence": 0.9,
        "title": f"SYN retransmissions to 10.80.{number // 256}.{number % 256}:443",
        "summary": f"{rows} of {rows * 12} connection attempts had SYN retransmissions, median 1,013 ms." * 2,
        "count": rows,
        "first": None,
        "last": None,
        "time_lost_s": 1.0,
        "measures": {"connections": rows},
        "affected": [{"source": f"10.0.0.{n % 250}", "destination": "10.80.0.1:443"} for n in range(rows)],
        "events": [{"instance": n + 1, "source": f"10.0.0.1:{n}"} for n in range(rows)],
        "evidence": [{"input": "a.pcap", "frames": [*range(1, frames + 1)]}],
        "marks": [
            _mark(1, 1),
            _mark(1, 3, "missing", "loss"),
            _mark(1, 9, "guide"),
            _mark(3, 5, "missing", "loss"),
        ],
        "tables": [{"name": "instances", "columns": [{"name": "n"}], "rows": [[n] for n in range(rows)],
                    "rows_total": rows * 3}],
    }  # fmt: skip


def _diagnosis(number: int, findings: list[str], claims: int) -> dict[str, Any]:
    claim = {
        "role": "for",
        "text": "w" * 120,
        "evidence": [{"input": "a.pcap", "frames": [*range(1, CLAIM_FRAMES + 1)]}],
    }
    return {
        "id": f"d-{number}",
        "cause": "c",
        "title": "t",
        "confidence": 0.5,
        "verdict": "possible",
        "statement": "s" * 160,
        "claims": [claim] * claims,
        "findings": findings,
    }


def _report(findings: int, frames: int, rows: int, diagnoses: int, claims: int) -> Report:
    listed = [_finding(n, frames, rows) for n in range(findings)]
    ids = [each["id"] for each in listed]
    return Report.model_validate(
        {
            "schema": "stallscope.report/1",
            "label": "large",
            "created": "2026-01-01T00:00:00Z",
            "tool": {"version": "1"},
            "inputs": [],
            "findings": listed,
            "diagnoses": [_diagnosis(n, ids, claims) for n in range(diagnoses)],
            "checked": [],
        }
    )


def _written(client: httpx.Client, store: Store, report: Report) -> str:
    """Address of an investigation with that report, which no worker wrote."""
    place = str(client.post("/api/v1/investigations", json={"label": "large"}).headers["location"])
    folder = store.analysis_folder(place.rsplit("/", 1)[1])
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(report.model_dump_json(by_alias=True))
    return place


def _outline(client: httpx.Client, store: Store, report: Report, query: str = "") -> ReportOutline:
    answer = client.get(f"{_written(client, store, report)}/report/outline{query}")
    assert len(answer.content) < MOST_BYTES
    return ReportOutline.model_validate_json(answer.content)


@pytest.mark.parametrize(
    ("findings", "frames", "rows", "diagnoses", "claims"),
    [(1, 1, 1, 1, 1), (100, 300, 30, 4, 120), (700, 12, 2, 20, 30), (60, 200, 2, 200, 8)],
)
def test_it_is_short_and_counts_what_it_leaves_out(
    client: httpx.Client, store: Store, findings: int, frames: int, rows: int, diagnoses: int, claims: int
) -> None:
    outline = _outline(client, store, _report(findings, frames, rows, diagnoses, claims))
    assert (outline.findings_total, outline.diagnoses_total) == (findings, diagnoses)
    assert {each.frames_total for each in outline.findings} == {frames}


def test_a_small_report_keeps_its_evidence_and_events_but_no_rows_and_marks(
    client: httpx.Client, store: Store
) -> None:
    report = _report(3, 101, 100, 2, 4)
    for short, whole in zip(_outline(client, store, report).findings, report.findings, strict=True):
        assert (short.evidence, short.events, short.affected) == (
            whole.evidence,
            whole.events,
            whole.affected,
        )
        assert (short.marks, [table.rows for table in short.tables]) == ([], [[]])
        assert (short.marks_total, short.instances, short.role) == (4, 3, "loss")
        assert short.tables[0].rows_total == 300


def test_a_part_of_the_events_is_never_given(client: httpx.Client, store: Store) -> None:
    assert _outline(client, store, _report(1, 1, 101, 0, 0)).findings[0].events == []


def test_of_one_finding_nothing_else_is_told(client: httpx.Client, store: Store) -> None:
    outline = _outline(client, store, _report(3, 2, 2, 1, 1), "?finding=loss-1")
    assert [each.id for each in outline.findings] == ["loss-1"]
    assert outline.findings_total == 1


def test_findings_come_page_by_page(client: httpx.Client, store: Store) -> None:
    place = _written(client, store, _report(150, 200, 2, 0, 0))
    page = client.get(f"{place}/report/findings?offset=20&limit=200")
    assert len(page.content) < MOST_BYTES
    assert (page.json()["total"], page.json()["items"][-1]["id"]) == (150, "loss-149")


def test_a_finding_comes_with_all_its_evidence_and_its_rows_page_by_page(
    client: httpx.Client, store: Store
) -> None:
    report = _report(2, 1_000, 1_000, 0, 0)
    place = f"{_written(client, store, report)}/report/findings/loss-1"
    alone = client.get(place)
    assert len(alone.content) < MOST_BYTES
    assert len(alone.json()["evidence"][0]["frames"]) == alone.json()["frames_total"] == 1_000

    def rows(part: str, offset: int) -> httpx.Response:
        return client.get(f"{place}/rows", params={"part": part, "offset": offset, "limit": 200})

    assert rows("0", 998).json() == {"items": [[998], [999]], "total": 1_000}
    assert rows("affected", 999).json()["items"] == report.findings[1].affected[999:]
    assert len(rows("events", 0).content) < MOST_BYTES
    assert rows("1", 0).status_code == 404
    assert rows("marks", 0).status_code == 422
    assert client.get(f"{place}9/rows?part=events").status_code == 404


def test_instances_are_told_by_number_even_where_one_has_no_marks(client: httpx.Client, store: Store) -> None:
    place = _written(client, store, _report(1, 1, 1, 0, 0))
    answer = client.get(f"{place}/report/findings/loss-0/rows?part=instances").json()
    first, none, third = answer["items"]
    assert (first["start"][17:19], first["end"][17:19], first["frames"]) == ("01", "03", 6)
    assert none == {"instance": 2, "start": None, "end": None, "frames": 0}
    assert (third["frames"], answer["total"]) == (2, 3)


def test_the_first_look_does_not_parse_the_report(
    client: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = _report(100, 300, 30, 4, 120)
    place = _written(client, store, report)
    path = store.analysis_folder(place.rsplit("/", 1)[1]) / "report.json"
    parsed = client.get(f"{place}/report/outline").content
    outline_report.write_outline(report, path.parent)
    with monkeypatch.context() as without:
        without.setattr(outline_report, "parsed_report", None)
        assert client.get(f"{place}/report/outline").content == parsed
    # What was written before the report is of an earlier one.
    path.write_text(report.model_copy(update={"label": "another"}).model_dump_json(by_alias=True))
    os.utime(path, ns=(0, path.with_name(outline_report.OUTLINE).stat().st_mtime_ns + 1))
    assert client.get(f"{place}/report/outline").json()["label"] == "another"


def test_an_outline_that_the_worker_could_not_make_is_not_tried_again(
    client: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outline_report, "_outline_text", fail)
    why = "stopped after 300 s of CPU time, the limit part_cpu_s; the others are complete."
    line = CheckedPart(kind="report:outline", status="failed", why=why)
    report = _report(1, 1, 1, 1, 1).model_copy(update={"checked": [line]})
    place = _written(client, store, report)
    answer = client.get(f"{place}/report/outline")
    assert (answer.status_code, answer.json()["title"]) == (500, "This part of the report failed")
    assert why in answer.json()["detail"]
    assert client.get(f"{place}/report").json()["checked"] == [line.model_dump()]
