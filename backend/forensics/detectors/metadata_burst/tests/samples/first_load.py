"""Negative. A process loads credentials at its first request and keeps them.

Timing as on a real kernel (Linux 6.18) with botocore 1.12 and credentials of six hours.
"""

from __future__ import annotations

from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder, load_credentials, serve
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(notable_refreshes=0, significant_p=1.0, notable_excess_ratio=0.5)
WRONG_CLAIM = "credentials fetched again and again, from the one load that every process makes"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(30):
        serve(http, n, 100 + 180 * n, 70 if n == 0 else 17)
    load_credentials(http, 101.2, left_s=21_600)
    return gather_facts([http.build()], [])
