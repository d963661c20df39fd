"""Look-alike. One packet of a server reaches its client untranslated, after the entry was forgotten, and is reset.

The client's RST 52 µs after the packet that it did not expect and without ACK, as on a real kernel (Linux 6.1) behind
IPVS.
"""

from __future__ import annotations

from backend.forensics.detectors.connection_reset.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_untranslated=1)
WRONG_CLAIM = "translation that loses packets, from one straggler"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        client = f"10.0.0.1:{20_000 + number}"
        hops = [Hop("cni0", 0, client, "10.96.0.1:80"), Hop("eth0", 20_000, client, "10.0.1.9:8080")]
        capture.connect(T0_NS + number * 10 * MS, hops, isn=number + 1)
    client, pod = "10.0.0.1:20000", "10.0.1.9:8080"
    capture.packet("cni0", T0_NS + S, pod, client, tcp_flags=ACK, payload_bytes=100)
    capture.packet("cni0", T0_NS + S + 52_000, client, pod, tcp_flags=RST)
    return gather_facts([capture.build()], [])
