from __future__ import annotations

from backend.forensics.dumps import Dump
from backend.forensics.evidence.nat.port_leases import leases_of_dump


def test_events_without_a_translated_entry_have_no_leases() -> None:
    assert len(leases_of_dump(Dump(kind="conntrack-events", lines=1, lines_not_understood=()))) == 0
