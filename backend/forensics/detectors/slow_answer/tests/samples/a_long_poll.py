"""Look-alike. A long poll is answered when there is news, sooner or later: late answers are spread over the time."""

from __future__ import annotations

from backend.forensics.detectors.slow_answer.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 18)
LOOSENED = Thresholds(spell_ratio=0.2, quick_late_ratio=1.0, quick_least=0, by_chance=float("inf"))
WRONG_CLAIM = "the poll stalled for a while"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(60):
        late = n % 10 in (2, 5, 9)
        http.exchange(
            100 + 20_000 * n, "10.2.0.1:20000", "10.1.0.7:80", "GET /news",
            took_ms=15_000 if late else 40, acknowledged_ms=0.1,
        )  # fmt: skip
    return gather_facts([http.build()], [])
