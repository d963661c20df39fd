"""Look-alike. A lossy path back: four connections of 135 open late, because the SYN-ACK did not arrive.

Gaps as on a real kernel (Linux 6.18, loss on the way back): 1.003 to 1.012 s. Worth a warning; too few to be called an
outage.
"""

from __future__ import annotations

from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 4)
LOOSENED = Thresholds(critical_attempts=4)
WRONG_CLAIM = "a destination that users cannot rely on, from four lost packets"
GAPS_MS = (1_005, 1_007, 1_003, 1_012)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(131):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:8081", "cni0", "eth0")
        capture.connect(T0_NS + number * 90 * MS, path, isn=1_000 * (number + 1))
    for number, gap_ms in enumerate(GAPS_MS):
        path = plain_path(f"10.0.0.1:{38_726 + number}", "192.0.2.10:8081", "cni0", "eth0")
        at_ns = T0_NS + (1 + 2 * number) * 1_000 * MS
        capture.retry(at_ns, path, isn=900_000 + number, seen_at=2, gap_ns=gap_ms * MS)
    return gather_facts([capture.build()], [])
