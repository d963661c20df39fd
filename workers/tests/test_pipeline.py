"""From real files to a report: the bundled demonstration, whole and in parts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from backend.errors import TooCostly, UnreadableInput
from backend.forensics.report import DiagnosisPart, Report
from workers.ingested import Ingested, load_ingested
from workers.pipeline import VANTAGE_POINTS_AT_MOST, analyse, ingest_file

DEMO = Path(__file__).parents[2] / "backend" / "demo"
RACE = "snat-race"


def ingest(demo: str, folder: Path | None = None) -> dict[str, Ingested]:
    files = sorted(file for file in (DEMO / demo).iterdir() if file.name != "demo.json")
    return {
        file.name: ingest_file(file, name=file.name, folder=folder / file.name if folder else None)
        for file in files
    }


def report_on(inputs: Sequence[Ingested], folder: Path | None = None) -> Report:
    return analyse(inputs, label="demo", created="2026-01-01T00:00:00Z", tool_version="0", folder=folder)


@pytest.fixture(scope="module")
def race() -> dict[str, Ingested]:
    return ingest(RACE)


def the_race(report: Report) -> DiagnosisPart:
    (found,) = [d for d in report.diagnoses if d.cause == "snat-port-race"]
    return found


def test_the_race_is_confirmed_with_every_delayed_connection(race: dict[str, Ingested]) -> None:
    report = report_on(list(race.values()))
    found = the_race(report)
    assert found.verdict == "confirmed"
    assert found.statement.startswith("29 of 600 new connections to 10.16.147.226:80")
    counts = {finding.kind: finding.count for finding in report.findings}
    assert counts == {"syn-retransmission": 29, "tuple-collision": 29}


@pytest.mark.parametrize(
    "left_out", ["conntrack-S-before.txt", "conntrack-S-after.txt", "conntrack-E.txt", "iptables-save.txt"]
)
def test_each_file_less_gives_less_confidence(race: dict[str, Ingested], left_out: str) -> None:
    whole = the_race(report_on(list(race.values())))
    less = the_race(report_on([each for name, each in race.items() if name != left_out]))
    assert less.confidence < whole.confidence


def test_the_healthy_twin_has_no_diagnosis() -> None:
    report = report_on(list(ingest(f"{RACE}-healthy").values()))
    assert [d.cause for d in report.diagnoses if d.verdict in ("confirmed", "likely")] == []
    assert [f for f in report.findings if f.severity == "critical"] == []


def test_the_order_of_the_files_does_not_matter(race: dict[str, Ingested]) -> None:
    inputs = list(race.values())
    expected = report_on(inputs).model_dump_json(by_alias=True)
    for seed in range(3):
        random.Random(seed).shuffle(inputs)
        assert report_on(inputs).model_dump_json(by_alias=True) == expected


def test_what_is_kept_in_folders_gives_the_same_report(tmp_path: Path) -> None:
    fresh = ingest(RACE, tmp_path / "files")
    kept = [load_ingested(tmp_path / "files" / name) for name in fresh]
    expected = report_on(list(fresh.values()), tmp_path / "analysis").model_dump_json(by_alias=True)
    assert report_on(kept).model_dump_json(by_alias=True) == expected
    assert (tmp_path / "analysis" / "report.json").read_text(encoding="utf-8") == expected
    paths = pq.read_table(tmp_path / "analysis" / "paths.parquet").to_pylist()
    assert [row["cid"] for row in paths] == list(range(len(paths)))
    delayed = [row for row in paths if row["finding_ids"]]
    assert len(delayed) == 29
    assert {row["tries"] for row in delayed} == {2}


def test_a_file_that_is_no_evidence_is_refused(tmp_path: Path) -> None:
    strange = tmp_path / "photo.jpg"
    strange.write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)))
    with pytest.raises(UnreadableInput, match="Nothing of it was used"):
        ingest_file(strange, name="photo.jpg", folder=None)


def test_dumps_without_a_capture_give_a_report(race: dict[str, Ingested]) -> None:
    report = report_on([each for each in race.values() if each.capture is None])
    # The listing alone shows groups that wanted one port, and insert_failed rose; nothing says who was hurt.
    assert {(f.kind, f.severity) for f in report.findings} == {("tuple-collision", "warning")}
    assert report.diagnoses == []


@pytest.mark.parametrize("interface", ["cni0.pcap", "eth0.pcap"])
def test_one_interface_of_the_laboratory_alone_is_not_confirmed(extra_captures: Path, interface: str) -> None:
    file = extra_captures / "lab" / RACE / interface
    report = report_on([ingest_file(file, name=interface, folder=None)])
    assert all(d.verdict != "confirmed" for d in report.diagnoses)


def test_more_vantage_points_than_are_compared_are_refused(race: dict[str, Ingested]) -> None:
    capture = next(each for each in race.values() if each.capture is not None)
    points = len(capture.part.vantage_points)
    within = VANTAGE_POINTS_AT_MOST // points
    assert report_on([capture] * 3).diagnoses is not None
    with pytest.raises(TooCostly, match=r"vantage points \(interfaces\); the limit of one analysis is 4,096"):
        report_on([capture] * (within + 1))
