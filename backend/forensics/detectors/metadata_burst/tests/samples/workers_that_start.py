"""Negative. Three worker processes of one pod load credentials, each at the first request it serves.

Loads as in first_load; three workers are gunicorn's usual number on one core (2 x cores + 1).
"""

from __future__ import annotations

from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import POD, HttpBuilder, load_credentials, serve
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 6)
LOOSENED = Thresholds(notable_refreshes=2, significant_p=0.5, notable_excess_ratio=2.0)
WRONG_CLAIM = "credentials fetched again, from workers of which each fetched them once"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(40):
        is_first = n in (0, 1, 4)
        serve(http, n, 100 + 180 * n, 70 if is_first else 17)
        if is_first:
            load_credentials(http, 101.2 + 180 * n, caller=f"{POD}:{40_000 + n}", left_s=21_600)
    return gather_facts([http.build()], [])
