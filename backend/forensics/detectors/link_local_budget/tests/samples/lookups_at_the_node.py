"""Negative. 1,300 lookups a second go to NodeLocal DNSCache, which answers on the node."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = StumbleBuilder()
    for n in range(1_300):
        at_ns = T0_NS + n * 600_000
        capture.connection(
            f"10.0.0.1:{1_024 + n}", "169.254.20.10:53", protocol=17, syns=0, first_frame=n + 1,
            client_packets=1, server_packets=1, first_ns=at_ns, last_ns=at_ns + MS,
        )  # fmt: skip
    return gather_facts([capture.build()], [])
