"""Look-alike. Ten of sixteen ports in use and nothing lost: worth knowing, no incident."""

from __future__ import annotations

from backend.forensics.detectors.snat_port_exhaustion.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.tests import build_pool
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info")
LOOSENED = Thresholds(warning_ratio=0.5)
WRONG_CLAIM = "a range that is about to run out, with six ports free"


def build() -> Facts:
    return build_pool.facts(build_pool.capture(10), build_pool.rule(16), build_pool.events(10))
