"""When a lost SYN with a rival is a collision, and when it is not."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.tuple_collision.detector import detect
from backend.forensics.dumps import (
    ConntrackEntry,
    ConntrackTable,
    ConntrackTuple,
    CounterRow,
    Dump,
)
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path
from backend.forensics.tests.build_pool import SERVER as POOL_SERVER
from backend.forensics.tests.build_pool import capture, events, rule
from backend.forensics.tests.build_pool import facts as facts_of

SERVER = "192.0.2.10:80"
LOSER, RIVAL = "10.0.0.1:40000", "10.0.0.2:40000"


def snat(source: str, outer_port: int) -> list[Hop]:
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"198.51.100.1:{outer_port}", SERVER)]


def look(loser: list[Hop], rival: list[Hop], again: list[Hop], seen_at: int) -> Detection:
    """A loser and its rival among connections that open before and after."""
    capture = CaptureBuilder()
    for number, at_ns in enumerate((T0_NS - S, T0_NS + 5 * S)):
        capture.connect(at_ns, plain_path(f"10.0.0.9:{30_000 + number}", SERVER, "cni0", "eth0"), isn=number)
    capture.retry(T0_NS, loser, isn=10_000, seen_at=seen_at, again=again)
    capture.connect(T0_NS + 1_000, rival, isn=500_000)
    return detect(gather_facts([capture.build()], []))


def test_a_syn_lost_at_nat_beside_a_rival_is_a_collision() -> None:
    detection = look(snat(LOSER, 40_000), snat(RIVAL, 40_000), snat(LOSER, 51_000), 1)
    (found,) = detection.findings
    assert found.count == 1
    assert found.measures["rival_distance_max_us"] == 1.0
    assert (found.events[0]["source"], found.events[0]["rival"]) == (LOSER, RIVAL)
    assert found.confidence == 0.95


def test_a_syn_that_was_seen_behind_nat_did_not_collide() -> None:
    assert look(snat(LOSER, 51_000), snat(RIVAL, 40_000), snat(LOSER, 51_000), 2).status == "clear"


def test_a_syn_lost_where_nothing_is_translated_did_not_collide() -> None:
    loser, rival = (plain_path(source, SERVER, "cni0", "eth0") for source in (LOSER, RIVAL))
    assert look(loser, rival, loser, 1).status == "clear"


def test_two_sources_with_one_port_and_no_loss_are_no_collision() -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, snat(LOSER, 40_000), isn=1)
    capture.connect(T0_NS + 1_000, snat(RIVAL, 51_000), isn=500_000)
    assert detect(gather_facts([capture.build()], [])).status == "clear"


@pytest.mark.parametrize(("vlan", "collisions"), [(10, 1), (20, 0)])
def test_equal_tuples_in_two_vlans_do_not_collide(vlan: int, collisions: int) -> None:
    capture = CaptureBuilder(places=("cni0",))
    for late_ns in (0, S):
        capture.syn(T0_NS + late_ns, snat(LOSER, 40_000), isn=1, vlan=10)
    capture.syn(T0_NS + 1_000, snat(RIVAL, 40_000), isn=500_000, vlan=vlan)
    assert sum(f.count for f in detect(gather_facts([capture.build()], [])).findings) == collisions


def test_with_one_vantage_point_the_collision_is_only_half_believed() -> None:
    capture = CaptureBuilder(places=("cni0",))
    capture.retry(T0_NS, snat(LOSER, 40_000), isn=1, seen_at=1)
    capture.connect(T0_NS + MS, snat(RIVAL, 40_000), isn=500_000)
    (found,) = detect(gather_facts([capture.build()], [])).findings
    assert found.confidence == 0.5


def listing(*entries: tuple[str, int, int], stats: int | None = None) -> list[DumpInput]:
    """conntrack -L with (source, source port, port after translation); counters that rose by `stats`."""
    rows = []
    for line, (source, port, outer) in enumerate(entries, start=1):
        original = ConntrackTuple(source, "192.0.2.10", port, 80)
        reply = ConntrackTuple("192.0.2.10", "198.51.100.1", 80, outer)
        rows.append(ConntrackEntry(line, "tcp", "ESTABLISHED", 100, original, reply, ("ASSURED",)))
    dumps = [DumpInput("list.txt", None, Dump("conntrack-list", 9, (), entries=ConntrackTable.of(rows)))]
    for name, failed in (("a", 1), ("b", 1 + (stats or 0))):
        if stats is not None:
            row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed})
            dump = Dump("conntrack-stats", 1, (), T0_NS + failed, "text", counters=(row,))
            dumps.append(DumpInput(f"{name}.txt", None, dump))
    return dumps


PAIR = (("10.0.0.1", 40_000, 40_000), ("10.0.0.2", 40_000, 51_000))


@pytest.mark.parametrize(("rise", "severity"), [(None, "info"), (0, "info"), (4, "warning")])
def test_groups_in_a_listing_are_harmless_unless_insertions_failed(rise: int | None, severity: str) -> None:
    (found,) = detect(gather_facts([], listing(*PAIR, ("10.0.0.3", 41_000, 41_000), stats=rise))).findings
    assert (found.count, found.severity, found.measures["ports_rewritten"]) == (1, severity, 1)
    assert found.evidence[0].lines == [1, 2]


@pytest.mark.parametrize(
    "entries",
    [
        (("10.0.0.1", 40_000, 40_000), ("10.0.0.1", 40_000, 51_000)),
        (("10.0.0.1", 40_000, 40_000), ("10.0.0.2", 40_001, 51_000)),
        (("10.0.0.1", 40_000, 40_000), ("10.0.0.2", 40_000, 40_000)),
    ],
    ids=["one source", "two ports", "no port rewritten"],
)
def test_other_entries_make_no_group(entries: tuple[tuple[str, int, int], ...]) -> None:
    assert detect(gather_facts([], listing(*entries))).findings == ()


def test_a_syn_that_found_no_free_port_is_no_collision() -> None:
    builder = capture(16, lost=5)
    for number in range(5):
        at_ns = T0_NS + S + number * MS + 1_000
        builder.connect(
            at_ns, plain_path(f"10.0.0.7:{50_000 + number}", POOL_SERVER, "cni0"), isn=7_000 + number
        )
    used_up = facts_of(builder, rule(16), events(16))
    assert len(used_up.exhausted) >= 5
    assert detect(used_up).status == "clear"
