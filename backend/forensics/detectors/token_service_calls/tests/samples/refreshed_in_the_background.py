"""Look-alike. A thread of its own renews tokens every second, whatever is served meanwhile."""

from __future__ import annotations

from backend.forensics.detectors.token_service_calls.tests.build_calls import background_refresh
from backend.forensics.detectors.token_service_calls.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(significant_p=1.0)
WRONG_CLAIM = "requests that wait for a token service"


def build() -> Facts:
    return background_refresh()
