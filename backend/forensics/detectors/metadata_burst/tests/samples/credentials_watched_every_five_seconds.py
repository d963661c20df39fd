"""Look-alike. A monitor reads the credentials every five seconds over one kept connection to see that they are there.

The period is that of termination handlers; no public capture of such a monitor is known to us.
"""

from __future__ import annotations

from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import HttpBuilder, load_credentials
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 40)
LOOSENED = Thresholds(poll_period_s=6.0)
WRONG_CLAIM = "a process that does not cache its credentials, from a monitor"


def build() -> Facts:
    http = HttpBuilder()
    for n in range(20):
        load_credentials(http, 100 + 5_000 * n + n % 3, left_s=3_600, agent="curl/8.5.0")
    return gather_facts([http.build()], [])
