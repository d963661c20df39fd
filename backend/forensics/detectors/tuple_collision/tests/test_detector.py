"""When a lost SYN with a rival is a collision, and when it is not."""

from __future__ import annotations

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.tuple_collision.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

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


def test_with_one_vantage_point_the_collision_is_only_half_believed() -> None:
    capture = CaptureBuilder(places=("cni0",))
    capture.retry(T0_NS, snat(LOSER, 40_000), isn=1, seen_at=1)
    capture.connect(T0_NS + MS, snat(RIVAL, 40_000), isn=500_000)
    (found,) = detect(gather_facts([capture.build()], [])).findings
    assert found.confidence == 0.5
