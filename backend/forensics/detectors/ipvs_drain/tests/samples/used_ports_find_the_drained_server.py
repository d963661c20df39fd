"""Positive. Clients come back on used ports and are sent to the server that they had, whose weight is 0 by now.

As on kernel 6.1 with conn_reuse_mode 0 and expire_nodest_conn 0: a third of the connections go on reaching it.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 30)


def build() -> Facts:
    capture = CaptureBuilder(places=("vip", "cni0"))
    for turn in (0, 1):
        for number in range(90):
            at_ns = T0_NS + turn * 20 * S + number * 50 * MS
            pod = POD if number % 3 == 0 else OTHER
            capture.connect(at_ns, through(number, pod), isn=10_000 * (number + 1) + 5_000_000 * turn)
    dumps = [
        listing(T0_NS, {POD: 1, OTHER: 1}),
        listing(T0_NS + 10 * S, {POD: 0, OTHER: 1}, input_name="later.txt"),
    ]
    return gather_facts([capture.build()], dumps)
