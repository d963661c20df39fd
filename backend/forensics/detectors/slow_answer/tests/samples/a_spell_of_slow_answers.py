"""Positive. A service answers in 3 ms, for 12 s in 2 s, and in 3 ms again; it had every request at once."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 12)


def build() -> Facts:
    http = HttpBuilder()
    for n in range(72):
        slow = 30 <= n < 42
        http.exchange(
            100 + 1_000 * n, f"10.2.0.{n % 3 + 1}:{20_000 + n}", "10.1.0.7:80", f"GET /users/{n}",
            took_ms=2_000 if slow else 3, acknowledged_ms=0.1,
        )  # fmt: skip
    return gather_facts([http.build()], [])
