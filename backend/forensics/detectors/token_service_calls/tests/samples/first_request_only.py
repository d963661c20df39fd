"""Negative. The first request loads credentials, the others have them."""

from __future__ import annotations

from backend.forensics.detectors.token_service_calls.tests.build_calls import calling_server
from backend.forensics.evidence.facts import Facts
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    return calling_server(requests=12, calls_every=12)
