"""Look-alike. A termination handler asks every 1.3 s whether the spot instance is to go; some calls meet requests.

Period and calls (interruption notice, instance id, a new connection each time) as in a capture of such a poller beside
a service (Linux 6.18); requests of 60 ms every 180 ms, so that a third of the polls fall into one.
"""

from __future__ import annotations

from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import IMDS, POD, HttpBuilder, serve
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 60)
LOOSENED = Thresholds(significant_p=1.0, notable_share_ratio=0.02)
WRONG_CLAIM = "requests that call the metadata service, from a poller with a clock of its own"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(210):
        serve(http, n, 100 + 180 * n + n * 11 % 13, 60)
    for n in range(30):
        at_ms, caller = 140 + 1_304.1 * n, f"{POD}:{50_000 + n}"
        http.exchange(
            at_ms, caller, IMDS, "GET /latest/meta-data/spot/instance-action", took_ms=1.4, status=404
        )
        http.exchange(at_ms + 1.7, caller, IMDS, "GET /latest/meta-data/instance-id", took_ms=1.4)
    return gather_facts([http.build()], [])
