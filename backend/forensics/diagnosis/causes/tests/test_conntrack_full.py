"""A full connection-tracking table leaves traces; without one it is not claimed."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_HOST,
    SERVER,
    Losses,
    confidence,
    conntrack_stats,
    diagnosis,
    fill,
    log,
    report,
)
from backend.forensics.evidence.kernel.counters import DumpInput

CAUSE = "conntrack-full"
FULL = "nf_conntrack: nf_conntrack: table full, dropping packet"


def refused(servers: int = 4) -> Losses:
    capture = Losses()
    for number in range(servers):
        capture.usual(f"192.0.2.{10 + number}:80", 5).late(f"192.0.2.{10 + number}:80", 2, seen_at=1)
    return capture


def test_the_limit_the_log_and_the_counters_confirm_it() -> None:
    dumps = [fill(65_536, 65_536), log(FULL), *conntrack_stats(drop=30, early_drop=4, insert_failed=0)]
    found = diagnosis(CAUSE, refused().build(), *dumps)
    assert found is not None
    assert found.verdict == "confirmed"
    assert found.attempts_explained == 8
    assert found.statement.startswith(
        "A full conntrack table on the node dropped the SYNs of 8 new connections"
    )
    less_sure = diagnosis(CAUSE, refused().build(), log(FULL))
    assert less_sure is not None
    assert "this fits a full conntrack table" in less_sure.statement


def test_a_confirmed_table_owns_its_findings_and_leaves_no_undecided_cause_for_the_same_connections() -> None:
    counted = conntrack_stats(drop=30, early_drop=4, insert_failed=0)
    sure = report([refused().build()], fill(65_536, 65_536), log(FULL), *counted)
    assert [d.cause for d in sure.diagnoses] == [CAUSE]
    pressure = [f.id for f in sure.findings if f.kind == "conntrack-pressure"]
    assert pressure
    assert set(pressure) <= set(sure.diagnoses[0].findings)
    # What is not confirmed leaves the others in the report.
    open_ = report([refused().build()], fill(65_536, 65_536))
    assert len(open_.diagnoses) > 1


def test_each_sign_alone_counts_less_than_all() -> None:
    capture, counted = refused().build(), conntrack_stats(drop=30, early_drop=4, insert_failed=0)
    everything = confidence(CAUSE, capture, fill(99, 100), log(FULL), *counted)
    without = (
        confidence(CAUSE, capture, log(FULL), *counted),
        confidence(CAUSE, capture, fill(99, 100), *counted),
        confidence(CAUSE, capture, fill(99, 100), log(FULL)),
    )
    assert all(one < everything for one in without)


def test_room_in_the_table_refutes_it() -> None:
    assert confidence(CAUSE, refused().build(), fill(79, 100), log(FULL)) < 0.5
    assert confidence(CAUSE, refused().build(), fill(80, 100), log(FULL)) > 0.5


def test_flat_counters_refute_it() -> None:
    assert confidence(CAUSE, refused().build(), log(FULL), *conntrack_stats(drop=0, early_drop=0)) < 0.5


def test_drops_of_failed_insertions_are_no_sign() -> None:
    stats = conntrack_stats(drop=8, early_drop=0, insert_failed=8)
    assert confidence(CAUSE, refused(servers=1).build(), *stats) == 0.0


def test_many_destinations_without_dumps_cannot_be_told() -> None:
    assert confidence(CAUSE, refused().build()) <= 0.5
    assert confidence(CAUSE, refused(servers=2).build()) == 0.0


def test_syns_that_left_the_node_are_none_of_it() -> None:
    capture = Losses().usual(SERVER, 5).late(SERVER, 4).build()
    assert diagnosis(CAUSE, capture, log(FULL)) is None


def test_a_table_that_stays_full_needs_no_syn_that_passes_later() -> None:
    capture = Losses("eth0").silent(SERVER, 6).silent(OTHER_HOST, 6).build()
    assert confidence(CAUSE, capture, fill(100, 100), log(FULL)) > 0.5
    assert confidence(CAUSE, capture, fill(10, 100), log(FULL)) < 0.5


def listed(*dumps: DumpInput) -> float:
    return next((d.confidence for d in report([], *dumps).diagnoses if d.cause == CAUSE), 0.0)


def test_without_captures_the_log_opens_it_and_the_limit_makes_it_possible() -> None:
    assert 0.6 < listed(log(FULL)) < 0.7
    assert 0.3 < listed(fill(98, 100)) < 0.5
    assert listed(fill(97, 100)) == 0.0
    assert listed(log(FULL), fill(100, 100)) > 0.8
    assert listed(log(FULL), fill(79, 100)) < 0.3
    assert listed(*conntrack_stats(drop=30, early_drop=4, insert_failed=0)) == 0.0
