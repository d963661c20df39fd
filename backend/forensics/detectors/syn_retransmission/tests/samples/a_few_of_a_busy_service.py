"""Look-alike. Five SYNs of a thousand are lost on the way to a busy service, as on any path with a little loss.

Gaps as on a real kernel (Linux 6.18): 1.001 to 1.032 s.
"""

from __future__ import annotations

from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 5)
LOOSENED = Thresholds(critical_ratio=0.001)
WRONG_CLAIM = "an outage, although 995 of 1,000 users were served at once"


def build() -> Facts:
    capture = CaptureBuilder(places=("eth0",))
    for number in range(1_000):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:80", "eth0")
        at_ns, isn = T0_NS + number * 10 * MS, 1_000 * (number + 1)
        if number % 200 == 7:
            capture.retry(at_ns, path, isn=isn, seen_at=1, gap_ns=S + (1 + number % 32) * MS)
        else:
            capture.connect(at_ns, path, isn=isn)
    return gather_facts([capture.build()], [])
