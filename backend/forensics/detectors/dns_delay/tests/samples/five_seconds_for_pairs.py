"""Positive. One query of an A and AAAA pair is lost now and then; glibc asks again after 5 s.

Timing as in a real run (glibc 2.36, kernel 6.18): AAAA 0.6 ms after A, both again at +5.004 s, same ids and socket.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 7)


def build() -> Facts:
    capture = DnsBuilder(places=("pod", "resolver"))
    for number in range(45):
        at_ns, name = T0_NS + number * 6 * S, f"svc{number % 7}.lab.example"
        if number % 6 == 1 and number < 42:
            capture.lost_pair(at_ns, name, pause_ns=5 * S + 4 * MS)
        else:
            capture.lookup(at_ns, name)
    return gather_facts([capture.build()], [])
