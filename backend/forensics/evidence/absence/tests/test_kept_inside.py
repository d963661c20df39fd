"""A SYN that comes in and never goes out was kept by the host, where others of its source are seen to leave."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.absence.kept_inside import sent_on_otherwise
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import ACK, HINT_INCOMING, HINT_OUTGOING, HINT_UNKNOWN, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S

DEAD, LIVING = "192.0.2.9:80", "192.0.2.10:80"


def forwarded(
    *, silent_leaves: bool = False, source: str = "10.0.0.1", hints: tuple[int, int] = (1, 2)
) -> CaptureBuilder:
    """A node: one client's silent attempt, and an attempt of `source` that leaves by eth0 and opens."""
    capture = CaptureBuilder("any.pcap", ("cni0", "eth0"))
    incoming, outgoing = hints
    for again in range(3):
        row = {"tcp_flags": SYN, "sequence": 900, "ip_id": 10 + again, "timestamp_value": 50 + again}
        at_ns = T0_NS + again * S
        capture.packet("cni0", at_ns, "10.0.0.1:4000", DEAD, direction_hint=incoming, **row)
        if silent_leaves:
            capture.packet("eth0", at_ns + 9_000, "10.0.0.1:4000", DEAD, direction_hint=outgoing, **row)
    row = {"tcp_flags": SYN, "sequence": 700, "ip_id": 77, "timestamp_value": 60}
    capture.packet("cni0", T0_NS + MS, f"{source}:4001", LIVING, direction_hint=incoming, **row)
    capture.packet("eth0", T0_NS + MS + 9_000, f"{source}:4001", LIVING, direction_hint=outgoing, **row)
    answer = {"tcp_flags": SYN | ACK, "sequence": 5, "acknowledgement": 701}
    capture.packet("eth0", T0_NS + 2 * MS, LIVING, f"{source}:4001", direction_hint=incoming, **answer)
    return capture


@pytest.mark.parametrize(
    ("capture", "left"),
    [
        (forwarded(), "eth0"),
        (forwarded(silent_leaves=True), None),
        (forwarded(source="10.0.0.2"), None),
        (forwarded(hints=(HINT_UNKNOWN, HINT_UNKNOWN)), None),
        (forwarded(hints=(HINT_INCOMING, HINT_INCOMING)), None),
        (forwarded(hints=(HINT_INCOMING, HINT_OUTGOING)), "eth0"),
    ],
)
def test_only_other_syns_of_the_same_source_show_that_it_was_kept(
    capture: CaptureBuilder, left: str | None
) -> None:
    facts = gather_facts([capture.build()], [])
    (destination,) = facts.destinations
    place = sent_on_otherwise(facts.attempts, destination)
    assert (place.name if place else None) == left
