"""Positive. Every request assumes a role at STS's global endpoint anew: three round trips of 90 ms each."""

from __future__ import annotations

from backend.forensics.detectors.token_service_calls.tests.build_calls import calling_server
from backend.forensics.evidence.facts import Facts
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 12)


def build() -> Facts:
    return calling_server(requests=12, calls_every=1)
