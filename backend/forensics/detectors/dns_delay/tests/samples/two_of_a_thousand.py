"""Look-alike. A busy resolver loses 2 datagrams of 1,000 lookups, as UDP may: nothing that an incident is made of."""

from __future__ import annotations

from backend.forensics.detectors.dns_delay.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.build_dns import DnsBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(notable_ratio=0.0)
WRONG_CLAIM = "slow lookups as an incident, although 2 of 1,000 were"


def build() -> Facts:
    capture = DnsBuilder()
    for number in range(1_000):
        at_ns, name = T0_NS + number * 20 * MS, f"host{number}.example"
        if number in (300, 700):
            capture.lost_pair(at_ns, name)
        else:
            capture.lookup(at_ns, name)
    return gather_facts([capture.build()], [])
