"""Positive. Every request fetches role and credentials again: they are handed out with 15 min left.

Timing as on a real kernel (Linux 6.18) with botocore 1.12 against a metadata service behind destination NAT: requests
180 ms apart, 1 to 2 ms to the first call, 25 ms a call in the middle, 16 ms for the service behind.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder, load_credentials, serve
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 60)


def build() -> Facts:
    http = HttpBuilder()
    for n in range(30):
        at_ms = 100 + 180 * n + n * 7 % 5
        serve(http, n, at_ms, 70)
        load_credentials(http, at_ms + 1.2)
    return gather_facts([http.build()], [])
