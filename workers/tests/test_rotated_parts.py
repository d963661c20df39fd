"""A recording in rotated parts says what the whole says: the bundled demonstrations, cut by packets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from backend.forensics.report import Report
from backend.services.jump_in_packets import packets_from
from backend.services.list_packets import PacketOptions
from backend.services.show_connections import show_connection
from backend.services.show_timeline import Window, show_timeline
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file
from workers.tests.rotated_captures import split_pcap, split_pcapng
from workers.tests.stored_investigation import stored_investigation

DEMO = Path(__file__).parents[2] / "backend" / "demo"
WHOLE = DEMO / "snat-race" / "three-interfaces.pcapng"
HEALTHY = DEMO / "snat-race-healthy" / "any.pcap"


def dumps_of(demo: str) -> list[Path]:
    return sorted(each for each in (DEMO / demo).iterdir() if each.suffix == ".txt")


def report_on(
    files: Sequence[Path],
    folder: Path | None = None,
    *,
    names: dict[Path, str] | None = None,
    hosts: dict[Path, str] | None = None,
) -> Report:
    inputs: list[Ingested] = [
        ingest_file(
            file,
            name=(names or {}).get(file, file.name),
            folder=folder / file.name if folder else None,
            host=(hosts or {}).get(file),
        )
        for file in files
    ]
    return analyse(inputs, label="", created="2026-01-01T00:00:00Z", tool_version="0", folder=folder)


def parts_of(folder: Path, stem: str = "node") -> list[Path]:
    parts = [folder / f"{stem}_0000{n}_2026112{n}.pcapng" for n in (1, 2, 3)]
    split_pcapng(WHOLE, parts)
    return parts


def on_progress(report: Report) -> dict[str, Any]:
    """What a report says, without where it can be seen."""
    return {
        "findings": [
            (f.kind, f.count, f.severity, f.title, f.summary, f.measures, f.first, f.last, f.time_lost_s)
            for f in report.findings
        ],
        "diagnoses": [
            (d.cause, d.verdict, d.confidence, d.statement, [c.text for c in d.claims], d.figures)
            for d in report.diagnoses
        ],
        "quality": [(q.status, q.text) for q in report.quality],
        "lanes": [(lane.name, lane.role, lane.packets, lane.first, lane.last) for lane in report.lanes],
        "account": report.account,
        "checked": [(c.kind, c.status) for c in report.checked],
        "destinations": [(d.destination, d.attempts) for d in report.destinations],
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return report_on([WHOLE, *dumps_of("snat-race")], folder), folder


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    folder = tmp_path_factory.mktemp("parts")
    return report_on([*parts_of(folder), *dumps_of("snat-race")], folder / "kept"), folder / "kept"


def test_three_parts_say_what_the_whole_says(whole: tuple[Report, Path], parts: tuple[Report, Path]) -> None:
    expected, found = on_progress(whole[0]), on_progress(parts[0])
    for name, value in expected.items():
        assert found[name] == value, name


def test_the_order_of_the_files_does_not_matter(tmp_path: Path, parts: tuple[Report, Path]) -> None:
    files = parts_of(tmp_path)
    turned = report_on([files[1], *reversed(dumps_of("snat-race")), files[2], files[0]])
    assert turned == parts[0]


def test_each_file_is_listed_and_each_lane_once(parts: tuple[Report, Path]) -> None:
    report = parts[0]
    assert sum(each.kind == "capture" for each in report.inputs) == 3
    captured = [lane for lane in report.lanes if lane.captured and "#" in lane.id]
    points = {point.id for each in report.inputs for point in each.vantage_points}
    assert [lane.name for lane in captured] == ["veth1e2feb89", "cni0", "eth0"]
    assert {each for lane in captured for each in (lane.id, *lane.parts)} == points


def test_evidence_is_in_the_files_themselves(parts: tuple[Report, Path]) -> None:
    packets = {each.name: each.packets for each in parts[0].inputs}
    pieces = [e for f in parts[0].findings for e in f.evidence] + [
        e for d in parts[0].diagnoses for c in d.claims for e in c.evidence
    ]
    named = {e.input for e in pieces if e.frames}
    assert named == {name for name, count in packets.items() if count}
    assert all(1 <= frame <= packets[e.input] for e in pieces for frame in e.frames)


def test_events_and_table_rows_name_frames_of_their_file(parts: tuple[Report, Path]) -> None:
    packets = {each.name: each.packets for each in parts[0].inputs}
    events = [event for f in parts[0].findings for event in f.events if event.get("frames")]
    assert len({event["input"] for event in events}) == 3
    assert all(0 < frame <= packets[event["input"]] for event in events for frame in event["frames"])
    for table in (t for f in parts[0].findings for t in f.tables):
        columns = [n for n, column in enumerate(table.columns) if column.name.endswith("frame")]
        assert all((row[n] or 0) <= max(packets.values()) for row in table.rows for n in columns)


def test_the_kept_tables_are_those_of_the_whole(
    whole: tuple[Report, Path], parts: tuple[Report, Path]
) -> None:
    tables = [pq.read_table(each[1] / "paths.parquet") for each in (whole, parts)]
    for name in ("client", "client_port", "outcome", "packets", "client_bytes", "connect_ms", "tries"):
        assert tables[0].column(name).equals(tables[1].column(name)), name
    requests = [pq.read_table(each[1] / "requests.parquet") for each in (whole, parts)]
    for name in ("cid", "path", "status", "wait_ms"):
        assert requests[0].column(name).equals(requests[1].column(name)), name


def test_a_connection_is_found_in_every_part_that_saw_it(parts: tuple[Report, Path]) -> None:
    seen = pq.read_table(parts[1] / "sightings.parquet").to_pylist()
    kept = {
        each.name: pq.read_table(parts[1] / each.name / "connections.parquet").num_rows
        for each in parts[0].inputs
        if each.kind == "capture"
    }
    assert {(row["input"], row["connection"]) for row in seen} == {
        (name, number) for name, rows in kept.items() for number in range(rows)
    }


def test_round_trips_are_in_the_files_themselves(parts: tuple[Report, Path]) -> None:
    packets = {each.name: each.packets for each in parts[0].inputs}
    rows = pq.read_table(parts[1] / "rtt.parquet").to_pylist()
    assert {row["input"] for row in rows} == {name for name, count in packets.items() if count}
    for row in rows:
        assert 1 <= row["sent_frame"] <= packets[row["input"]]
        assert (row["answer_frame"] or 1) <= packets[row["input"]]


def test_parts_of_classic_captures_join(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("x.pcap", "x.pcap1", "x.pcap2")]
    split_pcap(HEALTHY, files)
    found, expected = report_on(files), report_on([HEALTHY])
    assert on_progress(found)["findings"] == on_progress(expected)["findings"] == []
    assert on_progress(found)["destinations"] == on_progress(expected)["destinations"]
    assert [lane.packets for lane in found.lanes] == [lane.packets for lane in expected.lanes]
    assert not [q for q in found.quality if "different times" in q.text]


@pytest.mark.parametrize("last", ["x.pcap2", "y.pcap2"])
def test_another_name_is_no_part(tmp_path: Path, last: str) -> None:
    files = [tmp_path / name for name in ("x.pcap", "x.pcap1", last)]
    split_pcap(HEALTHY, files)
    assert len(lanes_of(report_on(files))) == (
        len(lanes_of(report_on([HEALTHY]))) * (1 if last[0] == "x" else 2)
    )


def test_the_page_has_one_lane_for_all_parts(tmp_path: Path) -> None:
    """Density, packets and connections of parts are those of the whole."""
    files = [tmp_path / name for name in ("x.pcap", "x.pcap1", "x.pcap2")]
    split_pcap(HEALTHY, files)
    seen = []
    for name, given in (("parts", files), ("whole", [HEALTHY])):
        store, investigation = stored_investigation(tmp_path / name, given)
        timeline = show_timeline(store, investigation, Window(None, None, 1200))
        lanes = {lane.id: lane for lane in timeline.lanes if lane.packets_total}
        for lane in lanes.values():
            options = PacketOptions(lane=lane.id)
            page = packets_from(store, investigation, options, offset=0, limit=10)
            assert page.total == lane.packets_total == sum(lane.packets)
            assert {line.lane for line in page.items} == {lane.id}
        story = show_connection(store, investigation, 5)
        assert {packet.lane for packet in story.packets} <= lanes.keys()
        seen.append(
            (
                [(lane.start, lane.packets, lane.syns) for lane in lanes.values()],
                [(packet.time_ns, packet.flags) for packet in story.packets],
                timeline.span.to_t,
            )
        )
        store.close()
    assert seen[0] == seen[1]


def lanes_of(report: Report) -> list[str]:
    return [lane.id for lane in report.lanes if lane.captured and "#" in lane.id]
