"""Queries to an address that stands for no name server accuse neither a resolver nor the path."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.no_name_server import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import calm, diagnoses
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder

ROUTER = "192.0.2.1"


def asked(server: str, number: int = 3) -> DnsBuilder:
    """Lookups of a router, each query sent three times, beside lookups that are answered."""
    capture = calm(DnsBuilder())
    for lookup in range(number):
        for again in range(3):
            at_ns = T0_NS + (lookup * 15 + again * 3) * S
            capture.query(at_ns, 900 + lookup, lookup, "shwo.example", client=ROUTER, server=server)
    return capture


@pytest.mark.parametrize("server", ["255.255.255.255", "fec0:0:0:ffff::1"])
def test_an_address_that_stands_for_none_is_the_cause(server: str) -> None:
    found = diagnoses(asked(server))
    assert found[CAUSE].confidence > 0.5
    assert ROUTER in found[CAUSE].statement
    assert [cause for cause, d in found.items() if d.confidence >= 0.5] == [CAUSE]


@pytest.mark.parametrize("server", ["255.255.255.254", "fec0:0:0:fffe::1"])
def test_any_other_address_is_a_name_server(server: str) -> None:
    assert CAUSE not in diagnoses(asked(server))


def test_one_lookup_alone_is_even_odds_at_most() -> None:
    assert diagnoses(asked("255.255.255.255", 1))[CAUSE].confidence <= 0.5
