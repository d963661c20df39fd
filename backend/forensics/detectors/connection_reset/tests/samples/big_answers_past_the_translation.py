"""Positive. Big answers of a service whose packets conntrack calls invalid now and then: clients reset them.

As in Kubernetes issue 74839: the connection is in use, one packet of the real server comes to the client untranslated,
and the counter `invalid` rises.
"""

from __future__ import annotations

from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 3)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        client, pod, at_ns = f"10.0.0.1:{20_000 + number}", "10.0.1.9:8080", T0_NS + number * 10 * MS
        hops = [Hop("cni0", 0, client, "10.96.0.1:80"), Hop("eth0", 20_000, client, pod)]
        capture.connect(at_ns, hops, isn=number + 1)
        capture.packet("cni0", at_ns + 900 * MS, "10.96.0.1:80", client, tcp_flags=ACK, payload_bytes=1_400)
        if number < 3:
            capture.packet("cni0", at_ns + S, pod, client, tcp_flags=ACK, payload_bytes=1_400)
            capture.packet("cni0", at_ns + S + 52_000, client, pod, tcp_flags=RST)
    dumps = [
        DumpInput(name, None, Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,)))
        for name, at_ns, row in (
            ("before.txt", T0_NS - S, CounterRow(1, 0, {"invalid": 7, "insert_failed": 0})),
            ("after.txt", T0_NS + 9 * S, CounterRow(1, 0, {"invalid": 12, "insert_failed": 0})),
        )
    ]
    return gather_facts([capture.build()], dumps)
