"""The race at a service address: what confirms it, what refutes it, what cannot be told."""

from __future__ import annotations

from backend.forensics.analyze import analyse_evidence
from backend.forensics.diagnosis.causes.dnat_race import CAUSE
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

SERVICE, BACKEND, NODE = "10.96.0.10:80", "10.244.1.11:8080", "10.244.0.1"
LOST, TOTAL = 6, 100


def hops(source: str, outer_port: int, *, service: bool = True) -> list[Hop]:
    """Source and destination are rewritten, as kube-proxy does for clients that must come back through the node."""
    behind = BACKEND if service else SERVICE
    return [Hop("cni0", 0, source, SERVICE), Hop("eth0", 20_000, f"{NODE}:{outer_port}", behind)]


def counters(rise: int) -> list[DumpInput]:
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - S), ("later", 1 + rise, T0_NS + 60 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed, "early_drop": 0})
        dumps.append(
            DumpInput(f"{name}.txt", None, Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,)))
        )
    return dumps


def diagnoses(
    dumps: list[DumpInput], *, outer: bool = True, service: bool = True
) -> dict[str, DiagnosisPart]:
    capture = CaptureBuilder(places=("cni0", "eth0") if outer else ("cni0",))
    for number in range(TOTAL):
        source, port, isn = f"10.0.0.1:{20_000 + number}", 20_000 + number, 1_000 * (number + 1)
        at_ns = T0_NS + number * 50 * MS
        path = hops(source, port, service=service)
        if 50 <= number < 50 + LOST:
            again = hops(source, 50_000 + number, service=service)
            capture.retry(at_ns, path, isn=isn, seen_at=1, again=again)
            capture.connect(at_ns + 1_000, hops(f"10.0.0.2:{port}", port, service=service), isn=isn + 500_000)
        else:
            capture.connect(at_ns, path, isn=isn)
    found = analyse_evidence(
        [capture.build(data=(2_000, 0))], dumps, [], label="", created="", tool_version=""
    )
    return {d.cause: d for d in found.report.diagnoses}


def test_counters_and_both_sides_confirm_it() -> None:
    found = diagnoses(counters(LOST))[CAUSE]
    assert found.verdict == "confirmed"
    assert found.attempts_explained == LOST


def test_flat_counters_refute_it() -> None:
    assert diagnoses(counters(0))[CAUSE].confidence < 0.5


def test_without_counters_it_is_less_sure_and_asks_for_them() -> None:
    found = diagnoses([])[CAUSE]
    assert found.confidence < diagnoses(counters(LOST))[CAUSE].confidence
    assert any(m.command.startswith("conntrack -S") for m in found.missing)


def test_where_the_destination_is_kept_it_is_the_race_for_an_outgoing_port() -> None:
    found = diagnoses(counters(LOST), service=False)
    assert CAUSE not in found
    assert found["snat-port-race"].verdict == "confirmed"


def test_with_one_vantage_point_nobody_can_tell_that_the_destination_is_rewritten() -> None:
    assert CAUSE not in diagnoses(counters(LOST), outer=False)
