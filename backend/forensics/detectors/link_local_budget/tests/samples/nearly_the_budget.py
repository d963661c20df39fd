"""Look-alike. 900 lookups a second: much, and allowed."""

from __future__ import annotations

from backend.forensics.detectors.link_local_budget.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(budget_packets=800)
WRONG_CLAIM = "packets were dropped"


def build() -> Facts:
    capture = StumbleBuilder()
    for n in range(900):
        at_ns = T0_NS + n * 900_000
        capture.connection(
            f"10.0.0.1:{1_024 + n}", "169.254.169.253:53", protocol=17, syns=0, first_frame=n + 1,
            client_packets=1, server_packets=1, first_ns=at_ns, last_ns=at_ns + MS,
        )  # fmt: skip
    return gather_facts([capture.build()], [])
