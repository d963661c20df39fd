"""Look-alike. A queue stands still for 12 s: what was sent into it is acknowledged and answered when it moves again."""

from __future__ import annotations

from backend.forensics.detectors.slow_answer.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(acknowledged_ms=60_000, short_ratio=2.0)
WRONG_CLAIM = "the application thought for seconds"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(72):
        held_ms = 12_000 - 1_000 * (n - 30) if 30 <= n < 42 else 0
        http.exchange(
            100 + 1_000 * n, f"10.2.0.1:{20_000 + n}", "10.1.0.7:80", "GET /users",
            took_ms=held_ms + 3, acknowledged_ms=held_ms + 0.1,
        )  # fmt: skip
    return gather_facts([http.build()], [])
