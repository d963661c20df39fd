"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """What is late is `service_times.LATE_LEAST_NS` and `LATE_TIMES`. The request must have been acknowledged within
    `acknowledged_ms` (a delayed ACK takes 200 ms at most, TCP_DELACK_MAX) and a `short_ratio` of the wait, and the
    round trip be as short a share of it. `late_least` answers: one or two are any process' hiccup. A spell is notable:
    `spell_late` late answers, `spell_ratio` of the requests of its time, while before and after at least `quick_least`
    requests were answered of which at most `quick_late_ratio` late, and the like comes by chance less often than once
    in 1 / `by_chance` captures."""

    late_least: int = 3
    acknowledged_ms: float = 250.0
    short_ratio: float = 0.25
    spell_late: int = 8
    spell_ratio: float = 0.8
    quick_least: int = 20
    quick_late_ratio: float = 0.1
    by_chance: float = 1e-4
    confidence: float = 0.85
    confidence_mixed: float = 0.5
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
