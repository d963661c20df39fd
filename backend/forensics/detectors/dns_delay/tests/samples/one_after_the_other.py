"""Negative. `single-request-reopen`: A first, AAAA when that is answered, each on a socket of its own.

As in a real run of 45 lookups, each below 7 ms.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.build_dns import AAAA, A, DnsBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = DnsBuilder()
    for number in range(45):
        for step, kind in enumerate((A, AAAA)):
            port, at_ns = capture.port(), T0_NS + number * 150 * MS + step * 3 * MS
            capture.query(at_ns, port, 500 + 2 * number + step, f"svc{number % 7}.lab.example", kind)
            capture.answer(
                at_ns + 2 * MS, port, 500 + 2 * number + step, f"svc{number % 7}.lab.example", kind
            )
    return gather_facts([capture.build()], [])
