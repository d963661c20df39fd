"""A search list that costs time: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.search_list_expansion import CAUSE
from backend.forensics.diagnosis.causes.tests.build_lookups import calm, diagnoses
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import NXDOMAIN, DnsBuilder

SUFFIXES = (".default.svc.cluster.local", ".svc.cluster.local", ".cluster.local", "")


def expanded(lost_at: str | None, *, takes_ms: int = 2, number: int = 6, plain: int = 0) -> DnsBuilder:
    """Lookups over the search list, of which one query is lost at that suffix (not at all with None)."""
    capture = calm(DnsBuilder(), plain)
    for n in range(number):
        at_ns = T0_NS + n * 20 * S
        for suffix in SUFFIXES:
            name = f"api{n}.example.com{suffix}"
            rcode = NXDOMAIN if suffix else 0
            if suffix == lost_at:
                capture.query(at_ns, 900 + n, n, name)
                capture.query(at_ns + 5 * S, 900 + n, n, name)
                capture.answer(at_ns + 5 * S + MS, 900 + n, n, name, rcode=rcode)
                at_ns += 5 * S + 2 * MS
            else:
                capture.lookup(at_ns, name, takes_ns=takes_ms * MS, rcode=rcode)
                at_ns += (takes_ms + 2) * MS
    return capture


def test_waits_for_names_that_nobody_has_show_it() -> None:
    found = diagnoses(expanded(SUFFIXES[1]))[CAUSE]
    assert found.verdict == "likely"
    assert 29 < found.time_lost_s < 31
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_slow_answers_add_up_to_a_second() -> None:
    found = diagnoses(expanded(None, takes_ms=400))[CAUSE]
    assert found.verdict == "likely"


def test_waits_for_the_name_itself_refute_it() -> None:
    assert CAUSE not in diagnoses(expanded(SUFFIXES[3]))


def test_where_few_lookups_use_the_list_it_is_less_sure() -> None:
    sure = diagnoses(expanded(SUFFIXES[1]))[CAUSE].confidence
    assert diagnoses(expanded(SUFFIXES[1], plain=60))[CAUSE].confidence < sure


def test_without_delay_nothing_is_said() -> None:
    assert diagnoses(expanded(None)) == {}


@pytest.mark.parametrize(("number", "sure"), [(1, False), (2, True)])
def test_one_lookup_is_an_accident_and_even_odds_at_most(number: int, sure: bool) -> None:
    found = diagnoses(expanded(SUFFIXES[1], number=number))[CAUSE]
    assert (found.confidence > 0.5) == sure
