"""Look-alike. One name that no cache holds takes 1.4 s once; the other lookups are quick."""

from __future__ import annotations

from backend.forensics.detectors.dns_delay.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.build_dns import DnsBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_lookups=1)
WRONG_CLAIM = "a slow resolver, from one answer that had to be fetched"


def build() -> Facts:
    capture = DnsBuilder()
    for number in range(20):
        capture.lookup(
            T0_NS + number * 2_000 * MS, f"host{number}.example", takes_ns=(1_400 if number == 7 else 3) * MS
        )
    return gather_facts([capture.build()], [])
