"""Negative. Reports take 2 s each, as always; the health check of the same server is quick."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    http = HttpBuilder()
    for n in range(60):
        client = f"10.2.0.1:{20_000 + n}"
        line, took_ms = ("POST /report", 2_000 + n) if n % 2 else ("GET /healthz", 1)
        http.exchange(100 + 3_000 * n, client, "10.1.0.7:80", line, took_ms=took_ms, acknowledged_ms=0.1)
    return gather_facts([http.build()], [])
