"""Look-alike. Four of two hundred sessions are cut off by the server: an idle limit that few meet.

The RST as on a real kernel (Linux 6.18): with ACK, no FIN before it. That it comes 900 ms after the SYN is chosen.
"""

from __future__ import annotations

from backend.forensics.detectors.connection_reset.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 4)
LOOSENED = Thresholds(notable_ratio=0.01)
WRONG_CLAIM = "a service that resets its users, although 196 of 200 notice nothing"
SERVER = "192.0.2.10:5432"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(200):
        client, at_ns = f"10.0.0.1:{20_000 + number}", T0_NS + number * 20 * MS
        capture.connect(at_ns, plain_path(client, SERVER, "cni0", "eth0"), isn=number + 1)
        for place in ("eth0", "cni0") if number % 50 == 0 else ():
            capture.packet(place, at_ns + 900 * MS, SERVER, client, tcp_flags=RST | ACK)
    built = capture.build()
    asked = built.connections["syns"] > 0
    built.connections["client_bytes"][asked] = 40
    built.connections["server_bytes"][asked & (built.connections["resets"] == 0)] = 330
    return gather_facts([built], [])
