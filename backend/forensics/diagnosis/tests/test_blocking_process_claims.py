"""From a finding of stalls and a listing of who ran to claims with lines."""

from __future__ import annotations

from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.detectors.rtt_backlog.detector import detect
from backend.forensics.diagnosis.blocking_process_claims import blocking_process_claims, stall_spans, who_ran
from backend.forensics.dumps import Dump, PacketProcess, SystemCall
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_trips import TripBuilder, every, stalled

STALLS = ((1_000.0, 1_120.0), (3_000.0, 3_120.0), (5_500.0, 5_620.0))


def held(*dumps: Dump) -> Facts:
    """Echoes every 10 ms, three stalls of 120 ms, and listings."""
    capture = TripBuilder().probe(every(10, 8_000), stalled(*STALLS)).build()
    return gather_facts([capture], [DumpInput("listing.txt", None, dump) for dump in dumps])


def backlog(facts: Facts) -> RttBacklog:
    """The one case of these facts."""
    [case] = detect(facts).cases
    assert isinstance(case, RttBacklog)
    return case


def listing(facts: Facts, blocking: str) -> Dump:
    """`blocking` runs under the first held echo of each stall, the idle CPU under all others."""
    finding = backlog(facts)
    first = {span.echoes[0] for span in stall_spans(facts, finding)}
    numbers = sorted({int(n) & 0xFFFF for n in facts.round_trips.rows["sequence"]})
    rows = [
        PacketProcess(n + 2, 1, 1, blocking if number in first else "swapper/1", number)
        for n, number in enumerate(numbers)
    ]
    return Dump("packet-processes", len(rows), (), packet_processes=tuple(rows))


def test_the_stalls_of_a_finding_with_their_echoes_and_times() -> None:
    facts = held()
    finding = backlog(facts)
    spans = stall_spans(facts, finding)
    assert len(spans) == len(STALLS)
    assert all(span.timed and len(span.echoes) >= 10 for span in spans)
    assert all(0.1 <= (span.end_ns - span.start_ns) / 1e9 <= 0.13 for span in spans)


def test_the_process_at_every_drain_is_a_claim_with_its_lines() -> None:
    facts = held(listing(held(), "cadvisor"))
    finding = backlog(facts)
    (claim,) = blocking_process_claims(who_ran(facts, finding))
    assert claim.weight > 2
    assert claim.text.startswith("cadvisor was interrupted by the first held packet at 3 of 3 stalls")
    assert len(claim.evidence[0].lines) == 3


def test_an_idle_host_gives_no_claim() -> None:
    facts = held(listing(held(), "swapper/1"))
    finding = backlog(facts)
    assert who_ran(facts, finding) == ()


def test_a_call_that_ends_with_every_stall_is_a_claim() -> None:
    plain = held()
    finding = backlog(plain)
    calls = tuple(
        SystemCall(n + 1, 7, "cadvisor", "read", "/memory.stat", 0.11, span.end_ns - 112_000_000)
        for n, span in enumerate(stall_spans(plain, finding))
    )
    facts = held(Dump("strace", 3, (), system_calls=calls))
    (claim,) = blocking_process_claims(who_ran(facts, finding))
    assert claim.text.startswith("cadvisor in read of /memory.stat at 3 of 3 stalls")
