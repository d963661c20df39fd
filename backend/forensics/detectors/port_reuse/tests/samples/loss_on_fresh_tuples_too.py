"""Look-alike. A lossy path drops every tenth SYN; used tuples are hit as often as fresh ones.

Retry gaps as measured on Linux: 1.000 to 1.036 s.
"""

from __future__ import annotations

from backend.forensics.detectors.port_reuse.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 4)
LOOSENED = Thresholds(significant_p=1.1)
WRONG_CLAIM = "ports used again too early, although fresh tuples suffer as much"


def build() -> Facts:
    capture = CaptureBuilder(places=("eth0",))
    for number in range(80):
        path = plain_path(f"10.0.0.1:{40_000 + number % 40}", "192.0.2.10:80", "eth0")
        at_ns, isn = T0_NS + number * 100 * MS, 10_000 * (number + 1)
        if number % 10 == 3:
            capture.retry(at_ns, path, isn=isn, seen_at=1, gap_ns=S + number % 36 * MS)
        else:
            capture.connect(at_ns, path, isn=isn)
    return gather_facts([capture.build()], [])
