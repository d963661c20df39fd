"""Look-alike. The agent has to get a role's credentials itself when a pod asks first: that one call takes 0.8 s.

kiam and kube2iam call sts:AssumeRole then; how long that takes is chosen here.
"""

from __future__ import annotations

from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import CREDENTIALS, IMDS, POD, ROLE, HttpBuilder, expires
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(notable_slow_calls=1)
WRONG_CLAIM = "a slow metadata service, from the one call that an agent's own start makes slow"


def build() -> Facts:
    http = HttpBuilder()
    http.exchange(100, f"{POD}:40000", IMDS, ROLE, took_ms=2)
    http.exchange(103, f"{POD}:40000", IMDS, CREDENTIALS, took_ms=800, expiration_ns=expires(903, 21_600))
    http.lasts_until(5_000)
    return gather_facts([http.build()], [])
