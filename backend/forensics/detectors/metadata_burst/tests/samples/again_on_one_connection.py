"""Positive. The pod serves TLS, so no request shows; one kept connection asks for credentials 40 times in 12 s.

Gaps as those of requests in the capture of refresh_at_every_request, here with pauses of users.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder, load_credentials
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 80)


def build() -> Facts:
    http = HttpBuilder()
    for n in range(40):
        load_credentials(http, 100 + 300 * n + n * 37 % 90)
    return gather_facts([http.build()], [])
