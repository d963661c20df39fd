"""Negative. A health check connects, asks and is cut off twice while the server restarts; everybody else is answered.

Timing as on a real kernel (Linux 6.18): RST with ACK 3.8 ms after the SYN, 3.3 ms after the ACK of the request.
"""

from __future__ import annotations

from backend.forensics.detectors.connection_reset.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(notable_resets=2)
WRONG_CLAIM = "a service that resets its users, from two connections during a restart"
SERVER = "192.0.2.10:80"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        client, at_ns = f"10.0.0.1:{20_000 + number}", T0_NS + number * 50 * MS
        capture.connect(at_ns, plain_path(client, SERVER, "cni0", "eth0"), isn=number + 1)
        for place in ("eth0", "cni0") if number in (9, 10) else ():
            capture.packet(place, at_ns + 3_800_000, SERVER, client, tcp_flags=RST | ACK)
    built = capture.build()
    asked = built.connections["syns"] > 0
    built.connections["client_bytes"][asked] = 78
    built.connections["server_bytes"][asked & (built.connections["resets"] == 0)] = 210
    return gather_facts([built], [])
