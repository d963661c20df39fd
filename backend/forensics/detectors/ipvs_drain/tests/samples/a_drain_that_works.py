"""Negative. After weight 0 nothing new reaches the server; a SYN sent again belongs to a connection from before.

As on stock kernel 6.1 with expire_nodest_conn 1.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = CaptureBuilder(places=("vip", "cni0"))
    for number in range(90):
        pod = POD if number % 3 == 0 and number < 45 else OTHER
        capture.connect(T0_NS + number * 200 * MS, through(number, pod), isn=10_000 * (number + 1))
    capture.retry(T0_NS + 9_800 * MS, through(500), isn=99, seen_at=2, gap_ns=1_020 * MS)
    return gather_facts([capture.build()], [listing(T0_NS + 10 * S, {POD: 0, OTHER: 1})])
