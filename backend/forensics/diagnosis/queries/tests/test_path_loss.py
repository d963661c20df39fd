"""Queries lost between two captures: of the path where nothing says that both are of one node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.diagnosis.causes.tests.build_lookups import SPACED_NS, calm, counters
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import T0_NS
from backend.forensics.tests.build_dns import AAAA, BACKEND, RESOLVER, A, DnsBuilder

LOST = 6
CONFIDENT = 0.5


def _lookups(behind: str) -> DnsBuilder:
    """Lookups of which now the A, now the AAAA is lost once."""
    capture = calm(DnsBuilder(places=("pod", "resolver")))
    for number in range(LOST):
        lost = AAAA if number % 2 else A
        capture.lost_pair(T0_NS + number * SPACED_NS, f"svc{number}.lab.example", lost=lost)
    for message in capture._messages:
        place, client, port, server = message["ends"]
        message["ends"] = (place, client, port, behind if server == BACKEND else server)
    return capture


def _diagnoses(
    both: DnsBuilder, hosts: Sequence[str | None], dumps: Sequence[DumpInput] = ()
) -> dict[str, DiagnosisPart]:
    """Of one capture a vantage point, taken on these hosts."""
    captures = []
    for place, host in zip(both.places, hosts, strict=True):
        one = DnsBuilder(f"{place}.pcapng", (place,))
        one._messages = [row | {"vantage": 0} for row in both._messages if row["ends"][0] == place]
        captures.append(replace(one.build(), host=host))
    found = analyse_evidence(captures, dumps, [], label="", created="", tool_version="")
    return {d.cause: d for d in found.report.diagnoses}


@pytest.mark.parametrize("hosts", [(None, None), ("node-1", None), ("node-1", "node-2")])
def test_between_captures_of_no_known_node_the_path_lost_them(hosts: Sequence[str | None]) -> None:
    found = _diagnoses(_lookups(behind=RESOLVER), hosts)
    assert {cause for cause, d in found.items() if d.confidence >= CONFIDENT} == {"path-loss"}
    assert "between pod and resolver" in found["path-loss"].statement


def test_between_captures_of_one_node_the_path_is_not_blamed() -> None:
    found = _diagnoses(_lookups(behind=RESOLVER), ("node-1", "node-1"))
    assert "path-loss" not in found
    assert any(
        "both vantage points are in the node" in c or "absent on" in c for c in found["node-drop"].supporting
    )


def _in_one_file(machines: Sequence[int]) -> dict[str, DiagnosisPart]:
    """Of one capture of both vantage points, recorded by these machines."""
    capture = _lookups(behind=RESOLVER).build()
    points = zip(capture.vantage_points, machines, strict=True)
    merged = replace(capture, vantage_points=tuple(replace(p, machine=machine) for p, machine in points))
    found = analyse_evidence([merged], [], [], label="", created="", tool_version="")
    return {d.cause: d for d in found.report.diagnoses}


def test_in_a_merged_file_losses_are_those_of_the_path_as_in_several_files() -> None:
    found = _in_one_file((0, 1))
    apart = _diagnoses(_lookups(behind=RESOLVER), (None, None))
    assert {c: d.confidence for c, d in found.items()} == {c: d.confidence for c, d in apart.items()}
    assert found["path-loss"].confidence >= CONFIDENT


def test_in_a_file_that_one_machine_recorded_the_path_is_not_blamed() -> None:
    assert "path-loss" not in _in_one_file((0, 0))


def test_where_an_address_is_rewritten_between_the_captures_the_path_is_not_blamed() -> None:
    found = _diagnoses(_lookups(behind=BACKEND), (None, None), counters(LOST))
    assert "path-loss" not in found
    assert found["dnat-race"].confidence >= CONFIDENT


def test_drops_that_conntrack_counted_were_not_lost_on_the_way() -> None:
    found = _diagnoses(_lookups(behind=RESOLVER), (None, None), counters(LOST))
    assert found["path-loss"].confidence < CONFIDENT


def test_pairs_alone_show_no_race() -> None:
    both = calm(DnsBuilder())
    for number in range(LOST):
        both.lost_pair(T0_NS + number * SPACED_NS, f"svc{number}.lab.example", inside=False)
    found = _diagnoses(both, (None,))
    assert found["dnat-race"].confidence < CONFIDENT
