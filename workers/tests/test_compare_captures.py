"""Comparisons of real captures: against themselves, between random halves, against their incident."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from backend.forensics.comparison.compare import Subject, compare_reports
from backend.forensics.comparison.result import Comparison
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import NO_CONNECTION
from backend.forensics.report import Report
from workers.pipeline import analyse, ingest_file

DEMO = Path(__file__).parents[2] / "backend" / "demo"
HEALTHY = DEMO / "snat-race-healthy" / "any.pcap"
INCIDENT = DEMO / "snat-race" / "three-interfaces.pcapng"
EXTRA = os.environ.get("STALLSCOPE_EXTRA_CAPTURES")
SPLITS = 100
SPLITS_QUICK = 4


def report_on(path: Path) -> Report:
    ingested = ingest_file(path, name="a.pcap", folder=None)
    return analyse([ingested], label=path.name, created="", tool_version="0", folder=None)


def compared(base: Report, candidate: Report) -> Comparison:
    return compare_reports(Subject(base), Subject(candidate), created="", tool_version="0")


@dataclass(frozen=True)
class Parts:
    """A classic little-endian capture as its header and its records, with the logical connection of each."""

    header: bytes
    records: list[bytes]
    link: np.ndarray[tuple[int], np.dtype[np.int64]]

    def half(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], path: Path) -> Path:
        """A capture with the connections chosen (by link), and all frames of none."""
        kept = (self.link < 0) | chosen[self.link]
        path.write_bytes(self.header + b"".join(r for r, k in zip(self.records, kept, strict=True) if k))
        return path


def taken_apart(capture: Path, folder: Path) -> Parts:
    ingested = ingest_file(capture, name="a.pcap", folder=folder)
    assert ingested.capture is not None
    links = gather_facts([ingested.capture], []).attempts.sightings.link_of_node
    number = pq.read_table(folder / "packets.parquet", columns=["connection"])["connection"].to_numpy()
    of_none = number == NO_CONNECTION
    content, at, records = capture.read_bytes(), 24, []
    while at < len(content):
        length = 16 + struct.unpack_from("<I", content, at + 8)[0]
        records.append(content[at : at + length])
        at += length
    return Parts(content[:24], records, np.where(of_none, -1, links[np.where(of_none, 0, number)]))


def worse_in_random_halves(capture: Path, folder: Path, splits: int) -> list[str]:
    """What was called worse, better, new or gone, over all splits."""
    parts = taken_apart(capture, folder / "tables")
    chance = np.random.default_rng(20_261_121)
    named = []
    for _ in range(splits):
        chosen = chance.random(int(parts.link.max()) + 1) < chance.uniform(0.3, 0.7)
        base, candidate = (report_on(parts.half(side, folder / "half.pcap")) for side in (chosen, ~chosen))
        found = compared(base, candidate)
        named += [found.statement] if found.verdict != "same" else []
    return named


def test_a_capture_against_itself_is_the_same() -> None:
    for capture in (HEALTHY, INCIDENT):
        report = report_on(capture)
        found = compared(report, report)
        assert found.verdict == "same"
        assert {part.state for part in [*found.findings, *found.waits, *found.shares]} == {"same"}


def test_the_incident_is_worse_than_its_healthy_twin_and_the_twin_better() -> None:
    healthy, incident = report_on(HEALTHY), report_on(INCIDENT)
    found = compared(healthy, incident)
    assert {(part.kind, part.state) for part in found.findings} == {
        ("syn-retransmission", "new"),
        ("tuple-collision", "new"),
    }
    assert [(part.cause, part.state) for part in found.causes] == [("snat-port-race", "new")]
    assert compared(incident, healthy).verdict == "better"


def test_random_halves_of_a_healthy_run_are_the_same(tmp_path: Path) -> None:
    assert worse_in_random_halves(HEALTHY, tmp_path, SPLITS_QUICK) == []


@pytest.mark.long
def test_a_hundred_random_halves_of_a_healthy_run_are_the_same(tmp_path: Path) -> None:
    assert worse_in_random_halves(HEALTHY, tmp_path, SPLITS) == []


@pytest.mark.long
@pytest.mark.skipif(not EXTRA, reason="STALLSCOPE_EXTRA_CAPTURES is not set")
@pytest.mark.parametrize(
    "name", ["healthy/any.pcap", "rx-backlog-healthy/sender.pcap", "healthy-slow-app/any.pcap"]
)
def test_a_hundred_random_halves_of_other_healthy_runs_are_the_same(name: str, tmp_path: Path) -> None:
    capture = Path(EXTRA or "") / "lab" / name
    if not capture.is_file():
        pytest.skip(f"{capture} is not there")
    assert worse_in_random_halves(capture, tmp_path, SPLITS) == []


@pytest.mark.skipif(not EXTRA, reason="STALLSCOPE_EXTRA_CAPTURES is not set")
def test_two_healthy_runs_are_the_same_in_either_order() -> None:
    lab = Path(EXTRA or "") / "lab"
    runs = [
        report_on(lab / name / "any.pcap")
        for name in ("healthy", "healthy-imds-poll", "healthy-tcp-keepalive")
        if (lab / name / "any.pcap").is_file()
    ]
    verdicts = {compared(base, candidate).verdict for base in runs for candidate in runs}
    assert verdicts == {"same"}
