"""Look-alike. A mail program asks two servers whose port is closed, three times each; a third loses one SYN.

Timing as in a capture of Windows that the Zeek project tests with: RST after 51 ms and the SYN again half a second
later, twice; the lost SYN again after 2.996 s.
"""

from __future__ import annotations

from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 3)
LOOSENED = Thresholds(harmless_attempts=0)
WRONG_CLAIM = "SYNs that are lost again and again, although two of three were answered"


def build() -> Facts:
    capture = CaptureBuilder(places=("eth0",))
    for number in range(2):
        client, server = f"10.0.0.1:{26_242 + number}", f"192.0.2.{171 + number}:110"
        for again in range(3):
            at_ns = T0_NS + number * 1_161 * MS + again * 550 * MS
            capture.syn(at_ns, plain_path(client, server, "eth0"), isn=1_000 + number)
            capture.packet(
                "eth0", at_ns + 51 * MS, server, client, tcp_flags=RST | ACK, acknowledgement=1_001 + number
            )
    capture.connect(T0_NS + 30 * S, plain_path("10.0.0.1:26272", "192.0.2.166:110", "eth0"), isn=70_000)
    path = plain_path("10.0.0.1:26284", "192.0.2.166:110", "eth0")
    capture.retry(T0_NS + 43 * S, path, isn=80_000, seen_at=1, gap_ns=2_996 * MS)
    return gather_facts([capture.build()], [])
